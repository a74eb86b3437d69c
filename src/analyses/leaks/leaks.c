/* SPDX-License-Identifier: MIT
 *
 * leaks.c: running a search, its results, and what is kept of a control (ubiheap/core/leaks.h).
 */
#include "analyses/leaks/leak_finder.h"

#include "base/text.h"

/* ==== THE SEARCH ================================================================================================ */

/* ---- running ----------------------------------------------------------------------------------------------------- */

static ubi_status leaks_search(ubi_leaks *leaks, ubi_leak_finder *f) {
    UBI_TRY(ubi__leak_judge_series(leaks, f));
    UBI_TRY(ubi__leak_find_candidates(f));
    UBI_TRY(ubi__leak_walk(f));
    UBI_TRY(ubi__leak_find_places(f));
    leaks->rows = f->rows; /* clusters borrow from them */
    ubi__class_rows_init(&f->rows, f->allocator);
    UBI_TRY(ubi__leak_find_clusters(leaks, f));
    UBI_TRY(ubi__leak_find_grown(leaks, f));
    ubi__leaks_check(leaks);
    return UBI_OK;
}

void ubi__leaks_check(const ubi_leaks *leaks) {
    size_t n = leaks->clusters.n, n_heaps = leaks->steps.n;
    UBI_ASSERT(leaks->curves.n == n * (2 * n_heaps - 1) && leaks->grew.n == n * (n_heaps - 1));
    UBI_ASSERT(leaks->trends.n <= leaks->leaked.n && leaks->class_tallies.n == leaks->leaked.n * n_heaps);
    uint64_t n_counted = 0, n_leaked = 0, n_of_verdicts = 0;
    for (size_t i = 0; UBI_CHECKS && i < n; i++) {
        const ubi_leak_cluster *c = &leaks->clusters.at[i].cluster;
        UBI_ASSERT(c->leaked.count > 0 && c->n_retained >= c->leaked.count);
        UBI_ASSERT(leaks->clusters.at[i].n_heads <= c->leaked.count);
        UBI_ASSERT(c->n_grew < n_heaps && c->n_parts <= UBI_LEAK_PARTS);
        UBI_ASSERT(i == 0 || leaks->clusters.at[i - 1].cluster.is_counted >= c->is_counted);
        n_counted += c->is_counted;
    }
    for (int i = 0; UBI_CHECKS && i < UBI_LEAK_VERDICTS; i++)
        n_of_verdicts += leaks->of_verdict[i].n_clusters;
    for (size_t i = 0; UBI_CHECKS && i < leaks->leaked.n; i++)
        n_leaked += leaks->leaked.at[i].count;
    UBI_ASSERT(!UBI_CHECKS || (n_counted == leaks->summary.n_clusters && n_of_verdicts == n));
    UBI_ASSERT(!UBI_CHECKS || n_leaked == leaks->summary.leaked.count);
    for (size_t i = 1; UBI_CHECKS && i < leaks->growing.n; i++)
        UBI_ASSERT(leaks->growing.at[i - 1].grown.is_counted >= leaks->growing.at[i].grown.is_counted);
}

/* What paths are read from. */
static void take_walk(ubi_leaks *leaks, ubi_leak_finder *f) {
    leaks->flags = f->flags;
    leaks->parent = f->parent;
    leaks->edge = f->edge;
    f->flags = NULL;
    f->parent = NULL;
    f->edge = NULL;
}

static ubi_status check_steps(const ubi_leak_finder *f) {
    if (f->has_run)
        return ubi__fail(UBI_EINVAL, "the search ran before");
    if (f->steps.n == 0 || !f->steps.at[UBI_LEAK_OLD].was_compared)
        return ubi__fail(UBI_EINVAL, "OLD was not compared");
    for (size_t i = 0; i < f->steps.n; i++)
        if (!f->steps.at[i].was_compared)
            return ubi__fail(UBI_EINVAL, "heap %zu of %zu was not compared", i + 1, f->steps.n);
    return UBI_OK;
}

ubi_status ubi_leak_finder_run(ubi_leaks **out, ubi_leak_finder *f) {
    UBI_TRY(check_steps(f));
    f->has_run = true;
    ubi_leaks *leaks = UBI_NEW(f->allocator, ubi_leaks);
    if (!leaks)
        return ubi__fail_nomem();
    leaks->allocator = f->allocator;
    leaks->graph = ubi_graph_ref(f->graph);
    leaks->root = f->view.root;
    ubi__class_rows_init(&leaks->rows, f->allocator);
    ubi_status status = leaks_search(leaks, f);
    if (status == UBI_OK) {
        take_walk(leaks, f);
        *out = leaks;
    } else {
        ubi_leaks_free(leaks);
    }
    return status;
}

void ubi_leaks_free(ubi_leaks *leaks) {
    if (!leaks)
        return;
    const ubi_allocator *a = leaks->allocator;
    size_t n = leaks->graph->n_nodes;
    ubi__free_array(a, leaks->flags, n, 1);
    ubi__free_array(a, leaks->parent, n, sizeof *leaks->parent);
    ubi__free_array(a, leaks->edge, n, sizeof *leaks->edge);
    ubi__vec_leak_found_fini(&leaks->clusters, a);
    ubi__vec_leak_tally_fini(&leaks->leaked, a);
    ubi__free_array(a, leaks->unlisted_bytes, leaks->steps.n, sizeof *leaks->unlisted_bytes);
    ubi__free_array(a, leaks->unlisted_grew, leaks->steps.n, 1);
    ubi__vec_leak_step_fini(&leaks->steps, a);
    ubi__vec_u64_fini(&leaks->curves, a);
    ubi__vec_u8_fini(&leaks->grew, a);
    ubi__vec_leak_tally_fini(&leaks->class_tallies, a);
    ubi__vec_u32_fini(&leaks->trends, a);
    ubi__vec_leak_growing_fini(&leaks->growing, a);
    ubi__vec_u64_fini(&leaks->sizes, a);
    ubi__vec_u8_fini(&leaks->sizes_grew, a);
    ubi__class_rows_fini(&leaks->rows);
    ubi_graph_unref(leaks->graph);
    UBI_DELETE(a, leaks);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

const ubi_leak_summary *ubi_leaks_summary(const ubi_leaks *leaks) {
    return &leaks->summary;
}

ubi_leak_tally ubi_leaks_of_class(const ubi_leaks *leaks, ubi_text name) {
    ubi_leak_tally sum = { 0, 0 };
    for (size_t i = 0; i < leaks->leaked.n; i++)
        if (ubi__text_equal(leaks->rows.rows.at[i].name, name)) {
            sum.count += leaks->leaked.at[i].count;
            sum.bytes += leaks->leaked.at[i].bytes;
        }
    return sum;
}

const ubi_leak_sums *ubi_leaks_of_verdict(const ubi_leaks *leaks, ubi_leak_verdict verdict) {
    return &leaks->of_verdict[verdict];
}

uint64_t ubi_leaks_retained_by_class(const ubi_leaks *leaks, ubi_text name) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < leaks->summary.n_clusters; i++)
        if (ubi__text_equal(leaks->clusters.at[i].cluster.class_name.name, name))
            sum += leaks->clusters.at[i].cluster.retained_bytes;
    return sum;
}

const ubi_leak_unlisted *ubi_leaks_unlisted(const ubi_leaks *leaks) {
    return &leaks->unlisted;
}

/* ---- clusters ---------------------------------------------------------------------------------------------------- */

bool ubi_leak_verdict_is_leak(ubi_leak_verdict verdict) {
    return verdict <= UBI_LEAK_LARGE || verdict == UBI_LEAK_STEPWISE;
}

static const char *const verdict_names[UBI_LEAK_VERDICTS] = { "grew",    "steady",   "once",       "large",
                                                              "bounded", "replaced", "controlled", "stepwise" };

const char *ubi_leak_verdict_name(ubi_leak_verdict verdict) {
    return verdict_names[verdict];
}

bool ubi_leak_verdict_named(ubi_leak_verdict *out, ubi_text name) {
    for (int i = 0; i < UBI_LEAK_VERDICTS; i++)
        if (ubi__text_is(name, verdict_names[i])) {
            *out = (ubi_leak_verdict)i;
            return true;
        }
    return false;
}

bool ubi_leak_verdict_is_possible(ubi_leak_verdict verdict, uint32_t n_heaps, bool has_control) {
    switch (verdict) {
    case UBI_LEAK_GREW:
    case UBI_LEAK_REPLACED:
        return n_heaps == 2;
    case UBI_LEAK_LARGE:
        return true;
    case UBI_LEAK_CONTROLLED:
        return has_control;
    case UBI_LEAK_STEPWISE:
        return n_heaps > 3;
    default:
        return n_heaps > 2;
    }
}

uint32_t ubi_leaks_count(const ubi_leaks *leaks) {
    return (uint32_t)leaks->clusters.n;
}

const ubi_leak_cluster *ubi_leaks_cluster(const ubi_leaks *leaks, uint32_t index) {
    return &leaks->clusters.at[UBI_INDEX(index, leaks->clusters.n)].cluster;
}

uint32_t ubi_leaks_path_length(const ubi_leaks *leaks, ubi_node_ix node) {
    uint32_t n = 0;
    if (leaks->parent[node] == UBI_NONE)
        return 0;
    for (; node != leaks->root; node = leaks->parent[node])
        n++;
    return n;
}

void ubi_leaks_path(ubi_path_step *out, const ubi_leaks *leaks, ubi_node_ix node) {
    for (uint32_t i = ubi_leaks_path_length(leaks, node); i > 0; i--) {
        ubi_node_ix source = leaks->parent[node];
        out[i - 1] = (ubi_path_step){ source, leaks->graph->first_edge.at[source] + leaks->edge[node] };
        node = source;
    }
}

bool ubi_leaks_was_there(const ubi_leaks *leaks, ubi_node_ix node) {
    return leaks->flags[node] & UBI__LEAK_WAS_OLD;
}

/* ==== CONTROLS ================================================================================================== */

/* What is kept of a control. */

static ubi_status add_to_control(ubi_leak_control *control, uint64_t fingerprint, uint64_t count) {
    uint32_t at = ubi__u64_map_get(&control->place_of, fingerprint);
    if (at == UBI_NONE) {
        at = (uint32_t)control->counts.n;
        UBI_TRY(ubi__vec_u64_push(&control->counts, control->allocator, 0));
        UBI_TRY(ubi__u64_map_put(&control->place_of, fingerprint, at));
    }
    UBI_ASSERT(control->place_of.table.n == control->counts.n);
    control->counts.at[at] += count;
    return UBI_OK;
}

ubi_status ubi_leak_control_new(ubi_leak_control **out, const ubi_leaks *leaks) {
    ubi_leak_control *control = UBI_NEW(leaks->allocator, ubi_leak_control);
    ubi_status status = UBI_OK;
    if (!control)
        return ubi__fail_nomem();
    control->allocator = leaks->allocator;
    ubi__u64_map_init(&control->place_of, leaks->allocator);
    for (size_t i = 0; i < leaks->clusters.n && status == UBI_OK; i++)
        status = add_to_control(control, leaks->clusters.at[i].fingerprint, leaks->clusters.at[i].cluster.leaked.count);
    for (size_t i = 0; i < leaks->growing.n && status == UBI_OK; i++)
        status = add_to_control(control, leaks->growing.at[i].fingerprint, leaks->growing.at[i].grown.grown_bytes);
    if (status == UBI_OK)
        status = add_to_control(control, UBI__LEAK_UNLISTED_FINGERPRINT, leaks->unlisted.grown_bytes);
    if (status == UBI_OK)
        *out = control;
    else
        ubi_leak_control_free(control);
    return status;
}

void ubi_leak_control_free(ubi_leak_control *control) {
    if (!control)
        return;
    ubi__u64_map_fini(&control->place_of);
    ubi__vec_u64_fini(&control->counts, control->allocator);
    UBI_DELETE(control->allocator, control);
}

uint64_t ubi__leak_count_in_control(const ubi_leak_control *control, uint64_t fingerprint) {
    uint32_t at = control ? ubi__u64_map_get(&control->place_of, fingerprint) : UBI_NONE;
    return at == UBI_NONE ? 0 : control->counts.at[at];
}
