/* SPDX-License-Identifier: MIT
 *
 * native_control_client.c: who asks: finds the recorders of this user, and the one that records a process. See native_control.h.
 *
 * Recorders say themselves what they record, so there is nothing that could be out of date: neither a file with the number of a process
 * that has another one's by now, nor a socket that a recorder has left behind, on which none answers.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/status.h"
#include "targets/native/native_control.h"

/* What a recorder that is there may take to answer: it writes files meanwhile. */
#define PATIENCE_S 60

/* ---- a connection ------------------------------------------------------------------------------------------------- */

/* Only a recorder of this user is asked. -1: there is none. */
static int recorder_connect(const char *path) {
    const struct timeval patience = { .tv_sec = PATIENCE_S };
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (strlen(path) >= sizeof address.sun_path)
        return -1;
    memcpy(address.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid())
        return fd;
    close(fd);
    return -1;
}

static int descriptor_of(struct msghdr *message) {
    int fd = -1;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c))
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof fd))
            memcpy(&fd, CMSG_DATA(c), sizeof fd);
    return fd;
}

static ubi_status reply_receive(int socket, ubi__control_reply *reply, int *fd) {
    struct iovec part = { .iov_base = reply, .iov_len = sizeof *reply };
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } extra;
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &extra, .msg_controllen = sizeof extra
    };
    ssize_t n;
    do
        n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return ubi__fail_errno(errno == EAGAIN ? ETIMEDOUT : errno, "the recorder does not answer");
    *fd = descriptor_of(&message);
    if (n != (ssize_t)sizeof *reply || reply->magic != UBI__CONTROL_MAGIC || reply->version != UBI__CONTROL_VERSION)
        return n == 0 ? ubi__fail(UBI_EIO, "the recorder has ended")
                      : ubi__fail(UBI_EIO, "the recorder is of another version of ubiheap");
    reply->message[sizeof reply->message - 1] = '\0';
    reply->facts.name[sizeof reply->facts.name - 1] = '\0';
    reply->facts.path[sizeof reply->facts.path - 1] = '\0';
    return UBI_OK;
}

/* @param fd  out: -1 on failure */
static ubi_status request_ask(int socket, ubi__control_facts *out, int *fd, const ubi__control_request *request) {
    ubi__control_reply *reply = UBI_NEW(ubi_allocator_default(), ubi__control_reply);
    if (!reply)
        return ubi__fail_nomem();
    ubi_status status = send(socket, request, sizeof *request, MSG_NOSIGNAL) == (ssize_t)sizeof *request
                            ? reply_receive(socket, reply, fd)
                            : ubi__fail_errno(errno, "cannot ask the recorder");
    if (status == UBI_OK && reply->status != UBI_OK)
        status = ubi__fail((ubi_status)reply->status, "%s", reply->message);
    if (status == UBI_OK)
        *out = reply->facts;
    else if (*fd >= 0)
        close(*fd);
    if (status != UBI_OK)
        *fd = -1;
    UBI_DELETE(ubi_allocator_default(), reply);
    return status;
}

/* ---- all recorders ------------------------------------------------------------------------------------------------ */

/* Called for each recorder; false: enough. */
typedef bool (*recorder_fn)(void *payload, int socket);

/* A folder of ours that no one else could have filled. */
static bool is_private(int parent, const char *name) {
    struct stat about;
    return fstatat(parent, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(about.st_mode) &&
           about.st_uid == geteuid() && (about.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* @return false: enough */
static bool folder_visit(const char *path, recorder_fn fn, void *payload) {
    char name[512];
    bool wants_more = true;
    DIR *parent = opendir(path);
    if (!parent)
        return true;
    for (struct dirent *e; wants_more && (e = readdir(parent));) {
        if (!ubi__native_door_is_folder(e->d_name) || !is_private(dirfd(parent), e->d_name) ||
            (size_t)snprintf(name, sizeof name, "%s/%s/" UBI__CONTROL_SOCKET, path, e->d_name) >= sizeof name)
            continue;
        int socket = recorder_connect(name);
        if (socket < 0)
            continue;
        wants_more = fn(payload, socket);
        close(socket);
    }
    closedir(parent);
    return wants_more;
}

/* Recorders may have been started with another environment than ours. */
static void recorders_visit(recorder_fn fn, void *payload) {
    char usual[64];
    snprintf(usual, sizeof usual, "/run/user/%lu", (unsigned long)geteuid());
    const char *const folders[] = { getenv("XDG_RUNTIME_DIR"), usual, getenv("TMPDIR"), "/tmp" };
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        bool is_new = folders[i] && folders[i][0] == '/';
        for (size_t k = 0; k < i && is_new; k++)
            is_new = !folders[k] || strcmp(folders[k], folders[i]) != 0;
        if (is_new && !folder_visit(folders[i], fn, payload))
            return;
    }
}

/* ---- one process -------------------------------------------------------------------------------------------------- */

typedef struct question {
    ubi__control_request request;
    ubi__control_facts *out;
    int fd;
    ubi_status status;
} question;

static bool question_ask(void *payload, int socket) {
    question *q = payload;
    q->status = request_ask(socket, q->out, &q->fd, &q->request);
    return q->status == UBI_ENOTFOUND;
}

ubi_status ubi__control_ask(ubi__control_facts *out, int *fd, ubi__control_verb verb, pid_t pid) {
    question q = { .request = { UBI__CONTROL_MAGIC, UBI__CONTROL_VERSION, verb, (int32_t)pid, 0 },
                   .out = out,
                   .fd = -1,
                   .status = UBI_ENOTFOUND };
    recorders_visit(question_ask, &q);
    if (fd)
        *fd = q.fd;
    else if (q.fd >= 0)
        close(q.fd);
    if (q.status == UBI_ENOTFOUND)
        return ubi__fail(UBI_ENOTFOUND,
                         "process %ld is not recorded by 'ubiheap record' of this user; 'ubiheap control' lists those "
                         "that are",
                         (long)pid);
    return q.status;
}

/* ---- all processes ------------------------------------------------------------------------------------------------ */

typedef struct roll {
    ubi__control_facts_fn fn;
    void *payload;
    ubi__control_facts facts;
    ubi_status status;
} roll;

static bool roll_ask(void *payload, int socket) {
    roll *r = payload;
    for (uint32_t i = 0; r->status == UBI_OK; i++) {
        int fd = -1;
        const ubi__control_request request = { UBI__CONTROL_MAGIC, UBI__CONTROL_VERSION, UBI__CONTROL_STATE, 0, i };
        if (request_ask(socket, &r->facts, &fd, &request) != UBI_OK)
            break; /* there are no more, or the recorder has ended */
        if (fd >= 0)
            close(fd);
        r->status = r->fn(r->payload, &r->facts);
    }
    return r->status == UBI_OK;
}

ubi_status ubi__control_each(ubi__control_facts_fn fn, void *payload) {
    roll *r = UBI_NEW(ubi_allocator_default(), roll);
    if (!r)
        return ubi__fail_nomem();
    r->fn = fn;
    r->payload = payload;
    recorders_visit(roll_ask, r);
    ubi_status status = r->status;
    UBI_DELETE(ubi_allocator_default(), r);
    return status;
}
