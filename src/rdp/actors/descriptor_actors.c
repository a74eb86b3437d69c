/* SPDX-License-Identifier: MIT
 *
 * descriptor_actors.c: tabs and the process, as a client finds them before it looks into them.
 */
#include <unistd.h>

#include "base/text.h"
#include "rdp/actors/actors.h"
#include "rdp/connection.h"

static void descriptor_destroy(ubi__rdp_actor *actor) {
    ubi__rdp_tab_unref(actor->payload);
}

ubi__rdp_tab *ubi__rdp_tab_of(const ubi__rdp_actor *actor) {
    while (actor->type != &ubi__rdp_tab_type && actor->type != &ubi__rdp_process_type)
        actor = actor->parent;
    return actor->payload;
}

bool ubi__rdp_is_of_process(const ubi__rdp_actor *actor) {
    while (actor && actor->type != &ubi__rdp_process_type)
        actor = actor->parent;
    return actor != NULL;
}

ubi_status ubi__rdp_child(ubi__rdp_actor **out, ubi__rdp_actor *parent, const ubi__rdp_actor_type *type) {
    *out = ubi__rdp_actor_child(parent, type);
    return *out ? UBI_OK : ubi__rdp_actor_new(out, parent, type, NULL);
}

ubi_status ubi__rdp_reply_none(ubi__rdp_call *call, const char *member) {
    ubi__json *json = ubi__rdp_reply_begin(call);
    ubi__json_member_array(json, member);
    ubi__json_array_end(json);
    return ubi__rdp_reply_end(call);
}

/* ---- forms -------------------------------------------------------------------------------------------------------------- */

/* Numbers that clients take for those of a browser's windows: each is the tab's own. */
static void window_ids_write(ubi__json *json, const ubi__rdp_tab *tab) {
    ubi__json_member_u64(json, "browsingContextID", tab->number);
    ubi__json_member_u64(json, "outerWindowID", tab->number);
}

void ubi__rdp_tab_form(ubi__json *json, const ubi__rdp_actor *descriptor, bool is_selected) {
    const ubi__rdp_tab *tab = ubi__rdp_tab_of(descriptor);
    ubi__rdp_tab_names names;
    ubi__rdp_tab_names_read(&names, tab);
    ubi__json_member_string(json, "actor", descriptor->id);
    ubi__json_member_u64(json, "browserId", tab->number);
    window_ids_write(json, tab);
    ubi__json_member_bool(json, "isZombieTab", false);
    ubi__json_member_bool(json, "selected", is_selected);
    ubi__json_member_string(json, "title", names.title);
    ubi__json_member_string(json, "url", names.url);
    ubi__json_member_object(json, "traits");
    ubi__json_member_bool(json, "watcher", true);
    ubi__json_member_bool(json, "supportsReloadDescriptor", tab->reload != NULL);
    ubi__json_object_end(json);
}

void ubi__rdp_process_form(ubi__json *json, const ubi__rdp_actor *descriptor) {
    ubi__json_member_string(json, "actor", descriptor->id);
    ubi__json_member_u64(json, "id", 0);
    ubi__json_member_bool(json, "isParent", true);
    ubi__json_member_bool(json, "isWindowlessParent", false);
    ubi__json_member_object(json, "traits");
    ubi__json_member_bool(json, "watcher", true);
    ubi__json_object_end(json);
}

/* ---- methods ------------------------------------------------------------------------------------------------------------ */

static ubi_status target_get(ubi__rdp_call *call) {
    ubi__rdp_actor *descriptor = ubi__rdp_call_actor(call), *target = NULL;
    UBI_TRY(ubi__rdp_target_make(&target, descriptor));
    ubi__json *json = ubi__rdp_reply_begin(call);
    ubi__json_member_object(json, ubi__rdp_is_of_process(descriptor) ? "process" : "frame");
    ubi__rdp_target_form(json, target);
    ubi__json_object_end(json);
    return ubi__rdp_reply_end(call);
}

/* Resources that are sent. A client that finds its type here asks for it, else it asks the console. */
static void resources_write(ubi__json *json) {
    ubi__json_member_object(json, "resources");
    ubi__json_member_bool(json, "document-event", true);
    ubi__json_member_bool(json, "console-message", true);
    ubi__json_member_bool(json, "error-message", true);
    ubi__json_object_end(json);
}

static ubi_status watcher_get(ubi__rdp_call *call) {
    ubi__rdp_actor *watcher = NULL;
    UBI_TRY(ubi__rdp_watcher_make(&watcher, ubi__rdp_call_actor(call)));
    ubi__json *json = ubi__rdp_reply_begin(call);
    ubi__json_member_string(json, "actor", watcher->id);
    ubi__json_member_object(json, "traits");
    ubi__json_member_bool(json, "frame", true);
    resources_write(json);
    ubi__json_object_end(json);
    return ubi__rdp_reply_end(call);
}

ubi_status ubi__rdp_reload(ubi__rdp_call *call) {
    UBI_TRY(ubi__rdp_tab_reload(ubi__rdp_tab_of(ubi__rdp_call_actor(call))));
    return ubi__rdp_reply_empty(call);
}

static ubi_status favicon_get(ubi__rdp_call *call) {
    ubi__json *json = ubi__rdp_reply_begin(call);
    ubi__json_key(json, "favicon");
    ubi__json_null(json);
    return ubi__rdp_reply_end(call);
}

static const ubi__rdp_field frame_replies[] = {
    { "frame", UBI__RDP_OBJECT, UBI__RDP_REQUIRED, "the target's form" },
    UBI__RDP_END,
};
static const ubi__rdp_field process_replies[] = {
    { "process", UBI__RDP_OBJECT, UBI__RDP_REQUIRED, "the target's form" },
    UBI__RDP_END,
};
static const ubi__rdp_field watcher_arguments[] = {
    { "isServerTargetSwitchingEnabled", UBI__RDP_BOOLEAN, UBI__RDP_OPTIONAL, "is not looked at" },
    { "isPopupDebuggingEnabled", UBI__RDP_BOOLEAN, UBI__RDP_OPTIONAL, "is not looked at" },
    { "enableWindowGlobalThreadActors", UBI__RDP_BOOLEAN, UBI__RDP_OPTIONAL, "is not looked at" },
    UBI__RDP_END,
};
static const ubi__rdp_field watcher_replies[] = {
    { "actor", UBI__RDP_STRING, UBI__RDP_REQUIRED, "the watcher's id" },
    { "traits", UBI__RDP_OBJECT, UBI__RDP_REQUIRED, "`frame`: true; `resources`: those that are sent" },
    UBI__RDP_END,
};
static const ubi__rdp_field reload_arguments[] = {
    { "bypassCache", UBI__RDP_BOOLEAN, UBI__RDP_OPTIONAL, "is not looked at" },
    UBI__RDP_END,
};
static const ubi__rdp_field favicon_replies[] = {
    { "favicon", UBI__RDP_ANY, UBI__RDP_OPTIONAL, "null" },
    UBI__RDP_END,
};
static const ubi__rdp_event events[] = {
    { "descriptor-destroyed", NULL, "the program, or its worker, has ended" },
    UBI__RDP_METHODS_END,
};

static const ubi__rdp_method tab_methods[] = {
    { "getTarget", target_get, NULL, frame_replies, false, "the target, for clients without a watcher", "foxdriver" },
    { "getWatcher", watcher_get, watcher_arguments, watcher_replies, false, "the watcher, for all others",
      "Firefox, firefox-debugadapter" },
    { "reloadDescriptor", ubi__rdp_reload, reload_arguments, NULL, false,
      "asks the host to run the program again, after which the tab navigates; an error where hosts cannot, as `ubiheap "
      "run`",
      "" },
    { "getFavicon", favicon_get, NULL, favicon_replies, false, "there is none", "Firefox" },
    UBI__RDP_METHODS_END,
};
const ubi__rdp_actor_type ubi__rdp_tab_type = {
    .name = "tabDescriptor",
    .help = "a runtime of the program: the main one, or a worker",
    .methods = tab_methods,
    .events = events,
    .destroy = descriptor_destroy,
};

static const ubi__rdp_method process_methods[] = {
    { "getTarget", target_get, NULL, process_replies, false, "the target", "" },
    { "getWatcher", watcher_get, watcher_arguments, watcher_replies, false, "the watcher", "" },
    UBI__RDP_METHODS_END,
};
const ubi__rdp_actor_type ubi__rdp_process_type = {
    .name = "processDescriptor",
    .help = "the whole process",
    .methods = process_methods,
    .events = events,
    .destroy = descriptor_destroy,
};
