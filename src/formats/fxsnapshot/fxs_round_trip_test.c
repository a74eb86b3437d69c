/* SPDX-License-Identifier: MIT
 *
 * fxs_round_trip_test.c: read, write, read gives an equal graph: every snapshot of tests/data that can be read, and random
 * graphs with all that a builder allows. UBI_DEEP=1: 10^5 of them.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "graph_equal.h"
#include "random_heap.h"
#include "random_numbers.h"
#include "saving.h"

/* ---- files -------------------------------------------------------------------------------------------------------- */

/** Small files are many: threads would take longer to start than to do anything. */
static ubi_save_options alone(void) {
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    options.threads = 1;
    return options;
}

static ubi_graph *read_alone(const bytes *file) {
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    ubi_graph *g;
    options.threads = 1;
    assert_int_equal(ubi_graph_read_memory(&g, file->at, file->n, &options, NULL), UBI_OK);
    return g;
}

static void check_round_trip(const ubi_graph *g) {
    ubi_save_options options = alone();
    bytes file = saved_graph(g, &options, NULL);
    ubi_graph *again = read_alone(&file);
    assert_int_equal(ubi_graph_check(again), UBI_OK);
    assert_graphs_equal(g, again);
    bytes_free(&file);
    ubi_graph_unref(again);
}

/** Every file of a folder that can be read; returns how many. */
static unsigned check_folder(const char *folder) {
    unsigned n = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *entry; (entry = readdir(d));) {
        char path[512];
        ubi_graph *g;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (ubi_graph_read_path(&g, path, NULL, NULL) != UBI_OK)
            continue;
        check_round_trip(g);
        ubi_graph_unref(g);
        n++;
    }
    closedir(d);
    return n;
}

static void real_snapshots_come_back_equal(void **state) {
    (void)state;
    assert_int_equal(check_folder("tests/data/fx"), 3);
}

static void every_readable_strange_file_comes_back_equal(void **state) {
    (void)state;
    assert_true(check_folder("tests/data/fx/crafted") > 40);
    assert_true(check_folder("fuzz/corpus/fxsnapshot_fuzz") > 50);
}

/* ---- random graphs ------------------------------------------------------------------------------------------------ */

enum { MAX_STRINGS = 24, MAX_FRAMES = 200 };

/** What a random graph is made of. `wild`: also what a file cannot hold as it is. */
typedef struct maker {
    ubi_graph_builder *builder;
    bool is_wild;
    ubi_str_ix strings[MAX_STRINGS];
    uint32_t n_strings;
    ubi_frame_ix frames[MAX_FRAMES];
    uint32_t depth[MAX_FRAMES];
    uint32_t n_frames;
} maker;

static void must(ubi_status status) {
    assert_int_equal(status, UBI_OK);
}

/** Text of Latin-1 characters, which any role can hold; wild ones of anything. */
static ubi_text random_text(const maker *m, char buffer[64]) {
    static const char *const pieces[] = { "a",        "b", "other",        "\xc3\xa9",         "\xc3\xbf",
                                          "\xc2\x80", "",  "\xe4\xb8\xad", "\xf0\x9f\x98\x80", "\xed\xb0\x80",
                                          "\xff",     "" };
    size_t n = 0;
    for (uint32_t i = random_below(5); i > 0; i--) {
        uint32_t which = random_below(m->is_wild ? 12 : 7);
        size_t length = which == 11 ? 1 : strlen(pieces[which]); /* the last one is a NUL */
        memcpy(buffer + n, pieces[which], length);
        n += length;
    }
    return (ubi_text){ buffer, n };
}

static ubi_str_ix some_string(const maker *m) {
    return m->strings[random_below(m->n_strings)];
}
static ubi_str_ix maybe_string(const maker *m) {
    return random_below(3) ? UBI_NONE : some_string(m);
}

static void add_strings(maker *m) {
    char buffer[64];
    for (m->n_strings = 0; m->n_strings < 1 + random_below(MAX_STRINGS - 1); m->n_strings++)
        must(ubi_graph_builder_string(m->builder, &m->strings[m->n_strings], random_text(m, buffer)));
}

static uint64_t random_u64(void) {
    uint64_t x = (uint64_t)random_below(UINT32_MAX) << 32 | random_below(UINT32_MAX);
    return x >> random_below(64);
}

static uint64_t frame_id(const maker *m) {
    if (m->is_wild)
        return random_below(4) ? random_below(20) : UINT64_MAX - random_below(5);
    return (uint64_t)m->n_frames << 50 | random_u64() >> 14;
}

/** Mostly on top of the last one, so that stacks get deep; a tame one has at most 89 frames. */
static void add_frames(maker *m) {
    uint32_t n = random_below(4) ? random_below(8) : random_below(MAX_FRAMES);
    for (m->n_frames = 0; m->n_frames < n; m->n_frames++) {
        uint32_t i = m->n_frames, parent = i && random_below(10) ? i - 1 : random_below(i + 1);
        bool has_parent = i && parent < i && (m->is_wild || m->depth[parent] < 89);
        ubi_frame_desc desc = { .id = frame_id(m),
                                .parent = has_parent ? m->frames[parent] : UBI_NONE,
                                .source = some_string(m),
                                .function_name = maybe_string(m),
                                .line = m->is_wild ? random_below(2) : random_below(UINT32_MAX),
                                .column = random_below(3),
                                .is_system = random_below(2),
                                .is_self_hosted = random_below(2) };
        m->depth[i] = has_parent ? m->depth[parent] + 1 : 1;
        must(ubi_graph_builder_frame(m->builder, &m->frames[i], &desc));
    }
}

static void add_nodes(maker *m) {
    uint32_t n = 1 + random_below(30), step = 1 + random_below(1000);
    for (uint32_t i = 0; i < n; i++) {
        ubi_node_desc node = { .id = (uint64_t)i * step, .size_bytes = random_u64() };
        node.kind = (ubi_kind){ .type_name = some_string(m),
                                .class_name = maybe_string(m),
                                .script_filename = maybe_string(m),
                                .descriptive_name = maybe_string(m),
                                .coarse_type = (ubi_coarse_type)random_below(UBI_COARSE_TYPE_COUNT) };
        node.stack = m->n_frames && random_below(2) ? m->frames[random_below(m->n_frames)] : UBI_NONE;
        must(ubi_graph_builder_node(m->builder, &node));
        for (uint32_t e = random_below(6); e > 0; e--)
            must(ubi_graph_builder_edge(m->builder, (uint64_t)random_below(n) * step, maybe_string(m)));
    }
}

static ubi_graph *random_graph(bool wild) {
    maker m = { .is_wild = wild };
    ubi_graph *g;
    must(ubi_graph_builder_new(&m.builder, NULL));
    if (random_below(2))
        ubi_graph_builder_set_creation_time_us(m.builder, random_u64());
    add_strings(&m);
    add_frames(&m);
    add_nodes(&m);
    must(ubi_graph_builder_finish(&g, m.builder));
    ubi_graph_builder_free(m.builder);
    return g;
}

static unsigned n_rounds(void) {
    const char *deep = getenv("UBI_DEEP");
    return random_cases(deep && *deep ? 100000 : 10000);
}

static void random_graphs_come_back_equal(void **state) {
    (void)state;
    random_start(1);
    for (unsigned i = n_rounds(); i > 0; i--) {
        ubi_graph *g = i % 2 ? random_graph(false) : random_heap();
        check_round_trip(g);
        ubi_graph_unref(g);
    }
}

/** Names that Latin-1 lacks, texts with NULs, frames of one id, stacks too deep: something changes, but only once. */
static void graphs_that_a_file_cannot_hold_settle_after_one_round(void **state) {
    (void)state;
    random_start(2);
    for (unsigned i = n_rounds() / 2; i > 0; i--) {
        ubi_graph *g = random_graph(true);
        ubi_save_options options = alone();
        bytes file = saved_graph(g, &options, NULL);
        ubi_graph *again = read_alone(&file);
        assert_int_equal(ubi_graph_node_count(again), ubi_graph_node_count(g));
        assert_int_equal(ubi_graph_edge_count(again), ubi_graph_edge_count(g));
        assert_int_equal(ubi_graph_reachable_count(again), ubi_graph_reachable_count(g));
        check_round_trip(again);
        bytes_free(&file);
        ubi_graph_unref(again);
        ubi_graph_unref(g);
    }
}

/** A walk of a graph as a heap gives what capturing that walk gives. */
static void walks_of_random_graphs_come_back_equal(void **state) {
    (void)state;
    random_start(3);
    for (unsigned i = n_rounds() / 4; i > 0; i--) {
        ubi_graph *g = random_graph(false), *captured;
        ubi_node root = ubi_graph_as_node(g, ubi_graph_root(g));
        ubi_save_options options = alone();
        options.max_stack_frames = 1000;
        options.has_time = true;
        options.time_us = i;
        must(ubi_graph_capture(&captured, root, NULL));
        bytes file = saved_walk(root, &options, NULL);
        bytes expected = saved_graph(captured, &options, NULL);
        assert_int_equal(expected.n, file.n);
        assert_memory_equal(expected.at, file.at, file.n);
        bytes_free(&expected);
        bytes_free(&file);
        ubi_graph_unref(captured);
        ubi_graph_unref(g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_snapshots_come_back_equal),
        cmocka_unit_test(every_readable_strange_file_comes_back_equal),
        cmocka_unit_test(random_graphs_come_back_equal),
        cmocka_unit_test(graphs_that_a_file_cannot_hold_settle_after_one_round),
        cmocka_unit_test(walks_of_random_graphs_come_back_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
