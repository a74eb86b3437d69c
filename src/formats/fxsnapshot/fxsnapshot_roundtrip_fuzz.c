/* SPDX-License-Identifier: MIT
 *
 * Whatever the fxsnapshot reader accepts, written and read again. Promises checked (docs/formats/fxsnapshot.md):
 *
 *   - a graph that was read can be written, and reading that gives an equal graph
 *   - Firefox's rules accept what is written whenever they accepted what was read
 *   - writing is a function: what was written, read and written again, is the same to the byte
 *   - a walk of the graph as a heap writes what is reachable
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ubiheap/core/formats.h>

#include "graph_equal.h"
#include "saving.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what) {
    if (condition)
        return;
    fprintf(stderr, "fxsnapshot_roundtrip_fuzz: %s: %s\n", what, ubi_error_message());
    abort();
}

static ubi_graph *read_as(const void *data, size_t size, ubi_compat compat) {
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    ubi_graph *g = NULL;
    options.threads = 1;
    options.compat = compat;
    return ubi_graph_read_memory(&g, data, size, &options, NULL) == UBI_OK ? g : NULL;
}

static ubi_save_options options_of(ubi_compression compression) {
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    options.threads = 1;
    options.compression = compression;
    return options;
}

static void check_again(const ubi_graph *g) {
    ubi_save_options plain = options_of(UBI_COMPRESSION_NONE);
    bytes first = saved_graph(g, &plain, NULL);
    ubi_graph *again = read_as(first.at, first.n, UBI_COMPAT_NONE);
    require(again != NULL, "what was written cannot be read");
    require(ubi_graph_check(again) == UBI_OK, "what was written gives a broken graph");
    assert_graphs_equal(g, again);
    bytes second = saved_graph(again, &plain, NULL);
    require(second.n == first.n && memcmp(second.at, first.at, first.n) == 0, "written twice, it differs");
    bytes_free(&first);
    bytes_free(&second);
    ubi_graph_unref(again);
}

static void check_walk(const ubi_graph *g) {
    ubi_save_options plain = options_of(UBI_COMPRESSION_NONE);
    bytes walked = saved_walk(ubi_graph_as_node(g, ubi_graph_root(g)), &plain, NULL);
    ubi_graph *reachable = read_as(walked.at, walked.n, UBI_COMPAT_NONE);
    require(reachable != NULL, "a walk that was written cannot be read");
    require(ubi_graph_node_count(reachable) == ubi_graph_reachable_count(g), "a walk lost nodes");
    require(ubi_graph_reachable_count(reachable) == ubi_graph_reachable_count(g), "a walk lost edges");
    bytes_free(&walked);
    ubi_graph_unref(reachable);
}

static void check_for_firefox(const void *data, size_t size) {
    ubi_save_options gzip = options_of(UBI_COMPRESSION_DEFAULT);
    ubi_graph *g = read_as(data, size, UBI_COMPAT_FIREFOX);
    if (!g)
        return;
    bytes file = saved_graph(g, &gzip, NULL);
    ubi_graph *again = read_as(file.at, file.n, UBI_COMPAT_FIREFOX);
    require(again != NULL, "Firefox's rules refuse what was written");
    assert_graphs_equal(g, again);
    bytes_free(&file);
    ubi_graph_unref(again);
    ubi_graph_unref(g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ubi_graph *g = read_as(data, size, UBI_COMPAT_NONE);
    if (!g)
        return 0;
    check_again(g);
    check_walk(g);
    check_for_firefox(data, size);
    ubi_graph_unref(g);
    return 0;
}
