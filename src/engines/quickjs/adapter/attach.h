/* SPDX-License-Identifier: MIT
 *
 * attach.h: the tools of a runtime come and go.
 */
#ifndef UBI_QUICKJS_ATTACH_H
#define UBI_QUICKJS_ATTACH_H

#include "engines/quickjs/adapter/target_ops.h"
#include "engines/quickjs/js_console.h"

ubi_status ubi_quickjs_attach(ubi_quickjs **out, JSRuntime *runtime, const ubi_quickjs_options *options) {
    ubi_quickjs_options used = options ? *options : (ubi_quickjs_options)UBI_QUICKJS_OPTIONS_INIT;
    if (used.version < 1 || used.version > UBI_QUICKJS_OPTIONS_VERSION)
        return ubi_error(UBI_EINVAL, "unknown version %u of ubi_quickjs_options, the newest is %u",
                         (unsigned)used.version, (unsigned)UBI_QUICKJS_OPTIONS_VERSION);
    if (!used.allocator)
        used.allocator = ubi_allocator_default();
    ubi_quickjs *tools = ubi__tool_calloc(used.allocator, 1, sizeof *tools);
    if (!tools)
        return ubi_error(UBI_ENOMEM, "no memory for the tools of a QuickJS runtime");
    tools->runtime = runtime;
    tools->allocator = used.allocator;
    tools->options = used;
    if (!ubi__registry_add(tools)) {
        ubi__tool_free(used.allocator, tools, 1, sizeof *tools);
        return ubi_error(UBI_EBUSY, "this QuickJS runtime has tools already");
    }
    ubi__start_tracking(tools);
    ubi__recorded_begin(tools);
    UBI_ASSERT(ubi__tools_of(runtime) == tools && tools->tracking.engine == tools);
    *out = tools;
    return UBI_OK;
}

void ubi_quickjs_detach(ubi_quickjs *tools) {
    if (!tools)
        return;
    UBI_ASSERT(ubi__tools_of(tools->runtime) == tools && tools->collection_depth == 0);
    if (tools->walk.is_frozen)
        ubi__thaw(tools);
    ubi__close_consoles(tools);
    ubi__profiling_fini(tools);
    ubi__recorded_end(tools);
    ubi__end_tracking(tools);
    ubi__registry_remove(tools);
    ubi__tool_free(tools->allocator, tools->walk.realms, tools->walk.realms_capacity, sizeof *tools->walk.realms);
    ubi__tool_free(tools->allocator, tools, 1, sizeof *tools);
}

ubi_quickjs *ubi_quickjs_of(JSRuntime *runtime) {
    return ubi__tools_of(runtime);
}

uint64_t ubi_quickjs_heap_bytes(const ubi_quickjs *tools) {
    return ubi__heap_bytes(tools->runtime);
}

const char *ubi_quickjs_engine_description(void) {
    return CONFIG_VERSION " (" UBI_FEATURES ")";
}

#endif
