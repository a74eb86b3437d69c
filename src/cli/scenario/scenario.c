/* SPDX-License-Identifier: MIT
 *
 * scenario.c: see scenario.h.
 *
 * The runner leads the browser and says when a snapshot is due; it waits meanwhile. Snapshots come over a connection of ours to the same page,
 * which stays until the last: V8 gives objects other ids when one ends.
 */
#include "cli/scenario/scenario.h"

#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "base/json_reader.h"
#include "base/status.h"
#include "base/text.h"
#include "cli/remote_schemes.h"

#define PREFIX "chrome:"
#define TURN_MS 50
/* The runner has the same patience, and better words. */
#define GRACE_US ((uint64_t)15000000)

typedef struct scenario {
    ubi__cli *cli;
    const ubi__scenario_options *options;
    ubi__heap_series *series;
    ubi__scenario_runner *runner;
    ubi_progress inner, progress;
    ubi__remote_address address;
    ubi__remote *remote; /* NULL: not yet */
    char step[64];
    uint64_t last_us, last_done; /* when something happened, and how far a snapshot was then */
    bool is_stuck, is_over;
    ubi__vec_u8 scratch;
} scenario;

bool ubi__scenario_is_address(const char *operand, const char **url) {
    size_t n = sizeof PREFIX - 1;
    *url = operand + n;
    return strncmp(operand, PREFIX, n) == 0 && strncmp(operand + n, "//", 2) != 0;
}

/* ---- time ----------------------------------------------------------------------------------------------------------- */

/* A page that is stuck answers nothing, and no one may be there to press Ctrl-C. */
static bool scenario_progress(void *payload, const char *stage, uint64_t done, uint64_t total) {
    scenario *s = payload;
    uint64_t now_us = ubi__clock_us();
    if (done != s->last_done)
        s->last_us = now_us;
    s->last_done = done;
    s->is_stuck = s->is_stuck || now_us - s->last_us > s->options->patience_us + GRACE_US;
    return !s->is_stuck && ubi__progress(&s->inner, stage, done, total);
}

static ubi_status stuck_fail(const scenario *s) {
    char time[UBI__HUMAN_TEXT];
    return ubi__fail(UBI_EIO, "%s: nothing happened for %s: is the page in an endless loop?",
                     s->step[0] ? s->step : "the browser starts",
                     ubi__human_duration(time, s->options->patience_us + GRACE_US));
}

/* ---- messages ------------------------------------------------------------------------------------------------------- */

static ubi_status member_text(ubi_text *out, scenario *s, ubi_text object, const char *name) {
    return ubi__json_member_value_text(out, object, name, &s->scratch, ubi_allocator_default());
}

static ubi_status script_fail(scenario *s, ubi_text object, ubi_text message) {
    ubi__json_value value;
    uint64_t line = 0;
    bool is_of_script = ubi__json_object_find(&value, object, "isOfScript") && ubi__text_is(value.raw, "true");
    if (ubi__json_object_find(&value, object, "line"))
        (void)ubi__json_value_u64(&line, &value);
    int n = (int)(message.len < 400 ? message.len : 400);
    if (!is_of_script)
        return ubi__fail(UBI_EIO, "%.*s", n, message.ptr);
    s->cli->subject = s->options->script;
    return line ? ubi__fail(UBI_EFORMAT, "line %llu: %.*s", (unsigned long long)line, n, message.ptr)
                : ubi__fail(UBI_EFORMAT, "%.*s", n, message.ptr);
}

static ubi_status page_attach(scenario *s, ubi_text address) {
    char text[UBI__REMOTE_HOST_BYTES + UBI__REMOTE_PATH_BYTES];
    snprintf(text, sizeof text, "%.*s", (int)(address.len < sizeof text ? address.len : sizeof text - 1), address.ptr);
    UBI_TRY(ubi__remote_address_parse(&s->address, text, ubi__remote_schemes));
    s->address.is_forced = s->options->is_forced;
    const ubi__remote_ops *ops = s->address.scheme->ops;
    UBI_TRY(ops->open(&s->remote, &s->address, &s->progress, NULL));
    return ops->attach(s->remote);
}

static ubi_status snapshot_take(scenario *s, ubi_text name) {
    char text[32];
    const ubi__heap_source source = { .cli = s->cli,
                                      .address = s->options->address,
                                      .ops = s->address.scheme->ops,
                                      .remote = s->remote,
                                      .n_wanted = 3,
                                      .must_collect = s->options->must_collect };
    if (!s->remote || s->series->n >= UBI__HEAP_SERIES_MOST)
        return ubi__fail(UBI_EIO, "the scenario asks for a snapshot without a page");
    snprintf(text, sizeof text, "%.*s", (int)(name.len < sizeof text ? name.len : sizeof text - 1), name.ptr);
    snprintf(s->step, sizeof s->step, "snapshot '%.20s'", text);
    return ubi__heap_series_add(s->series, &source, text);
}

static void note_report(const scenario *s, ubi_text note) {
    char line[400];
    snprintf(line, sizeof line, "%.*s", (int)(note.len < sizeof line ? note.len : sizeof line - 1), note.ptr);
    ubi__progress_line_clear(&s->cli->progress);
    ubi__print_line(s->options->script, line);
}

static ubi_status message_take(scenario *s, ubi_text object) {
    ubi_text text;
    ubi__json_value value;
    UBI_TRY(member_text(&text, s, object, "failed"));
    if (text.ptr)
        return script_fail(s, object, text);
    UBI_TRY(member_text(&text, s, object, "at"));
    if (text.ptr)
        snprintf(s->step, sizeof s->step, "%.*s", (int)(text.len < 40 ? text.len : 40), text.ptr);
    UBI_TRY(member_text(&text, s, object, "note"));
    if (text.ptr)
        note_report(s, text);
    UBI_TRY(member_text(&text, s, object, "attach"));
    if (text.ptr)
        UBI_TRY(page_attach(s, text));
    bool is_awaited = text.ptr;
    UBI_TRY(member_text(&text, s, object, "take"));
    if (text.ptr)
        UBI_TRY(snapshot_take(s, text));
    if (is_awaited || text.ptr)
        ubi__scenario_runner_answer(s->runner);
    s->is_over = ubi__json_object_find(&value, object, "done");
    s->last_us = ubi__clock_us();
    return UBI_OK;
}

/* ---- the whole ------------------------------------------------------------------------------------------------------ */

/* Our connection is served while the runner works. */
static ubi_status turn_await(scenario *s) {
    static const char stage[] = "the scenario runs";
    if (s->remote)
        return s->address.scheme->ops->wait(s->remote, stage, TURN_MS * 1000);
    return ubi__progress(&s->progress, stage, 0, 0) ? UBI_OK : ubi__fail_cancelled();
}

static ubi_status scenario_run(scenario *s) {
    ubi_text line;
    s->last_us = ubi__clock_us();
    while (!s->is_over) {
        UBI_TRY(turn_await(s));
        UBI_TRY(ubi__scenario_runner_read(&line, s->runner, s->remote ? 0 : TURN_MS));
        if (line.ptr)
            UBI_TRY(message_take(s, line));
    }
    return s->series->n == 3 ? UBI_OK : ubi__fail(UBI_EIO, "the scenario ended without its three snapshots");
}

/* The end of the browser may be seen before its reason. */
static ubi_status reason_find(scenario *s, ubi_status status) {
    char why[400];
    ubi_text line = { NULL, 0 };
    if (status != UBI_EIO || s->is_stuck)
        return status;
    snprintf(why, sizeof why, "%s", ubi_error_message());
    UBI_TRY(ubi__scenario_runner_read(&line, s->runner, 1000));
    if (line.ptr)
        UBI_TRY(message_take(s, line));
    return ubi__fail(UBI_EIO, "%s", why);
}

static ubi_status scenario_take(scenario *s) {
    UBI_TRY(ubi__heap_series_init(s->series));
    ubi_status status = ubi__scenario_runner_start(s->runner, s->options);
    if (status == UBI_OK)
        status = reason_find(s, scenario_run(s));
    if (s->is_stuck && status == UBI_ECANCELLED)
        status = stuck_fail(s);
    return status;
}

ubi_status ubi__scenario_take(ubi__heap_series *out, ubi__cli *cli, const ubi__scenario_options *options) {
    const ubi_allocator *a = ubi_allocator_default();
    scenario s = { .cli = cli, .options = options, .series = out };
    *out = (ubi__heap_series){ .heaps = NULL };
    s.inner = ubi__progress_line_callbacks(&cli->progress);
    s.progress = (ubi_progress){ scenario_progress, &s };
    cli->subject = options->address;
    s.runner = UBI_NEW(a, ubi__scenario_runner);
    if (!s.runner)
        return ubi__fail_nomem();
    ubi_status status = scenario_take(&s);
    ubi__scenario_runner_stop(s.runner);
    if (s.remote)
        s.address.scheme->ops->close(s.remote);
    ubi__progress_line_clear(&cli->progress);
    ubi__vec_u8_fini(&s.scratch, a);
    UBI_DELETE(a, s.runner);
    return status;
}
