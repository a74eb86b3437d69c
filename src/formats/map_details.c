/* SPDX-License-Identifier: MIT
 *
 * map_details.c: see map_details.h.
 */
#include "formats/map_details.h"

#include "base/text.h"

void ubi__text_mapper_fini(ubi__text_mapper *m) {
    ubi__vec_u8_fini(&m->scratch, m->allocator);
    ubi__vec_u8_fini(&m->key, m->allocator);
}

ubi_status ubi__map_json_string(ubi__json *json, ubi__text_mapper *m, ubi_text_role role,
                                const ubi__json_value *value) {
    ubi_text text;
    UBI_TRY(ubi__json_value_text(&text, value, &m->scratch, m->allocator));
    UBI_TRY(m->map(m->payload, role, text, &text));
    ubi__json_text(json, text);
    return UBI_OK;
}

/* Writes the key; *stays: it is public. */
static ubi_status map_key(ubi__json *json, ubi__text_mapper *m, const ubi__json_value *key, bool *stays) {
    ubi_text text, mapped;
    UBI_TRY(ubi__json_value_text(&text, key, &m->key, m->allocator));
    UBI_TRY(m->map(m->payload, UBI_TEXT_DETAIL_KEY, text, &mapped));
    *stays = ubi__text_equal(text, mapped);
    ubi__json_key_text(json, mapped);
    return UBI_OK;
}

static bool is_small(const ubi__json_value *value) {
    uint64_t number;
    return ubi__json_value_u64(&number, value) && number < 1000;
}

static ubi_status map_number(ubi__json *json, ubi__text_mapper *m, const ubi__json_value *key,
                             const ubi__json_value *value, bool stays) {
    double time_us;
    ubi_text text;
    if (ubi__json_value_is(key, "unixTime") && ubi__json_value_number(&time_us, value) && time_us >= 0 &&
        time_us < 0x1p63) {
        ubi__json_u64(json, (uint64_t)time_us - (uint64_t)time_us % UBI__DAY_US);
        return UBI_OK;
    }
    if (stays || is_small(value)) {
        ubi__json_raw(json, value->raw);
        return UBI_OK;
    }
    UBI_TRY(m->map(m->payload, UBI_TEXT_DETAIL, value->raw, &text));
    ubi__json_text(json, text);
    return UBI_OK;
}

static void copy_rectangle(ubi__json *json, ubi_text object) {
    static const char *const keys[] = { "x", "y", "width", "height" };
    ubi__json_cursor c;
    ubi__json_value key, value;
    ubi__json_object_begin(json);
    ubi__json_cursor_open(&c, object, UBI__JSON_OBJECT);
    while (ubi__json_cursor_next_member(&c, &key, &value))
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            if (value.type == UBI__JSON_NUMBER && ubi__json_value_is(&key, keys[i])) {
                ubi__json_member_raw(json, keys[i], value.raw);
            }
    ubi__json_object_end(json);
}

static void copy_rectangles(ubi__json *json, ubi_text array) {
    ubi__json_cursor c;
    ubi__json_value value;
    ubi__json_array_begin(json);
    ubi__json_cursor_open(&c, array, UBI__JSON_ARRAY);
    while (ubi__json_cursor_next_element(&c, &value)) {
        if (value.type == UBI__JSON_OBJECT)
            copy_rectangle(json, value.raw);
        else
            ubi__json_null(json);
    }
    ubi__json_array_end(json);
}

static ubi_status map_value(ubi__json *json, ubi__text_mapper *m, const ubi__json_value *key,
                            const ubi__json_value *value, bool stays) {
    switch (value->type) {
    case UBI__JSON_STRING:
        return ubi__map_json_string(json, m, UBI_TEXT_DETAIL, value);
    case UBI__JSON_NUMBER:
        return map_number(json, m, key, value, stays);
    case UBI__JSON_ARRAY:
        copy_rectangles(json, value->raw);
        return UBI_OK;
    case UBI__JSON_FALSE:
    case UBI__JSON_TRUE:
        ubi__json_bool(json, value->type == UBI__JSON_TRUE);
        return UBI_OK;
    case UBI__JSON_NULL:
    case UBI__JSON_OBJECT:
        break;
    }
    ubi__json_null(json);
    return UBI_OK;
}

ubi_status ubi__map_details(ubi__json *json, ubi__text_mapper *m, ubi_text object, bool *is_sound) {
    ubi__json_cursor c;
    ubi__json_value key, value;
    ubi__json_object_begin(json);
    ubi__json_cursor_open(&c, object, UBI__JSON_OBJECT);
    while (ubi__json_cursor_next_member(&c, &key, &value)) {
        bool stays;
        UBI_TRY(map_key(json, m, &key, &stays));
        UBI_TRY(map_value(json, m, &key, &value, stays));
    }
    ubi__json_object_end(json);
    *is_sound = c.fault == NULL;
    return UBI_OK;
}
