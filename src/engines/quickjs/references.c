/* SPDX-License-Identifier: MIT
 *
 * references.c: see references.h.
 */
#include "engines/quickjs/references.h"

#include "base/table.h"
#include "tracking/tool_memory.h"

typedef struct known_block {
    uint64_t address; /* 0: free */
    uint64_t size_bytes;
    uint32_t newest; /* of its takings; UBI_NONE: it has none */
} known_block;

static inline bool known_block_is_used(const known_block *block) {
    return block->address != 0;
}
static inline uint64_t known_block_hash(const known_block *block) {
    return block->address * UINT64_C(0x9E3779B97F4A7C15);
}
static inline bool known_block_is(const void *context, const known_block *block, uint64_t address) {
    (void)context;
    return block->address == address;
}
UBI_TABLE_DECLARE(block_table, known_block, known_block_is_used, known_block_hash);
UBI_TABLE_LOOKUP(known_block, block_table, known_block, known_block_is_used, const void *, uint64_t, known_block_is);

typedef struct taking {
    uint32_t older; /* of the same block, or the next free one */
    uint32_t stack;
    uint32_t kind;
    const char *how;
    uintptr_t function; /* that took it */
    uintptr_t sp;
    uint64_t time;
} taking;

/** How often a reference that one function took was released by another, where there was no doubt. */
typedef struct known_pair {
    uintptr_t taken_by, released_by;
    uint64_t count;
} known_pair;
#define KNOWN_PAIRS 512

typedef struct known_function {
    uintptr_t pc, function;
} known_function;
#define KNOWN_FUNCTIONS 1024

struct ubi__references {
    const ubi_allocator *allocator;
    ubi_native_stacks *stacks;
    block_table blocks;
    taking *takings;
    uint32_t n_takings, takings_capacity;
    uint32_t first_free; /* UBI_NONE: none */
    uint64_t clock, lost;
    known_pair pairs[KNOWN_PAIRS]; /* by hash; a newer pair takes the place of an older one */
    known_function functions[KNOWN_FUNCTIONS];
};

ubi_status ubi__references_new(ubi__references **out, const ubi_allocator *allocator) {
    ubi__references *r = ubi__tool_calloc(allocator, 1, sizeof *r);
    if (!r)
        return ubi_error(UBI_ENOMEM, "no memory to record references of a QuickJS runtime");
    r->allocator = allocator;
    r->first_free = UBI_NONE;
    ubi_status status = ubi_native_stacks_new(&r->stacks, allocator);
    if (status == UBI_OK)
        *out = r;
    else
        ubi__tool_free(allocator, r, 1, sizeof *r);
    return status;
}

void ubi__references_free(ubi__references *r) {
    if (!r)
        return;
    ubi_native_stacks_free(r->stacks);
    block_table_fini(&r->blocks, r->allocator);
    ubi__tool_free(r->allocator, r->takings, r->takings_capacity, sizeof *r->takings);
    ubi__tool_free(r->allocator, r, 1, sizeof *r);
}

/* ---- blocks --------------------------------------------------------------------------------------------------------- */

static known_block *block_find(const ubi__references *r, const void *block) {
    known_block key = { .address = (uintptr_t)block };
    return known_block_find(&r->blocks, NULL, key.address, known_block_hash(&key));
}

static known_block *block_need(ubi__references *r, const void *block) {
    known_block *found = block_find(r, block);
    if (found)
        return found;
    if (block_table_reserve(&r->blocks, r->allocator, 1) != UBI_OK) {
        r->lost++;
        return NULL;
    }
    known_block made = { (uintptr_t)block, 0, UBI_NONE };
    found = known_block_place(&r->blocks, NULL, made.address, known_block_hash(&made));
    *found = made;
    block_table_added(&r->blocks);
    return found;
}

bool ubi__references_knows(const ubi__references *r, const void *block) {
    return block_find(r, block) != NULL;
}

/* ---- takings -------------------------------------------------------------------------------------------------------- */

static uint32_t taking_new(ubi__references *r) {
    uint32_t made = r->first_free;
    if (made != UBI_NONE) {
        r->first_free = r->takings[made].older;
        return made;
    }
    if (!ubi__tool_reserve(r->allocator, (void **)&r->takings, &r->takings_capacity, r->n_takings + 1,
                           sizeof *r->takings))
        return UBI_NONE;
    return r->n_takings++;
}

/* `link` leads to it. */
static void taking_end(ubi__references *r, uint32_t *link) {
    uint32_t ended = *link;
    *link = r->takings[UBI_INDEX(ended, r->n_takings)].older;
    r->takings[ended].older = r->first_free;
    r->first_free = ended;
}

static uintptr_t function_of(ubi__references *r, uintptr_t pc) {
    known_function *known = &r->functions[(pc ^ pc >> 11) % KNOWN_FUNCTIONS];
    if (known->pc != pc) {
        uintptr_t function = ubi_native_function_of(pc);
        *known = (known_function){ pc, function ? function : pc };
    }
    return known->function;
}

void ubi__references_block_made(ubi__references *r, const void *block, uint64_t size_bytes) {
    if (!block)
        return;
    ubi__references_block_freed(r, block);
    known_block *made = block_need(r, block);
    if (made)
        made->size_bytes = size_bytes;
}

void ubi__references_block_freed(ubi__references *r, const void *block) {
    known_block *found = block_find(r, block);
    if (!found)
        return;
    while (found->newest != UBI_NONE)
        taking_end(r, &found->newest);
    block_table_remove(&r->blocks, found);
}

void ubi__references_taken(ubi__references *r, const void *thing, uint32_t kind, const char *how,
                           ubi__reference_place place) {
    known_block *block = block_need(r, thing);
    uint32_t made = block ? taking_new(r) : UBI_NONE;
    if (made == UBI_NONE) {
        r->lost += block != NULL;
        return;
    }
    uint32_t stack = ubi_native_stacks_capture(r->stacks, place.sp);
    r->lost += stack == 0;
    r->takings[made] = (taking){ block->newest, stack, kind, how, function_of(r, place.pc), place.sp, ++r->clock };
    block->newest = made;
}

static known_pair *pair_slot(ubi__references *r, uintptr_t taken_by, uintptr_t released_by) {
    uint64_t hash = (taken_by * UINT64_C(0x9E3779B97F4A7C15)) ^ (released_by * UINT64_C(0xC2B2AE3D27D4EB4F));
    return &r->pairs[hash >> 32 & (KNOWN_PAIRS - 1)];
}

static bool pair_is(const known_pair *pair, uintptr_t taken_by, uintptr_t released_by) {
    return pair->taken_by == taken_by && pair->released_by == released_by;
}

static void pair_seen(ubi__references *r, uintptr_t taken_by, uintptr_t released_by) {
    known_pair *pair = pair_slot(r, taken_by, released_by);
    if (!pair_is(pair, taken_by, released_by))
        *pair = (known_pair){ taken_by, released_by, 0 };
    pair->count++;
}

static uint64_t pair_count(ubi__references *r, uintptr_t taken_by, uintptr_t released_by) {
    const known_pair *pair = pair_slot(r, taken_by, released_by);
    return pair_is(pair, taken_by, released_by) ? pair->count : 0;
}

/*
 * Which taking a release ends; NULL: none. Most often a function releases what it took itself in the same call, which is known by
 * its place on the stack; then comes what this function took in another call; then what functions took whose references this one
 * was seen to release when there was nothing to choose from; at last, the latest.
 */
static uint32_t *references_choose(ubi__references *r, known_block *block, uint32_t kind, uintptr_t function,
                                   uintptr_t sp) {
    uint32_t *best = NULL, n = 0;
    uint64_t best_rank = 0;
    for (uint32_t *link = &block->newest; *link != UBI_NONE; link = &r->takings[*link].older) {
        const taking *t = &r->takings[UBI_INDEX(*link, r->n_takings)];
        uint64_t rank;
        if (t->kind != kind)
            continue;
        if (t->function == function)
            rank = t->sp == sp ? UINT64_MAX : UINT64_MAX - 1;
        else
            rank = pair_count(r, t->function, function);
        if (n++ == 0 || rank > best_rank) {
            best_rank = rank;
            best = link;
        }
    }
    if (n == 1 && r->takings[*best].function != function)
        pair_seen(r, r->takings[*best].function, function);
    return best;
}

void ubi__references_released(ubi__references *r, const void *thing, uint32_t kind, ubi__reference_place place) {
    known_block *block = block_find(r, thing);
    uint32_t *ended = block ? references_choose(r, block, kind, function_of(r, place.pc), place.sp) : NULL;
    if (ended)
        taking_end(r, ended);
}

uint64_t ubi__references_clock(const ubi__references *r) {
    return r->clock;
}

void ubi__references_returned(ubi__references *r, const void *thing, uint32_t kind, uint64_t since) {
    known_block *block = block_find(r, thing);
    uint32_t *link = block ? &block->newest : NULL;
    while (link && *link != UBI_NONE && r->takings[*link].kind != kind)
        link = &r->takings[*link].older;
    if (link && *link != UBI_NONE && r->takings[*link].time > since)
        taking_end(r, link);
}

/* ---- answers -------------------------------------------------------------------------------------------------------- */

/* Index of the stack among the first n, or n. */
static uint32_t takings_index(const ubi__takings *takings, uint32_t n, const taking *t) {
    uint32_t i = 0;
    while (i < n && (takings[i].stack != t->stack || takings[i].how != t->how))
        i++;
    return i;
}

uint32_t ubi__references_of(const ubi__references *r, const void *thing, ubi__takings *takings, uint32_t max) {
    const known_block *block = block_find(r, thing);
    uint32_t n = 0;
    for (uint32_t at = block ? block->newest : UBI_NONE; at != UBI_NONE; at = r->takings[at].older) {
        const taking *t = &r->takings[UBI_INDEX(at, r->n_takings)];
        uint32_t i = takings_index(takings, n, t);
        if (i < n)
            takings[i].count++;
        else if (n < max)
            takings[n++] = (ubi__takings){ t->how, t->stack, 1 };
    }
    return n;
}

const ubi_native_stacks *ubi__references_stacks(const ubi__references *r) {
    return r->stacks;
}

uint64_t ubi__references_lost(const ubi__references *r) {
    return r->lost;
}

bool ubi__references_blocks(const ubi__references *r, ubi__reference_block_fn fn, void *payload) {
    for (size_t i = 0; i < r->blocks.n_slots; i++) {
        const known_block *block = &r->blocks.slots[i];
        if (known_block_is_used(block) &&
            !fn(payload, (void *)(uintptr_t)block->address, block->size_bytes, block->newest != UBI_NONE))
            return false;
    }
    return true;
}
