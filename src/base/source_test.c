/* SPDX-License-Identifier: MIT
 *
 * source_test.c: input from files, pipes, memory and callbacks, read once and read again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/source.h"
#include "fail_allocator.h"
#include "packing.h"

/* ---- helpers ------------------------------------------------------------------------------------------------------ */

/* A file that exists only as a descriptor, and as a path below /proc. */
static int temporary_file(const bytes *content, char path[64]) {
    FILE *file = tmpfile();
    assert_non_null(file);
    int fd = dup(fileno(file));
    fclose(file);
    assert_int_equal(write(fd, content->at, content->n), content->n);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}

/* A pipe that a child process fills. */
static int pipe_with(const bytes *content) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    if (fork() == 0) {
        close(ends[0]);
        for (size_t at = 0; at < content->n;) {
            ssize_t n = write(ends[1], content->at + at, content->n - at);
            if (n <= 0)
                break;
            at += (size_t)n;
        }
        _exit(0);
    }
    close(ends[1]);
    return ends[0];
}

static bytes read_all(ubi__source *s, size_t piece) {
    bytes all = { NULL, 0, 0 };
    uint8_t *buffer = malloc(piece);
    for (size_t n = 1; n > 0;) {
        assert_int_equal(ubi__source_read(s, buffer, piece, &n), UBI_OK);
        assert_in_range(n, 0, piece);
        bytes_add(&all, buffer, n);
        assert_int_equal(s->position, all.n);
    }
    free(buffer);
    return all;
}

static void assert_reads(ubi__source *s, const uint8_t *content, size_t n) {
    bytes all = read_all(s, 1000);
    assert_int_equal(all.n, n);
    if (n)
        assert_memory_equal(all.at, content, n);
    bytes_free(&all);
}

typedef struct feed {
    const bytes *content;
    size_t at;
    size_t piece;
    int calls;
    int interruptions; /* how often to answer EINTR before each piece */
    int left;
} feed;

static ptrdiff_t read_feed(void *payload, void *buffer, size_t size) {
    feed *f = payload;
    size_t n = f->content->n - f->at;
    f->calls++;
    if (f->left > 0) {
        f->left--;
        errno = EINTR;
        return -1;
    }
    f->left = f->interruptions;
    n = n < f->piece ? n : f->piece;
    n = n < size ? n : size;
    if (n)
        memcpy(buffer, f->content->at + f->at, n);
    f->at += n;
    return (ptrdiff_t)n;
}

/* ---- files -------------------------------------------------------------------------------------------------------- */

static void a_file_is_read_to_its_end_and_again_after_rewinding(void **state) {
    (void)state;
    bytes content = make_data(100000, 1);
    char path[64];
    int fd = temporary_file(&content, path);
    ubi__source s;
    assert_int_equal(ubi__source_open_path(&s, path, ubi_allocator_default()), UBI_OK);
    assert_int_equal(s.size, 100000);
    assert_true(ubi__source_can_rewind(&s));
    for (int i = 0; i < 3; i++) {
        assert_reads(&s, content.at, content.n);
        assert_true(ubi__source_rewind(&s));
    }
    assert_int_equal(s.retained.n, 0); /* a file need not be remembered */
    ubi__source_close(&s);
    close(fd);
    bytes_free(&content);
}

static void a_descriptor_is_read_from_where_it_stands_and_stays_open(void **state) {
    (void)state;
    bytes content = make_data(5000, 2);
    char path[64];
    int fd = temporary_file(&content, path);
    ubi__source s;
    assert_int_equal(lseek(fd, 1234, SEEK_SET), 1234);
    ubi__source_open_fd(&s, fd, ubi_allocator_default());
    assert_int_equal(s.size, 5000 - 1234);
    assert_reads(&s, content.at + 1234, 5000 - 1234);
    assert_true(ubi__source_rewind(&s)); /* to where it was */
    assert_reads(&s, content.at + 1234, 5000 - 1234);
    ubi__source_close(&s);
    assert_true(fcntl(fd, F_GETFD) >= 0);
    close(fd);
    bytes_free(&content);
}

static void closing_closes_what_opening_opened(void **state) {
    (void)state;
    ubi__source s;
    assert_int_equal(ubi__source_open_path(&s, "/proc/self/exe", ubi_allocator_default()), UBI_OK);
    int fd = s.fd;
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    ubi__source_close(&s);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
}

static void what_cannot_be_opened_or_read_is_an_error_with_its_reason(void **state) {
    (void)state;
    ubi__source s;
    uint8_t byte;
    size_t n;
    assert_int_equal(ubi__source_open_path(&s, "/nonexistent/file", ubi_allocator_default()), UBI_EIO);
    assert_string_equal(ubi_error_message(), "cannot open: No such file or directory");
    assert_int_equal(ubi__source_open_path(&s, "/proc", ubi_allocator_default()), UBI_EFORMAT);
    assert_string_equal(ubi_error_message(), "this is a directory: give a file that is in it");
    int directory = open("/proc", O_RDONLY | O_DIRECTORY);
    ubi__source_open_fd(&s, directory, ubi_allocator_default());
    assert_int_equal(s.size, 0);
    assert_int_equal(ubi__source_read(&s, &byte, 1, &n), UBI_EFORMAT);
    assert_string_equal(ubi_error_message(), "this is a directory: give a file that is in it");
    ubi__source_close(&s);
    close(directory);
    ubi__source_open_fd(&s, directory, ubi_allocator_default()); /* closed by now */
    assert_int_equal(ubi__source_read(&s, &byte, 1, &n), UBI_EIO);
    ubi__source_close(&s);
}

/* ---- pipes -------------------------------------------------------------------------------------------------------- */

static void a_dash_is_standard_input(void **state) {
    (void)state;
    bytes content = make_data(300000, 3);
    int kept = dup(STDIN_FILENO), fd = pipe_with(&content);
    ubi__source s;
    dup2(fd, STDIN_FILENO);
    close(fd);
    assert_int_equal(ubi__source_open_path(&s, "-", ubi_allocator_default()), UBI_OK);
    assert_int_equal(s.size, 0);              /* unknown */
    assert_false(ubi__source_can_rewind(&s)); /* nor whether it will be short enough */
    assert_reads(&s, content.at, content.n);
    assert_true(ubi__source_rewind(&s));
    assert_reads(&s, content.at, content.n);
    ubi__source_close(&s);
    assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0);
    dup2(kept, STDIN_FILENO);
    close(kept);
    while (wait(NULL) > 0)
        ;
    bytes_free(&content);
}

static volatile sig_atomic_t n_signals;

static void count_signal(int number) {
    (void)number;
    n_signals = n_signals + 1;
}

static void a_signal_during_a_read_goes_unnoticed(void **state) {
    (void)state;
    struct sigaction action = { .sa_handler = count_signal }, before; /* no SA_RESTART: read gives EINTR */
    int ends[2];
    pid_t reader = getpid();
    ubi__source s;
    assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 5; i++) {
            usleep(10000);
            kill(reader, SIGUSR1);
        }
        usleep(10000);
        _exit(write(ends[1], "late", 4) == 4 ? 0 : 1);
    }
    close(ends[1]);
    ubi__source_open_fd(&s, ends[0], ubi_allocator_default());
    assert_reads(&s, (const uint8_t *)"late", 4);
    assert_true(n_signals > 0);
    ubi__source_close(&s);
    close(ends[0]);
    waitpid(child, NULL, 0);
    sigaction(SIGUSR1, &before, NULL);
}

/* ---- memory and callbacks ------------------------------------------------------------------------------------------ */

static void memory_is_read_in_any_pieces_and_again(void **state) {
    (void)state;
    bytes content = make_data(3000, 4);
    ubi__source s;
    ubi__source_open_memory(&s, content.at, content.n, ubi_allocator_default());
    assert_int_equal(s.size, 3000);
    assert_true(ubi__source_can_rewind(&s));
    for (size_t piece = 1; piece < 5000; piece *= 7) {
        bytes all = read_all(&s, piece);
        assert_int_equal(all.n, content.n);
        assert_memory_equal(all.at, content.at, content.n);
        bytes_free(&all);
        assert_true(ubi__source_rewind(&s));
    }
    ubi__source_close(&s);
    ubi__source_open_memory(&s, NULL, 0, ubi_allocator_default());
    assert_reads(&s, NULL, 0);
    ubi__source_close(&s);
    bytes_free(&content);
}

static void a_callback_may_give_little_and_be_interrupted(void **state) {
    (void)state;
    bytes content = make_data(1000, 5);
    feed f = { .content = &content, .piece = 3, .interruptions = 2 };
    ubi__source s;
    ubi__source_open_callback(&s, read_feed, &f, ubi_allocator_default());
    assert_reads(&s, content.at, content.n);
    assert_int_equal(f.calls, (1000 / 3 + 2) * 3 - 2);
    ubi__source_close(&s);
    bytes_free(&content);
}

static ptrdiff_t fail_with(void *payload, void *buffer, size_t size) {
    (void)buffer;
    (void)size;
    int *error = payload;
    if (*error)
        errno = *error;
    return -1;
}

static ptrdiff_t claim_too_much(void *payload, void *buffer, size_t size) {
    (void)payload;
    (void)buffer;
    return (ptrdiff_t)size + 1;
}

static void a_callback_that_fails_ends_the_reading(void **state) {
    (void)state;
    ubi__source s;
    uint8_t buffer[8];
    size_t n;
    int error = EPIPE;
    ubi__source_open_callback(&s, fail_with, &error, ubi_allocator_default());
    assert_int_equal(ubi__source_read(&s, buffer, 8, &n), UBI_EIO);
    assert_string_equal(ubi_error_message(), "cannot read at byte 0: Broken pipe");
    error = 0; /* it sets no errno, and an old EINTR is still there */
    errno = EINTR;
    assert_int_equal(ubi__source_read(&s, buffer, 8, &n), UBI_EIO);
    assert_string_equal(ubi_error_message(), "cannot read at byte 0: Input/output error");
    ubi__source_close(&s);
    ubi__source_open_callback(&s, claim_too_much, NULL, ubi_allocator_default());
    assert_int_equal(ubi__source_read(&s, buffer, 8, &n), UBI_EINVAL);
    ubi__source_close(&s);
}

/* ---- rewinding what cannot seek ------------------------------------------------------------------------------------ */

static void take(ubi__source *s, size_t n_bytes) {
    static uint8_t buffer[1 << 16];
    while (n_bytes > 0) {
        size_t n;
        assert_int_equal(ubi__source_read(s, buffer, n_bytes < sizeof buffer ? n_bytes : sizeof buffer, &n), UBI_OK);
        assert_true(n > 0);
        n_bytes -= n;
    }
}

static void a_callback_can_be_rewound_up_to_the_limit_and_not_beyond(void **state) {
    (void)state;
    bytes content = make_data(UBI__SOURCE_RETAINED_BYTES + 5000, 6);
    feed f = { .content = &content, .piece = 10000 };
    ubi__source s;
    ubi__source_open_callback(&s, read_feed, &f, ubi_allocator_default());
    assert_true(ubi__source_rewind(&s)); /* nothing read yet */
    take(&s, 70000);
    assert_true(ubi__source_rewind(&s));
    take(&s, 30000); /* some again, then on into what is new */
    assert_true(ubi__source_rewind(&s));
    take(&s, UBI__SOURCE_RETAINED_BYTES);
    assert_int_equal(f.at, UBI__SOURCE_RETAINED_BYTES);
    assert_true(ubi__source_rewind(&s));
    assert_reads(&s, content.at, content.n);
    assert_false(ubi__source_rewind(&s));
    assert_int_equal(s.retained.cap, 0); /* and the memory is given back */
    ubi__source_close(&s);
    bytes_free(&content);
}

static void without_memory_to_remember_reading_continues_but_cannot_be_repeated(void **state) {
    (void)state;
    bytes content = make_data(100000, 7);
    for (uint64_t n_allowed = 0; n_allowed < 3; n_allowed++) {
        feed f = { .content = &content, .piece = 9000 };
        fail_allocator a;
        ubi__source s;
        fail_allocator_init(&a, n_allowed);
        ubi__source_open_callback(&s, read_feed, &f, &a.allocator);
        assert_reads(&s, content.at, content.n);
        assert_false(ubi__source_rewind(&s));
        ubi__source_close(&s);
        fail_allocator_fini(&a);
    }
    bytes_free(&content);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read_to_its_end_and_again_after_rewinding),
        cmocka_unit_test(a_descriptor_is_read_from_where_it_stands_and_stays_open),
        cmocka_unit_test(closing_closes_what_opening_opened),
        cmocka_unit_test(what_cannot_be_opened_or_read_is_an_error_with_its_reason),
        cmocka_unit_test(a_dash_is_standard_input),
        cmocka_unit_test(a_signal_during_a_read_goes_unnoticed),
        cmocka_unit_test(memory_is_read_in_any_pieces_and_again),
        cmocka_unit_test(a_callback_may_give_little_and_be_interrupted),
        cmocka_unit_test(a_callback_that_fails_ends_the_reading),
        cmocka_unit_test(a_callback_can_be_rewound_up_to_the_limit_and_not_beyond),
        cmocka_unit_test(without_memory_to_remember_reading_continues_but_cannot_be_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
