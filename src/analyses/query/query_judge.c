/* SPDX-License-Identifier: MIT
 *
 * query_judge.c: see query_judge.h.
 *
 * Postfix instructions on a stack, as in query_evaluate.c; what has no numbers in it is left to that.
 */
#include "analyses/query/query_judge.h"

#include "analyses/query/query_evaluate.h"

typedef enum operand_kind {
    OPERAND_ANSWER,
    OPERAND_NUMBER,
    OPERAND_MISSING,  /* null */
    OPERAND_NO_VALUE, /* not a number: divided by 0 */
    OPERAND_ANYTHING, /* a number, or none: divided by what may be 0 */
    OPERAND_TEXT      /* of the expression alone */
} operand_kind;

typedef struct operand {
    operand_kind kind;
    ubi__answer answer;
    ubi__scalar low, high;
} operand;

typedef struct judge {
    const ubi_query *query;
    const ubi__query_range *ranges;
    ubi__evaluator exact; /* of what is known */
    operand *stack;
    bool has_met_no_value; /* in a comparison */
} judge;

/* ---- operands ----------------------------------------------------------------------------------------------------- */

static operand answer_of(ubi__answer answer) {
    return (operand){ .kind = OPERAND_ANSWER, .answer = answer };
}

static operand number_of(ubi__whole low, ubi__whole high) {
    UBI_ASSERT(low <= high);
    return (operand){ .kind = OPERAND_NUMBER, .low = ubi__scalar_whole(low), .high = ubi__scalar_whole(high) };
}

/* Durations come in nanoseconds, and are microseconds in expressions. */
static operand in_unit_of(const judge *j, operand number, uint32_t value) {
    const ubi__scalar thousand = ubi__scalar_whole(1000);
    if (j->query->values.at[value].name->type == UBI_QUERY_DURATION) {
        ubi__scalar_divide(&number.low, &thousand);
        ubi__scalar_divide(&number.high, &thousand);
    }
    return number;
}

/* A negative share is largest where its basis is smallest. */
static operand share_of(const judge *j, const ubi__share *share) {
    const ubi__query_range *range = &j->ranges[share->value];
    bool is_negative = share->numerator < 0;
    uint64_t low = is_negative ? range->basis_high : range->basis_low;
    uint64_t high = is_negative ? range->basis_low : range->basis_high;
    return (operand){ .kind = OPERAND_NUMBER,
                      .low = ubi__share_of(share, j->query, low),
                      .high = ubi__share_of(share, j->query, high) };
}

static operand operand_of(const judge *j, const ubi__instruction *i) {
    const ubi__scalar *number;
    switch (i->op) {
    case UBI__QUERY_TRUTH:
        return answer_of(i->a ? UBI__ANSWER_YES : UBI__ANSWER_NO);
    case UBI__QUERY_NUMBER:
        number = &j->query->numbers.at[i->a];
        return (operand){ .kind = number->kind == UBI__SCALAR_MISSING ? OPERAND_NO_VALUE : OPERAND_NUMBER,
                          .low = *number,
                          .high = *number };
    case UBI__QUERY_SHARE:
        return share_of(j, &j->query->shares.at[i->a]);
    case UBI__QUERY_VALUE:
        return in_unit_of(j, number_of(j->ranges[i->a].low, j->ranges[i->a].high), i->a);
    case UBI__QUERY_TEXT:
        return (operand){ .kind = OPERAND_TEXT };
    default:
        return (operand){ .kind = OPERAND_MISSING };
    }
}

/* ---- arithmetic --------------------------------------------------------------------------------------------------- */

static bool has_zero(const operand *o) {
    const ubi__scalar zero = ubi__scalar_whole(0);
    return ubi__scalar_compare(&o->low, &zero) <= 0 && ubi__scalar_compare(&o->high, &zero) >= 0;
}

static bool is_point(const operand *o) {
    return ubi__scalar_compare(&o->low, &o->high) == 0;
}

static void widen_range(operand *o, const ubi__scalar *to) {
    if (to->kind == UBI__SCALAR_MISSING)
        o->kind = OPERAND_ANYTHING;
    else if (ubi__scalar_compare(to, &o->low) < 0)
        o->low = *to;
    else if (ubi__scalar_compare(to, &o->high) > 0)
        o->high = *to;
}

/* The least and the most are at corners, for each operation is monotonous in each operand. */
static operand range_of_corners(const operand *a, const operand *b,
                                void (*operation)(ubi__scalar *, const ubi__scalar *)) {
    const ubi__scalar *left[] = { &a->low, &a->high }, *right[] = { &b->low, &b->high };
    operand out = { .kind = OPERAND_NUMBER, .low = a->low };
    operation(&out.low, &b->low);
    if (out.low.kind == UBI__SCALAR_MISSING)
        return (operand){ .kind = OPERAND_NO_VALUE };
    out.high = out.low;
    for (int i = 1; i < 4 && out.kind == OPERAND_NUMBER; i++) {
        ubi__scalar corner = *left[i & 1];
        operation(&corner, right[i >> 1]);
        widen_range(&out, &corner);
    }
    return out;
}

static operand calculate_ranges(ubi__query_op op, const operand *a, const operand *b) {
    static void (*const operations[])(ubi__scalar *, const ubi__scalar *) = { ubi__scalar_add, ubi__scalar_subtract,
                                                                              ubi__scalar_multiply,
                                                                              ubi__scalar_divide };
    if (a->kind == OPERAND_MISSING || b->kind == OPERAND_MISSING)
        return (operand){ .kind = OPERAND_MISSING };
    if (a->kind == OPERAND_NO_VALUE || b->kind == OPERAND_NO_VALUE)
        return (operand){ .kind = OPERAND_NO_VALUE };
    if (a->kind != OPERAND_NUMBER || b->kind != OPERAND_NUMBER ||
        (op == UBI__QUERY_DIVIDE && has_zero(b) && !is_point(b)))
        return (operand){ .kind = OPERAND_ANYTHING };
    return range_of_corners(a, b, operations[op - UBI__QUERY_ADD]);
}

static operand negated_range(const operand *a) {
    operand out = { .kind = a->kind, .low = a->high, .high = a->low };
    if (a->kind == OPERAND_NUMBER) {
        ubi__scalar_negate(&out.low);
        ubi__scalar_negate(&out.high);
    }
    return out;
}

/* ---- comparisons -------------------------------------------------------------------------------------------------- */

static ubi__answer opposite_answer(ubi__answer a) {
    return a == UBI__ANSWER_OPEN ? a : a == UBI__ANSWER_NO ? UBI__ANSWER_YES : UBI__ANSWER_NO;
}

/* Whether a is below b, or also equal to it. */
static ubi__answer is_below(const operand *a, const operand *b, bool or_equal) {
    int at_worst = ubi__scalar_compare(&a->high, &b->low), at_best = ubi__scalar_compare(&a->low, &b->high);
    if (at_worst < 0 || (or_equal && at_worst == 0))
        return UBI__ANSWER_YES;
    return at_best > 0 || (!or_equal && at_best == 0) ? UBI__ANSWER_NO : UBI__ANSWER_OPEN;
}

static ubi__answer order_of(judge *j, ubi__query_op op, const operand *a, const operand *b) {
    if (a->kind == OPERAND_MISSING || b->kind == OPERAND_MISSING)
        return UBI__ANSWER_NO;
    j->has_met_no_value = j->has_met_no_value || a->kind == OPERAND_NO_VALUE || b->kind == OPERAND_NO_VALUE;
    if (a->kind != OPERAND_NUMBER || b->kind != OPERAND_NUMBER)
        return UBI__ANSWER_OPEN;
    bool or_equal = op == UBI__QUERY_LESS_EQUAL || op == UBI__QUERY_GREATER_EQUAL;
    return op == UBI__QUERY_LESS || op == UBI__QUERY_LESS_EQUAL ? is_below(a, b, or_equal) : is_below(b, a, or_equal);
}

static ubi__answer are_equal(judge *j, const operand *a, const operand *b) {
    bool is_a_null = a->kind == OPERAND_MISSING, is_b_null = b->kind == OPERAND_MISSING;
    if (a->kind == OPERAND_NO_VALUE || b->kind == OPERAND_NO_VALUE) {
        j->has_met_no_value = j->has_met_no_value || (!is_a_null && !is_b_null);
        return is_a_null || is_b_null ? UBI__ANSWER_YES : UBI__ANSWER_OPEN;
    }
    if (a->kind == OPERAND_ANYTHING || b->kind == OPERAND_ANYTHING)
        return UBI__ANSWER_OPEN;
    if (a->kind != b->kind)
        return UBI__ANSWER_NO;
    if (a->kind == OPERAND_MISSING)
        return UBI__ANSWER_YES;
    if (a->kind == OPERAND_ANSWER) {
        if (a->answer == UBI__ANSWER_OPEN || b->answer == UBI__ANSWER_OPEN)
            return UBI__ANSWER_OPEN;
        return a->answer == b->answer ? UBI__ANSWER_YES : UBI__ANSWER_NO;
    }
    if (is_below(a, b, false) == UBI__ANSWER_YES || is_below(b, a, false) == UBI__ANSWER_YES)
        return UBI__ANSWER_NO;
    return is_point(a) && is_point(b) ? UBI__ANSWER_YES : UBI__ANSWER_OPEN;
}

static ubi__answer both_hold(ubi__answer a, ubi__answer b) {
    if (a == UBI__ANSWER_NO || b == UBI__ANSWER_NO)
        return UBI__ANSWER_NO;
    return a == UBI__ANSWER_YES ? b : a;
}

/* ---- the program -------------------------------------------------------------------------------------------------- */

/* A missing value is not true. */
static ubi__answer truth_of(const operand *o) {
    return o->kind == OPERAND_ANSWER ? o->answer : UBI__ANSWER_NO;
}

static operand join_operands(judge *j, uint32_t at, const operand *a, const operand *b) {
    ubi__query_op op = (ubi__query_op)j->query->program.at[at].op;
    if (op <= UBI__QUERY_DIVIDE)
        return calculate_ranges(op, a, b);
    if (a->kind == OPERAND_TEXT || b->kind == OPERAND_TEXT)
        return answer_of(ubi__evaluate(&j->exact, at, &(ubi__place){ 0 }) ? UBI__ANSWER_YES : UBI__ANSWER_NO);
    switch (op) {
    case UBI__QUERY_EQUAL:
        return answer_of(are_equal(j, a, b));
    case UBI__QUERY_AND:
        return answer_of(both_hold(truth_of(a), truth_of(b)));
    case UBI__QUERY_OR:
        return answer_of(opposite_answer(both_hold(opposite_answer(truth_of(a)), opposite_answer(truth_of(b)))));
    default:
        return answer_of(order_of(j, op, a, b));
    }
}

static operand change_operand(judge *j, uint32_t at, const operand *a) {
    switch (j->query->program.at[at].op) {
    case UBI__QUERY_NEGATE:
        return negated_range(a);
    case UBI__QUERY_NOT:
        return answer_of(opposite_answer(truth_of(a)));
    default: /* a pattern, of a text */
        return answer_of(ubi__evaluate(&j->exact, at, &(ubi__place){ 0 }) ? UBI__ANSWER_YES : UBI__ANSWER_NO);
    }
}

static ubi__answer query_judge_evaluate(judge *j) {
    operand *top = j->stack; /* after the last */
    for (uint32_t at = 0; at < j->query->program.n; at++) {
        const ubi__instruction *i = &j->query->program.at[at];
        UBI_ASSERT(top <= j->stack + j->query->stack_depth);
        if (i->op <= UBI__QUERY_VALUE) {
            *top++ = operand_of(j, i);
        } else if (i->op <= UBI__QUERY_MATCHES) {
            top[-1] = change_operand(j, at, &top[-1]);
        } else {
            top--;
            top[-1] = join_operands(j, at, &top[-1], top);
        }
    }
    UBI_ASSERT(top == j->stack + 1);
    ubi__answer answer = truth_of(&top[-1]);
    return answer == UBI__ANSWER_OPEN && j->has_met_no_value ? UBI__ANSWER_NO_VALUE : answer;
}

/* Of the exact evaluator, which is asked for texts alone. */
static void no_numbers(void *payload, uint32_t value, uint32_t first, uint32_t n, uint64_t *magnitude, uint8_t *state) {
    (void)payload, (void)value, (void)first, (void)magnitude;
    for (uint32_t i = 0; i < n; i++)
        state[i] = UBI_QUERY_MISSING;
}

static bool no_basis(void *payload, uint32_t value, uint64_t *out) {
    (void)payload, (void)value, (void)out;
    return false;
}

ubi_status ubi__query_judge(ubi__answer *out, const ubi_query *query, const ubi__query_range *ranges,
                            const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    const ubi_query_source source = { .numbers = no_numbers, .basis = no_basis };
    judge j = { .query = query, .ranges = ranges };
    ubi_status status = ubi__evaluator_init(&j.exact, query, &source, a);
    j.stack = status == UBI_OK ? ubi__alloc_array(a, query->stack_depth, sizeof *j.stack) : NULL;
    if (j.stack)
        *out = query_judge_evaluate(&j);
    else if (status == UBI_OK)
        status = ubi__fail_nomem();
    ubi__free_array(a, j.stack, query->stack_depth, sizeof *j.stack);
    ubi__evaluator_fini(&j.exact, a);
    return status;
}

bool ubi__query_asks_equality(const ubi_query *query) {
    for (uint32_t i = 0; i < query->program.n; i++)
        if (query->program.at[i].op == UBI__QUERY_EQUAL)
            return true;
    return false;
}
