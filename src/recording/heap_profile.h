/* SPDX-License-Identifier: MIT
 *
 * heap_profile.h: sampling heap profiles of V8 (.heapprofile) as recordings.
 *
 * Chrome's DevTools and `node --heap-prof` write them: a tree of functions, each with what was allocated there, as samples stand for it, and
 * was alive when the profile ended. What a function has counts; its samples, which are rounded on their own, get their parts of it.
 *
 * V8 says how much a sample stands for and not how large it is, nor how densely it sampled. So a recording of it has the allocations that
 * were alive at its end and knows of no others, of no frees, and of no limits: its counter UBI__UBIREC_WITHOUT_FREES is
 * UBI__UBIREC_ALIVE_ALONE.
 */
#ifndef UBI_RECORDING_HEAP_PROFILE_H
#define UBI_RECORDING_HEAP_PROFILE_H

#include "base/source.h"

/** Whether a file that begins with head[n] is one. */
bool ubi__heap_profile_guess(const uint8_t *head, size_t n);
/** Bytes that suffice for the guess. */
#define UBI__HEAP_PROFILE_HEAD_BYTES 64

/**
 * Makes a recording file of a profile. @param text  the whole file, borrowed. @param ubirec  out: is added to.
 * Errors: UBI_EFORMAT with the place, UBI_ELIMIT, UBI_ENOMEM; `ubirec` must be freed even so.
 * Cost: O(text). Memory: 56 bytes per function with callers, 24 per sample, and the names.
 */
ubi_status ubi__heap_profile_convert(ubi__vec_u8 *ubirec, ubi_text text, const ubi_allocator *allocator);

/**
 * Opens a recording, of which there are two formats: a .ubirec as it is, a profile converted, in memory. @param path  "-" is standard input.
 * Errors: those of both, of opening and of reading.
 */
ubi_status ubi__recording_source_open(ubi__source *out, const char *path, const ubi_allocator *allocator);

#endif
