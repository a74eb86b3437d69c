/* SPDX-License-Identifier: MIT
 *
 * leaks_command.c: `ubiheap leaks`, what a program holds on to between snapshots.
 *
 * The newest snapshot stays open; of the others one at a time is, so that no more than two are in memory.
 */
#include <stdio.h>

#include "base/alloc.h"
#include "base/text.h"
#include "cli/commands/leaks/leaks_page.h"
#include "cli/commands/nodes/node_filter.h"
#include "cli/condition.h"

typedef struct leaks_arguments {
    const char *where, *control, *fail_on;
    bool engine;
    uint64_t limit;
} leaks_arguments;

#define AT(field) offsetof(leaks_arguments, field)

#define MOST_SNAPSHOTS 3

typedef struct job {
    ubi__cli *cli;
    const leaks_arguments *arguments;
    ubi__node_filter *filter;       /* owned, or NULL */
    ubi_leak_control *control;      /* owned, or NULL */
    char *controls[MOST_SNAPSHOTS]; /* its files */
    int n_controls;
} job;

/** The snapshots of one comparison, the newest last. */
typedef struct series {
    char **paths;
    int n;
} series;

/* ---- which nodes count -------------------------------------------------------------------------------------------- */

static ubi_status choose_into(uint64_t *bits, const job *j, const ubi__snapshot *snapshot) {
    ubi__node_table table = { .graph = snapshot->graph, .view = ubi__snapshot_view(snapshot), .look = snapshot->look };
    ubi__vec_u32 nodes = { 0 };
    table.progress = ubi__progress_line_callbacks(&j->cli->progress);
    ubi_status status = ubi__node_filter_select(&nodes, j->filter, &table, 0);
    ubi__progress_line_clear(&j->cli->progress);
    for (size_t i = 0; i < nodes.n && status == UBI_OK; i++)
        bits[nodes.at[i] / 64] |= UINT64_C(1) << (nodes.at[i] % 64);
    ubi__vec_u32_fini(&nodes, ubi_allocator_default());
    ubi__node_table_fini(&table);
    return status;
}

static size_t words_of(const ubi__snapshot *snapshot) {
    return ubi_graph_node_count(snapshot->graph) / 64 + 1;
}

/* A bit per node that --where lets pass; NULL without one. */
static ubi_status choose(uint64_t **out, const job *j, const ubi__snapshot *snapshot) {
    const ubi_allocator *a = ubi_allocator_default();
    *out = NULL;
    if (!j->filter)
        return UBI_OK;
    uint64_t *bits = ubi__calloc_array(a, words_of(snapshot), sizeof *bits);
    if (!bits)
        return ubi__fail_nomem();
    ubi_status status = choose_into(bits, j, snapshot);
    if (status == UBI_OK)
        *out = bits;
    else
        ubi__free_array(a, bits, words_of(snapshot), sizeof *bits);
    return status;
}

/* ---- one comparison ----------------------------------------------------------------------------------------------- */

static ubi_status compare_with(ubi_leak_finder *finder, const job *j, const series *s, ubi_leak_step step,
                               const ubi__snapshot *newest) {
    ubi__snapshot past;
    UBI_TRY(ubi__snapshot_open_like(&past, j->cli, s->paths[step], newest));
    ubi_class_scheme classes = ubi_lens_class_scheme(past.look);
    ubi_status status = ubi_leak_finder_compare(finder, step, &classes);
    ubi__progress_line_clear(&j->cli->progress);
    ubi__snapshot_close(&past);
    return status;
}

static ubi_str_ix role_of(const void *look, ubi_node_ix node) {
    return ubi_lens_node_role(look, node);
}

static ubi_leak_options options_of(const job *j, const ubi__snapshot *newest) {
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    options.progress = ubi__progress_line_callbacks(&j->cli->progress);
    options.threads = j->cli->common.threads < UINT32_MAX ? (unsigned)j->cli->common.threads : 0;
    options.reuses_ids = ubi_lens_reuses_ids(newest->look);
    options.engine = j->arguments->engine;
    options.control = j->control;
    options.name_of = role_of;
    options.name_payload = newest->look;
    return options;
}

static ubi_status search(ubi_leaks **out, ubi_leak_finder *finder, const job *j, const series *s,
                         const ubi__snapshot *newest) {
    UBI_TRY(compare_with(finder, j, s, UBI_LEAK_OLD, newest));
    if (s->n > 2)
        UBI_TRY(compare_with(finder, j, s, UBI_LEAK_NEW, newest));
    j->cli->subject = "leaks";
    ubi_status status = ubi_leak_finder_run(out, finder);
    ubi__progress_line_clear(&j->cli->progress);
    return status;
}

static ubi_status find_leaks(ubi_leaks **out, const job *j, const series *s, const ubi__snapshot *newest) {
    ubi_class_scheme classes = ubi_lens_class_scheme(newest->look);
    ubi_leak_options options = options_of(j, newest);
    ubi_leak_finder *finder;
    uint64_t *chosen;
    UBI_TRY(choose(&chosen, j, newest));
    options.chosen = chosen;
    ubi_status status = ubi_leak_finder_new(&finder, ubi__snapshot_view(newest), &classes, &options);
    if (status == UBI_OK) {
        status = search(out, finder, j, s, newest);
        ubi_leak_finder_free(finder);
    }
    ubi__free_array(ubi_allocator_default(), chosen, words_of(newest), sizeof *chosen);
    return status;
}

/* ---- the control -------------------------------------------------------------------------------------------------- */

static ubi_status find_control(job *j, const series *s) {
    ubi__snapshot newest;
    ubi_leaks *leaks;
    UBI_TRY(ubi__snapshot_open(&newest, j->cli, s->paths[s->n - 1]));
    ubi_status status = find_leaks(&leaks, j, s, &newest);
    if (status == UBI_OK) {
        status = ubi_leak_control_new(&j->control, leaks);
        ubi_leaks_free(leaks);
    }
    ubi__snapshot_close(&newest);
    return status;
}

/* The names in --control, split at commas where they stand: in the arguments of the process. */
static ubi_status split_control(job *j) {
    for (char *at = (char *)j->arguments->control; at;) {
        char *comma = strchr(at, ',');
        if (j->n_controls == MOST_SNAPSHOTS)
            return ubi__fail(UBI_EINVAL, "--control has more than %d files, expected OLD,NEW or OLD,NEW,NEWER",
                             MOST_SNAPSHOTS);
        j->controls[j->n_controls++] = at;
        if (comma)
            *comma++ = 0;
        at = comma;
    }
    return j->n_controls >= 2 ? UBI_OK
                              : ubi__fail(UBI_EINVAL, "--control has one file, expected OLD,NEW or OLD,NEW,NEWER");
}

static ubi_status take_control(job *j) {
    if (!j->arguments->control)
        return UBI_OK;
    UBI_TRY(split_control(j));
    return find_control(j, &(series){ j->controls, j->n_controls });
}

/* ---- conditions --------------------------------------------------------------------------------------------------- */

enum { FACT_LEAKED, FACT_COUNT, FACT_RETAINED, FACT_LARGEST, FACT_CLUSTERS, FACT_GROWTH, FACT_BYTES };

static const ubi_query_name facts[] = {
    { "leaked", "leaked objects, or those of a class", UBI_QUERY_NUMBER, UBI_QUERY_MAY_HAVE_ARGUMENT, false, true },
    { "count", "the same", UBI_QUERY_NUMBER, UBI_QUERY_MAY_HAVE_ARGUMENT, false, true },
    { "retained", "bytes that leaked objects keep, or the clusters of a class", UBI_QUERY_SIZE,
      UBI_QUERY_MAY_HAVE_ARGUMENT, false, true },
    { "largest", "bytes that the largest cluster keeps", UBI_QUERY_SIZE, UBI_QUERY_NO_ARGUMENT, false, true },
    { "clusters", "how many clusters there are", UBI_QUERY_NUMBER, UBI_QUERY_NO_ARGUMENT, false, false },
    { "growth", "bytes of the newest heap less those of OLD", UBI_QUERY_SIZE, UBI_QUERY_NO_ARGUMENT, false, true },
    { "bytes", "bytes of the newest heap", UBI_QUERY_SIZE, UBI_QUERY_NO_ARGUMENT, false, false },
    { NULL, NULL, UBI_QUERY_BOOL, UBI_QUERY_NO_ARGUMENT, false, false },
};

static uint64_t difference(uint64_t a, uint64_t b) {
    return a > b ? a - b : b - a;
}

static ubi_status measure(ubi__condition_value *out, void *payload, ubi_query_value value) {
    const ubi_leaks *leaks = payload;
    const ubi_leak_summary *s = ubi_leaks_summary(leaks);
    bool of_class = value.argument.ptr != NULL;
    *out = (ubi__condition_value){ .basis = s->heap[2].bytes };
    switch (value.name - facts) {
    case FACT_LEAKED:
    case FACT_COUNT:
        out->magnitude = of_class ? ubi_leaks_of_class(leaks, value.argument).count : s->leaked.count;
        out->basis = s->heap[2].count;
        break;
    case FACT_RETAINED:
        out->magnitude = of_class ? ubi_leaks_retained_by_class(leaks, value.argument) : s->retained_bytes;
        break;
    case FACT_LARGEST:
        out->magnitude = s->largest_bytes;
        break;
    case FACT_CLUSTERS:
        out->magnitude = s->n_clusters;
        break;
    case FACT_GROWTH:
        out->magnitude = difference(s->heap[2].bytes, s->heap[0].bytes);
        out->negative = s->heap[2].bytes < s->heap[0].bytes;
        out->basis = s->heap[0].bytes;
        break;
    default:
        out->magnitude = s->heap[2].bytes;
    }
    return UBI_OK;
}

/* ---- command ------------------------------------------------------------------------------------------------------ */

static ubi_status tell(job *j, const series *s, const ubi__snapshot *newest, const ubi_leaks *leaks) {
    const leaks_arguments *a = j->arguments;
    ubi__leaks_answer answer = { .cli = j->cli,
                                 .paths = s->paths,
                                 .n_paths = s->n,
                                 .controls = j->controls,
                                 .n_controls = j->n_controls,
                                 .where = a->where,
                                 .newest = newest,
                                 .leaks = leaks,
                                 .limit = a->limit };
    return j->cli->common.json ? ubi__leaks_document(&answer) : ubi__leaks_page(&answer);
}

static ubi_status find_and_tell(job *j, const series *s, const ubi__condition *condition, int *exit_code) {
    ubi__snapshot newest;
    ubi_leaks *leaks;
    UBI_TRY(ubi__snapshot_open(&newest, j->cli, s->paths[s->n - 1]));
    ubi_status status = find_leaks(&leaks, j, s, &newest);
    if (status == UBI_OK) {
        status = tell(j, s, &newest, leaks);
        j->cli->subject = "leaks";
        if (status == UBI_OK)
            status = ubi__condition_check_own(exit_code, j->cli, condition, measure, (void *)leaks);
        ubi_leaks_free(leaks);
    }
    ubi__snapshot_close(&newest);
    return status;
}

static ubi_status check_paths(const series *s) {
    int n_standard_inputs = 0;
    for (int i = 0; i < s->n; i++)
        n_standard_inputs += strcmp(s->paths[i], "-") == 0;
    return n_standard_inputs < 2 ? UBI_OK : ubi__fail(UBI_EINVAL, "only one file can come from standard input");
}

static ubi_status run_with(job *j, const series *s, const ubi__condition *condition, int *exit_code) {
    if (j->arguments->where)
        UBI_TRY(ubi__node_filter_new(&j->filter, j->arguments->where));
    UBI_TRY(take_control(j));
    return find_and_tell(j, s, condition, exit_code);
}

static ubi_status run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    const leaks_arguments *arguments = values;
    series s = { operands, n_operands };
    job j = { .cli = cli, .arguments = arguments };
    ubi__condition *condition;
    UBI_TRY(check_paths(&s));
    UBI_TRY(ubi__condition_parse_own(&condition, arguments->fail_on, facts));
    ubi_status status = run_with(&j, &s, condition, exit_code);
    ubi_leak_control_free(j.control);
    ubi__node_filter_free(j.filter);
    ubi__condition_free(condition);
    return status;
}

static const ubi__option options[] = {
    { "where", 'w', UBI__OPTION_TEXT, AT(where), "EXPR", NULL,
      "only nodes for which EXPR holds can be leaked; its names are the columns of 'ubiheap nodes'", NULL },
    { "control", 0, UBI__OPTION_TEXT, AT(control), "OLD,NEW", NULL,
      "snapshots of a run without the suspected action: what grows as much there is no leak", NULL },
    { "limit", 'n', UBI__OPTION_NUMBER, AT(limit), "N", NULL, "show at most N clusters; 0: all", "10" },
    { "engine", 0, UBI__OPTION_FLAG, AT(engine), NULL, NULL,
      "let objects of the engine be leaks, too: code, shapes, property tables", NULL },
    UBI__OPTION_FAIL_ON(AT(fail_on)),
    UBI__OPTION_END,
};

static bool fact_entry(size_t i, const char **word, const char **help) {
    *word = facts[i].name;
    *help = facts[i].help;
    return *word != NULL;
}

static const ubi__glossary glossary = { "Facts for --fail-on", fact_entry };

static const ubi__example examples[] = {
    { "leaks before.heapsnapshot after.heapsnapshot", "what is new, and who holds it" },
    { "leaks one.heapsnapshot two.heapsnapshot three.heapsnapshot", "what was new in two and is still there in three" },
    { "leaks --where 'className == \"Session\"' before.heapsnapshot after.heapsnapshot", "one suspect" },
    { "leaks --control idle1.heapsnapshot,idle2.heapsnapshot before.heapsnapshot after.heapsnapshot",
      "what only the work between the two leaks" },
    { "leaks --fail-on 'retained > 1MiB or count(Session) > 100' before.heapsnapshot after.heapsnapshot",
      "fail a job that leaks" },
    { NULL, NULL },
};

const ubi__command ubi__command_leaks = {
    .name = "leaks",
    .operands = "OLD NEW [NEWER]",
    .summary = "find what a program holds on to between snapshots, and who holds it",
    .description =
        "Compares snapshots of one run of a program. Leaked is what was not there in OLD but is in NEW; with NEWER, "
        "what "
        "is still there then. Three snapshots say much more than two: do the same work before each, and what is in the "
        "middle of something, and caches that fill up once, fall away. Collect garbage before each snapshot, as the "
        "engines do by themselves.\n"
        "\n"
        "A leaked object keeps others, and these are leaked, too. Listed are the outermost, in clusters: objects of "
        "one "
        "class that are held in one way, whatever the key or index. A cluster's retained size is that of everything "
        "new "
        "that is alive through its objects alone. Its holder is the nearest object on the way that was there before: "
        "what "
        "grew.\n"
        "\n"
        "What grew as much in a control, what was replaced one for one, and caches that are full stand at the end and "
        "do "
        "not count.\n"
        "\n"
        "Objects are told apart by node id. V8 (Node.js, Chrome) numbers objects for good. Ids of Firefox's snapshots "
        "are "
        "addresses: an object that the collector moved counts as new, and one of the same class at an address that was "
        "used before counts as old.\n",
    .options = options,
    .glossary = &glossary,
    .examples = examples,
    .min_operands = 2,
    .max_operands = 3,
    .arguments_bytes = sizeof(leaks_arguments),
    .run = run,
};
