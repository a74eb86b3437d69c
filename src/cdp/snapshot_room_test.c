/* SPDX-License-Identifier: MIT
 *
 * snapshot_room_test.c: what a snapshot takes, what is left, and when a program could be ended.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cdp/snapshot_room.h"

static void test_what_it_takes(void **state) {
    (void)state;
    assert_int_equal(ubi__snapshot_need(0, 0), 0);
    assert_int_equal(ubi__snapshot_need(100, 10), 820);
    assert_true(ubi__snapshot_need(UINT64_MAX, UINT64_MAX) >= UINT64_MAX / 4);
    assert_true(ubi__snapshot_need(UINT64_MAX / 9, 1) >= UINT64_MAX / 4);
}

static void left_from(ubi__snapshot_room *room, const char *meminfo) {
    char root[] = "/tmp/ubiheap-room-XXXXXX", path[80];
    assert_non_null(mkdtemp(root));
    snprintf(path, sizeof path, "%s/proc", root);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(meminfo, file) >= 0);
    assert_int_equal(fclose(file), 0);
    ubi__snapshot_room_left(room, root, 0);
    assert_int_equal(unlink(path), 0);
    snprintf(path, sizeof path, "%s/proc", root);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(root), 0);
}

static void test_what_is_left_of_the_machine(void **state) {
    (void)state;
    ubi__snapshot_room room;
    left_from(&room, "MemTotal:  16000 kB\nMemFree:  10 kB\nMemAvailable:    2048 kB\n");
    assert_int_equal(room.left_bytes, 2048 * 1024);
    assert_string_equal(room.left_where, "the machine");
    left_from(&room, "MemTotal:  16000 kB\n");
    assert_true(room.left_bytes == UINT64_MAX);
    left_from(&room, "MemAvailable: 99999999999999999999999 kB\n");
    assert_true(room.left_bytes == UINT64_MAX);
    ubi__snapshot_room_left(&room, "/nowhere", getpid());
    assert_non_null(room.left_where);
}

static void test_who_could_be_killed(void **state) {
    (void)state;
    const ubi__snapshot_room enough = { 100, 100, "the machine" }, unknown = { 100, UINT64_MAX, "the machine" };
    const ubi__snapshot_room little = { (uint64_t)3 << 30, (uint64_t)1 << 30, "the control group" };
    assert_int_equal(ubi__snapshot_room_check(&enough), UBI_OK);
    assert_int_equal(ubi__snapshot_room_check(&unknown), UBI_OK);
    assert_int_equal(ubi__snapshot_room_check(&little), UBI_ESTATE);
    assert_string_equal(ubi_error_message(),
                        "a snapshot would take the program about 3.00 GiB while it is made, and the control group has "
                        "1.00 GiB left: it could be killed; --force takes one in any case");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_it_takes),
        cmocka_unit_test(test_what_is_left_of_the_machine),
        cmocka_unit_test(test_who_could_be_killed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
