/* SPDX-License-Identifier: MIT
 *
 * v8_calls.c: see v8_calls.h.
 */
#include "nodewatch/v8_calls.h"

#include <dlfcn.h>
#include <string.h>

#define CALL(member, name)                                                                                             \
    { offsetof(ubi__v8_calls, member), name }

static const struct {
    size_t offset;
    const char *name;
} calls[] = {
    CALL(isolate_current, "_ZN2v87Isolate10GetCurrentEv"),
    CALL(interrupt, "_ZN2v87Isolate16RequestInterruptEPFvPS0_PvES2_"),
    CALL(near_limit_add, "_ZN2v87Isolate24AddNearHeapLimitCallbackEPFmPvmmES1_"),
    CALL(near_limit_remove, "_ZN2v87Isolate27RemoveNearHeapLimitCallbackEPFmPvmmEm"),
    CALL(after_gc_add, "_ZN2v87Isolate21AddGCEpilogueCallbackEPFvPS0_NS_6GCTypeENS_15GCCallbackFlagsEPvES4_S2_"),
    CALL(after_gc_remove, "_ZN2v87Isolate24RemoveGCEpilogueCallbackEPFvPS0_NS_6GCTypeENS_15GCCallbackFlagsEPvES4_"),
    CALL(statistics, "_ZN2v87Isolate17GetHeapStatisticsEPNS_14HeapStatisticsE"),
    CALL(collect, "_ZN2v87Isolate21LowMemoryNotificationEv"),
    CALL(profiler, "_ZN2v87Isolate15GetHeapProfilerEv"),
    CALL(snapshot_take, "_ZN2v812HeapProfiler16TakeHeapSnapshotEPNS_15ActivityControlEPNS0_18ObjectNameResolverEbb"),
    CALL(snapshot_nodes, "_ZNK2v812HeapSnapshot13GetNodesCountEv"),
    CALL(snapshot_write, "_ZNK2v812HeapSnapshot9SerializeEPNS_12OutputStreamENS0_19SerializationFormatE"),
    CALL(snapshot_free, "_ZN2v812HeapSnapshot6DeleteEv"),
    CALL(cleanup_add, "napi_add_env_cleanup_hook"),
};

const char *ubi__v8_calls_find(ubi__v8_calls *out) {
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        void *function = dlsym(RTLD_DEFAULT, calls[i].name);
        if (!function)
            return calls[i].name;
        memcpy((char *)out + calls[i].offset, &function, sizeof function);
    }
    return NULL;
}
