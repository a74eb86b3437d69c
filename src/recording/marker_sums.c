/* SPDX-License-Identifier: MIT
 *
 * marker_sums.c: see marker_sums.h.
 */
#include "recording/marker_sums.h"

#include <string.h>

#include "base/assert.h"

static void check_open_markers(const ubi__marker_sums *m, const ubi__vec_open_marker *open) {
    UBI_ASSERT(open->n <= UBI__OPEN_MARKERS);
    for (size_t i = 0; i < open->n; i++)
        UBI_ASSERT(open->at[i].group < m->groups.n);
}

void ubi__marker_sums_check(const ubi__marker_sums *m) {
    if (!UBI_CHECKS)
        return;
    for (uint32_t i = 0; i < m->groups.n; i++) {
        UBI_ASSERT(ubi__u64_map_get(&m->group_of_name, m->groups.at[i].name) == i);
        UBI_ASSERT(m->groups.at[i].n_ended <= m->groups.at[i].count);
        ubi__estimate_check(&m->groups.at[i].allocated);
    }
    for (size_t i = 0; i < m->threads.n; i++)
        check_open_markers(m, &m->threads.at[i].open);
    for (size_t i = 0; i < m->owned.table.n_slots; i++)
        UBI_ASSERT(!ubi__live_is_used(&m->owned.table.slots[i]) || m->owned.table.slots[i].event < m->groups.n);
}

void ubi__marker_sums_init(ubi__marker_sums *m, const ubi_allocator *allocator) {
    *m = (ubi__marker_sums){ .allocator = allocator };
    ubi__u64_map_init(&m->group_of_name, allocator);
    ubi__live_table_init(&m->owned, allocator);
}

void ubi__marker_sums_fini(ubi__marker_sums *m) {
    for (size_t i = 0; i < m->threads.n; i++)
        ubi__vec_open_marker_fini(&m->threads.at[i].open, m->allocator);
    ubi__vec_marker_thread_fini(&m->threads, m->allocator);
    ubi__vec_marker_group_fini(&m->groups, m->allocator);
    ubi__u64_map_fini(&m->group_of_name);
    ubi__live_table_fini(&m->owned);
}

/* ---- markers ------------------------------------------------------------------------------------------------------ */

static ubi_status group_of(ubi__marker_sums *m, uint32_t *out, ubi_str_ix name) {
    *out = ubi__u64_map_get(&m->group_of_name, name);
    if (*out != UBI_NONE)
        return UBI_OK;
    UBI_TRY(ubi__vec_marker_group_reserve(&m->groups, m->allocator, 1));
    UBI_TRY(ubi__u64_map_put(&m->group_of_name, name, (uint32_t)m->groups.n));
    *out = (uint32_t)m->groups.n;
    return ubi__vec_marker_group_push(&m->groups, m->allocator, (ubi__marker_group){ .name = name });
}

ubi_status ubi__marker_sums_add_thread(ubi__marker_sums *m) {
    return ubi__vec_marker_thread_push(&m->threads, m->allocator, (ubi__marker_thread){ 0 });
}

static ubi_status open_marker(ubi__marker_sums *m, ubi__vec_open_marker *open, uint32_t group, uint64_t time_ns) {
    if (open->n == UBI__OPEN_MARKERS)
        memmove(open->at, open->at + 1, --open->n * sizeof *open->at);
    return ubi__vec_open_marker_push(open, m->allocator, (ubi__open_marker){ .group = group, .start_ns = time_ns });
}

/* The innermost of a group among the first n; n itself when there is none. */
static size_t innermost_of(const ubi__vec_open_marker *open, size_t n, uint32_t group) {
    for (size_t i = n; i > 0; i--)
        if (open->at[i - 1].group == group)
            return i - 1;
    return n;
}

static void close_marker(ubi__marker_sums *m, ubi__vec_open_marker *open, uint32_t group, uint64_t time_ns) {
    size_t i = innermost_of(open, open->n, group), around = innermost_of(open, i, group);
    if (i == open->n)
        return;
    ubi__open_marker closed = open->at[i];
    uint64_t ns = time_ns > closed.start_ns ? time_ns - closed.start_ns : 0;
    uint64_t new_ns = ns > closed.counted_ns ? ns - closed.counted_ns : 0;
    ubi__marker_group *g = &m->groups.at[group];
    if (around < i)
        open->at[around].counted_ns += ns;
    memmove(open->at + i, open->at + i + 1, (open->n - i - 1) * sizeof *open->at);
    open->n--;
    g->n_ended++;
    if (__builtin_add_overflow(g->total_ns, new_ns, &g->total_ns))
        g->total_ns = UINT64_MAX;
    if (ns > g->longest_ns)
        g->longest_ns = ns;
}

ubi_status ubi__marker_sums_add(ubi__marker_sums *m, const ubi__ubirec_record *record) {
    ubi__ubirec_marker_type type = record->marker.type;
    ubi__vec_open_marker *open = &m->threads.at[record->marker.thread].open;
    uint32_t group;
    if (type == UBI__UBIREC_MARKER_HELPER_EVENT)
        return UBI_OK;
    UBI_TRY(group_of(m, &group, record->marker.name));
    if (type == UBI__UBIREC_MARKER_END) {
        close_marker(m, open, group, record->marker.time_ns);
        return UBI_OK;
    }
    m->groups.at[group].count++;
    return type == UBI__UBIREC_MARKER_START ? open_marker(m, open, group, record->marker.time_ns) : UBI_OK;
}

/* ---- allocations -------------------------------------------------------------------------------------------------- */

uint32_t ubi__marker_sums_group(const ubi__marker_sums *m, uint32_t thread) {
    const ubi__vec_open_marker *open = &m->threads.at[thread].open;
    return open->n ? open->at[open->n - 1].group : UBI_NONE;
}

ubi_status ubi__marker_sums_own(ubi__marker_sums *m, uint64_t number, uint32_t group) {
    UBI_ASSERT(group < m->groups.n);
    UBI_TRY(ubi__live_table_reserve(&m->owned, 1));
    ubi__live_table_put(&m->owned, number + 1, group);
    return UBI_OK;
}

void ubi__marker_sums_freed(ubi__marker_sums *m, uint64_t number, uint32_t thread) {
    ubi__live *owned = m->owned.table.n ? ubi__live_table_find(&m->owned, number + 1) : NULL;
    if (!owned)
        return;
    m->threads.at[thread].freed_number = number + 1;
    m->threads.at[thread].freed_group = (uint32_t)owned->event;
    ubi__live_table_remove(&m->owned, owned);
}

ubi_status ubi__marker_sums_undone(ubi__marker_sums *m, uint64_t number, uint32_t thread) {
    const ubi__marker_thread *t = &m->threads.at[thread];
    return t->freed_number == number + 1 ? ubi__marker_sums_own(m, number, t->freed_group) : UBI_OK;
}

uint32_t ubi__marker_sums_owner(const ubi__marker_sums *m, uint64_t number) {
    const ubi__live *owned = ubi__live_table_find(&m->owned, number + 1);
    return owned ? (uint32_t)owned->event : UBI_NONE;
}

uint32_t ubi__marker_sums_left(ubi__marker_sums *m, uint64_t number) {
    ubi__live *owned = m->owned.table.n ? ubi__live_table_find(&m->owned, number + 1) : NULL;
    uint32_t group = owned ? (uint32_t)owned->event : UBI_NONE;
    if (owned)
        ubi__live_table_remove(&m->owned, owned);
    return group;
}
