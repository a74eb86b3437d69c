/* SPDX-License-Identifier: MIT
 *
 * quickjs_tracking.h: tracking of a runtime (tracking/tracking.h) for the files that know only quickjs.h.
 */
#ifndef UBI_QUICKJS_TRACKING_H
#define UBI_QUICKJS_TRACKING_H

#include <ubiheap/extension/quickjs.h>

#include "tracking/observer.h"

/** An observer, and the part of the heap that its debuggees are. */
struct ubi_quickjs_observer {
    ubi__observer base; /* the first: those of a runtime are found from tracking's list */
    ubi_quickjs *tools;
    ubi_quickjs_scope *scope;
};

/** Tracking of these tools. In the unit of the engine (adapter/births.h). */
ubi__tracking *ubi__tracking_of(ubi_quickjs *tools);
/** Ends all observers of these tools. */
void ubi__free_observers(ubi_quickjs *tools);

#endif
