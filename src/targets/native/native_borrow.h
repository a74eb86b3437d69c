/* SPDX-License-Identifier: MIT
 *
 * native_borrow.h: a thread of another process is borrowed for a call of a function, as a signal borrows it for a handler.
 *
 *     _stop      the thread stands, wherever it was
 *     _call      once or more: a function of the process is called by it
 *     _resume    it continues as if nothing had been
 *
 * The call has the stack frame that the kernel makes for a signal handler, with all registers and the signal mask in it, and returns
 * to what handlers return to. So from the first instruction on the thread finds its way back by itself, also when the caller of these
 * functions is killed at that moment: then system calls that were waiting with a time limit end with EINTR, as after a signal. Otherwise
 * not even that: the kernel continues the wait. Before the first call nothing is changed.
 *
 * x86-64 only. The caller's signal mask has SIGCHLD blocked or its handler does not wait.
 */
#ifndef UBI_TARGETS_NATIVE_BORROW_H
#define UBI_TARGETS_NATIVE_BORROW_H

#include <sys/types.h>
#include <sys/user.h>

#include "targets/native/native_image.h"

/** The largest state of a processor (AVX-512, AMX) has room. */
#define UBI__XSTATE_BYTES 16384

typedef struct ubi__borrowed {
    const ubi__native_image *image;
    pid_t tid;                      /* 0: none */
    struct user_regs_struct before; /* its registers where it stopped */
    uint8_t xstate[UBI__XSTATE_BYTES];
    size_t xstate_bytes;
    uint64_t signal_mask;
    uint64_t frame;    /* where the frame is; 0: nothing was called yet */
    uint64_t data;     /* then: UBI__BORROWED_DATA bytes of its stack, for arguments of calls */
    uint64_t way_back; /* the instructions that end a handler */
    uint64_t errno_at; /* its errno; 0: unknown */
    int32_t errno_before;
} ubi__borrowed;

#define UBI__BORROWED_DATA 512

typedef enum ubi__borrow_outcome {
    UBI__BORROW_DONE,
    UBI__BORROW_GONE, /* the thread or the process has ended */
    UBI__BORROW_LATE, /* it does not stop, or the call does not return: it was left to itself, and is not borrowed any more */
    UBI__BORROW_FAILED, /* the kernel refuses, errno says why; or the call crashed and was undone. It is not borrowed any more */
} ubi__borrow_outcome;

/** @param way_back  address of the instructions that end a handler. On anything but DONE the thread continues. */
ubi__borrow_outcome ubi__borrow_stop(ubi__borrowed *b, const ubi__native_image *image, pid_t tid, uint64_t way_back);
/** Whether it was stopped in a system call that waits, and that the kernel continues by itself. */
bool ubi__borrowed_waits(const ubi__borrowed *b);
/** Whether there is room on its stack for a call of any function. */
bool ubi__borrowed_has_room(const ubi__borrowed *b);
/**
 * @param data  data[n], n <= UBI__BORROWED_DATA: copied to the thread's stack, and its address is the first argument in place of
 *              `first`; NULL: none.
 */
ubi__borrow_outcome ubi__borrow_call(ubi__borrowed *b, uint64_t function, uint64_t first, uint64_t second,
                                     const void *data, size_t n);
/** errno is as it is now when it continues. @param offset  of errno from the thread pointer. */
void ubi__borrow_keep_errno(ubi__borrowed *b, int64_t offset);
void ubi__borrow_resume(ubi__borrowed *b);

#endif
