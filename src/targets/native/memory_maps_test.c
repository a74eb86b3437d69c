/* SPDX-License-Identifier: MIT
 *
 * memory_maps_test.c: lists of mappings: those of this process, those that strangers named, and what is none.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "targets/native/memory_maps.h"

static const char list[] = "55ed457be000-55ed457ed000 r--p 00000000 fe:00 247101                     /usr/bin/bash\n"
                           "Size:                188 kB\n"
                           "Rss:                 100 kB\n"
                           "Pss:                  45 kB\n"
                           "Swap:                  8 kB\n"
                           "VmFlags: rd mr mw me \n"
                           "55ed458f3000-55ed458fe000 rw-p 00000000 00:00 0 \n"
                           "Rss:                   4 kB\n"
                           "55ed72a88000-55ed72ac9000 rw-p 00000000 00:00 0                          [heap]\n"
                           "Rss:         99999999999 kB\n"
                           "7f0000000000-7f0000001000 r-xs 00001000 00:01 7          /a b\\012Rss: 7 kB\n"
                           "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n";

static void a_list_is_read(void **state) {
    ubi__memory_maps maps;
    (void)state;
    ubi__memory_maps_init(&maps, ubi_allocator_default());
    assert_int_equal(ubi__memory_maps_parse(&maps, ubi__text(list)), UBI_OK);
    assert_int_equal(maps.at.n, 5);
    const ubi__memory_map *at = maps.at.at;
    assert_true(at[0].low == 0x55ed457be000 && at[0].high == 0x55ed457ed000 && at[0].has_file && at[0].can_read);
    assert_true(at[0].amount.resident_bytes == 100 << 10 && at[0].amount.share_bytes == 45 << 10);
    assert_true(at[0].amount.swapped_bytes == 8 << 10 && !at[0].can_write && !at[0].is_shared);
    assert_true(at[1].name == UBI_NONE && !at[1].has_file && at[1].can_write);
    assert_true(ubi__text_is(ubi__memory_map_name(&maps, &at[1]), ""));
    assert_true(ubi__text_is(ubi__memory_map_name(&maps, &at[2]), "[heap]") && !at[2].has_file);
    assert_int_equal(at[2].amount.resident_bytes, at[2].high - at[2].low); /* no more than there is */
    assert_true(ubi__text_is(ubi__memory_map_name(&maps, &at[3]), "/a b\\012Rss: 7 kB"));
    assert_true(at[3].amount.resident_bytes == 0 && at[3].is_shared && at[3].can_execute && at[3].has_file);
    ubi__memory_maps_fini(&maps);
}

static void what_is_no_list_is_an_error(void **state) {
    static const char *const texts[] = {
        "Rss: 1 kB\n",
        "1000-1000 rw-p 0 0:0 0\n",
        "2000-1000 rw-p 0 0:0 0\n",
        "1000-2000 rw- 0 0:0 0\n",
        "1000-2000 rw-p 0 0:0\n",
        "1000-2000\n",
        "10000000000000000-20000000000000000 rw-p 0 0:0 0\n",
        "1000-3000 rw-p 0 0:0 0\n2000-4000 rw-p 0 0:0 0\n",
        "words\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ubi__memory_maps maps;
        ubi__memory_maps_init(&maps, ubi_allocator_default());
        assert_int_equal(ubi__memory_maps_parse(&maps, ubi__text(texts[i])), UBI_EFORMAT);
        ubi__memory_maps_fini(&maps);
    }
}

/* Cut anywhere, and any bit of it turned. */
static void damage_is_an_error_or_a_list(void **state) {
    char copy[sizeof list];
    (void)state;
    for (size_t i = 0; i < sizeof list; i++)
        for (unsigned bit = 0; bit <= 8; bit++) {
            ubi__memory_maps maps;
            memcpy(copy, list, sizeof list);
            if (bit < 8)
                copy[i] = (char)(copy[i] ^ (1u << bit));
            ubi__memory_maps_init(&maps, ubi_allocator_default());
            ubi_status status = ubi__memory_maps_parse(&maps, (ubi_text){ copy, bit < 8 ? sizeof list - 1 : i });
            assert_true(status == UBI_OK || status == UBI_EFORMAT);
            for (size_t k = 1; k < maps.at.n; k++)
                assert_true(maps.at.at[k - 1].high <= maps.at.at[k].low);
            ubi__memory_maps_fini(&maps);
        }
}

static int process_open(pid_t pid) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld", (long)pid);
    int process = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(process >= 0);
    return process;
}

static void this_process_has_what_it_maps(void **state) {
    enum { BYTES = 3 << 20 };
    ubi__memory_maps maps;
    (void)state;
    char *block = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(block != MAP_FAILED);
    memset(block, 1, BYTES);
    int process = process_open(getpid());
    ubi__memory_maps_init(&maps, ubi_allocator_default());
    assert_int_equal(ubi__memory_maps_read(&maps, process), UBI_OK);
    bool is_there = false;
    for (size_t i = 0; i < maps.at.n; i++)
        if (maps.at.at[i].low <= (uintptr_t)block && maps.at.at[i].high > (uintptr_t)block)
            is_there = maps.at.at[i].amount.resident_bytes >= BYTES;
    assert_true(is_there);
    ubi__memory_maps_fini(&maps);
    close(process);
    munmap(block, BYTES);
}

/* One that was not waited for, and then one that is gone. */
static void a_process_that_has_ended_has_no_memory(void **state) {
    ubi__memory_maps maps;
    siginfo_t about;
    (void)state;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(0);
    assert_int_equal(waitid(P_PID, (id_t)pid, &about, WEXITED | WNOWAIT), 0);
    int process = process_open(pid);
    ubi__memory_maps_init(&maps, ubi_allocator_default());
    assert_int_equal(ubi__memory_maps_read(&maps, process), UBI_EIO);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(ubi__memory_maps_read(&maps, process), UBI_EIO);
    ubi__memory_maps_fini(&maps);
    close(process);
}

static ubi_status list_parse(void *payload, const ubi_allocator *allocator) {
    ubi__memory_maps maps;
    (void)payload;
    ubi__memory_maps_init(&maps, allocator);
    ubi_status status = ubi__memory_maps_parse(&maps, ubi__text(list));
    ubi__memory_maps_fini(&maps);
    return status;
}

static void every_failed_allocation_has_a_way_out(void **state) {
    (void)state;
    assert_true(fail_each_allocation(list_parse, NULL) >= 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_is_read),
        cmocka_unit_test(what_is_no_list_is_an_error),
        cmocka_unit_test(damage_is_an_error_or_a_list),
        cmocka_unit_test(this_process_has_what_it_maps),
        cmocka_unit_test(a_process_that_has_ended_has_no_memory),
        cmocka_unit_test(every_failed_allocation_has_a_way_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
