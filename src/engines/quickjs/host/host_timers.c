/* SPDX-License-Identifier: MIT
 *
 * host_timers.c: see host_timers.h.
 *
 * A number is its timer's slot, plus 1, plus SLOTS for each time that the slot was used before.
 */
#include "engines/quickjs/host/host_timers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "engines/quickjs/host/host_state.h"
#include "engines/quickjs/js_facts.h"

#define SLOTS (UINT64_C(1) << 24)
#define USES (1u << 29) /* so that a double holds every number; then they start over */
#define LONGEST_DELAY_MS 2147483647.0

/* Outside of the engine's memory: what it holds, and not what it takes, is the script's. */
struct ubi__host_timer {
    JSContext *realm; /* a reference */
    JSValue object;   /* of class "Timer"; holds this; owned while the timer runs */
    JSValue function;
    JSValue *arguments; /* arguments[n_arguments] */
    int n_arguments;
    uint64_t due_us, interval_us; /* interval_us 0: runs once */
    uint64_t order;
    uint64_t id;
    uint32_t at; /* place in the heap; UINT32_MAX: does not run */
    ubi_quickjs_async registered;
};

static JSClassID timer_class;

/* ---- the class ---------------------------------------------------------------------------------------------------- */

static void free_timer(JSRuntime *runtime, ubi__host_timer *t) {
    JS_FreeValueRT(runtime, t->function);
    for (int i = 0; i < t->n_arguments; i++)
        JS_FreeValueRT(runtime, t->arguments[i]);
    JS_FreeContext(t->realm);
    free(t->arguments);
    free(t);
}

static void timer_finalize(JSRuntime *runtime, JSValue value) {
    ubi__host_timer *t = JS_GetOpaque(value, timer_class);
    if (t)
        free_timer(runtime, t);
}

static void timer_mark(JSRuntime *runtime, JSValueConst value, JS_MarkFunc *mark_func) {
    ubi__host_timer *t = JS_GetOpaque(value, timer_class);
    if (!t)
        return;
    JS_MarkValue(runtime, t->function, mark_func);
    for (int i = 0; i < t->n_arguments; i++)
        JS_MarkValue(runtime, t->arguments[i], mark_func);
}

bool ubi__timers_init(ubi__host_timers *timers, JSRuntime *runtime) {
    static const JSClassDef definition = { .class_name = "Timer", .finalizer = timer_finalize, .gc_mark = timer_mark };
    *timers = (ubi__host_timers){ 0 };
    /* The first host is opened before there are other threads. */
    if (timer_class == 0)
        ubi__new_class_id(runtime, &timer_class);
    return JS_NewClass(runtime, timer_class, &definition) == 0;
}

/* ---- the heap ----------------------------------------------------------------------------------------------------- */

static uint32_t slot_of(const ubi__host_timer *t) {
    return (uint32_t)((t->id - 1) % SLOTS);
}

static bool timer_is_before(const ubi__host_timer *a, const ubi__host_timer *b) {
    return a->due_us != b->due_us ? a->due_us < b->due_us : a->order < b->order;
}

static void timers_put(ubi__host_timers *timers, uint32_t at, ubi__host_timer *t) {
    timers->heap[at] = t;
    t->at = at;
}

/* None runs before its parent in the heap, each knows its place, and each is found by its number. */
static void timers_check(const ubi__host_timers *timers) {
    if (!UBI_CHECKS)
        return;
    UBI_ASSERT(timers->n <= timers->capacity && timers->n + timers->n_free == timers->n_slots);
    for (uint32_t i = 0; i < timers->n; i++) {
        const ubi__host_timer *t = timers->heap[i];
        UBI_ASSERT(t->at == i && t->order < timers->started);
        UBI_ASSERT(i == 0 || !timer_is_before(t, timers->heap[(i - 1) / 2]));
        UBI_ASSERT(timers->slots[slot_of(t)] == t);
    }
    for (uint32_t i = 0; i < timers->n_free; i++)
        UBI_ASSERT(timers->free_slots[i] < timers->n_slots && !timers->slots[timers->free_slots[i]]);
}

/* Moves `t` from the empty place `at` to where it belongs. */
static void timers_settle(ubi__host_timers *timers, uint32_t at, ubi__host_timer *t) {
    for (; at > 0 && timer_is_before(t, timers->heap[(at - 1) / 2]); at = (at - 1) / 2)
        timers_put(timers, at, timers->heap[(at - 1) / 2]);
    for (uint32_t child; (child = 2 * at + 1) < timers->n; at = child) {
        if (child + 1 < timers->n && timer_is_before(timers->heap[child + 1], timers->heap[child]))
            child++;
        if (!timer_is_before(timers->heap[child], t))
            break;
        timers_put(timers, at, timers->heap[child]);
    }
    timers_put(timers, at, t);
}

static bool timers_resize(void *array_of_pointer, size_t n, size_t item_bytes) {
    void **array = array_of_pointer, *larger = realloc(*array, n * item_bytes);
    if (larger)
        *array = larger;
    return larger != NULL;
}

static bool timers_grow(ubi__host_timers *timers) {
    uint32_t n = timers->capacity ? timers->capacity * 2 : 16;
    if (n > SLOTS || !timers_resize(&timers->heap, n, sizeof *timers->heap) ||
        !timers_resize(&timers->slots, n, sizeof *timers->slots) ||
        !timers_resize(&timers->uses, n, sizeof *timers->uses) ||
        !timers_resize(&timers->free_slots, n, sizeof *timers->free_slots))
        return false;
    timers_check(timers);
    memset(timers->uses + timers->capacity, 0, (n - timers->capacity) * sizeof *timers->uses);
    timers->capacity = n;
    return true;
}

static bool timer_start(ubi__host_timers *timers, ubi__host_timer *t) {
    if (timers->n == timers->capacity && !timers_grow(timers))
        return false;
    uint32_t slot = timers->n_free ? timers->free_slots[--timers->n_free] : timers->n_slots++;
    t->order = timers->started++;
    t->id = slot + 1 + (timers->uses[slot]++ % USES) * SLOTS;
    UBI_ASSERT(slot < timers->capacity && slot < timers->n_slots);
    timers->slots[slot] = t;
    timers_settle(timers, timers->n++, t);
    return true;
}

/* Ends a timer; what it held is freed with the last reference. */
static void timer_stop(ubi__host_timers *timers, JSRuntime *runtime, ubi__host_timer *t) {
    uint32_t at = t->at, slot = slot_of(t);
    UBI_ASSERT(at < timers->n && timers->heap[at] == t && timers->slots[slot] == t);
    ubi__host_timer *last = timers->heap[--timers->n];
    t->at = UINT32_MAX;
    if (last != t)
        timers_settle(timers, at, last);
    timers->slots[slot] = NULL;
    timers->free_slots[timers->n_free++] = slot;
    JS_FreeValueRT(runtime, t->object);
}

static ubi__host_timer *timer_find(const ubi__host_timers *timers, double id) {
    if (!(id >= 1 && id <= 9007199254740991.0) || id != floor(id))
        return NULL;
    uint32_t slot = (uint32_t)(((uint64_t)id - 1) % SLOTS);
    ubi__host_timer *t = slot < timers->n_slots ? timers->slots[slot] : NULL;
    return t && t->id == (uint64_t)id ? t : NULL;
}

void ubi__timers_fini(ubi__host_timers *timers, JSRuntime *runtime) {
    timers_check(timers);
    while (timers->n)
        timer_stop(timers, runtime, timers->heap[timers->n - 1]);
    free(timers->heap);
    free(timers->slots);
    free(timers->uses);
    free(timers->free_slots);
    *timers = (ubi__host_timers){ 0 };
}

uint64_t ubi__timers_due_us(const ubi__host_timers *timers) {
    return timers->n ? timers->heap[0]->due_us : UINT64_MAX;
}

bool ubi__timers_take(ubi__host_timers *timers, ubi__timer_call *out, uint64_t now_us, uint64_t started) {
    ubi__host_timer *t = timers->n ? timers->heap[0] : NULL;
    if (!t || t->due_us > now_us || t->order >= started)
        return false;
    *out = (ubi__timer_call){ .realm = t->realm,
                              .object = JS_DupValue(t->realm, t->object),
                              .function = t->function,
                              .arguments = t->arguments,
                              .n_arguments = t->n_arguments,
                              .cause = t->interval_us ? "setInterval handler" : "setTimeout handler",
                              .registered = t->registered };
    if (t->interval_us) {
        /* Late ones are not made up for. */
        t->due_us = t->due_us + t->interval_us > now_us ? t->due_us + t->interval_us : now_us + t->interval_us;
        t->order = timers->started++;
        timers_settle(timers, t->at, t);
    } else {
        timer_stop(timers, JS_GetRuntime(t->realm), t);
    }
    return true;
}

/* ---- for scripts -------------------------------------------------------------------------------------------------- */

static int delay_of(JSContext *realm, uint64_t *out_us, int n, JSValueConst *arguments) {
    double ms = 0;
    if (n > 1 && JS_ToFloat64(realm, &ms, arguments[1]) < 0)
        return -1;
    if (!(ms > 0))
        ms = 0;
    *out_us = (uint64_t)((ms < LONGEST_DELAY_MS ? ms : LONGEST_DELAY_MS) * 1000);
    return 0;
}

static ubi__host_timer *new_timer(JSContext *realm, int n, JSValueConst *arguments) {
    ubi__host_timer *t = calloc(1, sizeof *t);
    int n_arguments = n > 2 ? n - 2 : 0;
    JSValue *held = n_arguments ? calloc((size_t)n_arguments, sizeof *held) : NULL;
    if (!t || (n_arguments && !held)) {
        free(t);
        free(held);
        JS_ThrowOutOfMemory(realm);
        return NULL;
    }
    for (int i = 0; i < n_arguments; i++)
        held[i] = JS_DupValue(realm, arguments[i + 2]);
    *t = (ubi__host_timer){ .realm = JS_DupContext(realm),
                            .function = JS_DupValue(realm, arguments[0]),
                            .arguments = held,
                            .n_arguments = n_arguments,
                            .at = UINT32_MAX };
    return t;
}

/* The object takes the timer over. */
static int timer_wrap(JSContext *realm, ubi__host_timer *t) {
    t->object = JS_NewObjectProtoClass(realm, JS_NULL, timer_class);
    if (JS_IsException(t->object)) {
        free_timer(JS_GetRuntime(realm), t);
        return -1;
    }
    JS_SetOpaque(t->object, t);
    return 0;
}

enum { ONCE, AGAIN_AND_AGAIN };

static JSValue set_timer(JSContext *realm, JSValueConst self, int n, JSValueConst *arguments, int kind) {
    ubi__host_timers *timers = &ubi__host_here->timers;
    uint64_t delay_us;
    (void)self;
    if (n < 1 || !JS_IsFunction(realm, arguments[0]))
        return JS_ThrowTypeError(realm, "%s: the first argument must be a function",
                                 kind == ONCE ? "setTimeout" : "setInterval");
    if (delay_of(realm, &delay_us, n, arguments) < 0)
        return JS_EXCEPTION;
    ubi__host_timer *t = new_timer(realm, n, arguments);
    if (!t || timer_wrap(realm, t) < 0)
        return JS_EXCEPTION;
    if (kind == AGAIN_AND_AGAIN)
        t->interval_us = delay_us < 1000 ? delay_us = 1000 : delay_us;
    t->due_us = ubi__host_clock_us() + delay_us;
    t->registered = ubi_quickjs_timeline_register(ubi__host_here->tools);
    if (!timer_start(timers, t)) {
        JS_FreeValue(realm, t->object);
        return JS_ThrowOutOfMemory(realm);
    }
    return JS_NewInt64(realm, (int64_t)t->id);
}

static JSValue clear_timer(JSContext *realm, JSValueConst self, int n, JSValueConst *arguments) {
    double id;
    (void)self;
    if (n < 1 || JS_IsUndefined(arguments[0]) || JS_IsNull(arguments[0]))
        return JS_UNDEFINED;
    if (JS_ToFloat64(realm, &id, arguments[0]) < 0)
        return JS_EXCEPTION;
    ubi__host_timer *t = timer_find(&ubi__host_here->timers, id);
    if (t)
        timer_stop(&ubi__host_here->timers, JS_GetRuntime(realm), t);
    return JS_UNDEFINED;
}

int ubi__timers_add_globals(JSContext *realm, JSValueConst global) {
    static const JSCFunctionListEntry functions[] = {
        JS_CFUNC_MAGIC_DEF("setTimeout", 2, set_timer, ONCE),
        JS_CFUNC_MAGIC_DEF("setInterval", 2, set_timer, AGAIN_AND_AGAIN),
        JS_CFUNC_DEF("clearTimeout", 1, clear_timer),
        JS_CFUNC_DEF("clearInterval", 1, clear_timer),
    };
    JS_SetPropertyFunctionList(realm, global, functions, sizeof functions / sizeof *functions);
    return 0;
}
