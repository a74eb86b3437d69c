/* SPDX-License-Identifier: MIT
 *
 * js_console.c: see js_console.h.
 *
 * Results live until the next call with their console; what a message or a property has lives during the callback, in lists of their own,
 * so that a callback may ask the console about values.
 */
#include "engines/quickjs/js_console.h"

#include <string.h>
#include <time.h>

#include "base/assert.h"
#include "engines/quickjs/js_complete.h"
#include "engines/quickjs/js_facts.h"
#include "engines/quickjs/js_properties.h"
#include "engines/quickjs/js_values.h"
#include "tracking/tool_memory.h"

#define EVALUATED_FILE "debugger eval code" /* as Firefox calls it */

typedef struct ubi__js_console {
    struct ubi__js_console *next; /* of these tools */
    ubi_quickjs *tools;
    const ubi_quickjs_scope *scope; /* NULL: everything */
    ubi_console_listener listener;
    ubi__js_values values;
    ubi__js_texts texts; /* of the last result */
    ubi__js_run *runs;   /* that are not over, the innermost first */
} console;

static const ubi_allocator *console_allocator(const console *c) {
    return ubi__tools_allocator(c->tools);
}

/* ---- opening and closing -------------------------------------------------------------------------------------------- */

static void console_unlink(console *c) {
    console **at = ubi__tools_consoles(c->tools);
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
}

static void console_close(void *payload) {
    console *c = (console *)payload;
    const ubi_allocator *allocator = console_allocator(c);
    console_unlink(c);
    ubi__js_values_fini(&c->values);
    ubi__js_texts_clear(&c->texts);
    ubi__tool_free(allocator, c, 1, sizeof *c);
}

void ubi__close_consoles(ubi_quickjs *tools) {
    while (*ubi__tools_consoles(tools))
        console_close(*ubi__tools_consoles(tools));
}

/* ---- what is asked of a value --------------------------------------------------------------------------------------- */

/* What describes into the results of this call, after those of the last are gone. Errors: UBI_ESTATE. */
static ubi_status console_begin(ubi__js_describer *out, console *c) {
    *out = (ubi__js_describer){ ubi__scope_realm(c->tools, c->scope), &c->values, &c->texts };
    if (!out->ctx)
        return ubi_error(UBI_ESTATE, "the realm of this console is gone");
    ubi__js_texts_clear(&c->texts);
    return UBI_OK;
}

static ubi_status console_begin_with(ubi__js_describer *d, JSValueConst *value, console *c, ubi_value_handle handle) {
    ubi_status status = console_begin(d, c);
    return status == UBI_OK ? ubi__js_values_find(value, &c->values, handle) : status;
}

static ubi_status console_begin_with_object(ubi__js_describer *d, JSValueConst *object, console *c,
                                            ubi_value_handle handle) {
    ubi_status status = console_begin_with(d, object, c, handle);
    if (status == UBI_OK && !JS_IsObject(*object))
        return ubi_error(UBI_ENOTFOUND, "the value with the number %llu is not an object", (unsigned long long)handle);
    return status;
}

static ubi_status console_describe(void *payload, ubi_value_handle handle, ubi_object_description *out) {
    ubi__js_describer d;
    JSValueConst object = JS_UNDEFINED;
    ubi_status status = console_begin_with_object(&d, &object, (console *)payload, handle);
    return status == UBI_OK ? ubi__js_describe_object(&d, object, out) : status;
}

/* What a listing works with. `fn` may release the object, and ask for other results meanwhile: both are its own. */
typedef struct listing {
    ubi__js_describer d;
    ubi__js_texts texts;
    JSValue object;
} listing;

static ubi_status listing_begin(listing *l, console *c, ubi_value_handle handle) {
    JSValueConst object = JS_UNDEFINED;
    l->texts = (ubi__js_texts){ .allocator = console_allocator(c) };
    ubi_status status = console_begin_with_object(&l->d, &object, c, handle);
    if (status != UBI_OK)
        return status;
    l->d.texts = &l->texts;
    l->object = JS_DupValue(l->d.ctx, object);
    return UBI_OK;
}

static void listing_end(listing *l) {
    JS_FreeValue(l->d.ctx, l->object);
    ubi__js_texts_clear(&l->texts);
}

static ubi_status console_properties(void *payload, ubi_value_handle handle, uint32_t selection, uint64_t first,
                                     uint64_t count, ubi_property_fn fn, void *fn_payload, uint64_t *total) {
    listing l;
    ubi_status status = listing_begin(&l, (console *)payload, handle);
    if (status != UBI_OK)
        return status;
    status = ubi__js_describe_properties(&l.d, l.object, selection, first, count, fn, fn_payload, total);
    listing_end(&l);
    return status;
}

static ubi_status console_entries(void *payload, ubi_value_handle handle, uint64_t first, uint64_t count,
                                  ubi_entry_fn fn, void *fn_payload, uint64_t *total) {
    listing l;
    ubi_status status = listing_begin(&l, (console *)payload, handle);
    if (status != UBI_OK)
        return status;
    status = ubi__js_describe_entries(&l.d, l.object, first, count, fn, fn_payload, total);
    listing_end(&l);
    return status;
}

static ubi_status console_slots(void *payload, ubi_value_handle handle, ubi_object_slots *out) {
    ubi__js_describer d;
    JSValueConst object = JS_UNDEFINED;
    ubi_status status = console_begin_with_object(&d, &object, (console *)payload, handle);
    return status == UBI_OK ? ubi__js_describe_slots(&d, object, out) : status;
}

static ubi_status console_prototype(void *payload, ubi_value_handle handle, ubi_value *out) {
    ubi__js_describer d;
    JSValueConst object = JS_UNDEFINED;
    ubi_status status = console_begin_with_object(&d, &object, (console *)payload, handle);
    if (status != UBI_OK)
        return status;
    JSValue prototype = ubi__js_prototype(d.ctx, object);
    status = ubi__js_describe_value(&d, prototype, out);
    JS_FreeValue(d.ctx, prototype);
    return status;
}

static ubi_status console_substring(void *payload, ubi_value_handle handle, uint64_t first, uint64_t end,
                                    ubi_text *out) {
    ubi__js_describer d;
    JSValueConst string = JS_UNDEFINED;
    ubi_status status = console_begin_with(&d, &string, (console *)payload, handle);
    if (status != UBI_OK)
        return status;
    if (!JS_IsString(string))
        return ubi_error(UBI_ENOTFOUND, "the value with the number %llu is not a string", (unsigned long long)handle);
    return ubi__js_texts_add_units(out, d.texts, d.ctx, string, first, end, NULL);
}

static ubi_status console_release(void *payload, ubi_value_handle handle) {
    return ubi__js_values_release(&((console *)payload)->values, handle);
}

/* ---- runs of code --------------------------------------------------------------------------------------------------- */

static void console_begin_run(console *c, ubi__js_run *run) {
    ubi__js_run_begin(run, c->tools);
    run->outer = c->runs;
    c->runs = run;
}

static void console_end_run(console *c, ubi__js_run *run) {
    c->runs = run->outer;
    ubi__js_run_end(run);
}

static void console_stop(void *payload) {
    for (ubi__js_run *run = ((console *)payload)->runs; run; run = run->outer)
        run->must_stop = true;
}

/* ---- evaluating ----------------------------------------------------------------------------------------------------- */

/* Clients wrap what is typed in a call with `window`. True: it was not there, and is now. */
static bool window_define(JSContext *ctx, JSValueConst global) {
    JSAtom name = JS_NewAtom(ctx, "window");
    int there = name == JS_ATOM_NULL || ubi__js_is_proxy(ctx, global) ? 1 : JS_HasProperty(ctx, global, name);
    bool is_defined = there == 0 && JS_DefinePropertyValue(ctx, global, name, JS_DupValue(ctx, global),
                                                           JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE) > 0;
    if (there < 0)
        ubi__js_forget(ctx);
    JS_FreeAtom(ctx, name);
    return is_defined;
}

static void window_remove(JSContext *ctx, JSValueConst global) {
    JSAtom name = JS_NewAtom(ctx, "window");
    if (name == JS_ATOM_NULL || JS_DeleteProperty(ctx, global, name, 0) < 0)
        ubi__js_forget(ctx);
    JS_FreeAtom(ctx, name);
}

/* The value of a text, or what it threw. */
static JSValue evaluate_text(JSContext *ctx, const char *text, size_t n, bool *has_thrown) {
    JSValue global = JS_GetGlobalObject(ctx);
    bool with_window = window_define(ctx, global);
    JSValue value = JS_Eval(ctx, text, n, EVALUATED_FILE, JS_EVAL_TYPE_GLOBAL);
    *has_thrown = JS_IsException(value);
    if (*has_thrown)
        value = JS_GetException(ctx);
    if (with_window)
        window_remove(ctx, global);
    JS_FreeValue(ctx, global);
    return value;
}

static ubi_status console_describe_thrown(const ubi__js_describer *d, JSValueConst thrown, ubi_evaluation *out) {
    ubi__js_thrown facts;
    ubi_status status = ubi__js_describe_thrown(d, thrown, &facts);
    out->message = facts.message;
    out->source = facts.source;
    out->line = facts.line;
    out->column = facts.column;
    out->frames = facts.frames;
    out->frame_count = facts.frame_count;
    return status;
}

/* A value, or what was thrown; it is taken. */
static ubi_status console_describe_result(const ubi__js_describer *d, JSValue value, ubi_evaluation *out) {
    ubi_status status = ubi__js_describe_value(d, value, &out->value);
    if (status == UBI_OK && out->has_thrown)
        status = console_describe_thrown(d, value, out);
    if (status != UBI_OK)
        ubi__js_drop_value(d, &out->value);
    JS_FreeValue(d->ctx, value);
    return status;
}

static JSValue read_property(JSContext *ctx, JSValueConst object, ubi_text name, JSValueConst receiver,
                             bool *has_thrown) {
    JSAtom atom = JS_NewAtomLen(ctx, name.ptr, name.len);
    JSValue value = atom == JS_ATOM_NULL ? JS_EXCEPTION : ubi__js_read(ctx, object, atom, receiver);
    JS_FreeAtom(ctx, atom);
    *has_thrown = JS_IsException(value);
    return *has_thrown ? JS_GetException(ctx) : value;
}

/* What a getter runs may release the values, and end the realm. */
static ubi_status console_get(void *payload, ubi_value_handle handle, ubi_text name, ubi_value_handle receiver,
                              ubi_evaluation *out) {
    console *c = (console *)payload;
    ubi__js_describer d;
    JSValueConst object = JS_UNDEFINED, self = JS_UNDEFINED;
    *out = (ubi_evaluation)UBI_EVALUATION_INIT;
    ubi_status status = console_begin_with_object(&d, &object, c, handle);
    if (status == UBI_OK)
        status = ubi__js_values_find(&self, &c->values, receiver ? receiver : handle);
    if (status != UBI_OK)
        return status;
    JSContext *ctx = JS_DupContext(d.ctx);
    JSValue kept = JS_DupValue(ctx, object), kept_self = JS_DupValue(ctx, self);
    ubi__js_run run;
    console_begin_run(c, &run);
    JSValue value = read_property(ctx, kept, name, kept_self, &out->has_thrown);
    console_end_run(c, &run);
    status = console_describe_result(&d, value, out);
    JS_FreeValue(ctx, kept);
    JS_FreeValue(ctx, kept_self);
    JS_FreeContext(ctx);
    return status;
}

/* The text needs a 0 after it. */
static ubi_status console_evaluate(void *payload, ubi_text text, bool is_eager, ubi_evaluation *out) {
    console *c = (console *)payload;
    ubi__js_describer d;
    ubi_status status = console_begin(&d, c);
    *out = (ubi_evaluation)UBI_EVALUATION_INIT;
    if (status != UBI_OK || is_eager)
        return status;
    char *code = (char *)ubi__tool_calloc(console_allocator(c), text.len + 1, 1);
    if (!code)
        return ubi_error(UBI_ENOMEM, "not enough memory to evaluate a text");
    if (text.len)
        memcpy(code, text.ptr, text.len);
    JSContext *ctx = JS_DupContext(d.ctx); /* the text may end its own realm */
    ubi__js_run run;
    console_begin_run(c, &run);
    JSValue value = evaluate_text(ctx, code, text.len, &out->has_thrown);
    console_end_run(c, &run);
    ubi__tool_free(console_allocator(c), code, text.len + 1, 1);
    status = console_describe_result(&d, value, out);
    JS_FreeContext(ctx);
    return status;
}

/* ---- messages ------------------------------------------------------------------------------------------------------- */

#define MOST_ARGUMENTS 64

static double time_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Whose stack is shown. */
static bool level_has_frames(ubi_console_level level) {
    return level == UBI_CONSOLE_WARN || level == UBI_CONSOLE_ERROR || level == UBI_CONSOLE_TRACE ||
           level == UBI_CONSOLE_ASSERT || level == UBI_CONSOLE_UNCAUGHT;
}

static ubi_status message_describe(ubi_console_message *m, const ubi__js_describer *d, ubi_value *values,
                                   JSValueConst *arguments) {
    ubi__js_thrown place;
    ubi_status status = m->level == UBI_CONSOLE_UNCAUGHT ? ubi__js_describe_thrown(d, arguments[0], &place)
                                                         : ubi__js_describe_place(d, &place);
    for (uint32_t i = 0; i < m->n_arguments && status == UBI_OK; i++)
        status = ubi__js_describe_value(d, arguments[i], &values[i]);
    if (m->level == UBI_CONSOLE_UNCAUGHT)
        m->text = place.message;
    m->source = place.source;
    m->line = place.line;
    m->column = place.column;
    if (level_has_frames(m->level)) {
        m->frames = place.frames;
        m->frame_count = place.frame_count;
    }
    return status;
}

/* Without memory for it, the message is not heard. */
static void console_hear(console *c, JSContext *ctx, const ubi_console_message *said, JSValueConst *arguments) {
    ubi__js_texts texts = { .allocator = console_allocator(c) };
    const ubi__js_describer d = { ctx, &c->values, &texts };
    ubi_value values[MOST_ARGUMENTS];
    ubi_console_message message = *said;
    message.arguments = values;
    memset(values, 0, sizeof values);
    if (message_describe(&message, &d, values, arguments) == UBI_OK)
        c->listener.on_message(c->listener.payload, &message);
    else
        for (uint32_t i = 0; i < message.n_arguments; i++)
            ubi__js_drop_value(&d, &values[i]);
    ubi__js_texts_clear(&texts);
}

static void consoles_hear(ubi_quickjs *tools, JSContext *ctx, ubi_console_message *message, int n,
                          JSValueConst *arguments) {
    if (!*ubi__tools_consoles(tools))
        return;
    message->n_arguments = n < 0 ? 0 : n < MOST_ARGUMENTS ? (uint32_t)n : MOST_ARGUMENTS;
    message->time_ms = time_ms();
    for (console *c = *ubi__tools_consoles(tools), *next; c; c = next) {
        next = c->next;
        if (c->listener.on_message && ubi__scope_includes(c->scope, ctx))
            console_hear(c, ctx, message, arguments);
    }
}

void ubi_quickjs_console_message(ubi_quickjs *tools, JSContext *realm, ubi_console_level level, int n,
                                 JSValueConst *arguments) {
    ubi_console_message message = { .level = level };
    UBI_ASSERT(level != UBI_CONSOLE_UNCAUGHT && level < UBI_CONSOLE_COUNT);
    consoles_hear(tools, realm, &message, n, arguments);
}

void ubi_quickjs_console_label_message(ubi_quickjs *tools, JSContext *realm, ubi_console_level level,
                                       const ubi_quickjs_console_label *label, int n, JSValueConst *arguments) {
    ubi_console_message message = { .level = level,
                                    .label = { label->text, strlen(label->text) },
                                    .count = label->count,
                                    .duration_ms = label->duration_ms,
                                    .is_misplaced = label->is_misplaced };
    UBI_ASSERT(level >= UBI_CONSOLE_COUNT);
    consoles_hear(tools, realm, &message, n, arguments);
}

void ubi_quickjs_uncaught_error(ubi_quickjs *tools, JSContext *realm, JSValueConst thrown) {
    ubi_console_message message = { .level = UBI_CONSOLE_UNCAUGHT };
    consoles_hear(tools, realm, &message, 1, &thrown);
}

/* ---- completions ---------------------------------------------------------------------------------------------------- */

static ubi_status console_complete(void *payload, ubi_text text, ubi_completion_fn fn, void *fn_payload,
                                   ubi_completion *out) {
    ubi__js_describer d;
    ubi_status status = console_begin(&d, (console *)payload);
    if (status == UBI_OK)
        ubi__js_complete(d.ctx, text, fn, fn_payload, out);
    return status;
}

/* ---- as a target hands it out --------------------------------------------------------------------------------------- */

static const ubi_console_ops console_ops = { .version = UBI_CONSOLE_OPS_VERSION,
                                             .close = console_close,
                                             .evaluate = console_evaluate,
                                             .describe = console_describe,
                                             .properties = console_properties,
                                             .prototype = console_prototype,
                                             .substring = console_substring,
                                             .release = console_release,
                                             .entries = console_entries,
                                             .slots = console_slots,
                                             .get = console_get,
                                             .stop = console_stop,
                                             .complete = console_complete };

ubi_status ubi__js_console_open(ubi_console *out, ubi_quickjs *tools, const ubi_quickjs_scope *scope,
                                const ubi_console_listener *listener) {
    ubi_status status = ubi__scope_belongs(scope, tools);
    if (status != UBI_OK)
        return status;
    const ubi_allocator *allocator = ubi__tools_allocator(tools);
    console *c = (console *)ubi__tool_calloc(allocator, 1, sizeof *c);
    if (!c)
        return ubi_error(UBI_ENOMEM, "not enough memory for a console");
    c->tools = tools;
    c->scope = scope;
    if (listener)
        c->listener = *listener;
    c->values = (ubi__js_values){ .allocator = allocator, .runtime = ubi__tools_runtime(tools) };
    c->texts.allocator = allocator;
    c->next = *ubi__tools_consoles(tools);
    *ubi__tools_consoles(tools) = c;
    *out = (ubi_console){ &console_ops, c };
    return UBI_OK;
}
