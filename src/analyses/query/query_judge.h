/* SPDX-License-Identifier: MIT
 *
 * query_judge.h: a condition on numbers of which one only knows what they lie between.
 *
 * It holds, it does not, or that is open. Comparisons of ranges have three answers, and `and`, `or` and `not` are those of
 * Kleene: what one side decides alone is decided. Arithmetic is that of intervals, so a value that occurs twice in an expression
 * counts as two that know nothing of each other: an answer is never wrong, but `x - x < 1` may be open.
 *
 * Comparing what has no value, as `x / 0` has none, is open, too, unless it is compared with null: in an expression about nodes it selects
 * none of them, but a condition that asked for nothing must not count as one that does not hold.
 */
#ifndef UBI_ANALYSES_QUERY_JUDGE_H
#define UBI_ANALYSES_QUERY_JUDGE_H

#include "analyses/query/query_scalar.h"
#include <ubiheap/core/query.h>

typedef enum ubi__answer {
    UBI__ANSWER_NO,
    UBI__ANSWER_YES,
    UBI__ANSWER_OPEN,
    UBI__ANSWER_NO_VALUE /**< open, and it compares what has no value: no finer measurement would decide */
} ubi__answer;

/** A number, and what a share of it is a share of; low <= high. */
typedef struct ubi__query_range {
    ubi__whole low, high;
    uint64_t basis_low, basis_high;
} ubi__query_range;

/**
 * @param ranges  ranges[ubi_query_value_count(query)]; values are numbers: counts, sizes, or durations in nanoseconds.
 * Errors: UBI_ENOMEM. Cost: O(instructions).
 */
ubi_status ubi__query_judge(ubi__answer *out, const ubi_query *query, const ubi__query_range *ranges,
                            const ubi_allocator *allocator);

/** Whether it asks somewhere if two values are the same: then limits cannot say yes, however narrow they are. O(instructions). */
bool ubi__query_asks_equality(const ubi_query *query);

#endif
