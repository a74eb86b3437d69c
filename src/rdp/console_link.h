/* SPDX-License-Identifier: MIT
 *
 * console_link.h: a console actor's link to the target's thread: its end there is a console. Values come as *grips*, which are what the
 * protocol calls a described value.
 *
 * Objects, symbols and long strings in grips have actors of their own. Their ids are written on the target's thread, with numbers that
 * begin with the console's; the actors are made when the packet arrives on the network's thread, before it is sent. What no actor holds
 * any more is released by an errand.
 */
#ifndef UBI_RDP_CONSOLE_LINK_H
#define UBI_RDP_CONSOLE_LINK_H

#include <ubiheap/extension/console.h>

#include "rdp/target_link.h"

/** Values that one console holds for its client: of more the oldest go. */
#define UBI__RDP_MOST_HELD_VALUES 4096
/** Messages that are on their way to the network's thread: more are not sent. */
#define UBI__RDP_MOST_MESSAGES_UNDERWAY 1024

/** What a client listens to, in bits. */
typedef enum ubi__rdp_listening {
    UBI__RDP_CONSOLE_RESOURCES = 1 << 0, /**< console-message */
    UBI__RDP_ERROR_RESOURCES = 1 << 1,   /**< error-message */
    UBI__RDP_CONSOLE_EVENTS = 1 << 2,    /**< consoleAPICall, of clients that know no resources */
    UBI__RDP_ERROR_EVENTS = 1 << 3       /**< pageError */
} ubi__rdp_listening;

typedef struct ubi__rdp_console_link {
    ubi__rdp_link link; /* the first: one is the other */
    uint64_t number;    /* of the consoles of its connection; from 1 */
    char prefix[32];    /* of ids */
    char target_id[UBI__RDP_ID_BYTES];
    bool has_old_forms;          /* the client knows no `resources-available-array` */
    _Atomic uint32_t n_messages; /* on their way */
    /* The network's thread: */
    struct ubi__rdp_held *oldest, *newest; /* values with an actor */
    uint32_t n_held;
    ubi__vec_u64 unheld; /* handles that are to be released */
    bool is_releasing;   /* an errand does so */
    /* The target's thread: */
    ubi_console console;
    uint32_t listening;  /* bits of ubi__rdp_listening */
    uint64_t last_value; /* that was numbered */
} ubi__rdp_console_link;

/** The payload of an actor that holds a value. */
typedef struct ubi__rdp_held {
    ubi__rdp_actor *actor;
    ubi_value_handle handle;
    struct ubi__rdp_held *older, *newer;
} ubi__rdp_held;

/** What a grip's actor is. */
typedef enum ubi__rdp_held_kind { UBI__RDP_HELD_OBJECT, UBI__RDP_HELD_STRING, UBI__RDP_HELD_SYMBOL } ubi__rdp_held_kind;

const ubi__rdp_actor_type *ubi__rdp_held_type(ubi__rdp_held_kind kind);

/** A value in a packet, for which an actor is to be made. */
typedef struct ubi__rdp_new_value {
    uint64_t number; /* of the actor */
    ubi_value_handle handle;
    ubi__rdp_held_kind kind;
} ubi__rdp_new_value;
UBI_VEC_DECLARE(ubi__rdp_new_values, ubi__rdp_new_value);

typedef struct ubi__rdp_console_errand {
    ubi__rdp_errand errand; /* the first: one is the other */
    /* Parameters: */
    ubi__vec_u8 text; /* what is evaluated, or names as they came */
    bool is_eager;
    char id[UBI__RDP_ID_BYTES]; /* of a result, or of an iterator */
    ubi_value_handle handle;
    ubi_value_handle receiver; /* of a getter; 0: the object */
    uint32_t selection;        /* of ubi_property_selection, or UBI__RDP_ENTRIES; 0: nothing */
    uint64_t first, count;
    uint32_t listening, unlistening; /* bits that begin, and that end */
    ubi__vec_u64 handles;            /* that are released */
    /* Results: */
    ubi__rdp_new_values values; /* that are in the packet */
} ubi__rdp_console_errand;

extern const ubi__rdp_link_type ubi__rdp_console_link_type;

static inline ubi__rdp_console_link *ubi__rdp_console_link_of(const ubi__rdp_errand *errand) {
    return (ubi__rdp_console_link *)errand->link;
}
static inline ubi__rdp_console_errand *ubi__rdp_console_errand_of(ubi__rdp_errand *errand) {
    return (ubi__rdp_console_errand *)errand;
}

/** A selection for iterators: entries of a collection, not properties. */
#define UBI__RDP_ENTRIES (1u << 31)

/* ---- grips; see console_grips.c ----------------------------------------------------------------------------------------- */

/** Where grips are written. The target's thread. */
typedef struct ubi__rdp_grips {
    ubi__json *json;
    ubi_console console;
    ubi__rdp_console_link *link; /* NULL: nothing is held, and objects are written as texts */
    ubi__rdp_new_values *values; /* gets those that are held; NULL with the link */
    bool with_previews;          /* of values of properties, too, but not of those within a preview */
    uint32_t table_levels;       /* objects have rows in place of a preview, so deep; 0: not */
} ubi__rdp_grips;

/** Grips that go into an errand's packet. */
ubi__rdp_grips ubi__rdp_grips_of(ubi__rdp_errand *errand, ubi__json *json);
/** Writes a value; takes what it holds. @param with_preview  of an object: also some of its properties. */
void ubi__rdp_grip_write(ubi__rdp_grips *g, const ubi_value *value, bool with_preview);
/** Of a value that is not written: releases what it holds. */
void ubi__rdp_value_drop(ubi_console console, const ubi_value *value);
/** A value as a few words, such as `Map {…}` or `function f`; cut after some. Does not take it. */
#define UBI__RDP_WORDS_BYTES 512
void ubi__rdp_value_words(char out[UBI__RDP_WORDS_BYTES], const ubi__rdp_grips *g, const ubi_value *value);
/** `{"type": TYPE}`. */
void ubi__rdp_grip_write_type(ubi__json *json, const char *type);
/* Parts of them; members go into an object that is open. */
void ubi__rdp_grip_begin(ubi__json *json, const char *type);
void ubi__rdp_grip_write_number(ubi__json *json, double number);
void ubi__rdp_grip_write_symbol(ubi__rdp_grips *g, const ubi_value *value);
void ubi__rdp_grip_write_property(ubi__rdp_grips *g, const ubi_property *p);
void ubi__rdp_grip_write_accessor(ubi__rdp_grips *g, const ubi_property *p);
/** The id of a value's actor, which is made when the packet arrives. Takes the handle. */
void ubi__rdp_grip_write_actor(ubi__rdp_grips *g, ubi_value_handle handle, ubi__rdp_held_kind kind);
/** Of an object; see console_objects.c. */
void ubi__rdp_object_write(ubi__rdp_grips *g, ubi_value_handle handle, bool with_preview);

/** What getters of the language's own classes give, which are not called for it: such as the size of a map. */
typedef struct ubi__rdp_known_getters {
    uint32_t n;
    struct {
        const char *name;
        uint64_t value;
    } at[2];
} ubi__rdp_known_getters;
void ubi__rdp_known_getters_of(ubi__rdp_known_getters *out, const ubi_object_description *d);
/** As members of an object that is open. */
void ubi__rdp_known_getters_write(ubi__json *json, const ubi__rdp_known_getters *getters, uint64_t first,
                                  uint64_t count);
/** Writes entries as members of an object that is open, by their places. */
ubi_status ubi__rdp_grips_write_entries(ubi__rdp_grips *g, ubi_value_handle handle, uint64_t first, uint64_t count);
/** Writes properties as members of an object that is open, or those with symbols as elements of an array. */
ubi_status ubi__rdp_grips_write_properties(ubi__rdp_grips *g, ubi_value_handle handle, uint32_t selection,
                                           uint64_t first, uint64_t count);

/* ---- messages as items; see console_items.c, console_format.c ---------------------------------------------------------------- */

/** A message as resources and events have it. Takes what it holds. */
ubi_status ubi__rdp_item_write(ubi__vec_u8 *out, ubi__rdp_grips *g, const ubi__rdp_tab *tab,
                               const ubi_console_message *m);
/** The members `arguments` and, if there is a %c, `styles`: directives in the first one take the next ones. Takes what they hold. */
void ubi__rdp_arguments_write(ubi__rdp_grips *g, const ubi_console_message *m);
/** A member with frames: `filename`, `functionName`, `lineNumber`, `columnNumber`, `sourceId`; null without. */
void ubi__rdp_frames_write(ubi__json *json, const char *key, const ubi_console_frame *frames, uint32_t n);

/* ---- messages; see console_messages.c ----------------------------------------------------------------------------------- */

/**
 * What a target's program has said before a client listened, as texts: for a client that may never come nothing is kept alive. The target's
 * thread.
 */
typedef struct ubi__rdp_messages ubi__rdp_messages;

/** Asks the target to have its messages kept from now on, if it has a console. Any thread. */
void ubi__rdp_messages_begin(ubi__rdp_tab *tab);
/** The same on the target's thread, at once. */
void ubi__rdp_messages_open(ubi__rdp_tab *tab, ubi_target target);
/** On the target's thread, which goes. */
void ubi__rdp_messages_end(ubi__rdp_tab *tab);
void ubi__rdp_messages_clear(ubi__rdp_messages *messages); /**< NULL is fine */
/** On the network's thread: makes the actors of the values in an errand's packet, or releases them. */
void ubi__rdp_console_values_arrive(ubi__rdp_errand *errand);
/** Of a link's console. Payload: the link. */
void ubi__rdp_console_hear(void *link, const ubi_console_message *message);

/* ---- what errands do at the target; see console_errands.c --------------------------------------------------------------- */

/** The reply; the event `evaluationResult` follows it. */
ubi_status ubi__rdp_console_evaluate(ubi__rdp_errand *errand, ubi__json *json);
/** Begins and ends listening to messages; as the reply of startListeners. */
ubi_status ubi__rdp_console_start(ubi__rdp_errand *errand, ubi__json *json);
/** The same, as that of stopListeners. */
ubi_status ubi__rdp_console_stop(ubi__rdp_errand *errand, ubi__json *json);
/** The same, as an event with the messages that are there; UBI_ECANCELLED: there are none. */
ubi_status ubi__rdp_console_watch(ubi__rdp_errand *errand, ubi__json *json);
ubi_status ubi__rdp_console_messages(ubi__rdp_errand *errand, ubi__json *json); /**< that are there, of `listening` */
ubi_status ubi__rdp_console_complete(ubi__rdp_errand *errand, ubi__json *json); /**< `text` */
ubi_status ubi__rdp_console_clear(ubi__rdp_errand *errand, ubi__json *json);
/* Of a value: */
ubi_status ubi__rdp_value_count(ubi__rdp_errand *errand, ubi__json *json); /**< `iterator`, whose actor is errand->id */
ubi_status ubi__rdp_value_slice(ubi__rdp_errand *errand, ubi__json *json);
ubi_status ubi__rdp_value_prototype(ubi__rdp_errand *errand, ubi__json *json);
ubi_status ubi__rdp_value_all(ubi__rdp_errand *errand, ubi__json *json); /**< prototype and properties */
ubi_status ubi__rdp_value_get(ubi__rdp_errand *errand, ubi__json *json); /**< a property, whose name is `text` */
ubi_status ubi__rdp_value_promise_state(ubi__rdp_errand *errand, ubi__json *json); /**< `promiseState` */
ubi_status ubi__rdp_value_proxy_slots(ubi__rdp_errand *errand, ubi__json *json);
ubi_status ubi__rdp_value_substring(ubi__rdp_errand *errand, ubi__json *json);
ubi_status ubi__rdp_values_release(ubi__rdp_errand *errand, ubi__json *json);

#endif
