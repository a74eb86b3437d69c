/* SPDX-License-Identifier: MIT
 *
 * json_digits_test.c: every kernel against the plain one: numbers of all lengths at all places, batches, pieces, errors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/json_digits.h"
#include "random_numbers.h"

#define MAX_TEXT 20000
#define MAX_NUMBERS 10000

typedef struct taken {
    uint64_t value[MAX_NUMBERS];
    bool is_negative[MAX_NUMBERS];
    size_t n;
    ubi__digits_end last;
    size_t at; /* where it ended */
} taken;

/* Text in a block of its own size after a margin, so that a sanitizer sees what reads too far. */
typedef struct text {
    uint8_t *block, *at;
    size_t n;
} text;

static text text_new(const char *bytes, size_t n) {
    text t = { malloc(UBI__DIGITS_TEXT_MARGIN + n), NULL, n };
    assert_non_null(t.block);
    memset(t.block, ' ', UBI__DIGITS_TEXT_MARGIN);
    t.at = t.block + UBI__DIGITS_TEXT_MARGIN;
    memcpy(t.at, bytes, n);
    return t;
}

static ubi__digits batch;

/* Takes all of the text. */
static void take_all(taken *out, size_t kernel, const text *t, bool negative_allowed) {
    const uint8_t *at = t->at, *end = t->at + t->n;
    ubi__digits_begin(&batch, kernel, negative_allowed);
    out->n = 0;
    do {
        out->last = ubi__digits_take(&batch, &at, end);
        for (size_t i = 0; i < batch.n; i++, out->n++) {
            assert_true(out->n < MAX_NUMBERS);
            out->value[out->n] = ubi__digits_number(&batch, i, &out->is_negative[out->n]);
        }
        ubi__digits_drop(&batch, batch.n);
    } while (out->last == UBI__DIGITS_FULL);
    out->at = (size_t)(at - t->at);
}

static size_t plain_kernel(void) {
    size_t i = 0;
    while (strcmp(ubi__digits_kernel_name(i), "plain") != 0)
        i++;
    return i;
}

static taken plain, fast;

static void compare_kernels_with(const char *bytes, size_t n, bool negative_allowed) {
    text t = text_new(bytes, n);
    take_all(&plain, plain_kernel(), &t, negative_allowed);
    for (size_t k = 0; ubi__digits_kernel_name(k); k++) {
        take_all(&fast, k, &t, negative_allowed);
        if (fast.n != plain.n || fast.last != plain.last || fast.at != plain.at)
            fail_msg("%s: %zu numbers, %d at %zu; plainly %zu, %d at %zu: %.*s", ubi__digits_kernel_name(k), fast.n,
                     (int)fast.last, fast.at, plain.n, (int)plain.last, plain.at, (int)(n < 300 ? n : 300), bytes);
        for (size_t i = 0; i < plain.n; i++)
            if (fast.value[i] != plain.value[i] || fast.is_negative[i] != plain.is_negative[i])
                fail_msg("%s: number %zu is %" PRIu64 ", not %" PRIu64, ubi__digits_kernel_name(k), i, fast.value[i],
                         plain.value[i]);
    }
    free(t.block);
}

static void compare_kernels(const char *bytes) {
    compare_kernels_with(bytes, strlen(bytes), false);
}

static void the_plain_kernel_reads_what_stands_there(void **state) {
    (void)state;
    const char *bytes = "0,1, 4294967294 ,\n4294967295\t,4294967296,18446744073709551615\r,7";
    text t = text_new(bytes, strlen(bytes));
    const uint64_t expected[] = { 0, 1, 4294967294, 4294967295, 4294967296, UINT64_MAX, 7 };
    for (size_t k = 0; ubi__digits_kernel_name(k); k++) {
        take_all(&plain, k, &t, false);
        assert_int_equal(plain.last, UBI__DIGITS_ALL);
        assert_int_equal(plain.n, 7);
        for (size_t i = 0; i < 7; i++)
            assert_true(plain.value[i] == expected[i]);
    }
    free(t.block);
}

/* Leading text, then a number of `digits` digits that ends at each place of a block and around its border. */
static void numbers_of_every_length_at_every_place(void **state) {
    (void)state;
    for (int digits = 1; digits <= 21; digits++)
        for (size_t place = 0; place < 200; place++) {
            char bytes[600];
            size_t n = 0;
            while (n < place) {
                bytes[n] = n % 2 ? ',' : '5';
                n++;
            }
            if (place % 2)
                bytes[n++] = ',';
            for (int i = 0; i < digits; i++)
                bytes[n++] = (char)('1' + (i * 7 + digits) % 9);
            for (int i = 0; i < 150; i++)
                bytes[n++] = i % 2 ? '6' : ',';
            compare_kernels_with(bytes, n, false);
            compare_kernels_with(bytes, place + (place % 2) + (size_t)digits, false); /* it ends with the text */
        }
}

static void long_numbers_next_to_each_other(void **state) {
    (void)state;
    for (size_t shift = 0; shift < 64; shift++)
        for (int digits = 8; digits <= 20; digits++) {
            char bytes[3000];
            size_t n = 0;
            while (n < shift)
                bytes[n++] = ' ';
            for (int k = 0; k < 40; k++) {
                for (int i = 0; i < digits; i++)
                    bytes[n++] = (char)('1' + (k + i) % 8);
                bytes[n++] = ',';
            }
            compare_kernels_with(bytes, n, false);
        }
}

static void limits_of_32_and_64_bits(void **state) {
    (void)state;
    static const char *const numbers[] = {
        "4294967294",           "4294967295", "4294967296", "18446744073709551615", "18446744073709551616",
        "99999999999999999999", "100000000",  "99999999",   "184467440737095516150"
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (int before = 0; before < 70; before++) {
            char bytes[400];
            int n = snprintf(bytes, sizeof bytes, "%*s%s,1,2,3,%s,%068d,9", before, "", numbers[i], numbers[i], 0);
            compare_kernels_with(bytes, (size_t)n, false);
        }
}

static void errors_at_every_place(void **state) {
    (void)state;
    static const char *const wrong[] = { ",,",  "1 2", "01",   "00",  "0",    "]",    "[",    "-1",
                                         "1.5", "1e5", "\"",   "a",   "\x7f", "\xff", "\x80", "/",
                                         ":",   "\v",  "\x1f", ", ,", "1,",   ",1",   "{}" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        for (size_t place = 0; place < 140; place++)
            for (size_t after = 0; after < 80; after += 79) {
                char bytes[400];
                size_t n = 0;
                while (n < place) {
                    bytes[n] = n % 2 ? ',' : '5';
                    n++;
                }
                memcpy(bytes + n, wrong[i], strlen(wrong[i]));
                n += strlen(wrong[i]);
                for (size_t k = 0; k < after; k++)
                    bytes[n++] = k % 2 ? '6' : ',';
                compare_kernels_with(bytes, n, false);
                compare_kernels_with(bytes, n, true);
            }
}

/* Anything of the characters that matter, and some that do not. */
static void random_texts(void **state) {
    (void)state;
    static const char common[] = "0123456789,,,,\n ", rare[] = "0123456789,,,,,, \n\r\t-.e]+x";
    random_start(1);
    for (int round = 0; round < 20000; round++) {
        char bytes[700];
        size_t n = random_below((uint32_t)sizeof bytes);
        bool often = random_below(4) != 0;
        for (size_t i = 0; i < n; i++)
            bytes[i] = often ? common[random_below(sizeof common - 1)] : rare[random_below(sizeof rare - 1)];
        compare_kernels_with(bytes, n, round % 2);
    }
}

/* Grammatical texts, with numbers whose length is drawn, long enough for several batches. */
static void random_arrays(void **state) {
    (void)state;
    static char bytes[MAX_TEXT];
    random_start(2);
    for (int round = 0; round < 400; round++) {
        size_t n = 0, longest = 1 + random_below(round % 3 ? 8 : 19);
        unsigned spaces = (unsigned)random_below(3);
        while (n < MAX_TEXT - 100) {
            size_t digits = 1 + random_below((uint32_t)longest);
            if (n)
                bytes[n++] = ',';
            for (unsigned k = 0; k < spaces * 2 && random_below(2); k++)
                bytes[n++] = " \n\t\r"[random_below(4)];
            bytes[n++] = (char)('1' + random_below(9));
            for (size_t i = 1; i < digits; i++)
                bytes[n++] = (char)('0' + random_below(10));
            for (unsigned k = 0; k < spaces && random_below(2); k++)
                bytes[n++] = ' ';
        }
        compare_kernels_with(bytes, n, false);
        assert_int_equal(plain.last, UBI__DIGITS_ALL);
    }
}

static void records_as_v8_writes_them(void **state) {
    (void)state;
    static char bytes[MAX_TEXT];
    for (int newlines = 0; newlines < 2; newlines++) {
        size_t n = 0;
        for (unsigned i = 0; n < MAX_TEXT - 100; i++)
            n += (size_t)snprintf(bytes + n, 100, "%s%u,%u,%u,%u,%u,0,0%s", i ? "," : "", i % 15, i * 7, i * 2 + 1,
                                  i * 12345, i % 5, newlines ? "\n" : "");
        compare_kernels_with(bytes, n, false);
    }
}

static void short_texts(void **state) {
    (void)state;
    static const char *const texts[] = { "", "1", ",", "1,", "]", " ", "10", "12345678", "123456789", "-", "-1", "1]" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        compare_kernels(texts[i]);
}

static void wide_numbers_keep_their_place_when_others_are_dropped(void **state) {
    (void)state;
    const char *bytes = "1,99999999999,2,-5,88888888888,3";
    text t = text_new(bytes, strlen(bytes));
    const uint8_t *at = t.at;
    bool negative;
    ubi__digits_begin(&batch, 0, true);
    assert_int_equal(ubi__digits_take(&batch, &at, t.at + t.n), UBI__DIGITS_ALL);
    ubi__digits_drop(&batch, 2);
    assert_int_equal(batch.n, 4);
    assert_int_equal(batch.n_wide, 2);
    assert_true(ubi__digits_number(&batch, 0, &negative) == 2 && !negative);
    assert_true(ubi__digits_number(&batch, 1, &negative) == 5 && negative);
    assert_true(ubi__digits_number(&batch, 2, &negative) == UINT64_C(88888888888) && !negative);
    assert_true(ubi__digits_number(&batch, 3, &negative) == 3 && !negative);
    free(t.block);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_plain_kernel_reads_what_stands_there),
        cmocka_unit_test(numbers_of_every_length_at_every_place),
        cmocka_unit_test(long_numbers_next_to_each_other),
        cmocka_unit_test(limits_of_32_and_64_bits),
        cmocka_unit_test(errors_at_every_place),
        cmocka_unit_test(random_texts),
        cmocka_unit_test(random_arrays),
        cmocka_unit_test(records_as_v8_writes_them),
        cmocka_unit_test(short_texts),
        cmocka_unit_test(wide_numbers_keep_their_place_when_others_are_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
