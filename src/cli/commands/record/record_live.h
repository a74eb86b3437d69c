/* SPDX-License-Identifier: MIT
 *
 * record_live.h: a view of the program in the terminal while it is recorded (--live): a thread beside the recorder, which copies
 * the recorder's sums a few times per second, looks up names, and draws.
 */
#ifndef UBI_CLI_RECORD_LIVE_H
#define UBI_CLI_RECORD_LIVE_H

#include "render/display.h"
#include "targets/native/native_live.h"
#include "targets/native/native_record.h"

typedef struct ubi__record_live ubi__record_live;

/**
 * Takes the terminal over, and has the settings fill the sums.
 * @param out    NULL after a failure. @param style  of standard error: colours and characters.
 * Errors: those of ubi__live_terminal_open; UBI_ENOMEM, UBI_EIO.
 */
ubi_status ubi__record_live_start(ubi__record_live **out, ubi__native_settings *settings, const ubi__style *style);
/** After the recording: the terminal is as before, and has what was kept. NULL is fine. */
void ubi__record_live_stop(ubi__record_live *live);

#endif
