/* SPDX-License-Identifier: MIT
 *
 * v8_read.c: the plain reader: the whole file as a JSON tree. Slow and obvious.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "formats/format.h"
#include "formats/v8/v8_facts.h"
#include "formats/v8/v8_kinds.h"
#include "graph/builder.h"

typedef struct reader {
    json_t *root, *meta;
    const ubi_allocator *a;
    ubi_graph_builder *b;
    ubi__v8_facts *facts;
    size_t stride;
    ubi__v8_type type_of[64];
    ubi_str_ix type_string[64];
    ubi_edge_kind edge_kind_of[16];
    json_t *nodes, *edges, *strings;
    uint64_t *trace_id;
} reader;

static ubi_status bad(const char *what) {
    return ubi__fail(UBI_EFORMAT, "not a sound .heapsnapshot: %s", what);
}

static int field(const reader *r, const char *table, const char *name) {
    json_t *fields = json_object_get(r->meta, table);
    size_t i;
    json_t *v;
    json_array_foreach(fields, i,
                       v) if (strcmp(json_string_value(v) ? json_string_value(v) : "", name) == 0) return (int)i;
    return -1;
}

static uint64_t number(json_t *array, size_t i) {
    return (uint64_t)json_integer_value(json_array_get(array, i));
}

static ubi_text string_at(const reader *r, uint64_t i) {
    return ubi__strtab_get(&r->b->graph->strings, (ubi_str_ix)i);
}

static ubi_status intern(reader *r, ubi_str_ix *out, ubi_text text) {
    return ubi__strtab_intern(&r->b->graph->strings, out, text);
}

static ubi_status read_meta(reader *r) {
    json_t *types = json_array_get(json_object_get(r->meta, "node_types"), (size_t)field(r, "node_fields", "type"));
    size_t i;
    json_t *v;
    json_array_foreach(types, i, v) {
        ubi_text name = { json_string_value(v), json_string_length(v) };
        if (i >= 64)
            return bad("too many node types");
        r->type_of[i] = ubi__v8_type_of(name);
        UBI_TRY(intern(r, &r->type_string[i], name));
    }
    static const char *const kinds[] = {
        "", "context", "element", "property", "internal", "hidden", "shortcut", "weak"
    };
    json_array_foreach(json_array_get(json_object_get(r->meta, "edge_types"), 0), i,
                       v) for (int k = 1; k < UBI_EDGE_KIND_COUNT && i < 16;
                               k++) if (strcmp(json_string_value(v), kinds[k]) == 0) r->edge_kind_of[i] =
        (ubi_edge_kind)k;
    return UBI_OK;
}

static ubi_status read_strings(reader *r) {
    size_t i;
    json_t *v;
    json_array_foreach(r->strings, i, v) {
        ubi_str_ix ix;
        ubi_text text = { json_string_value(v), json_string_length(v) };
        UBI_TRY(ubi_graph_builder_string(r->b, &ix, text));
    }
    return UBI_OK;
}

static ubi_status read_traces(reader *r) {
    json_t *infos = json_object_get(r->root, "trace_function_infos");
    json_t *fields = json_object_get(r->meta, "trace_function_info_fields");
    size_t stride = json_array_size(fields);
    for (size_t i = 0; stride && i + stride <= json_array_size(infos); i += stride) {
        ubi__v8_function f = { .function_id = number(infos, i),
                               .name = (ubi_str_ix)number(infos, i + 1),
                               .script_name = (ubi_str_ix)number(infos, i + 2),
                               .script_id = (uint32_t)number(infos, i + 3),
                               .line = (uint32_t)number(infos, i + 4),
                               .column = (uint32_t)number(infos, i + 5) };
        UBI_TRY(ubi__vec_v8_function_push(&r->facts->functions, r->a, f));
    }
    /* depth first, children behind their parent */
    struct item {
        json_t *array;
        size_t at;
        ubi_frame_ix parent;
    } stack[1000];
    size_t depth = 0;
    stack[depth++] = (struct item){ json_object_get(r->root, "trace_tree"), 0, UBI_NONE };
    while (depth) {
        struct item *top = &stack[depth - 1];
        if (top->at + 5 > json_array_size(top->array)) {
            depth--;
            continue;
        }
        size_t at = top->at;
        top->at += 5;
        ubi__v8_trace trace = { (uint32_t)number(top->array, at + 1), (uint32_t)number(top->array, at),
                                number(top->array, at + 2), number(top->array, at + 3) };
        const ubi__v8_function *f = &r->facts->functions.at[trace.function];
        ubi_frame_desc frame = { .id = trace.id,
                                 .parent = top->parent,
                                 .source = f->script_name,
                                 .function_name = f->name,
                                 .line = f->line,
                                 .column = f->column };
        ubi_frame_ix ix;
        UBI_TRY(ubi_graph_builder_frame(r->b, &ix, &frame));
        UBI_TRY(ubi__vec_v8_trace_push(&r->facts->traces, r->a, trace));
        if (depth == 1000)
            return bad("trace_tree is too deep");
        stack[depth++] = (struct item){ json_array_get(top->array, at + 4), 0, ix };
    }
    return UBI_OK;
}

static ubi_frame_ix frame_of(const reader *r, uint64_t trace_id) {
    for (size_t i = 0; trace_id && i < r->facts->traces.n; i++)
        if (r->facts->traces.at[i].id == trace_id)
            return (ubi_frame_ix)i;
    return UBI_NONE;
}

static ubi_status kind_of(reader *r, ubi_kind *kind, uint64_t type, ubi_text name) {
    ubi__v8_kind_names names;
    UBI_TRY(ubi__strtab_count(&r->b->graph->strings) ? UBI_OK : bad("no strings"));
    ubi__v8_kind_names_of(&names, r->type_of[type], string_at(r, r->type_string[type]), name);
    *kind = (ubi_kind){ UBI_NONE, UBI_NONE, UBI_NONE, UBI_NONE, names.coarse_type, (uint8_t)r->type_of[type], 0 };
    char *type_copy = strndup(names.type_name.ptr, names.type_name.len);
    UBI_TRY(intern(r, &kind->type_name, ubi__text(type_copy)));
    free(type_copy);
    if (names.class_name.ptr) {
        char *text = malloc(names.class_name.len + 2);
        memcpy(text, names.class_name.ptr, names.class_name.len);
        size_t n = names.class_name.len;
        if (names.class_is_cut)
            text[n++] = '>';
        UBI_TRY(intern(r, &kind->class_name, (ubi_text){ text, n }));
        free(text);
        if (names.is_document)
            kind->descriptive_name = kind->class_name;
    }
    return UBI_OK;
}

static ubi_status read_nodes(reader *r) {
    int type = field(r, "node_fields", "type"), name = field(r, "node_fields", "name"),
        id = field(r, "node_fields", "id"), size = field(r, "node_fields", "self_size"),
        count = field(r, "node_fields", "edge_count"), trace = field(r, "node_fields", "trace_node_id"),
        detached = field(r, "node_fields", "detachedness");
    size_t edge = 0;
    r->facts->has_trace_ids = trace >= 0;
    r->facts->has_detachedness = detached >= 0;
    for (size_t i = 0; i + r->stride <= json_array_size(r->nodes); i += r->stride) {
        ubi_node_desc node = { .id = number(r->nodes, i + (size_t)id),
                               .size_bytes = number(r->nodes, i + (size_t)size),
                               .stack = trace >= 0 ? frame_of(r, number(r->nodes, i + (size_t)trace)) : UBI_NONE };
        ubi_str_ix string = (ubi_str_ix)number(r->nodes, i + (size_t)name);
        UBI_TRY(kind_of(r, &node.kind, number(r->nodes, i + (size_t)type), string_at(r, string)));
        node.kind.detachedness = detached >= 0 ? (uint8_t)number(r->nodes, i + (size_t)detached) : 0;
        UBI_TRY(ubi_graph_builder_node(r->b, &node));
        UBI_TRY(ubi_graph_builder_node_name(r->b, string));
        for (uint64_t n = number(r->nodes, i + (size_t)count); n; n--, edge += 3) {
            ubi_edge_kind kind = r->edge_kind_of[number(r->edges, edge)];
            uint64_t label = number(r->edges, edge + 1), to = number(r->edges, edge + 2);
            uint64_t target = number(r->nodes, to + (size_t)id);
            if (ubi__edge_kind_is_numbered(kind))
                UBI_TRY(ubi_graph_builder_numbered_edge(r->b, target, kind, (uint32_t)label));
            else
                UBI_TRY(ubi_graph_builder_edge_of(r->b, target, kind, (ubi_str_ix)label));
        }
    }
    return UBI_OK;
}

static int by_node(const void *a, const void *b) {
    const ubi__v8_location *x = a, *y = b;
    return x->node < y->node ? -1 : x->node > y->node;
}

static ubi_status read_rest(reader *r) {
    json_t *locations = json_object_get(r->root, "locations"), *samples = json_object_get(r->root, "samples");
    size_t stride = json_array_size(json_object_get(r->meta, "location_fields"));
    int object = field(r, "location_fields", "object_index"), script = field(r, "location_fields", "script_id"),
        line = field(r, "location_fields", "line"), column = field(r, "location_fields", "column"),
        script_object = field(r, "location_fields", "script_object_index");
    for (size_t i = 0; stride && i + stride <= json_array_size(locations); i += stride) {
        ubi__v8_location l = {
            (ubi_node_ix)(number(locations, i + (size_t)object) / r->stride),
            (uint32_t)number(locations, i + (size_t)script), (uint32_t)number(locations, i + (size_t)line),
            (uint32_t)number(locations, i + (size_t)column),
            script_object >= 0 ? (ubi_node_ix)(number(locations, i + (size_t)script_object) / r->stride) : UBI_NONE
        };
        UBI_TRY(ubi__vec_v8_location_push(&r->facts->locations, r->a, l));
    }
    if (r->facts->locations.n)
        qsort(r->facts->locations.at, r->facts->locations.n, sizeof(ubi__v8_location), by_node);
    for (size_t i = 0; i + 2 <= json_array_size(samples); i += 2) {
        ubi__v8_sample s = { number(samples, i), number(samples, i + 1) };
        UBI_TRY(ubi__vec_v8_sample_push(&r->facts->samples, r->a, s));
    }
    return UBI_OK;
}

static ubi_status build(ubi_graph **out, reader *r) {
    json_t *snapshot = json_object_get(r->root, "snapshot");
    r->meta = json_object_get(snapshot, "meta");
    r->nodes = json_object_get(r->root, "nodes");
    r->edges = json_object_get(r->root, "edges");
    r->strings = json_object_get(r->root, "strings");
    r->stride = json_array_size(json_object_get(r->meta, "node_fields"));
    if (!r->meta || !r->nodes || !r->edges || !r->strings || !r->stride)
        return bad("a section is missing");
    r->facts->stride = (uint32_t)r->stride;
    json_t *extra = json_object_get(snapshot, "extra_native_bytes");
    r->facts->has_extra_native_bytes = extra != NULL;
    r->facts->extra_native_bytes = (uint64_t)json_integer_value(extra);
    UBI_TRY(read_strings(r));
    UBI_TRY(read_meta(r));
    UBI_TRY(read_traces(r));
    UBI_TRY(read_nodes(r));
    UBI_TRY(read_rest(r));
    ubi_graph *graph;
    UBI_TRY(ubi_graph_builder_finish(&graph, r->b));
    graph->format = "heapsnapshot";
    graph->facts = r->facts;
    graph->free_facts = ubi__v8_facts_free;
    r->facts = NULL;
    *out = graph;
    return UBI_OK;
}

static ubi_status slurp(ubi__vec_u8 *all, ubi__format_input *in) {
    uint8_t *data = in->first;
    size_t n = in->n_first;
    while (n) {
        UBI_TRY(ubi__vec_u8_reserve(all, in->allocator, n));
        memcpy(all->at + all->n, data, n);
        all->n += n;
        UBI_TRY(ubi__stream_next(in->stream, &data, &n));
    }
    return UBI_OK;
}

static ubi_status read_v8(ubi_graph **out, ubi__format_input *in) {
    ubi__vec_u8 all = { 0 };
    reader r = { .a = in->allocator };
    json_error_t error;
    ubi_status status = slurp(&all, in);
    if (status == UBI_OK) {
        r.root = json_loadb((const char *)all.at, all.n, JSON_ALLOW_NUL, &error);
        status = r.root ? UBI_OK : bad(error.text);
    }
    if (status == UBI_OK)
        status = ubi_graph_builder_new(&r.b, in->allocator);
    if (status == UBI_OK)
        status = (r.facts = ubi__v8_facts_new(in->allocator)) ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK)
        status = build(out, &r);
    if (r.facts)
        ubi__v8_facts_free(r.facts, in->allocator);
    ubi_graph_builder_free(r.b);
    json_decref(r.root);
    ubi__vec_u8_fini(&all, in->allocator);
    return status;
}

/* JSON begins with a brace, with white space before it perhaps. */
static bool guess(const uint8_t *head, size_t n) {
    size_t i = 0;
    while (i < n && (head[i] == ' ' || head[i] == '\n' || head[i] == '\r' || head[i] == '\t'))
        i++;
    return i < n && head[i] == '{';
}

const ubi__format ubi__format_v8 = { .name = "heapsnapshot", .guess = guess, .read = read_v8 };
