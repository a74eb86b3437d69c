/* SPDX-License-Identifier: MIT
 *
 * hash_test.c: that hashes are seeded, mix every bit, and spread the keys that real heaps have.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"

static uint64_t seed_of_another_process(void) {
    uint64_t seed = 0;
    FILE *child = popen("/proc/$PPID/exe seed", "r");
    assert_non_null(child);
    assert_int_equal(fscanf(child, "%" SCNu64, &seed), 1);
    pclose(child);
    return seed;
}

static void each_process_has_a_seed_of_its_own(void **state) {
    (void)state;
    uint64_t other = seed_of_another_process();
    assert_true(other != ubi__hash_seed);
    assert_true(other != seed_of_another_process());
}

static void another_seed_gives_other_hashes(void **state) {
    (void)state;
    uint64_t kept = ubi__hash_seed, of_number = ubi__hash_u64(8), of_text = ubi__hash_bytes("abc", 3);
    ubi__hash_seed ^= 1;
    assert_true(ubi__hash_u64(8) != of_number);
    assert_true(ubi__hash_bytes("abc", 3) != of_text);
    ubi__hash_seed = kept;
    assert_true(ubi__hash_u64(8) == of_number);
    assert_true(ubi__hash_bytes("abc", 3) == of_text);
}

static void one_bit_of_the_key_changes_about_half_of_the_hash(void **state) {
    (void)state;
    for (unsigned bit = 0; bit < 64; bit++) {
        unsigned changed = 0;
        for (uint64_t x = 0; x < 1000; x++)
            changed +=
                (unsigned)__builtin_popcountll(ubi__hash_u64(x * 8) ^ ubi__hash_u64((x * 8) ^ UINT64_C(1) << bit));
        assert_in_range(changed / 1000, 26, 38);
    }
}

/* The largest of 4096 buckets, by the low bits, of 64 * 4096 keys. */
static unsigned fullest_bucket(uint64_t start, uint64_t stride) {
    static unsigned buckets[4096];
    unsigned most = 0;
    memset(buckets, 0, sizeof buckets);
    for (uint64_t i = 0; i < 64 * 4096; i++) {
        unsigned n = ++buckets[ubi__hash_u64(start + i * stride) % 4096];
        most = n > most ? n : most;
    }
    return most;
}

static void addresses_spread_over_the_low_bits(void **state) {
    (void)state;
    static const uint64_t strides[] = { 1, 8, 16, 4096, 1 << 20, UINT64_C(1) << 32 };
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) /* expected 64 in each, at most 64 + 8 sigma */
        assert_in_range(fullest_bucket(0x7f0012345000, strides[i]), 64, 128);
}

static void texts_are_distinguished_by_every_byte_and_by_their_length(void **state) {
    (void)state;
    char text[40] = { 0 };
    uint64_t hashes[41 * 2];
    size_t n = 0;
    for (size_t length = 0; length <= 40; length++) /* of zeros: the last word is padded with zeros too */
        hashes[n++] = ubi__hash_bytes(text, length);
    for (size_t i = 0; i < 40; i++) {
        text[i] = 1;
        hashes[n++] = ubi__hash_bytes(text, 40);
        text[i] = 0;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            assert_true(hashes[i] != hashes[k]);
}

static void equal_texts_have_one_hash_wherever_they_lie(void **state) {
    (void)state;
    char text[64];
    for (size_t at = 0; at < 16; at++) {
        memset(text, (int)at, sizeof text);
        memcpy(text + at, "a text of more than two words", 29);
        assert_true(ubi__hash_bytes(text + at, 29) == ubi__hash_bytes("a text of more than two words", 29));
    }
}

static void combining_depends_on_the_order(void **state) {
    (void)state;
    assert_true(ubi__hash_combine(ubi__hash_combine(1, 2), 3) != ubi__hash_combine(ubi__hash_combine(1, 3), 2));
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "seed") == 0) {
        printf("%" PRIu64 "\n", ubi__hash_seed);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_process_has_a_seed_of_its_own),
        cmocka_unit_test(another_seed_gives_other_hashes),
        cmocka_unit_test(one_bit_of_the_key_changes_about_half_of_the_hash),
        cmocka_unit_test(addresses_spread_over_the_low_bits),
        cmocka_unit_test(texts_are_distinguished_by_every_byte_and_by_their_length),
        cmocka_unit_test(equal_texts_have_one_hash_wherever_they_lie),
        cmocka_unit_test(combining_depends_on_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
