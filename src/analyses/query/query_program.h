/* SPDX-License-Identifier: MIT
 *
 * query_program.h: a checked expression as instructions in postfix order.
 *
 * An instruction knows where its operands begin: the tree is there without pointers, and walking it needs no recursion.
 *
 *     className == "Array" and rawSize > 1KiB
 *
 *     0 VALUE className   1 TEXT "Array"   2 EQUAL (from 0)   3 VALUE rawSize   4 NUMBER 1024   5 GREATER (from 3)
 *     6 AND (from 0)
 */
#ifndef UBI_ANALYSES_QUERY_PROGRAM_H
#define UBI_ANALYSES_QUERY_PROGRAM_H

#include <ubiheap/core/query.h>

#include "analyses/query/query_pattern.h"
#include "analyses/query/query_scalar.h"
#include "base/alloc.h"

typedef enum ubi__query_op {
    /* Push one. */
    UBI__QUERY_NULL,
    UBI__QUERY_TRUTH,  /* a: 0 or 1 */
    UBI__QUERY_NUMBER, /* numbers[a] */
    UBI__QUERY_TEXT,   /* texts[a] */
    UBI__QUERY_SHARE,  /* shares[a] */
    UBI__QUERY_VALUE,  /* values[a] */
    /* Replace the last. */
    UBI__QUERY_NOT,
    UBI__QUERY_NEGATE,
    UBI__QUERY_MATCHES, /* patterns[a] */
    /* Replace the last two. */
    UBI__QUERY_ADD,
    UBI__QUERY_SUBTRACT,
    UBI__QUERY_MULTIPLY,
    UBI__QUERY_DIVIDE,
    UBI__QUERY_EQUAL,
    UBI__QUERY_LESS,
    UBI__QUERY_LESS_EQUAL,
    UBI__QUERY_GREATER,
    UBI__QUERY_GREATER_EQUAL,
    UBI__QUERY_CONTAINS,
    UBI__QUERY_STARTS_WITH,
    UBI__QUERY_ENDS_WITH,
    UBI__QUERY_AND,
    UBI__QUERY_OR
} ubi__query_op;

/** Types of subexpressions: those of names, and what fits more than one of them. */
typedef enum ubi__query_kind {
    UBI__KIND_BOOL,
    UBI__KIND_COUNT, /* a number that is no size and no duration */
    UBI__KIND_SIZE,
    UBI__KIND_DURATION,
    UBI__KIND_PLAIN, /* a number written without a unit: fits all of them */
    UBI__KIND_TEXT,
    UBI__KIND_NULL,
    UBI__KIND_SHARE
} ubi__query_kind;

typedef struct ubi__instruction {
    uint8_t op;      /* ubi__query_op */
    uint8_t kind;    /* ubi__query_kind of the result */
    bool is_of_rows; /* some value in it is not is_by_group */
    uint32_t a;      /* see ubi__query_op */
    uint32_t first;  /* the subexpression is [first, this] */
    uint32_t at;     /* byte of the source, for messages */
} ubi__instruction;

/** A piece of the text arena. */
typedef struct ubi__piece {
    uint32_t start, n;
} ubi__piece;

/**
 * 5%: the numerator 5 over 100, of a basis that is known when the query is bound. What it is compared with is whole, so
 * it is rounded, and in such a direction that the comparison stays exact.
 */
typedef struct ubi__share {
    ubi__whole numerator;
    ubi__whole denominator;
    uint32_t value;     /* whose basis */
    bool is_rounded_up; /* to the next whole number, for < and >=; else down */
} ubi__share;

typedef struct ubi__query_slot {
    const ubi_query_name *name;
    bool has_argument, is_quoted, needs_basis;
    ubi__piece argument;
} ubi__query_slot;

UBI_VEC_DECLARE(ubi__vec_instruction, ubi__instruction);
UBI_VEC_DECLARE(ubi__vec_scalar, ubi__scalar);
UBI_VEC_DECLARE(ubi__vec_piece, ubi__piece);
UBI_VEC_DECLARE(ubi__vec_share, ubi__share);
UBI_VEC_DECLARE(ubi__vec_slot, ubi__query_slot);
UBI_VEC_DECLARE(ubi__vec_pattern, ubi__pattern *);

struct ubi_query {
    const ubi_allocator *allocator;
    ubi__vec_instruction program;
    ubi__vec_scalar numbers;
    ubi__vec_piece texts;
    ubi__vec_share shares;
    ubi__vec_slot values;
    ubi__vec_pattern patterns;
    ubi__vec_u8 arena;    /* of texts and arguments */
    uint32_t stack_depth; /* most operands at once */
};

/**
 * Instructions leave one condition, and no more than stack_depth operands on the way there; their subexpressions nest, and what
 * they refer to is there. O(instructions).
 */
void ubi__query_check(const ubi_query *q);

static inline ubi_text ubi__query_text(const ubi_query *q, ubi__piece piece) {
    UBI_ASSERT((uint64_t)piece.start + piece.n <= q->arena.n);
    return (ubi_text){ q->arena.at ? (const char *)q->arena.at + piece.start : "", piece.n };
}

#endif
