/* SPDX-License-Identifier: MIT
 *
 * remote_schemes.h: the addresses that a command line takes in place of a file. Another scheme is a line in remote_schemes.c.
 */
#ifndef UBI_CLI_REMOTE_SCHEMES_H
#define UBI_CLI_REMOTE_SCHEMES_H

#include "targets/remote.h"

/** Ended by NULL. */
extern const ubi__remote_scheme *const ubi__remote_schemes[];

/** What --patience says; NULL: the standard. Errors: UBI_EINVAL: no duration, or the scheme has none. */
ubi_status ubi__remote_patience_read(ubi__remote_address *address, const char *text);
/**
 * What --target says, a number or a name, which is borrowed; NULL: nothing. Errors: UBI_EINVAL: neither, or the scheme has no such choice, or it is
 * made already.
 */
ubi_status ubi__remote_target_read(ubi__remote_address *address, const char *text);

#endif
