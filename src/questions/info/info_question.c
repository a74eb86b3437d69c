/* SPDX-License-Identifier: MIT
 *
 * info_question.c: what kind of file this is, of a heap, a recording or a timeline, and what it carries.
 */
#include <stdio.h>

#include "questions/info/heap_info.h"
#include "questions/info/recording_info.h"
#include "questions/info/timeline_info.h"

typedef struct answer {
    ubi_session_kind kind; /* which one: */
    ubi__heap_info heap;
    ubi__recording_info recording;
    const ubi__session_timeline *timeline;
} answer;

static ubi_status info_compute(void *to, const ubi__asked *asked) {
    answer *a = to;
    a->kind = ubi__asked_kind(asked);
    switch (a->kind) {
    case UBI_SESSION_TIMELINE:
        return ubi__session_timeline_get(&a->timeline, ubi__asked_heap(asked));
    case UBI_SESSION_RECORDING:
        return ubi__recording_info_get(&a->recording, asked);
    default:
        return ubi__heap_info_get(&a->heap, asked);
    }
}

static ubi_status info_document(ubi__json *json, const void *of, const ubi__asked *asked) {
    const answer *a = of;
    (void)asked;
    if (a->kind == UBI_SESSION_TIMELINE)
        ubi__timeline_info_document(json, a->timeline);
    else if (a->kind == UBI_SESSION_RECORDING)
        ubi__recording_info_document(json, &a->recording);
    else
        ubi__heap_info_document(json, &a->heap);
    return UBI_OK;
}

static ubi_status info_page(const ubi__page *page, const void *of, const ubi__asked *asked) {
    const answer *a = of;
    if (a->kind == UBI_SESSION_TIMELINE)
        ubi__timeline_info_page(page, a->timeline, ubi__asked_name(asked));
    else if (a->kind == UBI_SESSION_RECORDING)
        ubi__recording_info_page(page, &a->recording);
    else
        ubi__heap_info_page(page, &a->heap);
    return UBI_OK;
}

static void info_remark(ubi__remarks *remarks, const void *of) {
    const answer *a = of;
    if (a->kind == UBI_SESSION_TIMELINE)
        snprintf(remarks->fault, sizeof remarks->fault, "%s", a->timeline->file.fault);
    else if (a->kind == UBI_SESSION_RECORDING)
        ubi__recording_info_remark(remarks, &a->recording);
}

static const ubi__parameter parameters[] = { UBI__PARAMETERS_END };

static const ubi__example examples[] = {
    { "info app.fxsnapshot", "the facts, one per line" },
    { "info --json app.fxsnapshot | jq .nodeCount", "one of them for a script" },
    { NULL, NULL },
};

const ubi__usage ubi__usage_info = {
    .name = "info",
    .operands = "FILE",
    .summary = "show what kind of file this is and what it carries",
    .question = "What kind of file is this, and what does it carry?",
    .description =
        "Prints the format of FILE, who wrote it and when, how many nodes, edges, strings and stacks it has, how much "
        "of the heap is reachable from its root, what it carries beside types and sizes, and what it costs in memory.\n"
        "\n"
        "Sizes are sums of the nodes' own (shallow) sizes. Nodes that cannot be reached from the root are in the file "
        "but in no analysis; scoped Firefox snapshots often have some.\n"
        "\n"
        "Of a recording of allocations (.ubirec) and of a timeline: who recorded what and when, and how much there is "
        "of everything.",
    .parameters = parameters,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 1,
};

const ubi__question ubi__question_info = {
    .usage = &ubi__usage_info,
    .schema = "ubiheap.info/1",
    .recording_schema = "ubiheap.recording-info/1",
    .timeline_schema = "ubiheap.timeline-info/1",
    .least_heaps = 1,
    .most_heaps = 1,
    .counts_time = true, /* that loading took */
    .answer_bytes = sizeof(answer),
    .compute = info_compute,
    .document = info_document,
    .page = info_page,
    .remark = info_remark,
};
