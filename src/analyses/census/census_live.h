/* SPDX-License-Identifier: MIT
 *
 * census_live.h: rows of a live heap.
 *
 * One breadth-first walk visits every node once; attributes are interned as they are met and rows go to the cells in
 * blocks. No edge and no node is kept, unless the breakdown lists ids: then 16 bytes per node, in visiting order.
 */
#ifndef UBI_CENSUS_LIVE_H
#define UBI_CENSUS_LIVE_H

#include <ubiheap/core/census.h>
#include <ubiheap/core/node.h>

#include "analyses/census/census_cells.h"
#include "analyses/census/census_tables.h"
#include "graph/kinds.h"

typedef struct ubi__census_visits {
    ubi__vec_u64 id;
    ubi__vec_u32 kind;
    ubi__vec_u32 stack; /* UBI_NONE when stacks do not matter */
} ubi__census_visits;

typedef struct ubi__census_live {
    const ubi_allocator *allocator;
    ubi__strtab strings; /* interned: equal texts are one entry */
    ubi__kinds kinds;
    ubi__frames frames;     /* a row per frame of the engine, as Firefox distinguishes stacks by identity */
    ubi__strtab frame_keys; /* bytes of the ubi_stack of each row of `frames` */
    ubi__census_visits visits;
} ubi__census_live;

/** Visits have all their columns, and there is a key per frame, until the keys are dropped. O(1). */
void ubi__census_live_check(const ubi__census_live *live);
void ubi__census_live_init(ubi__census_live *live, const ubi_allocator *allocator);
void ubi__census_live_fini(ubi__census_live *live);
/** Walks from `root` within the edge filter of `options` and counts what is met. With `keeps_visits`, `live->visits` lists all rows. */
ubi_status ubi__census_live_count(ubi__census_live *live, ubi__cells *cells, ubi_node root, bool keep_visits,
                                  const ubi_census_options *options);
/** After the walk: finds equal frames and gives the lookup tables back. */
ubi_status ubi__census_live_finish(ubi__census_live *live);
/** Once the buckets are filled. */
void ubi__census_live_drop_visits(ubi__census_live *live);

#endif
