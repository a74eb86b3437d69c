/* SPDX-License-Identifier: MIT
 *
 * finding_shapes.c: rules about the shape of any heap: what is large, wide, many, or out of reach; strings, detached nodes of a
 * document, and array buffers.
 */
#include <stdio.h>
#include <string.h>

#include <ubiheap/views/strings.h>

#include "base/human.h"
#include "base/text.h"
#include "lenses/finding_facts.h"

static double share(uint64_t part, uint64_t total) {
    return total ? (double)part / (double)total : 0;
}

ubi_status ubi__finding_ended_early(ubi__finding_list *out, const ubi__finding_facts *f) {
    ubi_finding finding = { .bytes = 0 };
    if (!f->options->info || !f->options->info->has_ended_early)
        return UBI_OK;
    ubi__finding_call(&finding, "a file that ends early");
    ubi__finding_say(&finding, "The file ends early, so there may have been more: %s.", f->options->info->end_note);
    return ubi__finding_add(out, &finding);
}

#define LARGE_NODE_SHARE 0.05
#define LARGE_NODE_BYTES (64 * 1024)

ubi_status ubi__finding_large_node(ubi__finding_list *out, const ubi__finding_facts *f) {
    char size[UBI__HUMAN_TEXT], percent[UBI__HUMAN_TEXT];
    ubi_finding finding = { .count = 1 };
    if (f->largest == UBI_NONE)
        return UBI_OK;
    uint64_t bytes = ubi_look_size_bytes(f->look, f->largest);
    if (bytes < LARGE_NODE_BYTES || share(bytes, f->total_bytes) < LARGE_NODE_SHARE)
        return UBI_OK;
    ubi__finding_example(&finding, f->largest);
    ubi__finding_call(&finding, "a single %s of %s", ubi__finding_class_name(f, f->largest).text,
                      ubi__human_size(size, bytes));
    ubi__finding_say(&finding, "A single %s takes %s, %s of everything.", ubi__finding_class_name(f, f->largest).text,
                     ubi__human_size(size, bytes), ubi__human_percent(percent, bytes, f->total_bytes));
    return ubi__finding_add(out, &finding);
}

/* ---- classes -------------------------------------------------------------------------------------------------------- */

/* The engine's own things are many in every heap, and programs cannot change that. */
static bool is_engine(const ubi__finding_facts *f, const ubi_look_class *class) {
    return f->producer && f->producer->has_large_tables &&
           (class->coarse_type == UBI_COARSE_OTHER || class->coarse_type == UBI_COARSE_SCRIPT);
}

/* The largest class by bytes (or by count). False: there are no nodes. */
static bool find_first(ubi_class_ix *out, ubi_look_class *class, const ubi__finding_facts *f, bool by_count) {
    ubi_class_ix best = UBI_NONE;
    ubi_look_class name;
    for (ubi_class_ix c = 0; c < f->n_classes; c++) {
        const ubi__finding_tally *t = &f->classes[c], *b = best == UBI_NONE ? NULL : &f->classes[best];
        if (t->count == 0)
            continue;
        uint64_t key = by_count ? t->count : t->bytes, other = by_count ? t->bytes : t->count;
        uint64_t best_key = !b         ? 0
                            : by_count ? b->count
                                       : b->bytes,
                 best_other = !b         ? 0
                              : by_count ? b->bytes
                                         : b->count;
        ubi_look_class_get(f->look, c, &name);
        if (!b || key > best_key || (key == best_key && other > best_other) ||
            (key == best_key && other == best_other && ubi__text_compare(name.name, class->name) < 0)) {
            best = c;
            *class = name;
        }
    }
    *out = best;
    return best != UBI_NONE;
}

#define DOMINATING_SHARE 0.3

static bool dominates(const ubi__finding_facts *f, ubi_class_ix c) {
    return f->classes[c].count >= 2 && share(f->classes[c].bytes, f->total_bytes) >= DOMINATING_SHARE;
}

static uint32_t classes_in_use(const ubi__finding_facts *f) {
    uint32_t n = 0;
    for (ubi_class_ix c = 0; c < f->n_classes; c++)
        n += f->classes[c].count > 0;
    return n;
}

ubi_status ubi__finding_dominating_kind(ubi__finding_list *out, const ubi__finding_facts *f) {
    char count[UBI__HUMAN_TEXT], percent[UBI__HUMAN_TEXT], mean[UBI__HUMAN_TEXT];
    ubi_class_ix top;
    ubi_look_class class = { .coarse_type = UBI_COARSE_OTHER };
    if (!find_first(&top, &class, f, false) || classes_in_use(f) < 2 || !dominates(f, top) || is_engine(f, &class))
        return UBI_OK;
    const ubi__finding_tally *tally = &f->classes[top];
    ubi_finding finding = { .count = tally->count };
    ubi__finding_call(&finding, "%s, %s of the heap", ubi__finding_cut(class.name).text,
                      ubi__human_percent(percent, tally->bytes, f->total_bytes));
    ubi__finding_say(&finding, "%s alone makes up %s of the heap: %s of them, %s on average.",
                     ubi__finding_cut(class.name).text, ubi__human_percent(percent, tally->bytes, f->total_bytes),
                     ubi__human_count(count, tally->count), ubi__human_size(mean, tally->bytes / tally->count));
    return ubi__finding_add(out, &finding);
}

#define CROWD_SHARE 0.25
#define CROWD_LEAST 1000

/* The most numerous kind, unless it is the largest as well and dominates. */
ubi_status ubi__finding_crowd(ubi__finding_list *out, const ubi__finding_facts *f) {
    char count[UBI__HUMAN_TEXT], percent[UBI__HUMAN_TEXT], mean[UBI__HUMAN_TEXT];
    ubi_class_ix most, top;
    ubi_look_class class = { .coarse_type = UBI_COARSE_OTHER }, top_class = class;
    if (!find_first(&most, &class, f, true) || !find_first(&top, &top_class, f, false))
        return UBI_OK;
    const ubi__finding_tally *tally = &f->classes[most];
    if (tally->count < CROWD_LEAST || share(tally->count, f->all.count) < CROWD_SHARE || is_engine(f, &class) ||
        (most == top && dominates(f, top)))
        return UBI_OK;
    if (class.coarse_type == UBI_COARSE_STRING || ubi__text_is(class.name, "Function"))
        return UBI_OK; /* there are many in every program */
    ubi_finding finding = { .count = tally->count };
    ubi__finding_call(&finding, "%s of one kind, %s", ubi__human_things(count, tally->count, "node"),
                      ubi__finding_cut(class.name).text);
    ubi__finding_say(&finding, "%s of all nodes are %s: %s of them, %s on average.",
                     ubi__human_percent(percent, tally->count, f->all.count), ubi__finding_cut(class.name).text,
                     ubi__human_count(count, tally->count), ubi__human_size(mean, tally->bytes / tally->count));
    return ubi__finding_add(out, &finding);
}

#define MANY_DOCUMENTS 10

ubi_status ubi__finding_many_documents(ubi__finding_list *out, const ubi__finding_facts *f) {
    char count[UBI__HUMAN_TEXT];
    for (ubi_class_ix c = 0; c < f->n_classes; c++) {
        ubi_look_class class;
        if (f->classes[c].count < MANY_DOCUMENTS)
            continue;
        ubi_look_class_get(f->look, c, &class);
        bool is_document =
            ubi__text_is(class.name, "#document") ||
            (f->producer && f->producer->document_class && ubi__text_is(class.name, f->producer->document_class));
        if (class.coarse_type != UBI_COARSE_DOM_NODE || !is_document)
            continue;
        ubi_finding finding = { .count = f->classes[c].count };
        ubi__finding_call(&finding, "%s documents", ubi__human_count(count, finding.count));
        ubi__finding_say(&finding,
                         "%s documents are alive. If fewer pages and frames are open, something keeps closed ones.",
                         ubi__human_count(count, finding.count));
        return ubi__finding_add(out, &finding);
    }
    return UBI_OK;
}

/* ---- nodes out of reach, wide nodes, memory outside ------------------------------------------------------------------- */

#define UNREACHABLE_SHARE 0.01

ubi_status ubi__finding_unreachable(ubi__finding_list *out, const ubi__finding_facts *f) {
    char nodes[UBI__HUMAN_TEXT], percent[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT];
    ubi_finding finding = { .count = f->lost.count };
    if (share(f->lost.count, f->graph->n_nodes) < UNREACHABLE_SHARE)
        return UBI_OK;
    ubi__finding_call(&finding, "%s that nothing reaches", ubi__human_things(nodes, f->lost.count, "node"));
    ubi__finding_say(&finding, "%s (%s of the file, %s) cannot be reached from the root and %s not counted.",
                     ubi__human_things(nodes, f->lost.count, "node"),
                     ubi__human_percent(percent, f->lost.count, f->graph->n_nodes),
                     ubi__human_size(size, f->lost.bytes), f->lost.count == 1 ? "is" : "are");
    return ubi__finding_add(out, &finding);
}

#define WIDE_NODE_EDGES 10000
#define WIDE_NODE_SHARE 0.05
#define WIDE_NODE_LEAST_EDGES 1000

ubi_status ubi__finding_wide_node(ubi__finding_list *out, const ubi__finding_facts *f) {
    char count[UBI__HUMAN_TEXT];
    const ubi_graph *g = f->graph;
    bool has_wide_tables = f->producer && f->producer->has_large_tables; /* growingCollection looks at the others */
    if (f->widest == UBI_NONE || has_wide_tables)
        return UBI_OK;
    uint64_t edges = g->first_edge.at[f->widest + 1] - g->first_edge.at[f->widest];
    if (edges < WIDE_NODE_EDGES && (edges < WIDE_NODE_LEAST_EDGES || share(edges, g->n_edges) < WIDE_NODE_SHARE))
        return UBI_OK;
    ubi_finding finding = { .count = edges };
    ubi__finding_example(&finding, f->widest);
    ubi__finding_call(&finding, "one %s with %s references", ubi__finding_class_name(f, f->widest).text,
                      ubi__human_count(count, edges));
    ubi__finding_say(&finding, "One %s holds %s references: a list or a table that grew?",
                     ubi__finding_class_name(f, f->widest).text, ubi__human_count(count, edges));
    return ubi__finding_add(out, &finding);
}

#define OUTSIDE_SHARE 0.25
#define OUTSIDE_LEAST_BYTES (1024 * 1024)

ubi_status ubi__finding_outside_bytes(ubi__finding_list *out, const ubi__finding_facts *f) {
    char size[UBI__HUMAN_TEXT], percent[UBI__HUMAN_TEXT];
    ubi_finding finding = { .count = 0 };
    uint64_t outside = ubi_look_outside_bytes(f->look);
    if (outside < OUTSIDE_LEAST_BYTES || share(outside, f->total_bytes) < OUTSIDE_SHARE)
        return UBI_OK;
    ubi__finding_call(&finding, "%s outside of all nodes", ubi__human_size(size, outside));
    ubi__finding_say(&finding,
                     "%s, %s of everything, is native memory that belongs to no node: the snapshot cannot say "
                     "what keeps it.",
                     ubi__human_size(size, outside), ubi__human_percent(percent, outside, f->total_bytes));
    return ubi__finding_add(out, &finding);
}

/* ---- strings ----------------------------------------------------------------------------------------------------- */

/* Rules about strings: many of one text, and long ones. */

#define LEAST_WASTED_BYTES (64 * 1024)

/* The duplicates that waste most, and all together; one pass, for there may be millions of groups. */
typedef struct worst {
    uint32_t groups[UBI_FINDING_NODES];
    uint32_t n;
    uint64_t wasted_bytes, n_copies;
} worst;

/* Some producers write no text for a part of another string: such concatenations may differ. */
static bool has_unknown_part(const ubi__finding_facts *f, const ubi_strings *strings, const ubi_string_group *group) {
    ubi_look_name_buffer buffer;
    const ubi__producer *p = ubi__producer_of(f->graph);
    return p->strings && p->strings->unknown_part && ubi__node_is_rope(f->graph, group->first) &&
           ubi__text_contains(ubi_strings_text(strings, group->first, &buffer), ubi__text(p->strings->unknown_part));
}

static worst find_worst(const ubi__finding_facts *f, const ubi_strings *strings) {
    worst out = { .n = 0 };
    for (uint32_t i = 0; i < ubi_strings_group_count(strings); i++) {
        const ubi_string_group *group = ubi_strings_group(strings, i);
        uint64_t wasted = group->wasted_bytes;
        if (wasted == 0 || has_unknown_part(f, strings, group))
            continue;
        out.wasted_bytes += wasted;
        out.n_copies += group->count - 1;
        uint32_t at = out.n;
        while (at > 0 && wasted > ubi_strings_group(strings, out.groups[at - 1])->wasted_bytes)
            at--;
        if (at == UBI_FINDING_NODES)
            continue;
        out.n += out.n < UBI_FINDING_NODES;
        for (uint32_t k = out.n - 1; k > at; k--)
            out.groups[k] = out.groups[k - 1];
        out.groups[at] = i;
    }
    return out;
}

/* Short, because two of them are quoted. */
static void quote(char *out, size_t n, const ubi_strings *strings, uint32_t index) {
    ubi_look_name_buffer buffer;
    char count[UBI__HUMAN_TEXT];
    const ubi_string_group *group = ubi_strings_group(strings, index);
    ubi__finding_name name = ubi__finding_cut(ubi_strings_text(strings, group->first, &buffer));
    snprintf(out, n, "\"%s\" is there %s times", name.text, ubi__human_count(count, group->count));
}

static const char *copies(char out[UBI__HUMAN_TEXT + 8], uint64_t n) {
    char count[UBI__HUMAN_TEXT];
    snprintf(out, UBI__HUMAN_TEXT + 8, "%s %s", ubi__human_count(count, n), n == 1 ? "copy" : "copies");
    return out;
}

static ubi_status report_duplicates(ubi__finding_list *out, const ubi__finding_facts *f, const ubi_strings *strings) {
    char size[UBI__HUMAN_TEXT], text[UBI__HUMAN_TEXT + 8], most[160];
    if (ubi_strings_totals_of(strings)->wasted_bytes < ubi__finding_worth(f, LEAST_WASTED_BYTES))
        return UBI_OK;
    worst w = find_worst(f, strings);
    if (w.wasted_bytes < ubi__finding_worth(f, LEAST_WASTED_BYTES))
        return UBI_OK;
    ubi_finding finding = { .bytes = w.wasted_bytes, .count = w.n_copies };
    for (uint32_t i = 0; i < w.n; i++)
        ubi__finding_example(&finding, ubi_strings_group(strings, w.groups[i])->first);
    quote(most, sizeof most, strings, w.groups[0]);
    ubi__finding_call(&finding, "duplicate strings");
    ubi__finding_say(&finding, "Duplicate strings take %s: %s more than needed. %s.",
                     ubi__human_size(size, w.wasted_bytes), copies(text, finding.count), most);
    return ubi__finding_add(out, &finding);
}

ubi_status ubi__finding_duplicate_strings(ubi__finding_list *out, const ubi__finding_facts *f) {
    ubi_strings_options options = UBI_STRINGS_OPTIONS_INIT;
    ubi_strings *strings;
    if (!ubi_strings_known(f->graph))
        return UBI_OK;
    options.allocator = f->allocator;
    options.progress = f->options->progress;
    UBI_TRY(ubi_strings_new(&strings, f->look, &options));
    ubi_status status = report_duplicates(out, f, strings);
    ubi_strings_free(strings);
    return status;
}

#define LONG_STRING_BYTES (64 * 1024)
#define LONG_STRINGS_SHARE 20 /* a twentieth of everything */

ubi_status ubi__finding_long_strings(ubi__finding_list *out, const ubi__finding_facts *f) {
    char size[UBI__HUMAN_TEXT], count[UBI__HUMAN_TEXT], most[UBI__HUMAN_TEXT];
    const ubi_graph *g = f->graph;
    ubi_finding finding = { .bytes = 0 };
    uint64_t most_bytes = 0, bytes = 0;
    ubi_node_ix largest = UBI_NONE;
    for (ubi_node_ix node = 0; f->producer && ubi__finding_has_node(f, node); node++) {
        if (g->size_bytes.at[node] < LONG_STRING_BYTES ||
            ubi_graph_kind(g, g->kind.at[node])->coarse_type != UBI_COARSE_STRING)
            continue;
        finding.count++;
        bytes += g->size_bytes.at[node];
        if (g->size_bytes.at[node] > most_bytes) {
            largest = node;
            most_bytes = g->size_bytes.at[node];
        }
    }
    if (largest == UBI_NONE || bytes < f->total_bytes / LONG_STRINGS_SHARE)
        return UBI_OK;
    finding.bytes = bytes;
    ubi__finding_example(&finding, largest);
    ubi__finding_call(&finding, "long strings");
    ubi__finding_say(&finding, "%s of 64 KiB or more take%s %s; the largest has %s.",
                     ubi__human_things(count, finding.count, "string"), finding.count == 1 ? "s" : "",
                     ubi__human_size(size, bytes), ubi__human_size(most, most_bytes));
    return ubi__finding_add(out, &finding);
}

/* ---- detached nodes and buffers ---------------------------------------------------------------------------------- */

/* Nodes detached from their document, and array buffers. */

#define LEAST_DETACHED 10
#define LEAST_DETACHED_BYTES 4096

static bool is_detached_dom(const ubi__finding_facts *f, ubi_node_ix node) {
    const ubi_graph *g = f->graph;
    return ubi_graph_kind(g, g->kind.at[node])->coarse_type == UBI_COARSE_DOM_NODE &&
           ubi_look_detachedness(f->look, node) == UBI_DETACHED;
}

/* The class that most trees begin with, by a vote, and how many do. */
static ubi_node_ix find_typical(uint64_t *count, const ubi__outermost *trees, const ubi__finding_facts *f) {
    ubi_node_ix typical = UBI_NONE;
    uint64_t lead = 0;
    for (ubi_node_ix node = 0; ubi__finding_has_node(f, node); node++) {
        if (!ubi__node_bits_has(&trees->bits, node))
            continue;
        if (lead == 0)
            typical = node;
        lead += ubi_look_class_of(f->look, node) == ubi_look_class_of(f->look, typical) ? 1 : (uint64_t)-1;
    }
    *count = 0;
    for (ubi_node_ix node = 0; typical != UBI_NONE && ubi__finding_has_node(f, node); node++)
        *count += ubi__node_bits_has(&trees->bits, node) &&
                  ubi_look_class_of(f->look, node) == ubi_look_class_of(f->look, typical);
    return typical;
}

/* The sentence says already that they are detached. */
static ubi_text without_prefix(ubi_text name) {
    static const char prefix[] = "Detached ";
    size_t n =
        name.len >= sizeof prefix - 1 && memcmp(name.ptr, prefix, sizeof prefix - 1) == 0 ? sizeof prefix - 1 : 0;
    return (ubi_text){ name.ptr + n, name.len - n };
}

static ubi_status report_detached(ubi_finding *finding, const ubi__outermost *trees, const ubi__finding_facts *f) {
    char count[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT], n_trees[UBI__HUMAN_TEXT], n_typical[UBI__HUMAN_TEXT];
    uint64_t typical_count;
    ubi_node_ix typical = find_typical(&typical_count, trees, f);
    if (ubi__pulse_is_stopped(f->pulse)) /* what is typical was not found to the end, perhaps nothing */
        return ubi__fail_cancelled();
    ubi__finding_name name = ubi__finding_cut(without_prefix(ubi_look_node_name(f->look, typical)));
    finding->bytes = trees->bytes;
    ubi__finding_example(finding, typical);
    for (uint32_t i = 0; i < trees->n_largest; i++)
        ubi__finding_example(finding, trees->largest[i]);
    ubi__finding_call(finding, "detached DOM nodes");
    ubi__finding_say(finding, "%s keep%s %s alive: %s, %s of them %s.",
                     ubi__human_things(count, finding->count, "detached DOM node"), finding->count == 1 ? "s" : "",
                     ubi__human_size(size, trees->bytes), ubi__human_things(n_trees, trees->count, "tree"),
                     ubi__human_count(n_typical, typical_count), name.text);
    return UBI_OK;
}

ubi_status ubi__finding_detached(ubi__finding_list *out, const ubi__finding_facts *f) {
    ubi_finding finding = { .bytes = 0 };
    ubi__node_bits members;
    ubi__outermost trees = { .count = 0 };
    UBI_TRY(ubi__node_bits_new(&members, f));
    for (ubi_node_ix node = 0; ubi__finding_has_node(f, node); node++)
        if (is_detached_dom(f, node)) {
            ubi__node_bits_put(&members, node);
            finding.count++;
        }
    ubi_status status = finding.count ? ubi__outermost_find(&trees, &members, f) : UBI_OK;
    if (status == UBI_OK && trees.count &&
        (finding.count >= LEAST_DETACHED || trees.bytes >= ubi__finding_worth(f, LEAST_DETACHED_BYTES)) &&
        trees.bytes >= LEAST_DETACHED_BYTES) {
        status = report_detached(&finding, &trees, f);
        if (status == UBI_OK)
            status = ubi__finding_add(out, &finding);
    }
    ubi__node_bits_free(&trees.bits, f);
    ubi__node_bits_free(&members, f);
    return status;
}

/* ---- array buffers -------------------------------------------------------------------------------------------------- */

#define BUFFERS_PARTS 10 /* a tenth of everything */
#define BUFFERS_LEAST_BYTES (1024 * 1024)

ubi_status ubi__finding_buffers(ubi__finding_list *out, const ubi__finding_facts *f) {
    char count[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT], most_size[UBI__HUMAN_TEXT];
    ubi_finding finding = { .bytes = 0 };
    ubi_node_ix largest = UBI_NONE;
    uint64_t most = 0;
    for (ubi_node_ix node = 0; ubi__finding_has_node(f, node); node++) {
        bool is_buffer = ubi__finding_role(f, node) == UBI__ROLE_BUFFER;
        if (!is_buffer || (f->producer->node_is_prototype && f->producer->node_is_prototype(f, node)))
            continue;
        uint64_t bytes = ubi_look_size_bytes(f->look, node);
        finding.count++;
        finding.bytes += bytes;
        if (bytes > most) {
            most = bytes;
            largest = node;
        }
    }
    if (finding.bytes < BUFFERS_LEAST_BYTES || finding.bytes < f->total_bytes / BUFFERS_PARTS)
        return UBI_OK;
    ubi__finding_example(&finding, largest);
    ubi__finding_call(&finding, "array buffers");
    ubi__finding_say(&finding, "%s take%s %s outside of the JavaScript heap, the largest %s.",
                     ubi__human_things(count, finding.count, "buffer"), finding.count == 1 ? "s" : "",
                     ubi__human_size(size, finding.bytes), ubi__human_size(most_size, most));
    return ubi__finding_add(out, &finding);
}
