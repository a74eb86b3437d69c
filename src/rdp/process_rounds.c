/* SPDX-License-Identifier: MIT
 *
 * process_rounds.c: counts and snapshots of all runtimes of the process. See memory_rounds.h.
 *
 * Each runtime is counted, or captured as a graph, at its own safe point, so that none waits for another. The graphs are saved as one
 * heap when all are there (graph/joint_heap.h), while the program runs.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/status.h"
#include "base/text.h"
#include "graph/joint_heap.h"
#include "jobs/memory_packets.h"
#include "rdp/actors/actors.h"
#include "rdp/memory_rounds.h"

/* ---- on the targets' threads -------------------------------------------------------------------------------------------- */

/* The actor's own bridge may be detached, and then says so. That of another runtime is made for this. */
static ubi_status part_use_bridge(ubi__rdp_round_part *part, ubi_target target,
                                  ubi_status (*use)(ubi__rdp_round_part *part, ubi_memory_bridge *bridge)) {
    bool is_own = part == part->round->parts;
    ubi_memory_bridge *bridge = is_own ? part->round->link->bridge : NULL;
    if (bridge)
        return use(part, bridge);
    UBI_TRY(ubi_memory_bridge_new(&bridge, target, NULL));
    ubi_status status = is_own ? UBI_OK : ubi_memory_bridge_attach(bridge);
    if (status == UBI_OK)
        status = use(part, bridge);
    ubi_memory_bridge_free(bridge);
    return status;
}

static ubi_status part_count(ubi__rdp_round_part *part, ubi_memory_bridge *bridge) {
    return ubi_memory_bridge_census(&part->census, bridge);
}

static ubi_status part_capture(ubi__rdp_round_part *part, ubi_memory_bridge *bridge) {
    uint64_t start_ns = ubi_process_clock_ns();
    ubi_status status = ubi_memory_bridge_capture(&part->graph, bridge, UBI_MEMORY_OF_RUNTIME);
    part->pause_ns = ubi_process_clock_ns() - start_ns;
    return status;
}

static ubi_status census_perform(ubi__rdp_round_part *part, ubi_target target) {
    return part_use_bridge(part, target, part_count);
}

static ubi_status snapshot_perform(ubi__rdp_round_part *part, ubi_target target) {
    return part_use_bridge(part, target, part_capture);
}

/* ---- counts ------------------------------------------------------------------------------------------------------------- */

static ubi_status fail_alone(void) {
    return ubi__fail(UBI_ESTATE, "no runtime of the process came to a safe point");
}

static ubi_status census_reply(const ubi__rdp_round *round, ubi__json *json) {
    const ubi_census *censuses[UBI__RDP_MOST_TABS + 1];
    uint32_t n = 0;
    UBI_TRY(ubi__rdp_round_check_own(round));
    for (uint32_t i = 0; i < round->n_parts; i++)
        if (ubi__rdp_part_has_answered(&round->parts[i]))
            censuses[n++] = round->parts[i].census;
    if (n == 0)
        return fail_alone();
    UBI_TRY(ubi__memory_census_sum_put(json, censuses, n));
    ubi__rdp_round_write_missing(round, json);
    return UBI_OK;
}

const ubi__rdp_round_type ubi__rdp_census_round = { .perform = census_perform, .reply = census_reply, .is_long = true };

/* ---- snapshots ---------------------------------------------------------------------------------------------------------- */

typedef struct joined {
    uint32_t n;
    uint64_t pause_ns; /* the longest */
    ubi__joint_part parts[UBI__RDP_MOST_TABS + 1];
    ubi__rdp_tab_names names[UBI__RDP_MOST_TABS + 1];
} joined;

static void joined_fill(joined *j, const ubi__rdp_round *round) {
    j->n = 0;
    j->pause_ns = 0;
    for (uint32_t i = 0; i < round->n_parts; i++) {
        const ubi__rdp_round_part *part = &round->parts[i];
        if (!ubi__rdp_part_has_answered(part))
            continue;
        ubi__rdp_tab_names_read(&j->names[j->n], part->tab);
        j->parts[j->n] = (ubi__joint_part){ part->graph, ubi__text(j->names[j->n].title) };
        j->pause_ns = part->pause_ns > j->pause_ns ? part->pause_ns : j->pause_ns;
        j->n++;
    }
}

static bool save_progress(void *payload, const char *stage, uint64_t done, uint64_t total) {
    const ubi__rdp_offer *offer = payload;
    (void)stage, (void)done, (void)total;
    return !atomic_load(&offer->is_ending);
}

static ubi_status joined_save(const joined *j, ubi__rdp_offer *offer, uint64_t snapshot) {
    char path[UBI__PRIVATE_PATH_BYTES];
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    ubi__joint_heap *heap;
    options.progress = (ubi_progress){ save_progress, offer };
    ubi__rdp_snapshot_path(path, offer, snapshot);
    UBI_TRY(ubi__joint_heap_new(&heap, j->parts, j->n, NULL));
    ubi_status status = ubi_save_path(ubi__joint_heap_root(heap), path, &options, NULL);
    ubi__joint_heap_free(heap);
    return status;
}

static ubi_status joined_write(joined *j, const ubi__rdp_round *round, ubi__json *json) {
    char id[UBI__RDP_SNAPSHOT_ID_BYTES];
    joined_fill(j, round);
    if (j->n == 0)
        return fail_alone();
    UBI_TRY(joined_save(j, round->link->link.tab->offer, round->snapshot));
    ubi__rdp_snapshot_id(id, round->snapshot);
    ubi__json_member_string(json, "snapshotId", id);
    ubi__json_member_double(json, "pauseMilliseconds", (double)j->pause_ns / 1e6);
    ubi__json_member_u64(json, "runtimes", j->n);
    ubi__rdp_round_write_missing(round, json);
    return UBI_OK;
}

static ubi_status snapshot_reply(const ubi__rdp_round *round, ubi__json *json) {
    UBI_TRY(ubi__rdp_round_check_own(round));
    joined *j = UBI_NEW(ubi_allocator_default(), joined); /* tens of kilobytes */
    if (!j)
        return ubi__fail_nomem();
    ubi_status status = joined_write(j, round, json);
    UBI_DELETE(ubi_allocator_default(), j);
    return status;
}

static void snapshot_arrive(const ubi__rdp_round *round, ubi__rdp_actor *actor) {
    if (round->status == UBI_OK)
        ubi__rdp_snapshot_arrived(actor, round->link->link.tab->offer, round->snapshot);
}

const ubi__rdp_round_type ubi__rdp_snapshot_round = {
    .perform = snapshot_perform, .reply = snapshot_reply, .is_long = true, .arrive = snapshot_arrive
};
