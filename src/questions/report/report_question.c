/* SPDX-License-Identifier: MIT
 *
 * report_question.c: what fills a heap, and what to look at next, on one screen.
 */
#include "base/status.h"
#include "questions/report/report_facts.h"
#include "questions/report/report_page.h"
#include "questions/report/report_values.h"

#define AT(field) offsetof(ubi__report_values, field)

static ubi_status report_compute(void *answer_of, const ubi__asked *asked) {
    ubi__report_facts *facts = answer_of;
    const ubi__report_values *values = asked->values;
    facts->with_detail = values->with_detail;
    return ubi__report_facts_get(facts, ubi__asked_heap(asked));
}

static ubi_status report_document(ubi__json *json, const void *answer_of, const ubi__asked *asked) {
    (void)asked;
    ubi__report_document(json, answer_of);
    return UBI_OK;
}

static ubi_status report_page(const ubi__page *page, const void *answer_of, const ubi__asked *asked) {
    (void)asked;
    ubi__report_page(page, answer_of);
    return UBI_OK;
}

static void report_facts(ubi__question_facts *out, const void *answer_of) {
    const ubi__report_facts *facts = answer_of;
    *out = (ubi__question_facts){ .graph = facts->graph, .look = facts->look, .dominators = facts->dominators };
}

static const ubi__parameter parameters[] = {
    UBI__FLAG("detail", 0, AT(with_detail), "leave nothing out for the sake of brevity"),
    UBI__FAIL_ON(AT(fail_on)),
    UBI__PARAMETERS_END,
};

static const ubi__example examples[] = {
    { "report app.fxsnapshot", "start here" },
    { "report --json app.fxsnapshot | jq -r '.findings[].text'", "the oddities alone" },
    { "report --detail app.heapsnapshot", "everything that rules found" },
    { NULL, NULL },
};

static const ubi__usage usage = {
    .name = "report",
    .operands = "FILE",
    .summary = "show on one screen what fills a heap and what to look at next",
    .question = "What fills this heap, or what did this program allocate?",
    .description =
        "Gives what a heap is and what matters most about it, then findings, what the heap is made of, the biggest "
        "kinds of things in it, the biggest retainers, which functions allocated it (when allocation stacks were "
        "recorded), and which questions to ask next. Without --detail a document has less than 8 KiB: lists are short "
        "and long names cut, which namesCut counts.",
    .parameters = parameters,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 1,
    .arguments_bytes = sizeof(ubi__report_values),
};

const ubi__question ubi__question_report = {
    .usage = &usage,
    .schema = "ubiheap.report/1",
    .least_heaps = 1,
    .most_heaps = 1,
    .condition = UBI__CONDITION_SNAPSHOT,
    .has_own_file_member = true,
    .answer_bytes = sizeof(ubi__report_facts),
    .compute = report_compute,
    .document = report_document,
    .page = report_page,
    .facts = report_facts,
};
