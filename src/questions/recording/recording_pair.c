/* SPDX-License-Identifier: MIT
 *
 * recording_pair.c: see recording_pair.h.
 */
#include "questions/recording/recording_pair.h"

#include <stdio.h>

#include "base/status.h"
#include "questions/recording/recording_suppressed.h"

static ubi_status side_read(ubi__recording_pair *pair, const ubi__asked *asked, uint32_t i) {
    ubi__recording_side *side = &pair->sides[i];
    ubi__asked one = *asked;
    one.heaps += i;
    one.n_heaps = 1;
    side->name = ubi__asked_name_at(asked, i);
    UBI_TRY(ubi__asked_about(asked, i, ubi__recording_report_new(&side->report, &one, &pair->wishes)));
    return ubi__asked_about(asked, i, ubi__recording_view_init(&side->view, side->report, &one));
}

/* Both are compared by what matters most of the newer one, if both have it. */
static ubi_status measure_choose(ubi__recording_pair *pair, const ubi__asked *asked) {
    const ubi__recording_view *new = &pair->sides[UBI__DIFF_NEW].view;
    const ubi__recording_summary *old = pair->sides[UBI__DIFF_OLD].report->summary;
    pair->of_class = new->of_class;
    pair->order = new->order;
    if (!pair->wishes.by && !ubi__recording_has_measure(old, pair->of_class, ubi__order_measure(pair->order)))
        pair->order = UBI__BY_TOTAL;
    for (uint32_t i = 0; i < UBI__DIFF_SIDES; i++) {
        ubi__recording_view view = pair->sides[i].view;
        view.of_class = pair->of_class;
        view.order = pair->order;
        UBI_TRY(ubi__asked_about(asked, i, ubi__recording_stack_measure(&pair->measure, &view)));
    }
    return UBI_OK;
}

ubi_status ubi__recording_pair_read(ubi__recording_pair *pair, const ubi__asked *asked) {
    for (uint32_t i = 0; i < UBI__DIFF_SIDES; i++)
        UBI_TRY(side_read(pair, asked, i));
    return measure_choose(pair, asked);
}

void ubi__recording_pair_fini(ubi__recording_pair *pair) {
    for (int i = 0; i < UBI__DIFF_SIDES; i++)
        ubi__recording_report_free(pair->sides[i].report);
}

void ubi__recording_pair_remark(ubi__remarks *remarks, const ubi__recording_pair *pair) {
    for (int i = UBI__DIFF_SIDES; i-- > 0 && !remarks->fault[0];) {
        const ubi__recording_side *side = &pair->sides[i];
        ubi__remarks own = { .fault = "" };
        ubi__recording_remark_parts(&own, side->report);
        ubi__recording_suppressed_remark(&own, side->report, pair->of_class, pair->order);
        if (own.fault[0])
            snprintf(remarks->fault, sizeof remarks->fault, "%s: %.400s", side->name, own.fault);
        if (own.note[0] && !remarks->note[0])
            snprintf(remarks->note, sizeof remarks->note, "%.80s: %.160s", side->name, own.note);
        if (own.passed[0] && !remarks->passed[0])
            snprintf(remarks->passed, sizeof remarks->passed, "%s", own.passed);
    }
}
