/* SPDX-License-Identifier: MIT
 *
 * v8_traces.c: the trees of allocation stacks.
 *
 *     [id, function, count, size, [child...]]     children: the same five values one after another in one array
 *
 * Rows go to a table, parents before children, and a row knows its parent. So the table itself is the stack of open arrays: the
 * end of one leads back to the parent of the row it belongs to. Depth costs nothing.
 */
#include "base/assert.h"
#include "formats/v8/v8_reader.h"

typedef struct tree {
    ubi_frame_ix parent; /* whose children are read; UBI_NONE: the outermost array */
    uint32_t place;      /* of the next value in its row */
    bool first;          /* in the innermost array */
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
    UBI_TRY(ubi__scan_next_item(&r->scan, ']', t->first, more));
    if (!*more && t->place != 0)
        return ubi__scan_fail_at(&r->scan, ubi__scan_offset(&r->scan, r->scan.window.at) - 1,
                                 "the array ends inside a trace node");
    if (!*more)
        return UBI_OK;
    t->first = false;
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
