/* SPDX-License-Identifier: MIT
 *
 * unwind_modules_driver.c: walks through libraries that come and go.
 *
 *     unwind_modules_driver SMALL LARGE BARE
 *
 * Three libraries with the same function, `call`, which calls back; SMALL and LARGE have frames of different sizes,
 * BARE has no call frame information. Exits with 0 if all stacks are right.
 */
#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stack_truth.h"

typedef void call_function(void (*back)(void *), void *payload);

static stack_truth truth;

static void check(void *payload) {
    (void)payload;
    (void)stack_truth_check(&truth); // mistakes are counted
    __asm__ volatile("" ::: "memory");
}

static void *open_library(const char *path, call_function **call) {
    void *library = dlopen(path, RTLD_NOW);
    assert(library);
    void *found = dlsym(library, "call");
    assert(found);
    memcpy(call, &found, sizeof found);
    return library;
}

/** Loads a library, walks through it, lets it go. @return where its function was. */
static uintptr_t visit(const char *path, int times) {
    call_function *call;
    void *library = open_library(path, &call);
    for (int i = 0; i < times; i++)
        call(check, NULL);
    uintptr_t place = (uintptr_t)call;
    dlclose(library);
    ubi__unwinder_forget_modules(&truth.unwinder);
    return place;
}

/** Code changes at the same place, and the same code goes to another. */
static void libraries_come_and_go(char **paths) {
    size_t n_same = 0, n_moved = 0;
    uintptr_t places[2] = { 0 };
    for (int i = 0; i < 40; i++) {
        call_function *call;
        void *held = i % 8 >= 4 ? open_library(paths[3], &call) : NULL; // in the way
        uintptr_t place = visit(paths[1 + i % 2], 3);
        n_same += place == places[!(i % 2)];
        n_moved += places[i % 2] != 0 && place != places[i % 2];
        places[i % 2] = place;
        if (held)
            dlclose(held);
    }
    printf("%zu checks, %zu wrong; other code at the same place %zu times, the same elsewhere %zu times\n",
           truth.n_checks, truth.n_wrong, n_same, n_moved);
    assert(truth.n_wrong == 0 && truth.n_failed == 0 && truth.n_checks == 120);
    assert(n_same > 0 && n_moved > 0);
}

/** A library without information ends a stack, and the end says so. */
static void a_bare_library_ends_the_stack(const char *path) {
    call_function *call;
    void *library = open_library(path, &call);
    ubi__unwind_module module;
    for (int i = 0; i < 3; i++)
        call(check, NULL);
    assert(truth.n_wrong == 0 && truth.n_failed == 3);
    assert(truth.ours.end == UBI__UNWIND_FAILED && truth.ours.n == 3); // the checker, check, call
    bool found = ubi__unwind_module_of(truth.failed_pc, &module);
    assert(found && strcmp(module.path, path) == 0);
    assert(truth.failed_pc == truth.ours.pcs[2]);
    dlclose(library);
}

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    stack_truth_init(&truth, UBI__UNWIND_DEFAULT_DEPTH);
    libraries_come_and_go(argv);
    a_bare_library_ends_the_stack(argv[3]);
    stack_truth_fini(&truth);
    return 0;
}
