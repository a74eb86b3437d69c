/* SPDX-License-Identifier: MIT
 *
 * sealing.h: a program that forbids itself system calls (seccomp) and would be killed for one of ours.
 *
 * Before it does, its filter is run over all calls that we make, and the memory for the time after is mapped. From then
 * on calls that the filter does not plainly allow are not made: ubi__system answers -ENOSYS for the kernel. What needs
 * them is dropped and counted. It counts for all threads, also where the filter is one thread's: others inherit it,
 * unseen.
 */
#ifndef UBI_INTERPOSE_SEALING_H
#define UBI_INTERPOSE_SEALING_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UBI__SEALABLE 512 /* numbers of system calls below this; we make no others */

typedef struct ubi__seal {
    bool is_sealed; /* some call is forbidden */
    bool
        is_timeless; /* the time is unavailable: the processor's counter is forbidden, too, or the call may be needed */
    uint64_t forbidden[UBI__SEALABLE / 64];
} ubi__seal;
_Static_assert(UBI__SEALABLE % 64 == 0, "whole words");

extern __attribute__((visibility("hidden"))) ubi__seal ubi__seal_now;

static inline bool ubi__is_forbidden(long number) {
    return __builtin_expect(ubi__seal_now.is_sealed, 0) &&
           (ubi__seal_now.forbidden[number / 64 % (UBI__SEALABLE / 64)] >> number % 64 & 1);
}

/** Adds what is forbidden when nothing but read, write, _exit and sigreturn is allowed. */
void ubi__seal_strictly(ubi__seal *seal);
/** Adds what a filter forbids. It is the program's, and need not be sound: then all is. */
void ubi__seal_by_filter(ubi__seal *seal, const struct sock_fprog *filter);

#endif
