/* SPDX-License-Identifier: MIT
 *
 * console_errands.c: what a console's requests do on the target's thread. See console_link.h.
 */
#include <time.h>

#include "base/text.h"
#include "rdp/console_link.h"

/* Properties of one slice, and of one whose values have previews: each has values of its own. */
#define MOST_SLICE 1000
#define MOST_PREVIEWS 100

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

ubi__rdp_grips ubi__rdp_grips_of(ubi__rdp_errand *errand, ubi__json *json) {
    ubi__rdp_console_link *link = ubi__rdp_console_link_of(errand);
    return (ubi__rdp_grips){
        .json = json, .console = link->console, .link = link, .values = &ubi__rdp_console_errand_of(errand)->values
    };
}

static ubi_text text_of(const ubi__vec_u8 *bytes) {
    return (ubi_text){ bytes->n ? (const char *)bytes->at : "", bytes->n };
}

/* ---- evaluating --------------------------------------------------------------------------------------------------------- */

static uint64_t epoch_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void undefined_write(ubi__json *json, const char *key) {
    ubi__json_key(json, key);
    ubi__rdp_grip_write_type(json, "undefined");
}

/* Texts of the result first: a question about its value ends them. */
static void thrown_write(ubi__rdp_grips *g, const ubi_evaluation *e) {
    ubi__json *json = g->json;
    ubi__json_member_text(json, "exceptionMessage", e->message);
    if (e->source.ptr) {
        ubi__json_member_object(json, "frame");
        ubi__json_member_text(json, "source", e->source);
        ubi__json_member_u64(json, "line", e->line);
        ubi__json_member_u64(json, "column", e->column);
        ubi__json_object_end(json);
    }
    ubi__rdp_frames_write(json, "exceptionStack", e->frames, e->frame_count);
    ubi__json_key(json, "exception");
    ubi__rdp_grip_write(g, &e->value, true);
    undefined_write(json, "result");
}

static ubi_status result_write(ubi__rdp_errand *errand, ubi__json *json) {
    const ubi__rdp_console_errand *e = ubi__rdp_console_errand_of(errand);
    ubi__rdp_grips g = ubi__rdp_grips_of(errand, json);
    ubi_evaluation got = UBI_EVALUATION_INIT;
    uint64_t start_ms = epoch_ms();
    UBI_TRY(ubi_console_evaluate(&got, g.console, text_of(&e->text), e->is_eager));
    ubi__json_member_string(json, "type", "evaluationResult");
    ubi__json_member_string(json, "resultID", e->id);
    ubi__json_member_text(json, "input", text_of(&e->text));
    ubi__json_member_bool(json, "hasException", got.has_thrown);
    if (got.has_thrown) {
        thrown_write(&g, &got);
    } else {
        ubi__json_key(json, "result");
        ubi__rdp_grip_write(&g, &got.value, true);
    }
    ubi__json_member_u64(json, "startTime", start_ms);
    ubi__json_member_u64(json, "timestamp", epoch_ms());
    return UBI_OK;
}

/* Both go in one write: a client that takes any packet for a reply has asked nothing else by then. */
static ubi_status event_append(ubi__rdp_errand *errand, ubi__rdp_packet *event) {
    UBI_TRY(result_write(errand, ubi__rdp_packet_open(event, errand->from, memory())));
    UBI_TRY(ubi__rdp_packet_close(event));
    const ubi_text bytes = ubi__rdp_packet_bytes(event);
    return ubi__bytes_append(&errand->following, bytes.ptr, bytes.len, memory());
}

ubi_status ubi__rdp_console_evaluate(ubi__rdp_errand *errand, ubi__json *json) {
    ubi__rdp_packet *event = UBI_NEW(memory(), ubi__rdp_packet);
    if (!event)
        return ubi__fail_nomem();
    ubi__json_member_string(json, "resultID", ubi__rdp_console_errand_of(errand)->id);
    ubi_status status = event_append(errand, event);
    ubi__rdp_packet_fini(event);
    UBI_DELETE(memory(), event);
    return status;
}

/* ---- values ------------------------------------------------------------------------------------------------------------- */

/* What an iterator goes over; clients know it by its type. */
static const char *iterator_name(uint32_t selection) {
    return selection == UBI_PROPERTIES_SYMBOLS ? "symbolIterator"
           : selection                         ? "propertyIterator"
                                               : "privatePropertiesIterator";
}

/* Behind the properties with names. */
static ubi_status known_getters_find(ubi__rdp_known_getters *out, const ubi__rdp_grips *g, ubi_value_handle handle) {
    ubi_object_description d = UBI_OBJECT_DESCRIPTION_INIT;
    UBI_TRY(ubi_console_describe(&d, g->console, handle));
    ubi__rdp_known_getters_of(out, &d);
    return UBI_OK;
}

static ubi_status values_count(uint64_t *total, const ubi__rdp_grips *g, ubi_value_handle handle, uint32_t selection) {
    ubi__rdp_known_getters getters;
    *total = 0;
    if (selection == UBI__RDP_ENTRIES)
        return ubi_console_entries(g->console, handle, 0, 0, NULL, NULL, total);
    if (!selection)
        return UBI_OK;
    UBI_TRY(ubi_console_properties(g->console, handle, selection, 0, 0, NULL, NULL, total));
    if (!(selection & UBI_PROPERTIES_NAMED))
        return UBI_OK;
    UBI_TRY(known_getters_find(&getters, g, handle));
    *total += getters.n;
    return UBI_OK;
}

ubi_status ubi__rdp_value_count(ubi__rdp_errand *errand, ubi__json *json) {
    const ubi__rdp_console_errand *e = ubi__rdp_console_errand_of(errand);
    ubi__rdp_grips g = ubi__rdp_grips_of(errand, json);
    uint64_t total;
    UBI_TRY(values_count(&total, &g, e->handle, e->selection));
    ubi__json_member_object(json, "iterator");
    ubi__json_member_string(json, "type", iterator_name(e->selection));
    ubi__json_member_string(json, "actor", e->id);
    ubi__json_member_u64(json, "count", total);
    ubi__json_object_end(json);
    return UBI_OK;
}

static ubi_status symbols_write(ubi__rdp_grips *g, ubi_value_handle handle, uint64_t first, uint64_t count) {
    ubi__json_member_array(g->json, "ownSymbols");
    UBI_TRY(ubi__rdp_grips_write_properties(g, handle, UBI_PROPERTIES_SYMBOLS, first, count));
    ubi__json_array_end(g->json);
    return UBI_OK;
}

static ubi_status properties_write(ubi__rdp_grips *g, ubi_value_handle handle, uint32_t selection, uint64_t first,
                                   uint64_t count) {
    ubi__json_member_object(g->json, "ownProperties");
    UBI_TRY(ubi__rdp_grips_write_properties(g, handle, selection, first, count));
    ubi__json_object_end(g->json);
    return UBI_OK;
}

/* Properties, and then what getters would say. */
static ubi_status named_slice_write(ubi__rdp_grips *g, ubi_value_handle handle, uint32_t selection, uint64_t first,
                                    uint64_t count) {
    ubi__rdp_known_getters getters;
    uint64_t n;
    UBI_TRY(ubi_console_properties(g->console, handle, selection, 0, 0, NULL, NULL, &n));
    UBI_TRY(known_getters_find(&getters, g, handle));
    ubi__json_member_object(g->json, "ownProperties");
    UBI_TRY(ubi__rdp_grips_write_properties(g, handle, selection, first, count));
    if (count > n || first > n - count)
        ubi__rdp_known_getters_write(g->json, &getters, first > n ? first - n : 0,
                                     first > n ? count : first + count - n);
    ubi__json_object_end(g->json);
    return UBI_OK;
}

static ubi_status entries_write(ubi__rdp_grips *g, ubi_value_handle handle, uint64_t first, uint64_t count) {
    ubi__json_member_object(g->json, "ownProperties");
    UBI_TRY(ubi__rdp_grips_write_entries(g, handle, first, count));
    ubi__json_object_end(g->json);
    return UBI_OK;
}

ubi_status ubi__rdp_value_slice(ubi__rdp_errand *errand, ubi__json *json) {
    const ubi__rdp_console_errand *e = ubi__rdp_console_errand_of(errand);
    ubi__rdp_grips g = ubi__rdp_grips_of(errand, json);
    uint64_t count = e->count < MOST_SLICE ? e->count : MOST_SLICE;
    g.with_previews = count <= MOST_PREVIEWS;
    if (e->selection == UBI_PROPERTIES_SYMBOLS)
        return symbols_write(&g, e->handle, e->first, count);
    if (e->selection == UBI__RDP_ENTRIES)
        return entries_write(&g, e->handle, e->first, count);
    if (e->selection & UBI_PROPERTIES_NAMED)
        return named_slice_write(&g, e->handle, e->selection, e->first, count);
    if (e->selection)
        return properties_write(&g, e->handle, e->selection, e->first, count);
    ubi__json_member_array(json, "privateProperties");
    ubi__json_array_end(json);
    return UBI_OK;
}

ubi_status ubi__rdp_value_prototype(ubi__rdp_errand *errand, ubi__json *json) {
    ubi__rdp_grips g = ubi__rdp_grips_of(errand, json);
    ubi_value value;
    UBI_TRY(ubi_console_prototype(&value, g.console, ubi__rdp_console_errand_of(errand)->handle));
    ubi__json_key(json, "prototype");
    ubi__rdp_grip_write(&g, &value, true);
    return UBI_OK;
}

ubi_status ubi__rdp_value_all(ubi__rdp_errand *errand, ubi__json *json) {
    ubi_value_handle handle = ubi__rdp_console_errand_of(errand)->handle;
    ubi__rdp_grips g = ubi__rdp_grips_of(errand, json);
    UBI_TRY(ubi__rdp_value_prototype(errand, json));
    UBI_TRY(properties_write(&g, handle, UBI_PROPERTIES_NAMED | UBI_PROPERTIES_INDEXED, 0, MOST_SLICE));
    UBI_TRY(symbols_write(&g, handle, 0, MOST_SLICE));
    ubi__rdp_known_getters getters;
    UBI_TRY(known_getters_find(&getters, &g, handle));
    ubi__json_member_object(json, "safeGetterValues");
    ubi__rdp_known_getters_write(json, &getters, 0, getters.n);
    ubi__json_object_end(json);
    return UBI_OK;
}

ubi_status ubi__rdp_value_get(ubi__rdp_errand *errand, ubi__json *json) {
    const ubi__rdp_console_errand *e = ubi__rdp_console_errand_of(errand);
    ubi__rdp_grips g = ubi__rdp_grips_of(errand, json);
    ubi_evaluation got = UBI_EVALUATION_INIT;
    UBI_TRY(ubi_console_get(&got, g.console, e->handle, text_of(&e->text), e->receiver));
    ubi__json_member_object(json, "value");
    ubi__json_key(json, got.has_thrown ? "throw" : "return");
    ubi__rdp_grip_write(&g, &got.value, true);
    ubi__json_object_end(json);
    return UBI_OK;
}

ubi_status ubi__rdp_value_substring(ubi__rdp_errand *errand, ubi__json *json) {
    const ubi__rdp_console_errand *e = ubi__rdp_console_errand_of(errand);
    ubi_text text;
    UBI_TRY(ubi_console_substring(&text, ubi__rdp_console_link_of(errand)->console, e->handle, e->first,
                                  e->first + e->count));
    ubi__json_member_text(json, "substring", text.ptr ? text : ubi__text(""));
    return UBI_OK;
}

ubi_status ubi__rdp_values_release(ubi__rdp_errand *errand, ubi__json *json) {
    const ubi__vec_u64 *handles = &ubi__rdp_console_errand_of(errand)->handles;
    (void)json;
    for (size_t i = 0; i < handles->n; i++)
        (void)ubi_console_release(ubi__rdp_console_link_of(errand)->console, handles->at[i]);
    return UBI_OK;
}

/* ---- links -------------------------------------------------------------------------------------------------------------- */

static ubi_status console_open(ubi__rdp_link *link, ubi_target target) {
    const ubi_console_listener listener = { ubi__rdp_console_hear, link };
    return ubi_target_open_console(&((ubi__rdp_console_link *)link)->console, target,
                                   link->is_of_process ? NULL : link->tab->scope, &listener);
}

static void console_stop(ubi__rdp_link *link) {
    ubi_console_stop(((ubi__rdp_console_link *)link)->console);
}

static void console_close(ubi__rdp_link *link) {
    ubi__rdp_console_link *l = (ubi__rdp_console_link *)link;
    ubi_console_close(l->console);
}

static bool is_about_value(const ubi__rdp_errand *errand) {
    const ubi__rdp_console_errand *e = (const ubi__rdp_console_errand *)errand;
    return e->handle || e->handles.n > 0;
}

static void link_fini(ubi__rdp_link *link) {
    ubi__vec_u64_fini(&((ubi__rdp_console_link *)link)->unheld, memory());
}

static void errand_fini(ubi__rdp_errand *errand) {
    ubi__rdp_console_errand *e = ubi__rdp_console_errand_of(errand);
    ubi__vec_u8_fini(&e->text, memory());
    ubi__vec_u64_fini(&e->handles, memory());
    ubi__rdp_new_values_fini(&e->values, memory());
}

const ubi__rdp_link_type ubi__rdp_console_link_type = { .link_bytes = sizeof(ubi__rdp_console_link),
                                                        .errand_bytes = sizeof(ubi__rdp_console_errand),
                                                        .open = console_open,
                                                        .close = console_close,
                                                        .stop = console_stop,
                                                        .is_about_page = is_about_value,
                                                        .link_fini = link_fini,
                                                        .errand_fini = errand_fini };
