/* SPDX-License-Identifier: MIT
 *
 * script_classes.h: what blocks of script engines are: classes by name, which have numbers in all of the process.
 */
#ifndef UBI_INTERPOSE_SCRIPT_CLASSES_H
#define UBI_INTERPOSE_SCRIPT_CLASSES_H

#include "interpose/context.h"

/** For owners of runtimes: base/script_source.h. */
unsigned char ubi_recorder_script_class(const char *name, size_t name_bytes);

/** A chunk begins: none was said. */
void ubi__script_classes_restart(ubi__context *c);
/** The blocks of scripts that follow are of this class, and have room. @return false: there is none. */
bool ubi__script_class_say(ubi__context *c, unsigned number, size_t room_bytes);

/** In a child after fork: no other thread is at work. */
void ubi__script_classes_after_fork(void);

#endif
