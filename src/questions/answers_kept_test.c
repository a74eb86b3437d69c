/* SPDX-License-Identifier: MIT
 *
 * answers_kept_test.c: an answer that was kept next to an index is an answer of later sessions, which read nothing else.
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

#include <ubiheap/extension/session.h>

#include "base/text.h"
#include "questions/answers.h"

#define HEAP "tests/data/fx/tiny-after.fxsnapshot"

static char folder[] = "/tmp/ubi-answers-XXXXXX";

static int folder_make(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int folder_remove(void **state) {
    char command[100];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* A session of its own pool. */
typedef struct opened {
    ubi_session_pool *pool;
    ubi_session *session;
    ubi_session_use *use;
} opened;

static const char *label; /* what the next sessions are called; NULL: as their file */

static opened open_heap(ubi_session_index index) {
    opened o;
    ubi_session_options options = UBI_SESSION_OPTIONS_INIT;
    options.index = index;
    options.cache_folder = folder;
    assert_int_equal(ubi_session_pool_new(&o.pool, NULL), UBI_OK);
    assert_int_equal(ubi__session_open_unread(&o.session, o.pool, HEAP, UBI_SESSION_HEAP, &options), UBI_OK);
    if (label)
        assert_int_equal(ubi__session_call(o.session, label), UBI_OK);
    assert_int_equal(ubi_session_use_begin(&o.use, o.session, NULL), UBI_OK);
    return o;
}

static void close_heap(opened o) {
    ubi_session_use_end(o.use);
    ubi_session_unref(o.session);
    ubi_session_pool_unref(o.pool);
}

static void key_of(ubi__vec_u8 *key, const opened *o, const char *question, const char *parameters) {
    ubi__json_values values;
    const ubi__question *q = NULL;
    assert_int_equal(ubi__question_get(&q, question), UBI_OK);
    assert_int_equal(ubi__json_values_read(&values, q->usage, ubi__text(parameters)), UBI_OK);
    const ubi__answer_terms terms = { .question = q, .values = values.values };
    assert_int_equal(ubi__answer_key(key, &terms, &o->session, 1), UBI_OK);
    ubi__json_values_fini(&values);
}

static bool has_graph(const opened *o) {
    ubi_session_part_row row;
    for (size_t i = 0; ubi_session_part_at(&row, o->session, i); i++)
        if (strcmp(row.name, "graph") == 0 && row.n_builds > 0)
            return true;
    return false;
}

/* The answer, and whether the heap was needed for it. */
static char *answer_of(bool *was_read, ubi_session_index index, const char *question, const char *parameters) {
    opened o = open_heap(index);
    ubi__vec_u8 key = { NULL, 0, 0 };
    ubi_text text;
    key_of(&key, &o, question, parameters);
    assert_int_equal(ubi__answer_get(&text, o.use, (const char *)key.at), UBI_OK);
    char *copy = strndup(text.ptr, text.len);
    *was_read = has_graph(&o);
    ubi__vec_u8_fini(&key, ubi_allocator_default());
    close_heap(o);
    return copy;
}

static void answer_keep(const char *question, const char *parameters) {
    opened o = open_heap(UBI_SESSION_INDEX_CACHE);
    ubi__vec_u8 key = { NULL, 0, 0 };
    assert_int_equal(ubi_session_write_index(o.use), UBI_OK);
    key_of(&key, &o, question, parameters);
    assert_int_equal(ubi__answer_keep(o.use, (const char *)key.at), UBI_OK);
    ubi__vec_u8_fini(&key, ubi_allocator_default());
    close_heap(o);
}

static void assert_answer(bool must_read, ubi_session_index index, const char *question, const char *parameters) {
    bool was_read;
    char *plain = answer_of(&was_read, UBI_SESSION_INDEX_NONE, question, parameters);
    char *answer = answer_of(&was_read, index, question, parameters);
    assert_string_equal(plain, answer);
    assert_int_equal(was_read, must_read);
    free(plain);
    free(answer);
}

static void an_answer_that_was_kept_needs_no_heap(void **state) {
    (void)state;
    assert_answer(true, UBI_SESSION_INDEX_CACHE, "report", "{}");
    answer_keep("report", "{}");
    answer_keep("summary", "{\"limit\":3}");
    assert_answer(false, UBI_SESSION_INDEX_CACHE, "report", "{}");
    assert_answer(false, UBI_SESSION_INDEX_CACHE, "report", "{\"detail\":false}"); /* the same in other words */
    assert_answer(false, UBI_SESSION_INDEX_CACHE, "summary", "{\"limit\":3}");
    assert_answer(true, UBI_SESSION_INDEX_CACHE, "summary", "{\"limit\":4}");
    assert_answer(true, UBI_SESSION_INDEX_CACHE, "report", "{\"detail\":true}");
    assert_answer(true, UBI_SESSION_INDEX_NONE, "report", "{}");
    label = "what a \"door\" calls it";
    assert_answer(false, UBI_SESSION_INDEX_CACHE, "report", "{}");
    assert_answer(false, UBI_SESSION_INDEX_CACHE, "summary", "{\"limit\":3}");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_that_was_kept_needs_no_heap),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
