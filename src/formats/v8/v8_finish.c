/* SPDX-License-Identifier: MIT
 *
 * v8_finish.c: from columns to a graph.
 *
 * What sections say of each other is checked once both are there. Then kinds, stacks and files are found, and in parallel
 * the index of ids, as soon as all nodes are there, and what can be reached, as soon as all edges are.
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/hash.h"
#include "base/text.h"
#include "formats/v8/v8_reader.h"

/* ---- beside the reading ------------------------------------------------------------------------------------------------ */

static void run_index_job(void *payload) {
    ubi__v8_job *job = payload;
    ubi_graph *g = job->reader->graph;
    ubi__id_fault fault;
    ubi__crew crew = { job->threads, &job->reader->pulse };
    job->status = ubi__id_index_resolve(&g->ids, g->id.at, (uint32_t)g->id.n, NULL, 0, crew, &fault);
    if (job->status == UBI_EFORMAT)
        job->status = ubi__id_index_first_of_each(&g->ids, g->id.at, (uint32_t)g->id.n, &job->reader->n_repeated);
}

static void run_reach_job(void *payload) {
    ubi__v8_job *job = payload;
    job->status = ubi__graph_find_reachable(job->reader->graph, &job->reader->pulse);
}

static void run_sort_job(void *payload) {
    ubi__v8_job *job = payload;
    job->status = ubi__v8_sort_locations(job->reader);
}

static void run_file_job(void *payload) {
    ubi__v8_job *job = payload;
    job->status = ubi__v8_set_files(job->reader->scripts);
}

static void begin_job(ubi__v8_reader *r, ubi__v8_job *job, void (*fn)(void *)) {
    job->reader = r;
    job->threads = r->input->threads > 2 ? r->input->threads - 1 : 1; /* one keeps reading */
    ubi__helper_give(&r->helper, &job->chore, fn, job);
}

static ubi_status end_job(ubi__v8_job *job) {
    ubi__helper_wait(&job->reader->helper, &job->chore, &job->reader->pulse);
    if (job->status == UBI_ECANCELLED || ubi__pulse_is_stopped(&job->reader->pulse))
        return ubi__fail_cancelled();
    return job->status == UBI_OK ? UBI_OK : ubi__fail_nomem(); /* its message stayed in its thread */
}

void ubi__v8_stop_jobs(ubi__v8_reader *r) {
    ubi__v8_stop_touching(r);
    ubi__pulse_stop(&r->pulse);
    ubi__helper_stop(&r->helper);
}

static ubi_status fail_count(ubi__v8_reader *r, ubi__v8_section section, const ubi__v8_header_number *header,
                             const char *name, uint64_t found) {
    ubi__v8_enter(r, UBI__V8_SNAPSHOT);
    return ubi__scan_fail_at(&r->scan, header->offset, "%s is %llu, but \"%s\" (byte %llu to %llu) has %llu rows", name,
                             (unsigned long long)header->value, ubi__v8_section_name(section),
                             (unsigned long long)r->offset[section], (unsigned long long)r->end_offset[section],
                             (unsigned long long)found);
}

static ubi_status find_root(ubi__v8_reader *r) {
    const ubi__v8_header_number *index = &r->meta.root_index;
    uint32_t stride = r->meta.layout[UBI__V8_NODES].stride;
    if (index->is_given && (index->value % stride || index->value / stride >= r->graph->id.n)) {
        ubi__v8_enter(r, UBI__V8_SNAPSHOT);
        return ubi__scan_fail_at(&r->scan, index->offset,
                                 "root_index %llu is no node: expected a multiple of %u below %llu",
                                 (unsigned long long)index->value, stride, (unsigned long long)r->graph->id.n * stride);
    }
    r->graph->root = index->is_given ? (ubi_node_ix)(index->value / stride) : 0;
    return UBI_OK;
}

static ubi_status check_edge_sum(ubi__v8_reader *r) {
    if (r->n_edges_promised == r->graph->n_edges)
        return UBI_OK;
    ubi__v8_enter(r, UBI__V8_EDGES);
    return ubi__scan_fail_at(&r->scan, r->end_offset[UBI__V8_EDGES],
                             "there are %llu edges, but the edge_count fields of all nodes add up to %llu",
                             (unsigned long long)r->graph->n_edges, (unsigned long long)r->n_edges_promised);
}

/* Only when edges came before nodes. */
static ubi_status check_targets(ubi__v8_reader *r) {
    const ubi_graph *g = r->graph;
    const ubi__v8_layout *layout = &r->meta.layout[UBI__V8_EDGES];
    uint64_t e = 0;
    if (r->max_target <= g->n_nodes)
        return UBI_OK;
    while (g->target.at[e] < g->n_nodes)
        e++;
    return ubi__v8_fail_earlier(r, UBI__V8_EDGES, e * layout->stride + layout->place[UBI__V8_EDGE_TO],
                                "to_node %llu is out of range, there are %u nodes of %u numbers",
                                (unsigned long long)g->target.at[e] * r->facts->stride, g->n_nodes, r->facts->stride);
}

/* Nodes and edges are there: when they fit each other, what can be reached is found while the rest is read. */
static ubi_status begin_reach(ubi__v8_reader *r) {
    UBI_TRY(find_root(r));
    UBI_TRY(check_edge_sum(r));
    UBI_TRY(check_targets(r));
    ubi__v8_stop_touching(r);
    begin_job(r, &r->reach_job, run_reach_job);
    return UBI_OK;
}

ubi_status ubi__v8_nodes_ended(ubi__v8_reader *r) {
    ubi_graph *g = r->graph;
    const ubi__v8_header_number *count = &r->meta.node_count;
    if (count->is_given && count->value != g->id.n)
        return fail_count(r, UBI__V8_NODES, count, "node_count", g->id.n);
    if (g->id.n == 0)
        return ubi__scan_fail_at(&r->scan, r->end_offset[UBI__V8_NODES], "there are no nodes, not even a root");
    UBI_TRY(ubi__vec_u64_push(&g->first_edge, r->allocator, r->n_edges_promised));
    ubi__vec_u64_trim(&g->id, r->allocator);
    ubi__vec_u64_trim(&g->size_bytes, r->allocator);
    ubi__vec_u64_trim(&g->first_edge, r->allocator);
    ubi__vec_u32_trim(&g->kind, r->allocator);
    ubi__vec_u32_trim(&g->node_name, r->allocator);
    if (g->stack.n) /* the last nodes may have no trace id */
        ubi__vec_u32_trim(&g->stack, r->allocator);
    g->n_nodes = (uint32_t)g->id.n;
    begin_job(r, &r->index_job, run_index_job);
    r->are_nodes_ready = true;
    return r->are_edges_ready ? begin_reach(r) : UBI_OK;
}

ubi_status ubi__v8_edges_ended(ubi__v8_reader *r) {
    ubi_graph *g = r->graph;
    const ubi__v8_header_number *count = &r->meta.edge_count;
    if (count->is_given && count->value != g->target.n)
        return fail_count(r, UBI__V8_EDGES, count, "edge_count", g->target.n);
    ubi__vec_u32_trim(&g->target, r->allocator);
    ubi__vec_u32_trim(&g->name, r->allocator);
    ubi__vec_u8_trim(&g->edge_kind, r->allocator);
    g->n_edges = g->target.n;
    r->are_edges_ready = true;
    return r->are_nodes_ready ? begin_reach(r) : UBI_OK;
}

/* ---- what other sections say of them ------------------------------------------------------------------------------------- */

static ubi_status check_node_names(ubi__v8_reader *r, uint32_t n_strings) {
    const ubi_graph *g = r->graph;
    const ubi__v8_layout *layout = &r->meta.layout[UBI__V8_NODES];
    uint64_t n = 0;
    if (r->max_node_name <= n_strings)
        return UBI_OK;
    while (g->node_name.at[n] < n_strings)
        n++;
    return ubi__v8_fail_earlier(r, UBI__V8_NODES, n * layout->stride + layout->place[UBI__V8_NAME],
                                "name %u is out of range, there are %u strings", g->node_name.at[n], n_strings);
}

static ubi_status check_edge_names(ubi__v8_reader *r, uint32_t n_strings) {
    const ubi_graph *g = r->graph;
    const ubi__v8_layout *layout = &r->meta.layout[UBI__V8_EDGES];
    uint64_t e = 0;
    if (r->max_edge_name <= n_strings)
        return UBI_OK;
    for (; e < g->n_edges; e++)
        if (g->name.at[e] >= n_strings && !ubi__edge_kind_is_numbered((ubi_edge_kind)g->edge_kind.at[e]))
            break;
    if (e == g->n_edges) /* max_edge_name is 1 when no edge has a name at all */
        return UBI_OK;
    return ubi__v8_fail_earlier(r, UBI__V8_EDGES, e * layout->stride + layout->place[UBI__V8_EDGE_NAME],
                                "name_or_index %u is out of range, there are %u strings", g->name.at[e], n_strings);
}

static ubi_status fail_node(ubi__v8_reader *r, ubi__v8_section section, size_t row, ubi_node_ix node) {
    return ubi__v8_fail_earlier(r, section, row * r->meta.layout[section].stride,
                                "%llu is no node, there are %u nodes of %u numbers",
                                (unsigned long long)node * r->facts->stride, r->graph->n_nodes, r->facts->stride);
}

/* Nodes that facts name: checked already when nodes came first. */
static ubi_status check_fact_nodes(ubi__v8_reader *r) {
    const ubi__v8_facts *f = r->facts;
    uint32_t n = r->graph->n_nodes;
    for (size_t i = 0; i < f->locations.n; i++) {
        const ubi__v8_location *l = &f->locations.at[i];
        if (ubi__unlikely(i % UBI__PULSE_NODES == 0) && !ubi__pulse_again(&r->pulse))
            return ubi__fail_cancelled();
        if (l->node >= n || (l->script != UBI_NONE && l->script >= n))
            return fail_node(r, UBI__V8_LOCATIONS, i, l->node >= n ? l->node : l->script);
    }
    for (size_t i = 0; i < f->scopes.n; i++)
        if (f->scopes.at[i].script >= n)
            return fail_node(r, UBI__V8_SCOPES, i, f->scopes.at[i].script);
    return UBI_OK;
}

static ubi_status check_scopes(ubi__v8_reader *r, uint32_t n_strings) {
    const ubi__v8_facts *f = r->facts;
    if (f->scopes.n && r->n_variables_promised != f->scope_variables.n)
        return ubi__v8_fail_earlier(r, UBI__V8_SCOPE_VARIABLES, f->scope_variables.n,
                                    "there are %zu variables, but the scopes have %llu", f->scope_variables.n,
                                    (unsigned long long)r->n_variables_promised);
    if (f->scopes.n && r->n_uses_promised != f->scope_uses.n)
        return ubi__v8_fail_earlier(r, UBI__V8_SCOPE_USES, f->scope_uses.n,
                                    "there are %zu uses, but the scopes have %llu", f->scope_uses.n,
                                    (unsigned long long)r->n_uses_promised);
    for (size_t i = 0; i < f->scope_variables.n; i++)
        if (f->scope_variables.at[i] >= n_strings)
            return ubi__v8_fail_earlier(r, UBI__V8_SCOPE_VARIABLES, i, "name %u is out of range, there are %u strings",
                                        f->scope_variables.at[i], n_strings);
    return UBI_OK;
}

/* ---- all together -------------------------------------------------------------------------------------------------------- */

/* Strings, kinds, stacks and files. */
static ubi_status find_meanings(ubi__v8_reader *r) {
    ubi_graph *g = r->graph;
    UBI_TRY(ubi__v8_find_stacks(r));
    begin_job(r, &r->sort_job, run_sort_job);
    UBI_TRY(ubi__v8_find_kinds(r));
    UBI_TRY(end_job(&r->sort_job));
    UBI_TRY(ubi__v8_find_files(&r->scripts, r));
    begin_job(r, &r->file_job, run_file_job);
    ubi__strtab_trim(&g->strings);
    ubi__frames_trim(&g->frames);
    UBI_TRY(ubi__strtab_canonicalize(&g->strings, &r->pulse));
    UBI_TRY(ubi__frames_canonicalize(&g->frames, &g->strings));
    ubi__strtab_trim(&g->strings);
    ubi__frames_trim(&g->frames);
    UBI_TRY(end_job(&r->file_job));
    ubi__kinds_trim(&g->kinds);
    return UBI_OK;
}

static void note_repeated_ids(ubi__v8_reader *r) {
    ubi_read_info *info = r->input->info;
    r->graph->has_repeated_ids = r->n_repeated > 0;
    if (r->n_repeated)
        snprintf(info->note, sizeof info->note,
                 "%u %s an id that an earlier node has, too; looking up such an id finds the first", r->n_repeated,
                 r->n_repeated == 1 ? "node has" : "nodes have");
}

ubi_status ubi__v8_finish(ubi__v8_reader *r) {
    uint32_t n_strings = ubi__strtab_count(&r->graph->strings);
    ubi__v8_reader_check(r);
    UBI_ASSERT(r->are_nodes_ready && r->are_edges_ready);
    UBI_ASSERT(r->max_target <= r->graph->n_nodes); /* begin_reach has looked */
    if (!ubi__pulse_at(&r->pulse, "reading", r->input->total_bytes, r->input->total_bytes))
        return ubi__fail_cancelled();
    UBI_TRY(check_node_names(r, n_strings));
    UBI_TRY(check_edge_names(r, n_strings));
    UBI_TRY(check_fact_nodes(r));
    UBI_TRY(check_scopes(r, n_strings));
    ubi__v8_leave(r);
    UBI_TRY(find_meanings(r));
    UBI_TRY(end_job(&r->index_job));
    UBI_TRY(end_job(&r->reach_job));
    note_repeated_ids(r);
    UBI_ASSERT(r->n_repeated < r->graph->n_nodes);
    ubi__v8_facts_check(r->facts, r->graph);
    return UBI_OK;
}

/* ---- where code is ------------------------------------------------------------------------------------------------ */

/*
 * A location has only the number of a script. The script's name is that of its node, which the location names (Chromium 156) or
 * to which a closure leads: `shared`, then `script` or `script_or_debug_info`. It is looked up once per script, and holds for
 * all locations in it.
 */

/* ---- order ------------------------------------------------------------------------------------------------------------- */

/* last[node]: its last location, or UBI_NONE. */
static ubi_status note_last(ubi__v8_reader *r, uint32_t *last, uint32_t *n_different) {
    const ubi__vec_v8_location *rows = &r->facts->locations;
    *n_different = 0;
    for (size_t i = 0; i < rows->n; i++) {
        if (ubi__unlikely(i % UBI__PULSE_NODES == 0) && !ubi__pulse_again(&r->pulse))
            return ubi__fail_cancelled();
        *n_different += last[rows->at[i].node] == UBI_NONE;
        last[rows->at[i].node] = (uint32_t)i;
    }
    return UBI_OK;
}

static ubi_status sort_with(ubi__v8_reader *r, uint32_t *last) {
    ubi__vec_v8_location *rows = &r->facts->locations, sorted = { NULL, 0, 0 };
    uint32_t n_different;
    UBI_TRY(note_last(r, last, &n_different));
    UBI_TRY(UBI__SCAN_GROW(&sorted, n_different, n_different, r->allocator));
    for (size_t n = 0; n < r->graph->id.n; n++) {
        if (ubi__unlikely(n % UBI__PULSE_NODES == 0) && !ubi__pulse_again(&r->pulse))
            break;
        if (last[n] != UBI_NONE)
            sorted.at[sorted.n++] = rows->at[last[n]];
    }
    UBI_ASSERT(sorted.n == n_different || ubi__pulse_is_stopped(&r->pulse));
    ubi__vec_v8_location_fini(rows, r->allocator);
    *rows = sorted;
    return ubi__pulse_is_stopped(&r->pulse) ? ubi__fail_cancelled() : UBI_OK;
}

ubi_status ubi__v8_sort_locations(ubi__v8_reader *r) {
    const ubi__vec_v8_location *rows = &r->facts->locations;
    size_t n_nodes = r->graph->id.n;
    bool sorted = true;
    for (size_t i = 1; i < rows->n && sorted; i++) {
        if (ubi__unlikely(i % UBI__PULSE_NODES == 0) && !ubi__pulse_again(&r->pulse))
            return ubi__fail_cancelled();
        sorted = rows->at[i - 1].node < rows->at[i].node;
    }
    if (sorted)
        return UBI_OK;
    uint32_t *last = ubi__alloc_array(r->allocator, n_nodes, sizeof *last);
    if (!last)
        return ubi__fail_nomem();
    ubi_status status =
        ubi__pulse_fill(&r->pulse, last, 0xff, n_nodes * sizeof *last) ? sort_with(r, last) : ubi__fail_cancelled();
    ubi__free_array(r->allocator, last, n_nodes, sizeof *last);
    return status;
}

/* ---- scripts ----------------------------------------------------------------------------------------------------------- */

typedef struct script {
    uint32_t id;
    ubi_str_ix file; /* UBI_NONE: not found yet */
    uint32_t last_kind, last_result;
} script;

UBI_VEC_DECLARE(vec_script, script);

struct ubi__v8_scripts {
    ubi__v8_reader *r;
    ubi_graph *g;
    vec_script rows;
    ubi__row_table table; /* over rows, by id */
    uint64_t edges_left;  /* that may be looked at, so that no graph makes this slow */
};

typedef struct ubi__v8_scripts scripts;

static bool is_script(const scripts *s, uint32_t row, uint32_t id) {
    return s->rows.at[row].id == id;
}
UBI_ROW_LOOKUP(script, const scripts *, uint32_t, is_script);

/* The script's row, made if new. Most locations are in the script of the one before. */
static ubi_status script_of(scripts *s, uint32_t id, uint32_t *row) {
    if (*row < s->rows.n && s->rows.at[*row].id == id)
        return UBI_OK;
    uint64_t hash = ubi__hash_u64(id);
    UBI_TRY(ubi__row_table_reserve(&s->table, s->r->allocator, 1));
    ubi__row_slot *slot = script_place(&s->table, s, id, hash);
    if (!ubi__row_is_used(slot)) {
        UBI_TRY(vec_script_push(&s->rows, s->r->allocator, (script){ id, UBI_NONE, UBI_NONE, UBI_NONE }));
        ubi__row_table_fill(&s->table, slot, hash, (uint32_t)(s->rows.n - 1));
    }
    *row = slot->row;
    UBI_ASSERT(s->rows.at[*row].id == id);
    return UBI_OK;
}

static ubi_text name_of(const ubi_graph *g, ubi_node_ix node) {
    return ubi__strtab_get(&g->strings, g->node_name.at[node]);
}

/* Where the first internal edge of this name leads, or UBI_NONE. */
static ubi_node_ix follow_edge(scripts *s, ubi_node_ix node, const char *name, const char *other) {
    const ubi_graph *g = s->g;
    uint64_t end = g->first_edge.at[node + 1];
    for (uint64_t e = g->first_edge.at[node]; e < end && s->edges_left; e++, s->edges_left--) {
        if (g->edge_kind.at[e] != UBI_EDGE_INTERNAL)
            continue;
        ubi_text text = ubi__strtab_get(&g->strings, g->name.at[e]);
        if (ubi__text_is(text, name) || ubi__text_is(text, other))
            return g->target.at[e];
    }
    return UBI_NONE;
}

static ubi__v8_type type_of(const ubi_graph *g, ubi_node_ix node) {
    return (ubi__v8_type)g->kinds.rows.at[g->kind.at[node]].raw_type;
}

static ubi_node_ix script_node(scripts *s, const ubi__v8_location *l) {
    if (l->script != UBI_NONE)
        return l->script;
    if (type_of(s->g, l->node) != UBI__V8_CLOSURE)
        return UBI_NONE;
    ubi_node_ix shared = follow_edge(s, l->node, "shared", "shared");
    return shared == UBI_NONE ? UBI_NONE : follow_edge(s, shared, "script", "script_or_debug_info");
}

/* Names of scripts: the file's alone (Node) or after a prefix (Chromium); bare or empty it says nothing. */
static ubi_status file_of_node(scripts *s, ubi_node_ix node, ubi_str_ix *file) {
    static const char prefix[] = "system / Script";
    const size_t n = sizeof prefix - 1;
    ubi_text name = name_of(s->g, node);
    if (name.len < n || memcmp(name.ptr, prefix, n) != 0) {
        *file = name.len ? s->g->node_name.at[node] : UBI_NONE;
        return UBI_OK;
    }
    if (name.len <= n + 3 || memcmp(name.ptr + n, " / ", 3) != 0)
        return UBI_OK;
    /* Made room for, so that the text stays where it is while it is copied. */
    UBI_TRY(ubi__vec_u8_reserve(&s->g->strings.bytes, s->r->allocator, name.len));
    name = name_of(s->g, node);
    return ubi__strtab_intern(&s->g->strings, file, (ubi_text){ name.ptr + n + 3, name.len - n - 3 });
}

static ubi_status find_script_files(scripts *s) {
    const ubi__vec_v8_location *rows = &s->r->facts->locations;
    uint32_t row = UBI_NONE;
    for (size_t i = 0; i < rows->n; i++) {
        if (ubi__unlikely(i % UBI__PULSE_NODES == 0) && !ubi__pulse_again(&s->r->pulse))
            return ubi__fail_cancelled();
        UBI_TRY(script_of(s, rows->at[i].script_id, &row));
        if (s->rows.at[row].file != UBI_NONE)
            continue;
        ubi_node_ix node = script_node(s, &rows->at[i]);
        if (node != UBI_NONE && type_of(s->g, node) == UBI__V8_CODE)
            UBI_TRY(file_of_node(s, node, &s->rows.at[row].file));
    }
    return UBI_OK;
}

/* Scripts without a name of their own have a number at least. */
static ubi_status name_other_scripts(scripts *s) {
    for (size_t i = 0; i < s->rows.n; i++) {
        char text[32];
        if (s->rows.at[i].file != UBI_NONE)
            continue;
        snprintf(text, sizeof text, "script:%u", s->rows.at[i].id);
        UBI_TRY(ubi__strtab_append(&s->g->strings, &s->rows.at[i].file, ubi__text(text)));
    }
    return UBI_OK;
}

ubi_status ubi__v8_set_files(scripts *s) {
    const ubi__vec_v8_location *rows = &s->r->facts->locations;
    uint32_t row = UBI_NONE;
    for (size_t i = 0; i < rows->n; i++) {
        if (ubi__unlikely(i % UBI__PULSE_NODES == 0) && !ubi__pulse_again(&s->r->pulse))
            return ubi__fail_cancelled();
        uint32_t *kind = &s->g->kind.at[rows->at[i].node];
        UBI_TRY(script_of(s, rows->at[i].script_id, &row));
        script *in = &s->rows.at[row];
        UBI_ASSERT(in->file != UBI_NONE); /* each has one since name_other_scripts */
        if (in->last_kind != *kind) {
            ubi_kind with_file = s->g->kinds.rows.at[*kind];
            with_file.script_filename = in->file;
            in->last_kind = *kind;
            UBI_TRY(ubi__kinds_intern(&s->g->kinds, &in->last_result, &with_file));
        }
        *kind = in->last_result;
    }
    return UBI_OK;
}

ubi_status ubi__v8_find_files(scripts **out, ubi__v8_reader *r) {
    scripts *s = UBI_NEW(r->allocator, scripts);
    if (!s)
        return ubi__fail_nomem();
    *s = (scripts){ .r = r, .g = r->graph, .edges_left = r->graph->target.n };
    *out = s;
    UBI_TRY(find_script_files(s));
    return name_other_scripts(s);
}

void ubi__v8_scripts_free(scripts *s) {
    if (!s)
        return;
    const ubi_allocator *a = s->r->allocator;
    ubi__row_table_fini(&s->table, a);
    vec_script_fini(&s->rows, a);
    UBI_DELETE(a, s);
}
