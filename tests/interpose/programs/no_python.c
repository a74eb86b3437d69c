/*
 * Exports what CPython does, and has structures that are not CPython's: the recorder must not fall over them.
 *
 *     no_python nothing | unmapped | circle | random | version
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "truth.h"

__attribute__((visibility("default"))) unsigned long Py_Version = 0x030b02f0;
static void *state;

__attribute__((visibility("default"))) void *PyGILState_GetThisThreadState(void) {
    return state;
}

__attribute__((visibility("default"), noinline)) void _PyEval_EvalFrameDefault(size_t size) {
    void *volatile p = malloc(size);
    free(p);
}

static uint64_t words[4096];

/* Everything points to everything, as far as it goes. */
static void make(const char *how) {
    static unsigned seed = 7;
    state = words;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        seed = seed * 1103515245 + 12345;
        words[i] = !strcmp(how, "circle") ? (uint64_t)(uintptr_t)words
                   : (seed >> 16) % 4     ? (uint64_t)(uintptr_t)&words[(seed >> 8) % 4000]
                                          : (uint64_t)seed << 20;
    }
    if (!strcmp(how, "nothing"))
        state = NULL;
    if (!strcmp(how, "unmapped")) {
        state = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        munmap(state, 8192);
    }
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    if (!strcmp(how, "version"))
        Py_Version = 0x030f00f0;
    truth_begin();
    for (int i = 0; i < 300; i++) {
        make(how);
        _PyEval_EvalFrameDefault(5000 + (size_t)i);
    }
    truth_end();
    return 0;
}
