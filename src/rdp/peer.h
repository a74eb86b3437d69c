/* SPDX-License-Identifier: MIT
 *
 * peer.h: one connection to a server of the remote debugging protocol, for a caller that waits.
 *
 *     ubi__rdp_peer_open(&peer, &options);                              connects, and reads the greeting
 *     ubi__rdp_peer_ask(peer, "root", "listTabs", NULL, &reply);      one request, and its reply
 *     ubi__rdp_peer_fetch(peer, actor, "transferHeapSnapshot", members, write, payload);
 *     ubi__rdp_peer_close(peer);
 *
 * One request is under way at a time. What comes meanwhile from other actors, or is an event by its type, goes to the observer of events; the
 * next packet of the actor that was asked is the reply. Nothing that a server sends is believed: a JSON text has a limit, and takes memory
 * as it comes; bulk bytes are handed on and never kept.
 *
 * Waiting ends when the progress callback says so, which is called ten times a second or more. When nothing comes for longer than the
 * scheme's patience, the stage becomes the scheme's words about such a silence, until something comes. For one thread.
 */
#ifndef UBI_RDP_PEER_H
#define UBI_RDP_PEER_H

#include "base/json_reader.h"
#include "rdp/packets.h"
#include "targets/remote.h"

/** The longest reply. */
#define UBI__RDP_REPLY_BYTES ((size_t)256 << 20)

typedef struct ubi__rdp_peer ubi__rdp_peer;

typedef struct ubi__rdp_peer_options {
    const char *host;
    uint16_t port;
    const ubi__remote_scheme *scheme; /**< whose words are said; static */
    const ubi_progress *progress;     /**< must outlive the peer */
    const ubi_allocator *allocator;
    /** A packet that is no reply; `type` as in the text, NULL text if it has escapes. NULL: they are dropped. */
    void (*event)(void *payload, ubi_text from, ubi_text type, ubi_text json);
    void *payload;
} ubi__rdp_peer_options;

/**
 * Connects to the first address of the host that answers.
 * Errors: UBI_EIO (there is none, or it ends at once), UBI_ESTATE (it lets no one in, in its words), UBI_EFORMAT (it greets like no server
 * of this protocol), UBI_ENOMEM, UBI_ECANCELLED.
 */
ubi_status ubi__rdp_peer_open(ubi__rdp_peer **out, const ubi__rdp_peer_options *options);
/** The same over a connection that is there, which it owns from now on, also after a failure. Host and port are not looked at. */
ubi_status ubi__rdp_peer_adopt(ubi__rdp_peer **out, int fd, const ubi__rdp_peer_options *options);
/** NULL is fine. */
void ubi__rdp_peer_close(ubi__rdp_peer *peer);

/**
 * @param members  further members of the request, such as "\"id\":0", without braces; or NULL.
 * @param reply  out: the object; borrowed until the next call.
 * Errors: UBI_ESTATE (the server refuses, in its words; the connection is as before), UBI_EIO, UBI_EFORMAT, UBI_ELIMIT,
 * UBI_ENOMEM, UBI_ECANCELLED.
 */
ubi_status ubi__rdp_peer_ask(ubi__rdp_peer *peer, const char *actor, const char *type, const char *members,
                             ubi_text *reply);
/**
 * A request that is answered by a bulk packet, whose bytes go to `write`. A JSON reply after the packet, which old servers send, is passed
 * over. Errors: as above; UBI_EIO also for a refused write.
 */
ubi_status ubi__rdp_peer_fetch(ubi__rdp_peer *peer, const char *actor, const char *type, const char *members,
                               ubi_write_fn write, void *payload);
/** Takes events for so long, or until `*is_over`; NULL: there is no such end. Errors: as above. */
ubi_status ubi__rdp_peer_wait(ubi__rdp_peer *peer, uint64_t microseconds, const bool *is_over);
/** What progress is called while it waits; static. At first "waiting for an answer". */
void ubi__rdp_peer_set_stage(ubi__rdp_peer *peer, const char *stage);

/* ---- reading replies ------------------------------------------------------------------------------------------------ */

/** A member that is a text, ended by a zero: false when it is missing, no string, or longer than `n` - 1. */
bool ubi__rdp_member_word(char *out, size_t n, ubi_text object, const char *name);

#endif
