/* SPDX-License-Identifier: MIT
 *
 * mhd.c: see mhd.h.
 */
#include "http/mhd.h"

#include <dlfcn.h>
#include <pthread.h>

#include "base/status.h"

#define LIBRARY "libmicrohttpd.so.12"

ubi__mhd_calls ubi__mhd;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_loaded;

/* ISO C has no conversion of what dlsym returns. */
#define TAKE(name)                                                                                                     \
    *(void **)(void *)&calls.name = dlsym(library, #name);                                                             \
    missing = calls.name ? missing : #name;

static ubi_status library_load(void) {
    ubi__mhd_calls calls;
    const char *missing = NULL;
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return ubi__fail(UBI_EIO, "serving needs " LIBRARY " (Debian package libmicrohttpd12): %s", dlerror());
    UBI__MHD_FUNCTIONS(TAKE)
    if (missing) {
        dlclose(library);
        return ubi__fail(UBI_EIO, LIBRARY " is too old: it has no %s (Debian package libmicrohttpd12)", missing);
    }
    ubi__mhd = calls;
    is_loaded = true;
    return UBI_OK;
}

ubi_status ubi__mhd_load(void) {
    pthread_mutex_lock(&lock);
    ubi_status status = is_loaded ? UBI_OK : library_load();
    pthread_mutex_unlock(&lock);
    return status;
}
