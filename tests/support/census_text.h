/* SPDX-License-Identifier: MIT
 *
 * census_text.h: reports and census trees as short text, for expected results in tests.
 *
 *     {objects: {Array: 2,150; other: 0,0}; scripts: 1,9}      count,bytes; "b9" and "c1" when only one is there; "-"
 * none
 *     <f@a.js:5:2<-@a.js:1:2: 2,300; noStack: 4,77>            a Map; stacks as in drawing.h
 *     [20 30]   (1,9 | [20])                                   a bucket; an array
 *     1,9"label"
 *
 *     null#1 0/110 0/11 [Array#3^1 100/100 1/1 L2, Function#2^1 10/10 10/10 L1]
 *
 * Deltas are written as reports; numbers below 0 have a sign, and a bucket that was compared is {}.
 *
 * A row of a tree is name#id^parent bytes/total count/total Lindexes [children]. Text is the caller's, from malloc.
 */
#ifndef UBI_TESTS_CENSUS_TEXT_H
#define UBI_TESTS_CENSUS_TEXT_H

#include <ubiheap/core/census.h>
#include <ubiheap/core/diff.h>

char *report_text(const ubi_report *report);
char *delta_text(const ubi_delta *delta);
char *census_tree_text(const ubi_census_tree *tree);

/** Parses a breakdown that must be right. */
ubi_breakdown *must_parse_breakdown(const char *json, ubi_compat compat);
/** Text of a census of `graph` by the breakdown `json` (NULL: the default), or of its error as "! message". */
char *census_text(const ubi_graph *graph, const char *json, ubi_compat compat);
/** The same of the tree of that census. */
char *census_tree_text_of(const ubi_graph *graph, const char *json, ubi_compat compat, bool invert, const char *filter);

#endif
