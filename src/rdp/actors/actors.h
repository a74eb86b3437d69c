/* SPDX-License-Identifier: MIT
 *
 * actors.h: the actors of our server, and what they share.
 *
 *     root ─┬─ device, preference, heapSnapshotFile
 *           ├─ tabDescriptor ─┬─ target ─┬─ memory
 *           │    (each tab)   │          ├─ timeline, memprof
 *           │                 │          ├─ console ── object, longString, symbol ── propertyIterator
 *           │                 │          └─ thread
 *           │                 └─ watcher ── targetConfiguration, threadConfiguration, ...
 *           └─ processDescriptor ── the same
 *
 * An actor is made when its id is first given to the client; each connection has its own.
 */
#ifndef UBI_RDP_ACTORS_H
#define UBI_RDP_ACTORS_H

#include "rdp/actor.h"
#include "rdp/console_link.h"
#include "rdp/memory_link.h"

/** Ends a table. */
#define UBI__RDP_END                                                                                                   \
    { .name = NULL }
#define UBI__RDP_METHODS_END                                                                                           \
    { .type = NULL }

extern const ubi__rdp_actor_type ubi__rdp_root_type;
extern const ubi__rdp_actor_type ubi__rdp_device_type;
extern const ubi__rdp_actor_type ubi__rdp_preference_type;
extern const ubi__rdp_actor_type ubi__rdp_snapshot_file_type;
extern const ubi__rdp_actor_type ubi__rdp_tab_type;
extern const ubi__rdp_actor_type ubi__rdp_process_type;
extern const ubi__rdp_actor_type ubi__rdp_watcher_type;
extern const ubi__rdp_actor_type ubi__rdp_target_configuration_type;
extern const ubi__rdp_actor_type ubi__rdp_thread_configuration_type;
extern const ubi__rdp_actor_type ubi__rdp_network_parent_type;
extern const ubi__rdp_actor_type ubi__rdp_blackboxing_type;
extern const ubi__rdp_actor_type ubi__rdp_breakpoint_list_type;
extern const ubi__rdp_actor_type ubi__rdp_tab_target_type;
extern const ubi__rdp_actor_type ubi__rdp_process_target_type;
extern const ubi__rdp_actor_type ubi__rdp_thread_type;
extern const ubi__rdp_actor_type ubi__rdp_console_type;
extern const ubi__rdp_actor_type ubi__rdp_object_type;
extern const ubi__rdp_actor_type ubi__rdp_property_iterator_type;
extern const ubi__rdp_actor_type ubi__rdp_long_string_type;
extern const ubi__rdp_actor_type ubi__rdp_symbol_type;
extern const ubi__rdp_actor_type ubi__rdp_memory_type;
extern const ubi__rdp_actor_type ubi__rdp_timeline_type;
extern const ubi__rdp_actor_type ubi__rdp_memprof_type;

/** All of them, in the order of the reference page; NULL after the last. */
extern const ubi__rdp_actor_type *const ubi__rdp_actor_types[];

/* ---- a connection's state: the payload of its root ---------------------------------------------------------------------- */

/** Snapshots of one connection that are kept; then the oldest goes. */
#define UBI__RDP_MOST_SNAPSHOTS 64

typedef struct ubi__rdp_session {
    ubi__rdp_offer *offer; /* a reference */
    char version[32];      /* of the client, as it says; "" if it does not */
    bool wants_tab_news;   /* it has listed tabs since the last news */
    uint64_t last_result;  /* of a console */
    uint64_t n_consoles;   /* that were made */
    uint64_t snapshots[UBI__RDP_MOST_SNAPSHOTS];
    uint32_t n_snapshots;
} ubi__rdp_session;

/** For ubi__rdp_connection_options.root_payload. The root frees it. Errors: UBI_ENOMEM. */
ubi_status ubi__rdp_session_new(ubi__rdp_session **out, ubi__rdp_offer *offer);
void ubi__rdp_session_free(ubi__rdp_session *session);
/** The connection's. */
ubi__rdp_session *ubi__rdp_session_of(const ubi__rdp_actor *actor);
/** What the greeting has: for ubi__rdp_connection_options.greet. */
void ubi__rdp_root_greet(ubi__json *json);
/** Tabs came or went: says so to clients that want to know, and frees the actors of those that went. */
void ubi__rdp_root_tabs_changed(ubi__rdp_actor *root);
/** A tab is another page now: says so to clients that look into it. */
void ubi__rdp_root_tab_navigated(ubi__rdp_actor *root, const ubi__rdp_tab *tab);
/** Sends the events of a navigation; the watcher's as well, if there is one. */
void ubi__rdp_target_navigated(ubi__rdp_actor *target);
/** Sends resources of documents, if the watcher was asked for them. */
void ubi__rdp_watcher_document_leaves(const ubi__rdp_actor *watcher, ubi__rdp_actor *target);
void ubi__rdp_watcher_document_comes(const ubi__rdp_actor *watcher, ubi__rdp_actor *target);
/** The watcher of a descriptor. Errors: as ubi__rdp_actor_new. */
ubi_status ubi__rdp_watcher_make(ubi__rdp_actor **out, ubi__rdp_actor *descriptor);
/** The major number of the client's version; 0: unknown. */
unsigned ubi__rdp_session_major(const ubi__rdp_session *session);
/** A snapshot was saved: it is deleted with the connection. */
void ubi__rdp_session_keep_snapshot(ubi__rdp_session *session, uint64_t number);
/** The same for a memory actor; NULL: it has gone, and the file goes at once. */
void ubi__rdp_snapshot_arrived(const ubi__rdp_actor *memory, const ubi__rdp_offer *offer, uint64_t number);

/* ---- what several actors do --------------------------------------------------------------------------------------------- */

/** The child of a type, which is made when there is none. Errors: as ubi__rdp_actor_new. */
ubi_status ubi__rdp_child(ubi__rdp_actor **out, ubi__rdp_actor *parent, const ubi__rdp_actor_type *type);
/** The tab that an actor below a descriptor is about. */
ubi__rdp_tab *ubi__rdp_tab_of(const ubi__rdp_actor *actor);
/** Whether it is below the process's descriptor. */
bool ubi__rdp_is_of_process(const ubi__rdp_actor *actor);
/** `reload` of a target, `reloadDescriptor` of a tab. */
ubi_status ubi__rdp_reload(ubi__rdp_call *call);
/** The target of a descriptor, with the actors below it. */
ubi_status ubi__rdp_target_make(ubi__rdp_actor **out, ubi__rdp_actor *descriptor);
/** Writes a target's form, in an object that is open. */
void ubi__rdp_target_form(ubi__json *json, const ubi__rdp_actor *target);
/** Writes a descriptor's form, in an object that is open. */
void ubi__rdp_tab_form(ubi__json *json, const ubi__rdp_actor *descriptor, bool is_selected);
void ubi__rdp_process_form(ubi__json *json, const ubi__rdp_actor *descriptor);
/** The memory actor's payload. Errors: UBI_ENOMEM. */
ubi_status ubi__rdp_memory_make(ubi__rdp_actor **out, ubi__rdp_actor *target);
/**
 * Starts a recording with these options, or stops it if they are null; attaches before that. Nothing is replied.
 * Errors: UBI_ENOMEM.
 */
ubi_status ubi__rdp_memory_configure(ubi__rdp_actor *memory, const ubi__json_value *options);
/** The timeline and memprof actors. Errors: as ubi__rdp_actor_new. */
ubi_status ubi__rdp_timeline_make(ubi__rdp_actor **out, ubi__rdp_actor *target);
ubi_status ubi__rdp_memprof_make(ubi__rdp_actor **out, ubi__rdp_actor *target);
/** The console actor. Errors: UBI_ELIMIT, UBI_ENOMEM. */
ubi_status ubi__rdp_console_make(ubi__rdp_actor **out, ubi__rdp_actor *target);
/** The bits of resources that are named in an array. */
uint32_t ubi__rdp_console_resources(const ubi__json_value *names);
/** Begins and ends sending resources of the target. Nothing is replied. Errors: UBI_ENOMEM. */
ubi_status ubi__rdp_console_configure(ubi__rdp_actor *console, uint32_t wanted, uint32_t unwanted);
/** Ends the code that the console of a target runs for its client, if it has one. Nothing is replied. */
void ubi__rdp_console_stop_code(ubi__rdp_actor *target);
/** Another page is there: frees the actors of values. */
void ubi__rdp_console_forget(ubi__rdp_actor *console);
/** An errand about a value of the console, to be filled in; NULL: no memory. */
ubi__rdp_console_errand *ubi__rdp_console_errand_new(ubi__rdp_actor *console, ubi__rdp_call *call,
                                                     ubi__rdp_errand_fn perform);
/** The value of an actor that goes is held no longer. */
void ubi__rdp_held_free(ubi__rdp_held *held);
/** Whether an array of JSON has a string. */
bool ubi__rdp_names_have(const ubi__json_value *names, const char *name);
/** Replies with an object that has one member, an empty array. */
ubi_status ubi__rdp_reply_none(ubi__rdp_call *call, const char *member);

#endif
