/* SPDX-License-Identifier: MIT
 *
 * memory_maps.c: see memory_maps.h.
 *
 *     7f545d529000-7f545d57c000 r--p 0017c000 fe:00 259091                     /usr/lib/x86_64-linux-gnu/libc.so.6
 *     Size:                332 kB
 *     Rss:                 296 kB
 *     ...
 *
 * A mapping begins with small letters or digits, what is said of it with a capital; line ends in names are escaped.
 */
#include "targets/native/memory_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/status.h"
#include "base/text.h"

/* A path of 4,096 bytes, each of which may be escaped, and what comes before it. */
#define LINE_BYTES (4 * 4096 + 128)
#define PIECE_BYTES (128 << 10)

void ubi__memory_maps_init(ubi__memory_maps *maps, const ubi_allocator *allocator) {
    *maps = (ubi__memory_maps){ .allocator = allocator };
    ubi__strtab_init(&maps->names, allocator);
}

void ubi__memory_maps_fini(ubi__memory_maps *maps) {
    ubi__vec_memory_map_fini(&maps->at, maps->allocator);
    ubi__strtab_fini(&maps->names);
}

ubi_text ubi__memory_map_name(const ubi__memory_maps *maps, const ubi__memory_map *map) {
    return map->name == UBI_NONE ? ubi__text("") : ubi__strtab_get(&maps->names, map->name);
}

/* ---- lines -------------------------------------------------------------------------------------------------------- */

static bool number_take(uint64_t *out, ubi_text *text, unsigned base) {
    uint64_t value = 0;
    size_t n = 0;
    for (; n < text->len; n++) {
        int digit = ubi__hex_digit(text->ptr[n]);
        if (digit < 0 || (unsigned)digit >= base)
            break;
        if (value > (UINT64_MAX - (unsigned)digit) / base)
            return false;
        value = value * base + (unsigned)digit;
    }
    *out = value;
    *text = (ubi_text){ text->ptr + n, text->len - n };
    return n > 0;
}

static bool char_take(ubi_text *text, char c) {
    if (text->len == 0 || text->ptr[0] != c)
        return false;
    *text = (ubi_text){ text->ptr + 1, text->len - 1 };
    return true;
}

static void spaces_take(ubi_text *text) {
    while (char_take(text, ' '))
        continue;
}

/* Up to the next space. */
static ubi_text word_take(ubi_text *text) {
    size_t n = 0;
    while (n < text->len && text->ptr[n] != ' ')
        n++;
    ubi_text word = { text->ptr, n };
    *text = (ubi_text){ text->ptr + n, text->len - n };
    spaces_take(text);
    return word;
}

static bool mapping_parse(ubi__memory_map *out, ubi_text *line) {
    uint64_t inode;
    *out = (ubi__memory_map){ .name = UBI_NONE };
    if (!number_take(&out->low, line, 16) || !char_take(line, '-') || !number_take(&out->high, line, 16) ||
        !char_take(line, ' ') || out->low >= out->high)
        return false;
    ubi_text rights = word_take(line);
    if (rights.len != 4)
        return false;
    out->can_read = rights.ptr[0] == 'r';
    out->can_write = rights.ptr[1] == 'w';
    out->can_execute = rights.ptr[2] == 'x';
    out->is_shared = rights.ptr[3] == 's';
    word_take(line); /* where in the file */
    word_take(line); /* the device */
    if (!number_take(&inode, line, 10))
        return false;
    spaces_take(line);
    out->has_file = inode != 0 || (line->len && line->ptr[0] == '/');
    return true;
}

static ubi_status mapping_add(ubi__memory_maps *maps, ubi_text line) {
    ubi__memory_map map;
    if (!mapping_parse(&map, &line) || (maps->at.n && maps->at.at[maps->at.n - 1].high > map.low))
        return ubi__fail(UBI_EFORMAT, "the list of mappings has a line that is no mapping");
    if (line.len)
        UBI_TRY(ubi__strtab_intern(&maps->names, &map.name, line));
    return ubi__vec_memory_map_push(&maps->at, maps->allocator, map);
}

/* What is said in kB of the mapping before; other lines pass. More than the mapping's size is never believed. */
static void amount_note(ubi__memory_map *map, ubi_text line) {
    const struct {
        const char *key;
        uint64_t *bytes;
    } amounts[] = { { "Rss:", &map->amount.resident_bytes },
                    { "Pss:", &map->amount.share_bytes },
                    { "Swap:", &map->amount.swapped_bytes } };
    for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++) {
        uint64_t kib;
        if (!ubi__text_begins(line, amounts[i].key))
            continue;
        ubi_text rest = { line.ptr + strlen(amounts[i].key), line.len - strlen(amounts[i].key) };
        spaces_take(&rest);
        if (number_take(&kib, &rest, 10))
            *amounts[i].bytes = kib <= (map->high - map->low) / 1024 ? kib * 1024 : map->high - map->low;
    }
}

static ubi_status line_take(ubi__memory_maps *maps, ubi_text line) {
    if (line.len && line.ptr[0] >= 'A' && line.ptr[0] <= 'Z') {
        if (maps->at.n == 0)
            return ubi__fail(UBI_EFORMAT, "the list of mappings does not begin with one");
        amount_note(&maps->at.at[maps->at.n - 1], line);
        return UBI_OK;
    }
    return line.len ? mapping_add(maps, line) : UBI_OK;
}

/* Whole lines; what is left is the beginning of another. */
static ubi_status lines_take(ubi__memory_maps *maps, ubi_text *list) {
    for (const char *end; (end = list->len ? memchr(list->ptr, '\n', list->len) : NULL);) {
        size_t n = (size_t)(end - list->ptr);
        UBI_TRY(line_take(maps, (ubi_text){ list->ptr, n }));
        *list = (ubi_text){ end + 1, list->len - n - 1 };
    }
    return UBI_OK;
}

ubi_status ubi__memory_maps_parse(ubi__memory_maps *maps, ubi_text list) {
    UBI_TRY(lines_take(maps, &list));
    return line_take(maps, list);
}

/* ---- the file ----------------------------------------------------------------------------------------------------- */

static ubi_status pieces_read(ubi__memory_maps *maps, int fd, char *piece) {
    size_t kept = 0;
    for (;;) {
        ssize_t got = read(fd, piece + kept, PIECE_BYTES - kept);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return ubi__fail_errno(errno, "cannot read the list of its mappings");
        if (got == 0)
            break;
        ubi_text text = { piece, kept + (size_t)got };
        UBI_TRY(lines_take(maps, &text));
        if (text.len > LINE_BYTES)
            return ubi__fail(UBI_EFORMAT, "the list of mappings has a line of more than %d bytes", LINE_BYTES);
        memmove(piece, text.ptr, kept = text.len);
    }
    return line_take(maps, (ubi_text){ piece, kept });
}

ubi_status ubi__memory_maps_read(ubi__memory_maps *maps, int process) {
    int fd = openat(process, "smaps", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == EACCES || errno == EPERM
                   ? ubi__fail(UBI_EIO, "its memory may not be looked into: it is another user's, or protects itself")
                   : ubi__fail_errno(errno, "cannot read the list of its mappings");
    char *piece = ubi__alloc_array(maps->allocator, PIECE_BYTES, 1);
    ubi_status status = piece ? pieces_read(maps, fd, piece) : ubi__fail_nomem();
    ubi__free_array(maps->allocator, piece, PIECE_BYTES, 1);
    close(fd);
    if (status == UBI_OK && maps->at.n == 0)
        return ubi__fail(UBI_EIO, "it has no memory: it has ended, or is a thread of the kernel");
    return status;
}
