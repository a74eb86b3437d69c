/* SPDX-License-Identifier: MIT
 *
 * query_parse.c: an expression to a program, by operator precedence.
 *
 * Operators wait on a small stack until one that binds less tightly comes; then they become instructions after their
 * operands. The stack is bounded by the limit of nesting, not by the length of the expression, and nothing recurses.
 * Types are checked as instructions are made (query_emit.h).
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "analyses/query/query_emit.h"
#include "base/human.h"
#include "base/text.h"

static const ubi__operator binary_operators[] = {
    { "or", UBI__QUERY_OR, UBI__OF_OR, false },
    { "||", UBI__QUERY_OR, UBI__OF_OR, false },
    { "and", UBI__QUERY_AND, UBI__OF_AND, false },
    { "&&", UBI__QUERY_AND, UBI__OF_AND, false },
    { "==", UBI__QUERY_EQUAL, UBI__OF_COMPARISON, false },
    { "=", UBI__QUERY_EQUAL, UBI__OF_COMPARISON, false },
    { "!=", UBI__QUERY_EQUAL, UBI__OF_COMPARISON, true },
    { "<", UBI__QUERY_LESS, UBI__OF_COMPARISON, false },
    { "<=", UBI__QUERY_LESS_EQUAL, UBI__OF_COMPARISON, false },
    { ">", UBI__QUERY_GREATER, UBI__OF_COMPARISON, false },
    { ">=", UBI__QUERY_GREATER_EQUAL, UBI__OF_COMPARISON, false },
    { "~", UBI__QUERY_MATCHES, UBI__OF_COMPARISON, false },
    { "!~", UBI__QUERY_MATCHES, UBI__OF_COMPARISON, true },
    { "contains", UBI__QUERY_CONTAINS, UBI__OF_COMPARISON, false },
    { "startswith", UBI__QUERY_STARTS_WITH, UBI__OF_COMPARISON, false },
    { "endswith", UBI__QUERY_ENDS_WITH, UBI__OF_COMPARISON, false },
    { "+", UBI__QUERY_ADD, UBI__OF_SUM, false },
    { "-", UBI__QUERY_SUBTRACT, UBI__OF_SUM, false },
    { "*", UBI__QUERY_MULTIPLY, UBI__OF_PRODUCT, false },
    { "/", UBI__QUERY_DIVIDE, UBI__OF_PRODUCT, false },
    { NULL, UBI__QUERY_OR, UBI__OF_OR, false },
};

static const ubi__operator prefix_operators[] = {
    { "not", UBI__QUERY_NOT, UBI__OF_NOT, false },
    { "!", UBI__QUERY_NOT, UBI__OF_NOT, false },
    { "-", UBI__QUERY_NEGATE, UBI__OF_SIGN, false },
    { NULL, UBI__QUERY_NOT, UBI__OF_NOT, false },
};

static const ubi__operator parenthesis = { "(", UBI__QUERY_NULL, UBI__OF_PARENTHESIS, false };

typedef struct pending {
    const ubi__operator *row;
    size_t at;
} pending;

/* Each level of nesting holds at most one operator of each binary precedence. */
#define MAX_PENDING ((UBI_QUERY_MAX_DEPTH + 1) * (UBI__OF_SIGN + 1))

typedef struct parser {
    ubi__emitter out;
    const ubi_query_name *vocabulary;
    ubi__lexer lexer;
    ubi__token token; /* the next one */
    pending pending[MAX_PENDING];
    size_t n_pending;
    unsigned depth; /* pending parentheses and prefix operators */
} parser;

#define fail(p, at, ...) ubi__lexer_fail(&(p)->lexer, at, __VA_ARGS__)

static ubi_status next_token(parser *p) {
    UBI_ASSERT(p->lexer.at <= p->lexer.source.len);
    return ubi__lexer_next(&p->lexer, &p->token);
}

/* Words of the language may be written in capitals too. */
static bool token_is(const parser *p, const char *word) {
    return (p->token.kind == UBI__TOKEN_WORD || p->token.kind == UBI__TOKEN_SIGN) &&
           strlen(word) == p->token.text.len && strncasecmp(word, p->token.text.ptr, p->token.text.len) == 0;
}

static const ubi__operator *find_operator(const parser *p, const ubi__operator *rows) {
    for (; rows->sign; rows++)
        if (token_is(p, rows->sign))
            return rows;
    return NULL;
}

/* ---- pending operators ------------------------------------------------------------------------------------------ */

static ubi_status finish_pending(parser *p) {
    UBI_ASSERT(p->n_pending > 0);
    const pending top = p->pending[--p->n_pending];
    p->depth -= !ubi__operator_is_binary(top.row);
    return ubi__emit_operator(&p->out, top.row, top.at, 0);
}

/* Operators that bind at least as tightly as `least`, up to the innermost parenthesis. */
static ubi_status finish_down_to(parser *p, ubi__precedence least) {
    while (p->n_pending && p->pending[p->n_pending - 1].row->precedence >= least)
        UBI_TRY(finish_pending(p));
    return UBI_OK;
}

static ubi_status push_prefix(parser *p, const ubi__operator *row) {
    if (p->depth == UBI_QUERY_MAX_DEPTH)
        return fail(p, p->token.at, "nested deeper than %d levels", UBI_QUERY_MAX_DEPTH);
    p->depth++;
    p->pending[p->n_pending++] = (pending){ row, p->token.at };
    return next_token(p);
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

/* "leaked, peak, ...", where no name is a text: then quotes would not help. @return false: there is one */
static bool names_list(char *out, size_t size, const ubi_query_name *names) {
    size_t used = 0;
    for (const ubi_query_name *n = names; n->name; n++) {
        if (n->type == UBI_QUERY_TEXT)
            return false;
        if (used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%s", n > names ? ", " : "", n->name);
    }
    return used > 0;
}

static ubi_status fail_unknown(parser *p, size_t at, ubi_text name) {
    char typed[48], names[320];
    snprintf(typed, sizeof typed, "%.*s", (int)(name.len < sizeof typed ? name.len : sizeof typed - 1), name.ptr);
    ubi__suggestion best = ubi__suggestion_for(typed);
    for (const ubi_query_name *n = p->vocabulary; n->name; n++)
        ubi__suggestion_try(&best, n->name);
    if (best.word)
        return fail(p, at, "unknown name '%s'; did you mean '%s'?", typed, best.word);
    if (names_list(names, sizeof names, p->vocabulary))
        return fail(p, at, "unknown name '%s'; names are %s", typed, names);
    return fail(p, at, "unknown name '%s'; put a text in quotes", typed);
}

static ubi_status find_name(parser *p, const ubi_query_name **out) {
    for (const ubi_query_name *n = p->vocabulary; n->name; n++)
        if (ubi__text_is(p->token.text, n->name)) {
            *out = n;
            return UBI_OK;
        }
    return fail_unknown(p, p->token.at, p->token.text);
}

/* The text in parentheses after a name, whose opening parenthesis is the next token. */
static ubi_status read_argument(parser *p, const ubi_query_name *name, ubi__token *argument) {
    size_t at = p->token.at;
    if (name->argument == UBI_QUERY_NO_ARGUMENT)
        return fail(p, at, "%s takes nothing in parentheses", name->name);
    UBI_TRY(ubi__lexer_argument(&p->lexer, argument));
    UBI_TRY(next_token(p));
    if (!token_is(p, ")"))
        return fail(p, p->token.at, "expected the ) of %s(...); put a text with spaces or signs in quotes", name->name);
    return UBI_OK;
}

static ubi_status parse_value(parser *p) {
    size_t at = p->token.at;
    const ubi_query_name *name = NULL;
    ubi__token argument = { 0 };
    UBI_TRY(find_name(p, &name));
    UBI_TRY(next_token(p));
    bool has_argument = token_is(p, "(");
    if (has_argument)
        UBI_TRY(read_argument(p, name, &argument));
    else if (name->argument == UBI_QUERY_HAS_ARGUMENT)
        return fail(p, at, "missing text in parentheses; write %s(Array)", name->name);
    UBI_TRY(ubi__emit_value(&p->out, name, &argument, at));
    return has_argument ? next_token(p) : UBI_OK;
}

/* ---- patterns --------------------------------------------------------------------------------------------------- */

/* The next token is the ~ itself: what follows it is no ordinary token. */
static ubi_status parse_match(parser *p, const ubi__operator *row) {
    size_t at = p->token.at, problem_at;
    ubi__pattern *pattern;
    ubi__token source;
    const char *problem;
    UBI_TRY(ubi__lexer_pattern(&p->lexer, &source));
    UBI_TRY(ubi__vec_pattern_reserve(&p->out.query->patterns, p->out.query->allocator, 1));
    ubi_status status = ubi__pattern_new(&pattern, source.text, p->out.query->allocator, &problem_at, &problem);
    if (status == UBI_EINVAL)
        return fail(p, source.at + 1 + problem_at, "%s", problem);
    UBI_TRY(status);
    p->out.query->patterns.at[p->out.query->patterns.n++] = pattern;
    UBI_TRY(ubi__emit_operator(&p->out, row, at, (uint32_t)p->out.query->patterns.n - 1));
    return next_token(p);
}

/* ---- the grammar ------------------------------------------------------------------------------------------------ */

static ubi_status parse_word(parser *p) {
    size_t at = p->token.at;
    if (token_is(p, "null"))
        UBI_TRY(ubi__emit_word(&p->out, UBI__QUERY_NULL, false, at));
    else if (token_is(p, "true") || token_is(p, "false"))
        UBI_TRY(ubi__emit_word(&p->out, UBI__QUERY_TRUTH, token_is(p, "true"), at));
    else if (find_operator(p, binary_operators))
        return fail(p, at, "a value is missing before '%.*s'", (int)p->token.text.len, p->token.text.ptr);
    else
        return parse_value(p);
    return next_token(p);
}

/* One operand, with the prefix operators and parentheses before it. */
static ubi_status parse_operand(parser *p) {
    for (;;) {
        const ubi__operator *prefix = find_operator(p, prefix_operators);
        if (!prefix && !token_is(p, "("))
            break;
        UBI_TRY(push_prefix(p, prefix ? prefix : &parenthesis));
    }
    switch (p->token.kind) {
    case UBI__TOKEN_NUMBER:
        UBI_TRY(ubi__emit_number(&p->out, &p->token));
        return next_token(p);
    case UBI__TOKEN_TEXT:
        UBI_TRY(ubi__emit_text(&p->out, &p->token));
        return next_token(p);
    case UBI__TOKEN_WORD:
        return parse_word(p);
    case UBI__TOKEN_SIGN:
        return fail(p, p->token.at, "a value is missing before '%.*s'", (int)p->token.text.len, p->token.text.ptr);
    default:
        return fail(p, p->token.at, "a value is missing");
    }
}

static ubi_status close_parentheses(parser *p) {
    while (token_is(p, ")")) {
        UBI_TRY(finish_down_to(p, UBI__OF_OR));
        if (!p->n_pending)
            return fail(p, p->token.at, "a ) without (");
        p->n_pending--;
        p->depth--;
        UBI_TRY(next_token(p));
    }
    return UBI_OK;
}

/* Of a token that a message quotes: a number and its unit may be on two lines. */
static int quoted_length(ubi_text text) {
    size_t n = 0;
    while (n < text.len && !strchr(" \t\n\r", text.ptr[n]))
        n++;
    return (int)n;
}

static ubi_status parse_operator(parser *p) {
    const ubi__operator *row = find_operator(p, binary_operators);
    if (!row && p->token.kind == UBI__TOKEN_TEXT)
        return fail(p, p->token.at, "expected an operator before the text");
    if (!row)
        return fail(p, p->token.at, "expected an operator, not '%.*s'", quoted_length(p->token.text),
                    p->token.text.ptr);
    UBI_TRY(finish_down_to(p, row->precedence + (row->precedence == UBI__OF_COMPARISON)));
    if (row->precedence == UBI__OF_COMPARISON && p->n_pending &&
        p->pending[p->n_pending - 1].row->precedence == UBI__OF_COMPARISON)
        return fail(p, p->token.at, "comparisons do not chain; join them with 'and'");
    if (row->op == UBI__QUERY_MATCHES)
        return parse_match(p, row);
    p->pending[UBI_INDEX(p->n_pending, MAX_PENDING)] = (pending){ row, p->token.at };
    p->n_pending++;
    UBI_TRY(next_token(p));
    return parse_operand(p);
}

static ubi_status parse_all(parser *p) {
    UBI_TRY(next_token(p));
    if (p->token.kind == UBI__TOKEN_END)
        return ubi__fail(UBI_EINVAL, "the expression is empty");
    UBI_TRY(parse_operand(p));
    UBI_TRY(close_parentheses(p));
    while (p->token.kind != UBI__TOKEN_END) {
        UBI_TRY(parse_operator(p));
        UBI_TRY(close_parentheses(p));
    }
    UBI_TRY(finish_down_to(p, UBI__OF_OR));
    if (p->n_pending)
        return fail(p, p->pending[p->n_pending - 1].at, "a ( that is never closed");
    if (ubi__emitted_last(&p->out)->kind != UBI__KIND_BOOL)
        return fail(p, p->out.query->program.at[0].at, "expected a condition, not %s; compare it with something",
                    ubi__query_kind_name(ubi__emitted_last(&p->out)->kind));
    return UBI_OK;
}

static ubi_status check_text(const ubi__lexer *lexer) {
    if (lexer->source.len > UBI_QUERY_MAX_BYTES)
        return ubi__fail(UBI_EINVAL, "the expression is longer than %d bytes", UBI_QUERY_MAX_BYTES);
    size_t valid = ubi__utf8_valid_prefix(lexer->source);
    return valid == lexer->source.len ? UBI_OK : ubi__lexer_fail(lexer, valid, "a byte that is not UTF-8");
}

ubi_status ubi_query_parse(ubi_query **out, ubi_text text, const ubi_query_name *vocabulary,
                           const ubi_allocator *allocator) {
    allocator = ubi__allocator_or_default(allocator);
    parser p = { .vocabulary = vocabulary, .lexer = { .source = text, .allocator = allocator } };
    UBI_TRY(check_text(&p.lexer));
    p.out = (ubi__emitter){ UBI_NEW(allocator, ubi_query), &p.lexer, 0 };
    if (!p.out.query)
        return ubi__fail_nomem();
    p.out.query->allocator = allocator;
    ubi_status status = parse_all(&p);
    ubi__lexer_fini(&p.lexer);
    UBI_ASSERT(status != UBI_OK || (p.out.n_operands == 1 && p.depth == 0));
    if (status == UBI_OK)
        ubi__query_check(p.out.query);
    if (status == UBI_OK)
        *out = p.out.query;
    else
        ubi_query_free(p.out.query);
    return status;
}

/* What `a` of an instruction counts. */
__attribute__((unused)) static size_t column_length(const ubi_query *q, ubi__query_op op) {
    switch (op) {
    case UBI__QUERY_NUMBER:
        return q->numbers.n;
    case UBI__QUERY_TEXT:
        return q->texts.n;
    case UBI__QUERY_SHARE:
        return q->shares.n;
    case UBI__QUERY_VALUE:
        return q->values.n;
    case UBI__QUERY_MATCHES:
        return q->patterns.n;
    default:
        return SIZE_MAX;
    }
}

void ubi__query_check(const ubi_query *q) {
    uint32_t depth = 0;
    for (uint32_t at = 0; UBI_CHECKS && at < q->program.n; at++) {
        const ubi__instruction *i = &q->program.at[at], *right = i - 1;
        UBI_ASSERT(i->a < column_length(q, i->op));
        if (i->op <= UBI__QUERY_VALUE) {
            UBI_ASSERT(i->first == at);
            UBI_ASSERT(++depth <= q->stack_depth);
        } else if (i->op <= UBI__QUERY_MATCHES) {
            UBI_ASSERT(depth >= 1 && i->first == right->first && i->is_of_rows == right->is_of_rows);
        } else {
            UBI_ASSERT(depth-- >= 2);
            const ubi__instruction *left = &q->program.at[right->first - 1];
            UBI_ASSERT(i->first == left->first && i->is_of_rows == (left->is_of_rows || right->is_of_rows));
        }
    }
    UBI_ASSERT(!UBI_CHECKS || (depth == 1 && q->program.at[q->program.n - 1].kind == UBI__KIND_BOOL));
    for (size_t s = 0; UBI_CHECKS && s < q->shares.n; s++)
        UBI_ASSERT(q->values.at[q->shares.at[s].value].needs_basis);
}

/* ---- the query -------------------------------------------------------------------------------------------------- */

void ubi_query_free(ubi_query *query) {
    if (!query)
        return;
    const ubi_allocator *a = query->allocator;
    for (size_t i = 0; i < query->patterns.n; i++)
        ubi__pattern_free(query->patterns.at[i]);
    ubi__vec_instruction_fini(&query->program, a);
    ubi__vec_scalar_fini(&query->numbers, a);
    ubi__vec_piece_fini(&query->texts, a);
    ubi__vec_share_fini(&query->shares, a);
    ubi__vec_slot_fini(&query->values, a);
    ubi__vec_pattern_fini(&query->patterns, a);
    ubi__vec_u8_fini(&query->arena, a);
    UBI_DELETE(a, query);
}

uint32_t ubi_query_value_count(const ubi_query *query) {
    return (uint32_t)query->values.n;
}

ubi_query_value ubi_query_value_at(const ubi_query *query, uint32_t value) {
    const ubi__query_slot *v = &query->values.at[UBI_INDEX(value, query->values.n)];
    ubi_text argument = v->has_argument ? ubi__query_text(query, v->argument) : (ubi_text){ NULL, 0 };
    return (ubi_query_value){ v->name, argument, v->needs_basis, v->is_quoted };
}
