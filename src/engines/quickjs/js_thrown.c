/* SPDX-License-Identifier: MIT
 *
 * js_thrown.c: errors and stacks as plain data; see js_values.h.
 *
 * The engine has a stack only as the text of an error, whose lines are read here.
 */
#include <string.h>

#include "engines/quickjs/engine_api.h"
#include "engines/quickjs/js_properties.h"
#include "engines/quickjs/js_values.h"

/* ---- lines of a stack ----------------------------------------------------------------------------------------------- */

static uint32_t digits_before(const char *begin, const char **end) {
    const char *at = *end;
    uint64_t value = 0, unit = 1;
    while (at > begin && at[-1] >= '0' && at[-1] <= '9' && unit <= 1000000000) {
        value += (uint64_t)(*--at - '0') * unit;
        unit *= 10;
    }
    if (at == *end || at == begin || at[-1] != ':' || value > UINT32_MAX)
        return 0;
    *end = at - 1;
    return (uint32_t)value;
}

/* What is in the last brackets of a line of a stack, or after "at ". */
static ubi_text place_text(const char *line, size_t n) {
    const char *end = line + n, *begin = line;
    bool in_brackets = n && end[-1] == ')';
    end -= in_brackets;
    for (const char *at = line; at < end; at++) {
        if (in_brackets && *at == '(')
            begin = at + 1;
        if (!in_brackets && begin == line && end - at > 3 && memcmp(at, "at ", 3) == 0)
            begin = at + 3;
    }
    return (ubi_text){ begin, (size_t)(end - begin) };
}

/* What is before the place: after "at ", to the bracket. NULL text: nothing. */
static ubi_text function_text(const char *line, size_t n, const char *place) {
    const char *begin = line, *end = place;
    while (begin < end && *begin == ' ')
        begin++;
    if (end - begin <= 3 || memcmp(begin, "at ", 3) != 0)
        return (ubi_text){ NULL, 0 };
    begin += 3;
    while (end > begin && (end[-1] == '(' || end[-1] == ' '))
        end--;
    return end > begin && n ? (ubi_text){ begin, (size_t)(end - begin) } : (ubi_text){ NULL, 0 };
}

/* Of a line such as "    at f (a.js:3:7)" or "    at a.js:3"; false: it is a native function's, or nothing of the kind. */
static bool frame_of_line(const char *line, size_t n, ubi_console_frame *out) {
    ubi_text text = place_text(line, n);
    const char *end = text.ptr + text.len;
    uint32_t last = digits_before(text.ptr, &end), before = last ? digits_before(text.ptr, &end) : 0;
    if (text.ptr == line || text.len == 0 || (text.len == 6 && memcmp(text.ptr, "native", 6) == 0))
        return false;
    out->line = before ? before : last; /* older engines give none where all of a program is on one line */
    out->column = before ? last : 0;
    out->source = (ubi_text){ text.ptr, (size_t)(end - text.ptr) };
    out->function = function_text(line, n, text.ptr);
    return true;
}

/* Lines with a place, after `skip` lines: counted, and written where there is room. Their texts point into the stack. */
static uint32_t frames_of_text(ubi_console_frame *out, uint32_t most, ubi_text stack, uint32_t skip) {
    const char *at = stack.ptr ? stack.ptr : "", *end = at + stack.len;
    uint32_t n_frames = 0;
    while (at < end && n_frames < UBI_CONSOLE_FRAMES) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        size_t n = (size_t)((line_end ? line_end : end) - at);
        ubi_console_frame frame;
        if (skip == 0 && frame_of_line(at, n, &frame)) {
            if (n_frames < most)
                out[n_frames] = frame;
            n_frames++;
        }
        skip -= skip > 0;
        at += n + (line_end != NULL);
    }
    return n_frames;
}

static ubi_status frames_of_stack(const ubi__js_describer *d, ubi_text stack, uint32_t skip, ubi__js_thrown *out) {
    uint32_t n = frames_of_text(NULL, 0, stack, skip);
    ubi_console_frame *frames = n ? ubi__js_texts_allot(d->texts, n * sizeof *frames) : NULL;
    if (n && !frames)
        return ubi__js_fail_nomem(d->ctx);
    out->frame_count = frames_of_text(frames, n, stack, skip);
    out->frames = frames;
    return UBI_OK;
}

/* The file and line that the error has as properties; else the first of its stack. */
static ubi_status describe_error_place(const ubi__js_describer *d, JSValueConst error, ubi_text stack,
                                       ubi__js_thrown *out) {
    UBI__JS_TRY(ubi__js_describe_text(d, ubi__js_own_value(d->ctx, error, "fileName"), &out->source));
    out->line = ubi__js_count_of(d, ubi__js_own_value(d->ctx, error, "lineNumber"));
    out->column = ubi__js_count_of(d, ubi__js_own_value(d->ctx, error, "columnNumber"));
    if (out->source.ptr && out->line)
        return UBI_OK;
    ubi_console_frame first;
    if (frames_of_text(&first, 1, stack, 0)) {
        out->source = first.source;
        out->line = first.line;
        out->column = first.column;
    }
    return UBI_OK;
}

ubi_status ubi__js_describe_error(const ubi__js_describer *d, JSValueConst error, ubi_object_description *out) {
    ubi__js_thrown place = { .line = 0 };
    out->kind = UBI_OBJECT_ERROR;
    UBI__JS_TRY(ubi__js_describe_text(d, ubi__js_plain_value_str(d->ctx, error, "name"), &out->name));
    UBI__JS_TRY(ubi__js_describe_text(d, ubi__js_plain_value_str(d->ctx, error, "message"), &out->message));
    UBI__JS_TRY(ubi__js_describe_text(d, ubi__js_own_value(d->ctx, error, "stack"), &out->stack));
    UBI__JS_TRY(describe_error_place(d, error, out->stack, &place));
    out->source = place.source;
    out->line = place.line;
    out->column = place.column;
    out->has_cause = ubi__js_has_own(d->ctx, error, "cause");
    return UBI_OK;
}

/* "NAME: MESSAGE" */
static ubi_status message_of_error(const ubi__js_describer *d, const ubi_object_description *error, ubi_text *out) {
    static const char separator[] = ": ";
    ubi_text name = error->name.ptr ? error->name : (ubi_text){ "Error", 5 };
    size_t n_message = error->message.ptr ? error->message.len : 0;
    size_t n = name.len + (n_message ? 2 + n_message : 0);
    char *joined = js_malloc(d->ctx, n + 1);
    if (!joined)
        return ubi__js_fail_nomem(d->ctx);
    memcpy(joined, name.ptr, name.len);
    if (n_message) {
        memcpy(joined + name.len, separator, 2);
        memcpy(joined + name.len + 2, error->message.ptr, n_message);
    }
    ubi_status status = ubi__js_texts_add(out, d->texts, joined, n);
    js_free(d->ctx, joined);
    return status;
}

static ubi_status describe_thrown_object(const ubi__js_describer *d, JSValueConst thrown, ubi__js_thrown *out) {
    ubi_object_description object = UBI_OBJECT_DESCRIPTION_INIT;
    UBI__JS_TRY(ubi__js_describe_object(d, thrown, &object));
    if (object.kind != UBI_OBJECT_ERROR) {
        out->message = object.class_name;
        return UBI_OK;
    }
    out->source = object.source;
    out->line = object.line;
    out->column = object.column;
    UBI__JS_TRY(frames_of_stack(d, object.stack, 0, out));
    return message_of_error(d, &object, &out->message);
}

ubi_status ubi__js_describe_thrown(const ubi__js_describer *d, JSValueConst thrown, ubi__js_thrown *out) {
    *out = (ubi__js_thrown){ .line = 0 };
    if (JS_IsObject(thrown))
        return describe_thrown_object(d, thrown, out);
    if (JS_IsSymbol(thrown))
        return ubi__js_texts_add(&out->message, d->texts, "Symbol()", 8);
    if (JS_IsString(thrown))
        return ubi__js_texts_add_units(&out->message, d->texts, d->ctx, thrown, 0, UBI_VALUE_TEXT_UNITS, NULL);
    return ubi__js_texts_add_value(&out->message, d->texts, d->ctx, thrown);
}

/* The stack of an error that is made for it. Its first line is the native function. */
ubi_status ubi__js_describe_place(const ubi__js_describer *d, ubi__js_thrown *out) {
    ubi_text stack;
    *out = (ubi__js_thrown){ .line = 0 };
    JS_ThrowTypeError(d->ctx, "place");
    JSValue error = JS_GetException(d->ctx);
    JSValue text = JS_IsObject(error) ? ubi__js_own_value(d->ctx, error, "stack") : JS_UNDEFINED;
    JS_FreeValue(d->ctx, error);
    UBI__JS_TRY(ubi__js_describe_text(d, text, &stack));
    UBI__JS_TRY(frames_of_stack(d, stack, 1, out));
    if (!out->frame_count)
        return UBI_OK;
    out->source = out->frames[0].source;
    out->line = out->frames[0].line;
    out->column = out->frames[0].column;
    return UBI_OK;
}
