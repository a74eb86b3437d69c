/* SPDX-License-Identifier: MIT
 *
 * js_saved_frame.c: making SavedFrames from stacks, and what scripts can ask of them.
 *
 * A frame is found again by its parent's object and its content. Texts are the engine's own unique strings (atoms), so that
 * content is compared by number and a thousand frames of a file hold its name once.
 *
 * Source: mozilla-central js/src/vm/SavedStacks.cpp.
 */
#include "engines/quickjs/js_saved_frame.h"

#include "engines/quickjs/js_errors.h"
#include "engines/quickjs/js_text.h"

typedef struct saved_frame {
    ubi__js_realm *realm;
    uint32_t hash;
    JSAtom source_atom, name_atom; /* numbers to compare, good as long as the strings below; no name: JS_ATOM_NULL */
    JSValue source, name;          /* string; string or null */
    JSValue parent;                /* SavedFrame or null */
    uint32_t line, column;
} saved_frame;

static void saved_frame_finalize(JSRuntime *runtime, JSValue value) {
    saved_frame *frame = ubi__js_opaque(value, UBI__JS_SAVED_FRAME);
    if (!frame)
        return;
    ubi__js_realm *realm = frame->realm;
    ubi__weak_table_forget(&realm->frames, frame->hash, value);
    JS_FreeValueRT(runtime, frame->source);
    JS_FreeValueRT(runtime, frame->name);
    JS_FreeValueRT(runtime, frame->parent);
    realm->allocator->free(realm->allocator->ctx, frame, sizeof *frame);
    ubi__js_realm_unref(realm);
}

static void saved_frame_mark(JSRuntime *rt, JSValueConst value, JS_MarkFunc *mark_func) {
    saved_frame *frame = ubi__js_opaque(value, UBI__JS_SAVED_FRAME);
    if (!frame)
        return;
    JS_MarkValue(rt, frame->source, mark_func);
    JS_MarkValue(rt, frame->name, mark_func);
    JS_MarkValue(rt, frame->parent, mark_func);
}

const JSClassDef ubi__saved_frame_class = { .class_name = "SavedFrame",
                                            .finalizer = saved_frame_finalize,
                                            .gc_mark = saved_frame_mark };

/* ---- making ------------------------------------------------------------------------------------------------------ */

/** What one looks for: a frame whose parent object is known. */
typedef struct wanted_frame {
    JSAtom source_atom, name_atom; /* owned by who fills it */
    JSValueConst parent;
    uint32_t line, column;
} wanted_frame;

static void *object_of(JSValueConst value) {
    return JS_IsObject(value) ? JS_VALUE_GET_PTR(value) : NULL;
}

static uint32_t hash_of(const wanted_frame *w) {
    uint64_t key = (uintptr_t)object_of(w->parent);
    key = ubi__weak_hash(key) ^ (uint64_t)w->source_atom << 32 ^ w->name_atom;
    key = ubi__weak_hash(key) ^ (uint64_t)w->line << 32 ^ w->column;
    return ubi__weak_hash(key);
}

static bool saved_frame_matches(void *payload, JSValueConst object) {
    const wanted_frame *w = payload;
    const saved_frame *f = ubi__js_opaque(object, UBI__JS_SAVED_FRAME);
    return f->source_atom == w->source_atom && f->name_atom == w->name_atom && f->line == w->line &&
           f->column == w->column && object_of(f->parent) == object_of(w->parent);
}

/** Fills a frame's values. False: an exception is pending, and whatever was filled stays. */
static bool saved_frame_fill(JSContext *ctx, saved_frame *frame, const wanted_frame *w) {
    frame->source_atom = w->source_atom;
    frame->name_atom = w->name_atom;
    frame->line = w->line;
    frame->column = w->column;
    frame->parent = JS_DupValue(ctx, w->parent);
    frame->source = JS_AtomToString(ctx, w->source_atom);
    if (w->name_atom != JS_ATOM_NULL)
        frame->name = JS_AtomToString(ctx, w->name_atom);
    return !JS_IsException(frame->source) && !JS_IsException(frame->name);
}

static JSValue new_frame(JSContext *ctx, ubi__js_realm *realm, const wanted_frame *w, uint32_t hash) {
    JSValue object = JS_NewObjectClass(ctx, (int)ubi__js_class_id(UBI__JS_SAVED_FRAME));
    if (JS_IsException(object))
        return object;
    saved_frame *frame = realm->allocator->alloc(realm->allocator->ctx, sizeof *frame);
    if (!frame) {
        JS_FreeValue(ctx, object);
        return JS_ThrowOutOfMemory(ctx);
    }
    *frame = (saved_frame){ .realm = ubi__js_realm_ref(realm), .hash = hash };
    frame->source = frame->name = frame->parent = JS_NULL;
    JS_SetOpaque(object, frame);
    if (saved_frame_fill(ctx, frame, w) && JS_PreventExtensions(ctx, object) >= 0) {
        if (ubi__weak_table_add(&realm->frames, realm->allocator, hash, object) == UBI_OK)
            return object;
        JS_ThrowOutOfMemory(ctx);
    }
    JS_FreeValue(ctx, object);
    return JS_EXCEPTION;
}

/** The SavedFrame of one frame below a parent, which is taken. */
static JSValue frame_below(JSContext *ctx, ubi__js_realm *realm, JSValue parent, ubi_stack stack) {
    ubi_frame facts;
    ubi_stack_frame(stack, &facts);
    wanted_frame w = { .parent = parent, .line = facts.line, .column = facts.column };
    w.source_atom = JS_NewAtomLen(ctx, facts.source.ptr, facts.source.len);
    if (facts.function_name.ptr)
        w.name_atom = JS_NewAtomLen(ctx, facts.function_name.ptr, facts.function_name.len);
    JSValue found = JS_EXCEPTION;
    if (w.source_atom != JS_ATOM_NULL && (!facts.function_name.ptr || w.name_atom != JS_ATOM_NULL)) {
        uint32_t hash = hash_of(&w);
        found = ubi__weak_table_lookup(ctx, &realm->frames, hash, saved_frame_matches, &w);
        if (JS_IsUndefined(found))
            found = new_frame(ctx, realm, &w, hash);
    }
    JS_FreeAtom(ctx, w.source_atom);
    JS_FreeAtom(ctx, w.name_atom);
    JS_FreeValue(ctx, parent);
    return found;
}

#define FRAMES_AT_HAND 64

/** Frames from the youngest on: in `at_hand` if they fit, else in an array of *n to free. NULL: no memory. */
static ubi_stack *list_frames(const ubi_allocator *allocator, ubi_stack stack, ubi_stack *at_hand, size_t *n) {
    ubi_stack step = stack;
    size_t count = 1;
    at_hand[0] = stack;
    while (ubi_stack_parent(step, &step)) {
        if (count < FRAMES_AT_HAND)
            at_hand[count] = step;
        count++;
    }
    *n = count;
    if (count <= FRAMES_AT_HAND)
        return at_hand;
    ubi_stack *list = allocator->alloc(allocator->ctx, count * sizeof *list);
    if (list) {
        list[0] = stack;
        for (size_t i = 1; i < count; i++)
            ubi_stack_parent(list[i - 1], &list[i]);
    }
    return list;
}

JSValue ubi__saved_frame_of(JSContext *ctx, ubi_stack stack) {
    ubi__js_realm *realm = ubi__js_realm_of(ctx);
    ubi_stack at_hand[FRAMES_AT_HAND];
    size_t n;
    ubi_stack *list = list_frames(realm->allocator, stack, at_hand, &n);
    if (!list)
        return JS_ThrowOutOfMemory(ctx);
    JSValue frame = JS_NULL;
    for (size_t i = n; i > 0 && !JS_IsException(frame); i--)
        frame = frame_below(ctx, realm, frame, list[i - 1]);
    if (list != at_hand)
        realm->allocator->free(realm->allocator->ctx, list, n * sizeof *list);
    return frame;
}

/* ---- what scripts can ask ---------------------------------------------------------------------------------------- */

static saved_frame *this_frame(JSContext *ctx, JSValueConst this_value, const char *method) {
    return ubi__js_this(ctx, this_value, UBI__JS_SAVED_FRAME, "SavedFrame", method);
}

static JSValue get_source(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    saved_frame *frame = this_frame(ctx, this_value, "(get source)");
    return frame ? JS_DupValue(ctx, frame->source) : JS_EXCEPTION;
}

static JSValue get_line(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    saved_frame *frame = this_frame(ctx, this_value, "(get line)");
    return frame ? JS_NewUint32(ctx, frame->line) : JS_EXCEPTION;
}

static JSValue get_column(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    saved_frame *frame = this_frame(ctx, this_value, "(get column)");
    return frame ? JS_NewUint32(ctx, frame->column) : JS_EXCEPTION;
}

static JSValue get_name(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    saved_frame *frame = this_frame(ctx, this_value, "(get functionDisplayName)");
    return frame ? JS_DupValue(ctx, frame->name) : JS_EXCEPTION;
}

/** The engine does not report what scheduled a job. */
static JSValue get_async_cause(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    return this_frame(ctx, this_value, "(get asyncCause)") ? JS_NULL : JS_EXCEPTION;
}

static JSValue get_async_parent(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    return this_frame(ctx, this_value, "(get asyncParent)") ? JS_NULL : JS_EXCEPTION;
}

static JSValue get_parent(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    saved_frame *frame = this_frame(ctx, this_value, "(get parent)");
    return frame ? JS_DupValue(ctx, frame->parent) : JS_EXCEPTION;
}

/** "name@source:line:column\n". 0, or -1 with a pending exception. */
static int append_line(JSContext *ctx, ubi__js_text *text, const saved_frame *frame) {
    bool failed = (!JS_IsNull(frame->name) && ubi__js_text_value(ctx, text, frame->name)) ||
                  ubi__js_text_words(ctx, text, "@") || ubi__js_text_value(ctx, text, frame->source) ||
                  ubi__js_text_words(ctx, text, ":") || ubi__js_text_number(ctx, text, frame->line) ||
                  ubi__js_text_words(ctx, text, ":") || ubi__js_text_number(ctx, text, frame->column) ||
                  ubi__js_text_words(ctx, text, "\n");
    return failed ? -1 : 0;
}

static JSValue to_string(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    saved_frame *frame = this_frame(ctx, this_value, "toString");
    if (!frame)
        return JS_EXCEPTION;
    ubi__js_text text = { 0 };
    int failed = 0;
    for (; frame && !failed; frame = ubi__js_opaque(frame->parent, UBI__JS_SAVED_FRAME))
        failed = append_line(ctx, &text, frame);
    JSValue result = failed ? JS_EXCEPTION : JS_NewStringLen(ctx, text.at, text.n);
    ubi__js_text_fini(ctx, &text);
    return result;
}

static JSValue saved_frame_construct(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value, (void)argc, (void)argv;
    return ubi__js_throw(ctx, UBI__JS_TYPE_ERROR, "SavedFrame has no constructor");
}

static const ubi__js_accessor accessors[] = {
    { "source", get_source, NULL },          { "line", get_line, NULL },
    { "column", get_column, NULL },          { "functionDisplayName", get_name, NULL },
    { "asyncCause", get_async_cause, NULL }, { "asyncParent", get_async_parent, NULL },
    { "parent", get_parent, NULL },          { NULL, NULL, NULL },
};
static const ubi__js_method methods[] = { { "toString", to_string }, { NULL, NULL } };

int ubi__saved_frame_init(JSContext *ctx) {
    JSValue constructor = ubi__js_new_constructor(ctx, UBI__JS_SAVED_FRAME, "SavedFrame", 0, saved_frame_construct);
    if (JS_IsException(constructor))
        return -1;
    JSValue prototype = JS_GetClassProto(ctx, ubi__js_class_id(UBI__JS_SAVED_FRAME));
    int result = JS_DefinePropertyValueStr(ctx, prototype, "constructor", constructor, 0) < 0 ? -1 : 0;
    if (!result)
        result = ubi__js_define_accessors(ctx, prototype, accessors, 0);
    if (!result)
        result = ubi__js_define_methods(ctx, prototype, methods, 0);
    if (!result)
        result = JS_PreventExtensions(ctx, prototype) < 0 ? -1 : 0;
    JS_FreeValue(ctx, prototype);
    return result;
}
