/* SPDX-License-Identifier: MIT
 *
 * memory_rollup_test.c: memory of processes, from files of the system and from files that look like them.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory_rollup.h"

/* A folder with such a file, open. */
static int folder_with(const char *text) {
    char folder[] = "/tmp/ubiheap-rollup-test-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    int process = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(process >= 0);
    snprintf(path, sizeof path, "%s/smaps_rollup", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return process;
}

/* Deletes it. */
static void folder_end(int process) {
    char link[64], folder[256];
    snprintf(link, sizeof link, "/proc/self/fd/%d", process);
    ssize_t n = readlink(link, folder, sizeof folder - 1);
    assert_true(n > 0);
    folder[n] = '\0';
    assert_int_equal(unlinkat(process, "smaps_rollup", 0), 0);
    assert_int_equal(rmdir(folder), 0);
    close(process);
}

static void sizes_are_read(void **state) {
    ubi__memory_rollup r;
    (void)state;
    int process =
        folder_with("5600-7ffd ---p 00000000 00:00 0 [rollup]\nRss:  100 kB\nPss: 90 kB\nPrivate_Clean: 7 kB\n"
                    "Private_Dirty: 30 kB\nReferenced: 9 kB\nAnonymous:    25 kB\n");
    assert_int_equal(ubi__memory_rollup_read(&r, process), UBI_OK);
    assert_int_equal(r.resident_bytes, 100 * 1024);
    assert_int_equal(r.unique_bytes, 37 * 1024);
    assert_int_equal(r.anonymous_bytes, 25 * 1024);
    folder_end(process);
}

static void what_is_missing_or_too_large_is_an_error(void **state) {
    static const char *const texts[] = {
        "",
        "x\nRss: 1 kB\nPrivate_Clean: 1 kB\nPrivate_Dirty: 1 kB\n",
        "x\nRss: many kB\nPrivate_Clean: 1 kB\nPrivate_Dirty: 1 kB\nAnonymous: 1 kB\n",
        "x\nRss: 18446744073709551615 kB\nPrivate_Clean: 1 kB\nPrivate_Dirty: 1 kB\nAnonymous: 1 kB\n",
    };
    ubi__memory_rollup r = { 1, 2, 3 };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int process = folder_with(texts[i]);
        assert_int_equal(ubi__memory_rollup_read(&r, process), UBI_EIO);
        folder_end(process);
    }
    assert_int_equal(r.resident_bytes, 1);
}

static void memory_that_is_written_to_counts(void **state) {
    enum { BYTES = 8 << 20 };
    ubi__memory_rollup before, after;
    (void)state;
    assert_int_equal(ubi__memory_rollup_read_own(&before), UBI_OK);
    char *block = malloc(BYTES);
    assert_non_null(block);
    memset(block, 1, BYTES);
    assert_int_equal(ubi__memory_rollup_read_own(&after), UBI_OK);
    assert_int_equal(block[BYTES / 2], 1);
    free(block);
    assert_true(after.resident_bytes >= before.resident_bytes + BYTES / 2);
    assert_true(after.unique_bytes >= before.unique_bytes + BYTES / 2);
    assert_true(after.anonymous_bytes >= before.anonymous_bytes + BYTES / 2);
}

static void a_process_that_has_ended_has_none(void **state) {
    ubi__memory_rollup r;
    char path[64];
    int status;
    (void)state;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        for (;;)
            pause();
    snprintf(path, sizeof path, "/proc/%ld", (long)pid);
    int process = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(process >= 0);
    assert_int_equal(ubi__memory_rollup_read(&r, process), UBI_OK);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(ubi__memory_rollup_read(&r, process), UBI_EIO);
    close(process);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_read),
        cmocka_unit_test(what_is_missing_or_too_large_is_an_error),
        cmocka_unit_test(memory_that_is_written_to_counts),
        cmocka_unit_test(a_process_that_has_ended_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
