/* SPDX-License-Identifier: MIT
 *
 * v8_hurt.c: .heapsnapshot files that are there to hurt: one long list, one large array, shapes that are all different,
 * strings that are nothing but escapes, strings of a mebibyte.
 */
#include "v8_heap.h"

#include <stdio.h>
#include <string.h>

enum { ROOT, GC_ROOTS, GLOBAL, FIRST };

/* Strings behind the dummy. */
enum {
    NAME_ELEMENTS = UBI__V8_STRING_MAP + 1,
    NAME_NEXT,
    NAME_GC_ROOTS,
    NAME_GLOBAL,
    NAME_OBJECT,
    NAME_ARRAY,
    FIRST_STRING
};

#define HUGE_PAGE 1024
#define HUGE_REPEATS 1024
#define SHAPE_PROPERTIES 2

static bool is_strings(const ubi__v8_heap *h) {
    return h->options->shape == UBI__SHAPE_V8_ESCAPED || h->options->shape == UBI__SHAPE_V8_HUGE;
}

static void row(const ubi__v8_heap *h, uint64_t node, ubi__v8_row *out) {
    static const struct {
        ubi__v8_type type;
        uint32_t name;
    } first[FIRST] = { { UBI__V8_SYNTHETIC, UBI__V8_STRING_EMPTY },
                       { UBI__V8_SYNTHETIC, NAME_GC_ROOTS },
                       { UBI__V8_OBJECT, NAME_GLOBAL } };
    out->id = 2 * node + 1;
    if (node < FIRST) {
        out->type = first[node].type;
        out->name = first[node].name;
        return;
    }
    out->type = is_strings(h) ? UBI__V8_STRING : UBI__V8_OBJECT;
    out->name = is_strings(h) ? (uint32_t)(FIRST_STRING + node - FIRST) : NAME_OBJECT;
    out->size_bytes = h->options->shape == UBI__SHAPE_V8_HUGE ? (uint64_t)HUGE_PAGE * HUGE_REPEATS : 32;
}

/* A list, or a number of things below the global object, which is an array then. */
static ubi_status global_edges(ubi__v8_heap *h) {
    if (h->options->shape == UBI__SHAPE_V8_LIST)
        return ubi__v8_put_edge(h, UBI_EDGE_PROPERTY, NAME_NEXT, FIRST);
    for (uint64_t i = FIRST; i < h->n_nodes; i++)
        UBI_TRY(ubi__v8_put_edge(h, UBI_EDGE_ELEMENT, i - FIRST, i));
    return UBI_OK;
}

static ubi_status edges(ubi__v8_heap *h, uint64_t node) {
    if (node == ROOT) {
        UBI_TRY(ubi__v8_put_edge(h, UBI_EDGE_ELEMENT, 1, GC_ROOTS));
        return ubi__v8_is_chromium(h) ? UBI_OK : ubi__v8_put_edge(h, UBI_EDGE_SHORTCUT, NAME_GLOBAL, GLOBAL);
    }
    if (node == GC_ROOTS)
        return ubi__v8_put_edge(h, UBI_EDGE_ELEMENT, 1, GLOBAL);
    if (node == GLOBAL)
        return global_edges(h);
    if (h->options->shape == UBI__SHAPE_V8_LIST && node + 1 < h->n_nodes)
        return ubi__v8_put_edge(h, UBI_EDGE_PROPERTY, NAME_NEXT, node + 1);
    for (uint64_t i = 0; h->options->shape == UBI__SHAPE_V8_SHAPES && i < SHAPE_PROPERTIES; i++)
        UBI_TRY(ubi__v8_put_edge(h, UBI_EDGE_PROPERTY, FIRST_STRING + (node - FIRST) * SHAPE_PROPERTIES + i, GLOBAL));
    return UBI_OK;
}

/* ---- strings ----------------------------------------------------------------------------------------------------- */

/* "\u20AC\u20AC..." and a number, so that no two are equal. */
static void escaped_text(uint64_t number, ubi__v8_text *out) {
    out->n = 0;
    out->repeats = 1;
    out->is_escaped = true;
    for (int i = 0; i < 16; i++) {
        uint64_t code = i < 8 ? 0x20ac : 0x4e00 + (number >> 4 * (i - 8) & 15);
        out->n +=
            (size_t)snprintf(out->bytes + out->n, sizeof out->bytes - out->n, "\\u%04llX", (unsigned long long)code);
    }
}

static void huge_text(uint64_t number, ubi__v8_text *out) {
    out->n = HUGE_PAGE;
    out->repeats = HUGE_REPEATS;
    out->is_escaped = false;
    memset(out->bytes, 'a' + (int)(number % 26), HUGE_PAGE);
    snprintf(out->bytes, sizeof out->bytes, "%015llu", (unsigned long long)number);
    out->bytes[15] = ' ';
}

static void string(const ubi__v8_heap *h, uint64_t string, ubi__v8_text *out) {
    static const char *const names[FIRST_STRING] = { "<dummy>",    "",       "map",    "elements", "next",
                                                     "(GC roots)", "global", "Object", "Array" };
    if (string < FIRST_STRING)
        ubi__v8_text_print(out, "%s", names[string]);
    else if (h->options->shape == UBI__SHAPE_V8_SHAPES)
        ubi__v8_identifier(out, string);
    else if (h->options->shape == UBI__SHAPE_V8_HUGE)
        huge_text(string, out);
    else
        escaped_text(string, out);
}

/* ---- size -------------------------------------------------------------------------------------------------------- */

/* Edges of n nodes, less those of the first ones, which are few. */
static uint64_t nodes_of(const ubi__v8_heap *h, uint64_t n_edges) {
    uint64_t per_node = h->options->shape == UBI__SHAPE_V8_SHAPES ? 1 + SHAPE_PROPERTIES : 1;
    uint64_t n_first = ubi__v8_is_chromium(h) ? 2 : 3;
    return n_edges < n_first ? 0 : FIRST + (n_edges - n_first) / per_node;
}

static ubi_status plan(ubi__v8_heap *h) {
    h->n_nodes = h->options->n_nodes ? h->options->n_nodes : nodes_of(h, h->options->n_edges);
    if (h->n_nodes <= FIRST)
        return ubi__fail(UBI_EINVAL, "the shape %s has at least %d nodes", ubi__shape_name(h->options->shape),
                         FIRST + 1);
    h->n_strings = FIRST_STRING;
    if (is_strings(h))
        h->n_strings += h->n_nodes - FIRST;
    else if (h->options->shape == UBI__SHAPE_V8_SHAPES)
        h->n_strings += (h->n_nodes - FIRST) * SHAPE_PROPERTIES;
    return UBI_OK;
}

const ubi__v8_shape ubi__v8_hurt = { plan, row, edges, string };
