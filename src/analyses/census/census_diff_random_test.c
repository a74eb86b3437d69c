/* SPDX-License-Identifier: MIT
 *
 * Tests of census diffs against a slow and obvious implementation, on pairs of random heaps with random breakdowns.
 *
 * The slow one walks reports as CensusUtils.diff does: it sees only what the API shows, writes text as it goes, and searches
 * for keys by their text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/core/diff.h>

#include "analyses/census/breakdown.h"
#include "base/text.h"
#include "census_text.h"
#include "random_heap.h"
#include "random_numbers.h"

enum { N_ROUNDS = 3000, MAX_ENTRIES = 2 * (RANDOM_HEAP_NODES + 2) };

/* ---- the slow diff ----------------------------------------------------------------------------------------------- */

typedef struct slow {
    FILE *out;
    bool is_compat;
    int64_t basis_count, basis_bytes;
} slow;

/** A key as text; what a report does not show of a stack is marked by a control character. */
static void key_text(const ubi_report_key *key, char *buffer, size_t size) {
    FILE *out = fmemopen(buffer, size, "w");
    ubi_stack stack = key->stack;
    bool more = key->type == UBI_KEY_STACK;
    if (key->type == UBI_KEY_INDEX)
        fprintf(out, "%u", key->index);
    else if (!more)
        fprintf(out, "%.*s", (int)key->text.len, key->text.ptr);
    for (const char *between = ""; more; between = "<") {
        ubi_frame f;
        ubi_stack_frame(stack, &f);
        fprintf(out, "%s%.*s@%.*s:%u:%u%s", between, f.function_name.ptr ? (int)f.function_name.len : 1,
                f.function_name.ptr ? f.function_name.ptr : "-", (int)f.source.len, f.source.ptr, f.line, f.column,
                f.is_system ? "\001" : "");
        more = ubi_stack_parent(stack, &stack);
    }
    fclose(out);
}

typedef struct slow_entry {
    char key[600];
    const ubi_report *start, *end;
} slow_entry;

typedef struct slow_list {
    slow_entry at[MAX_ENTRIES];
    size_t n;
} slow_list;

static slow_entry *find(slow_list *list, const char *key) {
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->at[i].key, key) == 0)
            return &list->at[i];
    return NULL;
}

static void add_entries(slow_list *list, const ubi_report *report, bool is_end) {
    for (uint32_t i = 0; report && i < ubi_report_entry_count(report); i++) {
        ubi_report_key key;
        char text[600];
        const ubi_report *part = ubi_report_entry(report, i, &key);
        key_text(&key, text, sizeof text);
        slow_entry *entry = find(list, text);
        if (!entry) {
            assert_true(list->n < MAX_ENTRIES);
            entry = &list->at[list->n++];
            *entry = (slow_entry){ .start = NULL };
            memcpy(entry->key, text, sizeof text);
        }
        *(is_end ? &entry->end : &entry->start) = part;
    }
}

static void put_diff(slow *s, const ubi_report *start, const ubi_report *end, bool basis);

static void put_entry(slow *s, ubi_report_shape shape, const slow_entry *entry, bool basis, bool *first) {
    if (!*first)
        fputs(shape == UBI_REPORT_ARRAY ? " | " : "; ", s->out);
    *first = false;
    for (const char *c = entry->key; shape != UBI_REPORT_ARRAY && *c; c++)
        if (*c != '\001')
            fputc(*c, s->out);
    if (shape != UBI_REPORT_ARRAY)
        fputs(": ", s->out);
    bool is_first_member = shape != UBI_REPORT_ARRAY || strcmp(entry->key, "0") == 0;
    put_diff(s, entry->start, entry->end, basis && is_first_member);
}

static void put_entries(slow *s, ubi_report_shape shape, const slow_list *list, bool basis) {
    static const char *const indices[] = { "3", "12" };
    bool first = true, is_object = shape == UBI_REPORT_OBJECT;
    for (size_t k = 0; is_object && k < 2; k++)
        for (size_t i = 0; i < list->n; i++)
            if (strcmp(list->at[i].key, indices[k]) == 0)
                put_entry(s, shape, &list->at[i], basis, &first);
    for (size_t i = 0; i < list->n; i++)
        if (!is_object || !random_heap_is_array_index(list->at[i].key))
            put_entry(s, shape, &list->at[i], basis, &first);
}

/** Firefox sets a prototype; of what it loses so, only the basis knows. */
static void lose_proto(slow *s, slow_list *list) {
    slow_entry *entry = find(list, "__proto__");
    if (!entry)
        return;
    char *text;
    size_t size;
    slow unseen = *s;
    unseen.out = open_memstream(&text, &size);
    if (entry->start)
        put_diff(&unseen, entry->start, NULL, true);
    fclose(unseen.out);
    free(text);
    s->basis_count = unseen.basis_count;
    s->basis_bytes = unseen.basis_bytes;
    memmove(entry, entry + 1, (size_t)(list->at + --list->n - entry) * sizeof *entry);
}

static void put_group(slow *s, ubi_report_shape shape, const ubi_report *start, const ubi_report *end, bool basis) {
    static const char brackets[][3] = {
        [UBI_REPORT_OBJECT] = "{}", [UBI_REPORT_MAP] = "<>", [UBI_REPORT_ARRAY] = "()"
    };
    slow_list *list = calloc(1, sizeof *list);
    add_entries(list, start, false);
    add_entries(list, end, true);
    if (s->is_compat && shape == UBI_REPORT_OBJECT)
        lose_proto(s, list);
    fputc(brackets[shape][0], s->out);
    put_entries(s, shape, list, basis);
    fputc(brackets[shape][1], s->out);
    free(list);
}

static ubi_report_count count_of(const ubi_report *report) {
    ubi_report_count count = { 0 };
    if (report)
        ubi_report_get_count(report, &count);
    return count;
}

static void put_count(slow *s, const ubi_report *start, const ubi_report *end, bool basis) {
    ubi_report_count a = count_of(start), b = count_of(end);
    bool shown = !start || !s->is_compat || ubi_report_breakdown(start)->was_count_written;
    if (basis && shown) {
        s->basis_count += (int64_t)a.count;
        s->basis_bytes += (int64_t)a.bytes;
    }
    if (shown)
        fprintf(s->out, "%lld,%lld", (long long)(b.count - a.count), (long long)(b.bytes - a.bytes));
    else
        fputc('-', s->out);
}

static void put_bucket(slow *s, const ubi_report *start, const ubi_report *end) {
    char *text = start ? NULL : report_text(end);
    fputs(text ? text : "{}", s->out);
    free(text);
}

static void put_diff(slow *s, const ubi_report *start, const ubi_report *end, bool basis) {
    ubi_report_shape shape = ubi_report_shape_of(start ? start : end);
    if (shape == UBI_REPORT_COUNT)
        put_count(s, start, end, basis);
    else if (shape == UBI_REPORT_BUCKET)
        put_bucket(s, start, end);
    else
        put_group(s, shape, start, end, basis);
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

typedef struct pair {
    char *json;
    ubi_breakdown *breakdown;
    ubi_census *start, *end;
    ubi_census_diff *diff;
} pair;

static ubi_census *take(ubi_graph *graph, const ubi_breakdown *breakdown, ubi_compat compat) {
    ubi_census_options options = UBI_CENSUS_OPTIONS_INIT;
    ubi_census *census = NULL;
    options.compat = compat;
    if (ubi_census_take(&census, graph, breakdown, &options) != UBI_OK)
        census = NULL; /* descriptiveType */
    ubi_graph_unref(graph);
    return census;
}

static void pair_drop(pair *p) {
    ubi_census_diff_free(p->diff);
    ubi_census_free(p->start);
    ubi_census_free(p->end);
    ubi_breakdown_unref(p->breakdown);
    free(p->json);
}

/** The pair of a round, of one heap or two; false: no such census. */
static bool pair_of_round(pair *p, unsigned round, ubi_compat compat, bool same) {
    random_start(round);
    ubi_graph *start = random_heap(), *end = same ? ubi_graph_ref(start) : random_heap();
    *p = (pair){ .json = random_breakdown_json(random_breakdown_new(random_below(5), compat == UBI_COMPAT_NONE)) };
    p->breakdown = must_parse_breakdown(p->json, compat);
    p->start = take(start, p->breakdown, compat);
    p->end = take(end, p->breakdown, compat);
    if (!p->start || !p->end) {
        pair_drop(p);
        return false;
    }
    assert_int_equal(ubi_census_diff_new(&p->diff, p->start, p->end), UBI_OK);
    return true;
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static char *slow_diff(slow *s, const pair *p) {
    char *text;
    size_t size;
    s->out = open_memstream(&text, &size);
    put_diff(s, ubi_census_report(p->start), ubi_census_report(p->end), true);
    fclose(s->out);
    return text;
}

static void run_rounds(ubi_compat compat) {
    unsigned n_compared = 0;
    for (unsigned round = 0; round < random_cases(N_ROUNDS); round++) {
        pair p;
        if (!pair_of_round(&p, round, compat, false))
            continue;
        slow s = { .is_compat = compat == UBI_COMPAT_FIREFOX };
        char *expected = slow_diff(&s, &p), *ours = delta_text(ubi_census_diff_delta(p.diff));
        if (strcmp(ours, expected) != 0)
            fail_msg("round %u, %s:\n    %s\nshould be\n    %s", round, p.json, ours, expected);
        assert_int_equal(ubi_census_diff_basis_count(p.diff), s.basis_count);
        assert_int_equal(ubi_census_diff_basis_bytes(p.diff), s.basis_bytes);
        free(expected);
        free(ours);
        pair_drop(&p);
        n_compared++;
    }
    assert_true(n_compared > random_cases(N_ROUNDS) / 2);
}

static void a_diff_equals_the_slow_one(void **state) {
    (void)state;
    run_rounds(UBI_COMPAT_NONE);
}

static void firefoxs_diff_equals_the_slow_one(void **state) {
    (void)state;
    run_rounds(UBI_COMPAT_FIREFOX);
}

/** Sums of what the count leaves of a delta changed by, leaving out what an array counts once more. */
static void add_up(const ubi_delta *delta, ubi_delta_count *sum, bool *changed) {
    if (ubi_delta_shape_of(delta) == UBI_REPORT_COUNT) {
        ubi_delta_count numbers;
        ubi_delta_get_count(delta, &numbers);
        sum->count += numbers.count;
        sum->bytes += numbers.bytes;
        *changed = *changed || numbers.count || numbers.bytes;
    }
    bool is_array = ubi_delta_shape_of(delta) == UBI_REPORT_ARRAY;
    ubi_delta_count apart = { 0 };
    for (uint32_t i = 0; i < ubi_delta_entry_count(delta); i++) {
        ubi_report_key key;
        const ubi_delta *part = ubi_delta_entry(delta, i, &key);
        add_up(part, is_array && i > 0 ? &apart : sum, changed);
    }
}

static void a_heap_does_not_differ_from_itself(void **state) {
    (void)state;
    for (unsigned round = 0; round < random_cases(N_ROUNDS); round++) {
        ubi_delta_count sum = { 0 };
        bool changed = false;
        pair p;
        if (!pair_of_round(&p, round, round % 2 ? UBI_COMPAT_FIREFOX : UBI_COMPAT_NONE, true))
            continue;
        add_up(ubi_census_diff_delta(p.diff), &sum, &changed);
        assert_false(changed);
        pair_drop(&p);
    }
}

/** Totals of the first level of the tree. */
static ubi_delta_count first_level(const ubi_census_diff *diff, bool invert) {
    ubi_census_tree_options options = UBI_CENSUS_TREE_OPTIONS_INIT;
    ubi_census_tree *tree;
    ubi_census_node node;
    options.is_inverted = invert;
    assert_int_equal(ubi_census_diff_tree_new(&tree, diff, &options), UBI_OK);
    ubi_census_tree_node(tree, ubi_census_tree_root(tree), &node);
    ubi_delta_count sum = { .count = node.count, .bytes = node.bytes };
    for (uint32_t i = 0; i < node.n_children; i++) {
        ubi_census_node child;
        ubi_census_tree_node(tree, node.children[i], &child);
        sum.count += child.total_count;
        sum.bytes += child.total_bytes;
    }
    ubi_census_tree_free(tree);
    return sum;
}

static void trees_add_up_to_what_changed(void **state) {
    (void)state;
    unsigned n_compared = 0;
    for (unsigned round = 0; round < random_cases(N_ROUNDS); round++) {
        ubi_delta_count sum = { 0 };
        bool changed = false;
        pair p;
        if (!pair_of_round(&p, round, UBI_COMPAT_NONE, false))
            continue;
        add_up(ubi_census_diff_delta(p.diff), &sum, &changed);
        for (int invert = 0; !strchr(p.json, '[') && invert < 2; invert++) {
            ubi_delta_count shown = first_level(p.diff, invert);
            if (shown.count != sum.count || shown.bytes != sum.bytes)
                fail_msg("round %u, %s, inverted %d", round, p.json, invert);
            n_compared += changed;
        }
        pair_drop(&p);
    }
    assert_true(n_compared > random_cases(N_ROUNDS) / 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_diff_equals_the_slow_one),
        cmocka_unit_test(firefoxs_diff_equals_the_slow_one),
        cmocka_unit_test(a_heap_does_not_differ_from_itself),
        cmocka_unit_test(trees_add_up_to_what_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
