/* SPDX-License-Identifier: MIT
 *
 * Whatever the reader of .heapsnapshot files accepts, written and read again. Promises checked:
 *
 *   - a graph that was read can be written, and reading that gives an equal graph with equal facts
 *   - writing is a function: what was written, read and written again, is the same to the byte
 *   - it can be written as an fxsnapshot file too, and that can be read
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ubiheap/core/formats.h>

#include "graph_equal.h"
#include "saving.h"
#include "v8_equal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what) {
    if (condition)
        return;
    fprintf(stderr, "v8_roundtrip_fuzz: %s: %s\n", what, ubi_error_message());
    abort();
}

static ubi_graph *read_plain(const void *data, size_t size, const char **format) {
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    ubi_read_info info = UBI_READ_INFO_INIT;
    ubi_graph *g = NULL;
    options.threads = 1;
    if (ubi_graph_read_memory(&g, data, size, &options, &info) != UBI_OK)
        return NULL;
    *format = info.format;
    return g;
}

static void check_again(const ubi_graph *g) {
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    const char *format;
    options.threads = 1;
    options.compression = UBI_COMPRESSION_NONE;
    options.format = "heapsnapshot";
    bytes first = saved_graph(g, &options, NULL);
    ubi_graph *again = read_plain(first.at, first.n, &format);
    require(again != NULL, "what was written cannot be read");
    require(ubi_graph_check(again) == UBI_OK, "what was written gives a broken graph");
    assert_graphs_equal(g, again);
    const char *why = v8_facts_differ(g, again);
    require(why == NULL, why ? why : "");
    bytes second = saved_graph(again, &options, NULL);
    require(second.n == first.n && memcmp(second.at, first.at, first.n) == 0, "written twice, it differs");
    bytes_free(&first);
    bytes_free(&second);
    ubi_graph_unref(again);
}

/* Ids that no double holds are refused there; all else is taken. */
static void check_fxsnapshot(const ubi_graph *g) {
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    const char *format;
    bytes file = { NULL, 0, 0 };
    options.threads = 1;
    options.compression = UBI_COMPRESSION_NONE;
    ubi_status status = ubi_graph_save_callback(g, write_to_bytes, &file, &options, NULL);
    require(status == UBI_OK || status == UBI_EINVAL, "it cannot be saved as fxsnapshot");
    ubi_graph *again = status == UBI_OK ? read_plain(file.at, file.n, &format) : NULL;
    if (status == UBI_OK) {
        require(again != NULL, "the fxsnapshot cannot be read");
        require(ubi_graph_edge_count(again) == ubi_graph_edge_count(g), "the fxsnapshot lost edges");
    }
    ubi_graph_unref(again);
    bytes_free(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *format;
    ubi_graph *g = read_plain(data, size, &format);
    if (!g)
        return 0;
    if (strcmp(format, "heapsnapshot") == 0) {
        check_again(g);
        check_fxsnapshot(g);
    }
    ubi_graph_unref(g);
    return 0;
}
