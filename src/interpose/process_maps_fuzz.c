/* SPDX-License-Identifier: MIT
 *
 * process_maps_fuzz.c: any bytes as the kernel's list of mappings, and an address.
 *
 * The kernel is trusted, but paths in the list are what strangers call their files. Promises checked: a range holds the address; a
 * path begins at a root, fits where it goes, and is on one line; what is found does not depend on the room for it.
 */
#include <sys/mman.h>

static char list_path[32];
#define PROCESS_MAPS list_path
/* The library that has these is loaded into other programs. */
#include "interpose/pages.c"
#include "interpose/process_maps.c"
#include "interpose/sealing.c"

#include "fuzz_pieces.h"

static void put_list(const uint8_t *data, size_t size) {
    static int file;
    if (file == 0) {
        file = memfd_create("maps", MFD_CLOEXEC);
        snprintf(list_path, sizeof list_path, "/proc/self/fd/%d", file);
    }
    require(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size,
            "a file in memory cannot be written");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uintptr_t address, low = 0, high = 0;
    char path[4096], small[24];
    if (size < sizeof address)
        return 0;
    memcpy(&address, data, sizeof address);
    put_list(data + sizeof address, size - sizeof address);
    if (ubi__mapped_range(address, &low, &high))
        require(address - low < high - low, "a range that does not hold the address");
    bool found = ubi__mapped_path(address, path, sizeof path);
    if (found)
        require(path[0] == '/' && strlen(path) < sizeof path && !strchr(path, '\n'), "an invalid path");
    if (ubi__mapped_path(address, small, sizeof small))
        require(found && strcmp(small, path) == 0, "the room for a path changes it");
    else
        require(!found || strlen(path) >= sizeof small, "a path that fits is not found");
    return 0;
}
