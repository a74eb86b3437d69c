/* SPDX-License-Identifier: MIT
 *
 * spill_test.c: blocks in a file: their places, what is refused and when, and what no longer counts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <cmocka.h>

/* The n-th call from now fails; 0: none. */
static int mmap_fails_at, fallocate_fails_at;
static void *test_mmap(void *address, size_t n_bytes, int protection, int flags, int fd, off_t offset);
static int test_fallocate(int fd, off_t offset, off_t n_bytes);
#define mmap test_mmap
#define posix_fallocate test_fallocate
#include "nodewatch/spill.c"
#undef mmap
#undef posix_fallocate

#include <dirent.h>
#include <errno.h>
#include <signal.h>

#include "damage.h"
#include "random_numbers.h"

#define MIB ((size_t)1 << 20)
#define LARGEST_BYTES (256 * MIB)

static void *test_mmap(void *address, size_t n_bytes, int protection, int flags, int fd, off_t offset) {
    if (mmap_fails_at && --mmap_fails_at == 0) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return mmap(address, n_bytes, protection, flags, fd, offset);
}

static int test_fallocate(int fd, off_t offset, off_t n_bytes) {
    if (fallocate_fails_at && --fallocate_fails_at == 0)
        return ENOSPC;
    return posix_fallocate(fd, offset, n_bytes);
}

static char folder[] = "/tmp/ubiheap-spill-XXXXXX";

/* A spill is opened once in the life of a process; tests forget it. */
static int spill_forget(void **state) {
    (void)state;
    if (spill.base) {
        munmap(spill.base, LARGEST_BYTES);
        munmap(spill.classes, LARGEST_BYTES / SLAB_BYTES + 1);
        close(spill.fd);
    }
    memset(&spill, 0, sizeof spill);
    large.n = 0;
    mmap_fails_at = fallocate_fails_at = 0;
    return 0;
}

static int folder_make(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : 1;
}

static int folder_remove(void **state) {
    (void)state;
    return rmdir(folder); /* nothing is left in it */
}

static void spill_begin(void) {
    assert_true(ubi__spill_open(folder, LARGEST_BYTES));
}

static unsigned descriptors_count(void) {
    unsigned n = 0;
    DIR *all = opendir("/proc/self/fd");
    while (readdir(all))
        n++;
    closedir(all);
    return n;
}

/* ---- opening ------------------------------------------------------------------------------------------------------ */

static void a_spill_that_cannot_be_opened_leaves_nothing(void **state) {
    unsigned n = descriptors_count();
    (void)state;
    assert_false(ubi__spill_open("/no/such/folder", LARGEST_BYTES));
    for (int at = 1; at <= 2; at++) {
        mmap_fails_at = at;
        assert_false(ubi__spill_open(folder, LARGEST_BYTES));
        assert_int_equal(descriptors_count(), n);
        assert_false(ubi__spill_is_mine());
        assert_false(ubi__spill_contains(folder));
    }
    spill_begin();
    assert_true(ubi__spill_is_mine());
    assert_false(ubi__spill_open(folder, LARGEST_BYTES)); /* a second one */
}

static void the_file_has_no_name(void **state) {
    (void)state;
    spill_begin();
    DIR *all = opendir(folder);
    for (struct dirent *entry; (entry = readdir(all));)
        assert_true(entry->d_name[0] == '.');
    closedir(all);
}

static void folders_in_memory_do_not_suit(void **state) {
    (void)state;
    assert_false(ubi__spill_suits("/no/such/folder"));
    assert_false(ubi__spill_suits("/dev/shm"));
    assert_int_equal(ubi__spill_room("/no/such/folder"), 0);
}

static void a_limit_of_files_is_the_room(void **state) {
    struct rlimit before, small;
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){ MIB, before.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    uint64_t room = ubi__spill_room(folder);
    bool suits = ubi__spill_suits(folder);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(room, MIB);
    assert_false(suits);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------- */

#define N_DRAWN 20000

/* Of all sizes, in turn; each holds its own bytes to the end, and says at least its size. */
static void blocks_do_not_overlap(void **state) {
    static struct {
        uint8_t *at;
        size_t n_bytes;
    } blocks[N_DRAWN];
    (void)state;
    random_start(7);
    spill_begin();
    for (size_t i = 0; i < N_DRAWN; i++) {
        uint32_t kind = random_below(100);
        size_t n_bytes = random_below(kind == 0 ? 200000 : kind < 10 ? 3000 : 80);
        size_t alignment = (size_t)1 << (kind % 13 == 2 ? random_below(13) : 4);
        uint8_t *block = ubi__spill_alloc(n_bytes, alignment);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % alignment, 0);
        assert_int_equal((uintptr_t)block % 16, 0);
        assert_true(ubi__spill_contains(block));
        assert_true(ubi__spill_block_bytes(block) >= n_bytes);
        memset(block, (int)(i % 251), ubi__spill_block_bytes(block));
        blocks[i].at = block;
        blocks[i].n_bytes = ubi__spill_block_bytes(block);
    }
    for (size_t i = 0; i < N_DRAWN; i++) {
        assert_int_equal(ubi__spill_block_bytes(blocks[i].at), blocks[i].n_bytes);
        for (size_t k = 0; k < blocks[i].n_bytes; k++)
            if (blocks[i].at[k] != i % 251)
                fail_msg("block %zu, byte %zu", i, k);
    }
}

static void blocks_of_a_small_size_are_next_to_each_other(void **state) {
    (void)state;
    spill_begin();
    uint8_t *first = ubi__spill_alloc(24, 16);
    for (size_t i = 1; i < SLAB_BYTES / 32; i++) {
        assert_non_null(ubi__spill_alloc(512, 16)); /* between them */
        assert_non_null(ubi__spill_alloc(1024, 16));
        assert_ptr_equal(ubi__spill_alloc(17 + i % 16, 16), first + 32 * i);
    }
}

static void a_name_that_was_cut_off_leaves_its_rest_to_the_next(void **state) {
    (void)state;
    spill_begin();
    uint8_t *name = ubi__spill_alloc(1024, 16);
    ubi__spill_shrink(name, 1000, 5); /* of another size */
    assert_int_equal(ubi__spill_block_bytes(name), 1024);
    ubi__spill_shrink(name, 1024, 5);
    assert_int_equal(ubi__spill_block_bytes(name), 5);
    uint8_t *next = ubi__spill_alloc(1024, 16);
    assert_ptr_equal(next, name + 32);
    ubi__spill_shrink(name, 5, 2); /* no longer the newest */
    assert_int_equal(ubi__spill_block_bytes(name), 5);
}

static void freed_large_blocks_give_their_pages_back(void **state) {
    struct stat about;
    (void)state;
    spill_begin();
    uint8_t *block = ubi__spill_alloc(8 * MIB, 16), *small = ubi__spill_alloc(40, 16);
    memset(block, 1, 8 * MIB);
    *small = 2;
    fstat(spill.fd, &about);
    blkcnt_t before = about.st_blocks;
    ubi__spill_free(small);
    ubi__spill_free(block);
    ubi__spill_free(block); /* is forgotten */
    fstat(spill.fd, &about);
    assert_int_equal(*small, 2);
    if (about.st_blocks != before) /* a file system that cannot make holes keeps them */
        assert_true(before - about.st_blocks >= (blkcnt_t)(7 * MIB / 512));
}

static void more_large_blocks_than_are_noted_are_blocks_too(void **state) {
    (void)state;
    spill_begin();
    for (size_t i = 0; i < MOST_LARGE + 5; i++) {
        void *block = ubi__spill_alloc(LARGE_BYTES, 16);
        assert_non_null(block);
        if (i >= MOST_LARGE)
            ubi__spill_free(block);
    }
}

/* ---- full --------------------------------------------------------------------------------------------------------- */

static void assert_full(void) {
    assert_true(ubi__spill_is_full());
    assert_null(ubi__spill_alloc(16, 16)); /* from now on all are refused: the snapshot has failed */
    assert_null(ubi__spill_alloc(5000, 16));
    spill_check();
}

static void a_refused_growth_is_a_refused_block(void **state) {
    static const size_t sizes[] = { 16, 100, 1008, 1024, 5000, 3 * MIB, 40 * MIB };
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int at = 1; at <= 4; at++) {
            spill_begin();
            if (at % 2)
                fallocate_fails_at = at;
            else
                mmap_fails_at = at;
            uint8_t *block = NULL;
            size_t n = 0;
            for (uint8_t *next; n < 20 * STEP_BYTES && (next = ubi__spill_alloc(sizes[i], 16)); n += sizes[i])
                block = next;
            assert_true(n < 20 * STEP_BYTES);
            assert_true(n >= (size_t)(at - 1) * (STEP_BYTES / 2) || sizes[i] > STEP_BYTES);
            assert_full();
            if (block)
                memset(block, 1, sizes[i]); /* those before it are good */
            ubi__spill_close();
            spill_forget(state);
        }
}

static void addresses_end(void **state) {
    (void)state;
    spill_begin();
    assert_null(ubi__spill_alloc(LARGEST_BYTES + 1, 16));
    assert_full();
    spill_forget(state);
    spill_begin();
    assert_null(ubi__spill_alloc(SIZE_MAX, 16));
    spill_forget(state);
    spill_begin();
    assert_null(ubi__spill_alloc(16, (size_t)1 << 40));
    spill_forget(state);
    spill_begin();
    assert_null(ubi__spill_alloc(LARGEST_BYTES, 16)); /* its head has no place */
    assert_full();
}

static void a_limit_of_files_refuses_the_block(void **state) {
    struct rlimit before, small;
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    spill_begin();
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){ 20 * MIB, before.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    void *first = ubi__spill_alloc(10 * MIB, 16), *second = ubi__spill_alloc(10 * MIB, 16);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_non_null(first);
    assert_null(second);
    assert_full();
    memset(first, 1, 10 * MIB);
}

/* As root; else the test of a refused growth has to be enough. */
static void a_full_disk_refuses_the_block_and_does_not_end_the_program(void **state) {
    char disk[sizeof folder + 8];
    (void)state;
    snprintf(disk, sizeof disk, "%s/disk", folder);
    assert_int_equal(mkdir(disk, 0700), 0);
    if (mount("tmpfs", disk, "tmpfs", 0, "size=40m") != 0) {
        rmdir(disk);
        skip();
    }
    assert_false(ubi__spill_suits(disk));
    assert_true(ubi__spill_room(disk) <= 40 * MIB);
    bool opened = ubi__spill_open(disk, LARGEST_BYTES);
    size_t n = 0;
    for (uint8_t *block; opened && (block = ubi__spill_alloc(MIB, 16)); n++)
        memset(block, 1, MIB);
    umount2(disk, MNT_DETACH);
    rmdir(disk);
    assert_true(opened);
    assert_in_range(n, 16, 40);
    assert_full();
}

static void large_blocks_are_in_the_file_where_addresses_are_limited(void **state) {
    struct rlimit before, some;
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    some = (struct rlimit){ (rlim_t)1 << 46, before.rlim_max };
    if (before.rlim_cur < some.rlim_cur)
        some = before;
    assert_int_equal(setrlimit(RLIMIT_AS, &some), 0);
    spill_begin();
    bool takes = ubi__spill_takes(2 * RESIDENT_BYTES);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_true(takes); /* malloc would have to find addresses beside those that the spill has */
}

/* ---- closing ------------------------------------------------------------------------------------------------------ */

static void blocks_outlive_the_spill(void **state) {
    (void)state;
    spill_begin();
    uint8_t *block = ubi__spill_alloc(100, 16);
    memset(block, 3, 100);
    assert_true(ubi__spill_takes(100));
    ubi__spill_close();
    assert_false(ubi__spill_is_mine());
    assert_false(ubi__spill_takes(100));
    assert_true(ubi__spill_contains(block));
    assert_false(ubi__spill_contains(spill.base + LARGEST_BYTES - 1)); /* addresses that others can have */
    assert_int_equal(block[99], 3);
    assert_int_equal(ubi__spill_bytes(), SLAB_BYTES);
    ubi__spill_free(block);
}

/* ---- checks ------------------------------------------------------------------------------------------------------- */

static void check_spill(void *unused) {
    (void)unused;
    spill_check();
}

static void check_run(void *run) {
    run_check(run, 2);
}

static void damage_is_seen_by_the_checks(void **state) {
    (void)state;
    spill_begin();
    ubi__spill_alloc(20, 16);
    check_spill(NULL);
    check_run(&spill.small[2]);
    spill.used_bytes = spill.ready_bytes + SLAB_BYTES;
    assert_damage_seen(check_spill, NULL, "spill.used_bytes <= spill.ready_bytes");
    spill.used_bytes = 100;
    assert_damage_seen(check_spill, NULL, "spill.used_bytes % SLAB_BYTES == 0");
    spill.used_bytes = SLAB_BYTES;
    spill.ready_bytes += 4096;
    assert_damage_seen(check_spill, NULL, "spill.ready_bytes % STEP_BYTES == 0");
    spill.ready_bytes -= 4096;
    block_run run = { 64, 32 };
    assert_damage_seen(check_run, &run, "run->at <= run->end");
    run = (block_run){ 0, 2 * SLAB_BYTES };
    assert_damage_seen(check_run, &run, "run->end <= spill.used_bytes");
    spill.classes[0] = 3;
    assert_damage_seen(check_run, &spill.small[2], "== units");
}

#define TEST(function) cmocka_unit_test_teardown(function, spill_forget)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_spill_that_cannot_be_opened_leaves_nothing),
        TEST(the_file_has_no_name),
        TEST(folders_in_memory_do_not_suit),
        TEST(a_limit_of_files_is_the_room),
        TEST(blocks_do_not_overlap),
        TEST(blocks_of_a_small_size_are_next_to_each_other),
        TEST(a_name_that_was_cut_off_leaves_its_rest_to_the_next),
        TEST(freed_large_blocks_give_their_pages_back),
        TEST(more_large_blocks_than_are_noted_are_blocks_too),
        TEST(a_refused_growth_is_a_refused_block),
        TEST(addresses_end),
        TEST(a_limit_of_files_refuses_the_block),
        TEST(a_full_disk_refuses_the_block_and_does_not_end_the_program),
        TEST(large_blocks_are_in_the_file_where_addresses_are_limited),
        TEST(blocks_outlive_the_spill),
        TEST(damage_is_seen_by_the_checks),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
