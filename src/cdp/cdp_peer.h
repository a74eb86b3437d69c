/* SPDX-License-Identifier: MIT
 *
 * cdp_peer.h: one connection by the DevTools protocol of V8's embedders (Node.js, Chrome, Deno, Electron), for a caller that waits.
 *
 *     ubi__cdp_peer_open(&peer, &options, "/devtools/page/1");
 *     ubi__cdp_peer_ask(peer, "Runtime.getHeapUsage", NULL, &result);     one command, and its result
 *     ubi__cdp_peer_close(peer);
 *
 * One command is under way at a time; events that come meanwhile go to an observer. Nothing that the other side sends is believed: a message
 * has a limit, and takes memory as it comes. For one thread.
 */
#ifndef UBI_CDP_CDP_PEER_H
#define UBI_CDP_CDP_PEER_H

#include "base/json_reader.h"
#include "targets/remote.h"

/** The longest message. Chunks of snapshots have some 100 KB where nothing else was asked for. */
#define UBI__CDP_MESSAGE_BYTES ((size_t)256 << 20)
/** A name that Node.js has for a connection to a worker thread, with its final zero. */
#define UBI__CDP_SESSION_BYTES 40

typedef struct ubi__cdp_messages ubi__cdp_messages;

/** An event, or what it is worth: an error ends the command, and is that of the call which it came in. `params`: an object. */
typedef ubi_status ubi__cdp_event(void *payload, ubi_text method, ubi_text params);

/* ---- messages, without a connection --------------------------------------------------------------------------------- */

/** Puts messages together from their parts, and sorts them: those of the program, and of a worker thread that was chosen. */
struct ubi__cdp_messages {
    const ubi_allocator *allocator;
    ubi__cdp_event *event; /**< NULL: they are dropped */
    void *payload;
    ubi__vec_u8 message, reply; /* what has come of one; the last reply */
    uint64_t awaited;           /* the command whose reply is waited for; 0: none */
    bool has_reply;
    uint64_t n_answers; /* replies of all kinds, also those that no one waits for */
    /* Of a worker thread, messages of which come in events of its program: */
    char session[UBI__CDP_SESSION_BYTES]; /* "": there is none */
    bool is_flat;                         /* it is a worker of a page: messages have its session themselves */
    uint64_t carrier;                     /* the command that carries `awaited` to it; 0: none */
    ubi__vec_u8 inner;                    /* a message of it */
};

void ubi__cdp_messages_fini(ubi__cdp_messages *messages);
/**
 * A part of a message; the last one completes it. Parts of no bytes are fine.
 * Errors: UBI_EFORMAT (no JSON object), UBI_ELIMIT (too long), UBI_ENOMEM, those of the observer.
 */
ubi_status ubi__cdp_messages_take(ubi__cdp_messages *messages, const void *bytes, size_t n, bool is_last);
/**
 * What the reply says, when `has_reply`. @param result  out: an object; borrowed until the next call.
 * Errors: UBI_ESTATE (the other side refuses `method`, in its words), UBI_EFORMAT, UBI_ENOMEM.
 */
ubi_status ubi__cdp_messages_result(const ubi__cdp_messages *messages, const char *method, ubi_text *result);

/* ---- connections ---------------------------------------------------------------------------------------------------- */

typedef struct ubi__cdp_peer ubi__cdp_peer;

typedef struct ubi__cdp_peer_options {
    const char *host; /**< borrowed, as all here */
    uint16_t port;
    const ubi__remote_scheme *scheme;
    const ubi_progress *progress;
    const ubi_allocator *allocator;
    ubi__cdp_event *event;                   /**< NULL: they are dropped */
    const char *(*end_words)(void *payload); /**< as of ubi__web_options */
    /** While a reply is waited for, first with 0, then some times a second: an error ends it. May note commands. NULL: it has no end. */
    ubi_status (*silence)(void *payload, uint64_t waited_us);
    /** Whether it waits for us to leave, and said so in an event: what it was asked is waited for a moment, and nothing else is asked. NULL: never. */
    bool (*is_ending)(void *payload);
    void *payload;
    uint64_t patience_us; /**< as of ubi__web_options */
} ubi__cdp_peer_options;

/** Errors: UBI_EIO, UBI_EFORMAT, UBI_ENOMEM, UBI_ECANCELLED. */
ubi_status ubi__cdp_peer_open(ubi__cdp_peer **out, const ubi__cdp_peer_options *options, const char *path);
/** Waits for the replies that are on their way, at most half a second. NULL is fine. */
void ubi__cdp_peer_close(ubi__cdp_peer *peer);
/**
 * @param params  an object of JSON, or NULL. @param result  out: an object; borrowed until the next call.
 * Errors: UBI_ESTATE (the other side refuses, in its words; the connection is as before), UBI_EIO, UBI_EFORMAT, UBI_ELIMIT, UBI_ENOMEM,
 * UBI_ECANCELLED, those of the observer.
 */
ubi_status ubi__cdp_peer_ask(ubi__cdp_peer *peer, const char *method, const char *params, ubi_text *result);
/**
 * The same in steps, for a caller that waits for something else meanwhile: sends the command; takes what has come, without waiting; waits for
 * the reply, and takes its result. Errors: as above.
 */
ubi_status ubi__cdp_peer_send(ubi__cdp_peer *peer, const char *method, const char *params);
ubi_status ubi__cdp_peer_look(ubi__cdp_peer *peer);
bool ubi__cdp_peer_has_reply(const ubi__cdp_peer *peer);
ubi_status ubi__cdp_peer_await(ubi__cdp_peer *peer, const char *method, ubi_text *result);
/** Sends a command whose reply is of no interest; also while another's is waited for. Errors: as above. */
ubi_status ubi__cdp_peer_note(ubi__cdp_peer *peer, const char *method, const char *params);
/** Takes events for so long. Errors: as above. */
ubi_status ubi__cdp_peer_wait(ubi__cdp_peer *peer, uint64_t microseconds);
/**
 * Commands that follow are for a worker thread of Node.js, whose events come as those of the program do. Between two commands.
 * @param session  as NodeWorker.attachedToWorker has it, shorter than UBI__CDP_SESSION_BYTES; "": they are for the program again.
 */
void ubi__cdp_peer_set_session(ubi__cdp_peer *peer, const char *session);
/** Likewise of a worker of a page, as Target.attachedToTarget with `flatten` has it: nothing carries its messages. */
void ubi__cdp_peer_set_flat_session(ubi__cdp_peer *peer, const char *session);
/** What is reported to from now on. Borrowed. */
void ubi__cdp_peer_set_progress(ubi__cdp_peer *peer, const ubi_progress *progress);
/** As of web_socket.h. */
void ubi__cdp_peer_set_stage(ubi__cdp_peer *peer, const char *stage, uint64_t done, uint64_t total);

#endif
