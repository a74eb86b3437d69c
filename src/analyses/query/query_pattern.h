/* SPDX-License-Identifier: MIT
 *
 * query_pattern.h: regular expressions that match in linear time.
 *
 * Both the pattern and the texts may be hostile, so the matcher does not backtrack and there are no back references: a
 * pattern becomes a small nondeterministic automaton, and a match walks the text once with the set of states it can be in.
 * The library's own, so that nothing depends on the C library's locale, stack use or speed.
 *
 * Syntax: . [abc] [^a-z] \d \D \w \W \s \S ^ $ \b \B ( ) (?: ) | * + ? {n} {n,} {n,m}; escapes \n \t \r \xNN \uNNNN \u{N};
 * a backslash before other punctuation takes it as it is. Characters are code points; a byte that is not UTF-8 is one
 * character, which only . and negated sets match. A pattern matches anywhere in a text unless ^ and $ tie it down.
 */
#ifndef UBI_ANALYSES_QUERY_PATTERN_H
#define UBI_ANALYSES_QUERY_PATTERN_H

#include <ubiheap/core/base.h>

#include "base/alloc.h"

/** States of the automaton; repetitions such as x{500} take as many as they say. */
#define UBI__PATTERN_MAX_STATES 20000
/** Groups within groups. */
#define UBI__PATTERN_MAX_DEPTH 64

/*
 * The automaton.
 *
 * States are instructions in a row. A branch names its targets relative to itself, so a piece of the row can be moved and
 * copied: that is how x{3} and a|b are made while reading from left to right.
 */

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

/** Immutable. */
typedef struct ubi__pattern {
    const ubi_allocator *allocator;
    ubi__vec_state states;
    ubi__vec_range ranges;
    ubi__vec_set sets;
} ubi__pattern;

/** Branches lead to states of the pattern, of which the last alone is the end; sets have ranges of their own. O(states). */
void ubi__pattern_check(const ubi__pattern *pattern);

/**
 * @param source  without delimiters; copied.
 * @param at      where in `source` the mistake is, when the answer is UBI_EINVAL.
 * @param problem what it is: constant text.
 * Errors: UBI_EINVAL (no message: the caller knows the place), UBI_ENOMEM. Cost: linear in the number of states.
 */
ubi_status ubi__pattern_new(ubi__pattern **out, ubi_text source, const ubi_allocator *allocator, size_t *at,
                            const char **problem);
void ubi__pattern_free(ubi__pattern *pattern);

/** Working memory of matches; one thread. */
typedef struct ubi__matcher {
    uint32_t n_states;
    uint32_t *memory; /* owned; 3 words per state */
    uint32_t step;    /* of all matches so far; marks of earlier steps do not count */
} ubi__matcher;

uint32_t ubi__pattern_state_count(const ubi__pattern *pattern);
/** For patterns of at most `n_states`. UBI_ENOMEM. */
ubi_status ubi__matcher_init(ubi__matcher *matcher, uint32_t n_states, const ubi_allocator *allocator);
void ubi__matcher_fini(ubi__matcher *matcher, const ubi_allocator *allocator);

/** Whether the pattern matches somewhere in `text`. Cost: O(text * states), no recursion. */
bool ubi__pattern_matches(const ubi__pattern *pattern, ubi__matcher *matcher, ubi_text text);

#endif
