/* SPDX-License-Identifier: MIT
 *
 * Tests of unwind.h with more than one stack in a thread: coroutines, also such whose stack is unmapped between walks
 * or lies in the thread's own, and stacks that end where nothing is mapped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cmocka.h>

#include "random_numbers.h"
#include "stack_truth.h"
#include "unwind/unwind.h"
#include "unwind/unwind_rules.h"

#if defined(__x86_64__)

#define STAY() __asm__ volatile("" ::: "memory")
#define STACK_BYTES (64 * 1024)

static stack_truth truth;

static int start(void **state) {
    (void)state;
    random_start(1);
    stack_truth_init(&truth, UBI__UNWIND_DEFAULT_DEPTH);
    return 0;
}

static int finish(void **state) {
    (void)state;
    stack_truth_fini(&truth);
    return 0;
}

static void assert_all_right(void) {
    assert_int_equal(truth.n_wrong, 0);
    assert_int_equal(truth.n_failed, 0);
    assert_true(truth.n_checks > 0);
}

/* ---- coroutines -------------------------------------------------------------------------------------------------- */

typedef struct coroutine {
    ucontext_t here, outside;
    char *stack;
} coroutine;

static coroutine *running;

static void pause_here(coroutine *c) {
    swapcontext(&c->here, &c->outside);
}

__attribute__((noinline)) static void go_down(coroutine *c, unsigned depth) {
    volatile char block[700];
    block[depth] = 1;
    (void)stack_truth_check(&truth);
    pause_here(c);
    if (depth > 0)
        go_down(c, depth - 1);
    (void)stack_truth_check(&truth);
    (void)block[depth];
}

static void run_coroutine(void) {
    coroutine *c = running;
    for (;;)
        go_down(c, 3 + random_below(30));
}

static void prepare(coroutine *c, char *stack) {
    getcontext(&c->here);
    c->stack = stack;
    c->here.uc_stack.ss_sp = stack;
    c->here.uc_stack.ss_size = STACK_BYTES;
    c->here.uc_link = NULL;
    makecontext(&c->here, run_coroutine, 0);
}

static char *map_stack(void) {
    char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(stack != MAP_FAILED);
    return stack;
}

static void resume(coroutine *c) {
    running = c;
    swapcontext(&c->outside, &c->here);
}

__attribute__((noinline)) static void resume_below(coroutine *c, unsigned depth) {
    if (depth > 0)
        resume_below(c, depth - 1);
    else
        resume(c);
    (void)stack_truth_check(&truth);
}

static void coroutines_are_walked_to_where_they_began(void **state) {
    (void)state;
    coroutine c[3];
    for (size_t i = 0; i < 3; i++)
        prepare(&c[i], map_stack());
    for (int i = 0; i < 3000; i++)
        resume_below(&c[random_below(3)], random_below(10));
    assert_all_right();
    for (size_t i = 0; i < 3; i++)
        munmap(c[i].stack, STACK_BYTES);
}

static void stacks_that_are_unmapped_between_walks_are_not_touched(void **state) {
    (void)state;
    coroutine c;
    for (int i = 0; i < 300; i++) {
        prepare(&c, map_stack());
        for (unsigned j = random_below(20); j > 0; j--)
            resume_below(&c, random_below(3));
        munmap(c.stack, STACK_BYTES); // in the middle of a recursion, or of one that has not begun
        (void)stack_truth_check(&truth);
    }
    assert_all_right();
}

static void a_walk_elsewhere_leaves_the_last_one_on_the_threads_own(void **state) {
    (void)state;
    coroutine c;
    prepare(&c, map_stack());
    ubi__unwind_registers here = ubi__unwind_here();
    ubi__walk walk;
    for (int i = 0; i < 3; i++) {
        ubi__unwind(&truth.unwinder, &here, &walk);
        assert_int_equal(walk.n == 0, i > 0);
        assert_int_equal(walk.base_tag, i > 0 ? 7 : 0);
        for (size_t j = 0; j < walk.n; j++)
            walk.tags[j] = 7;
        resume(&c);
    }
    assert_int_equal(truth.n_new, truth.n_frames); // there, nothing is kept
    assert_all_right();
    munmap(c.stack, STACK_BYTES);
}

static void a_stack_that_is_taken_for_the_threads_own_is_walked(void **state) {
    (void)state;
    coroutine c;
    prepare(&c, map_stack());
    ubi__unwinder_set_stack(&truth.unwinder, (uintptr_t)c.stack, (uintptr_t)c.stack + STACK_BYTES);
    for (int i = 0; i < 1000; i++)
        resume_below(&c, random_below(5));
    assert_all_right();
    assert_true(truth.n_new < truth.n_frames);
    munmap(c.stack, STACK_BYTES);
}

static void a_coroutine_on_the_threads_own_stack_is_walked(void **state) {
    (void)state;
    char stack[STACK_BYTES];
    coroutine c;
    prepare(&c, stack);
    for (int i = 0; i < 1000; i++)
        resume_below(&c, random_below(5));
    assert_all_right();
}

/* ---- stacks that are damaged ------------------------------------------------------------------------------------- */

/** A frame whose caller's is 16 bytes further: pushed rbp, and the return address. */
void unwind_switch_test_frame(void);

__asm__(".text\n"
        ".type unwind_switch_test_frame, @function\n"
        "unwind_switch_test_frame:\n"
        "  .cfi_startproc\n"
        "  .cfi_def_cfa_offset 16\n"
        "  .cfi_offset 6, -16\n"
        "  nop\n"
        "  nop\n"
        "  .cfi_endproc\n"
        ".size unwind_switch_test_frame, . - unwind_switch_test_frame\n");

/** Such frames in all of the given words, with rbp in the first of each two. */
static ubi__unwind_registers fill(uintptr_t *words, size_t n, uintptr_t rbp) {
    for (size_t i = 0; i + 1 < n; i += 2) {
        words[i] = rbp;
        words[i + 1] = (uintptr_t)unwind_switch_test_frame + 1;
    }
    return (ubi__unwind_registers){ (uintptr_t)unwind_switch_test_frame + 1, (uintptr_t)words, rbp };
}

static void a_walk_stops_where_nothing_is_mapped(void **state) {
    enum { PAGE = 4096, WORDS = 3 * PAGE / sizeof(uintptr_t) };
    (void)state;
    char *pages = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    uintptr_t *words = (uintptr_t *)pages, pcs[2 * WORDS];
    ubi__unwind_registers from = fill(words, 4 * PAGE / sizeof *words, 1);
    munmap(pages + 3 * PAGE, PAGE);
    ubi__unwind_end end;
    size_t n = ubi__unwind_all(&truth.unwinder, &from, pcs, 2 * WORDS, &end);
    assert_int_equal(end, UBI__UNWIND_FAILED);
    assert_int_equal(n, WORDS / 2 + 1);
    ubi__walk walk;
    ubi__unwind(&truth.unwinder, &from, &walk);
    assert_int_equal(walk.end, UBI__UNWIND_TRUNCATED);
    assert_int_equal(walk.n, UBI__UNWIND_DEFAULT_DEPTH);
    from.sp = (uintptr_t)(words + WORDS - 10);
    ubi__unwind(&truth.unwinder, &from, &walk);
    assert_int_equal(walk.end, UBI__UNWIND_FAILED);
    assert_int_equal(walk.failed_pc, from.pc);
    assert_int_equal(walk.n, 6);
    mprotect(pages + 2 * PAGE, PAGE, PROT_NONE);
    ubi__unwind(&truth.unwinder, &from, &walk);
    assert_int_equal(walk.end, UBI__UNWIND_FAILED);
    assert_int_equal(walk.n, 1);
    munmap(pages, 3 * PAGE);
}

static void a_walk_stops_at_the_end_of_the_threads_stack(void **state) {
    uintptr_t words[40];
    (void)state;
    ubi__unwind_registers from = fill(words, 40, 1);
    ubi__unwinder_set_stack(&truth.unwinder, (uintptr_t)words, (uintptr_t)(words + 31));
    ubi__walk walk;
    for (int i = 0; i < 2; i++) {
        ubi__unwind(&truth.unwinder, &from, &walk);
        assert_int_equal(walk.end, UBI__UNWIND_FAILED);
        assert_int_equal(walk.failed_pc, from.pc);
        assert_int_equal(walk.n, i == 0 ? 16 : 0);
        assert_int_equal(walk.base_tag, i == 0 ? 0 : 5);
        for (size_t j = 0; j < walk.n; j++)
            walk.tags[j] = 5;
    }
}

/* ---- code of no module ------------------------------------------------------------------------------------------- */

typedef struct walked {
    uintptr_t pcs[UBI__UNWIND_DEFAULT_DEPTH];
    size_t n;
    ubi__unwind_end end;
} walked;

__attribute__((noinline)) static void walk_on(walked *out) {
    ubi__unwind_registers here = ubi__unwind_here();
    out->n = ubi__unwind_all(&truth.unwinder, &here, out->pcs, UBI__UNWIND_DEFAULT_DEPTH, &out->end);
}

static void code_that_is_made_at_run_time_is_walked_by_frame_pointers(void **state) {
    static const unsigned char code[] = {
        0x55,                   // push %rbp
        0x48, 0x89, 0xe5,       // mov %rsp, %rbp
        0x48, 0x89, 0xf8,       // mov %rdi, %rax
        0x48, 0x89, 0xf7,       // mov %rsi, %rdi
        0x48, 0x83, 0xec, 0x20, // sub $32, %rsp
        0xff, 0xd0,             // call *%rax
        0xc9,                   // leave
        0xc3                    // ret
    };
    (void)state;
    void *made = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(made != MAP_FAILED);
    memcpy(made, code, sizeof code);
    assert_int_equal(mprotect(made, 4096, PROT_READ | PROT_EXEC), 0);
    void (*call)(void (*)(walked *), walked *);
    memcpy(&call, &made, sizeof call);
    walked outside, inside;
    walk_on(&outside);
    call(walk_on, &inside);
    assert_int_equal(inside.end, UBI__UNWIND_COMPLETE);
    assert_int_equal(inside.n, outside.n + 1);
    assert_in_range(inside.pcs[1], (uintptr_t)made, (uintptr_t)made + sizeof code);
    assert_null(ubi__rule_find(&truth.unwinder, inside.pcs[1])); // something else may come there
    assert_memory_equal(inside.pcs + 3, outside.pcs + 2, (outside.n - 2) * sizeof *outside.pcs);
    munmap(made, 4096);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(coroutines_are_walked_to_where_they_began),
        TEST(stacks_that_are_unmapped_between_walks_are_not_touched),
        TEST(a_walk_elsewhere_leaves_the_last_one_on_the_threads_own),
        TEST(a_stack_that_is_taken_for_the_threads_own_is_walked),
        TEST(a_coroutine_on_the_threads_own_stack_is_walked),
        TEST(a_walk_stops_where_nothing_is_mapped),
        TEST(a_walk_stops_at_the_end_of_the_threads_stack),
        TEST(code_that_is_made_at_run_time_is_walked_by_frame_pointers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    return 77; // unwind_fallback.c is libgcc's walker itself
}

#endif
