/* SPDX-License-Identifier: MIT
 *
 * joined.c: texts of concatenations in bounded time and memory.
 *
 * Two observations keep chains from costing the square of their length. Where one half is empty, the text is that of the
 * other half; where the first half alone is long enough, the text is that of the first half. Such concatenations point at the
 * string whose text theirs is (`same`). Those that are left have two halves that are not empty and a first half that is
 * short, so less than 1,024 of them make up one text.
 */
#include "lenses/joined.h"

#include "base/text.h"

/* Stage of progress. */
#define STAGE "joining strings"

enum { NEW, OPEN, DONE };

uint32_t ubi__utf16_units(ubi_text text, uint32_t most) {
    uint32_t units = 0;
    size_t end = text.len < 3 * (size_t)most ? text.len : 3 * (size_t)most; /* a unit has three bytes at most */
    size_t i = 0;
    for (uint64_t word; i + 8 <= end && units < most; i += 8, units += 8) { /* ASCII */
        memcpy(&word, text.ptr + i, 8);
        if (word & UINT64_C(0x8080808080808080))
            break;
    }
    for (; i < end && units < most; i++) {
        uint8_t byte = (uint8_t)text.ptr[i];
        units += (byte & 0xc0) != 0x80;
        units += byte >= 0xf0; /* a pair of surrogates */
    }
    return units < most ? units : most;
}

static bool is_rope(const ubi__joined *joined, ubi_node_ix node) {
    const ubi_graph *g = joined->graph;
    return g->kinds.rows.at[g->kind.at[node]].raw_type == joined->rope_type;
}

static ubi_text own_text(const ubi_graph *g, ubi_node_ix node) {
    ubi_text text = ubi_graph_string(g, ubi__graph_node_name(g, node));
    return text.ptr ? text : (ubi_text){ "", 0 };
}

/* ---- finding them --------------------------------------------------------------------------------------------------- */

/* The last edges of these names, up to where both were found; node 0 is none, as in DevTools. */
static void find_halves(ubi__rope *cons, const ubi_graph *g, ubi__rope_names names) {
    ubi_edge_ix e = g->first_edge.at[cons->node], end = g->first_edge.at[cons->node + 1];
    for (; e < end && (cons->first.node == UBI_NONE || cons->second.node == UBI_NONE); e++) {
        ubi_node_ix target = g->target.at[e] == 0 ? UBI_NONE : g->target.at[e];
        if (ubi__graph_edge_kind(g, e) != UBI_EDGE_INTERNAL)
            continue;
        ubi_str_ix name = ubi__strtab_canonical(&g->strings, g->name.at[e]);
        if (name != UBI_NONE && name == names.first)
            cons->first.node = target;
        else if (name != UBI_NONE && name == names.second)
            cons->second.node = target;
    }
}

static uint32_t row_of(const ubi__joined *joined, ubi_node_ix node) {
    size_t low = 0, high = joined->cons.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (joined->cons.at[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < joined->cons.n && joined->cons.at[low].node == node ? (uint32_t)low : UBI_NONE;
}

static void find_row(ubi__rope_part *part, const ubi__joined *joined) {
    if (part->node != UBI_NONE && is_rope(joined, part->node))
        part->row = row_of(joined, part->node);
}

static ubi_status find_all(ubi__joined *out, ubi__rope_names names, ubi__pulse *pulse, const ubi_allocator *a) {
    static const ubi__rope_part none = { UBI_NONE, UBI_NONE };
    const ubi_graph *g = out->graph;
    for (ubi_node_ix node = 0; node < g->n_nodes; node++) {
        if (ubi__unlikely(node % UBI__PULSE_NODES == 0) && !ubi__pulse_at(pulse, STAGE, node, g->n_nodes))
            return ubi__fail_cancelled();
        if (!is_rope(out, node))
            continue;
        ubi__rope cons = { node, none, none, none, 0, NEW, false };
        find_halves(&cons, g, names);
        UBI_TRY(ubi__vec_rope_push(&out->cons, a, cons));
    }
    for (size_t i = 0; i < out->cons.n; i++) {
        if (ubi__unlikely(i % UBI__PULSE_NODES == 0) && !ubi__pulse_at(pulse, STAGE, i, out->cons.n))
            return ubi__fail_cancelled();
        find_row(&out->cons.at[i].first, out);
        find_row(&out->cons.at[i].second, out);
    }
    return UBI_OK;
}

/* ---- lengths, halves before wholes ---------------------------------------------------------------------------------- */

/* The row of a half that is still to be measured, or UBI_NONE. A half that is being measured lies on a cycle: it goes. */
static uint32_t part_is_unmeasured(const ubi__joined *joined, ubi__rope_part *half) {
    uint8_t state = half->row == UBI_NONE ? DONE : joined->cons.at[half->row].state;
    if (state == OPEN)
        *half = (ubi__rope_part){ UBI_NONE, UBI_NONE };
    return state == NEW ? half->row : UBI_NONE;
}

static uint32_t units_of(const ubi__joined *joined, ubi__rope_part part) {
    if (part.row != UBI_NONE)
        return joined->cons.at[part.row].units;
    return part.node == UBI_NONE ? 0 : ubi__utf16_units(own_text(joined->graph, part.node), UBI_STRINGS_JOINED_UNITS);
}

static ubi__rope_part rope_resolve(const ubi__joined *joined, ubi__rope_part part) {
    if (part.row == UBI_NONE || joined->cons.at[part.row].same.node == UBI_NONE)
        return part;
    return joined->cons.at[part.row].same;
}

static void ropes_measure(ubi__rope *cons, const ubi__joined *joined) {
    uint32_t first = units_of(joined, cons->first), second = units_of(joined, cons->second), units = first + second;
    cons->units = (uint16_t)(units < UBI_STRINGS_JOINED_UNITS ? units : UBI_STRINGS_JOINED_UNITS);
    cons->is_flat = first == 0 || second == 0;
    if (cons->first.node != UBI_NONE && (second == 0 || first >= UBI_STRINGS_JOINED_UNITS))
        cons->same = rope_resolve(joined, cons->first);
    else if (cons->second.node != UBI_NONE && first == 0)
        cons->same = rope_resolve(joined, cons->second);
    cons->state = DONE;
}

static ubi_status measure_from(ubi__joined *joined, ubi__vec_u32 *stack, uint32_t row, const ubi_allocator *a) {
    joined->cons.at[row].state = OPEN;
    UBI_TRY(ubi__vec_u32_push(stack, a, row));
    while (stack->n) {
        ubi__rope *top = &joined->cons.at[stack->at[stack->n - 1]];
        uint32_t next = part_is_unmeasured(joined, &top->first);
        if (next == UBI_NONE)
            next = part_is_unmeasured(joined, &top->second);
        if (next == UBI_NONE) {
            ropes_measure(top, joined);
            stack->n--;
            continue;
        }
        joined->cons.at[next].state = OPEN;
        UBI_TRY(ubi__vec_u32_push(stack, a, next));
    }
    return UBI_OK;
}

static ubi_status measure_all(ubi__joined *joined, ubi__pulse *pulse, const ubi_allocator *a) {
    ubi__vec_u32 stack = { 0 }; /* rows, all OPEN */
    ubi_status status = UBI_OK;
    for (uint32_t row = 0; status == UBI_OK && row < joined->cons.n; row++)
        if (ubi__unlikely(row % UBI__PULSE_NODES == 0) && !ubi__pulse_at(pulse, STAGE, row, joined->cons.n))
            status = ubi__fail_cancelled();
        else if (joined->cons.at[row].state == NEW)
            status = measure_from(joined, &stack, row, a);
    ubi__vec_u32_fini(&stack, a);
    return status;
}

ubi_status ubi__joined_init(ubi__joined *out, const ubi_graph *graph, ubi__rope_names names, ubi__pulse *pulse,
                            const ubi_allocator *a) {
    *out = (ubi__joined){ .graph = graph, .rope_type = names.rope_type };
    UBI_TRY(find_all(out, names, pulse, a));
    UBI_TRY(measure_all(out, pulse, a));
    ubi__joined_check(out);
    return UBI_OK;
}

static void check_part(const ubi__joined *joined, ubi__rope_part part) {
    UBI_ASSERT(part.row == UBI_NONE || joined->cons.at[part.row].node == part.node);
    UBI_ASSERT(part.row != UBI_NONE || part.node == UBI_NONE || part.node < joined->graph->n_nodes);
}

void ubi__joined_check(const ubi__joined *joined) {
    for (size_t i = 0; UBI_CHECKS && i < joined->cons.n; i++) {
        const ubi__rope *rope = &joined->cons.at[i];
        UBI_ASSERT(i == 0 || joined->cons.at[i - 1].node < rope->node);
        UBI_ASSERT(is_rope(joined, rope->node));
        UBI_ASSERT(rope->state == DONE && rope->units <= UBI_STRINGS_JOINED_UNITS);
        check_part(joined, rope->first);
        check_part(joined, rope->second);
        check_part(joined, rope->same);
        UBI_ASSERT(rope->same.row == UBI_NONE || joined->cons.at[rope->same.row].same.node == UBI_NONE);
        UBI_ASSERT(!rope->is_flat || rope->units == 0 || rope->same.node != UBI_NONE);
    }
}

void ubi__joined_fini(ubi__joined *joined, const ubi_allocator *a) {
    ubi__vec_rope_fini(&joined->cons, a);
}

/* ---- texts ---------------------------------------------------------------------------------------------------------- */

_Static_assert(UBI_STRINGS_JOINED_UNITS * 3 + UBI__ROPE_PART_BYTES <= sizeof(ubi_look_name_buffer),
               "all parts but the last have less than 1,024 units of at most three bytes");

typedef struct text_maker {
    char *bytes;
    size_t n, room;
    uint32_t units;
} text_maker;

static void text_append(text_maker *m, ubi_text part) {
    size_t n = part.len;
    if (n > UBI__ROPE_PART_BYTES) {
        n = UBI__ROPE_PART_BYTES;
        while (n && ((uint8_t)part.ptr[n] & 0xc0) == 0x80)
            n--;
    }
    n = n < m->room - m->n ? n : m->room - m->n; /* bytes that are no text have no units */
    memcpy(m->bytes + m->n, part.ptr, n);
    m->n += n;
    m->units += ubi__utf16_units(part, UBI_STRINGS_JOINED_UNITS);
}

/*
 * The stack holds second halves of what has been begun. Those of one first half have a unit at least each and less than 1,024
 * together, and so do those of a second half that is taken up when nothing else is left. Steps are counted: in an index that is forged,
 * a text may be its own half.
 */
#define MOST_STEPS (4 * UBI_STRINGS_JOINED_UNITS)

static ubi_text rope_join(const ubi__joined *joined, ubi__rope_part whole, ubi_look_name_buffer *buffer) {
    ubi__rope_part stack[2 * UBI_STRINGS_JOINED_UNITS];
    size_t n = 0;
    text_maker m = { buffer->bytes, 0, sizeof buffer->bytes, 0 };
    stack[n++] = whole;
    for (uint32_t step = 0; step < MOST_STEPS && n && m.units < UBI_STRINGS_JOINED_UNITS; step++) {
        ubi__rope_part top = rope_resolve(joined, stack[--n]);
        if (top.row == UBI_NONE) {
            text_append(&m, own_text(joined->graph, top.node));
            continue;
        }
        /* Without `same` and not empty, both halves have a text. */
        const ubi__rope *cons = &joined->cons.at[top.row];
        if (cons->units == 0 || n + 2 > sizeof stack / sizeof *stack)
            continue;
        stack[n++] = cons->second;
        stack[n++] = cons->first;
    }
    return (ubi_text){ m.bytes, m.n };
}

static ubi_text text_of(const ubi__joined *joined, ubi__rope_part part, ubi_look_name_buffer *buffer) {
    part = rope_resolve(joined, part);
    return part.row == UBI_NONE ? own_text(joined->graph, part.node) : rope_join(joined, part, buffer);
}

ubi_text ubi__joined_text(const ubi__joined *joined, ubi_node_ix node, ubi_look_name_buffer *buffer) {
    ubi__rope_part part = { node, UBI_NONE };
    find_row(&part, joined);
    return text_of(joined, part, buffer);
}

ubi_text ubi__joined_row_text(const ubi__joined *joined, uint32_t row, ubi_look_name_buffer *buffer) {
    return text_of(joined, (ubi__rope_part){ joined->cons.at[row].node, row }, buffer);
}
