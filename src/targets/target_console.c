/* SPDX-License-Identifier: MIT
 *
 * target_console.c: consoles of targets (ubiheap/extension/console.h), from the operations that an engine implements.
 */
#include <ubiheap/extension/console.h>

#include "base/status.h"
#include "targets/target_need.h"

ubi_status ubi_target_open_console(ubi_console *out, ubi_target target, const ubi_target_scope *scope,
                                   const ubi_console_listener *listener) {
    ubi_console console = { 0 };
    UBI_TRY(ubi__target_need(target, UBI_TARGET_CONSOLE, "evaluate texts"));
    UBI_TRY(target.ops->open_console(target.payload, scope, listener, &console));
    if (console.ops->version != UBI_CONSOLE_OPS_VERSION) {
        uint32_t version = console.ops->version;
        console.ops->close(console.payload); /* the first operation of any version */
        return ubi__fail(UBI_EINVAL, "console operations of version %u, expected %d", version, UBI_CONSOLE_OPS_VERSION);
    }
    *out = console;
    return UBI_OK;
}

void ubi_console_close(ubi_console console) {
    console.ops->close(console.payload);
}

ubi_status ubi_console_evaluate(ubi_evaluation *out, ubi_console console, ubi_text text, bool is_eager) {
    ubi_evaluation full = UBI_EVALUATION_INIT;
    UBI_TRY(ubi__result_check(&out->struct_bytes, "ubi_evaluation"));
    UBI_TRY(console.ops->evaluate(console.payload, text, is_eager, &full));
    ubi__result_fill(out, &full, sizeof full);
    return UBI_OK;
}

void ubi_console_stop(ubi_console console) {
    console.ops->stop(console.payload);
}

ubi_status ubi_console_complete(ubi_completion *out, ubi_console console, ubi_text text, ubi_completion_fn fn,
                                void *payload) {
    ubi_completion unused;
    return console.ops->complete(console.payload, text, fn, payload, out ? out : &unused);
}

ubi_status ubi_console_describe(ubi_object_description *out, ubi_console console, ubi_value_handle handle) {
    ubi_object_description full = UBI_OBJECT_DESCRIPTION_INIT;
    UBI_TRY(ubi__result_check(&out->struct_bytes, "ubi_object_description"));
    UBI_TRY(console.ops->describe(console.payload, handle, &full));
    ubi__result_fill(out, &full, sizeof full);
    return UBI_OK;
}

ubi_status ubi_console_properties(ubi_console console, ubi_value_handle handle, uint32_t selection, uint64_t first,
                                  uint64_t count, ubi_property_fn fn, void *payload, uint64_t *total) {
    return console.ops->properties(console.payload, handle, selection, first, count, fn, payload, total);
}

ubi_status ubi_console_entries(ubi_console console, ubi_value_handle handle, uint64_t first, uint64_t count,
                               ubi_entry_fn fn, void *payload, uint64_t *total) {
    return console.ops->entries(console.payload, handle, first, count, fn, payload, total);
}

ubi_status ubi_console_slots(ubi_object_slots *out, ubi_console console, ubi_value_handle handle) {
    return console.ops->slots(console.payload, handle, out);
}

ubi_status ubi_console_get(ubi_evaluation *out, ubi_console console, ubi_value_handle handle, ubi_text name,
                           ubi_value_handle receiver) {
    ubi_evaluation full = UBI_EVALUATION_INIT;
    UBI_TRY(ubi__result_check(&out->struct_bytes, "ubi_evaluation"));
    UBI_TRY(console.ops->get(console.payload, handle, name, receiver, &full));
    ubi__result_fill(out, &full, sizeof full);
    return UBI_OK;
}

ubi_status ubi_console_prototype(ubi_value *out, ubi_console console, ubi_value_handle handle) {
    return console.ops->prototype(console.payload, handle, out);
}

ubi_status ubi_console_substring(ubi_text *out, ubi_console console, ubi_value_handle handle, uint64_t first,
                                 uint64_t end) {
    return console.ops->substring(console.payload, handle, first, end, out);
}

ubi_status ubi_console_release(ubi_console console, ubi_value_handle handle) {
    return console.ops->release(console.payload, handle);
}
