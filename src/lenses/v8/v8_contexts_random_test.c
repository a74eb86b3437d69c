/* SPDX-License-Identifier: MIT
 *
 * v8_contexts_random_test.c: native contexts and statistics of random graphs against slow and obvious programs that were
 * written from the rules.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/views/native_contexts.h>
#include <ubiheap/views/statistics.h>

#include "fail_allocator.h"
#include "lenses/v8/v8_look.h"
#include "plain_look.h"
#include "random_numbers.h"

/* ---- native contexts --------------------------------------------------------------------------------------------- */

enum { NOBODY = -1, SHARED = -2 };

static bool is_native_context(const plain *p, ubi_node_ix node) {
    return plain_name_is(p, node, "system / NativeContext") ||
           plain_name_starts(p, node, "system / NativeContext / ") ||
           plain_name_is(p, node, "Detached system / NativeContext") ||
           plain_name_starts(p, node, "Detached system / NativeContext / ");
}

static int owner_by_map(const plain *p, ubi_node_ix node) {
    ubi_node_ix map = plain_field(p, node, "map"), maps_map = map == UBI_NONE ? UBI_NONE : plain_field(p, map, "map");
    for (ubi_edge_ix e = maps_map == UBI_NONE ? 1 : ubi_graph_first_edge(p->g, maps_map);
         e < (maps_map == UBI_NONE ? 0 : ubi_graph_first_edge(p->g, maps_map + 1)); e++)
        if (ubi_graph_edge_kind(p->g, e) == UBI_EDGE_INTERNAL &&
            ubi__text_is(ubi_graph_string(p->g, ubi_graph_edge_name(p->g, e)), "native_context") &&
            is_native_context(p, ubi_graph_edge_target(p->g, e)))
            return (int)ubi_graph_edge_target(p->g, e);
    return NOBODY;
}

static bool pass_owners_on(const plain *p, int *owner, const bool *fixed) {
    bool changed = false;
    for (ubi_node_ix node = 0; node < p->n; node++)
        for (ubi_edge_ix e = ubi_graph_first_edge(p->g, node); e < ubi_graph_first_edge(p->g, node + 1); e++) {
            ubi_node_ix target = ubi_graph_edge_target(p->g, e);
            ubi_edge_kind kind = ubi_graph_edge_kind(p->g, e);
            if (owner[node] == NOBODY || fixed[target] || kind == UBI_EDGE_WEAK || kind == UBI_EDGE_SHORTCUT)
                continue;
            int now = owner[target] == NOBODY || owner[target] == owner[node] ? owner[node] : SHARED;
            changed |= now != owner[target];
            owner[target] = now;
        }
    return changed;
}

static void plain_owners(const plain *p, int *owner) {
    bool fixed[PLAIN_MAX_NODES];
    for (ubi_node_ix node = 0; node < p->n; node++) {
        owner[node] = is_native_context(p, node) ? (int)node : owner_by_map(p, node);
        fixed[node] = owner[node] != NOBODY;
    }
    while (pass_owners_on(p, owner, fixed))
        ;
}

static void compare_contexts(const plain *p) {
    int owner[PLAIN_MAX_NODES];
    uint64_t shared_bytes = 0, other_bytes = 0, sums[PLAIN_MAX_NODES] = { 0 };
    ubi_native_contexts *contexts;
    plain_owners(p, owner);
    assert_int_equal(ubi_native_contexts_new(&contexts, p->look, NULL, NULL), UBI_OK);
    for (ubi_node_ix node = 0; node < p->n; node++) {
        uint32_t ours = ubi_native_contexts_of(contexts, node);
        uint64_t size_bytes = ubi_look_size_bytes(p->look, node);
        if (owner[node] < 0) {
            assert_int_equal(ours, owner[node] == SHARED ? UBI_NATIVE_CONTEXT_SHARED : UBI_NATIVE_CONTEXT_NONE);
            *(owner[node] == SHARED ? &shared_bytes : &other_bytes) += size_bytes;
        } else {
            assert_int_equal(ubi_native_contexts_at(contexts, ours)->node, owner[node]);
            sums[owner[node]] += size_bytes;
        }
    }
    assert_int_equal(ubi_native_contexts_shared_bytes(contexts), shared_bytes);
    assert_int_equal(ubi_native_contexts_unattributed_bytes(contexts), other_bytes);
    for (uint32_t i = 0; i < ubi_native_contexts_count(contexts); i++) {
        const ubi_native_context *row = ubi_native_contexts_at(contexts, i);
        assert_int_equal(row->attributed_bytes, sums[row->node]);
        assert_int_equal(row->size_bytes, ubi_look_size_bytes(p->look, row->node));
    }
    ubi_native_contexts_free(contexts);
}

/* Nodes of one native context, picked at random; those of no context if there is none. */
static void plain_attributed(plain *p, const char **filter, ubi_look_options *options) {
    int owner[PLAIN_MAX_NODES], wanted = random_below(2) ? SHARED : NOBODY;
    ubi_node_ix start = random_below(p->n);
    plain_owners(p, owner);
    for (uint32_t i = 0; i < p->n && random_below(8); i++)
        if (is_native_context(p, (start + i) % p->n))
            wanted = (int)((start + i) % p->n);
    *filter = wanted == SHARED ? "shared-contexts" : wanted == NOBODY ? "no-context" : "native-context";
    options->id_upto = wanted >= 0 ? ubi_graph_node_id(p->g, (ubi_node_ix)wanted) : 0;
    for (ubi_node_ix node = 0; node < p->n; node++)
        p->passes[node] = owner[node] == wanted;
}

/* ---- statistics -------------------------------------------------------------------------------------------------- */

static uint32_t count_retainers(const plain *p, ubi_node_ix node) {
    uint32_t n = 0;
    for (ubi_edge_ix e = 0; e < ubi_graph_edge_count(p->g); e++)
        n += ubi_graph_edge_target(p->g, e) == node;
    return n;
}

static void compare_statistics(const plain *p) {
    uint64_t code = 0, strings = 0, arrays = 0, typed = 0, system = 0, native = ubi_look_outside_bytes(p->look),
             total = native;
    ubi_statistics s = UBI_STATISTICS_INIT;
    for (ubi_node_ix node = 0; node < p->n; node++) {
        uint64_t size_bytes = ubi_look_size_bytes(p->look, node);
        ubi__v8_type type = ubi__v8_node_type(p->look, node);
        ubi_node_ix store = plain_name_is(p, node, "Array") ? plain_field(p, node, "elements") : UBI_NONE;
        total += size_bytes;
        if (type == UBI__V8_HIDDEN)
            system += size_bytes;
        else if (type == UBI__V8_NATIVE)
            native += size_bytes;
        else if (type == UBI__V8_CODE)
            code += size_bytes;
        else if (type == UBI__V8_STRING || type == UBI__V8_CONS_STRING || type == UBI__V8_SLICED_STRING)
            strings += size_bytes;
        else if (plain_name_is(p, node, "Array"))
            arrays += size_bytes +
                      (store != UBI_NONE && count_retainers(p, store) == 1 ? ubi_look_size_bytes(p->look, store) : 0);
        typed += type == UBI__V8_NATIVE && plain_name_is(p, node, "system / JSArrayBufferData") ? size_bytes : 0;
    }
    assert_int_equal(ubi_statistics_compute(&s, p->look, NULL), UBI_OK);
    const uint64_t expected[] = { code, strings, arrays, typed, system };
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(s.parts[i].size_bytes, expected[i]);
    assert_int_equal(s.total_bytes, total);
    assert_int_equal(s.native_bytes, native);
    uint64_t known = code + strings + arrays + system + native;
    assert_int_equal(s.parts[5].size_bytes, known < total ? total - known : 0);
    assert_int_equal(s.parts[6].size_bytes, native - typed);
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static void statistics_and_native_contexts(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < random_cases(4000); seed++) {
        plain p = plain_open(seed);
        ubi_look_options options = UBI_LOOK_OPTIONS_INIT;
        const char *filter;
        compare_statistics(&p);
        compare_contexts(&p);
        plain_attributed(&p, &filter, &options);
        plain_assert_passing(&p, filter, &options);
        plain_close(&p);
    }
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

static ubi_status compute(void *payload, const ubi_allocator *allocator) {
    const ubi_look *look = payload;
    ubi_statistics_options statistics_options = UBI_STATISTICS_OPTIONS_INIT;
    ubi_native_contexts_options context_options = UBI_NATIVE_CONTEXTS_OPTIONS_INIT;
    ubi_native_contexts *contexts;
    ubi_statistics statistics = UBI_STATISTICS_INIT;
    statistics_options.allocator = context_options.allocator = allocator;
    UBI_TRY(ubi_statistics_compute(&statistics, look, &statistics_options));
    UBI_TRY(ubi_native_contexts_new(&contexts, look, NULL, &context_options));
    ubi_native_contexts_free(contexts);
    return UBI_OK;
}

static void every_failed_allocation_has_a_way_out(void **state) {
    (void)state;
    plain p = plain_open(11);
    assert_true(fail_each_allocation(compute, p.look) > 2);
    plain_close(&p);
}

static bool refuse(void *payload, const char *stage, uint64_t done, uint64_t total) {
    (void)payload, (void)stage, (void)done, (void)total;
    return false;
}

static void statistics_can_be_cancelled(void **state) {
    (void)state;
    plain p = plain_open(11);
    ubi_statistics_options options = UBI_STATISTICS_OPTIONS_INIT;
    ubi_statistics statistics = UBI_STATISTICS_INIT;
    options.progress = (ubi_progress){ refuse, NULL };
    assert_int_equal(ubi_statistics_compute(&statistics, p.look, &options), UBI_ECANCELLED);
    plain_close(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics_and_native_contexts),
        cmocka_unit_test(every_failed_allocation_has_a_way_out),
        cmocka_unit_test(statistics_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
