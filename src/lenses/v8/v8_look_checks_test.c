/* SPDX-License-Identifier: MIT
 *
 * v8_look_checks_test.c: the invariants of what V8's lens knows of a heap are seen when they break.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ubiheap/core/formats.h>

#include "damage.h"
#include "lenses/v8/v8_look.h"

static void check_look(void *payload) {
    ubi__v8_look_check(payload);
}

static void a_damaged_look_is_seen(void **state) {
    (void)state;
    ubi_graph *g;
    ubi_look *look;
    assert_int_equal(ubi_graph_read_path(&g, "tests/data/v8/chromium-detached.heapsnapshot.gz", NULL, NULL), UBI_OK);
    assert_int_equal(ubi_look_open(&look, ubi_lens_find("v8"), g, NULL), UBI_OK);
    ubi__v8_look *own = look->own;
    assert_true(own->renamed.n);
    assert_true(own->interfaces.rows.n > 0);
    ubi__v8_look_check(look);
    uint64_t edge = g->first_edge.at[g->root + 1]; /* of another node */
    ubi__vec_u64 edges = own->user_root_edges;
    uint64_t *sizes = own->size_bytes, a_size = 0;
    own->user_root_edges = (ubi__vec_u64){ &edge, 1, 1 };
    own->size_bytes = &a_size;
    own->distance[g->root] = UBI_LOOK_SYSTEM_DISTANCE;
    assert_damage_seen(check_look, look, "e < g->first_edge.at[g->root + 1]");
    own->user_root_edges = edges;
    assert_damage_seen(check_look, look, "!own->size_bytes == !own->user_root_edges.n");
    own->size_bytes = sizes;
    assert_damage_seen(check_look, look, "own->distance[g->root] ==");
    own->distance[g->root] = edges.n ? UBI_LOOK_SYSTEM_DISTANCE : 0;
    ubi__v8_look_check(look);
    own->renamed.at[0].text.len--;
    assert_damage_seen(check_look, look, "row->text.len == strlen(");
    own->renamed.at[0].text.len++;
    own->interfaces.rows.at[0].first_property++;
    assert_damage_seen(check_look, look, "row->first_property == n_properties");
    own->interfaces.rows.at[0].first_property--;
    uint32_t n_pairs = own->n_pairs;
    own->n_pairs = (uint32_t)own->ephemerons.n + 1;
    assert_damage_seen(check_look, look, "own->n_pairs <= own->ephemerons.n");
    own->n_pairs = n_pairs;
    ubi_look_close(look);
    ubi_graph_unref(g);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_damaged_look_is_seen) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
