/* SPDX-License-Identifier: MIT
 *
 * value_actors.c: values of a console that a client can ask about: objects, iterators over their properties, long strings, symbols.
 *
 * Each holds its value, until the client releases it, the console has too many, or goes. An iterator is below its object.
 */
#include <stdio.h>

#include "base/text.h"
#include "rdp/actors/actors.h"
#include "rdp/connection.h"

static void value_destroy(ubi__rdp_actor *actor) {
    ubi__rdp_held_free(actor->payload);
}

/* About the value of an actor; NULL: no memory. */
static ubi__rdp_console_errand *value_errand_new(const ubi__rdp_actor *value, ubi__rdp_call *call,
                                                 ubi__rdp_errand_fn perform) {
    ubi__rdp_console_errand *e = ubi__rdp_console_errand_new(value->parent, call, perform);
    if (e)
        e->handle = ((const ubi__rdp_held *)value->payload)->handle;
    return e;
}

static ubi_status value_ask(ubi__rdp_call *call, ubi__rdp_errand_fn perform) {
    ubi__rdp_console_errand *e = value_errand_new(ubi__rdp_call_actor(call), call, perform);
    return e ? ubi__rdp_errand_send(&e->errand) : ubi__fail_nomem();
}

/* The reply is written first: with the actor it could not be sent. */
static ubi_status value_release(ubi__rdp_call *call) {
    ubi__rdp_actor *actor = ubi__rdp_call_actor(call);
    UBI_TRY(ubi__rdp_reply_empty(call));
    ubi__rdp_actor_free(actor);
    return UBI_OK;
}

/* A place or a number of things; what is none is 0. */
static uint64_t count_of(double number) {
    return number >= 1 ? number < 4294967295.0 ? (uint64_t)number : UINT32_MAX : 0;
}

/* ---- iterators ---------------------------------------------------------------------------------------------------------- */

/* The payload of an iterator. */
typedef struct iterator {
    uint32_t selection; /* of ubi_property_selection; 0: it has nothing */
} iterator;

static void iterator_destroy(ubi__rdp_actor *actor) {
    UBI_DELETE(ubi_allocator_default(), (iterator *)actor->payload);
}

static ubi_status iterator_new(ubi__rdp_actor **out, ubi__rdp_actor *object, uint32_t selection) {
    iterator *i = UBI_NEW(ubi_allocator_default(), iterator);
    if (!i)
        return ubi__fail_nomem();
    i->selection = selection;
    ubi_status status = ubi__rdp_actor_new(out, object, &ubi__rdp_property_iterator_type, i);
    if (status != UBI_OK)
        UBI_DELETE(ubi_allocator_default(), i);
    return status;
}

/* One that cannot be counted stays until its object goes. */
static ubi_status iterator_reply(ubi__rdp_call *call, uint32_t selection) {
    ubi__rdp_actor *object = ubi__rdp_call_actor(call), *made = NULL;
    UBI_TRY(iterator_new(&made, object, selection));
    ubi__rdp_console_errand *e = value_errand_new(object, call, ubi__rdp_value_count);
    if (!e) {
        ubi__rdp_actor_free(made);
        return ubi__fail_nomem();
    }
    e->selection = selection;
    snprintf(e->id, sizeof e->id, "%s", made->id);
    return ubi__rdp_errand_send(&e->errand);
}

static ubi_status iterator_slice(ubi__rdp_call *call) {
    const ubi__rdp_actor *actor = ubi__rdp_call_actor(call);
    ubi__rdp_console_errand *e = value_errand_new(actor->parent, call, ubi__rdp_value_slice);
    if (!e)
        return ubi__fail_nomem();
    e->selection = ((const iterator *)actor->payload)->selection;
    e->first = count_of(ubi__rdp_argument_number(call, 0, 0));
    e->count = count_of(ubi__rdp_argument_number(call, 1, UINT32_MAX));
    return ubi__rdp_errand_send(&e->errand);
}

/* ---- objects ------------------------------------------------------------------------------------------------------------ */

enum { IGNORE_INDEXED, IGNORE_NAMED, FILTERS };
static const ubi__rdp_field filters[] = {
    { "ignoreIndexedProperties", UBI__RDP_BOOLEAN, UBI__RDP_OPTIONAL, "without elements" },
    { "ignoreNonIndexedProperties", UBI__RDP_BOOLEAN, UBI__RDP_OPTIONAL, "elements alone" },
    UBI__RDP_END,
};

static ubi_status properties_enumerate(ubi__rdp_call *call) {
    ubi__json_value values[FILTERS];
    const char *error_name = NULL;
    uint32_t selection = UBI_PROPERTIES_NAMED | UBI_PROPERTIES_INDEXED;
    ubi_status status = ubi__rdp_fields_read(values, filters, ubi__rdp_argument(call, 0), &error_name);
    if (status != UBI_OK)
        return ubi__rdp_reply_error(call, error_name, status);
    if (values[IGNORE_INDEXED].type == UBI__JSON_TRUE)
        selection &= ~(uint32_t)UBI_PROPERTIES_INDEXED;
    if (values[IGNORE_NAMED].type == UBI__JSON_TRUE)
        selection &= ~(uint32_t)UBI_PROPERTIES_NAMED;
    return iterator_reply(call, selection);
}

static ubi_status entries_enumerate(ubi__rdp_call *call) {
    return iterator_reply(call, UBI__RDP_ENTRIES);
}

static ubi_status symbols_enumerate(ubi__rdp_call *call) {
    return iterator_reply(call, UBI_PROPERTIES_SYMBOLS);
}

/* Private properties are not seen from outside. */
static ubi_status private_enumerate(ubi__rdp_call *call) {
    return iterator_reply(call, 0);
}

static ubi_status prototype_get(ubi__rdp_call *call) {
    return value_ask(call, ubi__rdp_value_prototype);
}

static ubi_status all_get(ubi__rdp_call *call) {
    return value_ask(call, ubi__rdp_value_all);
}

static ubi_status promise_state_get(ubi__rdp_call *call) {
    return value_ask(call, ubi__rdp_value_promise_state);
}

static ubi_status proxy_slots_get(ubi__rdp_call *call) {
    return value_ask(call, ubi__rdp_value_proxy_slots);
}

/* The value with an actor of the same console, by the id that is an argument; 0: there is no such value. */
static ubi_value_handle receiver_find(const ubi__rdp_call *call, uint32_t argument) {
    const ubi__rdp_actor *object = ubi__rdp_call_actor(call), *receiver = NULL;
    char id[UBI__RDP_ID_BYTES];
    if (ubi__rdp_argument_text(id, sizeof id, call, argument) == UBI_OK)
        receiver = ubi__rdp_actor_find(object->connection, ubi__text(id));
    if (!receiver || receiver->parent != object->parent || receiver->type != &ubi__rdp_object_type)
        return 0;
    return ((const ubi__rdp_held *)receiver->payload)->handle;
}

static ubi_status property_get(ubi__rdp_call *call) {
    ubi__rdp_console_errand *e = value_errand_new(ubi__rdp_call_actor(call), call, ubi__rdp_value_get);
    if (!e)
        return ubi__fail_nomem();
    e->receiver = receiver_find(call, 1);
    ubi_status status = ubi__rdp_argument_copy(&e->text, call, 0);
    if (status == UBI_OK)
        return ubi__rdp_errand_send(&e->errand);
    ubi__rdp_errand_drop(&e->errand);
    return status;
}

/* ---- long strings ------------------------------------------------------------------------------------------------------- */

static ubi_status substring_get(ubi__rdp_call *call) {
    ubi__rdp_console_errand *e = value_errand_new(ubi__rdp_call_actor(call), call, ubi__rdp_value_substring);
    if (!e)
        return ubi__fail_nomem();
    uint64_t first = count_of(ubi__rdp_argument_number(call, 0, 0));
    uint64_t end = count_of(ubi__rdp_argument_number(call, 1, 0));
    e->first = first;
    e->count = end > first ? end - first : 0;
    return ubi__rdp_errand_send(&e->errand);
}

/* ---- tables ------------------------------------------------------------------------------------------------------------- */

static const ubi__rdp_field enumerate_arguments[] = {
    { "options", UBI__RDP_OBJECT, UBI__RDP_OPTIONAL, "`ignoreIndexedProperties`, `ignoreNonIndexedProperties`" },
    UBI__RDP_END,
};
static const ubi__rdp_field iterator_replies[] = {
    { "iterator", UBI__RDP_OBJECT, UBI__RDP_REQUIRED, "`type`, `actor`, `count`" },
    UBI__RDP_END,
};
static const ubi__rdp_field prototype_replies[] = {
    { "prototype", UBI__RDP_ANY, UBI__RDP_REQUIRED, "a grip; undefined for a proxy" },
    UBI__RDP_END,
};
static const ubi__rdp_field all_replies[] = {
    { "prototype", UBI__RDP_ANY, UBI__RDP_REQUIRED, "a grip" },
    { "ownProperties", UBI__RDP_OBJECT, UBI__RDP_REQUIRED, "by name; 1,000 at most" },
    { "ownSymbols", UBI__RDP_ARRAY, UBI__RDP_REQUIRED, "the same by symbol" },
    { "safeGetterValues", UBI__RDP_OBJECT, UBI__RDP_REQUIRED,
      "what getters of the language's classes give: `size`, `length`, `byteLength`" },
    UBI__RDP_END,
};
static const ubi__rdp_field promise_replies[] = {
    { "promiseState", UBI__RDP_OBJECT, UBI__RDP_REQUIRED,
      "`state`: `pending`, `fulfilled` with `value`, or `rejected` with `reason`" },
    UBI__RDP_END,
};
static const ubi__rdp_field proxy_replies[] = {
    { "proxyTarget", UBI__RDP_ANY, UBI__RDP_REQUIRED, "a grip; null if it is revoked" },
    { "proxyHandler", UBI__RDP_ANY, UBI__RDP_REQUIRED, "the same" },
    UBI__RDP_END,
};
static const ubi__rdp_field get_arguments[] = {
    { "name", UBI__RDP_STRING, UBI__RDP_REQUIRED, "of the property" },
    { "receiverId", UBI__RDP_STRING, UBI__RDP_OPTIONAL,
      "the object that a getter has as `this`; else the object itself" },
    UBI__RDP_END,
};
static const ubi__rdp_field get_replies[] = {
    { "value", UBI__RDP_OBJECT, UBI__RDP_REQUIRED, "`return` or `throw`: a grip" },
    UBI__RDP_END,
};
static const ubi__rdp_method object_methods[] = {
    { "enumProperties", properties_enumerate, enumerate_arguments, iterator_replies, false, "own properties with names",
      "Firefox" },
    { "enumEntries", entries_enumerate, NULL, iterator_replies, false,
      "of maps and sets, also weak ones; others have none", "Firefox" },
    { "enumSymbols", symbols_enumerate, NULL, iterator_replies, false, "own properties with symbols", "Firefox" },
    { "enumPrivateProperties", private_enumerate, NULL, iterator_replies, false, "there are none", "" },
    { "prototype", prototype_get, NULL, prototype_replies, false, "of what it inherits", "Firefox" },
    { "prototypeAndProperties", all_get, NULL, all_replies, false, "all in one reply", "firefox-debugadapter" },
    { "promiseState", promise_state_get, NULL, promise_replies, false, "of a promise", "Firefox" },
    { "proxySlots", proxy_slots_get, NULL, proxy_replies, false, "of a proxy; its handler is not called", "Firefox" },
    { "propertyValue", property_get, get_arguments, get_replies, false,
      "of one property: a getter runs, or the handler of a proxy", "Firefox" },
    { "release", value_release, NULL, NULL, false, "it is held no longer", "" },
    UBI__RDP_METHODS_END,
};
const ubi__rdp_actor_type ubi__rdp_object_type = {
    .name = "obj",
    .help = "an object that a console has shown, and holds; looking into it runs none of the program's code, except "
            "`propertyValue`. Of more than 4,096 values of a console the oldest go",
    .methods = object_methods,
    .destroy = value_destroy,
};

static const ubi__rdp_field slice_arguments[] = {
    { "start", UBI__RDP_NUMBER, UBI__RDP_OPTIONAL, "from 0" },
    { "count", UBI__RDP_NUMBER, UBI__RDP_OPTIONAL, "1,000 at most" },
    UBI__RDP_END,
};
static const ubi__rdp_field slice_replies[] = {
    { "ownProperties", UBI__RDP_OBJECT, UBI__RDP_OPTIONAL,
      "by name: as in a property descriptor, with grips; of `enumEntries` by place" },
    { "ownSymbols", UBI__RDP_ARRAY, UBI__RDP_OPTIONAL, "of `enumSymbols` instead: `name`, `descriptor`" },
    { "privateProperties", UBI__RDP_ARRAY, UBI__RDP_OPTIONAL, "of `enumPrivateProperties`: empty" },
    UBI__RDP_END,
};
static const ubi__rdp_method iterator_methods[] = {
    { "slice", iterator_slice, slice_arguments, slice_replies, false, "some of the properties", "Firefox" },
    { "release", value_release, NULL, NULL, false, "it goes; so it does with its object", "" },
    UBI__RDP_METHODS_END,
};
const ubi__rdp_actor_type ubi__rdp_property_iterator_type = { .name = "propertyIterator",
                                                              .help = "properties of an object, piece by piece",
                                                              .methods = iterator_methods,
                                                              .destroy = iterator_destroy };

static const ubi__rdp_field substring_arguments[] = {
    { "start", UBI__RDP_NUMBER, UBI__RDP_REQUIRED, "the first unit" },
    { "end", UBI__RDP_NUMBER, UBI__RDP_REQUIRED, "behind the last" },
    UBI__RDP_END,
};
static const ubi__rdp_field substring_replies[] = {
    { "substring", UBI__RDP_STRING, UBI__RDP_REQUIRED, "the piece" },
    UBI__RDP_END,
};
static const ubi__rdp_method long_string_methods[] = {
    { "substring", substring_get, substring_arguments, substring_replies, false, "a piece, in UTF-16 units", "" },
    { "release", value_release, NULL, NULL, false, "it is held no longer", "" },
    UBI__RDP_METHODS_END,
};
const ubi__rdp_actor_type ubi__rdp_long_string_type = {
    .name = "longString",
    .help = "a string of more than 10,000 units, of which a grip has the beginning",
    .methods = long_string_methods,
    .destroy = value_destroy,
};

static const ubi__rdp_method symbol_methods[] = {
    { "release", value_release, NULL, NULL, false, "it is held no longer", "" },
    UBI__RDP_METHODS_END,
};
const ubi__rdp_actor_type ubi__rdp_symbol_type = {
    .name = "symbol", .help = "a symbol that a console has shown", .methods = symbol_methods, .destroy = value_destroy
};

const ubi__rdp_actor_type *ubi__rdp_held_type(ubi__rdp_held_kind kind) {
    static const ubi__rdp_actor_type *const types[] = { &ubi__rdp_object_type, &ubi__rdp_long_string_type,
                                                        &ubi__rdp_symbol_type };
    return types[kind];
}
