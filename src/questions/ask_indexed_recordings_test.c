/* SPDX-License-Identifier: MIT
 *
 * ask_indexed_recordings_test.c: what is answered about a recording from its index is what is answered by reading it, to the byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <ubiheap/extension/ask.h>

#include "base/text.h"
#include "index_place.h"
#include "session/part.h"
#include "small_recording.h"
#include "written_text.h"

static const struct asked {
    const char *question, *parameters;
} questions[] = {
    { "info", NULL },
    { "report", NULL },
    { "report", "{\"detail\": true, \"by\": \"total\", \"wrappers\": false}" },
    { "report", "{\"by\": \"peak\", \"symbols\": false, \"stackDepth\": 3}" },
    { "report", "{\"columns\": \"leaked,peak,function,stack,through\", \"by\": \"count\"}" },
    { "report", "{\"format\": \"tsv\"}" },
    { "allocations", NULL },
    { "allocations", "{\"callers\": 3, \"by\": \"peak\", \"withCallees\": true}" },
    { "timeline", NULL },
};

/* Exact, sampled, with markers, without names, without an end; and several processes. */
static const char *const files[] = {
    "tests/data/ubirec/server.ubirec",  "tests/data/ubirec/sampled.ubirec", "tests/data/ubirec/lost-markers.ubirec",
    "tests/data/ubirec/growing.ubirec", "tests/data/ubirec/crashed.ubirec", "tests/data/ubirec/stripped.ubirec",
    "tests/data/ubirec/hostile.ubirec", "tests/data/ubirec/idle.ubirec",    NULL,
};

static index_place place_of_file(const char *file) {
    index_place p = place_of(file ? file : files[0]);
    char second[450], third[450];
    if (file)
        return p;
    snprintf(second, sizeof second, "%s.11", p.heap);
    snprintf(third, sizeof third, "%s.12", p.heap);
    write_process_recording(p.heap, 10, 100);
    write_process_recording(second, 11, 200);
    write_process_recording(third, 12, 5000);
    return p;
}

/* The answer, or the message of what is refused: such as a format that documents do not have. */
static void answer(text *out, ubi_session *session, const struct asked *asked, bool is_page) {
    ubi_ask_options options = UBI_ASK_OPTIONS_INIT;
    out->room = SIZE_MAX;
    options.form = is_page ? UBI_ASK_PAGE : UBI_ASK_DOCUMENT;
    if (ubi_ask(session, asked->question, asked->parameters, text_write, out, &options) == UBI_OK)
        return;
    const char *message = ubi_error_message();
    assert_true(text_write(out, message, strlen(message)));
}

/* As a name that is added on every reading. */
static ubi_status frame_name(ubi__ubirec_tables *tables, ubi__recording_hints *hints, const ubi_progress *progress) {
    const ubi__ubirec_symbol symbol = { .function = ubi__text("found_later"), .file = ubi__text("later.c"), .line = 7 };
    (void)hints, (void)progress;
    for (uint32_t i = 0; i < tables->frames.n; i++) {
        uint32_t n;
        ubi__ubirec_symbols_of(tables, i, &n);
        if (n == 0 && tables->frames.at[i].type == UBI__UBIREC_NATIVE_FRAME)
            UBI_TRY(ubi__ubirec_tables_add_symbols(tables, i, &symbol, 1));
    }
    return UBI_OK;
}

static void assert_answers_equal(const opened_heap *plain, const opened_heap *indexed, const char *file) {
    size_t n = sizeof questions / sizeof *questions;
    for (size_t i = 0; i < 2 * n; i++) {
        text first = { .room = 0 }, second = { .room = 0 };
        answer(&first, plain->session, &questions[i % n], i >= n);
        answer(&second, indexed->session, &questions[i % n], i >= n);
        if (first.bytes.n != second.bytes.n || memcmp(first.bytes.at, second.bytes.at, first.bytes.n) != 0)
            fail_msg("%s, %s %s: %.*s\nand from the index %.*s", file ? file : "several", questions[i % n].question,
                     questions[i % n].parameters, (int)first.bytes.n, (char *)first.bytes.at, (int)second.bytes.n,
                     (char *)second.bytes.at);
        assert_true(first.bytes.n > 0);
        text_fini(&first);
        text_fini(&second);
    }
}

static void answers_from_an_index_are_equal(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        index_place p = place_of_file(files[i]);
        for (int is_named = 0; is_named < 2; is_named++) {
            index_write(&p, UBI_SESSION_INDEX_CACHE);
            opened_heap plain = open_with(&p, UBI_SESSION_INDEX_NONE), indexed = open_with(&p, UBI_SESSION_INDEX_CACHE);
            ubi__session_pool_set_namer(plain.pool, is_named ? frame_name : NULL);
            ubi__session_pool_set_namer(indexed.pool, is_named ? frame_name : NULL);
            assert_answers_equal(&plain, &indexed, files[i]);
            assert_true(index_about(indexed.use).is_in_use && !index_about(indexed.use).is_damaged);
            opened_end(&plain);
            opened_end(&indexed);
        }
        place_remove(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_from_an_index_are_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
