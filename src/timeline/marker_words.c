/* SPDX-License-Identifier: MIT
 *
 * marker_words.c: see marker_words.h. Tables; a few markers say more in their labels than their names do.
 */
#include "timeline/marker_words.h"

#include <stdio.h>

#include "base/json_writer.h"
#include "base/text.h"

#define CYCLES "nsCycleCollector::"

static const ubi__marker_blueprint blueprints[] = {
    { NULL, 2, UBI__MARKER_GREY, NULL, false, false, false },
    { "Styles", 0, UBI__MARKER_PURPLE, "Recalculate Style", false, false, false },
    { "Reflow", 0, UBI__MARKER_PURPLE, "Layout", false, false, false },
    { "Paint", 0, UBI__MARKER_GREEN, "Paint", false, false, false },
    { "Composite", 0, UBI__MARKER_GREEN, "Composite Layers", false, false, false },
    { "CompositeForwardTransaction", 0, UBI__MARKER_BLUEGREY, "Composite Request Sent", false, false, false },
    { "DOMEvent", 1, UBI__MARKER_YELLOW, "DOM Event", false, false, false },
    { "document::DOMContentLoaded", 1, UBI__MARKER_FULL_RED, "DOMContentLoaded", false, false, false },
    { "document::Load", 1, UBI__MARKER_FULL_BLUE, "Load", false, false, false },
    { "Javascript", 1, UBI__MARKER_YELLOW, "Function Call", false, false, false },
    { "Parse HTML", 1, UBI__MARKER_YELLOW, "Parse HTML", false, false, false },
    { "Parse XML", 1, UBI__MARKER_YELLOW, "Parse XML", false, false, false },
    { "Parse JS", 1, UBI__MARKER_YELLOW, "Parse JS", false, false, false },
    { "GarbageCollection", 1, UBI__MARKER_RED, "Incremental GC", false, false, true },
    { "MinorGC", 1, UBI__MARKER_RED, "Minor GC", false, false, true },
    { CYCLES "Collect", 1, UBI__MARKER_RED, "Cycle Collection", false, false, true },
    { CYCLES "ForgetSkippable", 1, UBI__MARKER_RED, "CC Graph Reduction", false, false, true },
    { "Worker", 1, UBI__MARKER_ORANGE, "Worker", false, false, false },
    { "MessagePort", 1, UBI__MARKER_ORANGE, "MessagePort", false, false, false },
    { "ConsoleTime", 2, UBI__MARKER_BLUE, "Console", true, true, false },
    { "TimeStamp", 2, UBI__MARKER_BLUE, "Timestamp", false, true, false },
};

#define N_BLUEPRINTS (sizeof blueprints / sizeof *blueprints)

const ubi__marker_blueprint *ubi__marker_blueprint_of(ubi_text name) {
    for (size_t i = 1; i < N_BLUEPRINTS; i++)
        if (ubi__text_is(name, blueprints[i].name))
            return &blueprints[i];
    return &blueprints[0];
}

const ubi__marker_blueprint *ubi__marker_blueprint_at(size_t i) {
    return i < N_BLUEPRINTS ? &blueprints[i] : NULL;
}

const char *ubi__marker_color_name(ubi__marker_color color) {
    static const char *const names[UBI__MARKER_COLOR_COUNT] = {
        [UBI__MARKER_GREY] = "graphs-grey",           [UBI__MARKER_PURPLE] = "graphs-purple",
        [UBI__MARKER_GREEN] = "graphs-green",         [UBI__MARKER_BLUEGREY] = "graphs-bluegrey",
        [UBI__MARKER_YELLOW] = "graphs-yellow",       [UBI__MARKER_FULL_RED] = "graphs-full-red",
        [UBI__MARKER_FULL_BLUE] = "graphs-full-blue", [UBI__MARKER_RED] = "graphs-red",
        [UBI__MARKER_ORANGE] = "graphs-orange",       [UBI__MARKER_BLUE] = "graphs-blue",
    };
    return names[color];
}

typedef struct word_pair {
    const char *raw, *said;
} word_pair;

static const char *look_up(const word_pair *pairs, ubi_text raw) {
    for (; pairs->raw; pairs++)
        if (ubi__text_is(raw, pairs->raw))
            return pairs->said;
    return NULL;
}

const char *ubi__friendly_cause(ubi_text cause) {
    static const word_pair causes[] = {
        { "<script> element", "Script Tag" },
        { "promise callback", "Promise Callback" },
        { "promise initializer", "Promise Init" },
        { "Worker runnable", "Worker" },
        { "javascript: URI", "JavaScript URI" },
        { "EventHandlerNonNull", "Event Handler" },
        { "EventListener.handleEvent", "Event Handler" },
        { "setInterval handler", "setInterval" },
        { "setTimeout handler", "setTimeout" },
        { "FrameRequestCallback", "requestAnimationFrame" },
        /* of hosts that are no browsers */
        { "script evaluation", "Script" },
        { "module evaluation", "Module" },
        { "queueMicrotask callback", "Microtask" },
        { "message handler", "Message Handler" },
        { "descriptor handler", "Descriptor Handler" },
        { "signal handler", "Signal Handler" },
        { NULL, NULL },
    };
    return look_up(causes, cause);
}

/* ---- labels ------------------------------------------------------------------------------------------------------- */

static bool is_named(const ubi__marker_blueprint *b, const char *name) {
    return b->name && strcmp(b->name, name) == 0;
}

/* What has no end of its own in a buffer ends where a character does. */
static const char *put_text(char *out, size_t size, ubi_text text) {
    size_t n = text.len < size ? text.len : size - 1;
    if (n < text.len)
        while (n > 0 && ((uint8_t)text.ptr[n] & 0xc0) == 0x80)
            n--;
    memcpy(out, text.len ? text.ptr : "", n);
    out[n] = 0;
    return out;
}

/* "Console (load)". */
static const char *put_with_cause(char *out, size_t size, const char *label, ubi_text cause) {
    if (cause.len == 0 || size < strlen(label) + 4)
        return put_text(out, size, ubi__text(label));
    size_t n = (size_t)snprintf(out, size, "%s (", label);
    put_text(out + n, size - n - 1, cause);
    memcpy(out + strlen(out), ")", 2);
    return out;
}

/* Unlike Firefox, which says Worker for all four: what matters is who copied messages where. */
static const char *friendly_operation(ubi_text operation) {
    static const word_pair operations[] = {
        { "serializeDataOffMainThread", "send (off main)" },
        { "serializeDataOnMainThread", "send (on main)" },
        { "deserializeDataOffMainThread", "receive (off main)" },
        { "deserializeDataOnMainThread", "receive (on main)" },
        { "serializeData", "send" },
        { "deserializeData", "receive" },
        { NULL, NULL },
    };
    return look_up(operations, operation);
}

/* NULL: it does nothing with messages, or something that has no words. */
static const char *operation_of(const ubi__timeline_data *data, const ubi__timeline_row *row) {
    const ubi__marker_blueprint *b = ubi__marker_blueprint_of(ubi__timeline_text(data, row->name));
    if (is_named(b, "Worker"))
        return friendly_operation(ubi__timeline_detail_text(data, row, "workerOperation"));
    if (is_named(b, "MessagePort"))
        return friendly_operation(ubi__timeline_detail_text(data, row, "messagePortOperation"));
    return NULL;
}

const char *ubi__marker_label(char *out, size_t size, const ubi__timeline_data *data, const ubi__timeline_row *row) {
    ubi_text name = ubi__timeline_text(data, row->name);
    const ubi__marker_blueprint *b = ubi__marker_blueprint_of(name);
    if (is_named(b, "ConsoleTime") || is_named(b, "TimeStamp"))
        return put_with_cause(out, size, b->label, ubi__timeline_detail_text(data, row, "causeName"));
    if (is_named(b, "Javascript")) {
        const char *said = ubi__friendly_cause(ubi__timeline_detail_text(data, row, "causeName"));
        return put_text(out, size, ubi__text(said ? said : b->label));
    }
    const char *operation = operation_of(data, row);
    if (operation) {
        snprintf(out, size, "%s %s", b->label, operation);
        return out;
    }
    if (is_named(b, "GarbageCollection") && ubi__timeline_detail_text(data, row, "nonincrementalReason").ptr)
        return put_text(out, size, ubi__text("Non-incremental GC"));
    return put_text(out, size, b->label ? ubi__text(b->label) : name.len ? name : ubi__text("(no name)"));
}

/* ---- fields ------------------------------------------------------------------------------------------------------- */

static const char *title_of(ubi_text key) {
    static const word_pair titles[] = {
        { "causeName", "cause" },
        { "type", "event" },
        { "eventPhase", "phase" },
        { "nonincrementalReason", "non-incremental because of" },
        { "restyleHint", "restyle hint" },
        { "isAnimationOnly", "animation only" },
        { "workerOperation", "operation" },
        { "messagePortOperation", "operation" },
        { "unixTime", "microseconds since 1970" },
        { NULL, NULL },
    };
    return look_up(titles, key);
}

static const char *phase_of(double phase) {
    return phase == 1 ? "capturing" : phase == 2 ? "target" : phase == 3 ? "bubbling" : NULL;
}

static ubi_text number_text(ubi__marker_field *field, ubi_text key, double number) {
    const char *phase = ubi__text_is(key, "eventPhase") ? phase_of(number) : NULL;
    if (phase)
        return ubi__text(phase);
    ubi__number_text(field->buffer, number);
    return ubi__text(field->buffer);
}

static ubi_text without_prefix(ubi_text text, const char *prefix) {
    size_t n = strlen(prefix);
    return text.len >= n && memcmp(text.ptr, prefix, n) == 0 ? (ubi_text){ text.ptr + n, text.len - n } : text;
}

/* Whether the marker's label has said it. */
static bool is_in_label(const ubi__timeline_data *data, const ubi__timeline_row *row,
                        const ubi__timeline_detail *detail) {
    const ubi__marker_blueprint *b = ubi__marker_blueprint_of(ubi__timeline_text(data, row->name));
    ubi_text key = ubi__timeline_text(data, detail->key);
    if (ubi__text_is(key, "workerOperation") || ubi__text_is(key, "messagePortOperation"))
        return operation_of(data, row) != NULL;
    if (detail->type != UBI__TIMELINE_TEXT || !ubi__text_is(key, "causeName"))
        return false;
    if (is_named(b, "Javascript"))
        return ubi__friendly_cause(ubi__timeline_text(data, detail->as.text)) != NULL;
    return is_named(b, "ConsoleTime") || is_named(b, "TimeStamp");
}

static bool put_value(ubi__marker_field *out, const ubi__timeline_data *data, const ubi__timeline_detail *detail) {
    switch (detail->type) {
    case UBI__TIMELINE_BOOL:
        out->value = ubi__text(detail->as.is_true ? "yes" : "no");
        return true;
    case UBI__TIMELINE_NUMBER:
        out->value = number_text(out, ubi__timeline_text(data, detail->key), detail->as.number);
        return true;
    case UBI__TIMELINE_TEXT:
        out->value = without_prefix(ubi__timeline_text(data, detail->as.text), "eRestyle_");
        return out->value.len > 0;
    case UBI__TIMELINE_NULL:
    case UBI__TIMELINE_RECTANGLES:
        break;
    }
    return false;
}

/* Collections have a type that their name says. */
static bool put_type(ubi__marker_field *out, ubi_text name) {
    const ubi__marker_blueprint *b = ubi__marker_blueprint_of(name);
    bool is_minor = is_named(b, "MinorGC");
    if (!is_minor && (!b->name || strncmp(b->name, CYCLES, sizeof CYCLES - 1) != 0))
        return false;
    out->title = ubi__text("type");
    out->value = is_minor ? ubi__text("nursery") : without_prefix(name, CYCLES);
    return true;
}

bool ubi__marker_next_field(ubi__marker_field *out, const ubi__timeline_data *data, const ubi__timeline_row *row,
                            size_t *at) {
    while (*at < row->n_details) {
        const ubi__timeline_detail *detail = &data->details.at[row->first_detail + (*at)++];
        ubi_text key = ubi__timeline_text(data, detail->key);
        const char *title = title_of(key);
        out->title = title ? ubi__text(title) : key;
        if (!is_in_label(data, row, detail) && put_value(out, data, detail))
            return true;
    }
    return (*at)++ == row->n_details && put_type(out, ubi__timeline_text(data, row->name));
}
