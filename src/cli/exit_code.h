/* SPDX-License-Identifier: MIT
 *
 * exit_code.h: the one translation of a status to an exit code.
 */
#ifndef UBI_CLI_EXIT_CODE_H
#define UBI_CLI_EXIT_CODE_H

#include <ubiheap/core/base.h>

int ubi__exit_code(ubi_status status);

#endif
