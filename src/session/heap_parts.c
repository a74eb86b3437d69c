/* SPDX-License-Identifier: MIT
 *
 * heap_parts.c: the parts of a heap that many questions need. What only one needs is in that one's folder (part.h).
 */
#include <stdio.h>
#include <string.h>

#include "analyses/dominators/dom_work.h"
#include "base/status.h"
#include "formats/format.h"
#include "graph/retainers.h"
#include "lenses/producer.h"
#include "lenses/retaining.h"
#include "lenses/summary_work.h"
#include "session/session_index.h"
#include "session/session_inside.h"

/*
 * A part that takes no parameters: its type, `part`_part, from `part`_build, and `getter`, which gets it. `release` frees a value.
 */
#define PLAIN_PART(part, title, of_graph, value_type, release, getter)                                                 \
    static void part##_free(void *value, const ubi_allocator *allocator) {                                             \
        (void)allocator;                                                                                               \
        release(value);                                                                                                \
    }                                                                                                                  \
    static const ubi__part_type part##_part = {                                                                        \
        .name = title, .build = part##_build, .free = part##_free, .is_of_graph = of_graph                             \
    };                                                                                                                 \
    ubi_status getter(value_type **out, ubi_session_use *use) {                                                        \
        void *value;                                                                                                   \
        UBI_TRY(ubi__session_part(&value, use, &part##_part, ""));                                                     \
        *out = value;                                                                                                  \
        return UBI_OK;                                                                                                 \
    }                                                                                                                  \
    struct ubi__swallow_semicolon

/* ---- graph and look ------------------------------------------------------------------------------------------------ */

static ubi_status graph_load(void **out, ubi__columns *c, ubi_session_use *use) {
    ubi_read_info info = UBI_READ_INFO_INIT;
    ubi_graph *graph = NULL;
    UBI_TRY(ubi__format_pass(c, &graph));
    ubi_status status = ubi__read_info_pass(c, &info, graph);
    if (status == UBI_OK)
        status = ubi__session_index_note(use, &info);
    if (status == UBI_OK)
        *out = graph;
    else
        ubi_graph_unref(graph);
    return status;
}

static ubi_status graph_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    ubi_graph *graph = ubi__session_given_graph(ubi_session_use_session(use));
    (void)key;
    if (graph) {
        *out = ubi_graph_ref(graph);
        return UBI_OK;
    }
    UBI_TRY(ubi__session_indexed(out, use, UBI__INDEXED_GRAPH, graph_load, allocator));
    if (*out)
        return UBI_OK;
    UBI_TRY(ubi__session_read(&graph, use, allocator));
    *out = graph;
    return UBI_OK;
}

PLAIN_PART(graph, "graph", true, ubi_graph, ubi_graph_unref, ubi_session_graph);

static ubi_status look_open(void **out, ubi_session_use *use, const ubi_look *like, const ubi_look *beside,
                            const ubi_allocator *allocator) {
    ubi_look_options options = UBI_LOOK_OPTIONS_INIT;
    ubi_graph *graph;
    ubi_look *look;
    UBI_TRY(ubi_session_graph(&graph, use));
    options.allocator = allocator;
    options.progress = *ubi_session_use_progress(use);
    options.threads = ubi_session_use_threads(use);
    options.like = like;
    UBI_TRY(ubi__look_open_beside(&look, beside, graph, &options));
    *out = look;
    return UBI_OK;
}

static const ubi__part_type look_part;

/* The heap's own look, if it is there or in the index; to make it takes as long as the other one alone. NULL: it is not. */
static ubi_status own_look_find(const ubi_look **out, ubi_session_use *own) {
    ubi__session_index *index = NULL;
    void *look = NULL;
    UBI_TRY(ubi__session_part_if_present(&look, own, &look_part, ""));
    if (!look && ubi__session_is_indexed(own->session))
        UBI_TRY(ubi__session_index_get(&index, own));
    if (index && index->file && !index->is_damaged)
        UBI_TRY(ubi__session_part(&look, own, &look_part, ""));
    *out = look;
    return UBI_OK;
}

static ubi_status look_open_beside_own(void **out, ubi_session_use *use, const ubi_look *like,
                                       const ubi_allocator *allocator) {
    ubi_session_use_options options = UBI_SESSION_USE_OPTIONS_INIT;
    ubi_session_use *own;
    const ubi_look *beside;
    options.progress = use->progress;
    options.threads = use->threads;
    UBI_TRY(ubi_session_use_begin(&own, use->session, &options));
    ubi_status status = own_look_find(&beside, own);
    use->waited_us += own->waited_us;
    if (status == UBI_OK)
        status = look_open(out, use, like, beside, allocator);
    ubi_session_use_end(own);
    return status;
}

/* The model is needed while the look is opened, and not as long as it lasts. */
static ubi_status look_open_like(void **out, ubi_session_use *use, const ubi_allocator *allocator) {
    ubi_session_use_options options = UBI_SESSION_USE_OPTIONS_INIT;
    ubi_session_use *model;
    const ubi_look *like;
    options.progress = use->progress;
    options.threads = use->threads;
    UBI_TRY(ubi_session_use_begin(&model, use->like, &options));
    ubi_status status = ubi_session_look(&like, model);
    use->waited_us += model->waited_us;
    if (status == UBI_OK)
        status = look_open_beside_own(out, use, like, allocator);
    ubi_session_use_end(model);
    return status;
}

static ubi_status look_load(void **out, ubi__columns *c, ubi_session_use *use) {
    ubi_graph *graph;
    ubi_look *look;
    UBI_TRY(ubi_session_graph(&graph, use));
    UBI_TRY(ubi__look_pass(c, &look, graph));
    *out = look;
    return UBI_OK;
}

static ubi_status look_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    (void)key;
    UBI_TRY(ubi__session_indexed(out, use, UBI__INDEXED_LOOK, look_load, allocator));
    if (*out)
        return UBI_OK;
    return use->like ? look_open_like(out, use, allocator) : look_open(out, use, NULL, NULL, allocator);
}

PLAIN_PART(look, "look", false, const ubi_look, ubi_look_close, ubi_session_look);

/* ---- dominators ---------------------------------------------------------------------------------------------------- */

static ubi_status dominators_find(void **out, ubi_session_use *use, bool with_sets, const ubi_allocator *allocator) {
    ubi_dominators_options options = UBI_DOMINATORS_OPTIONS_INIT;
    const ubi_look *look;
    ubi_dominators *dominators;
    UBI_TRY(ubi_session_look(&look, use));
    options.allocator = allocator;
    options.progress = *ubi_session_use_progress(use);
    options.threads = ubi_session_use_threads(use);
    options.has_no_sets = !with_sets;
    UBI_TRY(ubi_dominators_new(&dominators, ubi_look_view(look), &options));
    *out = dominators;
    return UBI_OK;
}

static ubi_status dominators_load(void **out, ubi__columns *c, ubi_session_use *use) {
    const ubi_look *look;
    ubi_dominators *dominators;
    UBI_TRY(ubi_session_look(&look, use));
    c->scope = ubi__indexed_scopes[UBI__INDEXED_DOMINATORS];
    UBI_TRY(ubi__dominators_pass(c, &dominators, ubi_look_view(look)));
    *out = dominators;
    return UBI_OK;
}

static ubi_status dominator_sets_load(void **out, ubi__columns *c, ubi_session_use *use) {
    void *dominators;
    UBI_TRY(dominators_load(&dominators, c, use));
    c->scope = ubi__indexed_scopes[UBI__INDEXED_SETS];
    ubi_status status = ubi__dominated_sets_pass(c, dominators);
    if (status == UBI_OK)
        *out = dominators;
    else
        ubi_dominators_free(dominators);
    return status;
}

static ubi_status dominators_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    (void)key;
    UBI_TRY(ubi__session_indexed(out, use, UBI__INDEXED_DOMINATORS, dominators_load, allocator));
    if (*out)
        return UBI_OK;
    return dominators_find(out, use, false, allocator);
}

static ubi_status dominator_sets_build(void **out, ubi_session_use *use, const char *key,
                                       const ubi_allocator *allocator) {
    (void)key;
    UBI_TRY(ubi__session_indexed(out, use, UBI__INDEXED_SETS, dominator_sets_load, allocator));
    if (*out)
        return UBI_OK;
    return dominators_find(out, use, true, allocator);
}

static void dominators_free(void *dominators, const ubi_allocator *allocator) {
    (void)allocator;
    ubi_dominators_free(dominators);
}

static const ubi__part_type dominators_part = { .name = "dominators",
                                                .build = dominators_build,
                                                .free = dominators_free };
static const ubi__part_type dominator_sets_part = { .name = "dominators with sets",
                                                    .build = dominator_sets_build,
                                                    .free = dominators_free };

ubi_status ubi_session_dominators(const ubi_dominators **out, ubi_session_use *use, bool with_sets) {
    void *dominators = NULL;
    if (!with_sets)
        UBI_TRY(ubi__session_part_if_present(&dominators, use, &dominator_sets_part, ""));
    if (!dominators)
        UBI_TRY(ubi__session_part(&dominators, use, with_sets ? &dominator_sets_part : &dominators_part, ""));
    *out = dominators;
    return UBI_OK;
}

/* ---- distances ----------------------------------------------------------------------------------------------------- */

typedef struct distance_column {
    const ubi_allocator *allocator; /* of what follows */
    size_t n;
    uint32_t *of_node;
} distance_column;

static void distances_free(void *value, const ubi_allocator *allocator) {
    distance_column *column = value;
    (void)allocator;
    ubi__free_array(column->allocator, column->of_node, column->n, sizeof *column->of_node);
    UBI_DELETE(column->allocator, column);
}

/* With room for distances if `with_room`. */
static ubi_status distance_column_new(distance_column **out, size_t n, bool with_room, const ubi_allocator *allocator) {
    distance_column *column = UBI_NEW(allocator, distance_column);
    if (!column)
        return ubi__fail_nomem();
    *column = (distance_column){ allocator, n, NULL };
    if (with_room)
        column->of_node = ubi__alloc_array(allocator, n, sizeof *column->of_node);
    if (with_room && !column->of_node) {
        UBI_DELETE(allocator, column);
        return ubi__fail_nomem();
    }
    *out = column;
    return UBI_OK;
}

static ubi_status distances_load(void **out, ubi__columns *c, ubi_session_use *use) {
    distance_column *column = NULL; /* for gcc 12 */
    ubi_graph *graph;
    UBI_TRY(ubi_session_graph(&graph, use));
    UBI_TRY(distance_column_new(&column, ubi_graph_node_count(graph), false, c->allocator));
    ubi_status status = ubi__distances_pass(c, &column->of_node, column->n);
    if (status == UBI_OK)
        *out = column;
    else
        distances_free(column, NULL);
    return status;
}

static ubi_status distances_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    const ubi_look *look;
    distance_column *column = NULL; /* for gcc 12 */
    (void)key;
    UBI_TRY(ubi__session_indexed(out, use, UBI__INDEXED_DISTANCES, distances_load, allocator));
    if (*out)
        return UBI_OK;
    UBI_TRY(ubi_session_look(&look, use));
    UBI_TRY(distance_column_new(&column, ubi_graph_node_count(ubi_look_view(look)->graph), true, allocator));
    ubi_status status = ubi__look_distances(column->of_node, look, ubi_session_use_progress(use));
    if (status == UBI_OK)
        *out = column;
    else
        distances_free(column, NULL);
    return status;
}

static const ubi__part_type distances_part = { .name = "distances", .build = distances_build, .free = distances_free };

ubi_status ubi_session_distances(const uint32_t **out, ubi_session_use *use) {
    void *column;
    UBI_TRY(ubi__session_part(&column, use, &distances_part, ""));
    *out = ((distance_column *)column)->of_node;
    return UBI_OK;
}

/* ---- edges backwards ------------------------------------------------------------------------------------------------ */

static ubi_status retainers_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    const ubi_look *look;
    ubi_retainers *retainers;
    (void)key;
    UBI_TRY(ubi_session_look(&look, use));
    const ubi_view *view = ubi_look_view(look);
    ubi__retainers_how how =
        ubi__retainers_how_of(view->graph, ubi_session_use_threads(use), ubi_session_use_progress(use));
    UBI_TRY(ubi__retainers_new(&retainers, view->graph, view->edges, how, allocator));
    *out = retainers;
    return UBI_OK;
}

PLAIN_PART(retainers, "retainers", false, const ubi_retainers, ubi_retainers_free, ubi_session_retainers);

static ubi_status retaining_load(void **out, ubi__columns *c, ubi_session_use *use) {
    const ubi_look *look;
    const uint32_t *distances;
    ubi_retaining *retaining;
    UBI_TRY(ubi_session_look(&look, use));
    UBI_TRY(ubi_session_distances(&distances, use));
    UBI_TRY(ubi__retaining_pass(c, &retaining, look, distances));
    *out = retaining;
    return UBI_OK;
}

static ubi_status retaining_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    ubi_retaining_options options = UBI_RETAINING_OPTIONS_INIT;
    const ubi_look *look;
    const uint32_t *distances;
    ubi_retaining *retaining;
    (void)key;
    UBI_TRY(ubi__session_indexed(out, use, UBI__INDEXED_RETAINING, retaining_load, allocator));
    if (*out)
        return UBI_OK;
    UBI_TRY(ubi_session_look(&look, use));
    UBI_TRY(ubi_session_distances(&distances, use));
    options.allocator = allocator;
    options.progress = *ubi_session_use_progress(use);
    options.threads = ubi_session_use_threads(use);
    UBI_TRY(ubi__retaining_new(&retaining, look, distances, &options));
    *out = retaining;
    return UBI_OK;
}

PLAIN_PART(retaining, "retaining", false, const ubi_retaining, ubi_retaining_free, ubi_session_retaining);

/* ---- keepers -------------------------------------------------------------------------------------------------------- */

typedef struct keeper_list {
    ubi_keeper at[UBI_SESSION_KEEPERS];
    uint32_t n;
} keeper_list;

static void mark_root_kinds(bool *out, const ubi_graph *graph) {
    const ubi__producer_words *words = ubi__producer_of(graph)->words;
    for (ubi_kind_ix kind = 0; kind < ubi_graph_kind_count(graph); kind++)
        out[kind] = words->kind_is_permanent && words->kind_is_permanent(graph, ubi_graph_kind(graph, kind));
}

static ubi_status keepers_find(keeper_list *keepers, ubi_session_use *use, const ubi_allocator *allocator) {
    ubi_keepers_options options = UBI_KEEPERS_OPTIONS_INIT;
    const ubi_look *look;
    const ubi_dominators *dominators;
    UBI_TRY(ubi_session_look(&look, use));
    UBI_TRY(ubi_session_dominators(&dominators, use, true));
    const ubi_graph *graph = ubi_look_view(look)->graph;
    uint32_t n_kinds = ubi_graph_kind_count(graph);
    bool *root_kinds = ubi__alloc_array(allocator, n_kinds, sizeof *root_kinds);
    if (!root_kinds)
        return ubi__fail_nomem();
    mark_root_kinds(root_kinds, graph);
    options.allocator = allocator;
    options.progress = *ubi_session_use_progress(use);
    options.is_root_kind = root_kinds;
    ubi_status status = ubi_keepers_find(keepers->at, &keepers->n, UBI_SESSION_KEEPERS, dominators, graph, &options);
    ubi__free_array(allocator, root_kinds, n_kinds, sizeof *root_kinds);
    return status;
}

static void keepers_free(void *value, const ubi_allocator *allocator) {
    keeper_list *keepers = value;
    UBI_DELETE(allocator, keepers);
}

static ubi_status keepers_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    keeper_list *keepers = UBI_NEW(allocator, keeper_list);
    (void)key;
    if (!keepers)
        return ubi__fail_nomem();
    ubi_status status = keepers_find(keepers, use, allocator);
    if (status == UBI_OK)
        *out = keepers;
    else
        keepers_free(keepers, allocator);
    return status;
}

static const ubi__part_type keepers_part = { .name = "keepers", .build = keepers_build, .free = keepers_free };

ubi_status ubi_session_keepers(const ubi_keeper **out, uint32_t *n, ubi_session_use *use) {
    void *keepers;
    UBI_TRY(ubi__session_part(&keepers, use, &keepers_part, ""));
    *out = ((keeper_list *)keepers)->at;
    *n = ((keeper_list *)keepers)->n;
    return UBI_OK;
}

/* ---- groups of nodes ------------------------------------------------------------------------------------------------ */

static ubi_status summary_load(void **out, ubi__columns *c, ubi_session_use *use) {
    const ubi_look *look;
    const ubi_dominators *dominators;
    const uint32_t *distances;
    ubi_summary *summary;
    UBI_TRY(ubi_session_look(&look, use));
    UBI_TRY(ubi_session_dominators(&dominators, use, true));
    UBI_TRY(ubi_session_distances(&distances, use));
    UBI_TRY(ubi__summary_pass(c, &summary, look, dominators, distances));
    *out = summary;
    return UBI_OK;
}

static ubi_status summary_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    ubi_summary_options options = UBI_SUMMARY_OPTIONS_INIT;
    const ubi_look *look;
    const ubi_dominators *dominators;
    ubi_summary *summary;
    (void)key;
    UBI_TRY(ubi__session_indexed(out, use, UBI__INDEXED_SUMMARY, summary_load, allocator));
    if (*out)
        return UBI_OK;
    UBI_TRY(ubi_session_look(&look, use));
    UBI_TRY(ubi_session_dominators(&dominators, use, true));
    UBI_TRY(ubi_session_distances(&options.distances, use));
    options.allocator = allocator;
    options.progress = *ubi_session_use_progress(use);
    options.threads = ubi_session_use_threads(use);
    UBI_TRY(ubi_summary_new(&summary, look, dominators, &options));
    *out = summary;
    return UBI_OK;
}

PLAIN_PART(summary, "summary", false, const ubi_summary, ubi_summary_free, ubi_session_summary);

static ubi_status strings_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    ubi_strings_options options = UBI_STRINGS_OPTIONS_INIT;
    const ubi_look *look;
    ubi_strings *strings;
    (void)key;
    UBI_TRY(ubi_session_look(&look, use));
    UBI_TRY(ubi_session_dominators(&options.dominators, use, false));
    options.allocator = allocator;
    options.progress = *ubi_session_use_progress(use);
    options.threads = ubi_session_use_threads(use);
    UBI_TRY(ubi_strings_new(&strings, look, &options));
    *out = strings;
    return UBI_OK;
}

PLAIN_PART(strings, "strings", false, const ubi_strings, ubi_strings_free, ubi_session_strings);

/* ---- censuses ------------------------------------------------------------------------------------------------------- */

/* A key is 'F' (Firefox's answers) or '-', then the breakdown's JSON text, if there is one. */
#define FIREFOX_MARK 'F'

static ubi_status census_take(void **out, ubi_session_use *use, const char *key, const uint64_t *size_bytes,
                              const ubi_allocator *allocator) {
    ubi_census_options options = UBI_CENSUS_OPTIONS_INIT;
    ubi_text json = { key[1] ? key + 1 : NULL, strlen(key + 1) };
    ubi_breakdown *breakdown;
    ubi_graph *graph;
    ubi_census *census;
    UBI_TRY(ubi_session_graph(&graph, use));
    options.allocator = allocator;
    options.progress = *ubi_session_use_progress(use);
    options.compat = key[0] == FIREFOX_MARK ? UBI_COMPAT_FIREFOX : UBI_COMPAT_NONE;
    options.size_bytes = size_bytes;
    UBI_TRY(ubi_breakdown_parse(&breakdown, json, options.compat, allocator));
    ubi_status status = ubi_census_take(&census, graph, breakdown, &options);
    ubi_breakdown_unref(breakdown); /* the census has a reference of its own */
    if (status == UBI_OK)
        *out = census;
    return status;
}

static ubi_status census_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    const ubi_look *look;
    UBI_TRY(ubi_session_look(&look, use));
    return census_take(out, use, key, ubi_look_view(look)->size_bytes, allocator);
}

static ubi_status graph_census_build(void **out, ubi_session_use *use, const char *key,
                                     const ubi_allocator *allocator) {
    return census_take(out, use, key, NULL, allocator);
}

static void census_free(void *census, const ubi_allocator *allocator) {
    (void)allocator;
    ubi_census_free(census);
}

static const ubi__part_type census_part = { .name = "census", .build = census_build, .free = census_free };
static const ubi__part_type graph_census_part = {
    .name = "census of raw sizes", .build = graph_census_build, .free = census_free, .is_of_graph = true
};

static ubi_status census_get(const ubi_census **out, ubi_session_use *use, const ubi__part_type *type,
                             ubi_text breakdown, ubi_compat compat) {
    const ubi_allocator *a = ubi_session_use_allocator(use);
    size_t key_bytes = breakdown.len + 2;
    void *census;
    if (memchr(breakdown.ptr ? breakdown.ptr : "", 0, breakdown.len))
        return ubi__fail(UBI_EINVAL, "the breakdown is not JSON: it has a NUL byte");
    char *key = a->alloc(a->ctx, key_bytes);
    if (!key)
        return ubi__fail_nomem();
    key[0] = compat == UBI_COMPAT_FIREFOX ? FIREFOX_MARK : '-';
    if (breakdown.ptr)
        memcpy(key + 1, breakdown.ptr, breakdown.len);
    key[key_bytes - 1] = '\0';
    ubi_status status = ubi__session_part(&census, use, type, key);
    a->free(a->ctx, key, key_bytes);
    if (status == UBI_OK)
        *out = census;
    return status;
}

ubi_status ubi_session_census(const ubi_census **out, ubi_session_use *use, ubi_text breakdown, ubi_compat compat) {
    return census_get(out, use, &census_part, breakdown, compat);
}

ubi_status ubi__session_graph_census(const ubi_census **out, ubi_session_use *use, ubi_text breakdown,
                                     ubi_compat compat) {
    return census_get(out, use, &graph_census_part, breakdown, compat);
}
