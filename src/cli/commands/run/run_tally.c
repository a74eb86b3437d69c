/* SPDX-License-Identifier: MIT
 *
 * run_tally.c: see run_tally.h.
 */
#include "cli/commands/run/run_tally.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/hash.h"
#include "base/human.h"
#include "base/text.h"
#include "render/text_table.h"

void ubi__run_tally_check(const ubi__run_tally *t) {
    uint64_t count = t->rest_count, bytes = t->rest_bytes;
    if (!UBI_CHECKS)
        return;
    UBI_ASSERT(t->n <= UBI__RUN_TALLY_ROWS && (t->rest_count == 0 || t->n == UBI__RUN_TALLY_ROWS));
    for (uint32_t i = 0; i < t->n; i++) {
        count += t->rows[i].count;
        bytes += t->rows[i].bytes;
        UBI_ASSERT(t->rows[i].count > 0);
    }
    UBI_ASSERT(count == t->count && bytes == t->bytes);
}

/* ---- adding ---------------------------------------------------------------------------------------------------------- */

static ubi_text allocation_class(const ubi_logged_allocation *a) {
    return a->constructor_name.ptr ? a->constructor_name : a->class_name;
}

static void text_copy(char *out, size_t size, ubi_text text) {
    snprintf(out, size, "%.*s", text.len < size ? (int)text.len : (int)size - 1, text.ptr ? text.ptr : "");
}

/* "f (app.js:3:24)" */
static void place_write(char *out, size_t size, const ubi_frame *f) {
    char function[64], source[96], column[16] = "";
    text_copy(function, sizeof function, f->function_name);
    text_copy(source, sizeof source, f->source);
    if (f->column)
        snprintf(column, sizeof column, ":%" PRIu32, f->column);
    snprintf(out, size, function[0] ? "%s (%s:%" PRIu32 "%s)" : "%s%s:%" PRIu32 "%s", function, source, f->line,
             column);
}

/* Who called the function is not looked at. */
static uint64_t kind_key(ubi_text name, const ubi_frame *f) {
    uint64_t key =
        ubi__hash_combine(ubi__hash_bytes(name.ptr, name.len), ubi__hash_bytes(f->source.ptr, f->source.len));
    key = ubi__hash_combine(key, ubi__hash_bytes(f->function_name.ptr, f->function_name.len));
    return ubi__hash_combine(key, (uint64_t)f->line << 32 | f->column);
}

/* Its row, or a new one; NULL: there is no room. */
static ubi__run_tally_row *tally_row(ubi__run_tally *t, const ubi_logged_allocation *a) {
    ubi_text name = allocation_class(a);
    ubi_frame frame;
    ubi_stack_frame(a->frame, &frame);
    uint64_t key = kind_key(name, &frame);
    size_t slot = key % UBI__RUN_TALLY_SLOTS;
    for (; t->slots[slot]; slot = (slot + 1) % UBI__RUN_TALLY_SLOTS)
        if (t->rows[t->slots[slot] - 1].key == key)
            return &t->rows[t->slots[slot] - 1];
    if (t->n == UBI__RUN_TALLY_ROWS)
        return NULL;
    ubi__run_tally_row *row = &t->rows[t->n++];
    t->slots[slot] = (uint16_t)t->n;
    row->key = key;
    text_copy(row->class_name, sizeof row->class_name, name);
    place_write(row->place, sizeof row->place, &frame);
    return row;
}

void ubi__run_tally_add(ubi__run_tally *t, const ubi_logged_allocation *a) {
    if (!a->has_frame)
        return;
    ubi__run_tally_row *row = tally_row(t, a);
    t->count++;
    t->bytes += a->size_bytes;
    *(row ? &row->count : &t->rest_count) += 1;
    *(row ? &row->bytes : &t->rest_bytes) += a->size_bytes;
}

static bool take_allocation(void *payload, const ubi_logged_allocation *a) {
    ubi__run_tally_add(payload, a);
    return true;
}

void ubi__run_tally_drain(ubi__run_tally *t, ubi__observer *observer) {
    t->has_lost_some |= observer->log.has_overflowed;
    (void)ubi__observer_drain(observer, take_allocation, t);
    ubi__run_tally_check(t);
}

/* ---- writing --------------------------------------------------------------------------------------------------------- */

static int by_bytes(const void *a, const void *b) {
    const ubi__run_tally_row *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return x->count != y->count ? (x->count < y->count ? 1 : -1) : strcmp(x->place, y->place);
}

enum { BYTES, COUNT, CLASS, COLUMNS };

static const ubi__text_column tally_columns[COLUMNS] = {
    [BYTES] = { "Bytes", .width = 10 },
    [COUNT] = { "Count", .width = 10, .gap = 2 },
    [CLASS] = { "Class", .width = 20, .gap = 2, .is_left = true },
};

static void row_write(const ubi__text_table *table, uint64_t count, uint64_t bytes, const char *name,
                      const char *place) {
    const ubi__cell cells[COLUMNS] = {
        [BYTES] = ubi__cell_size(bytes), [COUNT] = ubi__cell_count(count), [CLASS] = ubi__cell_words(name)
    };
    ubi__text_table_line(table, cells, ubi__text(place));
}

void ubi__run_tally_write(ubi__out *out, const ubi__style *style, ubi__run_tally *t, size_t most) {
    size_t shown = t->n < most ? t->n : most;
    uint64_t count = t->count, bytes = t->bytes;
    ubi__text_table table, sums; /* sums have no place */
    ubi__text_table_init(&table, out, style, "Where", tally_columns, COLUMNS);
    ubi__text_table_init(&sums, out, style, NULL, tally_columns, COLUMNS);
    ubi__run_tally_check(t);
    memset(t->slots, 0, sizeof t->slots); /* the order of rows is another one from here on: nothing is added any more */
    qsort(t->rows, t->n, sizeof *t->rows, by_bytes);
    if (t->n)
        ubi__text_table_head(&table);
    for (size_t i = 0; i < shown; i++) {
        const ubi__run_tally_row *row = &t->rows[i];
        row_write(&table, row->count, row->bytes, row->class_name, row->place);
        count -= row->count;
        bytes -= row->bytes;
    }
    if (count)
        row_write(&sums, count, bytes, "(others)", "");
    if (t->count)
        row_write(&sums, t->count, t->bytes, "(all)", "");
    else
        ubi__out_string(out, "Nothing was allocated.\n");
    if (t->has_lost_some)
        ubi__out_string(out, "Older ones were not counted: too many at a time.\n");
}
