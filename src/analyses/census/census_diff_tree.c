/* SPDX-License-Identifier: MIT
 *
 * census_diff_tree.c: the census tree of a diff.
 *
 * Source: mozilla-central devtools/shared/heapsnapshot/census-tree-node.js, censusReportToCensusTreeNode.
 */
#include "analyses/census/breakdown.h"
#include "analyses/census/census_diff.h"
#include "analyses/census/census_tree.h"

static ubi_status add_count(ubi__tree_builder *b, const ubi_delta *delta) {
    ubi_delta_count numbers;
    ubi_delta_get_count(delta, &numbers);
    return ubi__tree_count_shown(b, ubi_delta_breakdown(delta), numbers.count, numbers.bytes);
}

/** Recursion is bounded by UBI_BREAKDOWN_MAX_DEPTH. */
static ubi_status add_delta(ubi__tree_builder *b, const ubi_delta *delta, const ubi_report_key *edge) {
    const ubi_breakdown *breakdown = ubi_delta_breakdown(delta);
    if (b->compat == UBI_COMPAT_FIREFOX && !breakdown->written)
        return ubi__fail(UBI_EINVAL, "can't access property \"by\", breakdown is undefined");
    UBI_TRY(ubi__tree_enter(b, edge, breakdown));
    if (ubi_delta_shape_of(delta) == UBI_REPORT_COUNT)
        UBI_TRY(add_count(b, delta));
    for (uint32_t i = 0; i < ubi_delta_entry_count(delta); i++) {
        ubi_report_key key;
        const ubi_delta *part = ubi_delta_entry(delta, i, &key);
        UBI_TRY(add_delta(b, part, &key));
    }
    return ubi__tree_leave(b);
}

ubi_status ubi_census_diff_tree_new(ubi_census_tree **out, const ubi_census_diff *diff,
                                    const ubi_census_tree_options *options) {
    ubi_census_tree_options how;
    UBI_TRY(ubi__tree_check_options(&how, options));
    ubi__tree_basis basis = { .total_bytes = diff->basis_bytes, .total_count = diff->basis_count };
    ubi__tree_builder b;
    ubi__tree_builder_init(&b, diff->allocator, diff->compat);
    ubi_status status = add_delta(&b, ubi_census_diff_delta(diff), NULL);
    if (status == UBI_OK)
        status = ubi__tree_finish(out, &b, &how, &basis);
    ubi__tree_builder_fini(&b);
    return status;
}
