/* SPDX-License-Identifier: MIT
 *
 * breakdown_parse.c: JSON text to breakdown.
 *
 * Follows Firefox's ParseBreakdown step by step with JSON values in the place of JavaScript ones: which property is
 * read when decides which of several mistakes is reported. What JSON cannot say (getters, undefined, cyclic objects)
 * does not arise. Our own recursion is bounded by UBI_BREAKDOWN_MAX_DEPTH, jansson's by its own limit.
 *
 * Source: mozilla-central js/src/vm/UbiNodeCensus.cpp, ParseBreakdown.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "analyses/census/breakdown.h"
#include "base/json_writer.h"
#include "base/text.h"

/** A kind of breakdown and its parts, in the order in which they are read. */
typedef struct grammar_row {
    const char *name;
    ubi_breakdown_by by;
    const char *parts[UBI_COARSE_TYPE_COUNT + 1];
} grammar_row;

static const grammar_row grammar[] = {
    { "count", UBI_BY_COUNT, { NULL } },
    { "bucket", UBI_BY_BUCKET, { NULL } },
    { "objectClass", UBI_BY_OBJECT_CLASS, { "then", "other" } },
    { "coarseType", UBI_BY_COARSE_TYPE, { "objects", "scripts", "strings", "other", "domNode" } },
    { "internalType", UBI_BY_INTERNAL_TYPE, { "then" } },
    { "descriptiveType", UBI_BY_DESCRIPTIVE_TYPE, { "then" } },
    { "allocationStack", UBI_BY_ALLOCATION_STACK, { "then", "noStack" } },
    { "filename", UBI_BY_FILENAME, { "then", "noFilename" } },
};

typedef struct parser {
    const ubi_allocator *allocator;
    ubi__breakdown_tree *tree;
    ubi_compat compat;
    unsigned depth;
    unsigned open_kinds; /* bit 1 << by for each kind that we are inside of */
} parser;

/* ---- JavaScript's ToString and ToBoolean of JSON values ---------------------------------------------------------- */

static ubi_status append_bytes(ubi__vec_u8 *out, const ubi_allocator *allocator, const char *bytes, size_t n) {
    UBI_TRY(ubi__vec_u8_reserve(out, allocator, n));
    if (n)
        memcpy(out->at + out->n, bytes, n);
    out->n += n;
    return UBI_OK;
}

/** Anything but an array. */
static ubi_status append_scalar(ubi__vec_u8 *out, const ubi_allocator *allocator, const json_t *value) {
    char number[32];
    switch (json_typeof(value)) {
    case JSON_STRING:
        return append_bytes(out, allocator, json_string_value(value), json_string_length(value));
    case JSON_INTEGER:
    case JSON_REAL:
        return append_bytes(out, allocator, number, ubi__number_text(number, json_number_value(value)));
    case JSON_TRUE:
        return append_bytes(out, allocator, "true", 4);
    case JSON_FALSE:
        return append_bytes(out, allocator, "false", 5);
    case JSON_NULL:
        return append_bytes(out, allocator, "null", 4);
    default:
        return append_bytes(out, allocator, "[object Object]", 15);
    }
}

typedef struct array_cursor {
    const json_t *array;
    size_t next;
} array_cursor;

UBI_VEC_DECLARE(vec_cursor, array_cursor);

/** An array joins its elements with commas, null as nothing, arrays inside it likewise. */
static ubi_status append_joined(ubi__vec_u8 *out, const ubi_allocator *allocator, vec_cursor *open) {
    while (open->n) {
        array_cursor *top = &open->at[open->n - 1];
        if (top->next == json_array_size(top->array)) {
            open->n--;
            continue;
        }
        if (top->next)
            UBI_TRY(append_bytes(out, allocator, ",", 1));
        const json_t *element = json_array_get(top->array, top->next++);
        if (json_is_array(element))
            UBI_TRY(vec_cursor_push(open, allocator, (array_cursor){ element, 0 }));
        else if (!json_is_null(element))
            UBI_TRY(append_scalar(out, allocator, element));
    }
    return UBI_OK;
}

/** Appends ToString(value). */
static ubi_status append_string(ubi__vec_u8 *out, const ubi_allocator *allocator, const json_t *value) {
    if (!json_is_array(value))
        return append_scalar(out, allocator, value);
    vec_cursor open = { 0 };
    ubi_status status = vec_cursor_push(&open, allocator, (array_cursor){ value, 0 });
    if (status == UBI_OK)
        status = append_joined(out, allocator, &open);
    vec_cursor_fini(&open, allocator);
    return status;
}

static bool to_boolean(const json_t *value) {
    switch (json_typeof(value)) {
    case JSON_NULL:
    case JSON_FALSE:
        return false;
    case JSON_INTEGER:
    case JSON_REAL:
        return json_number_value(value) != 0;
    case JSON_STRING:
        return json_string_length(value) != 0;
    default:
        return true;
    }
}

/* ---- mistakes ---------------------------------------------------------------------------------------------------- */

/** One UTF-16 unit as SpiderMonkey's QuoteString writes it; bytes written to out[7]. */
static size_t quote_unit(char *out, uint32_t unit) {
    static const char escapes[] = "\bb\ff\nn\rr\tt\vv\"\"\\\\";
    static const char hex[] = "0123456789ABCDEF";
    for (const char *e = escapes; *e; e += 2)
        if (unit == (uint32_t)*e) {
            out[0] = '\\';
            out[1] = e[1];
            return 2;
        }
    if (unit >= ' ' && unit < 0x7f) {
        out[0] = (char)unit;
        return 1;
    }
    unsigned digits = unit < 256 ? 2 : 4;
    out[0] = '\\';
    out[1] = unit < 256 ? 'x' : 'u';
    for (unsigned i = 0; i < digits; i++)
        out[2 + i] = hex[unit >> 4 * (digits - 1 - i) & 15];
    return 2 + digits;
}

/** `text` with JavaScript escapes, cut to fit. */
static void quote(char *out, size_t size, ubi_text text) {
    size_t n = 0;
    for (size_t at = 0, used; at < text.len && n + 16 < size; at += used) {
        uint32_t c;
        used = ubi__wtf8_decode((const uint8_t *)text.ptr + at, text.len - at, &c);
        used = used ? used : 1;
        if (c > 0xffff) {
            n += quote_unit(out + n, 0xd800 + ((c - 0x10000) >> 10));
            n += quote_unit(out + n, 0xdc00 + ((c - 0x10000) & 0x3ff));
        } else {
            n += quote_unit(out + n, c);
        }
    }
    out[n] = '\0';
}

static ubi_status fail_by(const char *what, ubi_text by) {
    char quoted[160];
    quote(quoted, sizeof quoted, by);
    return ubi__fail(UBI_EINVAL, "%s: \"%s\"", what, quoted);
}

static ubi_status fail_unrecognized(ubi_text by) {
    return fail_by("unrecognized 'by' value in takeCensus breakdown", by);
}

/** jansson's own words on one line; it may quote the input. */
static ubi_status fail_syntax(const json_error_t *error) {
    if (json_error_code(error) == json_error_out_of_memory)
        return ubi__fail_nomem();
    char words[JSON_ERROR_TEXT_LENGTH];
    size_t n = 0;
    for (; error->text[n] && n + 1 < sizeof words; n++)
        words[n] = (unsigned char)error->text[n] < ' ' ? ' ' : error->text[n];
    words[n] = '\0';
    return ubi__fail(UBI_EINVAL, "the breakdown is not JSON: line %d, column %d: %s", error->line, error->column,
                     words);
}

/* ---- the grammar ------------------------------------------------------------------------------------------------- */

static ubi_status parse_value(parser *p, uint32_t place, const json_t *value);

static ubi_status parse_label(parser *p, uint32_t place, const json_t *label) {
    ubi__vec_u8 *text = &p->tree->text;
    size_t start = text->n;
    UBI_TRY(append_string(text, p->allocator, label));
    if (p->compat == UBI_COMPAT_FIREFOX && text->n > start) /* kept there as a C string */
        text->n = start + strnlen((const char *)text->at + start, text->n - start);
    ubi_breakdown *b = &p->tree->nodes.at[place];
    b->has_label = true;
    b->label_start = start;
    b->label_len = (uint32_t)(text->n - start);
    return UBI_OK;
}

static ubi_status parse_count(parser *p, uint32_t place, const json_t *object) {
    ubi_breakdown *b = &p->tree->nodes.at[place];
    const json_t *count = json_object_get(object, "count");
    const json_t *bytes = json_object_get(object, "bytes");
    const json_t *label = json_object_get(object, "label");
    b->count_written = count != NULL;
    b->bytes_written = bytes != NULL;
    b->has_count = !count || to_boolean(count);
    b->has_bytes = !bytes || to_boolean(bytes);
    return label ? parse_label(p, place, label) : UBI_OK;
}

static ubi_status parse_parts(parser *p, uint32_t place, const json_t *object, const grammar_row *row) {
    uint32_t n = 0;
    while (row->parts[n])
        n++;
    uint32_t first;
    UBI_TRY(ubi__breakdown_tree_append(p->tree, &first, n));
    p->tree->nodes.at[place].first_child = first;
    p->tree->nodes.at[place].n_children = n;
    for (uint32_t i = 0; i < n; i++) {
        const json_t *part = json_object_get(object, row->parts[i]);
        if (part)
            UBI_TRY(parse_value(p, first + i, part));
    }
    return UBI_OK;
}

static ubi_status parse_kind(parser *p, uint32_t place, const json_t *object, ubi_text by) {
    const grammar_row *row = NULL;
    for (size_t i = 0; i < sizeof grammar / sizeof *grammar; i++)
        if (ubi__text_is(by, grammar[i].name))
            row = &grammar[i];
    if (!row)
        return fail_unrecognized(by);
    unsigned bit = 1u << row->by;
    if (p->open_kinds & bit)
        return fail_by("takeCensus breakdown 'by' value nested within itself", by);
    p->tree->nodes.at[place].by = row->by;
    if (row->by == UBI_BY_COUNT)
        return parse_count(p, place, object);
    p->open_kinds |= bit;
    ubi_status status = parse_parts(p, place, object, row);
    p->open_kinds &= ~bit;
    return status;
}

static ubi_status parse_object(parser *p, uint32_t place, const json_t *object) {
    const json_t *by_value = json_object_get(object, "by");
    if (!by_value)
        return fail_unrecognized(ubi__text("undefined"));
    ubi__vec_u8 by = { 0 };
    ubi_status status = append_string(&by, p->allocator, by_value);
    if (status == UBI_OK)
        status = parse_kind(p, place, object, (ubi_text){ by.n ? (const char *)by.at : "", by.n });
    ubi__vec_u8_fini(&by, p->allocator);
    return status;
}

static ubi_status parse_array(parser *p, uint32_t place, const json_t *array) {
    if (json_array_size(array) >= UINT32_MAX / 2)
        return ubi__fail(UBI_EINVAL, "a breakdown array has more than 2^31 members");
    uint32_t n = (uint32_t)json_array_size(array), first;
    UBI_TRY(ubi__breakdown_tree_append(p->tree, &first, n));
    ubi_breakdown *b = &p->tree->nodes.at[place];
    b->by = UBI_BY_ARRAY;
    b->first_child = first;
    b->n_children = n;
    for (uint32_t i = 0; i < n; i++) {
        snprintf(p->tree->nodes.at[first + i].member_name, sizeof b->member_name, "[%" PRIu32 "]", i);
        UBI_TRY(parse_value(p, first + i, json_array_get(array, i)));
    }
    return UBI_OK;
}

static ubi_status parse_nested(parser *p, uint32_t place, const json_t *value) {
    if (json_is_null(value))
        return ubi__fail(UBI_EINVAL, "can't convert null to object");
    if (json_is_object(value))
        return parse_object(p, place, value);
    if (json_is_array(value) && p->compat != UBI_COMPAT_FIREFOX)
        return parse_array(p, place, value);
    return fail_unrecognized(ubi__text("undefined")); /* other values have no property `by` */
}

static ubi_status parse_value(parser *p, uint32_t place, const json_t *value) {
    if (p->depth == UBI_BREAKDOWN_MAX_DEPTH)
        return ubi__fail(UBI_EINVAL, "the breakdown is nested deeper than %d levels", UBI_BREAKDOWN_MAX_DEPTH);
    p->depth++;
    p->tree->nodes.at[place].written = true;
    ubi_status status = parse_nested(p, place, value);
    p->depth--;
    return status;
}

static ubi_status parse_json(parser *p, const json_t *json) {
    UBI_TRY(ubi__breakdown_tree_new(&p->tree, p->allocator));
    uint32_t root;
    ubi_status status = ubi__breakdown_tree_append(p->tree, &root, 1);
    if (status == UBI_OK)
        status = parse_value(p, root, json);
    if (status != UBI_OK)
        ubi__breakdown_tree_unref(p->tree);
    return status;
}

ubi_status ubi_breakdown_parse(ubi_breakdown **out, ubi_text json, ubi_compat compat, const ubi_allocator *allocator) {
    if (!json.ptr)
        json = ubi__text(ubi_breakdown_preset_find("default")->json);
    json_error_t error;
    json_t *value = json_loadb(json.ptr, json.len, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL, &error);
    if (!value)
        return fail_syntax(&error);
    parser p = { .allocator = ubi__allocator_or_default(allocator), .compat = compat };
    ubi_status status = parse_json(&p, value);
    json_decref(value);
    if (status == UBI_OK)
        *out = ubi__breakdown_tree_root(p.tree);
    return status;
}
