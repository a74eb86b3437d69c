/* SPDX-License-Identifier: MIT
 *
 * ubiheap/views/search.h: nodes by name.
 *
 *     ubi_search *found;
 *     ubi_search_new(&found, look, text("session"), NULL);      names that hold "session" in any case
 *     nodes = ubi_search_nodes(found, &n);
 *
 * A name is what the lens calls a single node (ubi_look_display_name): the text of a string, the properties of a plain object,
 * the name of a function, the class of an object. As in Chrome's DevTools, nodes whose size is 0 are not looked at.
 */
#ifndef UBIHEAP_SEARCH_H
#define UBIHEAP_SEARCH_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/graph.h>
#include <ubiheap/views/lens.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ubi_search_how {
    UBI_SEARCH_ANY_CASE = 0, /**< the text occurs, upper and lower case being the same, as for JavaScript's /i */
    UBI_SEARCH_EXACT,        /**< the text occurs as it is */
    UBI_SEARCH_PATTERN       /**< a regular expression matches somewhere; upper and lower case differ */
} ubi_search_how;

typedef struct ubi_search_options {
    uint32_t version; /**< UBI_SEARCH_OPTIONS_VERSION */
    const ubi_allocator *allocator;
    ubi_progress progress; /**< stage "searching", in nodes */
    unsigned threads;      /**< 0: one per core */
    ubi_search_how how;
    /** Look at these only: ascending, below the node count; NULL: at all nodes. Borrowed during the call. */
    const ubi_node_ix *among; /**< among[n_among] */
    uint32_t n_among;
} ubi_search_options;

#define UBI_SEARCH_OPTIONS_VERSION 1
#define UBI_SEARCH_OPTIONS_INIT                                                                                        \
    { .version = UBI_SEARCH_OPTIONS_VERSION }

/** Whether a query can be searched for: UBI_OK, or UBI_EINVAL with a message for a pattern with a mistake; UBI_ENOMEM. */
UBI_API ubi_status ubi_search_check(ubi_text query, ubi_search_how how);

/** What was found. Immutable; needs neither the look nor the graph any more. */
typedef struct ubi_search ubi_search;

/**
 * Finds nodes by name.
 *
 * @param query  what to look for; the empty text is in every name. Borrowed during the call.
 * @param options  NULL: the defaults.
 * Errors: UBI_EINVAL (options; a pattern with a mistake, the message says where), UBI_ENOMEM, UBI_ECANCELLED.
 * Cost: each different string of the file is looked at once, and each name that is put together: O(their bytes), for patterns
 * times the states of the pattern; no recursion. Memory: 1 byte per string and class, 4 per node found.
 * Patterns: docs/reference/expressions.md.
 * Source: chrome-devtools-frontend front_end/entrypoints/heap_snapshot_worker/HeapSnapshot.ts, HeapSnapshot.search.
 */
UBI_API ubi_status ubi_search_new(ubi_search **out, const ubi_look *look, ubi_text query,
                                  const ubi_search_options *options);
UBI_API void ubi_search_free(ubi_search *search); /**< NULL is fine */
/** nodes[*n], ascending, borrowed; may be NULL when there are none. O(1). */
UBI_API const ubi_node_ix *ubi_search_nodes(const ubi_search *search, uint32_t *n);

#ifdef __cplusplus
}
#endif
#endif
