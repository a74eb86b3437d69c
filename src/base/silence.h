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

static inline bool ubi__stage_is_silence(const char *stage) {
    return strncmp(stage, UBI__SILENCE, sizeof UBI__SILENCE - 1) == 0;
}

#endif
