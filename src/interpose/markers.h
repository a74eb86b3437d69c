/* SPDX-License-Identifier: MIT
 *
 * markers.h: timeline markers of the program are recorded, or not (markers.c).
 */
#ifndef UBI_INTERPOSE_MARKERS_H
#define UBI_INTERPOSE_MARKERS_H

#include "recording/preload_wire.h"

struct ubi_marker_port;

/** What modules that mark call when they are loaded, and before they are unloaded; see ubiheap/core/marker.h. */
void ubi_recorder_join_port(struct ubi_marker_port *port);
void ubi_recorder_leave_port(struct ubi_marker_port *port);

/** Recording is on: markers are, too, if the reader wants them. */
void ubi__markers_on(const ubi__wire_header *area);
/** Recording has ended. Any thread, at any time. */
void ubi__markers_off(void);
/** In a child after fork: off. */
void ubi__markers_after_fork(void);

#endif
