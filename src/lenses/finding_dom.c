/* SPDX-License-Identifier: MIT
 *
 * finding_dom.c: nodes detached from their document, and array buffers.
 */
#include <string.h>

#include "base/human.h"
#include "lenses/finding_facts.h"

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
    for (ubi_node_ix node = 0; node < f->graph->n_nodes; node++) {
        if (!ubi__node_bits_has(&trees->bits, node))
            continue;
        if (lead == 0)
            typical = node;
        lead += ubi_look_class_of(f->look, node) == ubi_look_class_of(f->look, typical) ? 1 : (uint64_t)-1;
    }
    *count = 0;
    for (ubi_node_ix node = 0; typical != UBI_NONE && node < f->graph->n_nodes; node++)
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

static void tell_detached(ubi_finding *finding, const ubi__outermost *trees, const ubi__finding_facts *f) {
    char count[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT], n_trees[UBI__HUMAN_TEXT], n_typical[UBI__HUMAN_TEXT];
    uint64_t typical_count;
    ubi_node_ix typical = find_typical(&typical_count, trees, f);
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
}

ubi_status ubi__finding_detached(ubi__finding_list *out, const ubi__finding_facts *f) {
    ubi_finding finding = { .bytes = 0 };
    ubi__node_bits members;
    ubi__outermost trees = { .count = 0 };
    UBI_TRY(ubi__node_bits_new(&members, f));
    for (ubi_node_ix node = 0; node < f->graph->n_nodes; node++)
        if (is_detached_dom(f, node)) {
            ubi__node_bits_put(&members, node);
            finding.count++;
        }
    ubi_status status = finding.count ? ubi__outermost_find(&trees, &members, f) : UBI_OK;
    if (status == UBI_OK && trees.count &&
        (finding.count >= LEAST_DETACHED || trees.bytes >= ubi__finding_worth(f, LEAST_DETACHED_BYTES)) &&
        trees.bytes >= LEAST_DETACHED_BYTES) {
        tell_detached(&finding, &trees, f);
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
    for (ubi_node_ix node = 0; node < f->graph->n_nodes; node++) {
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
