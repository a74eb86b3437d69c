/* SPDX-License-Identifier: MIT
 *
 * time_window.h: a part of the time in which a program was recorded.
 */
#ifndef UBI_RECORDING_TIME_WINDOW_H
#define UBI_RECORDING_TIME_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

/**
 * A window: what happened at `from_ns` or later and before `to_ns`, in time since the process began; to_ns 0: up to the end. All zeroes: the
 * whole recording. What is counted is what was allocated in it: how much of that is still alive at its end, how long it lived, and so on.
 * What was alive when it began counts in what lives alone, and so in the peak, which is that of the window.
 * Frees that are taken back after the window never were in it.
 */
typedef struct ubi__time_window {
    uint64_t from_ns, to_ns;
} ubi__time_window;

static inline bool ubi__window_is_whole(const ubi__time_window *window) {
    return window->from_ns == 0 && window->to_ns == 0;
}
static inline bool ubi__window_has_begun(const ubi__time_window *window, uint64_t time_ns) {
    return time_ns >= window->from_ns;
}
static inline bool ubi__window_is_over(const ubi__time_window *window, uint64_t time_ns) {
    return window->to_ns && time_ns >= window->to_ns;
}

/** A time in which allocations were not recorded, as was wanted, since the process began; to_ns UINT64_MAX: up to the end. */
typedef struct ubi__pause {
    uint64_t from_ns, to_ns;
} ubi__pause;

/** Events are at most so much later than they say. */
#define UBI__EVENT_LATE_NS UINT64_C(250000)

/** Whether any of what happened in the window may have happened in the pause. */
static inline bool ubi__window_meets_pause(const ubi__time_window *window, const ubi__pause *pause) {
    bool ends_before =
        window->to_ns && pause->from_ns >= UBI__EVENT_LATE_NS && window->to_ns <= pause->from_ns - UBI__EVENT_LATE_NS;
    bool begins_after =
        pause->to_ns < UINT64_MAX - UBI__EVENT_LATE_NS && window->from_ns >= pause->to_ns + UBI__EVENT_LATE_NS;
    return !ends_before && !begins_after;
}

/** Whether a time is in it. */
static inline bool ubi__window_has(const ubi__time_window *window, uint64_t time_ns) {
    return ubi__window_has_begun(window, time_ns) && !ubi__window_is_over(window, time_ns);
}

#endif
