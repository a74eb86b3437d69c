/* SPDX-License-Identifier: MIT
 *
 * recording_symbols.h: symbols that a recording lacks, from the modules at hand; and what to install where they are missing.
 */
#ifndef UBI_CLI_RECORDING_SYMBOLS_H
#define UBI_CLI_RECORDING_SYMBOLS_H

#include "recording/recording_names.h"

/** A ubi__recording_namer. */
ubi_status ubi__recording_name_frames(ubi__ubirec_tables *tables, ubi__recording_hints *hints,
                                      const ubi_progress *progress);

#endif
