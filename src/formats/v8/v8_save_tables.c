/* SPDX-License-Identifier: MIT
 *
 * v8_save_tables.c: the sections of a .heapsnapshot file beside nodes and edges: strings, allocation stacks, samples,
 * locations, scopes.
 */
#include <string.h>

#include "base/assert.h"
#include "base/merge_sort.h"
#include "base/text.h"
#include "formats/v8/v8_saver.h"

/* ---- sections and records ------------------------------------------------------------------------------------------ */

#define MAX_NUMBERS 11 /* of a record */
_Static_assert(MAX_NUMBERS *(1 + 20) <= UBI__V8_RECORD_BYTES, "commas and digits of the longest record");

ubi_status ubi__v8_save_section(ubi__v8_save *s, const char *key) {
    UBI_TRY(ubi__v8_out_text(&s->out, ",\n\""));
    UBI_TRY(ubi__v8_out_text(&s->out, key));
    return ubi__v8_out_text(&s->out, "\":[");
}

ubi_status ubi__v8_save_record(ubi__v8_save *s, bool first, const uint64_t *numbers, size_t n) {
    UBI_ASSERT(n <= MAX_NUMBERS);
    UBI_TRY(ubi__v8_out_reserve(&s->out, UBI__V8_RECORD_BYTES));
    for (size_t i = 0; i < n; i++) {
        if (i || !first)
            ubi__v8_out_char(&s->out, ',');
        ubi__v8_out_number(&s->out, numbers[i]);
    }
    return UBI_OK;
}

/* ---- strings ------------------------------------------------------------------------------------------------------ */

/*
 * Strings are written last but their numbers are needed first. Where texts stay as they are and nothing must be made up, the
 * entries that are used keep their order: one pass over nodes and edges marks them, and their ranks are the numbers. Else
 * texts are interned as they are asked for, for each role apart, since map_text may answer differently.
 */

#define STRINGS_PER_PROGRESS 65536 /* power of two */

static uint32_t entry_count(const ubi__v8_save *s) {
    return ubi__strtab_count(&s->graph->strings);
}

static ubi_status new_numbers(ubi__v8_save *s, int role) {
    size_t n = (size_t)entry_count(s) + 1; /* never empty */
    s->numbers[role] = ubi__alloc_array(s->allocator, n, sizeof **s->numbers);
    if (!s->numbers[role])
        return ubi__fail_nomem();
    memset(s->numbers[role], 0xff, n * sizeof **s->numbers);
    return UBI_OK;
}

/* ---- numbers by rank --------------------------------------------------------------------------------------------- */

/* Each marks what it uses with a 0, and says whether nothing but entries is needed. */

static bool mark_nodes(uint32_t *used, const ubi_graph *g) {
    bool complete = g->node_name.n == g->n_nodes;
    for (size_t n = 0; complete && n < g->n_nodes; n++) {
        ubi_str_ix name = g->node_name.at[n];
        complete = name != UBI_NONE;
        if (complete)
            used[name] = 0;
    }
    return complete;
}

static bool mark_edges(uint32_t *used, const ubi_graph *g) {
    bool complete = true;
    for (ubi_edge_ix e = 0; complete && e < g->n_edges; e++) {
        if (ubi__edge_kind_is_numbered(ubi__graph_edge_kind(g, e)))
            continue;
        complete = g->name.at[e] != UBI_NONE;
        if (complete)
            used[g->name.at[e]] = 0;
    }
    return complete;
}

static void mark_facts(uint32_t *used, const ubi__v8_facts *facts) {
    for (size_t i = 0; i < facts->functions.n; i++) {
        used[facts->functions.at[i].name] = 0;
        used[facts->functions.at[i].script_name] = 0;
    }
    for (size_t i = 0; facts->scopes.n && i < facts->scope_variables.n; i++)
        used[facts->scope_variables.at[i]] = 0;
}

static bool facts_are_complete(const ubi__v8_facts *facts) {
    bool complete = true;
    for (size_t i = 0; complete && i < facts->functions.n; i++)
        complete = facts->functions.at[i].name != UBI_NONE && facts->functions.at[i].script_name != UBI_NONE;
    for (size_t i = 0; complete && i < facts->scope_variables.n; i++)
        complete = facts->scope_variables.at[i] != UBI_NONE;
    return complete;
}

static void number_by_rank(ubi__v8_save *s, uint32_t *used) {
    s->n_strings = 1; /* the dummy */
    for (uint32_t i = 0; i < entry_count(s); i++)
        if (used[i] == 0)
            used[i] = s->n_strings++;
}

ubi_status ubi__v8_save_number_strings(ubi__v8_save *s) {
    const ubi_graph *g = s->graph;
    uint32_t dummy;
    if (!s->options->map_text && s->facts && facts_are_complete(s->facts)) {
        UBI_TRY(new_numbers(s, 0));
        s->keeps_entries = mark_nodes(s->numbers[0], g) && mark_edges(s->numbers[0], g);
        if (s->keeps_entries) {
            mark_facts(s->numbers[0], s->facts);
            number_by_rank(s, s->numbers[0]);
            return UBI_OK;
        }
        ubi__v8_save_free_strings(s);
    }
    return ubi__v8_save_own_string(s, &dummy, ubi__text(UBI__V8_DUMMY_STRING));
}

/* ---- numbers as they come ---------------------------------------------------------------------------------------- */

ubi_status ubi__v8_save_map(const ubi__v8_save *s, ubi_text *out, ubi_text_role role, ubi_text text) {
    if (s->options->map_text)
        return s->options->map_text(s->options->map_text_payload, role, text, out);
    *out = text;
    return UBI_OK;
}

ubi_status ubi__v8_save_own_string(ubi__v8_save *s, uint32_t *out, ubi_text text) {
    return ubi__strtab_intern(&s->texts, out, text);
}

static ubi_status map_and_intern(ubi__v8_save *s, uint32_t *out, ubi_text_role role, ubi_str_ix entry) {
    ubi_text text = { "", 0 };
    if (entry != UBI_NONE)
        UBI_TRY(ubi__v8_save_map(s, &text, role, ubi__strtab_get(&s->graph->strings, entry)));
    return ubi__v8_save_own_string(s, out, text);
}

ubi_status ubi__v8_save_string(ubi__v8_save *s, uint32_t *out, ubi_text_role role, ubi_str_ix entry) {
    if (s->keeps_entries) {
        *out = s->numbers[0][UBI_INDEX(entry, entry_count(s))];
        UBI_ASSERT(*out >= 1 && *out < s->n_strings); /* it was marked */
        return UBI_OK;
    }
    if (entry == UBI_NONE)
        return map_and_intern(s, out, role, entry);
    if (!s->numbers[role])
        UBI_TRY(new_numbers(s, role));
    uint32_t *number = &s->numbers[role][entry];
    if (*number == UBI_NONE)
        UBI_TRY(map_and_intern(s, number, role, entry));
    *out = *number;
    return UBI_OK;
}

/* ---- the section ------------------------------------------------------------------------------------------------- */

uint32_t ubi__v8_save_string_count(const ubi__v8_save *s) {
    return s->keeps_entries ? s->n_strings : ubi__strtab_count(&s->texts);
}

static ubi_status write_string(ubi__v8_save *s, uint32_t i, ubi_text text) {
    if (i % STRINGS_PER_PROGRESS == 0 &&
        !ubi__progress(&s->options->progress, "writing", s->graph->n_nodes, s->graph->n_nodes))
        return ubi__fail_cancelled();
    if (i > 0)
        UBI_TRY(ubi__v8_out_text(&s->out, ","));
    return ubi__v8_out_string(&s->out, text);
}

ubi_status ubi__v8_save_write_strings(ubi__v8_save *s) {
    const ubi__strtab *texts = s->keeps_entries ? &s->graph->strings : &s->texts;
    UBI_TRY(ubi__v8_save_section(s, "strings"));
    if (s->keeps_entries)
        UBI_TRY(write_string(s, 0, ubi__text(UBI__V8_DUMMY_STRING)));
    for (uint32_t i = 0; i < ubi__strtab_count(texts); i++)
        if (!s->keeps_entries || s->numbers[0][i] != UBI_NONE)
            UBI_TRY(write_string(s, s->keeps_entries ? s->numbers[0][i] : i, ubi__strtab_get(texts, i)));
    return ubi__v8_out_text(&s->out, "]");
}

void ubi__v8_save_free_strings(ubi__v8_save *s) {
    for (int role = 0; role < UBI_TEXT_ROLE_COUNT; role++) {
        ubi__free_array(s->allocator, s->numbers[role], (size_t)entry_count(s) + 1, sizeof **s->numbers);
        s->numbers[role] = NULL;
    }
    ubi__vec_u8_fini(&s->scratch, s->allocator);
    ubi__strtab_fini(&s->texts);
}

/* ---- allocation stacks -------------------------------------------------------------------------------------------- */

/*
 * A graph from V8 has both: frames are trace nodes. For others a root is put above all stacks, frames of equal name, source,
 * line and column become one function, and counts are those of the nodes that are there.
 */

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

/* ---- samples, locations, scopes ----------------------------------------------------------------------------------- */

static ubi_status write_samples(ubi__v8_save *s) {
    UBI_TRY(ubi__v8_save_section(s, "samples"));
    for (size_t i = 0; s->facts && i < s->facts->samples.n; i++) {
        const ubi__v8_sample *sample = &s->facts->samples.at[i];
        UBI_TRY(ubi__v8_save_record(s, i == 0, (uint64_t[]){ sample->time_us, sample->last_id }, 2));
    }
    return ubi__v8_out_text(&s->out, "]");
}

static ubi_status write_location(ubi__v8_save *s, const ubi__v8_location *location, bool first) {
    uint64_t fields[5] = { ubi__v8_save_position(s, location->node), location->script_id };
    size_t n = 2;
    if (s->has_script_nodes)
        fields[n++] = ubi__v8_save_position(s, location->script == UBI_NONE ? s->graph->root : location->script);
    fields[n++] = location->line;
    fields[n++] = location->column;
    return ubi__v8_save_record(s, first, fields, n);
}

static ubi_status write_locations(ubi__v8_save *s) {
    UBI_TRY(ubi__v8_save_section(s, "locations"));
    for (size_t i = 0; s->facts && i < s->facts->locations.n; i++)
        UBI_TRY(write_location(s, &s->facts->locations.at[i], i == 0));
    return ubi__v8_out_text(&s->out, "]");
}

/* ---- scopes ------------------------------------------------------------------------------------------------------ */

/* Ids of scopes may be negative. */
static void put_signed(ubi__v8_save *s, int64_t value) {
    if (value < 0)
        ubi__v8_out_char(&s->out, '-');
    ubi__v8_out_number(&s->out, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

static ubi_status write_scope(ubi__v8_save *s, const ubi__v8_scope *scope, bool first) {
    const uint64_t start[1] = { ubi__v8_save_position(s, scope->script) };
    const uint64_t end[3] = { scope->depth, scope->n_variables, scope->n_uses };
    UBI_TRY(ubi__v8_save_record(s, first, start, 1));
    UBI_TRY(ubi__v8_out_reserve(&s->out, UBI__V8_RECORD_BYTES));
    ubi__v8_out_char(&s->out, ',');
    put_signed(s, scope->scope_id);
    return ubi__v8_save_record(s, false, end, 3);
}

/* The tables of variables and uses are in the order of the scopes, each of which has a range of its own. */
static ubi_status write_variables(ubi__v8_save *s) {
    const ubi__v8_facts *facts = s->facts;
    bool first = true;
    for (size_t i = 0; i < facts->scopes.n; i++)
        for (uint32_t v = 0; v < facts->scopes.at[i].n_variables; v++, first = false) {
            uint32_t name;
            ubi_str_ix entry = facts->scope_variables.at[facts->scopes.at[i].first_variable + v];
            UBI_TRY(ubi__v8_save_string(s, &name, UBI_TEXT_EDGE_NAME, entry));
            UBI_TRY(ubi__v8_save_record(s, first, (uint64_t[]){ name }, 1));
        }
    return UBI_OK;
}

static ubi_status write_uses(ubi__v8_save *s) {
    const ubi__v8_facts *facts = s->facts;
    bool first = true;
    for (size_t i = 0; i < facts->scopes.n; i++)
        for (uint32_t u = 0; u < facts->scopes.at[i].n_uses; u++, first = false) {
            const ubi__v8_scope_use *use = &facts->scope_uses.at[facts->scopes.at[i].first_use + u];
            UBI_TRY(ubi__v8_out_reserve(&s->out, UBI__V8_RECORD_BYTES));
            if (!first)
                ubi__v8_out_char(&s->out, ',');
            put_signed(s, use->scope_id);
            UBI_TRY(ubi__v8_save_record(s, false, (uint64_t[]){ use->slot }, 1));
        }
    return UBI_OK;
}

static ubi_status write_scopes(ubi__v8_save *s) {
    UBI_TRY(ubi__v8_save_section(s, "scopes"));
    for (size_t i = 0; i < s->facts->scopes.n; i++)
        UBI_TRY(write_scope(s, &s->facts->scopes.at[i], i == 0));
    UBI_TRY(ubi__v8_out_text(&s->out, "]"));
    UBI_TRY(ubi__v8_save_section(s, "scope_context_vars"));
    UBI_TRY(write_variables(s));
    UBI_TRY(ubi__v8_out_text(&s->out, "]"));
    UBI_TRY(ubi__v8_save_section(s, "scope_uses"));
    UBI_TRY(write_uses(s));
    return ubi__v8_out_text(&s->out, "]");
}

ubi_status ubi__v8_save_write_facts(ubi__v8_save *s) {
    UBI_TRY(write_samples(s));
    UBI_TRY(write_locations(s));
    return s->facts && s->facts->scopes.n ? write_scopes(s) : UBI_OK;
}
