/* SPDX-License-Identifier: MIT
 *
 * native_borrow_test.c: a thread of another process is borrowed, calls functions, and is as it was. The process is a copy of this one,
 * so functions are where they are here.
 */
#include "targets/native/native_borrow.h"

#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "fail_allocator.h"
#include "recording/preload_wire.h"
#include "targets/native/native_attach.h"
#include "targets/native/native_filters.h"
#include "targets/native/native_moment.h"

static const uint8_t way_back[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };

/* What both processes see. */
typedef struct shared {
    _Atomic int is_ready, is_over;
    uint64_t first, second, n_calls;
    char text[64];
} shared;
static shared *both;

static void note_numbers(uint64_t first, uint64_t second) {
    both->first = first;
    both->second = second;
    both->n_calls++;
    errno = 1234;
}

static void note_text(const char *text, uint64_t second) {
    snprintf(both->text, sizeof both->text, "%s", text);
    both->second = second;
    both->n_calls++;
}

static void crash(uint64_t first) {
    *(volatile int *)(uintptr_t)first = 1;
}

static bool is_c_library(const char *name) {
    return strncmp(name, "libc.so", 7) == 0 || strncmp(name, "libc-2", 6) == 0;
}

/* Waits, and leaves with 0 if it was not interrupted. */
static void sleeper(void) {
    const struct timespec time = { .tv_nsec = 300000000 };
    errno = 77;
    both->is_ready = 1;
    int result = nanosleep(&time, NULL);
    _exit(result == 0 && errno == 77 ? 0 : 1);
}

/* Never waits; its registers and errno stay. */
static void spinner(void) {
    double sum = 0;
    uint64_t count = 0;
    errno = 77;
    both->is_ready = 1;
    while (!both->is_over) {
        sum += 1;
        count++;
    }
    _exit(errno == 77 && sum == (double)count ? 0 : 1);
}

typedef struct subject {
    pid_t pid;
    ubi__native_image image;
    uint64_t way_back;
    ubi__borrowed borrowed;
} subject;

static void subject_start(subject *s, void (*life)(void)) {
    memset(both, 0, sizeof *both);
    s->pid = fork();
    assert_true(s->pid >= 0);
    if (s->pid == 0)
        life();
    while (!both->is_ready) {
    }
    assert_int_equal(ubi__native_image_open(&s->image, s->pid, ubi_allocator_default()), UBI_OK);
    const ubi__native_mapping *library = ubi__native_image_find(&s->image, is_c_library);
    assert_non_null(library);
    s->way_back = ubi__native_image_search(&s->image, library, way_back, sizeof way_back);
    assert_true(s->way_back != 0);
}

static int subject_end(subject *s) {
    int status;
    both->is_over = 1;
    assert_int_equal(waitpid(s->pid, &status, 0), s->pid);
    ubi__native_image_close(&s->image);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static void call_both(subject *s) {
    ubi__borrowed *b = &s->borrowed;
    assert_int_equal(ubi__borrow_call(b, (uintptr_t)note_numbers, 11, 22, NULL, 0), UBI__BORROW_DONE);
    assert_int_equal(both->first, 11);
    assert_int_equal(both->second, 22);
    assert_int_equal(ubi__borrow_call(b, (uintptr_t)note_text, 0, 33, "some text", 10), UBI__BORROW_DONE);
    assert_string_equal(both->text, "some text");
    assert_int_equal(both->second, 33);
    assert_int_equal(both->n_calls, 2);
}

/* Where errno is, from the thread pointer: the same in the copy. */
static int64_t errno_offset(void) {
    uint64_t thread;
    __asm__("mov %%fs:0, %0" : "=r"(thread));
    return (int64_t)((uintptr_t)&errno - thread);
}

static void a_wait_continues(void **state) {
    (void)state;
    subject s;
    subject_start(&s, sleeper);
    for (;;) { /* it says that it is ready before it sleeps */
        assert_int_equal(ubi__borrow_stop(&s.borrowed, &s.image, s.pid, s.way_back), UBI__BORROW_DONE);
        if (ubi__borrowed_waits(&s.borrowed))
            break;
        ubi__borrow_resume(&s.borrowed);
    }
    assert_true(ubi__borrowed_has_room(&s.borrowed));
    ubi__borrow_keep_errno(&s.borrowed, errno_offset());
    call_both(&s);
    ubi__borrow_resume(&s.borrowed);
    ubi__borrow_resume(&s.borrowed); /* again is fine */
    assert_int_equal(subject_end(&s), 0);
}

static void registers_and_errno_stay(void **state) {
    (void)state;
    subject s;
    subject_start(&s, spinner);
    for (int i = 0; i < 20; i++) {
        both->n_calls = 0;
        assert_int_equal(ubi__borrow_stop(&s.borrowed, &s.image, s.pid, s.way_back), UBI__BORROW_DONE);
        assert_false(ubi__borrowed_waits(&s.borrowed));
        ubi__borrow_keep_errno(&s.borrowed, errno_offset());
        call_both(&s);
        ubi__borrow_resume(&s.borrowed);
    }
    assert_int_equal(subject_end(&s), 0);
}

static void a_call_that_crashes_is_undone(void **state) {
    (void)state;
    subject s;
    subject_start(&s, spinner);
    assert_int_equal(ubi__borrow_stop(&s.borrowed, &s.image, s.pid, s.way_back), UBI__BORROW_DONE);
    ubi__borrow_keep_errno(&s.borrowed, errno_offset());
    assert_int_equal(ubi__borrow_call(&s.borrowed, (uintptr_t)crash, 8, 0, NULL, 0), UBI__BORROW_FAILED);
    assert_int_equal(s.borrowed.tid, 0);
    assert_int_equal(subject_end(&s), 0);
}

static void moments_are_distinguished(void **state) {
    (void)state;
    subject s;
    ubi__native_moments *moments;
    subject_start(&s, spinner);
    assert_int_equal(ubi__native_moments_open(&moments, &s.image), UBI_OK);
    assert_int_equal(ubi__borrow_stop(&s.borrowed, &s.image, s.pid, s.way_back), UBI__BORROW_DONE);
    assert_true(ubi__native_moment_is_good(moments, s.pid));
    assert_int_equal(ubi__native_filters_try(s.pid, ubi_allocator_default()), UBI_OK); /* it has none */
    ubi__borrow_resume(&s.borrowed);
    ubi__native_moments_close(moments);
    assert_int_equal(subject_end(&s), 0);
}

static void what_is_gone_is_gone(void **state) {
    (void)state;
    subject s;
    subject_start(&s, spinner);
    assert_int_equal(ubi__borrow_stop(&s.borrowed, &s.image, s.pid, s.way_back), UBI__BORROW_DONE);
    kill(s.pid, SIGKILL);
    assert_int_not_equal(ubi__borrow_call(&s.borrowed, (uintptr_t)note_numbers, 1, 2, NULL, 0), UBI__BORROW_DONE);
    assert_int_equal(s.borrowed.tid, 0);
    while (waitpid(s.pid, NULL, __WALL) > 0) { /* unless it was noticed there */
    }
    ubi__native_image_close(&s.image);
    assert_int_equal(ubi__borrow_stop(&s.borrowed, &s.image, s.pid, s.way_back), UBI__BORROW_GONE);
    ubi__native_image image;
    assert_int_equal(ubi__native_image_open(&image, s.pid, ubi_allocator_default()), UBI_EIO);
}

static void mappings_and_functions_are_found(void **state) {
    (void)state;
    ubi__native_image image;
    int here = 4711, there = 0;
    assert_int_equal(ubi__native_image_open(&image, getpid(), ubi_allocator_default()), UBI_OK);
    const ubi__native_mapping *stack = ubi__native_image_at(&image, (uintptr_t)&here);
    assert_non_null(stack);
    assert_true(stack->is_stack);
    assert_null(ubi__native_image_at(&image, 0));
    assert_true(ubi__native_image_read(&image, &there, (uintptr_t)&here, sizeof here));
    assert_int_equal(there, here);
    there++;
    assert_true(ubi__native_image_write(&image, (uintptr_t)&here, &there, sizeof there));
    assert_int_equal(*(volatile int *)&here, 4712);
    assert_false(ubi__native_image_read(&image, &there, 8, sizeof there));
    assert_false(ubi__native_image_read(&image, &there, UINT64_MAX, sizeof there));
    const ubi__native_mapping *library = ubi__native_image_find(&image, is_c_library);
    int fd = ubi__native_image_file(&image, library->name);
    assert_true(fd >= 0);
    assert_int_equal(library->low + ubi__elf_exported(fd, "labs"), (uintptr_t)dlsym(RTLD_DEFAULT, "labs"));
    assert_int_equal(ubi__elf_exported(fd, "no such function"), 0);
    assert_int_equal(ubi__native_image_search(&image, library, "no such bytes in there", 22), 0);
    close(fd);
    fd = ubi__native_image_file(&image, "/dev/null");
    assert_int_equal(ubi__elf_exported(fd, "labs"), 0);
    close(fd);
    ubi__native_image_close(&image);
}

/* All that attaching looks at, of a process that stands. */
static ubi_status looks(void *payload, const ubi_allocator *allocator) {
    subject *s = payload;
    ubi__native_image image;
    ubi__native_moments *moments = NULL;
    UBI_TRY(ubi__native_image_open(&image, s->pid, allocator));
    ubi_status status = ubi__native_image_look(&image);
    if (status == UBI_OK)
        status = ubi__native_moments_open(&moments, &image);
    if (status == UBI_OK) {
        status = ubi__native_filters_try(s->pid, allocator);
        ubi__native_moments_close(moments);
    }
    ubi__native_image_close(&image);
    return status;
}

static void no_refused_memory_is_missed_by_looks(void **state) {
    (void)state;
    subject s;
    subject_start(&s, spinner);
    assert_int_equal(ubi__borrow_stop(&s.borrowed, &s.image, s.pid, s.way_back), UBI__BORROW_DONE);
    assert_true(fail_each_allocation(looks, &s) >= 3);
    ubi__borrow_resume(&s.borrowed);
    assert_int_equal(subject_end(&s), 0);
}

static ubi_status attach(void *payload, const ubi_allocator *allocator) {
    const subject *s = payload;
    char library[4096];
    ubi__native_attach a;
    snprintf(library, sizeof library, "%s/lib/ubiheap/" UBI__WIRE_LIBRARY, getenv("UBI_BUILD_DIR"));
    ubi_status status = ubi__native_attach_open(&a, s->pid, library, false, allocator);
    if (status == UBI_OK)
        ubi__native_attach_close(&a);
    return status;
}

/* Each attempt leaves the process as it was, for the next one. */
static void no_refused_memory_harms_who_is_attached_to(void **state) {
    (void)state;
    subject s;
    if (!getenv("UBI_BUILD_DIR"))
        skip();
    subject_start(&s, spinner);
    if (attach(&s, ubi_allocator_default()) == UBI_EINVAL) { /* a sanitizer has a malloc of its own */
        assert_int_equal(subject_end(&s), 0);
        skip();
    }
    assert_true(fail_each_allocation(attach, &s) >= 4);
    assert_int_equal(subject_end(&s), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wait_continues),
        cmocka_unit_test(registers_and_errno_stay),
        cmocka_unit_test(moments_are_distinguished),
        cmocka_unit_test(what_is_gone_is_gone),
        cmocka_unit_test(a_call_that_crashes_is_undone),
        cmocka_unit_test(mappings_and_functions_are_found),
        cmocka_unit_test(no_refused_memory_is_missed_by_looks),
        cmocka_unit_test(no_refused_memory_harms_who_is_attached_to),
    };
    both = mmap(NULL, sizeof *both, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(both != MAP_FAILED);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
