/* SPDX-License-Identifier: MIT
 *
 * started.h: names of programs that the program starts, which are not recorded, and why not (hooks_exec.c). Without children, a
 * process that fork made counts as one more of its own program until it becomes another.
 */
#ifndef UBI_INTERPOSE_STARTED_H
#define UBI_INTERPOSE_STARTED_H

#include "recording/preload_wire.h"

/**
 * From now on names are noted there. @param socket_path  children are followed, and find ubiheap there: only those that cannot be
 * recorded are noted; NULL: all are.
 */
void ubi__started_note_in(ubi__wire_header *area, const char *socket_path);
/** In a child after fork, before the area is left: its notes go to the same place. */
void ubi__started_keep_in_child(ubi__wire_header *area_of_parent);

#endif
