/* SPDX-License-Identifier: MIT
 *
 * timeline_actor_test.c: the timeline and memprof actors about a target that is drawn: what it has is what a test puts there, and time
 * passes when a test says so.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "rdp/memprof_link.h"
#include "rdp/timeline_link.h"
#include "rdp/tools_for_tests.h"
#include "rdp/wire_for_tests.h"

/* ---- a program, which comes to a safe point when a test says so ------------------------------------------------------------ */

typedef struct program {
    ubi_safe_point_fn fn;
    void *payload;
    ubi_timeline_target *observed; /* what was opened last */
} program;

static ubi_status program_ask(void *payload, ubi_safe_point_fn fn, void *fn_payload) {
    program *p = payload;
    p->fn = fn;
    p->payload = fn_payload;
    return UBI_OK;
}

static ubi_status program_open_timeline(void *payload, const ubi_target_scope *scope,
                                        const ubi_target_timeline_options *options, ubi_target_timeline *out) {
    UBI_TRY(drawn_timeline_open(payload, scope, options, out));
    ((program *)payload)->observed = ubi_target_timeline_observed(*out);
    return UBI_OK;
}

static const ubi_target_ops all_ops = { .version = UBI_TARGET_OPS_VERSION,
                                        .kind = "drawn",
                                        .capabilities =
                                            UBI_TARGET_SAFE_POINT | UBI_TARGET_TIMELINE | UBI_TARGET_PROFILE,
                                        .run_at_safe_point = program_ask,
                                        .open_timeline = program_open_timeline,
                                        .open_profiler = drawn_profiler_open };
static const ubi_target_ops mute_ops = {
    .version = 2, .kind = "mute", .capabilities = UBI_TARGET_SAFE_POINT, .run_at_safe_point = program_ask
};

/* ---- a client ------------------------------------------------------------------------------------------------------------- */

typedef struct client {
    wire_client wire;
    const ubi_target_ops *ops;
    program program;
    bool has_target;
    char timeline[UBI__RDP_ID_BYTES], memprof[UBI__RDP_ID_BYTES];
} client;

/* The program comes to a safe point, and what it sends arrives. */
static const char *client_settle(client *c) {
    ubi_safe_point_fn fn = c->program.fn;
    c->program.fn = NULL;
    if (fn)
        fn(c->program.payload);
    wire_hear(&c->wire);
    return c->wire.text;
}

/* What came then. */
static const char *client_ask(client *c, const char *actor, const char *type, const char *members) {
    wire_forget(&c->wire);
    wire_send(&c->wire, actor, type, members);
    return client_settle(c);
}

/* Time passes, the actor pulls. */
static const char *client_pull(client *c, uint64_t ms) {
    wire_forget(&c->wire);
    wire_wait(&c->wire, ms);
    return client_settle(c);
}

static client *client_open(const ubi_target_ops *ops) {
    const ubi__rdp_tab_options tab = { .title = "drawn" };
    client *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->ops = ops;
    wire_open(&c->wire);
    assert_int_equal(ubi__rdp_offer_add(c->wire.offer, (ubi_target){ ops, &c->program }, &tab), UBI_OK);
    c->has_target = true;
    wire_connect(&c->wire, NULL);
    wire_send(&c->wire, "root", "connect", ",\"frontendVersion\":\"153.7.0\"");
    wire_find(&c->wire, c->timeline, "timelineActor", false);
    wire_find(&c->wire, c->memprof, "memprofActor", false);
    return c;
}

static void client_lose_target(client *c) {
    assert_int_equal(ubi__rdp_offer_remove(c->wire.offer, (ubi_target){ c->ops, &c->program }), UBI_OK);
    c->has_target = false;
}

static void client_close(client *c) {
    wire_leave(&c->wire);
    client_settle(c);
    if (c->has_target)
        client_lose_target(c);
    wire_end(&c->wire);
    free(c);
}

/* ---- what is looked for --------------------------------------------------------------------------------------------------- */

static void assert_has(const char *text, const char *piece) {
    if (!strstr(text, piece))
        fail_msg("%s is not in %s", piece, text);
}
static void assert_has_not(const char *text, const char *piece) {
    if (strstr(text, piece))
        fail_msg("%s is in %s", piece, text);
}
/* The pieces come one after the other. */
static void assert_order(const char *text, const char *const *pieces) {
    const char *at = text;
    for (; *pieces; pieces++) {
        at = strstr(at, *pieces);
        if (!at)
            fail_msg("%s does not follow in %s", *pieces, text);
    }
}
static double number_behind(const char *text, const char *key) {
    const char *at = strstr(text, key);
    assert_non_null(at);
    return strtod(at + strlen(key), NULL);
}

/* ---- what the program does ------------------------------------------------------------------------------------------------ */

static bool capture(void *payload, ubi_marker_stack_ref *out) {
    *out = *(uint64_t *)payload;
    return true;
}
/* Frame n was called by frame n - 1; frame 1 is the outermost, frame 11 follows frame 1 for the reason "timer". */
static bool frame(void *payload, ubi_marker_stack_ref stack, ubi_marker_frame *out) {
    (void)payload;
    *out = (ubi_marker_frame){ .source = { "a.js", 4 },
                               .function_name = { stack % 2 ? "odd" : "even", stack % 2 ? 3 : 4 },
                               .line = (uint32_t)stack,
                               .column = 7,
                               .parent = stack == 11 ? 1
                                         : stack > 1 ? stack - 1
                                                     : UBI_MARKER_NO_STACK_REF };
    if (stack != 11)
        return true;
    out->is_parent_async = true;
    out->async_cause = (ubi_text){ "timer", 5 };
    return true;
}

static uint64_t current_stack;
static const ubi_timeline_stack_source stacks = {
    .generation = 77, .capture = capture, .frame = frame, .payload = &current_stack
};

static void program_mark(const program *p, const char *name, uint64_t start_ns, uint64_t end_ns, uint64_t stack) {
    ubi_timeline_consumers *consumers = ubi_timeline_consumers_get();
    const ubi_timeline_stack_source *before = ubi_timeline_set_stack_source(stack ? &stacks : NULL);
    current_stack = stack;
    ubi_timeline_consumers_add_marker_for_target_at(consumers, p->observed, name, start_ns, UBI_MARKER_START,
                                                    UBI_MARKER_STACK);
    if (end_ns)
        ubi_timeline_consumers_add_marker_for_target_at(consumers, p->observed, name, end_ns, UBI_MARKER_END,
                                                        UBI_MARKER_NO_STACK);
    ubi_timeline_set_stack_source(before);
}

static void program_load(const program *p) {
    ubi_timeline_consumers_add_existing_marker_for_target(ubi_timeline_consumers_get(), p->observed,
                                                          ubi_doc_loading_timeline_marker_new("document::Load"));
}

/* ---- the timeline --------------------------------------------------------------------------------------------------------- */

static void it_records_from_start_to_stop(void **state) {
    client *c = client_open(&all_ops);
    (void)state;
    assert_has(client_ask(c, c->timeline, "isRecording", ""), "\"value\":false}");
    assert_true(number_behind(client_ask(c, c->timeline, "stop", ""), "\"value\":") > 0);
    double started = number_behind(client_ask(c, c->timeline, "start", ",\"withMarkers\":true"), "\"value\":");
    assert_has(client_ask(c, c->timeline, "isRecording", ""), "\"value\":true}");
    double again = number_behind(client_ask(c, c->timeline, "start", ",\"withTicks\":true"), "\"value\":");
    assert_true(started > 0 && again > started);
    const char *pulled = client_pull(c, 200);
    assert_string_equal(pulled, ""); /* nothing was recorded; the options of the second start were not taken */
    program_mark(&c->program, "work", 5000000, 7500000, 0);
    pulled = client_pull(c, 200);
    assert_has(pulled, "\"type\":\"markers\",\"markers\":[{\"name\":\"work\",\"start\":5,\"end\":7.5,\"stack\":null,"
                       "\"endStack\":null,\"processType\":0,\"isOffMainThread\":false}],\"endTime\":");
    assert_true(number_behind(client_ask(c, c->timeline, "stop", ""), "\"value\":") > again);
    assert_has(client_ask(c, c->timeline, "isRecording", ""), "\"value\":false}");
    assert_string_equal(client_pull(c, 1000), "");
    client_close(c);
}

static void it_costs_nothing_while_it_does_not_record(void **state) {
    client *c = client_open(&all_ops);
    (void)state;
    assert_null(c->program.fn);
    assert_null(c->program.observed); /* nothing was opened */
    client_ask(c, c->timeline, "start", ",\"withMemory\":false");
    assert_false(ubi_timeline_target_record_profile_timeline_markers(c->program.observed)); /* neither is wanted */
    client_ask(c, c->timeline, "stop", "");
    client_ask(c, c->timeline, "start", ",\"withMarkers\":true");
    assert_true(ubi_timeline_target_record_profile_timeline_markers(c->program.observed));
    client_ask(c, c->timeline, "stop", "");
    assert_false(ubi_timeline_target_record_profile_timeline_markers(c->program.observed));
    assert_int_equal(ubi__rdp_connection_due_ms(c->wire.connection), UINT64_MAX);
    client_close(c);
}

/* With the reply, and without what had not ended a duration. */
static void markers_of_before_stop_are_not_lost(void **state) {
    client *c = client_open(&all_ops);
    static const char *const order[] = { "\"value\":", "\"type\":\"markers\"",
                                         "\"name\":\"last\",\"start\":1,\"end\":2",
                                         "\"name\":\"open\",\"start\":3,\"end\":0", NULL };
    (void)state;
    client_ask(c, c->timeline, "start", ",\"withMarkers\":true");
    program_mark(&c->program, "last", 1000000, 2000000, 0);
    program_mark(&c->program, "open", 3000000, 0, 0);
    assert_order(client_ask(c, c->timeline, "stop", ""), order);
    client_close(c);
}

static void events_of_a_pull_come_in_their_order(void **state) {
    client *c = client_open(&all_ops);
    static const char *const order[] = { "\"type\":\"doc-loading\",\"marker\":{\"name\":\"document::Load\"",
                                         "\"unixTime\":",
                                         "},\"endTime\":",
                                         "\"type\":\"markers\"",
                                         "\"name\":\"document::Load\"",
                                         "\"type\":\"ticks\",\"delta\":",
                                         "\"timestamps\":\"4,6\"}",
                                         "\"type\":\"frames\"",
                                         NULL };
    (void)state;
    client_ask(c, c->timeline, "start",
               ",\"withMarkers\":true,\"withTicks\":true,\"withFrames\":true,\"withDocLoadingEvents\":true");
    program_load(&c->program);
    program_mark(&c->program, "Javascript", 3000000, 4000000, 1);
    program_mark(&c->program, "Javascript", 5000000, 6000000, 1);
    assert_order(client_pull(c, 200), order);
    assert_has(client_pull(c, 200), "\"timestamps\":\"\"}"); /* always, and only what is new */
    client_close(c);
}

static void documents_and_ticks_come_without_markers(void **state) {
    client *c = client_open(&all_ops);
    (void)state;
    client_ask(c, c->timeline, "start", ",\"withTicks\":true,\"withFrames\":true,\"withDocLoadingEvents\":true");
    program_load(&c->program);
    program_mark(&c->program, "Javascript", 3000000, 4000000, 1);
    const char *pulled = client_pull(c, 200);
    assert_has(pulled, "\"type\":\"doc-loading\"");
    assert_has(pulled, "\"timestamps\":\"4\"}");
    assert_has_not(pulled, "\"markers\"");
    assert_has_not(pulled, "\"frames\""); /* there is no table without markers */
    client_close(c);
}

static void frames_are_sent_once_each(void **state) {
    client *c = client_open(&all_ops);
    (void)state;
    client_ask(c, c->timeline, "start", ",\"withMarkers\":true,\"withFrames\":true");
    program_mark(&c->program, "a", 1000000, 2000000, 2);
    program_mark(&c->program, "b", 3000000, 4000000, 0);
    const char *pulled = client_pull(c, 200);
    assert_has(pulled, "\"name\":\"a\",\"start\":1,\"end\":2,\"stack\":2,");
    assert_has(pulled, "\"name\":\"b\",\"start\":3,\"end\":4,\"stack\":null,");
    assert_has(pulled, "\"frames\":[null,{\"line\":1,\"column\":7,\"source\":\"a.js\",\"functionDisplayName\":\"odd\","
                       "\"parent\":0,\"asyncParent\":0,\"asyncCause\":null},{\"line\":2,\"column\":7,"
                       "\"source\":\"a.js\",\"functionDisplayName\":\"even\",\"parent\":1,\"asyncParent\":0,"
                       "\"asyncCause\":null}]");
    program_mark(&c->program, "a", 5000000, 6000000, 2);
    program_mark(&c->program, "c", 7000000, 8000000, 3);
    pulled = client_pull(c, 200);
    assert_has(pulled, "\"start\":5,\"end\":6,\"stack\":2,");
    assert_has(pulled, "\"start\":7,\"end\":8,\"stack\":3,");
    assert_has(pulled, "\"frames\":[{\"line\":3,");
    client_ask(c, c->timeline, "stop", "");
    client_ask(c, c->timeline, "start", ",\"withMarkers\":true,\"withFrames\":true");
    program_mark(&c->program, "c", 9000000, 9500000, 1);
    assert_has(client_pull(c, 200), "\"frames\":[null,{\"line\":1,"); /* another recording, another table */
    client_close(c);
}

static void without_a_table_stacks_are_whole(void **state) {
    client *c = client_open(&all_ops);
    (void)state;
    client_ask(c, c->timeline, "start", ",\"withMarkers\":true");
    program_mark(&c->program, "a", 1000000, 2000000, 11);
    program_mark(&c->program, "deep", 3000000, 4000000, 1000);
    const char *pulled = client_pull(c, 200);
    assert_has(pulled, "\"stack\":{\"line\":11,\"column\":7,\"source\":\"a.js\",\"functionDisplayName\":\"odd\","
                       "\"asyncCause\":null,\"parent\":null,\"asyncParent\":{\"line\":1,\"column\":7,"
                       "\"source\":\"a.js\",\"functionDisplayName\":\"odd\",\"asyncCause\":\"timer\","
                       "\"asyncParent\":null,\"parent\":null}},\"endStack\":null");
    assert_has(pulled, "\"line\":1000,");
    assert_has(pulled, "\"line\":937,"); /* the 64th */
    assert_has_not(pulled, "\"line\":936,");
    assert_has_not(pulled, "\"frames\"");
    client_close(c);
}

static void it_pulls_five_times_a_second(void **state) {
    client *c = client_open(&all_ops);
    (void)state;
    client_ask(c, c->timeline, "start", ",\"withTicks\":true");
    assert_int_equal(ubi__rdp_connection_due_ms(c->wire.connection), c->wire.now_ms + 200);
    assert_string_equal(client_pull(c, 199), "");
    assert_has(client_pull(c, 1), "\"type\":\"ticks\"");
    c->wire.connection->is_congested = true; /* one that does not read is not pulled for */
    assert_string_equal(client_pull(c, 200), "");
    assert_null(c->program.fn);
    c->wire.connection->is_congested = false;
    assert_has(client_pull(c, 200), "\"type\":\"ticks\"");
    client_close(c);
}

static void a_client_that_does_not_read_does_not_fill_the_programs_memory(void **state) {
    client *c = client_open(&all_ops);
    (void)state;
    client_ask(c, c->timeline, "start", ",\"withMarkers\":true");
    c->wire.connection->is_congested = true;
    for (int i = 0; i < 50; i++)
        assert_string_equal(client_pull(c, 200), "");
    assert_true(ubi_timeline_target_record_profile_timeline_markers(c->program.observed));
    assert_string_equal(client_pull(c, 200), "");
    assert_false(ubi_timeline_target_record_profile_timeline_markers(c->program.observed));
    c->wire.connection->is_congested = false;
    assert_has(client_ask(c, c->timeline, "isRecording", ""), "\"value\":false}");
    assert_has(client_ask(c, c->timeline, "start", ",\"withTicks\":true"), "\"value\":");
    assert_has(client_pull(c, 200), "\"type\":\"ticks\"");
    client_close(c);
}

static void a_target_that_has_gone_is_nothing_to_observe(void **state) {
    client *c = client_open(&all_ops);
    char json[128];
    (void)state;
    client_ask(c, c->timeline, "start", ",\"withMarkers\":true");
    client_lose_target(c);
    assert_string_equal(client_pull(c, 200), "");
    assert_has(client_ask(c, c->timeline, "start", ""), "\"value\":-1}");
    assert_has(client_ask(c, c->timeline, "stop", ""), "\"value\":-1}");
    snprintf(json, sizeof json, "\"from\":\"%s\",\"error\":\"tabDestroyed\"", c->memprof);
    assert_has(client_ask(c, c->memprof, "startProfiler", ""), json);
    client_close(c);
}

static void both_last_when_the_tab_navigates(void **state) {
    const ubi__rdp_tab_options page = { .title = "next" };
    client *c = client_open(&all_ops);
    static const char *const order[] = { "\"type\":\"doc-loading\",\"marker\":{\"name\":\"document::DOMContentLoaded\"",
                                         "\"type\":\"doc-loading\",\"marker\":{\"name\":\"document::Load\"",
                                         "\"type\":\"markers\"",
                                         "\"name\":\"before\"",
                                         "\"name\":\"after\"",
                                         NULL };
    (void)state;
    client_ask(c, c->timeline, "start", ",\"withMarkers\":true,\"withDocLoadingEvents\":true");
    client_ask(c, c->memprof, "startProfiler", "");
    program_mark(&c->program, "before", 1000000, 2000000, 0);
    const ubi_timeline_target *observed = c->program.observed;
    assert_int_equal(ubi__rdp_offer_navigated(c->wire.offer, (ubi_target){ c->ops, &c->program }, &page), UBI_OK);
    wire_hear(&c->wire);
    assert_ptr_equal(c->program.observed, observed);
    program_mark(&c->program, "after", 3000000, 4000000, 0);
    assert_order(client_pull(c, 200), order);
    assert_has(client_ask(c, c->timeline, "isRecording", ""), "\"value\":true}");
    client_ask(c, c->memprof, "stopProfiler", "");
    assert_has(client_ask(c, c->memprof, "getResults", ""), "\"events\":[{");
    client_close(c);
}

static void what_a_target_cannot_do_is_refused_in_words(void **state) {
    client *c = client_open(&mute_ops);
    (void)state;
    assert_has(client_ask(c, c->timeline, "start", ",\"withMarkers\":true"),
               "\"message\":\"a target of kind mute cannot show what it does on a timeline\"");
    assert_has(client_ask(c, c->memprof, "startProfiler", ""),
               "\"message\":\"a target of kind mute cannot profile its memory\"");
    client_close(c);
    c = client_open(&all_ops);
    assert_has(client_ask(c, c->timeline, "start", ",\"withMemory\":true"),
               "\"message\":\"a target of kind drawn cannot be measured\"");
    assert_has(client_ask(c, c->timeline, "start", ",\"withGCEvents\":true"),
               "\"message\":\"a target of kind drawn cannot be observed\"");
    assert_has(client_ask(c, c->timeline, "isRecording", ""), "\"value\":false}");
    assert_has(client_ask(c, c->timeline, "start", ",\"withMarkers\":1"),
               "\"error\":\"badParameterType\",\"message\":\"'withMarkers' is not true or false\"");
    client_close(c);
}

/* ---- the profiler --------------------------------------------------------------------------------------------------------- */

static void results_are_names_traces_and_events(void **state) {
    client *c = client_open(&all_ops);
    static const char *const tables[] = { "\"ret\":{\"names\":[\"(unknown)\",",
                                          "\"make (drawn.js:1)\"",
                                          "],\"traces\":[{\"nameIdx\":0,\"parentIdx\":0},{\"nameIdx\":",
                                          "],\"events\":[{\"size\":100,\"traceIdx\":",
                                          "\"timestamp\":",
                                          "{\"size\":-100,",
                                          "}]}}",
                                          NULL };
    (void)state;
    assert_has(client_ask(c, c->memprof, "getResults", ""), "\"ret\":null}");
    assert_has_not(client_ask(c, c->memprof, "stopProfiler", ""), "error");
    assert_has_not(client_ask(c, c->memprof, "startProfiler", ""), "error");
    assert_has(client_ask(c, c->memprof, "getResults", ""), "\"ret\":null}");
    client_ask(c, c->memprof, "resetProfiler", ""); /* while it records: nothing */
    client_ask(c, c->memprof, "stopProfiler", "");
    assert_order(client_ask(c, c->memprof, "getResults", ""), tables);
    assert_order(client_ask(c, c->memprof, "getResults", ""), tables);
    client_ask(c, c->memprof, "resetProfiler", "");
    assert_has(client_ask(c, c->memprof, "getResults", ""), "\"ret\":null}");
    client_close(c);
}

static void results_that_are_too_long_are_refused(void **state) {
    client *c = client_open(&all_ops);
    ubi__rdp_memprof_link *link = ubi__rdp_actor_find(c->wire.connection, ubi__text(c->memprof))->payload;
    (void)state;
    link->most_bytes = 10;
    client_ask(c, c->memprof, "startProfiler", "");
    client_ask(c, c->memprof, "stopProfiler", "");
    assert_has(client_ask(c, c->memprof, "getResults", ""),
               "\"message\":\"the results are longer than 10 bytes: profile for a shorter time\"");
    link->most_bytes = 1 << 20;
    assert_has(client_ask(c, c->memprof, "getResults", ""), "\"events\":[{");
    client_close(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_records_from_start_to_stop),
        cmocka_unit_test(it_costs_nothing_while_it_does_not_record),
        cmocka_unit_test(markers_of_before_stop_are_not_lost),
        cmocka_unit_test(events_of_a_pull_come_in_their_order),
        cmocka_unit_test(documents_and_ticks_come_without_markers),
        cmocka_unit_test(frames_are_sent_once_each),
        cmocka_unit_test(without_a_table_stacks_are_whole),
        cmocka_unit_test(it_pulls_five_times_a_second),
        cmocka_unit_test(a_client_that_does_not_read_does_not_fill_the_programs_memory),
        cmocka_unit_test(a_target_that_has_gone_is_nothing_to_observe),
        cmocka_unit_test(both_last_when_the_tab_navigates),
        cmocka_unit_test(what_a_target_cannot_do_is_refused_in_words),
        cmocka_unit_test(results_are_names_traces_and_events),
        cmocka_unit_test(results_that_are_too_long_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
