/* SPDX-License-Identifier: MIT
 *
 * symbols_module.c: see symbols_module.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include "engines/quickjs/symbols_module.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define SYMBOLS_MODULE "libubiheap-symbols.so"

static pthread_once_t symbols_once = PTHREAD_ONCE_INIT;
static ubi_native_names symbols_names; /* name_address NULL: there is no module */
static void (*symbols_forget)(void);   /* NULL: the same */

/* Frames of our inlined functions in the program's are left out. */
static char symbols_left_out[] = "quickjs_references.h";

static void *module_open_near(const char *folder, const char *below) {
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s%s", folder, below, SYMBOLS_MODULE);
    return n > 0 && (size_t)n < sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) : NULL;
}

static void symbols_load(void) {
    static const char *const below[] = { "ubiheap/", "lib/ubiheap/", "../lib/ubiheap/" };
    char folder[4096];
    Dl_info info;
    void *module = NULL;
    if (dladdr((const void *)ubi_version, &info) && info.dli_fname) {
        const char *slash = strrchr(info.dli_fname, '/');
        snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - info.dli_fname) : 1,
                 slash ? info.dli_fname : ".");
        for (size_t i = 0; i < sizeof below / sizeof *below && !module; i++)
            module = module_open_near(folder, below[i]);
    }
    if (!module)
        module = dlopen(SYMBOLS_MODULE, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    void *name_address = module ? dlsym(module, "ubi_symbols_name_address") : NULL;
    void *forget = module ? dlsym(module, "ubi_symbols_forget") : NULL;
    memcpy(&symbols_names.name_address, &name_address, sizeof name_address);
    memcpy(&symbols_forget, &forget, sizeof forget);
    symbols_names.payload = symbols_left_out;
}

const ubi_native_names *ubi__symbols_module(void) {
    pthread_once(&symbols_once, symbols_load);
    return symbols_names.name_address ? &symbols_names : NULL;
}

void ubi__symbols_module_forget(void) {
    pthread_once(&symbols_once, symbols_load);
    if (symbols_forget)
        symbols_forget();
}
