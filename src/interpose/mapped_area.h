/* SPDX-License-Identifier: MIT
 *
 * mapped_area.h: the shared memory (preload_wire.h) in this process's address space.
 *
 * Programs may be short of addresses (RLIMIT_AS), so only what nearly all need is mapped at the start: the header, and
 * the chunks of some threads. Each further segment of chunks is mapped when the first of its chunks is taken, and stays.
 *
 * Invariant: segments are mapped in their order, for each is reached from the one before: the descriptor is long closed.
 */
#ifndef UBI_INTERPOSE_MAPPED_AREA_H
#define UBI_INTERPOSE_MAPPED_AREA_H

#include <stdbool.h>

#include "recording/preload_wire.h"

/** Maps what the descriptor is of. @return NULL: no room, or it is not what we know. */
ubi__wire_header *ubi__area_map(int fd, const ubi__wire_welcome *welcome);
/** The bytes of a chunk below area->n_chunks. @return NULL: no room. Any thread, any time; no lock. */
uint8_t *ubi__area_chunk(uint32_t i);
/** A second place where the header is; NULL: no room. */
ubi__wire_header *ubi__area_map_header_again(ubi__wire_header *area);
void ubi__area_unmap_header(ubi__wire_header *area);
/** Whether the reader of the area is gone, or wants no more. */
bool ubi__area_is_deserted(const ubi__wire_header *area);
/** Empty private memory replaces all that is mapped: code that is just writing there may continue. For one thread. */
void ubi__area_leave(void);
/** The same, and the next area may come to the same addresses: no code that wrote there is expected to continue for long. */
void ubi__area_leave_place(void);

#endif
