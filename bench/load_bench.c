/* SPDX-License-Identifier: MIT
 *
 * load_bench.c: how long it takes to load snapshot files, and how much memory.
 *
 * Every file is measured by several rows: loading with each number of threads, and as references, of compressed files
 * inflating alone (with the library's fast engine and with zlib), of .heapsnapshot files the plainest pass over their
 * digits (digit_pass.h). The rows take turns, so that a ratio of two rows sees the same
 * state of the machine. The first turn is a warm-up and is not reported. Before each load, as much memory as the one before
 * needed is touched and freed: a virtual machine that gives idle memory back would else measure its host. One JSON object
 * per run goes to standard output; bench/report.py makes tables of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ubiheap/core/formats.h>

#include "base/inflate.h"
#include "bench_program.h"
#include "digit_pass.h"

#define BUFFER_BYTES (256 * 1024)

static const char usage[] =
    "usage: load_bench [--repeats N] [--seconds N] [--threads N,N,...] FILE...\n"
    "\n"
    "Measures loading each FILE, and inflating it or passing over it: at most N repeats (default 7) of all rows, and "
    "no new one after N seconds\n"
    "(default 20) but at least 3. Default threads: 1,2. Prints one JSON object per run.\n";

/** What the command line asks for. */
static struct {
    double seconds;
    unsigned threads[8];
    unsigned n_threads;
} wanted = { .seconds = 20, .threads = { 1, 2 }, .n_threads = 2 };

/** What one run took. Memory is 0 when the system does not say. */
typedef struct sample {
    uint64_t wall_ns, cpu_ns;
    uint64_t peak_rss_bytes; /* above what was in use before */
    uint64_t inflated_bytes;
    uint64_t n_numbers; /* of a pass over digits */
    uint64_t n_nodes, n_edges;
    ubi_graph_memory memory;
} sample;

/* ---- measuring --------------------------------------------------------------------------------------------------- */

typedef struct stopwatch {
    uint64_t wall_ns, cpu_ns, rss_bytes;
    bool has_peak;
} stopwatch;

static stopwatch start(void) {
    bool has_peak = ubi__peak_rss_reset();
    uint64_t rss_bytes = ubi__status_bytes("VmRSS:");
    return (
        stopwatch){ .rss_bytes = rss_bytes, .has_peak = has_peak, .cpu_ns = ubi__cpu_ns(), .wall_ns = ubi__wall_ns() };
}

static void stop(const stopwatch *w, sample *out) {
    out->wall_ns = ubi__wall_ns() - w->wall_ns;
    out->cpu_ns = ubi__cpu_ns() - w->cpu_ns;
    uint64_t peak = ubi__status_bytes("VmHWM:");
    out->peak_rss_bytes = w->has_peak && peak > w->rss_bytes ? peak - w->rss_bytes : 0;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

typedef enum row_kind { ROW_INFLATE, ROW_INFLATE_ZLIB, ROW_DIGITS, ROW_LOAD } row_kind;

static const char *const row_names[] = { "inflate", "inflateZlib", "digits", "load" };

/** What a file is measured beside. */
static bool row_applies[ROW_LOAD + 1];

static void choose_rows(const ubi_read_info *info) {
    row_applies[ROW_INFLATE] = row_applies[ROW_INFLATE_ZLIB] = strcmp(info->compression, "none") != 0;
    row_applies[ROW_DIGITS] = strcmp(info->format, "heapsnapshot") == 0;
    row_applies[ROW_LOAD] = true;
}

/* Passes over the digits, too, if `pass` is not NULL. */
static ubi_status inflate_all(ubi__source *source, bool with_zlib, ubi__digit_pass *pass, uint64_t *n_bytes) {
    static uint8_t buffer[BUFFER_BYTES];
    ubi__inflater *inflater;
    UBI_TRY(ubi__inflater_new(&inflater, source, with_zlib, ubi_allocator_default()));
    ubi_status status;
    size_t n = 0;
    *n_bytes = 0;
    do {
        status = ubi__inflater_fill(inflater, buffer, sizeof buffer, &n);
        *n_bytes += n;
        if (pass)
            ubi__digit_pass_feed(pass, buffer, n);
    } while (status == UBI_OK && n);
    ubi__inflater_free(inflater);
    return status;
}

static ubi_status run_inflate(sample *out, const char *path, row_kind kind) {
    ubi__digit_pass pass = { 0 };
    ubi__source source;
    stopwatch w = start();
    UBI_TRY(ubi__source_open_path(&source, path, ubi_allocator_default()));
    ubi_status status =
        inflate_all(&source, kind == ROW_INFLATE_ZLIB, kind == ROW_DIGITS ? &pass : NULL, &out->inflated_bytes);
    ubi__digit_pass_end(&pass);
    out->n_numbers = pass.n_numbers;
    ubi__source_close(&source);
    stop(&w, out);
    return status;
}

/** Peak of the last load, in bytes. */
static uint64_t last_peak_bytes;

static ubi_status run_load(sample *out, const char *path, unsigned threads) {
    ubi_read_options o = UBI_READ_OPTIONS_INIT;
    ubi_read_info info = UBI_READ_INFO_INIT;
    ubi_graph *graph;
    o.threads = threads;
    ubi__touch_memory(last_peak_bytes + last_peak_bytes / 8);
    stopwatch w = start();
    UBI_TRY(ubi_graph_read_path(&graph, path, &o, &info));
    stop(&w, out);
    last_peak_bytes = out->peak_rss_bytes;
    choose_rows(&info);
    out->inflated_bytes = info.inflated_bytes;
    out->n_nodes = ubi_graph_node_count(graph);
    out->n_edges = ubi_graph_edge_count(graph);
    out->memory = (ubi_graph_memory)UBI_GRAPH_MEMORY_INIT;
    ubi_graph_memory_use(graph, &out->memory);
    ubi_graph_unref(graph);
    return UBI_OK;
}

static ubi_status run_row(sample *out, const char *path, row_kind kind, unsigned threads) {
    memset(out, 0, sizeof *out);
    return kind == ROW_LOAD ? run_load(out, path, threads) : run_inflate(out, path, kind);
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

static void put_graph(const sample *s) {
    ubi__row_graph(s->n_nodes, s->n_edges);
    ubi__row_u64("nodesBytes", s->memory.nodes_bytes);
    ubi__row_u64("edgesBytes", s->memory.edges_bytes);
    ubi__row_u64("indexBytes", s->memory.index_bytes);
    ubi__row_u64("stringsBytes", s->memory.strings_bytes);
    ubi__row_u64("stacksBytes", s->memory.stacks_bytes);
}

static ubi_status print_sample(const char *path, row_kind kind, unsigned threads, const sample *s) {
    ubi__row_begin(path, row_names[kind], threads, s->wall_ns);
    ubi__row_u64("cpuNs", s->cpu_ns);
    ubi__row_u64("inflatedBytes", s->inflated_bytes);
    if (s->peak_rss_bytes)
        ubi__row_u64("peakRssBytes", s->peak_rss_bytes);
    if (kind == ROW_DIGITS)
        ubi__row_u64("numbers", s->n_numbers);
    if (kind == ROW_LOAD)
        put_graph(s);
    return ubi__row_end();
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

/** One turn of all rows. */
static ubi_status measure_once(const char *path, bool report) {
    for (unsigned i = 0; i < ROW_LOAD + wanted.n_threads; i++) {
        row_kind kind = i < ROW_LOAD ? (row_kind)i : ROW_LOAD;
        unsigned threads = i < ROW_LOAD ? 1 : wanted.threads[i - ROW_LOAD];
        sample s;
        if (!row_applies[kind])
            continue;
        UBI_TRY(run_row(&s, path, kind, threads));
        if (report)
            UBI_TRY(print_sample(path, kind, threads, &s));
    }
    return UBI_OK;
}

static ubi_status measure(const char *path, unsigned repeats) {
    sample s;
    UBI_TRY(run_row(&s, path, ROW_LOAD, 1)); /* says what the file is */
    UBI_TRY(measure_once(path, false));
    uint64_t end_ns = ubi__wall_ns() + (uint64_t)(wanted.seconds * 1e9);
    for (unsigned i = 0; i < repeats && (i < 3 || ubi__wall_ns() < end_ns); i++)
        UBI_TRY(measure_once(path, true));
    return UBI_OK;
}

static bool parse_threads(char *list) {
    wanted.n_threads = 0;
    for (char *save, *item = strtok_r(list, ",", &save); item; item = strtok_r(NULL, ",", &save)) {
        if (wanted.n_threads == sizeof wanted.threads / sizeof *wanted.threads || atoi(item) < 1)
            return false;
        wanted.threads[wanted.n_threads++] = (unsigned)atoi(item);
    }
    return wanted.n_threads > 0;
}

static bool set_option(int option, char *value) {
    if (option == 't')
        return parse_threads(value);
    return (wanted.seconds = atof(value)) >= 0;
}

int main(int argc, char **argv) {
    static const struct option options[] = {
        { "seconds", 1, NULL, 's' },
        { "threads", 1, NULL, 't' },
        UBI__BENCH_OPTIONS,
    };
    static const ubi__bench bench = {
        .name = "load_bench",
        .usage = usage,
        .repeats = 7,
        .options = options,
        .set_option = set_option,
        .measure = measure,
    };
    return ubi__bench_main(&bench, argc, argv);
}
