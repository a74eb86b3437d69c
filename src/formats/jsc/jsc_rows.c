/* SPDX-License-Identifier: MIT
 *
 * jsc_rows.c: sections of the file; nodes, edges and roots into columns (jsc_reader.h).
 *
 * In files of type Inspector, a node is four numbers, and rows come in batches. GCDebugging has three more values per node, of
 * which two are addresses in quotes: those rows are read from the text, where a whole one is at hand without looking for the
 * end of the window.
 */
#include "base/text.h"
#include "formats/jsc/jsc_reader.h"

#define NODE_NUMBERS 4
#define EDGE_NUMBERS 4
#define ROOT_NUMBERS 3

/* ---- sections --------------------------------------------------------------------------------------------------------- */

const char *const ubi__jsc_section_names[UBI__JSC_SECTION_COUNT] = {
    [UBI__JSC_VERSION] = "version",      [UBI__JSC_FILE_TYPE] = "type",
    [UBI__JSC_NODES] = "nodes",          [UBI__JSC_CLASS_NAMES] = "nodeClassNames",
    [UBI__JSC_EDGES] = "edges",          [UBI__JSC_EDGE_TYPES] = "edgeTypes",
    [UBI__JSC_EDGE_NAMES] = "edgeNames", [UBI__JSC_ROOTS] = "roots",
    [UBI__JSC_LABELS] = "labels",
};

ubi__jsc_section ubi__jsc_section_of(ubi_text key) {
    for (int i = 0; i < UBI__JSC_SECTION_COUNT; i++)
        if (ubi__text_is(key, ubi__jsc_section_names[i]))
            return (ubi__jsc_section)i;
    return UBI__JSC_NO_SECTION;
}

void ubi__jsc_enter(ubi__jsc_reader *r, ubi__jsc_section section) {
    r->section = section;
    r->scan.section = section == UBI__JSC_NO_SECTION ? NULL : ubi__jsc_section_names[section];
}

/* ---- nodes ------------------------------------------------------------------------------------------------------------ */

typedef struct node_row {
    uint64_t size_bytes, address, wrapped;
    uint32_t id, class_name, flags, label;
} node_row;

static ubi_status nodes_grow(ubi__jsc_reader *r, size_t n) {
    const ubi_allocator *a = r->allocator;
    ubi_graph *g = r->graph;
    if (g->id.n + n > UBI_GRAPH_MAX_NODES)
        return ubi__fail(UBI_ELIMIT, "more than 2^32-2 nodes");
    UBI_TRY(UBI__SCAN_GROW(&r->file_id, n, 0, a));
    UBI_TRY(UBI__SCAN_GROW(&r->flags, n, 0, a));
    UBI_TRY(UBI__SCAN_GROW(&g->size_bytes, n, 0, a));
    UBI_TRY(UBI__SCAN_GROW(&g->kind, n, 0, a));
    if (r->facts->is_debugging)
        UBI_TRY(UBI__SCAN_GROW(&g->node_name, n, 0, a));
    return UBI__SCAN_GROW(&g->id, n, 0, a);
}

/* There is room. */
static void node_add(ubi__jsc_reader *r, const node_row *row) {
    ubi_graph *g = r->graph;
    r->file_id.at[r->file_id.n++] = row->id;
    r->flags.at[r->flags.n++] = (uint8_t)(row->flags % UBI__JSC_FLAGS);
    g->size_bytes.at[g->size_bytes.n++] = row->size_bytes;
    g->kind.at[g->kind.n++] = row->class_name;
    g->id.at[g->id.n++] = r->facts->is_debugging ? row->address : row->id;
    r->max_class = row->class_name > r->max_class ? row->class_name : r->max_class;
}

static ubi_status nodes_take_slowly(ubi__jsc_reader *r, size_t n) {
    for (size_t i = 0; i < n; i++) {
        node_row row = { 0 };
        UBI_TRY(ubi__rows_u32(&r->rows, i, 0, &row.id));
        UBI_TRY(ubi__rows_u64(&r->rows, i, 1, &row.size_bytes));
        UBI_TRY(ubi__rows_u32(&r->rows, i, 2, &row.class_name));
        UBI_TRY(ubi__rows_u32(&r->rows, i, 3, &row.flags));
        node_add(r, &row);
    }
    return UBI_OK;
}

static ubi_status nodes_take(void *payload) {
    ubi__jsc_reader *r = payload;
    const uint32_t *in = r->rows.numbers.at;
    size_t n = r->rows.numbers.n / NODE_NUMBERS;
    UBI_TRY(nodes_grow(r, n));
    if (r->rows.numbers.n_wide)
        UBI_TRY(nodes_take_slowly(r, n));
    else
        for (size_t i = 0; i < n; i++, in += NODE_NUMBERS)
            node_add(r, &(node_row){ .id = in[0], .size_bytes = in[1], .class_name = in[2], .flags = in[3] });
    ubi__rows_taken(&r->rows, n * NODE_NUMBERS);
    return UBI_OK;
}

/* ---- nodes with addresses --------------------------------------------------------------------------------------------- */

/* No longer than this, or it is read byte by byte. */
#define USUAL_ROW_BYTES 192

/* 1 to 10 digits and a comma at p. NULL: something else, or a number that does not fit. */
static const uint8_t *usual_number(const uint8_t *p, uint32_t *out) {
    uint64_t value = 0;
    const uint8_t *start = p;
    for (; ubi__is_digit((char)*p) && p - start < 10; p++)
        value = value * 10 + (uint64_t)(*p - '0');
    *out = (uint32_t)value;
    return p > start && *p == ',' && value < UINT32_MAX && !(*start == '0' && p - start > 1) ? p + 1 : NULL;
}

/* "0x7f0012345678" at p. */
static const uint8_t *usual_address(const uint8_t *p, uint64_t *out) {
    int digit;
    size_t n = 0;
    if (p[0] != '"' || p[1] != '0' || p[2] != 'x')
        return NULL;
    *out = 0;
    for (p += 3; (digit = ubi__hex_digit((char)*p)) >= 0 && n < 16; p++, n++)
        *out = *out << 4 | (uint64_t)digit;
    return n && *p == '"' ? p + 1 : NULL;
}

/* A row as the engine writes it, all of which is at hand. False: nothing was taken. */
static bool row_take_usual(ubi__scan_window *w, node_row *row) {
    uint32_t size;
    const uint8_t *p = w->at;
    if (w->end - p < USUAL_ROW_BYTES || !(p = usual_number(p, &row->id)) || !(p = usual_number(p, &size)) ||
        !(p = usual_number(p, &row->class_name)) || !(p = usual_number(p, &row->flags)) ||
        !(p = usual_number(p, &row->label)) || !(p = usual_address(p, &row->address)) || *p != ',' ||
        !(p = usual_address(p + 1, &row->wrapped)))
        return false;
    row->size_bytes = size;
    w->at = p;
    return true;
}

static ubi_status next_value(ubi__jsc_reader *r) {
    return ubi__scan_expect(&r->scan, ',', "',' and the rest of a node's seven values");
}

static ubi_status next_u32(ubi__jsc_reader *r, uint32_t *out) {
    uint64_t value;
    uint8_t c;
    UBI_TRY(ubi__scan_peek(&r->scan, &c, "a number"));
    uint64_t offset = ubi__scan_offset(&r->scan, r->scan.window.at);
    UBI_TRY(ubi__scan_count(&r->scan, &value));
    if (value > UINT32_MAX)
        return ubi__scan_fail_at(&r->scan, offset, "%llu is out of range, expected a whole number from 0 to 2^32-1",
                                 (unsigned long long)value);
    *out = (uint32_t)value;
    return UBI_OK;
}

static ubi_status next_address(ubi__jsc_reader *r, uint64_t *out) {
    ubi_text text;
    uint8_t c;
    UBI_TRY(next_value(r));
    UBI_TRY(ubi__scan_peek(&r->scan, &c, "an address in quotes"));
    uint64_t offset = ubi__scan_offset(&r->scan, r->scan.window.at);
    if (c != '"')
        return ubi__scan_fail_expected(&r->scan, "an address in quotes");
    UBI_TRY(ubi__scan_name(&r->scan, &text));
    bool fits = text.len > 2 && text.len <= 18 && text.ptr[0] == '0' && text.ptr[1] == 'x';
    *out = 0;
    for (size_t i = 2; fits && i < text.len; i++) {
        int digit = ubi__hex_digit(text.ptr[i]);
        fits = digit >= 0;
        *out = *out << 4 | (uint64_t)(digit & 15);
    }
    return fits ? UBI_OK : ubi__scan_fail_at(&r->scan, offset, "expected an address such as \"0x7f0012345678\"");
}

static ubi_status row_take_slowly(ubi__jsc_reader *r, node_row *row) {
    UBI_TRY(next_u32(r, &row->id));
    UBI_TRY(next_value(r));
    UBI_TRY(ubi__scan_count(&r->scan, &row->size_bytes));
    UBI_TRY(next_value(r));
    UBI_TRY(next_u32(r, &row->class_name));
    UBI_TRY(next_value(r));
    UBI_TRY(next_u32(r, &row->flags));
    UBI_TRY(next_value(r));
    UBI_TRY(next_u32(r, &row->label));
    UBI_TRY(next_address(r, &row->address));
    return next_address(r, &row->wrapped);
}

static ubi_status row_add(ubi__jsc_reader *r, const node_row *row) {
    ubi_graph *g = r->graph;
    UBI_TRY(nodes_grow(r, 1));
    if (row->wrapped)
        UBI_TRY(ubi__vec_jsc_wrapped_push(&r->facts->wrapped, r->allocator,
                                          (ubi__jsc_wrapped){ (ubi_node_ix)g->id.n, row->wrapped }));
    g->node_name.at[g->node_name.n++] = row->label;
    r->max_label = row->label > r->max_label ? row->label : r->max_label;
    node_add(r, row);
    return UBI_OK;
}

static ubi_status nodes_read_debugging(ubi__jsc_reader *r) {
    bool more;
    UBI_TRY(ubi__scan_expect(&r->scan, '[', "an array of nodes"));
    for (bool first = true;; first = false) {
        node_row row = { 0 };
        UBI_TRY(ubi__scan_next_item(&r->scan, ']', first, &more));
        if (!more)
            return UBI_OK;
        if (!row_take_usual(&r->scan.window, &row))
            UBI_TRY(row_take_slowly(r, &row));
        UBI_TRY(row_add(r, &row));
    }
}

ubi_status ubi__jsc_read_nodes(ubi__jsc_reader *r) {
    ubi__rows_array array = { .stride = NODE_NUMBERS, .expected = "a number", .take = nodes_take, .payload = r };
    return r->facts->is_debugging ? nodes_read_debugging(r) : ubi__rows_read(&r->rows, &array);
}

/* ---- edges ------------------------------------------------------------------------------------------------------------ */

static ubi_status edges_grow(ubi__jsc_reader *r, size_t n) {
    const ubi_allocator *a = r->allocator;
    ubi_graph *g = r->graph;
    if (g->target.n + n > UBI_GRAPH_MAX_EDGES)
        return ubi__fail(UBI_ELIMIT, "more than 2^40 edges");
    UBI_TRY(UBI__SCAN_GROW(&r->from, n, 0, a));
    UBI_TRY(UBI__SCAN_GROW(&g->target, n, 0, a));
    UBI_TRY(UBI__SCAN_GROW(&g->name, n, 0, a));
    return UBI__SCAN_GROW(&g->edge_kind, n, 0, a);
}

/* Returns the largest number of a type. */
static uint32_t edges_copy(ubi__jsc_reader *r, const uint32_t *restrict in, size_t n) {
    ubi_graph *g = r->graph;
    uint32_t *restrict from = r->from.at + r->from.n, *restrict target = g->target.at + g->target.n;
    uint32_t *restrict name = g->name.at + g->name.n, max_type = 0;
    uint8_t *restrict kind = g->edge_kind.at + g->edge_kind.n;
    for (size_t i = 0; i < n; i++, in += EDGE_NUMBERS) {
        from[i] = in[0];
        target[i] = in[1];
        kind[i] = (uint8_t)in[2];
        name[i] = in[3];
        max_type = in[2] > max_type ? in[2] : max_type;
    }
    return max_type;
}

static ubi_status edges_check(ubi__jsc_reader *r, size_t n) {
    uint32_t value;
    for (size_t i = 0; i < n; i++)
        for (uint32_t place = 0; place < EDGE_NUMBERS; place++) {
            UBI_TRY(ubi__rows_u32(&r->rows, i, place, &value));
            if (place == 2 && value >= UBI__JSC_MAX_EDGE_TYPES)
                return ubi__rows_fail(&r->rows, i * EDGE_NUMBERS + place,
                                      "edge type %u is out of range, expected a number of one of \"edgeTypes\"", value);
        }
    return UBI_OK;
}

static ubi_status edges_take(void *payload) {
    ubi__jsc_reader *r = payload;
    ubi_graph *g = r->graph;
    size_t n = r->rows.numbers.n / EDGE_NUMBERS;
    UBI_TRY(edges_grow(r, n));
    uint32_t max_type = n ? edges_copy(r, r->rows.numbers.at, n) : 0;
    if (r->rows.numbers.n_wide || max_type >= UBI__JSC_MAX_EDGE_TYPES)
        UBI_TRY(edges_check(r, n)); /* what is wide and passes is 2^32-1, as which it was copied */
    r->max_edge_type = max_type > r->max_edge_type ? max_type : r->max_edge_type;
    r->from.n += n;
    g->target.n = g->name.n = g->edge_kind.n = r->from.n;
    ubi__rows_taken(&r->rows, n * EDGE_NUMBERS);
    return UBI_OK;
}

ubi_status ubi__jsc_read_edges(ubi__jsc_reader *r) {
    ubi__rows_array array = { .stride = EDGE_NUMBERS, .expected = "a number", .take = edges_take, .payload = r };
    return ubi__rows_read(&r->rows, &array);
}

/* ---- roots ------------------------------------------------------------------------------------------------------------ */

static ubi_status roots_take(void *payload) {
    ubi__jsc_reader *r = payload;
    size_t n = r->rows.numbers.n / ROOT_NUMBERS;
    UBI_TRY(ubi__vec_jsc_root_row_reserve(&r->root_rows, r->allocator, n));
    for (size_t i = 0; i < n; i++) {
        ubi__jsc_root_row *row = &r->root_rows.at[r->root_rows.n];
        UBI_TRY(ubi__rows_u32(&r->rows, i, 0, &row->id));
        UBI_TRY(ubi__rows_u32(&r->rows, i, 1, &row->reason));
        UBI_TRY(ubi__rows_u32(&r->rows, i, 2, &row->reachability));
        r->root_rows.n++;
    }
    ubi__rows_taken(&r->rows, n * ROOT_NUMBERS);
    return UBI_OK;
}

ubi_status ubi__jsc_read_roots(ubi__jsc_reader *r) {
    ubi__rows_array array = { .stride = ROOT_NUMBERS, .expected = "a number", .take = roots_take, .payload = r };
    return ubi__rows_read(&r->rows, &array);
}
