/* SPDX-License-Identifier: MIT
 *
 * ask_recordings_test.c: questions about recordings and timelines by ubi_ask(): answers, mistakes, refused memory, cancellation, what
 * one question computed serves the next, and files that change.
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

#include "base/alloc.h"
#include "base/json_reader.h"
#include "base/status.h"
#include "base/text.h"
#include "fail_allocator.h"
#include "questions/question.h"
#include "small_recording.h"
#include "written_text.h"

#define RECORDING "tests/data/ubirec/lost-markers.ubirec"
#define SMALL_RECORDING "tests/data/ubirec/few.ubirec"
#define MARKED_RECORDING "tests/data/ubirec/growing.ubirec"
#define TIMELINE "tests/data/timeline/small.timeline"
#define HEAP "tests/data/fx/tiny-before.fxsnapshot"

static const struct asked {
    const char *file, *question, *parameters;
} everything[] = {
    { TIMELINE, "timeline", NULL },
    { TIMELINE, "timeline", "{\"from\": \"100\", \"to\": \"0.2s\", \"where\": \"duration > 1ms\"}" },
    { TIMELINE, "timeline", "{\"marker\": [\"Javascript\", \"nonsense\"]}" },
    { RECORDING, "timeline", NULL },
    { SMALL_RECORDING, "timeline", "{\"where\": \"function ~ 'x'\"}" },
    { SMALL_RECORDING, "report", NULL },
    { SMALL_RECORDING, "report", "{\"by\": \"total\", \"stackDepth\": 2, \"wrappers\": false, \"symbols\": false}" },
    { MARKED_RECORDING, "report", "{\"detail\": true, \"limit\": 3}" },
    { MARKED_RECORDING, "report", "{\"site\": \"a\"}" },
    { MARKED_RECORDING, "report", "{\"from\": \"1s\", \"to\": \"2.5s\"}" },
    { MARKED_RECORDING, "allocations", "{\"group\": \"file\", \"limit\": 2}" },
    { MARKED_RECORDING, "allocations", "{\"group\": \"thread\", \"from\": \"1s\"}" },
    { SMALL_RECORDING, "allocations", "{\"group\": \"lifetime\"}" },
    { MARKED_RECORDING, "allocations", "{\"timeline\": true, \"limit\": 3}" },
    { MARKED_RECORDING, "allocations", "{\"at\": \"1500\", \"by\": \"live\"}" },
    { MARKED_RECORDING, "report", "{\"suppress\": [\"leak:a\", \"# none\\nleak:^nothing$\"], \"by\": \"peak\"}" },
    { SMALL_RECORDING, "report", "{\"format\": \"json\"}" },
    { SMALL_RECORDING, "report", "{\"columns\": \"peak,function,stack,through\", \"by\": \"count\"}" },
    { SMALL_RECORDING, "allocations", NULL },
    { MARKED_RECORDING, "allocations", "{\"callers\": 2, \"by\": \"peak\", \"withCallees\": true, \"limit\": 4}" },
    { SMALL_RECORDING, "info", NULL },
    { TIMELINE, "info", NULL },
};

#define N_EVERYTHING (sizeof everything / sizeof *everything)

typedef struct file {
    ubi_session_pool *pool;
    ubi_session *session;
} file;

/* With one thread where allocations are refused: a block ahead is read without, too. */
static ubi_status session_open(ubi_session **out, ubi_session_pool *pool, const char *path, bool is_alone) {
    ubi_session_options options = UBI_SESSION_OPTIONS_INIT;
    options.threads = is_alone;
    return ubi_session_open_path(out, pool, path, &options);
}

static ubi_status file_open(file *f, const char *path, const ubi_allocator *allocator) {
    ubi_session_pool_options options = UBI_SESSION_POOL_OPTIONS_INIT;
    options.allocator = allocator;
    *f = (file){ NULL, NULL };
    UBI_TRY(ubi_session_pool_new(&f->pool, &options));
    return session_open(&f->session, f->pool, path, allocator != NULL);
}

static void file_close(file *f) {
    ubi_session_unref(f->session);
    ubi_session_pool_unref(f->pool);
}

static file file_of(const char *path) {
    file f;
    assert_int_equal(file_open(&f, path, NULL), UBI_OK);
    return f;
}

static ubi_status ask(text *out, const file *f, const struct asked *what, const ubi_ask_options *options) {
    return ubi_ask(f->session, what->question, what->parameters, text_write, out, options);
}

static ubi_text text_of(const text *t) {
    return (ubi_text){ (const char *)t->bytes.at, t->bytes.n };
}

/* Which has a document of its own. */
static bool is_of_a_format(const struct asked *what) {
    static const char *const words[] = { "\"format\"", "\"columns\"", "\"group\"", "\"timeline\"" };
    for (size_t i = 0; what->parameters && i < sizeof words / sizeof *words; i++)
        if (strstr(what->parameters, words[i]))
            return true;
    return false;
}

/* ---- answers --------------------------------------------------------------------------------------------------------- */

static void assert_document(const text *t, const file *f, const struct asked *what) {
    ubi__json_cursor c;
    ubi__json_value value;
    char start[64];
    ubi_session_kind kind = ubi_session_kind_of(f->session);
    assert_true(ubi__text_ends(text_of(t), "\n"));
    if (!ubi__json_value_whole(&c, &value, text_of(t)))
        fail_msg("%s: no JSON, expected %s", what->question, c.fault);
    const char *schema = ubi__question_schema(ubi__question_find(what->question), kind);
    if (!is_of_a_format(what)) {
        snprintf(start, sizeof start, "{\"schema\":\"%s\",\"file\":", schema);
        assert_true(ubi__text_begins(text_of(t), start));
    }
}

static void answers_are_documents(void **state) {
    (void)state;
    for (size_t i = 0; i < N_EVERYTHING; i++) {
        file f = file_of(everything[i].file);
        text first = { .room = SIZE_MAX }, second = { .room = SIZE_MAX };
        if (ask(&first, &f, &everything[i], NULL) != UBI_OK)
            fail_msg("%s %s: %s", everything[i].question, everything[i].parameters, ubi_error_message());
        assert_document(&first, &f, &everything[i]);
        ubi_session_pool_drop_unused(f.pool); /* all is read again */
        assert_int_equal(ask(&second, &f, &everything[i], NULL), UBI_OK);
        assert_int_equal(first.bytes.n, second.bytes.n);
        assert_memory_equal(first.bytes.at, second.bytes.at, first.bytes.n);
        text_fini(&first);
        text_fini(&second);
        file_close(&f);
    }
}

static void pages_follow_their_columns(void **state) {
    ubi_ask_options options = UBI_ASK_OPTIONS_INIT;
    (void)state;
    options.form = UBI_ASK_PAGE;
    for (size_t i = 0; i < N_EVERYTHING; i++) {
        file f = file_of(everything[i].file);
        text narrow = { .room = SIZE_MAX }, wide = { .room = SIZE_MAX };
        if (!is_of_a_format(&everything[i])) {
            options.columns = 60;
            assert_int_equal(ask(&narrow, &f, &everything[i], &options), UBI_OK);
            options.columns = 160;
            assert_int_equal(ask(&wide, &f, &everything[i], &options), UBI_OK);
            assert_true(text_longest_line(&narrow) <= text_longest_line(&wide) && text_longest_line(&wide) <= 160);
        }
        text_fini(&narrow);
        text_fini(&wide);
        file_close(&f);
    }
}

/* ---- once ------------------------------------------------------------------------------------------------------------- */

static uint32_t builds_of(ubi_session *session, const char *part) {
    ubi_session_part_row row;
    for (size_t i = 0; ubi_session_part_at(&row, session, i); i++)
        if (strcmp(row.name, part) == 0)
            return row.n_builds;
    return 0;
}

static void what_one_computed_serves_the_next(void **state) {
    static const struct asked pair[] = { { TIMELINE, "timeline", NULL },
                                         { TIMELINE, "timeline", "{\"marker\": [\"Javascript\"]}" },
                                         { TIMELINE, "timeline", NULL } };
    file f = file_of(TIMELINE);
    text out[3] = { { .room = SIZE_MAX }, { .room = SIZE_MAX }, { .room = SIZE_MAX } };
    (void)state;
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(ask(&out[i], &f, &pair[i], NULL), UBI_OK);
    assert_int_equal(builds_of(f.session, "timeline"), 1);
    assert_true(out[1].bytes.n < out[0].bytes.n);
    assert_int_equal(out[0].bytes.n, out[2].bytes.n); /* what a question dropped is there for the next */
    assert_memory_equal(out[0].bytes.at, out[2].bytes.at, out[0].bytes.n);
    for (size_t i = 0; i < 3; i++)
        text_fini(&out[i]);
    file_close(&f);
}

static void places_are_found_once_and_sorted_by_what_is_asked(void **state) {
    static const struct asked asked[] = { { RECORDING, "report", NULL },
                                          { RECORDING, "report", "{\"by\": \"peak\"}" },
                                          { RECORDING, "allocations", "{\"by\": \"total\"}" },
                                          { RECORDING, "report", "{\"by\": \"leaked\", \"limit\": 1}" },
                                          { RECORDING, "report", NULL } };
    file f = file_of(RECORDING);
    text first = { .room = SIZE_MAX }, last = { .room = SIZE_MAX };
    (void)state;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        text out = { .room = SIZE_MAX };
        text *to = i == 0 ? &first : i + 1 == sizeof asked / sizeof *asked ? &last : &out;
        assert_int_equal(ask(to, &f, &asked[i], NULL), UBI_OK);
        text_fini(&out);
    }
    assert_int_equal(builds_of(f.session, "recording"), 1);
    assert_int_equal(builds_of(f.session, "places"), 1);
    assert_int_equal(first.bytes.n, last.bytes.n); /* sorting for others changed nothing */
    assert_memory_equal(first.bytes.at, last.bytes.at, first.bytes.n);
    text_fini(&first);
    text_fini(&last);
    file_close(&f);
}

/* ---- processes that were recorded together ---------------------------------------------------------------------------- */

static bool has_words(const text *t, const char *words) {
    return ubi__text_contains(text_of(t), ubi__text(words));
}

static void a_session_has_all_processes(void **state) {
    static const struct {
        const char *question, *parameters, *words;
    } rows[] = {
        { "report", NULL, "\"processes\":[{\"pid\":10" },
        { "report", NULL,
          "\"total\":{\"samples\":2,\"count\":2,\"countLow\":2,\"countHigh\":2,\"countError\":0,\"bytes\":300" },
        { "report", "{\"process\": \"11\"}", ".ubirec.11\",\"program\":" },
        { "report", "{\"process\": \"11\"}", "\"bytes\":200" },
        { "info", NULL, "\"processes\":[{\"pid\":10" },
        { "timeline", NULL, ".ubirec.11\"]" },
    };
    char folder[] = "/tmp/ask_recordings_XXXXXX", first[64], second[80];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(first, sizeof first, "%s/x.ubirec", folder);
    snprintf(second, sizeof second, "%s.11", first);
    write_process_recording(first, 10, 100);
    write_process_recording(second, 11, 200);
    file f = file_of(first);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct asked asked = { first, rows[i].question, rows[i].parameters };
        text out = { .room = SIZE_MAX };
        assert_int_equal(ask(&out, &f, &asked, NULL), UBI_OK);
        if (!has_words(&out, rows[i].words))
            fail_msg("%s: no %s in %.*s", rows[i].question, rows[i].words, (int)out.bytes.n, (char *)out.bytes.at);
        text_fini(&out);
    }
    const struct asked report = { first, "report", NULL };
    text out = { .room = SIZE_MAX };
    ubi_session_pool_drop_unused(f.pool);
    write_process_recording(second, 11, 30000);
    assert_int_equal(ask(&out, &f, &report, NULL), UBI_EMISMATCH);
    assert_non_null(strstr(ubi_error_message(), "recorded with"));
    file_close(&f);
    text_fini(&out);
    unlink(second);
    unlink(first);
    rmdir(folder);
}

/* ---- mistakes --------------------------------------------------------------------------------------------------------- */

static void mistakes_are_named(void **state) {
    static const struct mistake {
        struct asked asked;
        ubi_status status;
        const char *words;
    } mistakes[] = {
        { { TIMELINE, "timeline", "{\"from\": \"2s\", \"to\": \"1s\"}" }, UBI_EINVAL, "from must be before to" },
        { { TIMELINE, "timeline", "{\"where\": \"durration > 1\"}" }, UBI_EINVAL, "did you mean 'duration'?" },
        { { TIMELINE, "timeline", "{\"format\": \"chrome\"}" }, UBI_EINVAL, "--json does not go with format chrome" },
        { { RECORDING, "report", "{\"columns\": \"leaked,functoin\"}" }, UBI_EINVAL, "did you mean \"function\"?" },
        { { RECORDING, "report", "{\"format\": \"csv\"}" }, UBI_EINVAL, "--json and format csv contradict each other" },
        { { RECORDING, "report", "{\"process\": \"cc1plus\"}" }, UBI_EINVAL, "process: there is no 'cc1plus'" },
        { { HEAP, "report", "{\"by\": \"peak\"}" }, UBI_EINVAL, "by is for recordings of allocations" },
        { { HEAP, "allocations", "{\"withCallees\": true}" }, UBI_EINVAL, "withCallees is for recordings" },
        { { RECORDING, "allocations", "{\"by\": \"size\"}" }, UBI_EINVAL, "by: " },
        { { TIMELINE, "allocations", NULL }, UBI_EFORMAT, "this is a timeline of markers, and no heap snapshot" },
        { { TIMELINE, "timeline", "{\"output\": \"x\"}" }, UBI_EINVAL, "timeline has no parameter 'output'" },
        { { HEAP, "timeline", NULL }, UBI_EFORMAT, "and no timeline: use ubiheap report" },
        { { RECORDING, "statistics", NULL }, UBI_EFORMAT, "this is a recording of allocations, and no heap snapshot" },
        { { TIMELINE, "nodes", "{}" }, UBI_EFORMAT, "this is a timeline of markers, and no heap snapshot" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        const struct asked *asked = &mistakes[i].asked;
        file f = file_of(asked->file);
        text out = { .room = SIZE_MAX };
        ubi_status status = ask(&out, &f, asked, NULL);
        if (status != mistakes[i].status || !strstr(ubi_error_message(), mistakes[i].words))
            fail_msg("%s %s: status %d, %s", asked->question, asked->parameters, (int)status, ubi_error_message());
        assert_int_equal(out.bytes.n, 0);
        text_fini(&out);
        file_close(&f);
    }
}

/* ---- two of them ------------------------------------------------------------------------------------------------------- */

typedef struct pair {
    const char *old, *new, *parameters;
    text answer;
} pair;

static ubi_status sessions_compare(pair *p, const file *old, bool is_alone) {
    ubi_session *new;
    UBI_TRY(session_open(&new, old->pool, p->new, is_alone));
    ubi_session *const sessions[] = { old->session, new };
    ubi_status status = ubi_ask_several(sessions, 2, "diff", p->parameters, text_write, &p->answer, NULL);
    ubi_session_unref(new);
    return status;
}

static ubi_status pair_compare(void *payload, const ubi_allocator *allocator) {
    pair *p = payload;
    file f;
    p->answer = (text){ .room = SIZE_MAX };
    ubi_status status = file_open(&f, p->old, allocator);
    if (status == UBI_OK)
        status = sessions_compare(p, &f, allocator != NULL);
    file_close(&f);
    if (allocator)
        text_fini(&p->answer);
    return status;
}

static void two_recordings_are_compared(void **state) {
    pair p = { SMALL_RECORDING, MARKED_RECORDING, "{\"by\": \"total\", \"per\": \"allocation\"}", { .room = 0 } };
    (void)state;
    assert_int_equal(pair_compare(&p, NULL), UBI_OK);
    assert_true(has_words(&p.answer, "{\"schema\":\"ubiheap.recording-diff/1\",\"old\":{\"file\":\"" SMALL_RECORDING));
    assert_true(has_words(&p.answer, "\"per\":\"allocation\",\"placeCount\":"));
    text_fini(&p.answer);
    assert_true(fail_each_allocation(pair_compare, &p) > 20);
}

static void what_cannot_be_compared_is_named(void **state) {
    static const struct {
        pair pair;
        const char *words;
    } rows[] = {
        { { SMALL_RECORDING, HEAP, NULL, { .room = 0 } },
          "few.ubirec: this is a recording of allocations, and " HEAP " is none" },
        { { HEAP, SMALL_RECORDING, NULL, { .room = 0 } },
          "few.ubirec: this is a recording of allocations, and " HEAP " is none" },
        { { HEAP, HEAP, "{\"per\": \"second\"}", { .room = 0 } }, "per is for recordings of allocations" },
        { { HEAP, HEAP, "{\"by\": \"peak\"}", { .room = 0 } }, "by peak is for recordings of allocations" },
        { { RECORDING, RECORDING, "{\"tree\": true}", { .room = 0 } }, "tree is for heaps" },
        { { SMALL_RECORDING, RECORDING, "{\"by\": \"temporary\"}", { .room = 0 } },
          "of a sampled recording, that is unknown" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pair p = rows[i].pair;
        ubi_status status = pair_compare(&p, NULL);
        bool is_mixed = strstr(rows[i].words, "none") != NULL;
        if (status != (is_mixed ? UBI_EFORMAT : UBI_EINVAL) || !strstr(ubi_error_message(), rows[i].words))
            fail_msg("row %zu: status %d, %s", i, (int)status, ubi_error_message());
        text_fini(&p.answer);
    }
}

/* A compressed timeline is a timeline. */
static void packed_timelines_are_recognized(void **state) {
    char path[] = "/tmp/ask_recordings_XXXXXX", line[4096];
    const struct asked timeline = { path, "timeline", NULL };
    bytes plain = { 0 }, packed = { 0 };
    text out = { .room = SIZE_MAX };
    int fd = mkstemp(path);
    FILE *in = fopen(TIMELINE, "rb");
    (void)state;
    assert_true(fd >= 0 && in);
    bytes_add(&plain, line, fread(line, 1, sizeof line, in));
    bytes_add_gzip(&packed, &plain, PACKING_DEFAULT);
    assert_int_equal(write(fd, packed.at, packed.n), packed.n);
    close(fd);
    fclose(in);
    file f = file_of(path);
    assert_int_equal(ubi_session_kind_of(f.session), UBI_SESSION_TIMELINE);
    assert_int_equal(ask(&out, &f, &timeline, NULL), UBI_OK);
    assert_true(has_words(&out, "\"program\":\"shop.js\""));
    text_fini(&out);
    file_close(&f);
    bytes_free(&plain);
    bytes_free(&packed);
    unlink(path);
}

static void parts_of_another_kind_are_refused(void **state) {
    file f = file_of(RECORDING);
    ubi_session_use *use;
    ubi_graph *graph;
    (void)state;
    assert_int_equal(ubi_session_kind_of(f.session), UBI_SESSION_RECORDING);
    assert_int_equal(ubi_session_use_begin(&use, f.session, NULL), UBI_OK);
    assert_int_equal(ubi_session_graph(&graph, use), UBI_EFORMAT);
    assert_non_null(strstr(ubi_error_message(), "this is a recording of allocations"));
    ubi_session_use_end(use);
    file_close(&f);
}

/* ---- files that change ------------------------------------------------------------------------------------------------ */

static void file_copy(const char *to, const char *from, size_t n_bytes) {
    static char buffer[1 << 16];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_true(in && out);
    size_t n = fread(buffer, 1, n_bytes < sizeof buffer ? n_bytes : sizeof buffer, in);
    assert_int_equal(fwrite(buffer, 1, n, out), n);
    fclose(in);
    fclose(out);
}

static void a_changed_file_is_not_mixed_up(void **state) {
    static const struct asked cases[] = { { TIMELINE, "timeline", NULL },
                                          { RECORDING, "timeline", NULL },
                                          { RECORDING, "report", NULL },
                                          { RECORDING, "info", NULL } };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[] = "/tmp/ask_recordings_XXXXXX";
        int fd = mkstemp(path);
        assert_true(fd >= 0);
        close(fd);
        file_copy(path, cases[i].file, SIZE_MAX);
        file f = file_of(path);
        text out = { .room = SIZE_MAX };
        assert_int_equal(ask(&out, &f, &cases[i], NULL), UBI_OK);
        ubi_session_pool_drop_unused(f.pool);
        file_copy(path, cases[i].file, 400);
        assert_int_equal(ask(&out, &f, &cases[i], NULL), UBI_EMISMATCH);
        unlink(path);
        assert_int_equal(ask(&out, &f, &cases[i], NULL), UBI_EIO);
        text_fini(&out);
        file_close(&f);
    }
}

/* ---- refused writes, refused memory, cancelled ------------------------------------------------------------------------ */

static void refused_writes_are_said(void **state) {
    ubi_ask_options page = UBI_ASK_OPTIONS_INIT;
    (void)state;
    page.form = UBI_ASK_PAGE;
    for (size_t i = 0; i < N_EVERYTHING; i++) {
        file f = file_of(everything[i].file);
        for (size_t room = 0; room < 3; room++) {
            text out = { .room = room };
            if (room == 1 && is_of_a_format(&everything[i]))
                continue;
            assert_int_equal(ask(&out, &f, &everything[i], room == 1 ? &page : NULL), UBI_EIO);
            text_fini(&out);
        }
        file_close(&f);
    }
}

static ubi_status open_and_ask(const struct asked *what, const ubi_ask_options *options,
                               const ubi_allocator *allocator) {
    file f;
    text out = { .room = SIZE_MAX };
    ubi_status status = file_open(&f, what->file, allocator);
    if (status == UBI_OK)
        status = ask(&out, &f, what, options);
    text_fini(&out);
    file_close(&f);
    return status;
}

static void each_allocation_may_be_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < N_EVERYTHING; i++)
        for (uint64_t n = 0;; n++) {
            fail_allocator a;
            ubi_ask_options options = UBI_ASK_OPTIONS_INIT;
            options.form = i % 2 ? UBI_ASK_PAGE : UBI_ASK_DOCUMENT;
            if (is_of_a_format(&everything[i]))
                options.form = UBI_ASK_DOCUMENT;
            fail_allocator_init(&a, n);
            ubi_status status = open_and_ask(&everything[i], &options, &a.allocator);
            fail_allocator_fini(&a);
            if (status == UBI_OK)
                break;
            assert_int_equal(status, UBI_ENOMEM);
        }
}

static bool count_down(void *payload, const char *stage, uint64_t done, uint64_t total) {
    uint32_t *left = payload;
    (void)stage, (void)done, (void)total;
    if (*left == 0)
        return false;
    --*left;
    return true;
}

static void cancelled_questions_can_be_asked_again(void **state) {
    (void)state;
    for (size_t i = 0; i < N_EVERYTHING; i++) {
        file f = file_of(everything[i].file);
        ubi_status status = UBI_ECANCELLED;
        for (uint32_t n = 0; status != UBI_OK; n++) {
            ubi_ask_options options = UBI_ASK_OPTIONS_INIT;
            uint32_t left = n;
            text out = { .room = SIZE_MAX };
            options.progress = (ubi_progress){ count_down, &left };
            ubi_session_pool_drop_unused(f.pool);
            status = ask(&out, &f, &everything[i], &options);
            if (status == UBI_OK)
                assert_document(&out, &f, &everything[i]);
            else
                assert_int_equal(status, UBI_ECANCELLED);
            assert_true(n > 0 || status == UBI_ECANCELLED); /* reading reports at least once */
            text_fini(&out);
        }
        file_close(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_documents),
        cmocka_unit_test(pages_follow_their_columns),
        cmocka_unit_test(what_one_computed_serves_the_next),
        cmocka_unit_test(places_are_found_once_and_sorted_by_what_is_asked),
        cmocka_unit_test(a_session_has_all_processes),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(two_recordings_are_compared),
        cmocka_unit_test(what_cannot_be_compared_is_named),
        cmocka_unit_test(packed_timelines_are_recognized),
        cmocka_unit_test(parts_of_another_kind_are_refused),
        cmocka_unit_test(a_changed_file_is_not_mixed_up),
        cmocka_unit_test(refused_writes_are_said),
        cmocka_unit_test(each_allocation_may_be_refused),
        cmocka_unit_test(cancelled_questions_can_be_asked_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
