/* SPDX-License-Identifier: MIT
 *
 * preload_driver.c: runs a program with libubiheap-preload.so and writes down what the collector says, one line each.
 *
 *     preload_driver [option...] OUTPUT PROGRAM ARGUMENT...
 *
 *     period=BYTES  1: exact (the default)    flags=BITS  of preload_wire.h    depth=FRAMES    seed=NUMBER
 *     quiet=1       only counters             library=PATH
 *     leave=MS      after so long, goes away without a word, as if killed; the program goes on
 *     pause=MS      does not read for so long after the first connection
 *     hold=1        does not read before the first program waits, drops an event, or is dead
 *
 * OUTPUT gets, of the first process that connects (OUTPUT.1, OUTPUT.2, ... of others):
 *
 *     P forked                          how it came: 1 by fork
 *     M module bias low high path
 *     T trace caller kind module address
 *     S trace caller line column function file     (a frame of a script)
 *     A number kind size address met trace tid time
 *     F number kind tid time mismatched wrong-size
 *     C name value                      counters, at the end
 *
 * Exits as the program does.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/status.h"
#include "recording/preload_collector.h"

#define MAX_PROCESSES 256

typedef struct session {
    ubi__preload_area area;
    ubi__preload_collector *collector;
    FILE *out;
    int pidfd;
    uint32_t n_modules, n_traces, n_threads;
    uint64_t tids[1 << 17];
} session;

static ubi__preload_settings settings = { .period_bytes = 1 };
static bool is_quiet, holds;
static long leave_ms, pause_ms;
static const char *library, *output;
static session *sessions[MAX_PROCESSES];
static int n_sessions;

static void fail(const char *what) {
    fprintf(stderr, "preload_driver: %s: %s (%s)\n", what, ubi_error_message(), strerror(errno));
    exit(125);
}

static uint64_t now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* ---- what the collector says ------------------------------------------------------------------------------------- */

static ubi_status say_module(void *payload, uint32_t *out, const ubi__preload_module *m) {
    session *s = payload;
    *out = s->n_modules++;
    if (!is_quiet)
        fprintf(s->out, "M %u %" PRIx64 " %" PRIx64 " %" PRIx64 " %.*s\n", *out, m->bias, m->low, m->high,
                (int)m->path.len, m->path.ptr);
    return UBI_OK;
}

static ubi_status say_trace(void *payload, uint32_t *out, ubi__trace_kind kind, uint32_t caller, uint32_t module,
                            uint64_t address) {
    session *s = payload;
    *out = ++s->n_traces;
    if (!is_quiet)
        fprintf(s->out, "T %u %u %d %d %" PRIx64 "\n", *out, caller, (int)kind, (int)module, address);
    return UBI_OK;
}

static ubi_status say_script(void *payload, uint32_t *out, uint32_t caller, const ubi__preload_script *frame) {
    session *s = payload;
    *out = ++s->n_traces;
    if (!is_quiet)
        fprintf(s->out, "S %u %u %u %u %.*s %.*s\n", *out, caller, frame->line, frame->column, (int)frame->function.len,
                frame->function.ptr, (int)frame->file.len, frame->file.ptr);
    return UBI_OK;
}

static ubi_status say_thread(void *payload, uint32_t *out, uint64_t tid) {
    session *s = payload;
    if (s->n_threads == sizeof s->tids / sizeof *s->tids)
        return ubi__fail(UBI_ELIMIT, "too many threads");
    s->tids[s->n_threads] = tid;
    *out = s->n_threads++;
    return UBI_OK;
}

static ubi_status say_alloc(void *payload, const ubi__preload_alloc *e) {
    session *s = payload;
    if (!is_quiet)
        fprintf(s->out, "A %" PRIu64 " %d %" PRIu64 " %" PRIx64 " %" PRIu64 " %u %" PRIu64 " %" PRIu64 "\n", e->number,
                (int)e->kind, e->size_bytes, e->address, e->met, e->trace, s->tids[e->thread], e->clock_us);
    return UBI_OK;
}

static ubi_status say_free(void *payload, const ubi__preload_free *e) {
    session *s = payload;
    if (!is_quiet)
        fprintf(s->out, "F %" PRIu64 " %d %" PRIu64 " %" PRIu64 " %d %d\n", e->number, (int)e->kind, s->tids[e->thread],
                e->clock_us, e->is_mismatched, e->is_size_wrong);
    return UBI_OK;
}

static ubi_status say_cut(void *payload, const ubi__preload_cut *e) {
    const session *s = payload;
    if (!is_quiet)
        fprintf(s->out, "U %" PRIu64 " %" PRIu64 "\n", e->number, e->size_bytes);
    return UBI_OK;
}

static void say_counters(session *s) {
    ubi__preload_counters c;
    ubi__preload_collector_counters(s->collector, &c);
#define SAY(name) fprintf(s->out, "C " #name " %" PRIu64 "\n", (uint64_t)c.name)
    SAY(allocations);
    SAY(frees);
    SAY(live);
    SAY(unknown_frees);
    SAY(reused_addresses);
    SAY(mismatched_frees);
    SAY(wrong_sizes);
    SAY(lost_events);
    SAY(lost_bytes);
    SAY(dropped);
    SAY(dropped_reentrant);
    SAY(failed_walks);
    SAY(deep_binds);
    SAY(waits);
    SAY(is_trampled);
    SAY(state);
    SAY(scripts);
#undef SAY
    fprintf(s->out, "C traces %u\n", s->n_traces);
    fprintf(s->out, "C contexts %u\n", atomic_load(&s->area.header->n_contexts));
}

/* ---- processes --------------------------------------------------------------------------------------------------- */

static void open_output(session *s) {
    char path[4096];
    if (n_sessions)
        snprintf(path, sizeof path, "%s.%d", output, n_sessions);
    else
        snprintf(path, sizeof path, "%s", output);
    s->out = fopen(path, "we");
    if (!s->out)
        fail(path);
}

static void welcome(int listener) {
    int socket = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (socket < 0)
        return;
    struct ucred peer;
    socklen_t size = sizeof peer;
    ubi__wire_hello hello;
    session *s = calloc(1, sizeof *s);
    if (!s || n_sessions == MAX_PROCESSES || getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        fail("cannot take a process");
    s->pidfd = (int)syscall(SYS_pidfd_open, peer.pid, 0);
    const ubi__preload_sink sink = { .payload = s,
                                     .module = say_module,
                                     .trace = say_trace,
                                     .script = say_script,
                                     .thread = say_thread,
                                     .alloc = say_alloc,
                                     .free = say_free,
                                     .cut = say_cut };
    if (s->pidfd < 0 || ubi__preload_receive_hello(socket, &hello) != UBI_OK ||
        ubi__preload_area_new(&s->area, &settings) != UBI_OK ||
        ubi__preload_collector_new(&s->collector, &s->area, &sink, NULL) != UBI_OK ||
        ubi__preload_send_welcome(socket, &s->area) != UBI_OK)
        fail("cannot welcome a process");
    close(socket);
    open_output(s);
    fprintf(s->out, "P %u\n", hello.is_forked);
    sessions[n_sessions++] = s;
}

static bool is_dead(const session *s) {
    struct pollfd p = { .fd = s->pidfd, .events = POLLIN };
    return poll(&p, 1, 0) == 1;
}

static void end(session *s) {
    if (ubi__preload_collector_finish(s->collector) != UBI_OK)
        fail("finish");
    say_counters(s);
    if (fclose(s->out) != 0)
        fail("output");
    ubi__preload_collector_free(s->collector);
    ubi__preload_area_free(&s->area);
    close(s->pidfd);
    s->collector = NULL;
}

static void hold(const session *s) {
    const ubi__wire_header *h = s->area.header;
    while (!is_dead(s) && atomic_load(&h->waits) == 0 && atomic_load(&h->dropped) == 0)
        usleep(1000);
}

/* @param busy  out: there may be more to read at once. @return some process lives */
static bool serve(uint64_t since, bool *busy) {
    bool any = false;
    for (int i = 0; i < n_sessions; i++) {
        session *s = sessions[i];
        if (!s->collector)
            continue;
        bool dead = is_dead(s);
        if (ubi__preload_collector_is_trampled(s->collector))
            ubi__preload_area_stop(&s->area);
        else
            ubi__preload_area_tick(&s->area, now_us() - since);
        bool has_more = false;
        if (ubi__preload_collector_poll(s->collector, &has_more) != UBI_OK)
            fail("poll");
        *busy |= has_more;
        if (dead)
            end(s);
        any |= !dead;
    }
    return any;
}

static int listen_at(const char *path) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    unlink(path);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 64) != 0)
        fail(path);
    return fd;
}

static pid_t start(char **argv, const char *socket_path) {
    pid_t pid = fork();
    if (pid < 0)
        fail("fork");
    if (pid)
        return pid;
    char preload[8192];
    const char *others = getenv("LD_PRELOAD_BEHIND"); /* such as another allocator */
    snprintf(preload, sizeof preload, "%s%s%s", library, others ? ":" : "", others ? others : "");
    unsetenv("LD_PRELOAD_BEHIND");
    setenv("LD_PRELOAD", preload, 1);
    setenv(UBI__WIRE_SOCKET_VARIABLE, socket_path, 1);
    execvp(argv[0], argv);
    _exit(127);
}

static void read_option(const char *text) {
    const char *value = strchr(text, '=') + 1;
    if (!strncmp(text, "period=", 7))
        settings.period_bytes = strtoull(value, NULL, 10);
    else if (!strncmp(text, "flags=", 6))
        settings.flags = (uint32_t)strtoul(value, NULL, 10);
    else if (!strncmp(text, "depth=", 6))
        settings.max_depth = (uint32_t)strtoul(value, NULL, 10);
    else if (!strncmp(text, "seed=", 5))
        settings.seed = strtoull(value, NULL, 10);
    else if (!strncmp(text, "quiet=", 6))
        is_quiet = true;
    else if (!strncmp(text, "leave=", 6))
        leave_ms = atol(value);
    else if (!strncmp(text, "hold=", 5))
        holds = true;
    else if (!strncmp(text, "pause=", 6))
        pause_ms = atol(value);
    else if (!strncmp(text, "library=", 8))
        library = value;
    else
        fail(text);
}

int main(int argc, char **argv) {
    int i = 1;
    for (; i < argc && strchr(argv[i], '=') && argv[i][0] != '/'; i++)
        read_option(argv[i]);
    if (argc - i < 2 || !library)
        fail("preload_driver [option...] OUTPUT PROGRAM ARGUMENT...");
    output = argv[i];
    char socket_path[100];
    snprintf(socket_path, sizeof socket_path, "%s.socket", output);
    int listener = listen_at(socket_path), status = 0;
    uint64_t since = now_us();
    pid_t pid = start(argv + i + 1, socket_path);
    bool is_over = false, is_paused = pause_ms > 0, busy = false;
    for (;;) {
        struct pollfd p = { .fd = listener, .events = POLLIN };
        poll(&p, 1, busy ? 0 : 1);
        welcome(listener);
        if (leave_ms && n_sessions && now_us() - since > (uint64_t)leave_ms * 1000)
            _exit(124);
        if (is_paused && n_sessions) {
            usleep((useconds_t)pause_ms * 1000);
            is_paused = false;
        }
        if (holds && n_sessions) {
            hold(sessions[0]);
            holds = false;
        }
        busy = false;
        bool any = serve(since, &busy);
        if (!is_over)
            is_over = waitpid(pid, &status, WNOHANG) == pid;
        if (is_over && !any)
            break;
    }
    unlink(socket_path);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
