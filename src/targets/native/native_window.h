/* SPDX-License-Identifier: MIT
 *
 * native_window.h: which part of a process is recorded: it is started and stopped, by the program itself or from outside, and its results
 * are reset, by the rules of nsIMemoryProfiler (ubiheap/core/recorder.h).
 *
 * Whether the program records is a word of the area. The file has a record of each change, at its place among the events. What lies
 * between a reset and the last stop are the *results*: allocations from `first_allocation` on, in the first `end_bytes` of the file.
 */
#ifndef UBI_TARGETS_NATIVE_WINDOW_H
#define UBI_TARGETS_NATIVE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <ubiheap/core/base.h>

#include "recording/preload_wire.h"

struct ubi__native_session;

typedef struct ubi__native_window {
    bool is_open;     /* the process is recorded now */
    bool has_results; /* it is not, was before, and was not reset since */
    bool is_closing;  /* it was stopped from outside, and what happened before is still to be read */
    bool was_closed;  /* at some time allocations were not recorded, so frees of unknown blocks mean nothing */
    uint64_t closing_stamp, closing_since_ns;
    uint64_t paused_ns,
        paused_since_ns; /* before the last pause, in all; and since when it lasts, if it does: since the process began */
    uint64_t first_allocation, first_ns; /* of results: number, and time since the process began */
    uint64_t end_bytes, end_ns;          /* of results */
    uint64_t asked_stamp; /* the program waits for results, for which all up to here is to be read; 0: it does not */
    pid_t maker;          /* makes them (native_results.h); 0: none */
    int maker_log;        /* then: what it says */
} ubi__native_window;

/** The area is new. */
void ubi__native_window_init(struct ubi__native_session *s);
/** It is open or has results, not both; results end within the file. */
void ubi__native_window_check(const struct ubi__native_session *s);
/** It was started, stopped or reset at this place of the file, at this time since the process began. Errors: those of writing. */
ubi_status ubi__native_window_note(struct ubi__native_session *s, ubi__wire_action action, uint64_t time_ns);
/** Someone outside wants that. A stop takes effect at once, and is noted when what happened before was read. Errors: those of writing. */
ubi_status ubi__native_window_ask(struct ubi__native_session *s, ubi__wire_action action);
/** How long allocations were not recorded, up to now. */
uint64_t ubi__native_window_paused_ms(const struct ubi__native_session *s);
/** After each poll of the collector. Errors: those of writing. */
ubi_status ubi__native_window_settle(struct ubi__native_session *s);
/** Whether the program waits for results that can be made now, or not at all. @param path  out: where to. */
bool ubi__native_window_is_asked(struct ubi__native_session *s, char path[UBI__WIRE_RESULTS_PATH_BYTES]);
/** Lets it continue. */
void ubi__native_window_answer(struct ubi__native_session *s, ubi__wire_results outcome);

#endif
