/* SPDX-License-Identifier: MIT
 *
 * native_filters.h: whether a thread's filters of system calls (seccomp) let the recorder work.
 *
 * Filters may kill for a call that they do not like. So they are tried on a process of our own first: it takes the same filters, makes the
 * calls that loading a library and recording make, and lives, or not. A call that is merely refused harms no one.
 */
#ifndef UBI_TARGETS_NATIVE_FILTERS_H
#define UBI_TARGETS_NATIVE_FILTERS_H

#include <sys/types.h>

#include <ubiheap/core/base.h>

#include "base/alloc.h"

/**
 * @param tid  a thread that we have stopped (ptrace). One without filters is fine.
 * Errors: UBI_EINVAL: they would kill it, or cannot be read by us; UBI_EIO; UBI_ENOMEM.
 */
ubi_status ubi__native_filters_try(pid_t tid, const ubi_allocator *allocator);

#endif
