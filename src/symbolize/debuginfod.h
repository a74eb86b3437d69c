/* SPDX-License-Identifier: MIT
 *
 * debuginfod.h: debug files from the servers that the user has named.
 */
#ifndef UBI_SYMBOLIZE_DEBUGINFOD_H
#define UBI_SYMBOLIZE_DEBUGINFOD_H

#include <ubiheap/base.h>

/**
 * Asks the servers of DEBUGINFOD_URLS for the debug file of a build-id, through libdebuginfod when that is installed: this
 * sends the build-id to them. May take long; DEBUGINFOD_TIMEOUT bounds it.
 * @return a descriptor of its own, or -1.
 */
int ubi__debuginfod_find(ubi_text build_id);

#endif
