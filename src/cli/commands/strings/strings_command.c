/* SPDX-License-Identifier: MIT
 *
 * strings_command.c: `ubiheap strings`, what strings say and which say the same.
 */
#include "base/alloc.h"
#include "cli/commands/nodes/node_filter.h"
#include "cli/commands/strings/strings_audit.h"
#include "cli/commands/strings/strings_page.h"
#include "cli/condition.h"

typedef struct strings_arguments {
    bool duplicates, audit, all;
    uint64_t min_length, limit;
    const char *where, *sort, *fail_on;
} strings_arguments;

#define AT(field) offsetof(strings_arguments, field)

typedef struct job {
    ubi__cli *cli;
    const strings_arguments *arguments;
    ubi__node_filter *filter; /* owned, or NULL */
    const ubi__snapshot *snapshot;
    uint64_t *only; /* owned: a bit per node, or NULL */
    size_t n_words;
    ubi_dominators *dominators; /* owned */
    ubi_strings *strings;       /* owned */
} job;

static const char *const sort_choices[] = { "saves", "size", "count", "retained", "length", NULL };

static ubi_strings_key sort_key(const strings_arguments *a) {
    static const ubi_strings_key keys[] = { UBI_STRINGS_BY_WASTE, UBI_STRINGS_BY_SIZE, UBI_STRINGS_BY_COUNT,
                                            UBI_STRINGS_BY_RETAINED, UBI_STRINGS_BY_LENGTH };
    for (size_t i = 0; a->sort && sort_choices[i]; i++)
        if (strcmp(a->sort, sort_choices[i]) == 0)
            return keys[i];
    return a->duplicates ? UBI_STRINGS_BY_WASTE : UBI_STRINGS_BY_SIZE;
}

/* ---- choosing ------------------------------------------------------------------------------------------------------- */

static ubi_status mark(job *j, const ubi__vec_u32 *nodes) {
    j->n_words = ubi_graph_node_count(j->snapshot->graph) / 64 + 1;
    j->only = ubi__calloc_array(ubi_allocator_default(), j->n_words, sizeof *j->only);
    if (!j->only)
        return ubi__fail_nomem();
    for (size_t i = 0; i < nodes->n; i++)
        j->only[nodes->at[i] >> 6] |= UINT64_C(1) << (nodes->at[i] & 63);
    return UBI_OK;
}

static ubi_status choose(job *j) {
    ubi__vec_u32 nodes = { 0 };
    ubi__node_table table = { .graph = j->snapshot->graph,
                              .view = ubi__snapshot_view(j->snapshot),
                              .look = j->snapshot->look };
    table.progress = ubi__progress_line_callbacks(&j->cli->progress);
    ubi_status status = ubi__node_filter_select(&nodes, j->filter, &table, 0);
    if (status == UBI_OK)
        status = mark(j, &nodes);
    ubi__vec_u32_fini(&nodes, ubi_allocator_default());
    ubi__node_table_fini(&table);
    return status;
}

static ubi_status compute(job *j) {
    ubi_dominators_options dominator_options = UBI_DOMINATORS_OPTIONS_INIT;
    ubi_strings_options options = UBI_STRINGS_OPTIONS_INIT;
    if (j->filter)
        UBI_TRY(choose(j));
    options.progress = dominator_options.progress = ubi__progress_line_callbacks(&j->cli->progress);
    dominator_options.without_sets = true;
    dominator_options.threads = j->cli->common.threads < UINT32_MAX ? (unsigned)j->cli->common.threads : 0;
    if (ubi_strings_known(j->snapshot->graph))
        UBI_TRY(ubi_dominators_new(&j->dominators, ubi__snapshot_view(j->snapshot), &dominator_options));
    options.dominators = j->dominators;
    options.min_length = j->arguments->min_length < UINT32_MAX ? (uint32_t)j->arguments->min_length : UINT32_MAX;
    options.only = j->only;
    return ubi_strings_new(&j->strings, j->snapshot->look, &options);
}

static void show(const job *j, const uint32_t *order, uint32_t n) {
    uint64_t limit = j->arguments->limit;
    ubi__strings_answer answer = {
        .strings = j->strings,
        .order = order,
        .n = limit && limit < n ? (uint32_t)limit : n,
        .n_found = n,
        .duplicates = j->arguments->duplicates,
        .only_some = j->filter || j->arguments->min_length,
        .texts_known = ubi_strings_known(j->snapshot->graph),
    };
    ubi__progress_line_clear(&j->cli->progress);
    if (j->cli->common.json)
        ubi__strings_document(j->cli, j->snapshot, &answer);
    else
        ubi__strings_page(j->cli, j->snapshot, &answer);
}

static ubi_status sort_and_show(job *j) {
    const ubi_allocator *a = ubi_allocator_default();
    UBI_TRY(compute(j));
    size_t n_groups = (size_t)ubi_strings_group_count(j->strings) + 1;
    uint32_t n, *order = ubi__alloc_array(a, n_groups, sizeof *order);
    if (!order)
        return ubi__fail_nomem();
    ubi_status status =
        ubi_strings_sorted(order, &n, j->strings, sort_key(j->arguments), j->arguments->duplicates ? 2 : 1);
    if (status == UBI_OK)
        show(j, order, n);
    ubi__free_array(a, order, n_groups, sizeof *order);
    return status;
}

/* ---- command -------------------------------------------------------------------------------------------------------- */

static ubi_status open_and_show(job *j, const char *path) {
    ubi__snapshot snapshot;
    UBI_TRY(ubi__snapshot_open(&snapshot, j->cli, path));
    j->snapshot = &snapshot;
    ubi_status status = sort_and_show(j);
    ubi_strings_free(j->strings);
    ubi_dominators_free(j->dominators);
    ubi__free_array(ubi_allocator_default(), j->only, j->n_words, sizeof *j->only);
    ubi__snapshot_close(&snapshot);
    return status;
}

static ubi_status check(const strings_arguments *a) {
    if (a->audit && (a->duplicates || a->min_length || a->where || a->sort))
        return ubi__fail(UBI_EINVAL,
                         "--audit is of all words of the file: --duplicates, --min-length, --where and --sort "
                         "do not go with it");
    if (!a->audit && (a->all || a->fail_on))
        return ubi__fail(UBI_EINVAL, "%s goes with --audit only", a->all ? "--all" : "--fail-on");
    return UBI_OK;
}

static ubi_status run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    job j = { .cli = cli, .arguments = values };
    (void)n_operands;
    UBI_TRY(check(j.arguments));
    if (j.arguments->audit) {
        ubi__audit_wishes wishes = { j.arguments->all, j.arguments->limit, j.arguments->fail_on };
        return ubi__strings_audit(cli, operands[0], &wishes, exit_code);
    }
    if (j.arguments->where)
        UBI_TRY(ubi__node_filter_new(&j.filter, j.arguments->where));
    ubi_status status = open_and_show(&j, operands[0]);
    ubi__node_filter_free(j.filter);
    return status;
}

static const ubi__option options[] = {
    { "duplicates", 0, UBI__OPTION_FLAG, AT(duplicates), NULL, NULL, "only texts that are there more than once", NULL },
    UBI__ALIAS_LETTER('d'),
    { "min-length", 0, UBI__OPTION_NUMBER, AT(min_length), "N", NULL, "only texts of N characters or more", "0" },
    { "where", 'w', UBI__OPTION_TEXT, AT(where), "EXPR", NULL,
      "only strings for which this holds; the names are the columns of nodes", NULL },
    { "sort", 's', UBI__OPTION_CHOICE, AT(sort), "ORDER", sort_choices, "what comes first",
      "saves with --duplicates, else size" },
    UBI__OPTION_LIMIT(AT(limit), "print the first N texts, or words of each group; 0: all", "20"),
    { "audit", 0, UBI__OPTION_FLAG, AT(audit), NULL, NULL,
      "list the words of all texts of FILE, not only of strings, that convert --anonymize would replace; FILE may also "
      "be a "
      "recording or a timeline",
      NULL },
    { "all", 0, UBI__OPTION_FLAG, AT(all), NULL, NULL, "with --audit: also words of engines and libraries", NULL },
    { "fail-on", 0, UBI__OPTION_TEXT, AT(fail_on), "EXPR", NULL,
      "with --audit: exit with status 1 and say why when this condition holds, such as 'words > 0'", NULL },
    UBI__OPTION_END,
};

static const ubi__example examples[] = {
    { "strings --duplicates app.heapsnapshot", "what is there more than once, and what one copy would save" },
    { "strings app.heapsnapshot", "how long strings are, and the largest" },
    { "strings --duplicates --sort retained --limit 50 --json app.heapsnapshot",
      "the fifty duplicates that DevTools list first" },
    { "strings --audit --fail-on 'words > 0' shared.ubirec", "what a file still says, before it is sent" },
    { NULL, NULL },
};

const ubi__command ubi__command_strings = {
    .name = "strings",
    .operands = "FILE",
    .summary = "list strings by their text, and find duplicates",
    .question = "Which strings take the most memory, or are there more than once?",
    .description =
        "Groups the strings of FILE by their text. A row is a text: with --duplicates, what one copy in place of all "
        "would save; how many strings have it; what one takes on average; what they retain together; the id of the "
        "first; and the text.\n"
        "\n"
        "Texts are compared as in Chrome's DevTools. V8 saves the first 1,024 characters of a string, so longer ones "
        "that begin alike count as equal, unless the file has their lengths and hashes. A string that a program put "
        "together with + is joined from its parts up to that length. Slices of other strings have no text in the file; "
        "they are counted but not compared.\n"
        "\n"
        "Firefox's snapshots hold sizes of strings, but no texts.\n"
        "\n"
        "With --audit, FILE is any snapshot, recording or timeline, and rows are words of its names, URLs, paths, "
        "frames, "
        "command line and strings: in how many texts each stands, and one of them. They are grouped by where they "
        "stand, and what looks most like an address, a number, a token or a path comes first. Words of engines and "
        "well-known libraries are left out, as are replacements of --anonymize. So a file to be sent should have none. "
        "Facts of --fail-on: words, replaced, indices (element numbers above 999).",
    .options = options,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 1,
    .arguments_bytes = sizeof(strings_arguments),
    .run = run,
};
