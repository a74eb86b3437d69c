/* SPDX-License-Identifier: MIT
 *
 * remote_schemes.h: the addresses that a command line takes in place of a file. Another scheme is a line in remote_schemes.c.
 */
#ifndef UBI_CLI_REMOTE_SCHEMES_H
#define UBI_CLI_REMOTE_SCHEMES_H

#include "targets/remote.h"

/** Ended by NULL. */
extern const ubi__remote_scheme *const ubi__remote_schemes[];

#endif
