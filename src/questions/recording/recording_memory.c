/* SPDX-License-Identifier: MIT
 *
 * recording_memory.c: see recording_memory.h.
 */
#include "questions/recording/recording_memory.h"

#include <stdio.h>

#include "base/text.h"
#include "render/residence_page.h"

#define ROWS_OF_GROUP 5
#define PLACES 5

/* ---- what script engines have --------------------------------------------------------------------------------------- */

static bool kind_is_of_scripts(const ubi__ubirec_tables *t, uint32_t kind) {
    ubi_text word = ubi__ubirec_string_at(t, t->kinds.at[kind].word);
    return t->kinds.at[kind].class_of_kind == UBI__UBIREC_HEAP &&
           (ubi__text_is(word, UBI__UBIREC_SCRIPT_KIND) || ubi__text_begins(word, UBI__UBIREC_SCRIPT_KIND " "));
}

static bool has_script_blocks(const ubi__ubirec_tables *t) {
    for (uint32_t i = 0; i < t->kinds.n; i++)
        if (kind_is_of_scripts(t, i))
            return true;
    return false;
}

static uint64_t script_bytes_sum(const ubi__recording_summary *s) {
    ubi__estimate sum = { 0 };
    for (uint32_t i = 0; i < s->infos.n; i++)
        if (kind_is_of_scripts(&s->tables, s->tables.infos.at[i].kind))
            ubi__estimate_add(&sum, s, i, ubi__info_measure(&s->infos.at[i], UBI__MEASURE_LIVE));
    return ubi__whole(sum.bytes);
}

ubi_status ubi__recording_memory_ask(ubi__recording_report *report, const ubi__asked *asked) {
    const ubi__ubirec_tables *t = &report->summary->tables;
    const ubi__session_recording *then;
    ubi__recording_choice choice;
    if (t->uses.n == 0 || !has_script_blocks(t) || report->processes->rows.n > 1 ||
        !ubi__recording_has_frees(report->summary))
        return UBI_OK;
    UBI_TRY(ubi__recording_wishes_choice(&choice, report->wishes));
    choice.window = (ubi__time_window){ 0, t->uses.at[0].time_ns + 1 };
    UBI_TRY(ubi__session_recording_get(&then, ubi__asked_heap(asked), &choice));
    report->script_bytes = script_bytes_sum(&then->summary);
    return UBI_OK;
}

/* Their blocks are among those of the allocator. */
static ubi_status scripts_enter(ubi__residence *r, uint64_t script_bytes) {
    const ubi__residence_part part = { UBI__RESIDENCE_SCRIPTS, script_bytes };
    for (size_t i = 0; i < r->rows.n && script_bytes; i++) {
        const ubi__residence_row *row = &r->rows.at[i];
        if (row->kind == UBI__RESIDENCE_BLOCKS)
            return ubi__residence_divide(r, row->kind, (ubi_text){ NULL, 0 }, &part, 1);
    }
    for (size_t i = 0; i < r->rows.n && script_bytes; i++) {
        const ubi__residence_row *row = &r->rows.at[i];
        if (row->kind == UBI__RESIDENCE_ALLOCATOR)
            return ubi__residence_divide(r, row->kind, ubi__residence_row_name(r, row), &part, 1);
    }
    return UBI_OK;
}

static ubi_status table_make(ubi__residence *out, const ubi__recording_report *report) {
    UBI_TRY(ubi__ubirec_tables_residence(out, &report->summary->tables, report->allocator));
    return scripts_enter(out, report->script_bytes);
}

/* ---- what is shown -------------------------------------------------------------------------------------------------- */

/* The places of what lived at the end, which is what the recorder knows of the blocks that are in use. */
static size_t notes_make(ubi__residence_note notes[PLACES], const ubi__recording_view *v) {
    const ubi__sites *sites = v->report->leaked_sites;
    char words[UBI__PLACE_WORDS];
    size_t n = 0;
    for (size_t i = 0; i < sites->rows.n && n < PLACES && ubi__recording_has_frees(v->report->summary); i++) {
        const ubi__site *site = &sites->rows.at[i];
        ubi__recording_place place;
        uint64_t bytes = ubi__whole(site->by[UBI__MEASURE_LEAKED].bytes);
        if (site->of_class != UBI__UBIREC_HEAP || bytes == 0 ||
            !ubi__recording_site_place(&place, &v->report->summary->tables, site))
            continue;
        notes[n].bytes = bytes;
        snprintf(notes[n].words, sizeof notes[n].words, "%s", ubi__recording_place_words(words, v->style, &place));
        n++;
    }
    return n;
}

static ubi_status page_write(const ubi__recording_view *v, const ubi__residence *r, uint64_t time_ns) {
    char title[128], time[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT];
    ubi__residence_note notes[PLACES];
    size_t n = notes_make(notes, v);
    snprintf(title, sizeof title, "Resident memory, as it was seen last, at %s: %s",
             ubi__human_duration(time, time_ns / 1000), ubi__human_size(size, r->total.resident_bytes));
    ubi__write_title(v->on, title);
    ubi__residence_table(v->on, r, ROWS_OF_GROUP, notes, n);
    if (n)
        ubi__write_words(v->on, UBI__INK_DIM,
                         "Below what the allocator has: where what lived at the end was asked for.");
    return UBI_OK;
}

ubi_status ubi__recording_memory_page(const ubi__recording_view *v) {
    const ubi__ubirec_tables *t = &v->report->summary->tables;
    ubi__residence r;
    if (t->uses.n == 0)
        return UBI_OK;
    ubi_status status = table_make(&r, v->report);
    if (status == UBI_OK)
        status = page_write(v, &r, t->uses.at[0].time_ns);
    ubi__residence_fini(&r);
    return status;
}

ubi_status ubi__recording_memory_document(ubi__json *j, const ubi__recording_report *report) {
    const ubi__ubirec_tables *t = &report->summary->tables;
    ubi__residence r;
    if (t->uses.n == 0) {
        ubi__json_member_null(j, "memoryUse");
        return UBI_OK;
    }
    ubi_status status = table_make(&r, report);
    if (status == UBI_OK) {
        ubi__json_member_object(j, "memoryUse");
        ubi__json_member_double(j, "timeMs", (double)(t->uses.at[0].time_ns / 1000) / 1000);
        ubi__residence_json(j, &r);
        ubi__json_object_end(j);
    }
    ubi__residence_fini(&r);
    return status;
}
