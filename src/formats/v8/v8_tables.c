/* SPDX-License-Identifier: MIT
 *
 * v8_tables.c: rows of the smaller sections into the facts (v8_facts.h).
 */
#include "formats/v8/v8_reader.h"

/* A place in the array of nodes as a node. Checked against their number here or, when they come later, at the end. */
static ubi_status field_node(ubi__v8_reader *r, size_t row, uint32_t place, ubi_node_ix *out) {
    uint64_t value, limit = r->complete[UBI__V8_NODES] ? r->graph->id.n : UBI_GRAPH_MAX_NODES;
    uint32_t stride = r->meta.layout[UBI__V8_NODES].stride;
    UBI_TRY(ubi__rows_u64(&r->rows, row, place, &value));
    if (value % stride || value / stride >= limit)
        return ubi__rows_fail(&r->rows, row * r->meta.layout[r->section].stride + place,
                              "%llu is no node: expected a multiple of %u below %llu", (unsigned long long)value,
                              stride, (unsigned long long)limit * stride);
    *out = (ubi_node_ix)(value / stride);
    return UBI_OK;
}

/* The only numbers with a sign are ids of scopes. */
static ubi_status field_i64(ubi__v8_reader *r, size_t row, uint32_t place, int64_t *out) {
    size_t i = row * r->meta.layout[r->section].stride + place;
    bool negative;
    uint64_t value = ubi__digits_number(&r->rows.numbers, i, &negative);
    if (value > INT64_MAX)
        return ubi__rows_fail(&r->rows, i, "%s%llu is not within 64 bits", negative ? "-" : "",
                              (unsigned long long)value);
    *out = negative ? -(int64_t)value : (int64_t)value;
    return UBI_OK;
}

/* ---- rows by their columns --------------------------------------------------------------------------------------- */

typedef enum number_form { U32, U64, I64, NODE } number_form;

/* Which of the file's fields goes to which member of a row, and what it is. */
typedef struct column {
    uint32_t field; /* of the section; a field that the file does not have is left as it is */
    number_form form;
    size_t member;
} column;

/* In the order in which they are read, which is that of complaints. */
static const column function_columns[] = {
    { UBI__V8_FN_ID, U64, offsetof(ubi__v8_function, function_id) },
    { UBI__V8_FN_NAME, U32, offsetof(ubi__v8_function, name) },
    { UBI__V8_FN_SCRIPT_NAME, U32, offsetof(ubi__v8_function, script_name) },
    { UBI__V8_FN_SCRIPT_ID, U32, offsetof(ubi__v8_function, script_id) },
    { UBI__V8_FN_LINE, U32, offsetof(ubi__v8_function, line) },
    { UBI__V8_FN_COLUMN, U32, offsetof(ubi__v8_function, column) },
};
static const column sample_columns[] = {
    { UBI__V8_SAMPLE_TIME, U64, offsetof(ubi__v8_sample, time_us) },
    { UBI__V8_SAMPLE_ID, U64, offsetof(ubi__v8_sample, last_id) },
};
static const column location_columns[] = {
    { UBI__V8_LOC_OBJECT, NODE, offsetof(ubi__v8_location, node) },
    { UBI__V8_LOC_SCRIPT_ID, U32, offsetof(ubi__v8_location, script_id) },
    { UBI__V8_LOC_LINE, U32, offsetof(ubi__v8_location, line) },
    { UBI__V8_LOC_COLUMN, U32, offsetof(ubi__v8_location, column) },
    { UBI__V8_LOC_SCRIPT, NODE, offsetof(ubi__v8_location, script) },
};
static const column scope_columns[] = {
    { UBI__V8_SCOPE_SCRIPT, NODE, offsetof(ubi__v8_scope, script) },
    { UBI__V8_SCOPE_ID, I64, offsetof(ubi__v8_scope, scope_id) },
    { UBI__V8_SCOPE_DEPTH, U32, offsetof(ubi__v8_scope, depth) },
    { UBI__V8_SCOPE_N_VARIABLES, U32, offsetof(ubi__v8_scope, n_variables) },
    { UBI__V8_SCOPE_N_USES, U32, offsetof(ubi__v8_scope, n_uses) },
};
static const column use_columns[] = {
    { UBI__V8_USE_SCOPE, I64, offsetof(ubi__v8_scope_use, scope_id) },
    { UBI__V8_USE_SLOT, U32, offsetof(ubi__v8_scope_use, slot) },
};

static ubi_status take_field(ubi__v8_reader *r, size_t i, uint32_t place, number_form form, void *member) {
    switch (form) {
    case U32:
        return ubi__rows_u32(&r->rows, i, place, member);
    case U64:
        return ubi__rows_u64(&r->rows, i, place, member);
    case I64:
        return field_i64(r, i, place, member);
    default:
        return field_node(r, i, place, member);
    }
}

/* Row `i` of the batch. */
static ubi_status take_row(ubi__v8_reader *r, size_t i, const column *columns, size_t n_columns, void *row) {
    const uint32_t *place = r->meta.layout[r->section].place;
    for (size_t k = 0; k < n_columns; k++)
        if (place[columns[k].field] != UBI__V8_NO_FIELD)
            UBI_TRY(take_field(r, i, place[columns[k].field], columns[k].form, (char *)row + columns[k].member));
    return UBI_OK;
}

#define TAKE_ROW(r, i, columns, row) take_row(r, i, columns, sizeof(columns) / sizeof *(columns), row)

ubi_status ubi__v8_take_functions(ubi__v8_reader *r, size_t n) {
    for (size_t i = 0; i < n; i++) {
        ubi__v8_function f = { 0 };
        UBI_TRY(TAKE_ROW(r, i, function_columns, &f));
        UBI_TRY(ubi__vec_v8_function_push(&r->facts->functions, r->allocator, f));
    }
    return UBI_OK;
}

ubi_status ubi__v8_take_samples(ubi__v8_reader *r, size_t n) {
    for (size_t i = 0; i < n; i++) {
        ubi__v8_sample s = { 0 };
        UBI_TRY(TAKE_ROW(r, i, sample_columns, &s));
        UBI_TRY(ubi__vec_v8_sample_push(&r->facts->samples, r->allocator, s));
    }
    return UBI_OK;
}

/* The usual batch, of a file that may have millions of them. False: look closer. */
static bool take_usual_locations(ubi__v8_reader *r, size_t n) {
    const ubi__v8_layout *layout = &r->meta.layout[r->section];
    const uint32_t *place = layout->place, *in = r->rows.numbers.at;
    uint32_t stride = r->meta.layout[UBI__V8_NODES].stride, limit = (uint32_t)r->graph->id.n;
    ubi__v8_location *out = r->facts->locations.at + r->facts->locations.n;
    if (r->rows.numbers.n_wide || !r->complete[UBI__V8_NODES])
        return false;
    for (size_t i = 0; i < n; i++, in += layout->stride) {
        uint32_t object = in[place[UBI__V8_LOC_OBJECT]];
        uint32_t script = place[UBI__V8_LOC_SCRIPT] == UBI__V8_NO_FIELD ? 0 : in[place[UBI__V8_LOC_SCRIPT]];
        if (object % stride || object / stride >= limit || script % stride || script / stride >= limit)
            return false;
        out[i] = (ubi__v8_location){ object / stride, in[place[UBI__V8_LOC_SCRIPT_ID]], in[place[UBI__V8_LOC_LINE]],
                                     in[place[UBI__V8_LOC_COLUMN]],
                                     place[UBI__V8_LOC_SCRIPT] == UBI__V8_NO_FIELD ? UBI_NONE : script / stride };
    }
    r->facts->locations.n += n;
    return true;
}

ubi_status ubi__v8_take_locations(ubi__v8_reader *r, size_t n) {
    ubi__vec_v8_location *out = &r->facts->locations;
    UBI_TRY(ubi__vec_v8_location_reserve(out, r->allocator, n));
    if (take_usual_locations(r, n))
        return UBI_OK;
    for (size_t i = 0; i < n; i++) {
        ubi__v8_location l = { .script = UBI_NONE };
        UBI_TRY(TAKE_ROW(r, i, location_columns, &l));
        out->at[out->n++] = l;
    }
    return UBI_OK;
}

ubi_status ubi__v8_take_scopes(ubi__v8_reader *r, size_t n) {
    for (size_t i = 0; i < n; i++) {
        ubi__v8_scope s = { 0 };
        UBI_TRY(TAKE_ROW(r, i, scope_columns, &s));
        /* Their sums are compared with the tables at the end; the tables have fewer than 2^32 rows, or that fails. */
        s.first_variable = (uint32_t)r->n_variables_promised;
        s.first_use = (uint32_t)r->n_uses_promised;
        r->n_variables_promised += s.n_variables;
        r->n_uses_promised += s.n_uses;
        UBI_TRY(ubi__vec_v8_scope_push(&r->facts->scopes, r->allocator, s));
    }
    return UBI_OK;
}

ubi_status ubi__v8_take_scope_variables(ubi__v8_reader *r, size_t n) {
    for (size_t i = 0; i < n; i++) {
        ubi_str_ix name;
        UBI_TRY(ubi__rows_u32(&r->rows, i, r->meta.layout[r->section].place[UBI__V8_VARIABLE_NAME], &name));
        UBI_TRY(ubi__vec_u32_push(&r->facts->scope_variables, r->allocator, name));
    }
    return UBI_OK;
}

ubi_status ubi__v8_take_scope_uses(ubi__v8_reader *r, size_t n) {
    for (size_t i = 0; i < n; i++) {
        ubi__v8_scope_use use = { 0 };
        UBI_TRY(TAKE_ROW(r, i, use_columns, &use));
        UBI_TRY(ubi__vec_v8_scope_use_push(&r->facts->scope_uses, r->allocator, use));
    }
    return UBI_OK;
}
