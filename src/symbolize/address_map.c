/* SPDX-License-Identifier: MIT
 *
 * address_map.c: see address_map.h.
 */
#include "symbolize/address_map.h"

#include <stdlib.h>

#include "base/assert.h"

void ubi__address_map_check(const ubi__address_map *map) {
    UBI_ASSERT(map->ranges.n == 0 || map->starts.n == 0);
    for (size_t i = 1; UBI_CHECKS && i < map->starts.n; i++)
        UBI_ASSERT(map->starts.at[i - 1].low < map->starts.at[i].low);
    UBI_ASSERT(map->starts.n == 0 || map->starts.at[map->starts.n - 1].value == UBI_NONE);
}

ubi_status ubi__address_map_add(ubi__address_map *map, uint64_t low, uint64_t high, uint32_t value,
                                const ubi_allocator *allocator) {
    UBI_ASSERT(value != UBI_NONE && map->starts.n == 0);
    if (low >= high)
        return UBI_OK;
    return ubi__vec_address_range_push(&map->ranges, allocator, (ubi__address_range){ low, high, value });
}

/* Outer ranges before inner ones. */
static int by_start(const void *a, const void *b) {
    const ubi__address_range *l = a, *r = b;
    if (l->low != r->low)
        return l->low < r->low ? -1 : 1;
    if (l->high != r->high)
        return l->high > r->high ? -1 : 1;
    return (l->value > r->value) - (l->value < r->value);
}

/* ---- sealing ------------------------------------------------------------------------------------------------------ */

/* The ranges that are open where the sweep is; the last one is the innermost. */
typedef struct sweep {
    ubi__vec_address_start starts; /* room for all is reserved */
    const ubi__address_range **open;
    size_t n_open;
} sweep;

static void sweep_start(sweep *s, uint64_t low, uint32_t value) {
    ubi__address_start *last = s->starts.n ? &s->starts.at[s->starts.n - 1] : NULL;
    if (last && last->low == low)
        last->value = value;
    else
        s->starts.at[s->starts.n++] = (ubi__address_start){ low, value };
}

/* Ends the ranges that end at or before `address`; the range around one continues. */
static void close_up_to(sweep *s, uint64_t address) {
    while (s->n_open && s->open[s->n_open - 1]->high <= address) {
        uint64_t end = s->open[--s->n_open]->high;
        while (s->n_open && s->open[s->n_open - 1]->high <= end)
            s->n_open--;
        sweep_start(s, end, s->n_open ? s->open[s->n_open - 1]->value : UBI_NONE);
    }
}

static void sweep_over(sweep *s, const ubi__vec_address_range *ranges) {
    for (size_t i = 0; i < ranges->n; i++) {
        close_up_to(s, ranges->at[i].low);
        s->open[s->n_open++] = &ranges->at[i];
        sweep_start(s, ranges->at[i].low, ranges->at[i].value);
    }
    close_up_to(s, UINT64_MAX);
}

ubi_status ubi__address_map_seal(ubi__address_map *map, const ubi_allocator *allocator) {
    size_t n = map->ranges.n;
    sweep s = { .n_open = 0 };
    if (n == 0)
        return UBI_OK;
    UBI_TRY(ubi__vec_address_start_reserve(&s.starts, allocator, 2 * n));
    s.open = ubi__alloc_array(allocator, n, sizeof *s.open);
    if (!s.open) {
        ubi__vec_address_start_fini(&s.starts, allocator);
        return ubi__fail_nomem();
    }
    qsort(map->ranges.at, n, sizeof *map->ranges.at, by_start);
    sweep_over(&s, &map->ranges);
    ubi__free_array(allocator, s.open, n, sizeof *s.open);
    ubi__vec_address_range_fini(&map->ranges, allocator);
    map->starts = s.starts;
    UBI_ASSERT(s.starts.n <= 2 * n);
    ubi__address_map_check(map);
    return UBI_OK;
}

/* ---- the sealed map ----------------------------------------------------------------------------------------------- */

uint32_t ubi__address_map_find(const ubi__address_map *map, uint64_t address) {
    size_t low = 0, high = map->starts.n; /* the first start above `address` is in [low, high] */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (map->starts.at[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    UBI_ASSERT(low == 0 || map->starts.at[low - 1].low <= address);
    UBI_ASSERT(low == map->starts.n || map->starts.at[low].low > address);
    return low ? map->starts.at[low - 1].value : UBI_NONE;
}

void ubi__address_map_fini(ubi__address_map *map, const ubi_allocator *allocator) {
    ubi__vec_address_range_fini(&map->ranges, allocator);
    ubi__vec_address_start_fini(&map->starts, allocator);
}
