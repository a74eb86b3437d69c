/* SPDX-License-Identifier: MIT
 *
 * connect.c: the way to the ubiheap process: a socket, for as long as it takes to be handed a piece of memory.
 *
 * System calls without the C library's wrappers: also good in a child of a process with threads, right after fork.
 */
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "interpose/mapped_area.h"
#include "interpose/preload.h"
#include "interpose/system_calls.h"

#define PATIENCE_S 30

/* Again when a signal came first. */
static long call_again(long number, long a, long b, long c, long d, long e, long f) {
    long result;
    do
        result = ubi__system(number, a, b, c, d, e, f);
    while (result == -EINTR);
    return result;
}

static bool say_hello(int socket, const struct sockaddr_un *address, bool is_forked) {
    const ubi__wire_hello hello = {
        .magic = UBI__WIRE_MAGIC,
        .version = UBI__WIRE_VERSION,
        .is_forked = is_forked,
        .pid = (int32_t)ubi__system(SYS_getpid, 0, 0, 0, 0, 0, 0),
    };
    return call_again(SYS_connect, socket, (long)address, sizeof *address, 0, 0, 0) == 0 &&
           call_again(SYS_sendto, socket, (long)&hello, sizeof hello, MSG_NOSIGNAL, 0, 0) == (long)sizeof hello;
}

/* The descriptor of the shared memory; -1: none. */
static int receive_area(int socket, ubi__wire_welcome *welcome) {
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control = { 0 };
    struct iovec part = { .iov_base = welcome, .iov_len = sizeof *welcome };
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control
    };
    long n = call_again(SYS_recvmsg, socket, (long)&message, MSG_CMSG_CLOEXEC | MSG_WAITALL, 0, 0, 0);
    const struct cmsghdr *found = n < 0 ? NULL : CMSG_FIRSTHDR(&message);
    int fd = -1;
    if (found && found->cmsg_level == SOL_SOCKET && found->cmsg_type == SCM_RIGHTS)
        memcpy(&fd, CMSG_DATA(found), sizeof fd);
    return n == (long)sizeof *welcome ? fd : -1;
}

/* The listener may be busy or stopped, but not for this long. */
static void limit_waits(int socket) {
    static const struct timeval patience = { .tv_sec = PATIENCE_S };
    (void)call_again(SYS_setsockopt, socket, SOL_SOCKET, SO_SNDTIMEO, (long)&patience, sizeof patience, 0);
    (void)call_again(SYS_setsockopt, socket, SOL_SOCKET, SO_RCVTIMEO, (long)&patience, sizeof patience, 0);
}

static int32_t who_listens(int socket) {
    struct ucred peer = { 0 };
    socklen_t size = sizeof peer;
    return call_again(SYS_getsockopt, socket, SOL_SOCKET, SO_PEERCRED, (long)&peer, (long)&size, 0) == 0 ? peer.pid : 0;
}

/* Into the socket's buffer, where it is found when the process is over. */
static bool tell_why(int socket, ubi__unrecorded why) {
    const uint8_t byte = (uint8_t)why;
    return call_again(SYS_sendto, socket, (long)&byte, sizeof byte, MSG_NOSIGNAL, 0, 0) == (long)sizeof byte;
}

static void ask_for_area(int socket, ubi__connection *out) {
    ubi__wire_welcome welcome = { 0 };
    out->reader_pid = who_listens(socket);
    int fd = receive_area(socket, &welcome);
    if (welcome.magic != UBI__WIRE_MAGIC) {
        out->why = UBI__UNRECORDED_REFUSED;
        return;
    }
    if (fd >= 0) {
        out->area = ubi__area_map(fd, &welcome);
        (void)ubi__system(SYS_close, fd, 0, 0, 0, 0, 0);
    }
    if (out->area)
        return;
    out->why = fd < 0 ? UBI__UNRECORDED_DESCRIPTORS : UBI__UNRECORDED_MEMORY;
    out->is_told = tell_why(socket, out->why);
}

ubi__connection ubi__connect(const char *path, bool is_forked) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    ubi__connection out = { .why = UBI__UNRECORDED_UNREACHED };
    size_t n = strlen(path);
    if (n == 0 || n >= sizeof address.sun_path)
        return out;
    memcpy(address.sun_path, path, n);
    long socket = ubi__system(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, 0, 0, 0);
    if (socket < 0) {
        out.why = socket == -EMFILE || socket == -ENFILE ? UBI__UNRECORDED_DESCRIPTORS : UBI__UNRECORDED_UNREACHED;
        return out;
    }
    limit_waits((int)socket);
    if (say_hello((int)socket, &address, is_forked))
        ask_for_area((int)socket, &out);
    (void)ubi__system(SYS_close, socket, 0, 0, 0, 0, 0);
    return out;
}
