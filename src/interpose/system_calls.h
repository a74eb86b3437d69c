/* SPDX-License-Identifier: MIT
 *
 * system_calls.h: system calls that leave errno alone, for code that runs in the middle of other programs.
 *
 * What fails answers -errno, as the kernel says it. Calls that the program has forbidden itself are not made: see sealing.h.
 */
#ifndef UBI_INTERPOSE_SYSTEM_CALLS_H
#define UBI_INTERPOSE_SYSTEM_CALLS_H

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "interpose/sealing.h"

static inline long ubi__system(long number, long a, long b, long c, long d, long e, long f) {
    if (ubi__is_forbidden(number))
        return -ENOSYS;
#if defined(__x86_64__)
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
#else
    int kept = errno;
    long result = syscall(number, a, b, c, d, e, f);
    if (result == -1)
        result = -errno;
    errno = kept;
    return result;
#endif
}

/** @param is_shared  with another process. @param timeout  NULL: none. @return the kernel's answer. */
static inline long ubi__futex_wait(const void *word, uint32_t expected, bool is_shared,
                                   const struct timespec *timeout) {
    return ubi__system(SYS_futex, (long)word, is_shared ? FUTEX_WAIT : FUTEX_WAIT_PRIVATE, (long)expected,
                       (long)timeout, 0, 0);
}

/** Whether an answer of ubi__futex_wait says that there is no waiting. */
static inline bool ubi__cannot_wait(long answer) {
    return answer != 0 && answer != -EAGAIN && answer != -ETIMEDOUT && answer != -EINTR;
}

static inline void ubi__futex_wake(const void *word, int how_many) {
    (void)ubi__system(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, how_many, 0, 0, 0);
}

#endif
