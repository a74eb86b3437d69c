/* SPDX-License-Identifier: MIT
 *
 * attach_answers.c: what the other side answers, as tables and documents: list, census. Sizes are attach_sizes.c's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/json_reader.h"
#include "base/status.h"
#include "base/text.h"
#include "cli/commands/attach/attach.h"
#include "render/page.h"

/* ---- list ----------------------------------------------------------------------------------------------------------- */

typedef struct listing {
    const ubi__attach *attach;
    bool has_begun;
    bool has_chosen;   /* what the address chooses is there */
    uint64_t n_chosen; /* of what it chooses among */
    ubi__json json;    /* or else: */
    ubi__text_table table;
} listing;

enum { WHICH, SELECTED, N_LIST_COLUMNS };

static const ubi__text_column list_columns[N_LIST_COLUMNS] = {
    [WHICH] = { "Which", .width = 13, .is_left = true },
    [SELECTED] = { "", .width = 8, .is_left = true },
};

static const char *const kinds[] = {
    [UBI__REMOTE_TAB] = "tab", [UBI__REMOTE_PROCESS] = "process", [UBI__REMOTE_WORKER] = "worker"
};

static void row_print(const listing *l, const ubi__remote_row *row) {
    char which[40];
    bool is_process = row->choice == UBI__REMOTE_PROCESS;
    ubi_text words = ubi__text(row->number == 0 ? "parent process" : "child process");
    if (row->is_program)
        snprintf(which, sizeof which, "program");
    else
        snprintf(which, sizeof which, "%s %llu", kinds[row->choice], (unsigned long long)row->number);
    const ubi__cell cells[N_LIST_COLUMNS] = {
        [WHICH] = ubi__cell_words(which), [SELECTED] = ubi__cell_words(row->is_selected ? "selected" : "")
    };
    size_t room = ubi__text_table_row(&l->table, cells);
    ubi__out *out = l->table.out;
    size_t used = ubi__display_text(out, l->table.style, is_process ? words : row->title, room);
    if (row->url.len && room > used + 2) {
        ubi__out_string(out, row->title.len ? "  " : "");
        ubi__display_text(out, l->table.style, row->url, room - used - 2);
    }
    ubi__out_char(out, '\n');
}

/* When all is known, so that an error comes alone. */
static void listing_begin(listing *l) {
    if (l->has_begun)
        return;
    l->has_begun = true;
    if (l->attach->cli->common.wants_json) {
        ubi__attach_document_begin(&l->json, l->attach);
        ubi__json_member_array(&l->json, "heaps");
    } else {
        ubi__page_table(&l->table, &l->attach->cli->page, "Title", list_columns, N_LIST_COLUMNS);
        ubi__text_table_head(&l->table);
    }
}

static void row_document_write(ubi__json *json, const ubi__remote_row *row) {
    ubi__json_object_begin(json);
    ubi__json_member_string(json, "kind", kinds[row->choice]);
    ubi__json_member_u64(json, "number", row->number);
    ubi__json_member_bool(json, "selected", row->is_selected);
    ubi__json_member_text(json, "title", row->title);
    ubi__json_member_text(json, "url", row->url);
    ubi__json_object_end(json);
}

static bool row_is_chosen(const listing *l, const ubi__remote_row *row) {
    const ubi__remote_address *address = l->attach->address;
    if (address->choice == UBI__REMOTE_ANY)
        return true;
    if (address->choice == UBI__REMOTE_NAMED)
        return !l->has_chosen && ubi__remote_name_fits(address, row->title, row->url);
    if (address->choice == UBI__REMOTE_WORKER && address->number == 0) /* the main thread */
        return row->choice == UBI__REMOTE_TAB;
    return row->choice == address->choice && row->number == address->number;
}

static ubi_status row_take(void *payload, const ubi__remote_row *row) {
    listing *l = payload;
    l->n_chosen += row->choice == l->attach->address->choice;
    if (!row_is_chosen(l, row))
        return UBI_OK;
    l->has_chosen = true;
    listing_begin(l);
    if (l->attach->cli->common.wants_json)
        row_document_write(&l->json, row);
    else
        row_print(l, row);
    return UBI_OK;
}

ubi_status ubi__attach_list(const ubi__attach *a) {
    listing l = { .attach = a };
    UBI_TRY(a->ops->list(a->remote, row_take, &l));
    if (a->address->choice != UBI__REMOTE_ANY && !l.has_chosen)
        return ubi__remote_fail_missing(a->address, l.n_chosen);
    listing_begin(&l);
    if (!a->cli->common.wants_json) {
        ubi__attach_missing_report(a);
        return UBI_OK;
    }
    ubi__json_array_end(&l.json);
    ubi__attach_document_end(&l.json, a);
    return UBI_OK;
}

/* What belongs to the answer and not to a table of it. */
void ubi__attach_pause_print(const ubi__attach *a, ubi_text answer) {
    char text[UBI__HUMAN_TEXT];
    ubi__json_value value;
    double pause_ms;
    if (ubi__json_object_find(&value, answer, "pauseMilliseconds") && ubi__json_value_number(&pause_ms, &value) &&
        pause_ms >= 0 && pause_ms < 1e9)
        ubi__out_printf(a->cli->page.out, "\nThe program paused for %s.\n",
                        ubi__human_duration(text, (uint64_t)(pause_ms * 1e3)));
}

/* ---- census --------------------------------------------------------------------------------------------------------- */

#define CENSUS_NAME_BYTES 200

/* A leaf of the answer: things of one name. */
typedef struct census_row {
    uint64_t count, size_bytes;
    char name[CENSUS_NAME_BYTES];
} census_row;

UBI_VEC_DECLARE(census_rows, census_row);

bool ubi__attach_number(uint64_t *out, ubi_text object, const char *name) {
    ubi__json_value value;
    return ubi__json_object_find(&value, object, name) && ubi__json_value_u64(out, &value);
}

/* "group / name", both cut where they are long. */
static ubi_status census_name_write(char out[CENSUS_NAME_BYTES], ubi_text group, const ubi__json_value *name) {
    const int most = CENSUS_NAME_BYTES / 2 - 4;
    ubi__vec_u8 scratch = { NULL, 0, 0 };
    ubi_text text = { "", 0 };
    ubi_status status = name ? ubi__json_value_text(&text, name, &scratch, ubi_allocator_default()) : UBI_OK;
    snprintf(out, CENSUS_NAME_BYTES, "%.*s%s%.*s", group.len < (size_t)most ? (int)group.len : most, group.ptr,
             name ? " / " : "", text.len < (size_t)most ? (int)text.len : most, text.ptr);
    ubi__vec_u8_fini(&scratch, ubi_allocator_default());
    return status;
}

static ubi_status census_row_add(census_rows *rows, ubi_text group, const ubi__json_value *name, ubi_text leaf,
                                 bool *is_leaf) {
    census_row row;
    *is_leaf = ubi__attach_number(&row.count, leaf, "count") && ubi__attach_number(&row.size_bytes, leaf, "bytes");
    if (!*is_leaf || row.count == 0)
        return UBI_OK;
    UBI_TRY(census_name_write(row.name, group, name));
    return census_rows_push(rows, ubi_allocator_default(), row);
}

/* Two levels, as both Firefox and we answer: a group such as objects, and in it classes. What is deeper is passed over. */
static ubi_status census_group_read(census_rows *rows, ubi_text group, ubi_text object) {
    ubi__json_cursor c;
    ubi__json_value key, value;
    bool is_leaf;
    UBI_TRY(census_row_add(rows, group, NULL, object, &is_leaf));
    if (is_leaf)
        return UBI_OK;
    ubi__json_cursor_open(&c, object, UBI__JSON_OBJECT);
    while (ubi__json_cursor_next_member(&c, &key, &value))
        if (value.type == UBI__JSON_OBJECT)
            UBI_TRY(census_row_add(rows, group, &key, value.raw, &is_leaf));
    return UBI_OK;
}

static ubi_status census_read(census_rows *rows, ubi_text json) {
    ubi__json_cursor c;
    ubi__json_value key, value;
    ubi__json_cursor_open(&c, json, UBI__JSON_OBJECT);
    while (ubi__json_cursor_next_member(&c, &key, &value))
        if (value.type == UBI__JSON_OBJECT)
            UBI_TRY(census_group_read(rows, key.raw, value.raw));
    return UBI_OK;
}

static int rows_compare(const void *left, const void *right) {
    const census_row *a = left, *b = right;
    if (a->size_bytes != b->size_bytes)
        return a->size_bytes > b->size_bytes ? -1 : 1;
    return strcmp(a->name, b->name);
}

static const ubi__text_column census_columns[] = {
    { "Size", .width = 10 },
    { "%", .width = 6, .gap = 1, .from_columns = 60 },
    { "Count", .width = 10 },
};

static void census_print(const ubi__attach *a, const census_rows *rows) {
    ubi__text_table table;
    uint64_t sum_bytes = 0;
    for (size_t i = 0; i < rows->n; i++)
        sum_bytes += rows->at[i].size_bytes;
    ubi__page_table(&table, &a->cli->page, "What", census_columns, sizeof census_columns / sizeof *census_columns);
    ubi__text_table_head(&table);
    for (size_t i = 0; i < rows->n; i++) {
        const census_row *row = &rows->at[i];
        const ubi__cell cells[] = { ubi__cell_size(row->size_bytes), ubi__cell_share(row->size_bytes, sum_bytes),
                                    ubi__cell_count(row->count) };
        ubi__text_table_line(&table, cells, ubi__text(row->name));
    }
}

static ubi_status census_take(void *payload, ubi_text json) {
    const ubi__attach *a = payload;
    census_rows rows = { NULL, 0, 0 };
    if (a->cli->common.wants_json) {
        ubi__attach_answer_write(a, "report", json, true);
        return UBI_OK;
    }
    ubi_status status = census_read(&rows, json);
    if (status == UBI_OK && rows.n)
        qsort(rows.at, rows.n, sizeof *rows.at, rows_compare);
    if (status == UBI_OK)
        census_print(a, &rows);
    if (status == UBI_OK)
        ubi__attach_pause_print(a, json);
    census_rows_fini(&rows, ubi_allocator_default());
    return status;
}

ubi_status ubi__attach_census(const ubi__attach *a) {
    UBI_TRY(a->ops->census(a->remote, census_take, (void *)(uintptr_t)a));
    ubi__attach_missing_report(a);
    return UBI_OK;
}
