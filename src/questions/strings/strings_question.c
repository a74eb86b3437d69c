/* SPDX-License-Identifier: MIT
 *
 * strings_question.c: the texts of strings, and duplicates.
 *
 * The page has a line of totals, how long the strings are, and a table of texts: how much a single copy would save, how many
 * there are, what one takes, what they retain together (where there is room), one of them, and the text.
 */
#include <stdio.h>

#include <ubiheap/views/strings.h>

#include "base/alloc.h"
#include "base/human.h"
#include "base/text.h"
#include "questions/node_filter.h"
#include "questions/question.h"
#include "questions/strings/strings_values.h"

#define AT(field) offsetof(ubi__strings_values, field)

typedef struct answer {
    const ubi__strings_values *values;
    ubi__node_filter *filter; /* owned, or NULL */
    const ubi_look *look;
    const ubi_graph *graph;
    uint64_t *only; /* owned: a bit per node, or NULL */
    size_t n_words;
    const ubi_strings *strings;
    ubi_strings *chosen; /* owned: that, where not all strings are asked for */
    uint32_t *order;     /* owned; order[n_found]: groups as they are shown */
    uint32_t n_found, n; /* n of them are shown */
} answer;

static const char *const sort_choices[] = { "saves", "size", "count", "retained", "length", NULL };

static ubi_strings_key sort_key(const ubi__strings_values *a) {
    static const ubi_strings_key keys[] = { UBI_STRINGS_BY_WASTE, UBI_STRINGS_BY_SIZE, UBI_STRINGS_BY_COUNT,
                                            UBI_STRINGS_BY_RETAINED, UBI_STRINGS_BY_LENGTH };
    for (size_t i = 0; a->sort && sort_choices[i]; i++)
        if (strcmp(a->sort, sort_choices[i]) == 0)
            return keys[i];
    return a->wants_duplicates ? UBI_STRINGS_BY_WASTE : UBI_STRINGS_BY_SIZE;
}

/* ---- choosing ------------------------------------------------------------------------------------------------------- */

static ubi_status nodes_mark(answer *a, const ubi__vec_u32 *nodes, const ubi_allocator *memory) {
    a->n_words = ubi_graph_node_count(a->graph) / 64 + 1;
    a->only = ubi__calloc_array(memory, a->n_words, sizeof *a->only);
    if (!a->only)
        return ubi__fail_nomem();
    for (size_t i = 0; i < nodes->n; i++)
        a->only[nodes->at[i] >> 6] |= UINT64_C(1) << (nodes->at[i] & 63);
    return UBI_OK;
}

static ubi_status nodes_choose(answer *a, const ubi__asked *asked) {
    ubi__vec_u32 nodes = { 0 };
    const ubi_allocator *memory = ubi__asked_allocator(asked);
    ubi__node_table table = { .graph = a->graph,
                              .view = ubi_look_view(a->look),
                              .look = a->look,
                              .memory = memory,
                              .heap = ubi__asked_heap(asked),
                              .progress = ubi__asked_progress(asked) };
    ubi_status status = ubi__node_filter_select(&nodes, a->filter, &table, 0);
    if (status == UBI_OK)
        status = nodes_mark(a, &nodes, memory);
    ubi__vec_u32_fini(&nodes, memory);
    ubi__node_table_fini(&table);
    return status;
}

/* Of those that are asked for alone; sizes only where a file has no texts. */
static ubi_status strings_choose(answer *a, const ubi__asked *asked) {
    ubi_strings_options options = UBI_STRINGS_OPTIONS_INIT;
    uint64_t min_length = a->values->min_length;
    if (a->filter)
        UBI_TRY(nodes_choose(a, asked));
    options.allocator = ubi__asked_allocator(asked);
    options.progress = ubi__asked_progress(asked);
    options.threads = ubi__asked_threads(asked);
    if (ubi_strings_known(a->graph))
        UBI_TRY(ubi_session_dominators(&options.dominators, ubi__asked_heap(asked), false));
    options.min_length = min_length < UINT32_MAX ? (uint32_t)min_length : UINT32_MAX;
    options.only = a->only;
    UBI_TRY(ubi_strings_new(&a->chosen, a->look, &options));
    a->strings = a->chosen;
    return UBI_OK;
}

static size_t order_room(const answer *a) {
    return (size_t)ubi_strings_group_count(a->strings) + 1;
}

static ubi_status strings_sort(answer *a, const ubi__asked *asked) {
    const ubi__strings_values *values = a->values;
    a->order = ubi__alloc_array(ubi__asked_allocator(asked), order_room(a), sizeof *a->order);
    if (!a->order)
        return ubi__fail_nomem();
    UBI_TRY(ubi_strings_sorted(a->order, &a->n_found, a->strings, sort_key(values), values->wants_duplicates ? 2 : 1));
    a->n = values->limit && values->limit < a->n_found ? (uint32_t)values->limit : a->n_found;
    return UBI_OK;
}

static ubi_status strings_prepare(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    const ubi__strings_values *values = a->values = asked->values;
    return values->where ? ubi__node_filter_new(&a->filter, values->where) : UBI_OK;
}

static ubi_status strings_compute(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    ubi_session_use *heap = ubi__asked_heap(asked);
    UBI_TRY(ubi_session_look(&a->look, heap));
    a->graph = ubi_look_view(a->look)->graph;
    bool is_all = !a->filter && a->values->min_length == 0 && ubi_strings_known(a->graph);
    UBI_TRY(is_all ? ubi_session_strings(&a->strings, heap) : strings_choose(a, asked));
    return strings_sort(a, asked);
}

static void strings_release(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    const ubi_allocator *memory = ubi__asked_allocator(asked);
    if (a->order)
        ubi__free_array(memory, a->order, order_room(a), sizeof *a->order);
    ubi_strings_free(a->chosen);
    if (a->only)
        ubi__free_array(memory, a->only, a->n_words, sizeof *a->only);
    ubi__node_filter_free(a->filter);
}

/* ---- text: head ----------------------------------------------------------------------------------------------------------- */

static void head_write(const ubi__page *page, const answer *a) {
    char one[UBI__HUMAN_TEXT], other[UBI__HUMAN_TEXT];
    const ubi_strings_totals *t = ubi_strings_totals_of(a->strings);
    ubi__out_printf(page->out, "%s in %s", ubi__human_size(one, t->all.size_bytes),
                    ubi__human_things(other, t->all.count, "string"));
    if (ubi_strings_known(a->graph))
        ubi__out_printf(page->out, ", %s%s", ubi__human_things(one, ubi_strings_group_count(a->strings), "text"),
                        a->filter || a->values->min_length ? " chosen" : "");
    ubi__out_char(page->out, '\n');
    if (!ubi_strings_known(a->graph)) {
        ubi__out_string(page->out,
                        "The file holds no texts of strings, so duplicates cannot be found: it has their sizes "
                        "only. Heap snapshots of Node.js and Chrome have them.\n");
        return;
    }
    if (t->n_duplicate_groups == 0) {
        ubi__out_string(page->out, "No text is there more than once.\n");
        return;
    }
    ubi__out_printf(page->out, "%s %s there more than once, in %s",
                    ubi__human_things(one, t->n_duplicate_groups, "text"), t->n_duplicate_groups == 1 ? "is" : "are",
                    ubi__human_things(other, t->duplicates.count, "string"));
    ubi__out_printf(page->out, ": one copy of each would save %s\n", ubi__human_size(one, t->wasted_bytes));
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

static void lengths_write(const ubi__page *page, const answer *a) {
    static const ubi__text_column columns[] = {
        { "Characters", .width = 14 },
        { "Size", .width = 13 },
        { NULL, .width = 24, .gap = 2 },
        { "Strings", .width = 9 },
    };
    const ubi_strings_totals *t = ubi_strings_totals_of(a->strings);
    ubi__out *out = page->out;
    ubi__text_table table;
    char words[UBI__HUMAN_TEXT], count[UBI__HUMAN_TEXT];
    if (t->with_text.count == 0)
        return;
    ubi__page_table(&table, page, NULL, columns, sizeof columns / sizeof *columns);
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

static void text_write(const ubi__page *page, const answer *a, const ubi_string_group *g, size_t room) {
    ubi_look_name_buffer buffer;
    char length[UBI__HUMAN_TEXT], note[UBI__HUMAN_TEXT + 16] = "";
    ubi_text text = ubi_strings_text(a->strings, g->first, &buffer);
    if (g->is_truncated || g->length >= UBI_STRINGS_JOINED_UNITS)
        snprintf(note, sizeof note, " %s+", ubi__human_count(length, g->length));
    size_t noted = strlen(note);
    ubi__out_char(page->out, '"');
    ubi__display_text(page->out, &page->style, text, room > noted + 2 ? room - noted - 2 : 1);
    ubi__out_char(page->out, '"');
    ubi__write_ink(page, UBI__INK_DIM);
    ubi__out_string(page->out, note);
    ubi__write_ink(page, UBI__INK_PLAIN);
    ubi__out_char(page->out, '\n');
}

static void row_write(const ubi__page *page, const answer *a, const ubi__text_table *table, const ubi_string_group *g) {
    const ubi__cell cells[COLUMNS] = {
        [SAVES] = ubi__cell_size(a->values->wants_duplicates ? g->wasted_bytes : g->size_bytes),
        [COUNT] = ubi__cell_count(g->count),
        [EACH] = ubi__cell_size(g->size_bytes / g->count),
        [RETAINED] = ubi__cell_size(g->retained_bytes),
        [EXAMPLE] = ubi__cell_id(ubi_graph_node_id(a->graph, g->first)),
    };
    text_write(page, a, g, ubi__text_table_row(table, cells));
}

static void rows_write(const ubi__page *page, const answer *a) {
    ubi__text_table table;
    if (a->n == 0)
        return;
    ubi__page_table(&table, page, "Text", string_columns, COLUMNS);
    table.at[SAVES].title = a->values->wants_duplicates ? "Saves" : "Size";
    ubi__out_char(table.out, '\n');
    ubi__text_table_head(&table);
    for (uint32_t i = 0; i < a->n && !table.out->has_failed; i++)
        row_write(page, a, &table, ubi_strings_group(a->strings, a->order[i]));
    ubi__write_more(page, a->n_found - a->n, "--limit 0 shows all");
}

static ubi_status strings_page(const ubi__page *page, const void *answer_of, const ubi__asked *asked) {
    const answer *a = answer_of;
    (void)asked;
    head_write(page, a);
    if (!ubi_strings_known(a->graph))
        return UBI_OK;
    if (!a->values->wants_duplicates)
        lengths_write(page, a);
    rows_write(page, a);
    return UBI_OK;
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

static ubi_status strings_document(ubi__json *j, const void *answer_of, const ubi__asked *asked) {
    const answer *a = answer_of;
    const ubi_strings_totals *t = ubi_strings_totals_of(a->strings);
    (void)asked;
    ubi__json_member_bool(j, "textsKnown", ubi_strings_known(a->graph));
    tally_put(j, "all", &t->all);
    tally_put(j, "withText", &t->with_text);
    tally_put(j, "slices", &t->slices);
    tally_put(j, "duplicates", &t->duplicates);
    ubi__json_member_u64(j, "textCount", ubi_strings_group_count(a->strings));
    ubi__json_member_u64(j, "duplicateTextCount", t->n_duplicate_groups);
    ubi__json_member_u64(j, "wastedSize", t->wasted_bytes);
    lengths_put(j, t);
    ubi__json_member_u64(j, "found", a->n_found);
    ubi__json_member_array(j, "strings");
    for (uint32_t i = 0; i < a->n && !j->has_failed; i++)
        group_put(j, a->graph, a->strings, ubi_strings_group(a->strings, a->order[i]));
    ubi__json_array_end(j);
    return UBI_OK;
}

/* ---- question ------------------------------------------------------------------------------------------------------- */

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
              "may also be a recording or a timeline",
              .scope = UBI__SCOPE_TERMINAL),
    UBI__FLAG("all", 0, AT(with_all), "with --audit: also words of engines and libraries",
              .scope = UBI__SCOPE_TERMINAL),
    UBI__FAIL_ON_IN_WORDS(AT(fail_on), "with --audit: exit with status 1 and say why when this condition holds, such "
                                       "as 'words > 0'"),
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

const ubi__usage ubi__usage_strings = {
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
    .arguments_bytes = sizeof(ubi__strings_values),
};

const ubi__question ubi__question_strings = {
    .usage = &ubi__usage_strings,
    .schema = "ubiheap.strings/1",
    .least_heaps = 1,
    .most_heaps = 1,
    .answer_bytes = sizeof(answer),
    .prepare = strings_prepare,
    .compute = strings_compute,
    .document = strings_document,
    .page = strings_page,
    .release = strings_release,
};
