/* SPDX-License-Identifier: MIT
 *
 * Tests of unwind.h in signal handlers: on the thread's stack and on another one, when a function is interrupted at any of its
 * instructions, between frames of the same handler.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cmocka.h>

#include "stack_truth.h"
#include "unwind/unwind.h"

#if defined(__x86_64__)

#define STAY() __asm__ volatile("" ::: "memory")

static stack_truth truth;

static int start(void **state) {
    (void)state;
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

static void handle(int signal, void (*handler)(int, siginfo_t *, void *), int flags) {
    struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags };
    assert_int_equal(sigaction(signal, &action, NULL), 0);
}

static ubi__unwind_registers interrupted(const void *context) {
    const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
    return (ubi__unwind_registers){ (uintptr_t)registers[REG_RIP] + 1, (uintptr_t)registers[REG_RSP],
                                    (uintptr_t)registers[REG_RBP] };
}

/* ---- handlers ---------------------------------------------------------------------------------------------------- */

__attribute__((noinline)) static void raise_below(unsigned depth, int signal) {
    if (depth > 0)
        raise_below(depth - 1, signal);
    else
        raise(signal);
    (void)stack_truth_check(&truth); // also between signals
}

static void check_in_handler(int signal, siginfo_t *info, void *context) {
    (void)info;
    (void)stack_truth_check(&truth);
    (void)stack_truth_check(&truth);
    ubi__unwind_registers from = interrupted(context);
    (void)stack_truth_check_from(&truth, &from);
    if (signal == SIGUSR1)
        raise_below(3, SIGUSR2); // a handler in a handler
    STAY();
}

static void handlers_are_walked_through(void **state) {
    (void)state;
    handle(SIGUSR1, check_in_handler, 0);
    handle(SIGUSR2, check_in_handler, 0);
    for (unsigned i = 0; i < 20; i++)
        raise_below(i, SIGUSR1);
    assert_all_right();
}

static void handlers_on_a_stack_of_their_own_are_walked_through(void **state) {
    (void)state;
    size_t size_bytes = 256 * 1024;
    char *block = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(block != MAP_FAILED);
    stack_t stack = { .ss_sp = block, .ss_size = size_bytes };
    assert_int_equal(sigaltstack(&stack, NULL), 0);
    handle(SIGUSR1, check_in_handler, SA_ONSTACK);
    handle(SIGUSR2, check_in_handler, SA_ONSTACK);
    for (unsigned i = 0; i < 20; i++)
        raise_below(i, SIGUSR1);
    stack.ss_flags = SS_DISABLE;
    assert_int_equal(sigaltstack(&stack, NULL), 0);
    munmap(block, size_bytes);
    raise_below(20, SIGUSR1);
    assert_all_right();
}

static void a_walk_in_a_handler_leaves_the_memory_of_the_one_outside(void **state) {
    (void)state;
    handle(SIGUSR2, check_in_handler, 0);
    for (unsigned i = 0; i < 100; i++)
        raise_below(30, SIGUSR2);
    assert_all_right();
    assert_true(truth.n_new < truth.n_frames / 3);
}

/* ---- frames of handlers are not kept ------------------------------------------------------------------------------ */

static ubi__unwind_registers return_from_handler; /* the state in what handlers return to */

static void note_return(int signal, siginfo_t *info, void *context) {
    (void)signal;
    (void)info;
    (void)stack_truth_check(&truth);
    // On the stack, the context lies where the handler returns to.
    return_from_handler = (ubi__unwind_registers){ .pc = truth.ours.pcs[2], .sp = (uintptr_t)context, .bp = 0 };
}

static void what_a_context_says_is_read_every_time(void **state) {
    (void)state;
    handle(SIGUSR1, note_return, 0);
    raise_below(0, SIGUSR1);
    // A made up context: interrupted at a place that a call, too, has left on the stack.
    struct {
        ucontext_t context;
        uintptr_t words[4];
    } made;
    memset(&made, 0, sizeof made);
    made.words[0] = truth.ours.pcs[0];
    greg_t *registers = made.context.uc_mcontext.gregs;
    registers[REG_RSP] = (greg_t)&made.words[1];
    ubi__unwind_registers from = return_from_handler;
    from.sp = (uintptr_t)&made.context;
    for (greg_t i = 0; i < 4; i++) {
        registers[REG_RIP] = (greg_t)truth.ours.pcs[0] - 1 - i % 2;
        registers[REG_RBP] = i;
        ubi__walk walk;
        ubi__unwind(&truth.unwinder, &from, &walk);
        assert_true(walk.n >= 2);
        assert_int_equal(walk.pcs[0], from.pc);
        assert_int_equal(walk.pcs[1], truth.ours.pcs[0] - (size_t)i % 2);
        for (size_t j = 0; j < walk.n; j++)
            walk.tags[j] = 1;
        ubi__unwind_remember(&truth.unwinder, &from, 1);
        assert_int_equal(ubi__unwind_recall(&truth.unwinder, &from), 0);
    }
}

/* ---- every instruction ------------------------------------------------------------------------------------------- */

static size_t n_steps, n_given_up;

static void check_instruction(int signal, siginfo_t *info, void *context) {
    (void)signal;
    (void)info;
    ubi__unwind_registers from = interrupted(context);
    (void)stack_truth_check_from(&truth, &from);
    n_steps++;
    ubi__unwind_module module;
    if (truth.ours.end == UBI__UNWIND_FAILED && ubi__unwind_module_of(truth.failed_pc, &module))
        n_given_up += strstr(module.path, "ld-linux") != NULL;
}

/** Sets the processor's trap flag, or clears it: with it, SIGTRAP comes after each instruction. */
void unwind_signal_test_trap(void);
void unwind_signal_test_no_trap(void);

__asm__(".text\n"
        "unwind_signal_test_trap:\n"
        "  .cfi_startproc\n"
        "  pushfq\n"
        "  .cfi_adjust_cfa_offset 8\n"
        "  orq $0x100, (%rsp)\n"
        "  popfq\n"
        "  .cfi_adjust_cfa_offset -8\n"
        "  ret\n"
        "  .cfi_endproc\n"
        "unwind_signal_test_no_trap:\n"
        "  .cfi_startproc\n"
        "  pushfq\n"
        "  .cfi_adjust_cfa_offset 8\n"
        "  andq $~0x100, (%rsp)\n"
        "  popfq\n"
        "  .cfi_adjust_cfa_offset -8\n"
        "  ret\n"
        "  .cfi_endproc\n");

static int compare_numbers(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static int do_something(void) {
    int numbers[] = { 5, 3, 9, 1, 7, 2, 8 };
    qsort(numbers, 7, sizeof *numbers, compare_numbers);
    char *end, *text = strdup("1234567 and so on");
    int result = (int)strtol(text, &end, 10) + numbers[3];
    free(text);
    STAY();
    return result;
}

static void every_instruction_can_be_interrupted(void **state) {
    (void)state;
    handle(SIGTRAP, check_instruction, 0);
    n_steps = n_given_up = 0;
    unwind_signal_test_trap();
    volatile int result = do_something();
    unwind_signal_test_no_trap();
    assert_int_equal(result, 1234567 + 5);
    assert_int_equal(truth.n_wrong, 0);
    // A few instructions at the start of ld.so's helper for late binding: it finds its frame by rbx, not followed.
    assert_int_equal(truth.n_failed, n_given_up);
    assert_true(n_steps - n_given_up > 1000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(handlers_are_walked_through),
        TEST(handlers_on_a_stack_of_their_own_are_walked_through),
        TEST(a_walk_in_a_handler_leaves_the_memory_of_the_one_outside),
        TEST(what_a_context_says_is_read_every_time),
        TEST(every_instruction_can_be_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    return 77; // unwind_fallback.c is libgcc's walker itself
}

#endif
