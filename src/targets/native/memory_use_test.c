/* SPDX-License-Identifier: MIT
 *
 * memory_use_test.c: what memory is used for, in processes that are drawn: a folder that looks like /proc/PID, with a list of
 * mappings, and for some what is in them. Damaged memory is never believed, and the sum is the kernel's.
 */
#include <elf.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "random_numbers.h"
#include "targets/native/memory_use.h"

#define PAGE UINT64_C(4096)
#define MIB (UINT64_C(1) << 20)
#define LIBC "/lib/libc.so.6"

/* ---- processes that are drawn --------------------------------------------------------------------------------------- */

typedef struct drawn {
    char folder[64];
    int process, memory, pages; /* descriptors; the last two -1: may not be looked into */
    FILE *list;
} drawn;

static int file_make(const drawn *d, const char *name) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", d->folder, name);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    return fd;
}

static void drawn_begin(drawn *d, bool can_be_looked_into) {
    strcpy(d->folder, "/tmp/ubiheap-use-test-XXXXXX");
    assert_non_null(mkdtemp(d->folder));
    d->process = open(d->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(d->process >= 0);
    d->list = fdopen(file_make(d, "smaps"), "w");
    assert_non_null(d->list);
    d->memory = can_be_looked_into ? file_make(d, "mem") : -1;
    d->pages = can_be_looked_into ? file_make(d, "pagemap") : -1;
}

static void drawn_end(drawn *d) {
    static const char *const names[] = { "smaps", "mem", "pagemap" };
    if (d->list)
        fclose(d->list);
    for (size_t i = 0; i < 3; i++)
        (void)unlinkat(d->process, names[i], 0);
    if (d->memory >= 0) {
        close(d->memory);
        close(d->pages);
    }
    assert_int_equal(rmdir(d->folder), 0);
    close(d->process);
}

/* A mapping, of which the first `resident` bytes are in RAM. */
static void draw(drawn *d, uint64_t low, uint64_t bytes, const char *rights, uint64_t resident, const char *name) {
    const uint64_t present = UINT64_C(1) << 63;
    fprintf(d->list, "%llx-%llx %s 00000000 00:00 %d   %s\nRss: %llu kB\nPss: %llu kB\n", (unsigned long long)low,
            (unsigned long long)(low + bytes), rights, name[0] == '/', name, (unsigned long long)resident / 1024,
            (unsigned long long)resident / 2048);
    for (uint64_t at = low; d->pages >= 0 && at < low + resident; at += PAGE)
        assert_int_equal(pwrite(d->pages, &present, 8, (off_t)(at / PAGE * 8)), 8);
    if (d->memory >= 0)
        assert_int_equal(pwrite(d->memory, "", 1, (off_t)(low + bytes - 1)), 1);
}

static void drawn_memory_put(drawn *d, uint64_t address, const void *data, size_t n_bytes) {
    assert_int_equal(pwrite(d->memory, data, n_bytes, (off_t)address), n_bytes);
}

static void put_word(drawn *d, uint64_t address, uint64_t word) {
    drawn_memory_put(d, address, &word, sizeof word);
}

static ubi_status drawn_read(const drawn *d, ubi__residence *r, const ubi_allocator *allocator) {
    fflush(d->list);
    ubi_status status = ubi__memory_use_read(r, d->process, allocator);
    if (status == UBI_OK)
        ubi__residence_check(r);
    return status;
}

/* In RAM, of a kind; of one name if that is not NULL. */
static uint64_t bytes_of(const ubi__residence *r, ubi__residence_kind kind, const char *name) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < r->rows.n; i++)
        if (r->rows.at[i].kind == kind && (!name || ubi__text_is(ubi__residence_row_name(r, &r->rows.at[i]), name)))
            bytes += r->rows.at[i].amount.resident_bytes;
    return bytes;
}

/* ---- by names and shapes alone -------------------------------------------------------------------------------------- */

static void names_and_shapes_are_enough_for_most(void **state) {
    drawn d;
    ubi__residence r;
    (void)state;
    drawn_begin(&d, false);
    draw(&d, 0x1000000000, MIB, "rw-p", MIB, ""); /* elsewhere */
    draw(&d, 0x550000000000, MIB, "r-xp", 8 * PAGE, "/usr/bin/node");
    draw(&d, 0x550001000000, MIB, "rw-p", MIB, "[heap]");
    draw(&d, 0x7f0000000000, MIB, "rw-p", 512 << 10, ""); /* a thread's heap */
    draw(&d, 0x7f0000000000 + MIB, 63 * MIB, "---p", 0, "");
    draw(&d, 0x7f0010000000, PAGE, "---p", 0, ""); /* a stack */
    draw(&d, 0x7f0010000000 + PAGE, 8 * MIB, "rw-p", 4 * PAGE, "");
    draw(&d, 0x7f0020000000, MIB, "rw-s", MIB, "/memfd:x (deleted)");
    draw(&d, 0x7f0021000000, MIB, "rw-p", 3 * PAGE, ""); /* no one knows */
    draw(&d, 0x7f0030000000, MIB, "r-xp", PAGE, LIBC);
    draw(&d, 0x7f0030000000 + MIB, MIB, "rw-p", PAGE, ""); /* its variables */
    draw(&d, 0x7f0040000000, MIB, "rw-p", PAGE, "[anon:words of a program]");
    draw(&d, 0x7ffd00000000, MIB, "rw-p", 2 * PAGE, "[stack]");
    draw(&d, 0x7ffe00000000, PAGE, "r-xp", PAGE, "[vdso]");
    assert_int_equal(drawn_read(&d, &r, ubi_allocator_default()), UBI_OK);
    assert_false(r.is_divided);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_SCRIPTS, "V8"), MIB);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_ALLOCATOR, "glibc"), MIB + (512 << 10));
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_STACKS, NULL), 4 * PAGE);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_MAIN_STACK, NULL), 2 * PAGE);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_SHARED, "/memfd:x (deleted)"), MIB);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_FILE, LIBC), 2 * PAGE);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_NAMED, "[anon:words of a program]"), PAGE);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_SYSTEM, NULL), PAGE);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_UNKNOWN, NULL), 3 * PAGE);
    ubi__residence_fini(&r);
    drawn_end(&d);
}

static void java_and_other_allocators_have_places_and_sizes(void **state) {
    drawn d;
    ubi__residence r;
    (void)state;
    drawn_begin(&d, false);
    draw(&d, 0x600000000, MIB, "rw-p", MIB, ""); /* below 32 GiB */
    draw(&d, 0x800000000, MIB, "rw-p", PAGE, "");
    draw(&d, 0x7f0000000000, MIB, "rwxp", 2 * PAGE, ""); /* code */
    draw(&d, 0x7f0000000000 + MIB, MIB, "---p", 0, "");
    draw(&d, 0x7f0010000000, 2 * MIB, "rw-p", 3 * PAGE, ""); /* 2 MiB: jemalloc's */
    draw(&d, 0x7f0020001000, PAGE, "rw-p", PAGE, "");        /* not */
    draw(&d, 0x7f0030000000, MIB, "r-xp", PAGE, "/lib/libjvm.so");
    draw(&d, 0x7f0040000000, MIB, "r-xp", PAGE, "/lib/libjemalloc.so.2");
    draw(&d, 0x7f0050000000, MIB, "rw-s", 5 * PAGE, "/memfd:java_heap (deleted)");
    assert_int_equal(drawn_read(&d, &r, ubi_allocator_default()), UBI_OK);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_JAVA_HEAP, NULL), MIB + 5 * PAGE);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_JAVA_TABLES, NULL), PAGE);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_JAVA_CODE, NULL), 2 * PAGE);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_ALLOCATOR, "jemalloc"), 3 * PAGE);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_UNKNOWN, NULL), PAGE);
    ubi__residence_fini(&r);
    drawn_end(&d);
}

/* ---- by what is in it ------------------------------------------------------------------------------------------------ */

#define BREAK UINT64_C(0x10000000)
#define HEAP UINT64_C(0x20000000)
#define STACK UINT64_C(0x30000000)
#define POOLS UINT64_C(0x40000000)
#define LARGE UINT64_C(0x50000000)
#define LIBRARY UINT64_C(0x60000000)
#define ARENA_AT 0x8c0

/* Chunks of these sizes, the odd ones free; then the top. */
static void put_chunks(drawn *d, uint64_t at, uint64_t end, uint64_t flags) {
    static const uint64_t sizes[] = { 0x290, 0x4000, 0x2000, 0x8000, 0x30 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        bool is_previous_used = i == 0 || i % 2 == 1;
        put_word(d, at + 8, sizes[i] | flags | is_previous_used);
        at += sizes[i];
    }
    put_word(d, at + 8, (end - at) | flags | 1);
}

static void put_pools(drawn *d) {
    /* Five blocks of 64 bytes; a pool of 4 KiB, of an older Python, would have another last offset. */
    const uint32_t words[12] = { [0] = 5, [8] = 0, [9] = 3, [10] = 48 + 5 * 64, [11] = (16 << 10) - 64 };
    for (uint64_t i = 0; i < 4; i++)
        drawn_memory_put(d, POOLS + i * (16 << 10), words, sizeof words);
}

static void put_library(drawn *d) {
    const Elf64_Ehdr head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64 },
                              .e_phoff = sizeof head,
                              .e_phentsize = sizeof(Elf64_Phdr),
                              .e_phnum = 1 };
    const Elf64_Phdr part = { .p_type = PT_LOAD, .p_memsz = MIB + 2 * PAGE + 7 };
    drawn_memory_put(d, LIBRARY, &head, sizeof head);
    drawn_memory_put(d, LIBRARY + sizeof head, &part, sizeof part);
}

static void process_draw(drawn *d) {
    drawn_begin(d, true);
    draw(d, BREAK, MIB, "rw-p", MIB, "[heap]");
    put_chunks(d, BREAK, BREAK + MIB, 0);
    put_word(d, BREAK + 16, 0x0007000000000000); /* seven blocks of 80 bytes are kept */
    draw(d, HEAP, MIB, "rw-p", MIB, "");
    draw(d, HEAP + MIB, 63 * MIB, "---p", 0, "");
    put_word(d, HEAP, HEAP + 0x20);
    put_word(d, HEAP + 16, MIB);
    put_word(d, HEAP + 24, MIB);
    put_chunks(d, HEAP + ARENA_AT, HEAP + MIB, 4);
    draw(d, STACK, PAGE, "---p", 0, "");
    draw(d, STACK + PAGE, MIB, "rw-p", MIB, "");
    uint64_t block = STACK + MIB - PAGE;
    put_word(d, block, block);
    put_word(d, block + 16, block);
    draw(d, POOLS, MIB, "rw-p", 64 << 10, "");
    put_pools(d);
    draw(d, LARGE, 3 * MIB, "rw-p", 3 * MIB, "");
    put_word(d, LARGE + 8, MIB | 2);
    put_word(d, LARGE + MIB + 8, MIB | 2);
    draw(d, LIBRARY, MIB, "r-xp", MIB, LIBC);
    put_library(d);
    draw(d, LIBRARY + MIB, MIB, "rw-p", MIB, "");
    draw(d, LIBRARY + 4 * MIB, PAGE, "r-xp", PAGE, "/usr/bin/python3.11");
}

static void what_is_in_memory_says_more(void **state) {
    const uint64_t used = 0x290 + 0x2000 + 0x30, spare = 0x4000 + 0x8000;
    drawn d;
    ubi__residence r;
    (void)state;
    process_draw(&d);
    assert_int_equal(drawn_read(&d, &r, ubi_allocator_default()), UBI_OK);
    assert_true(r.is_divided);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_BLOCKS, NULL), 2 * used - 7 * 80 + ARENA_AT + 2 * MIB);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_CACHED, NULL), 7 * 80);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_FREE, NULL), 2 * (MIB - used) - ARENA_AT);
    assert_true(bytes_of(&r, UBI__RESIDENCE_FREE, NULL) > 2 * spare);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_ALLOCATOR, NULL), 0);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_STACKS, NULL), MIB);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_PYTHON, NULL), 4 * (48 + 5 * 64));
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_PYTHON_FREE, NULL), 4 * ((16 << 10) - 48 - 5 * 64));
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_FILE, LIBC), MIB + 3 * PAGE);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_UNKNOWN, NULL), MIB + MIB - 3 * PAGE);
    ubi__residence_fini(&r);
    drawn_end(&d);
}

/* Whatever is written over it: the sum is the kernel's, and it ends. */
static void damaged_memory_is_not_believed(void **state) {
    static const uint64_t places[] = { BREAK, HEAP, HEAP + ARENA_AT, STACK + MIB - PAGE, POOLS, LARGE, LIBRARY };
    (void)state;
    random_start(7);
    for (uint32_t i = random_cases(200); i > 0; i--) {
        drawn d;
        ubi__residence r;
        process_draw(&d);
        for (int k = 0; k < 6; k++) {
            uint64_t place = places[random_below(sizeof places / sizeof *places)];
            uint64_t word = (uint64_t)random_below(1u << 31) << 33 | random_below(1u << 31);
            put_word(&d, place + random_below(96), word >> random_below(64));
        }
        assert_int_equal(drawn_read(&d, &r, ubi_allocator_default()), UBI_OK);
        assert_int_equal(r.total.resident_bytes, 9 * MIB + (64 << 10) + PAGE - MIB);
        ubi__residence_fini(&r);
        drawn_end(&d);
    }
}

/* ---- mimalloc ------------------------------------------------------------------------------------------------------- */

#define SEGMENT UINT64_C(0x28000000)
#define SLICE (UINT64_C(64) << 10)
#define SLICE_TABLE (SEGMENT + 0xb0)

/* The first slice of a page of blocks, or of free slices; lists of blocks that were freed by its thread, which are not in use any more, and by others. */
static void put_slice(drawn *d, uint64_t i, uint32_t n_slices, uint32_t n_blocks, uint32_t n_used, uint32_t block_bytes,
                      uint64_t freed, uint64_t freed_by_others) {
    uint64_t words[10] = { n_slices, (uint64_t)n_blocks << 16 | (uint64_t)n_blocks << 32,
                           0,        n_used | (uint64_t)block_bytes << 32,
                           freed,    freed_by_others };
    drawn_memory_put(d, SLICE_TABLE + i * sizeof words, words, sizeof words);
}

/* Blocks of 1,024 bytes of slice 1, each with the address of the next. @return the first. */
static uint64_t put_list(drawn *d, uint64_t first, uint64_t n) {
    uint64_t at = SEGMENT + SLICE + first * 1024;
    for (uint64_t i = 0; i < n; i++)
        put_word(d, at + i * 1024, i + 1 < n ? at + (i + 1) * 1024 : 0);
    return at;
}

/* A segment of which a part has other rights, so that it is two mappings. */
static void segment_draw(drawn *d) {
    drawn_begin(d, true);
    draw(d, SEGMENT, 2 * MIB, "rw-p", 2 * MIB, "");
    draw(d, SEGMENT + 2 * MIB, 30 * MIB, "rwxp", MIB, "");
    draw(d, LIBRARY, MIB, "r-xp", PAGE, "/lib/libmimalloc.so.2");
    draw(d, LIBRARY + 4 * MIB, MIB, "r-xp", PAGE, LIBC);
    put_word(d, SLICE_TABLE - 16, 512);
    put_slice(d, 0, 1, 0, 0, 1, 0, 0);
    put_slice(d, 1, 1, 60, 40, 1024, put_list(d, 3, 5), put_list(d, 20, 3) | 1);
    put_slice(d, 2, 8, 8, 3, 64 << 10, 0, 0);
    put_slice(d, 10, 502, 0, 0, 0, 0, 0);
}

static void pages_of_mimalloc_say_what_is_used(void **state) {
    drawn d;
    ubi__residence r;
    (void)state;
    segment_draw(&d);
    assert_int_equal(drawn_read(&d, &r, ubi_allocator_default()), UBI_OK);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_BLOCKS, NULL), (40 - 3) * 1024 + 3 * SLICE);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_FREE, NULL), SLICE - (40 - 3) * 1024 + 5 * SLICE);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_FREE_PAGES, NULL), 2 * MIB - 10 * SLICE + MIB);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_OVERHEAD, NULL), SLICE);
    assert_int_equal(bytes_of(&r, UBI__RESIDENCE_ALLOCATOR, NULL), 0);
    ubi__residence_fini(&r);
    drawn_end(&d);
}

static void what_only_looks_like_mimalloc_is_not_divided(void **state) {
    static const struct {
        uint64_t at, word;
    } damages[] = {
        { SLICE_TABLE - 16, 511 },                   /* the counts lead beyond the last slice */
        { SLICE_TABLE + 80, UINT64_C(1) << 32 | 1 }, /* the first slice of a page is not its first */
        { SLICE_TABLE + 80 + 8, UINT64_C(60) << 16 | UINT64_C(50) << 32 }, /* more blocks than there is room for */
        { SLICE_TABLE + 80 + 24, UINT64_C(1024) << 32 | 61 },              /* more in use than there are */
        { SLICE_TABLE + 80 + 24, UINT64_C(2048) << 32 | 40 },              /* blocks that are larger than the page */
    };
    (void)state;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        drawn d;
        ubi__residence r;
        segment_draw(&d);
        put_word(&d, damages[i].at, damages[i].word);
        assert_int_equal(drawn_read(&d, &r, ubi_allocator_default()), UBI_OK);
        assert_int_equal(bytes_of(&r, UBI__RESIDENCE_ALLOCATOR, "mimalloc"), 3 * MIB);
        assert_int_equal(bytes_of(&r, UBI__RESIDENCE_BLOCKS, NULL), 0);
        ubi__residence_fini(&r);
        drawn_end(&d);
    }
}

/* Lists that lead around in a circle, or out of their page, end. */
static void damaged_segments_end(void **state) {
    (void)state;
    random_start(11);
    for (uint32_t i = random_cases(200); i > 0; i--) {
        drawn d;
        ubi__residence r;
        segment_draw(&d);
        put_word(&d, SEGMENT + SLICE + 5 * 1024, SEGMENT + SLICE + random_below(80) * 1024);
        for (int k = 0; k < 4; k++)
            put_word(&d, SLICE_TABLE - 16 + random_below(100) * 8,
                     ((uint64_t)random_below(1u << 31) << 33) >> random_below(64));
        assert_int_equal(drawn_read(&d, &r, ubi_allocator_default()), UBI_OK);
        assert_int_equal(r.total.resident_bytes, 3 * MIB + 2 * PAGE);
        ubi__residence_fini(&r);
        drawn_end(&d);
    }
}

/* ---- failures --------------------------------------------------------------------------------------------------------- */

static ubi_status process_read(void *payload, const ubi_allocator *allocator) {
    ubi__residence r;
    ubi_status status = drawn_read(payload, &r, allocator);
    ubi__residence_fini(&r);
    return status;
}

static void every_failed_allocation_has_a_way_out(void **state) {
    drawn d;
    (void)state;
    process_draw(&d);
    assert_true(fail_each_allocation(process_read, &d) >= 8);
    drawn_end(&d);
}

static void without_a_list_there_is_an_error(void **state) {
    drawn d;
    ubi__residence r;
    (void)state;
    drawn_begin(&d, true);
    assert_int_equal(drawn_read(&d, &r, ubi_allocator_default()), UBI_EIO); /* it is empty */
    ubi__residence_fini(&r);
    assert_int_equal(unlinkat(d.process, "smaps", 0), 0);
    assert_int_equal(drawn_read(&d, &r, ubi_allocator_default()), UBI_EIO);
    ubi__residence_fini(&r);
    drawn_end(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_shapes_are_enough_for_most),
        cmocka_unit_test(java_and_other_allocators_have_places_and_sizes),
        cmocka_unit_test(what_is_in_memory_says_more),
        cmocka_unit_test(damaged_memory_is_not_believed),
        cmocka_unit_test(pages_of_mimalloc_say_what_is_used),
        cmocka_unit_test(what_only_looks_like_mimalloc_is_not_divided),
        cmocka_unit_test(damaged_segments_end),
        cmocka_unit_test(every_failed_allocation_has_a_way_out),
        cmocka_unit_test(without_a_list_there_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
