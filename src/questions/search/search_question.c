/* SPDX-License-Identifier: MIT
 *
 * search_question.c: nodes by what they are called.
 */
#include <ubiheap/views/search.h>

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/human.h"
#include "base/status.h"
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
    ubi__object_facts facts; /* only the look if nothing is shown */
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
    ubi__node_filter *filter = NULL;
    if (values->where)
        UBI_TRY(ubi__node_filter_new(&filter, values->where));
    ubi__node_filter_free(filter);
    return UBI_OK;
}

/* ---- what is searched for: the key of what was found ------------------------------------------------------------- */

typedef struct search_wishes {
    ubi_search_how how;
    ubi_text query;
    const char *where, *property; /* or NULL */
} search_wishes;

#define NOT_GIVEN (-1)
#define WISHES_FORMAT "%d %d %d %d "
#define WISHES_BYTES 64 /* of the numbers */

/* How long a text is that may not be given. */
static int wish_length(const char *text) {
    return text ? (int)strlen(text) : NOT_GIVEN;
}

/* One that is not given takes no room but its border. */
static const char *wish_cut(char **at, int length) {
    char *text = *at;
    *at += length > 0 ? length : 0;
    *(*at)++ = '\0';
    return length == NOT_GIVEN ? NULL : text;
}

/* Of a key of ours. @param copy  of the key, which gets NULs at the ends of texts. */
static search_wishes wishes_read(char *copy) {
    int how = 0, n_query = 0, n_where = 0, n_property = 0, n = 0;
    sscanf(copy, "%d %d %d %d%n", &how, &n_query, &n_where, &n_property, &n);
    char *at = copy + n + 1;
    const char *query = wish_cut(&at, n_query), *where = wish_cut(&at, n_where);
    return (search_wishes){ (ubi_search_how)how, { query, (size_t)n_query }, where, wish_cut(&at, n_property) };
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

#define NODES_PER_REPORT 65536

/* Those of `among` that have the property, or of all nodes. Cost: O(strings + edges). */
static ubi_status among_with_property(ubi__vec_u32 *among, const search_wishes *wishes, const ubi_graph *g,
                                      const ubi_search_options *o) {
    ubi_str_ix property = string_find(g, ubi__text(wishes->property));
    bool is_all = !wishes->where;
    uint32_t n = is_all ? ubi_graph_node_count(g) : (uint32_t)among->n, kept = 0;
    UBI_TRY(ubi__vec_u32_reserve(among, o->allocator, n + (size_t)1));
    for (uint32_t i = 0; property != UBI_NONE && i < n; i++) {
        ubi_node_ix node = is_all ? i : among->at[i];
        if (i % NODES_PER_REPORT == 0 && !ubi__progress(&o->progress, "searching", i, n))
            return ubi__fail_cancelled();
        if (node_has_property(g, node, property))
            among->at[kept++] = node;
    }
    among->n = kept;
    return UBI_OK;
}

/* ---- what was found: a part of the session ------------------------------------------------------------------------- */

static ubi_status among_choose(ubi__vec_u32 *among, const search_wishes *wishes, const ubi_look *look,
                               ubi_session_use *use, const ubi_search_options *o) {
    ubi__node_filter *filter;
    ubi__node_table table = { .graph = ubi_look_view(look)->graph,
                              .view = ubi_look_view(look),
                              .look = look,
                              .heap = use,
                              .memory = o->allocator,
                              .progress = o->progress };
    UBI_TRY(ubi__node_filter_new(&filter, wishes->where));
    ubi_status status = ubi__vec_u32_reserve(among, o->allocator, 1); /* a list, even if nothing is chosen */
    if (status == UBI_OK)
        status = ubi__node_filter_select(among, filter, &table, 0);
    ubi__node_table_fini(&table);
    ubi__node_filter_free(filter);
    return status;
}

static ubi_status nodes_find(ubi_search **out, const search_wishes *wishes, ubi_session_use *use,
                             const ubi_allocator *allocator) {
    ubi_search_options options = UBI_SEARCH_OPTIONS_INIT;
    ubi__vec_u32 among = { 0 };
    const ubi_look *look;
    UBI_TRY(ubi_session_look(&look, use));
    options.progress = *ubi_session_use_progress(use);
    options.threads = ubi_session_use_threads(use);
    options.allocator = allocator;
    options.how = wishes->how;
    ubi_status status = wishes->where ? among_choose(&among, wishes, look, use, &options) : UBI_OK;
    if (status == UBI_OK && wishes->property)
        status = among_with_property(&among, wishes, ubi_look_view(look)->graph, &options);
    options.among = among.at;
    options.n_among = (uint32_t)among.n;
    if (status == UBI_OK)
        status = ubi_search_new(out, look, wishes->query, &options);
    ubi__vec_u32_fini(&among, allocator);
    return status;
}

static ubi_status found_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    size_t n = strlen(key) + 1;
    ubi_search *search;
    char *copy = ubi__alloc_array(allocator, n, 1);
    if (!copy)
        return ubi__fail_nomem();
    memcpy(copy, key, n);
    search_wishes wishes = wishes_read(copy);
    ubi_status status = nodes_find(&search, &wishes, use, allocator);
    ubi__free_array(allocator, copy, n, 1);
    if (status == UBI_OK)
        *out = search;
    return status;
}

static void found_free(void *value, const ubi_allocator *allocator) {
    (void)allocator;
    ubi_search_free(value);
}

static const ubi__part_type found_part = { .name = "search", .build = found_build, .free = found_free };

static ubi_status found_get(const ubi_search **out, const answer *a, const ubi__asked *asked) {
    const ubi_allocator *memory = ubi__asked_allocator(asked);
    const char *where = a->values->where ? a->values->where : "";
    const char *property = a->values->property ? a->values->property : "";
    size_t n = WISHES_BYTES + a->query.len + strlen(where) + strlen(property) + 3;
    void *found = NULL;
    if (n > INT32_MAX)
        return ubi__fail(UBI_ELIMIT, "a text of more than 2 GiB");
    char *key = ubi__alloc_array(memory, n, 1);
    if (!key)
        return ubi__fail_nomem();
    snprintf(key, n, WISHES_FORMAT "%.*s %s %s", (int)a->how, (int)a->query.len, wish_length(a->values->where),
             wish_length(a->values->property), (int)a->query.len, a->query.ptr, where, property);
    ubi_status status = ubi__session_part(&found, ubi__asked_heap(asked), &found_part, key);
    ubi__free_array(memory, key, n, 1);
    *out = found;
    return status;
}

/* ---- answer ------------------------------------------------------------------------------------------------------ */

static ubi_status search_compute(void *answer_of, const ubi__asked *asked) {
    answer *a = answer_of;
    const ubi_search *found = NULL; /* for gcc 12 */
    UBI_TRY(ubi_session_look(&a->facts.look, ubi__asked_heap(asked)));
    UBI_TRY(found_get(&found, a, asked));
    a->nodes = ubi_search_nodes(found, &a->n);
    uint64_t limit = a->values->limit;
    a->n_shown = limit && limit < a->n ? (uint32_t)limit : a->n;
    /* Only for what is shown, but these need all nodes. */
    return a->n_shown ? ubi__object_facts_get(&a->facts, ubi__asked_heap(asked)) : UBI_OK;
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
};
