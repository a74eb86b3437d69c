/* SPDX-License-Identifier: MIT
 *
 * leaks_document.c: what a program holds on to, as JSON, short enough for a script or a log.
 */
#include "base/human.h"
#include "base/status.h"
#include "base/text.h"
#include "graph/graph_columns.h"
#include "lenses/producer.h"
#include "questions/leaks/leaks_answer.h"
#include "render/result_json.h"

/* Columns of a path in words. */
#define PATH_COLUMNS 400

typedef struct document {
    ubi__json *json;
    const ubi__leaks_answer *answer;
    const ubi_graph *graph;
    ubi__style style;
    ubi__leak_memo memo;
} document;

static void put_u64(document *d, const char *key, uint64_t value) {
    ubi__json_member_u64(d->json, key, value);
}

static void put_id(document *d, const char *key, ubi_node_ix node) {
    ubi__json_member_node_id(d->json, key, ubi_graph_node_id(d->graph, node));
}

static void put_change(document *d, const char *key, uint64_t from, uint64_t to) {
    ubi__json_member_i64(d->json, key, (int64_t)(to - from));
}

/* ---- head --------------------------------------------------------------------------------------------------------- */

static const char *const fit_names[] = {
    [UBI_LEAK_FITS] = "fits",
    [UBI_LEAK_OUT_OF_ORDER] = "out of order",
    [UBI_LEAK_SAME_HEAP] = "same snapshot",
    [UBI_LEAK_OTHER_PROCESS] = "other process",
};

static void begin_heap(document *d, uint32_t i) {
    const ubi_leak_heap *heap = ubi_leaks_heap(d->answer->leaks, i);
    ubi__json_object_begin(d->json);
    ubi__json_member_string(d->json, "file", ubi__leaks_name(&d->answer->series, i));
    put_u64(d, "count", heap->tally.count);
    put_u64(d, "bytes", heap->tally.bytes);
}

/* The first, the last but one and the last have names; the last of two is NEW. */
static void put_named_heaps(document *d) {
    uint32_t n = ubi_leaks_heap_count(d->answer->leaks);
    ubi__json_key(d->json, "old");
    begin_heap(d, 0);
    ubi__json_object_end(d->json);
    ubi__json_key(d->json, "new");
    begin_heap(d, n > 2 ? n - 2 : 1);
    ubi__json_object_end(d->json);
    if (n == 2)
        return;
    ubi__json_key(d->json, "newer");
    begin_heap(d, n - 1);
    ubi__json_object_end(d->json);
}

static void put_controls(document *d) {
    if (d->answer->controls.n == 0)
        return;
    ubi__json_member_array(d->json, "control");
    for (uint32_t i = 0; i < d->answer->controls.n; i++)
        ubi__json_string(d->json, ubi__leaks_name(&d->answer->controls, i));
    ubi__json_array_end(d->json);
}

/* All of them, with the evidence for and against one process. */
static void put_heaps(document *d) {
    char time[UBI__HUMAN_TEXT];
    ubi__json_member_array(d->json, "heaps");
    for (uint32_t i = 0; i < ubi_leaks_heap_count(d->answer->leaks); i++) {
        const ubi_leak_heap *heap = ubi_leaks_heap(d->answer->leaks, i);
        begin_heap(d, i);
        if (heap->time_us)
            ubi__json_member_string(d->json, "created", ubi__iso_time(time, heap->time_us));
        put_u64(d, "commonIds", heap->n_common);
        put_u64(d, "commonIdsOfEqualClass", heap->n_common_same);
        ubi__json_member_string(d->json, "fit", fit_names[heap->fit]);
        ubi__json_object_end(d->json);
    }
    ubi__json_array_end(d->json);
}

static void put_sums(document *d, const char *key, const ubi_leak_sums *s) {
    ubi__json_member_object(d->json, key);
    put_u64(d, "count", s->leaked.count);
    put_u64(d, "bytes", s->leaked.bytes);
    put_u64(d, "retainedSize", s->retained_bytes);
    put_u64(d, "clusters", s->n_clusters);
    ubi__json_object_end(d->json);
}

/* Of all clusters, whether they count or not. */
static void put_verdicts(document *d) {
    ubi__json_member_object(d->json, "byVerdict");
    for (int i = 0; i < UBI_LEAK_VERDICTS; i++) {
        const ubi_leak_sums *sums = ubi_leaks_of_verdict(d->answer->leaks, (ubi_leak_verdict)i);
        if (sums->n_clusters)
            put_sums(d, ubi_leak_verdict_name((ubi_leak_verdict)i), sums);
    }
    ubi__json_object_end(d->json);
}

/* Of all objects of OLD that became larger and count. */
static uint64_t grown_bytes(const document *d) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < ubi_leaks_grown_count(d->answer->leaks); i++) {
        const ubi_leak_grown *grown = ubi_leaks_grown(d->answer->leaks, i);
        uint64_t bytes = grown->is_counted ? grown->grown_bytes : 0;
        sum = sum + bytes < sum ? UINT64_MAX : sum + bytes;
    }
    return sum;
}

static void put_unlisted(document *d) {
    const ubi_leak_unlisted *unlisted = ubi_leaks_unlisted(d->answer->leaks);
    ubi__json_member_object(d->json, "unlisted");
    ubi__json_member_string(d->json, "verdict", ubi_leak_verdict_name(unlisted->verdict));
    ubi__json_member_bool(d->json, "isLeak", unlisted->is_counted);
    put_u64(d, "stayedBytes", unlisted->stayed_bytes);
    ubi__json_member_array(d->json, "bytes");
    for (uint32_t i = 0; i < d->answer->series.n; i++)
        ubi__json_u64(d->json, unlisted->bytes_at[i]);
    ubi__json_array_end(d->json);
    ubi__json_object_end(d->json);
}

static void put_summary(document *d) {
    const ubi_leak_summary *s = ubi_leaks_summary(d->answer->leaks);
    ubi__json_member_object(d->json, "growth");
    put_change(d, "count", s->heap[0].count, s->heap[2].count);
    put_change(d, "bytes", s->heap[0].bytes, s->heap[2].bytes);
    put_u64(d, "grownBytes", grown_bytes(d));
    put_u64(d, "unlistedBytes", ubi__leaks_unlisted_growth(d->answer->leaks));
    put_unlisted(d);
    ubi__json_object_end(d->json);
    put_sums(d, "leaked", &(ubi_leak_sums){ s->leaked, s->retained_bytes, s->largest_bytes, s->n_clusters });
    put_verdicts(d);
    put_u64(d, "clusterCount", ubi__leaks_listed(d->answer));
    ubi__json_member_bool(d->json, "comparable", d->answer->fit == UBI_LEAK_FITS);
    ubi__json_member_bool(d->json, "sameRun", ubi__leaks_same_run(d->answer));
    ubi__json_member_bool(d->json, "orderIsKnown", ubi_leaks_order_is_known(d->answer->leaks));
    ubi__json_member_bool(d->json, "idsAreAddresses", ubi_look_reuses_ids(d->answer->look));
}

/* ---- clusters ----------------------------------------------------------------------------------------------------- */

static void put_class(document *d, const ubi_class *class) {
    ubi__json_member_text(d->json, "className", class->name);
    if (class->place.len)
        ubi__json_member_text(d->json, "place", class->place);
    ubi__json_member_string(d->json, "coarseType", ubi_coarse_type_name(class->coarse_type));
}

/* Where the class is defined, by an object of it. Lines and columns count from 1. */
static void put_location(document *d, ubi_node_ix example) {
    ubi__code_place at;
    const ubi_kind *kind = ubi_graph_kind(d->graph, ubi_graph_node_kind(d->graph, example));
    ubi_text file = ubi_graph_string(d->graph, kind->script_filename);
    if (file.len == 0 || !ubi__code_place_of(&at, d->graph, example))
        return;
    ubi__json_member_object(d->json, "location");
    ubi__json_member_text(d->json, "file", file);
    put_u64(d, "line", at.line);
    put_u64(d, "column", at.column);
    ubi__json_object_end(d->json);
}

/* For functions and timers: which function, and its place. Lines and columns count from 1. */
static void put_code(document *d, const ubi_leak_cluster *c) {
    ubi__code_place at;
    ubi_node_ix code = ubi__code_of(d->answer->look, c->example);
    if (code == UBI_NONE || !ubi__code_place_of(&at, d->graph, code))
        return;
    ubi__json_member_object(d->json, "code");
    ubi__json_member_text(d->json, "function", ubi_graph_string(d->graph, ubi_graph_node_name(d->graph, code)));
    ubi__json_member_text(
        d->json, "file",
        ubi_graph_string(d->graph, ubi_graph_kind(d->graph, ubi_graph_node_kind(d->graph, code))->script_filename));
    put_u64(d, "line", at.line);
    put_u64(d, "column", at.column);
    put_u64(d, "elsewhere", c->n_elsewhere);
    ubi__json_object_end(d->json);
}

static void put_counts(document *d, const ubi_leak_cluster *c) {
    put_u64(d, "count", c->leaked.count);
    put_u64(d, "bytes", c->leaked.bytes);
    put_u64(d, "retainedSize", c->retained_bytes);
    put_u64(d, "retainedCount", c->n_retained);
    put_u64(d, "older", c->n_older);
    if (d->answer->series.n > 2)
        put_u64(d, "younger", c->n_younger);
    if (d->answer->controls.n)
        put_u64(d, "inControl", c->n_control);
    ubi__json_member_array(d->json, "classCounts");
    for (uint32_t i = 0; i < d->answer->series.n; i++)
        ubi__json_u64(d->json, c->class_counts[i]);
    ubi__json_array_end(d->json);
}

/* The steps between files in which it grew, counted from 1. */
static void put_steps(document *d, const uint8_t *grew) {
    uint32_t n_steps = d->answer->series.n - 1;
    ubi__json_member_array(d->json, "grewWith");
    for (uint32_t i = 0; i < n_steps; i++)
        if (grew[i])
            ubi__json_u64(d->json, i + 1);
    ubi__json_array_end(d->json);
}

/* How many were added in each step, and how fast. */
static void put_growth(document *d, const ubi_leak_cluster *c) {
    uint32_t n_steps = d->answer->series.n - 1;
    double per_hour;
    ubi__json_member_array(d->json, "came");
    for (uint32_t i = 0; i < n_steps; i++)
        ubi__json_u64(d->json, c->came[i]);
    ubi__json_array_end(d->json);
    put_steps(d, c->grew);
    if (!ubi__leak_per_hour(&per_hour, d->answer->leaks, c))
        return;
    ubi__json_member_double(d->json, "perHour", per_hour);
}

static void put_parts(document *d, const ubi_leak_cluster *c) {
    ubi__json_member_array(d->json, "keeps");
    for (uint32_t i = 0; i < c->n_parts; i++) {
        ubi__json_object_begin(d->json);
        ubi__json_member_text(d->json, "className", c->parts[i].name.name);
        put_u64(d, "count", c->parts[i].tally.count);
        put_u64(d, "bytes", c->parts[i].tally.bytes);
        ubi__json_object_end(d->json);
    }
    ubi__json_array_end(d->json);
}

static void put_holder(document *d, const ubi_leak_cluster *c, const ubi__leak_path *path) {
    ubi__json_key(d->json, "holder");
    if (c->holder == UBI_NONE) {
        ubi__json_null(d->json);
        ubi__leak_write_holder(d->memo.out, &d->style, c, path);
        ubi__json_member_text(d->json, "heldBy", ubi__leak_memo_take(&d->memo));
        return;
    }
    ubi__json_object_begin(d->json);
    put_id(d, "nodeId", c->holder);
    ubi__json_member_text(d->json, "className", ubi_look_node_name(d->answer->look, c->holder));
    ubi__leak_write_holder(d->memo.out, &d->style, c, path);
    ubi__json_member_text(d->json, "words", ubi__leak_memo_take(&d->memo));
    ubi__json_member_bool(d->json, "isNew", c->is_holder_new);
    put_u64(d, "holders", c->n_holders);
    ubi__json_object_end(d->json);
}

/* The example's, if the file has it. */
static void put_site(document *d, const ubi_leak_cluster *c) {
    ubi_frame_ix youngest = ubi_graph_node_stack(d->graph, c->example);
    if (youngest == UBI_NONE)
        return;
    ubi__json_key(d->json, "allocationStack");
    ubi__render_stack(d->json, ubi__graph_stack_view(d->graph, youngest));
}

static ubi_status put_cluster(document *d, const ubi_leak_cluster *c) {
    ubi__leak_path path;
    UBI_TRY(ubi__leak_path_init(&path, d->answer, c));
    ubi__json_object_begin(d->json);
    put_class(d, &c->class_name);
    if (c->class_name.place.len)
        put_location(d, c->example);
    if (c->name.ptr)
        ubi__json_member_text(d->json, "name", c->name);
    put_code(d, c);
    ubi__json_member_string(d->json, "verdict", ubi_leak_verdict_name(c->verdict));
    ubi__json_member_bool(d->json, "isLeak", c->is_counted);
    put_counts(d, c);
    put_growth(d, c);
    put_parts(d, c);
    put_holder(d, c, &path);
    put_id(d, "example", c->example);
    put_site(d, c);
    ubi__display_path(d->memo.out, &d->style, &path.view, PATH_COLUMNS);
    ubi__json_member_text(d->json, "path", ubi__leak_memo_take(&d->memo));
    put_u64(d, "pathLength", path.n);
    ubi__json_object_end(d->json);
    ubi__leak_path_fini(&path);
    return UBI_OK;
}

static ubi_status put_clusters(document *d) {
    uint32_t n = ubi__leaks_shown(d->answer);
    ubi__json_member_array(d->json, "clusters");
    for (uint32_t i = 0; i < n && !d->json->has_failed; i++)
        UBI_TRY(put_cluster(d, ubi_leaks_cluster(d->answer->leaks, i)));
    ubi__json_array_end(d->json);
    return UBI_OK;
}

/* ---- what became larger ------------------------------------------------------------------------------------------- */

static ubi_status put_one_grown(document *d, const ubi_leak_grown *grown) {
    ubi__leak_path path;
    ubi_node_ix node = ubi__leak_grown_node(grown);
    uint32_t n_steps = d->answer->series.n - 1;
    UBI_TRY(ubi__leak_path_init_to(&path, d->answer, node));
    ubi__json_object_begin(d->json);
    put_class(d, &grown->class_name);
    ubi__json_member_string(d->json, "verdict", ubi_leak_verdict_name(grown->verdict));
    ubi__json_member_bool(d->json, "isLeak", grown->is_counted);
    put_u64(d, "count", grown->n_objects);
    put_u64(d, "grownBytes", grown->grown_bytes);
    ubi__json_member_array(d->json, "bytes");
    for (uint32_t i = 0; i <= n_steps; i++)
        ubi__json_u64(d->json, grown->bytes[i]);
    ubi__json_array_end(d->json);
    put_u64(d, "ownSize", ubi__leak_own_size(d->answer, node));
    put_steps(d, grown->grew);
    if (d->answer->controls.n)
        put_u64(d, "inControl", grown->control_bytes);
    ubi__json_member_bool(d->json, "holdsLeaked", grown->is_cluster_holder);
    ubi__json_member_bool(d->json, "isRope", grown->is_rope);
    put_id(d, "nodeId", grown->node);
    if (grown->content != UBI_NONE)
        put_id(d, "contentId", grown->content);
    ubi__leak_write_grown(d->memo.out, &d->style, &path);
    ubi__json_member_text(d->json, "words", ubi__leak_memo_take(&d->memo));
    ubi__display_path(d->memo.out, &d->style, &path.view, PATH_COLUMNS);
    ubi__json_member_text(d->json, "path", ubi__leak_memo_take(&d->memo));
    put_u64(d, "pathLength", path.n);
    ubi__json_object_end(d->json);
    ubi__leak_path_fini(&path);
    return UBI_OK;
}

static ubi_status put_grown(document *d) {
    uint32_t n = ubi_leaks_grown_count(d->answer->leaks), n_put = 0;
    ubi__json_member_array(d->json, "grown");
    for (uint32_t i = 0; i < n && !d->json->has_failed && n_put < ubi__leaks_grown_limit(d->answer); i++) {
        const ubi_leak_grown *grown = ubi_leaks_grown(d->answer->leaks, i);
        if (d->answer->verdicts && !grown->is_counted)
            continue;
        UBI_TRY(put_one_grown(d, grown));
        n_put++;
    }
    ubi__json_array_end(d->json);
    return UBI_OK;
}

/* ---- classes of a series ------------------------------------------------------------------------------------------- */

static void put_tallies(document *d, const char *key, const ubi_leak_trend *trend, bool bytes) {
    ubi__json_member_array(d->json, key);
    for (uint32_t i = 0; i < d->answer->series.n; i++)
        ubi__json_u64(d->json, bytes ? trend->at_heap[i].bytes : trend->at_heap[i].count);
    ubi__json_array_end(d->json);
}

static void put_classes(document *d) {
    uint32_t n = ubi_leaks_trend_count(d->answer->leaks);
    uint64_t limit = d->answer->values->limit ? d->answer->values->limit : n;
    if (d->answer->series.n <= 3)
        return;
    ubi__json_member_array(d->json, "classes");
    for (uint32_t i = 0; i < n && i < limit; i++) {
        ubi_leak_trend trend;
        ubi_leaks_trend(&trend, d->answer->leaks, i);
        ubi__json_object_begin(d->json);
        put_class(d, &trend.class_name);
        put_tallies(d, "counts", &trend, false);
        put_tallies(d, "bytes", &trend, true);
        put_u64(d, "rises", trend.n_rises);
        ubi__json_object_end(d->json);
    }
    ubi__json_array_end(d->json);
}

ubi_status ubi__leaks_document(ubi__json *json, const void *answer_of, const ubi__asked *asked) {
    const ubi__leaks_answer *answer = answer_of;
    document d = { .json = json, .answer = answer, .graph = answer->graph, .style = { false, true, PATH_COLUMNS } };
    UBI_TRY(ubi__leak_memo_init(&d.memo, ubi__asked_allocator(asked)));
    put_named_heaps(&d);
    put_heaps(&d);
    put_controls(&d);
    put_summary(&d);
    put_classes(&d);
    ubi_status status = put_clusters(&d);
    if (status == UBI_OK)
        status = put_grown(&d);
    ubi__leak_memo_fini(&d.memo);
    return status;
}
