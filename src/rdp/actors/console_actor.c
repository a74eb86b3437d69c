/* SPDX-License-Identifier: MIT
 *
 * console_actor.c: the console of a target: texts are evaluated, messages are heard. What needs the target is an errand (console_link.h).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "rdp/actors/actors.h"
#include "rdp/connection.h"

/* Consoles of one connection: a value's number begins with that of its console. */
#define MOST_CONSOLES UINT64_C(65535)

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

/* ---- making ------------------------------------------------------------------------------------------------------------- */

static void link_describe(ubi__rdp_console_link *link, const ubi__rdp_actor *target) {
    ubi__rdp_session *session = ubi__rdp_session_of(target);
    unsigned major = ubi__rdp_session_major(session);
    link->number = ++session->n_consoles;
    link->has_old_forms = major && major < 131;
    snprintf(link->prefix, sizeof link->prefix, "%s", target->connection->prefix);
    snprintf(link->target_id, sizeof link->target_id, "%s", target->id);
}

ubi_status ubi__rdp_console_make(ubi__rdp_actor **out, ubi__rdp_actor *target) {
    ubi__rdp_link *link = NULL;
    if (ubi__rdp_session_of(target)->n_consoles >= MOST_CONSOLES)
        return ubi__fail(UBI_ELIMIT, "a connection has %llu consoles at most", (unsigned long long)MOST_CONSOLES);
    UBI_TRY(ubi__rdp_link_make(&link, out, target, &ubi__rdp_console_type, &ubi__rdp_console_link_type));
    if (link)
        link_describe((ubi__rdp_console_link *)link, target);
    return UBI_OK;
}

static void console_destroy(ubi__rdp_actor *actor) {
    ubi__rdp_link_leave(actor->payload);
}

ubi__rdp_console_errand *ubi__rdp_console_errand_new(ubi__rdp_actor *console, ubi__rdp_call *call,
                                                     ubi__rdp_errand_fn perform) {
    ubi__rdp_errand *errand = ubi__rdp_errand_new(console->payload, call, perform);
    if (errand)
        errand->arrive = ubi__rdp_console_values_arrive;
    return (ubi__rdp_console_errand *)errand;
}

/* ---- values that clients hold ------------------------------------------------------------------------------------------- */

static void link_release_values(ubi__rdp_console_link *link);

/* What came meanwhile goes next; without the target there is nothing to release, and what was late went with its page. */
static void release_arrive(ubi__rdp_errand *errand) {
    ubi__rdp_console_link *link = ubi__rdp_console_link_of(errand);
    link->is_releasing = false;
    if (errand->status == UBI_OK || errand->status == UBI_ECANCELLED)
        link_release_values(link);
    else
        link->unheld.n = 0;
    errand->status = UBI_ECANCELLED; /* it makes no event */
}

/* Many in one errand. */
static void link_release_values(ubi__rdp_console_link *link) {
    if (link->is_releasing || !link->unheld.n || !link->link.actor)
        return;
    ubi__rdp_errand *errand = ubi__rdp_errand_new(&link->link, NULL, ubi__rdp_values_release);
    if (!errand) /* with the next one */
        return;
    errand->arrive = release_arrive;
    ubi__rdp_console_errand_of(errand)->handles = link->unheld;
    link->unheld = (ubi__vec_u64){ 0 };
    link->is_releasing = true;
    (void)ubi__rdp_errand_send(errand);
}

/* One for which there is no memory is held until the console goes. */
static void link_release(ubi__rdp_console_link *link, ubi_value_handle handle) {
    if (ubi__vec_u64_push(&link->unheld, memory(), handle) == UBI_OK)
        link_release_values(link);
}

static ubi_status link_hold(ubi__rdp_console_link *link, const ubi__rdp_new_value *value) {
    const ubi__rdp_actor_type *type = ubi__rdp_held_type(value->kind);
    ubi__rdp_held *held = UBI_NEW(memory(), ubi__rdp_held);
    if (!held)
        return ubi__fail_nomem();
    ubi_status status = ubi__rdp_actor_new_numbered(&held->actor, link->link.actor, type, held, value->number);
    if (status != UBI_OK) {
        UBI_DELETE(memory(), held);
        return status;
    }
    held->handle = value->handle;
    held->older = link->newest;
    *(held->older ? &held->older->newer : &link->oldest) = held;
    link->newest = held;
    link->n_held++;
    return UBI_OK;
}

void ubi__rdp_held_free(ubi__rdp_held *held) {
    ubi__rdp_console_link *link = held->actor->parent->payload;
    *(held->older ? &held->older->newer : &link->oldest) = held->newer;
    *(held->newer ? &held->newer->older : &link->newest) = held->older;
    link->n_held--;
    link_release(link, held->handle);
    UBI_DELETE(memory(), held);
}

/* They were released with the console that held them. */
void ubi__rdp_console_forget(ubi__rdp_actor *console) {
    ubi__rdp_console_link *link = console->payload;
    bool was_releasing = link->is_releasing;
    link->is_releasing = true; /* none of them is */
    while (console->children)
        ubi__rdp_actor_free(console->children);
    link->unheld.n = 0;
    link->is_releasing = was_releasing;
}

/* Without its actor, a value that is in a packet cannot be asked about. */
void ubi__rdp_console_values_arrive(ubi__rdp_errand *errand) {
    ubi__rdp_console_link *link = ubi__rdp_console_link_of(errand);
    const ubi__rdp_new_values *values = &ubi__rdp_console_errand_of(errand)->values;
    for (size_t i = 0; i < values->n && link->link.actor; i++)
        if (errand->status != UBI_OK || link_hold(link, &values->at[i]) != UBI_OK)
            link_release(link, values->at[i].handle);
    while (link->link.actor && link->n_held > UBI__RDP_MOST_HELD_VALUES)
        ubi__rdp_actor_free(link->oldest->actor);
}

/* ---- listening ---------------------------------------------------------------------------------------------------------- */

bool ubi__rdp_names_have(const ubi__json_value *names, const char *name) {
    ubi__json_value value;
    ubi__json_cursor c;
    if (names->type != UBI__JSON_ARRAY)
        return false;
    ubi__json_cursor_open(&c, names->raw, UBI__JSON_ARRAY);
    while (ubi__json_cursor_next_element(&c, &value))
        if (value.type == UBI__JSON_STRING && ubi__json_value_is(&value, name))
            return true;
    return false;
}

uint32_t ubi__rdp_console_resources(const ubi__json_value *names) {
    return (ubi__rdp_names_have(names, "console-message") ? UBI__RDP_CONSOLE_RESOURCES : 0) |
           (ubi__rdp_names_have(names, "error-message") ? UBI__RDP_ERROR_RESOURCES : 0);
}

static uint32_t events_named(const ubi__json_value *names) {
    return (ubi__rdp_names_have(names, "ConsoleAPI") ? UBI__RDP_CONSOLE_EVENTS : 0) |
           (ubi__rdp_names_have(names, "PageError") ? UBI__RDP_ERROR_EVENTS : 0);
}

ubi_status ubi__rdp_console_configure(ubi__rdp_actor *console, uint32_t wanted, uint32_t unwanted) {
    ubi__rdp_console_errand *e = ubi__rdp_console_errand_new(console, NULL, ubi__rdp_console_watch);
    if (!e)
        return ubi__fail_nomem();
    ubi__rdp_errand_set_parent(&e->errand, console->parent->id);
    e->listening = wanted;
    e->unlistening = unwanted;
    return ubi__rdp_errand_send(&e->errand);
}

/* The names go back as they came. */
static ubi_status names_send(ubi__rdp_call *call, ubi__rdp_errand_fn perform, uint32_t wanted, uint32_t unwanted) {
    const ubi_text names = ubi__rdp_argument(call, 0)->raw;
    ubi__rdp_console_errand *e = ubi__rdp_console_errand_new(ubi__rdp_call_actor(call), call, perform);
    if (!e)
        return ubi__fail_nomem();
    e->listening = wanted;
    e->unlistening = unwanted;
    bool is_array = ubi__rdp_argument(call, 0)->type == UBI__JSON_ARRAY;
    ubi_status status = is_array ? ubi__bytes_append(&e->text, names.ptr, names.len, memory()) : UBI_OK;
    if (status == UBI_OK)
        return ubi__rdp_errand_send(&e->errand);
    ubi__rdp_errand_drop(&e->errand);
    return status;
}

static ubi_status listeners_start(ubi__rdp_call *call) {
    return names_send(call, ubi__rdp_console_start, events_named(ubi__rdp_argument(call, 0)), 0);
}

static ubi_status listeners_stop(ubi__rdp_call *call) {
    const ubi__json_value *names = ubi__rdp_argument(call, 0);
    uint32_t all = UBI__RDP_CONSOLE_EVENTS | UBI__RDP_ERROR_EVENTS;
    return names_send(call, ubi__rdp_console_stop, 0, names->type == UBI__JSON_ARRAY ? events_named(names) : all);
}

static ubi_status messages_get(ubi__rdp_call *call) {
    return names_send(call, ubi__rdp_console_messages, events_named(ubi__rdp_argument(call, 0)), 0);
}

static ubi_status messages_clear(ubi__rdp_call *call) {
    return names_send(call, ubi__rdp_console_clear, 0, 0);
}

/* ---- evaluating --------------------------------------------------------------------------------------------------------- */

/* The first units of a text, by UTF-16; more than there are: all. */
static size_t bytes_of_units(ubi_text text, double n_units) {
    size_t at = 0;
    for (double units = 0; at < text.len && units < n_units;) {
        unsigned char first = (unsigned char)text.ptr[at];
        size_t n = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
        units += n == 4 ? 2 : 1;
        at += n < text.len - at ? n : text.len - at;
    }
    return at;
}

static ubi_status autocomplete(ubi__rdp_call *call) {
    ubi__rdp_console_errand *e =
        ubi__rdp_console_errand_new(ubi__rdp_call_actor(call), call, ubi__rdp_console_complete);
    if (!e)
        return ubi__fail_nomem();
    ubi_status status =
        ubi__rdp_argument(call, 0)->type == UBI__JSON_STRING ? ubi__rdp_argument_copy(&e->text, call, 0) : UBI_OK;
    if (status == UBI_OK) {
        const ubi_text text = { (const char *)e->text.at, e->text.n };
        e->text.n = bytes_of_units(text, ubi__rdp_argument_number(call, 1, INFINITY));
        return ubi__rdp_errand_send(&e->errand);
    }
    ubi__rdp_errand_drop(&e->errand);
    return status;
}

/* The reply waits for the result: so what a client can ask for without an answer has its limit. */
static ubi_status evaluate(ubi__rdp_call *call) {
    ubi__rdp_actor *console = ubi__rdp_call_actor(call);
    ubi__rdp_console_errand *e = ubi__rdp_console_errand_new(console, call, ubi__rdp_console_evaluate);
    if (!e)
        return ubi__fail_nomem();
    e->is_eager = ubi__rdp_argument_bool(call, 1, false);
    snprintf(e->id, sizeof e->id, "%llu-0", (unsigned long long)++ubi__rdp_session_of(console)->last_result);
    ubi_status status = ubi__rdp_argument_copy(&e->text, call, 0);
    if (status == UBI_OK)
        return ubi__rdp_errand_send(&e->errand);
    ubi__rdp_errand_drop(&e->errand);
    return status;
}

/* ---- stopping ----------------------------------------------------------------------------------------------------------- */

void ubi__rdp_console_stop_code(ubi__rdp_actor *target) {
    const ubi__rdp_actor *console = ubi__rdp_actor_child(target, &ubi__rdp_console_type);
    if (console)
        ubi__rdp_link_stop(console->payload);
}

/* When it comes: its reply is behind that of the text which it ends. */
static void console_hurry(ubi__rdp_actor *actor, const ubi__rdp_method *method) {
    if (method && strcmp(method->type, "stopEvaluation") == 0)
        ubi__rdp_link_stop(actor->payload);
}

/* ---- tables ------------------------------------------------------------------------------------------------------------- */

static const ubi__rdp_field listeners_arguments[] = {
    { "listeners", UBI__RDP_ARRAY, UBI__RDP_OPTIONAL, "names: `ConsoleAPI`, `PageError`; others have no effect" },
    UBI__RDP_END,
};
static const ubi__rdp_field started_replies[] = {
    { "startedListeners", UBI__RDP_ARRAY, UBI__RDP_REQUIRED, "the names that were given" },
    UBI__RDP_END,
};
static const ubi__rdp_field stopped_replies[] = {
    { "stoppedListeners", UBI__RDP_ARRAY, UBI__RDP_REQUIRED, "the names that were given" },
    UBI__RDP_END,
};
static const ubi__rdp_field messages_arguments[] = {
    { "messageTypes", UBI__RDP_ARRAY, UBI__RDP_OPTIONAL, "names, as of `startListeners`" },
    UBI__RDP_END,
};
static const ubi__rdp_field messages_replies[] = {
    { "messages", UBI__RDP_ARRAY, UBI__RDP_REQUIRED,
      "each with its `_type`, and as its event; objects in them are texts, such as `Map {…}`" },
    UBI__RDP_END,
};
static const ubi__rdp_field autocomplete_arguments[] = {
    { "text", UBI__RDP_STRING, UBI__RDP_OPTIONAL, "what was typed" },
    { "cursor", UBI__RDP_NUMBER, UBI__RDP_OPTIONAL, "where, in UTF-16 units; else at its end" },
    UBI__RDP_END,
};
static const ubi__rdp_field autocomplete_replies[] = {
    { "matches", UBI__RDP_ARRAY, UBI__RDP_REQUIRED, "names, 1,500 at most; of an element access in quotes" },
    { "matchProp", UBI__RDP_STRING, UBI__RDP_REQUIRED,
      "what they begin with; capitals may differ, unless it begins with one" },
    { "isElementAccess", UBI__RDP_BOOLEAN, UBI__RDP_REQUIRED, "whether it ends as `object[\"na` does" },
    UBI__RDP_END,
};
static const ubi__rdp_field evaluate_arguments[] = {
    { "text", UBI__RDP_STRING, UBI__RDP_REQUIRED, "code; it sees a global `window`, if the program has none" },
    { "eager", UBI__RDP_BOOLEAN, UBI__RDP_OPTIONAL, "while it is typed: nothing runs, the result is undefined" },
    UBI__RDP_END,
};
static const ubi__rdp_field evaluate_replies[] = {
    { "resultID", UBI__RDP_STRING, UBI__RDP_REQUIRED, "of the event `evaluationResult`" },
    UBI__RDP_END,
};
static const ubi__rdp_field result_fields[] = {
    { "resultID", UBI__RDP_STRING, UBI__RDP_REQUIRED, "as in the reply" },
    { "input", UBI__RDP_STRING, UBI__RDP_REQUIRED, "the code" },
    { "hasException", UBI__RDP_BOOLEAN, UBI__RDP_REQUIRED, "whether it threw" },
    { "exception", UBI__RDP_ANY, UBI__RDP_OPTIONAL, "what it threw: a grip" },
    { "exceptionMessage", UBI__RDP_STRING, UBI__RDP_OPTIONAL, "the same in words" },
    { "frame", UBI__RDP_OBJECT, UBI__RDP_OPTIONAL, "where: `source`, `line`, `column`" },
    { "exceptionStack", UBI__RDP_ARRAY, UBI__RDP_OPTIONAL,
      "of an error: `filename`, `functionName`, `lineNumber`, `columnNumber`, `sourceId`, the youngest first" },
    { "result", UBI__RDP_ANY, UBI__RDP_REQUIRED, "a grip; undefined if it threw" },
    { "startTime", UBI__RDP_NUMBER, UBI__RDP_REQUIRED, "milliseconds since the epoch" },
    { "timestamp", UBI__RDP_NUMBER, UBI__RDP_REQUIRED, "the same, at the end" },
    UBI__RDP_END,
};
static const ubi__rdp_field call_fields[] = {
    { "message", UBI__RDP_OBJECT, UBI__RDP_REQUIRED,
      "`level`, `arguments` (grips, directives such as `%s` taken), `styles` of `%c`, `filename`, `lineNumber`, "
      "`columnNumber`, `timeStamp`, `stacktrace` (as `exceptionStack`), `counter`, `timer`" },
    UBI__RDP_END,
};
static const ubi__rdp_field error_fields[] = {
    { "pageError", UBI__RDP_OBJECT, UBI__RDP_REQUIRED,
      "`errorMessage`, `exception`, `sourceName`, `lineNumber`, `columnNumber`, `timeStamp`, `stacktrace`" },
    UBI__RDP_END,
};

static const ubi__rdp_method methods[] = {
    { "startListeners", listeners_start, listeners_arguments, started_replies, false,
      "wants messages as events, for clients that know no resources", "Firefox, foxdriver" },
    { "stopListeners", listeners_stop, listeners_arguments, stopped_replies, false, "the opposite; of no names: of all",
      "foxdriver" },
    { "getCachedMessages", messages_get, messages_arguments, messages_replies, false,
      "messages of before: the newest 1,000, and 1 MiB", "Firefox, foxdriver" },
    { "clearMessagesCacheAsync", messages_clear, NULL, NULL, false, "forgets them, for all clients", "" },
    { "autocomplete", autocomplete, autocomplete_arguments, autocomplete_replies, false,
      "variables, properties behind a path, and keywords; no getter runs", "Firefox" },
    { "evaluateJSAsync", evaluate, evaluate_arguments, evaluate_replies, false,
      "evaluates code at the program's next safe point, to its end, unless it is stopped; the reply waits for the "
      "result",
      "Firefox, foxdriver, firefox-debugadapter" },
    { "stopEvaluation", ubi__rdp_reply_empty, NULL, NULL, false,
      "ends code that this console runs, without waiting for the reply that is owed; the same is done when the client "
      "leaves",
      "" },
    UBI__RDP_METHODS_END,
};
static const ubi__rdp_event events[] = {
    { "evaluationResult", result_fields, "directly behind the reply of `evaluateJSAsync`" },
    { "consoleAPICall", call_fields, "the program called its console" },
    { "pageError", error_fields, "an error that nothing caught, or a rejection that nothing handled" },
    UBI__RDP_METHODS_END,
};
const ubi__rdp_actor_type ubi__rdp_console_type = {
    .name = "console",
    .help = "the console",
    .methods = methods,
    .events = events,
    .destroy = console_destroy,
    .hurry = console_hurry,
};
