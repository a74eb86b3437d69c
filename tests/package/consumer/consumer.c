/* SPDX-License-Identifier: MIT
 *
 * consumer.c: a user's program in one page: how many nodes does a snapshot have?
 */
#include <stdio.h>

#include <ubiheap/ubiheap.h>

int main(int argc, char **argv) {
    ubi_graph *graph = NULL;
    if (argc != 2 || ubi_graph_read_path(&graph, argv[1], NULL, NULL) != UBI_OK) {
        fprintf(stderr, "%s\n", ubi_error_message());
        return 1;
    }
    printf("%s %u\n", ubi_version(), ubi_graph_node_count(graph));
    ubi_graph_unref(graph);
    return 0;
}
