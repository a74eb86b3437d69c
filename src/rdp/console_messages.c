/* SPDX-License-Identifier: MIT
 *
 * console_messages.c: what programs say: kept for clients that come later, and sent to those that listen. See console_link.h.
 *
 * A message is written once, as its *item*, and sent or kept within what the client's way of asking wants around it.
 */
#include "base/text.h"
#include "rdp/console_link.h"

/* Of a target, for clients that come later: of more the oldest go. */
#define MOST_MESSAGES 1000
#define MOST_MESSAGE_BYTES ((size_t)1 << 20)

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

static void handles_release(ubi_console console, const ubi_console_message *m) {
    for (uint32_t i = 0; i < m->n_arguments; i++)
        ubi__rdp_value_drop(console, &m->arguments[i]);
}

/* ---- what was said before ----------------------------------------------------------------------------------------------- */

typedef struct kept_message {
    struct kept_message *next;
    bool is_error;
    ubi__vec_u8 item;
} kept_message;

struct ubi__rdp_messages {
    const ubi__rdp_tab *tab;
    ubi_console console;
    kept_message *first, **end;
    uint32_t n;
    size_t n_bytes;
};

static void messages_shift(ubi__rdp_messages *messages) {
    kept_message *m = messages->first;
    messages->first = m->next;
    if (!messages->first)
        messages->end = &messages->first;
    messages->n--;
    messages->n_bytes -= m->item.n;
    ubi__vec_u8_fini(&m->item, memory());
    UBI_DELETE(memory(), m);
}

void ubi__rdp_messages_clear(ubi__rdp_messages *messages) {
    while (messages && messages->first)
        messages_shift(messages);
}

static void messages_hear(void *payload, const ubi_console_message *message) {
    ubi__rdp_messages *messages = payload;
    ubi__rdp_grips g = { .console = messages->console };
    kept_message *m = UBI_NEW(memory(), kept_message);
    if (!m) {
        handles_release(messages->console, message);
        return;
    }
    if (message->level == UBI_CONSOLE_CLEAR)
        ubi__rdp_messages_clear(messages);
    m->is_error = message->level == UBI_CONSOLE_UNCAUGHT;
    if (ubi__rdp_item_write(&m->item, &g, messages->tab, message) != UBI_OK || m->item.n > MOST_MESSAGE_BYTES) {
        ubi__vec_u8_fini(&m->item, memory());
        UBI_DELETE(memory(), m);
        return;
    }
    *messages->end = m;
    messages->end = &m->next;
    messages->n++;
    messages->n_bytes += m->item.n;
    while (messages->n > MOST_MESSAGES || messages->n_bytes > MOST_MESSAGE_BYTES)
        messages_shift(messages);
}

/* Without memory for it, nothing is kept. */
void ubi__rdp_messages_open(ubi__rdp_tab *tab, ubi_target target) {
    ubi__rdp_messages *messages = tab->messages ? NULL : UBI_NEW(memory(), ubi__rdp_messages);
    if (!messages)
        return;
    const ubi_console_listener listener = { messages_hear, messages };
    messages->tab = tab;
    messages->end = &messages->first;
    if (ubi_target_open_console(&messages->console, target, tab->scope, &listener) == UBI_OK)
        tab->messages = messages;
    else
        UBI_DELETE(memory(), messages);
}

static void begin_visit(void *payload, const ubi_target *target) {
    ubi__rdp_tab *tab = payload;
    if (target)
        ubi__rdp_messages_open(tab, *target);
    ubi__rdp_tab_unref(tab);
}

void ubi__rdp_messages_begin(ubi__rdp_tab *tab) {
    if (!(ubi__live_target_capabilities(tab->live) & UBI_TARGET_CONSOLE))
        return;
    if (ubi__live_visit(tab->live, begin_visit, ubi__rdp_tab_ref(tab)) != UBI_OK)
        ubi__rdp_tab_unref(tab);
}

void ubi__rdp_messages_end(ubi__rdp_tab *tab) {
    ubi__rdp_messages *messages = tab->messages;
    if (!messages)
        return;
    tab->messages = NULL;
    ubi_console_close(messages->console);
    ubi__rdp_messages_clear(messages);
    UBI_DELETE(memory(), messages);
}

/* ---- around an item ----------------------------------------------------------------------------------------------------- */

static const char *resource_type(bool is_error) {
    return is_error ? "error-message" : "console-message";
}

/* A resource among those of its type. */
static void resource_write(ubi__json *json, bool is_error, ubi_text item) {
    if (!is_error) {
        ubi__json_raw(json, item);
        return;
    }
    ubi__json_object_begin(json);
    ubi__json_member_raw(json, "pageError", item);
    ubi__json_object_end(json);
}

/* One that says itself what it is, as it did before Firefox 131. */
static void old_resource_write(ubi__json *json, bool is_error, ubi_text item) {
    ubi__json_object_begin(json);
    ubi__json_member_string(json, "resourceType", resource_type(is_error));
    ubi__json_member_raw(json, is_error ? "pageError" : "message", item);
    ubi__json_object_end(json);
}

/* The members of an event for clients that know no resources; they are in cached messages, too. */
static void message_members_write(ubi__json *json, bool is_error, ubi_text item) {
    ubi__json_member_string(json, "type", is_error ? "pageError" : "consoleAPICall");
    ubi__json_member_raw(json, is_error ? "pageError" : "message", item);
}

static void resources_begin(ubi__json *json, bool has_old_forms) {
    ubi__json_member_string(json, "type", has_old_forms ? "resource-available-form" : "resources-available-array");
    ubi__json_member_array(json, has_old_forms ? "resources" : "array");
}

static void resources_of_type_begin(ubi__json *json, bool is_error) {
    ubi__json_array_begin(json);
    ubi__json_string(json, resource_type(is_error));
    ubi__json_array_begin(json);
}

static void resources_of_type_end(ubi__json *json) {
    ubi__json_array_end(json);
    ubi__json_array_end(json);
}

/* ---- sending ------------------------------------------------------------------------------------------------------------ */

static void message_arrive(ubi__rdp_errand *errand) {
    ubi__rdp_console_link *link = ubi__rdp_console_link_of(errand);
    atomic_fetch_sub(&link->n_messages, 1);
    ubi__rdp_console_values_arrive(errand);
}

static ubi__rdp_errand *message_errand_new(ubi__rdp_console_link *link) {
    ubi__rdp_errand *errand = ubi__rdp_errand_new(&link->link, NULL, NULL);
    if (!errand)
        return NULL;
    errand->arrive = message_arrive;
    atomic_fetch_add(&link->n_messages, 1);
    return errand;
}

static void resource_post(ubi__rdp_errand *errand, bool is_error, ubi_text item) {
    const ubi__rdp_console_link *link = ubi__rdp_console_link_of(errand);
    ubi__rdp_errand_set_parent(errand, link->target_id);
    ubi__json *json = ubi__rdp_packet_open(&errand->packet, errand->from, memory());
    resources_begin(json, link->has_old_forms);
    if (link->has_old_forms) {
        old_resource_write(json, is_error, item);
    } else {
        resources_of_type_begin(json, is_error);
        resource_write(json, is_error, item);
        resources_of_type_end(json);
    }
    ubi__json_array_end(json);
    ubi__rdp_errand_post(errand, ubi__rdp_packet_close(&errand->packet));
}

static void event_post(ubi__rdp_errand *errand, bool is_error, ubi_text item) {
    message_members_write(ubi__rdp_packet_open(&errand->packet, errand->from, memory()), is_error, item);
    ubi__rdp_errand_post(errand, ubi__rdp_packet_close(&errand->packet));
}

/* Its values go with the first packet; what the second one refers to is there by then. */
static void message_post(ubi__rdp_console_link *link, bool is_error, ubi_text item, ubi__rdp_new_values *values) {
    const uint32_t kinds = is_error ? UBI__RDP_ERROR_RESOURCES | UBI__RDP_ERROR_EVENTS
                                    : UBI__RDP_CONSOLE_RESOURCES | UBI__RDP_CONSOLE_EVENTS;
    for (uint32_t kind = 1; kind <= UBI__RDP_ERROR_EVENTS; kind <<= 1) {
        ubi__rdp_errand *errand = kinds & kind & link->listening ? message_errand_new(link) : NULL;
        if (!errand)
            continue;
        ubi__rdp_console_errand_of(errand)->values = *values;
        *values = (ubi__rdp_new_values){ 0 };
        if (kind & (UBI__RDP_CONSOLE_RESOURCES | UBI__RDP_ERROR_RESOURCES))
            resource_post(errand, is_error, item);
        else
            event_post(errand, is_error, item);
    }
}

void ubi__rdp_console_hear(void *link, const ubi_console_message *message) {
    ubi__rdp_console_link *l = link;
    ubi__rdp_new_values values = { 0 };
    ubi__rdp_grips g = { .console = l->console, .link = l, .values = &values };
    ubi__vec_u8 item = { 0 };
    if (!l->listening || atomic_load(&l->n_messages) >= UBI__RDP_MOST_MESSAGES_UNDERWAY) {
        handles_release(l->console, message);
        return;
    }
    if (ubi__rdp_item_write(&item, &g, l->link.tab, message) == UBI_OK)
        message_post(l, message->level == UBI_CONSOLE_UNCAUGHT, (ubi_text){ (const char *)item.at, item.n }, &values);
    for (size_t i = 0; i < values.n; i++) /* that went with no packet */
        (void)ubi_console_release(l->console, values.at[i].handle);
    ubi__rdp_new_values_fini(&values, memory());
    ubi__vec_u8_fini(&item, memory());
}

/* ---- listening ---------------------------------------------------------------------------------------------------------- */

/* The bits that are new. */
static uint32_t listening_change(ubi__rdp_errand *errand) {
    const ubi__rdp_console_errand *e = ubi__rdp_console_errand_of(errand);
    ubi__rdp_console_link *link = ubi__rdp_console_link_of(errand);
    uint32_t is_new = e->listening & ~link->listening;
    link->listening = (link->listening | e->listening) & ~e->unlistening;
    return is_new;
}

static ubi_status names_write(ubi__rdp_errand *errand, ubi__json *json, const char *key) {
    const ubi__vec_u8 *names = &ubi__rdp_console_errand_of(errand)->text;
    (void)listening_change(errand);
    ubi__json_member_raw(json, key, names->n ? (ubi_text){ (const char *)names->at, names->n } : ubi__text("[]"));
    return UBI_OK;
}

ubi_status ubi__rdp_console_start(ubi__rdp_errand *errand, ubi__json *json) {
    return names_write(errand, json, "startedListeners");
}

ubi_status ubi__rdp_console_stop(ubi__rdp_errand *errand, ubi__json *json) {
    return names_write(errand, json, "stoppedListeners");
}

static void kept_resources_write(ubi__json *json, const ubi__rdp_messages *messages, bool is_error,
                                 bool has_old_forms) {
    if (!has_old_forms)
        resources_of_type_begin(json, is_error);
    for (const kept_message *m = messages->first; m; m = m->next) {
        const ubi_text item = { (const char *)m->item.at, m->item.n };
        if (m->is_error == is_error && has_old_forms)
            old_resource_write(json, is_error, item);
        else if (m->is_error == is_error)
            resource_write(json, is_error, item);
    }
    if (!has_old_forms)
        resources_of_type_end(json);
}

ubi_status ubi__rdp_console_watch(ubi__rdp_errand *errand, ubi__json *json) {
    const ubi__rdp_messages *messages = errand->link->tab->messages;
    const ubi__rdp_console_link *link = ubi__rdp_console_link_of(errand);
    uint32_t is_new = listening_change(errand);
    if (!is_new || !messages || !messages->first)
        return ubi__fail(UBI_ECANCELLED, "there are no messages");
    resources_begin(json, link->has_old_forms);
    if (is_new & UBI__RDP_CONSOLE_RESOURCES)
        kept_resources_write(json, messages, false, link->has_old_forms);
    if (is_new & UBI__RDP_ERROR_RESOURCES)
        kept_resources_write(json, messages, true, link->has_old_forms);
    ubi__json_array_end(json);
    return UBI_OK;
}

ubi_status ubi__rdp_console_messages(ubi__rdp_errand *errand, ubi__json *json) {
    const ubi__rdp_messages *messages = errand->link->tab->messages;
    const uint32_t wanted = ubi__rdp_console_errand_of(errand)->listening;
    ubi__json_member_array(json, "messages");
    for (const kept_message *m = messages ? messages->first : NULL; m; m = m->next) {
        if (!(wanted & (m->is_error ? UBI__RDP_ERROR_EVENTS : UBI__RDP_CONSOLE_EVENTS)))
            continue;
        ubi__json_object_begin(json);
        ubi__json_member_string(json, "_type", m->is_error ? "PageError" : "ConsoleAPI");
        message_members_write(json, m->is_error, (ubi_text){ (const char *)m->item.at, m->item.n });
        ubi__json_object_end(json);
    }
    ubi__json_array_end(json);
    return UBI_OK;
}

ubi_status ubi__rdp_console_clear(ubi__rdp_errand *errand, ubi__json *json) {
    (void)json;
    ubi__rdp_messages_clear(errand->link->tab->messages);
    return UBI_OK;
}
