/* SPDX-License-Identifier: MIT
 *
 * marker_lines.h: popped markers as text, for tests.
 *
 * A row is "name start end", then what is known about it: " processType=0 isOffMainThread=0" (only with `with_base`), details as
 * " key=value" in their order, rectangles as " rectangles=x,y,w,h/...", stacks as " stack=" or " endStack=" and functions from the
 * youngest, "<" before a caller and "<cause<" before an async parent. Rows end with "\n".
 */
#ifndef UBI_TESTS_MARKER_LINES_H
#define UBI_TESTS_MARKER_LINES_H

#include <ubiheap/core/timeline.h>

/** Static until the next call on this thread. */
const char *marker_lines(const ubi_timeline_markers *markers, bool with_base);
/** Pops, and frees the result; the lines of it, as above, without base. */
const char *pop_lines(ubi_timeline_target *target);

/** A target that is observed. */
ubi_timeline_target *observed_target(void);

#endif
