/* SPDX-License-Identifier: MIT
 *
 * real_functions.c: see real_functions.h.
 *
 * RTLD_NEXT, so that an allocator behind us (jemalloc, tcmalloc, mimalloc: linked or preloaded) is the real one.
 * While one thread looks up, its own allocations come from a small static area.
 */
#include "interpose/real_functions.h"

#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "interpose/preload.h"
#include "interpose/system_calls.h"

/* ---- before the lookup ------------------------------------------------------------------------------------------- */

#define EARLY_BYTES (32u * 1024)

static _Alignas(4096) uint8_t early[EARLY_BYTES];
static _Atomic size_t early_used;

void *ubi__early_alloc(size_t alignment, size_t size_bytes) {
    if (alignment < 16)
        alignment = 16;
    if (alignment > 4096 || size_bytes > EARLY_BYTES)
        return NULL;
    size_t used = atomic_load_explicit(&early_used, memory_order_relaxed), start, end;
    do {
        start = (used + alignment - 1) & ~(alignment - 1);
        end = start + (size_bytes ? size_bytes : 1);
        if (end > EARLY_BYTES)
            return NULL;
    } while (!atomic_compare_exchange_weak(&early_used, &used, end));
    ubi__filter_pin(early + start);
    return early + start;
}

bool ubi__is_early(const void *p) {
    return (uintptr_t)p - (uintptr_t)early < EARLY_BYTES;
}

size_t ubi__early_readable(const void *p) {
    return (size_t)(early + EARLY_BYTES - (const uint8_t *)p);
}

/* ---- the lookup -------------------------------------------------------------------------------------------------- */

enum { NOT_YET, AT_WORK, DONE };
static _Atomic uint32_t stage;
static _Atomic pthread_t worker;

/* Whether this is a call of the lookup's own. */
static bool resolve_or_is_nested(void) {
    if (atomic_load_explicit(&stage, memory_order_acquire) == AT_WORK && pthread_equal(worker, pthread_self()))
        return true;
    ubi__resolve();
    return false;
}

static void *first_malloc(size_t size) {
    return resolve_or_is_nested() ? ubi__early_alloc(16, size) : ubi__real.malloc(size);
}

static void first_free(void *p) {
    if (!resolve_or_is_nested())
        ubi__real.free(p);
}

static void *first_calloc(size_t n, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes))
        return NULL;
    return resolve_or_is_nested() ? ubi__early_alloc(16, bytes) : ubi__real.calloc(n, size);
}

static void *first_realloc(void *p, size_t size) {
    if (!resolve_or_is_nested())
        return ubi__real.realloc(p, size);
    return p ? NULL : ubi__early_alloc(16, size); /* early blocks do not come here, and there are no others */
}

static int first_posix_memalign(void **out, size_t alignment, size_t size) {
    if (!resolve_or_is_nested())
        return ubi__real.posix_memalign(out, alignment, size);
    void *p = ubi__early_alloc(alignment, size);
    if (!p)
        return ENOMEM;
    *out = p;
    return 0;
}

static void *first_aligned_alloc(size_t alignment, size_t size) {
    return resolve_or_is_nested() ? ubi__early_alloc(alignment, size) : ubi__real.aligned_alloc(alignment, size);
}

static void *first_memalign(size_t alignment, size_t size) {
    return resolve_or_is_nested() ? ubi__early_alloc(alignment, size) : ubi__real.memalign(alignment, size);
}

static void *first_valloc(size_t size) {
    return resolve_or_is_nested() ? ubi__early_alloc(4096, size) : ubi__real.valloc(size);
}

static void *first_pvalloc(size_t size) {
    return resolve_or_is_nested() ? ubi__early_alloc(4096, size) : ubi__real.pvalloc(size);
}

/* The system's answer as the C library gives it. */
static long with_errno(long result) {
    if (result >= 0 || result <= -4096)
        return result;
    errno = (int)-result;
    return -1;
}

static void *first_mmap(void *at, size_t size, int access, int flags, int fd, off_t offset) {
    if (!resolve_or_is_nested())
        return ubi__real.mmap(at, size, access, flags, fd, offset);
    return (void *)with_errno(ubi__system(SYS_mmap, (long)at, (long)size, access, flags, fd, offset));
}

static int first_munmap(void *at, size_t size) {
    if (!resolve_or_is_nested())
        return ubi__real.munmap(at, size);
    return (int)with_errno(ubi__system(SYS_munmap, (long)at, (long)size, 0, 0, 0, 0));
}

static void *first_mremap(void *at, size_t size, size_t new_size, int flags, ...) {
    va_list more;
    va_start(more, flags);
    void *to = flags & MREMAP_FIXED ? va_arg(more, void *) : NULL;
    va_end(more);
    if (!resolve_or_is_nested())
        return ubi__real.mremap(at, size, new_size, flags, to);
    return (void *)with_errno(ubi__system(SYS_mremap, (long)at, (long)size, (long)new_size, flags, (long)to, 0));
}

/* These are never called by a lookup. */
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

ubi__real_functions ubi__real = {
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

static void *next(const char *name) {
    return dlsym(RTLD_NEXT, name);
}

static void look_up(void) {
    ubi__real_functions found = {
        .malloc = next("malloc"),
        .free = next("free"),
        .calloc = next("calloc"),
        .realloc = next("realloc"),
        .posix_memalign = next("posix_memalign"),
        .aligned_alloc = next("aligned_alloc"),
        .memalign = next("memalign"),
        .valloc = next("valloc"),
        .pvalloc = next("pvalloc"),
        .free_sized = next("free_sized"),
        .free_aligned_sized = next("free_aligned_sized"),
        .mmap = next("mmap"),
        .munmap = next("munmap"),
        .mremap = next("mremap"),
        .brk = next("brk"),
        .sbrk = next("sbrk"),
        .dlopen = next("dlopen"),
        .dlmopen = next("dlmopen"),
        .dlclose = next("dlclose"),
    };
    /* All at once: malloc of one allocator with free of another would be the end. */
    ubi__real = found;
}

void ubi__resolve(void) {
    uint32_t seen = NOT_YET;
    if (atomic_compare_exchange_strong(&stage, &seen, AT_WORK)) {
        ubi__thread *thread = &ubi__this_thread;
        uint32_t business = thread->business;
        worker = pthread_self();
        thread->business = UBI__OWN_CALLS; /* what is not found costs the loader an error message */
        look_up();
        thread->business = business;
        atomic_store_explicit(&stage, DONE, memory_order_release);
        return;
    }
    while (atomic_load_explicit(&stage, memory_order_acquire) != DONE && !pthread_equal(worker, pthread_self()))
        (void)ubi__system(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

/* ---- C++ --------------------------------------------------------------------------------------------------------- */

/* The loaded file that has this address, opened once more. NULL: none. @param more  flags for dlopen */
static void *open_again(const void *address, int more) {
    Dl_info info;
    struct link_map *map = NULL;
    if (!dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
        return NULL;
    return ubi__real.dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD | more);
}

void *ubi__resolve_from(const char *name, const void *caller) {
    void *found = next(name);
    if (found)
        return found;
    /* The run-time library may be private to a plug-in (RTLD_LOCAL): whoever calls us has it among what it needs. */
    void *handle = open_again(caller, 0);
    if (!handle)
        return NULL;
    found = dlsym(handle, name);
    ubi__real.dlclose(handle); /* it was there before, and is there as long as its code runs */
    /* What we remember must not go away with the plug-in. */
    void *kept = found ? open_again(found, RTLD_NODELETE) : NULL;
    if (kept)
        ubi__real.dlclose(kept);
    return found;
}
