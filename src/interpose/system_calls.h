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

/** Fresh zeroed pages; NULL: refused, or none left where the program has forbidden to ask. */
static inline void *ubi__pages(size_t size_bytes) {
    long p = ubi__system(SYS_mmap, 0, (long)size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p < 0 && p > -4096)
        return ubi__is_forbidden(SYS_mmap) ? ubi__reserve_take(size_bytes) : NULL;
    return (void *)p;
}

static inline void ubi__pages_free(void *p, size_t size_bytes) {
    if (!ubi__is_reserve(p))
        (void)ubi__system(SYS_munmap, (long)p, (long)size_bytes, 0, 0, 0, 0);
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
