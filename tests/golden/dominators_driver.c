/* SPDX-License-Identifier: MIT
 *
 * dominators_driver.c: dominators of a snapshot as lines of text, for dominators_golden_test.py.
 *
 *     dominators_driver FILE [ID...]
 *
 * For each node, in file order: id, immediate dominator ("-": none), retained size, shallow size, number of nodes that it
 * dominates immediately, and the first 100 of these, greatest retained size first. Then for each ID "ID found" or
 * "ID not found".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <ubiheap/core/dominators.h>
#include <ubiheap/core/formats.h>

#define MOST_CHILDREN 100

static ubi_status print_node(const ubi_dominators *d, const ubi_graph *g, ubi_node_ix node) {
    ubi_node_ix children[MOST_CHILDREN], dominator = ubi_dominators_immediate(d, node);
    uint32_t n_children, n_stored;
    ubi_dominators_dominated(d, node, &n_children);
    ubi_status status = ubi_dominators_largest(children, &n_stored, d, node, MOST_CHILDREN);
    if (status != UBI_OK)
        return status;
    printf("%" PRIu64 " ", ubi_graph_node_id(g, node));
    if (dominator == UBI_NONE)
        putchar('-');
    else
        printf("%" PRIu64, ubi_graph_node_id(g, dominator));
    printf(" %" PRIu64 " %" PRIu64 " %u", ubi_dominators_retained_bytes(d, node), ubi_graph_node_size_bytes(g, node),
           n_children);
    for (uint32_t i = 0; i < n_stored; i++)
        printf(" %" PRIu64, ubi_graph_node_id(g, children[i]));
    putchar('\n');
    return UBI_OK;
}

static ubi_status print_all(const ubi_graph *g) {
    ubi_view view = ubi_view_of(g);
    ubi_dominators *d;
    ubi_status status = ubi_dominators_new(&d, &view, NULL);
    if (status != UBI_OK)
        return status;
    for (ubi_node_ix node = 0; node < ubi_graph_node_count(g) && status == UBI_OK; node++)
        status = print_node(d, g, node);
    ubi_dominators_free(d);
    return status;
}

int main(int argc, char **argv) {
    ubi_graph *g;
    if (argc < 2 || ubi_graph_read_path(&g, argv[1], NULL, NULL) != UBI_OK) {
        fprintf(stderr, "dominators_driver: %s\n", argc < 2 ? "which file?" : ubi_error_message());
        return 2;
    }
    ubi_status status = print_all(g);
    if (status != UBI_OK)
        fprintf(stderr, "dominators_driver: %s\n", ubi_error_message());
    for (int i = 2; i < argc; i++) {
        ubi_node_ix node;
        bool found = ubi_graph_find(&node, g, strtoull(argv[i], NULL, 10)) == UBI_OK;
        printf("%s %s\n", argv[i], found ? "found" : "not found");
    }
    ubi_graph_unref(g);
    return status == UBI_OK ? 0 : 1;
}
