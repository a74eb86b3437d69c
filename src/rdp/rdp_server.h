/* SPDX-License-Identifier: MIT
 *
 * rdp_server.h: the insides of servers: sockets, on the server's thread.
 *
 * A client is a socket with a connection (connection.h). What the connection writes is queued, and sent when all that came has been
 * performed, so that a reply and its event go in one piece. When the queue is long, nothing is read from that client any more.
 */
#ifndef UBI_RDP_RDP_SERVER_H
#define UBI_RDP_RDP_SERVER_H

#include <ubiheap/server/rdp.h>

#include "rdp/connection.h"
#include "rdp/offer.h"
#include "rdp/uv_calls.h"

/** Queued bytes above which a client counts as one that does not read, and below which it does again. */
#define UBI__RDP_CONGESTED_BYTES ((size_t)4 << 20)
#define UBI__RDP_RELIEVED_BYTES ((size_t)1 << 20)
/** Files on their way to one client. */
#define UBI__RDP_MOST_FILES 4
/** What is read of a file at a time. */
#define UBI__RDP_FILE_PIECE_BYTES ((size_t)512 << 10)
#define UBI__RDP_READ_BYTES ((size_t)64 << 10)
/** Clients that have left and are closed in one turn, so that others need not wait while many leave. */
#define UBI__RDP_MOST_CLOSINGS 32
/** Blocks that are sent together. */
#define UBI__RDP_MOST_BUFFERS 16

/* What is to be sent: bytes, or the rest of a file. */
typedef struct ubi__rdp_block {
    struct ubi__rdp_block *next;
    ubi__vec_u8 bytes;
    size_t at;
    int fd; /* -1: bytes */
    uint64_t file_at, file_left;
} ubi__rdp_block;

typedef struct ubi__rdp_client {
    ubi_rdp_server *server;
    struct ubi__rdp_client *next, **place; /* of the server's */
    struct ubi__rdp_client *next_changed;
    struct ubi__rdp_client *next_leaving, **place_leaving; /* of the server's that have left */
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    } socket;
    ubi__rdp_connection *connection; /* NULL: it has not entered yet */
    ubi__rdp_block *first, **end;
    size_t n_queued_bytes;
    uint32_t n_files;
    uint32_t n_users; /* the socket, and what runs on other threads: the last one frees it */
    bool is_changed;  /* it is in the server's list of those to look at */
    bool is_reading;
    bool is_sending; /* a write, or the reading of a file, is on its way */
    bool must_close; /* when all is sent */
    bool is_leaving; /* it has left, and is to be closed */
    bool is_closing;
    bool must_ask, may_enter;
    char peer[64];
    uv_write_t write;
    size_t n_sending;
    uv_fs_t file_read;
    uint8_t *file_piece; /* UBI__RDP_FILE_PIECE_BYTES; or NULL */
    uv_work_t question;
} ubi__rdp_client;

struct ubi_rdp_server {
    ubi__rdp_offer *offer;
    uv_loop_t loop;
    uv_async_t bell; /* mail, tabs, or the end */
    uv_timer_t timer;
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    } listener;
    bool is_unix;
    uint16_t port;
    pthread_t thread;
    size_t most_json_bytes;
    uint32_t most_connections;
    bool (*may_enter)(void *payload, const char *peer);
    void *payload;
    _Atomic bool must_stop, has_tabs_changed;
    /* Of its thread: */
    ubi__rdp_client *clients;
    uint32_t n_clients;
    uint64_t last_client;
    ubi__rdp_client *changed;
    ubi__rdp_client *leaving;
    uint64_t due_ms; /* when the timer goes off; UINT64_MAX: it does not */
    bool is_asking;
    char bytes[UBI__RDP_READ_BYTES];
};

/** Takes a client from the listener. */
void ubi__rdp_client_accept(ubi_rdp_server *server);
void ubi__rdp_client_close(ubi__rdp_client *client);
/** Closes some of those that have left; the others in a later turn. */
void ubi__rdp_server_close_some(ubi_rdp_server *server);
/** It is to be looked at by ubi__rdp_server_settle. */
void ubi__rdp_client_changed(ubi__rdp_client *client);
/** Sends what can be sent, and reads on or not. */
void ubi__rdp_client_flush(ubi__rdp_client *client);
/** Frees what is queued. */
void ubi__rdp_client_drop_queue(ubi__rdp_client *client);
/** Where its connection writes to. */
ubi__rdp_output ubi__rdp_client_output(ubi__rdp_client *client);
/** Whether an address is this machine's own. */
bool ubi__rdp_is_loopback(const struct sockaddr_storage *address);
/** One user less. */
void ubi__rdp_client_release(ubi__rdp_client *client);
/** After anything has happened to clients that have changed: sends, and sets the timer for them. */
void ubi__rdp_server_settle(ubi_rdp_server *server);
/** The timer goes off when the first of all clients wants it. Cost: O(clients). */
void ubi__rdp_server_set_timer(ubi_rdp_server *server);

#endif
