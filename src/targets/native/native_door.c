/* SPDX-License-Identifier: MIT
 *
 * native_door.c: see native_door.h.
 */
#include "targets/native/native_door.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/status.h"
#include "recording/preload_wire.h"
#include "targets/native/native_proc.h"

#define BACKLOG 128
/* What an answer may take: a process that says nothing must not hold up the others. */
#define PATIENCE_S 1
#define PREFIX "ubiheap-"
#define UNIQUE "XXXXXX"
#define SOCKET "socket"
/* So old a folder has been locked by its maker, if that lives. */
#define SURELY_LOCKED_S 10
#define MANY_GENERATIONS 1000

/* ---- the folder --------------------------------------------------------------------------------------------------- */

/* Whether it is a folder of a ubiheap of this user that is gone. A new one may not be locked yet. */
static bool is_leftover(int fd) {
    struct stat about;
    return fstat(fd, &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == geteuid() &&
           time(NULL) - about.st_mtime > SURELY_LOCKED_S && flock(fd, LOCK_EX | LOCK_NB) == 0;
}

/* What is not of our making stays, and the folder with it. */
static void remove_leftover(int parent, const char *name) {
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    if (is_leftover(fd)) {
        (void)unlinkat(fd, SOCKET, 0);
        (void)unlinkat(fd, UBI__WIRE_LIBRARY, 0);
        (void)unlinkat(parent, name, AT_REMOVEDIR);
    }
    close(fd);
}

static void remove_leftovers(const char *path) {
    DIR *parent = opendir(path);
    if (!parent)
        return;
    for (struct dirent *e; (e = readdir(parent));)
        if (strncmp(e->d_name, PREFIX, strlen(PREFIX)) == 0 && strlen(e->d_name) == strlen(PREFIX UNIQUE))
            remove_leftover(dirfd(parent), e->d_name);
    closedir(parent);
}

static bool make_folder(ubi__native_door *door, const char *parent) {
    if (!parent || parent[0] != '/' ||
        (size_t)snprintf(door->folder, sizeof door->folder, "%s/" PREFIX UNIQUE, parent) >= sizeof door->folder)
        return false;
    if (!mkdtemp(door->folder))
        return false;
    door->lock = open(door->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (door->lock < 0 || flock(door->lock, LOCK_EX | LOCK_NB) < 0) {
        int error = errno;
        rmdir(door->folder);
        if (door->lock >= 0)
            close(door->lock);
        door->lock = -1;
        errno = error;
        return false;
    }
    remove_leftovers(parent);
    return true;
}

static ubi_status listen_there(ubi__native_door *door) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    bool is_root = geteuid() == 0;
    snprintf(door->socket_path, sizeof door->socket_path, "%s/" SOCKET, door->folder);
    memcpy(address.sun_path, door->socket_path, sizeof address.sun_path);
    door->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (door->fd < 0 || bind(door->fd, (struct sockaddr *)&address, sizeof address) < 0 ||
        listen(door->fd, BACKLOG) < 0)
        return ubi__fail_errno(errno, "cannot make a socket in %s", door->folder);
    if (is_root && (chmod(door->folder, 0711) < 0 || chmod(door->socket_path, 0666) < 0))
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
    *door = (ubi__native_door){ .fd = -1, .lock = -1 };
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
    door->has_link = false;
    if (door->lock < 0)
        return;
    unlink(door->socket_path);
    rmdir(door->folder);
    close(door->lock);
    door->lock = -1;
}

/* ---- who knocks --------------------------------------------------------------------------------------------------- */

static bool descends_from_us(pid_t pid) {
    for (int generations = 0; generations < MANY_GENERATIONS && pid > 1; generations++)
        if ((pid = ubi__proc_parent(pid)) == getpid())
            return true;
    return false;
}

static bool is_one_of_ours(int socket, pid_t *pid) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || peer.pid <= 0)
        return false;
    *pid = peer.pid;
    return peer.uid == geteuid() || (geteuid() == 0 && descends_from_us(peer.pid));
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
