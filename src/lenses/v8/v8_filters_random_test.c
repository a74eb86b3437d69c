/* SPDX-License-Identifier: MIT
 *
 * v8_filters_random_test.c: DevTools' filters, statistics and native contexts of random graphs against slow and obvious
 * programs that were written from the rules: whatever changes something is done until nothing changes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/native_contexts.h>
#include <ubiheap/statistics.h>

#include "fail_allocator.h"
#include "lenses/v8/v8_look.h"
#include "random_v8_heap.h"

enum { MAX_NODES = 64, N_ROUNDS = 4000 };

typedef struct plain {
    const ubi_graph *g;
    const ubi_lens_view *look;
    uint32_t n;
    uint32_t distance[MAX_NODES];
    bool marked[MAX_NODES]; /* nodes to keep away from */
    bool reached[MAX_NODES];
    bool passes[MAX_NODES];
} plain;

static bool name_is(const plain *p, ubi_node_ix node, const char *name) {
    return ubi__text_is(ubi__v8_node_raw_name(p->look, node), name);
}

static bool name_starts(const plain *p, ubi_node_ix node, const char *start) {
    ubi_text name = ubi__v8_node_raw_name(p->look, node);
    return name.len >= strlen(start) && memcmp(name.ptr, start, strlen(start)) == 0;
}

static ubi_text label_of(const plain *p, ubi_edge_ix e, char buffer[UBI_EDGE_LABEL_BYTES]) {
    return ubi_graph_edge_label(p->g, e, buffer);
}

/* ---- retained by ... --------------------------------------------------------------------------------------------- */

static bool is_console_edge(const plain *p, ubi_node_ix source, ubi_edge_ix e) {
    static const char end[] = " / DevTools console";
    ubi_text name = ubi_graph_string(p->g, ubi_graph_edge_name(p->g, e));
    return ubi__v8_node_type(p->look, source) == UBI__V8_SYNTHETIC && name.ptr && name.len >= strlen(end) &&
           memcmp(name.ptr + name.len - strlen(end), end, strlen(end)) == 0;
}

static bool reach_more(plain *p, bool no_console) {
    bool changed = false;
    for (ubi_node_ix node = 0; node < p->n; node++)
        for (ubi_edge_ix e = ubi_graph_first_edge(p->g, node); e < ubi_graph_first_edge(p->g, node + 1); e++) {
            ubi_node_ix target = ubi_graph_edge_target(p->g, e);
            if (!p->reached[node] || p->reached[target] || p->marked[target] ||
                ubi_graph_edge_kind(p->g, e) == UBI_EDGE_WEAK || (no_console && is_console_edge(p, node, e)))
                continue;
            p->reached[target] = changed = true;
        }
    return changed;
}

static void pass_retained(plain *p, bool no_console) {
    p->reached[ubi_graph_root(p->g)] = true;
    while (reach_more(p, no_console))
        ;
    for (ubi_node_ix node = 0; node < p->n; node++)
        p->passes[node] = p->distance[node] != UBI_NONE && !p->reached[node];
}

static void plain_detached(plain *p) {
    for (ubi_node_ix node = 0; node < p->n; node++)
        p->marked[node] = ubi_lens_detachedness(p->look, node) == UBI_DETACHED;
    pass_retained(p, false);
}

static void plain_console(plain *p) {
    pass_retained(p, true);
}

static void plain_contexts(plain *p) {
    for (ubi_node_ix node = 0; node < p->n; node++)
        p->marked[node] = name_is(p, node, "system / Context") || name_starts(p, node, "system / Context / ");
    pass_retained(p, false);
}

static bool label_is(const plain *p, ubi_edge_ix e, const char *label) {
    char buffer[UBI_EDGE_LABEL_BYTES];
    ubi_text text = label_of(p, e, buffer);
    if (ubi_graph_edge_kind(p->g, e) == UBI_EDGE_SHORTCUT && text.len == 2 && memcmp(text.ptr, "01", 2) == 0)
        text = ubi__text("1");
    /* the other shortcut names of the pool that begin with a number */
    if (ubi_graph_edge_kind(p->g, e) == UBI_EDGE_SHORTCUT && text.len > 2 && text.ptr[0] == '1')
        text = ubi__text("1");
    return ubi__text_is(text, label);
}

static ubi_node_ix child(const plain *p, ubi_node_ix node, const char *label) {
    for (ubi_edge_ix e = ubi_graph_first_edge(p->g, node); e < ubi_graph_first_edge(p->g, node + 1); e++)
        if (label_is(p, e, label))
            return ubi_graph_edge_target(p->g, e);
    return UBI_NONE;
}

static void plain_handlers(plain *p) {
    for (ubi_node_ix node = 0; node < p->n; node++) {
        ubi_node_ix callback = name_is(p, node, "V8EventListener") ? child(p, node, "1") : UBI_NONE, found = callback;
        if (callback == UBI_NONE)
            continue;
        bool done = child(p, callback, "code") != UBI_NONE;
        for (ubi_edge_ix e = ubi_graph_first_edge(p->g, callback);
             !done && e < ubi_graph_first_edge(p->g, callback + 1); e++) {
            done = child(p, ubi_graph_edge_target(p->g, e), "code") != UBI_NONE;
            found = done ? ubi_graph_edge_target(p->g, e) : found;
        }
        p->marked[found] = true;
    }
    pass_retained(p, false);
}

/* ---- duplicates -------------------------------------------------------------------------------------------------- */

static ubi_node_ix field(const plain *p, ubi_node_ix node, const char *name) {
    for (ubi_edge_ix e = ubi_graph_first_edge(p->g, node); e < ubi_graph_first_edge(p->g, node + 1); e++)
        if (ubi_graph_edge_kind(p->g, e) == UBI_EDGE_INTERNAL &&
            ubi__text_is(ubi_graph_string(p->g, ubi_graph_edge_name(p->g, e)), name))
            return ubi_graph_edge_target(p->g, e);
    return UBI_NONE;
}

static bool is_text(const plain *p, ubi_node_ix node) {
    ubi_lens_name_buffer buffer;
    ubi__v8_type type = ubi__v8_node_type(p->look, node);
    if ((type != UBI__V8_STRING && type != UBI__V8_CONS_STRING) || ubi_lens_size_bytes(p->look, node) == 0)
        return false;
    for (ubi_edge_ix e = ubi_graph_first_edge(p->g, node); e < ubi_graph_first_edge(p->g, node + 1); e++) {
        ubi_text name = ubi_graph_string(p->g, ubi_graph_edge_name(p->g, e));
        bool is_half = type == UBI__V8_CONS_STRING && ubi_graph_edge_kind(p->g, e) == UBI_EDGE_INTERNAL &&
                       (ubi__text_is(name, "first") || ubi__text_is(name, "second"));
        if (is_half && ubi_lens_display_name(p->look, ubi_graph_edge_target(p->g, e), &buffer).len == 0)
            return false;
    }
    return true;
}

static void plain_duplicates(plain *p) {
    for (ubi_node_ix a = 0; a < p->n; a++)
        for (ubi_node_ix b = 0; b < p->n; b++) {
            ubi_lens_name_buffer first, second;
            if (a != b && is_text(p, a) && is_text(p, b) &&
                ubi__text_equal(ubi_lens_display_name(p->look, a, &first), ubi_lens_display_name(p->look, b, &second)))
                p->passes[a] = true;
        }
}

/* ---- native contexts --------------------------------------------------------------------------------------------- */

enum { NOBODY = -1, SHARED = -2 };

static bool is_native_context(const plain *p, ubi_node_ix node) {
    return name_is(p, node, "system / NativeContext") || name_starts(p, node, "system / NativeContext / ") ||
           name_is(p, node, "Detached system / NativeContext") ||
           name_starts(p, node, "Detached system / NativeContext / ");
}

static int owner_by_map(const plain *p, ubi_node_ix node) {
    ubi_node_ix map = field(p, node, "map"), maps_map = map == UBI_NONE ? UBI_NONE : field(p, map, "map");
    for (ubi_edge_ix e = maps_map == UBI_NONE ? 1 : ubi_graph_first_edge(p->g, maps_map);
         e < (maps_map == UBI_NONE ? 0 : ubi_graph_first_edge(p->g, maps_map + 1)); e++)
        if (ubi_graph_edge_kind(p->g, e) == UBI_EDGE_INTERNAL &&
            ubi__text_is(ubi_graph_string(p->g, ubi_graph_edge_name(p->g, e)), "native_context") &&
            is_native_context(p, ubi_graph_edge_target(p->g, e)))
            return (int)ubi_graph_edge_target(p->g, e);
    return NOBODY;
}

static bool pass_owners_on(const plain *p, int *owner, const bool *fixed) {
    bool changed = false;
    for (ubi_node_ix node = 0; node < p->n; node++)
        for (ubi_edge_ix e = ubi_graph_first_edge(p->g, node); e < ubi_graph_first_edge(p->g, node + 1); e++) {
            ubi_node_ix target = ubi_graph_edge_target(p->g, e);
            ubi_edge_kind kind = ubi_graph_edge_kind(p->g, e);
            if (owner[node] == NOBODY || fixed[target] || kind == UBI_EDGE_WEAK || kind == UBI_EDGE_SHORTCUT)
                continue;
            int now = owner[target] == NOBODY || owner[target] == owner[node] ? owner[node] : SHARED;
            changed |= now != owner[target];
            owner[target] = now;
        }
    return changed;
}

static void plain_owners(const plain *p, int *owner) {
    bool fixed[MAX_NODES];
    for (ubi_node_ix node = 0; node < p->n; node++) {
        owner[node] = is_native_context(p, node) ? (int)node : owner_by_map(p, node);
        fixed[node] = owner[node] != NOBODY;
    }
    while (pass_owners_on(p, owner, fixed))
        ;
}

static void compare_contexts(const plain *p) {
    int owner[MAX_NODES];
    uint64_t shared_bytes = 0, other_bytes = 0, sums[MAX_NODES] = { 0 };
    ubi_native_contexts *contexts;
    plain_owners(p, owner);
    assert_int_equal(ubi_native_contexts_new(&contexts, p->look, NULL, NULL), UBI_OK);
    for (ubi_node_ix node = 0; node < p->n; node++) {
        uint32_t ours = ubi_native_contexts_of(contexts, node);
        uint64_t size_bytes = ubi_lens_size_bytes(p->look, node);
        if (owner[node] < 0) {
            assert_int_equal(ours, owner[node] == SHARED ? UBI_NATIVE_CONTEXT_SHARED : UBI_NATIVE_CONTEXT_NONE);
            *(owner[node] == SHARED ? &shared_bytes : &other_bytes) += size_bytes;
        } else {
            assert_int_equal(ubi_native_contexts_at(contexts, ours)->node, owner[node]);
            sums[owner[node]] += size_bytes;
        }
    }
    assert_int_equal(ubi_native_contexts_shared_bytes(contexts), shared_bytes);
    assert_int_equal(ubi_native_contexts_unattributed_bytes(contexts), other_bytes);
    for (uint32_t i = 0; i < ubi_native_contexts_count(contexts); i++) {
        const ubi_native_context *row = ubi_native_contexts_at(contexts, i);
        assert_int_equal(row->attributed_bytes, sums[row->node]);
        assert_int_equal(row->size_bytes, ubi_lens_size_bytes(p->look, row->node));
    }
    ubi_native_contexts_free(contexts);
}

/* Nodes of one native context, picked at random; those of no context if there is none. */
static void plain_attributed(plain *p, const char **filter, ubi_lens_options *options) {
    int owner[MAX_NODES], wanted = random_below(2) ? SHARED : NOBODY;
    ubi_node_ix start = random_below(p->n);
    plain_owners(p, owner);
    for (uint32_t i = 0; i < p->n && random_below(8); i++)
        if (is_native_context(p, (start + i) % p->n))
            wanted = (int)((start + i) % p->n);
    *filter = wanted == SHARED ? "shared-contexts" : wanted == NOBODY ? "no-context" : "native-context";
    options->id_upto = wanted >= 0 ? ubi_graph_node_id(p->g, (ubi_node_ix)wanted) : 0;
    for (ubi_node_ix node = 0; node < p->n; node++)
        p->passes[node] = owner[node] == wanted;
}

/* ---- statistics -------------------------------------------------------------------------------------------------- */

static uint32_t count_retainers(const plain *p, ubi_node_ix node) {
    uint32_t n = 0;
    for (ubi_edge_ix e = 0; e < ubi_graph_edge_count(p->g); e++)
        n += ubi_graph_edge_target(p->g, e) == node;
    return n;
}

static void compare_statistics(const plain *p) {
    uint64_t code = 0, strings = 0, arrays = 0, typed = 0, system = 0, native = ubi_lens_outside_bytes(p->look),
             total = native;
    ubi_statistics s;
    for (ubi_node_ix node = 0; node < p->n; node++) {
        uint64_t size_bytes = ubi_lens_size_bytes(p->look, node);
        ubi__v8_type type = ubi__v8_node_type(p->look, node);
        ubi_node_ix store = name_is(p, node, "Array") ? field(p, node, "elements") : UBI_NONE;
        total += size_bytes;
        if (type == UBI__V8_HIDDEN)
            system += size_bytes;
        else if (type == UBI__V8_NATIVE)
            native += size_bytes;
        else if (type == UBI__V8_CODE)
            code += size_bytes;
        else if (type == UBI__V8_STRING || type == UBI__V8_CONS_STRING || type == UBI__V8_SLICED_STRING)
            strings += size_bytes;
        else if (name_is(p, node, "Array"))
            arrays += size_bytes +
                      (store != UBI_NONE && count_retainers(p, store) == 1 ? ubi_lens_size_bytes(p->look, store) : 0);
        typed += type == UBI__V8_NATIVE && name_is(p, node, "system / JSArrayBufferData") ? size_bytes : 0;
    }
    assert_int_equal(ubi_statistics_compute(&s, p->look, NULL), UBI_OK);
    const uint64_t expected[] = { code, strings, arrays, typed, system };
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(s.parts[i].size_bytes, expected[i]);
    assert_int_equal(s.total_bytes, total);
    assert_int_equal(s.native_bytes, native);
    uint64_t known = code + strings + arrays + system + native;
    assert_int_equal(s.parts[5].size_bytes, known < total ? total - known : 0);
    assert_int_equal(s.parts[6].size_bytes, native - typed);
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

typedef struct heap {
    ubi_graph *graph;
    ubi_lens_view *look;
} heap;

static heap heap_open(uint64_t seed) {
    heap h;
    random_start(seed);
    h.graph = random_v8_heap(MAX_NODES);
    assert_int_equal(ubi_lens_open(&h.look, ubi_lens_find("v8"), h.graph, NULL), UBI_OK);
    return h;
}

static void heap_close(heap *h) {
    ubi_lens_close(h->look);
    ubi_graph_unref(h->graph);
}

static plain plain_of(const heap *h) {
    plain p = { .g = h->graph, .look = h->look, .n = ubi_graph_node_count(h->graph) };
    assert_int_equal(ubi_lens_distances(p.distance, h->look), UBI_OK);
    return p;
}

static void assert_passing(const plain *p, const char *filter, const ubi_lens_options *options) {
    uint64_t bits[MAX_NODES / 64 + 1];
    assert_int_equal(ubi_lens_filter_apply(bits, p->look, filter, options), UBI_OK);
    for (ubi_node_ix node = 0; node < p->n; node++)
        assert_int_equal(bits[node / 64] >> (node % 64) & 1, p->passes[node]);
}

static void compare_filter(const char *filter, void (*slow)(plain *p)) {
    uint32_t n_passing = 0;
    for (uint64_t seed = 0; seed < N_ROUNDS; seed++) {
        heap h = heap_open(seed);
        plain p = plain_of(&h);
        slow(&p);
        assert_passing(&p, filter, NULL);
        for (ubi_node_ix node = 0; node < p.n; node++)
            n_passing += p.passes[node];
        heap_close(&h);
    }
    assert_true(n_passing > N_ROUNDS / 10); /* else it tests nothing */
}

static void what_detached_nodes_retain(void **state) {
    (void)state;
    compare_filter("detached-dom", plain_detached);
}

static void what_the_console_retains(void **state) {
    (void)state;
    compare_filter("console", plain_console);
}

static void what_contexts_retain(void **state) {
    (void)state;
    compare_filter("contexts", plain_contexts);
}

static void what_event_handlers_retain(void **state) {
    (void)state;
    compare_filter("event-handlers", plain_handlers);
}

static void strings_of_one_text(void **state) {
    (void)state;
    compare_filter("duplicate-strings", plain_duplicates);
}

static void statistics_and_native_contexts(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < N_ROUNDS; seed++) {
        heap h = heap_open(seed);
        plain p = plain_of(&h);
        ubi_lens_options options = UBI_LENS_OPTIONS_INIT;
        const char *filter;
        compare_statistics(&p);
        compare_contexts(&p);
        plain_attributed(&p, &filter, &options);
        assert_passing(&p, filter, &options);
        heap_close(&h);
    }
}

static void ids_of_a_span(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        heap h = heap_open(seed);
        plain p = plain_of(&h);
        ubi_lens_options options = UBI_LENS_OPTIONS_INIT;
        options.id_above = random_below(1024);
        options.id_upto = random_below(1024);
        for (ubi_node_ix node = 0; node < p.n; node++) {
            uint64_t id = ubi_graph_node_id(p.g, node);
            p.passes[node] = id > options.id_above && id <= options.id_upto;
        }
        assert_passing(&p, "allocated", &options);
        heap_close(&h);
    }
}

/* ---- names, failures --------------------------------------------------------------------------------------------- */

static void a_look_opened_with_a_filter_shows_the_same(void **state) {
    (void)state;
    for (const ubi_lens_filter *f = ubi_lens_filters(ubi_lens_find("v8")); f->name; f++) {
        heap h = heap_open(7);
        ubi_lens_options options = UBI_LENS_OPTIONS_INIT;
        ubi_lens_view *filtered;
        uint64_t bits[MAX_NODES / 64 + 1];
        options.filter = f->name;
        options.id_upto = 900;
        ubi_status status = ubi_lens_filter_apply(bits, h.look, f->name, &options);
        assert_int_equal(ubi_lens_open(&filtered, ubi_lens_find("v8"), h.graph, &options), status);
        for (ubi_node_ix node = 0; status == UBI_OK && node < h.graph->n_nodes; node++)
            assert_int_equal(ubi_lens_shows(filtered, node), bits[node / 64] >> (node % 64) & 1);
        if (status == UBI_OK)
            ubi_lens_close(filtered);
        heap_close(&h);
    }
}

static void unknown_filters_and_contexts_are_refused(void **state) {
    (void)state;
    heap h = heap_open(7);
    uint64_t bits[MAX_NODES / 64 + 1];
    ubi_lens_options options = UBI_LENS_OPTIONS_INIT;
    options.id_upto = 1u << 30;
    assert_int_equal(ubi_lens_filter_apply(bits, h.look, "nothing", NULL), UBI_EINVAL);
    assert_int_equal(ubi_lens_filter_apply(bits, h.look, NULL, NULL), UBI_EINVAL);
    assert_int_equal(ubi_lens_filter_apply(bits, h.look, "native-context", &options), UBI_EINVAL);
    ubi_lens_view *other;
    assert_int_equal(ubi_lens_open(&other, ubi_lens_find("firefox"), h.graph, NULL), UBI_OK);
    assert_int_equal(ubi_lens_filter_apply(bits, other, "console", NULL), UBI_EINVAL);
    ubi_lens_close(other);
    heap_close(&h);
}

typedef struct work {
    const ubi_lens_view *look;
    const char *filter; /* NULL: statistics and contexts */
} work;

static ubi_status apply(void *payload, const ubi_allocator *allocator) {
    const work *w = payload;
    uint64_t bits[MAX_NODES / 64 + 1];
    ubi_lens_options options = UBI_LENS_OPTIONS_INIT;
    ubi_statistics_options statistics_options = UBI_STATISTICS_OPTIONS_INIT;
    ubi_native_contexts_options context_options = UBI_NATIVE_CONTEXTS_OPTIONS_INIT;
    ubi_native_contexts *contexts;
    ubi_statistics statistics;
    options.allocator = statistics_options.allocator = context_options.allocator = allocator;
    if (w->filter)
        return ubi_lens_filter_apply(bits, w->look, w->filter, &options);
    UBI_TRY(ubi_statistics_compute(&statistics, w->look, &statistics_options));
    UBI_TRY(ubi_native_contexts_new(&contexts, w->look, NULL, &context_options));
    ubi_native_contexts_free(contexts);
    return UBI_OK;
}

static void every_failed_allocation_has_a_way_out(void **state) {
    (void)state;
    heap h = heap_open(11);
    work w = { .look = h.look };
    fail_each_allocation(apply, &w);
    for (const ubi_lens_filter *f = ubi_lens_filters(ubi_lens_find("v8")); f->name; f++) {
        w.filter = strcmp(f->name, "native-context") == 0 ? NULL : f->name;
        fail_each_allocation(apply, &w);
    }
    heap_close(&h);
}

static bool refuse(void *payload, const char *stage, uint64_t done, uint64_t total) {
    (void)stage, (void)done, (void)total;
    ++*(int *)payload;
    return false;
}

static void all_of_it_can_be_cancelled(void **state) {
    (void)state;
    heap h = heap_open(11);
    int n_asked = 0;
    uint64_t bits[MAX_NODES / 64 + 1];
    ubi_lens_options options = UBI_LENS_OPTIONS_INIT;
    ubi_statistics_options statistics_options = UBI_STATISTICS_OPTIONS_INIT;
    ubi_statistics statistics;
    options.progress = statistics_options.progress = (ubi_progress){ refuse, &n_asked };
    for (const ubi_lens_filter *f = ubi_lens_filters(ubi_lens_find("v8")); f->name; f++) {
        int before = n_asked;
        ubi_status status = ubi_lens_filter_apply(bits, h.look, f->name, &options);
        assert_true(n_asked == before || status == UBI_ECANCELLED);
    }
    assert_true(n_asked >= 5);
    assert_int_equal(ubi_statistics_compute(&statistics, h.look, &statistics_options), UBI_ECANCELLED);
    heap_close(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_detached_nodes_retain),
        cmocka_unit_test(what_the_console_retains),
        cmocka_unit_test(what_contexts_retain),
        cmocka_unit_test(what_event_handlers_retain),
        cmocka_unit_test(strings_of_one_text),
        cmocka_unit_test(statistics_and_native_contexts),
        cmocka_unit_test(ids_of_a_span),
        cmocka_unit_test(a_look_opened_with_a_filter_shows_the_same),
        cmocka_unit_test(unknown_filters_and_contexts_are_refused),
        cmocka_unit_test(every_failed_allocation_has_a_way_out),
        cmocka_unit_test(all_of_it_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
