/* SPDX-License-Identifier: MIT
 *
 * unwind_bench.c: what a walk over a native stack costs (src/unwind/).
 *
 * Functions with two kinds of frames call each other 20 deep, and walk from there 8 times; then the path changes,
 * from a random depth on. Rows: the walk as the recorder makes it ("memos": of whole stacks, else memory of the walk before),
 * with memory of the walk before alone ("memory"), with known rules but without any memory ("rules"), glibc's backtrace() ("backtrace"), and the calls alone, whose time is taken off
 * from the others ("calls"). One JSON object per turn and row:
 *
 * {"file":"depth-25","row":"memory","threads":1,"wallNs":50000000,"walks":800000,"nsPerWalk":50.1,"nsPerFrame":2.0,
 *  "newFramesPerWalk":3.1,"timesBacktrace":0.011}
 */
#include <execinfo.h>
#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/status.h"
#include "bench_program.h"
#include "unwind/unwind.h"

#define CALLS 20
#define WALKS_PER_PATH 8
#define PATHS 20000
#define BACKTRACE_PATHS 500 // it is slow

static const char usage[] = "usage: unwind_bench [--repeats N]\n"
                            "\n"
                            "Measures walks over native stacks, N times each (default 5).\n";

typedef enum bench_way { CALLS_ALONE, MEMOS, MEMORY, RULES, BACKTRACE, N_WAYS } bench_way;

static const char *const names[N_WAYS] = { "calls", "memos", "memory", "rules", "backtrace" };

typedef struct bench_walks {
    ubi__unwinder unwinder;
    bench_way way;
    uint64_t path; /* a bit for each call */
    uint64_t seed;
    uint64_t walks, frames, new_frames;
} bench_walks;

static bench_walks walks;

/* ---- what is measured -------------------------------------------------------------------------------------------- */

static void walk_with_memory(void) {
    ubi__unwind_registers here = ubi__unwind_here();
    ubi__walk walk;
    ubi__unwind(&walks.unwinder, &here, &walk);
    for (size_t i = 0; i < walk.n; i++)
        walk.tags[i] = 1; // a recorder looks up a number here
    walks.new_frames += walk.n;
}

static void walk_with_memos(void) {
    ubi__unwind_registers here = ubi__unwind_here();
    ubi__walk walk;
    if (ubi__unwind_recall(&walks.unwinder, &here))
        return;
    ubi__unwind(&walks.unwinder, &here, &walk);
    for (size_t i = 0; i < walk.n; i++)
        walk.tags[i] = 1;
    ubi__unwind_remember(&walks.unwinder, &here, 1);
    walks.new_frames += walk.n;
}

static void walk_by_rules(void) {
    ubi__unwind_registers here = ubi__unwind_here();
    uintptr_t pcs[UBI__UNWIND_DEFAULT_DEPTH];
    ubi__unwind_end end;
    size_t n = ubi__unwind_all(&walks.unwinder, &here, pcs, UBI__UNWIND_DEFAULT_DEPTH, &end);
    walks.new_frames += n;
    walks.frames += n;
}

static void walk_by_backtrace(void) {
    void *pcs[UBI__UNWIND_DEFAULT_DEPTH];
    walks.new_frames += (uint64_t)backtrace(pcs, UBI__UNWIND_DEFAULT_DEPTH);
}

__attribute__((noinline)) static void walk_once(void) {
    walks.walks++;
    if (walks.way == MEMOS)
        walk_with_memos();
    else if (walks.way == MEMORY)
        walk_with_memory();
    else if (walks.way == RULES)
        walk_by_rules();
    else if (walks.way == BACKTRACE)
        walk_by_backtrace();
}

static void call_small(unsigned depth);
static void call_large(unsigned depth);

static inline __attribute__((always_inline)) void call_next(unsigned depth) {
    if (depth == 0) {
        for (int i = 0; i < WALKS_PER_PATH; i++)
            walk_once();
    } else if (walks.path >> depth & 1) {
        call_large(depth - 1);
    } else {
        call_small(depth - 1);
    }
}

__attribute__((noinline)) static void call_small(unsigned depth) {
    call_next(depth);
    __asm__ volatile("" ::: "memory"); // no jump instead of the call
}

__attribute__((noinline)) static void call_large(unsigned depth) {
    volatile uint64_t words[20];
    words[depth] = depth;
    call_next(depth);
    (void)words[depth];
}

static uint64_t draw(void) {
    walks.seed = walks.seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return walks.seed >> 33;
}

/** @return nanoseconds of wall time. */
static uint64_t measure_way(bench_way way, unsigned n_paths) {
    walks.way = way;
    walks.seed = 1;
    walks.walks = walks.frames = walks.new_frames = 0;
    uint64_t began_ns = ubi__wall_ns();
    for (unsigned i = 0; i < n_paths; i++) {
        uint64_t inner = (UINT64_C(2) << draw() % CALLS) - 1; // small depths are the innermost
        walks.path = (walks.path & ~inner) | (draw() & inner);
        call_small(CALLS);
    }
    return ubi__wall_ns() - began_ns;
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

typedef struct bench_row {
    uint64_t wall_ns, walks;
    double ns_per_walk, new_frames_per_walk;
} bench_row;

static bench_row measure_row(bench_way way, double calls_ns) {
    uint64_t wall_ns = measure_way(way, way == BACKTRACE ? BACKTRACE_PATHS : PATHS);
    double n = (double)walks.walks;
    return (bench_row){ wall_ns, walks.walks, (double)wall_ns / n - calls_ns, (double)walks.new_frames / n };
}

static ubi_status print_row(bench_way way, const bench_row *row, double depth, double backtrace_ns) {
    ubi__row_begin("depth-25", names[way], 1, row->wall_ns);
    ubi__row_u64("walks", row->walks);
    ubi__row_double("nsPerWalk", row->ns_per_walk);
    ubi__row_double("nsPerFrame", row->ns_per_walk / depth);
    ubi__row_double("newFramesPerWalk", row->new_frames_per_walk);
    ubi__row_double("timesBacktrace", row->ns_per_walk / backtrace_ns);
    return ubi__row_end();
}

static ubi_status measure_turn(void) {
    bench_row rows[N_WAYS];
    for (bench_way way = CALLS_ALONE; way < N_WAYS; way++)
        rows[way] = measure_row(way, way == CALLS_ALONE ? 0 : rows[CALLS_ALONE].ns_per_walk);
    for (bench_way way = CALLS_ALONE; way < N_WAYS; way++)
        UBI_TRY(print_row(way, &rows[way], rows[RULES].new_frames_per_walk, rows[BACKTRACE].ns_per_walk));
    return UBI_OK;
}

static void *map_pages(void *payload, size_t size_bytes) {
    (void)payload;
    void *p = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void unmap_pages(void *payload, void *p, size_t size_bytes) {
    (void)payload;
    munmap(p, size_bytes);
}

static bool begin(void) {
    static const ubi__unwind_memory memory = { map_pages, unmap_pages, NULL };
    pthread_attr_t attributes;
    void *low;
    size_t size_bytes;
    if (!ubi__unwinder_init(&walks.unwinder, &memory, UBI__UNWIND_DEFAULT_DEPTH) ||
        pthread_getattr_np(pthread_self(), &attributes) != 0 ||
        pthread_attr_getstack(&attributes, &low, &size_bytes) != 0)
        return false;
    pthread_attr_destroy(&attributes);
    ubi__unwinder_set_stack(&walks.unwinder, (uintptr_t)low, (uintptr_t)low + size_bytes);
    return true;
}

int main(int argc, char **argv) {
    static const struct option options[] = { UBI__BENCH_OPTIONS };
    unsigned repeats = 5;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'h') {
            fputs(usage, stdout);
            return 0;
        }
        repeats = option == 'r' ? (unsigned)strtoul(optarg, NULL, 10) : 0;
    }
    if (repeats == 0 || optind < argc) {
        fputs(usage, stderr);
        return 2;
    }
    if (!begin()) {
        fputs("unwind_bench: no memory\n", stderr);
        return 3;
    }
    for (unsigned turn = 0; turn <= repeats; turn++) {
        if (turn == 0)
            (void)measure_way(MEMORY, 100); // a warm-up
        else if (measure_turn() != UBI_OK)
            return 3;
    }
    ubi__unwinder_fini(&walks.unwinder);
    return 0;
}
