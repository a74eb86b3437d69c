/* SPDX-License-Identifier: MIT
 *
 * usage.c: see usage.h.
 */
#include "questions/usage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/key_bytes.h"
#include "base/status.h"
#include "base/text.h"

const ubi__parameter *ubi__parameter_at(const ubi__parameter *parameter) {
    while (parameter->kind == UBI__PARAMETER_ALIAS)
        parameter++;
    return parameter->name ? parameter : NULL;
}

const ubi__parameter *ubi__option_at(const ubi__parameter *parameter) {
    while (parameter->kind == UBI__PARAMETER_ALIAS || parameter->is_operand || parameter->scope == UBI__SCOPE_PROGRAM)
        parameter++;
    return parameter->name ? parameter : NULL;
}

const char *ubi__parameter_text(const void *values, const ubi__parameter *parameters, const char *name) {
    for (const ubi__parameter *p = parameters; (p = ubi__parameter_at(p)); p++)
        if ((p->kind == UBI__PARAMETER_TEXT || p->kind == UBI__PARAMETER_CHOICE) && strcmp(p->name, name) == 0)
            return *(const char *const *)(const void *)((const char *)values + p->offset);
    return NULL;
}

char *ubi__parameter_json_name(char out[UBI__PARAMETER_NAME_BYTES], const ubi__parameter *parameter) {
    size_t n = 0;
    for (const char *p = parameter->name; *p && n + 1 < UBI__PARAMETER_NAME_BYTES; p++)
        out[n++] = *p == '-' ? (char)(*++p - 'a' + 'A') : *p;
    out[n] = '\0';
    return out;
}

/* By one of its names; NULL: there is none. */
static const ubi__parameter *parameter_named(const ubi__parameter *parameters, ubi_text name) {
    const ubi__parameter *found = NULL;
    for (const ubi__parameter *p = parameters; p->name; p++) {
        if (p->kind != UBI__PARAMETER_ALIAS)
            found = p;
        if (ubi__text_is(name, p->name))
            return found;
    }
    return NULL;
}

void ubi__parameters_spell(char *out, size_t n_bytes, const char *message, const ubi__parameter *parameters) {
    char name[UBI__PARAMETER_NAME_BYTES];
    size_t n = 0;
    for (const char *at = message; *at && n + 1 < n_bytes;) {
        bool is_option = strncmp(at, "--", 2) == 0 && (at == message || at[-1] == ' ');
        size_t length = is_option ? strspn(at + 2, "abcdefghijklmnopqrstuvwxyz-") : 0;
        const ubi__parameter *p = length ? parameter_named(parameters, (ubi_text){ at + 2, length }) : NULL;
        if (!p) {
            out[n++] = *at++;
            continue;
        }
        for (const char *c = ubi__parameter_json_name(name, p); *c && n + 1 < n_bytes; c++)
            out[n++] = *c;
        at += 2 + length;
    }
    out[n] = '\0';
}

size_t ubi__parameter_value_bytes(ubi__parameter_kind kind) {
    static const size_t bytes[] = { [UBI__PARAMETER_FLAG] = sizeof(bool),
                                    [UBI__PARAMETER_SWITCH] = sizeof(int),
                                    [UBI__PARAMETER_TEXT] = sizeof(char *),
                                    [UBI__PARAMETER_NUMBER] = sizeof(uint64_t),
                                    [UBI__PARAMETER_CHOICE] = sizeof(char *),
                                    [UBI__PARAMETER_TEXTS] = sizeof(ubi__texts),
                                    [UBI__PARAMETER_NODE] = sizeof(ubi__node_id),
                                    [UBI__PARAMETER_NODES] = sizeof(ubi__vec_u64),
                                    [UBI__PARAMETER_BREAKDOWN] = sizeof(ubi__breakdown_spec),
                                    [UBI__PARAMETER_HEAPS] = sizeof(ubi__heap_list),
                                    [UBI__PARAMETER_ALIAS] = 0 };
    return bytes[UBI_INDEX(kind, sizeof bytes / sizeof *bytes)];
}

/* ---- checks ------------------------------------------------------------------------------------------------------- */

/* The rows of a table before `p` have other names and letters. */
static bool is_only_spelling(const ubi__parameter *parameters, const ubi__parameter *p) {
    for (const ubi__parameter *other = parameters; other < p; other++)
        if ((p->letter && other->letter == p->letter) || (p->name[0] && strcmp(other->name, p->name) == 0))
            return false;
    return true;
}

static void parameter_check(const ubi__parameter *p, size_t values_bytes) {
    bool takes_value = p->kind != UBI__PARAMETER_FLAG && p->kind != UBI__PARAMETER_SWITCH;
    if (p->kind == UBI__PARAMETER_ALIAS)
        return;
    UBI_ASSERT(p->offset + ubi__parameter_value_bytes(p->kind) <= values_bytes);
    UBI_ASSERT((p->argument != NULL) == takes_value);
    UBI_ASSERT((p->kind == UBI__PARAMETER_CHOICE) == (p->choices != NULL) && (!p->choices || p->choices[0]));
    UBI_ASSERT(p->help && p->help[0] && p->help[strlen(p->help) - 1] != '.');
    UBI_ASSERT(p->name[0] && strlen(p->name) < UBI__PARAMETER_NAME_BYTES && (p->is_operand || !p->is_required));
    UBI_ASSERT(!p->is_path || (p->kind == UBI__PARAMETER_TEXT && p->scope == UBI__SCOPE_TERMINAL));
    UBI_ASSERT(!p->has_files || p->kind == UBI__PARAMETER_TEXTS);
    UBI_ASSERT(p->least == 0 || p->kind == UBI__PARAMETER_NUMBER);
}

void ubi__usage_check(const ubi__usage *u) {
    UBI_ASSERT(u->name && u->summary && u->question && u->description);
    UBI_ASSERT(u->question[strlen(u->question) - 1] == '?');
    UBI_ASSERT(u->min_operands <= u->max_operands && (u->operands != NULL) == (u->max_operands != 0));
    UBI_ASSERT(u->parameters[0].kind != UBI__PARAMETER_ALIAS);
    UBI_ASSERT(u->examples[0].line && strncmp(u->examples[0].line, u->name, strlen(u->name)) == 0);
    for (const ubi__parameter *p = u->parameters; UBI_CHECKS && p->name; p++) {
        parameter_check(p, u->arguments_bytes);
        bool is_only = is_only_spelling(u->parameters, p);
        UBI_ASSERT(is_only);
    }
}

/* ---- values ------------------------------------------------------------------------------------------------------- */

static void *value_of(void *values, const ubi__parameter *parameter) {
    return (char *)values + parameter->offset;
}

void ubi__usage_values_init(void *values, const ubi__parameter *parameters) {
    for (const ubi__parameter *p = parameters; (p = ubi__parameter_at(p)); p++)
        if (p->kind == UBI__PARAMETER_NUMBER && p->standard)
            *(uint64_t *)value_of(values, p) = strtoull(p->standard, NULL, 10);
}

void ubi__usage_values_fini(void *values, const ubi__parameter *parameters) {
    for (const ubi__parameter *p = parameters; (p = ubi__parameter_at(p)); p++)
        if (p->kind == UBI__PARAMETER_NODES)
            ubi__vec_u64_fini(value_of(values, p), ubi_allocator_default());
        else if (p->kind == UBI__PARAMETER_BREAKDOWN)
            ubi__vec_u8_fini(&((ubi__breakdown_spec *)value_of(values, p))->file, ubi_allocator_default());
        else if (p->kind == UBI__PARAMETER_TEXTS)
            ubi__vec_u8_fini(&((ubi__texts *)value_of(values, p))->files, ubi_allocator_default());
}

ubi_status ubi__parse_number(uint64_t *out, const char *text, const char *what) {
    uint64_t value = 0;
    const char *p = text;
    for (; *p >= '0' && *p <= '9'; p++) {
        if (value > (UINT64_MAX - (uint64_t)(*p - '0')) / 10)
            return ubi__fail(UBI_EINVAL, "%s: %s is too large", what, text);
        value = value * 10 + (uint64_t)(*p - '0');
    }
    if (p == text || *p)
        return ubi__fail(UBI_EINVAL, "%s: expected a number, not '%s'", what, text);
    *out = value;
    return UBI_OK;
}

/* The value of a digit of that base, or -1. */
static int digit_of(char c, int base) {
    int digit = ubi__hex_digit(c);
    return digit < base ? digit : -1;
}

ubi_status ubi__node_id_parse(uint64_t *out, const char *text, const char *what) {
    const char *number = text[0] == '@' ? text + 1 : text; /* as DevTools write ids */
    bool is_hexadecimal = number[0] == '0' && (number[1] == 'x' || number[1] == 'X');
    const char *digits = is_hexadecimal ? number + 2 : number, *p = digits;
    int base = is_hexadecimal ? 16 : 10;
    uint64_t value = 0;
    for (int digit; (digit = digit_of(*p, base)) >= 0; p++)
        if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit, &value))
            return ubi__fail(UBI_EINVAL, "%s: %s is too large for a node id", what, text);
    if (p == digits || *p)
        return ubi__fail(
            UBI_EINVAL,
            "%s: expected a node id, a number such as 20159, not '%s'; 'ubiheap search FILE TEXT' lists ids "
            "by name",
            what, text);
    *out = value;
    return UBI_OK;
}

static ubi_status choice_store(const char **out, const ubi__parameter *p, const char *text, const char *what) {
    char list[160] = "";
    for (const char *const *c = p->choices; *c; c++) {
        if (strcmp(*c, text) == 0) {
            *out = *c;
            return UBI_OK;
        }
        size_t n = strlen(list);
        snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", *c);
    }
    return ubi__fail(UBI_EINVAL, "%s: expected %s%s, not '%s'", what, p->choices[1] ? "one of " : "", list, text);
}

static ubi_status texts_add(ubi__texts *texts, const char *text, const char *what) {
    if (texts->n == UBI__TEXTS_LENGTH)
        return ubi__fail(UBI_EINVAL, "%s: given more than %d times", what, UBI__TEXTS_LENGTH);
    texts->at[texts->n++] = text;
    return UBI_OK;
}

static ubi_status number_store(uint64_t *out, const ubi__parameter *p, const char *text, const char *what) {
    uint64_t value = 0;
    UBI_TRY(ubi__parse_number(&value, text, what));
    if (value < p->least && value == 0)
        return ubi__fail(UBI_EINVAL, "%s 0 leaves nothing to find, expected %llu or more", what,
                         (unsigned long long)p->least);
    if (value < p->least)
        return ubi__fail(UBI_EINVAL, "%s: expected %llu or more, not %s", what, (unsigned long long)p->least, text);
    *out = value;
    return UBI_OK;
}

#define LONGEST_ID 32

static ubi_status node_list_add(ubi__vec_u64 *ids, const char *list, const char *what) {
    while (*list) {
        char text[LONGEST_ID + 1] = "";
        size_t n = strcspn(list, ",");
        uint64_t id;
        memcpy(text, list, n < LONGEST_ID ? n : LONGEST_ID);
        UBI_TRY(ubi__node_id_parse(&id, text, what));
        UBI_TRY(ubi__vec_u64_push(ids, ubi_allocator_default(), id));
        list += n + (list[n] == ',');
    }
    return UBI_OK;
}

static ubi_status nodes_store(ubi__vec_u64 *ids, const ubi__parameter *p, const char *text, const char *what) {
    uint64_t id;
    if (!p->is_operand)
        return node_list_add(ids, text, what);
    UBI_TRY(ubi__node_id_parse(&id, text, what));
    return ubi__vec_u64_push(ids, ubi_allocator_default(), id);
}

static ubi_status heaps_store(ubi__heap_list *heaps, const char *list) {
    heaps->paths = list;
    heaps->n = 1;
    for (const char *c = list; *c; c++)
        heaps->n += *c == ',';
    return UBI_OK;
}

static ubi_status node_store(ubi__node_id *out, const char *text, const char *what) {
    UBI_TRY(ubi__node_id_parse(&out->id, text, what));
    out->is_given = true;
    return UBI_OK;
}

ubi_status ubi__parameter_store_text(void *values, const ubi__parameter *p, const char *text, const char *what) {
    void *value = value_of(values, p);
    switch (p->kind) {
    case UBI__PARAMETER_TEXT:
        *(const char **)value = text;
        return UBI_OK;
    case UBI__PARAMETER_NUMBER:
        return number_store(value, p, text, what);
    case UBI__PARAMETER_TEXTS:
        return texts_add(value, text, what);
    case UBI__PARAMETER_NODE:
        return node_store(value, text, what);
    case UBI__PARAMETER_NODES:
        return nodes_store(value, p, text, what);
    case UBI__PARAMETER_BREAKDOWN:
        ((ubi__breakdown_spec *)value)->text = text;
        return UBI_OK;
    case UBI__PARAMETER_HEAPS:
        return heaps_store(value, text);
    default:
        return choice_store(value, p, text, what);
    }
}

/* ---- values as bytes ------------------------------------------------------------------------------------------------ */

static ubi_status texts_append(ubi__vec_u8 *out, const ubi__texts *texts, const ubi_allocator *a) {
    UBI_TRY(ubi__key_add_bytes(out, &texts->n, sizeof texts->n, a));
    for (uint32_t i = 0; i < texts->n; i++)
        UBI_TRY(ubi__key_add_text(out, texts->at[i], a));
    return UBI_OK;
}

static ubi_status node_append(ubi__vec_u8 *out, const ubi__node_id *node, const ubi_allocator *a) {
    const uint64_t fields[2] = { node->is_given, node->id };
    return ubi__key_add_bytes(out, fields, sizeof fields, a);
}

static ubi_status breakdown_append(ubi__vec_u8 *out, const ubi__breakdown_spec *spec, const ubi_allocator *a) {
    UBI_TRY(ubi__key_add_bytes(out, spec->is_json ? "j" : "n", 1, a));
    UBI_TRY(ubi__key_add_text(out, spec->text, a));
    UBI_TRY(ubi__key_add_text(out, spec->path, a));
    return ubi__key_add_bytes(out, spec->file.at, spec->file.n, a);
}

static ubi_status heaps_append(ubi__vec_u8 *out, const ubi__heap_list *heaps, const ubi_allocator *a) {
    UBI_TRY(ubi__key_add_bytes(out, &heaps->n, sizeof heaps->n, a));
    return ubi__key_add_text(out, heaps->paths, a);
}

static ubi_status value_append(ubi__vec_u8 *out, const void *value, ubi__parameter_kind kind, const ubi_allocator *a) {
    switch (kind) {
    case UBI__PARAMETER_TEXT:
    case UBI__PARAMETER_CHOICE:
        return ubi__key_add_text(out, *(const char *const *)value, a);
    case UBI__PARAMETER_TEXTS:
        return texts_append(out, value, a);
    case UBI__PARAMETER_NODE:
        return node_append(out, value, a);
    case UBI__PARAMETER_NODES: {
        const ubi__vec_u64 *ids = value;
        return ubi__key_add_bytes(out, ids->at, ids->n * sizeof *ids->at, a);
    }
    case UBI__PARAMETER_BREAKDOWN:
        return breakdown_append(out, value, a);
    case UBI__PARAMETER_HEAPS:
        return heaps_append(out, value, a);
    case UBI__PARAMETER_FLAG:
    case UBI__PARAMETER_SWITCH:
    case UBI__PARAMETER_NUMBER:
    case UBI__PARAMETER_ALIAS:
        break;
    }
    return ubi__key_add_bytes(out, value, ubi__parameter_value_bytes(kind), a);
}

ubi_status ubi__usage_values_append(ubi__vec_u8 *out, const void *values, const ubi__parameter *parameters,
                                    const ubi_allocator *a) {
    for (const ubi__parameter *p = parameters; (p = ubi__parameter_at(p)); p++) {
        UBI_TRY(ubi__key_add_text(out, p->name, a));
        UBI_TRY(value_append(out, (const char *)values + p->offset, p->kind, a));
    }
    return UBI_OK;
}
