/* SPDX-License-Identifier: MIT
 *
 * host.h: a program that runs scripts under the tools: `std`, `os`, console, timers, modules, workers.
 *
 * This folder knows JavaScript values; callers know targets/script_runner.h, as quickjs_runner.h offers it.
 */
#ifndef UBI_QUICKJS_HOST_H
#define UBI_QUICKJS_HOST_H

#include <ubiheap/extension/quickjs.h>

#include "engines/quickjs/host/quickjs_runner.h"

/** A runtime with what runs in it. Belongs to its thread. */
typedef struct ubi__host ubi__host;

/** Makes waiting hosts call their tick. May be called in a signal handler. */
void ubi__host_wake_all(void);
/** Microseconds of CLOCK_MONOTONIC. */
uint64_t ubi__host_clock_us(void);
/** Parts of a script's text on their way to standard output: to be written out before anything else goes there. */
void ubi__host_flush_output(void);

#endif
