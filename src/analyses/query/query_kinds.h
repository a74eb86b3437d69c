/* SPDX-License-Identifier: MIT
 *
 * query_kinds.h: which operators go with which operands.
 */
#ifndef UBI_ANALYSES_QUERY_KINDS_H
#define UBI_ANALYSES_QUERY_KINDS_H

#include "analyses/query/query_program.h"

/** "a size", "a text", ...; static. */
const char *ubi__query_kind_name(ubi__query_kind kind);

/**
 * The kind of what an operator makes of its operands. For operators with one operand, `right` is that operand.
 *
 * @param problem  problem[n_problem]: what is wrong, when the answer is false. Quotes `sign`.
 */
bool ubi__query_result_kind(ubi__query_kind *out, ubi__query_op op, ubi__query_kind left, ubi__query_kind right,
                            const char *sign, char *problem, size_t n_problem);

#endif
