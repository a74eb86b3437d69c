/* SPDX-License-Identifier: MIT
 *
 * Leaks of small random heaps against a slow and obvious search: which nodes are candidates, which of these are outermost,
 * what is kept by them alone, and that clusters account for all of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/core/leaks.h>

#include "base/text.h"
#include "name_scheme.h"
#include "random_numbers.h"

enum { N_IDS = 24, N_NAMES = 4, ROOT_ID = 1000, MOST_PAST = 5 };

/* Nodes of a few ids, the same class for an id mostly; all have edges from the root or each other. */
static ubi_graph *random_graph(uint32_t present) {
    static const char *const names[N_NAMES] = { "A", "B7", "C", "D12" };
    ubi_graph_builder *b;
    ubi_graph *graph;
    ubi_node_desc node = { .id = ROOT_ID, .stack = UBI_NONE };
    node.kind = (ubi_kind){ .type_name = 0,
                            .class_name = UBI_NONE,
                            .script_filename = UBI_NONE,
                            .descriptive_name = UBI_NONE,
                            .coarse_type = UBI_COARSE_OTHER };
    assert_int_equal(ubi_graph_builder_new(&b, NULL), UBI_OK);
    for (ubi_str_ix i = 0; i < N_NAMES; i++)
        assert_int_equal(ubi_graph_builder_string(b, &i, ubi__text(names[i])), UBI_OK);
    for (uint32_t id = N_IDS + 1; id-- > 0;) {
        if (id < N_IDS && !(present >> id & 1))
            continue;
        if (id < N_IDS) {
            node.id = id;
            node.size_bytes = 1 + random_below(9);
            node.kind.type_name = random_below(12) ? id % N_NAMES : random_below(N_NAMES);
            node.kind.coarse_type = random_below(4) ? UBI_COARSE_OBJECT : UBI_COARSE_OTHER;
        }
        assert_int_equal(ubi_graph_builder_node(b, &node), UBI_OK);
        for (uint32_t n = random_below(4) + (id == N_IDS); n > 0; n--) {
            uint32_t target = random_below(N_IDS);
            if (present >> target & 1)
                assert_int_equal(ubi_graph_builder_edge(b, target, random_below(3) ? random_below(N_NAMES) : UBI_NONE),
                                 UBI_OK);
        }
    }
    assert_int_equal(ubi_graph_builder_finish(&graph, b), UBI_OK);
    ubi_graph_builder_free(b);
    return graph;
}

typedef struct scene {
    ubi_graph *past[MOST_PAST], *newest; /* of one, there is no NEW beside OLD */
    uint32_t n_past;
    bool may_reuse_ids;
    bool is_candidate[N_IDS + 1], is_reached[N_IDS + 1], is_around[N_IDS + 1]; /* by node */
} scene;

static ubi_text class_text(const ubi_graph *g, ubi_node_ix node) {
    return ubi_graph_string(g, ubi_graph_kind(g, ubi_graph_node_kind(g, node))->type_name);
}

static bool counts(const ubi_graph *g, ubi_node_ix node) {
    return ubi_graph_is_reachable(g, node) && (node != ubi_graph_root(g) || ubi_graph_root_has_retainer(g));
}

static bool was_there(const scene *s, const ubi_graph *past, ubi_node_ix node) {
    ubi_node_ix before;
    if (ubi_graph_find(&before, past, ubi_graph_node_id(s->newest, node)) != UBI_OK)
        return false;
    if (!s->may_reuse_ids)
        return true;
    ubi_coarse_type a = ubi_graph_kind(past, ubi_graph_node_kind(past, before))->coarse_type,
                    b = ubi_graph_kind(s->newest, ubi_graph_node_kind(s->newest, node))->coarse_type;
    bool same = a == b && ubi__text_equal(class_text(past, before), class_text(s->newest, node));
    return counts(past, before) == counts(s->newest, node) && (!counts(past, before) || same);
}

static void spread(bool *met, const scene *s, ubi_node_ix node, bool around) {
    if (met[node] || (around && s->is_candidate[node]))
        return;
    met[node] = true;
    for (ubi_edge_ix e = ubi_graph_first_edge(s->newest, node); e < ubi_graph_first_edge(s->newest, node + 1); e++)
        spread(met, s, ubi_graph_edge_target(s->newest, e), around);
}

static void look(scene *s) {
    ubi_node_ix root = ubi_graph_root(s->newest);
    const ubi_graph *old = s->past[0], *new = s->n_past > 1 ? s->past[s->n_past - 1] : NULL;
    for (ubi_node_ix n = 0; n < ubi_graph_node_count(s->newest); n++)
        s->is_candidate[n] =
            n != root && counts(s->newest, n) && !was_there(s, old, n) && (!new || was_there(s, new, n)) &&
            ubi_graph_kind(s->newest, ubi_graph_node_kind(s->newest, n))->coarse_type == UBI_COARSE_OBJECT;
    spread(s->is_reached, s, root, false);
    spread(s->is_around, s, root, true);
}

static ubi_leaks *find(const scene *s) {
    ubi_view view = ubi_view_of(s->newest);
    ubi_class_scheme classes = name_scheme(s->newest);
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    ubi_leak_finder *finder;
    ubi_leaks *leaks;
    options.may_reuse_ids = s->may_reuse_ids;
    assert_int_equal(ubi_leak_finder_new(&finder, &view, &classes, &options), UBI_OK);
    for (uint32_t step = 0; step < s->n_past; step++) {
        ubi_class_scheme past = name_scheme(s->past[step]);
        assert_int_equal(ubi_leak_finder_compare(finder, step, &past), UBI_OK);
    }
    assert_int_equal(ubi_leak_finder_run(&leaks, finder), UBI_OK);
    ubi_leak_finder_free(finder);
    return leaks;
}

/* ---- what must hold ----------------------------------------------------------------------------------------------- */

/* The way to a node passes no candidate, unless all ways do; it follows edges of the graph from the root on. */
static void check_path(const scene *s, const ubi_leaks *leaks, ubi_node_ix node) {
    ubi_path_step steps[N_IDS + 1];
    uint32_t n = ubi_leaks_path_length(leaks, node);
    bool outermost = false;
    assert_true(n > 0 && n <= N_IDS);
    ubi_leaks_path(steps, leaks, node);
    assert_int_equal(steps[0].predecessor, ubi_graph_root(s->newest));
    for (uint32_t i = 0; i < n; i++) {
        ubi_node_ix next = i + 1 < n ? steps[i + 1].predecessor : node;
        assert_int_equal(ubi_graph_edge_target(s->newest, steps[i].edge), next);
        assert_int_equal(ubi_graph_edge_source(s->newest, steps[i].edge), steps[i].predecessor);
    }
    for (ubi_node_ix p = 0; p < ubi_graph_node_count(s->newest); p++)
        for (ubi_edge_ix e = ubi_graph_first_edge(s->newest, p);
             s->is_around[p] && e < ubi_graph_first_edge(s->newest, p + 1); e++)
            outermost |= ubi_graph_edge_target(s->newest, e) == node;
    for (uint32_t i = 0; outermost && i < n; i++)
        assert_false(s->is_candidate[steps[i].predecessor]);
}

static void check_holder(const scene *s, const ubi_leak_cluster *c) {
    if (c->holder == UBI_NONE)
        return;
    const ubi_kind *kind = ubi_graph_kind(s->newest, ubi_graph_node_kind(s->newest, c->holder));
    assert_int_equal(kind->coarse_type, UBI_COARSE_OBJECT);
    assert_int_equal(c->is_holder_new, !was_there(s, s->past[0], c->holder));
    assert_true(c->n_holders >= 1);
}

static uint32_t first_step(const scene *s, ubi_node_ix node) {
    uint32_t step = 0;
    while (step < s->n_past && !was_there(s, s->past[step], node))
        step++;
    return step;
}

static uint64_t count_class(const ubi_graph *g, const ubi_class *class) {
    uint64_t n = 0;
    for (ubi_node_ix v = 0; v < ubi_graph_node_count(g); v++)
        n += counts(g, v) && ubi_graph_kind(g, ubi_graph_node_kind(g, v))->coarse_type == class->coarse_type &&
             ubi__text_equal(class_text(g, v), class->name);
    return n;
}

/* What leaked came with the steps before the last; its class is counted in each heap. */
static void check_curve(const scene *s, const ubi_leak_cluster *c) {
    uint64_t came = 0;
    uint32_t n_leaking = s->n_past > 1 ? s->n_past - 1 : 1, n_grew = 0;
    for (uint32_t step = 0; step < n_leaking; step++)
        came += c->came[step];
    assert_int_equal(came, c->leaked.count);
    assert_true(c->came[first_step(s, c->example) - 1] > 0);
    for (uint32_t heap = 0; heap < s->n_past; heap++)
        assert_int_equal(c->class_counts[heap], count_class(s->past[heap], &c->class_name));
    assert_int_equal(c->class_counts[s->n_past], count_class(s->newest, &c->class_name));
    for (uint32_t step = 0; step < s->n_past; step++) {
        n_grew += c->grew[step];
        assert_true(!c->grew[step] || c->came[step]);
    }
    assert_int_equal(c->n_grew, n_grew);
}

static uint64_t check_clusters(const scene *s, const ubi_leaks *leaks) {
    uint64_t retained = 0, expected = 0, n = 0, n_expected = 0, n_retained = 0, n_kept = 0;
    for (uint32_t i = 0; i < ubi_leaks_count(leaks); i++) {
        const ubi_leak_cluster *c = ubi_leaks_cluster(leaks, i);
        assert_true(s->is_candidate[c->example]);
        assert_true(ubi__text_equal(class_text(s->newest, c->example), c->class_name.name));
        check_path(s, leaks, c->example);
        check_holder(s, c);
        check_curve(s, c);
        retained += c->retained_bytes;
        n_kept += c->n_retained;
        n += c->leaked.count;
        for (uint32_t p = 0; p < c->n_parts; p++)
            n += c->parts[p].tally.count;
        assert_true(c->retained_bytes >= c->leaked.bytes);
    }
    for (ubi_node_ix v = 0; v < ubi_graph_node_count(s->newest); v++) {
        bool kept = s->is_reached[v] && !s->is_around[v] && !was_there(s, s->past[0], v);
        expected += kept ? ubi_graph_node_size_bytes(s->newest, v) : 0;
        n_retained += kept;
        n_expected += s->is_candidate[v];
    }
    assert_int_equal(retained, expected);
    assert_int_equal(n_kept, n_retained);
    assert_true(n <= n_expected && (n == n_expected || N_NAMES > UBI_LEAK_PARTS)); /* a cluster names three others */
    return n_expected;
}

static void check_sums(const scene *s, const ubi_leaks *leaks) {
    const ubi_leak_summary *sum = ubi_leaks_summary(leaks);
    uint64_t retained = 0, count = 0;
    for (uint32_t i = 0; i < ubi_leaks_count(leaks); i++) {
        const ubi_leak_cluster *c = ubi_leaks_cluster(leaks, i);
        assert_int_equal(ubi_leak_verdict_is_leak(c->verdict), i < sum->n_clusters);
        if (i < sum->n_clusters)
            retained += c->retained_bytes;
    }
    assert_int_equal(sum->retained_bytes, retained);
    for (ubi_node_ix v = 0; v < ubi_graph_node_count(s->newest); v++)
        count += counts(s->newest, v);
    assert_int_equal(sum->heap[2].count, count);
}

static void clusters_account_for_all_that_leaked(void **state) {
    (void)state;
    uint64_t n_leaked = 0;
    unsigned n_rounds = random_cases(9000);
    for (unsigned round = 0; round < n_rounds; round++) {
        random_start(round);
        scene s = { .may_reuse_ids = random_below(2) };
        uint32_t present = random_below(UINT32_C(1) << N_IDS);
        s.past[s.n_past++] = random_graph(present & random_below(UINT32_C(1) << N_IDS));
        for (uint32_t more = random_below(2) * random_below(MOST_PAST - 1); more > 0; more--)
            s.past[s.n_past++] = random_graph(present & random_below(UINT32_C(1) << N_IDS));
        if (random_below(2))
            s.past[s.n_past++] = random_graph(present & ~(UINT32_C(1) << random_below(N_IDS)));
        s.newest = random_graph(present);
        look(&s);
        ubi_leaks *leaks = find(&s);
        n_leaked += check_clusters(&s, leaks);
        check_sums(&s, leaks);
        ubi_leaks_free(leaks);
        for (uint32_t step = 0; step < s.n_past; step++)
            ubi_graph_unref(s.past[step]);
        ubi_graph_unref(s.newest);
    }
    assert_true(n_leaked > n_rounds * 2 / 3); /* the test would not say much otherwise */
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(clusters_account_for_all_that_leaked) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
