/* SPDX-License-Identifier: MIT
 *
 * table.h: the hash table. Header-only, typed by macros; needs libc, <ubiheap/core/base.h> and base/assert.h, so that it can go with
 * sources that are compiled elsewhere.
 *
 * A table is an array of slots. There are two shapes:
 *
 *   rows     A slot is the number of a row of an array that the caller owns, and 31 bits of the key's hash. For tables of
 *            things that have numbers anyway, in order of first appearance. The type is always ubi__row_table; only the
 *            look-up is made per table, by UBI_ROW_LOOKUP. Rows are compared only when the bits of the hash agree, and
 *            growing never looks at a row.
 *   entries  A slot is a struct with key and value. For keys that belong to no array, for values that change, and where one
 *            cache miss has to do. UBI_TABLE_DECLARE makes the type, UBI_TABLE_LOOKUP the look-up.
 *
 * Example: numbering names.
 *
 *     static bool name_is(const names *n, uint32_t row, ubi_text text) { return ubi__text_equal(n->rows.at[row], text); }
 *     UBI_ROW_LOOKUP(name, const names *, ubi_text, name_is);
 *
 *     static ubi_status number_name(uint32_t *out, names *n, ubi_text text) {
 *         uint64_t hash = ubi__hash_bytes(text.ptr, text.len);
 *         UBI_TRY(ubi__row_table_reserve(&n->table, n->allocator, 1));
 *         ubi__row_slot *slot = name_place(&n->table, n, text, hash);
 *         if (!ubi__row_is_used(slot)) {
 *             UBI_TRY(ubi__vec_text_push(&n->rows, n->allocator, text));
 *             ubi__row_table_fill(&n->table, slot, hash, (uint32_t)n->rows.n - 1);
 *         }
 *         *out = slot->row;
 *         return UBI_OK;
 *     }
 *
 * Hashes have 64 bits, and the upper ones must be good: they choose the slot. Where keys come from files, the hash must be
 * seeded per process (base/hash.h); the table itself adds nothing against prepared collisions.
 *
 * Probing is linear. The hash is scaled to the number of slots, not a power of two, so entries are in the order of their
 * hashes: growing reads the old slots and writes the new ones from front to back. A table doubles while it is small, later
 * grows by 5/16. It is at most 2/3 full. Removing moves later entries up, so no table fills with tombstones.
 *
 * Cost: O(1) expected; 2 slots looked at for a key that is there and 5 for one that is not, when the table is full.
 * Memory: 1.5 to 2 slots per entry (to 3 below 2^10 slots), rows 12 to 16 bytes; while it grows, the old slots as well.
 * Order: that of the slots depends on the hash's seed. Results that must not change from run to run iterate over rows, or
 * sort. Before adding the entries of one table to another in that order, reserve room for all of them: they come in the
 * order of their hashes, and would fill a growing table from one end, in quadratic time.
 * Threads: none of its own; look-ups may run in parallel.
 *
 * Invariants, checked by NAME_is_sound where slots are made and given back (base/assert.h says in which builds): n entries are
 * used, n <= n_max < n_slots, and no empty slot lies between an entry and the slot where the search for it begins.
 */
#ifndef UBI_BASE_TABLE_H
#define UBI_BASE_TABLE_H

#include <string.h>

#include <ubiheap/core/base.h>

#include "base/assert.h"

#define UBI__TABLE_FIRST_SLOTS ((size_t)16)
#define UBI__TABLE_DOUBLING_SLOTS ((size_t)1 << 10) /* a table with fewer doubles */

/** The slot where the search for a hash begins. */
static inline size_t ubi__table_home(uint64_t hash, size_t n_slots) {
    return (size_t)(__extension__(unsigned __int128) hash * n_slots >> 64);
}

static inline size_t ubi__table_next(size_t i, size_t n_slots) {
    return i + 1 < n_slots ? i + 1 : 0;
}

/** Steps from slot `from` to slot `to`. */
static inline size_t ubi__table_distance(size_t from, size_t to, size_t n_slots) {
    return to >= from ? to - from : to + (n_slots - from);
}

/** How many entries this many slots may hold. */
static inline size_t ubi__table_capacity(size_t n_slots) {
    return n_slots - n_slots / 3 - (n_slots % 3 != 0);
}

/** How many slots a table of `n_slots` gets for `n` entries, more than it can hold now; 0: too many. */
static inline size_t ubi__table_grown(size_t n_slots, size_t n, size_t slot_bytes) {
    size_t exact, all_bytes, wanted = UBI__TABLE_FIRST_SLOTS;
    if (__builtin_add_overflow(n, n / 2 + 1, &exact))
        return 0;
    if (n_slots)
        wanted = n_slots < UBI__TABLE_DOUBLING_SLOTS ? 2 * n_slots : n_slots + n_slots / 16 * 5;
    if (wanted < exact)
        wanted = exact;
    return __builtin_mul_overflow(wanted, slot_bytes, &all_bytes) ? 0 : wanted;
}

/** n_slots empty slots of `slot_bytes`, or NULL. */
static inline void *ubi__table_slots(const ubi_allocator *a, size_t n_slots, size_t slot_bytes) {
    void *slots = n_slots ? a->alloc(a->ctx, n_slots * slot_bytes) : NULL;
    return slots ? memset(slots, 0, n_slots * slot_bytes) : NULL;
}

/**
 * Declares the table type `name`, whose slots are of `slot_type`. All zero is an empty table, and an empty slot.
 * bool is_used(const slot_type *) says whether a slot holds an entry; uint64_t hash_of(const slot_type *), of one that does,
 * gives the hash by which it was placed.
 *
 * name_reserve(t, a, extra)  room for `extra` more entries. UBI_OK, or UBI_ENOMEM with the table as it was. Moves entries.
 * name_added(t)              the caller has just filled a slot that name_place of a look-up gave.
 * name_remove(t, slot)       empties a slot, whose entry later ones may replace. Moves entries.
 * name_clear(t)              takes out everything, keeps the slots. Cost: O(slots).
 * name_fini(t, a)            frees the slots; what is left is an empty table.
 * name_prefetch(t, hash)     a look-up of this hash soon will not wait for memory.
 * name_is_sound(t)           whether the invariants hold. Cost: O(slots).
 *
 * To see all entries: for (size_t i = 0; i < t->n_slots; i++) if (is_used(&t->slots[i])) ...
 */
#define UBI_TABLE_DECLARE(name, slot_type, is_used, hash_of)                                                           \
    typedef struct name {                                                                                              \
        slot_type *slots;                                                                                              \
        size_t n_slots;                                                                                                \
        size_t n;     /* entries */                                                                                    \
        size_t n_max; /* entries that the slots may hold */                                                            \
    } name;                                                                                                            \
    __attribute__((unused)) static inline size_t name##_home(const name *t, uint64_t hash) {                           \
        return ubi__table_home(hash, t->n_slots);                                                                      \
    }                                                                                                                  \
    __attribute__((unused)) static bool name##_is_sound(const name *t) {                                               \
        size_t n = 0, n_before = 0; /* n_before: used slots right before slot i, around the end */                     \
        for (size_t i = t->n_slots; i-- > 0 && is_used(&t->slots[i]);)                                                 \
            n_before++;                                                                                                \
        for (size_t i = 0; i < t->n_slots; i++) {                                                                      \
            const slot_type *slot = &t->slots[i];                                                                      \
            if (is_used(slot) && ubi__table_distance(name##_home(t, hash_of(slot)), i, t->n_slots) > n_before)         \
                return false;                                                                                          \
            n += is_used(slot);                                                                                        \
            n_before = is_used(slot) ? n_before + 1 : 0;                                                               \
        }                                                                                                              \
        return n == t->n && n <= t->n_max && t->n_max == ubi__table_capacity(t->n_slots);                              \
    }                                                                                                                  \
    __attribute__((unused)) static void name##_fini(name *t, const ubi_allocator *a) {                                 \
        UBI_ASSERT(name##_is_sound(t));                                                                                \
        if (t->slots)                                                                                                  \
            a->free(a->ctx, t->slots, t->n_slots * sizeof *t->slots);                                                  \
        *t = (name){ NULL, 0, 0, 0 };                                                                                  \
    }                                                                                                                  \
    __attribute__((unused)) static inline void name##_clear(name *t) {                                                 \
        if (t->n)                                                                                                      \
            memset(t->slots, 0, t->n_slots * sizeof *t->slots);                                                        \
        t->n = 0;                                                                                                      \
    }                                                                                                                  \
    __attribute__((unused, noinline)) static ubi_status name##_grow(name *t, const ubi_allocator *a, size_t extra) {   \
        size_t n;                                                                                                      \
        size_t n_slots =                                                                                               \
            __builtin_add_overflow(t->n, extra, &n) ? 0 : ubi__table_grown(t->n_slots, n, sizeof *t->slots);           \
        slot_type *slots = (slot_type *)ubi__table_slots(a, n_slots, sizeof *slots);                                   \
        if (!slots)                                                                                                    \
            return ubi_error(UBI_ENOMEM, "out of memory");                                                             \
        for (size_t i = 0; i < t->n_slots; i++) {                                                                      \
            if (!is_used(&t->slots[i]))                                                                                \
                continue;                                                                                              \
            size_t at = ubi__table_home(hash_of(&t->slots[i]), n_slots);                                               \
            while (is_used(&slots[at]))                                                                                \
                at = ubi__table_next(at, n_slots);                                                                     \
            slots[at] = t->slots[i];                                                                                   \
        }                                                                                                              \
        n = t->n;                                                                                                      \
        name##_fini(t, a);                                                                                             \
        *t = (name){ slots, n_slots, n, ubi__table_capacity(n_slots) };                                                \
        UBI_ASSERT(name##_is_sound(t));                                                                                \
        return UBI_OK;                                                                                                 \
    }                                                                                                                  \
    __attribute__((unused)) static inline ubi_status name##_reserve(name *t, const ubi_allocator *a, size_t extra) {   \
        return __builtin_expect(extra <= t->n_max - t->n, 1) ? UBI_OK : name##_grow(t, a, extra);                      \
    }                                                                                                                  \
    __attribute__((unused)) static inline void name##_added(name *t) {                                                 \
        UBI_ASSERT(t->n < t->n_max);                                                                                   \
        t->n++;                                                                                                        \
    }                                                                                                                  \
    /* Entries that probed past this slot would be lost: each moves into the gap, which moves on. */                   \
    __attribute__((unused)) static void name##_remove(name *t, slot_type *slot) {                                      \
        size_t n_slots = t->n_slots, gap = (size_t)(slot - t->slots);                                                  \
        for (size_t i = ubi__table_next(gap, n_slots); is_used(&t->slots[i]); i = ubi__table_next(i, n_slots)) {       \
            size_t home = name##_home(t, hash_of(&t->slots[i]));                                                       \
            if (ubi__table_distance(home, i, n_slots) >= ubi__table_distance(gap, i, n_slots)) {                       \
                t->slots[gap] = t->slots[i];                                                                           \
                gap = i;                                                                                               \
            }                                                                                                          \
        }                                                                                                              \
        memset(&t->slots[gap], 0, sizeof *t->slots);                                                                   \
        t->n--;                                                                                                        \
    }                                                                                                                  \
    /* Always: gcc takes a function that only prefetches for one without effects, and leaves out calls of it. */       \
    __attribute__((unused, always_inline)) static inline void name##_prefetch(const name *t, uint64_t hash) {          \
        /* In whole numbers: a table may have no slots yet. */                                                         \
        __builtin_prefetch((const void *)((uintptr_t)t->slots + name##_home(t, hash) * sizeof *t->slots));             \
    }                                                                                                                  \
    struct ubi__swallow_semicolon

/**
 * Defines the look-up of a key in a table of entries. bool is_equal(context, const slot_type *, key) says whether a used
 * slot has it; `context` is passed on. `hash` is that of the key.
 *
 * prefix_find(t, context, key, hash)   the key's slot, or NULL. Until the table changes.
 * prefix_place(t, context, key, hash)  the same, or the empty slot where the key belongs: fill it, then say name_added. There
 *                                      must be room (name_reserve).
 */
#define UBI_TABLE_LOOKUP(prefix, name, slot_type, is_used, context_type, key_type, is_equal)                           \
    __attribute__((unused)) static inline slot_type *prefix##_place(const name *t, context_type context, key_type key, \
                                                                    uint64_t hash) {                                   \
        slot_type *slot = t->slots + name##_home(t, hash);                                                             \
        while (is_used(slot) && !is_equal(context, slot, key))                                                         \
            if (++slot == t->slots + t->n_slots)                                                                       \
                slot = t->slots;                                                                                       \
        return slot;                                                                                                   \
    }                                                                                                                  \
    __attribute__((unused)) static inline slot_type *prefix##_find(const name *t, context_type context, key_type key,  \
                                                                   uint64_t hash) {                                    \
        if (t->n == 0)                                                                                                 \
            return NULL;                                                                                               \
        slot_type *slot = prefix##_place(t, context, key, hash);                                                       \
        return is_used(slot) ? slot : NULL;                                                                            \
    }                                                                                                                  \
    struct ubi__swallow_semicolon

/* ---- rows ------------------------------------------------------------------------------------------------------------ */

typedef struct ubi__row_slot {
    uint32_t row;
    uint32_t tag; /* the upper bits of the hash, and the lowest one set; 0: empty */
} ubi__row_slot;

static inline uint32_t ubi__row_tag(uint64_t hash) {
    return (uint32_t)(hash >> 32) | 1;
}
static inline bool ubi__row_is_used(const ubi__row_slot *slot) {
    return slot->tag != 0;
}
static inline uint64_t ubi__row_hash(const ubi__row_slot *slot) {
    return (uint64_t)slot->tag << 32;
}

UBI_TABLE_DECLARE(ubi__row_table, ubi__row_slot, ubi__row_is_used, ubi__row_hash);

/** Gives an empty slot, found by a look-up, to `row`. */
static inline void ubi__row_table_fill(ubi__row_table *t, ubi__row_slot *slot, uint64_t hash, uint32_t row) {
    *slot = (ubi__row_slot){ row, ubi__row_tag(hash) };
    ubi__row_table_added(t);
}

/**
 * Defines the look-up of a key in a ubi__row_table. bool is_equal(context, uint32_t row, key) says whether a row has it.
 *
 * prefix_find(t, context, key, hash)   the key's row, or UBI_NONE.
 * prefix_place(t, context, key, hash)  the key's slot, or the empty one where it belongs: ubi__row_table_fill. There must be
 *                                      room (ubi__row_table_reserve). The slot stays until the table changes; rows may move.
 */
#define UBI_ROW_LOOKUP(prefix, context_type, key_type, is_equal)                                                       \
    __attribute__((unused)) static inline ubi__row_slot *prefix##_place(const ubi__row_table *t, context_type context, \
                                                                        key_type key, uint64_t hash) {                 \
        uint32_t tag = ubi__row_tag(hash);                                                                             \
        ubi__row_slot *slot = t->slots + ubi__row_table_home(t, (uint64_t)tag << 32);                                  \
        while (slot->tag && !(slot->tag == tag && is_equal(context, slot->row, key)))                                  \
            if (++slot == t->slots + t->n_slots)                                                                       \
                slot = t->slots;                                                                                       \
        return slot;                                                                                                   \
    }                                                                                                                  \
    __attribute__((unused)) static inline uint32_t prefix##_find(const ubi__row_table *t, context_type context,        \
                                                                 key_type key, uint64_t hash) {                        \
        if (t->n == 0)                                                                                                 \
            return UBI_NONE;                                                                                           \
        const ubi__row_slot *slot = prefix##_place(t, context, key, hash);                                             \
        return slot->tag ? slot->row : UBI_NONE;                                                                       \
    }                                                                                                                  \
    struct ubi__swallow_semicolon

#endif
