/* SPDX-License-Identifier: MIT
 *
 * target_link.h: what an actor and its part on the target's thread know each other by.
 *
 * A request is an *errand*: it waits for a visit to the target, is performed there, where it writes the reply, and comes back as a mail.
 * What an actor has there, its *end* of the link, is opened by the first errand, and closed on the target's thread: when the actor goes, or
 * the target. Each type of link has an end, parameters and results of its own: its structs begin with those here.
 */
#ifndef UBI_RDP_TARGET_LINK_H
#define UBI_RDP_TARGET_LINK_H

#include "rdp/offer.h"

typedef struct ubi__rdp_link ubi__rdp_link;
typedef struct ubi__rdp_errand ubi__rdp_errand;

typedef struct ubi__rdp_link_type {
    size_t link_bytes, errand_bytes;
    /** On the target's thread. */
    ubi_status (*open)(ubi__rdp_link *link, ubi_target target);
    void (*close)(ubi__rdp_link *link);
    void (*stop)(
        ubi__rdp_link *link); /**< ends code that runs for it, within which this is called; NULL: there is none */
    /** The tab is another page now, with another scope, and the end lasts; NULL: it is closed, and opened again. */
    ubi_status (*navigate)(ubi__rdp_link *link);
    /** Whether an errand is about something that went with the page that there was; NULL: none is. */
    bool (*is_about_page)(const ubi__rdp_errand *errand);
    void (*link_fini)(ubi__rdp_link *link);       /**< NULL: nothing to free */
    void (*errand_fini)(ubi__rdp_errand *errand); /**< the same */
} ubi__rdp_link_type;

/** Counted references: the actor's, the end's, and those of errands. */
struct ubi__rdp_link {
    const ubi__rdp_link_type *type;
    const char *actor_name; /* of its type */
    _Atomic uint32_t n_refs;
    ubi__rdp_tab *tab; /* a reference */
    bool is_of_process;
    char id[UBI__RDP_ID_BYTES]; /* of the actor */
    /* The network's thread: */
    ubi__rdp_actor *actor; /* NULL: gone */
    /* The target's thread: */
    bool is_open;
    bool must_close;              /* when no errand is being performed any more */
    uint32_t n_performing;        /* errands: code that one evaluates is interrupted for others */
    ubi__rdp_link *next, **place; /* of the tab's that are open */
};

/** On the target's thread: writes the members of the reply. */
typedef ubi_status (*ubi__rdp_errand_fn)(ubi__rdp_errand *errand, ubi__json *json);

struct ubi__rdp_errand {
    ubi__rdp_mail mail; /* the first: one is the other */
    ubi__rdp_link *link;
    ubi__rdp_call *call;          /* NULL: it makes an event */
    uint32_t n_navigations;       /* of its tab, as far as was known when it was made */
    bool is_of_parent;            /* the event is one of the actor's parent */
    char from[UBI__RDP_ID_BYTES]; /* whose packet it is */
    ubi__rdp_errand_fn perform;
    char
        name[UBI__VISIT_NAME_BYTES]; /* of the pause that it makes: "ACTOR.REQUEST", or "ACTOR" of an event; "": none */
    /** On the network's thread, before the reply is sent; NULL: nothing to do. */
    void (*arrive)(ubi__rdp_errand *errand);
    /* Results: */
    bool is_gone;      /* the target was */
    uint64_t start_ns; /* when the target's thread came to it */
    ubi_status status;
    char message[256];
    ubi__rdp_packet packet;
    ubi__vec_u8 following; /* a closed packet that goes out after it, in the same write */
};

/**
 * The actor of a type below `parent`, with its link; it is made when there is none.
 * @param link  NULL: it was there. Errors: as ubi__rdp_actor_new.
 */
ubi_status ubi__rdp_link_make(ubi__rdp_link **link, ubi__rdp_actor **out, ubi__rdp_actor *parent,
                              const ubi__rdp_actor_type *actor_type, const ubi__rdp_link_type *type);
ubi__rdp_link *ubi__rdp_link_ref(ubi__rdp_link *link);
void ubi__rdp_link_unref(ubi__rdp_link *link);
/** The actor goes: its end is closed when the target's thread comes to it. Takes the actor's reference. */
void ubi__rdp_link_leave(ubi__rdp_link *link);
/** Ends code that runs for it, if there is any when the target's thread comes to it. Without memory for that it runs on. */
void ubi__rdp_link_stop(ubi__rdp_link *link);
/** On the target's thread, which goes: ends are closed. */
void ubi__rdp_links_end(ubi__rdp_tab *tab);
/** On the target's thread, in a visit, for a server that has ended: the same; of errands that are being performed, when they are done. */
void ubi__rdp_links_leave(ubi__rdp_tab *tab);
/** On the target's thread. Errors: the first of what failed; all are asked. */
ubi_status ubi__rdp_links_navigate(ubi__rdp_tab *tab, ubi_target target);
/** On the target's thread: whether an errand is being performed there, further down on the stack. */
bool ubi__rdp_links_are_performing(const ubi__rdp_tab *tab);

/** An errand that is to be filled in. NULL: no memory. @param call  NULL: it makes an event. */
ubi__rdp_errand *ubi__rdp_errand_new(ubi__rdp_link *link, ubi__rdp_call *call, ubi__rdp_errand_fn perform);
/** On the target's thread: writes how long the program waits for it already, `pauseMilliseconds`. */
void ubi__rdp_errand_pause_put(const ubi__rdp_errand *errand, ubi__json *json);
/** Its event is one of the actor's parent. @param id  the parent's. */
void ubi__rdp_errand_set_parent(ubi__rdp_errand *errand, const char *id);
/** One that is not sent. */
void ubi__rdp_errand_drop(ubi__rdp_errand *errand);
/** Sends it, and defers the call, if it has one. Takes the errand: what fails comes back as the reply. Returns UBI_OK. */
ubi_status ubi__rdp_errand_send(ubi__rdp_errand *errand);
/** On the target's thread: sends an event that was written there. An event that failed is lost. */
void ubi__rdp_errand_post(ubi__rdp_errand *errand, ubi_status status);

#endif
