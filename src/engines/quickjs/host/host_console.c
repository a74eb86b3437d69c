/* SPDX-License-Identifier: MIT
 *
 * host_console.c: see host_console.h.
 * Source: console.spec.whatwg.org.
 *
 * Arguments become a text as in console.spec.whatwg.org, section 2.2.1, "Formatter".
 */
#include "engines/quickjs/host/host_console.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/quickjs/host/host_inspect.h"
#include "engines/quickjs/host/host_state.h"

/* ---- the arguments as a text ------------------------------------------------------------------------------------- */

/* %d and %i of what is not a number give NaN; %i and %d differ in the fraction. */
static void write_number(ubi__host_text *out, JSContext *realm, JSValueConst value, bool whole) {
    double number = NAN;
    if (JS_IsSymbol(value) || JS_IsObject(value) || JS_ToFloat64(realm, &number, value) < 0) {
        number = NAN;
        ubi__inspect_forget(realm);
    }
    JSValue shown = JS_NewFloat64(realm, whole ? trunc(number) : number);
    ubi__inspect_primitive(out, realm, shown);
    JS_FreeValue(realm, shown);
}

static void write_json(ubi__host_text *out, JSContext *realm, JSValueConst value) {
    JSValue text = JS_JSONStringify(realm, value, JS_UNDEFINED, JS_UNDEFINED);
    if (JS_IsException(text))
        ubi__inspect_forget(realm);
    ubi__host_text_puts(out, JS_IsException(text) ? "[Circular]" : "");
    if (!JS_IsException(text))
        ubi__inspect_string(out, realm, text);
    JS_FreeValue(realm, text);
}

/* False: no such directive; nothing was written. */
static bool write_directive(ubi__host_text *out, JSContext *realm, char directive, JSValueConst value) {
    switch (directive) {
    case 's':
        ubi__inspect_plain(out, realm, value);
        return true;
    case 'd':
    case 'i':
        write_number(out, realm, value, directive == 'i');
        return true;
    case 'f':
        write_number(out, realm, value, false);
        return true;
    case 'j':
        write_json(out, realm, value);
        return true;
    case 'o':
    case 'O':
        ubi__inspect(out, realm, value);
        return true;
    case 'c': /* style sheets */
        return true;
    default:
        return false;
    }
}

/* @return how many of the arguments after the text were taken. */
static int write_template(ubi__host_text *out, JSContext *realm, const char *text, size_t length, int n,
                          JSValueConst *arguments) {
    int taken = 0;
    for (size_t i = 0; i < length; i++) {
        bool directive = text[i] == '%' && i + 1 < length;
        if (directive && text[i + 1] == '%') {
            ubi__host_text_puts(out, "%");
            i++;
        } else if (directive && taken < n && write_directive(out, realm, text[i + 1], arguments[taken])) {
            taken++;
            i++;
        } else {
            ubi__host_text_add(out, text + i, 1);
        }
    }
    return taken;
}

/* @return how many of the arguments were written. */
static int write_first(ubi__host_text *out, JSContext *realm, int n, JSValueConst *arguments) {
    size_t length;
    if (n < 2 || !JS_IsString(arguments[0]))
        return 0;
    const char *text = JS_ToCStringLen(realm, &length, arguments[0]);
    if (!text) {
        ubi__inspect_forget(realm);
        return 1;
    }
    int taken = write_template(out, realm, text, length, n - 1, arguments + 1);
    JS_FreeCString(realm, text);
    return taken + 1;
}

/** Arguments with spaces between; directives in the first one, if it is a text, take the next ones. */
static void format_arguments(ubi__host_text *out, JSContext *realm, int n, JSValueConst *arguments) {
    for (int i = write_first(out, realm, n, arguments); i < n; i++) {
        if (i > 0)
            ubi__host_text_puts(out, " ");
        ubi__inspect_plain(out, realm, arguments[i]);
    }
}

/* ---- the console ------------------------------------------------------------------------------------------------- */

enum { TO_OUTPUT, TO_ERROR };

static ubi__console *console_here(void) {
    return &ubi__host_here->console;
}

/* ---- printing ----------------------------------------------------------------------------------------------------- */

/* Each line below the groups that are open. One write, so that lines of workers do not mix. */
static void print_text(const ubi__host_text *text, int stream) {
    FILE *file = stream == TO_ERROR ? stderr : stdout;
    const char *at = text->n ? text->ptr : "", *end = at + text->n;
    int indent = (int)(2 * (console_here()->groups < 40 ? console_here()->groups : 40));
    if (stream == TO_ERROR)
        ubi__host_flush_output();
    flockfile(file);
    do {
        const char *line_end = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
        size_t n = at < end ? (size_t)((line_end ? line_end : end) - at) : 0;
        fprintf(file, "%*s", indent, "");
        fwrite(at, 1, n, file);
        fputc('\n', file);
        at = line_end ? line_end + 1 : end;
    } while (at < end);
    funlockfile(file);
}

static void print_and_free(ubi__host_text *text, int stream) {
    print_text(text, stream);
    ubi__host_text_fini(text);
}

/* What listens to the program's console hears it as well. */
static void console_announce(JSContext *realm, ubi_console_level level, int n, JSValueConst *arguments) {
    ubi_quickjs_console_message(ubi__host_here->tools, realm, level, n, arguments);
}

/* The magic number is the level. */
static JSValue console_print(JSContext *realm, JSValueConst self, int n, JSValueConst *arguments, int level) {
    ubi__host_text text = { 0 };
    (void)self;
    format_arguments(&text, realm, n, arguments);
    print_and_free(&text, level == UBI_CONSOLE_ERROR || level == UBI_CONSOLE_WARN ? TO_ERROR : TO_OUTPUT);
    console_announce(realm, (ubi_console_level)level, n, arguments);
    return JS_UNDEFINED;
}

static JSValue print_object(JSContext *realm, JSValueConst self, int n, JSValueConst *arguments) {
    ubi__host_text text = { 0 };
    (void)self;
    ubi__inspect(&text, realm, n > 0 ? arguments[0] : JS_UNDEFINED);
    print_and_free(&text, TO_OUTPUT);
    console_announce(realm, UBI_CONSOLE_DIR, n > 0, arguments);
    return JS_UNDEFINED;
}

static JSValue console_assert(JSContext *realm, JSValueConst self, int n, JSValueConst *arguments) {
    ubi__host_text text = { 0 };
    (void)self;
    if (n > 0 && JS_ToBool(realm, arguments[0]))
        return JS_UNDEFINED;
    ubi__host_text_puts(&text, "Assertion failed");
    ubi__host_text_puts(&text, n > 1 ? ": " : "");
    format_arguments(&text, realm, n > 1 ? n - 1 : 0, arguments + 1);
    print_and_free(&text, TO_ERROR);
    console_announce(realm, UBI_CONSOLE_ASSERT, n > 1 ? n - 1 : 0, arguments + 1);
    return JS_UNDEFINED;
}

/* Where the script is: the stack of an error that is made for it, without the line about this function. */
static void write_stack(ubi__host_text *text, JSContext *realm) {
    JS_ThrowTypeError(realm, "trace");
    JSValue error = JS_GetException(realm), stack = JS_GetPropertyStr(realm, error, "stack");
    const char *lines = JS_IsString(stack) ? JS_ToCString(realm, stack) : NULL;
    const char *second = lines ? strchr(lines, '\n') : NULL;
    if (second && second[1]) {
        ubi__host_text_puts(text, "\n");
        ubi__host_text_stack(text, second + 1, strlen(second + 1));
    }
    JS_FreeCString(realm, lines);
    JS_FreeValue(realm, stack);
    JS_FreeValue(realm, error);
}

static JSValue console_trace(JSContext *realm, JSValueConst self, int n, JSValueConst *arguments) {
    ubi__host_text text = { 0 };
    (void)self;
    ubi__host_text_puts(&text, n > 0 ? "Trace: " : "Trace");
    format_arguments(&text, realm, n, arguments);
    write_stack(&text, realm);
    print_and_free(&text, TO_ERROR);
    console_announce(realm, UBI_CONSOLE_TRACE, n, arguments);
    return JS_UNDEFINED;
}

/* The magic number is the level. */
static JSValue open_group(JSContext *realm, JSValueConst self, int n, JSValueConst *arguments, int level) {
    ubi__host_text text = { 0 };
    (void)self;
    format_arguments(&text, realm, n, arguments);
    if (n > 0)
        print_text(&text, TO_OUTPUT);
    ubi__host_text_fini(&text);
    console_announce(realm, (ubi_console_level)level, n, arguments);
    console_here()->groups++;
    return JS_UNDEFINED;
}

static JSValue close_group(JSContext *realm, JSValueConst self, int n, JSValueConst *arguments) {
    (void)self, (void)n;
    console_announce(realm, UBI_CONSOLE_GROUP_END, 0, arguments);
    if (console_here()->groups)
        console_here()->groups--;
    return JS_UNDEFINED;
}

/* A terminal keeps what was printed. */
static JSValue console_clear(JSContext *realm, JSValueConst self, int n, JSValueConst *arguments) {
    (void)self, (void)n;
    console_announce(realm, UBI_CONSOLE_CLEAR, 0, arguments);
    console_here()->groups = 0;
    return JS_UNDEFINED;
}

/* ---- labels ------------------------------------------------------------------------------------------------------- */

/* The place of a label in its list: of a pointer to NULL when it is not there. */
static ubi__console_label **console_find_counter(ubi__console_label **list, const char *text) {
    while (*list && strcmp((*list)->text, text) != 0)
        list = &(*list)->next;
    return list;
}

static ubi__console_label *find_or_add(ubi__console_label **list, const char *text) {
    ubi__console_label **place = console_find_counter(list, text);
    size_t n = strlen(text) + 1;
    if (*place)
        return *place;
    ubi__console_label *label = calloc(1, sizeof *label + n);
    if (label)
        memcpy(label->text, text, n);
    return *place = label;
}

static void remove_label(ubi__console_label **place) {
    ubi__console_label *label = *place;
    if (!label)
        return;
    *place = label->next;
    free(label);
}

void ubi__console_fini(ubi__console *console) {
    while (console->counts)
        remove_label(&console->counts);
    while (console->times)
        remove_label(&console->times);
}

/* The first argument, or "default"; JS_FreeCString it. NULL: it threw. */
static const char *label_text(JSContext *realm, int n, JSValueConst *arguments) {
    if (n > 0 && !JS_IsUndefined(arguments[0]))
        return JS_ToCString(realm, arguments[0]);
    JSValue standard = JS_NewString(realm, "default");
    const char *text = JS_ToCString(realm, standard);
    JS_FreeValue(realm, standard);
    return text;
}

static void label_announce(JSContext *realm, ubi_console_level level, const ubi_quickjs_console_label *label, int n,
                           JSValueConst *arguments) {
    ubi_quickjs_console_label_message(ubi__host_here->tools, realm, level, label, n, arguments);
}

static JSValue console_count(JSContext *realm, JSValueConst self, int n, JSValueConst *arguments) {
    ubi__host_text line = { 0 };
    const char *text = label_text(realm, n, arguments);
    (void)self;
    if (!text)
        return JS_EXCEPTION;
    ubi__console_label *label = find_or_add(&console_here()->counts, text);
    const ubi_quickjs_console_label said = { .text = text, .count = label ? ++label->value : 0 };
    ubi__host_text_puts(&line, text);
    ubi__host_text_printf(&line, ": %" PRIu64, said.count);
    print_and_free(&line, TO_OUTPUT);
    label_announce(realm, UBI_CONSOLE_COUNT, &said, n, arguments);
    JS_FreeCString(realm, text);
    return JS_UNDEFINED;
}

static JSValue reset_count(JSContext *realm, JSValueConst self, int n, JSValueConst *arguments) {
    const char *text = label_text(realm, n, arguments);
    (void)self;
    if (!text)
        return JS_EXCEPTION;
    ubi__console_label **place = console_find_counter(&console_here()->counts, text);
    const ubi_quickjs_console_label said = { .text = text, .is_misplaced = !*place };
    remove_label(place);
    label_announce(realm, UBI_CONSOLE_COUNT_RESET, &said, n, arguments);
    JS_FreeCString(realm, text);
    return JS_UNDEFINED;
}

static JSValue begin_time(JSContext *realm, JSValueConst self, int n, JSValueConst *arguments) {
    const char *text = label_text(realm, n, arguments);
    (void)self;
    if (!text)
        return JS_EXCEPTION;
    ubi__console_label *label = find_or_add(&console_here()->times, text);
    const ubi_quickjs_console_label said = { .text = text, .is_misplaced = label && label->value };
    if (label && label->value == 0) {
        label->value = ubi__host_clock_us();
        ubi_quickjs_timeline_time(ubi__host_here->tools, text);
    }
    label_announce(realm, UBI_CONSOLE_TIME, &said, n, arguments);
    JS_FreeCString(realm, text);
    return JS_UNDEFINED;
}

/* "label: 12.345 ms", and what else was given to timeLog. */
static void write_time(ubi__host_text *line, JSContext *realm, const ubi_quickjs_console_label *said, int n,
                       JSValueConst *arguments) {
    ubi__host_text_puts(line, said->text);
    if (said->is_misplaced)
        ubi__host_text_puts(line, ": no such timer");
    else
        ubi__host_text_printf(line, ": %.3f ms", said->duration_ms);
    if (n > 1) {
        ubi__host_text_puts(line, " ");
        format_arguments(line, realm, n - 1, arguments + 1);
    }
}

/* The magic number is the level. */
static JSValue print_time(JSContext *realm, JSValueConst self, int n, JSValueConst *arguments, int level) {
    ubi__host_text line = { 0 };
    const char *text = label_text(realm, n, arguments);
    bool ends = level == UBI_CONSOLE_TIME_END;
    (void)self;
    if (!text)
        return JS_EXCEPTION;
    ubi__console_label **place = console_find_counter(&console_here()->times, text);
    ubi_quickjs_console_label said = { .text = text, .is_misplaced = !*place };
    if (*place)
        said.duration_ms = (double)(ubi__host_clock_us() - (*place)->value) / 1000;
    write_time(&line, realm, &said, ends ? 1 : n, arguments);
    if (ends && *place) {
        ubi_quickjs_timeline_time_end(ubi__host_here->tools, text);
        remove_label(place);
    }
    print_and_free(&line, TO_OUTPUT);
    label_announce(realm, (ubi_console_level)level, &said, n, arguments);
    JS_FreeCString(realm, text);
    return JS_UNDEFINED;
}

/* A moment on the timeline; nothing is printed. */
static JSValue mark_time(JSContext *realm, JSValueConst self, int n, JSValueConst *arguments) {
    const char *text = n > 0 && !JS_IsUndefined(arguments[0]) ? JS_ToCString(realm, arguments[0]) : NULL;
    (void)self;
    if (n > 0 && !JS_IsUndefined(arguments[0]) && !text)
        return JS_EXCEPTION;
    ubi_quickjs_timeline_timestamp(ubi__host_here->tools, text ? text : "");
    JS_FreeCString(realm, text);
    return JS_UNDEFINED;
}

/* ---- the object --------------------------------------------------------------------------------------------------- */

int ubi__console_add_global(JSContext *realm, JSValueConst global) {
    static const JSCFunctionListEntry functions[] = {
        JS_CFUNC_MAGIC_DEF("log", 0, console_print, UBI_CONSOLE_LOG),
        JS_CFUNC_MAGIC_DEF("info", 0, console_print, UBI_CONSOLE_INFO),
        JS_CFUNC_MAGIC_DEF("debug", 0, console_print, UBI_CONSOLE_DEBUG),
        JS_CFUNC_MAGIC_DEF("error", 0, console_print, UBI_CONSOLE_ERROR),
        JS_CFUNC_MAGIC_DEF("warn", 0, console_print, UBI_CONSOLE_WARN),
        JS_CFUNC_DEF("dir", 0, print_object),
        JS_CFUNC_MAGIC_DEF("table", 0, console_print, UBI_CONSOLE_TABLE),
        JS_CFUNC_DEF("clear", 0, console_clear),
        JS_CFUNC_DEF("assert", 0, console_assert),
        JS_CFUNC_DEF("trace", 0, console_trace),
        JS_CFUNC_MAGIC_DEF("group", 0, open_group, UBI_CONSOLE_GROUP),
        JS_CFUNC_MAGIC_DEF("groupCollapsed", 0, open_group, UBI_CONSOLE_GROUP_COLLAPSED),
        JS_CFUNC_DEF("groupEnd", 0, close_group),
        JS_CFUNC_DEF("count", 0, console_count),
        JS_CFUNC_DEF("countReset", 0, reset_count),
        JS_CFUNC_DEF("time", 0, begin_time),
        JS_CFUNC_MAGIC_DEF("timeLog", 0, print_time, UBI_CONSOLE_TIME_LOG),
        JS_CFUNC_MAGIC_DEF("timeEnd", 0, print_time, UBI_CONSOLE_TIME_END),
        JS_CFUNC_DEF("timeStamp", 0, mark_time),
    };
    JSValue console = JS_NewObject(realm);
    if (JS_IsException(console))
        return -1;
    JS_SetPropertyFunctionList(realm, console, functions, sizeof functions / sizeof *functions);
    return JS_DefinePropertyValueStr(realm, global, "console", console, JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
}
