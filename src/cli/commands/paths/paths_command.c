/* SPDX-License-Identifier: MIT
 *
 * paths_command.c: `ubiheap paths`, why nodes are alive.
 */
#include <limits.h>

#include "base/alloc.h"
#include "cli/commands/paths/paths_page.h"
#include "cli/node_id.h"

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

static ubi_status parse(question *q, const paths_arguments *arguments, char **ids) {
    if (arguments->max_paths == 0)
        return ubi__fail(UBI_EINVAL, "--max-paths 0 leaves nothing to find, expected 1 or more");
    q->options.max_paths = arguments->max_paths < UINT32_MAX ? (uint32_t)arguments->max_paths : UINT32_MAX;
    if (arguments->from)
        UBI_TRY(ubi__node_id_parse(&q->from_id, arguments->from, "--from"));
    for (uint32_t i = 0; i < q->n; i++)
        UBI_TRY(ubi__node_id_parse(&q->ids[i], ids[i], "ID"));
    return UBI_OK;
}

static ubi_status find_nodes(question *q, const paths_arguments *arguments, const ubi_graph *graph) {
    if (arguments->from)
        UBI_TRY(ubi__node_id_find(&q->options.start, graph, q->from_id));
    for (uint32_t i = 0; i < q->n; i++)
        UBI_TRY(ubi__node_id_find(&q->targets[i], graph, q->ids[i]));
    return UBI_OK;
}

static ubi_status answer(ubi__cli *cli, const ubi__snapshot *snapshot, question *q, const paths_arguments *arguments) {
    ubi_view view = *ubi__snapshot_view(snapshot);
    ubi_paths *paths;
    UBI_TRY(find_nodes(q, arguments, snapshot->graph));
    q->options.progress = ubi__progress_line_callbacks(&cli->progress);
    UBI_TRY(ubi_paths_find(&paths, &view, q->targets, q->n, &q->options));
    ubi__progress_line_clear(&cli->progress);
    ubi__paths_answer a = { cli, snapshot, paths, q->options.max_paths, arguments->limit };
    ubi_status status = cli->common.json ? ubi__paths_document(&a) : ubi__paths_page(&a);
    ubi_paths_free(paths);
    return status;
}

static ubi_status ask(ubi__cli *cli, question *q, const paths_arguments *arguments, char **operands) {
    ubi__snapshot snapshot;
    if (!q->ids || !q->targets)
        return ubi__fail_nomem();
    UBI_TRY(parse(q, arguments, operands + 1));
    UBI_TRY(ubi__snapshot_open(&snapshot, cli, operands[0]));
    ubi_status status = answer(cli, &snapshot, q, arguments);
    ubi__snapshot_close(&snapshot);
    return status;
}

static ubi_status run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    const ubi_allocator *a = ubi_allocator_default();
    question q = { .n = (uint32_t)n_operands - 1, .options = UBI_PATHS_OPTIONS_INIT };
    (void)exit_code;
    q.ids = ubi__alloc_array(a, q.n, sizeof *q.ids);
    q.targets = ubi__alloc_array(a, q.n, sizeof *q.targets);
    ubi_status status = ask(cli, &q, values, operands);
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
    .run = run,
};
