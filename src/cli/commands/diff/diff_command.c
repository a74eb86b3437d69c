/* SPDX-License-Identifier: MIT
 *
 * diff_command.c: `ubiheap diff`, what changed between two snapshots.
 *
 * There are three views. A breakdown gives the difference of two censuses; --by class compares node by node; and without
 * either a text page shows the classes and the places in the source that changed most.
 */
#include <ubiheap/core/diff.h>

#include "base/alloc.h"
#include "base/text.h"
#include "cli/cli_files.h"
#include "cli/commands/diff/diff_page.h"
#include "cli/condition.h"
#include "questions/breakdown_choice.h"
#include "render/result_json.h"

typedef struct diff_arguments {
    ubi__breakdown_arguments by;
    const char *view;
    const char *sort;
    const char *fail_on;
} diff_arguments;

#define AT(field) offsetof(diff_arguments, field)

typedef struct job {
    ubi__cli *cli;
    const diff_arguments *arguments;
    const ubi__breakdown_choice *chosen;
    ubi__snapshot old_snapshot, new_snapshot;
} job;

/* ---- by id ------------------------------------------------------------------------------------------------------ */

/* Where ids are stable, DevTools show new minus deleted. */
static bool shows_net(const job *j) {
    return !ubi_look_reuses_ids(j->new_snapshot.look);
}

static ubi_status take_classes(ubi_class_diff **out, const job *j) {
    ubi_class_diff_options options = UBI_CLASS_DIFF_OPTIONS_INIT;
    ubi_class_scheme start = ubi_look_class_scheme(j->old_snapshot.look);
    ubi_class_scheme end = ubi_look_class_scheme(j->new_snapshot.look);
    options.progress = ubi__progress_line_callbacks(&j->cli->progress);
    options.order = shows_net(j) ? UBI_CLASS_ORDER_NET : UBI_CLASS_ORDER_CHANGE;
    if (j->arguments->sort && strcmp(j->arguments->sort, "growth") == 0)
        options.order = UBI_CLASS_ORDER_GROWTH;
    j->cli->subject = "diff";
    return ubi_class_diff_new(out, &start, &end, &options);
}

/* Ids give the order only for heaps of one process. Checked only if they contradict the given order. */
static ubi_status look_at_process(ubi__diff_pair *pair, const job *j) {
    ubi_class_diff *diff;
    pair->is_one_process = true;
    if (!ubi__diff_doubts_order(pair))
        return UBI_OK;
    UBI_TRY(take_classes(&diff, j));
    pair->is_one_process = ubi_class_diff_is_same_process(diff, !shows_net(j));
    ubi_class_diff_free(diff);
    return UBI_OK;
}

/* ---- documents -------------------------------------------------------------------------------------------------- */

static void write_tally(ubi__json *json, const char *key, const ubi_tally *tally) {
    ubi__json_member_object(json, key);
    ubi__json_member_u64(json, "count", tally->count);
    ubi__json_member_u64(json, "bytes", tally->bytes);
    ubi__json_object_end(json);
}

static void write_side(ubi__json *json, const char *key, const ubi__snapshot *snapshot, const ubi_tally *total) {
    ubi__json_member_object(json, key);
    ubi__json_member_string(json, "file", snapshot->path);
    ubi__json_member_u64(json, "count", total->count);
    ubi__json_member_u64(json, "bytes", total->bytes);
    ubi__json_object_end(json);
}

static void begin_document(ubi__json *json, ubi__cli *cli, const ubi__diff_pair *pair) {
    ubi__document_open(json, cli, "ubiheap.diff/1");
    write_side(json, "old", pair->old_snapshot, &pair->old_total);
    write_side(json, "new", pair->new_snapshot, &pair->new_total);
}

/* ---- by breakdown ----------------------------------------------------------------------------------------------- */

typedef struct censuses {
    ubi_census *old_census, *new_census; /* owned */
    ubi_census_diff *diff;               /* owned */
} censuses;

static ubi_status take_census(ubi_census **out, ubi__cli *cli, const ubi__snapshot *snapshot,
                              const ubi_breakdown *breakdown, ubi_compat compat) {
    ubi_census_options options = UBI_CENSUS_OPTIONS_INIT;
    options.progress = ubi__progress_line_callbacks(&cli->progress);
    options.compat = compat;
    cli->subject = strcmp(snapshot->path, "-") == 0 ? "standard input" : snapshot->path;
    return ubi_census_take(out, snapshot->graph, breakdown, &options);
}

static void censuses_fini(censuses *c) {
    ubi_census_diff_free(c->diff);
    ubi_census_free(c->old_census);
    ubi_census_free(c->new_census);
}

static ubi_status censuses_take(censuses *c, const job *j, const ubi_breakdown *breakdown, ubi_compat compat) {
    UBI_TRY(take_census(&c->old_census, j->cli, &j->old_snapshot, breakdown, compat));
    UBI_TRY(take_census(&c->new_census, j->cli, &j->new_snapshot, breakdown, compat));
    j->cli->subject = "diff";
    return ubi_census_diff_new(&c->diff, c->old_census, c->new_census);
}

static ubi_tally total_of(const ubi_census *census) {
    return (ubi_tally){ ubi_census_node_count(census), ubi_census_size_bytes(census) };
}

static ubi__diff_pair pair_of(const job *j, ubi_tally old_total, ubi_tally new_total) {
    return (ubi__diff_pair){ &j->old_snapshot, &j->new_snapshot, old_total, new_total, true };
}

static ubi_status write_delta_json(const job *j, const ubi__diff_pair *pair, const ubi_census_diff *diff,
                                   const ubi_census_tree *tree) {
    ubi__json json;
    begin_document(&json, j->cli, pair);
    ubi__breakdown_write_json(&json, j->chosen);
    ubi__json_member_i64(&json, "basisTotalBytes", ubi_census_diff_basis_bytes(diff));
    ubi__json_member_i64(&json, "basisTotalCount", ubi_census_diff_basis_count(diff));
    ubi__json_key(&json, tree ? "tree" : "delta");
    UBI_TRY(tree ? ubi__render_census_tree(&json, tree) : ubi__render_delta(&json, ubi_census_diff_delta(diff)));
    ubi__document_end(&json);
    return UBI_OK;
}

static bool is_empty(const ubi_census_tree *tree) {
    ubi_census_node root;
    ubi_census_tree_node(tree, ubi_census_tree_root(tree), &root);
    return root.n_children == 0 && root.bytes == 0 && root.count == 0;
}

static int64_t census_growth(uint64_t from, uint64_t to) {
    uint64_t size = to > from ? to - from : from - to;
    int64_t magnitude = size > INT64_MAX ? INT64_MAX : (int64_t)size;
    return to > from ? magnitude : -magnitude;
}

static ubi_status write_tree_text(const job *j, ubi__diff_pair *pair, const ubi_census_tree *tree) {
    ubi__out *out = j->cli->page.out;
    ubi__census_text_options options = ubi__breakdown_text_options(&j->arguments->by, j->chosen, j->cli->compat);
    ubi__census_text_growth by = { census_growth(pair->old_total.bytes, pair->new_total.bytes),
                                   census_growth(pair->old_total.count, pair->new_total.count) };
    options.growth = &by;
    UBI_TRY(look_at_process(pair, j));
    ubi__diff_write_head(j->cli, pair);
    ubi__out_char(out, '\n');
    if (!is_empty(tree))
        return ubi__render_census_text(out, &j->cli->page.style, tree, &options);
    ubi__out_string(out, j->arguments->by.filter ? "No change that the filter lets pass.\n" : "No group changed.\n");
    return UBI_OK;
}

static ubi_status write_censuses(const job *j, const censuses *c) {
    ubi__diff_pair pair = pair_of(j, total_of(c->old_census), total_of(c->new_census));
    if (j->cli->common.wants_json && !ubi__breakdown_wants_tree(&j->arguments->by))
        return write_delta_json(j, &pair, c->diff, NULL);
    ubi_census_tree_options options = ubi__breakdown_tree_options(&j->arguments->by, j->chosen);
    ubi_census_tree *tree;
    UBI_TRY(ubi_census_diff_tree_new(&tree, c->diff, &options));
    ubi_status status =
        j->cli->common.wants_json ? write_delta_json(j, &pair, c->diff, tree) : write_tree_text(j, &pair, tree);
    ubi_census_tree_free(tree);
    return status;
}

static ubi_status compare_by_breakdown(const job *j) {
    censuses c = { 0 };
    ubi_status status = censuses_take(&c, j, j->chosen->breakdown, j->cli->compat);
    if (status == UBI_OK)
        status = write_censuses(j, &c);
    censuses_fini(&c);
    return status;
}

/* ---- by class --------------------------------------------------------------------------------------------------- */

static void write_class_json(ubi__json *json, const ubi_class_change *row) {
    ubi__json_object_begin(json);
    ubi__json_member_string(json, "coarseType", ubi_coarse_type_name(row->name.coarse_type));
    ubi__json_member_text(json, "name", row->name.name);
    if (row->name.place.len) {
        ubi__json_member_text(json, "place", row->name.place);
    }
    write_tally(json, "old", &row->start);
    write_tally(json, "new", &row->end);
    write_tally(json, "created", &row->created);
    write_tally(json, "deleted", &row->deleted);
    ubi__json_object_end(json);
}

static void write_classes_json(const job *j, const ubi__diff_pair *pair, const ubi_class_diff *diff) {
    ubi__json json;
    begin_document(&json, j->cli, pair);
    ubi__json_member_u64(&json, "commonIds", ubi_class_diff_common_count(diff));
    ubi__json_member_bool(&json, "sameProcess", ubi_class_diff_is_same_process(diff, !shows_net(j)));
    ubi__json_member_array(&json, "byClass");
    for (uint32_t i = 0; i < ubi_class_diff_count(diff) && !json.has_failed; i++)
        write_class_json(&json, ubi_class_diff_row(diff, i));
    ubi__json_array_end(&json);
    ubi__document_end(&json);
}

/* Where the changes were allocated. Returns whether anything has a stack. */
static ubi_status write_sites(const job *j, bool *has_stacks) {
    static const char json[] = "{\"by\":\"allocationStack\"}";
    ubi_census_tree_options options = UBI_CENSUS_TREE_OPTIONS_INIT;
    ubi_breakdown *breakdown;
    ubi_census_tree *tree;
    censuses c = { 0 };
    *has_stacks = ubi_graph_frame_count(j->old_snapshot.graph) || ubi_graph_frame_count(j->new_snapshot.graph);
    if (!*has_stacks)
        return UBI_OK;
    options.is_inverted = true;
    UBI_TRY(ubi_breakdown_parse(&breakdown, ubi__text(json), UBI_COMPAT_NONE, NULL));
    ubi_status status = censuses_take(&c, j, breakdown, UBI_COMPAT_NONE);
    if (status == UBI_OK)
        status = ubi_census_diff_tree_new(&tree, c.diff, &options);
    if (status == UBI_OK) {
        ubi__diff_write_sites(j->cli, tree, j->arguments->by.limit);
        ubi_census_tree_free(tree);
    }
    censuses_fini(&c);
    ubi_breakdown_unref(breakdown);
    return status;
}

static ubi_status write_classes_text(const job *j, const ubi__diff_pair *pair, const ubi_class_diff *diff) {
    bool has_stacks, changed;
    ubi__diff_write_head(j->cli, pair);
    UBI_TRY(ubi__diff_write_classes(&changed, j->cli, diff, shows_net(j), j->arguments->by.limit));
    if (j->arguments->view || !changed)
        return UBI_OK;
    UBI_TRY(write_sites(j, &has_stacks));
    ubi__diff_write_next(j->cli, pair, has_stacks);
    return UBI_OK;
}

static ubi_status compare_by_class(const job *j) {
    ubi_class_diff *diff;
    ubi_status status = UBI_OK;
    UBI_TRY(take_classes(&diff, j));
    const ubi_class_change *total = ubi_class_diff_total(diff);
    ubi__diff_pair pair = pair_of(j, total->start, total->end);
    pair.is_one_process = ubi_class_diff_is_same_process(diff, !shows_net(j));
    if (j->cli->common.wants_json)
        write_classes_json(j, &pair, diff);
    else
        status = write_classes_text(j, &pair, diff);
    ubi_class_diff_free(diff);
    return status;
}

/* ---- command ---------------------------------------------------------------------------------------------------- */

static bool is_about_breakdown(const diff_arguments *a) {
    return a->by.breakdown.text || a->by.inverted || ubi__breakdown_wants_tree(&a->by);
}

static bool compares_classes(const job *j) {
    const diff_arguments *a = j->arguments;
    if (a->view)
        return strcmp(a->view, "class") == 0;
    return !j->cli->common.wants_json && !is_about_breakdown(a) && j->cli->compat != UBI_COMPAT_FIREFOX;
}

static ubi_status arguments_check(const diff_arguments *a, char **paths) {
    if (strcmp(paths[0], "-") == 0 && strcmp(paths[1], "-") == 0)
        return ubi__fail(UBI_EINVAL, "OLD and NEW cannot both come from standard input");
    if (a->view && strcmp(a->view, "class") == 0 && is_about_breakdown(a))
        return ubi__fail(UBI_EINVAL, "--by class does not go with --breakdown, --tree, --inverted or --filter");
    return UBI_OK;
}

static ubi_status snapshots_compare(const job *j, const ubi__condition *condition, int *exit_code) {
    ubi__condition_facts facts = { .graph = j->new_snapshot.graph,
                                   .old = j->old_snapshot.graph,
                                   .look = j->new_snapshot.look,
                                   .old_look = j->old_snapshot.look };
    UBI_TRY(compares_classes(j) ? compare_by_class(j) : compare_by_breakdown(j));
    j->cli->subject = "diff";
    return ubi__condition_check(exit_code, j->cli, condition, &facts);
}

static ubi_status open_and_compare(job *j, char **paths, const ubi__condition *condition, int *exit_code) {
    /* NEW first: what its lens infers about classes holds for OLD too. */
    UBI_TRY(ubi__snapshot_open(&j->new_snapshot, j->cli, paths[1]));
    ubi_status status = ubi__snapshot_open_like(&j->old_snapshot, j->cli, paths[0], &j->new_snapshot);
    if (status == UBI_OK) {
        status = snapshots_compare(j, condition, exit_code);
        ubi__snapshot_close(&j->old_snapshot);
    }
    ubi__snapshot_close(&j->new_snapshot);
    return status;
}

static ubi_status diff_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    const diff_arguments *arguments = values;
    ubi__breakdown_choice chosen = { 0 };
    ubi__condition *condition;
    job j = { .cli = cli, .arguments = arguments, .chosen = &chosen };
    (void)n_operands;
    UBI_TRY(arguments_check(arguments, operands));
    UBI_TRY(ubi__condition_parse(&condition, arguments->fail_on, UBI__CONDITION_COMPARISON));
    ubi_status status = ubi__breakdown_choose(&chosen, &arguments->by.breakdown, cli->subject, cli->compat);
    if (status == UBI_OK)
        status = open_and_compare(&j, operands, condition, exit_code);
    ubi__breakdown_choice_fini(&chosen);
    ubi__condition_free(condition);
    return status;
}

static const char *const views[] = { "class", "breakdown", NULL };
static const char *const sorts[] = { "change", "growth", NULL };

static const ubi__parameter parameters[] = {
    UBI__CHOICE("by", 0, AT(view), "VIEW", views,
                "class: what came and went, node by node; breakdown: the difference of two censuses. The default is "
                "breakdown with --json or an option that is about one, else a page with what changed most",
                NULL),
    UBI__CHOICE("sort", 's', AT(sort), "ORDER", sorts,
                "by class: what changed most first, up or down, or what grew most first", "change"),
    UBI__BREAKDOWN_PARAMETERS(AT(by)),
    UBI__TREE_TEXT_PARAMETERS(AT(by)),
    UBI__FAIL_ON(AT(fail_on)),
    UBI__PARAMETERS_END,
};

static const ubi__example examples[] = {
    { "diff before.fxsnapshot after.fxsnapshot", "what changed most, and who allocated it" },
    { "diff -b invertedAllocationStack before.fxsnapshot after.fxsnapshot", "who allocated what grew, with callers" },
    { "diff --by class -n 0 before.fxsnapshot after.fxsnapshot", "every class that changed" },
    { "diff --json before.fxsnapshot after.fxsnapshot", "the delta as CensusUtils.diff gives it" },
    { "diff --fail-on 'growth > 1MiB' before.fxsnapshot after.fxsnapshot", "fail a job when the heap grew" },
    { NULL, NULL },
};

static const ubi__usage usage = {
    .name = "diff",
    .operands = "OLD NEW",
    .summary = "show what changed between two snapshots",
    .question = "What changed between two snapshots?",
    .description =
        "Compares two heaps by groups of nodes. A plus sign (and red) means that NEW has more than OLD, a minus sign "
        "(and green) less. The largest changes come first, and what did not change is left out. Counted is what a "
        "census counts: all that the root reaches.\n"
        "\n"
        "By breakdown, two censuses are subtracted, as Firefox's memory panel does. Stacks of the two files are the "
        "same when their frames are.\n"
        "\n"
        "By class, nodes are compared one by one, by id: how many of each class are new, deleted, and still there. "
        "V8's ids stay with their objects, and rows show what the Comparison view of Chrome's DevTools shows. "
        "Firefox's ids are addresses: within one run they identify objects, unless these were moved or an address was "
        "reused.\n"
        "\n"
        "'ubiheap leaks' shows what is held, and by what.\n"
        "\n"
        "With --json the document has the delta report of CensusUtils.diff under \"delta\"; with --tree, --inverted or "
        "--filter its tree under \"tree\"; with --by class a row per class under \"byClass\".\n",
    .parameters = parameters,
    .glossary = &ubi__breakdown_presets_glossary,
    .examples = examples,
    .has_firefox_mode = true,
    .min_operands = 2,
    .max_operands = 2,
    .arguments_bytes = sizeof(diff_arguments),
};

const ubi__command ubi__command_diff = {
    .usage = &usage,
    .run = diff_run,
};
