/* SPDX-License-Identifier: MIT
 *
 * plain_look.c: see plain_look.h.
 */
#include "plain_look.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "lenses/v8/v8_look.h"
#include "random_v8_heap.h"

plain plain_open(uint64_t seed) {
    plain p = { .n = 0 };
    random_start(seed);
    p.g = random_v8_heap(PLAIN_MAX_NODES);
    p.n = ubi_graph_node_count(p.g);
    assert_int_equal(ubi_look_open(&p.look, ubi_lens_find("v8"), p.g, NULL), UBI_OK);
    assert_int_equal(ubi_look_distances(p.distance, p.look), UBI_OK);
    return p;
}

void plain_close(plain *p) {
    ubi_look_close(p->look);
    ubi_graph_unref(p->g);
}

bool plain_name_is(const plain *p, ubi_node_ix node, const char *name) {
    return ubi__text_is(ubi__v8_node_raw_name(p->look, node), name);
}

bool plain_name_starts(const plain *p, ubi_node_ix node, const char *start) {
    ubi_text name = ubi__v8_node_raw_name(p->look, node);
    return name.len >= strlen(start) && memcmp(name.ptr, start, strlen(start)) == 0;
}

ubi_node_ix plain_field(const plain *p, ubi_node_ix node, const char *name) {
    for (ubi_edge_ix e = ubi_graph_first_edge(p->g, node); e < ubi_graph_first_edge(p->g, node + 1); e++)
        if (ubi_graph_edge_kind(p->g, e) == UBI_EDGE_INTERNAL &&
            ubi__text_is(ubi_graph_string(p->g, ubi_graph_edge_name(p->g, e)), name))
            return ubi_graph_edge_target(p->g, e);
    return UBI_NONE;
}

void plain_assert_passing(const plain *p, const char *filter, const ubi_look_options *options) {
    uint64_t bits[PLAIN_MAX_NODES / 64 + 1];
    assert_int_equal(ubi_look_filter_apply(bits, p->look, filter, options), UBI_OK);
    for (ubi_node_ix node = 0; node < p->n; node++)
        assert_int_equal(bits[node / 64] >> (node % 64) & 1, p->passes[node]);
}
