/* SPDX-License-Identifier: MIT
 *
 * native_door.c: see native_door.h.
 */
#include "targets/native/native_door.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/status.h"
#include "recording/preload_wire.h"

#define BACKLOG 128
/* What an answer may take: a process that says nothing must not hold up the others. */
#define PATIENCE_S 1

static bool make_folder(ubi__native_door *door, const char *parent) {
    if (!parent || parent[0] != '/' ||
        (size_t)snprintf(door->folder, sizeof door->folder, "%s/ubiheap-XXXXXX", parent) >= sizeof door->folder)
        return false;
    return mkdtemp(door->folder) != NULL;
}

static ubi_status listen_there(ubi__native_door *door) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    snprintf(door->socket_path, sizeof door->socket_path, "%s/socket", door->folder);
    memcpy(address.sun_path, door->socket_path, sizeof address.sun_path);
    door->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (door->fd < 0 || bind(door->fd, (struct sockaddr *)&address, sizeof address) < 0 ||
        listen(door->fd, BACKLOG) < 0)
        return ubi__fail_errno(errno, "cannot make a socket in %s", door->folder);
    return UBI_OK;
}

static ubi_status place_library(ubi__native_door *door, const char *library) {
    if (!strpbrk(library, " :\t\n")) {
        if ((size_t)snprintf(door->library, sizeof door->library, "%s", library) < sizeof door->library)
            return UBI_OK;
        return ubi__fail(UBI_EIO, "the path of " UBI__WIRE_LIBRARY " is too long");
    }
    snprintf(door->library, sizeof door->library, "%s/" UBI__WIRE_LIBRARY, door->folder);
    if (symlink(library, door->library) < 0)
        return ubi__fail_errno(errno, "cannot make a link in %s", door->folder);
    door->has_link = true;
    return UBI_OK;
}

ubi_status ubi__native_door_open(ubi__native_door *door, const char *library) {
    *door = (ubi__native_door){ .fd = -1 };
    if (!make_folder(door, getenv("XDG_RUNTIME_DIR")) && !make_folder(door, getenv("TMPDIR")) &&
        !make_folder(door, "/tmp"))
        return ubi__fail_errno(errno, "cannot make a folder in /tmp");
    ubi_status status = listen_there(door);
    if (status == UBI_OK)
        status = place_library(door, library);
    if (status != UBI_OK)
        ubi__native_door_close(door);
    return status;
}

void ubi__native_door_close(ubi__native_door *door) {
    if (door->fd >= 0)
        close(door->fd);
    door->fd = -1;
    if (door->has_link)
        unlink(door->library);
    unlink(door->socket_path);
    rmdir(door->folder);
}

static bool is_one_of_ours(int socket, pid_t *pid) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || peer.uid != geteuid() || peer.pid <= 0)
        return false;
    *pid = peer.pid;
    return true;
}

int ubi__native_door_answer(ubi__native_door *door, pid_t *pid) {
    const struct timeval patience = { .tv_sec = PATIENCE_S };
    for (;;) {
        int socket = accept4(door->fd, NULL, NULL, SOCK_CLOEXEC);
        if (socket < 0 && (errno == EINTR || errno == ECONNABORTED))
            continue;
        if (socket < 0)
            return -1;
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        if (is_one_of_ours(socket, pid))
            return socket;
        close(socket);
    }
}
