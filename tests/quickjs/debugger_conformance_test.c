/* SPDX-License-Identifier: MIT
 *
 * Runs every script of tests/quickjs/conformance/ in a runtime of its own, and looks whether it left anything behind.
 */
#include <dirent.h>

#include "quickjs_heap.h"

#define FOLDER "tests/quickjs/conformance"
#define MAX_SCRIPTS 100

static void runs(void **state) {
    quickjs_heap heap;
    quickjs_heap_open(&heap, NULL);
    quickjs_heap_run_file(&heap, *state);
    quickjs_heap_close(&heap);
}

static int is_script(const struct dirent *entry) {
    const char *end = strrchr(entry->d_name, '.');
    return end && strcmp(end, ".js") == 0;
}

int main(int argc, char **argv) {
    static char paths[MAX_SCRIPTS][300];
    struct CMUnitTest tests[MAX_SCRIPTS];
    struct dirent **entries;
    size_t n_tests = 0;
    int n = scandir(FOLDER, &entries, is_script, alphasort);
    for (int i = 0; i < n && i < MAX_SCRIPTS; i++) {
        snprintf(paths[n_tests], sizeof paths[0], FOLDER "/%s", entries[i]->d_name);
        if (argc < 2 || strstr(paths[n_tests], argv[1])) {
            tests[n_tests] = (struct CMUnitTest){ .name = paths[n_tests], .test_func = runs };
            tests[n_tests].initial_state = paths[n_tests];
            n_tests++;
        }
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    if (!n_tests) {
        fprintf(stderr, "no scripts in " FOLDER "\n");
        return 1;
    }
    return _cmocka_run_group_tests("debugger_conformance", tests, n_tests, NULL, NULL);
}
