/* SPDX-License-Identifier: MIT
 *
 * http_request.h: a client that sends one request on a connection of its own, and takes no memory.
 */
#ifndef UBI_TESTS_HTTP_REQUEST_H
#define UBI_TESTS_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP_TOKEN "0123456789abcdef0123456789abcdef"

typedef struct http_reply {
    int code;         /* 0: the connection ended before there was one */
    size_t n;         /* bytes in all; the first are in `text`, which ends with a zero */
    const char *body; /* in `text` */
    char text[65536];
} http_reply;

/** @param must_leave  the connection is closed when the request is sent. */
void http_request(http_reply *out, uint16_t port, const char *method, const char *path, const char *body,
                  bool must_leave);

#endif
