/* SPDX-License-Identifier: MIT
 *
 * breakdown.c: breakdowns: the tree, the parser and the presets.
 */
#include "analyses/census/breakdown.h"

#include <ubiheap/core/census.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/text.h"

/* ==== THE TREE ================================================================================================== */

void ubi__breakdown_tree_check(const ubi__breakdown_tree *tree) {
    uint64_t n_children = 0;
    for (size_t i = 0; UBI_CHECKS && i < tree->nodes.n; i++) {
        const ubi_breakdown *b = &tree->nodes.at[i];
        UBI_ASSERT(b->tree == tree);
        UBI_ASSERT(b->n_children == 0 || b->first_child > i);
        UBI_ASSERT(b->n_children == 0 || (b->by != UBI_BY_COUNT && b->by != UBI_BY_BUCKET));
        UBI_ASSERT(b->label_start + b->label_len <= tree->text.n);
        n_children += b->n_children;
        UBI_ASSERT(n_children < tree->nodes.n);
    }
    UBI_ASSERT(!UBI_CHECKS || n_children + 1 == tree->nodes.n);
}

ubi_status ubi__breakdown_tree_new(ubi__breakdown_tree **out, const ubi_allocator *allocator) {
    ubi__breakdown_tree *tree = UBI_NEW(allocator, ubi__breakdown_tree);
    if (!tree)
        return ubi__fail_nomem();
    tree->allocator = allocator;
    atomic_init(&tree->references, 1);
    *out = tree;
    return UBI_OK;
}

void ubi__breakdown_tree_unref(ubi__breakdown_tree *tree) {
    if (!tree || atomic_fetch_sub_explicit(&tree->references, 1, memory_order_acq_rel) != 1)
        return;
    const ubi_allocator *allocator = tree->allocator;
    ubi__vec_breakdown_fini(&tree->nodes, allocator);
    ubi__vec_u8_fini(&tree->text, allocator);
    UBI_DELETE(allocator, tree);
}

ubi_status ubi__breakdown_tree_append(ubi__breakdown_tree *tree, uint32_t *first, uint32_t n) {
    UBI_TRY(ubi__vec_breakdown_reserve(&tree->nodes, tree->allocator, n));
    *first = (uint32_t)tree->nodes.n;
    for (uint32_t i = 0; i < n; i++)
        tree->nodes.at[tree->nodes.n++] =
            (ubi_breakdown){ .tree = tree, .by = UBI_BY_COUNT, .has_count = true, .has_bytes = true };
    return UBI_OK;
}

ubi_breakdown *ubi__breakdown_tree_root(ubi__breakdown_tree *tree) {
    ubi__breakdown_tree_check(tree);
    return tree->nodes.at;
}

ubi_breakdown *ubi_breakdown_ref(ubi_breakdown *breakdown) {
    if (breakdown)
        atomic_fetch_add_explicit(&breakdown->tree->references, 1, memory_order_relaxed);
    return breakdown;
}

void ubi_breakdown_unref(ubi_breakdown *breakdown) {
    if (breakdown)
        ubi__breakdown_tree_unref(breakdown->tree);
}

ubi_breakdown_by ubi_breakdown_kind(const ubi_breakdown *breakdown) {
    return breakdown->by;
}

ubi_text ubi__breakdown_label(const ubi_breakdown *breakdown) {
    if (!breakdown->has_label)
        return (ubi_text){ NULL, 0 };
    const ubi__vec_u8 *text = &breakdown->tree->text;
    return (ubi_text){ text->at ? (const char *)text->at + breakdown->label_start : "", breakdown->label_len };
}

static bool shows_the_same(const ubi_breakdown *a, const ubi_breakdown *b) {
    return a->by == b->by && a->n_children == b->n_children && a->has_count == b->has_count &&
           a->has_bytes == b->has_bytes && a->has_label == b->has_label &&
           ubi__text_equal(ubi__breakdown_label(a), ubi__breakdown_label(b));
}

bool ubi__breakdown_equal(const ubi_breakdown *a, const ubi_breakdown *b) {
    if (a == b)
        return true;
    if (!shows_the_same(a, b))
        return false;
    for (uint32_t i = 0; i < a->n_children; i++) /* bounded by UBI_BREAKDOWN_MAX_DEPTH */
        if (!ubi__breakdown_equal(ubi__breakdown_child(a, i), ubi__breakdown_child(b, i)))
            return false;
    return true;
}

bool ubi__breakdown_mentions(const ubi_breakdown *breakdown, ubi_breakdown_by by) {
    if (breakdown->by == by)
        return true;
    for (uint32_t i = 0; i < breakdown->n_children; i++) /* bounded by UBI_BREAKDOWN_MAX_DEPTH */
        if (ubi__breakdown_mentions(ubi__breakdown_child(breakdown, i), by))
            return true;
    return false;
}

static ubi_status copy_as_bucket(ubi__breakdown_tree *to, uint32_t place, const ubi_breakdown *from) {
    ubi_breakdown *copy = &to->nodes.at[place];
    copy->by = from->by == UBI_BY_COUNT ? UBI_BY_BUCKET : from->by;
    copy->was_written = from->was_written;
    memcpy(copy->member_name, from->member_name, sizeof copy->member_name);
    if (from->n_children == 0)
        return UBI_OK;
    uint32_t first;
    UBI_TRY(ubi__breakdown_tree_append(to, &first, from->n_children));
    to->nodes.at[place].first_child = first;
    to->nodes.at[place].n_children = from->n_children;
    for (uint32_t i = 0; i < from->n_children; i++) /* bounded by UBI_BREAKDOWN_MAX_DEPTH */
        UBI_TRY(copy_as_bucket(to, first + i, ubi__breakdown_child(from, i)));
    return UBI_OK;
}

ubi_status ubi__breakdown_count_to_bucket(ubi_breakdown **out, const ubi_breakdown *breakdown,
                                          const ubi_allocator *allocator) {
    ubi__breakdown_tree *tree = NULL;
    UBI_TRY(ubi__breakdown_tree_new(&tree, allocator));
    uint32_t root;
    ubi_status status = ubi__breakdown_tree_append(tree, &root, 1);
    if (status == UBI_OK)
        status = copy_as_bucket(tree, root, breakdown);
    if (status != UBI_OK) {
        ubi__breakdown_tree_unref(tree);
        return status;
    }
    *out = ubi__breakdown_tree_root(tree);
    return UBI_OK;
}

ubi_status ubi__breakdown_or_default(ubi_breakdown **out, const ubi_breakdown *breakdown,
                                     const ubi_allocator *allocator) {
    if (!breakdown)
        return ubi_breakdown_parse(out, (ubi_text){ NULL, 0 }, UBI_COMPAT_NONE, allocator);
    /* References are counted even through a const pointer: what a breakdown says never changes. */
    *out = ubi_breakdown_ref((ubi_breakdown *)breakdown);
    return UBI_OK;
}

/* ==== PARSING =================================================================================================== */

/*
 * JSON text to breakdown.
 *
 * Follows Firefox's ParseBreakdown step by step with JSON values instead of JavaScript ones: which property is
 * read when decides which of several mistakes is reported. What JSON cannot say (getters, undefined, cyclic objects)
 * does not arise. Recursion is bounded by UBI_BREAKDOWN_MAX_DEPTH.
 *
 * Values are slices of the text, which was checked as a whole: all memory is the allocator's, so that its lack is reported as such.
 *
 * Source: mozilla-central js/src/vm/UbiNodeCensus.cpp, ParseBreakdown.
 */

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

static ubi_status append_number(ubi__vec_u8 *out, const ubi_allocator *allocator, const ubi__json_value *value) {
    char number[32];
    double d;
    if (!ubi__json_value_number(&d, value))
        return ubi__fail(UBI_EINVAL, "the breakdown has a number that is too large");
    return append_bytes(out, allocator, number, ubi__number_text(number, d));
}

static ubi_status append_text(ubi__vec_u8 *out, const ubi_allocator *allocator, const ubi__json_value *value) {
    ubi__vec_u8 scratch = { 0 };
    ubi_text text;
    ubi_status status = ubi__json_value_text(&text, value, &scratch, allocator);
    if (status == UBI_OK)
        status = append_bytes(out, allocator, text.ptr, text.len);
    ubi__vec_u8_fini(&scratch, allocator);
    return status;
}

/** Anything but an array. */
static ubi_status append_scalar(ubi__vec_u8 *out, const ubi_allocator *allocator, const ubi__json_value *value) {
    switch (value->type) {
    case UBI__JSON_STRING:
        return append_text(out, allocator, value);
    case UBI__JSON_NUMBER:
        return append_number(out, allocator, value);
    case UBI__JSON_OBJECT:
        return append_bytes(out, allocator, "[object Object]", 15);
    default: /* true, false and null are their own text */
        return append_bytes(out, allocator, value->raw.ptr, value->raw.len);
    }
}

typedef struct array_cursor {
    ubi__json_cursor at;
    bool has_element;
} array_cursor;

UBI_VEC_DECLARE(vec_cursor, array_cursor);

static ubi_status open_array(vec_cursor *open, const ubi_allocator *allocator, const ubi__json_value *array) {
    array_cursor cursor = { .has_element = false };
    ubi__json_cursor_open(&cursor.at, array->raw, UBI__JSON_ARRAY);
    return vec_cursor_push(open, allocator, cursor);
}

/** An array joins its elements with commas, null as nothing, arrays inside it likewise. */
static ubi_status append_joined(ubi__vec_u8 *out, const ubi_allocator *allocator, vec_cursor *open) {
    while (open->n) {
        array_cursor *top = &open->at[open->n - 1];
        ubi__json_value element;
        if (!ubi__json_cursor_next_element(&top->at, &element)) {
            open->n--;
            continue;
        }
        if (top->has_element)
            UBI_TRY(append_bytes(out, allocator, ",", 1));
        top->has_element = true;
        if (element.type == UBI__JSON_ARRAY)
            UBI_TRY(open_array(open, allocator, &element));
        else if (element.type != UBI__JSON_NULL)
            UBI_TRY(append_scalar(out, allocator, &element));
    }
    return UBI_OK;
}

/** Appends ToString(value). */
static ubi_status append_string(ubi__vec_u8 *out, const ubi_allocator *allocator, const ubi__json_value *value) {
    if (value->type != UBI__JSON_ARRAY)
        return append_scalar(out, allocator, value);
    vec_cursor open = { 0 };
    ubi_status status = open_array(&open, allocator, value);
    if (status == UBI_OK)
        status = append_joined(out, allocator, &open);
    vec_cursor_fini(&open, allocator);
    return status;
}

static bool to_boolean(const ubi__json_value *value) {
    double number;
    switch (value->type) {
    case UBI__JSON_NULL:
    case UBI__JSON_FALSE:
        return false;
    case UBI__JSON_NUMBER:
        return !ubi__json_value_number(&number, value) || number != 0; /* what is too large is not 0 */
    case UBI__JSON_STRING:
        return value->raw.len != 0;
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
static void quote_name(char *out, size_t size, ubi_text text) {
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
    quote_name(quoted, sizeof quoted, by);
    return ubi__fail(UBI_EINVAL, "%s: \"%s\"", what, quoted);
}

static ubi_status fail_unrecognized(ubi_text by) {
    return fail_by("unrecognized 'by' value in takeCensus breakdown", by);
}

/** Where the text stops being JSON, in lines and characters from 1. */
static ubi_status fail_syntax(ubi_text json, const char *at, const char *expected) {
    unsigned line = 1, column = 1;
    for (const char *c = json.ptr; c < at; c++) {
        if (*c == '\n') {
            line++;
            column = 0;
        }
        column += ((uint8_t)*c & 0xc0) != 0x80;
    }
    return ubi__fail(UBI_EINVAL, "the breakdown is not JSON: line %u, column %u: expected %s", line, column, expected);
}

/* ---- the members of an object ------------------------------------------------------------------------------------ */

/** All that are asked for, by whatever kind. */
enum {
    MEMBER_BY,
    MEMBER_COUNT,
    MEMBER_BYTES,
    MEMBER_LABEL,
    MEMBER_THEN,
    MEMBER_OTHER,
    MEMBER_NO_STACK,
    MEMBER_NO_FILENAME,
    MEMBER_OBJECTS,
    MEMBER_SCRIPTS,
    MEMBER_STRINGS,
    MEMBER_DOM_NODE,
    N_MEMBERS
};

static const char *const member_names[N_MEMBERS] = {
    "by",      "count",      "bytes",   "label",   "then",    "other",
    "noStack", "noFilename", "objects", "scripts", "strings", "domNode"
};

typedef struct object {
    ubi__json_value member[N_MEMBERS];
    bool is_present[N_MEMBERS];
} object;

static unsigned member_named(ubi_text key) {
    unsigned i = 0;
    while (i < N_MEMBERS && !ubi__text_is(key, member_names[i]))
        i++;
    return i;
}

/** Of members of one name the last counts. */
static ubi_status read_object(object *out, const ubi__json_value *value, const ubi_allocator *allocator) {
    ubi__json_cursor cursor;
    ubi__json_value key, member;
    ubi__vec_u8 scratch = { 0 };
    ubi_status status = UBI_OK;
    *out = (object){ .is_present = { false } };
    ubi__json_cursor_open(&cursor, value->raw, UBI__JSON_OBJECT);
    while (status == UBI_OK && ubi__json_cursor_next_member(&cursor, &key, &member)) {
        ubi_text name;
        status = ubi__json_value_text(&name, &key, &scratch, allocator);
        unsigned i = status == UBI_OK ? member_named(name) : N_MEMBERS;
        if (i == N_MEMBERS)
            continue;
        out->member[i] = member;
        out->is_present[i] = true;
    }
    ubi__vec_u8_fini(&scratch, allocator);
    return status;
}

/** NULL: there is none. */
static const ubi__json_value *member_of(const object *o, unsigned i) {
    return o->is_present[i] ? &o->member[i] : NULL;
}

/* ---- the grammar ------------------------------------------------------------------------------------------------- */

static ubi_status parse_value(parser *p, uint32_t place, const ubi__json_value *value);

static ubi_status parse_label(parser *p, uint32_t place, const ubi__json_value *label) {
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

static ubi_status parse_count(parser *p, uint32_t place, const object *o) {
    ubi_breakdown *b = &p->tree->nodes.at[place];
    const ubi__json_value *count = member_of(o, MEMBER_COUNT);
    const ubi__json_value *bytes = member_of(o, MEMBER_BYTES);
    const ubi__json_value *label = member_of(o, MEMBER_LABEL);
    b->was_count_written = count != NULL;
    b->was_bytes_written = bytes != NULL;
    b->has_count = !count || to_boolean(count);
    b->has_bytes = !bytes || to_boolean(bytes);
    return label ? parse_label(p, place, label) : UBI_OK;
}

static ubi_status parse_parts(parser *p, uint32_t place, const object *o, const grammar_row *row) {
    uint32_t n = 0;
    while (row->parts[n])
        n++;
    uint32_t first;
    UBI_TRY(ubi__breakdown_tree_append(p->tree, &first, n));
    p->tree->nodes.at[place].first_child = first;
    p->tree->nodes.at[place].n_children = n;
    for (uint32_t i = 0; i < n; i++) {
        const ubi__json_value *part = member_of(o, member_named(ubi__text(row->parts[i])));
        if (part)
            UBI_TRY(parse_value(p, first + i, part));
    }
    return UBI_OK;
}

static ubi_status parse_kind(parser *p, uint32_t place, const object *o, ubi_text by) {
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
        return parse_count(p, place, o);
    p->open_kinds |= bit;
    ubi_status status = parse_parts(p, place, o, row);
    p->open_kinds &= ~bit;
    return status;
}

static ubi_status parse_object(parser *p, uint32_t place, const ubi__json_value *value) {
    object o;
    UBI_TRY(read_object(&o, value, p->allocator));
    if (!o.is_present[MEMBER_BY])
        return fail_unrecognized(ubi__text("undefined"));
    ubi__vec_u8 by = { 0 };
    ubi_status status = append_string(&by, p->allocator, &o.member[MEMBER_BY]);
    if (status == UBI_OK)
        status = parse_kind(p, place, &o, (ubi_text){ by.n ? (const char *)by.at : "", by.n });
    ubi__vec_u8_fini(&by, p->allocator);
    return status;
}

static ubi_status count_elements(uint32_t *n, const ubi__json_value *array) {
    ubi__json_cursor cursor;
    ubi__json_value element;
    *n = 0;
    ubi__json_cursor_open(&cursor, array->raw, UBI__JSON_ARRAY);
    while (ubi__json_cursor_next_element(&cursor, &element))
        if (++*n >= UINT32_MAX / 2)
            return ubi__fail(UBI_EINVAL, "a breakdown array has more than 2^31 members");
    return UBI_OK;
}

static ubi_status parse_array(parser *p, uint32_t place, const ubi__json_value *array) {
    uint32_t n, first;
    UBI_TRY(count_elements(&n, array));
    UBI_TRY(ubi__breakdown_tree_append(p->tree, &first, n));
    ubi_breakdown *b = &p->tree->nodes.at[place];
    b->by = UBI_BY_ARRAY;
    b->first_child = first;
    b->n_children = n;
    ubi__json_cursor cursor;
    ubi__json_value element;
    ubi__json_cursor_open(&cursor, array->raw, UBI__JSON_ARRAY);
    for (uint32_t i = 0; i < n && ubi__json_cursor_next_element(&cursor, &element); i++) {
        snprintf(p->tree->nodes.at[first + i].member_name, sizeof b->member_name, "[%" PRIu32 "]", i);
        UBI_TRY(parse_value(p, first + i, &element));
    }
    return UBI_OK;
}

static ubi_status parse_nested(parser *p, uint32_t place, const ubi__json_value *value) {
    if (value->type == UBI__JSON_NULL)
        return ubi__fail(UBI_EINVAL, "can't convert null to object");
    if (value->type == UBI__JSON_OBJECT)
        return parse_object(p, place, value);
    if (value->type == UBI__JSON_ARRAY && p->compat != UBI_COMPAT_FIREFOX)
        return parse_array(p, place, value);
    return fail_unrecognized(ubi__text("undefined")); /* other values have no property `by` */
}

static ubi_status parse_value(parser *p, uint32_t place, const ubi__json_value *value) {
    if (p->depth == UBI_BREAKDOWN_MAX_DEPTH)
        return ubi__fail(UBI_EINVAL, "the breakdown is nested deeper than %d levels", UBI_BREAKDOWN_MAX_DEPTH);
    p->depth++;
    p->tree->nodes.at[place].was_written = true;
    ubi_status status = parse_nested(p, place, value);
    p->depth--;
    return status;
}

static ubi_status parse_json(parser *p, const ubi__json_value *json) {
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
    ubi__json_cursor cursor;
    ubi__json_value value;
    size_t n_valid = ubi__utf8_valid_prefix(json);
    if (n_valid < json.len)
        return fail_syntax(json, json.ptr + n_valid, "UTF-8");
    if (!ubi__json_value_whole(&cursor, &value, json))
        return fail_syntax(json, cursor.at, cursor.fault);
    parser p = { .allocator = ubi__allocator_or_default(allocator), .compat = compat };
    UBI_TRY(parse_json(&p, &value));
    *out = ubi__breakdown_tree_root(p.tree);
    return UBI_OK;
}

/* ==== PRESETS =================================================================================================== */

/*
 * Breakdowns that have a name.
 *
 * The displays of Firefox's memory panel keep its ids, titles and choice of inversion; the rest group by one thing
 * only. All parts are written out, because Firefox's census trees need that.
 *
 * Source: mozilla-central devtools/client/memory/constants.js.
 */

#define COUNT "{\"by\":\"count\",\"count\":true,\"bytes\":true}"
#define INTERNAL_OF(then) "{\"by\":\"internalType\",\"then\":" then "}"
#define INTERNAL INTERNAL_OF(COUNT)
#define DESCRIPTIVE "{\"by\":\"descriptiveType\",\"then\":" COUNT "}"
#define CLASS "{\"by\":\"objectClass\",\"then\":" COUNT ",\"other\":" COUNT "}"
#define FILENAME_OF(then) "{\"by\":\"filename\",\"then\":" then ",\"noFilename\":" then "}"
#define STACK_OF(then) "{\"by\":\"allocationStack\",\"then\":" then ",\"noStack\":" then "}"
#define COARSE_OF(objects, strings, scripts, other, dom_node)                                                          \
    "{\"by\":\"coarseType\",\"objects\":" objects ",\"strings\":" strings ",\"scripts\":" scripts ",\"other\":" other  \
    ",\"domNode\":" dom_node "}"

#define COARSE COARSE_OF(CLASS, COUNT, FILENAME_OF(INTERNAL), INTERNAL, DESCRIPTIVE)
#define LABEL COARSE_OF(CLASS, INTERNAL, INTERNAL_OF(FILENAME_OF(COUNT)), INTERNAL, DESCRIPTIVE)

static const ubi_breakdown_preset presets[] = {
    { "coarseType", "Type", "what things are: class, type or file first, then the coarse type", COARSE, true },
    { "allocationStack", "Call Stack", "where things were allocated, oldest caller first", STACK_OF(COUNT), false },
    { "invertedAllocationStack", "Inverted Call Stack", "where things were allocated, allocating function first",
      STACK_OF(COUNT), true },
    { "treeMap", "Tree Map", "what things are: coarse type first, then class, type or file", COARSE, false },
    { "label", "Label", "the words that describe a single node", LABEL, false },
    { "labelAllocationStack", "Label by Call Stack", "where a single node was allocated, and what it is",
      STACK_OF(LABEL), false },
    { "default", "Default", "what takeCensus counts without a breakdown",
      COARSE_OF(CLASS, COUNT, COUNT, INTERNAL, DESCRIPTIVE), false },
    { "count", "Count", "one sum over everything", COUNT, false },
    { "objectClass", "Class", "JavaScript class of objects, all else under other", CLASS, false },
    { "internalType", "Internal Type", "the engine's own type names", INTERNAL, false },
    { "filename", "File", "source file of scripts, all else under noFilename", FILENAME_OF(COUNT), false },
    { "domNode", "DOM Node", "node names of DOM nodes beside the other coarse types",
      COARSE_OF(COUNT, COUNT, COUNT, COUNT, DESCRIPTIVE), false },
    { "objectClassAllocationStack", "Class by Call Stack", "for each class, where its objects were allocated",
      "{\"by\":\"objectClass\",\"then\":" STACK_OF(COUNT) ",\"other\":" STACK_OF(COUNT) "}", false },
    { NULL, NULL, NULL, NULL, false },
};

const ubi_breakdown_preset *ubi_breakdown_presets(void) {
    return presets;
}

const ubi_breakdown_preset *ubi_breakdown_preset_find(const char *name) {
    for (const ubi_breakdown_preset *preset = presets; preset->name; preset++)
        if (name && strcmp(preset->name, name) == 0)
            return preset;
    return NULL;
}
