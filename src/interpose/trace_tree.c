/* SPDX-License-Identifier: MIT
 *
 * trace_tree.c: see trace_tree.h.
 */
#include "interpose/trace_tree.h"

#include "interpose/system_calls.h"

#define FIRST_SLOTS_LOG2 10u                             /* a page */
#define FIRST_NODES (4 * 4096 / sizeof(ubi__trace_node)) /* what the first table may hold, and more */
#define MAX_NODES ((size_t)1 << 31)                      /* so that callers have some numbers to spare */

static bool make_table(ubi__trace_tree *t, unsigned slots_log2) {
    size_t n = (size_t)1 << slots_log2;
    uint32_t *table = ubi__pages(n * sizeof *table);
    if (!table)
        return false;
    t->table = table;
    t->n_slots = n;
    t->shift = 64 - slots_log2;
    return true;
}

bool ubi__trace_tree_init(ubi__trace_tree *t) {
    *t = (ubi__trace_tree){ .capacity = FIRST_NODES };
    t->nodes = ubi__pages(FIRST_NODES * sizeof *t->nodes);
    if (t->nodes && make_table(t, FIRST_SLOTS_LOG2))
        return true;
    ubi__trace_tree_fini(t);
    return false;
}

void ubi__trace_tree_fini(ubi__trace_tree *t) {
    if (t->nodes)
        ubi__pages_free(t->nodes, t->capacity * sizeof *t->nodes);
    if (t->table)
        ubi__pages_free(t->table, t->n_slots * sizeof *t->table);
    *t = (ubi__trace_tree){ 0 };
}

void ubi__trace_tree_clear(ubi__trace_tree *t) {
    /* Fresh pages are zero, and cost less than clearing many that may never be needed again. */
    ubi__trace_tree fresh;
    if (ubi__trace_tree_init(&fresh)) {
        ubi__trace_tree_fini(t);
        *t = fresh;
        return;
    }
    for (size_t i = 0; i < t->n_slots; i++)
        t->table[i] = 0;
    t->nodes[0].child = 0;
    t->n = 0;
}

/* Twice the nodes; the kernel moves pages, not bytes. */
static bool grow_nodes(ubi__trace_tree *t) {
    size_t old_bytes = t->capacity * sizeof *t->nodes;
    if (t->capacity >= MAX_NODES)
        return false;
    long p = ubi__system(SYS_mremap, (long)t->nodes, (long)old_bytes, (long)(2 * old_bytes), MREMAP_MAYMOVE, 0, 0);
    if (p < 0 && p > -4096)
        return false;
    t->nodes = (ubi__trace_node *)p;
    t->capacity *= 2;
    return true;
}

static bool grow_table(ubi__trace_tree *t) {
    ubi__trace_tree old = *t;
    if (!make_table(t, 64 - t->shift + 1))
        return false;
    for (uint32_t number = 1; number <= t->n; number++)
        *ubi__trace_tree_slot(t, t->nodes[number].caller, t->nodes[number].pc) = number;
    ubi__pages_free(old.table, old.n_slots * sizeof *old.table);
    return true;
}

uint32_t ubi__trace_tree_add(ubi__trace_tree *t, uint32_t caller, uint64_t pc) {
    if (t->n + 1 >= t->capacity && !grow_nodes(t))
        return 0;
    if (((uint64_t)t->n + 1) * 3 > (uint64_t)t->n_slots * 2 && !grow_table(t))
        return 0;
    uint32_t number = t->n + 1;
    t->nodes[number] = (ubi__trace_node){ .pc = pc, .caller = caller };
    *ubi__trace_tree_slot(t, caller, pc) = number;
    t->n = number;
    if (caller < number)
        t->nodes[caller].child = number;
    return number;
}
