/* SPDX-License-Identifier: MIT
 *
 * query_filter.c: finding the rows for which a query holds, a block at a time.
 *
 * The program becomes steps on masks, arrays of a byte per row of the block:
 *
 *     className == "Array" and rawSize > 1KiB
 *
 *     TABLE of groups        mask 0 = what was decided for each row's group
 *     SKIP_IF_NONE to end    nothing left to find: the rest is not looked at
 *     COMPARE with a number  mask 1 = rawSize > 1024, in one tight loop
 *     AND                    mask 0 &= mask 1
 *
 * Whatever depends on groups alone, however large, is one table; comparisons of a value with a number or another value are
 * loops that a compiler turns into vector instructions; all else is evaluated row by row.
 */
#include <string.h>

#include "analyses/query/query_evaluate.h"

typedef enum step_kind {
    STEP_TABLE,   /* tables + offset */
    STEP_COMPARE, /* value a, number */
    STEP_COMPARE_VALUES,
    STEP_ROWS, /* row by row */
    STEP_NOT,
    STEP_AND,
    STEP_OR,
    STEP_SKIP_IF_NONE, /* continues at step `target` */
    STEP_SKIP_IF_ALL
} step_kind;

typedef struct step {
    step_kind kind;
    uint8_t op;      /* of a comparison, the value on its left */
    uint32_t last;   /* the instruction that it implements */
    uint32_t a, b;   /* values */
    uint32_t target; /* of a skip */
    uint64_t number;
    size_t offset; /* of a table */
} step;

UBI_VEC_DECLARE(vec_step, step);

struct ubi_filter {
    const ubi_allocator *allocator;
    ubi__evaluator evaluator;
    vec_step steps;
    ubi__vec_u8 tables; /* one after another, a byte per group */
    uint8_t *masks;     /* query->stack_depth masks */
    uint32_t group[UBI_QUERY_BLOCK];
    bool needs_groups; /* some step asks for them */
};

/* ---- planning --------------------------------------------------------------------------------------------------- */

static const ubi__instruction *instruction_at(const ubi_filter *f, uint32_t at) {
    return &f->evaluator.query->program.at[at];
}

/* Rows of a source without groups are all of group 0. */
static uint32_t group_count(const ubi_filter *f) {
    return f->evaluator.source.n_groups ? f->evaluator.source.n_groups : 1;
}

static ubi_status plan_table(ubi_filter *f, step *s) {
    uint32_t n = group_count(f);
    UBI_TRY(ubi__vec_u8_reserve(&f->tables, f->allocator, n));
    f->needs_groups = true;
    s->kind = STEP_TABLE;
    s->offset = f->tables.n;
    for (uint32_t group = 0; group < n; group++)
        f->tables.at[f->tables.n++] = ubi__evaluate(&f->evaluator, s->last, &(ubi__place){ .group = group });
    return UBI_OK;
}

/* The comparison that says the same with its operands exchanged. */
static uint8_t mirrored_op(uint8_t op) {
    switch (op) {
    case UBI__QUERY_LESS:
        return UBI__QUERY_GREATER;
    case UBI__QUERY_LESS_EQUAL:
        return UBI__QUERY_GREATER_EQUAL;
    case UBI__QUERY_GREATER:
        return UBI__QUERY_LESS;
    case UBI__QUERY_GREATER_EQUAL:
        return UBI__QUERY_LESS_EQUAL;
    default:
        return op;
    }
}

/* Whether an operand is a whole number of 64 bits, which is then stored. */
static bool is_u64(const ubi_filter *f, const ubi__instruction *i, uint64_t *out) {
    ubi__scalar s = ubi__scalar_missing();
    if (i->op == UBI__QUERY_NUMBER)
        s = f->evaluator.query->numbers.at[i->a];
    else if (i->op == UBI__QUERY_SHARE)
        s = f->evaluator.shares[i->a];
    if (s.kind != UBI__SCALAR_WHOLE || s.whole < 0 || s.whole > (ubi__whole)UINT64_MAX)
        return false;
    *out = (uint64_t)s.whole;
    return true;
}

static bool is_number_of_rows(const ubi__instruction *i) {
    return i->op == UBI__QUERY_VALUE && i->is_of_rows && (i->kind == UBI__KIND_COUNT || i->kind == UBI__KIND_SIZE);
}

/* A comparison with a quick loop, or row by row. */
static void plan_comparison(const ubi_filter *f, step *s) {
    const ubi__instruction *i = instruction_at(f, s->last), *right = i - 1;
    s->kind = STEP_ROWS;
    if (i->op < UBI__QUERY_EQUAL || i->op > UBI__QUERY_GREATER_EQUAL)
        return;
    const ubi__instruction *left = instruction_at(f, right->first - 1);
    bool left_is_value = is_number_of_rows(left), right_is_value = is_number_of_rows(right);
    s->op = left_is_value ? i->op : mirrored_op(i->op);
    s->a = left_is_value ? left->a : right->a;
    s->b = right->a;
    if (left_is_value && right_is_value)
        s->kind = i->op == UBI__QUERY_EQUAL ? STEP_ROWS : STEP_COMPARE_VALUES; /* two missing values are equal */
    else if ((left_is_value && is_u64(f, right, &s->number)) || (right_is_value && is_u64(f, left, &s->number)))
        s->kind = STEP_COMPARE;
}

static bool is_joint(const ubi__instruction *i) {
    return i->is_of_rows && (i->op == UBI__QUERY_AND || i->op == UBI__QUERY_OR);
}

static ubi_status plan_instruction(ubi_filter *f, step *s) {
    const ubi__instruction *i = instruction_at(f, s->last);
    if (!i->is_of_rows)
        return plan_table(f, s);
    if (is_joint(i))
        s->kind = i->op == UBI__QUERY_AND ? STEP_AND : STEP_OR;
    else if (i->op == UBI__QUERY_NOT)
        s->kind = STEP_NOT;
    else
        plan_comparison(f, s);
    f->needs_groups |= s->kind == STEP_ROWS;
    return UBI_OK;
}

/*
 * From the last instruction to the first, leaving out what is inside of a leaf; steps come out in reverse. Where the left
 * operand of an AND or OR ends, skip_of says which step that AND is, and a skip over the right operand goes there.
 */
static ubi_status plan_backwards(ubi_filter *f, uint32_t *skip_of) {
    for (uint32_t at = (uint32_t)f->evaluator.query->program.n; at > 0;) {
        step s = { .last = at - 1 };
        const ubi__instruction *i = instruction_at(f, s.last);
        if (skip_of[s.last] != UBI_NONE) {
            step_kind kind = f->steps.at[skip_of[s.last]].kind == STEP_AND ? STEP_SKIP_IF_NONE : STEP_SKIP_IF_ALL;
            step skip = { .kind = kind, .target = skip_of[s.last] };
            UBI_TRY(vec_step_push(&f->steps, f->allocator, skip));
        }
        UBI_TRY(plan_instruction(f, &s));
        if (is_joint(i))
            skip_of[instruction_at(f, s.last - 1)->first - 1] = (uint32_t)f->steps.n;
        UBI_TRY(vec_step_push(&f->steps, f->allocator, s));
        at = s.kind >= STEP_NOT ? at - 1 : i->first;
    }
    return UBI_OK;
}

static void reverse_steps(vec_step *steps) {
    uint32_t n = (uint32_t)steps->n;
    for (uint32_t i = 0; i < n / 2; i++) {
        step s = steps->at[i];
        steps->at[i] = steps->at[n - 1 - i];
        steps->at[n - 1 - i] = s;
    }
    for (uint32_t i = 0; i < n; i++)
        steps->at[i].target = n - steps->at[i].target; /* after the step that had that place */
}

/* Steps leave one mask, need no more than there are, and skip forwards to the step that joins what they skip. */
static void assert_plan(const ubi_filter *f) {
    uint32_t n_masks = 0;
    for (uint32_t i = 0; i < f->steps.n; i++) {
        const step *s = &f->steps.at[i];
        bool skips_on = s->kind == STEP_SKIP_IF_NONE || s->kind == STEP_SKIP_IF_ALL;
        n_masks += s->kind < STEP_NOT;
        UBI_ASSERT(n_masks > 0 && n_masks <= f->evaluator.query->stack_depth);
        if (s->kind == STEP_AND || s->kind == STEP_OR)
            UBI_ASSERT(n_masks-- >= 2);
        UBI_ASSERT(!skips_on || (s->target > i && s->target <= f->steps.n));
        UBI_ASSERT(!skips_on || f->steps.at[s->target - 1].kind == (s->kind == STEP_SKIP_IF_NONE ? STEP_AND : STEP_OR));
        UBI_ASSERT(s->kind != STEP_TABLE || s->offset + group_count(f) <= f->tables.n);
    }
    UBI_ASSERT(n_masks == 1);
}

static ubi_status plan_steps(ubi_filter *f) {
    size_t n = f->evaluator.query->program.n;
    uint32_t *skip_of = ubi__alloc_array(f->allocator, n, sizeof *skip_of);
    if (!skip_of)
        return ubi__fail_nomem();
    memset(skip_of, 0xff, n * sizeof *skip_of);
    ubi_status status = plan_backwards(f, skip_of);
    ubi__free_array(f->allocator, skip_of, n, sizeof *skip_of);
    reverse_steps(&f->steps);
    if (UBI_CHECKS && status == UBI_OK)
        assert_plan(f);
    return status;
}

/* ---- masks ------------------------------------------------------------------------------------------------------ */

typedef struct block {
    uint32_t first, n;
} block;

#define FOR_EACH_ROW(condition)                                                                                        \
    for (uint32_t i = 0; i < n; i++)                                                                                   \
    mask[i] = (uint8_t)((state[i] == UBI_QUERY_PRESENT) & (condition))

static void compare_lane(uint8_t *restrict mask, const ubi__lane *restrict lane, uint32_t n, uint8_t op,
                         uint64_t number) {
    const uint64_t *value = lane->magnitude;
    const uint8_t *state = lane->state;
    switch (op) {
    case UBI__QUERY_EQUAL:
        FOR_EACH_ROW(value[i] == number);
        break;
    case UBI__QUERY_LESS:
        FOR_EACH_ROW(value[i] < number);
        break;
    case UBI__QUERY_LESS_EQUAL:
        FOR_EACH_ROW(value[i] <= number);
        break;
    case UBI__QUERY_GREATER:
        FOR_EACH_ROW(value[i] > number);
        break;
    default:
        FOR_EACH_ROW(value[i] >= number);
    }
}

static void compare_lanes(uint8_t *restrict mask, const ubi__lane *a, const ubi__lane *b, uint32_t n, uint8_t op) {
    const uint64_t *left = a->magnitude, *right = b->magnitude;
    uint8_t state[UBI_QUERY_BLOCK];
    for (uint32_t i = 0; i < n; i++)
        state[i] = a->state[i] & b->state[i];
    switch (op) {
    case UBI__QUERY_LESS:
        FOR_EACH_ROW(left[i] < right[i]);
        break;
    case UBI__QUERY_LESS_EQUAL:
        FOR_EACH_ROW(left[i] <= right[i]);
        break;
    case UBI__QUERY_GREATER:
        FOR_EACH_ROW(left[i] > right[i]);
        break;
    default:
        FOR_EACH_ROW(left[i] >= right[i]);
    }
}

static void look_up(uint8_t *mask, const uint8_t *table, const uint32_t *group, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        mask[i] = table[group[i]];
}

/* `mask` follows that of the step's left neighbour, if it has one; where that one decides, anything is right. */
static void evaluate_rows(ubi_filter *f, uint8_t *mask, const step *s, block b) {
    bool is_right = s > f->steps.at && s[-1].kind >= STEP_SKIP_IF_NONE;
    const uint8_t *left = is_right ? mask - UBI_QUERY_BLOCK : NULL;
    uint8_t undecided = is_right && s[-1].kind == STEP_SKIP_IF_NONE;
    for (uint32_t i = 0; i < b.n; i++)
        mask[i] = (!left || left[i] == undecided) &&
                  ubi__evaluate(&f->evaluator, s->last, &(ubi__place){ b.first, b.n, i, f->group[i] });
}

static void compare_values(ubi_filter *f, uint8_t *mask, const step *s, block b) {
    const ubi__lane *left = ubi__evaluator_lane(&f->evaluator, s->a, b.first, b.n);
    const ubi__lane *right = left;
    if (s->kind == STEP_COMPARE_VALUES)
        right = ubi__evaluator_lane(&f->evaluator, s->b, b.first, b.n);
    if (left->has_negative || right->has_negative)
        evaluate_rows(f, mask, s, b);
    else if (s->kind == STEP_COMPARE)
        compare_lane(mask, left, b.n, s->op, s->number);
    else
        compare_lanes(mask, left, right, b.n, s->op);
}

/* One leaf of the expression. */
static void fill_mask(ubi_filter *f, uint8_t *mask, const step *s, block b) {
    if (s->kind == STEP_TABLE)
        look_up(mask, f->tables.at + s->offset, f->group, b.n);
    else if (s->kind == STEP_ROWS)
        evaluate_rows(f, mask, s, b);
    else
        compare_values(f, mask, s, b);
}

/* AND and OR of two masks into the first. */
static void join_masks(uint8_t *restrict mask, const uint8_t *restrict next, step_kind kind, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        mask[i] = kind == STEP_AND ? mask[i] & next[i] : mask[i] | next[i];
}

static void invert_mask(uint8_t *mask, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        mask[i] ^= 1;
}

static bool step_skips(const step *s, const uint8_t *mask, uint32_t n) {
    return !memchr(mask, s->kind == STEP_SKIP_IF_NONE, n);
}

/* Leaves the answer in the first mask. */
static void run_steps(ubi_filter *f, block b) {
    uint8_t *next = f->masks; /* after those that are filled */
    for (uint32_t at = 0; at < f->steps.n;) {
        const step *s = &f->steps.at[at++];
        uint8_t *mask = s->kind < STEP_NOT ? next : next - UBI_QUERY_BLOCK;
        switch (s->kind) {
        case STEP_SKIP_IF_NONE:
        case STEP_SKIP_IF_ALL:
            if (step_skips(s, mask, b.n))
                at = s->target;
            break;
        case STEP_NOT:
            invert_mask(mask, b.n);
            break;
        case STEP_AND:
        case STEP_OR:
            join_masks(mask - UBI_QUERY_BLOCK, mask, s->kind, b.n);
            next = mask;
            break;
        default:
            fill_mask(f, mask, s, b);
            next += UBI_QUERY_BLOCK;
        }
    }
}

/* ---- filters ---------------------------------------------------------------------------------------------------- */

uint32_t ubi_filter_select(uint32_t *out, ubi_filter *filter, uint32_t first, uint32_t n) {
    const ubi_query_source *source = &filter->evaluator.source;
    UBI_ASSERT(n <= UBI_QUERY_BLOCK);
    ubi__evaluator_next_block(&filter->evaluator);
    if (filter->needs_groups && source->groups)
        source->groups(source->payload, first, n, filter->group);
    run_steps(filter, (block){ first, n });
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        out[kept] = first + i;
        UBI_ASSERT(filter->masks[i] <= 1);
        kept += filter->masks[i];
    }
    return kept;
}

static ubi_status filter_init(ubi_filter *f, const ubi_query *query, const ubi_query_source *source) {
    UBI_TRY(ubi__evaluator_init(&f->evaluator, query, source, f->allocator));
    f->masks = ubi__alloc_array(f->allocator, (size_t)query->stack_depth * UBI_QUERY_BLOCK, 1);
    return f->masks ? plan_steps(f) : ubi__fail_nomem();
}

ubi_status ubi_filter_new(ubi_filter **out, const ubi_query *query, const ubi_query_source *source,
                          const ubi_allocator *allocator) {
    allocator = ubi__allocator_or_default(allocator);
    ubi_filter *f = UBI_NEW(allocator, ubi_filter);
    if (!f)
        return ubi__fail_nomem();
    f->allocator = allocator;
    ubi_status status = filter_init(f, query, source);
    if (status == UBI_OK)
        *out = f;
    else
        ubi_filter_free(f);
    return status;
}

void ubi_filter_free(ubi_filter *f) {
    if (!f)
        return;
    const ubi_allocator *a = f->allocator;
    size_t n_masks = f->evaluator.query->stack_depth;
    vec_step_fini(&f->steps, a);
    ubi__vec_u8_fini(&f->tables, a);
    ubi__free_array(a, f->masks, n_masks * UBI_QUERY_BLOCK, 1);
    ubi__evaluator_fini(&f->evaluator, a);
    UBI_DELETE(a, f);
}
