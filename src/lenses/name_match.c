/* SPDX-License-Identifier: MIT
 *
 * name_match.c: whether a text matches a search (name_match.h).
 *
 * Texts in any case are found by Knuth, Morris and Pratt's method over folded characters, in one pass whatever the texts.
 * As no character beyond ASCII folds into it, an ASCII text is looked for byte by byte.
 */
#include "lenses/name_match.h"

#include "base/text.h"

/* ---- making ------------------------------------------------------------------------------------------------------ */

/* Bytes that are not UTF-8: characters beyond Unicode. */
#define STRAY 0x110000u

static size_t next_folded(uint32_t *out, const uint8_t *s, size_t n) {
    size_t used = ubi__wtf8_decode(s, n, out);
    *out = used ? ubi__fold(*out) : *out + STRAY;
    return used ? used : 1;
}

static ubi_status fold_case(ubi__wanted_name *w, ubi_text text, const ubi_allocator *a) {
    const uint8_t *s = (const uint8_t *)text.ptr;
    uint32_t c;
    w->is_ascii = true;
    for (size_t at = 0; at < text.len;) {
        at += next_folded(&c, s + at, text.len - at);
        w->is_ascii &= c < 0x80;
        UBI_TRY(ubi__vec_u32_push(&w->folded, a, c));
    }
    return UBI_OK;
}

static ubi_status find_borders(ubi__wanted_name *w, const ubi_allocator *a) {
    const uint32_t *c = w->folded.at;
    UBI_TRY(ubi__vec_u32_reserve(&w->border, a, w->folded.n));
    for (uint32_t i = 0, length = 0; i < w->folded.n; i++) {
        while (length > 0 && c[i] != c[length])
            length = w->border.at[length - 1];
        length += i > 0 && c[i] == c[length];
        w->border.at[w->border.n++] = length;
    }
    return UBI_OK;
}

static ubi_status make_pattern(ubi__wanted_name *w, ubi_text source, const ubi_allocator *a) {
    size_t at = 0;
    const char *problem = NULL;
    ubi_status status = ubi__pattern_new(&w->pattern, source, a, &at, &problem);
    if (status == UBI_EINVAL)
        return ubi__fail(UBI_EINVAL, "%s at character %zu of the pattern", problem, at + 1);
    return status;
}

ubi_status ubi__wanted_name_init(ubi__wanted_name *out, ubi_text query, ubi_search_how how, const ubi_allocator *a) {
    *out = (ubi__wanted_name){ .how = how, .text = query };
    switch (how) {
    case UBI_SEARCH_ANY_CASE:
        UBI_TRY(fold_case(out, query, a));
        return find_borders(out, a);
    case UBI_SEARCH_EXACT:
        return UBI_OK;
    case UBI_SEARCH_PATTERN:
        return make_pattern(out, query, a);
    default:
        return ubi__fail(UBI_EINVAL, "no way %d to search", (int)how);
    }
}

void ubi__wanted_name_fini(ubi__wanted_name *wanted, const ubi_allocator *a) {
    ubi__pattern_free(wanted->pattern);
    ubi__vec_u32_fini(&wanted->folded, a);
    ubi__vec_u32_fini(&wanted->border, a);
    wanted->pattern = NULL;
}

uint32_t ubi__wanted_name_states(const ubi__wanted_name *wanted) {
    return wanted->pattern ? ubi__pattern_state_count(wanted->pattern) : 0;
}

/* ---- matching ---------------------------------------------------------------------------------------------------- */

/* How many characters of the text are met after one more. */
static inline uint32_t match_advance(const ubi__wanted_name *w, uint32_t met, uint32_t c) {
    while (met > 0 && w->folded.at[met] != c)
        met = w->border.at[met - 1];
    return met + (w->folded.at[met] == c);
}

static bool matches_ascii(const ubi__wanted_name *w, ubi_text name) {
    const uint8_t *s = (const uint8_t *)name.ptr;
    uint32_t met = 0, n = (uint32_t)w->folded.n, first = w->folded.at[0];
    uint8_t other = (uint8_t)(first >= 'A' && first <= 'Z' ? first + 32 : first);
    for (size_t at = 0; at < name.len; at++) {
        if (met == 0 && s[at] != first && s[at] != other)
            continue;
        met = match_advance(w, met, s[at] < 0x80 ? ubi__fold(s[at]) : s[at]);
        if (met == n)
            return true;
    }
    return false;
}

static bool matches_folded(const ubi__wanted_name *w, ubi_text name) {
    const uint8_t *s = (const uint8_t *)name.ptr;
    uint32_t met = 0, n = (uint32_t)w->folded.n, c;
    for (size_t at = 0; at < name.len;) {
        at += next_folded(&c, s + at, name.len - at);
        met = match_advance(w, met, c);
        if (met == n)
            return true;
    }
    return false;
}

bool ubi__name_matches(const ubi__wanted_name *wanted, ubi__matcher *matcher, ubi_text name) {
    if (wanted->how == UBI_SEARCH_PATTERN)
        return ubi__pattern_matches(wanted->pattern, matcher, name);
    if (wanted->how == UBI_SEARCH_EXACT)
        return ubi__text_contains(name, wanted->text);
    if (wanted->folded.n == 0)
        return true;
    return wanted->is_ascii ? matches_ascii(wanted, name) : matches_folded(wanted, name);
}
