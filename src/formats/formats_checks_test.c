/* SPDX-License-Identifier: MIT
 *
 * formats_checks_test.c: the invariants of what formats share are seen when they break.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "damage.h"
#include "formats/json_scan.h"
#include "formats/recognize.c"

static void check_scan(void *payload) {
    ubi__scan_check(payload);
}
static void check_digits(void *payload) {
    ubi__digits_check(payload);
}
static void check_file_type(void *payload) {
    file_type_check(payload);
}

static void a_damaged_window_is_seen(void **state) {
    (void)state;
    uint8_t bytes[8 + UBI__STREAM_PADDING] = "[1,2,3]";
    ubi__scan s = { .window = { .at = bytes, .end = bytes + 7, .end_offset = 7 } };
    ubi__scan_check(&s);
    s.window.at = bytes + 8;
    assert_damage_seen(check_scan, &s, "w->at <= w->end");
    s.window.at = bytes;
    s.window.end_offset = 6;
    assert_damage_seen(check_scan, &s, "<= w->end_offset");
    s.window.end_offset = 7;
    bytes[8] = '4';
    assert_damage_seen(check_scan, &s, "w->end[i] == 0");
}

static void damaged_numbers_are_seen(void **state) {
    (void)state;
    static const uint8_t text[] = "        1,5000000000,-7,";
    const uint8_t *at = text + UBI__DIGITS_TEXT_MARGIN;
    ubi__digits *t = calloc(1, sizeof *t);
    assert_non_null(t);
    ubi__digits_begin(t, 0, true);
    assert_int_equal(ubi__digits_take(t, &at, text + sizeof text - 1), UBI__DIGITS_ALL);
    assert_int_equal(t->n_wide, 2);
    t->wide[1].index = 1;
    assert_damage_seen(check_digits, t, "t->wide[i - 1].index < t->wide[i].index");
    t->wide[1].index = 2;
    t->at[1] = 0;
    assert_damage_seen(check_digits, t, "t->at[t->wide[i].index] == UBI__DIGITS_IS_WIDE");
    t->at[1] = UBI__DIGITS_IS_WIDE;
    t->wide[1].is_negative = false;
    assert_damage_seen(check_digits, t, "t->wide[i].value >= UBI__DIGITS_IS_WIDE");
    free(t);
}

static void a_damaged_row_of_file_types_is_seen(void **state) {
    (void)state;
    size_t i = 0;
    while (!ubi__file_type_at(i)->magic)
        i++;
    ubi__file_type type = *ubi__file_type_at(i);
    file_type_check(&type);
    type.sign = NULL;
    assert_damage_seen(check_file_type, &type, "type->sign");
    type = *ubi__file_type_at(i);
    type.n_magic = 0;
    assert_damage_seen(check_file_type, &type, "!type->magic == !type->n_magic");
    type.n_magic = UBI__BEGINNING_BYTES + 1;
    assert_damage_seen(check_file_type, &type, "type->n_magic <= UBI__BEGINNING_BYTES");
    type.magic = NULL;
    type.is = NULL;
    assert_damage_seen(check_file_type, &type, "type->magic || type->is");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_window_is_seen),
        cmocka_unit_test(damaged_numbers_are_seen),
        cmocka_unit_test(a_damaged_row_of_file_types_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
