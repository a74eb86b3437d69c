/* SPDX-License-Identifier: MIT
 *
 * ubiheap.h: the whole public API.
 *
 *     ubi_graph *graph;
 *     if (ubi_graph_read_path(&graph, "app.fxsnapshot", NULL, NULL) != UBI_OK)
 *         fprintf(stderr, "%s\n", ubi_error_message());
 *
 * Not here: quickjs.h, the live tools for programs that embed QuickJS; they are compiled with the program's own engine.
 *
 * Start with graph.h (what a heap is here), formats.h (where it comes from) and census.h (what is in it).
 */
#ifndef UBIHEAP_H
#define UBIHEAP_H

/* What a heap is, files, analyses, recording. */
#include <ubiheap/core/anonymize.h>
#include <ubiheap/core/base.h>
#include <ubiheap/core/census.h>
#include <ubiheap/core/classes.h>
#include <ubiheap/core/diff.h>
#include <ubiheap/core/dominator_tree.h>
#include <ubiheap/core/dominators.h>
#include <ubiheap/core/formats.h>
#include <ubiheap/core/graph.h>
#include <ubiheap/core/labels.h>
#include <ubiheap/core/leaks.h>
#include <ubiheap/core/marker.h>
#include <ubiheap/core/node.h>
#include <ubiheap/core/paths.h>
#include <ubiheap/core/profiler.h>
#include <ubiheap/core/query.h>
#include <ubiheap/core/recorder.h>
#include <ubiheap/core/stacks.h>
#include <ubiheap/core/timeline.h>
#include <ubiheap/core/treemap.h>

/* A heap as the tools of its producer show it. */
#include <ubiheap/views/allocations.h>
#include <ubiheap/views/export.h>
#include <ubiheap/views/findings.h>
#include <ubiheap/views/keepers.h>
#include <ubiheap/views/lens.h>
#include <ubiheap/views/native_contexts.h>
#include <ubiheap/views/render.h>
#include <ubiheap/views/retaining.h>
#include <ubiheap/views/search.h>
#include <ubiheap/views/statistics.h>
#include <ubiheap/views/strings.h>
#include <ubiheap/views/summary.h>
#include <ubiheap/views/timeline_front.h>
#include <ubiheap/views/timeline_waterfall.h>

/* For programs that bring a live heap or ask much of one: may change in any release. */
#include <ubiheap/extension/ask.h>
#include <ubiheap/extension/console.h>
#include <ubiheap/extension/native_stacks.h>
#include <ubiheap/extension/session.h>
#include <ubiheap/extension/target.h>
#include <ubiheap/extension/target_profiler.h>
#include <ubiheap/extension/target_timeline.h>
#include <ubiheap/extension/tracking.h>

#endif
