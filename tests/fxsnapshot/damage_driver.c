/* SPDX-License-Identifier: MIT
 *
 * damage_driver.c: reads many snapshots in one process, for tests of thousands of damaged files.
 *
 *     damage_driver [--compat firefox] [--variants] [--dump] BATCH
 *
 * BATCH is a sequence of cases: a length (4 bytes, little-endian), then that many bytes. Each case is read from memory
 * with one thread and gives one line:
 *
 *     status nodes edges size crc32 message
 *
 * status: ubi_status as a number. size: sum of all node sizes modulo 2^64. crc32: of what dump_graph() writes.
 * --variants reads each case again through short reads and on two threads; all must give the same line.
 * --dump writes the dump itself behind each line.
 *
 * Exit: 0 when every case was tried; 1 when a variant differed or an accepted graph is inconsistent.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include <ubiheap/core/formats.h>
#include <ubiheap/core/graph.h>

typedef struct driver {
    ubi_compat compat;
    bool variants;
    bool dump;
    bool failed;
    size_t case_number;
} driver;

typedef struct outcome {
    ubi_status status;
    uint32_t n_nodes;
    uint64_t n_edges;
    uint64_t size_bytes;
    uint32_t crc;
    char message[512];
} outcome;

/* ---- dump -------------------------------------------------------------------------------------------------------- */

typedef struct dump_sink {
    uint32_t crc;
    FILE *out; /* NULL: checksum only */
} dump_sink;

static void sink_bytes(dump_sink *sink, const void *bytes, size_t n) {
    sink->crc = (uint32_t)crc32_z(sink->crc, bytes, n);
    if (sink->out)
        fwrite(bytes, 1, n, sink->out);
}

static void UBI_PRINTF(2, 3) sink_print(dump_sink *sink, const char *format, ...) {
    char line[256];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    sink_bytes(sink, line, (size_t)n);
}

/** "-" for no text, "=" and the text for some; then `end`. */
static void sink_text(dump_sink *sink, ubi_text text, char end) {
    sink_bytes(sink, text.ptr ? "=" : "-", 1);
    if (text.ptr)
        sink_bytes(sink, text.ptr, text.len);
    sink_bytes(sink, &end, 1);
}

static void dump_stack(dump_sink *sink, const ubi_graph *g, ubi_frame_ix ix) {
    for (; ix != UBI_NONE; ix = ubi_graph_frame_parent(g, ix)) {
        ubi_frame f;
        ubi_graph_frame(g, ix, &f);
        sink_print(sink, "frame %" PRIu64 " %" PRIu32 " %" PRIu32 " %d %d ", f.id, f.line, f.column, f.is_system,
                   f.is_self_hosted);
        sink_text(sink, f.source, '\0');
        sink_text(sink, f.function_name, '\n');
    }
}

static void dump_node(dump_sink *sink, const ubi_graph *g, ubi_node_ix n) {
    const ubi_kind *kind = ubi_graph_kind(g, ubi_graph_node_kind(g, n));
    sink_print(sink, "node %" PRIu64 " %d %" PRIu64 " ", ubi_graph_node_id(g, n), (int)kind->coarse_type,
               ubi_graph_node_size_bytes(g, n));
    sink_text(sink, ubi_graph_string(g, kind->type_name), '\0');
    sink_text(sink, ubi_graph_string(g, kind->class_name), '\0');
    sink_text(sink, ubi_graph_string(g, kind->script_filename), '\0');
    sink_text(sink, ubi_graph_string(g, kind->descriptive_name), '\n');
    for (ubi_edge_ix e = ubi_graph_first_edge(g, n), end = ubi_graph_first_edge(g, n + 1); e < end; e++) {
        sink_print(sink, "edge %" PRIu32 " ", ubi_graph_edge_target(g, e));
        sink_text(sink, ubi_graph_string(g, ubi_graph_edge_name(g, e)), '\n');
    }
    dump_stack(sink, g, ubi_graph_node_stack(g, n));
}

/** Everything a graph holds, in the words of reference_reader.py's canonical_dump(). Returns the checksum. */
static uint32_t dump_graph(const ubi_graph *g, FILE *out) {
    dump_sink sink = { (uint32_t)crc32_z(0, NULL, 0), out };
    uint64_t time_us;
    if (ubi_graph_creation_time_us(g, &time_us))
        sink_print(&sink, "time %" PRIu64 "\n", time_us);
    else
        sink_print(&sink, "time -\n");
    for (ubi_node_ix n = 0; n < ubi_graph_node_count(g); n++)
        dump_node(&sink, g, n);
    return sink.crc;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

typedef struct short_reader {
    const uint8_t *at;
    size_t left;
    size_t step; /* bytes per call at most */
} short_reader;

static ptrdiff_t read_short(void *payload, void *buffer, size_t size) {
    short_reader *r = payload;
    size_t n = size < r->step ? size : r->step;
    n = n < r->left ? n : r->left;
    if (n)
        memcpy(buffer, r->at, n);
    r->at += n;
    r->left -= n;
    return (ptrdiff_t)n;
}

/** `step` 0: from memory; else through a callback that gives at most `step` bytes a call. */
static outcome read_case(driver *d, const uint8_t *bytes, size_t size, size_t step, unsigned threads, FILE *dump) {
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    options.compat = d->compat;
    options.threads = threads;
    outcome got = { 0 };
    ubi_graph *g = NULL;
    short_reader reader = { bytes, size, step };
    got.status = step ? ubi_graph_read_callback(&g, read_short, &reader, &options, NULL)
                      : ubi_graph_read_memory(&g, bytes, size, &options, NULL);
    if (got.status != UBI_OK) {
        snprintf(got.message, sizeof got.message, "%s", ubi_error_message());
        return got;
    }
    if (ubi_graph_check(g) != UBI_OK) {
        printf("case %zu: broken graph: %s\n", d->case_number, ubi_error_message());
        d->failed = true;
    }
    got.n_nodes = ubi_graph_node_count(g);
    got.n_edges = ubi_graph_edge_count(g);
    for (ubi_node_ix n = 0; n < got.n_nodes; n++)
        got.size_bytes += ubi_graph_node_size_bytes(g, n);
    got.crc = dump_graph(g, dump);
    ubi_graph_unref(g);
    return got;
}

static bool outcome_equal(const outcome *a, const outcome *b) {
    return a->status == b->status && a->n_nodes == b->n_nodes && a->n_edges == b->n_edges &&
           a->size_bytes == b->size_bytes && a->crc == b->crc && strcmp(a->message, b->message) == 0;
}

static void print_outcome(const outcome *o) {
    printf("%d %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu32 " %s\n", (int)o->status, o->n_nodes, o->n_edges,
           o->size_bytes, o->crc, o->message);
}

/** Another way to the same bytes: read_case's last arguments. */
typedef struct variant {
    size_t step;
    unsigned threads;
} variant;

static void try_variants(driver *d, const uint8_t *bytes, size_t size, const outcome *expected) {
    static const variant variants[] = { { 0, 2 }, { 1, 1 }, { 2, 2 }, { 3, 1 }, { 7, 2 } };
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        outcome got = read_case(d, bytes, size, variants[i].step, variants[i].threads, NULL);
        if (outcome_equal(&got, expected))
            continue;
        printf("case %zu: reads of %zu bytes on %u threads differ: ", d->case_number, variants[i].step,
               variants[i].threads);
        print_outcome(&got);
        d->failed = true;
    }
}

static void run_case(driver *d, const uint8_t *bytes, size_t size) {
    outcome got = read_case(d, bytes, size, 0, 1, NULL);
    print_outcome(&got);
    if (d->dump && got.status == UBI_OK)
        read_case(d, bytes, size, 0, 1, stdout);
    if (d->variants)
        try_variants(d, bytes, size, &got);
    d->case_number++;
}

/* ---- batch ------------------------------------------------------------------------------------------------------- */

static int run_batch(driver *d, FILE *batch) {
    uint8_t prefix[4];
    while (fread(prefix, 1, 4, batch) == 4) {
        size_t size = prefix[0] | (size_t)prefix[1] << 8 | (size_t)prefix[2] << 16 | (size_t)prefix[3] << 24;
        uint8_t *bytes = malloc(size ? size : 1); /* exactly as large, so that sanitizers see any step beyond */
        if (!bytes || fread(bytes, 1, size, batch) != size) {
            fprintf(stderr, "damage_driver: batch cut short in case %zu\n", d->case_number);
            free(bytes);
            return 2;
        }
        run_case(d, bytes, size);
        free(bytes);
    }
    return d->failed ? 1 : 0;
}

int main(int argc, char **argv) {
    driver d = { 0 };
    const char *path = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--compat") == 0 && i + 1 < argc)
            d.compat = strcmp(argv[++i], "firefox") == 0 ? UBI_COMPAT_FIREFOX : UBI_COMPAT_NONE;
        else if (strcmp(argv[i], "--variants") == 0)
            d.variants = true;
        else if (strcmp(argv[i], "--dump") == 0)
            d.dump = true;
        else
            path = argv[i];
    }
    FILE *batch = path ? fopen(path, "rb") : NULL;
    if (!batch) {
        fprintf(stderr, "damage_driver: %s: %s\n", path ? path : "no batch", strerror(errno));
        return 2;
    }
    int rc = run_batch(&d, batch);
    fclose(batch);
    return rc;
}
