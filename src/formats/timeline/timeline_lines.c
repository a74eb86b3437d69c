/* SPDX-License-Identifier: MIT
 *
 * timeline_lines.c: see timeline_lines.h.
 */
#include "formats/timeline/timeline_lines.h"

#include <inttypes.h>
#include <string.h>

#include "formats/recognize.h"
#include "formats/timeline/timeline_read.h"

void ubi__timeline_lines_fini(ubi__timeline_lines *l) {
    ubi__vec_u8_fini(&l->window, l->allocator);
}

/* The window begins with the file. */
ubi_status ubi__timeline_lines_refuse(ubi__timeline_lines *l) {
    const ubi__file_type *type = ubi__file_recognize(l->window.at, l->window.n);
    l->is_cut = false;
    if (type && type->use != UBI__FILE_TIMELINE)
        return ubi__file_refuse(type, l->window.at, l->window.n, l->compression, "timeline");
    return ubi__fail(UBI_EFORMAT,
                     "line %" PRIu64
                     ": expected a timeline, of which the first line has \"schema\":\"" UBI__TIMELINE_SCHEMA "\"",
                     l->line);
}

static ubi_status take_line(ubi__timeline_lines *l, ubi_text line) {
    UBI_ASSERT(line.ptr >= (const char *)l->window.at);
    UBI_ASSERT(line.ptr + line.len <= (const char *)l->window.at + l->window.n && !memchr(line.ptr, '\n', line.len));
    l->line++;
    while (line.len && (line.ptr[line.len - 1] == '\r' || line.ptr[line.len - 1] == ' '))
        line.len--;
    return l->take(l->payload, line);
}

/* Lines that are complete; the rest moves to the front of the window. */
static ubi_status read_lines(ubi__timeline_lines *l) {
    const char *at = (const char *)l->window.at, *end = at + l->window.n, *newline;
    ubi_status status = UBI_OK;
    while (status == UBI_OK && at < end && (newline = memchr(at, '\n', (size_t)(end - at)))) {
        status = take_line(l, (ubi_text){ at, (size_t)(newline - at) });
        at = newline + 1;
    }
    UBI_ASSERT(at <= end);
    size_t rest = (size_t)(end - at);
    if (rest)
        memmove(l->window.at, at, rest);
    l->window.n = rest;
    if (status == UBI_OK && rest > UBI__TIMELINE_LINE_BYTES) {
        if (++l->line == 1)
            return ubi__timeline_lines_refuse(l);
        return ubi__fail(UBI_EFORMAT, "line %" PRIu64 ": longer than %zu bytes", l->line, UBI__TIMELINE_LINE_BYTES);
    }
    return status;
}

/* What follows the last newline is a line that was cut, unless it is a whole one. */
static ubi_status read_last_line(ubi__timeline_lines *l) {
    ubi_status status = UBI_OK;
    if (l->window.n)
        status = take_line(l, (ubi_text){ (const char *)l->window.at, l->window.n });
    if (status == UBI_EFORMAT && l->is_cut)
        return ubi__fail(UBI_EFORMAT,
                         "line %" PRIu64
                         ": the file ends in the middle of it: the program was killed, or the file is not "
                         "complete",
                         l->line);
    return status;
}

static ubi_status read_rest(ubi__timeline_lines *l, const ubi__inflater *inflater) {
    ubi__stream_end end = ubi__inflater_end(inflater);
    ubi_status status = read_last_line(l);
    if (end > UBI__END_CLEAN && (status == UBI_OK || (status == UBI_EFORMAT && l->is_cut)))
        return ubi__fail(UBI_EFORMAT, "%s: %s", ubi__inflater_note(inflater), ubi__damage_advice(end));
    return status == UBI_OK && l->line == 0 ? ubi__timeline_lines_refuse(l) : status;
}

ubi_status ubi__timeline_lines_read(ubi__timeline_lines *l, ubi__inflater *inflater, const ubi__source *source,
                                    const ubi_progress *progress) {
    size_t n;
    l->compression = ubi__inflater_compression(inflater);
    do {
        if (!ubi__progress(progress, "reading", ubi__inflater_input_bytes(inflater), source->size))
            return ubi__fail_cancelled();
        UBI_TRY(ubi__vec_u8_reserve(&l->window, l->allocator, 2 * UBI__INFLATE_BLOCK_BYTES));
        size_t room = l->window.cap - l->window.n;
        UBI_TRY(ubi__inflater_fill(inflater, l->window.at + l->window.n, room, &n));
        UBI_ASSERT(n <= room);
        l->window.n += n;
        UBI_TRY(read_lines(l));
    } while (n);
    return read_rest(l, inflater);
}
