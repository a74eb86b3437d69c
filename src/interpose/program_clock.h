/* SPDX-License-Identifier: MIT
 *
 * program_clock.h: when things happen: the clock of the program's own processor, whatever the ubiheap process comes to.
 *
 * The kernel's own code for CLOCK_MONOTONIC, which it maps into every process (vDSO), is called past the C library, for there
 * may be a library between that fakes time. An event is worth less than a look at it: as long as the processor's counter says
 * that less than a quarter of a millisecond has passed, the last look counts.
 */
#ifndef UBI_INTERPOSE_PROGRAM_CLOCK_H
#define UBI_INTERPOSE_PROGRAM_CLOCK_H

#include "base/clock.h"
#include "interpose/context.h"
#include "interpose/sealing.h"

/** Before the first look. Any number of times. */
void ubi__program_clock_find(void);
/** CLOCK_MONOTONIC; what it was last, where the program has forbidden to look (sealing.h). Takes no lock, keeps errno. */
uint64_t ubi__program_clock_ns(void);

/** Whether it is time that a context looks at the clock again; if so, it has. */
static inline bool ubi__program_clock_moved(ubi__context *c) {
    if (ubi__unlikely(ubi__seal_now.is_timeless))
        return false;
    uint64_t ticks = ubi__tick_counter();
    if (ubi__likely(ticks - c->looked_at_ticks < c->look_ticks))
        return false;
    c->looked_at_ticks = ticks;
    return true;
}

#endif
