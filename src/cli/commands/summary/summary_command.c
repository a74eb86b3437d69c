/* SPDX-License-Identifier: MIT
 *
 * summary_command.c: `ubiheap summary`, a heap by class as the tools of its producer show it.
 */
#include "base/alloc.h"
#include "base/suggest.h"
#include "base/text.h"
#include "cli/commands/summary/summary_page.h"
#include "cli/condition.h"

typedef struct summary_arguments {
    ubi__summary_choice_arguments choice;
    const char *class_name, *sort, *fail_on;
    uint64_t limit;
} summary_arguments;

#define AT(field) offsetof(summary_arguments, field)

typedef struct job {
    ubi__cli *cli;
    const summary_arguments *arguments;
    ubi__summary_choice choice;
    ubi__condition *condition; /* owned, or NULL */
    const ubi__snapshot *snapshot;
    ubi_summary *summary; /* owned */
    uint32_t *order;      /* owned; order[n_rows + 1]: rows to show */
    uint32_t n_found;
} job;

static const char *const sort_choices[] = { "retained", "self", "count", "distance", "name", NULL };

static ubi_summary_key sort_key(const char *sort) {
    static const ubi_summary_key keys[] = { UBI_SUMMARY_BY_RETAINED, UBI_SUMMARY_BY_SIZE, UBI_SUMMARY_BY_COUNT,
                                            UBI_SUMMARY_BY_DISTANCE, UBI_SUMMARY_BY_NAME };
    for (size_t i = 0; sort_choices[i]; i++)
        if (strcmp(sort, sort_choices[i]) == 0)
            return keys[i];
    return UBI_SUMMARY_BY_RETAINED;
}

/* ---- classes by name --------------------------------------------------------------------------------------------- */

static ubi_text class_name_at(const job *j, uint32_t row) {
    ubi_lens_class class;
    ubi_lens_class_get(j->snapshot->look, ubi_summary_row_at(j->summary, row)->class_ix, &class);
    return class.name;
}

static ubi_status fail_class(const job *j) {
    char word[UBI__SUGGESTED_BYTES + 1];
    ubi__suggestion best = ubi__suggestion_for(j->arguments->class_name);
    for (uint32_t i = 0; i < ubi_summary_row_count(j->summary); i++)
        ubi__suggestion_try_text(&best, word, class_name_at(j, i));
    if (best.word)
        return ubi__fail(UBI_ENOTFOUND, "there is no class '%s'; did you mean %s?", j->arguments->class_name,
                         best.word);
    return ubi__fail(UBI_ENOTFOUND, "there is no class '%s'", j->arguments->class_name);
}

static ubi_status keep_class(job *j) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < j->n_found; i++)
        if (ubi__text_is(class_name_at(j, j->order[i]), j->arguments->class_name))
            j->order[kept++] = j->order[i];
    j->n_found = kept;
    return kept ? UBI_OK : fail_class(j);
}

/* ---- showing ----------------------------------------------------------------------------------------------------- */

static uint64_t total_bytes(const job *j) {
    const ubi_dominators *d = ubi_summary_dominators(j->summary);
    return ubi_dominators_retained_bytes(d, ubi_dominators_root(d)) + ubi_lens_outside_bytes(j->snapshot->look);
}

static ubi_status show(job *j) {
    uint64_t limit = j->arguments->limit;
    uint32_t most = limit && limit < UBI_NONE ? (uint32_t)limit : UBI_NONE;
    ubi__summary_answer answer = {
        .summary = j->summary,
        .choice = &j->choice,
        .order = j->order,
        .n = j->n_found,
        .n_found = j->n_found,
        .class_name = j->arguments->class_name,
        .max_members = most,
        .total_bytes = total_bytes(j),
    };
    if (!j->arguments->class_name && most < answer.n)
        answer.n = most;
    ubi__progress_line_clear(&j->cli->progress);
    if (j->cli->common.json)
        return ubi__summary_document(j->cli, j->snapshot, &answer);
    return ubi__summary_page(j->cli, j->snapshot, &answer);
}

static ubi_status sort_and_show(job *j) {
    j->n_found = ubi_summary_row_count(j->summary);
    j->order = ubi__alloc_array(ubi_allocator_default(), j->n_found + (size_t)1, sizeof *j->order);
    if (!j->order)
        return ubi__fail_nomem();
    UBI_TRY(ubi_summary_sorted(j->order, j->summary, sort_key(j->arguments->sort)));
    if (j->arguments->class_name)
        UBI_TRY(keep_class(j));
    return show(j);
}

static ubi_status compute(job *j) {
    ubi_summary_options options = UBI_SUMMARY_OPTIONS_INIT;
    UBI_TRY(ubi__summary_choice_make(&j->choice, j->cli, j->snapshot));
    options.progress = ubi__progress_line_callbacks(&j->cli->progress);
    options.threads = j->cli->common.threads < UINT32_MAX ? (unsigned)j->cli->common.threads : 0;
    options.only = j->choice.only;
    return ubi_summary_new(&j->summary, j->snapshot->look, NULL, &options);
}

static ubi_status summarize(job *j, int *exit_code) {
    UBI_TRY(compute(j));
    UBI_TRY(sort_and_show(j));
    ubi__condition_facts facts = { .graph = j->snapshot->graph,
                                   .look = j->snapshot->look,
                                   .dominators = ubi_summary_dominators(j->summary),
                                   .n_matches = ubi_summary_node_count(j->summary) };
    return ubi__condition_check(exit_code, j->cli, j->condition, &facts);
}

/* ---- command ----------------------------------------------------------------------------------------------------- */

static ubi_status open_and_summarize(job *j, const char *path, int *exit_code) {
    ubi__snapshot snapshot;
    UBI_TRY(ubi__snapshot_open(&snapshot, j->cli, path));
    j->snapshot = &snapshot;
    ubi_status status = summarize(j, exit_code);
    if (j->order)
        ubi__free_array(ubi_allocator_default(), j->order, ubi_summary_row_count(j->summary) + (size_t)1,
                        sizeof *j->order);
    ubi_summary_free(j->summary);
    ubi__snapshot_close(&snapshot);
    return status;
}

static ubi_status run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    summary_arguments *arguments = values;
    arguments->sort = arguments->sort ? arguments->sort : "retained";
    job j = { .cli = cli, .arguments = arguments };
    (void)n_operands;
    ubi_status status = ubi__summary_choice_parse(&j.choice, &arguments->choice, operands[0]);
    if (status == UBI_OK)
        status = ubi__condition_parse(&j.condition, arguments->fail_on, UBI__CONDITION_SELECTION);
    if (status == UBI_OK)
        status = open_and_summarize(&j, operands[0], exit_code);
    ubi__condition_free(j.condition);
    ubi__summary_choice_fini(&j.choice);
    return status;
}

static const ubi__option options[] = {
    { "filter", 0, UBI__OPTION_TEXT, AT(choice.filter), "NAME", NULL,
      "only what passes one of the filters below, such as detached-dom", NULL },
    UBI__ALIAS_LETTER('f'),
    { "where", 'w', UBI__OPTION_TEXT, AT(choice.where), "EXPR", NULL,
      "only nodes for which this holds; the names are the columns of nodes", NULL },
    { "since", 0, UBI__OPTION_TEXT, AT(choice.since), "OLDER", NULL,
      "only what was allocated after the snapshot OLDER was taken, in the same process", NULL },
    { "until", 0, UBI__OPTION_TEXT, AT(choice.until), "OLDER", NULL,
      "only what was allocated before the snapshot OLDER was taken", NULL },
    { "context", 0, UBI__OPTION_TEXT, AT(choice.context), "ID", NULL,
      "only what belongs to this native context, is shared between several, or belongs to none", NULL },
    { "class", 0, UBI__OPTION_TEXT, AT(class_name), "NAME", NULL,
      "only classes of this name, with their nodes, those first that retain most", NULL },
    UBI__ALIAS_LETTER('c'),
    { "sort", 's', UBI__OPTION_CHOICE, AT(sort), "ORDER", sort_choices, "what comes first", "retained" },
    UBI__OPTION_LIMIT(AT(limit), "print the first N classes, or with --class the first N nodes of each; 0: all", "20"),
    UBI__OPTION_FAIL_ON(AT(fail_on)),
    UBI__OPTION_END,
};

static const ubi__example examples[] = {
    { "summary app.heapsnapshot", "the classes that keep most alive" },
    { "summary --filter detached-dom app.heapsnapshot", "what only detached DOM nodes keep" },
    { "summary --class Session app.heapsnapshot", "the sessions, the heaviest first" },
    { "summary --since before.heapsnapshot after.heapsnapshot", "what is new in the second and still there" },
    { NULL, NULL },
};

const ubi__command ubi__command_summary = {
    .name = "summary",
    .operands = "FILE",
    .summary = "list the classes of a heap with what they keep alive",
    .question = "Which classes keep the most memory alive?",
    .description =
        "Prints a row per class, as the Summary view of Chrome's DevTools: what the class retains, its own "
        "(shallow) size, the number of its objects, the least distance from the root, and its name with the place "
        "of the constructor if the file has it. The largest retained size comes first.\n"
        "\n"
        "Of objects that hold others of their class, only the outermost counts for what the class retains. "
        "Percentages are shares of the whole heap. Retained sizes add up to more than 100 %, because classes "
        "retain each other's objects. Nodes without a size are left out. Distance 'system': only the engine's own "
        "roots lead there; '-': nothing does.\n"
        "\n"
        "--filter, --where, --since, --until and --context may be combined; all must hold. --since and --until go "
        "by V8's ids, which grow with time, but not for nodes outside of the JavaScript heap.\n"
        "\n"
        "Firefox's snapshots: classes are those of the census. What the root does not reach is left out.",
    .options = options,
    .glossary = &ubi__summary_filters_glossary,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 1,
    .arguments_bytes = sizeof(summary_arguments),
    .run = run,
};
