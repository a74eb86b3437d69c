/* SPDX-License-Identifier: MIT
 *
 * v8_filters_random_test.c: DevTools' filters of random graphs against slow and obvious programs that were written from the
 * rules: whatever changes something is done until nothing changes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fail_allocator.h"
#include "lenses/v8/v8_look.h"
#include "plain_look.h"
#include "random_numbers.h"

static ubi_text label_of(const plain *p, ubi_edge_ix e, char buffer[UBI_EDGE_LABEL_BYTES]) {
    return ubi_graph_edge_label(p->g, e, buffer);
}

/* ---- retained by ... --------------------------------------------------------------------------------------------- */

static bool is_console_edge(const plain *p, ubi_node_ix source, ubi_edge_ix e) {
    static const char end[] = " / DevTools console";
    ubi_text name = ubi_graph_string(p->g, ubi_graph_edge_name(p->g, e));
    return ubi__v8_node_type(p->look, source) == UBI__V8_SYNTHETIC && name.ptr && name.len >= strlen(end) &&
           memcmp(name.ptr + name.len - strlen(end), end, strlen(end)) == 0;
}

static bool reach_more(plain *p, bool no_console) {
    bool changed = false;
    for (ubi_node_ix node = 0; node < p->n; node++)
        for (ubi_edge_ix e = ubi_graph_first_edge(p->g, node); e < ubi_graph_first_edge(p->g, node + 1); e++) {
            ubi_node_ix target = ubi_graph_edge_target(p->g, e);
            if (!p->reached[node] || p->reached[target] || p->marked[target] ||
                ubi_graph_edge_kind(p->g, e) == UBI_EDGE_WEAK || (no_console && is_console_edge(p, node, e)))
                continue;
            p->reached[target] = changed = true;
        }
    return changed;
}

static void pass_retained(plain *p, bool no_console) {
    p->reached[ubi_graph_root(p->g)] = true;
    while (reach_more(p, no_console))
        ;
    for (ubi_node_ix node = 0; node < p->n; node++)
        p->passes[node] = p->distance[node] != UBI_NONE && !p->reached[node];
}

static void plain_detached(plain *p) {
    for (ubi_node_ix node = 0; node < p->n; node++)
        p->marked[node] = ubi_look_detachedness(p->look, node) == UBI_DETACHED;
    pass_retained(p, false);
}

static void plain_console(plain *p) {
    pass_retained(p, true);
}

static void plain_contexts(plain *p) {
    for (ubi_node_ix node = 0; node < p->n; node++)
        p->marked[node] =
            plain_name_is(p, node, "system / Context") || plain_name_starts(p, node, "system / Context / ");
    pass_retained(p, false);
}

static bool label_is(const plain *p, ubi_edge_ix e, const char *label) {
    char buffer[UBI_EDGE_LABEL_BYTES];
    ubi_text text = label_of(p, e, buffer);
    if (ubi_graph_edge_kind(p->g, e) == UBI_EDGE_SHORTCUT && text.len == 2 && memcmp(text.ptr, "01", 2) == 0)
        text = ubi__text("1");
    /* the other shortcut names of the pool that begin with a number */
    if (ubi_graph_edge_kind(p->g, e) == UBI_EDGE_SHORTCUT && text.len > 2 && text.ptr[0] == '1')
        text = ubi__text("1");
    return ubi__text_is(text, label);
}

static ubi_node_ix child(const plain *p, ubi_node_ix node, const char *label) {
    for (ubi_edge_ix e = ubi_graph_first_edge(p->g, node); e < ubi_graph_first_edge(p->g, node + 1); e++)
        if (label_is(p, e, label))
            return ubi_graph_edge_target(p->g, e);
    return UBI_NONE;
}

static void plain_handlers(plain *p) {
    for (ubi_node_ix node = 0; node < p->n; node++) {
        ubi_node_ix callback = plain_name_is(p, node, "V8EventListener") ? child(p, node, "1") : UBI_NONE,
                    found = callback;
        if (callback == UBI_NONE)
            continue;
        bool done = child(p, callback, "code") != UBI_NONE;
        for (ubi_edge_ix e = ubi_graph_first_edge(p->g, callback);
             !done && e < ubi_graph_first_edge(p->g, callback + 1); e++) {
            done = child(p, ubi_graph_edge_target(p->g, e), "code") != UBI_NONE;
            found = done ? ubi_graph_edge_target(p->g, e) : found;
        }
        p->marked[found] = true;
    }
    pass_retained(p, false);
}

/* ---- duplicates -------------------------------------------------------------------------------------------------- */

static bool is_text(const plain *p, ubi_node_ix node) {
    ubi_look_name_buffer buffer;
    ubi__v8_type type = ubi__v8_node_type(p->look, node);
    if ((type != UBI__V8_STRING && type != UBI__V8_CONS_STRING) || ubi_look_size_bytes(p->look, node) == 0)
        return false;
    for (ubi_edge_ix e = ubi_graph_first_edge(p->g, node); e < ubi_graph_first_edge(p->g, node + 1); e++) {
        ubi_text name = ubi_graph_string(p->g, ubi_graph_edge_name(p->g, e));
        bool is_half = type == UBI__V8_CONS_STRING && ubi_graph_edge_kind(p->g, e) == UBI_EDGE_INTERNAL &&
                       (ubi__text_is(name, "first") || ubi__text_is(name, "second"));
        if (is_half && ubi_look_display_name(p->look, ubi_graph_edge_target(p->g, e), &buffer).len == 0)
            return false;
    }
    return true;
}

static void plain_duplicates(plain *p) {
    for (ubi_node_ix a = 0; a < p->n; a++)
        for (ubi_node_ix b = 0; b < p->n; b++) {
            ubi_look_name_buffer first, second;
            if (a != b && is_text(p, a) && is_text(p, b) &&
                ubi__text_equal(ubi_look_display_name(p->look, a, &first), ubi_look_display_name(p->look, b, &second)))
                p->passes[a] = true;
        }
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static void compare_filter(const char *filter, void (*slow)(plain *p)) {
    uint32_t n_rounds = random_cases(4000), n_passing = 0;
    for (uint64_t seed = 0; seed < n_rounds; seed++) {
        plain p = plain_open(seed);
        slow(&p);
        plain_assert_passing(&p, filter, NULL);
        for (ubi_node_ix node = 0; node < p.n; node++)
            n_passing += p.passes[node];
        plain_close(&p);
    }
    assert_true(n_passing > n_rounds / 10); /* else it tests nothing */
}

static void what_detached_nodes_retain(void **state) {
    (void)state;
    compare_filter("detached-dom", plain_detached);
}

static void what_the_console_retains(void **state) {
    (void)state;
    compare_filter("console", plain_console);
}

static void what_contexts_retain(void **state) {
    (void)state;
    compare_filter("contexts", plain_contexts);
}

static void what_event_handlers_retain(void **state) {
    (void)state;
    compare_filter("event-handlers", plain_handlers);
}

static void strings_of_one_text(void **state) {
    (void)state;
    compare_filter("duplicate-strings", plain_duplicates);
}

static void ids_of_a_span(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        plain p = plain_open(seed);
        ubi_look_options options = UBI_LOOK_OPTIONS_INIT;
        options.id_above = random_below(1024);
        options.id_upto = random_below(1024);
        for (ubi_node_ix node = 0; node < p.n; node++) {
            uint64_t id = ubi_graph_node_id(p.g, node);
            p.passes[node] = id > options.id_above && id <= options.id_upto;
        }
        plain_assert_passing(&p, "allocated", &options);
        plain_close(&p);
    }
}

/* ---- names, failures --------------------------------------------------------------------------------------------- */

static void a_look_opened_with_a_filter_shows_the_same(void **state) {
    (void)state;
    for (const ubi_lens_filter *f = ubi_lens_filters(ubi_lens_find("v8")); f->name; f++) {
        plain p = plain_open(7);
        ubi_look_options options = UBI_LOOK_OPTIONS_INIT;
        ubi_look *filtered;
        uint64_t bits[PLAIN_MAX_NODES / 64 + 1];
        options.filter = f->name;
        options.id_upto = 900;
        ubi_status status = ubi_look_filter_apply(bits, p.look, f->name, &options);
        assert_int_equal(ubi_look_open(&filtered, ubi_lens_find("v8"), p.g, &options), status);
        for (ubi_node_ix node = 0; status == UBI_OK && node < p.n; node++)
            assert_int_equal(ubi_look_shows(filtered, node), bits[node / 64] >> (node % 64) & 1);
        if (status == UBI_OK)
            ubi_look_close(filtered);
        plain_close(&p);
    }
}

static void unknown_filters_and_contexts_are_refused(void **state) {
    (void)state;
    plain p = plain_open(7);
    uint64_t bits[PLAIN_MAX_NODES / 64 + 1];
    ubi_look_options options = UBI_LOOK_OPTIONS_INIT;
    options.id_upto = 1u << 30;
    assert_int_equal(ubi_look_filter_apply(bits, p.look, "nothing", NULL), UBI_EINVAL);
    assert_int_equal(ubi_look_filter_apply(bits, p.look, NULL, NULL), UBI_EINVAL);
    assert_int_equal(ubi_look_filter_apply(bits, p.look, "native-context", &options), UBI_EINVAL);
    ubi_look *other;
    assert_int_equal(ubi_look_open(&other, ubi_lens_find("firefox"), p.g, NULL), UBI_OK);
    assert_int_equal(ubi_look_filter_apply(bits, other, "console", NULL), UBI_EINVAL);
    ubi_look_close(other);
    plain_close(&p);
}

typedef struct work {
    const ubi_look *look;
    const char *filter;
} work;

static ubi_status apply(void *payload, const ubi_allocator *allocator) {
    const work *w = payload;
    uint64_t bits[PLAIN_MAX_NODES / 64 + 1];
    ubi_look_options options = UBI_LOOK_OPTIONS_INIT;
    options.allocator = allocator;
    return ubi_look_filter_apply(bits, w->look, w->filter, &options);
}

static void every_failed_allocation_has_a_way_out(void **state) {
    (void)state;
    plain p = plain_open(11);
    work w = { .look = p.look };
    for (const ubi_lens_filter *f = ubi_lens_filters(ubi_lens_find("v8")); f->name; f++) {
        w.filter = f->name;
        if (strcmp(f->name, "native-context") != 0) /* no id */
            fail_each_allocation(apply, &w);
    }
    plain_close(&p);
}

static bool refuse(void *payload, const char *stage, uint64_t done, uint64_t total) {
    (void)stage, (void)done, (void)total;
    ++*(int *)payload;
    return false;
}

static void all_of_them_can_be_cancelled(void **state) {
    (void)state;
    plain p = plain_open(11);
    int n_asked = 0;
    uint64_t bits[PLAIN_MAX_NODES / 64 + 1];
    ubi_look_options options = UBI_LOOK_OPTIONS_INIT;
    options.progress = (ubi_progress){ refuse, &n_asked };
    for (const ubi_lens_filter *f = ubi_lens_filters(ubi_lens_find("v8")); f->name; f++) {
        int before = n_asked;
        ubi_status status = ubi_look_filter_apply(bits, p.look, f->name, &options);
        assert_true(n_asked == before || status == UBI_ECANCELLED);
    }
    assert_true(n_asked >= 5);
    plain_close(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_detached_nodes_retain),
        cmocka_unit_test(what_the_console_retains),
        cmocka_unit_test(what_contexts_retain),
        cmocka_unit_test(what_event_handlers_retain),
        cmocka_unit_test(strings_of_one_text),
        cmocka_unit_test(ids_of_a_span),
        cmocka_unit_test(a_look_opened_with_a_filter_shows_the_same),
        cmocka_unit_test(unknown_filters_and_contexts_are_refused),
        cmocka_unit_test(every_failed_allocation_has_a_way_out),
        cmocka_unit_test(all_of_them_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
