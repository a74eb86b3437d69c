/* SPDX-License-Identifier: MIT
 *
 * save_driver [--walk] [--small|--plain] IN OUT: reads a snapshot and saves it, as a graph or by walking it as a heap, which
 * keeps the time of the graph. For the tests of this folder; people use `ubiheap convert`.
 */
#include <stdio.h>
#include <string.h>

#include <ubiheap/core/formats.h>

static int fail(const char *what) {
    fprintf(stderr, "save_driver: %s: %s\n", what, ubi_error_message());
    return 1;
}

int main(int argc, char **argv) {
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    bool walk = false;
    ubi_graph *g;
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        walk = walk || strcmp(argv[i], "--walk") == 0;
        if (strcmp(argv[i], "--small") == 0)
            options.compression = UBI_COMPRESSION_SMALL;
        if (strcmp(argv[i], "--plain") == 0)
            options.compression = UBI_COMPRESSION_NONE;
    }
    if (argc - i != 2)
        return 2;
    if (ubi_graph_read_path(&g, argv[i], NULL, NULL) != UBI_OK)
        return fail(argv[i]);
    options.has_time = ubi_graph_creation_time_us(g, &options.time_us);
    ubi_status status = walk ? ubi_save_path(ubi_graph_as_node(g, ubi_graph_root(g)), argv[i + 1], &options, NULL)
                             : ubi_graph_save_path(g, argv[i + 1], &options, NULL);
    ubi_graph_unref(g);
    return status == UBI_OK ? 0 : fail(argv[i + 1]);
}
