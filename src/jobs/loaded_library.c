/* SPDX-License-Identifier: MIT
 *
 * loaded_library.c: see loaded_library.h.
 */
#include "jobs/loaded_library.h"

#include <dlfcn.h>
#include <string.h>

#include "base/status.h"

/* The first that is missing; NULL: none is. With `is_filled`, all are written to the struct. */
static const char *names_find(const ubi__library *library, void *handle, bool is_filled) {
    for (size_t i = 0; library->names[i]; i++) {
        void *found = dlsym(handle, library->names[i]);
        if (!found)
            return library->names[i];
        if (is_filled)
            memcpy((char *)library->calls + i * sizeof found, &found, sizeof found);
    }
    return NULL;
}

static ubi_status library_open(ubi__library *library) {
    void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return ubi__fail(UBI_EIO, "%s needs %s (Debian package %s): %s", library->purpose, library->file,
                         library->package, dlerror());
    const char *missing = names_find(library, handle, false);
    if (missing) {
        dlclose(handle);
        return ubi__fail(UBI_EIO, "%s is too old: it has no %s (Debian package %s)", library->file, missing,
                         library->package);
    }
    (void)names_find(library, handle, true);
    library->is_loaded = true;
    return UBI_OK;
}

ubi_status ubi__library_load(ubi__library *library) {
    pthread_mutex_lock(&library->lock);
    ubi_status status = library->is_loaded ? UBI_OK : library_open(library);
    pthread_mutex_unlock(&library->lock);
    return status;
}
