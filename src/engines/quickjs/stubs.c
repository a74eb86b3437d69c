/* SPDX-License-Identifier: MIT */
/* Stand-ins until the real functions are there; weak, so a real definition wins. Goes away. */
#include <ubiheap/quickjs.h>
#pragma GCC diagnostic ignored "-Wunused-parameter"

__attribute__((weak)) ubi_status ubi_quickjs_attach(ubi_quickjs **out, JSRuntime *runtime,
                                                    const ubi_quickjs_options *options) {
    return ubi_error(UBI_ESTATE, "ubi_quickjs_attach is not there yet");
}

__attribute__((weak)) void ubi_quickjs_detach(ubi_quickjs *tools) {
}

__attribute__((weak)) ubi_quickjs *ubi_quickjs_of(JSRuntime *runtime) {
    return NULL;
}

__attribute__((weak)) ubi_target ubi_quickjs_target(ubi_quickjs *tools) {
    return (ubi_target){ NULL, NULL };
}

__attribute__((weak)) void ubi_quickjs_set_oom_hook(ubi_quickjs *tools, ubi_quickjs_oom_fn fn, void *payload) {
}

__attribute__((weak)) ubi_status ubi_quickjs_scope_new(ubi_quickjs_scope **out, ubi_quickjs *tools) {
    return ubi_error(UBI_ESTATE, "ubi_quickjs_scope_new is not there yet");
}

__attribute__((weak)) void ubi_quickjs_scope_free(ubi_quickjs_scope *scope) {
}

__attribute__((weak)) ubi_status ubi_quickjs_scope_add(ubi_quickjs_scope *scope, JSContext *realm) {
    return ubi_error(UBI_ESTATE, "ubi_quickjs_scope_add is not there yet");
}

__attribute__((weak)) ubi_target_scope ubi_quickjs_scope_get(const ubi_quickjs_scope *scope) {
    return (ubi_target_scope){ NULL };
}

__attribute__((weak)) JSContext *ubi_quickjs_realm_of_global(ubi_quickjs *tools, JSValueConst global) {
    return NULL;
}

__attribute__((weak)) bool ubi_quickjs_node_id(ubi_quickjs *tools, JSValueConst value, uint64_t *id) {
    return false;
}

__attribute__((weak)) int ubi_quickjs_add_debugger(ubi_quickjs *tools, JSContext *realm) {
    return -1;
}

__attribute__((weak)) JSModuleDef *ubi_quickjs_add_heap_module(ubi_quickjs *tools, JSContext *realm, const char *name) {
    return NULL;
}

__attribute__((weak)) ubi_status ubi_quickjs_measure_coverage(ubi_quickjs *tools, ubi_quickjs_coverage *out) {
    return ubi_error(UBI_ESTATE, "ubi_quickjs_measure_coverage is not there yet");
}

__attribute__((weak)) const char *ubi_quickjs_engine_description(void) {
    return NULL;
}
