/* SPDX-License-Identifier: MIT
 *
 * v8_facts.c: lifetime of the facts, V8's names of node types, and the facts as members of JSON lines.
 */
#include "formats/v8/v8_facts.h"

#include <stddef.h>

#include "base/assert.h"
#include "base/text.h"
#include "formats/line_facts.h"
#include "formats/node_rows.h"

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
    _Static_assert(offsetof(ubi__v8_location, node) == 0, "node_rows.h");
    return UBI__NODE_ROW_FIND(&facts->locations, node);
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

/* V8 does not write the text of a concatenated or sliced string. */
static bool string_has_text(const ubi_kind *kind) {
    return kind->raw_type != UBI__V8_CONS_STRING && kind->raw_type != UBI__V8_SLICED_STRING;
}

void ubi__v8_facts_give(ubi_graph *graph, ubi__v8_facts *facts) {
    graph->facts = facts;
    graph->free_facts = ubi__v8_facts_free;
    graph->string_has_text = string_has_text;
}

/* ---- as members of JSON lines ------------------------------------------------------------------------------------- */

/*
 * Samples come before scopes.
 */

static void put_node_id(ubi__json *json, const char *key, const ubi_graph *g, ubi_node_ix node) {
    ubi__json_member_node_id(json, key, ubi_graph_node_id(g, node));
}

static void put_record(ubi__json *json, const char *record) {
    ubi__json_member_string(json, "record", record);
}

/* ---- members of other lines --------------------------------------------------------------------------------------- */

static void put_header(const ubi__line *line, const ubi_graph *g) {
    const ubi__v8_facts *facts = ubi__v8_facts_of(g);
    if (facts->has_extra_native_bytes)
        ubi__json_member_u64(line->json, "extraNativeBytes", facts->extra_native_bytes);
    if (facts->samples.n)
        ubi__json_member_u64(line->json, "sampleCount", facts->samples.n);
    if (facts->scopes.n)
        ubi__json_member_u64(line->json, "scopeCount", facts->scopes.n);
}

static void put_frame(const ubi__line *line, const ubi_graph *g, ubi_frame_ix frame) {
    const ubi__v8_facts *facts = ubi__v8_facts_of(g);
    if (frame >= facts->traces.n)
        return;
    ubi__json_member_u64(line->json, "allocationCount", facts->traces.at[frame].count);
    ubi__json_member_u64(line->json, "allocationBytes", facts->traces.at[frame].size_bytes);
}

/* Where the name of the type is not what typeName says. */
static void put_kind(const ubi__line *line, const ubi_graph *g, const ubi_kind *kind) {
    const char *name = ubi__v8_type_name((ubi__v8_type)kind->raw_type);
    if (!*name || ubi__text_is(ubi_graph_string(g, kind->type_name), name))
        return;
    ubi__json_member_string(line->json, "v8Type", name);
}

static bool knows_node(const ubi_graph *g, ubi_node_ix node) {
    const ubi__v8_facts *facts = ubi__v8_facts_of(g);
    return facts->locations.n && ubi__v8_location_of(facts, node);
}

static void put_node(const ubi__line *line, const ubi_graph *g, ubi_node_ix node) {
    const ubi__v8_location *location = ubi__v8_location_of(ubi__v8_facts_of(g), node);
    ubi__json_member_object(line->json, "location");
    ubi__json_member_u64(line->json, "scriptId", location->script_id);
    ubi__json_member_u64(line->json, "line", location->line);
    ubi__json_member_u64(line->json, "column", location->column);
    if (location->script != UBI_NONE)
        put_node_id(line->json, "script", g, location->script);
    ubi__json_object_end(line->json);
}

/* ---- lines of their own ------------------------------------------------------------------------------------------- */

static void put_sample(ubi__json *json, const ubi__v8_sample *sample) {
    put_record(json, "sample");
    ubi__json_member_u64(json, "timeUs", sample->time_us);
    ubi__json_member_node_id(json, "lastId", sample->last_id);
}

static ubi_status put_variables(const ubi__line *line, const ubi_graph *g, const ubi__v8_scope *scope) {
    const ubi_str_ix *names = ubi__v8_facts_of(g)->scope_variables.at;
    ubi__json_member_array(line->json, "variables");
    for (uint32_t i = 0; i < scope->n_variables; i++)
        UBI_TRY(line->put_text(line, UBI_TEXT_EDGE_NAME, ubi_graph_string(g, names[scope->first_variable + i])));
    ubi__json_array_end(line->json);
    return UBI_OK;
}

static void put_uses(ubi__json *json, const ubi__v8_scope_use *uses, uint32_t n) {
    ubi__json_member_array(json, "uses");
    for (uint32_t i = 0; i < n; i++) {
        ubi__json_object_begin(json);
        ubi__json_member_i64(json, "scopeId", uses[i].scope_id);
        ubi__json_member_u64(json, "slot", uses[i].slot);
        ubi__json_object_end(json);
    }
    ubi__json_array_end(json);
}

static ubi_status put_scope(const ubi__line *line, const ubi_graph *g, const ubi__v8_scope *scope) {
    put_record(line->json, "scope");
    ubi__json_member_i64(line->json, "scopeId", scope->scope_id);
    put_node_id(line->json, "script", g, scope->script);
    ubi__json_member_u64(line->json, "depth", scope->depth);
    UBI_TRY(put_variables(line, g, scope));
    put_uses(line->json, ubi__v8_facts_of(g)->scope_uses.at + scope->first_use, scope->n_uses);
    return UBI_OK;
}

static size_t line_count(const ubi_graph *g) {
    const ubi__v8_facts *facts = ubi__v8_facts_of(g);
    return facts->samples.n + facts->scopes.n;
}

static ubi_status put_line(const ubi__line *line, const ubi_graph *g, size_t i) {
    const ubi__v8_facts *facts = ubi__v8_facts_of(g);
    if (i >= facts->samples.n)
        return put_scope(line, g, &facts->scopes.at[i - facts->samples.n]);
    put_sample(line->json, &facts->samples.at[i]);
    return UBI_OK;
}

static bool knows_graph(const ubi_graph *graph) {
    return ubi__v8_facts_of(graph) != NULL;
}

const ubi__line_facts ubi__v8_line_facts = {
    .knows_graph = knows_graph,
    .put_header = put_header,
    .put_frame = put_frame,
    .put_kind = put_kind,
    .knows_node = knows_node,
    .put_node = put_node,
    .line_count = line_count,
    .put_line = put_line,
};
