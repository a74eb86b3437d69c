/* SPDX-License-Identifier: MIT
 *
 * v8_finding_closures.c: variables that functions captured, and that keep much alive.
 *
 * All functions of a scope share one context, with every variable that any of them needs. So a small function may keep what
 * only its neighbour used. Where a file has scopes (v8_scopes.h), a variable that nothing reads any more is said to be so.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/human.h"
#include "lenses/v8/v8_findings.h"
#include "lenses/v8/v8_scopes.h"

#define LEAST_BYTES (64 * 1024)
#define CANDIDATES 12
#define REPORTED 3
/* Contexts around a function that are looked at. */
#define LONGEST_CHAIN 16

typedef struct candidate {
    ubi_node_ix context;
    ubi_node_ix value; /* of the variable that keeps most */
    ubi_str_ix name;
    uint64_t bytes;
    ubi_node_ix closure; /* one that has the context, the nearest; UBI_NONE: none */
    uint32_t closure_depth;
    uint64_t n_closures;
    ubi__vec_v8_scope_id live;
} candidate;

typedef struct candidates {
    candidate at[CANDIDATES];
    uint32_t n;
    ubi__node_bits bits; /* their contexts */
} candidates;

/* ---- contexts ------------------------------------------------------------------------------------------------------- */

/* Fills the variable that keeps most alive of what only this context holds. */
static bool find_variable(candidate *out, const ubi__finding_facts *f, ubi_node_ix context) {
    const ubi_graph *g = f->graph;
    *out = (candidate){ .context = context, .value = UBI_NONE, .closure = UBI_NONE };
    for (ubi_edge_ix e = g->first_edge.at[context]; e < g->first_edge.at[context + 1]; e++) {
        ubi_node_ix value = g->target.at[e];
        if (ubi__graph_edge_kind(g, e) != UBI_EDGE_CONTEXT ||
            ubi_dominators_immediate(f->dominators, value) != context || ubi__finding_retained(f, value) <= out->bytes)
            continue;
        out->bytes = ubi__finding_retained(f, value);
        out->value = value;
        out->name = g->name.at[e];
    }
    return out->value != UBI_NONE;
}

static void offer(candidates *all, const candidate *c) {
    uint32_t at = all->n;
    while (at > 0 && c->bytes > all->at[at - 1].bytes)
        at--;
    if (at == CANDIDATES)
        return;
    all->n += all->n < CANDIDATES;
    for (uint32_t i = all->n - 1; i > at; i--)
        all->at[i] = all->at[i - 1];
    all->at[at] = *c;
}

static void find_contexts(candidates *all, const ubi__finding_facts *f) {
    uint64_t least_bytes = ubi__finding_worth(f, LEAST_BYTES);
    for (ubi_node_ix node = 0; node < f->graph->n_nodes; node++) {
        candidate c;
        if (ubi__finding_role(f, node) == UBI__ROLE_CONTEXT && ubi__finding_retained(f, node) >= least_bytes &&
            find_variable(&c, f, node) && c.bytes >= least_bytes)
            offer(all, &c);
    }
    for (uint32_t i = 0; i < all->n; i++)
        ubi__node_bits_put(&all->bits, all->at[i].context);
}

/* ---- functions ------------------------------------------------------------------------------------------------------ */

static candidate *find_candidate(candidates *all, ubi_node_ix context) {
    for (uint32_t i = 0; i < all->n; i++)
        if (all->at[i].context == context)
            return &all->at[i];
    return NULL;
}

static ubi_status add_closure(candidate *c, const ubi__finding_facts *f, ubi_node_ix closure, uint32_t depth) {
    int64_t scope_id;
    if (c->closure == UBI_NONE || depth < c->closure_depth) {
        c->closure = closure;
        c->closure_depth = depth;
    }
    c->n_closures++;
    ubi_node_ix shared = ubi__v8_field(f->fields, closure, UBI__FIELD_SHARED);
    if (ubi__v8_facts_of(f->graph)->scopes.n && shared != UBI_NONE &&
        ubi__v8_number_field(&scope_id, f->fields, shared, UBI__FIELD_SCOPE_ID))
        return ubi__vec_v8_scope_id_push(&c->live, f->allocator, scope_id);
    return UBI_OK;
}

/* Functions within a function reach its context over `previous`. */
static ubi_status find_closures(candidates *all, const ubi__finding_facts *f) {
    const ubi_graph *g = f->graph;
    for (ubi_node_ix node = 0; all->n && node < g->n_nodes; node++) {
        if (ubi__finding_role(f, node) != UBI__ROLE_CLOSURE)
            continue;
        ubi_node_ix context = ubi__v8_field(f->fields, node, UBI__FIELD_CONTEXT);
        for (uint32_t depth = 0; context != UBI_NONE && depth < LONGEST_CHAIN; depth++) {
            if (ubi__finding_role(f, context) != UBI__ROLE_CONTEXT)
                break;
            if (ubi__node_bits_has(&all->bits, context))
                UBI_TRY(add_closure(find_candidate(all, context), f, node, depth));
            context = ubi__v8_field(f->fields, context, UBI__FIELD_PREVIOUS);
        }
    }
    return UBI_OK;
}

static int compare_ids(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static bool is_unread(const candidate *c, const ubi__finding_facts *f) {
    const ubi_graph *g = f->graph;
    ubi__v8_variable variable = { .script = ubi__v8_script_of(f->fields, c->closure), .name = c->name };
    ubi_node_ix scope_info = ubi__v8_field(f->fields, c->context, UBI__FIELD_SCOPE_INFO);
    if (ubi__v8_facts_of(f->graph)->scopes.n == 0 || scope_info == UBI_NONE || variable.script == UBI_NONE ||
        !ubi__v8_number_field(&variable.scope_id, f->fields, scope_info, UBI__FIELD_SCOPE_ID))
        return false;
    if (c->live.n)
        qsort(c->live.at, c->live.n, sizeof *c->live.at, compare_ids);
    return ubi__v8_variable_use(ubi__v8_facts_of(f->graph), g, &variable, &c->live) == UBI__USE_NONE;
}

static ubi_status closures_finding_add(ubi__finding_list *out, const ubi__finding_facts *f, const candidate *c) {
    char size[UBI__HUMAN_TEXT], words[UBI__FUNCTION_WORDS], others[UBI__HUMAN_TEXT], more[UBI__HUMAN_TEXT + 40] = "";
    bool unread = is_unread(c, f);
    ubi_finding finding = { .bytes = c->bytes, .count = c->n_closures };
    finding.rule = unread ? "unreadVariable" : NULL;
    ubi__finding_name variable = ubi__finding_cut(ubi_graph_string(f->graph, c->name));
    ubi__v8_function_words(words, ubi__v8_facts_of(f->graph), f->fields, c->closure);
    if (c->n_closures > 1)
        snprintf(more, sizeof more, "; %s share%s its scope",
                 ubi__human_things(others, c->n_closures - 1, "other function"), c->n_closures == 2 ? "s" : "");
    ubi__finding_example(&finding, c->value);
    ubi__finding_example(&finding, c->closure);
    ubi__finding_call(&finding, "variable %s", variable.text);
    ubi__finding_say(&finding, "Variable %s of %s alone keeps %s alive%s%s.", variable.text, words,
                     ubi__human_size(size, c->bytes), unread ? ", though no function that is alive reads it" : "",
                     more);
    return ubi__finding_add(out, &finding);
}

ubi_status ubi__finding_v8_closures(ubi__finding_list *out, const ubi__finding_facts *f) {
    candidates all = { .n = 0 };
    uint32_t told = 0;
    UBI_TRY(ubi__node_bits_new(&all.bits, f));
    find_contexts(&all, f);
    ubi_status status = find_closures(&all, f);
    for (uint32_t i = 0; status == UBI_OK && i < all.n && told < REPORTED; i++) {
        /* Node.js's own modules keep what they keep. */
        if (all.at[i].closure == UBI_NONE || ubi__v8_is_of_runtime(f->fields, all.at[i].closure))
            continue;
        status = closures_finding_add(out, f, &all.at[i]);
        told++;
    }
    for (uint32_t i = 0; i < all.n; i++)
        ubi__vec_v8_scope_id_fini(&all.at[i].live, f->allocator);
    ubi__node_bits_free(&all.bits, f);
    return status;
}
