/* SPDX-License-Identifier: MIT
 *
 * memory_link.c: errands to the target's thread and back. See memory_link.h.
 */
#include "rdp/memory_link.h"

#include <stdio.h>

#include "base/status.h"
#include "rdp/connection.h"

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

/* ---- links -------------------------------------------------------------------------------------------------------------- */

ubi_status ubi__rdp_link_new(ubi__rdp_link **out, ubi__rdp_tab *tab, bool is_of_process) {
    ubi__rdp_link *link = UBI_NEW(memory(), ubi__rdp_link);
    if (!link)
        return ubi__fail_nomem();
    atomic_init(&link->n_refs, 1);
    link->tab = ubi__rdp_tab_ref(tab);
    link->is_of_process = is_of_process;
    link->drain_ms = UINT64_MAX;
    *out = link;
    return UBI_OK;
}

ubi__rdp_link *ubi__rdp_link_ref(ubi__rdp_link *link) {
    atomic_fetch_add(&link->n_refs, 1);
    return link;
}

void ubi__rdp_link_unref(ubi__rdp_link *link) {
    if (atomic_fetch_sub(&link->n_refs, 1) > 1)
        return;
    ubi__rdp_tab_unref(link->tab);
    UBI_DELETE(memory(), link);
}

/* The target's thread. */
static ubi_status link_build_bridge(ubi__rdp_link *link, ubi_target target) {
    ubi_memory_bridge_options options = UBI_MEMORY_BRIDGE_OPTIONS_INIT;
    options.scope = link->is_of_process ? NULL : link->tab->scope;
    options.on_collection = ubi__rdp_memory_collected;
    options.payload = link;
    UBI_TRY(ubi_memory_bridge_new(&link->bridge, target, &options));
    link->next = link->tab->links;
    link->place = &link->tab->links;
    if (link->next)
        link->next->place = &link->next;
    link->tab->links = ubi__rdp_link_ref(link);
    return UBI_OK;
}

/* The target's thread. */
static void link_end_bridge(ubi__rdp_link *link) {
    ubi_memory_bridge_free(link->bridge);
    link->bridge = NULL;
    *link->place = link->next;
    if (link->next)
        link->next->place = link->place;
    ubi__rdp_link_unref(link);
}

void ubi__rdp_links_end(ubi__rdp_tab *tab) {
    while (tab->links)
        link_end_bridge(tab->links);
}

static void leave_visit(void *payload, const ubi_target *target) {
    ubi__rdp_link *link = payload;
    if (target && link->bridge)
        link_end_bridge(link);
    ubi__rdp_link_unref(link);
}

void ubi__rdp_link_leave(ubi__rdp_link *link) {
    link->actor = NULL;
    if (ubi__live_visit(link->tab->live, leave_visit, link) != UBI_OK) /* the bridge ends with its target */
        ubi__rdp_link_unref(link);
}

/* ---- errands ------------------------------------------------------------------------------------------------------------ */

/* The network's thread. */
static void errand_deliver(ubi__rdp_mail *mail) {
    ubi__rdp_errand *e = (ubi__rdp_errand *)mail;
    if (e->arrive)
        e->arrive(e);
    if (e->call && e->status == UBI_OK)
        (void)ubi__rdp_reply_packet(e->call, &e->packet);
    else if (e->call)
        (void)ubi__rdp_reply_error(e->call, NULL, ubi__fail(e->status, "%s", e->message));
    else if (e->status == UBI_OK && e->link->actor)
        ubi__rdp_event_packet(e->link->actor, &e->packet);
    ubi__rdp_packet_fini(&e->packet);
    ubi__rdp_link_unref(e->link);
    UBI_DELETE(memory(), e);
}

ubi__rdp_errand *ubi__rdp_errand_new(ubi__rdp_link *link, ubi__rdp_call *call, ubi__rdp_errand_fn perform) {
    ubi__rdp_errand *e = UBI_NEW(memory(), ubi__rdp_errand);
    if (!e)
        return NULL;
    e->mail.deliver = errand_deliver;
    e->link = ubi__rdp_link_ref(link);
    e->call = call;
    e->perform = perform;
    e->recording = (ubi_memory_recording_options)UBI_MEMORY_RECORDING_OPTIONS_INIT;
    e->drain_ms = UINT64_MAX;
    e->packet.allocator = memory();
    return e;
}

/* The target's thread. The packet is closed, or empty. */
static ubi_status errand_perform(ubi__rdp_errand *e, const ubi_target *target) {
    if (!target)
        return ubi__fail(UBI_ESTATE, "the program %s has ended", e->link->tab->title);
    if (!e->link->bridge)
        UBI_TRY(link_build_bridge(e->link, *target));
    ubi__json *json = ubi__rdp_packet_open(&e->packet, e->link->id, memory());
    ubi_status status = e->perform(e, json);
    if (status == UBI_OK)
        return ubi__rdp_packet_close(&e->packet);
    ubi__rdp_packet_fini(&e->packet);
    return status;
}

static void errand_visit(void *payload, const ubi_target *target) {
    ubi__rdp_errand *e = payload;
    e->status = errand_perform(e, target);
    if (e->status != UBI_OK)
        snprintf(e->message, sizeof e->message, "%s", ubi_error_message());
    ubi__rdp_post(&e->link->tab->offer->mailbox, &e->mail);
}

ubi_status ubi__rdp_errand_send(ubi__rdp_errand *errand) {
    if (errand->call)
        (void)ubi__rdp_defer(errand->call);
    ubi_status status = ubi__live_visit(errand->link->tab->live, errand_visit, errand);
    if (status == UBI_OK)
        return UBI_OK;
    errand->status = status; /* it comes back at once */
    snprintf(errand->message, sizeof errand->message, "%s", ubi_error_message());
    errand_deliver(&errand->mail);
    return UBI_OK;
}
