/* SPDX-License-Identifier: MIT
 *
 * js_weak_table.h: finding objects again without keeping them alive.
 *
 * The engine has no weak references for programs in C, but it tells a class when an object of it goes: that is when the
 * object's class must take it out of here. Open addressing; about 32 bytes per object.
 */
#ifndef UBI_QUICKJS_JS_WEAK_TABLE_H
#define UBI_QUICKJS_JS_WEAK_TABLE_H

#include "engines/quickjs/engine.h"

typedef struct ubi__weak_slot {
    void *object; /* of the engine; NULL: empty */
    uint32_t hash;
} ubi__weak_slot;

/** All zero is an empty table. */
typedef struct ubi__weak_table {
    ubi__weak_slot *slots;
    uint32_t capacity, n; /* capacity: 0 or a power of two, more than n */
} ubi__weak_table;

void ubi__weak_table_fini(ubi__weak_table *table, const ubi_allocator *allocator);

typedef bool (*ubi__weak_match_fn)(void *payload, JSValueConst object);
/** An object of that hash that matches, with one reference more; undefined when there is none. */
JSValue ubi__weak_table_find(JSContext *ctx, const ubi__weak_table *table, uint32_t hash, ubi__weak_match_fn match,
                             void *payload);
/** Errors: UBI_ENOMEM. */
ubi_status ubi__weak_table_add(ubi__weak_table *table, const ubi_allocator *allocator, uint32_t hash,
                               JSValueConst object);
/** To be called by the object's finalizer; it need not be there. */
void ubi__weak_table_remove(ubi__weak_table *table, uint32_t hash, JSValueConst object);

static inline uint32_t ubi__weak_hash(uint64_t key) {
    key *= 0x9e3779b97f4a7c15u;
    return (uint32_t)(key >> 32);
}

#endif
