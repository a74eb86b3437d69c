/* SPDX-License-Identifier: MIT
 *
 * finding_shapes.c: rules about the shape of any heap: what is large, wide, many, or out of reach.
 */
#include "base/human.h"
#include "base/text.h"
#include "lenses/finding_facts.h"

static double share(uint64_t part, uint64_t total) {
    return total ? (double)part / (double)total : 0;
}

ubi_status ubi__finding_ended_early(ubi__finding_list *out, const ubi__finding_facts *f) {
    ubi_finding finding = { .bytes = 0 };
    if (!f->options->info || !f->options->info->ended_early)
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
