/* SPDX-License-Identifier: MIT
 *
 * perf_map.c: see perf_map.h.
 */
#include "symbolize/perf_map.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/status.h"

/* Of a piece of code; more is not believed. */
#define CODE_BYTES ((uint64_t)64 << 20)
/* A line with its numbers. */
#define LINE_BYTES (UBI__PERF_NAME_BYTES + 64u)
/* What is read of a map, and how often lines are found to be about addresses. */
#define MAP_BYTES ((uint64_t)1 << 30)
#define MOST_HITS ((uint64_t)1 << 26)
#define READ_BYTES 65536u

/* ---- addresses ---------------------------------------------------------------------------------------------------- */

static int compare_addresses(const void *a, const void *b) {
    const ubi__perf_address *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

void ubi__perf_map_init(ubi__perf_map *m, ubi__vec_perf_address *addresses, const ubi_allocator *allocator) {
    *m = (ubi__perf_map){ .allocator = allocator, .addresses = addresses };
    if (addresses->n)
        qsort(addresses->at, addresses->n, sizeof *addresses->at, compare_addresses);
    for (size_t i = 0; i < addresses->n; i++)
        addresses->at[i].name_bytes = 0;
}

void ubi__perf_map_fini(ubi__perf_map *m) {
    ubi__vec_u8_fini(&m->names, m->allocator);
    ubi__vec_u8_fini(&m->line, m->allocator);
}

ubi_text ubi__perf_map_name(const ubi__perf_map *m, const ubi__perf_address *address) {
    UBI_ASSERT(address->name_at + address->name_bytes <= m->names.n);
    return address->name_bytes ? (ubi_text){ (const char *)m->names.at + address->name_at, address->name_bytes }
                               : ubi__text("");
}

/* The first address that is not less. */
static size_t first_from(const ubi__vec_perf_address *addresses, uint64_t address) {
    size_t low = 0, high = addresses->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (addresses->at[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- lines -------------------------------------------------------------------------------------------------------- */

/* A hexadecimal number and the space after it. False: there is none. */
static bool text_take_number(ubi_text *text, uint64_t *out) {
    size_t i = 0;
    *out = 0;
    if (text->len > 2 && text->ptr[0] == '0' && (text->ptr[1] | 0x20) == 'x')
        i = 2;
    size_t first = i;
    for (; i < text->len && i < first + 16; i++) {
        unsigned char c = (unsigned char)text->ptr[i], lower = c | 0x20;
        if (c >= '0' && c <= '9')
            *out = *out << 4 | (uint64_t)(c - '0');
        else if (lower >= 'a' && lower <= 'f')
            *out = *out << 4 | (uint64_t)(lower - 'a' + 10);
        else
            break;
    }
    if (i == first || i == text->len || text->ptr[i] != ' ')
        return false;
    *text = (ubi_text){ text->ptr + i + 1, text->len - i - 1 };
    return true;
}

/* Return addresses of code are after its beginning, and may be at its end. */
static ubi_status take_line(ubi__perf_map *m, ubi_text line) {
    uint64_t start, size;
    size_t name_at = m->names.n;
    if (!text_take_number(&line, &start) || !text_take_number(&line, &size) || line.len == 0 || size > CODE_BYTES ||
        start > UINT64_MAX - size)
        return UBI_OK;
    line.len = line.len < UBI__PERF_NAME_BYTES ? line.len : UBI__PERF_NAME_BYTES;
    for (size_t i = first_from(m->addresses, start + 1); i < m->addresses->n; i++) {
        ubi__perf_address *a = &m->addresses->at[i];
        if (a->address > start + size || m->n_hits == MOST_HITS)
            break;
        m->n_hits++;
        if (a->name_bytes && m->read_bytes >= a->map_bytes)
            continue; /* it has one that was there before, or the first that came afterwards */
        if (m->names.n == name_at)
            UBI_TRY(ubi__bytes_append(&m->names, line.ptr, line.len, m->allocator));
        a->name_at = name_at;
        a->name_bytes = (uint32_t)line.len;
    }
    return UBI_OK;
}

/* Where a line ends: what was kept of it, and this. */
static ubi_status end_line(ubi__perf_map *m, const char *bytes, size_t n) {
    ubi_status status = UBI_OK;
    if (m->line.n) {
        UBI_TRY(ubi__bytes_append(&m->line, bytes, n, m->allocator));
        status = take_line(m, (ubi_text){ (const char *)m->line.at, m->line.n });
    } else if (!m->is_too_long) {
        status = take_line(m, (ubi_text){ bytes, n });
    }
    m->line.n = 0;
    m->is_too_long = false;
    return status;
}

ubi_status ubi__perf_map_feed(ubi__perf_map *m, const char *bytes, size_t n) {
    while (n) {
        const char *end = memchr(bytes, '\n', n);
        size_t length = end ? (size_t)(end - bytes) : n, left = LINE_BYTES - m->line.n;
        uint64_t line_bytes = m->line.n + length + 1;
        size_t kept = length < left ? length : left;
        if (!end) {
            if (!m->is_too_long)
                UBI_TRY(ubi__bytes_append(&m->line, bytes, kept, m->allocator));
            return UBI_OK;
        }
        UBI_TRY(end_line(m, bytes, kept));
        m->read_bytes += line_bytes;
        bytes += length + 1;
        n -= length + 1;
    }
    return UBI_OK;
}

/* ---- names -------------------------------------------------------------------------------------------------------- */

static bool text_take_word(ubi_text *text, const char *word) {
    size_t n = strlen(word);
    if (text->len < n || memcmp(text->ptr, word, n) != 0)
        return false;
    *text = (ubi_text){ text->ptr + n, text->len - n };
    return true;
}

/* The number after the last colon, which is taken off. 0: there is none. */
static uint32_t text_take_last_number(ubi_text *text) {
    const char *colon = text->len ? memrchr(text->ptr, ':', text->len) : NULL;
    uint64_t number = 0;
    if (!colon || colon + 1 == text->ptr + text->len)
        return 0;
    for (const char *at = colon + 1; at < text->ptr + text->len; at++) {
        if (*at < '0' || *at > '9' || number > UINT32_MAX / 16)
            return 0;
        number = number * 10 + (uint64_t)(*at - '0');
    }
    text->len = (size_t)(colon - text->ptr);
    return (uint32_t)number;
}

/* Where the file begins after a function's name: both may have spaces in them. */
static size_t place_of_file(ubi_text text) {
    static const char *const beginnings[] = { " /", " file:", " node:", " ." };
    size_t first = text.len;
    for (size_t i = 0; i < text.len; i++) {
        ubi_text rest = { text.ptr + i, text.len - i };
        for (size_t k = 0; k < sizeof beginnings / sizeof *beginnings; k++)
            if (ubi__text_begins(rest, beginnings[k]))
                return i + 1;
        if (text.ptr[i] == ' ' && first == text.len)
            first = i;
    }
    return first < text.len ? first + 1 : text.len;
}

static ubi__perf_name read_v8_name(ubi_text text) {
    ubi__perf_name out = { .function = text, .file = ubi__text(""), .is_script = true };
    uint32_t column = text_take_last_number(&text), line = column ? text_take_last_number(&text) : 0;
    size_t at = place_of_file(text);
    if (at == text.len)
        return out;
    out.line = line ? line : column;
    out.column = line ? column : 0;
    out.function = (ubi_text){ text.ptr, at - 1 };
    out.file = (ubi_text){ text.ptr + at, text.len - at };
    (void)text_take_word(&out.file, "file://");
    return out;
}

ubi__perf_name ubi__perf_name_read(ubi_text name) {
    static const char *const kinds[] = { "JS:", "Script:", "Eval:", "Function:", "LazyCompile:" };
    ubi_text rest = name;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (text_take_word(&rest, kinds[i])) {
            if (rest.len && strchr("~^+*-", rest.ptr[0]) && rest.ptr[0]) /* how it was compiled */
                rest = (ubi_text){ rest.ptr + 1, rest.len - 1 };
            return read_v8_name(rest);
        }
    const char *colon;
    if (text_take_word(&rest, "py::") && rest.len && (colon = memchr(rest.ptr, ':', rest.len)) != NULL) {
        size_t n = (size_t)(colon - rest.ptr);
        return (
            ubi__perf_name){ .function = { rest.ptr, n }, .file = { colon + 1, rest.len - n - 1 }, .is_script = true };
    }
    return (ubi__perf_name){ .function = name, .file = ubi__text("") };
}

/* ---- files -------------------------------------------------------------------------------------------------------- */

static bool is_current(int fd, uint64_t since_unix_ns) {
    struct stat about;
    return fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
           (about.st_uid == geteuid() || about.st_uid == getuid() || geteuid() == 0) &&
           (uint64_t)about.st_mtim.tv_sec * 1000000000 + (uint64_t)about.st_mtim.tv_nsec >= since_unix_ns;
}

static ubi_status feed_from(ubi__perf_map *m, int fd, char *buffer) {
    ssize_t n;
    for (uint64_t total = 0; total < MAP_BYTES && (n = read(fd, buffer, READ_BYTES)) > 0; total += (uint64_t)n)
        UBI_TRY(ubi__perf_map_feed(m, buffer, (size_t)n));
    return ubi__perf_map_feed(m, "\n", 1); /* the last line may have no end */
}

ubi_status ubi__perf_map_read_file(ubi__perf_map *m, const char *path, uint64_t since_unix_ns) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0)
        return UBI_OK;
    bool is_its_own = is_current(fd, since_unix_ns);
    char *buffer = is_its_own ? ubi__alloc_array(m->allocator, READ_BYTES, 1) : NULL;
    ubi_status status = buffer ? feed_from(m, fd, buffer) : is_its_own ? ubi__fail_nomem() : UBI_OK;
    ubi__free_array(m->allocator, buffer, READ_BYTES, 1);
    close(fd);
    return status;
}
