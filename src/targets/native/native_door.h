/* SPDX-License-Identifier: MIT
 *
 * native_door.h: where recorded programs knock: a Unix socket in a folder that only this user can enter (and, when that is
 * root, who knows the name).
 *
 * The folder is made in $XDG_RUNTIME_DIR, $TMPDIR or /tmp, and removed in the end. One that was left behind, because its
 * ubiheap was killed, is removed by the next one that makes a folder there. It also holds a link to the library when
 * the library's own path has characters that LD_PRELOAD takes for separators.
 */
#ifndef UBI_TARGETS_NATIVE_DOOR_H
#define UBI_TARGETS_NATIVE_DOOR_H

#include <sys/types.h>
#include <sys/un.h>

#include <ubiheap/core/base.h>

typedef struct ubi__native_door {
    char folder[64];
    char socket_path[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
    char library[4096]; /* as LD_PRELOAD is to have it */
    bool has_link;
    int fd;   /* listens, and never blocks; -1: closed */
    int lock; /* the folder, locked as long as we live; -1: none */
} ubi__native_door;

/** @param library  path of libubiheap-preload.so. Errors: UBI_EIO. */
ubi_status ubi__native_door_open(ubi__native_door *door, const char *library);
/** Again is fine. */
void ubi__native_door_close(ubi__native_door *door);
/**
 * Lets in one process that waits. Those of other users are sent away; when we are root, those that descend from us are
 * not, for such a program may have given its rights away.
 * @param pid  out: of the process, as the kernel knows it.
 * @return its socket, on which nothing waits longer than a second; -1: no process waits.
 */
int ubi__native_door_answer(ubi__native_door *door, pid_t *pid);

#endif
