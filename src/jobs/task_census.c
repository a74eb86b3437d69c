/* SPDX-License-Identifier: MIT
 *
 * task_census.c: takeCensus and takeCensusDiff.
 *
 * Source: mozilla-central devtools/shared/heapsnapshot/CensusUtils.js.
 */
#include <stdio.h>

#include <ubiheap/core/diff.h>

#include "base/bits.h"
#include "jobs/task_call.h"
#include "render/result_json.h"

/* ---- takeCensus, takeCensusDiff ------------------------------------------------------------------------------------------ */

typedef struct census_request {
    ubi_text breakdown; /* NULL text: the default */
    bool wants_tree;
    ubi_census_tree_options tree;
    ubi__vec_u8 filter; /* where the text is, if it has escapes */
} census_request;

static ubi_status filter_get(census_request *r, ubi__task_call *call, const ubi__json_value *filter) {
    if (filter->type != UBI__JSON_STRING)
        return UBI_OK;
    UBI_TRY(ubi__json_value_text(&r->tree.filter, filter, &r->filter, call->client->worker->allocator));
    r->tree.has_filter = r->tree.filter.len > 0;
    return UBI_OK;
}

static ubi_status census_request_get(census_request *r, ubi__task_call *call) {
    ubi__json_value options = ubi__task_member(call->data, "censusOptions"),
                    how = ubi__task_member(call->data, "requestOptions");
    ubi__json_value breakdown = ubi__task_member(options.raw, "breakdown"),
                    filter = ubi__task_member(how.raw, "filter");
    *r = (census_request){ .tree = UBI_CENSUS_TREE_OPTIONS_INIT };
    r->tree.is_inverted = ubi__task_is_true(how.raw, "asInvertedTreeNode");
    r->wants_tree = r->tree.is_inverted || ubi__task_is_true(how.raw, "asTreeNode");
    if (breakdown.type == UBI__JSON_STRING) /* quotes and all: not a breakdown, and said so */
        r->breakdown = (ubi_text){ breakdown.raw.ptr - 1, breakdown.raw.len + 2 };
    else if (breakdown.raw.ptr)
        r->breakdown = breakdown.raw;
    return filter_get(r, call, &filter);
}

/* CensusUtils knows no default breakdown. */
static ubi_status breakdown_require(ubi__task_call *call, const census_request *r) {
    if (r->breakdown.ptr || call->client->worker->compat != UBI_COMPAT_FIREFOX)
        return UBI_OK;
    call->error = UBI__TASK_TYPE_ERROR;
    return ubi__fail(UBI_EINVAL, "can't access property \"by\", breakdown is undefined");
}

static void census_request_fini(census_request *r, const ubi__task_call *call) {
    ubi__vec_u8_fini(&r->filter, call->client->worker->allocator);
}

UBI_VEC_DECLARE(tree_row_list, ubi_census_node_ix);

static ubi_status parent_map_fill(ubi__json *json, const ubi_census_tree *tree, tree_row_list *waiting) {
    UBI_TRY(tree_row_list_push(waiting, ubi_allocator_default(), ubi_census_tree_root(tree)));
    while (waiting->n && !json->has_failed) {
        ubi_census_node node, child;
        char id[16];
        ubi_census_tree_node(tree, waiting->at[--waiting->n], &node);
        UBI_TRY(tree_row_list_reserve(waiting, ubi_allocator_default(), node.n_children));
        for (uint32_t i = 0; i < node.n_children; i++) {
            ubi_census_tree_node(tree, node.children[i], &child);
            snprintf(id, sizeof id, "%u", child.id);
            ubi__json_member_u64(json, id, node.id);
            waiting->at[waiting->n++] = node.children[i];
        }
    }
    return UBI_OK;
}

static ubi_status tree_write(ubi__json *json, const char *name, const ubi_census_tree *tree) {
    tree_row_list waiting = { 0 };
    ubi__json_key(json, name);
    UBI_TRY(ubi__render_census_tree(json, tree));
    ubi__json_member_object(json, "parentMap");
    ubi_status status = parent_map_fill(json, tree, &waiting);
    ubi__json_object_end(json);
    tree_row_list_fini(&waiting, ubi_allocator_default());
    return status;
}

static ubi_status census_write(ubi__json *json, const census_request *r, const ubi_census *census) {
    ubi_census_tree *tree;
    if (!r->wants_tree) {
        ubi__json_key(json, "report");
        return ubi__render_report(json, ubi_census_report(census));
    }
    UBI_TRY(ubi_census_tree_new(&tree, census, &r->tree));
    ubi_status status = tree_write(json, "report", tree);
    ubi_census_tree_free(tree);
    return status;
}

static ubi_status census_take(ubi__task_call *call, const census_request *r, ubi_session *session) {
    ubi_session_use *use;
    const ubi_census *census;
    UBI_TRY(ubi__task_use_begin(&use, call, session));
    ubi_status status = ubi_session_census(&census, use, r->breakdown, call->client->worker->compat);
    if (status == UBI_OK) {
        ubi__json_object_begin(call->out);
        status = census_write(call->out, r, census);
        ubi__json_object_end(call->out);
    }
    ubi_session_use_end(use);
    return ubi__task_fail_census(call, status);
}

ubi_status ubi__task_take_census(ubi__task_call *call) {
    ubi__client_snapshot *snapshot;
    census_request r;
    UBI_TRY(ubi__task_snapshot_named(&snapshot, call, "snapshotFilePath"));
    ubi_status status = census_request_get(&r, call);
    if (status == UBI_OK && r.wants_tree)
        status = breakdown_require(call, &r);
    if (status == UBI_OK)
        status = census_take(call, &r, snapshot->session);
    census_request_fini(&r, call);
    return status;
}

static ubi_status difference_write(ubi__json *json, const census_request *r, const ubi_census_diff *diff) {
    ubi_census_tree *tree;
    if (!r->wants_tree) {
        ubi__json_key(json, "delta");
        return ubi__render_delta(json, ubi_census_diff_delta(diff));
    }
    UBI_TRY(ubi_census_diff_tree_new(&tree, diff, &r->tree));
    ubi_status status = tree_write(json, "delta", tree);
    ubi_census_tree_free(tree);
    return status;
}

static ubi_status censuses_compare(ubi__task_call *call, const census_request *r, ubi_session_use *first,
                                   ubi_session_use *second) {
    const ubi_census *start, *end;
    ubi_census_diff *diff;
    UBI_TRY(ubi_session_census(&start, first, r->breakdown, call->client->worker->compat));
    UBI_TRY(ubi_session_census(&end, second, r->breakdown, call->client->worker->compat));
    UBI_TRY(ubi_census_diff_new(&diff, start, end));
    ubi__json_object_begin(call->out);
    ubi_status status = difference_write(call->out, r, diff);
    ubi__json_object_end(call->out);
    ubi_census_diff_free(diff);
    return status;
}

static ubi_status difference_take(ubi__task_call *call, const census_request *r, ubi_session *first,
                                  ubi_session *second) {
    ubi_session_use *use_of_first, *use_of_second;
    UBI_TRY(ubi__task_use_begin(&use_of_first, call, first));
    ubi_status status = ubi__task_use_begin(&use_of_second, call, second);
    if (status == UBI_OK) {
        status = censuses_compare(call, r, use_of_first, use_of_second);
        ubi_session_use_end(use_of_second);
    }
    ubi_session_use_end(use_of_first);
    return ubi__task_fail_census(call, status);
}

ubi_status ubi__task_take_census_diff(ubi__task_call *call) {
    ubi__client_snapshot *first, *second;
    census_request r;
    UBI_TRY(ubi__task_snapshot_named(&first, call, "firstSnapshotFilePath"));
    UBI_TRY(ubi__task_snapshot_named(&second, call, "secondSnapshotFilePath"));
    ubi_status status = census_request_get(&r, call);
    if (status == UBI_OK)
        status = breakdown_require(call, &r);
    if (status == UBI_OK)
        status = difference_take(call, &r, first->session, second->session);
    census_request_fini(&r, call);
    return status;
}
