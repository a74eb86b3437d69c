/* SPDX-License-Identifier: MIT
 *
 * leaks_classes.c: classes that grow from step to step of a series, on the page.
 */
#include <stdio.h>
#include <string.h>

#include "questions/leaks/leaks_answer.h"
#include "render/page.h"

#define MOST_CLASSES 8

static uint64_t count_at_heap(const ubi__leak_curve *curve, uint32_t i) {
    return ((const ubi_leak_tally *)curve->payload)[i].count;
}

enum { FROM, ARROW, TO, CURVE, RISES, COLUMNS };

static const ubi__text_column class_columns[COLUMNS] = {
    [FROM] = { NULL, .width = 10 },
    [ARROW] = { NULL, .width = 1, .gap = 1, .is_left = true },
    [TO] = { NULL, .width = 10, .gap = 1 },
    [CURVE] = { NULL, .width = UBI__LEAK_CURVE_COLUMNS, .gap = 2, .is_left = true },
    [RISES] = { NULL, .gap = 2, .is_left = true },
};

/* A ubi__cell_draw. */
static size_t curve_draw(ubi__out *out, const ubi__style *style, const void *payload, size_t columns) {
    ubi__leak_write_curve(out, style, payload);
    return columns;
}

static void class_write(const ubi__page *page, ubi__text_table *table, const ubi_leak_trend *trend, uint32_t n_heaps) {
    char rises[40];
    ubi__leak_curve curve = { .n = n_heaps, .value = count_at_heap, .payload = trend->at_heap };
    snprintf(rises, sizeof rises, "up with %u of %u", trend->n_rises, n_heaps - 1);
    const ubi__cell cells[COLUMNS] = {
        [FROM] = ubi__cell_count(trend->at_heap[0].count),
        [ARROW] = ubi__cell_words(page->style.has_unicode ? "→" : "->"),
        [TO] = ubi__cell_count(trend->at_heap[n_heaps - 1].count),
        [CURVE] = ubi__cell_drawn(curve_draw, &curve),
        [RISES] = ubi__cell_words(rises),
    };
    ubi__text_table_row(table, cells);
    ubi__display_text(page->out, &page->style, trend->class_name.name, ubi__leak_line_room(page) / 2);
    ubi__out_char(page->out, '\n');
}

static void class_table_init(ubi__text_table *table, const ubi__page *page, uint32_t n_heaps) {
    char rises[40];
    ubi__page_table(table, page, "", class_columns, COLUMNS);
    table->at[ARROW].width += !page->style.has_unicode;
    if (n_heaps < UBI__LEAK_CURVE_COLUMNS)
        table->at[CURVE].width = n_heaps;
    snprintf(rises, sizeof rises, "up with %u of %u", n_heaps - 1, n_heaps - 1);
    table->at[RISES].width = strlen(rises);
    ubi__text_table_lay_out(table);
}

/* Classes that grew in at least half of the steps: those that jitter say little. */
void ubi__leaks_write_classes(const ubi__page *page, const ubi__leaks_answer *answer) {
    uint32_t n_heaps = ubi_leaks_heap_count(answer->leaks), n = ubi_leaks_trend_count(answer->leaks), n_listed = 0;
    ubi__text_table table;
    class_table_init(&table, page, n_heaps);
    for (uint32_t i = 0; n_heaps > UBI__LEAK_MOST_SIZES && i < n && n_listed < MOST_CLASSES; i++) {
        ubi_leak_trend trend;
        ubi_leaks_trend(&trend, answer->leaks, i);
        if (trend.n_rises * 2 < n_heaps - 1)
            continue;
        if (n_listed++ == 0)
            ubi__write_title(page, "Classes that grow, from step to step");
        class_write(page, &table, &trend, n_heaps);
    }
}
