/* SPDX-License-Identifier: MIT
 *
 * allocator_parts.h: what a recorded program's allocator says of its memory (ubi__wire_answer) divides its row in the table of what
 * memory is used for.
 *
 * The kernel says how much of the allocator's mappings is in RAM, and the allocator what it has, in RAM or not. So the parts are made
 * to fit: if they are more than there is, its tables are what is not there, and then of each part the same share. If they are less, the
 * rest stays undivided.
 */
#ifndef UBI_TARGETS_NATIVE_ALLOCATOR_PARTS_H
#define UBI_TARGETS_NATIVE_ALLOCATOR_PARTS_H

#include "recording/preload_wire.h"
#include "recording/residence.h"

typedef struct ubi__allocator_parts {
    const char *name; /* as memory_runtimes.h has it; NULL: nothing was said */
    uint64_t bytes[UBI__USES];
} ubi__allocator_parts;

/** What the program has said last, which may be anything. While it says it, nothing. */
void ubi__allocator_parts_read(ubi__allocator_parts *out, const ubi__wire_answer *answer);
/** Whether a recorder could ask the allocator of this name. */
bool ubi__allocator_can_be_asked(ubi_text name);
/**
 * Nothing changes if the allocator's memory was read, and divided so.
 * @param r  sorted; it is so afterwards, and as it was after a failure. Errors: UBI_ENOMEM.
 */
ubi_status ubi__allocator_parts_enter(ubi__residence *r, const ubi__allocator_parts *parts);

#endif
