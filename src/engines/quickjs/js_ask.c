/* SPDX-License-Identifier: MIT
 *
 * js_ask.c: HeapSnapshot.ask, the questions of the command line for scripts.
 *
 *     snapshot.ask("dominators", { limit: 20 }).top[0].retainedSize
 *
 * The answer is the document of `ubiheap dominators --json --limit 20`, as a value. What a question computes stays with the snapshot.
 */
#include <ubiheap/extension/ask.h>

#include "engines/quickjs/js_heap.h"
#include "engines/quickjs/js_text.h"

static ubi_status session_need(ubi__js_snapshot *snapshot) {
    ubi_session_pool_options pool_options = UBI_SESSION_POOL_OPTIONS_INIT;
    ubi_session_options options = UBI_SESSION_OPTIONS_INIT;
    ubi_session_pool *pool;
    if (snapshot->session)
        return UBI_OK;
    pool_options.allocator = snapshot->allocator;
    options.threads = ubi__js_threads(snapshot->allocator);
    ubi_status status = ubi_session_pool_new(&pool, &pool_options);
    if (status != UBI_OK)
        return status;
    status = ubi_session_open_graph(&snapshot->session, pool, snapshot->graph, "snapshot", &options);
    ubi_session_pool_unref(pool); /* the session has it */
    return status;
}

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

static JSValue question_ask(JSContext *ctx, ubi__js_snapshot *snapshot, const char *question, const char *parameters) {
    collector c = { .ctx = ctx };
    ubi_status status = session_need(snapshot);
    if (status == UBI_OK)
        status = ubi_ask(snapshot->session, question, parameters, answer_collect, &c, NULL);
    JSValue value = JS_EXCEPTION; /* a refused write has thrown */
    if (status == UBI_OK)
        value = answer_value(&c);
    else if (status != UBI_EIO)
        ubi__js_throw_failure(ctx, status, UBI__JS_ILLEGAL_VALUE);
    ubi__js_text_fini(ctx, &c.text);
    return value;
}

JSValue ubi__js_ask(JSContext *ctx, ubi__js_snapshot *snapshot, int argc, JSValueConst *argv) {
    JSValue json = argc > 1 ? JS_JSONStringify(ctx, argv[1], JS_UNDEFINED, JS_UNDEFINED) : JS_UNDEFINED;
    if (JS_IsException(json))
        return JS_EXCEPTION;
    const char *question = JS_ToCString(ctx, argv[0]);
    const char *parameters = JS_IsUndefined(json) ? NULL : JS_ToCString(ctx, json);
    bool is_ready = question && (parameters || JS_IsUndefined(json));
    JSValue value = is_ready ? question_ask(ctx, snapshot, question, parameters) : JS_EXCEPTION;
    JS_FreeCString(ctx, question);
    JS_FreeCString(ctx, parameters);
    JS_FreeValue(ctx, json);
    return value;
}

void ubi__js_ask_end(ubi__js_snapshot *snapshot) {
    ubi_session_unref(snapshot->session);
}
