/* SPDX-License-Identifier: MIT
 *
 * memory_errands.c: what a memory actor's requests do on the target's thread. See memory_link.h.
 */
#include "base/status.h"
#include "jobs/memory_packets.h"
#include "rdp/memory_link.h"

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

/* ---- attaching ---------------------------------------------------------------------------------------------------------- */

ubi_status ubi__rdp_memory_attach(ubi__rdp_errand *errand, ubi__json *json) {
    UBI_TRY(ubi_memory_bridge_attach(ubi__rdp_memory_link_of(errand)->bridge));
    ubi__json_member_string(json, "type", "attached");
    return UBI_OK;
}

ubi_status ubi__rdp_memory_detach(ubi__rdp_errand *errand, ubi__json *json) {
    UBI_TRY(ubi_memory_bridge_detach(ubi__rdp_memory_link_of(errand)->bridge));
    ubi__rdp_memory_link_of(errand)->has_drain = false;
    ubi__json_member_string(json, "type", "detached");
    return UBI_OK;
}

/* ---- census ------------------------------------------------------------------------------------------------------------- */

ubi_status ubi__rdp_memory_census(ubi__rdp_errand *errand, ubi__json *json) {
    ubi_census *census = NULL;
    UBI_TRY(ubi_memory_bridge_census(&census, ubi__rdp_memory_link_of(errand)->bridge));
    ubi_status status = ubi__memory_census_put(json, census);
    ubi_census_free(census);
    return status;
}

/* ---- recording ---------------------------------------------------------------------------------------------------------- */

ubi_status ubi__rdp_memory_start(ubi__rdp_errand *errand, ubi__json *json) {
    ubi_memory_bridge *bridge = ubi__rdp_memory_link_of(errand)->bridge;
    double now_ms = 0;
    bool was_recording = ubi_memory_bridge_is_recording(bridge);
    UBI_TRY(ubi_memory_bridge_start_recording(bridge, &ubi__rdp_memory_errand_of(errand)->recording, &now_ms));
    ubi__rdp_memory_errand_of(errand)->has_begun = !was_recording;
    if (ubi__rdp_memory_errand_of(errand)->has_begun)
        ubi__rdp_memory_link_of(errand)->has_drain = ubi__rdp_memory_errand_of(errand)->drain_ms != UINT64_MAX;
    ubi__json_key(json, "value");
    ubi__json_double(json, now_ms);
    return UBI_OK;
}

ubi_status ubi__rdp_memory_stop(ubi__rdp_errand *errand, ubi__json *json) {
    double now_ms = 0;
    UBI_TRY(ubi_memory_bridge_stop_recording(ubi__rdp_memory_link_of(errand)->bridge, &now_ms));
    ubi__rdp_memory_link_of(errand)->has_drain = false;
    ubi__json_key(json, "value");
    ubi__json_double(json, now_ms);
    return UBI_OK;
}

ubi_status ubi__rdp_memory_settings(ubi__rdp_errand *errand, ubi__json *json) {
    ubi_memory_settings settings = UBI_MEMORY_SETTINGS_INIT;
    UBI_TRY(ubi_memory_bridge_settings(&settings, ubi__rdp_memory_link_of(errand)->bridge));
    ubi__json_member_object(json, "options");
    ubi__memory_settings_put(json, &settings);
    ubi__json_object_end(json);
    return UBI_OK;
}

ubi_status ubi__rdp_memory_allocations(ubi__rdp_errand *errand, ubi__json *json) {
    ubi_memory_bridge *bridge = ubi__rdp_memory_link_of(errand)->bridge;
    ubi_memory_allocations a = UBI_MEMORY_ALLOCATIONS_INIT;
    UBI_TRY(ubi_memory_bridge_allocations(&a, bridge));
    ubi__memory_allocations_put(json, &a, bridge);
    return UBI_OK;
}

ubi_status ubi__rdp_memory_drain(ubi__rdp_errand *errand, ubi__json *json) {
    ubi__json_member_string(json, "type", UBI__RDP_ALLOCATIONS_EVENT);
    ubi__json_member_object(json, "data");
    UBI_TRY(ubi__rdp_memory_allocations(errand, json));
    ubi__json_object_end(json);
    return UBI_OK;
}

/* ---- collections -------------------------------------------------------------------------------------------------------- */

static ubi_status collection_write(ubi__rdp_errand *errand, const ubi_collection *collection) {
    ubi__json *json = ubi__rdp_packet_open(&errand->packet, errand->from, memory());
    ubi__json_member_string(json, "type", "garbage-collection");
    ubi__json_member_object(json, "data");
    ubi__memory_collection_put(json, collection);
    ubi__json_object_end(json);
    return ubi__rdp_packet_close(&errand->packet);
}

/* The bridge's. */
static void link_hear_collection(void *payload, const ubi_collection *collection) {
    ubi__rdp_memory_link *l = payload;
    ubi__rdp_errand *event = ubi__rdp_errand_new(&l->link, NULL, NULL);
    ubi__rdp_errand *drain = l->has_drain ? ubi__rdp_errand_new(&l->link, NULL, ubi__rdp_memory_drain) : NULL;
    if (event)
        ubi__rdp_errand_post(event, collection_write(event, collection));
    if (!drain)
        return;
    ubi_status status = ubi__rdp_memory_drain(drain, ubi__rdp_packet_open(&drain->packet, drain->from, memory()));
    if (status == UBI_OK)
        status = ubi__rdp_packet_close(&drain->packet);
    else
        ubi__rdp_packet_fini(&drain->packet);
    ubi__rdp_errand_post(drain, status);
}

/* ---- sizes -------------------------------------------------------------------------------------------------------------- */

ubi_status ubi__rdp_memory_measure(ubi__rdp_errand *errand, ubi__json *json) {
    ubi_memory_measure m = UBI_MEMORY_MEASURE_INIT;
    UBI_TRY(ubi_memory_bridge_measure(&m, ubi__rdp_memory_link_of(errand)->bridge));
    ubi__memory_measure_put(json, &m);
    return UBI_OK;
}

ubi_status ubi__rdp_memory_resident(ubi__rdp_errand *errand, ubi__json *json) {
    ubi_process_memory process = UBI_PROCESS_MEMORY_INIT;
    UBI_TRY(ubi_memory_bridge_process_memory(&process, NULL, ubi__rdp_memory_link_of(errand)->bridge));
    ubi__json_member_u64(json, "value", process.unique_bytes);
    return UBI_OK;
}

/* ---- snapshots ---------------------------------------------------------------------------------------------------------- */

ubi_status ubi__rdp_memory_save(ubi__rdp_errand *errand, ubi__json *json) {
    char path[UBI__PRIVATE_PATH_BYTES], id[UBI__RDP_SNAPSHOT_ID_BYTES];
    ubi__rdp_snapshot_path(path, errand->link->tab->offer, ubi__rdp_memory_errand_of(errand)->snapshot);
    UBI_TRY(ubi_memory_bridge_save_snapshot(ubi__rdp_memory_link_of(errand)->bridge, path,
                                            ubi__rdp_memory_errand_of(errand)->boundaries, NULL, NULL));
    ubi__rdp_snapshot_id(id, ubi__rdp_memory_errand_of(errand)->snapshot);
    ubi__json_member_string(json, "snapshotId", id);
    ubi__rdp_errand_pause_put(errand, json);
    return UBI_OK;
}

/* ---- links -------------------------------------------------------------------------------------------------------------- */

ubi__rdp_memory_errand *ubi__rdp_memory_errand_new(ubi__rdp_memory_link *link, ubi__rdp_call *call,
                                                   ubi__rdp_errand_fn perform) {
    ubi__rdp_memory_errand *e = (ubi__rdp_memory_errand *)ubi__rdp_errand_new(&link->link, call, perform);
    if (!e)
        return NULL;
    e->recording = (ubi_memory_recording_options)UBI_MEMORY_RECORDING_OPTIONS_INIT;
    e->drain_ms = UINT64_MAX;
    return e;
}

static ubi_status bridge_open(ubi__rdp_link *link, ubi_target target) {
    ubi_memory_bridge_options options = UBI_MEMORY_BRIDGE_OPTIONS_INIT;
    options.scope = link->is_of_process ? NULL : link->tab->scope;
    options.on_collection = link_hear_collection;
    options.payload = link;
    return ubi_memory_bridge_new(&((ubi__rdp_memory_link *)link)->bridge, target, &options);
}

static void bridge_close(ubi__rdp_link *link) {
    ubi__rdp_memory_link *l = (ubi__rdp_memory_link *)link;
    ubi_memory_bridge_free(l->bridge);
    l->bridge = NULL;
}

static ubi_status bridge_navigate(ubi__rdp_link *link) {
    return ubi_memory_bridge_navigated_to(((ubi__rdp_memory_link *)link)->bridge, link->tab->scope);
}

const ubi__rdp_link_type ubi__rdp_memory_link_type = { .link_bytes = sizeof(ubi__rdp_memory_link),
                                                       .errand_bytes = sizeof(ubi__rdp_memory_errand),
                                                       .open = bridge_open,
                                                       .navigate = bridge_navigate,
                                                       .close = bridge_close };
