/* SPDX-License-Identifier: MIT
 *
 * finding_closures.c: variables that functions captured, and that keep much alive.
 *
 * All functions of a scope share one context, with every variable that any of them needs. So a small function may keep what
 * only its neighbour used. Where a file says which code reads what, a variable that nothing reads any more is said to be so.
 */
#include <stdio.h>

#include "base/assert.h"
#include "base/human.h"
#include "base/u64_map.h"
#include "lenses/finding_facts.h"

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
    ubi__vec_u32 live; /* closures that reach the context; empty where files do not say what they read */
} candidate;

typedef struct candidates {
    candidate at[CANDIDATES];
    uint32_t n;
    ubi__node_bits bits; /* their contexts */
} candidates;

/* ---- contexts ------------------------------------------------------------------------------------------------------- */

static bool edge_is_variable(const ubi__finding_facts *f, ubi_edge_ix e) {
    return f->producer->edge_is_variable ? f->producer->edge_is_variable(f, e)
                                         : ubi__graph_edge_kind(f->graph, e) == UBI_EDGE_CONTEXT;
}

/* Fills the variable that keeps most alive of what only this context holds. */
static bool find_variable(candidate *out, const ubi__finding_facts *f, ubi_node_ix context) {
    const ubi_graph *g = f->graph;
    *out = (candidate){ .context = context, .value = UBI_NONE, .closure = UBI_NONE };
    for (ubi_edge_ix e = g->first_edge.at[context]; e < g->first_edge.at[context + 1]; e++) {
        ubi_node_ix value = g->target.at[e];
        if (!edge_is_variable(f, e) || ubi_dominators_immediate(f->dominators, value) != context ||
            ubi__finding_retained(f, value) <= out->bytes)
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
    for (ubi_node_ix node = 0; ubi__finding_has_node(f, node); node++) {
        candidate c;
        if (ubi__finding_role(f, node) == UBI__ROLE_CONTEXT && ubi__finding_retained(f, node) >= least_bytes &&
            find_variable(&c, f, node) && c.bytes >= least_bytes)
            offer(all, &c);
    }
    for (uint32_t i = 0; i < all->n; i++) {
        UBI_ASSERT(i == 0 || all->at[i - 1].bytes >= all->at[i].bytes);
        UBI_ASSERT(!ubi__node_bits_has(&all->bits, all->at[i].context)); /* each scope is offered once */
        ubi__node_bits_put(&all->bits, all->at[i].context);
    }
}

/* ---- functions ------------------------------------------------------------------------------------------------------ */

static candidate *find_candidate(candidates *all, ubi_node_ix context) {
    for (uint32_t i = 0; i < all->n; i++)
        if (all->at[i].context == context)
            return &all->at[i];
    return NULL;
}

static ubi_status add_closure(candidate *c, const ubi__finding_facts *f, ubi_node_ix closure, uint32_t depth) {
    if (c->closure == UBI_NONE || depth < c->closure_depth) {
        c->closure = closure;
        c->closure_depth = depth;
    }
    c->n_closures++;
    return f->producer->variable_is_unread ? ubi__vec_u32_push(&c->live, f->allocator, closure) : UBI_OK;
}

/* Functions within a function reach its context over the scopes between. */
static ubi_status find_closures(candidates *all, const ubi__finding_facts *f) {
    for (ubi_node_ix node = 0; all->n && ubi__finding_has_node(f, node); node++) {
        if (ubi__finding_role(f, node) != UBI__ROLE_CLOSURE)
            continue;
        ubi_node_ix context = f->producer->scope_of(f, node);
        for (uint32_t depth = 0; context != UBI_NONE && depth < LONGEST_CHAIN; depth++) {
            if (ubi__finding_role(f, context) != UBI__ROLE_CONTEXT)
                break;
            if (ubi__node_bits_has(&all->bits, context)) {
                candidate *c = find_candidate(all, context);
                UBI_ASSERT(c != NULL && c->closure_depth <= LONGEST_CHAIN);
                UBI_TRY(add_closure(c, f, node, depth));
            }
            context = f->producer->scope_of(f, context);
        }
    }
    return UBI_OK;
}

static ubi_status is_unread(bool *out, const candidate *c, const ubi__finding_facts *f) {
    const ubi__captured captured = { c->context, c->name, c->closure, c->live.at, c->live.n };
    for (size_t i = 1; UBI_CHECKS && i < c->live.n; i++)
        UBI_ASSERT(c->live.at[i - 1] <= c->live.at[i]);
    UBI_ASSERT(c->live.n == 0 || c->live.n == c->n_closures);
    *out = false;
    return f->producer->variable_is_unread ? f->producer->variable_is_unread(out, f, &captured) : UBI_OK;
}

static ubi_status closures_finding_add(ubi__finding_list *out, const ubi__finding_facts *f, const candidate *c) {
    char size[UBI__HUMAN_TEXT], words[UBI__FUNCTION_WORDS], others[UBI__HUMAN_TEXT], more[UBI__HUMAN_TEXT + 40] = "";
    bool unread;
    UBI_TRY(is_unread(&unread, c, f));
    ubi_finding finding = { .bytes = c->bytes, .count = c->n_closures };
    finding.rule = unread ? "unreadVariable" : NULL;
    ubi__finding_name variable = ubi__finding_cut(ubi_graph_string(f->graph, c->name));
    f->producer->function_words(words, f, c->closure);
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

ubi_status ubi__finding_closures(ubi__finding_list *out, const ubi__finding_facts *f) {
    candidates all = { .n = 0 };
    uint32_t told = 0;
    if (!f->producer || !f->producer->scope_of)
        return UBI_OK;
    UBI_TRY(ubi__node_bits_new(&all.bits, f));
    find_contexts(&all, f);
    ubi_status status = find_closures(&all, f);
    for (uint32_t i = 0; status == UBI_OK && i < all.n && told < REPORTED; i++) {
        /* The runtime's own modules keep what they keep. */
        if (all.at[i].closure == UBI_NONE || ubi__function_is_of_runtime(f->fields, all.at[i].closure))
            continue;
        status = closures_finding_add(out, f, &all.at[i]);
        told++;
    }
    for (uint32_t i = 0; i < all.n; i++)
        ubi__vec_u32_fini(&all.at[i].live, f->allocator);
    ubi__node_bits_free(&all.bits, f);
    return status;
}

/* ---- promises ---------------------------------------------------------------------------------------------------- */

/*
 * Promises that are pending, and the function that waits for most of them.
 *
 * Only those count that something waits for: of others, files do not say whether they are pending. A promise that an async
 * function will settle, which itself waits for another, says nothing new: what counts is the last one of such a chain.
 */

#define LEAST_PENDING 100
#define PROMISES_LEAST_BYTES (64 * 1024)

typedef struct pending {
    const ubi__finding_facts *f;
    ubi__node_bits results; /* promises that a waiting function will settle */
    ubi__u64_map counts;    /* by the code that waits */
    uint64_t n_all, n_most;
    ubi_node_ix code, function; /* those that wait for most; UBI_NONE: nothing waits */
} pending;

static void find_results(pending *p) {
    ubi__awaited awaited;
    for (ubi_node_ix node = 0; ubi__finding_has_node(p->f, node); node++)
        if (p->f->producer->promise_awaited(&awaited, p->f, node) && awaited.result != UBI_NONE)
            ubi__node_bits_put(&p->results, awaited.result);
}

static bool is_last_of_chain(ubi__awaited *out, const pending *p, ubi_node_ix node) {
    return p->f->producer->promise_awaited(out, p->f, node) && !ubi__node_bits_has(&p->results, node);
}

static ubi_status count_by_code(pending *p) {
    ubi__awaited awaited;
    for (ubi_node_ix node = 0; ubi__finding_has_node(p->f, node); node++) {
        if (!is_last_of_chain(&awaited, p, node))
            continue;
        uint32_t before = ubi__u64_map_get(&p->counts, awaited.code), count = before == UBI_NONE ? 1 : before + 1;
        UBI_TRY(ubi__u64_map_put(&p->counts, awaited.code, count));
        p->n_all++;
        if (count > p->n_most) {
            p->n_most = count;
            p->code = awaited.code;
            p->function = awaited.function;
        }
    }
    return UBI_OK;
}

static ubi_status promise_finding_add(ubi__finding_list *out, const pending *p, const ubi__outermost *top) {
    char words[UBI__FUNCTION_WORDS], count[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT], others[UBI__HUMAN_TEXT];
    char more[UBI__HUMAN_TEXT + 40] = "";
    ubi_finding finding = { .bytes = top->bytes, .count = p->n_most };
    p->f->producer->function_words(words, p->f, p->function);
    for (uint32_t i = 0; i < top->n_largest; i++)
        ubi__finding_example(&finding, top->largest[i]);
    if (p->n_all > p->n_most)
        snprintf(more, sizeof more, " Other functions wait for %s more.",
                 ubi__human_count(others, p->n_all - p->n_most));
    ubi__finding_call(&finding, "pending promises");
    ubi__finding_say(&finding,
                     "%s promises that %s waits for are pending and keep %s alive. Does anything ever settle them?%s",
                     ubi__human_count(count, p->n_most), words, ubi__human_size(size, top->bytes), more);
    return ubi__finding_add(out, &finding);
}

static ubi_status report_most(ubi__finding_list *out, const pending *p) {
    const ubi__finding_facts *f = p->f;
    ubi__node_bits members;
    ubi__outermost top = { .count = 0 };
    ubi__awaited awaited;
    UBI_TRY(ubi__node_bits_new(&members, f));
    for (ubi_node_ix node = 0; ubi__finding_has_node(f, node); node++)
        if (is_last_of_chain(&awaited, p, node) && awaited.code == p->code)
            ubi__node_bits_put(&members, node);
    ubi_status status = ubi__outermost_find(&top, &members, f);
    if (status == UBI_OK && top.bytes >= ubi__finding_worth(f, PROMISES_LEAST_BYTES))
        status = promise_finding_add(out, p, &top);
    ubi__node_bits_free(&top.bits, f);
    ubi__node_bits_free(&members, f);
    return status;
}

ubi_status ubi__finding_promises(ubi__finding_list *out, const ubi__finding_facts *f) {
    pending p = { .f = f, .code = UBI_NONE, .function = UBI_NONE };
    if (!f->producer || !f->producer->promise_awaited)
        return UBI_OK;
    UBI_TRY(ubi__node_bits_new(&p.results, f));
    ubi__u64_map_init(&p.counts, f->allocator);
    find_results(&p);
    ubi_status status = count_by_code(&p);
    if (status == UBI_OK && p.n_most >= LEAST_PENDING)
        status = report_most(out, &p);
    ubi__u64_map_fini(&p.counts);
    ubi__node_bits_free(&p.results, f);
    return status;
}
