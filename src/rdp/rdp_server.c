/* SPDX-License-Identifier: MIT
 *
 * rdp_server.c: starting and stopping; see rdp_server.h.
 */
#include "rdp/rdp_server.h"

#include <stdio.h>
#include <sys/stat.h>

#include "base/status.h"
#include "rdp/actors/actors.h"

#define DEFAULT_ADDRESS "127.0.0.1"
#define DEFAULT_CONNECTIONS 1000
/* Clients that wait to be accepted. */
#define BACKLOG 128

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

/* ---- the loop ----------------------------------------------------------------------------------------------------------- */

static void on_connection(uv_stream_t *listener, int status) {
    ubi_rdp_server *server = listener->data;
    if (status == 0)
        ubi__rdp_client_accept(server);
}

static void tabs_report(ubi_rdp_server *server) {
    for (ubi__rdp_client *client = server->clients; client; client = client->next)
        if (client->connection)
            ubi__rdp_root_tabs_changed(ubi__rdp_root(client->connection));
}

/* Of the offer. */
static void tab_report_navigated(void *payload, ubi__rdp_tab *tab) {
    for (ubi__rdp_client *client = ((ubi_rdp_server *)payload)->clients; client; client = client->next)
        if (client->connection)
            ubi__rdp_root_tab_navigated(ubi__rdp_root(client->connection), tab);
}

/* What was written can still be sent, as far as the system takes it. After that no actor is left, so mail may come anywhere. */
static void server_end(ubi_rdp_server *server) {
    while (server->clients)
        ubi__rdp_client_close(server->clients);
    server->offer->on_navigated = NULL;
    ubi__rdp_mailbox_close(&server->offer->mailbox);
    ubi__uv.uv_close((uv_handle_t *)&server->timer, NULL);
    ubi__uv.uv_close((uv_handle_t *)&server->bell, NULL);
    ubi__uv.uv_close(&server->listener.handle, NULL);
}

/* What a target said before it went is delivered before that is seen. */
static void on_bell(uv_async_t *bell) {
    ubi_rdp_server *server = bell->data;
    bool must_stop = atomic_load(&server->must_stop);
    bool has_tabs_changed = atomic_exchange(&server->has_tabs_changed, false);
    for (ubi__rdp_client *client = server->clients; client; client = client->next)
        if (client->connection)
            client->connection->now_ms = ubi__uv.uv_now(&server->loop);
    ubi__rdp_mailbox_deliver(&server->offer->mailbox);
    if (has_tabs_changed)
        tabs_report(server);
    ubi__rdp_server_close_some(server);
    ubi__rdp_server_settle(server);
    ubi__rdp_server_set_timer(server); /* mail may have set alarms of any */
    if (must_stop && !ubi__uv.uv_is_closing((uv_handle_t *)bell))
        server_end(server);
}

static void *loop_run(void *payload) {
    ubi_rdp_server *server = payload;
    (void)ubi__uv.uv_run(&server->loop, UV_RUN_DEFAULT);
    return NULL;
}

static void bell_ring(void *payload) {
    (void)ubi__uv.uv_async_send(&((ubi_rdp_server *)payload)->bell);
}

/* ---- listening ---------------------------------------------------------------------------------------------------------- */

static ubi_status fail_uv(int code, const char *what, const char *where) {
    return ubi__fail(UBI_EIO, "cannot %s %s: %s", what, where, ubi__uv.uv_strerror(code));
}

static ubi_status address_read(struct sockaddr_storage *out, const ubi_rdp_options *o) {
    const char *text = o->listen ? o->listen : DEFAULT_ADDRESS;
    memset(out, 0, sizeof *out);
    if (ubi__uv.uv_ip4_addr(text, o->port, (struct sockaddr_in *)(void *)out) != 0 &&
        ubi__uv.uv_ip6_addr(text, o->port, (struct sockaddr_in6 *)(void *)out) != 0)
        return ubi__fail(UBI_EINVAL, "'%s' is not an address in digits", text);
    if (!ubi__rdp_is_loopback(out) && !o->may_enter)
        return ubi__fail(UBI_EINVAL,
                         "on %s clients of other machines could connect, and there is no terminal to ask about each on",
                         text);
    return UBI_OK;
}

static void port_read(ubi_rdp_server *server) {
    struct sockaddr_storage address = { 0 };
    int n = sizeof address;
    if (ubi__uv.uv_tcp_getsockname(&server->listener.tcp, (struct sockaddr *)&address, &n) == 0)
        server->port = ntohs(address.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)(void *)&address)->sin6_port
                                                           : ((struct sockaddr_in *)(void *)&address)->sin_port);
}

static ubi_status tcp_listen(ubi_rdp_server *server, const ubi_rdp_options *o) {
    struct sockaddr_storage address;
    char where[96];
    UBI_TRY(address_read(&address, o));
    snprintf(where, sizeof where, "%s:%u", o->listen ? o->listen : DEFAULT_ADDRESS, o->port);
    int failed = ubi__uv.uv_tcp_bind(&server->listener.tcp, (const struct sockaddr *)&address, 0);
    if (!failed)
        failed = ubi__uv.uv_listen(&server->listener.stream, BACKLOG, on_connection);
    if (failed == UV_EADDRINUSE)
        return ubi__fail(UBI_EIO, "cannot listen on %s: %s; port 0 is any that is free", where,
                         ubi__uv.uv_strerror(failed));
    if (failed)
        return fail_uv(failed, "listen on", where);
    port_read(server);
    return UBI_OK;
}

/* Only for its owner, before anyone can connect. */
static ubi_status unix_listen(ubi_rdp_server *server, const ubi_rdp_options *o) {
    int failed = ubi__uv.uv_pipe_bind(&server->listener.pipe, o->socket_path);
    if (!failed && chmod(o->socket_path, 0600) != 0)
        return ubi__fail(UBI_EIO, "cannot protect %s", o->socket_path);
    if (!failed)
        failed = ubi__uv.uv_listen(&server->listener.stream, BACKLOG, on_connection);
    return failed ? fail_uv(failed, "listen on", o->socket_path) : UBI_OK;
}

static ubi_status listener_open(ubi_rdp_server *server, const ubi_rdp_options *o) {
    server->is_unix = o->socket_path != NULL;
    int failed = server->is_unix ? ubi__uv.uv_pipe_init(&server->loop, &server->listener.pipe, 0)
                                 : ubi__uv.uv_tcp_init(&server->loop, &server->listener.tcp);
    if (failed)
        return fail_uv(failed, "make", "a socket");
    server->listener.handle.data = server;
    return server->is_unix ? unix_listen(server, o) : tcp_listen(server, o);
}

/* ---- starting and stopping ---------------------------------------------------------------------------------------------- */

static ubi_status handles_open(ubi_rdp_server *server) {
    int failed = ubi__uv.uv_loop_init(&server->loop);
    if (failed)
        return fail_uv(failed, "make", "an event loop");
    (void)ubi__uv.uv_timer_init(&server->loop, &server->timer); /* cannot fail */
    server->timer.data = server->bell.data = server;
    failed = ubi__uv.uv_async_init(&server->loop, &server->bell, on_bell);
    if (!failed)
        return UBI_OK;
    ubi__uv.uv_close((uv_handle_t *)&server->timer, NULL);
    (void)ubi__uv.uv_run(&server->loop, UV_RUN_DEFAULT);
    (void)ubi__uv.uv_loop_close(&server->loop);
    return fail_uv(failed, "make", "an event loop");
}

/* Of a server whose thread was not started. */
static void handles_close(ubi_rdp_server *server) {
    ubi__uv.uv_close((uv_handle_t *)&server->timer, NULL);
    ubi__uv.uv_close((uv_handle_t *)&server->bell, NULL);
    if (server->listener.handle.data)
        ubi__uv.uv_close(&server->listener.handle, NULL);
    (void)ubi__uv.uv_run(&server->loop, UV_RUN_DEFAULT);
    (void)ubi__uv.uv_loop_close(&server->loop);
}

static ubi_status server_open(ubi_rdp_server *server, const ubi_rdp_options *o) {
    UBI_TRY(handles_open(server));
    ubi_status status = ubi__rdp_offer_new(&server->offer, o->snapshot_folder);
    if (status == UBI_OK) {
        server->offer->mailbox.ring = bell_ring;
        server->offer->mailbox.payload = server;
        server->offer->on_navigated = tab_report_navigated;
        server->offer->payload = server;
        status = listener_open(server, o);
    }
    if (status == UBI_OK)
        status = ubi__rdp_thread_start(&server->thread, loop_run, server);
    if (status == UBI_OK)
        return UBI_OK;
    handles_close(server);
    if (server->offer)
        ubi__rdp_offer_end(server->offer);
    ubi__rdp_offer_unref(server->offer);
    return status;
}

ubi_status ubi_rdp_server_start(ubi_rdp_server **out, const ubi_rdp_options *options) {
    static const ubi_rdp_options defaults = UBI_RDP_OPTIONS_INIT;
    const ubi_rdp_options *o = options ? options : &defaults;
    UBI_TRY(ubi__version_check(o->version, UBI_RDP_OPTIONS_VERSION, "ubi_rdp_options"));
    UBI_TRY(ubi__uv_load());
    ubi_rdp_server *server = UBI_NEW(memory(), ubi_rdp_server);
    if (!server)
        return ubi__fail_nomem();
    server->due_ms = UINT64_MAX;
    server->most_json_bytes = o->most_json_bytes;
    server->most_connections = o->most_connections ? o->most_connections : DEFAULT_CONNECTIONS;
    server->may_enter = o->may_enter;
    server->payload = o->payload;
    ubi_status status = server_open(server, o);
    if (status != UBI_OK) {
        UBI_DELETE(memory(), server);
        return status;
    }
    *out = server;
    return UBI_OK;
}

void ubi_rdp_server_stop(ubi_rdp_server *server) {
    if (!server)
        return;
    atomic_store(&server->must_stop, true);
    bell_ring(server);
    pthread_join(server->thread, NULL);
    (void)ubi__uv.uv_loop_close(&server->loop);
    ubi__rdp_offer_end(server->offer);
    ubi__rdp_offer_unref(server->offer);
    UBI_DELETE(memory(), server);
}

uint16_t ubi_rdp_server_port(const ubi_rdp_server *server) {
    return server->port;
}

/* ---- targets ------------------------------------------------------------------------------------------------------------ */

static void tabs_changed(ubi_rdp_server *server) {
    atomic_store(&server->has_tabs_changed, true);
    bell_ring(server);
}

static ubi__rdp_tab_options tab_options(const ubi_rdp_target_options *o) {
    return (ubi__rdp_tab_options){ .scope = o->scope,
                                   .title = o->title,
                                   .url = o->url,
                                   .wake = o->wake,
                                   .payload = o->payload,
                                   .reload = o->version >= 2 ? o->reload : NULL,
                                   .process_id = o->version >= 2 ? o->process_id : 0 };
}

ubi_status ubi_rdp_server_add_target(ubi_rdp_server *server, ubi_target target, const ubi_rdp_target_options *options) {
    static const ubi_rdp_target_options defaults = UBI_RDP_TARGET_OPTIONS_INIT;
    const ubi_rdp_target_options *o = options ? options : &defaults;
    UBI_TRY(ubi__version_check(o->version, UBI_RDP_TARGET_OPTIONS_VERSION, "ubi_rdp_target_options"));
    const ubi__rdp_tab_options tab = tab_options(o);
    UBI_TRY(ubi__rdp_offer_add(server->offer, target, &tab));
    tabs_changed(server);
    return UBI_OK;
}

ubi_status ubi_rdp_server_remove_target(ubi_rdp_server *server, ubi_target target) {
    UBI_TRY(ubi__rdp_offer_remove(server->offer, target));
    tabs_changed(server);
    return UBI_OK;
}

ubi_status ubi_rdp_server_navigated(ubi_rdp_server *server, ubi_target target, const ubi_rdp_target_options *options) {
    static const ubi_rdp_target_options defaults = UBI_RDP_TARGET_OPTIONS_INIT;
    const ubi_rdp_target_options *o = options ? options : &defaults;
    UBI_TRY(ubi__version_check(o->version, UBI_RDP_TARGET_OPTIONS_VERSION, "ubi_rdp_target_options"));
    const ubi__rdp_tab_options tab = tab_options(o);
    return ubi__rdp_offer_navigated(server->offer, target, &tab);
}
