/* SPDX-License-Identifier: MIT
 *
 * memory_look.c: see memory_look.h.
 */
#include "targets/native/memory_look.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define IS_PRESENT (UINT64_C(1) << 63)

void ubi__memory_look_open(ubi__memory_look *look, int process) {
    look->memory = openat(process, "mem", O_RDONLY | O_CLOEXEC);
    look->pages = openat(process, "pagemap", O_RDONLY | O_CLOEXEC);
    look->n = look->buffer_n = 0;
}

void ubi__memory_look_close(ubi__memory_look *look) {
    if (look->memory >= 0)
        close(look->memory);
    if (look->pages >= 0)
        close(look->pages);
    look->memory = look->pages = -1;
}

bool ubi__memory_look_has_page(ubi__memory_look *look, uint64_t address) {
    uint64_t page = address / UBI__LOOK_PAGE;
    if (look->pages < 0 || page > INT64_MAX / 8)
        return false;
    if (page < look->first || page - look->first >= look->n) {
        ssize_t got = pread(look->pages, look->entries, sizeof look->entries, (off_t)(page * 8));
        look->first = page;
        look->n = got > 0 ? (size_t)got / 8 : 0;
    }
    return page - look->first < look->n && (look->entries[page - look->first] & IS_PRESENT);
}

uint64_t ubi__memory_look_resident(ubi__memory_look *look, uint64_t low, uint64_t high) {
    uint64_t bytes = 0;
    for (uint64_t at = low; at < high;) {
        uint64_t next = (at / UBI__LOOK_PAGE + 1) * UBI__LOOK_PAGE;
        uint64_t end = next < high ? next : high;
        bytes += ubi__memory_look_has_page(look, at) ? end - at : 0;
        at = end;
    }
    return bytes;
}

/* Pages in RAM from this address on, as far as the buffer has room; of what follows only what is in RAM, too. */
static void buffer_fill(ubi__memory_look *look, uint64_t address) {
    uint64_t low = address / UBI__LOOK_PAGE * UBI__LOOK_PAGE;
    size_t n = 0;
    while (n < sizeof look->buffer && ubi__memory_look_has_page(look, low + n))
        n += UBI__LOOK_PAGE;
    ssize_t got = n ? pread(look->memory, look->buffer, n, (off_t)low) : 0;
    look->buffer_at = low;
    look->buffer_n = got > 0 ? (size_t)got : 0;
}

bool ubi__memory_look_read(ubi__memory_look *look, void *out, uint64_t address, size_t n_bytes) {
    unsigned char *to = out;
    if (look->memory < 0 || address > INT64_MAX - n_bytes)
        return false;
    while (n_bytes) {
        if (address < look->buffer_at || address - look->buffer_at >= look->buffer_n)
            buffer_fill(look, address);
        if (address - look->buffer_at >= look->buffer_n)
            return false;
        size_t there = look->buffer_n - (size_t)(address - look->buffer_at), n = n_bytes < there ? n_bytes : there;
        memcpy(to, look->buffer + (address - look->buffer_at), n);
        to += n;
        address += n;
        n_bytes -= n;
    }
    return true;
}
