/* SPDX-License-Identifier: MIT
 *
 * option_files.h: files that options name and whose texts are the values: --breakdown @FILE, --suppress FILE.
 */
#ifndef UBI_CLI_OPTION_FILES_H
#define UBI_CLI_OPTION_FILES_H

#include "cli/command.h"

/** Reads the file of a spec that begins with @, whose text it becomes; "-" is standard input. Errors: UBI_EINVAL, UBI_EIO, UBI_ENOMEM. */
ubi_status ubi__breakdown_file_read(ubi__breakdown_spec *spec);
/**
 * The same for the breakdowns among the values of a command, and texts that are files there. Of its files operands[0..n), none may be
 * standard input then, too.
 */
ubi_status ubi__option_files_read(void *values, const ubi__parameter *parameters, char **operands, int n);
/** UBI_EINVAL when the output is the file that the breakdown was read from. */
ubi_status ubi__breakdown_check_output(const ubi__breakdown_spec *spec, const char *output);
/** UBI_EINVAL when the output is a file that this parameter was read from. */
ubi_status ubi__option_files_check_output(const void *values, const ubi__parameter *p, const char *output);

#endif
