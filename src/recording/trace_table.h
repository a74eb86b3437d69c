/* SPDX-License-Identifier: MIT
 *
 * trace_table.h: the stacks of a recording, as a tree of names.
 *
 * A trace is a name and the trace that called it, which comes first; so a whole stack is one number, and stacks share what
 * they have in common. Name 0 is "(unknown)", and trace 0, of that name, is its own caller: the root, or no stack at all.
 *
 * Memory: 8 bytes per trace and its name's text, and 24 to 48 for finding it again.
 * Source: mozilla-central (Firefox 38 to 55) tools/memory-profiler/CompactTraceTable.h.
 */
#ifndef UBI_RECORDING_TRACE_TABLE_H
#define UBI_RECORDING_TRACE_TABLE_H

#include "base/strtab.h"
#include "base/u64_map.h"

typedef uint32_t ubi__trace_ix;
#define UBI__TRACE_ROOT 0
#define UBI__TRACE_ROOT_NAME "(unknown)"

typedef struct ubi__trace {
    ubi_str_ix name;
    ubi__trace_ix parent; /* that called it; smaller, but for the root */
} ubi__trace;

UBI_VEC_DECLARE(ubi__vec_trace, ubi__trace);

typedef struct ubi__trace_table {
    const ubi_allocator *allocator;
    ubi__strtab names;
    ubi__vec_trace rows;
    ubi__u64_map index; /* (parent, name) -> trace */
} ubi__trace_table;

/** With the root. Errors: UBI_ENOMEM, and nothing is left. */
ubi_status ubi__trace_table_init(ubi__trace_table *t, const ubi_allocator *allocator);
void ubi__trace_table_fini(ubi__trace_table *t);

static inline uint32_t ubi__trace_table_count(const ubi__trace_table *t) {
    return (uint32_t)t->rows.n;
}

/** The number of a name, which is copied when it is new. Errors: UBI_ENOMEM, UBI_ELIMIT. */
ubi_status ubi__trace_table_name(ubi__trace_table *t, ubi_str_ix *out, ubi_text name);
/** The trace of `name` called by `parent`. Errors: UBI_ENOMEM, UBI_ELIMIT (2^32 - 2 traces). */
ubi_status ubi__trace_table_child(ubi__trace_table *t, ubi__trace_ix *out, ubi__trace_ix parent, ubi_str_ix name);
/** The trace of a whole stack, outermost name first; the root for none. */
ubi_status ubi__trace_table_stack(ubi__trace_table *t, ubi__trace_ix *out, const ubi_text *names, size_t n);

#endif
