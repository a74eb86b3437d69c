/* SPDX-License-Identifier: MIT
 *
 * memory_limits_test.c: limits of control groups of both versions, read from made-up trees of files.
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

#include "base/memory_limits.h"

#define MIB ((uint64_t)1 << 20)

static char root[] = "/tmp/ubiheap-limits-XXXXXX";

static int root_make(void **state) {
    (void)state;
    strcpy(root + sizeof root - 7, "XXXXXX");
    return mkdtemp(root) ? 0 : 1;
}

static int root_remove(void **state) {
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", root);
    return system(command);
}

/* With the folders above it. */
static void file_write(const char *path, const char *text) {
    char whole[512];
    snprintf(whole, sizeof whole, "%s%s", root, path);
    for (char *slash = whole + sizeof root; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(whole, 0700);
        *slash = '/';
    }
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void number_write(const char *path, uint64_t n) {
    char text[32];
    snprintf(text, sizeof text, "%llu\n", (unsigned long long)n);
    file_write(path, text);
}

static ubi__memory_limit group_look(uint64_t enough_bytes) {
    ubi__memory_places places;
    ubi__memory_places_find(&places, root, 0);
    return ubi__memory_limits_look(&places, enough_bytes).group;
}

static void assert_group(uint64_t limit_bytes, uint64_t used_bytes) {
    ubi__memory_limit group = group_look(UINT64_MAX);
    assert_string_equal(group.name, "the control group");
    assert_int_equal(group.limit_bytes, limit_bytes);
    assert_int_equal(group.used_bytes, used_bytes);
}

/* ---- version 2 ---------------------------------------------------------------------------------------------------- */

#define V2_MOUNT "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
#define V2 "/sys/fs/cgroup"

static void v2_make(void) {
    file_write("/proc/self/cgroup", "0::/a/b\n");
    file_write("/proc/self/mountinfo", "23 1 8:1 / / rw - ext4 /dev/vda rw\n" V2_MOUNT);
    number_write(V2 "/a/b/memory.max", 512 * MIB);
    file_write(V2 "/a/b/memory.high", "max\n");
    number_write(V2 "/a/b/memory.current", 400 * MIB);
    file_write(V2 "/a/b/memory.stat", "anon 1\nfile 2\nzinactive_file 7\ninactive_file 1048576\nactive_file 2097152\n");
}

static void version_2_has_the_group_s_limit_without_what_can_be_dropped(void **state) {
    (void)state;
    v2_make();
    assert_group(512 * MIB, 397 * MIB);
}

static void version_2_s_high_mark_is_a_limit_too(void **state) {
    (void)state;
    v2_make();
    number_write(V2 "/a/b/memory.high", 450 * MIB);
    assert_group(450 * MIB, 397 * MIB);
    file_write(V2 "/a/b/memory.max", "max\n");
    assert_group(450 * MIB, 397 * MIB);
}

static void a_group_above_with_less_room_counts(void **state) {
    (void)state;
    v2_make();
    number_write(V2 "/a/memory.max", 600 * MIB);
    number_write(V2 "/a/memory.current", 590 * MIB);
    file_write(V2 "/a/memory.stat", "inactive_file 0\nactive_file 0\n");
    assert_group(600 * MIB, 590 * MIB);
}

static void no_limit_is_none(void **state) {
    (void)state;
    v2_make();
    file_write(V2 "/a/b/memory.max", "max\n");
    assert_null(group_look(UINT64_MAX).name);
    file_write("/proc/self/cgroup", "");
    assert_null(group_look(UINT64_MAX).name);
}

static void a_container_s_own_tree_is_the_mount_point(void **state) {
    (void)state;
    v2_make();
    file_write("/proc/self/cgroup", "0::/\n"); /* with a name space of its own */
    number_write(V2 "/memory.max", 64 * MIB);
    number_write(V2 "/memory.current", 32 * MIB);
    assert_group(64 * MIB, 32 * MIB);
    file_write("/proc/self/cgroup", "0::/../elsewhere\n"); /* which a process of another one was put into */
    assert_group(64 * MIB, 32 * MIB);
    file_write("/proc/self/cgroup", "0::/docker/1234\n"); /* without: the container's folder is what is mounted */
    file_write("/proc/self/mountinfo", "30 23 0:26 /docker/1234 /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
    assert_group(64 * MIB, 32 * MIB);
}

static void the_cache_is_read_only_where_it_matters(void **state) {
    (void)state;
    v2_make();
    assert_int_equal(group_look(112 * MIB).used_bytes, 400 * MIB);
    assert_int_equal(group_look(112 * MIB + 1).used_bytes, 397 * MIB);
}

static void places_that_were_found_before_give_today_s_numbers(void **state) {
    ubi__memory_places places;
    (void)state;
    v2_make();
    ubi__memory_places_find(&places, root, 0);
    number_write(V2 "/a/b/memory.current", 500 * MIB);
    file_write("/proc/self/mountinfo", "");
    assert_int_equal(ubi__memory_limits_look(&places, UINT64_MAX).group.used_bytes, 497 * MIB);
}

/* ---- version 1, and both ------------------------------------------------------------------------------------------ */

#define V1_MOUNT                                                                                                       \
    "31 23 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"                                                      \
    "32 23 0:28 / /sys/fs/cgroup/memory rw shared:9 master:2 - cgroup cgroup rw,memory\n"

static void v1_make(void) {
    file_write("/proc/self/cgroup", "3:cpu,cpuacct:/x\n2:memory:/docker/12\n0::/\n");
    file_write("/proc/self/mountinfo", V1_MOUNT);
    number_write(V2 "/memory/docker/12/memory.limit_in_bytes", 256 * MIB);
    number_write(V2 "/memory/docker/12/memory.usage_in_bytes", 200 * MIB);
    file_write(V2 "/memory/docker/12/memory.stat",
               "inactive_file 99999999\ntotal_inactive_file 1048576\ntotal_active_file 0\n");
    file_write(V2 "/memory/memory.limit_in_bytes", "9223372036854771712\n");
    number_write(V2 "/memory/memory.usage_in_bytes", 9000 * MIB);
}

static void version_1_is_read(void **state) {
    (void)state;
    v1_make();
    assert_group(256 * MIB, 199 * MIB);
}

static void where_both_are_the_one_with_less_room_counts(void **state) {
    (void)state;
    v1_make();
    file_write("/proc/self/mountinfo", V2_MOUNT V1_MOUNT);
    number_write(V2 "/memory.max", 128 * MIB);
    number_write(V2 "/memory.current", 127 * MIB);
    assert_group(128 * MIB, 127 * MIB);
}

static void a_mount_is_found_after_many_others(void **state) {
    char *text = malloc(600000), *at = text;
    (void)state;
    v2_make();
    assert_non_null(text);
    for (int i = 0; i < 1000; i++)
        at +=
            sprintf(at, "%d 23 0:%d / /run/%0*d rw - overlay overlay rw,lowerdir=%0*d\n", i, i, i % 97, i, i % 389, i);
    at +=
        sprintf(at, "1 2 0:3 / /long rw - overlay overlay rw,lowerdir=%040000d\n", 0); /* more than is read at a time */
    strcpy(at, V2_MOUNT);
    file_write("/proc/self/mountinfo", text);
    free(text);
    assert_group(512 * MIB, 397 * MIB);
}

static void damaged_files_are_no_limit(void **state) {
    (void)state;
    v2_make();
    file_write(V2 "/a/b/memory.current", "much\n");
    assert_null(group_look(UINT64_MAX).name);
    file_write("/proc/self/mountinfo", "30 23 0:26 -\n- cgroup2\n - cgroup2 x\n30 - cgroup2 cgroup2 rw\n");
    assert_null(group_look(UINT64_MAX).name);
    file_write("/proc/self/cgroup", "0\n0:\n");
    assert_null(group_look(UINT64_MAX).name);
}

static void our_own_limits_can_be_read(void **state) {
    ubi__memory_limits limits = ubi__memory_limits_read(0);
    (void)state;
    assert_true(ubi__memory_room(&limits.group) > 0);
    assert_true(ubi__memory_room(&limits.address_space) > 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, root_make, root_remove)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(version_2_has_the_group_s_limit_without_what_can_be_dropped),
        TEST(version_2_s_high_mark_is_a_limit_too),
        TEST(a_group_above_with_less_room_counts),
        TEST(no_limit_is_none),
        TEST(a_container_s_own_tree_is_the_mount_point),
        TEST(the_cache_is_read_only_where_it_matters),
        TEST(places_that_were_found_before_give_today_s_numbers),
        TEST(version_1_is_read),
        TEST(where_both_are_the_one_with_less_room_counts),
        TEST(a_mount_is_found_after_many_others),
        TEST(damaged_files_are_no_limit),
        TEST(our_own_limits_can_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
