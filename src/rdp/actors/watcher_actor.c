/* SPDX-License-Identifier: MIT
 *
 * watcher_actor.c: how today's clients find targets and configure them.
 */
#include "base/text.h"
#include "rdp/actors/actors.h"
#include "rdp/connection.h"

#include <ubiheap/core/base.h>

/* ---- targets ------------------------------------------------------------------------------------------------------------ */

static void target_announce(ubi__rdp_actor *watcher, const ubi__rdp_actor *target) {
    ubi__json *json = ubi__rdp_event_begin(watcher, "target-available-form");
    ubi__json_member_object(json, "target");
    ubi__rdp_target_form(json, target);
    ubi__json_object_end(json);
    ubi__rdp_event_end(watcher);
}

static ubi_status targets_watch(ubi__rdp_call *call) {
    ubi__rdp_actor *watcher = ubi__rdp_call_actor(call), *target = NULL;
    bool is_frame = ubi__rdp_argument_is(call, 0, "frame");
    if (is_frame)
        UBI_TRY(ubi__rdp_target_make(&target, watcher->parent));
    ubi_status status = ubi__rdp_reply_empty(call);
    if (target)
        target_announce(watcher, target);
    return status;
}

/* ---- making ------------------------------------------------------------------------------------------------------------- */

typedef struct watcher_state {
    bool has_documents; /* it was asked for what happens to documents */
} watcher_state;

ubi_status ubi__rdp_watcher_make(ubi__rdp_actor **out, ubi__rdp_actor *descriptor) {
    const ubi_allocator *allocator = descriptor->connection->allocator;
    *out = ubi__rdp_actor_child(descriptor, &ubi__rdp_watcher_type);
    if (*out)
        return UBI_OK;
    watcher_state *state = UBI_NEW(allocator, watcher_state);
    if (!state)
        return ubi__fail_nomem();
    ubi_status status = ubi__rdp_actor_new(out, descriptor, &ubi__rdp_watcher_type, state);
    if (status != UBI_OK)
        UBI_DELETE(allocator, state);
    return status;
}

static void watcher_destroy(ubi__rdp_actor *actor) {
    watcher_state *state = actor->payload;
    UBI_DELETE(actor->connection->allocator, state);
}

/* ---- documents ---------------------------------------------------------------------------------------------------------- */

/* Since Firefox 131 resources come in arrays by type; before that each knows its own. */
static bool has_old_forms(const ubi__rdp_actor *target) {
    unsigned major = ubi__rdp_session_major(ubi__rdp_session_of(target));
    return major && major < 131;
}

static ubi__json *documents_begin(ubi__rdp_actor *target) {
    bool is_old = has_old_forms(target);
    ubi__json *json = ubi__rdp_event_begin(target, is_old ? "resource-available-form" : "resources-available-array");
    ubi__json_member_array(json, is_old ? "resources" : "array");
    if (!is_old) {
        ubi__json_array_begin(json);
        ubi__json_string(json, "document-event");
        ubi__json_array_begin(json);
    }
    return json;
}

static void documents_end(ubi__json *json, ubi__rdp_actor *target) {
    if (!has_old_forms(target)) {
        ubi__json_array_end(json);
        ubi__json_array_end(json);
    }
    ubi__json_array_end(json);
    ubi__rdp_event_end(target);
}

static void moment_begin(ubi__json *json, const ubi__rdp_actor *target, const char *name) {
    ubi__json_object_begin(json);
    if (has_old_forms(target))
        ubi__json_member_string(json, "resourceType", "document-event");
    ubi__json_member_string(json, "name", name);
    ubi__json_member_u64(json, "time", ubi_process_clock_ns() / 1000000);
}

static void moment_write(ubi__json *json, const ubi__rdp_actor *target, const ubi__rdp_tab_names *names,
                         const char *name, bool is_last) {
    moment_begin(json, target, name);
    ubi__json_member_string(json, "title", names->title);
    ubi__json_member_string(json, "url", names->url);
    ubi__json_key(json, "newURI");
    ubi__json_null(json);
    if (is_last)
        ubi__json_member_bool(json, "hasNativeConsoleAPI", true);
    ubi__json_object_end(json);
}

static void document_announce(ubi__rdp_actor *target) {
    ubi__rdp_tab_names names;
    ubi__rdp_tab_names_read(&names, ubi__rdp_tab_of(target));
    ubi__json *json = documents_begin(target);
    moment_write(json, target, &names, "dom-loading", false);
    moment_write(json, target, &names, "dom-interactive", false);
    moment_write(json, target, &names, "dom-complete", true);
    documents_end(json, target);
}

static bool watcher_has_documents(const ubi__rdp_actor *watcher) {
    return ((const watcher_state *)watcher->payload)->has_documents;
}

/* Clients forget what they have shown of the page before. */
void ubi__rdp_watcher_document_leaves(const ubi__rdp_actor *watcher, ubi__rdp_actor *target) {
    ubi__rdp_tab_names names;
    if (!watcher_has_documents(watcher))
        return;
    ubi__rdp_tab_names_read(&names, ubi__rdp_tab_of(target));
    ubi__json *json = documents_begin(target);
    moment_begin(json, target, "will-navigate");
    ubi__json_member_string(json, "newURI", names.url);
    ubi__json_member_bool(json, "isFrameSwitching", false);
    ubi__json_object_end(json);
    documents_end(json, target);
}

void ubi__rdp_watcher_document_comes(const ubi__rdp_actor *watcher, ubi__rdp_actor *target) {
    if (watcher_has_documents(watcher))
        document_announce(target);
}

/* ---- resources ---------------------------------------------------------------------------------------------------------- */

static ubi_status resources_watch(ubi__rdp_call *call) {
    ubi__rdp_actor *watcher = ubi__rdp_call_actor(call), *target = NULL;
    const ubi__json_value *names = ubi__rdp_argument(call, 0);
    bool has_document = ubi__rdp_names_have(names, "document-event");
    uint32_t of_console = ubi__rdp_console_resources(names);
    if (has_document || of_console)
        UBI_TRY(ubi__rdp_target_make(&target, watcher->parent));
    if (of_console)
        UBI_TRY(ubi__rdp_console_configure(ubi__rdp_actor_child(target, &ubi__rdp_console_type), of_console, 0));
    ubi_status status = ubi__rdp_reply_empty(call);
    if (has_document) {
        ((watcher_state *)watcher->payload)->has_documents = true;
        document_announce(target);
    }
    return status;
}

static ubi_status resources_unwatch(ubi__rdp_call *call) {
    ubi__rdp_actor *watcher = ubi__rdp_call_actor(call), *target = NULL;
    const ubi__json_value *names = ubi__rdp_argument(call, 0);
    uint32_t of_console = ubi__rdp_console_resources(names);
    if (ubi__rdp_names_have(names, "document-event"))
        ((watcher_state *)watcher->payload)->has_documents = false;
    if (of_console) {
        UBI_TRY(ubi__rdp_target_make(&target, watcher->parent));
        UBI_TRY(ubi__rdp_console_configure(ubi__rdp_actor_child(target, &ubi__rdp_console_type), 0, of_console));
    }
    return ubi__rdp_reply_empty(call);
}

/* ---- configurations ----------------------------------------------------------------------------------------------------- */

/* Replies with `{NAME: {"actor": ID}}`, and with what a target's configuration has besides. */
static ubi_status child_reply(ubi__rdp_call *call, const char *name, const ubi__rdp_actor_type *type) {
    ubi__rdp_actor *child = NULL;
    UBI_TRY(ubi__rdp_child(&child, ubi__rdp_call_actor(call), type));
    ubi__json *json = ubi__rdp_reply_begin(call);
    ubi__json_member_object(json, name);
    ubi__json_member_string(json, "actor", child->id);
    if (type == &ubi__rdp_target_configuration_type) {
        ubi__json_member_object(json, "configuration");
        ubi__json_object_end(json);
        ubi__json_member_object(json, "traits");
        ubi__json_member_object(json, "supportedOptions");
        ubi__json_member_bool(json, "recordAllocations", true);
        ubi__json_object_end(json);
        ubi__json_object_end(json);
    }
    ubi__json_object_end(json);
    return ubi__rdp_reply_end(call);
}

static ubi_status target_configuration_get(ubi__rdp_call *call) {
    return child_reply(call, "configuration", &ubi__rdp_target_configuration_type);
}

static ubi_status thread_configuration_get(ubi__rdp_call *call) {
    return child_reply(call, "configuration", &ubi__rdp_thread_configuration_type);
}

static ubi_status network_parent_get(ubi__rdp_call *call) {
    return child_reply(call, "network", &ubi__rdp_network_parent_type);
}

static ubi_status blackboxing_get(ubi__rdp_call *call) {
    return child_reply(call, "blackboxing", &ubi__rdp_blackboxing_type);
}

static ubi_status breakpoint_list_get(ubi__rdp_call *call) {
    return child_reply(call, "breakpointList", &ubi__rdp_breakpoint_list_type);
}

static const ubi__rdp_field targets_arguments[] = {
    { "targetType", UBI__RDP_STRING, UBI__RDP_REQUIRED, "`frame`; there are none of other types" },
    UBI__RDP_END,
};
static const ubi__rdp_field resources_arguments[] = {
    { "resourceTypes", UBI__RDP_ARRAY, UBI__RDP_REQUIRED, "names" },
    UBI__RDP_END,
};
static const ubi__rdp_field unwatch_arguments[] = {
    { "targetType", UBI__RDP_STRING, UBI__RDP_OPTIONAL, "`frame`" },
    UBI__RDP_END,
};
static const ubi__rdp_field unwatch_resources_arguments[] = {
    { "resourceTypes", UBI__RDP_ARRAY, UBI__RDP_OPTIONAL, "names" },
    UBI__RDP_END,
};
static const ubi__rdp_field configuration_replies[] = {
    { "configuration", UBI__RDP_OBJECT, UBI__RDP_REQUIRED, "`actor`: the id" },
    UBI__RDP_END,
};
static const ubi__rdp_field network_replies[] = {
    { "network", UBI__RDP_OBJECT, UBI__RDP_REQUIRED, "`actor`: the id" },
    UBI__RDP_END,
};
static const ubi__rdp_field blackboxing_replies[] = {
    { "blackboxing", UBI__RDP_OBJECT, UBI__RDP_REQUIRED, "`actor`: the id" },
    UBI__RDP_END,
};
static const ubi__rdp_field breakpoint_list_replies[] = {
    { "breakpointList", UBI__RDP_OBJECT, UBI__RDP_REQUIRED, "`actor`: the id" },
    UBI__RDP_END,
};
static const ubi__rdp_field available_fields[] = {
    { "target", UBI__RDP_OBJECT, UBI__RDP_REQUIRED, "its form" },
    UBI__RDP_END,
};

static const ubi__rdp_method methods[] = {
    { "watchTargets", targets_watch, targets_arguments, NULL, false, "wants targets, as events",
      "Firefox, firefox-debugadapter" },
    { "unwatchTargets", ubi__rdp_reply_empty, unwatch_arguments, NULL, true, "the opposite", "Firefox" },
    { "watchResources", resources_watch, resources_arguments, NULL, false,
      "wants resources, as events of targets: `document-event` comes at once and when the tab navigates, "
      "`console-message` and `error-message` as "
      "the program speaks, after those that it has said before",
      "Firefox, firefox-debugadapter" },
    { "unwatchResources", resources_unwatch, unwatch_resources_arguments, NULL, true, "the opposite", "Firefox" },
    { "clearResources", ubi__rdp_reply_empty, unwatch_resources_arguments, NULL, true, "nothing is kept", "" },
    { "getTargetConfigurationActor", target_configuration_get, NULL, configuration_replies, false, "an actor",
      "Firefox" },
    { "getThreadConfigurationActor", thread_configuration_get, NULL, configuration_replies, false, "an actor",
      "Firefox, firefox-debugadapter" },
    { "getNetworkParentActor", network_parent_get, NULL, network_replies, false, "an actor", "Firefox" },
    { "getBlackboxingActor", blackboxing_get, NULL, blackboxing_replies, false, "an actor", "" },
    { "getBreakpointListActor", breakpoint_list_get, NULL, breakpoint_list_replies, false, "an actor",
      "firefox-debugadapter" },
    UBI__RDP_METHODS_END,
};
static const ubi__rdp_event events[] = {
    { "target-available-form", available_fields, "a target; after the reply of `watchTargets`" },
    UBI__RDP_METHODS_END,
};
const ubi__rdp_actor_type ubi__rdp_watcher_type = {
    .name = "watcher",
    .help = "how today's clients find targets",
    .methods = methods,
    .events = events,
    .destroy = watcher_destroy,
};
