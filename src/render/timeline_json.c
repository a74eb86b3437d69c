/* SPDX-License-Identifier: MIT
 *
 * timeline_json.c: members of our own document, see timeline_export.h. Its schema is in docs/reference/schema/.
 */
#include "render/timeline_export.h"

#include "base/text.h"

/* ---- frames ------------------------------------------------------------------------------------------------------------ */

/* Index in the table: 0 means no frame. */
static void put_entry(ubi__json *json, const char *key, uint32_t frame) {
    ubi__json_member_u64(json, key, frame == UBI_NONE ? 0 : (uint64_t)frame + 1);
}

static void put_frames(ubi__json *json, const ubi__timeline_data *data) {
    ubi__json_member_array(json, "frames");
    if (data->frames.n)
        ubi__json_null(json);
    for (size_t i = 0; i < data->frames.n; i++) {
        const ubi__timeline_frame *f = &data->frames.at[i];
        ubi__json_object_begin(json);
        ubi__json_member_u64(json, "line", f->line);
        ubi__json_member_u64(json, "column", f->column);
        ubi__json_member_text(json, "source", ubi__timeline_text(data, f->source));
        ubi__json_member_text(json, "functionDisplayName", ubi__timeline_text(data, f->function));
        put_entry(json, "parent", f->parent);
        put_entry(json, "asyncParent", f->async_parent);
        ubi__json_member_text(json, "asyncCause", ubi__timeline_text(data, f->async_cause));
        ubi__json_object_end(json);
    }
    ubi__json_array_end(json);
}

/* ---- markers ----------------------------------------------------------------------------------------------------------- */

static void put_rectangles(ubi__json *json, const ubi__timeline_data *data, const ubi__timeline_detail *detail) {
    ubi__json_array_begin(json);
    for (uint32_t i = 0; i < detail->as.rectangles.n; i++) {
        const ubi__timeline_rectangle *r = &data->rectangles.at[detail->as.rectangles.first + i];
        const double values[] = { r->x, r->y, r->width, r->height };
        static const char *const keys[] = { "x", "y", "width", "height" };
        ubi__json_object_begin(json);
        for (size_t k = 0; k < 4; k++) {
            ubi__json_member_double(json, keys[k], values[k]);
        }
        ubi__json_object_end(json);
    }
    ubi__json_array_end(json);
}

static void put_value(ubi__json *json, const ubi__timeline_data *data, const ubi__timeline_detail *detail) {
    switch (detail->type) {
    case UBI__TIMELINE_BOOL:
        ubi__json_bool(json, detail->as.truth);
        break;
    case UBI__TIMELINE_NUMBER:
        ubi__json_double(json, detail->as.number);
        break;
    case UBI__TIMELINE_TEXT:
        ubi__json_text(json, ubi__timeline_text(data, detail->as.text));
        break;
    case UBI__TIMELINE_RECTANGLES:
        put_rectangles(json, data, detail);
        break;
    case UBI__TIMELINE_NULL:
        ubi__json_null(json);
        break;
    }
}

static void put_details(ubi__json *json, const ubi__timeline_data *data, const ubi__timeline_row *row) {
    ubi__json_member_object(json, "details");
    for (uint32_t i = 0; i < row->n_details; i++) {
        const ubi__timeline_detail *detail = &data->details.at[row->first_detail + i];
        ubi__json_key_text(json, ubi__timeline_text(data, detail->key));
        put_value(json, data, detail);
    }
    ubi__json_object_end(json);
}

static void put_index(ubi__json *json, const char *key, bool is_there, uint32_t index) {
    ubi__json_member_u64_or_null(json, key, is_there, index);
}

static void put_marker(ubi__json *json, const ubi__timeline_nest *nest, uint32_t i) {
    const ubi__timeline_row *row = &nest->data->rows.at[i];
    ubi__json_object_begin(json);
    ubi__json_member_text(json, "name", ubi__timeline_text(nest->data, row->name));
    ubi__json_member_text(json, "label", ubi__timeline_label(nest, &nest->sums.at[nest->sum_of[i]]));
    ubi__timeline_put_ms(json, "start", row->start_ns);
    if (row->flags & UBI__TIMELINE_HAS_END) {
        ubi__timeline_put_ms(json, "end", row->end_ns);
    } else {
        ubi__json_member_null(json, "end");
    }
    ubi__timeline_put_ms(json, "self", nest->self_ns[i]);
    put_index(json, "thread", nest->data->threads.n > 0, row->thread);
    put_index(json, "parent", nest->parent[i] != UBI_NONE, nest->parent[i]);
    put_entry(json, "stack", row->stack);
    put_entry(json, "endStack", row->end_stack);
    if (row->flags & UBI__TIMELINE_HAS_ORIGIN) {
        ubi__json_member_u64(json, "processType", row->process_type);
        ubi__json_member_bool(json, "isOffMainThread", row->flags & UBI__TIMELINE_OFF_THREAD);
    }
    put_details(json, nest->data, row);
    ubi__json_object_end(json);
}

/* ---- the rest ------------------------------------------------------------------------------------------------------------ */

static void put_threads(ubi__json *json, const ubi__timeline_nest *nest) {
    ubi__json_member_array(json, "threads");
    for (uint32_t t = 0; t < nest->data->threads.n; t++) {
        const ubi__timeline_thread *thread = &nest->data->threads.at[t];
        ubi__json_object_begin(json);
        ubi__json_member_u64(json, "id", thread->id);
        ubi__json_member_text(json, "name", ubi__timeline_text(nest->data, thread->name));
        ubi__timeline_put_ms(json, "busy", t < nest->n_threads ? nest->threads[t].busy_ns : 0);
        ubi__timeline_put_ms(json, "collections", t < nest->n_threads ? nest->threads[t].collection_ns : 0);
        ubi__json_object_end(json);
    }
    ubi__json_array_end(json);
}

static void put_sums(ubi__json *json, const ubi__timeline_nest *nest) {
    ubi__json_member_array(json, "byMarker");
    for (size_t i = 0; i < nest->sums.n; i++) {
        const ubi__marker_sum *sum = &nest->sums.at[i];
        ubi__json_object_begin(json);
        ubi__json_member_text(json, "label", ubi__timeline_label(nest, sum));
        ubi__json_member_u64(json, "group", sum->blueprint->group);
        ubi__json_member_string(json, "color", ubi__marker_color_name(sum->blueprint->color));
        ubi__json_member_u64(json, "count", sum->count);
        ubi__timeline_put_ms(json, "total", sum->total_ns);
        ubi__timeline_put_ms(json, "self", sum->self_ns);
        ubi__json_member_u64(json, "longestMarker", sum->longest);
        ubi__json_object_end(json);
    }
    ubi__json_array_end(json);
}

/* Figures of the same time share an object. */
static void put_memory(ubi__json *json, const ubi__timeline_data *data) {
    ubi__json_member_array(json, "memory");
    for (size_t i = 0; i < data->samples.n; i++) {
        const ubi__timeline_sample *s = &data->samples.at[i];
        bool is_first = i == 0 || s[-1].time_ns != s->time_ns;
        bool is_last = i + 1 == data->samples.n || s[1].time_ns != s->time_ns;
        if (is_first) {
            ubi__json_object_begin(json);
            ubi__timeline_put_ms(json, "time", s->time_ns);
            ubi__json_member_object(json, "bytes");
        }
        ubi__json_key_text(json, ubi__timeline_text(data, s->name));
        ubi__json_double(json, s->value);
        if (is_last) {
            ubi__json_object_end(json);
            ubi__json_object_end(json);
        }
    }
    ubi__json_array_end(json);
}

void ubi__render_timeline_members(ubi__json *json, const ubi__timeline_nest *nest) {
    put_threads(json, nest);
    put_sums(json, nest);
    put_memory(json, nest->data);
    put_frames(json, nest->data);
    ubi__json_member_array(json, "markers");
    for (uint32_t i = 0; i < nest->n && !json->failed; i++)
        put_marker(json, nest, i);
    ubi__json_array_end(json);
}
