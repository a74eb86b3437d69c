/* SPDX-License-Identifier: MIT
 *
 * allocator_parts.c: see allocator_parts.h.
 */
#include "targets/native/allocator_parts.h"

#include "base/text.h"

static const char *const names[UBI__ALLOCATORS] = {
    [UBI__ALLOCATOR_JEMALLOC] = "jemalloc",
    [UBI__ALLOCATOR_MIMALLOC] = "mimalloc",
    [UBI__ALLOCATOR_TCMALLOC] = "tcmalloc",
};

static const ubi__residence_kind kinds[UBI__USES] = {
    [UBI__USE_BLOCKS] = UBI__RESIDENCE_BLOCKS,     [UBI__USE_CACHED] = UBI__RESIDENCE_CACHED,
    [UBI__USE_FREE] = UBI__RESIDENCE_FREE,         [UBI__USE_FREE_PAGES] = UBI__RESIDENCE_FREE_PAGES,
    [UBI__USE_OVERHEAD] = UBI__RESIDENCE_OVERHEAD,
};

void ubi__allocator_parts_read(ubi__allocator_parts *out, const ubi__wire_answer *answer) {
    uint32_t before = atomic_load_explicit(&answer->version, memory_order_acquire);
    *out = (ubi__allocator_parts){ .name = NULL };
    if (before % 2)
        return;
    uint32_t allocator = atomic_load_explicit(&answer->allocator, memory_order_relaxed);
    for (int i = 0; i < UBI__USES; i++)
        out->bytes[i] = atomic_load_explicit(&answer->bytes[i], memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load_explicit(&answer->version, memory_order_relaxed) == before && allocator < UBI__ALLOCATORS)
        out->name = names[allocator];
}

static uint64_t undivided_bytes(const ubi__residence *r, const char *name) {
    for (size_t i = 0; i < r->rows.n; i++)
        if (r->rows.at[i].kind == UBI__RESIDENCE_ALLOCATOR &&
            ubi__text_is(ubi__residence_row_name(r, &r->rows.at[i]), name))
            return r->rows.at[i].amount.resident_bytes;
    return 0;
}

/* Doubles, for what is said may be anything. */
static double bytes_sum(const uint64_t *bytes, int n) {
    double all_bytes = 0;
    for (int i = 0; i < n; i++)
        all_bytes += (double)bytes[i];
    return all_bytes;
}

/* What is in RAM of each. Tables are sparse, so they are short first; then all others are alike. */
static void parts_fit(ubi__residence_part out[UBI__USES], const uint64_t bytes[UBI__USES], uint64_t resident_bytes) {
    double others_bytes = bytes_sum(bytes, UBI__USE_OVERHEAD), share = 1;
    if (others_bytes > (double)resident_bytes)
        share = (double)resident_bytes / others_bytes;
    for (int i = 0; i < UBI__USES; i++) {
        uint64_t part_bytes = share < 1 ? (uint64_t)((double)bytes[i] * share) : bytes[i];
        bool is_last = share < 1 && i == UBI__USE_OVERHEAD - 1; /* which has what was rounded off, too */
        out[i] =
            (ubi__residence_part){ kinds[i], !is_last && part_bytes < resident_bytes ? part_bytes : resident_bytes };
        resident_bytes -= out[i].resident_bytes;
    }
}

/* Its memory was read: what it says would be counted again. */
static bool was_divided(const ubi__residence *r) {
    for (size_t i = 0; i < r->rows.n; i++)
        if (r->rows.at[i].kind == UBI__RESIDENCE_OVERHEAD)
            return true;
    return false;
}

bool ubi__allocator_can_be_asked(ubi_text name) {
    for (int i = 0; i < UBI__ALLOCATORS; i++)
        if (names[i] && ubi__text_is(name, names[i]))
            return true;
    return false;
}

ubi_status ubi__allocator_parts_enter(ubi__residence *r, const ubi__allocator_parts *said) {
    ubi__residence_part parts[UBI__USES];
    if (!said->name || was_divided(r))
        return UBI_OK;
    parts_fit(parts, said->bytes, undivided_bytes(r, said->name));
    return ubi__residence_divide(r, UBI__RESIDENCE_ALLOCATOR, ubi__text(said->name), parts, UBI__USES);
}
