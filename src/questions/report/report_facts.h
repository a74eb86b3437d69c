/* SPDX-License-Identifier: MIT
 *
 * report_facts.h: all that a report is made from.
 */
#ifndef UBI_QUESTIONS_REPORT_FACTS_H
#define UBI_QUESTIONS_REPORT_FACTS_H

#include "questions/report/report_parts.h"
#include "render/path_words.h"

/** Numbers are those of the lens. All borrowed from the session. */
typedef struct ubi__report_facts {
    const char *name; /**< of the heap */
    const ubi_graph *graph;
    const ubi_look *look;
    const ubi_dominators *dominators;
    const ubi__report_sums *sums;
    const ubi_findings *findings;
    const ubi__report_holders *holders;
    uint64_t outside_bytes; /**< counted by the producer beside its nodes */
    uint64_t total_bytes;   /**< reachable and outside */
    bool with_detail;       /**< leave nothing out */
} ubi__report_facts;

/** Errors: those of the parts. */
ubi_status ubi__report_facts_get(ubi__report_facts *out, ubi_session_use *heap);

/** The path to a node that is named, as it is to be shown; n_steps 0: there is none. */
static inline ubi__path_view ubi__report_path_to(const ubi__report_facts *facts, ubi_node_ix node) {
    return ubi__report_path(&facts->holders->paths, facts->look, node);
}
/** The path that a finding is shown with; n_steps 0: there is none. */
ubi__path_view ubi__report_finding_path(const ubi__report_facts *facts, const ubi_finding *finding);

#define UBI__REPORT_HELD_BY 256
/** "variable cache of handler() (server.js:12)", NUL-terminated and safe. False: it has no such name, or the finding says it. */
bool ubi__report_held_by(char out[UBI__REPORT_HELD_BY], const ubi__report_facts *facts, const ubi_finding *finding);

/** A path in words of at most `columns`, NUL-terminated and safe; "" when there is none. */
void ubi__report_path_words(char out[UBI__PATH_LINE_BYTES], const ubi__report_facts *facts, ubi_node_ix node,
                            unsigned columns);

#endif
