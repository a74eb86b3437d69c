/* SPDX-License-Identifier: MIT
 *
 * strings_test.c: grouping of texts, joined strings of any structure, and failed allocations.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/core/formats.h>
#include <ubiheap/views/strings.h>

#include "base/status.h"
#include "base/text.h"
#include "fail_allocator.h"

/*
 * A snapshot of V8 as text: node 0 is the root; strings are nodes of type 1 and concatenations of type 2. Edges of the root
 * lead to all others; a concatenation has edges first (1) and second (2).
 */
typedef struct maker {
    char nodes[1 << 16], edges[1 << 17], strings[1 << 16];
    size_t n_nodes, n_edges, n_strings;
} maker;

static maker *start(void) {
    maker *m = calloc(1, sizeof *m);
    assert_non_null(m);
    snprintf(m->strings, sizeof m->strings, "\"\",\"first\",\"second\"");
    m->n_strings = 3;
    return m;
}

static void add_row(char *to, size_t room, const char *row) {
    size_t used = strlen(to);
    assert_true(used + strlen(row) + 2 < room);
    snprintf(to + used, room - used, "%s%s", used ? "," : "", row);
}

static size_t add_text(maker *m, const char *text) {
    char row[4096];
    snprintf(row, sizeof row, "\"%s\"", text);
    add_row(m->strings, sizeof m->strings, row);
    return m->n_strings++;
}

/* The root comes before all others and is written at the end. @return the node's place. */
static size_t add_node(maker *m, int type, size_t name, unsigned n_edges) {
    char row[128];
    snprintf(row, sizeof row, "%d,%zu,%zu,16,%u", type, name, 2 * m->n_nodes + 3, n_edges);
    add_row(m->nodes, sizeof m->nodes, row);
    return ++m->n_nodes;
}

static size_t add_string(maker *m, const char *text) {
    return add_node(m, 1, add_text(m, text), 0);
}

static size_t add_joined(maker *m, size_t first, size_t second) {
    char row[64];
    snprintf(row, sizeof row, "1,1,%zu,1,2,%zu", 5 * first, 5 * second);
    add_row(m->edges, sizeof m->edges, row);
    m->n_edges += 2;
    return add_node(m, 2, add_text(m, "(concatenated string)"), 2);
}

/* An edge of the node that is added next. */
static void add_field(maker *m, const char *name, size_t to) {
    char row[64];
    snprintf(row, sizeof row, "1,%zu,%zu", add_text(m, name), 5 * to);
    add_row(m->edges, sizeof m->edges, row);
    m->n_edges++;
}

/* A number or truth value as V8 has it: what it says is the name of another node. */
static size_t add_value(maker *m, const char *says) {
    size_t value = add_node(m, 0, add_text(m, says), 0);
    add_field(m, "value", value);
    return add_node(m, 0, 0, 1);
}

/* A string that V8 cut, or says that it did not cut. */
static size_t add_cut(maker *m, const char *text, const char *truncated, const char *length, const char *hash) {
    size_t is_cut = add_value(m, truncated), of = add_value(m, length), hashed = add_value(m, hash);
    add_field(m, "truncated", is_cut);
    add_field(m, "length", of);
    add_field(m, "hash", hashed);
    return add_node(m, 1, add_text(m, text), 3);
}

/* What a maker made, grouped. Owned, all of it. */
typedef struct heap {
    ubi_graph *graph;
    ubi_look *look;
    ubi_strings *strings;
} heap;

static ubi_graph *finish(maker *m) {
    static const char meta[] =
        "\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\",\"edge_count\"],\"node_types\":[[\"synthetic\","
        "\"string\",\"concatenated string\"],\"string\",\"number\",\"number\",\"number\"],\"edge_fields\":[\"type\","
        "\"name_or_index\",\"to_node\"],\"edge_types\":[[\"element\",\"internal\"],\"string_or_number\",\"node\"]";
    char path[] = "/tmp/ubiheap-strings-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    fprintf(file, "{\"snapshot\":{\"meta\":{%s},\"node_count\":%zu,\"edge_count\":%zu},\n\"nodes\":[0,0,1,0,%zu,%s],\n",
            meta, m->n_nodes + 1, m->n_edges + m->n_nodes, m->n_nodes, m->nodes);
    fprintf(file, "\"edges\":[");
    for (size_t i = 1; i <= m->n_nodes; i++)
        fprintf(file, "%s0,%zu,%zu", i > 1 ? "," : "", i, 5 * i);
    fprintf(file, "%s%s],\n\"strings\":[%s]}\n", *m->edges ? "," : "", m->edges, m->strings);
    assert_int_equal(fclose(file), 0);
    ubi_graph *graph;
    ubi_status status = ubi_graph_read_path(&graph, path, NULL, NULL);
    remove(path);
    free(m);
    if (status != UBI_OK)
        fail_msg("%s", ubi_error_message());
    return graph;
}

static heap group(maker *m) {
    heap h = { .graph = finish(m) };
    assert_int_equal(ubi_look_open(&h.look, NULL, h.graph, NULL), UBI_OK);
    assert_int_equal(ubi_strings_new(&h.strings, h.look, NULL), UBI_OK);
    return h;
}

static void done(heap *h) {
    ubi_strings_free(h->strings);
    ubi_look_close(h->look);
    ubi_graph_unref(h->graph);
}

static uint32_t count_of(const heap *h, const char *text) {
    ubi_look_name_buffer buffer;
    for (uint32_t i = 0; i < ubi_strings_group_count(h->strings); i++) {
        const ubi_string_group *g = ubi_strings_group(h->strings, i);
        if (ubi__text_is(ubi_strings_text(h->strings, g->first, &buffer), text))
            return g->count;
    }
    return 0;
}

/* ---- tests ---------------------------------------------------------------------------------------------------------- */

static void equal_texts_are_one_group_whatever_their_entries(void **state) {
    (void)state;
    maker *m = start();
    add_string(m, "a");
    add_string(m, "b");
    add_string(m, "a");
    heap h = group(m);
    assert_int_equal(ubi_strings_group_count(h.strings), 2);
    assert_int_equal(count_of(&h, "a"), 2);
    const ubi_strings_totals *t = ubi_strings_totals_of(h.strings);
    assert_int_equal(t->duplicates.count, 2);
    assert_int_equal(t->wasted_bytes, 16);
    assert_int_equal(t->lengths[1].count, 3);
    done(&h);
}

static void joined_strings_are_their_text(void **state) {
    (void)state;
    maker *m = start();
    size_t a = add_string(m, "left "), b = add_string(m, "right");
    size_t ab = add_joined(m, a, b);
    add_joined(m, ab, a);
    add_string(m, "left right");
    heap h = group(m);
    assert_int_equal(count_of(&h, "left right"), 2);
    assert_int_equal(count_of(&h, "left rightleft "), 1);
    done(&h);
}

static void a_joined_string_with_an_empty_half_is_left_out_but_its_text_counts_in_others(void **state) {
    (void)state;
    maker *m = start();
    size_t a = add_string(m, "a"), empty = add_string(m, "");
    size_t flat = add_joined(m, a, empty), other = add_joined(m, empty, flat);
    add_joined(m, other, a);
    heap h = group(m);
    assert_int_equal(count_of(&h, "a"), 1);
    assert_int_equal(count_of(&h, "aa"), 1);
    assert_int_equal(ubi_strings_totals_of(h.strings)->with_text.count, 3);
    done(&h);
}

static void a_cycle_of_halves_ends(void **state) {
    (void)state;
    maker *m = start();
    size_t a = add_string(m, "a");
    size_t next = m->n_nodes + 2;
    add_joined(m, next, a);
    add_joined(m, next - 1, a);
    heap h = group(m);
    assert_true(ubi_strings_group_count(h.strings) >= 1);
    done(&h);
}

static void texts_that_were_cut_are_equal_if_what_is_said_about_them_is(void **state) {
    (void)state;
    maker *m = start();
    add_string(m, "a");
    add_cut(m, "a", "true", "2000", "7");
    add_cut(m, "a", "true", "2000", "8");
    add_cut(m, "a", "true", "3000", "7");
    add_cut(m, "a", "true", "2000", "7");
    add_cut(m, "b", "true", "2000", "7");
    add_cut(m, "a", "false", "1", "7");
    size_t b = add_string(m, "b");
    heap h = group(m);
    const ubi_strings_totals *t = ubi_strings_totals_of(h.strings);
    assert_int_equal(ubi_strings_group_count(h.strings), 6);
    assert_int_equal(t->n_duplicate_groups, 2); /* "a" in full, and one that was cut */
    assert_int_equal(t->duplicates.count, 4);
    for (uint32_t i = 0; i < 6; i++) {
        const ubi_string_group *g = ubi_strings_group(h.strings, i);
        assert_int_equal(g->is_truncated, g->first != 1 && g->first != b);
    }
    done(&h);
}

static void a_joined_string_equals_a_text_that_another_entry_has(void **state) {
    (void)state;
    maker *m = start();
    size_t a = add_string(m, "a"), b = add_string(m, "b");
    add_joined(m, a, b);
    add_joined(m, b, a);
    add_joined(m, a, b);
    add_string(m, "ab");
    heap h = group(m);
    assert_int_equal(ubi_strings_group_count(h.strings), 4);
    assert_int_equal(count_of(&h, "ab"), 3);
    assert_int_equal(count_of(&h, "ba"), 1);
    done(&h);
}

static void through_another_lens_joined_strings_have_no_text(void **state) {
    (void)state;
    maker *m = start();
    size_t a = add_string(m, "a");
    add_joined(m, a, a);
    heap h = { .graph = finish(m) };
    assert_int_equal(ubi_look_open(&h.look, ubi_lens_find("plain"), h.graph, NULL), UBI_OK);
    assert_int_equal(ubi_strings_new(&h.strings, h.look, NULL), UBI_OK);
    assert_int_equal(ubi_strings_group_count(h.strings), 1);
    assert_int_equal(count_of(&h, "a"), 1);
    assert_int_equal(ubi_strings_totals_of(h.strings)->all.count, 2);
    done(&h);
}

static void texts_that_are_too_short_are_in_no_group(void **state) {
    (void)state;
    maker *m = start();
    add_string(m, "a");
    add_string(m, "abc");
    add_string(m, "a");
    heap h = { .graph = finish(m) };
    uint32_t group_of_node[4];
    ubi_strings_options options = UBI_STRINGS_OPTIONS_INIT;
    options.min_length = 2;
    options.group_of_node = group_of_node;
    assert_int_equal(ubi_look_open(&h.look, NULL, h.graph, NULL), UBI_OK);
    assert_int_equal(ubi_strings_new(&h.strings, h.look, &options), UBI_OK);
    assert_int_equal(ubi_strings_group_count(h.strings), 1);
    assert_int_equal(ubi_strings_totals_of(h.strings)->with_text.count, 1);
    assert_int_equal(group_of_node[2], 0);
    assert_int_equal(group_of_node[1], UBI_NONE);
    assert_int_equal(group_of_node[3], UBI_NONE);
    done(&h);
}

#define CHAIN 700

/* Each is a unit longer than the one before; the text of the last is that of all. */
static void a_chain_that_a_loop_made_is_joined_up_to_its_limit(void **state) {
    (void)state;
    maker *m = start();
    size_t part = add_string(m, "xy"), last = part;
    for (int i = 0; i < CHAIN; i++)
        last = add_joined(m, last, part);
    heap h = group(m);
    ubi_look_name_buffer buffer;
    ubi_text text = ubi_strings_text(h.strings, (ubi_node_ix)last, &buffer);
    assert_int_equal(text.len, UBI_STRINGS_JOINED_UNITS);
    /* From 512 parts on all have the same beginning. */
    const ubi_strings_totals *t = ubi_strings_totals_of(h.strings);
    assert_int_equal(t->n_duplicate_groups, 1);
    assert_int_equal(t->duplicates.count, CHAIN - 510);
    done(&h);
}

static void sorting_is_descending_and_ties_keep_the_order_of_the_file(void **state) {
    (void)state;
    maker *m = start();
    add_string(m, "one");
    add_string(m, "two");
    add_string(m, "two");
    add_string(m, "six");
    add_string(m, "six");
    heap h = group(m);
    uint32_t order[3], n;
    ubi_look_name_buffer buffer;
    assert_int_equal(ubi_strings_sorted(order, &n, h.strings, UBI_STRINGS_BY_WASTE, 2), UBI_OK);
    assert_int_equal(n, 2);
    assert_true(
        ubi__text_is(ubi_strings_text(h.strings, ubi_strings_group(h.strings, order[0])->first, &buffer), "two"));
    assert_int_equal(ubi_strings_sorted(order, &n, h.strings, UBI_STRINGS_BY_LENGTH, 1), UBI_OK);
    assert_int_equal(n, 3);
    done(&h);
}

static ubi_status group_with(void *payload, const ubi_allocator *allocator) {
    const heap *h = payload;
    ubi_strings_options options = UBI_STRINGS_OPTIONS_INIT;
    ubi_strings *strings;
    uint32_t order[64], n;
    options.allocator = allocator;
    UBI_TRY(ubi_strings_new(&strings, h->look, &options));
    ubi_status status = ubi_strings_sorted(order, &n, strings, UBI_STRINGS_BY_SIZE, 1);
    ubi_strings_free(strings);
    return status;
}

static void every_failed_allocation_has_a_way_out(void **state) {
    (void)state;
    maker *m = start();
    size_t a = add_string(m, "a"), b = add_string(m, "b");
    add_joined(m, add_joined(m, a, b), a);
    add_cut(m, "ab", "true", "2000", "7");
    heap h = group(m);
    assert_true(fail_each_allocation(group_with, &h) > 4);
    done(&h);
}

static void options_of_another_version_are_refused(void **state) {
    (void)state;
    maker *m = start();
    add_string(m, "a");
    heap h = group(m);
    ubi_strings_options options = { .version = 9 };
    ubi_strings *strings;
    assert_int_equal(ubi_strings_new(&strings, h.look, &options), UBI_EINVAL);
    done(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_texts_are_one_group_whatever_their_entries),
        cmocka_unit_test(joined_strings_are_their_text),
        cmocka_unit_test(a_joined_string_with_an_empty_half_is_left_out_but_its_text_counts_in_others),
        cmocka_unit_test(a_cycle_of_halves_ends),
        cmocka_unit_test(texts_that_were_cut_are_equal_if_what_is_said_about_them_is),
        cmocka_unit_test(a_joined_string_equals_a_text_that_another_entry_has),
        cmocka_unit_test(through_another_lens_joined_strings_have_no_text),
        cmocka_unit_test(texts_that_are_too_short_are_in_no_group),
        cmocka_unit_test(a_chain_that_a_loop_made_is_joined_up_to_its_limit),
        cmocka_unit_test(sorting_is_descending_and_ties_keep_the_order_of_the_file),
        cmocka_unit_test(every_failed_allocation_has_a_way_out),
        cmocka_unit_test(options_of_another_version_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
