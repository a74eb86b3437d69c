/* SPDX-License-Identifier: MIT
 *
 * session_pairs_test.c: a session that is looked at like another one: what is computed for the pair, how often, and how long it stays.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/extension/session.h>

#include "base/text.h"
#include "damage.h"
#include "drawing.h"
#include "fail_allocator.h"
#include "session/session_inside.h"

/* Of different programs: classes that are inferred from one are not those of the other. */
#define HEAP "tests/data/v8/chromium-detached.heapsnapshot.gz"
#define MODEL "tests/data/v8/node20-after.heapsnapshot.gz"

typedef struct pair {
    ubi_session_pool *pool;
    ubi_session *heap, *model;
} pair;

static pair pair_open(uint64_t limit_bytes) {
    ubi_session_pool_options options = UBI_SESSION_POOL_OPTIONS_INIT;
    pair p;
    options.limit_bytes = limit_bytes;
    assert_int_equal(ubi_session_pool_new(&p.pool, &options), UBI_OK);
    assert_int_equal(ubi_session_open_path(&p.heap, p.pool, HEAP, NULL), UBI_OK);
    assert_int_equal(ubi_session_open_path(&p.model, p.pool, MODEL, NULL), UBI_OK);
    return p;
}

static void pair_close(pair *p) {
    ubi__session_pool_check(p->pool);
    ubi_session_unref(p->heap);
    ubi_session_unref(p->model);
    ubi_session_pool_unref(p->pool);
}

static ubi_session_use *use_like(ubi_session *session, ubi_session *like) {
    ubi_session_use_options options = UBI_SESSION_USE_OPTIONS_INIT;
    ubi_session_use *use;
    options.like = like;
    assert_int_equal(ubi_session_use_begin(&use, session, &options), UBI_OK);
    return use;
}

static const ubi_look *look_of(ubi_session_use *use) {
    const ubi_look *look;
    assert_int_equal(ubi_session_look(&look, use), UBI_OK);
    return look;
}

/* Parts of that name whose key begins so. @param n_builds  of all of them; or NULL. */
static uint32_t parts_count(ubi_session *session, const char *name, const char *key, uint32_t *n_builds) {
    ubi_session_part_row row;
    uint32_t n = 0, builds = 0;
    for (size_t i = 0; ubi_session_part_at(&row, session, i); i++)
        if (strcmp(row.name, name) == 0 && strncmp(row.key, key, strlen(key)) == 0) {
            n++;
            builds += row.n_builds;
        }
    if (n_builds)
        *n_builds = builds;
    return n;
}

/* How many nodes have another class name. */
static uint64_t differences_count(const ubi_look *a, const ubi_look *b) {
    uint64_t n = 0;
    for (ubi_node_ix node = 0; node < ubi_graph_node_count(ubi_look_view(a)->graph); node++)
        n += !ubi__text_equal(ubi_look_node_name(a, node), ubi_look_node_name(b, node));
    return n;
}

/* ---- what is computed ------------------------------------------------------------------------------------------------ */

/* @param is_own_first  the heap's own look is there already, which knows all but the classes. */
static void assert_look_of_pair(bool is_own_first) {
    ubi_look_options options = UBI_LOOK_OPTIONS_INIT;
    pair p = pair_open(0);
    ubi_session_use *plain = use_like(p.heap, NULL), *use = use_like(p.heap, p.model), *model = use_like(p.model, NULL);
    ubi_look *expected;
    ubi_graph *graph;
    if (is_own_first)
        look_of(plain);
    options.like = look_of(model);
    assert_int_equal(ubi_session_graph(&graph, use), UBI_OK);
    assert_int_equal(ubi_look_open(&expected, NULL, graph, &options), UBI_OK);
    assert_int_equal(differences_count(look_of(use), expected), 0);
    assert_int_equal(parts_count(p.heap, "look", "", NULL), is_own_first ? 2 : 1);
    assert_true(differences_count(look_of(use), look_of(plain)) > 100);
    for (ubi_node_ix node = 0; node < ubi_graph_node_count(graph); node++)
        assert_int_equal(ubi_look_size_bytes(look_of(use), node), ubi_look_size_bytes(expected, node));
    ubi_look_close(expected);
    ubi_session_use_end(model);
    ubi_session_use_end(use);
    ubi_session_use_end(plain);
    pair_close(&p);
}

static void a_pair_has_the_look_that_the_lens_gives(void **state) {
    (void)state;
    assert_look_of_pair(false);
    assert_look_of_pair(true);
}

static void what_depends_on_the_look_is_computed_for_the_pair_once(void **state) {
    static const char *const names[] = { "look", "dominators with sets", "distances", "summary" };
    pair p = pair_open(0);
    const ubi_summary *plain = NULL, *first = NULL, *second = NULL;
    ubi_session_use *uses[] = { use_like(p.heap, NULL), use_like(p.heap, p.model), use_like(p.heap, p.model) };
    const ubi_dominators *dominators;
    uint32_t n_builds;
    (void)state;
    assert_int_equal(ubi_session_summary(&plain, uses[0]), UBI_OK);
    assert_int_equal(ubi_session_summary(&first, uses[1]), UBI_OK);
    assert_int_equal(ubi_session_summary(&second, uses[2]), UBI_OK);
    assert_ptr_equal(first, second);
    assert_ptr_not_equal(first, plain);
    assert_int_equal(ubi_session_dominators(&dominators, uses[2], false), UBI_OK);
    assert_int_equal(parts_count(p.heap, "dominators", "", NULL), 0); /* those with sets of the same pair serve */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(parts_count(p.heap, names[i], "like " MODEL, &n_builds), 1);
        assert_int_equal(n_builds, 1);
        assert_int_equal(parts_count(p.heap, names[i], "", NULL), 2);
    }
    assert_int_equal(parts_count(p.heap, "graph", "", &n_builds), 1);
    assert_int_equal(n_builds, 1);
    assert_int_equal(parts_count(p.model, "look", "", &n_builds), 1);
    assert_int_equal(n_builds, 1);
    for (size_t i = 0; i < 3; i++)
        ubi_session_use_end(uses[i]);
    pair_close(&p);
}

static void a_heap_is_like_itself(void **state) {
    pair p = pair_open(0);
    ubi_session_use *own = use_like(p.heap, NULL), *same = use_like(p.heap, p.heap);
    (void)state;
    assert_ptr_equal(look_of(own), look_of(same));
    ubi_session_use_end(own);
    ubi_session_use_end(same);
    pair_close(&p);
}

static void options_of_version_1_have_no_model(void **state) {
    ubi_session_use_options options = UBI_SESSION_USE_OPTIONS_INIT;
    pair p = pair_open(0);
    ubi_session_use *own = use_like(p.heap, NULL), *use;
    (void)state;
    options.version = 1;
    options.like = p.model; /* what comes after a struct of version 1 */
    assert_int_equal(ubi_session_use_begin(&use, p.heap, &options), UBI_OK);
    assert_ptr_equal(look_of(own), look_of(use));
    ubi_session_use_end(own);
    ubi_session_use_end(use);
    pair_close(&p);
}

static void sessions_of_two_pools_are_no_pair(void **state) {
    ubi_session_use_options options = UBI_SESSION_USE_OPTIONS_INIT;
    pair p = pair_open(0), other = pair_open(0);
    ubi_session_use *use = NULL;
    (void)state;
    options.like = other.model;
    assert_int_equal(ubi_session_use_begin(&use, p.heap, &options), UBI_EINVAL);
    assert_non_null(strstr(ubi_error_message(), "different pools"));
    assert_null(use);
    pair_close(&p);
    pair_close(&other);
}

/* ---- how long it stays ----------------------------------------------------------------------------------------------- */

static void each_may_be_the_model_of_the_other(void **state) {
    pair p = pair_open(0);
    ubi_session_use *use = use_like(p.heap, p.model), *reverse = use_like(p.model, p.heap);
    (void)state;
    look_of(use);
    look_of(reverse);
    ubi_session_unref(p.heap); /* uses hold both */
    ubi_session_unref(p.model);
    assert_true(ubi_look_class_count(look_of(use)) > 0);
    ubi_session_use_end(use);
    ubi_session_use_end(reverse);
    assert_int_equal(ubi_session_pool_held_bytes(p.pool), 0); /* and neither the other */
    assert_null(p.pool->sessions);
    ubi_session_pool_unref(p.pool);
}

static void looks_like_a_session_go_with_it(void **state) {
    pair p = pair_open(0);
    ubi_session_use *use = use_like(p.heap, p.model);
    const ubi_summary *summary;
    (void)state;
    assert_int_equal(ubi_session_summary(&summary, use), UBI_OK);
    ubi_session_use_end(use);
    ubi_session_use_end(use_like(p.heap, p.model));
    assert_int_equal(parts_count(p.heap, "summary", "like ", NULL), 1);
    ubi_session_unref(p.model);
    assert_int_equal(parts_count(p.heap, "summary", "", NULL), 0);
    assert_int_equal(parts_count(p.heap, "look", "", NULL), 0);
    assert_int_equal(parts_count(p.heap, "graph", "", NULL), 1);
    assert_int_equal(ubi_session_open_path(&p.model, p.pool, MODEL, NULL), UBI_OK);
    use = use_like(p.heap, p.model); /* another session, which may lie where the first one did */
    assert_int_equal(parts_count(p.heap, "look", "like ", NULL), 0);
    look_of(use);
    assert_int_equal(parts_count(p.heap, "look", "like ", NULL), 1);
    ubi_session_use_end(use);
    pair_close(&p);
}

static void what_was_dropped_is_computed_again(void **state) {
    pair p = pair_open(0);
    uint32_t n_classes = 0;
    (void)state;
    for (int i = 0; i < 2; i++) {
        ubi_session_use *use = use_like(p.heap, p.model);
        const ubi_look *look = look_of(use);
        assert_true(i == 0 || ubi_look_class_count(look) == n_classes);
        n_classes = ubi_look_class_count(look);
        ubi_session_pool_drop_unused(p.pool); /* the model's look, too */
        assert_ptr_equal(look_of(use), look);
        ubi_session_use_end(use);
        ubi_session_pool_drop_unused(p.pool);
        assert_int_equal(parts_count(p.heap, "look", "like ", NULL), 0);
        assert_int_equal(ubi_session_pool_held_bytes(p.pool), 0);
    }
    pair_close(&p);
}

static uint64_t bytes_with_looks(uint64_t limit_bytes) {
    pair p = pair_open(limit_bytes);
    for (int i = 0; i < 4; i++) {
        ubi_session_use *use = use_like(i % 2 ? p.heap : p.model, i % 2 ? p.model : p.heap);
        const ubi_dominators *dominators;
        assert_int_equal(ubi_session_dominators(&dominators, use, true), UBI_OK);
        ubi_session_use_end(use);
    }
    uint64_t peak_bytes = ubi_session_pool_peak_bytes(p.pool);
    pair_close(&p);
    return peak_bytes;
}

static void pairs_keep_the_limit(void **state) {
    uint64_t all_bytes = bytes_with_looks(0), limit_bytes = all_bytes / 4 * 3;
    (void)state;
    assert_true(bytes_with_looks(limit_bytes) <= limit_bytes + limit_bytes / 10);
}

/* ---- cancelled, without memory, damaged --------------------------------------------------------------------------------- */

static bool progress_countdown(void *payload, const char *stage, uint64_t done, uint64_t total) {
    uint32_t *n_left = payload;
    (void)stage, (void)done, (void)total;
    return (*n_left)-- > 0;
}

static void a_cancelled_look_can_be_asked_for_again(void **state) {
    pair p = pair_open(0);
    uint32_t n = 0, n_builds;
    (void)state;
    for (ubi_status status = UBI_ECANCELLED; status != UBI_OK; n++) {
        uint32_t n_left = n;
        ubi_session_use_options options = UBI_SESSION_USE_OPTIONS_INIT;
        ubi_session_use *use;
        const ubi_look *look;
        options.progress = (ubi_progress){ progress_countdown, &n_left };
        options.like = p.model;
        assert_int_equal(ubi_session_use_begin(&use, p.heap, &options), UBI_OK);
        status = ubi_session_look(&look, use);
        assert_true(status == UBI_OK || status == UBI_ECANCELLED);
        ubi_session_use_end(use);
    }
    assert_true(n > 2);
    assert_int_equal(parts_count(p.model, "look", "", &n_builds), 1);
    assert_int_equal(n_builds, 1); /* it was whole before the other began */
    pair_close(&p);
}

static ubi_status dominators_like(ubi_session *heap, ubi_session *model) {
    ubi_session_use_options options = UBI_SESSION_USE_OPTIONS_INIT;
    const ubi_dominators *dominators;
    ubi_session_use *use;
    options.like = model;
    UBI_TRY(ubi_session_use_begin(&use, heap, &options));
    ubi_status status = ubi_session_dominators(&dominators, use, false);
    ubi_session_use_end(use);
    return status;
}

static ubi_status dominators_with(void *graph, const ubi_allocator *allocator) {
    ubi_session_pool_options options = UBI_SESSION_POOL_OPTIONS_INIT;
    ubi_session_options one_thread = UBI_SESSION_OPTIONS_INIT;
    ubi_session_pool *pool;
    ubi_session *heap = NULL, *model = NULL;
    options.allocator = allocator;
    one_thread.threads = 1;
    UBI_TRY(ubi_session_pool_new(&pool, &options));
    ubi_status status = ubi_session_open_graph(&heap, pool, graph, "heap", &one_thread);
    if (status == UBI_OK)
        status = ubi_session_open_graph(&model, pool, graph, "model", &one_thread);
    if (status == UBI_OK)
        status = dominators_like(heap, model);
    ubi_session_unref(heap);
    ubi_session_unref(model);
    ubi_session_pool_unref(pool);
    return status;
}

static void every_allocation_may_fail(void **state) {
    ubi_graph *graph = graph_from_drawing("root -> a \"x\", b; a(class=A coarse=object) -> b;");
    (void)state;
    assert_true(fail_each_allocation(dominators_with, graph) > 10);
    ubi_graph_unref(graph);
}

static void check_pool(void *pool) {
    ubi__session_pool_check(pool);
}

static void damaged_pairs_are_seen(void **state) {
    pair p = pair_open(0);
    ubi_session_use *use = use_like(p.heap, p.model);
    (void)state;
    look_of(use);
    ubi__session_slot *slot = p.heap->slots; /* the graph, then the look */
    check_pool(p.pool);
    slot->like = 2;
    assert_damage_seen(check_pool, p.pool, "!slot->like || !slot->type->is_of_graph");
    slot->like = 0;
    slot = slot->next;
    slot->like = p.heap->number;
    assert_damage_seen(check_pool, p.pool, "slot->like != s->number");
    slot->like = 3;
    assert_damage_seen(check_pool, p.pool, "slot->like <= pool->n_numbers");
    slot->like = p.model->number;
    slot->parts->like = p.model;
    assert_damage_seen(check_pool, p.pool, "!slot->parts->like");
    slot->parts->like = NULL;
    p.heap->number = 3;
    assert_damage_seen(check_pool, p.pool, "s->number <= pool->n_numbers");
    p.heap->number = 1;
    ubi_session_use_end(use);
    pair_close(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_has_the_look_that_the_lens_gives),
        cmocka_unit_test(what_depends_on_the_look_is_computed_for_the_pair_once),
        cmocka_unit_test(a_heap_is_like_itself),
        cmocka_unit_test(options_of_version_1_have_no_model),
        cmocka_unit_test(sessions_of_two_pools_are_no_pair),
        cmocka_unit_test(each_may_be_the_model_of_the_other),
        cmocka_unit_test(looks_like_a_session_go_with_it),
        cmocka_unit_test(what_was_dropped_is_computed_again),
        cmocka_unit_test(pairs_keep_the_limit),
        cmocka_unit_test(a_cancelled_look_can_be_asked_for_again),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(damaged_pairs_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
