/* SPDX-License-Identifier: MIT
 *
 * census_cells.h: the first of a census's two steps: sums per distinct combination of attributes.
 *
 * A heap of millions of nodes has a few hundred kinds, so all that a breakdown can ask for is contained in a few
 * hundred sums: nodes of one kind (and, when the breakdown looks at stacks, of one stack) make a *cell*. The second
 * step runs the breakdown over cells and never sees a node.
 *
 *     rows   id  size  kind  stack            cells   kind  stack  count  bytes  smallest id
 *            20  100    3     7        ->              3     7      2     300      20
 *            30  200    3     7                        3     -      1      50      10
 *            10   50    3     -
 *
 * Rows come in blocks of columns, whatever the heap: a graph hands out slices of its own columns.
 */
#ifndef UBI_CENSUS_CELLS_H
#define UBI_CENSUS_CELLS_H

#include <ubiheap/core/graph.h>

#include "base/u64_map.h"

typedef struct ubi__census_rows {
    const uint64_t *id;
    const uint64_t *size_bytes;
    const uint32_t *kind;  /* ubi_kind_ix */
    const uint32_t *stack; /* ubi_frame_ix, UBI_NONE, UBI__STACK_EMPTY; NULL: no row has one, or stacks do not matter */
    size_t n;
} ubi__census_rows;

typedef struct ubi__cell {
    ubi_kind_ix kind;
    ubi_frame_ix stack;
    uint64_t count; /* 0: never met, no other field counts */
    uint64_t bytes; /* modulo 2^64 */
    uint64_t smallest_id;
} ubi__cell;
_Static_assert(sizeof(ubi__cell) == 32, "a cell is half a cache line");

UBI_VEC_DECLARE(ubi__vec_cell, ubi__cell);

/* Cells have one numbering: kind k without a stack is cell k, then come those with stacks as they were met. */
typedef struct ubi__cells {
    const ubi_allocator *allocator;
    bool is_by_stack;
    ubi__vec_cell plain;   /* by kind */
    ubi__vec_cell stacked; /* in order of first row */
    ubi__u64_map index;    /* (kind, stack) -> place in `stacked` */
} ubi__cells;

/** Cells are where their kind and stack say, and those never met are empty. O(cells). */
void ubi__cells_check(const ubi__cells *cells);
void ubi__cells_init(ubi__cells *cells, const ubi_allocator *allocator, bool by_stack);
void ubi__cells_fini(ubi__cells *cells);
/** Makes room for kinds below `n_kinds`; keeps what was counted. */
ubi_status ubi__cells_reserve_kinds(ubi__cells *cells, uint32_t n_kinds);
/** Counts rows, whose kinds are all reserved. Cost: 1 to 2 ns per row without stacks. */
ubi_status ubi__cells_add(ubi__cells *cells, const ubi__census_rows *rows);
/** Instead of rows: one node, as cell 0 and the only one. Cost: O(1), however many kinds there are. */
ubi_status ubi__cells_add_single(ubi__cells *cells, ubi_kind_ix kind, ubi_frame_ix stack, uint64_t id,
                                 uint64_t size_bytes);

uint32_t ubi__cells_count(const ubi__cells *cells);
const ubi__cell *ubi__cells_get(const ubi__cells *cells, uint32_t cell);
uint32_t ubi__cells_find(const ubi__cells *cells, ubi_kind_ix kind, ubi_frame_ix stack);

#endif
