/* SPDX-License-Identifier: MIT
 *
 * native_unrecorded.h: processes that a recorded one has made, or become, and that are not recorded: which, how many, and why.
 *
 * A session knows some itself (`ubi__native_session_note_unrecorded`); the others are what the program has counted.
 */
#ifndef UBI_TARGETS_NATIVE_UNRECORDED_H
#define UBI_TARGETS_NATIVE_UNRECORDED_H

#include "targets/native/native_session.h"

/** All as of now. Errors: UBI_ENOMEM. */
ubi_status ubi__native_unrecorded_gather(ubi__native_session *s, const ubi__preload_counters *c);
/** Of those that were gathered, the ones that were to be recorded. */
uint64_t ubi__native_unrecorded_count(const ubi__native_session *s);
/** Where nothing was seen, that may be because the program has a malloc of its own. Errors: UBI_ENOMEM. */
ubi_status ubi__native_unrecorded_look_for_malloc(ubi__native_session *s);
/** Into the file. Errors: those of writing. */
ubi_status ubi__native_unrecorded_write(ubi__native_session *s);

#endif
