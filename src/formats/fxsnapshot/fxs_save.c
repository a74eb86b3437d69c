/* SPDX-License-Identifier: MIT
 *
 * fxs_save.c: what saving a walk and a graph share: metadata and nodes, from texts to handles (fxs_save.h).
 */
#include "formats/fxsnapshot/fxs_save.h"

#include <stdio.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/text.h"
#include "formats/fxsnapshot/fxs_encoder.h"

#define NODES_PER_PROGRESS 4096 /* power of two */

/* ---- life -------------------------------------------------------------------------------------------------------- */

void ubi__fxs_save_init(ubi__fxs_save *s, const ubi_save_options *options) {
    *s = (ubi__fxs_save){ .allocator = ubi__allocator_or_default(options->allocator), .options = options };
    for (int role = 0; role < UBI_TEXT_ROLE_COUNT; role++)
        ubi__strtab_init(&s->mapped[role].texts, s->allocator);
}

void ubi__fxs_save_fini(ubi__fxs_save *s) {
    for (int role = 0; role < UBI_TEXT_ROLE_COUNT; role++) {
        ubi__strtab_fini(&s->mapped[role].texts);
        ubi__vec_u32_fini(&s->mapped[role].handle, s->allocator);
    }
    ubi__vec_u8_fini(&s->scratch, s->allocator);
    ubi__vec_u32_fini(&s->handle_of_number, s->allocator);
    ubi__fxs_encode_free(s->encoder);
}

/* ---- metadata, nodes ---------------------------------------------------------------------------------------------- */

ubi_status ubi__fxs_save_begin(ubi__fxs_save *s, const uint64_t *time_us) {
    const ubi_save_options *o = s->options;
    const char *writer = o->writer && *o->writer ? o->writer : "ubiheap " UBI_VERSION_STRING;
    ubi__fxs_metadata metadata = { .has_time = o->has_time || time_us, .writer = ubi__text(writer) };
    if (metadata.has_time)
        metadata.time_us = o->has_time ? o->time_us : *time_us;
    return ubi__fxs_encode_begin(s->encoder, &metadata);
}

ubi_status ubi__fxs_save_node(ubi__fxs_save *s, const ubi__fxs_node *node) {
    UBI_TRY(ubi__fxs_encode_node(s->encoder, node));
    uint64_t n = ubi__fxs_encode_node_count(s->encoder);
    if ((n & (NODES_PER_PROGRESS - 1)) == 1 && !ubi__progress(&s->options->progress, "writing", n, s->n_total))
        return ubi__fail_cancelled();
    return UBI_OK;
}

/* ---- texts -------------------------------------------------------------------------------------------------------- */

/*
 *     text -> (map_text) -> one byte per character, for class names -> handle
 *
 * Without map_text a table of the encoder says which texts are known; with it there is one table per role, of what the texts
 * were before, so that map_text is called once for each. A walk asks for a name at every edge, so in front of the tables lies
 * a small cache by address; it is believed only if the text is still the same.
 */

/* ---- class names -------------------------------------------------------------------------------------------------- */

static size_t put_character(char *out, uint32_t c) {
    if (c > 0xff)
        return (size_t)sprintf(out, "\\u{%X}", (unsigned)c);
    *out = (char)c;
    return 1;
}

/* A byte that is no text stands for itself. */
static ubi_status to_latin1(ubi__fxs_save *s, ubi_text *text) {
    const uint8_t *p = (const uint8_t *)text->ptr;
    const size_t longest = sizeof "\\u{10FFFF}";
    s->scratch.n = 0;
    for (size_t at = 0; at < text->len;) {
        uint32_t c;
        size_t used = ubi__wtf8_decode(p + at, text->len - at, &c);
        UBI_TRY(ubi__vec_u8_reserve(&s->scratch, s->allocator, longest));
        s->scratch.n += put_character((char *)s->scratch.at + s->scratch.n, c);
        at += used ? used : 1;
    }
    *text = (ubi_text){ s->scratch.n ? (const char *)s->scratch.at : "", s->scratch.n };
    return UBI_OK;
}

/* ---- tables ------------------------------------------------------------------------------------------------------- */

static bool is_one_byte(ubi_text_role role) {
    return role == UBI_TEXT_CLASS_NAME || role == UBI_TEXT_SCRIPT_FILENAME;
}

static ubi_status handle_of(ubi__fxs_save *s, ubi_str_ix *out, ubi_text_role role, ubi_text text) {
    if (!is_one_byte(role))
        return ubi__fxs_encode_string(s->encoder, out, text);
    if (role == UBI_TEXT_CLASS_NAME)
        UBI_TRY(to_latin1(s, &text));
    return ubi__fxs_encode_byte_string(s->encoder, out, text);
}

static ubi_status map_new(ubi__fxs_save *s, ubi_str_ix *out, ubi_text_role role, ubi_text text) {
    ubi_text mapped = { NULL, 0 };
    UBI_TRY(s->options->map_text(s->options->map_text_payload, role, text, &mapped));
    if (!mapped.ptr)
        return ubi__fail(UBI_EINVAL, "map_text gave no text");
    return handle_of(s, out, role, mapped);
}

static ubi_status map_known(ubi__fxs_save *s, uint32_t *entry, ubi_text_role role, ubi_text text) {
    ubi__fxs_mapped *m = &s->mapped[role];
    UBI_TRY(ubi__vec_u32_reserve(&m->handle, s->allocator, 1));
    UBI_TRY(ubi__strtab_intern(&m->texts, entry, text));
    if (*entry < m->handle.n)
        return UBI_OK;
    UBI_TRY(map_new(s, &m->handle.at[*entry], role, text));
    m->handle.n++;
    return UBI_OK;
}

/* ---- the cache in front ------------------------------------------------------------------------------------------- */

/* Where a text of the role is looked up. */
static const ubi__strtab *table_of(const ubi__fxs_save *s, ubi_text_role role) {
    if (s->options->map_text)
        return &s->mapped[role].texts;
    return is_one_byte(role) ? &s->encoder->one_byte.own : &s->encoder->two_byte.own;
}

static ubi__fxs_recent *recent_of(ubi__fxs_save *s, ubi_text_role role, ubi_text text) {
    return &s->recent[ubi__cache_place((uint64_t)(uintptr_t)text.ptr + (uint64_t)role, UBI__FXS_RECENT_BITS)];
}

ubi_status ubi__fxs_save_text_once(ubi__fxs_save *s, ubi_str_ix *out, ubi_text_role role, ubi_text text) {
    *out = UBI_NONE;
    if (!text.ptr)
        return UBI_OK;
    return s->options->map_text ? map_new(s, out, role, text) : handle_of(s, out, role, text);
}

ubi_status ubi__fxs_save_text(ubi__fxs_save *s, ubi_str_ix *out, ubi_text_role role, ubi_text text) {
    *out = UBI_NONE;
    if (!text.ptr)
        return UBI_OK;
    ubi__fxs_recent *recent = recent_of(s, role, text);
    uint32_t entry = recent->entry;
    if (recent->ptr != text.ptr || recent->len != text.len || recent->role != (uint32_t)role ||
        !ubi__text_equal(ubi__strtab_get(table_of(s, role), entry), text)) {
        UBI_TRY(s->options->map_text ? map_known(s, &entry, role, text) : handle_of(s, &entry, role, text));
        /* A text that was cut or made Latin-1 does not equal its entry: it takes the slow way every time. */
        *recent = (ubi__fxs_recent){ text.ptr, text.len, (uint32_t)role, entry };
    }
    UBI_ASSERT(!s->options->map_text || s->mapped[role].handle.n == ubi__strtab_count(&s->mapped[role].texts));
    *out = s->options->map_text ? s->mapped[role].handle.at[entry] : entry;
    return UBI_OK;
}

/* ---- names that are numbers --------------------------------------------------------------------------------------- */

#define MAX_DIGITS 10

/* False: the text is no number as an array's elements have them. */
static bool number_of(ubi_text text, uint64_t *out) {
    if (text.len == 0 || text.len > MAX_DIGITS || (text.ptr[0] == '0' && text.len > 1))
        return false;
    *out = 0;
    for (size_t i = 0; i < text.len; i++) {
        unsigned digit = (unsigned)(unsigned char)text.ptr[i] - '0';
        if (digit > 9)
            return false;
        *out = *out * 10 + digit;
    }
    return true;
}

static ubi_status reserve_number(ubi__fxs_save *s, uint64_t number) {
    ubi__vec_u32 *handles = &s->handle_of_number;
    if (number < handles->n)
        return UBI_OK;
    UBI_TRY(ubi__vec_u32_reserve(handles, s->allocator, (size_t)number + 1 - handles->n));
    while (handles->n <= number)
        handles->at[handles->n++] = UBI_NONE;
    return UBI_OK;
}

ubi_status ubi__fxs_save_edge_name(ubi__fxs_save *s, ubi__fxs_edge *edge, ubi_text name) {
    uint64_t number;
    edge->own_name = (ubi_text){ NULL, 0 };
    if (!name.ptr || s->options->map_text || !number_of(name, &number))
        return ubi__fxs_save_text(s, &edge->name, UBI_TEXT_EDGE_NAME, name);
    edge->name = UBI_NONE;
    edge->own_name = name;
    if (number >= UBI__FXS_NUMBERS)
        return UBI_OK;
    UBI_TRY(reserve_number(s, number));
    ubi_str_ix *handle = &s->handle_of_number.at[number];
    if (*handle == UBI_NONE)
        UBI_TRY(handle_of(s, handle, UBI_TEXT_EDGE_NAME, name));
    edge->name = *handle;
    UBI_ASSERT(s->handle_of_number.n <= UBI__FXS_NUMBERS);
    return UBI_OK;
}
