/* SPDX-License-Identifier: MIT
 *
 * native_borrow.c: see native_borrow.h.
 */
#include "targets/native/native_borrow.h"

#include <cpuid.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include "base/assert.h"
#include "targets/native/native_clock.h"

#define MS UINT64_C(1000000)
/* A thread that does not stop waits in the kernel for something that no signal ends. */
#define STOP_NS (1000 * MS)
/* A call that has not returned by then waits for something that the program does not give. */
#define CALL_NS (20000 * MS)
#define PAUSE_NS 200000
/* Below the stack pointer functions may use so much without saying so. */
#define RED_ZONE 128
/* What any call of the loader fits into. */
#define ROOM_BYTES ((uint64_t)128 * 1024)

/* How the kernel says, to those who look, that a system call is to be made again. */
#define RESTART_LOWEST (-516)
#define RESTART_BY_BLOCK (-516)
#define RESTART_HIGHEST (-512)
#define SYSCALL_BYTES 2 /* of the instruction */
#define CARRIES_ON 219  /* restart_syscall */
#define RETURNS 15      /* rt_sigreturn */

/* ---- the frame of a handler ------------------------------------------------------------------------------------------ */

/* As the kernel lays it out (arch/x86: struct rt_sigframe). */
typedef struct signal_frame {
    uint64_t returns_to;
    uint64_t flags, link;
    uint64_t stack_at;
    uint32_t stack_flags, zero;
    uint64_t stack_size;
    uint64_t r8, r9, r10, r11, r12, r13, r14, r15, di, si, bp, bx, dx, ax, cx, sp, ip, eflags;
    uint16_t cs, gs, fs, ss;
    uint64_t error, trap, old_mask, fault;
    uint64_t xstate;
    uint64_t reserved[8];
    uint64_t signal_mask;
    uint8_t information[128];
} signal_frame;
_Static_assert(sizeof(signal_frame) == 8 + 304 + 128, "as the kernel reads it");

#define FLAG_XSTATE 1u
#define FLAG_SS 2u
#define FLAG_STRICT_SS 4u
/* No such kind of alternate stack: the kernel leaves it as it is. */
#define STACK_UNCHANGED 7u

#define XSTATE_WORDS_AT 464
#define XSTATE_USED_AT 512
#define XSTATE_LEAST 576
#define XSTATE_MAGIC UINT32_C(0x46505853)
#define XSTATE_MAGIC_END UINT32_C(0x46505845)
#define XSTATE_TILES (UINT64_C(3) << 17) /* a thread that does not use them may not give them back */

typedef struct xstate_words {
    uint32_t magic, extended_bytes;
    uint64_t features;
    uint32_t bytes;
    uint32_t zero[7];
} xstate_words;
_Static_assert(sizeof(xstate_words) == 48, "as the kernel reads it");

/* Up to the last part that the thread uses, or any thread may use. */
static size_t xstate_size(const ubi__borrowed *b, uint64_t features) {
    size_t size = XSTATE_LEAST;
    for (unsigned i = 2; i < 63; i++) {
        unsigned bytes = 0, at = 0, c = 0, d = 0;
        if (!(features >> i & 1) || !__get_cpuid_count(0xd, i, &bytes, &at, &c, &d))
            continue;
        if (at + bytes > size && at + bytes <= b->xstate_bytes)
            size = at + bytes;
    }
    return size;
}

/* @return bytes, with the mark at their end */
static size_t xstate_dress(const ubi__borrowed *b, uint8_t out[UBI__XSTATE_BYTES + 4]) {
    uint64_t features, used;
    memcpy(out, b->xstate, b->xstate_bytes);
    memcpy(&features, out + XSTATE_WORDS_AT, sizeof features);
    memcpy(&used, out + XSTATE_USED_AT, sizeof used);
    features &= ~XSTATE_TILES | used;
    size_t n = xstate_size(b, features);
    const xstate_words words = {
        .magic = XSTATE_MAGIC, .extended_bytes = (uint32_t)n + 4, .features = features, .bytes = (uint32_t)n
    };
    const uint32_t end = XSTATE_MAGIC_END;
    memcpy(out + XSTATE_WORDS_AT, &words, sizeof words);
    memcpy(out + n, &end, sizeof end);
    return n + sizeof end;
}

static bool is_to_restart(const struct user_regs_struct *r) {
    int64_t result = (int64_t)r->rax;
    return (int64_t)r->orig_rax >= 0 && result >= RESTART_LOWEST && result <= RESTART_HIGHEST && result != -515;
}

/* Where it continues when it is let go: a system call that was waiting is made again, or carried on. */
static void registers_to_resume(struct user_regs_struct *out, const struct user_regs_struct *before) {
    *out = *before;
    out->orig_rax = UINT64_MAX;
    if (!is_to_restart(before))
        return;
    out->rip -= SYSCALL_BYTES;
    out->rax = (int64_t)before->rax == RESTART_BY_BLOCK ? CARRIES_ON : before->orig_rax;
}

static void frame_fill(signal_frame *f, const ubi__borrowed *b, uint64_t xstate_at) {
    struct user_regs_struct r;
    registers_to_resume(&r, &b->before);
    *f = (signal_frame){
        .returns_to = b->way_back,
        .flags = FLAG_XSTATE | FLAG_SS | FLAG_STRICT_SS,
        .stack_flags = STACK_UNCHANGED,
        .r8 = r.r8,
        .r9 = r.r9,
        .r10 = r.r10,
        .r11 = r.r11,
        .r12 = r.r12,
        .r13 = r.r13,
        .r14 = r.r14,
        .r15 = r.r15,
        .di = r.rdi,
        .si = r.rsi,
        .bp = r.rbp,
        .bx = r.rbx,
        .dx = r.rdx,
        .ax = r.rax,
        .cx = r.rcx,
        .sp = r.rsp,
        .ip = r.rip,
        .eflags = r.eflags,
        .cs = (uint16_t)r.cs,
        .ss = (uint16_t)r.ss,
        .xstate = xstate_at,
        .signal_mask = b->signal_mask,
    };
}

/* Below all that the thread uses: writing it changes nothing. */
static bool frame_write(ubi__borrowed *b) {
    static uint8_t xstate[UBI__XSTATE_BYTES + 4];
    signal_frame frame;
    size_t n = xstate_dress(b, xstate);
    b->data = ((b->before.rsp - RED_ZONE) - UBI__BORROWED_DATA) & ~UINT64_C(63);
    uint64_t xstate_at = (b->data - n) & ~UINT64_C(63);
    uint64_t at = ((xstate_at - sizeof frame) & ~UINT64_C(15)) - 8;
    frame_fill(&frame, b, xstate_at);
    if (!ubi__native_image_write(b->image, xstate_at, xstate, n) ||
        !ubi__native_image_write(b->image, at, &frame, sizeof frame))
        return false;
    b->frame = at;
    return true;
}

/* ---- stopping -------------------------------------------------------------------------------------------------------- */

static void rest(void) {
    const struct timespec pause = { .tv_nsec = PAUSE_NS };
    nanosleep(&pause, NULL);
}

/* The next stop of the thread. */
static ubi__borrow_outcome wait_for_stop(pid_t tid, int *status, uint64_t patience_ns) {
    uint64_t end = ubi__native_now_ns() + patience_ns;
    for (;;) {
        pid_t got = waitpid(tid, status, __WALL | WNOHANG);
        if (got == tid)
            return WIFSTOPPED(*status) ? UBI__BORROW_DONE : UBI__BORROW_GONE;
        if (got < 0 && errno != EINTR)
            return UBI__BORROW_GONE;
        if (ubi__native_now_ns() > end)
            return UBI__BORROW_LATE;
        rest();
    }
}

static bool is_interrupt(int status) {
    return status >> 16 == PTRACE_EVENT_STOP && WSTOPSIG(status) == SIGTRAP;
}

/* Signals that come meanwhile are the thread's: it gets them. */
static ubi__borrow_outcome stop_thread(pid_t tid) {
    int status;
    for (;;) {
        ubi__borrow_outcome outcome = wait_for_stop(tid, &status, STOP_NS);
        if (outcome != UBI__BORROW_DONE || is_interrupt(status))
            return outcome;
        if (status >> 16 == PTRACE_EVENT_STOP) { /* stopped by SIGSTOP or a terminal: it is to stay so */
            ptrace(PTRACE_DETACH, tid, NULL, NULL);
            errno = EAGAIN;
            return UBI__BORROW_FAILED;
        }
        if (ptrace(PTRACE_CONT, tid, NULL, (void *)(uintptr_t)WSTOPSIG(status)) < 0)
            return UBI__BORROW_GONE;
    }
}

static bool state_read(ubi__borrowed *b) {
    struct iovec registers = { &b->before, sizeof b->before }, xstate = { b->xstate, sizeof b->xstate };
    if (ptrace(PTRACE_GETREGSET, b->tid, (void *)NT_PRSTATUS, &registers) < 0 ||
        ptrace(PTRACE_GETREGSET, b->tid, (void *)NT_X86_XSTATE, &xstate) < 0 ||
        ptrace(PTRACE_GETSIGMASK, b->tid, (void *)sizeof b->signal_mask, &b->signal_mask) < 0)
        return false;
    b->xstate_bytes = xstate.iov_len;
    return b->xstate_bytes >= XSTATE_LEAST && registers.iov_len == sizeof b->before;
}

/* Without PTRACE_O_EXITKILL: the thread outlives us. */
ubi__borrow_outcome ubi__borrow_stop(ubi__borrowed *b, const ubi__native_image *image, pid_t tid, uint64_t way_back) {
    *b = (ubi__borrowed){ .image = image, .tid = tid, .way_back = way_back };
    if (ptrace(PTRACE_SEIZE, tid, NULL, (void *)PTRACE_O_TRACESYSGOOD) < 0) {
        b->tid = 0;
        return errno == ESRCH ? UBI__BORROW_GONE : UBI__BORROW_FAILED;
    }
    ubi__borrow_outcome outcome = ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) < 0 ? UBI__BORROW_GONE : stop_thread(tid);
    if (outcome == UBI__BORROW_DONE && state_read(b))
        return UBI__BORROW_DONE;
    int error = errno;
    if (outcome == UBI__BORROW_DONE) {
        ptrace(PTRACE_DETACH, tid, NULL, NULL);
        outcome = UBI__BORROW_FAILED;
    }
    b->tid = 0;
    errno = error;
    return outcome;
}

bool ubi__borrowed_waits(const ubi__borrowed *b) {
    return is_to_restart(&b->before);
}

bool ubi__borrowed_has_room(const ubi__borrowed *b) {
    const ubi__native_mapping *m = ubi__native_image_at(b->image, b->before.rsp);
    return m && (m->is_stack || b->before.rsp - m->low > ROOM_BYTES);
}

/* ---- calls ----------------------------------------------------------------------------------------------------------- */

static bool registers_write(const ubi__borrowed *b, struct user_regs_struct *r) {
    struct iovec registers = { r, sizeof *r };
    return ptrace(PTRACE_SETREGSET, b->tid, (void *)NT_PRSTATUS, &registers) == 0;
}

static bool registers_read(const ubi__borrowed *b, struct user_regs_struct *r) {
    struct iovec registers = { r, sizeof *r };
    return ptrace(PTRACE_GETREGSET, b->tid, (void *)NT_PRSTATUS, &registers) == 0;
}

/* In one step: before it the thread would continue where it was, after it the frame leads back. */
static bool call_begin(ubi__borrowed *b, uint64_t function, uint64_t first, uint64_t second) {
    const uint64_t none = UINT64_MAX; /* signals wait: none of their handlers runs on top of this */
    const uint64_t direction_and_traps = UINT64_C(0x40500); /* alignment checks, direction, single steps */
    struct user_regs_struct r = b->before;
    r.rip = function;
    r.rdi = first;
    r.rsi = second;
    r.rax = 0;
    r.rsp = b->frame;
    r.eflags &= ~direction_and_traps;
    r.orig_rax = UINT64_MAX;
    return registers_write(b, &r) && ptrace(PTRACE_SETSIGMASK, b->tid, (void *)sizeof none, &none) == 0;
}

/* It crashed, or never came back in time: it continues as before all of it. */
static void call_undo(ubi__borrowed *b) {
    ubi__borrow_resume(b);
    errno = EFAULT;
}

/* It is left to itself; the frame leads it back whenever it returns. */
static ubi__borrow_outcome call_leave(ubi__borrowed *b) {
    int status;
    if (ptrace(PTRACE_INTERRUPT, b->tid, NULL, NULL) == 0 &&
        wait_for_stop(b->tid, &status, STOP_NS) == UBI__BORROW_DONE)
        ptrace(PTRACE_DETACH, b->tid, NULL, NULL);
    b->tid = 0;
    return UBI__BORROW_LATE;
}

static bool is_way_back(const ubi__borrowed *b, const struct user_regs_struct *r) {
    return r->orig_rax == RETURNS && r->rsp == b->frame + sizeof(uint64_t);
}

static bool is_fault(int signal) {
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE || signal == SIGABRT;
}

/* Until the thread is about to make the system call that ends handlers. */
static ubi__borrow_outcome call_finish(ubi__borrowed *b) {
    uint64_t end = ubi__native_now_ns() + CALL_NS;
    struct user_regs_struct r;
    int status;
    for (;;) {
        uint64_t now = ubi__native_now_ns();
        if (ptrace(PTRACE_SYSCALL, b->tid, NULL, NULL) < 0)
            return UBI__BORROW_GONE;
        ubi__borrow_outcome outcome = now < end ? wait_for_stop(b->tid, &status, end - now) : UBI__BORROW_LATE;
        if (outcome == UBI__BORROW_LATE)
            return call_leave(b);
        if (outcome != UBI__BORROW_DONE || !registers_read(b, &r))
            return UBI__BORROW_GONE;
        if (WSTOPSIG(status) == (SIGTRAP | 0x80) && is_way_back(b, &r))
            return UBI__BORROW_DONE;
        if (status >> 16 == 0 && is_fault(WSTOPSIG(status))) {
            call_undo(b);
            return UBI__BORROW_FAILED;
        }
    }
}

ubi__borrow_outcome ubi__borrow_call(ubi__borrowed *b, uint64_t function, uint64_t first, uint64_t second,
                                     const void *data, size_t n) {
    UBI_ASSERT(b->tid && n <= UBI__BORROWED_DATA);
    bool is_ready = b->frame || frame_write(b);
    if (is_ready && data) {
        is_ready = ubi__native_image_write(b->image, b->data, data, n);
        first = b->data;
    }
    if (!is_ready || !call_begin(b, function, first, second)) {
        call_undo(b);
        return UBI__BORROW_FAILED;
    }
    ubi__borrow_outcome outcome = call_finish(b);
    if (outcome == UBI__BORROW_GONE)
        b->tid = 0;
    return outcome;
}

void ubi__borrow_keep_errno(ubi__borrowed *b, int64_t offset) {
    uint64_t at = b->before.fs_base + (uint64_t)offset;
    if (ubi__native_image_read(b->image, &b->errno_before, at, sizeof b->errno_before))
        b->errno_at = at;
}

/* Each step leaves a thread that finds its way back: by its frame until the registers are written, then without it. */
void ubi__borrow_resume(ubi__borrowed *b) {
    struct user_regs_struct r;
    struct iovec xstate = { b->xstate, b->xstate_bytes };
    if (!b->tid)
        return;
    if (b->frame) {
        if (b->errno_at)
            (void)ubi__native_image_write(b->image, b->errno_at, &b->errno_before, sizeof b->errno_before);
        ptrace(PTRACE_SETREGSET, b->tid, (void *)NT_X86_XSTATE, &xstate);
        ptrace(PTRACE_SETSIGMASK, b->tid, (void *)sizeof b->signal_mask, &b->signal_mask);
        registers_to_resume(&r, &b->before);
        registers_write(b, &r);
    }
    ptrace(PTRACE_DETACH, b->tid, NULL, NULL);
    b->tid = 0;
}
