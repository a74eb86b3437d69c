/* SPDX-License-Identifier: MIT
 *
 * js_breakdown.c: JavaScript values to a breakdown.
 *
 * The value is read once, in SpiderMonkey's order, and written down as the JSON that ubi_breakdown_parse takes, with every
 * part present. Code of scripts runs while it is read, never later. So all mistakes are found here, in the order in which
 * SpiderMonkey would find them, and the parser has nothing left to refuse.
 *
 * Recursion is bounded by UBI_BREAKDOWN_MAX_DEPTH: no kind may be nested in itself, and arrays are counted.
 *
 * Source: mozilla-central js/src/vm/UbiNodeCensus.cpp, ParseBreakdown.
 */
#include "engines/quickjs/js_breakdown.h"

#include <string.h>

#include "engines/quickjs/js_errors.h"
#include "engines/quickjs/js_facts.h"
#include "engines/quickjs/js_text.h"

/** Members of arrays in one breakdown, so that a sparse array of 2^32 does not take all memory. */
#define MAX_MEMBERS 65536

/** A kind of breakdown and its parts, in the order in which they are read. */
typedef struct grammar_row {
    const char *name;
    const char *parts[6];
} grammar_row;

static const grammar_row grammar[] = {
    { "count", { NULL } },
    { "bucket", { NULL } },
    { "objectClass", { "then", "other" } },
    { "coarseType", { "objects", "scripts", "strings", "other", "domNode" } },
    { "internalType", { "then" } },
    { "descriptiveType", { "then" } },
    { "allocationStack", { "then", "noStack" } },
    { "filename", { "then", "noFilename" } },
};

typedef struct reader {
    JSContext *ctx;
    ubi__js_breakdown *out;
    ubi__js_text json;
    unsigned depth, open_kinds; /* open_kinds: bit per row of the grammar that we are inside of */
    uint32_t n_members;
} reader;

static int breakdown_write(reader *r, const char *words) {
    return ubi__js_text_words(r->ctx, &r->json, words);
}

static int read_value(reader *r, JSValueConst value);

/** Reads a property and hands it on. */
static int read_part(reader *r, JSValueConst object, const char *name) {
    JSValue part = JS_GetPropertyStr(r->ctx, object, name);
    if (JS_IsException(part))
        return -1;
    int failed =
        breakdown_write(r, ",\"") || breakdown_write(r, name) || breakdown_write(r, "\":") || read_value(r, part) ? -1
                                                                                                                  : 0;
    JS_FreeValue(r->ctx, part);
    return failed;
}

/* ---- count ------------------------------------------------------------------------------------------------------- */

/** An option that is on unless something says otherwise. */
static int read_switch(reader *r, JSValueConst object, const char *name) {
    JSValue value = JS_GetPropertyStr(r->ctx, object, name);
    if (JS_IsException(value))
        return -1;
    int on = JS_IsUndefined(value) ? 1 : JS_ToBool(r->ctx, value);
    JS_FreeValue(r->ctx, value);
    if (on < 0)
        return -1;
    return breakdown_write(r, ",\"") || breakdown_write(r, name) || breakdown_write(r, on ? "\":true" : "\":false") ? -1
                                                                                                                    : 0;
}

/** Keeps a label, which is taken. */
static int add_label(reader *r, JSValue label) {
    ubi__js_breakdown *out = r->out;
    if (out->n_labels == out->label_capacity) {
        uint32_t capacity = out->label_capacity * 2 + 8;
        JSValue *labels = js_realloc(r->ctx, out->labels, capacity * sizeof *labels);
        if (!labels) {
            JS_FreeValue(r->ctx, label);
            return -1;
        }
        out->labels = labels;
        out->label_capacity = capacity;
    }
    out->labels[out->n_labels++] = label;
    return 0;
}

static int read_label(reader *r, JSValueConst object) {
    JSValue value = JS_GetPropertyStr(r->ctx, object, "label");
    if (JS_IsException(value) || JS_IsUndefined(value))
        return JS_IsException(value) ? -1 : 0;
    JSValue label = ubi__js_to_string(r->ctx, value);
    JS_FreeValue(r->ctx, value);
    uint32_t index = r->out->n_labels;
    if (JS_IsException(label) || add_label(r, label))
        return -1;
    bool failed =
        breakdown_write(r, ",\"label\":\"") || ubi__js_text_number(r->ctx, &r->json, index) || breakdown_write(r, "\"");
    return failed ? -1 : 0;
}

static int read_count(reader *r, JSValueConst object) {
    return read_switch(r, object, "count") || read_switch(r, object, "bytes") || read_label(r, object) ? -1 : 0;
}

/* ---- kinds ------------------------------------------------------------------------------------------------------- */

/** Throws a TypeError of `words`, then a quoted string. */
static int throw_by(reader *r, const char *words, JSValueConst by) {
    ubi__js_text quoted = { 0 };
    if (!ubi__js_text_quoted(r->ctx, &quoted, by))
        ubi__js_throw(r->ctx, UBI__JS_TYPE_ERROR, "%s: %.*s", words, (int)quoted.n, quoted.at);
    ubi__js_text_fini(r->ctx, &quoted);
    return -1;
}

/** The row of a kind; NULL: there is none, or (*failed) an exception is pending. */
static const grammar_row *find_row(JSContext *ctx, JSValueConst by, bool *failed) {
    size_t len;
    const char *name = JS_ToCStringLen(ctx, &len, by);
    const grammar_row *row = NULL;
    *failed = name == NULL;
    for (size_t i = 0; name && i < sizeof grammar / sizeof *grammar; i++)
        if (strlen(grammar[i].name) == len && memcmp(grammar[i].name, name, len) == 0)
            row = &grammar[i];
    JS_FreeCString(ctx, name);
    return row;
}

static int read_parts(reader *r, JSValueConst object, const grammar_row *row) {
    if (row == grammar)
        return read_count(r, object);
    unsigned bit = 1u << (row - grammar);
    r->open_kinds |= bit;
    int failed = 0;
    for (const char *const *part = row->parts; *part && !failed; part++)
        failed = read_part(r, object, *part);
    r->open_kinds &= ~bit;
    return failed;
}

/** An object whose `by` is known to be a string. */
static int read_kind(reader *r, JSValueConst object, JSValueConst by) {
    bool failed;
    const grammar_row *row = find_row(r->ctx, by, &failed);
    if (failed)
        return -1;
    if (!row)
        return throw_by(r, "unrecognized 'by' value in takeCensus breakdown", by);
    if (r->open_kinds & 1u << (row - grammar))
        return throw_by(r, "takeCensus breakdown 'by' value nested within itself", by);
    failed = breakdown_write(r, "{\"by\":\"") || breakdown_write(r, row->name) || breakdown_write(r, "\"") ||
             read_parts(r, object, row) || breakdown_write(r, "}");
    return failed ? -1 : 0;
}

/** Anything but undefined, null and arrays. Primitives inherit properties too. */
static int read_object(reader *r, JSValueConst object) {
    JSValue by = JS_GetPropertyStr(r->ctx, object, "by");
    if (JS_IsException(by))
        return -1;
    JSValue string = ubi__js_to_string(r->ctx, by);
    JS_FreeValue(r->ctx, by);
    if (JS_IsException(string))
        return -1;
    int failed = read_kind(r, object, string);
    JS_FreeValue(r->ctx, string);
    return failed;
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

static bool is_array(JSContext *ctx, JSValueConst value) {
    if (!JS_IsObject(value))
        return false;
    ubi__object_facts facts;
    ubi__object_facts_of(&facts, JS_GetRuntime(ctx), value);
    return facts.is_array;
}

/** ToLength of `length`; all that are too large give MAX_MEMBERS + 1. */
static int read_length(reader *r, JSValueConst array, uint32_t *out) {
    JSValue value = JS_GetPropertyStr(r->ctx, array, "length");
    if (JS_IsException(value))
        return -1;
    double length = 0;
    int failed = ubi__js_to_number(r->ctx, &length, value);
    JS_FreeValue(r->ctx, value);
    *out = length >= 1 ? length < MAX_MEMBERS ? (uint32_t)length : MAX_MEMBERS + 1 : 0;
    return failed;
}

static int read_members(reader *r, JSValueConst array, uint32_t length) {
    int failed = 0;
    for (uint32_t i = 0; i < length && !failed; i++) {
        JSValue member = JS_GetPropertyUint32(r->ctx, array, i);
        failed = JS_IsException(member) || (i && breakdown_write(r, ",")) || read_value(r, member) ? -1 : 0;
        JS_FreeValue(r->ctx, member);
    }
    return failed;
}

static int read_array(reader *r, JSValueConst array) {
    uint32_t length;
    if (read_length(r, array, &length))
        return -1;
    r->n_members += length;
    if (r->n_members > MAX_MEMBERS) {
        ubi__js_throw(r->ctx, UBI__JS_RANGE_ERROR, "takeCensus breakdown has more than %d array members", MAX_MEMBERS);
        return -1;
    }
    return breakdown_write(r, "[") || read_members(r, array, length) || breakdown_write(r, "]") ? -1 : 0;
}

/* ---- any value --------------------------------------------------------------------------------------------------- */

static int read_nested(reader *r, JSValueConst value) {
    if (JS_IsUndefined(value))
        return breakdown_write(r, "{\"by\":\"count\"}");
    if (JS_IsNull(value)) {
        ubi__js_throw(r->ctx, UBI__JS_TYPE_ERROR, "can't convert null to object");
        return -1;
    }
    return is_array(r->ctx, value) ? read_array(r, value) : read_object(r, value);
}

static int read_value(reader *r, JSValueConst value) {
    if (r->depth == UBI_BREAKDOWN_MAX_DEPTH) {
        ubi__js_throw(r->ctx, UBI__JS_RANGE_ERROR, "takeCensus breakdown is nested deeper than %d levels",
                      UBI_BREAKDOWN_MAX_DEPTH);
        return -1;
    }
    r->depth++;
    int failed = read_nested(r, value);
    r->depth--;
    return failed;
}

static int breakdown_parse(reader *r, JSValueConst value) {
    if (read_value(r, value))
        return -1;
    ubi_text json = { r->json.at, r->json.n };
    ubi_status status = ubi_breakdown_parse(&r->out->breakdown, json, UBI_COMPAT_NONE, NULL);
    if (status == UBI_OK)
        return 0;
    ubi__js_throw_status(r->ctx, status);
    return -1;
}

int ubi__js_breakdown_read_value(JSContext *ctx, ubi__js_breakdown *out, JSValueConst breakdown) {
    *out = (ubi__js_breakdown){ 0 };
    reader r = { .ctx = ctx, .out = out };
    int failed = JS_IsUndefined(breakdown) ? 0 : breakdown_parse(&r, breakdown);
    ubi__js_text_fini(ctx, &r.json);
    if (failed)
        ubi__js_breakdown_fini(ctx, out);
    return failed;
}

int ubi__js_breakdown_read(JSContext *ctx, ubi__js_breakdown *out, JSValueConst options) {
    *out = (ubi__js_breakdown){ 0 };
    if (!JS_IsObject(options))
        return 0;
    JSValue value = JS_GetPropertyStr(ctx, options, "breakdown");
    if (JS_IsException(value))
        return -1;
    int failed = ubi__js_breakdown_read_value(ctx, out, value);
    JS_FreeValue(ctx, value);
    return failed;
}

void ubi__js_breakdown_fini(JSContext *ctx, ubi__js_breakdown *breakdown) {
    for (uint32_t i = 0; i < breakdown->n_labels; i++)
        JS_FreeValue(ctx, breakdown->labels[i]);
    js_free(ctx, breakdown->labels);
    ubi_breakdown_unref(breakdown->breakdown);
    *breakdown = (ubi__js_breakdown){ 0 };
}
