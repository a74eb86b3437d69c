/* SPDX-License-Identifier: MIT
 *
 * paths_command.c: `ubiheap paths`, why nodes are alive.
 *
 * As text, each path is told twice: in one line of words, to be understood, and step by step, to be exact. Beginnings that a
 * path shares with one above are not listed again. As JSON there are paths, and de-duplicated graphs in Firefox's shape.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include <ubiheap/core/paths.h>

#include "base/alloc.h"
#include "base/human.h"
#include "base/text.h"
#include "cli/cli_files.h"
#include "cli/options.h"
#include "render/heap_labels.h"
#include "render/path_words.h"
#include "render/result_json.h"

typedef struct answer {
    ubi__cli *cli;
    const ubi__snapshot *snapshot;
    const ubi_paths *paths;
    uint32_t max_paths;
    uint64_t limit; /* lines per path, text only; 0: all */
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
    const ubi_paths *paths;
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
    ubi__display_text(p->out, p->style, ubi__node_title(p->graph, p->answer->snapshot->look, node, &buffer), columns);
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
    ubi__out_char(p->out, '\n');
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
    ubi__out_printf(p->out, "  %s\n", ubi__human_size(size, ubi_look_size_bytes(p->answer->snapshot->look, node)));
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
    ubi__path_view view = { p->graph, p->steps.at, length, ubi_paths_target(p->paths, target),
                            p->answer->snapshot->look };
    ubi__path_list_options options = { shared < LEAST_SHARED && shared < length ? 0 : shared, p->answer->limit };
    words_write(p, &view, path);
    if (options.skip)
        shared_write(p, like, shared, shared == length && length == ubi_paths_length(p->paths, target, like));
    if (options.skip < length)
        ubi__display_path_list(p->out, p->style, &view, &options);
    return UBI_OK;
}

static ubi_status paths_write(page *p) {
    for (uint32_t t = 0; t < ubi_paths_target_count(p->paths); t++) {
        if (t)
            ubi__out_char(p->out, '\n');
        head_write(p, t);
        for (uint32_t i = 0; i < ubi_paths_count(p->paths, t) && !p->out->has_failed; i++)
            UBI_TRY(path_write(p, t, i));
    }
    return UBI_OK;
}

static ubi_status page_write(const answer *q) {
    page p = { .out = &q->cli->output->out,
               .style = &q->cli->style,
               .answer = q,
               .graph = q->snapshot->graph,
               .paths = q->paths };
    ubi_status status = paths_write(&p);
    vec_step_fini(&p.steps, ubi_allocator_default());
    return status;
}

/* ---- JSON ---------------------------------------------------------------------------------------------------------- */

typedef struct document {
    ubi__json json;
    const ubi_graph *graph;
    const ubi_look *look;
    const ubi_paths *paths;
    const ubi__out *out;
    vec_step steps;
} document;

static void id_put(document *d, const char *key, ubi_node_ix node) {
    ubi__json_member_node_id(&d->json, key, ubi_graph_node_id(d->graph, node));
}

static void edge_label_put(document *d, const char *key, ubi_edge_ix edge) {
    char digits[UBI_EDGE_LABEL_BYTES];
    ubi__json_member_text(&d->json, key, ubi_graph_edge_label(d->graph, edge, digits));
    ubi__render_edge_kind(&d->json, d->graph, edge);
}

static void name_put(document *d, ubi_node_ix node) {
    ubi_look_name_buffer buffer;
    ubi__json_text(&d->json, ubi_look_display_name(d->look, node, &buffer));
}

static ubi_status path_put(document *d, uint32_t target, uint32_t path) {
    uint32_t length = ubi_paths_length(d->paths, target, path);
    d->steps.n = 0;
    UBI_TRY(vec_step_reserve(&d->steps, ubi_allocator_default(), length));
    ubi_paths_steps(d->steps.at, d->paths, target, path);
    ubi__json_array_begin(&d->json);
    for (uint32_t i = 0; i < length && !d->out->has_failed; i++) {
        ubi__json_object_begin(&d->json);
        id_put(d, "predecessor", d->steps.at[i].predecessor);
        edge_label_put(d, "edge", d->steps.at[i].edge);
        ubi__json_object_end(&d->json);
    }
    ubi__json_array_end(&d->json);
    return UBI_OK;
}

static ubi_status paths_put(document *d, uint32_t target) {
    ubi__json_member_array(&d->json, "paths");
    for (uint32_t i = 0; i < ubi_paths_count(d->paths, target) && !d->out->has_failed; i++)
        UBI_TRY(path_put(d, target, i));
    ubi__json_array_end(&d->json);
    return UBI_OK;
}

static void edge_put(document *d, const ubi_path_edge *edge) {
    ubi__json_object_begin(&d->json);
    id_put(d, "from", edge->from);
    id_put(d, "to", edge->to);
    edge_label_put(d, "name", edge->edge);
    ubi__json_object_end(&d->json);
}

/* The graph in Firefox's shape, with a name for each of its nodes. */
static void graph_put(document *d, const ubi_path_graph *path_graph) {
    uint32_t n_nodes;
    uint64_t n_edges;
    const ubi_node_ix *nodes = ubi_path_graph_nodes(path_graph, &n_nodes);
    const ubi_path_edge *edges = ubi_path_graph_edges(path_graph, &n_edges);
    ubi__json_member_object(&d->json, "deduplicated");
    ubi__json_member_array(&d->json, "nodes");
    for (uint32_t i = 0; i < n_nodes; i++)
        ubi__json_node_id(&d->json, ubi_graph_node_id(d->graph, nodes[i]));
    ubi__json_array_end(&d->json);
    ubi__json_member_array(&d->json, "edges");
    for (uint64_t i = 0; i < n_edges && !d->out->has_failed; i++)
        edge_put(d, &edges[i]);
    ubi__json_array_end(&d->json);
    ubi__json_object_end(&d->json);
    ubi__json_member_array(&d->json, "displayNames");
    for (uint32_t i = 0; i < n_nodes; i++)
        name_put(d, nodes[i]);
    ubi__json_array_end(&d->json);
}

static ubi_status target_put(document *d, uint32_t target) {
    ubi_node_ix node = ubi_paths_target(d->paths, target);
    ubi_path_graph *path_graph;
    ubi__json_object_begin(&d->json);
    id_put(d, "target", node);
    ubi__json_key(&d->json, "displayName");
    name_put(d, node);
    ubi__json_member_u64(&d->json, "rawSize", ubi_graph_node_size_bytes(d->graph, node));
    ubi__json_member_bool(&d->json, "reachable", ubi_graph_is_reachable(d->graph, node));
    UBI_TRY(paths_put(d, target));
    UBI_TRY(ubi_path_graph_new(&path_graph, d->paths, target, NULL));
    graph_put(d, path_graph);
    ubi_path_graph_free(path_graph);
    ubi__json_object_end(&d->json);
    return UBI_OK;
}

static ubi_status targets_put(document *d) {
    ubi__json_member_array(&d->json, "targets");
    for (uint32_t t = 0; t < ubi_paths_target_count(d->paths) && !d->out->has_failed; t++)
        UBI_TRY(target_put(d, t));
    ubi__json_array_end(&d->json);
    return UBI_OK;
}

static ubi_status document_write(const answer *q) {
    document d = {
        .graph = q->snapshot->graph, .look = q->snapshot->look, .paths = q->paths, .out = &q->cli->output->out
    };
    ubi__document_begin(&d.json, q->cli, "ubiheap.paths/1", q->snapshot->path);
    id_put(&d, "start", ubi_paths_start(d.paths));
    ubi__json_member_u64(&d.json, "maxPaths", q->max_paths);
    ubi_status status = targets_put(&d);
    if (status == UBI_OK)
        ubi__document_end(&d.json);
    vec_step_fini(&d.steps, ubi_allocator_default());
    return status;
}

/* ---- command -------------------------------------------------------------------------------------------------------- */

typedef struct paths_arguments {
    const char *from;
    uint64_t max_paths, limit;
} paths_arguments;

#define AT(field) offsetof(paths_arguments, field)

/* What is asked, by id and then by node. */
typedef struct question {
    uint64_t from_id;
    uint64_t *ids;        /* ids[n] */
    ubi_node_ix *targets; /* targets[n] */
    uint32_t n;
    ubi_paths_options options;
} question;

static ubi_status arguments_parse(question *q, const paths_arguments *arguments, char **ids) {
    if (arguments->max_paths == 0)
        return ubi__fail(UBI_EINVAL, "--max-paths 0 leaves nothing to find, expected 1 or more");
    q->options.max_paths = arguments->max_paths < UINT32_MAX ? (uint32_t)arguments->max_paths : UINT32_MAX;
    if (arguments->from)
        UBI_TRY(ubi__node_id_parse(&q->from_id, arguments->from, "--from"));
    for (uint32_t i = 0; i < q->n; i++)
        UBI_TRY(ubi__node_id_parse(&q->ids[i], ids[i], "ID"));
    return UBI_OK;
}

static ubi_status question_find_nodes(question *q, const paths_arguments *arguments, const ubi_graph *graph) {
    if (arguments->from)
        UBI_TRY(ubi__node_id_find(&q->options.start, graph, q->from_id));
    for (uint32_t i = 0; i < q->n; i++)
        UBI_TRY(ubi__node_id_find(&q->targets[i], graph, q->ids[i]));
    return UBI_OK;
}

static ubi_status paths_answer(ubi__cli *cli, const ubi__snapshot *snapshot, question *q,
                               const paths_arguments *arguments) {
    ubi_view view = *ubi__snapshot_view(snapshot);
    ubi_paths *paths;
    UBI_TRY(question_find_nodes(q, arguments, snapshot->graph));
    q->options.progress = ubi__progress_line_callbacks(&cli->progress);
    UBI_TRY(ubi_paths_find(&paths, &view, q->targets, q->n, &q->options));
    ubi__progress_line_clear(&cli->progress);
    answer a = { cli, snapshot, paths, q->options.max_paths, arguments->limit };
    ubi_status status = cli->common.wants_json ? document_write(&a) : page_write(&a);
    ubi_paths_free(paths);
    return status;
}

static ubi_status paths_find(ubi__cli *cli, question *q, const paths_arguments *arguments, char **operands) {
    ubi__snapshot snapshot;
    if (!q->ids || !q->targets)
        return ubi__fail_nomem();
    UBI_TRY(arguments_parse(q, arguments, operands + 1));
    UBI_TRY(ubi__snapshot_open(&snapshot, cli, operands[0]));
    ubi_status status = paths_answer(cli, &snapshot, q, arguments);
    ubi__snapshot_close(&snapshot);
    return status;
}

static ubi_status paths_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    const ubi_allocator *a = ubi_allocator_default();
    question q = { .n = (uint32_t)n_operands - 1, .options = UBI_PATHS_OPTIONS_INIT };
    (void)exit_code;
    q.ids = ubi__alloc_array(a, q.n, sizeof *q.ids);
    q.targets = ubi__alloc_array(a, q.n, sizeof *q.targets);
    ubi_status status = paths_find(cli, &q, values, operands);
    ubi__free_array(a, q.ids, q.n, sizeof *q.ids);
    ubi__free_array(a, q.targets, q.n, sizeof *q.targets);
    return status;
}

static const ubi__option options[] = {
    { "from", 0, UBI__OPTION_TEXT, AT(from), "ID", NULL, "where paths start; without it, the root", NULL },
    { "max-paths", 0, UBI__OPTION_NUMBER, AT(max_paths), "N", NULL, "find at most N paths to each node", "5" },
    UBI__ALIAS_LETTER('m'),
    UBI__OPTION_LIMIT(AT(limit), "text: list at most N lines of a path, the middle being left out; 0: all", "40"),
    UBI__OPTION_END,
};

static const ubi__example examples[] = {
    { "paths app.fxsnapshot 140720891387000", "why this node is alive" },
    { "paths --max-paths 1 app.fxsnapshot 140720891387000 140720891387064", "the shortest path to each of two" },
    { "paths --from 140720891380000 app.fxsnapshot 140720891387000", "how one node leads to another" },
    { "paths --json app.fxsnapshot 140720891387000 | jq '.targets[0].deduplicated'", "the paths as a graph" },
    { NULL, NULL },
};

const ubi__command ubi__command_paths = {
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
        "ID is the node's id in the file, in decimal or hexadecimal (0x...). 'ubiheap nodes', 'dominators', "
        "'report' and 'census --individuals' print ids. Many nodes cost hardly more than one.",
    .options = options,
    .examples = examples,
    .min_operands = 2,
    .max_operands = INT_MAX,
    .arguments_bytes = sizeof(paths_arguments),
    .run = paths_run,
};
