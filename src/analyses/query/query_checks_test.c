/* SPDX-License-Identifier: MIT
 *
 * query_checks_test.c: the invariants of queries and patterns are seen when they break.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyses/query/query_pattern.h"
#include "analyses/query/query_program.h"
#include "base/text.h"
#include "damage.h"

static const ubi_query_name vocabulary[] = { { .name = "size", .type = UBI_QUERY_SIZE, .has_basis = true },
                                             { .name = "name", .type = UBI_QUERY_TEXT, .is_by_group = true },
                                             { .name = NULL } };

static void check_query(void *query) {
    ubi__query_check(query);
}

static void damaged_queries_are_seen(void **state) {
    (void)state;
    ubi_query *q;
    assert_int_equal(ubi_query_parse(&q, ubi__text("name == \"a\" and not size > 5%"), vocabulary, NULL), UBI_OK);
    check_query(q);
    q->stack_depth--;
    assert_damage_seen(check_query, q, "++depth <= q->stack_depth");
    q->stack_depth++;
    ubi__instruction *last = &q->program.at[q->program.n - 1];
    last->first++;
    assert_damage_seen(check_query, q, "i->first == left->first");
    last->first--;
    last->is_of_rows = false;
    assert_damage_seen(check_query, q, "i->is_of_rows == (left->is_of_rows || right->is_of_rows)");
    last->is_of_rows = true;
    q->program.at[0].a = 2;
    assert_damage_seen(check_query, q, "i->a < column_length(q, i->op)");
    q->program.at[0].a = 0;
    q->values.at[q->shares.at[0].value].needs_basis = false;
    assert_damage_seen(check_query, q, "needs_basis");
    q->program.n--;
    assert_damage_seen(check_query, q, "depth == 1");
    q->program.n++;
    ubi_query_free(q);
}

static void check_pattern(void *pattern) {
    ubi__pattern_check(pattern);
}

static void damaged_patterns_are_seen(void **state) {
    (void)state;
    ubi__pattern *p;
    size_t at;
    const char *problem;
    assert_int_equal(ubi__pattern_new(&p, ubi__text("a*[0-9]"), ubi_allocator_default(), &at, &problem), UBI_OK);
    check_pattern(p);
    assert_int_equal(p->states.at[0].kind, UBI__STATE_SPLIT);
    p->states.at[0].x += 100;
    assert_damage_seen(check_pattern, p, "i + state.x < n");
    p->states.at[0].x -= 100;
    p->states.at[1].kind = UBI__STATE_MATCH;
    assert_damage_seen(check_pattern, p, "(state.kind == UBI__STATE_MATCH) == (i == n - 1)");
    p->states.at[1].kind = UBI__STATE_CHAR;
    p->sets.at[0].n++;
    assert_damage_seen(check_pattern, p, "p->ranges.n");
    p->sets.at[0].n--;
    p->ranges.at[0].low = 0x7f;
    assert_damage_seen(check_pattern, p, "p->ranges.at[i].low <= p->ranges.at[i].high");
    ubi__pattern_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_queries_are_seen),
        cmocka_unit_test(damaged_patterns_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
