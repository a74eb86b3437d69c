/* SPDX-License-Identifier: MIT
 *
 * findings.c: what rules are given, what becomes of what they find, and what they share.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/assert.h"
#include "base/merge_sort.h"
#include "base/parallel.h"
#include "base/text.h"
#include "lenses/finding_facts.h"
#include "lenses/kind_label.h"

struct ubi_findings {
    const ubi_allocator *allocator;
    ubi__vec_finding rows;
};

/* ---- facts ---------------------------------------------------------------------------------------------------------- */

static ubi_status find_roles(ubi__finding_facts *f) {
    f->n_kinds = ubi_graph_kind_count(f->graph);
    f->role_of_kind = ubi__calloc_array(f->allocator, f->n_kinds + 1, sizeof *f->role_of_kind);
    if (!f->role_of_kind)
        return ubi__fail_nomem();
    for (ubi_kind_ix k = 0; k < f->n_kinds; k++)
        f->role_of_kind[k] = (uint8_t)f->producer->role_of_kind(f->graph, ubi_graph_kind(f->graph, k));
    return UBI_OK;
}

/* Objects start at multiples of a word, so a size that is not a multiple of 8 reveals words of 4 bytes. */
static unsigned find_word_bytes(const ubi__finding_facts *f) {
    const ubi_graph *g = f->graph;
    for (ubi_node_ix node = 0; ubi__finding_has_node(f, node); node++) {
        ubi__node_role role = ubi__finding_role(f, node);
        if (role != UBI__ROLE_NONE && role < UBI__ROLE_LISTENER && g->size_bytes.at[node] % 8)
            return 4;
    }
    return 8;
}

static bool is_of_program(const ubi__finding_facts *f, ubi_node_ix node) {
    const ubi_kind *kind = ubi_graph_kind(f->graph, f->graph->kind.at[node]);
    return !(f->producer && f->producer->has_large_tables) ||
           (kind->coarse_type != UBI_COARSE_OTHER && kind->coarse_type != UBI_COARSE_SCRIPT);
}

static void count_node(ubi__finding_facts *f, ubi_node_ix node, uint64_t *most_bytes, uint64_t *most_edges) {
    const ubi_graph *g = f->graph;
    uint64_t bytes = ubi_look_size_bytes(f->look, node), edges = g->first_edge.at[node + 1] - g->first_edge.at[node];
    ubi__finding_tally *class = &f->classes[ubi_look_class_of(f->look, node)];
    class->count++;
    class->bytes += bytes;
    f->all.count++;
    f->all.bytes += bytes;
    if (is_of_program(f, node) && (f->largest == UBI_NONE || bytes > *most_bytes)) {
        f->largest = node;
        *most_bytes = bytes;
    }
    if (node != g->root && (f->widest == UBI_NONE || edges > *most_edges)) {
        f->widest = node;
        *most_edges = edges;
    }
}

static ubi_status sum_up(ubi__finding_facts *f) {
    const ubi_graph *g = f->graph;
    bool adopts = ubi_look_view(f->look)->orphans == UBI_ORPHANS_ADOPT;
    uint64_t most_bytes = 0, most_edges = 0;
    f->n_classes = ubi_look_class_count(f->look);
    f->classes = ubi__calloc_array(f->allocator, f->n_classes + (size_t)1, sizeof *f->classes);
    if (!f->classes)
        return ubi__fail_nomem();
    for (ubi_node_ix node = 0; ubi__finding_has_node(f, node); node++) {
        if (adopts || ubi__graph_reachable(g, node)) {
            count_node(f, node, &most_bytes, &most_edges);
        } else {
            f->lost.count++;
            f->lost.bytes += g->size_bytes.at[node];
        }
    }
    f->total_bytes = f->all.bytes + ubi_look_outside_bytes(f->look);
    return UBI_OK;
}

void ubi__finding_facts_check(const ubi__finding_facts *f) {
    ubi__finding_tally sum = { 0 };
    UBI_ASSERT(f->all.count + f->lost.count == f->graph->n_nodes);
    UBI_ASSERT(f->widest == UBI_NONE || f->widest != f->graph->root);
    for (uint32_t c = 0; UBI_CHECKS && c < f->n_classes; c++) {
        UBI_ASSERT(f->classes[c].count > 0 || f->classes[c].bytes == 0);
        sum.count += f->classes[c].count;
        sum.bytes += f->classes[c].bytes;
    }
    UBI_ASSERT(!UBI_CHECKS || (sum.count == f->all.count && sum.bytes == f->all.bytes));
    UBI_ASSERT(!f->producer == !f->role_of_kind);
    for (uint32_t k = 0; UBI_CHECKS && f->producer && k < f->n_kinds; k++)
        UBI_ASSERT(f->role_of_kind[k] < UBI__ROLE_COUNT);
}

static ubi_status facts_gather(ubi__finding_facts *f) {
    UBI_TRY(sum_up(f));
    if (f->producer) {
        UBI_TRY(find_roles(f));
        f->word_bytes = find_word_bytes(f);
    }
    ubi__finding_facts_check(f);
    return UBI_OK;
}

static void facts_fini(ubi__finding_facts *f) {
    ubi__free_array(f->allocator, f->classes, f->n_classes + (size_t)1, sizeof *f->classes);
    ubi__free_array(f->allocator, f->role_of_kind, f->n_kinds + 1, sizeof *f->role_of_kind);
}

/* ---- duplicates ----------------------------------------------------------------------------------------------------- */

/* Whether `node` is `above` or is dominated by it. */
static bool is_within(const ubi__finding_facts *f, ubi_node_ix node, ubi_node_ix above) {
    uint32_t steps = 0;
    while (node != UBI_NONE && node != above && steps++ < 64)
        node = ubi_dominators_immediate(f->dominators, node);
    return node == above;
}

/*
 * A finding of these rules says only that one node is large, so one that is about the inside of another, or about what holds
 * nearly nothing else, adds nothing. Of collections within each other, the innermost that has nearly all of it is reported.
 */
static bool says_size_only(const ubi_finding *finding) {
    return strcmp(finding->rule, "closureContext") == 0 || strcmp(finding->rule, "largeNode") == 0 ||
           strcmp(finding->rule, "wideNode") == 0;
}

static bool is_rule(const ubi_finding *finding, const char *rule) {
    return strcmp(finding->rule, rule) == 0;
}

static bool repeats(const ubi__finding_facts *f, const ubi_finding *a, const ubi_finding *b) {
    if (a == b || a->n_nodes == 0 || b->n_nodes == 0)
        return false;
    if (is_rule(a, "largeNode") && is_rule(b, "wideNode") && a->nodes[0] == b->nodes[0])
        return true;
    if (!f->producer) /* there is no dominator tree */
        return false;
    if (is_rule(a, "growingCollection") && is_rule(b, "deadEntries"))
        return a->nodes[0] == b->nodes[0] && b->bytes > a->bytes / 2;
    if (is_rule(a, "growingCollection") && is_rule(b, "growingCollection"))
        return is_within(f, b->nodes[0], a->nodes[0]) && b->bytes > a->bytes / 5 * 4;
    if (!says_size_only(a) || says_size_only(b) || is_rule(b, "package"))
        return false;
    return is_within(f, a->nodes[0], b->nodes[0]) ||
           (is_within(f, b->nodes[0], a->nodes[0]) && b->bytes > a->bytes / 5 * 4);
}

static void drop_repeated(ubi__vec_finding *rows, const ubi__finding_facts *f) {
    size_t kept = 0;
    for (size_t i = 0; i < rows->n; i++) {
        bool repeated = false;
        for (size_t k = 0; !repeated && k < rows->n; k++)
            repeated = k < kept || k >= i ? repeats(f, &rows->at[i], &rows->at[k]) : false;
        if (!repeated)
            rows->at[kept++] = rows->at[i];
    }
    rows->n = kept;
}

/* Warnings about the file itself, then possible savings, then the rest in table order. */
static bool comes_before(int unused, ubi_finding a, ubi_finding b) {
    (void)unused;
    bool a_warns = is_rule(&a, "endedEarly"), b_warns = is_rule(&b, "endedEarly");
    return a_warns != b_warns ? a_warns : a.bytes > b.bytes;
}

UBI_SORT_DEFINE(sort_findings, ubi_finding, int, comes_before);

static ubi_status sort_rows(ubi__vec_finding *rows, const ubi_allocator *a) {
    if (rows->n < 2)
        return UBI_OK;
    ubi_finding *spare = ubi__alloc_array(a, rows->n, sizeof *spare);
    if (!spare)
        return ubi__fail_nomem();
    sort_findings(rows->at, spare, rows->n, 0);
    ubi__free_array(a, spare, rows->n, sizeof *spare);
    return UBI_OK;
}

/* ---- public --------------------------------------------------------------------------------------------------------- */

static ubi_status findings_check(ubi__finding_list *list, ubi__finding_facts *f, unsigned threads) {
    UBI_TRY(facts_gather(f));
    if (ubi__pulse_is_stopped(f->pulse))
        return ubi__fail_cancelled();
    UBI_TRY(ubi__finding_rules_check(list, f, threads));
    drop_repeated(&list->rows, f);
    return sort_rows(&list->rows, f->allocator);
}

/* Only rules for producers that are known ask who keeps what. */
static ubi_status with_dominators(ubi__finding_list *list, ubi__finding_facts *f, unsigned threads) {
    ubi_dominators_options options = UBI_DOMINATORS_OPTIONS_INIT;
    ubi_dominators *made = NULL;
    options.allocator = f->allocator;
    options.progress = f->options->progress;
    options.has_no_sets = true;
    options.threads = 1;
    if (f->producer && !f->dominators) {
        UBI_TRY(ubi_dominators_new(&made, ubi_look_view(f->look), &options));
        f->dominators = made;
    }
    ubi__fields fields;
    ubi__fields_init(&fields, f->graph, f->allocator);
    f->fields = &fields;
    ubi_status status = findings_check(list, f, threads);
    ubi__fields_fini(&fields);
    facts_fini(f);
    ubi_dominators_free(made);
    return status;
}

ubi_status ubi_findings_new(ubi_findings **out, const ubi_look *look, const ubi_findings_options *options) {
    return ubi__findings_by_threads(out, look, options, 1);
}

ubi_status ubi__findings_by_threads(ubi_findings **out, const ubi_look *look, const ubi_findings_options *options,
                                    unsigned threads) {
    static const ubi_findings_options defaults = UBI_FINDINGS_OPTIONS_INIT;
    options = options ? options : &defaults;
    UBI_TRY(ubi__version_check(options->version, UBI_FINDINGS_OPTIONS_VERSION, "ubi_findings_options"));
    const ubi_allocator *a = ubi__allocator_or_default(options->allocator);
    ubi_findings *findings = UBI_NEW(a, ubi_findings);
    if (!findings)
        return ubi__fail_nomem();
    findings->allocator = a;
    ubi__pulse pulse = ubi__pulse_of(&options->progress);
    ubi__finding_facts f = {
        .look = look, .options = options, .allocator = a, .dominators = options->dominators, .pulse = &pulse
    };
    ubi__finding_list list = { .allocator = a };
    f.graph = ubi_look_view(look)->graph;
    f.producer = ubi__producer_of(f.graph)->findings;
    if (f.producer && f.producer->apply && !f.producer->apply(f.graph))
        f.producer = NULL;
    f.largest = f.widest = UBI_NONE;
    ubi_status status = with_dominators(&list, &f, ubi__thread_count(threads));
    findings->rows = list.rows;
    if (status == UBI_OK)
        *out = findings;
    else
        ubi_findings_free(findings);
    return status;
}

void ubi_findings_free(ubi_findings *findings) {
    if (!findings)
        return;
    ubi__vec_finding_fini(&findings->rows, findings->allocator);
    UBI_DELETE(findings->allocator, findings);
}

uint32_t ubi_findings_count(const ubi_findings *findings) {
    return (uint32_t)findings->rows.n;
}

const ubi_finding *ubi_findings_get(const ubi_findings *findings, uint32_t index) {
    return &findings->rows.at[index];
}

/* ---- what rules share -------------------------------------------------------------------------------------------- */

/* What rules share: words, outermost members. */

ubi_status ubi__finding_add(ubi__finding_list *list, const ubi_finding *finding) {
    UBI_TRY(ubi__vec_finding_push(&list->rows, list->allocator, *finding));
    ubi_finding *added = &list->rows.at[list->rows.n - 1];
    added->rule = added->rule ? added->rule : list->rule;
    ubi__finding_check(added);
    return UBI_OK;
}

void ubi__finding_check(const ubi_finding *finding) {
    UBI_ASSERT(finding->rule && *finding->text);
    UBI_ASSERT(finding->n_nodes <= UBI_FINDING_NODES);
    for (uint32_t i = 0; UBI_CHECKS && i < finding->n_nodes; i++)
        for (uint32_t k = 0; k < i; k++)
            UBI_ASSERT(finding->nodes[k] != finding->nodes[i]);
    (void)finding;
}

void ubi__finding_say(ubi_finding *finding, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->text, sizeof finding->text, format, arguments);
    va_end(arguments);
}

void ubi__finding_call(ubi_finding *finding, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->title, sizeof finding->title, format, arguments);
    va_end(arguments);
}

void ubi__finding_example(ubi_finding *finding, ubi_node_ix node) {
    for (uint32_t i = 0; i < finding->n_nodes; i++)
        if (finding->nodes[i] == node)
            return;
    if (finding->n_nodes == 0)
        finding->path_to = node;
    if (finding->n_nodes < UBI_FINDING_NODES)
        finding->nodes[finding->n_nodes++] = node;
}

uint64_t ubi__finding_worth(const ubi__finding_facts *f, uint64_t least_bytes) {
    uint64_t share = f->total_bytes / 100;
    return share > least_bytes ? share : least_bytes;
}

ubi__finding_name ubi__finding_cut(ubi_text text) {
    ubi__finding_name out;
    size_t n = text.len;
    if (n > UBI__FINDING_NAME_BYTES) {
        n = UBI__FINDING_NAME_BYTES;
        while (n > 0 && ((uint8_t)text.ptr[n] & 0xc0) == 0x80)
            n--;
    }
    snprintf(out.text, sizeof out.text, "%.*s%s", (int)n, text.ptr ? text.ptr : "", n < text.len ? "..." : "");
    return out;
}

ubi__finding_name ubi__finding_class_name(const ubi__finding_facts *f, ubi_node_ix node) {
    return ubi__finding_cut(ubi_look_node_name(f->look, node));
}

/* ---- what most producers say ------------------------------------------------------------------------------------------ */

const ubi__class_role ubi__common_class_roles[] = {
    { "Map", UBI__ROLE_MAP },       { "Set", UBI__ROLE_SET }, { "Array", UBI__ROLE_ARRAY },
    { "Object", UBI__ROLE_OBJECT }, { NULL, UBI__ROLE_NONE },
};

ubi__node_role ubi__role_of_class(ubi_text class_name, const ubi__class_role *more) {
    const ubi__class_role *const tables[] = { ubi__common_class_roles, more };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const ubi__class_role *row = tables[i]; row && row->class_name; row++)
            if (ubi__text_is(class_name, row->class_name))
                return row->role;
    return UBI__ROLE_NONE;
}

ubi__entries ubi__entries_are_edges(const ubi__finding_facts *f, ubi_node_ix node, ubi__node_bits *seen) {
    (void)seen;
    return (ubi__entries){ .node = node, .role = ubi__finding_role(f, node) };
}

bool ubi__edge_name_is_of_entry(const ubi__finding_facts *f, const ubi__entries *at, ubi_edge_ix e,
                                const ubi__entry_names *names) {
    ubi_text name = ubi_graph_string(f->graph, f->graph->name.at[e]);
    UBI_ASSERT(at->role == ubi__finding_role(f, at->node));
    UBI_ASSERT(f->graph->first_edge.at[at->node] <= e && e < f->graph->first_edge.at[at->node + 1]);
    if (!name.ptr)
        return false;
    switch (at->role) {
    case UBI__ROLE_MAP:
        return ubi__text_is(name, names->map_value);
    case UBI__ROLE_SET:
        return ubi__text_is(name, names->set_key);
    case UBI__ROLE_ARRAY:
        return names->is_element(name);
    default:
        return !ubi__text_is(name, "shape");
    }
}

bool ubi__node_is_plain_data(const ubi__finding_facts *f, ubi_node_ix node) {
    ubi_coarse_type type = ubi_graph_kind(f->graph, f->graph->kind.at[node])->coarse_type;
    return type != UBI_COARSE_OTHER && type != UBI_COARSE_SCRIPT && ubi__finding_role(f, node) != UBI__ROLE_CLOSURE;
}

void ubi__function_of_file(char out[UBI__FUNCTION_WORDS], ubi_text file) {
    ubi__finding_name name = ubi__finding_cut(file);
    snprintf(out, UBI__FUNCTION_WORDS, "a function%s%s", *name.text ? " of " : "", name.text);
}

/* ---- bits ----------------------------------------------------------------------------------------------------------- */

ubi_status ubi__node_bits_new(ubi__node_bits *out, const ubi__finding_facts *f) {
    out->n_words = f->graph->n_nodes / 64 + (size_t)1;
    out->words = ubi__calloc_array(f->allocator, out->n_words, sizeof *out->words);
    return out->words ? UBI_OK : ubi__fail_nomem();
}

void ubi__node_bits_free(ubi__node_bits *bits, const ubi__finding_facts *f) {
    ubi__free_array(f->allocator, bits->words, bits->n_words, sizeof *bits->words);
    *bits = (ubi__node_bits){ NULL, 0 };
}

/* ---- on top --------------------------------------------------------------------------------------------------------- */

enum { UNKNOWN, BELOW_MEMBER, FREE };

/*
 * Whether a member dominates `node`. The answer is kept for all nodes on the way up, so that every node is
 * passed at most twice.
 */
static uint8_t find_above(uint8_t *known, ubi_node_ix node, const ubi__node_bits *members,
                          const ubi__finding_facts *f) {
    ubi_node_ix at = ubi_dominators_immediate(f->dominators, node), stop;
    uint8_t found = FREE;
    for (; at != UBI_NONE; at = ubi_dominators_immediate(f->dominators, at)) {
        if (ubi__node_bits_has(members, at))
            found = BELOW_MEMBER;
        else if (known[at])
            found = known[at];
        else
            continue;
        break;
    }
    stop = at;
    for (at = node; at != stop; at = ubi_dominators_immediate(f->dominators, at))
        known[at] = found;
    return found;
}

/* Largest first; of equal nodes, the earlier one is first. */
static void offer(ubi__outermost *out, const ubi__finding_facts *f, ubi_node_ix node) {
    uint64_t bytes = ubi__finding_retained(f, node);
    uint32_t at = out->n_largest;
    while (at > 0 && bytes > ubi__finding_retained(f, out->largest[at - 1]))
        at--;
    if (at == UBI_FINDING_NODES)
        return;
    if (out->n_largest < UBI_FINDING_NODES)
        out->n_largest++;
    for (uint32_t i = out->n_largest - 1; i > at; i--)
        out->largest[i] = out->largest[i - 1];
    out->largest[at] = node;
}

void ubi__outermost_check(const ubi__outermost *o, const ubi__finding_facts *f) {
    UBI_ASSERT(o->n_largest == (o->count < UBI_FINDING_NODES ? o->count : UBI_FINDING_NODES));
    for (uint32_t i = 0; UBI_CHECKS && i < o->n_largest; i++) {
        UBI_ASSERT(ubi__node_bits_has(&o->bits, o->largest[i]));
        UBI_ASSERT(i == 0 || ubi__finding_retained(f, o->largest[i - 1]) >= ubi__finding_retained(f, o->largest[i]));
    }
}

ubi_status ubi__outermost_find(ubi__outermost *out, const ubi__node_bits *members, const ubi__finding_facts *f) {
    ubi__outermost found = { .count = 0 };
    uint32_t n = f->graph->n_nodes;
    uint8_t *known = ubi__calloc_array(f->allocator, n, sizeof *known);
    if (!known)
        return ubi__fail_nomem();
    ubi_status status = ubi__node_bits_new(&found.bits, f);
    for (ubi_node_ix node = 0; status == UBI_OK && node < n; node++) {
        if (members->words[node >> 6] == 0) {
            node |= 63;
            continue;
        }
        if (!ubi__node_bits_has(members, node) || find_above(known, node, members, f) == BELOW_MEMBER)
            continue;
        ubi__node_bits_put(&found.bits, node);
        found.count++;
        found.bytes += ubi__finding_retained(f, node);
        offer(&found, f, node);
    }
    ubi__free_array(f->allocator, known, n, sizeof *known);
    if (status == UBI_OK) {
        ubi__outermost_check(&found, f);
        *out = found;
    }
    return status;
}
