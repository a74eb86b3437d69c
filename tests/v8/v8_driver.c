/* SPDX-License-Identifier: MIT
 *
 * v8_driver.c: reads many .heapsnapshot files in one process, for tests of thousands of them.
 *
 *     v8_driver [--variants] [--plain | --plain-unless-repeated] BATCH
 *
 * BATCH is a sequence of cases: a length (4 bytes, little-endian), then that many bytes. Each case is read from memory with one
 * thread and gives one line:
 *
 *     status nodes edges reachable note|message
 *
 * --variants reads each case again on two threads and through short reads; all must say the same.
 * --plain compares with the plain reader (plain_v8.h): verdict, and all of the graph.
 * --plain-unless-repeated does so for files without repeated ids, which the plain reader refuses.
 * A graph that is handed out is checked.
 *
 * Exit: 0 when every case was tried; 1 when something differed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ubiheap/core/formats.h>
#include <ubiheap/core/graph.h>

#include "plain_v8.h"
#include "v8_equal.h"

typedef struct input {
    const uint8_t *bytes;
    size_t size, at, piece;
} input;

typedef struct result {
    ubi_status status;
    ubi_graph *graph;
    ubi_read_info info;
    char message[512];
} result;

static size_t case_number;
static bool failed;

static void complain(const char *what, const char *detail) {
    fprintf(stderr, "case %zu: %s: %s\n", case_number, what, detail);
    failed = true;
}

/* Pieces of 1 to `piece` bytes. */
static ptrdiff_t feed(void *payload, void *buffer, size_t size) {
    input *in = payload;
    size_t n = in->at < in->size ? 1 + in->bytes[in->at] % in->piece : 0;
    n = n < in->size - in->at ? n : in->size - in->at;
    n = n < size ? n : size;
    memcpy(buffer, in->bytes + in->at, n);
    in->at += n;
    return (ptrdiff_t)n;
}

static result finish(ubi_status status, ubi_graph *g, const ubi_read_info *info) {
    result r = { status, g, *info, "" };
    if (status != UBI_OK)
        snprintf(r.message, sizeof r.message, "%s", ubi_error_message());
    else if (ubi_graph_check(g) != UBI_OK)
        complain("the graph is broken", ubi_error_message());
    return r;
}

static result read_memory(const uint8_t *bytes, size_t size, unsigned threads) {
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    ubi_read_info info = UBI_READ_INFO_INIT;
    ubi_graph *g = NULL;
    options.threads = threads;
    ubi_status status = ubi_graph_read_memory(&g, bytes, size, &options, &info);
    return finish(status, g, &info);
}

static result read_pieces(const uint8_t *bytes, size_t size, size_t piece) {
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    ubi_read_info info = UBI_READ_INFO_INIT;
    ubi_graph *g = NULL;
    input in = { bytes, size, 0, piece };
    options.threads = 1;
    ubi_status status = ubi_graph_read_callback(&g, feed, &in, &options, &info);
    return finish(status, g, &info);
}

static void compare(const result *a, result b, const char *how) {
    if (a->status != b.status || strcmp(a->message, b.message) != 0) {
        char text[1200];
        snprintf(text, sizeof text, "\"%s\" and \"%s\"", a->message, b.message);
        complain(how, text);
    } else if (a->status == UBI_OK) {
        const char *why = v8_graphs_differ(a->graph, b.graph);
        if (why)
            complain(how, why);
    }
    ubi_graph_unref(b.graph);
}

static void compare_plain(const result *a, const uint8_t *bytes, size_t size) {
    ubi_graph *g = NULL;
    ubi_status status = plain_v8_read(&g, bytes, size);
    char text[1200];
    if (status != a->status) {
        snprintf(text, sizeof text, "\"%s\", plainly \"%s\"", a->message, status ? ubi_error_message() : "");
        complain("the plain reader thinks otherwise", text);
    } else if (status == UBI_OK) {
        const char *why = v8_graphs_differ(a->graph, g);
        if (why)
            complain("the plain reader's graph differs", why);
    }
    ubi_graph_unref(g);
}

typedef enum plainly { NEVER, ALWAYS, UNLESS_REPEATED } plainly;

static void run_case(const uint8_t *bytes, size_t size, bool variants, plainly plain) {
    result r = read_memory(bytes, size, 1);
    if (variants) {
        compare(&r, read_memory(bytes, size, 2), "two threads");
        compare(&r, read_pieces(bytes, size, 1), "one byte at a time");
        compare(&r, read_pieces(bytes, size, 97), "short reads");
    }
    if (plain == ALWAYS || (plain == UNLESS_REPEATED && !r.info.note[0]))
        compare_plain(&r, bytes, size);
    if (r.status == UBI_OK)
        printf("0 %u %llu %u %s\n", ubi_graph_node_count(r.graph), (unsigned long long)ubi_graph_edge_count(r.graph),
               ubi_graph_reachable_count(r.graph), r.info.note);
    else
        printf("%d 0 0 0 %s\n", (int)r.status, r.message);
    ubi_graph_unref(r.graph);
}

int main(int argc, char **argv) {
    bool variants = false;
    plainly plain = NEVER;
    const char *path = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--variants") == 0)
            variants = true;
        else if (strcmp(argv[i], "--plain") == 0)
            plain = ALWAYS;
        else if (strcmp(argv[i], "--plain-unless-repeated") == 0)
            plain = UNLESS_REPEATED;
        else
            path = argv[i];
    }
    FILE *file = path ? fopen(path, "rb") : NULL;
    uint8_t head[4];
    if (!file)
        return 2;
    for (; fread(head, 1, 4, file) == 4; case_number++) {
        size_t size = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
        uint8_t *bytes = malloc(size ? size : 1); /* of this very size, so that a sanitizer sees reads behind it */
        if (!bytes || fread(bytes, 1, size, file) != size)
            return 2;
        run_case(bytes, size, variants, plain);
        free(bytes);
    }
    fclose(file);
    return failed;
}
