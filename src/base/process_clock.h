/* SPDX-License-Identifier: MIT
 *
 * process_clock.h: times taken by others, on the clock of ubi_process_clock_ns.
 */
#ifndef UBI_BASE_PROCESS_CLOCK_H
#define UBI_BASE_PROCESS_CLOCK_H

#include <stdint.h>

/** What ubi_process_clock_ns said when CLOCK_MONOTONIC was at `monotonic_ns`; 0 for a time before the process started. */
uint64_t ubi__process_clock_of(uint64_t monotonic_ns);

#endif
