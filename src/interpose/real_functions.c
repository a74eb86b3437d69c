/* SPDX-License-Identifier: MIT
 *
 * real_functions.c: see real_functions.h.
 *
 * The next ones after ours, so that an allocator after us (jemalloc, tcmalloc, mimalloc; linked or preloaded) is real.
 * The look-up reads tables in memory and nothing else: it neither waits nor calls. So a thread that finds it undone does it,
 * also a signal handler that interrupted it, also an allocator in the middle of its own start. All find the same.
 */
#include "interpose/real_functions.h"

#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>

#include "interpose/loaded_symbols.h"
#include "interpose/preload.h"

/* ---- the first calls ----------------------------------------------------------------------------------------------- */

static void *first_malloc(size_t size) {
    ubi__resolve();
    return ubi__real.malloc(size);
}

static void first_free(void *p) {
    ubi__resolve();
    ubi__real.free(p);
}

static void *first_calloc(size_t n, size_t size) {
    ubi__resolve();
    return ubi__real.calloc(n, size);
}

static void *first_realloc(void *p, size_t size) {
    ubi__resolve();
    return ubi__real.realloc(p, size);
}

static int first_posix_memalign(void **out, size_t alignment, size_t size) {
    ubi__resolve();
    return ubi__real.posix_memalign(out, alignment, size);
}

static void *first_aligned_alloc(size_t alignment, size_t size) {
    ubi__resolve();
    return ubi__real.aligned_alloc(alignment, size);
}

static void *first_memalign(size_t alignment, size_t size) {
    ubi__resolve();
    return ubi__real.memalign(alignment, size);
}

static void *first_valloc(size_t size) {
    ubi__resolve();
    return ubi__real.valloc(size);
}

static void *first_pvalloc(size_t size) {
    ubi__resolve();
    return ubi__real.pvalloc(size);
}

static void *first_mmap(void *at, size_t size, int access, int flags, int fd, off_t offset) {
    ubi__resolve();
    return ubi__real.mmap(at, size, access, flags, fd, offset);
}

static int first_munmap(void *at, size_t size) {
    ubi__resolve();
    return ubi__real.munmap(at, size);
}

static void *first_mremap(void *at, size_t size, size_t new_size, int flags, ...) {
    va_list more;
    va_start(more, flags);
    void *to = flags & MREMAP_FIXED ? va_arg(more, void *) : NULL;
    va_end(more);
    ubi__resolve();
    return ubi__real.mremap(at, size, new_size, flags, to);
}

static int first_brk(void *end) {
    ubi__resolve();
    return ubi__real.brk(end);
}

static void *first_sbrk(intptr_t by) {
    ubi__resolve();
    return ubi__real.sbrk(by);
}

static void *first_dlopen(const char *path, int mode) {
    ubi__resolve();
    return ubi__real.dlopen(path, mode);
}

static void *first_dlmopen(Lmid_t space, const char *path, int mode) {
    ubi__resolve();
    return ubi__real.dlmopen(space, path, mode);
}

static int first_dlclose(void *handle) {
    ubi__resolve();
    return ubi__real.dlclose(handle);
}

static long first_syscall(long number, ...) {
    va_list more;
    long a[6];
    va_start(more, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(more, long);
    va_end(more);
    ubi__resolve();
    return ubi__real.syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static int first_prctl(int option, ...) {
    va_list more;
    unsigned long a[4];
    va_start(more, option);
    for (int i = 0; i < 4; i++)
        a[i] = va_arg(more, unsigned long);
    va_end(more);
    ubi__resolve();
    return ubi__real.prctl(option, a[0], a[1], a[2], a[3]);
}

ubi__real_functions ubi__real = {
    .syscall = first_syscall,
    .prctl = first_prctl,
    .malloc = first_malloc,
    .free = first_free,
    .calloc = first_calloc,
    .realloc = first_realloc,
    .posix_memalign = first_posix_memalign,
    .aligned_alloc = first_aligned_alloc,
    .memalign = first_memalign,
    .valloc = first_valloc,
    .pvalloc = first_pvalloc,
    .mmap = first_mmap,
    .munmap = first_munmap,
    .mremap = first_mremap,
    .brk = first_brk,
    .sbrk = first_sbrk,
    .dlopen = first_dlopen,
    .dlmopen = first_dlmopen,
    .dlclose = first_dlclose,
};

/* ---- the lookup -------------------------------------------------------------------------------------------------- */

_Static_assert(sizeof(ubi__real_functions) % sizeof(void *) == 0 && sizeof(void *) == sizeof(void (*)(void)),
               "pointers, all of them");

static const struct {
    const char *name;
    size_t at; /* in ubi__real_functions */
} functions[] = {
#define FUNCTION(name)                                                                                                 \
    { #name, offsetof(ubi__real_functions, name) }
    FUNCTION(syscall),
    FUNCTION(prctl),
    FUNCTION(malloc),
    FUNCTION(free),
    FUNCTION(calloc),
    FUNCTION(realloc),
    FUNCTION(posix_memalign),
    FUNCTION(aligned_alloc),
    FUNCTION(memalign),
    FUNCTION(valloc),
    FUNCTION(pvalloc),
    FUNCTION(free_sized),
    FUNCTION(free_aligned_sized),
    FUNCTION(mmap),
    FUNCTION(munmap),
    FUNCTION(mremap),
    FUNCTION(brk),
    FUNCTION(sbrk),
    FUNCTION(dlopen),
    FUNCTION(dlmopen),
    FUNCTION(dlclose),
#undef FUNCTION
};

/*
 * The others stay as they are until each is replaced by what it would have called, so it does not matter who calls which of them
 * meanwhile.
 */
void ubi__resolve(void) {
    static _Atomic bool is_done;
    if (atomic_load_explicit(&is_done, memory_order_acquire))
        return;
    _Static_assert(sizeof functions / sizeof *functions == sizeof ubi__real / sizeof(void *), "each is looked up");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = ubi__loaded_next(functions[i].name);
        __atomic_store_n((void **)((char *)&ubi__real + functions[i].at), found, __ATOMIC_RELAXED);
    }
    ubi__operators_resolve();
    atomic_store_explicit(&is_done, true, memory_order_release);
}
