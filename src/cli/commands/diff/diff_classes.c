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

#include "base/alloc.h"
#include "base/text.h"
#include "cli/commands/diff/diff_numbers.h"
#include "cli/commands/diff/diff_page.h"

#define NAME_COLUMNS_BESIDE_FLOWS 44

typedef struct class_table {
    ubi__cli *cli;
    const ubi_class_diff *diff;
    bool net;       /* changes are what is new less what is deleted */
    uint32_t *rows; /* rows[n_changed]: those that changed */
    uint32_t n_changed, n_shown;
    uint64_t largest;                                /* change of a row in bytes, a full bar */
    size_t count_columns, new_columns, gone_columns; /* of "Count", "New" and "Deleted" */
    unsigned bar_columns;                            /* 0: no bars */
    bool flows;                                      /* bytes of what is new and deleted */
    size_t name_column;
} class_table;

static ubi__change bytes_of(const class_table *t, const ubi_class_change *row) {
    return t->net ? (ubi__change){ row->deleted.bytes, row->created.bytes }
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

static size_t widest_count(const class_table *t, const ubi_class_change *row) {
    char text[UBI__HUMAN_TEXT + 1];
    return ubi__larger(t->count_columns, strlen(ubi__change_text(text, ubi__human_count, count_of(row))));
}

static void measure(class_table *t) {
    char text[UBI__HUMAN_TEXT];
    for (uint32_t i = 0; i < t->n_changed; i++) {
        const ubi_class_change *row = row_at(t, i);
        uint64_t size = ubi__change_size(bytes_of(t, row));
        t->count_columns = widest_count(t, row);
        t->largest = size > t->largest ? size : t->largest;
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
    ubi__write_change(t->cli, ubi__human_size, bytes_of(t, row), UBI__DIFF_SIZE_COLUMNS);
    if (t->bar_columns)
        ubi__write_change_bar(t->cli, bytes_of(t, row), t->largest, t->bar_columns);
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
        const ubi_class_change *row = row_at(t, i);
        add(&sum.start, &row->start);
        add(&sum.end, &row->end);
        add(&sum.created, &row->created);
        add(&sum.deleted, &row->deleted);
    }
    write_class_numbers(t, &sum);
    ubi__write_rest_name(t->cli, t->n_changed - t->n_shown);
}

static void write_warning(const class_table *t, const char *common, const char *nodes) {
    char line[420], same[UBI__HUMAN_TEXT], strings[UBI__HUMAN_TEXT], equal[UBI__HUMAN_TEXT], texts[120] = "";
    const ubi_class_change *total = ubi_class_diff_total(t->diff);
    uint64_t n_common = ubi_class_diff_common_count(t->diff), n_equal;
    uint64_t n_texts = ubi_class_diff_text_count(&n_equal, t->diff);
    if (n_texts)
        snprintf(texts, sizeof texts, ", and of %s %s have the same text",
                 ubi__human_things(strings, n_texts, "string"), ubi__human_count(equal, n_equal));
    if (t->net && n_common) {
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
static void write_id_note(const class_table *t) {
    char common[UBI__HUMAN_TEXT], nodes[UBI__HUMAN_TEXT], line[240];
    ubi__human_count(common, ubi_class_diff_common_count(t->diff));
    ubi__human_count(nodes, ubi_class_diff_total(t->diff)->start.count);
    if (!ubi_class_diff_is_same_process(t->diff, !t->net)) {
        write_warning(t, common, nodes);
        return;
    }
    snprintf(line, sizeof line, "New and Deleted go by node id: %s of %s old ids are still there.", common, nodes);
    ubi__write_words(t->cli, UBI__INK_DIM, line);
}

/* In no row, as in DevTools: what stayed and has another size now. */
static void write_stayed_note(const class_table *t) {
    char size[UBI__HUMAN_TEXT + 1], line[160];
    const ubi_class_change *total = ubi_class_diff_total(t->diff);
    ubi__change stayed = { total->start.bytes - total->deleted.bytes, total->end.bytes - total->created.bytes };
    if (!t->net || ubi__change_size(stayed) == 0)
        return;
    snprintf(line, sizeof line, "Not in the list: nodes that are in both changed by %s.",
             ubi__change_text(size, ubi__human_size, stayed));
    ubi__write_words(t->cli, UBI__INK_DIM, line);
}

static ubi_status find_changed(class_table *t) {
    uint32_t n = ubi_class_diff_count(t->diff);
    t->rows = ubi__alloc_array(ubi_allocator_default(), n, sizeof *t->rows);
    if (n && !t->rows)
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < n; i++)
        if (has_changed(t, ubi_class_diff_row(t->diff, i)))
            t->rows[t->n_changed++] = i;
    return UBI_OK;
}

static void write_table(class_table *t) {
    ubi__write_title(t->cli, "What changed");
    if (t->n_changed == 0) {
        ubi__out_string(&t->cli->output->out,
                        t->net ? "  Nothing came or went: the same nodes of the same classes.\n"
                               : "  Nothing: the same nodes of the same classes, with the same sizes.\n");
        return;
    }
    lay_out(t);
    write_class_header(t);
    for (uint32_t i = 0; i < t->n_shown && !t->cli->output->out.failed; i++)
        write_class(t, row_at(t, i));
    if (t->n_shown < t->n_changed)
        write_other_classes(t);
    write_id_note(t);
}

ubi_status ubi__diff_write_classes(bool *changed, ubi__cli *cli, const ubi_class_diff *diff, bool net, uint64_t limit) {
    class_table t = { .cli = cli, .diff = diff, .net = net };
    UBI_TRY(find_changed(&t));
    t.n_shown = limit && t.n_changed > limit + 1 ? (uint32_t)limit : t.n_changed;
    write_table(&t);
    write_stayed_note(&t);
    *changed = t.n_changed > 0;
    ubi__free_array(ubi_allocator_default(), t.rows, ubi_class_diff_count(diff), sizeof *t.rows);
    return UBI_OK;
}
