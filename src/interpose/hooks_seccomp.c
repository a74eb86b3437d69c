/* SPDX-License-Identifier: MIT
 *
 * hooks_seccomp.c: the calls by which a program gives up system calls: prctl, and seccomp, for which there is only syscall.
 *
 * All that the thread needs is there before. Filters that are set without the C library are not seen.
 */
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "interpose/chunk_writer.h"
#include "interpose/event.h"
#include "interpose/preload.h"
#include "interpose/real_functions.h"
#include "interpose/sampling.h"
#include "interpose/sealing.h"

/* While it can be done. */
static void prepare_for_seal(void) {
    ubi__reserve_map();
    ubi__context *c = ubi__event_begin();
    if (!c)
        return;
    (void)ubi__chunk_has_room(c, UBI__WIRE_RECORD_BYTES);
    ubi__sampling_reserve();
    ubi__event_end(true);
}

static void set_seal(const ubi__seal *how) {
    ubi__seal_now = *how;
    ubi__unwind_set_blind(ubi__is_forbidden(SYS_rt_sigprocmask));
}

/* What is about to be forbidden. @return whether anything is; then `before` is what was. */
static bool begin_sealing(unsigned long mode, const void *filter, ubi__seal *before) {
    *before = ubi__seal_now;
    ubi__seal after = *before;
    if (mode == SECCOMP_MODE_STRICT)
        ubi__seal_strictly(&after);
    else if (mode == SECCOMP_MODE_FILTER)
        ubi__seal_by_filter(&after, filter);
    if (!after.is_sealed)
        return false;
    prepare_for_seal();
    set_seal(&after);
    return true;
}

static void end_sealing(const ubi__seal *before, bool has_worked) {
    if (!has_worked)
        set_seal(before);
}

static int seccomp_by_prctl(unsigned long mode, unsigned long filter, unsigned long c, unsigned long d) {
    ubi__seal before;
    bool is_sealed = begin_sealing(mode, (const void *)filter, &before);
    int result = ubi__real.prctl(PR_SET_SECCOMP, mode, filter, c, d);
    if (is_sealed)
        end_sealing(&before, result == 0);
    return result;
}

UBI__HOOK int prctl(int option, ...) {
    va_list more;
    va_start(more, option);
    unsigned long a = va_arg(more, unsigned long), b = va_arg(more, unsigned long);
    unsigned long c = va_arg(more, unsigned long), d = va_arg(more, unsigned long);
    va_end(more);
    if (option == PR_SET_SECCOMP)
        return seccomp_by_prctl(a, b, c, d);
    int result = ubi__real.prctl(option, a, b, c, d);
    if (option == PR_SET_TSC && result == 0)
        ubi__seal_now.is_timeless = a == PR_TSC_SIGSEGV;
    return result;
}

/* The program's syscall(SYS_prctl, ...) and syscall(SYS_seccomp, ...). */
UBI__OURS long ubi__syscall_looked_at(long number, unsigned long a, unsigned long b, unsigned long c, unsigned long d,
                                      unsigned long e);
long ubi__syscall_looked_at(long number, unsigned long a, unsigned long b, unsigned long c, unsigned long d,
                            unsigned long e) {
    ubi__seal before;
    bool is_prctl = number == SYS_prctl;
    if (is_prctl && a != PR_SET_SECCOMP)
        return ubi__real.syscall(number, a, b, c, d, e);
    /* seccomp(operation, flags, filter): its operations are numbered from 0, the modes of prctl from 1. */
    unsigned long mode = is_prctl ? b : a <= SECCOMP_SET_MODE_FILTER ? a + SECCOMP_MODE_STRICT : SECCOMP_MODE_DISABLED;
    bool is_sealed = begin_sealing(mode, (const void *)c, &before);
    long result = ubi__real.syscall(number, a, b, c, d, e);
    if (is_sealed)
        end_sealing(&before, result >= 0);
    return result;
}

#if defined(__x86_64__)
/* Jumped to, not called: some system calls come back twice, or on another stack. */
_Static_assert(SYS_prctl == 157 && SYS_seccomp == 317 && offsetof(ubi__real_functions, syscall) == 0, "as below");
UBI__HOOK long syscall(long number, ...);
UBI__HOOK __attribute__((naked)) long syscall(long number __attribute__((unused)), ...) {
    __asm__("cmpq $157, %rdi\n\t"
            "je ubi__syscall_looked_at\n\t"
            "cmpq $317, %rdi\n\t"
            "je ubi__syscall_looked_at\n\t"
            "jmp *ubi__real(%rip)");
}
#else
UBI__HOOK long syscall(long number, ...) {
    va_list more;
    unsigned long a[6];
    va_start(more, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(more, unsigned long);
    va_end(more);
    if (number == SYS_prctl || number == SYS_seccomp)
        return ubi__syscall_looked_at(number, a[0], a[1], a[2], a[3], a[4]);
    return ubi__real.syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
#endif
