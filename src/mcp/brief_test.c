/* SPDX-License-Identifier: MIT
 *
 * brief_test.c: what holds of every brief answer: it is within its budget; its rows are a beginning of all rows; shown and left out are all;
 * following the cursor gives the rest; two runs give the same bytes. Asked of every question, about many files.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/extension/ask.h>

#include "base/json_writer.h"
#include "base/text.h"
#include "fail_allocator.h"
#include "mcp/brief.h"
#include "questions/question.h"
#include "random_numbers.h"

#define HEADLINE "an answer"
#define ALL_BYTES ((size_t)1 << 31)

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

/* ---- lines of an answer ---------------------------------------------------------------------------------------------- */

typedef struct answer {
    ubi__vec_u8 text;
    ubi__brief_count count;
    ubi_text columns; /* the line before the rows; empty: there is none */
    ubi_text rows;    /* with the end of each line */
    uint64_t n_left_out, n_total;
    char next[2000]; /* "" without one */
} answer;

static ubi_text line_at(const answer *a, size_t at) {
    const char *begin = (const char *)a->text.at + at;
    const char *end = memchr(begin, '\n', a->text.n - at);
    return (ubi_text){ begin, end ? (size_t)(end - begin) : a->text.n - at };
}

/* The headline is the first line; the last one or two are not rows. */
static void answer_parse(answer *a) {
    size_t last = 0, end = a->text.n;
    for (size_t at = 0; at < a->text.n; at += line_at(a, at).len + 1)
        last = at;
    a->next[0] = '\0';
    if (ubi__text_begins(line_at(a, last), "next: ")) {
        assert_true(end - last < sizeof a->next);
        snprintf(a->next, sizeof a->next, "%.*s", (int)(end - last), (const char *)a->text.at + last);
        end = last;
        for (last = end - 1; a->text.at[last - 1] != '\n'; last--)
            ;
    }
    ubi_text left_out = line_at(a, last), headline = line_at(a, 0);
    char line[300];
    snprintf(line, sizeof line, "%.*s", (int)left_out.len, left_out.ptr);
    assert_int_equal(sscanf(line, "left out: %" SCNu64 " of %" SCNu64 " rows", &a->n_left_out, &a->n_total), 2);
    assert_true(ubi__text_is(headline, HEADLINE));
    a->columns = a->count.has_columns ? line_at(a, headline.len + 1) : (ubi_text){ NULL, 0 };
    size_t begin = headline.len + 1 + (a->columns.ptr ? a->columns.len + 1 : 0);
    a->rows = (ubi_text){ (const char *)a->text.at + begin, last - begin };
}

static bool vector_write(void *payload, const void *data, size_t n) {
    ubi__vec_u8 *v = payload;
    assert_int_equal(ubi__vec_u8_reserve(v, memory(), n), UBI_OK);
    memcpy(v->at + v->n, data, n);
    v->n += n;
    return true;
}

/* What the text takes when the writer of JSON has it. */
static size_t written_bytes(const answer *a) {
    ubi__vec_u8 json = { NULL, 0, 0 };
    ubi__json writer;
    ubi__json_init(&writer, vector_write, &json, false);
    ubi__json_text(&writer, (ubi_text){ (const char *)a->text.at, a->text.n });
    assert_int_equal(ubi__json_flush(&writer), UBI_OK);
    size_t n = json.n - 2;
    ubi__vec_u8_fini(&json, memory());
    return n;
}

static answer brief_of(const ubi__brief_terms *terms) {
    answer a = { .text = { NULL, 0, 0 } };
    if (ubi__brief_write(&a.text, &a.count, terms, memory()) != UBI_OK)
        fail_msg("%s", ubi_error_message());
    assert_true(written_bytes(&a) <= terms->budget_bytes);
    assert_int_equal(written_bytes(&a), ubi__brief_escaped_bytes((ubi_text){ (const char *)a.text.at, a.text.n }));
    answer_parse(&a);
    return a;
}

static void answer_fini(answer *a) {
    ubi__vec_u8_fini(&a->text, memory());
}

static uint64_t rows_count(ubi_text rows) {
    uint64_t n = 0;
    for (size_t i = 0; i < rows.len; i++)
        n += rows.ptr[i] == '\n';
    return n;
}

/* ---- the properties -------------------------------------------------------------------------------------------------- */

static unsigned n_cut;          /* rows so far */
static unsigned n_with_columns; /* pages so far */

/* The rows of a page are those of all rows from its cursor on; one that was cut is their beginning. */
static size_t page_check(const answer *page, const answer *all, size_t at, uint64_t cursor) {
    assert_int_equal(page->n_total, all->n_total);
    assert_false(page->count.has_columns && cursor == 0);
    n_with_columns += page->count.has_columns;
    assert_int_equal(page->count.n_shown, rows_count(page->rows));
    assert_int_equal(cursor + page->count.n_shown + page->n_left_out, all->n_total);
    if (page->count.was_cut) {
        assert_int_equal(page->count.n_shown, 1);
        n_cut++;
        assert_non_null(memmem(page->rows.ptr, page->rows.len, " more bytes of this row", 23));
        const char *end = memchr(all->rows.ptr + at, '\n', all->rows.len - at);
        assert_non_null(end);
        return (size_t)(end - all->rows.ptr) + 1;
    }
    assert_true(page->rows.len <= all->rows.len - at);
    assert_memory_equal(page->rows.ptr, all->rows.ptr + at, page->rows.len);
    return at + page->rows.len;
}

static uint64_t left_out_of(ubi_text rows, size_t at) {
    return rows.len - at;
}

static void assert_same_again(const answer *page, const ubi__brief_terms *terms) {
    answer again = brief_of(terms);
    assert_int_equal(page->text.n, again.text.n);
    assert_memory_equal(page->text.at, again.text.at, page->text.n);
    answer_fini(&again);
}

/* Follows the cursor to the end; after some pages of a long answer, to its last rows. Sanitizers find it long sooner. */
static void pages_check(const ubi__brief_terms *terms, const answer *all) {
    const uint32_t n_pages = random_cases(all->n_total > 2000 ? 2 : 6), n_rows = random_cases(400);
    ubi__brief_terms t = *terms;
    size_t at = 0;
    for (unsigned i = 0; t.cursor < all->n_total || i == 0; i++) {
        if (i == n_pages && all->n_total > t.cursor + n_rows)
            for (; t.cursor < all->n_total - 30; t.cursor++)
                at = (size_t)((const char *)memchr(all->rows.ptr + at, '\n', all->rows.len - at) - all->rows.ptr) + 1;
        answer page = brief_of(&t);
        if (i == 0)
            assert_same_again(&page, &t);
        at = page_check(&page, all, at, t.cursor);
        assert_int_equal(page.count.left_out_bytes, left_out_of(all->rows, at));
        t.cursor += page.count.n_shown;
        assert_true(page.count.n_shown > 0 || t.cursor == all->n_total);
        answer_fini(&page);
    }
    assert_int_equal(at, all->rows.len);
}

enum { N_BUDGETS = 3 };

static void document_check(ubi_text document, size_t n_budgets) {
    static const size_t budgets[N_BUDGETS] = { 1024, 4096, 16384 };
    ubi__brief_terms t = { .documents = &document, .n_documents = 1, .headline = HEADLINE };
    t.more_call = "ask {\"question\":\"summary\",\"heap\":\"h1\"";
    t.explain_call = "explain {\"heap\":\"h1\",\"node\":";
    t.limit = 20;
    t.budget_bytes = ALL_BYTES;
    answer all = brief_of(&t);
    assert_int_equal(all.n_left_out, 0);
    assert_false(all.count.was_cut);
    for (size_t i = 0; i < n_budgets; i++) {
        t.budget_bytes = budgets[i];
        pages_check(&t, &all);
    }
    answer_fini(&all);
}

/* ---- every question --------------------------------------------------------------------------------------------------- */

static const char *const files[][2] = {
    { "tests/data/v8/node20-before.heapsnapshot.gz", "tests/data/v8/node20-after.heapsnapshot.gz" },
    { "tests/data/v8/chromium-detached.heapsnapshot.gz", NULL },
    { "tests/data/v8/chromium-alloc.heapsnapshot.gz", NULL },
    { "tests/data/fx/tiny-before.fxsnapshot", "tests/data/fx/tiny-after.fxsnapshot" },
    { "tests/data/fx/unreachable.fxsnapshot", NULL },
    { "tests/data/jsc/gcdebugging-before.json.gz", "tests/data/jsc/gcdebugging-after.json.gz" },
    { "tests/data/jsc/inspector-before.json.gz", "tests/data/jsc/inspector-after.json.gz" },
    { "tests/data/jsc/bun-v8.heapsnapshot.gz", "tests/data/jsc/bun-v8-after.heapsnapshot.gz" },
    { "tests/data/ubirec/server.ubirec", NULL },
    { "tests/data/ubirec/sampled.ubirec", NULL },
    { "tests/data/ubirec/hostile.ubirec", NULL },
    { "tests/data/ubirec/growing.ubirec", NULL },
    { "tests/data/timeline/small.timeline", NULL },
    { "tests/data/timeline/hostile.timeline", NULL },
};

static ubi_session *session_of(ubi_session_pool *pool, const char *path) {
    ubi_session *session;
    if (ubi_session_open_path(&session, pool, path, NULL) != UBI_OK)
        fail_msg("%s: %s", path, ubi_error_message());
    return session;
}

/* The first id in a list of nodes that begins with the largest. */
static uint64_t node_pick(ubi_session *session) {
    ubi__vec_u8 json = { NULL, 0, 0 };
    uint64_t id = 0;
    assert_int_equal(ubi_ask(session, "nodes", "{\"columns\":\"id\",\"sort\":\"rawSize\",\"limit\":1,\"offset\":7}",
                             vector_write, &json, NULL),
                     UBI_OK);
    assert_int_equal(ubi__vec_u8_push(&json, memory(), 0), UBI_OK);
    const char *rows = strstr((const char *)json.at, "\"rows\":[[");
    assert_non_null(rows);
    id = strtoull(rows + 9 + (rows[9] == '"'), NULL, 10);
    ubi__vec_u8_fini(&json, memory());
    return id;
}

static const char *parameters_for(char out[200], const ubi__question *question, ubi_session *session) {
    out[0] = '\0';
    if (ubi_session_kind_of(session) != UBI_SESSION_HEAP)
        return NULL;
    for (const ubi__parameter *p = question->usage->parameters; (p = ubi__parameter_at(p)); p++)
        if (p->is_required)
            snprintf(out, 200, p->kind == UBI__PARAMETER_NODES ? "{\"nodes\":[%" PRIu64 "]}" : "{\"node\":%" PRIu64 "}",
                     node_pick(session));
    if (strcmp(question->usage->name, "search") == 0)
        snprintf(out, 200, "{\"text\":\"a\"}");
    if (strcmp(question->usage->name, "nodes") == 0) /* or there are all of them */
        snprintf(out, 200, "{\"limit\":1000}");
    return out[0] ? out : NULL;
}

static uint32_t question_check(const ubi__question *q, ubi_session *const *sessions, uint32_t n_there) {
    char parameters[200];
    ubi__vec_u8 json = { NULL, 0, 0 };
    uint32_t n = q->least_heaps;
    if (!ubi__question_schema(q, ubi_session_kind_of(sessions[0])) || n > n_there)
        return 0;
    ubi_status status = ubi_ask_several(sessions, n, q->usage->name, parameters_for(parameters, q, sessions[0]),
                                        vector_write, &json, NULL);
    if (status == UBI_OK) /* by sanitizers with the smallest budget, which has the most pages */
        document_check((ubi_text){ (const char *)json.at, json.n }, every_case_is_tried() ? N_BUDGETS : 1);
    ubi__vec_u8_fini(&json, memory());
    return status == UBI_OK;
}

static void every_question_about_every_file_has_brief_answers(void **state) {
    uint32_t n_asked = 0, n_of_question[40] = { 0 };
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        ubi_session_pool *pool;
        ubi_session *sessions[2] = { NULL, NULL };
        assert_int_equal(ubi_session_pool_new(&pool, NULL), UBI_OK);
        uint32_t n = files[i][1] ? 2 : 1;
        for (uint32_t k = 0; k < n; k++)
            sessions[k] = session_of(pool, files[i][k]);
        for (size_t q = 0; ubi__questions[q]; q++) {
            uint32_t n_answers = question_check(ubi__questions[q], sessions, n);
            n_of_question[q] += n_answers;
            n_asked += n_answers;
        }
        ubi_session_unref(sessions[0]);
        ubi_session_unref(sessions[1]);
        ubi_session_pool_unref(pool);
    }
    assert_true(n_with_columns > 10);
    for (size_t q = 0; ubi__questions[q]; q++)
        if (n_of_question[q] == 0)
            fail_msg("%s was never answered", ubi__questions[q]->usage->name);
    assert_true(n_asked > 100);
}

/* ---- shapes ------------------------------------------------------------------------------------------------------------ */

static answer brief_from(const char *json, size_t budget_bytes) {
    ubi_text document = ubi__text(json);
    const ubi__brief_name name = { ubi__text("/home/me/a.heapsnapshot"), ubi__text("h1") };
    return brief_of(&(ubi__brief_terms){ .documents = &document,
                                         .n_documents = 1,
                                         .names = &name,
                                         .n_names = 1,
                                         .headline = HEADLINE,
                                         .budget_bytes = budget_bytes,
                                         .limit = 3,
                                         .more_call = "ask {\"question\":\"x\"",
                                         .explain_call = "explain {\"node\":",
                                         .last_call = "report {\"heap\":\"h1\"}" });
}

static void assert_rows(const char *json, const char *rows) {
    answer a = brief_from(json, 4096);
    if (!ubi__text_is(a.rows, rows))
        fail_msg("%s\ngives\n%.*s\nnot\n%s", json, (int)a.rows.len, a.rows.ptr, rows);
    answer_fini(&a);
}

static void documents_become_rows(void **state) {
    (void)state;
    assert_rows("{}", "");
    assert_rows("{\"schema\":\"x/1\",\"file\":\"/a/b\",\"n\":1,\"is\":true,\"none\":null,\"d\":-1.5e3}",
                "n=1 is=true d=-1.5e3\n");
    assert_rows("{\"old\":{\"file\":\"/home/me/a.heapsnapshot\",\"n\":2},\"few\":[1,2],\"no\":[]}",
                "old={file=\"h1\" n=2} few=[1 2] no=[]\n");
    assert_rows("{\"rows\":[{\"a\":1,\"in\":[{\"b\":2},{\"b\":3}],\"c\":4},{\"a\":5}]}",
                "rows:\n - a=1 c=4\n  in:\n   - b=2\n   - b=3\n - a=5\n");
    assert_rows("{\"report\":{\"A\":{\"n\":1},\"B C\":{\"D\":{\"n\":2}}}}", "report:\n A: n=1\n \"B C\":\n  D: n=2\n");
    assert_rows("{\"rows\":[[1,\"x\",null],[2,\"y\",3]]}", "rows:\n - 1 \"x\" null\n - 2 \"y\" 3\n");
    assert_rows("{\"p\":[[{\"a\":1}],[]]}", "p:\n -\n  - a=1\n -\n");
}

static void texts_are_quoted_cut_and_visible(void **state) {
    (void)state;
    assert_rows("{\"a\":\"x\\\"\\\\\\n\\u0000\\u0007\\u007f\\ud800\\u202e\\udb40\\udc41\xe2\x80\x8b z\"}",
                "a=\"x\\\"\\\\\\n\\u0000\\u0007\\u007f\\ud800\\u202e\\udb40\\udc41\\u200b z\"\n");
    assert_rows("{\"k\\nnext: x\":1,\"\":2}", "\"k\\nnext: x\"=1 \"\"=2\n");
    char json[2000] = "{\"a\":\"", rows[2000] = "a=\"";
    for (int i = 0; i < 300; i++)
        strcat(json, "\xc3\xa9");
    for (int i = 0; i < 120; i++)
        strcat(rows, "\xc3\xa9");
    assert_rows(strcat(json, "\"}"), strcat(rows, "\"\xe2\x80\xa6"
                                                  "360 more bytes\n"));
}

static void a_long_record_is_continued_on_more_rows(void **state) {
    char json[20000] = "{\"rows\":[{";
    (void)state;
    for (int i = 0; i < 200; i++)
        sprintf(json + strlen(json), "%s\"member%d\":%d", i ? "," : "", i, i);
    answer a = brief_from(strcat(json, "}]}"), 16384);
    assert_true(a.n_total > 4 && a.n_left_out == 0);
    assert_non_null(memmem(a.rows.ptr, a.rows.len, "\n  + member", 11));
    answer_fini(&a);
    document_check(ubi__text(json), N_BUDGETS);
}

static void a_row_longer_than_the_budget_is_cut_and_says_so(void **state) {
    char json[4000] = "{\"rows\":[{\"a\":\"";
    unsigned n_before = n_cut;
    (void)state;
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 200; k++)
            strcat(json, "\\\"");
        strcat(json, i < 5 ? "\",\"b\":\"" : "\"}]}");
    }
    document_check(ubi__text(json), N_BUDGETS);
    assert_true(n_cut > n_before);
}

static void what_comes_next_is_a_call(void **state) {
    char many[4000] = "{\"classes\":[";
    (void)state;
    answer a = brief_from("{\"nodeId\":7,\"rows\":[{\"nodeId\":8},{\"holder\":{\"nodeId\":\"9\"}}]}", 4096);
    assert_string_equal(a.next, "next: explain {\"node\":\"9\"}");
    answer_fini(&a);
    a = brief_from("{\"nodeId\":7,\"rows\":[{\"exampleId\":1},{\"nodeId\":8}]}", 4096);
    assert_string_equal(a.next, "next: explain {\"node\":8}");
    answer_fini(&a);
    a = brief_from("{\"nodeId\":7}", 4096);
    assert_string_equal(a.next, "next: report {\"heap\":\"h1\"}");
    answer_fini(&a);
    for (int i = 0; i < 100; i++)
        sprintf(many + strlen(many), "%s{\"name\":%d,\"exampleId\":%d}", i ? "," : "", i, i);
    a = brief_from(strcat(many, "]}"), 1024);
    assert_int_equal(strncmp(a.next, "next: ask {\"question\":\"x\",\"cursor\":", 34), 0);
    assert_non_null(memmem(a.text.at, a.text.n, "the question's own limit 3 applies", 34));
    answer_fini(&a);
}

static answer table_page(const char *json, uint64_t cursor, size_t budget_bytes) {
    ubi_text document = ubi__text(json);
    return brief_of(&(ubi__brief_terms){ .documents = &document,
                                         .n_documents = 1,
                                         .headline = HEADLINE,
                                         .budget_bytes = budget_bytes,
                                         .cursor = cursor });
}

/* Row 0 has the columns, row 1 is that of the list. */
static void a_page_that_begins_in_a_table_names_its_columns(void **state) {
    char many[4000] = "{\"columns\":[\"";
    static const char table[] = "{\"columns\":[\"id\",\"a b\"],\"rows\":[[1,\"x\"],[2,\"y\"]],\"other\":[{\"c\":3}]}";
    (void)state;
    answer a = table_page(table, 0, 4096);
    assert_true(ubi__text_is(a.rows, "columns=[\"id\" \"a b\"]\nrows:\n - 1 \"x\"\n - 2 \"y\"\nother:\n - c=3\n"));
    answer_fini(&a);
    a = table_page(table, 3, 4096);
    assert_true(ubi__text_is(a.columns, "columns: id \"a b\""));
    assert_true(ubi__text_is(a.rows, " - 2 \"y\"\nother:\n - c=3\n"));
    answer_fini(&a);
    for (uint64_t cursor = 4; cursor < 6; cursor++) { /* another list */
        a = table_page(table, cursor, 4096);
        assert_false(a.count.has_columns);
        answer_fini(&a);
    }
    memset(many + strlen(many), 'x', 300);
    strcat(many, "\"],\"rows\":[[1],[2],[3]]}");
    a = table_page(many, 3, 270); /* the row is worth more */
    assert_false(a.count.has_columns);
    assert_int_equal(a.count.n_shown, 2);
    answer_fini(&a);
    a = table_page(many, 3, 1024);
    assert_true(a.count.has_columns);
    answer_fini(&a);
    a = table_page("{\"columns\":[1],\"rows\":[[1],[2]]}", 3, 1024);
    assert_false(a.count.has_columns);
    answer_fini(&a);
}

static void what_the_limit_has_left_out_is_counted(void **state) {
    ubi_text document = ubi__text("{\"rows\":[{\"n\":1},{\"n\":2}]}");
    ubi__brief_terms t = { .documents = &document, .n_documents = 1, .headline = HEADLINE, .budget_bytes = 1024 };
    (void)state;
    t.limit = 2;
    t.knows_beyond = true;
    t.n_beyond = 40;
    t.beyond_call = "ask {}";
    answer a = brief_of(&t);
    assert_int_equal(a.n_left_out, 40);
    assert_int_equal(a.n_total, 43);
    assert_string_equal(a.next, "next: ask {}");
    static const char said[] = "43 rows; 40 rows come after the question's own limit 2\n";
    assert_non_null(memmem(a.text.at, a.text.n, said, sizeof said - 1));
    answer_fini(&a);
    t.n_beyond = 0; /* the list is as long as its limit */
    a = brief_of(&t);
    assert_int_equal(a.n_left_out, 0);
    assert_int_equal(a.n_total, 3);
    assert_string_equal(a.next, "");
    assert_null(memmem(a.text.at, a.text.n, "limit", 5));
    answer_fini(&a);
}

static void what_is_not_json_is_an_error(void **state) {
    static const char *const texts[] = { "", "[]", "{", "{\"a\":[1,}", "{\"a\":{\"b\":[{\"c\":tru}]}}", "1", "{} x" };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ubi_text document = ubi__text(texts[i]);
        ubi__vec_u8 out = { NULL, 0, 0 };
        const ubi__brief_terms terms = {
            .documents = &document, .n_documents = 1, .headline = HEADLINE, .budget_bytes = 4096
        };
        assert_int_equal(ubi__brief_write(&out, NULL, &terms, memory()), UBI_EFORMAT);
        ubi__vec_u8_fini(&out, memory());
    }
    ubi_text document = ubi__text("{\"a\":1}");
    ubi__vec_u8 out = { NULL, 0, 0 };
    const ubi__brief_terms terms = {
        .documents = &document, .n_documents = 1, .headline = HEADLINE, .budget_bytes = 64
    };
    assert_int_equal(ubi__brief_write(&out, NULL, &terms, memory()), UBI_EINVAL);
    ubi__vec_u8_fini(&out, memory());
}

static ubi_status brief_work(void *payload, const ubi_allocator *allocator) {
    ubi_text document =
        ubi__text("{\"a\":\"\\n\",\"columns\":[\"a b\"],\"rows\":[{\"b\":[{\"nodeId\":3}]},{\"b\":1},[1],[2]]}");
    const char *title = "first";
    ubi__vec_u8 out = { NULL, 0, 0 };
    const ubi__brief_terms terms = { .documents = &document,
                                     .titles = &title,
                                     .n_documents = 1,
                                     .headline = HEADLINE,
                                     .budget_bytes = 1024,
                                     .cursor = (uintptr_t)payload,
                                     .explain_call = "explain {\"node\":" };
    ubi_status status = ubi__brief_write(&out, NULL, &terms, allocator);
    ubi__vec_u8_fini(&out, allocator);
    return status;
}

static void refused_memory_is_reported(void **state) {
    (void)state;
    assert_true(fail_each_allocation(brief_work, NULL) > 4);
    assert_true(fail_each_allocation(brief_work, (void *)(uintptr_t)6) > 4); /* among the rows of a table */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_become_rows),
        cmocka_unit_test(texts_are_quoted_cut_and_visible),
        cmocka_unit_test(a_long_record_is_continued_on_more_rows),
        cmocka_unit_test(a_row_longer_than_the_budget_is_cut_and_says_so),
        cmocka_unit_test(what_comes_next_is_a_call),
        cmocka_unit_test(a_page_that_begins_in_a_table_names_its_columns),
        cmocka_unit_test(what_the_limit_has_left_out_is_counted),
        cmocka_unit_test(what_is_not_json_is_an_error),
        cmocka_unit_test(refused_memory_is_reported),
        cmocka_unit_test(every_question_about_every_file_has_brief_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
