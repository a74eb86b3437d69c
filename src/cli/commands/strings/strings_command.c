/* SPDX-License-Identifier: MIT
 *
 * strings_command.c: `ubiheap strings`, the texts of strings, and duplicates.
 *
 * The page has a line of totals, how long the strings are, and a table of texts: how much a single copy would save, how many
 * there are, what one takes, what they retain together (where there is room), one of them, and the text.
 */
#include <stdio.h>

#include <ubiheap/views/strings.h>

#include "base/alloc.h"
#include "base/human.h"
#include "base/text.h"
#include "cli/cli_files.h"
#include "cli/commands/strings/strings_audit.h"
#include "cli/condition.h"
#include "questions/node_filter.h"
#include "render/page.h"

typedef struct strings_arguments {
    bool wants_duplicates, wants_audit, with_all;
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
    uint32_t *order;            /* owned; order[n_found]: groups as they are shown */
    uint32_t n_found, n;        /* n of them are shown */
} job;

static const char *const sort_choices[] = { "saves", "size", "count", "retained", "length", NULL };

static ubi_strings_key sort_key(const strings_arguments *a) {
    static const ubi_strings_key keys[] = { UBI_STRINGS_BY_WASTE, UBI_STRINGS_BY_SIZE, UBI_STRINGS_BY_COUNT,
                                            UBI_STRINGS_BY_RETAINED, UBI_STRINGS_BY_LENGTH };
    for (size_t i = 0; a->sort && sort_choices[i]; i++)
        if (strcmp(a->sort, sort_choices[i]) == 0)
            return keys[i];
    return a->wants_duplicates ? UBI_STRINGS_BY_WASTE : UBI_STRINGS_BY_SIZE;
}

/* ---- choosing ------------------------------------------------------------------------------------------------------- */

static ubi_status nodes_mark(job *j, const ubi__vec_u32 *nodes) {
    j->n_words = ubi_graph_node_count(j->snapshot->graph) / 64 + 1;
    j->only = ubi__calloc_array(ubi_allocator_default(), j->n_words, sizeof *j->only);
    if (!j->only)
        return ubi__fail_nomem();
    for (size_t i = 0; i < nodes->n; i++)
        j->only[nodes->at[i] >> 6] |= UINT64_C(1) << (nodes->at[i] & 63);
    return UBI_OK;
}

static ubi_status strings_choose(job *j) {
    ubi__vec_u32 nodes = { 0 };
    ubi__node_table table = { .graph = j->snapshot->graph,
                              .view = ubi__snapshot_view(j->snapshot),
                              .look = j->snapshot->look };
    table.progress = ubi__progress_line_callbacks(&j->cli->progress);
    ubi_status status = ubi__node_filter_select(&nodes, j->filter, &table, 0);
    if (status == UBI_OK)
        status = nodes_mark(j, &nodes);
    ubi__vec_u32_fini(&nodes, ubi_allocator_default());
    ubi__node_table_fini(&table);
    return status;
}

static ubi_status strings_compute(job *j) {
    ubi_strings_options options = UBI_STRINGS_OPTIONS_INIT;
    if (j->filter)
        UBI_TRY(strings_choose(j));
    options.progress = ubi__progress_line_callbacks(&j->cli->progress);
    if (ubi_strings_known(j->snapshot->graph))
        UBI_TRY(ubi__snapshot_dominators(&j->dominators, j->cli, j->snapshot));
    options.dominators = j->dominators;
    options.min_length = j->arguments->min_length < UINT32_MAX ? (uint32_t)j->arguments->min_length : UINT32_MAX;
    options.only = j->only;
    return ubi_strings_new(&j->strings, j->snapshot->look, &options);
}

/* ---- text: head ----------------------------------------------------------------------------------------------------------- */

static void head_write(const job *j) {
    char a[UBI__HUMAN_TEXT], b[UBI__HUMAN_TEXT];
    const ubi_strings_totals *t = ubi_strings_totals_of(j->strings);
    ubi__out_printf(j->cli->page.out, "%s in %s", ubi__human_size(a, t->all.size_bytes),
                    ubi__human_things(b, t->all.count, "string"));
    if (ubi_strings_known(j->snapshot->graph))
        ubi__out_printf(j->cli->page.out, ", %s%s", ubi__human_things(a, ubi_strings_group_count(j->strings), "text"),
                        j->filter || j->arguments->min_length ? " chosen" : "");
    ubi__out_char(j->cli->page.out, '\n');
    if (!ubi_strings_known(j->snapshot->graph)) {
        ubi__out_string(j->cli->page.out,
                        "The file holds no texts of strings, so duplicates cannot be found: it has their sizes "
                        "only. Heap snapshots of Node.js and Chrome have them.\n");
        return;
    }
    if (t->n_duplicate_groups == 0) {
        ubi__out_string(j->cli->page.out, "No text is there more than once.\n");
        return;
    }
    ubi__out_printf(j->cli->page.out, "%s %s there more than once, in %s",
                    ubi__human_things(a, t->n_duplicate_groups, "text"), t->n_duplicate_groups == 1 ? "is" : "are",
                    ubi__human_things(b, t->duplicates.count, "string"));
    ubi__out_printf(j->cli->page.out, ": one copy of each would save %s\n", ubi__human_size(a, t->wasted_bytes));
}

/* ---- text: lengths -------------------------------------------------------------------------------------------------- */

static void length_words(char *out, size_t n, size_t class) {
    unsigned from = class ? 1u << (class - 1) : 0;
    if (class + 1 == UBI_STRINGS_LENGTHS)
        snprintf(out, n, "%u or more", from);
    else if (class < 2)
        snprintf(out, n, "%u", from);
    else
        snprintf(out, n, "%u to %u", from, 2 * from - 1);
}

static void lengths_write(const job *j) {
    static const ubi__text_column columns[] = {
        { "Characters", .width = 14 },
        { "Size", .width = 13 },
        { NULL, .width = 24, .gap = 2 },
        { "Strings", .width = 9 },
    };
    const ubi_strings_totals *t = ubi_strings_totals_of(j->strings);
    ubi__out *out = j->cli->page.out;
    ubi__text_table table;
    char words[UBI__HUMAN_TEXT], count[UBI__HUMAN_TEXT];
    if (t->with_text.count == 0)
        return;
    ubi__page_table(&table, &j->cli->page, NULL, columns, sizeof columns / sizeof *columns);
    ubi__out_char(out, '\n');
    ubi__text_table_head(&table);
    for (size_t i = 0; i < UBI_STRINGS_LENGTHS; i++) {
        uint64_t bytes = t->lengths[i].size_bytes;
        length_words(words, sizeof words, i);
        const ubi__cell cells[] = { ubi__cell_words(words), ubi__cell_size(bytes),
                                    ubi__cell_bar(UBI__INK_GREEN, bytes, t->with_text.size_bytes),
                                    ubi__cell_count(t->lengths[i].count) };
        if (t->lengths[i].count)
            ubi__text_table_line(&table, cells, (ubi_text){ NULL, 0 });
    }
    if (t->slices.count)
        ubi__out_printf(out, "  and %s, %s, which are parts of other strings\n",
                        ubi__human_things(count, t->slices.count, "slice"),
                        ubi__human_size(words, t->slices.size_bytes));
}

/* ---- text: rows ----------------------------------------------------------------------------------------------------- */

enum { SAVES, COUNT, EACH, RETAINED, EXAMPLE, COLUMNS };

static const ubi__text_column string_columns[COLUMNS] = {
    [SAVES] = { "Size", .width = 10 },          [COUNT] = { "Count", .width = 9 },
    [EACH] = { "Each", .width = 10 },           [RETAINED] = { "Retained", .width = 10, .from_columns = 100 },
    [EXAMPLE] = { "One of them", .width = 13 },
};

static void text_write(const job *j, const ubi_string_group *g, size_t room) {
    ubi_look_name_buffer buffer;
    char length[UBI__HUMAN_TEXT], note[UBI__HUMAN_TEXT + 16] = "";
    ubi_text text = ubi_strings_text(j->strings, g->first, &buffer);
    if (g->is_truncated || g->length >= UBI_STRINGS_JOINED_UNITS)
        snprintf(note, sizeof note, " %s+", ubi__human_count(length, g->length));
    size_t noted = strlen(note);
    ubi__out_char(j->cli->page.out, '"');
    ubi__display_text(j->cli->page.out, &j->cli->page.style, text, room > noted + 2 ? room - noted - 2 : 1);
    ubi__out_char(j->cli->page.out, '"');
    ubi__write_ink(&j->cli->page, UBI__INK_DIM);
    ubi__out_string(j->cli->page.out, note);
    ubi__write_ink(&j->cli->page, UBI__INK_PLAIN);
    ubi__out_char(j->cli->page.out, '\n');
}

static void row_write(const job *j, const ubi__text_table *table, const ubi_string_group *g) {
    const ubi__cell cells[COLUMNS] = {
        [SAVES] = ubi__cell_size(j->arguments->wants_duplicates ? g->wasted_bytes : g->size_bytes),
        [COUNT] = ubi__cell_count(g->count),
        [EACH] = ubi__cell_size(g->size_bytes / g->count),
        [RETAINED] = ubi__cell_size(g->retained_bytes),
        [EXAMPLE] = ubi__cell_id(ubi_graph_node_id(j->snapshot->graph, g->first)),
    };
    text_write(j, g, ubi__text_table_row(table, cells));
}

static void rows_write(const job *j) {
    ubi__text_table table;
    if (j->n == 0)
        return;
    ubi__page_table(&table, &j->cli->page, "Text", string_columns, COLUMNS);
    table.at[SAVES].title = j->arguments->wants_duplicates ? "Saves" : "Size";
    ubi__out_char(table.out, '\n');
    ubi__text_table_head(&table);
    for (uint32_t i = 0; i < j->n && !table.out->has_failed; i++)
        row_write(j, &table, ubi_strings_group(j->strings, j->order[i]));
    ubi__write_more(&j->cli->page, j->n_found - j->n, "--limit 0 shows all");
}

static void page_write(const job *j) {
    head_write(j);
    if (!ubi_strings_known(j->snapshot->graph))
        return;
    if (!j->arguments->wants_duplicates)
        lengths_write(j);
    rows_write(j);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------------ */

static void tally_put(ubi__json *j, const char *key, const ubi_strings_tally *tally) {
    ubi__json_member_object(j, key);
    ubi__json_member_u64(j, "count", tally->count);
    ubi__json_member_u64(j, "bytes", tally->size_bytes);
    ubi__json_object_end(j);
}

static void lengths_put(ubi__json *j, const ubi_strings_totals *t) {
    ubi__json_member_array(j, "lengths");
    for (size_t i = 0; i < UBI_STRINGS_LENGTHS; i++) {
        ubi__json_object_begin(j);
        ubi__json_member_u64(j, "from", i ? UINT64_C(1) << (i - 1) : 0);
        ubi__json_member_u64(j, "count", t->lengths[i].count);
        ubi__json_member_u64(j, "bytes", t->lengths[i].size_bytes);
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
}

static void group_put(ubi__json *j, const ubi_graph *g, const ubi_strings *strings, const ubi_string_group *group) {
    ubi_look_name_buffer buffer;
    ubi__json_object_begin(j);
    ubi__json_member_text(j, "value", ubi_strings_text(strings, group->first, &buffer));
    ubi__json_member_u64(j, "length", group->length);
    ubi__json_member_bool(j, "truncated", group->is_truncated);
    ubi__json_member_u64(j, "count", group->count);
    ubi__json_member_u64(j, "totalSelfSize", group->size_bytes);
    ubi__json_member_u64(j, "totalRetainedSize", group->retained_bytes);
    ubi__json_member_u64(j, "wastedSize", group->wasted_bytes);
    ubi__json_member_node_id(j, "exampleId", ubi_graph_node_id(g, group->first));
    ubi__json_object_end(j);
}

static void document_write(const job *q) {
    ubi__json j;
    const ubi_strings_totals *t = ubi_strings_totals_of(q->strings);
    ubi__document_begin(&j, q->cli, "ubiheap.strings/1", q->snapshot->path);
    ubi__json_member_bool(&j, "textsKnown", ubi_strings_known(q->snapshot->graph));
    tally_put(&j, "all", &t->all);
    tally_put(&j, "withText", &t->with_text);
    tally_put(&j, "slices", &t->slices);
    tally_put(&j, "duplicates", &t->duplicates);
    ubi__json_member_u64(&j, "textCount", ubi_strings_group_count(q->strings));
    ubi__json_member_u64(&j, "duplicateTextCount", t->n_duplicate_groups);
    ubi__json_member_u64(&j, "wastedSize", t->wasted_bytes);
    lengths_put(&j, t);
    ubi__json_member_u64(&j, "found", q->n_found);
    ubi__json_member_array(&j, "strings");
    for (uint32_t i = 0; i < q->n && !j.has_failed; i++)
        group_put(&j, q->snapshot->graph, q->strings, ubi_strings_group(q->strings, q->order[i]));
    ubi__json_array_end(&j);
    ubi__document_end(&j);
}

/* ---- command -------------------------------------------------------------------------------------------------------- */

static size_t order_room(const job *j) {
    return (size_t)ubi_strings_group_count(j->strings) + 1;
}

static ubi_status strings_sort(job *j) {
    uint64_t limit = j->arguments->limit;
    j->order = ubi__alloc_array(ubi_allocator_default(), order_room(j), sizeof *j->order);
    if (!j->order)
        return ubi__fail_nomem();
    UBI_TRY(ubi_strings_sorted(j->order, &j->n_found, j->strings, sort_key(j->arguments),
                               j->arguments->wants_duplicates ? 2 : 1));
    j->n = limit && limit < j->n_found ? (uint32_t)limit : j->n_found;
    return UBI_OK;
}

static ubi_status strings_show(job *j) {
    UBI_TRY(strings_compute(j));
    UBI_TRY(strings_sort(j));
    ubi__progress_line_clear(&j->cli->progress);
    if (j->cli->common.wants_json)
        document_write(j);
    else
        page_write(j);
    return UBI_OK;
}

static ubi_status strings_open(job *j, const char *path) {
    ubi__snapshot snapshot;
    UBI_TRY(ubi__snapshot_open(&snapshot, j->cli, path));
    j->snapshot = &snapshot;
    ubi_status status = strings_show(j);
    if (j->order)
        ubi__free_array(ubi_allocator_default(), j->order, order_room(j), sizeof *j->order);
    ubi_strings_free(j->strings);
    ubi_dominators_free(j->dominators);
    ubi__free_array(ubi_allocator_default(), j->only, j->n_words, sizeof *j->only);
    ubi__snapshot_close(&snapshot);
    return status;
}

static ubi_status arguments_check(const strings_arguments *a) {
    if (a->wants_audit && (a->wants_duplicates || a->min_length || a->where || a->sort))
        return ubi__fail(UBI_EINVAL,
                         "--audit is of all words of the file: --duplicates, --min-length, --where and --sort "
                         "do not go with it");
    if (!a->wants_audit && (a->with_all || a->fail_on))
        return ubi__fail(UBI_EINVAL, "%s goes with --audit only", a->with_all ? "--all" : "--fail-on");
    return UBI_OK;
}

static ubi_status strings_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    job j = { .cli = cli, .arguments = values };
    (void)n_operands;
    UBI_TRY(arguments_check(j.arguments));
    if (j.arguments->wants_audit) {
        ubi__audit_wishes wishes = { j.arguments->with_all, j.arguments->limit, j.arguments->fail_on };
        return ubi__strings_audit(cli, operands[0], &wishes, exit_code);
    }
    if (j.arguments->where)
        UBI_TRY(ubi__node_filter_new(&j.filter, j.arguments->where));
    ubi_status status = strings_open(&j, operands[0]);
    ubi__node_filter_free(j.filter);
    return status;
}

static const ubi__parameter parameters[] = {
    UBI__FLAG("duplicates", 0, AT(wants_duplicates), "only texts that are there more than once"),
    UBI__ALIAS_LETTER('d'),
    UBI__NUMBER("min-length", 0, AT(min_length), "N", "only texts of N characters or more", "0"),
    UBI__TEXT("where", 'w', AT(where), "EXPR", "only strings for which this holds; the names are the columns of nodes",
              NULL),
    UBI__CHOICE("sort", 's', AT(sort), "ORDER", sort_choices, "what comes first", "saves with --duplicates, else size"),
    UBI__LIMIT(AT(limit), "print the first N texts, or words of each group; 0: all", "20"),
    UBI__FLAG("audit", 0, AT(wants_audit),
              "list the words of all texts of FILE, not only of strings, that convert --anonymize would replace; FILE "
              "may also be a recording or a timeline"),
    UBI__FLAG("all", 0, AT(with_all), "with --audit: also words of engines and libraries"),
    UBI__TEXT("fail-on", 0, AT(fail_on), "EXPR",
              "with --audit: exit with status 1 and say why when this condition holds, such as 'words > 0'", NULL),
    UBI__PARAMETERS_END,
};

static const ubi__example examples[] = {
    { "strings --duplicates app.heapsnapshot", "what is there more than once, and what one copy would save" },
    { "strings app.heapsnapshot", "how long strings are, and the largest" },
    { "strings --duplicates --sort retained --limit 50 --json app.heapsnapshot",
      "the fifty duplicates that DevTools list first" },
    { "strings --audit --fail-on 'words > 0' shared.ubirec", "what a file still reveals, before it is sent" },
    { NULL, NULL },
};

static const ubi__usage usage = {
    .name = "strings",
    .operands = "FILE",
    .summary = "list strings by their text, and find duplicates",
    .question = "Which strings take the most memory, or are there more than once?",
    .description =
        "Groups the strings of FILE by their text. A row is a text: with --duplicates, what one copy instead of all "
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
        "frames, command line and strings: in how many texts each occurs, and one of them. They are grouped by where "
        "they occur, and what looks most like an address, a number, a token or a path comes first. Words of engines "
        "and well-known libraries are left out, as are replacements of --anonymize. So a file to be sent should have "
        "none. Facts of --fail-on: words, replaced, indices (element numbers above 999).",
    .parameters = parameters,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 1,
    .arguments_bytes = sizeof(strings_arguments),
};

const ubi__command ubi__command_strings = {
    .usage = &usage,
    .run = strings_run,
};
