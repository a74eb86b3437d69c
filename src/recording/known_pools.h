/* SPDX-License-Identifier: MIT
 *
 * known_pools.h: memory that libraries keep on purpose until the process ends, which is no leak of the program.
 */
#ifndef UBI_RECORDING_KNOWN_POOLS_H
#define UBI_RECORDING_KNOWN_POOLS_H

#include "recording/recording_sites.h"

/** What a site is, such as "libstdc++'s reserve for exceptions"; NULL: no known pool. Sites are sorted by now. Cost: O(1). */
const char *ubi__known_pool(const ubi__sites *sites, const ubi__site *site);
/**
 * Of the heap, what was not freed at the end: in known pools, and anywhere else. Sites are sorted by what leaked. Cost: O(sites).
 */
void ubi__known_pools_sum(ubi__estimate *kept, ubi__estimate *rest, const ubi__sites *sites);

#endif
