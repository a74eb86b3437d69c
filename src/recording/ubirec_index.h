/* SPDX-License-Identifier: MIT
 *
 * ubirec_index.h: the last block of a recording file that was written to its end: what it holds, so that readers need
 * not read the whole. docs/formats/ubirec.md has its layout. Readers of records skip it.
 */
#ifndef UBI_RECORDING_UBIREC_INDEX_H
#define UBI_RECORDING_UBIREC_INDEX_H

#include "base/source.h"
#include "recording/ubirec_layout.h"

typedef struct ubi__ubirec_index {
    uint64_t n_blocks;                          /* of records */
    uint64_t time_ns;                           /* at the end, since the process began */
    uint64_t n_allocations, n_frees, n_markers; /* markers: STARTs and TIMESTAMPs */
    uint64_t n_threads, n_modules, n_frames, n_traces;
    bool is_exact; /* all allocations were recorded, always */
    bool has_end;
    ubi__ubirec_end end;
    uint64_t counters[UBI__UBIREC_COUNTER_COUNT];
} ubi__ubirec_index;

/** Bytes of the block, with its header, as this version writes it. */
#define UBI__UBIREC_INDEX_NUMBERS (12 + UBI__UBIREC_COUNTER_COUNT)
#define UBI__UBIREC_INDEX_BYTES (UBI__UBIREC_BLOCK_HEADER_BYTES + 8 * (1 + UBI__UBIREC_INDEX_NUMBERS + 2))

static_assert(UBI__UBIREC_INDEX_BYTES <= 4096, "UBI__UBIREC_INDEX_MAX bytes of a file hold it");

void ubi__ubirec_index_write(uint8_t out[UBI__UBIREC_INDEX_BYTES], const ubi__ubirec_index *index);
/**
 * @param tail  tail[n], the end of a file, with UBI__UBIREC_INDEX_MAX bytes of it or all.
 * @return false: there is no index, or it is damaged.
 */
bool ubi__ubirec_index_read(ubi__ubirec_index *out, const uint8_t *tail, size_t n);
#define UBI__UBIREC_INDEX_MAX 4096
/** The index of a file that can be read anywhere, without moving in it. False: there is none, or one has to read it all. */
bool ubi__ubirec_index_find(ubi__ubirec_index *out, const ubi__source *source);

#endif
