/* SPDX-License-Identifier: MIT
 *
 * leaks_answer.h: what a program holds on to between heaps, and its words.
 */
#ifndef UBI_QUESTIONS_LEAKS_ANSWER_H
#define UBI_QUESTIONS_LEAKS_ANSWER_H

#include <ubiheap/core/leaks.h>

#include "lenses/producer.h"
#include "questions/leaks/leaks_series.h"
#include "questions/node_filter.h"
#include "questions/question.h"
#include "render/path_words.h"

typedef struct ubi__leaks_values {
    const char *where, *verdicts, *fail_on;
    ubi__heap_list control;
    bool with_engine, must_reorder, may_be_other_process;
    uint64_t limit; /**< clusters shown; 0: all */
    /* For a door that takes the heaps itself, of a program that runs: */
    const char *every;   /**< NULL: they are there */
    const char *target;  /**< which thread or tab of it; NULL: the address says it */
    uint64_t times;      /**< 0: until the user has enough */
    bool keeps_ids;      /**< of older heaps ids and classes alone: what became larger is unknown */
    bool wants_all;      /**< also when the verdict is clear before */
    const char *beside;  /**< a command of the shell that runs meanwhile; NULL: none */
    int collects;        /**< -1: garbage stays */
    bool is_forced;      /**< also where the program may have too little memory for a snapshot */
    const char *script;  /**< of a scenario, whose heaps are those before it, in its middle, and after it; NULL: none */
    const char *browser; /**< the program that the scenario is for; NULL: one that is found */
    const char
        *patience; /**< how long a step of the scenario, or an answer of the program, may take; NULL: the standard */
    bool is_shown; /**< the browser has a window */
    uint64_t warm_ups; /**< how often the scenario acts, and undoes it, before the first snapshot */
    uint32_t pid;      /**< of the program, where it runs on this machine; not an option, as what follows */
    uint64_t
        ram_growth_bytes; /**< of its process, while it worked between the heaps; 0: it did not grow, or is unknown */
    bool has_ended;       /**< the program has, from which the heaps were taken; not an option */
} ubi__leaks_values;

/** The comparison and its results. */
typedef struct ubi__leaks_answer {
    const ubi__leaks_values *values;
    const ubi_allocator *memory;
    ubi__leaks_series series;   /**< owned: the heaps, the newest last */
    ubi__leaks_series controls; /**< owned: those of the control; or none */
    uint32_t verdicts;          /**< chosen ones, to which the clusters are limited; 0: none were */
    ubi__node_filter *filter;   /**< owned; NULL: all nodes count */
    ubi_leak_control *control;  /**< owned, or NULL */
    /* computed */
    const ubi_graph *graph; /**< of the newest heap */
    const ubi_look *look;
    ubi_leaks *leaks;               /**< owned */
    ubi__code_scopes scopes;        /**< owned: of the newest heap */
    ubi_leak_fit fit;               /**< not FITS: leaks cannot be judged */
    char misfit[UBI__LEAKS_REASON]; /**< why */
} ubi__leaks_answer;

/** Compares the heaps of the series, and those of the control before. Errors: those of reading, UBI_EINVAL (order), UBI_EFORMAT. */
ubi_status ubi__leaks_compute(void *answer, const ubi__asked *asked);
ubi_status ubi__leaks_page(const ubi__page *page, const void *answer, const ubi__asked *asked);
ubi_status ubi__leaks_document(ubi__json *json, const void *answer, const ubi__asked *asked);
/** What speaks against a condition that does not hold. */
void ubi__leaks_remark(ubi__remarks *remarks, const void *answer);

/** Whether clusters of a verdict count: it was chosen, or none was and it is one of leaks. */
bool ubi__leaks_verdict_counts(const ubi__leaks_answer *answer, ubi_leak_verdict verdict);
/** How many clusters there are to be shown: those of the chosen verdicts, or all. They come first. */
uint32_t ubi__leaks_listed(const ubi__leaks_answer *answer);

/**
 * Growth in bytes from OLD to NEW that no cluster, leak or not, retains: objects of OLD that became larger, such as the
 * table of a Set of numbers. Cost: O(clusters).
 */
uint64_t ubi__leaks_unlisted_growth(const ubi_leaks *leaks);
/** What stayed or became larger and is in no list (ubi_leaks_unlisted); 0 when it is too little to report, or the files are of several
 * processes. */
uint64_t ubi__leaks_remaining_growth(const ubi__leaks_answer *answer);
/**
 * Whether the series is long enough to say that nothing grows steadily, and nothing does: what came is small or was set up once, no object of
 * OLD became larger by much, and little is in no list. Cost: O(clusters + objects that grew).
 */
bool ubi__leaks_is_quiet(const ubi__leaks_answer *answer);
/** Of less than six files: bytes by which tables grew that may have room in reserve, so that whether they grow steadily is open. O(what grew). */
uint64_t ubi__leaks_growth_with_room(const ubi_leaks *leaks);
/** Bytes by which objects of OLD with a verdict grew. Cost: O(objects that grew). */
uint64_t ubi__leaks_grown_of(const ubi_leaks *leaks, ubi_leak_verdict verdict);
/** How many of these are shown. */
uint32_t ubi__leaks_shown(const ubi__leaks_answer *answer);
/** Whether ids mean the same in all heaps. */
bool ubi__leaks_same_run(const ubi__leaks_answer *answer);

/** A path of a cluster's example, to be shown; fini frees it. */
typedef struct ubi__leak_path {
    const ubi_allocator *allocator;
    const ubi__code_scopes *scopes; /**< borrowed */
    ubi__path_view view;
    ubi_path_step *steps; /**< owned steps[n] */
    uint32_t n;
    uint32_t n_to_holder; /**< steps that lead to the holder; n: there is none */
    uint32_t n_to_new;    /**< steps that lead to the first node that was not there in OLD */
} ubi__leak_path;

/** It is a path of its steps, and holder and first new node are on it. O(steps). */
void ubi__leak_path_check(const ubi__leak_path *path);

ubi_status ubi__leak_path_init(ubi__leak_path *out, const ubi__leaks_answer *answer, const ubi_leak_cluster *cluster);
/** The path to any node that the search met; without a holder. */
ubi_status ubi__leak_path_init_to(ubi__leak_path *out, const ubi__leaks_answer *answer, ubi_node_ix node);
void ubi__leak_path_fini(ubi__leak_path *path);

/* ---- words (leaks_words.c). No newline. -------------------------------------------------------------------------- */

/** "LeakedThing", "Function onData() (server.js:12)", "Timeout of tick() (server.js:20; 3 elsewhere)". The place has room of its own. */
void ubi__leak_write_name(ubi__out *out, const ubi__style *style, const ubi__leaks_answer *answer,
                          const ubi_leak_cluster *cluster, size_t columns);
/** "Map, variable registry of add() (app.js:7)": what holds a cluster, and how it is reached. */
void ubi__leak_write_holder(ubi__out *out, const ubi__style *style, const ubi_leak_cluster *cluster,
                            const ubi__leak_path *path);
/** The node that became larger, or the larger one that took its place. */
ubi_node_ix ubi__leak_grown_node(const ubi_leak_grown *grown);
/** "Map, property samples of Metrics", by the path to that node. */
void ubi__leak_write_grown(ubi__out *out, const ubi__style *style, const ubi__leak_path *path);
/** One sentence on the steps in which it grew. Static, or in `buffer`. */
const char *ubi__leak_grown_words(char buffer[200], const ubi_leaks *leaks, const ubi_leak_grown *grown);
/** One sentence on what the numbers of a cluster say. Static, or in `buffer`. */
const char *ubi__leak_verdict_words(char buffer[200], const ubi_leaks *leaks, const ubi_leak_cluster *cluster);

/* ---- a series (leaks_curves.c) ------------------------------------------------------------------------------------- */

#define UBI__LEAK_CURVE_COLUMNS 40

/** Numbers to be drawn, a column each; where there are more than UBI__LEAK_CURVE_COLUMNS, several share one. */
typedef struct ubi__leak_curve {
    uint32_t n;
    uint64_t (*value)(const struct ubi__leak_curve *curve, uint32_t i);
    const void *payload;
    bool is_from_least; /**< the lowest column stands for the least value, else for 0 */
} ubi__leak_curve;

void ubi__leak_write_curve(ubi__out *out, const ubi__style *style, const ubi__leak_curve *curve);
/** How many were added in each step. */
void ubi__leak_write_came(ubi__out *out, const ubi__style *style, const ubi_leaks *leaks,
                          const ubi_leak_cluster *cluster);
/** How many come in an hour; false: the files do not say when they were taken. */
bool ubi__leak_per_hour(double *out, const ubi_leaks *leaks, const ubi_leak_cluster *cluster);
/** In which steps a cluster of a series of four or more grew, how much, and how fast. False: does not apply. */
bool ubi__leak_growth_words(char out[200], const ubi_leaks *leaks, const ubi_leak_cluster *cluster);

/** Writes to memory, for sentences in JSON: text is "" until written to; out.payload is this. */
typedef struct ubi__leak_memo {
    const ubi_allocator *allocator;
    ubi__out *out; /**< owned */
    char *text;    /**< owned text[capacity], n used */
    size_t n, capacity;
    bool has_failed;
} ubi__leak_memo;

ubi_status ubi__leak_memo_init(ubi__leak_memo *memo, const ubi_allocator *allocator);
void ubi__leak_memo_fini(ubi__leak_memo *memo);
/** What was written since the last call; borrowed until the next write. */
ubi_text ubi__leak_memo_take(ubi__leak_memo *memo);

/* ---- pages --------------------------------------------------------------------------------------------------------- */

#define UBI__LEAK_INDENT 4
#define UBI__LEAK_LEAST_COLUMNS 40
/** Up to three heaps show all sizes, more of them the first, the last and perhaps a curve. */
#define UBI__LEAK_MOST_SIZES 3

/** Columns after the indent. */
static inline size_t ubi__leak_line_room(const ubi__page *page) {
    size_t columns = page->style.columns;
    return columns > UBI__LEAK_LEAST_COLUMNS + UBI__LEAK_INDENT ? columns - UBI__LEAK_INDENT : UBI__LEAK_LEAST_COLUMNS;
}
/** Which heaps are of other processes, as far as is known (leaks_misfits.c). */
void ubi__leaks_write_misfits(const ubi__page *page, const ubi__leaks_answer *answer);
/** That the heaps show nothing, and why. */
void ubi__leaks_write_nothing_to_judge(const ubi__page *page, const ubi__leaks_answer *answer);
/** Classes that grew in at least half of the steps of a series (leaks_classes.c). */
void ubi__leaks_write_classes(const ubi__page *page, const ubi__leaks_answer *answer);

/* ---- what became larger (leaks_grown.c) --------------------------------------------------------------------------- */

/** Most that are listed, whatever the limit: each has a path, and a file may have millions of long ones. */
#define UBI__LEAKS_MOST_GROWN 200
/** How many may be listed. */
uint32_t ubi__leaks_grown_limit(const ubi__leaks_answer *answer);
/** Lines on the page about objects of OLD that became larger by much. Errors: UBI_ENOMEM. */
ubi_status ubi__leaks_write_grown(const ubi__page *page, const ubi__leaks_answer *answer, ubi__leak_memo *memo);
/** Growth in bytes of the objects in these lines. Cost: O(objects that grew). */
uint64_t ubi__leaks_listed_growth(const ubi__leaks_answer *answer);
/** The own size of a node of the newest heap, without what it holds. O(1). */
uint64_t ubi__leak_own_size(const ubi__leaks_answer *answer, ubi_node_ix node);
/** The object that the page lists first; NULL: none. */
const ubi_leak_grown *ubi__leaks_first_grown(const ubi__leaks_answer *answer);

#endif
