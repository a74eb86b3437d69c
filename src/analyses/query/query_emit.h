/* SPDX-License-Identifier: MIT
 *
 * query_emit.h: appending checked instructions to a program.
 *
 * Whatever is appended is complete: its operands are there, their types fit, and literals are folded.
 */
#ifndef UBI_ANALYSES_QUERY_EMIT_H
#define UBI_ANALYSES_QUERY_EMIT_H

#include "analyses/query/query_lexer.h"
#include "analyses/query/query_program.h"

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
    bool negated; /* followed by a NOT */
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
