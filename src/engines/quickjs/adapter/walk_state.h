/* SPDX-License-Identifier: MIT
 *
 * walk_state.h: what a frozen heap needs: its nodes by number, its roots, the boundaries of a scope, and the guard.
 *
 * All of it is made by freezing and freed by thawing; between walks only the numbers of realms remain.
 */
#ifndef UBI_QUICKJS_WALK_STATE_H
#define UBI_QUICKJS_WALK_STATE_H

#include <ubiheap/extension/quickjs.h>

#include "engines/quickjs/adapter/block_functions.h"
#include "engines/quickjs/adapter/node_index.h"

/** A node that is referred to from outside of the heap. */
typedef struct ubi__root {
    uint32_t node;
    uint32_t slot;   /* in `slots` of the stack: who holds it; UBI_NONE: unknown, so C code */
    uint32_t excess; /* how many references, which stops at the greatest */
} ubi__root;

/** A value that the frame of a running function holds. */
typedef struct ubi__stack_slot {
    JSValue value;        /* a reference */
    const void *function; /* object whose call it is; NULL: unknown */
    int32_t variable;     /* arguments first, then local variables; one of the below */
} ubi__stack_slot;
enum { UBI__SLOT_FUNCTION = -1, UBI__SLOT_THIS = -2, UBI__SLOT_FRAME = -3 };

/** A text that a node is asked for and that the heap holds in another encoding. */
typedef struct ubi__kept_text {
    struct ubi__kept_text *next;
    uint32_t atom;
    uint32_t capacity, length;
    char bytes[];
} ubi__kept_text;

typedef struct ubi__name_buffer {
    char *at;
    uint32_t capacity;
} ubi__name_buffer;

/** What the guard took from the runtime, and what it caught. See guard.h. */
typedef struct ubi__guard {
    ubi__block_functions functions;
    JSInterruptHandler *interrupt_handler;
    void *interrupt_payload;
    int *interrupt_counters; /* of the realms, in their order */
    uint32_t n_realms;
    bool was_in_out_of_memory; /* what the runtime had there */
    void **deferred;           /* blocks that were freed meanwhile */
    uint32_t n_deferred, deferred_capacity;
    const char *violation; /* the first; NULL: none */
} ubi__guard;

/** A realm and its permanent number. */
typedef struct ubi__numbered_realm {
    JSContext *realm;
    uint64_t number;
} ubi__numbered_realm;

typedef struct ubi__constructor_names ubi__constructor_names; /* constructor_names.h */

/** The text of a name of edges. */
typedef struct ubi__known_name {
    ubi_edge_key key;
    ubi_text text; /* NULL: none is known here */
} ubi__known_name;

#define UBI__SOON 4
#define UBI__KNOWN_NAMES_BITS 8

typedef struct ubi__walk_state {
    bool is_frozen;
    ubi_node any_node; /* what all nodes share; to copy it is cheaper than to put it together for each edge */
    ubi__node_index index;
    const void *soon[UBI__SOON]; /* objects that were asked for lately, in a ring */
    uint32_t n_soon;
    /* while the heap is looked through */
    uint64_t *work; /* nodes that are not on the collector's list and whose edges wait; as in index.nodes */
    uint32_t n_work, work_capacity;
    ubi__address_map special; /* node that is neither listed nor a string -> kind */
    uint64_t overcounts;
    /* roots */
    ubi__root *roots;
    uint32_t n_roots, roots_capacity;
    ubi__stack_slot *slots;
    uint32_t n_slots, slots_capacity;
    ubi__address_map slot_of; /* what a frame holds -> its slot + 1 */
    /* scope; NULL: everything */
    const struct ubi_quickjs_scope *scope;
    ubi__address_map intrinsics; /* what a realm names -> 1: realm in the scope, 2: not */
    /* texts */
    ubi__constructor_names *constructors;
    ubi__kept_text *texts;
    ubi__name_buffer name;
    ubi__known_name known_names[1 << UBI__KNOWN_NAMES_BITS]; /* lately asked for, by hash */
    ubi__guard guard;
    /* for ever */
    ubi__numbered_realm *realms;
    uint32_t n_realms, realms_capacity;
    uint64_t last_realm_number;
} ubi__walk_state;

#endif
