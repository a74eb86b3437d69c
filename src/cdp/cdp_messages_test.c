/* SPDX-License-Identifier: MIT
 *
 * cdp_messages_test.c: messages of the DevTools protocol and lists of targets, whole, in parts, damaged, and without memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "cdp/cdp_peer.h"
#include "cdp/cdp_targets.h"
#include "fail_allocator.h"

#define CHUNK "{\"method\":\"HeapProfiler.addHeapSnapshotChunk\",\"params\":{\"chunk\":\"{\\\"snapshot\\\":\\u00e9\"}}"
#define REPLY "{\"id\":7,\"result\":{\"usedSize\":12}}"
#define REFUSAL "{\"id\":7,\"error\":{\"code\":-32601,\"message\":\"'Heap.x'\\nwasn't found\"}}"

typedef struct seen {
    size_t n_events;
    char method[64], params[256];
    ubi_status answer;
} seen;

static ubi_status event_note(void *payload, ubi_text method, ubi_text params) {
    seen *s = payload;
    s->n_events++;
    snprintf(s->method, sizeof s->method, "%.*s", (int)method.len, method.ptr);
    snprintf(s->params, sizeof s->params, "%.*s", (int)params.len, params.ptr);
    return s->answer;
}

static ubi__cdp_messages messages_of(seen *s, const ubi_allocator *a) {
    return (ubi__cdp_messages){ .allocator = a, .event = event_note, .payload = s, .awaited = 7 };
}

/* In parts of `n_part` bytes. */
static ubi_status text_take(ubi__cdp_messages *m, const char *text, size_t n, size_t n_part) {
    for (size_t at = 0; at < n; at += n_part) {
        size_t length = n - at < n_part ? n - at : n_part;
        UBI_TRY(ubi__cdp_messages_take(m, text + at, length, at + length == n));
    }
    return UBI_OK;
}

static void test_events_and_replies_come_in_parts(void **state) {
    (void)state;
    for (size_t n_part = 1; n_part < 80; n_part++) {
        seen s = { .n_events = 0 };
        ubi_text result;
        ubi__cdp_messages m = messages_of(&s, ubi_allocator_default());
        assert_int_equal(text_take(&m, CHUNK, strlen(CHUNK), n_part), UBI_OK);
        assert_int_equal(s.n_events, 1);
        assert_string_equal(s.method, "HeapProfiler.addHeapSnapshotChunk");
        assert_string_equal(s.params, "{\"chunk\":\"{\\\"snapshot\\\":\\u00e9\"}");
        assert_false(m.has_reply);
        assert_int_equal(text_take(&m, REPLY, strlen(REPLY), n_part), UBI_OK);
        assert_true(m.has_reply);
        assert_int_equal(text_take(&m, CHUNK, strlen(CHUNK), n_part), UBI_OK); /* after it, in the same turn */
        assert_int_equal(s.n_events, 2);
        assert_int_equal(ubi__cdp_messages_result(&m, "Heap.x", &result), UBI_OK);
        assert_true(ubi__text_is(result, "{\"usedSize\":12}"));
        ubi__cdp_messages_fini(&m);
    }
}

static void test_a_reply_that_no_one_waits_for_is_dropped(void **state) {
    (void)state;
    static const char *const others[] = { "{\"id\":8,\"result\":{}}", "{\"id\":\"7\",\"result\":{}}", "{\"id\":7.5}",
                                          "{}", "{\"method\":7}" };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        seen s = { .n_events = 0 };
        ubi__cdp_messages m = messages_of(&s, ubi_allocator_default());
        assert_int_equal(text_take(&m, others[i], strlen(others[i]), 100), UBI_OK);
        assert_false(m.has_reply);
        assert_int_equal(s.n_events, 0);
        ubi__cdp_messages_fini(&m);
    }
}

#define OF_WORKER(session, message)                                                                                    \
    "{\"method\":\"NodeWorker.receivedMessageFromWorker\",\"params\":{\"sessionId\":\"" session                        \
    "\",\"message\":\"" message "\"}}"

static void test_messages_of_a_worker_are_those_within(void **state) {
    (void)state;
    static const char event[] = OF_WORKER("3", "{\\\"method\\\":\\\"Heap.x\\\",\\\"params\\\":{\\\"a\\\":1}}");
    static const char other[] = OF_WORKER("4", "{\\\"id\\\":7,\\\"result\\\":{}}");
    static const char reply[] = OF_WORKER("3", "{\\\"id\\\":7,\\\"result\\\":{\\\"b\\\":2}}");
    static const char wrong[] = OF_WORKER("3", "[]");
    static const char carried[] = "{\"id\":8,\"result\":{}}";
    seen s = { .n_events = 0 };
    ubi_text result;
    ubi__cdp_messages m = messages_of(&s, ubi_allocator_default());
    strcpy(m.session, "3");
    m.carrier = 8;
    assert_int_equal(text_take(&m, event, strlen(event), 9), UBI_OK);
    assert_string_equal(s.method, "Heap.x");
    assert_string_equal(s.params, "{\"a\":1}");
    assert_int_equal(text_take(&m, other, strlen(other), 9), UBI_OK);
    assert_int_equal(text_take(&m, carried, strlen(carried), 9), UBI_OK);
    assert_false(m.has_reply);
    assert_int_equal(text_take(&m, wrong, strlen(wrong), 9), UBI_EFORMAT);
    assert_int_equal(text_take(&m, reply, strlen(reply), 9), UBI_OK);
    assert_true(m.has_reply);
    assert_int_equal(s.n_events, 1);
    assert_int_equal(ubi__cdp_messages_result(&m, "Heap.x", &result), UBI_OK);
    assert_true(ubi__text_is(result, "{\"b\":2}"));
    ubi__cdp_messages_fini(&m);
}

static void test_what_carries_a_command_may_be_refused(void **state) {
    (void)state;
    static const char refusal[] = "{\"id\":8,\"error\":{\"message\":\"No such session\"}}";
    seen s = { .n_events = 0 };
    ubi_text result;
    ubi__cdp_messages m = messages_of(&s, ubi_allocator_default());
    strcpy(m.session, "3");
    m.carrier = 8;
    assert_int_equal(text_take(&m, refusal, strlen(refusal), 100), UBI_OK);
    assert_int_equal(ubi__cdp_messages_result(&m, "Heap.x", &result), UBI_ESTATE);
    assert_string_equal(ubi_error_message(), "refuses Heap.x: No such session");
    ubi__cdp_messages_fini(&m);
}

static void test_refusals_are_one_line(void **state) {
    (void)state;
    ubi_text result;
    seen s = { .n_events = 0 };
    ubi__cdp_messages m = messages_of(&s, ubi_allocator_default());
    assert_int_equal(text_take(&m, REFUSAL, strlen(REFUSAL), 100), UBI_OK);
    assert_int_equal(ubi__cdp_messages_result(&m, "Heap.x", &result), UBI_ESTATE);
    assert_string_equal(ubi_error_message(), "refuses Heap.x: 'Heap.x' wasn't found");
    ubi__cdp_messages_fini(&m);
}

static void test_what_breaks_the_rules_is_named(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
        ubi_status status;
    } cases[] = {
        { "[]", "sent a message that is no JSON object", UBI_EFORMAT },
        { "{\"id\":7,", "sent a message that is no JSON object", UBI_EFORMAT },
        { "", "sent a message that is no JSON object", UBI_EFORMAT },
        { "{\"id\":7}", "answered Heap.x without a result", UBI_EFORMAT },
        { "{\"id\":7,\"result\":[]}", "answered Heap.x without a result", UBI_EFORMAT },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        seen s = { .n_events = 0 };
        ubi_text result;
        ubi__cdp_messages m = messages_of(&s, ubi_allocator_default());
        ubi_status status = ubi__cdp_messages_take(&m, cases[i].text, strlen(cases[i].text), true);
        if (status == UBI_OK)
            status = ubi__cdp_messages_result(&m, "Heap.x", &result);
        assert_int_equal(status, cases[i].status);
        assert_string_equal(ubi_error_message(), cases[i].message);
        ubi__cdp_messages_fini(&m);
    }
}

static void test_a_message_has_a_limit(void **state) {
    (void)state;
    seen s = { .n_events = 0 };
    ubi__cdp_messages m = messages_of(&s, ubi_allocator_default());
    assert_int_equal(ubi__cdp_messages_take(&m, "{", 1, false), UBI_OK);
    assert_int_equal(ubi__cdp_messages_take(&m, "", UBI__CDP_MESSAGE_BYTES, false), UBI_ELIMIT);
    ubi__cdp_messages_fini(&m);
}

static void test_an_error_of_the_observer_is_the_error(void **state) {
    (void)state;
    seen s = { .answer = UBI_EIO };
    ubi__cdp_messages m = messages_of(&s, ubi_allocator_default());
    assert_int_equal(text_take(&m, CHUNK, strlen(CHUNK), 100), UBI_EIO);
    ubi__cdp_messages_fini(&m);
}

/* ---- lists ---------------------------------------------------------------------------------------------------------- */

#define LIST                                                                                                           \
    "[{\"type\":\"page\",\"title\":\"a \\u0022b\\u0022\",\"url\":\"http://a/\","                                       \
    "\"webSocketDebuggerUrl\":\"ws://127.0.0.1:1/devtools/page/1\"},7,"                                                \
    "{\"type\":\"worker\",\"webSocketDebuggerUrl\":\"wss://a/b\"},"                                                    \
    "{\"webSocketDebuggerUrl\":\"ws://a\"},{\"webSocketDebuggerUrl\":\"ws://a/b c\"},{}]"

typedef struct listed {
    size_t n;
    char paths[8][UBI__CDP_PATH_BYTES];
    char title[40];
} listed;

static ubi_status target_note(void *payload, const ubi__cdp_target *target) {
    listed *l = payload;
    if (l->n == 0)
        snprintf(l->title, sizeof l->title, "%.*s", (int)target->title.len, target->title.ptr);
    memcpy(l->paths[l->n++ % 8], target->path, UBI__CDP_PATH_BYTES);
    return UBI_OK;
}

static void test_targets_have_paths(void **state) {
    (void)state;
    listed l = { .n = 0 };
    assert_int_equal(ubi__cdp_targets_read(ubi__text(LIST), target_note, &l, ubi_allocator_default()), UBI_OK);
    assert_int_equal(l.n, 5);
    assert_string_equal(l.title, "a \"b\"");
    assert_string_equal(l.paths[0], "/devtools/page/1");
    for (size_t i = 1; i < 5; i++)
        assert_string_equal(l.paths[i], "");
    assert_int_equal(ubi__cdp_targets_read(ubi__text("{}"), target_note, &l, ubi_allocator_default()), UBI_EFORMAT);
    assert_string_equal(ubi_error_message(), "answered /json/list with something else than a list");
}

/* ---- damage and no memory ------------------------------------------------------------------------------------------- */

static void damaged_read(const char *text, size_t n) {
    seen s = { .n_events = 0 };
    listed l = { .n = 0 };
    ubi_text result;
    ubi__cdp_messages m = messages_of(&s, ubi_allocator_default());
    ubi_status status = ubi__cdp_messages_take(&m, text, n, true);
    if (status == UBI_OK && m.has_reply)
        status = ubi__cdp_messages_result(&m, "Heap.x", &result);
    assert_true(status == UBI_OK || status == UBI_EFORMAT || status == UBI_ESTATE);
    status = ubi__cdp_targets_read((ubi_text){ text, n }, target_note, &l, ubi_allocator_default());
    assert_true(status == UBI_OK || status == UBI_EFORMAT);
    ubi__cdp_messages_fini(&m);
}

static void test_cut_and_changed_texts(void **state) {
    (void)state;
    static const char *const texts[] = { CHUNK, REPLY, REFUSAL, LIST };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t n = strlen(texts[i]);
        char *copy = malloc(n);
        assert_non_null(copy);
        for (size_t at = 0; at < n; at++) {
            memcpy(copy, texts[i], n);
            char *cut = malloc(at + 1); /* its end is watched */
            assert_non_null(cut);
            memcpy(cut, texts[i], at);
            damaged_read(cut, at);
            free(cut);
            for (unsigned bit = 0; bit < 8; bit++) {
                copy[at] = (char)(texts[i][at] ^ (1 << bit));
                damaged_read(copy, n);
            }
        }
        free(copy);
    }
}

static ubi_status all_read(void *payload, const ubi_allocator *a) {
    (void)payload;
    seen s = { .n_events = 0 };
    listed l = { .n = 0 };
    ubi_text result;
    ubi__cdp_messages m = messages_of(&s, a);
    ubi_status status = text_take(&m, CHUNK, strlen(CHUNK), 9);
    if (status == UBI_OK)
        status = text_take(&m, REFUSAL, strlen(REFUSAL), 9);
    if (status == UBI_OK) {
        status = ubi__cdp_messages_result(&m, "Heap.x", &result);
        status = status == UBI_ESTATE ? UBI_OK : status;
    }
    if (status == UBI_OK)
        status = ubi__cdp_targets_read(ubi__text(LIST), target_note, &l, a);
    ubi__cdp_messages_fini(&m);
    return status;
}

static void test_each_allocation_refused(void **state) {
    (void)state;
    assert_true(fail_each_allocation(all_read, NULL) > 4);
}

/* Only what has the session of the worker, or none, is taken. */
static void messages_of_another_worker_are_dropped(void **state) {
    (void)state;
    seen s = { .n_events = 0 };
    ubi__cdp_messages m = messages_of(&s, ubi_allocator_default());
    static const char *const texts[] = {
        "{\"method\":\"A.b\",\"params\":{},\"sessionId\":\"other\"}",
        "{\"id\":7,\"result\":{},\"sessionId\":\"other\"}",
        "{\"method\":\"A.b\",\"params\":{},\"sessionId\":\"ours\"}",
        "{\"method\":\"Target.detachedFromTarget\",\"params\":{\"sessionId\":\"ours\"}}",
    };
    m.is_flat = true;
    snprintf(m.session, sizeof m.session, "ours");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(text_take(&m, texts[i], strlen(texts[i]), strlen(texts[i])), UBI_OK);
        assert_int_equal(s.n_events, i < 2 ? 0 : i - 1);
        assert_false(m.has_reply);
    }
    static const char reply[] = "{\"id\":7,\"result\":{},\"sessionId\":\"ours\"}";
    assert_int_equal(text_take(&m, reply, strlen(reply), 5), UBI_OK);
    assert_true(m.has_reply);
    ubi__cdp_messages_fini(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_of_another_worker_are_dropped),
        cmocka_unit_test(test_events_and_replies_come_in_parts),
        cmocka_unit_test(test_a_reply_that_no_one_waits_for_is_dropped),
        cmocka_unit_test(test_messages_of_a_worker_are_those_within),
        cmocka_unit_test(test_what_carries_a_command_may_be_refused),
        cmocka_unit_test(test_refusals_are_one_line),
        cmocka_unit_test(test_what_breaks_the_rules_is_named),
        cmocka_unit_test(test_a_message_has_a_limit),
        cmocka_unit_test(test_an_error_of_the_observer_is_the_error),
        cmocka_unit_test(test_targets_have_paths),
        cmocka_unit_test(test_cut_and_changed_texts),
        cmocka_unit_test(test_each_allocation_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
