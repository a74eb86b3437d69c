/* SPDX-License-Identifier: MIT
 *
 * offer.h: what a server of the remote protocol offers: targets, as clients see them, and the way back from their threads.
 *
 * Each target is a *tab*, for that is what clients know. Actors belong to the network's thread, targets to theirs. What runs at a target's safe
 * point sends the result back as a *mail*, which is delivered on the network's thread; after the server has ended, where it is posted, and by
 * then no actor is left that it could reach.
 */
#ifndef UBI_RDP_OFFER_H
#define UBI_RDP_OFFER_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/alloc.h"
#include "jobs/private_folder.h"
#include "jobs/visits.h"
#include "rdp/actor.h"

/* ---- mail --------------------------------------------------------------------------------------------------------------- */

/** Begins what a thread sends to the network's. */
typedef struct ubi__rdp_mail {
    struct ubi__rdp_mail *next;
    /** Once, on the network's thread, or where it was posted when that has ended. Frees it. */
    void (*deliver)(struct ubi__rdp_mail *mail);
} ubi__rdp_mail;

typedef struct ubi__rdp_mailbox {
    pthread_mutex_t lock; /* guards all */
    ubi__rdp_mail *first, **end;
    bool is_closed;
    void (*ring)(void *payload); /* there is mail; any thread, with the lock. NULL: the owner looks by itself */
    void *payload;
} ubi__rdp_mailbox;

/** Any thread. */
void ubi__rdp_post(ubi__rdp_mailbox *box, ubi__rdp_mail *mail);
/** Delivers what is there. */
void ubi__rdp_mailbox_deliver(ubi__rdp_mailbox *box);
/** Delivers what is there, and from now on at once. */
void ubi__rdp_mailbox_close(ubi__rdp_mailbox *box);

/* ---- work --------------------------------------------------------------------------------------------------------------- */

/** Begins what takes too long for the network's thread, and needs no target. */
typedef struct ubi__rdp_work {
    struct ubi__rdp_work *next;
    /** Once, on a thread that does such work, one after the other. Sends a mail when it is done. */
    void (*perform)(struct ubi__rdp_work *work);
} ubi__rdp_work;

/* ---- tabs --------------------------------------------------------------------------------------------------------------- */

#define UBI__RDP_MOST_TABS 64
#define UBI__RDP_TITLE_BYTES 256
#define UBI__RDP_URL_BYTES 1024

typedef struct ubi__rdp_offer ubi__rdp_offer;
struct ubi__rdp_link;

/** What clients call a tab. */
typedef struct ubi__rdp_tab_names {
    char title[UBI__RDP_TITLE_BYTES];
    char url[UBI__RDP_URL_BYTES];
} ubi__rdp_tab_names;

/** A target that is offered, or was. Counted references. */
typedef struct ubi__rdp_tab {
    _Atomic uint32_t n_refs;
    ubi__rdp_offer *offer; /* a reference */
    uint32_t number;       /* from 1; never given twice */
    ubi__live_target *live;
    /* The target's thread: */
    const ubi_target_scope *scope;
    uint32_t n_navigations;
    struct ubi__rdp_link *links;        /* that are open */
    struct ubi__rdp_messages *messages; /* that the program has said; or NULL */
    void (*reload)(void *payload);      /* called there; whether there is one all threads may know */
    void *reload_payload;
    uint64_t process_id; /* 0: this process */
    /* All threads: */
    _Atomic uint32_t n_navigations_seen; /* by the network's thread */
    _Atomic uint32_t n_late;             /* parts of rounds that replies went out without (memory_rounds.h) */
    ubi__rdp_tab_names names;            /* with the offer's lock */
} ubi__rdp_tab;

/** What the actors of all connections of a server share. Counted references: it outlives the server while visits are on their way. */
struct ubi__rdp_offer {
    _Atomic uint32_t n_refs;
    ubi__rdp_mailbox mailbox;
    /** On the network's thread, after a tab has navigated. NULL: no one wants to know. */
    void (*on_navigated)(void *payload, ubi__rdp_tab *tab);
    void *payload;              /* of on_navigated */
    ubi__private_folder folder; /* of snapshots */
    _Atomic uint64_t last_snapshot;
    pthread_mutex_t lock; /* guards: */
    ubi__rdp_tab *tabs[UBI__RDP_MOST_TABS];
    uint32_t n_tabs;
    uint32_t last_tab;
    ubi__rdp_work *first_work, **end_work;
    bool is_working; /* there is a thread for it */
    pthread_cond_t rested;
    _Atomic bool is_ending; /* work is to be given up */
};

/** What a target is offered as. */
typedef struct ubi__rdp_tab_options {
    const ubi_target_scope *scope;
    const char *title, *url;
    void (*wake)(void *payload);
    void (*reload)(void *payload); /**< on the target's thread; NULL: it cannot */
    void *payload;                 /**< of both */
    uint64_t process_id;           /**< 0: this process */
} ubi__rdp_tab_options;

/** @param folder  where a private folder for snapshots is made; NULL: TMPDIR, or /tmp. Errors: UBI_EIO, UBI_ENOMEM. */
ubi_status ubi__rdp_offer_new(ubi__rdp_offer **out, const char *folder);
ubi__rdp_offer *ubi__rdp_offer_ref(ubi__rdp_offer *offer);
void ubi__rdp_offer_unref(ubi__rdp_offer *offer); /**< NULL is fine */
/** The server ends: closes the mailbox, waits for work, deletes the snapshots, ends tabs that are left. */
void ubi__rdp_offer_end(ubi__rdp_offer *offer);

/** Any thread. Errors: UBI_EINVAL (no safe points), UBI_ELIMIT, UBI_ENOMEM. */
ubi_status ubi__rdp_offer_add(ubi__rdp_offer *offer, ubi_target target, const ubi__rdp_tab_options *options);
/** On the target's thread: its bridges end, visits that wait run without it. Errors: UBI_ENOTFOUND. */
ubi_status ubi__rdp_offer_remove(ubi__rdp_offer *offer, ubi_target target);
/**
 * On the target's thread, outside of visits: the target is another page in its tab now. What is open there looks at the new scope, and
 * values that consoles hold are let go.
 * Errors: UBI_ENOTFOUND, UBI_ESTATE (within a visit), UBI_ENOMEM, or those of observing: clients have to attach again then.
 */
ubi_status ubi__rdp_offer_navigated(ubi__rdp_offer *offer, ubi_target target, const ubi__rdp_tab_options *options);
/** Asks the program of a tab to run again. Any thread. Errors: UBI_ESTATE (it cannot), UBI_ENOMEM, or the engine's. */
ubi_status ubi__rdp_tab_reload(ubi__rdp_tab *tab);
/** The tabs of now, oldest first; each a reference. Their number. */
uint32_t ubi__rdp_offer_tabs(ubi__rdp_offer *offer, ubi__rdp_tab *out[UBI__RDP_MOST_TABS]);
/** Has work done, on a thread that lasts as long as there is any. Any thread. Errors: UBI_EIO (no thread); it is not done then. */
ubi_status ubi__rdp_offer_work(ubi__rdp_offer *offer, ubi__rdp_work *work);
/** Until there is none, and what it made is in the mailbox. Any thread but that which does it. */
void ubi__rdp_offer_await_work(ubi__rdp_offer *offer);
/** A thread that gets no signals: they are the program's, and a client that has left is no reason to end it. Errors: UBI_EIO. */
ubi_status ubi__rdp_thread_start(pthread_t *out, void *(*run)(void *payload), void *payload);
/** Whether anything else is offered. */
bool ubi__rdp_offer_has_others(ubi__rdp_offer *offer, const ubi__rdp_tab *tab);
/** Whether it is offered still. */
bool ubi__rdp_offer_has(ubi__rdp_offer *offer, const ubi__rdp_tab *tab);

#define UBI__RDP_SNAPSHOT_ID_BYTES 32
/** The id of a snapshot, "ubi-N": of digits alone, a client would look for it in its own folder. */
void ubi__rdp_snapshot_id(char out[UBI__RDP_SNAPSHOT_ID_BYTES], uint64_t number);
void ubi__rdp_snapshot_path(char out[UBI__PRIVATE_PATH_BYTES], const ubi__rdp_offer *offer, uint64_t number);

/** A copy. */
void ubi__rdp_tab_names_read(ubi__rdp_tab_names *out, const ubi__rdp_tab *tab);
/** For what was asked of a target that is gone: fails with its title. */
ubi_status ubi__rdp_tab_fail_ended(const ubi__rdp_tab *tab);
ubi__rdp_tab *ubi__rdp_tab_ref(ubi__rdp_tab *tab);
void ubi__rdp_tab_unref(ubi__rdp_tab *tab); /**< NULL is fine */

#endif
