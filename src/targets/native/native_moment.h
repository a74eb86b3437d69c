/* SPDX-License-Identifier: MIT
 *
 * native_moment.h: whether a thread that stands may be borrowed now for a call of the loader (native_borrow.h).
 *
 * It may not when it is in the middle of the allocator, the loader, or anything else of the C library whose locks the loader takes:
 * it would wait for itself. That shows in its stack, which is walked to its end by the call frame information of the program's files.
 */
#ifndef UBI_TARGETS_NATIVE_MOMENT_H
#define UBI_TARGETS_NATIVE_MOMENT_H

#include "targets/native/native_borrow.h"

typedef struct ubi__native_moments ubi__native_moments;

/** For threads of one process, until its libraries change. Errors: UBI_EIO; UBI_ENOMEM. */
ubi_status ubi__native_moments_open(ubi__native_moments **out, const ubi__native_image *image);
void ubi__native_moments_close(ubi__native_moments *moments);
/** Of a thread that the caller has stopped. */
bool ubi__native_moment_is_good(ubi__native_moments *moments, pid_t tid);

#endif
