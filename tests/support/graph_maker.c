/* SPDX-License-Identifier: MIT
 *
 * graph_maker.c: see graph_maker.h.
 */
#include "graph_maker.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"

static void must(ubi_status status) {
    if (status == UBI_OK)
        return;
    fprintf(stderr, "graph_maker: %s\n", ubi_error_message());
    abort();
}

graph_maker graph_maker_start(void) {
    graph_maker m;
    must(ubi_graph_builder_new(&m.builder, NULL));
    must(ubi_graph_builder_string(m.builder, &m.type, ubi__text("T")));
    return m;
}

void graph_maker_type(graph_maker *m, const char *name) {
    must(ubi_graph_builder_string(m->builder, &m->type, ubi__text(name)));
}

void graph_maker_node(graph_maker *m, uint64_t id, uint64_t size_bytes) {
    ubi_node_desc node = { id,
                           size_bytes,
                           { .type_name = m->type,
                             .class_name = UBI_NONE,
                             .script_filename = UBI_NONE,
                             .descriptive_name = UBI_NONE,
                             .coarse_type = UBI_COARSE_OTHER },
                           UBI_NONE };
    must(ubi_graph_builder_node(m->builder, &node));
}

void graph_maker_edge(graph_maker *m, uint64_t target_id) {
    must(ubi_graph_builder_edge(m->builder, target_id, UBI_NONE));
}

ubi_graph *graph_maker_finish(graph_maker *m) {
    ubi_graph *g;
    must(ubi_graph_builder_finish(&g, m->builder));
    ubi_graph_builder_free(m->builder);
    return g;
}
