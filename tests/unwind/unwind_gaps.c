/* SPDX-License-Identifier: MIT
 *
 * unwind_gaps.c: a program with a segment far from the others, which the loader knows piece by piece. Exits with 0 if
 * stacks through both are right and both are known as one module.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stack_truth.h"

static stack_truth truth;

__attribute__((noinline, section(".far,\"ax\",@progbits#"))) static void call_from_afar(unsigned depth) {
    if (depth > 0)
        call_from_afar(depth - 1);
    (void)stack_truth_check(&truth); // mistakes are counted
}

int main(void) {
    ubi__unwind_module near, far;
    stack_truth_init(&truth, UBI__UNWIND_DEFAULT_DEPTH);
    for (unsigned i = 0; i < 10; i++)
        call_from_afar(i);
    bool known =
        ubi__unwind_module_of((uintptr_t)main + 1, &near) && ubi__unwind_module_of((uintptr_t)call_from_afar + 1, &far);
    bool one = known && near.low == far.low && near.high == far.high && near.bias == far.bias &&
               near.build_id == far.build_id && near.build_id_bytes == 20 && far.high > (uintptr_t)call_from_afar;
    bool apart = (uintptr_t)call_from_afar - (uintptr_t)main > 0x1000000;
    printf("%zu checks, %zu wrong, %zu failed; %s, %s\n", truth.n_checks, truth.n_wrong, truth.n_failed,
           one ? "one module" : "not one module", apart ? "apart" : "not apart");
    bool right = truth.n_wrong == 0 && truth.n_failed == 0 && one && apart;
    stack_truth_fini(&truth);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
