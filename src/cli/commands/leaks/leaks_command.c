/* SPDX-License-Identifier: MIT
 *
 * leaks_command.c: `ubiheap leaks`, what a program holds on to between snapshots.
 *
 * The newest snapshot stays open and the others are opened one at a time, so at most two are in memory.
 */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/human.h"
#include "base/text.h"
#include "cli/commands/leaks/leaks_facts.h"
#include "cli/commands/leaks/leaks_page.h"
#include "cli/commands/leaks/leaks_series.h"
#include "lenses/producer.h"
#include "questions/node_filter.h"

typedef struct leaks_arguments {
    const char *where, *control, *verdicts, *fail_on;
    bool with_engine, must_reorder, may_be_other_process;
    uint64_t limit;
} leaks_arguments;

#define AT(field) offsetof(leaks_arguments, field)

typedef struct job {
    ubi__cli *cli;
    const leaks_arguments *arguments;
    ubi__node_filter *filter;   /* owned, or NULL */
    ubi_leak_control *control;  /* owned, or NULL */
    ubi__leaks_series controls; /* its files; owned */
    ubi__condition_names names; /* classes that --fail-on asks for */
    uint32_t verdicts;          /* those whose clusters count; 0: all that are leaks */
} job;

typedef ubi__leaks_series series;

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
static ubi_status verdicts_choose(uint64_t **out, const job *j, const ubi__snapshot *snapshot) {
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

/* ---- classes that --fail-on asks for ------------------------------------------------------------------------------ */

static void add_classes(ubi__condition_names *names, const ubi_class_scheme *classes) {
    ubi_class class;
    for (uint32_t i = 0; names->n && i < classes->n_classes; i++) {
        classes->describe(classes, i, &class);
        ubi__condition_names_add(names, class.name);
    }
}

/* ---- one comparison ----------------------------------------------------------------------------------------------- */

static ubi_status compare_with(ubi_leak_finder *finder, job *j, const series *s, uint32_t step,
                               const ubi__snapshot *newest) {
    ubi__snapshot past;
    UBI_TRY(ubi__snapshot_open_like(&past, j->cli, s->paths[step], newest));
    ubi_class_scheme classes = ubi_look_class_scheme(past.look);
    ubi_status status = j->arguments->may_be_other_process ? UBI_OK : ubi__leaks_check_format(&past, newest);
    if (status == UBI_OK)
        status = ubi_leak_finder_compare(finder, step, &classes);
    else
        j->cli->subject = "leaks";
    ubi__progress_line_clear(&j->cli->progress);
    add_classes(&j->names, &classes);
    ubi__snapshot_close(&past);
    return status;
}

static ubi_str_ix role_of(const void *look, ubi_node_ix node) {
    return ubi_look_node_role(look, node);
}

static uint64_t site_of(const void *look, ubi_node_ix node) {
    return ubi__code_site(look, node);
}

static ubi_leak_options options_of(const job *j, const ubi__snapshot *newest) {
    ubi_leak_options options = UBI_LEAK_OPTIONS_INIT;
    options.progress = ubi__progress_line_callbacks(&j->cli->progress);
    options.threads = ubi__cli_threads(j->cli);
    options.may_reuse_ids = ubi_look_reuses_ids(newest->look);
    options.with_engine = j->arguments->with_engine;
    options.control = j->control;
    options.verdicts = j->verdicts;
    options.id_mark_of = ubi_lens_id_mark;
    options.name_of = role_of;
    options.name_payload = newest->look;
    options.site_of = site_of;
    options.is_rope = ubi__node_is_rope;
    options.is_value = ubi__kind_is_value;
    return options;
}

static ubi_status leaks_search(ubi_leaks **out, ubi_leak_finder *finder, job *j, const series *s,
                               const ubi__snapshot *newest) {
    for (int i = 0; i + 1 < s->n; i++)
        UBI_TRY(compare_with(finder, j, s, (uint32_t)i, newest));
    j->cli->subject = "leaks";
    ubi_status status = ubi_leak_finder_run(out, finder);
    ubi__progress_line_clear(&j->cli->progress);
    return status;
}

static ubi_status find_leaks(ubi_leaks **out, job *j, const series *s, const ubi__snapshot *newest) {
    ubi_class_scheme classes = ubi_look_class_scheme(newest->look);
    ubi_leak_options options = options_of(j, newest);
    ubi_leak_finder *finder;
    uint64_t *chosen;
    UBI_TRY(verdicts_choose(&chosen, j, newest));
    add_classes(&j->names, &classes);
    options.chosen = chosen;
    ubi_status status = ubi_leak_finder_new(&finder, ubi__snapshot_view(newest), &classes, &options);
    if (status == UBI_OK) {
        status = leaks_search(out, finder, j, s, newest);
        ubi_leak_finder_free(finder);
    }
    ubi__free_array(ubi_allocator_default(), chosen, words_of(newest), sizeof *chosen);
    return status;
}

/* ---- the control -------------------------------------------------------------------------------------------------- */

static ubi_status check_control(const job *j, const series *s, const ubi_leaks *leaks) {
    char reason[UBI__LEAKS_REASON];
    bool allows = j->arguments->may_be_other_process;
    ubi_leak_fit fit = ubi__leaks_worst_fit(leaks, allows);
    UBI_TRY(ubi__leaks_check_order(s, leaks, allows, "--control"));
    return fit == UBI_LEAK_FITS ? UBI_OK
                                : ubi__fail(UBI_EFORMAT, "--control: %.440s", ubi__leaks_reason(reason, s, leaks, fit));
}

static ubi_status find_control(job *j, const series *s) {
    ubi__snapshot newest;
    ubi_leaks *leaks;
    UBI_TRY(ubi__snapshot_open(&newest, j->cli, s->paths[s->n - 1]));
    ubi_status status = find_leaks(&leaks, j, s, &newest);
    if (status == UBI_OK) {
        status = check_control(j, s, leaks);
        if (status == UBI_OK)
            status = ubi_leak_control_new(&j->control, leaks);
        ubi_leaks_free(leaks);
    }
    ubi__snapshot_close(&newest);
    return status;
}

static int count_names(const char *list) {
    int n = 1;
    for (; *list; list++)
        n += *list == ',';
    return n;
}

/* The names in --control, split at commas in place, in the process's arguments. */
static ubi_status split_control(job *j) {
    char *at = (char *)j->arguments->control;
    int n = count_names(at);
    if (n < 2)
        return ubi__fail(UBI_EINVAL, "--control has one file, expected OLD,NEW or OLD,NEW,NEWER");
    j->controls.paths = ubi__alloc_array(ubi_allocator_default(), (size_t)n, sizeof *j->controls.paths);
    if (!j->controls.paths)
        return ubi__fail_nomem();
    for (j->controls.n = n; n > 0; n--, at += strlen(at) + 1) {
        at[strcspn(at, ",")] = 0;
        j->controls.paths[j->controls.n - n] = at;
    }
    return UBI_OK;
}

static ubi_status take_control(job *j) {
    if (!j->arguments->control)
        return UBI_OK;
    UBI_TRY(split_control(j));
    if (j->arguments->must_reorder)
        UBI_TRY(ubi__leaks_reorder(&j->controls, j->cli));
    return find_control(j, &j->controls);
}

/* ---- command ------------------------------------------------------------------------------------------------------ */

static ubi_status leaks_show(const ubi__leaks_answer *answer) {
    return answer->cli->common.wants_json ? ubi__leaks_document(answer) : ubi__leaks_page(answer);
}

/* Less is the noise of any program. */
#define NOTABLE_BYTES (UINT64_C(1) << 20)

/* "passed, but this; that". */
static void UBI_PRINTF(2, 3) doubt_add(char reason[UBI__REASON_TEXT], const char *format, ...) {
    va_list arguments;
    size_t n = strlen(reason);
    va_start(arguments, format);
    n += (size_t)snprintf(reason + n, UBI__REASON_TEXT - n, n ? "; " : "passed, but ");
    vsnprintf(reason + n, UBI__REASON_TEXT - n, format, arguments);
    va_end(arguments);
}

static uint64_t growth_in_leaps(const ubi__leaks_answer *answer) {
    uint64_t bytes = ubi__leaks_growth_with_room(answer->leaks);
    return bytes > NOTABLE_BYTES ? bytes : 0;
}

/* By at least so much the heap grew with each step; 0: it did not, or by little. */
static uint64_t growth_with_each_step(const ubi__leaks_answer *answer) {
    uint64_t least = UINT64_MAX, in_old = ubi_leaks_heap(answer->leaks, 0)->tally.bytes;
    for (uint32_t i = 1; i < ubi_leaks_heap_count(answer->leaks); i++)
        least = ubi__smaller(least, ubi__subtract_u64(ubi_leaks_heap(answer->leaks, i)->tally.bytes,
                                                      ubi_leaks_heap(answer->leaks, i - 1)->tally.bytes));
    return answer->series.n > 2 && least > NOTABLE_BYTES && least > in_old / 10 ? least : 0;
}

static void doubt_growth(const ubi__leaks_answer *answer, char reason[UBI__REASON_TEXT]) {
    uint64_t untold_bytes = ubi__leaks_untold_growth(answer), leap_bytes = growth_in_leaps(answer);
    uint64_t step_bytes = growth_with_each_step(answer);
    char size[UBI__HUMAN_TEXT];
    if (untold_bytes)
        doubt_add(reason, "the heap grew by %s that no listed object accounts for; '%s > 1MiB' asks for it",
                  ubi__human_size(size, untold_bytes), answer->series.n > 2 ? "unlisted(steady)" : "unlisted(grew)");
    if (leap_bytes)
        doubt_add(reason,
                  "objects of OLD grew by %s with one of the two steps: set up once, or with room in "
                  "reserve, as a Map has; six snapshots decide",
                  ubi__human_size(size, leap_bytes));
    if (step_bytes && !untold_bytes && !leap_bytes)
        doubt_add(reason, "the heap grew by %s or more with each step", ubi__human_size(size, step_bytes));
}

/* What speaks against a gate that passed. */
static void tell_doubt(const ubi__leaks_answer *answer) {
    char *reason = answer->cli->reason;
    const char *unsized = ubi__without_size(answer->newest->graph);
    bool is_same_run = ubi__leaks_same_run(answer);
    if (!is_same_run)
        doubt_add(reason, "the files are of several processes: what grew from one to the other is unknown");
    else if (!ubi_leaks_order_is_known(answer->leaks))
        doubt_add(reason, "the order of the files could not be checked: neither ids nor times of creation show it");
    if (is_same_run)
        doubt_growth(answer, reason);
    if (unsized)
        doubt_add(reason, "%s have no size in these files", unsized);
}

/* A gate that cannot decide fails. */
static ubi_status leaks_judge(const ubi__leaks_answer *answer, const ubi__condition *condition, int *exit_code) {
    char reason[UBI__LEAKS_REASON];
    ubi__cli *cli = answer->cli;
    cli->subject = "leaks";
    if (answer->fit == UBI_LEAK_FITS) {
        UBI_TRY(ubi__condition_check_own(exit_code, cli, condition, ubi__leaks_measure, (void *)answer->leaks));
        if (condition && *exit_code == UBI__EXIT_OK)
            tell_doubt(answer);
        return UBI_OK;
    }
    snprintf(cli->reason, sizeof cli->reason, "%s",
             ubi__leaks_reason(reason, &answer->series, answer->leaks, answer->fit));
    *exit_code = UBI__EXIT_INPUT;
    return UBI_OK;
}

static ubi_status answer_with(job *j, const series *s, const ubi__snapshot *newest, const ubi_leaks *leaks,
                              const ubi__condition *condition, int *exit_code) {
    const leaks_arguments *a = j->arguments;
    ubi__leaks_answer answer = { .cli = j->cli,
                                 .series = *s,
                                 .controls = j->controls,
                                 .where = a->where,
                                 .verdicts = j->verdicts,
                                 .newest = newest,
                                 .leaks = leaks,
                                 .was_reordered = a->must_reorder,
                                 .fit = ubi__leaks_worst_fit(leaks, a->may_be_other_process),
                                 .limit = a->limit };
    UBI_TRY(ubi__leaks_check_order(s, leaks, a->may_be_other_process, NULL));
    UBI_TRY(leaks_show(&answer));
    UBI_TRY(leaks_judge(&answer, condition, exit_code));
    bool is_verdict_misspelt = answer.fit == UBI_LEAK_FITS && ubi__condition_names_tell(&j->names, j->cli, s->n);
    if (is_verdict_misspelt && *exit_code == UBI__EXIT_OK) {
        j->cli->reason[0] = 0;
        *exit_code = UBI__EXIT_USAGE;
    }
    return UBI_OK;
}

static ubi_status find_and_tell(job *j, const series *s, const ubi__condition *condition, int *exit_code) {
    ubi__snapshot newest;
    ubi_leaks *leaks;
    UBI_TRY(ubi__snapshot_open(&newest, j->cli, s->paths[s->n - 1]));
    ubi_status status = find_leaks(&leaks, j, s, &newest);
    if (status == UBI_OK) {
        status = answer_with(j, s, &newest, leaks, condition, exit_code);
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

/* Before anything is read. */
static ubi_status check_verdicts(job *j, const series *s, const ubi__condition *condition) {
    ubi__leaks_reach reach = { (uint32_t)s->n, j->arguments->control != NULL };
    UBI_TRY(ubi__leaks_parse_verdicts(&j->verdicts, j->arguments->verdicts, &reach));
    return ubi__leaks_check_condition(condition, &reach);
}

static ubi_status run_with(job *j, const series *s, const ubi__condition *condition, int *exit_code) {
    UBI_TRY(check_verdicts(j, s, condition));
    UBI_TRY(ubi__condition_names_init(&j->names, condition, &ubi__leaks_verdict_words));
    if (j->arguments->where)
        UBI_TRY(ubi__node_filter_new(&j->filter, j->arguments->where));
    UBI_TRY(take_control(j));
    if (j->arguments->must_reorder)
        UBI_TRY(ubi__leaks_reorder(s, j->cli));
    return find_and_tell(j, s, condition, exit_code);
}

static ubi_status leaks_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    const leaks_arguments *arguments = values;
    series s = { operands, n_operands };
    job j = { .cli = cli, .arguments = arguments };
    ubi__condition *condition;
    UBI_TRY(check_paths(&s));
    UBI_TRY(ubi__condition_parse_own(&condition, arguments->fail_on, ubi__leaks_facts));
    ubi_status status = run_with(&j, &s, condition, exit_code);
    ubi_leak_control_free(j.control);
    ubi__free_array(ubi_allocator_default(), j.controls.paths, (size_t)j.controls.n, sizeof *j.controls.paths);
    ubi__node_filter_free(j.filter);
    ubi__condition_names_fini(&j.names);
    ubi__condition_free(condition);
    return status;
}

static const ubi__parameter parameters[] = {
    UBI__TEXT("where", 'w', AT(where), "EXPR",
              "only nodes for which EXPR holds can be leaked; its names are the columns of 'ubiheap nodes'", NULL),
    UBI__TEXT("control", 0, AT(control), "OLD,NEW",
              "snapshots of a run without the suspected action: what grows as much there is no leak", NULL),
    UBI__FLAG(
        "reorder", 0, AT(must_reorder),
        "put the files into the order in which they were taken, by V8's ids or times of creation; reads them twice"),
    UBI__FLAG("allow-other-process", 0, AT(may_be_other_process),
              "compare files of several processes, too, instead of ending with status 3"),
    UBI__TEXT("verdict", 0, AT(verdicts), "LIST",
              "only clusters of these verdicts are shown and counted, such as steady,large; without: all that are "
              "leaks, and in a list of their own those that are probably none",
              NULL),
    UBI__LIMIT(AT(limit), "show at most N clusters; 0: all", "10"),
    UBI__FLAG("engine", 0, AT(with_engine), "let objects of the engine be leaks, too: code, shapes, property tables"),
    UBI__FAIL_ON(AT(fail_on)),
    UBI__PARAMETERS_END,
};

static bool fact_entry(size_t i, const char **word, const char **help) {
    *word = ubi__leaks_facts[i].name;
    *help = ubi__leaks_facts[i].help;
    return *word != NULL;
}

static const ubi__glossary glossary = { "Facts for --fail-on", fact_entry };

static const ubi__example examples[] = {
    { "leaks before.heapsnapshot after.heapsnapshot", "what is new, and who holds it" },
    { "leaks one.heapsnapshot two.heapsnapshot three.heapsnapshot", "what was new in two and is still there in three" },
    { "leaks --where 'className == \"Session\"' before.heapsnapshot after.heapsnapshot", "one suspect" },
    { "leaks --control idle1.heapsnapshot,idle2.heapsnapshot before.heapsnapshot after.heapsnapshot",
      "what only the work between the two leaks" },
    { "leaks --fail-on 'leaked(steady) > 50 or retained(steady) > 1MiB or grown(steady) > 1MiB or unlisted(steady) > "
      "1MiB' one.heapsnapshot "
      "two.heapsnapshot three.heapsnapshot",
      "fail a job that leaks" },
    { NULL, NULL },
};

static const ubi__usage usage = {
    .name = "leaks",
    .operands = "OLD NEW [NEWER]...",
    .summary = "find what a program holds on to between snapshots",
    .question = "What does my program hold on to, and who holds it?",
    .description =
        "Compares snapshots of one run of a program. Leaked is what was not there in the first but is in the last two; "
        "of two snapshots, what is in the second only. Three show much more than two: do the same work before each, "
        "and what is in the middle of something, and caches that fill up once, fall away. More make a series, such as "
        "'ubiheap run --snapshot-at 10s' takes: it shows in which steps each cluster grew, and how fast. Collect "
        "garbage before each snapshot, as the engines do by themselves.\n"
        "\n"
        "A leaked object keeps others, and these are leaked, too. Listed are the outermost, in clusters: objects of "
        "one class that are held in one way, whatever the key or index. A cluster's retained size is that of "
        "everything new that is alive through its objects alone. Its holder is the nearest object on the way that was "
        "there before: what grew.\n"
        "\n"
        "What grew as much in a control, what was replaced one for one, and caches that are full are listed at the end "
        "and do not count.\n"
        "\n"
        "The files must be of one process, and in the order in which they were taken. V8's ids show both; times of "
        "creation show the order, where files have them. Files in the wrong order end with status 2 and the right "
        "order. Files that cannot be compared, of several processes or the same one twice, end with status 3, with "
        "--fail-on or without.\n"
        "\n"
        "Objects are identified by node id. In V8 (Node.js, Chrome), an object keeps its id. Ids of Firefox's "
        "snapshots are addresses: an object that the collector moved counts as new, and one of the same class at an "
        "address that was used before counts as old.\n",
    .parameters = parameters,
    .glossary = &glossary,
    .examples = examples,
    .min_operands = 2,
    .max_operands = INT_MAX,
    .arguments_bytes = sizeof(leaks_arguments),
};

const ubi__command ubi__command_leaks = {
    .usage = &usage,
    .run = leaks_run,
};
