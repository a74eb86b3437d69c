/* SPDX-License-Identifier: MIT
 *
 * js_weak_table.h: finding objects again without keeping them alive.
 *
 * The engine has no weak references for programs in C, but it notifies a class when an object of it goes: that is when the
 * object's class must take it out of here. 24 to 32 bytes per object.
 */
#ifndef UBI_QUICKJS_JS_WEAK_TABLE_H
#define UBI_QUICKJS_JS_WEAK_TABLE_H

#include "base/bits.h"
#include "base/table.h"
#include "engines/quickjs/engine.h"

typedef struct ubi__weak_slot {
    void *object; /* of the engine; NULL: empty */
    uint32_t hash;
} ubi__weak_slot;

static inline bool ubi__weak_slot_is_used(const ubi__weak_slot *slot) {
    return slot->object != NULL;
}
/* The table places by the upper bits. */
static inline uint64_t ubi__weak_slot_hash(const ubi__weak_slot *slot) {
    return (uint64_t)slot->hash << 32;
}

UBI_TABLE_DECLARE(ubi__weak_table, ubi__weak_slot, ubi__weak_slot_is_used, ubi__weak_slot_hash);

typedef bool (*ubi__weak_match_fn)(void *payload, JSValueConst object);

typedef struct ubi__weak_key {
    uint32_t hash;
    const void *object;       /* this one */
    ubi__weak_match_fn match; /* unless NULL: one of that hash that matches */
    void *payload;
} ubi__weak_key;

static inline bool ubi__weak_slot_is(const ubi__weak_table *table, const ubi__weak_slot *slot,
                                     const ubi__weak_key *key) {
    (void)table;
    if (slot->hash != key->hash)
        return false;
    return key->match ? key->match(key->payload, JS_MKPTR(JS_TAG_OBJECT, slot->object)) : slot->object == key->object;
}

UBI_TABLE_LOOKUP(ubi__weak_slot, ubi__weak_table, ubi__weak_slot, ubi__weak_slot_is_used, const ubi__weak_table *,
                 const ubi__weak_key *, ubi__weak_slot_is);

static inline ubi__weak_slot *ubi__weak_table_find(const ubi__weak_table *table, const ubi__weak_key *key) {
    return ubi__weak_slot_find(table, table, key, (uint64_t)key->hash << 32);
}

/** An object of that hash that matches, with one reference more; undefined when there is none. */
static inline JSValue ubi__weak_table_lookup(JSContext *ctx, const ubi__weak_table *table, uint32_t hash,
                                             ubi__weak_match_fn match, void *payload) {
    const ubi__weak_slot *slot =
        ubi__weak_table_find(table, &(ubi__weak_key){ .hash = hash, .match = match, .payload = payload });
    return slot ? JS_DupValue(ctx, JS_MKPTR(JS_TAG_OBJECT, slot->object)) : JS_UNDEFINED;
}

/** Errors: UBI_ENOMEM. */
static inline ubi_status ubi__weak_table_add(ubi__weak_table *table, const ubi_allocator *allocator, uint32_t hash,
                                             JSValueConst object) {
    const ubi__weak_key key = { .hash = hash, .object = JS_VALUE_GET_PTR(object) };
    if (ubi__weak_table_reserve(table, allocator, 1) != UBI_OK)
        return ubi_error(UBI_ENOMEM, "out of memory");
    ubi__weak_slot *slot = ubi__weak_slot_place(table, table, &key, (uint64_t)hash << 32);
    UBI_ASSERT(!slot->object);
    *slot = (ubi__weak_slot){ JS_VALUE_GET_PTR(object), hash };
    ubi__weak_table_added(table);
    return UBI_OK;
}

/** To be called by the object's finalizer; it need not be there. */
static inline void ubi__weak_table_forget(ubi__weak_table *table, uint32_t hash, JSValueConst object) {
    ubi__weak_slot *slot =
        ubi__weak_table_find(table, &(ubi__weak_key){ .hash = hash, .object = JS_VALUE_GET_PTR(object) });
    if (slot)
        ubi__weak_table_remove(table, slot);
}

static inline uint32_t ubi__weak_hash(uint64_t key) {
    return (uint32_t)(key * UBI__GOLDEN >> 32);
}

#endif
