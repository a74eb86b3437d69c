/* SPDX-License-Identifier: MIT
 *
 * request_test.c: addresses, routes, parameters, ranges, tags and tokens, without a socket.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "http/http.h"
#include "questions/question.h"

static void an_address_is_split_and_then_decoded(void **state) {
    ubi__http_address a;
    (void)state;
    assert_int_equal(ubi__http_address_read(&a, "/a%2Fb/c+d/?x=1+2&y=%C3%A9&=z&w&x=3"), UBI_OK);
    assert_int_equal(a.n_segments, 2);
    assert_string_equal(a.segments[0], "a/b");
    assert_string_equal(a.segments[1], "c+d");
    assert_int_equal(a.n_pairs, 4);
    assert_string_equal(ubi__http_address_value(&a, "x"), "1 2");
    assert_string_equal(ubi__http_address_value(&a, "y"), "\xc3\xa9");
    assert_string_equal(ubi__http_address_value(&a, "w"), "");
    assert_null(ubi__http_address_value(&a, "z"));
    ubi__http_address_fini(&a);
}

static void wrong_addresses_are_refused(void **state) {
    static const struct {
        const char *text;
        ubi_status status;
    } cases[] = { { "", UBI_EINVAL },          { "x", UBI_EINVAL },
                  { "http://x/", UBI_EINVAL }, { "/%", UBI_EINVAL },
                  { "/%4", UBI_EINVAL },       { "/%4g", UBI_EINVAL },
                  { "/%00", UBI_EINVAL },      { "/%ff", UBI_EINVAL },
                  { "/?a=%f", UBI_EINVAL },    { "/1/2/3/4/5/6/7/8/9", UBI_ELIMIT } };
    ubi__http_address a;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(ubi__http_address_read(&a, cases[i].text), cases[i].status);
}

static ubi__http_action action_of(const char *method, const char *text) {
    const ubi__http_route *route = NULL;
    char allow[UBI__HTTP_ALLOW_BYTES];
    ubi__http_address a;
    assert_int_equal(ubi__http_address_read(&a, text), UBI_OK);
    if (ubi__http_route_find(&route, allow, method, &a) != UBI_OK)
        fail_msg("%s %s: %s", method, text, ubi_error_message());
    ubi__http_address_fini(&a);
    return route->action;
}

static void requests_find_their_routes(void **state) {
    (void)state;
    assert_int_equal(action_of("GET", "/"), UBI__HTTP_FRONT);
    assert_int_equal(action_of("HEAD", "/?token=x"), UBI__HTTP_FRONT);
    assert_int_equal(action_of("GET", "/api/1/heaps/"), UBI__HTTP_HEAPS);
    assert_int_equal(action_of("POST", "/api/1/heaps"), UBI__HTTP_HEAP_OPEN);
    assert_int_equal(action_of("POST", "/api/1/heaps?name=x"), UBI__HTTP_HEAP_UPLOAD);
    assert_int_equal(action_of("PUT", "/api/1/heaps"), UBI__HTTP_HEAP_UPLOAD);
    assert_int_equal(action_of("GET", "/api/1/heaps/h1/file"), UBI__HTTP_HEAP_FILE);
    assert_int_equal(action_of("GET", "/api/1/heaps/h1/nodes"), UBI__HTTP_ASK);
    assert_int_equal(action_of("DELETE", "/api/1/jobs/j1"), UBI__HTTP_JOB_CANCEL);
}

static void assert_parameters(const char *question, const char *query, const char *expected) {
    ubi__vec_u8 json = { 0 };
    ubi__http_address a;
    char text[256];
    snprintf(text, sizeof text, "/q?%s", query);
    assert_int_equal(ubi__http_address_read(&a, text), UBI_OK);
    assert_int_equal(ubi__http_parameters_write(&json, ubi__question_find(question)->usage, &a), UBI_OK);
    if (!ubi__text_is((ubi_text){ (const char *)json.at, json.n }, expected))
        fail_msg("%s: %.*s", query, (int)json.n, (const char *)json.at);
    ubi__vec_u8_fini(&json, ubi_allocator_default());
    ubi__http_address_fini(&a);
}

static void queries_become_parameters(void **state) {
    (void)state;
    assert_parameters("nodes", "token=x&limit=5&sort=-selfSize&format=page&async",
                      "{\"limit\":5,\"sort\":\"-selfSize\"}");
    assert_parameters("nodes", "limit=05&limit=x", "{\"limit\":\"05\",\"limit\":\"x\"}");
    assert_parameters("census", "tree&individuals=1", "{\"tree\":true,\"individuals\":\"1\"}");
    assert_parameters("census", "tree=false&breakdown=coarseType", "{\"tree\":false,\"breakdown\":\"coarseType\"}");
    assert_parameters("census", "breakdown={\"by\":\"count\"}", "{\"breakdown\":{\"by\":\"count\"}}");
    assert_parameters("census", "breakdown={\"by\"", "{\"breakdown\":\"{\\\"by\\\"\"}");
    assert_parameters("paths", "nodes=1,2&maxPaths=3&nodes=@4", "{\"nodes\":[\"1\",\"2\",\"@4\"],\"maxPaths\":3}");
    assert_parameters("treemap", "format=svg&format=document", "{\"format\":\"svg\"}");
    assert_parameters("nodes", "unknown=%22", "{\"unknown\":\"\\\"\"}");
}

static void assert_range(const char *text, uint64_t size, int64_t begin, uint64_t end) {
    ubi__http_range r = ubi__http_range_read(text, size);
    assert_int_equal(r.is_beyond, begin < 0);
    if (!r.is_beyond)
        assert_true(r.begin == (uint64_t)begin && r.end == end);
}

static void ranges_are_within_their_file(void **state) {
    (void)state;
    assert_range(NULL, 10, 0, 10);
    assert_range("bytes=0-0", 10, 0, 1);
    assert_range("bytes=5-", 10, 5, 10);
    assert_range("bytes=-3", 10, 7, 10);
    assert_range("bytes=-30", 10, 0, 10);
    assert_range("bytes=2-99", 10, 2, 10);
    assert_range("bytes=10-", 10, -1, 0);
    assert_range("bytes=5-2", 10, -1, 0);
    assert_range("bytes=-0", 10, -1, 0);
    assert_range("bytes=99999999999999999999-", 10, -1, 0);
    assert_range("bytes=1-2,4-5", 10, 0, 10);
    assert_range("bytes=", 10, 0, 10);
    assert_range("bytes=-", 10, 0, 10);
    assert_range("bytes=1", 10, 0, 10);
    assert_range("items=1-2", 10, 0, 10);
}

static void tags_and_codings_are_found_in_lists(void **state) {
    (void)state;
    assert_true(ubi__http_tag_matches("\"a\"", "\"a\""));
    assert_true(ubi__http_tag_matches("\"b\", W/\"a\"", "\"a\""));
    assert_true(ubi__http_tag_matches(" * ", "\"a\""));
    assert_false(ubi__http_tag_matches("\"ab\"", "\"a\""));
    assert_false(ubi__http_tag_matches(NULL, "\"a\""));
    assert_false(ubi__http_tag_matches("", "\"a\""));
    assert_true(ubi__http_accepts_gzip("br;q=1.0, gzip;q=0.8"));
    assert_false(ubi__http_accepts_gzip("br, gzip; q=0.000"));
    assert_false(ubi__http_accepts_gzip("gzipped"));
    assert_false(ubi__http_accepts_gzip(NULL));
}

static void a_server_on_all_addresses_takes_no_names(void **state) {
    const ubi__http_guard guard = {
        .token = "0123456789abcdef0123456789abcdef", .cookie = "c", .listen = "0.0.0.0", .is_any = true, .port = 80
    };
    ubi__http_claims claims = { .authorization = "bearer  0123456789abcdef0123456789abcdef" };
    static const struct {
        const char *host;
        ubi__http_verdict verdict;
    } cases[] = { { "10.0.0.7", UBI__HTTP_MAY_ENTER },
                  { "10.0.0.7:80", UBI__HTTP_MAY_ENTER },
                  { "[fe80::1]:80", UBI__HTTP_MAY_ENTER },
                  { "localhost", UBI__HTTP_MAY_ENTER },
                  { "evil.example", UBI__HTTP_WRONG_HOST },
                  { "10.0.0.7:81", UBI__HTTP_WRONG_HOST },
                  { "[fe80::1", UBI__HTTP_WRONG_HOST },
                  { "10.0.0.7.evil.example", UBI__HTTP_WRONG_HOST },
                  { NULL, UBI__HTTP_WRONG_HOST } };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        claims.host = cases[i].host;
        assert_int_equal(ubi__http_guard_judge(&guard, &claims), cases[i].verdict);
    }
}

static void tokens_are_random(void **state) {
    char one[UBI__HTTP_TOKEN_BYTES], other[UBI__HTTP_TOKEN_BYTES];
    (void)state;
    assert_int_equal(ubi__http_token_make(one), UBI_OK);
    assert_int_equal(ubi__http_token_make(other), UBI_OK);
    assert_true(ubi__http_is_token(one) && ubi__http_is_token(other));
    assert_string_not_equal(one, other);
    assert_false(ubi__http_is_token("0123"));
    assert_false(ubi__http_is_token("g123456789abcdef0123456789abcdef"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_is_split_and_then_decoded),
        cmocka_unit_test(wrong_addresses_are_refused),
        cmocka_unit_test(requests_find_their_routes),
        cmocka_unit_test(queries_become_parameters),
        cmocka_unit_test(ranges_are_within_their_file),
        cmocka_unit_test(tags_and_codings_are_found_in_lists),
        cmocka_unit_test(a_server_on_all_addresses_takes_no_names),
        cmocka_unit_test(tokens_are_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
