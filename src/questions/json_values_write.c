/* SPDX-License-Identifier: MIT
 *
 * json_values_write.c: values as the JSON object of parameters that gives them (usage.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/text.h"
#include "questions/usage.h"

static const void *value_of(const void *values, const ubi__parameter *p) {
    return (const char *)values + p->offset;
}

/* All its digits: a number of JavaScript would lose some. */
static void digits_put(ubi__json *json, uint64_t number) {
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    ubi__json_raw(json, (ubi_text){ digits, (size_t)n });
}

static void texts_put(ubi__json *json, const char *name, const ubi__texts *texts) {
    if (!texts->n)
        return;
    ubi__json_member_array(json, name);
    for (uint32_t i = 0; i < texts->n; i++)
        ubi__json_string(json, texts->at[i]);
    ubi__json_array_end(json);
}

static void ids_put(ubi__json *json, const char *name, const ubi__vec_u64 *ids) {
    if (!ids->n)
        return;
    ubi__json_member_array(json, name);
    for (size_t i = 0; i < ids->n; i++)
        digits_put(json, ids->at[i]);
    ubi__json_array_end(json);
}

static void breakdown_put(ubi__json *json, const char *name, const ubi__breakdown_spec *spec) {
    if (spec->text && spec->is_json)
        ubi__json_member_raw(json, name, ubi__text(spec->text));
    else if (spec->text)
        ubi__json_member_string(json, name, spec->text);
}

static void number_put(ubi__json *json, const char *name, uint64_t number, bool is_given) {
    if (!is_given)
        return;
    ubi__json_key(json, name);
    digits_put(json, number);
}

static void number_parameter_put(ubi__json *json, const char *name, const ubi__parameter *p, uint64_t number) {
    uint64_t standard = p->standard ? strtoull(p->standard, NULL, 10) : 0;
    number_put(json, name, number, number != standard);
}

static void switch_put(ubi__json *json, const char *name, int value) {
    if (value)
        ubi__json_member_bool(json, name, value > 0);
}

static void value_put(ubi__json *json, const char *name, const ubi__parameter *p, const void *value) {
    switch (p->kind) {
    case UBI__PARAMETER_FLAG:
        switch_put(json, name, *(const bool *)value);
        break;
    case UBI__PARAMETER_SWITCH:
        switch_put(json, name, *(const int *)value);
        break;
    case UBI__PARAMETER_TEXT:
    case UBI__PARAMETER_CHOICE:
        if (*(const char *const *)value)
            ubi__json_member_string(json, name, *(const char *const *)value);
        break;
    case UBI__PARAMETER_NUMBER:
        number_parameter_put(json, name, p, *(const uint64_t *)value);
        break;
    case UBI__PARAMETER_TEXTS:
        texts_put(json, name, value);
        break;
    case UBI__PARAMETER_NODE:
        number_put(json, name, ((const ubi__node_id *)value)->id, ((const ubi__node_id *)value)->is_given);
        break;
    case UBI__PARAMETER_NODES:
        ids_put(json, name, value);
        break;
    case UBI__PARAMETER_BREAKDOWN:
        breakdown_put(json, name, value);
        break;
    case UBI__PARAMETER_HEAPS:
        number_put(json, name, ((const ubi__heap_list *)value)->n, ((const ubi__heap_list *)value)->n > 0);
        break;
    case UBI__PARAMETER_ALIAS:
        break;
    }
}

void ubi__json_values_write(ubi__json *json, const ubi__usage *usage, const void *values, bool with_page) {
    char name[UBI__PARAMETER_NAME_BYTES];
    ubi__json_object_begin(json);
    for (const ubi__parameter *p = usage->parameters; (p = ubi__parameter_at(p)); p++)
        if (p->scope != UBI__SCOPE_TERMINAL && (p->scope != UBI__SCOPE_PAGE || with_page))
            value_put(json, ubi__parameter_json_name(name, p), p, value_of(values, p));
    ubi__json_object_end(json);
}
