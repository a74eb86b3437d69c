/* SPDX-License-Identifier: MIT
 *
 * recording_traces.h: stacks of a recording file as those of nsIMemoryProfiler: a tree of names.
 *
 * A name is a function and its position, "parse (/src/parse.c:31:7)", or module and address where nothing else is known;
 * inlined functions have traces of their own.
 */
#ifndef UBI_RECORDING_RECORDING_TRACES_H
#define UBI_RECORDING_RECORDING_TRACES_H

#include "recording/recording.h"
#include "recording/ubirec_tables.h"

/**
 * @param out     a new table, with its root alone.
 * @param traces  traces[traces of the file], overwritten: which of `out` it is.
 * Errors: UBI_ENOMEM, UBI_ELIMIT. Cost: O(traces), times the functions of a frame.
 */
ubi_status ubi__recording_traces_name(ubi__trace_table *out, ubi__trace_ix *traces, const ubi__ubirec_tables *tables);

#endif
