/* SPDX-License-Identifier: MIT
 *
 * jsc_facts.c: facts of a file and their lifetime, and what classes and flags of JavaScriptCore mean.
 */
#include "formats/jsc/jsc_facts.h"

#include <stddef.h>

#include "base/column_file.h"
#include "base/status.h"
#include "base/text.h"
#include "formats/node_rows.h"

static const char *const type_names[UBI__JSC_TYPE_COUNT] = {
    [UBI__JSC_NONE] = "",         [UBI__JSC_ROOT] = "root",       [UBI__JSC_STRING] = "string",
    [UBI__JSC_SYMBOL] = "symbol", [UBI__JSC_BIGINT] = "bigint",   [UBI__JSC_FUNCTION] = "function",
    [UBI__JSC_OBJECT] = "object", [UBI__JSC_INSTANCE] = "object", [UBI__JSC_GLOBAL] = "object",
    [UBI__JSC_SCOPE] = "",        [UBI__JSC_ELEMENT] = "element", [UBI__JSC_CODE] = "",
    [UBI__JSC_SHAPE] = "",        [UBI__JSC_INTERNAL] = "",
};

const char *ubi__jsc_type_name(ubi__jsc_type type) {
    return type_names[UBI_INDEX(type, UBI__JSC_TYPE_COUNT)];
}

/* ---- classes ---------------------------------------------------------------------------------------------------------- */

static bool is_any(ubi_text name, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (ubi__text_is(name, names[i]))
            return true;
    return false;
}

#define IS_ANY(name, names) is_any(name, names, sizeof(names) / sizeof *(names))

static bool is_shape(ubi_text name) {
    static const char *const names[] = { "Structure", "StructureRareData", "StructureChain", "PropertyTable" };
    return IS_ANY(name, names);
}

static bool is_code(ubi_text name) {
    return ubi__text_ends(name, "Executable") || ubi__text_ends(name, "CodeBlock") ||
           ubi__text_is(name, "JSSourceCode");
}

static bool is_scope(ubi_text name) {
    static const char *const names[] = { "JSLexicalEnvironment", "JSGlobalLexicalEnvironment", "JSModuleEnvironment",
                                         "StrictEvalActivation", "JSWithScope" };
    return IS_ANY(name, names);
}

/* Source: WebKit, HeapSnapshot.js of the Web Inspector, for the first three. */
static bool is_global(ubi_text name) {
    static const char *const names[] = { "Window", "JSDOMWindowShell", "GlobalObject",
                                         "global", "JSGlobalProxy",    "JSWindowProxy" };
    return IS_ANY(name, names);
}

ubi__jsc_type ubi__jsc_type_of(ubi_text name, unsigned flags) {
    if (flags & UBI__JSC_FLAG_ELEMENT)
        return UBI__JSC_ELEMENT;
    if (is_scope(name))
        return UBI__JSC_SCOPE;
    if (is_code(name))
        return UBI__JSC_CODE;
    if (is_shape(name))
        return UBI__JSC_SHAPE;
    if (ubi__text_is(name, "symbol"))
        return UBI__JSC_SYMBOL;
    if (flags & UBI__JSC_FLAG_INTERNAL)
        return UBI__JSC_INTERNAL;
    if (flags & UBI__JSC_FLAG_OBJECT)
        return UBI__JSC_INSTANCE;
    if (is_global(name))
        return UBI__JSC_GLOBAL;
    if (ubi__text_is(name, "string"))
        return UBI__JSC_STRING;
    if (ubi__text_is(name, "BigInt"))
        return UBI__JSC_BIGINT;
    return ubi__text_ends(name, "Function") ? UBI__JSC_FUNCTION : UBI__JSC_OBJECT;
}

/* ---- facts ------------------------------------------------------------------------------------------------------------ */

void ubi__jsc_facts_check(const ubi__jsc_facts *facts, uint32_t n_nodes) {
    UBI_ASSERT(facts->version >= 1 && facts->version <= 3);
    UBI_ASSERT(facts->is_debugging || facts->roots.n + facts->wrapped.n == 0);
    if (UBI_CHECKS) {
        for (size_t i = 0; i < facts->roots.n; i++) {
            UBI_ASSERT(facts->roots.at[i].node < n_nodes);
            UBI_ASSERT(i == 0 || facts->roots.at[i - 1].node <= facts->roots.at[i].node);
        }
        for (size_t i = 0; i < facts->wrapped.n; i++) {
            UBI_ASSERT(facts->wrapped.at[i].node < n_nodes);
            UBI_ASSERT(i == 0 || facts->wrapped.at[i - 1].node < facts->wrapped.at[i].node);
        }
    }
    (void)n_nodes;
}

const ubi__jsc_facts *ubi__jsc_facts_of(const ubi_graph *graph) {
    return graph->free_facts == ubi__jsc_facts_free ? graph->facts : NULL;
}

const ubi__jsc_root *ubi__jsc_root_of(const ubi__jsc_facts *facts, ubi_node_ix node) {
    _Static_assert(offsetof(ubi__jsc_root, node) == 0, "node_rows.h");
    return UBI__NODE_ROW_FIND(&facts->roots, node);
}

uint64_t ubi__jsc_wrapped_of(const ubi__jsc_facts *facts, ubi_node_ix node) {
    _Static_assert(offsetof(ubi__jsc_wrapped, node) == 0, "node_rows.h");
    const ubi__jsc_wrapped *row = UBI__NODE_ROW_FIND(&facts->wrapped, node);
    return row ? row->address : 0;
}

ubi__jsc_facts *ubi__jsc_facts_new(const ubi_allocator *a) {
    return UBI_NEW(a, ubi__jsc_facts);
}

void ubi__jsc_facts_free(void *payload, const ubi_allocator *a) {
    ubi__jsc_facts *facts = payload;
    ubi__vec_jsc_root_fini(&facts->roots, a);
    ubi__vec_jsc_wrapped_fini(&facts->wrapped, a);
    UBI_DELETE(a, facts);
}

void ubi__jsc_facts_give(ubi_graph *graph, ubi__jsc_facts *facts) {
    graph->facts = facts;
    graph->free_facts = ubi__jsc_facts_free;
}

/* ---- to an index and back ------------------------------------------------------------------------------------------- */

static bool roots_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const ubi_graph *g = rule->payload;
    const ubi__jsc_root *at = items;
    for (size_t i = 0; i < n; i++)
        if (at[i].node >= g->n_nodes || at[i].reason >= g->strings.end.n || at[i].reachability >= g->strings.end.n ||
            (first + i > 0 && (at + i)[-1].node > at[i].node))
            return false;
    return true;
}

static bool wrapped_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const ubi__jsc_wrapped *at = items;
    for (size_t i = 0; i < n; i++)
        if (at[i].node >= rule->limit || (first + i > 0 && (at + i)[-1].node >= at[i].node))
            return false;
    return true;
}

static ubi_status facts_pass(ubi__columns *c, ubi__jsc_facts *f, const ubi_graph *g) {
    const ubi__column_rule roots = { roots_hold, 0, g }, wrapped = { wrapped_hold, g->n_nodes, NULL };
    uint32_t single[2] = { f->version, f->is_debugging };
    UBI_TRY(ubi__columns_value(c, "file facts", single, sizeof single));
    UBI_TRY(ubi__columns_expect(c, single[0] >= 1 && single[0] <= 3 && single[1] <= 1, "file facts"));
    if (!c->writer) { /* what is written may be in use */
        f->version = single[0];
        f->is_debugging = single[1] != 0;
    }
    UBI_TRY(UBI__COLUMN(c, "reasons of roots", &f->roots, &roots));
    return UBI__COLUMN(c, "wrapped objects", &f->wrapped, &wrapped);
}

ubi_status ubi__jsc_facts_pass(ubi__columns *c, ubi_graph *graph) {
    if (!c->writer) {
        ubi__jsc_facts *facts = ubi__jsc_facts_new(c->allocator);
        if (!facts)
            return ubi__fail_nomem();
        ubi__jsc_facts_give(graph, facts);
    }
    return facts_pass(c, graph->facts, graph);
}
