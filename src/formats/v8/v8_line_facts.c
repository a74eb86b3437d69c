/* SPDX-License-Identifier: MIT
 *
 * v8_line_facts.c: what only a .heapsnapshot file knows, as members of JSON lines (docs/formats/jsonl.md).
 *
 * Samples come before scopes.
 */
#include "base/text.h"
#include "formats/line_facts.h"
#include "formats/v8/v8_facts.h"

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
