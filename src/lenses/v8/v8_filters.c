/* SPDX-License-Identifier: MIT
 *
 * v8_filters.c: choices of nodes that DevTools offer.
 *
 * "Retained by" some things means: no longer reached from the root once these are out of the way. Not the graph's essential
 * edges count here, but all that are not weak. What has no distance to begin with is retained by nothing.
 */
#include <ubiheap/views/native_contexts.h>

#include "base/bits.h"
#include "base/text.h"
#include "lenses/string_keys.h"
#include "lenses/v8/v8_look.h"

typedef struct query {
    uint64_t *bits; /* bits[n_words], clear at first */
    size_t n_words;
    const ubi_look *look;
    const ubi_graph *g;
    const ubi_look_options *options;
    const ubi_allocator *a;
} query;

/* ---- what is retained by something ------------------------------------------------------------------------------- */

/* What a walk keeps away from. */
typedef struct obstacles {
    uint64_t *nodes;        /* a bit per node; NULL: none */
    bool has_console_edges; /* those by which the console holds its globals */
} obstacles;

typedef struct walk {
    const query *q;
    const obstacles *avoid;
    uint64_t *reached;  /* a bit per node */
    ubi_node_ix *stack; /* stack[n_nodes] */
    size_t n_stack;
} walk;

static bool is_console_edge(const walk *w, ubi_node_ix source, ubi_edge_ix e) {
    const ubi_graph *g = w->q->g;
    ubi_str_ix name = ubi__graph_edge_name(g, e);
    return name != UBI_NONE && ubi__v8_node_type(w->q->look, source) == UBI__V8_SYNTHETIC &&
           ubi__text_ends(ubi__strtab_get(&g->strings, name), UBI__V8_CONSOLE_ENDING);
}

static void reach_node(walk *w, ubi_node_ix node) {
    ubi__put_bit(w->reached, node);
    w->stack[w->n_stack++] = node;
}

static void walk_from(walk *w, ubi_node_ix node) {
    const ubi_graph *g = w->q->g;
    for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++) {
        ubi_node_ix target = g->target.at[e];
        if (ubi__has_bit(w->reached, target) || ubi__graph_edge_kind(g, e) == UBI_EDGE_WEAK ||
            (w->avoid->nodes && ubi__has_bit(w->avoid->nodes, target)) ||
            (w->avoid->has_console_edges && is_console_edge(w, node, e)))
            continue;
        reach_node(w, target);
    }
}

static ubi_status walk_all(walk *w) {
    uint64_t n_done = 0;
    reach_node(w, w->q->g->root);
    while (w->n_stack) {
        if ((n_done++ & 0xffff) == 0 &&
            !ubi__progress(&w->q->options->progress, "filtering", n_done - 1, w->q->g->n_nodes))
            return ubi__fail_cancelled();
        walk_from(w, w->stack[--w->n_stack]);
    }
    return UBI_OK;
}

/* The column of distances becomes the stack: only which nodes have one matters. */
static ubi_status show_unreached(query *q, const obstacles *avoid, uint32_t *column, uint64_t *reached) {
    walk w = { q, avoid, reached, column, 0 };
    UBI_TRY(ubi__v8_distances(column, q->look));
    for (ubi_node_ix node = 0; node < q->g->n_nodes; node++)
        if (column[node] != UBI_NONE)
            ubi__put_bit(q->bits, node);
    UBI_TRY(walk_all(&w));
    for (size_t i = 0; i < q->n_words; i++)
        q->bits[i] &= ~reached[i];
    return UBI_OK;
}

static ubi_status show_retained_by(query *q, const obstacles *avoid) {
    uint32_t *column = ubi__alloc_array(q->a, q->g->n_nodes, sizeof *column);
    uint64_t *reached = ubi__calloc_array(q->a, q->n_words, sizeof *reached);
    ubi_status status = column && reached ? show_unreached(q, avoid, column, reached) : ubi__fail_nomem();
    ubi__free_array(q->a, column, q->g->n_nodes, sizeof *column);
    ubi__free_array(q->a, reached, q->n_words, sizeof *reached);
    return status;
}

/* `find` marks the nodes to keep away from. */
static ubi_status show_retained_by_nodes(query *q, ubi_status (*find)(uint64_t *nodes, const query *q)) {
    obstacles avoid = { ubi__calloc_array(q->a, q->n_words, sizeof *avoid.nodes), false };
    ubi_status status = avoid.nodes ? find(avoid.nodes, q) : ubi__fail_nomem();
    if (status == UBI_OK)
        status = show_retained_by(q, &avoid);
    ubi__free_array(q->a, avoid.nodes, q->n_words, sizeof *avoid.nodes);
    return status;
}

/* ---- what to keep away from -------------------------------------------------------------------------------------- */

static ubi_status find_detached(uint64_t *nodes, const query *q) {
    for (ubi_node_ix node = 0; node < q->g->n_nodes; node++)
        if (ubi_look_detachedness(q->look, node) == UBI_DETACHED)
            ubi__put_bit(nodes, node);
    return UBI_OK;
}

/* Marks nodes whose raw name is one of those; texts are looked at once each. */
static ubi_status find_named(uint64_t *nodes, const query *q, bool (*is_name)(ubi_text name)) {
    size_t n_strings = ubi__strtab_count(&q->g->strings), n_words = n_strings / 64 + 1;
    uint64_t *names = ubi__calloc_array(q->a, n_words, sizeof *names);
    if (!names)
        return ubi__fail_nomem();
    for (ubi_str_ix string = 0; string < n_strings; string++)
        if (is_name(ubi__strtab_get(&q->g->strings, string)))
            ubi__put_bit(names, string);
    for (ubi_node_ix node = 0; node < q->g->n_nodes; node++) {
        ubi_str_ix name = ubi__graph_node_name(q->g, node);
        /* A renamed node has another name than these: they begin with something else than "Detached". */
        if (name != UBI_NONE && ubi__has_bit(names, name) && !ubi__v8_is_renamed(ubi__v8_look_of(q->look), q->g, node))
            ubi__put_bit(nodes, node);
    }
    ubi__free_array(q->a, names, n_words, sizeof *names);
    return UBI_OK;
}

static bool is_context_name(ubi_text name) {
    return ubi__text_is(name, "system / Context") || ubi__text_begins(name, "system / Context / ");
}

static ubi_status find_contexts(uint64_t *nodes, const query *q) {
    return find_named(nodes, q, is_context_name);
}

static bool is_listener_name(ubi_text name) {
    return ubi__text_is(name, "V8EventListener");
}

/* The label of an edge as DevTools show it: a shortcut's is a number if it begins like one. */
static bool is_labelled(const ubi_graph *g, ubi_edge_ix e, const char *label) {
    char digits[UBI_EDGE_LABEL_BYTES];
    ubi_text text = ubi_graph_edge_label(g, e, digits);
    double shown, wanted;
    if (ubi__graph_edge_kind(g, e) == UBI_EDGE_SHORTCUT && ubi__v8_parse_int(&shown, text))
        return ubi__v8_parse_int(&wanted, ubi__text(label)) && shown == wanted;
    return ubi__text_is(text, label);
}

/* Target of the first edge of that label, or UBI_NONE. */
static ubi_node_ix child_named(const ubi_graph *g, ubi_node_ix node, const char *label) {
    for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++)
        if (is_labelled(g, e, label))
            return g->target.at[e];
    return UBI_NONE;
}

/* Two bits per node: whether it is known to have an edge `code`, and whether it does. */
typedef struct functions {
    const ubi_graph *g;
    uint64_t *known, *are;
} functions;

/* Each node's edges are searched once, however many wrappers lead to it. */
static bool is_function(functions *f, ubi_node_ix node) {
    if (!ubi__has_bit(f->known, node)) {
        ubi__put_bit(f->known, node);
        if (child_named(f->g, node, "code") != UBI_NONE)
            ubi__put_bit(f->are, node);
    }
    return ubi__has_bit(f->are, node);
}

/* The function that handles events: the callback itself, or what a wrapper of some framework leads to. */
static ubi_node_ix handler_of(functions *f, ubi_node_ix callback) {
    const ubi_graph *g = f->g;
    if (is_function(f, callback))
        return callback;
    for (ubi_edge_ix e = g->first_edge.at[callback]; e < g->first_edge.at[callback + 1]; e++)
        if (is_function(f, g->target.at[e]))
            return g->target.at[e];
    return callback;
}

static void replace_listeners_by_handlers(uint64_t *handlers, const uint64_t *listeners, functions *f, uint64_t *done) {
    for (ubi_node_ix node = 0; node < f->g->n_nodes; node++) {
        ubi_node_ix callback = ubi__has_bit(listeners, node) ? child_named(f->g, node, "1") : UBI_NONE;
        if (callback == UBI_NONE || ubi__has_bit(done, callback))
            continue;
        ubi__put_bit(done, callback);
        ubi__put_bit(handlers, handler_of(f, callback));
    }
}

static ubi_status find_handlers(uint64_t *nodes, const query *q) {
    size_t n = q->n_words;
    uint64_t *block = ubi__calloc_array(q->a, 4 * n, sizeof *block);
    if (!block)
        return ubi__fail_nomem();
    functions f = { q->g, block + n, block + 2 * n };
    ubi_status status = find_named(block, q, is_listener_name);
    if (status == UBI_OK)
        replace_listeners_by_handlers(nodes, block, &f, block + 3 * n);
    ubi__free_array(q->a, block, 4 * n, sizeof *block);
    return status;
}

static ubi_status show_retained_by_detached(query *q) {
    return show_retained_by_nodes(q, find_detached);
}

static ubi_status show_retained_by_contexts(query *q) {
    return show_retained_by_nodes(q, find_contexts);
}

static ubi_status show_retained_by_handlers(query *q) {
    return show_retained_by_nodes(q, find_handlers);
}

static ubi_status show_retained_by_console(query *q) {
    return show_retained_by(q, &(obstacles){ NULL, true });
}

/* ---- others ------------------------------------------------------------------------------------------------------ */

/* Bits per key of a text: whether it was met, and whether more than once. */
typedef struct repeats {
    query *q;
    uint64_t *met, *again;
} repeats;

static ubi_status note_key(void *payload, const ubi__string *string) {
    const repeats *r = payload;
    if (string->key != UBI_NONE)
        ubi__put_bit(ubi__has_bit(r->met, string->key) ? r->again : r->met, string->key);
    return UBI_OK;
}

static ubi_status show_repeated(void *payload, const ubi__string *string) {
    const repeats *r = payload;
    if (string->key != UBI_NONE && ubi__has_bit(r->again, string->key))
        ubi__put_bit(r->q->bits, string->node);
    return UBI_OK;
}

static ubi_status show_keys_that_repeat(query *q, const ubi__string_keys *keys) {
    size_t n_words = keys->n_keys / 64 + (size_t)1;
    uint64_t *block = ubi__calloc_array(q->a, 2 * n_words, sizeof *block);
    if (!block)
        return ubi__fail_nomem();
    repeats r = { q, block, block + n_words };
    ubi_status status = ubi__strings_each(keys, note_key, &r);
    if (status == UBI_OK)
        status = ubi__strings_each(keys, show_repeated, &r);
    ubi__free_array(q->a, block, 2 * n_words, sizeof *block);
    return status;
}

static ubi_status show_duplicates(query *q) {
    ubi__string_choice choice = { q->look, NULL, q->a, &q->options->progress, q->options->threads };
    ubi__string_keys keys;
    ubi_status status = ubi__string_keys_init(&keys, &choice);
    if (status == UBI_OK)
        status = show_keys_that_repeat(q, &keys);
    ubi__string_keys_fini(&keys);
    return status;
}

static ubi_status show_allocated(query *q) {
    for (ubi_node_ix node = 0; node < q->g->n_nodes; node++)
        if (q->g->id.at[node] > q->options->id_above && q->g->id.at[node] <= q->options->id_upto)
            ubi__put_bit(q->bits, node);
    return UBI_OK;
}

static ubi_status show_attributed(query *q, uint32_t wanted, bool by_id) {
    ubi_native_contexts_options options = UBI_NATIVE_CONTEXTS_OPTIONS_INIT;
    ubi_native_contexts *contexts;
    options.allocator = q->a;
    options.progress = q->options->progress;
    UBI_TRY(ubi_native_contexts_new(&contexts, q->look, NULL, &options));
    for (uint32_t i = 0; by_id && i < ubi_native_contexts_count(contexts); i++)
        if (q->g->id.at[ubi_native_contexts_at(contexts, i)->node] == q->options->id_upto)
            wanted = i;
    bool is_there = !by_id || wanted != UBI_NONE;
    for (ubi_node_ix node = 0; is_there && node < q->g->n_nodes; node++)
        if (ubi_native_contexts_of(contexts, node) == wanted)
            ubi__put_bit(q->bits, node);
    ubi_native_contexts_free(contexts);
    return is_there ? UBI_OK
                    : ubi__fail(UBI_EINVAL, "node %llu is no native context", (unsigned long long)q->options->id_upto);
}

static ubi_status show_context(query *q) {
    return show_attributed(q, UBI_NONE, true);
}

static ubi_status show_shared(query *q) {
    return show_attributed(q, UBI_NATIVE_CONTEXT_SHARED, false);
}

static ubi_status show_unattributed(query *q) {
    return show_attributed(q, UBI_NATIVE_CONTEXT_NONE, false);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

const ubi_lens_filter ubi__v8_filters[] = {
    { "detached-dom", "Objects retained by detached DOM nodes" },
    { "console", "Objects retained by DevTools Console" },
    { "event-handlers", "Objects retained by event handlers" },
    { "contexts", "Objects retained by contexts" },
    { "duplicate-strings", "Duplicated strings" },
    { "allocated", "Objects allocated between snapshots" },
    { "native-context", "Objects of a native context" },
    { "shared-contexts", "Objects shared between native contexts" },
    { "no-context", "Objects not attributed to a native context" },
    { NULL, NULL },
};

/* In the same order. */
static ubi_status (*const apply[])(query *q) = {
    show_retained_by_detached,
    show_retained_by_console,
    show_retained_by_handlers,
    show_retained_by_contexts,
    show_duplicates,
    show_allocated,
    show_context,
    show_shared,
    show_unattributed,
};

_Static_assert(sizeof apply / sizeof *apply + 1 == sizeof ubi__v8_filters / sizeof *ubi__v8_filters, "one each");

ubi_status ubi__v8_filter_apply(uint64_t *shown_bits, const ubi_look *look, const char *name,
                                const ubi_look_options *options) {
    query q = { .bits = shown_bits,
                .n_words = look->graph->n_nodes / 64 + 1,
                .look = look,
                .g = look->graph,
                .options = options,
                .a = options->allocator ? options->allocator : look->allocator };
    for (size_t i = 0; ubi__v8_filters[i].name; i++)
        if (strcmp(ubi__v8_filters[i].name, name) == 0)
            return apply[i](&q);
    return ubi__fail(UBI_EINVAL, "the lens v8 has no filter '%s'", name);
}
