/* SPDX-License-Identifier: MIT
 *
 * query_evaluate.h: a subexpression for one row.
 */
#ifndef UBI_ANALYSES_QUERY_EVALUATE_H
#define UBI_ANALYSES_QUERY_EVALUATE_H

#include "analyses/query/query_program.h"

/** Some rows of one value that is a number or a bool. */
typedef struct ubi__lane {
    uint64_t magnitude[UBI_QUERY_BLOCK];
    uint8_t state[UBI_QUERY_BLOCK];
    bool is_loaded;    /* for the block that is looked at */
    bool has_negative; /* some state is NEGATIVE */
} ubi__lane;

/** A query bound to where its values come from. */
typedef struct ubi__evaluator {
    const ubi_query *query;
    ubi_query_source source;
    ubi__scalar *stack;  /* owned stack[query->stack_depth] */
    ubi__scalar *shares; /* owned; what each share is, in whole numbers */
    ubi__lane *lanes;    /* owned lanes[number of values] */
    ubi__matcher matcher;
} ubi__evaluator;

/** A row of the block at hand. */
typedef struct ubi__place {
    uint32_t first; /* row of the block's first */
    uint32_t n;     /* rows of the block */
    uint32_t i;     /* which of them */
    uint32_t group;
} ubi__place;

ubi_status ubi__evaluator_init(ubi__evaluator *out, const ubi_query *query, const ubi_query_source *source,
                               const ubi_allocator *allocator);
void ubi__evaluator_fini(ubi__evaluator *evaluator, const ubi_allocator *allocator);

/** A share of a basis, in the unit of what it is compared with, and rounded so that the comparison stays exact. */
ubi__scalar ubi__share_of(const ubi__share *share, const ubi_query *query, uint64_t basis);

/** The lane of a value, loaded for the block. */
const ubi__lane *ubi__evaluator_lane(ubi__evaluator *evaluator, uint32_t value, uint32_t first, uint32_t n);
void ubi__evaluator_next_block(ubi__evaluator *evaluator);

/** The subexpression that ends at instruction `last`, as a condition. */
bool ubi__evaluate(ubi__evaluator *evaluator, uint32_t last, const ubi__place *place);

#endif
