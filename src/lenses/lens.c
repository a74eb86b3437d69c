/* SPDX-License-Identifier: MIT
 *
 * lens.c: what all lenses share, and what is asked of any: classes for comparisons, statistics.
 */
#include "lenses/lens.h"

#include <ubiheap/views/statistics.h>

#include "base/column_file.h"
#include "base/status.h"
#include "base/text.h"
#include "graph/graph_columns.h"
#include "lenses/kind_label.h"
#include "lenses/producer.h"

const ubi_lens *ubi_lens_at(size_t i) {
    const ubi__producer *p;
    for (size_t k = 0; (p = ubi__producer_at(k)); k++)
        if (p->lens && i-- == 0)
            return p->lens;
    return NULL;
}

const ubi_lens *ubi_lens_find(const char *name) {
    const ubi_lens *lens;
    for (size_t i = 0; name && (lens = ubi_lens_at(i)); i++)
        if (strcmp(lens->name, name) == 0)
            return lens;
    return NULL;
}

/* The last one takes any graph. */
const ubi_lens *ubi_lens_for(const ubi_graph *graph) {
    const char *format = ubi_graph_format_name(graph);
    size_t i = 0;
    while (ubi_lens_at(i)->format && strcmp(ubi_lens_at(i)->format, format) != 0)
        i++;
    return ubi_lens_at(i);
}

const char *ubi_lens_name(const ubi_lens *lens) {
    return lens->name;
}

const char *ubi_lens_title(const ubi_lens *lens) {
    return lens->title;
}

const char *const ubi__lens_label_presets[] = { "label", "labelAllocationStack", NULL };

const ubi_lens_displays *ubi_lens_displays_of(const ubi_lens *lens) {
    return &lens->displays;
}

const ubi_lens_filter *ubi_lens_filters(const ubi_lens *lens) {
    static const ubi_lens_filter none[] = { { NULL, NULL } };
    return lens->filters ? lens->filters : none;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static ubi_status find_filter(int *out, const ubi_lens *lens, const char *name) {
    const ubi_lens_filter *filters = ubi_lens_filters(lens);
    *out = -1;
    if (!name)
        return UBI_OK;
    for (int i = 0; filters[i].name; i++)
        if (strcmp(filters[i].name, name) == 0) {
            *out = i;
            return UBI_OK;
        }
    return ubi__fail(UBI_EINVAL, "the lens %s has no filter '%s'", lens->name, name);
}

/* Looks at everything so far. NULL: no memory. */
static ubi_look *look_new(const ubi_lens *lens, ubi_graph *graph, const ubi_allocator *a) {
    ubi_look *look = UBI_NEW(a, ubi_look);
    if (!look)
        return NULL;
    look->lens = lens;
    look->may_reuse_ids = lens->may_reuse_ids;
    look->allocator = a;
    look->graph = ubi_graph_ref(graph);
    look->view = ubi_view_of(graph);
    look->view.orphans = lens->orphans;
    return look;
}

ubi_status ubi__look_pass(ubi__columns *c, ubi_look **look, ubi_graph *graph) {
    ubi_look_options options = UBI_LOOK_OPTIONS_INIT;
    const ubi_lens *lens = ubi_lens_for(graph);
    if (c->writer)
        return lens->pass ? lens->pass(c, *look) : UBI_OK;
    options.allocator = c->allocator;
    options.threads = c->threads;
    if (!lens->pass)
        return ubi__lens_open(look, lens, graph, &options);
    ubi_look *made = look_new(lens, graph, c->allocator);
    if (!made)
        return ubi__fail_nomem();
    ubi_status status = lens->pass(c, made);
    if (status == UBI_OK)
        *look = made;
    else
        ubi_look_close(made);
    return status;
}

static ubi_status look_open(ubi_look **out, const ubi_lens *lens, const ubi_look *beside, ubi_graph *graph,
                            const ubi_look_options *options) {
    static const ubi_look_options defaults = UBI_LOOK_OPTIONS_INIT;
    int filter;
    options = options ? options : &defaults;
    UBI_TRY(ubi__version_check(options->version, UBI_LOOK_OPTIONS_VERSION, "ubi_look_options"));
    UBI_TRY(find_filter(&filter, lens, options->filter));
    ubi_look *look = look_new(lens, graph, ubi__allocator_or_default(options->allocator));
    if (!look)
        return ubi__fail_nomem();
    UBI_ASSERT(!beside || (beside->graph == graph && !beside->shown));
    look->beside = beside && beside->lens == lens ? beside : NULL;
    ubi_status status = lens->open(look, options, filter);
    look->beside = NULL;
    if (status != UBI_OK) {
        ubi_look_close(look);
        return status;
    }
    ubi__lens_view_check(look);
    *out = look;
    return UBI_OK;
}

ubi_status ubi__lens_open(ubi_look **out, const ubi_lens *lens, ubi_graph *graph, const ubi_look_options *options) {
    return look_open(out, lens, NULL, graph, options);
}

ubi_status ubi__look_open_beside(ubi_look **out, const ubi_look *beside, ubi_graph *graph,
                                 const ubi_look_options *options) {
    return look_open(out, ubi_lens_for(graph), beside, graph, options);
}

/* Of many nodes, these are looked at. */
#define NODES_CHECKED 1000

static void check_classes(const ubi_look *look) {
    uint32_t n = ubi_graph_node_count(look->graph), step = n / NODES_CHECKED + 1;
    UBI_ASSERT(look->class_of_node || look->class_of_kind);
    for (uint32_t node = 0; UBI_CHECKS && node < n; node += step)
        UBI_ASSERT(ubi_look_class_of(look, node) < look->classes.n);
}

void ubi__lens_view_check(const ubi_look *look) {
    const ubi_view *view = &look->view;
    uint32_t n_nodes = ubi_graph_node_count(look->graph);
    UBI_ASSERT(view->graph == look->graph && view->root < n_nodes);
    UBI_ASSERT(!look->shown || look->lens->filters);
    UBI_ASSERT(!look->joined || look->lens->has_node_names);
    UBI_ASSERT(!look->lens->has_node_names || look->lens->raw_name);
    check_classes(look);
    if (UBI_CHECKS) {
        for (uint32_t i = 1; i < view->n_first_edges; i++)
            UBI_ASSERT(view->first_edges[i - 1] < view->first_edges[i]);
        for (uint32_t i = 0; i < view->n_first_edges; i++)
            UBI_ASSERT(ubi_graph_edge_source(look->graph, view->first_edges[i]) == ubi_graph_root(look->graph));
        for (uint32_t i = 0; i < view->n_weak_tables; i++)
            UBI_ASSERT(view->weak_tables[i] < n_nodes && view->weak_tables[i] != view->root);
        for (uint32_t i = 0; i < view->n_passing_roots; i++)
            UBI_ASSERT(view->passing_roots[i] < n_nodes && view->passing_roots[i] != view->root);
    }
}

ubi_status ubi_look_open(ubi_look **out, const ubi_lens *lens, ubi_graph *graph, const ubi_look_options *options) {
    return ubi__lens_open(out, lens ? lens : ubi_lens_for(graph), graph, options);
}

void ubi_look_close(ubi_look *look) {
    if (!look)
        return;
    const ubi_allocator *a = look->allocator;
    if (look->lens->close)
        look->lens->close(look);
    ubi__free_array(a, look->class_of_kind, ubi_graph_kind_count(look->graph), sizeof *look->class_of_kind);
    ubi__vec_lens_class_fini(&look->classes, a);
    ubi_graph_unref(look->graph);
    UBI_DELETE(a, look);
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

const ubi_lens *ubi_look_lens(const ubi_look *look) {
    return look->lens;
}

const ubi_view *ubi_look_view(const ubi_look *look) {
    return &look->view;
}

uint64_t ubi_look_size_bytes(const ubi_look *look, ubi_node_ix node) {
    return look->view.size_bytes ? look->view.size_bytes[node] : ubi_graph_node_size_bytes(look->graph, node);
}

bool ubi_look_shows(const ubi_look *look, ubi_node_ix node) {
    return !look->shown || (look->shown[node / 64] >> (node % 64) & 1);
}

ubi_status ubi_look_filter_apply(uint64_t *bits, const ubi_look *look, const char *filter,
                                 const ubi_look_options *options) {
    static const ubi_look_options defaults = UBI_LOOK_OPTIONS_INIT;
    int index = -1;
    UBI_TRY(find_filter(&index, look->lens, filter));
    if (index < 0 || !look->lens->apply_filter)
        return ubi__fail(UBI_EINVAL, "the lens %s has no such filter", look->lens->name);
    memset(bits, 0, (ubi_graph_node_count(look->graph) / 64 + 1) * sizeof *bits);
    return look->lens->apply_filter(bits, look, filter, options ? options : &defaults);
}

uint32_t ubi_look_class_count(const ubi_look *look) {
    return (uint32_t)look->classes.n;
}

ubi_class_ix ubi_look_class_of(const ubi_look *look, ubi_node_ix node) {
    return look->class_of_node ? look->class_of_node[node]
                               : look->class_of_kind[ubi_graph_node_kind(look->graph, node)];
}

void ubi_look_class_get(const ubi_look *look, ubi_class_ix index, ubi_look_class *out) {
    *out = look->classes.at[index];
}

ubi_text ubi_look_node_name(const ubi_look *look, ubi_node_ix node) {
    return look->classes.at[ubi_look_class_of(look, node)].name;
}

ubi_text ubi_look_display_name(const ubi_look *look, ubi_node_ix node, ubi_look_name_buffer *buffer) {
    return look->lens->display_name ? look->lens->display_name(look, node, buffer) : ubi_look_node_name(look, node);
}

ubi_detachedness ubi_look_detachedness(const ubi_look *look, ubi_node_ix node) {
    if (look->detachedness)
        return (ubi_detachedness)look->detachedness[node];
    return (ubi_detachedness)ubi_graph_kind(look->graph, ubi_graph_node_kind(look->graph, node))->detachedness;
}

uint64_t ubi_look_outside_bytes(const ubi_look *look) {
    return look->outside_bytes;
}

ubi_status ubi__look_distances(uint32_t *out, const ubi_look *look, const ubi_progress *progress) {
    if (look->lens->distances)
        return look->lens->distances(out, look);
    return ubi__graph_distances(out, look->graph, look->view.edges, look->view.root, progress);
}

ubi_status ubi_look_distances(uint32_t *out, const ubi_look *look) {
    return ubi__look_distances(out, look, NULL);
}

/* ---- the classes of a look for comparisons ----------------------------------------------------------------------- */

/* The classes of a lens as analyses take them. */

static void scheme_describe(const ubi_class_scheme *scheme, uint32_t class_ix, ubi_class *out) {
    const ubi_look *look = scheme->payload;
    const ubi_look_class *class = &look->classes.at[class_ix];
    *out = (ubi_class){ class->coarse_type, class->name, class->place };
}

static uint32_t class_of_sized(const ubi_class_scheme *scheme, ubi_node_ix node) {
    const ubi_look *look = scheme->payload;
    bool counts = ubi_look_size_bytes(look, node) != 0 && ubi_look_shows(look, node);
    return counts ? ubi_look_class_of(look, node) : UBI_NONE;
}

static uint32_t class_of_reachable(const ubi_class_scheme *scheme, ubi_node_ix node) {
    const ubi_look *look = scheme->payload;
    const ubi_graph *g = scheme->graph;
    bool counts = ubi__graph_reachable(g, node) && (node != g->root || g->root_visit_rank != UBI_NONE);
    return counts && ubi_look_shows(look, node) ? ubi_look_class_of(look, node) : UBI_NONE;
}

ubi_class_scheme ubi_look_class_scheme(const ubi_look *look) {
    return (ubi_class_scheme){
        .graph = look->graph,
        .size_bytes = look->view.size_bytes,
        .n_classes = (uint32_t)look->classes.n,
        .has_mixed_coarse_types = look->lens->has_mixed_coarse_types,
        .describe = scheme_describe,
        .class_of = look->lens->counts_by_size ? class_of_sized : class_of_reachable,
        .payload = look,
    };
}

ubi_str_ix ubi_look_node_role(const ubi_look *look, ubi_node_ix node) {
    const ubi_graph *g = look->graph;
    ubi_str_ix name = ubi__graph_node_name(g, node);
    bool is_function = ubi__kind_is_function(g, &g->kinds.rows.at[g->kind.at[node]]);
    return is_function && name != UBI_NONE && ubi__strtab_get(&g->strings, name).len ? name : UBI_NONE;
}

uint64_t ubi_lens_id_mark(const ubi_graph *graph) {
    const ubi_lens *lens = ubi_lens_for(graph);
    return lens->id_mark ? lens->id_mark(graph) : 0;
}

bool ubi_look_reuses_ids(const ubi_look *look) {
    return look->may_reuse_ids;
}

/* ---- statistics -------------------------------------------------------------------------------------------------- */

/*
 * Of what heaps consist (ubiheap/views/statistics.h). A lens may have an answer of its own; here is that for graphs
 * of which no more is known than coarse types.
 */

#define NODES_PER_REPORT (UINT32_C(1) << 16)

/* In the order of ubi_coarse_type. */
static const ubi_statistics_part coarse_parts[UBI_COARSE_TYPE_COUNT] = {
    { "other", "Engine internals and others", 0, 0 },
    { "objects", "JavaScript objects", 0, 0 },
    { "scripts", "Scripts and code", 0, 0 },
    { "strings", "Strings", 0, 0 },
    { "domNodes", "DOM nodes", 0, 0 },
};

_Static_assert(UBI_COARSE_TYPE_COUNT <= UBI_STATISTICS_MAX_PARTS, "a part each");

static void add_node(ubi_statistics *s, const ubi_look *look, ubi_node_ix node) {
    const ubi_graph *g = look->graph;
    uint64_t size_bytes = ubi_look_size_bytes(look, node);
    ubi_statistics_part *part = &s->parts[ubi_graph_kind(g, g->kind.at[node])->coarse_type];
    part->size_bytes += size_bytes;
    part->count++;
    s->total_bytes += size_bytes;
}

static ubi_status by_coarse_type(ubi_statistics *s, const ubi_look *look, const ubi_statistics_options *o) {
    const ubi_graph *g = look->graph;
    bool all = look->view.orphans == UBI_ORPHANS_ADOPT;
    s->n_parts = UBI_COARSE_TYPE_COUNT;
    memcpy(s->parts, coarse_parts, sizeof coarse_parts);
    for (ubi_node_ix node = 0; node < g->n_nodes; node++) {
        if (node % NODES_PER_REPORT == 0 && !ubi__progress(&o->progress, "adding up", node, g->n_nodes))
            return ubi__fail_cancelled();
        if (all || ubi__graph_reachable(g, node))
            add_node(s, look, node);
    }
    s->parts[UBI_COARSE_OTHER].size_bytes += look->outside_bytes;
    s->total_bytes += look->outside_bytes;
    return UBI_OK;
}

ubi_status ubi_statistics_compute(ubi_statistics *out, const ubi_look *look, const ubi_statistics_options *options) {
    static const ubi_statistics_options defaults = UBI_STATISTICS_OPTIONS_INIT;
    ubi_statistics found = { 0 };
    options = options ? options : &defaults;
    UBI_TRY(ubi__version_check(options->version, UBI_STATISTICS_OPTIONS_VERSION, "ubi_statistics_options"));
    UBI_TRY(ubi__result_check(&out->struct_bytes, "ubi_statistics"));
    UBI_TRY((look->lens->statistics ? look->lens->statistics : by_coarse_type)(&found, look, options));
    ubi__result_fill(out, &found, sizeof found);
    return UBI_OK;
}
