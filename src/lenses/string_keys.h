/* SPDX-License-Identifier: MIT
 *
 * string_keys.h: which strings of a heap are equal, as a number for each.
 *
 * Two strings have the same key if and only if they have the same text. A string whose text is an entry of the string table
 * has the first entry of that text as its key, so that most strings need no look at their text. Only concatenations and
 * texts that were cut have no entry of their own: those are hashed, and compared with each other and with entries.
 */
#ifndef UBI_LENSES_STRING_KEYS_H
#define UBI_LENSES_STRING_KEYS_H

#include <ubiheap/views/strings.h>

#include "base/alloc.h"

/** Which strings are wanted, and how. All of it borrowed, the look as long as the keys are there. */
typedef struct ubi__string_choice {
    const ubi_look *look;
    const uint64_t *only; /* a bit per node; NULL: all */
    const ubi_allocator *allocator;
    const ubi_progress *progress;
    unsigned threads; /* 0: one per core */
} ubi__string_choice;

/** A string without an entry of its own. 32 bytes. */
typedef struct ubi__late_string {
    uint64_t hash; /* of its text, and of what is said about it if it was cut */
    ubi_node_ix node;
    uint32_t row;   /* of the look's concatenations; UBI_NONE: its name is its text */
    uint32_t cut;   /* of ubi__string_keys.cuts; UBI_NONE: it was not cut */
    uint32_t entry; /* which has this text; UBI_NONE: none */
    uint32_t key;   /* while keys are being found: the first late string that is equal */
} ubi__late_string;
UBI_VEC_DECLARE(ubi__vec_late_string, ubi__late_string);

/** What distinguishes texts that were cut: canonical entries of the decimal texts of what they were; or UBI_NONE. */
typedef struct ubi__string_cut {
    ubi_str_ix length, hash;
} ubi__string_cut;
UBI_VEC_DECLARE(ubi__vec_string_cut, ubi__string_cut);

/** What nodes of a kind are. */
typedef enum ubi__string_part {
    UBI__STRING_NONE,    /**< no string */
    UBI__STRING_TEXT,    /**< its name is its text */
    UBI__STRING_ROPE,    /**< put together of two others */
    UBI__STRING_SLICE,   /**< part of another string */
    UBI__STRING_TEXTLESS /**< the file does not have its text */
} ubi__string_part;

/** How a producer writes strings. */
typedef struct ubi__string_rules {
    /** What strings of a kind are. */
    ubi__string_part (*part_of_kind)(const ubi_graph *graph, const ubi_kind *kind);
    /** Whether the file says of some strings that it has not all of their text. */
    bool (*has_cut_strings)(const ubi_look *look);
    /** Whether it says so of this one, and what it says instead. Cost: O(edges of the node). */
    bool (*string_cut)(ubi__string_cut *out, const ubi_graph *graph, ubi_node_ix node);
    /** What the text of a concatenation has in place of a part without a text: strings with it may still differ. */
    const char *unknown_part;
} ubi__string_rules;

typedef struct ubi__string_keys {
    ubi__string_choice choice;
    uint32_t n_keys;           /* all keys are below */
    uint8_t *part_of_kind;     /* [kind count], ubi__string_part */
    ubi__vec_late_string late; /* ascending by node */
    ubi__vec_string_cut cuts;
} ubi__string_keys;

/**
 * Finds the keys. On failure there is something to free, too.
 * Cost: O(concatenations + strings that were cut + bytes of their texts and of entries of their lengths), and where a file
 * says that texts were cut, O(nodes + edges of strings). Memory: 32 bytes per concatenation, 8 more while it runs.
 * Errors: UBI_ENOMEM, UBI_ECANCELLED, UBI_ELIMIT.
 */
ubi_status ubi__string_keys_init(ubi__string_keys *keys, const ubi__string_choice *choice);
/** Late strings ascend by node, their keys are in range, and rows and cuts that they name are there. */
void ubi__string_keys_check(const ubi__string_keys *keys);
void ubi__string_keys_fini(ubi__string_keys *keys);

/** A string that was chosen: one that has a size, and that the look's filter and `only` let pass. */
typedef struct ubi__string {
    ubi_node_ix node;
    uint32_t late;     /* of ubi__string_keys.late; UBI_NONE: it has an entry, or no text */
    uint32_t key;      /* UBI_NONE: the file has no text of it, or it is the other half of a concatenation once more */
    bool is_slice;     /* part of another string */
    bool is_truncated; /* the file says that it has not all of the text */
    uint64_t size_bytes; /* above 0 */
} ubi__string;

typedef ubi_status (*ubi__string_fn)(void *payload, const ubi__string *string);

/** Calls `fn` for each, in ascending order. O(nodes). Errors: UBI_ECANCELLED, and those of `fn`, which end it. */
ubi_status ubi__strings_each(const ubi__string_keys *keys, ubi__string_fn fn, void *payload);
/** UTF-16 units of its text. Its key is not UBI_NONE. Cost: O(its bytes), of most concatenations O(1). */
uint32_t ubi__string_length(const ubi__string_keys *keys, const ubi__string *string);

#endif
