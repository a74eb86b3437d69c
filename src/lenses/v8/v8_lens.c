/* SPDX-License-Identifier: MIT
 *
 * v8_lens.c: heaps of V8 as Chrome's DevTools look at them.
 */
#include "base/assert.h"
#include "lenses/lens.h"

#include "base/parallel.h"
#include "lenses/v8/v8_look.h"

/* Where paths begin, as people see it. */
static ubi_status find_user_roots(ubi__v8_look *own, const ubi_graph *g, const ubi_allocator *a) {
    for (ubi_edge_ix e = g->first_edge.at[g->root]; e < g->first_edge.at[g->root + 1]; e++)
        if (ubi__v8_is_user_root(own, g, g->target.at[e]))
            UBI_TRY(ubi__vec_u64_push(&own->user_root_edges, a, e));
    return UBI_OK;
}

static bool is_roots_named(const ubi__v8_look *own, const ubi_graph *g, ubi_node_ix node, const char *text) {
    ubi_str_ix name = ubi__graph_node_name(g, node);
    return ubi__v8_type_at(own, g, node) == UBI__V8_SYNTHETIC && name != UBI_NONE &&
           ubi__text_is(ubi__strtab_get(&g->strings, name), text);
}

/*
 * V8 visits these tables last and drops what nothing else marked, but writes their edges as if they kept it.
 * Source: v8 src/objects/visitors.h (ROOT_ID_LIST), src/heap/mark-compact.cc (ClearNonLiveReferences).
 */
static bool is_weak_table(const ubi__v8_look *own, const ubi_graph *g, ubi_node_ix node) {
    return is_roots_named(own, g, node, "(Internalized strings)") ||
           is_roots_named(own, g, node, "(External strings)") || is_roots_named(own, g, node, "(Compilation cache)");
}

/* "(Isolate)" has the stack before Node.js 14. */
static bool is_passing(const ubi__v8_look *own, const ubi_graph *g, ubi_node_ix node) {
    return is_roots_named(own, g, node, "(Stack roots)") || is_roots_named(own, g, node, "(Handle scope)") ||
           is_roots_named(own, g, node, "(Isolate)");
}

/* The first "(GC roots)" is looked at, once: a file may have many edges to it. */
static ubi_status find_root_lists(ubi__v8_look *own, const ubi_graph *g, const ubi_allocator *a) {
    ubi_edge_ix e = g->first_edge.at[g->root], end = g->first_edge.at[g->root + 1];
    while (e < end && !is_roots_named(own, g, g->target.at[e], "(GC roots)"))
        e++;
    if (e == end)
        return UBI_OK;
    ubi_node_ix roots = g->target.at[e];
    for (ubi_edge_ix i = g->first_edge.at[roots]; i < g->first_edge.at[roots + 1]; i++)
        if (is_weak_table(own, g, g->target.at[i]))
            UBI_TRY(ubi__vec_u32_push(&own->weak_tables, a, g->target.at[i]));
        else if (is_passing(own, g, g->target.at[i]))
            UBI_TRY(ubi__vec_u32_push(&own->passing_roots, a, g->target.at[i]));
    return UBI_OK;
}

/*
 * Node.js lists all its native objects for the end of the process. Their JavaScript objects own them, and the lists do not keep these:
 * src/base_object.h there.
 */
static bool is_list_of_natives(const ubi__v8_look *own, const ubi_graph *g, ubi_node_ix node) {
    ubi_str_ix name = ubi__graph_node_name(g, node);
    return ubi__v8_type_at(own, g, node) == UBI__V8_NATIVE && (ubi__v8_is_word(g, name, own->words.cleanup_queue) ||
                                                               ubi__v8_is_word(g, name, own->words.base_object_list));
}

static ubi_status find_lists_of_natives(ubi__v8_look *own, const ubi_graph *g, const ubi_allocator *a) {
    if (own->words.cleanup_queue == UBI_NONE && own->words.base_object_list == UBI_NONE)
        return UBI_OK;
    for (ubi_node_ix node = 0; node < g->n_nodes; node++)
        if (is_list_of_natives(own, g, node) && node != g->root)
            UBI_TRY(ubi__vec_u32_push(&own->weak_tables, a, node));
    return UBI_OK;
}

bool ubi__v8_go_on(ubi__v8_opening *opening, uint64_t done, uint64_t total) {
    if (!opening)
        return true;
    return ubi__pulse_at(&opening->pulse, "looking at nodes", done, total);
}

/* ---- invariants -------------------------------------------------------------------------------------------------- */

static void names_check(const ubi__v8_look *own, const ubi_graph *g) {
    UBI_ASSERT(!own->is_ephemeron == !own->ephemerons.n);
    UBI_ASSERT(own->n_pairs <= own->ephemerons.n);
    for (size_t i = 0; i < own->ephemerons.n; i++) {
        const ubi__v8_ephemeron *e = &own->ephemerons.at[i];
        UBI_ASSERT(i == 0 || e[-1].name < e->name);
        UBI_ASSERT(e->pair < own->n_pairs);
        UBI_ASSERT(own->is_ephemeron[e->name / 64] >> (e->name % 64) & 1);
    }
    UBI_ASSERT(!own->has_other_names || own->detachedness);
    UBI_ASSERT(own->has_other_names || !own->renamed.n);
    for (size_t i = 0; i < own->renamed.n; i++) {
        const ubi__v8_renamed *row = &own->renamed.at[i];
        UBI_ASSERT(i == 0 || row[-1].name < row->name);
        UBI_ASSERT(row->text.len == strlen("Detached ") + ubi__strtab_get(&g->strings, row->name).len);
    }
}

static void roots_check(const ubi__v8_look *own, const ubi_graph *g) {
    for (size_t i = 0; i < own->user_root_edges.n; i++) {
        ubi_edge_ix e = own->user_root_edges.at[i];
        UBI_ASSERT(i == 0 || own->user_root_edges.at[i - 1] < e);
        UBI_ASSERT(e >= g->first_edge.at[g->root] && e < g->first_edge.at[g->root + 1]);
        UBI_ASSERT(own->distance[g->target.at[e]] <= 1 || g->target.at[e] == g->root);
    }
    for (size_t i = 0; i < own->weak_tables.n; i++)
        UBI_ASSERT(ubi__v8_type_at(own, g, own->weak_tables.at[i]) == UBI__V8_SYNTHETIC ||
                   is_list_of_natives(own, g, own->weak_tables.at[i]));
    for (size_t i = 0; i < own->passing_roots.n; i++)
        UBI_ASSERT(ubi__v8_type_at(own, g, own->passing_roots.at[i]) == UBI__V8_SYNTHETIC);
}

static void interfaces_check(const ubi__v8_interfaces *all) {
    uint64_t n_properties = 0;
    for (size_t i = 0; i < all->rows.n; i++) {
        const ubi__v8_interface *row = &all->rows.at[i];
        UBI_ASSERT(i == 0 || row[-1].count >= row->count);
        UBI_ASSERT(row->first_property == n_properties);
        UBI_ASSERT(row->name.len >= 2 && row->name.ptr[0] == '{' && row->name.ptr[row->name.len - 1] == '}');
        n_properties += row->n_properties;
    }
    UBI_ASSERT(n_properties == all->properties.n);
}

void ubi__v8_look_check(const ubi_look *look) {
    const ubi__v8_look *own = ubi__v8_look_of(look);
    const ubi_graph *g = look->graph;
    UBI_ASSERT(!own->size_bytes == !own->user_root_edges.n); /* without globals, sizes stay */
    UBI_ASSERT(own->distance[g->root] == (own->user_root_edges.n ? UBI_LOOK_SYSTEM_DISTANCE : 0));
    UBI_ASSERT(own->joined.graph == g);
    if (!UBI_CHECKS)
        return;
    names_check(own, g);
    roots_check(own, g);
    interfaces_check(&own->interfaces);
    for (ubi_node_ix node = 0; own->detachedness && node < g->n_nodes; node++)
        UBI_ASSERT(own->detachedness[node] <= UBI_DETACHED);
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/*
 * Edges, distances and sizes do not depend on what a heap is looked at like, and take most of the time: where another look has found
 * them they are copied.
 */
static const ubi__v8_look *beside_of(const ubi_look *look) {
    return look->beside ? ubi__v8_look_of(look->beside) : NULL;
}

static ubi_status edges_copy(ubi__v8_look *own, const ubi__v8_look *beside, const ubi_graph *g,
                             const ubi_allocator *a) {
    own->distance = ubi__alloc_array(a, g->n_nodes, sizeof *own->distance);
    if (!own->distance)
        return ubi__fail_nomem();
    memcpy(own->distance, beside->distance, g->n_nodes * sizeof *own->distance);
    UBI_TRY(ubi_edge_set_new(&own->essential, g, false));
    memcpy(own->essential->words, beside->essential->words, own->essential->n_words * sizeof *own->essential->words);
    return UBI_OK;
}

static ubi_status sizes_copy(ubi__v8_look *own, const ubi__v8_look *beside, const ubi_graph *g,
                             const ubi_allocator *a) {
    if (!beside->size_bytes)
        return UBI_OK;
    own->size_bytes = ubi__alloc_array(a, g->n_nodes, sizeof *own->size_bytes);
    if (!own->size_bytes)
        return ubi__fail_nomem();
    memcpy(own->size_bytes, beside->size_bytes, g->n_nodes * sizeof *own->size_bytes);
    return UBI_OK;
}

static ubi_status edges_find(const ubi_look *look, ubi__v8_look *own, ubi__v8_opening *opening) {
    const ubi__v8_look *beside = beside_of(look);
    return beside ? edges_copy(own, beside, look->graph, opening->allocator)
                  : ubi__v8_find_essential_edges(own, look->graph, opening);
}

static ubi_status sizes_find(const ubi_look *look, ubi__v8_look *own, ubi__v8_opening *opening) {
    const ubi__v8_look *beside = beside_of(look);
    return beside ? sizes_copy(own, beside, look->graph, opening->allocator)
                  : ubi__v8_redistribute_sizes(own, look->graph, opening);
}

/* What one thread does while the other looks at edges, and what is done by the first to finish. */
typedef struct other_half {
    ubi_look *look;
    ubi__v8_look *own;
    const ubi__v8_interfaces *like;
    ubi__v8_opening *opening;
    ubi__chore classing, joining;
    ubi_status status, join_status;
} other_half;

static void find_sizes_and_classes(void *payload) {
    other_half *h = payload;
    h->status = sizes_find(h->look, h->own, h->opening);
    if (h->status == UBI_OK)
        h->status = ubi__v8_find_classes(h->look, h->own, h->like, h->opening);
    if (h->status != UBI_OK)
        ubi__pulse_stop(&h->opening->pulse);
}

static void join_strings(void *payload) {
    other_half *h = payload;
    ubi__rope_names names = { UBI__V8_CONS_STRING, h->own->words.first, h->own->words.second };
    h->join_status = ubi__joined_init(&h->own->joined, h->look->graph, names, &h->opening->pulse, h->look->allocator);
    if (h->join_status != UBI_OK)
        ubi__pulse_stop(&h->opening->pulse);
}

/* Messages stay on the thread that made them. */
static ubi_status repeat_failure(ubi_status status) {
    return status == UBI_ENOMEM ? ubi__fail_nomem() : status == UBI_ECANCELLED ? ubi__fail_cancelled() : status;
}

/* The first to fail stopped the others; lack of memory, if any, is the reason. */
static ubi_status first_failure(ubi_status edges, const other_half *other) {
    if (other->status == UBI_ENOMEM || other->join_status == UBI_ENOMEM)
        return repeat_failure(UBI_ENOMEM);
    if (edges != UBI_OK)
        return edges;
    return repeat_failure(other->status != UBI_OK ? other->status : other->join_status);
}

static ubi_status find_halves(ubi_look *look, ubi__v8_look *own, const ubi__v8_interfaces *like,
                              ubi__v8_opening *opening) {
    other_half other = { .look = look, .own = own, .like = like, .opening = opening };
    ubi__helper helper;
    ubi__helper_start(&helper, opening->threads);
    ubi__helper_give(&helper, &other.classing, find_sizes_and_classes, &other);
    ubi__helper_give(&helper, &other.joining, join_strings, &other);
    ubi_status status = edges_find(look, own, opening);
    if (status != UBI_OK)
        ubi__pulse_stop(&opening->pulse);
    else {
        ubi__helper_wait(&helper, &other.joining, &opening->pulse);
        ubi__helper_wait(&helper, &other.classing, &opening->pulse);
        if (ubi__pulse_is_stopped(&opening->pulse))
            status = ubi__fail_cancelled();
    }
    ubi__helper_stop(&helper);
    return first_failure(status, &other);
}

static ubi_status find_all(ubi_look *look, ubi__v8_look *own, const ubi_look_options *options) {
    const ubi_graph *g = look->graph;
    const ubi_allocator *a = look->allocator;
    ubi__v8_opening opening = { a, ubi__pulse_of(&options->progress), ubi__thread_count(options->threads) };
    const ubi__v8_interfaces *like = NULL;
    if (options->like && options->like->lens == &ubi__lens_v8)
        like = &ubi__v8_look_of(options->like)->interfaces;
    UBI_TRY(ubi__v8_find_words(own, g, &opening));
    UBI_TRY(ubi__v8_find_traits(own, g, &opening));
    UBI_TRY(ubi__v8_spread_detachedness(own, g, &opening));
    UBI_TRY(find_user_roots(own, g, a));
    UBI_TRY(find_root_lists(own, g, a));
    UBI_TRY(find_lists_of_natives(own, g, a));
    return find_halves(look, own, like, &opening);
}

void ubi__v8_look_show(ubi_look *look) {
    const ubi__v8_look *own = ubi__v8_look_of(look);
    look->view.edges = own->essential;
    look->view.size_bytes = own->size_bytes;
    look->view.first_edges = own->user_root_edges.at;
    look->view.n_first_edges = (uint32_t)own->user_root_edges.n;
    look->view.weak_tables = own->weak_tables.at;
    look->view.n_weak_tables = (uint32_t)own->weak_tables.n;
    look->view.passing_roots = own->passing_roots.at;
    look->view.n_passing_roots = (uint32_t)own->passing_roots.n;
    look->class_of_node = own->class_of_node;
    look->detachedness = own->detachedness;
    look->joined = own->facts ? &own->joined : NULL;
    look->outside_bytes = own->facts ? own->facts->extra_native_bytes : 0;
}

static ubi_status v8_open(ubi_look *look, const ubi_look_options *options, int filter) {
    ubi__v8_look *own = UBI_NEW(look->allocator, ubi__v8_look);
    if (!own)
        return ubi__fail_nomem();
    look->own = own;
    own->facts = ubi__v8_facts_of(look->graph);
    UBI_TRY(find_all(look, own, options));
    ubi__v8_look_show(look);
    ubi__v8_look_check(look);
    if (filter < 0)
        return UBI_OK;
    own->shown = ubi__calloc_array(look->allocator, look->graph->n_nodes / 64 + 1, sizeof *own->shown);
    if (!own->shown)
        return ubi__fail_nomem();
    UBI_TRY(ubi__v8_filter_apply(own->shown, look, ubi__v8_filters[filter].name, options));
    look->shown = own->shown;
    return UBI_OK;
}

static void v8_close(ubi_look *look) {
    const ubi_allocator *a = look->allocator;
    const ubi_graph *g = look->graph;
    ubi__v8_look *own = look->own;
    if (!own)
        return;
    ubi__free_array(a, own->traits, g->n_nodes, sizeof *own->traits);
    ubi__vec_v8_ephemeron_fini(&own->ephemerons, a);
    ubi__free_array(a, own->is_ephemeron, ubi__strtab_count(&g->strings) / 64 + 1, sizeof *own->is_ephemeron);
    ubi__free_array(a, own->detachedness, g->n_nodes, sizeof *own->detachedness);
    ubi__vec_v8_renamed_fini(&own->renamed, a);
    ubi_edge_set_free(own->essential);
    ubi__free_array(a, own->distance, g->n_nodes, sizeof *own->distance);
    ubi__vec_u64_fini(&own->user_root_edges, a);
    ubi__vec_u32_fini(&own->weak_tables, a);
    ubi__vec_u32_fini(&own->passing_roots, a);
    ubi__free_array(a, own->size_bytes, g->n_nodes, sizeof *own->size_bytes);
    ubi__vec_v8_interface_fini(&own->interfaces.rows, a);
    ubi__vec_text_fini(&own->interfaces.properties, a);
    ubi__free_array(a, own->class_of_node, g->n_nodes, sizeof *own->class_of_node);
    ubi__joined_fini(&own->joined, a);
    ubi__free_array(a, own->shown, g->n_nodes / 64 + 1, sizeof *own->shown);
    ubi__v8_text_pool_fini(&own->pool, a);
    UBI_DELETE(a, own);
}

uint64_t ubi__v8_largest_js_id(const ubi_graph *graph) {
    uint64_t largest = 0;
    for (ubi_node_ix node = 0; node < graph->n_nodes; node++)
        if (graph->id.at[node] % 2 == 1 && graph->id.at[node] > largest)
            largest = graph->id.at[node];
    return largest;
}

static const char *const census_presets[] = { "coarseType", "allocationStack", "invertedAllocationStack", NULL };

const ubi_lens ubi__lens_v8 = {
    .name = "v8",
    .title = "Chrome DevTools",
    .format = "heapsnapshot",
    .displays = UBI__LENS_DISPLAYS(census_presets),
    .has_mixed_coarse_types = true,
    .counts_by_size = true,
    .orphans = UBI_ORPHANS_ADOPT,
    .filters = ubi__v8_filters,
    .apply_filter = ubi__v8_filter_apply,
    .open = v8_open,
    .pass = ubi__v8_look_pass,
    .close = v8_close,
    .distances = ubi__v8_distances,
    .statistics = ubi__v8_statistics,
    .id_mark = ubi__v8_largest_js_id,
    .display_name = ubi__v8_display_name,
    .raw_name = ubi__v8_node_raw_name,
    .has_node_names = true,
    .retaining = &ubi__v8_retaining,
    .end_distance = 1,
    .unreachable_distance = 5,
};
