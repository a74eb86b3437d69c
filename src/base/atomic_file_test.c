/* SPDX-License-Identifier: MIT
 *
 * atomic_file_test.c: files that appear whole or not at all; with and without nameless temporary files.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/atomic_file.h"
#include "fail_allocator.h"
#include "saving.h"

/* Every test runs twice: flags 0 and UBI__ATOMIC_FILE_NAMED. */
typedef struct place {
    char *directory;
    char path[200];
    unsigned flags;
} place;

static int set_up(void **state, unsigned flags) {
    place *p = calloc(1, sizeof *p);
    p->directory = new_directory();
    p->flags = flags;
    snprintf(p->path, sizeof p->path, "%s/file", p->directory);
    *state = p;
    return 0;
}
static int set_up_nameless(void **state) {
    return set_up(state, 0);
}
static int set_up_named(void **state) {
    return set_up(state, UBI__ATOMIC_FILE_NAMED);
}

static int tear_down(void **state) {
    place *p = *state;
    remove_directory(p->directory);
    free(p);
    return 0;
}

static void put(const char *path, const char *content) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(content, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void assert_content(const char *path, const char *expected) {
    char content[64] = "";
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(content, 1, sizeof content - 1, f);
    fclose(f);
    assert_int_equal(n, strlen(expected));
    assert_string_equal(content, expected);
}

static mode_t mode_of(const char *path) {
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

static ubi_status open_file(ubi__atomic_file *f, const place *p, const char *path) {
    return ubi__atomic_file_open(f, path, p->flags, ubi_allocator_default());
}

static void write_new(const place *p, const char *path) {
    ubi__atomic_file f;
    assert_int_equal(open_file(&f, p, path), UBI_OK);
    assert_int_equal(ubi__atomic_file_write(&f, "ne", 2), UBI_OK);
    assert_int_equal(ubi__atomic_file_write(&f, "w", 1), UBI_OK);
    assert_int_equal(ubi__atomic_file_commit(&f), UBI_OK);
}

/* ---- names -------------------------------------------------------------------------------------------------------- */

static void a_new_file_appears_at_the_end_with_the_mode_of_the_umask(void **state) {
    place *p = *state;
    ubi__atomic_file f;
    mode_t mask = umask(027);
    assert_int_equal(open_file(&f, p, p->path), UBI_OK);
    assert_int_equal(ubi__atomic_file_write(&f, "new", 3), UBI_OK);
    assert_int_equal(access(p->path, F_OK), -1);
    assert_int_equal(ubi__atomic_file_commit(&f), UBI_OK);
    umask(mask);
    assert_content(p->path, "new");
    assert_int_equal(mode_of(p->path), 0640);
    assert_int_equal(count_files(p->directory), 1);
}

static void an_old_file_stays_until_the_end_and_gives_its_mode(void **state) {
    place *p = *state;
    ubi__atomic_file f;
    put(p->path, "old");
    assert_int_equal(chmod(p->path, 0604), 0);
    assert_int_equal(open_file(&f, p, p->path), UBI_OK);
    assert_int_equal(ubi__atomic_file_write(&f, "new", 3), UBI_OK);
    assert_content(p->path, "old");
    assert_int_equal(ubi__atomic_file_commit(&f), UBI_OK);
    assert_content(p->path, "new");
    assert_int_equal(mode_of(p->path), 0604);
    assert_int_equal(count_files(p->directory), 1);
}

static void a_file_that_has_appeared_is_written_on(void **state) {
    place *p = *state;
    ubi__atomic_file f;
    for (int old = 0; old <= 1; old++) {
        assert_int_equal(open_file(&f, p, p->path), UBI_OK);
        assert_int_equal(ubi__atomic_file_write(&f, "ne", 2), UBI_OK);
        int fd = dup(f.fd);
        assert_int_equal(count_files(p->directory), old + (p->flags & UBI__ATOMIC_FILE_NAMED ? 1 : 0));
        assert_int_equal(ubi__atomic_file_appear(&f), UBI_OK);
        assert_content(p->path, "ne");
        assert_int_equal(write(fd, "w", 1), 1);
        close(fd);
        assert_content(p->path, "new");
        assert_int_equal(count_files(p->directory), 1);
    }
}

static void discarding_leaves_nothing_but_the_old_file(void **state) {
    place *p = *state;
    ubi__atomic_file f;
    for (int old = 0; old <= 1; old++) {
        if (old)
            put(p->path, "old");
        assert_int_equal(open_file(&f, p, p->path), UBI_OK);
        assert_int_equal(ubi__atomic_file_write(&f, "new", 3), UBI_OK);
        ubi__atomic_file_discard(&f);
        assert_int_equal(count_files(p->directory), old);
    }
    assert_content(p->path, "old");
}

static void a_file_that_appeared_meanwhile_is_replaced(void **state) {
    place *p = *state;
    ubi__atomic_file f;
    assert_int_equal(open_file(&f, p, p->path), UBI_OK);
    assert_int_equal(ubi__atomic_file_write(&f, "new", 3), UBI_OK);
    put(p->path, "other");
    assert_int_equal(ubi__atomic_file_commit(&f), UBI_OK);
    assert_content(p->path, "new");
    assert_int_equal(count_files(p->directory), 1);
}

static void names_may_be_relative_long_and_any_bytes(void **state) {
    place *p = *state;
    char name[256], *here = getcwd(NULL, 0);
    memset(name, 'n', 255);
    name[255] = '\0';
    assert_int_equal(chdir(p->directory), 0);
    write_new(p, "\xc3\xa9\xe4\xb8\xad \xff.fxsnapshot");
    write_new(p, name);
    write_new(p, "./relative");
    assert_content(name, "new");
    assert_content("relative", "new");
    assert_content("\xc3\xa9\xe4\xb8\xad \xff.fxsnapshot", "new");
    assert_int_equal(chdir(here), 0);
    free(here);
}

static void a_symbolic_link_stays_and_what_it_leads_to_is_replaced(void **state) {
    place *p = *state;
    char link[220], second[220];
    snprintf(link, sizeof link, "%s/link", p->directory);
    snprintf(second, sizeof second, "%s/second", p->directory);
    put(p->path, "old");
    assert_int_equal(symlink("file", link), 0);
    assert_int_equal(symlink(link, second), 0);
    write_new(p, second);
    assert_content(p->path, "new");
    struct stat st;
    assert_true(lstat(link, &st) == 0 && S_ISLNK(st.st_mode));
    assert_int_equal(unlink(p->path), 0); /* and one that leads nowhere makes the file */
    write_new(p, second);
    assert_content(p->path, "new");
    assert_int_equal(count_files(p->directory), 3);
}

static void assert_refused(const place *p, const char *path, const char *why) {
    ubi__atomic_file f;
    size_t n = count_files(p->directory);
    assert_int_equal(open_file(&f, p, path), UBI_EIO);
    assert_non_null(strstr(ubi_error_message(), why));
    assert_int_equal(count_files(p->directory), n);
}

static void what_cannot_be_a_file_is_refused_at_once(void **state) {
    place *p = *state;
    char path[220];
    assert_refused(p, p->directory, "Is a directory");
    assert_refused(p, "", "No such file");
    snprintf(path, sizeof path, "%s/", p->path);
    assert_refused(p, path, "No such file");
    snprintf(path, sizeof path, "%s/nowhere/file", p->directory);
    assert_refused(p, path, "No such file");
    put(p->path, "old");
    snprintf(path, sizeof path, "%s/file/file", p->directory);
    assert_refused(p, path, "Not a directory");
    snprintf(path, sizeof path, "%s/loop", p->directory);
    assert_int_equal(symlink("loop", path), 0);
    assert_refused(p, path, "Too many levels");
}

/** Root may write everywhere, so an unprivileged child tries. */
static void a_file_that_may_not_be_written_is_not_replaced(void **state) {
    place *p = *state;
    int status;
    put(p->path, "old");
    assert_int_equal(chmod(p->path, 0444), 0);
    assert_int_equal(chmod(p->directory, 0777), 0);
    pid_t child = fork();
    if (child == 0) {
        ubi__atomic_file f;
        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(2);
        _exit(open_file(&f, p, p->path) == UBI_EIO && strstr(ubi_error_message(), "Permission denied") ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_content(p->path, "old");
    assert_int_equal(count_files(p->directory), 1);
}

/* ---- devices, fifos ----------------------------------------------------------------------------------------------- */

static void a_device_is_written_directly(void **state) {
    place *p = *state;
    ubi__atomic_file f;
    assert_int_equal(open_file(&f, p, "/dev/null"), UBI_OK);
    assert_int_equal(ubi__atomic_file_write(&f, "new", 3), UBI_OK);
    assert_int_equal(ubi__atomic_file_commit(&f), UBI_OK);
    struct stat st;
    assert_true(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
    assert_int_equal(open_file(&f, p, "/dev/full"), UBI_OK);
    assert_int_equal(ubi__atomic_file_write(&f, "new", 3), UBI_EIO);
    assert_non_null(strstr(ubi_error_message(), "No space left"));
    ubi__atomic_file_discard(&f);
    assert_int_equal(access("/dev/full", F_OK), 0);
}

static void a_fifo_and_an_open_file_of_proc_are_written_directly(void **state) {
    place *p = *state;
    char got[4] = "", of_proc[40];
    assert_int_equal(mkfifo(p->path, 0600), 0);
    int reader = open(p->path, O_RDONLY | O_NONBLOCK);
    write_new(p, p->path);
    assert_int_equal(read(reader, got, 3), 3);
    assert_string_equal(got, "new");
    close(reader);
    assert_int_equal(unlink(p->path), 0);
    put(p->path, "older");
    int fd = open(p->path, O_RDWR);
    snprintf(of_proc, sizeof of_proc, "/proc/self/fd/%d", fd);
    write_new(p, of_proc);
    assert_int_equal(pread(fd, got, 3, 0), 3); /* the very file that was open */
    assert_string_equal(got, "new");
    close(fd);
    assert_content(p->path, "new");
}

/* ---- writing ------------------------------------------------------------------------------------------------------ */

static void a_full_disk_leaves_the_old_file(void **state) {
    place *p = *state;
    struct rlimit limit, small = { 0, 0 };
    char data[1000] = { 0 };
    put(p->path, "old");
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    for (small.rlim_cur = 0; small.rlim_cur <= 3000; small.rlim_cur += 500) {
        ubi__atomic_file f;
        ubi_status status = UBI_OK;
        small.rlim_max = limit.rlim_max;
        assert_int_equal(open_file(&f, p, p->path), UBI_OK);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        for (int i = 0; i < 3 && status == UBI_OK; i++)
            status = ubi__atomic_file_write(&f, data, sizeof data); /* at odd limits the last one is short first */
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        assert_int_equal(status, small.rlim_cur < 3000 ? UBI_EIO : UBI_OK);
        assert_true(status == UBI_OK || strstr(ubi_error_message(), "File too large"));
        ubi__atomic_file_discard(&f);
        assert_content(p->path, "old");
        assert_int_equal(count_files(p->directory), 1);
    }
}

static void on_alarm(int signal_number) {
    (void)signal_number;
}

/** Signals every 200 microseconds, a socket that takes a little at a time, a reader that is slow. */
static void short_and_interrupted_writes_lose_nothing(void **state) {
    enum { N = 1 << 20 };
    int pair[2], small = 4096;
    (void)state;
    for (int nonblocking = 0; nonblocking <= 1; nonblocking++) {
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
        setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
        if (nonblocking)
            fcntl(pair[0], F_SETFL, O_NONBLOCK);
        pid_t child = fork();
        if (child == 0) {
            static uint8_t got[5000];
            uint32_t expected = 0;
            close(pair[0]);
            for (ssize_t n; (n = read(pair[1], got, sizeof got)) > 0; usleep(100))
                for (ssize_t i = 0; i < n; i++)
                    if (got[i] != (uint8_t)(expected++ * 7))
                        _exit(1);
            _exit(expected == N ? 0 : 2);
        }
        close(pair[1]);
        struct sigaction handle = { .sa_handler = on_alarm }, before;
        struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { { 0, 0 }, { 0, 0 } };
        sigaction(SIGALRM, &handle, &before);
        setitimer(ITIMER_REAL, &often, NULL);
        static uint8_t data[N];
        for (uint32_t i = 0; i < N; i++)
            data[i] = (uint8_t)(i * 7);
        assert_int_equal(ubi__write_fully(pair[0], data, N), UBI_OK);
        setitimer(ITIMER_REAL, &never, NULL);
        sigaction(SIGALRM, &before, NULL);
        close(pair[0]);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

/* ---- dying -------------------------------------------------------------------------------------------------------- */

/** Steps up to the end, waiting for a byte before each. */
static void write_stepwise(const place *p, int steps) {
    ubi__atomic_file f;
    char step;
    for (int i = 0; read(steps, &step, 1) == 1; i++) {
        if (i == 0 && open_file(&f, p, p->path) != UBI_OK)
            _exit(1);
        if (i > 0 && i < 4)
            ubi__atomic_file_write(&f, "new", 1);
        if (i == 4)
            ubi__atomic_file_commit(&f);
    }
    _exit(0);
}

static void a_killed_process_leaves_the_old_file_or_the_new_one(void **state) {
    place *p = *state;
    for (int n_steps = 0; n_steps <= 5; n_steps++) {
        int steps[2], status;
        put(p->path, "old");
        assert_int_equal(pipe(steps), 0);
        pid_t child = fork();
        if (child == 0)
            write_stepwise(p, steps[0]);
        for (int i = 0; i < n_steps; i++)
            assert_int_equal(write(steps[1], "x", 1), 1);
        usleep(20000); /* let it come to the step; anywhere else must do as well */
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        close(steps[0]);
        close(steps[1]);
        char content[8] = "";
        FILE *f = fopen(p->path, "r");
        size_t n = fread(content, 1, 7, f);
        fclose(f);
        assert_true(n == 3 && (strcmp(content, "old") == 0 || strcmp(content, "nnn") == 0));
        assert_true(p->flags || count_files(p->directory) == 1);
    }
    write_new(p, p->path); /* strays do not matter */
    assert_content(p->path, "new");
}

static void every_refused_allocation_is_out_of_memory_without_a_leak(void **state) {
    place *p = *state;
    char link[220];
    ubi_status status = UBI_ENOMEM;
    snprintf(link, sizeof link, "%s/link", p->directory);
    assert_int_equal(symlink("file", link), 0);
    for (uint64_t n = 0; status != UBI_OK; n++) {
        fail_allocator f;
        ubi__atomic_file file;
        fail_allocator_init(&f, n);
        status = ubi__atomic_file_open(&file, link, p->flags, &f.allocator);
        if (status == UBI_OK)
            assert_int_equal(ubi__atomic_file_commit(&file), UBI_OK);
        assert_true(status == UBI_OK || status == UBI_ENOMEM);
        fail_allocator_fini(&f);
    }
}

#define BOTH(name)                                                                                                     \
    { #name, name, set_up_nameless, tear_down, NULL }, {                                                               \
#name ", named", name, set_up_named, tear_down, NULL                                                           \
    }

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(a_new_file_appears_at_the_end_with_the_mode_of_the_umask),
        BOTH(an_old_file_stays_until_the_end_and_gives_its_mode),
        BOTH(a_file_that_has_appeared_is_written_on),
        BOTH(discarding_leaves_nothing_but_the_old_file),
        BOTH(a_file_that_appeared_meanwhile_is_replaced),
        BOTH(names_may_be_relative_long_and_any_bytes),
        BOTH(a_symbolic_link_stays_and_what_it_leads_to_is_replaced),
        BOTH(what_cannot_be_a_file_is_refused_at_once),
        BOTH(a_file_that_may_not_be_written_is_not_replaced),
        BOTH(a_device_is_written_directly),
        BOTH(a_fifo_and_an_open_file_of_proc_are_written_directly),
        BOTH(a_full_disk_leaves_the_old_file),
        cmocka_unit_test(short_and_interrupted_writes_lose_nothing),
        BOTH(a_killed_process_leaves_the_old_file_or_the_new_one),
        BOTH(every_refused_allocation_is_out_of_memory_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
