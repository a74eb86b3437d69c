/* SPDX-License-Identifier: MIT
 *
 * diff_recordings.h: what changed between two recordings (recording/recording_diff.h).
 */
#ifndef UBI_QUESTIONS_DIFF_RECORDINGS_H
#define UBI_QUESTIONS_DIFF_RECORDINGS_H

#include "questions/diff/diff_answer.h"
#include "questions/recording/recording_page.h"
#include "questions/recording/recording_pair.h"

struct ubi__diff_recordings {
    const ubi__diff_values *values;
    ubi__recording_pair pair; /**< owned */
    bool has_diff;
    ubi__recording_diff diff; /**< owned */
};

/** Refuses parameters that are for heaps. Errors: UBI_EINVAL. */
ubi_status ubi__diff_recordings_check(const ubi__diff_values *values);
/** Refuses parameters that are for recordings. Errors: UBI_EINVAL. */
ubi_status ubi__diff_heaps_check(const ubi__diff_values *values);
/** Owned by the caller, also when it fails half way. Errors: those of the recordings, UBI_EINVAL: what is compared is unknown. */
ubi_status ubi__diff_recordings_compute(ubi__diff_recordings *r, const ubi__asked *asked);
void ubi__diff_recordings_free(ubi__diff_recordings *r, const ubi_allocator *allocator);

/** Members of its document. Errors: UBI_ENOMEM. */
ubi_status ubi__diff_recordings_document(ubi__json *json, const ubi__diff_recordings *r);
ubi_status ubi__diff_recordings_page(const ubi__page *page, const ubi__diff_recordings *r);
ubi__condition_estimates ubi__diff_recordings_estimates(ubi__diff_recordings *r);

/** "second", "allocation", or NULL: numbers are those of the whole. */
static inline const char *ubi__diff_recordings_per(const ubi__diff_recordings *r) {
    return r->values->per;
}
/** Whether limits of a place on both sides do not meet, or both are exact. */
bool ubi__diff_place_is_certain(const ubi__diff_recordings *r, const ubi__diff_place *place);
/** Limits of what a place has on a side, of the measure; not multiplied. */
ubi__range ubi__diff_place_range(const ubi__diff_recordings *r, const ubi__diff_place *place, int side);

#endif
