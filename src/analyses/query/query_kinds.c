/* SPDX-License-Identifier: MIT
 *
 * query_kinds.c: the rules of types. Shares are not among them: the parser knows what a share may be compared with.
 */
#include "analyses/query/query_kinds.h"

#include <stdio.h>

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
