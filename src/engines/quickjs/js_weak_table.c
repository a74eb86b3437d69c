/* SPDX-License-Identifier: MIT
 *
 * js_weak_table.c: see js_weak_table.h.
 */
#include "engines/quickjs/js_weak_table.h"

typedef struct weak_key {
    uint32_t hash;
    const void *object;       /* this one */
    ubi__weak_match_fn match; /* unless NULL: one of that hash that matches */
    void *payload;
} weak_key;

static bool weak_slot_is(const ubi__weak_table *table, const ubi__weak_slot *slot, const weak_key *key) {
    (void)table;
    if (slot->hash != key->hash)
        return false;
    return key->match ? key->match(key->payload, JS_MKPTR(JS_TAG_OBJECT, slot->object)) : slot->object == key->object;
}

UBI_TABLE_LOOKUP(weak_slot, ubi__weak_table, ubi__weak_slot, ubi__weak_slot_is_used, const ubi__weak_table *,
                 const weak_key *, weak_slot_is);

static ubi__weak_slot *weak_table_find(const ubi__weak_table *table, const weak_key *key) {
    return weak_slot_find(table, table, key, (uint64_t)key->hash << 32);
}

JSValue ubi__weak_table_lookup(JSContext *ctx, const ubi__weak_table *table, uint32_t hash, ubi__weak_match_fn match,
                               void *payload) {
    const ubi__weak_slot *slot =
        weak_table_find(table, &(weak_key){ .hash = hash, .match = match, .payload = payload });
    return slot ? JS_DupValue(ctx, JS_MKPTR(JS_TAG_OBJECT, slot->object)) : JS_UNDEFINED;
}

ubi_status ubi__weak_table_add(ubi__weak_table *table, const ubi_allocator *allocator, uint32_t hash,
                               JSValueConst object) {
    const weak_key key = { .hash = hash, .object = JS_VALUE_GET_PTR(object) };
    if (ubi__weak_table_reserve(table, allocator, 1) != UBI_OK)
        return ubi_error(UBI_ENOMEM, "out of memory");
    ubi__weak_slot *slot = weak_slot_place(table, table, &key, (uint64_t)hash << 32);
    UBI_ASSERT(!slot->object);
    *slot = (ubi__weak_slot){ JS_VALUE_GET_PTR(object), hash };
    ubi__weak_table_added(table);
    return UBI_OK;
}

void ubi__weak_table_forget(ubi__weak_table *table, uint32_t hash, JSValueConst object) {
    ubi__weak_slot *slot = weak_table_find(table, &(weak_key){ .hash = hash, .object = JS_VALUE_GET_PTR(object) });
    if (slot)
        ubi__weak_table_remove(table, slot);
}
