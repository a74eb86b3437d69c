/* SPDX-License-Identifier: MIT
 *
 * v8_save_traces.c: allocation stacks as a .heapsnapshot file has them: functions, and a tree of nested arrays.
 *
 * A graph from V8 has both: frames are trace nodes. For others a root is put above all stacks, frames of equal name, source,
 * line and column become one function, and counts are those of the nodes that are there.
 */
#include <string.h>

#include "base/assert.h"
#include "base/merge_sort.h"
#include "formats/v8/v8_save.h"

/* ---- functions of a graph that is not from V8 ------------------------------------------------------------------- */

typedef struct place {
    ubi_str_ix name, source; /* canonical */
    uint32_t line, column;
    ubi_frame_ix frame;
} place;

static place place_of(const ubi_graph *g, ubi_frame_ix frame) {
    const ubi__frame_row *row = &g->frames.rows.at[frame];
    return (place){ ubi__strtab_canonical(&g->strings, row->function_name),
                    ubi__strtab_canonical(&g->strings, row->source), row->line, row->column, frame };
}

static bool place_before(const void *unused, place a, place b) {
    (void)unused;
    if (a.name != b.name)
        return a.name < b.name;
    if (a.source != b.source)
        return a.source < b.source;
    return a.line != b.line ? a.line < b.line : a.column < b.column;
}

UBI_SORT_DEFINE(sort_places, place, const void *, place_before);

/* Equal places are adjacent, the earliest frame first. */
static void give_functions(ubi__v8_save *s, const place *places, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || place_before(NULL, places[i - 1], places[i]))
            s->functions.at[s->functions.n++] = places[i].frame;
        s->frame_function[places[i].frame] = (uint32_t)s->functions.n;
    }
}

ubi_status ubi__v8_save_find_functions(ubi__v8_save *s) {
    size_t n = s->graph->frames.rows.n;
    if (s->facts || n == 0)
        return UBI_OK;
    s->frame_function = ubi__alloc_array(s->allocator, n, sizeof *s->frame_function);
    place *places = ubi__alloc_array(s->allocator, 2 * n, sizeof *places);
    ubi_status status =
        s->frame_function && places ? ubi__vec_u32_reserve(&s->functions, s->allocator, n) : ubi__fail_nomem();
    if (status == UBI_OK) {
        for (ubi_frame_ix i = 0; i < n; i++)
            places[i] = place_of(s->graph, i);
        sort_places(places, places + n, n, NULL);
        give_functions(s, places, n);
    }
    ubi__free_array(s->allocator, places, 2 * n, sizeof *places);
    return status;
}

uint32_t ubi__v8_save_function_count(const ubi__v8_save *s) {
    if (s->facts)
        return (uint32_t)s->facts->functions.n;
    return s->functions.n ? (uint32_t)s->functions.n + 1 : 0;
}

static ubi_status write_function(ubi__v8_save *s, bool first, const ubi__v8_function *f) {
    uint32_t name, script_name;
    UBI_TRY(ubi__v8_save_string(s, &name, UBI_TEXT_FRAME_FUNCTION, f->name));
    UBI_TRY(ubi__v8_save_string(s, &script_name, UBI_TEXT_FRAME_SOURCE, f->script_name));
    uint64_t fields[6] = { f->function_id, name, script_name, f->script_id, f->line, f->column };
    return ubi__v8_save_record(s, first, fields, 6);
}

static ubi_status write_made_function(ubi__v8_save *s, size_t i) {
    const ubi__frame_row *row = &s->graph->frames.rows.at[s->functions.at[i]];
    ubi__v8_function f = { .name = row->function_name,
                           .script_name = row->source,
                           .function_id = i + 1,
                           .line = row->line,
                           .column = row->column };
    return write_function(s, false, &f);
}

static ubi_status write_made_functions(ubi__v8_save *s) {
    uint32_t name, script_name;
    if (!s->functions.n)
        return UBI_OK;
    UBI_TRY(ubi__v8_save_own_string(s, &name, (ubi_text){ "(root)", 6 }));
    UBI_TRY(ubi__v8_save_own_string(s, &script_name, (ubi_text){ "", 0 }));
    UBI_TRY(ubi__v8_save_record(s, true, (uint64_t[]){ 0, name, script_name, 0, 0, 0 }, 6));
    for (size_t i = 0; i < s->functions.n; i++)
        UBI_TRY(write_made_function(s, i));
    return UBI_OK;
}

static ubi_status write_functions(ubi__v8_save *s) {
    UBI_TRY(ubi__v8_save_section(s, "trace_function_infos"));
    for (size_t i = 0; s->facts && i < s->facts->functions.n; i++)
        UBI_TRY(write_function(s, i == 0, &s->facts->functions.at[i]));
    UBI_TRY(write_made_functions(s));
    return ubi__v8_out_text(&s->out, "]");
}

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

/* Frames as a tree: children in the order of the frame table. All arrays have an entry per frame. */
typedef struct tree {
    ubi_frame_ix first; /* of those without a parent */
    ubi_frame_ix *child, *sibling;
    ubi__v8_trace *made; /* of a graph that is not from V8 */
} tree;

#define FIRST_MADE_ID 2 /* 1 is the root's */

uint32_t ubi__v8_save_trace_id(const ubi__v8_save *s, ubi_frame_ix frame) {
    if (frame == UBI_NONE)
        return 0;
    return s->facts ? s->facts->traces.at[frame].id : frame + FIRST_MADE_ID;
}

static void link_frames(tree *t, const ubi_graph *g) {
    t->first = UBI_NONE;
    memset(t->child, 0xff, g->frames.rows.n * sizeof *t->child);
    for (size_t i = g->frames.rows.n; i-- > 0;) {
        ubi_frame_ix parent = g->frames.rows.at[i].parent;
        UBI_ASSERT(parent == UBI_NONE || parent < i);
        ubi_frame_ix *head = parent == UBI_NONE ? &t->first : &t->child[parent];
        t->sibling[i] = *head;
        *head = (ubi_frame_ix)i;
    }
}

static void count_nodes(ubi__v8_trace *made, const ubi_graph *g) {
    for (ubi_node_ix n = 0; n < g->n_nodes; n++) {
        ubi_frame_ix frame = ubi__graph_youngest(g, n);
        if (frame == UBI_NONE)
            continue;
        made[frame].count++;
        made[frame].size_bytes += g->size_bytes.at[n];
    }
}

static ubi__v8_trace trace_of(const ubi__v8_save *s, const tree *t, ubi_frame_ix frame) {
    if (s->facts)
        return s->facts->traces.at[frame];
    return (ubi__v8_trace){ s->frame_function[frame], frame + FIRST_MADE_ID, t->made[frame].count,
                            t->made[frame].size_bytes };
}

/* From the opening of a frame to that of the next one in depth-first order; frames know their parents, so no stack. */
static ubi_status close_frames(ubi__v8_save *s, const tree *t, ubi_frame_ix *frame) {
    while (*frame != UBI_NONE) {
        UBI_TRY(ubi__v8_out_text(&s->out, "]"));
        if (t->sibling[*frame] != UBI_NONE) {
            *frame = t->sibling[*frame];
            return ubi__v8_out_text(&s->out, ",");
        }
        *frame = s->graph->frames.rows.at[*frame].parent;
    }
    return UBI_OK;
}

static ubi_status write_frames(ubi__v8_save *s, const tree *t) {
    for (ubi_frame_ix frame = t->first; frame != UBI_NONE;) {
        ubi__v8_trace trace = trace_of(s, t, frame);
        UBI_ASSERT(trace.function < ubi__v8_save_function_count(s));
        UBI_TRY(
            ubi__v8_save_record(s, true, (uint64_t[]){ trace.id, trace.function, trace.count, trace.size_bytes }, 4));
        UBI_TRY(ubi__v8_out_text(&s->out, ",["));
        if (t->child[frame] != UBI_NONE)
            frame = t->child[frame];
        else
            UBI_TRY(close_frames(s, t, &frame));
    }
    return UBI_OK;
}

static ubi_status write_tree(ubi__v8_save *s, tree *t) {
    link_frames(t, s->graph);
    if (s->facts)
        return write_frames(s, t);
    count_nodes(t->made, s->graph);
    UBI_TRY(ubi__v8_out_text(&s->out, "1,0,0,0,["));
    UBI_TRY(write_frames(s, t));
    return ubi__v8_out_text(&s->out, "]");
}

static ubi_status write_whole_tree(ubi__v8_save *s) {
    const ubi_allocator *a = s->allocator;
    size_t n = s->graph->frames.rows.n;
    tree t = { .child = ubi__alloc_array(a, n, sizeof *t.child), .sibling = ubi__alloc_array(a, n, sizeof *t.sibling) };
    if (!s->facts)
        t.made = ubi__calloc_array(a, n, sizeof *t.made);
    ubi_status status = t.child && t.sibling && (t.made || s->facts) ? write_tree(s, &t) : ubi__fail_nomem();
    ubi__free_array(a, t.child, n, sizeof *t.child);
    ubi__free_array(a, t.sibling, n, sizeof *t.sibling);
    ubi__free_array(a, t.made, n, sizeof *t.made);
    return status;
}

ubi_status ubi__v8_save_write_traces(ubi__v8_save *s) {
    UBI_TRY(write_functions(s));
    UBI_TRY(ubi__v8_save_section(s, "trace_tree"));
    if (s->graph->frames.rows.n)
        UBI_TRY(write_whole_tree(s));
    return ubi__v8_out_text(&s->out, "]");
}
