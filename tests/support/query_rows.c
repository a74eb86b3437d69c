/* SPDX-License-Identifier: MIT
 *
 * query_rows.c: the rows.
 */
#include "query_rows.h"

#include <stdlib.h>
#include <string.h>

const ubi_query_name query_rows_vocabulary[] = {
    { "id", "", UBI_QUERY_NUMBER, UBI_QUERY_NO_ARGUMENT, false, false },
    { "size", "", UBI_QUERY_SIZE, UBI_QUERY_NO_ARGUMENT, false, true },
    { "delta", "", UBI_QUERY_NUMBER, UBI_QUERY_NO_ARGUMENT, false, true },
    { "maybe", "", UBI_QUERY_NUMBER, UBI_QUERY_NO_ARGUMENT, false, false },
    { "name", "", UBI_QUERY_TEXT, UBI_QUERY_NO_ARGUMENT, true, false },
    { "alias", "", UBI_QUERY_TEXT, UBI_QUERY_NO_ARGUMENT, false, false },
    { "flag", "", UBI_QUERY_BOOL, UBI_QUERY_NO_ARGUMENT, false, false },
    { "rank", "", UBI_QUERY_NUMBER, UBI_QUERY_NO_ARGUMENT, true, false },
    { "length", "", UBI_QUERY_NUMBER, UBI_QUERY_HAS_ARGUMENT, false, false },
    { "retainedSize", "", UBI_QUERY_SIZE, UBI_QUERY_MAY_HAVE_ARGUMENT, false, false },
    { NULL, NULL, UBI_QUERY_BOOL, UBI_QUERY_NO_ARGUMENT, false, false },
};

#define HAS UBI_QUERY_PRESENT
#define MINUS UBI_QUERY_NEGATIVE
#define NONE UBI_QUERY_MISSING

typedef struct row {
    query_cell id, size, delta, maybe, flag;
    uint32_t group;
    const char *alias;
} row;

static const char *const group_names[] = { "Array", "Map", NULL, "\u00e9t\u00e9\n", "" };

static const row table[QUERY_ROWS] = {
    { { 1, HAS }, { 100, HAS }, { 50, MINUS }, { 0, NONE }, { 1, HAS }, 0, "a" },
    { { UINT64_C(1) << 53, HAS }, { 1024, HAS }, { 0, HAS }, { 5, HAS }, { 0, HAS }, 1, NULL },
    { { (UINT64_C(1) << 53) + 1, HAS }, { 1025, HAS }, { 10, HAS }, { 6, HAS }, { 1, HAS }, 2, "Map" },
    { { UINT64_MAX, HAS }, { UINT64_MAX, HAS }, { 20, HAS }, { 0, NONE }, { 0, HAS }, 0, "Array" },
    { { 42, HAS }, { 50, HAS }, { 11, HAS }, { 0, HAS }, { 1, HAS }, 3, "b" },
    { { 7, HAS }, { 0, HAS }, { 1, MINUS }, { 7, HAS }, { 0, HAS }, 4, "" },
};

query_cell query_rows_number(const char *name, uint32_t i) {
    const row *r = &table[i % QUERY_ROWS];
    if (strcmp(name, "id") == 0)
        return r->id;
    if (strcmp(name, "size") == 0 || strcmp(name, "retainedSize") == 0)
        return r->size;
    if (strcmp(name, "delta") == 0)
        return r->delta;
    if (strcmp(name, "maybe") == 0)
        return r->maybe;
    if (strcmp(name, "flag") == 0)
        return r->flag;
    abort();
}

static ubi_text text_of(const char *s) {
    return (ubi_text){ s, s ? strlen(s) : 0 };
}

ubi_text query_rows_text(const char *name, uint32_t i) {
    const row *r = &table[i % QUERY_ROWS];
    return text_of(strcmp(name, "name") == 0 ? group_names[r->group] : r->alias);
}

static void give_numbers(void *payload, uint32_t value, uint32_t first, uint32_t n, uint64_t *magnitude,
                         uint8_t *state) {
    ubi_query_value v = ubi_query_value_at(payload, value);
    for (uint32_t i = 0; i < n; i++) {
        query_cell cell;
        if (strcmp(v.name->name, "length") == 0)
            cell = (query_cell){ v.argument.len, HAS };
        else if (strcmp(v.name->name, "rank") == 0)
            cell = (query_cell){ first + i, HAS };
        else
            cell = query_rows_number(v.name->name, first + i);
        magnitude[i] = cell.magnitude;
        state[i] = cell.state;
    }
}

/* `name` is asked for by group, `alias` by row. */
static ubi_text give_text(void *payload, uint32_t value, uint32_t i) {
    const char *name = ubi_query_value_at(payload, value).name->name;
    return strcmp(name, "name") == 0 ? text_of(group_names[i]) : query_rows_text(name, i);
}

static bool give_basis(void *payload, uint32_t value, uint64_t *out) {
    *out = strcmp(ubi_query_value_at(payload, value).name->name, "size") == 0 ? 1000 : 200;
    return true;
}

static void give_groups(void *payload, uint32_t first, uint32_t n, uint32_t *group) {
    (void)payload;
    for (uint32_t i = 0; i < n; i++)
        group[i] = table[(first + i) % QUERY_ROWS].group;
}

ubi_query_source query_rows_source(const ubi_query *query) {
    return (ubi_query_source){ (void *)(uintptr_t)query,
                               give_numbers,
                               give_text,
                               give_basis,
                               sizeof group_names / sizeof *group_names,
                               give_groups };
}
