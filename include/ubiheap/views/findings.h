/* SPDX-License-Identifier: MIT
 *
 * ubiheap/views/findings.h: what looks wrong in a heap, and how much fixing it would save.
 *
 *     ubi_findings *findings;
 *     ubi_findings_new(&findings, look, NULL);
 *     for (uint32_t i = 0; i < ubi_findings_count(findings); i++)
 *         puts(ubi_findings_get(findings, i)->text);
 *
 * A finding is a rule that holds. Each rule is a function and a row in a table; docs/explanation/what-report-looks-for.md says
 * what they look for, why, and what to do. Rules have thresholds, so that a heap in order has few findings or none.
 */
#ifndef UBIHEAP_FINDINGS_H
#define UBIHEAP_FINDINGS_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/dominators.h>
#include <ubiheap/core/formats.h>
#include <ubiheap/core/graph.h>
#include <ubiheap/views/lens.h>

#ifdef __cplusplus
extern "C" {
#endif

#define UBI_FINDING_TITLE 96
#define UBI_FINDING_TEXT 480
#define UBI_FINDING_NODES 3

/** A rule that holds. Plain data without pointers but `rule`. */
typedef struct ubi_finding {
    const char *rule; /**< such as "duplicateStrings", for scripts; static */
    /** What it is about, in a few words that follow "120 KiB in": "duplicate strings". Names as in `text`. */
    char title[UBI_FINDING_TITLE];
    /** One sentence or two. Quotes names from the snapshot as they are, cut: make them safe before showing. */
    char text[UBI_FINDING_TEXT];
    uint64_t bytes; /**< possible savings, at most; 0: none, or unknown */
    uint64_t count; /**< of the things it is about; 0: it is about none */
    uint32_t n_nodes;
    ubi_node_ix nodes[UBI_FINDING_NODES]; /**< examples, the most telling first */
    /** Where a path says most, if there are examples: to the first of them, or on to what that alone keeps alive. */
    ubi_node_ix path_to;
} ubi_finding;

/** Findings of a heap. Immutable; needs neither look nor graph any more. */
typedef struct ubi_findings ubi_findings;

typedef struct ubi_findings_options {
    uint32_t version; /**< UBI_FINDINGS_OPTIONS_VERSION */
    const ubi_allocator *allocator;
    ubi_progress progress;
    const ubi_dominators *dominators; /**< of the look's view; NULL: made, and freed again. Borrowed during the call */
    const ubi_read_info *info;        /**< how reading went, or NULL. Borrowed during the call */
} ubi_findings_options;

#define UBI_FINDINGS_OPTIONS_VERSION 1
#define UBI_FINDINGS_OPTIONS_INIT                                                                                      \
    { .version = UBI_FINDINGS_OPTIONS_VERSION }

/**
 * Looks for everything there is a rule for.
 *
 * @param out   owned; untouched on failure.
 * @param look  borrowed during the call.
 * Cost: beside dominators, O(nodes + edges) time; those of ubi_strings_new where the heap has texts. A byte and some bits per node.
 * Errors: UBI_EINVAL (options), UBI_ENOMEM, UBI_ECANCELLED.
 */
UBI_API ubi_status ubi_findings_new(ubi_findings **out, const ubi_look *look, const ubi_findings_options *options);
UBI_API void ubi_findings_free(ubi_findings *findings); /**< NULL is fine */

/** How many rules hold, counted as often as they do. O(1). */
UBI_API uint32_t ubi_findings_count(const ubi_findings *findings);
/** Those with bytes to win first, the most of them first; then the others, the most important first. Borrowed. O(1). */
UBI_API const ubi_finding *ubi_findings_get(const ubi_findings *findings, uint32_t index);

#ifdef __cplusplus
}
#endif
#endif
