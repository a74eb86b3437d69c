/* SPDX-License-Identifier: MIT
 *
 * leaks_fuzz.c: leaks in series of two to eight hostile heaps, whose ids mean whatever they mean.
 *
 * Promises checked: leaks come first and are what the summary counts; nothing leaked twice, and no more than there is; every example
 * has a path of edges of the graph; of each heap of the series it is said how it fits, and those of one process have each a place in
 * time; what became larger was there before; a control by the same heaps leaves no cluster that grew; all memory is given back.
 */
#include <ubiheap/core/leaks.h>

#include "fail_allocator.h"
#include "fuzz_heaps.h"
#include "name_scheme.h"

#define STEPS_MOST 4096
#define HEAPS_MOST 8

/* The newest is the last. */
typedef struct series {
    ubi_graph *heaps[HEAPS_MOST];
    uint32_t n;
} series;

static series series_new(fuzz_producer producer, uint32_t n) {
    series s = { .n = n };
    for (uint32_t i = 0; i < n; i++)
        s.heaps[(i + n - 1) % n] = fuzz_heap(producer);
    return s;
}

static ubi_status series_compare(ubi_leaks **out, const series *s, const ubi_leak_options *options) {
    ubi_view view = ubi_view_of(s->heaps[s->n - 1]);
    ubi_class_scheme classes = name_scheme(s->heaps[s->n - 1]);
    ubi_leak_finder *finder;
    ubi_status status = ubi_leak_finder_new(&finder, &view, &classes, options);
    if (status != UBI_OK)
        return status;
    for (uint32_t i = 0; i + 1 < s->n && status == UBI_OK; i++) {
        ubi_class_scheme past = name_scheme(s->heaps[i]);
        status = ubi_leak_finder_compare(finder, i, &past);
    }
    if (status == UBI_OK)
        status = ubi_leak_finder_run(out, finder);
    ubi_leak_finder_free(finder);
    return status;
}

static void check_path(const ubi_graph *g, const ubi_leaks *leaks, ubi_node_ix node) {
    static ubi_path_step steps[STEPS_MOST];
    uint32_t n = ubi_leaks_path_length(leaks, node);
    require(n <= STEPS_MOST && n <= ubi_graph_node_count(g), "a path of too many steps");
    ubi_leaks_path(steps, leaks, node);
    for (uint32_t i = 0; i < n; i++)
        require(ubi_graph_edge_target(g, steps[i].edge) == (i + 1 < n ? steps[i + 1].predecessor : node),
                "an edge that leads elsewhere");
}

static void leaks_check(const ubi_graph *g, const ubi_leaks *leaks) {
    const ubi_leak_summary *all = ubi_leaks_summary(leaks);
    uint64_t leaked = 0, retained = 0, n_leaks = 0;
    for (uint32_t i = 0; i < ubi_leaks_count(leaks); i++) {
        const ubi_leak_cluster *c = ubi_leaks_cluster(leaks, i);
        bool is_leak = ubi_leak_verdict_is_leak(c->verdict);
        require(is_leak == (i < all->n_clusters), "leaks do not come first");
        require(c->example < ubi_graph_node_count(g) && !ubi_leaks_was_there(leaks, c->example),
                "the example is not a new node");
        require(c->leaked.count >= 1 && c->n_retained >= c->leaked.count, "a cluster without leaked objects");
        require(c->holder == UBI_NONE || c->holder < ubi_graph_node_count(g), "a holder that is not there");
        require(c->n_parts <= UBI_LEAK_PARTS, "too many parts");
        check_path(g, leaks, c->example);
        n_leaks += is_leak;
        leaked += is_leak ? c->leaked.count : 0;
        retained += is_leak ? c->retained_bytes : 0;
    }
    require(n_leaks == all->n_clusters && leaked <= ubi_graph_node_count(g), "more leaked than there is");
    require(retained == all->retained_bytes, "the summary keeps other bytes");
    require(all->n_common_same <= all->n_common, "more in equal classes than in common");
}

/* Heaps of the newest one's process are in an order; it says nothing of others. */
static void check_series(const series *s, const ubi_leaks *leaks) {
    bool is_taken[HEAPS_MOST] = { false };
    uint32_t n_ranked = 0;
    require(ubi_leaks_heap_count(leaks) == s->n, "another number of heaps");
    for (uint32_t i = 0; i < s->n; i++) {
        const ubi_leak_heap *heap = ubi_leaks_heap(leaks, i);
        require(heap->fit <= ubi_leaks_fit(leaks), "a heap that fits worse than all");
        require(heap->tally.count <= ubi_graph_node_count(s->heaps[i]), "more nodes than the heap has");
        require(heap->n_common_same <= heap->n_common && heap->n_texts_same <= heap->n_texts, "more equal than common");
        if (heap->fit == UBI_LEAK_OTHER_PROCESS)
            continue;
        require(heap->rank < s->n && !is_taken[heap->rank], "two heaps at one place");
        is_taken[heap->rank] = true;
        n_ranked++;
    }
    for (uint32_t i = 0; i < n_ranked; i++)
        require(is_taken[i], "a place without a heap");
    require(ubi_leaks_heap(leaks, s->n - 1)->fit != UBI_LEAK_OTHER_PROCESS, "the newest heap of another process");
}

static void check_trends(const series *s, const ubi_leaks *leaks) {
    for (uint32_t i = 0; i < ubi_leaks_trend_count(leaks); i++) {
        ubi_leak_trend trend;
        uint32_t n_rises = 0;
        ubi_leaks_trend(&trend, leaks, i);
        for (uint32_t step = 1; step < s->n; step++)
            n_rises += trend.at_heap[step].count > trend.at_heap[step - 1].count;
        require(trend.at_heap[s->n - 1].count > trend.at_heap[0].count, "a class that did not grow");
        require(n_rises == trend.n_rises && n_rises > 0, "a class that rose with other steps");
    }
}

/* What became larger was there before, has a path, and leaks come first. */
static void check_grown(const series *s, const ubi_leaks *leaks) {
    const ubi_graph *g = s->heaps[s->n - 1];
    bool leaks_over = false;
    for (uint32_t i = 0; i < ubi_leaks_grown_count(leaks); i++) {
        const ubi_leak_grown *grown = ubi_leaks_grown(leaks, i);
        require(grown->node < ubi_graph_node_count(g) && ubi_leaks_was_there(leaks, grown->node),
                "a new object that grew");
        require(grown->content == UBI_NONE || (grown->is_by_contents && !ubi_leaks_was_there(leaks, grown->content)),
                "a content that is not new");
        require(grown->bytes[s->n - 1] > grown->bytes[0] &&
                    grown->bytes[s->n - 1] - grown->bytes[0] == grown->grown_bytes,
                "an object that did not grow");
        require(grown->n_grew > 0 && grown->n_grew < s->n, "growth with no step");
        require(grown->is_counted == ubi_leak_verdict_is_leak(grown->verdict), "another verdict counts");
        require(!(leaks_over && grown->is_counted), "leaks do not come first");
        leaks_over = leaks_over || !grown->is_counted;
        check_path(g, leaks, grown->node);
        if (grown->content != UBI_NONE)
            check_path(g, leaks, grown->content);
    }
}

static void compare_with_control(const series *s, const ubi_leaks *leaks, ubi_leak_options options) {
    ubi_leak_control *control;
    ubi_leaks *controlled;
    require(ubi_leak_control_new(&control, leaks) == UBI_OK, "no control");
    options.control = control;
    require(series_compare(&controlled, s, &options) == UBI_OK, "no leaks with a control");
    for (uint32_t i = 0; i < ubi_leaks_count(controlled); i++) {
        ubi_leak_verdict verdict = ubi_leaks_cluster(controlled, i)->verdict;
        require(!ubi_leak_verdict_is_leak(verdict), "a leak that the control has, too");
    }
    for (uint32_t i = 0; i < ubi_leaks_grown_count(controlled); i++)
        require(ubi_leaks_grown(controlled, i)->verdict == UBI_LEAK_CONTROLLED, "growth that the control has, too");
    ubi_leaks_free(controlled);
    ubi_leak_control_free(control);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    feeder f = { data, size };
    fail_allocator counter;
    ubi_leaks *leaks;
    fuzz_producer producer = fuzz_take(&f) % FUZZ_PRODUCERS;
    uint8_t flags = fuzz_take(&f);
    fuzz_heaps_start(&f);
    series s = series_new(producer, 2 + (flags & 1) + (flags >> 4) % (HEAPS_MOST - 2));
    fail_allocator_init(&counter, FAIL_ALLOCATOR_NEVER);
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    options.allocator = &counter.allocator;
    options.threads = flags & 2 ? 1 : 2;
    options.with_engine = flags & 4;
    options.may_reuse_ids = flags & 8;
    require(series_compare(&leaks, &s, &options) == UBI_OK, "no leaks");
    leaks_check(s.heaps[s.n - 1], leaks);
    check_series(&s, leaks);
    check_trends(&s, leaks);
    check_grown(&s, leaks);
    compare_with_control(&s, leaks, options);
    ubi_leaks_free(leaks);
    fail_allocator_fini(&counter);
    for (uint32_t i = 0; i < s.n; i++)
        ubi_graph_unref(s.heaps[i]);
    return 0;
}
