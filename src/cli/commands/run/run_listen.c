/* SPDX-License-Identifier: MIT
 *
 * run_listen.c: see run_listen.h.
 */
#include "cli/commands/run/run_listen.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/quantity.h"
#include "base/status.h"
#include "base/text.h"
#include "cli/commands/run/run_settings.h"
#include "cli/terminal.h"

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
static bool line_read(ubi__run_listen *listen, char *line, size_t size) {
    struct pollfd input = { .fd = listen->terminal, .events = POLLIN };
    while (!atomic_load(&listen->is_ending)) {
        if (poll(&input, 1, LOOK_EVERY_MS) <= 0)
            continue;
        ssize_t n = read(listen->terminal, line, size - 1);
        line[n > 0 ? n : 0] = '\0';
        return n > 0;
    }
    return false;
}

static bool client_may_enter(void *payload, const char *peer) {
    ubi__run_listen *listen = payload;
    char line[64];
    dprintf(listen->terminal, "ubiheap: %s wants to look into this program and its memory. Let it? [y/N] ", peer);
    return line_read(listen, line, sizeof line) && (line[0] == 'y' || line[0] == 'Y');
}

/* ---- a server ----------------------------------------------------------------------------------------------------------- */

ubi_status ubi__run_listen_start(ubi__run_listen *listen, const char *where, const ubi__script_runner *runner,
                                 bool may_ask) {
    ubi_rdp_options options = UBI_RDP_OPTIONS_INIT;
    char host[HOST_BYTES];
    UBI_TRY(where_read(host, &options.port, where));
    listen->runner = runner;
    listen->terminal = may_ask ? open("/dev/tty", O_RDWR | O_CLOEXEC) : -1;
    options.listen = host;
    if (listen->terminal >= 0)
        options.may_enter = client_may_enter;
    options.payload = listen;
    UBI_TRY(ubi_rdp_server_start(&listen->server, &options));
    bool has_colons = strchr(host, ':');
    snprintf(listen->line, sizeof listen->line, "listening on %s%s%s:%u for Firefox's about:debugging",
             has_colons ? "[" : "", host, has_colons ? "]" : "", ubi_rdp_server_port(listen->server));
    return UBI_OK;
}

static void runtime_wake(void *payload) {
    ((ubi__run_listen *)payload)->runner->wake_all();
}

void ubi__run_listen_join(ubi__run_listen *listen, const ubi__script_runtime *runtime, const char *script) {
    ubi_rdp_target_options options = UBI_RDP_TARGET_OPTIONS_INIT;
    char title[256], url[1024];
    ubi_text name = ubi__text_base_name(ubi__text(script));
    if (runtime->number)
        snprintf(title, sizeof title, "%.*s, worker %u", (int)name.len, name.ptr, runtime->number);
    else
        snprintf(title, sizeof title, "%.*s", (int)name.len, name.ptr);
    snprintf(url, sizeof url, "qjs://%s%s", script, runtime->number ? "#worker" : "");
    options.title = title;
    options.url = url;
    options.wake = runtime_wake;
    options.payload = listen;
    pthread_mutex_lock(&listen->lock);
    bool is_listening = listen->server != NULL;
    if (is_listening)
        (void)ubi_rdp_server_add_target(listen->server, runtime->target, &options);
    pthread_mutex_unlock(&listen->lock);
    if (is_listening && runtime->number == 0)
        ubi__print_line(NULL, listen->line);
}

void ubi__run_listen_leave(ubi__run_listen *listen, const ubi__script_runtime *runtime) {
    pthread_mutex_lock(&listen->lock);
    if (listen->server)
        (void)ubi_rdp_server_remove_target(listen->server, runtime->target);
    pthread_mutex_unlock(&listen->lock);
}

void ubi__run_listen_stop(ubi__run_listen *listen) {
    pthread_mutex_lock(&listen->lock);
    ubi_rdp_server *server = listen->server;
    listen->server = NULL;
    pthread_mutex_unlock(&listen->lock);
    atomic_store(&listen->is_ending, true);
    ubi_rdp_server_stop(server);
}
