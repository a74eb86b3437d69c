/* SPDX-License-Identifier: MIT */
#include "base/pulse.h"

#include <string.h>

ubi__pulse ubi__pulse_of(const ubi_progress *progress) {
    return (ubi__pulse){ .progress = progress, .caller = pthread_self(), .stage = "" };
}

/* Who said no is not asked again. */
static void pulse_report(ubi__pulse *pulse) {
    if (!ubi__pulse_is_stopped(pulse) && !ubi__progress(pulse->progress, pulse->stage, pulse->done, pulse->total))
        ubi__pulse_stop(pulse);
}

bool ubi__pulse_at(ubi__pulse *pulse, const char *stage, uint64_t done, uint64_t total) {
    if (!pulse)
        return true;
    if (pthread_equal(pulse->caller, pthread_self())) {
        pulse->stage = stage;
        pulse->done = done;
        pulse->total = total;
        pulse_report(pulse);
    }
    return !ubi__pulse_is_stopped(pulse);
}

bool ubi__pulse_again(ubi__pulse *pulse) {
    if (!pulse)
        return true;
    if (pthread_equal(pulse->caller, pthread_self()) && *pulse->stage) /* the stage is that thread's own */
        pulse_report(pulse);
    return !ubi__pulse_is_stopped(pulse);
}

#define FILLED_AT_ONCE ((size_t)4 << 20)

bool ubi__pulse_fill(ubi__pulse *pulse, void *at, int byte, size_t n_bytes) {
    for (size_t done = 0; done < n_bytes; done += FILLED_AT_ONCE) {
        if (!ubi__pulse_again(pulse))
            return false;
        memset((char *)at + done, byte, n_bytes - done < FILLED_AT_ONCE ? n_bytes - done : FILLED_AT_ONCE);
    }
    return true;
}
