/* SPDX-License-Identifier: MIT
 *
 * js_weak_table.c: an open-addressing table of objects. Removal shifts later entries back, so it never fills with graves.
 */
#include "engines/quickjs/js_weak_table.h"

#define FIRST_CAPACITY 16

void ubi__weak_table_fini(ubi__weak_table *table, const ubi_allocator *allocator) {
    if (table->capacity)
        allocator->free(allocator->ctx, table->slots, table->capacity * sizeof *table->slots);
    *table = (ubi__weak_table){ 0 };
}

JSValue ubi__weak_table_find(JSContext *ctx, const ubi__weak_table *table, uint32_t hash, ubi__weak_match_fn match,
                             void *payload) {
    uint32_t mask = table->capacity - 1;
    if (!table->n)
        return JS_UNDEFINED;
    for (uint32_t at = hash & mask; table->slots[at].object; at = (at + 1) & mask) {
        JSValue object = JS_MKPTR(JS_TAG_OBJECT, table->slots[at].object);
        if (table->slots[at].hash == hash && match(payload, object))
            return JS_DupValue(ctx, object);
    }
    return JS_UNDEFINED;
}

static void put(ubi__weak_table *table, ubi__weak_slot slot) {
    uint32_t mask = table->capacity - 1, at = slot.hash & mask;
    while (table->slots[at].object)
        at = (at + 1) & mask;
    table->slots[at] = slot;
}

static ubi_status grow(ubi__weak_table *table, const ubi_allocator *allocator) {
    ubi__weak_table larger = { .capacity = table->capacity ? table->capacity * 2 : FIRST_CAPACITY, .n = table->n };
    if (larger.capacity < table->capacity)
        return ubi_error(UBI_ENOMEM, "too many objects");
    larger.slots = allocator->alloc(allocator->ctx, larger.capacity * sizeof *larger.slots);
    if (!larger.slots)
        return ubi_error(UBI_ENOMEM, "out of memory");
    for (uint32_t i = 0; i < larger.capacity; i++)
        larger.slots[i] = (ubi__weak_slot){ 0 };
    for (uint32_t i = 0; i < table->capacity; i++)
        if (table->slots[i].object)
            put(&larger, table->slots[i]);
    ubi__weak_table_fini(table, allocator);
    *table = larger;
    return UBI_OK;
}

ubi_status ubi__weak_table_add(ubi__weak_table *table, const ubi_allocator *allocator, uint32_t hash,
                               JSValueConst object) {
    if (table->n + 1 > table->capacity / 4 * 3) {
        ubi_status status = grow(table, allocator);
        if (status != UBI_OK)
            return status;
    }
    put(table, (ubi__weak_slot){ JS_VALUE_GET_PTR(object), hash });
    table->n++;
    return UBI_OK;
}

void ubi__weak_table_remove(ubi__weak_table *table, uint32_t hash, JSValueConst object) {
    uint32_t mask = table->capacity - 1, at = hash & mask;
    if (!table->n)
        return;
    while (table->slots[at].object != JS_VALUE_GET_PTR(object)) {
        if (!table->slots[at].object)
            return;
        at = (at + 1) & mask;
    }
    table->n--;
    for (uint32_t next = (at + 1) & mask; table->slots[next].object; next = (next + 1) & mask) {
        uint32_t home = table->slots[next].hash & mask;
        if (((next - home) & mask) < ((next - at) & mask))
            continue; /* it would come to stand before its home */
        table->slots[at] = table->slots[next];
        at = next;
    }
    table->slots[at] = (ubi__weak_slot){ 0 };
}
