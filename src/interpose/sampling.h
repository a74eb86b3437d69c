/* SPDX-License-Identifier: MIT
 *
 * sampling.h: which allocations are recorded when not all are, and which recorded ones live.
 *
 * Steps as in recording/byte_sampler.h; the logarithm is our own, for programs need not have libm. Random numbers are a
 * hash of a count: no state to share but the count.
 */
#ifndef UBI_INTERPOSE_SAMPLING_H
#define UBI_INTERPOSE_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

void ubi__sampling_init(uint64_t period_bytes, uint64_t seed);
/** Makes room for some thousand blocks, as long as memory is available. */
void ubi__sampling_reserve(void);
/** After fork: nothing is remembered any more. */
void ubi__sampling_forget_all(void);
/** The same while other threads are at work. */
void ubi__sampling_restart(void);

/**
 * Steps over an allocation. @param remaining_bytes  in and out: until the next sample; 0: never drawn, as in a new
 * thread.
 * @return how many samples fell into it.
 */
uint64_t ubi__sampling_meet(uint64_t *remaining_bytes, uint64_t size_bytes);

/** A block is recorded: its free will be. False: no memory. */
bool ubi__sampling_remember(const void *p);
/** A block is to be freed. @return it was recorded. */
bool ubi__sampling_recall(const void *p);

#endif
