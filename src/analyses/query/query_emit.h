/* SPDX-License-Identifier: MIT
 *
 * query_emit.h: appending checked instructions to a program.
 *
 * Whatever is appended is complete: its operands are there, their types fit, and literals are folded.
 */
#ifndef UBI_ANALYSES_QUERY_EMIT_H
#define UBI_ANALYSES_QUERY_EMIT_H

#include "analyses/query/query_program.h"
#include "analyses/query/query_scalar.h"
#include "base/alloc.h"

/* ---- words -------------------------------------------------------------------------------------------------------- */

typedef enum ubi__token_kind {
    UBI__TOKEN_END,
    UBI__TOKEN_WORD, /* a name or one of the language's own words */
    UBI__TOKEN_NUMBER,
    UBI__TOKEN_TEXT,
    UBI__TOKEN_SIGN /* one of ( ) + - * / ! = == != < <= > >= ~ !~ && || */
} ubi__token_kind;

typedef struct ubi__token {
    ubi__token_kind kind;
    size_t at;          /* byte of the source */
    ubi_text text;      /* as written; of a TEXT: what is between the quotes, decoded, in the lexer's buffer */
    bool has_unit;      /* NUMBER with B, KiB, ... or with ms, s, ... */
    bool is_duration;   /* the unit is one of time */
    bool is_share;      /* NUMBER with % */
    bool is_quoted;     /* TEXT in quotes */
    uint64_t numerator; /* of a NUMBER: numerator / denominator * factor */
    ubi__whole denominator;
    ubi__whole factor;
} ubi__token;

typedef struct ubi__lexer {
    ubi_text source; /* UTF-8 */
    size_t at;
    const ubi_allocator *allocator;
    ubi__vec_u8 decoded; /* the last TEXT */
} ubi__lexer;

/** UBI_EINVAL "PROBLEM at character N; ADVICE" for "PROBLEM; ADVICE", N counted from 1. */
ubi_status ubi__lexer_fail(const ubi__lexer *lexer, size_t at, const char *format, ...) UBI_PRINTF(3, 4);

/** The next token. Errors: UBI_EINVAL, UBI_ENOMEM. */
ubi_status ubi__lexer_next(ubi__lexer *lexer, ubi__token *out);
/** What follows ~: /.../ or a quoted text, backslashes kept. */
ubi_status ubi__lexer_pattern(ubi__lexer *lexer, ubi__token *out);
/** What is in the parentheses of a call: quoted, or bare up to the parenthesis, which is left to be read. */
ubi_status ubi__lexer_argument(ubi__lexer *lexer, ubi__token *out);
void ubi__lexer_fini(ubi__lexer *lexer);

/* ---- operators and operands --------------------------------------------------------------------------------------- */

/** "a size", "a text", ...; static. */
const char *ubi__query_kind_name(ubi__query_kind kind);

/**
 * The kind of what an operator makes of its operands. For operators with one operand, `right` is that operand.
 *
 * @param problem  problem[n_problem]: what is wrong, when the answer is false. Quotes `sign`.
 */
bool ubi__query_result_kind(ubi__query_kind *out, ubi__query_op op, ubi__query_kind left, ubi__query_kind right,
                            const char *sign, char *problem, size_t n_problem);

/* ---- instructions ------------------------------------------------------------------------------------------------- */

/** How tightly operators bind, loosest first. */
typedef enum ubi__precedence {
    UBI__OF_PARENTHESIS,
    UBI__OF_OR,
    UBI__OF_AND,
    UBI__OF_NOT,
    UBI__OF_COMPARISON,
    UBI__OF_SUM,
    UBI__OF_PRODUCT,
    UBI__OF_SIGN
} ubi__precedence;

typedef struct ubi__operator {
    const char *sign;
    ubi__query_op op;
    ubi__precedence precedence;
    bool is_negated; /* followed by a NOT */
} ubi__operator;

typedef struct ubi__emitter {
    ubi_query *query;
    const ubi__lexer *lexer; /* for the places of mistakes */
    uint32_t n_operands;     /* on the stack at this point of the program */
} ubi__emitter;

/** The instruction appended last. */
static inline ubi__instruction *ubi__emitted_last(const ubi__emitter *e) {
    return &e->query->program.at[e->query->program.n - 1];
}

/* `at` is the byte of the source that a message would point at. Errors: UBI_EINVAL, UBI_ENOMEM. */

/** null, true or false. */
ubi_status ubi__emit_word(ubi__emitter *e, ubi__query_op op, bool truth, size_t at);
/** A number or a share. */
ubi_status ubi__emit_number(ubi__emitter *e, const ubi__token *token);
ubi_status ubi__emit_text(ubi__emitter *e, const ubi__token *token);
/** @param argument  a TEXT; its text NULL: none. */
ubi_status ubi__emit_value(ubi__emitter *e, const ubi_query_name *name, const ubi__token *argument, size_t at);
/** @param a  of MATCHES: the pattern. */
ubi_status ubi__emit_operator(ubi__emitter *e, const ubi__operator *row, size_t at, uint32_t a);
static inline bool ubi__operator_is_binary(const ubi__operator *row) {
    return row->op >= UBI__QUERY_ADD;
}

#endif
