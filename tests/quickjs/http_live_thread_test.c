/* SPDX-License-Identifier: MIT
 *
 * http_live_thread_test.c: a program that embeds QuickJS and a server offers its heap: clients have it saved while its script runs, and ask
 * what is in it.
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#include <ubiheap/server/http.h>

#include "quickjs_heap.h"

#define TOKEN "0123456789abcdef0123456789abcdef"

typedef struct request {
    uint16_t port;
    const char *method, *path, *body; /* NULL: it has none */
    char answer[1 << 16];             /* with headers */
    _Atomic bool is_over;
} request;

static void *request_thread(void *payload) {
    request *r = payload;
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(r->port) };
    const char *body = r->body ? r->body : "";
    char head[512];
    size_t n = 0;
    ssize_t n_read;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int length = snprintf(head, sizeof head,
                          "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nAuthorization: Bearer " TOKEN
                          "\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n%s",
                          r->method, r->path, r->port, strlen(body), body);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
        send(fd, head, (size_t)length, MSG_NOSIGNAL) == length)
        while (n < sizeof r->answer - 1 && (n_read = recv(fd, r->answer + n, sizeof r->answer - 1 - n, 0)) > 0)
            n += (size_t)n_read;
    r->answer[n] = '\0';
    close(fd);
    atomic_store(&r->is_over, true);
    return NULL;
}

/* The script runs on, and reaches its safe points, until the answer is there. */
static void request_await(request *r, quickjs_heap *heap) {
    pthread_t thread;
    atomic_store(&r->is_over, false);
    assert_int_equal(pthread_create(&thread, NULL, request_thread, r), 0);
    while (!atomic_load(&r->is_over)) {
        quickjs_heap_run(heap, "more.js", "kept.push({ planted: kept.length });");
        ubi_quickjs_safe_point(heap->tools);
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void *server_stop_thread(void *server) {
    ubi_http_server_stop(server);
    return NULL;
}

static void assert_answer(const request *r, const char *begin, const char *part) {
    if (strncmp(r->answer, begin, strlen(begin)) != 0 || !strstr(r->answer, part))
        fail_msg("%s %s: %s", r->method, r->path, r->answer);
}

static void clients_save_a_heap_while_its_script_runs(void **state) {
    static request save, search, gone;
    ubi_http_options options = UBI_HTTP_OPTIONS_INIT;
    ubi_http_server *server;
    quickjs_heap heap;
    (void)state;
    quickjs_heap_open(&heap, NULL);
    quickjs_heap_run(&heap, "program.js", "class PlantedThing {}\nglobalThis.kept = [new PlantedThing()];");
    options.token = TOKEN;
    assert_int_equal(ubi_http_server_start(&server, &options), UBI_OK);
    ubi_target target = ubi_quickjs_target(heap.tools);
    assert_int_equal(ubi_http_server_add_target(server, target, NULL, "app"), UBI_OK);
    save.port = search.port = gone.port = ubi_http_server_port(server);
    save.method = gone.method = "POST";
    save.path = gone.path = "/api/1/targets/t1/heaps";
    request_await(&save, &heap);
    assert_answer(&save, "HTTP/1.1 201", "\"origin\":\"saved\"");
    search.method = "GET";
    search.path = "/api/1/heaps/h1/search?text=PlantedThing&limit=3";
    request_await(&search, &heap);
    assert_answer(&search, "HTTP/1.1 200", "PlantedThing");
    assert_int_equal(ubi_http_server_remove_target(server, target), UBI_OK);
    request_await(&gone, &heap);
    assert_answer(&gone, "HTTP/1.1 404", "no live heap");
    ubi_http_server_stop(server);
    quickjs_heap_close(&heap);
}

static void put_recording(request *r, uint16_t port, const char *body) {
    *r = (request){ .port = port, .method = "PUT", .path = "/api/1/targets/t1/recording", .body = body };
}

/* What a client began ends with the offer, and with the server, which may end on another thread. */
static void clients_record_allocation_stacks(void **state) {
    static request on, off, collect, measure, save, census;
    ubi_http_options options = UBI_HTTP_OPTIONS_INIT;
    ubi_http_server *server;
    quickjs_heap heap;
    (void)state;
    quickjs_heap_open(&heap, NULL);
    quickjs_heap_run(&heap, "program.js", "globalThis.kept = [];");
    options.token = TOKEN;
    assert_int_equal(ubi_http_server_start(&server, &options), UBI_OK);
    ubi_target target = ubi_quickjs_target(heap.tools);
    assert_int_equal(ubi_http_server_add_target(server, target, NULL, "app"), UBI_OK);
    uint16_t port = ubi_http_server_port(server);
    put_recording(&on, port, "{\"isOn\":true,\"probability\":1,\"maxLogLength\":100}");
    request_await(&on, &heap);
    assert_answer(&on, "HTTP/1.1 200", "\"recording\":{\"isOn\":true,\"probability\":1,\"maxLogLength\":100}");
    quickjs_heap_run(&heap, "recorded.js", "function planting() { kept.push(new Map()); }\nplanting();");
    collect = (request){ .port = port, .method = "POST", .path = "/api/1/targets/t1/collections" };
    request_await(&collect, &heap);
    assert_answer(&collect, "HTTP/1.1 200", "\"link\":\"here\"");
    measure = (request){ .port = port, .method = "GET", .path = "/api/1/targets/t1/measure" };
    request_await(&measure, &heap);
    assert_answer(&measure, "HTTP/1.1 200", "\"name\":\"mallocSize\",\"bytes\":");
    save = (request){ .port = port, .method = "POST", .path = "/api/1/targets/t1/heaps" };
    request_await(&save, &heap);
    assert_answer(&save, "HTTP/1.1 201", "\"origin\":\"saved\"");
    census = (request){ .port = port, .method = "GET", .path = "/api/1/heaps/h1/census?breakdown=allocationStack" };
    request_await(&census, &heap);
    assert_answer(&census, "HTTP/1.1 200", "planting");
    put_recording(&off, port, "{\"isOn\":false}");
    request_await(&off, &heap);
    assert_answer(&off, "HTTP/1.1 200", "\"isOn\":false,\"probability\":1,\"maxLogLength\":100}");
    request_await(&on, &heap); /* as before */
    assert_int_equal(ubi_http_server_remove_target(server, target), UBI_OK);
    assert_int_equal(ubi_http_server_add_target(server, target, NULL, "app"), UBI_OK);
    on.path = "/api/1/targets/t2/recording";
    request_await(&on, &heap);
    assert_answer(&on, "HTTP/1.1 200", "\"isOn\":true");
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, server_stop_thread, server), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    ubi_quickjs_safe_point(heap.tools);
    quickjs_heap_close(&heap);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(clients_save_a_heap_while_its_script_runs),
                                        cmocka_unit_test(clients_record_allocation_stacks) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
