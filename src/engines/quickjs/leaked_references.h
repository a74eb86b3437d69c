/* SPDX-License-Identifier: MIT
 *
 * leaked_references.h: what the adapter reports about things that are held from outside of the heap; leaked_references.c makes the
 * report.
 */
#ifndef UBI_QUICKJS_LEAKED_REFERENCES_H
#define UBI_QUICKJS_LEAKED_REFERENCES_H

#include <ubiheap/extension/quickjs_leaks.h>

#include "engines/quickjs/references.h"

#define UBI__CONTENTS_BYTES 128
#define UBI__HOLDER_BYTES 128

/** A thing that is held from outside, or that waits for a collection. */
typedef struct ubi__held {
    uint64_t id;
    uint64_t references, excess;
    uint64_t size_bytes;
    char contents[UBI__CONTENTS_BYTES]; /* UTF-8; empty: nothing to show */
    char holder[UBI__HOLDER_BYTES];     /* of a running function; empty: native code */
} ubi__held;

/** The heap as a graph, and what is held from outside of it. */
typedef struct ubi__held_heap {
    const ubi_allocator *allocator;
    ubi_graph *graph;
    ubi__held *held; /* by ascending id; those that wait come last */
    uint32_t n_held, held_capacity;
    uint64_t *unmarked; /* ids of objects with data of the program's whose class has a finalizer and no mark function */
    uint32_t n_unmarked, unmarked_capacity;
    uint64_t runtime_id;
} ubi__held_heap;

/**
 * Reads the heap of a runtime.
 * @param is_ending  the runtime is in its last moments: things that wait for a collection will never get one, and are reported.
 * Errors: as for freezing; nothing is left.
 */
ubi_status ubi__held_heap_read(ubi__held_heap *out, ubi_quickjs *tools, bool is_ending);
void ubi__held_heap_fini(ubi__held_heap *heap);

/** What a report is made for. */
typedef struct ubi__leak_purpose {
    bool is_ending;
    const ubi__references *references; /* NULL: not recorded */
    const ubi_native_names *names;     /* NULL: the default */
} ubi__leak_purpose;

/** Of a graph and what is held. `heap` is taken over in any case. Errors: UBI_ENOMEM. */
ubi_status ubi__leaks_new(ubi_quickjs_leaks **out, ubi__held_heap *heap, const ubi__leak_purpose *purpose);

#endif
