/* SPDX-License-Identifier: MIT
 *
 * preview.h: what a thing of the heap contains, in a few words for people.
 *
 * Read from structures: no getter runs, nothing is allocated. What does not fit ends in "...".
 */
#ifndef UBI_QUICKJS_PREVIEW_H
#define UBI_QUICKJS_PREVIEW_H

#include <stdarg.h>

#include "engines/quickjs/adapter/stack_capture.h"

/** Text that is put together; always ends in 0. */
typedef struct ubi__preview {
    char *at;
    size_t n, room; /* n < room */
    bool is_full;
} ubi__preview;

#define UBI__PREVIEW_PROPERTIES 4
#define UBI__PREVIEW_STRING_UNITS 40

static void ubi__preview_put(ubi__preview *out, const char *text, size_t n) {
    static const char rest[] = "...";
    if (out->is_full)
        return;
    if (out->n + n + sizeof rest > out->room) {
        out->is_full = true;
        text = rest;
        n = sizeof rest - 1;
    }
    UBI_ASSERT(out->n + n < out->room);
    memcpy(out->at + out->n, text, n);
    out->n += n;
    out->at[out->n] = '\0';
}

static void ubi__preview_words(ubi__preview *out, const char *words) {
    ubi__preview_put(out, words, strlen(words));
}

static UBI_PRINTF(2, 3) void ubi__preview_print(ubi__preview *out, const char *format, ...) {
    char text[64];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ubi__preview_put(out, text, n > 0 && (size_t)n < sizeof text ? (size_t)n : 0);
}

/* Units of a string; control characters and quotes as escapes, so that a report has one line for each thing. */
static void ubi__preview_units(ubi__preview *out, const JSString *p, uint32_t most) {
    const uint8_t *narrow = ubi__string_units(p);
    const uint16_t *wide = ubi__string_units(p);
    uint32_t n = p->len < most ? p->len : most;
    for (uint32_t i = 0; i < n && !out->is_full; i++) {
        uint32_t c = ubi__string_is_wide(p) ? wide[i] : narrow[i];
        char text[4];
        if ((c & 0xFC00) == 0xD800 && i + 1 < p->len && (wide[i + 1] & 0xFC00) == 0xDC00) {
            c = 0x10000 + ((c & 0x3FF) << 10) + (wide[i + 1] & 0x3FF);
            i++;
        }
        if (c == '\n')
            ubi__preview_words(out, "\\n");
        else if (c < 0x20 || (c >= 0x7F && c < 0xA0))
            ubi__preview_print(out, "\\x%02x", (unsigned)c);
        else if ((c & 0xFFFFF800) == 0xD800)
            ubi__preview_print(out, "\\u%04x", (unsigned)c);
        else
            ubi__preview_put(out, text, ubi__put_utf8(text, c));
    }
    if (n < p->len)
        ubi__preview_words(out, "...");
}

static void ubi__preview_string(ubi__preview *out, const JSString *p) {
    ubi__preview_words(out, "\"");
    ubi__preview_units(out, p, UBI__PREVIEW_STRING_UNITS);
    ubi__preview_words(out, "\"");
}

static void ubi__preview_atom(ubi__preview *out, JSRuntime *rt, JSAtom atom) {
    if (__JS_AtomIsTaggedInt(atom)) {
        ubi__preview_print(out, "%u", (unsigned)__JS_AtomToUInt32(atom));
        return;
    }
    const JSString *p = ubi__atom_string(rt, atom);
    bool is_symbol = p && ubi__is_symbol(p);
    if (is_symbol)
        ubi__preview_words(out, "Symbol(");
    if (p)
        ubi__preview_units(out, p, UBI__PREVIEW_STRING_UNITS);
    if (is_symbol)
        ubi__preview_words(out, ")");
}

/* ---- values --------------------------------------------------------------------------------------------------------- */

static void ubi__preview_class(ubi__preview *out, JSRuntime *rt, const JSObject *p) {
    if (!p->shape)
        ubi__preview_words(out, "freed object");
    else
        ubi__preview_atom(out, rt, rt->class_array[p->class_id].class_name);
}

/* False: it does not fit. */
static bool ubi__big_int_fits(int64_t *value, const ubi__long_number *p) {
#if UBI_BF
    return bf_get_int64(value, &p->num, 0) == 0;
#else /* the complement of two, in limbs of 32 or 64 bits */
    unsigned bits = (unsigned)(sizeof p->tab[0] * 8), shift = 64 - p->len * bits;
    uint64_t all = 0;
    if (p->len == 0 || p->len > 64 / bits)
        return false;
    for (unsigned i = 0; i < p->len; i++)
        all |= (uint64_t)p->tab[i] << (i * bits);
    *value = (int64_t)(all << shift) >> shift;
    return true;
#endif
}

static int64_t ubi__big_int_bits(const ubi__long_number *p) {
#if UBI_BF
    return p->num.expn;
#else
    return (int64_t)(p->len * sizeof p->tab[0] * 8);
#endif
}

/* Within another thing: no contents. */
static void ubi__preview_value(ubi__preview *out, JSRuntime *rt, JSValueConst value) {
    int64_t whole;
    switch (JS_VALUE_GET_NORM_TAG(value)) {
    case JS_TAG_INT:
        ubi__preview_print(out, "%d", JS_VALUE_GET_INT(value));
        break;
    case JS_TAG_BOOL:
        ubi__preview_words(out, JS_VALUE_GET_BOOL(value) ? "true" : "false");
        break;
    case JS_TAG_NULL:
        ubi__preview_words(out, "null");
        break;
    case JS_TAG_UNDEFINED:
        ubi__preview_words(out, "undefined");
        break;
    case JS_TAG_FLOAT64:
        ubi__preview_print(out, "%.17g", JS_VALUE_GET_FLOAT64(value));
        break;
    case JS_TAG_STRING:
        ubi__preview_string(out, JS_VALUE_GET_STRING(value));
        break;
    case JS_TAG_OBJECT:
        ubi__preview_class(out, rt, JS_VALUE_GET_OBJ(value));
        break;
    case JS_TAG_SYMBOL:
        ubi__preview_words(out, "Symbol(");
        ubi__preview_units(out, JS_VALUE_GET_PTR(value), UBI__PREVIEW_STRING_UNITS);
        ubi__preview_words(out, ")");
        break;
    case JS_TAG_BIG_INT:
        if (ubi__big_int_fits(&whole, JS_VALUE_GET_PTR(value)))
            ubi__preview_print(out, "%lldn", (long long)whole);
        else
            ubi__preview_words(out, "...");
        break;
#ifdef JS_VALUE_GET_SHORT_BIG_INT
    case JS_TAG_SHORT_BIG_INT:
        ubi__preview_print(out, "%lldn", (long long)JS_VALUE_GET_SHORT_BIG_INT(value));
        break;
#endif
    default:
        ubi__preview_words(out, JS_VALUE_HAS_REF_COUNT(value) ? "..." : "(empty)");
        break;
    }
}

/* ---- objects -------------------------------------------------------------------------------------------------------- */

static void ubi__preview_properties(ubi__preview *out, JSRuntime *rt, const JSObject *p) {
    JSShapeProperty *keys = get_shape_prop(p->shape);
    int shown = 0;
    ubi__preview_words(out, "{");
    for (int i = 0; i < p->shape->prop_count && !out->is_full; i++) {
        if (keys[i].atom == JS_ATOM_NULL) /* deleted */
            continue;
        ubi__preview_words(out, shown ? ", " : "");
        if (shown++ == UBI__PREVIEW_PROPERTIES) {
            ubi__preview_words(out, "...");
            break;
        }
        ubi__preview_atom(out, rt, keys[i].atom);
        ubi__preview_words(out, ": ");
        int how = keys[i].flags & JS_PROP_TMASK;
        if (how == JS_PROP_NORMAL)
            ubi__preview_value(out, rt, p->prop[i].u.value);
        else if (how == JS_PROP_VARREF)
            ubi__preview_value(out, rt, *p->prop[i].u.var_ref->pvalue);
        else
            ubi__preview_words(out, how == JS_PROP_GETSET ? "(accessor)" : "(not made yet)");
    }
    ubi__preview_words(out, "}");
}

static void ubi__preview_array(ubi__preview *out, JSRuntime *rt, const JSObject *p) {
    uint32_t n = p->u.array.count;
    ubi__preview_words(out, "[");
    for (uint32_t i = 0; i < n && i < UBI__PREVIEW_PROPERTIES && !out->is_full; i++) {
        ubi__preview_words(out, i ? ", " : "");
        ubi__preview_value(out, rt, p->u.array.u.values[i]);
    }
    if (n > UBI__PREVIEW_PROPERTIES)
        ubi__preview_print(out, ", ... %u more", (unsigned)(n - UBI__PREVIEW_PROPERTIES));
    ubi__preview_words(out, "]");
}

static void ubi__preview_bytecode(ubi__preview *out, JSRuntime *rt, const JSFunctionBytecode *b) {
    int line = 0, column = 0;
    ubi__preview_atom(out, rt, b->func_name);
    if (!ubi__position(b, UBI__NO_PC, &line, &column))
        return;
    ubi__preview_words(out, out->n ? " (" : "(");
    ubi__preview_atom(out, rt, UBI_DEBUG(b).filename);
    if (line > 0)
        ubi__preview_print(out, ":%d", line);
    ubi__preview_words(out, ")");
}

static void ubi__preview_function(ubi__preview *out, JSRuntime *rt, JSObject *p) {
    const JSFunctionBytecode *b = ubi__bytecode_of(p);
    ubi__function_name name = ubi__name_of_function(p);
    if (name.string)
        ubi__preview_units(out, name.string, UBI__PREVIEW_STRING_UNITS);
    if (b)
        ubi__preview_bytecode(out, rt, b);
}

static void ubi__preview_object(ubi__preview *out, JSRuntime *rt, JSObject *p) {
    if (!p->shape)
        return;
    if (ubi__bytecode_of(p) || p->class_id == JS_CLASS_C_FUNCTION)
        ubi__preview_function(out, rt, p);
    else if ((p->class_id == JS_CLASS_ARRAY || p->class_id == JS_CLASS_ARGUMENTS) && p->fast_array)
        ubi__preview_array(out, rt, p);
    else
        ubi__preview_properties(out, rt, p);
}

/* ---- anything ------------------------------------------------------------------------------------------------------- */

/** What a node contains; empty when there is nothing to say. */
static void ubi__preview_node(char *at, size_t room, JSRuntime *rt, void *p, ubi__kind kind) {
    ubi__preview out = { at, 0, room, false };
    int64_t whole;
    at[0] = '\0';
    switch (kind) {
    case UBI__OBJECT:
        ubi__preview_object(&out, rt, p);
        break;
    case UBI__STRING:
        ubi__preview_string(&out, p);
        break;
    case UBI__SYMBOL:
        ubi__preview_words(&out, "Symbol(");
        ubi__preview_units(&out, p, UBI__PREVIEW_STRING_UNITS);
        ubi__preview_words(&out, ")");
        break;
    case UBI__BYTECODE:
        ubi__preview_bytecode(&out, rt, p);
        break;
    case UBI__MODULE:
        ubi__preview_atom(&out, rt, ((const JSModuleDef *)p)->module_name);
        break;
    case UBI__BIG_INT:
        if (ubi__big_int_fits(&whole, p))
            ubi__preview_print(&out, "%lldn", (long long)whole);
        else
            ubi__preview_print(&out, "of %lld bits", (long long)ubi__big_int_bits(p));
        break;
    default:
        break;
    }
}

#endif
