/* SPDX-License-Identifier: MIT
 *
 * actor.h: actors of the remote debugging protocol, made from tables.
 *
 * An *actor* is what a client speaks to: an id, a type, a state of its own. Its type is a table of methods, with their arguments and replies,
 * and of events. From the table come the checks of arguments and their errors, `requestTypes`, and the reference page; so a method's
 * function sees arguments that are as the table says.
 *
 * A *call* is one request. Its function replies, fails, or *defers*: another thread finds the answer, and the reply is handed in later, on the
 * connection's thread. Until then later requests to that actor, and its events, wait: replies have no number, only an order.
 *
 *     static ubi_status state_get(ubi__rdp_call *call) {
 *         ubi__json *json = ubi__rdp_reply_begin(call);
 *         ubi__json_member_string(json, "state", "attached");
 *         return ubi__rdp_reply_end(call);
 *     }
 *
 * Threads: all of this belongs to the thread of the connection, except packets, which any thread may write.
 */
#ifndef UBI_RDP_ACTOR_H
#define UBI_RDP_ACTOR_H

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "jobs/visits.h"
#include "rdp/packets.h"

typedef struct ubi__rdp_actor ubi__rdp_actor;
typedef struct ubi__rdp_call ubi__rdp_call;
typedef struct ubi__rdp_connection ubi__rdp_connection;

/* ---- tables --------------------------------------------------------------------------------------------------------- */

/** What a value is. Of an argument it is checked. */
typedef enum ubi__rdp_kind {
    UBI__RDP_ANY,
    UBI__RDP_STRING,
    UBI__RDP_NUMBER,
    UBI__RDP_BOOLEAN,
    UBI__RDP_OBJECT,
    UBI__RDP_ARRAY
} ubi__rdp_kind;

/** What may be missing in a request. */
typedef enum ubi__rdp_need {
    UBI__RDP_OPTIONAL, /**< may be missing or null */
    UBI__RDP_REQUIRED
} ubi__rdp_need;

/** An argument, or a member of a reply or an event. */
typedef struct ubi__rdp_field {
    const char *name; /**< NULL after the last */
    ubi__rdp_kind kind;
    ubi__rdp_need need;
    const char *help;
} ubi__rdp_field;

#define UBI__RDP_MOST_ARGUMENTS 8

typedef struct ubi__rdp_method {
    const char *type; /**< NULL after the last */
    /** Replies, defers, or fails; a status that is an error becomes an error packet with the thread's message. */
    ubi_status (*perform)(ubi__rdp_call *call);
    const ubi__rdp_field *arguments; /**< NULL: none. UBI__RDP_MOST_ARGUMENTS at most */
    const ubi__rdp_field *replies;   /**< NULL: an empty object */
    bool is_one_way;                 /**< there is no reply, also if it fails */
    const char *help;                /**< a sentence without its point */
    const char *clients;             /**< that were seen to work with it; "" if none */
} ubi__rdp_method;

typedef struct ubi__rdp_event {
    const char *type; /**< NULL after the last */
    const ubi__rdp_field *fields;
    const char *help;
} ubi__rdp_event;

typedef struct ubi__rdp_actor_type {
    const char *name; /**< begins its actors' ids; ends with no digit */
    const char *help;
    const ubi__rdp_method *methods;         /**< NULL: none */
    const ubi__rdp_event *events;           /**< NULL: none */
    void (*destroy)(ubi__rdp_actor *actor); /**< frees its payload; NULL: nothing to do */
    void (*alarm)(ubi__rdp_actor *actor);   /**< what ubi__rdp_actor_set_alarm asked for; or NULL */
    /** A request has come, which may have to wait for the answer to an earlier one. @param method  NULL: unknown. NULL: nothing to do. */
    void (*hurry)(ubi__rdp_actor *actor, const ubi__rdp_method *method);
} ubi__rdp_actor_type;

/* ---- actors --------------------------------------------------------------------------------------------------------- */

#define UBI__RDP_ID_BYTES 64

struct ubi__rdp_actor {
    const ubi__rdp_actor_type *type;
    ubi__rdp_connection *connection;
    void *payload; /* the type's */
    char id[UBI__RDP_ID_BYTES];
    /* The pool's: */
    uint64_t number; /* at the end of the id; 0: root */
    ubi__rdp_actor *parent, *children, *next, **place;
    ubi__rdp_call *calls; /* the first is being answered, the others wait */
    struct ubi__rdp_held_event *events;
    uint32_t n_events;
    ubi__rdp_actor *next_held, **held_place; /* of those with events that wait */
    uint64_t asked_ms;                       /* when it last got a request */
    bool was_asked;
    ubi__rdp_actor *next_alarm, **alarm_place; /* of those with an alarm */
    uint64_t alarm_ms;
    ubi__rdp_actor *next_stalled, **stalled_place; /* of those whose requests wait until the client reads */
};

/**
 * Makes an actor below `parent`, with which it goes.
 * Errors: UBI_ELIMIT (the connection has its most actors), UBI_ENOMEM; then the payload remains the caller's.
 */
ubi_status ubi__rdp_actor_new(ubi__rdp_actor **out, ubi__rdp_actor *parent, const ubi__rdp_actor_type *type,
                              void *payload);
/** One with a number of the caller's, which no other has: such an id can be written before there is an actor. Errors: the same. */
ubi_status ubi__rdp_actor_new_numbered(ubi__rdp_actor **out, ubi__rdp_actor *parent, const ubi__rdp_actor_type *type,
                                       void *payload, uint64_t number);
/** The id of an actor with this number. */
void ubi__rdp_id_write(char out[UBI__RDP_ID_BYTES], const char *prefix, const ubi__rdp_actor_type *type,
                       uint64_t number);
/** Frees it with those below it. What it owes is never answered: its client gets no packet of it any more. */
void ubi__rdp_actor_free(ubi__rdp_actor *actor);
/** The connection's root actor, which is made with it. */
ubi__rdp_actor *ubi__rdp_root(ubi__rdp_connection *connection);
/** The first actor of a type below `parent`; NULL: there is none. Cost: O(its children). */
ubi__rdp_actor *ubi__rdp_actor_child(const ubi__rdp_actor *parent, const ubi__rdp_actor_type *type);

/** Calls the type's alarm once, in this many milliseconds, in place of one that was to come. UINT64_MAX: not any more. */
void ubi__rdp_actor_set_alarm(ubi__rdp_actor *actor, uint64_t after_ms);

/* ---- packets -------------------------------------------------------------------------------------------------------- */

/** A packet that is being written. Any thread; 8 KiB. */
typedef struct ubi__rdp_packet {
    const ubi_allocator *allocator;
    ubi__vec_u8 bytes; /* room for the header, and the text */
    size_t at;         /* where it begins, once it is closed */
    ubi__bytes_sink sink;
    ubi__json json;
} ubi__rdp_packet;

/** Opens the object, with the member `from`; NULL: without. */
ubi__json *ubi__rdp_packet_open(ubi__rdp_packet *packet, const char *from, const ubi_allocator *allocator);
/** Ends the object and puts the header before it. Errors: UBI_ENOMEM; the packet is empty then. */
ubi_status ubi__rdp_packet_close(ubi__rdp_packet *packet);
void ubi__rdp_packet_fini(ubi__rdp_packet *packet);
/** What a closed packet sends. */
ubi_text ubi__rdp_packet_bytes(const ubi__rdp_packet *packet);

/* ---- calls ---------------------------------------------------------------------------------------------------------- */

ubi__rdp_actor *ubi__rdp_call_actor(const ubi__rdp_call *call);
/** What it asks for, such as "memory.takeCensus". */
void ubi__rdp_call_name(char out[UBI__VISIT_NAME_BYTES], const ubi__rdp_call *call);
/** An argument by its number in the table; type NULL: it is missing, or null. Borrowed from the call. */
const ubi__json_value *ubi__rdp_argument(const ubi__rdp_call *call, uint32_t i);
/** The same as a number that was checked; `otherwise` if it is missing. */
double ubi__rdp_argument_number(const ubi__rdp_call *call, uint32_t i, double otherwise);
bool ubi__rdp_argument_bool(const ubi__rdp_call *call, uint32_t i, bool otherwise);
/** A string without escapes that the argument is. */
bool ubi__rdp_argument_is(const ubi__rdp_call *call, uint32_t i, const char *text);
/** A text of at most `n` - 1 bytes, NUL-terminated. Errors: UBI_EINVAL (missing, longer, or with a NUL). */
ubi_status ubi__rdp_argument_text(char *out, size_t n, const ubi__rdp_call *call, uint32_t i);
/** Appends a text. Errors: UBI_ENOMEM. */
ubi_status ubi__rdp_argument_copy(ubi__vec_u8 *out, const ubi__rdp_call *call, uint32_t i);
/**
 * Reads the members of an object that are in a table, and checks them as arguments are. values[i] for fields[i].
 * Errors: UBI_EINVAL, with the message and the name of ubi__rdp_call_error_name.
 */
ubi_status ubi__rdp_fields_read(ubi__json_value *values, const ubi__rdp_field *fields, const ubi__json_value *object,
                                const char **error_name);

/** Opens the reply; one per call. Its packet is the connection's, so close it before anything else is written. */
ubi__json *ubi__rdp_reply_begin(ubi__rdp_call *call);
/** Sends the reply; the call is gone then. Returns what the call's function may return. */
ubi_status ubi__rdp_reply_end(ubi__rdp_call *call);
/** A reply without members. */
ubi_status ubi__rdp_reply_empty(ubi__rdp_call *call);
/** A reply that was written elsewhere. Takes the packet's bytes. */
ubi_status ubi__rdp_reply_packet(ubi__rdp_call *call, ubi__rdp_packet *packet);
/** A bulk packet: the first `n_bytes` of a file. Takes the descriptor, also if it fails. */
ubi_status ubi__rdp_reply_file(ubi__rdp_call *call, const char *type, int fd, uint64_t n_bytes);
/** An error packet, with the thread's message. @param name  NULL: that of the status. */
ubi_status ubi__rdp_reply_error(ubi__rdp_call *call, const char *name, ubi_status status);
/** The same, with a message. */
ubi_status ubi__rdp_reply_failure(ubi__rdp_call *call, const char *name, const char *format, ...) UBI_PRINTF(3, 4);
/**
 * The reply comes later: by one of the functions above, on the connection's thread, exactly once, whatever becomes of the connection
 * and its actors. Then ubi__rdp_call_actor may be NULL: they are gone, and the reply is not sent.
 */
ubi_status ubi__rdp_defer(ubi__rdp_call *call);

/* ---- events --------------------------------------------------------------------------------------------------------- */

/** Opens an event, with its type; not while a reply is open. */
ubi__json *ubi__rdp_event_begin(ubi__rdp_actor *actor, const char *type);
/**
 * Sends it, when the actor owes no reply. To a client that takes any packet for a reply, when the actor got no request for
 * UBI__RDP_QUIET_MS. Of events that wait the oldest are dropped when there are more than UBI__RDP_MOST_HELD.
 */
void ubi__rdp_event_end(ubi__rdp_actor *actor);
/** An event that was written elsewhere. Takes the packet's bytes. */
void ubi__rdp_event_packet(ubi__rdp_actor *actor, ubi__rdp_packet *packet);

#endif
