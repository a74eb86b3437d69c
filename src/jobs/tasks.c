/* SPDX-License-Identifier: MIT
 *
 * tasks.c: what a worker can be asked for: the tasks of Firefox's HeapAnalysesWorker over sessions.
 *
 * Differences that JSON brings: a Map is an array of entries (as in the documents of `ubiheap census`), a Set of leaf indices is an
 * array, and parentMap has ids of parents, for a document cannot refer to an object twice.
 *
 * Source: mozilla-central devtools/shared/heapsnapshot/HeapAnalyses.worker.js, DominatorTreeNode.js, CensusUtils.js.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <ubiheap/core/diff.h>
#include <ubiheap/core/dominator_tree.h>
#include <ubiheap/core/labels.h>
#include <ubiheap/core/paths.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/json_reader.h"
#include "base/merge_sort.h"
#include "base/status.h"
#include "base/text.h"
#include "jobs/jobs.h"
#include "render/result_json.h"
#include "session/part.h"

/* ---- data of requests ------------------------------------------------------------------------------------------------ */

static const ubi__json_value undefined = { .type = UBI__JSON_NULL };

static ubi_status fail_type(ubi__task_call *call, const char *what, const char *expected) {
    call->error = UBI__TASK_TYPE_ERROR;
    return ubi__fail(UBI_EINVAL, "%s: expected %s", what, expected);
}

/* A member of an object, the last of that name; undefined if there is none, or no object. */
static ubi__json_value member_get(ubi_text object, const char *name) {
    ubi__json_cursor c;
    ubi__json_value key, value, found = undefined;
    if (!object.ptr)
        return found;
    ubi__json_cursor_open(&c, object, UBI__JSON_OBJECT);
    while (ubi__json_cursor_next_member(&c, &key, &value))
        if (ubi__json_value_is(&key, name))
            found = value;
    return found;
}

static bool is_given(const ubi__json_value *value) {
    return value->type != UBI__JSON_NULL;
}

static bool is_true(ubi_text object, const char *name) {
    return member_get(object, name).type == UBI__JSON_TRUE;
}

/* As Firefox converts it; what is not there is `standard`. */
static ubi_status u32_get(uint32_t *out, ubi__task_call *call, const char *name, uint32_t standard) {
    ubi__json_value value = member_get(call->data, name);
    uint64_t number = standard;
    if (is_given(&value) && !ubi__json_value_u64(&number, &value))
        return fail_type(call, name, "a whole number");
    *out = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
    return UBI_OK;
}

/* A path ends at a NUL, which none can have. */
static ubi_status path_copy(ubi__vec_u8 *out, ubi__task_call *call, const ubi__json_value *value, const char *what) {
    ubi__vec_u8 scratch = { 0 };
    const ubi_allocator *a = call->client->worker->allocator;
    ubi_text text;
    if (value->type != UBI__JSON_STRING)
        return fail_type(call, what, "a path, which is a string");
    ubi_status status = ubi__json_value_text(&text, value, &scratch, a);
    if (status == UBI_OK && memchr(text.ptr, 0, text.len))
        status = fail_type(call, what, "a path without NUL characters");
    if (status == UBI_OK)
        status = ubi__vec_u8_reserve(out, a, text.len + 1);
    if (status == UBI_OK) {
        memcpy(out->at, text.ptr, text.len);
        out->at[text.len] = 0;
        out->n = text.len + 1;
    }
    ubi__vec_u8_fini(&scratch, a);
    return status;
}

/* ---- snapshots and trees of the client -------------------------------------------------------------------------------- */

static ubi__client_snapshot *snapshot_find(ubi_worker_client *client, const char *path) {
    for (size_t i = 0; i < client->snapshots.n; i++)
        if (strcmp(client->snapshots.at[i].path, path) == 0)
            return &client->snapshots.at[i];
    return NULL;
}

void ubi__client_check(const ubi_worker_client *client) {
    const ubi__client_snapshot *s = client->snapshots.at;
    for (size_t i = 0; UBI_CHECKS && i < client->snapshots.n; i++) {
        UBI_ASSERT(strlen(s[i].path) + 1 == s[i].path_bytes);
        UBI_ASSERT(s[i].session && s[i].reading > 0 && s[i].reading <= client->n_readings);
        for (size_t j = 0; j < i; j++)
            UBI_ASSERT(strcmp(s[i].path, s[j].path) != 0 && s[i].reading != s[j].reading);
    }
    for (size_t i = 0; UBI_CHECKS && i < client->trees.n; i++)
        UBI_ASSERT(client->trees.at[i].reading - 1 < client->n_readings);
}

static void snapshot_fini(const ubi_worker *worker, ubi__client_snapshot *snapshot) {
    ubi_session_unref(snapshot->session);
    worker->allocator->free(worker->allocator->ctx, snapshot->path, snapshot->path_bytes);
}

void ubi__client_forget_all(ubi_worker_client *client) {
    const ubi_allocator *a = client->worker->allocator;
    for (size_t i = 0; i < client->snapshots.n; i++)
        snapshot_fini(client->worker, &client->snapshots.at[i]);
    for (size_t i = 0; i < client->trees.n; i++)
        ubi_session_unref(client->trees.at[i].session);
    ubi__client_snapshots_fini(&client->snapshots, a);
    ubi__client_trees_fini(&client->trees, a);
}

/* The snapshot that a path in the request leads to. */
static ubi_status snapshot_get(ubi__client_snapshot **out, ubi__task_call *call, const ubi__json_value *path_value,
                               const char *what) {
    ubi__vec_u8 path = { 0 };
    ubi_status status = path_copy(&path, call, path_value, what);
    if (status == UBI_OK) {
        *out = snapshot_find(call->client, (char *)path.at);
        if (!*out) {
            call->error = UBI__TASK_ERROR;
            status = ubi__fail(UBI_ENOTFOUND, "No known heap snapshot for '%.400s'", (char *)path.at);
        }
    }
    ubi__vec_u8_fini(&path, call->client->worker->allocator);
    return status;
}

static ubi_status snapshot_named(ubi__client_snapshot **out, ubi__task_call *call, const char *member) {
    ubi__json_value path = member_get(call->data, member);
    return snapshot_get(out, call, &path, member);
}

/* The data are the path alone. */
static ubi_status snapshot_of_data(ubi__client_snapshot **out, ubi__task_call *call) {
    ubi__json_cursor c;
    ubi__json_value path;
    if (!ubi__json_value_whole(&c, &path, call->data))
        path = undefined;
    return snapshot_get(out, call, &path, "the data");
}

/* An id that never was, of any type, is said as it came. */
static ubi_status tree_get(ubi__client_tree **out, ubi__task_call *call, bool if_deleted) {
    ubi__client_trees *trees = &call->client->trees;
    ubi__json_value id = member_get(call->data, "dominatorTreeId");
    uint64_t number;
    bool was_there = ubi__json_value_u64(&number, &id) && number < trees->n;
    if (was_there && trees->at[number].session) {
        *out = &trees->at[number];
        return UBI_OK;
    }
    if (was_there && !if_deleted) {
        call->error = UBI__TASK_TYPE_ERROR;
        return ubi__fail(UBI_ENOTFOUND, "can't access property \"root\", dominatorTree is undefined");
    }
    call->error = UBI__TASK_ERROR;
    return ubi__fail(UBI_ENOTFOUND, "There does not exist a DominatorTree with the id %.*s",
                     (int)(id.raw.len < 100 ? id.raw.len : 100), id.raw.ptr ? id.raw.ptr : "undefined");
}

static ubi_status use_begin(ubi_session_use **out, const ubi__task_call *call, ubi_session *session) {
    ubi_session_use_options options = UBI_SESSION_USE_OPTIONS_INIT;
    options.progress = call->progress;
    return ubi_session_use_begin(out, session, &options);
}

/* ---- readHeapSnapshot, deleteHeapSnapshot, getCreationTime ------------------------------------------------------------- */

/* What cannot be read twice cannot be kept within a limit. */
static ubi_status file_require(const char *path) {
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
        return ubi__fail(UBI_EINVAL, "%.400s is not a file", path);
    return UBI_OK;
}

static ubi_status session_read(ubi_session **out, ubi__task_call *call, const char *path) {
    ubi_session *session;
    ubi_session_use *use;
    ubi_graph *graph;
    bool is_dash = strcmp(path, "-") == 0; /* a file of that name, not standard input */
    UBI_TRY(file_require(path));
    UBI_TRY(ubi__worker_session(&session, call->client->worker, is_dash ? "./-" : path));
    ubi_status status = use_begin(&use, call, session);
    if (status == UBI_OK) {
        status = ubi_session_graph(&graph, use);
        ubi_session_use_end(use);
    }
    if (status == UBI_OK)
        *out = session;
    else
        ubi_session_unref(session);
    return status;
}

/* Takes the session if all goes well. */
static ubi_status snapshot_put(ubi_worker_client *client, const ubi__vec_u8 *path, ubi_session *session) {
    const ubi_allocator *a = client->worker->allocator;
    ubi__client_snapshot *old = snapshot_find(client, (char *)path->at);
    if (old) {
        ubi_session_unref(old->session);
        old->session = session;
        old->reading = ++client->n_readings;
        ubi__client_check(client);
        return UBI_OK;
    }
    UBI_TRY(ubi__client_snapshots_reserve(&client->snapshots, a, 1));
    char *copy = a->alloc(a->ctx, path->n);
    if (!copy)
        return ubi__fail_nomem();
    memcpy(copy, path->at, path->n);
    ubi__client_snapshot snapshot = { copy, path->n, session, ++client->n_readings };
    client->snapshots.at[client->snapshots.n++] = snapshot;
    ubi__client_check(client);
    return UBI_OK;
}

static ubi_status read_snapshot(ubi__task_call *call) {
    const ubi_allocator *a = call->client->worker->allocator;
    ubi__json_value value = member_get(call->data, "snapshotFilePath");
    ubi__vec_u8 path = { 0 };
    ubi_session *session;
    ubi_status status = path_copy(&path, call, &value, "snapshotFilePath");
    if (status == UBI_OK)
        status = session_read(&session, call, (char *)path.at);
    if (status == UBI_OK) {
        status = snapshot_put(call->client, &path, session);
        if (status != UBI_OK)
            ubi_session_unref(session);
    }
    ubi__vec_u8_fini(&path, a);
    ubi__worker_files_prune(call->client->worker);
    if (status == UBI_OK)
        ubi__json_bool(call->out, true);
    return status;
}

/* With it goes the first tree of its reading that is there; the others stay. */
static ubi_status delete_snapshot(ubi__task_call *call) {
    ubi_worker_client *client = call->client;
    ubi__client_snapshot *snapshot;
    UBI_TRY(snapshot_named(&snapshot, call, "snapshotFilePath"));
    for (size_t i = 0; i < client->trees.n; i++) {
        ubi__client_tree *tree = &client->trees.at[i];
        if (tree->session && tree->reading == snapshot->reading) {
            ubi_session_unref(tree->session);
            tree->session = NULL;
            break;
        }
    }
    snapshot_fini(client->worker, snapshot);
    *snapshot = client->snapshots.at[--client->snapshots.n];
    ubi__client_check(client);
    ubi__worker_files_prune(client->worker);
    call->is_undefined = true;
    return UBI_OK;
}

static ubi_status get_creation_time(ubi__task_call *call) {
    ubi__client_snapshot *snapshot;
    ubi_session_use *use;
    ubi_graph *graph;
    uint64_t time_us;
    UBI_TRY(snapshot_of_data(&snapshot, call));
    UBI_TRY(use_begin(&use, call, snapshot->session));
    ubi_status status = ubi_session_graph(&graph, use);
    if (status == UBI_OK && ubi_graph_creation_time_us(graph, &time_us))
        ubi__json_u64(call->out, time_us);
    else if (status == UBI_OK)
        ubi__json_null(call->out);
    ubi_session_use_end(use);
    return status;
}

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
    ubi__json_value options = member_get(call->data, "censusOptions"), how = member_get(call->data, "requestOptions");
    ubi__json_value breakdown = member_get(options.raw, "breakdown"), filter = member_get(how.raw, "filter");
    *r = (census_request){ .tree = UBI_CENSUS_TREE_OPTIONS_INIT };
    r->tree.is_inverted = is_true(how.raw, "asInvertedTreeNode");
    r->wants_tree = r->tree.is_inverted || is_true(how.raw, "asTreeNode");
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

/* Breakdowns that are not valid are TypeErrors, as are trees of those that are not written out. */
static ubi_status fail_census(ubi__task_call *call, ubi_status status) {
    if (status == UBI_EINVAL)
        call->error = UBI__TASK_TYPE_ERROR;
    return status;
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
    UBI_TRY(use_begin(&use, call, session));
    ubi_status status = ubi_session_census(&census, use, r->breakdown, call->client->worker->compat);
    if (status == UBI_OK) {
        ubi__json_object_begin(call->out);
        status = census_write(call->out, r, census);
        ubi__json_object_end(call->out);
    }
    ubi_session_use_end(use);
    return fail_census(call, status);
}

static ubi_status take_census(ubi__task_call *call) {
    ubi__client_snapshot *snapshot;
    census_request r;
    UBI_TRY(snapshot_named(&snapshot, call, "snapshotFilePath"));
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
    UBI_TRY(use_begin(&use_of_first, call, first));
    ubi_status status = use_begin(&use_of_second, call, second);
    if (status == UBI_OK) {
        status = censuses_compare(call, r, use_of_first, use_of_second);
        ubi_session_use_end(use_of_second);
    }
    ubi_session_use_end(use_of_first);
    return fail_census(call, status);
}

static ubi_status take_census_diff(ubi__task_call *call) {
    ubi__client_snapshot *first, *second;
    census_request r;
    UBI_TRY(snapshot_named(&first, call, "firstSnapshotFilePath"));
    UBI_TRY(snapshot_named(&second, call, "secondSnapshotFilePath"));
    ubi_status status = census_request_get(&r, call);
    if (status == UBI_OK)
        status = breakdown_require(call, &r);
    if (status == UBI_OK)
        status = difference_take(call, &r, first->session, second->session);
    census_request_fini(&r, call);
    return status;
}

/* ---- rows of dominator trees with paths ---------------------------------------------------------------------------------- */

#define MAX_PATHS 5

/* What rows are made of. */
typedef struct row_sources {
    ubi__task_call *call;
    ubi_session_use *use;
    const ubi_look *look;
    const ubi_graph *graph;
    const ubi_dominators *dominators;
    ubi_labels *labels; /* owned */
    ubi_paths *paths;   /* owned: to all rows */
} row_sources;

static ubi_status labels_make(row_sources *s, const char *member) {
    const ubi_allocator *a = ubi_session_use_allocator(s->use);
    ubi_labels_options options = UBI_LABELS_OPTIONS_INIT;
    ubi__json_value json = member_get(s->call->data, member);
    ubi_breakdown *breakdown = NULL;
    ubi_compat compat = s->call->client->worker->compat;
    if (is_given(&json))
        UBI_TRY(fail_census(s->call, ubi_breakdown_parse(&breakdown, json.raw, compat, a)));
    options.allocator = a;
    options.compat = compat;
    options.size_bytes = ubi_look_view(s->look)->size_bytes;
    ubi_status status = ubi_labels_new(&s->labels, s->graph, breakdown, &options);
    ubi_breakdown_unref(breakdown);
    return status;
}

static ubi_status row_sources_open(row_sources *s, ubi__task_call *call, ubi_session *session, const char *breakdown) {
    *s = (row_sources){ .call = call };
    UBI_TRY(use_begin(&s->use, call, session));
    UBI_TRY(ubi_session_look(&s->look, s->use));
    s->graph = ubi_look_view(s->look)->graph;
    UBI_TRY(ubi_session_dominators(&s->dominators, s->use, true));
    return labels_make(s, breakdown);
}

static void row_sources_close(row_sources *s) {
    ubi_paths_free(s->paths);
    ubi_labels_unref(s->labels);
    ubi_session_use_end(s->use);
}

static ubi_status paths_to(row_sources *s, const ubi__vec_u32 *nodes) {
    ubi_paths_options options = UBI_PATHS_OPTIONS_INIT;
    UBI_TRY(u32_get(&options.max_paths, s->call, "maxRetainingPaths", MAX_PATHS));
    options.allocator = ubi_session_use_allocator(s->use);
    options.progress = s->call->progress;
    return ubi__session_paths(&s->paths, s->use, nodes->at, (uint32_t)nodes->n, &options);
}

static ubi_status path_node_write(ubi__json *json, const row_sources *s, ubi_node_ix node) {
    const ubi_label *label;
    UBI_TRY(ubi_labels_get(&label, s->labels, node));
    ubi__json_object_begin(json);
    ubi__json_member_node_id(json, "id", ubi_graph_node_id(s->graph, node));
    ubi__json_key(json, "label");
    ubi__render_label(json, label);
    ubi__json_object_end(json);
    return UBI_OK;
}

static void path_edge_write(ubi__json *json, const row_sources *s, const ubi_path_edge *edge) {
    char digits[UBI_EDGE_LABEL_BYTES];
    ubi__json_object_begin(json);
    ubi__json_member_node_id(json, "from", ubi_graph_node_id(s->graph, edge->from));
    ubi__json_member_node_id(json, "to", ubi_graph_node_id(s->graph, edge->to));
    ubi__json_member_text(json, "name", ubi_graph_edge_label(s->graph, edge->edge, digits));
    ubi__json_object_end(json);
}

static ubi_status path_graph_write(ubi__json *json, const row_sources *s, const ubi_path_graph *paths) {
    uint32_t n_nodes;
    uint64_t n_edges;
    const ubi_node_ix *nodes = ubi_path_graph_nodes(paths, &n_nodes);
    const ubi_path_edge *edges = ubi_path_graph_edges(paths, &n_edges);
    ubi__json_member_object(json, "shortestPaths");
    ubi__json_member_array(json, "nodes");
    for (uint32_t i = 0; i < n_nodes; i++)
        UBI_TRY(path_node_write(json, s, nodes[i]));
    ubi__json_array_end(json);
    ubi__json_member_array(json, "edges");
    for (uint64_t i = 0; i < n_edges; i++)
        path_edge_write(json, s, &edges[i]);
    ubi__json_array_end(json);
    ubi__json_object_end(json);
    return UBI_OK;
}

typedef struct row_writer {
    const row_sources *sources;
    uint32_t next; /* of the targets, which are the rows in the order in which they are written */
} row_writer;

static ubi_status row_paths_write(void *payload, ubi__json *json, const ubi_dominator_row *row) {
    row_writer *w = payload;
    ubi_path_graph *paths;
    uint32_t target = w->next++;
    UBI_ASSERT(ubi_paths_target(w->sources->paths, target) == row->node);
    (void)row;
    UBI_TRY(ubi_path_graph_new(&paths, w->sources->paths, target, ubi_session_use_allocator(w->sources->use)));
    ubi_status status = path_graph_write(json, w->sources, paths);
    ubi_path_graph_free(paths);
    return status;
}

/* ---- computeDominatorTree, getDominatorTree ------------------------------------------------------------------------------- */

static ubi_status compute_dominator_tree(ubi__task_call *call) {
    const ubi_allocator *a = call->client->worker->allocator;
    ubi__client_snapshot *snapshot;
    ubi_session_use *use;
    const ubi_dominators *dominators;
    UBI_TRY(snapshot_of_data(&snapshot, call));
    UBI_TRY(use_begin(&use, call, snapshot->session));
    ubi_status status = ubi_session_dominators(&dominators, use, true);
    ubi_session_use_end(use);
    UBI_TRY(status);
    ubi__client_trees *trees = &call->client->trees;
    UBI_TRY(ubi__client_trees_reserve(trees, a, 1));
    trees->at[trees->n++] = (ubi__client_tree){ ubi_session_ref(snapshot->session), snapshot->reading };
    ubi__json_u64(call->out, trees->n - 1);
    return UBI_OK;
}

UBI_VEC_DECLARE(dominator_row_list, const ubi_dominator_node *);

static ubi_status rows_visit(ubi__vec_u32 *out, dominator_row_list *waiting, const ubi_dominator_node *tree) {
    UBI_TRY(dominator_row_list_push(waiting, ubi_allocator_default(), tree));
    while (waiting->n) {
        ubi_dominator_row row;
        ubi_dominator_node_get(waiting->at[--waiting->n], &row);
        UBI_TRY(ubi__vec_u32_push(out, ubi_allocator_default(), row.node));
        UBI_TRY(dominator_row_list_reserve(waiting, ubi_allocator_default(), row.n_children));
        for (uint32_t i = row.n_children; i-- > 0;)
            waiting->at[waiting->n++] = row.children[i];
    }
    return UBI_OK;
}

/* The nodes of all rows, each before those below it: in the order in which they are written. */
static ubi_status rows_list(ubi__vec_u32 *out, const ubi_dominator_node *tree) {
    dominator_row_list waiting = { 0 };
    ubi_status status = rows_visit(out, &waiting, tree);
    dominator_row_list_fini(&waiting, ubi_allocator_default());
    return status;
}

static ubi_status dominator_tree_write(row_sources *s, const ubi_dominator_node *tree) {
    ubi__vec_u32 nodes = { 0 };
    row_writer w = { s, 0 };
    ubi_status status = rows_list(&nodes, tree);
    if (status == UBI_OK)
        status = paths_to(s, &nodes);
    if (status == UBI_OK)
        status = ubi__render_dominator_tree_with(s->call->out, tree, row_paths_write, &w);
    ubi__vec_u32_fini(&nodes, ubi_allocator_default());
    return status;
}

static ubi_status dominator_tree_show(row_sources *s) {
    ubi_dominator_tree_options options = UBI_DOMINATOR_TREE_OPTIONS_INIT;
    ubi_dominator_node *tree;
    UBI_TRY(u32_get(&options.max_depth, s->call, "maxDepth", UBI_DOMINATOR_TREE_DEPTH));
    UBI_TRY(u32_get(&options.max_siblings, s->call, "maxSiblings", UBI_DOMINATOR_TREE_SIBLINGS));
    options.allocator = ubi_session_use_allocator(s->use);
    options.progress = s->call->progress;
    UBI_TRY(ubi_dominator_tree_partial(&tree, s->dominators, s->labels, &options));
    ubi_status status = dominator_tree_write(s, tree);
    ubi_dominator_node_unref(tree);
    return status;
}

static ubi_status get_dominator_tree(ubi__task_call *call) {
    ubi__client_tree *tree;
    row_sources s;
    UBI_TRY(tree_get(&tree, call, false));
    ubi_status status = row_sources_open(&s, call, tree->session, "breakdown");
    if (status == UBI_OK)
        status = dominator_tree_show(&s);
    row_sources_close(&s);
    return status;
}

/* ---- getImmediatelyDominated ----------------------------------------------------------------------------------------------- */

#define MAX_COUNT 50

static ubi_status node_get(ubi_node_ix *out, const row_sources *s) {
    ubi__json_value id = member_get(s->call->data, "nodeId");
    uint64_t number;
    if (ubi__json_value_u64(&number, &id) && ubi_graph_find(out, s->graph, number) == UBI_OK &&
        (*out == ubi_dominators_root(s->dominators) || ubi_dominators_immediate(s->dominators, *out) != UBI_NONE))
        return UBI_OK;
    s->call->error = UBI__TASK_ERROR;
    return ubi__fail(UBI_ENOTFOUND, "%.*s is not a node id in the dominator tree",
                     (int)(id.raw.len < 100 ? id.raw.len : 100), id.raw.ptr ? id.raw.ptr : "undefined");
}

static ubi_status rows_write(row_sources *s, ubi_dominator_node *const *rows, uint32_t n_rows) {
    ubi__vec_u32 nodes = { 0 };
    row_writer w = { s, 0 };
    ubi_status status = UBI_OK;
    ubi__json *json = s->call->out;
    for (uint32_t i = 0; status == UBI_OK && i < n_rows; i++)
        status = rows_list(&nodes, rows[i]);
    if (status == UBI_OK)
        status = paths_to(s, &nodes);
    ubi__vec_u32_fini(&nodes, ubi_allocator_default());
    ubi__json_member_array(json, "nodes");
    for (uint32_t i = 0; status == UBI_OK && i < n_rows; i++)
        status = ubi__render_dominator_tree_with(json, rows[i], row_paths_write, &w);
    ubi__json_array_end(json);
    return status;
}

static ubi_status page_write(row_sources *s, const ubi_dominator_page *page) {
    ubi__json *json = s->call->out;
    ubi__json_object_begin(json);
    UBI_TRY(rows_write(s, page->nodes, page->n_nodes));
    ubi__json_member_bool(json, "moreChildrenAvailable", page->has_more_children);
    ubi__json_member_array(json, "path");
    for (uint32_t i = 0; i < page->n_path; i++)
        ubi__json_node_id(json, page->path[i]);
    ubi__json_array_end(json);
    ubi__json_object_end(json);
    return UBI_OK;
}

static ubi_status dominated_show(row_sources *s) {
    ubi_dominator_page *page;
    ubi_node_ix node;
    uint32_t start, count;
    UBI_TRY(node_get(&node, s));
    UBI_TRY(u32_get(&start, s->call, "startIndex", 0));
    UBI_TRY(u32_get(&count, s->call, "maxCount", MAX_COUNT));
    UBI_TRY(ubi_dominator_page_new(&page, s->dominators, s->labels, node, start, count ? count : MAX_COUNT,
                                   ubi_session_use_allocator(s->use)));
    ubi_status status = page->n_nodes ? page_write(s, page)
                                      : ubi__fail(UBI_EINVAL, "NS_ERROR_ILLEGAL_VALUE: it dominates no more nodes");
    ubi_dominator_page_free(page);
    return status;
}

static ubi_status get_immediately_dominated(ubi__task_call *call) {
    ubi__client_tree *tree;
    row_sources s;
    UBI_TRY(tree_get(&tree, call, true));
    ubi_status status = row_sources_open(&s, call, tree->session, "breakdown");
    if (status == UBI_OK)
        status = dominated_show(&s);
    row_sources_close(&s);
    return status;
}

/* ---- getCensusIndividuals --------------------------------------------------------------------------------------------------- */

static ubi_status indices_get(ubi__vec_u32 *out, ubi__task_call *call) {
    ubi__json_value list = member_get(call->data, "indices"), value;
    ubi__json_cursor c;
    if (list.type != UBI__JSON_ARRAY)
        return fail_type(call, "indices", "an array of leaf indices");
    ubi__json_cursor_open(&c, list.raw, UBI__JSON_ARRAY);
    while (ubi__json_cursor_next_element(&c, &value)) {
        uint64_t index;
        if (!ubi__json_value_u64(&index, &value))
            return fail_type(call, "indices", "an array of leaf indices");
        if (index < UBI_NONE) /* others are in no report */
            UBI_TRY(ubi__vec_u32_push(out, ubi_allocator_default(), (uint32_t)index));
    }
    return UBI_OK;
}

/* More retained first; equal ones stay in the order of the census. */
typedef struct individual {
    ubi_node_ix node;
    uint64_t retained_bytes;
} individual;

UBI_VEC_DECLARE(individual_list, individual);

#define RETAINS_MORE(unused, a, b) ((a).retained_bytes > (b).retained_bytes)
UBI_SORT_DEFINE(individuals_sort, individual, int, RETAINS_MORE);

/* A node that was counted in several leaves, as an array breakdown does, is listed once. */
static ubi_status individuals_list(individual_list *out, const row_sources *s, const uint64_t *ids, uint64_t n) {
    const ubi_allocator *a = ubi_allocator_default();
    size_t n_words = (size_t)ubi_graph_node_count(s->graph) / 64 + 1;
    uint64_t *is_listed = ubi__calloc_array(a, n_words, sizeof *is_listed);
    ubi_status status = is_listed ? individual_list_reserve(out, a, n) : ubi__fail_nomem();
    for (uint64_t i = 0; status == UBI_OK && i < n; i++) {
        ubi_node_ix node;
        if (ubi_graph_find(&node, s->graph, ids[i]) != UBI_OK || ubi__has_bit(is_listed, node))
            continue;
        ubi__put_bit(is_listed, node);
        out->at[out->n++] = (individual){ node, ubi_dominators_retained_bytes(s->dominators, node) };
    }
    ubi__free_array(a, is_listed, n_words, sizeof *is_listed);
    return status;
}

static ubi_status individuals_order(individual_list *out) {
    const ubi_allocator *a = ubi_allocator_default();
    individual_list spare = { 0 };
    UBI_TRY(individual_list_reserve(&spare, a, out->n));
    if (out->n)
        individuals_sort(out->at, spare.at, out->n, 0);
    individual_list_fini(&spare, a);
    return UBI_OK;
}

/* The nodes that were counted in some leaves of a census. */
static ubi_status individuals_find(individual_list *out, row_sources *s, const ubi_breakdown *breakdown,
                                   const ubi__vec_u32 *leaves) {
    ubi_census_options options = UBI_CENSUS_OPTIONS_INIT;
    uint64_t *ids, n;
    options.allocator = ubi_session_use_allocator(s->use);
    options.progress = s->call->progress;
    options.compat = s->call->client->worker->compat;
    UBI_TRY(ubi_census_individuals(&ids, &n, s->graph, breakdown, leaves->at, (uint32_t)leaves->n, &options));
    ubi_status status = individuals_list(out, s, ids, n);
    if (status == UBI_OK)
        status = individuals_order(out);
    ubi_individuals_free(ids, n, options.allocator);
    return status;
}

static ubi_status individual_write(row_sources *s, ubi_node_ix node, row_writer *w) {
    ubi_dominator_node *alone;
    ubi_dominator_row row;
    UBI_TRY(ubi_dominator_node_new(&alone, s->dominators, s->labels, node, ubi_session_use_allocator(s->use)));
    ubi_dominator_node_get(alone, &row);
    row.has_more_children = false; /* a list has no levels */
    ubi__render_dominator_row(s->call->out, &row);
    ubi_status status = row_paths_write(w, s->call->out, &row);
    ubi__json_object_end(s->call->out);
    ubi_dominator_node_unref(alone);
    return status;
}

/* Each is a target of its own: no node is listed twice. */
static ubi_status individuals_write(row_sources *s, const individual_list *individuals, uint32_t max) {
    ubi__vec_u32 nodes = { 0 };
    row_writer w = { s, 0 };
    ubi__json *json = s->call->out;
    ubi_status status = UBI_OK;
    for (size_t i = 0; status == UBI_OK && i < individuals->n && i < max; i++)
        status = ubi__vec_u32_push(&nodes, ubi_allocator_default(), individuals->at[i].node);
    if (status == UBI_OK)
        status = nodes.n ? paths_to(s, &nodes)
                         : ubi__fail(UBI_EINVAL, "NS_ERROR_ILLEGAL_VALUE: no nodes were counted there");
    ubi__json_object_begin(json);
    ubi__json_member_array(json, "nodes");
    for (size_t i = 0; status == UBI_OK && i < nodes.n; i++)
        status = individual_write(s, nodes.at[i], &w);
    ubi__json_array_end(json);
    ubi__json_object_end(json);
    ubi__vec_u32_fini(&nodes, ubi_allocator_default());
    return status;
}

static ubi_status individuals_show(row_sources *s, const ubi_breakdown *breakdown, const ubi__vec_u32 *leaves) {
    individual_list individuals = { 0 };
    uint32_t max;
    ubi_status status = u32_get(&max, s->call, "maxIndividuals", UINT32_MAX);
    if (status == UBI_OK && leaves->n)
        status = individuals_find(&individuals, s, breakdown, leaves);
    if (status == UBI_OK)
        status = individuals_write(s, &individuals, max);
    individual_list_fini(&individuals, ubi_allocator_default());
    return status;
}

static ubi_status individuals_of_leaves(row_sources *s, const ubi__vec_u32 *leaves) {
    ubi__json_value json = member_get(s->call->data, "censusBreakdown");
    ubi_breakdown *breakdown;
    ubi_text text = is_given(&json) ? json.raw : (ubi_text){ NULL, 0 };
    UBI_TRY(fail_census(s->call, ubi_breakdown_parse(&breakdown, text, s->call->client->worker->compat, NULL)));
    ubi_status status = individuals_show(s, breakdown, leaves);
    ubi_breakdown_unref(breakdown);
    return status;
}

static ubi_status get_census_individuals(ubi__task_call *call) {
    ubi__client_tree *tree;
    ubi__vec_u32 leaves = { 0 };
    row_sources s = { .call = call };
    UBI_TRY(tree_get(&tree, call, true));
    ubi_status status = indices_get(&leaves, call);
    if (status == UBI_OK)
        status = row_sources_open(&s, call, tree->session, "labelBreakdown");
    if (status == UBI_OK)
        status = individuals_of_leaves(&s, &leaves);
    row_sources_close(&s);
    ubi__vec_u32_fini(&leaves, ubi_allocator_default());
    return status;
}

/* ---- all ---------------------------------------------------------------------------------------------------------------- */

static const ubi__worker_task tasks[] = {
    { "readHeapSnapshot", read_snapshot },
    { "deleteHeapSnapshot", delete_snapshot },
    { "getCreationTime", get_creation_time },
    { "takeCensus", take_census },
    { "takeCensusDiff", take_census_diff },
    { "computeDominatorTree", compute_dominator_tree },
    { "getDominatorTree", get_dominator_tree },
    { "getImmediatelyDominated", get_immediately_dominated },
    { "getCensusIndividuals", get_census_individuals },
};

const ubi__worker_task *ubi__worker_task_find(const char *name) {
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++)
        if (strcmp(tasks[i].name, name) == 0)
            return &tasks[i];
    return NULL;
}
