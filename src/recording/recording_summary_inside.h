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

#endif
