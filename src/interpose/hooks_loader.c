/* SPDX-License-Identifier: MIT
 *
 * hooks_loader.c: libraries that come and go while the program runs.
 *
 * A library that comes needs nothing: walks learn of it when they meet it. When one goes, other code may come to its
 * addresses, so all that is known by address is void.
 */
#include <dlfcn.h>
#include <link.h>

#include "interpose/preload.h"
#include "interpose/real_functions.h"

/*
 * RTLD_DEEPBIND would bind the library's malloc past this one, and its free perhaps not. The real function is jumped
 * to, not called: it looks at who called it, to search where that library says.
 */
UBI__HOOK void *dlopen(const char *path, int mode) {
    if ((mode & RTLD_DEEPBIND) && ubi__process_state.is_on) {
        mode &= ~RTLD_DEEPBIND;
        atomic_fetch_add_explicit(&ubi__process_state.area->deep_binds, 1, memory_order_relaxed);
    }
    return ubi__real.dlopen(path, mode);
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
