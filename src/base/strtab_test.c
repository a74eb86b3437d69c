/* SPDX-License-Identifier: MIT
 *
 * strtab_test.c: entries, conversions, interning and canonical entries of a string table.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strtab.h"
#include "base/text.h"
#include "fail_allocator.h"

static int set_up(void **state) {
    ubi__strtab *t = malloc(sizeof *t);
    ubi__strtab_init(t, ubi_allocator_default());
    *state = t;
    return 0;
}

static int tear_down(void **state) {
    ubi__strtab_fini(*state);
    free(*state);
    return 0;
}

static ubi_str_ix append(ubi__strtab *t, const char *s) {
    ubi_str_ix ix;
    assert_int_equal(ubi__strtab_append(t, &ix, ubi__text(s)), UBI_OK);
    return ix;
}

static ubi_str_ix intern(ubi__strtab *t, const char *s) {
    ubi_str_ix ix;
    assert_int_equal(ubi__strtab_intern(t, &ix, ubi__text(s)), UBI_OK);
    return ix;
}

static void assert_entry(const ubi__strtab *t, ubi_str_ix ix, const char *bytes, size_t n) {
    ubi_text text = ubi__strtab_get(t, ix);
    assert_non_null(text.ptr);
    assert_int_equal(text.len, n);
    if (n)
        assert_memory_equal(text.ptr, bytes, n);
}

static void entries_are_kept_as_they_came_and_never_merged(void **state) {
    ubi__strtab *t = *state;
    assert_int_equal(append(t, "one"), 0);
    assert_int_equal(append(t, ""), 1);
    assert_int_equal(append(t, "one"), 2);
    assert_int_equal(append(t, "three"), 3);
    assert_int_equal(ubi__strtab_count(t), 4);
    assert_entry(t, 0, "one", 3);
    assert_entry(t, 1, "", 0);
    assert_entry(t, 2, "one", 3);
    assert_entry(t, 3, "three", 5);
}

static void no_entry_is_no_text_and_an_empty_entry_is_empty_text(void **state) {
    ubi__strtab *t = *state;
    assert_null(ubi__strtab_get(t, UBI_NONE).ptr);
    assert_int_equal(ubi__strtab_canonical(t, UBI_NONE), UBI_NONE);
    assert_entry(t, append(t, ""), "", 0); /* also while the arena has no memory at all */
    assert_int_equal(t->bytes.cap, 0);
}

static void zero_bytes_are_bytes_like_others(void **state) {
    ubi__strtab *t = *state;
    ubi_str_ix a, b;
    ubi__strtab_intern(t, &a, (ubi_text){ "a\0b", 3 });
    ubi__strtab_intern(t, &b, (ubi_text){ "a\0c", 3 });
    assert_true(a != b);
    assert_entry(t, a, "a\0b", 3);
    assert_entry(t, b, "a\0c", 3);
}

static void many_entries_survive_the_growth_of_the_arena(void **state) {
    ubi__strtab *t = *state;
    char text[32];
    for (int i = 0; i < 50000; i++) {
        snprintf(text, sizeof text, "entry %d", i * 7);
        assert_int_equal(append(t, text), i);
    }
    for (int i = 0; i < 50000; i++) {
        int n = snprintf(text, sizeof text, "entry %d", i * 7);
        assert_entry(t, (ubi_str_ix)i, text, (size_t)n);
    }
}

/* ---- conversions -------------------------------------------------------------------------------------------------- */

#define UTF16(...) ((const uint16_t[]){ __VA_ARGS__ }), sizeof((const uint16_t[]){ __VA_ARGS__ }) / 2

static ubi_str_ix append_utf16(ubi__strtab *t, const uint16_t *units, size_t n) {
    uint8_t *le = calloc(2 * n + 1, 1); /* at an odd address, as in a file */
    ubi_str_ix ix;
    for (size_t i = 0; i < n; i++) {
        le[1 + 2 * i] = (uint8_t)units[i];
        le[2 + 2 * i] = (uint8_t)(units[i] >> 8);
    }
    assert_int_equal(ubi__strtab_append_utf16le(t, &ix, le + 1, n), UBI_OK);
    free(le);
    return ix;
}

static void utf16_becomes_utf8(void **state) {
    ubi__strtab *t = *state;
    assert_entry(t, append_utf16(t, NULL, 0), "", 0); /* as the very first entry */
    assert_entry(t, append_utf16(t, UTF16('a', 0, 0x7f, 0x80, 0x7ff, 0x800, 0xffff)),
                 "a\0\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf", 13);
    assert_entry(t, append_utf16(t, NULL, 0), "", 0);
}

static void surrogate_pairs_become_one_character(void **state) {
    ubi__strtab *t = *state;
    assert_entry(t, append_utf16(t, UTF16(0xd83d, 0xde00)), "\xf0\x9f\x98\x80", 4);
    assert_entry(t, append_utf16(t, UTF16(0xd800, 0xdc00, 0xdbff, 0xdfff, 'z')), "\xf0\x90\x80\x80\xf4\x8f\xbf\xbfz",
                 9);
}

static void lone_surrogates_survive(void **state) {
    ubi__strtab *t = *state;
    assert_entry(t, append_utf16(t, UTF16(0xd83d)), "\xed\xa0\xbd", 3);
    assert_entry(t, append_utf16(t, UTF16(0xde00, 'x')), "\xed\xb8\x80x", 4);
    assert_entry(t, append_utf16(t, UTF16(0xd83d, 'x')), "\xed\xa0\xbdx", 4);
    assert_entry(t, append_utf16(t, UTF16(0xde00, 0xd83d)), "\xed\xb8\x80\xed\xa0\xbd", 6);
    assert_entry(t, append_utf16(t, UTF16(0xd83d, 0xd83d, 0xde00)), "\xed\xa0\xbd\xf0\x9f\x98\x80", 7);
    /* a pair cut in two by the end of one entry and the start of the next stays two entries */
    assert_entry(t, append_utf16(t, UTF16('a', 0xdbff)), "a\xed\xaf\xbf", 4);
    assert_entry(t, append_utf16(t, UTF16(0xdfff)), "\xed\xbf\xbf", 3);
}

/* Decodes WTF-8 and encodes it as UTF-16 again, the other way round than the code under test. */
static size_t back_to_utf16(ubi_text text, uint16_t *units) {
    size_t n = 0;
    for (size_t at = 0; at < text.len;) {
        uint32_t c;
        size_t used = ubi__wtf8_decode((const uint8_t *)text.ptr + at, text.len - at, &c);
        assert_in_range(used, 1, 4);
        at += used;
        if (c >= 0x10000) {
            units[n++] = (uint16_t)(0xd7c0 + (c >> 10));
            units[n++] = (uint16_t)(0xdc00 | (c & 0x3ff));
        } else {
            units[n++] = (uint16_t)c;
        }
    }
    return n;
}

static void random_utf16_survives_the_way_there_and_back(void **state) {
    ubi__strtab *t = *state;
    uint16_t units[64], back[64];
    uint32_t x = 5;
    for (int round = 0; round < 20000; round++) {
        size_t n = (size_t)round % 64;
        for (size_t i = 0; i < n; i++) {
            x = x * 1664525 + 1013904223;
            unsigned kind = x >> 30;
            units[i] = (uint16_t)(kind == 0 ? x >> 8 & 0x7f : kind == 1 ? x >> 8 : 0xd800 | (x >> 8 & 0x7ff));
        }
        ubi_text text = ubi__strtab_get(t, append_utf16(t, units, n));
        assert_int_equal(back_to_utf16(text, back), n);
        if (n)
            assert_memory_equal(back, units, n * 2);
    }
}

static void latin1_becomes_utf8(void **state) {
    ubi__strtab *t = *state;
    uint8_t all[256];
    ubi_str_ix ix;
    assert_int_equal(ubi__strtab_append_latin1(t, &ix, NULL, 0), UBI_OK);
    assert_entry(t, ix, "", 0);
    for (size_t i = 0; i < 256; i++)
        all[i] = (uint8_t)i;
    assert_int_equal(ubi__strtab_append_latin1(t, &ix, all, 256), UBI_OK);
    ubi_text text = ubi__strtab_get(t, ix);
    assert_int_equal(text.len, 128 + 2 * 128);
    for (size_t i = 0, at = 0; i < 256; i++) {
        uint32_t c;
        at += ubi__wtf8_decode((const uint8_t *)text.ptr + at, text.len - at, &c);
        assert_int_equal(c, i);
    }
}

static void a_length_that_cannot_be_is_out_of_memory(void **state) {
    ubi__strtab *t = *state;
    ubi_str_ix ix = 7;
    assert_int_equal(ubi__strtab_append_utf16le(t, &ix, NULL, SIZE_MAX / 2), UBI_ENOMEM);
    assert_int_equal(ubi__strtab_append_latin1(t, &ix, NULL, SIZE_MAX / 2 + 1), UBI_ENOMEM);
    assert_int_equal(ix, 7);
    assert_int_equal(ubi__strtab_count(t), 0);
}

/* ---- several tables, taking back ----------------------------------------------------------------------------------- */

static void the_last_entries_can_be_forgotten(void **state) {
    ubi__strtab *t = *state;
    append(t, "kept");
    append(t, "lost");
    append(t, "lost too");
    ubi__strtab_truncate(t, 1);
    assert_int_equal(ubi__strtab_count(t), 1);
    assert_int_equal(append(t, "new"), 1);
    assert_entry(t, 0, "kept", 4);
    assert_entry(t, 1, "new", 3);
    ubi__strtab_truncate(t, 0);
    assert_int_equal(append(t, "first"), 0);
    assert_entry(t, 0, "first", 5);
}

/* ---- lookup by text ----------------------------------------------------------------------------------------------- */

static void interning_finds_the_earlier_interned_entry(void **state) {
    ubi__strtab *t = *state;
    assert_int_equal(ubi__strtab_find_interned(t, ubi__text("x")), UBI_NONE);
    assert_int_equal(append(t, "x"), 0); /* appended, not interned */
    assert_int_equal(intern(t, "x"), 1);
    assert_int_equal(intern(t, "y"), 2);
    assert_int_equal(intern(t, ""), 3);
    assert_int_equal(intern(t, "x"), 1);
    assert_int_equal(intern(t, ""), 3);
    assert_int_equal(ubi__strtab_count(t), 4);
    assert_int_equal(ubi__strtab_find_interned(t, ubi__text("y")), 2);
    assert_int_equal(ubi__strtab_find_interned(t, ubi__text("z")), UBI_NONE);
}

static void interning_thousands_of_texts_twice_makes_each_once(void **state) {
    ubi__strtab *t = *state;
    char text[32];
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 20000; i++) {
            snprintf(text, sizeof text, "%d", i);
            assert_int_equal(intern(t, text), i);
        }
    assert_int_equal(ubi__strtab_count(t), 20000);
}

static void the_canonical_entry_is_the_first_of_equal_text(void **state) {
    ubi__strtab *t = *state;
    char text[32];
    for (uint32_t i = 0; i < 5000; i++) {
        snprintf(text, sizeof text, "%u", i * 31 % 1234);
        append(t, text);
    }
    append(t, "");
    append(t, "");
    for (int round = 0; round < 2; round++) { /* again after more entries came */
        assert_int_equal(ubi__strtab_canonicalize(t, NULL), UBI_OK);
        for (uint32_t i = 0; i < 5000; i++)
            assert_int_equal(ubi__strtab_canonical(t, i), i % 1234);
        assert_int_equal(ubi__strtab_canonical(t, 5000), 5000);
        assert_int_equal(ubi__strtab_canonical(t, 5001), 5000);
        append(t, "4");
    }
}

static void canonical_entries_are_right_in_a_large_table(void **state) {
    ubi__strtab *t = *state;
    enum { N = 150000, DISTINCT = 70001 };
    char text[32];
    for (uint32_t i = 0; i < N; i++) {
        snprintf(text, sizeof text, "text %u", i % DISTINCT);
        append(t, text);
    }
    assert_int_equal(ubi__strtab_canonicalize(t, NULL), UBI_OK);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(ubi__strtab_canonical(t, i), i % DISTINCT);
}

static bool count_down(void *payload, const char *stage, uint64_t done, uint64_t total) {
    int *n_left = payload;
    (void)stage, (void)done, (void)total;
    return (*n_left)-- > 0;
}

/* Cancelled at the n-th question: many short entries, and few long ones. */
static void cancelling_leaves_no_canonical_entries_and_the_table_as_it_was(void **state) {
    ubi__strtab *t = *state;
    enum { N = 100000, LONG = 8, LONG_BYTES = 3 << 20 };
    static char text[LONG_BYTES];
    int n_asked = 0;
    for (uint32_t i = 0; i < N; i++) {
        snprintf(text, sizeof text, "text %u", i / 2);
        append(t, text);
    }
    memset(text, 'x', sizeof text - 1);
    for (int i = 0; i < LONG; i++)
        append(t, text);
    for (ubi_status status = UBI_ECANCELLED; status != UBI_OK; n_asked++) {
        int n_left = n_asked;
        ubi_progress progress = { count_down, &n_left };
        ubi__pulse pulse = ubi__pulse_of(&progress);
        pulse.stage = "reading"; /* as of a caller that has reported before */
        status = ubi__strtab_canonicalize(t, &pulse);
        assert_int_equal(t->canonical.n, status == UBI_OK ? N + LONG : 0);
        assert_int_equal(ubi__strtab_count(t), N + LONG);
    }
    assert_in_range(n_asked, N / UBI__PULSE_NODES + LONG / 2, 2 * (N / UBI__PULSE_NODES + LONG));
    assert_int_equal(ubi__strtab_canonical(t, N - 1), N - 2);
    assert_int_equal(ubi__strtab_canonical(t, N + LONG - 1), N);
}

static void an_empty_table_has_canonical_entries_too(void **state) {
    assert_int_equal(ubi__strtab_canonicalize(*state, NULL), UBI_OK);
}

static void trimming_gives_back_what_is_not_text_and_keeps_the_entries(void **state) {
    ubi__strtab *t = *state;
    for (int i = 0; i < 100; i++) {
        char text[8];
        snprintf(text, sizeof text, "%d", i);
        intern(t, text);
    }
    ubi__strtab_canonicalize(t, NULL);
    ubi__strtab_trim(t);
    assert_null(t->interned.slots);
    assert_int_equal(t->bytes.cap, 190);
    assert_int_equal(t->end.cap, 100);
    assert_int_equal(t->canonical.cap, 100);
    assert_entry(t, 99, "99", 2);
    assert_int_equal(ubi__strtab_canonical(t, 99), 99);
}

/* ---- out of memory ------------------------------------------------------------------------------------------------ */

static ubi_status use_everything(const ubi_allocator *a) {
    ubi__strtab t, other;
    ubi_str_ix ix;
    ubi_status status = UBI_OK;
    ubi__strtab_init(&t, a);
    ubi__strtab_init(&other, a);
    for (int i = 0; i < 100 && status == UBI_OK; i++) {
        char text[8];
        snprintf(text, sizeof text, "%d", i / 2);
        status = ubi__strtab_intern(&t, &ix, ubi__text(text));
        if (status == UBI_OK)
            assert_int_equal(ix, i / 2);
    }
    if (status == UBI_OK)
        status = ubi__strtab_append_utf16le(&other, &ix, (const uint8_t *)"a\0b\0", 2);
    if (status == UBI_OK)
        status = ubi__strtab_append_latin1(&other, &ix, (const uint8_t *)"\xe9", 1);
    if (status == UBI_OK)
        status = ubi__strtab_canonicalize(&t, NULL);
    if (status == UBI_OK)
        ubi__strtab_trim(&t);
    ubi__strtab_fini(&t);
    ubi__strtab_fini(&other);
    return status;
}

static void every_refused_allocation_is_out_of_memory_without_a_leak(void **state) {
    (void)state;
    for (uint64_t n_allowed = 0;; n_allowed++) {
        fail_allocator f;
        fail_allocator_init(&f, n_allowed / 2);
        f.once = n_allowed % 2;
        ubi_status status = use_everything(&f.allocator);
        bool refused = f.n_refused > 0;
        fail_allocator_fini(&f);
        /* trimming, the last step, may fail unnoticed */
        assert_true(status == UBI_OK || (status == UBI_ENOMEM && refused));
        if (!refused)
            break;
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(entries_are_kept_as_they_came_and_never_merged),
        TEST(no_entry_is_no_text_and_an_empty_entry_is_empty_text),
        TEST(zero_bytes_are_bytes_like_others),
        TEST(many_entries_survive_the_growth_of_the_arena),
        TEST(utf16_becomes_utf8),
        TEST(surrogate_pairs_become_one_character),
        TEST(lone_surrogates_survive),
        TEST(random_utf16_survives_the_way_there_and_back),
        TEST(latin1_becomes_utf8),
        TEST(a_length_that_cannot_be_is_out_of_memory),
        TEST(the_last_entries_can_be_forgotten),
        TEST(interning_finds_the_earlier_interned_entry),
        TEST(interning_thousands_of_texts_twice_makes_each_once),
        TEST(the_canonical_entry_is_the_first_of_equal_text),
        TEST(canonical_entries_are_right_in_a_large_table),
        TEST(cancelling_leaves_no_canonical_entries_and_the_table_as_it_was),
        TEST(an_empty_table_has_canonical_entries_too),
        TEST(trimming_gives_back_what_is_not_text_and_keeps_the_entries),
        TEST(every_refused_allocation_is_out_of_memory_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
