/* SPDX-License-Identifier: MIT
 *
 * http_request.c: see http_request.h.
 */
#include "http_request.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int connection_open(uint16_t port) {
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static bool bytes_send(int fd, const char *bytes, size_t n) {
    while (n > 0) {
        ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        bytes += sent;
        n -= (size_t)sent;
    }
    return true;
}

static void reply_read(http_reply *out, int fd) {
    char more[16384];
    for (ssize_t n; (n = recv(fd, more, sizeof more, 0)) > 0; out->n += (size_t)n) {
        size_t room = out->n < sizeof out->text - 1 ? sizeof out->text - 1 - out->n : 0;
        if (room)
            memcpy(out->text + out->n, more, (size_t)n < room ? (size_t)n : room);
    }
    out->text[out->n < sizeof out->text - 1 ? out->n : sizeof out->text - 1] = '\0';
    out->code = out->n > 12 ? atoi(out->text + 9) : 0;
    const char *end = strstr(out->text, "\r\n\r\n");
    out->body = end ? end + 4 : "";
}

void http_request(http_reply *out, uint16_t port, const char *method, const char *path, const char *body,
                  bool must_leave) {
    char head[1024];
    int fd = connection_open(port);
    out->code = 0;
    out->n = 0;
    out->body = out->text;
    out->text[0] = '\0';
    if (fd < 0)
        return;
    int n = snprintf(head, sizeof head,
                     "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nAuthorization: Bearer " HTTP_TOKEN
                     "\r\nConnection: close\r\nAccept-Encoding: gzip\r\nContent-Length: %zu\r\n\r\n",
                     method, path, port, strlen(body));
    if (bytes_send(fd, head, (size_t)n) && bytes_send(fd, body, strlen(body)) && !must_leave)
        reply_read(out, fd);
    close(fd);
}
