/* SPDX-License-Identifier: MIT
 *
 * run_tally.h: what scripts allocated since the last look, by class and place: `.allocations` of the shell.
 *
 * Of fixed size, whatever is allocated: beyond UBI__RUN_TALLY_ROWS kinds, the rest are counted together.
 */
#ifndef UBI_CLI_RUN_TALLY_H
#define UBI_CLI_RUN_TALLY_H

#include "render/display.h"
#include "tracking/observer.h"

#define UBI__RUN_TALLY_ROWS 512
#define UBI__RUN_TALLY_SLOTS (2 * UBI__RUN_TALLY_ROWS)

/** Objects of a class from a place. */
typedef struct ubi__run_tally_row {
    uint64_t key;
    uint64_t count, bytes;
    char class_name[64], place[192]; /**< as in the heap, cut */
} ubi__run_tally_row;

/** All zero: nothing was allocated. */
typedef struct ubi__run_tally {
    ubi__run_tally_row rows[UBI__RUN_TALLY_ROWS];
    uint32_t n;
    uint16_t slots[UBI__RUN_TALLY_SLOTS]; /**< by key: the row plus 1; 0: free */
    uint64_t count, bytes;                /**< of all */
    uint64_t rest_count, rest_bytes;      /**< of those without a row */
    bool has_lost_some;                   /**< more was allocated */
} ubi__run_tally;

/** Rows add up, and each is found by its key. */
void ubi__run_tally_check(const ubi__run_tally *tally);
/** Adds what scripts allocated; what was allocated while none ran is not a program's. */
void ubi__run_tally_add(ubi__run_tally *tally, const ubi_logged_allocation *allocation);
/** Takes over, and forgets, what an observer has logged. */
void ubi__run_tally_drain(ubi__run_tally *tally, ubi__observer *observer);
/** Writes a table of the largest, and a line with the sum. */
void ubi__run_tally_write(ubi__out *out, const ubi__style *style, ubi__run_tally *tally, size_t most);

#endif
