/* SPDX-License-Identifier: MIT
 *
 * recording_sites_pass.c: places to an index and back (recording_sites.h). Each number is of a row, a frame or a trace of the summary.
 */
#include "base/column_file.h"
#include "base/status.h"
#include "recording/recording_sites.h"

static bool rows_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const ubi__ubirec_tables *t = rule->payload;
    const ubi__site *at = items;
    bool are_right = true;
    (void)first;
    for (size_t i = 0; i < n && are_right; i++) {
        are_right = (at[i].frame < t->frames.n || at[i].frame == UBI_NONE) && at[i].heavy < t->traces.n &&
                    at[i].inner < t->traces.n && at[i].n_stacks <= at[i].n_all_stacks &&
                    (uint32_t)at[i].pool < UBI__LIBC_POOL_COUNT && (uint32_t)at[i].of_class < UBI__UBIREC_CLASS_COUNT;
        for (int m = 0; m < UBI__MEASURE_COUNT; m++)
            are_right &= ubi__estimate_is_sound(&at[i].by[m]);
    }
    return are_right;
}

/* Only when all rows are passed it is clear how many there are. */
static ubi_status numbers_check(const ubi__columns *c, const ubi__sites *sites) {
    bool are_right = true;
    for (size_t i = 0; i < sites->rows.n; i++)
        are_right &= sites->rows.at[i].number < sites->rows.n;
    return ubi__columns_expect(c, are_right, "rows");
}

/* A trace begins at itself or before. */
static bool tops_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const uint32_t *at = items;
    bool are_right = true;
    (void)rule;
    for (size_t i = 0; i < n; i++)
        are_right &= at[i] <= first + i;
    return are_right;
}

/* Of an array with an item for each of n. */
static ubi_status each_pass(ubi__columns *c, const char *name, void *at, size_t n, size_t item_bytes,
                            const ubi__column_rule *rule) {
    size_t n_there = n;
    UBI_TRY(ubi__columns_array(c, name, at, &n_there, item_bytes, rule));
    return ubi__columns_expect(c, n_there == n, name);
}

ubi_status ubi__sites_pass(ubi__columns *c, ubi__sites *sites, const ubi__recording_summary *summary) {
    const ubi__ubirec_tables *t = &summary->tables;
    const ubi__column_rule rows = { rows_hold, 0, t }, tops = { tops_hold, 0, NULL },
                           pools = ubi__column_bytes_below(UBI__LIBC_POOL_COUNT),
                           roles = ubi__column_bytes_below(UBI__FRAME_WRAPPER + 1);
    if (!c->writer)
        *sites = (ubi__sites){ .summary = summary, .allocator = c->allocator };
    UBI_TRY(UBI__COLUMN(c, "rows", &sites->rows, &rows));
    UBI_TRY(numbers_check(c, sites));
    const ubi__column_rule numbers = ubi__column_below(sites->rows.n + 1);
    UBI_TRY(each_pass(c, "tops", &sites->top, t->traces.n, sizeof *sites->top, &tops));
    UBI_TRY(each_pass(c, "pools", &sites->pools, t->traces.n, sizeof *sites->pools, &pools));
    UBI_TRY(each_pass(c, "roles", &sites->roles, t->frames.n + 1, sizeof *sites->roles, &roles));
    return each_pass(c, "numbers", &sites->number_of, ubi__sites_cell_count(t->frames.n), sizeof *sites->number_of,
                     &numbers);
}
