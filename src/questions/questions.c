/* SPDX-License-Identifier: MIT
 *
 * questions.c: questions by name, from list.h.
 */
#include <string.h>

#include "base/assert.h"
#include "base/human.h"
#include "base/status.h"
#include "questions/list.h"
#include "questions/question.h"

#define QUESTION_DECLARATION(name) extern const ubi__question ubi__question_##name;
UBI__QUESTIONS(QUESTION_DECLARATION)

#define QUESTION_ADDRESS(name) &ubi__question_##name,
const ubi__question *const ubi__questions[] = { UBI__QUESTIONS(QUESTION_ADDRESS) NULL };

const char *ubi__question_schema(const ubi__question *q, ubi_session_kind kind) {
    switch (kind) {
    case UBI_SESSION_RECORDING:
        return q->recording_schema;
    case UBI_SESSION_TIMELINE:
        return q->timeline_schema;
    case UBI_SESSION_HEAP:
        break;
    }
    return q->schema;
}

const ubi_query_name *ubi__question_own_facts(const ubi__question *q, ubi_session_kind kind) {
    return kind == UBI_SESSION_RECORDING  ? q->recording_facts
           : kind == UBI_SESSION_TIMELINE ? q->timeline_facts
                                          : q->heap_facts;
}

const char *ubi__session_kind_name(ubi_session_kind kind) {
    static const char *const names[] = {
        [UBI_SESSION_HEAP] = "heap", [UBI_SESSION_RECORDING] = "recording", [UBI_SESSION_TIMELINE] = "timeline"
    };
    return names[kind];
}

void ubi__question_check(const ubi__question *q) {
    size_t n_required = 0;
    ubi__usage_check(q->usage);
    UBI_ASSERT((q->schema || q->recording_schema || q->timeline_schema) && q->compute && q->document && q->page);
    UBI_ASSERT(q->facts || (!q->recording_facts && !q->timeline_facts));
    UBI_ASSERT(0 < q->least_heaps && q->least_heaps <= q->most_heaps);
    for (const ubi__parameter *p = q->usage->parameters; UBI_CHECKS && p->name; p++)
        n_required += p->is_required;
    UBI_ASSERT(q->usage->min_operands == (int)(q->least_heaps + n_required));
}

const ubi__question *ubi__question_find(const char *name) {
    for (const ubi__question *const *q = ubi__questions; *q; q++)
        if (strcmp((*q)->usage->name, name) == 0 || ((*q)->usage->alias && strcmp((*q)->usage->alias, name) == 0)) {
            ubi__question_check(*q);
            return *q;
        }
    return NULL;
}

ubi_status ubi__question_get(const ubi__question **out, const char *name) {
    ubi__suggestion near = ubi__suggestion_for(name);
    *out = ubi__question_find(name);
    if (*out)
        return UBI_OK;
    for (const ubi__question *const *q = ubi__questions; *q; q++)
        ubi__suggestion_try(&near, (*q)->usage->name);
    if (near.word)
        return ubi__fail(UBI_ENOTFOUND, "there is no question '%s'; did you mean '%s'?", name, near.word);
    return ubi__fail(UBI_ENOTFOUND, "there is no question '%s'", name);
}
