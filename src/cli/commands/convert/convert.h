/* SPDX-License-Identifier: MIT
 *
 * convert.h: what the parts of `ubiheap convert` know of each other.
 */
#ifndef UBI_CLI_CONVERT_H
#define UBI_CLI_CONVERT_H

#include <ubiheap/core/anonymize.h>

#include "cli/command.h"

typedef struct ubi__convert_arguments {
    const char *format, *compression, *key_file;
    bool must_anonymize, with_all_edges, with_raw_sizes;
} ubi__convert_arguments;

/** Refuses an anonymized copy that would replace its own input: the original would be gone. Errors: UBI_EINVAL. */
ubi_status ubi__convert_check_original(const char *output, const char *input);
/**
 * Copies a recording, with those of the processes that were recorded together with it, or a timeline. All files of the copy
 * appear, or none.
 */
ubi_status ubi__convert_recording(ubi__cli *cli, const ubi__convert_arguments *arguments, ubi_anonymizer *anonymizer,
                                  const char *input, const char *output, int *exit_code);

#endif
