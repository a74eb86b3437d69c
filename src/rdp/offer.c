/* SPDX-License-Identifier: MIT
 *
 * offer.c: see offer.h.
 */
#include "rdp/offer.h"

#include <signal.h>
#include <stdio.h>

#include "base/status.h"
#include "rdp/console_link.h"

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

/* ---- mail --------------------------------------------------------------------------------------------------------------- */

void ubi__rdp_post(ubi__rdp_mailbox *box, ubi__rdp_mail *mail) {
    pthread_mutex_lock(&box->lock);
    bool is_closed = box->is_closed;
    mail->next = NULL;
    if (!is_closed) {
        *box->end = mail;
        box->end = &mail->next;
        if (box->ring)
            box->ring(box->payload);
    }
    pthread_mutex_unlock(&box->lock);
    if (is_closed)
        mail->deliver(mail);
}

void ubi__rdp_mailbox_deliver(ubi__rdp_mailbox *box) {
    pthread_mutex_lock(&box->lock);
    ubi__rdp_mail *mail = box->first;
    box->first = NULL;
    box->end = &box->first;
    pthread_mutex_unlock(&box->lock);
    while (mail) {
        ubi__rdp_mail *next = mail->next;
        mail->deliver(mail);
        mail = next;
    }
}

void ubi__rdp_mailbox_close(ubi__rdp_mailbox *box) {
    pthread_mutex_lock(&box->lock);
    box->is_closed = true;
    box->ring = NULL;
    pthread_mutex_unlock(&box->lock);
    ubi__rdp_mailbox_deliver(box);
}

/* ---- an offer ----------------------------------------------------------------------------------------------------------- */

ubi_status ubi__rdp_offer_new(ubi__rdp_offer **out, const char *folder) {
    ubi__rdp_offer *offer = UBI_NEW(memory(), ubi__rdp_offer);
    if (!offer)
        return ubi__fail_nomem();
    atomic_init(&offer->n_refs, 1);
    pthread_mutex_init(&offer->lock, NULL);
    pthread_mutex_init(&offer->mailbox.lock, NULL);
    pthread_cond_init(&offer->rested, NULL);
    offer->mailbox.end = &offer->mailbox.first;
    offer->end_work = &offer->first_work;
    offer->folder.lock_fd = -1;
    ubi_status status = ubi__private_folder_open(&offer->folder, folder);
    if (status != UBI_OK) {
        ubi__private_folder_close(&offer->folder);
        ubi__rdp_offer_unref(offer);
        return status;
    }
    *out = offer;
    return UBI_OK;
}

ubi__rdp_offer *ubi__rdp_offer_ref(ubi__rdp_offer *offer) {
    atomic_fetch_add(&offer->n_refs, 1);
    return offer;
}

void ubi__rdp_offer_unref(ubi__rdp_offer *offer) {
    if (!offer || atomic_fetch_sub(&offer->n_refs, 1) > 1)
        return;
    UBI_ASSERT(!offer->n_tabs && !offer->mailbox.first && !offer->first_work);
    pthread_cond_destroy(&offer->rested);
    pthread_mutex_destroy(&offer->mailbox.lock);
    pthread_mutex_destroy(&offer->lock);
    UBI_DELETE(memory(), offer);
}

/* ---- work --------------------------------------------------------------------------------------------------------------- */

ubi_status ubi__rdp_thread_start(pthread_t *out, void *(*run)(void *payload), void *payload) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(out, NULL, run, payload);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed ? ubi__fail_errno(failed, "cannot start a thread") : UBI_OK;
}

/* With the lock. NULL: there is none. */
static ubi__rdp_work *work_shift(ubi__rdp_offer *offer) {
    ubi__rdp_work *work = offer->first_work;
    offer->first_work = work ? work->next : NULL;
    if (!offer->first_work)
        offer->end_work = &offer->first_work;
    return work;
}

/* With a reference. */
static void *work_run(void *payload) {
    ubi__rdp_offer *offer = payload;
    pthread_mutex_lock(&offer->lock);
    for (ubi__rdp_work *work = work_shift(offer); work; work = work_shift(offer)) {
        pthread_mutex_unlock(&offer->lock);
        work->perform(work);
        pthread_mutex_lock(&offer->lock);
    }
    offer->is_working = false;
    pthread_cond_broadcast(&offer->rested);
    pthread_mutex_unlock(&offer->lock);
    ubi__rdp_offer_unref(offer);
    return NULL;
}

/* With the lock, and nothing else to do. */
static ubi_status work_begin(ubi__rdp_offer *offer) {
    pthread_t thread;
    ubi_status status = ubi__rdp_thread_start(&thread, work_run, ubi__rdp_offer_ref(offer));
    if (status != UBI_OK) {
        (void)work_shift(offer);
        atomic_fetch_sub(&offer->n_refs, 1); /* the caller has another */
        return status;
    }
    pthread_detach(thread);
    offer->is_working = true;
    return UBI_OK;
}

ubi_status ubi__rdp_offer_work(ubi__rdp_offer *offer, ubi__rdp_work *work) {
    pthread_mutex_lock(&offer->lock);
    work->next = NULL;
    *offer->end_work = work;
    offer->end_work = &work->next;
    ubi_status status = offer->is_working ? UBI_OK : work_begin(offer);
    pthread_mutex_unlock(&offer->lock);
    return status;
}

void ubi__rdp_offer_await_work(ubi__rdp_offer *offer) {
    pthread_mutex_lock(&offer->lock);
    while (offer->is_working)
        pthread_cond_wait(&offer->rested, &offer->lock);
    pthread_mutex_unlock(&offer->lock);
}

/* ---- tabs --------------------------------------------------------------------------------------------------------------- */

ubi__rdp_tab *ubi__rdp_tab_ref(ubi__rdp_tab *tab) {
    atomic_fetch_add(&tab->n_refs, 1);
    return tab;
}

void ubi__rdp_tab_unref(ubi__rdp_tab *tab) {
    if (!tab || atomic_fetch_sub(&tab->n_refs, 1) > 1)
        return;
    ubi__live_target_unref(tab->live);
    ubi__rdp_offer_unref(tab->offer);
    UBI_DELETE(memory(), tab);
}

ubi_status ubi__rdp_tab_fail_ended(const ubi__rdp_tab *tab) {
    ubi__rdp_tab_names names;
    ubi__rdp_tab_names_read(&names, tab);
    return ubi__fail(UBI_ESTATE, "the program %s has ended", names.title);
}

/* With the lock. */
static ubi_status offer_append(ubi__rdp_offer *offer, ubi__rdp_tab *tab) {
    if (offer->n_tabs == UBI__RDP_MOST_TABS)
        return ubi__fail(UBI_ELIMIT, "a server offers %d live heaps at most", UBI__RDP_MOST_TABS);
    tab->number = ++offer->last_tab;
    offer->tabs[offer->n_tabs++] = tab;
    return UBI_OK;
}

void ubi__rdp_tab_names_read(ubi__rdp_tab_names *out, const ubi__rdp_tab *tab) {
    pthread_mutex_lock(&tab->offer->lock);
    *out = tab->names;
    pthread_mutex_unlock(&tab->offer->lock);
}

static void tab_describe(ubi__rdp_tab *tab, ubi_target target, const ubi__rdp_tab_options *o) {
    ubi__rdp_tab_names names;
    snprintf(names.title, sizeof names.title, "%s", o->title && *o->title ? o->title : target.ops->kind);
    if (o->url && *o->url)
        snprintf(names.url, sizeof names.url, "%s", o->url);
    else
        snprintf(names.url, sizeof names.url, "%s://%s", target.ops->kind, names.title);
    pthread_mutex_lock(&tab->offer->lock);
    tab->names = names;
    pthread_mutex_unlock(&tab->offer->lock);
}

ubi_status ubi__rdp_offer_add(ubi__rdp_offer *offer, ubi_target target, const ubi__rdp_tab_options *options) {
    ubi__rdp_tab *tab = UBI_NEW(memory(), ubi__rdp_tab);
    if (!tab)
        return ubi__fail_nomem();
    atomic_init(&tab->n_refs, 1);
    tab->offer = ubi__rdp_offer_ref(offer);
    tab->scope = options->scope;
    tab->reload = options->reload;
    tab->reload_payload = options->payload;
    tab->process_id = options->process_id;
    ubi_status status = ubi__live_target_new(&tab->live, target, options->wake, options->payload);
    if (status == UBI_OK) {
        tab_describe(tab, target, options);
        pthread_mutex_lock(&offer->lock);
        status = offer_append(offer, tab);
        pthread_mutex_unlock(&offer->lock);
    }
    if (status == UBI_OK)
        ubi__rdp_messages_begin(tab);
    else
        ubi__rdp_tab_unref(tab);
    return status;
}

/* The first that is `target`, or any; NULL: there is none. Its reference is the caller's. */
static ubi__rdp_tab *tab_take(ubi__rdp_offer *offer, const ubi_target *target) {
    ubi__rdp_tab *found = NULL;
    pthread_mutex_lock(&offer->lock);
    for (uint32_t i = 0; i < offer->n_tabs; i++) {
        if (found)
            offer->tabs[i - 1] = offer->tabs[i];
        else if (!target || ubi__live_target_is(offer->tabs[i]->live, *target))
            found = offer->tabs[i];
    }
    if (found)
        offer->n_tabs--;
    pthread_mutex_unlock(&offer->lock);
    return found;
}

static void farewell_visit(void *payload, const ubi_target *target) {
    ubi__rdp_tab *tab = payload;
    if (target) {
        ubi__rdp_links_leave(tab);
        ubi__rdp_messages_end(tab);
        ubi__live_end(tab->live);
    }
    ubi__rdp_tab_unref(tab);
}

/* One that was not removed: what clients have there is its thread's, which lets it go when it comes to a safe point. */
static void tab_bid_farewell(ubi__rdp_tab *tab) {
    if (ubi__live_visit(tab->live, farewell_visit, tab) == UBI_OK)
        return;
    ubi__live_end(tab->live);
    ubi__rdp_tab_unref(tab);
}

ubi_status ubi__rdp_offer_remove(ubi__rdp_offer *offer, ubi_target target) {
    ubi__rdp_tab *tab = tab_take(offer, &target);
    if (!tab)
        return ubi__fail(UBI_ENOTFOUND, "this live heap was not offered");
    ubi__rdp_links_end(tab);
    ubi__rdp_messages_end(tab);
    ubi__live_end(tab->live);
    ubi__rdp_tab_unref(tab);
    return UBI_OK;
}

void ubi__rdp_offer_end(ubi__rdp_offer *offer) {
    ubi__rdp_mailbox_close(&offer->mailbox);
    atomic_store(&offer->is_ending, true);
    ubi__rdp_offer_await_work(offer);
    for (ubi__rdp_tab *tab = tab_take(offer, NULL); tab; tab = tab_take(offer, NULL))
        tab_bid_farewell(tab);
    ubi__private_folder_close(&offer->folder);
}

/* ---- navigation --------------------------------------------------------------------------------------------------------- */

typedef struct navigation {
    ubi__rdp_mail mail; /* the first: one is the other */
    ubi__rdp_tab *tab;  /* a reference */
    uint32_t number;
} navigation;

static void navigation_deliver(ubi__rdp_mail *mail) {
    navigation *n = (navigation *)mail;
    ubi__rdp_offer *offer = n->tab->offer;
    atomic_store(&n->tab->n_navigations_seen, n->number);
    if (offer->on_navigated)
        offer->on_navigated(offer->payload, n->tab);
    ubi__rdp_tab_unref(n->tab);
    UBI_DELETE(memory(), n);
}

/* The first that is `target`, with a reference; NULL: there is none. */
static ubi__rdp_tab *tab_find(ubi__rdp_offer *offer, ubi_target target) {
    ubi__rdp_tab *found = NULL;
    pthread_mutex_lock(&offer->lock);
    for (uint32_t i = 0; i < offer->n_tabs && !found; i++)
        if (ubi__live_target_is(offer->tabs[i]->live, target))
            found = ubi__rdp_tab_ref(offer->tabs[i]);
    pthread_mutex_unlock(&offer->lock);
    return found;
}

static ubi_status tab_navigate(ubi__rdp_tab *tab, ubi_target target, const ubi__rdp_tab_options *options) {
    if (ubi__rdp_links_are_performing(tab))
        return ubi__fail(UBI_ESTATE, "a tab cannot navigate while a request of a client is being performed");
    navigation *n = UBI_NEW(memory(), navigation);
    if (!n)
        return ubi__fail_nomem();
    tab->scope = options->scope;
    *n = (navigation){ .mail.deliver = navigation_deliver,
                       .tab = ubi__rdp_tab_ref(tab),
                       .number = ++tab->n_navigations };
    tab_describe(tab, target, options);
    ubi__rdp_messages_end(tab);
    ubi_status status = ubi__rdp_links_navigate(tab, target);
    ubi__rdp_post(&tab->offer->mailbox, &n->mail);
    ubi__rdp_messages_open(tab, target);
    return status;
}

ubi_status ubi__rdp_offer_navigated(ubi__rdp_offer *offer, ubi_target target, const ubi__rdp_tab_options *options) {
    ubi__rdp_tab *tab = tab_find(offer, target);
    if (!tab)
        return ubi__fail(UBI_ENOTFOUND, "this live heap was not offered");
    ubi_status status = tab_navigate(tab, target, options);
    ubi__rdp_tab_unref(tab);
    return status;
}

static void reload_visit(void *payload, const ubi_target *target) {
    ubi__rdp_tab *tab = payload;
    if (target)
        tab->reload(tab->reload_payload);
    ubi__rdp_tab_unref(tab);
}

ubi_status ubi__rdp_tab_reload(ubi__rdp_tab *tab) {
    if (!tab->reload)
        return ubi__fail(UBI_ESTATE, "a client cannot make this program run again: end it, and start it again");
    ubi_status status = ubi__live_visit(tab->live, reload_visit, ubi__rdp_tab_ref(tab));
    if (status != UBI_OK)
        ubi__rdp_tab_unref(tab);
    return status;
}

/* ---- what is offered ---------------------------------------------------------------------------------------------------- */

uint32_t ubi__rdp_offer_tabs(ubi__rdp_offer *offer, ubi__rdp_tab *out[UBI__RDP_MOST_TABS]) {
    pthread_mutex_lock(&offer->lock);
    uint32_t n = offer->n_tabs;
    for (uint32_t i = 0; i < n; i++)
        out[i] = ubi__rdp_tab_ref(offer->tabs[i]);
    pthread_mutex_unlock(&offer->lock);
    return n;
}

bool ubi__rdp_offer_has(ubi__rdp_offer *offer, const ubi__rdp_tab *tab) {
    bool is_found = false;
    pthread_mutex_lock(&offer->lock);
    for (uint32_t i = 0; i < offer->n_tabs; i++)
        is_found = is_found || offer->tabs[i] == tab;
    pthread_mutex_unlock(&offer->lock);
    return is_found;
}

bool ubi__rdp_offer_has_others(ubi__rdp_offer *offer, const ubi__rdp_tab *tab) {
    bool is_found = false;
    pthread_mutex_lock(&offer->lock);
    for (uint32_t i = 0; i < offer->n_tabs; i++)
        is_found = is_found || !ubi__live_target_same(offer->tabs[i]->live, tab->live);
    pthread_mutex_unlock(&offer->lock);
    return is_found;
}

/* ---- snapshots ---------------------------------------------------------------------------------------------------------- */

void ubi__rdp_snapshot_id(char out[UBI__RDP_SNAPSHOT_ID_BYTES], uint64_t number) {
    snprintf(out, UBI__RDP_SNAPSHOT_ID_BYTES, "ubi-%llu", (unsigned long long)number);
}

void ubi__rdp_snapshot_path(char out[UBI__PRIVATE_PATH_BYTES], const ubi__rdp_offer *offer, uint64_t number) {
    char id[UBI__RDP_SNAPSHOT_ID_BYTES];
    ubi__rdp_snapshot_id(id, number);
    snprintf(out, UBI__PRIVATE_PATH_BYTES, "%s/%s.fxsnapshot", offer->folder.path, id);
}
