/* SPDX-License-Identifier: MIT
 *
 * census.c: taking a census.
 *
 *     rows (graph columns | live walk) -> cells -> report -> ids of its buckets, in a second pass if there are any
 */
#include "analyses/census/report.h"

#include <ubiheap/core/marker.h>

#include <inttypes.h>
#include <string.h>

#include "analyses/census/breakdown.h"
#include "analyses/census/census_cells.h"
#include "analyses/census/census_members.h"
#include "analyses/census/census_tables.h"
#include "analyses/census/report_walk.h"
#include "base/u64_map.h"
#include "graph/graph_columns.h"

/* ==== TAKING A CENSUS =========================================================================================== */

/* Progress is reported, and cancelling possible, each time this many nodes are done. */
#define NODES_PER_STEP (1u << 20)

typedef struct job {
    const ubi_allocator *allocator;
    ubi_census *census; /* in the making; NULL once handed over */
    ubi_census_options options;
    ubi__cells cells;
    ubi__bucket_claims claims;
} job;

/* ---- counting a graph -------------------------------------------------------------------------------------------- */

static const uint64_t *sizes_of(const job *j, const ubi_graph *g) {
    return j->options.size_bytes ? j->options.size_bytes : g->size_bytes.at;
}

static ubi__census_rows rows_of(const job *j, const ubi_graph *g, ubi_node_ix begin, ubi_node_ix end) {
    return (ubi__census_rows){
        .id = g->id.at + begin,
        .size_bytes = sizes_of(j, g) + begin,
        .kind = g->kind.at + begin,
        .stack = g->stack.n ? g->stack.at + begin : NULL,
        .n = end - begin,
    };
}

static ubi_status add_range(job *j, const ubi_graph *g, ubi_node_ix begin, ubi_node_ix end) {
    ubi__census_rows rows = rows_of(j, g, begin, end);
    return ubi__cells_add(&j->cells, &rows);
}

/** Which of the nodes 64w to 64w+63 count: those reached, and the root only if an edge leads to it. */
static uint64_t counted_word(const ubi_graph *g, uint32_t w) {
    uint64_t bits = g->reachable.n ? g->reachable.at[w] : UINT64_MAX;
    uint32_t left = g->n_nodes - w * 64;
    if (left < 64)
        bits &= (UINT64_C(1) << left) - 1;
    if (w == g->root / 64 && g->root_visit_rank == UBI_NONE)
        bits &= ~(UINT64_C(1) << g->root % 64);
    return bits;
}

/** Counts the runs of set bits of one word. */
static ubi_status add_word(job *j, const ubi_graph *g, uint32_t w, uint64_t bits) {
    while (bits) {
        uint32_t start = (uint32_t)__builtin_ctzll(bits), n = (uint32_t)__builtin_ctzll(~(bits >> start));
        UBI_TRY(add_range(j, g, w * 64 + start, w * 64 + start + n));
        bits &= ~(((UINT64_C(1) << n) - 1) << start);
    }
    return UBI_OK;
}

/** Words [begin, end): full ones, nearly always all of them, are counted in one go. */
static ubi_status add_words(job *j, const ubi_graph *g, uint32_t begin, uint32_t end) {
    for (uint32_t w = begin; w < end;) {
        uint32_t full = w;
        while (full < end && counted_word(g, full) == UINT64_MAX)
            full++;
        if (full > w)
            UBI_TRY(add_range(j, g, w * 64, full * 64));
        if (full < end)
            UBI_TRY(add_word(j, g, full, counted_word(g, full)));
        w = full + 1;
    }
    return UBI_OK;
}

static ubi_status count_graph(job *j, const ubi_graph *g) {
    UBI_TRY(ubi__cells_reserve_kinds(&j->cells, (uint32_t)g->kinds.rows.n));
    uint32_t n_words = (uint32_t)(((uint64_t)g->n_nodes + 63) / 64), step = NODES_PER_STEP / 64;
    for (uint32_t w = 0; w < n_words; w += step) {
        if (!ubi__progress(&j->options.progress, "counting", (uint64_t)w * 64, g->n_nodes))
            return ubi__fail_cancelled();
        UBI_TRY(add_words(j, g, w, n_words - w < step ? n_words : w + step));
    }
    return UBI_OK;
}

/* ---- buckets ----------------------------------------------------------------------------------------------------- */

/** Bucket claims of each cell: claims[first[c] .. first[c + 1]). Built by counting, as they are sorted by cell. */
static ubi_status index_claims(const job *j, uint64_t **out) {
    uint32_t n_cells = ubi__cells_count(&j->cells);
    uint64_t *first = ubi__calloc_array(j->allocator, (size_t)n_cells + 1, sizeof *first);
    if (!first)
        return ubi__fail_nomem();
    for (size_t i = 0; i < j->claims.n; i++)
        first[(j->claims.at[i] >> 32) + 1]++;
    for (uint32_t c = 0; c < n_cells; c++)
        first[c + 1] += first[c];
    UBI_ASSERT(first[n_cells] == j->claims.n);
    *out = first;
    return UBI_OK;
}

/** Gives each bucket its place in `ids`; its `n`, known from its cells, becomes the number of ids put in so far. */
static ubi_status place_buckets(ubi_census *census) {
    uint64_t total = 0;
    for (size_t i = 0; i < census->reports.n; i++) {
        ubi_report *report = &census->reports.at[i];
        if (report->breakdown->by != UBI_BY_BUCKET)
            continue;
        report->first = total;
        report->n = 0;
        total += report->count;
    }
    UBI_TRY(ubi__vec_u64_reserve(&census->ids, census->allocator, total));
    census->ids.n = total;
    return UBI_OK;
}

static void put_id(job *j, const uint64_t *first_claim, uint32_t cell, uint64_t id) {
    for (uint64_t i = first_claim[cell]; i < first_claim[cell + 1]; i++) {
        ubi_report *bucket = &j->census->reports.at[(uint32_t)j->claims.at[i]];
        UBI_ASSERT(bucket->n < bucket->count);
        j->census->ids.at[bucket->first + bucket->n++] = id;
    }
}

static ubi_status fill_from_graph(job *j, const ubi_graph *g, const uint64_t *first_claim) {
    uint32_t n = ubi_graph_visit_count(g);
    ubi_node_ix *order = ubi__alloc_array(j->allocator, n, sizeof *order);
    if (n && !order)
        return ubi__fail_nomem();
    ubi_status status = ubi_graph_visit_order(order, g);
    for (uint32_t i = 0; status == UBI_OK && i < n; i++) {
        if (i % NODES_PER_STEP == 0 && !ubi__progress(&j->options.progress, "listing", i, n))
            status = ubi__fail_cancelled();
        uint32_t cell = ubi__cells_find(&j->cells, g->kind.at[order[i]], ubi__graph_stack(g, order[i]));
        put_id(j, first_claim, cell, g->id.at[order[i]]);
    }
    ubi__free_array(j->allocator, order, n, sizeof *order);
    return status;
}

static void fill_from_visits(job *j, const ubi__census_visits *visits, const uint64_t *first_claim) {
    for (size_t i = 0; i < visits->id.n; i++)
        put_id(j, first_claim, ubi__cells_find(&j->cells, visits->kind.at[i], visits->stack.at[i]), visits->id.at[i]);
}

/** `single`: only this node was counted, it is cell 0; UBI_NONE: all were. */
static ubi_status fill_buckets(job *j, ubi_node_ix single) {
    uint64_t *first_claim = NULL;
    UBI_TRY(place_buckets(j->census));
    UBI_TRY(index_claims(j, &first_claim));
    ubi_status status = UBI_OK;
    const ubi_graph *g = j->census->graph;
    if (!g)
        fill_from_visits(j, &j->census->live.visits, first_claim);
    else if (single != UBI_NONE)
        put_id(j, first_claim, 0, g->id.at[single]);
    else
        status = fill_from_graph(j, g, first_claim);
    ubi__free_array(j->allocator, first_claim, (size_t)ubi__cells_count(&j->cells) + 1, sizeof *first_claim);
    return status;
}

/* ---- a census from its options to its report --------------------------------------------------------------------- */

static ubi_status check_options(ubi_census_options *out, const ubi_census_options *options) {
    static const ubi_census_options defaults = UBI_CENSUS_OPTIONS_INIT;
    if (options)
        UBI_TRY(ubi__version_check(options->version, UBI_CENSUS_OPTIONS_VERSION, "ubi_census_options"));
    *out = options ? *options : defaults;
    return UBI_OK;
}

/* Sums of the entries of the report at `at`. */
static void assert_entries(const ubi_census *census, size_t at) {
    const ubi_report *report = &census->reports.at[at];
    uint64_t count = 0, bytes = 0;
    bool is_array = report->breakdown->by == UBI_BY_ARRAY;
    UBI_ASSERT(report->first + report->n <= census->entries.n);
    for (uint64_t i = report->first; i < report->first + report->n; i++) {
        const ubi__report_entry *entry = &census->entries.at[i];
        UBI_ASSERT(entry->report > at && entry->report < census->reports.n);
        const ubi_report *part = &census->reports.at[entry->report];
        UBI_ASSERT(part->census == census && part->breakdown->tree == report->breakdown->tree);
        UBI_ASSERT(!is_array || (part->count == report->count && part->bytes == report->bytes));
        count += part->count;
        bytes += part->bytes;
    }
    bool is_lossy = census->compat == UBI_COMPAT_FIREFOX;
    UBI_ASSERT(is_array || (is_lossy ? count <= report->count : count == report->count && bytes == report->bytes));
}

void ubi__census_check(const ubi_census *census) {
    UBI_ASSERT(census->reports.at[0].breakdown == census->breakdown);
    UBI_ASSERT(census->reports.at[0].count == census->node_count && census->reports.at[0].bytes == census->size_bytes);
    uint64_t n_ids = 0;
    for (size_t i = 0; UBI_CHECKS && i < census->reports.n; i++) {
        const ubi_report *report = &census->reports.at[i];
        if (report->breakdown->by == UBI_BY_BUCKET) {
            UBI_ASSERT(report->first == n_ids && report->n == report->count);
            n_ids += report->n;
        } else if (report->breakdown->by != UBI_BY_COUNT) {
            assert_entries(census, i);
        }
    }
    UBI_ASSERT(!UBI_CHECKS || n_ids == census->ids.n);
}

void ubi_census_free(ubi_census *census) {
    if (!census)
        return;
    const ubi_allocator *a = census->allocator;
    ubi_breakdown_unref(census->breakdown);
    ubi_graph_unref(census->graph);
    ubi__census_live_fini(&census->live);
    ubi__vec_report_fini(&census->reports, a);
    ubi__vec_entry_fini(&census->entries, a);
    ubi__vec_u64_fini(&census->ids, a);
    UBI_DELETE(a, census);
}

static void job_fini(job *j) {
    ubi__vec_u64_fini(&j->claims, j->allocator);
    ubi__cells_fini(&j->cells);
    ubi_census_free(j->census);
}

/** `graph` NULL: of a live heap. On failure there is nothing to free. */
static ubi_status census_new(ubi_census **out, const ubi_graph *graph, const ubi_breakdown *breakdown,
                             const ubi_census_options *options, const ubi_allocator *a) {
    ubi_census *census = UBI_NEW(a, ubi_census);
    if (!census)
        return ubi__fail_nomem();
    census->allocator = a;
    census->compat = options->compat;
    census->must_have_names = options->must_have_names || options->compat == UBI_COMPAT_FIREFOX;
    ubi__census_live_init(&census->live, a);
    ubi_status status = ubi__breakdown_or_default(&census->breakdown, breakdown, a);
    if (status != UBI_OK) {
        ubi_census_free(census);
        return status;
    }
    if (graph) {
        census->graph = ubi_graph_ref((ubi_graph *)graph); /* only the reference count changes */
        census->tables = ubi__census_tables_of(&graph->strings, &graph->kinds, &graph->frames, census->compat);
    }
    *out = census;
    return UBI_OK;
}

static ubi_status job_init(job *j, const ubi_graph *graph, const ubi_breakdown *breakdown,
                           const ubi_census_options *options) {
    *j = (job){ 0 };
    UBI_TRY(check_options(&j->options, options));
    j->allocator = ubi__allocator_or_default(j->options.allocator);
    UBI_TRY(census_new(&j->census, graph, breakdown, &j->options, j->allocator));
    ubi__cells_init(&j->cells, j->allocator, ubi__breakdown_mentions(j->census->breakdown, UBI_BY_ALLOCATION_STACK));
    return UBI_OK;
}

static bool lists_ids(const job *j) {
    return ubi__breakdown_mentions(j->census->breakdown, UBI_BY_BUCKET);
}

/** Rows are counted: makes the report and hands the census over. */
static ubi_status job_finish(ubi_census **out, job *j, ubi_node_ix single) {
    ubi_census *census = j->census;
    UBI_TRY(ubi__report_build(census, &j->cells, &j->claims));
    if (lists_ids(j))
        UBI_TRY(fill_buckets(j, single));
    ubi__vec_report_trim(&census->reports, census->allocator);
    ubi__vec_entry_trim(&census->entries, census->allocator);
    ubi__census_check(census);
    *out = census;
    j->census = NULL;
    return UBI_OK;
}

ubi_status ubi_census_take(ubi_census **out, const ubi_graph *graph, const ubi_breakdown *breakdown,
                           const ubi_census_options *options) {
    UBI_AUTO_GLOBAL_TIMELINE_MARKER("ubiheap::Census");
    job j;
    UBI_TRY(job_init(&j, graph, breakdown, options));
    ubi_status status = count_graph(&j, graph);
    if (status == UBI_OK)
        status = job_finish(out, &j, UBI_NONE);
    job_fini(&j);
    return status;
}

static ubi_status take_live(ubi_census **out, job *j, ubi_node root) {
    ubi_census *census = j->census;
    UBI_TRY(ubi__census_live_count(&census->live, &j->cells, root, lists_ids(j), &j->options));
    UBI_TRY(ubi__census_live_finish(&census->live));
    census->tables =
        ubi__census_tables_of(&census->live.strings, &census->live.kinds, &census->live.frames, census->compat);
    UBI_TRY(job_finish(out, j, UBI_NONE));
    ubi__census_live_drop_visits(&census->live);
    return UBI_OK;
}

ubi_status ubi_census_take_live(ubi_census **out, ubi_node root, const ubi_breakdown *breakdown,
                                const ubi_census_options *options) {
    job j;
    UBI_TRY(job_init(&j, NULL, breakdown, options));
    ubi_status status = take_live(out, &j, root);
    job_fini(&j);
    return status;
}

ubi_status ubi_census_describe(ubi_census **out, const ubi_graph *graph, uint64_t node_id,
                               const ubi_breakdown *breakdown, const ubi_census_options *options) {
    ubi_node_ix node;
    UBI_TRY(ubi_graph_find(&node, graph, node_id));
    job j;
    UBI_TRY(job_init(&j, graph, breakdown, options));
    ubi_status status = ubi__cells_add_single(&j.cells, graph->kind.at[node], ubi__graph_stack(graph, node), node_id,
                                              sizes_of(&j, graph)[node]);
    if (status == UBI_OK)
        status = job_finish(out, &j, node);
    job_fini(&j);
    return status;
}

/* ==== INDIVIDUALS =============================================================================================== */

/*
 * The nodes that the leaves of a report count.
 *
 * The same census is taken again with buckets instead of counts. Both reports have the same structure and order,
 * so the index of a leaf, counted in walking order, names the same group in both.
 *
 * Source: mozilla-central devtools/shared/heapsnapshot/CensusUtils.js, getCensusIndividuals.
 */

UBI_VEC_DECLARE(vec_leaf, const ubi_report *);

typedef struct picker {
    const ubi_allocator *allocator;
    ubi__u64_map wanted; /* leaf index -> 1 */
    uint64_t next_index;
    vec_leaf found; /* in report order */
} picker;

static void picker_fini(picker *p) {
    ubi__u64_map_fini(&p->wanted);
    vec_leaf_fini(&p->found, p->allocator);
}

static ubi_status enter_leaf(void *payload, const ubi_report *report, const ubi_report_key *edge) {
    picker *p = payload;
    (void)edge;
    uint64_t index = p->next_index++;
    if (ubi__u64_map_get(&p->wanted, index) == UBI_NONE)
        return UBI_OK;
    if (ubi_report_shape_of(report) != UBI_REPORT_BUCKET)
        return ubi__fail(UBI_ENOTFOUND, "%" PRIu64 " is a group of the report, not a leaf", index);
    return vec_leaf_push(&p->found, p->allocator, report);
}

static ubi_status leave_leaf(void *payload, const ubi_report *report) {
    (void)payload, (void)report;
    return UBI_OK;
}

static ubi_status pick_leaves(picker *p, const ubi_census *census, ubi_compat compat, const uint32_t *leaves,
                              uint32_t n_leaves) {
    static const ubi__report_visitor visitor = { enter_leaf, leave_leaf };
    for (uint32_t i = 0; i < n_leaves; i++)
        UBI_TRY(ubi__u64_map_put(&p->wanted, leaves[i], 1));
    UBI_TRY(ubi__report_walk(ubi_census_report(census), compat, &visitor, p));
    for (uint32_t i = 0; p->found.n < p->wanted.table.n && i < n_leaves; i++)
        if (leaves[i] >= p->next_index)
            return ubi__fail(UBI_ENOTFOUND, "the report has no leaf %" PRIu32 ", its last index is %" PRIu64, leaves[i],
                             p->next_index - 1);
    return UBI_OK;
}

/* The breakdown with buckets where it counts. */
static ubi_status buckets_of(ubi_breakdown **out, const ubi_breakdown *breakdown, const ubi_allocator *allocator) {
    ubi_breakdown *counts = NULL;
    UBI_TRY(ubi__breakdown_or_default(&counts, breakdown, allocator));
    ubi_status status = ubi__breakdown_count_to_bucket(out, counts, allocator);
    ubi_breakdown_unref(counts);
    return status;
}

static ubi_status take_buckets(ubi_census **out, const ubi_graph *graph, const ubi_breakdown *breakdown,
                               const ubi_census_options *options, const ubi_allocator *allocator) {
    ubi_breakdown *buckets = NULL;
    UBI_TRY(buckets_of(&buckets, breakdown, allocator));
    ubi_status status = ubi_census_take(out, graph, buckets, options);
    ubi_breakdown_unref(buckets);
    return status;
}

/** All ids of the leaves that were found, in one block of exactly their size: ubi_individuals_free knows only that. */
static ubi_status join_buckets(uint64_t **out, uint64_t *n, const picker *p) {
    uint64_t total = 0, part, filled = 0;
    for (size_t i = 0; i < p->found.n; i++) {
        ubi_report_bucket(p->found.at[i], &part);
        total += part;
    }
    uint64_t *ids = ubi__alloc_array(p->allocator, total, sizeof *ids);
    if (total && !ids)
        return ubi__fail_nomem();
    for (size_t i = 0; i < p->found.n; i++, filled += part) {
        const uint64_t *from = ubi_report_bucket(p->found.at[i], &part);
        if (part)
            memcpy(ids + filled, from, part * sizeof *ids);
    }
    UBI_ASSERT(filled == total && p->found.n <= p->wanted.table.n);
    *out = ids;
    *n = total;
    return UBI_OK;
}

ubi_status ubi_census_individuals(uint64_t **out, uint64_t *n, const ubi_graph *graph, const ubi_breakdown *breakdown,
                                  const uint32_t *leaves, uint32_t n_leaves, const ubi_census_options *options) {
    ubi_census *census = NULL;
    picker p = { .allocator = ubi__allocator_or_default(options ? options->allocator : NULL) };
    UBI_TRY(take_buckets(&census, graph, breakdown, options, p.allocator));
    ubi__u64_map_init(&p.wanted, p.allocator);
    ubi_status status = pick_leaves(&p, census, options ? options->compat : UBI_COMPAT_NONE, leaves, n_leaves);
    if (status == UBI_OK)
        status = join_buckets(out, n, &p);
    picker_fini(&p);
    ubi_census_free(census);
    return status;
}

/*
 * Without ids: the report says which cells a leaf counts, and a cell is found from a node's kind and stack. So the buckets need not be
 * filled, nor the graph walked for the order of what is in them.
 */

/* Of the reports in `found`: what they count. `out`: of each cell, whether it is. */
static ubi_status wanted_cells(bool *out, const job *j, const vec_leaf *found) {
    size_t n_reports = j->census->reports.n;
    bool *is_wanted = ubi__calloc_array(j->allocator, n_reports, sizeof *is_wanted);
    if (!is_wanted)
        return ubi__fail_nomem();
    for (size_t i = 0; i < found->n; i++)
        is_wanted[found->at[i] - j->census->reports.at] = true;
    for (size_t i = 0; i < j->claims.n; i++)
        out[j->claims.at[i] >> 32] |= is_wanted[(uint32_t)j->claims.at[i]];
    ubi__free_array(j->allocator, is_wanted, n_reports, sizeof *is_wanted);
    return UBI_OK;
}

static ubi_status list_word(ubi__vec_u32 *out, const job *j, const ubi_graph *g, uint32_t w, const bool *is_wanted) {
    UBI_TRY(ubi__vec_u32_reserve(out, j->allocator, 64));
    for (uint64_t bits = counted_word(g, w); bits; bits &= bits - 1) {
        ubi_node_ix node = w * 64 + (uint32_t)__builtin_ctzll(bits);
        if (is_wanted[ubi__cells_find(&j->cells, g->kind.at[node], ubi__graph_stack(g, node))])
            out->at[out->n++] = node;
    }
    return UBI_OK;
}

static ubi_status list_members(ubi__vec_u32 *out, const job *j, const ubi_graph *g, const vec_leaf *found) {
    uint32_t n_cells = ubi__cells_count(&j->cells), n_words = (uint32_t)(((uint64_t)g->n_nodes + 63) / 64);
    bool *is_wanted = ubi__calloc_array(j->allocator, n_cells, sizeof *is_wanted);
    if (n_cells && !is_wanted)
        return ubi__fail_nomem();
    ubi_status status = wanted_cells(is_wanted, j, found);
    for (uint32_t w = 0; status == UBI_OK && w < n_words; w++) {
        if (w % (NODES_PER_STEP / 64) == 0 &&
            !ubi__progress(&j->options.progress, "listing", (uint64_t)w * 64, g->n_nodes))
            status = ubi__fail_cancelled();
        else
            status = list_word(out, j, g, w, is_wanted);
    }
    ubi__free_array(j->allocator, is_wanted, n_cells, sizeof *is_wanted);
    return status;
}

static ubi_status job_list(ubi__vec_u32 *out, job *j, const ubi_graph *g, const uint32_t *leaves, uint32_t n_leaves) {
    picker p = { .allocator = j->allocator };
    UBI_TRY(count_graph(j, g));
    UBI_TRY(ubi__report_build(j->census, &j->cells, &j->claims));
    ubi__u64_map_init(&p.wanted, p.allocator);
    ubi_status status = pick_leaves(&p, j->census, j->options.compat, leaves, n_leaves);
    if (status == UBI_OK)
        status = list_members(out, j, g, &p.found);
    picker_fini(&p);
    return status;
}

ubi_status ubi__census_members(ubi__vec_u32 *out, const ubi_graph *graph, const ubi_breakdown *breakdown,
                               const uint32_t *leaves, uint32_t n_leaves, const ubi_census_options *options) {
    ubi_breakdown *buckets = NULL;
    job j;
    UBI_TRY(buckets_of(&buckets, breakdown, ubi__allocator_or_default(options ? options->allocator : NULL)));
    ubi_status status = job_init(&j, graph, buckets, options);
    if (status == UBI_OK) {
        status = job_list(out, &j, graph, leaves, n_leaves);
        job_fini(&j);
    }
    ubi_breakdown_unref(buckets);
    return status;
}

void ubi_individuals_free(uint64_t *ids, uint64_t n, const ubi_allocator *allocator) {
    ubi__free_array(ubi__allocator_or_default(allocator), ids, n, sizeof *ids);
}
