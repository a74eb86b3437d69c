/* SPDX-License-Identifier: MIT
 *
 * timeline_nest.h: the markers of a timeline inside of each other, and what they took in all.
 *
 * Each thread is a waterfall of its own, in which markers nest by time; where Firefox has one for all, in which those off the main
 * thread are apart (ubiheap/views/timeline_waterfall.h). Sums are of time on a thread: what two markers of the same label share
 * counts once, unless they are on different threads.
 */
#ifndef UBI_TIMELINE_TIMELINE_NEST_H
#define UBI_TIMELINE_TIMELINE_NEST_H

#include "timeline/marker_words.h"

/** All markers of a label. */
typedef struct ubi__marker_sum {
    ubi_str_ix label; /* of the nest's labels */
    const ubi__marker_blueprint *blueprint;
    uint64_t count, total_ns;
    uint64_t self_ns;          /* without what other markers inside of them took */
    uint32_t longest;          /* a row */
    uint64_t covered_until_ns; /* scratch: on `thread` */
    uint32_t thread;           /* scratch */
} ubi__marker_sum;

/** All markers of a thread. */
typedef struct ubi__thread_sum {
    uint64_t busy_ns;       /* in markers, timers of the program's own (ConsoleTime) aside */
    uint64_t collection_ns; /* in collections of garbage */
    bool has_namesake;      /* another thread has its name */
} ubi__thread_sum;

/** How labels are distinguished that the program gave its markers (ConsoleTime, TimeStamp). */
typedef enum ubi__label_grouping {
    UBI__LABELS_APART,
    UBI__LABELS_BY_TEXT, /* numbers in them aside: "Console (request #)" */
    UBI__LABELS_TOGETHER /* "Console (150 labels)" */
} ubi__label_grouping;

typedef struct ubi__own_labels {
    ubi__label_grouping grouping;
    uint32_t n_labels; /* apart */
    uint32_t n_groups;
} ubi__own_labels;

UBI_VEC_DECLARE(ubi__vec_marker_sum, ubi__marker_sum);

typedef struct ubi__timeline_nest {
    const ubi__timeline_data *data;
    const ubi_allocator *allocator;
    uint32_t n, n_threads; /* rows and threads; at least one thread */
    uint32_t *by_thread;   /* by_thread[n]: rows, those of a thread together, in their order */
    uint32_t *thread_end;  /* thread_end[n_threads]: where those of a thread end in by_thread */
    uint32_t *parent;      /* parent[n]: a row, or UBI_NONE */
    uint32_t *depth;       /* depth[n] */
    uint64_t *self_ns;     /* self_ns[n] */
    uint32_t *sum_of;      /* sum_of[n]: entry of `sums` */
    ubi__thread_sum *threads;
    ubi__strtab labels;
    ubi__vec_marker_sum sums; /* by total, the largest first */
    uint64_t busy_ns, collection_ns;
    ubi__own_labels own_labels[2]; /* of TimeStamp, of ConsoleTime */
} ubi__timeline_nest;

/**
 * Threads have their rows in order, and all rows have a thread; parents are of the thread, around their children, and one level
 * above; sums are by total and count every row once. O(rows).
 */
void ubi__timeline_nest_check(const ubi__timeline_nest *nest);
/**
 * @param data     sorted; borrowed.
 * @param firefox  one waterfall for all threads, as Firefox has it.
 * Errors: UBI_ENOMEM. Cost: O(n log n). Memory: 32 bytes a row, and while it works 72 more.
 */
ubi_status ubi__timeline_nest_init(ubi__timeline_nest *nest, const ubi__timeline_data *data, bool firefox);
/**
 * Recomputes the sums: where ConsoleTime or TimeStamp have more than `most` labels, as when each has the number of a request,
 * merges those that differ only in numbers, or all of them, if even that would leave many. UINT32_MAX: none.
 * Cost: O(n log n) if there is something to do. Errors: UBI_ENOMEM; then the sums are useless.
 */
ubi_status ubi__timeline_nest_group_labels(ubi__timeline_nest *nest, uint32_t most);
/** Of one that was not made, too, if it is all zero. */
void ubi__timeline_nest_fini(ubi__timeline_nest *nest);

static inline ubi_text ubi__timeline_label(const ubi__timeline_nest *nest, const ubi__marker_sum *sum) {
    return ubi__strtab_get(&nest->labels, sum->label);
}
/** Where the rows of a thread begin in by_thread. */
static inline uint32_t ubi__thread_start(const ubi__timeline_nest *nest, uint32_t thread) {
    return thread ? nest->thread_end[thread - 1] : 0;
}

#endif
