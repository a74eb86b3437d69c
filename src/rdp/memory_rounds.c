/* SPDX-License-Identifier: MIT
 *
 * memory_rounds.c: see memory_rounds.h.
 *
 * Parts come back as mails, so what a round knows is the network thread's. When the server has ended, mails are delivered on the targets'
 * threads, several at once: then there is no actor to reply to, and a part touches nothing but itself and counts.
 */
#include "rdp/memory_rounds.h"

#include <stddef.h>
#include <stdio.h>

#include "base/status.h"
#include "jobs/memory_packets.h"
#include "rdp/connection.h"

/* ---- a round ------------------------------------------------------------------------------------------------------------ */

static void round_free(ubi__rdp_round *round) {
    for (uint32_t i = 0; i < round->n_parts; i++) {
        ubi_census_free(round->parts[i].census);
        ubi_graph_unref(round->parts[i].graph);
        ubi__rdp_tab_unref(round->parts[i].tab);
    }
    ubi__rdp_link_unref(&round->link->link);
    ubi__free_array(round->allocator, round, 1, sizeof *round + round->n_parts * sizeof *round->parts);
}

/* Of tabs that show one runtime, the first. */
static bool tab_is_new(ubi__rdp_tab *const *tabs, uint32_t n, const ubi__rdp_tab *tab) {
    for (uint32_t i = 0; i < n; i++)
        if (ubi__live_target_same(tabs[i]->live, tab->live))
            return false;
    return true;
}

/* The actor's own is there also when it is not offered any more. Each a reference. */
static uint32_t tabs_to_visit(ubi__rdp_tab *out[UBI__RDP_MOST_TABS + 1], ubi__rdp_tab *own) {
    ubi__rdp_tab *tabs[UBI__RDP_MOST_TABS];
    uint32_t n_tabs = ubi__rdp_offer_tabs(own->offer, tabs), n = 1;
    out[0] = ubi__rdp_tab_ref(own);
    for (uint32_t i = 0; i < n_tabs; i++) {
        if (tab_is_new(out, n, tabs[i]))
            out[n++] = tabs[i];
        else
            ubi__rdp_tab_unref(tabs[i]);
    }
    return n;
}

static void part_deliver(ubi__rdp_mail *mail);
static void round_deliver(ubi__rdp_mail *mail);
static void round_work(ubi__rdp_work *work);

/* NULL: no memory. */
static ubi__rdp_round *round_new(ubi__rdp_memory_link *link, ubi__rdp_call *call, const ubi__rdp_round_type *type) {
    ubi__rdp_tab *tabs[UBI__RDP_MOST_TABS + 1];
    uint32_t n = tabs_to_visit(tabs, link->link.tab);
    ubi__rdp_round *round = ubi__calloc_array(call->allocator, 1, sizeof *round + n * sizeof *round->parts);
    for (uint32_t i = 0; i < n; i++) {
        if (round)
            round->parts[i] = (ubi__rdp_round_part){ .mail.deliver = part_deliver, .round = round, .tab = tabs[i] };
        else
            ubi__rdp_tab_unref(tabs[i]);
    }
    if (!round)
        return NULL;
    round->mail.deliver = round_deliver;
    round->work.perform = round_work;
    round->type = type;
    round->allocator = call->allocator;
    round->link = link;
    ubi__rdp_link_ref(&link->link);
    round->call = call;
    round->packet.allocator = call->allocator;
    round->n_parts = n;
    atomic_init(&round->n_pending, n + 1);
    return round;
}

/* ---- its end ------------------------------------------------------------------------------------------------------------ */

static ubi_status reply_write(ubi__rdp_round *round) {
    ubi__json *json = ubi__rdp_packet_open(&round->packet, round->link->link.id, round->allocator);
    ubi_status status = round->type->reply(round, json);
    if (status == UBI_OK)
        return ubi__rdp_packet_close(&round->packet);
    ubi__rdp_packet_fini(&round->packet);
    return status;
}

static void round_write(ubi__rdp_round *round) {
    round->status = reply_write(round);
    if (round->status != UBI_OK)
        snprintf(round->message, sizeof round->message, "%s", ubi_error_message());
}

static bool own_is_gone(const ubi__rdp_round *round) {
    return !round->parts[0].is_late && round->parts[0].is_gone;
}

static void round_answer(ubi__rdp_round *round) {
    ubi__rdp_call *call = round->call;
    ubi__rdp_actor *actor = ubi__rdp_call_actor(call);
    round->call = NULL;
    if (round->type->arrive)
        round->type->arrive(round, actor);
    if (round->status == UBI_OK)
        (void)ubi__rdp_reply_packet(call, &round->packet);
    else
        (void)ubi__rdp_reply_error(call, own_is_gone(round) ? UBI__RDP_TAB_DESTROYED : NULL,
                                   ubi__fail(round->status, "%s", round->message));
}

static void round_release(ubi__rdp_round *round);

/* The thread for work. */
static void round_work(ubi__rdp_work *work) {
    ubi__rdp_round *round = (ubi__rdp_round *)((char *)work - offsetof(ubi__rdp_round, work));
    round_write(round);
    ubi__rdp_post(&round->link->link.tab->offer->mailbox, &round->mail);
}

static void round_deliver(ubi__rdp_mail *mail) {
    ubi__rdp_round *round = (ubi__rdp_round *)mail;
    round_answer(round);
    round_release(round);
}

static bool round_send_to_work(ubi__rdp_round *round) {
    atomic_fetch_add(&round->n_pending, 1);
    if (ubi__rdp_offer_work(round->link->link.tab->offer, &round->work) == UBI_OK)
        return true;
    atomic_fetch_sub(&round->n_pending, 1); /* not the last */
    return false;
}

/* No part that is not done yet has a part in the reply. */
static void round_conclude(ubi__rdp_round *round) {
    bool is_wanted = ubi__rdp_call_actor(round->call) != NULL;
    round->is_concluded = true;
    round->link->round = NULL;
    if (is_wanted && round->type->is_long && round_send_to_work(round))
        return;
    if (is_wanted)
        round_write(round);
    round_answer(round);
}

static bool round_is_ripe(const ubi__rdp_round *round) {
    return !round->is_concluded && round->is_impatient && (round->parts[0].is_done || !round->type->needs_own);
}

static void round_release(ubi__rdp_round *round) {
    if (atomic_fetch_sub(&round->n_pending, 1) > 1)
        return;
    if (!round->is_concluded) {
        atomic_store(&round->n_pending, 1);
        round_conclude(round);
        if (atomic_fetch_sub(&round->n_pending, 1) > 1)
            return;
    }
    round_free(round);
}

static void part_mark_late(ubi__rdp_round_part *part) {
    if (part->is_done || part->is_late)
        return;
    part->is_late = true;
    atomic_fetch_add(&part->tab->n_late, 1);
}

void ubi__rdp_round_lose_patience(ubi__rdp_round *round) {
    round->is_impatient = true;
    for (uint32_t i = 0; i < round->n_parts; i++)
        part_mark_late(&round->parts[i]);
    if (round_is_ripe(round))
        round_conclude(round);
}

/* ---- parts -------------------------------------------------------------------------------------------------------------- */

static void part_deliver(ubi__rdp_mail *mail) {
    ubi__rdp_round_part *part = (ubi__rdp_round_part *)mail;
    ubi__rdp_round *round = part->round;
    part->is_done = true;
    if (part->is_late)
        atomic_fetch_sub(&part->tab->n_late, 1);
    if (!round->is_concluded)
        part->is_late = false;
    if (part == round->parts && round_is_ripe(round))
        round_conclude(round);
    round_release(round);
}

static void part_fail(ubi__rdp_round_part *part, ubi_status status) {
    part->status = status;
    snprintf(part->message, sizeof part->message, "%s", ubi_error_message());
}

static void part_visit(void *payload, const ubi_target *target) {
    ubi__rdp_round_part *part = payload;
    part->is_gone = !target;
    ubi_status status = target ? part->round->type->perform(part, *target) : ubi__rdp_tab_fail_ended(part->tab);
    if (status != UBI_OK)
        part_fail(part, status);
    ubi__rdp_post(&part->tab->offer->mailbox, &part->mail);
}

static bool part_can_be_skipped(const ubi__rdp_round_part *part) {
    bool is_needed = part == part->round->parts && part->round->type->needs_own;
    return !is_needed && atomic_load(&part->tab->n_late) > 0;
}

static void part_send(ubi__rdp_round_part *part) {
    part->is_hopeless = part_can_be_skipped(part);
    ubi_status status = part->is_hopeless ? ubi__fail(UBI_EBUSY, "it comes to no safe point")
                                          : ubi__live_visit_named(part->tab->live, part->round->name, part_visit, part);
    if (status == UBI_OK)
        return;
    part_fail(part, status);
    part_deliver(&part->mail);
}

ubi_status ubi__rdp_round_start(ubi__rdp_memory_link *link, ubi__rdp_call *call, const ubi__rdp_round_type *type,
                                uint64_t snapshot) {
    ubi__rdp_round *round = round_new(link, call, type);
    if (!round)
        return ubi__fail_nomem();
    round->snapshot = snapshot;
    ubi__rdp_call_name(round->name, call);
    (void)ubi__rdp_defer(call);
    link->round = round;
    for (uint32_t i = 0; i < round->n_parts; i++)
        part_send(&round->parts[i]);
    round_release(round);
    return UBI_OK;
}

/* ---- who took part ------------------------------------------------------------------------------------------------------ */

/* Nothing else of one that is late is looked at: it may be written right now. */
bool ubi__rdp_part_has_answered(const ubi__rdp_round_part *part) {
    return !part->is_late && part->is_done && part->status == UBI_OK;
}

static bool part_is_missing(const ubi__rdp_round_part *part) {
    return part->is_late || !part->is_done || (part->status != UBI_OK && !part->is_gone);
}

static uint32_t missing_count(const ubi__rdp_round *round) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < round->n_parts; i++)
        n += part_is_missing(&round->parts[i]);
    return n;
}

static void missing_write(const ubi__rdp_round *round, ubi__json *json) {
    ubi__json_member_u64(json, "missing", missing_count(round));
    ubi__json_member_array(json, "missingRuntimes");
    for (uint32_t i = 0; i < round->n_parts; i++) {
        ubi__rdp_tab_names names;
        if (!part_is_missing(&round->parts[i]))
            continue;
        ubi__rdp_tab_names_read(&names, round->parts[i].tab);
        ubi__json_string(json, names.title);
    }
    ubi__json_array_end(json);
}

void ubi__rdp_round_write_missing(const ubi__rdp_round *round, ubi__json *json) {
    if (missing_count(round))
        missing_write(round, json);
}

ubi_status ubi__rdp_round_check_own(const ubi__rdp_round *round) {
    const ubi__rdp_round_part *own = round->parts;
    bool has_come = own->is_done && !own->is_late && !own->is_hopeless;
    return has_come && own->status != UBI_OK ? ubi__fail(own->status, "%s", own->message) : UBI_OK;
}

/* ---- collections -------------------------------------------------------------------------------------------------------- */

static ubi_status garbage_perform(ubi__rdp_round_part *part, ubi_target target) {
    (void)part;
    return ubi_target_collect_garbage(target);
}

static ubi_status cycles_perform(ubi__rdp_round_part *part, ubi_target target) {
    (void)part;
    return ubi_target_collect_cycles(target);
}

/* What the others could not do is not the actor's. */
static ubi_status collection_reply(const ubi__rdp_round *round, ubi__json *json) {
    UBI_TRY(ubi__rdp_round_check_own(round));
    ubi__rdp_round_write_missing(round, json);
    return UBI_OK;
}

const ubi__rdp_round_type ubi__rdp_garbage_round = { .perform = garbage_perform,
                                                     .reply = collection_reply,
                                                     .needs_own = true };
const ubi__rdp_round_type ubi__rdp_cycles_round = { .perform = cycles_perform,
                                                    .reply = collection_reply,
                                                    .needs_own = true };

/* ---- sizes -------------------------------------------------------------------------------------------------------------- */

static ubi_status measure_perform(ubi__rdp_round_part *part, ubi_target target) {
    ubi_memory_bridge *bridge = NULL;
    UBI_TRY(ubi_memory_bridge_new(&bridge, target, NULL));
    part->measure = (ubi_memory_measure)UBI_MEMORY_MEASURE_INIT;
    part->process = (ubi_process_memory)UBI_PROCESS_MEMORY_INIT;
    ubi_status status = ubi_memory_bridge_measure(&part->measure, bridge);
    if (status == UBI_OK)
        status = ubi_memory_bridge_process_memory(&part->process, &part->is_elsewhere, bridge);
    ubi_memory_bridge_free(bridge);
    return status;
}

static void measure_add(ubi_memory_measure *sum, const ubi_memory_measure *m) {
    sum->total += m->total;
    sum->dom_size += m->dom_size;
    sum->style_size += m->style_size;
    sum->js_objects_size += m->js_objects_size;
    sum->js_strings_size += m->js_strings_size;
    sum->js_other_size += m->js_other_size;
    sum->other_size += m->other_size;
    sum->js_ms += m->js_ms;
    sum->non_js_ms += m->non_js_ms;
}

/* Of this process, or of those in which targets are. */
static ubi_status process_sum(ubi_process_memory *out, const ubi__rdp_round *round) {
    bool is_elsewhere = false;
    for (uint32_t i = 0; i < round->n_parts; i++) {
        const ubi__rdp_round_part *part = &round->parts[i];
        if (!ubi__rdp_part_has_answered(part) || !part->is_elsewhere)
            continue;
        is_elsewhere = true;
        out->resident_bytes += part->process.resident_bytes;
        out->unique_bytes += part->process.unique_bytes;
    }
    return is_elsewhere ? UBI_OK : ubi_process_memory_read(out);
}

static void part_size_write(const ubi__rdp_round_part *part, ubi__json *json) {
    const ubi_memory_measure *m = &part->measure;
    ubi__rdp_tab_names names;
    ubi__rdp_tab_names_read(&names, part->tab);
    ubi__json_object_begin(json);
    ubi__json_member_u64(json, "browserId", part->tab->number);
    ubi__json_member_string(json, "title", names.title);
    ubi__json_member_u64(json, "jsSize", m->js_objects_size + m->js_strings_size + m->js_other_size);
    ubi__json_member_u64(json, "total", m->total);
    ubi__json_object_end(json);
}

static void sizes_write(const ubi__rdp_round *round, ubi__json *json) {
    ubi__json_member_array(json, "runtimeSizes");
    for (uint32_t i = 0; i < round->n_parts; i++)
        if (ubi__rdp_part_has_answered(&round->parts[i]))
            part_size_write(&round->parts[i], json);
    ubi__json_array_end(json);
}

static ubi_status measure_reply(const ubi__rdp_round *round, ubi__json *json) {
    ubi_memory_measure sum = UBI_MEMORY_MEASURE_INIT;
    uint32_t n_measured = 0;
    for (uint32_t i = 0; i < round->n_parts; i++) {
        if (!ubi__rdp_part_has_answered(&round->parts[i]))
            continue;
        measure_add(&sum, &round->parts[i].measure);
        n_measured++;
    }
    ubi__memory_measure_put(json, &sum);
    ubi__json_member_u64(json, "runtimes", n_measured);
    missing_write(round, json);
    sizes_write(round, json);
    ubi_process_memory process = UBI_PROCESS_MEMORY_INIT;
    UBI_TRY(process_sum(&process, round));
    ubi__process_memory_put(json, &process);
    return UBI_OK;
}

const ubi__rdp_round_type ubi__rdp_measure_round = { .perform = measure_perform, .reply = measure_reply };
