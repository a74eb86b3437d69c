/* SPDX-License-Identifier: MIT
 *
 * v8_finding_events.c: timers that wait, and listeners that are never removed.
 */
#include <stdio.h>

#include "base/human.h"
#include "formats/v8/v8_types.h"
#include "lenses/v8/v8_findings.h"

#define LEAST_BYTES (64 * 1024)

/* The code that most functions run, by a vote. */
typedef struct vote {
    ubi_node_ix closure; /* UBI_NONE: there was none */
    ubi_node_ix shared;
    uint64_t lead;
} vote;

static void cast_vote(vote *v, const ubi__finding_facts *f, ubi_node_ix closure) {
    ubi_node_ix shared = ubi__v8_field(f->fields, closure, UBI__FIELD_SHARED);
    if (shared == UBI_NONE)
        return;
    if (v->lead == 0) {
        v->closure = closure;
        v->shared = shared;
    }
    v->lead += shared == v->shared ? 1 : (uint64_t)-1;
}

static void say_function(char *out, size_t n, const ubi__finding_facts *f, const vote *v, const char *before) {
    char words[UBI__FUNCTION_WORDS];
    *out = 0;
    if (v->closure == UBI_NONE)
        return;
    ubi__v8_function_words(words, ubi__v8_facts_of(f->graph), f->fields, v->closure);
    snprintf(out, n, "%s%s", before, words);
}

/* ---- timers --------------------------------------------------------------------------------------------------------- */

#define LEAST_TIMERS 100
/* A few one-shot timers are not a leak: they let go by themselves. */
#define LEAST_ONE_SHOT 10

/* Whether a field is there and says null: a number is either no node at all or one of numbers. */
static bool is_null_field(const ubi__finding_facts *f, ubi_node_ix node, ubi__v8_field_name name) {
    ubi_node_ix value = ubi__v8_field(f->fields, node, name);
    return value != UBI_NONE && ubi_graph_kind(f->graph, f->graph->kind.at[value])->raw_type == UBI__V8_HIDDEN;
}

/* A Timeout that waits is in a ring of them. One that fires is not; a snapshot is often taken by the very one that fires. */
static bool is_firing(const ubi__finding_facts *f, ubi_node_ix timeout) {
    return is_null_field(f, timeout, UBI__FIELD_IDLE_NEXT);
}

/* The function that a waiting timer of Node.js will call; UBI_NONE: it is no timer, an empty one, or the one that fires. */
static ubi_node_ix callback_of_timer(const ubi__finding_facts *f, ubi_node_ix node) {
    ubi_node_ix callback = ubi__v8_field(f->fields, node, UBI__FIELD_ON_TIMEOUT);
    if (callback == UBI_NONE)
        return ubi__v8_field(f->fields, node, UBI__FIELD_ON_IMMEDIATE);
    return is_firing(f, node) ? UBI_NONE : callback;
}

/* The same of those that fire again and again. */
static ubi_node_ix callback_of_interval(const ubi__finding_facts *f, ubi_node_ix node) {
    bool repeats =
        ubi__v8_field(f->fields, node, UBI__FIELD_ON_TIMEOUT) != UBI_NONE && !is_null_field(f, node, UBI__FIELD_REPEAT);
    return repeats ? callback_of_timer(f, node) : UBI_NONE;
}

static bool has_many_one_shot(const ubi__finding_facts *f) {
    uint32_t n = 0;
    for (ubi_node_ix node = 0; ubi__finding_has_node(f, node) && n < LEAST_ONE_SHOT; node++)
        n += ubi__finding_role(f, node) == UBI__ROLE_TIMER && callback_of_timer(f, node) != UBI_NONE &&
             callback_of_interval(f, node) == UBI_NONE;
    return n == LEAST_ONE_SHOT;
}

/* ---- listeners of events of a page ---------------------------------------------------------------------------------- */

#define LEAST_LISTENERS 200

static ubi_node_ix callback_of_listener(const ubi__finding_facts *f, ubi_node_ix node) {
    const ubi_graph *g = f->graph;
    for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++) {
        uint32_t number;
        if (ubi_graph_edge_number(&number, g, e) && number == 1)
            return g->target.at[e];
    }
    return UBI_NONE;
}

/* ---- what one of them holds ------------------------------------------------------------------------------------------ */

/* From a callback: a step to its variables, one to an object, and a few more if others hold that. */
#define HELD_STEPS 5
#define HELD_NODES 128

/* What has been seen, in the order of distance: at[n], of which `done` have been expanded. */
typedef struct held {
    ubi_node_ix at[HELD_NODES];
    uint32_t n, done;
} held;

static bool is_dominated(const ubi__finding_facts *f, ubi_node_ix node, ubi_node_ix above) {
    for (int steps = 0; node != UBI_NONE && node != above && steps <= 2 * HELD_STEPS; steps++)
        node = ubi_dominators_immediate(f->dominators, node);
    return node == above;
}

static bool has_seen(const held *h, ubi_node_ix node) {
    for (uint32_t i = 0; i < h->n; i++)
        if (h->at[i] == node)
            return true;
    return false;
}

static void look_behind(held *h, const ubi__finding_facts *f, ubi_node_ix node) {
    const ubi_graph *g = f->graph;
    for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1] && h->n < HELD_NODES; e++) {
        ubi_node_ix target = g->target.at[e];
        if (ubi__graph_edge_kind(g, e) != UBI_EDGE_WEAK && !has_seen(h, target) && is_dominated(f, target, h->at[0]))
            h->at[h->n++] = target;
    }
}

static bool is_of_interest(const ubi__finding_facts *f, ubi_node_ix node) {
    ubi__node_role role = ubi__finding_role(f, node);
    return role == UBI__ROLE_OBJECT || role == UBI__ROLE_MAP || role == UBI__ROLE_SET || role == UBI__ROLE_ARRAY;
}

/* The object near `node` that keeps most of what `node` alone keeps alive; else its callback, if that is not others' too. */
static ubi_node_ix main_thing_held(const ubi__finding_facts *f, ubi_node_ix node, ubi_node_ix callback) {
    held h = { .at = { node }, .n = 1 };
    ubi_node_ix best = is_dominated(f, callback, node) ? callback : node;
    uint64_t most = 0;
    for (int step = 0; step < HELD_STEPS; step++)
        for (uint32_t end = h.n; h.done < end; h.done++)
            look_behind(&h, f, h.at[h.done]);
    for (uint32_t i = 1; i < h.n; i++)
        if (is_of_interest(f, h.at[i]) && ubi__finding_retained(f, h.at[i]) > most) {
            most = ubi__finding_retained(f, h.at[i]);
            best = h.at[i];
        }
    return best;
}

/* ---- both ----------------------------------------------------------------------------------------------------------- */

typedef ubi_node_ix callback_of(const ubi__finding_facts *f, ubi_node_ix node);

typedef struct waiting {
    uint64_t count;
    ubi__outermost outermost;
    vote vote;
} waiting;

static ubi_status find_waiting(waiting *out, const ubi__finding_facts *f, ubi__node_role role, callback_of *callback) {
    ubi__node_bits members;
    *out = (waiting){ .vote = { UBI_NONE, UBI_NONE, 0 } };
    UBI_TRY(ubi__node_bits_new(&members, f));
    for (ubi_node_ix node = 0; ubi__finding_has_node(f, node); node++) {
        ubi_node_ix target = ubi__finding_role(f, node) == role ? callback(f, node) : UBI_NONE;
        if (target == UBI_NONE)
            continue;
        out->count++;
        ubi__node_bits_put(&members, node);
        cast_vote(&out->vote, f, target);
    }
    ubi_status status = out->count ? ubi__outermost_find(&out->outermost, &members, f) : UBI_OK;
    ubi__node_bits_free(&members, f);
    return status;
}

/* The path leads on to what the first example holds: that says why it is alive, and its purpose. */
static void fill_finding(ubi_finding *finding, const ubi__finding_facts *f, const waiting *w, callback_of *callback) {
    finding->bytes = w->outermost.bytes;
    finding->count = w->count;
    for (uint32_t i = 0; i < w->outermost.n_largest; i++)
        ubi__finding_example(finding, w->outermost.largest[i]);
    if (finding->n_nodes)
        finding->path_to = main_thing_held(f, finding->nodes[0], callback(f, finding->nodes[0]));
}

ubi_status ubi__finding_v8_timers(ubi__finding_list *out, const ubi__finding_facts *f) {
    char count[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT], calls[UBI__FUNCTION_WORDS + 32];
    ubi_finding finding = { .bytes = 0 };
    callback_of *callback = has_many_one_shot(f) ? callback_of_timer : callback_of_interval;
    waiting w;
    UBI_TRY(find_waiting(&w, f, UBI__ROLE_TIMER, callback));
    ubi__node_bits_free(&w.outermost.bits, f);
    if (w.count < LEAST_TIMERS && w.outermost.bytes < ubi__finding_worth(f, LEAST_BYTES))
        return UBI_OK;
    fill_finding(&finding, f, &w, callback);
    say_function(calls, sizeof calls, f, &w.vote, w.count == 1 ? "; it calls " : "; many call ");
    ubi__finding_call(&finding, "%s", ubi__human_things(count, w.count, "timer"));
    ubi__finding_say(&finding, "%s wait%s and keep%s %s alive%s. %s cleared when it is not needed any more?",
                     ubi__human_things(count, w.count, "timer"), w.count == 1 ? "s" : "", w.count == 1 ? "s" : "",
                     ubi__human_size(size, finding.bytes), calls, w.count == 1 ? "Is it" : "Is each");
    return ubi__finding_add(out, &finding);
}

ubi_status ubi__finding_v8_listeners(ubi__finding_list *out, const ubi__finding_facts *f) {
    char count[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT], calls[UBI__FUNCTION_WORDS + 32];
    ubi_finding finding = { .bytes = 0 };
    waiting w;
    UBI_TRY(find_waiting(&w, f, UBI__ROLE_LISTENER, callback_of_listener));
    ubi__node_bits_free(&w.outermost.bits, f);
    if (w.count < LEAST_LISTENERS)
        return UBI_OK;
    fill_finding(&finding, f, &w, callback_of_listener);
    say_function(calls, sizeof calls, f, &w.vote, "; many call ");
    ubi__finding_call(&finding, "event listeners");
    ubi__finding_say(&finding, "%s event listeners keep %s alive%s. Are they removed with what they listen to?",
                     ubi__human_count(count, w.count), ubi__human_size(size, finding.bytes), calls);
    return ubi__finding_add(out, &finding);
}

/* ---- emitters of Node.js -------------------------------------------------------------------------------------------- */

#define LEAST_EMITTED 50

/* The list of listeners that is longest, and all that are long. */
typedef struct emitted {
    ubi_node_ix emitter, list;
    ubi_str_ix event;
    uint64_t most, n_listeners, bytes;
    vote vote;
} emitted;

static uint64_t count_listeners(vote *v, const ubi__finding_facts *f, ubi_node_ix list) {
    const ubi_graph *g = f->graph;
    uint64_t n = 0;
    for (ubi_edge_ix e = g->first_edge.at[list]; e < g->first_edge.at[list + 1]; e++) {
        if (ubi__graph_edge_kind(g, e) != UBI_EDGE_ELEMENT ||
            ubi__finding_role(f, g->target.at[e]) != UBI__ROLE_CLOSURE)
            continue;
        n++;
        cast_vote(v, f, g->target.at[e]);
    }
    return n;
}

/* `seen`: tables of events, and lists, so that what several emitters share counts once. */
static void look_at_events(emitted *out, const ubi__finding_facts *f, ubi__node_bits *seen, ubi_node_ix emitter,
                           ubi_node_ix events) {
    const ubi_graph *g = f->graph;
    if (!ubi__node_bits_add(seen, events))
        return;
    for (ubi_edge_ix e = g->first_edge.at[events]; e < g->first_edge.at[events + 1]; e++) {
        ubi_node_ix list = g->target.at[e];
        vote v = { UBI_NONE, UBI_NONE, 0 };
        if (ubi__graph_edge_kind(g, e) != UBI_EDGE_PROPERTY || ubi__finding_role(f, list) != UBI__ROLE_ARRAY ||
            !ubi__node_bits_add(seen, list))
            continue;
        uint64_t n = count_listeners(&v, f, list);
        if (n < LEAST_EMITTED)
            continue;
        out->n_listeners += n;
        out->bytes += ubi__finding_retained(f, list);
        if (n > out->most)
            *out = (emitted){ emitter, list, g->name.at[e], n, out->n_listeners, out->bytes, v };
    }
}

static ubi_str_ix find_entry(const ubi_graph *g, const char *text) {
    for (ubi_str_ix i = 0; i < ubi_graph_string_count(g); i++)
        if (ubi__text_is(ubi_graph_string(g, i), text))
            return i;
    return UBI_NONE;
}

static ubi_status find_emitted(emitted *out, const ubi__finding_facts *f) {
    const ubi_graph *g = f->graph;
    ubi_str_ix name = find_entry(g, "_events");
    ubi__node_bits seen;
    if (name == UBI_NONE)
        return UBI_OK;
    UBI_TRY(ubi__node_bits_new(&seen, f));
    for (ubi_node_ix node = 0; ubi__finding_has_node(f, node); node++) {
        if (ubi__finding_role(f, node) != UBI__ROLE_OBJECT)
            continue;
        for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++)
            if (g->name.at[e] == name && ubi__graph_edge_kind(g, e) == UBI_EDGE_PROPERTY)
                look_at_events(out, f, &seen, node, g->target.at[e]);
    }
    ubi__node_bits_free(&seen, f);
    return UBI_OK;
}

ubi_status ubi__finding_v8_emitters(ubi__finding_list *out, const ubi__finding_facts *f) {
    char count[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT], calls[UBI__FUNCTION_WORDS + 32];
    const ubi_graph *g = f->graph;
    emitted found = { .most = 0 };
    UBI_TRY(find_emitted(&found, f));
    if (found.most == 0)
        return UBI_OK;
    ubi_finding finding = { .bytes = found.bytes, .count = found.n_listeners };
    ubi__finding_name emitter = ubi__finding_class_name(f, found.emitter);
    ubi__finding_name event = ubi__finding_cut(ubi_graph_string(g, found.event));
    say_function(calls, sizeof calls, f, &found.vote, "; many are ");
    ubi__finding_example(&finding, found.list);
    ubi__finding_example(&finding, found.emitter);
    ubi__finding_call(&finding, "listeners of \"%s\"", event.text);
    ubi__finding_say(&finding, "%s listeners wait for \"%s\" of one %s, and keep %s alive%s. Are they taken off again?",
                     ubi__human_count(count, found.most), event.text, emitter.text, ubi__human_size(size, found.bytes),
                     calls);
    return ubi__finding_add(out, &finding);
}
