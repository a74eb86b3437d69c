/* SPDX-License-Identifier: MIT
 *
 * query_fuzz.c: any bytes as an expression, then a search with it among six rows that have one of everything.
 *
 * Promises checked: no crash, no leak and no endless work; an error has a message of one line; the quick way through masks
 * finds the same rows as evaluating the whole program row by row.
 */
#include <stdlib.h>
#include <string.h>

#include "analyses/query/query_evaluate.h"
#include "query_rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
    if (!holds)
        abort();
}

/* Whether a query holds for a row, without any plan. */
static bool holds(const ubi_query *query, const ubi_query_source *source, uint32_t row) {
    ubi__evaluator evaluator;
    ubi__place place = { .first = row, .n = 1 };
    source->groups(source->payload, row, 1, &place.group);
    require(ubi__evaluator_init(&evaluator, query, source, ubi_allocator_default()) == UBI_OK);
    bool answer = ubi__evaluate(&evaluator, (uint32_t)query->program.n - 1, &place);
    ubi__evaluator_fini(&evaluator, ubi_allocator_default());
    return answer;
}

static void search(const ubi_query *query) {
    ubi_query_source source = query_rows_source(query);
    ubi_filter *filter;
    uint32_t found[QUERY_ROWS], n = 0;
    require(ubi_filter_new(&filter, query, &source, NULL) == UBI_OK);
    uint32_t n_found = ubi_filter_select(found, filter, 0, QUERY_ROWS);
    for (uint32_t row = 0; row < QUERY_ROWS; row++)
        if (holds(query, &source, row))
            require(n < n_found && found[n++] == row);
    require(n == n_found);
    ubi_filter_free(filter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ubi_query *query = NULL;
    if (size > 4096)
        return 0;
    if (ubi_query_parse(&query, (ubi_text){ (const char *)data, size }, query_rows_vocabulary, NULL) != UBI_OK) {
        const char *message = ubi_error_message();
        require(*message && !strchr(message, '\n') && query == NULL);
        return 0;
    }
    search(query);
    ubi_query_free(query);
    return 0;
}
