/* SPDX-License-Identifier: MIT
 *
 * host_wake.c: see host_wake.h.
 */
#include "engines/quickjs/host/host_wake.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <unistd.h>

#include "engines/quickjs/host/host.h"

#define MAX_HOSTS 256

/*
 * A slot is a host's while it lives. Its pipe stays for the next one: closing it would let a signal handler that is just
 * about to write hit whatever file gets the number then.
 */
static struct slot {
    atomic_bool taken;
    atomic_int write_end; /* the descriptor plus 1; 0: no pipe yet */
    int read_end;
} slots[MAX_HOSTS];

static bool open_pipe(struct slot *slot) {
    int ends[2];
    if (atomic_load(&slot->write_end))
        return true;
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return false;
    /* select() takes no larger ones. */
    if (ends[0] >= FD_SETSIZE) {
        close(ends[0]);
        close(ends[1]);
        return false;
    }
    slot->read_end = ends[0];
    atomic_store(&slot->write_end, ends[1] + 1);
    return true;
}

static bool wake_take(ubi__wake *wake, int at) {
    bool free = false;
    if (!atomic_compare_exchange_strong(&slots[at].taken, &free, true))
        return false;
    *wake = (ubi__wake){ open_pipe(&slots[at]) ? slots[at].read_end : -1, at };
    return true;
}

void ubi__wake_init(ubi__wake *wake, bool main) {
    *wake = (ubi__wake){ -1, -1 };
    if (main)
        wake_take(wake, 0);
    for (int i = 1; !main && i < MAX_HOSTS && !wake_take(wake, i); i++)
        ;
}

static void wake_drain(int fd) {
    char bytes[64];
    while (read(fd, bytes, sizeof bytes) > 0)
        ;
}

void ubi__wake_fini(ubi__wake *wake) {
    if (wake->read_fd >= 0)
        wake_drain(wake->read_fd);
    if (wake->slot >= 0)
        atomic_store(&slots[wake->slot].taken, false);
    *wake = (ubi__wake){ -1, -1 };
}

/* A full pipe is as good as a written one. */
static void wake_slot(int slot) {
    int fd = atomic_load(&slots[slot].write_end) - 1;
    if (fd >= 0 && write(fd, "", 1) < 0)
        return;
}

void ubi__wake_main(void) {
    int error = errno;
    wake_slot(0);
    errno = error;
}

void ubi__host_wake_all(void) {
    int error = errno;
    for (int i = 0; i < MAX_HOSTS; i++)
        wake_slot(i);
    errno = error;
}

static uint64_t wake_microseconds(const struct timeval *t) {
    return (uint64_t)t->tv_sec * 1000000 + (uint64_t)t->tv_usec;
}

/* select() with the pipe among what is read, and without it in what is found. */
static int select_with_pipe(int pipe_end, int n, fd_set *readable, fd_set *writable, fd_set *failed,
                            struct timeval *until) {
    fd_set own;
    if (!readable) {
        FD_ZERO(&own);
        readable = &own;
    }
    FD_SET(pipe_end, readable);
    int found = select(pipe_end < n ? n : pipe_end + 1, readable, writable, failed, until);
    int error = errno;
    if (found > 0 && FD_ISSET(pipe_end, readable)) {
        wake_drain(pipe_end);
        found--;
    }
    FD_CLR(pipe_end, readable);
    errno = error;
    return found;
}

int ubi__wake_select(ubi__wake *wake, int n, fd_set *readable, fd_set *writable, fd_set *failed,
                     struct timeval *timeout, uint64_t limit_us) {
    struct timeval limit, *until = timeout;
    if (limit_us != UINT64_MAX && (!timeout || limit_us < wake_microseconds(timeout))) {
        limit = (struct timeval){ (time_t)(limit_us / 1000000), (suseconds_t)(limit_us % 1000000) };
        until = &limit;
    }
    if (wake->read_fd >= 0) {
        int found = select_with_pipe(wake->read_fd, n, readable, writable, failed, until);
        /* A script may close any descriptor, ours too. */
        if (found >= 0 || errno != EBADF || fcntl(wake->read_fd, F_GETFD) >= 0)
            return found;
        wake->read_fd = -1;
    }
    return select(n, readable, writable, failed, until);
}
