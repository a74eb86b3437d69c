/* SPDX-License-Identifier: MIT
 *
 * asked_window.h: the window of time that is asked about, in the words of questions about recordings.
 */
#ifndef UBI_QUESTIONS_RECORDING_ASKED_WINDOW_H
#define UBI_QUESTIONS_RECORDING_ASKED_WINDOW_H

#include "base/json_writer.h"
#include "recording/time_window.h"

/** As they were given; NULL: not. Borrowed. */
typedef struct ubi__asked_window {
    const char *at, *from, *to;
} ubi__asked_window;

/** Rows of a table of parameters, for a member at this offset. The words are those of timelines. */
#define UBI__WINDOW_PARAMETERS(offset_)                                                                                \
    UBI__TEXT("at", 0, (offset_) + offsetof(ubi__asked_window, at), "TIME",                                            \
              "of a recording: what was alive at TIME, in milliseconds since the program began, or with a unit: 1.5s", \
              NULL),                                                                                                   \
        UBI__TEXT("from", 0, (offset_) + offsetof(ubi__asked_window, from), "TIME",                                    \
                  "of a recording: only what happened at TIME or later; what was alive then counts in what lives and " \
                  "in the peak",                                                                                       \
                  NULL),                                                                                               \
        UBI__TEXT("to", 0, (offset_) + offsetof(ubi__asked_window, to), "TIME",                                        \
                  "of a recording: only what happened before TIME", NULL)

/** The first option that was given, such as "at"; NULL: none. */
const char *ubi__asked_window_option(const ubi__asked_window *asked);
/** What happened at --at belongs to it. Errors: UBI_EINVAL: no times, or no window. */
ubi_status ubi__asked_window_read(ubi__time_window *out, const ubi__asked_window *asked);

#endif
