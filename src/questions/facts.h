/* SPDX-License-Identifier: MIT
 *
 * facts.h: what an answer knows of itself that a door can judge or must say: the facts that a condition may name, and remarks.
 */
#ifndef UBI_QUESTIONS_FACTS_H
#define UBI_QUESTIONS_FACTS_H

#include <ubiheap/core/dominators.h>
#include <ubiheap/core/query.h>
#include <ubiheap/views/lens.h>

/* ---- of heaps ----------------------------------------------------------------------------------------------------- */

/** Which facts of heaps a condition on an answer may name. */
typedef enum ubi__condition_scope {
    UBI__CONDITION_SNAPSHOT,  /**< of one snapshot: bytes, count(LABEL), retained(LABEL), ... */
    UBI__CONDITION_SELECTION, /**< the same, and `matches`: how many nodes were selected */
    UBI__CONDITION_COMPARISON /**< of two: those of NEW, growth, growth(LABEL), ... */
} ubi__condition_scope;

/* ---- of a question itself ----------------------------------------------------------------------------------------- */

/** Words that do not mean a class unless quoted; static. */
typedef struct ubi__condition_words {
    const char *what;                    /**< such as "verdict" */
    const char *(*word_at)(uint32_t ix); /**< NULL after the last */
} ubi__condition_words;

/** The value of a fact: a number, and its 100%, if it has a basis; for an estimate, the limits of both. */
typedef struct ubi__condition_value {
    uint64_t magnitude;
    bool is_negative;
    uint64_t basis;
    bool is_estimate;               /**< then: */
    bool is_partial;                /**< more of it was not recorded: no finer measurement has it */
    uint64_t low, high;             /**< of the number, which is not negative */
    uint64_t low_below, high_below; /**< of a difference: the limit is so far below 0, and itself 0 */
    uint64_t basis_low, basis_high; /**< of the basis */
    const char *
        because; /**< why it is an estimate or unknown: "markers were lost"; static, or the answer's. With UINT64_MAX as `high` it has
                              no upper limit, as `low_below` no lower one */
    const char *unknown; /**< not NULL: unknown, in words such as "was not measured"; static */
} ubi__condition_value;

/** Limits are in order, only differences are negative, and what is unknown is not an estimate as well. */
void ubi__condition_value_check(const ubi__condition_value *value);

typedef ubi_status ubi__condition_measure(ubi__condition_value *out, void *payload, ubi_query_value value);

/**
 * Facts that may be estimates. If their limits do not decide the condition, it cannot be judged, and the reason says what would have
 * decided it: `refine` is called until the numbers of `measure` do.
 */
typedef struct ubi__condition_estimates {
    ubi__condition_measure *measure; /**< NULL: the facts are those of heaps */
    /** From here on `measure` answers as for a finer measurement. False: there is none; it is exact from here on. NULL: none are estimates
     *  that could be finer. */
    bool (*refine)(void *payload);
    /** The measurement that it names, such as "'record --period 64KiB'". */
    void (*name)(char *out, size_t n, void *payload);
    void *payload;
} ubi__condition_estimates;

/** What a condition on an answer is judged by. Borrowed from the answer. */
typedef struct ubi__question_facts {
    const ubi_graph *graph, *old; /**< the heap, or NEW and OLD */
    const ubi_look *look, *old_look;
    const ubi_dominators *dominators;
    uint64_t n_matches;
    ubi__condition_estimates own; /**< instead of all that */
    const char
        *undecided; /**< why the answer shows nothing, whatever the condition, if there is one at all; NULL: it does */
} ubi__question_facts;

/* ---- remarks ------------------------------------------------------------------------------------------------------ */

#define UBI__REMARK_BYTES 1024

/** What remains to be said when all is written and judged. "": nothing. */
typedef struct ubi__remarks {
    char fault[512];                /**< what is wrong in the file: the answer is of what comes before it */
    char note[256];                 /**< of the parameters: a name that there is not */
    char passed[UBI__REMARK_BYTES]; /**< what a condition that does not hold leaves open */
} ubi__remarks;

#endif
