/* SPDX-License-Identifier: MIT
 *
 * search_question.c: nodes by what they are called.
 */
#include <ubiheap/views/search.h>

#include "base/alloc.h"
#include "base/human.h"
#include "base/text.h"
#include "lenses/producer.h"
#include "questions/node_filter.h"
#include "questions/question.h"

typedef struct search_values {
    const char *text, *where, *property;
    bool is_exact;
    uint64_t limit;
} search_values;

#define AT(field) offsetof(search_values, field)

typedef struct answer {
    const search_values *values;
    ubi_text query;
    ubi_search_how how;
    ubi__node_filter *filter; /* owned, or NULL */
    ubi__object_facts facts;  /* only the look if nothing is shown */
    const ubi_graph *graph;
    ubi_search *search; /* owned */
    const ubi_node_ix *nodes;
    uint32_t n, n_shown;
} answer;

/* ---- arguments --------------------------------------------------------------------------------------------------- */

/* "/.../" is a pattern, anything else a text. */
static void query_read(answer *a, const char *text) {
    size_t n = text ? strlen(text) : 0;
    a->how = a->values->is_exact ? UBI_SEARCH_EXACT : UBI_SEARCH_ANY_CASE;
    a->query = (ubi_text){ text ? text : "", n };
    if (n < 3 || text[0] != '/' || text[n - 1] != '/')
        return;
    a->how = UBI_SEARCH_PATTERN;
    a->query = (ubi_text){ text + 1, n - 2 };
}

/* Mistakes in a pattern are reported before a heap is read. */
static ubi_status search_prepare(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    const search_values *values = a->values = asked->values;
    if (!values->text && !values->where && !values->property)
        return ubi__fail(UBI_EINVAL, "missing TEXT, --where EXPR or --property NAME; see 'ubiheap help search'");
    query_read(a, values->text);
    UBI_TRY(ubi_search_check(a->query, a->how));
    return values->where ? ubi__node_filter_new(&a->filter, values->where) : UBI_OK;
}

/* ---- properties -------------------------------------------------------------------------------------------------- */

/* The table entry of this text; UBI_NONE: no such name. */
static ubi_str_ix string_find(const ubi_graph *g, ubi_text text) {
    for (ubi_str_ix i = 0; i < ubi_graph_string_count(g); i++)
        if (ubi__text_equal(ubi_graph_string(g, i), text))
            return ubi_graph_canonical_string(g, i);
    return UBI_NONE;
}

/* An edge may have this name and be the engine's, or a variable. */
static bool edge_is_property(const ubi_graph *g, ubi_node_ix node, ubi_edge_ix edge) {
    ubi__edge_how how = ubi__producer_of(g)->words->edge(g, node, edge).how;
    return how == UBI__EDGE_PROPERTY || how == UBI__EDGE_QUOTED || how == UBI__EDGE_VERBATIM;
}

static bool node_has_property(const ubi_graph *g, ubi_node_ix node, ubi_str_ix property) {
    for (ubi_edge_ix e = ubi_graph_first_edge(g, node); e < ubi_graph_first_edge(g, node + 1); e++) {
        ubi_str_ix name = ubi_graph_edge_name(g, e);
        if (name != UBI_NONE && ubi_graph_canonical_string(g, name) == property && edge_is_property(g, node, e))
            return true;
    }
    return false;
}

/* Those of `among` that have the property, or of all nodes. Cost: O(strings + edges). */
static ubi_status among_with_property(ubi__vec_u32 *among, const answer *a, const ubi__asked *asked) {
    const ubi_graph *g = a->graph;
    ubi_str_ix property = string_find(g, ubi__text(a->values->property));
    bool is_all = !a->filter;
    uint32_t n = is_all ? ubi_graph_node_count(g) : (uint32_t)among->n, kept = 0;
    UBI_TRY(ubi__vec_u32_reserve(among, ubi__asked_allocator(asked), n + (size_t)1));
    for (uint32_t i = 0; property != UBI_NONE && i < n; i++) {
        ubi_node_ix node = is_all ? i : among->at[i];
        if (node_has_property(g, node, property))
            among->at[kept++] = node;
    }
    among->n = kept;
    return UBI_OK;
}

/* ---- answer ------------------------------------------------------------------------------------------------------ */

static ubi_status among_choose(ubi__vec_u32 *among, const answer *a, const ubi__asked *asked) {
    ubi__node_table table = { .graph = a->graph,
                              .view = ubi_look_view(a->facts.look),
                              .look = a->facts.look,
                              .heap = ubi__asked_heap(asked),
                              .memory = ubi__asked_allocator(asked),
                              .progress = ubi__asked_progress(asked) };
    ubi_status status =
        ubi__vec_u32_reserve(among, ubi__asked_allocator(asked), 1); /* a list, even if nothing is chosen */
    if (status == UBI_OK)
        status = ubi__node_filter_select(among, a->filter, &table, 0);
    ubi__node_table_fini(&table);
    return status;
}

static ubi_status nodes_find(answer *a, const ubi__asked *asked) {
    ubi_search_options options = UBI_SEARCH_OPTIONS_INIT;
    ubi__vec_u32 among = { 0 };
    ubi_status status = a->filter ? among_choose(&among, a, asked) : UBI_OK;
    if (status == UBI_OK && a->values->property)
        status = among_with_property(&among, a, asked);
    options.progress = ubi__asked_progress(asked);
    options.threads = ubi__asked_threads(asked);
    options.allocator = ubi__asked_allocator(asked);
    options.how = a->how;
    options.among = among.at;
    options.n_among = (uint32_t)among.n;
    if (status == UBI_OK)
        status = ubi_search_new(&a->search, a->facts.look, a->query, &options);
    ubi__vec_u32_fini(&among, ubi__asked_allocator(asked));
    UBI_TRY(status);
    a->nodes = ubi_search_nodes(a->search, &a->n);
    uint64_t limit = a->values->limit;
    a->n_shown = limit && limit < a->n ? (uint32_t)limit : a->n;
    return UBI_OK;
}

static ubi_status search_compute(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    UBI_TRY(ubi_session_look(&a->facts.look, ubi__asked_heap(asked)));
    a->graph = ubi_look_view(a->facts.look)->graph;
    UBI_TRY(nodes_find(a, asked));
    /* Only for what is shown, but these need all nodes. */
    return a->n_shown ? ubi__object_facts_get(&a->facts, ubi__asked_heap(asked)) : UBI_OK;
}

static void search_release(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    (void)asked;
    ubi_search_free(a->search);
    ubi__node_filter_free(a->filter);
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

static ubi_status search_page(const ubi__page *page, const void *answer_of, const ubi__asked *asked) {
    const answer *a = answer_of;
    char count[UBI__HUMAN_TEXT];
    ubi__out *out = page->out;
    ubi__object_rows rows;
    (void)asked;
    if (a->n == 0) {
        ubi__out_string(out, "Nothing found.\n");
        return UBI_OK;
    }
    ubi__object_rows_init(&rows, page, &a->facts, "Name");
    ubi__text_table_head(&rows.table);
    for (uint32_t i = 0; i < a->n_shown && !out->has_failed; i++)
        ubi__object_rows_line(&rows, a->nodes[i]);
    ubi__out_printf(out, "\n%s found", ubi__human_things(count, a->n, "node"));
    if (a->n_shown < a->n)
        ubi__out_printf(out, ", the first %s shown; --limit 0 shows all", ubi__human_count(count, a->n_shown));
    ubi__out_string(out, ".\n");
    return UBI_OK;
}

static ubi_status search_document(ubi__json *json, const void *answer_of, const ubi__asked *asked) {
    const answer *a = answer_of;
    (void)asked;
    ubi__json_member_u64(json, "count", a->n);
    ubi__json_member_array(json, "nodes");
    for (uint32_t i = 0; i < a->n_shown && !json->has_failed; i++) {
        ubi__json_object_begin(json);
        ubi__object_json(json, &a->facts, a->nodes[i], a->facts.distances[a->nodes[i]]);
        ubi__json_object_end(json);
    }
    ubi__json_array_end(json);
    return UBI_OK;
}

/* ---- question ---------------------------------------------------------------------------------------------------- */

static const ubi__parameter parameters[] = {
    UBI__TEXT("text", 0, AT(text), "TEXT", "what the name contains; a pattern between slashes", NULL,
              .is_operand = true),
    UBI__FLAG("case", 0, AT(is_exact), "upper and lower case of TEXT differ"),
    UBI__ALIAS_LETTER('c'),
    UBI__TEXT("where", 'w', AT(where), "EXPR",
              "only nodes for which this holds, such as 'retainedSize > 1MiB'; as that of nodes", NULL),
    UBI__TEXT("property", 0, AT(property), "NAME", "only objects that have a property of this name", NULL),
    UBI__LIMIT(AT(limit), "show the first N; 0: all", "100"),
    UBI__PARAMETERS_END,
};

static const ubi__example examples[] = {
    { "search app.heapsnapshot session", "names with this text, in upper or lower case" },
    { "search app.heapsnapshot '/^https?:/'", "names that match a pattern" },
    { "search --where 'retainedSize > 100KiB' app.heapsnapshot Cache", "large ones only" },
    { "search --property sessionId app.heapsnapshot", "objects that have this property" },
    { NULL, NULL },
};

const ubi__usage ubi__usage_search = {
    .name = "search",
    .operands = "FILE [TEXT|/PATTERN/]",
    .summary = "find nodes by what they are called",
    .question = "Which nodes have this name?",
    .description =
        "Prints the nodes whose name contains TEXT, or matches PATTERN, in file order. Case matters in a PATTERN, "
        "and in a TEXT only with --case.\n"
        "\n"
        "As in Chrome's DevTools, the name is the text of a string, the properties of a plain object, the name of "
        "a function, else the class; nodes without a size of their own are left out. Snapshots of other producers "
        "name no single nodes: there it is the class.\n"
        "\n"
        "--where chooses further, by the columns of 'ubiheap nodes', and --property by a property that objects have, "
        "whose "
        "value the file must list: of V8 and QuickJS, small numbers are no nodes. With one of them, TEXT may be left "
        "out. Patterns are those of its expressions: no back references, no look-around, and linear time.",
    .parameters = parameters,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 2,
    .arguments_bytes = sizeof(search_values),
};

const ubi__question ubi__question_search = {
    .usage = &ubi__usage_search,
    .schema = "ubiheap.search/1",
    .least_heaps = 1,
    .most_heaps = 1,
    .answer_bytes = sizeof(answer),
    .prepare = search_prepare,
    .compute = search_compute,
    .document = search_document,
    .page = search_page,
    .release = search_release,
};
