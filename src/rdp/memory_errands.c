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
    UBI_TRY(ubi_memory_bridge_attach(errand->link->bridge));
    ubi__json_member_string(json, "type", "attached");
    return UBI_OK;
}

ubi_status ubi__rdp_memory_detach(ubi__rdp_errand *errand, ubi__json *json) {
    UBI_TRY(ubi_memory_bridge_detach(errand->link->bridge));
    errand->link->has_drain = false;
    ubi__json_member_string(json, "type", "detached");
    return UBI_OK;
}

/* ---- census ------------------------------------------------------------------------------------------------------------- */

ubi_status ubi__rdp_memory_census(ubi__rdp_errand *errand, ubi__json *json) {
    ubi_census *census = NULL;
    UBI_TRY(ubi_memory_bridge_census(&census, errand->link->bridge));
    ubi_status status = ubi__memory_census_put(json, census);
    ubi_census_free(census);
    return status;
}

/* ---- recording ---------------------------------------------------------------------------------------------------------- */

ubi_status ubi__rdp_memory_start(ubi__rdp_errand *errand, ubi__json *json) {
    ubi_memory_bridge *bridge = errand->link->bridge;
    double now_ms = 0;
    bool was_recording = ubi_memory_bridge_is_recording(bridge);
    UBI_TRY(ubi_memory_bridge_start_recording(bridge, &errand->recording, &now_ms));
    errand->has_begun = !was_recording;
    if (errand->has_begun)
        errand->link->has_drain = errand->drain_ms != UINT64_MAX;
    ubi__json_key(json, "value");
    ubi__json_double(json, now_ms);
    return UBI_OK;
}

ubi_status ubi__rdp_memory_stop(ubi__rdp_errand *errand, ubi__json *json) {
    double now_ms = 0;
    UBI_TRY(ubi_memory_bridge_stop_recording(errand->link->bridge, &now_ms));
    errand->link->has_drain = false;
    ubi__json_key(json, "value");
    ubi__json_double(json, now_ms);
    return UBI_OK;
}

ubi_status ubi__rdp_memory_settings(ubi__rdp_errand *errand, ubi__json *json) {
    ubi_memory_settings settings = UBI_MEMORY_SETTINGS_INIT;
    UBI_TRY(ubi_memory_bridge_settings(&settings, errand->link->bridge));
    ubi__json_member_object(json, "options");
    ubi__memory_settings_put(json, &settings);
    ubi__json_object_end(json);
    return UBI_OK;
}

ubi_status ubi__rdp_memory_allocations(ubi__rdp_errand *errand, ubi__json *json) {
    ubi_memory_bridge *bridge = errand->link->bridge;
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

ubi_status ubi__rdp_memory_collect_garbage(ubi__rdp_errand *errand, ubi__json *json) {
    (void)json;
    return ubi_memory_bridge_collect_garbage(errand->link->bridge);
}

ubi_status ubi__rdp_memory_collect_cycles(ubi__rdp_errand *errand, ubi__json *json) {
    (void)json;
    return ubi_memory_bridge_collect_cycles(errand->link->bridge);
}

static ubi_status collection_write(ubi__rdp_errand *errand, const ubi_collection *collection) {
    ubi__json *json = ubi__rdp_packet_open(&errand->packet, errand->link->id, memory());
    ubi__json_member_string(json, "type", "garbage-collection");
    ubi__json_member_object(json, "data");
    ubi__memory_collection_put(json, collection);
    ubi__json_object_end(json);
    return ubi__rdp_packet_close(&errand->packet);
}

/* An event for which there is no memory is lost. */
static void errand_post(ubi__rdp_errand *errand, ubi_status status) {
    errand->status = status;
    ubi__rdp_post(&errand->link->tab->offer->mailbox, &errand->mail);
}

void ubi__rdp_memory_collected(void *link, const ubi_collection *collection) {
    ubi__rdp_link *l = link;
    ubi__rdp_errand *event = ubi__rdp_errand_new(l, NULL, NULL);
    ubi__rdp_errand *drain = l->has_drain ? ubi__rdp_errand_new(l, NULL, ubi__rdp_memory_drain) : NULL;
    if (event)
        errand_post(event, collection_write(event, collection));
    if (!drain)
        return;
    ubi_status status = ubi__rdp_memory_drain(drain, ubi__rdp_packet_open(&drain->packet, l->id, memory()));
    if (status == UBI_OK)
        status = ubi__rdp_packet_close(&drain->packet);
    else
        ubi__rdp_packet_fini(&drain->packet);
    errand_post(drain, status);
}

/* ---- sizes -------------------------------------------------------------------------------------------------------------- */

static ubi_status process_write(ubi__json *json) {
    ubi_process_memory process = UBI_PROCESS_MEMORY_INIT;
    UBI_TRY(ubi_process_memory_read(&process));
    ubi__process_memory_put(json, &process);
    return UBI_OK;
}

ubi_status ubi__rdp_memory_measure(ubi__rdp_errand *errand, ubi__json *json) {
    ubi_memory_measure m = UBI_MEMORY_MEASURE_INIT;
    UBI_TRY(ubi_memory_bridge_measure(&m, errand->link->bridge));
    ubi__memory_measure_put(json, &m);
    return errand->link->is_of_process ? process_write(json) : UBI_OK;
}

ubi_status ubi__rdp_memory_resident(ubi__rdp_errand *errand, ubi__json *json) {
    ubi_process_memory process = UBI_PROCESS_MEMORY_INIT;
    (void)errand;
    UBI_TRY(ubi_process_memory_read(&process));
    ubi__json_member_u64(json, "value", process.unique_bytes);
    return UBI_OK;
}

/* ---- snapshots ---------------------------------------------------------------------------------------------------------- */

ubi_status ubi__rdp_memory_save(ubi__rdp_errand *errand, ubi__json *json) {
    char path[UBI__PRIVATE_PATH_BYTES], id[UBI__RDP_SNAPSHOT_ID_BYTES];
    ubi__rdp_snapshot_path(path, errand->link->tab->offer, errand->snapshot);
    UBI_TRY(ubi_memory_bridge_save_snapshot(errand->link->bridge, path, errand->boundaries, NULL, NULL));
    ubi__rdp_snapshot_id(id, errand->snapshot);
    ubi__json_member_string(json, "snapshotId", id);
    return UBI_OK;
}
