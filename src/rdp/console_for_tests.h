/* SPDX-License-Identifier: MIT
 *
 * console_for_tests.h: a console of nothing but drawn values, which knows what is held: releasing twice, and asking about what is not held,
 * fails a promise. Who includes it has `require` of fuzz_pieces.h.
 *
 * The first byte of a text says what evaluating it gives: `o` an object, `a` an array, `e` an error, `f` a function, and so on for all
 * kinds (drawn_object_kind); `s` a symbol, `l` a string that was cut, `b` a big integer, `n` NaN, `t` an error that is thrown; `M` and `U`
 * make the program say something first.
 */
#ifndef UBI_RDP_CONSOLE_FOR_TESTS_H
#define UBI_RDP_CONSOLE_FOR_TESTS_H

#include <math.h>

#include <ubiheap/extension/console.h>

#include "base/alloc.h"
#include "base/text.h"

#define DRAWN_PROPERTIES 3

typedef struct drawn_console {
    ubi_console_listener listener;
    ubi__vec_u8 kinds; /* of values, by handle - 1; 0: released */
} drawn_console;

static ubi_status drawn_value(drawn_console *c, char kind, ubi_value *out) {
    static const char held[] = "oaefsxdrmkwhpuvl";
    *out = (ubi_value){ .kind = UBI_VALUE_UNDEFINED };
    if (kind == 'n')
        *out = (ubi_value){ .kind = UBI_VALUE_NUMBER, .number = NAN };
    else if (kind == 'b')
        *out = (ubi_value){ .kind = UBI_VALUE_BIG_INT, .text = ubi__text("7") };
    else if (kind && strchr(held, kind)) {
        if (ubi__vec_u8_push(&c->kinds, ubi_allocator_default(), (uint8_t)kind) != UBI_OK)
            return ubi__fail_nomem();
        out->handle = c->kinds.n;
        out->kind = kind == 's' ? UBI_VALUE_SYMBOL : kind == 'l' ? UBI_VALUE_STRING : UBI_VALUE_OBJECT;
        out->text = ubi__text("words");
        out->length_units = 20000;
    }
    return UBI_OK;
}

static char drawn_kind(const drawn_console *c, ubi_value_handle handle) {
    require(handle > 0 && handle <= c->kinds.n && c->kinds.at[handle - 1], "a value is asked about that is not held");
    return (char)c->kinds.at[handle - 1];
}

static ubi_status drawn_release(void *payload, ubi_value_handle handle) {
    drawn_console *c = payload;
    (void)drawn_kind(c, handle);
    c->kinds.at[handle - 1] = 0;
    return UBI_OK;
}

/* Says something of each kind: by the second byte of a text. */
static void drawn_say(drawn_console *c, ubi_console_level level) {
    static const ubi_console_frame frames[] = { { { "f", 1 }, { "a.js", 4 }, 1, 2 },
                                                { { NULL, 0 }, { "b.js", 4 }, 3, 0 } };
    ubi_value arguments[3] = { { .kind = UBI_VALUE_STRING, .text = ubi__text("%s %d %o %c%c end %i %f%%%") } };
    ubi_console_message m = { .level = level, .arguments = arguments, .n_arguments = 3, .text = ubi__text("said") };
    m.frames = frames;
    m.frame_count = 2;
    m.is_misplaced = level % 2;
    if (level >= UBI_CONSOLE_COUNT)
        m.label = ubi__text("label");
    if (level == UBI_CONSOLE_TABLE && drawn_value(c, 'm', &arguments[0]) != UBI_OK)
        return;
    if (c->listener.on_message && drawn_value(c, 'o', &arguments[1]) == UBI_OK &&
        drawn_value(c, 's', &arguments[2]) == UBI_OK)
        c->listener.on_message(c->listener.payload, &m);
}

static ubi_status drawn_evaluate(void *payload, ubi_text text, bool is_eager, ubi_evaluation *out) {
    drawn_console *c = payload;
    char kind = text.len && !is_eager ? text.ptr[0] : 0;
    *out = (ubi_evaluation)UBI_EVALUATION_INIT;
    if (kind == 'M' || kind == 'U')
        drawn_say(c, kind == 'U' ? UBI_CONSOLE_UNCAUGHT
                                 : (ubi_console_level)((text.len > 1 ? (unsigned char)text.ptr[1] : UBI_CONSOLE_TRACE) %
                                                       (UBI_CONSOLE_TIME_END + 1)));
    out->has_thrown = kind == 't';
    static const ubi_console_frame frame = { { NULL, 0 }, { "there", 5 }, 1, 1 };
    out->message = out->source = ubi__text("there");
    out->frames = &frame;
    out->frame_count = 1;
    return drawn_value(c, kind == 't' ? 'e' : kind, &out->value);
}

static ubi_object_kind drawn_object_kind(char kind) {
    static const char kinds[] = "oafexdrmkwhpuv"; /* as ubi_object_kind */
    const char *at = strchr(kinds, kind);
    return at ? (ubi_object_kind)(at - kinds) : UBI_OBJECT_PLAIN;
}

static ubi_status drawn_describe(void *payload, ubi_value_handle handle, ubi_object_description *out) {
    static const ubi_text names[] = { { "first", 5 }, { NULL, 0 } };
    char kind = drawn_kind(payload, handle);
    out->kind = drawn_object_kind(kind);
    out->class_name = ubi__text("Drawn");
    out->property_count = out->length = out->entry_count = DRAWN_PROPERTIES;
    out->parameters = names;
    out->parameter_count = 2;
    out->is_typed_array = kind == 'a';
    out->has_cause = kind == 'e';
    out->promise_state = UBI_PROMISE_REJECTED;
    return UBI_OK;
}

static ubi_status drawn_properties(void *payload, ubi_value_handle handle, uint32_t selection, uint64_t first,
                                   uint64_t count, ubi_property_fn fn, void *fn_payload, uint64_t *total) {
    static const char kinds[DRAWN_PROPERTIES] = { 'o', 'l', 'a' };
    drawn_console *c = payload;
    bool wants_more = true;
    (void)drawn_kind(c, handle);
    for (uint64_t i = first; i < DRAWN_PROPERTIES && i - first < count && wants_more; i++) {
        ubi_property p = { .name = ubi__text("1"), .is_accessor = i == 2 };
        if (selection & UBI_PROPERTIES_SYMBOLS)
            UBI_TRY(drawn_value(c, 's', &p.symbol));
        UBI_TRY(drawn_value(c, kinds[i], p.is_accessor ? &p.getter : &p.value));
        wants_more = fn(fn_payload, &p);
    }
    if (total)
        *total = DRAWN_PROPERTIES;
    return UBI_OK;
}

static ubi_status drawn_entries(void *payload, ubi_value_handle handle, uint64_t first, uint64_t count, ubi_entry_fn fn,
                                void *fn_payload, uint64_t *total) {
    drawn_console *c = payload;
    bool wants_more = true;
    (void)drawn_kind(c, handle);
    for (uint64_t i = first; i < DRAWN_PROPERTIES && i - first < count && wants_more; i++) {
        ubi_entry entry;
        UBI_TRY(drawn_value(c, "sop"[i], &entry.key));
        UBI_TRY(drawn_value(c, "lnx"[i], &entry.value));
        wants_more = fn(fn_payload, &entry);
    }
    if (total)
        *total = DRAWN_PROPERTIES;
    return UBI_OK;
}

static ubi_status drawn_slots(void *payload, ubi_value_handle handle, ubi_object_slots *out) {
    drawn_console *c = payload;
    (void)drawn_kind(c, handle);
    UBI_TRY(drawn_value(c, 'o', &out->value));
    return drawn_value(c, 'e', &out->handler);
}

static ubi_status drawn_get(void *payload, ubi_value_handle handle, ubi_text name, ubi_value_handle receiver,
                            ubi_evaluation *out) {
    drawn_console *c = payload;
    (void)drawn_kind(c, handle);
    if (receiver)
        (void)drawn_kind(c, receiver);
    *out = (ubi_evaluation)UBI_EVALUATION_INIT;
    out->has_thrown = name.len && name.ptr[0] == 't';
    return drawn_value(c, name.len ? name.ptr[0] : 0, &out->value);
}

static void drawn_stop(void *payload) {
    (void)payload;
}

static ubi_status drawn_complete(void *payload, ubi_text text, ubi_completion_fn fn, void *fn_payload,
                                 ubi_completion *out) {
    static const char *const names[] = { "beta", "Alpha", "beta", "a \"quoted\\ name", "" };
    bool is_element = text.len && text.ptr[0] == '"';
    (void)payload;
    *out = (ubi_completion){ { text.ptr + is_element, text.len - is_element }, '"', is_element, is_element };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        fn(fn_payload, ubi__text(names[i]));
    return UBI_OK;
}

static ubi_status drawn_prototype(void *payload, ubi_value_handle handle, ubi_value *out) {
    return drawn_value(payload, drawn_kind(payload, handle), out);
}

static ubi_status drawn_substring(void *payload, ubi_value_handle handle, uint64_t first, uint64_t end, ubi_text *out) {
    require(first <= end, "a piece of a string ends before it begins");
    if (drawn_kind(payload, handle) != 'l')
        return ubi__fail(UBI_ENOTFOUND, "it is not a string");
    *out = ubi__text("piece");
    return UBI_OK;
}

static void drawn_close(void *payload) {
    drawn_console *c = payload;
    ubi__vec_u8_fini(&c->kinds, ubi_allocator_default());
    UBI_DELETE(ubi_allocator_default(), c);
}

static ubi_status drawn_open(void *payload, const ubi_target_scope *scope, const ubi_console_listener *listener,
                             ubi_console *out) {
    static const ubi_console_ops ops = { .version = UBI_CONSOLE_OPS_VERSION,
                                         .close = drawn_close,
                                         .evaluate = drawn_evaluate,
                                         .describe = drawn_describe,
                                         .properties = drawn_properties,
                                         .prototype = drawn_prototype,
                                         .substring = drawn_substring,
                                         .release = drawn_release,
                                         .entries = drawn_entries,
                                         .slots = drawn_slots,
                                         .get = drawn_get,
                                         .stop = drawn_stop,
                                         .complete = drawn_complete };
    drawn_console *c = UBI_NEW(ubi_allocator_default(), drawn_console);
    (void)payload, (void)scope;
    if (!c)
        return ubi__fail_nomem();
    if (listener)
        c->listener = *listener;
    *out = (ubi_console){ &ops, c };
    return UBI_OK;
}

#endif
