/* SPDX-License-Identifier: MIT
 *
 * leak_places.h: places, the ways from the root without what differs from one member of a collection to the next.
 *
 * A place is a place and one more item: the label of an edge and the class of the node that it leads to. Of labels, numbers
 * do not count ("#"), and neither do the keys of dictionaries ("any") and the names of functions, if all in one list have others. An item that is on the way already leads back to
 * where it is, so that all nodes of a list or a ring are in one place. The places of a graph are a tree, from the root on.
 */
#ifndef UBI_ANALYSES_LEAK_PLACES_H
#define UBI_ANALYSES_LEAK_PLACES_H

#include "base/strtab.h"
#include "base/table.h"
#include "base/text_memo.h"

typedef uint32_t ubi__leak_place_ix;

typedef struct ubi__leak_item {
    uint32_t label;  /* from ubi__leak_label, or one of those below */
    uint32_t row;    /* class of the node; UBI_NONE: none */
    ubi_str_ix name; /* what distinguishes nodes of a class; UBI_NONE: nothing */
    bool is_head;    /* a leaked object that is not held by leaked ones only */
} ubi__leak_item;

/* Labels that are not texts. */
enum { UBI__LEAK_LABEL_NONE, UBI__LEAK_LABEL_NUMBER, UBI__LEAK_LABEL_ANY, UBI__LEAK_LABEL_TEXTS };

typedef struct ubi__leak_place {
    ubi__leak_item item;
    ubi__leak_place_ix parent; /* a smaller one; of the first, itself */
    uint32_t n_leaked;         /* candidates in it */
    uint64_t leaked_bytes;     /* their own sizes */
    uint32_t n_older, n_younger;
    uint64_t retained_bytes; /* of new nodes in it; in the end also in all places below */
    uint64_t n_retained;
    uint64_t item_hash;   /* of the class by its texts */
    uint64_t fingerprint; /* of the way by its texts */
    ubi_node_ix example;  /* the first candidate; UBI_NONE: none */
    uint32_t n_replacing; /* candidates that took the places of others */
    bool has_heads;       /* a place of heads is right below */
    bool has_entries;     /* some places right below have the label "any" */
    bool has_nameless;    /* some right below are of nodes with names, without these */
} ubi__leak_place;
UBI_VEC_DECLARE(ubi__vec_leak_place, ubi__leak_place);

typedef struct ubi__leak_places {
    const ubi_allocator *allocator;
    ubi__vec_leak_place rows; /* the first is the root */
    ubi__row_table table;
    ubi__strtab texts; /* of labels */
    ubi__text_memo label_hashes;
    uint32_t *label_of; /* label_of[n_strings] of the graph's strings, 0: not yet known */
    uint32_t n_strings;
    ubi__vec_u8 spare;
} ubi__leak_places;

/** Places come after their parents, which know what is right below; each is found by what it is. O(places). */
void ubi__leak_places_check(const ubi__leak_places *p);
ubi_status ubi__leak_places_init(ubi__leak_places *p, uint32_t n_strings, const ubi_allocator *a);
void ubi__leak_places_fini(ubi__leak_places *p);

/** @param string  index of the text among the graph's canonical strings. Errors: UBI_ENOMEM. */
ubi_status ubi__leak_label(uint32_t *out, ubi__leak_places *p, ubi_str_ix string, ubi_text text);
/** Of its text. */
uint64_t ubi__leak_label_hash(ubi__leak_places *p, uint32_t label);
/** The place of `item` below `parent`, added if need be. `class_hash`: of the class by its texts. Errors: UBI_ENOMEM. */
ubi_status ubi__leak_place_enter(ubi__leak_place_ix *out, ubi__leak_places *p, ubi__leak_place_ix parent,
                                 const ubi__leak_item *item, uint64_t text_hash);
/** The same, but UBI_NONE when `parent` has no such place right below. */
ubi__leak_place_ix ubi__leak_place_find(const ubi__leak_places *p, ubi__leak_place_ix parent,
                                        const ubi__leak_item *item);
/** The same, or the place on the way to `parent` that the item leads back to. */
ubi__leak_place_ix ubi__leak_place_known(const ubi__leak_places *p, ubi__leak_place_ix parent,
                                         const ubi__leak_item *item);

#endif
