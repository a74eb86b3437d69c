/* SPDX-License-Identifier: MIT
 *
 * individuals.c: the nodes behind the leaves of a report.
 *
 * The same census is taken again with buckets in the place of counts. Both reports have the same structure and order,
 * so the index of a leaf, counted in walking order, names the same group in both.
 *
 * Source: mozilla-central devtools/shared/heapsnapshot/CensusUtils.js, getCensusIndividuals.
 */
#include <inttypes.h>
#include <string.h>

#include "analyses/census/breakdown.h"
#include "analyses/census/report_walk.h"
#include "base/u64_map.h"

UBI_VEC_DECLARE(vec_leaf, const ubi_report *);

typedef struct picker {
    const ubi_allocator *allocator;
    ubi__u64_map wanted; /* leaf index -> 1 */
    uint64_t next_index;
    vec_leaf found; /* in report order */
} picker;

static ubi_status enter_leaf(void *payload, const ubi_report *report, const ubi_report_key *edge) {
    picker *p = payload;
    (void)edge;
    uint64_t index = p->next_index++;
    if (ubi__u64_map_get(&p->wanted, index) == UBI_NONE)
        return UBI_OK;
    if (ubi_report_shape_of(report) != UBI_REPORT_BUCKET)
        return ubi__fail(UBI_ENOTFOUND, "%" PRIu64 " is a group of the report, not a leaf", index);
    return vec_leaf_push(&p->found, p->allocator, report);
}

static ubi_status leave_leaf(void *payload, const ubi_report *report) {
    (void)payload, (void)report;
    return UBI_OK;
}

static ubi_status pick_leaves(picker *p, const ubi_census *census, ubi_compat compat, const uint32_t *leaves,
                              uint32_t n_leaves) {
    static const ubi__report_visitor visitor = { enter_leaf, leave_leaf };
    for (uint32_t i = 0; i < n_leaves; i++)
        UBI_TRY(ubi__u64_map_put(&p->wanted, leaves[i], 1));
    UBI_TRY(ubi__report_walk(ubi_census_report(census), compat, &visitor, p));
    for (uint32_t i = 0; p->found.n < p->wanted.table.n && i < n_leaves; i++)
        if (leaves[i] >= p->next_index)
            return ubi__fail(UBI_ENOTFOUND, "the report has no leaf %" PRIu32 ", its last index is %" PRIu64, leaves[i],
                             p->next_index - 1);
    return UBI_OK;
}

static ubi_status take_buckets(ubi_census **out, const ubi_graph *graph, const ubi_breakdown *breakdown,
                               const ubi_census_options *options, const ubi_allocator *allocator) {
    ubi_breakdown *counts = NULL, *buckets = NULL;
    UBI_TRY(ubi__breakdown_or_default(&counts, breakdown, allocator));
    ubi_status status = ubi__breakdown_count_to_bucket(&buckets, counts, allocator);
    if (status == UBI_OK)
        status = ubi_census_take(out, graph, buckets, options);
    ubi_breakdown_unref(buckets);
    ubi_breakdown_unref(counts);
    return status;
}

/** All ids of the leaves that were found, in one block of exactly their size: ubi_individuals_free knows only that. */
static ubi_status join_buckets(uint64_t **out, uint64_t *n, const picker *p) {
    uint64_t total = 0, part, filled = 0;
    for (size_t i = 0; i < p->found.n; i++) {
        ubi_report_bucket(p->found.at[i], &part);
        total += part;
    }
    uint64_t *ids = ubi__alloc_array(p->allocator, total, sizeof *ids);
    if (total && !ids)
        return ubi__fail_nomem();
    for (size_t i = 0; i < p->found.n; i++, filled += part) {
        const uint64_t *from = ubi_report_bucket(p->found.at[i], &part);
        if (part)
            memcpy(ids + filled, from, part * sizeof *ids);
    }
    UBI_ASSERT(filled == total && p->found.n <= p->wanted.table.n);
    *out = ids;
    *n = total;
    return UBI_OK;
}

ubi_status ubi_census_individuals(uint64_t **out, uint64_t *n, const ubi_graph *graph, const ubi_breakdown *breakdown,
                                  const uint32_t *leaves, uint32_t n_leaves, const ubi_census_options *options) {
    ubi_census *census = NULL;
    picker p = { .allocator = ubi__allocator_or_default(options ? options->allocator : NULL) };
    UBI_TRY(take_buckets(&census, graph, breakdown, options, p.allocator));
    ubi__u64_map_init(&p.wanted, p.allocator);
    ubi_status status = pick_leaves(&p, census, options ? options->compat : UBI_COMPAT_NONE, leaves, n_leaves);
    if (status == UBI_OK)
        status = join_buckets(out, n, &p);
    ubi__u64_map_fini(&p.wanted);
    vec_leaf_fini(&p.found, p.allocator);
    ubi_census_free(census);
    return status;
}

void ubi_individuals_free(uint64_t *ids, uint64_t n, const ubi_allocator *allocator) {
    ubi__free_array(ubi__allocator_or_default(allocator), ids, n, sizeof *ids);
}
