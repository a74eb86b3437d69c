/* SPDX-License-Identifier: MIT
 *
 * path_choice_test.c: what is left out of paths that do not fit, whatever the width: steps of the engine's before names of the
 * program.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "random_numbers.h"
#include "render/capture_test.h"
#include "render/path_choice.h"
#include "render/path_words.h"
#include "render/v8_chain_test.h"

#define MOST_STEPS 256
#define NAME 24

static capture output;

/* ---- paths of both kinds of steps ---------------------------------------------------------------------------------- */

typedef struct mixed {
    v8_step steps[MOST_STEPS];
    char texts[MOST_STEPS][NAME];
    uint32_t n, n_names;
    const char *names[MOST_STEPS]; /* names that the program gave on the way */
} mixed;

/* Names of the program are three characters each and none is part of another, so no width cuts them. */
static const char *name_of(mixed *m, char letter) {
    char *text = m->texts[m->n_names];
    snprintf(text, NAME, "%c%c%c", letter, 'a' + m->n_names / 26, 'a' + m->n_names % 26);
    m->names[m->n_names++] = text;
    return text;
}

static void add(mixed *m, v8_step step) {
    assert_true(m->n < MOST_STEPS);
    m->steps[m->n++] = step;
}

static void add_names(mixed *m, uint32_t how) {
    switch (how % 3) {
    case 0:
        add(m, (v8_step)OBJECT("Object", name_of(m, 'P')));
        break;
    case 1: {
        const char *class_name = name_of(m, 'C');
        add(m, (v8_step)OBJECT(class_name, name_of(m, 'Q')));
        break;
    }
    default:
        add(m, (v8_step)FIELD(UBI__V8_CLOSURE, name_of(m, 'F'), "context"));
        add(m, (v8_step){ UBI__V8_OBJECT, "system / Context", UBI_EDGE_CONTEXT, name_of(m, 'V'), 0 });
    }
}

static void add_engine(mixed *m, uint32_t how) {
    static const char *const native[] = { "blink::EventTargetData", "blink::RegisteredEventListener", "ENGINE" };
    if (how % 4 == 3) {
        add(m, (v8_step)FIELD(UBI__V8_OBJECT, "Map", "table"));
        add(m, (v8_step)FIELD(UBI__V8_ARRAY, "", "1"));
        return;
    }
    add(m, (v8_step){ UBI__V8_NATIVE, native[how % 4], UBI_EDGE_ELEMENT, NULL, how });
}

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

/* A list of roots, then steps of both, and an object of the program's. */
static void mix(mixed *m, uint32_t seed, uint32_t n_parts) {
    m->n = m->n_names = 0;
    add(m, (v8_step)GC_ROOT);
    add(m, (v8_step){ UBI__V8_SYNTHETIC, "(GC roots)", UBI_EDGE_ELEMENT, NULL, 10 });
    add(m, (v8_step)FIELD(UBI__V8_SYNTHETIC, "(Global handles)", "1 / ENGINE"));
    for (uint32_t i = 0; i < n_parts; i++) {
        uint32_t r = next_random(&seed);
        if (r % 2)
            add_names(m, r / 2);
        else
            add_engine(m, r / 2);
    }
    add(m, (v8_step){ UBI__V8_OBJECT, name_of(m, 'T'), UBI_EDGE_PROPERTY, NULL, 0 });
}

/* ---- what is drawn ------------------------------------------------------------------------------------------------- */

typedef struct drawn {
    ubi_graph *graph;
    ubi_look *look;
    ubi_path_step steps[MOST_STEPS];
    ubi__path_view path;
} drawn;

static void open_drawn(drawn *d, const v8_step *steps, uint32_t n) {
    d->graph = v8_chain(steps, n);
    assert_int_equal(ubi_look_open(&d->look, ubi_lens_find("v8"), d->graph, NULL), UBI_OK);
    for (uint32_t i = 0; i + 1 < n; i++)
        d->steps[i] = (ubi_path_step){ i, i };
    d->path = (ubi__path_view){ d->graph, d->steps, n - 1, n - 1, d->look };
}

static void close_drawn(drawn *d) {
    ubi_look_close(d->look);
    ubi_graph_unref(d->graph);
}

/* `lines` 0: with the function for one line. */
static const char *text_of(const drawn *d, bool unicode, size_t columns, unsigned lines) {
    ubi__style style = { false, unicode, (unsigned)columns };
    ubi__out *out = capture_start(&output);
    if (lines)
        ubi__display_path_wrapped(out, &style, &d->path, columns, lines, 0);
    else
        ubi__display_path(out, &style, &d->path, columns);
    return capture_text(&output);
}

/* ---- the rule ------------------------------------------------------------------------------------------------------ */

static bool shows_engine(const char *text) {
    static const char *const words[] = { "blink", "ENGINE", "Global handles", "GC roots", "scope", "(entry)" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i]))
            return true;
    return false;
}

static const char *first_missing(const mixed *m, const char *text) {
    for (uint32_t i = 0; i < m->n_names; i++)
        if (!strstr(text, m->names[i]))
            return m->names[i];
    return NULL;
}

/* Lines that are longer than there is room, or more than there may be. */
static void check_room(const char *text, size_t columns, unsigned lines) {
    ubi__style style = { false, true, (unsigned)columns };
    unsigned n = 0;
    for (const char *line = text; *line; n++) {
        size_t bytes = strcspn(line, "\n");
        size_t used = ubi__display_columns((ubi_text){ line, bytes }, &style, SIZE_MAX);
        if (used > columns)
            fail_msg("%zu of %zu columns: %s", used, columns, text);
        line += bytes + (line[bytes] == '\n');
    }
    if (n > (lines ? lines : 1))
        fail_msg("%u lines of %u: %s", n, lines, text);
}

/* At `n_widths` from 20 to 200 columns: how often names were left out, so that a test can check that it happened. */
static uint32_t check_widths(const mixed *m, uint32_t n_widths) {
    static drawn d;
    uint32_t n_missing = 0;
    open_drawn(&d, m->steps, m->n);
    for (size_t i = 0, columns = 20; i < n_widths; columns = 20 + ++i * 180 / (n_widths - 1))
        for (unsigned lines = 0; lines <= 3; lines++)
            for (unsigned unicode = 0; unicode < 2; unicode++) {
                const char *text = text_of(&d, unicode, columns, lines), *missing = first_missing(m, text);
                if (missing && shows_engine(text))
                    fail_msg("%zu columns, %u lines: %s went before the engine's: %s", columns, lines, missing, text);
                if (!strstr(text, m->names[m->n_names - 1]))
                    fail_msg("%zu columns, %u lines: the target went: %s", columns, lines, text);
                check_room(text, columns, lines);
                n_missing += missing != NULL;
            }
    close_drawn(&d);
    return n_missing;
}

static void no_name_of_the_program_goes_while_a_step_of_the_engine_stays(void **state) {
    (void)state;
    static mixed m;
    uint32_t n_missing = 0, n_widths = random_cases(181);
    for (uint32_t seed = 0; seed < 12; seed++) {
        mix(&m, seed * 7919, 2 + seed * 2);
        n_missing += check_widths(&m, n_widths);
    }
    assert_true(n_missing > 5 * n_widths);
}

/* These also drop units in the middle, at any width: each fifth will do, and each takes as long as all of a short path. */
static void nor_does_it_on_very_long_paths(void **state) {
    (void)state;
    static mixed m;
    uint32_t n_widths = random_cases(37);
    mix(&m, 1, 170);
    assert_true(check_widths(&m, n_widths) > 5 * n_widths);
}

static void there_is_no_gap_where_all_names_fit(void **state) {
    (void)state;
    static mixed m;
    static drawn d;
    m.n = m.n_names = 0;
    add(&m, (v8_step)ROOT);
    for (uint32_t i = 0; i < 4; i++)
        add_names(&m, i);
    add(&m, (v8_step){ UBI__V8_OBJECT, name_of(&m, 'T'), UBI_EDGE_PROPERTY, NULL, 0 });
    open_drawn(&d, m.steps, m.n);
    const char *whole = text_of(&d, true, 200, 0);
    ubi__style style = { false, true, 200 };
    size_t columns = ubi__display_columns(ubi__text(whole), &style, SIZE_MAX);
    assert_null(first_missing(&m, whole));
    assert_null(first_missing(&m, text_of(&d, true, columns, 0)));
    assert_null(strstr(text_of(&d, true, columns, 0), "…"));
    assert_non_null(strstr(text_of(&d, true, columns - 1, 0), "…"));
    close_drawn(&d);
}

/* ---- lines as a reader meets them ---------------------------------------------------------------------------------- */

static void assert_text(const v8_step *steps, uint32_t n, size_t columns, unsigned lines, const char *expected) {
    static drawn d;
    open_drawn(&d, steps, n);
    assert_string_equal(text_of(&d, true, columns, lines), expected);
    close_drawn(&d);
}

static void variables_stay_where_a_list_of_timers_goes(void **state) {
    (void)state;
    static const v8_step steps[] = { ROOT,
                                     OBJECT("global", "setTimeout"),
                                     { UBI__V8_OBJECT, "Object", UBI_EDGE_ELEMENT, NULL, 10 },
                                     OBJECT("TimersList", "_idlePrev"),
                                     OBJECT("Timeout", "_onTimeout"),
                                     FIELD(UBI__V8_CLOSURE, "poll", "context"),
                                     { UBI__V8_OBJECT, "system / Context", UBI_EDGE_CONTEXT, "history", 0 },
                                     { UBI__V8_OBJECT, "Array", UBI_EDGE_ELEMENT, NULL, 589 },
                                     TARGET };
    assert_text(steps, 9, 95, 0,
                "Node.js timers of 10 ms → Timeout._onTimeout → poll() (variable history) → Array[589] → Thing");
    assert_text(steps, 9, 84, 0, "Node.js timers of 10 ms → … → poll() (variable history) → Array[589] → Thing");
    assert_text(steps, 9, 72, 0, "Node.js timers of 10 ms → … → poll() (variable history) → … → Thing");
    assert_text(steps, 9, 50, 0, "… → poll() (variable history) → Array[589] → Thing");
    assert_text(steps, 9, 38, 0, "Node.js timers of 10 ms → … → Thing");
}

static void lines_end_between_steps(void **state) {
    (void)state;
    static const v8_step steps[] = { ROOT,
                                     OBJECT("global", "app"),
                                     OBJECT("Object", "server"),
                                     OBJECT("Server", "queue"),
                                     OBJECT("Object", "pending"),
                                     TARGET };
    assert_text(steps, 6, 50, 3, "global.app.server → Server.queue.pending → Thing\n");
    assert_text(steps, 6, 36, 3, "global.app.server\n → Server.queue.pending → Thing\n");
    assert_text(steps, 6, 24, 3, "global.app.server\n → Server.queue.pending\n → Thing\n");
    /* where a step alone is longer than a line, it ends at a dot */
    assert_text(steps, 6, 18, 4, "global.app.server\n → Server.queue\n.pending → Thing\n");
}

/* ---- whose a path is ----------------------------------------------------------------------------------------------- */

static void assert_of_engine(const v8_step *steps, uint32_t n, bool expected) {
    static drawn d;
    ubi__fields fields;
    open_drawn(&d, steps, n);
    ubi__fields_init(&fields, d.graph, ubi_allocator_default());
    assert_int_equal(ubi__path_is_of_engine(&d.path, &fields), expected);
    ubi__fields_fini(&fields);
    close_drawn(&d);
}

static void what_only_roots_and_the_engine_hold_is_the_engines(void **state) {
    (void)state;
    static const v8_step cache[] = { GC_ROOT,
                                     { UBI__V8_SYNTHETIC, "(GC roots)", UBI_EDGE_ELEMENT, NULL, 4 },
                                     FIELD(UBI__V8_SYNTHETIC, "(Strong roots)", "number_string_cache"),
                                     { UBI__V8_ARRAY, "", UBI_EDGE_INTERNAL, NULL, 0 } };
    static const v8_step thing[] = { GC_ROOT, FIELD(UBI__V8_SYNTHETIC, "(Strong roots)", "x"), TARGET };
    static const v8_step table[] = { ROOT,
                                     OBJECT("global", "cache"),
                                     FIELD(UBI__V8_OBJECT, "Map", "table"),
                                     { UBI__V8_ARRAY, "", UBI_EDGE_INTERNAL, NULL, 0 } };
    assert_of_engine(cache, 4, true);
    assert_of_engine(thing, 3, false);
    assert_of_engine(table, 4, false);
    assert_of_engine(cache, 1, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_name_of_the_program_goes_while_a_step_of_the_engine_stays),
        cmocka_unit_test(nor_does_it_on_very_long_paths),
        cmocka_unit_test(there_is_no_gap_where_all_names_fit),
        cmocka_unit_test(variables_stay_where_a_list_of_timers_goes),
        cmocka_unit_test(lines_end_between_steps),
        cmocka_unit_test(what_only_roots_and_the_engine_hold_is_the_engines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
