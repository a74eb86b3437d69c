/* SPDX-License-Identifier: MIT
 *
 * timeline_packets.c: what a timeline front reports, as packets of a timeline actor. See timeline_link.h.
 *
 * Each event is a mail of its own: a client that takes events for replies is given one at a time.
 */
#include <stdio.h>

#include "base/text.h"
#include "jobs/memory_packets.h"
#include "rdp/timeline_link.h"
#include "timeline/timeline_data.h"

/* Of a stack that is written whole. */
#define MOST_STACK_FRAMES 64

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

static void milliseconds_put(ubi__json *json, const char *key, uint64_t ns) {
    char digits[32];
    ubi__json_member_raw(json, key, (ubi_text){ digits, ubi__timeline_ms(digits, ns) });
}

void ubi__rdp_timeline_value_put(ubi__json *json, int64_t ns) {
    if (ns < 0)
        ubi__json_member_double(json, "value", -1);
    else
        milliseconds_put(json, "value", (uint64_t)ns);
}

/* ---- markers ------------------------------------------------------------------------------------------------------------ */

static void stack_frame_open(ubi__json *json, const ubi_timeline_frame *frame) {
    ubi__json_object_begin(json);
    ubi__json_member_u64(json, "line", frame->line);
    ubi__json_member_u64(json, "column", frame->column);
    ubi__json_member_text(json, "source", frame->source);
    ubi__json_member_text(json, "functionDisplayName", frame->function_name);
    ubi__json_member_text(json, "asyncCause", frame->async_cause);
}

/* A chain: each frame has one parent at most, of either kind. */
static void stack_put(ubi__json *json, const ubi_timeline_markers *markers, uint32_t youngest) {
    uint32_t n = 0;
    for (uint32_t i = youngest; i != UBI_NONE && n < MOST_STACK_FRAMES; n++) {
        const ubi_timeline_frame frame = ubi_timeline_markers_frame(markers, i);
        const bool is_async = frame.parent == UBI_NONE && frame.async_parent != UBI_NONE;
        stack_frame_open(json, &frame);
        ubi__json_member_null(json, is_async ? "parent" : "asyncParent");
        ubi__json_key(json, is_async ? "asyncParent" : "parent");
        i = is_async ? frame.async_parent : frame.parent;
    }
    ubi__json_null(json);
    for (; n; n--)
        ubi__json_object_end(json);
}

static void rectangles_put(ubi__json *json, const ubi_timeline_detail *detail) {
    ubi__json_array_begin(json);
    for (size_t i = 0; i < detail->rectangle_count; i++) {
        const ubi_timeline_rectangle *r = &detail->rectangles[i];
        ubi__json_object_begin(json);
        ubi__json_member_double(json, "x", r->x);
        ubi__json_member_double(json, "y", r->y);
        ubi__json_member_double(json, "width", r->width);
        ubi__json_member_double(json, "height", r->height);
        ubi__json_object_end(json);
    }
    ubi__json_array_end(json);
}

static void detail_put(ubi__json *json, const ubi_timeline_detail *detail) {
    ubi__json_key_text(json, detail->key);
    switch (detail->type) {
    case UBI_MARKER_TEXT:
        ubi__json_text(json, detail->text);
        break;
    case UBI_MARKER_NUMBER:
        ubi__json_double(json, detail->number);
        break;
    case UBI_MARKER_BOOL:
        ubi__json_bool(json, detail->is_true);
        break;
    case UBI_MARKER_RECTANGLES:
        rectangles_put(json, detail);
        break;
    }
}

/* With frames: its number in the table, null for none. Without: all of it. */
static void marker_stack_put(ubi__json *json, const char *key, const ubi__rdp_timeline_link *link,
                             const ubi_timeline_markers *markers, uint32_t entry, uint32_t youngest) {
    ubi__json_key(json, key);
    if (!link->with_frames)
        stack_put(json, markers, youngest);
    else if (entry)
        ubi__json_u64(json, entry);
    else
        ubi__json_null(json);
}

static void marker_put(ubi__json *json, const ubi__rdp_timeline_link *link, const ubi_timeline_front_marker *marker) {
    const ubi_timeline_row row = ubi_timeline_markers_row(marker->markers, marker->row);
    ubi__json_object_begin(json);
    ubi__json_member_text(json, "name", row.name);
    milliseconds_put(json, "start", row.start_ns);
    milliseconds_put(json, "end", row.end_ns);
    marker_stack_put(json, "stack", link, marker->markers, marker->stack, row.stack);
    marker_stack_put(json, "endStack", link, marker->markers, marker->end_stack, row.end_stack);
    if (row.has_base) {
        ubi__json_member_u64(json, "processType", row.process_type);
        ubi__json_member_bool(json, "isOffMainThread", row.is_off_main_thread);
    }
    for (uint32_t i = 0; i < row.detail_count; i++) {
        const ubi_timeline_detail detail = ubi_timeline_markers_detail(marker->markers, marker->row, i);
        detail_put(json, &detail);
    }
    ubi__json_object_end(json);
}

static void markers_put(ubi__json *json, const ubi__rdp_timeline_link *link, const ubi_timeline_event *event) {
    ubi__json_member_array(json, "markers");
    for (size_t i = 0; i < event->n_markers; i++)
        marker_put(json, link, &event->markers[i]);
    ubi__json_array_end(json);
    milliseconds_put(json, "endTime", event->time_ns);
}

static void document_put(ubi__json *json, const ubi__rdp_timeline_link *link, const ubi_timeline_event *event) {
    ubi__json_key(json, "marker");
    marker_put(json, link, &event->markers[0]);
    milliseconds_put(json, "endTime", event->time_ns);
}

/* A marker for each slice. The reason it was not incremental is there also when it is null. */
static void collection_put(ubi__json *json, const ubi_timeline_collection *c, uint64_t time_ns) {
    const char *why = c->nonincremental_reason;
    ubi__json_member_array(json, "markers");
    for (size_t i = 0; i < c->n_slices; i++) {
        ubi__json_object_begin(json);
        ubi__json_member_string(json, "name", "GarbageCollection");
        ubi__json_member_string(json, "causeName", c->reason);
        ubi__json_member_text(json, "nonincrementalReason", why ? ubi__text(why) : (ubi_text){ NULL, 0 });
        ubi__json_member_u64(json, "cycle", c->cycle_number);
        milliseconds_put(json, "start", c->slices[i].start_ns);
        milliseconds_put(json, "end", c->slices[i].end_ns);
        ubi__json_object_end(json);
    }
    ubi__json_array_end(json);
    milliseconds_put(json, "endTime", time_ns);
}

/* ---- the rest of a pull ------------------------------------------------------------------------------------------------- */

/* Numbers in one text, as the original sends them. */
static void ticks_put(ubi__json *json, const ubi_timeline_event *event) {
    ubi__vec_u8 text = { 0 };
    ubi_status status = UBI_OK;
    for (size_t i = 0; i < event->n_ticks && status == UBI_OK; i++) {
        char number[33];
        size_t n = ubi__timeline_ms(number, event->ticks[i]);
        number[n] = ',';
        status = ubi__bytes_append(&text, number, n + (i + 1 < event->n_ticks), memory());
    }
    milliseconds_put(json, "delta", event->time_ns);
    ubi__json_member_text(json, "timestamps", (ubi_text){ text.n ? (const char *)text.at : "", text.n });
    json->has_failed = json->has_failed || status != UBI_OK;
    ubi__vec_u8_fini(&text, memory());
}

static void measurement_put(ubi__json *json, const ubi__rdp_timeline_link *link, const ubi_timeline_event *event) {
    milliseconds_put(json, "delta", event->time_ns);
    ubi__json_member_object(json, "measurement");
    if (event->measurement)
        ubi__memory_measure_put(json, &link->measured);
    ubi__json_object_end(json);
}

/* Entry 0 of the table is no frame. */
static void frames_put(ubi__json *json, const ubi_timeline_event *event) {
    milliseconds_put(json, "delta", event->time_ns);
    ubi__json_member_array(json, "frames");
    for (uint32_t i = event->first_frame; i < event->first_frame + event->n_frames; i++) {
        const ubi_timeline_front_frame frame =
            i ? ubi_timeline_front_frame_at(event->front, i) : (ubi_timeline_front_frame){ .line = 0 };
        if (i)
            ubi__memory_frame_put(json, &frame);
        else
            ubi__json_null(json);
    }
    ubi__json_array_end(json);
}

/* ---- packets ------------------------------------------------------------------------------------------------------------ */

/* NULL: it is not sent. */
static const char *event_type(const ubi__rdp_timeline_link *link, ubi_timeline_event_type type) {
    switch (type) {
    case UBI_TIMELINE_EVENT_DOC_LOADING:
        return "doc-loading";
    case UBI_TIMELINE_EVENT_MARKERS:
        return link->with_markers ? "markers" : NULL;
    case UBI_TIMELINE_EVENT_TICKS:
        return "ticks";
    case UBI_TIMELINE_EVENT_MEMORY:
        return "memory";
    case UBI_TIMELINE_EVENT_FRAMES:
        return link->with_frames ? "frames" : NULL;
    case UBI_TIMELINE_EVENT_COLLECTION:
        return "markers";
    case UBI_TIMELINE_EVENT_PULLED:
        return NULL;
    }
    return NULL;
}

static void event_put(ubi__json *json, const ubi__rdp_timeline_link *link, const ubi_timeline_event *event) {
    switch (event->type) {
    case UBI_TIMELINE_EVENT_DOC_LOADING:
        document_put(json, link, event);
        break;
    case UBI_TIMELINE_EVENT_MARKERS:
        markers_put(json, link, event);
        break;
    case UBI_TIMELINE_EVENT_TICKS:
        ticks_put(json, event);
        break;
    case UBI_TIMELINE_EVENT_MEMORY:
        measurement_put(json, link, event);
        break;
    case UBI_TIMELINE_EVENT_FRAMES:
        frames_put(json, event);
        break;
    case UBI_TIMELINE_EVENT_COLLECTION:
        collection_put(json, event->collection, event->time_ns);
        break;
    case UBI_TIMELINE_EVENT_PULLED:
        break;
    }
}

/*
 * The program comes back to its event loop when a run of scripts ends: that is the nearest to a frame that was drawn. Without memory there
 * are fewer.
 */
static void ticks_take(ubi__rdp_timeline_link *link, const ubi_timeline_event *event) {
    for (size_t i = 0; i < event->n_markers; i++) {
        const ubi_timeline_row row = ubi_timeline_markers_row(event->markers[i].markers, event->markers[i].row);
        if (ubi__text_is(row.name, "Javascript") && !row.is_off_main_thread && row.end_ns)
            (void)ubi__vec_u64_push(&link->ticks, memory(), row.end_ns);
    }
}

void ubi__rdp_timeline_hear(void *payload, const ubi_timeline_event *event) {
    ubi__rdp_timeline_link *link = payload;
    const char *type = event_type(link, event->type);
    if (event->type == UBI_TIMELINE_EVENT_MARKERS)
        ticks_take(link, event);
    ubi__rdp_errand *errand = type ? ubi__rdp_errand_new(&link->link, NULL, NULL) : NULL;
    if (!errand)
        return;
    ubi__json *json = ubi__rdp_packet_open(&errand->packet, errand->from, memory());
    ubi__json_member_string(json, "type", type);
    event_put(json, link, event);
    ubi__rdp_errand_post(errand, ubi__rdp_packet_close(&errand->packet));
}
