/* SPDX-License-Identifier: MIT
 *
 * producers.c: the list of producers, and what they share: words, labels of kinds, and the one that takes any heap. Adding a
 * producer takes its folder and a line here.
 */
#include "analyses/anonymize/grammar.h"
#include "base/alloc.h"
#include "base/assert.h"
#include "base/text.h"
#include "graph/graph_columns.h"
#include "lenses/finding_facts.h"
#include "lenses/kind_label.h"
#include "lenses/producer.h"
#include "lenses/words.h"

/* The first that says the graph is its own has it. Their lenses are listed in this order, too. */
#define PRODUCERS(X)                                                                                                   \
    X(v8)                                                                                                              \
    X(jsc)                                                                                                             \
    X(quickjs)                                                                                                         \
    X(firefox)                                                                                                         \
    X(plain)

#define DECLARE(name) extern const ubi__producer ubi__producer_##name;
#define ADDRESS(name) &ubi__producer_##name,

PRODUCERS(DECLARE)

static const ubi__producer *const producers[] = { PRODUCERS(ADDRESS) };

#define N_PRODUCERS (sizeof producers / sizeof *producers)

const ubi__producer *ubi__producer_at(size_t i) {
    return i < N_PRODUCERS ? producers[i] : NULL;
}

/* ---- scopes --------------------------------------------------------------------------------------------------------- */

void ubi__code_scopes_fini(ubi__code_scopes *s) {
    if (!s->allocator)
        return;
    ubi__vec_code_scope_fini(&s->rows, s->allocator);
    ubi__u64_map_fini(&s->row_of);
}

const ubi__code_scope *ubi__code_scopes_find(const ubi__code_scopes *s, ubi_node_ix scope) {
    uint32_t row = s->rows.n ? ubi__u64_map_get(&s->row_of, scope) : UBI_NONE;
    return row == UBI_NONE ? NULL : &s->rows.at[row];
}

/* ---- checks --------------------------------------------------------------------------------------------------------- */

static void check_grammar(const ubi__grammar *grammar) {
    UBI_ASSERT(!grammar->is_node_name == !grammar->node_name);
    UBI_ASSERT(!grammar->is_field == !grammar->field);
}

static void check_findings(const ubi__producer_findings *findings) {
    UBI_ASSERT(findings->role_of_kind);
    UBI_ASSERT(!findings->entries == !findings->edge_is_entry && !findings->entries == !findings->node_is_data);
    UBI_ASSERT(findings->entries || !findings->node_is_dead);
    UBI_ASSERT(!(findings->promise_awaited || findings->scope_of) == !findings->function_words);
    UBI_ASSERT(findings->scope_of || (!findings->variable_is_unread && !findings->edge_is_variable));
    UBI_ASSERT(!findings->file_of_code == !findings->edge_is_of_file &&
               !findings->file_of_code == !findings->file_is_of_runtime);
    for (const ubi__finding_entry *rule = findings->rules; UBI_CHECKS && rule && rule->name; rule++)
        for (const ubi__finding_entry *other = findings->rules; other < rule; other++)
            UBI_ASSERT(strcmp(other->name, rule->name) != 0);
}

static void check_history(const ubi__producer_history *history) {
    UBI_ASSERT(history->is_there && history->function_count && history->function && history->frame);
    UBI_ASSERT(!history->sample_count == !history->samples);
}

void ubi__producer_check(const ubi__producer *p) {
    const ubi__producer_code *code = &p->code;
    UBI_ASSERT(p->words->edge && p->words->node_is_engine && p->words->engine_run);
    UBI_ASSERT(!code->files_init == !code->file_of);
    UBI_ASSERT(!code->scopes_init == !code->scope_words);
    UBI_ASSERT(!code->code_of == !code->site);
    UBI_ASSERT(code->function_type || !code->function_is_of_runtime);
    UBI_ASSERT(!p->how_to_record_stacks || p->title);
    UBI_ASSERT(!p->strings || p->strings->part_of_kind);
    UBI_ASSERT(!p->strings || !p->strings->has_cut_strings == !p->strings->string_cut);
    UBI_ASSERT(!p->lens || p->lens->open);
    if (UBI_CHECKS && p->history)
        check_history(p->history);
    if (UBI_CHECKS && p->findings)
        check_findings(p->findings);
    if (UBI_CHECKS && p->grammar)
        check_grammar(p->grammar);
}

static const ubi__producer *find_producer(const ubi_graph *graph) {
    size_t i = 0;
    while (producers[i]->made && !producers[i]->made(graph))
        i++;
    ubi__producer_check(producers[i]);
    return producers[i];
}

/* Graphs do not change, so threads that ask at the same time store the same answer. */
const ubi__producer *ubi__producer_of(const ubi_graph *graph) {
    ubi__graph_memo *memo = (ubi__graph_memo *)(uintptr_t)&graph->producer;
    const ubi__producer *known = atomic_load_explicit(memo, memory_order_relaxed);
    if (!known) {
        known = find_producer(graph);
        atomic_store_explicit(memo, known, memory_order_relaxed);
    }
    return known;
}

const ubi__grammar *ubi__grammar_at(size_t i) {
    for (size_t k = 0; k < N_PRODUCERS; k++)
        if (producers[k]->grammar && i-- == 0)
            return producers[k]->grammar;
    return NULL;
}

/* ---- what a producer need not have ----------------------------------------------------------------------------------- */

const char *ubi__producer_title(const ubi_graph *graph) {
    const ubi__producer *p = ubi__producer_of(graph);
    return p->title ? p->title(graph) : NULL;
}

const char *ubi__how_to_record_stacks(const ubi_graph *graph) {
    const ubi__producer *p = ubi__producer_of(graph);
    return p->how_to_record_stacks && ubi__producer_title(graph) ? p->how_to_record_stacks(graph) : "";
}

bool ubi__code_place_of(ubi__code_place *out, const ubi_graph *graph, ubi_node_ix node) {
    const ubi__producer_code *code = &ubi__producer_of(graph)->code;
    return code->place && code->place(out, graph, node);
}

ubi_node_ix ubi__code_of(const ubi_look *look, ubi_node_ix node) {
    const ubi__producer_code *code = &ubi__producer_of(look->graph)->code;
    return code->code_of ? code->code_of(look, node) : UBI_NONE;
}

uint64_t ubi__code_site(const ubi_look *look, ubi_node_ix node) {
    const ubi__producer_code *code = &ubi__producer_of(look->graph)->code;
    return code->site ? code->site(look, node) : 0;
}

bool ubi__kind_is_function(const ubi_graph *graph, const ubi_kind *kind) {
    return kind->raw_type && kind->raw_type == ubi__producer_of(graph)->code.function_type;
}

bool ubi__function_is_of_runtime(ubi__fields *fields, ubi_node_ix function) {
    const ubi__producer_code *code = &ubi__producer_of(fields->graph)->code;
    return code->function_is_of_runtime && code->function_is_of_runtime(fields, function);
}

void ubi__code_files_fini(ubi__code_files *files, const ubi_allocator *a) {
    ubi__free_array(a, files->script, files->n_nodes, sizeof *files->script);
    files->script = NULL;
}

size_t ubi__further_facts_of(ubi__further_fact out[UBI__MOST_FURTHER_FACTS], const ubi_graph *graph, ubi_node_ix node,
                             ubi_look_name_buffer *buffer) {
    const ubi__producer *p = ubi__producer_of(graph);
    size_t n = p->further_facts ? p->further_facts(out, graph, node, buffer) : 0;
    UBI_ASSERT(n <= UBI__MOST_FURTHER_FACTS);
    return n;
}

bool ubi__node_is_rope(const ubi_graph *graph, ubi_node_ix node) {
    const ubi__producer *p = ubi__producer_of(graph);
    return p->node_is_rope && p->node_is_rope(graph, node);
}

ubi_node_ix ubi__target_named(const ubi_graph *graph, ubi_node_ix node, ubi_edge_kind kind, const char *name) {
    if (node == UBI_NONE)
        return UBI_NONE;
    UBI_ASSERT(!ubi__edge_kind_is_numbered(kind));
    for (ubi_edge_ix e = graph->first_edge.at[node]; e < graph->first_edge.at[node + 1]; e++)
        if (ubi__graph_edge_kind(graph, e) == kind && ubi__text_is(ubi_graph_string(graph, graph->name.at[e]), name))
            return graph->target.at[e];
    return UBI_NONE;
}

const char *ubi__without_size(const ubi_graph *graph) {
    const ubi__producer *p = ubi__producer_of(graph);
    return p->without_size ? p->without_size(graph) : NULL;
}

bool ubi__kind_is_value(const ubi_graph *graph, const ubi_kind *kind) {
    const ubi__producer *p = ubi__producer_of(graph);
    return p->kind_is_value && p->kind_is_value(graph, kind);
}

ubi_node_ix ubi__template_of(const ubi_graph *graph, ubi_node_ix node) {
    const ubi__producer *p = ubi__producer_of(graph);
    return p->template_of ? p->template_of(graph, node) : UBI_NONE;
}

size_t ubi__fields_without_edges(ubi_text out[UBI__MOST_FIELDS_WITHOUT_EDGES], const ubi_graph *graph,
                                 ubi_node_ix node) {
    const ubi__producer *p = ubi__producer_of(graph);
    return p->fields_without_edges ? p->fields_without_edges(out, graph, node) : 0;
}

bool ubi__edge_is_passing(const ubi_graph *graph, ubi_node_ix source, ubi_edge_ix edge) {
    const ubi__producer *p = ubi__producer_of(graph);
    return p->edge_is_passing && p->edge_is_passing(graph, source, edge);
}

bool ubi__root_is_root_list(const ubi_graph *graph) {
    const ubi_kind *root = ubi_graph_kind(graph, ubi_graph_node_kind(graph, ubi_graph_root(graph)));
    return ubi__text_is(ubi_graph_string(graph, root->type_name), "JS::ubi::RootList");
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

/* What the words of several producers share (words.h). */

ubi__edge_words ubi__edge_named(const char *text) {
    return ubi__edge_says(text ? UBI__EDGE_NAMED : UBI__EDGE_SILENT, NULL, ubi__text(text));
}

bool ubi__text_is_identifier(ubi_text name) {
    size_t begin = name.len > 1 && name.ptr[0] == '#'; /* a private one */
    if (name.len > UBI__LONGEST_IDENTIFIER)
        return false;
    for (size_t i = begin; i < name.len; i++) {
        unsigned char c = (unsigned char)name.ptr[i], lower = c | 0x20;
        bool letter = (lower >= 'a' && lower <= 'z') || c == '_' || c == '$' || c >= 0x80;
        if (!letter && (i == begin || c < '0' || c > '9'))
            return false;
    }
    return name.len > begin;
}

/* ---- names ---------------------------------------------------------------------------------------------------------- */

/* Classes that every program has. */
static bool is_built_in(ubi_text name) {
    static const char *const names[] = { "Object",  "Array",   "Function", "Map",         "Set",       "WeakMap",
                                         "WeakSet", "WeakRef", "Promise",  "native_bind", "Generator", "Window",
                                         "Proxy",   "Error",   "global",   "ArrayBuffer" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ubi__text_is(name, names[i]))
            return true;
    return false;
}

ubi__path_rank ubi__rank_of_name(ubi_text name) {
    return name.len == 0 || is_built_in(name) ? UBI__RANK_UNNAMED : UBI__RANK_PROGRAM;
}

static bool is_plain_name(ubi_text name) {
    return ubi__text_is(name, "Object") || ubi__text_is(name, "Array");
}

/* Some producers call every object that scripts make an Object; its constructor says more. */
bool ubi__kind_is_plain(const ubi_graph *graph, const ubi_kind *kind) {
    if (kind->coarse_type != UBI_COARSE_OBJECT || !is_plain_name(ubi_graph_string(graph, kind->class_name)))
        return false;
    return kind->descriptive_name == UBI_NONE || is_plain_name(ubi_graph_string(graph, kind->descriptive_name));
}

/* ---- fields --------------------------------------------------------------------------------------------------------- */

void ubi__fields_init(ubi__fields *fields, const ubi_graph *g, const ubi_allocator *allocator) {
    *fields = (ubi__fields){ .graph = g, .status = UBI_OK };
    ubi__u64_map_init(&fields->found, allocator);
}

void ubi__fields_fini(ubi__fields *fields) {
    ubi__u64_map_fini(&fields->found);
}

/* ---- labels of kinds --------------------------------------------------------------------------------------------- */

/* What nodes of a kind are called. */

static ubi_str_ix name_string(const ubi_kind *kind) {
    return kind->descriptive_name != UBI_NONE ? kind->descriptive_name : kind->class_name;
}

ubi_str_ix ubi__kind_label_string(const ubi_kind *kind) {
    ubi_str_ix name = name_string(kind);
    if (name != UBI_NONE)
        return name;
    return kind->script_filename != UBI_NONE ? kind->script_filename : kind->type_name;
}

ubi_text ubi__kind_name(const ubi_graph *graph, const ubi_kind *kind) {
    return ubi_graph_string(graph, name_string(kind));
}

ubi_text ubi__kind_label(const ubi_graph *graph, const ubi_kind *kind) {
    return ubi_graph_string(graph, ubi__kind_label_string(kind));
}

/* ---- the plain producer ------------------------------------------------------------------------------------------ */

/* Heaps whose producer we do not know: everything is as it is in the file. */

/* ---- classes by label -------------------------------------------------------------------------------------------- */

/* Classes of one label, one per coarse type, in a chain that starts at first[label]. */
typedef struct class_table {
    ubi_class_ix *first; /* first[string count] */
    ubi__vec_u32 next;   /* next[class] */
} class_table;

static ubi_status class_of_kind(ubi_class_ix *out, ubi_look *look, class_table *t, const ubi_kind *kind) {
    ubi_str_ix label = ubi_graph_canonical_string(look->graph, ubi__kind_label_string(kind));
    for (ubi_class_ix c = t->first[label]; c != UBI_NONE; c = t->next.at[c])
        if (look->classes.at[c].coarse_type == kind->coarse_type) {
            *out = c;
            return UBI_OK;
        }
    ubi_look_class added = { ubi_graph_string(look->graph, label), ubi__text(""), kind->coarse_type };
    *out = (ubi_class_ix)look->classes.n;
    UBI_TRY(ubi__vec_lens_class_push(&look->classes, look->allocator, added));
    UBI_TRY(ubi__vec_u32_push(&t->next, look->allocator, t->first[label]));
    t->first[label] = *out;
    return UBI_OK;
}

static ubi_status number_classes(ubi_look *look, class_table *t, uint32_t n_kinds) {
    for (ubi_kind_ix kind = 0; kind < n_kinds; kind++)
        UBI_TRY(class_of_kind(&look->class_of_kind[kind], look, t, ubi_graph_kind(look->graph, kind)));
    return UBI_OK;
}

ubi_status ubi__lens_classes_by_label(ubi_look *look) {
    const ubi_allocator *a = look->allocator;
    uint32_t n_kinds = ubi_graph_kind_count(look->graph), n_strings = ubi_graph_string_count(look->graph);
    class_table t = { ubi__alloc_array(a, n_strings, sizeof *t.first), { 0 } };
    look->class_of_kind = ubi__alloc_array(a, n_kinds, sizeof *look->class_of_kind);
    ubi_status status = t.first && look->class_of_kind ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK) {
        memset(t.first, 0xff, (size_t)n_strings * sizeof *t.first);
        status = number_classes(look, &t, n_kinds);
    }
    ubi__free_array(a, t.first, n_strings, sizeof *t.first);
    ubi__vec_u32_fini(&t.next, a);
    return status;
}

static ubi_status plain_open(ubi_look *look, const ubi_look_options *options, int filter) {
    (void)options, (void)filter;
    return ubi__lens_classes_by_label(look);
}

static const char *const census_presets[] = { "treeMap", "objectClass", "internalType", "allocationStack", NULL };

static const ubi_lens plain_lens = {
    .name = "plain",
    .title = "Any heap",
    .displays = UBI__LENS_DISPLAYS(census_presets),
    .may_reuse_ids = true,
    .open = plain_open,
};

/* ---- its producer --------------------------------------------------------------------------------------------------- */

/* Objects have properties; what other edges are called are words of the engine. */
static ubi__edge_words edge_words(const ubi_graph *graph, ubi_node_ix source, ubi_edge_ix edge) {
    const ubi_kind *kind = ubi_graph_kind(graph, ubi_graph_node_kind(graph, source));
    ubi_text name = ubi_graph_string(graph, ubi_graph_edge_name(graph, edge));
    uint32_t index;
    if (ubi_graph_edge_number(&index, graph, edge))
        return (ubi__edge_words){ .how = UBI__EDGE_INDEX, .index = index };
    if (!name.len)
        return ubi__edge_named(NULL);
    if (kind->coarse_type != UBI_COARSE_OBJECT)
        return ubi__edge_says(UBI__EDGE_NAMED, NULL, name);
    return ubi__edge_says(ubi__text_is_identifier(name) ? UBI__EDGE_PROPERTY : UBI__EDGE_QUOTED, NULL, name);
}

static bool node_is_engine(const ubi_graph *graph, ubi_node_ix node) {
    (void)graph, (void)node;
    return false;
}

/* No node is the engine's, so there is no run of such nodes. */
static ubi__edge_words run_words(const ubi_graph *graph, const ubi__engine_run *run) {
    (void)graph, (void)run;
    return ubi__edge_named(NULL);
}

static const ubi__producer_words plain_words = {
    .edge = edge_words,
    .node_is_engine = node_is_engine,
    .engine_run = run_words,
};

const ubi__producer ubi__producer_plain = {
    .name = "plain",
    .lens = &plain_lens,
    .words = &plain_words,
};
