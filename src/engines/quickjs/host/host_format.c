/* SPDX-License-Identifier: MIT
 *
 * host_format.c: see host_format.h.
 * Source: console.spec.whatwg.org, section 2.2.1, "Formatter".
 */
#include "engines/quickjs/host/host_format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engines/quickjs/host/host_inspect.h"

/* %d and %i of what is no number give NaN; %i and %d differ in the fraction. */
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

/* @return how many of the arguments behind the text were taken. */
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

void ubi__format(ubi__host_text *out, JSContext *realm, int n, JSValueConst *arguments) {
    for (int i = write_first(out, realm, n, arguments); i < n; i++) {
        if (i > 0)
            ubi__host_text_puts(out, " ");
        ubi__inspect_plain(out, realm, arguments[i]);
    }
}
