/* SPDX-License-Identifier: MIT
 *
 * jsc_finish.c: from columns with the file's numbers to a graph (jsc_reader.h).
 *
 * Ids become nodes by a plain table while they are dense, which those of an engine are: it counts. Then edges are put in the
 * order of the nodes they leave. Of one node, edges with a name come first: the engine notes most references twice, once with
 * a name and once as internal, and a path takes the first edge that leads somewhere.
 */
#include <stdio.h>
#include <string.h>

#include "base/merge_sort.h"
#include "formats/jsc/jsc_reader.h"

static ubi_status fail_row(ubi__jsc_reader *r, ubi__jsc_section section, const char *row, uint64_t i, const char *what,
                           uint64_t number, const char *expected) {
    ubi__jsc_enter(r, section);
    return ubi__scan_fail_at(&r->scan, r->offset[section], "%s %llu of the array, counted from 0: %s %llu, expected %s",
                             row, (unsigned long long)i, what, (unsigned long long)number, expected);
}

/* ---- what sections say of each other ----------------------------------------------------------------------------------- */

static ubi_status check_nodes(ubi__jsc_reader *r) {
    const ubi_graph *g = r->graph;
    uint32_t n_classes = r->texts[UBI__JSC_CLASS_NAMES].n, n_labels = r->texts[UBI__JSC_LABELS].n;
    ubi__jsc_enter(r, UBI__JSC_NODES);
    if (g->id.n == 0)
        return ubi__scan_fail_at(&r->scan, r->offset[UBI__JSC_NODES], "there are no nodes, not even a root");
    for (size_t i = 0; r->max_class >= n_classes && i < g->id.n; i++)
        if (g->kind.at[i] >= n_classes)
            return fail_row(r, UBI__JSC_NODES, "node", i, "class", g->kind.at[i], "one of \"nodeClassNames\"");
    for (size_t i = 0; r->max_label >= n_labels && i < g->node_name.n; i++)
        if (g->node_name.at[i] >= n_labels)
            return fail_row(r, UBI__JSC_NODES, "node", i, "label", g->node_name.at[i], "one of \"labels\"");
    return UBI_OK;
}

static bool edge_has_name(const ubi__jsc_reader *r, uint64_t e) {
    uint8_t kind = r->edge_kind[r->graph->edge_kind.at[e]];
    return kind == UBI_EDGE_PROPERTY || kind == UBI_EDGE_CONTEXT;
}

static ubi_status check_edges(ubi__jsc_reader *r) {
    const ubi_graph *g = r->graph;
    uint32_t n_names = r->texts[UBI__JSC_EDGE_NAMES].n;
    for (uint64_t e = 0; g->target.n && r->max_edge_type >= r->n_edge_types && e < g->target.n; e++)
        if (g->edge_kind.at[e] >= r->n_edge_types)
            return fail_row(r, UBI__JSC_EDGES, "edge", e, "type", g->edge_kind.at[e], "one of \"edgeTypes\"");
    for (uint64_t e = 0; e < g->target.n; e++)
        if (g->name.at[e] >= n_names && edge_has_name(r, e))
            return fail_row(r, UBI__JSC_EDGES, "edge", e, "name", g->name.at[e], "one of \"edgeNames\"");
    return UBI_OK;
}

/* ---- ids to nodes ------------------------------------------------------------------------------------------------------ */

/* The node of each id, or a sorted list of both where ids are far apart. */
typedef struct id_table {
    const ubi_allocator *allocator;
    ubi_node_ix *node_of_id; /* [n_ids]; NULL: the list is used */
    uint64_t n_ids;
    uint64_t *sorted; /* sorted[n_nodes]: id, and node in the lower half */
    size_t n_nodes;
} id_table;

/* Ids that are used, of all that there could be, or a table is not worth its memory. */
#define DENSITY 16
#define SMALL_TABLE 65536

static bool is_lower(const void *unused, uint64_t a, uint64_t b) {
    (void)unused;
    return a < b;
}
UBI_SORT_DEFINE(sort_ids, uint64_t, const void *, is_lower);

static void id_table_fini(id_table *t) {
    ubi__free_array(t->allocator, t->node_of_id, t->n_ids, sizeof *t->node_of_id);
    ubi__free_array(t->allocator, t->sorted, t->n_nodes, sizeof *t->sorted);
}

static ubi_node_ix id_table_find(const id_table *t, uint32_t id) {
    if (t->node_of_id)
        return id < t->n_ids ? t->node_of_id[id] : UBI_NONE;
    size_t low = 0, high = t->n_nodes;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->sorted[middle] >> 32 < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->n_nodes && t->sorted[low] >> 32 == id ? (ubi_node_ix)t->sorted[low] : UBI_NONE;
}

static ubi_status fail_repeated(ubi__jsc_reader *r, ubi_node_ix node) {
    return fail_row(r, UBI__JSC_NODES, "node", node, "id", r->file_id.at[node], "one that no earlier node has");
}

static ubi_status id_table_fill(id_table *t, ubi__jsc_reader *r) {
    memset(t->node_of_id, 0xff, t->n_ids * sizeof *t->node_of_id);
    for (uint32_t i = 0; i < t->n_nodes; i++) {
        ubi_node_ix *node = &t->node_of_id[r->file_id.at[i]];
        if (*node != UBI_NONE)
            return fail_repeated(r, i);
        *node = i;
    }
    return UBI_OK;
}

static ubi_status id_table_sort(id_table *t, ubi__jsc_reader *r) {
    uint64_t *room = ubi__alloc_array(t->allocator, t->n_nodes, sizeof *room);
    if (!room)
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < t->n_nodes; i++)
        t->sorted[i] = (uint64_t)r->file_id.at[i] << 32 | i;
    sort_ids(t->sorted, room, t->n_nodes, NULL);
    ubi__free_array(t->allocator, room, t->n_nodes, sizeof *room);
    for (size_t i = 1; i < t->n_nodes; i++)
        if (t->sorted[i] >> 32 == t->sorted[i - 1] >> 32)
            return fail_repeated(r, (ubi_node_ix)t->sorted[i]);
    return UBI_OK;
}

static ubi_status id_table_make(id_table *t, ubi__jsc_reader *r) {
    uint32_t max = 0;
    *t = (id_table){ .allocator = r->allocator, .n_nodes = r->file_id.n };
    for (size_t i = 0; i < t->n_nodes; i++)
        max = r->file_id.at[i] > max ? r->file_id.at[i] : max;
    if (max < SMALL_TABLE || max / DENSITY < t->n_nodes) {
        t->n_ids = (uint64_t)max + 1;
        t->node_of_id = ubi__alloc_array(r->allocator, t->n_ids, sizeof *t->node_of_id);
        return t->node_of_id ? id_table_fill(t, r) : ubi__fail_nomem();
    }
    t->sorted = ubi__alloc_array(r->allocator, t->n_nodes, sizeof *t->sorted);
    return t->sorted ? id_table_sort(t, r) : ubi__fail_nomem();
}

/* ---- edges in order ---------------------------------------------------------------------------------------------------- */

/* Ids of both ends become nodes; edges that leave a node are counted in first_edge[node + 1]. */
static ubi_status edges_resolve(ubi__jsc_reader *r, const id_table *t) {
    ubi_graph *g = r->graph;
    uint32_t last_id = 0;
    ubi_node_ix last = id_table_find(t, 0);
    for (uint64_t e = 0; e < g->target.n; e++) {
        if (r->from.at[e] != last_id) {
            last_id = r->from.at[e];
            last = id_table_find(t, last_id);
        }
        ubi_node_ix to = id_table_find(t, g->target.at[e]);
        if (last == UBI_NONE || to == UBI_NONE)
            return fail_row(r, UBI__JSC_EDGES, "edge", e, last == UBI_NONE ? "fromNodeId" : "toNodeId",
                            last == UBI_NONE ? last_id : g->target.at[e], "the id of a node");
        r->from.at[e] = last;
        g->target.at[e] = to;
        g->first_edge.at[last + 1]++;
    }
    return UBI_OK;
}

typedef struct edge_columns {
    ubi__vec_u32 target, name;
    ubi__vec_u8 kind;
} edge_columns;

static void edge_columns_fini(edge_columns *c, const ubi_allocator *a) {
    ubi__vec_u32_fini(&c->target, a);
    ubi__vec_u32_fini(&c->name, a);
    ubi__vec_u8_fini(&c->kind, a);
}

/* Puts those edges in place that say something, or those that do not. next[node]: where the node's next edge goes. */
static void edges_place(const ubi__jsc_reader *r, edge_columns *out, uint64_t *next, bool that_say_something) {
    const ubi_graph *g = r->graph;
    uint32_t names = r->texts[UBI__JSC_EDGE_NAMES].first;
    for (uint64_t e = 0; e < g->target.n; e++) {
        uint8_t kind = r->edge_kind[g->edge_kind.at[e]];
        bool is_element = kind == UBI_EDGE_ELEMENT, is_named = kind == UBI_EDGE_PROPERTY || kind == UBI_EDGE_CONTEXT;
        if ((is_element || is_named) != that_say_something)
            continue;
        uint64_t at = next[r->from.at[e]]++;
        out->target.at[at] = g->target.at[e];
        out->kind.at[at] = kind;
        out->name.at[at] = is_named ? names + g->name.at[e] : is_element ? g->name.at[e] : UBI_NONE;
    }
}

static ubi_status edges_sort(ubi__jsc_reader *r, edge_columns *out) {
    const ubi_allocator *a = r->allocator;
    ubi_graph *g = r->graph;
    size_t n = g->target.n;
    uint64_t *next = ubi__alloc_array(a, g->n_nodes, sizeof *next);
    ubi_status status = next ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK)
        status = ubi__vec_u32_reserve(&out->target, a, n);
    if (status == UBI_OK)
        status = ubi__vec_u32_reserve(&out->name, a, n);
    if (status == UBI_OK)
        status = ubi__vec_u8_reserve(&out->kind, a, n);
    if (status == UBI_OK) {
        memcpy(next, g->first_edge.at, g->n_nodes * sizeof *next);
        edges_place(r, out, next, true);
        edges_place(r, out, next, false);
        for (uint32_t i = 0; UBI_CHECKS && i < g->n_nodes; i++)
            UBI_ASSERT(next[i] == g->first_edge.at[i + 1]);
        out->target.n = out->name.n = out->kind.n = n;
    }
    ubi__free_array(a, next, g->n_nodes, sizeof *next);
    return status;
}

static ubi_status make_edges(ubi__jsc_reader *r, const id_table *t) {
    const ubi_allocator *a = r->allocator;
    ubi_graph *g = r->graph;
    edge_columns sorted = { 0 };
    UBI_TRY(ubi__vec_u64_reserve(&g->first_edge, a, (size_t)g->n_nodes + 1));
    memset(g->first_edge.at, 0, ((size_t)g->n_nodes + 1) * sizeof *g->first_edge.at);
    g->first_edge.n = (size_t)g->n_nodes + 1;
    UBI_TRY(edges_resolve(r, t));
    for (size_t i = 1; i < g->first_edge.n; i++)
        g->first_edge.at[i] += g->first_edge.at[i - 1];
    UBI_ASSERT(g->first_edge.at[g->n_nodes] == g->target.n);
    ubi_status status = edges_sort(r, &sorted);
    if (status == UBI_OK) {
        edge_columns file_order = { g->target, g->name, g->edge_kind };
        g->target = sorted.target;
        g->name = sorted.name;
        g->edge_kind = sorted.kind;
        sorted = file_order;
        g->n_edges = g->target.n;
    }
    edge_columns_fini(&sorted, a);
    ubi__vec_u32_fini(&r->from, a);
    return status;
}

/* ---- kinds ------------------------------------------------------------------------------------------------------------- */

static ubi_coarse_type coarse_type_of(ubi__jsc_type type) {
    switch (type) {
    case UBI__JSC_STRING:
        return UBI_COARSE_STRING;
    case UBI__JSC_CODE:
        return UBI_COARSE_SCRIPT;
    case UBI__JSC_ELEMENT:
        return UBI_COARSE_DOM_NODE;
    case UBI__JSC_FUNCTION:
    case UBI__JSC_OBJECT:
    case UBI__JSC_INSTANCE:
    case UBI__JSC_GLOBAL:
        return UBI_COARSE_OBJECT;
    default:
        return UBI_COARSE_OTHER;
    }
}

/* Where nodes that have no class of their own say what they are. */
static ubi_status type_name_of(ubi_str_ix *out, ubi__jsc_reader *r, ubi__jsc_type type, ubi_str_ix class_name,
                               ubi_str_ix *known) {
    const char *name = ubi__jsc_type_name(type);
    *out = class_name;
    if (!*name)
        return UBI_OK;
    if (known[type] == UBI_NONE)
        UBI_TRY(ubi__strtab_append(&r->graph->strings, &known[type], (ubi_text){ name, strlen(name) }));
    *out = known[type];
    return UBI_OK;
}

static ubi_status make_kind(ubi_kind_ix *out, ubi__jsc_reader *r, uint32_t class_number, unsigned flags, bool is_root,
                            ubi_str_ix *type_names) {
    ubi_graph *g = r->graph;
    ubi_str_ix class_name = r->texts[UBI__JSC_CLASS_NAMES].first + class_number;
    ubi__jsc_type type = is_root ? UBI__JSC_ROOT : ubi__jsc_type_of(ubi__strtab_get(&g->strings, class_name), flags);
    ubi_kind kind = { .class_name = UBI_NONE,
                      .script_filename = UBI_NONE,
                      .descriptive_name = UBI_NONE,
                      .coarse_type = coarse_type_of(type),
                      .raw_type = (uint8_t)type };
    bool has_class = kind.coarse_type == UBI_COARSE_OBJECT || kind.coarse_type == UBI_COARSE_DOM_NODE;
    UBI_TRY(type_name_of(&kind.type_name, r, type, class_name, type_names));
    if (has_class)
        kind.class_name = class_name;
    return ubi__kinds_intern(&g->kinds, out, &kind);
}

/* A kind per class and flags, of which there are few: known ones are looked up. */
static ubi_status make_kinds(ubi__jsc_reader *r) {
    ubi_graph *g = r->graph;
    size_t n = (size_t)r->texts[UBI__JSC_CLASS_NAMES].n * UBI__JSC_FLAGS;
    ubi_str_ix type_names[UBI__JSC_TYPE_COUNT];
    ubi_kind_ix *known = ubi__alloc_array(r->allocator, n, sizeof *known), root_kind;
    if (!known)
        return ubi__fail_nomem();
    memset(known, 0xff, n * sizeof *known);
    memset(type_names, 0xff, sizeof type_names);
    ubi_status status = make_kind(&root_kind, r, g->kind.at[g->root], r->flags.at[g->root], true, type_names);
    for (uint32_t i = 0; status == UBI_OK && i < g->n_nodes; i++) {
        ubi_kind_ix *kind = &known[g->kind.at[i] * (size_t)UBI__JSC_FLAGS + r->flags.at[i]];
        if (*kind == UBI_NONE && i != g->root)
            status = make_kind(kind, r, g->kind.at[i], r->flags.at[i], false, type_names);
        g->kind.at[i] = i == g->root ? root_kind : *kind;
    }
    ubi__free_array(r->allocator, known, n, sizeof *known);
    return status;
}

/* ---- facts -------------------------------------------------------------------------------------------------------------- */

static bool is_earlier(const void *unused, ubi__jsc_root a, ubi__jsc_root b) {
    (void)unused;
    return a.node < b.node;
}
UBI_SORT_DEFINE(sort_roots, ubi__jsc_root, const void *, is_earlier);

static ubi_status sort_all_roots(ubi__jsc_reader *r) {
    ubi__vec_jsc_root *roots = &r->facts->roots;
    ubi__jsc_root *room = ubi__alloc_array(r->allocator, roots->n, sizeof *room);
    if (!room)
        return ubi__fail_nomem();
    sort_roots(roots->at, room, roots->n, NULL);
    ubi__free_array(r->allocator, room, roots->n, sizeof *room);
    return UBI_OK;
}

static ubi_status make_roots(ubi__jsc_reader *r, const id_table *t) {
    ubi__vec_jsc_root *roots = &r->facts->roots;
    ubi__jsc_texts labels = r->texts[UBI__JSC_LABELS];
    if (!r->facts->is_debugging || r->root_rows.n == 0)
        return UBI_OK;
    UBI_TRY(ubi__vec_jsc_root_reserve(roots, r->allocator, r->root_rows.n));
    for (size_t i = 0; i < r->root_rows.n; i++) {
        const ubi__jsc_root_row *row = &r->root_rows.at[i];
        ubi_node_ix node = id_table_find(t, row->id);
        if (node == UBI_NONE)
            return fail_row(r, UBI__JSC_ROOTS, "root", i, "node", row->id, "the id of a node");
        if (row->reason >= labels.n || row->reachability >= labels.n)
            return fail_row(r, UBI__JSC_ROOTS, "root", i, "reason",
                            row->reason >= labels.n ? row->reason : row->reachability, "one of \"labels\"");
        roots->at[roots->n++] = (ubi__jsc_root){ node, labels.first + row->reason, labels.first + row->reachability };
    }
    return sort_all_roots(r);
}

/* Most labels are the empty one, which says that there is none. */
static void make_names(ubi__jsc_reader *r) {
    ubi_graph *g = r->graph;
    for (size_t i = 0; i < g->node_name.n; i++) {
        ubi_str_ix label = r->texts[UBI__JSC_LABELS].first + g->node_name.at[i];
        g->node_name.at[i] = ubi__strtab_get(&g->strings, label).len ? label : UBI_NONE;
    }
}

/* ---- all together ------------------------------------------------------------------------------------------------------- */

/* Ids of Inspector files were compared already; addresses may repeat in a file that no engine wrote. */
static ubi_status make_index(ubi__jsc_reader *r, ubi__pulse *pulse) {
    ubi_graph *g = r->graph;
    ubi_read_info *info = r->input->info;
    uint32_t n_repeated = 0;
    ubi__id_fault fault;
    ubi__crew crew = { 1, pulse };
    ubi_status status = ubi__id_index_resolve(&g->ids, g->id.at, g->n_nodes, NULL, 0, crew, &fault);
    if (status == UBI_EFORMAT)
        status = ubi__id_index_first_of_each(&g->ids, g->id.at, g->n_nodes, &n_repeated);
    if (status == UBI_ECANCELLED)
        return status;
    if (status != UBI_OK)
        return ubi__fail_nomem();
    g->has_repeated_ids = n_repeated > 0;
    if (n_repeated)
        snprintf(info->note, sizeof info->note,
                 "%u %s an address that an earlier node has, too; looking up such an address finds the first",
                 n_repeated, n_repeated == 1 ? "node has" : "nodes have");
    return UBI_OK;
}

static ubi_status finish_with(ubi__jsc_reader *r, const id_table *t, ubi__pulse *pulse) {
    ubi_graph *g = r->graph;
    g->root = id_table_find(t, 0);
    if (g->root == UBI_NONE) {
        ubi__jsc_enter(r, UBI__JSC_NODES);
        return ubi__scan_fail_at(&r->scan, r->offset[UBI__JSC_NODES], "no node has the id 0, expected one: the root");
    }
    UBI_TRY(make_edges(r, t));
    UBI_TRY(make_kinds(r));
    UBI_TRY(make_roots(r, t));
    make_names(r);
    UBI_TRY(make_index(r, pulse));
    return ubi__graph_find_reachable(g, pulse);
}

static void trim_columns(ubi__jsc_reader *r) {
    const ubi_allocator *a = r->allocator;
    ubi_graph *g = r->graph;
    ubi__vec_u64_trim(&g->id, a);
    ubi__vec_u64_trim(&g->size_bytes, a);
    ubi__vec_u32_trim(&g->kind, a);
    ubi__vec_u32_trim(&g->node_name, a);
    ubi__vec_jsc_wrapped_trim(&r->facts->wrapped, a);
}

ubi_status ubi__jsc_finish(ubi__jsc_reader *r) {
    ubi_graph *g = r->graph;
    ubi__pulse pulse = ubi__pulse_of(&r->input->options->progress);
    id_table table;
    UBI_TRY(check_nodes(r));
    UBI_TRY(check_edges(r));
    g->n_nodes = (uint32_t)g->id.n;
    ubi_status status = id_table_make(&table, r);
    if (status == UBI_OK)
        status = finish_with(r, &table, &pulse);
    id_table_fini(&table);
    UBI_TRY(status);
    ubi__jsc_enter(r, UBI__JSC_NO_SECTION);
    trim_columns(r);
    ubi__strtab_trim(&g->strings);
    UBI_TRY(ubi__strtab_canonicalize(&g->strings, &pulse));
    ubi__strtab_trim(&g->strings);
    ubi__kinds_trim(&g->kinds);
    ubi__jsc_facts_check(r->facts, g->n_nodes);
    return UBI_OK;
}
