/* SPDX-License-Identifier: MIT
 *
 * hooks_system.c: what a program asks of the kernel and of the loader: mappings, libraries that go, filters of system calls.
 */
#include <dlfcn.h>
#include <link.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "interpose/chunk_writer.h"
#include "interpose/diverted_calls.h"
#include "interpose/event.h"
#include "interpose/pages.h"
#include "interpose/preload.h"
#include "interpose/readable.h"
#include "interpose/real_functions.h"
#include "interpose/sampling.h"
#include "interpose/sealing.h"

/* ---- memory of the kernel ----------------------------------------------------------------------------------------- */

/*
 * Private anonymous mappings count. The C library's allocator gets its memory without passing here, so heap and
 * mappings do not hold each other. Calls are recorded after they were made, under a lock, so that they are recorded in the
 * order in which they were made, and what failed is not recorded.
 */

static bool is_counted(int flags) {
    return (flags & MAP_ANONYMOUS) && (flags & MAP_TYPE) == MAP_PRIVATE;
}

UBI__HOOK void *mmap(void *at, size_t size, int access, int flags, int fd, off_t offset) {
    ubi__unwind_registers caller = ubi__caller();
    ubi__signals before;
    if (!ubi__mapping_begin(&before))
        return ubi__real.mmap(at, size, access, flags, fd, offset);
    void *p = ubi__real.mmap(at, size, access, flags, fd, offset);
    if (p != MAP_FAILED) {
        if (flags & MAP_FIXED) /* replaces what was there */
            ubi__unmapped(p, size, UBI__FREE_MUNMAP);
        if (is_counted(flags))
            ubi__mapped(p, size, UBI__ALLOC_MMAP, &caller);
    }
    ubi__mapping_end(before);
    return p;
}

UBI__HOOK void *mmap64(void *at, size_t size, int access, int flags, int fd, off_t offset)
    __attribute__((alias("mmap")));

UBI__HOOK int munmap(void *at, size_t size) {
    ubi__signals before;
    ubi__readable_forget();
    if (!ubi__mapping_begin(&before))
        return ubi__real.munmap(at, size);
    int result = ubi__real.munmap(at, size);
    if (result == 0)
        ubi__unmapped(at, size, UBI__FREE_MUNMAP);
    ubi__mapping_end(before);
    return result;
}

UBI__HOOK void *mremap(void *at, size_t size, size_t new_size, int flags, ...) {
    ubi__unwind_registers caller = ubi__caller();
    ubi__signals before;
    va_list more;
    va_start(more, flags);
    void *to = flags & MREMAP_FIXED ? va_arg(more, void *) : NULL;
    va_end(more);
    if (!ubi__mapping_begin(&before))
        return ubi__real.mremap(at, size, new_size, flags, to);
    void *p = ubi__real.mremap(at, size, new_size, flags, to);
    if (p != MAP_FAILED) {
        /* Only what was recorded stays recorded: the collector knows which ranges those are. */
        ubi__unmapped(at, size, UBI__FREE_MREMAP);
        if (p != at)
            ubi__unmapped(p, new_size, UBI__FREE_MUNMAP);
        ubi__mapped(p, new_size, UBI__ALLOC_MREMAP, &caller);
    }
    ubi__mapping_end(before);
    return p;
}

/* ---- the end of the data segment --------------------------------------------------------------------------------- */

static void report_break(char *old, char *now, const ubi__unwind_registers *caller) {
    if (now > old)
        ubi__mapped(old, (size_t)(now - old), UBI__ALLOC_BRK, caller);
    else if (now < old)
        ubi__unmapped(now, (size_t)(old - now), UBI__FREE_BRK);
}

UBI__HOOK int brk(void *end) {
    ubi__unwind_registers caller = ubi__caller();
    ubi__signals before;
    if (!ubi__mapping_begin(&before))
        return ubi__real.brk(end);
    char *old = ubi__real.sbrk(0);
    int result = ubi__real.brk(end);
    if (result == 0)
        report_break(old, end, &caller);
    ubi__mapping_end(before);
    return result;
}

UBI__HOOK void *sbrk(intptr_t by) {
    ubi__unwind_registers caller = ubi__caller();
    ubi__signals before;
    if (!ubi__mapping_begin(&before))
        return ubi__real.sbrk(by);
    char *old = ubi__real.sbrk(by);
    if (old != (char *)-1)
        report_break(old, old + by, &caller);
    ubi__mapping_end(before);
    return old;
}

/* ---- libraries that go -------------------------------------------------------------------------------------------- */

/*
 * A library that comes needs nothing where we were loaded before it: walks learn of it when they meet it. When one goes, other
 * code may come to its addresses, so all that is known by address is void.
 */

/*
 * Where we came later than the program, what comes now does not call us by itself. Who called matters only to the search for a
 * name: a path can be opened for the caller, and what came with it is looked at when it is there. @return whether that was done.
 */
static bool opens_and_diverts(const char *path, int mode, void **handle) {
    ubi__thread *thread = &ubi__this_thread;
    if (!atomic_load_explicit(&ubi__calls_are_diverted, memory_order_relaxed))
        return false;
    ubi__calls_expect_module(thread);
    if (!path || !strchr(path, '/') || strchr(path, '$'))
        return false;
    *handle = ubi__real.dlopen(path, mode);
    ubi__calls_divert_new(thread);
    return true;
}

/*
 * RTLD_DEEPBIND would bind the library's malloc past this one, and its free perhaps not. The real function is jumped
 * to, not called: it looks at who called it, to search where that library says.
 */
UBI__HOOK void *dlopen(const char *path, int mode) {
    void *handle;
    if ((mode & RTLD_DEEPBIND) && ubi__process_state.is_on) {
        mode &= ~RTLD_DEEPBIND;
        atomic_fetch_add_explicit(&ubi__process_state.area->deep_binds, 1, memory_order_relaxed);
    }
    return ubi__unlikely(opens_and_diverts(path, mode, &handle)) ? handle : ubi__real.dlopen(path, mode);
}

/* A namespace of its own has its own C library, and what is in there is not seen. Jumped to for the same reason. */
UBI__HOOK void *dlmopen(Lmid_t space, const char *path, int mode) {
    if (space != LM_ID_BASE && ubi__process_state.is_on)
        atomic_fetch_add_explicit(&ubi__process_state.area->namespaces, 1, memory_order_relaxed);
    return ubi__real.dlmopen(space, path, mode);
}

static int read_unload_count(struct dl_phdr_info *info, size_t size, void *count) {
    (void)size;
    *(unsigned long long *)count = info->dlpi_subs;
    return 1; /* the first module says it for all */
}

/* Takes the loader's lock, as dlclose itself does: a thread that may call that may wait for this. */
static unsigned long long unload_count(void) {
    unsigned long long n = 0;
    dl_iterate_phdr(read_unload_count, &n);
    return n;
}

/* Operators are forgotten first: when the library is gone, another thread may already have got another one. */
UBI__HOOK int dlclose(void *handle) {
    ubi__operators_forget();
    if (!ubi__process_state.is_on)
        return ubi__real.dlclose(handle);
    unsigned long long before = unload_count();
    int result = ubi__real.dlclose(handle);
    if (unload_count() != before)
        atomic_fetch_add(&ubi__module_generation, 1);
    return result;
}

/* ---- giving up system calls --------------------------------------------------------------------------------------- */

/*
 * All that the thread needs is there before. Filters that are set without the C library are not seen.
 */

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
