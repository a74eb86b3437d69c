/* SPDX-License-Identifier: MIT
 *
 * v8_window.c: the bytes at hand, and messages that say where they stand (v8_reader.h).
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "formats/v8/v8_reader.h"

static ubi_status report_progress(ubi__v8_reader *r) {
    const ubi__format_input *in = r->input;
    const ubi_progress *progress = &in->options->progress;
    if (progress->fn && !ubi__progress(progress, "reading", ubi__stream_input_bytes(in->stream), in->total_bytes))
        return ubi__fail_cancelled();
    return UBI_OK;
}

ubi_status ubi__v8_more(ubi__v8_reader *r) {
    ubi__v8_window *w = &r->window;
    uint8_t left_over[UBI__V8_MAX_LEFT], *chunk;
    size_t left = (size_t)(w->end - w->at), n;
    if (w->ended)
        return UBI_OK;
    UBI_TRY(report_progress(r));
    memcpy(left_over, w->at, left); /* asking for a chunk gives the old one back */
    UBI_TRY(ubi__stream_next(r->input->stream, &chunk, &n));
    memcpy(chunk - left, left_over, left);
    memset(chunk - left - UBI__V8_TEXT_MARGIN, ' ', UBI__V8_TEXT_MARGIN); /* no digits of an older text */
    w->at = chunk - left;
    w->end = chunk + n;
    w->end_offset += n;
    w->ended = n == 0;
    return UBI_OK;
}

uint64_t ubi__v8_offset(const ubi__v8_reader *r, const uint8_t *p) {
    return r->window.end_offset - (uint64_t)(r->window.end - p);
}

#define MESSAGE_BYTES 400

ubi_status ubi__v8_fail_at(const ubi__v8_reader *r, uint64_t offset, const char *format, ...) {
    char text[MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (r->section == UBI__V8_NO_SECTION)
        return ubi__fail(UBI_EFORMAT, "byte %llu: %s", (unsigned long long)offset, text);
    return ubi__fail(UBI_EFORMAT, "byte %llu, in \"%s\": %s", (unsigned long long)offset,
                     ubi__v8_section_name(r->section), text);
}

/* When the compressed data is damaged, that is said in front (format.c), and the advice with it. */
ubi_status ubi__v8_fail_cut(const ubi__v8_reader *r, const char *expected) {
    char place[64] = "too early";
    const char *advice = *ubi__stream_note(r->input->stream) ? "" : ubi__damage_advice(UBI__END_TRUNCATED);
    if (r->section != UBI__V8_NO_SECTION)
        snprintf(place, sizeof place, "in the middle of \"%s\"", ubi__v8_section_name(r->section));
    return ubi__fail(UBI_EFORMAT, "the file ends %s, at byte %llu%s: %s%sexpected %s%s", place,
                     (unsigned long long)r->window.end_offset,
                     strcmp(r->input->info->compression, "none") == 0 ? "" : " of the inflated stream", advice,
                     *advice ? " (" : "", expected, *advice ? ")" : "");
}
