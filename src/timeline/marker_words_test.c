/* SPDX-License-Identifier: MIT
 *
 * marker_words_test.c: every row of the blueprint, labels that depend on details, and fields in words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "timeline/marker_words.h"

/* As the tool has them; labels of markers of which nothing else is known. */
static const struct {
    const char *name;
    int group;
    const char *color, *label;
    bool is_nestable, is_collapsible;
} expected[] = {
    { "whatever", 2, "graphs-grey", "whatever", true, true },
    { "Styles", 0, "graphs-purple", "Recalculate Style", true, true },
    { "Reflow", 0, "graphs-purple", "Layout", true, true },
    { "Paint", 0, "graphs-green", "Paint", true, true },
    { "Composite", 0, "graphs-green", "Composite Layers", true, true },
    { "CompositeForwardTransaction", 0, "graphs-bluegrey", "Composite Request Sent", true, true },
    { "DOMEvent", 1, "graphs-yellow", "DOM Event", true, true },
    { "document::DOMContentLoaded", 1, "graphs-full-red", "DOMContentLoaded", true, true },
    { "document::Load", 1, "graphs-full-blue", "Load", true, true },
    { "Javascript", 1, "graphs-yellow", "Function Call", true, true },
    { "Parse HTML", 1, "graphs-yellow", "Parse HTML", true, true },
    { "Parse XML", 1, "graphs-yellow", "Parse XML", true, true },
    { "Parse JS", 1, "graphs-yellow", "Parse JS", true, true },
    { "GarbageCollection", 1, "graphs-red", "Incremental GC", true, true },
    { "MinorGC", 1, "graphs-red", "Minor GC", true, true },
    { "nsCycleCollector::Collect", 1, "graphs-red", "Cycle Collection", true, true },
    { "nsCycleCollector::ForgetSkippable", 1, "graphs-red", "CC Graph Reduction", true, true },
    { "Worker", 1, "graphs-orange", "Worker", true, true },
    { "MessagePort", 1, "graphs-orange", "MessagePort", true, true },
    { "ConsoleTime", 2, "graphs-blue", "Console", false, false },
    { "TimeStamp", 2, "graphs-blue", "Timestamp", true, false },
};

#define N_EXPECTED (sizeof expected / sizeof *expected)

static ubi__timeline_data data;

static int set_up(void **state) {
    (void)state;
    ubi__timeline_data_init(&data, NULL);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    ubi__timeline_data_fini(&data);
    return 0;
}

static ubi_str_ix text_of(const char *text) {
    ubi_str_ix out;
    assert_int_equal(ubi__timeline_add_text(&data, &out, ubi__text(text)), UBI_OK);
    return out;
}

static void with_text(const char *key, const char *value) {
    ubi__timeline_detail detail = { .key = text_of(key), .type = UBI__TIMELINE_TEXT, .as.text = text_of(value) };
    assert_int_equal(ubi__timeline_add_detail(&data, &detail), UBI_OK);
}

static void with_number(const char *key, double value) {
    ubi__timeline_detail detail = { .key = text_of(key), .type = UBI__TIMELINE_NUMBER, .as.number = value };
    assert_int_equal(ubi__timeline_add_detail(&data, &detail), UBI_OK);
}

static void with(const char *key, ubi__timeline_value type) {
    ubi__timeline_detail detail = { .key = text_of(key), .type = type };
    assert_int_equal(ubi__timeline_add_detail(&data, &detail), UBI_OK);
}

static const ubi__timeline_row *marker(const char *name) {
    ubi__timeline_row row = { .name = text_of(name), .stack = UBI_NONE, .end_stack = UBI_NONE };
    assert_int_equal(ubi__timeline_add_row(&data, &row), UBI_OK);
    return &data.rows.at[data.rows.n - 1];
}

static void assert_label(const ubi__timeline_row *row, const char *label) {
    char got[80];
    assert_string_equal(ubi__marker_label(got, sizeof got, &data, row), label);
}

static void assert_field(const ubi__timeline_row *row, size_t *at, const char *title, const char *value) {
    ubi__marker_field field;
    assert_true(ubi__marker_next_field(&field, &data, row, at));
    assert_true(ubi__text_is(field.title, title));
    assert_true(ubi__text_is(field.value, value));
}

static void assert_no_field(const ubi__timeline_row *row, size_t *at) {
    ubi__marker_field field;
    assert_false(ubi__marker_next_field(&field, &data, row, at));
}

static void every_name_has_its_group_colour_and_label(void **state) {
    (void)state;
    for (size_t i = 0; i < N_EXPECTED; i++) {
        const ubi__marker_blueprint *b = ubi__marker_blueprint_of(ubi__text(expected[i].name));
        assert_ptr_equal(b, ubi__marker_blueprint_at(i));
        assert_int_equal(b->group, expected[i].group);
        assert_string_equal(ubi__marker_color_name(b->color), expected[i].color);
        assert_int_equal(!b->is_not_nestable, expected[i].is_nestable);
        assert_int_equal(!b->is_not_collapsible, expected[i].is_collapsible);
        assert_label(marker(expected[i].name), expected[i].label);
    }
    assert_null(ubi__marker_blueprint_at(N_EXPECTED));
}

static void causes_of_scripts_have_friendly_labels(void **state) {
    static const char *const causes[][2] = {
        { "<script> element", "Script Tag" },
        { "promise callback", "Promise Callback" },
        { "promise initializer", "Promise Init" },
        { "Worker runnable", "Worker" },
        { "javascript: URI", "JavaScript URI" },
        { "EventHandlerNonNull", "Event Handler" },
        { "EventListener.handleEvent", "Event Handler" },
        { "setInterval handler", "setInterval" },
        { "setTimeout handler", "setTimeout" },
        { "FrameRequestCallback", "requestAnimationFrame" },
        { "script evaluation", "Script" },
        { "module evaluation", "Module" },
        { "queueMicrotask callback", "Microtask" },
        { "message handler", "Message Handler" },
        { "descriptor handler", "Descriptor Handler" },
        { "signal handler", "Signal Handler" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        size_t at = 0;
        with_text("causeName", causes[i][0]);
        const ubi__timeline_row *row = marker("Javascript");
        assert_label(row, causes[i][1]);
        assert_no_field(row, &at);
    }
}

static void other_causes_of_scripts_are_fields(void **state) {
    size_t at = 0;
    (void)state;
    with_text("causeName", "some callback");
    const ubi__timeline_row *row = marker("Javascript");
    assert_label(row, "Function Call");
    assert_field(row, &at, "cause", "some callback");
    assert_no_field(row, &at);
}

static void a_collection_is_non_incremental_only_with_a_reason(void **state) {
    size_t at = 0;
    (void)state;
    with("nonincrementalReason", UBI__TIMELINE_NULL);
    assert_label(marker("GarbageCollection"), "Incremental GC");
    with_text("causeName", "API");
    with_text("nonincrementalReason", "GC mode");
    const ubi__timeline_row *row = marker("GarbageCollection");
    assert_label(row, "Non-incremental GC");
    assert_field(row, &at, "cause", "API");
    assert_field(row, &at, "non-incremental because of", "GC mode");
    assert_no_field(row, &at);
}

static void timers_and_stamps_bear_their_labels(void **state) {
    size_t at = 0;
    (void)state;
    with_text("causeName", "load");
    const ubi__timeline_row *row = marker("ConsoleTime");
    assert_label(row, "Console (load)");
    assert_no_field(row, &at);
    with_text("causeName", "now");
    assert_label(marker("TimeStamp"), "Timestamp (now)");
}

static void long_labels_are_cut_at_whole_characters(void **state) {
    char got[14];
    (void)state;
    with_text("causeName", "aä€x");
    const ubi__timeline_row *row = marker("ConsoleTime");
    assert_string_equal(ubi__marker_label(got, 14, &data, row), "Console (aä)");
    assert_string_equal(ubi__marker_label(got, 13, &data, row), "Console (a)");
    assert_string_equal(ubi__marker_label(got, 9, &data, row), "Console");
    assert_string_equal(ubi__marker_label(got, 2, &data, marker("ä")), "");
}

static void events_say_their_phase(void **state) {
    static const char *const phases[] = { "0", "capturing", "target", "bubbling", "4" };
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        size_t at = 0;
        with_text("type", "click");
        with_number("eventPhase", (double)i);
        const ubi__timeline_row *row = marker("DOMEvent");
        assert_field(row, &at, "event", "click");
        assert_field(row, &at, "phase", phases[i]);
        assert_no_field(row, &at);
    }
}

static void collections_of_cycles_and_of_the_nursery_say_their_type(void **state) {
    size_t at = 0;
    (void)state;
    const ubi__timeline_row *row = marker("nsCycleCollector::ForgetSkippable");
    assert_field(row, &at, "type", "ForgetSkippable");
    assert_no_field(row, &at);
    at = 0;
    with_text("causeName", "FULL_NURSERY");
    row = marker("MinorGC");
    assert_field(row, &at, "cause", "FULL_NURSERY");
    assert_field(row, &at, "type", "nursery");
    assert_no_field(row, &at);
}

static void workers_say_what_they_do_with_messages(void **state) {
    static const char *const said[][2] = {
        { "serializeDataOffMainThread", "Worker send (off main)" },
        { "serializeDataOnMainThread", "Worker send (on main)" },
        { "deserializeDataOffMainThread", "Worker receive (off main)" },
        { "deserializeDataOnMainThread", "Worker receive (on main)" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        size_t at = 0;
        with_text("workerOperation", said[i][0]);
        const ubi__timeline_row *row = marker("Worker");
        assert_label(row, said[i][1]);
        assert_no_field(row, &at);
    }
    with_text("messagePortOperation", "deserializeData");
    assert_label(marker("MessagePort"), "MessagePort receive");
}

static void unknown_operations_are_fields(void **state) {
    size_t at = 0;
    (void)state;
    with_text("workerOperation", "juggle");
    const ubi__timeline_row *row = marker("Worker");
    assert_label(row, "Worker");
    assert_field(row, &at, "operation", "juggle");
    assert_no_field(row, &at);
}

static void other_details_keep_their_names(void **state) {
    size_t at = 0;
    (void)state;
    with_text("restyleHint", "eRestyle_Self");
    with("isAnimationOnly", UBI__TIMELINE_BOOL);
    with_text("workerOperation", "serializeDataOnMainThread");
    with_text("empty", "");
    with("rectangles", UBI__TIMELINE_RECTANGLES);
    with_number("shards", 4);
    const ubi__timeline_row *row = marker("Styles");
    assert_field(row, &at, "restyle hint", "Self");
    assert_field(row, &at, "animation only", "no");
    assert_field(row, &at, "operation", "serializeDataOnMainThread");
    assert_field(row, &at, "shards", "4");
    assert_no_field(row, &at);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(every_name_has_its_group_colour_and_label),
        TEST(causes_of_scripts_have_friendly_labels),
        TEST(other_causes_of_scripts_are_fields),
        TEST(a_collection_is_non_incremental_only_with_a_reason),
        TEST(timers_and_stamps_bear_their_labels),
        TEST(long_labels_are_cut_at_whole_characters),
        TEST(events_say_their_phase),
        TEST(collections_of_cycles_and_of_the_nursery_say_their_type),
        TEST(workers_say_what_they_do_with_messages),
        TEST(unknown_operations_are_fields),
        TEST(other_details_keep_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
