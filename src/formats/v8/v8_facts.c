/* SPDX-License-Identifier: MIT
 *
 * v8_facts.c: lifetime of the facts, and V8's names of node types.
 */
#include "formats/v8/v8_facts.h"

#include "base/assert.h"
#include "base/text.h"

static const char *const type_names[UBI__V8_TYPE_COUNT] = {
    [UBI__V8_NONE] = "",
    [UBI__V8_HIDDEN] = "hidden",
    [UBI__V8_ARRAY] = "array",
    [UBI__V8_STRING] = "string",
    [UBI__V8_OBJECT] = "object",
    [UBI__V8_CODE] = "code",
    [UBI__V8_CLOSURE] = "closure",
    [UBI__V8_REGEXP] = "regexp",
    [UBI__V8_NUMBER] = "number",
    [UBI__V8_NATIVE] = "native",
    [UBI__V8_SYNTHETIC] = "synthetic",
    [UBI__V8_CONS_STRING] = "concatenated string",
    [UBI__V8_SLICED_STRING] = "sliced string",
    [UBI__V8_SYMBOL] = "symbol",
    [UBI__V8_BIGINT] = "bigint",
    [UBI__V8_OBJECT_SHAPE] = "object shape",
    [UBI__V8_WASM_OBJECT] = "wasm object",
    [UBI__V8_OTHER] = "",
};

const char *ubi__v8_type_name(ubi__v8_type type) {
    return type_names[type];
}

ubi__v8_type ubi__v8_type_of(ubi_text name) {
    for (int type = UBI__V8_HIDDEN; type < UBI__V8_OTHER; type++)
        if (ubi__text_is(name, type_names[type]))
            return (ubi__v8_type)type;
    return UBI__V8_OTHER;
}

const ubi__v8_facts *ubi__v8_facts_of(const ubi_graph *graph) {
    return graph->free_facts == ubi__v8_facts_free ? graph->facts : NULL;
}

const ubi__v8_location *ubi__v8_location_of(const ubi__v8_facts *facts, ubi_node_ix node) {
    const ubi__v8_location *at = facts->locations.at;
    size_t low = 0, high = facts->locations.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (at[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < facts->locations.n && at[low].node == node ? &at[low] : NULL;
}

/* ---- invariants --------------------------------------------------------------------------------------------------- */

static void locations_check(const ubi__v8_facts *facts, const ubi_graph *g) {
    for (size_t i = 0; i < facts->locations.n; i++) {
        const ubi__v8_location *l = &facts->locations.at[i];
        UBI_ASSERT(i == 0 || l[-1].node < l->node);
        UBI_ASSERT(l->node < g->n_nodes);
        UBI_ASSERT(l->script == UBI_NONE || l->script < g->n_nodes);
        UBI_ASSERT(ubi__v8_location_of(facts, l->node) == l);
    }
}

static void traces_check(const ubi__v8_facts *facts, const ubi_graph *g) {
    uint32_t n_strings = ubi__strtab_count(&g->strings);
    UBI_ASSERT(facts->traces.n == g->frames.rows.n);
    for (size_t i = 0; i < facts->traces.n; i++) {
        UBI_ASSERT(facts->traces.at[i].function < facts->functions.n);
        UBI_ASSERT(facts->traces.at[i].id == g->frames.rows.at[i].id);
    }
    for (size_t i = 0; facts->traces.n && i < facts->functions.n; i++)
        UBI_ASSERT(facts->functions.at[i].name < n_strings && facts->functions.at[i].script_name < n_strings);
}

static void scopes_check(const ubi__v8_facts *facts, const ubi_graph *g) {
    uint64_t n_variables = 0, n_uses = 0;
    for (size_t i = 0; i < facts->scopes.n; i++) {
        const ubi__v8_scope *s = &facts->scopes.at[i];
        UBI_ASSERT(s->script < g->n_nodes);
        UBI_ASSERT(s->first_variable == n_variables && s->first_use == n_uses);
        n_variables += s->n_variables;
        n_uses += s->n_uses;
    }
    UBI_ASSERT(facts->scopes.n == 0 || n_variables == facts->scope_variables.n);
    UBI_ASSERT(facts->scopes.n == 0 || n_uses == facts->scope_uses.n);
}

void ubi__v8_facts_check(const ubi__v8_facts *facts, const ubi_graph *graph) {
    UBI_ASSERT(facts->stride >= 5); /* type, name, id, self_size, edge_count */
    if (!UBI_CHECKS)
        return;
    locations_check(facts, graph);
    traces_check(facts, graph);
    scopes_check(facts, graph);
}

/* ---- lifetime ------------------------------------------------------------------------------------------------------ */

ubi__v8_facts *ubi__v8_facts_new(const ubi_allocator *a) {
    return UBI_NEW(a, ubi__v8_facts);
}

void ubi__v8_facts_free(void *payload, const ubi_allocator *a) {
    ubi__v8_facts *facts = payload;
    ubi__vec_v8_location_fini(&facts->locations, a);
    ubi__vec_v8_function_fini(&facts->functions, a);
    ubi__vec_v8_trace_fini(&facts->traces, a);
    ubi__vec_v8_sample_fini(&facts->samples, a);
    ubi__vec_v8_scope_fini(&facts->scopes, a);
    ubi__vec_u32_fini(&facts->scope_variables, a);
    ubi__vec_v8_scope_use_fini(&facts->scope_uses, a);
    UBI_DELETE(a, facts);
}
