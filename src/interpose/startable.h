/* SPDX-License-Identifier: MIT
 *
 * startable.h: whether a program that is about to be started can be recorded.
 */
#ifndef UBI_INTERPOSE_STARTABLE_H
#define UBI_INTERPOSE_STARTABLE_H

#include "recording/unrecorded.h"

/** By its file. What cannot be looked at keeps no program out. Cost: some system calls, a descriptor for the moment. */
ubi__unrecorded ubi__startable_path(const char *path);
/** As execvp finds it. */
ubi__unrecorded ubi__startable_name(const char *name);
ubi__unrecorded ubi__startable_file(int fd);
/** By the environment that it is to have, or NULL: whether it will find us. @param socket_path  where ubiheap listens. */
ubi__unrecorded ubi__startable_with(char *const environment[], const char *socket_path);

#endif
