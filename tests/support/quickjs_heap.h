/* SPDX-License-Identifier: MIT
 *
 * quickjs_heap.h: a QuickJS runtime with tools, for tests.
 *
 *     quickjs_heap heap;
 *     quickjs_heap_open(&heap, NULL);
 *     quickjs_heap_run(&heap, "name.js", "assertEq(1 + 1, 2)");     fails the test when the script throws
 *     quickjs_heap_close(&heap);                                    and when anything of it is still allocated
 *
 * Scripts find what tests/quickjs/prelude.js lists. A header, because only some tests link the engine.
 */
#ifndef QUICKJS_HEAP_H
#define QUICKJS_HEAP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ubiheap/extension/quickjs.h>

#include "engines/quickjs/engine_api.h"
#include "random_numbers.h"

typedef struct quickjs_heap {
    JSRuntime *runtime;
    JSContext *realm;
    ubi_quickjs *tools;
    ubi_quickjs_options options;
    size_t block_count; /* of the engine, allocated now */
    size_t
        allocations_allowed; /* then one of the engine's fails, and it is SIZE_MAX: none fails. (When all fail, the */
                             /* engine of 2021 throws about its throwing until the stack ends.) */
    JSValue later, rejected; /* arrays of functions to run, of reasons */
} quickjs_heap;

/* ---- the engine's memory, counted -------------------------------------------------------------------------------- */

/** Whether an allocation may succeed. */
static inline bool quickjs_heap__allows(quickjs_heap *heap) {
    if (heap->allocations_allowed == SIZE_MAX)
        return true;
    return heap->allocations_allowed-- > 0; /* 0 becomes SIZE_MAX */
}

static inline void *quickjs_heap__take(quickjs_heap *heap, size_t size) {
    void *p = quickjs_heap__allows(heap) ? malloc(size ? size : 1) : NULL;
    heap->block_count += p != NULL;
    return p;
}

static inline void quickjs_heap__give_back(quickjs_heap *heap, void *p) {
    heap->block_count -= p != NULL;
    free(p);
}

#if UBI_API_MALLOC_STATE
static inline void *quickjs_heap__malloc(JSMallocState *state, size_t size) {
    void *p = state->malloc_size + size > state->malloc_limit ? NULL : quickjs_heap__take(state->opaque, size);
    if (!p)
        return NULL;
    state->malloc_count++;
    state->malloc_size += malloc_usable_size(p) + 8;
    return p;
}

static inline void quickjs_heap__free(JSMallocState *state, void *p) {
    if (!p)
        return;
    state->malloc_count--;
    state->malloc_size -= malloc_usable_size(p) + 8;
    quickjs_heap__give_back(state->opaque, p);
}

static inline void *quickjs_heap__realloc(JSMallocState *state, void *p, size_t size) {
    quickjs_heap *heap = state->opaque;
    if (!p)
        return size ? quickjs_heap__malloc(state, size) : NULL;
    if (!size) {
        quickjs_heap__free(state, p);
        return NULL;
    }
    size_t before = malloc_usable_size(p);
    if (!quickjs_heap__allows(heap) || state->malloc_size + size - before > state->malloc_limit)
        return NULL;
    p = realloc(p, size);
    if (p)
        state->malloc_size += malloc_usable_size(p) - before;
    return p;
}

#else /* this engine counts by itself */
static inline void *quickjs_heap__malloc(void *payload, size_t size) {
    return quickjs_heap__take(payload, size);
}
static inline void *quickjs_heap__calloc(void *payload, size_t count, size_t size) {
    void *p = quickjs_heap__take(payload, count * size);
    return p ? memset(p, 0, count * size) : NULL;
}
static inline void quickjs_heap__free(void *payload, void *p) {
    quickjs_heap__give_back(payload, p);
}
static inline void *quickjs_heap__realloc(void *payload, void *p, size_t size) {
    if (!p)
        return quickjs_heap__take(payload, size);
    return quickjs_heap__allows(payload) ? realloc(p, size) : NULL;
}
#endif

static inline size_t quickjs_heap__usable_size(const void *p) {
    return malloc_usable_size((void *)(uintptr_t)p);
}

/* ---- what scripts can call --------------------------------------------------------------------------------------- */

static inline JSValue quickjs_heap__print(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value;
    for (int i = 0; i < argc; i++) {
        const char *text = JS_ToCString(ctx, argv[i]);
        printf("%s%s", i ? " " : "", text ? text : "(exception)");
        JS_FreeCString(ctx, text);
    }
    printf("\n");
    return JS_UNDEFINED;
}

/** newGlobal(options): a realm that lives as long as something of it is used; with Debugger if options.debugger. */
static inline JSValue quickjs_heap__new_global(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value;
    quickjs_heap *heap = JS_GetContextOpaque(ctx);
    JSContext *realm = JS_NewContext(heap->runtime);
    if (!realm)
        return JS_ThrowOutOfMemory(ctx);
    JS_SetContextOpaque(realm, heap);
    JSValue wants = argc && JS_IsObject(argv[0]) ? JS_GetPropertyStr(ctx, argv[0], "debugger") : JS_UNDEFINED;
    if (JS_ToBool(ctx, wants) > 0 && ubi_quickjs_add_debugger(heap->tools, realm)) {
        JS_FreeContext(realm);
        return JS_EXCEPTION;
    }
    JS_FreeValue(ctx, wants);
    JSValue global = JS_GetGlobalObject(realm);
    JS_FreeContext(realm);
    return global;
}

static inline JSValue quickjs_heap__evaluate(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value, (void)argc;
    quickjs_heap *heap = JS_GetContextOpaque(ctx);
    JSContext *realm = ubi_quickjs_realm_of_global(heap->tools, argv[0]);
    size_t len;
    const char *code = JS_ToCStringLen(ctx, &len, argv[1]), *file = JS_ToCString(ctx, argv[2]);
    JSValue result = JS_EXCEPTION;
    if (code && file && realm)
        result = JS_Eval(realm, code, len, file, JS_EVAL_TYPE_GLOBAL);
    JS_FreeCString(ctx, code);
    JS_FreeCString(ctx, file);
    return realm ? result : JS_ThrowTypeError(ctx, "evaluate: not a global object");
}

static inline JSValue quickjs_heap__gc(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value, (void)argc, (void)argv;
    JS_RunGC(JS_GetRuntime(ctx));
    return JS_UNDEFINED;
}

static inline int quickjs_heap__append(JSContext *ctx, JSValueConst array, JSValueConst value) {
    int64_t n = 0;
    JSValue length = JS_GetPropertyStr(ctx, array, "length");
    JS_ToInt64(ctx, &n, length);
    return JS_DefinePropertyValueUint32(ctx, array, (uint32_t)n, JS_DupValue(ctx, value), JS_PROP_C_W_E);
}

static inline JSValue quickjs_heap__later(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value, (void)argc;
    quickjs_heap *heap = JS_GetContextOpaque(ctx);
    return quickjs_heap__append(ctx, heap->later, argv[0]) < 0 ? JS_EXCEPTION : JS_UNDEFINED;
}

static inline void quickjs_heap__somebody_else(void *payload, uint64_t object_id) {
    (void)payload, (void)object_id;
}

static inline JSValue quickjs_heap__foreign_hook(JSContext *ctx, JSValueConst this_value, int argc,
                                                 JSValueConst *argv) {
    (void)this_value, (void)argc;
    quickjs_heap *heap = JS_GetContextOpaque(ctx);
    JSContext *realm = ubi_quickjs_realm_of_global(heap->tools, argv[0]);
    ubi_status status = ubi_quickjs_set_allocation_hook(
        heap->tools, realm, JS_ToBool(ctx, argv[1]) ? quickjs_heap__somebody_else : NULL, NULL);
    return status == UBI_OK ? JS_UNDEFINED : JS_ThrowTypeError(ctx, "%s", ubi_error_message());
}

static inline JSValue quickjs_heap__rejections(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value, (void)argc, (void)argv;
    quickjs_heap *heap = JS_GetContextOpaque(ctx);
    JSValue reasons = heap->rejected;
    heap->rejected = JS_NewArray(heap->realm);
    return reasons;
}

static inline void quickjs_heap__on_rejection(JSContext *ctx, JSValueConst promise, JSValueConst reason,
                                              ubi__js_bool is_handled, void *payload) {
    (void)promise;
    if (!is_handled)
        quickjs_heap__append(ctx, ((quickjs_heap *)payload)->rejected, reason);
}

static inline void quickjs_heap__define(quickjs_heap *heap, const char *name, JSCFunction *fn, int length) {
    JSValue global = JS_GetGlobalObject(heap->realm);
    JS_DefinePropertyValueStr(heap->realm, global, name, JS_NewCFunction(heap->realm, fn, name, length),
                              JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
    JS_FreeValue(heap->realm, global);
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

/** Prints the pending exception and fails the test. */
static inline void quickjs_heap__fail(quickjs_heap *heap, const char *name) {
    JSValue exception = JS_GetException(heap->realm), stack = JS_GetPropertyStr(heap->realm, exception, "stack");
    const char *text = JS_ToCString(heap->realm, exception), *where = JS_ToCString(heap->realm, stack);
    print_error("%s: %s\n%s\n", name, text ? text : "(no text)", where ? where : "");
    JS_FreeCString(heap->realm, text);
    JS_FreeCString(heap->realm, where);
    JS_FreeValue(heap->realm, stack);
    JS_FreeValue(heap->realm, exception);
    fail();
}

/** A turn of the event loop: jobs, the safe point, then what scripts wanted later. False when nothing is left. */
static inline bool quickjs_heap_turn(quickjs_heap *heap, const char *name) {
    JSContext *ctx;
    int ran;
    while ((ran = JS_ExecutePendingJob(heap->runtime, &ctx)) > 0)
        ;
    if (ran < 0)
        quickjs_heap__fail(heap, name);
    bool any = ubi_quickjs_safe_point(heap->tools);
    JSValue list = heap->later;
    heap->later = JS_NewArray(heap->realm);
    for (uint32_t i = 0;; i++) {
        JSValue fn = JS_GetPropertyUint32(heap->realm, list, i);
        if (!JS_IsFunction(heap->realm, fn))
            break;
        JSValue result = JS_Call(heap->realm, fn, JS_UNDEFINED, 0, NULL);
        JS_FreeValue(heap->realm, fn);
        if (JS_IsException(result))
            quickjs_heap__fail(heap, name);
        JS_FreeValue(heap->realm, result);
        any = true;
    }
    JS_FreeValue(heap->realm, list);
    return any;
}

/** Runs a script and then turns until nothing is left, or a hundred times. */
static inline void quickjs_heap_run(quickjs_heap *heap, const char *name, const char *code) {
    JSValue result = JS_Eval(heap->realm, code, strlen(code), name, JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_STRICT);
    if (JS_IsException(result))
        quickjs_heap__fail(heap, name);
    JS_FreeValue(heap->realm, result);
    for (int i = 0; i < 100 && quickjs_heap_turn(heap, name); i++)
        ;
}

/** A whole file, with a 0 behind. Freed by the caller. */
static inline char *quickjs_heap_read_file(const char *path) {
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    size_t size = (size_t)ftell(f);
    rewind(f);
    char *text = malloc(size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, size, f), size);
    text[size] = '\0';
    fclose(f);
    return text;
}

static inline void quickjs_heap_run_file(quickjs_heap *heap, const char *path) {
    char *code = quickjs_heap_read_file(path);
    quickjs_heap_run(heap, path, code);
    free(code);
}

/* ---- opening and closing ----------------------------------------------------------------------------------------- */

static inline double quickjs_heap__random(void *payload) {
    (void)payload;
    return random_below(1u << 31) / 2147483648.0;
}

/** `allocator` of the tools; NULL: the default. Debugger is there unless there is no memory for it. */
static inline void quickjs_heap_open(quickjs_heap *heap, const ubi_allocator *allocator) {
    static const JSMallocFunctions functions = {
#if !UBI_API_MALLOC_STATE
        .js_calloc = quickjs_heap__calloc,
#endif
        .js_malloc = quickjs_heap__malloc,
        .js_free = quickjs_heap__free,
        .js_realloc = quickjs_heap__realloc,
        .js_malloc_usable_size = quickjs_heap__usable_size,
    };
    *heap = (quickjs_heap){ .options = UBI_QUICKJS_OPTIONS_INIT, .allocations_allowed = SIZE_MAX };
    random_start(1);
    heap->options.allocator = allocator;
    heap->options.random = quickjs_heap__random;
    heap->runtime = JS_NewRuntime2(&functions, heap);
    JS_SetMaxStackSize(heap->runtime, 4 << 20); /* frames are large under a sanitizer */
    JS_SetHostPromiseRejectionTracker(heap->runtime, quickjs_heap__on_rejection, heap);
    assert_int_equal(ubi_quickjs_attach(&heap->tools, heap->runtime, &heap->options), UBI_OK);
    heap->realm = JS_NewContext(heap->runtime);
    JS_SetContextOpaque(heap->realm, heap);
    heap->later = JS_NewArray(heap->realm);
    heap->rejected = JS_NewArray(heap->realm);
    quickjs_heap__define(heap, "print", quickjs_heap__print, 1);
    quickjs_heap__define(heap, "newGlobal", quickjs_heap__new_global, 0);
    quickjs_heap__define(heap, "evaluate", quickjs_heap__evaluate, 3);
    quickjs_heap__define(heap, "gc", quickjs_heap__gc, 0);
    quickjs_heap__define(heap, "later", quickjs_heap__later, 1);
    quickjs_heap__define(heap, "foreignHook", quickjs_heap__foreign_hook, 2);
    quickjs_heap__define(heap, "rejections", quickjs_heap__rejections, 0);
    assert_int_equal(ubi_quickjs_add_debugger(heap->tools, heap->realm), 0);
    quickjs_heap_run_file(heap, "tests/quickjs/prelude.js");
}

static inline void quickjs_heap_free_values(quickjs_heap *heap) {
    JS_FreeValue(heap->realm, heap->later);
    JS_FreeValue(heap->realm, heap->rejected);
    heap->later = heap->rejected = JS_UNDEFINED;
}

/** Ends everything in the order that the API asks for, and looks whether anything is left. */
static inline void quickjs_heap_close(quickjs_heap *heap) {
    quickjs_heap_free_values(heap);
    JS_FreeContext(heap->realm);
    JS_RunGC(heap->runtime);
    ubi_quickjs_detach(heap->tools);
    JS_FreeRuntime(heap->runtime);
    assert_int_equal(heap->block_count, 0);
}

#endif
