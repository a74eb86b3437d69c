/* SPDX-License-Identifier: MIT
 *
 * node_inspector.h: the inspector of a Node.js process of this machine: whether it listens and where, and how to make it.
 *
 * Node.js opens its inspector when SIGUSR1 comes, on the port of --inspect-port, or 9229. The signal ends a program that
 * does not expect it, so it is sent only to one that catches it, and whose file is called node.
 */
#ifndef UBI_CDP_NODE_INSPECTOR_H
#define UBI_CDP_NODE_INSPECTOR_H

#include <sys/types.h>

#include "targets/remote.h"

#define UBI__NODE_PORTS 64

/** Ports of this machine at which a process listens. */
typedef struct ubi__node_ports {
    uint16_t at[UBI__NODE_PORTS];
    size_t n; /**< more are not looked at */
} ubi__node_ports;

/**
 * Where a process listens for connections of TCP, on the loopback interface or all.
 * @param root  before the paths of all files; a test has another than "".
 * Errors: UBI_ENOTFOUND (no such process), UBI_EIO (it is another user's).
 */
ubi_status ubi__node_ports_find(ubi__node_ports *out, const char *root, pid_t pid);

/** Where its inspector is to listen: the port among its arguments, or 9229; 0: any that is free. */
uint16_t ubi__node_inspector_port(const char *root, pid_t pid);
/** Whether something in its network listens at this port, on the loopback interface or all. */
bool ubi__node_port_is_taken(const char *root, pid_t pid, uint16_t port);

/** How many connections to a port of its it has. 0 also when that cannot be read. */
unsigned ubi__node_connection_count(const char *root, pid_t pid, uint16_t port);

/** Whether SIGUSR1 may be sent. Errors: UBI_ENOTFOUND (no such process), UBI_ESTATE (with why not). */
ubi_status ubi__node_check(const char *root, pid_t pid);

/** Whether there is no such process any more, or only its number until its parent has asked how it ended. False also when that cannot be read. */
bool ubi__node_has_ended(const char *root, pid_t pid);

/** Whether a process is stopped: by a signal, 'T', or by one that traces it, 't'. '\0': it is not, or that cannot be read. */
char ubi__node_stop_state(const char *root, pid_t pid);

/** Whether it is a Node.js that does not handle SIGUSR1: it is starting, or never will. */
bool ubi__node_may_be_starting(const char *root, pid_t pid);

/** Has it open its inspector. Errors: those of ubi__node_check, UBI_EIO (another user's). */
ubi_status ubi__node_open(pid_t pid);

#endif
