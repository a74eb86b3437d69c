/* SPDX-License-Identifier: MIT
 *
 * query_lexer.h: an expression as words, numbers, texts and signs.
 */
#ifndef UBI_ANALYSES_QUERY_LEXER_H
#define UBI_ANALYSES_QUERY_LEXER_H

#include "analyses/query/query_scalar.h"
#include "base/alloc.h"

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

#endif
