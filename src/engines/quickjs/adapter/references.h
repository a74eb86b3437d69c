/* SPDX-License-Identifier: MIT
 *
 * references.h (adapter): how the references of a runtime are recorded.
 *
 * Its blocks are known through its allocation functions. A native function that returns a value hands its reference over; that is
 * seen by the engine's table of classes, where the function that calls native functions is replaced by one that looks at
 * what comes back. Both are data of the runtime, so a runtime that is not recorded executes what it did before.
 */
#ifndef UBI_QUICKJS_ADAPTER_REFERENCES_H
#define UBI_QUICKJS_ADAPTER_REFERENCES_H

#include "engines/quickjs/adapter/blocks.h"
#include "engines/quickjs/adapter/edges.h"
#include "engines/quickjs/references.h"
#include <ubiheap/extension/quickjs_leaks.h>

/* As in ubiheap/extension/quickjs_references.h, whose macros must not get here. */
extern unsigned char ubi_quickjs_references_recorded;
typedef enum ubi_quickjs_reference {
    UBI_QUICKJS_VALUE,
    UBI_QUICKJS_TEXT,
    UBI_QUICKJS_ATOM,
    UBI_QUICKJS_CONTEXT
} ubi_quickjs_reference;
void ubi_quickjs_reference_taken(const void *thing, ubi_quickjs_reference reference, const char *how);
void ubi_quickjs_reference_released(const void *thing, ubi_quickjs_reference reference);
void ubi_quickjs_atom_taken(JSRuntime *runtime, JSAtom atom, const char *how);
void ubi_quickjs_atom_released(JSRuntime *runtime, JSAtom atom);
const void *ubi_quickjs_string_of_text(const void *text);

/** A runtime that reports when it ends, and that may be recorded until then. */
typedef struct ubi__ending {
    struct ubi__ending *next;
    JSRuntime *runtime;
    ubi_quickjs_leak_options options;
    bool has_begun;              /* JS_FreeRuntime is at work */
    ubi__references *references; /* NULL: not recorded */
    ubi__block_functions before; /* the runtime's, while it is recorded */
    JSClassCall *call_native, *call_native_with_data;
} ubi__ending;

static pthread_mutex_t ubi__endings_lock = PTHREAD_MUTEX_INITIALIZER;
static ubi__ending *ubi__endings;            /* guarded by the lock; each belongs to the thread of its runtime */
static _Atomic(uint32_t) ubi__endings_count; /* so that collections need no lock while it is 0 */

static __thread struct {
    uint32_t generation;
    ubi__ending *ending;
} ubi__last_ending;
static _Atomic(uint32_t) ubi__endings_generation = 1; /* grows when one comes or goes */

/* The link that leads to it, under the lock. */
static ubi__ending **ubi__ending_link(const JSRuntime *rt) {
    ubi__ending **at = &ubi__endings;
    while (*at && (*at)->runtime != rt)
        at = &(*at)->next;
    return at;
}

static ubi__ending *ubi__ending_of(const JSRuntime *rt) {
    if (atomic_load_explicit(&ubi__endings_count, memory_order_relaxed) == 0)
        return NULL;
    uint32_t generation = atomic_load_explicit(&ubi__endings_generation, memory_order_acquire);
    if (ubi__last_ending.generation == generation && ubi__last_ending.ending->runtime == rt)
        return ubi__last_ending.ending;
    pthread_mutex_lock(&ubi__endings_lock);
    ubi__ending *ending = *ubi__ending_link(rt);
    if (ending) {
        ubi__last_ending.ending = ending;
        ubi__last_ending.generation = atomic_load_explicit(&ubi__endings_generation, memory_order_relaxed);
    }
    pthread_mutex_unlock(&ubi__endings_lock);
    return ending;
}

/* ---- blocks --------------------------------------------------------------------------------------------------------- */

static void *ubi__recorded_malloc(ubi__block_owner *owner, size_t size) {
    const ubi__ending *e = ubi__ending_of(ubi__runtime_of_owner(owner));
    void *block = e->before.js_malloc(owner, size);
    ubi__references_block_made(e->references, block, size);
    return block;
}

static void *ubi__recorded_realloc(ubi__block_owner *owner, void *old, size_t size) {
    const ubi__ending *e = ubi__ending_of(ubi__runtime_of_owner(owner));
    void *block = e->before.js_realloc(owner, old, size);
    if (block || size == 0)
        ubi__references_block_freed(e->references, old);
    ubi__references_block_made(e->references, block, size);
    return block;
}

static void ubi__recorded_free(ubi__block_owner *owner, void *block) {
    const ubi__ending *e = ubi__ending_of(ubi__runtime_of_owner(owner));
    ubi__references_block_freed(e->references, block);
    e->before.js_free(owner, block);
}

/** False: no memory. */
static bool ubi__record_blocks(ubi__ending *ending) {
    if (!ubi__hold_block_functions(ending->runtime, ending->options.allocator))
        return false;
    ubi__block_functions *functions = ubi__block_functions_of(ending->runtime), recorded = *functions;
    memcpy(&ending->before, &recorded, sizeof recorded); /* its members may be const */
    recorded.js_malloc = ubi__recorded_malloc;
    recorded.js_realloc = ubi__recorded_realloc;
    recorded.js_free = ubi__recorded_free;
    memcpy(functions, &recorded, sizeof recorded);
    return true;
}

static void ubi__leave_blocks(ubi__ending *ending) {
    memcpy(ubi__block_functions_of(ending->runtime), &ending->before, sizeof ending->before);
    ubi__release_block_functions(ending->runtime);
}

/* ---- native functions ----------------------------------------------------------------------------------------------- */

static JSValue ubi__look_at_result(const ubi__ending *e, JSValue result, uint64_t since) {
    if (JS_VALUE_HAS_REF_COUNT(result))
        ubi__references_returned(e->references, JS_VALUE_GET_PTR(result), UBI_QUICKJS_VALUE, since);
    return result;
}

static JSValue ubi__recorded_call(JSContext *ctx, JSValueConst function, JSValueConst this_value, int argc,
                                  JSValueConst *argv, int flags) {
    const ubi__ending *e = ubi__ending_of(ctx->rt);
    uint64_t since = ubi__references_clock(e->references);
    return ubi__look_at_result(e, e->call_native(ctx, function, this_value, argc, argv, flags), since);
}

static JSValue ubi__recorded_call_with_data(JSContext *ctx, JSValueConst function, JSValueConst this_value, int argc,
                                            JSValueConst *argv, int flags) {
    const ubi__ending *e = ubi__ending_of(ctx->rt);
    uint64_t since = ubi__references_clock(e->references);
    return ubi__look_at_result(e, e->call_native_with_data(ctx, function, this_value, argc, argv, flags), since);
}

static void ubi__record_calls(ubi__ending *ending) {
    JSClass *classes = ending->runtime->class_array;
    ending->call_native = classes[JS_CLASS_C_FUNCTION].call;
    ending->call_native_with_data = classes[JS_CLASS_C_FUNCTION_DATA].call;
    classes[JS_CLASS_C_FUNCTION].call = ubi__recorded_call;
    classes[JS_CLASS_C_FUNCTION_DATA].call = ubi__recorded_call_with_data;
}

static void ubi__leave_calls(ubi__ending *ending) {
    JSClass *classes = ending->runtime->class_array;
    classes[JS_CLASS_C_FUNCTION].call = ending->call_native;
    classes[JS_CLASS_C_FUNCTION_DATA].call = ending->call_native_with_data;
}

/* ---- what the header of the program reports ------------------------------------------------------------------------- */

unsigned char ubi_quickjs_references_recorded; /* how many runtimes are; stops at 255 */

/* The runtime that a block belongs to; without one that knows it, the one that this thread used last. */
static ubi__ending *ubi__recorded_by(const void *thing) {
    ubi__ending *found = NULL, *last = ubi__last_ending.ending;
    bool is_current =
        ubi__last_ending.generation == atomic_load_explicit(&ubi__endings_generation, memory_order_acquire);
    if (is_current && last->references && ubi__references_knows(last->references, thing))
        return last;
    pthread_mutex_lock(&ubi__endings_lock);
    for (ubi__ending *e = ubi__endings; e && !found; e = e->next)
        if (e->references && (!e->next || ubi__references_knows(e->references, thing)))
            found = e;
    pthread_mutex_unlock(&ubi__endings_lock);
    return found;
}

#define UBI__PLACE_OF_CALLER                                                                                           \
    { (uintptr_t) __builtin_extract_return_addr(__builtin_return_address(0)), (uintptr_t)__builtin_frame_address(0) }

void UBI_OUT_OF_LINE ubi_quickjs_reference_taken(const void *thing, ubi_quickjs_reference reference, const char *how) {
    ubi__ending *e = ubi__recorded_by(thing);
    ubi__reference_place place = UBI__PLACE_OF_CALLER;
    if (e)
        ubi__references_taken(e->references, thing, reference, how, place);
}

void UBI_OUT_OF_LINE ubi_quickjs_reference_released(const void *thing, ubi_quickjs_reference reference) {
    ubi__ending *e = ubi__recorded_by(thing);
    ubi__reference_place place = UBI__PLACE_OF_CALLER;
    if (e)
        ubi__references_released(e->references, thing, reference, place);
}

void UBI_OUT_OF_LINE ubi_quickjs_atom_taken(JSRuntime *rt, JSAtom atom, const char *how) {
    ubi__ending *e = ubi__ending_of(rt);
    ubi__reference_place place = UBI__PLACE_OF_CALLER;
    const JSString *p = ubi__counted_atom(rt, atom);
    if (e && e->references && p)
        ubi__references_taken(e->references, p, UBI_QUICKJS_ATOM, how, place);
}

void UBI_OUT_OF_LINE ubi_quickjs_atom_released(JSRuntime *rt, JSAtom atom) {
    ubi__ending *e = ubi__ending_of(rt);
    ubi__reference_place place = UBI__PLACE_OF_CALLER;
    const JSString *p = ubi__counted_atom(rt, atom);
    if (e && e->references && p)
        ubi__references_released(e->references, p, UBI_QUICKJS_ATOM, place);
}

/* What JS_ToCString gives lies in a string that it keeps. */
const void *ubi_quickjs_string_of_text(const void *text) {
#if UBI_STR8_FN
    return (const char *)text - sizeof(JSString);
#else
    return (const char *)text - offsetof(JSString, u);
#endif
}

/* ---- what nothing in the heap refers to ----------------------------------------------------------------------------- */

/* A block of the engine's is a string if it says of itself what its size says, too. */
static bool ubi__looks_like_string(const void *block, uint64_t size_bytes, bool has_takings) {
    const JSString *p = block;
    if (size_bytes < sizeof *p || p->atom_type != 0)
        return false;
    uint64_t bytes = sizeof *p + ((uint64_t)p->len << p->is_wide_char) + 1 - p->is_wide_char;
    if (size_bytes == bytes)
        return p->is_wide_char || ((const char *)ubi__string_units(p))[p->len] == '\0';
    return has_takings && size_bytes > bytes;
}

static bool ubi__looks_like_big_int(const void *block, uint64_t size_bytes) {
#if UBI_BF
    const ubi__long_number *p = block;
    return size_bytes == sizeof *p && p->num.len < 1 << 24;
#else
    const JSBigInt *p = block;
    return size_bytes >= sizeof *p && size_bytes == sizeof *p + p->len * sizeof p->tab[0];
#endif
}

/* UBI__KIND_COUNT: none. Of what has few marks of its own, only blocks are believed that the program took as values. */
static ubi__kind ubi__kind_of_unreferenced(const void *block, uint64_t size_bytes, bool has_takings) {
    enum { MOST_REFERENCES = 1 << 24 };
    if (size_bytes < 2 * sizeof(int) || ubi__ref_count(block) <= 0 || ubi__ref_count(block) > MOST_REFERENCES)
        return UBI__KIND_COUNT;
#if UBI_ROPE
    if (has_takings && size_bytes == sizeof(JSStringRope) && ((const JSStringRope *)block)->depth > 0)
        return UBI__ROPE;
#endif
    if (has_takings && ubi__looks_like_big_int(block, size_bytes))
        return UBI__BIG_INT;
    return ubi__looks_like_string(block, size_bytes, has_takings) ? UBI__STRING : UBI__KIND_COUNT;
}

static bool ubi__add_unreferenced(void *payload, void *block, uint64_t size_bytes, bool has_takings) {
    ubi_quickjs *tools = payload;
    uint32_t page = ubi__index_need_page(&tools->walk.index, (uintptr_t)block);
    if (!page)
        return false;
    if (ubi__index_has(&tools->walk.index, page, (uintptr_t)block))
        return true;
    ubi__kind kind = ubi__kind_of_unreferenced(block, size_bytes, has_takings);
    return kind == UBI__KIND_COUNT || ubi__discover(tools, page, block, kind);
}

/** Nodes that only the program refers to, once all others are found. False: no memory. */
static bool ubi__look_through_references(ubi_quickjs *tools) {
    const ubi__ending *ending = ubi__ending_of(tools->runtime);
    if (!ending || !ending->references)
        return true;
    return ubi__references_blocks(ending->references, ubi__add_unreferenced, tools);
}

#endif
