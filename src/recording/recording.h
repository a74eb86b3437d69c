/* SPDX-License-Identifier: MIT
 *
 * recording.h: what was allocated and freed, as tables of names, traces and events; and the same as users of the library have it.
 *
 * The tables are those of Mozilla's memory profiler, wider: an event also says what kind of thing was allocated, how many
 * bytes were asked for, by which thread, and as which allocation of its stream, so that a free is known by the allocation
 * that it ends. An event of a sampled allocation stands for `weight_bytes`.
 *
 * Stacks are a tree of names. A trace is a name and the trace that called it, which comes first; so a whole stack is one
 * number, and stacks share what they have in common. Name 0 is "(unknown)", and trace 0, of that name, is its own caller: the
 * root, or no stack at all.
 *
 * Memory: 48 bytes per event; 8 per trace and its name's text, and 24 to 48 for finding it again.
 * Source: mozilla-central (Firefox 38 to 55) tools/memory-profiler/MemoryProfiler.cpp, CompactTraceTable.h.
 */
#ifndef UBI_RECORDING_RECORDING_H
#define UBI_RECORDING_RECORDING_H

#include <assert.h>

#include <ubiheap/core/profiler.h>

#include "base/strtab.h"
#include "base/u64_map.h"

/* ---- traces ------------------------------------------------------------------------------------------------------ */

typedef uint32_t ubi__trace_ix;
#define UBI__TRACE_ROOT 0
#define UBI__TRACE_ROOT_NAME "(unknown)"

typedef struct ubi__trace {
    ubi_str_ix name;
    ubi__trace_ix parent; /* the caller; smaller, except for the root */
} ubi__trace;

static_assert(sizeof(ubi__trace) == 8, "8 bytes per trace");

UBI_VEC_DECLARE(ubi__vec_trace, ubi__trace);

typedef struct ubi__trace_table {
    const ubi_allocator *allocator;
    ubi__strtab names;
    ubi__vec_trace rows;
    ubi__u64_map index; /* (parent, name) -> trace */
} ubi__trace_table;

/** The root is its own caller and "(unknown)"; callers of others come before them; names are there; each trace is found again. */
void ubi__trace_table_check(const ubi__trace_table *t);
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

/* ---- recordings -------------------------------------------------------------------------------------------------- */

typedef struct ubi__event {
    uint64_t allocation;   /* from 1, in the order of the stream; a free has that of what it ends */
    uint64_t size_bytes;   /* that were asked for */
    uint64_t weight_bytes; /* that it stands for; 0: it was withdrawn, and does not count */
    uint64_t time_ns;      /* since the process began; never decreases in a stream */
    ubi__trace_ix trace;   /* of the allocation, also in a free */
    uint32_t thread;       /* that did it */
    ubi_str_ix kind;       /* what was allocated, a word: "malloc", "Array" */
    bool is_free;
} ubi__event;

static_assert(sizeof(ubi__event) == 48, "48 bytes per event");

UBI_VEC_DECLARE(ubi__vec_event, ubi__event);

typedef struct ubi__recording {
    const ubi_allocator *allocator;
    ubi__trace_table traces;
    ubi__strtab kinds;
    ubi__vec_event events;
    uint64_t period_bytes; /* of its sampler */
} ubi__recording;

/** Traces are as above, a period is one, and what events name is there. */
void ubi__recording_check(const ubi__recording *r);
ubi_status ubi__recording_init(ubi__recording *r, uint64_t period_bytes, const ubi_allocator *allocator);
void ubi__recording_fini(ubi__recording *r);

/**
 * What two sources recorded at the same time, as one: the tables of `first` keep their numbers, what only `second` has comes
 * after; events go by time, and of two at the same time that of `second` comes first. Withdrawn events are left out.
 * Allocations of `second` are numbered after those of `first`.
 * Errors: UBI_ENOMEM, UBI_ELIMIT, UBI_EMISMATCH (other periods). Cost: O(names + traces + events).
 */
ubi_status ubi__recording_merge(ubi__recording *out, const ubi__recording *first, const ubi__recording *second);

/* ---- for users --------------------------------------------------------------------------------------------------- */

struct ubi_recording {
    ubi__recording tables;
};

/** Names of native frames, for ubi__recorded_new; see ubi_profiler_options. */
typedef struct ubi__address_names {
    ubi_status (*name)(void *payload, uintptr_t return_address, ubi_profiler_name_fn fn, void *fn_payload);
    void *payload;
} ubi__address_names;

/**
 * A recording in which addresses have names. `from` is left as it is.
 * @param names  name NULL: an address is called by its module.
 * Errors: UBI_ENOMEM, UBI_ELIMIT, or what naming says. Cost: O(names + traces + events), and each address is named once.
 */
ubi_status ubi__recorded_new(ubi_recording **out, const ubi__recording *from, const ubi__address_names *names);

/** The name that stands for an address until it has one: "0x" and 16 digits. Names of scripts' frames end in ")". */
#define UBI__ADDRESS_NAME_BYTES 18
void ubi__address_name(char text[UBI__ADDRESS_NAME_BYTES + 1], uintptr_t address);
bool ubi__address_of_name(uintptr_t *out, ubi_text name);
/** "libm.so.6+0x1a2b": what is always known about an address. The text is in `text`. */
#define UBI__MODULE_NAME_BYTES 512
ubi_text ubi__address_in_module(char text[UBI__MODULE_NAME_BYTES], uintptr_t address);

#endif
