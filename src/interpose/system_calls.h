/* SPDX-License-Identifier: MIT
 *
 * system_calls.h: system calls that leave errno alone, for code that runs in the middle of somebody else's.
 *
 * What fails answers -errno, as the kernel says it.
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

static inline long ubi__system(long number, long a, long b, long c, long d, long e, long f) {
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

/** Fresh zeroed pages; NULL: refused. */
static inline void *ubi__pages(size_t size_bytes) {
    long p = ubi__system(SYS_mmap, 0, (long)size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p < 0 && p > -4096 ? NULL : (void *)p;
}

static inline void ubi__pages_free(void *p, size_t size_bytes) {
    (void)ubi__system(SYS_munmap, (long)p, (long)size_bytes, 0, 0, 0, 0);
}

/** @param is_shared  with another process. @param timeout  NULL: none. */
static inline void ubi__futex_wait(const void *word, uint32_t expected, bool is_shared,
                                   const struct timespec *timeout) {
    (void)ubi__system(SYS_futex, (long)word, is_shared ? FUTEX_WAIT : FUTEX_WAIT_PRIVATE, (long)expected, (long)timeout,
                      0, 0);
}

static inline void ubi__futex_wake(const void *word, int how_many) {
    (void)ubi__system(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, how_many, 0, 0, 0);
}

#endif
