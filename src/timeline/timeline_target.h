/* SPDX-License-Identifier: MIT
 *
 * timeline_target.h: what a tool may look at, and whose thread it is.
 */
#ifndef UBI_TIMELINE_TIMELINE_TARGET_H
#define UBI_TIMELINE_TIMELINE_TARGET_H

#include "base/assert.h"
#include "timeline/markers_storage.h"

struct ubi_timeline_target {
    const ubi_allocator *allocator;
    ubi_timeline_target_options options;
    ubi_markers_storage *storage; /* NULL: not observed */
    uint32_t number;              /* from 1, of its own; its records bear it */
    uint64_t thread;              /* the main thread's */
};

/** Where assertions are on, the rules about threads are checked. */
extern const bool ubi__timeline_checks_threads;

static inline void ubi__check_main_thread(const ubi_timeline_target *target) {
    UBI_ASSERT(!target || target->thread == ubi__thread_number());
    (void)target;
}
static inline void ubi__check_other_thread(const ubi_timeline_target *target) {
    UBI_ASSERT(target->thread != ubi__thread_number());
    (void)target;
}

#endif
