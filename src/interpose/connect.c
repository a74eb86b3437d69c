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

/* Again when a signal came first. */
static long call(long number, long a, long b, long c, long d, long e, long f) {
    long result;
    do
        result = ubi__system(number, a, b, c, d, e, f);
    while (result == -EINTR);
    return result;
}

static bool introduce(int socket, const struct sockaddr_un *address, bool is_forked) {
    const ubi__wire_hello hello = {
        .magic = UBI__WIRE_MAGIC,
        .version = UBI__WIRE_VERSION,
        .is_forked = is_forked,
        .pid = (int32_t)ubi__system(SYS_getpid, 0, 0, 0, 0, 0, 0),
    };
    return call(SYS_connect, socket, (long)address, sizeof *address, 0, 0, 0) == 0 &&
           call(SYS_sendto, socket, (long)&hello, sizeof hello, MSG_NOSIGNAL, 0, 0) == (long)sizeof hello;
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
    long n = call(SYS_recvmsg, socket, (long)&message, MSG_CMSG_CLOEXEC | MSG_WAITALL, 0, 0, 0);
    const struct cmsghdr *found = n < 0 ? NULL : CMSG_FIRSTHDR(&message);
    int fd = -1;
    if (found && found->cmsg_level == SOL_SOCKET && found->cmsg_type == SCM_RIGHTS)
        memcpy(&fd, CMSG_DATA(found), sizeof fd);
    return n == (long)sizeof *welcome ? fd : -1;
}

bool ubi__connect(const char *path, bool is_forked, ubi__wire_header **area) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    size_t n = strlen(path);
    ubi__wire_header *mapped = NULL;
    if (n == 0 || n >= sizeof address.sun_path)
        return false;
    memcpy(address.sun_path, path, n);
    long socket = ubi__system(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, 0, 0, 0);
    if (socket < 0)
        return false;
    if (introduce((int)socket, &address, is_forked)) {
        ubi__wire_welcome welcome = { 0 };
        int fd = receive_area((int)socket, &welcome);
        if (fd >= 0) {
            mapped = ubi__area_map(fd, &welcome);
            (void)ubi__system(SYS_close, fd, 0, 0, 0, 0, 0);
        }
    }
    (void)ubi__system(SYS_close, socket, 0, 0, 0, 0, 0);
    *area = mapped;
    return mapped != NULL;
}
