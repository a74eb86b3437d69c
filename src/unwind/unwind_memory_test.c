/* SPDX-License-Identifier: MIT
 *
 * Tests of unwind.h without memory: each request for more fails in turn, and all from one on; walks stay right.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stack_truth.h"
#include "unwind/unwind.h"
#include "unwind/unwind_rules.h"

#if defined(__x86_64__)

#define STAY() __asm__ volatile("" ::: "memory")

/** Memory that a checker of memory watches, and that is refused at one request, or from one on. */
typedef struct scarce {
    size_t n_requests, n_held;
    size_t refused, n_refused; /* first one, how many */
} scarce;

static void *map_scarce(void *payload, size_t size_bytes) {
    scarce *s = payload;
    size_t request = s->n_requests++;
    if (request - s->refused < s->n_refused)
        return NULL;
    s->n_held++;
    return calloc(1, size_bytes);
}

static void unmap_scarce(void *payload, void *p, size_t size_bytes) {
    scarce *s = payload;
    memset(p, 0xaa, size_bytes); // all of it was given
    s->n_held--;
    free(p);
}

/* ---- many rules -------------------------------------------------------------------------------------------------- */

/* Functions without number: one after the other, each of 4 bytes and described by the same words. */
#define N_FUNCTIONS 3000

__asm__(".text\n"
        ".globl unwind_memory_test_functions\n"
        ".hidden unwind_memory_test_functions\n"
        "unwind_memory_test_functions:\n"
        "  .cfi_startproc\n"
        "  .cfi_def_cfa_offset 16\n"
        "  .cfi_offset 6, -16\n"
        "  .fill 6000, 1, 0x90\n"
        "  .cfi_escape 0x0f, 2, 0x77, 16\n" /* CFA: rsp + 16, as an expression */
        "  .fill 6000, 1, 0x90\n"
        "  .cfi_endproc\n");

extern const char unwind_memory_test_functions[];

/** Walks 12000 made up return addresses of that code, 100 a stack, in an order that leaves no two close together. */
static void walk_made_up_stacks(ubi__unwinder *u, unsigned seed) {
    enum { N = 100 };
    uintptr_t words[2 * N], pcs[N + 1];
    for (size_t walk = 0; walk < 4 * N_FUNCTIONS / N; walk++) {
        uintptr_t sum = 0;
        for (size_t i = 0; i < N; i++) {
            words[2 * i] = i;
            words[2 * i + 1] = (uintptr_t)unwind_memory_test_functions + 1 + ((walk * N + i) * 7919 + seed) % 12000;
            sum += words[2 * i + 1];
        }
        sum -= words[2 * N - 1];
        words[2 * N - 1] = 0;
        ubi__unwind_registers from = { (uintptr_t)unwind_memory_test_functions + 1, (uintptr_t)words, 0 };
        ubi__unwind_end end;
        size_t n = ubi__unwind_all(u, &from, pcs, N + 1, &end);
        assert_int_equal(n, N);
        assert_int_equal(end, UBI__UNWIND_COMPLETE);
        for (size_t i = 1; i < N; i++)
            sum -= pcs[i];
        assert_int_equal(sum, 0);
    }
}

static void the_tables_grow_with_what_they_hold(void **state) {
    (void)state;
    scarce s = { .n_refused = 0 };
    ubi__unwind_memory memory = { map_scarce, unmap_scarce, &s };
    ubi__unwinder u;
    assert_true(ubi__unwinder_init(&u, &memory, 100));
    assert_int_equal(s.n_requests, 1);
    uintptr_t low, high;
    stack_truth_bounds(&low, &high);
    ubi__unwinder_set_stack(&u, low, high);
    walk_made_up_stacks(&u, 0);
    assert_true(u.n_rules > 11000 && u.n_rules <= 12001);
    assert_true(u.n_long_rules > 5500 && u.n_long_rules <= 6000);
    assert_true(2 * u.n_rules <= u.rule_capacity && u.rule_capacity <= 4 * u.n_rules);
    size_t requests = s.n_requests;
    walk_made_up_stacks(&u, 0);
    assert_int_equal(s.n_requests, requests);
    ubi__unwinder_forget_modules(&u);
    assert_int_equal(u.n_rules, 0);
    walk_made_up_stacks(&u, 0);
    assert_int_equal(s.n_requests, requests); // the room stays
    assert_int_equal(s.n_held, 3);
    ubi__unwinder_fini(&u);
    assert_int_equal(s.n_held, 0);
}

static void walks_are_right_without_memory(void **state) {
    (void)state;
    for (size_t n_refused = 1; n_refused <= 1000; n_refused += 999) {
        for (size_t refused = 0; refused < 20; refused++) {
            scarce s = { .refused = refused, .n_refused = n_refused };
            ubi__unwind_memory memory = { map_scarce, unmap_scarce, &s };
            ubi__unwinder u;
            if (!ubi__unwinder_init(&u, &memory, 100)) {
                assert_int_equal(refused, 0);
                assert_int_equal(s.n_held, 0);
                continue;
            }
            uintptr_t low, high;
            stack_truth_bounds(&low, &high);
            ubi__unwinder_set_stack(&u, low, high);
            walk_made_up_stacks(&u, 0);
            walk_made_up_stacks(&u, 5);
            assert_true(refused >= 15 || s.n_requests > refused);
            ubi__unwinder_fini(&u);
            assert_int_equal(s.n_held, 0);
        }
    }
}

static void depths_are_checked(void **state) {
    (void)state;
    ubi__unwinder u;
    assert_false(ubi__unwinder_init(&u, &truth_memory, 0));
    assert_false(ubi__unwinder_init(&u, &truth_memory, UBI__UNWIND_MAX_DEPTH + 1));
    assert_true(ubi__unwinder_init(&u, &truth_memory, UBI__UNWIND_MAX_DEPTH));
    ubi__unwinder_fini(&u);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tables_grow_with_what_they_hold),
        cmocka_unit_test(walks_are_right_without_memory),
        cmocka_unit_test(depths_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    return 77; // unwind_fallback.c is libgcc's walker itself
}

#endif
