/* SPDX-License-Identifier: MIT
 *
 * v8_heap.c: writes a made-up heap as a .heapsnapshot file, in the words and with the white space of some version of V8.
 */
#include "v8_heap.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"

/* ---- texts ------------------------------------------------------------------------------------------------------- */

void ubi__v8_text_print(ubi__v8_text *out, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(out->bytes, sizeof out->bytes, format, args);
    va_end(args);
    out->n = (size_t)n < sizeof out->bytes ? (size_t)n : sizeof out->bytes - 1;
    out->repeats = 1;
    out->is_escaped = false;
}

void ubi__v8_identifier(ubi__v8_text *out, uint64_t number) {
    static const char *const words[64] = {
        "account", "active",  "args",   "async",  "body",    "buffer",  "cache",   "callback", "child",   "client",
        "config",  "context", "count",  "data",   "date",    "default", "element", "entry",    "error",   "event",
        "field",   "file",    "filter", "flags",  "handler", "header",  "id",      "index",    "item",    "key",
        "label",   "last",    "level",  "list",   "map",     "match",   "message", "method",   "module",  "name",
        "node",    "options", "owner",  "parent", "path",    "payload", "plugin",  "position", "promise", "query",
        "record",  "request", "result", "scope",  "service", "session", "source",  "state",    "stream",  "symbol",
        "target",  "token",   "type",   "value"
    };
    const char *first = words[number % 64], *second = words[number / 64 % 64];
    ubi__v8_text_print(out, "%s%c%s", first, second[0] - 'a' + 'A', second + 1);
    if (number >= 4096)
        out->n += (size_t)snprintf(out->bytes + out->n, sizeof out->bytes - out->n, "%llu",
                                   (unsigned long long)(number / 4096));
}

ubi__v8_version ubi__v8_version_find(const char *name) {
    static const char *const names[UBI__V8_VERSION_COUNT] = { "node12", "node20", "node24", "chromium" };
    unsigned i = 0;
    while (i < UBI__V8_VERSION_COUNT && strcmp(names[i], name) != 0)
        i++;
    return (ubi__v8_version)i;
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

static ubi_status section(ubi__v8_heap *h, const char *key) {
    UBI_TRY(ubi__v8_out_text(&h->out, ",\n\""));
    UBI_TRY(ubi__v8_out_text(&h->out, key));
    return ubi__v8_out_text(&h->out, "\":[");
}

static ubi_status end_section(ubi__v8_heap *h) {
    return ubi__v8_out_text(&h->out, ubi__v8_has_lines(h) ? "\n]" : "]");
}

/* Old versions put a line break in front of the comma that separates two records. */
static inline void record(ubi__v8_heap *h, bool first, const uint64_t *numbers, size_t n) {
    if (!first && ubi__v8_has_lines(h))
        ubi__v8_out_char(&h->out, '\n');
    for (size_t i = 0; i < n; i++) {
        if (i || !first)
            ubi__v8_out_char(&h->out, ',');
        ubi__v8_out_number(&h->out, numbers[i]);
    }
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

ubi_status ubi__v8_put_edge(ubi__v8_heap *h, ubi_edge_kind kind, uint64_t label, uint64_t to) {
    if (h->counting) {
        h->n_counted++;
        return UBI_OK;
    }
    UBI_TRY(ubi__v8_out_reserve(&h->out, UBI__V8_RECORD_BYTES));
    record(h, h->first_edge, (uint64_t[]){ (uint64_t)kind - UBI_EDGE_CONTEXT, label, to * h->strides }, 3);
    h->first_edge = false;
    return UBI_OK;
}

/* What the shape has not but the options ask for: fields that lead anywhere. */
static ubi_status put_extra(ubi__v8_heap *h, uint64_t node) {
    uint64_t n = h->n_extra / h->n_nodes + (node < h->n_extra % h->n_nodes);
    for (uint64_t i = 0; i < n; i++)
        UBI_TRY(ubi__v8_put_edge(h, UBI_EDGE_INTERNAL, UBI__V8_STRING_MAP, ubi__v8_hash(h, node, i) % h->n_nodes));
    return UBI_OK;
}

static ubi_status all_edges(ubi__v8_heap *h, uint64_t node) {
    UBI_TRY(h->shape->edges(h, node));
    return h->n_extra ? put_extra(h, node) : UBI_OK;
}

static ubi_status count_edges(ubi__v8_heap *h, uint64_t node, uint64_t *out) {
    h->counting = true;
    h->n_counted = 0;
    UBI_TRY(all_edges(h, node));
    h->counting = false;
    *out = h->n_counted;
    return UBI_OK;
}

static ubi_status write_edges(ubi__v8_heap *h) {
    h->first_edge = true;
    UBI_TRY(section(h, "edges"));
    for (uint64_t i = 0; i < h->n_nodes; i++)
        UBI_TRY(all_edges(h, i));
    return end_section(h);
}

/* ---- header ------------------------------------------------------------------------------------------------------ */

static const char edge_meta[] =
    "],\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],\"edge_types\":[[\"context\",\"element\",\"property\","
    "\"internal\",\"hidden\",\"shortcut\",\"weak\"],\"string_or_number\",\"node\"],\"trace_function_info_fields\":["
    "\"function_id\",\"name\",\"script_name\",\"script_id\",\"line\",\"column\"],\"trace_node_fields\":[\"id\","
    "\"function_info_index\",\"count\",\"size\",\"children\"],\"sample_fields\":[\"timestamp_us\",\"last_assigned_id\"]"
    ","
    "\"location_fields\":[\"object_index\",\"script_id\",";

static const char scope_meta[] = ",\"scope_fields\":[\"script_node_index\",\"scope_id\",\"depth\","
                                 "\"scope_context_vars_count\",\"scope_uses_count\"],\"scope_context_var_fields\":["
                                 "\"name\"],\"scope_use_fields\":[\"declaring_scope_id\",\"slot_index\"]";

#define FUNCTIONS 64
#define TRACES 200

static bool has_stacks(const ubi__v8_heap *h) {
    return h->options->stack_percent && ubi__v8_has_trace_ids(h) && h->shape == &ubi__v8_model;
}

static ubi_status write_meta(ubi__v8_heap *h) {
    ubi__v8_out *out = &h->out;
    UBI_TRY(ubi__v8_out_text(out, "{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\","
                                  "\"edge_count\""));
    UBI_TRY(ubi__v8_out_text(out, ubi__v8_has_trace_ids(h) ? ",\"trace_node_id\"" : ""));
    UBI_TRY(ubi__v8_out_text(out, ubi__v8_has_detachedness(h) ? ",\"detachedness\"" : ""));
    UBI_TRY(ubi__v8_out_text(out, "],\"node_types\":[[\"hidden\""));
    for (int type = UBI__V8_HIDDEN + 1; type < UBI__V8_WASM_OBJECT; type++) {
        UBI_TRY(ubi__v8_out_text(out, ","));
        UBI_TRY(ubi__v8_out_string(out, ubi__text(ubi__v8_type_name((ubi__v8_type)type))));
    }
    UBI_TRY(ubi__v8_out_text(out, "],\"string\""));
    for (uint64_t i = 2; i < h->strides; i++)
        UBI_TRY(ubi__v8_out_text(out, ",\"number\""));
    UBI_TRY(ubi__v8_out_text(out, edge_meta));
    UBI_TRY(ubi__v8_out_text(out, ubi__v8_is_chromium(h) ? "\"script_object_index\"," : ""));
    UBI_TRY(ubi__v8_out_text(out, "\"line\",\"column\"]"));
    return ubi__v8_out_text(out, ubi__v8_is_chromium(h) ? scope_meta : "");
}

static ubi_status write_header(ubi__v8_heap *h) {
    char counts[160];
    UBI_TRY(write_meta(h));
    snprintf(counts, sizeof counts, "},\"node_count\":%llu,\"edge_count\":%llu,\"trace_function_count\":%d%s}",
             (unsigned long long)h->n_nodes, (unsigned long long)h->n_edges, has_stacks(h) ? FUNCTIONS : 0,
             h->options->v8 >= UBI__V8_NODE24 ? ",\"extra_native_bytes\":0" : "");
    return ubi__v8_out_text(&h->out, counts);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static ubi_status write_node(ubi__v8_heap *h, uint64_t node) {
    ubi__v8_row row = { 0 };
    uint64_t fields[7], n_edges;
    size_t n = 5;
    h->shape->row(h, node, &row);
    UBI_TRY(count_edges(h, node, &n_edges));
    fields[0] = row.type - UBI__V8_HIDDEN;
    fields[1] = row.name;
    fields[2] = row.id;
    fields[3] = row.size_bytes;
    fields[4] = n_edges;
    if (ubi__v8_has_trace_ids(h))
        fields[n++] = has_stacks(h) ? row.trace_id : 0;
    if (ubi__v8_has_detachedness(h))
        fields[n++] = row.detachedness;
    UBI_TRY(ubi__v8_out_reserve(&h->out, UBI__V8_RECORD_BYTES));
    record(h, node == 0, fields, n);
    return UBI_OK;
}

static ubi_status write_nodes(ubi__v8_heap *h) {
    UBI_TRY(section(h, "nodes"));
    for (uint64_t i = 0; i < h->n_nodes; i++)
        UBI_TRY(write_node(h, i));
    return end_section(h);
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

/* Trace nodes are a tree of three children each, by level; TRACES deep at most five levels, so recursion is bounded. */
static ubi_status write_trace(ubi__v8_heap *h, uint64_t i) {
    uint64_t fields[4] = { i + 1, i % FUNCTIONS, 1000 / (i + 1) + 1, 100000 / (i + 1) };
    UBI_TRY(ubi__v8_out_reserve(&h->out, UBI__V8_RECORD_BYTES));
    for (size_t k = 0; k < 4; k++) {
        ubi__v8_out_number(&h->out, fields[k]);
        ubi__v8_out_char(&h->out, ',');
    }
    ubi__v8_out_char(&h->out, '[');
    for (uint64_t child = 3 * i + 1; child <= 3 * i + 3 && child < TRACES; child++) {
        if (child > 3 * i + 1)
            UBI_TRY(ubi__v8_out_text(&h->out, ","));
        UBI_TRY(write_trace(h, child));
    }
    return ubi__v8_out_text(&h->out, "]");
}

static ubi_status write_traces(ubi__v8_heap *h) {
    UBI_TRY(section(h, "trace_function_infos"));
    for (uint64_t i = 0; has_stacks(h) && i < FUNCTIONS; i++) {
        UBI_TRY(ubi__v8_out_reserve(&h->out, UBI__V8_RECORD_BYTES));
        record(h, i == 0, (uint64_t[]){ 2 * i + 1, 1 + i % 30, 1 + i % 7, i % 9, i * 3, i % 40 }, 6);
    }
    UBI_TRY(end_section(h));
    UBI_TRY(section(h, "trace_tree"));
    if (has_stacks(h))
        UBI_TRY(write_trace(h, 0));
    UBI_TRY(end_section(h));
    UBI_TRY(section(h, "samples"));
    for (uint64_t i = 0; has_stacks(h) && i < 16; i++) {
        UBI_TRY(ubi__v8_out_reserve(&h->out, UBI__V8_RECORD_BYTES));
        record(h, i == 0, (uint64_t[]){ i * 50000, 2 * (h->n_nodes * i / 16) + 1 }, 2);
    }
    return end_section(h);
}

static ubi_status write_locations(ubi__v8_heap *h) {
    bool first = true;
    UBI_TRY(section(h, "locations"));
    for (uint64_t i = 0; i < h->n_nodes; i++) {
        ubi__v8_row row = { 0 };
        uint64_t fields[5] = { i * h->strides };
        size_t n = 1;
        h->shape->row(h, i, &row);
        if (!row.has_location)
            continue;
        fields[n++] = row.script_id;
        if (ubi__v8_is_chromium(h))
            fields[n++] = 0;
        fields[n++] = row.line;
        fields[n++] = row.column;
        UBI_TRY(ubi__v8_out_reserve(&h->out, UBI__V8_RECORD_BYTES));
        record(h, first, fields, n);
        first = false;
    }
    UBI_TRY(end_section(h));
    return ubi__v8_is_chromium(h)
               ? ubi__v8_out_text(&h->out, ",\n\"scopes\":[0,-2,0,1,1],\n\"scope_context_vars\":[1],\n"
                                           "\"scope_uses\":[-2,0]")
               : UBI_OK;
}

static ubi_status write_text(ubi__v8_heap *h, const ubi__v8_text *text) {
    if (text->repeats == 1 && !text->is_escaped)
        return ubi__v8_out_string(&h->out, (ubi_text){ text->bytes, text->n });
    UBI_TRY(ubi__v8_out_text(&h->out, "\""));
    for (uint64_t i = 0; i < text->repeats; i++) {
        UBI_TRY(ubi__v8_out_reserve(&h->out, text->n));
        ubi__v8_out_bytes(&h->out, text->bytes, text->n);
    }
    return ubi__v8_out_text(&h->out, "\"");
}

static ubi_status write_strings(ubi__v8_heap *h) {
    ubi__v8_text text;
    UBI_TRY(section(h, "strings"));
    UBI_TRY(ubi__v8_out_text(&h->out, "\"<dummy>\""));
    for (uint64_t i = 1; i < h->n_strings; i++) {
        UBI_TRY(ubi__v8_out_text(&h->out, ubi__v8_has_lines(h) ? ",\n" : ","));
        h->shape->string(h, i, &text);
        UBI_TRY(write_text(h, &text));
    }
    return ubi__v8_out_text(&h->out, "]");
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static ubi_status plan(ubi__v8_heap *h) {
    uint64_t wanted = h->options->n_edges, n;
    h->strides = 5u + ubi__v8_has_trace_ids(h) + ubi__v8_has_detachedness(h);
    UBI_TRY(h->shape->plan(h));
    if (h->n_nodes > UINT32_MAX - 1 || h->n_strings > UINT32_MAX - 1)
        return ubi__fail(UBI_ELIMIT, "more than %u nodes or strings", UINT32_MAX - 1);
    for (uint64_t i = 0; i < h->n_nodes; i++) {
        UBI_TRY(count_edges(h, i, &n));
        h->n_edges += n;
    }
    if (wanted && wanted < h->n_edges)
        return ubi__fail(UBI_EINVAL, "%llu nodes of the shape %s have %llu edges", (unsigned long long)h->n_nodes,
                         ubi__shape_name(h->options->shape), (unsigned long long)h->n_edges);
    h->n_extra = wanted ? wanted - h->n_edges : 0;
    h->n_edges += h->n_extra;
    return UBI_OK;
}

static ubi_status write_file(ubi__v8_heap *h) {
    UBI_TRY(plan(h));
    UBI_TRY(write_header(h));
    UBI_TRY(write_nodes(h));
    UBI_TRY(write_edges(h));
    UBI_TRY(write_traces(h));
    UBI_TRY(write_locations(h));
    UBI_TRY(write_strings(h));
    UBI_TRY(ubi__v8_out_text(&h->out, "}\n"));
    return ubi__v8_out_flush(&h->out);
}

ubi_status ubi__generate_v8(const ubi__generator_options *options, ubi__write_fn write, void *payload,
                            ubi__generator_result *result) {
    ubi__v8_heap h = { .options = options, .shape = options->shape == UBI__SHAPE_V8 ? &ubi__v8_model : &ubi__v8_hurt };
    ubi_status status = ubi__v8_out_init(&h.out, write, payload, ubi_allocator_default());
    if (status == UBI_OK)
        status = write_file(&h);
    if (status == UBI_OK && result)
        *result = (ubi__generator_result){ h.n_nodes, h.n_edges, h.n_nodes, h.out.n_written };
    ubi__v8_out_fini(&h.out);
    return status;
}
