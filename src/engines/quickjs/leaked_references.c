/* SPDX-License-Identifier: MIT
 *
 * leaked_references.c: the report of what is held from outside of a heap.
 *
 * The heap is a graph here, whose root has an edge to the runtime and one to each thing that is held. *Lost* is what leads
 * there from a leak and not from the runtime, which frees its own in the end. What a leak retains is what it dominates: two
 * leaked functions of one realm keep that realm together, and neither retains it.
 */
#include "engines/quickjs/leaked_references.h"

#include <inttypes.h>
#include <stdlib.h>

#include <ubiheap/core/dominators.h>

#include "base/assert.h"
#include "engines/quickjs/symbols_module.h"
#include "tracking/tool_memory.h"

/* A thing with an excess, or that waits for a collection, and what the graph says of it. */
typedef struct leak_row {
    const ubi__held *held;
    ubi_node_ix node; /* UBI_NONE: it waits */
    uint64_t retained_bytes, retained_count;
    uint32_t n_referrers;
    ubi_edge_ix referrers[UBI_QUICKJS_REFERRERS];
} leak_row;

typedef struct survivor_row {
    ubi_text type, name;
    uint64_t count, size_bytes;
} survivor_row;

struct ubi_quickjs_leaks {
    const ubi_allocator *allocator;
    ubi__held_heap heap;
    ubi__leak_purpose purpose;
    leak_row *rows; /* as many as things are held */
    uint32_t n_rows;
    survivor_row *survivors;
    uint32_t n_survivors, survivors_capacity;
    uint64_t lost_count, lost_bytes;
    uint32_t n_waiting;
};

void ubi__held_heap_fini(ubi__held_heap *heap) {
    ubi_graph_unref(heap->graph);
    ubi__tool_free(heap->allocator, heap->held, heap->held_capacity, sizeof *heap->held);
    ubi__tool_free(heap->allocator, heap->unmarked, heap->unmarked_capacity, sizeof *heap->unmarked);
    *heap = (ubi__held_heap){ .allocator = heap->allocator };
}

/* ---- what nodes are called ------------------------------------------------------------------------------------------ */

/* Types that are called by a word of their own. */
static const struct {
    const char *type, *word;
} type_words[] = {
    { "JSString", "string" },
    { "JSStringRope", "string" },
    { "JSStringSlice", "string" },
    { "JSSymbol", "symbol" },
    { "JSBigInt", "big integer" },
    { "JSBigFloat", "big float" },
    { "JSBigDecimal", "big decimal" },
    { "JSFunctionBytecode", "bytecode" },
    { "JSShape", "shape" },
    { "JSVarRef", "closure variable" },
    { "JSAsyncFunctionState", "running async function" },
    { "JSContext", "context" },
    { "JSModuleDef", "module" },
};

static ubi_text words_of(const char *words) {
    return (ubi_text){ words, strlen(words) };
}

static bool texts_are_equal(ubi_text a, ubi_text b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static ubi_text name_of_kind(const ubi_graph *graph, const ubi_kind *kind) {
    ubi_text type = ubi_graph_string(graph, kind->type_name);
    for (size_t i = 0; i < sizeof type_words / sizeof *type_words; i++)
        if (texts_are_equal(type, words_of(type_words[i].type)))
            return words_of(type_words[i].word);
    ubi_text constructor = ubi_graph_string(graph, kind->descriptive_name);
    ubi_text class = ubi_graph_string(graph, kind->class_name);
    bool is_any_function = texts_are_equal(constructor, words_of("Function")); /* the class may say which one */
    return constructor.ptr && !(is_any_function && class.ptr) ? constructor : class.ptr ? class : type;
}

static const ubi_kind *kind_of_node(const ubi_graph *graph, ubi_node_ix node) {
    return ubi_graph_kind(graph, ubi_graph_node_kind(graph, node));
}

/* ---- what leads where ----------------------------------------------------------------------------------------------- */

enum { LED_FROM_RUNTIME = 1, LED_FROM_LEAK = 2 };

/* Working memory: one entry per node. */
typedef struct leak_search {
    ubi_quickjs_leaks *leaks;
    const ubi_graph *graph;
    uint32_t n_nodes;
    uint32_t *row_of; /* of a leak; UBI_NONE: it is not one */
    uint32_t *owner;  /* the row that retains it; UBI_NONE: none */
    uint32_t *queue;
    uint8_t *led; /* bits */
} leak_search;

static void search_fini(leak_search *s) {
    const ubi_allocator *a = s->leaks->allocator;
    ubi__tool_free(a, s->row_of, s->n_nodes, sizeof *s->row_of);
    ubi__tool_free(a, s->owner, s->n_nodes, sizeof *s->owner);
    ubi__tool_free(a, s->queue, s->n_nodes, sizeof *s->queue);
    ubi__tool_free(a, s->led, s->n_nodes, sizeof *s->led);
}

static bool search_init(leak_search *s, ubi_quickjs_leaks *leaks) {
    const ubi_allocator *a = leaks->allocator;
    *s = (leak_search){ .leaks = leaks, .graph = leaks->heap.graph };
    s->n_nodes = ubi_graph_node_count(s->graph);
    s->row_of = ubi__tool_calloc(a, s->n_nodes, sizeof *s->row_of);
    s->owner = ubi__tool_calloc(a, s->n_nodes, sizeof *s->owner);
    s->queue = ubi__tool_calloc(a, s->n_nodes, sizeof *s->queue);
    s->led = ubi__tool_calloc(a, s->n_nodes, sizeof *s->led);
    if (!s->row_of || !s->owner || !s->queue || !s->led)
        return false;
    for (uint32_t i = 0; i < s->n_nodes; i++)
        s->row_of[i] = s->owner[i] = UBI_NONE;
    return true;
}

static void search_find_rows(leak_search *s) {
    for (uint32_t i = 0; i < s->leaks->n_rows; i++) {
        leak_row *row = &s->leaks->rows[i];
        row->held = &s->leaks->heap.held[i];
        row->node = UBI_NONE;
        if (row->held->excess == 0)
            s->leaks->n_waiting++;
        else if (ubi_graph_find(&row->node, s->graph, row->held->id) == UBI_OK)
            s->row_of[row->node] = i;
    }
}

/* Breadth first from the nodes of the queue, which bear the bit already. */
static void search_follow(leak_search *s, uint32_t n_queue, uint8_t bit) {
    for (uint32_t i = 0; i < n_queue; i++) {
        ubi_edge_ix end = ubi_graph_first_edge(s->graph, s->queue[i] + 1);
        for (ubi_edge_ix e = ubi_graph_first_edge(s->graph, s->queue[i]); e < end; e++) {
            ubi_node_ix target = ubi_graph_edge_target(s->graph, e);
            if (s->led[target] & bit)
                continue;
            UBI_ASSERT(n_queue < s->n_nodes);
            s->led[target] |= bit;
            s->queue[n_queue++] = target;
        }
    }
}

static void search_lead(leak_search *s) {
    uint32_t n = 0;
    ubi_node_ix runtime;
    if (ubi_graph_find(&runtime, s->graph, s->leaks->heap.runtime_id) == UBI_OK) {
        s->led[runtime] |= LED_FROM_RUNTIME;
        s->queue[n++] = runtime;
    }
    search_follow(s, n, LED_FROM_RUNTIME);
    n = 0;
    for (ubi_node_ix i = 0; i < s->n_nodes; i++)
        if (s->row_of[i] != UBI_NONE) {
            s->led[i] |= LED_FROM_LEAK;
            s->queue[n++] = i;
        }
    search_follow(s, n, LED_FROM_LEAK);
}

static bool search_is_lost(const leak_search *s, ubi_node_ix node) {
    return s->row_of[node] != UBI_NONE || s->led[node] == LED_FROM_LEAK;
}

/* A row owns what it dominates. An ancestor's owner is looked up once: the way there is kept in the queue. */
static ubi_status search_find_owners(leak_search *s) {
    ubi_dominators_options options = UBI_DOMINATORS_OPTIONS_INIT;
    ubi_view view = ubi_view_of(s->graph);
    ubi_dominators *dominators;
    options.allocator = s->leaks->allocator;
    options.has_no_sets = true;
    options.threads = 1;
    ubi_status status = ubi_dominators_new(&dominators, &view, &options);
    if (status != UBI_OK)
        return status;
    for (ubi_node_ix node = 0; node < s->n_nodes; node++) {
        uint32_t n = 0, owner = UBI_NONE;
        ubi_node_ix at = node;
        while (at != UBI_NONE && s->row_of[at] == UBI_NONE && s->owner[at] == UBI_NONE) {
            s->queue[n++] = at;
            at = ubi_dominators_immediate(dominators, at);
        }
        if (at != UBI_NONE)
            owner = s->row_of[at] != UBI_NONE ? s->row_of[at] : s->owner[at];
        for (uint32_t i = 0; i < n && owner != UBI_NONE; i++)
            s->owner[s->queue[i]] = owner;
        if (n == 0 && s->row_of[node] != UBI_NONE)
            s->owner[node] = s->row_of[node];
    }
    ubi_dominators_free(dominators);
    return UBI_OK;
}

static void search_add_up(leak_search *s) {
    ubi_quickjs_leaks *leaks = s->leaks;
    for (ubi_node_ix i = 0; i < s->n_nodes; i++) {
        uint64_t bytes = ubi_graph_node_size_bytes(s->graph, i);
        if (s->owner[i] != UBI_NONE) {
            leak_row *row = &leaks->rows[UBI_INDEX(s->owner[i], leaks->n_rows)];
            row->retained_bytes += bytes;
            row->retained_count++;
        }
        if (search_is_lost(s, i)) {
            leaks->lost_count++;
            leaks->lost_bytes += bytes;
        }
    }
}

static void search_find_referrers(leak_search *s) {
    ubi_node_ix root = ubi_graph_root(s->graph);
    for (ubi_node_ix i = 0; i < s->n_nodes; i++) {
        ubi_edge_ix end = ubi_graph_first_edge(s->graph, i + 1);
        for (ubi_edge_ix e = ubi_graph_first_edge(s->graph, i); e < end && i != root; e++) {
            uint32_t number = s->row_of[ubi_graph_edge_target(s->graph, e)];
            if (number == UBI_NONE)
                continue;
            leak_row *row = &s->leaks->rows[number];
            if (row->n_referrers < UBI_QUICKJS_REFERRERS)
                row->referrers[row->n_referrers] = e;
            row->n_referrers++;
        }
    }
}

/* ---- survivors by type ---------------------------------------------------------------------------------------------- */

static int order_by_name(const void *a, const void *b) {
    const survivor_row *x = a, *y = b;
    size_t n = x->name.len < y->name.len ? x->name.len : y->name.len;
    int order = n ? memcmp(x->name.ptr, y->name.ptr, n) : 0;
    if (order)
        return order;
    return x->name.len != y->name.len ? (x->name.len < y->name.len ? -1 : 1)
                                      : (int)x->type.len - (int)y->type.len; /* of equal names, "JSObject" is one */
}

static int order_by_bytes(const void *a, const void *b) {
    const survivor_row *x = a, *y = b;
    if (x->size_bytes != y->size_bytes)
        return x->size_bytes > y->size_bytes ? -1 : 1;
    return order_by_name(a, b);
}

static bool survivors_add(ubi_quickjs_leaks *leaks, const survivor_row *row) {
    if (!ubi__tool_reserve(leaks->allocator, (void **)&leaks->survivors, &leaks->survivors_capacity,
                           leaks->n_survivors + 1, sizeof *leaks->survivors))
        return false;
    leaks->survivors[leaks->n_survivors++] = *row;
    return true;
}

/* Kinds that only differ in their file are one. */
static void survivors_merge(ubi_quickjs_leaks *leaks) {
    uint32_t n = 0;
    if (leaks->n_survivors > 1)
        qsort(leaks->survivors, leaks->n_survivors, sizeof *leaks->survivors, order_by_name);
    for (uint32_t i = 0; i < leaks->n_survivors; i++) {
        survivor_row *row = &leaks->survivors[i];
        if (n && order_by_name(&leaks->survivors[n - 1], row) == 0) {
            leaks->survivors[n - 1].count += row->count;
            leaks->survivors[n - 1].size_bytes += row->size_bytes;
        } else {
            leaks->survivors[n++] = *row;
        }
    }
    leaks->n_survivors = n;
    if (n > 1)
        qsort(leaks->survivors, n, sizeof *leaks->survivors, order_by_bytes);
}

static bool search_list_survivors(leak_search *s) {
    uint32_t n_kinds = ubi_graph_kind_count(s->graph);
    survivor_row *of_kind = ubi__tool_calloc(s->leaks->allocator, n_kinds, sizeof *of_kind);
    bool ok = of_kind != NULL;
    for (ubi_node_ix i = 0; ok && i < s->n_nodes; i++)
        if (search_is_lost(s, i)) {
            survivor_row *row = &of_kind[ubi_graph_node_kind(s->graph, i)];
            row->count++;
            row->size_bytes += ubi_graph_node_size_bytes(s->graph, i);
        }
    for (uint32_t k = 0; ok && k < n_kinds; k++) {
        const ubi_kind *kind = ubi_graph_kind(s->graph, k);
        of_kind[k].type = ubi_graph_string(s->graph, kind->type_name);
        of_kind[k].name = name_of_kind(s->graph, kind);
        ok = of_kind[k].count == 0 || survivors_add(s->leaks, &of_kind[k]);
    }
    ubi__tool_free(s->leaks->allocator, of_kind, n_kinds, sizeof *of_kind);
    if (ok)
        survivors_merge(s->leaks);
    return ok;
}

/* Of objects whose data the collector cannot look into, those that survive are of interest. */
static void search_keep_unmarked(leak_search *s) {
    ubi__held_heap *heap = &s->leaks->heap;
    uint32_t n = 0;
    for (uint32_t i = 0; i < heap->n_unmarked; i++) {
        ubi_node_ix node;
        if (ubi_graph_find(&node, s->graph, heap->unmarked[i]) == UBI_OK && search_is_lost(s, node))
            heap->unmarked[n++] = heap->unmarked[i];
    }
    heap->n_unmarked = n;
}

/* ---- a report ------------------------------------------------------------------------------------------------------- */

static int order_of_rows(const void *a, const void *b) {
    const leak_row *x = a, *y = b;
    if (x->retained_bytes != y->retained_bytes)
        return x->retained_bytes > y->retained_bytes ? -1 : 1;
    return x->held->id < y->held->id ? -1 : x->held->id > y->held->id;
}

static void leaks_check(const ubi_quickjs_leaks *leaks) {
    uint64_t count = 0;
    for (uint32_t i = 0; UBI_CHECKS && i < leaks->n_rows; i++) {
        const leak_row *row = &leaks->rows[i];
        UBI_ASSERT((row->node == UBI_NONE) == (row->held->excess == 0));
        UBI_ASSERT(row->node == UBI_NONE || row->retained_count > 0);
        UBI_ASSERT(i == 0 || row[-1].retained_bytes >= row->retained_bytes);
        count += row->retained_count;
    }
    UBI_ASSERT(count <= leaks->lost_count);
}

static ubi_status leaks_search(ubi_quickjs_leaks *leaks) {
    leak_search s;
    ubi_status status = UBI_ENOMEM;
    leaks->n_rows = leaks->heap.n_held;
    leaks->rows = ubi__tool_calloc(leaks->allocator, leaks->n_rows ? leaks->n_rows : 1, sizeof *leaks->rows);
    if (search_init(&s, leaks) && leaks->rows) {
        search_find_rows(&s);
        search_lead(&s);
        status = search_find_owners(&s);
        search_add_up(&s);
        search_find_referrers(&s);
        search_keep_unmarked(&s);
        if (status == UBI_OK && !search_list_survivors(&s))
            status = UBI_ENOMEM;
    }
    search_fini(&s);
    if (status != UBI_OK)
        return ubi_error(UBI_ENOMEM, "no memory to find leaked references of a QuickJS runtime");
    if (leaks->n_rows > 1)
        qsort(leaks->rows, leaks->n_rows, sizeof *leaks->rows, order_of_rows);
    leaks_check(leaks);
    return UBI_OK;
}

ubi_status ubi__leaks_new(ubi_quickjs_leaks **out, ubi__held_heap *heap, const ubi__leak_purpose *purpose) {
    const ubi_allocator *a = heap->allocator;
    ubi_quickjs_leaks *leaks = ubi__tool_calloc(a, 1, sizeof *leaks);
    if (!leaks) {
        ubi__held_heap_fini(heap);
        return ubi_error(UBI_ENOMEM, "no memory to find leaked references of a QuickJS runtime");
    }
    *leaks = (ubi_quickjs_leaks){ .allocator = a, .heap = *heap, .purpose = *purpose };
    ubi_status status = leaks_search(leaks);
    if (status == UBI_OK)
        *out = leaks;
    else
        ubi_quickjs_leaks_free(leaks);
    return status;
}

void ubi_quickjs_leaks_free(ubi_quickjs_leaks *leaks) {
    if (!leaks)
        return;
    const ubi_allocator *a = leaks->allocator;
    if (leaks->purpose.references && !leaks->purpose.names && leaks->n_rows)
        ubi__symbols_module_forget();
    ubi__tool_free(a, leaks->rows, leaks->n_rows ? leaks->n_rows : 1, sizeof *leaks->rows);
    ubi__tool_free(a, leaks->survivors, leaks->survivors_capacity, sizeof *leaks->survivors);
    ubi__held_heap_fini(&leaks->heap);
    ubi__tool_free(a, leaks, 1, sizeof *leaks);
}

uint32_t ubi_quickjs_leaks_count(const ubi_quickjs_leaks *leaks) {
    return leaks->n_rows;
}

ubi_quickjs_leak ubi_quickjs_leaks_at(const ubi_quickjs_leaks *leaks, uint32_t i) {
    const leak_row *row = &leaks->rows[UBI_INDEX(i, leaks->n_rows)];
    const ubi__held *held = row->held;
    ubi_quickjs_leak leak = { .id = held->id,
                              .references = held->references,
                              .excess = held->excess,
                              .size_bytes = held->size_bytes,
                              .retained_bytes = row->retained_bytes,
                              .retained_count = row->retained_count,
                              .referrer_count = row->n_referrers };
    if (row->node != UBI_NONE) {
        const ubi_kind *kind = kind_of_node(leaks->heap.graph, row->node);
        leak.type = ubi_graph_string(leaks->heap.graph, kind->type_name);
        leak.name = name_of_kind(leaks->heap.graph, kind);
    } else {
        leak.type = words_of("JSObject");
        leak.name = words_of("object");
    }
    if (held->contents[0])
        leak.contents = words_of(held->contents);
    if (held->holder[0])
        leak.holder = words_of(held->holder);
    return leak;
}

static ubi_text text_of_edge(const ubi_graph *graph, ubi_edge_ix edge) {
    return ubi_graph_string(graph, ubi_graph_edge_name(graph, edge));
}

ubi_quickjs_referrer ubi_quickjs_leaks_referrer(const ubi_quickjs_leaks *leaks, uint32_t i, uint32_t k) {
    const leak_row *row = &leaks->rows[UBI_INDEX(i, leaks->n_rows)];
    const ubi_graph *graph = leaks->heap.graph;
    ubi_edge_ix edge = row->referrers[UBI_INDEX(k, UBI_QUICKJS_REFERRERS)];
    ubi_node_ix source = ubi_graph_edge_source(graph, edge);
    const ubi_kind *kind = kind_of_node(graph, source);
    return (ubi_quickjs_referrer){ ubi_graph_node_id(graph, source), ubi_graph_string(graph, kind->type_name),
                                   name_of_kind(graph, kind), text_of_edge(graph, edge) };
}

/* ---- who took it ---------------------------------------------------------------------------------------------------- */

#define TAKINGS_KEPT 16

static uint32_t takings_of(const ubi_quickjs_leaks *leaks, uint32_t i, ubi__takings *takings) {
    const leak_row *row = &leaks->rows[UBI_INDEX(i, leaks->n_rows)];
    if (!leaks->purpose.references)
        return 0;
    return ubi__references_of(leaks->purpose.references, (const void *)(uintptr_t)row->held->id, takings, TAKINGS_KEPT);
}

uint32_t ubi_quickjs_leaks_taking_count(const ubi_quickjs_leaks *leaks, uint32_t i) {
    ubi__takings takings[TAKINGS_KEPT];
    return takings_of(leaks, i, takings);
}

static ubi__takings taking_at(const ubi_quickjs_leaks *leaks, uint32_t i, uint32_t k) {
    ubi__takings takings[TAKINGS_KEPT] = { { NULL, 0, 0 } };
    uint32_t n = takings_of(leaks, i, takings);
    UBI_ASSERT(k < n);
    (void)n;
    return takings[UBI_INDEX(k, TAKINGS_KEPT)];
}

ubi_quickjs_taking ubi_quickjs_leaks_taking(const ubi_quickjs_leaks *leaks, uint32_t i, uint32_t k) {
    ubi__takings taking = taking_at(leaks, i, k);
    return (ubi_quickjs_taking){ words_of(taking.how), taking.count };
}

/* The tools' own functions are between those of the engine, and say nothing. */
typedef struct frame_sieve {
    ubi_profiler_name_fn fn;
    void *payload;
} frame_sieve;

static ubi_status frame_sieve_pass(void *payload, ubi_text name) {
    static const char own[] = "ubi__";
    const frame_sieve *sieve = payload;
    bool is_own = name.len >= sizeof own - 1 && memcmp(name.ptr, own, sizeof own - 1) == 0;
    return is_own ? UBI_OK : sieve->fn(sieve->payload, name);
}

ubi_status ubi_quickjs_leaks_taking_frames(const ubi_quickjs_leaks *leaks, uint32_t i, uint32_t k,
                                           ubi_profiler_name_fn fn, void *payload) {
    uint32_t stack = taking_at(leaks, i, k).stack;
    const ubi_native_names *names = leaks->purpose.names ? leaks->purpose.names : ubi__symbols_module();
    frame_sieve sieve = { fn, payload };
    return ubi_native_stacks_frames(ubi__references_stacks(leaks->purpose.references), stack, names, frame_sieve_pass,
                                    &sieve);
}

uint32_t ubi_quickjs_leaks_survivor_count(const ubi_quickjs_leaks *leaks) {
    return leaks->n_survivors;
}

ubi_quickjs_survivors ubi_quickjs_leaks_survivors(const ubi_quickjs_leaks *leaks, uint32_t i) {
    const survivor_row *row = &leaks->survivors[UBI_INDEX(i, leaks->n_survivors)];
    return (ubi_quickjs_survivors){ row->type, row->name, row->count, row->size_bytes };
}

/* ---- as text -------------------------------------------------------------------------------------------------------- */

#define LEAKS_IN_FULL 20
#define SURVIVORS_SHOWN 8
#define REFERRERS_SHOWN 4

static const char *plural(uint64_t n) {
    return n == 1 ? "" : "s";
}

static void write_text(FILE *file, ubi_text text) {
    if (text.ptr)
        fwrite(text.ptr, 1, text.len, file);
}

static void write_referrers(const ubi_quickjs_leaks *leaks, FILE *file, uint32_t i, uint32_t n) {
    for (uint32_t k = 0; k < n && k < REFERRERS_SHOWN; k++) {
        ubi_quickjs_referrer r = ubi_quickjs_leaks_referrer(leaks, i, k);
        char number[UBI_EDGE_LABEL_BYTES];
        ubi_text edge = ubi_graph_edge_label(leaks->heap.graph, leaks->rows[i].referrers[k], number);
        fprintf(file, k == 0 ? "   referred to by " : "                  ");
        write_text(file, r.name);
        fprintf(file, " 0x%" PRIx64, r.id);
        if (edge.ptr)
            fprintf(file, ", as %.*s", (int)(edge.len < 80 ? edge.len : 80), edge.ptr);
        fprintf(file, "\n");
    }
    if (n > REFERRERS_SHOWN)
        fprintf(file, "                  and %u more\n", (unsigned)(n - REFERRERS_SHOWN));
}

/* Frames below main, which started the program, say nothing. */
typedef struct frame_writer {
    FILE *file;
    unsigned n;
    bool is_over;
} frame_writer;

#define FRAMES_SHOWN 16

static ubi_status write_frame(void *payload, ubi_text name) {
    frame_writer *w = payload;
    if (w->is_over)
        return UBI_OK;
    fprintf(w->file, "      %.*s\n", (int)name.len, name.ptr);
    w->is_over = ++w->n == FRAMES_SHOWN || (name.len >= 5 && memcmp(name.ptr, "main ", 5) == 0);
    return UBI_OK;
}

static void write_takings(const ubi_quickjs_leaks *leaks, FILE *file, uint32_t i, const ubi_quickjs_leak *leak) {
    uint64_t count = 0;
    uint32_t n = ubi_quickjs_leaks_taking_count(leaks, i);
    for (uint32_t k = 0; k < n; k++) {
        ubi_quickjs_taking taking = ubi_quickjs_leaks_taking(leaks, i, k);
        frame_writer w = { .file = file };
        count += taking.count;
        fprintf(file, "   taken by %.*s", (int)taking.function.len, taking.function.ptr);
        fprintf(file, taking.count == 1 ? " and not released:\n" : ", %" PRIu64 " times without a release:\n",
                taking.count);
        if (ubi_quickjs_leaks_taking_frames(leaks, i, k, write_frame, &w) != UBI_OK)
            fprintf(file, "      (%s)\n", ubi_error_message());
    }
    if (!leaks->purpose.references || leak->excess == count)
        return;
    if (count < leak->excess)
        fprintf(file,
                "   of %" PRIu64
                " reference%s the taking was not seen: by the engine, or by a source that was compiled without\n"
                "   ubiheap/extension/quickjs_references.h\n",
                leak->excess - count, plural(leak->excess - count));
    else
        fprintf(file, "   only %" PRIu64 " of these %s missing: where others were released was not seen\n",
                leak->excess, leak->excess == 1 ? "is" : "are");
}

static void write_leak(const ubi_quickjs_leaks *leaks, FILE *file, uint32_t i) {
    ubi_quickjs_leak leak = ubi_quickjs_leaks_at(leaks, i);
    fprintf(file, "\n%u. ", (unsigned)i + 1);
    write_text(file, leak.name);
    fprintf(file, leak.contents.ptr ? " " : "");
    write_text(file, leak.contents);
    fprintf(file, "\n   at 0x%" PRIx64 ": ", leak.id);
    if (leak.excess == 0)
        fprintf(file,
                "no reference; a finalizer released it while cycles were freed, so no collection frees it any more\n");
    else if (leak.excess == leak.references)
        fprintf(file, "%" PRIu64 " reference%s, none of them in the heap\n", leak.references, plural(leak.references));
    else
        fprintf(file, "%" PRIu64 " reference%s, %" PRIu64 " of them in the heap: %" PRIu64 " too many\n",
                leak.references, plural(leak.references), leak.references - leak.excess, leak.excess);
    if (leak.holder.ptr)
        fprintf(file, "   held by %.*s\n", (int)leak.holder.len, leak.holder.ptr);
    if (leak.retained_count > 1)
        fprintf(file, "   keeps alive %" PRIu64 " things, %" PRIu64 " bytes\n", leak.retained_count,
                leak.retained_bytes);
    else if (leak.retained_count)
        fprintf(file, "   %" PRIu64 " bytes\n", leak.retained_bytes);
    write_referrers(leaks, file, i, leak.referrer_count);
    write_takings(leaks, file, i, &leak);
}

static void write_survivors(const ubi_quickjs_leaks *leaks, FILE *file) {
    uint64_t count = 0, bytes = 0;
    if (leaks->n_survivors == 0)
        return;
    fprintf(file, leaks->purpose.is_ending ? "\nAll that survives\n" : "\nAll that is kept alive\n");
    for (uint32_t i = 0; i < leaks->n_survivors; i++) {
        const survivor_row *row = &leaks->survivors[i];
        if (i < SURVIVORS_SHOWN)
            fprintf(file, "%10" PRIu64 "  %10" PRIu64 " bytes  %.*s\n", row->count, row->size_bytes, (int)row->name.len,
                    row->name.ptr);
        else {
            count += row->count;
            bytes += row->size_bytes;
        }
    }
    if (count)
        fprintf(file, "%10" PRIu64 "  %10" PRIu64 " bytes  of other types\n", count, bytes);
}

/* What a class without a mark function holds looks as if the program held it. Each class is named once. */
static void write_unmarked(const ubi_quickjs_leaks *leaks, FILE *file) {
    const ubi_graph *graph = leaks->heap.graph;
    ubi_text told[SURVIVORS_SHOWN];
    uint32_t n = 0;
    for (uint32_t i = 0; i < leaks->heap.n_unmarked && n < SURVIVORS_SHOWN; i++) {
        ubi_node_ix node;
        uint32_t k = 0;
        if (ubi_graph_find(&node, graph, leaks->heap.unmarked[i]) != UBI_OK)
            continue;
        ubi_text name = ubi_graph_string(graph, kind_of_node(graph, node)->class_name);
        while (k < n && !texts_are_equal(told[k], name))
            k++;
        if (k == n) {
            fprintf(file, n ? ", %.*s" : "\nAmong it are objects of %.*s", (int)name.len, name.ptr ? name.ptr : "");
            told[n++] = name;
        }
    }
    if (n)
        fprintf(file, ", whose class has a finalizer and no gc_mark function: values in their data\n"
                      "count as held by the program, and cycles through them are never freed.\n");
}

/* What a report without stacks cannot say. */
static void write_limits(const ubi_quickjs_leaks *leaks, FILE *file) {
    const ubi__references *references = leaks->purpose.references;
    if (!references)
        fprintf(
            file,
            "\nWho took these references was not recorded, nor strings that nothing else refers to: see the option\n"
            "`with_references` of ubi_quickjs_report_leaks.\n");
    else if (ubi__references_lost(references))
        fprintf(file, "\nThere was no memory to record %" PRIu64 " events.\n", ubi__references_lost(references));
}

static void write_title(const ubi_quickjs_leaks *leaks, FILE *file) {
    uint32_t n = leaks->n_rows - leaks->n_waiting;
    if (n == 0 && leaks->n_waiting) {
        fprintf(file, "ubiheap: this QuickJS runtime ends with %u thing%s that no collection frees any more\n",
                (unsigned)leaks->n_waiting, plural(leaks->n_waiting));
        return;
    }
    if (leaks->purpose.is_ending)
        fprintf(file, "ubiheap: this QuickJS runtime ends, and the program still holds ");
    else
        fprintf(file, "ubiheap: from outside of the heap of this QuickJS runtime are held ");
    fprintf(file, "%u thing%s, which keep%s %" PRIu64 " alive, %" PRIu64 " bytes\n", (unsigned)n, plural(n),
            n == 1 ? "s" : "", leaks->lost_count, leaks->lost_bytes);
}

void ubi_quickjs_leaks_write(const ubi_quickjs_leaks *leaks, FILE *file, uint32_t max_leaks) {
    uint32_t most = max_leaks ? max_leaks : LEAKS_IN_FULL;
    write_title(leaks, file);
    for (uint32_t i = 0; i < leaks->n_rows && i < most; i++)
        write_leak(leaks, file, i);
    if (leaks->n_rows > most)
        fprintf(file, "\nand %u more\n", (unsigned)(leaks->n_rows - most));
    write_survivors(leaks, file);
    write_unmarked(leaks, file);
    write_limits(leaks, file);
    fflush(file);
}
