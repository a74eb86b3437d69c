/* SPDX-License-Identifier: MIT
 *
 * plain_v8.c: a .heapsnapshot as a JSON tree, and the tree as a graph (plain_v8.h).
 */
#include "plain_v8.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "formats/v8/v8_facts.h"
#include "formats/v8/v8_types.h"
#include "graph/builder.h"

typedef struct plain {
    json_t *root, *snapshot, *meta, *nodes, *edges, *strings, *node_types, *edge_types;
    size_t stride, edge_stride, n_nodes, n_edges, n_strings;
    ubi_graph_builder *b;
    ubi__v8_facts *facts;
    const ubi_allocator *a;
} plain;

static ubi_status bad(const char *what) {
    return ubi__fail(UBI_EFORMAT, "plain: %s", what);
}

#define NEED(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            return bad(#condition);                                                                                    \
    } while (0)

/* ---- the tree ----------------------------------------------------------------------------------------------------- */

static const char *string_of(json_t *value) {
    return json_is_string(value) ? json_string_value(value) : "";
}

/* Place of a field, or -1. */
static int field(const plain *p, const char *table, const char *name) {
    json_t *fields = json_object_get(p->meta, table);
    for (size_t i = 0; i < json_array_size(fields); i++)
        if (strcmp(string_of(json_array_get(fields, i)), name) == 0)
            return (int)i;
    return -1;
}

static uint64_t number(json_t *array, size_t i) {
    return (uint64_t)json_integer_value(json_array_get(array, i));
}

static bool all_integers(json_t *array, bool negative_allowed) {
    for (size_t i = 0; i < json_array_size(array); i++) {
        json_t *value = json_array_get(array, i);
        if (!json_is_integer(value) || (json_integer_value(value) < 0 && !negative_allowed))
            return false;
    }
    return json_is_array(array);
}

static bool all_strings(json_t *array) {
    for (size_t i = 0; i < json_array_size(array); i++)
        if (!json_is_string(json_array_get(array, i)))
            return false;
    return json_is_array(array);
}

/* Whether a list of fields is absent or has, in this order, what we know. */
static bool usual_fields(const plain *p, const char *table, const char *names) {
    json_t *fields = json_object_get(p->meta, table);
    char all[400] = "";
    for (size_t i = 0; i < json_array_size(fields); i++) {
        const char *name = string_of(json_array_get(fields, i));
        if (strlen(all) + strlen(name) + 2 < sizeof all)
            strcat(strcat(all, name), " ");
    }
    return !fields || strcmp(all, names) == 0;
}

/* An optional section: absent, or whole rows of `stride` numbers. */
static bool rows_ok(const plain *p, const char *section, size_t stride, bool negative_allowed) {
    json_t *array = json_object_get(p->root, section);
    return !array || (all_integers(array, negative_allowed) && (stride == 0 || json_array_size(array) % stride == 0));
}

static bool count_ok(const plain *p, const char *key, size_t found) {
    json_t *count = json_object_get(p->snapshot, key);
    return !count || (json_is_integer(count) && json_integer_value(count) == (json_int_t)found);
}

static ubi_status open_tree(plain *p, const void *data, size_t size) {
    json_error_t error;
    NEED(!memchr(data, 0, size)); /* jansson overlooks one behind a number */
    p->root = json_loadb(data, size, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &error);
    if (!p->root)
        return bad(error.text);
    p->snapshot = json_object_get(p->root, "snapshot");
    p->meta = json_object_get(p->snapshot, "meta");
    p->nodes = json_object_get(p->root, "nodes");
    p->edges = json_object_get(p->root, "edges");
    p->strings = json_object_get(p->root, "strings");
    NEED(json_is_object(p->root) && json_is_object(p->meta));
    NEED(all_integers(p->nodes, false) && all_integers(p->edges, false) && all_strings(p->strings));
    p->stride = json_array_size(json_object_get(p->meta, "node_fields"));
    p->edge_stride = json_array_size(json_object_get(p->meta, "edge_fields"));
    static const char *const node_fields[] = { "type", "name", "id", "self_size", "edge_count" };
    for (size_t i = 0; i < 5; i++)
        NEED(field(p, "node_fields", node_fields[i]) >= 0);
    NEED(field(p, "edge_fields", "type") >= 0 && field(p, "edge_fields", "name_or_index") >= 0);
    NEED(field(p, "edge_fields", "to_node") >= 0);
    p->node_types = json_array_get(json_object_get(p->meta, "node_types"), (size_t)field(p, "node_fields", "type"));
    p->edge_types = json_array_get(json_object_get(p->meta, "edge_types"), (size_t)field(p, "edge_fields", "type"));
    NEED(all_strings(p->node_types) && all_strings(p->edge_types));
    NEED(json_array_size(p->nodes) % p->stride == 0 && json_array_size(p->edges) % p->edge_stride == 0);
    p->n_nodes = json_array_size(p->nodes) / p->stride;
    p->n_edges = json_array_size(p->edges) / p->edge_stride;
    p->n_strings = json_array_size(p->strings);
    NEED(usual_fields(p, "trace_function_info_fields", "function_id name script_name script_id line column "));
    NEED(usual_fields(p, "trace_node_fields", "id function_info_index count size children "));
    NEED(usual_fields(p, "sample_fields", "timestamp_us last_assigned_id "));
    NEED(usual_fields(p, "location_fields", "object_index script_id line column ") ||
         usual_fields(p, "location_fields", "object_index script_id script_object_index line column "));
    NEED(
        usual_fields(p, "scope_fields", "script_node_index scope_id depth scope_context_vars_count scope_uses_count "));
    NEED(usual_fields(p, "scope_context_var_fields", "name "));
    NEED(usual_fields(p, "scope_use_fields", "declaring_scope_id slot_index "));
    NEED(p->n_nodes > 0 && count_ok(p, "node_count", p->n_nodes) && count_ok(p, "edge_count", p->n_edges));
    return UBI_OK;
}

static ubi_edge_kind edge_kind(const plain *p, uint64_t type) {
    static const char *const names[] = {
        "", "context", "element", "property", "internal", "hidden", "shortcut", "weak"
    };
    for (int k = 1; k < UBI_EDGE_KIND_COUNT; k++)
        if (strcmp(string_of(json_array_get(p->edge_types, type)), names[k]) == 0)
            return (ubi_edge_kind)k;
    return UBI_EDGE_REFERENCE;
}

static uint64_t node_value(const plain *p, size_t node, const char *name) {
    int place = field(p, "node_fields", name);
    return place < 0 ? 0 : number(p->nodes, node * p->stride + (size_t)place);
}

static uint64_t edge_value(const plain *p, size_t edge, const char *name) {
    return number(p->edges, edge * p->edge_stride + (size_t)field(p, "edge_fields", name));
}

static ubi_status check_ranges(const plain *p) {
    uint64_t sum = 0;
    for (size_t n = 0; n < p->n_nodes; n++) {
        NEED(node_value(p, n, "type") < json_array_size(p->node_types));
        NEED(node_value(p, n, "name") < p->n_strings);
        NEED(node_value(p, n, "edge_count") < UINT32_MAX && node_value(p, n, "trace_node_id") < UINT32_MAX);
        NEED(node_value(p, n, "detachedness") < UINT32_MAX);
        sum += node_value(p, n, "edge_count");
    }
    NEED(sum == p->n_edges);
    for (size_t e = 0; e < p->n_edges; e++) {
        uint64_t type = edge_value(p, e, "type"), to = edge_value(p, e, "to_node");
        NEED(type < json_array_size(p->edge_types) && to % p->stride == 0 && to / p->stride < p->n_nodes);
        bool numbered = ubi__edge_kind_is_numbered(edge_kind(p, type));
        NEED(edge_value(p, e, "name_or_index") < (numbered ? (uint64_t)UINT32_MAX + 1 : p->n_strings));
    }
    json_t *root = json_object_get(p->snapshot, "root_index"),
           *extra = json_object_get(p->snapshot, "extra_native_bytes");
    NEED(!root || (json_is_integer(root) && json_integer_value(root) >= 0));
    NEED(!root || (uint64_t)json_integer_value(root) % p->stride == 0);
    NEED(!root || (uint64_t)json_integer_value(root) / p->stride < p->n_nodes);
    NEED(!extra || (json_is_integer(extra) && json_integer_value(extra) >= 0));
    return UBI_OK;
}

/* ---- facts --------------------------------------------------------------------------------------------------------- */

static ubi_status read_functions(plain *p) {
    json_t *rows = json_object_get(p->root, "trace_function_infos");
    NEED(rows_ok(p, "trace_function_infos", 6, false));
    for (size_t i = 0; i + 6 <= json_array_size(rows); i += 6) {
        for (size_t k = 1; k < 6; k++)
            NEED(number(rows, i + k) <= UINT32_MAX && (k > 2 || number(rows, i + k) < p->n_strings));
        ubi__v8_function f = { .function_id = number(rows, i),
                               .name = (ubi_str_ix)number(rows, i + 1),
                               .script_name = (ubi_str_ix)number(rows, i + 2),
                               .script_id = (uint32_t)number(rows, i + 3),
                               .line = (uint32_t)number(rows, i + 4),
                               .column = (uint32_t)number(rows, i + 5) };
        UBI_TRY(ubi__vec_v8_function_push(&p->facts->functions, p->a, f));
    }
    return UBI_OK;
}

static ubi_status read_traces(plain *p, json_t *array, ubi_frame_ix parent) {
    NEED(json_is_array(array) && json_array_size(array) % 5 == 0);
    for (size_t i = 0; i < json_array_size(array); i += 5) {
        for (size_t k = 0; k < 4; k++)
            NEED(json_is_integer(json_array_get(array, i + k)) &&
                 json_integer_value(json_array_get(array, i + k)) >= 0);
        NEED(number(array, i) <= UINT32_MAX && number(array, i + 1) < p->facts->functions.n);
        ubi__v8_trace trace = { (uint32_t)number(array, i + 1), (uint32_t)number(array, i), number(array, i + 2),
                                number(array, i + 3) };
        const ubi__v8_function *f = &p->facts->functions.at[trace.function];
        ubi_frame_desc frame = { .id = trace.id,
                                 .parent = parent,
                                 .source = f->script_name,
                                 .function_name = f->name,
                                 .line = f->line,
                                 .column = f->column };
        ubi_frame_ix ix;
        UBI_TRY(ubi_graph_builder_frame(p->b, &ix, &frame));
        UBI_TRY(ubi__vec_v8_trace_push(&p->facts->traces, p->a, trace));
        UBI_TRY(read_traces(p, json_array_get(array, i + 4), ix));
    }
    return UBI_OK;
}

static bool node_index(const plain *p, uint64_t value, ubi_node_ix *out) {
    *out = (ubi_node_ix)(value / p->stride);
    return value % p->stride == 0 && value / p->stride < p->n_nodes;
}

static size_t fields_of(const plain *p, const char *table, size_t otherwise) {
    json_t *fields = json_object_get(p->meta, table);
    return fields ? json_array_size(fields) : otherwise;
}

/* Value of a named field; 0 when there is no such field. */
static uint64_t row_value(const plain *p, json_t *rows, size_t at, const char *table, const char *name) {
    int place = field(p, table, name);
    return place < 0 ? 0 : number(rows, at + (size_t)place);
}

/* The last location of a node counts, and they are in the order of nodes. */
static ubi_status put_location(plain *p, ubi__v8_location l) {
    ubi__vec_v8_location *rows = &p->facts->locations;
    size_t i = 0;
    while (i < rows->n && rows->at[i].node < l.node)
        i++;
    if (i < rows->n && rows->at[i].node == l.node) {
        rows->at[i] = l;
        return UBI_OK;
    }
    UBI_TRY(ubi__vec_v8_location_push(rows, p->a, l));
    memmove(&rows->at[i + 1], &rows->at[i], (rows->n - 1 - i) * sizeof l);
    rows->at[i] = l;
    return UBI_OK;
}

static ubi_status read_locations(plain *p) {
    static const char table[] = "location_fields";
    json_t *rows = json_object_get(p->root, "locations");
    size_t stride = fields_of(p, table, 0);
    NEED(rows_ok(p, "locations", stride, false));
    for (size_t i = 0; stride && i + stride <= json_array_size(rows); i += stride) {
        ubi__v8_location l = { .script = UBI_NONE };
        NEED(node_index(p, row_value(p, rows, i, table, "object_index"), &l.node));
        if (field(p, table, "script_object_index") >= 0)
            NEED(node_index(p, row_value(p, rows, i, table, "script_object_index"), &l.script));
        NEED(row_value(p, rows, i, table, "script_id") <= UINT32_MAX);
        NEED(row_value(p, rows, i, table, "line") <= UINT32_MAX &&
             row_value(p, rows, i, table, "column") <= UINT32_MAX);
        l.script_id = (uint32_t)row_value(p, rows, i, table, "script_id");
        l.line = (uint32_t)row_value(p, rows, i, table, "line");
        l.column = (uint32_t)row_value(p, rows, i, table, "column");
        UBI_TRY(put_location(p, l));
    }
    return UBI_OK;
}

static ubi_status read_samples(plain *p) {
    json_t *rows = json_object_get(p->root, "samples");
    NEED(rows_ok(p, "samples", 2, false));
    for (size_t i = 0; i + 2 <= json_array_size(rows); i += 2) {
        ubi__v8_sample s = { number(rows, i), number(rows, i + 1) };
        UBI_TRY(ubi__vec_v8_sample_push(&p->facts->samples, p->a, s));
    }
    return UBI_OK;
}

static ubi_status read_scope_tables(plain *p) {
    json_t *variables = json_object_get(p->root, "scope_context_vars"), *uses = json_object_get(p->root, "scope_uses");
    NEED(rows_ok(p, "scope_context_vars", 1, false) && rows_ok(p, "scope_uses", 2, true));
    for (size_t i = 0; i < json_array_size(variables); i++) {
        NEED(number(variables, i) < p->n_strings);
        UBI_TRY(ubi__vec_u32_push(&p->facts->scope_variables, p->a, (uint32_t)number(variables, i)));
    }
    for (size_t i = 0; i < json_array_size(uses); i += 2) {
        NEED(number(uses, i + 1) <= UINT32_MAX);
        ubi__v8_scope_use use = { (int64_t)number(uses, i), (uint32_t)number(uses, i + 1) };
        UBI_TRY(ubi__vec_v8_scope_use_push(&p->facts->scope_uses, p->a, use));
    }
    return UBI_OK;
}

static ubi_status read_scopes(plain *p) {
    static const char table[] = "scope_fields";
    json_t *rows = json_object_get(p->root, "scopes");
    size_t stride = fields_of(p, table, 0);
    uint64_t variable = 0, use = 0;
    NEED(rows_ok(p, "scopes", stride, true));
    for (size_t i = 0; stride && i + stride <= json_array_size(rows); i += stride) {
        ubi__v8_scope s = { .scope_id = (int64_t)row_value(p, rows, i, table, "scope_id"),
                            .depth = (uint32_t)row_value(p, rows, i, table, "depth"),
                            .first_variable = (uint32_t)variable,
                            .first_use = (uint32_t)use,
                            .n_variables = (uint32_t)row_value(p, rows, i, table, "scope_context_vars_count"),
                            .n_uses = (uint32_t)row_value(p, rows, i, table, "scope_uses_count") };
        NEED(node_index(p, row_value(p, rows, i, table, "script_node_index"), &s.script));
        NEED(row_value(p, rows, i, table, "depth") <= UINT32_MAX);
        NEED(row_value(p, rows, i, table, "scope_context_vars_count") <= UINT32_MAX);
        NEED(row_value(p, rows, i, table, "scope_uses_count") <= UINT32_MAX);
        variable += s.n_variables;
        use += s.n_uses;
        UBI_TRY(ubi__vec_v8_scope_push(&p->facts->scopes, p->a, s));
    }
    UBI_TRY(read_scope_tables(p));
    NEED(!p->facts->scopes.n || (variable == p->facts->scope_variables.n && use == p->facts->scope_uses.n));
    return UBI_OK;
}

/* ---- nodes and edges ------------------------------------------------------------------------------------------------- */

static ubi_text text_at(const plain *p, uint64_t i) {
    json_t *value = json_array_get(p->strings, i);
    return (ubi_text){ json_string_value(value), json_string_length(value) };
}

static size_t first_edge(const plain *p, size_t node) {
    return p->b->graph->first_edge.at[node]; /* the builder has it by then */
}

static ubi_node_ix follow(const plain *p, ubi_node_ix node, const char *name, const char *other) {
    size_t begin = first_edge(p, node), end = begin + node_value(p, node, "edge_count");
    for (size_t e = begin; e < end; e++) {
        if (edge_kind(p, edge_value(p, e, "type")) != UBI_EDGE_INTERNAL)
            continue;
        ubi_text text = text_at(p, edge_value(p, e, "name_or_index"));
        if (ubi__text_is(text, name) || ubi__text_is(text, other))
            return (ubi_node_ix)(edge_value(p, e, "to_node") / p->stride);
    }
    return UBI_NONE;
}

static bool has_type(const plain *p, ubi_node_ix node, const char *type) {
    return strcmp(string_of(json_array_get(p->node_types, node_value(p, node, "type"))), type) == 0;
}

/* Name of the script of a location; NULL text: it has none. */
static ubi_text script_name(const plain *p, const ubi__v8_location *l) {
    ubi_node_ix node = l->script;
    if (node == UBI_NONE && has_type(p, l->node, "closure"))
        node = follow(p, l->node, "shared", "shared");
    if (node != UBI_NONE && l->script == UBI_NONE)
        node = follow(p, node, "script", "script_or_debug_info");
    if (node == UBI_NONE || !has_type(p, node, "code"))
        return (ubi_text){ NULL, 0 };
    ubi_text name = text_at(p, node_value(p, node, "name"));
    static const char bare[] = "system / Script", prefix[] = "system / Script / ";
    if (name.len > strlen(prefix) && memcmp(name.ptr, prefix, strlen(prefix)) == 0)
        return (ubi_text){ name.ptr + strlen(prefix), name.len - strlen(prefix) };
    bool says_nothing = name.len == 0 || (name.len >= strlen(bare) && memcmp(name.ptr, bare, strlen(bare)) == 0);
    return says_nothing ? (ubi_text){ NULL, 0 } : name;
}

static ubi_status file_of(plain *p, ubi_node_ix node, ubi_str_ix *out) {
    const ubi__v8_location *l = ubi__v8_location_of(p->facts, node);
    char number_text[32];
    *out = UBI_NONE;
    if (!l)
        return UBI_OK;
    ubi_text name = { NULL, 0 };
    for (size_t i = 0; i < p->facts->locations.n && !name.ptr; i++)
        if (p->facts->locations.at[i].script_id == l->script_id)
            name = script_name(p, &p->facts->locations.at[i]);
    if (!name.ptr) {
        snprintf(number_text, sizeof number_text, "script:%u", l->script_id);
        name = ubi__text(number_text);
    }
    return ubi__strtab_intern(&p->b->graph->strings, out, name);
}

static ubi_status class_of(plain *p, const ubi__v8_kind_names *names, ubi_str_ix *out) {
    *out = UBI_NONE;
    if (!names->class_name.ptr)
        return UBI_OK;
    char *text = malloc(names->class_name.len + 1);
    size_t n = names->class_name.len;
    memcpy(text, names->class_name.ptr, n);
    if (names->is_class_cut)
        text[n++] = '>';
    ubi_status status = ubi__strtab_intern(&p->b->graph->strings, out, (ubi_text){ text, n });
    free(text);
    return status;
}

static ubi_status kind_of(plain *p, ubi_node_ix node, ubi_kind *kind) {
    json_t *type = json_array_get(p->node_types, node_value(p, node, "type"));
    ubi_text type_name = { json_string_value(type), json_string_length(type) };
    uint64_t detached = node_value(p, node, "detachedness");
    ubi__v8_kind_names names;
    ubi__v8_kind_names_of(&names, ubi__v8_type_of(type_name), type_name, text_at(p, node_value(p, node, "name")));
    *kind = (ubi_kind){ UBI_NONE, UBI_NONE, UBI_NONE, UBI_NONE, names.coarse_type, 0, 0 };
    kind->raw_type = (uint8_t)ubi__v8_type_of(type_name);
    kind->detachedness = detached <= UBI_DETACHED ? (uint8_t)detached : 0;
    UBI_TRY(class_of(p, &names, &kind->class_name));
    kind->descriptive_name = names.is_document ? kind->class_name : UBI_NONE;
    return ubi__strtab_intern(&p->b->graph->strings, &kind->type_name, names.type_name);
}

static ubi_frame_ix frame_of(const plain *p, uint64_t trace_id) {
    for (size_t i = 0; trace_id && i < p->facts->traces.n; i++)
        if (p->facts->traces.at[i].id == trace_id)
            return (ubi_frame_ix)i;
    return UBI_NONE;
}

static ubi_status add_edge(plain *p, size_t e) {
    ubi_edge_kind kind = edge_kind(p, edge_value(p, e, "type"));
    uint64_t target = node_value(p, edge_value(p, e, "to_node") / p->stride, "id");
    uint32_t name = (uint32_t)edge_value(p, e, "name_or_index");
    if (ubi__edge_kind_is_numbered(kind))
        return ubi_graph_builder_numbered_edge(p->b, target, kind, name);
    return ubi_graph_builder_edge_of(p->b, target, kind, name);
}

static ubi_status add_nodes(plain *p) {
    size_t edge = 0;
    for (ubi_node_ix n = 0; n < p->n_nodes; n++) {
        ubi_node_desc node = { .id = node_value(p, n, "id"),
                               .size_bytes = node_value(p, n, "self_size"),
                               .stack = frame_of(p, node_value(p, n, "trace_node_id")) };
        UBI_TRY(kind_of(p, n, &node.kind));
        UBI_TRY(ubi_graph_builder_node(p->b, &node));
        UBI_TRY(ubi_graph_builder_node_name(p->b, (ubi_str_ix)node_value(p, n, "name")));
        for (uint64_t k = node_value(p, n, "edge_count"); k; k--)
            UBI_TRY(add_edge(p, edge++));
    }
    /* Files need all edges, so they come last. */
    for (ubi_node_ix n = 0; n < p->n_nodes; n++) {
        ubi_graph *g = p->b->graph;
        ubi_kind kind = g->kinds.rows.at[g->kind.at[n]];
        UBI_TRY(file_of(p, n, &kind.script_filename));
        UBI_TRY(ubi__kinds_intern(&g->kinds, &g->kind.at[n], &kind));
    }
    return UBI_OK;
}

static ubi_status add_strings(plain *p) {
    for (size_t i = 0; i < p->n_strings; i++) {
        ubi_str_ix ignored;
        UBI_TRY(ubi_graph_builder_string(p->b, &ignored, text_at(p, i)));
    }
    return UBI_OK;
}

static ubi_status build(plain *p, ubi_graph **out) {
    json_t *extra = json_object_get(p->snapshot, "extra_native_bytes"), *root, *tree;
    UBI_TRY(check_ranges(p));
    UBI_TRY(add_strings(p));
    p->facts->stride = (uint32_t)p->stride;
    p->facts->has_trace_ids = field(p, "node_fields", "trace_node_id") >= 0;
    p->facts->has_detachedness = field(p, "node_fields", "detachedness") >= 0;
    p->facts->has_extra_native_bytes = extra != NULL;
    p->facts->extra_native_bytes = (uint64_t)json_integer_value(extra);
    UBI_TRY(read_functions(p));
    if ((tree = json_object_get(p->root, "trace_tree")))
        UBI_TRY(read_traces(p, tree, UBI_NONE));
    UBI_TRY(read_locations(p));
    UBI_TRY(read_samples(p));
    UBI_TRY(read_scopes(p));
    UBI_TRY(add_nodes(p));
    ubi_graph *g;
    UBI_TRY(ubi_graph_builder_finish(&g, p->b));
    if ((root = json_object_get(p->snapshot, "root_index"))) {
        g->root = (ubi_node_ix)((uint64_t)json_integer_value(root) / p->stride);
        ubi__vec_u64_fini(&g->reachable, p->a);
        (void)ubi__graph_find_reachable(g, NULL);
    }
    g->format = "heapsnapshot";
    g->facts = p->facts;
    g->free_facts = ubi__v8_facts_free;
    p->facts = NULL;
    *out = g;
    return UBI_OK;
}

ubi_status plain_v8_read(ubi_graph **out, const void *data, size_t size) {
    plain p = { .a = ubi_allocator_default() };
    ubi_status status = open_tree(&p, data, size);
    if (status == UBI_OK)
        status = ubi_graph_builder_new(&p.b, p.a);
    if (status == UBI_OK)
        status = (p.facts = ubi__v8_facts_new(p.a)) ? build(&p, out) : UBI_ENOMEM;
    if (p.facts)
        ubi__v8_facts_free(p.facts, p.a);
    ubi_graph_builder_free(p.b);
    json_decref(p.root);
    return status;
}
