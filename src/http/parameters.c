/* SPDX-License-Identifier: MIT
 *
 * parameters.c: the query of an address as a JSON object of parameters; see request.h.
 */
#include <string.h>

#include "base/json_reader.h"
#include "base/status.h"
#include "base/text.h"
#include "http/request.h"

/* Questions have formats of their own, with other words. */
bool ubi__http_is_own_pair(const ubi__http_pair *pair) {
    static const char *const names[] = { "token", "with", "pageColumns", "async" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], pair->name) == 0)
            return true;
    return strcmp(pair->name, "format") == 0 &&
           (strcmp(pair->value, "page") == 0 || strcmp(pair->value, "document") == 0);
}

/* NULL: there is none. */
static const ubi__parameter *parameter_find(const ubi__usage *usage, const char *wanted) {
    char name[UBI__PARAMETER_NAME_BYTES];
    for (const ubi__parameter *p = usage->parameters; (p = ubi__parameter_at(p)); p++)
        if (p->scope != UBI__SCOPE_TERMINAL && strcmp(ubi__parameter_json_name(name, p), wanted) == 0)
            return p;
    return NULL;
}

/* What is not one of these words is left to the reader to refuse. */
static void boolean_put(ubi__json *json, const char *value) {
    if (!value[0] || strcmp(value, "true") == 0 || strcmp(value, "1") == 0)
        ubi__json_bool(json, true);
    else if (strcmp(value, "false") == 0 || strcmp(value, "0") == 0)
        ubi__json_bool(json, false);
    else
        ubi__json_string(json, value);
}

static void number_put(ubi__json *json, const char *value) {
    size_t n = strspn(value, "0123456789");
    bool is_number = n > 0 && value[n] == '\0' && (n == 1 || value[0] != '0');
    if (is_number)
        ubi__json_raw(json, (ubi_text){ value, n });
    else
        ubi__json_string(json, value);
}

static void breakdown_put(ubi__json *json, const char *value) {
    ubi__json_cursor c;
    ubi__json_value whole;
    bool is_json = (value[0] == '{' || value[0] == '[') && ubi__json_value_whole(&c, &whole, ubi__text(value));
    if (is_json)
        ubi__json_raw(json, ubi__text(value));
    else
        ubi__json_string(json, value);
}

/* Ids between commas. */
static void ids_put(ubi__json *json, const char *value) {
    char id[40];
    while (*value) {
        size_t n = strcspn(value, ",");
        size_t n_kept = n < sizeof id - 1 ? n : sizeof id - 1;
        memcpy(id, value, n_kept);
        id[n_kept] = '\0';
        ubi__json_string(json, id);
        value += n + (value[n] == ',');
    }
}

/* The values of one name. */
static void list_put(ubi__json *json, const ubi__parameter *p, const ubi__http_address *address, uint32_t first) {
    ubi__json_array_begin(json);
    for (uint32_t i = first; i < address->n_pairs; i++) {
        const ubi__http_pair *pair = &address->pairs[i];
        if (strcmp(pair->name, address->pairs[first].name) != 0)
            continue;
        if (p->kind == UBI__PARAMETER_NODES)
            ids_put(json, pair->value);
        else
            ubi__json_string(json, pair->value);
    }
    ubi__json_array_end(json);
}

static bool is_list(const ubi__parameter *p) {
    return p && (p->kind == UBI__PARAMETER_NODES || p->kind == UBI__PARAMETER_TEXTS);
}

static bool was_seen(const ubi__http_address *address, uint32_t at) {
    for (uint32_t i = 0; i < at; i++)
        if (strcmp(address->pairs[i].name, address->pairs[at].name) == 0)
            return true;
    return false;
}

static void value_put(ubi__json *json, const ubi__parameter *p, const char *value) {
    switch (p ? p->kind : UBI__PARAMETER_TEXT) {
    case UBI__PARAMETER_FLAG:
    case UBI__PARAMETER_SWITCH:
        boolean_put(json, value);
        break;
    case UBI__PARAMETER_NUMBER:
    case UBI__PARAMETER_HEAPS:
        number_put(json, value);
        break;
    case UBI__PARAMETER_BREAKDOWN:
        breakdown_put(json, value);
        break;
    default:
        ubi__json_string(json, value);
    }
}

ubi_status ubi__http_parameters_write(ubi__vec_u8 *out, const ubi__usage *usage, const ubi__http_address *address) {
    ubi__json json;
    ubi__bytes_sink sink = { out, ubi_allocator_default() };
    ubi__json_init(&json, ubi__bytes_sink_write, &sink, false);
    ubi__json_object_begin(&json);
    for (uint32_t i = 0; i < address->n_pairs; i++) {
        const ubi__http_pair *pair = &address->pairs[i];
        const ubi__parameter *p = parameter_find(usage, pair->name);
        if (ubi__http_is_own_pair(pair) || (is_list(p) && was_seen(address, i)))
            continue;
        ubi__json_key(&json, pair->name);
        if (is_list(p))
            list_put(&json, p, address, i);
        else
            value_put(&json, p, pair->value);
    }
    ubi__json_object_end(&json);
    if (ubi__json_flush(&json) == UBI_OK)
        return UBI_OK;
    ubi__vec_u8_fini(out, ubi_allocator_default());
    return ubi__fail_nomem();
}
