/* SPDX-License-Identifier: MIT
 *
 * configuration_actors.c: what clients configure. One option has an effect: `recordAllocations`, by which the Memory panel records call stacks.
 */
#include "base/text.h"
#include "rdp/actors/actors.h"

/* ---- of targets --------------------------------------------------------------------------------------------------------- */

static const ubi__rdp_field known_options[] = {
    { "recordAllocations", UBI__RDP_OBJECT, UBI__RDP_OPTIONAL, "`probability`, `maxLogLength`; null: stop" },
    UBI__RDP_END,
};

/* The options as they came. */
static ubi_status configuration_reply(ubi__rdp_call *call) {
    const ubi__json_value *given = ubi__rdp_argument(call, 0);
    ubi__json *json = ubi__rdp_reply_begin(call);
    ubi__json_member_raw(json, "configuration", given->raw);
    return ubi__rdp_reply_end(call);
}

static ubi_status configuration_update(ubi__rdp_call *call) {
    ubi__rdp_actor *descriptor = ubi__rdp_call_actor(call)->parent->parent, *target = NULL;
    const char *error_name = NULL;
    ubi__json_value option;
    ubi_status status = ubi__rdp_fields_read(&option, known_options, ubi__rdp_argument(call, 0), &error_name);
    if (status != UBI_OK)
        return ubi__rdp_reply_error(call, error_name, status);
    if (!option.raw.ptr) /* it says nothing about recording */
        return configuration_reply(call);
    UBI_TRY(ubi__rdp_target_make(&target, descriptor));
    UBI_TRY(ubi__rdp_memory_configure(ubi__rdp_actor_child(target, &ubi__rdp_memory_type), &option));
    return configuration_reply(call);
}

static const ubi__rdp_field update_arguments[] = {
    { "configuration", UBI__RDP_OBJECT, UBI__RDP_REQUIRED, "options; `recordAllocations` starts or stops a recording" },
    UBI__RDP_END,
};
static const ubi__rdp_field update_replies[] = {
    { "configuration", UBI__RDP_OBJECT, UBI__RDP_REQUIRED, "the options that were given" },
    UBI__RDP_END,
};
static const ubi__rdp_method target_methods[] = {
    { "updateConfiguration", configuration_update, update_arguments, update_replies, false,
      "changes options of targets", "Firefox" },
    UBI__RDP_METHODS_END,
};
const ubi__rdp_actor_type ubi__rdp_target_configuration_type = { .name = "targetConfiguration",
                                                                 .help = "options of targets",
                                                                 .methods = target_methods };

/* ---- of threads --------------------------------------------------------------------------------------------------------- */

static const ubi__rdp_field thread_arguments[] = {
    { "configuration", UBI__RDP_OBJECT, UBI__RDP_OPTIONAL, "is not looked at" },
    UBI__RDP_END,
};
static const ubi__rdp_method thread_methods[] = {
    { "updateConfiguration", ubi__rdp_reply_empty, thread_arguments, NULL, false, "is accepted",
      "Firefox, firefox-debugadapter" },
    UBI__RDP_METHODS_END,
};
const ubi__rdp_actor_type ubi__rdp_thread_configuration_type = { .name = "threadConfiguration",
                                                                 .help = "options of threads",
                                                                 .methods = thread_methods };

/* ---- what panels want to have ------------------------------------------------------------------------------------------- */

static const ubi__rdp_field save_arguments[] = {
    { "save", UBI__RDP_BOOLEAN, UBI__RDP_OPTIONAL, "is not looked at" },
    UBI__RDP_END,
};
static const ubi__rdp_method network_methods[] = {
    { "setSaveRequestAndResponseBodies", ubi__rdp_reply_empty, save_arguments, NULL, false, "is accepted", "Firefox" },
    UBI__RDP_METHODS_END,
};
const ubi__rdp_actor_type ubi__rdp_network_parent_type = { .name = "networkParent",
                                                           .help = "the network, which is not watched",
                                                           .methods = network_methods };
const ubi__rdp_actor_type ubi__rdp_blackboxing_type = { .name = "blackboxing",
                                                        .help = "sources that a debugger skips: none" };
const ubi__rdp_actor_type ubi__rdp_breakpoint_list_type = { .name = "breakpointList", .help = "breakpoints: none" };
