/* SPDX-License-Identifier: MIT
 *
 * debuginfod.c: see debuginfod.h. The library is opened when it is needed, so that nobody has to install it, or the
 * libraries for the network that it brings along, to have the names of functions.
 */
#include "symbolize/debuginfod.h"

#include <dlfcn.h>
#include <stdlib.h>

#define LIBRARY "libdebuginfod.so.1"

typedef struct client client;

typedef struct library {
    client *(*begin)(void);
    int (*find)(client *c, const unsigned char *build_id, int n_build_id, char **path);
    void (*end)(client *c);
} library;

static bool resolve(library *l, void *handle) {
    *(void **)&l->begin = dlsym(handle, "debuginfod_begin");
    *(void **)&l->find = dlsym(handle, "debuginfod_find_debuginfo");
    *(void **)&l->end = dlsym(handle, "debuginfod_end");
    return l->begin && l->find && l->end;
}

static int find(const library *l, ubi_text build_id) {
    client *c = l->begin();
    if (!c)
        return -1;
    int fd = l->find(c, (const unsigned char *)build_id.ptr, (int)build_id.len, NULL);
    l->end(c);
    return fd < 0 ? -1 : fd;
}

int ubi__debuginfod_find(ubi_text build_id) {
    const char *servers = getenv("DEBUGINFOD_URLS");
    library l;
    if (!servers || !*servers)
        return -1;
    void *handle =
        dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL); /* stays open: unloading what uses the network is not safe */
    return handle && resolve(&l, handle) ? find(&l, build_id) : -1;
}
