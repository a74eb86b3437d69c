/* SPDX-License-Identifier: MIT
 *
 * ask_test.c: every question by ubi_ask(): answers, mistakes in parameters, refused writes and memory, cancellation; and that what one
 * question computed serves the next.
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
#include "base/text.h"
#include "drawing.h"
#include "fail_allocator.h"
#include "questions/question.h"
#include "random_numbers.h"
#include "saving.h"
#include "written_text.h"

#define V8_FILE "tests/data/v8/node20-after.heapsnapshot.gz"
#define FX_FILE "tests/data/fx/tiny-after.fxsnapshot"
#define MOST_HEAPS 5

/* A snapshot, and one of the same program before it. */
static const char *const earlier_files[][2] = {
    { V8_FILE, "tests/data/v8/node20-before.heapsnapshot.gz" },
    { FX_FILE, "tests/data/fx/tiny-before.fxsnapshot" },
};

/* What is asked everywhere below. `%` stands for the id of a node. */
static const struct asked {
    const char *question, *parameters;
} everything[] = {
    { "statistics", NULL },
    { "dominators", "{}" },
    { "dominators", "{\"limit\": 5, \"breakdown\": \"stack\"}" },
    { "dominators", "{\"node\": %, \"depth\": 2, \"flat\": true}" },
    { "retainers", "{\"node\": \"%\"}" },
    { "retainers", "{\"node\": %, \"all\": true, \"depth\": 3, \"ignore\": [%]}" },
    { "paths", "{\"nodes\": [%], \"maxPaths\": 2}" },
    { "census", NULL },
    { "census", "{\"breakdown\": \"objectClass\", \"tree\": true, \"filter\": \"A\"}" },
    { "census", "{\"breakdown\": {\"by\": \"coarseType\"}, \"individuals\": \"1\"}" },
    { "census", "{\"breakdown\": \"objectClass\", \"rows\": 9, \"filter\": \"a\", \"order\": \"name\"}" },
    { "census", "{\"breakdown\": \"objectClass\", \"individuals\": \"1,2\", \"rows\": 3}" },
    { "containment", "{\"depth\": 1, \"rows\": 50}" },
    { "containment", "{\"node\": %}" },
    { "search", "{\"text\": \"Map\", \"limit\": 3}" },
    { "search", "{\"text\": \"/^A/\", \"where\": \"selfSize > 10\"}" },
    { "nodes", "{\"limit\": 20, \"columns\": \"id,distance,retainedSize\"}" },
    { "nodes", "{\"where\": \"selfSize > 20\", \"limit\": 4}" },
    { "nodes", "{\"sort\": \"-retainedSize\", \"where\": \"edgeCount > 0\", \"offset\": 1, \"limit\": 9}" },
    { "strings", "{\"limit\": 3}" },
    { "strings", "{\"duplicates\": true, \"minLength\": 2, \"where\": \"selfSize > 1\", \"sort\": \"count\"}" },
    { "allocations", "{\"callers\": 2, \"limit\": 3}" },
    { "show", "{\"node\": %, \"limit\": 2}" },
    { "show", "{\"node\": %, \"breakdown\": {\"by\": \"count\"}}" },
    { "report", NULL },
    { "report", "{\"detail\": true}" },
    { "diff", NULL },
    { "diff", "{\"by\": \"class\", \"sort\": \"growth\"}" },
    { "diff", "{\"breakdown\": \"objectClass\", \"filter\": \"A\"}" },
    { "diff", "{\"breakdown\": \"objectClass\", \"rows\": 3}" },
    { "diff", "{\"by\": \"class\", \"individuals\": 1, \"side\": \"created\", \"rows\": 3}" },
    { "info", NULL },
    { "treemap", NULL },
    { "treemap", "{\"breakdown\": \"allocationStack\", \"inverted\": false, \"by\": \"count\", \"depth\": 3}" },
    { "treemap", "{\"by\": \"retained\", \"width\": 300, \"height\": 200}" },
    { "summary", NULL },
    { "summary", "{\"class\": \"Map\", \"sort\": \"count\", \"limit\": 2}" },
    { "summary", "{\"where\": \"selfSize > 1\", \"sort\": \"name\"}" },
    { "leaks", NULL },
    { "leaks", "{\"control\": 2, \"engine\": true, \"limit\": 0, \"where\": \"selfSize > 1\"}" },
    { "leaks", "{\"allowOtherProcess\": true, \"verdict\": \"steady,once\"}" },
};

#define N_EVERYTHING (sizeof everything / sizeof *everything)

/* A question is asked about as many heaps as it takes and there are. */
static uint32_t heaps_of(const struct asked *what) {
    const ubi__question *question = ubi__question_find(what->question);
    return !question ? 1 : question->most_heaps < MOST_HEAPS ? question->most_heaps : MOST_HEAPS;
}

/* ---- a session, and what an answer is written to -------------------------------------------------------------------- */

typedef struct heap {
    ubi_session_pool *pool;
    ubi_session *session;
    ubi_session *earlier[MOST_HEAPS - 1]; /* those before it, the last one first; NULL: not opened */
    uint64_t node_id;                     /* of something that is not the root */
} heap;

static ubi_status heap_open(heap *h, const char *path, const ubi_allocator *allocator) {
    ubi_session_pool_options options = UBI_SESSION_POOL_OPTIONS_INIT;
    options.allocator = allocator;
    *h = (heap){ 0 };
    UBI_TRY(ubi_session_pool_new(&h->pool, &options));
    return ubi_session_open_path(&h->session, h->pool, path, NULL);
}

static void heap_close(heap *h) {
    for (size_t i = 0; i < MOST_HEAPS - 1; i++)
        ubi_session_unref(h->earlier[i]);
    ubi_session_unref(h->session);
    ubi_session_pool_unref(h->pool);
}

/* Those of earlier_files that a question needs beside the heap. */
static ubi_status heap_open_earlier(heap *h, uint32_t n_heaps) {
    size_t pair = strcmp(ubi_session_name(h->session), earlier_files[0][0]) == 0 ? 0 : 1;
    for (uint32_t i = 0; i + 1 < n_heaps; i++)
        if (!h->earlier[i])
            UBI_TRY(ubi_session_open_path(&h->earlier[i], h->pool, earlier_files[pair][1], NULL));
    return UBI_OK;
}

/* The last child of the root: the largest heaps have it. */
static void heap_choose_node(heap *h) {
    ubi_session_use *use;
    ubi_graph *graph;
    assert_int_equal(ubi_session_use_begin(&use, h->session, NULL), UBI_OK);
    assert_int_equal(ubi_session_graph(&graph, use), UBI_OK);
    ubi_edge_ix last = ubi_graph_first_edge(graph, ubi_graph_root(graph) + 1) - 1;
    h->node_id = ubi_graph_node_id(graph, ubi_graph_edge_target(graph, last));
    ubi_session_use_end(use);
}

static heap heap_of(const char *path) {
    heap h;
    assert_int_equal(heap_open(&h, path, NULL), UBI_OK);
    heap_choose_node(&h);
    return h;
}

/* The parameters with the id put in. */
static const char *parameters_fill(char out[160], const char *parameters, uint64_t node_id) {
    size_t n = 0;
    if (!parameters)
        return NULL;
    for (const char *p = parameters; *p; p++)
        n += (size_t)(*p == '%' ? snprintf(out + n, 160 - n, "%llu", (unsigned long long)node_id)
                                : snprintf(out + n, 160 - n, "%c", *p));
    assert_true(n < 160);
    return out;
}

static ubi_status ask(text *out, heap *h, const struct asked *what, const ubi_ask_options *options) {
    char filled[160];
    const char *parameters = parameters_fill(filled, what->parameters, h->node_id);
    ubi_session *sessions[MOST_HEAPS];
    uint32_t n = heaps_of(what);
    if (n == 1)
        return ubi_ask(h->session, what->question, parameters, text_write, out, options);
    UBI_TRY(heap_open_earlier(h, n));
    for (uint32_t i = 0; i < n; i++)
        sessions[i] = i + 1 < n ? h->earlier[n - 2 - i] : h->session;
    return ubi_ask_several(sessions, n, what->question, parameters, text_write, out, options);
}

/* ---- answers --------------------------------------------------------------------------------------------------------- */

static void assert_document(const text *t, const char *question) {
    ubi__json_cursor c;
    ubi__json_value value;
    ubi_text whole = { (const char *)t->bytes.at, t->bytes.n };
    char schema[64];
    assert_true(ubi__text_ends(whole, "\n"));
    if (!ubi__json_value_whole(&c, &value, whole))
        fail_msg("%s: no JSON, expected %s", question, c.fault);
    snprintf(schema, sizeof schema, "{\"schema\":\"%s\",%s", ubi__question_find(question)->schema,
             ubi__question_find(question)->most_heaps == 1 ? "\"file\":" : "");
    assert_true(ubi__text_begins(whole, schema));
}

static void answers_are_documents(void **state) {
    static const char *const files[] = { V8_FILE, FX_FILE };
    (void)state;
    for (size_t f = 0; f < 2; f++) {
        heap h = heap_of(files[f]);
        for (size_t i = 0; i < N_EVERYTHING; i++) {
            text first = { .room = SIZE_MAX }, second = { .room = SIZE_MAX };
            if (ask(&first, &h, &everything[i], NULL) != UBI_OK)
                fail_msg("%s %s: %s", everything[i].question, everything[i].parameters, ubi_error_message());
            assert_document(&first, everything[i].question);
            assert_int_equal(ask(&second, &h, &everything[i], NULL), UBI_OK);
            assert_int_equal(first.bytes.n, second.bytes.n);
            assert_memory_equal(first.bytes.at, second.bytes.at, first.bytes.n);
            text_fini(&first);
            text_fini(&second);
        }
        heap_close(&h);
    }
}

static void pages_fit_their_columns(void **state) {
    ubi_ask_options options = UBI_ASK_OPTIONS_INIT;
    heap h = heap_of(FX_FILE);
    const struct asked show = { "show", "{\"node\": %}" };
    text narrow = { .room = SIZE_MAX }, wide = { .room = SIZE_MAX };
    (void)state;
    options.form = UBI_ASK_PAGE;
    options.columns = 80;
    assert_int_equal(ask(&narrow, &h, &show, &options), UBI_OK);
    options.columns = 160;
    assert_int_equal(ask(&wide, &h, &show, &options), UBI_OK);
    assert_true(text_longest_line(&narrow) <= 80 && text_longest_line(&wide) <= 160);
    assert_true(text_longest_line(&narrow) < text_longest_line(&wide));
    text_fini(&narrow);
    text_fini(&wide);
    heap_close(&h);
}

/* ---- once ------------------------------------------------------------------------------------------------------------- */

static uint32_t builds_of(ubi_session *session, const char *part) {
    ubi_session_part_row row;
    for (size_t i = 0; ubi_session_part_at(&row, session, i); i++)
        if (strcmp(row.name, part) == 0)
            return row.n_builds;
    return 0;
}

/* What is behind the border of one page is on the next, and the list is made once. */
static void pages_of_rows_follow_each_other(void **state) {
    const struct asked whole = { "nodes", "{\"sort\": \"rawSize\", \"columns\": \"id\", \"limit\": 6}" };
    static const struct asked pages[] = {
        { "nodes", "{\"sort\": \"rawSize\", \"columns\": \"id\", \"limit\": 2}" },
        { "nodes", "{\"sort\": \"rawSize\", \"columns\": \"id\", \"limit\": 2, \"offset\": 2}" },
        { "nodes", "{\"sort\": \"rawSize\", \"columns\": \"id\", \"limit\": 2, \"offset\": 4}" },
    };
    const struct asked beyond = { "nodes", "{\"columns\": \"id\", \"offset\": 99999999}" };
    heap h = heap_of(V8_FILE);
    char rows[400] = "";
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        text out = { .room = SIZE_MAX };
        assert_int_equal(ask(&out, &h, &pages[i], NULL), UBI_OK);
        assert_int_equal(ubi__vec_u8_push(&out.bytes, ubi_allocator_default(), 0), UBI_OK);
        char *at = strstr((char *)out.bytes.at, "\"rows\":[") + strlen("\"rows\":[");
        *strrchr(at, ']') = 0;
        snprintf(rows + strlen(rows), sizeof rows - strlen(rows), "%s%s", i ? "," : "", at);
        text_fini(&out);
    }
    text all = { .room = SIZE_MAX }, none = { .room = SIZE_MAX };
    assert_int_equal(ask(&all, &h, &whole, NULL), UBI_OK);
    assert_true(ubi__text_contains((ubi_text){ (char *)all.bytes.at, all.bytes.n }, ubi__text(rows)));
    assert_int_equal(ask(&none, &h, &beyond, NULL), UBI_OK);
    assert_true(ubi__text_ends((ubi_text){ (char *)none.bytes.at, none.bytes.n }, "\"rows\":[]}\n"));
    assert_int_equal(builds_of(h.session, "nodes"), 1);
    text_fini(&all);
    text_fini(&none);
    heap_close(&h);
}

/* Of all keys together. */
static uint32_t all_builds_of(ubi_session *session, const char *part) {
    ubi_session_part_row row;
    uint32_t n = 0;
    for (size_t i = 0; ubi_session_part_at(&row, session, i); i++)
        if (!part || strcmp(row.name, part) == 0)
            n += row.n_builds;
    return n;
}

static void everything_ask(heap *h) {
    for (size_t i = 0; i < N_EVERYTHING; i++) {
        text out = { .room = SIZE_MAX };
        assert_int_equal(ask(&out, h, &everything[i], NULL), UBI_OK);
        text_fini(&out);
    }
}

static void what_one_computed_serves_the_next(void **state) {
    heap h = heap_of(V8_FILE);
    (void)state;
    everything_ask(&h);
    assert_int_equal(builds_of(h.session, "graph"), 1);
    assert_int_equal(builds_of(h.session, "look"), 1);
    assert_int_equal(builds_of(h.session, "distances"), 1);
    assert_int_equal(builds_of(h.session, "sums"), 1);
    assert_int_equal(builds_of(h.session, "findings"), 1);
    assert_int_equal(builds_of(h.session, "holders"), 1);
    assert_int_equal(builds_of(h.session, "keepers"), 1);
    /* The first question does without sets; what has them then serves all. */
    assert_int_equal(builds_of(h.session, "dominators"), 1);
    assert_int_equal(builds_of(h.session, "dominators with sets"), 1);
    assert_int_equal(all_builds_of(h.session, "dominator rows"), 3);
    assert_int_equal(all_builds_of(h.session, "search"), 2);
    uint32_t n_builds = all_builds_of(h.session, NULL);
    everything_ask(&h);
    assert_int_equal(all_builds_of(h.session, NULL), n_builds);
    heap_close(&h);
}

/* What is asked for in other words is found again, whatever the words are. */
static void searches_with_other_words_are_other_searches(void **state) {
    static const struct asked searches[] = {
        { "search", "{\"text\": \"a b\"}" },
        { "search", "{\"text\": \"a\", \"property\": \"b\"}" },
        { "search", "{\"text\": \"a\", \"property\": \"\"}" },
        { "search", "{\"text\": \"a\"}" },
        { "search", "{\"text\": \"a\", \"case\": true}" },
        { "search", "{\"text\": \"/a/\"}" },
        { "search", "{\"property\": \"a\"}" },
        { "search", "{\"where\": \"selfSize > 1\"}" },
        { "search", "{\"text\": \"selfSize > 1\"}" },
        { "search", "{\"where\": \"selfSize > 1\", \"property\": \"a 1\"}" },
    };
    enum { SEARCHES = sizeof searches / sizeof *searches };
    heap h = heap_of(V8_FILE);
    (void)state;
    for (size_t i = 0; i < 2 * SEARCHES; i++) {
        text out = { .room = SIZE_MAX };
        assert_int_equal(ask(&out, &h, &searches[i % SEARCHES], NULL), UBI_OK);
        text_fini(&out);
        assert_int_equal(all_builds_of(h.session, "search"), i < SEARCHES ? i + 1 : SEARCHES);
    }
    heap_close(&h);
}

/* ---- from an index ---------------------------------------------------------------------------------------------------- */

static ubi_status indexed_open(heap *h, const char *path, const char *folder) {
    ubi_session_options options = UBI_SESSION_OPTIONS_INIT;
    options.index = UBI_SESSION_INDEX_CACHE;
    options.cache_folder = folder;
    *h = (heap){ 0 };
    UBI_TRY(ubi_session_pool_new(&h->pool, NULL));
    return ubi_session_open_path(&h->session, h->pool, path, &options);
}

static bool index_is_in_use(const heap *h) {
    ubi_session_index_info info = UBI_SESSION_INDEX_INFO_INIT;
    ubi_session_use *use;
    assert_int_equal(ubi_session_use_begin(&use, h->session, NULL), UBI_OK);
    assert_int_equal(ubi_session_write_index(use), UBI_OK);
    assert_int_equal(ubi_session_index_about(&info, use), UBI_OK);
    ubi_session_use_end(use);
    return info.is_in_use && !info.is_damaged;
}

/* How long reading took is another answer each time. */
static void load_time_forget(text *t) {
    static const char key[] = "\"loadTimeUs\":";
    if (!t->bytes.n) /* the question was refused */
        return;
    uint8_t *at = memmem(t->bytes.at, t->bytes.n, key, sizeof key - 1), *end = t->bytes.at + t->bytes.n;
    if (!at)
        return;
    uint8_t *digits = at + sizeof key - 1, *rest = digits;
    while (rest < end && *rest >= '0' && *rest <= '9')
        rest++;
    memmove(digits, rest, (size_t)(end - rest));
    t->bytes.n -= (size_t)(rest - digits);
}

static void an_index_changes_no_answer(void **state) {
    static const char *const files[] = { V8_FILE, FX_FILE, "tests/data/v8/chromium-alloc.heapsnapshot.gz",
                                         "tests/data/jsc/bun-gcdebugging.json.gz" };
    char *folder = new_directory();
    (void)state;
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        heap computed = heap_of(files[f]), indexed;
        assert_int_equal(indexed_open(&indexed, files[f], folder), UBI_OK);
        assert_false(index_is_in_use(&indexed)); /* it is written */
        heap_close(&indexed);
        assert_int_equal(indexed_open(&indexed, files[f], folder), UBI_OK);
        heap_choose_node(&indexed);
        assert_true(index_is_in_use(&indexed));
        for (size_t i = 0; i < N_EVERYTHING; i++) {
            text first = { .room = SIZE_MAX }, second = { .room = SIZE_MAX };
            ubi_status status = ask(&first, &computed, &everything[i], NULL);
            assert_true(status == UBI_OK || heaps_of(&everything[i]) > 1); /* those may be of different programs */
            if (ask(&second, &indexed, &everything[i], NULL) != status)
                fail_msg("%s %s: %s", everything[i].question, everything[i].parameters, ubi_error_message());
            load_time_forget(&first);
            load_time_forget(&second);
            assert_int_equal(first.bytes.n, second.bytes.n);
            assert_memory_equal(first.bytes.at, second.bytes.at, first.bytes.n);
            text_fini(&first);
            text_fini(&second);
        }
        heap_close(&indexed);
        heap_close(&computed);
    }
    remove_directory(folder);
}

/* ---- mistakes --------------------------------------------------------------------------------------------------------- */

static void mistakes_are_named(void **state) {
    static const struct mistake {
        const char *question, *parameters;
        ubi_status status;
        const char *words;
    } mistakes[] = {
        { "statistic", NULL, UBI_ENOTFOUND, "did you mean 'statistics'?" },
        { "everything about it", NULL, UBI_ENOTFOUND, "there is no question 'everything about it'" },
        { "search", "[]", UBI_EINVAL, "expected a JSON object of parameters" },
        { "search", "", UBI_EINVAL, "expected a JSON object of parameters" },
        { "search", "{\"text\": \"a\"", UBI_EINVAL, "expected a JSON object of parameters" },
        { "search", "{\"txt\": \"a\"}", UBI_EINVAL, "search has no parameter 'txt'; did you mean 'text'?" },
        { "search", "{\"text\": 5}", UBI_EINVAL, "text: expected a string" },
        { "search", "{\"text\": \"a\\u0000b\"}", UBI_EINVAL, "without a zero" },
        { "search", "{\"text\": \"a\", \"text\": \"b\"}", UBI_EINVAL, "text: given twice" },
        { "search", "{\"text\": \"a\", \"limit\": \"ten\"}", UBI_EINVAL, "limit: expected a whole number" },
        { "search", "{\"text\": \"a\", \"limit\": -1}", UBI_EINVAL, "limit: expected a whole number" },
        { "search", "{\"text\": \"a\", \"limit\": 1.5}", UBI_EINVAL, "limit: expected a whole number" },
        { "search", "{\"text\": \"a\", \"case\": 1}", UBI_EINVAL, "case: expected true or false" },
        { "search", "{\"text\": \"a\", \"where\": \"selfSize >\"}", UBI_EINVAL, "where: " },
        { "search", "{\"text\": \"/(/\"}", UBI_EINVAL, "" },
        { "search", "{}", UBI_EINVAL, "missing TEXT" },
        { "show", NULL, UBI_EINVAL, "show needs the parameter 'node'" },
        { "show", "{\"node\": null}", UBI_EINVAL, "show needs the parameter 'node'" },
        { "show", "{\"node\": true}", UBI_EINVAL, "node: expected the id of a node" },
        { "show", "{\"node\": \"x\"}", UBI_EINVAL, "node: expected a node id" },
        { "show", "{\"node\": 987654321987}", UBI_ENOTFOUND, "no node has the id 987654321987" },
        { "show", "{\"node\": %, \"breakdown\": {\"by\": \"colour\"}}", UBI_EINVAL, "colour" },
        { "show", "{\"node\": %, \"breakdown\": \"nonsense\"}", UBI_EINVAL, "unknown breakdown 'nonsense'" },
        { "show", "{\"node\": %, \"breakdown\": 7}", UBI_EINVAL, "breakdown: expected the name of a preset" },
        { "paths", "{\"nodes\": %}", UBI_EINVAL, "nodes: expected an array" },
        { "paths", "{\"nodes\": []}", UBI_EINVAL, "paths needs the parameter 'nodes'" },
        { "paths", "{\"nodes\": [%], \"maxPaths\": 0}", UBI_EINVAL, "expected 1 or more" },
        { "paths", "{\"nodes\": [%], \"max-paths\": 1}", UBI_EINVAL, "did you mean 'maxPaths'?" },
        { "dominators", "{\"flat\": true, \"limit\": 3}", UBI_EINVAL, "flat does not go with limit, " },
        { "treemap", "{\"by\": \"retained\", \"filter\": \"x\"}", UBI_EINVAL, "by retained shows nodes" },
        { "treemap", "{\"width\": 0}", UBI_EINVAL, "must be from 1 to" },
        { "treemap", "{\"format\": \"svg\"}", UBI_EINVAL, "--json does not go with format svg" },
        { "summary", "{\"filter\": \"detached\"}", UBI_EINVAL, "did you mean detached-dom?" },
        { "summary", "{\"context\": \"everywhere\"}", UBI_EINVAL, "expected the id of a native context" },
        { "summary", "{\"class\": \"no such class at all\"}", UBI_ENOTFOUND, "there is no class" },
        { "summary", "{\"since\": \"older.heapsnapshot\"}", UBI_EINVAL, "did you mean 'sinceId'?" },
        { "summary", "{\"sinceId\": \"old\"}", UBI_EINVAL, "expected a node id" },
    };
    heap h = heap_of(V8_FILE);
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        const struct asked asked = { mistakes[i].question, mistakes[i].parameters };
        text out = { .room = SIZE_MAX };
        ubi_status status = ask(&out, &h, &asked, NULL);
        if (status != mistakes[i].status || !strstr(ubi_error_message(), mistakes[i].words))
            fail_msg("%s %s: status %d, %s", asked.question, asked.parameters, (int)status, ubi_error_message());
        assert_int_equal(out.bytes.n, 0);
        text_fini(&out);
    }
    heap_close(&h);
}

static void messages_call_parameters_as_the_door_does(void **state) {
    static const ubi__parameter table[] = {
        { .name = "max-paths", .kind = UBI__PARAMETER_NUMBER },
        { .name = "limit", .kind = UBI__PARAMETER_NUMBER },
        UBI__ALIAS_NAME("top"),
        UBI__ALIAS_LETTER('x'),
        UBI__PARAMETERS_END,
    };
    static const char *const messages[][2] = {
        { "--max-paths: expected 1 or more", "maxPaths: expected 1 or more" },
        { "--limit and --top do not go with --json", "limit and limit do not go with --json" },
        { "no row '--limit' in a--limit", "no row '--limit' in a--limit" }, /* a user's own words */
        { "--limits --", "--limits --" },
        { "", "" },
    };
    char out[64];
    (void)state;
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        ubi__parameters_spell(out, sizeof out, messages[i][0], table);
        assert_string_equal(out, messages[i][1]);
    }
    ubi__parameters_spell(out, 6, "--max-paths: expected 1", table);
    assert_string_equal(out, "maxPa");
}

static void options_of_other_versions_are_refused(void **state) {
    ubi_ask_options options = UBI_ASK_OPTIONS_INIT;
    const struct asked statistics = { "statistics", NULL };
    heap h = heap_of(FX_FILE);
    text out = { .room = SIZE_MAX };
    (void)state;
    options.version = UBI_ASK_OPTIONS_VERSION + 1;
    assert_int_equal(ask(&out, &h, &statistics, &options), UBI_EINVAL);
    options.version = UBI_ASK_OPTIONS_VERSION;
    options.form = (ubi_ask_form)2;
    assert_int_equal(ask(&out, &h, &statistics, &options), UBI_EINVAL);
    text_fini(&out);
    heap_close(&h);
}

/* Several heaps, as many as the question takes; what is wrong with one of them is said with its name. */
static void errors_name_their_heap(void **state) {
    char path[] = "/tmp/ubiheap-ask-XXXXXX", expected[160], command[160];
    const char *const parameters[] = { "{\"by\": \"class\"}", "{\"breakdown\": \"count\"}" };
    heap h = heap_of(FX_FILE);
    (void)state;
    close(mkstemp(path));
    snprintf(command, sizeof command, "cp %s %s", earlier_files[1][1], path);
    assert_int_equal(system(command), 0);
    assert_int_equal(ubi_session_open_path(&h.earlier[0], h.pool, path, NULL), UBI_OK);
    ubi_session_pool_drop_unused(h.pool);
    snprintf(command, sizeof command, "cp %s %s", FX_FILE, path);
    assert_int_equal(system(command), 0);
    snprintf(expected, sizeof expected, "%s: %s has changed since it was opened", path, path);
    for (size_t i = 0; i < 2; i++) {
        text out = { .room = SIZE_MAX };
        const struct asked diff = { "diff", parameters[i] };
        assert_int_equal(ask(&out, &h, &diff, NULL), UBI_EMISMATCH);
        assert_string_equal(ubi_error_message(), expected);
        text_fini(&out);
    }
    unlink(path);
    heap_close(&h);
}

/* The heaps of a control come last; `reorder` makes their order right. */
static void heaps_of_a_comparison_have_an_order(void **state) {
    static const struct {
        uint32_t n, order[4]; /* 0: before, 1: after */
        const char *parameters;
        ubi_status status;
        const char *words;
    } rows[] = {
        { 2, { 0, 1 }, NULL, UBI_OK, "\"comparable\":true" },
        { 2, { 1, 0 }, NULL, UBI_EINVAL, "not in the order in which they were taken" },
        { 2, { 1, 0 }, "{\"reorder\": true}", UBI_OK, "\"comparable\":true" },
        { 2, { 1, 1 }, NULL, UBI_OK, "\"comparable\":false" },
        { 4, { 0, 1, 0, 1 }, "{\"control\": 2}", UBI_OK, "\"verdict\":\"controlled\"" },
        { 4, { 0, 1, 1, 0 }, "{\"control\": 2}", UBI_EINVAL, "control: not in the order" },
        { 4, { 1, 0, 1, 0 }, "{\"control\": 2, \"reorder\": true}", UBI_OK, "\"verdict\":\"controlled\"" },
        { 3, { 0, 1, 1 }, "{\"control\": 1}", UBI_EINVAL, "control has one file" },
        { 3,
          { 0, 1, 1 },
          "{\"control\": 2}",
          UBI_EINVAL,
          "leaks takes 2 heaps or more before those of the control, not 3" },
        { 3,
          { 0, 1, 1 },
          "{\"control\": 9}",
          UBI_EINVAL,
          "leaks takes 2 heaps or more before those of the control, not 3" },
        { 2, { 0, 1 }, "{\"control\": \"2\"}", UBI_EINVAL, "control: expected how many of the heaps" },
        { 2, { 0, 1 }, "{\"verdict\": \"steady\"}", UBI_EINVAL, "two snapshots cannot show" },
    };
    heap h = heap_of(V8_FILE);
    (void)state;
    assert_int_equal(heap_open_earlier(&h, 2), UBI_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ubi_session *sessions[4];
        text out = { .room = SIZE_MAX };
        for (uint32_t k = 0; k < rows[i].n; k++)
            sessions[k] = rows[i].order[k] ? h.session : h.earlier[0];
        ubi_status status = ubi_ask_several(sessions, rows[i].n, "leaks", rows[i].parameters, text_write, &out, NULL);
        ubi_text words =
            status == UBI_OK ? (ubi_text){ (char *)out.bytes.at, out.bytes.n } : ubi__text(ubi_error_message());
        if (status != rows[i].status || !ubi__text_contains(words, ubi__text(rows[i].words)))
            fail_msg("row %zu: status %d, %.*s", i, (int)status, (int)words.len, words.ptr);
        text_fini(&out);
    }
    assert_int_equal(builds_of(h.session, "graph"), 1);
    heap_close(&h);
}

static void each_question_takes_its_number_of_heaps(void **state) {
    static const struct {
        const char *question;
        uint32_t n;
        const char *words;
    } mistakes[] = {
        { "diff", 0, "diff takes 2 heaps, not 0" },           { "diff", 1, "diff takes 2 heaps, not 1" },
        { "diff", 3, "diff takes 2 heaps, not 3" },           { "statistics", 2, "statistics takes 1 heap, not 2" },
        { "leaks", 1, "leaks takes 2 heaps or more, not 1" },
    };
    heap h = heap_of(FX_FILE), other = heap_of(FX_FILE);
    text out = { .room = SIZE_MAX };
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        ubi_session *same[] = { h.session, h.session, h.session };
        ubi_status status = ubi_ask_several(same, mistakes[i].n, mistakes[i].question, NULL, text_write, &out, NULL);
        assert_int_equal(status, UBI_EINVAL);
        assert_string_equal(ubi_error_message(), mistakes[i].words);
    }
    ubi_session *sessions[] = { h.session, other.session };
    assert_int_equal(ubi_ask_several(sessions, 2, "diff", NULL, text_write, &out, NULL), UBI_EINVAL);
    assert_non_null(strstr(ubi_error_message(), "different pools"));
    assert_int_equal(out.bytes.n, 0);
    heap_close(&h);
    heap_close(&other);
}

/* ---- refused writes, refused memory, cancelled ------------------------------------------------------------------------ */

static void refused_writes_are_said(void **state) {
    ubi_ask_options page = UBI_ASK_OPTIONS_INIT;
    heap h = heap_of(FX_FILE);
    (void)state;
    page.form = UBI_ASK_PAGE;
    for (size_t i = 0; i < N_EVERYTHING; i++)
        for (size_t room = 0; room < 3; room++) {
            text out = { .room = room };
            if (strstr(everything[i].parameters ? everything[i].parameters : "", "flat"))
                continue; /* no page has that */
            assert_int_equal(ask(&out, &h, &everything[i], room == 1 ? &page : NULL), UBI_EIO);
            text_fini(&out);
        }
    heap_close(&h);
}

/* drawn[0], and before it the others. */
static ubi_status drawing_open(heap *h, ubi_graph *const *drawn, uint32_t n_heaps, const ubi_allocator *allocator) {
    ubi_session_pool_options options = UBI_SESSION_POOL_OPTIONS_INIT;
    options.allocator = allocator;
    UBI_TRY(ubi_session_pool_new(&h->pool, &options));
    for (uint32_t i = 1; i < n_heaps; i++)
        UBI_TRY(ubi_session_open_graph(&h->earlier[i - 1], h->pool, drawn[i], "an earlier drawing", NULL));
    return ubi_session_open_graph(&h->session, h->pool, drawn[0], "drawing", NULL);
}

static void each_allocation_may_be_refused(void **state) {
    ubi_graph *drawn[MOST_HEAPS] = {
        graph_from_drawing("1 -> 2 \"a\", 3 \"b\"; 2(class=Map coarse=object size=9000) -> 4 \"c\", 5 \"d\";"
                           "3(class=Array coarse=object size=50) -> 4; 4(coarse=string size=20);"
                           "5(class=Set coarse=object size=9)"),
        graph_from_drawing("1 -> 2 \"a\"; 2(class=Map coarse=object size=90) -> 4 \"c\"; 4(coarse=string size=20)"),
        graph_from_drawing("1 -> 2 \"a\"; 2(class=Map coarse=object size=80)"),
        graph_from_drawing("1 -> 2 \"a\"; 2(class=Map coarse=object size=70)"),
        graph_from_drawing("1 -> 2 \"a\"; 2(class=Map coarse=object size=60)"),
    };
    (void)state;
    for (size_t i = 0; i < N_EVERYTHING; i++)
        for (uint64_t n = 0;; n++) {
            fail_allocator f;
            heap h = { .node_id = 2 };
            text out = { .room = SIZE_MAX };
            fail_allocator_init(&f, n);
            ubi_status status = drawing_open(&h, drawn, heaps_of(&everything[i]), &f.allocator);
            if (status == UBI_OK)
                status = ask(&out, &h, &everything[i], NULL);
            text_fini(&out);
            heap_close(&h);
            fail_allocator_fini(&f);
            if (status == UBI_OK)
                break;
            assert_int_equal(status, UBI_ENOMEM);
        }
    for (size_t i = 0; i < MOST_HEAPS; i++)
        ubi_graph_unref(drawn[i]);
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
        heap h = heap_of(V8_FILE);
        ubi_status status = UBI_ECANCELLED;
        const uint32_t part = every_case_is_tried() ? 8 : 2;
        for (uint32_t n = 0; status != UBI_OK; n += n / part + 1) {
            ubi_ask_options options = UBI_ASK_OPTIONS_INIT;
            uint32_t left = n;
            text out = { .room = SIZE_MAX };
            options.progress = (ubi_progress){ count_down, &left };
            status = ask(&out, &h, &everything[i], &options);
            if (status == UBI_OK)
                assert_document(&out, everything[i].question);
            else
                assert_int_equal(status, UBI_ECANCELLED);
            text_fini(&out);
        }
        heap_close(&h);
    }
}

/* ---- the list --------------------------------------------------------------------------------------------------------- */

static void the_list_has_every_question(void **state) {
    text out = { .room = SIZE_MAX }, none = { .room = 0 };
    ubi__json_cursor c;
    ubi__json_value value;
    (void)state;
    assert_int_equal(ubi_questions(text_write, &out), UBI_OK);
    ubi_text whole = { (const char *)out.bytes.at, out.bytes.n };
    assert_true(ubi__json_value_whole(&c, &value, whole));
    for (const ubi__question *const *q = ubi__questions; *q; q++) {
        char name[64];
        snprintf(name, sizeof name, "{\"name\":\"%s\",\"question\":", (*q)->usage->name);
        assert_true(ubi__text_contains(whole, ubi__text(name)));
        assert_ptr_equal(ubi__question_find((*q)->usage->name), *q);
    }
    assert_ptr_equal(ubi__question_find("node"), ubi__question_find("show"));
    assert_int_equal(ubi_questions(text_write, &none), UBI_EIO);
    text_fini(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_documents),
        cmocka_unit_test(pages_fit_their_columns),
        cmocka_unit_test(pages_of_rows_follow_each_other),
        cmocka_unit_test(what_one_computed_serves_the_next),
        cmocka_unit_test(searches_with_other_words_are_other_searches),
        cmocka_unit_test(an_index_changes_no_answer),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(errors_name_their_heap),
        cmocka_unit_test(heaps_of_a_comparison_have_an_order),
        cmocka_unit_test(each_question_takes_its_number_of_heaps),
        cmocka_unit_test(messages_call_parameters_as_the_door_does),
        cmocka_unit_test(options_of_other_versions_are_refused),
        cmocka_unit_test(refused_writes_are_said),
        cmocka_unit_test(each_allocation_may_be_refused),
        cmocka_unit_test(cancelled_questions_can_be_asked_again),
        cmocka_unit_test(the_list_has_every_question),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
