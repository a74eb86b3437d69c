/* SPDX-License-Identifier: MIT
 *
 * native_part.h: what was recorded of a process that is being recorded: a part of its file, which the recorder gives (native_control.h).
 */
#ifndef UBI_TARGETS_NATIVE_PART_H
#define UBI_TARGETS_NATIVE_PART_H

#include "base/deflate.h"
#include "formats/ubirec/ubirec_copy.h"
#include "targets/native/native_control.h"

typedef struct ubi__native_part {
    ubi__control_facts facts;
    ubi__recording_part range;
    int fd; /* of the whole file, to read from */
} ubi__native_part;

/**
 * Results, if there are any, else all since the last reset until now.
 * @param must_be_results  only results are wanted. @param out  owned: ubi__native_part_close.
 * Errors: UBI_ESTATE (there are none), those of ubi__control_ask.
 */
ubi_status ubi__native_part_open(ubi__native_part *out, pid_t pid, bool must_be_results);
void ubi__native_part_close(ubi__native_part *part);
/**
 * Writes it as a recording of its own. @param namer  NULL: names that the file lacks are not looked up. @param progress  or NULL.
 * Errors: those of `write`, ubi__recording_copy_write; UBI_ESTATE (the file cannot be read while it is written).
 */
ubi_status ubi__native_part_copy(const ubi__native_part *part, ubi__write_fn write, void *to,
                                 ubi__recording_namer *namer, const ubi_progress *progress);

#endif
