/* SPDX-License-Identifier: MIT
 *
 * http_server.c: servers: how one starts and stops, and what libmicrohttpd calls; see http.h.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/status.h"
#include "http/http.h"

#define STANDARD_UPLOAD_BYTES ((uint64_t)8 << 30)
#define STANDARD_CONNECTIONS 256
#define STANDARD_IDLE_SECONDS 30
/* Of a connection: its headers, and what is read and written at a time. */
#define CONNECTION_BYTES ((size_t)32 << 10)
#define BACKLOG 128
/* How long replies to what was cancelled may take when the server stops. */
#define FAREWELL_MS 1000

/* ---- what libmicrohttpd calls, on its thread ---------------------------------------------------------------------------------------- */

static void *address_came(void *server, const char *address, struct MHD_Connection *connection) {
    return ubi__exchange_new(server, connection, address);
}

static enum MHD_Result request_came(void *server, struct MHD_Connection *connection, const char *decoded,
                                    const char *method, const char *version, const char *data, size_t *n_bytes,
                                    void **exchange) {
    (void)server, (void)connection, (void)decoded, (void)version;
    return *exchange ? ubi__exchange_take(*exchange, method, data, n_bytes) : MHD_NO;
}

static void request_ended(void *server, struct MHD_Connection *connection, void **exchange,
                          enum MHD_RequestTerminationCode how) {
    (void)server, (void)connection, (void)how;
    if (*exchange)
        ubi__exchange_close(*exchange);
    *exchange = NULL;
}

static void connection_changed(void *payload, struct MHD_Connection *connection, void **link,
                               enum MHD_ConnectionNotificationCode what) {
    ubi_http_server *server = payload;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            ubi__mhd.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        *link = info ? ubi__lookout_add(server, info->connect_fd) : NULL;
        return;
    }
    ubi__lookout_remove(server, *link);
    *link = NULL;
}

/* ---- start --------------------------------------------------------------------------------------------------------------------------- */

static ubi_status listen_words(ubi_http_server *server, const char *listen) {
    unsigned char bytes[sizeof(struct in6_addr)];
    const char *words = listen ? listen : "127.0.0.1";
    if ((inet_pton(AF_INET, words, bytes) != 1 && inet_pton(AF_INET6, words, bytes) != 1) ||
        strlen(words) >= sizeof server->listen)
        return ubi__fail(UBI_EINVAL, "listen: expected an address in digits, such as 127.0.0.1 or ::1, not '%.60s'",
                         words);
    snprintf(server->listen, sizeof server->listen, "%s", words);
    server->guard.listen = server->listen;
    server->guard.is_any = strcmp(words, "0.0.0.0") == 0 || strcmp(words, "::") == 0;
    return UBI_OK;
}

typedef union any_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} any_address;

static socklen_t address_fill(any_address *out, const char *listen, uint16_t port) {
    memset(out, 0, sizeof *out);
    if (inet_pton(AF_INET, listen, &out->v4.sin_addr) == 1) {
        out->v4.sin_family = AF_INET;
        out->v4.sin_port = htons(port);
        return sizeof out->v4;
    }
    (void)inet_pton(AF_INET6, listen, &out->v6.sin6_addr);
    out->v6.sin6_family = AF_INET6;
    out->v6.sin6_port = htons(port);
    return sizeof out->v6;
}

static ubi_status port_listen(ubi_http_server *server, uint16_t port) {
    any_address address;
    socklen_t n_bytes = address_fill(&address, server->listen, port);
    int on = 1, fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    server->listen_fd = fd;
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(fd, &address.any, n_bytes) != 0 || listen(fd, BACKLOG) != 0 ||
        getsockname(fd, &address.any, &n_bytes) != 0)
        return ubi__fail_errno(errno, "cannot listen on %s port %u", server->listen, port);
    server->guard.port = ntohs(address.any.sa_family == AF_INET6 ? address.v6.sin6_port : address.v4.sin_port);
    return UBI_OK;
}

/* Where a browser on this machine finds it. */
static void url_write(ubi_http_server *server) {
    const char *host = server->guard.is_any ? (strchr(server->listen, ':') ? "::1" : "127.0.0.1") : server->listen;
    bool has_colons = strchr(host, ':') != NULL;
    snprintf(server->url, sizeof server->url, "http://%s%s%s:%u/?token=%s", has_colons ? "[" : "", host,
             has_colons ? "]" : "", server->guard.port, server->guard.token);
    snprintf(server->guard.cookie, sizeof server->guard.cookie, "ubiheap-%u", server->guard.port);
}

static ubi_status token_set(ubi_http_server *server, const char *token) {
    if (!token)
        return ubi__http_token_make(server->guard.token);
    if (!ubi__http_is_token(token))
        return ubi__fail(UBI_EINVAL, "token: expected 32 hexadecimal digits");
    memcpy(server->guard.token, token, sizeof server->guard.token);
    return UBI_OK;
}

static ubi_status daemon_start(ubi_http_server *server, uint32_t most_connections) {
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_SUSPEND_RESUME;
    if (strchr(server->listen, ':'))
        flags |= MHD_USE_IPv6;
    server->daemon = ubi__mhd.MHD_start_daemon(
        flags, server->guard.port, NULL, NULL, request_came, server, MHD_OPTION_LISTEN_SOCKET, server->listen_fd,
        MHD_OPTION_URI_LOG_CALLBACK, address_came, server, MHD_OPTION_NOTIFY_COMPLETED, request_ended, server,
        MHD_OPTION_NOTIFY_CONNECTION, connection_changed, server, MHD_OPTION_CONNECTION_LIMIT, most_connections,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT, most_connections / 2 + 1, MHD_OPTION_CONNECTION_TIMEOUT,
        server->idle_seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_BYTES, MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_END);
    if (server->daemon)
        return UBI_OK;
    server->listen_fd = -1; /* libmicrohttpd has closed it */
    return ubi__fail(UBI_EIO, "libmicrohttpd does not start on %s port %u", server->listen, server->guard.port);
}

static ubi_status pool_take(ubi_http_server *server, ubi_session_pool *pool) {
    if (!pool)
        return ubi_session_pool_new(&server->pool, NULL);
    server->pool = ubi__session_pool_ref(pool);
    return UBI_OK;
}

static ubi_status shelf_make(ubi_http_server *server, const ubi_http_options *o) {
    const ubi__shelf_options options = { .pool = server->pool,
                                         .roots = o->roots,
                                         .n_roots = o->n_roots,
                                         .most_heaps = o->most_heaps,
                                         .session = o->session };
    server->compat = o->session ? o->session->compat : UBI_COMPAT_NONE;
    return ubi__shelf_new(&server->shelf, &options);
}

static ubi_status server_begin(ubi_http_server *server, const ubi_http_options *o) {
    const ubi__desk_options desk = { .most_waiting = o->most_waiting };
    server->most_upload_bytes = o->most_upload_bytes ? o->most_upload_bytes : STANDARD_UPLOAD_BYTES;
    server->idle_seconds = o->idle_seconds ? o->idle_seconds : STANDARD_IDLE_SECONDS;
    if (getrandom(&server->nonce, sizeof server->nonce, 0) != (ssize_t)sizeof server->nonce)
        return ubi__fail_errno(errno, "the system gives no random numbers");
    UBI_TRY(listen_words(server, o->listen));
    UBI_TRY(token_set(server, o->token));
    UBI_TRY(ubi__mhd_load());
    UBI_TRY(pool_take(server, o->pool));
    UBI_TRY(shelf_make(server, o));
    UBI_TRY(ubi__desk_new(&server->desk, &desk));
    UBI_TRY(ubi__private_folder_open(&server->folder, o->upload_folder));
    UBI_TRY(port_listen(server, o->port));
    url_write(server);
    UBI_TRY(ubi__lookout_start(server));
    UBI_TRY(ubi__upload_writer_start(&server->writer));
    return daemon_start(server, o->most_connections ? o->most_connections : STANDARD_CONNECTIONS);
}

ubi_status ubi_http_server_start(ubi_http_server **out, const ubi_http_options *options) {
    static const ubi_http_options standard = UBI_HTTP_OPTIONS_INIT;
    const ubi_http_options *o = options ? options : &standard;
    UBI_TRY(ubi__version_check(o->version, UBI_HTTP_OPTIONS_VERSION, "ubi_http_options"));
    ubi_http_server *server = UBI_NEW(ubi_allocator_default(), ubi_http_server);
    if (!server)
        return ubi__fail_nomem();
    server->listen_fd = server->folder.lock_fd = -1;
    server->lookout.poll_fd = server->lookout.stop_fd = -1;
    pthread_mutex_init(&server->lookout.lock, NULL);
    pthread_mutex_init(&server->writer.lock, NULL);
    pthread_cond_init(&server->writer.given, NULL);
    ubi_status status = server_begin(server, o);
    if (status == UBI_OK)
        *out = server;
    else
        ubi_http_server_stop(server);
    return status;
}

/* ---- stop ------------------------------------------------------------------------------------------------------------------------------ */

/* Those who waited for what was cancelled get a reply. */
static void exchanges_await(const ubi_http_server *server) {
    const struct timespec pause = { 0, 5000000 };
    for (int waited_ms = 0; waited_ms < FAREWELL_MS && atomic_load(&server->n_exchanges) > 0; waited_ms += 5)
        nanosleep(&pause, NULL);
}

/* When all jobs have ended, and uploads are written at once, nothing is suspended, which libmicrohttpd needs. */
static void daemon_stop(ubi_http_server *server) {
    (void)ubi__mhd.MHD_quiesce_daemon(server->daemon);
    ubi__desk_stop(server->desk);
    ubi__upload_writer_stop(&server->writer);
    exchanges_await(server);
    ubi__mhd.MHD_stop_daemon(server->daemon);
}

static void writer_free(ubi__upload_writer *writer) {
    ubi__upload_writer_stop(writer);
    pthread_cond_destroy(&writer->given);
    pthread_mutex_destroy(&writer->lock);
}

void ubi_http_server_stop(ubi_http_server *server) {
    char message[UBI__DESK_MESSAGE_BYTES];
    if (!server)
        return;
    snprintf(message, sizeof message, "%s", ubi_error_message()); /* of a start that failed */
    atomic_store(&server->is_stopping, true);
    if (server->daemon)
        daemon_stop(server);
    writer_free(&server->writer);
    ubi__lookout_stop(server);
    if (server->listen_fd >= 0)
        close(server->listen_fd);
    ubi__desk_free(server->desk);
    ubi__http_targets_free(server);
    ubi__shelf_free(server->shelf);
    ubi__private_folder_close(&server->folder);
    ubi_session_pool_unref(server->pool);
    UBI_DELETE(ubi_allocator_default(), server);
    (void)ubi__fail(UBI_OK, "%s", message);
}

/* ---- what is served --------------------------------------------------------------------------------------------------------------------- */

const char *ubi_http_server_url(const ubi_http_server *server) {
    return server->url;
}

uint16_t ubi_http_server_port(const ubi_http_server *server) {
    return server->guard.port;
}

ubi_status ubi_http_server_add_file(ubi_http_server *server, const char *path) {
    const ubi__shelf_heap *heap = NULL;
    const ubi__shelf_item item = { path, NULL, UBI__SHELF_GIVEN };
    UBI_TRY(ubi__shelf_add(&heap, server->shelf, &item));
    ubi__shelf_heap_unref(heap);
    return UBI_OK;
}
