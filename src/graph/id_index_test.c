/* SPDX-License-Identifier: MIT
 *
 * id_index_test.c: ids to indices in both schemes, on every way from one to the other, against a sorted list.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fail_allocator.h"
#include "graph/id_index.h"

/* ---- a graph in ids ------------------------------------------------------------------------------------------------ */

#define BATCH_OF_BUILDER 1024

/* Ids of nodes by index, and ids of edge targets; and what comes of them. */
typedef struct world {
    ubi__vec_u64 nodes, targets;
    ubi__vec_u32 codes;
    ubi__id_index x;
    ubi__id_fault fault;
} world;

static const ubi_allocator *allocator(void) {
    return ubi_allocator_default();
}

static int set_up(void **state) {
    world *w = calloc(1, sizeof *w);
    ubi__id_index_init(&w->x, allocator());
    *state = w;
    return 0;
}

static int tear_down(void **state) {
    world *w = *state;
    ubi__id_index_fini(&w->x);
    ubi__vec_u64_fini(&w->nodes, allocator());
    ubi__vec_u64_fini(&w->targets, allocator());
    ubi__vec_u32_fini(&w->codes, allocator());
    free(w);
    return 0;
}

static void start_again(world *w) {
    ubi__id_index_fini(&w->x);
    ubi__id_index_init(&w->x, allocator());
    w->nodes.n = w->targets.n = w->codes.n = 0;
}

static void add_node(world *w, uint64_t id) {
    assert_int_equal(ubi__vec_u64_push(&w->nodes, allocator(), id), UBI_OK);
}

static void add_edge(world *w, uint64_t id) {
    assert_int_equal(ubi__vec_u64_push(&w->targets, allocator(), id), UBI_OK);
}

static uint64_t random_u64(void) {
    static uint64_t x = 88172645463325252;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return x;
}

/* Edges to n nodes picked at random. */
static void add_random_edges(world *w, size_t n) {
    for (size_t i = 0; i < n; i++)
        add_edge(w, w->nodes.at[random_u64() % w->nodes.n]);
}

static ubi_status encode(world *w, size_t batch) {
    assert_int_equal(ubi__vec_u32_reserve(&w->codes, allocator(), w->targets.n), UBI_OK);
    for (size_t i = 0; i < w->targets.n; i += batch) {
        size_t n = w->targets.n - i < batch ? w->targets.n - i : batch;
        UBI_TRY(ubi__id_index_encode(&w->x, w->targets.at + i, n, w->codes.at + i, w->codes.at, i));
    }
    w->codes.n = w->targets.n;
    return UBI_OK;
}

static ubi_status resolve(world *w, unsigned threads) {
    return ubi__id_index_resolve(&w->x, w->nodes.at, (uint32_t)w->nodes.n, w->codes.at, w->codes.n,
                                 (ubi__crew){ threads, NULL }, &w->fault);
}

/* ---- the plain answer ----------------------------------------------------------------------------------------------- */

typedef struct known {
    uint64_t id;
    ubi_node_ix node;
} known;

static int by_id(const void *a, const void *b) {
    uint64_t x = ((const known *)a)->id, y = ((const known *)b)->id;
    return x < y ? -1 : x > y;
}

static ubi_node_ix plain_find(const known *list, size_t n, uint64_t id) {
    known key = { id, 0 };
    const known *hit = bsearch(&key, list, n, sizeof *list, by_id);
    return hit ? hit->node : UBI_NONE;
}

static void assert_all_found(world *w) {
    size_t n = w->nodes.n;
    known *list = malloc(n * sizeof *list);
    for (size_t i = 0; i < n; i++)
        list[i] = (known){ w->nodes.at[i], (ubi_node_ix)i };
    qsort(list, n, sizeof *list, by_id);
    for (size_t i = 0; i < w->targets.n; i++)
        assert_int_equal(w->codes.at[i], plain_find(list, n, w->targets.at[i]));
    static const int64_t near[] = { 0, 1, -1, 8, -8, 4, 1 << 20, -(1 << 20), 1 << 17, INT64_MIN };
    for (size_t i = 0; i < n; i += n < 20000 ? 1 : 7)
        for (size_t k = 0; k < sizeof near / sizeof *near; k++) {
            uint64_t id = w->nodes.at[i] + (uint64_t)near[k];
            assert_int_equal(ubi__id_index_find(&w->x, w->nodes.at, id), plain_find(list, n, id));
        }
    for (int i = 0; i < 1000; i++) {
        uint64_t id = random_u64();
        assert_int_equal(ubi__id_index_find(&w->x, w->nodes.at, id), plain_find(list, n, id));
    }
    free(list);
}

static void assert_resolves(world *w, bool hashed) {
    assert_int_equal(encode(w, BATCH_OF_BUILDER), UBI_OK);
    assert_int_equal(resolve(w, 2), UBI_OK);
    assert_int_equal(w->fault.kind, UBI__ID_FAULT_NONE);
    assert_int_equal(w->x.is_hashed, hashed);
    assert_all_found(w);
}

/* ---- schemes -------------------------------------------------------------------------------------------------------- */

/* Nodes as a collector lays them out: `stride` apart, in stretches of a megabyte that lie far from each other. */
static void add_stretches(world *w, size_t n_stretches, size_t n_each, uint64_t stride) {
    for (size_t s = 0; s < n_stretches; s++)
        for (size_t i = 0; i < n_each; i++)
            add_node(w, UINT64_C(0x7f0000000000) + (s * 37 << 20) + i * stride);
}

static void addresses_in_stretches_are_clustered(void **state) {
    world *w = *state;
    add_stretches(w, 5, 20000, 16);
    add_random_edges(w, 50000);
    assert_resolves(w, false);
    assert_int_equal(w->x.shift, 3);
    assert_true(ubi__id_index_bytes(&w->x) <= w->nodes.n * 10 + 4096);
}

static void small_consecutive_ids_are_clustered_without_a_shift(void **state) {
    world *w = *state;
    for (uint64_t id = 1; id <= 30000; id++)
        add_node(w, id);
    add_random_edges(w, 50000);
    assert_resolves(w, false);
    assert_int_equal(w->x.shift, 0);
}

static void more_chunks_than_the_first_directory_has_room_for_stay_clustered(void **state) {
    world *w = *state;
    add_stretches(w, 150, 5600, 8);
    add_random_edges(w, 50000);
    assert_resolves(w, false);
}

static void ids_at_both_ends_of_the_range_are_clustered_too(void **state) {
    world *w = *state;
    for (uint64_t i = 0; i < 20000; i++) {
        add_node(w, i * 8);
        add_node(w, UINT64_MAX - 7 - i * 8);
        add_node(w, (UINT64_C(1) << 63) - i * 8 - 8);
        add_node(w, (UINT64_C(1) << 63) + i * 8);
    }
    add_random_edges(w, 50000);
    assert_resolves(w, false);
}

static void few_nodes_or_scattered_ones_are_hashed(void **state) {
    world *w = *state;
    add_stretches(w, 1, 100, 8);
    add_random_edges(w, 300);
    assert_resolves(w, true);
    start_again(w);
    for (int i = 0; i < 20000; i++)
        add_node(w, random_u64());
    add_random_edges(w, 50000);
    assert_resolves(w, true);
    assert_true(ubi__id_index_bytes(&w->x) <= w->nodes.n * 11);
}

static void the_border_between_the_schemes_is_what_bitmaps_cost(void **state) {
    world *w = *state;
    for (size_t n = 5461; n < 5463; n++) { /* one chunk of 32 KiB at 6 bytes per node */
        start_again(w);
        add_stretches(w, 1, n, 8);
        add_random_edges(w, 2000);
        assert_resolves(w, n < 5462);
    }
}

static void more_chunks_than_codes_have_room_for_switch_in_mid_stream(void **state) {
    world *w = *state;
    for (uint64_t i = 0; i < UBI__ID_MAX_CHUNKS + 2000; i++)
        add_node(w, i << 20);
    add_random_edges(w, 5000); /* hundreds of codes are given out before, and the rest in order */
    for (size_t i = 0; i < w->nodes.n; i++)
        add_edge(w, w->nodes.at[i]);
    assert_resolves(w, true);
}

static void exactly_as_many_chunks_as_there_is_room_for_stay_clustered_while_coding(void **state) {
    world *w = *state;
    for (uint64_t i = 0; i < UBI__ID_MAX_CHUNKS; i++)
        add_edge(w, i << 20);
    assert_int_equal(encode(w, BATCH_OF_BUILDER), UBI_OK);
    assert_false(w->x.is_hashed);
    uint64_t one_more = (uint64_t)UBI__ID_MAX_CHUNKS << 20;
    uint32_t code;
    assert_int_equal(ubi__id_index_encode(&w->x, &one_more, 1, &code, w->codes.at, w->codes.n), UBI_OK);
    assert_true(w->x.is_hashed);
    for (uint32_t i = 0; i < UBI__ID_MAX_CHUNKS; i++)
        assert_int_equal(w->codes.at[i], i); /* by first appearance */
    assert_int_equal(code, UBI__ID_MAX_CHUNKS);
}

static void an_unaligned_id_behind_aligned_ones_switches_in_mid_stream(void **state) {
    world *w = *state;
    for (size_t at = 0; at < 5000; at += 499) { /* in the first batch, in later ones, at their borders */
        start_again(w);
        add_stretches(w, 2, 9000, 8);
        add_node(w, 12345); /* odd */
        add_random_edges(w, 5000);
        for (size_t i = 0; i < 5000; i++)
            if (w->targets.at[i] == 12345)
                w->targets.at[i] = w->nodes.at[0];
        w->targets.at[at] = 12345;
        assert_resolves(w, at >= BATCH_OF_BUILDER); /* in the first batch it decides the shift */
    }
}

static void an_unaligned_node_that_no_edge_leads_to_switches_at_the_end(void **state) {
    world *w = *state;
    add_stretches(w, 2, 8000, 8);
    add_random_edges(w, 5000);
    add_node(w, 12345);
    assert_resolves(w, true);
}

static void batches_of_any_size_give_the_same(void **state) {
    world *w = *state;
    for (size_t batch = 1; batch < 4000; batch = batch * 3 + 1) {
        start_again(w);
        add_stretches(w, 2, 6000, 8);
        add_random_edges(w, 4000);
        add_node(w, 3);
        add_edge(w, 3);
        assert_int_equal(encode(w, batch), UBI_OK);
        assert_int_equal(resolve(w, 1), UBI_OK);
        assert_all_found(w);
    }
}

static void one_node_without_edges_is_enough(void **state) {
    world *w = *state;
    for (uint64_t id = 0; id < 3; id++) {
        start_again(w);
        add_node(w, id * 8 + id % 2);
        assert_int_equal(resolve(w, 1), UBI_OK);
        assert_all_found(w);
    }
}

static void random_ids_of_all_kinds_agree_with_a_sorted_list(void **state) {
    world *w = *state;
    for (int round = 0; round < 200; round++) {
        start_again(w);
        unsigned shift = (unsigned)(random_u64() % 60), align = (unsigned)(random_u64() % 5);
        size_t n = 1 + random_u64() % 300;
        uint64_t base = random_u64() << align;
        for (uint64_t i = 0; i < n; i++) /* different by construction: i in bits that the rest leaves alone */
            add_node(w, base + (((random_u64() >> shift) & ~UINT64_C(0x1ff)) << align) + (i << align));
        known *list = malloc(n * sizeof *list);
        for (size_t i = 0; i < n; i++)
            list[i] = (known){ w->nodes.at[i], 0 };
        qsort(list, n, sizeof *list, by_id);
        bool unique = true;
        for (size_t i = 1; i < n; i++)
            unique &= list[i].id != list[i - 1].id;
        free(list);
        if (!unique)
            continue;
        add_random_edges(w, random_u64() % 3000);
        assert_int_equal(encode(w, 1 + random_u64() % 2000), UBI_OK);
        assert_int_equal(resolve(w, 1 + (unsigned)round % 3), UBI_OK);
        assert_all_found(w);
    }
}

/* ---- faults ---------------------------------------------------------------------------------------------------------- */

/* n nodes of either scheme. */
static void add_nodes(world *w, bool hashed, size_t n) {
    start_again(w);
    add_stretches(w, 1, n, 8);
    if (hashed)
        w->nodes.at[1] = 5;
}

static void a_duplicate_id_is_blamed_on_the_second_node(void **state) {
    world *w = *state;
    for (int hashed = 0; hashed < 2; hashed++)
        for (size_t second = 1; second < 12000; second += 2999) {
            add_nodes(w, hashed, 12000);
            w->nodes.at[second] = w->nodes.at[second / 2];
            if (second + 10 < 12000)
                w->nodes.at[second + 10] = w->nodes.at[0]; /* a later one does not matter */
            add_random_edges(w, 100);
            add_edge(w, UINT64_C(1) << 40); /* dangling: the duplicate comes first */
            assert_int_equal(encode(w, 1000), UBI_OK);
            assert_int_equal(resolve(w, 2), UBI_EFORMAT);
            assert_int_equal(w->fault.kind, UBI__ID_FAULT_DUPLICATE);
            assert_int_equal(w->fault.node, second);
            assert_int_equal(w->fault.id, w->nodes.at[second]);
            assert_non_null(strstr(ubi_error_message(), "is used twice"));
        }
}

static void many_nodes_are_placed_by_several_threads(void **state) {
    world *w = *state;
    for (unsigned threads = 1; threads <= 4; threads++) {
        add_nodes(w, false, 300000);
        add_node(w, UINT64_C(5) << 40); /* in a chunk of its own, to which no edge leads */
        add_random_edges(w, 200000);
        assert_int_equal(encode(w, BATCH_OF_BUILDER), UBI_OK);
        assert_int_equal(resolve(w, threads), UBI_OK);
        assert_false(w->x.is_hashed);
        assert_all_found(w);
        for (size_t e = 0; e < w->codes.n; e++)
            assert_true(w->nodes.at[w->codes.at[e]] == w->targets.at[e]);
    }
}

static void the_first_dangling_edge_is_reported_whatever_the_threads(void **state) {
    world *w = *state;
    enum { N_EDGES = 300000 };
    for (int hashed = 0; hashed < 2; hashed++)
        for (unsigned threads = 1; threads <= 5; threads += 2) {
            static const size_t firsts[] = { 0, 65535, 65536, 150000, N_EDGES - 1 };
            for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++) {
                add_nodes(w, hashed, 12000);
                uint64_t near = w->nodes.at[11999] + 8, far = UINT64_C(1) << 40; /* in a known chunk, and in none */
                add_random_edges(w, N_EDGES);
                w->targets.at[N_EDGES - 1] = near;
                w->targets.at[firsts[i]] = i % 2 ? near : far;
                assert_int_equal(encode(w, BATCH_OF_BUILDER), UBI_OK);
                assert_int_equal(resolve(w, threads), UBI_EFORMAT);
                assert_int_equal(w->fault.kind, UBI__ID_FAULT_DANGLING);
                assert_int_equal(w->fault.edge, firsts[i]);
                assert_int_equal(w->fault.id, i % 2 ? near : far);
                assert_non_null(strstr(ubi_error_message(), "which is no node"));
            }
        }
}

/* ---- out of memory ---------------------------------------------------------------------------------------------------- */

static ubi_status run_with(const ubi_allocator *a, world *w) {
    ubi__id_index x;
    ubi__id_fault fault;
    ubi_status status = UBI_OK;
    ubi__id_index_init(&x, a);
    for (size_t i = 0; i < w->targets.n && status == UBI_OK; i += 500)
        status = ubi__id_index_encode(&x, w->targets.at + i, 500, w->codes.at + i, w->codes.at, i);
    if (status == UBI_OK)
        status = ubi__id_index_resolve(&x, w->nodes.at, (uint32_t)w->nodes.n, w->codes.at, w->targets.n,
                                       (ubi__crew){ 1, NULL }, &fault);
    ubi__id_index_fini(&x);
    return status;
}

static void every_refused_allocation_is_out_of_memory_without_a_leak(void **state) {
    world *w = *state;
    for (int variant = 0; variant < 3; variant++) { /* clustered, hashed from the middle on, hashed at the end */
        start_again(w);
        add_stretches(w, 3, 6000, 8);
        add_random_edges(w, 3000);
        if (variant > 0)
            add_node(w, 7);
        if (variant == 1)
            w->targets.at[1700] = 7;
        assert_int_equal(ubi__vec_u32_reserve(&w->codes, allocator(), w->targets.n), UBI_OK);
        for (uint64_t n_allowed = 0;; n_allowed += FAIL_ALLOCATOR_STEP) {
            fail_allocator f;
            fail_allocator_init(&f, n_allowed / 2);
            f.once = n_allowed % 2;
            ubi_status status = run_with(&f.allocator, w);
            bool refused = f.n_refused > 0;
            fail_allocator_fini(&f);
            if (status == UBI_OK) { /* also when nothing but giving spare memory back was refused */
                for (size_t i = 0; i < w->targets.n; i++)
                    assert_int_equal(w->nodes.at[w->codes.at[i]], w->targets.at[i]);
                if (!refused)
                    break;
                continue;
            }
            assert_int_equal(status, UBI_ENOMEM);
            assert_string_equal(ubi_error_message(), "out of memory");
            assert_in_range(n_allowed, 0, 200);
        }
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(addresses_in_stretches_are_clustered),
        TEST(small_consecutive_ids_are_clustered_without_a_shift),
        TEST(more_chunks_than_the_first_directory_has_room_for_stay_clustered),
        TEST(ids_at_both_ends_of_the_range_are_clustered_too),
        TEST(few_nodes_or_scattered_ones_are_hashed),
        TEST(the_border_between_the_schemes_is_what_bitmaps_cost),
        TEST(more_chunks_than_codes_have_room_for_switch_in_mid_stream),
        TEST(exactly_as_many_chunks_as_there_is_room_for_stay_clustered_while_coding),
        TEST(an_unaligned_id_behind_aligned_ones_switches_in_mid_stream),
        TEST(an_unaligned_node_that_no_edge_leads_to_switches_at_the_end),
        TEST(batches_of_any_size_give_the_same),
        TEST(one_node_without_edges_is_enough),
        TEST(random_ids_of_all_kinds_agree_with_a_sorted_list),
        TEST(a_duplicate_id_is_blamed_on_the_second_node),
        TEST(many_nodes_are_placed_by_several_threads),
        TEST(the_first_dangling_edge_is_reported_whatever_the_threads),
        TEST(every_refused_allocation_is_out_of_memory_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
