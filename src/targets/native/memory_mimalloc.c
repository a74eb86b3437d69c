/* SPDX-License-Identifier: MIT
 *
 * memory_mimalloc.c: see memory_mimalloc.h. The layout is that of mimalloc 2.0 on machines with 64 bits.
 *
 * A segment is divided into slices of 64 KiB. At its beginning is a table with an entry for each: the first slice of a page says how
 * many slices the page has and what blocks are in it; a run of free slices looks like a page without blocks. The first page is the table.
 * Where the table begins depends on how the allocator was built, and is the place from which these counts lead exactly to its end.
 */
#include "targets/native/memory_mimalloc.h"

#include "base/assert.h"

#define SLICE_BYTES (UINT64_C(64) << 10)
#define SLICES (UBI__MIMALLOC_SEGMENT_BYTES / SLICE_BYTES)
/* Where the table of slices begins in a segment. Before it is the number of its thread, and before that how many slices there are. */
#define TABLE_LEAST 0x40
#define TABLE_MOST 0x200
#define WORD_BYTES 8
#define COUNT_BYTES 16
/* Blocks that are larger than 32 bits can say have this size. */
#define HUGE_BLOCK (UINT64_C(2) << 30)
/* In pointers to blocks that other threads have freed. */
#define STATE_BITS UINT64_C(3)

/* mi_page_t. */
typedef struct slice {
    uint32_t n_slices, offset; /* of the page; from its first slice */
    uint8_t state, padding;
    uint16_t capacity, reserved; /* blocks that it has, and has room for */
    uint8_t flags, more_flags;
    uint64_t free;
    uint32_t n_used, block_bytes; /* with blocks that other threads have freed; 0: slices that are free */
    uint64_t freed, freed_by_others;
    uint64_t heap, next, previous, last;
} slice;
_Static_assert(sizeof(slice) == 80, "as mimalloc has it");

typedef struct segment {
    uint64_t base, table, n_entries, end;
} segment;

static bool slice_read(slice *out, ubi__memory_look *look, const segment *s, uint64_t i) {
    return ubi__memory_look_read(look, out, s->table + i * sizeof *out, sizeof *out);
}

/* The first entry of a page, or of a run of free slices. */
static bool slice_is_sound(const slice *e, uint64_t i) {
    bool is_huge = e->block_bytes >= HUGE_BLOCK;
    if (e->n_slices == 0 || e->offset != 0 || e->capacity > e->reserved || e->n_used > e->capacity)
        return false;
    if (i == 0 || e->block_bytes == 0)
        return e->n_used == 0;
    return is_huge || (e->reserved && (uint64_t)e->block_bytes * e->reserved <= e->n_slices * SLICE_BYTES);
}

/* Whether the counts lead from here to the end of the table. A page that is larger than a segment is the last one. */
static bool table_is_there(segment *s, ubi__memory_look *look) {
    slice e;
    uint64_t i = 0;
    if (!ubi__memory_look_read(look, &s->n_entries, s->table - COUNT_BYTES, WORD_BYTES) || s->n_entries == 0 ||
        s->n_entries > SLICES)
        return false;
    while (i < s->n_entries) {
        if (!slice_read(&e, look, s, i) || !slice_is_sound(&e, i))
            return false;
        i += e.n_slices;
    }
    s->end = s->base + i * SLICE_BYTES;
    return i == s->n_entries || s->n_entries == SLICES;
}

static bool segment_find(segment *s, ubi__memory_look *look, uint64_t address) {
    s->base = address / UBI__MIMALLOC_SEGMENT_BYTES * UBI__MIMALLOC_SEGMENT_BYTES;
    for (s->table = s->base + TABLE_LEAST; s->table <= s->base + TABLE_MOST; s->table += WORD_BYTES)
        if (table_is_there(s, look))
            return address < s->end;
    return false;
}

uint64_t ubi__mimalloc_segment_end(ubi__memory_look *look, uint64_t address) {
    segment s;
    return segment_find(&s, look, address) ? s.end : 0;
}

/* ---- pages -------------------------------------------------------------------------------------------------------- */

/* Blocks of a list, each of which begins with the address of the next: at most `most`, and no further than they are in their page. */
static uint64_t list_length(ubi__memory_look *look, uint64_t block, uint64_t low, uint64_t high, uint64_t most) {
    uint64_t n = 0;
    unsigned char byte;
    while (n < most && block - low < high - low) {
        /* Lists go back and forth in a page: the slice is read as a whole, as far as it is in RAM. */
        if (block < look->buffer_at || block - look->buffer_at >= look->buffer_n)
            (void)ubi__memory_look_read(look, &byte, block / SLICE_BYTES * SLICE_BYTES, 1);
        n++;
        if (!ubi__memory_look_read(look, &block, block, sizeof block))
            break;
    }
    return n;
}

/* Bytes of blocks that the program has. */
static uint64_t page_used_bytes(ubi__memory_look *look, const slice *e, uint64_t low, uint64_t high) {
    uint64_t n = e->n_used;
    if (e->block_bytes >= HUGE_BLOCK)
        return n ? high - low : 0;
    n -= list_length(look, e->freed_by_others & ~STATE_BITS, low, high, n);
    return n * e->block_bytes;
}

/* @param low, high  of the page. @param from, to  the part of it that counts. */
static ubi_status page_enter(ubi__memory_account *a, const slice *e, uint64_t low, uint64_t high, uint64_t from,
                             uint64_t to) {
    uint64_t there = ubi__memory_look_resident(a->look, from, to);
    if (there == 0)
        return UBI_OK;
    if (e->block_bytes == 0)
        return ubi__memory_account_enter(a, UBI__RESIDENCE_FREE_PAGES, UBI__NO_NAME, there);
    uint64_t used = page_used_bytes(a->look, e, low, high);
    if (used > there)
        used = there;
    UBI_TRY(ubi__memory_account_enter(a, UBI__RESIDENCE_BLOCKS, UBI__NO_NAME, used));
    return ubi__memory_account_enter(a, UBI__RESIDENCE_FREE, UBI__NO_NAME, there - used);
}

/* The process may have changed since the segment was found: what makes no sense any more stays undivided. */
ubi_status ubi__mimalloc_segment_enter(ubi__memory_account *a, uint64_t low, uint64_t high) {
    segment s;
    slice e;
    if (!segment_find(&s, a->look, low))
        return UBI_OK;
    UBI_ASSERT(low >= s.base && low < high);
    for (uint64_t i = 0; i < s.n_entries && slice_read(&e, a->look, &s, i) && slice_is_sound(&e, i); i += e.n_slices) {
        uint64_t begin = s.base + i * SLICE_BYTES, end = begin + e.n_slices * SLICE_BYTES;
        uint64_t from = begin > low ? begin : low, to = end < high ? end : high;
        if (from >= to)
            continue;
        if (i == 0)
            UBI_TRY(ubi__memory_account_enter_range(a, UBI__RESIDENCE_OVERHEAD, UBI__NO_NAME, from, to));
        else
            UBI_TRY(page_enter(a, &e, begin, end, from, to));
    }
    return UBI_OK;
}
