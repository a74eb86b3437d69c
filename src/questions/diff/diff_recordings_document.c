/* SPDX-License-Identifier: MIT
 *
 * diff_recordings_document.c: what changed between two recordings, as JSON.
 */
#include "questions/diff/diff_recordings.h"
#include "questions/recording/recording_suppressed.h"
#include "recording/recording_place.h"

/* Of a place, those that changed most; and of each the innermost functions. */
#define MOST_STACKS 3
#define MOST_FUNCTIONS 128

static void side_put(ubi__json *json, const char *key, const ubi__diff_recordings *r, int i) {
    const ubi__recording_side *side = &r->pair.sides[i];
    const ubi__recording_summary *s = side->report->summary;
    ubi__json_member_object(json, key);
    ubi__json_member_string(json, "file", side->name);
    ubi__json_member_text(json, "program", s->tables.about.program);
    ubi__json_member_double(json, "durationMs", (double)s->time_ns / 1e6);
    ubi__json_member_bool(json, "exact", side->report->is_exact);
    ubi__json_member_bool(json, "hasEnd", s->tables.has_end);
    for (ubi__measure m = 0; m < UBI__MEASURE_COUNT; m++) {
        ubi__estimate e = ubi__class_estimate(s, r->pair.of_class, m);
        ubi__recording_put_measure(json, m, &e, s, r->pair.of_class);
    }
    ubi__recording_suppressed_document(json, side->report);
    ubi__json_object_end(json);
}

static void stack_put(ubi__json *json, const ubi__recording_diff *d, uint32_t node) {
    ubi__json_object_begin(json);
    ubi__json_member_u64(json, "old", d->nodes.at[node].self[UBI__DIFF_OLD]);
    ubi__json_member_u64(json, "new", d->nodes.at[node].self[UBI__DIFF_NEW]);
    ubi__json_member_array(json, "functions");
    for (size_t n = 0; node != 0 && n < MOST_FUNCTIONS; n++, node = d->nodes.at[node].parent)
        ubi__json_text(json, ubi__diff_name(d, d->nodes.at[node].name));
    ubi__json_array_end(json);
    ubi__json_object_end(json);
}

/* Where it is in the newer recording, or else in the older one. */
static void position_put(ubi__json *json, const ubi__diff_recordings *r, const ubi__diff_place *place) {
    int side = place->frame[UBI__DIFF_NEW] != UBI_NONE ? UBI__DIFF_NEW : UBI__DIFF_OLD;
    const ubi__ubirec_tables *t = &r->pair.sides[side].report->summary->tables;
    ubi__recording_place at = { .line = 0 };
    uint32_t n, frame = place->frame[side];
    if (frame != UBI_NONE) {
        const ubi__ubirec_symbol_row *symbols = ubi__ubirec_symbols_of(t, frame, &n);
        ubi__recording_frame_place(&at, t, frame, n ? ubi__asking_symbol(t, symbols, n) : 0);
    }
    ubi__json_member_text(json, "file", at.file);
    ubi__json_member_u64_or_null(json, "line", at.line != 0, at.line);
    ubi__json_member_text(json, "module", at.module);
}

static void place_put(ubi__json *json, const ubi__diff_recordings *r, const ubi__diff_place *place) {
    static const char *const keys[] = { "old", "new" };
    const ubi__recording_diff *d = &r->diff;
    ubi__json_object_begin(json);
    ubi__json_member_text(json, "function", ubi__diff_name(d, place->name));
    position_put(json, r, place);
    ubi__json_member_double(json, "growth", ubi__diff_place_growth(d, place));
    ubi__json_member_bool(json, "certain", ubi__diff_place_is_certain(r, place));
    for (int i = 0; i < UBI__DIFF_SIDES; i++)
        ubi__recording_put_estimate(json, keys[i], &place->by[i][d->measure.measure], r->pair.sides[i].report->summary,
                                    r->pair.of_class);
    ubi__json_member_u64(json, "stackCount", place->n_stacks);
    ubi__json_member_array(json, "stacks");
    for (uint32_t i = 0; i < place->n_stacks && i < MOST_STACKS && !json->has_failed; i++)
        stack_put(json, d, d->stacks[place->first_stack + i]);
    ubi__json_array_end(json);
    ubi__json_object_end(json);
}

ubi_status ubi__diff_recordings_document(ubi__json *json, const ubi__diff_recordings *r) {
    side_put(json, "old", r, UBI__DIFF_OLD);
    side_put(json, "new", r, UBI__DIFF_NEW);
    ubi__json_member_string(json, "class", ubi__recording_class_name(r->pair.of_class));
    ubi__json_member_string(json, "by", ubi__recording_orders[r->pair.order]);
    ubi__json_member_string(json, "unit", r->diff.measure.is_count ? "allocations" : "bytes");
    ubi__json_member_string(json, "per", ubi__diff_recordings_per(r));
    ubi__json_member_u64(json, "placeCount", r->diff.places.n);
    ubi__json_member_array(json, "places");
    for (size_t i = 0; i < r->diff.places.n && !json->has_failed; i++)
        place_put(json, r, &r->diff.places.at[i]);
    ubi__json_array_end(json);
    return UBI_OK;
}
