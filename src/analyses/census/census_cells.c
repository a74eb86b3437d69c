/* SPDX-License-Identifier: MIT
 *
 * census_cells.c: counting rows into cells (census_cells.h).
 *
 * The loop over plain rows is what a census of a large graph costs: it reads 20 bytes per row and is as fast as memory
 * delivers them, as the cells it writes to stay in the first-level cache. (Spreading neighbouring rows over several
 * banks of cells, so that additions to one cell need not wait for each other, was measured and gains nothing.)
  */
#include "analyses/census/census_cells.h"

#include "base/assert.h"

void ubi__cells_check(const ubi__cells *cells) {
    bool is_single = cells->plain.n == 0 && cells->stacked.n == 1; /* which is found without an index */
    UBI_ASSERT(is_single || cells->index.table.n == cells->stacked.n);
    UBI_ASSERT(is_single || cells->is_by_stack || cells->stacked.n == 0);
    if (!UBI_CHECKS)
        return;
    for (size_t k = 0; k < cells->plain.n; k++) {
        const ubi__cell *cell = &cells->plain.at[k];
        UBI_ASSERT(cell->kind == k && cell->stack == UBI_NONE);
        UBI_ASSERT(cell->count || (cell->bytes == 0 && cell->smallest_id == UINT64_MAX));
    }
    for (size_t i = 0; i < cells->stacked.n && !is_single; i++) {
        const ubi__cell *cell = &cells->stacked.at[i];
        UBI_ASSERT(ubi__u64_map_get(&cells->index, ubi__u64_pair(cell->kind, cell->stack)) == i);
    }
}

void ubi__cells_init(ubi__cells *cells, const ubi_allocator *allocator, bool by_stack) {
    *cells = (ubi__cells){ .allocator = allocator, .is_by_stack = by_stack };
    ubi__u64_map_init(&cells->index, allocator);
}

void ubi__cells_fini(ubi__cells *cells) {
    ubi__vec_cell_fini(&cells->plain, cells->allocator);
    ubi__vec_cell_fini(&cells->stacked, cells->allocator);
    ubi__u64_map_fini(&cells->index);
}

ubi_status ubi__cells_reserve_kinds(ubi__cells *cells, uint32_t n_kinds) {
    if (n_kinds <= cells->plain.n)
        return UBI_OK;
    UBI_TRY(ubi__vec_cell_reserve(&cells->plain, cells->allocator, n_kinds - cells->plain.n));
    for (size_t k = cells->plain.n; k < n_kinds; k++)
        cells->plain.at[k] = (ubi__cell){ (ubi_kind_ix)k, UBI_NONE, 0, 0, UINT64_MAX };
    cells->plain.n = n_kinds;
    return UBI_OK;
}

static inline void add_row(ubi__cell *cell, uint64_t id, uint64_t size_bytes) {
    cell->count++;
    cell->bytes += size_bytes;
    cell->smallest_id = id < cell->smallest_id ? id : cell->smallest_id;
}

static void add_plain(ubi__cell *plain, const ubi__census_rows *rows) {
    const uint64_t *id = rows->id, *size_bytes = rows->size_bytes;
    const uint32_t *kind = rows->kind;
    for (size_t i = 0; i < rows->n; i++)
        add_row(&plain[kind[i]], id[i], size_bytes[i]);
}

static ubi_status add_stacked(ubi__cells *cells, ubi_kind_ix kind, ubi_frame_ix stack, uint64_t id,
                              uint64_t size_bytes) {
    uint64_t key = ubi__u64_pair(kind, stack);
    uint32_t place = ubi__u64_map_get(&cells->index, key);
    if (place == UBI_NONE) {
        place = (uint32_t)cells->stacked.n;
        UBI_TRY(ubi__vec_cell_push(&cells->stacked, cells->allocator, (ubi__cell){ kind, stack, 0, 0, UINT64_MAX }));
        UBI_TRY(ubi__u64_map_put(&cells->index, key, place));
    }
    add_row(&cells->stacked.at[place], id, size_bytes);
    return UBI_OK;
}

ubi_status ubi__cells_add(ubi__cells *cells, const ubi__census_rows *rows) {
    for (size_t i = 0; UBI_CHECKS && i < rows->n; i++)
        UBI_ASSERT(rows->kind[i] < cells->plain.n);
    if (!cells->is_by_stack || !rows->stack) {
        add_plain(cells->plain.at, rows);
        return UBI_OK;
    }
    for (size_t i = 0; i < rows->n; i++) {
        if (rows->stack[i] == UBI_NONE)
            add_row(&cells->plain.at[rows->kind[i]], rows->id[i], rows->size_bytes[i]);
        else
            UBI_TRY(add_stacked(cells, rows->kind[i], rows->stack[i], rows->id[i], rows->size_bytes[i]));
    }
    return UBI_OK;
}

ubi_status ubi__cells_add_single(ubi__cells *cells, ubi_kind_ix kind, ubi_frame_ix stack, uint64_t id,
                                 uint64_t size_bytes) {
    UBI_ASSERT(ubi__cells_count(cells) == 0);
    return ubi__vec_cell_push(&cells->stacked, cells->allocator, (ubi__cell){ kind, stack, 1, size_bytes, id });
}

uint32_t ubi__cells_count(const ubi__cells *cells) {
    return (uint32_t)(cells->plain.n + cells->stacked.n);
}

const ubi__cell *ubi__cells_get(const ubi__cells *cells, uint32_t cell) {
    UBI_ASSERT(cell < ubi__cells_count(cells));
    return cell < cells->plain.n ? &cells->plain.at[cell] : &cells->stacked.at[cell - cells->plain.n];
}

uint32_t ubi__cells_find(const ubi__cells *cells, ubi_kind_ix kind, ubi_frame_ix stack) {
    if (!cells->is_by_stack || stack == UBI_NONE)
        return kind;
    return (uint32_t)cells->plain.n + ubi__u64_map_get(&cells->index, ubi__u64_pair(kind, stack));
}
