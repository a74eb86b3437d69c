/* SPDX-License-Identifier: MIT
 *
 * terminal_test.c: when the progress line is drawn, by a clock of the test.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/silence.h"
#include "cli/terminal.h"

static uint64_t now_us;

static uint64_t test_clock_us(void) {
    return now_us;
}

static ubi__progress_line line_new(bool enabled) {
    ubi__progress_line line;
    ubi__progress_line_init(&line, enabled, true);
    now_us = 5000000;
    line.clock_us = test_clock_us;
    line.started_us = now_us;
    return line;
}

typedef struct report {
    const char *stage;
    uint64_t done, total;
} report;

/* The report this many microseconds after the start, and what is drawn then. */
static void assert_report_drawn(ubi__progress_line *line, uint64_t at_us, report said, const char *expected) {
    char drawn[256];
    int ends[2], kept = dup(STDERR_FILENO);
    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
    ubi_progress progress = ubi__progress_line_callbacks(line);
    now_us = 5000000 + at_us;
    bool continues = progress.fn(progress.payload, said.stage, said.done, said.total);
    dup2(kept, STDERR_FILENO);
    close(kept);
    close(ends[1]);
    ssize_t n = read(ends[0], drawn, sizeof drawn - 1);
    close(ends[0]);
    assert_true(continues && n >= 0);
    drawn[n] = '\0';
    assert_string_equal(drawn, expected);
}

static void assert_drawn(ubi__progress_line *line, uint64_t at_us, const char *expected) {
    assert_report_drawn(line, at_us, (report){ "reading", at_us, 1000000 }, expected);
}

static void quick_work_shows_nothing(void **state) {
    (void)state;
    ubi__progress_line line = line_new(true);
    for (uint64_t us = 0; us < 300000; us += 999)
        assert_drawn(&line, us, "");
    assert_false(line.is_shown);
}

static void long_work_is_drawn_ten_times_a_second(void **state) {
    (void)state;
    ubi__progress_line line = line_new(true);
    assert_drawn(&line, 299999, "");
    assert_drawn(&line, 300000, "\r\x1b[Kreading  30%");
    assert_drawn(&line, 399999, "");
    assert_drawn(&line, 400000, "\r\x1b[Kreading  40%");
    assert_drawn(&line, 990000, "\r\x1b[Kreading  99%");
    assert_true(line.is_shown);
}

static void a_transfer_shows_bytes_and_waiting_no_number(void **state) {
    (void)state;
    ubi__progress_line line = line_new(true);
    assert_report_drawn(&line, 300000, (report){ "waiting for an answer", 0, 0 }, "\r\x1b[Kwaiting for an answer");
    assert_report_drawn(&line, 400000, (report){ "transferring", 1536, 1 << 20 },
                        "\r\x1b[Ktransferring 1.50 KiB of 1.00 MiB");
    assert_report_drawn(&line, 500000, (report){ "counting", 12, 0 }, "\r\x1b[Kcounting 12");
}

#define GREETING                                                                                                       \
    (report) {                                                                                                         \
        "waiting for a greeting", 0, 0                                                                                 \
    }
#define SILENCE                                                                                                        \
    (report) {                                                                                                         \
        UBI__SILENCE "why", 0, 0                                                                                       \
    }
#define SPOKEN "ubiheap: waiting for a greeting: no answer yet: why\n"

static void a_silence_is_spoken_of_once(void **state) {
    (void)state;
    for (unsigned enabled = 0; enabled < 2; enabled++) {
        ubi__progress_line line = line_new(enabled);
        assert_report_drawn(&line, 200000, GREETING, "");
        assert_report_drawn(&line, 200000, SILENCE, SPOKEN);
        assert_report_drawn(&line, 250000, SILENCE, "");
        assert_report_drawn(&line, 300000, SILENCE, enabled ? "\r\x1b[Kwaiting for a greeting" : "");
        assert_report_drawn(&line, 310000, GREETING, "");
        assert_report_drawn(&line, 310000, SILENCE, enabled ? "\r\x1b[K" SPOKEN : SPOKEN); /* another wait */
        assert_report_drawn(&line, 310000, SILENCE, "");
    }
    ubi__progress_line line = line_new(false);
    line.may_speak = false;
    assert_report_drawn(&line, 310000, SILENCE, "");
}

static void only_who_wants_it_sees_it(void **state) {
    (void)state;
    ubi__progress_line line = line_new(false);
    assert_drawn(&line, 900000, "");
    assert_false(line.is_shown);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quick_work_shows_nothing),
        cmocka_unit_test(long_work_is_drawn_ten_times_a_second),
        cmocka_unit_test(a_transfer_shows_bytes_and_waiting_no_number),
        cmocka_unit_test(a_silence_is_spoken_of_once),
        cmocka_unit_test(only_who_wants_it_sees_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
