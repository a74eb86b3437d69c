/* SPDX-License-Identifier: MIT
 *
 * ubiheap/views/timeline_waterfall.h: which markers lie inside which others, nested as Firefox's performance tool does.
 *
 * A pure function over flat arrays: no marker is moved, no memory taken.
 *
 * Source: mozilla-central devtools/client/performance/modules/logic/waterfall-utils.js, collapseMarkersIntoNode, with what is
 * odd about it: a marker off the main thread becomes a child of the root, and then takes in markers of the main thread that
 * follow and fall inside it; whatever takes in others is over as soon as one that does not fall inside it comes; a list of
 * children that stayed empty is lost only when its marker was over before the end. Ours: a marker without an end, at which
 * the original fails, takes in all that follow in its process.
 */
#ifndef UBIHEAP_TIMELINE_WATERFALL_H
#define UBIHEAP_TIMELINE_WATERFALL_H

#include <ubiheap/core/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What counts of a marker. */
typedef struct ubi_waterfall_marker {
    uint64_t start_ns, end_ns;
    bool has_end;
    bool is_hidden;          /**< by the viewer's filter */
    bool is_off_thread;      /**< not of the main thread */
    bool is_not_nestable;    /**< such as ConsoleTime */
    bool is_not_collapsible; /**< takes in no others, such as TimeStamp */
    uint16_t process_type;
} ubi_waterfall_marker;

/** Where a marker is shown. Children of a marker are in the order of the markers. */
typedef struct ubi_waterfall_row {
    uint32_t parent; /**< a marker; UBI_NONE: none, or hidden */
    uint32_t depth;  /**< 0 without a parent */
    uint64_t end_ns; /**< with has_end; a parent without an end takes that of its last child when it is over */
    bool has_end;
    bool has_list;       /**< of children, even if an empty one */
    uint32_t last_child; /**< UBI_NONE: no children */
    uint32_t below;      /**< scratch */
} ubi_waterfall_row;

/**
 * @param rows     rows[n], caller's; all are written.
 * @param markers  markers[n], by start; the longer of two that start together should come first.
 * Cost: O(n).
 */
UBI_API void ubi_timeline_waterfall(ubi_waterfall_row *rows, const ubi_waterfall_marker *markers, uint32_t n);

#ifdef __cplusplus
}
#endif
#endif
