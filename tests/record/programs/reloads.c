/* SPDX-License-Identifier: MIT
 *
 * reloads.c FOLDER: loads ./libplugin.so, leaves for FOLDER, has the library allocate, closes it, and does that once more with
 * the library at another place.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void *load(const char *path, struct link_map **map) {
    void *handle = dlopen(path, RTLD_NOW);
    if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, map) != 0) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return handle;
}

static void use(void *handle) {
    void *(*allocate)(void) = (void *(*)(void))dlsym(handle, "plugin_allocate");
    allocate();
}

int main(int argc, char **argv) {
    struct link_map *map;
    char back[4096];
    void *handle = load("./libplugin.so", &map);
    char *place = (char *)map->l_addr;
    if (argc != 2 || !getcwd(back, sizeof back) || chdir(argv[1]) != 0)
        return 1;
    use(handle);
    dlclose(handle);
    /* Nothing can be loaded there any more. */
    if (mmap(place, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != place ||
        chdir(back) != 0)
        return 1;
    handle = load("./libplugin.so", &map);
    if ((char *)map->l_addr == place || chdir(argv[1]) != 0)
        return 1;
    use(handle);
    return 0;
}
