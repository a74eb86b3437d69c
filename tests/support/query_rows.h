/* SPDX-License-Identifier: MIT
 *
 * query_rows.h: six rows with one of everything, for tests of expressions.
 *
 *       id       size    delta  maybe  name (of the group)  alias    flag
 *     0 1        100     -50    -      Array                a        true
 *     1 2^53     1024    0      5      Map                  -        false
 *     2 2^53+1   1025    10     6      -                    Map      true
 *     3 2^64-1   2^64-1  20     -      Array                Array    false
 *     4 42       50      11     0      "été\n"              b        true
 *     5 7        0       -1     7      ""                   ""       false
 *
 * `size` is a size out of 1000, `delta` may be negative and is a share of 200; `length(TEXT)` is how long TEXT is, and
 * `rank` is the number of the group (a number by group).
 */
#ifndef UBI_TESTS_QUERY_ROWS_H
#define UBI_TESTS_QUERY_ROWS_H

#include <ubiheap/core/query.h>

#define QUERY_ROWS 6

extern const ubi_query_name query_rows_vocabulary[];

/** The rows as a source for `query`, repeated without end: row i is row i % QUERY_ROWS. */
ubi_query_source query_rows_source(const ubi_query *query);

/** A number, missing or not, as the callbacks return it. For `length`, the argument's length is the row. */
typedef struct query_cell {
    uint64_t magnitude;
    uint8_t state;
} query_cell;

query_cell query_rows_number(const char *name, uint32_t row);
ubi_text query_rows_text(const char *name, uint32_t row);

#endif
