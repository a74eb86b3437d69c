/* SPDX-License-Identifier: MIT
 *
 * packed_heap.c: see packed_heap.h.
 */
#include "packed_heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/column_file_layout.h"
#include "formats/format.h"
#include "graph/graph_columns.h"
#include "graph_equal.h"

/* ---- packing --------------------------------------------------------------------------------------------------------- */

typedef struct sink {
    ubi__vec_u8 bytes;
    const ubi_allocator *allocator;
} sink;

static ubi_status sink_write(void *payload, const void *data, size_t n) {
    sink *s = payload;
    UBI_TRY(ubi__vec_u8_reserve(&s->bytes, s->allocator, n));
    memcpy(s->bytes.at + s->bytes.n, data, n);
    s->bytes.n += n;
    return UBI_OK;
}

static ubi_status all_pass(ubi__columns *c, void *payload) {
    packed_heap *h = payload;
    c->scope = "graph";
    UBI_TRY(ubi__format_pass(c, &h->graph));
    c->scope = "look";
    UBI_TRY(ubi__look_pass(c, &h->look, h->graph));
    c->scope = "dominators";
    UBI_TRY(ubi__dominators_pass(c, &h->dominators, ubi_look_view(h->look)));
    UBI_TRY(ubi__dominated_sets_pass(c, h->dominators));
    c->scope = "distances";
    size_t n = ubi_graph_node_count(h->graph);
    UBI_TRY(ubi__columns_array(c, "of nodes", (void **)&h->distances, &n, sizeof *h->distances, NULL));
    UBI_TRY(ubi__columns_expect(c, n == ubi_graph_node_count(h->graph), "of nodes"));
    c->scope = "retaining";
    UBI_TRY(ubi__retaining_pass(c, &h->retaining, h->look, h->distances));
    c->scope = "summary";
    return ubi__summary_pass(c, &h->summary, h->look, h->dominators, h->distances);
}

static void *needed(void *p, const char *what) {
    if (!p) {
        fprintf(stderr, "packed_heap: %s: %s\n", what, ubi_error_message());
        abort();
    }
    return p;
}

static void heap_compute(packed_heap *h, ubi_graph *graph) {
    h->graph = graph;
    if (ubi_look_open(&h->look, NULL, graph, NULL) != UBI_OK ||
        ubi_dominators_new(&h->dominators, ubi_look_view(h->look), NULL) != UBI_OK)
        needed(NULL, "the heap cannot be looked at");
    h->distances = needed(calloc(ubi_graph_node_count(graph) + (size_t)1, sizeof *h->distances), "memory");
    if (ubi_look_distances(h->distances, h->look) != UBI_OK)
        needed(NULL, "distances");
    if (ubi__retaining_new(&h->retaining, h->look, h->distances, NULL) != UBI_OK)
        needed(NULL, "retainers");
    ubi_summary_options options = UBI_SUMMARY_OPTIONS_INIT;
    options.distances = h->distances;
    if (ubi_summary_new(&h->summary, h->look, h->dominators, &options) != UBI_OK)
        needed(NULL, "the summary");
}

ubi_status columns_pack(packed_bytes *out, ubi_status (*pass)(ubi__columns *c, void *payload), void *payload,
                        const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    sink s = { { NULL, 0, 0 }, a };
    ubi__column_writer writer = { 0 };
    ubi__columns c = { .writer = &writer, .allocator = a };
    ubi_status status = ubi__column_writer_begin(&writer, sink_write, &s, "note", 4, a);
    if (status == UBI_OK)
        status = pass(&c, payload);
    if (status == UBI_OK)
        status = ubi__column_writer_end(&writer);
    if (status == UBI_OK)
        *out = packed_copy((packed_bytes){ s.bytes.at, s.bytes.n });
    ubi__column_writer_fini(&writer);
    ubi__vec_u8_fini(&s.bytes, a);
    return status;
}

ubi_status heap_pack(packed_bytes *out, ubi_graph *graph, const ubi_allocator *allocator) {
    packed_heap h = { 0 };
    heap_compute(&h, graph);
    ubi_status status = columns_pack(out, all_pass, &h, allocator);
    ubi_summary_free(h.summary);
    ubi_retaining_free(h.retaining);
    free(h.distances);
    ubi_dominators_free(h.dominators);
    ubi_look_close(h.look);
    return status;
}

packed_bytes packed_copy(packed_bytes from) {
    size_t room = (from.n + UBI__COLUMN_ALIGN_BYTES) / UBI__COLUMN_ALIGN_BYTES * UBI__COLUMN_ALIGN_BYTES;
    packed_bytes copy = { needed(aligned_alloc(UBI__COLUMN_ALIGN_BYTES, room), "memory"), from.n };
    if (from.n)
        memcpy(copy.at, from.at, from.n);
    return copy;
}

void packed_free(packed_bytes bytes) {
    free(bytes.at);
}

/* ---- unpacking ------------------------------------------------------------------------------------------------------- */

ubi_status heap_unpack(packed_heap *out, packed_bytes bytes, unsigned threads, const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    *out = (packed_heap){ 0 };
    UBI_TRY(ubi__column_file_of_memory(&out->file, bytes.at, bytes.n, a));
    ubi__column_memory_init(&out->memory, a, out->file);
    ubi__columns c = { .file = out->file, .allocator = &out->memory.allocator, .threads = threads };
    return all_pass(&c, out);
}

void heap_release(packed_heap *heap) {
    ubi_summary_free(heap->summary);
    ubi_retaining_free(heap->retaining);
    ubi_dominators_free(heap->dominators);
    ubi_look_close(heap->look);
    ubi_graph_unref(heap->graph);
    ubi__column_file_close(heap->file);
}

/* ---- sealing --------------------------------------------------------------------------------------------------------- */

static void blocks_seal(packed_bytes bytes, const ubi__column_row *row, uint64_t *checksums, uint64_t n_checksums) {
    if (row->offset_bytes > bytes.n || row->size_bytes > bytes.n - row->offset_bytes)
        return;
    for (size_t block = 0; block < ubi__column_blocks(row->size_bytes); block++) {
        uint64_t place = row->first_checksum + block;
        if (place >= n_checksums)
            return;
        checksums[place] = ubi__column_checksum(place, bytes.at + row->offset_bytes + block * UBI__COLUMN_BLOCK_BYTES,
                                                ubi__column_block_bytes(row->size_bytes, block));
    }
}

static void table_seal(packed_bytes bytes, ubi__column_trailer *t) {
    size_t room = bytes.n - sizeof *t;
    if (t->table_offset_bytes % UBI__COLUMN_ALIGN_BYTES || t->table_offset_bytes > room)
        return;
    room -= (size_t)t->table_offset_bytes;
    if (t->n_rows > room / sizeof(ubi__column_row) ||
        t->n_checksums > (room - t->n_rows * sizeof(ubi__column_row)) / sizeof(uint64_t))
        return;
    ubi__column_row *rows = (ubi__column_row *)(bytes.at + t->table_offset_bytes);
    uint64_t *checksums = (uint64_t *)(rows + t->n_rows);
    for (size_t i = 0; i < t->n_rows; i++)
        blocks_seal(bytes, &rows[i], checksums, t->n_checksums);
    t->table_checksum = ubi__column_checksum(t->n_rows * sizeof *rows, rows, t->n_rows * sizeof *rows);
    t->table_checksum = ubi__column_checksum(t->table_checksum, checksums, t->n_checksums * sizeof *checksums);
}

void packed_seal(packed_bytes bytes) {
    ubi__column_trailer t;
    if (bytes.n < sizeof(ubi__column_header) + sizeof t)
        return;
    ubi__column_header *header = (ubi__column_header *)bytes.at;
    header->checksum = ubi__column_checksum(0, header, offsetof(ubi__column_header, checksum));
    memcpy(&t, bytes.at + bytes.n - sizeof t, sizeof t);
    table_seal(bytes, &t);
    t.checksum = ubi__column_checksum(t.table_offset_bytes, &t, offsetof(ubi__column_trailer, checksum));
    memcpy(bytes.at + bytes.n - sizeof t, &t, sizeof t);
}

/* ---- what is in it --------------------------------------------------------------------------------------------------- */

static bool text_differs(ubi_text a, ubi_text b) {
    return a.len != b.len || (a.len && memcmp(a.ptr, b.ptr, a.len) != 0);
}

static const char *nodes_differ(const packed_heap *a, const packed_heap *b, ubi_node_ix node) {
    ubi_look_name_buffer first, second;
    uint32_t n, m;
    const ubi_node_ix *set = ubi_dominators_dominated(a->dominators, node, &n);
    const ubi_node_ix *other = ubi_dominators_dominated(b->dominators, node, &m);
    if (ubi_look_size_bytes(a->look, node) != ubi_look_size_bytes(b->look, node))
        return "sizes";
    if (ubi_look_class_of(a->look, node) != ubi_look_class_of(b->look, node))
        return "classes";
    if (ubi_look_detachedness(a->look, node) != ubi_look_detachedness(b->look, node))
        return "detachedness";
    if (text_differs(ubi_look_display_name(a->look, node, &first), ubi_look_display_name(b->look, node, &second)))
        return "names";
    if (ubi_dominators_immediate(a->dominators, node) != ubi_dominators_immediate(b->dominators, node))
        return "dominators";
    if (ubi_dominators_retained_bytes(a->dominators, node) != ubi_dominators_retained_bytes(b->dominators, node))
        return "retained sizes";
    if (n != m || (n && memcmp(set, other, n * sizeof *set) != 0))
        return "sets";
    return a->distances[node] != b->distances[node] ? "distances" : NULL;
}

static const char *retainers_differ(const packed_heap *a, const packed_heap *b, ubi_node_ix node) {
    uint64_t i = 0, j = 0;
    ubi_edge_ix first = 0, second = 0;
    bool has_first, has_second;
    do {
        has_first = ubi__retaining_next(&first, a->retaining, node, &i);
        has_second = ubi__retaining_next(&second, b->retaining, node, &j);
        if (has_first != has_second || first != second)
            return "retainers";
    } while (has_first);
    return ubi_retaining_distance(a->retaining, node) != ubi_retaining_distance(b->retaining, node)
               ? "distances of retainers"
               : NULL;
}

static const char *classes_differ(const packed_heap *a, const packed_heap *b) {
    if (ubi_look_class_count(a->look) != ubi_look_class_count(b->look))
        return "the number of classes";
    for (ubi_class_ix i = 0; i < ubi_look_class_count(a->look); i++) {
        ubi_look_class first, second;
        ubi_look_class_get(a->look, i, &first);
        ubi_look_class_get(b->look, i, &second);
        if (text_differs(first.name, second.name) || text_differs(first.place, second.place) ||
            first.coarse_type != second.coarse_type)
            return "a class";
    }
    return NULL;
}

static const char *summaries_differ(const ubi_summary *a, const ubi_summary *b) {
    if (a->n_counted != b->n_counted || a->size_bytes != b->size_bytes || a->rows.n != b->rows.n)
        return "sums";
    for (size_t i = 0; i < a->rows.n; i++) {
        const ubi_summary_row *r = &a->rows.at[i], *s = &b->rows.at[i];
        if (r->class_ix != s->class_ix || r->first != s->first || r->count != s->count || r->distance != s->distance ||
            r->n_unreached != s->n_unreached || r->size_bytes != s->size_bytes ||
            r->retained_bytes != s->retained_bytes)
            return "sums of a class";
    }
    return memcmp(a->counted, b->counted, a->n_words * sizeof *a->counted) == 0 ? NULL : "nodes that count";
}

static const char *edges_differ(const packed_heap *a, const packed_heap *b) {
    const ubi_view *first = ubi_look_view(a->look), *second = ubi_look_view(b->look);
    for (ubi_edge_ix e = 0; e < ubi_graph_edge_count(a->graph); e++)
        if (ubi__edge_set_has(first->edges, e) != ubi__edge_set_has(second->edges, e))
            return "the edges that count";
    if (first->n_first_edges != second->n_first_edges || first->n_weak_tables != second->n_weak_tables ||
        first->n_passing_roots != second->n_passing_roots)
        return "roots";
    return NULL;
}

static const char *ids_differ(const packed_heap *a, const packed_heap *b) {
    for (ubi_node_ix node = 0; node < ubi_graph_node_count(a->graph); node++) {
        ubi_node_ix first = UBI_NONE, second = UBI_NONE;
        uint64_t id = ubi_graph_node_id(a->graph, node);
        if (ubi_graph_find(&first, a->graph, id) != UBI_OK || ubi_graph_find(&second, b->graph, id) != UBI_OK ||
            first != second)
            return "what an id finds";
    }
    return NULL;
}

const char *packed_heaps_differ(const packed_heap *a, const packed_heap *b) {
    const char *what = graphs_differ(a->graph, b->graph);
    if (!what)
        what = classes_differ(a, b);
    for (ubi_node_ix node = 0; !what && node < ubi_graph_node_count(a->graph); node++)
        what = nodes_differ(a, b, node);
    for (ubi_node_ix node = 0; !what && node < ubi_graph_node_count(a->graph); node++)
        what = retainers_differ(a, b, node);
    if (!what)
        what = edges_differ(a, b);
    if (!what)
        what = summaries_differ(a->summary, b->summary);
    return what ? what : ids_differ(a, b);
}

static uint64_t text_visit(ubi_text text) {
    uint64_t sum = text.len;
    for (size_t i = 0; i < text.len; i++)
        sum = sum * 31 + (uint8_t)text.ptr[i];
    return sum;
}

static uint64_t node_visit(const packed_heap *h, ubi_node_ix node) {
    ubi_look_name_buffer buffer;
    ubi_node_ix found;
    ubi_frame frame;
    uint32_t n;
    uint64_t sum = text_visit(ubi_graph_string(h->graph, ubi_graph_node_name(h->graph, node)));
    const ubi_kind *kind = ubi_graph_kind(h->graph, ubi_graph_node_kind(h->graph, node));
    const ubi_node_ix *set = ubi_dominators_dominated(h->dominators, node, &n);
    sum += text_visit(ubi_graph_string(h->graph, kind->type_name)) + kind->coarse_type;
    sum += text_visit(ubi_look_display_name(h->look, node, &buffer));
    sum += text_visit(ubi_look_node_name(h->look, node)) + ubi_look_size_bytes(h->look, node);
    sum += (uint64_t)ubi_look_detachedness(h->look, node) + h->distances[node];
    sum += ubi_dominators_immediate(h->dominators, node) + ubi_dominators_retained_bytes(h->dominators, node);
    sum += ubi_graph_find(&found, h->graph, ubi_graph_node_id(h->graph, node)) == UBI_OK ? found : 0;
    for (uint32_t i = 0; i < n; i++)
        sum += ubi_graph_node_id(h->graph, set[i]);
    ubi_edge_ix edge;
    for (uint64_t i = 0; ubi__retaining_next(&edge, h->retaining, node, &i);)
        sum += ubi_graph_edge_source(h->graph, edge) + ubi_retaining_distance(h->retaining, node);
    if (ubi_graph_node_stack(h->graph, node) != UBI_NONE) {
        ubi_graph_frame(h->graph, ubi_graph_node_stack(h->graph, node), &frame);
        sum += text_visit(frame.source) + text_visit(frame.function_name) + frame.line;
    }
    return sum;
}

uint64_t packed_heap_visit(const packed_heap *h) {
    uint64_t sum = 0;
    for (ubi_node_ix node = 0; node < ubi_graph_node_count(h->graph); node++) {
        sum += node_visit(h, node);
        for (ubi_edge_ix e = ubi_graph_first_edge(h->graph, node); e < ubi_graph_first_edge(h->graph, node + 1); e++) {
            char digits[UBI_EDGE_LABEL_BYTES];
            sum += ubi_graph_node_id(h->graph, ubi_graph_edge_target(h->graph, e));
            sum += text_visit(ubi_graph_edge_label(h->graph, e, digits)) + ubi_graph_edge_kind(h->graph, e);
        }
    }
    for (ubi_str_ix i = 0; i < ubi_graph_string_count(h->graph); i++)
        sum += text_visit(ubi_graph_string(h->graph, ubi_graph_canonical_string(h->graph, i)));
    for (ubi_frame_ix i = 0; i < ubi_graph_frame_count(h->graph); i++)
        sum += ubi_graph_canonical_frame(h->graph, i) + ubi_graph_frame_parent(h->graph, i);
    for (ubi_class_ix i = 0; i < ubi_look_class_count(h->look); i++) {
        ubi_look_class class;
        ubi_look_class_get(h->look, i, &class);
        sum += text_visit(class.name) + text_visit(class.place) + class.coarse_type;
    }
    for (size_t i = 0; i < h->summary->rows.n; i++) {
        const ubi_summary_row *row = &h->summary->rows.at[i];
        sum += ubi_graph_node_id(h->graph, row->first) + ubi_look_class_of(h->look, row->first) + row->class_ix;
    }
    return sum;
}
