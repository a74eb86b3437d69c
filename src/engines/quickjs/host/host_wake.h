/* SPDX-License-Identifier: MIT
 *
 * host_wake.h: waiting that can be ended from signal handlers and other threads.
 *
 * Each host has a pipe; all pipes are in a table that a signal handler may read. A wake is remembered until the next wait, so
 * none is lost between looking for work and waiting.
 */
#ifndef UBI_QUICKJS_HOST_WAKE_H
#define UBI_QUICKJS_HOST_WAKE_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/select.h>

typedef struct ubi__wake {
    int read_fd; /* -1: none, when descriptors or the table ran out; wakes are then noticed with the next event */
    int slot;
} ubi__wake;

/** `main`: takes the table's first slot, which ubi__wake_main wakes. */
void ubi__wake_init(ubi__wake *wake, bool main);
void ubi__wake_fini(ubi__wake *wake);
/**
 * select() that also ends on a wake or after `limit_us` microseconds (UINT64_MAX: no limit), as if `timeout` had passed.
 * Before it waits, standard output is flushed. @return what select returned, without the wake.
 */
int ubi__wake_select(ubi__wake *wake, int n, fd_set *readable, fd_set *writable, fd_set *failed,
                     struct timeval *timeout, uint64_t limit_us);
/**
 * The same with poll(), whose files are `n`, with room for one more. A timeout of UINT64_MAX never passes. A signal ends it, too.
 */
int ubi__wake_poll(ubi__wake *wake, struct pollfd *files, nfds_t n, uint64_t timeout_us);
/** Ends the waits of the main host. May be called in a signal handler. */
void ubi__wake_main(void);

#endif
