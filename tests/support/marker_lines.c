/* SPDX-License-Identifier: MIT
 *
 * marker_lines.c: see marker_lines.h.
 */
#include "marker_lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct lines {
    char *at;
    size_t n, cap;
} lines;

static __attribute__((format(printf, 2, 3))) void put(lines *l, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char piece[512];
    int n = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    for (int i = 0; i <= n && i < (int)sizeof piece; i++) {
        if (l->n + 1 >= l->cap) {
            l->cap = l->cap ? 2 * l->cap : 1024;
            l->at = (char *)realloc(l->at, l->cap);
            if (!l->at)
                abort();
        }
        l->at[l->n] = piece[i];
        if (piece[i])
            l->n++;
    }
}

static void put_text(lines *l, ubi_text text) {
    put(l, "%.*s", (int)text.len, text.ptr ? text.ptr : "");
}

static void put_stack(lines *l, const ubi_timeline_markers *m, const char *key, uint32_t frame) {
    if (frame == UBI_NONE)
        return;
    put(l, " %s=", key);
    while (frame != UBI_NONE) {
        ubi_timeline_frame f = ubi_timeline_markers_frame(m, frame);
        put_text(l, f.function_name);
        if (f.parent != UBI_NONE)
            put(l, "<");
        if (f.async_parent != UBI_NONE) {
            put(l, "<");
            put_text(l, ubi_timeline_markers_frame(m, f.async_parent).async_cause);
            put(l, "<");
        }
        frame = f.parent != UBI_NONE ? f.parent : f.async_parent;
    }
}

static void put_detail(lines *l, const ubi_timeline_detail *d) {
    put(l, " ");
    put_text(l, d->key);
    put(l, "=");
    switch (d->type) {
    case UBI_MARKER_TEXT:
        put_text(l, d->text);
        break;
    case UBI_MARKER_NUMBER:
        put(l, "%.17g", d->number);
        break;
    case UBI_MARKER_BOOL:
        put(l, "%s", d->is_true ? "true" : "false");
        break;
    case UBI_MARKER_RECTANGLES:
        for (size_t i = 0; i < d->rectangle_count; i++) {
            const ubi_timeline_rectangle *r = &d->rectangles[i];
            put(l, "%s%d,%d,%d,%d", i ? "/" : "", (int)r->x, (int)r->y, (int)r->width, (int)r->height);
        }
        break;
    }
}

const char *marker_lines(const ubi_timeline_markers *m, bool with_base) {
    static _Thread_local lines l;
    l.n = 0;
    put(&l, "%s", "");
    for (size_t i = 0; i < ubi_timeline_markers_count(m); i++) {
        ubi_timeline_row row = ubi_timeline_markers_row(m, i);
        put_text(&l, row.name);
        put(&l, " %llu %llu", (unsigned long long)row.start_ns, (unsigned long long)row.end_ns);
        if (with_base && row.has_base)
            put(&l, " processType=%u isOffMainThread=%d", (unsigned)row.process_type, (int)row.is_off_main_thread);
        for (uint32_t j = 0; j < row.detail_count; j++) {
            ubi_timeline_detail detail = ubi_timeline_markers_detail(m, i, j);
            put_detail(&l, &detail);
        }
        put_stack(&l, m, "stack", row.stack);
        put_stack(&l, m, "endStack", row.end_stack);
        put(&l, "\n");
    }
    return l.at;
}

const char *pop_lines(ubi_timeline_target *target) {
    ubi_timeline_markers *markers;
    if (ubi_timeline_target_pop_profile_timeline_markers(target, &markers) != UBI_OK)
        return ubi_error_message();
    const char *text = marker_lines(markers, false);
    ubi_timeline_markers_free(markers);
    return text;
}

ubi_timeline_target *observed_target(void) {
    ubi_timeline_target *target;
    if (ubi_timeline_target_new(&target, NULL) != UBI_OK ||
        ubi_timeline_target_set_record_profile_timeline_markers(target, true) != UBI_OK)
        abort();
    return target;
}
