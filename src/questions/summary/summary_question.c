/* SPDX-License-Identifier: MIT
 *
 * summary_question.c: a heap by class as the tools of its producer show it.
 *
 * The page has a line of totals and a table: what a class retains, its own size, how many nodes it has, how far the nearest is
 * from the root, and its name, with the place where it is defined if the lens knows one. With --class, its nodes follow.
 */
#include <inttypes.h>
#include <stdio.h>

#include <ubiheap/views/summary.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/human.h"
#include "base/status.h"
#include "base/text.h"
#include "questions/summary/summary_choice.h"
#include "questions/summary/summary_values.h"

#define LEAST_PLACE_COLUMNS 16

#define AT(field) offsetof(ubi__summary_values, field)

typedef struct answer {
    const ubi__summary_values *values;
    ubi__summary_choice choice;
    const ubi_graph *graph;
    const ubi_look *look;
    const ubi_summary *summary;
    ubi_summary *chosen; /* owned: where the choice leaves nodes out; or NULL */
    const ubi_allocator *memory;
    uint32_t *order;      /* owned; order[n_rows + 1]: rows to show */
    uint32_t n_found;     /* that the name and the text leave, */
    uint32_t first, n;    /* of which these n are shown */
    uint32_t max_members; /* of each class; UBI_NONE: all */
    uint64_t total_bytes; /* of the whole heap */
} answer;

static const char *const sort_choices[] = { "retained", "self", "count", "distance", "name", NULL };

static ubi_summary_key sort_key(const char *sort) {
    static const ubi_summary_key keys[] = { UBI_SUMMARY_BY_RETAINED, UBI_SUMMARY_BY_SIZE, UBI_SUMMARY_BY_COUNT,
                                            UBI_SUMMARY_BY_DISTANCE, UBI_SUMMARY_BY_NAME };
    for (size_t i = 0; sort && sort_choices[i]; i++)
        if (strcmp(sort, sort_choices[i]) == 0)
            return keys[i];
    return UBI_SUMMARY_BY_RETAINED;
}

/* ---- classes by name --------------------------------------------------------------------------------------------- */

static ubi_text class_name_at(const answer *a, uint32_t row) {
    ubi_look_class class;
    ubi_look_class_get(a->look, ubi_summary_row_at(a->summary, row)->class_ix, &class);
    return class.name;
}

static ubi_status class_fail(const answer *a) {
    char word[UBI__SUGGESTED_BYTES + 1];
    ubi__suggestion best = ubi__suggestion_for(a->values->class_name);
    for (uint32_t i = 0; i < ubi_summary_row_count(a->summary); i++)
        ubi__suggestion_try_text(&best, word, class_name_at(a, i));
    if (best.word)
        return ubi__fail(UBI_ENOTFOUND, "there is no class '%s'; did you mean %s?", a->values->class_name, best.word);
    return ubi__fail(UBI_ENOTFOUND, "there is no class '%s'", a->values->class_name);
}

static void matching_keep(answer *a) {
    ubi_text wanted = ubi__text(a->values->matching);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < a->n_found; i++)
        if (ubi__text_contains(class_name_at(a, a->order[i]), wanted))
            a->order[kept++] = a->order[i];
    a->n_found = kept;
}

static void order_turn(answer *a) {
    for (uint32_t i = 0, j = a->n_found; i + 1 < j; i++) {
        uint32_t row = a->order[i];
        a->order[i] = a->order[--j];
        a->order[j] = row;
    }
}

static ubi_status class_keep(answer *a) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < a->n_found; i++)
        if (ubi__text_is(class_name_at(a, a->order[i]), a->values->class_name))
            a->order[kept++] = a->order[i];
    a->n_found = kept;
    return kept ? UBI_OK : class_fail(a);
}

/* ---- nodes of a class -------------------------------------------------------------------------------------------- */

/* The nodes of a row to show, in their order; members_free frees them. */
static ubi_status members_find(ubi_node_ix **nodes, uint32_t *n, const answer *a, const ubi_summary_row *row) {
    uint32_t wanted = row->count < a->max_members ? row->count : a->max_members;
    ubi_node_ix *found = ubi__alloc_array(a->memory, wanted, sizeof *found);
    *n = 0;
    if (!found && wanted)
        return ubi__fail_nomem();
    ubi_status status = ubi_summary_members(found, n, a->summary, row->class_ix, wanted);
    if (status == UBI_OK)
        *nodes = found;
    else
        ubi__free_array(a->memory, found, wanted, sizeof *found);
    return status;
}

/* ---- text: head -------------------------------------------------------------------------------------------------- */

static bool is_everything(const answer *a) {
    return !a->choice.only;
}

static void asked_write(const ubi__page *page, const char *what, const char *value) {
    if (!value)
        return;
    ubi__write_ink(page, UBI__INK_BOLD);
    ubi__out_string(page->out, what);
    ubi__display_text(page->out, &page->style, ubi__text(value), page->style.columns - strlen(what));
    ubi__write_ink(page, UBI__INK_PLAIN);
    ubi__out_char(page->out, '\n');
}

static void asked_id_write(const ubi__page *page, const char *what, const ubi__node_id *id) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, id->id);
    asked_write(page, what, id->is_given ? text : NULL);
}

/* What was asked for, a line each. */
static void choice_write(const ubi__page *page, const answer *a) {
    const ubi__summary_choice *c = &a->choice;
    asked_write(page, "", c->filter ? c->filter->title : NULL);
    if (c->context_filter && c->context_id == 0)
        asked_write(page, "", c->context_filter->title);
    else
        asked_write(page, "Objects of native context ", c->values->context);
    asked_write(page, "Allocated after ", c->values->since);
    asked_write(page, "Allocated before ", c->values->until);
    asked_id_write(page, "Allocated after id ", &c->values->since_id);
    asked_id_write(page, "Allocated before id ", &c->values->until_id);
    asked_write(page, "Where ", c->values->where);
}

static void head_write(const ubi__page *page, const answer *a) {
    char size[UBI__HUMAN_TEXT], count[UBI__HUMAN_TEXT], classes[UBI__HUMAN_TEXT];
    const ubi_summary *s = a->summary;
    uint32_t n_classes = ubi_summary_row_count(s);
    choice_write(page, a);
    if (n_classes == 0) {
        ubi__out_string(page->out, is_everything(a) ? "Nothing has a size.\n" : "There are none.\n");
        return;
    }
    ubi__out_printf(page->out, "%s in %s of %s class%s", ubi__human_size(size, ubi_summary_size_bytes(s)),
                    ubi__human_things(count, ubi_summary_node_count(s), "node"), ubi__human_count(classes, n_classes),
                    n_classes == 1 ? "" : "es");
    if (a->total_bytes != ubi_summary_size_bytes(s))
        ubi__out_printf(page->out, ", %s of %s", ubi__human_percent(count, ubi_summary_size_bytes(s), a->total_bytes),
                        ubi__human_size(size, a->total_bytes));
    ubi__out_char(page->out, '\n');
}

/* ---- text: rows -------------------------------------------------------------------------------------------------- */

enum { RETAINED, SHARE, BAR, SELF, SELF_SHARE, COUNT, DISTANCE, COLUMNS };

static const ubi__text_column class_columns[COLUMNS] = {
    [RETAINED] = { "Retained", .width = 10 },
    [SHARE] = { NULL, .width = 7 },
    [BAR] = { NULL, .width = 10, .gap = 2, .from_columns = 100 },
    [SELF] = { "Self", .width = 10 },
    [SELF_SHARE] = { NULL, .width = 7, .from_columns = 120 },
    [COUNT] = { "Count", .width = 10 },
    [DISTANCE] = { "Distance", .width = 9 },
};

static ubi__cell distance_cell(char digits[UBI__HUMAN_TEXT], uint32_t distance) {
    return ubi__cell_words(distance == UBI_NONE                   ? "-"
                           : distance >= UBI_LOOK_SYSTEM_DISTANCE ? "system"
                                                                  : ubi__human_count(digits, distance));
}

/* "12,40,7" in the file is the script's number, line and column from 0; people count from 1. */
static void place_words(char *out, size_t n, const answer *a, const ubi_summary_row *row, ubi_text place) {
    const ubi_graph *g = a->graph;
    unsigned script, line, column;
    char copy[64];
    *out = 0;
    if (place.len == 0 || place.len >= sizeof copy)
        return;
    snprintf(copy, sizeof copy, "%.*s", (int)place.len, place.ptr);
    if (sscanf(copy, "%u,%u,%u", &script, &line, &column) != 3)
        return;
    ubi_text file = ubi_graph_string(g, ubi_graph_kind(g, ubi_graph_node_kind(g, row->first))->script_filename);
    if (file.len)
        snprintf(out, n, "%.*s:%u:%u", (int)(file.len < 200 ? file.len : 200), file.ptr, line + 1, column + 1);
    else
        snprintf(out, n, "script %u:%u:%u", script, line + 1, column + 1);
}

static void class_name_write(const ubi__page *page, const answer *a, const ubi_summary_row *row, size_t room) {
    char place[300];
    ubi_look_class class;
    ubi_look_class_get(a->look, row->class_ix, &class);
    place_words(place, sizeof place, a, row, class.place);
    size_t used = ubi__display_text(page->out, &page->style, class.name, room);
    if (*place && room - used > LEAST_PLACE_COLUMNS) {
        ubi__out_string(page->out, "  ");
        ubi__write_ink(page, UBI__INK_DIM);
        ubi__display_text_end(page->out, &page->style, ubi__text(place), room - used - 2);
        ubi__write_ink(page, UBI__INK_PLAIN);
    }
    ubi__out_char(page->out, '\n');
}

static void class_write(const ubi__page *page, const answer *a, const ubi__text_table *table,
                        const ubi_summary_row *row) {
    char digits[UBI__HUMAN_TEXT];
    const ubi__cell cells[COLUMNS] = {
        [RETAINED] = ubi__cell_size(row->retained_bytes),
        [SHARE] = ubi__cell_share(row->retained_bytes, a->total_bytes),
        [BAR] = ubi__cell_bar(UBI__INK_CYAN, row->retained_bytes, a->total_bytes),
        [SELF] = ubi__cell_size(row->size_bytes),
        [SELF_SHARE] = ubi__cell_share(row->size_bytes, a->total_bytes),
        [COUNT] = ubi__cell_count(row->count),
        [DISTANCE] = distance_cell(digits, row->distance),
    };
    class_name_write(page, a, row, ubi__text_table_row(table, cells));
}

enum { NODE_RETAINED, NODE_SHARE, NODE_SELF, NODE_DISTANCE, NODE_ID, NODE_COLUMNS };

static const ubi__text_column node_columns[NODE_COLUMNS] = {
    [NODE_RETAINED] = { "Retained", .width = 10 },
    [NODE_SHARE] = { NULL, .width = 7 },
    [NODE_SELF] = { "Self", .width = 10 },
    [NODE_DISTANCE] = { "Distance", .width = 9 },
    [NODE_ID] = { "Id", .width = 12 },
};

static void node_write(const answer *a, const ubi__text_table *table, ubi_node_ix node) {
    char digits[UBI__HUMAN_TEXT];
    ubi_look_name_buffer buffer;
    uint64_t retained_bytes = ubi_dominators_retained_bytes(ubi_summary_dominators(a->summary), node);
    const ubi__cell cells[NODE_COLUMNS] = {
        [NODE_RETAINED] = ubi__cell_size(retained_bytes),
        [NODE_SHARE] = ubi__cell_share(retained_bytes, a->total_bytes),
        [NODE_SELF] = ubi__cell_size(ubi_look_size_bytes(a->look, node)),
        [NODE_DISTANCE] = distance_cell(digits, ubi_summary_distances(a->summary)[node]),
        [NODE_ID] = ubi__cell_id(ubi_graph_node_id(a->graph, node)),
    };
    ubi__text_table_line(table, cells, ubi_look_display_name(a->look, node, &buffer));
}

static ubi_status nodes_write(const ubi__page *page, const answer *a, const ubi_summary_row *row) {
    ubi_node_ix *nodes;
    ubi__text_table table;
    uint32_t n;
    UBI_TRY(members_find(&nodes, &n, a, row));
    ubi__page_table(&table, page, "Node", node_columns, NODE_COLUMNS);
    ubi__out_char(table.out, '\n');
    ubi__text_table_head(&table);
    for (uint32_t i = 0; i < n && !table.out->has_failed; i++)
        node_write(a, &table, nodes[i]);
    ubi__write_more(page, row->count - n, "--limit 0 shows all");
    ubi__free_array(a->memory, nodes, n, sizeof *nodes);
    return UBI_OK;
}

/* With --class, each of its name has a table of its own. */
static ubi_status summary_page(const ubi__page *page, const void *answer_of, const ubi__asked *asked) {
    const answer *a = answer_of;
    ubi__text_table table;
    (void)asked;
    head_write(page, a);
    if (a->n == 0)
        return UBI_OK;
    ubi__page_table(&table, page, "Class", class_columns, COLUMNS);
    for (uint32_t i = 0; i < a->n && !table.out->has_failed; i++) {
        const ubi_summary_row *row = ubi_summary_row_at(a->summary, a->order[i]);
        if (i == 0 || a->values->class_name) {
            ubi__out_char(table.out, '\n');
            ubi__text_table_head(&table);
        }
        class_write(page, a, &table, row);
        if (a->values->class_name)
            UBI_TRY(nodes_write(page, a, row));
    }
    ubi__write_more(page, a->n_found - a->n, "--limit 0 shows all");
    return UBI_OK;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

/* What DevTools show for a class with nodes that nothing reaches. */
#define UNREACHED_DISTANCE (-5)

static void distance_put(ubi__json *j, uint32_t distance, bool all_reached) {
    ubi__json_key(j, "distance");
    if (!all_reached)
        ubi__json_i64(j, UNREACHED_DISTANCE);
    else
        ubi__json_u64(j, distance);
}

static void node_put(ubi__json *j, const answer *a, ubi_node_ix node) {
    ubi_look_name_buffer buffer;
    uint32_t distance = ubi_summary_distances(a->summary)[node];
    ubi__json_object_begin(j);
    ubi__json_member_node_id(j, "id", ubi_graph_node_id(a->graph, node));
    ubi__json_member_text(j, "name", ubi_look_display_name(a->look, node, &buffer));
    distance_put(j, distance, distance != UBI_NONE);
    ubi__json_member_u64(j, "selfSize", ubi_look_size_bytes(a->look, node));
    ubi__json_member_u64(j, "retainedSize", ubi_dominators_retained_bytes(ubi_summary_dominators(a->summary), node));
    ubi__json_object_end(j);
}

static ubi_status members_put(ubi__json *j, const answer *a, const ubi_summary_row *row) {
    ubi_node_ix *nodes;
    uint32_t n;
    UBI_TRY(members_find(&nodes, &n, a, row));
    ubi__json_member_array(j, "nodes");
    for (uint32_t i = 0; i < n && !j->has_failed; i++)
        node_put(j, a, nodes[i]);
    ubi__json_array_end(j);
    ubi__free_array(a->memory, nodes, n, sizeof *nodes);
    return UBI_OK;
}

/* Where the class is defined, if the file has the script's name. */
static void file_put(ubi__json *j, const answer *a, const ubi_summary_row *row) {
    char words[300];
    ubi_look_class class;
    ubi_look_class_get(a->look, row->class_ix, &class);
    place_words(words, sizeof words, a, row, class.place);
    if (*words)
        ubi__json_member_string(j, "location", words);
}

static ubi_status class_put(ubi__json *j, const answer *a, const ubi_summary_row *row) {
    ubi_look_class class;
    ubi_look_class_get(a->look, row->class_ix, &class);
    ubi__json_object_begin(j);
    ubi__json_member_text(j, "name", class.name);
    ubi__json_member_text(j, "place", class.place);
    file_put(j, a, row);
    ubi__json_member_u64(j, "count", row->count);
    distance_put(j, row->distance, row->n_unreached == 0);
    ubi__json_member_u64(j, "unreachedCount", row->n_unreached);
    ubi__json_member_u64(j, "selfSize", row->size_bytes);
    ubi__json_member_u64(j, "retainedSize", row->retained_bytes);
    ubi__json_member_node_id(j, "exampleId", ubi_graph_node_id(a->graph, row->first));
    ubi_status status = a->values->class_name ? members_put(j, a, row) : UBI_OK;
    ubi__json_object_end(j);
    return status;
}

static void asked_put(ubi__json *j, const ubi__summary_values *v) {
    ubi__json_member_string(j, "filter", v->filter);
    ubi__json_member_string(j, "context", v->context);
    ubi__json_member_string(j, "since", v->since);
    ubi__json_member_string(j, "until", v->until);
    if (v->since_id.is_given)
        ubi__json_member_node_id(j, "sinceId", v->since_id.id);
    if (v->until_id.is_given)
        ubi__json_member_node_id(j, "untilId", v->until_id.id);
    ubi__json_member_string(j, "where", v->where);
}

static ubi_status summary_document(ubi__json *j, const void *answer_of, const ubi__asked *asked) {
    const answer *a = answer_of;
    ubi_status status = UBI_OK;
    (void)asked;
    ubi__json_member_string(j, "lens", ubi_lens_name(ubi_look_lens(a->look)));
    asked_put(j, a->values);
    ubi__json_member_u64(j, "totalSize", a->total_bytes);
    ubi__json_member_u64(j, "nodeCount", ubi_summary_node_count(a->summary));
    ubi__json_member_u64(j, "selfSize", ubi_summary_size_bytes(a->summary));
    ubi__json_member_u64(j, "classCount", ubi_summary_row_count(a->summary));
    if (a->values->matching)
        ubi__json_member_u64(j, "matchCount", a->n_found);
    ubi__json_member_array(j, "classes");
    for (uint32_t i = a->first; status == UBI_OK && i < a->first + a->n && !j->has_failed; i++)
        status = class_put(j, a, ubi_summary_row_at(a->summary, a->order[i]));
    ubi__json_array_end(j);
    return status;
}

/* ---- answer ------------------------------------------------------------------------------------------------------ */

static ubi_status summary_prepare(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    a->values = asked->values;
    a->memory = ubi__asked_allocator(asked);
    bool is_part = a->values->offset || a->values->is_reversed || a->values->matching;
    if (is_part && (asked->is_for_page || a->values->class_name))
        return ubi__fail(UBI_EINVAL, "--offset, --reversed and --matching do not go with %s",
                         a->values->class_name ? "--class" : "pages");
    return ubi__summary_choice_parse(&a->choice, a->values);
}

/* Of the nodes that are asked for. */
static ubi_status chosen_summarize(answer *a, const ubi__asked *asked) {
    ubi_summary_options options = UBI_SUMMARY_OPTIONS_INIT;
    const ubi_dominators *dominators;
    UBI_TRY(ubi_session_dominators(&dominators, ubi__asked_heap(asked), true));
    UBI_TRY(ubi_session_distances(&options.distances, ubi__asked_heap(asked)));
    options.allocator = a->memory;
    options.progress = ubi__asked_progress(asked);
    options.threads = ubi__asked_threads(asked);
    options.only = a->choice.only;
    UBI_TRY(ubi_summary_new(&a->chosen, a->look, dominators, &options));
    a->summary = a->chosen;
    return UBI_OK;
}

static ubi_status classes_sort(answer *a) {
    a->n_found = ubi_summary_row_count(a->summary);
    a->order = ubi__alloc_array(a->memory, a->n_found + (size_t)1, sizeof *a->order);
    if (!a->order)
        return ubi__fail_nomem();
    UBI_TRY(ubi_summary_sorted(a->order, a->summary, sort_key(a->values->sort)));
    if (a->values->class_name)
        UBI_TRY(class_keep(a));
    if (a->values->matching)
        matching_keep(a);
    if (a->values->is_reversed)
        order_turn(a);
    a->first = (uint32_t)ubi__smaller(a->values->offset, a->n_found);
    uint32_t n_left = a->n_found - a->first;
    a->n = !a->values->class_name && a->max_members < n_left ? a->max_members : n_left;
    return UBI_OK;
}

static ubi_status summary_compute(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    uint64_t limit = a->values->limit;
    UBI_TRY(ubi_session_look(&a->look, ubi__asked_heap(asked)));
    a->graph = ubi_look_view(a->look)->graph;
    UBI_TRY(ubi__summary_choice_make(&a->choice, a->look, asked));
    UBI_TRY(is_everything(a) ? ubi_session_summary(&a->summary, ubi__asked_heap(asked)) : chosen_summarize(a, asked));
    const ubi_dominators *d = ubi_summary_dominators(a->summary);
    a->total_bytes = ubi_dominators_retained_bytes(d, ubi_dominators_root(d)) + ubi_look_outside_bytes(a->look);
    a->max_members = limit && limit < UBI_NONE ? (uint32_t)limit : UBI_NONE;
    return classes_sort(a);
}

static void summary_facts(ubi__question_facts *out, const void *answer_of) {
    const answer *a = answer_of;
    *out = (ubi__question_facts){ .graph = a->graph,
                                  .look = a->look,
                                  .dominators = ubi_summary_dominators(a->summary),
                                  .n_matches = ubi_summary_node_count(a->summary) };
}

static void summary_release(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    (void)asked;
    if (a->order)
        ubi__free_array(a->memory, a->order, ubi_summary_row_count(a->summary) + (size_t)1, sizeof *a->order);
    ubi_summary_free(a->chosen);
    ubi__summary_choice_fini(&a->choice);
}

/* ---- question ---------------------------------------------------------------------------------------------------- */

static const ubi__parameter parameters[] = {
    UBI__TEXT("filter", 0, AT(filter), "NAME", "only what passes one of the filters below, such as detached-dom", NULL),
    UBI__ALIAS_LETTER('f'),
    UBI__TEXT("where", 'w', AT(where), "EXPR", "only nodes for which this holds; the names are the columns of nodes",
              NULL),
    UBI__TEXT("since", 0, AT(since), "OLDER",
              "only what was allocated after the snapshot OLDER was taken, in the same process", NULL,
              .scope = UBI__SCOPE_TERMINAL, .is_path = true),
    UBI__TEXT("until", 0, AT(until), "OLDER", "only what was allocated before the snapshot OLDER was taken", NULL,
              .scope = UBI__SCOPE_TERMINAL, .is_path = true),
    UBI__NODE("since-id", 0, AT(since_id), "ID",
              "only what was allocated after an older snapshot of V8 in which ID was the largest id", NULL,
              .scope = UBI__SCOPE_PROGRAM),
    UBI__NODE("until-id", 0, AT(until_id), "ID", "only what was allocated before that", NULL,
              .scope = UBI__SCOPE_PROGRAM),
    UBI__TEXT("context", 0, AT(context), "ID",
              "only what belongs to this native context, is shared between several, or belongs to none", NULL),
    UBI__TEXT("class", 0, AT(class_name), "NAME",
              "only classes of this name, with their nodes, those first that retain most", NULL),
    UBI__ALIAS_LETTER('c'),
    UBI__CHOICE("sort", 's', AT(sort), "ORDER", sort_choices, "what comes first", "retained"),
    UBI__LIMIT(AT(limit), "print the first N classes, or with --class the first N nodes of each; 0: all", "20"),
    UBI__TEXT("matching", 0, AT(matching), "TEXT", "only classes with TEXT in their name; upper and lower case differ",
              NULL, .scope = UBI__SCOPE_PROGRAM),
    UBI__NUMBER("offset", 0, AT(offset), "N", "leave the first N classes out", "0", .scope = UBI__SCOPE_PROGRAM),
    UBI__FLAG("reversed", 0, AT(is_reversed), "the last of the order first", .scope = UBI__SCOPE_PROGRAM),
    UBI__FAIL_ON(AT(fail_on)),
    UBI__PARAMETERS_END,
};

static const ubi__example examples[] = {
    { "summary app.heapsnapshot", "the classes that keep most alive" },
    { "summary --filter detached-dom app.heapsnapshot", "what only detached DOM nodes keep" },
    { "summary --class Session app.heapsnapshot", "the sessions, the heaviest first" },
    { "summary --since before.heapsnapshot after.heapsnapshot", "what is new in the second and still there" },
    { NULL, NULL },
};

const ubi__usage ubi__usage_summary = {
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
    .parameters = parameters,
    .glossary = &ubi__summary_filters_glossary,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 1,
    .arguments_bytes = sizeof(ubi__summary_values),
};

const ubi__question ubi__question_summary = {
    .usage = &ubi__usage_summary,
    .schema = "ubiheap.summary/1",
    .least_heaps = 1,
    .most_heaps = 1,
    .condition = UBI__CONDITION_SELECTION,
    .answer_bytes = sizeof(answer),
    .prepare = summary_prepare,
    .compute = summary_compute,
    .document = summary_document,
    .page = summary_page,
    .facts = summary_facts,
    .release = summary_release,
};
