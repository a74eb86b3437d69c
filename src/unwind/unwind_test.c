/* SPDX-License-Identifier: MIT
 *
 * Tests of unwind.h: on all shapes of frames, its stacks are those of libgcc and of glibc's backtrace(), frame by frame, and
 * the memory of the last walk changes nothing but the number of new frames.
 */
#include <alloca.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_numbers.h"
#include "stack_truth.h"
#include "unwind/unwind.h"
#include "unwind/unwind_modules.h"

#if defined(__x86_64__)

static stack_truth truth;

/** Keeps a call from being the last thing that its function does, and so from taking over its frame. */
#define STAY() __asm__ volatile("" ::: "memory")

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

/** Every check was right, none gave up, and there were some. */
static void assert_all_right(void) {
    assert_int_equal(truth.n_wrong, 0);
    assert_int_equal(truth.n_failed, 0);
    assert_true(truth.n_checks > 0);
}

/* ---- shapes of frames -------------------------------------------------------------------------------------------- */

/** What a frame does: calls others to some depth, by the bits of `path`, and checks at the end. */
typedef struct plan {
    unsigned depth;
    uint64_t path;
    unsigned checks; /* at the leaf */
} plan;

static void plan_follow(plan p);

__attribute__((noinline)) static void plain_frame(plan p) {
    plan_follow(p);
    STAY();
}

__attribute__((noinline)) static void large_frame(plan p) {
    volatile char block[5000];
    block[p.depth] = 1;
    plan_follow(p);
    (void)block[p.depth];
}

__attribute__((noinline)) static void growing_frame(plan p) {
    volatile char *block = alloca(1 + random_below(600));
    block[0] = 1;
    plan_follow(p);
    STAY();
}

__attribute__((noinline)) static void aligned_frame(plan p) {
    alignas(64) volatile char block[64];
    block[p.depth % 64] = 1;
    plan_follow(p);
    (void)block[p.depth % 64];
}

__attribute__((noinline)) static void busy_frame(plan p) {
    volatile unsigned v = p.depth;
    unsigned a = v, b = v, c = v, d = v, e = v, f = v, g = v;
    plan_follow(p);
    v = a + b + c + d + e + f + g;
}

__attribute__((noinline)) static void checking_frame(plan p) {
    (void)stack_truth_check(&truth); // mistakes are counted
    plan_follow(p);
    STAY();
}

/** Calls the function with rbp full of something else. */
void unwind_test_without_bp(void (*call)(plan *), plan *p);
/** Its frame, and where it saved rbp, are said with expressions. */
void unwind_test_with_expressions(void (*call)(plan *), plan *p);

__asm__(".text\n"
        ".type unwind_test_without_bp, @function\n"
        "unwind_test_without_bp:\n"
        "  .cfi_startproc\n"
        "  pushq %rbp\n"
        "  .cfi_def_cfa_offset 16\n"
        "  .cfi_offset 6, -16\n"
        "  movq %rdi, %rax\n"
        "  movq %rsi, %rdi\n"
        "  movq $0x123456789, %rbp\n"
        "  call *%rax\n"
        "  popq %rbp\n"
        "  .cfi_restore 6\n"
        "  .cfi_def_cfa_offset 8\n"
        "  ret\n"
        "  .cfi_endproc\n"
        ".size unwind_test_without_bp, . - unwind_test_without_bp\n"
        ".type unwind_test_with_expressions, @function\n"
        "unwind_test_with_expressions:\n"
        "  .cfi_startproc\n"
        "  leaq 8(%rsp), %rdx\n"
        "  pushq %rbp\n"
        "  .cfi_def_cfa_offset 16\n"
        "  .cfi_offset 6, -16\n"
        "  subq $48, %rsp\n"
        "  movq %rdx, 24(%rsp)\n"
        "  .cfi_escape 0x0f, 3, 0x77, 24, 0x06\n" /* CFA: what is at rsp + 24 */
        "  .cfi_escape 0x10, 6, 2, 0x77, 48\n"    /* rbp: at rsp + 48 */
        "  movq %rdi, %rax\n"
        "  movq %rsi, %rdi\n"
        "  movq $17, %rbp\n"
        "  call *%rax\n"
        "  addq $48, %rsp\n"
        "  .cfi_def_cfa 7, 16\n"
        "  .cfi_offset 6, -16\n"
        "  popq %rbp\n"
        "  .cfi_def_cfa_offset 8\n"
        "  ret\n"
        "  .cfi_endproc\n"
        ".size unwind_test_with_expressions, . - unwind_test_with_expressions\n");

static void continue_at(plan *p) {
    plan_follow(*p);
    STAY();
}

__attribute__((noinline)) static void frame_without_bp(plan p) {
    unwind_test_without_bp(continue_at, &p);
    STAY();
}

__attribute__((noinline)) static void frame_with_expressions(plan p) {
    unwind_test_with_expressions(continue_at, &p);
    STAY();
}

static plan sorted_plan;

static int compare_and_continue(const void *a, const void *b) {
    plan p = sorted_plan;
    if (p.depth > 0 && a != b) {
        sorted_plan.depth = 0; // once
        plan_follow(p);
    }
    return *(const char *)a - *(const char *)b;
}

__attribute__((noinline)) static void sorting_frame(plan p) {
    char letters[] = "unwind";
    sorted_plan = p;
    qsort(letters, 6, 1, compare_and_continue);
    sorted_plan = p;
    (void)bsearch("d", letters, 6, 1, compare_and_continue);
}

typedef void frame(plan p);

#define N_SHAPES 8

static frame *const frames[N_SHAPES] = { plain_frame, large_frame,    growing_frame,    aligned_frame,
                                         busy_frame,  checking_frame, frame_without_bp, frame_with_expressions };

static void plan_follow(plan p) {
    if (p.depth == 0) {
        for (unsigned i = 0; i < p.checks; i++)
            (void)stack_truth_check(&truth);
        return;
    }
    frame *next = frames[p.path % N_SHAPES];
    p.depth--;
    p.path = p.path >> 3 | p.path << 61;
    next(p);
    STAY();
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void every_shape_of_frame_is_walked(void **state) {
    (void)state;
    for (size_t i = 0; i < N_SHAPES; i++) {
        frames[i]((plan){ .depth = 3, .checks = 2 });
        frames[i]((plan){ .depth = 2, .path = i, .checks = 2 });
        assert_all_right();
    }
    sorting_frame((plan){ .depth = 4, .path = 0555, .checks = 2 });
    assert_all_right();
}

static uint64_t random_path(void) {
    return (uint64_t)random_below(UINT32_C(1) << 31) << 33 ^ (uint64_t)random_below(UINT32_C(1) << 31) << 11 ^
           random_below(1 << 11);
}

static void random_trees_of_calls_are_walked(void **state) {
    (void)state;
    size_t wanted = 100000;
    uint64_t path = 0;
    while (truth.n_checks < wanted) {
        if (random_below(4) == 0)
            path = random_path();
        uint64_t inner =
            path ^ (random_path() & UINT64_C(0xfff) << 3 * random_below(12)); // mostly, the outer part stays
        plan p = { .depth = random_below(14), .path = inner, .checks = random_below(4) };
        if (random_below(50) == 0)
            sorting_frame(p);
        else
            plan_follow(p);
    }
    assert_all_right();
}

static void frames_that_stay_are_not_new(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 100; i++)
        plan_follow(
            (plan){ .depth = 20, .path = i % 2 << 3 * 18, .checks = 4 }); // another frame before the last every time
    assert_true(truth.n_frames > 400 * 20);
    assert_true(truth.n_new < truth.n_frames / 6);
    assert_all_right();
}

static void the_same_state_again_is_nothing_new(void **state) {
    (void)state;
    ubi__walk walk;
    ubi__unwind_registers here = ubi__unwind_here();
    for (int i = 0; i < 3; i++) {
        ubi__unwind(&truth.unwinder, &here, &walk);
        assert_int_equal(walk.end, UBI__UNWIND_COMPLETE);
        assert_int_equal(walk.n == 0, i > 0);
        assert_int_equal(walk.base_tag, i > 0 ? 7 : 0);
        for (size_t j = 0; j < walk.n; j++)
            walk.tags[j] = 7;
    }
}

__attribute__((noinline)) static void recurse(unsigned depth) {
    (void)stack_truth_check(&truth);
    if (depth > 0)
        recurse(depth - 1);
    (void)stack_truth_check(&truth);
}

static void stacks_are_cut_at_the_greatest_depth(void **state) {
    (void)state;
    static const size_t depths[] = { 1, 2, 3, 5, 20, 128, 700 };
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        stack_truth_fini(&truth);
        stack_truth_init(&truth, depths[i]);
        recurse(150); // at every depth around the greatest, twice
        recurse(3);
        recurse(150);
        assert_int_equal(truth.n_checks, 2 * (151 + 4 + 151));
        assert_all_right();
    }
}

static void a_truncated_stack_that_stays_is_not_new(void **state) {
    (void)state;
    stack_truth_fini(&truth);
    stack_truth_init(&truth, 16);
    plan_follow((plan){ .depth = 40, .checks = 200 });
    assert_all_right();
    assert_int_equal(truth.ours.end, UBI__UNWIND_TRUNCATED);
    assert_true(truth.n_new < 16 + 200 * 3);
}

__attribute__((noinline)) static void go_down(unsigned depth) {
    (void)stack_truth_check(&truth);
    if (depth > 0)
        go_down(depth - 1);
    __asm__ volatile("");
}

static void a_stack_that_is_far_too_deep_is_not_walked_again_at_each_call(void **state) {
    (void)state;
    stack_truth_fini(&truth);
    stack_truth_init(&truth, 128);
    go_down(1000);
    assert_all_right();
    assert_int_equal(truth.ours.end, UBI__UNWIND_TRUNCATED);
    if (truth.n_new >= 16 * truth.n_checks) /* it was 113 for each */
        fail_msg("%zu new frames in %zu walks", truth.n_new, truth.n_checks);
}

static jmp_buf far_out;

static void jump_out(plan *p) {
    plan_follow(*p);
    longjmp(far_out, 1);
}

static void deep_frames_that_were_jumped_out_of_are_forgotten(void **state) {
    (void)state;
    for (volatile unsigned i = 0; i < 500; i++) {
        plan p = { .depth = 1 + random_below(20), .path = random_path(), .checks = 2 };
        if (setjmp(far_out) == 0) {
            unwind_test_without_bp(jump_out, &p);
            fail();
        }
        (void)stack_truth_check(&truth);
        plan_follow((plan){ .depth = random_below(10), .path = random_path(), .checks = 1 });
    }
    assert_all_right();
}

static void the_outermost_frame_is_where_the_program_begins(void **state) {
    (void)state;
    ubi__unwind_module ours, outermost;
    (void)stack_truth_check(&truth);
    assert_all_right();
    assert_int_equal(truth.ours.end, UBI__UNWIND_COMPLETE);
    assert_true(ubi__unwind_module_of((uintptr_t)every_shape_of_frame_is_walked + 1, &ours));
    assert_true(ubi__unwind_module_of(truth.ours.pcs[truth.ours.n - 1], &outermost));
    assert_int_equal(ours.low, outermost.low); // _start
}

static void an_unknown_stack_is_walked_without_memory_of_the_last(void **state) {
    (void)state;
    ubi__unwinder_set_stack(&truth.unwinder, 0, 0);
    plan_follow((plan){ .depth = 20, .path = 1, .checks = 1 });
    size_t n = truth.ours.n, before = truth.n_new;
    plan_follow((plan){ .depth = 20, .path = 1, .checks = 3 });
    assert_int_equal(truth.n_new, before + 3 * n);
    assert_all_right();
}

static void states_are_those_of_the_frames(void **state) {
    (void)state;
    enum { MAX = UBI__UNWIND_DEFAULT_DEPTH };
    ubi__unwind_registers here = ubi__unwind_here(), states[MAX];
    uintptr_t pcs[MAX];
    ubi__unwind_end end;
    size_t n = ubi__unwind_all(&truth.unwinder, &here, pcs, MAX, &end);
    assert_int_equal(ubi__unwind_states(&truth.unwinder, &here, states, MAX, &end), n);
    assert_int_equal(end, UBI__UNWIND_COMPLETE);
    assert_int_equal(states[0].sp, here.sp);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(states[i].pc, pcs[i]);
        assert_true(i == 0 || states[i].sp > states[i - 1].sp);
        uintptr_t rest[MAX]; // a walk that starts there
        assert_int_equal(ubi__unwind_all(&truth.unwinder, &states[i], rest, MAX, &end), n - i);
        assert_memory_equal(rest, pcs + i, (n - i) * sizeof *rest);
    }
    assert_int_equal(ubi__unwind_states(&truth.unwinder, &here, states, 2, &end), 2);
    assert_int_equal(end, UBI__UNWIND_TRUNCATED);
}

static void what_is_forgotten_is_found_again(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        plan_follow((plan){ .depth = 20, .checks = 2 });
        size_t before = truth.n_new;
        if (i % 2)
            ubi__unwinder_forget_walk(&truth.unwinder);
        else
            ubi__unwinder_forget_modules(&truth.unwinder);
        (void)stack_truth_check(&truth);
        assert_int_equal(truth.n_new, before + truth.ours.n);
    }
    assert_all_right();
}

static void tags_that_the_caller_did_not_set_make_frames_new(void **state) {
    (void)state;
    ubi__walk walk;
    size_t n = 0;
    ubi__unwind_registers here = ubi__unwind_here();
    for (int i = 0; i < 2; i++) {
        ubi__unwind(&truth.unwinder, &here, &walk);
        assert_int_equal(walk.base_tag, 0);
        assert_true(i == 0 || walk.n == n);
        n = walk.n;
    }
}

static void set_tags(ubi__walk *walk) {
    for (size_t i = 0; i < walk->n; i++)
        walk->tags[i] = 1 + i;
}

static void a_word_that_changed_is_seen(void **state) {
    // A stack that is made of words: frame after frame of unwind_test_without_bp, which is 16 bytes.
    enum { N = 12 };
    uintptr_t words[2 * N + 2];
    (void)state;
    uintptr_t pc = (uintptr_t)unwind_test_without_bp + 18; // after the call
    for (size_t i = 0; i < N; i++) {
        words[2 * i] = 1000 + i; // rbp
        words[2 * i + 1] = pc;
    }
    words[2 * N - 1] = 0; // the last one has no caller
    ubi__unwind_registers from = { pc, (uintptr_t)words, 1 };
    ubi__unwinder_set_stack(&truth.unwinder, (uintptr_t)words, (uintptr_t)(words + 2 * N));
    ubi__walk walk;
    ubi__unwind(&truth.unwinder, &from, &walk);
    assert_int_equal(walk.n, N);
    ubi__unwind_remember(&truth.unwinder, &from, 5);
    for (size_t at = 1; at < N; at++) {
        for (int i = 0; i < 3; i++) {
            set_tags(&walk);
            if (i < 2)
                words[2 * at - 1] ^= pc ^ (pc - 1); // the frame's pc: changed, changed back, left alone
            assert_int_equal(ubi__unwind_recall(&truth.unwinder, &from), i > 0 ? 5 : 0);
            ubi__unwind(&truth.unwinder, &from, &walk);
            assert_int_equal(walk.end, UBI__UNWIND_COMPLETE);
            assert_int_equal(walk.n, i < 2 ? at + 1 : 0);
            assert_int_equal(walk.base_tag == 0, i < 2 && at == N - 1);
        }
    }
    set_tags(&walk);
    words[11] = 1; // no code
    ubi__unwind(&truth.unwinder, &from, &walk);
    assert_int_equal(walk.end, UBI__UNWIND_FAILED);
    assert_int_equal(walk.failed_pc, 1);
    assert_int_equal(walk.n, 7);
    assert_int_equal(walk.base_tag, 0);
}

/** Its frame is where rbp says. */
void unwind_test_by_bp(void);

__asm__(".text\n"
        "unwind_test_by_bp:\n"
        "  .cfi_startproc\n"
        "  .cfi_def_cfa 6, 16\n"
        "  .cfi_offset 6, -16\n"
        "  nop\n"
        "  nop\n"
        "  .cfi_endproc\n");

static void rbp_counts_where_a_frame_is_found_by_it(void **state) {
    (void)state;
    uintptr_t plain_pc = (uintptr_t)unwind_test_without_bp + 18, by_bp_pc = (uintptr_t)unwind_test_by_bp + 1;
    // Two plain frames, then one whose end is at one of two places. The outermost comes after that place.
    uintptr_t words[] = { 1, plain_pc, 0, by_bp_pc, 0, 0, 50, plain_pc, 51, 0, 60, plain_pc - 1, 61, 0 };
    uintptr_t near_by = (uintptr_t)&words[6], farther = (uintptr_t)&words[10];
    words[2] = near_by;
    ubi__unwind_registers from = { plain_pc, (uintptr_t)words, 1 };
    ubi__unwinder_set_stack(&truth.unwinder, (uintptr_t)words, (uintptr_t)(words + 14));
    ubi__walk walk;
    ubi__unwind(&truth.unwinder, &from, &walk);
    assert_int_equal(walk.n, 4);
    set_tags(&walk);
    ubi__unwind_remember(&truth.unwinder, &from, 5);
    words[0]++; // the rbp of a frame that is found by rsp, as is the next
    from.bp++;
    assert_int_equal(ubi__unwind_recall(&truth.unwinder, &from), 5);
    ubi__unwind(&truth.unwinder, &from, &walk);
    assert_int_equal(walk.n, 0);
    words[6]++; // of the outermost one
    assert_int_equal(ubi__unwind_recall(&truth.unwinder, &from), 0);
    ubi__unwind(&truth.unwinder, &from, &walk);
    assert_int_equal(walk.n, 4);
    set_tags(&walk);
    words[6]--;
    words[2] = farther; // of the one that is found by it
    assert_int_equal(ubi__unwind_recall(&truth.unwinder, &from), 0);
    ubi__unwind(&truth.unwinder, &from, &walk);
    assert_int_equal(walk.n, 4);
    assert_int_equal(walk.pcs[3], plain_pc - 1);
    set_tags(&walk);
    words[2] = near_by;
    assert_int_equal(ubi__unwind_recall(&truth.unwinder, &from), 5); // as it was
    from = (ubi__unwind_registers){ by_bp_pc, (uintptr_t)&words[4], near_by };
    ubi__unwind(&truth.unwinder, &from, &walk);
    assert_int_equal(walk.n, 2);
    set_tags(&walk);
    ubi__unwind_remember(&truth.unwinder, &from, 6);
    assert_int_equal(ubi__unwind_recall(&truth.unwinder, &from), 6);
    from.bp = farther;
    assert_int_equal(ubi__unwind_recall(&truth.unwinder, &from), 0);
    ubi__unwind(&truth.unwinder, &from, &walk);
    assert_int_equal(walk.pcs[1], plain_pc - 1);
}

static void what_is_remembered_is_known_until_it_is_forgotten(void **state) {
    (void)state;
    ubi__walk walk;
    ubi__unwind_registers here = ubi__unwind_here(), elsewhere = here;
    ubi__unwinder *u = &truth.unwinder;
    elsewhere.pc++;
    assert_int_equal(ubi__unwind_recall(u, &here), 0);
    ubi__unwind_remember(u, &here, 1); // nothing was walked
    assert_int_equal(ubi__unwind_recall(u, &here), 0);
    for (int i = 0; i < 3; i++) {
        ubi__unwind(u, &here, &walk);
        ubi__unwind_remember(u, &elsewhere, 1); // what was walked is another one
        assert_int_equal(ubi__unwind_recall(u, &elsewhere), 0);
        ubi__unwind_remember(u, &here, 8);
        assert_int_equal(ubi__unwind_recall(u, &here), 8);
        if (i == 0)
            ubi__unwinder_forget_walk(u);
        else if (i == 1)
            ubi__unwinder_forget_modules(u);
        else
            ubi__unwinder_set_stack(u, u->stack_low, u->stack_high);
        assert_int_equal(ubi__unwind_recall(u, &here), 0);
    }
    u->memo_age = UINT32_MAX; // after very many threads
    ubi__unwind(u, &here, &walk);
    ubi__unwind_remember(u, &here, 9);
    ubi__unwinder_forget_walk(u);
    assert_int_equal(ubi__unwind_recall(u, &here), 0);
    ubi__unwind(u, &here, &walk);
    ubi__unwind_remember(u, &here, 10);
    assert_int_equal(ubi__unwind_recall(u, &here), 10);
}

static void stacks_that_come_again_are_known(void **state) {
    (void)state;
    static const unsigned depths[] = { 1, 10, 20, 100 };
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        size_t known = truth.n_known, checks = truth.n_checks;
        for (int j = 0; j < 10; j++)
            plan_follow((plan){ .depth = depths[i], .checks = 10 });
        assert_int_equal(truth.n_checks - checks, 100);
        if (depths[i] < 100)
            assert_true(truth.n_known - known >= 98);
        else
            assert_int_equal(truth.n_known, known); // too deep for that
    }
    assert_all_right();
}

/** Saves rbp 24 bytes from its CFA, which is 24 bytes from rsp. */
void unwind_test_other_slot(void);

__asm__(".text\n"
        "unwind_test_other_slot:\n"
        "  .cfi_startproc\n"
        "  .cfi_def_cfa_offset 24\n"
        "  .cfi_offset 6, -24\n"
        "  nop\n"
        "  nop\n"
        "  .cfi_endproc\n");

static void the_word_that_counts_is_the_one_that_was_read_last(void **state) {
    (void)state;
    uintptr_t plain_pc = (uintptr_t)unwind_test_without_bp + 18, other_pc = (uintptr_t)unwind_test_other_slot + 1;
    // The outer frame is at words + 5. Below it comes a frame that saves rbp in words[3], then one with words[2].
    uintptr_t words[] = { 1, other_pc, 50, 50, plain_pc, 2, 0 };
    ubi__unwind_registers first = { plain_pc, (uintptr_t)&words[3], 1 }, second = { plain_pc, (uintptr_t)&words[0], 1 };
    ubi__unwinder_set_stack(&truth.unwinder, (uintptr_t)words, (uintptr_t)(words + 7));
    ubi__walk walk;
    ubi__unwind(&truth.unwinder, &first, &walk);
    assert_int_equal(walk.n, 2);
    set_tags(&walk);
    ubi__unwind(&truth.unwinder, &second, &walk);
    assert_int_equal(walk.n, 2);
    assert_int_equal(walk.base_tag, 2);
    set_tags(&walk);
    words[3]++; // of no frame that there is
    ubi__unwind(&truth.unwinder, &second, &walk);
    assert_int_equal(walk.n, 0);
    words[2]++;
    ubi__unwind(&truth.unwinder, &second, &walk);
    assert_int_equal(walk.n, 3);
    assert_int_equal(walk.base_tag, 0);
}

static void modules_are_described(void **state) {
    (void)state;
    ubi__unwind_module program, libc;
    assert_true(ubi__unwind_module_of((uintptr_t)modules_are_described + 1, &program));
    assert_string_equal(program.path, "");
    (void)stack_truth_check(&truth);
    size_t in_libc = truth.ours.n - 2; // __libc_start_main
    assert_true(ubi__unwind_module_of(truth.ours.pcs[in_libc], &libc));
    assert_non_null(strstr(libc.path, "libc.so"));
    assert_true(libc.low < truth.ours.pcs[in_libc] && truth.ours.pcs[in_libc] < libc.high);
    assert_int_equal(libc.bias, libc.low);
    assert_int_equal(libc.build_id_bytes, 20);
    assert_true((uintptr_t)libc.build_id > libc.low && (uintptr_t)libc.build_id < libc.high);
    int here;
    assert_false(ubi__unwind_module_of((uintptr_t)&here, &libc));
    assert_false(ubi__unwind_module_of(1, &libc));
}

static void nothing_called_the_code_that_a_process_begins_with(void **state) {
    (void)state;
    uintptr_t words[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    ubi__unwind_registers from = { ubi__process_entry() + 1, (uintptr_t)words, 0 };
    ubi__walk walk;
    ubi__unwinder_set_stack(&truth.unwinder, (uintptr_t)words, (uintptr_t)(words + 8));
    ubi__unwind(&truth.unwinder, &from, &walk);
    assert_int_equal(walk.end, UBI__UNWIND_COMPLETE);
    assert_int_equal(walk.n, 1);
}

static void functions_are_known_by_where_they_begin(void **state) {
    (void)state;
    uintptr_t start = (uintptr_t)unwind_test_with_expressions;
    assert_int_equal(ubi__unwind_function_of(start + 1), start);
    assert_int_equal(ubi__unwind_function_of(start + 20), start);
    assert_true(ubi__unwind_function_of(start) != start); // the byte before counts
    assert_int_equal(ubi__unwind_function_of((uintptr_t)&truth), 0);
    assert_int_equal(ubi__unwind_function_of(1), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(every_shape_of_frame_is_walked),
        TEST(random_trees_of_calls_are_walked),
        TEST(frames_that_stay_are_not_new),
        TEST(the_same_state_again_is_nothing_new),
        TEST(stacks_are_cut_at_the_greatest_depth),
        TEST(a_truncated_stack_that_stays_is_not_new),
        TEST(a_stack_that_is_far_too_deep_is_not_walked_again_at_each_call),
        TEST(deep_frames_that_were_jumped_out_of_are_forgotten),
        TEST(the_outermost_frame_is_where_the_program_begins),
        TEST(an_unknown_stack_is_walked_without_memory_of_the_last),
        TEST(states_are_those_of_the_frames),
        TEST(what_is_forgotten_is_found_again),
        TEST(tags_that_the_caller_did_not_set_make_frames_new),
        TEST(a_word_that_changed_is_seen),
        TEST(rbp_counts_where_a_frame_is_found_by_it),
        TEST(what_is_remembered_is_known_until_it_is_forgotten),
        TEST(stacks_that_come_again_are_known),
        TEST(the_word_that_counts_is_the_one_that_was_read_last),
        TEST(modules_are_described),
        TEST(nothing_called_the_code_that_a_process_begins_with),
        TEST(functions_are_known_by_where_they_begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    return 77; // unwind_fallback.c is libgcc's walker itself
}

#endif
