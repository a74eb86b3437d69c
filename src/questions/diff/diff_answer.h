/* SPDX-License-Identifier: MIT
 *
 * diff_answer.h: what changed between two heaps.
 *
 * There are three views. A breakdown gives the difference of two censuses; by class, heaps are compared node by node; and a page without
 * either shows the classes and the places in the source that changed most.
 */
#ifndef UBI_QUESTIONS_DIFF_ANSWER_H
#define UBI_QUESTIONS_DIFF_ANSWER_H

#include <ubiheap/core/diff.h>

#include "analyses/diff/class_members.h"
#include "questions/breakdown_choice.h"
#include "questions/counted_nodes.h"
#include "questions/question.h"

typedef struct ubi__diff_values {
    ubi__breakdown_arguments by;
    const char *view;
    const char *sort;
    uint64_t individuals; /**< of this row by class, from 1; 0: of none */
    const char *side;     /**< of these, rows of what was "created" or "deleted"; NULL: ids of both */
    const char *fail_on;
    /* Of recordings. */
    const char *per, *process;
    int symbols, wrappers;
    ubi__texts suppress;
} ubi__diff_values;

typedef struct ubi__diff_recordings ubi__diff_recordings;

/** One of the two heaps. Borrowed from sessions. */
typedef struct ubi__diff_side {
    const char *name;
    const ubi_graph *graph;
    const ubi_look *look;     /**< NULL: a document by breakdown, which needs none */
    const ubi_census *census; /**< NULL by class */
    ubi_tally total;          /**< of nodes that a census counts */
} ubi__diff_side;

/** Places in the source that allocated what is new or gone. */
typedef struct ubi__diff_sites {
    ubi_census_diff *diff; /**< owned; NULL: nothing has a stack */
    ubi_census_tree *tree; /**< owned: the top of an inverted tree by allocation stack */
} ubi__diff_sites;

typedef struct ubi__diff_answer {
    const ubi__diff_values *values;
    ubi__breakdown_choice chosen; /**< owned */
    ubi_session_use *old_heap;    /**< owned: OLD, looked at like NEW */
    ubi__diff_side old_side, new_side;
    bool is_net; /**< a change in bytes is what is new less what is deleted, as DevTools show where ids are stable */
    bool is_one_process; /**< else V8's ids do not show which was taken first */
    /* by class */
    ubi_class_diff *classes; /**< owned; NULL by breakdown */
    uint32_t *changed;       /**< owned: changed[n_changed], the rows that changed, of changed[n_rows]; for a page */
    uint32_t n_changed, n_rows;
    ubi__class_members members;   /**< owned; of one class, if they were asked for */
    ubi__counted_nodes nodes;     /**< owned; of one side of these, if some rows of it are shown */
    ubi__breakdown_choice labels; /**< owned; of these rows */
    ubi__diff_sites sites;
    /* by breakdown */
    ubi_census_diff *diff;            /**< owned; NULL by class */
    ubi_census_tree *tree;            /**< owned; NULL: the delta itself is shown */
    ubi__census_rows rows;            /**< of the tree, if only some are shown */
    ubi__diff_recordings *recordings; /**< owned; NULL: of heaps */
} ubi__diff_answer;

/** The parts of a computed answer fit together. */
void ubi__diff_answer_check(const ubi__diff_answer *answer);

/** The members of its document. */
ubi_status ubi__diff_document(ubi__json *json, const void *answer, const ubi__asked *asked);
ubi_status ubi__diff_page(const ubi__page *page, const void *answer, const ubi__asked *asked);

/** Whether the head would comment on the order by V8's ids; then it must be known whether it is one process. */
bool ubi__diff_doubts_order(const ubi__diff_answer *answer);
/** The change of a class in bytes. */
ubi__change ubi__diff_bytes_of(const ubi__diff_answer *answer, const ubi_class_change *row);

#endif
