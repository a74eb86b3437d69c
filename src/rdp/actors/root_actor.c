/* SPDX-License-Identifier: MIT
 *
 * root_actor.c: the root of a connection: what there is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "rdp/actors/actors.h"
#include "rdp/connection.h"

/* ---- sessions ----------------------------------------------------------------------------------------------------------- */

ubi_status ubi__rdp_session_new(ubi__rdp_session **out, ubi__rdp_offer *offer) {
    ubi__rdp_session *session = UBI_NEW(ubi_allocator_default(), ubi__rdp_session);
    if (!session)
        return ubi__fail_nomem();
    session->offer = ubi__rdp_offer_ref(offer);
    *out = session;
    return UBI_OK;
}

static void snapshot_delete(const ubi__rdp_session *session, uint64_t number) {
    char path[UBI__PRIVATE_PATH_BYTES];
    ubi__rdp_snapshot_path(path, session->offer, number);
    (void)unlink(path);
}

void ubi__rdp_session_free(ubi__rdp_session *session) {
    for (uint32_t i = 0; i < session->n_snapshots; i++)
        snapshot_delete(session, session->snapshots[i]);
    ubi__rdp_offer_unref(session->offer);
    UBI_DELETE(ubi_allocator_default(), session);
}

ubi__rdp_session *ubi__rdp_session_of(const ubi__rdp_actor *actor) {
    return ubi__rdp_root(actor->connection)->payload;
}

void ubi__rdp_session_keep_snapshot(ubi__rdp_session *session, uint64_t number) {
    if (session->n_snapshots == UBI__RDP_MOST_SNAPSHOTS) {
        snapshot_delete(session, session->snapshots[0]);
        memmove(session->snapshots, session->snapshots + 1, sizeof session->snapshots - sizeof *session->snapshots);
        session->n_snapshots--;
    }
    session->snapshots[session->n_snapshots++] = number;
}

unsigned ubi__rdp_session_major(const ubi__rdp_session *session) {
    return (unsigned)strtoul(session->version, NULL, 10);
}

static void root_destroy(ubi__rdp_actor *actor) {
    ubi__rdp_session_free(actor->payload);
}

/* If it is `false`, clients also look for targets of workers. */
void ubi__rdp_root_greet(ubi__json *json) {
    ubi__json_member_string(json, "applicationType", "browser");
    ubi__json_member_string(json, "testConnectionPrefix", "server1.conn0.");
    ubi__json_member_object(json, "traits");
    ubi__json_member_bool(json, "networkMonitor", false);
    ubi__json_member_bool(json, "workerConsoleApiMessagesDispatchedToMainThread", true);
    ubi__json_object_end(json);
}

/* ---- descriptors -------------------------------------------------------------------------------------------------------- */

static ubi__rdp_actor *descriptor_find(const ubi__rdp_actor *root, const ubi__rdp_actor_type *type,
                                       const ubi__rdp_tab *tab) {
    ubi__rdp_actor *child = root->children;
    while (child && (child->type != type || child->payload != tab))
        child = child->next;
    return child;
}

/* Takes a reference of its own to the tab. */
static ubi_status descriptor_make(ubi__rdp_actor **out, ubi__rdp_actor *root, const ubi__rdp_actor_type *type,
                                  ubi__rdp_tab *tab) {
    *out = descriptor_find(root, type, tab);
    if (*out)
        return UBI_OK;
    UBI_TRY(ubi__rdp_actor_new(out, root, type, tab));
    ubi__rdp_tab_ref(tab);
    return UBI_OK;
}

typedef struct tab_list {
    ubi__rdp_tab *tabs[UBI__RDP_MOST_TABS];
    ubi__rdp_actor *descriptors[UBI__RDP_MOST_TABS];
    uint32_t n;
} tab_list;

static ubi_status tab_list_read(tab_list *list, ubi__rdp_actor *root) {
    ubi_status status = UBI_OK;
    list->n = ubi__rdp_offer_tabs(ubi__rdp_session_of(root)->offer, list->tabs);
    for (uint32_t i = 0; i < list->n && status == UBI_OK; i++)
        status = descriptor_make(&list->descriptors[i], root, &ubi__rdp_tab_type, list->tabs[i]);
    return status;
}

static void tab_list_fini(tab_list *list) {
    for (uint32_t i = 0; i < list->n; i++)
        ubi__rdp_tab_unref(list->tabs[i]);
}

/* Once after each listing. */
static void tab_news_send(ubi__rdp_actor *root) {
    ubi__rdp_session *session = ubi__rdp_session_of(root);
    if (!session->wants_tab_news)
        return;
    session->wants_tab_news = false;
    (void)ubi__rdp_event_begin(root, "tabListChanged");
    ubi__rdp_event_end(root);
}

void ubi__rdp_root_tabs_changed(ubi__rdp_actor *root) {
    ubi__rdp_session *session = ubi__rdp_session_of(root);
    for (ubi__rdp_actor *child = root->children, *next; child; child = next) {
        next = child->next;
        bool is_descriptor = child->type == &ubi__rdp_tab_type || child->type == &ubi__rdp_process_type;
        if (!is_descriptor || ubi__rdp_offer_has(session->offer, child->payload))
            continue;
        (void)ubi__rdp_event_begin(child, "descriptor-destroyed");
        ubi__rdp_event_end(child);
        ubi__rdp_actor_free(child);
    }
    tab_news_send(root);
}

void ubi__rdp_root_tab_navigated(ubi__rdp_actor *root, const ubi__rdp_tab *tab) {
    const ubi__rdp_actor *descriptor = descriptor_find(root, &ubi__rdp_tab_type, tab);
    ubi__rdp_actor *target = descriptor ? ubi__rdp_actor_child(descriptor, &ubi__rdp_tab_target_type) : NULL;
    if (target)
        ubi__rdp_target_navigated(target);
    tab_news_send(root);
}

/* ---- methods ------------------------------------------------------------------------------------------------------------ */

static ubi_status connect_take(ubi__rdp_call *call) {
    ubi__rdp_actor *root = ubi__rdp_call_actor(call);
    ubi__rdp_session *session = ubi__rdp_session_of(root);
    if (ubi__rdp_argument(call, 0)->type != UBI__JSON_NULL &&
        ubi__rdp_argument_text(session->version, sizeof session->version, call, 0) != UBI_OK)
        session->version[0] = '\0';
    root->connection->is_modern = true;
    return ubi__rdp_reply_empty(call);
}

/* Made before any of them is written. */
static ubi_status globals_make(ubi__rdp_actor *globals[3], ubi__rdp_actor *root) {
    UBI_TRY(ubi__rdp_child(&globals[0], root, &ubi__rdp_device_type));
    UBI_TRY(ubi__rdp_child(&globals[1], root, &ubi__rdp_preference_type));
    return ubi__rdp_child(&globals[2], root, &ubi__rdp_snapshot_file_type);
}

static void globals_write(ubi__json *json, ubi__rdp_actor *const globals[3]) {
    ubi__json_member_string(json, "deviceActor", globals[0]->id);
    ubi__json_member_string(json, "preferenceActor", globals[1]->id);
    ubi__json_member_string(json, "heapSnapshotFileActor", globals[2]->id);
}

static ubi_status root_get(ubi__rdp_call *call) {
    ubi__rdp_actor *root = ubi__rdp_call_actor(call), *globals[3];
    root->connection->is_modern = true;
    UBI_TRY(globals_make(globals, root));
    globals_write(ubi__rdp_reply_begin(call), globals);
    return ubi__rdp_reply_end(call);
}

/* An entry of the list. Clients that are as old as the protocol look for a tab's memory actor here, and nowhere else. */
static void tab_write(ubi__json *json, const ubi__rdp_actor *descriptor, bool is_selected) {
    const ubi__rdp_actor *target = ubi__rdp_actor_child(descriptor, &ubi__rdp_tab_target_type);
    ubi__json_object_begin(json);
    ubi__rdp_tab_form(json, descriptor, is_selected);
    if (target && !descriptor->connection->is_modern)
        ubi__json_member_string(json, "memoryActor", ubi__rdp_actor_child(target, &ubi__rdp_memory_type)->id);
    ubi__json_object_end(json);
}

static ubi_status old_targets_make(const tab_list *list, const ubi__rdp_actor *root) {
    ubi__rdp_actor *target = NULL;
    for (uint32_t i = 0; i < list->n && !root->connection->is_modern; i++)
        UBI_TRY(ubi__rdp_target_make(&target, list->descriptors[i]));
    return UBI_OK;
}

/* With the global actors, as old servers had them there: foxdriver looks nowhere else. */
static ubi_status tabs_list(ubi__rdp_call *call) {
    ubi__rdp_actor *root = ubi__rdp_call_actor(call), *globals[3];
    tab_list list;
    UBI_TRY(globals_make(globals, root));
    ubi_status status = tab_list_read(&list, root);
    if (status == UBI_OK)
        status = old_targets_make(&list, root);
    if (status == UBI_OK) {
        ubi__json *json = ubi__rdp_reply_begin(call);
        ubi__json_member_array(json, "tabs");
        for (uint32_t i = 0; i < list.n; i++)
            tab_write(json, list.descriptors[i], i == 0);
        ubi__json_array_end(json);
        ubi__json_member_u64(json, "selected", 0);
        globals_write(json, globals);
        ubi__rdp_session_of(root)->wants_tab_news = true;
        status = ubi__rdp_reply_end(call);
    }
    tab_list_fini(&list);
    return status;
}

static ubi_status tab_get(ubi__rdp_call *call) {
    ubi__rdp_actor *root = ubi__rdp_call_actor(call), *found = NULL;
    bool is_any = ubi__rdp_argument(call, 0)->type == UBI__JSON_NULL;
    double wanted = ubi__rdp_argument_number(call, 0, 0);
    uint32_t place = 0;
    tab_list list;
    ubi_status status = tab_list_read(&list, root);
    for (uint32_t i = 0; i < list.n && status == UBI_OK && !found; i++)
        if (is_any || (double)list.tabs[i]->number == wanted) {
            found = list.descriptors[i];
            place = i;
        }
    tab_list_fini(&list);
    UBI_TRY(status);
    if (!found)
        return ubi__rdp_reply_failure(call, "noTab", "Unable to find tab with browserId '%.0f' (no browsing-context)",
                                      wanted);
    ubi__json *json = ubi__rdp_reply_begin(call);
    ubi__json_member_object(json, "tab");
    ubi__rdp_tab_form(json, found, place == 0);
    ubi__json_object_end(json);
    return ubi__rdp_reply_end(call);
}

/* The process is looked at through its first tab, which is the program's main one. */
static ubi_status process_make(ubi__rdp_actor **out, ubi__rdp_actor *root) {
    tab_list list;
    ubi_status status = UBI_OK;
    list.n = ubi__rdp_offer_tabs(ubi__rdp_session_of(root)->offer, list.tabs);
    *out = NULL;
    if (list.n)
        status = descriptor_make(out, root, &ubi__rdp_process_type, list.tabs[0]);
    tab_list_fini(&list);
    return status;
}

static ubi_status process_get(ubi__rdp_call *call) {
    ubi__rdp_actor *process = NULL;
    if (ubi__rdp_argument(call, 0)->type == UBI__JSON_NULL)
        return ubi__rdp_reply_failure(call, "wrongParameter", "getProcess requires a valid `id` attribute.");
    UBI_TRY(process_make(&process, ubi__rdp_call_actor(call)));
    if (!process || ubi__rdp_argument_number(call, 0, -1) != 0)
        return ubi__rdp_reply_failure(call, "noProcess", "There is no such process");
    ubi__json *json = ubi__rdp_reply_begin(call);
    ubi__json_member_object(json, "processDescriptor");
    ubi__rdp_process_form(json, process);
    ubi__json_object_end(json);
    return ubi__rdp_reply_end(call);
}

static ubi_status processes_list(ubi__rdp_call *call) {
    ubi__rdp_actor *process = NULL;
    UBI_TRY(process_make(&process, ubi__rdp_call_actor(call)));
    ubi__json *json = ubi__rdp_reply_begin(call);
    ubi__json_member_array(json, "processes");
    if (process) {
        ubi__json_object_begin(json);
        ubi__rdp_process_form(json, process);
        ubi__json_object_end(json);
    }
    ubi__json_array_end(json);
    return ubi__rdp_reply_end(call);
}

static ubi_status addons_list(ubi__rdp_call *call) {
    return ubi__rdp_reply_none(call, "addons");
}

static ubi_status workers_list(ubi__rdp_call *call) {
    return ubi__rdp_reply_none(call, "workers");
}

static ubi_status registrations_list(ubi__rdp_call *call) {
    return ubi__rdp_reply_none(call, "registrations");
}

/* ---- tables ------------------------------------------------------------------------------------------------------------- */

static const ubi__rdp_field connect_arguments[] = {
    { "frontendVersion", UBI__RDP_STRING, UBI__RDP_OPTIONAL, "the client's version, which `getDescription` repeats" },
    UBI__RDP_END,
};
static const ubi__rdp_field globals_replies[] = {
    { "deviceActor", UBI__RDP_STRING, UBI__RDP_REQUIRED, "id" },
    { "preferenceActor", UBI__RDP_STRING, UBI__RDP_REQUIRED, "id" },
    { "heapSnapshotFileActor", UBI__RDP_STRING, UBI__RDP_REQUIRED, "id" },
    UBI__RDP_END,
};
static const ubi__rdp_field tabs_replies[] = {
    { "tabs", UBI__RDP_ARRAY, UBI__RDP_REQUIRED,
      "forms of tabs, one for each runtime of the program; with "
      "`memoryActor` for clients that sent neither `connect` nor `getRoot`" },
    { "selected", UBI__RDP_NUMBER, UBI__RDP_REQUIRED, "0: the first, which is the main one" },
    { "deviceActor", UBI__RDP_STRING, UBI__RDP_REQUIRED, "and others, as in the reply of `getRoot`" },
    UBI__RDP_END,
};
static const ubi__rdp_field tab_arguments[] = {
    { "browserId", UBI__RDP_NUMBER, UBI__RDP_OPTIONAL, "of the tab; without it the first" },
    UBI__RDP_END,
};
static const ubi__rdp_field tab_replies[] = {
    { "tab", UBI__RDP_OBJECT, UBI__RDP_REQUIRED, "its form" },
    UBI__RDP_END,
};
static const ubi__rdp_field process_arguments[] = {
    { "id", UBI__RDP_NUMBER, UBI__RDP_OPTIONAL, "0: this process, the only one" },
    UBI__RDP_END,
};
static const ubi__rdp_field process_replies[] = {
    { "processDescriptor", UBI__RDP_OBJECT, UBI__RDP_REQUIRED, "its form" },
    UBI__RDP_END,
};
static const ubi__rdp_field processes_replies[] = {
    { "processes", UBI__RDP_ARRAY, UBI__RDP_REQUIRED, "forms" },
    UBI__RDP_END,
};
static const ubi__rdp_field addons_arguments[] = {
    { "iconDataURL", UBI__RDP_BOOLEAN, UBI__RDP_OPTIONAL, "is not looked at" },
    UBI__RDP_END,
};
static const ubi__rdp_field addons_replies[] = {
    { "addons", UBI__RDP_ARRAY, UBI__RDP_REQUIRED, "empty" },
    UBI__RDP_END,
};
static const ubi__rdp_field workers_replies[] = {
    { "workers", UBI__RDP_ARRAY, UBI__RDP_REQUIRED, "empty: workers are tabs" },
    UBI__RDP_END,
};
static const ubi__rdp_field registrations_replies[] = {
    { "registrations", UBI__RDP_ARRAY, UBI__RDP_REQUIRED, "empty" },
    UBI__RDP_END,
};
static const ubi__rdp_field resources_arguments[] = {
    { "resourceTypes", UBI__RDP_ARRAY, UBI__RDP_OPTIONAL, "names" },
    UBI__RDP_END,
};

static const ubi__rdp_method methods[] = {
    { "connect", connect_take, connect_arguments, NULL, false,
      "says who the client is: one that knows events from replies", "Firefox" },
    { "getRoot", root_get, NULL, globals_replies, false, "ids of the actors that belong to no tab",
      "Firefox, firefox-debugadapter, web-ext" },
    { "listTabs", tabs_list, NULL, tabs_replies, false, "what there is to look into",
      "Firefox, foxdriver, firefox-debugadapter, firefox-client, web-ext" },
    { "getTab", tab_get, tab_arguments, tab_replies, false, "one of them", "Firefox" },
    { "getProcess", process_get, process_arguments, process_replies, false, "the whole process", "Firefox" },
    { "listProcesses", processes_list, NULL, processes_replies, false, "the same, as a list", "Firefox" },
    { "listAddons", addons_list, addons_arguments, addons_replies, false, "there are none", "Firefox, web-ext" },
    { "listWorkers", workers_list, NULL, workers_replies, false, "there are none", "Firefox" },
    { "listServiceWorkerRegistrations", registrations_list, NULL, registrations_replies, false, "there are none",
      "Firefox" },
    { "watchResources", ubi__rdp_reply_empty, resources_arguments, NULL, false, "there are none of the root", "" },
    { "unwatchResources", ubi__rdp_reply_empty, resources_arguments, NULL, true, "the opposite", "" },
    { "clearResources", ubi__rdp_reply_empty, resources_arguments, NULL, true, "nothing is there to clear", "" },
    UBI__RDP_METHODS_END,
};

static const ubi__rdp_event events[] = {
    { "tabListChanged", NULL, "a tab came, went or navigated; once after each `listTabs`" },
    UBI__RDP_METHODS_END,
};

const ubi__rdp_actor_type ubi__rdp_root_type = {
    .name = "root",
    .help = "what a connection begins with: it greets, and knows what there is",
    .methods = methods,
    .events = events,
    .destroy = root_destroy,
};
