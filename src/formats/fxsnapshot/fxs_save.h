/* SPDX-License-Identifier: MIT
 *
 * fxs_save.h: what saving a walk and saving a graph share.
 *
 *     fxs_save_graph.c  a graph from its columns; the format as save.c sees it
 *     fxs_save_walk.c   a heap while it is walked
 *     fxs_save.c        what both need: metadata, nodes, texts to handles
 */
#ifndef UBI_FXS_SAVE_H
#define UBI_FXS_SAVE_H

#include <ubiheap/core/formats.h>

#include "base/alloc.h"
#include "formats/fxsnapshot/fxs_encode.h"

/** Answers of map_text for one role: the handle of what to write in place of each text. */
typedef struct ubi__fxs_mapped {
    ubi__strtab texts;
    ubi__vec_u32 handle;
} ubi__fxs_mapped;

/** A text seen lately. Heaps give the same pointers again and again, but may also use a buffer twice. */
typedef struct ubi__fxs_recent {
    const char *ptr;
    size_t len;
    uint32_t role;
    uint32_t entry; /* in the table of texts of the role, which says what the text was */
} ubi__fxs_recent;

#define UBI__FXS_RECENT_BITS 9

/** Names of edges that are numbers below this are kept by number: elements of arrays. */
#define UBI__FXS_NUMBERS 8192

typedef struct ubi__fxs_save {
    const ubi_allocator *allocator;
    const ubi_save_options *options;
    ubi__fxs_encoder *encoder;
    ubi__fxs_mapped mapped[UBI_TEXT_ROLE_COUNT]; /* empty without map_text */
    ubi__fxs_recent recent[1 << UBI__FXS_RECENT_BITS];
    ubi__vec_u32 handle_of_number;
    ubi__vec_u8 scratch; /* a class name as Latin-1 */
    uint64_t n_total;    /* nodes, for progress; 0 unknown */
} ubi__fxs_save;

void ubi__fxs_save_init(ubi__fxs_save *s, const ubi_save_options *options);
void ubi__fxs_save_fini(ubi__fxs_save *s);

/** The metadata message. `time_us` NULL: unknown; has_time of the options comes first. */
ubi_status ubi__fxs_save_begin(ubi__fxs_save *s, const uint64_t *time_us);
/** One node, with progress now and then. */
ubi_status ubi__fxs_save_node(ubi__fxs_save *s, const ubi__fxs_node *node);

/** Handle of a text in a role, mapped as the options ask; UBI_NONE for NULL text. Cost: O(length), map_text once per text. */
ubi_status ubi__fxs_save_text(ubi__fxs_save *s, ubi_str_ix *out, ubi_text_role role, ubi_text text);

/**
 * The name of an edge, which may be a number (the element of an array): small ones are found by number, large ones are
 * written each time, since hardly any comes twice and to remember them takes more memory than the nodes.
 */
ubi_status ubi__fxs_save_edge_name(ubi__fxs_save *s, ubi__fxs_edge *edge, ubi_text name);

/** The same for a caller that asks for a text only once and remembers the handle itself. */
ubi_status ubi__fxs_save_text_once(ubi__fxs_save *s, ubi_str_ix *out, ubi_text_role role, ubi_text text);

/** All messages but the last step, ubi__fxs_encode_end. */
ubi_status ubi__fxs_save_walk(ubi__fxs_save *s, ubi_node root);

#endif
