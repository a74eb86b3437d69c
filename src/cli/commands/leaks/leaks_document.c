/* SPDX-License-Identifier: MIT
 *
 * leaks_document.c: the answers of `ubiheap leaks` as JSON, short enough for a script or a log.
 */
#include "base/status.h"
#include "base/text.h"
#include "cli/commands/leaks/leaks_page.h"
#include "graph/graph_columns.h"
#include "render/result_json.h"

/* Columns of a path in words. */
#define PATH_COLUMNS 400

typedef struct document {
    ubi__json json;
    const ubi__leaks_answer *answer;
    const ubi_graph *graph;
    ubi__style style;
    ubi__leak_memo memo;
} document;

static void put_text(document *d, const char *key, ubi_text text) {
    ubi__json_key(&d->json, key);
    ubi__json_text(&d->json, text);
}

static void put_u64(document *d, const char *key, uint64_t value) {
    ubi__document_u64(&d->json, key, value);
}

static void put_id(document *d, const char *key, ubi_node_ix node) {
    ubi__json_key(&d->json, key);
    ubi__json_node_id(&d->json, ubi_graph_node_id(d->graph, node));
}

static void put_change(document *d, const char *key, uint64_t from, uint64_t to) {
    ubi__json_key(&d->json, key);
    ubi__json_i64(&d->json, (int64_t)(to - from));
}

/* ---- head --------------------------------------------------------------------------------------------------------- */

static void put_heaps(document *d) {
    static const char *const keys[] = { "old", "new", "newer" };
    const ubi_leak_summary *s = ubi_leaks_summary(d->answer->leaks);
    for (int i = 0; i < d->answer->n_paths; i++) {
        ubi__json_key(&d->json, keys[i]);
        ubi__json_object_begin(&d->json);
        ubi__document_string(&d->json, "file", d->answer->paths[i]);
        put_u64(d, "count", s->heap[i].count);
        put_u64(d, "bytes", s->heap[i].bytes);
        ubi__json_object_end(&d->json);
    }
    if (d->answer->n_controls == 0)
        return;
    ubi__json_key(&d->json, "control");
    ubi__json_array_begin(&d->json);
    for (int i = 0; i < d->answer->n_controls; i++)
        ubi__json_string(&d->json, d->answer->controls[i]);
    ubi__json_array_end(&d->json);
}

static void put_summary(document *d) {
    const ubi_leak_summary *s = ubi_leaks_summary(d->answer->leaks);
    ubi__json_key(&d->json, "growth");
    ubi__json_object_begin(&d->json);
    put_change(d, "count", s->heap[0].count, s->heap[2].count);
    put_change(d, "bytes", s->heap[0].bytes, s->heap[2].bytes);
    ubi__json_object_end(&d->json);
    ubi__json_key(&d->json, "leaked");
    ubi__json_object_begin(&d->json);
    put_u64(d, "count", s->leaked.count);
    put_u64(d, "bytes", s->leaked.bytes);
    put_u64(d, "retainedSize", s->retained_bytes);
    put_u64(d, "clusters", s->n_clusters);
    ubi__json_object_end(&d->json);
    put_u64(d, "clusterCount", ubi_leaks_count(d->answer->leaks));
    ubi__document_bool(&d->json, "sameRun", ubi__leaks_same_run(d->answer));
    ubi__document_bool(&d->json, "idsAreAddresses", ubi_lens_reuses_ids(d->answer->newest->look));
}

/* ---- clusters ----------------------------------------------------------------------------------------------------- */

static void put_class(document *d, const ubi_class *class) {
    put_text(d, "className", class->name);
    if (class->place.len)
        put_text(d, "place", class->place);
    ubi__document_string(&d->json, "coarseType", ubi_coarse_type_name(class->coarse_type));
}

static void put_counts(document *d, const ubi_leak_cluster *c) {
    put_u64(d, "count", c->leaked.count);
    put_u64(d, "bytes", c->leaked.bytes);
    put_u64(d, "retainedSize", c->retained_bytes);
    put_u64(d, "retainedCount", c->n_retained);
    put_u64(d, "older", c->n_older);
    if (d->answer->n_paths == 3)
        put_u64(d, "younger", c->n_younger);
    if (d->answer->n_controls)
        put_u64(d, "inControl", c->n_control);
    ubi__json_key(&d->json, "classCounts");
    ubi__json_array_begin(&d->json);
    for (int i = 0; i < d->answer->n_paths; i++)
        ubi__json_u64(&d->json, c->class_count[i]);
    ubi__json_array_end(&d->json);
}

static void put_parts(document *d, const ubi_leak_cluster *c) {
    ubi__json_key(&d->json, "keeps");
    ubi__json_array_begin(&d->json);
    for (uint32_t i = 0; i < c->n_parts; i++) {
        ubi__json_object_begin(&d->json);
        put_text(d, "className", c->parts[i].name.name);
        put_u64(d, "count", c->parts[i].tally.count);
        put_u64(d, "bytes", c->parts[i].tally.bytes);
        ubi__json_object_end(&d->json);
    }
    ubi__json_array_end(&d->json);
}

static void put_holder(document *d, const ubi_leak_cluster *c, const ubi__leak_path *path) {
    ubi__json_key(&d->json, "holder");
    if (c->holder == UBI_NONE) {
        ubi__json_null(&d->json);
        return;
    }
    ubi__json_object_begin(&d->json);
    put_id(d, "nodeId", c->holder);
    put_text(d, "className", ubi_lens_node_name(d->answer->newest->look, c->holder));
    ubi__leak_write_holder(d->memo.out, &d->style, c, path);
    put_text(d, "words", ubi__leak_memo_take(&d->memo));
    ubi__document_bool(&d->json, "isNew", c->holder_is_new);
    put_u64(d, "holders", c->n_holders);
    ubi__json_object_end(&d->json);
}

/* Of the example, of files that know it. */
static void put_site(document *d, const ubi_leak_cluster *c) {
    ubi_frame_ix youngest = ubi_graph_node_stack(d->graph, c->example);
    if (youngest == UBI_NONE)
        return;
    ubi__json_key(&d->json, "allocationStack");
    ubi__render_stack(&d->json, ubi__graph_stack_view(d->graph, youngest));
}

static ubi_status put_cluster(document *d, const ubi_leak_cluster *c) {
    ubi__leak_path path;
    UBI_TRY(ubi__leak_path_init(&path, d->answer, c));
    ubi__json_object_begin(&d->json);
    put_class(d, &c->class_name);
    if (c->name.ptr)
        put_text(d, "name", c->name);
    ubi__document_string(&d->json, "verdict", ubi_leak_verdict_name(c->verdict));
    ubi__document_bool(&d->json, "isLeak", ubi_leak_verdict_is_leak(c->verdict));
    put_counts(d, c);
    put_parts(d, c);
    put_holder(d, c, &path);
    put_id(d, "example", c->example);
    put_site(d, c);
    ubi__display_path(d->memo.out, &d->style, &path.view, PATH_COLUMNS);
    put_text(d, "path", ubi__leak_memo_take(&d->memo));
    put_u64(d, "pathLength", path.n);
    ubi__json_object_end(&d->json);
    ubi__leak_path_fini(&path);
    return UBI_OK;
}

static ubi_status put_clusters(document *d) {
    uint32_t n = ubi__leaks_shown(d->answer);
    ubi__json_key(&d->json, "clusters");
    ubi__json_array_begin(&d->json);
    for (uint32_t i = 0; i < n && !d->json.failed; i++)
        UBI_TRY(put_cluster(d, ubi_leaks_cluster(d->answer->leaks, i)));
    ubi__json_array_end(&d->json);
    return UBI_OK;
}

ubi_status ubi__leaks_document(const ubi__leaks_answer *answer) {
    document d = { .answer = answer, .graph = answer->newest->graph, .style = { false, true, PATH_COLUMNS } };
    UBI_TRY(ubi__leak_memo_init(&d.memo));
    ubi__document_open(&d.json, answer->cli, "ubiheap.leaks/1");
    put_heaps(&d);
    put_summary(&d);
    ubi_status status = put_clusters(&d);
    if (status == UBI_OK)
        ubi__document_end(&d.json);
    ubi__leak_memo_fini(&d.memo);
    return status;
}
