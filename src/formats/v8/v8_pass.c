/* SPDX-License-Identifier: MIT
 *
 * v8_pass.c: what a .heapsnapshot file holds beside its graph, to an index and back (format.h).
 */
#include "base/column_file.h"
#include "base/status.h"
#include "formats/v8/v8_facts.h"

/* ---- rules --------------------------------------------------------------------------------------------------------- */

static bool locations_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const ubi__v8_location *at = items;
    for (size_t i = 0; i < n; i++)
        if (at[i].node >= rule->limit || (at[i].script != UBI_NONE && at[i].script >= rule->limit) ||
            (first + i > 0 && (at + i)[-1].node >= at[i].node))
            return false;
    return true;
}

static bool functions_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const ubi__v8_function *at = items;
    (void)first;
    for (size_t i = 0; i < n; i++)
        if (at[i].name >= rule->limit || at[i].script_name >= rule->limit)
            return false;
    return true;
}

static bool traces_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const ubi__v8_trace *at = items;
    (void)first;
    for (size_t i = 0; i < n; i++)
        if (at[i].function >= rule->limit)
            return false;
    return true;
}

/* Scripts exist, and ranges follow each other. */
static bool scopes_hold(const ubi__column_rule *rule, const void *items, size_t first, size_t n) {
    const ubi__v8_scope *at = items;
    for (size_t i = 0; i < n; i++) {
        const ubi__v8_scope *before = first + i > 0 ? at + i - 1 : NULL;
        uint64_t variable = before ? (uint64_t)before->first_variable + before->n_variables : 0;
        uint64_t use = before ? (uint64_t)before->first_use + before->n_uses : 0;
        if (at[i].script >= rule->limit || at[i].first_variable != variable || at[i].first_use != use)
            return false;
    }
    return true;
}

static bool scopes_end_at(const ubi__v8_facts *f) {
    const ubi__v8_scope *last = f->scopes.n ? &f->scopes.at[f->scopes.n - 1] : NULL;
    return !last || ((uint64_t)last->first_variable + last->n_variables == f->scope_variables.n &&
                     (uint64_t)last->first_use + last->n_uses == f->scope_uses.n);
}

/* ---- facts ----------------------------------------------------------------------------------------------------------- */

/** What is not a column. */
typedef struct single_facts {
    uint64_t extra_native_bytes;
    uint32_t stride;
    uint32_t has_detachedness, has_trace_ids, has_extra_native_bytes;
} single_facts;

static ubi_status single_facts_pass(ubi__columns *c, ubi__v8_facts *f) {
    single_facts s = { f->extra_native_bytes, f->stride, f->has_detachedness, f->has_trace_ids,
                       f->has_extra_native_bytes };
    UBI_TRY(ubi__columns_value(c, "file facts", &s, sizeof s));
    UBI_TRY(ubi__columns_expect(c, s.stride >= 5, "file facts"));
    if (c->writer) /* what is written may be in use */
        return UBI_OK;
    f->extra_native_bytes = s.extra_native_bytes;
    f->stride = s.stride;
    f->has_detachedness = s.has_detachedness != 0;
    f->has_trace_ids = s.has_trace_ids != 0;
    f->has_extra_native_bytes = s.has_extra_native_bytes != 0;
    return UBI_OK;
}

static ubi_status facts_pass(ubi__columns *c, ubi__v8_facts *f, const ubi_graph *g) {
    const ubi__column_rule locations = { locations_hold, g->n_nodes, NULL };
    const ubi__column_rule functions = { functions_hold, g->strings.end.n, NULL };
    const ubi__column_rule scopes = { scopes_hold, g->n_nodes, NULL };
    const ubi__column_rule variables = ubi__column_below(g->strings.end.n);
    UBI_TRY(single_facts_pass(c, f));
    UBI_TRY(UBI__COLUMN(c, "locations", &f->locations, &locations));
    UBI_TRY(UBI__COLUMN(c, "functions", &f->functions, g->frames.rows.n ? &functions : NULL)); /* else not needed */
    const ubi__column_rule traces = { traces_hold, f->functions.n, NULL };
    UBI_TRY(UBI__COLUMN(c, "traces", &f->traces, &traces));
    UBI_TRY(ubi__columns_expect(c, f->traces.n == g->frames.rows.n, "traces"));
    UBI_TRY(UBI__COLUMN(c, "samples", &f->samples, NULL));
    UBI_TRY(UBI__COLUMN(c, "scopes", &f->scopes, &scopes));
    UBI_TRY(UBI__COLUMN(c, "scope variables", &f->scope_variables, &variables));
    UBI_TRY(UBI__COLUMN(c, "scope uses", &f->scope_uses, NULL));
    return ubi__columns_expect(c, scopes_end_at(f), "scopes");
}

ubi_status ubi__v8_facts_pass(ubi__columns *c, ubi_graph *graph) {
    if (!c->writer) {
        ubi__v8_facts *facts = ubi__v8_facts_new(c->allocator);
        if (!facts)
            return ubi__fail_nomem();
        ubi__v8_facts_give(graph, facts);
    }
    return facts_pass(c, graph->facts, graph);
}
