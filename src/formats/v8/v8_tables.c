/* SPDX-License-Identifier: MIT
 *
 * v8_tables.c: rows of the smaller sections into the facts (v8_facts.h), and the trees of allocation stacks.
 */
#include "base/assert.h"
#include "formats/v8/v8_reader.h"

/* A place in the array of nodes as a node. Checked against their number here or, when they come later, at the end. */
static ubi_status field_node(ubi__v8_reader *r, size_t row, uint32_t place, ubi_node_ix *out) {
    uint64_t value, limit = r->is_complete[UBI__V8_NODES] ? r->graph->id.n : UBI_GRAPH_MAX_NODES;
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
    if (r->rows.numbers.n_wide || !r->is_complete[UBI__V8_NODES])
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

/* ---- trees of allocation stacks ----------------------------------------------------------------------------------- */

/*
 *     [id, function, count, size, [child...]]     children: the same five values one after another in one array
 *
 * Rows go to a table, parents before children, and a row knows its parent. So the table itself is the stack of open arrays: the
 * end of one leads back to the parent of the row it belongs to. Depth costs nothing.
 */

typedef struct tree {
    ubi_frame_ix parent; /* whose children are read; UBI_NONE: the outermost array */
    uint32_t place;      /* of the next value in its row */
    bool is_first;       /* in the innermost array */
} tree;

static ubi_status fail_at_hand(ubi__v8_reader *r, const char *what, uint64_t value) {
    return ubi__scan_fail_at(&r->scan, ubi__scan_offset(&r->scan, r->scan.window.at), "%s %llu does not fit 32 bits",
                             what, (unsigned long long)value);
}

static ubi_status begin_row(ubi__v8_reader *r, const tree *t) {
    UBI_TRY(ubi__vec_u32_push(&r->trace_parent, r->allocator, t->parent));
    if (r->facts->traces.n >= UBI_NONE - 1)
        return ubi__fail(UBI_ELIMIT, "more than 2^32-2 trace nodes");
    return ubi__vec_v8_trace_push(&r->facts->traces, r->allocator, (ubi__v8_trace){ 0 });
}

static ubi_status take_value(ubi__v8_reader *r, const tree *t) {
    const uint32_t *place = r->meta.layout[UBI__V8_TRACE_TREE].place;
    uint64_t value;
    UBI_TRY(ubi__scan_count(&r->scan, &value));
    ubi__v8_trace *row = &r->facts->traces.at[r->facts->traces.n - 1];
    if (t->place == place[UBI__V8_TRACE_ROW_ID]) {
        row->id = (uint32_t)value;
        return value <= UINT32_MAX ? UBI_OK : fail_at_hand(r, "id", value);
    }
    if (t->place == place[UBI__V8_TRACE_FUNCTION]) {
        row->function = (uint32_t)value;
        return value <= UINT32_MAX ? UBI_OK : fail_at_hand(r, "function_info_index", value);
    }
    if (t->place == place[UBI__V8_TRACE_COUNT])
        row->count = value;
    if (t->place == place[UBI__V8_TRACE_SIZE])
        row->size_bytes = value;
    return UBI_OK;
}

/* *more false: the end of the array was taken. */
static ubi_status next_value(ubi__v8_reader *r, tree *t, bool *more) {
    uint8_t c;
    UBI_TRY(ubi__scan_next_item(&r->scan, ']', t->is_first, more));
    if (!*more && t->place != 0)
        return ubi__scan_fail_at(&r->scan, ubi__scan_offset(&r->scan, r->scan.window.at) - 1,
                                 "the array ends inside a trace node");
    if (!*more)
        return UBI_OK;
    t->is_first = false;
    if (t->place == 0)
        UBI_TRY(begin_row(r, t));
    if (t->place < r->meta.layout[UBI__V8_TRACE_TREE].stride - 1) {
        UBI_TRY(take_value(r, t));
        t->place++;
        return UBI_OK;
    }
    UBI_TRY(ubi__scan_peek(&r->scan, &c, "the array of children"));
    UBI_TRY(ubi__scan_expect(&r->scan, '[', "the array of children"));
    *t = (tree){ (ubi_frame_ix)(r->facts->traces.n - 1), 0, true };
    return UBI_OK;
}

ubi_status ubi__v8_read_trace_tree(ubi__v8_reader *r) {
    tree t = { UBI_NONE, 0, true };
    UBI_TRY(ubi__scan_expect(&r->scan, '[', "an array of trace nodes"));
    for (;;) {
        bool more;
        UBI_TRY(next_value(r, &t, &more));
        if (more)
            continue;
        UBI_ASSERT(r->trace_parent.n == r->facts->traces.n);
        if (t.parent == UBI_NONE)
            return UBI_OK;
        t = (tree){ r->trace_parent.at[t.parent], 0, false };
    }
}

/* ---- stacks ------------------------------------------------------------------------------------------------------------ */

static ubi_status make_frames(ubi__v8_reader *r) {
    ubi__v8_facts *facts = r->facts;
    uint32_t n_strings = ubi__strtab_count(&r->graph->strings);
    for (size_t i = 0; i < facts->functions.n; i++)
        if (facts->functions.at[i].name >= n_strings || facts->functions.at[i].script_name >= n_strings)
            return ubi__v8_fail_earlier(r, UBI__V8_FUNCTIONS, i * r->meta.layout[UBI__V8_FUNCTIONS].stride,
                                        "function %zu names a string that is not there, there are %u", i, n_strings);
    for (size_t i = 0; i < facts->traces.n; i++) {
        const ubi__v8_trace *trace = &facts->traces.at[i];
        ubi_frame_ix ignored;
        UBI_ASSERT(r->trace_parent.at[i] == UBI_NONE || r->trace_parent.at[i] < i);
        if (trace->function >= facts->functions.n) {
            ubi__v8_enter(r, UBI__V8_TRACE_TREE);
            return ubi__scan_fail_at(&r->scan, r->offset[UBI__V8_TRACE_TREE],
                                     "trace node %u has function %u, there are %zu functions", trace->id,
                                     trace->function, facts->functions.n);
        }
        const ubi__v8_function *f = &facts->functions.at[trace->function];
        ubi__frame_row row = { trace->id, r->trace_parent.at[i], f->script_name, f->name, f->line, f->column, false,
                               false };
        UBI_TRY(ubi__frames_append(&r->graph->frames, &ignored, &row));
    }
    return UBI_OK;
}

/* From ids of trace nodes to frames. No node of the tree has id 0; ids that it does not have are no stack. */
ubi_status ubi__v8_find_stacks(ubi__v8_reader *r) {
    ubi_graph *g = r->graph;
    UBI_TRY(make_frames(r));
    ubi__vec_u32_fini(&r->trace_parent, r->allocator);
    if (g->stack.n == 0)
        return UBI_OK;
    bool any = false;
    for (size_t i = 0; i < g->stack.n; i++) {
        uint32_t id = g->stack.at[i];
        g->stack.at[i] = id && g->frames.rows.n ? ubi__frames_find(&g->frames, id) : UBI_NONE;
        any = any || g->stack.at[i] != UBI_NONE;
    }
    if (!any)
        ubi__vec_u32_fini(&g->stack, r->allocator);
    return UBI_OK;
}
