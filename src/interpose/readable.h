/* SPDX-License-Identifier: MIT
 *
 * readable.h: reading memory that may not be there.
 *
 * The kernel is asked about each page, once: pages are remembered until some are unmapped. So an address that is garbage is found out
 * before it is read; one whose page another thread unmaps meanwhile is not, so this is for memory that its owner keeps.
 */
#ifndef UBI_INTERPOSE_READABLE_H
#define UBI_INTERPOSE_READABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Whether all of a range can be read. */
bool ubi__is_readable(uintptr_t address, size_t size_bytes);
/** Copies a range. @return false: not all of it can be read, and `out` is as it was. */
bool ubi__read_checked(void *out, uintptr_t address, size_t size_bytes);
/** Another number after each time: what was found readable is, as long as it stays. */
uint32_t ubi__readable_round(void);
/** Some page may not be there any more. */
void ubi__readable_forget(void);

#endif
