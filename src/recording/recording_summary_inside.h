/* SPDX-License-Identifier: MIT
 *
 * recording_summary_inside.h: what the files of a summary share (recording_summary.h).
 */
#ifndef UBI_RECORDING_RECORDING_SUMMARY_INSIDE_H
#define UBI_RECORDING_RECORDING_SUMMARY_INSIDE_H

#include "base/assert.h"
#include "base/bits.h"
#include "recording/recording_summary.h"

#define UBI__FIRST_CURVE_STEP_NS UINT64_C(1000000)

/** The point of the curve that is now. Those between it and the last one that there was have what lived then. */
ubi__curve_point *ubi__curve_point_now(ubi__recording_summary *s);

static inline ubi__ubirec_class ubi__info_class(const ubi__recording_summary *s, uint32_t info) {
    return s->tables.kinds.at[s->tables.infos.at[info].kind].class_of_kind;
}

/** One more, of an info that is in the tables. Errors: UBI_ENOMEM, and there is none. */
static inline ubi_status ubi__maker_add(ubi__recording_summary *s, uint32_t info, uint32_t thread) {
    const ubi__ubirec_info_row *row = &s->tables.infos.at[info];
    UBI_TRY(ubi__vec_maker_rest_reserve(&s->rests, s->allocator, s->makers.n + 1 - s->rests.n));
    return ubi__vec_maker_sums_push(&s->makers, s->allocator,
                                    (ubi__maker_sums){ .info = info,
                                                       .thread = thread,
                                                       .size_bytes = row->size_bytes,
                                                       .of_class = ubi__info_class(s, info),
                                                       .weight_bytes = row->weight_bytes });
}

/** Of a maker, to be changed. Until one is added. */
static inline ubi__maker_rest *ubi__maker_rest_of(ubi__recording_summary *s, size_t i) {
    UBI_ASSERT(i < s->makers.n && s->rests.cap >= s->makers.n);
    while (ubi__unlikely(s->rests.n <= i))
        s->rests.at[s->rests.n++] = (ubi__maker_rest){ 0 };
    return &s->rests.at[i];
}

/** Once nothing is added, infos have all that makers had. */
static inline void ubi__makers_fini(ubi__recording_summary *s) {
    ubi__vec_maker_sums_fini(&s->makers, s->allocator);
    ubi__vec_maker_rest_fini(&s->rests, s->allocator);
    ubi__u64_map_fini(&s->maker_of);
}

#endif
