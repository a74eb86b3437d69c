/* SPDX-License-Identifier: MIT
 *
 * summary_values.h: the parameters of `summary`.
 *
 * What was allocated before or after an older snapshot is known by the largest id in that. Programs give the id; the command line gives
 * the file, which it reads when the question asks.
 */
#ifndef UBI_QUESTIONS_SUMMARY_VALUES_H
#define UBI_QUESTIONS_SUMMARY_VALUES_H

#include "questions/question.h"

/** Finds the largest id that was given when the snapshot of this name was taken. Errors: UBI_EINVAL (ids there say nothing of time), ... */
typedef ubi_status ubi__older_id_find(uint64_t *out, void *payload, const char *older);

typedef struct ubi__summary_values {
    const char *filter, *context, *where;
    const char *since, *until;         /**< older snapshots, of the command line */
    ubi__node_id since_id, until_id;   /**< the largest ids in them, of programs */
    ubi__older_id_find *older_id_find; /**< where `since` or `until` may be given; else NULL */
    void *payload;                     /**< of that */
    const char *class_name, *matching, *sort, *fail_on;
    uint64_t limit, offset;
    bool is_reversed;
} ubi__summary_values;

extern const ubi__usage ubi__usage_summary;
extern const ubi__question ubi__question_summary;

#endif
