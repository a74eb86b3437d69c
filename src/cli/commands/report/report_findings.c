/* SPDX-License-Identifier: MIT
 *
 * report_findings.c: the rules.
 */
#include "cli/commands/report/report_findings.h"

#include <stdio.h>

#include "base/text.h"
#include "render/human.h"
#include "render/node_label.h"

/* A rule says whether it holds, and fills the finding if it does. */
typedef bool (*rule_fn)(ubi__finding *finding, const ubi__report_facts *f);

static double share(uint64_t part, uint64_t total) {
    return total ? (double)part / (double)total : 0;
}

/* Labels are cut to this many bytes in sentences. */
#define LABEL_BYTES 60

typedef struct label {
    char text[LABEL_BYTES + 4];
} label;

/* At most LABEL_BYTES bytes of a text, ending at a whole character. */
static label shorten(ubi_text text) {
    label out;
    size_t n = text.len;
    if (n > LABEL_BYTES) {
        n = LABEL_BYTES;
        while (n > 0 && ((uint8_t)text.ptr[n] & 0xc0) == 0x80)
            n--;
    }
    snprintf(out.text, sizeof out.text, "%.*s%s", (int)n, text.ptr, n < text.len ? "..." : "");
    return out;
}

static label node_label(const ubi_graph *g, ubi_node_ix node) {
    return shorten(ubi__kind_label(g, ubi_graph_kind(g, ubi_graph_node_kind(g, node))));
}

static void name_node(ubi__finding *finding, const ubi_graph *g, ubi_node_ix node) {
    finding->has_node = true;
    finding->node_id = ubi_graph_node_id(g, node);
}

/* ---- rules ------------------------------------------------------------------------------------------------------ */

static bool ended_early(ubi__finding *finding, const ubi__report_facts *f) {
    if (!f->info->ended_early)
        return false;
    snprintf(finding->text, sizeof finding->text, "The file ends early, so there may have been more: %s.",
             f->info->end_note);
    return true;
}

#define LARGE_NODE_SHARE 0.05
#define LARGE_NODE_BYTES (64 * 1024)

static bool large_node(ubi__finding *finding, const ubi__report_facts *f) {
    char size[UBI__HUMAN_TEXT], percent[UBI__HUMAN_TEXT];
    const ubi__heap_summary *s = &f->summary;
    if (s->n_largest == 0)
        return false;
    uint64_t bytes = ubi_graph_node_size_bytes(f->graph, s->largest[0]);
    if (bytes < LARGE_NODE_BYTES || share(bytes, s->reachable.bytes) < LARGE_NODE_SHARE)
        return false;
    name_node(finding, f->graph, s->largest[0]);
    snprintf(finding->text, sizeof finding->text, "A single %s takes %s, %s of everything (node %llu).",
             node_label(f->graph, s->largest[0]).text, ubi__human_size(size, bytes),
             ubi__human_percent(percent, bytes, s->reachable.bytes), (unsigned long long)finding->node_id);
    return true;
}

#define DOMINATING_SHARE 0.3

static bool dominating_kind(ubi__finding *finding, const ubi__report_facts *f) {
    char count[UBI__HUMAN_TEXT], percent[UBI__HUMAN_TEXT], mean[UBI__HUMAN_TEXT];
    const ubi__group *top = f->labels.at;
    uint64_t total = f->summary.reachable.bytes;
    if (f->labels.n < 2 || top->tally.count < 2 || share(top->tally.bytes, total) < DOMINATING_SHARE)
        return false;
    snprintf(finding->text, sizeof finding->text, "%s alone makes up %s of the heap: %s of them, %s on average.",
             shorten(top->label).text, ubi__human_percent(percent, top->tally.bytes, total),
             ubi__human_count(count, top->tally.count), ubi__human_size(mean, top->tally.bytes / top->tally.count));
    return true;
}

#define UNREACHABLE_SHARE 0.01

static bool unreachable_nodes(ubi__finding *finding, const ubi__report_facts *f) {
    char nodes[UBI__HUMAN_TEXT], percent[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT];
    const ubi__tally *lost = &f->summary.unreachable;
    uint64_t all = ubi_graph_node_count(f->graph);
    if (share(lost->count, all) < UNREACHABLE_SHARE)
        return false;
    snprintf(finding->text, sizeof finding->text,
             "%s (%s of the file, %s) cannot be reached from the root and %s not counted; "
             "snapshots of single pages often have such nodes.",
             ubi__human_things(nodes, lost->count, "node"), ubi__human_percent(percent, lost->count, all),
             ubi__human_size(size, lost->bytes), lost->count == 1 ? "is" : "are");
    return true;
}

#define MANY_DOCUMENTS 10

static bool many_documents(ubi__finding *finding, const ubi__report_facts *f) {
    char count[UBI__HUMAN_TEXT];
    for (size_t i = 0; i < f->labels.n; i++) {
        const ubi__group *group = &f->labels.at[i];
        if (group->coarse_type != UBI_COARSE_DOM_NODE || !ubi__text_is(group->label, "#document") ||
            group->tally.count < MANY_DOCUMENTS)
            continue;
        snprintf(finding->text, sizeof finding->text,
                 "%s documents are alive. If fewer pages and frames are open, something keeps closed ones.",
                 ubi__human_count(count, group->tally.count));
        return true;
    }
    return false;
}

#define WIDE_NODE_EDGES 10000
#define WIDE_NODE_SHARE 0.05
#define WIDE_NODE_LEAST_EDGES 1000

static bool wide_node(ubi__finding *finding, const ubi__report_facts *f) {
    char count[UBI__HUMAN_TEXT];
    const ubi_graph *g = f->graph;
    ubi_node_ix node = f->summary.widest;
    if (node == UBI_NONE)
        return false;
    uint64_t edges = ubi_graph_first_edge(g, node + 1) - ubi_graph_first_edge(g, node);
    bool wide = edges >= WIDE_NODE_EDGES ||
                (edges >= WIDE_NODE_LEAST_EDGES && share(edges, ubi_graph_edge_count(g)) >= WIDE_NODE_SHARE);
    if (!wide)
        return false;
    name_node(finding, g, node);
    snprintf(finding->text, sizeof finding->text,
             "One %s holds %s references (node %llu): a list or a table that grew?", node_label(g, node).text,
             ubi__human_count(count, edges), (unsigned long long)finding->node_id);
    return true;
}

#define CROWD_SHARE 0.25
#define CROWD_LEAST 1000

/* The most numerous kind, unless it is the largest as well and dominates. */
static bool crowd(ubi__finding *finding, const ubi__report_facts *f) {
    char count[UBI__HUMAN_TEXT], percent[UBI__HUMAN_TEXT], mean[UBI__HUMAN_TEXT];
    const ubi__group *most = NULL;
    for (size_t i = 0; i < f->labels.n; i++)
        if (!most || f->labels.at[i].tally.count > most->tally.count)
            most = &f->labels.at[i];
    if (!most || most->tally.count < CROWD_LEAST || share(most->tally.count, f->summary.reachable.count) < CROWD_SHARE)
        return false;
    if (most == f->labels.at && share(most->tally.bytes, f->summary.reachable.bytes) >= DOMINATING_SHARE)
        return false;
    snprintf(finding->text, sizeof finding->text, "%s of all nodes are %s: %s of them, %s on average.",
             ubi__human_percent(percent, most->tally.count, f->summary.reachable.count), shorten(most->label).text,
             ubi__human_count(count, most->tally.count), ubi__human_size(mean, most->tally.bytes / most->tally.count));
    return true;
}

static const struct {
    const char *name;
    rule_fn holds;
} rules[] = {
    { "endedEarly", ended_early },
    { "largeNode", large_node },
    { "dominatingKind", dominating_kind },
    { "unreachable", unreachable_nodes },
    { "wideNode", wide_node },
    { "manyDocuments", many_documents },
    { "crowd", crowd },
};
_Static_assert(sizeof rules / sizeof *rules <= UBI__FINDINGS_MAX, "there is room for every rule");

void ubi__findings_collect(ubi__findings *out, const ubi__report_facts *facts) {
    out->n = 0;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        ubi__finding *finding = &out->at[out->n];
        *finding = (ubi__finding){ .rule = rules[i].name };
        out->n += rules[i].holds(finding, facts);
    }
}
