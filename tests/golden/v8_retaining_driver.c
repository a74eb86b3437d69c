/* SPDX-License-Identifier: MIT
 *
 * v8_retaining_driver.c: who retains some nodes of a snapshot, as JSON, for v8_retaining_golden_test.py.
 *
 *     v8_retaining_driver FILE ID...
 *
 * An array with an object for each ID: "shortestPath", "retainers" and "dominators", as tests/data/v8/README.md has them.
 */
#include <stdio.h>
#include <stdlib.h>

#include <ubiheap/core/formats.h>
#include <ubiheap/views/retaining.h>

#include "base/json_writer.h"
#include "lenses/v8/v8_look.h"
#include "render/heap_labels.h"

#define MOST_STEPS 1000
#define MOST_RETAINERS 20

typedef struct answers {
    const ubi_graph *g;
    const ubi_look *look;
    ubi_dominators *dominators;
    ubi_retaining *retaining;
    ubi__json json;
} answers;

static void put_text(answers *a, const char *key, ubi_text text) {
    ubi__json_key(&a->json, key);
    ubi__json_text(&a->json, text.ptr ? text : ubi__text(""));
}

static void put_u64(answers *a, const char *key, uint64_t value) {
    ubi__json_key(&a->json, key);
    ubi__json_u64(&a->json, value);
}

static void put_retainer(answers *a, const ubi_retainer *r, bool is_step) {
    char digits[UBI_EDGE_LABEL_BYTES];
    ubi_look_name_buffer buffer;
    ubi__json_object_begin(&a->json);
    put_text(a, "edgeType", ubi__text(ubi__edge_kind_name(ubi_graph_edge_kind(a->g, r->edge))));
    put_text(a, "edgeName", ubi_graph_edge_label(a->g, r->edge, digits));
    put_u64(a, "retainerId", ubi_graph_node_id(a->g, r->node));
    put_text(a, "retainerName", ubi_look_display_name(a->look, r->node, &buffer));
    if (is_step)
        put_text(a, "retainerType", ubi__text(ubi__v8_type_name(ubi__v8_node_type(a->look, r->node))));
    put_u64(a, is_step ? "retainerDistance" : "distance", r->distance);
    ubi__json_object_end(&a->json);
}

static void put_path(answers *a, ubi_node_ix node) {
    static ubi_retainer steps[MOST_STEPS];
    uint32_t n = ubi_retaining_shortest(steps, a->retaining, node, MOST_STEPS);
    ubi__json_key(&a->json, "shortestPath");
    ubi__json_array_begin(&a->json);
    for (uint32_t i = 0; i < n; i++)
        put_retainer(a, &steps[i], true);
    ubi__json_array_end(&a->json);
}

static ubi_status put_retainers(answers *a, ubi_node_ix node) {
    ubi_retainer first[MOST_RETAINERS];
    uint32_t n;
    UBI_TRY(ubi_retaining_first(first, &n, a->retaining, node, MOST_RETAINERS));
    ubi__json_key(&a->json, "retainers");
    ubi__json_object_begin(&a->json);
    put_u64(a, "total", ubi_retaining_count(a->retaining, node));
    ubi__json_key(&a->json, "first");
    ubi__json_array_begin(&a->json);
    for (uint32_t i = 0; i < n; i++)
        put_retainer(a, &first[i], false);
    ubi__json_array_end(&a->json);
    ubi__json_object_end(&a->json);
    return UBI_OK;
}

static void put_dominators(answers *a, ubi_node_ix node) {
    static ubi_node_ix chain[MOST_STEPS];
    ubi_look_name_buffer buffer;
    uint32_t n = ubi_retaining_dominators(chain, MOST_STEPS, a->dominators, node);
    ubi__json_key(&a->json, "dominators");
    ubi__json_array_begin(&a->json);
    for (uint32_t i = 0; i < n && i < MOST_STEPS; i++) {
        ubi__json_object_begin(&a->json);
        put_u64(a, "id", ubi_graph_node_id(a->g, chain[i]));
        put_text(a, "name", ubi_look_display_name(a->look, chain[i], &buffer));
        put_u64(a, "selfSize", ubi_look_size_bytes(a->look, chain[i]));
        put_u64(a, "retainedSize", ubi_dominators_retained_bytes(a->dominators, chain[i]));
        ubi__json_object_end(&a->json);
    }
    ubi__json_array_end(&a->json);
}

static ubi_status put_node(answers *a, const char *id) {
    ubi_node_ix node;
    UBI_TRY(ubi_graph_find(&node, a->g, strtoull(id, NULL, 10)));
    ubi__json_object_begin(&a->json);
    put_path(a, node);
    UBI_TRY(put_retainers(a, node));
    put_dominators(a, node);
    ubi__json_object_end(&a->json);
    return UBI_OK;
}

static bool write_out(void *payload, const void *data, size_t n) {
    return fwrite(data, 1, n, payload) == n;
}

static ubi_status answer(answers *a, ubi_graph *graph, char **ids) {
    ubi_look *look;
    UBI_TRY(ubi_look_open(&look, NULL, graph, NULL));
    a->g = graph;
    a->look = look;
    UBI_TRY(ubi_dominators_new(&a->dominators, ubi_look_view(look), NULL));
    UBI_TRY(ubi_retaining_new(&a->retaining, look, NULL));
    ubi__json_init(&a->json, write_out, stdout, false);
    ubi__json_array_begin(&a->json);
    for (; *ids; ids++)
        UBI_TRY(put_node(a, *ids));
    ubi__json_array_end(&a->json);
    UBI_TRY(ubi__json_flush(&a->json));
    ubi_retaining_free(a->retaining);
    ubi_dominators_free(a->dominators);
    ubi_look_close(look);
    return UBI_OK;
}

int main(int argc, char **argv) {
    ubi_graph *graph;
    answers a = { .g = NULL };
    if (argc < 2 || ubi_graph_read_path(&graph, argv[1], NULL, NULL) != UBI_OK) {
        fprintf(stderr, "v8_retaining_driver: %s\n", argc < 2 ? "which file?" : ubi_error_message());
        return 2;
    }
    ubi_status status = answer(&a, graph, argv + 2);
    if (status != UBI_OK)
        fprintf(stderr, "v8_retaining_driver: %s\n", ubi_error_message());
    ubi_graph_unref(graph);
    return status == UBI_OK ? 0 : 1;
}
