/* SPDX-License-Identifier: MIT
 *
 * columns.c: columns in both directions, and rules for what is read (column_file.h).
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/column_file_layout.h"
#include "base/strtab.h"

ubi_status ubi__columns_array(ubi__columns *c, const char *name, void **at, size_t *n, size_t item_bytes,
                              const ubi__column_rule *rule) {
    return c->writer ? ubi__columns_put(c, name, *at, *n, item_bytes)
                     : ubi__columns_get(c, name, at, n, item_bytes, rule);
}

ubi_status ubi__columns_vec(ubi__columns *c, const char *name, void **at, size_t *n, size_t *cap, size_t item_bytes,
                            const ubi__column_rule *rule) {
    UBI_TRY(ubi__columns_array(c, name, at, n, item_bytes, rule));
    if (!c->writer)
        *cap = *n;
    return UBI_OK;
}

ubi_status ubi__columns_value(ubi__columns *c, const char *name, void *value, size_t n_bytes) {
    void *at = value;
    size_t n = 1;
    UBI_TRY(ubi__columns_array(c, name, &at, &n, n_bytes, NULL));
    UBI_TRY(ubi__columns_expect(c, n == 1, name));
    if (!c->writer)
        memcpy(value, at, n_bytes);
    return UBI_OK;
}

ubi_status ubi__columns_strings(ubi__columns *c, const char *name, ubi__strtab *t) {
    char column[UBI__COLUMN_NAME_BYTES];
    UBI_ASSERT(c->writer || t->end.n == 0);
    snprintf(column, sizeof column, "%s bytes", name);
    UBI_TRY(UBI__COLUMN(c, column, &t->bytes, NULL));
    snprintf(column, sizeof column, "%s ends", name);
    const ubi__column_rule ends = ubi__column_ascending(t->bytes.n);
    UBI_TRY(UBI__COLUMN(c, column, &t->end, &ends));
    bool is_whole = t->end.n ? t->end.at[t->end.n - 1] == t->bytes.n : t->bytes.n == 0;
    return ubi__columns_expect(c, is_whole && t->end.n <= UINT32_MAX, column);
}

ubi_status ubi__columns_expect(const ubi__columns *c, bool is_right, const char *name) {
    return is_right ? UBI_OK : ubi__columns_fail(c, name);
}

/* ---- rules ----------------------------------------------------------------------------------------------------------- */

static bool below_or_none(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const uint32_t *at = items;
    uint32_t limit = (uint32_t)rule->limit, bad = 0;
    (void)first;
    for (size_t i = 0; i < n; i++)
        bad |= (at[i] >= limit) & (at[i] != UINT32_MAX);
    return !bad || rule->limit > UINT32_MAX;
}

static bool below(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const uint32_t *at = items;
    uint32_t limit = (uint32_t)rule->limit, bad = 0;
    (void)first;
    for (size_t i = 0; i < n; i++)
        bad |= at[i] >= limit;
    return !bad || rule->limit > UINT32_MAX;
}

static bool bytes_below(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const uint8_t *at = items;
    uint8_t limit = (uint8_t)rule->limit, bad = 0;
    (void)first;
    for (size_t i = 0; i < n; i++)
        bad |= at[i] >= limit;
    return !bad;
}

static bool ascending(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const uint64_t *at = items;
    uint64_t bad = 0;
    uint64_t before = first ? at[-1] : 0;
    for (size_t i = 0; i < n; i++) {
        bad |= before > at[i];
        before = at[i];
    }
    return !bad && (n == 0 || before <= rule->limit);
}

ubi__column_rule ubi__column_below_or_none(uint64_t limit) {
    return (ubi__column_rule){ below_or_none, limit, NULL };
}
ubi__column_rule ubi__column_below(uint64_t limit) {
    return (ubi__column_rule){ below, limit, NULL };
}
ubi__column_rule ubi__column_bytes_below(uint64_t limit) {
    UBI_ASSERT(limit > 0 && limit <= UINT8_MAX);
    return (ubi__column_rule){ bytes_below, limit, NULL };
}
ubi__column_rule ubi__column_ascending(uint64_t limit) {
    return (ubi__column_rule){ ascending, limit, NULL };
}
