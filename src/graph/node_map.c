/* SPDX-License-Identifier: MIT
 *
 * node_map.c: nodes to words (node_map.h).
 */
#include "graph/node_map.h"

#include <string.h>

#include "base/hash.h"

void ubi__node_map_init(ubi__node_map *m, const ubi_allocator *a) {
    memset(m, 0, sizeof *m);
    m->allocator = a;
}

static void drop(ubi__node_map *m) {
    ubi__free_array(m->allocator, m->slots, m->n_slots, sizeof *m->slots);
    ubi__free_array(m->allocator, m->used, m->n_slots, 1);
    m->slots = NULL;
    m->used = NULL;
}

void ubi__node_map_fini(ubi__node_map *m) {
    drop(m);
    m->n_slots = m->n = 0;
}

static size_t find(const ubi__node_map *m, void *heap, uint64_t ref) {
    size_t mask = m->n_slots - 1, i = ubi__hash_combine((uint64_t)(uintptr_t)heap, ref) & mask;
    while (m->used[i] && (m->slots[i].ref != ref || m->slots[i].heap != heap))
        i = (i + 1) & mask;
    return i;
}

static ubi_status grow(ubi__node_map *m) {
    if (m->n_slots && (m->n + 1) * 4 <= m->n_slots * 3)
        return UBI_OK;
    ubi__node_map bigger = { .allocator = m->allocator, .n_slots = m->n_slots ? m->n_slots * 2 : 256, .n = m->n };
    bigger.slots = ubi__alloc_array(m->allocator, bigger.n_slots, sizeof *bigger.slots);
    bigger.used = ubi__calloc_array(m->allocator, bigger.n_slots, 1);
    if (!bigger.slots || !bigger.used) {
        drop(&bigger);
        return ubi__fail_nomem();
    }
    for (size_t i = 0; i < m->n_slots; i++) {
        if (!m->used[i])
            continue;
        size_t at = find(&bigger, m->slots[i].heap, m->slots[i].ref);
        bigger.slots[at] = m->slots[i];
        bigger.used[at] = 1;
    }
    drop(m);
    *m = bigger;
    return UBI_OK;
}

uint64_t *ubi__node_map_get(const ubi__node_map *m, ubi_node node) {
    if (m->n_slots == 0)
        return NULL;
    size_t i = find(m, node.heap, node.ref);
    return m->used[i] ? &m->slots[i].data : NULL;
}

ubi_status ubi__node_map_put(ubi__node_map *m, ubi_node node, uint64_t data) {
    UBI_TRY(grow(m));
    size_t i = find(m, node.heap, node.ref);
    m->slots[i] = (ubi__node_map_slot){ node.heap, node.ref, data };
    m->used[i] = 1;
    m->n++;
    return UBI_OK;
}
