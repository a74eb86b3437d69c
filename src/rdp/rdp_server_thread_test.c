/* SPDX-License-Identifier: MIT
 *
 * rdp_server_thread_test.c: servers with real sockets: many clients, clients
 * that do not read, targets that go, and the end.
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include <ubiheap/server/rdp.h>

#include "rdp/rdp_server.h"

/* ---- a program
 * ----------------------------------------------------------------------------------------------------------
 */

/* It comes to a safe point whenever it is asked to; it can collect, and nothing
 * else. */
typedef struct program {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t asked;
    ubi_safe_point_fn fn;
    void *payload;
    bool must_end;
    atomic_uint n_collections;
    ubi_rdp_server *server; /* that it leaves at its end; or NULL */
} program;

static ubi_status program_ask(void *payload, ubi_safe_point_fn fn, void *fn_payload) {
    program *p = payload;
    pthread_mutex_lock(&p->lock);
    p->fn = fn;
    p->payload = fn_payload;
    pthread_cond_signal(&p->asked);
    pthread_mutex_unlock(&p->lock);
    return UBI_OK;
}

static ubi_status program_collect(void *payload) {
    atomic_fetch_add(&((program *)payload)->n_collections, 1);
    return UBI_OK;
}

static const ubi_target_ops ops = { .version = UBI_TARGET_OPS_VERSION,
                                    .kind = "drawn",
                                    .capabilities = UBI_TARGET_SAFE_POINT | UBI_TARGET_COLLECT_GARBAGE,
                                    .collect_garbage = program_collect,
                                    .run_at_safe_point = program_ask };

static void *program_run(void *payload) {
    program *p = payload;
    pthread_mutex_lock(&p->lock);
    while (!p->must_end) {
        ubi_safe_point_fn fn = p->fn;
        p->fn = NULL;
        if (fn) {
            pthread_mutex_unlock(&p->lock);
            fn(p->payload);
            pthread_mutex_lock(&p->lock);
        } else {
            pthread_cond_wait(&p->asked, &p->lock);
        }
    }
    ubi_safe_point_fn last = p->fn;
    pthread_mutex_unlock(&p->lock);
    if (p->server)
        assert_int_equal(ubi_rdp_server_remove_target(p->server, (ubi_target){ &ops, p }), UBI_OK);
    if (last)
        last(p->payload);
    return NULL;
}

static void program_start(program *p, ubi_rdp_server *server) {
    memset(p, 0, sizeof *p);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->asked, NULL);
    p->server = server;
    assert_int_equal(ubi_rdp_server_add_target(server, (ubi_target){ &ops, p }, NULL), UBI_OK);
    assert_int_equal(pthread_create(&p->thread, NULL, program_run, p), 0);
}

static void program_end(program *p) {
    pthread_mutex_lock(&p->lock);
    p->must_end = true;
    pthread_cond_signal(&p->asked);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
}

/* ---- clients
 * ------------------------------------------------------------------------------------------------------------
 */

static int client_connect(const ubi_rdp_server *server) {
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(ubi_rdp_server_port(server)) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

/* Exactly n bytes; false: the connection has ended. */
static bool bytes_read(int fd, char *bytes, size_t n) {
    while (n > 0) {
        ssize_t got = recv(fd, bytes, n, 0);
        if (got <= 0)
            return false;
        bytes += got;
        n -= (size_t)got;
    }
    return true;
}

/* The next packet; false: the connection has ended. */
static bool packet_read(int fd, char *text, size_t size) {
    size_t length = 0;
    char c = 0;
    while (bytes_read(fd, &c, 1) && c != ':')
        length = 10 * length + (size_t)(c - '0');
    if (c != ':' || length >= size || !bytes_read(fd, text, length))
        return false;
    text[length] = '\0';
    return true;
}

static bool request_send(int fd, const char *to, const char *type) {
    char json[256], packet[300];
    int n = snprintf(json, sizeof json, "{\"to\":\"%s\",\"type\":\"%s\"}", to, type);
    n = snprintf(packet, sizeof packet, "%d:%s", n, json);
    return send(fd, packet, (size_t)n, MSG_NOSIGNAL) == n;
}

/* The text of a member of a packet that is one. */
static void member_copy(char *out, size_t size, const char *packet, const char *name) {
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":\"", name);
    const char *at = strstr(packet, quoted);
    assert_non_null(at);
    at += strlen(quoted);
    snprintf(out, size, "%.*s", (int)strcspn(at, "\""), at);
}

static void client_greet(int fd) {
    char text[4096];
    assert_true(packet_read(fd, text, sizeof text));
    assert_non_null(strstr(text, "\"applicationType\":\"browser\""));
}

/* The id of the first tab's memory actor; false: there is no tab, or no longer.
 */
static bool memory_seek(char *out, size_t size, int fd) {
    char text[8192], tab[64];
    client_greet(fd);
    assert_true(request_send(fd, "root", "listTabs"));
    assert_true(packet_read(fd, text, sizeof text));
    if (strstr(text, "\"tabs\":[]"))
        return false;
    member_copy(tab, sizeof tab, strstr(text, "\"tabs\""), "actor");
    assert_true(request_send(fd, tab, "getTarget"));
    assert_true(packet_read(fd, text, sizeof text));
    if (!strstr(text, "memoryActor"))
        return false;
    member_copy(out, size, text, "memoryActor");
    return true;
}

static void memory_find(char *out, size_t size, int fd) {
    assert_true(memory_seek(out, size, fd));
}

static ubi_rdp_server *server_start(const ubi_rdp_options *options) {
    ubi_rdp_server *server = NULL;
    if (ubi_rdp_server_start(&server, options) != UBI_OK)
        fail_msg("%s", ubi_error_message());
    return server;
}

/* ---- tests
 * --------------------------------------------------------------------------------------------------------------
 */

#define CLIENTS 8
#define ROUNDS 50

static void *client_run(void *payload) {
    char memory[64], text[4096];
    for (unsigned i = 0; i < ROUNDS; i++) {
        int fd = client_connect(payload);
        memory_find(memory, sizeof memory, fd);
        assert_true(request_send(fd, memory, "forceGarbageCollection"));
        assert_true(request_send(fd, memory, "getState"));
        assert_true(packet_read(fd, text, sizeof text));
        assert_null(strstr(text, "state"));
        assert_true(packet_read(fd, text, sizeof text));
        assert_non_null(strstr(text, "\"state\":\"detached\""));
        if (i % 2) /* one that leaves without its answer */
            assert_true(request_send(fd, memory, "forceGarbageCollection"));
        close(fd);
    }
    return NULL;
}

static void many_clients_ask_one_program(void **state) {
    ubi_rdp_server *server = server_start(NULL);
    program p;
    pthread_t threads[CLIENTS];
    (void)state;
    program_start(&p, server);
    for (unsigned i = 0; i < CLIENTS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, client_run, server), 0);
    for (unsigned i = 0; i < CLIENTS; i++)
        pthread_join(threads[i], NULL);
    assert_true(atomic_load(&p.n_collections) >= CLIENTS * ROUNDS);
    program_end(&p);
    ubi_rdp_server_stop(server);
}

/* It asks until there is no one to answer. */
static void *pester_run(void *payload) {
    char memory[64], text[4096];
    int fd = client_connect(payload);
    bool is_there = memory_seek(memory, sizeof memory, fd);
    while (is_there && request_send(fd, memory, "forceGarbageCollection") && packet_read(fd, text, sizeof text))
        is_there = !strstr(text, "noSuchActor") && !strstr(text, "has ended");
    close(fd);
    return NULL;
}

static void programs_go_while_they_are_asked(void **state) {
    ubi_rdp_server *server = server_start(NULL);
    pthread_t threads[CLIENTS];
    (void)state;
    for (unsigned round = 0; round < 5; round++) {
        program p;
        program_start(&p, server);
        for (unsigned i = 0; i < CLIENTS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, pester_run, server), 0);
        while (atomic_load(&p.n_collections) < 50)
            sched_yield();
        program_end(&p);
        for (unsigned i = 0; i < CLIENTS; i++)
            pthread_join(threads[i], NULL);
    }
    ubi_rdp_server_stop(server);
}

static void servers_stop_while_clients_are_there(void **state) {
    (void)state;
    for (unsigned round = 0; round < 10; round++) {
        ubi_rdp_server *server = server_start(NULL);
        program p;
        char memory[64], text[4096];
        program_start(&p, server);
        int fd = client_connect(server);
        memory_find(memory, sizeof memory, fd);
        for (unsigned i = 0; i < 20; i++)
            assert_true(request_send(fd, memory, "forceGarbageCollection"));
        program_end(&p);
        ubi_rdp_server_stop(server);
        while (packet_read(fd, text, sizeof text))
            ;
        close(fd);
    }
}

/* Requests until the socket takes no more; others are answered meanwhile. */
static void clients_that_do_not_read_hold_up_no_others(void **state) {
    ubi_rdp_server *server = server_start(NULL);
    program p;
    char memory[64], text[4096], request[128];
    (void)state;
    program_start(&p, server);
    int slow = client_connect(server);
    client_greet(slow);
    int n = snprintf(request, sizeof request, "37:{\"to\":\"root\",\"type\":\"getDescription\"}"); /* an error of some
                                                              bytes */
    uint64_t n_sent = 0;
    for (ssize_t sent = 1; sent > 0; n_sent += sent > 0 ? (uint64_t)sent : 0)
        sent = send(slow, request, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT);
    int fast = client_connect(server);
    memory_find(memory, sizeof memory, fast);
    assert_true(request_send(fast, memory, "getState"));
    assert_true(packet_read(fast, text, sizeof text));
    close(fast);
    for (uint64_t i = 0; i < n_sent / (uint64_t)n; i++)
        assert_true(packet_read(slow, text, sizeof text)); /* nothing is lost */
    close(slow);
    program_end(&p);
    ubi_rdp_server_stop(server);
}

static void connections_are_limited(void **state) {
    ubi_rdp_options options = UBI_RDP_OPTIONS_INIT;
    int fds[20];
    char text[4096];
    (void)state;
    options.most_connections = 20;
    ubi_rdp_server *server = server_start(&options);
    for (unsigned i = 0; i < 20; i++) {
        fds[i] = client_connect(server);
        client_greet(fds[i]);
    }
    int more = client_connect(server);
    assert_true(packet_read(more, text, sizeof text));
    assert_string_equal(text, "{\"from\":\"root\",\"error\":\"connectionRefused\",\"message\":"
                              "\"there are as many connections as are allowed\"}");
    assert_false(packet_read(more, text, sizeof text));
    close(more);
    close(fds[0]);
    do { /* until the server has noticed */
        fds[0] = client_connect(server);
        if (packet_read(fds[0], text, sizeof text) && strstr(text, "applicationType"))
            break;
        close(fds[0]);
    } while (true);
    for (unsigned i = 0; i < 20; i++)
        close(fds[i]);
    ubi_rdp_server_stop(server);
}

/* ---- many that leave at once: closings between two rings of the bell --------------------------------------------------- */

static int (*usual_send)(uv_async_t *bell);
static void (*usual_close)(uv_handle_t *handle, uv_close_cb on_closed);
static atomic_uint n_closed, n_closed_in_turn, most_closed_in_turn;

static int count_turn(uv_async_t *bell) {
    unsigned n = atomic_exchange(&n_closed_in_turn, 0);
    if (n > atomic_load(&most_closed_in_turn))
        atomic_store(&most_closed_in_turn, n);
    return usual_send(bell);
}

static void count_closing(uv_handle_t *handle, uv_close_cb on_closed) {
    atomic_fetch_add(&n_closed_in_turn, 1);
    usual_close(handle, on_closed);
    atomic_fetch_add(&n_closed, 1);
}

static void many_that_leave_at_once_are_closed_in_turns(void **state) {
    enum { LEAVING = 5 * UBI__RDP_MOST_CLOSINGS };
    static int fds[LEAVING];
    ubi_rdp_options options = UBI_RDP_OPTIONS_INIT;
    (void)state;
    options.most_connections = LEAVING + 1;
    assert_int_equal(ubi__uv_load(), UBI_OK);
    usual_send = ubi__uv.uv_async_send;
    usual_close = ubi__uv.uv_close;
    ubi__uv.uv_async_send = count_turn;
    ubi__uv.uv_close = count_closing;
    ubi_rdp_server *server = server_start(&options);
    int stays = client_connect(server);
    client_greet(stays);
    for (int i = 0; i < LEAVING; i++) {
        fds[i] = client_connect(server);
        client_greet(fds[i]);
    }
    for (int i = 0; i < LEAVING; i++)
        close(fds[i]);
    while (atomic_load(&n_closed) < LEAVING)
        usleep(1000);
    assert_int_equal(atomic_load(&n_closed), LEAVING);
    assert_in_range(atomic_load(&most_closed_in_turn), 1, UBI__RDP_MOST_CLOSINGS);
    assert_true(request_send(stays, "root", "getRoot"));
    char text[4096];
    assert_true(packet_read(stays, text, sizeof text));
    for (int i = 0; i < LEAVING; i++) { /* there is room for as many */
        fds[i] = client_connect(server);
        client_greet(fds[i]);
    }
    for (int i = 0; i < LEAVING; i++)
        close(fds[i]);
    close(stays);
    ubi_rdp_server_stop(server);
    ubi__uv.uv_async_send = usual_send;
    ubi__uv.uv_close = usual_close;
}

static void a_unix_socket_is_its_owners(void **state) {
    char folder[] = "/tmp/ubiheap-rdp-test-XXXXXX", path[64];
    ubi_rdp_options options = UBI_RDP_OPTIONS_INIT;
    ubi_rdp_server *server, *second = NULL;
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    struct stat about;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/socket", folder);
    options.socket_path = path;
    options.snapshot_folder = folder;
    server = server_start(&options);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    assert_int_equal(ubi_rdp_server_start(&second, &options), UBI_EIO);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    client_greet(fd);
    close(fd);
    ubi_rdp_server_stop(server);
    assert_int_equal(rmdir(folder), 0); /* nothing is left in it */
}

static bool refuse(void *payload, const char *peer) {
    (void)peer;
    atomic_fetch_add((atomic_uint *)payload, 1);
    return false;
}

static void addresses_are_checked(void **state) {
    ubi_rdp_options options = UBI_RDP_OPTIONS_INIT;
    ubi_rdp_server *server = NULL;
    atomic_uint n_asked = 0;
    (void)state;
    options.listen = "0.0.0.0";
    assert_int_equal(ubi_rdp_server_start(&server, &options), UBI_EINVAL);
    options.listen = "localhost";
    assert_int_equal(ubi_rdp_server_start(&server, &options), UBI_EINVAL);
    options.version = 99;
    assert_int_equal(ubi_rdp_server_start(&server, &options), UBI_EINVAL);
    options.version = UBI_RDP_OPTIONS_VERSION;
    options.listen = NULL;
    options.snapshot_folder = "/missing-folder";
    assert_int_equal(ubi_rdp_server_start(&server, &options), UBI_EIO);
    options.snapshot_folder = NULL;
    options.listen = "0.0.0.0";
    options.may_enter = refuse;
    options.payload = &n_asked;
    server = server_start(&options);
    int fd = client_connect(server); /* from this machine: not asked about */
    client_greet(fd);
    close(fd);
    assert_int_equal(atomic_load(&n_asked), 0);
    assert_int_equal(ubi_rdp_server_remove_target(server, (ubi_target){ &ops, NULL }), UBI_ENOTFOUND);
    ubi_rdp_server_stop(server);
    ubi_rdp_server_stop(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_clients_ask_one_program),
        cmocka_unit_test(programs_go_while_they_are_asked),
        cmocka_unit_test(servers_stop_while_clients_are_there),
        cmocka_unit_test(clients_that_do_not_read_hold_up_no_others),
        cmocka_unit_test(connections_are_limited),
        cmocka_unit_test(many_that_leave_at_once_are_closed_in_turns),
        cmocka_unit_test(a_unix_socket_is_its_owners),
        cmocka_unit_test(addresses_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
