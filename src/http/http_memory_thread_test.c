/* SPDX-License-Identifier: MIT
 *
 * http_memory_thread_test.c: every route with each of its allocations refused in turn: its client gets an error in JSON, or the connection
 * ends; the next request is answered; and when the server has stopped nothing is left.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json_reader.h"
#include "base/text.h"
#include "drawn_target.h"
#include "fail_allocator.h"
#include "http/http.h"
#include "http_request.h"

#define FOLDER "tests/data/fx"
#define FILE_NAME "tiny-after.fxsnapshot"
#define HEAP "tests/data/fx/tiny-before.fxsnapshot"
#define N_ACTIONS (UBI__HTTP_TARGET_RECORD + 1)

/* What is there before a request, whose number is at the end of its path: */
typedef enum before { NOTHING, A_HEAP, A_JOB } before;

static const struct asked {
    const char *method, *path; /* "#" is the heap or job, "$" another number each time */
    const char *body;
    before before;
    int code; /* where nothing is refused */
} everything[] = {
    { "GET", "/", "", NOTHING, 200 },
    { "GET", "/assets/none.js", "", NOTHING, 404 },
    { "GET", "/api/1", "", NOTHING, 200 },
    { "GET", "/api/1/heaps", "", NOTHING, 200 },
    { "POST", "/api/1/heaps", "{\"path\": \"" FILE_NAME "\"}", NOTHING, 201 },
    { "POST", "/api/1/heaps", "{\"path\": \"missing\\n\"}", NOTHING, 404 },
    { "PUT", "/api/1/heaps?name=a%2Fb", "{\"snapshot\":{\"meta\":{}}}", NOTHING, 201 },
    { "GET", "/api/1/heaps/h1", "", NOTHING, 200 },
    { "DELETE", "/api/1/heaps/h#", "", A_HEAP, 204 },
    { "GET", "/api/1/heaps/h1/file", "", NOTHING, 200 },
    { "GET", "/api/1/files", "", NOTHING, 200 },
    { "GET", "/api/1/questions", "", NOTHING, 200 },
    { "GET", "/api/1/heaps/h1/nodes?limit=3&offset=$", "", NOTHING, 200 },
    { "GET", "/api/1/heaps/h1/nodes?limit=3&offset=0", "", NOTHING, 200 }, /* is there */
    { "GET", "/api/1/heaps/h1/nodes?limit=300&offset=$&format=page", "", NOTHING, 200 },
    { "GET", "/api/1/heaps/h1/nodes?limit=3&offset=$&async", "", NOTHING, 202 },
    { "GET", "/api/1/heaps/h1/paths?nodes=1,2&nodes=$", "", NOTHING, 404 },
    { "POST", "/api/1/heaps/h1/search", "{\"text\": \"a\", \"limit\": 2}", NOTHING, 200 },
    { "GET", "/api/1/jobs", "", A_JOB, 200 },
    { "GET", "/api/1/jobs/j#", "", A_JOB, 200 },
    { "DELETE", "/api/1/jobs/j#", "", A_JOB, 204 },
    { "GET", "/api/1/jobs/j#/events", "", A_JOB, 200 },
    { "GET", "/api/1/jobs/j#/answer", "", A_JOB, 200 },
    { "GET", "/api/1/targets", "", NOTHING, 200 },
    { "GET", "/api/1/targets/t1", "", NOTHING, 200 },
    { "POST", "/api/1/targets/t1/heaps?name=x", "", NOTHING, 201 },
    { "POST", "/api/1/targets/t1/collections", "", NOTHING, 200 },
    { "GET", "/api/1/targets/t1/measure", "", NOTHING, 200 },
    { "PUT", "/api/1/targets/t1/recording", "{\"isOn\": true}", NOTHING, 409 }, /* a drawn one cannot */
    { "GET", "/nowhere", "", NOTHING, 404 },
    { "PATCH", "/", "", NOTHING, 405 },
    { "GET", "/%ff", "", NOTHING, 400 },
};
#define N_EVERYTHING (sizeof everything / sizeof *everything)

typedef struct place {
    fail_allocator memory;
    drawn_target alive;
    ubi_http_server *server;
    uint16_t port;
    unsigned n_attempts;
    http_reply reply;
} place;

/* ---- requests that must be answered ------------------------------------------------------------------------------------------ */

static const char *must(place *p, const char *method, const char *path, const char *body, int code) {
    http_request(&p->reply, p->port, method, path, body, false);
    if (p->reply.code != code)
        fail_msg("%s %s: %d, not %d: %s", method, path, p->reply.code, code, p->reply.body);
    return p->reply.body;
}

/* The number in `"id":"h12"`. */
static unsigned id_of(const char *document) {
    const char *id = strstr(document, "\"id\":\"");
    assert_non_null(id);
    return (unsigned)strtoul(id + 7, NULL, 10);
}

static void jobs_await(place *p) {
    const char *document;
    do
        document = must(p, "GET", "/api/1/jobs", "", 200);
    while (strstr(document, "\"state\":\"waiting\"") || strstr(document, "\"state\":\"running\""));
}

/* All heaps but the first. */
static void heaps_close(place *p) {
    for (;;) {
        const char *document = must(p, "GET", "/api/1/heaps", "", 200), *other = strstr(document, "},{");
        char path[40];
        if (!other)
            return;
        snprintf(path, sizeof path, "/api/1/heaps/h%u", id_of(other));
        must(p, "DELETE", path, "", 204);
    }
}

static unsigned before_make(place *p, before what) {
    if (what == A_HEAP)
        return id_of(must(p, "POST", "/api/1/heaps", "{\"path\": \"" FILE_NAME "\"}", 201));
    if (what == NOTHING)
        return 0;
    unsigned id = id_of(must(p, "GET", "/api/1/heaps/h1/statistics?async", "", 202));
    jobs_await(p);
    return id;
}

/* ---- one with refused memory --------------------------------------------------------------------------------------------------- */

static void path_make(char out[200], const char *pattern, unsigned id, unsigned number) {
    size_t n = 0;
    for (; *pattern; pattern++)
        if (*pattern == '#' || *pattern == '$')
            n += (size_t)snprintf(out + n, 200 - n, "%u", *pattern == '#' ? id : number);
        else
            out[n++] = *pattern;
    out[n] = '\0';
}

static bool is_error_in_json(const http_reply *reply) {
    ubi__json_cursor c;
    ubi__json_value whole;
    return ubi__json_value_whole(&c, &whole, ubi__text(reply->body)) && strstr(reply->body, "\"ubiheap.error/1\"");
}

static void reply_check(const place *p, const struct asked *a, bool was_refused) {
    const http_reply *r = &p->reply;
    bool is_usual = r->code == a->code, is_closed = r->code == 0;
    bool is_refusal = r->code == 507 && is_error_in_json(r);
    if (!is_usual && !(was_refused && (is_closed || is_refusal)))
        fail_msg("%s %s: %d: %s", a->method, a->path, r->code, r->body);
    if (r->code >= 400)
        assert_true(is_error_in_json(r));
}

static void memory_limit(fail_allocator *f, uint64_t n_allowed, bool once) {
    pthread_mutex_lock(&f->lock);
    f->n_allowed = n_allowed;
    f->once = once;
    f->n_requests = f->n_refused = 0;
    pthread_mutex_unlock(&f->lock);
}

static uint64_t refused_count(fail_allocator *f) {
    pthread_mutex_lock(&f->lock);
    uint64_t n = f->n_refused;
    pthread_mutex_unlock(&f->lock);
    return n;
}

/* False: it makes fewer requests for memory. */
static bool attempt(place *p, const struct asked *a, uint64_t n_allowed, bool once) {
    char path[200];
    path_make(path, a->path, before_make(p, a->before), 1 + p->n_attempts++ % 5000);
    memory_limit(&p->memory, n_allowed, once);
    http_request(&p->reply, p->port, a->method, path, a->body, false);
    bool was_refused = refused_count(&p->memory) > 0;
    memory_limit(&p->memory, FAIL_ALLOCATOR_NEVER, false);
    reply_check(p, a, was_refused);
    jobs_await(p);
    heaps_close(p);
    return was_refused;
}

/* ---- places ------------------------------------------------------------------------------------------------------------------------ */

static void place_open(place *p) {
    static const char *const roots[] = { FOLDER };
    ubi_http_options options = UBI_HTTP_OPTIONS_INIT;
    memset(p, 0, sizeof *p);
    fail_allocator_init(&p->memory, FAIL_ALLOCATOR_NEVER);
    ubi__allocator_default_replace(&p->memory.allocator);
    drawn_target_open(&p->alive, "root -> a, b; a(size=10) -> b; b(size=20)");
    options.token = HTTP_TOKEN;
    options.roots = roots;
    options.n_roots = 1;
    if (ubi_http_server_start(&p->server, &options) != UBI_OK)
        fail_msg("%s", ubi_error_message());
    assert_int_equal(ubi_http_server_add_file(p->server, HEAP), UBI_OK);
    assert_int_equal(ubi_http_server_add_target(p->server, drawn_target_of(&p->alive), NULL, "drawn"), UBI_OK);
    p->port = ubi_http_server_port(p->server);
    must(p, "GET", "/api/1/heaps/h1/nodes?limit=3&offset=0", "",
         200); /* the heap is read, which is not what is tested here */
}

static void place_close(place *p) {
    ubi_http_server_stop(p->server);
    drawn_target_close(&p->alive);
    ubi__allocator_default_replace(NULL);
    fail_allocator_fini(&p->memory);
}

/* ---- tests --------------------------------------------------------------------------------------------------------------------------- */

static void every_route_is_asked(void **state) {
    bool is_asked[N_ACTIONS] = { false };
    (void)state;
    for (size_t i = 0; i < N_EVERYTHING; i++) {
        char path[200], allow[UBI__HTTP_ALLOW_BYTES];
        ubi__http_address address;
        const ubi__http_route *route = NULL;
        path_make(path, everything[i].path, 1, 1);
        if (ubi__http_address_read(&address, path) != UBI_OK)
            continue;
        if (ubi__http_route_find(&route, allow, everything[i].method, &address) == UBI_OK)
            is_asked[route->action] = true;
        ubi__http_address_fini(&address);
    }
    for (int action = 0; action < N_ACTIONS; action++)
        if (!is_asked[action])
            fail_msg("action %d is not asked for", action);
}

static void refused_memory_fails_a_request_alone(void **state) {
    static place p;
    (void)state;
    place_open(&p);
    for (size_t i = 0; i < N_EVERYTHING; i++)
        for (int once = 0; once < 2; once++) {
            uint64_t n = fail_allocator_first(once);
            while (attempt(&p, &everything[i], n, once))
                n = fail_allocator_next(n);
            assert_true(once || n > 0);
        }
    place_close(&p);
}

/* The library's, too: it makes the n-th response from now on, and others, not. */
static _Atomic uint64_t n_left;
static ubi__mhd_calls usual;

static bool is_refused(void) {
    return atomic_load(&n_left) > 0 && atomic_fetch_sub(&n_left, 1) == 1;
}

static struct MHD_Response *from_callback(uint64_t size, size_t block_size, MHD_ContentReaderCallback read,
                                          void *payload, MHD_ContentReaderFreeCallback release) {
    return is_refused() ? NULL : usual.MHD_create_response_from_callback(size, block_size, read, payload, release);
}

static struct MHD_Response *from_fd(uint64_t size, int fd, uint64_t offset) {
    return is_refused() ? NULL : usual.MHD_create_response_from_fd_at_offset64(size, fd, offset);
}

static void a_response_that_cannot_be_made_is_an_error_or_the_end(void **state) {
    static place p;
    (void)state;
    assert_int_equal(ubi__mhd_load(), UBI_OK);
    usual = ubi__mhd;
    ubi__mhd.MHD_create_response_from_callback = from_callback;
    ubi__mhd.MHD_create_response_from_fd_at_offset64 = from_fd;
    place_open(&p);
    for (size_t i = 0; i < N_EVERYTHING; i++) {
        char path[200];
        path_make(path, everything[i].path, before_make(&p, everything[i].before), 1 + p.n_attempts++);
        atomic_store(&n_left, 1);
        http_request(&p.reply, p.port, everything[i].method, path, everything[i].body, false);
        assert_int_equal(atomic_load(&n_left), 0);
        reply_check(&p, &everything[i], true);
        assert_int_not_equal(p.reply.code, everything[i].code);
        jobs_await(&p);
        heaps_close(&p);
    }
    place_close(&p);
    ubi__mhd = usual;
}

static void a_server_without_memory_does_not_start(void **state) {
    (void)state;
    for (uint64_t n = 0;; n++) {
        fail_allocator f;
        ubi_http_server *server = NULL;
        fail_allocator_init(&f, n);
        ubi__allocator_default_replace(&f.allocator);
        ubi_status status = ubi_http_server_start(&server, NULL);
        assert_int_equal(status, f.n_refused ? UBI_ENOMEM : UBI_OK);
        if (status == UBI_OK)
            ubi_http_server_stop(server);
        ubi__allocator_default_replace(NULL);
        fail_allocator_fini(&f);
        if (status == UBI_OK)
            break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_route_is_asked),
        cmocka_unit_test(refused_memory_fails_a_request_alone),
        cmocka_unit_test(a_response_that_cannot_be_made_is_an_error_or_the_end),
        cmocka_unit_test(a_server_without_memory_does_not_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
