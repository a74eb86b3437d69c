/* SPDX-License-Identifier: MIT
 *
 * query_evaluate.c: values of expressions, and subexpressions evaluated for one row.
 *
 * This is the plain way, for what has no quick one: conditions of groups, which are decided once each, and arithmetic.
 */
#include "analyses/query/query_evaluate.h"

#include <math.h>
#include <string.h>

#include "analyses/query/query_scalar.h"
#include "base/text.h"

/* ==== SCALARS =================================================================================================== */

/* Arithmetic and exact comparison of whole numbers and doubles. */

#define TWO_TO_127 0x1p127

static double as_real(const ubi__scalar *a) {
    return a->kind == UBI__SCALAR_WHOLE ? (double)a->whole : a->real;
}

static void set_real(ubi__scalar *a, double real) {
    a->kind = isnan(real) ? UBI__SCALAR_MISSING : UBI__SCALAR_REAL;
    a->real = real;
}

static bool either_missing(const ubi__scalar *a, const ubi__scalar *b) {
    return a->kind == UBI__SCALAR_MISSING || b->kind == UBI__SCALAR_MISSING;
}

static bool both_whole(const ubi__scalar *a, const ubi__scalar *b) {
    return a->kind == UBI__SCALAR_WHOLE && b->kind == UBI__SCALAR_WHOLE;
}

void ubi__scalar_negate(ubi__scalar *a) {
    ubi__scalar zero = ubi__scalar_whole(0);
    ubi__scalar_subtract(&zero, a);
    *a = zero;
}

void ubi__scalar_add(ubi__scalar *a, const ubi__scalar *b) {
    ubi__whole sum;
    if (both_whole(a, b) && !__builtin_add_overflow(a->whole, b->whole, &sum))
        a->whole = sum;
    else if (either_missing(a, b))
        a->kind = UBI__SCALAR_MISSING;
    else
        set_real(a, as_real(a) + as_real(b));
}

void ubi__scalar_subtract(ubi__scalar *a, const ubi__scalar *b) {
    ubi__whole difference;
    if (both_whole(a, b) && !__builtin_sub_overflow(a->whole, b->whole, &difference))
        a->whole = difference;
    else if (either_missing(a, b))
        a->kind = UBI__SCALAR_MISSING;
    else
        set_real(a, as_real(a) - as_real(b));
}

void ubi__scalar_multiply(ubi__scalar *a, const ubi__scalar *b) {
    ubi__whole product;
    if (both_whole(a, b) && !__builtin_mul_overflow(a->whole, b->whole, &product))
        a->whole = product;
    else if (either_missing(a, b))
        a->kind = UBI__SCALAR_MISSING;
    else
        set_real(a, as_real(a) * as_real(b));
}

static bool has_64_bits(ubi__whole a) {
    return a >= INT64_MIN && a <= INT64_MAX;
}

/* False when a / b is no whole number, or none that fits: -2^127 / -1, of which the machine must not even be asked. */
static bool divide_whole(ubi__whole *quotient, ubi__whole a, ubi__whole b) {
    if (b == -1)
        return !__builtin_sub_overflow((ubi__whole)0, a, quotient);
    if (has_64_bits(a) && has_64_bits(b)) /* many times quicker */
        *quotient = (int64_t)a / (int64_t)b;
    else
        *quotient = a / b;
    return *quotient * b == a;
}

void ubi__scalar_divide(ubi__scalar *a, const ubi__scalar *b) {
    ubi__whole quotient;
    if (either_missing(a, b) || as_real(b) == 0)
        a->kind = UBI__SCALAR_MISSING;
    else if (both_whole(a, b) && divide_whole(&quotient, a->whole, b->whole))
        a->whole = quotient;
    else
        set_real(a, as_real(a) / as_real(b));
}

static int compare_whole(ubi__whole a, ubi__whole b) {
    return (a > b) - (a < b);
}

/* Without rounding `a`: its nearest double may equal `b` where it does not. */
static int compare_whole_to_real(ubi__whole a, double b) {
    if (b >= TWO_TO_127)
        return -1;
    if (b < -TWO_TO_127)
        return 1;
    ubi__whole toward_zero = (ubi__whole)b;
    if (a != toward_zero)
        return compare_whole(a, toward_zero);
    return ((double)toward_zero > b) - ((double)toward_zero < b);
}

int ubi__scalar_compare(const ubi__scalar *a, const ubi__scalar *b) {
    if (a->kind == UBI__SCALAR_TEXT)
        return ubi__text_compare(a->text, b->text);
    if (both_whole(a, b))
        return compare_whole(a->whole, b->whole);
    if (a->kind == UBI__SCALAR_WHOLE)
        return compare_whole_to_real(a->whole, b->real);
    if (b->kind == UBI__SCALAR_WHOLE)
        return -compare_whole_to_real(b->whole, a->real);
    return (a->real > b->real) - (a->real < b->real);
}

bool ubi__scalar_equal(const ubi__scalar *a, const ubi__scalar *b) {
    if (either_missing(a, b))
        return a->kind == b->kind;
    if (a->kind == UBI__SCALAR_BOOL)
        return a->is_true == b->is_true;
    return ubi__scalar_compare(a, b) == 0;
}

/* ==== EVALUATION ================================================================================================ */

/* ---- shares ----------------------------------------------------------------------------------------------------- */

static ubi__whole round_quotient(ubi__whole a, ubi__whole b, bool up) {
    ubi__whole quotient = a / b, remainder = a % b;
    if (remainder > 0 && up)
        return quotient + 1;
    return remainder < 0 && !up ? quotient - 1 : quotient;
}

/* Durations come in nanoseconds, and are microseconds in expressions. */
static void to_microseconds(ubi__scalar *nanoseconds) {
    const ubi__scalar thousand = ubi__scalar_whole(1000);
    ubi__scalar_divide(nanoseconds, &thousand);
}

ubi__scalar ubi__share_of(const ubi__share *share, const ubi_query *query, uint64_t basis) {
    ubi__scalar bound = ubi__scalar_whole(
        round_quotient(share->numerator * (ubi__whole)basis, share->denominator, share->is_rounded_up));
    if (query->values.at[share->value].name->type == UBI_QUERY_DURATION)
        to_microseconds(&bound);
    return bound;
}

static ubi__scalar bind_share(const ubi__share *share, const ubi_query *query, const ubi_query_source *source) {
    uint64_t basis;
    if (!source->basis(source->payload, share->value, &basis))
        return ubi__scalar_missing();
    return ubi__share_of(share, query, basis);
}

/* ---- set-up ----------------------------------------------------------------------------------------------------- */

static uint32_t most_states(const ubi_query *query) {
    uint32_t most = 0;
    for (size_t i = 0; i < query->patterns.n; i++) {
        uint32_t n = ubi__pattern_state_count(query->patterns.at[i]);
        most = n > most ? n : most;
    }
    return most;
}

ubi_status ubi__evaluator_init(ubi__evaluator *e, const ubi_query *query, const ubi_query_source *source,
                               const ubi_allocator *a) {
    *e = (ubi__evaluator){ .query = query, .source = *source };
    size_t n_shares = query->shares.n, n_values = query->values.n;
    e->stack = ubi__alloc_array(a, query->stack_depth, sizeof *e->stack);
    e->shares = n_shares ? ubi__alloc_array(a, n_shares, sizeof *e->shares) : NULL;
    e->lanes = n_values ? ubi__calloc_array(a, n_values, sizeof *e->lanes) : NULL;
    if (!e->stack || (n_shares && !e->shares) || (n_values && !e->lanes))
        return ubi__fail_nomem();
    for (size_t i = 0; i < n_shares; i++)
        e->shares[i] = bind_share(&query->shares.at[i], query, source);
    return ubi__matcher_init(&e->matcher, most_states(query), a);
}

void ubi__evaluator_fini(ubi__evaluator *e, const ubi_allocator *a) {
    ubi__free_array(a, e->stack, e->query->stack_depth, sizeof *e->stack);
    ubi__free_array(a, e->shares, e->query->shares.n, sizeof *e->shares);
    ubi__free_array(a, e->lanes, e->query->values.n, sizeof *e->lanes);
    ubi__matcher_fini(&e->matcher, a);
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

void ubi__evaluator_next_block(ubi__evaluator *e) {
    for (size_t i = 0; i < e->query->values.n; i++)
        e->lanes[i].is_loaded = false;
}

const ubi__lane *ubi__evaluator_lane(ubi__evaluator *e, uint32_t value, uint32_t first, uint32_t n) {
    ubi__lane *lane = &e->lanes[value];
    if (lane->is_loaded)
        return lane;
    memset(lane->state, UBI_QUERY_PRESENT, n);
    e->source.numbers(e->source.payload, value, first, n, lane->magnitude, lane->state);
    lane->has_negative = memchr(lane->state, UBI_QUERY_NEGATIVE, n) != NULL;
    lane->is_loaded = true;
    return lane;
}

static void set_missing(ubi__scalar *out) {
    out->kind = UBI__SCALAR_MISSING;
}

static void set_bool(ubi__scalar *out, bool truth) {
    out->kind = UBI__SCALAR_BOOL;
    out->is_true = truth;
}

static void set_text(ubi__scalar *out, ubi_text text) {
    out->kind = text.ptr ? UBI__SCALAR_TEXT : UBI__SCALAR_MISSING;
    out->text = text;
}

static void set_number(ubi__scalar *out, uint64_t magnitude, uint8_t state, ubi_query_type type) {
    if (state == UBI_QUERY_MISSING) {
        set_missing(out);
    } else if (type == UBI_QUERY_BOOL) {
        set_bool(out, magnitude != 0);
    } else {
        out->kind = UBI__SCALAR_WHOLE;
        out->whole = state == UBI_QUERY_NEGATIVE ? -(ubi__whole)magnitude : (ubi__whole)magnitude;
        if (type == UBI_QUERY_DURATION)
            to_microseconds(out);
    }
}

static void fetch_value(ubi__scalar *out, ubi__evaluator *e, uint32_t value, const ubi__place *place) {
    const ubi_query_name *name = e->query->values.at[value].name;
    const ubi_query_source *source = &e->source;
    uint32_t row = name->is_by_group ? place->group : place->first + place->i;
    uint64_t magnitude = 0;
    uint8_t state = UBI_QUERY_PRESENT;
    if (name->type == UBI_QUERY_TEXT) {
        set_text(out, source->text(source->payload, value, row));
    } else if (name->is_by_group) {
        source->numbers(source->payload, value, row, 1, &magnitude, &state);
        set_number(out, magnitude, state, name->type);
    } else {
        const ubi__lane *lane = ubi__evaluator_lane(e, value, place->first, place->n);
        set_number(out, lane->magnitude[place->i], lane->state[place->i], name->type);
    }
}

static void put_operand(ubi__scalar *out, ubi__evaluator *e, const ubi__instruction *i, const ubi__place *place) {
    const ubi_query *q = e->query;
    switch (i->op) {
    case UBI__QUERY_TRUTH:
        set_bool(out, i->a);
        break;
    case UBI__QUERY_NUMBER:
        *out = q->numbers.at[i->a];
        break;
    case UBI__QUERY_TEXT:
        set_text(out, ubi__query_text(q, q->texts.at[i->a]));
        break;
    case UBI__QUERY_SHARE:
        *out = e->shares[i->a];
        break;
    case UBI__QUERY_VALUE:
        fetch_value(out, e, i->a, place);
        break;
    default:
        set_missing(out);
    }
}

/* ---- operators -------------------------------------------------------------------------------------------------- */

static bool is_true(const ubi__scalar *a) {
    return a->kind == UBI__SCALAR_BOOL && a->is_true;
}

static bool text_matches(ubi__evaluator *e, const ubi__instruction *i, const ubi__scalar *a) {
    return a->kind == UBI__SCALAR_TEXT && ubi__pattern_matches(e->query->patterns.at[i->a], &e->matcher, a->text);
}

static bool order_holds(ubi__query_op op, const ubi__scalar *a, const ubi__scalar *b) {
    if (a->kind == UBI__SCALAR_MISSING || b->kind == UBI__SCALAR_MISSING)
        return false;
    int order = ubi__scalar_compare(a, b);
    switch (op) {
    case UBI__QUERY_LESS:
        return order < 0;
    case UBI__QUERY_LESS_EQUAL:
        return order <= 0;
    case UBI__QUERY_GREATER:
        return order > 0;
    default:
        return order >= 0;
    }
}

static bool text_holds(ubi__query_op op, const ubi__scalar *left, const ubi__scalar *right) {
    if (left->kind != UBI__SCALAR_TEXT || right->kind != UBI__SCALAR_TEXT)
        return false;
    ubi_text a = left->text, b = right->text;
    if (op == UBI__QUERY_CONTAINS)
        return ubi__text_contains(a, b);
    if (a.len < b.len)
        return false;
    size_t skipped = op == UBI__QUERY_ENDS_WITH ? a.len - b.len : 0;
    return ubi__text_equal((ubi_text){ a.ptr + skipped, b.len }, b);
}

static void apply_unary(ubi__scalar *a, ubi__evaluator *e, const ubi__instruction *i) {
    if (i->op == UBI__QUERY_NEGATE)
        ubi__scalar_negate(a);
    else
        set_bool(a, i->op == UBI__QUERY_NOT ? !is_true(a) : text_matches(e, i, a));
}

static bool relation_holds(ubi__query_op op, const ubi__scalar *a, const ubi__scalar *b) {
    switch (op) {
    case UBI__QUERY_EQUAL:
        return ubi__scalar_equal(a, b);
    case UBI__QUERY_AND:
        return is_true(a) && is_true(b);
    case UBI__QUERY_OR:
        return is_true(a) || is_true(b);
    case UBI__QUERY_CONTAINS:
    case UBI__QUERY_STARTS_WITH:
    case UBI__QUERY_ENDS_WITH:
        return text_holds(op, a, b);
    default:
        return order_holds(op, a, b);
    }
}

static void apply_binary(ubi__scalar *a, ubi__query_op op, const ubi__scalar *b) {
    switch (op) {
    case UBI__QUERY_ADD:
        ubi__scalar_add(a, b);
        break;
    case UBI__QUERY_SUBTRACT:
        ubi__scalar_subtract(a, b);
        break;
    case UBI__QUERY_MULTIPLY:
        ubi__scalar_multiply(a, b);
        break;
    case UBI__QUERY_DIVIDE:
        ubi__scalar_divide(a, b);
        break;
    default:
        set_bool(a, relation_holds(op, a, b));
    }
}

bool ubi__evaluate(ubi__evaluator *e, uint32_t last, const ubi__place *place) {
    const ubi__instruction *program = e->query->program.at;
    ubi__scalar *top = e->stack; /* after the last operand */
    for (uint32_t at = program[last].first; at <= last; at++) {
        const ubi__instruction *i = &program[at];
        UBI_ASSERT(top >= e->stack && top <= e->stack + e->query->stack_depth);
        if (i->op <= UBI__QUERY_VALUE) {
            put_operand(top++, e, i, place);
        } else if (i->op <= UBI__QUERY_MATCHES) {
            apply_unary(&top[-1], e, i);
        } else {
            top--;
            apply_binary(&top[-1], i->op, top);
        }
    }
    UBI_ASSERT(top == e->stack + 1);
    return is_true(&top[-1]);
}
