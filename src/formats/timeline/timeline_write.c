/* SPDX-License-Identifier: MIT
 *
 * timeline_write.c: see timeline_write.h.
 *
 * Lines gather in memory until the pull is over. Threads are announced before the first marker of theirs; which were is in a map.
 */
#include "formats/timeline/timeline_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "base/u64_map.h"
#include "formats/timeline/timeline_read.h"

struct ubi__timeline_writer {
    const ubi_allocator *allocator;
    int fd;
    ubi__vec_u8 pending; /* whole lines */
    ubi__u64_map told;   /* ids of threads */
    uint64_t n_lost;     /* reported so far */
    ubi_status status;   /* the first failure */
    char message[256];
};

/* ---- lines ---------------------------------------------------------------------------------------------------------- */

static void writer_fail(ubi__timeline_writer *w, ubi_status status) {
    if (w->status != UBI_OK || status == UBI_OK)
        return;
    w->status = status;
    snprintf(w->message, sizeof w->message, "%s", ubi_error_message());
}

static bool keep_bytes(void *payload, const void *data, size_t n) {
    ubi__timeline_writer *w = payload;
    if (ubi__vec_u8_reserve(&w->pending, w->allocator, n) != UBI_OK)
        return false;
    memcpy(w->pending.at + w->pending.n, data, n);
    w->pending.n += n;
    return true;
}

typedef struct line {
    ubi__json json;
    ubi__timeline_writer *writer;
    size_t start; /* in `pending` */
} line;

static void begin_line(line *l, ubi__timeline_writer *w) {
    l->writer = w;
    UBI_ASSERT(w->pending.n == 0 || w->pending.at[w->pending.n - 1] == '\n'); /* one line is made at a time */
    l->start = w->pending.n;
    ubi__json_init(&l->json, keep_bytes, w, false);
    l->json.is_for_terminal = true;
    ubi__json_object_begin(&l->json);
}

/* A line is there as a whole or not at all. */
static void end_line(line *l) {
    ubi__json_object_end(&l->json);
    bool is_whole = ubi__json_flush(&l->json) == UBI_OK && keep_bytes(l->writer, "\n", 1);
    if (is_whole)
        return;
    UBI_ASSERT(l->start <= l->writer->pending.n);
    l->writer->pending.n = l->start;
    writer_fail(l->writer, ubi__fail_nomem());
}

/* Nothing for NULL text. */
static void put_text(line *l, const char *key, ubi_text value) {
    if (!value.ptr)
        return;
    ubi__json_member_text(&l->json, key, value);
}

static void put_whole(line *l, const char *key, uint64_t value) {
    char digits[32];
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    ubi__json_member_raw(&l->json, key, (ubi_text){ digits, (size_t)n });
}

static void put_time(line *l, const char *key, uint64_t ns) {
    char digits[32];
    size_t n = ubi__timeline_ms(digits, ns);
    ubi__json_member_raw(&l->json, key, (ubi_text){ digits, n });
}

/* A failure of the file ends the writing; what was not written is dropped. */
static void write_pending(ubi__timeline_writer *w) {
    UBI_ASSERT(w->pending.n == 0 || w->pending.at[w->pending.n - 1] == '\n');
    if (w->status == UBI_OK && w->pending.n)
        writer_fail(w, ubi__write_fully(w->fd, w->pending.at, w->pending.n));
    w->pending.n = 0;
}

/* ---- markers -------------------------------------------------------------------------------------------------------- */

static void put_rectangles(line *l, const ubi_timeline_detail *detail) {
    static const char *const keys[] = { "x", "y", "width", "height" };
    ubi__json_array_begin(&l->json);
    for (size_t i = 0; i < detail->rectangle_count; i++) {
        const ubi_timeline_rectangle *r = &detail->rectangles[i];
        const int32_t values[] = { r->x, r->y, r->width, r->height };
        ubi__json_object_begin(&l->json);
        for (size_t k = 0; k < 4; k++) {
            ubi__json_member_i64(&l->json, keys[k], values[k]);
        }
        ubi__json_object_end(&l->json);
    }
    ubi__json_array_end(&l->json);
}

static void put_detail(line *l, const ubi_timeline_detail *detail) {
    ubi__json_key_text(&l->json, detail->key);
    switch (detail->type) {
    case UBI_MARKER_TEXT:
        ubi__json_text(&l->json, detail->text);
        break;
    case UBI_MARKER_NUMBER:
        ubi__json_double(&l->json, detail->number);
        break;
    case UBI_MARKER_BOOL:
        ubi__json_bool(&l->json, detail->is_true);
        break;
    case UBI_MARKER_RECTANGLES:
        put_rectangles(l, detail);
        break;
    }
}

static void put_details(line *l, const ubi_timeline_front_marker *marker, uint32_t n) {
    if (n == 0)
        return;
    ubi__json_member_object(&l->json, "details");
    for (uint32_t i = 0; i < n; i++) {
        ubi_timeline_detail detail = ubi_timeline_markers_detail(marker->markers, marker->row, i);
        put_detail(l, &detail);
    }
    ubi__json_object_end(&l->json);
}

static void write_thread(ubi__timeline_writer *w, const ubi_timeline_thread *thread) {
    line l;
    if (ubi__u64_map_get(&w->told, thread->id) != UBI_NONE)
        return;
    begin_line(&l, w);
    ubi__json_member_string(&l.json, "record", "thread");
    put_whole(&l, "thread", thread->id);
    if (thread->name.len)
        put_text(&l, "name", thread->name);
    end_line(&l);
    writer_fail(w, ubi__u64_map_put(&w->told, thread->id, 1));
}

static void write_marker(ubi__timeline_writer *w, const ubi_timeline_front_marker *marker) {
    line l;
    ubi_timeline_row row = ubi_timeline_markers_row(marker->markers, marker->row);
    ubi_timeline_thread thread = ubi_timeline_markers_thread(marker->markers, row.thread);
    write_thread(w, &thread);
    begin_line(&l, w);
    ubi__json_member_string(&l.json, "record", "marker");
    put_text(&l, "name", row.name);
    put_time(&l, "start", row.start_ns);
    if (row.end_ns || row.is_timestamp)
        put_time(&l, "end", row.end_ns > row.start_ns ? row.end_ns : row.start_ns);
    put_whole(&l, "thread", thread.id);
    if (marker->stack)
        put_whole(&l, "stack", marker->stack);
    if (marker->end_stack)
        put_whole(&l, "endStack", marker->end_stack);
    if (row.has_base) {
        put_whole(&l, "processType", row.process_type);
        ubi__json_member_bool(&l.json, "isOffMainThread", row.is_off_main_thread);
    }
    put_details(&l, marker, row.detail_count);
    end_line(&l);
}

/* As a marker for each slice, whose thread is unknown. */
static void write_collection(ubi__timeline_writer *w, const ubi_timeline_collection *c) {
    for (size_t i = 0; i < c->n_slices; i++) {
        line l;
        begin_line(&l, w);
        ubi__json_member_string(&l.json, "record", "marker");
        ubi__json_member_string(&l.json, "name", "GarbageCollection");
        put_time(&l, "start", c->slices[i].start_ns);
        put_time(&l, "end", c->slices[i].end_ns > c->slices[i].start_ns ? c->slices[i].end_ns : c->slices[i].start_ns);
        ubi__json_member_object(&l.json, "details");
        put_text(&l, "causeName", ubi__text(c->reason));
        ubi__json_member_text(&l.json, "nonincrementalReason", ubi__text(c->nonincremental_reason));
        put_whole(&l, "cycle", c->cycle_number);
        ubi__json_object_end(&l.json);
        end_line(&l);
    }
}

/* ---- the rest --------------------------------------------------------------------------------------------------------- */

static void write_frame(ubi__timeline_writer *w, uint32_t index, const ubi_timeline_front_frame *frame) {
    line l;
    begin_line(&l, w);
    ubi__json_member_string(&l.json, "record", "frame");
    put_whole(&l, "frame", index);
    put_text(&l, "functionDisplayName", frame->function_name);
    put_text(&l, "source", frame->source);
    if (frame->line)
        put_whole(&l, "line", frame->line);
    if (frame->column)
        put_whole(&l, "column", frame->column);
    if (frame->parent)
        put_whole(&l, "parent", frame->parent);
    if (frame->async_parent)
        put_whole(&l, "asyncParent", frame->async_parent);
    put_text(&l, "asyncCause", frame->async_cause);
    end_line(&l);
}

/* Entry 0 of the table is no frame. */
static void write_frames(ubi__timeline_writer *w, const ubi_timeline_event *event) {
    for (uint32_t i = 0; i < event->n_frames; i++) {
        uint32_t index = event->first_frame + i;
        if (index == 0)
            continue;
        ubi_timeline_front_frame frame = ubi_timeline_front_frame_at(event->front, index);
        write_frame(w, index, &frame);
    }
}

static void write_measurement(ubi__timeline_writer *w, uint64_t time_ns, const ubi_timeline_measurement *m) {
    line l;
    if (!m)
        return;
    begin_line(&l, w);
    ubi__json_member_string(&l.json, "record", "memory");
    put_time(&l, "time", time_ns);
    put_whole(&l, "total", m->total);
    put_whole(&l, "domSize", m->dom_size);
    put_whole(&l, "styleSize", m->style_size);
    put_whole(&l, "jsObjectsSize", m->js_objects_size);
    put_whole(&l, "jsStringsSize", m->js_strings_size);
    put_whole(&l, "jsOtherSize", m->js_other_size);
    put_whole(&l, "otherSize", m->other_size);
    end_line(&l);
}

static void write_lost(ubi__timeline_writer *w, uint64_t n_lost) {
    line l;
    if (n_lost == w->n_lost)
        return;
    begin_line(&l, w);
    ubi__json_member_string(&l.json, "record", "lost");
    put_whole(&l, "count", n_lost - w->n_lost);
    end_line(&l);
    w->n_lost = n_lost;
}

void ubi__timeline_writer_event(void *writer, const ubi_timeline_event *event) {
    ubi__timeline_writer *w = writer;
    switch (event->type) {
    case UBI_TIMELINE_EVENT_MARKERS:
        for (size_t i = 0; i < event->n_markers; i++)
            write_marker(w, &event->markers[i]);
        break;
    case UBI_TIMELINE_EVENT_MEMORY:
        write_measurement(w, event->time_ns, event->measurement);
        break;
    case UBI_TIMELINE_EVENT_FRAMES:
        write_frames(w, event);
        break;
    case UBI_TIMELINE_EVENT_COLLECTION:
        write_collection(w, event->collection);
        break;
    case UBI_TIMELINE_EVENT_PULLED:
        write_lost(w, ubi_timeline_front_lost_count(event->front));
        write_pending(w);
        break;
    case UBI_TIMELINE_EVENT_DOC_LOADING:
    case UBI_TIMELINE_EVENT_TICKS:
        break;
    }
}

void ubi__timeline_writer_figure(ubi__timeline_writer *w, const char *name, uint64_t bytes) {
    line l;
    begin_line(&l, w);
    ubi__json_member_string(&l.json, "record", "memory");
    put_time(&l, "time", ubi_process_clock_ns());
    put_whole(&l, name, bytes);
    end_line(&l);
}

/* ---- beginning and end -------------------------------------------------------------------------------------------------- */

/* The time of day when the clock of the markers was 0. */
static uint64_t clock_start_us(void) {
    struct timeval now;
    gettimeofday(&now, NULL);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_usec - ubi_process_clock_ns() / 1000;
}

static void write_header(ubi__timeline_writer *w, const ubi__timeline_about *about) {
    line l;
    begin_line(&l, w);
    ubi__json_member_string(&l.json, "schema", UBI__TIMELINE_SCHEMA);
    ubi__json_member_string(&l.json, "record", "header");
    ubi__json_member_string(&l.json, "generator", "ubiheap " UBI_VERSION_STRING);
    put_text(&l, "program", ubi__text(about->program));
    put_whole(&l, "pid", (uint64_t)getpid());
    put_whole(&l, "startTimeUs", clock_start_us());
    end_line(&l);
    write_pending(w);
}

static void write_end(ubi__timeline_writer *w) {
    line l;
    begin_line(&l, w);
    ubi__json_member_string(&l.json, "record", "end");
    put_time(&l, "time", ubi_process_clock_ns());
    end_line(&l);
}

static ubi_status writer_dispose(ubi__timeline_writer *w) {
    const ubi_allocator *a = w->allocator;
    if (close(w->fd) < 0)
        writer_fail(w, ubi__fail_errno(errno, "cannot write"));
    ubi_status status = w->status == UBI_OK ? UBI_OK : ubi__fail(w->status, "%s", w->message);
    ubi__vec_u8_fini(&w->pending, a);
    ubi__u64_map_fini(&w->told);
    UBI_DELETE(a, w);
    return status;
}

static ubi_status fail_to_begin(ubi__timeline_writer *w, const char *path) {
    char why[sizeof w->message];
    ubi_status status = writer_dispose(w);
    snprintf(why, sizeof why, "%s", ubi_error_message());
    return ubi__fail(status, "%s: %s", path, why);
}

ubi_status ubi__timeline_writer_open(ubi__timeline_writer **out, const char *path, const ubi__timeline_about *about,
                                     const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    ubi__timeline_writer *w = UBI_NEW(a, ubi__timeline_writer);
    if (!w)
        return ubi__fail_nomem();
    w->allocator = a;
    ubi__u64_map_init(&w->told, a);
    w->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (w->fd < 0) {
        ubi_status status = ubi__fail_errno(errno, "cannot create %s", path);
        UBI_DELETE(a, w);
        return status;
    }
    write_header(w, about);
    if (w->status != UBI_OK)
        return fail_to_begin(w, path);
    *out = w;
    return UBI_OK;
}

ubi_status ubi__timeline_writer_close(ubi__timeline_writer *w, bool ended) {
    if (ended)
        write_end(w);
    write_pending(w);
    return writer_dispose(w);
}
