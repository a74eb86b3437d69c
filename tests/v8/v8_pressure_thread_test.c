/* SPDX-License-Identifier: MIT
 *
 * v8_pressure_thread_test.c: reading .heapsnapshot files under pressure: memory that runs out at any request, callers that
 * change their mind, and memory that stays near what the graph needs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <ubiheap/core/formats.h>

#include "fail_allocator.h"
#include "plain_v8.h"
#include "v8_equal.h"

typedef struct input {
    char *bytes;
    size_t size;
    unsigned threads;
} input;

/* All that a file can have, in few bytes. */
static const char snapshot[] =
    "\"snapshot\":{\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\",\"edge_count\",\"trace_node_id\","
    "\"detachedness\"],\"node_types\":[[\"synthetic\",\"object\",\"closure\",\"code\",\"native\",\"string\"],\"x\"],"
    "\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],\"edge_types\":[[\"element\",\"property\",\"internal\","
    "\"weak\"],\"x\"],\"location_fields\":[\"object_index\",\"script_id\",\"line\",\"column\"],"
    "\"scope_fields\":[\"script_node_index\",\"scope_id\",\"depth\",\"scope_context_vars_count\",\"scope_uses_count\"],"
    "\"scope_context_var_fields\":[\"name\"],\"scope_use_fields\":[\"declaring_scope_id\",\"slot_index\"]},"
    "\"node_count\":7,\"edge_count\":7}";
static const char nodes[] = "\"nodes\":[0,0,1,0,3,0,0, 1,1,3,99999999999,2,1,0, 2,2,5,8,1,2,0, 3,2,7,8,1,0,0,"
                            "3,3,9,8,0,0,0, 4,4,12,8,0,0,2, 5,5,11,8,0,9,0]";
static const char edges[] = "\"edges\":[0,1,7, 0,2,14, 1,6,35, 1,7,14, 3,8,42, 2,6,21, 2,9,28]";
static const char rest[] =
    "\"trace_function_infos\":[0,0,0,0,0,0],\"trace_tree\":[1,0,1,1,[2,0,1,1,[]]],\"samples\":[1,2],"
    "\"locations\":[14,5,1,1,7,5,2,2,7,6,2,2],\"scopes\":[28,-2,0,1,1],\"scope_context_vars\":[1],\"scope_uses\":[-2,0]"
    ","
    "\"other\":{\"a\":[[[]]]}";
static const char strings[] =
    "\"strings\":[\"\",\"Thing\",\"fn\",\"a.js\",\"<div id=\\\"x\\\">\",\"text\\u00e9\",\"shared\","
    "\"p\",\"w\",\"script\"]";

static input make(const char *a, const char *b, const char *c, const char *d, const char *e) {
    input in = { malloc(8192), 0, 1 };
    assert_non_null(in.bytes);
    in.size = (size_t)snprintf(in.bytes, 8192, "{%s,%s,%s,%s,%s}", a, b, c, d, e);
    return in;
}

static ubi_status read_with(void *payload, const ubi_allocator *a) {
    const input *in = payload;
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    ubi_graph *g = NULL;
    options.allocator = a;
    options.threads = in->threads;
    ubi_status status = ubi_graph_read_memory(&g, in->bytes, in->size, &options, NULL);
    ubi_graph_unref(g);
    return status;
}

/* Refuses the n-th request, and all after it unless `once`. A refused request to shrink a column is no failure. */
static bool try_failure(input *in, uint64_t n, bool once) {
    fail_allocator f;
    fail_allocator_init(&f, n);
    f.once = once;
    ubi_status status = read_with(in, &f.allocator);
    assert_true(status == UBI_OK || status == UBI_ENOMEM);
    assert_true(ubi_error_message()[0] || status == UBI_OK);
    bool refused = f.n_refused > 0;
    fail_allocator_fini(&f);
    return refused;
}

static void fail_everywhere(input in) {
    for (in.threads = 1; in.threads <= 2; in.threads++) {
        uint64_t n = 0;
        bool once = false;
        while (try_failure(&in, n, once) && (FAIL_ALLOCATOR_WAYS == 2 || try_failure(&in, n, true))) {
            n += FAIL_ALLOCATOR_STEP;
            once = FAIL_ALLOCATOR_WAYS == 2 && !once;
        }
        assert_true(n > 20);
    }
    free(in.bytes);
}

static void memory_may_run_out_at_any_request(void **state) {
    (void)state;
    fail_everywhere(make(snapshot, nodes, edges, rest, strings));
    fail_everywhere(make(snapshot, strings, rest, edges, nodes));
    fail_everywhere(make(nodes, edges, rest, strings, snapshot));
}

static void the_files_of_this_test_are_sound(void **state) {
    (void)state;
    input in = make(snapshot, nodes, edges, rest, strings);
    ubi_graph *g = NULL, *plain = NULL;
    ubi_status status = ubi_graph_read_memory(&g, in.bytes, in.size, NULL, NULL);
    if (status != UBI_OK)
        fail_msg("%s", ubi_error_message());
    assert_int_equal(plain_v8_read(&plain, in.bytes, in.size), UBI_OK);
    assert_null(v8_graphs_differ(g, plain));
    ubi_graph_unref(g);
    ubi_graph_unref(plain);
    free(in.bytes);
}

static input load(const char *name) {
    const char *source_dir = getenv("UBI_SOURCE_DIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/data/v8/%s.heapsnapshot.gz", source_dir ? source_dir : ".", name);
    gzFile file = gzopen(path, "rb");
    assert_non_null(file);
    input in = { malloc(8 << 20), 0, 1 };
    assert_non_null(in.bytes);
    int n = gzread(file, in.bytes, 8 << 20);
    assert_true(n > 0);
    in.size = (size_t)n;
    gzclose(file);
    return in;
}

static void memory_may_run_out_in_a_real_file(void **state) {
    (void)state;
    input in = load("chromium-alloc");
    for (uint64_t n = 0; try_failure(&in, n, n % 2); n += 5)
        continue;
    free(in.bytes);
}

/* ---- progress ------------------------------------------------------------------------------------------------------ */

typedef struct patience {
    unsigned n_calls, n_allowed;
    const char *stage;
    uint64_t last;
} patience;

static bool count_calls(void *payload, const char *stage, uint64_t done, uint64_t total) {
    patience *p = payload;
    bool is_same_stage = p->stage && strcmp(stage, p->stage) == 0;
    assert_true((!is_same_stage || done >= p->last || strcmp(stage, "reading") != 0) && done <= total);
    p->stage = stage;
    p->last = done;
    return ++p->n_calls <= p->n_allowed;
}

static ubi_status read_patiently(const input *in, unsigned threads, patience *p) {
    fail_allocator f;
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    ubi_graph *g = NULL;
    options.allocator = &f.allocator;
    options.threads = threads;
    options.progress = (ubi_progress){ count_calls, p };
    ubi_status status = ubi_graph_read_memory(&g, in->bytes, in->size, &options, NULL);
    assert_true((status == UBI_OK) == (g != NULL));
    ubi_graph_unref(g);
    fail_allocator_fini(&f);
    return status;
}

/* What a helper does is not reported, nor is it always the same. */
static void a_caller_may_stop_at_each_call(void **state) {
    (void)state;
    input in = load("node20-after");
    for (unsigned threads = 1; threads <= 2; threads++) {
        patience all = { 0, 1000000, NULL, 0 };
        assert_int_equal(read_patiently(&in, threads, &all), UBI_OK);
        assert_true(all.n_calls > 10);
        for (unsigned n = 0; n < all.n_calls; n++) {
            patience p = { 0, n, NULL, 0 };
            ubi_status status = read_patiently(&in, threads, &p);
            assert_int_equal(status, p.n_calls > n ? UBI_ECANCELLED : UBI_OK);
            assert_true(p.n_calls == n + 1 || (threads > 1 && p.n_calls <= n));
        }
    }
    free(in.bytes);
}

/* ---- memory --------------------------------------------------------------------------------------------------------- */

static uint64_t bytes_of(const ubi_graph_memory *m) {
    return m->nodes_bytes + m->edges_bytes + m->index_bytes + m->strings_bytes + m->stacks_bytes;
}

/* A file of n nodes with four edges each, in V8's order, the counts in its header true or not. */
static input make_large(unsigned n, unsigned long long node_count, unsigned long long edge_count) {
    size_t room = (size_t)n * 140 + 4096, at;
    input in = { malloc(room), 0, 1 };
    assert_non_null(in.bytes);
    at = (size_t)snprintf(
        in.bytes, room,
        "{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\",\"edge_count\"],"
        "\"node_types\":[[\"object\"]],\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],"
        "\"edge_types\":[[\"property\"]]},\"node_count\":%llu,\"edge_count\":%llu},\"nodes\":[",
        node_count, edge_count);
    for (unsigned i = 0; i < n; i++)
        at += (size_t)snprintf(in.bytes + at, room - at, "%s0,0,%u,%u,4", i ? "," : "", 2 * i + 1, 16 + i % 64);
    at += (size_t)snprintf(in.bytes + at, room - at, "],\"edges\":[");
    for (unsigned i = 0; i < 4 * n; i++)
        at += (size_t)snprintf(in.bytes + at, room - at, "%s0,0,%u", i ? "," : "", (i * 7919 + 1) % n * 5);
    at += (size_t)snprintf(in.bytes + at, room - at, "],\"strings\":[\"Object\"]}");
    in.size = at;
    return in;
}

static void memory_stays_near_the_graph_and_within_the_budget(void **state) {
    (void)state;
    const unsigned n = 400000;
    input in = make_large(n, n, 4 * n);
    for (unsigned threads = 1; threads <= 2; threads++) {
        fail_allocator f;
        fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
        ubi_read_options options = UBI_READ_OPTIONS_INIT;
        ubi_graph_memory use = UBI_GRAPH_MEMORY_INIT;
        ubi_graph *g = NULL;
        options.allocator = &f.allocator;
        options.threads = threads;
        assert_int_equal(ubi_graph_read_memory(&g, in.bytes, in.size, &options, NULL), UBI_OK);
        ubi_graph_memory_use(g, &use);
        if (f.peak_bytes > bytes_of(&use) / 10 * 13 + ((uint64_t)3 << 20))
            fail_msg("peak %llu for a graph of %llu bytes", (unsigned long long)f.peak_bytes,
                     (unsigned long long)bytes_of(&use));
        assert_true(use.nodes_bytes + use.index_bytes <= (uint64_t)n * 56);
        assert_true(use.edges_bytes <= (uint64_t)n * 4 * 9);
        ubi_graph_unref(g);
        fail_allocator_fini(&f);
    }
    free(in.bytes);
}

/* Counts are believed only for data that is there: neither a reader's memory nor a length field of 2^60 is a surprise. */
static void counts_that_promise_too_much_cost_nothing(void **state) {
    (void)state;
    const unsigned n = 50000;
    input in = make_large(n, 1ull << 60, 1ull << 60);
    fail_allocator f;
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    ubi_graph *g = NULL;
    options.allocator = &f.allocator;
    options.threads = 1;
    assert_int_equal(ubi_graph_read_memory(&g, in.bytes, in.size, &options, NULL), UBI_EFORMAT);
    assert_true(f.peak_bytes < (uint64_t)n * (2 * 32) + ((uint64_t)3 << 20));
    fail_allocator_fini(&f);
    free(in.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_files_of_this_test_are_sound),
        cmocka_unit_test(memory_may_run_out_at_any_request),
        cmocka_unit_test(memory_may_run_out_in_a_real_file),
        cmocka_unit_test(a_caller_may_stop_at_each_call),
        cmocka_unit_test(memory_stays_near_the_graph_and_within_the_budget),
        cmocka_unit_test(counts_that_promise_too_much_cost_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
