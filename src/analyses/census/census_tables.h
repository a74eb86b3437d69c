/* SPDX-License-Identifier: MIT
 *
 * census_tables.h: what the indices of census rows mean.
 *
 * A census of a graph borrows the graph's tables; a census of a live heap fills its own while walking. Everything
 * after the counting (reports, trees) sees only this view and cannot tell the difference.
 */
#ifndef UBI_CENSUS_TABLES_H
#define UBI_CENSUS_TABLES_H

#include <ubiheap/core/graph.h>

#include "base/strtab.h"
#include "graph/kinds.h"
#include "stacks/frames.h"

typedef struct ubi__census_tables {
    const ubi__strtab *strings; /* with canonical entries */
    const ubi_kind *kinds;
    const ubi__frames *frames; /* with canonical entries */
    ubi_compat compat;         /* FIREFOX: columns as its SavedFrames show them */
} ubi__census_tables;

static inline ubi__census_tables ubi__census_tables_of(const ubi__strtab *strings, const ubi__kinds *kinds,
                                                       const ubi__frames *frames, ubi_compat compat) {
    return (ubi__census_tables){ strings, kinds->rows.at, frames, compat };
}
static inline ubi_text ubi__census_text(const ubi__census_tables *tables, ubi_str_ix string) {
    return ubi__strtab_get(tables->strings, string);
}
/** A frame of the tables as an abstract stack, valid while `tables` stays where it is. */
ubi_stack ubi__census_stack(const ubi__census_tables *tables, ubi_frame_ix frame);

#endif
