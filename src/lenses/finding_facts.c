/* SPDX-License-Identifier: MIT
 *
 * finding_facts.c: what rules share: words, outermost members.
 */
#include "lenses/finding_facts.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"
#include "lenses/kind_label.h"

ubi_status ubi__finding_add(ubi__finding_list *list, const ubi_finding *finding) {
    UBI_TRY(ubi__vec_finding_push(&list->rows, list->allocator, *finding));
    ubi_finding *added = &list->rows.at[list->rows.n - 1];
    added->rule = added->rule ? added->rule : list->rule;
    return UBI_OK;
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

bool ubi__node_is_plain_data(const ubi__finding_facts *f, ubi_node_ix node) {
    ubi_coarse_type type = ubi_graph_kind(f->graph, f->graph->kind.at[node])->coarse_type;
    return type != UBI_COARSE_OTHER && type != UBI_COARSE_SCRIPT && ubi__finding_role(f, node) != UBI__ROLE_CLOSURE;
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
    if (status == UBI_OK)
        *out = found;
    return status;
}
