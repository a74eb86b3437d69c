/* SPDX-License-Identifier: MIT
 *
 * census_command.c: `ubiheap census`, how much of what is in a heap.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <ubiheap/census.h>

#include "base/alloc.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/snapshot.h"
#include "cli/suggest.h"
#include "render/census_tree_text.h"
#include "render/human.h"
#include "render/node_label.h"
#include "render/result_json.h"

typedef struct census_arguments {
    const char *breakdown, *filter, *individuals;
    bool tree, indices;
    int inverted;
    uint64_t limit, depth;
} census_arguments;

#define AT(field) offsetof(census_arguments, field)

/* A breakdown and the text it came from. */
typedef struct breakdown_choice {
    ubi_breakdown *breakdown;
    ubi__vec_u8 file; /* owned text of @FILE */
    ubi_text json;    /* what was parsed; NULL text: the default */
    bool inverted;    /* the preset's wish */
} breakdown_choice;

/* ---- the breakdown ---------------------------------------------------------------------------------------------- */

/* Breakdowns are small; this keeps a wrong @FILE from filling memory. */
#define MAX_BREAKDOWN_BYTES (16u << 20)

static ubi_status read_all(ubi__vec_u8 *out, int fd, const char *path) {
    for (;;) {
        UBI_TRY(ubi__vec_u8_reserve(out, ubi_allocator_default(), 4096));
        ssize_t n = read(fd, out->at + out->n, out->cap - out->n);
        if (n < 0)
            return ubi__fail_errno(errno, "cannot read the breakdown %s", path);
        if (n == 0)
            return UBI_OK;
        out->n += (size_t)n;
        if (out->n > MAX_BREAKDOWN_BYTES)
            return ubi__fail(UBI_EINVAL, "the breakdown %s is larger than 16 MiB", path);
    }
}

static ubi_status read_breakdown_file(breakdown_choice *c, const char *path) {
    int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return ubi__fail_errno(errno, "cannot open the breakdown %s", path);
    ubi_status status = read_all(&c->file, fd, path);
    close(fd);
    c->json = (ubi_text){ c->file.at ? (const char *)c->file.at : "", c->file.n };
    return status;
}

/* Names of presets are words; so are three JSON values. */
static bool is_preset_name(const char *text) {
    if (strcmp(text, "null") == 0 || strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        return false;
    return text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_")] == 0;
}

static ubi_status choose_preset(breakdown_choice *c, const char *name) {
    const ubi_breakdown_preset *preset = ubi_breakdown_preset_find(name);
    if (preset) {
        c->json = ubi__text(preset->json);
        c->inverted = preset->inverted;
        return UBI_OK;
    }
    ubi__suggestion best = ubi__suggestion_for(name);
    for (const ubi_breakdown_preset *p = ubi_breakdown_presets(); p->name; p++)
        ubi__suggestion_try(&best, p->name);
    if (best.word)
        return ubi__fail(UBI_EINVAL, "unknown breakdown '%s'; did you mean '%s'?", name, best.word);
    return ubi__fail(UBI_EINVAL, "unknown breakdown '%s'; see 'ubiheap help census'", name);
}

static ubi_status choose(breakdown_choice *c, const char *spec, ubi_compat compat) {
    if (!spec)
        c->json = (ubi_text){ NULL, 0 };
    else if (spec[0] == '@')
        UBI_TRY(read_breakdown_file(c, spec + 1));
    else if (is_preset_name(spec))
        UBI_TRY(choose_preset(c, spec));
    else
        c->json = ubi__text(spec);
    return ubi_breakdown_parse(&c->breakdown, c->json, compat, NULL);
}

static void breakdown_choice_fini(breakdown_choice *c) {
    if (c->breakdown)
        ubi_breakdown_unref(c->breakdown);
    ubi__vec_u8_fini(&c->file, ubi_allocator_default());
}

/* ---- individuals ------------------------------------------------------------------------------------------------ */

UBI_VEC_DECLARE(index_list, uint32_t);

static ubi_status parse_indices(index_list *out, const char *list) {
    while (list) {
        char item[16];
        size_t n = strcspn(list, ",");
        uint64_t value;
        snprintf(item, sizeof item, "%.*s", (int)(n < sizeof item ? n : sizeof item - 1), list);
        UBI_TRY(ubi__parse_number(&value, item, "--individuals"));
        if (value >= UBI_NONE)
            return ubi__fail(UBI_ENOTFOUND, "--individuals: the report has no part %s", item);
        UBI_TRY(index_list_push(out, ubi_allocator_default(), (uint32_t)value));
        list = list[n] ? list + n + 1 : NULL;
    }
    return UBI_OK;
}

typedef struct job {
    ubi__cli *cli;
    const census_arguments *arguments;
    const ubi__snapshot *snapshot;
    const breakdown_choice *chosen;
    const index_list *indices;
    ubi_census_options options;
} job;

/* One part of the report and the nodes counted in it. */
typedef struct part {
    uint32_t index;
    uint64_t *ids; /* owned ids[n] */
    uint64_t n;
} part;

UBI_VEC_DECLARE(part_list, part);

static ubi_status find_part(const job *j, part_list *parts, uint32_t index) {
    part found = { .index = index };
    UBI_TRY(part_list_reserve(parts, ubi_allocator_default(), 1));
    UBI_TRY(
        ubi_census_individuals(&found.ids, &found.n, j->snapshot->graph, j->chosen->breakdown, &index, 1, &j->options));
    return part_list_push(parts, ubi_allocator_default(), found);
}

static void part_list_free(part_list *parts) {
    for (size_t i = 0; i < parts->n; i++)
        ubi_individuals_free(parts->at[i].ids, parts->at[i].n, NULL);
    part_list_fini(parts, ubi_allocator_default());
}

static void write_part_json(ubi__json *json, const part *found) {
    ubi__json_object_begin(json);
    ubi__json_key(json, "index");
    ubi__json_u64(json, found->index);
    ubi__json_key(json, "ids");
    ubi__json_array_begin(json);
    for (uint64_t i = 0; i < found->n && !json->failed; i++)
        ubi__json_node_id(json, found->ids[i]);
    ubi__json_array_end(json);
    ubi__json_object_end(json);
}

#define ID_COLUMNS 20

static void write_id_row(const job *j, uint64_t id) {
    char size[UBI__HUMAN_TEXT];
    const ubi_graph *g = j->snapshot->graph;
    const ubi__style *style = &j->cli->style;
    ubi__out *out = &j->cli->output->out;
    ubi_node_ix node;
    if (ubi_graph_find(&node, g, id) != UBI_OK)
        return;
    const ubi_kind *kind = ubi_graph_kind(g, ubi_graph_node_kind(g, node));
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)id);
    ubi__display_right(out, digits, ID_COLUMNS);
    ubi__display_right(out, ubi__human_size(size, ubi_graph_node_size_bytes(g, node)), 11);
    ubi__out_string(out, "  ");
    ubi__display_text(out, style, ubi__kind_label(g, kind), style->columns > 43 ? style->columns - 33 : 10);
    ubi__out_char(out, '\n');
}

static void write_part_text(const job *j, const part *found) {
    char count[UBI__HUMAN_TEXT];
    ubi__out *out = &j->cli->output->out;
    uint64_t limit = j->arguments->limit, n = found->n;
    uint64_t shown = limit && n > limit + 1 ? limit : n;
    ubi__display_ink(out, &j->cli->style, UBI__INK_BOLD);
    ubi__out_printf(out, "Part %u of the report: %s\n", found->index, ubi__human_things(count, n, "node"));
    ubi__display_ink(out, &j->cli->style, UBI__INK_PLAIN);
    for (uint64_t i = 0; i < shown && !out->failed; i++)
        write_id_row(j, found->ids[i]);
    if (shown < n)
        ubi__out_printf(out, "%*s %s more\n", ID_COLUMNS, ubi__display_ellipsis(&j->cli->style),
                        ubi__human_count(count, n - shown));
}

/* ---- output ----------------------------------------------------------------------------------------------------- */

static void begin_document(const job *j, ubi__json *json) {
    const ubi_breakdown_preset *standard = ubi_breakdown_preset_find("default");
    ubi__document_begin(json, j->cli, "ubiheap.census/1", j->snapshot->path);
    ubi__json_key(json, "breakdown");
    ubi__json_raw(json, j->chosen->json.ptr ? j->chosen->json : ubi__text(standard->json));
}

static void write_parts_json(const job *j, const part_list *parts) {
    ubi__json json;
    begin_document(j, &json);
    ubi__json_key(&json, "individuals");
    ubi__json_array_begin(&json);
    for (size_t i = 0; i < parts->n; i++)
        write_part_json(&json, &parts->at[i]);
    ubi__json_array_end(&json);
    ubi__document_end(&json);
}

/* Nothing is written before all parts are known to be there. */
static ubi_status list_individuals(const job *j) {
    part_list parts = { 0 };
    ubi_status status = UBI_OK;
    for (size_t i = 0; status == UBI_OK && i < j->indices->n; i++)
        status = find_part(j, &parts, j->indices->at[i]);
    if (status == UBI_OK && j->cli->common.json)
        write_parts_json(j, &parts);
    else if (status == UBI_OK)
        for (size_t i = 0; i < parts.n; i++)
            write_part_text(j, &parts.at[i]);
    part_list_free(&parts);
    return status;
}

static ubi_status write_report(const job *j, const ubi_census *census) {
    ubi__json json;
    begin_document(j, &json);
    ubi__json_key(&json, "report");
    UBI_TRY(ubi__render_report(&json, ubi_census_report(census)));
    ubi__document_end(&json);
    return UBI_OK;
}

static bool wants_inverted(const job *j) {
    return j->arguments->inverted ? j->arguments->inverted > 0 : j->chosen->inverted;
}

static ubi_status write_tree(const job *j, const ubi_census_tree *tree) {
    const census_arguments *a = j->arguments;
    if (!j->cli->common.json) {
        ubi__census_text_options options = { wants_inverted(j), j->cli->compat == UBI_COMPAT_FIREFOX, a->indices,
                                             a->limit, a->depth };
        return ubi__render_census_text(&j->cli->output->out, &j->cli->style, tree, &options);
    }
    ubi__json json;
    begin_document(j, &json);
    ubi__json_key(&json, "tree");
    UBI_TRY(ubi__render_census_tree(&json, tree));
    ubi__document_end(&json);
    return UBI_OK;
}

static ubi_status build_tree(const job *j, const ubi_census *census) {
    ubi_census_tree_options options = UBI_CENSUS_TREE_OPTIONS_INIT;
    ubi_census_tree *tree;
    options.invert = wants_inverted(j);
    options.has_filter = j->arguments->filter != NULL;
    options.filter = ubi__text(j->arguments->filter);
    UBI_TRY(ubi_census_tree_new(&tree, census, &options));
    ubi_status status = write_tree(j, tree);
    ubi_census_tree_free(tree);
    return status;
}

static ubi_status count(const job *j) {
    const census_arguments *a = j->arguments;
    ubi_census *census;
    UBI_TRY(ubi_census_take(&census, j->snapshot->graph, j->chosen->breakdown, &j->options));
    bool tree = !j->cli->common.json || a->tree || a->inverted > 0 || a->filter;
    ubi_status status = tree ? build_tree(j, census) : write_report(j, census);
    ubi_census_free(census);
    return status;
}

/* ---- command ---------------------------------------------------------------------------------------------------- */

static ubi_status open_and_count(job *j, const char *path) {
    ubi__snapshot snapshot;
    UBI_TRY(ubi__snapshot_open(&snapshot, j->cli, path));
    j->snapshot = &snapshot;
    ubi_status status = j->arguments->individuals ? list_individuals(j) : count(j);
    ubi__snapshot_close(&snapshot);
    return status;
}

static ubi_status check(const census_arguments *a, const char *path) {
    if (a->individuals && (a->tree || a->inverted || a->filter))
        return ubi__fail(UBI_EINVAL, "--individuals lists nodes; it does not go with --tree, --inverted or --filter");
    if (a->breakdown && strcmp(a->breakdown, "@-") == 0 && strcmp(path, "-") == 0)
        return ubi__fail(UBI_EINVAL, "the breakdown and the snapshot cannot both come from standard input");
    return UBI_OK;
}

static ubi_status run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    const census_arguments *arguments = values;
    breakdown_choice chosen = { 0 };
    index_list indices = { 0 };
    job j = { cli, arguments, NULL, &chosen, &indices, UBI_CENSUS_OPTIONS_INIT };
    (void)n_operands, (void)exit_code;
    j.options.progress = ubi__progress_line_callbacks(&cli->progress);
    j.options.compat = cli->compat;
    UBI_TRY(check(arguments, operands[0]));
    ubi_status status = choose(&chosen, arguments->breakdown, cli->compat);
    if (status == UBI_OK)
        status = parse_indices(&indices, arguments->individuals);
    if (status == UBI_OK)
        status = open_and_count(&j, operands[0]);
    index_list_fini(&indices, ubi_allocator_default());
    breakdown_choice_fini(&chosen);
    return status;
}

static bool preset_entry(size_t i, const char **word, const char **help) {
    *word = ubi_breakdown_presets()[i].name;
    *help = ubi_breakdown_presets()[i].help;
    return *word != NULL;
}

static const ubi__glossary presets_glossary = { "Presets", preset_entry };

static const ubi__option options[] = {
    { "breakdown", 'b', UBI__OPTION_TEXT, AT(breakdown), "SPEC", NULL,
      "how to group: a preset, JSON, or @FILE with JSON in it", "the preset default" },
    { "tree", 0, UBI__OPTION_FLAG, AT(tree), NULL, NULL, "with --json: print the tree instead of the report", NULL },
    { "inverted", 'i', UBI__OPTION_SWITCH, AT(inverted), NULL, NULL,
      "turn the tree over: what the nodes are first, then where they are; the default is the preset's", NULL },
    { "filter", 0, UBI__OPTION_TEXT, AT(filter), "TEXT", NULL,
      "keep only paths of the tree with TEXT in a name, a file or a function; upper and lower case differ", NULL },
    { "individuals", 0, UBI__OPTION_TEXT, AT(individuals), "N[,N...]", NULL,
      "list the nodes that were counted in these parts of the report, by reportLeafIndex", NULL },
    { "indices", 0, UBI__OPTION_FLAG, AT(indices), NULL, NULL, "show the numbers that --individuals takes", NULL },
    { "limit", 'n', UBI__OPTION_NUMBER, AT(limit), "N", NULL, "text: show N rows per level; 0: all", "10" },
    { "depth", 'd', UBI__OPTION_NUMBER, AT(depth), "N", NULL,
      "text: show N levels; 0: all; frames that follow each other without a branch count a quarter", "5" },
    UBI__OPTION_END,
};

static const ubi__example examples[] = {
    { "census app.fxsnapshot", "what is in the heap, by coarse type and class" },
    { "census -b invertedAllocationStack app.fxsnapshot", "which functions allocated it" },
    { "census --json -b '{\"by\":\"objectClass\"}' app.fxsnapshot", "exactly the report of takeCensus" },
    { "census --indices -b objectClass app.fxsnapshot", "numbers of the groups, then" },
    { "census --individuals 7 -b objectClass app.fxsnapshot", "the nodes of group 7" },
    { NULL, NULL },
};

const ubi__command ubi__command_census = {
    .name = "census",
    .operands = "FILE",
    .summary = "count what is in a heap, grouped as you like",
    .description =
        "Counts every node that can be reached from the root and groups it by a breakdown, as Debugger.Memory's "
        "takeCensus does. Text output is a table: the size of each group with all below it, its share of "
        "everything, and how many nodes it has.\n"
        "\n"
        "With --json the document has the report of takeCensus under \"report\"; with --tree, --inverted or "
        "--filter, the tree that Firefox's memory panel shows under \"tree\"; with --individuals, node ids under "
        "\"individuals\".\n"
        "\n"
        "A breakdown in JSON is an object with a \"by\" (count, bucket, objectClass, coarseType, internalType, "
        "descriptiveType, allocationStack or filename) and breakdowns for what it separates, or an array of "
        "breakdowns, in each of which every node is counted:\n"
        "\n"
        "  { \"by\": \"coarseType\", \"objects\": { \"by\": \"objectClass\" } }\n",
    .options = options,
    .glossary = &presets_glossary,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 1,
    .arguments_bytes = sizeof(census_arguments),
    .run = run,
};
