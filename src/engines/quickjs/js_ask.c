/* SPDX-License-Identifier: MIT
 *
 * js_ask.c: HeapSnapshot.ask, the questions of the command line for scripts.
 *
 *     snapshot.ask("dominators", { limit: 20 }).top[0].retainedSize
 *     before.ask("diff", { by: "class" }, [after]).byClass
 *
 * The answer is the document of `ubiheap dominators --json --limit 20`, as a value. What a question computes stays with the snapshot.
 */
#include <stdio.h>

#include <ubiheap/extension/ask.h>

#include "engines/quickjs/js_heap.h"
#include "engines/quickjs/js_text.h"

/* ---- snapshots as sessions ---------------------------------------------------------------------------------------- */

static ubi_status pool_need(ubi__js_realm *realm) {
    ubi_session_pool_options options = UBI_SESSION_POOL_OPTIONS_INIT;
    options.allocator = realm->allocator;
    realm->pool_unref = ubi_session_pool_unref;
    return realm->pool ? UBI_OK : ubi_session_pool_new(&realm->pool, &options);
}

/* In the pool of the realm: only heaps of one pool can be compared. */
static ubi_status session_need(ubi__js_realm *realm, ubi__js_snapshot *snapshot) {
    ubi_session_options options = UBI_SESSION_OPTIONS_INIT;
    char name[32] = "snapshot";
    if (snapshot->session)
        return UBI_OK;
    ubi_status status = pool_need(realm);
    if (status != UBI_OK)
        return status;
    if (realm->n_sessions > 0)
        snprintf(name, sizeof name, "snapshot %u", realm->n_sessions + 1);
    options.threads = ubi__js_threads(snapshot->allocator);
    status = ubi_session_open_graph(&snapshot->session, realm->pool, snapshot->graph, name, &options);
    realm->n_sessions += status == UBI_OK;
    return status;
}

/* More would be a mistake. */
#define MOST_HEAPS 100

/* What a question is asked about. A script can let go of any snapshot meanwhile, so sessions are held. */
typedef struct heap_list {
    ubi_session *at[MOST_HEAPS]; /* references at[n] */
    uint32_t n;
} heap_list;

/* 0, or -1 with a pending exception. */
static int heap_add(JSContext *ctx, heap_list *heaps, ubi__js_snapshot *snapshot) {
    ubi_status status = session_need(ubi__js_realm_of(ctx), snapshot);
    if (status != UBI_OK) {
        ubi__js_throw_failure(ctx, status, UBI__JS_ILLEGAL_VALUE);
        return -1;
    }
    heaps->at[heaps->n++] = ubi_session_ref(snapshot->session);
    return 0;
}

static int heap_add_at(JSContext *ctx, heap_list *heaps, JSValueConst array, uint32_t i) {
    JSValue value = JS_GetPropertyUint32(ctx, array, i);
    if (JS_IsException(value))
        return -1;
    ubi__js_snapshot *snapshot = ubi__js_opaque(value, UBI__JS_HEAP_SNAPSHOT);
    int result = snapshot ? heap_add(ctx, heaps, snapshot) : -1;
    if (!snapshot)
        JS_ThrowTypeError(ctx, "HeapSnapshot.ask: Element %u of argument 3 does not implement interface HeapSnapshot.",
                          i);
    JS_FreeValue(ctx, value);
    return result;
}

/* Those of an array. */
static int heaps_add(JSContext *ctx, heap_list *heaps, JSValueConst array) {
    uint32_t n = 0;
    if (JS_IsUndefined(array))
        return 0;
    JSValue length = JS_GetPropertyStr(ctx, array, "length");
    int result = JS_IsException(length) ? -1 : JS_ToUint32(ctx, &n, length);
    JS_FreeValue(ctx, length);
    if (!result && n >= MOST_HEAPS) {
        JS_ThrowRangeError(ctx, "HeapSnapshot.ask: Argument 3 has %u snapshots, expected less than %d", n, MOST_HEAPS);
        return -1;
    }
    for (uint32_t i = 0; !result && i < n; i++)
        result = heap_add_at(ctx, heaps, array, i);
    return result;
}

static void heaps_release(heap_list *heaps) {
    while (heaps->n > 0)
        ubi_session_unref(heaps->at[--heaps->n]);
}

/* ---- answers ------------------------------------------------------------------------------------------------------ */

/* What an answer is collected in, with the engine's memory. */
typedef struct collector {
    JSContext *ctx;
    ubi__js_text text;
} collector;

static bool answer_collect(void *payload, const void *data, size_t n_bytes) {
    collector *c = payload;
    return ubi__js_text_bytes(c->ctx, &c->text, data, n_bytes) == 0;
}

/* The engine's parser wants a zero at the end. */
static JSValue answer_value(collector *c) {
    size_t n = c->text.n;
    if (ubi__js_text_bytes(c->ctx, &c->text, "", 1))
        return JS_EXCEPTION;
    return JS_ParseJSON(c->ctx, c->text.at, n, "<answer>");
}

static JSValue question_ask(JSContext *ctx, const heap_list *heaps, const char *question, const char *parameters) {
    collector c = { .ctx = ctx };
    ubi_status status = ubi_ask_several(heaps->at, heaps->n, question, parameters, answer_collect, &c, NULL);
    JSValue value = JS_EXCEPTION; /* a refused write has thrown */
    if (status == UBI_OK)
        value = answer_value(&c);
    else if (status != UBI_EIO)
        ubi__js_throw_failure(ctx, status, UBI__JS_ILLEGAL_VALUE);
    ubi__js_text_fini(ctx, &c.text);
    return value;
}

static JSValue arguments_ask(JSContext *ctx, const heap_list *heaps, int argc, JSValueConst *argv) {
    JSValue json = argc > 1 ? JS_JSONStringify(ctx, argv[1], JS_UNDEFINED, JS_UNDEFINED) : JS_UNDEFINED;
    if (JS_IsException(json))
        return JS_EXCEPTION;
    const char *question = JS_ToCString(ctx, argv[0]);
    const char *parameters = JS_IsUndefined(json) ? NULL : JS_ToCString(ctx, json);
    bool is_ready = question && (parameters || JS_IsUndefined(json));
    JSValue value = is_ready ? question_ask(ctx, heaps, question, parameters) : JS_EXCEPTION;
    JS_FreeCString(ctx, question);
    JS_FreeCString(ctx, parameters);
    JS_FreeValue(ctx, json);
    return value;
}

JSValue ubi__js_ask(JSContext *ctx, ubi__js_snapshot *snapshot, int argc, JSValueConst *argv) {
    heap_list heaps = { .n = 0 };
    bool has_heaps = !heap_add(ctx, &heaps, snapshot) && !heaps_add(ctx, &heaps, argc > 2 ? argv[2] : JS_UNDEFINED);
    JSValue value = has_heaps ? arguments_ask(ctx, &heaps, argc, argv) : JS_EXCEPTION;
    heaps_release(&heaps);
    return value;
}

void ubi__js_ask_end(ubi__js_snapshot *snapshot) {
    ubi_session_unref(snapshot->session);
}
