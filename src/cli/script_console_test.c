/* SPDX-License-Identifier: MIT
 *
 * script_console_test.c: what a script prints with its console, and what it does not catch, reaches consoles of its target.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <ubiheap/extension/console.h>

#include "cli/script_runners.h"

typedef struct listening {
    ubi_console console;
    char heard[2000];
} listening;

static void hear(void *payload, const ubi_console_message *m) {
    listening *l = payload;
    size_t n = strlen(l->heard);
    const ubi_value *first = m->n_arguments ? m->arguments : NULL;
    snprintf(l->heard + n, sizeof l->heard - n, "%d %u %.*s%.*s", (int)m->level, m->n_arguments,
             first && first->kind == UBI_VALUE_STRING ? (int)first->text.len : 0, first ? first->text.ptr : "",
             m->text.ptr ? (int)m->text.len : 0, m->text.ptr ? m->text.ptr : "");
    n = strlen(l->heard);
    if (m->label.ptr)
        snprintf(l->heard + n, sizeof l->heard - n, " [%.*s %u%s%s]", (int)m->label.len, m->label.ptr,
                 (unsigned)m->count, m->duration_ms > 0 ? " timed" : "", m->is_misplaced ? " misplaced" : "");
    strncat(l->heard, "\n", sizeof l->heard - 1 - strlen(l->heard));
}

static ubi_status begin(void *payload, const ubi__script_runtime *runtime, void **state) {
    listening *l = payload;
    const ubi_console_listener listener = { hear, l };
    *state = l;
    return ubi_target_open_console(&l->console, runtime->target, NULL, &listener);
}

static void end(void *state) {
    ubi_console_close(((listening *)state)->console);
}

/* A script runs once per process: this is one of its own. */
static int run_in_child(const char *script, int to) {
    listening l = { .heard = "" };
    int exit_code = 0;
    ubi__script_options options = { .code = script, .kind = UBI__SCRIPT_CLASSIC };
    options.hooks = (ubi__script_hooks){ .payload = &l, .begin = begin, .end = end };
    if (ubi__script_runners[0]->run(&exit_code, "", &options) != UBI_OK ||
        write(to, l.heard, strlen(l.heard)) != (ssize_t)strlen(l.heard))
        return 99;
    return exit_code;
}

/* What was heard. @return the script's exit code. */
static int run_script(const char *script, char *heard, size_t size) {
    int ends[2], status = 0;
    ssize_t n = 0, got = 0;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(run_in_child(script, ends[1]));
    close(ends[1]);
    while ((got = read(ends[0], heard + n, size - 1 - (size_t)n)) > 0)
        n += got;
    heard[n] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void what_a_script_prints_is_heard(void **state) {
    char heard[2000];
    (void)state;
    int exit_code = run_script("console.log('said', 1); console.info('info'); console.warn('careful', {});\n"
                               "console.error('wrong'); console.debug('deep'); console.trace('here');\n"
                               "console.assert(true, 'fine'); console.assert(false, 'not fine'); console.dir({});\n"
                               "console.group('inside'); console.groupEnd(); console.log();",
                               heard, sizeof heard);
    assert_int_equal(exit_code, UBI__SCRIPT_EXIT_OK);
    assert_string_equal(heard, "0 2 said\n1 1 info\n2 2 careful\n3 1 wrong\n4 1 deep\n5 1 here\n9 1 not fine\n7 1 \n"
                               "10 1 inside\n12 0 \n0 0 \n");
    run_script("console.table([[1]]); console.groupCollapsed(); console.groupEnd(); console.clear();", heard,
               sizeof heard);
    assert_string_equal(heard, "8 1 \n11 0 \n12 0 \n13 0 \n");
}

static void counters_and_timers_are_heard_with_their_labels(void **state) {
    char heard[2000];
    (void)state;
    run_script("console.count(); console.count(); console.count('x'); console.countReset(); console.countReset('y'); "
               "console.count();",
               heard, sizeof heard);
    assert_string_equal(heard, "14 0  [default 1]\n14 0  [default 2]\n14 1 x [x 1]\n15 0  [default 0]\n"
                               "15 1 y [y 0 misplaced]\n14 0  [default 1]\n");
    run_script("console.time(); console.time(); for (let i = 0; i < 1e5; i++); console.timeLog('default', 7); "
               "console.timeEnd(); console.timeEnd('x');",
               heard, sizeof heard);
    assert_string_equal(heard, "16 0  [default 0]\n16 0  [default 0 misplaced]\n17 2 default [default 0 timed]\n"
                               "18 0  [default 0 timed]\n18 1 x [x 0 misplaced]\n");
}

static void what_a_script_does_not_catch_is_heard(void **state) {
    char heard[2000];
    (void)state;
    assert_int_equal(run_script("null.property", heard, sizeof heard), UBI__SCRIPT_EXIT_UNCAUGHT);
    assert_int_equal(strncmp(heard, "6 1 TypeError: ", 15), 0);
    assert_int_equal(run_script("Promise.reject(new RangeError('far'))", heard, sizeof heard),
                     UBI__SCRIPT_EXIT_UNCAUGHT);
    assert_string_equal(heard, "6 1 RangeError: far\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_script_prints_is_heard),
        cmocka_unit_test(counters_and_timers_are_heard_with_their_labels),
        cmocka_unit_test(what_a_script_does_not_catch_is_heard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
