/* SPDX-License-Identifier: MIT
 *
 * native_markers.c: timeline markers of a recorded program (ubiheap/marker.h) become records of the file.
 *
 * Their times are the program's, by the clock that ours is made from, so they stand beside allocations on one scale, finer.
 */
#include <string.h>

#include "base/json_writer.h"
#include "base/text.h"
#include "targets/native/native_session.h"

/* A writer of JSON whose payload is a session. */
static bool keep_details(void *payload, const void *data, size_t n) {
    ubi__native_session *s = payload;
    if (ubi__vec_u8_reserve(&s->details, s->allocator, n) != UBI_OK)
        return false;
    memcpy(s->details.at + s->details.n, data, n);
    s->details.n += n;
    return true;
}

static void put_detail(ubi__json *j, const ubi__preload_detail *detail) {
    ubi__json_key_text(j, detail->name);
    if (detail->type == UBI__DETAIL_TEXT)
        ubi__json_text(j, detail->text);
    else if (detail->type == UBI__DETAIL_NUMBER)
        ubi__json_double(j, detail->number);
    else
        ubi__json_bool(j, detail->truth);
}

/* @param out  an object; empty for no details. Until the next marker. */
static ubi_status details_of(ubi__native_session *s, ubi_text *out, const ubi__preload_marker *e) {
    ubi__json j;
    ubi__preload_detail detail;
    const uint8_t *at = e->details, *end = at + e->details_bytes;
    *out = ubi__text("");
    if (at == end)
        return UBI_OK;
    s->details.n = 0;
    ubi__json_init(&j, keep_details, s, false);
    ubi__json_object_begin(&j);
    while (ubi__preload_detail_next(&at, end, &detail))
        put_detail(&j, &detail);
    ubi__json_object_end(&j);
    if (ubi__json_flush(&j) != UBI_OK)
        return ubi__fail_nomem();
    *out = (ubi_text){ (const char *)s->details.at, s->details.n };
    return UBI_OK;
}

ubi_status ubi__native_take_marker(void *payload, const ubi__preload_marker *e) {
    ubi__native_session *s = payload;
    ubi__ubirec_marker marker = {
        .name = e->name,
        .time_ns = e->time_ns > s->began_ns ? e->time_ns - s->began_ns : 0,
        .type = (ubi__ubirec_marker_type)(e->flags & UBI__MARKER_TYPE_MASK),
        .is_off_main_thread = e->flags & UBI__MARKER_OFF_MAIN_THREAD,
        .thread = e->thread,
        .trace = e->trace,
    };
    UBI_TRY(details_of(s, &marker.details, e));
    UBI_TRY(ubi__native_write_event_time(s, e->clock_us));
    s->n_markers += ubi__ubirec_marker_counts(marker.type);
    return ubi__ubirec_write_marker(s->writer, &marker);
}
