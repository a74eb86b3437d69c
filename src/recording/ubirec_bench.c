/* SPDX-License-Identifier: MIT
 *
 * ubirec_bench.c: what blocks of a recording weigh and cost with each compression, and how fast a recording is read.
 *
 *     ubirec_bench FILE.ubirec
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <zlib.h>

#include "base/deflate.h"
#include "recording/recording_summary.h"

static void must(ubi_status status) {
    if (status == UBI_OK)
        return;
    fprintf(stderr, "ubirec_bench: %s\n", ubi_error_message());
    exit(1);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------- */

static uint32_t get_u32(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* The records of the next block; 0 after the last. The file is one of ours, and sound. */
static size_t next_block(FILE *file, uint8_t raw[UBI__UBIREC_BLOCK_RAW_MAX]) {
    static uint8_t stored[UBI__UBIREC_BLOCK_RAW_MAX];
    uint8_t header[UBI__UBIREC_BLOCK_HEADER_BYTES];
    z_stream z = { 0 };
    if (fread(header, 1, sizeof header, file) < sizeof header)
        return 0;
    size_t n_stored = get_u32(header + 4), n_raw = get_u32(header + 8);
    if (n_stored > sizeof stored || n_raw > UBI__UBIREC_BLOCK_RAW_MAX || fread(stored, 1, n_stored, file) < n_stored)
        return 0;
    if (!(header[1] & UBI__UBIREC_BLOCK_DEFLATED)) {
        memcpy(raw, stored, n_raw);
        return n_raw;
    }
    z.next_in = stored;
    z.avail_in = (uInt)n_stored;
    z.next_out = raw;
    z.avail_out = (uInt)n_raw;
    if (inflateInit2(&z, 15 | 16) != Z_OK || inflate(&z, Z_FINISH) != Z_STREAM_END)
        exit(1);
    inflateEnd(&z);
    return n_raw;
}

static ubi_status count_bytes(void *payload, const void *data, size_t n) {
    (void)data;
    *(uint64_t *)payload += n;
    return UBI_OK;
}

static void deflate_all(const char *path, int level) {
    static uint8_t raw[UBI__UBIREC_BLOCK_RAW_MAX];
    FILE *file = fopen(path, "rb");
    uint64_t n_raw = 0, n_out = 0;
    double took = 0;
    if (!file || fseek(file, UBI__UBIREC_HEADER_BYTES, SEEK_SET) != 0)
        exit(1);
    for (size_t n; (n = next_block(file, raw)) > 0; n_raw += n) {
        ubi__deflate *d;
        double start = seconds();
        must(ubi__deflate_new(&d, level, count_bytes, &n_out, NULL));
        must(ubi__deflate_write(d, raw, n));
        must(ubi__deflate_finish(d));
        ubi__deflate_free(d);
        took += seconds() - start;
    }
    fclose(file);
    printf("level %d: %" PRIu64 " of %" PRIu64 " bytes, %.0f MB/s\n", level, n_out, n_raw, (double)n_raw / took / 1e6);
}

/* ---- reading ------------------------------------------------------------------------------------------------------ */

static void read_all(const char *path) {
    ubi__source source;
    ubi__ubirec_reader *reader;
    const ubi__ubirec_record *record;
    uint64_t n = 0;
    must(ubi__source_open_path(&source, path, ubi_allocator_default()));
    double start = seconds();
    must(ubi__ubirec_reader_new(&reader, &source, NULL));
    for (;; n++) {
        must(ubi__ubirec_next(reader, &record));
        if (!record)
            break;
    }
    printf("read: %" PRIu64 " records, %.0f ns each\n", n, (seconds() - start) * 1e9 / (double)n);
    ubi__ubirec_reader_free(reader);
    ubi__source_close(&source);
}

static void summarize(const char *path) {
    ubi__source source;
    ubi__recording_summary s;
    must(ubi__source_open_path(&source, path, ubi_allocator_default()));
    double start = seconds();
    must(ubi__recording_summary_read(&s, &source, NULL, NULL));
    printf("summary: %.2f s, %zu infos, %zu traces\n", seconds() - start, s.infos.n, s.tables.traces.n);
    ubi__recording_summary_fini(&s);
    ubi__source_close(&source);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fputs("usage: ubirec_bench FILE.ubirec\n", stderr);
        return 2;
    }
    for (int level = 0; level <= UBI__DEFLATE_LEVEL_SMALL; level++)
        deflate_all(argv[1], level);
    read_all(argv[1]);
    summarize(argv[1]);
    return 0;
}
