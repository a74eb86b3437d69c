/* SPDX-License-Identifier: MIT
 *
 * marker_ports.h: the ports of modules that include ubiheap/core/marker.h, and whether they are to post.
 */
#ifndef UBI_TIMELINE_MARKER_PORTS_H
#define UBI_TIMELINE_MARKER_PORTS_H

/** Whether something is observed may have changed: notifies the ports. With the lock of the timeline. */
void ubi__ports_update(void);

#endif
