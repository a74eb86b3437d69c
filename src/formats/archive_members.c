/* SPDX-License-Identifier: MIT
 *
 * archive_members.c: names in archives, as far as the beginning of a zip or tar file has them (recognize.h).
 *
 * Zip: APPNOTE.TXT 4.3.7. A member that was written to a pipe does not say its size in front, so the walk ends there.
 * Tar: POSIX.1-2017, pax, "ustar Interchange Format"; older archives are recognized by the checksum.
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/text.h"
#include "formats/recognize.h"

#define ZIP_HEADER_BYTES 30
#define ZIP_SIZE_FOLLOWS 8
#define TAR_BLOCK_BYTES 512
#define TAR_NAME_BYTES 100
#define TAR_SIZE_AT 124
#define TAR_SUM_AT 148
#define TAR_SUM_BYTES 8
#define TAR_TYPE_AT 156
#define LONGEST_QUOTE 80

void ubi__quote(char *out, size_t size, const char *before, const void *text, size_t n, const char *behind) {
    const uint8_t *bytes = text;
    size_t shown = 0;
    while (shown < n && bytes[shown] >= ' ' && bytes[shown] != 0x7f)
        shown++;
    bool is_long = shown > LONGEST_QUOTE;
    shown = ubi__utf8_valid_prefix((ubi_text){ text, is_long ? LONGEST_QUOTE : shown });
    if (shown == 0)
        *out = '\0';
    else
        snprintf(out, size, "%s'%.*s%s'%s", before, (int)shown, (const char *)text, is_long ? "..." : "", behind);
}

/* Whether a name ends as files do that can be read. */
static bool is_ours(ubi_text name) {
    static const char *const ends[] = { ".heapsnapshot",    ".heaptimeline",    ".fxsnapshot",    ".ubirec",
                                        ".heapsnapshot.gz", ".heaptimeline.gz", ".fxsnapshot.gz", ".timeline" };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ubi__text_ends(name, ends[i]))
            return true;
    return false;
}

/* Takes the name, unless a better one was found; true when no other can be better. Folders hold nothing themselves. */
static bool member_choose(ubi_text *best, ubi_text name) {
    if (name.len == 0 || name.ptr[name.len - 1] == '/')
        return false;
    if (!best->ptr || is_ours(name))
        *best = name;
    return is_ours(name);
}

static uint32_t little_endian(const uint8_t *at, size_t n) {
    uint32_t value = 0;
    for (size_t i = n; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

void ubi__zip_detail(char *out, size_t size, const ubi__beginning *b) {
    ubi_text best = { NULL, 0 };
    for (size_t at = 0; b->n - at >= ZIP_HEADER_BYTES && memcmp(b->at + at, "PK\3\4", 4) == 0;) {
        const uint8_t *header = b->at + at;
        size_t n_name = little_endian(header + 26, 2), n_extra = little_endian(header + 28, 2);
        uint64_t n_all = (uint64_t)ZIP_HEADER_BYTES + n_name + n_extra + little_endian(header + 18, 4);
        if (n_name > b->n - at - ZIP_HEADER_BYTES ||
            member_choose(&best, (ubi_text){ (const char *)header + ZIP_HEADER_BYTES, n_name }))
            break;
        if (header[6] & ZIP_SIZE_FOLLOWS || n_all > b->n - at)
            break;
        UBI_ASSERT(n_all >= ZIP_HEADER_BYTES && n_all <= b->n - at); /* onwards, and not beyond the end */
        at += (size_t)n_all;
    }
    ubi__quote(out, size, " that holds ", best.ptr, best.len, "");
}

/* Octal digits, with blanks or zeros around them. */
static uint64_t tar_octal(const uint8_t *at, size_t n) {
    uint64_t value = 0;
    for (size_t i = 0; i < n; i++)
        if (at[i] >= '0' && at[i] <= '7')
            value = value << 3 | (uint64_t)(at[i] - '0');
    return value;
}

/* The sum of all bytes of a header; its own field counts as blanks. */
static bool has_tar_sum(const uint8_t *block) {
    uint64_t sum = 0;
    for (size_t i = 0; i < TAR_BLOCK_BYTES; i++)
        sum += i >= TAR_SUM_AT && i < TAR_SUM_AT + TAR_SUM_BYTES ? ' ' : block[i];
    return block[0] != 0 && sum == tar_octal(block + TAR_SUM_AT, TAR_SUM_BYTES);
}

bool ubi__tar_is(const ubi__beginning *b) {
    return b->n >= TAR_BLOCK_BYTES && has_tar_sum(b->at);
}

void ubi__tar_detail(char *out, size_t size, const ubi__beginning *b) {
    ubi_text best = { NULL, 0 };
    for (size_t at = 0; b->n - at >= TAR_BLOCK_BYTES && has_tar_sum(b->at + at);) {
        const uint8_t *block = b->at + at;
        uint64_t n_data = tar_octal(block + TAR_SIZE_AT, 12);
        bool is_file = block[TAR_TYPE_AT] == '0' || block[TAR_TYPE_AT] == 0;
        const char *name = (const char *)block;
        if (is_file && member_choose(&best, (ubi_text){ name, strnlen(name, TAR_NAME_BYTES) }))
            break;
        if (n_data > b->n - at)
            break;
        at += TAR_BLOCK_BYTES + (size_t)(n_data + TAR_BLOCK_BYTES - 1) / TAR_BLOCK_BYTES * TAR_BLOCK_BYTES;
        if (at > b->n)
            break;
    }
    ubi__quote(out, size, " that holds ", best.ptr, best.len, "");
}
