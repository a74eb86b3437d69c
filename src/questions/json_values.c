/* SPDX-License-Identifier: MIT
 *
 * json_values.c: parameters as a JSON object, by the same tables as options (usage.h).
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/human.h"
#include "base/json_reader.h"
#include "base/status.h"
#include "base/text.h"
#include "questions/usage.h"

#define LONGEST_NAME 63
#define MOST_PARAMETERS 64

typedef struct reader {
    ubi__json_values *out;
    uint64_t seen; /* a bit per row of the table */
    ubi__vec_u8 scratch;
    char name[LONGEST_NAME + 1]; /* of the member that is read */
} reader;

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

/* ---- texts -------------------------------------------------------------------------------------------------------- */

/* Or the text could not be written as it was read. */
static ubi_status utf8_require(const reader *r, ubi_text text) {
    uint32_t c, before = 0;
    for (size_t at = 0, n; at < text.len; at += n, before = c) {
        n = ubi__wtf8_decode((const uint8_t *)text.ptr + at, text.len - at, &c);
        bool is_split_pair = (before & ~0x3ffU) == 0xd800 && (c & ~0x3ffU) == 0xdc00; /* one character in six bytes */
        if (n == 0 || is_split_pair)
            return ubi__fail(UBI_EINVAL, "%s: expected a text in UTF-8", r->name);
    }
    return UBI_OK;
}

/* A string of the object, ended by a zero. There is room for all of them, so those before stay where they are. */
static ubi_status text_keep(const char **out, reader *r, const ubi__json_value *value) {
    ubi_text text = { NULL, 0 };
    ubi__vec_u8 *texts = &r->out->texts;
    if (value->type != UBI__JSON_STRING)
        return ubi__fail(UBI_EINVAL, "%s: expected a string", r->name);
    UBI_TRY(ubi__json_value_text(&text, value, &r->scratch, memory()));
    if (memchr(text.len ? text.ptr : "", 0, text.len))
        return ubi__fail(UBI_EINVAL, "%s: expected a text without a zero in it", r->name);
    UBI_TRY(utf8_require(r, text));
    UBI_ASSERT(texts->cap - texts->n > text.len);
    *out = (const char *)texts->at + texts->n;
    if (text.len)
        memcpy(texts->at + texts->n, text.ptr, text.len);
    texts->at[texts->n + text.len] = '\0';
    texts->n += text.len + 1;
    return UBI_OK;
}

static ubi_status text_store(reader *r, const ubi__parameter *p, const ubi__json_value *value) {
    const char *text = NULL;
    UBI_TRY(text_keep(&text, r, value));
    return ubi__parameter_store_text(r->out->values, p, text, r->name);
}

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

/* As digits, so that both ways of reading have one rule. */
static ubi_status number_store(reader *r, const ubi__parameter *p, const ubi__json_value *value) {
    uint64_t number;
    char digits[24];
    if (!ubi__json_value_u64(&number, value))
        return ubi__fail(UBI_EINVAL, "%s: expected a whole number", r->name);
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    return ubi__parameter_store_text(r->out->values, p, digits, r->name);
}

/* Documents have ids as numbers, or as strings where a number of JavaScript is not exact. */
static ubi_status id_store(reader *r, const ubi__parameter *p, const ubi__json_value *value) {
    if (value->type == UBI__JSON_STRING)
        return text_store(r, p, value);
    if (value->type == UBI__JSON_NUMBER)
        return number_store(r, p, value);
    return ubi__fail(UBI_EINVAL, "%s: expected the id of a node, a number or a string", r->name);
}

/* ---- members ------------------------------------------------------------------------------------------------------ */

static ubi_status boolean_store(reader *r, const ubi__parameter *p, const ubi__json_value *value) {
    void *at = (char *)r->out->values + p->offset;
    bool is_true = value->type == UBI__JSON_TRUE;
    if (!is_true && value->type != UBI__JSON_FALSE)
        return ubi__fail(UBI_EINVAL, "%s: expected true or false", r->name);
    if (p->kind == UBI__PARAMETER_FLAG)
        *(bool *)at = is_true;
    else
        *(int *)at = is_true ? 1 : -1;
    return UBI_OK;
}

static ubi_status elements_store(reader *r, const ubi__parameter *p, const ubi__json_value *value) {
    ubi__json_cursor c;
    ubi__json_value element;
    if (value->type != UBI__JSON_ARRAY)
        return ubi__fail(UBI_EINVAL, "%s: expected an array", r->name);
    ubi__json_cursor_open(&c, value->raw, UBI__JSON_ARRAY);
    while (ubi__json_cursor_next_element(&c, &element))
        UBI_TRY(p->kind == UBI__PARAMETER_NODES ? id_store(r, p, &element) : text_store(r, p, &element));
    return c.fault ? ubi__fail(UBI_EINVAL, "%s: expected %s", r->name, c.fault) : UBI_OK;
}

/* Without white space between its tokens, so that it has one text. Bytes that were written. */
static size_t compact_copy(char *out, ubi_text json) {
    bool in_string = false;
    size_t n = 0;
    for (size_t i = 0; i < json.len; i++) {
        char c = json.ptr[i];
        if (!in_string && ubi__is_json_space(c))
            continue;
        out[n++] = c;
        if (in_string && c == '\\')
            out[n++] = json.ptr[++i]; /* there is one: the value was read */
        else if (c == '"')
            in_string = !in_string;
    }
    return n;
}

/* The name of a preset, or the breakdown itself. */
static ubi_status breakdown_store(reader *r, const ubi__parameter *p, const ubi__json_value *value) {
    ubi__breakdown_spec *spec = (void *)((char *)r->out->values + p->offset);
    ubi__vec_u8 *texts = &r->out->texts;
    if (value->type == UBI__JSON_STRING)
        return text_store(r, p, value);
    if (value->type != UBI__JSON_OBJECT && value->type != UBI__JSON_ARRAY)
        return ubi__fail(UBI_EINVAL, "%s: expected the name of a preset, or a breakdown", r->name);
    if (memchr(value->raw.ptr, 0, value->raw.len))
        return ubi__fail(UBI_EINVAL, "%s: expected JSON without a zero in it", r->name);
    UBI_TRY(utf8_require(r, value->raw));
    spec->text = (const char *)texts->at + texts->n;
    spec->is_json = true;
    texts->n += compact_copy((char *)texts->at + texts->n, value->raw);
    texts->at[texts->n++] = '\0';
    return UBI_OK;
}

/* How many of the heaps. */
static ubi_status heaps_store(reader *r, const ubi__parameter *p, const ubi__json_value *value) {
    ubi__heap_list *heaps = (void *)((char *)r->out->values + p->offset);
    uint64_t n;
    if (!ubi__json_value_u64(&n, value) || n > UINT32_MAX)
        return ubi__fail(UBI_EINVAL, "%s: expected how many of the heaps, a whole number", r->name);
    heaps->n = (uint32_t)n;
    return UBI_OK;
}

static ubi_status value_store(reader *r, const ubi__parameter *p, const ubi__json_value *value) {
    switch (p->kind) {
    case UBI__PARAMETER_FLAG:
    case UBI__PARAMETER_SWITCH:
        return boolean_store(r, p, value);
    case UBI__PARAMETER_NUMBER:
        return number_store(r, p, value);
    case UBI__PARAMETER_NODE:
        return id_store(r, p, value);
    case UBI__PARAMETER_NODES:
    case UBI__PARAMETER_TEXTS:
        return elements_store(r, p, value);
    case UBI__PARAMETER_BREAKDOWN:
        return breakdown_store(r, p, value);
    case UBI__PARAMETER_HEAPS:
        return heaps_store(r, p, value);
    default:
        return text_store(r, p, value);
    }
}

static const ubi__parameter *parameter_find(const reader *r) {
    char name[UBI__PARAMETER_NAME_BYTES];
    for (const ubi__parameter *p = r->out->usage->parameters; (p = ubi__parameter_at(p)); p++)
        if (p->scope != UBI__SCOPE_TERMINAL && strcmp(ubi__parameter_json_name(name, p), r->name) == 0)
            return p;
    return NULL;
}

static ubi_status fail_unknown(const reader *r) {
    char name[UBI__PARAMETER_NAME_BYTES], best[UBI__SUGGESTED_BYTES + 1];
    ubi__suggestion near = ubi__suggestion_for(r->name);
    for (const ubi__parameter *p = r->out->usage->parameters; (p = ubi__parameter_at(p)); p++)
        if (p->scope != UBI__SCOPE_TERMINAL)
            ubi__suggestion_try_text(&near, best, ubi__text(ubi__parameter_json_name(name, p)));
    if (near.word)
        return ubi__fail(UBI_EINVAL, "%s has no parameter '%s'; did you mean '%s'?", r->out->usage->name, r->name,
                         near.word);
    return ubi__fail(UBI_EINVAL, "%s has no parameter '%s'", r->out->usage->name, r->name);
}

static ubi_status name_read(reader *r, const ubi__json_value *key) {
    ubi_text name;
    UBI_TRY(ubi__json_value_text(&name, key, &r->scratch, memory()));
    snprintf(r->name, sizeof r->name, "%.*s", (int)(name.len < LONGEST_NAME ? name.len : LONGEST_NAME),
             name.len ? name.ptr : "");
    return UBI_OK;
}

static ubi_status member_store(reader *r, const ubi__json_value *key, const ubi__json_value *value) {
    UBI_TRY(name_read(r, key));
    const ubi__parameter *p = parameter_find(r);
    if (!p)
        return fail_unknown(r);
    size_t row = UBI_INDEX((size_t)(p - r->out->usage->parameters), MOST_PARAMETERS);
    if (value->type == UBI__JSON_NULL) /* not given */
        return UBI_OK;
    if (r->seen >> row & 1)
        return ubi__fail(UBI_EINVAL, "%s: given twice", r->name);
    r->seen |= UINT64_C(1) << row;
    return value_store(r, p, value);
}

static ubi_status members_store(reader *r, ubi_text json) {
    ubi__json_cursor c;
    ubi__json_value key, value;
    if (!ubi__json_value_whole(&c, &value, json) || value.type != UBI__JSON_OBJECT)
        return ubi__fail(UBI_EINVAL, "expected a JSON object of parameters");
    ubi__json_cursor_open(&c, json, UBI__JSON_OBJECT);
    while (ubi__json_cursor_next_member(&c, &key, &value))
        UBI_TRY(member_store(r, &key, &value));
    return c.fault ? ubi__fail(UBI_EINVAL, "parameters: expected %s", c.fault) : UBI_OK;
}

static bool is_given(const reader *r, const ubi__parameter *p) {
    const ubi__vec_u64 *ids = (void *)((char *)r->out->values + p->offset);
    return p->kind == UBI__PARAMETER_NODES ? ids->n > 0 : r->seen >> (p - r->out->usage->parameters) & 1;
}

static ubi_status required_check(const reader *r) {
    char name[UBI__PARAMETER_NAME_BYTES];
    for (const ubi__parameter *p = r->out->usage->parameters; (p = ubi__parameter_at(p)); p++)
        if (p->is_required && !is_given(r, p))
            return ubi__fail(UBI_EINVAL, "%s needs the parameter '%s': %s", r->out->usage->name,
                             ubi__parameter_json_name(name, p), p->help);
    return UBI_OK;
}

ubi_status ubi__json_values_read(ubi__json_values *out, const ubi__usage *usage, ubi_text json) {
    reader r = { .out = out };
    size_t bytes = usage->arguments_bytes ? usage->arguments_bytes : 1;
    *out = (ubi__json_values){ .usage = usage, .values = ubi__calloc_array(memory(), bytes, 1) };
    if (!out->values)
        return ubi__fail_nomem();
    ubi__usage_values_init(out->values, usage->parameters);
    /* A string with its zero takes no more than it took with its quotes. */
    ubi_status status = ubi__vec_u8_reserve(&out->texts, memory(), json.len + 1);
    if (status == UBI_OK && json.ptr)
        status = members_store(&r, json);
    if (status == UBI_OK)
        status = required_check(&r);
    ubi__vec_u8_fini(&r.scratch, memory());
    if (status != UBI_OK)
        ubi__json_values_fini(out);
    return status;
}

void ubi__json_values_fini(ubi__json_values *v) {
    if (!v->values)
        return;
    size_t bytes = v->usage->arguments_bytes ? v->usage->arguments_bytes : 1;
    ubi__usage_values_fini(v->values, v->usage->parameters);
    ubi__free_array(memory(), v->values, bytes, 1);
    ubi__vec_u8_fini(&v->texts, memory());
    v->values = NULL;
}
