/* SPDX-License-Identifier: MIT
 *
 * marker_pairing.h: rows of markers that come one after the other.
 *
 * Whether an END ends a START is the START's to say. There are three ways, and they do not disturb each other:
 *   by name     any START and END of the name count, as brackets;
 *   by key      those of the name and the key count, as brackets;
 *   by asking   each later START and END of the name is shown to the kind.
 * Brackets are matched with a stack for each name, and one for each name and key. Every START is on the stack of its name, for
 * there it counts for the others; taken from there it is matched only if that is its way. By asking takes a look at all open
 * STARTs of that way and name for each marker.
 */
#ifndef UBI_TIMELINE_MARKER_PAIRING_H
#define UBI_TIMELINE_MARKER_PAIRING_H

#include <ubiheap/core/timeline.h>

#include "base/u64_map.h"
#include "timeline/marker_results.h"
#include "timeline/timeline_marker.h"

/** What an open row has that most have not. */
typedef struct ubi__open_special {
    ubi_timeline_marker *marker; /* counted; NULL: of a plain one, such as Paint */
    uint32_t row;
    uint32_t key, key_below;         /* by key: a text, and the open row of the same class and key before it */
    uint32_t next_asking, depth;     /* by asking: the next one of its class, a special; STARTs that must end first */
    uint32_t name_below;             /* not by name: what is below it on the stack of its class */
    uint32_t holds;                  /* not by name: 1 for that stack, 1 while it is open */
    uint32_t n_layers, n_rectangles; /* Paint: seen before it */
} ubi__open_special;
UBI_VEC_DECLARE(ubi__open_specials, ubi__open_special);
#define UBI__NOT_BY_NAME (UINT32_C(1) << 31)

struct ubi_marker_pairing {
    const ubi_allocator *allocator;
    bool is_per_thread;
    ubi__marker_columns it;
    ubi__vec_u32 name_of_text; /* UBI_NONE: that text is no name */
    ubi__u64_map thread_of_serial;
    ubi__u64_map class_of;     /* per thread: of name and thread; else a class is a name */
    ubi__u64_map key_class_of; /* of class and text */
    /* Of each class, or class with a key; UBI_NONE: none. `top` is a stack of rows, or of specials that are not by name, marked
     * by UBI__NOT_BY_NAME; `key_top` of rows; `asking` is a list of specials. */
    ubi__vec_u32 top, key_top, asking;
    ubi__open_specials specials;
    uint32_t free_special; /* linked by next_asking */
    uint32_t n_asking;     /* open rows by asking */
    uint32_t n_classes;
    uint32_t paint, layer; /* names, or UBI_NONE */
    uint32_t n_layers;
    uint64_t n_fed; /* since the last finish, with what waited */
};

/** A marker that is fed. */
typedef struct ubi__fed_marker {
    uint32_t name, thread, stack; /* numbers of the pairing */
    uint8_t tracing;
    bool is_off_main;
    bool has_base; /* a START has its base even without a kind that says so */
    uint16_t process_type;
    uint32_t key; /* a text of the pairing's tables, or UBI_NONE */
    uint64_t time_ns;
    ubi_timeline_marker *marker;     /* to be kept while the row is open; NULL: a plain one */
    const ubi_timeline_marker *view; /* for kinds; NULL: of a plain one that no kind asks for */
    bool has_details;                /* the view's kind adds details */
    const ubi_timeline_rectangle *rectangles;
    size_t n_rectangles;
    const ubi_timeline_detail *details; /* without view */
    size_t n_details;
    bool has_end_stack;
} ubi__fed_marker;

/**
 * Stacks of open rows go down to older rows of their class; what an open row has beside it knows the row; as many rows ask as
 * there are in lists. O(rows).
 */
void ubi__marker_pairing_check(const ubi_marker_pairing *p);
ubi_status ubi__marker_pairing_init(ubi_marker_pairing *p, bool per_thread, const ubi_allocator *allocator);
void ubi__marker_pairing_fini(ubi_marker_pairing *p);
/** Drops everything; needs no memory, so that it may be used again. */
void ubi__marker_pairing_reset(ubi_marker_pairing *p);
/** Whether kinds will be shown whatever comes, so that it needs a view. */
static inline bool ubi__marker_pairing_asks(const ubi_marker_pairing *p) {
    return p->n_asking > 0;
}
/** Makes the tables exist, which importing needs. Errors: UBI_ENOMEM. */
ubi_status ubi__marker_pairing_start(ubi_marker_pairing *p);
/** The number of a name that is a text of the tables. */
ubi_status ubi__marker_pairing_name_of(uint32_t *out, ubi_marker_pairing *p, uint32_t text);
/** The number of a thread by a number of its own, not 0. */
ubi_status ubi__marker_pairing_thread_of(uint32_t *out, ubi_marker_pairing *p, uint64_t serial,
                                         const ubi_timeline_thread *thread);
/** Errors: UBI_ENOMEM, UBI_ELIMIT; then the pairing is good for reset only. */
ubi_status ubi__marker_pairing_feed(ubi_marker_pairing *p, const ubi__fed_marker *fed);
/**
 * As ubi_marker_pairing_finish.
 * @param open_limit_bytes  so much may wait, about; the oldest are dropped and counted in the result's lost.
 * Errors: UBI_ENOMEM; everything is dropped.
 */
ubi_status ubi__marker_pairing_end(ubi_timeline_markers **out, ubi_marker_pairing *p, bool with_open,
                                   uint64_t open_limit_bytes);

#endif
