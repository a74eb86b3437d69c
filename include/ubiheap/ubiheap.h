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

#include <ubiheap/allocations.h>
#include <ubiheap/anonymize.h>
#include <ubiheap/base.h>
#include <ubiheap/census.h>
#include <ubiheap/classes.h>
#include <ubiheap/diff.h>
#include <ubiheap/dominator_tree.h>
#include <ubiheap/dominators.h>
#include <ubiheap/export.h>
#include <ubiheap/findings.h>
#include <ubiheap/formats.h>
#include <ubiheap/graph.h>
#include <ubiheap/keepers.h>
#include <ubiheap/labels.h>
#include <ubiheap/leaks.h>
#include <ubiheap/lens.h>
#include <ubiheap/marker.h>
#include <ubiheap/native_contexts.h>
#include <ubiheap/node.h>
#include <ubiheap/paths.h>
#include <ubiheap/profiler.h>
#include <ubiheap/query.h>
#include <ubiheap/render.h>
#include <ubiheap/retaining.h>
#include <ubiheap/search.h>
#include <ubiheap/stacks.h>
#include <ubiheap/statistics.h>
#include <ubiheap/strings.h>
#include <ubiheap/summary.h>
#include <ubiheap/target.h>
#include <ubiheap/timeline.h>
#include <ubiheap/timeline_front.h>
#include <ubiheap/timeline_waterfall.h>
#include <ubiheap/tracking.h>
#include <ubiheap/treemap.h>

#endif
