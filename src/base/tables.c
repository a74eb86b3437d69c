/* SPDX-License-Identifier: MIT
 *
 * tables.c: hash tables that are shared everywhere: hashing of bytes (hash.h), maps of 64-bit keys
 * (u64_map.h), string tables (strtab.h).
 */
#include "base/hash.h"

#include <string.h>

#include "base/assert.h"
#include "base/slots.h"
#include "base/strtab.h"
#include "base/text.h"
#include "base/u64_map.h"

uint64_t ubi__hash_bytes(const void *data, size_t n) {
    const unsigned char *p = data;
    uint64_t h = ubi__hash_u64(n), word;
    for (; n >= 8; p += 8, n -= 8) {
        memcpy(&word, p, 8);
        h = ubi__hash_combine(h, word);
    }
    if (n) {
        word = 0;
        memcpy(&word, p, n);
        h = ubi__hash_combine(h, word);
    }
    return h;
}

/* ---- map of 64-bit keys ------------------------------------------------------------------------------------------- */

static bool slot_has_key(const void *unused, const ubi__u64_slot *slot, uint64_t key) {
    (void)unused;
    return slot->key == key;
}
UBI_TABLE_LOOKUP(key, ubi__u64_table, ubi__u64_slot, ubi__u64_slot_is_used, const void *, uint64_t, slot_has_key);

void ubi__u64_map_init(ubi__u64_map *map, const ubi_allocator *allocator) {
    *map = (ubi__u64_map){ .allocator = allocator };
}

void ubi__u64_map_fini(ubi__u64_map *map) {
    ubi__u64_table_fini(&map->table, map->allocator);
}

uint32_t ubi__u64_map_get(const ubi__u64_map *map, uint64_t key) {
    const ubi__u64_slot *slot = key_find(&map->table, NULL, key, ubi__hash_u64(key));
    return slot ? slot->value : UBI_NONE;
}

ubi_status ubi__u64_map_put(ubi__u64_map *map, uint64_t key, uint32_t value) {
    UBI_ASSERT(value != UBI_NONE);
    UBI_TRY(ubi__u64_table_reserve(&map->table, map->allocator, 1));
    ubi__u64_slot *slot = key_place(&map->table, NULL, key, ubi__hash_u64(key));
    if (!slot->is_used)
        ubi__u64_table_added(&map->table);
    *slot = (ubi__u64_slot){ key, value, true };
    return UBI_OK;
}

/* ---- string table ------------------------------------------------------------------------------------------------- */

void ubi__strtab_init(ubi__strtab *t, const ubi_allocator *allocator) {
    memset(t, 0, sizeof *t);
    t->allocator = allocator;
}

void ubi__strtab_check(const ubi__strtab *t) {
    UBI_ASSERT(t->canonical.n == 0 || t->canonical.n == t->end.n);
    UBI_ASSERT(t->end.n == 0 || t->end.at[t->end.n - 1] == t->bytes.n);
    UBI_ASSERT(t->interned.n <= t->end.n);
    for (size_t i = 1; UBI_CHECKS && i < t->end.n; i++)
        UBI_ASSERT(t->end.at[i - 1] <= t->end.at[i]);
    for (size_t i = 0; UBI_CHECKS && i < t->canonical.n; i++)
        UBI_ASSERT(t->canonical.at[i] <= i && t->canonical.at[t->canonical.at[i]] == t->canonical.at[i]);
}

void ubi__strtab_fini(ubi__strtab *t) {
    ubi__row_table_fini(&t->interned, t->allocator);
    ubi__vec_u8_fini(&t->bytes, t->allocator);
    ubi__vec_u64_fini(&t->end, t->allocator);
    ubi__vec_u32_fini(&t->canonical, t->allocator);
}

/* Makes an entry of the bytes that the caller wrote after `bytes.n`. Room for the offset must be reserved. */
static ubi_str_ix seal_entry(ubi__strtab *t, size_t n_bytes) {
    UBI_ASSERT(n_bytes <= t->bytes.cap - t->bytes.n && t->end.n < t->end.cap);
    t->bytes.n += n_bytes;
    t->end.at[t->end.n++] = t->bytes.n;
    return (ubi_str_ix)(t->end.n - 1);
}

static ubi_status reserve_entry(ubi__strtab *t, size_t n_bytes) {
    if (t->end.n >= UBI_NONE)
        return ubi__fail(UBI_ELIMIT, "more than 2^32-1 strings");
    UBI_TRY(ubi__vec_u64_reserve(&t->end, t->allocator, 1));
    return ubi__vec_u8_reserve(&t->bytes, t->allocator, n_bytes);
}

ubi_status ubi__strtab_append(ubi__strtab *t, ubi_str_ix *out, ubi_text text) {
    UBI_TRY(reserve_entry(t, text.len));
    if (text.len)
        memcpy(t->bytes.at + t->bytes.n, text.ptr, text.len);
    *out = seal_entry(t, text.len);
    return UBI_OK;
}

static bool is_high_surrogate(uint32_t unit) {
    return (unit & 0xfc00) == 0xd800;
}
static bool is_low_surrogate(uint32_t unit) {
    return (unit & 0xfc00) == 0xdc00;
}
static uint32_t unit_at(const uint8_t *units, size_t i) {
    return (uint32_t)units[2 * i] | (uint32_t)units[2 * i + 1] << 8;
}

ubi_status ubi__strtab_append_utf16le(ubi__strtab *t, ubi_str_ix *out, const uint8_t *units, size_t n_units) {
    /* A unit takes at most three bytes; a pair takes four, which is less than twice three. */
    size_t room;
    if (n_units == 0)
        return ubi__strtab_append(t, out, ubi__text(""));
    if (__builtin_mul_overflow(n_units, (size_t)3, &room))
        return ubi__fail_nomem();
    UBI_TRY(reserve_entry(t, room));
    uint8_t *start = t->bytes.at + t->bytes.n, *p = start;
    for (size_t i = 0; i < n_units; i++) {
        uint32_t unit = unit_at(units, i);
        if (ubi__likely(unit < 0x80)) {
            *p++ = (uint8_t)unit;
            continue;
        }
        if (is_high_surrogate(unit) && i + 1 < n_units && is_low_surrogate(unit_at(units, i + 1))) {
            i++;
            unit = 0x10000 + ((unit & 0x3ff) << 10) + (unit_at(units, i) & 0x3ff);
        }
        p += ubi__wtf8_encode(p, unit);
    }
    *out = seal_entry(t, (size_t)(p - start));
    return UBI_OK;
}

ubi_status ubi__strtab_append_latin1(ubi__strtab *t, ubi_str_ix *out, const uint8_t *bytes, size_t n) {
    size_t room;
    if (n == 0)
        return ubi__strtab_append(t, out, ubi__text(""));
    if (__builtin_mul_overflow(n, (size_t)2, &room))
        return ubi__fail_nomem();
    UBI_TRY(reserve_entry(t, room));
    uint8_t *start = t->bytes.at + t->bytes.n, *p = start;
    for (size_t i = 0; i < n; i++)
        p += ubi__wtf8_encode(p, bytes[i]);
    *out = seal_entry(t, (size_t)(p - start));
    return UBI_OK;
}

void ubi__strtab_truncate(ubi__strtab *t, uint32_t n) {
    t->bytes.n = n ? t->end.at[n - 1] : 0;
    t->end.n = n;
}

/* ---- lookup by text ---------------------------------------------------------------------------------------------- */

static bool is_entry(const ubi__strtab *t, ubi_str_ix entry, ubi_text text) {
    return ubi__text_equal(ubi__strtab_get(t, entry), text);
}
UBI_ROW_LOOKUP(interned, const ubi__strtab *, ubi_text, is_entry);

ubi_status ubi__strtab_intern(ubi__strtab *t, ubi_str_ix *out, ubi_text text) {
    uint64_t hash = ubi__hash_bytes(text.ptr, text.len);
    UBI_TRY(ubi__row_table_reserve(&t->interned, t->allocator, 1));
    ubi__row_slot *slot = interned_place(&t->interned, t, text, hash);
    if (!ubi__row_is_used(slot)) {
        ubi_str_ix entry;
        UBI_TRY(ubi__strtab_append(t, &entry, text));
        ubi__row_table_fill(&t->interned, slot, hash, entry);
    }
    *out = slot->row;
    return UBI_OK;
}

ubi_str_ix ubi__strtab_find_interned(const ubi__strtab *t, ubi_text text) {
    return interned_find(&t->interned, t, text, ubi__hash_bytes(text.ptr, text.len));
}

/*
 * The table of the first entries of each text. An index does not need all bits of a slot; the rest hold a part of the hash,
 * so that texts are compared only when they are very likely equal. Not base/table.h: its slots have 8 bytes, these 4, which is
 * 5 to 11 bytes per entry while it lasts, and files have tens of millions of entries.
 */
typedef struct canonical_table {
    ubi__slots slots;
    unsigned index_bits; /* n < 2^index_bits, so that no slot in use looks like UBI_NONE */
} canonical_table;

#define HASH_AHEAD 16 /* power of two */

static uint32_t find_canonical(const ubi__strtab *t, canonical_table *table, uint32_t entry, uint64_t hash) {
    uint32_t index_mask = (uint32_t)((UINT64_C(1) << table->index_bits) - 1);
    uint32_t tag = (uint32_t)(hash >> 32) & ~index_mask, *slots = table->slots.at;
    ubi_text text = ubi__strtab_get(t, entry);
    size_t i = hash & (table->slots.n - 1);
    for (; slots[i] != UBI_NONE; i = ubi__slots_next(&table->slots, i)) {
        uint32_t known = slots[i] & index_mask;
        if ((slots[i] & ~index_mask) == tag && ubi__text_equal(ubi__strtab_get(t, known), text))
            return known;
    }
    slots[i] = tag | entry;
    return entry;
}

/* Entries may be long: a pulse is also asked after this many bytes. */
#define BYTES_PER_PULSE (UINT64_C(4) << 20)

static ubi_status find_all_canonical(ubi__strtab *t, canonical_table *table, ubi__pulse *pulse) {
    /* Hashes are computed some entries ahead and their slots asked for, so that cache misses overlap. */
    uint64_t hashes[HASH_AHEAD], n = t->end.n, asked_at = 0;
    for (uint64_t i = 0; i < n + HASH_AHEAD; i++) {
        uint64_t *hash = &hashes[i % HASH_AHEAD], at = i < n ? t->end.at[i] : asked_at;
        if (ubi__unlikely(i % UBI__PULSE_NODES == 0 || at - asked_at > BYTES_PER_PULSE)) {
            asked_at = at;
            if (!ubi__pulse_again(pulse))
                return ubi__fail_cancelled();
        }
        if (i >= HASH_AHEAD && i - HASH_AHEAD < n)
            t->canonical.at[i - HASH_AHEAD] = find_canonical(t, table, (uint32_t)(i - HASH_AHEAD), *hash);
        if (i < n) {
            ubi_text text = ubi__strtab_get(t, (uint32_t)i);
            *hash = ubi__hash_bytes(text.ptr, text.len);
            __builtin_prefetch(&table->slots.at[*hash & (table->slots.n - 1)], 1);
        }
    }
    return UBI_OK;
}

ubi_status ubi__strtab_canonicalize(ubi__strtab *t, ubi__pulse *pulse) {
    size_t n = t->end.n;
    canonical_table table = { .index_bits = 1 };
    t->canonical.n = 0;
    UBI_TRY(ubi__vec_u32_reserve(&t->canonical, t->allocator, n));
    while (n >> table.index_bits)
        table.index_bits++;
    UBI_TRY(ubi__slots_new(&table.slots, ubi__slots_for(n, 3, 4, 16), t->allocator));
    ubi_status status = find_all_canonical(t, &table, pulse);
    t->canonical.n = status == UBI_OK ? n : 0;
    ubi__slots_fini(&table.slots, t->allocator);
    ubi__strtab_check(t);
    return status;
}

void ubi__strtab_trim(ubi__strtab *t) {
    ubi__row_table_fini(&t->interned, t->allocator);
    ubi__vec_u8_trim(&t->bytes, t->allocator);
    ubi__vec_u64_trim(&t->end, t->allocator);
    ubi__vec_u32_trim(&t->canonical, t->allocator);
}
