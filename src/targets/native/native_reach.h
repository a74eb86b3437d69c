/* SPDX-License-Identifier: MIT
 *
 * native_reach.h: whether a process that runs can be attached to, and if not, why, for people.
 */
#ifndef UBI_TARGETS_NATIVE_REACH_H
#define UBI_TARGETS_NATIVE_REACH_H

#include <sys/types.h>

#include <ubiheap/core/base.h>

/** Errors: UBI_EINVAL: it cannot be, or not by us, or there is no such process. */
ubi_status ubi__native_reach_check(pid_t pid);
/** What a refusal of the kernel (EPERM) comes from. @return UBI_EINVAL, with words. */
ubi_status ubi__native_reach_refused(pid_t pid);
/** Whether it has filters of system calls (seccomp). */
bool ubi__native_reach_is_filtered(pid_t pid);
/** Whether both processes are in one namespace of a kind, such as "mnt" or "pid". False if that cannot be seen. */
bool ubi__native_reach_shares(pid_t pid, const char *kind);

#endif
