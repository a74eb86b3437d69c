/* SPDX-License-Identifier: MIT
 *
 * network_space.h: the network that a process of this machine has, which may be another than ours: that of a container.
 */
#ifndef UBI_CDP_NETWORK_SPACE_H
#define UBI_CDP_NETWORK_SPACE_H

#include <sys/types.h>

#include <ubiheap/core/base.h>

/**
 * From now on, sockets of this thread are made in the network of the process.
 * @param back  out: a descriptor, for ubi__network_leave; -1: it has ours, and nothing was done. @param pid  0: likewise.
 * Errors: UBI_ESTATE (we may not enter it), UBI_EIO.
 */
ubi_status ubi__network_enter(int *back, pid_t pid);
/** Whether the loopback interface of the network in which this thread makes sockets is up; true also when that cannot be asked. */
bool ubi__network_has_loopback(void);
/** On the same thread. -1 is fine. */
void ubi__network_leave(int back);

#endif
