/* SPDX-License-Identifier: MIT
 *
 * v8_words.c: what nodes and edges of V8's heaps say (words.h).
 *
 * The kind of an edge says most: properties, elements and captured variables are what a script wrote, the rest is the
 * engine's. What scripts think of as one step is often several: a closure, its context, the variable; a Map, its table, the
 * entry. The engine's nodes in between are left out, and the last of them with the edges around it says what the step means.
 *
 * Sources of the names: V8, src/profiler/heap-snapshot-generator.cc; Blink, v8_internal names of persistent handles.
 */
#include <string.h>

#include "base/text.h"
#include "formats/v8/v8_types.h"
#include "lenses/v8/v8_producer.h"

static ubi_text text_behind(ubi_text text, size_t n) {
    return (ubi_text){ text.ptr + n, text.len - n };
}

static ubi__v8_type type_of(const ubi_graph *graph, ubi_node_ix node) {
    return (ubi__v8_type)ubi_graph_kind(graph, ubi_graph_node_kind(graph, node))->raw_type;
}

static ubi_text name_of(const ubi_graph *graph, ubi_node_ix node) {
    ubi_text name = ubi_graph_string(graph, ubi_graph_node_name(graph, node));
    return name.ptr ? name : ubi__text("");
}

static bool node_is_engine(const ubi_graph *graph, ubi_node_ix node) {
    switch (type_of(graph, node)) {
    case UBI__V8_HIDDEN:
    case UBI__V8_ARRAY:
    case UBI__V8_CODE:
    case UBI__V8_OBJECT_SHAPE:
        return true;
    case UBI__V8_OBJECT:
    case UBI__V8_NATIVE:
        return ubi__text_begins(name_of(graph, node), "system / ");
    default:
        return false;
    }
}

/* ---- names of edges ----------------------------------------------------------------------------------------------- */

static ubi__edge_words edge_silent(void) {
    return ubi__edge_says(UBI__EDGE_SILENT, NULL, (ubi_text){ NULL, 0 });
}

static size_t count_digits(ubi_text text) {
    size_t n = 0;
    while (n < text.len && text.ptr[n] >= '0' && text.ptr[n] <= '9')
        n++;
    return n;
}

/* The entry's name ends with these words and a number. */
#define MOST_PAIR_BYTES 64

static bool is_weak_map_entry(ubi_text name) {
    if (name.len > MOST_PAIR_BYTES)
        name = text_behind(name, name.len - MOST_PAIR_BYTES);
    return ubi__text_contains(name, ubi__text(" pair in WeakMap (table @"));
}

/* Fields of the engine that say nothing beside the nodes at their ends. */
static bool says_nothing(ubi_text name) {
    static const char *const names[] = { "map",           "elements",     "properties",    "shared", "code",
                                         "context",       "table",        "feedback_cell", "script", "native_context",
                                         "global_object", "global_proxy", "value" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ubi__text_is(name, names[i]))
            return true;
    return false;
}

/* Fields of the engine that have a name among people. */
static const struct {
    const char *name, *words;
} known_fields[] = {
    { "bound_this", "bound this" },
    { "bound_function", "bound function" },
    { "backing_store", "backing store" },
};

static ubi_text name_among_people(ubi_text name) {
    for (size_t i = 0; i < sizeof known_fields / sizeof *known_fields; i++)
        if (ubi__text_is(name, known_fields[i].name))
            return ubi__text(known_fields[i].words);
    return name;
}

/* "300 / V8PerContextData::context_" without its number; a number alone is a slot. */
static ubi__edge_words words_of_field(ubi_text name) {
    size_t digits = name.len <= UBI__LONGEST_IDENTIFIER ? count_digits(name) : 0;
    if (is_weak_map_entry(name))
        return ubi__edge_says(UBI__EDGE_NAMED, NULL, ubi__text("value in a WeakMap"));
    if (digits && ubi__text_begins(text_behind(name, digits), " / "))
        name = text_behind(name, digits + 3);
    else if (digits == name.len)
        return edge_silent();
    return says_nothing(name) ? edge_silent() : ubi__edge_says(UBI__EDGE_NAMED, NULL, name_among_people(name));
}

static ubi__edge_words words_of_property(ubi_text name) {
    if (ubi__text_begins(name, "get ") && name.len > 4)
        return ubi__edge_says(UBI__EDGE_NAMED, "getter ", text_behind(name, 4));
    if (ubi__text_begins(name, "set ") && name.len > 4)
        return ubi__edge_says(UBI__EDGE_NAMED, "setter ", text_behind(name, 4));
    return ubi__edge_says(ubi__text_is_identifier(name) ? UBI__EDGE_PROPERTY : UBI__EDGE_QUOTED, NULL, name);
}

static ubi__edge_words edge_words(const ubi_graph *graph, ubi_node_ix source, ubi_edge_ix edge) {
    ubi_text name = ubi_graph_string(graph, ubi_graph_edge_name(graph, edge));
    uint32_t index;
    switch (ubi_graph_edge_kind(graph, edge)) {
    case UBI_EDGE_ELEMENT:
        if (type_of(graph, source) == UBI__V8_SYNTHETIC || !ubi_graph_edge_number(&index, graph, edge))
            return edge_silent(); /* of a list of roots */
        return (ubi__edge_words){ .how = UBI__EDGE_INDEX, .index = index };
    case UBI_EDGE_PROPERTY:
        return words_of_property(name);
    case UBI_EDGE_CONTEXT:
        return ubi__edge_says(UBI__EDGE_VARIABLE, "variable ", name);
    case UBI_EDGE_INTERNAL:
        return words_of_field(name);
    case UBI_EDGE_SHORTCUT:
        return type_of(graph, source) == UBI__V8_SYNTHETIC ? edge_silent()
                                                           : ubi__edge_says(UBI__EDGE_NAMED, NULL, name);
    case UBI_EDGE_WEAK:
        return ubi__edge_says(UBI__EDGE_NAMED, "weak ", name);
    default:
        return edge_silent();
    }
}

/* ---- runs of the engine's nodes ----------------------------------------------------------------------------------- */

static const struct {
    const char *name, *word;
} node_words[] = {
    { "system / Map", "hidden class" },
    { "(map descriptors)", "hidden class" },
    { "system / PropertyCell", "global variable" },
    { "system / WeakCell", "WeakRef" },
    { "system / FeedbackCell", "type feedback" },
    { "(feedback vector)", "type feedback" },
    { "system / FeedbackVector", "type feedback" },
    { "(object elements)", "elements" },
    { "(object properties)", "properties" },
};

/* What the node itself is called, in a word or two. */
static ubi_text word_for(const ubi_graph *graph, ubi_node_ix node) {
    ubi_text name = name_of(graph, node);
    if (type_of(graph, node) == UBI__V8_CODE)
        return ubi__text("code");
    if (type_of(graph, node) == UBI__V8_OBJECT_SHAPE)
        return ubi__text("hidden class");
    for (size_t i = 0; i < sizeof node_words / sizeof *node_words; i++)
        if (ubi__text_is(name, node_words[i].name))
            return ubi__text(node_words[i].word);
    if (ubi__text_begins(name, "system / "))
        return text_behind(name, strlen("system / "));
    if (name.len > 2 && name.ptr[0] == '(' && name.ptr[name.len - 1] == ')')
        return (ubi_text){ name.ptr + 1, name.len - 2 };
    return name.len ? name : ubi__text("internal");
}

static ubi__edge_words run_words(const ubi_graph *graph, const ubi__engine_run *run) {
    ubi_edge_ix into_last = run->into_last, last = run->last;
    ubi_node_ix node = ubi_graph_edge_target(graph, into_last);
    ubi_text in = ubi_graph_string(graph, ubi_graph_edge_name(graph, into_last));
    ubi_text out = ubi_graph_string(graph, ubi_graph_edge_name(graph, last));
    if (ubi_graph_edge_kind(graph, last) == UBI_EDGE_CONTEXT)
        return ubi__edge_says(UBI__EDGE_VARIABLE, "variable ", out);
    if (is_weak_map_entry(out))
        return ubi__edge_named("value in a WeakMap");
    if (ubi__text_begins(name_of(graph, node), "system / Context"))
        return ubi__edge_named("scope");
    if (type_of(graph, node) == UBI__V8_ARRAY && ubi__text_is(in, "table"))
        return ubi__edge_named("entry");
    if (type_of(graph, node) == UBI__V8_ARRAY && ubi__text_is(in, "elements"))
        return ubi__edge_named("element");
    return ubi__edge_says(UBI__EDGE_NAMED, NULL, word_for(graph, node));
}

/* ---- where paths begin -------------------------------------------------------------------------------------------- */

/* A window or global object is near the root, or it is not what keeps things alive. */
#define FURTHEST_GLOBAL 8

/* Behind the edge by which a context of the engine knows its global object. */
static bool is_global_object(const ubi_graph *graph, const ubi_path_step *step) {
    ubi_text name = ubi_graph_string(graph, ubi_graph_edge_name(graph, step->edge));
    return (ubi__text_is(name, "global_object") || ubi__text_is(name, "global_proxy")) &&
           ubi__text_begins(name_of(graph, step->predecessor), "system / NativeContext");
}

static uint32_t begin_of(const ubi_graph *graph, const ubi_path_step *steps, uint32_t n_steps) {
    for (uint32_t i = 1; i < n_steps && i <= FURTHEST_GLOBAL; i++)
        if (is_global_object(graph, &steps[i - 1]))
            return i;
    uint32_t begin = steps[0].predecessor == ubi_graph_root(graph);
    while (begin + 1 < n_steps && type_of(graph, steps[begin].predecessor) == UBI__V8_SYNTHETIC &&
           type_of(graph, steps[begin + 1].predecessor) == UBI__V8_SYNTHETIC)
        begin++;
    return begin;
}

/* ---- lists of Node.js --------------------------------------------------------------------------------------------- */

/* Lists are near the root; a program may have anything further away. */
#define FURTHEST_LIST 16

/* Node.js: lib/internal/timers.js, class TimersList and ImmediateList; lib/internal/linkedlist.js. */
static const struct {
    const char *name, *title;
} lists[] = { { "TimersList", "Node.js timers" }, { "ImmediateList", "Node.js immediates" } };

static const char *list_title(const ubi_graph *graph, ubi_node_ix node) {
    ubi_text name = name_of(graph, node);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (type_of(graph, node) == UBI__V8_OBJECT && ubi__text_is(name, lists[i].name))
            return lists[i].title;
    return NULL;
}

static bool is_link(const ubi_graph *graph, ubi_edge_ix edge) {
    static const char *const names[] = { "_idleNext", "_idlePrev", "head", "tail" };
    ubi_text name = ubi_graph_string(graph, ubi_graph_edge_name(graph, edge));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ubi__text_is(name, names[i]))
            return true;
    return false;
}

/* Lists of timers are in an object by how long they wait, and in an array that is a queue. */
static void find_interval(ubi__path_start *out, const ubi_graph *graph, const ubi_path_step *into_list) {
    uint32_t number;
    if (ubi_graph_edge_kind(graph, into_list->edge) != UBI_EDGE_ELEMENT ||
        !ubi_graph_edge_number(&number, graph, into_list->edge) ||
        ubi__text_is(name_of(graph, into_list->predecessor), "Array"))
        return;
    out->has_interval = true;
    out->interval_ms = number;
}

/* Begins with the last link: it leads to the timer. False: the path goes through no list. */
static bool begins_in_list(ubi__path_start *out, const ubi_graph *graph, const ubi_path_step *steps, uint32_t n_steps) {
    for (uint32_t i = 1; i < n_steps && i <= FURTHEST_LIST; i++) {
        const char *title = list_title(graph, steps[i].predecessor);
        if (!title || !is_link(graph, steps[i].edge))
            continue;
        *out = (ubi__path_start){ .begin = i, .list = title };
        find_interval(out, graph, &steps[i - 1]);
        while (out->begin + 1 < n_steps && is_link(graph, steps[out->begin + 1].edge))
            out->begin++;
        return true;
    }
    return false;
}

static bool path_start(ubi__path_start *out, const ubi_graph *graph, const ubi_path_step *steps, uint32_t n_steps) {
    if (type_of(graph, steps[0].predecessor) != UBI__V8_SYNTHETIC)
        return false;
    if (!begins_in_list(out, graph, steps, n_steps))
        out->begin = begin_of(graph, steps, n_steps);
    return true;
}

/* ---- nodes -------------------------------------------------------------------------------------------------------- */

static bool kind_is_root(const ubi_graph *graph, const ubi_kind *kind) {
    (void)graph;
    return kind->raw_type == UBI__V8_SYNTHETIC;
}

/* Lists of roots, such as "(GC roots)", and the global object of Node.js. */
static bool kind_is_permanent(const ubi_graph *graph, const ubi_kind *kind) {
    if (kind->raw_type == UBI__V8_OBJECT && ubi__text_is(ubi_graph_string(graph, kind->class_name), "global"))
        return true;
    return kind_is_root(graph, kind);
}

/* Elements of a page and windows; the other native nodes are the browser's or Node's own. */
static bool is_of_page(ubi_text name) {
    static const char detached[] = "Detached ";
    if (name.len > sizeof detached - 1 && ubi__text_begins(name, detached))
        name = text_behind(name, sizeof detached - 1);
    return (name.len && *name.ptr == '<') || ubi__text_begins(name, "Window");
}

static ubi__path_rank node_rank(const ubi_graph *graph, ubi_node_ix node) {
    ubi_text name = ubi_graph_string(graph, ubi_graph_node_name(graph, node));
    switch (type_of(graph, node)) {
    case UBI__V8_OBJECT:
    case UBI__V8_CLOSURE:
        return ubi__rank_of_name(name);
    case UBI__V8_NATIVE:
        return is_of_page(name) ? UBI__RANK_UNNAMED : UBI__RANK_ENGINE;
    default:
        return UBI__RANK_UNNAMED;
    }
}

/* `text` between two marks, in the buffer, where it may be already. A text that does not fit is cut at a whole character. */
static ubi_text words_wrap(ubi_look_name_buffer *buffer, const char *open, ubi_text text, const char *close) {
    size_t n_open = strlen(open), n_close = strlen(close), room = sizeof buffer->bytes - n_open - n_close, n = text.len;
    if (n > room)
        for (n = room; n > 0 && ((uint8_t)text.ptr[n] & 0xc0) == 0x80; n--) {
        }
    if (n)
        memmove(buffer->bytes + n_open, text.ptr, n);
    memcpy(buffer->bytes, open, n_open);
    memcpy(buffer->bytes + n_open + n, close, n_close);
    return (ubi_text){ buffer->bytes, n_open + n + n_close };
}

static ubi_text node_title(const ubi_graph *graph, const ubi_look *look, ubi_node_ix node,
                           ubi_look_name_buffer *buffer) {
    ubi_text name = ubi_look_display_name(look, node, buffer);
    switch (type_of(graph, node)) {
    case UBI__V8_CLOSURE:
        return name.len ? words_wrap(buffer, "", name, "()") : ubi__text("(anonymous function)");
    case UBI__V8_STRING:
    case UBI__V8_CONS_STRING:
    case UBI__V8_SLICED_STRING:
        return words_wrap(buffer, "\"", name, "\"");
    case UBI__V8_REGEXP:
        return words_wrap(buffer, "/", name, "/");
    default:
        break;
    }
    const ubi_kind *kind = ubi_graph_kind(graph, ubi_graph_node_kind(graph, node));
    return name.len ? name : words_wrap(buffer, "(", ubi_graph_string(graph, kind->type_name), ")");
}

/* What follows "system / NativeContext / ", or all of the name. */
static ubi_text context_name(const ubi_look *look, ubi_node_ix context, ubi_look_name_buffer *buffer) {
    static const char prefix[] = "system / NativeContext / ";
    ubi_text name = ubi_look_display_name(look, context, buffer);
    size_t n = sizeof prefix - 1;
    return ubi__text_begins(name, prefix) && name.len > n ? (ubi_text){ name.ptr + n, name.len - n } : name;
}

const ubi__producer_words ubi__v8_producer_words = {
    .edge = edge_words,
    .node_is_engine = node_is_engine,
    .engine_run = run_words,
    .kind_is_root = kind_is_root,
    .kind_is_permanent = kind_is_permanent,
    .path_start = path_start,
    .node_title = node_title,
    .node_rank = node_rank,
    .context_name = context_name,
    .left_out_of_paths = " [JSGlobalObject]", /* after the first word of every window */
};
