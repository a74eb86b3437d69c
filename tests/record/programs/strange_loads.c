/* SPDX-License-Identifier: MIT
 *
 * strange_loads.c: loads ./libplugin.so past all others (RTLD_DEEPBIND), has it allocate, and loads it into a namespace of its
 * own; and into the program's, as dlopen does.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

static int check(void *handle) {
    if (!handle)
        fprintf(stderr, "%s\n", dlerror());
    return handle ? 0 : 1;
}

int main(void) {
    void *deep = dlopen("./libplugin.so", RTLD_NOW | RTLD_DEEPBIND);
    if (check(deep))
        return 1;
    void *(*allocate)(void) = (void *(*)(void))dlsym(deep, "plugin_allocate");
    allocate();
    return check(dlmopen(LM_ID_NEWLM, "./libplugin.so", RTLD_NOW)) +
           check(dlmopen(LM_ID_BASE, "./libplugin.so", RTLD_NOW));
}
