/* SPDX-License-Identifier: MIT
 *
 * report_keepers.c: who holds the heap, for the report.
 */
#include "questions/report/report_keepers.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/text.h"
#include "lenses/producer.h"
#include "render/path_choice.h"

void ubi__report_keepers_check(const ubi__report_keepers *keepers) {
    UBI_ASSERT(keepers->n <= UBI__REPORT_KEEPERS);
    UBI_ASSERT(keepers->n_of_program + keepers->n_of_engine <= keepers->n);
    for (uint32_t i = 1; UBI_CHECKS && i < keepers->n; i++) {
        bool begins = i == keepers->n_of_program || i == keepers->n - keepers->n_of_engine;
        UBI_ASSERT(begins || keepers->at[i - 1].exclusive_bytes >= keepers->at[i].exclusive_bytes);
    }
}

ubi_status ubi__report_keepers_init(ubi__report_keepers *out, ubi_session_use *heap) {
    const ubi_keeper *keepers;
    *out = (ubi__report_keepers){ .n = 0 };
    UBI_TRY(ubi_session_keepers(&keepers, &out->n, heap));
    for (uint32_t i = 0; i < out->n; i++)
        out->at[i] = keepers[i];
    out->n_of_program = out->n;
    ubi__report_keepers_check(out);
    return UBI_OK;
}

/* ---- whose they are -------------------------------------------------------------------------------------------------- */

/* A module of the program, which the runtime's own loader holds. */
static bool is_module(const ubi_graph *graph, const ubi_kind *kind) {
    const ubi__producer_code *code = &ubi__producer_of(graph)->code;
    return code->kind_is_module && code->kind_is_module(graph, kind);
}

/* Whether the function or runtime property nearest to the path's end is the runtime's. Without any: false. */
static bool ends_in_runtime(const ubi__path_view *path, ubi__fields *fields) {
    const ubi_graph *g = path->graph;
    ubi_node_ix node = path->target;
    for (uint32_t left = path->n_steps;; node = path->steps[--left].predecessor) {
        const ubi_kind *kind = ubi_graph_kind(g, ubi_graph_node_kind(g, node));
        if (ubi__kind_is_function(g, kind))
            return ubi__function_is_of_runtime(fields, node);
        if (left == 0 || is_module(g, kind))
            return false;
        if (ubi__edge_is_of_runtime(g, path->steps[left - 1].edge))
            return true;
    }
}

typedef enum owner { OF_PROGRAM, OF_RUNTIME, OF_ENGINE, OWNERS } owner;

static owner owner_of(const ubi__path_view *path, ubi__fields *fields) {
    if (ubi__path_is_of_engine(path, fields))
        return OF_ENGINE;
    return ends_in_runtime(path, fields) ? OF_RUNTIME : OF_PROGRAM;
}

void ubi__report_keepers_sort(ubi__report_keepers *keepers, const ubi_look *look, const ubi__report_paths *paths,
                              const ubi_allocator *allocator) {
    const ubi_graph *graph = ubi_look_view(look)->graph;
    ubi_keeper sorted[UBI__REPORT_KEEPERS];
    owner owners[UBI__REPORT_KEEPERS];
    uint32_t n = 0, n_of[OWNERS] = { 0 };
    ubi__fields fields;
    if (!ubi__producer_of(graph)->code.function_type)
        return;
    ubi__fields_init(&fields, graph, allocator);
    for (uint32_t i = 0; i < keepers->n; i++) {
        ubi__path_view path = ubi__report_path(paths, look, keepers->at[i].node);
        owners[i] = owner_of(&path, &fields);
        n_of[owners[i]]++;
    }
    ubi__fields_fini(&fields);
    for (unsigned of = OF_PROGRAM; of < OWNERS; of++)
        for (uint32_t i = 0; i < keepers->n; i++)
            if (owners[i] == of)
                sorted[n++] = keepers->at[i];
    memcpy(keepers->at, sorted, n * sizeof *sorted);
    keepers->n_of_program = n_of[OF_PROGRAM];
    keepers->n_of_engine = n_of[OF_ENGINE];
    ubi__report_keepers_check(keepers);
}

/* ---- order ------------------------------------------------------------------------------------------------------------- */

bool ubi__report_keeper_is_of_engine(const ubi__report_keepers *keepers, const ubi_keeper *keeper) {
    return keeper >= &keepers->at[keepers->n - keepers->n_of_engine];
}

static owner owner_of_keeper(const ubi__report_keepers *keepers, const ubi_keeper *keeper) {
    if (ubi__report_keeper_is_of_engine(keepers, keeper))
        return OF_ENGINE;
    return keeper >= &keepers->at[keepers->n_of_program] ? OF_RUNTIME : OF_PROGRAM;
}

static bool is_shown_before(const ubi__report_keepers *keepers, const ubi_keeper *a, const ubi_keeper *b) {
    owner owner_a = owner_of_keeper(keepers, a), owner_b = owner_of_keeper(keepers, b);
    return owner_a != owner_b ? owner_a < owner_b : a->retained_bytes > b->retained_bytes;
}

void ubi__report_keepers_shown(const ubi_keeper **shown, const ubi__report_keepers *keepers, uint32_t n) {
    UBI_ASSERT(n <= keepers->n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = i, least = i < UBI__REPORT_KEEPERS_SHOWN ? 0 : UBI__REPORT_KEEPERS_SHOWN;
        const ubi_keeper *keeper = &keepers->at[i];
        for (; at > least && is_shown_before(keepers, keeper, shown[at - 1]); at--)
            shown[at] = shown[at - 1];
        shown[at] = keeper;
    }
}

ubi__holding ubi__report_holding(const ubi_look *look, const ubi_keeper *keeper) {
    uint64_t own_bytes = ubi_look_size_bytes(look, keeper->node);
    if (own_bytes >= keeper->exclusive_bytes / 2)
        return UBI__HOLDS_ITSELF;
    if (keeper->held_kind != UBI_NONE && keeper->held_bytes >= keeper->exclusive_bytes / 3)
        return UBI__HOLDS_KIND;
    return UBI__HOLDS_VARIOUS;
}
