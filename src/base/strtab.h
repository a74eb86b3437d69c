/* SPDX-License-Identifier: MIT
 *
 * strtab.h: a table of strings that keeps every entry as it came.
 *
 * Entries are WTF-8 bytes back to back in one arena with an offset column, so an index is all one needs to hold.
 * Appending never merges. Interning finds an earlier *interned* entry of equal text. Canonicalizing computes, for every
 * entry, the first one of equal text.
 *
 * Memory: text + 8 bytes per entry, + 4 once canonical, + 12 to 16 per interned one until trimmed.
 */
#ifndef UBI_BASE_STRTAB_H
#define UBI_BASE_STRTAB_H

#include "base/alloc.h"
#include "base/pulse.h"
#include "base/table.h"

typedef struct ubi__strtab {
    const ubi_allocator *allocator;
    ubi__vec_u8 bytes;
    ubi__vec_u64 end;       /* end[i]: where entry i ends in `bytes`; it starts where i-1 ends */
    ubi__vec_u32 canonical; /* canonical.n == end.n once canonicalized */
    ubi__row_table interned;
} ubi__strtab;

/** Entries lie end to end in `bytes`; canonical entries, once known, are at or before what they stand for. O(entries). */
void ubi__strtab_check(const ubi__strtab *t);
void ubi__strtab_init(ubi__strtab *t, const ubi_allocator *allocator);
void ubi__strtab_fini(ubi__strtab *t);
static inline uint32_t ubi__strtab_count(const ubi__strtab *t) {
    return (uint32_t)t->end.n;
}
/** Borrowed until the next append. NULL text for UBI_NONE. */
static inline ubi_text ubi__strtab_get(const ubi__strtab *t, ubi_str_ix ix) {
    if (ix == UBI_NONE)
        return (ubi_text){ NULL, 0 };
    UBI_ASSERT(ix < t->end.n);
    uint64_t start = ix ? t->end.at[ix - 1] : 0;
    static const char empty[1] = "";
    return (ubi_text){ t->bytes.at ? (const char *)t->bytes.at + start : empty, (size_t)(t->end.at[ix] - start) };
}
ubi_status ubi__strtab_append(ubi__strtab *t, ubi_str_ix *out, ubi_text text);
/** From UTF-16LE code units (`n_units` of them), as WTF-8. */
ubi_status ubi__strtab_append_utf16le(ubi__strtab *t, ubi_str_ix *out, const uint8_t *units, size_t n_units);
/** From Latin-1 bytes, as UTF-8. */
ubi_status ubi__strtab_append_latin1(ubi__strtab *t, ubi_str_ix *out, const uint8_t *bytes, size_t n);
ubi_status ubi__strtab_intern(ubi__strtab *t, ubi_str_ix *out, ubi_text text);
/** Interned entry of this text, or UBI_NONE. */
ubi_str_ix ubi__strtab_find_interned(const ubi__strtab *t, ubi_text text);
/** Forget the last entries so that `n` remain. Not after interning. */
void ubi__strtab_truncate(ubi__strtab *t, uint32_t n);
/** @param pulse  NULL: none. Errors: UBI_ENOMEM, UBI_ECANCELLED; then no entry has a canonical one. Cost: O(bytes). */
ubi_status ubi__strtab_canonicalize(ubi__strtab *t, ubi__pulse *pulse);
static inline ubi_str_ix ubi__strtab_canonical(const ubi__strtab *t, ubi_str_ix ix) {
    return ix == UBI_NONE ? UBI_NONE : t->canonical.at[UBI_INDEX(ix, t->canonical.n)];
}
/** Give spare capacity and the interning table back. */
void ubi__strtab_trim(ubi__strtab *t);

#endif
