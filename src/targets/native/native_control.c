/* SPDX-License-Identifier: MIT
 *
 * native_control.c: the recorder's end. See native_control.h.
 */
#include "targets/native/native_control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/status.h"

/* Who has nothing to say for so long goes, to make room for others. */
/* How long a look waits for a program that was stopped in the middle of an event. */
#define LOOK_NS ((uint64_t)2000000000)
#define PATIENCE_NS UINT64_C(10000000000)
#define BACKLOG 64

/* ---- life --------------------------------------------------------------------------------------------------------- */

ubi_status ubi__native_control_open(ubi__native_control *control, const ubi__native_door *door) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    *control = (ubi__native_control){ .fd = -1 };
    for (size_t i = 0; i < UBI__CONTROL_CLIENTS; i++)
        control->clients[i].fd = -1;
    int n = snprintf(control->path, sizeof control->path, "%s/" UBI__CONTROL_SOCKET, door->folder);
    if (n < 0 || (size_t)n >= sizeof address.sun_path)
        return ubi__fail(UBI_EIO, "the path of a socket in %s is too long", door->folder);
    memcpy(address.sun_path, control->path, (size_t)n + 1);
    control->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    /* The rights are set before anyone can connect. */
    if (control->fd < 0 || bind(control->fd, (struct sockaddr *)&address, sizeof address) < 0 ||
        chmod(control->path, 0600) < 0 || listen(control->fd, BACKLOG) < 0) {
        int error = errno;
        ubi__native_control_close(control);
        return ubi__fail_errno(error, "cannot make a socket in %s", door->folder);
    }
    return UBI_OK;
}

static void client_leave(ubi__control_client *c) {
    if (c->fd >= 0)
        close(c->fd);
    *c = (ubi__control_client){ .fd = -1 };
}

void ubi__native_control_close(ubi__native_control *control) {
    if (control->fd < 0)
        return;
    for (size_t i = 0; i < UBI__CONTROL_CLIENTS; i++)
        client_leave(&control->clients[i]);
    close(control->fd);
    control->fd = -1;
    unlink(control->path);
}

bool ubi__native_control_is_busy(const ubi__native_control *control) {
    for (size_t i = 0; i < UBI__CONTROL_CLIENTS; i++)
        if (control->clients[i].fd >= 0)
            return true;
    return false;
}

/* ---- facts -------------------------------------------------------------------------------------------------------- */

static void facts_gather(ubi__control_facts *out, const ubi__native_session *s, uint64_t now_ns) {
    const ubi__native_window *w = &s->window;
    ubi__preload_counters c;
    ubi__preload_collector_counters(s->collector, &c);
    *out = (ubi__control_facts){ .pid = (int32_t)s->pid,
                                 .is_running = w->is_open && !w->is_closing,
                                 .has_results = w->has_results,
                                 .is_exact = s->area.settings.period_bytes == 1,
                                 .now_ns = now_ns > s->began_ns ? now_ns - s->began_ns : 0,
                                 .paused_ms = ubi__native_window_paused_ms(s),
                                 .allocations = c.allocations,
                                 .frees = c.frees,
                                 .live = c.live,
                                 .allocated_bytes = s->allocated_bytes,
                                 .first_allocation = w->first_allocation,
                                 .first_ns = w->first_ns,
                                 .end_bytes = w->end_bytes,
                                 .end_ns = w->end_ns,
                                 .file_bytes = s->kept_bytes };
    snprintf(out->name, sizeof out->name, "%s", s->name);
    snprintf(out->path, sizeof out->path, "%s", s->path);
}

static ubi__native_session *session_at(ubi__native_session *sessions, const ubi__control_request *request) {
    uint32_t i = 0;
    for (ubi__native_session *s = sessions; s; s = s->next)
        if (!s->has_ended && !s->is_dead && (request->pid ? s->pid == request->pid : i++ == request->index))
            return s;
    return NULL;
}

/* ---- replies ------------------------------------------------------------------------------------------------------ */

/* Nothing waits: a socket that has no room for the reply is closed. @param fd  goes with it; -1: none */
static void reply_send(ubi__control_client *c, const ubi__control_reply *reply, int fd) {
    struct iovec part = { .iov_base = (void *)(uintptr_t)reply, .iov_len = sizeof *reply };
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } extra = { .header = { .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS } };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
    if (fd >= 0) {
        memcpy(CMSG_DATA(&extra.header), &fd, sizeof fd);
        message.msg_control = &extra;
        message.msg_controllen = sizeof extra;
    }
    if (sendmsg(c->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)sizeof *reply)
        client_leave(c);
}

static void failure_send(ubi__control_client *c, ubi_status status) {
    ubi__control_reply reply = { .magic = UBI__CONTROL_MAGIC, .version = UBI__CONTROL_VERSION, .status = status };
    snprintf(reply.message, sizeof reply.message, "%s", ubi_error_message());
    reply_send(c, &reply, -1);
}

/* A descriptor of its own, to read from: who gets it moves no other's place, and cannot write. */
static int recording_open(const ubi__native_session *s) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", s->fd);
    return open(path, O_RDONLY | O_CLOEXEC);
}

static void facts_send(ubi__control_client *c, const ubi__native_session *s, uint64_t now_ns, bool with_file) {
    ubi__control_reply reply = { .magic = UBI__CONTROL_MAGIC, .version = UBI__CONTROL_VERSION };
    int fd = with_file ? recording_open(s) : -1;
    facts_gather(&reply.facts, s, now_ns);
    reply_send(c, &reply, fd);
    if (fd >= 0)
        close(fd);
}

/* ---- requests ----------------------------------------------------------------------------------------------------- */

ubi_status ubi__control_request_parse(ubi__control_request *out, const void *message, size_t n) {
    ubi__control_request request;
    if (n != sizeof request)
        return ubi__fail(UBI_EFORMAT, "a request has %zu bytes, not %zu", sizeof request, n);
    memcpy(&request, message, sizeof request);
    if (request.magic != UBI__CONTROL_MAGIC)
        return ubi__fail(UBI_EFORMAT, "who connects is not ubiheap");
    if (request.version != UBI__CONTROL_VERSION)
        return ubi__fail(UBI_EFORMAT, "the recorder is of another version of ubiheap: it understands %u, not %u",
                         UBI__CONTROL_VERSION, request.version);
    if (request.verb >= UBI__CONTROL_VERBS || request.pid < 0)
        return ubi__fail(UBI_EFORMAT, "no such request");
    *out = request;
    return UBI_OK;
}

static ubi_status session_do(ubi__native_session *s, ubi__control_verb verb) {
    static const ubi__wire_action actions[] = { [UBI__CONTROL_START] = UBI__ACTION_START,
                                                [UBI__CONTROL_STOP] = UBI__ACTION_STOP,
                                                [UBI__CONTROL_RESET] = UBI__ACTION_RESET };
    if (s->status != UBI_OK)
        return ubi__fail(s->status, "the recording of process %ld has failed: %.160s", (long)s->pid, s->message);
    if (s->is_stopping)
        return ubi__fail(UBI_ESTATE, "the recording of process %ld is over", (long)s->pid);
    if (verb == UBI__CONTROL_STATE || verb == UBI__CONTROL_LOOK)
        return UBI_OK;
    ubi_status status = ubi__native_window_ask(s, actions[verb]);
    ubi__native_session_note(s, status);
    return status;
}

/* What the program has done up to now is to be in the file. */
static void look_begin(ubi__control_client *c, const ubi__native_session *s, uint64_t now_ns) {
    c->waits_for = s->pid;
    c->is_looking = true;
    c->stamp = atomic_load(&s->area.header->stamp);
    c->since_ns = now_ns;
}

static bool look_is_ready(const ubi__control_client *c, const ubi__native_session *s, uint64_t now_ns) {
    bool is_complete = ubi__preload_collector_has_reported(s->collector, c->stamp) && !s->window.is_closing;
    return is_complete || now_ns - c->since_ns > LOOK_NS;
}

static void look_answer(ubi__control_client *c, ubi__native_session *s, uint64_t now_ns) {
    ubi_status status = ubi__native_session_flush(s);
    ubi__native_session_note(s, status);
    if (status == UBI_OK)
        facts_send(c, s, now_ns, true);
    else
        failure_send(c, status);
}

static void request_answer(ubi__control_client *c, const ubi__control_request *request, ubi__native_session *sessions,
                           uint64_t now_ns) {
    ubi__native_session *s = session_at(sessions, request);
    if (!s) {
        failure_send(c, ubi__fail(UBI_ENOTFOUND, "process %ld is not recorded", (long)request->pid));
        return;
    }
    ubi_status status = session_do(s, (ubi__control_verb)request->verb);
    if (status != UBI_OK)
        failure_send(c, status);
    else if (request->verb == UBI__CONTROL_STOP && s->window.is_closing)
        c->waits_for = s->pid;
    else if (request->verb == UBI__CONTROL_LOOK)
        look_begin(c, s, now_ns);
    else
        facts_send(c, s, now_ns, false);
}

static bool is_waited_for(const ubi__control_client *c, const ubi__native_session *s, uint64_t now_ns) {
    return s && s->status == UBI_OK && (c->is_looking ? !look_is_ready(c, s, now_ns) : s->window.is_closing);
}

/* A process that was to be stopped is, or all that it did can be looked at, or it has ended. */
static void waiting_answer(ubi__control_client *c, ubi__native_session *sessions, uint64_t now_ns) {
    const ubi__control_request request = { .pid = (int32_t)c->waits_for };
    ubi__native_session *s = session_at(sessions, &request);
    bool is_looking = c->is_looking;
    if (is_waited_for(c, s, now_ns))
        return;
    c->waits_for = 0;
    c->is_looking = false;
    c->since_ns = now_ns;
    if (s && s->status == UBI_OK && is_looking)
        look_answer(c, s, now_ns);
    else if (s && s->status == UBI_OK)
        facts_send(c, s, now_ns, false);
    else
        failure_send(c, ubi__fail(UBI_ENOTFOUND, "process %ld ended meanwhile", (long)request.pid));
}

/* ---- clients ------------------------------------------------------------------------------------------------------ */

static bool is_allowed(int fd) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && (peer.uid == geteuid() || peer.uid == 0);
}

static void clients_let_in(ubi__native_control *control, uint64_t now_ns) {
    for (size_t i = 0; i < UBI__CONTROL_CLIENTS; i++) {
        ubi__control_client *c = &control->clients[i];
        if (c->fd >= 0)
            continue;
        int fd = accept4(control->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0)
            return;
        *c = (ubi__control_client){ .fd = fd, .since_ns = now_ns };
        if (!is_allowed(fd))
            client_leave(c);
    }
}

static void client_hear(ubi__control_client *c, ubi__native_session *sessions, uint64_t now_ns) {
    char message[sizeof(ubi__control_request) + 1]; /* what is longer is cut, and too long by one */
    ubi__control_request request;
    ssize_t n = recv(c->fd, message, sizeof message, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        if (now_ns - c->since_ns > PATIENCE_NS)
            client_leave(c);
        return;
    }
    if (n <= 0) {
        client_leave(c);
        return;
    }
    c->since_ns = now_ns;
    ubi_status status = ubi__control_request_parse(&request, message, (size_t)n);
    if (status == UBI_OK)
        request_answer(c, &request, sessions, now_ns);
    else
        failure_send(c, status);
}

void ubi__native_control_answer(ubi__native_control *control, ubi__native_session *sessions, uint64_t now_ns) {
    if (control->fd < 0)
        return;
    clients_let_in(control, now_ns);
    for (size_t i = 0; i < UBI__CONTROL_CLIENTS; i++) {
        ubi__control_client *c = &control->clients[i];
        if (c->fd >= 0 && c->waits_for)
            waiting_answer(c, sessions, now_ns);
        else if (c->fd >= 0)
            client_hear(c, sessions, now_ns);
    }
}
