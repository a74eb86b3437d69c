/* SPDX-License-Identifier: MIT
 *
 * query_pattern_states.h: the automaton of a pattern.
 *
 * States are instructions in a row. A branch names its targets relative to itself, so a piece of the row can be moved and
 * copied: that is how x{3} and a|b are made while reading from left to right.
 */
#ifndef UBI_ANALYSES_QUERY_PATTERN_STATES_H
#define UBI_ANALYSES_QUERY_PATTERN_STATES_H

#include "analyses/query/query_pattern.h"
#include "base/alloc.h"

typedef enum ubi__state_kind {
    UBI__STATE_CHAR,  /* the character x, then the next state */
    UBI__STATE_ANY,   /* any character */
    UBI__STATE_SET,   /* a character of set x */
    UBI__STATE_SPLIT, /* without a character: the next state, and the one at distance x */
    UBI__STATE_JUMP,  /* the one at distance x */
    UBI__STATE_START, /* the next state at the start of the text */
    UBI__STATE_END,
    UBI__STATE_EDGE, /* between a word character and another one, or not (NOT_EDGE) */
    UBI__STATE_NOT_EDGE,
    UBI__STATE_MATCH
} ubi__state_kind;

typedef struct ubi__state {
    ubi__state_kind kind;
    int32_t x;
} ubi__state;

UBI_VEC_DECLARE(ubi__vec_state, ubi__state);

typedef struct ubi__range {
    uint32_t low, high; /* inclusive */
} ubi__range;

UBI_VEC_DECLARE(ubi__vec_range, ubi__range);

typedef struct ubi__set {
    uint32_t first, n; /* of the ranges */
    bool is_negated;
} ubi__set;

UBI_VEC_DECLARE(ubi__vec_set, ubi__set);

struct ubi__pattern {
    const ubi_allocator *allocator;
    ubi__vec_state states;
    ubi__vec_range ranges;
    ubi__vec_set sets;
};

/** Branches lead to states of the pattern, of which the last alone is the end; sets have ranges of their own. O(states). */
void ubi__pattern_check(const ubi__pattern *pattern);

#endif
