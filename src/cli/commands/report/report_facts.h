/* SPDX-License-Identifier: MIT
 *
 * report_facts.h: all that a report is made from.
 */
#ifndef UBI_CLI_REPORT_FACTS_H
#define UBI_CLI_REPORT_FACTS_H

#include <ubiheap/views/findings.h>

#include "cli/cli_files.h"
#include "cli/commands/report/report_keepers.h"
#include "cli/commands/report/report_paths.h"
#include "lenses/heap_summary.h"
#include "render/path_words.h"

/** Numbers are those of the lens. */
typedef struct ubi__report_facts {
    const ubi__snapshot *snapshot; /**< borrowed */
    const ubi_graph *graph;        /**< its graph */
    const ubi_look *look;          /**< its look */
    ubi__heap_summary summary;
    ubi__groups labels;
    ubi__groups functions;
    ubi_dominators *dominators; /**< owned, with sets */
    ubi__report_keepers keepers;
    ubi_findings *findings;  /**< owned */
    ubi__report_paths paths; /**< to keepers and to the first examples of findings */
    uint64_t outside_bytes;  /**< counted by the producer beside its nodes */
    uint64_t total_bytes;    /**< reachable and outside */
    bool with_detail;        /**< --detail: leave nothing out */
} ubi__report_facts;

/** Computes all of it. On failure there is still something to free. Errors: UBI_ENOMEM, UBI_ECANCELLED. */
ubi_status ubi__report_facts_init(ubi__report_facts *out, const ubi__snapshot *snapshot, ubi_progress progress);
void ubi__report_facts_fini(ubi__report_facts *facts);

/** The path to a node, as it is to be shown; n_steps 0: there is none. */
ubi__path_view ubi__report_path(const ubi__report_facts *facts, ubi_node_ix node);

/** The path that a finding is shown with; n_steps 0: there is none. */
ubi__path_view ubi__report_finding_path(const ubi__report_facts *facts, const ubi_finding *finding);

#define UBI__REPORT_HELD_BY 256
/** "variable cache of handler() (server.js:12)", NUL-terminated and safe. False: it has no such name, or the finding says it. */
bool ubi__report_held_by(char out[UBI__REPORT_HELD_BY], const ubi__report_facts *facts, const ubi_finding *finding);

/** Room for a path in one line. */
#define UBI__REPORT_PATH_BYTES 1024
/** A path in words of at most `columns`, NUL-terminated and safe; "" when there is none. */
void ubi__report_path_words(char out[UBI__REPORT_PATH_BYTES], const ubi__report_facts *facts, ubi_node_ix node,
                            unsigned columns);

#endif
