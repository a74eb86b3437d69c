/* SPDX-License-Identifier: MIT
 *
 * loader.c [deep] LIBRARY...: loads each library in turn, has it allocate, and closes it, so that the next one may
 * come to the same place. `deep`: with RTLD_DEEPBIND. Prints where each was.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    int mode = RTLD_NOW | RTLD_LOCAL, i = 1;
    if (argc > 1 && !strcmp(argv[1], "deep")) {
        mode |= RTLD_DEEPBIND;
        i++;
    }
    for (; i < argc; i++) {
        void *handle = dlopen(argv[i], mode);
        if (!handle) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        void *(*allocate)(void) = (void *(*)(void))dlsym(handle, "plugin_allocate");
        void (*release)(void *) = (void (*)(void *))dlsym(handle, "plugin_free");
        for (int k = 0; k < 3; k++)
            release(allocate());
        printf("%p\n", (void *)allocate);
        dlclose(handle);
    }
    return 0;
}
