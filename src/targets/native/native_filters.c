/* SPDX-License-Identifier: MIT
 *
 * native_filters.c: see native_filters.h.
 */
#include "targets/native/native_filters.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/status.h"

/* One process cannot have more. */
#define FILTERS_MAX 4096
#define INSTRUCTIONS_MAX 4096 /* of one filter, as the kernel has it */

/* ---- in the process that tries --------------------------------------------------------------------------------------- */

static void files_try(void) {
    struct stat about;
    char byte;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY | O_CLOEXEC);
    int memory = (int)syscall(SYS_memfd_create, "ubiheap", MFD_CLOEXEC);
    (void)syscall(SYS_read, fd, &byte, 1);
    (void)syscall(SYS_pread64, fd, &byte, 1, 0);
    (void)syscall(SYS_fstat, fd, &about);
    (void)syscall(SYS_newfstatat, fd, "", &about, AT_EMPTY_PATH);
    void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, memory, 0);
    void *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory, 0);
    if (shared != MAP_FAILED)
        (void)mremap(shared, 0, 4096, MREMAP_MAYMOVE);
    if (code != MAP_FAILED)
        munmap(code, 4096);
    (void)syscall(SYS_close, memory);
    (void)syscall(SYS_close, fd);
}

static void memory_try(void) {
    const struct timespec at_once = { 0 };
    static uint32_t word;
    struct rlimit limit;
    void *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct iovec here = { &word, 4 }, there = { &word, 4 };
    if (p != MAP_FAILED) {
        mprotect(p, 4096, PROT_READ);
        madvise((char *)p + 4096, 4096, MADV_WIPEONFORK);
        munmap(p, 8192);
    }
    (void)syscall(SYS_futex, &word, FUTEX_WAIT, 0, &at_once, NULL, 0);
    (void)syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    (void)syscall(SYS_prlimit64, 0, RLIMIT_STACK, NULL, &limit);
    (void)syscall(SYS_process_vm_readv, getpid(), &here, 1, &there, 1, 0);
    (void)syscall(SYS_nanosleep, &at_once, NULL);
    (void)syscall(SYS_brk, 0);
}

static void sockets_try(void) {
    const struct timeval patience = { .tv_sec = 1 };
    char byte = 0;
    int pair[2] = { -1, -1 };
    struct iovec part = { &byte, 1 };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
    sigset_t mask;
    (void)syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair);
    (void)syscall(SYS_setsockopt, pair[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    (void)syscall(SYS_sendto, pair[1], &byte, 1, MSG_NOSIGNAL, NULL, 0);
    (void)syscall(SYS_recvmsg, pair[0], &message, MSG_DONTWAIT);
    (void)syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, 8);
    (void)syscall(SYS_gettid);
    (void)syscall(SYS_kill, getpid(), 0);
}

/* The oldest filter is asked last, so it comes first. */
static void filters_take(const struct sock_fprog *filters, size_t n) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        _exit(2);
    for (size_t i = n; i-- > 0;)
        if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filters[i]) != 0)
            break; /* an older one forbids to take more: with what it forbids, that was so for the program */
}

static void filters_live(const struct sock_fprog *filters, size_t n, int answer) {
    const struct rlimit no_core = { 0 };
    (void)setrlimit(RLIMIT_CORE, &no_core);
    filters_take(filters, n);
    files_try();
    memory_try();
    sockets_try();
    (void)!write(answer, "", 1);
    for (;;) /* its end may be forbidden: it is ended */
        (void)syscall(SYS_pause);
}

/* ---- here -------------------------------------------------------------------------------------------------------------- */

/* Whether it could say that it lives. */
static ubi_status trial_hold(bool *lives, const struct sock_fprog *filters, size_t n) {
    int answer[2];
    char byte;
    if (pipe2(answer, O_CLOEXEC) < 0)
        return ubi__fail_errno(errno, "cannot make a pipe");
    pid_t pid = fork();
    if (pid == 0)
        filters_live(filters, n, answer[1]);
    close(answer[1]);
    *lives = pid > 0 && read(answer[0], &byte, 1) == 1;
    close(answer[0]);
    if (pid < 0)
        return ubi__fail_errno(errno, "cannot make a process");
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
    return UBI_OK;
}

static void filters_free(struct sock_fprog *filters, size_t n, const ubi_allocator *a) {
    for (size_t i = 0; i < n; i++)
        ubi__free_array(a, filters[i].filter, filters[i].len, sizeof *filters[i].filter);
    ubi__free_array(a, filters, FILTERS_MAX, sizeof *filters);
}

/* @return false: there are no more, or they cannot be read; errno says which. */
static bool filter_read(struct sock_fprog *out, pid_t tid, size_t i, const ubi_allocator *a) {
    long n = ptrace(PTRACE_SECCOMP_GET_FILTER, tid, (void *)i, NULL);
    if (n <= 0 || n > INSTRUCTIONS_MAX)
        return false;
    out->len = (unsigned short)n;
    out->filter = ubi__calloc_array(a, (size_t)n, sizeof *out->filter);
    if (!out->filter)
        errno = ENOMEM;
    return out->filter && ptrace(PTRACE_SECCOMP_GET_FILTER, tid, (void *)i, out->filter) == n;
}

ubi_status ubi__native_filters_try(pid_t tid, const ubi_allocator *allocator) {
    struct sock_fprog *filters = ubi__calloc_array(allocator, FILTERS_MAX, sizeof *filters);
    bool lives = true;
    size_t n = 0;
    if (!filters)
        return ubi__fail_nomem();
    while (n < FILTERS_MAX && filter_read(&filters[n], tid, n, allocator))
        n++;
    int error = errno;
    ubi_status status = UBI_OK;
    if (error != ENOENT && error != EINVAL) /* the kernel's words for: none is left, there is none */
        status =
            ubi__fail(UBI_EINVAL,
                      "thread %ld has a filter of system calls (seccomp) that we may not read (%s), and which may kill "
                      "it for ours: attach as root, outside of its container",
                      (long)tid, strerror(error));
    else if (n)
        status = trial_hold(&lives, filters, n);
    if (!lives)
        status = ubi__fail(UBI_EINVAL,
                           "thread %ld has a filter of system calls (seccomp) that would kill it for those of the "
                           "recorder: start the program with 'ubiheap record' instead",
                           (long)tid);
    filters_free(filters, n, allocator);
    return status;
}
