/* SPDX-License-Identifier: MIT
 *
 * leak_record_rows.c: see leak_record_rows.h.
 */
#include "analyses/leaks/leak_record_rows.h"

#include "base/assert.h"

#define MOST_NUMBER_BYTES 10
#define NUMBERS_OF_RUN 5

static uint8_t *number_write(uint8_t *to, uint64_t number) {
    for (; number >= 0x80; number >>= 7)
        *to++ = (uint8_t)(number | 0x80);
    *to++ = (uint8_t)number;
    return to;
}

static uint64_t number_read(ubi__record_reader *r) {
    uint64_t number = 0;
    uint8_t byte;
    unsigned shift = 0;
    do {
        UBI_ASSERT(r->at < r->end && shift < 64);
        byte = *r->at++;
        number |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    return number;
}

ubi_status ubi__record_row_read(ubi__record_reader *r, ubi__vec_record_run *runs, const ubi_allocator *a) {
    uint32_t end = 0;
    runs->n = 0;
    if (r->at == r->end)
        return UBI_OK;
    r->id += number_read(r);
    size_t n = (size_t)number_read(r);
    UBI_TRY(ubi__vec_record_run_reserve(runs, a, n));
    while (runs->n < n) {
        ubi__record_run *run = &runs->at[runs->n++];
        run->first = end + (uint32_t)number_read(r);
        run->end = end = run->first + (uint32_t)number_read(r);
        run->class_ix = (uint32_t)number_read(r) - 1;
        run->kind = (uint32_t)number_read(r);
        run->size_bytes = number_read(r);
    }
    return UBI_OK;
}

ubi_status ubi__record_row_write(ubi__vec_u8 *rows, uint64_t id, uint64_t id_before, const ubi__vec_record_run *runs,
                                 const ubi_allocator *a) {
    uint32_t end = 0;
    UBI_ASSERT(runs->n > 0 && id >= id_before);
    UBI_TRY(ubi__vec_u8_reserve(rows, a, (2 + NUMBERS_OF_RUN * runs->n) * MOST_NUMBER_BYTES));
    uint8_t *at = number_write(rows->at + rows->n, id - id_before);
    at = number_write(at, runs->n);
    for (size_t i = 0; i < runs->n; i++) {
        const ubi__record_run *run = &runs->at[i];
        UBI_ASSERT(run->first >= end && run->end > run->first);
        at = number_write(at, run->first - end);
        at = number_write(at, run->end - run->first);
        at = number_write(at, (uint32_t)(run->class_ix + 1)); /* UBI_NONE: 0 */
        at = number_write(at, run->kind);
        at = number_write(at, run->size_bytes);
        end = run->end;
    }
    rows->n = (size_t)(at - rows->at);
    return UBI_OK;
}
