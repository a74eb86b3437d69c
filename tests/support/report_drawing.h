/* SPDX-License-Identifier: MIT
 *
 * report_drawing.h: censuses written as text, for tests of what is made from reports.
 *
 *     {Array: 1,100; Function: 10,10; other: 10,100}        count,bytes; b3 for bytes alone, c3 for the count
 *     <f@a.js:5:2<g@a.js:1:1: 2,300; null: 1,1; noStack: 4,77>
 *     [20 30]     (1,9 | {other: 1,9})
 *
 * That is the notation of census_text.h. Which shape stands where follows from the breakdown, and keys are looked up as if
 * a heap had given them; nothing checks that some heap could have. "!" behind a frame's function makes it privileged
 * (isSystem). Mistakes abort the test.
 */
#ifndef UBI_TESTS_REPORT_DRAWING_H
#define UBI_TESTS_REPORT_DRAWING_H

#include <ubiheap/core/census.h>

typedef struct report_drawing report_drawing;

report_drawing *report_drawing_new(const char *breakdown, ubi_compat compat, const char *text);
void report_drawing_free(report_drawing *d);
/** Valid while the drawing lives. */
const ubi_census *report_drawing_census(const report_drawing *d);
/** Memory for what is computed from the census from here on. */
void report_drawing_use_allocator(report_drawing *d, const ubi_allocator *allocator);

#endif
