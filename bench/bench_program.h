/* SPDX-License-Identifier: MIT
 *
 * bench_program.h: what all programs that measure have in common: options, the loop over files, clocks, rows of results.
 *
 * A row is a JSON object on a line of standard output, for bench/report.py. It starts with the same members in all benches;
 * each adds what it alone knows:
 *
 * {"file":"x.fxsnapshot","row":"census","threads":1,"wallNs":13000000, ...}
 *
 * One thread writes rows, one row at a time.
 */
#ifndef UBI_BENCH_PROGRAM_H
#define UBI_BENCH_PROGRAM_H

#include <getopt.h>

#include <ubiheap/core/graph.h>

/* ---- the program ------------------------------------------------------------------------------------------------- */

typedef ubi_status ubi__measure_graph(const char *path, const ubi_graph *graph, unsigned repeats);

/** The options of every program; a table of options ends with them. */
#define UBI__BENCH_OPTIONS                                                                                             \
    { "repeats", 1, NULL, 'r' }, { "help", 0, NULL, 'h' }, {                                                           \
        0                                                                                                              \
    }

typedef struct ubi__bench {
    const char *name, *usage;
    unsigned repeats; /* default of --repeats */
    const struct option *options;
    /** Takes an option of this program; false: its value is wrong. NULL: there are none. */
    bool (*set_option)(int option, char *value);
    /** Measures a file. Or, if NULL, loads it and calls measure_graph. */
    ubi_status (*measure)(const char *path, unsigned repeats);
    ubi__measure_graph *measure_graph;
} ubi__bench;

/** Measures all files of the command line. @return the exit status: 0, 2 (wrong usage) or 3 (a file cannot be measured). */
int ubi__bench_main(const ubi__bench *bench, int argc, char **argv);

/** Loads a file for `measure`. */
ubi_status ubi__bench_load(const char *path, unsigned repeats, ubi__measure_graph *measure);

/* ---- clocks ------------------------------------------------------------------------------------------------------ */

uint64_t ubi__wall_ns(void);
/** Of all threads, also those that have ended. */
uint64_t ubi__cpu_ns(void);

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/** Touches so many fresh bytes and gives them back: what is measured next does not wait for a virtual machine's host. */
void ubi__touch_memory(uint64_t n_bytes);
/** The peak of resident memory since the process began. */
uint64_t ubi__peak_rss_bytes(void);
/** A line of /proc/self/status, such as "VmRSS:", in bytes; 0 if there is none. */
uint64_t ubi__status_bytes(const char *key);
/** Forgets the peak that "VmHWM:" is. False: the system cannot (Linux before 4.0). */
bool ubi__peak_rss_reset(void);

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/** @param path  of the file; the row has its last part. */
void ubi__row_begin(const char *path, const char *row, unsigned threads, uint64_t wall_ns);
void ubi__row_u64(const char *key, uint64_t value);
void ubi__row_double(const char *key, double value);
/** Members "nodes" and "edges". */
void ubi__row_graph(uint64_t n_nodes, uint64_t n_edges);
/** Errors: UBI_EIO. */
ubi_status ubi__row_end(void);

#endif
