/* SPDX-License-Identifier: MIT
 *
 * target_link.c: errands to the target's thread and back. See target_link.h.
 */
#include "rdp/target_link.h"

#include <stdio.h>

#include "base/status.h"
#include "rdp/actors/actors.h"
#include "rdp/connection.h"

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

/* ---- links -------------------------------------------------------------------------------------------------------------- */

static ubi__rdp_link *link_new(const ubi__rdp_link_type *type, const ubi__rdp_actor *parent) {
    ubi__rdp_link *link = ubi__calloc_array(memory(), 1, type->link_bytes);
    if (!link)
        return NULL;
    link->type = type;
    atomic_init(&link->n_refs, 1);
    link->tab = ubi__rdp_tab_ref(ubi__rdp_tab_of(parent));
    link->is_of_process = ubi__rdp_is_of_process(parent);
    return link;
}

ubi_status ubi__rdp_link_make(ubi__rdp_link **link, ubi__rdp_actor **out, ubi__rdp_actor *parent,
                              const ubi__rdp_actor_type *actor_type, const ubi__rdp_link_type *type) {
    *link = NULL;
    *out = ubi__rdp_actor_child(parent, actor_type);
    if (*out)
        return UBI_OK;
    ubi__rdp_link *made = link_new(type, parent);
    if (!made)
        return ubi__fail_nomem();
    made->actor_name = actor_type->name;
    ubi_status status = ubi__rdp_actor_new(out, parent, actor_type, made);
    if (status != UBI_OK) {
        ubi__rdp_link_unref(made);
        return status;
    }
    made->actor = *out;
    snprintf(made->id, sizeof made->id, "%s", (*out)->id);
    *link = made;
    return UBI_OK;
}

ubi__rdp_link *ubi__rdp_link_ref(ubi__rdp_link *link) {
    atomic_fetch_add(&link->n_refs, 1);
    return link;
}

void ubi__rdp_link_unref(ubi__rdp_link *link) {
    if (atomic_fetch_sub(&link->n_refs, 1) > 1)
        return;
    const ubi__rdp_link_type *type = link->type;
    if (type->link_fini)
        type->link_fini(link);
    ubi__rdp_tab_unref(link->tab);
    ubi__free_array(memory(), link, 1, type->link_bytes);
}

/* The target's thread. */
static ubi_status link_open(ubi__rdp_link *link, ubi_target target) {
    if (link->is_open)
        return UBI_OK;
    UBI_TRY(link->type->open(link, target));
    link->is_open = true;
    link->next = link->tab->links;
    link->place = &link->tab->links;
    if (link->next)
        link->next->place = &link->next;
    link->tab->links = ubi__rdp_link_ref(link);
    return UBI_OK;
}

/* The target's thread. */
static void link_unlist(ubi__rdp_link *link) {
    link->is_open = false;
    *link->place = link->next;
    if (link->next)
        link->next->place = link->place;
    ubi__rdp_link_unref(link);
}

/* The target's thread. */
static void link_close(ubi__rdp_link *link) {
    link->type->close(link);
    link_unlist(link);
}

void ubi__rdp_links_end(ubi__rdp_tab *tab) {
    while (tab->links)
        link_close(tab->links);
}

/* The target's thread. */
static void link_end_code(ubi__rdp_link *link) {
    if (link->n_performing && link->is_open && link->type->stop)
        link->type->stop(link);
}

static void stop_visit(void *payload, const ubi_target *target) {
    ubi__rdp_link *link = payload;
    if (target)
        link_end_code(link);
    ubi__rdp_link_unref(link);
}

void ubi__rdp_link_stop(ubi__rdp_link *link) {
    if (ubi__live_visit(link->tab->live, stop_visit, ubi__rdp_link_ref(link)) != UBI_OK)
        ubi__rdp_link_unref(link);
}

/* One that cannot be opened now is when it is needed. */
static ubi_status link_reopen(ubi__rdp_link *link, ubi_target target) {
    link->type->close(link);
    ubi_status status = link->type->open(link, target);
    if (status != UBI_OK)
        link_unlist(link);
    return status;
}

/* The process is the same with any page. */
ubi_status ubi__rdp_links_navigate(ubi__rdp_tab *tab, ubi_target target) {
    ubi_status first = UBI_OK;
    for (ubi__rdp_link *link = tab->links, *next; link; link = next) {
        next = link->next;
        if (link->is_of_process)
            continue;
        ubi_status status = link->type->navigate ? link->type->navigate(link) : link_reopen(link, target);
        first = first == UBI_OK ? status : first;
    }
    return first;
}

bool ubi__rdp_links_are_performing(const ubi__rdp_tab *tab) {
    for (const ubi__rdp_link *link = tab->links; link; link = link->next)
        if (link->n_performing)
            return true;
    return false;
}

/* What a client that left has started ends: no one waits for it. */
static void link_leave(ubi__rdp_link *link) {
    link_end_code(link);
    if (link->n_performing)
        link->must_close = true;
    else if (link->is_open)
        link_close(link);
}

void ubi__rdp_links_leave(ubi__rdp_tab *tab) {
    for (ubi__rdp_link *link = tab->links, *next; link; link = next) {
        next = link->next;
        link_leave(link);
    }
}

static void leave_visit(void *payload, const ubi_target *target) {
    ubi__rdp_link *link = payload;
    if (target)
        link_leave(link);
    ubi__rdp_link_unref(link);
}

void ubi__rdp_link_leave(ubi__rdp_link *link) {
    link->actor = NULL;
    if (ubi__live_visit(link->tab->live, leave_visit, link) != UBI_OK) /* its end is closed with the target */
        ubi__rdp_link_unref(link);
}

/* ---- errands ------------------------------------------------------------------------------------------------------------ */

void ubi__rdp_errand_drop(ubi__rdp_errand *errand) {
    const ubi__rdp_link_type *type = errand->link->type;
    ubi__rdp_packet_fini(&errand->packet);
    ubi__vec_u8_fini(&errand->following, memory());
    if (type->errand_fini)
        type->errand_fini(errand);
    ubi__rdp_link_unref(errand->link);
    ubi__free_array(memory(), errand, 1, type->errand_bytes);
}

/* The network's thread. */
static void errand_deliver(ubi__rdp_mail *mail) {
    ubi__rdp_errand *e = (ubi__rdp_errand *)mail;
    if (e->arrive)
        e->arrive(e);
    ubi__rdp_actor *actor = e->link->actor;
    if (e->call && e->status == UBI_OK)
        (void)ubi__rdp_reply_packet(e->call, &e->packet);
    else if (e->call)
        (void)ubi__rdp_reply_error(e->call, e->is_gone ? UBI__RDP_TAB_DESTROYED : NULL,
                                   ubi__fail(e->status, "%s", e->message));
    else if (e->status == UBI_OK && actor)
        ubi__rdp_event_packet(e->is_of_parent ? actor->parent : actor, &e->packet);
    ubi__rdp_errand_drop(e);
}

ubi__rdp_errand *ubi__rdp_errand_new(ubi__rdp_link *link, ubi__rdp_call *call, ubi__rdp_errand_fn perform) {
    ubi__rdp_errand *e = ubi__calloc_array(memory(), 1, link->type->errand_bytes);
    if (!e)
        return NULL;
    e->mail.deliver = errand_deliver;
    e->link = ubi__rdp_link_ref(link);
    e->call = call;
    e->perform = perform;
    e->n_navigations = atomic_load(&link->tab->n_navigations_seen);
    snprintf(e->from, sizeof e->from, "%s", call ? ubi__rdp_call_actor(call)->id : link->id);
    if (call)
        ubi__rdp_call_name(e->name, call);
    else
        snprintf(e->name, sizeof e->name, "%s", link->actor_name);
    e->packet.allocator = memory();
    return e;
}

void ubi__rdp_errand_pause_put(const ubi__rdp_errand *errand, ubi__json *json) {
    ubi__json_member_double(json, "pauseMilliseconds", (double)(ubi_process_clock_ns() - errand->start_ns) / 1e6);
}

void ubi__rdp_errand_set_parent(ubi__rdp_errand *errand, const char *id) {
    errand->is_of_parent = true;
    snprintf(errand->from, sizeof errand->from, "%s", id);
}

void ubi__rdp_errand_post(ubi__rdp_errand *errand, ubi_status status) {
    errand->status = status;
    ubi__rdp_post(&errand->link->tab->offer->mailbox, &errand->mail);
}

/* Whether it is about what has gone with a page. */
static bool errand_is_late(const ubi__rdp_errand *e) {
    const ubi__rdp_link_type *type = e->link->type;
    return type->is_about_page && e->n_navigations != e->link->tab->n_navigations && type->is_about_page(e);
}

/* The target's thread. The packet is closed, or empty. */
static ubi_status errand_perform(ubi__rdp_errand *e, const ubi_target *target) {
    e->is_gone = !target;
    e->start_ns = ubi_process_clock_ns();
    if (!target)
        return ubi__rdp_tab_fail_ended(e->link->tab);
    if (errand_is_late(e))
        return ubi__fail(UBI_ECANCELLED, "the page of this value has gone");
    UBI_TRY(link_open(e->link, *target));
    ubi__json *json = ubi__rdp_packet_open(&e->packet, e->from, memory());
    e->link->n_performing++;
    ubi_status status = e->perform(e, json);
    if (--e->link->n_performing == 0 && e->link->must_close && e->link->is_open)
        link_close(e->link);
    if (status == UBI_OK)
        status = ubi__rdp_packet_close(&e->packet);
    if (status == UBI_OK)
        status = ubi__bytes_append(&e->packet.bytes, e->following.at, e->following.n, memory());
    if (status != UBI_OK)
        ubi__rdp_packet_fini(&e->packet);
    return status;
}

static void errand_visit(void *payload, const ubi_target *target) {
    ubi__rdp_errand *e = payload;
    ubi_status status = errand_perform(e, target);
    if (status != UBI_OK)
        snprintf(e->message, sizeof e->message, "%s", ubi_error_message());
    ubi__rdp_errand_post(e, status);
}

ubi_status ubi__rdp_errand_send(ubi__rdp_errand *errand) {
    if (errand->call)
        (void)ubi__rdp_defer(errand->call);
    ubi_status status = ubi__live_visit_named(errand->link->tab->live, errand->name, errand_visit, errand);
    if (status == UBI_OK)
        return UBI_OK;
    errand->status = status; /* it comes back at once */
    snprintf(errand->message, sizeof errand->message, "%s", ubi_error_message());
    errand_deliver(&errand->mail);
    return UBI_OK;
}
