/* SPDX-License-Identifier: MIT
 *
 * silence.h: stages of progress that the user is to read once, also where no progress is shown: the work waits for someone else, who says
 * nothing for long.
 */
#ifndef UBI_BASE_SILENCE_H
#define UBI_BASE_SILENCE_H

#include <stdbool.h>
#include <string.h>

/** How such a stage begins. What follows is why that may be. */
#define UBI__SILENCE "no answer yet: "

/**
 * How a stage begins of what is over, done or not, and only puts things in order with someone else: that cannot be called off. What follows is
 * what is waited for, and is read if it takes a second.
 */
#define UBI__LEAVING "leaving: "

static inline bool ubi__stage_is_leaving(const char *stage) {
    return strncmp(stage, UBI__LEAVING, sizeof UBI__LEAVING - 1) == 0;
}

static inline bool ubi__stage_is_silence(const char *stage) {
    return strncmp(stage, UBI__SILENCE, sizeof UBI__SILENCE - 1) == 0;
}

#endif
