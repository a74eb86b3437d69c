/* SPDX-License-Identifier: MIT
 *
 * bench_program.c: see bench_program.h.
 */
#include "bench_program.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <ubiheap/core/formats.h>

#include "base/json_writer.h"
#include "base/status.h"

/* ---- the program ------------------------------------------------------------------------------------------------- */

static int print_usage(const ubi__bench *bench, bool wanted) {
    fputs(bench->usage, wanted ? stdout : stderr);
    return wanted ? 0 : 2;
}

static bool take_option(const ubi__bench *bench, unsigned *repeats, int option) {
    if (option == '?')
        return false;
    if (option != 'r')
        return bench->set_option(option, optarg);
    int n = atoi(optarg);
    *repeats = (unsigned)n;
    return n > 0;
}

static ubi_status measure(const ubi__bench *bench, const char *path, unsigned repeats) {
    return bench->measure ? bench->measure(path, repeats) : ubi__bench_load(path, repeats, bench->measure_graph);
}

int ubi__bench_main(const ubi__bench *bench, int argc, char **argv) {
    unsigned repeats = bench->repeats;
    for (int c; (c = getopt_long(argc, argv, "h", bench->options, NULL)) != -1;)
        if (c == 'h' || !take_option(bench, &repeats, c))
            return print_usage(bench, c == 'h');
    if (optind == argc)
        return print_usage(bench, false);
    for (int i = optind; i < argc; i++)
        if (measure(bench, argv[i], repeats) != UBI_OK) {
            fprintf(stderr, "%s: %s: %s\n", bench->name, argv[i], ubi_error_message());
            return 3;
        }
    return 0;
}

ubi_status ubi__bench_load(const char *path, unsigned repeats, ubi__measure_graph *measure_graph) {
    ubi_graph *graph;
    UBI_TRY(ubi_graph_read_path(&graph, path, NULL, NULL));
    ubi_status status = measure_graph(path, graph, repeats);
    ubi_graph_unref(graph);
    return status;
}

/* ---- clocks ------------------------------------------------------------------------------------------------------ */

static uint64_t clock_ns(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t ubi__wall_ns(void) {
    return clock_ns(CLOCK_MONOTONIC);
}

uint64_t ubi__cpu_ns(void) {
    return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

void ubi__touch_memory(uint64_t n_bytes) {
    if (n_bytes == 0)
        return;
    void *p = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return;
    (void)madvise(p, n_bytes, MADV_HUGEPAGE);
    memset(p, 1, n_bytes);
    munmap(p, n_bytes);
}

uint64_t ubi__peak_rss_bytes(void) {
    struct rusage use;
    return getrusage(RUSAGE_SELF, &use) == 0 ? (uint64_t)use.ru_maxrss * 1024 : 0;
}

uint64_t ubi__status_bytes(const char *key) {
    char line[256];
    uint64_t kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, key, strlen(key)) == 0)
            kib = strtoull(line + strlen(key), NULL, 10);
    if (f)
        fclose(f);
    return kib * 1024;
}

bool ubi__peak_rss_reset(void) {
    int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    bool done = fd >= 0 && write(fd, "5", 1) == 1;
    if (fd >= 0)
        close(fd);
    return done;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static ubi__json json; /* of the row that is being written */

static bool write_stdout(void *payload, const void *data, size_t n) {
    (void)payload;
    return fwrite(data, 1, n, stdout) == n;
}

static void put_text(const char *key, const char *value) {
    ubi__json_key(&json, key);
    ubi__json_string(&json, value);
}

void ubi__row_begin(const char *path, const char *row, unsigned threads, uint64_t wall_ns) {
    const char *slash = strrchr(path, '/');
    ubi__json_init(&json, write_stdout, NULL, false);
    ubi__json_object_begin(&json);
    put_text("file", slash ? slash + 1 : path);
    put_text("row", row);
    ubi__row_u64("threads", threads);
    ubi__row_u64("wallNs", wall_ns);
}

void ubi__row_u64(const char *key, uint64_t value) {
    ubi__json_key(&json, key);
    ubi__json_u64(&json, value);
}

void ubi__row_double(const char *key, double value) {
    ubi__json_key(&json, key);
    ubi__json_double(&json, value);
}

void ubi__row_graph(uint64_t n_nodes, uint64_t n_edges) {
    ubi__row_u64("nodes", n_nodes);
    ubi__row_u64("edges", n_edges);
}

ubi_status ubi__row_end(void) {
    ubi__json_object_end(&json);
    UBI_TRY(ubi__json_flush(&json));
    return putchar('\n') == '\n' && fflush(stdout) == 0 ? UBI_OK : ubi__fail(UBI_EIO, "cannot write");
}
