/* SPDX-License-Identifier: MIT
 *
 * listening.c: see listening.h.
 */
#include "cli/listening.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/quantity.h"
#include "base/status.h"
#include "base/text.h"
#include "cli/terminal.h"
#include "http/http.h"
#include "questions/usage.h"

/* How often a question looks whether the program has ended. */
#define LOOK_EVERY_MS 100
#define HOST_BYTES 64

/* ---- where -------------------------------------------------------------------------------------------------------------- */

/* "[::1]:6080" for an address with colons. */
static ubi_status host_read(char host[HOST_BYTES], const char *where, const char *colon) {
    size_t n = (size_t)(colon - where);
    if (n > 1 && where[0] == '[' && where[n - 1] == ']') {
        where++;
        n -= 2;
    }
    if (n == 0 || n >= HOST_BYTES)
        return ubi__fail(UBI_EINVAL, "--listen: expected [HOST:]PORT, as 127.0.0.1:6080, not '%.80s'", where);
    memcpy(host, where, n);
    host[n] = '\0';
    return UBI_OK;
}

static ubi_status where_read(char host[HOST_BYTES], uint16_t *port, const char *where) {
    const char *colon = strrchr(where, ':');
    uint64_t number = 0;
    snprintf(host, HOST_BYTES, "127.0.0.1");
    if (colon)
        UBI_TRY(host_read(host, where, colon));
    if (strcmp(host, "localhost") == 0)
        snprintf(host, HOST_BYTES, "127.0.0.1");
    UBI_TRY(ubi__parse_number(&number, colon ? colon + 1 : where, "--listen"));
    if (number > UINT16_MAX)
        return ubi__fail(UBI_EINVAL, "--listen: a port is at most 65535, not %llu", (unsigned long long)number);
    *port = (uint16_t)number;
    return UBI_OK;
}

/* ---- asking ------------------------------------------------------------------------------------------------------------- */

/* A line of the terminal; false: the program ends, or there is no more. */
static bool line_read(ubi__listening *l, char *line, size_t size) {
    struct pollfd input = { .fd = l->terminal, .events = POLLIN };
    while (!atomic_load(&l->is_ending)) {
        if (poll(&input, 1, LOOK_EVERY_MS) <= 0)
            continue;
        ssize_t n = read(l->terminal, line, size - 1);
        line[n > 0 ? n : 0] = '\0';
        return n > 0;
    }
    return false;
}

static bool client_may_enter(void *payload, const char *peer) {
    ubi__listening *l = payload;
    char line[64];
    (void)tcflush(l->terminal, TCIFLUSH); /* what was typed before is no answer */
    dprintf(l->terminal, "ubiheap: %s wants to look into this program and its memory. Let it? [y/N] ", peer);
    return line_read(l, line, sizeof line) && (line[0] == 'y' || line[0] == 'Y');
}

/* ---- a server ----------------------------------------------------------------------------------------------------------- */

ubi_status ubi__listening_start(ubi__listening *l, const char *where, bool may_ask) {
    ubi_rdp_options options = UBI_RDP_OPTIONS_INIT;
    char host[HOST_BYTES];
    UBI_TRY(where_read(host, &options.port, where));
    l->terminal = may_ask ? open("/dev/tty", O_RDWR | O_CLOEXEC) : -1;
    options.listen = host;
    if (l->terminal >= 0)
        options.may_enter = client_may_enter;
    options.payload = l;
    UBI_TRY(ubi_rdp_server_start(&l->server, &options));
    bool has_colons = strchr(host, ':');
    snprintf(l->line, sizeof l->line, "listening on %s%s%s:%u for Firefox's about:debugging", has_colons ? "[" : "",
             host, has_colons ? "]" : "", ubi_rdp_server_port(l->server));
    return UBI_OK;
}

ubi_status ubi__listening_show(ubi__listening *l, const ubi_http_options *options) {
    return ubi_http_server_start(&l->page, options);
}

bool ubi__listening_offer(ubi__listening *l, ubi_target target, const ubi_rdp_target_options *options) {
    const ubi__live_offer offer = { options->scope, options->title, options->wake, options->payload };
    pthread_mutex_lock(&l->lock);
    bool is_listening = l->server || l->page;
    if (l->server)
        (void)ubi_rdp_server_add_target(l->server, target, options);
    if (l->page)
        (void)ubi__http_server_offer(l->page, target, &offer);
    pthread_mutex_unlock(&l->lock);
    return is_listening;
}

void ubi__listening_note_end(ubi__listening *l, ubi_target target) {
    pthread_mutex_lock(&l->lock);
    if (l->page)
        ubi__http_server_note_end(l->page, target);
    pthread_mutex_unlock(&l->lock);
}

void ubi__listening_withdraw(ubi__listening *l, ubi_target target) {
    pthread_mutex_lock(&l->lock);
    if (l->server)
        (void)ubi_rdp_server_remove_target(l->server, target);
    if (l->page)
        (void)ubi_http_server_remove_target(l->page, target);
    pthread_mutex_unlock(&l->lock);
}

void ubi__listening_announce(const ubi__listening *l) {
    char line[256];
    if (l->server)
        ubi__print_line(NULL, l->line);
    if (l->page) {
        snprintf(line, sizeof line, "look into it in your browser: %.192s", ubi_http_server_url(l->page));
        ubi__print_line(NULL, line);
    }
}

void ubi__listening_stop(ubi__listening *l) {
    pthread_mutex_lock(&l->lock);
    ubi_rdp_server *server = l->server;
    ubi_http_server *page = l->page;
    l->server = NULL;
    l->page = NULL;
    pthread_mutex_unlock(&l->lock);
    atomic_store(&l->is_ending, true);
    ubi_rdp_server_stop(server);
    ubi_http_server_stop(page);
}
