/* SPDX-License-Identifier: MIT
 *
 * connection.h: one client of the remote debugging protocol, without its socket: bytes in, bytes out.
 *
 *     bytes ─ packets ─ dispatch ─ call ─ actor's method ─ reply ─ bytes
 *
 * A connection has a pool of actors, a tree below `root`. It keeps the order of each actor's replies, and sends its events after them. It
 * reads no clock: the caller says what time it is.
 */
#ifndef UBI_RDP_CONNECTION_H
#define UBI_RDP_CONNECTION_H

#include "base/table.h"
#include "rdp/actor.h"

/** Actors of one connection. */
#define UBI__RDP_MOST_ACTORS 10000
/** After this long without a request, an actor's events go to clients that take any packet for a reply. */
#define UBI__RDP_QUIET_MS 100
/** Events of one actor that wait. */
#define UBI__RDP_MOST_HELD 32
/** Requests that wait for others; when there are more, no more bytes are wanted. */
#define UBI__RDP_MOST_WAITING 256
#define UBI__RDP_MOST_WAITING_BYTES ((size_t)4 << 20)

/** Where bytes go: a socket, or a test. */
typedef struct ubi__rdp_output {
    void *payload;
    /** Takes the bytes [at, n) of a block of the connection's allocator, in order. */
    void (*write)(void *payload, ubi__vec_u8 *bytes, size_t at);
    /** Then the first `n_bytes` of a file. Takes the descriptor. */
    void (*write_file)(void *payload, int fd, uint64_t n_bytes);
    /** The connection is to be closed, after what was written. `why` in a line, for a log. */
    void (*close)(void *payload, const char *why);
} ubi__rdp_output;

typedef struct ubi__rdp_connection_options {
    const ubi__rdp_actor_type *root; /**< the type of `root` */
    void *root_payload;
    void (*greet)(ubi__json *json); /**< writes what the greeting has beside `from`; NULL: nothing */
    const char *prefix;             /**< of ids, such as "server1.conn0."; short, without space and colon; copied */
    size_t most_json_bytes;         /**< of a request; 0: UBI__RDP_JSON_BYTES */
    const ubi_allocator *allocator;
} ubi__rdp_connection_options;

/* ---- insides ---------------------------------------------------------------------------------------------------------- */

/* An event that waits. */
typedef struct ubi__rdp_held_event {
    struct ubi__rdp_held_event *next;
    ubi__vec_u8 bytes;
    size_t at;
} ubi__rdp_held_event;

/* A request. The first of its actor's list is being answered; that one outlives actor and connection if it was deferred. */
struct ubi__rdp_call {
    ubi__rdp_call *next;
    const ubi_allocator *allocator;
    ubi__rdp_connection *connection; /* NULL: gone */
    ubi__rdp_actor *actor;           /* NULL: gone */
    const ubi__rdp_method *method;   /* NULL: its type has none of this name */
    ubi__json_value values[UBI__RDP_MOST_ARGUMENTS];
    ubi__json_value type;
    bool is_begun, is_performing, is_deferred, is_answered;
    size_t n_bytes; /* of text */
    char text[];
};

typedef struct ubi__rdp_actor_slot {
    ubi__rdp_actor *actor;
} ubi__rdp_actor_slot;

static inline bool ubi__rdp_actor_slot_is_used(const ubi__rdp_actor_slot *slot) {
    return slot->actor != NULL;
}
/* Numbers are ours: no client can make them collide. */
static inline uint64_t ubi__rdp_number_hash(uint64_t number) {
    return (number + 1) * 0x9e3779b97f4a7c15u;
}
static inline uint64_t ubi__rdp_actor_slot_hash(const ubi__rdp_actor_slot *slot) {
    return ubi__rdp_number_hash(slot->actor->number);
}
UBI_TABLE_DECLARE(ubi__rdp_actor_table, ubi__rdp_actor_slot, ubi__rdp_actor_slot_is_used, ubi__rdp_actor_slot_hash);

struct ubi__rdp_connection {
    const ubi_allocator *allocator;
    ubi__rdp_output output;
    ubi__rdp_packets packets;
    char prefix[32];
    ubi__rdp_actor *root;
    ubi__rdp_actor_table actors; /* by number */
    uint64_t last_number;
    ubi__rdp_actor *held;    /* actors with events that wait */
    ubi__rdp_actor *alarms;  /* actors with an alarm */
    ubi__rdp_actor *stalled; /* actors whose requests wait until it reads */
    uint64_t now_ms;
    uint32_t n_waiting;
    size_t n_waiting_bytes;
    bool is_modern; /* the client knows events from replies */
    /* The socket's owner sets these two: */
    bool is_congested;      /* the client does not read what it gets: events are dropped, and requests wait */
    bool is_busy;           /* files are on their way to it: requests wait */
    bool is_ended;          /* it is to be closed: nothing is read or written any more */
    ubi__rdp_packet packet; /* that is being written */
    ubi__vec_u8 scratch;
};

/** The actor of an id; NULL: there is none. */
ubi__rdp_actor *ubi__rdp_actor_find(const ubi__rdp_connection *connection, ubi_text id);
/** Destroys all. */
void ubi__rdp_actors_fini(ubi__rdp_connection *connection);
/** Makes the root. */
ubi_status ubi__rdp_root_new(ubi__rdp_connection *connection, const ubi__rdp_actor_type *type, void *payload);
/** Ends the connection: nothing more is read or written. */
void ubi__rdp_connection_end(ubi__rdp_connection *connection, const char *why);
/** Writes an error packet of an actor that need not exist. */
void ubi__rdp_error_write(ubi__rdp_connection *connection, ubi_text from, const char *name, ubi_text message);
/** There is no such actor, or no longer. */
void ubi__rdp_no_actor_write(ubi__rdp_connection *connection, ubi_text from, ubi_text id);
/** Sends a closed packet, which is empty then. */
void ubi__rdp_packet_send(ubi__rdp_connection *connection, ubi__rdp_packet *packet);
/** Performs the requests that wait, until one is deferred. The actor may be gone then. */
void ubi__rdp_actor_serve(ubi__rdp_actor *actor);
/** A call was answered outside of its function. */
void ubi__rdp_call_settled(ubi__rdp_call *call);
void ubi__rdp_call_free(ubi__rdp_call *call);
/** Its requests wait for nothing but it. */
void ubi__rdp_actor_unstall(ubi__rdp_actor *actor);
/** Frees the events that wait. */
void ubi__rdp_actor_drop_events(ubi__rdp_actor *actor);
/** Performs a call: checks its arguments, and calls its function. */
void ubi__rdp_call_perform(ubi__rdp_call *call);

/* ---- a connection ----------------------------------------------------------------------------------------------------- */

/** Greets. Errors: UBI_ENOMEM; the root's payload remains the caller's then. */
ubi_status ubi__rdp_connection_new(ubi__rdp_connection **out, const ubi__rdp_connection_options *options,
                                   const ubi__rdp_output *output, uint64_t now_ms);
/** Destroys all actors. Calls that were deferred stay until they are answered. NULL is fine. */
void ubi__rdp_connection_free(ubi__rdp_connection *connection);
/** Bytes of the client. Performs each request that is whole. */
void ubi__rdp_connection_take(ubi__rdp_connection *connection, ubi_text bytes, uint64_t now_ms);
/** False: the client is to be given time, for its requests wait, or it does not read. */
bool ubi__rdp_connection_wants_bytes(const ubi__rdp_connection *connection);
/** Performs requests that waited for the client to read: to be called when is_congested or is_busy ends. */
void ubi__rdp_connection_resume(ubi__rdp_connection *connection);
/** Sends events that have waited long enough, and calls actors' alarms. */
void ubi__rdp_connection_tick(ubi__rdp_connection *connection, uint64_t now_ms);
/** When that is needed next; UINT64_MAX: not now. Cost: O(actors whose events wait, or with an alarm). */
uint64_t ubi__rdp_connection_due_ms(const ubi__rdp_connection *connection);

#endif
