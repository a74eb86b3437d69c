/* SPDX-License-Identifier: MIT
 *
 * ubiheap/views/strings.h: the strings of a heap, and duplicates among them.
 *
 *     ubi_strings *strings;
 *     ubi_strings_new(&strings, look, NULL);
 *     ubi_strings_sorted(order, &n, strings, UBI_STRINGS_BY_WASTE, 2);          duplicates, the most wasteful first
 *     ubi_strings_group(strings, order[0])->count                               how often the first is there
 *     ubi_strings_text(strings, group->first, &buffer)                          what it says
 *
 * Only some producers save texts: V8 does, Firefox does not. V8 cuts them, usually at 1,024 characters, so that texts which
 * differ later count as equal; where a file says that a text was cut, its full length and its hash are compared as well.
 */
#ifndef UBIHEAP_STRINGS_H
#define UBIHEAP_STRINGS_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/dominators.h>
#include <ubiheap/core/graph.h>
#include <ubiheap/views/lens.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Parts of a concatenated string are joined until the text has this many UTF-16 units. */
#define UBI_STRINGS_JOINED_UNITS 1024

/** All strings of a heap, grouped by text. Immutable: any number of threads may read it. Borrows the look, which must outlive it. */
typedef struct ubi_strings ubi_strings;

/** Strings of one text. */
typedef struct ubi_string_group {
    ubi_node_ix first;       /**< of these nodes, in file order */
    uint32_t count;          /**< how many there are, at least 1 */
    uint32_t length;         /**< of the text in UTF-16 units; of a long one, at least UBI_STRINGS_JOINED_UNITS */
    bool is_truncated;       /**< the file says that it has not all of the text */
    uint64_t size_bytes;     /**< their own sizes, added up */
    uint64_t retained_bytes; /**< retained sizes, added up; 0 without dominators */
    uint64_t wasted_bytes;   /**< own sizes of all but the smallest */
} ubi_string_group;

/** How many, and how much. */
typedef struct ubi_strings_tally {
    uint64_t count;
    uint64_t size_bytes;
} ubi_strings_tally;

/** Lengths 0, 1, 2 to 3, 4 to 7, ... 512 to 1,023, and all above. */
#define UBI_STRINGS_LENGTHS 12

typedef struct ubi_strings_totals {
    ubi_strings_tally all;        /**< strings with a size, those without a text too */
    ubi_strings_tally with_text;  /**< those that are in groups */
    ubi_strings_tally slices;     /**< parts of other strings: their text is not in the file */
    ubi_strings_tally duplicates; /**< those in groups of two or more */
    uint64_t n_duplicate_groups;
    uint64_t wasted_bytes; /**< of all groups */
    ubi_strings_tally lengths[UBI_STRINGS_LENGTHS];
} ubi_strings_totals;

typedef struct ubi_strings_options {
    uint32_t version; /**< UBI_STRINGS_OPTIONS_VERSION */
    const ubi_allocator *allocator;
    ubi_progress progress; /**< stage "comparing strings" */
    /** Of the look's view, for retained sizes; NULL: none. Borrowed during the call. */
    const ubi_dominators *dominators;
    uint32_t min_length;  /**< shorter texts are left out */
    const uint64_t *only; /**< a bit per node: the others are left out. NULL: all. Borrowed during the call */
    /** group_of_node[n_nodes], caller's, is filled: the group of each node; UBI_NONE: in none. NULL: not wanted. */
    uint32_t *group_of_node;
    unsigned threads; /**< 0: one per core */
} ubi_strings_options;

#define UBI_STRINGS_OPTIONS_VERSION 1
#define UBI_STRINGS_OPTIONS_INIT                                                                                       \
    { .version = UBI_STRINGS_OPTIONS_VERSION }

/** Whether the graph holds texts of strings. Cost: O(kinds). */
UBI_API bool ubi_strings_known(const ubi_graph *graph);

/**
 * Groups the strings that the look's filter shows. As Chrome's DevTools do: strings and concatenated strings with a size; a
 * concatenation stands for its text, joined from its parts, but one with an empty half is left out. Only V8's lens joins:
 * through another one, concatenations have no text.
 *
 * @param out   owned. Untouched on failure.
 * @param look  borrowed until ubi_strings_free: the joined texts are the look's.
 * Cost: O(nodes + bytes of their texts) time: a text is hashed at most once, and joining takes at most 2,048 steps for a
 * string, however its parts hang together. Memory: 40 bytes per group; while it runs, 4 per entry of the string table and
 * 44 per concatenation. Threads share the joining.
 * Errors: UBI_EINVAL (options), UBI_ENOMEM, UBI_ECANCELLED, UBI_ELIMIT (2^32-2 strings).
 * Source: front_end/entrypoints/heap_snapshot_worker/HeapSnapshot.ts of Chrome's DevTools.
 */
UBI_API ubi_status ubi_strings_new(ubi_strings **out, const ubi_look *look, const ubi_strings_options *options);
UBI_API void ubi_strings_free(ubi_strings *strings); /**< NULL is fine */

/** O(1), as are the next two. */
UBI_API uint32_t ubi_strings_group_count(const ubi_strings *strings);
/** Borrowed. `index` is below the count. */
UBI_API const ubi_string_group *ubi_strings_group(const ubi_strings *strings, uint32_t index);
/** Borrowed. */
UBI_API const ubi_strings_totals *ubi_strings_totals_of(const ubi_strings *strings);

/**
 * The text of a string, as it is compared. Borrowed from the graph or from `buffer`.
 * Cost: O(1), or of a concatenation that of its length.
 */
UBI_API ubi_text ubi_strings_text(const ubi_strings *strings, ubi_node_ix node, ubi_look_name_buffer *buffer);

typedef enum ubi_strings_key {
    UBI_STRINGS_BY_RETAINED, /**< as DevTools sort duplicates */
    UBI_STRINGS_BY_WASTE,
    UBI_STRINGS_BY_SIZE,
    UBI_STRINGS_BY_COUNT,
    UBI_STRINGS_BY_LENGTH
} ubi_strings_key;

/**
 * Groups in descending order; equal ones by their first node.
 *
 * @param order  order[ubi_strings_group_count()], caller's; indices of groups.
 * @param n      how many of them there are.
 * @param least_count  groups with fewer strings are left out; 2: duplicates.
 * Cost: O(groups * log groups). Errors: UBI_ENOMEM.
 */
UBI_API ubi_status ubi_strings_sorted(uint32_t *order, uint32_t *n, const ubi_strings *strings, ubi_strings_key key,
                                      uint32_t least_count);

#ifdef __cplusplus
}
#endif
#endif
