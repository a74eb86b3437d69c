/* SPDX-License-Identifier: MIT
 *
 * answers_test.c: answers as parts of sessions, and parameters that are written and read again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/extension/ask.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "questions/answers.h"
#include "random_numbers.h"
#include "written_text.h"

#define AFTER "tests/data/fx/tiny-after.fxsnapshot"
#define BEFORE "tests/data/fx/tiny-before.fxsnapshot"

/* ---- parameters, written and read again ----------------------------------------------------------------------------- */

static void text_put(text *t, const char *format, ...) UBI_PRINTF(2, 3);

static void text_put(text *t, const char *format, ...) {
    char piece[160];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    assert_true(n >= 0 && (size_t)n < sizeof piece && text_write(t, piece, (size_t)n));
}

static const char *random_string(void) {
    static const char *const strings[] = {
        "",        "a",           "name > 1",       "\\u00e9\\n\\t",   "\\ud83d\\ude00",
        "\\ud83d", "\xc3\xa9",    "\\\"quoted\\\\", "{\\\"by\\\": 1}", "/^A/",
        "a,b",     "\\u0001x\\/", "\x7f",           "\xf0\x9f\x98\x80"
    };
    return strings[random_below(sizeof strings / sizeof *strings)];
}

static unsigned long long random_number(void) {
    static const uint64_t numbers[] = { 1,         2, 10, 200, UINT32_MAX, UINT64_C(1) << 53, (UINT64_C(1) << 53) + 1,
                                        UINT64_MAX };
    return numbers[random_below(sizeof numbers / sizeof *numbers)];
}

static void random_list_put(text *t, bool is_of_numbers) {
    text_put(t, "[");
    for (uint32_t i = 0, n = random_below(4); i < n; i++)
        if (is_of_numbers)
            text_put(t, "%s%llu", i ? ", " : "", random_number());
        else
            text_put(t, "%s\"%s\"", i ? ", " : "", random_string());
    text_put(t, "]");
}

static void random_breakdown_put(text *t) {
    static const char *const breakdowns[] = { "\"coarseType\"", "{ \"by\": \"count\" }",
                                              "[\"a b\", {\"x\\\" y\": 1 }]" };
    text_put(t, "%s", breakdowns[random_below(3)]);
}

static void random_choice_put(text *t, const ubi__parameter *p) {
    uint32_t n = 0;
    while (p->choices[n])
        n++;
    text_put(t, "\"%s\"", p->choices[random_below(n)]);
}

static void random_value_put(text *t, const ubi__parameter *p) {
    switch (p->kind) {
    case UBI__PARAMETER_FLAG:
    case UBI__PARAMETER_SWITCH:
        text_put(t, random_below(2) ? "true" : "false");
        break;
    case UBI__PARAMETER_NUMBER:
    case UBI__PARAMETER_NODE:
        text_put(t, "%llu", random_number());
        break;
    case UBI__PARAMETER_HEAPS:
        text_put(t, "%u", random_below(3));
        break;
    case UBI__PARAMETER_CHOICE:
        random_choice_put(t, p);
        break;
    case UBI__PARAMETER_NODES:
    case UBI__PARAMETER_TEXTS:
        random_list_put(t, p->kind == UBI__PARAMETER_NODES);
        break;
    case UBI__PARAMETER_BREAKDOWN:
        random_breakdown_put(t);
        break;
    default:
        text_put(t, "\"%s\"", random_string());
    }
}

/* An object that gives each parameter with a chance of one half. */
static void random_object_put(text *t, const ubi__usage *usage) {
    char name[UBI__PARAMETER_NAME_BYTES];
    const char *comma = "";
    text_put(t, "{ ");
    for (const ubi__parameter *p = usage->parameters; (p = ubi__parameter_at(p)); p++) {
        if (p->scope == UBI__SCOPE_TERMINAL || (!p->is_required && random_below(2)))
            continue;
        text_put(t, "%s\"%s\" : ", comma, ubi__parameter_json_name(name, p));
        random_value_put(t, p);
        comma = " , ";
    }
    text_put(t, " }");
}

static ubi_text whole_of(const text *t) {
    return (ubi_text){ (const char *)t->bytes.at, t->bytes.n };
}

static void values_write(text *out, const ubi__json_values *values) {
    ubi__json json;
    ubi__json_init(&json, text_write, out, false);
    ubi__json_values_write(&json, values->usage, values->values, true);
    assert_int_equal(ubi__json_flush(&json), UBI_OK);
}

static void assert_values_equal(const ubi__json_values *a, const ubi__json_values *b) {
    const ubi_allocator *memory = ubi_allocator_default();
    ubi__vec_u8 of_a = { 0 }, of_b = { 0 };
    assert_int_equal(ubi__usage_values_append(&of_a, a->values, a->usage->parameters, memory), UBI_OK);
    assert_int_equal(ubi__usage_values_append(&of_b, b->values, b->usage->parameters, memory), UBI_OK);
    assert_int_equal(of_a.n, of_b.n);
    assert_memory_equal(of_a.at, of_b.at, of_a.n);
    ubi__vec_u8_fini(&of_a, memory);
    ubi__vec_u8_fini(&of_b, memory);
}

/* Returns whether the object was accepted. */
static bool object_try(const ubi__question *question, const text *object) {
    text once = { .room = SIZE_MAX }, twice = { .room = SIZE_MAX };
    ubi__json_values values, again;
    if (ubi__json_values_read(&values, question->usage, whole_of(object)) != UBI_OK)
        return false; /* such as an empty list that is needed */
    values_write(&once, &values);
    if (ubi__json_values_read(&again, question->usage, whole_of(&once)) != UBI_OK)
        fail_msg("%.*s: %s", (int)once.bytes.n, (const char *)once.bytes.at, ubi_error_message());
    assert_values_equal(&values, &again);
    values_write(&twice, &again);
    assert_true(ubi__text_equal(whole_of(&once), whole_of(&twice)));
    ubi__json_values_fini(&values);
    ubi__json_values_fini(&again);
    text_fini(&once);
    text_fini(&twice);
    return true;
}

static void what_is_written_is_read_as_the_same_values(void **state) {
    (void)state;
    random_start(20);
    for (const ubi__question *const *q = ubi__questions; *q; q++) {
        uint32_t n_accepted = 0, n = random_cases(300);
        for (uint32_t i = 0; i < n; i++) {
            text object = { .room = SIZE_MAX };
            random_object_put(&object, (*q)->usage);
            n_accepted += object_try(*q, &object);
            text_fini(&object);
        }
        assert_true(n_accepted > n / 4);
    }
}

static void defaults_are_left_out(void **state) {
    const ubi__question *question = ubi__question_find("nodes");
    ubi__json_values values;
    text t = { .room = SIZE_MAX };
    (void)state;
    assert_int_equal(ubi__json_values_read(&values, question->usage, ubi__text("{\"offset\": 0, \"where\": null}")),
                     UBI_OK);
    values_write(&t, &values);
    assert_true(ubi__text_is(whole_of(&t), "{}"));
    ubi__json_values_fini(&values);
    text_fini(&t);
}

static void texts_that_cannot_be_written_again_are_refused(void **state) {
    static const char *const texts[] = { "\xff", "\xc3", "\xed\xa0\xbd\xed\xb8\x80" };
    ubi__json_values values;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char json[64];
        snprintf(json, sizeof json, "{\"text\": \"%s\"}", texts[i]);
        assert_int_equal(ubi__json_values_read(&values, ubi__question_find("search")->usage, ubi__text(json)),
                         UBI_EINVAL);
        assert_string_equal(ubi_error_message(), "text: expected a text in UTF-8");
    }
}

/* ---- answers -------------------------------------------------------------------------------------------------------- */

typedef struct heap {
    ubi_session_pool *pool;
    ubi_session *sessions[2];
} heap;

static ubi_status heap_open(heap *h, const ubi_allocator *allocator, uint64_t limit_bytes) {
    ubi_session_pool_options options = UBI_SESSION_POOL_OPTIONS_INIT;
    options.allocator = allocator;
    options.limit_bytes = limit_bytes;
    *h = (heap){ 0 };
    UBI_TRY(ubi_session_pool_new(&h->pool, &options));
    UBI_TRY(ubi__session_open_unread(&h->sessions[0], h->pool, BEFORE, UBI_SESSION_HEAP, NULL));
    return ubi__session_open_unread(&h->sessions[1], h->pool, AFTER, UBI_SESSION_HEAP, NULL);
}

static void heap_close(heap *h) {
    ubi_session_unref(h->sessions[0]);
    ubi_session_unref(h->sessions[1]);
    ubi_session_pool_unref(h->pool);
}

static ubi_status key_of(ubi__vec_u8 *out, const heap *h, const char *question, const char *parameters, uint32_t n,
                         bool is_page) {
    ubi__json_values values;
    *out = (ubi__vec_u8){ 0 };
    ubi__answer_terms terms = { .question = ubi__question_find(question), .is_page = is_page, .columns = 90 };
    UBI_TRY(ubi__json_values_read(&values, terms.question->usage, ubi__text(parameters)));
    terms.values = values.values;
    ubi_status status = ubi__answer_check(&terms, h->sessions, n);
    if (status == UBI_OK)
        status = ubi__answer_key(out, &terms, h->sessions, n);
    ubi__json_values_fini(&values);
    return status;
}

static ubi_status answer_take(text *out, const heap *h, const char *key, const ubi_progress *progress) {
    ubi_session_use_options options = UBI_SESSION_USE_OPTIONS_INIT;
    ubi_session_use *use;
    ubi_text answer = { NULL, 0 };
    if (progress)
        options.progress = *progress;
    UBI_TRY(ubi_session_use_begin(&use, h->sessions[0], &options));
    ubi_status status = ubi__answer_get(&answer, use, key);
    if (status == UBI_OK && out)
        assert_true(text_write(out, answer.ptr, answer.len));
    ubi_session_use_end(use);
    return status;
}

static uint32_t builds_of(ubi_session *session, const char *part, bool *is_present) {
    ubi_session_part_row row;
    for (size_t i = 0; ubi_session_part_at(&row, session, i); i++)
        if (strcmp(row.name, part) == 0) {
            *is_present = row.is_present;
            return row.n_builds;
        }
    *is_present = false;
    return 0;
}

static void assert_as_asked(const heap *h, const char *question, const char *parameters, uint32_t n, bool is_page) {
    text expected = { .room = SIZE_MAX }, answer = { .room = SIZE_MAX };
    ubi_ask_options options = UBI_ASK_OPTIONS_INIT;
    ubi__vec_u8 key;
    options.form = is_page ? UBI_ASK_PAGE : UBI_ASK_DOCUMENT;
    options.columns = 90;
    assert_int_equal(key_of(&key, h, question, parameters, n, is_page), UBI_OK);
    assert_int_equal(ubi_ask_several(h->sessions, n, question, parameters, text_write, &expected, &options), UBI_OK);
    assert_int_equal(answer_take(&answer, h, (const char *)key.at, NULL), UBI_OK);
    assert_true(ubi__text_equal(whole_of(&expected), whole_of(&answer)));
    ubi__vec_u8_fini(&key, ubi_allocator_default());
    text_fini(&expected);
    text_fini(&answer);
}

static void answers_are_what_asking_gives(void **state) {
    heap h;
    (void)state;
    assert_int_equal(heap_open(&h, NULL, 0), UBI_OK);
    for (int is_page = 0; is_page < 2; is_page++) {
        assert_as_asked(&h, "summary", "{\"limit\": 3, \"sort\": \"count\"}", 1, is_page);
        assert_as_asked(&h, "search", "{\"text\": \"\\ud800x \\\" y\"}", 1, is_page);
        assert_as_asked(&h, "diff", "{\"by\": \"class\"}", 2, is_page);
    }
    heap_close(&h);
}

static void a_second_asker_gets_the_same_bytes(void **state) {
    heap h;
    ubi__vec_u8 key, other;
    ubi_session_use *use, *second;
    ubi_text answer, again;
    bool is_present;
    (void)state;
    assert_int_equal(heap_open(&h, NULL, 0), UBI_OK);
    assert_int_equal(key_of(&key, &h, "nodes", "{\"limit\":5,\"sort\":\"-retainedSize\"}", 1, false), UBI_OK);
    assert_int_equal(key_of(&other, &h, "nodes", "{ \"sort\": \"-retainedSize\", \"limit\": 5 }", 1, false), UBI_OK);
    assert_string_equal(key.at, other.at);
    assert_int_equal(ubi_session_use_begin(&use, h.sessions[0], NULL), UBI_OK);
    assert_int_equal(ubi_session_use_begin(&second, h.sessions[0], NULL), UBI_OK);
    assert_int_equal(ubi__answer_if_present(&answer, use, (const char *)key.at), UBI_OK);
    assert_null(answer.ptr);
    assert_int_equal(ubi__answer_get(&answer, use, (const char *)key.at), UBI_OK);
    assert_int_equal(ubi__answer_if_present(&again, second, (const char *)other.at), UBI_OK);
    assert_ptr_equal(answer.ptr, again.ptr);
    assert_int_equal(builds_of(h.sessions[0], "answer", &is_present), 1);
    ubi_session_use_end(use);
    ubi_session_use_end(second);
    ubi__vec_u8_fini(&key, ubi_allocator_default());
    ubi__vec_u8_fini(&other, ubi_allocator_default());
    heap_close(&h);
}

/* While its answer is in use, the heap is not. */
static void an_answer_keeps_nothing_that_it_was_made_of(void **state) {
    heap h;
    ubi__vec_u8 key;
    ubi_session_use *use;
    ubi_text answer;
    bool is_present;
    (void)state;
    assert_int_equal(heap_open(&h, NULL, 0), UBI_OK);
    assert_int_equal(key_of(&key, &h, "diff", "{}", 2, false), UBI_OK);
    assert_int_equal(ubi_session_use_begin(&use, h.sessions[0], NULL), UBI_OK);
    assert_int_equal(ubi__answer_get(&answer, use, (const char *)key.at), UBI_OK);
    ubi_session_pool_drop_unused(h.pool);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(builds_of(h.sessions[i], "graph", &is_present), 1);
        assert_false(is_present);
    }
    builds_of(h.sessions[0], "answer", &is_present);
    assert_true(is_present);
    ubi_session_use_end(use);
    ubi_session_pool_drop_unused(h.pool);
    assert_int_equal(ubi_session_pool_held_bytes(h.pool), 0);
    ubi__vec_u8_fini(&key, ubi_allocator_default());
    heap_close(&h);
}

static uint32_t answers_count(ubi_session *session) {
    ubi_session_part_row row;
    uint32_t n = 0;
    for (size_t i = 0; ubi_session_part_at(&row, session, i); i++)
        n += strcmp(row.name, "answer") == 0;
    return n;
}

static void the_oldest_answers_make_room(void **state) {
    heap h;
    ubi__vec_u8 first;
    ubi_session_use *use;
    ubi_text answer;
    (void)state;
    assert_int_equal(heap_open(&h, NULL, 0), UBI_OK);
    assert_int_equal(key_of(&first, &h, "show", "{\"node\": 0}", 1, false), UBI_OK);
    for (uint32_t i = 0; i < UBI__ANSWERS_KEPT + 20; i++) {
        char parameters[64];
        ubi__vec_u8 key;
        snprintf(parameters, sizeof parameters, "{\"limit\": 1, \"text\": \"x%u\"}", i);
        assert_int_equal(key_of(&key, &h, "search", parameters, 1, false), UBI_OK);
        assert_int_equal(answer_take(NULL, &h, (const char *)key.at, NULL), UBI_OK);
        if (i == 0)
            ubi__vec_u8_fini(&first, ubi_allocator_default()), first = key;
        else
            ubi__vec_u8_fini(&key, ubi_allocator_default());
    }
    assert_int_equal(answers_count(h.sessions[0]), UBI__ANSWERS_KEPT);
    assert_int_equal(ubi_session_use_begin(&use, h.sessions[0], NULL), UBI_OK);
    assert_int_equal(ubi__answer_if_present(&answer, use, (const char *)first.at), UBI_OK);
    assert_null(answer.ptr);
    ubi_session_use_end(use);
    ubi__vec_u8_fini(&first, ubi_allocator_default());
    heap_close(&h);
}

/* ---- limits, mistakes, memory --------------------------------------------------------------------------------------- */

static void a_long_answer_is_refused_in_words(void **state) {
    heap h;
    ubi__vec_u8 key;
    (void)state;
    assert_int_equal(heap_open(&h, NULL, 4 << 20), UBI_OK); /* 256 KiB for an answer */
    assert_int_equal(key_of(&key, &h, "nodes", "{\"limit\": 0}", 1, false), UBI_OK);
    assert_int_equal(answer_take(NULL, &h, (const char *)key.at, NULL), UBI_ELIMIT);
    assert_string_equal(ubi_error_message(), "the answer has more than 256 KiB: ask for fewer rows (limit, offset)");
    ubi__vec_u8_fini(&key, ubi_allocator_default());
    assert_as_asked(&h, "nodes", "{\"limit\": 10}", 1, false); /* who failed failed alone */
    heap_close(&h);
}

static void mistakes_are_found_before_anything_is_read(void **state) {
    heap h;
    ubi__vec_u8 key;
    bool is_present;
    (void)state;
    assert_int_equal(heap_open(&h, NULL, 0), UBI_OK);
    assert_int_equal(key_of(&key, &h, "nodes", "{\"where\": \"selfSize >\"}", 1, false), UBI_EINVAL);
    assert_int_equal(key_of(&key, &h, "diff", "{}", 1, false), UBI_EINVAL);
    assert_int_equal(key_of(&key, &h, "timeline", "{}", 1, false), UBI_EFORMAT);
    assert_int_equal(builds_of(h.sessions[0], "graph", &is_present), 0);
    heap_close(&h);
}

static void an_error_about_one_of_several_heaps_names_it(void **state) {
    heap h;
    ubi__vec_u8 key;
    (void)state;
    assert_int_equal(heap_open(&h, NULL, 0), UBI_OK);
    ubi_session_unref(h.sessions[1]);
    assert_int_equal(ubi__session_open_unread(&h.sessions[1], h.pool, "tests/data/none", UBI_SESSION_HEAP, NULL),
                     UBI_OK);
    assert_int_equal(key_of(&key, &h, "diff", "{}", 2, false), UBI_OK);
    assert_int_equal(answer_take(NULL, &h, (const char *)key.at, NULL), UBI_EIO);
    assert_non_null(strstr(ubi_error_message(), "tests/data/none"));
    ubi__vec_u8_fini(&key, ubi_allocator_default());
    heap_close(&h);
}

static bool stop_at_once(void *payload, const char *stage, uint64_t done, uint64_t total) {
    (void)payload, (void)stage, (void)done, (void)total;
    return false;
}

static void a_cancelled_answer_leaves_nothing(void **state) {
    const ubi_progress stop = { stop_at_once, NULL };
    heap h;
    ubi__vec_u8 key;
    (void)state;
    assert_int_equal(heap_open(&h, NULL, 0), UBI_OK);
    assert_int_equal(key_of(&key, &h, "summary", "{}", 1, false), UBI_OK);
    assert_int_equal(answer_take(NULL, &h, (const char *)key.at, &stop), UBI_ECANCELLED);
    assert_int_equal(answers_count(h.sessions[0]), 0);
    assert_int_equal(answer_take(NULL, &h, (const char *)key.at, NULL), UBI_OK);
    ubi__vec_u8_fini(&key, ubi_allocator_default());
    heap_close(&h);
}

static ubi_status answer_with(const ubi_allocator *allocator) {
    heap h;
    ubi__vec_u8 key = { 0 };
    ubi_status status = heap_open(&h, allocator, 0);
    if (status == UBI_OK)
        status = key_of(&key, &h, "diff", "{\"by\": \"class\"}", 2, false);
    if (status == UBI_OK)
        status = answer_take(NULL, &h, (const char *)key.at, NULL);
    ubi__vec_u8_fini(&key, ubi_allocator_default());
    heap_close(&h);
    return status;
}

static void refused_memory_leaves_nothing(void **state) {
    (void)state;
    for (uint64_t n = 0;; n += n / 16 + 1) {
        fail_allocator f;
        fail_allocator_init(&f, n);
        ubi_status status = answer_with(&f.allocator);
        assert_true(status == UBI_OK || status == UBI_ENOMEM);
        fail_allocator_fini(&f);
        if (status == UBI_OK)
            break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_as_the_same_values),
        cmocka_unit_test(defaults_are_left_out),
        cmocka_unit_test(texts_that_cannot_be_written_again_are_refused),
        cmocka_unit_test(answers_are_what_asking_gives),
        cmocka_unit_test(a_second_asker_gets_the_same_bytes),
        cmocka_unit_test(an_answer_keeps_nothing_that_it_was_made_of),
        cmocka_unit_test(the_oldest_answers_make_room),
        cmocka_unit_test(a_long_answer_is_refused_in_words),
        cmocka_unit_test(mistakes_are_found_before_anything_is_read),
        cmocka_unit_test(an_error_about_one_of_several_heaps_names_it),
        cmocka_unit_test(a_cancelled_answer_leaves_nothing),
        cmocka_unit_test(refused_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
