/* SPDX-License-Identifier: MIT
 *
 * target_actor.c: what a client looks into: a runtime, with the actors of its memory, console and thread.
 */
#include <unistd.h>

#include "base/text.h"
#include "rdp/actors/actors.h"
#include "rdp/connection.h"

/* ---- making, and the form ----------------------------------------------------------------------------------------------- */

ubi_status ubi__rdp_target_make(ubi__rdp_actor **out, ubi__rdp_actor *descriptor) {
    ubi__rdp_actor *child = NULL;
    const ubi__rdp_actor_type *type =
        ubi__rdp_is_of_process(descriptor) ? &ubi__rdp_process_target_type : &ubi__rdp_tab_target_type;
    UBI_TRY(ubi__rdp_child(out, descriptor, type));
    UBI_TRY(ubi__rdp_memory_make(&child, *out));
    UBI_TRY(ubi__rdp_console_make(&child, *out));
    UBI_TRY(ubi__rdp_child(&child, *out, &ubi__rdp_thread_type));
    UBI_TRY(ubi__rdp_timeline_make(&child, *out));
    return ubi__rdp_memprof_make(&child, *out);
}

static void child_write(ubi__json *json, const char *key, const ubi__rdp_actor *target,
                        const ubi__rdp_actor_type *type) {
    ubi__json_member_string(json, key, ubi__rdp_actor_child(target, type)->id);
}

/* Without `targetType` a client of today finds no front for it, without `isTopLevelTarget` and `threadActor` its toolbox waits for ever. */
void ubi__rdp_target_form(ubi__json *json, const ubi__rdp_actor *target) {
    const ubi__rdp_tab *tab = ubi__rdp_tab_of(target);
    ubi__rdp_tab_names names;
    ubi__rdp_tab_names_read(&names, tab);
    ubi__json_member_string(json, "actor", target->id);
    ubi__json_member_string(json, "targetType", "frame");
    ubi__json_member_bool(json, "isTopLevelTarget", true);
    ubi__json_member_string(json, "title", names.title);
    ubi__json_member_string(json, "url", names.url);
    ubi__json_member_u64(json, "browsingContextID", tab->number);
    ubi__json_member_u64(json, "innerWindowID", tab->number);
    ubi__json_member_u64(json, "outerWindowID", tab->number);
    ubi__json_member_u64(json, "processID", tab->process_id ? tab->process_id : (uint64_t)getpid());
    ubi__json_member_object(json, "traits");
    ubi__json_object_end(json);
    child_write(json, "memoryActor", target, &ubi__rdp_memory_type);
    child_write(json, "timelineActor", target, &ubi__rdp_timeline_type);
    child_write(json, "memprofActor", target, &ubi__rdp_memprof_type);
    child_write(json, "consoleActor", target, &ubi__rdp_console_type);
    child_write(json, "threadActor", target, &ubi__rdp_thread_type);
}

/* ---- navigation --------------------------------------------------------------------------------------------------------- */

static void navigated_send(ubi__rdp_actor *target, const ubi__rdp_tab_names *names, const char *state) {
    ubi__json *json = ubi__rdp_event_begin(target, "tabNavigated");
    ubi__json_member_string(json, "state", state);
    ubi__json_member_string(json, "url", names->url);
    ubi__json_member_string(json, "title", names->title);
    ubi__json_member_bool(json, "isFrameSwitching", false);
    ubi__rdp_event_end(target);
}

void ubi__rdp_target_navigated(ubi__rdp_actor *target) {
    const ubi__rdp_actor *watcher = ubi__rdp_actor_child(target->parent, &ubi__rdp_watcher_type);
    ubi__rdp_tab_names names;
    ubi__rdp_tab_names_read(&names, ubi__rdp_tab_of(target));
    ubi__rdp_console_forget(ubi__rdp_actor_child(target, &ubi__rdp_console_type));
    navigated_send(target, &names, "start");
    if (watcher) {
        ubi__rdp_watcher_document_leaves(watcher, target);
        ubi__rdp_watcher_document_comes(watcher, target);
    }
    navigated_send(target, &names, "stop");
}

/* ---- methods ------------------------------------------------------------------------------------------------------------ */

static ubi_status attach_take(ubi__rdp_call *call) {
    ubi__rdp_actor *target = ubi__rdp_call_actor(call);
    ubi__json *json = ubi__rdp_reply_begin(call);
    ubi__json_member_string(json, "type", "tabAttached");
    child_write(json, "threadActor", target, &ubi__rdp_thread_type);
    return ubi__rdp_reply_end(call);
}

static ubi_status frames_list(ubi__rdp_call *call) {
    return ubi__rdp_reply_none(call, "frames");
}

static ubi_status workers_list(ubi__rdp_call *call) {
    return ubi__rdp_reply_none(call, "workers");
}

static ubi_status target_detach(ubi__rdp_call *call) {
    ubi__rdp_console_stop_code(ubi__rdp_call_actor(call));
    return ubi__rdp_reply_empty(call);
}

static const ubi__rdp_field attach_replies[] = {
    { "type", UBI__RDP_STRING, UBI__RDP_REQUIRED, "`tabAttached`" },
    { "threadActor", UBI__RDP_STRING, UBI__RDP_REQUIRED, "id" },
    UBI__RDP_END,
};
static const ubi__rdp_field frames_replies[] = {
    { "frames", UBI__RDP_ARRAY, UBI__RDP_REQUIRED, "empty" },
    UBI__RDP_END,
};
static const ubi__rdp_field workers_replies[] = {
    { "workers", UBI__RDP_ARRAY, UBI__RDP_REQUIRED, "empty" },
    UBI__RDP_END,
};
static const ubi__rdp_field options_arguments[] = {
    { "options", UBI__RDP_OBJECT, UBI__RDP_OPTIONAL, "is not looked at" },
    UBI__RDP_END,
};
static const ubi__rdp_field available_fields[] = {
    { "array", UBI__RDP_ARRAY, UBI__RDP_REQUIRED, "of pairs: a type, and its resources" },
    UBI__RDP_END,
};
static const ubi__rdp_field available_form_fields[] = {
    { "resources", UBI__RDP_ARRAY, UBI__RDP_REQUIRED, "each with its `resourceType`" },
    UBI__RDP_END,
};

static const ubi__rdp_field navigated_fields[] = {
    { "state", UBI__RDP_STRING, UBI__RDP_REQUIRED, "`start`, then `stop`" },
    { "url", UBI__RDP_STRING, UBI__RDP_REQUIRED, "of the new page" },
    { "title", UBI__RDP_STRING, UBI__RDP_REQUIRED, "of the new page" },
    { "isFrameSwitching", UBI__RDP_BOOLEAN, UBI__RDP_REQUIRED, "false" },
    UBI__RDP_END,
};

static const ubi__rdp_method methods[] = {
    { "attach", attach_take, NULL, attach_replies, false, "of clients before Firefox 75", "" },
    { "detach", target_detach, NULL, NULL, false, "the client leaves it: code that its console runs is ended",
      "Firefox" },
    { "listFrames", frames_list, NULL, frames_replies, false, "there are none", "" },
    { "listWorkers", workers_list, NULL, workers_replies, false, "there are none: workers are tabs", "" },
    { "reload", ubi__rdp_reload, options_arguments, NULL, false, "as `reloadDescriptor` of its tab", "" },
    { "focus", ubi__rdp_reply_empty, NULL, NULL, false, "is accepted", "" },
    { "reconfigure", ubi__rdp_reply_empty, options_arguments, NULL, false, "is accepted", "" },
    UBI__RDP_METHODS_END,
};
static const ubi__rdp_event events[] = {
    { "resources-available-array", available_fields, "resources that a watcher was asked for" },
    { "resource-available-form", available_form_fields, "the same, for clients before Firefox 131" },
    { "tabNavigated", navigated_fields, "the tab is another page now: its host has made it a new global" },
    UBI__RDP_METHODS_END,
};
const ubi__rdp_actor_type ubi__rdp_tab_target_type = {
    .name = "windowGlobalTarget", .help = "a runtime, to look into", .methods = methods, .events = events
};
/* Clients know it by this name. */
const ubi__rdp_actor_type ubi__rdp_process_target_type = {
    .name = "parentProcessTarget", .help = "the process, to look into", .methods = methods, .events = events
};

/* ---- threads ------------------------------------------------------------------------------------------------------------ */

static ubi_status sources_list(ubi__rdp_call *call) {
    return ubi__rdp_reply_none(call, "sources");
}

static ubi_status stack_list(ubi__rdp_call *call) {
    return ubi__rdp_reply_none(call, "frames");
}

static ubi_status breakpoints_list(ubi__rdp_call *call) {
    return ubi__rdp_reply_none(call, "value");
}

static const ubi__rdp_field sources_replies[] = {
    { "sources", UBI__RDP_ARRAY, UBI__RDP_REQUIRED, "empty" },
    UBI__RDP_END,
};
static const ubi__rdp_field value_replies[] = {
    { "value", UBI__RDP_ARRAY, UBI__RDP_REQUIRED, "empty" },
    UBI__RDP_END,
};
static const ubi__rdp_method thread_methods[] = {
    { "attach", ubi__rdp_reply_empty, options_arguments, NULL, false, "is accepted; programs are never stopped",
      "Firefox" },
    { "reconfigure", ubi__rdp_reply_empty, options_arguments, NULL, false, "is accepted", "" },
    { "resume", ubi__rdp_reply_empty, NULL, NULL, false, "is accepted", "" },
    { "sources", sources_list, NULL, sources_replies, false, "there are none", "Firefox" },
    { "frames", stack_list, NULL, frames_replies, false, "there are none", "" },
    { "getAvailableEventBreakpoints", breakpoints_list, NULL, value_replies, false, "there are none",
      "firefox-debugadapter" },
    UBI__RDP_METHODS_END,
};
const ubi__rdp_actor_type ubi__rdp_thread_type = { .name = "thread",
                                                   .help = "the runtime's thread, which is never stopped",
                                                   .methods = thread_methods };
