/* SPDX-License-Identifier: MIT
 *
 * jsonl_write.c: a graph as lines of JSON, for jq, databases and scripts.
 *
 * One object per line: a header, the stack frames (parents before their children), what else the producer supplies, the nodes
 * in order, each with its edges. Format: docs/formats/jsonl.md.
 *
 * What repeats is written as JSON once and copied from then on: the members that nodes of one kind share, and the name
 * of an edge. These fragments start with a comma, so that a line is its numbers and the fragments between them. They
 * also make replacing texts nearly free: map_text is asked once per fragment.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/deflate.h"
#include "base/json_writer.h"
#include "base/status.h"
#include "base/strtab.h"
#include "formats/line_facts.h"
#include "formats/save_format.h"
#include "formats/text_roles.h"

/* ---- bytes on their way to the file -------------------------------------------------------------------------------- */

/*
 * A fixed buffer. Short things are added into room that was reserved, texts of any length are put. Progress is reported and
 * cancelling asked for whenever the buffer is emptied.
 */

/* Up to this every integer is its own JSON number. */
#define EXACT_INTEGER_LIMIT (UINT64_C(1) << 53)

#define BUFFER_BYTES ((size_t)64 * 1024)

typedef struct line_out {
    ubi__write_fn write;
    void *payload;
    ubi_progress progress;
    uint64_t n_done, n_total; /* nodes */
    uint64_t n_written;       /* bytes */
    uint8_t *buffer;          /* buffer[BUFFER_BYTES] */
    size_t n;
} line_out;

static ubi_status out_init(line_out *out, const ubi_allocator *a) {
    out->buffer = ubi__alloc_array(a, BUFFER_BYTES, 1);
    return out->buffer ? UBI_OK : ubi__fail_nomem();
}

static void out_fini(line_out *out, const ubi_allocator *a) {
    ubi__free_array(a, out->buffer, BUFFER_BYTES, 1);
}

/* Writes what is there. Errors: UBI_ECANCELLED, or those of `write`. */
static ubi_status out_drain(line_out *out) {
    if (!ubi__progress(&out->progress, "writing", out->n_done, out->n_total))
        return ubi__fail_cancelled();
    size_t n = out->n;
    out->n = 0;
    out->n_written += n;
    return n ? out->write(out->payload, out->buffer, n) : UBI_OK;
}

/* Makes room for n bytes, at most the buffer's. */
static inline ubi_status out_reserve(line_out *out, size_t n) {
    UBI_ASSERT(n <= BUFFER_BYTES && out->n <= BUFFER_BYTES);
    return ubi__likely(BUFFER_BYTES - out->n >= n) ? UBI_OK : out_drain(out);
}

/* The next four write into room that was reserved; a number takes at most 32 bytes. */

static inline void out_add(line_out *out, const char *text, size_t n) {
    UBI_ASSERT(n <= BUFFER_BYTES - out->n);
    memcpy(out->buffer + out->n, text, n);
    out->n += n;
}

static void out_add_digits(line_out *out, uint64_t value) {
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    out_add(out, digits + at, sizeof digits - at);
}

static bool add_json(void *payload, const void *data, size_t n) {
    out_add(payload, data, n);
    return true;
}

/* A number that a double may round; an id then becomes a string. */
static void add_large(line_out *out, uint64_t value, bool is_id) {
    ubi__json json;
    ubi__json_init(&json, add_json, out, false);
    if (is_id)
        ubi__json_node_id(&json, value);
    else
        ubi__json_u64(&json, value);
    ubi__json_flush(&json);
}

/* A string of digits when no double holds it. */
static void out_add_id(line_out *out, uint64_t id) {
    if (ubi__likely(id <= EXACT_INTEGER_LIMIT))
        out_add_digits(out, id);
    else
        add_large(out, id, true);
}

/* The double nearest to it. */
static void out_add_size(line_out *out, uint64_t size_bytes) {
    if (ubi__likely(size_bytes <= EXACT_INTEGER_LIMIT))
        out_add_digits(out, size_bytes);
    else
        add_large(out, size_bytes, false);
}

/* Text of any length, into room that need not be reserved. */
static ubi_status out_put(line_out *out, ubi_text text) {
    while (text.len) {
        UBI_TRY(out_reserve(out, 1));
        size_t room = BUFFER_BYTES - out->n, n = text.len < room ? text.len : room;
        out_add(out, text.ptr, n);
        text.ptr += n;
        text.len -= n;
    }
    return UBI_OK;
}

/* ---- lines --------------------------------------------------------------------------------------------------------- */

/* Room for what a line has between two fragments: constant text and two numbers. */
#define PIECE_BYTES 160
_Static_assert(PIECE_BYTES >= sizeof "{\"to\":,\"kind\":\"element\",\"index\":}," + 2 * 32,
               "the longest edge without a name");

#define ADD(w, literal) out_add(&(w)->out, (literal), sizeof(literal) - 1)

typedef struct line_writer {
    const ubi_graph *graph;
    const ubi__line_facts *facts; /* NULL: the graph is all there is */
    const ubi_save_options *options;
    const ubi_allocator *allocator;
    line_out out;
    ubi_save_info info;
    ubi__strtab fragments;
    uint32_t *kind_fragment;  /* kind_fragment[n_kinds]: entry of `fragments`, or UBI_NONE */
    uint32_t *name_fragment;  /* name_fragment[n_strings], of names on properties and the like */
    uint32_t *field_fragment; /* field_fragment[n_strings], of those on fields of an engine; NULL: no edge has a kind */
    ubi__json json;           /* writes a fragment into `scratch` */
    ubi__line line;           /* the same, for `facts` */
    ubi__vec_u8 scratch;
} line_writer;

/* ---- fragments -------------------------------------------------------------------------------------------------- */

static bool scratch_write(void *payload, const void *data, size_t n) {
    line_writer *w = payload;
    if (ubi__vec_u8_reserve(&w->scratch, w->allocator, n) != UBI_OK) {
        return false;
    }
    memcpy(w->scratch.at + w->scratch.n, data, n);
    w->scratch.n += n;
    return true;
}

/* A fragment is written as an object, of which the braces are then left out and a comma put in front. */
static void begin_fragment(line_writer *w) {
    w->scratch.n = 0;
    ubi__json_init(&w->json, scratch_write, w, false);
    w->json.is_for_terminal = true; /* lines may end up on one, and JSON does not mind */
    ubi__json_object_begin(&w->json);
}

static ubi_status end_fragment(ubi_text *out, line_writer *w) {
    ubi__json_object_end(&w->json);
    if (ubi__json_flush(&w->json) != UBI_OK)
        return ubi__fail_nomem();
    UBI_ASSERT(w->scratch.n >= 2 && w->scratch.at[0] == '{' && w->scratch.at[w->scratch.n - 1] == '}');
    w->scratch.at[0] = ',';
    *out = (ubi_text){ (const char *)w->scratch.at, w->scratch.n - 1 };
    return UBI_OK;
}

/* ubi__line.put_text */
static ubi_status put_value(const ubi__line *line, ubi_text_role role, ubi_text text) {
    const ubi_save_options *options = ((const line_writer *)line->payload)->options;
    if (options->map_text)
        UBI_TRY(options->map_text(options->map_text_payload, role, text, &text));
    ubi__json_text(line->json, text);
    return UBI_OK;
}

static ubi_status put_member(line_writer *w, const char *key, ubi_text_role role, ubi_text text) {
    if (!text.ptr)
        return UBI_OK;
    ubi__json_key(&w->json, key);
    return put_value(&w->line, role, text);
}

static ubi_status make_kind(line_writer *w, ubi_kind_ix kind) {
    const ubi_graph *g = w->graph;
    const ubi_kind *k = ubi_graph_kind(g, kind);
    ubi_text fragment;
    begin_fragment(w);
    UBI_TRY(put_member(w, "typeName", UBI_TEXT_TYPE_NAME, ubi_graph_string(g, k->type_name)));
    if (w->facts)
        w->facts->put_kind(&w->line, g, k);
    ubi__json_member_string(&w->json, "coarseType", ubi_coarse_type_name(k->coarse_type));
    UBI_TRY(put_member(w, "className", UBI_TEXT_CLASS_NAME, ubi_graph_string(g, k->class_name)));
    UBI_TRY(put_member(w, "scriptFilename", UBI_TEXT_SCRIPT_FILENAME, ubi_graph_string(g, k->script_filename)));
    UBI_TRY(put_member(w, "descriptiveTypeName", UBI_TEXT_DESCRIPTIVE_NAME, ubi_graph_string(g, k->descriptive_name)));
    if (k->detachedness != UBI_DETACHEDNESS_UNKNOWN) {
        ubi__json_member_string(&w->json, "detachedness", k->detachedness == UBI_ATTACHED ? "attached" : "detached");
    }
    UBI_TRY(end_fragment(&fragment, w));
    return ubi__strtab_append(&w->fragments, &w->kind_fragment[kind], fragment);
}

static ubi_status make_name(line_writer *w, uint32_t *out, ubi_text_role role, ubi_str_ix name) {
    ubi_text fragment;
    begin_fragment(w);
    UBI_TRY(put_member(w, "name", role, ubi_graph_string(w->graph, name)));
    UBI_TRY(end_fragment(&fragment, w));
    return ubi__strtab_append(&w->fragments, out, fragment);
}

/* ---- header and frames ------------------------------------------------------------------------------------------ */

static ubi_status put_line(line_writer *w) {
    ubi_text line;
    UBI_TRY(end_fragment(&line, w));
    w->scratch.at[0] = '{';
    line.len++; /* the closing brace again */
    UBI_TRY(out_put(&w->out, line));
    UBI_TRY(out_reserve(&w->out, 1));
    ADD(w, "\n");
    return UBI_OK;
}

static void put_time(line_writer *w) {
    uint64_t time_us = w->options->time_us;
    bool is_known = w->options->has_time || ubi_graph_creation_time_us(w->graph, &time_us);
    ubi__json_member_u64_or_null(&w->json, "creationTimeUs", is_known, time_us);
}

static ubi_status put_header(line_writer *w) {
    const ubi_graph *g = w->graph;
    ubi__json *j = &w->json;
    begin_fragment(w);
    ubi__json_member_string(j, "schema", "ubiheap.jsonl/1");
    ubi__json_member_string(j, "record", "header");
    ubi__json_member_string(j, "format", ubi_graph_format_name(g));
    put_time(w);
    ubi__json_member_node_id(j, "rootId", ubi_graph_node_id(g, ubi_graph_root(g)));
    ubi__json_member_u64(j, "nodeCount", g->n_nodes);
    ubi__json_member_u64(j, "edgeCount", g->n_edges);
    ubi__json_member_u64(j, "frameCount", ubi_graph_frame_count(g));
    if (w->facts)
        w->facts->put_header(&w->line, g);
    return put_line(w);
}

static ubi_status put_frame(line_writer *w, ubi_frame_ix frame) {
    ubi_frame f;
    ubi_frame_ix parent = ubi_graph_frame_parent(w->graph, frame);
    ubi__json *j = &w->json;
    ubi_graph_frame(w->graph, frame, &f);
    begin_fragment(w);
    ubi__json_member_string(j, "record", "frame");
    ubi__json_member_u64(j, "frame", frame);
    if (parent != UBI_NONE)
        ubi__json_member_u64(j, "parent", parent);
    ubi__json_member_node_id(j, "id", f.id);
    UBI_TRY(put_member(w, "source", UBI_TEXT_FRAME_SOURCE, f.source));
    ubi__json_member_u64(j, "line", f.line);
    ubi__json_member_u64(j, "column", f.column);
    UBI_TRY(put_member(w, "functionDisplayName", UBI_TEXT_FRAME_FUNCTION, f.function_name));
    ubi__json_member_bool(j, "isSystem", f.is_system);
    ubi__json_member_bool(j, "isSelfHosted", f.is_self_hosted);
    if (w->facts)
        w->facts->put_frame(&w->line, w->graph, frame);
    return put_line(w);
}

/* Lines about what is neither frame nor node. */
static ubi_status put_other_lines(line_writer *w) {
    size_t n = w->facts ? w->facts->line_count(w->graph) : 0;
    for (size_t i = 0; i < n; i++) {
        begin_fragment(w);
        UBI_TRY(w->facts->put_line(&w->line, w->graph, i));
        UBI_TRY(put_line(w));
    }
    return UBI_OK;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------ */

/* What follows "to"; empty for edges whose producer does not say their kind. */
static const char *const edge_kinds[UBI_EDGE_KIND_COUNT] = {
    "",
    ",\"kind\":\"context\"",
    ",\"kind\":\"element\",\"index\":",
    ",\"kind\":\"property\"",
    ",\"kind\":\"internal\"",
    ",\"kind\":\"hidden\",\"index\":",
    ",\"kind\":\"shortcut\"",
    ",\"kind\":\"weak\"",
};

static ubi_status put_edge_name(line_writer *w, ubi_edge_kind kind, ubi_str_ix name) {
    UBI_ASSERT(w->field_fragment || ubi__edge_name_role(kind) != UBI_TEXT_FIELD_NAME);
    ubi_text_role role = ubi__edge_name_role(kind);
    uint32_t *fragment = role == UBI_TEXT_FIELD_NAME ? &w->field_fragment[name] : &w->name_fragment[name];
    if (ubi__unlikely(*fragment == UBI_NONE))
        UBI_TRY(make_name(w, fragment, role, name));
    UBI_TRY(out_put(&w->out, ubi__strtab_get(&w->fragments, *fragment)));
    return out_reserve(&w->out, 1);
}

static ubi_status put_edge_number(line_writer *w, ubi_edge_kind kind, uint32_t number) {
    if (kind == UBI_EDGE_ELEMENT)
        UBI_TRY(ubi__map_index(&number, w->options, number));
    out_add_digits(&w->out, number);
    return UBI_OK;
}

static ubi_status put_edge(line_writer *w, ubi_edge_ix e) {
    const ubi_graph *g = w->graph;
    ubi_edge_kind kind = ubi__graph_edge_kind(g, e);
    ADD(w, "{\"to\":");
    out_add_id(&w->out, g->id.at[g->target.at[e]]);
    out_add(&w->out, edge_kinds[kind], strlen(edge_kinds[kind]));
    if (ubi__edge_kind_is_numbered(kind))
        UBI_TRY(put_edge_number(w, kind, g->name.at[e]));
    else if (g->name.at[e] != UBI_NONE)
        UBI_TRY(put_edge_name(w, kind, g->name.at[e]));
    ADD(w, "}");
    return UBI_OK;
}

static ubi_status put_edges(line_writer *w, ubi_node_ix node) {
    const ubi_graph *g = w->graph;
    const ubi_edge_ix first = g->first_edge.at[node], end = g->first_edge.at[node + 1];
    for (ubi_edge_ix e = first; e < end; e++) {
        UBI_TRY(out_reserve(&w->out, PIECE_BYTES));
        if (e > first)
            ADD(w, ",");
        UBI_TRY(put_edge(w, e));
    }
    return UBI_OK;
}

/* Names of nodes are mostly different, so no fragment is kept. */
static ubi_status put_node_name(line_writer *w, ubi_node_ix node) {
    const ubi_graph *g = w->graph;
    ubi_text fragment = { NULL, 0 };
    begin_fragment(w);
    UBI_TRY(put_member(w, "name", ubi__node_name_role(g, &g->kinds.rows.at[g->kind.at[node]]),
                       ubi_graph_string(g, g->node_name.at[node])));
    UBI_TRY(end_fragment(&fragment, w));
    UBI_TRY(out_put(&w->out, fragment));
    return out_reserve(&w->out, PIECE_BYTES);
}

static ubi_status put_node_facts(line_writer *w, ubi_node_ix node) {
    ubi_text fragment = { NULL, 0 };
    begin_fragment(w);
    w->facts->put_node(&w->line, w->graph, node);
    UBI_TRY(end_fragment(&fragment, w));
    UBI_TRY(out_put(&w->out, fragment));
    return out_reserve(&w->out, PIECE_BYTES);
}

static ubi_status put_node(line_writer *w, ubi_node_ix node) {
    const ubi_graph *g = w->graph;
    ubi_kind_ix kind = g->kind.at[node];
    ubi_frame_ix stack = ubi__graph_youngest(g, node);
    if (ubi__unlikely(w->kind_fragment[kind] == UBI_NONE))
        UBI_TRY(make_kind(w, kind));
    UBI_TRY(out_reserve(&w->out, PIECE_BYTES));
    ADD(w, "{\"record\":\"node\",\"id\":");
    out_add_id(&w->out, g->id.at[node]);
    ADD(w, ",\"size\":");
    out_add_size(&w->out, g->size_bytes.at[node]);
    UBI_TRY(out_put(&w->out, ubi__strtab_get(&w->fragments, w->kind_fragment[kind])));
    UBI_TRY(out_reserve(&w->out, PIECE_BYTES));
    if (ubi__graph_node_name(g, node) != UBI_NONE)
        UBI_TRY(put_node_name(w, node));
    if (stack != UBI_NONE) {
        ADD(w, ",\"stack\":");
        out_add_digits(&w->out, stack);
    }
    if (w->facts && w->facts->knows_node(g, node))
        UBI_TRY(put_node_facts(w, node));
    ADD(w, ",\"edges\":[");
    UBI_TRY(put_edges(w, node));
    UBI_TRY(out_reserve(&w->out, 3));
    ADD(w, "]}\n");
    return UBI_OK;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static ubi_status write_lines(line_writer *w) {
    UBI_TRY(put_header(w));
    for (ubi_frame_ix i = 0; i < ubi_graph_frame_count(w->graph); i++)
        UBI_TRY(put_frame(w, i));
    UBI_TRY(put_other_lines(w));
    for (ubi_node_ix i = 0; i < w->graph->n_nodes; i++) {
        UBI_TRY(put_node(w, i));
        w->out.n_done++;
    }
    UBI_ASSERT(ubi__strtab_count(&w->fragments) <=
               w->graph->kinds.rows.n + 2 * (uint64_t)ubi_graph_string_count(w->graph)); /* each is made once */
    return out_drain(&w->out);
}

static ubi_status new_index(uint32_t **out, uint32_t n, const ubi_allocator *a) {
    *out = ubi__alloc_array(a, (size_t)n + 1, sizeof **out); /* + 1: never empty */
    if (!*out)
        return ubi__fail_nomem();
    memset(*out, 0xff, ((size_t)n + 1) * sizeof **out);
    return UBI_OK;
}

static ubi_status writer_init(line_writer *w) {
    UBI_TRY(out_init(&w->out, w->allocator));
    UBI_TRY(new_index(&w->kind_fragment, ubi_graph_kind_count(w->graph), w->allocator));
    UBI_TRY(new_index(&w->name_fragment, ubi_graph_string_count(w->graph), w->allocator));
    if (!w->graph->edge_kind.n)
        return UBI_OK;
    return new_index(&w->field_fragment, ubi_graph_string_count(w->graph), w->allocator);
}

static void writer_fini(line_writer *w) {
    const ubi_allocator *a = w->allocator;
    out_fini(&w->out, a);
    ubi__free_array(a, w->kind_fragment, (size_t)ubi_graph_kind_count(w->graph) + 1, sizeof *w->kind_fragment);
    ubi__free_array(a, w->name_fragment, (size_t)ubi_graph_string_count(w->graph) + 1, sizeof *w->name_fragment);
    ubi__free_array(a, w->field_fragment, (size_t)ubi_graph_string_count(w->graph) + 1, sizeof *w->field_fragment);
    ubi__strtab_fini(&w->fragments);
    ubi__vec_u8_fini(&w->scratch, a);
}

static ubi_status save_jsonl(const ubi__save_subject *what, const ubi_save_options *options, ubi__write_fn write,
                             void *payload, ubi_save_info *info) {
    const ubi_graph *g = what->graph;
    line_writer w = { .graph = g, .facts = ubi__line_facts_of(g), .options = options };
    w.out = (line_out){ .write = write, .payload = payload, .progress = options->progress, .n_total = g->n_nodes };
    w.line = (ubi__line){ &w.json, put_value, &w };
    w.allocator = ubi__allocator_or_default(options->allocator);
    w.info = (ubi_save_info){ .node_count = g->n_nodes, .edge_count = g->n_edges };
    w.info.string_count = ubi_graph_string_count(g);
    w.info.frame_count = ubi_graph_frame_count(g);
    ubi__strtab_init(&w.fragments, w.allocator);
    ubi_status status = writer_init(&w);
    if (status == UBI_OK)
        status = write_lines(&w);
    writer_fini(&w);
    w.info.stream_bytes = w.out.n_written;
    *info = w.info;
    return status;
}

const ubi__save_format ubi__save_format_jsonl = {
    .about = { "jsonl", ".jsonl", "one JSON object per line: for jq, databases and scripts; ubiheap does not read it" },
    .save = save_jsonl,
};
