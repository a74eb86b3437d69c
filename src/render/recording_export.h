/* SPDX-License-Identifier: MIT
 *
 * recording_export.h: stacks of a recording in formats that other tools read.
 *
 * All of them write as they go. Numbers are whole (recording/stack_values.h). Errors: UBI_EIO when a write was refused, UBI_ENOMEM,
 * UBI_ELIMIT. Cost: linear in the allocations of different size and stack, and in the functions of their stacks.
 */
#ifndef UBI_RENDER_RECORDING_EXPORT_H
#define UBI_RENDER_RECORDING_EXPORT_H

#include "recording/flame_tree.h"
#include "recording/recording_summary.h"

/** Functions of a stack that is written as a whole, the innermost; a program's stack is less deep, and a file may say anything. */
#define UBI__EXPORT_DEPTH 4096

/**
 * A profile in pprof's format, profile.proto, as a gzip member: for each stack and size what was allocated, what was not freed, and what
 * was alive at the peak, as objects and bytes (alloc_objects, alloc_space, inuse_objects, inuse_space, peak_objects, peak_space). Samples
 * have the labels `bytes`, the size of a block, and `kind`. Locations have their mapping and its build-id, and a line for each
 * function that was inlined.
 * @param with_frees  false: what was not freed is unknown, and only the first two are written.
 */
ubi_status ubi__render_pprof(ubi_write_fn write, void *payload, const ubi__stack_choice *choice, bool with_frees,
                             const ubi_allocator *allocator);

/**
 * A line for each stack: functions from the outermost in, between semicolons, a space and the number. Semicolons in names become
 * colons. What has no stack is of "(no stack)".
 */
ubi_status ubi__render_collapsed(ubi_write_fn write, void *payload, const ubi__flame_tree *tree,
                                 const ubi_allocator *allocator);

/**
 * Trace events as JSON, for Perfetto (ui.perfetto.dev) and chrome://tracing: counters of the bytes of the heap that live and of those
 * that are resident, by time. They are points of the summary's curve, so at most UBI__CURVE_POINTS.
 */
ubi_status ubi__render_memory_chrome(ubi_write_fn write, void *payload, const ubi__recording_summary *s);

#endif
