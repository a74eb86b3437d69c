/* SPDX-License-Identifier: MIT
 *
 * v8_chain_test.h: a heap of V8's that is one path, for tests of its words. Include after cmocka.h.
 */
#ifndef UBI_RENDER_V8_CHAIN_TEST_H
#define UBI_RENDER_V8_CHAIN_TEST_H

#include <string.h>

#include <ubiheap/core/graph.h>

#include "base/text.h"
#include "formats/v8/v8_types.h"

/* One node of a path and the edge to the next. */
typedef struct v8_step {
    ubi__v8_type type;
    const char *name;
    ubi_edge_kind kind;
    const char *edge; /* or, of numbered kinds, */
    uint32_t number;
} v8_step;

static inline ubi_str_ix v8_chain_string(ubi_graph_builder *b, const char *text) {
    ubi_str_ix out;
    assert_int_equal(ubi_graph_builder_string(b, &out, ubi__text(text)), UBI_OK);
    return out;
}

static inline ubi_kind v8_chain_kind(ubi_graph_builder *b, const v8_step *s) {
    ubi_kind kind = { v8_chain_string(b, ubi__v8_type_name(s->type)),
                      UBI_NONE,
                      UBI_NONE,
                      UBI_NONE,
                      UBI_COARSE_OTHER,
                      (uint8_t)s->type,
                      0 };
    if (s->type == UBI__V8_OBJECT && strncmp(s->name, "system / ", 9) != 0) {
        kind.coarse_type = UBI_COARSE_OBJECT;
        kind.class_name = v8_chain_string(b, s->name);
    } else if (s->type == UBI__V8_CLOSURE) {
        kind.coarse_type = UBI_COARSE_OBJECT;
        kind.class_name = v8_chain_string(b, "Function");
    }
    return kind;
}

/** The steps one after the other, as a heap of V8's: node and edge i are steps[i]; the last has no edge. */
static inline ubi_graph *v8_chain(const v8_step *steps, uint32_t n) {
    ubi_graph_builder *b;
    ubi_graph *g;
    assert_int_equal(ubi_graph_builder_new(&b, NULL), UBI_OK);
    for (uint32_t i = 0; i < n; i++) {
        const v8_step *s = &steps[i];
        ubi_node_desc node = { .id = i, .size_bytes = 1, .kind = v8_chain_kind(b, s), .stack = UBI_NONE };
        assert_int_equal(ubi_graph_builder_node(b, &node), UBI_OK);
        assert_int_equal(ubi_graph_builder_node_name(b, v8_chain_string(b, s->name)), UBI_OK);
        if (i + 1 == n)
            break;
        if (s->kind == UBI_EDGE_ELEMENT || s->kind == UBI_EDGE_HIDDEN)
            assert_int_equal(ubi_graph_builder_numbered_edge(b, i + 1, s->kind, s->number), UBI_OK);
        else
            assert_int_equal(ubi_graph_builder_edge_of(b, i + 1, s->kind, v8_chain_string(b, s->edge)), UBI_OK);
    }
    assert_int_equal(ubi_graph_builder_finish(&g, b), UBI_OK);
    ubi_graph_builder_free(b);
    return g;
}

/* Steps that most paths have. */
#define ROOT                                                                                                           \
    { UBI__V8_SYNTHETIC, "", UBI_EDGE_SHORTCUT, "global", 0 }
#define GC_ROOT                                                                                                        \
    { UBI__V8_SYNTHETIC, "", UBI_EDGE_ELEMENT, NULL, 1 }
#define OBJECT(name, property)                                                                                         \
    { UBI__V8_OBJECT, name, UBI_EDGE_PROPERTY, property, 0 }
#define FIELD(type, name, field)                                                                                       \
    { type, name, UBI_EDGE_INTERNAL, field, 0 }
#define TARGET                                                                                                         \
    { UBI__V8_OBJECT, "Thing", UBI_EDGE_PROPERTY, NULL, 0 }

#endif
