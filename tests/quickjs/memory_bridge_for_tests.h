/* SPDX-License-Identifier: MIT
 *
 * memory_bridge_for_tests.h: a QuickJS program, and a bridge to its memory.
 */
#ifndef MEMORY_BRIDGE_FOR_TESTS_H
#define MEMORY_BRIDGE_FOR_TESTS_H

#include <ubiheap/server/memory_bridge.h>

#include "base/text.h"
#include "quickjs_heap.h"

/* ---- a program and a bridge ----------------------------------------------------------------------------------------- */

enum { MOST_EVENTS = 64 };

typedef struct bridged {
    quickjs_heap heap;
    ubi_memory_bridge *bridge;
    uint32_t n_events;
    uint64_t cycles[MOST_EVENTS];
} bridged;

static inline void note_collection(void *payload, const ubi_collection *c) {
    bridged *b = payload;
    assert_true(b->n_events < MOST_EVENTS && c->start_ms <= c->end_ms && c->reason);
    b->cycles[b->n_events++] = c->cycle_number;
}

static inline void bridged_open_with(bridged *b, const ubi_target_scope *scope, const ubi_allocator *allocator) {
    ubi_memory_bridge_options options = UBI_MEMORY_BRIDGE_OPTIONS_INIT;
    options.scope = scope;
    options.allocator = allocator;
    options.on_collection = note_collection;
    options.payload = b;
    assert_int_equal(ubi_memory_bridge_new(&b->bridge, ubi_quickjs_target(b->heap.tools), &options), UBI_OK);
}

static inline void bridged_open(bridged *b) {
    *b = (bridged){ .n_events = 0 };
    quickjs_heap_open(&b->heap, NULL);
    bridged_open_with(b, NULL, NULL);
}

static inline void bridged_close(bridged *b) {
    ubi_memory_bridge_free(b->bridge);
    quickjs_heap_close(&b->heap);
}

static inline void attach(bridged *b) {
    assert_int_equal(ubi_memory_bridge_attach(b->bridge), UBI_OK);
}

/* Without the turns of a loop after it, which allocate. */
static inline void evaluate(bridged *b, const char *name, const char *code) {
    JSValue value = JS_Eval(b->heap.realm, code, strlen(code), name, JS_EVAL_TYPE_GLOBAL);
    assert_false(JS_IsException(value));
    JS_FreeValue(b->heap.realm, value);
}

static inline void start(bridged *b) {
    assert_int_equal(ubi_memory_bridge_start_recording(b->bridge, NULL, NULL), UBI_OK);
}

static inline ubi_memory_allocations get_allocations(bridged *b) {
    ubi_memory_allocations a = UBI_MEMORY_ALLOCATIONS_INIT;
    assert_int_equal(ubi_memory_bridge_allocations(&a, b->bridge), UBI_OK);
    return a;
}

static inline ubi_memory_frame get_frame(const bridged *b, uint32_t index) {
    ubi_memory_frame frame;
    assert_int_equal(ubi_memory_bridge_frame(&frame, b->bridge, index), UBI_OK);
    return frame;
}

static inline void assert_wrong_state(ubi_status status, const char *activity) {
    char message[200];
    snprintf(message, sizeof message, "Wrong state while %s:Expected 'attached', but current state is 'detached'.",
             activity);
    assert_int_equal(status, UBI_ESTATE);
    assert_string_equal(ubi_error_message(), message);
}

#endif
