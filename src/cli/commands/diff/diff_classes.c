/* SPDX-License-Identifier: MIT
 *
 * diff_classes.c: the table of what changed, class by class.
 *
 *          Size              Count  New  Deleted  Name
 *     -1.48 KiB  ▎             -30  150      180  Object (object)
 *
 * Wide tables also show the sizes of what is new and deleted, next to the counts.
 */
#include <stdio.h>

#include "base/alloc.h"
#include "base/text.h"
#include "cli/commands/diff/diff_numbers.h"
#include "cli/commands/diff/diff_page.h"

enum { SIZE, BAR, COUNT, NEW, NEW_SIZE, GONE, GONE_SIZE, COLUMNS };

#define NAME_COLUMNS_BESIDE_FLOWS 44

static const ubi__text_column class_columns[COLUMNS] = {
    [SIZE] = { "Size", .width = UBI__DIFF_SIZE_COLUMNS },
    [BAR] = { NULL, .width = UBI__DIFF_BAR_COLUMNS, .gap = 2,
              .least_name_columns = UBI__DIFF_NAME_COLUMNS_BESIDE_BARS },
    [COUNT] = { "Count", .width = 5, .gap = 2 },
    [NEW] = { "New", .width = 3, .gap = 2 },
    [NEW_SIZE] = { "of size", .width = 9, .gap = 2, .least_name_columns = NAME_COLUMNS_BESIDE_FLOWS },
    [GONE] = { "Deleted", .width = 7, .gap = 2 },
    [GONE_SIZE] = { "of size", .width = 9, .gap = 2, .least_name_columns = NAME_COLUMNS_BESIDE_FLOWS },
};

typedef struct class_table {
    ubi__cli *cli;
    const ubi_class_diff *diff;
    bool is_net;    /* changes are what is new less what is deleted */
    uint32_t *rows; /* rows[n_changed]: those that changed */
    uint32_t n_changed, n_shown;
    uint64_t largest; /* change of a row in bytes, a full bar */
    ubi__text_table table;
} class_table;

static ubi__change bytes_of(const class_table *t, const ubi_class_change *row) {
    return t->is_net ? (ubi__change){ row->deleted.bytes, row->created.bytes }
                     : (ubi__change){ row->start.bytes, row->end.bytes };
}

static ubi__change count_of(const ubi_class_change *row) {
    return (ubi__change){ row->start.count, row->end.count };
}

static bool has_changed(const class_table *t, const ubi_class_change *row) {
    return ubi__change_size(bytes_of(t, row)) || ubi__change_size(count_of(row)) || row->created.count ||
           row->deleted.count;
}

static const ubi_class_change *row_at(const class_table *t, uint32_t i) {
    return ubi_class_diff_row(t->diff, t->rows[i]);
}

static void table_init(class_table *t) {
    const ubi_class_change *total = ubi_class_diff_total(t->diff);
    ubi__page_table(&t->table, t->cli, "Name", class_columns, COLUMNS);
    for (uint32_t i = 0; i < t->n_changed; i++) {
        const ubi_class_change *row = row_at(t, i);
        uint64_t size = ubi__change_size(bytes_of(t, row));
        ubi__text_table_widen(&t->table, COUNT, ubi__change_cell(UBI__CELL_COUNT, count_of(row)));
        t->largest = size > t->largest ? size : t->largest;
    }
    ubi__text_table_widen(&t->table, NEW, ubi__cell_count(total->created.count));
    ubi__text_table_widen(&t->table, GONE, ubi__cell_count(total->deleted.count));
    ubi__text_table_lay_out(&t->table);
}

/* How many came or went, in wide tables also their size; empty for none. */
static void flow_cells(ubi__cell cells[2], const ubi_tally *flow) {
    cells[0] = flow->count ? ubi__cell_count(flow->count) : ubi__cell_none();
    cells[1] = flow->count ? ubi__cell_size(flow->bytes) : ubi__cell_none();
}

/* All cells of a row except its name. */
static void class_write_numbers(const class_table *t, const ubi_class_change *row) {
    ubi__cell cells[COLUMNS];
    cells[SIZE] = ubi__change_cell(UBI__CELL_SIZE, bytes_of(t, row));
    cells[BAR] = ubi__change_bar(bytes_of(t, row), t->largest);
    cells[COUNT] = ubi__change_cell(UBI__CELL_COUNT, count_of(row));
    flow_cells(&cells[NEW], &row->created);
    flow_cells(&cells[GONE], &row->deleted);
    ubi__text_table_row(&t->table, cells);
}

static void class_write(const class_table *t, const ubi_class_change *row) {
    static const char *const notes[] = { "", " (object)", " (script)", " (string)", " (DOM)" };
    const char *note = notes[row->name.coarse_type];
    ubi_text name = row->name.name.len ? row->name.name : ubi__text("(empty name)");
    class_write_numbers(t, row);
    ubi__display_text(t->table.out, t->table.style, name,
                      ubi__text_table_room(&t->table, t->table.used + strlen(note)));
    ubi__write_inked(t->cli, UBI__INK_DIM, note);
    ubi__out_char(t->table.out, '\n');
}

static void tally_add(ubi_tally *to, const ubi_tally *tally) {
    to->count += tally->count;
    to->bytes += tally->bytes;
}

/* One row for all that do not fit. */
static void others_write(const class_table *t) {
    ubi_class_change sum = { 0 };
    for (uint32_t i = t->n_shown; i < t->n_changed; i++) {
        const ubi_class_change *row = row_at(t, i);
        tally_add(&sum.start, &row->start);
        tally_add(&sum.end, &row->end);
        tally_add(&sum.created, &row->created);
        tally_add(&sum.deleted, &row->deleted);
    }
    class_write_numbers(t, &sum);
    ubi__text_table_rest(&t->table, t->n_changed - t->n_shown);
}

static void warning_write(const class_table *t, const char *common, const char *nodes) {
    char line[420], same[UBI__HUMAN_TEXT], strings[UBI__HUMAN_TEXT], equal[UBI__HUMAN_TEXT], texts[120] = "";
    const ubi_class_change *total = ubi_class_diff_total(t->diff);
    uint64_t n_common = ubi_class_diff_common_count(t->diff), n_equal;
    uint64_t n_texts = ubi_class_diff_text_count(&n_equal, t->diff);
    if (n_texts)
        snprintf(texts, sizeof texts, ", and of %s %s have the same text",
                 ubi__human_things(strings, n_texts, "string"), ubi__human_count(equal, n_equal));
    if (t->is_net && n_common) {
        ubi__human_count(same, total->end.count - total->created.count);
        snprintf(line, sizeof line,
                 "Of %s node ids that both files have, %s belong to objects of the same class%s: these are hardly "
                 "snapshots of one process. New and Deleted say nothing then.",
                 common, same, texts);
    } else {
        snprintf(
            line, sizeof line,
            "%s%s of %s old node ids %s in NEW: these are hardly snapshots of one run. New and Deleted say nothing, "
            "Size and Count do.",
            n_common ? "Only " : "", n_common ? common : "None", nodes, n_common == 1 ? "is" : "are");
    }
    ubi__write_words(t->cli, UBI__INK_YELLOW, line);
}

/* New and Deleted mean something only if ids do. */
static void id_note_write(const class_table *t) {
    char common[UBI__HUMAN_TEXT], nodes[UBI__HUMAN_TEXT], line[240];
    ubi__human_count(common, ubi_class_diff_common_count(t->diff));
    ubi__human_count(nodes, ubi_class_diff_total(t->diff)->start.count);
    if (!ubi_class_diff_is_same_process(t->diff, !t->is_net)) {
        warning_write(t, common, nodes);
        return;
    }
    snprintf(line, sizeof line, "New and Deleted go by node id: %s of %s old ids are still there.", common, nodes);
    ubi__write_words(t->cli, UBI__INK_DIM, line);
}

/* What stayed but changed its size is in no row, as in DevTools. */
static void stayed_note_write(const class_table *t) {
    char size[UBI__HUMAN_TEXT + 1], line[160];
    const ubi_class_change *total = ubi_class_diff_total(t->diff);
    ubi__change stayed = { total->start.bytes - total->deleted.bytes, total->end.bytes - total->created.bytes };
    if (!t->is_net || ubi__change_size(stayed) == 0)
        return;
    snprintf(line, sizeof line, "Not in the list: nodes that are in both changed by %s.",
             ubi__change_text(size, ubi__human_size, stayed));
    ubi__write_words(t->cli, UBI__INK_DIM, line);
}

static ubi_status changed_find(class_table *t) {
    uint32_t n = ubi_class_diff_count(t->diff);
    t->rows = ubi__alloc_array(ubi_allocator_default(), n, sizeof *t->rows);
    if (n && !t->rows)
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < n; i++)
        if (has_changed(t, ubi_class_diff_row(t->diff, i)))
            t->rows[t->n_changed++] = i;
    return UBI_OK;
}

static void table_write(class_table *t) {
    ubi__write_title(t->cli, "What changed");
    if (t->n_changed == 0) {
        ubi__out_string(&t->cli->output->out,
                        t->is_net ? "  Nothing came or went: the same nodes of the same classes.\n"
                                  : "  Nothing: the same nodes of the same classes, with the same sizes.\n");
        return;
    }
    table_init(t);
    ubi__text_table_head(&t->table);
    for (uint32_t i = 0; i < t->n_shown && !t->cli->output->out.failed; i++)
        class_write(t, row_at(t, i));
    if (t->n_shown < t->n_changed)
        others_write(t);
    id_note_write(t);
}

ubi_status ubi__diff_write_classes(bool *changed, ubi__cli *cli, const ubi_class_diff *diff, bool net, uint64_t limit) {
    class_table t = { .cli = cli, .diff = diff, .is_net = net };
    UBI_TRY(changed_find(&t));
    t.n_shown = limit && t.n_changed > limit + 1 ? (uint32_t)limit : t.n_changed;
    table_write(&t);
    stayed_note_write(&t);
    *changed = t.n_changed > 0;
    ubi__free_array(ubi_allocator_default(), t.rows, ubi_class_diff_count(diff), sizeof *t.rows);
    return UBI_OK;
}
