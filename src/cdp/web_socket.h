/* SPDX-License-Identifier: MIT
 *
 * web_socket.h: one connection to a server of HTTP, for a caller that waits: a text that is fetched, or a WebSocket, by libwebsockets.
 *
 *     ubi__web_fetch(&body, &options, "/json/list");
 *     ubi__web_socket_open(&socket, &options, "/devtools/page/1");
 *     ubi__web_socket_send(socket, text);
 *     ubi__web_socket_serve(socket);                             what came goes to options.take
 *     ubi__web_socket_close(socket);
 *
 * All runs on the caller's thread, in these calls. Nothing is read from the socket between them, so a caller that is slow slows the other
 * side down, and memory stays as it is. Progress is reported ten times a second or more, and can cancel.
 */
#ifndef UBI_CDP_WEB_SOCKET_H
#define UBI_CDP_WEB_SOCKET_H

#include "targets/remote.h"

/** The longest text that is fetched. */
#define UBI__WEB_FETCH_BYTES ((size_t)16 << 20)

typedef struct ubi__web_socket ubi__web_socket;

typedef struct ubi__web_options {
    const char *host; /**< borrowed, as all here */
    uint16_t port;
    const ubi__remote_scheme *scheme; /**< whose words are said */
    const ubi_progress *progress;
    const ubi_allocator *allocator;
    /** A part of a message. An error ends the connection, and is that of the call which came here. */
    ubi_status (*take)(void *payload, const void *bytes, size_t n, bool is_last);
    void *payload;
    uint64_t patience_us; /**< how long connecting, or a fetch, may take; 0: there is no limit */
    /** Why a connection that was open is not any more, static; may wait a moment to find out. NULL, and its NULL: unknown. */
    const char *(*end_words)(void *end_payload);
    void *end_payload;
} ubi__web_options;

/**
 * GET of a path. @param body  out: replaced. `take` is not called.
 * Errors: UBI_EIO (no answer, or another status than 200), UBI_EFORMAT (no HTTP), UBI_ELIMIT, UBI_ENOMEM, UBI_ECANCELLED.
 */
ubi_status ubi__web_fetch(ubi__vec_u8 *body, const ubi__web_options *options, const char *path);
/** Waits until the other side has agreed. Errors: as above. */
ubi_status ubi__web_socket_open(ubi__web_socket **out, const ubi__web_options *options, const char *path);
/** NULL is fine. */
void ubi__web_socket_close(ubi__web_socket *socket);

/**
 * Sends one message, and waits until the system has it. What comes meanwhile is taken. Errors: UBI_EIO, UBI_ENOMEM, UBI_ECANCELLED: it is not sent,
 * and the connection is as before.
 */
ubi_status ubi__web_socket_send(ubi__web_socket *socket, ubi_text text);
/** Waits for a tenth of a second, or less when something comes. Errors: UBI_EIO (it has ended), UBI_ECANCELLED, and those of `take`. */
ubi_status ubi__web_socket_serve(ubi__web_socket *socket);
/** Takes what has come; the caller waits for something else, so that silence needs no words until the next message. Errors: as above. */
ubi_status ubi__web_socket_look(ubi__web_socket *socket);

/** What is reported to from now on. Borrowed. */
void ubi__web_socket_set_progress(ubi__web_socket *socket, const ubi_progress *progress);
/** Nothing is waited for until the next message is sent: silence needs no words. */
void ubi__web_socket_set_idle(ubi__web_socket *socket);
/** What progress is called while it waits, and how far that is; static. `total` 0: unknown. */
void ubi__web_socket_set_stage(ubi__web_socket *socket, const char *stage, uint64_t done, uint64_t total);

#endif
