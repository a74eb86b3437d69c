/* SPDX-License-Identifier: MIT
 *
 * diff_classes.c: the table of what changed, class by class.
 *
 *          Size              Count  New  Deleted  Name
 *     -1.48 KiB  ▎             -30  150      180  Object (object)
 *
 * In wide tables the sizes of what is new and deleted stand beside their numbers.
 */
#include <stdio.h>

#include "base/text.h"
#include "cli/commands/diff/diff_numbers.h"
#include "cli/commands/diff/diff_page.h"

#define NAME_COLUMNS_BESIDE_FLOWS 44

typedef struct class_table {
    ubi__cli *cli;
    const ubi_class_diff *diff;
    uint32_t n_changed, n_shown;
    uint64_t largest;                                /* change of a row in bytes, a full bar */
    size_t count_columns, new_columns, gone_columns; /* of "Count", "New" and "Deleted" */
    unsigned bar_columns;                            /* 0: no bars */
    bool flows;                                      /* bytes of what is new and deleted */
    size_t name_column;
} class_table;

static ubi__change bytes_of(const ubi_class_change *row) {
    return (ubi__change){ row->start.bytes, row->end.bytes };
}

static ubi__change count_of(const ubi_class_change *row) {
    return (ubi__change){ row->start.count, row->end.count };
}

static bool has_changed(const ubi_class_change *row) {
    return ubi__change_size(bytes_of(row)) || ubi__change_size(count_of(row)) || row->created.count ||
           row->deleted.count;
}

static size_t widest_count(const class_table *t, const ubi_class_change *row) {
    char text[UBI__HUMAN_TEXT + 1];
    return ubi__larger(t->count_columns, strlen(ubi__change_text(text, ubi__human_count, count_of(row))));
}

static void measure(class_table *t) {
    char text[UBI__HUMAN_TEXT];
    for (uint32_t i = 0; i < t->n_changed; i++) {
        const ubi_class_change *row = ubi_class_diff_row(t->diff, i);
        t->count_columns = widest_count(t, row);
        t->largest = ubi__change_size(bytes_of(row)) > t->largest ? ubi__change_size(bytes_of(row)) : t->largest;
    }
    const ubi_class_change *total = ubi_class_diff_total(t->diff);
    t->new_columns = ubi__larger(t->new_columns, strlen(ubi__human_count(text, total->created.count)));
    t->gone_columns = ubi__larger(t->gone_columns, strlen(ubi__human_count(text, total->deleted.count)));
}

static void lay_out(class_table *t) {
    t->count_columns = strlen("Count");
    t->new_columns = strlen("New");
    t->gone_columns = strlen("Deleted");
    measure(t);
    t->name_column = UBI__DIFF_SIZE_COLUMNS + 2 + t->count_columns + 2 + t->new_columns + 2 + t->gone_columns + 2;
    if (t->name_column + 2 + UBI__DIFF_BAR_COLUMNS + UBI__DIFF_NAME_COLUMNS_BESIDE_BARS <= t->cli->style.columns) {
        t->bar_columns = UBI__DIFF_BAR_COLUMNS;
        t->name_column += 2 + UBI__DIFF_BAR_COLUMNS;
    }
    t->flows = t->name_column + 2 * (UBI__DIFF_SIZE_COLUMNS + 2) + NAME_COLUMNS_BESIDE_FLOWS <= t->cli->style.columns;
    if (t->flows)
        t->name_column += 2 * (UBI__DIFF_SIZE_COLUMNS + 2);
}

static void write_class_header(const class_table *t) {
    ubi__out *out = &t->cli->output->out;
    ubi__display_ink(out, &t->cli->style, UBI__INK_BOLD);
    ubi__display_right(out, "Size", UBI__DIFF_SIZE_COLUMNS);
    if (t->bar_columns)
        ubi__display_pad(out, 0, 2 + t->bar_columns);
    ubi__display_right(out, "Count", 2 + t->count_columns);
    ubi__display_right(out, "New", 2 + t->new_columns);
    if (t->flows)
        ubi__display_right(out, "of size", 2 + UBI__DIFF_SIZE_COLUMNS);
    ubi__display_right(out, "Deleted", 2 + t->gone_columns);
    if (t->flows)
        ubi__display_right(out, "of size", 2 + UBI__DIFF_SIZE_COLUMNS);
    ubi__out_string(out, "  Name");
    ubi__display_ink(out, &t->cli->style, UBI__INK_PLAIN);
    ubi__out_char(out, '\n');
}

/* How many came or went, and in wide tables how much that was; nothing for none. */
static void write_flow(const class_table *t, const ubi_tally *flow, size_t columns) {
    char text[UBI__HUMAN_TEXT];
    ubi__out *out = &t->cli->output->out;
    if (flow->count == 0) {
        ubi__display_pad(out, 0, 2 + columns + (t->flows ? 2 + UBI__DIFF_SIZE_COLUMNS : 0));
        return;
    }
    ubi__display_right(out, ubi__human_count(text, flow->count), 2 + columns);
    if (t->flows)
        ubi__display_right(out, ubi__human_size(text, flow->bytes), 2 + UBI__DIFF_SIZE_COLUMNS);
}

/* Everything of a row but its name. */
static void write_class_numbers(const class_table *t, const ubi_class_change *row) {
    ubi__write_change(t->cli, ubi__human_size, bytes_of(row), UBI__DIFF_SIZE_COLUMNS);
    if (t->bar_columns)
        ubi__write_change_bar(t->cli, bytes_of(row), t->largest, t->bar_columns);
    ubi__write_change(t->cli, ubi__human_count, count_of(row), 2 + t->count_columns);
    write_flow(t, &row->created, t->new_columns);
    write_flow(t, &row->deleted, t->gone_columns);
    ubi__out_string(&t->cli->output->out, "  ");
}

static void write_class(const class_table *t, const ubi_class_change *row) {
    static const char *const notes[] = { "", " (object)", " (script)", " (string)", " (DOM)" };
    const char *note = notes[row->name.coarse_type];
    size_t used = t->name_column + strlen(note);
    ubi_text name = row->name.name.len ? row->name.name : ubi__text("(empty name)");
    write_class_numbers(t, row);
    ubi__display_text(&t->cli->output->out, &t->cli->style, name, ubi__name_room(t->cli, used));
    ubi__write_inked(t->cli, UBI__INK_DIM, note);
    ubi__out_char(&t->cli->output->out, '\n');
}

static void add(ubi_tally *to, const ubi_tally *tally) {
    to->count += tally->count;
    to->bytes += tally->bytes;
}

/* One row for all that do not fit. */
static void write_other_classes(const class_table *t) {
    ubi_class_change sum = { 0 };
    for (uint32_t i = t->n_shown; i < t->n_changed; i++) {
        const ubi_class_change *row = ubi_class_diff_row(t->diff, i);
        add(&sum.start, &row->start);
        add(&sum.end, &row->end);
        add(&sum.created, &row->created);
        add(&sum.deleted, &row->deleted);
    }
    write_class_numbers(t, &sum);
    ubi__write_rest_name(t->cli, t->n_changed - t->n_shown);
}

/* New and Deleted mean something only if ids do. */
static void write_id_note(const class_table *t) {
    char common[UBI__HUMAN_TEXT], nodes[UBI__HUMAN_TEXT], line[240];
    uint64_t n_common = ubi_class_diff_common_count(t->diff);
    const ubi_class_change *total = ubi_class_diff_total(t->diff);
    uint64_t n = total->start.count < total->end.count ? total->start.count : total->end.count;
    ubi__human_count(common, n_common);
    ubi__human_count(nodes, total->start.count);
    if (n_common * 10 < n) {
        snprintf(
            line, sizeof line,
            "%s%s of %s old node ids %s in NEW: these are hardly snapshots of one run. New and Deleted say nothing, "
            "Size and Count do.",
            n_common ? "Only " : "", n_common ? common : "None", nodes, n_common == 1 ? "is" : "are");
        ubi__write_words(t->cli, UBI__INK_YELLOW, line);
    } else {
        snprintf(line, sizeof line, "New and Deleted go by node id: %s of %s old ids are still there.", common, nodes);
        ubi__write_words(t->cli, UBI__INK_DIM, line);
    }
}

static uint32_t count_changed(const ubi_class_diff *diff) {
    uint32_t n = ubi_class_diff_count(diff);
    while (n && !has_changed(ubi_class_diff_row(diff, n - 1))) /* those stand last */
        n--;
    return n;
}

bool ubi__diff_write_classes(ubi__cli *cli, const ubi_class_diff *diff, uint64_t limit) {
    class_table t = { .cli = cli, .diff = diff, .n_changed = count_changed(diff) };
    t.n_shown = limit && t.n_changed > limit + 1 ? (uint32_t)limit : t.n_changed;
    ubi__write_title(cli, "What changed");
    if (t.n_changed == 0) {
        ubi__out_string(&cli->output->out, "  Nothing: the same nodes of the same classes, with the same sizes.\n");
        return false;
    }
    lay_out(&t);
    write_class_header(&t);
    for (uint32_t i = 0; i < t.n_shown && !cli->output->out.failed; i++)
        write_class(&t, ubi_class_diff_row(diff, i));
    if (t.n_shown < t.n_changed)
        write_other_classes(&t);
    write_id_note(&t);
    return true;
}
