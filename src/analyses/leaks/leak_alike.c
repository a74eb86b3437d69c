/* SPDX-License-Identifier: MIT
 *
 * leak_alike.c: objects of one class that are held in one way and grew in place, each a little, as one.
 *
 * Their way tells them apart, by classes and names but not by numbers: the entries of a map are of one sort. Names may be keys, where the
 * holder has many; then it takes more objects, since else all variables of a program would be of one sort.
 */
#include "analyses/leaks/leak_finder.h"
#include "base/bits.h"

/* More than so many are told as one. */
#define MOST_APART 3
#define MOST_APART_BY_KEYS 16
/* One by itself is told if it is as large, and grew as much. */
#define LEAST_WEIGHT 4096
#define LEAST_GROWTH 1024

/* What grew by so much stands by itself under a name of its own, even if that may be a key. */
#define LARGE_GROWTH 65536

typedef uint64_t sort_of(const ubi__leak_growing *row);

static uint64_t sort_by_way(const ubi__leak_growing *row) {
    return row->fingerprint;
}
static uint64_t sort_by_keys(const ubi__leak_growing *row) {
    return row->most_bytes < LARGE_GROWTH ? row->by_keys : row->fingerprint;
}

static void join_rows(ubi__leak_growing *to, ubi__leak_growing *from, uint32_t n_heaps) {
    for (uint32_t i = 0; i < n_heaps; i++)
        to->bytes[i] = ubi__add_u64(to->bytes[i], from->bytes[i]);
    if (from->most_bytes > to->most_bytes) {
        to->most_bytes = from->most_bytes;
        to->grown.node = from->grown.node;
        to->grown.content = from->grown.content;
        to->grown.class_name = from->grown.class_name;
    }
    to->grown.holds_leaked = to->grown.holds_leaked || from->grown.holds_leaked;
    to->grown.n_objects += from->grown.n_objects;
    to->grown.grown_bytes = ubi__subtract_u64(to->bytes[n_heaps - 1], to->bytes[0]);
    from->grown.n_objects = 0;
}

/* Rows are joined to the first of their sort; what was joined before is left alone. */
static ubi_status join_sorts(ubi__vec_leak_growing *rows, uint32_t n_heaps, sort_of *sort, uint32_t most_apart,
                             ubi__u64_map *first_of, ubi__vec_u32 *counts) {
    for (uint32_t i = 0; i < rows->n; i++) {
        uint32_t first = ubi__u64_map_get(first_of, sort(&rows->at[i]));
        UBI_TRY(ubi__vec_u32_push(counts, first_of->allocator, 0));
        if (rows->at[i].grown.n_objects != 1)
            continue;
        if (first == UBI_NONE)
            UBI_TRY(ubi__u64_map_put(first_of, sort(&rows->at[i]), i));
        counts->at[first == UBI_NONE ? i : first]++;
    }
    for (uint32_t i = 0; i < rows->n; i++) {
        uint32_t first = ubi__u64_map_get(first_of, sort(&rows->at[i]));
        if (first == UBI_NONE || rows->at[i].grown.n_objects != 1 || counts->at[first] <= most_apart || first == i)
            continue;
        rows->at[first].fingerprint = sort(&rows->at[first]);
        join_rows(&rows->at[first], &rows->at[i], n_heaps);
    }
    return UBI_OK;
}

static ubi_status join_by(ubi__vec_leak_growing *rows, uint32_t n_heaps, sort_of *sort, uint32_t most_apart,
                          const ubi_allocator *a) {
    ubi__u64_map first_of;
    ubi__vec_u32 counts = { 0 };
    ubi__u64_map_init(&first_of, a);
    ubi_status status = join_sorts(rows, n_heaps, sort, most_apart, &first_of, &counts);
    ubi__vec_u32_fini(&counts, a);
    ubi__u64_map_fini(&first_of);
    return status;
}

static bool is_large(const ubi__leak_growing *row, uint32_t n_heaps) {
    const ubi_leak_grown *o = &row->grown;
    return o->n_objects && o->grown_bytes >= LEAST_GROWTH &&
           (o->n_objects > 1 || row->bytes[n_heaps - 1] >= LEAST_WEIGHT);
}

ubi_status ubi__leak_join_alike(ubi__vec_leak_growing *rows, uint32_t n_heaps, const ubi_allocator *a) {
    size_t n = 0;
    UBI_TRY(join_by(rows, n_heaps, sort_by_way, MOST_APART, a));
    UBI_TRY(join_by(rows, n_heaps, sort_by_keys, MOST_APART_BY_KEYS, a));
    uint64_t n_objects = 0;
    for (size_t i = 0; UBI_CHECKS && i < rows->n; i++)
        n_objects += rows->at[i].grown.n_objects;
    UBI_ASSERT(!UBI_CHECKS || n_objects == rows->n); /* joining loses none */
    for (size_t i = 0; i < rows->n; i++)
        if (is_large(&rows->at[i], n_heaps))
            rows->at[n++] = rows->at[i];
    rows->n = n;
    return UBI_OK;
}
