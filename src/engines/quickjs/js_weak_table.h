/* SPDX-License-Identifier: MIT
 *
 * js_weak_table.h: finding objects again without keeping them alive.
 *
 * The engine has no weak references for programs in C, but it tells a class when an object of it goes: that is when the
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
/** An object of that hash that matches, with one reference more; undefined when there is none. */
JSValue ubi__weak_table_lookup(JSContext *ctx, const ubi__weak_table *table, uint32_t hash, ubi__weak_match_fn match,
                               void *payload);
/** Errors: UBI_ENOMEM. */
ubi_status ubi__weak_table_add(ubi__weak_table *table, const ubi_allocator *allocator, uint32_t hash,
                               JSValueConst object);
/** To be called by the object's finalizer; it need not be there. */
void ubi__weak_table_forget(ubi__weak_table *table, uint32_t hash, JSValueConst object);

static inline uint32_t ubi__weak_hash(uint64_t key) {
    return (uint32_t)(key * UBI__GOLDEN >> 32);
}

#endif
