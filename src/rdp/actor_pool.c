/* SPDX-License-Identifier: MIT
 *
 * actor_pool.c: the actors of a connection: a tree, found by id. See actor.h.
 *
 * An id ends with the actor's number, by which the table finds it; then the whole id is compared.
 */
#include <stdio.h>

#include "base/text.h"
#include "rdp/connection.h"

static bool is_numbered(const void *context, const ubi__rdp_actor_slot *slot, uint64_t number) {
    (void)context;
    return slot->actor->number == number;
}
UBI_TABLE_LOOKUP(actor, ubi__rdp_actor_table, ubi__rdp_actor_slot, ubi__rdp_actor_slot_is_used, const void *, uint64_t,
                 is_numbered);

/* ---- finding ---------------------------------------------------------------------------------------------------------- */

/* The number at the end of an id; 0: there is none. */
static uint64_t number_read(ubi_text id) {
    uint64_t number = 0;
    size_t begin = id.len;
    while (begin > 0 && ubi__is_digit(id.ptr[begin - 1]) && id.len - begin < 18)
        begin--;
    for (size_t i = begin; i < id.len; i++)
        number = 10 * number + (uint64_t)(id.ptr[i] - '0');
    return number;
}

ubi__rdp_actor *ubi__rdp_actor_find(const ubi__rdp_connection *connection, ubi_text id) {
    uint64_t number = number_read(id);
    if (ubi__text_is(id, connection->root->id))
        return connection->root;
    const ubi__rdp_actor_slot *slot = actor_find(&connection->actors, NULL, number, ubi__rdp_number_hash(number));
    return slot && ubi__text_is(id, slot->actor->id) ? slot->actor : NULL;
}

ubi__rdp_actor *ubi__rdp_root(ubi__rdp_connection *connection) {
    return connection->root;
}

ubi__rdp_actor *ubi__rdp_actor_child(const ubi__rdp_actor *parent, const ubi__rdp_actor_type *type) {
    ubi__rdp_actor *child = parent->children;
    while (child && child->type != type)
        child = child->next;
    return child;
}

/* ---- making ----------------------------------------------------------------------------------------------------------- */

static void actor_link(ubi__rdp_actor *actor, ubi__rdp_actor *parent) {
    actor->parent = parent;
    actor->next = parent->children;
    actor->place = &parent->children;
    if (actor->next)
        actor->next->place = &actor->next;
    parent->children = actor;
}

static ubi__rdp_actor *actor_make(ubi__rdp_connection *c, const ubi__rdp_actor_type *type, void *payload) {
    ubi__rdp_actor *actor = UBI_NEW(c->allocator, ubi__rdp_actor);
    if (!actor)
        return NULL;
    actor->type = type;
    actor->connection = c;
    actor->payload = payload;
    return actor;
}

void ubi__rdp_id_write(char out[UBI__RDP_ID_BYTES], const char *prefix, const ubi__rdp_actor_type *type,
                       uint64_t number) {
    snprintf(out, UBI__RDP_ID_BYTES, "%s%s%llu", prefix, type->name, (unsigned long long)number);
}

ubi_status ubi__rdp_actor_new_numbered(ubi__rdp_actor **out, ubi__rdp_actor *parent, const ubi__rdp_actor_type *type,
                                       void *payload, uint64_t number) {
    ubi__rdp_connection *c = parent->connection;
    if (c->actors.n >= UBI__RDP_MOST_ACTORS)
        return ubi__fail(UBI_ELIMIT, "a connection has %d actors at most", UBI__RDP_MOST_ACTORS);
    UBI_TRY(ubi__rdp_actor_table_reserve(&c->actors, c->allocator, 1));
    ubi__rdp_actor *actor = actor_make(c, type, payload);
    if (!actor)
        return ubi__fail_nomem();
    actor->number = number;
    ubi__rdp_id_write(actor->id, c->prefix, type, number);
    *actor_place(&c->actors, NULL, actor->number, ubi__rdp_number_hash(actor->number)) = (ubi__rdp_actor_slot){ actor };
    ubi__rdp_actor_table_added(&c->actors);
    actor_link(actor, parent);
    *out = actor;
    return UBI_OK;
}

ubi_status ubi__rdp_actor_new(ubi__rdp_actor **out, ubi__rdp_actor *parent, const ubi__rdp_actor_type *type,
                              void *payload) {
    return ubi__rdp_actor_new_numbered(out, parent, type, payload, ++parent->connection->last_number);
}

ubi_status ubi__rdp_root_new(ubi__rdp_connection *connection, const ubi__rdp_actor_type *type, void *payload) {
    connection->root = actor_make(connection, type, payload);
    if (!connection->root)
        return ubi__fail_nomem();
    snprintf(connection->root->id, sizeof connection->root->id, "root");
    return UBI_OK;
}

/* ---- freeing ---------------------------------------------------------------------------------------------------------- */

/* What it was asked and has not answered: its client would wait for ever. One that is being performed frees itself. */
static void actor_drop_calls(ubi__rdp_actor *actor) {
    ubi__rdp_connection *c = actor->connection;
    for (ubi__rdp_call *call = actor->calls, *next; call; call = next) {
        next = call->next;
        c->n_waiting--;
        c->n_waiting_bytes -= call->n_bytes;
        if (!call->is_answered && !(call->method && call->method->is_one_way))
            ubi__rdp_no_actor_write(c, ubi__text(actor->id), ubi__text(actor->id));
        call->actor = NULL;
        call->next = NULL;
        if (!call->is_performing)
            call->connection = NULL;
        if (!call->is_begun || (!call->is_performing && call->is_answered))
            ubi__rdp_call_free(call);
    }
    actor->calls = NULL;
}

/* One without children. */
static void leaf_free(ubi__rdp_actor *actor) {
    ubi__rdp_connection *c = actor->connection;
    actor_drop_calls(actor);
    ubi__rdp_actor_drop_events(actor);
    ubi__rdp_actor_set_alarm(actor, UINT64_MAX);
    ubi__rdp_actor_unstall(actor);
    if (actor->type->destroy)
        actor->type->destroy(actor);
    if (actor->place) {
        *actor->place = actor->next;
        if (actor->next)
            actor->next->place = actor->place;
        ubi__rdp_actor_table_remove(&c->actors,
                                    actor_find(&c->actors, NULL, actor->number, ubi__rdp_number_hash(actor->number)));
    }
    UBI_DELETE(c->allocator, actor);
}

void ubi__rdp_actor_free(ubi__rdp_actor *actor) {
    ubi__rdp_actor *at = actor;
    for (;;) {
        while (at->children)
            at = at->children;
        ubi__rdp_actor *parent = at->parent;
        bool is_last = at == actor;
        leaf_free(at);
        if (is_last)
            return;
        at = parent;
    }
}

void ubi__rdp_actors_fini(ubi__rdp_connection *connection) {
    if (connection->root)
        ubi__rdp_actor_free(connection->root);
    connection->root = NULL;
    ubi__rdp_actor_table_fini(&connection->actors, connection->allocator);
}
