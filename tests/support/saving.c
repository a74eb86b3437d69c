/* SPDX-License-Identifier: MIT
 *
 * saving.c: saving to memory and reading again (saving.h).
 */
#define _GNU_SOURCE
#include "saving.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void must(ubi_status status, const char *what) {
    if (status == UBI_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, ubi_error_message());
    abort();
}

bool write_to_bytes(void *payload, const void *data, size_t n) {
    bytes_add(payload, data, n);
    return true;
}

bytes saved_graph(const ubi_graph *graph, const ubi_save_options *options, ubi_save_info *info) {
    bytes file = { NULL, 0, 0 };
    must(ubi_graph_save_callback(graph, write_to_bytes, &file, options, info), "saving a graph");
    return file;
}

bytes saved_walk(ubi_node root, const ubi_save_options *options, ubi_save_info *info) {
    bytes file = { NULL, 0, 0 };
    must(ubi_save_callback(root, write_to_bytes, &file, options, info), "saving a walk");
    return file;
}

ubi_graph *graph_of_bytes(const bytes *file) {
    ubi_graph *graph;
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    ubi_read_info info = UBI_READ_INFO_INIT;
    options.compat = UBI_COMPAT_FIREFOX;
    options.threads = 1;
    must(ubi_graph_read_memory(&graph, file->at, file->n, &options, &info), "reading what was saved");
    must(ubi_graph_check(graph), "checking what was saved");
    if (info.has_ended_early) {
        fprintf(stderr, "what was saved ends early: %s\n", info.end_note);
        abort();
    }
    return graph;
}

ubi_graph *graph_round_trip(const ubi_graph *graph, const ubi_save_options *options) {
    bytes file = saved_graph(graph, options, NULL);
    ubi_graph *again = graph_of_bytes(&file);
    bytes_free(&file);
    return again;
}

ubi_graph *walk_round_trip(ubi_node root, const ubi_save_options *options) {
    bytes file = saved_walk(root, options, NULL);
    ubi_graph *again = graph_of_bytes(&file);
    bytes_free(&file);
    return again;
}

/* ---- directories -------------------------------------------------------------------------------------------------- */

char *new_directory(void) {
    const char *parent = getenv("TMPDIR");
    char *path;
    if (asprintf(&path, "%s/ubiheap-test-XXXXXX", parent && *parent ? parent : "/tmp") < 0 || !mkdtemp(path))
        abort();
    return path;
}

static bool is_dots(const char *name) {
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

size_t count_files(const char *directory) {
    size_t n = 0;
    DIR *d = opendir(directory);
    for (struct dirent *entry; d && (entry = readdir(d));)
        n += !is_dots(entry->d_name);
    if (d)
        closedir(d);
    return n;
}

void remove_directory(char *path) {
    DIR *d = opendir(path);
    for (struct dirent *entry; d && (entry = readdir(d));)
        if (!is_dots(entry->d_name))
            unlinkat(dirfd(d), entry->d_name, 0);
    if (d)
        closedir(d);
    rmdir(path);
    free(path);
}
