/* SPDX-License-Identifier: MIT
 *
 * rdp_clients.c: clients as they come, are read from, and go. See rdp_server.h.
 */
#include <stdio.h>

#include "rdp/actors/actors.h"
#include "rdp/rdp_server.h"

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

/* ---- going -------------------------------------------------------------------------------------------------------------- */

static void client_free(ubi__rdp_client *client) {
    ubi__rdp_client_drop_queue(client);
    ubi__free_array(memory(), client->file_piece, UBI__RDP_FILE_PIECE_BYTES, 1);
    UBI_DELETE(memory(), client);
}

void ubi__rdp_client_release(ubi__rdp_client *client) {
    if (--client->n_users == 0)
        client_free(client);
}

static void on_closed(uv_handle_t *handle) {
    ubi__rdp_client_release(handle->data);
}

static void client_forget_change(ubi__rdp_client *client) {
    ubi__rdp_client **place = &client->server->changed;
    while (*place && *place != client)
        place = &(*place)->next_changed;
    if (*place)
        *place = client->next_changed;
    client->is_changed = false;
}

static void client_forget_leaving(ubi__rdp_client *client) {
    *client->place_leaving = client->next_leaving;
    if (client->next_leaving)
        client->next_leaving->place_leaving = client->place_leaving;
}

void ubi__rdp_client_close(ubi__rdp_client *client) {
    if (client->is_closing)
        return;
    client->is_closing = true;
    *client->place = client->next;
    if (client->next)
        client->next->place = client->place;
    if (client->is_leaving)
        client_forget_leaving(client);
    else
        client->server->n_clients--;
    if (client->is_changed)
        client_forget_change(client);
    ubi__rdp_connection_free(client->connection);
    client->connection = NULL;
    ubi__uv.uv_close(&client->socket.handle, on_closed);
}

/* It makes room for another at once. */
static void client_leave(ubi__rdp_client *client) {
    ubi_rdp_server *server = client->server;
    if (client->is_leaving || client->is_closing)
        return;
    if (!server->leaving)
        (void)ubi__uv.uv_async_send(&server->bell);
    (void)ubi__uv.uv_read_stop(&client->socket.stream);
    client->is_leaving = true;
    client->is_reading = false;
    client->next_leaving = server->leaving;
    client->place_leaving = &server->leaving;
    if (client->next_leaving)
        client->next_leaving->place_leaving = &client->next_leaving;
    server->leaving = client;
    server->n_clients--;
}

void ubi__rdp_server_close_some(ubi_rdp_server *server) {
    for (int i = 0; i < UBI__RDP_MOST_CLOSINGS && server->leaving; i++)
        ubi__rdp_client_close(server->leaving);
    if (server->leaving)
        (void)ubi__uv.uv_async_send(&server->bell);
}

void ubi__rdp_client_changed(ubi__rdp_client *client) {
    if (client->is_changed || client->is_closing)
        return;
    client->is_changed = true;
    client->next_changed = client->server->changed;
    client->server->changed = client;
}

/* ---- reading ------------------------------------------------------------------------------------------------------------ */

/* All clients are read with one buffer: what is in it is taken before the next is read. */
static void on_wanted(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
    ubi__rdp_client *client = handle->data;
    (void)suggested;
    *buffer = (uv_buf_t){ .base = client->server->bytes, .len = UBI__RDP_READ_BYTES };
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buffer) {
    ubi__rdp_client *client = stream->data;
    ubi_rdp_server *server = client->server;
    if (n < 0) {
        client_leave(client);
    } else if (n > 0) {
        const ubi_text bytes = { buffer->base, (size_t)n };
        ubi__rdp_connection_take(client->connection, bytes, ubi__uv.uv_now(&server->loop));
        ubi__rdp_client_changed(client);
    }
    ubi__rdp_server_settle(server);
}

/* Reads on, or gives the client time. */
static void client_pace(ubi__rdp_client *client) {
    bool is_wanted = client->connection && !client->must_close && !client->is_leaving &&
                     ubi__rdp_connection_wants_bytes(client->connection);
    if (is_wanted == client->is_reading)
        return;
    client->is_reading = is_wanted;
    if (!is_wanted)
        (void)ubi__uv.uv_read_stop(&client->socket.stream);
    else if (ubi__uv.uv_read_start(&client->socket.stream, on_wanted, on_read) != 0)
        ubi__rdp_client_close(client);
}

static uint64_t client_due_ms(const ubi__rdp_client *client) {
    return client->connection ? ubi__rdp_connection_due_ms(client->connection) : UINT64_MAX;
}

static void on_timer(uv_timer_t *timer) {
    ubi_rdp_server *server = timer->data;
    uint64_t now_ms = ubi__uv.uv_now(&server->loop);
    server->due_ms = UINT64_MAX;
    for (ubi__rdp_client *client = server->clients; client; client = client->next)
        if (client_due_ms(client) <= now_ms)
            ubi__rdp_connection_tick(client->connection, now_ms);
    ubi__rdp_server_settle(server);
    ubi__rdp_server_set_timer(server);
}

/* It may be set already for one that wants it no more, and then goes off for nothing: what is due is found then. */
static void timer_advance(ubi_rdp_server *server, uint64_t due_ms) {
    uint64_t now_ms = ubi__uv.uv_now(&server->loop);
    if (due_ms >= server->due_ms)
        return;
    server->due_ms = due_ms;
    (void)ubi__uv.uv_timer_start(&server->timer, on_timer, due_ms > now_ms ? due_ms - now_ms : 0, 0);
}

void ubi__rdp_server_set_timer(ubi_rdp_server *server) {
    uint64_t due_ms = UINT64_MAX;
    for (const ubi__rdp_client *client = server->clients; client; client = client->next) {
        uint64_t own_ms = client_due_ms(client);
        due_ms = own_ms < due_ms ? own_ms : due_ms;
    }
    timer_advance(server, due_ms);
}

/* Resuming may change clients again: until none is left. */
void ubi__rdp_server_settle(ubi_rdp_server *server) {
    while (server->changed) {
        ubi__rdp_client *client = server->changed;
        server->changed = client->next_changed;
        client->is_changed = false;
        ubi__rdp_client_flush(client);
        if (client->is_closing || !client->connection)
            continue;
        ubi__rdp_connection_resume(client->connection);
        client_pace(client);
        timer_advance(server, client_due_ms(client));
    }
}

/* ---- coming ------------------------------------------------------------------------------------------------------------- */

static ubi_status connection_make(ubi__rdp_client *client) {
    ubi_rdp_server *server = client->server;
    ubi__rdp_session *session = NULL;
    char prefix[32];
    snprintf(prefix, sizeof prefix, "server1.conn%llu.", (unsigned long long)server->last_client++);
    UBI_TRY(ubi__rdp_session_new(&session, server->offer));
    const ubi__rdp_connection_options options = { .root = &ubi__rdp_root_type,
                                                  .root_payload = session,
                                                  .greet = ubi__rdp_root_greet,
                                                  .prefix = prefix,
                                                  .most_json_bytes = server->most_json_bytes };
    const ubi__rdp_output output = ubi__rdp_client_output(client);
    ubi_status status = ubi__rdp_connection_new(&client->connection, &options, &output, ubi__uv.uv_now(&server->loop));
    if (status != UBI_OK)
        ubi__rdp_session_free(session);
    return status;
}

/* In words, in place of a greeting. Without memory for them it only closes. */
static void client_refuse(ubi__rdp_client *client, const char *message) {
    const ubi__rdp_output output = ubi__rdp_client_output(client);
    ubi__rdp_packet packet;
    ubi__json *json = ubi__rdp_packet_open(&packet, "root", memory());
    ubi__json_member_string(json, "error", "connectionRefused");
    ubi__json_member_string(json, "message", message);
    if (ubi__rdp_packet_close(&packet) == UBI_OK)
        output.write(output.payload, &packet.bytes, packet.at);
    output.close(output.payload, message);
    ubi__rdp_server_settle(client->server);
}

static void client_begin(ubi__rdp_client *client) {
    if (connection_make(client) != UBI_OK)
        ubi__rdp_client_close(client);
    else
        ubi__rdp_client_changed(client);
    ubi__rdp_server_settle(client->server);
}

bool ubi__rdp_is_loopback(const struct sockaddr_storage *address) {
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)address;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)address;
    if (address->ss_family == AF_INET)
        return ntohl(v4->sin_addr.s_addr) >> 24 == 127;
    if (address->ss_family != AF_INET6)
        return false;
    if (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr))
        return v6->sin6_addr.s6_addr[12] == 127;
    return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
}

/* Who it is, and whether it is to be asked about. */
static void client_identify(ubi__rdp_client *client) {
    struct sockaddr_storage address = { 0 };
    int n = sizeof address;
    if (client->server->is_unix)
        return;
    (void)ubi__uv.uv_tcp_nodelay(&client->socket.tcp, 1);
    if (ubi__uv.uv_tcp_getpeername(&client->socket.tcp, (struct sockaddr *)&address, &n) == 0 &&
        ubi__rdp_is_loopback(&address))
        return;
    client->must_ask = true;
    if (address.ss_family == AF_INET)
        (void)ubi__uv.uv_ip4_name((const struct sockaddr_in *)(const void *)&address, client->peer,
                                  sizeof client->peer);
    else
        (void)ubi__uv.uv_ip6_name((const struct sockaddr_in6 *)(const void *)&address, client->peer,
                                  sizeof client->peer);
}

/* ---- asking, one at a time ---------------------------------------------------------------------------------------------- */

static void question_next(ubi_rdp_server *server);

static void question_work(uv_work_t *work) {
    ubi__rdp_client *client = work->data;
    const ubi_rdp_server *server = client->server;
    client->may_enter = server->may_enter && server->may_enter(server->payload, client->peer);
}

static void on_answer(uv_work_t *work, int status) {
    ubi__rdp_client *client = work->data;
    ubi_rdp_server *server = client->server;
    bool is_closing = client->is_closing;
    server->is_asking = false;
    if (!is_closing && (status != 0 || !client->may_enter))
        client_refuse(client, "the question at the program's terminal was not answered with yes");
    else if (!is_closing)
        client_begin(client);
    ubi__rdp_client_release(client);
    question_next(server);
}

static void question_next(ubi_rdp_server *server) {
    ubi__rdp_client *client = server->clients;
    while (client && !client->must_ask)
        client = client->next;
    if (!client || server->is_asking || atomic_load(&server->must_stop))
        return;
    client->must_ask = false;
    client->question.data = client;
    if (ubi__uv.uv_queue_work(&server->loop, &client->question, question_work, on_answer) != 0) {
        ubi__rdp_client_close(client);
        return;
    }
    client->n_users++;
    server->is_asking = true;
}

void ubi__rdp_client_accept(ubi_rdp_server *server) {
    ubi__rdp_client *client = UBI_NEW(memory(), ubi__rdp_client);
    if (!client)
        return;
    client->server = server;
    client->end = &client->first;
    client->n_users = 1;
    int failed = server->is_unix ? ubi__uv.uv_pipe_init(&server->loop, &client->socket.pipe, 0)
                                 : ubi__uv.uv_tcp_init(&server->loop, &client->socket.tcp);
    if (failed) {
        UBI_DELETE(memory(), client);
        return;
    }
    client->socket.handle.data = client;
    client->next = server->clients;
    client->place = &server->clients;
    if (client->next)
        client->next->place = &client->next;
    server->clients = client;
    bool are_too_many = ++server->n_clients > server->most_connections;
    if (ubi__uv.uv_accept(&server->listener.stream, &client->socket.stream) != 0) {
        ubi__rdp_client_close(client);
        return;
    }
    if (are_too_many) {
        client_refuse(client, "there are as many connections as are allowed");
        return;
    }
    client_identify(client);
    if (client->must_ask)
        question_next(server);
    else
        client_begin(client);
}
