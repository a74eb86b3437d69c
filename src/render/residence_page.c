/* SPDX-License-Identifier: MIT
 *
 * residence_page.c: see residence_page.h.
 */
#include "render/residence_page.h"

#include <stdio.h>

#include "base/text.h"

/* ---- text --------------------------------------------------------------------------------------------------------- */

enum { RESIDENT, PERCENT, SHARE, SWAPPED, N_COLUMNS };

static const ubi__text_column columns[N_COLUMNS] = {
    [RESIDENT] = { .title = "Resident", .width = 9, .gap = 1 },
    [PERCENT] = { .title = "%", .width = 6, .gap = 2 },
    [SHARE] = { .title = "Share", .width = 9, .gap = 2, .from_columns = 60 },
    [SWAPPED] = { .title = "Swapped", .width = 9, .gap = 2, .from_columns = 60 },
};

static size_t row_begin(const ubi__text_table *table, const ubi__residence *r, const ubi__residence_amount *amount) {
    const ubi__cell cells[N_COLUMNS] = {
        [RESIDENT] = ubi__cell_size(amount->resident_bytes),
        [PERCENT] = ubi__cell_share(amount->resident_bytes, r->total.resident_bytes),
        [SHARE] = ubi__cell_size(amount->share_bytes),
        [SWAPPED] = ubi__cell_size(amount->swapped_bytes),
    };
    return ubi__text_table_row(table, cells);
}

static void group_head(const ubi__page *page, const ubi__text_table *table, const ubi__residence *r,
                       ubi__residence_group group) {
    row_begin(table, r, &r->groups[group]);
    ubi__write_inked(page, UBI__INK_BOLD, ubi__residence_group_words(group));
    ubi__out_char(page->out, '\n');
}

/* The end of a path says more than its beginning. */
static void row_write(const ubi__page *page, const ubi__text_table *table, const ubi__residence *r,
                      const ubi__residence_row *row) {
    size_t room = row_begin(table, r, &row->amount);
    ubi__out_string(page->out, "  ");
    ubi__display_text_end(page->out, &page->style, ubi__residence_row_name(r, row), room > 2 ? room - 2 : 1);
    ubi__out_char(page->out, '\n');
}

static void rest_write(const ubi__page *page, const ubi__text_table *table, const ubi__residence *r,
                       const ubi__residence_amount *rest, uint64_t n) {
    char count[UBI__HUMAN_TEXT];
    row_begin(table, r, rest);
    ubi__out_printf(page->out, "  %s more\n", ubi__human_count(count, n));
}

static void notes_write(const ubi__page *page, const ubi__text_table *table, const ubi__residence_note *notes,
                        size_t n) {
    char size[UBI__HUMAN_TEXT], line[sizeof notes->words + 64];
    for (size_t i = 0; i < n; i++) {
        size_t room = ubi__text_table_row(table, NULL);
        snprintf(line, sizeof line, "    %s %s", ubi__human_size(size, notes[i].bytes), notes[i].words);
        ubi__write_ink(page, UBI__INK_DIM);
        ubi__display_text(page->out, &page->style, ubi__text(line), room);
        ubi__write_ink(page, UBI__INK_PLAIN);
        ubi__out_char(page->out, '\n');
    }
}

static bool row_is_last_of_group(const ubi__residence *r, size_t i) {
    return i + 1 == r->rows.n ||
           ubi__residence_group_of(r->rows.at[i].kind) != ubi__residence_group_of(r->rows.at[i + 1].kind);
}

static void rows_write(const ubi__page *page, const ubi__text_table *table, const ubi__residence *r, uint64_t limit,
                       const ubi__residence_note *notes, size_t n_notes) {
    ubi__residence_amount rest = { 0 };
    uint64_t n = 0;
    for (size_t i = 0; i < r->rows.n; i++) {
        const ubi__residence_row *row = &r->rows.at[i];
        if (n++ == 0)
            group_head(page, table, r, ubi__residence_group_of(row->kind));
        if (!limit || n <= limit)
            row_write(page, table, r, row);
        else
            ubi__residence_amount_add(&rest, &row->amount);
        if (row->kind == UBI__RESIDENCE_BLOCKS || row->kind == UBI__RESIDENCE_ALLOCATOR) {
            notes_write(page, table, notes, n_notes);
            n_notes = 0;
        }
        if (!row_is_last_of_group(r, i))
            continue;
        if (limit && n > limit)
            rest_write(page, table, r, &rest, n - limit);
        rest = (ubi__residence_amount){ 0 };
        n = 0;
    }
}

void ubi__residence_table(const ubi__page *page, const ubi__residence *r, uint64_t limit,
                          const ubi__residence_note *notes, size_t n_notes) {
    ubi__text_table table;
    ubi__page_table(&table, page, "What", columns, N_COLUMNS);
    table.at[SWAPPED].is_hidden = r->total.swapped_bytes == 0;
    ubi__text_table_lay_out(&table);
    ubi__text_table_head(&table);
    rows_write(page, &table, r, limit, notes, n_notes);
}

/* ---- JSON --------------------------------------------------------------------------------------------------------- */

static void amount_json(ubi__json *json, const ubi__residence_amount *amount) {
    ubi__json_member_u64(json, "residentSize", amount->resident_bytes);
    ubi__json_member_u64(json, "proportionalSize", amount->share_bytes);
    ubi__json_member_u64(json, "swappedSize", amount->swapped_bytes);
}

static void row_json(ubi__json *json, const ubi__residence *r, const ubi__residence_row *row) {
    ubi__json_object_begin(json);
    ubi__json_member_string(json, "kind", ubi__residence_kind_key(row->kind));
    ubi__json_key(json, "name");
    if (row->name == UBI_NONE)
        ubi__json_null(json);
    else
        ubi__json_text(json, ubi__residence_row_name(r, row));
    amount_json(json, &row->amount);
    ubi__json_object_end(json);
}

void ubi__residence_json(ubi__json *json, const ubi__residence *r) {
    amount_json(json, &r->total);
    ubi__json_member_u64(json, "unknownSize", r->groups[UBI__RESIDENCE_OF_NONE].resident_bytes);
    ubi__json_member_u64(json, "mappings", r->n_mappings);
    ubi__json_member_bool(json, "isDivided", r->is_divided);
    ubi__json_member_array(json, "groups");
    for (size_t i = 0; i < r->rows.n; i++) {
        ubi__residence_group group = ubi__residence_group_of(r->rows.at[i].kind);
        if (i == 0 || row_is_last_of_group(r, i - 1)) {
            ubi__json_object_begin(json);
            ubi__json_member_string(json, "group", ubi__residence_group_key(group));
            amount_json(json, &r->groups[group]);
            ubi__json_member_array(json, "rows");
        }
        row_json(json, r, &r->rows.at[i]);
        if (row_is_last_of_group(r, i)) {
            ubi__json_array_end(json);
            ubi__json_object_end(json);
        }
    }
    ubi__json_array_end(json);
}
