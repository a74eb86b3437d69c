/* SPDX-License-Identifier: MIT
 *
 * paths_question.c: why nodes are alive.
 *
 * As text, each path is shown twice: in one line of words, to be understood, and step by step, to be exact. Beginnings that a
 * path shares with one above are not listed again. As JSON there are paths, and de-duplicated graphs in Firefox's shape.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include <ubiheap/core/paths.h>

#include "analyses/paths/paths_outside.h"
#include "base/alloc.h"
#include "base/human.h"
#include "base/text.h"
#include "base/u64_map.h"
#include "questions/question.h"
#include "render/heap_labels.h"
#include "render/path_words.h"
#include "render/result_json.h"

typedef struct paths_values {
    ubi__node_id from;
    ubi__vec_u64 nodes;
    uint64_t max_paths, limit; /* limit: lines per path, page only; 0: all */
    uint64_t steps, offset;    /* of a path, document only; 0 steps: all */
} paths_values;

#define AT(field) offsetof(paths_values, field)

typedef struct answer {
    const paths_values *values;
    const ubi_look *look;
    const ubi_graph *graph;
    uint32_t max_paths;
    ubi_node_ix *targets; /* owned: targets[values->nodes.n] */
    ubi_paths *paths;     /* owned */
    ubi_paths
        *outside; /* owned: of the targets that have none, by edges that the view leaves out; NULL: no such targets */
} answer;

UBI_VEC_DECLARE(vec_step, ubi_path_step);

/* ---- text ---------------------------------------------------------------------------------------------------------- */

#define LEAST_COLUMNS 20
/* Lines of words for one path. */
#define WORD_LINES 3
/* Paths above that one is compared with. */
#define COMPARED 16
/* A shorter common start is listed again: a reference would take as many lines. */
#define LEAST_SHARED 2

typedef struct page {
    ubi__out *out;
    const ubi__style *style;
    const answer *answer;
    const ubi_graph *graph;
    const ubi_paths *paths; /* of the current target */
    bool is_outside;
    vec_step steps; /* of the current path */
} page;

static void ink(const page *p, ubi__ink color) {
    ubi__display_ink(p->out, p->style, color);
}

static size_t room_after(const page *p, size_t used) {
    return p->style->columns > used + LEAST_COLUMNS ? p->style->columns - used : LEAST_COLUMNS;
}

static void label_write(const page *p, ubi_node_ix node, size_t columns) {
    ubi_look_name_buffer buffer;
    ubi__display_text(p->out, p->style, ubi__node_title(p->graph, p->answer->look, node, &buffer), columns);
}

static void id_write(const page *p, ubi_node_ix node) {
    ink(p, UBI__INK_DIM);
    ubi__out_printf(p->out, "  %" PRIu64, ubi_graph_node_id(p->graph, node));
    ink(p, UBI__INK_PLAIN);
}

/* ---- head --------------------------------------------------------------------------------------------------------- */

static void start_write(const page *p) {
    ubi_node_ix start = ubi_paths_start(p->paths);
    if (start == ubi_graph_root(p->graph)) {
        ubi__out_string(p->out, "the root");
        return;
    }
    label_write(p, start, LEAST_COLUMNS);
    ubi__out_printf(p->out, " %" PRIu64, ubi_graph_node_id(p->graph, start));
}

static void count_write(const page *p, uint32_t n) {
    char count[UBI__HUMAN_TEXT];
    if (n == p->answer->max_paths && n > 1)
        ubi__out_printf(p->out, "The %s shortest paths from ", ubi__human_count(count, n));
    else if (n == p->answer->max_paths)
        ubi__out_string(p->out, "The shortest path from ");
    else
        ubi__out_printf(p->out, "%s from ", ubi__human_things(count, n, "path"));
    start_write(p);
    ubi__out_string(p->out, p->is_outside ? ", by references that the engine's own tools leave out\n" : "\n");
}

/* Why there is no path, in one or two lines. */
static void reason_write(const page *p, ubi_node_ix target) {
    ubi_node_ix start = ubi_paths_start(p->paths), root = ubi_graph_root(p->graph);
    if (target == start) {
        ubi__out_string(p->out, "No path: nothing that it reaches leads back to it.\n");
        return;
    }
    ubi__out_string(p->out, "No path from ");
    start_write(p);
    if (start == root)
        ubi__out_string(p->out, ": nothing that the root reaches leads here.\n"
                                "It is in the file, but nothing in the file keeps it alive.\n");
    else if (target == root)
        ubi__out_string(p->out, " leads here.\n");
    else
        ubi__out_printf(p->out, " leads here; the root %s.\n",
                        ubi_graph_is_reachable(p->graph, target) ? "keeps it in other ways"
                                                                 : "does not reach it either");
}

static void head_write(const page *p, uint32_t target) {
    char size[UBI__HUMAN_TEXT];
    ubi_node_ix node = ubi_paths_target(p->paths, target);
    uint32_t n = ubi_paths_count(p->paths, target);
    ink(p, UBI__INK_BOLD);
    label_write(p, node, room_after(p, 40));
    ink(p, UBI__INK_PLAIN);
    id_write(p, node);
    ubi__out_printf(p->out, "  %s\n", ubi__human_size(size, ubi_look_size_bytes(p->answer->look, node)));
    if (n)
        count_write(p, n);
    else
        reason_write(p, node);
}

/* ---- paths -------------------------------------------------------------------------------------------------------- */

/* The earlier path with the longest common start, and how many steps they share. */
static uint32_t most_shared(uint32_t *like, const page *p, uint32_t target, uint32_t path) {
    uint32_t most = 0;
    for (uint32_t i = path < COMPARED ? 0 : path - COMPARED; i < path; i++) {
        uint32_t shared = ubi_paths_shared(p->paths, target, i, path);
        if (shared <= most)
            continue;
        most = shared;
        *like = i;
    }
    return most;
}

static void shared_write(const page *p, uint32_t like, uint32_t shared, bool whole) {
    char path[UBI__HUMAN_TEXT], steps[UBI__HUMAN_TEXT];
    ubi__human_count(path, (uint64_t)like + 1);
    ink(p, UBI__INK_DIM);
    if (whole)
        ubi__out_printf(p->out, "        all steps as in path %s\n", path);
    else
        ubi__out_printf(p->out, "        steps 1 to %s as in path %s\n", ubi__human_count(steps, shared), path);
    ink(p, UBI__INK_PLAIN);
}

static void words_write(const page *p, const ubi__path_view *view, uint32_t path) {
    char number[UBI__HUMAN_TEXT], title[UBI__HUMAN_TEXT + 8];
    snprintf(title, sizeof title, "Path %s", ubi__human_count(number, (uint64_t)path + 1));
    ubi__out_char(p->out, '\n');
    ink(p, UBI__INK_BOLD);
    ubi__out_string(p->out, title);
    ink(p, UBI__INK_PLAIN);
    ubi__out_string(p->out, "  ");
    size_t used = strlen(title) + 2;
    ubi__display_path_wrapped(p->out, p->style, view, room_after(p, used), WORD_LINES, used);
}

static ubi_status path_write(page *p, uint32_t target, uint32_t path) {
    uint32_t length = ubi_paths_length(p->paths, target, path), like = 0;
    uint32_t shared = most_shared(&like, p, target, path);
    p->steps.n = 0;
    UBI_TRY(vec_step_reserve(&p->steps, ubi_allocator_default(), length));
    ubi_paths_steps(p->steps.at, p->paths, target, path);
    ubi__path_view view = { p->graph, p->steps.at, length, ubi_paths_target(p->paths, target), p->answer->look };
    ubi__path_list_options options = { shared < LEAST_SHARED && shared < length ? 0 : shared,
                                       p->answer->values->limit };
    words_write(p, &view, path);
    if (options.skip)
        shared_write(p, like, shared, shared == length && length == ubi_paths_length(p->paths, target, like));
    if (options.skip < length)
        ubi__display_path_list(p->out, p->style, &view, &options);
    return UBI_OK;
}

static ubi_status paths_write(page *p) {
    uint32_t n_outside = 0;
    for (uint32_t t = 0; t < ubi_paths_target_count(p->answer->paths); t++) {
        const ubi__target_paths of = ubi__target_paths_next(p->answer->paths, p->answer->outside, t, &n_outside);
        p->paths = of.paths;
        p->is_outside = of.is_outside;
        if (t)
            ubi__out_char(p->out, '\n');
        head_write(p, of.target);
        for (uint32_t i = 0; i < ubi_paths_count(of.paths, of.target) && !p->out->has_failed; i++)
            UBI_TRY(path_write(p, of.target, i));
    }
    return UBI_OK;
}

static ubi_status paths_page(const ubi__page *out, const void *answer_of, const ubi__asked *asked) {
    const answer *a = answer_of;
    page p = { .out = out->out, .style = &out->style, .answer = a, .graph = a->graph };
    (void)asked;
    ubi_status status = paths_write(&p);
    vec_step_fini(&p.steps, ubi_allocator_default());
    return status;
}

/* ---- JSON ---------------------------------------------------------------------------------------------------------- */

typedef struct document {
    ubi__json *json;
    const ubi_graph *graph;
    const ubi_look *look;
    const ubi_paths *paths; /* of the current target */
    const paths_values *values;
    vec_step steps; /* of a path, then those of it that are given */
} document;

static void id_put(document *d, const char *key, ubi_node_ix node) {
    ubi__json_member_node_id(d->json, key, ubi_graph_node_id(d->graph, node));
}

static void edge_label_put(document *d, const char *key, ubi_edge_ix edge) {
    char digits[UBI_EDGE_LABEL_BYTES];
    ubi__json_member_text(d->json, key, ubi_graph_edge_label(d->graph, edge, digits));
    ubi__render_edge_kind(d->json, d->graph, edge);
}

static void name_put(document *d, ubi_node_ix node) {
    ubi_look_name_buffer buffer;
    ubi__json_text(d->json, ubi_look_display_name(d->look, node, &buffer));
}

static void title_put(document *d, ubi_node_ix node) {
    ubi_look_name_buffer buffer;
    ubi__json_text(d->json, ubi__node_title(d->graph, d->look, node, &buffer));
}

static ubi_status steps_get(document *d, uint32_t target, uint32_t path) {
    uint32_t length = ubi_paths_length(d->paths, target, path);
    d->steps.n = 0;
    UBI_TRY(vec_step_reserve(&d->steps, ubi_allocator_default(), length));
    ubi_paths_steps(d->steps.at, d->paths, target, path);
    d->steps.n = length;
    return UBI_OK;
}

/* ---- some of the steps -------------------------------------------------------------------------------------------- */

/*
 * A node is given where it is among the steps that are wanted of some path. So paths that are the same up to some node stay the same, and
 * what is left out between two nodes is one way.
 */
typedef struct shortening {
    ubi__u64_map given;    /* nodes */
    ubi__u64_map left_out; /* of a pair of nodes: how many are between them */
    vec_step steps;        /* that are given, of all paths */
    ubi__vec_u32 lengths;  /* how many of each path; those of which none is given are not there */
} shortening;

static bool is_wanted(const paths_values *values, size_t step, size_t length) {
    if (values->offset)
        return step >= values->offset && step - values->offset < values->steps;
    return step < values->steps - values->steps / 2 || length - step <= values->steps / 2;
}

static ubi_status nodes_give(shortening *s, document *d, uint32_t target) {
    for (uint32_t path = 0; path < ubi_paths_count(d->paths, target); path++) {
        UBI_TRY(steps_get(d, target, path));
        for (size_t i = 0; i < d->steps.n; i++)
            if (is_wanted(d->values, i, d->steps.n))
                UBI_TRY(ubi__u64_map_put(&s->given, d->steps.at[i].predecessor, 1));
    }
    return UBI_OK;
}

static ubi_status left_out_note(shortening *s, ubi_node_ix from, ubi_node_ix to, size_t n) {
    return n ? ubi__u64_map_put(&s->left_out, ubi__u64_pair(from, to), (uint32_t)n) : UBI_OK;
}

/* Of d->steps those that are given stay. */
static ubi_status steps_shorten(shortening *s, document *d, ubi_node_ix target) {
    ubi_path_step *at = d->steps.at;
    size_t n_given = 0, last = 0, length = d->steps.n;
    for (size_t i = 0; i < length; i++) {
        if (ubi__u64_map_get(&s->given, at[i].predecessor) == UBI_NONE)
            continue;
        if (n_given)
            UBI_TRY(left_out_note(s, at[n_given - 1].predecessor, at[i].predecessor, i - last - 1));
        last = i;
        at[n_given++] = at[i];
    }
    if (n_given)
        UBI_TRY(left_out_note(s, at[n_given - 1].predecessor, target, length - last - 1));
    d->steps.n = n_given;
    return UBI_OK;
}

static ubi_status steps_keep(shortening *s, const document *d) {
    const ubi_allocator *a = ubi_allocator_default();
    if (d->steps.n == 0)
        return UBI_OK;
    UBI_TRY(vec_step_reserve(&s->steps, a, d->steps.n));
    memcpy(&s->steps.at[s->steps.n], d->steps.at, d->steps.n * sizeof *d->steps.at);
    s->steps.n += d->steps.n;
    return ubi__vec_u32_push(&s->lengths, a, (uint32_t)d->steps.n);
}

static void shortening_fini(shortening *s) {
    ubi__u64_map_fini(&s->given);
    ubi__u64_map_fini(&s->left_out);
    vec_step_fini(&s->steps, ubi_allocator_default());
    ubi__vec_u32_fini(&s->lengths, ubi_allocator_default());
}

/* "leftOut": how many nodes are between two that are next to each other. @param s  NULL: none is left out. False: none is. */
static bool left_out_put(document *d, const shortening *s, ubi_node_ix from, ubi_node_ix to) {
    uint32_t n = s ? ubi__u64_map_get(&s->left_out, ubi__u64_pair(from, to)) : UBI_NONE;
    if (n == UBI_NONE)
        return false;
    ubi__json_member_u64(d->json, "leftOut", n);
    return true;
}

/* ---- paths -------------------------------------------------------------------------------------------------------- */

/* The steps at hand. */
static void path_put(document *d, const shortening *s, ubi_node_ix target) {
    ubi__json_array_begin(d->json);
    for (size_t i = 0; i < d->steps.n && !d->json->has_failed; i++) {
        ubi_node_ix next = i + 1 < d->steps.n ? d->steps.at[i + 1].predecessor : target;
        ubi__json_object_begin(d->json);
        id_put(d, "predecessor", d->steps.at[i].predecessor);
        edge_label_put(d, "edge", d->steps.at[i].edge);
        left_out_put(d, s, d->steps.at[i].predecessor, next);
        ubi__json_object_end(d->json);
    }
    ubi__json_array_end(d->json);
}

static ubi_status paths_put(document *d, shortening *s, uint32_t target) {
    ubi_node_ix node = ubi_paths_target(d->paths, target);
    ubi__json_member_array(d->json, "paths");
    for (uint32_t i = 0; i < ubi_paths_count(d->paths, target) && !d->json->has_failed; i++) {
        UBI_TRY(steps_get(d, target, i));
        if (s) {
            UBI_TRY(steps_shorten(s, d, node));
            UBI_TRY(steps_keep(s, d));
        }
        path_put(d, s, node);
    }
    ubi__json_array_end(d->json);
    return UBI_OK;
}

static void lengths_put(document *d, uint32_t target) {
    ubi__json_member_array(d->json, "lengths");
    for (uint32_t i = 0; i < ubi_paths_count(d->paths, target); i++)
        ubi__json_u64(d->json, ubi_paths_length(d->paths, target, i));
    ubi__json_array_end(d->json);
}

/* ---- graphs ------------------------------------------------------------------------------------------------------- */

static void edge_put(document *d, const shortening *s, const ubi_path_edge *edge) {
    ubi__json_object_begin(d->json);
    id_put(d, "from", edge->from);
    id_put(d, "to", edge->to);
    if (left_out_put(d, s, edge->from, edge->to)) {
        ubi__json_key(d->json, "name");
        ubi__json_null(d->json);
    } else {
        edge_label_put(d, "name", edge->edge);
    }
    ubi__json_object_end(d->json);
}

/* The graph in Firefox's shape, with a name for each of its nodes. */
static void graph_put(document *d, const shortening *s, const ubi_path_graph *path_graph) {
    uint32_t n_nodes;
    uint64_t n_edges;
    const ubi_node_ix *nodes = ubi_path_graph_nodes(path_graph, &n_nodes);
    const ubi_path_edge *edges = ubi_path_graph_edges(path_graph, &n_edges);
    ubi__json_member_object(d->json, "deduplicated");
    ubi__json_member_array(d->json, "nodes");
    for (uint32_t i = 0; i < n_nodes; i++)
        ubi__json_node_id(d->json, ubi_graph_node_id(d->graph, nodes[i]));
    ubi__json_array_end(d->json);
    ubi__json_member_array(d->json, "edges");
    for (uint64_t i = 0; i < n_edges && !d->json->has_failed; i++)
        edge_put(d, s, &edges[i]);
    ubi__json_array_end(d->json);
    ubi__json_object_end(d->json);
    ubi__json_member_array(d->json, "displayNames");
    for (uint32_t i = 0; i < n_nodes; i++)
        name_put(d, nodes[i]);
    ubi__json_array_end(d->json);
    ubi__json_member_array(d->json, "titles");
    for (uint32_t i = 0; i < n_nodes; i++)
        title_put(d, nodes[i]);
    ubi__json_array_end(d->json);
}

static ubi_status graph_make(ubi_path_graph **out, const document *d, const shortening *s, uint32_t target) {
    if (!s)
        return ubi_path_graph_new(out, d->paths, target, NULL);
    return ubi_path_graph_from_steps(out, d->graph, ubi_paths_target(d->paths, target), s->steps.at, s->lengths.at,
                                     (uint32_t)s->lengths.n, NULL);
}

/* @param s  NULL: all steps are given. */
static ubi_status ways_put(document *d, shortening *s, uint32_t target) {
    ubi_path_graph *path_graph;
    if (s) {
        UBI_TRY(nodes_give(s, d, target));
        lengths_put(d, target);
    }
    UBI_TRY(paths_put(d, s, target));
    UBI_TRY(graph_make(&path_graph, d, s, target));
    graph_put(d, s, path_graph);
    ubi_path_graph_free(path_graph);
    return UBI_OK;
}

static ubi_status short_ways_put(document *d, uint32_t target) {
    shortening s = { .steps = { .n = 0 } };
    ubi__u64_map_init(&s.given, ubi_allocator_default());
    ubi__u64_map_init(&s.left_out, ubi_allocator_default());
    ubi_status status = ways_put(d, &s, target);
    shortening_fini(&s);
    return status;
}

static ubi_status target_put(document *d, uint32_t target, bool is_outside) {
    ubi_node_ix node = ubi_paths_target(d->paths, target);
    ubi__json_object_begin(d->json);
    id_put(d, "target", node);
    ubi__json_key(d->json, "displayName");
    name_put(d, node);
    ubi__json_member_u64(d->json, "rawSize", ubi_graph_node_size_bytes(d->graph, node));
    ubi__json_member_bool(d->json, "reachable", ubi_graph_is_reachable(d->graph, node));
    if (is_outside && ubi_paths_count(d->paths, target))
        ubi__json_member_bool(d->json, "outside", true);
    UBI_TRY(d->values->steps ? short_ways_put(d, target) : ways_put(d, NULL, target));
    ubi__json_object_end(d->json);
    return UBI_OK;
}

static ubi_status targets_put(document *d, const answer *a) {
    uint32_t n_outside = 0;
    ubi__json_member_array(d->json, "targets");
    for (uint32_t t = 0; t < ubi_paths_target_count(a->paths) && !d->json->has_failed; t++) {
        const ubi__target_paths of = ubi__target_paths_next(a->paths, a->outside, t, &n_outside);
        d->paths = of.paths;
        UBI_TRY(target_put(d, of.target, of.is_outside));
    }
    ubi__json_array_end(d->json);
    return UBI_OK;
}

static ubi_status paths_document(ubi__json *json, const void *answer_of, const ubi__asked *asked) {
    const answer *a = answer_of;
    document d = { .json = json, .graph = a->graph, .look = a->look, .values = a->values };
    (void)asked;
    id_put(&d, "start", ubi_paths_start(a->paths));
    ubi__json_member_u64(json, "maxPaths", a->max_paths);
    ubi_status status = targets_put(&d, a);
    vec_step_fini(&d.steps, ubi_allocator_default());
    return status;
}

/* ---- answer --------------------------------------------------------------------------------------------------------- */

static ubi_status targets_find(answer *a, const ubi__asked *asked) {
    const ubi__vec_u64 *ids = &a->values->nodes;
    a->targets = ubi__alloc_array(ubi__asked_allocator(asked), ids->n, sizeof *a->targets);
    if (!a->targets)
        return ubi__fail_nomem();
    for (size_t i = 0; i < ids->n; i++)
        UBI_TRY(ubi__node_id_find(&a->targets[i], a->graph, ids->at[i]));
    return UBI_OK;
}

/* What the walk is kept for is asked again. */
static ubi_status paths_find(answer *a, const ubi__asked *asked, const ubi_paths_options *options) {
    const ubi_view *view = ubi_look_view(a->look);
    uint32_t n = (uint32_t)a->values->nodes.n;
    bool is_kept = !asked->is_asked_once && !a->values->from.is_given;
    UBI_TRY(is_kept ? ubi__session_paths(&a->paths, ubi__asked_heap(asked), a->targets, n, options)
                    : ubi_paths_find(&a->paths, view, a->targets, n, options));
    return ubi__paths_find_outside(&a->outside, a->paths, view, options);
}

static ubi_status paths_compute(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    ubi_paths_options options = UBI_PATHS_OPTIONS_INIT;
    const paths_values *values = a->values = asked->values;
    if (values->offset && !values->steps)
        return ubi__fail(UBI_EINVAL, "--offset goes with --steps");
    a->max_paths = options.max_paths = values->max_paths < UINT32_MAX ? (uint32_t)values->max_paths : UINT32_MAX;
    options.allocator = ubi__asked_allocator(asked);
    options.progress = ubi__asked_progress(asked);
    UBI_TRY(ubi_session_look(&a->look, ubi__asked_heap(asked)));
    a->graph = ubi_look_view(a->look)->graph;
    if (values->from.is_given)
        UBI_TRY(ubi__node_id_find(&options.start, a->graph, values->from.id));
    UBI_TRY(targets_find(a, asked));
    return paths_find(a, asked, &options);
}

static void paths_release(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    ubi_paths_free(a->paths);
    ubi_paths_free(a->outside);
    if (a->targets)
        ubi__free_array(ubi__asked_allocator(asked), a->targets, a->values->nodes.n, sizeof *a->targets);
}

/* ---- question ------------------------------------------------------------------------------------------------------- */

static const ubi__parameter parameters[] = {
    UBI__NODES("nodes", 0, AT(nodes), "ID", "the nodes, by their ids", NULL, .is_operand = true, .is_required = true),
    UBI__NODE("from", 0, AT(from), "ID", "where paths start; without it, the root", NULL),
    UBI__NUMBER("max-paths", 0, AT(max_paths), "N", "find at most N paths to each node", "5", .least = 1),
    UBI__ALIAS_LETTER('m'),
    UBI__LIMIT(AT(limit), "text: list at most N lines of a path, the middle being left out; 0: all", "40",
               .scope = UBI__SCOPE_PAGE),
    UBI__NUMBER("steps", 0, AT(steps), "N",
                "of each path give at most N steps, half of them at either end, and say how many are left out; 0: all",
                "0", .scope = UBI__SCOPE_PROGRAM),
    UBI__NUMBER("offset", 0, AT(offset), "N", "with steps: leave the first N steps of each path out, and give the next",
                "0", .scope = UBI__SCOPE_PROGRAM),
    UBI__PARAMETERS_END,
};

static const ubi__example examples[] = {
    { "paths app.fxsnapshot 140720891387000", "why this node is alive" },
    { "paths --max-paths 1 app.fxsnapshot 140720891387000 140720891387064", "the shortest path to each of two" },
    { "paths --from 140720891380000 app.fxsnapshot 140720891387000", "how one node leads to another" },
    { "paths --json app.fxsnapshot 140720891387000 | jq '.targets[0].deduplicated'", "the paths as a graph" },
    { NULL, NULL },
};

const ubi__usage ubi__usage_paths = {
    .name = "paths",
    .operands = "FILE ID...",
    .summary = "show why nodes are alive: the shortest paths to them",
    .question = "Why is this node alive?",
    .description =
        "Prints the shortest paths from the root to each node. Each path is a reason why the node is alive: it is "
        "freed when every path to it is cut somewhere.\n"
        "\n"
        "Each path is shown twice: in one line of words, and step by step, with the exact names of references and "
        "the ids of nodes. The words write properties and elements as a script would, and leave out what only the "
        "engine knows.\n"
        "\n"
        "Paths are those of Firefox. Several paths to a node differ in the last step, or in where that comes from; "
        "the way up to there is the one found first. So there may be more paths than are shown.\n"
        "\n"
        "Where the references that the engine's own tools count lead nowhere, such as in a server with a scope that "
        "its "
        "page reaches by a WeakMap alone, all that keep objects alive are followed; then the first line says so.\n"
        "\n"
        "ID is the node's id in the file, in decimal or hexadecimal (0x...). 'ubiheap nodes', 'dominators', "
        "'report' and 'census --individuals' print ids. Many nodes cost hardly more than one.",
    .parameters = parameters,
    .examples = examples,
    .min_operands = 2,
    .max_operands = INT_MAX,
    .arguments_bytes = sizeof(paths_values),
};

const ubi__question ubi__question_paths = {
    .usage = &ubi__usage_paths,
    .schema = "ubiheap.paths/1",
    .least_heaps = 1,
    .most_heaps = 1,
    .answer_bytes = sizeof(answer),
    .compute = paths_compute,
    .document = paths_document,
    .page = paths_page,
    .release = paths_release,
};
