/* SPDX-License-Identifier: MIT
 *
 * hooks_mapping.c: memory that a program asks the kernel for: mmap, munmap, mremap, brk, sbrk. Recorded only when
 * asked for, and then all of it, also when the heap is sampled.
 *
 * Private anonymous mappings count. The C library's allocator gets its memory without passing here, so heap and
 * mappings do not hold each other. Calls are told after they were made, under a lock, so that they are told in the
 * order in which they were made, and what failed is not told.
 */
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include "interpose/preload.h"
#include "interpose/real_functions.h"

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

static void tell_break(char *old, char *now, const ubi__unwind_registers *caller) {
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
        tell_break(old, end, &caller);
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
        tell_break(old, old + by, &caller);
    ubi__mapping_end(before);
    return old;
}
