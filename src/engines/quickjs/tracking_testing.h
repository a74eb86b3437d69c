/* SPDX-License-Identifier: MIT
 *
 * tracking_testing.h: a runtime with tools, scripts, and logs as plain rows; for the tests of tracking.
 */
#ifndef UBI_QUICKJS_TRACKING_TESTING_H
#define UBI_QUICKJS_TRACKING_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engines/quickjs/quickjs_tracking.h"

#define UNUSED_STATE(state) (void)(state)

typedef struct world {
    JSRuntime *rt;
    JSContext *ctx;
    ubi_quickjs *tools;
} world;

/** `options` may be NULL. */
static inline world world_open(const ubi_quickjs_options *options) {
    world w = { .rt = JS_NewRuntime() };
    assert_non_null(w.rt);
    JS_SetMaxStackSize(w.rt, 4 << 20); /* frames are large under a sanitizer */
    assert_int_equal(ubi_quickjs_attach(&w.tools, w.rt, options), UBI_OK);
    w.ctx = JS_NewContext(w.rt);
    assert_non_null(w.ctx);
    return w;
}

static inline void world_close(world *w) {
    ubi_quickjs_detach(w->tools);
    if (w->ctx)
        JS_FreeContext(w->ctx);
    JS_FreeRuntime(w->rt);
}

/** The value of a script; fails the test when it throws. */
static inline JSValue eval_value(JSContext *ctx, const char *file, const char *source) {
    JSValue value = JS_Eval(ctx, source, strlen(source), file, JS_EVAL_TYPE_GLOBAL);
    if (JS_IsException(value)) {
        JSValue error = JS_GetException(ctx);
        const char *text = JS_ToCString(ctx, error);
        fail_msg("%s: %s", file, text);
    }
    return value;
}

static inline void eval(JSContext *ctx, const char *file, const char *source) {
    JS_FreeValue(ctx, eval_value(ctx, file, source));
}

static inline JSValue global_value(JSContext *ctx, const char *name) {
    JSValue global = JS_GetGlobalObject(ctx);
    JSValue value = JS_GetPropertyStr(ctx, global, name);
    JS_FreeValue(ctx, global);
    return value;
}

/** An observer of one realm. */
static inline ubi_quickjs_observer *observe(world *w, JSContext *realm) {
    ubi_quickjs_observer *o;
    assert_int_equal(ubi_quickjs_observer_new(&o, w->tools), UBI_OK);
    if (realm)
        assert_int_equal(ubi_quickjs_observer_add_realm(o, realm), UBI_OK);
    return o;
}

static inline ubi_quickjs_observer *track(world *w, JSContext *realm) {
    ubi_quickjs_observer *o = observe(w, realm);
    assert_int_equal(ubi_quickjs_observer_set_tracking(o, true), UBI_OK);
    return o;
}

/** One logged allocation, copied. */
typedef struct row {
    bool has_frame, has_constructor, has_function;
    char class_name[32], constructor[48], function[48], file[48];
    uint32_t line, column, depth;
    uint64_t stack;
    double time_ms;
    uint64_t size;
} row;

typedef struct rows {
    row *at;
    uint32_t n, capacity;
    uint32_t stop_at; /* refuse the entry with this index; 0: none */
} rows;

static inline bool copy_text(char *to, size_t room, ubi_text text) {
    snprintf(to, room, "%.*s", (int)text.len, text.ptr ? text.ptr : "");
    return text.ptr != NULL;
}

static inline void describe_stack(row *r, ubi_stack stack) {
    ubi_frame frame;
    ubi_stack_frame(stack, &frame);
    r->has_function = copy_text(r->function, sizeof r->function, frame.function_name);
    assert_non_null(frame.source.ptr);
    copy_text(r->file, sizeof r->file, frame.source);
    r->line = frame.line;
    r->column = frame.column;
    r->stack = stack.ref;
    r->depth = 1;
    while (ubi_stack_parent(stack, &stack))
        r->depth++;
}

static inline bool take_row(void *payload, const ubi_quickjs_allocation *a) {
    rows *all = (rows *)payload;
    if (all->stop_at && all->n == all->stop_at)
        return false;
    if (all->n == all->capacity) {
        all->capacity = all->capacity ? 2 * all->capacity : 256;
        all->at = (row *)realloc(all->at, all->capacity * sizeof *all->at);
    }
    row *r = &all->at[all->n++];
    memset(r, 0, sizeof *r);
    r->has_frame = a->has_frame;
    r->time_ms = a->timestamp_ms;
    r->size = a->size_bytes;
    assert_true(copy_text(r->class_name, sizeof r->class_name, a->class_name));
    r->has_constructor = copy_text(r->constructor, sizeof r->constructor, a->constructor_name);
    if (a->has_frame) {
        assert_ptr_equal(a->frame.ops, ubi_quickjs_stack_ops());
        describe_stack(r, a->frame);
    }
    return true;
}

static inline rows drain(ubi_quickjs_observer *o) {
    rows all = { .at = NULL };
    assert_int_equal(ubi_quickjs_observer_drain(o, take_row, &all), UBI_OK);
    return all;
}

static inline void forget_log(ubi_quickjs_observer *o) {
    rows all = drain(o);
    free(all.at);
}

/** The index of the first entry from `from` on with this class at this line (0: any), or UBI_NONE. */
static inline uint32_t find_row(const rows *all, uint32_t from, const char *class_name, uint32_t line) {
    for (uint32_t i = from; i < all->n; i++)
        if (strcmp(all->at[i].class_name, class_name) == 0 && (line == 0 || all->at[i].line == line))
            return i;
    return UBI_NONE;
}

static inline const row *need_row(const rows *all, const char *class_name, uint32_t line) {
    uint32_t i = find_row(all, 0, class_name, line);
    if (i == UBI_NONE)
        fail_msg("no %s at line %u", class_name, (unsigned)line);
    return &all->at[i];
}

/** Where an object, a property of the global object, was allocated. */
static inline bool site_of(world *w, JSContext *ctx, const char *name, row *r) {
    JSValue value = global_value(ctx, name);
    assert_true(JS_IsObject(value));
    ubi_stack stack;
    bool has_frame = false;
    bool tracked = ubi_quickjs_allocation_site(w->tools, value, &has_frame, &stack);
    memset(r, 0, sizeof *r);
    r->has_frame = tracked && has_frame;
    if (r->has_frame)
        describe_stack(r, stack);
    JS_FreeValue(ctx, value);
    return tracked;
}

#endif
