/* SPDX-License-Identifier: MIT
 *
 * timeline_words.c: what several views of a timeline call things (timeline_export.h).
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"
#include "render/timeline_export.h"

static size_t words_put(char *out, size_t size, size_t n, ubi_text text) {
    size_t room = size - n, fits = text.len < room ? text.len : room;
    if (fits)
        memcpy(out + n, text.ptr, fits);
    return n + fits;
}

static size_t put_number(char *out, size_t size, size_t n, uint32_t number) {
    char digits[16];
    if (number == 0)
        return n;
    snprintf(digits, sizeof digits, ":%" PRIu32, number);
    return words_put(out, size, n, ubi__text(digits));
}

/* Cuts only between characters. */
static size_t is_whole(const char *text, size_t n, size_t size) {
    if (n < size)
        return n;
    while (n > 0 && ((uint8_t)text[n - 1] & 0xc0) == 0x80)
        n--;
    return n > 0 && (uint8_t)text[n - 1] >= 0xc0 ? n - 1 : n;
}

size_t ubi__timeline_frame_words(char *out, size_t size, const ubi__timeline_data *data, uint32_t frame) {
    const ubi__timeline_frame *f = &data->frames.at[frame];
    ubi_text function = ubi__timeline_text(data, f->function), source = ubi__timeline_text(data, f->source);
    size_t n = 0;
    if (source.len == 0)
        return is_whole(out, words_put(out, size, 0, function.len ? function : ubi__text("(anonymous)")), size);
    if (function.len) {
        n = words_put(out, size, n, function);
        n = words_put(out, size, n, ubi__text(" ("));
    }
    n = words_put(out, size, n, source);
    n = put_number(out, size, n, f->line);
    n = put_number(out, size, n, f->line ? f->column : 0);
    n = words_put(out, size, n, ubi__text(function.len ? ")" : ""));
    return is_whole(out, n, size);
}

size_t ubi__timeline_cause_words(char *out, size_t size, const ubi__timeline_data *data, uint32_t frame) {
    size_t n = words_put(out, size, 0, ubi__text("(async: "));
    n = words_put(out, size, n, ubi__timeline_text(data, data->frames.at[frame].async_cause));
    return is_whole(out, words_put(out, size, n, ubi__text(")")), size);
}

bool ubi__timeline_is_part(ubi_text figure) {
    static const char ending[] = "Size";
    size_t n = sizeof ending - 1;
    return figure.len > n && memcmp(figure.ptr + figure.len - n, ending, n) == 0;
}
