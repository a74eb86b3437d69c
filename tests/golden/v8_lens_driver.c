/* SPDX-License-Identifier: MIT
 *
 * v8_lens_driver.c: what V8's lens makes of a snapshot as lines of text, for v8_lens_golden_test.py.
 *
 *     v8_lens_driver FILE [LIKE]
 *
 * First "total BYTES", "largest-id ID", "outside BYTES", a line "interface COUNT NAME" for each, "classes". Then for each
 * node, in file order: id, size, retained size, distance ("-": not reached), dominator's index, detachedness, edges,
 * retainers, type, and class, place, name in the file and display name. Names are hexadecimal, with an x before them. With
 * LIKE the interfaces are those of that snapshot.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <ubiheap/core/dominators.h>
#include <ubiheap/core/formats.h>

#include "lenses/v8/v8_look.h"

typedef struct answers {
    const ubi_graph *g;
    const ubi_look *look;
    ubi_dominators *dominators;
    uint32_t *distance, *n_retainers;
} answers;

static void print_name(ubi_text name) {
    printf(" x");
    for (size_t i = 0; i < name.len; i++)
        printf("%02x", (uint8_t)name.ptr[i]);
}

static void print_node(const answers *a, ubi_node_ix node) {
    ubi_look_name_buffer buffer;
    ubi_look_class class;
    ubi_node_ix dominator = ubi_dominators_immediate(a->dominators, node);
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " ", ubi_graph_node_id(a->g, node), ubi_look_size_bytes(a->look, node),
           ubi_dominators_retained_bytes(a->dominators, node));
    if (a->distance[node] == UBI_NONE)
        printf("-");
    else
        printf("%" PRIu32, a->distance[node]);
    printf(" %" PRIu32 " %d %" PRIu64 " %" PRIu32, dominator == UBI_NONE ? node : dominator,
           ubi_look_detachedness(a->look, node),
           ubi_graph_first_edge(a->g, node + 1) - ubi_graph_first_edge(a->g, node), a->n_retainers[node]);
    print_name(ubi__text(ubi__v8_type_name(ubi__v8_node_type(a->look, node))));
    ubi_look_class_get(a->look, ubi_look_class_of(a->look, node), &class);
    print_name(class.name);
    print_name(class.place);
    print_name(ubi__v8_node_raw_name(a->look, node));
    print_name(ubi_look_display_name(a->look, node, &buffer));
    printf("\n");
}

static void print_all(const answers *a) {
    const ubi__v8_interfaces *interfaces = &ubi__v8_look_of(a->look)->interfaces;
    uint64_t outside = ubi_look_outside_bytes(a->look);
    printf("total %" PRIu64 "\n", ubi_dominators_retained_bytes(a->dominators, ubi_graph_root(a->g)) + outside);
    printf("largest-id %" PRIu64 "\noutside %" PRIu64 "\n", ubi__v8_largest_js_id(a->g), outside);
    for (size_t i = 0; i < interfaces->rows.n; i++) {
        printf("interface %" PRIu64, interfaces->rows.at[i].count);
        print_name(interfaces->rows.at[i].name);
        printf("\n");
    }
    printf("classes %" PRIu32 "\n", ubi_look_class_count(a->look));
    for (ubi_node_ix node = 0; node < ubi_graph_node_count(a->g); node++)
        print_node(a, node);
}

static ubi_status look_at(const ubi_graph *g, const ubi_look *look) {
    answers a = { g, look, NULL, calloc(ubi_graph_node_count(g), 4), calloc(ubi_graph_node_count(g), 4) };
    ubi_status status = ubi_look_distances(a.distance, look);
    if (status == UBI_OK)
        status = ubi_dominators_new(&a.dominators, ubi_look_view(look), NULL);
    ubi_graph_retainer_counts(a.n_retainers, g);
    if (status == UBI_OK)
        print_all(&a);
    ubi_dominators_free(a.dominators);
    free(a.distance);
    free(a.n_retainers);
    return status;
}

static ubi_status open_file(ubi_graph **graph, ubi_look **look, const char *path, const ubi_look *like) {
    ubi_look_options options = UBI_LOOK_OPTIONS_INIT;
    options.like = like;
    UBI_TRY(ubi_graph_read_path(graph, path, NULL, NULL));
    return ubi_look_open(look, NULL, *graph, &options);
}

int main(int argc, char **argv) {
    ubi_graph *graph = NULL, *like_graph = NULL;
    ubi_look *look = NULL, *like = NULL;
    if (argc < 2)
        return 2;
    ubi_status status = argc > 2 ? open_file(&like_graph, &like, argv[2], NULL) : UBI_OK;
    if (status == UBI_OK)
        status = open_file(&graph, &look, argv[1], like);
    ubi_look_close(like);
    ubi_graph_unref(like_graph);
    if (status == UBI_OK)
        status = look_at(graph, look);
    if (status != UBI_OK)
        fprintf(stderr, "v8_lens_driver: %s\n", ubi_error_message());
    ubi_look_close(look);
    ubi_graph_unref(graph);
    return status == UBI_OK ? 0 : 1;
}
