/* SPDX-License-Identifier: MIT
 *
 * ubiheap/views/export.h: converts a heap of V8 for Firefox.
 *
 * Firefox's Memory panel knows nothing of V8's rules: which edges keep nothing alive, whose bytes a hash table counts for,
 * which nodes no edge leads to, which elements are detached and what file a piece of code is from. An export takes all
 * of that from an opened lens; saved with it, a snapshot gives in Firefox the sizes and dominators that Chrome's DevTools give.
 *
 *     ubi_look_open(&look, NULL, graph, NULL);
 *     ubi_export_new(&export, look, NULL);
 *     ubi_save_options save = UBI_SAVE_OPTIONS_INIT;
 *     ubi_export_apply(export, &save);
 *     ubi_graph_save_path(graph, "app.fxsnapshot", &save, NULL);
 *
 * What is lost: names of strings and functions, kinds of edges, bytes that the producer counts beside its nodes.
 */
#ifndef UBIHEAP_EXPORT_H
#define UBIHEAP_EXPORT_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/formats.h>
#include <ubiheap/views/lens.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a save gets from a lens. Immutable; borrows from the look. */
typedef struct ubi_export ubi_export;

typedef struct ubi_export_options {
    uint32_t version; /**< UBI_EXPORT_OPTIONS_VERSION */
    const ubi_allocator *allocator;
    bool with_all_edges; /**< also those that keep nothing alive: dominators change; orphans stay where they are */
    bool with_raw_sizes; /**< as the file has them, not as the lens counts them */
} ubi_export_options;

#define UBI_EXPORT_OPTIONS_VERSION 1
#define UBI_EXPORT_OPTIONS_INIT                                                                                        \
    { UBI_EXPORT_OPTIONS_VERSION, NULL, false, false }

/**
 * @param out      owned; must not outlive the look.
 * @param options  NULL: the defaults.
 * Errors: UBI_EINVAL (version), UBI_ENOMEM. Cost: O(1); graphs of V8 that have code: O(nodes + edges) time and 4 bytes per
 * node, for the files.
 */
UBI_API ubi_status ubi_export_new(ubi_export **out, const ubi_look *look, const ubi_export_options *options);
UBI_API void ubi_export_free(ubi_export *e); /**< NULL is fine */
/** Sets `view` and `words_of_node`, which borrow from the export. */
UBI_API void ubi_export_apply(const ubi_export *e, ubi_save_options *save);

#ifdef __cplusplus
}
#endif
#endif
