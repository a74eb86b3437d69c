/* SPDX-License-Identifier: MIT
 *
 * name_match.h: whether a text is what a search looks for.
 */
#ifndef UBI_LENSES_NAME_MATCH_H
#define UBI_LENSES_NAME_MATCH_H

#include <ubiheap/views/search.h>

#include "analyses/query/query_pattern.h"
#include "base/alloc.h"

/** What to look for. Immutable once made. */
typedef struct ubi__wanted_name {
    ubi_search_how how;
    ubi_text text;         /* EXACT; borrowed */
    ubi__pattern *pattern; /* PATTERN; owned */
    ubi__vec_u32 folded;   /* ANY_CASE: its characters, folded */
    ubi__vec_u32 border;   /* border[i]: length of the longest end of folded[0..i] that it also begins with */
    bool is_ascii;
} ubi__wanted_name;

/** Errors: UBI_EINVAL (a pattern with a mistake), UBI_ENOMEM. On failure there is still something to free. */
ubi_status ubi__wanted_name_init(ubi__wanted_name *out, ubi_text query, ubi_search_how how, const ubi_allocator *a);
void ubi__wanted_name_fini(ubi__wanted_name *wanted, const ubi_allocator *a);

/** States that a matcher for it needs; 0: none. */
uint32_t ubi__wanted_name_states(const ubi__wanted_name *wanted);
/** Cost: O(text), for patterns times their states. @param matcher  of the calling thread. */
bool ubi__name_matches(const ubi__wanted_name *wanted, ubi__matcher *matcher, ubi_text name);

#endif
