/* SPDX-License-Identifier: MIT
 *
 * recording_curve.c: see recording_curve.h.
 */
#include "questions/recording/recording_curve.h"

#include <stdio.h>

#include "base/human.h"
#include "render/curve_chart.h"
#include "render/page.h"

#define CHART_ROWS 8
/* A page has fewer places than a document may have. */
#define PAGE_SITES 8

/* ---- the answer --------------------------------------------------------------------------------------------------------- */

/* The first places of the order. */
static void sites_choose(ubi__recording_curve *c, uint64_t limit) {
    const ubi__sites *sites = c->report->sites;
    uint64_t most = limit && limit < UBI__CURVE_SITES ? limit : UBI__CURVE_SITES;
    for (uint32_t i = 0; i < sites->rows.n && c->n_sites < most; i++) {
        const ubi__site *site = &sites->rows.at[i];
        if (site->of_class == c->view.of_class && ubi__site_value(site, c->view.order) > 0)
            c->sites[c->n_sites++] = i;
    }
}

static ubi_status events_read(ubi__recording_curve *c, const ubi__asked *asked) {
    const ubi__event_stream stream = { .event = ubi__site_curves_event, .payload = &c->curves, .is_of_all = true };
    const ubi__session_recording *recording;
    ubi__recording_choice choice;
    bool found = false;
    UBI_TRY(ubi__recording_wishes_choice(&choice, &c->of_report));
    if (c->view.of_class == UBI__UBIREC_HEAP && ubi__window_is_whole(&choice.window) && !choice.process)
        UBI_TRY(ubi__session_checkpoints_curves(&c->curves, &found, ubi__asked_heap(asked)));
    if (found)
        return UBI_OK;
    UBI_TRY(ubi__session_recording_get(&recording, ubi__asked_heap(asked), &choice));
    UBI_TRY(ubi__session_recording_events(recording, ubi__asked_heap(asked), &stream));
    ubi__site_curves_finish(&c->curves);
    return UBI_OK;
}

ubi_status ubi__recording_curve_compute(ubi__recording_curve *c, const ubi__asked *asked,
                                        const ubi__recording_wishes *wishes, uint64_t limit) {
    c->of_report = *wishes;
    if (!c->of_report.by && !ubi__asked_window_option(&wishes->window))
        c->of_report.by = ubi__recording_orders[UBI__BY_PEAK]; /* what it is about */
    UBI_TRY(ubi__recording_report_new(&c->report, asked, &c->of_report));
    const ubi__recording_summary *s = c->report->summary;
    if (!ubi__recording_has_frees(s))
        return ubi__fail(UBI_EINVAL, "--timeline: frees were not recorded, so what was alive is unknown");
    UBI_TRY(ubi__recording_view_init(&c->view, c->report, asked));
    sites_choose(c, limit);
    UBI_TRY(ubi__site_curves_init(&c->curves, c->report->sites, c->view.of_class, c->sites, c->n_sites,
                                  s->window.from_ns, ubi__recording_end_ns(s) + !s->is_over, c->report->allocator));
    return events_read(c, asked);
}

void ubi__recording_curve_release(ubi__recording_curve *c) {
    if (c->curves.at)
        ubi__site_curves_fini(&c->curves);
    ubi__recording_report_free(c->report);
}

static uint64_t slot_most(const ubi__recording_curve *c, size_t slot) {
    uint64_t most = 0;
    for (size_t i = 0; i < c->curves.n_points; i++)
        if (ubi__site_curves_at(&c->curves, i, slot) > most)
            most = ubi__site_curves_at(&c->curves, i, slot);
    return most;
}

static bool site_place(ubi__recording_place *out, const ubi__recording_curve *c, size_t i) {
    return ubi__recording_site_place(out, &c->report->summary->tables, &c->report->sites->rows.at[c->sites[i]]);
}

/* ---- the page ------------------------------------------------------------------------------------------------------------- */

static ubi__curve_chart chart_of(const ubi__recording_curve *c, size_t slot) {
    return (ubi__curve_chart){ .values = c->curves.at + slot,
                               .n = c->curves.n_points,
                               .stride = c->n_sites + 1,
                               .from_ns = c->curves.from_ns,
                               .end_ns = c->curves.end_ns };
}

static void head_write(const ubi__recording_view *v, const ubi__recording_curve *c) {
    char size[UBI__HUMAN_TEXT], time[UBI__HUMAN_TEXT], text[160], window[UBI__WINDOW_WORDS] = "";
    const ubi__recording_summary *s = c->report->summary;
    if (ubi__recording_is_part(s))
        ubi__recording_window_words(window, c->report);
    snprintf(text, sizeof text, "%s%s%s were alive at most, at %s%s", window, *window ? ": " : "",
             ubi__human_size(size, s->classes[v->of_class].peak_bytes),
             ubi__human_duration(time, ubi__recording_peak_ns(s, v->of_class) / 1000),
             c->report->is_exact ? "" : "; estimates");
    ubi__write_words(v->on, UBI__INK_PLAIN, text);
    ubi__out_char(v->out, '\n');
}

static void site_write(const ubi__recording_view *v, const ubi__recording_curve *c, size_t i) {
    char words[UBI__PLACE_WORDS] = "(no stack)";
    ubi__recording_place place;
    const ubi__curve_chart line = chart_of(c, i + 1);
    if (site_place(&place, c, i))
        ubi__recording_place_words(words, v->style, &place);
    ubi__out_printf(v->out, "%*s", UBI__CHART_SCALE_COLUMNS, "");
    ubi__display_text(v->out, v->style, ubi__text(words), ubi__curve_chart_columns(v->style));
    ubi__out_char(v->out, '\n');
    ubi__curve_line_write(v->out, v->style, &line);
}

ubi_status ubi__recording_curve_page(const ubi__page *page, const ubi__recording_curve *c) {
    const ubi__recording_view v = ubi__recording_view_on(&c->view, page);
    const ubi__curve_chart chart = chart_of(c, 0);
    if (slot_most(c, 0) == 0) {
        ubi__out_string(v.out, c->report->is_exact ? "Nothing was alive.\n" : "Nothing was sampled.\n");
        return UBI_OK;
    }
    head_write(&v, c);
    ubi__curve_chart_write(v.out, v.style, &chart, CHART_ROWS);
    if (c->n_sites == 0)
        return UBI_OK;
    ubi__write_title(page, "Of that, each place to its own height");
    for (size_t i = 0; i < c->n_sites && i < PAGE_SITES && !v.out->has_failed; i++)
        site_write(&v, c, i);
    return UBI_OK;
}

/* ---- the document ----------------------------------------------------------------------------------------------------------- */

static void values_put(ubi__json *j, const char *key, const ubi__recording_curve *c, size_t slot) {
    ubi__json_member_array(j, key);
    for (size_t i = 0; i < c->curves.n_points; i++)
        ubi__json_u64(j, ubi__site_curves_at(&c->curves, i, slot));
    ubi__json_array_end(j);
}

static void site_put(ubi__json *j, const ubi__recording_curve *c, size_t i) {
    ubi__recording_place place;
    ubi__json_object_begin(j);
    ubi__json_key(j, "place");
    if (site_place(&place, c, i))
        ubi__recording_put_place(j, &place);
    else
        ubi__json_null(j);
    ubi__json_member_u64(j, "mostBytes", slot_most(c, i + 1));
    values_put(j, "liveBytes", c, i + 1);
    ubi__json_object_end(j);
}

ubi_status ubi__recording_curve_document(ubi__json *j, const ubi__recording_curve *c) {
    ubi__recording_put_window(j, c->report);
    ubi__json_member_bool(j, "exact", c->report->is_exact);
    ubi__json_member_string(j, "class", ubi__recording_class_name(c->view.of_class));
    ubi__json_member_string(j, "sortedBy", ubi__recording_orders[c->view.order]);
    ubi__json_member_double(j, "fromMs", (double)c->curves.from_ns / 1e6);
    ubi__json_member_double(j, "stepMs", (double)c->curves.step_ns / 1e6);
    values_put(j, "liveBytes", c, 0);
    ubi__json_member_array(j, "sites");
    for (size_t i = 0; i < c->n_sites && !j->has_failed; i++)
        site_put(j, c, i);
    ubi__json_array_end(j);
    return UBI_OK;
}
