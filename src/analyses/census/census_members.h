/* SPDX-License-Identifier: MIT
 *
 * census_members.h: the nodes that were counted in some leaves of a report, for those who need no ids.
 */
#ifndef UBI_CENSUS_MEMBERS_H
#define UBI_CENSUS_MEMBERS_H

#include <ubiheap/core/census.h>

#include "base/alloc.h"

/**
 * As ubi_census_individuals, but nodes instead of ids, each once, in the order of the graph.
 * @param out  appended to, with the allocator of `options`.
 * Errors: UBI_ENOTFOUND (no such leaf), UBI_ENOMEM, UBI_ECANCELLED. Cost: a census without buckets, and one look at each node's kind.
 */
ubi_status ubi__census_members(ubi__vec_u32 *out, const ubi_graph *graph, const ubi_breakdown *breakdown,
                               const uint32_t *leaves, uint32_t n_leaves, const ubi_census_options *options);

#endif
