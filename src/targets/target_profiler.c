/* SPDX-License-Identifier: MIT
 *
 * target_profiler.c: profilers of targets (ubiheap/extension/target_profiler.h), from the operations that an engine implements.
 */
#include <ubiheap/extension/target_profiler.h>

#include "base/status.h"
#include "targets/target_need.h"

ubi_status ubi_target_open_profiler(ubi_target_profiler *out, ubi_target target, const ubi_target_scope *scope) {
    ubi_target_profiler profiler = { 0 };
    UBI_TRY(ubi__target_need(target, UBI_TARGET_PROFILE, "profile its memory"));
    UBI_TRY(target.ops->open_profiler(target.payload, scope, &profiler));
    if (profiler.ops->version != UBI_TARGET_PROFILER_OPS_VERSION) {
        uint32_t version = profiler.ops->version;
        profiler.ops->close(profiler.payload); /* the first operation of any version */
        return ubi__fail(UBI_EINVAL, "profiler operations of version %u, expected %d", version,
                         UBI_TARGET_PROFILER_OPS_VERSION);
    }
    *out = profiler;
    return UBI_OK;
}

void ubi_target_profiler_close(ubi_target_profiler profiler) {
    profiler.ops->close(profiler.payload);
}

ubi_status ubi_target_profiler_start(ubi_target_profiler profiler) {
    return profiler.ops->start(profiler.payload);
}

void ubi_target_profiler_stop(ubi_target_profiler profiler) {
    profiler.ops->stop(profiler.payload);
}

void ubi_target_profiler_reset(ubi_target_profiler profiler) {
    profiler.ops->reset(profiler.payload);
}

bool ubi_target_profiler_is_running(ubi_target_profiler profiler) {
    return profiler.ops->is_running(profiler.payload);
}

ubi_status ubi_target_profiler_results(ubi_recording **out, ubi_target_profiler profiler) {
    return profiler.ops->results(profiler.payload, out);
}
