/* SPDX-License-Identifier: MIT
 *
 * leak_record_rows.h: the table of a record: a row for each id that was in some heap, in the order of ids, and a run for each time that it was there as
 * the same thing.
 *
 *     row:  id, less that of the row before | runs | run ...
 *     run:  first step, less the end of the run before | steps | class | kind | own size
 *
 * All are numbers of seven bits a byte, so that most rows take 7 or 8 bytes. Heaps in which nodes share an id have a row for each. Rows are read and
 * written from front to back alone: adding a heap writes the table again.
 */
#ifndef UBI_ANALYSES_LEAK_RECORD_ROWS_H
#define UBI_ANALYSES_LEAK_RECORD_ROWS_H

#include <ubiheap/core/graph.h>

#include "base/alloc.h"

/** What a node was in the steps from `first` on, before `end`. */
typedef struct ubi__record_run {
    uint32_t first, end;
    uint32_t class_ix; /**< of the record; UBI_NONE: in none */
    uint32_t kind;     /**< of the record */
    uint64_t size_bytes;
} ubi__record_run;
UBI_VEC_DECLARE(ubi__vec_record_run, ubi__record_run);

typedef struct ubi__record_reader {
    const uint8_t *at, *end;
    uint64_t id; /**< of the row that was read last */
} ubi__record_reader;

static inline ubi__record_reader ubi__record_reader_of(const ubi__vec_u8 *rows) {
    return (ubi__record_reader){ rows->at, rows->at ? rows->at + rows->n : rows->at, 0 };
}
/** The next row. @param runs  out: replaced; none: there is no row. Errors: UBI_ENOMEM. */
ubi_status ubi__record_row_read(ubi__record_reader *reader, ubi__vec_record_run *runs, const ubi_allocator *allocator);
/** Appends a row. @param id_before  that of the row before, which is not larger. Errors: UBI_ENOMEM. */
ubi_status ubi__record_row_write(ubi__vec_u8 *rows, uint64_t id, uint64_t id_before, const ubi__vec_record_run *runs,
                                 const ubi_allocator *allocator);

#endif
