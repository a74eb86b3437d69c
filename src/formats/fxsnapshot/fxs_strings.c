/* SPDX-License-Identifier: MIT
 *
 * fxs_strings.c: strings of a message and the two tables of the file.
 *
 * A string is inline or an index into its table. Inline bytes are pointed to while they are at hand, and copied to scratch
 * before the window moves.
 */
#include "base/assert.h"
#include "formats/fxsnapshot/fxs_reader.h"

#include <string.h>

static const uint8_t *string_bytes(const ubi__fxs_reader *r, const ubi__fxs_string *s) {
    return s->pinned ? r->scratch.at + s->at : s->bytes;
}

static size_t units_before_nul(const uint8_t *units, size_t n_units) {
    for (size_t i = 0; i < n_units; i++)
        if (units[2 * i] == 0 && units[2 * i + 1] == 0)
            return i;
    return n_units;
}

/* Strings are C strings to Firefox: what follows a NUL is invisible. An odd last byte is dropped. */
ubi_status ubi__fxs_append_two_byte(ubi__strtab *table, const uint8_t *bytes, size_t n_bytes, ubi_str_ix *out) {
    return ubi__strtab_append_utf16le(table, out, bytes, units_before_nul(bytes, n_bytes / 2));
}

ubi_status ubi__fxs_fail_ref(const ubi__fxs_reader *r, uint64_t offset, const char *what, uint64_t ref, uint32_t n,
                             const char *table) {
    return ubi__fxs_fail(r, offset, "%s refers to string %llu of %u in the %s table", what, (unsigned long long)ref, n,
                         table);
}

ubi_status ubi__fxs_two_byte(ubi__fxs_reader *r, const ubi__fxs_string *s, const char *what, ubi_str_ix *out) {
    ubi__strtab *table = &r->builder->graph->strings;
    *out = UBI_NONE;
    if (s->form == UBI__FXS_INLINE)
        return ubi__fxs_append_two_byte(table, string_bytes(r, s), s->n_bytes, out);
    if (s->form == UBI__FXS_ABSENT)
        return UBI_OK;
    if (s->at >= ubi__strtab_count(table))
        return ubi__fxs_fail_ref(r, s->offset, what, s->at, ubi__strtab_count(table), "two-byte");
    *out = (ubi_str_ix)s->at;
    return UBI_OK;
}

ubi_status ubi__fxs_one_byte(ubi__fxs_reader *r, const ubi__fxs_string *s, const char *what, ubi_str_ix *out) {
    *out = UBI_NONE;
    if (s->form == UBI__FXS_INLINE) {
        const char *bytes = (const char *)string_bytes(r, s);
        return ubi__strtab_append(&r->one_byte, out, (ubi_text){ bytes, s->n_bytes ? strnlen(bytes, s->n_bytes) : 0 });
    }
    if (s->form == UBI__FXS_ABSENT)
        return UBI_OK;
    if (s->at >= ubi__strtab_count(&r->one_byte))
        return ubi__fxs_fail_ref(r, s->offset, what, s->at, ubi__strtab_count(&r->one_byte), "one-byte");
    *out = (ubi_str_ix)s->at;
    return UBI_OK;
}

/* ---- scratch ------------------------------------------------------------------------------------------------------ */

/* Bytes in scratch may be decoded, so the decoder's padding follows them. */
static ubi_status append_to_scratch(ubi__fxs_reader *r, const uint8_t *bytes, size_t n) {
    ubi__vec_u8 *scratch = &r->scratch;
    UBI_TRY(ubi__vec_u8_reserve(scratch, r->allocator, n + UBI__STREAM_PADDING));
    if (n)
        memcpy(scratch->at + scratch->n, bytes, n);
    scratch->n += n;
    memset(scratch->at + scratch->n, 0, UBI__STREAM_PADDING);
    return UBI_OK;
}

ubi_status ubi__fxs_pin(ubi__fxs_reader *r, ubi__fxs_string *s) {
    if (s->form != UBI__FXS_INLINE || s->pinned)
        return UBI_OK;
    size_t at = r->scratch.n;
    UBI_TRY(append_to_scratch(r, s->bytes, s->n_bytes));
    s->at = at;
    s->pinned = true;
    return UBI_OK;
}

ubi_status ubi__fxs_join(ubi__fxs_reader *r, ubi__fxs_string *s, const uint8_t *bytes, size_t n) {
    if (!s->pinned || s->at + s->n_bytes != r->scratch.n) {
        size_t at = r->scratch.n;
        UBI_TRY(ubi__vec_u8_reserve(&r->scratch, r->allocator, s->n_bytes + UBI__STREAM_PADDING));
        UBI_TRY(append_to_scratch(r, string_bytes(r, s), s->n_bytes));
        s->at = at;
        s->pinned = true;
    }
    UBI_TRY(append_to_scratch(r, bytes, n));
    s->n_bytes += n;
    UBI_ASSERT(s->at + s->n_bytes == r->scratch.n); /* the last in scratch, so it can grow there */
    return UBI_OK;
}
