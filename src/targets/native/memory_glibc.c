/* SPDX-License-Identifier: MIT
 *
 * memory_glibc.c: see memory_glibc.h. The layout is that of glibc 2.26 and later, on machines with 64 bits.
 */
#include "targets/native/memory_glibc.h"

#include "base/text.h"

#define NAME "glibc"
/* In the size of a chunk. */
#define PREVIOUS_IS_USED UINT64_C(1)
#define IS_MAPPED UINT64_C(2)
#define FLAGS UINT64_C(7)
#define CHUNK_ALIGNMENT 16
#define CHUNK_LEAST 32
/* What a thread keeps is counted in its first chunk: 64 counts of blocks, by size. */
#define CACHE_CHUNK 0x290
#define CACHE_SIZES 64
/* At the beginning of a thread's heap; that of an arena itself is followed by its state. */
#define HEAP_HEAD_LEAST 0x20
#define HEAP_HEAD_MOST 0x30
#define ARENA_LEAST 0x800
#define ARENA_MOST 0xa00

typedef struct chunk {
    uint64_t at, size, flags;
} chunk;

/* False: there is none, or it reaches too far. */
static bool chunk_read(chunk *out, ubi__memory_look *look, uint64_t at, uint64_t end) {
    uint64_t word;
    if (end - at < CHUNK_LEAST || !ubi__memory_look_read(look, &word, at + 8, sizeof word))
        return false;
    *out = (chunk){ .at = at, .size = word & ~FLAGS, .flags = word & FLAGS };
    return out->size >= CHUNK_LEAST && out->size % CHUNK_ALIGNMENT == 0 && out->size <= end - at;
}

/* What its thread keeps of small blocks; 0: it is not that chunk. */
static uint64_t cache_bytes(ubi__memory_look *look, const chunk *first) {
    uint16_t counts[CACHE_SIZES];
    uint64_t bytes = 0;
    if (first->size != CACHE_CHUNK || !ubi__memory_look_read(look, counts, first->at + 16, sizeof counts))
        return 0;
    for (uint64_t i = 0; i < CACHE_SIZES; i++)
        bytes += counts[i] * (i + 2) * CHUNK_ALIGNMENT;
    return bytes;
}

/* What a chain of chunks is used for, in bytes that are in RAM. */
typedef struct chain {
    uint64_t used_bytes, free_bytes, cached_bytes;
    uint64_t end; /* where it broke; else that of the heap */
} chain;

static void chain_add(chain *c, ubi__memory_look *look, const chunk *one, bool is_used) {
    *(is_used ? &c->used_bytes : &c->free_bytes) += ubi__memory_look_resident(look, one->at, one->at + one->size);
}

/* The last chunk, which reaches the end, is free: it is what the heap grows from. */
static chain chain_walk(ubi__memory_look *look, uint64_t at, uint64_t end) {
    chain c = { .end = at };
    chunk now, next;
    if (!chunk_read(&now, look, at, end))
        return c;
    c.cached_bytes = cache_bytes(look, &now);
    while (now.at + now.size < end && chunk_read(&next, look, now.at + now.size, end)) {
        chain_add(&c, look, &now, next.flags & PREVIOUS_IS_USED);
        now = next;
    }
    c.end = now.at + now.size;
    chain_add(&c, look, &now, c.end < end);
    if (c.cached_bytes > c.used_bytes)
        c.cached_bytes = 0; /* it was something else */
    return c;
}

static ubi_status chain_enter(ubi__memory_account *a, const chain *c, uint64_t head_bytes, uint64_t high) {
    uint64_t used_bytes = head_bytes + c->used_bytes - c->cached_bytes;
    UBI_TRY(ubi__memory_account_enter(a, UBI__RESIDENCE_BLOCKS, UBI__NO_NAME, used_bytes));
    UBI_TRY(ubi__memory_account_enter(a, UBI__RESIDENCE_CACHED, UBI__NO_NAME, c->cached_bytes));
    UBI_TRY(ubi__memory_account_enter(a, UBI__RESIDENCE_FREE, UBI__NO_NAME, c->free_bytes));
    return c->end < high ? ubi__memory_account_enter_range(a, UBI__RESIDENCE_ALLOCATOR, ubi__text(NAME), c->end, high)
                         : UBI_OK;
}

ubi_status ubi__glibc_break_enter(ubi__memory_account *a, uint64_t low, uint64_t high) {
    uint64_t first = (low + CHUNK_ALIGNMENT - 1) / CHUNK_ALIGNMENT * CHUNK_ALIGNMENT;
    chain c = chain_walk(a->look, first, high);
    return chain_enter(a, &c, 0, high);
}

/* ---- heaps of threads --------------------------------------------------------------------------------------------- */

/* struct heap_info, as far as it is the same everywhere. */
typedef struct heap_head {
    uint64_t arena, previous, size, writable;
} heap_head;

static bool heap_head_read(heap_head *out, ubi__memory_look *look, uint64_t low, uint64_t high) {
    return low % UBI__GLIBC_HEAP_BYTES == 0 && ubi__memory_look_read(look, out, low, sizeof *out) && out->arena &&
           out->arena % CHUNK_ALIGNMENT == 0 && out->size % UBI__LOOK_PAGE == 0 && out->size > 0 &&
           out->size <= out->writable && out->writable <= UBI__GLIBC_HEAP_BYTES && out->size <= high - low;
}

bool ubi__glibc_is_heap(ubi__memory_look *look, uint64_t low, uint64_t high) {
    heap_head head;
    return heap_head_read(&head, look, low, high);
}

/* Where its chunks begin. A thread's first one is its cache, in most heaps that begin with an arena. */
static uint64_t heap_first_chunk(ubi__memory_look *look, const heap_head *head, uint64_t low, uint64_t end) {
    chunk one, next;
    bool has_arena = head->arena - low <= HEAP_HEAD_MOST;
    uint64_t from = low + (has_arena ? ARENA_LEAST : HEAP_HEAD_LEAST);
    uint64_t to = low + (has_arena ? ARENA_MOST : HEAP_HEAD_MOST);
    for (uint64_t at = from; at <= to; at += CHUNK_ALIGNMENT)
        if (chunk_read(&one, look, at, end) && (one.flags & PREVIOUS_IS_USED) &&
            (one.at + one.size == end || chunk_read(&next, look, one.at + one.size, end)))
            return at;
    return end;
}

ubi_status ubi__glibc_heap_enter(ubi__memory_account *a, uint64_t low, uint64_t high) {
    heap_head head;
    if (!heap_head_read(&head, a->look, low, high))
        return UBI_OK;
    uint64_t end = low + head.size, first = heap_first_chunk(a->look, &head, low, end);
    chain c = chain_walk(a->look, first, end);
    uint64_t head_bytes = first < end ? ubi__memory_look_resident(a->look, low, first) : 0;
    if (first == end)
        c.end = low;
    return chain_enter(a, &c, head_bytes, high);
}

/* ---- large blocks ------------------------------------------------------------------------------------------------- */

uint64_t ubi__glibc_large_block_end(ubi__memory_look *look, uint64_t low, uint64_t high) {
    uint64_t words[2]; /* what an alignment left before it; its size */
    if (high - low < UBI__LOOK_PAGE || !ubi__memory_look_read(look, words, low, sizeof words))
        return 0;
    uint64_t size = words[1] & ~FLAGS;
    bool is_one = (words[1] & FLAGS) == IS_MAPPED && words[0] == 0 && size >= UBI__LOOK_PAGE &&
                  size % UBI__LOOK_PAGE == 0 && size <= high - low;
    return is_one ? low + size : 0;
}
