/* SPDX-License-Identifier: MIT
 *
 * native_results.h: results that a recorded program asks for itself (ubiheap/core/recorder.h), made by a process of their own: `ubiheap
 * control PID results`, which looks names up for seconds while recording continues.
 */
#ifndef UBI_TARGETS_NATIVE_RESULTS_H
#define UBI_TARGETS_NATIVE_RESULTS_H

#include "targets/native/native_session.h"

typedef struct ubi__native_results_maker {
    const char *tool; /* that makes them; NULL: none, and programs get no results */
    /** Why a file was not written. The line is what the tool has said, without end of line. */
    void (*tell)(pid_t pid, const char *line);
} ubi__native_results_maker;

/** Begins to make what the program waits for, and lets it continue when that is done. Waits for nothing. */
void ubi__native_results_serve(ubi__native_session *s, const ubi__native_results_maker *maker);

#endif
