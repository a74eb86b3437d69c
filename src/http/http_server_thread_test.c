/* SPDX-License-Identifier: MIT
 *
 * http_server_thread_test.c: clients that ask, upload, leave and cancel at the same time, a live heap whose thread saves it, and servers that
 * stop in the middle of it.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <ubiheap/server/http.h>

#include "drawn_target.h"
#include "http_request.h"
#include "random_numbers.h"

#define BEFORE "tests/data/fx/tiny-before.fxsnapshot"
#define AFTER "tests/data/fx/tiny-after.fxsnapshot"
#define N_CLIENTS 6
#define N_REQUESTS 20

/* ---- a client -------------------------------------------------------------------------------------------------------------- */

typedef struct place {
    ubi_http_server *server;
    drawn_target alive;
} place;

/* The code of the answer; 0: there is none. */
static int request_make(uint16_t port, const char *method, const char *path, const char *body, bool must_leave) {
    http_reply reply;
    http_request(&reply, port, method, path, body, must_leave);
    return reply.code;
}

/* What each client does, at random; every code is one that it may get. */
static bool code_is_fine(int code) {
    static const int fine[] = { 0, 200, 201, 202, 204, 404, 409, 422, 503 };
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        if (code == fine[i])
            return true;
    return false;
}

static const struct asked {
    const char *method, *path, *body;
} everything[] = {
    { "GET", "/api/1/heaps/h1/summary", "" },
    { "GET", "/api/1/heaps/h2/nodes?limit=100&sort=-retainedSize", "" },
    { "GET", "/api/1/heaps/h1/diff?with=h2", "" },
    { "GET", "/api/1/heaps/h1/report?format=page", "" },
    { "POST", "/api/1/heaps/h2/search", "{\"text\": \"a\"}" },
    { "GET", "/api/1/heaps/h2/statistics?async", "" },
    { "GET", "/api/1/jobs", "" },
    { "GET", "/api/1/jobs/j3/events", "" },
    { "GET", "/api/1/jobs/j2/answer", "" },
    { "DELETE", "/api/1/jobs/j5", "" },
    { "PUT", "/api/1/heaps?name=x", "this is no heap" },
    { "DELETE", "/api/1/heaps/h3", "" },
    { "GET", "/", "" },
    { "GET", "/api/1/files", "" },
    { "POST", "/api/1/targets/t1/heaps", "" },
    { "GET", "/api/1/heaps/h1/file", "" },
};

static _Atomic uint64_t n_seeds;

static void *client_thread(void *payload) {
    const place *p = payload;
    uint16_t port = ubi_http_server_port(p->server);
    size_t n_wrong = 0;
    random_start(atomic_fetch_add(&n_seeds, 1));
    for (int i = 0; i < N_REQUESTS; i++) {
        const struct asked *a = &everything[random_below(sizeof everything / sizeof *everything)];
        int code = request_make(port, a->method, a->path, a->body, random_below(5) == 0);
        if (!code_is_fine(code))
            fprintf(stderr, "%s %s: %d\n", a->method, a->path, code);
        n_wrong += !code_is_fine(code);
    }
    return (void *)n_wrong;
}

static void place_open(place *p) {
    ubi_http_options options = UBI_HTTP_OPTIONS_INIT;
    options.token = HTTP_TOKEN;
    drawn_target_open(&p->alive, "root -> a, b; a(size=10) -> b; b(size=20)");
    if (ubi_http_server_start(&p->server, &options) != UBI_OK)
        fail_msg("%s", ubi_error_message());
    assert_int_equal(ubi_http_server_add_file(p->server, BEFORE), UBI_OK);
    assert_int_equal(ubi_http_server_add_file(p->server, AFTER), UBI_OK);
    assert_int_equal(ubi_http_server_add_target(p->server, drawn_target_of(&p->alive), NULL, "drawn"), UBI_OK);
}

static void place_close(place *p) {
    ubi_http_server_stop(p->server);
    drawn_target_close(&p->alive);
}

static void clients_run(place *p) {
    pthread_t threads[N_CLIENTS];
    void *n_wrong;
    for (int i = 0; i < N_CLIENTS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, client_thread, p), 0);
    for (int i = 0; i < N_CLIENTS; i++) {
        assert_int_equal(pthread_join(threads[i], &n_wrong), 0);
        assert_null(n_wrong);
    }
    assert_int_equal(request_make(ubi_http_server_port(p->server), "GET", "/api/1/heaps", "", false), 200);
}

static void clients_ask_upload_leave_and_cancel(void **state) {
    place p;
    (void)state;
    place_open(&p);
    clients_run(&p);
    place_close(&p);
}

static void *fixed_client_thread(void *payload) {
    uint16_t port = *(const uint16_t *)payload;
    random_start(atomic_fetch_add(&n_seeds, 1));
    for (int i = 0; i < 2 * N_REQUESTS; i++) {
        const struct asked *a = &everything[random_below(sizeof everything / sizeof *everything)];
        (void)request_make(port, a->method, a->path, a->body, false);
    }
    return NULL;
}

static void a_server_stops_while_clients_ask(void **state) {
    (void)state;
    for (int round = 0; round < 3; round++) {
        place p;
        pthread_t threads[N_CLIENTS];
        place_open(&p);
        uint16_t port = ubi_http_server_port(p.server);
        for (int i = 0; i < N_CLIENTS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, fixed_client_thread, &port), 0);
        usleep(30000U * (unsigned)(round + 1));
        place_close(&p);
        for (int i = 0; i < N_CLIENTS; i++)
            assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
}

static void what_cannot_be_served_is_said(void **state) {
    ubi_http_options options = UBI_HTTP_OPTIONS_INIT;
    static const char *const missing[] = { "/missing-folder" };
    ubi_http_server *server = NULL;
    (void)state;
    options.listen = "localhost";
    assert_int_equal(ubi_http_server_start(&server, &options), UBI_EINVAL);
    options.listen = NULL;
    options.token = "short";
    assert_int_equal(ubi_http_server_start(&server, &options), UBI_EINVAL);
    options.token = NULL;
    options.roots = missing;
    options.n_roots = 1;
    assert_int_equal(ubi_http_server_start(&server, &options), UBI_EIO);
    assert_non_null(strstr(ubi_error_message(), "/missing-folder"));
    options.n_roots = 0;
    options.upload_folder = "/missing-folder";
    assert_int_equal(ubi_http_server_start(&server, &options), UBI_EIO);
    options.upload_folder = NULL;
    options.version = 99;
    assert_int_equal(ubi_http_server_start(&server, &options), UBI_EINVAL);
    assert_null(server);
    ubi_http_server_stop(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clients_ask_upload_leave_and_cancel),
        cmocka_unit_test(a_server_stops_while_clients_ask),
        cmocka_unit_test(what_cannot_be_served_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
