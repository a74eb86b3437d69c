/* SPDX-License-Identifier: MIT
 *
 * async_links.h: where callbacks were registered, so that what runs later knows whom it runs for.
 *
 * A link is the stack on which something was registered (a promise's reaction, a timer), what that stack's own run had been
 * registered by (its parent, another link), and the word for it once it runs. A stack as the timeline knows it is a stack of
 * frames and the link that its outermost frame hangs on.
 *
 * Chains stay short: a callback that registers itself again and again, from the same stack, has one link, for a stack occurs
 * once in a chain. When there are too many links all the same, new registrations get none.
 *
 * Invariants, checked by ubi__async_links_check: no two links are equal, a parent is older than its child, no stack is empty.
 */
#ifndef UBI_QUICKJS_ASYNC_LINKS_H
#define UBI_QUICKJS_ASYNC_LINKS_H

#include "tracking/tracked_stacks.h"

/** A link; 0: none. */
typedef uint32_t ubi__async_ix;

typedef struct ubi__async_link {
    ubi__stack_ix stack;  /* never the empty one */
    ubi__async_ix parent; /* of the stack's outermost frame */
    const char *cause;    /* static; NULL: it did not run yet */
} ubi__async_link;

#define UBI__ASYNC_CHAIN_MAX 32 /* links in a chain */

typedef struct ubi__async_links {
    const ubi_allocator *allocator;
    ubi__async_link *at; /* in the order of their making; at[0] is unused */
    uint32_t n, capacity;
    ubi__row_table table;
    uint32_t epoch; /* grows when all are forgotten: earlier numbers mean nothing then */
} ubi__async_links;

void ubi__async_links_init(ubi__async_links *l, const ubi_allocator *allocator);
void ubi__async_links_fini(ubi__async_links *l);
void ubi__async_links_check(const ubi__async_links *l);
/** Forgets all links. */
void ubi__async_links_clear(ubi__async_links *l);
/** What is registered now, on `stack`, in a run that hangs on `current`. 0: nothing is known, or there is no room. */
ubi__async_ix ubi__async_links_register(ubi__async_links *l, ubi__stack_ix stack, ubi__async_ix current);
/** The same link, under the word for its run. */
ubi__async_ix ubi__async_links_named(ubi__async_links *l, ubi__async_ix link, const char *cause);
/** Marks the stacks of all links: they stay. */
void ubi__async_links_mark(const ubi__async_links *l, ubi__frame_trie *frames);

#endif
