/* SPDX-License-Identifier: MIT
 *
 * info_question.c: what a recording or a timeline is, and what its file carries.
 */
#include <stdio.h>

#include "questions/info/recording_info.h"
#include "questions/info/timeline_info.h"

typedef struct answer {
    ubi__recording_info recording;         /* or: */
    const ubi__session_timeline *timeline; /* NULL: of a recording */
} answer;

static ubi_status info_compute(void *to, const ubi__asked *asked) {
    answer *a = to;
    return ubi__asked_kind(asked) == UBI_SESSION_TIMELINE
               ? ubi__session_timeline_get(&a->timeline, ubi__asked_heap(asked))
               : ubi__recording_info_get(&a->recording, asked);
}

static ubi_status info_document(ubi__json *json, const void *of, const ubi__asked *asked) {
    const answer *a = of;
    (void)asked;
    if (a->timeline)
        ubi__timeline_info_document(json, a->timeline);
    else
        ubi__recording_info_document(json, &a->recording);
    return UBI_OK;
}

static ubi_status info_page(const ubi__page *page, const void *of, const ubi__asked *asked) {
    const answer *a = of;
    if (a->timeline)
        ubi__timeline_info_page(page, a->timeline, ubi__asked_name(asked));
    else
        ubi__recording_info_page(page, &a->recording);
    return UBI_OK;
}

static void info_remark(ubi__remarks *remarks, const void *of) {
    const answer *a = of;
    if (a->timeline)
        snprintf(remarks->fault, sizeof remarks->fault, "%s", a->timeline->file.fault);
    else
        ubi__recording_info_remark(remarks, &a->recording);
}

static const ubi__parameter parameters[] = { UBI__PARAMETERS_END };

static const ubi__example examples[] = {
    { "info server.ubirec", "the facts, one per line" },
    { NULL, NULL },
};

static const ubi__usage usage = {
    .name = "info",
    .operands = "FILE",
    .summary = "show what kind of file this is and what it carries",
    .question = "What kind of file is this, and what does it carry?",
    .description = "Gives who recorded what and when, and how much there is of everything.",
    .parameters = parameters,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 1,
};

const ubi__question ubi__question_info = {
    .usage = &usage,
    .recording_schema = "ubiheap.recording-info/1",
    .timeline_schema = "ubiheap.timeline-info/1",
    .least_heaps = 1,
    .most_heaps = 1,
    .answer_bytes = sizeof(answer),
    .compute = info_compute,
    .document = info_document,
    .page = info_page,
    .remark = info_remark,
};
