/* SPDX-License-Identifier: MIT
 *
 * timeline_bench.c: what markers cost: a pair of START and END while a tool looks, on one thread and on four, with a stack,
 * and popping ten million.
 *
 * Writes one JSON object per row, for bench/timeline.sh: {"row":"pair","threads":1,"nsPerPair":[each turn]}. Times are CPU time
 * of the thread that marks, so that other work on the machine counts little. What is pending is popped between turns, as a tool
 * does.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ubiheap/core/timeline.h>

enum { PAIRS = 100000, PENDING = 10000000, MOST_TURNS = 101, MOST_THREADS = 4, DEPTH = 10 };

static double cpu_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static uint64_t resident_bytes(void) {
    unsigned long long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file) {
        if (fscanf(file, "%llu %llu", &pages, &resident) != 2)
            resident = 0;
        fclose(file);
    }
    return resident * 4096;
}

static void print_row(const char *row, unsigned threads, const double *ns, unsigned n) {
    printf("{\"row\":\"%s\",\"threads\":%u,\"nsPerPair\":[", row, threads);
    for (unsigned i = 0; i < n; i++)
        printf("%s%.2f", i ? "," : "", ns[i]);
    printf("]}\n");
    fflush(stdout);
}

static void fail(const char *what) {
    fprintf(stderr, "timeline_bench: %s: %s\n", what, ubi_error_message());
    exit(3);
}

static ubi_timeline_markers *pop(ubi_timeline_target *target) {
    ubi_timeline_markers *markers;
    if (ubi_timeline_target_pop_profile_timeline_markers(target, &markers) != UBI_OK)
        fail("pop");
    return markers;
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

static void global_pairs(ubi_timeline_target *target) {
    (void)target;
    for (int i = 0; i < PAIRS; i++) {
        UBI_AUTO_GLOBAL_TIMELINE_MARKER("some work");
    }
}

static void target_pairs(ubi_timeline_target *target) {
    for (int i = 0; i < PAIRS; i++) {
        UBI_AUTO_TIMELINE_MARKER(target, "Parse HTML");
    }
}

/* Names that are not literals are compared with what is known. */
static void function_pairs(ubi_timeline_target *target) {
    ubi_timeline_consumers *consumers = ubi_timeline_consumers_get();
    for (int i = 0; i < PAIRS; i++) {
        ubi_timeline_consumers_add_marker_for_target(consumers, target, "Reflow", UBI_MARKER_START, UBI_MARKER_STACK);
        ubi_timeline_consumers_add_marker_for_target(consumers, target, "Reflow", UBI_MARKER_END, UBI_MARKER_STACK);
    }
}

static void console_pairs(ubi_timeline_target *target) {
    ubi_timeline_consumers *consumers = ubi_timeline_consumers_get();
    ubi_text label = { "load", 4 };
    for (int i = 0; i < PAIRS; i++) {
        ubi_timeline_consumers_add_existing_marker_for_target(consumers, target,
                                                              ubi_console_timeline_marker_new(label, UBI_MARKER_START));
        ubi_timeline_consumers_add_existing_marker_for_target(consumers, target,
                                                              ubi_console_timeline_marker_new(label, UBI_MARKER_END));
    }
}

static void measure(const char *row, ubi_timeline_target *target, void (*pairs)(ubi_timeline_target *),
                    unsigned turns) {
    double ns[MOST_TURNS];
    for (unsigned turn = 0; turn <= turns; turn++) { /* the first warms up */
        double before_ns = cpu_ns();
        pairs(target);
        double took_ns = cpu_ns() - before_ns;
        if (turn > 0)
            ns[turn - 1] = took_ns / PAIRS;
        ubi_timeline_markers *markers = pop(target);
        if (ubi_timeline_markers_count(markers) != PAIRS)
            fail(row);
        ubi_timeline_markers_free(markers);
    }
    print_row(row, 1, ns, turns);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

static pthread_barrier_t barrier;
static double thread_ns[MOST_THREADS];

static void *mark(void *payload) {
    unsigned turns = *(const unsigned *)payload, self = 0;
    static _Atomic unsigned n_started;
    self = n_started++ % MOST_THREADS;
    for (unsigned turn = 0; turn <= turns; turn++) {
        pthread_barrier_wait(&barrier);
        double before_ns = cpu_ns();
        global_pairs(NULL);
        thread_ns[self] = (cpu_ns() - before_ns) / PAIRS;
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

/* All mark at once; the time of each thread, on average. */
static void measure_threads(ubi_timeline_target *target, unsigned turns) {
    pthread_t threads[MOST_THREADS];
    double ns[MOST_TURNS];
    pthread_barrier_init(&barrier, NULL, MOST_THREADS + 1);
    for (int i = 0; i < MOST_THREADS; i++) {
        if (pthread_create(&threads[i], NULL, mark, &turns) != 0)
            fail("no thread");
    }
    for (unsigned turn = 0; turn <= turns; turn++) {
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
        double sum_ns = 0;
        for (int i = 0; i < MOST_THREADS; i++)
            sum_ns += thread_ns[i];
        if (turn > 0)
            ns[turn - 1] = sum_ns / MOST_THREADS;
        ubi_timeline_markers_free(pop(target));
    }
    for (int i = 0; i < MOST_THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
    print_row("pairOffMainThread", MOST_THREADS, ns, turns);
}

/* ---- stacks: a made-up engine, whose stacks are nodes of a tree, as those of real ones --------------------------- */

static bool capture(void *payload, ubi_marker_stack_ref *out) {
    ubi_marker_stack_ref *next = (ubi_marker_stack_ref *)payload;
    *next = *next % 64 + 1; /* one of 64 places in the youngest function */
    *out = DEPTH * 1000 + *next;
    return true;
}

static bool frame(void *payload, ubi_marker_stack_ref stack, ubi_marker_frame *out) {
    uint64_t depth = stack / 1000;
    (void)payload;
    out->function_name = (ubi_text){ "function", 8 };
    out->source = (ubi_text){ "script.js", 9 };
    out->line = (uint32_t)stack;
    if (depth > 1)
        out->parent = (depth - 1) * 1000;
    return true;
}

static void measure_stacks(ubi_timeline_target *target, unsigned turns) {
    ubi_marker_stack_ref at = 0;
    ubi_timeline_stack_source source = { 0, capture, frame, &at };
    ubi_timeline_set_stack_source(&source);
    measure("pairWithStack", target, target_pairs, turns);
    measure("consolePairWithTwoStacks", target, console_pairs, turns);
    ubi_timeline_set_stack_source(NULL);
}

/* ---- ten million ------------------------------------------------------------------------------------------------- */

/* Twice: what the system has to find memory for, and what it has found. */
static void measure_pending(ubi_timeline_target *target) {
    for (int turn = 0; turn < 2; turn++) {
        uint64_t before_bytes = resident_bytes();
        double begun_ns = cpu_ns();
        for (int i = 0; i < PENDING / 2; i++) {
            UBI_AUTO_GLOBAL_TIMELINE_MARKER("some work");
        }
        double added_ns = cpu_ns();
        uint64_t pending_bytes = resident_bytes() - before_bytes;
        ubi_timeline_markers *markers = pop(target);
        double popped_ns = cpu_ns();
        printf(
            "{\"row\":\"pending\",\"turn\":%d,\"markers\":%d,\"rows\":%zu,\"nsPerPair\":%.2f,\"bytesPerMarker\":%.2f,"
            "\"popNs\":%.0f,\"residentAfterPop\":%llu}\n",
            turn, PENDING, ubi_timeline_markers_count(markers), (added_ns - begun_ns) / (PENDING / 2.0),
            (double)pending_bytes / PENDING, popped_ns - added_ns, (unsigned long long)resident_bytes());
        fflush(stdout);
        ubi_timeline_markers_free(markers);
    }
}

int main(int argc, char **argv) {
    unsigned turns = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 25;
    ubi_timeline_target *target;
    if (turns == 0 || turns > MOST_TURNS) {
        fprintf(stderr, "usage: timeline_bench [TURNS], 1 to %d\n", MOST_TURNS);
        return 2;
    }
    if (ubi_timeline_target_new(&target, NULL) != UBI_OK ||
        ubi_timeline_target_set_record_profile_timeline_markers(target, true) != UBI_OK)
        fail("no target");
    measure_pending(target);
    measure("pair", target, target_pairs, turns);
    measure("pairForAll", target, global_pairs, turns);
    measure("pairByFunction", target, function_pairs, turns);
    measure_stacks(target, turns);
    measure_threads(target, turns);
    ubi_timeline_target_free(target);
    return 0;
}
