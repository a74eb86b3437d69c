/* SPDX-License-Identifier: MIT
 *
 * query_emit.c: operands and operators as instructions, checked and folded as they are appended.
 */
#include "analyses/query/query_emit.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* ==== KINDS ===================================================================================================== */

/* The rules of types. Shares are not among them: the parser knows what a share may be compared with. */

const char *ubi__query_kind_name(ubi__query_kind kind) {
    static const char *const names[] = {
        [UBI__KIND_BOOL] = "a condition", [UBI__KIND_COUNT] = "a number",      [UBI__KIND_SIZE] = "a size",
        [UBI__KIND_PLAIN] = "a number",   [UBI__KIND_TEXT] = "a text",         [UBI__KIND_NULL] = "null",
        [UBI__KIND_SHARE] = "a share",    [UBI__KIND_DURATION] = "a duration",
    };
    return names[kind];
}

static bool has_unit(ubi__query_kind kind) {
    return kind == UBI__KIND_SIZE || kind == UBI__KIND_DURATION;
}

static bool is_number(ubi__query_kind kind) {
    return kind == UBI__KIND_COUNT || kind == UBI__KIND_PLAIN || has_unit(kind);
}

static bool mixes_units(ubi__query_kind a, ubi__query_kind b) {
    return is_number(a) && is_number(b) && a != b && a != UBI__KIND_PLAIN && b != UBI__KIND_PLAIN;
}

/* What a sum is, and what a product is: a size or duration if there is one, plain if there is nothing else. */
static ubi__query_kind joint_kind(ubi__query_kind a, ubi__query_kind b) {
    if (has_unit(a) || has_unit(b))
        return has_unit(a) ? a : b;
    return a == UBI__KIND_COUNT || b == UBI__KIND_COUNT ? UBI__KIND_COUNT : UBI__KIND_PLAIN;
}

static ubi__query_kind quotient_kind(ubi__query_kind a, ubi__query_kind b) {
    return has_unit(b) ? UBI__KIND_COUNT : joint_kind(a, b);
}

typedef struct check {
    ubi__query_op op;
    ubi__query_kind left, right;
    const char *sign;
    char *problem;
    size_t n_problem;
} check;

/* The operand that is not what the operator needs. */
static bool refuse_operands(const check *c, const char *needs, ubi__query_kind culprit) {
    snprintf(c->problem, c->n_problem, "'%s' needs %s, not %s", c->sign, needs, ubi__query_kind_name(culprit));
    return false;
}

static bool refuse_pair(const check *c) {
    snprintf(c->problem, c->n_problem, "'%s' does not take %s and %s", c->sign, ubi__query_kind_name(c->left),
             ubi__query_kind_name(c->right));
    return false;
}

static bool check_arithmetic(ubi__query_kind *out, const check *c) {
    if (!is_number(c->left) || !is_number(c->right))
        return refuse_operands(c, "numbers", is_number(c->left) ? c->right : c->left);
    if (c->op == UBI__QUERY_DIVIDE) {
        if (has_unit(c->left) && has_unit(c->right) && c->left != c->right)
            return refuse_pair(c);
        *out = quotient_kind(c->left, c->right);
        return true;
    }
    if (c->op == UBI__QUERY_MULTIPLY && has_unit(c->left) && has_unit(c->right))
        return refuse_pair(c);
    if (c->op != UBI__QUERY_MULTIPLY && mixes_units(c->left, c->right))
        return refuse_pair(c);
    *out = joint_kind(c->left, c->right);
    return true;
}

static bool check_comparison(ubi__query_kind *out, const check *c) {
    bool has_null = c->left == UBI__KIND_NULL || c->right == UBI__KIND_NULL;
    *out = UBI__KIND_BOOL;
    if (c->op == UBI__QUERY_EQUAL && (has_null || c->left == c->right))
        return true;
    if (has_null)
        return refuse_operands(c, "two values", UBI__KIND_NULL);
    if (mixes_units(c->left, c->right))
        return refuse_pair(c);
    if (is_number(c->left) && is_number(c->right))
        return true;
    if (c->left == UBI__KIND_TEXT && c->right == UBI__KIND_TEXT)
        return true;
    return refuse_pair(c);
}

static bool check_conditions(ubi__query_kind *out, const check *c) {
    *out = UBI__KIND_BOOL;
    if (c->left == UBI__KIND_BOOL && c->right == UBI__KIND_BOOL)
        return true;
    return refuse_operands(c, c->op == UBI__QUERY_NOT ? "a condition" : "conditions",
                           c->left == UBI__KIND_BOOL ? c->right : c->left);
}

static bool check_texts(ubi__query_kind *out, const check *c) {
    *out = UBI__KIND_BOOL;
    if (c->left == UBI__KIND_TEXT && c->right == UBI__KIND_TEXT)
        return true;
    return refuse_operands(c, c->op == UBI__QUERY_MATCHES ? "a text" : "texts",
                           c->left == UBI__KIND_TEXT ? c->right : c->left);
}

bool ubi__query_result_kind(ubi__query_kind *out, ubi__query_op op, ubi__query_kind left, ubi__query_kind right,
                            const char *sign, char *problem, size_t n_problem) {
    const check c = { op, left, right, sign, problem, n_problem };
    switch (op) {
    case UBI__QUERY_AND:
    case UBI__QUERY_OR:
    case UBI__QUERY_NOT:
        return check_conditions(out, &c);
    case UBI__QUERY_CONTAINS:
    case UBI__QUERY_STARTS_WITH:
    case UBI__QUERY_ENDS_WITH:
    case UBI__QUERY_MATCHES:
        return check_texts(out, &c);
    case UBI__QUERY_ADD:
    case UBI__QUERY_SUBTRACT:
    case UBI__QUERY_MULTIPLY:
    case UBI__QUERY_DIVIDE:
    case UBI__QUERY_NEGATE:
        return check_arithmetic(out, &c);
    default:
        return check_comparison(out, &c);
    }
}

/* ==== INSTRUCTIONS ============================================================================================== */

#define fail(e, at, ...) ubi__lexer_fail((e)->lexer, at, __VA_ARGS__)

/* ---- operands --------------------------------------------------------------------------------------------------- */

static ubi_status emit_instruction(ubi__emitter *e, ubi__instruction instruction) {
    return ubi__vec_instruction_push(&e->query->program, e->query->allocator, instruction);
}

static ubi_status emit_operand(ubi__emitter *e, ubi__query_op op, ubi__query_kind kind, size_t a, size_t at) {
    ubi__instruction i = { .op = (uint8_t)op, .kind = (uint8_t)kind, .a = (uint32_t)a, .at = (uint32_t)at };
    i.first = (uint32_t)e->query->program.n;
    e->n_operands++;
    if (e->n_operands > e->query->stack_depth)
        e->query->stack_depth = e->n_operands;
    return emit_instruction(e, i);
}

static ubi_status keep_text(ubi__emitter *e, ubi__piece *out, ubi_text text) {
    ubi__vec_u8 *arena = &e->query->arena;
    UBI_TRY(ubi__vec_u8_reserve(arena, e->query->allocator, text.len + 1));
    *out = (ubi__piece){ (uint32_t)arena->n, (uint32_t)text.len };
    memcpy(arena->at + arena->n, text.ptr, text.len);
    arena->n += text.len;
    return UBI_OK;
}

ubi_status ubi__emit_number(ubi__emitter *e, const ubi__token *t) {
    if (t->is_share) {
        ubi__share share = { .numerator = (ubi__whole)t->numerator, .denominator = t->denominator };
        UBI_TRY(ubi__vec_share_push(&e->query->shares, e->query->allocator, share));
        return emit_operand(e, UBI__QUERY_SHARE, UBI__KIND_SHARE, e->query->shares.n - 1, t->at);
    }
    ubi__scalar number = ubi__scalar_whole((ubi__whole)t->numerator * t->factor);
    const ubi__scalar denominator = ubi__scalar_whole(t->denominator);
    ubi__scalar_divide(&number, &denominator);
    UBI_TRY(ubi__vec_scalar_push(&e->query->numbers, e->query->allocator, number));
    ubi__query_kind kind = t->is_duration ? UBI__KIND_DURATION : t->has_unit ? UBI__KIND_SIZE : UBI__KIND_PLAIN;
    return emit_operand(e, UBI__QUERY_NUMBER, kind, e->query->numbers.n - 1, t->at);
}

ubi_status ubi__emit_text(ubi__emitter *e, const ubi__token *t) {
    ubi__piece piece;
    UBI_TRY(keep_text(e, &piece, t->text));
    UBI_TRY(ubi__vec_piece_push(&e->query->texts, e->query->allocator, piece));
    return emit_operand(e, UBI__QUERY_TEXT, UBI__KIND_TEXT, e->query->texts.n - 1, t->at);
}

ubi_status ubi__emit_word(ubi__emitter *e, ubi__query_op op, bool truth, size_t at) {
    return emit_operand(e, op, op == UBI__QUERY_NULL ? UBI__KIND_NULL : UBI__KIND_BOOL, truth, at);
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

/* The value with this name and argument, made if it is new. Names that do not care for quotes are equal without, too. */
static ubi_status intern_value(ubi__emitter *e, size_t *out, const ubi_query_name *name, const ubi__token *argument) {
    bool is_quoted = name->argument == UBI_QUERY_MAY_HAVE_WORD && argument->is_quoted;
    ubi__vec_slot *values = &e->query->values;
    for (*out = 0; *out < values->n; ++*out) {
        const ubi__query_slot *v = &values->at[*out];
        if (v->name == name && v->has_argument == (argument->text.ptr != NULL) && v->is_quoted == is_quoted &&
            ubi__text_equal(ubi__query_text(e->query, v->argument), argument->text))
            return UBI_OK;
    }
    ubi__query_slot made = { .name = name, .has_argument = argument->text.ptr != NULL, .is_quoted = is_quoted };
    if (made.has_argument)
        UBI_TRY(keep_text(e, &made.argument, argument->text));
    return ubi__vec_slot_push(values, e->query->allocator, made);
}

ubi_status ubi__emit_value(ubi__emitter *e, const ubi_query_name *name, const ubi__token *argument, size_t at) {
    static const ubi__query_kind kinds[] = { UBI__KIND_BOOL, UBI__KIND_COUNT, UBI__KIND_SIZE, UBI__KIND_TEXT,
                                             UBI__KIND_DURATION };
    size_t value;
    UBI_TRY(intern_value(e, &value, name, argument));
    UBI_TRY(emit_operand(e, UBI__QUERY_VALUE, kinds[name->type], value, at));
    ubi__emitted_last(e)->is_of_rows = !name->is_by_group;
    return UBI_OK;
}

/* ---- shares ----------------------------------------------------------------------------------------------------- */

/* Fits a share to the value beside it. A comparison that reads the other way round rounds the other way round. */
static ubi_status bind_share(ubi__emitter *e, const ubi__operator *row, const ubi__instruction *share,
                             const ubi__instruction *value, bool share_is_left) {
    ubi__query_op op = row->op;
    if (op < UBI__QUERY_LESS || op > UBI__QUERY_GREATER_EQUAL)
        return fail(e, share->at, "unexpected share; it is compared with <, <=, > or >=, not with '%s'", row->sign);
    if (value->op != UBI__QUERY_VALUE)
        return fail(e, share->at, "unexpected share; it is compared with a single value");
    const ubi_query_name *name = e->query->values.at[value->a].name;
    if (!name->has_basis)
        return fail(e, share->at, "unexpected share; %s is no part of a whole", name->name);
    ubi__share *s = &e->query->shares.at[share->a];
    s->value = value->a;
    s->is_rounded_up = share_is_left ? op == UBI__QUERY_LESS_EQUAL || op == UBI__QUERY_GREATER
                                     : op == UBI__QUERY_LESS || op == UBI__QUERY_GREATER_EQUAL;
    e->query->values.at[value->a].needs_basis = true;
    return UBI_OK;
}

/* ---- operators -------------------------------------------------------------------------------------------------- */

/* Arithmetic of two literals is done here, so that `rawSize > 2 * 1MiB` is as quick as `rawSize > 2MiB`. */
static bool fold_literals(ubi__emitter *e, ubi__query_op op, ubi__query_kind kind) {
    ubi__vec_instruction *program = &e->query->program;
    ubi__instruction *right = ubi__emitted_last(e), *left = right - 1;
    if (op < UBI__QUERY_ADD || op > UBI__QUERY_DIVIDE || right->op != UBI__QUERY_NUMBER || right->first == 0 ||
        left->op != UBI__QUERY_NUMBER)
        return false;
    static void (*const calculate[])(ubi__scalar *, const ubi__scalar *) = {
        ubi__scalar_add,
        ubi__scalar_subtract,
        ubi__scalar_multiply,
        ubi__scalar_divide,
    };
    ubi__scalar *numbers = e->query->numbers.at;
    calculate[op - UBI__QUERY_ADD](&numbers[left->a], &numbers[right->a]);
    left->kind = (uint8_t)kind;
    program->n--;
    return true;
}

static bool fold_negation(ubi__emitter *e, ubi__query_op op) {
    ubi__instruction *operand = ubi__emitted_last(e);
    if (op != UBI__QUERY_NEGATE)
        return false;
    if (operand->op == UBI__QUERY_SHARE)
        e->query->shares.at[operand->a].numerator *= -1;
    else if (operand->op == UBI__QUERY_NUMBER)
        ubi__scalar_negate(&e->query->numbers.at[operand->a]);
    else
        return false;
    return true;
}

static ubi_status emit_operation(ubi__emitter *e, const ubi__operator *row, size_t at, uint32_t a) {
    const ubi__instruction *right = ubi__emitted_last(e);
    const ubi__instruction *left = ubi__operator_is_binary(row) ? &e->query->program.at[right->first - 1] : right;
    ubi__instruction i = { .op = (uint8_t)row->op, .a = a, .first = left->first, .at = (uint32_t)at };
    char problem[160];
    ubi__query_kind kind = UBI__KIND_BOOL;
    i.is_of_rows = left->is_of_rows || right->is_of_rows;
    if (ubi__operator_is_binary(row) && right->kind == UBI__KIND_SHARE)
        UBI_TRY(bind_share(e, row, right, left, false));
    else if (ubi__operator_is_binary(row) && left->kind == UBI__KIND_SHARE)
        UBI_TRY(bind_share(e, row, left, right, true));
    else if (fold_negation(e, row->op))
        return UBI_OK;
    else if (!ubi__query_result_kind(&kind, row->op, left->kind, right->kind, row->sign, problem, sizeof problem))
        return fail(e, at, "%s", problem);
    i.kind = (uint8_t)kind;
    e->n_operands -= ubi__operator_is_binary(row);
    if (fold_literals(e, row->op, kind))
        return UBI_OK;
    return emit_instruction(e, i);
}

ubi_status ubi__emit_operator(ubi__emitter *e, const ubi__operator *row, size_t at, uint32_t a) {
    UBI_TRY(emit_operation(e, row, at, a));
    if (!row->is_negated)
        return UBI_OK;
    ubi__instruction opposite = *ubi__emitted_last(e);
    opposite.op = UBI__QUERY_NOT;
    return emit_instruction(e, opposite);
}
