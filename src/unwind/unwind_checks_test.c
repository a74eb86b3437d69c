/* SPDX-License-Identifier: MIT
 *
 * unwind_checks_test.c: the invariants of an unwinder are seen when they break.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "damage.h"
#include "unwind/unwind.h"
#include "unwind/unwind_rules.h"

#if defined(__x86_64__)

static void *map_zeroed(void *payload, size_t size_bytes) {
    (void)payload;
    return calloc(1, size_bytes);
}

static void unmap(void *payload, void *p, size_t size_bytes) {
    (void)payload;
    (void)size_bytes;
    free(p);
}

static void check_unwinder(void *unwinder) {
    ubi__unwinder_check(unwinder);
}

static void check_rules(void *unwinder) {
    ubi__rules_check(unwinder);
}

static ubi__unwind_rule *any_rule(const ubi__unwinder *u) {
    ubi__unwind_rule *rule = u->rules;
    while (rule->pc == 0)
        rule++;
    return rule;
}

static void damaged_unwinders_are_seen(void **state) {
    static const ubi__unwind_memory memory = { .map = map_zeroed, .unmap = unmap };
    ubi__unwinder u;
    ubi__unwind_registers here = ubi__unwind_here();
    ubi__walk walk;
    (void)state;
    assert_true(ubi__unwinder_init(&u, &memory, 64));
    ubi__unwinder_set_stack(&u, here.sp - 4096, here.sp + 65536);
    ubi__unwind(&u, &here, &walk);
    assert_true(u.n_rules > 0);
    ubi__unwinder_check(&u);
    size_t first = u.first;
    u.first = u.max_depth + 1;
    assert_damage_seen(check_unwinder, &u, "u->first <= u->max_depth");
    u.first = first;
    u.stack_low = u.stack_high + 1;
    assert_damage_seen(check_unwinder, &u, "u->stack_low <= u->stack_high");
    u.stack_low = u.stack_high - 4096;
    u.n_rules++;
    assert_damage_seen(check_rules, &u, "n == u->n_rules");
    u.n_rules--;
    ubi__unwind_rule *rule = any_rule(&u);
    uint8_t kind = rule->kind;
    rule->kind = UBI__RULE_POINTERS;
    assert_damage_seen(check_rules, &u, "UBI__RULE_POINTERS");
    rule->kind = UBI__RULE_LONG;
    rule->cfa_offset = 1000;
    assert_damage_seen(check_rules, &u, "rule->cfa_offset < u->n_long_rules");
    rule->kind = kind;
    u.n_long_rules = u.long_rule_capacity + 1;
    assert_damage_seen(check_rules, &u, "u->n_long_rules <= u->long_rule_capacity");
    u.n_long_rules = 0;
    ubi__unwinder_fini(&u);
}

#else

static void damaged_unwinders_are_seen(void **state) {
    (void)state;
}

#endif

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(damaged_unwinders_are_seen) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
