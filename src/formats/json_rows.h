/* SPDX-License-Identifier: MIT
 *
 * json_rows.h: a flat JSON array of numbers, as rows of a fixed length.
 *
 * Numbers come in batches (json_digits.h). The reader takes the whole rows of a batch and says so with ubi__rows_taken; what is
 * left of a row waits for the next batch. Every number of the batch can be pointed at in a message.
 */
#ifndef UBI_FORMATS_JSON_ROWS_H
#define UBI_FORMATS_JSON_ROWS_H

#include "formats/json_digits.h"
#include "formats/json_scan.h"

#define UBI__ROWS_MAX_STRIDE 64

typedef struct ubi__rows {
    ubi__scan *scan;
    uint32_t stride;      /* numbers per row; 0: unknown, any number of them may be taken */
    uint64_t fail_offset; /* what messages point at when the numbers come from no text */

    /* the batch at hand */
    ubi__digits numbers;
    const uint8_t *batch_text; /* where the numbers from `n_carried` on are; NULL: they come from no text */
    size_t n_carried;          /* begin of a row, from the batch before */
    uint64_t carried_offset[UBI__ROWS_MAX_STRIDE];
} ubi__rows;

typedef struct ubi__rows_array {
    uint32_t stride;
    bool may_be_negative;
    const char *expected; /* instead of another byte, such as "a number" */
    /** Takes what it can from rows->numbers, perhaps nothing, and says so with ubi__rows_taken. */
    ubi_status (*take)(void *payload);
    void *payload;
} ubi__rows_array;

/** Reads the array at hand, bracket to bracket. */
ubi_status ubi__rows_read(ubi__rows *rows, const ubi__rows_array *array);
/** The first n_numbers of the batch were taken. */
void ubi__rows_taken(ubi__rows *rows, size_t n_numbers);
/** UBI_EFORMAT that points at the i-th number of the batch. */
ubi_status ubi__rows_fail(const ubi__rows *rows, size_t i, const char *format, ...) UBI_PRINTF(3, 4);
/** Where the i-th number of the batch is in the stream. */
uint64_t ubi__rows_offset(const ubi__rows *rows, size_t i);
/** A field of a row. Cost: O(1), for wide numbers O(log of how many the batch has). */
ubi_status ubi__rows_u32(const ubi__rows *rows, size_t row, uint32_t place, uint32_t *out);
ubi_status ubi__rows_u64(const ubi__rows *rows, size_t row, uint32_t place, uint64_t *out);

#endif
