/* SPDX-License-Identifier: MIT
 *
 * recording_pair.h: two recordings that are compared, and by what.
 */
#ifndef UBI_QUESTIONS_RECORDING_RECORDING_PAIR_H
#define UBI_QUESTIONS_RECORDING_RECORDING_PAIR_H

#include "questions/recording/recording_page.h"
#include "recording/recording_diff.h"

/** One of the two. */
typedef struct ubi__recording_side {
    const char *name;
    ubi__recording_report *report; /**< owned */
    ubi__recording_view view;
} ubi__recording_side;

typedef struct ubi__recording_pair {
    ubi__recording_wishes wishes; /**< of both */
    ubi__recording_side sides[UBI__DIFF_SIDES];
    ubi__ubirec_class of_class;
    ubi__site_order order;
    ubi__stack_measure measure;
} ubi__recording_pair;

/** Of the question's two files, with the wishes in `pair`. Its owner frees it, also when this fails half way. Errors: those of the
 *  recordings, UBI_EINVAL: what is compared is unknown. */
ubi_status ubi__recording_pair_read(ubi__recording_pair *pair, const ubi__asked *asked);
void ubi__recording_pair_fini(ubi__recording_pair *pair);
/** What is wrong with the newer one, or else the older one. */
void ubi__recording_pair_remark(ubi__remarks *remarks, const ubi__recording_pair *pair);

#endif
