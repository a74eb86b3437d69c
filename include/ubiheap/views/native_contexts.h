/* SPDX-License-Identifier: MIT
 *
 * ubiheap/views/native_contexts.h: V8: what each native context (page, frame, `vm` context) retains.
 *
 * A native context is what one page, frame, worker or `vm` context has for itself: its globals, its built-in prototypes. V8
 * notes for most JavaScript objects to which they belong; other nodes belong to those that lead to them, and to none of them
 * alone if there are several. Graphs of other engines have no native contexts: everything is attributed to none.
 */
#ifndef UBIHEAP_NATIVE_CONTEXTS_H
#define UBIHEAP_NATIVE_CONTEXTS_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/dominators.h>
#include <ubiheap/core/graph.h>
#include <ubiheap/views/lens.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Immutable: any number of threads may read it. Keeps a reference to the graph. */
typedef struct ubi_native_contexts ubi_native_contexts;

typedef struct ubi_native_context {
    ubi_node_ix node;
    uint64_t attributed_bytes; /**< sizes of the nodes that belong to it alone, as the lens sees sizes */
    uint64_t size_bytes;       /**< its own size */
    uint64_t retained_bytes;   /**< of its node; 0 without dominators */
} ubi_native_context;

/** Answers of ubi_native_contexts_of beside indices. */
#define UBI_NATIVE_CONTEXT_NONE UINT32_MAX
#define UBI_NATIVE_CONTEXT_SHARED (UINT32_MAX - 1)

typedef struct ubi_native_contexts_options {
    uint32_t version; /**< UBI_NATIVE_CONTEXTS_OPTIONS_VERSION */
    const ubi_allocator *allocator;
    ubi_progress progress; /**< stage "finding contexts" */
} ubi_native_contexts_options;

#define UBI_NATIVE_CONTEXTS_OPTIONS_VERSION 1
#define UBI_NATIVE_CONTEXTS_OPTIONS_INIT                                                                               \
    { .version = UBI_NATIVE_CONTEXTS_OPTIONS_VERSION }

/**
 * Attributes every node to a native context, to several, or to none.
 *
 * @param out         owned; untouched on failure.
 * @param look        borrowed during the call.
 * @param dominators  of the look's view, for retained sizes; borrowed during the call; NULL: none.
 * Cost: O(nodes + edges) time, O(names) when the graph has no native contexts. 4 bytes per node stay, as many again and 4
 * per node that waits to be passed on are used meanwhile.
 * Errors: UBI_EINVAL (options), UBI_ENOMEM, UBI_ECANCELLED.
 * Source: calculateNativeContextAttribution of front_end/entrypoints/heap_snapshot_worker/HeapSnapshot.ts in Chrome's
 * DevTools.
 */
UBI_API ubi_status ubi_native_contexts_new(ubi_native_contexts **out, const ubi_look *look,
                                           const ubi_dominators *dominators,
                                           const ubi_native_contexts_options *options);
UBI_API void ubi_native_contexts_free(ubi_native_contexts *contexts); /**< NULL is fine */

/** How many there are, in file order. O(1), as are all below. */
UBI_API uint32_t ubi_native_contexts_count(const ubi_native_contexts *contexts);
/** Borrowed. */
UBI_API const ubi_native_context *ubi_native_contexts_at(const ubi_native_contexts *contexts, uint32_t index);
/** The index of the native context that has the node, UBI_NATIVE_CONTEXT_SHARED or UBI_NATIVE_CONTEXT_NONE. */
UBI_API uint32_t ubi_native_contexts_of(const ubi_native_contexts *contexts, ubi_node_ix node);
/** Sizes of nodes that several have, and of those that none has. */
UBI_API uint64_t ubi_native_contexts_shared_bytes(const ubi_native_contexts *contexts);
UBI_API uint64_t ubi_native_contexts_unattributed_bytes(const ubi_native_contexts *contexts);

#ifdef __cplusplus
}
#endif
#endif
