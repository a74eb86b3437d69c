/* SPDX-License-Identifier: MIT
 *
 * target_timeline.c: timelines of targets (ubiheap/extension/target_timeline.h), from the operations that an engine implements.
 */
#include <ubiheap/extension/target_timeline.h>

#include "base/status.h"
#include "targets/target_need.h"

ubi_status ubi_target_open_timeline(ubi_target_timeline *out, ubi_target target, const ubi_target_scope *scope,
                                    const ubi_target_timeline_options *options) {
    static const ubi_target_timeline_options defaults = UBI_TARGET_TIMELINE_OPTIONS_INIT;
    const ubi_target_timeline_options *o = options ? options : &defaults;
    ubi_target_timeline timeline = { 0 };
    UBI_TRY(ubi__target_need(target, UBI_TARGET_TIMELINE, "show what it does on a timeline"));
    UBI_TRY(ubi__version_check(o->version, UBI_TARGET_TIMELINE_OPTIONS_VERSION, "ubi_target_timeline_options"));
    UBI_TRY(target.ops->open_timeline(target.payload, scope, o, &timeline));
    if (timeline.ops->version != UBI_TARGET_TIMELINE_OPS_VERSION) {
        uint32_t version = timeline.ops->version;
        timeline.ops->close(timeline.payload); /* the first operation of any version */
        return ubi__fail(UBI_EINVAL, "timeline operations of version %u, expected %d", version,
                         UBI_TARGET_TIMELINE_OPS_VERSION);
    }
    *out = timeline;
    return UBI_OK;
}

ubi_timeline_target *ubi_target_timeline_observed(ubi_target_timeline timeline) {
    return timeline.ops->observed(timeline.payload);
}

void ubi_target_timeline_close(ubi_target_timeline timeline) {
    timeline.ops->close(timeline.payload);
}
