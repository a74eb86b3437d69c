/* SPDX-License-Identifier: MIT
 *
 * walk_for_tests.h: a frozen heap by hand: nodes by the value they stand for, edges as text.
 *
 *     "shape:JSShape a:JSString b:Array 0:Object"       name:class, or type when it is no object; in the engine's order
 */
#ifndef UBI_QUICKJS_WALK_FOR_TESTS_H
#define UBI_QUICKJS_WALK_FOR_TESTS_H

#include <stdlib.h>

#include "engines/quickjs/runtime_for_tests.h"

#define TEST_EDGES_TEXT_BYTES 8192 /* more is cut */

typedef struct test_walk {
    ubi_target target;
    ubi_frozen_heap heap;
    bool with_names_only; /* leave out what edges lead to */
    char text[TEST_EDGES_TEXT_BYTES];
} test_walk;

static inline void test_freeze(test_walk *w, const test_runtime *t, const ubi_target_scope *scope) {
    *w = (test_walk){ .target = ubi_quickjs_target(t->tools) };
    assert_int_equal(w->target.ops->freeze(w->target.payload, scope, &w->heap), UBI_OK);
}
static inline void test_thaw(test_walk *w) {
    ubi_status status = w->target.ops->thaw(w->target.payload);
    if (status != UBI_OK)
        print_error("%s\n", ubi_error_message());
    assert_int_equal(status, UBI_OK);
}

/* Refs are dense, and the root's is the last. */
static inline ubi_node test_node(const test_walk *w, uint64_t ref) {
    return (ubi_node){ w->heap.root.ops, w->heap.root.heap, ref };
}
static inline ubi_node test_node_with_id(const test_walk *w, uint64_t id) {
    for (uint64_t ref = 0; ref <= w->heap.root.ref; ref++)
        if (ubi_node_id(test_node(w, ref)) == id)
            return test_node(w, ref);
    fail_msg("no node has the id %llx", (unsigned long long)id);
    return w->heap.root;
}
static inline ubi_node test_node_of(const test_walk *w, const test_runtime *t, JSValueConst value) {
    uint64_t id = 0;
    assert_true(ubi_quickjs_node_id(t->tools, value, &id));
    return test_node_with_id(w, id);
}

static inline bool test_append_edge(void *payload, ubi_node referent, ubi_text name) {
    test_walk *w = payload;
    ubi_text class_name = ubi_node_class_name(referent);
    ubi_text what = class_name.ptr ? class_name : ubi_node_type_name(referent);
    size_t n = strlen(w->text);
    const char *space = n ? " " : "";
    int name_length = name.ptr ? (int)name.len : 1;
    if (w->with_names_only)
        snprintf(w->text + n, sizeof w->text - n, "%s%.*s", space, name_length, name.ptr ? name.ptr : "-");
    else
        snprintf(w->text + n, sizeof w->text - n, "%s%.*s:%.*s", space, name_length, name.ptr ? name.ptr : "-",
                 (int)what.len, what.ptr);
    return true;
}
static inline const char *test_edges_of_node(test_walk *w, ubi_node node) {
    w->text[0] = '\0';
    assert_true(ubi_node_edges(node, true, test_append_edge, w));
    return w->text;
}

typedef struct test_search {
    const char *name;
    uint64_t skip;
    ubi_node found;
} test_search;
static inline bool test_match_edge(void *payload, ubi_node referent, ubi_text name) {
    test_search *search = payload;
    bool matches = name.ptr && name.len == strlen(search->name) && memcmp(name.ptr, search->name, name.len) == 0;
    if (matches && search->skip-- == 0)
        search->found = referent;
    return search->found.ops == NULL;
}
/* The nth node that an edge of this name leads to. */
static inline ubi_node test_follow_nth(ubi_node node, const char *name, uint64_t nth) {
    test_search search = { .name = name, .skip = nth };
    ubi_node_edges(node, true, test_match_edge, &search);
    if (!search.found.ops)
        fail_msg("no edge is named %s", name);
    return search.found;
}
static inline ubi_node test_follow(ubi_node node, const char *name) {
    return test_follow_nth(node, name, 0);
}

/* ---- groups --------------------------------------------------------------------------------------------------------- */

static inline bool test_same_text(ubi_text a, ubi_text b) {
    return (a.ptr == NULL) == (b.ptr == NULL) && a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline void test_same_texts(ubi_node a, ubi_node b) {
    assert_int_equal(ubi_node_coarse_type(a), ubi_node_coarse_type(b));
    assert_true(test_same_text(ubi_node_type_name(a), ubi_node_type_name(b)));
    assert_true(test_same_text(ubi_node_class_name(a), ubi_node_class_name(b)));
    assert_true(test_same_text(ubi_node_script_filename(a), ubi_node_script_filename(b)));
    assert_true(test_same_text(ubi_node_descriptive_name(a), ubi_node_descriptive_name(b)));
}

/* Nodes of a group have the same texts. Returns how many groups there are. */
static inline uint32_t test_groups(const test_walk *w) {
    enum { MOST = 100000 };
    uint64_t *first = calloc(MOST, sizeof *first);
    uint32_t n_groups = 0;
    assert_non_null(first);
    for (uint64_t ref = 0; ref <= w->heap.root.ref; ref++) {
        uint32_t group = ubi_node_group(test_node(w, ref));
        if (group == UBI_NONE)
            continue;
        assert_true(group < MOST);
        n_groups += first[group] == 0;
        if (first[group])
            test_same_texts(test_node(w, first[group] - 1), test_node(w, ref));
        else
            first[group] = ref + 1;
    }
    free(first);
    return n_groups;
}

#endif
