/* SPDX-License-Identifier: MIT
 *
 * native_attach.h: the recorder gets into a program that runs already, and out of it.
 *
 *     _open     what keeps it out is said in words; the library is loaded, and has knocked: `socket` leads to it
 *               (the caller answers on that socket as it does at its door: preload_area.h)
 *     _enter    the program records
 *     _leave    it does not any more, and is as it was, except for the library, which stays, idle
 *     _close
 *
 * A thread of the program is borrowed for calls (native_borrow.h) at a good moment (native_moment.h); others run on. From _open to
 * _enter it stands. docs/explanation/attaching.md says why that is safe.
 */
#ifndef UBI_TARGETS_NATIVE_ATTACH_H
#define UBI_TARGETS_NATIVE_ATTACH_H

#include "recording/attach_wire.h"
#include "targets/native/native_borrow.h"

typedef struct ubi__native_attach {
    ubi__native_image image;
    ubi__borrowed borrowed;
    uint64_t way_back;                        /* where handlers of the program end */
    int64_t errno_offset;                     /* from the thread pointer; 0: unknown */
    uint64_t attachment, knock, enter, leave; /* addresses in the program; 0: it is not loaded */
    int socket;                               /* -1: none */
    uint64_t n_slots, n_refused;              /* as the library counts them, after _enter */
} ubi__native_attach;

/**
 * @param library   libubiheap-preload.so. @param is_exact  everything is to be recorded.
 * Errors: UBI_EINVAL: it cannot be recorded, or not by us; UBI_EBUSY: another records it, or no moment was good;
 * UBI_EIO: it has ended, or the kernel refuses; UBI_ENOMEM.
 * On any error the program continues as it was.
 */
ubi_status ubi__native_attach_open(ubi__native_attach *out, pid_t pid, const char *library, bool is_exact,
                                   const ubi_allocator *allocator);
/** Errors: UBI_EIO: it has ended, or cannot map the memory. */
ubi_status ubi__native_attach_enter(ubi__native_attach *a);
/** Errors: UBI_EBUSY: no moment was good, so its calls go through the library from now on, which passes them on. */
ubi_status ubi__native_attach_leave(ubi__native_attach *a);
/** A program that still stands continues. */
void ubi__native_attach_close(ubi__native_attach *a);

#endif
