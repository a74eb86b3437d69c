/* SPDX-License-Identifier: MIT
 *
 * network_space.c: see network_space.h.
 */
#include "cdp/network_space.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"

#define OURS "/proc/thread-self/ns/net"

/* Errors that come later are about the process itself. */
static bool is_ours(const char *theirs) {
    struct stat a, b;
    return stat(theirs, &a) != 0 || stat(OURS, &b) != 0 || (a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

static ubi_status space_enter(const char *theirs, pid_t pid) {
    int fd = open(theirs, O_RDONLY | O_CLOEXEC);
    bool is_entered = fd >= 0 && setns(fd, CLONE_NEWNET) == 0;
    int error = errno;
    if (fd >= 0)
        close(fd);
    if (is_entered)
        return UBI_OK;
    if (error == EPERM || error == EACCES)
        return ubi__fail(UBI_ESTATE,
                         "process %d has a network of its own, as in a container, which only root may enter: run "
                         "ubiheap as root, or in the container",
                         (int)pid);
    return ubi__fail_errno(error, "cannot enter the network of process %d", (int)pid);
}

ubi_status ubi__network_enter(int *back, pid_t pid) {
    char theirs[64];
    *back = -1;
    snprintf(theirs, sizeof theirs, "/proc/%d/ns/net", (int)pid);
    if (!pid || is_ours(theirs))
        return UBI_OK;
    int ours = open(OURS, O_RDONLY | O_CLOEXEC);
    if (ours < 0)
        return ubi__fail_errno(errno, "cannot open %s", OURS);
    ubi_status status = space_enter(theirs, pid);
    if (status == UBI_OK)
        *back = ours;
    else
        close(ours);
    return status;
}

bool ubi__network_has_loopback(void) {
    struct ifreq request = { .ifr_name = "lo" };
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool is_down = fd >= 0 && ioctl(fd, SIOCGIFFLAGS, &request) == 0 && !(request.ifr_flags & IFF_UP);
    if (fd >= 0)
        close(fd);
    return !is_down;
}

void ubi__network_leave(int back) {
    if (back < 0)
        return;
    (void)setns(back, CLONE_NEWNET);
    close(back);
}
