/* SPDX-License-Identifier: MIT
 *
 * summary_pass.c: sums of classes to an index and back (summary_work.h). Rows are in their order.
 */
#include "base/column_file.h"
#include "base/status.h"
#include "graph/graph_columns.h"
#include "lenses/lens.h"
#include "lenses/summary_work.h"

static bool rows_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const ubi_look *look = rule->payload;
    const ubi_summary_row *at = items;
    (void)first;
    for (size_t i = 0; i < n; i++)
        if (at[i].class_ix >= look->classes.n || at[i].first >= look->graph->n_nodes || at[i].count == 0 ||
            at[i].count > look->graph->n_nodes || at[i].n_unreached > at[i].count)
            return false;
    return true;
}

static ubi_status summary_pass(ubi__columns *c, ubi_summary *s) {
    const ubi__column_rule rule = { rows_hold, 0, s->look };
    const size_t n_words = (size_t)s->look->graph->n_nodes / 64 + 1;
    uint64_t sums[2] = { s->n_counted, s->size_bytes };
    size_t n = s->n_words;
    UBI_TRY(ubi__columns_value(c, "all classes", sums, sizeof sums));
    UBI_TRY(UBI__COLUMN(c, "classes", &s->rows, &rule));
    UBI_TRY(ubi__columns_expect(c, s->rows.n <= s->look->classes.n, "classes"));
    UBI_TRY(ubi__columns_array(c, "nodes that count", (void **)&s->counted, &n, sizeof *s->counted, NULL));
    UBI_TRY(ubi__columns_expect(c, n == n_words && s->counted[n - 1] >> (s->look->graph->n_nodes % 64) == 0,
                                "nodes that count"));
    if (c->writer) /* what is written may be in use */
        return UBI_OK;
    s->n_words = n;
    s->n_counted = sums[0];
    s->size_bytes = sums[1];
    return UBI_OK;
}

ubi_status ubi__summary_pass(ubi__columns *c, ubi_summary **summary, const ubi_look *look,
                             const ubi_dominators *dominators, const uint32_t *distances) {
    if (c->writer)
        return summary_pass(c, *summary);
    ubi_summary *s = UBI_NEW(c->allocator, ubi_summary);
    if (!s)
        return ubi__fail_nomem();
    s->allocator = c->allocator;
    s->look = look;
    s->dominators = dominators;
    s->distances = distances;
    ubi_status status = summary_pass(c, s);
    if (status == UBI_OK)
        *summary = s;
    else
        ubi_summary_free(s);
    return status;
}
