/* SPDX-License-Identifier: MIT
 *
 * live_screen.c: see live_screen.h.
 */
#include "cli/commands/record/live_screen.h"

#include <stdio.h>

#include "base/text.h"
#include "render/curve_text.h"

#define LABEL_COLUMNS 11
/* Lines of the totals, and of the table's head and the last line. */
#define HEAD_ROWS 6
#define TAIL_ROWS 2
#define CURVE_AXIS_ROWS 2
#define CURVE_MOST_ROWS 10
#define TABLE_LEAST_ROWS 4

/* ---- totals ------------------------------------------------------------------------------------------------------- */

static uint64_t whole(double count) {
    return count > 0 ? (uint64_t)(count + 0.5) : 0;
}

static void title_write(const ubi__page *page, const ubi__live_copy *c) {
    char line[256], time[UBI__HUMAN_TEXT], others[64] = "", count[UBI__HUMAN_TEXT];
    const char *which = c->wanted || c->has_ended ? "one" : "the largest";
    if (c->n_processes > 1)
        snprintf(others, sizeof others, ", %s of %s", which, ubi__human_things(count, c->n_processes, "process"));
    if (c->n_processes > 1 && c->n_recorded > 1 && c->n_recorded != c->n_processes)
        snprintf(others, sizeof others, ", %s of %u that are recorded", which, c->n_recorded);
    if (c->n_processes > 1 && c->n_recorded == 1)
        snprintf(others, sizeof others, ", the only one that is recorded");
    snprintf(line, sizeof line, "%s %ld, %s%s", c->name, (long)c->pid, ubi__human_duration(time, c->duration_us),
             others);
    ubi__write_ink(page, UBI__INK_BOLD);
    ubi__display_text(page->out, &page->style, ubi__text(line), page->style.columns);
    ubi__write_ink(page, UBI__INK_PLAIN);
    ubi__out_char(page->out, '\n');
}

static void totals_write(const ubi__page *page, const ubi__live_copy *c) {
    char line[256], size[UBI__HUMAN_TEXT], count[UBI__HUMAN_TEXT];
    const ubi__live_totals *t = &c->totals;
    const char *about = c->period_bytes > 1 ? "~" : "";
    snprintf(line, sizeof line, "%s%s in %s", about, ubi__human_size(size, t->live_bytes),
             ubi__human_things(count, whole(t->live_count), "block"));
    ubi__write_fact(page, "Live", ubi__text(line), LABEL_COLUMNS);
    snprintf(line, sizeof line, "%s%s, at %s", about, ubi__human_size(size, t->peak_bytes),
             ubi__human_duration(count, t->peak_us));
    ubi__write_fact(page, "Peak", ubi__text(line), LABEL_COLUMNS);
    snprintf(line, sizeof line, "%s%s in %s", about, ubi__human_size(size, t->total_bytes),
             ubi__human_things(count, whole(t->total_count), "allocation"));
    ubi__write_fact(page, "Allocated", ubi__text(line), LABEL_COLUMNS);
    snprintf(line, sizeof line, "%s", c->resident_bytes ? ubi__human_size(size, c->resident_bytes) : "unknown");
    ubi__write_fact(page, "Resident", ubi__text(line), LABEL_COLUMNS);
}

/* ---- the curve ---------------------------------------------------------------------------------------------------- */

static void curve_write(const ubi__page *page, const ubi__live_copy *c, unsigned rows) {
    const ubi__curve curve = { .values = c->curve.at, .n = c->curve.n, .end_us = c->duration_us };
    ubi__curve_write(page->out, &page->style, &curve, rows);
}

/* Half of what is left, if that is worth a curve; an even number, so that half of the scale has a line. */
static unsigned curve_rows(unsigned rows) {
    unsigned taken = HEAD_ROWS + TAIL_ROWS + CURVE_AXIS_ROWS + TABLE_LEAST_ROWS;
    unsigned left = rows > taken ? rows - taken : 0, curve = (left / 2 + 1) / 2 * 2;
    return curve > CURVE_MOST_ROWS ? CURVE_MOST_ROWS : curve;
}

/* ---- places ------------------------------------------------------------------------------------------------------- */

enum { LIVE, PERCENT, TOTAL, N_COLUMNS };

static const ubi__text_column columns[N_COLUMNS] = {
    [LIVE] = { .title = "Live", .width = 9 },
    [PERCENT] = { .title = "%", .width = 6, .gap = 1 },
    [TOTAL] = { .title = "Allocated", .width = 9, .gap = 2, .from_columns = 60 },
};

/* Its position is in what room the function leaves. */
static void place_write(const ubi__page *page, const ubi__text_table *table, const ubi__live_scene *scene,
                        const ubi__live_place *row) {
    const ubi__cell cells[N_COLUMNS] = {
        [LIVE] = ubi__cell_size(row->live_bytes),
        [PERCENT] = ubi__cell_share(row->live_bytes, scene->copy->totals.live_bytes),
        [TOTAL] = ubi__cell_size(row->total_bytes),
    };
    size_t room = ubi__text_table_row(table, cells);
    size_t used = ubi__display_text(page->out, &page->style, ubi__live_place_function(scene->places, row), room);
    ubi_text position = ubi__live_place_position(scene->places, row);
    if (used + 2 + ubi__display_columns(position, &page->style, room) <= room) {
        ubi__out_string(page->out, "  ");
        ubi__write_ink(page, UBI__INK_DIM);
        ubi__display_text(page->out, &page->style, position, room - used - 2);
        ubi__write_ink(page, UBI__INK_PLAIN);
    }
    ubi__out_char(page->out, '\n');
}

static void places_write(const ubi__page *page, const ubi__live_scene *scene, unsigned rows) {
    ubi__text_table table;
    const ubi__vec_live_place *places = &scene->places->rows;
    ubi__page_table(&table, page, "Where", columns, N_COLUMNS);
    ubi__text_table_head(&table);
    for (size_t i = 0; i < places->n && i < rows && places->at[i].live_bytes; i++)
        place_write(page, &table, scene, &places->at[i]);
}

/* ---- all of it ---------------------------------------------------------------------------------------------------- */

static void last_line_write(const ubi__page *page, const ubi__live_scene *scene) {
    char line[160], size[UBI__HUMAN_TEXT];
    const char *keys = scene->copy->n_recorded > 1 ? "n: next process; q: close" : "q: close";
    const char *what = scene->copy->is_short_of_memory ? "sums lack what there was no memory for" : "";
    if (scene->places->unnamed_bytes)
        what = "names are looked up";
    if (scene->kept_bytes)
        snprintf(line, sizeof line, "%s; then %s of output follow. %s", keys, ubi__human_size(size, scene->kept_bytes),
                 what);
    else
        snprintf(line, sizeof line, "%s; the recording continues. %s", keys, what);
    ubi__write_ink(page, UBI__INK_DIM);
    ubi__display_text(page->out, &page->style, ubi__text(line), page->style.columns);
    ubi__write_ink(page, UBI__INK_PLAIN);
    ubi__out_char(page->out, '\n');
}

void ubi__live_screen_write(const ubi__page *page, const ubi__live_scene *scene, unsigned rows) {
    unsigned curve = curve_rows(rows), used = HEAD_ROWS + TAIL_ROWS + (curve ? curve + CURVE_AXIS_ROWS : 0);
    if (scene->copy->number == 0) {
        ubi__write_words(page, UBI__INK_DIM, "the program is starting; q: close");
        return;
    }
    title_write(page, scene->copy);
    totals_write(page, scene->copy);
    ubi__out_char(page->out, '\n');
    if (curve)
        curve_write(page, scene->copy, curve);
    places_write(page, scene, rows > used ? rows - used : 1);
    last_line_write(page, scene);
}
