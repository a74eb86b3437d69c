/* SPDX-License-Identifier: MIT
 *
 * leak_drafts.c: which places make a cluster.
 *
 * Each place of heads is one, with all places below it. But:
 * - Where one new object, such as the map of a cache that came with the leak, holds many others of one class that make up most
 *   of what is in it, the cluster is about these, and that object is their holder.
 * - Places of one class under one holder are one cluster: the nodes of a tree leak on all its branches.
 */
#include "analyses/leaks/leak_gathering.h"

#include "base/strtab.h"

/* A container has so many objects for each of its own. */
#define MANY_TIMES 8

/* ---- holders ------------------------------------------------------------------------------------------------------ */

static bool was_old(const ubi_leak_finder *f, ubi_node_ix node) {
    return f->flags[node] & UBI__LEAK_WAS_OLD;
}

/* Functions are told apart by their names: one that holds another is no more of its kind than an array is of a map's. */
static bool is_alike(const ubi_leak_finder *f, ubi_node_ix a, ubi_node_ix b) {
    return ubi__leak_row_of(f, a) == ubi__leak_row_of(f, b) &&
           ubi__strtab_canonical(&f->graph->strings, ubi__leak_name_of(f, a)) ==
               ubi__strtab_canonical(&f->graph->strings, ubi__leak_name_of(f, b));
}

/* Parents stand before their children in the order of the walk. */
ubi_status ubi__leak_find_owners(ubi__leak_gathering *g) {
    const ubi_leak_finder *f = g->f;
    size_t n = f->graph->n_nodes;
    g->owner = ubi__alloc_array(f->allocator, n, sizeof *g->owner);
    g->other_owner = ubi__alloc_array(f->allocator, n, sizeof *g->other_owner);
    if (!g->owner || !g->other_owner)
        return ubi__fail_nomem();
    memset(g->owner, 0xff, n * sizeof *g->owner);
    memset(g->other_owner, 0xff, n * sizeof *g->other_owner);
    for (uint32_t i = 0; i < f->n_met; i++) {
        ubi_node_ix node = f->order[i], parent = f->parent[node];
        if (!(f->flags[node] & UBI__LEAK_ON_WAY) || parent == f->view.root)
            continue;
        ubi_node_ix owner = ubi__leak_is_held_by_program(f, parent) ? parent : g->owner[parent];
        bool same = owner != UBI_NONE && is_alike(f, owner, node);
        bool passes = owner != UBI_NONE && ubi__leak_is_held_by_program(f, node) && !was_old(f, owner);
        g->owner[node] = passes ? g->owner[owner] : owner;
        g->other_owner[node] = same ? g->other_owner[owner] : owner;
    }
    return UBI_OK;
}

ubi_node_ix ubi__leak_holder_of(const ubi__leak_gathering *g, ubi_node_ix node, bool inner) {
    ubi_node_ix holder = g->other_owner[node];
    return inner || holder == UBI_NONE || was_old(g->f, holder) ? holder : g->owner[holder];
}

/* ---- what a cluster is about -------------------------------------------------------------------------------------- */

/* The table of a map, and what came after NEW, weigh nothing. */
static uint64_t own_bytes(const ubi__leak_gathering *g, ubi__leak_place_ix i) {
    return g->places[i].n_leaked ? g->places[i].retained_bytes : 0;
}

static void sum_up(ubi__leak_gathering *g) {
    for (size_t i = 0; i < g->n; i++) {
        g->below_bytes[i] = own_bytes(g, (ubi__leak_place_ix)i);
        g->heaviest[i] = UBI_NONE;
    }
    for (size_t i = g->n - 1; i > 0; i--) {
        ubi__leak_place_ix parent = g->places[i].parent, best = g->heaviest[parent];
        g->below_bytes[parent] += g->below_bytes[i];
        if (best == UBI_NONE || g->below_bytes[i] >= g->below_bytes[best])
            g->heaviest[parent] = (ubi__leak_place_ix)i;
    }
}

/* Down from a place of few objects along what is heaviest, to many objects that are most of what is in them. */
static ubi__leak_place_ix find_main(const ubi__leak_gathering *g, ubi__leak_place_ix head) {
    const ubi__leak_place *top = &g->places[head];
    uint64_t content = g->below_bytes[head] - own_bytes(g, head);
    if (top->n_leaked > UBI__LEAK_FEW)
        return head;
    for (ubi__leak_place_ix i = g->heaviest[head]; i != UBI_NONE && g->below_bytes[i] >= content / 2;
         i = g->heaviest[i])
        if (g->places[i].n_leaked >= MANY_TIMES * top->n_leaked && g->places[i].item.row != top->item.row)
            return i;
    return head;
}

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

/** Clusters are the same when all of this is. */
typedef struct draft_key {
    uint32_t row;
    ubi_str_ix name;
    ubi_node_ix holder;
    ubi__leak_place_ix head; /* without a holder: the place */
} draft_key;

static ubi_status number_head(ubi__leak_gathering *g, ubi__strtab *keys, ubi__leak_place_ix head) {
    ubi__leak_place_ix main = find_main(g, head);
    const ubi__leak_item *item = &g->places[main].item;
    bool inner = main != head;
    ubi_node_ix holder = ubi__leak_holder_of(g, g->places[main].example, inner);
    draft_key key = { item->row, item->name, holder, holder == UBI_NONE ? head : 0 };
    UBI_TRY(ubi__strtab_intern(keys, &g->cluster_of[head], (ubi_text){ (const char *)&key, sizeof key }));
    g->part[main] = UBI__LEAK_PLACE_MAIN;
    if (g->cluster_of[head] < g->drafts.n)
        return UBI_OK;
    return ubi__vec_leak_draft_push(&g->drafts, g->f->allocator, (ubi__leak_draft){ main, inner, holder });
}

/* Nodes of the main class that hang on others of it, as in lists and trees, are what the cluster is about, too. */
static void extend_main(ubi__leak_gathering *g, ubi__leak_place_ix i) {
    const ubi__leak_place *place = &g->places[i], *main = &g->places[g->drafts.at[g->cluster_of[i]].main];
    uint8_t above = g->part[place->parent];
    if (g->part[i] == UBI__LEAK_PLACE_MAIN || above == UBI__LEAK_PLACE_OTHER)
        return;
    if (place->item.row == main->item.row && place->item.name == main->item.name)
        g->part[i] = UBI__LEAK_PLACE_MAIN;
    else if (place->n_leaked == 0)
        g->part[i] = UBI__LEAK_PLACE_BETWEEN;
}

static ubi_status number_all(ubi__leak_gathering *g, ubi__strtab *keys) {
    for (size_t i = 0; i < g->n; i++) {
        ubi__leak_place_ix place = (ubi__leak_place_ix)i;
        if (g->places[i].item.head)
            UBI_TRY(number_head(g, keys, place));
        else
            g->cluster_of[i] = i ? g->cluster_of[g->places[i].parent] : UBI_NONE;
        if (!g->places[i].item.head && g->cluster_of[i] != UBI_NONE)
            extend_main(g, place);
    }
    return UBI_OK;
}

ubi_status ubi__leak_draft_clusters(ubi__leak_gathering *g) {
    const ubi_allocator *a = g->f->allocator;
    ubi__strtab keys;
    g->below_bytes = ubi__alloc_array(a, g->n, sizeof *g->below_bytes);
    g->heaviest = ubi__alloc_array(a, g->n, sizeof *g->heaviest);
    g->cluster_of = ubi__alloc_array(a, g->n, sizeof *g->cluster_of);
    g->part = ubi__calloc_array(a, g->n, sizeof *g->part);
    if (!g->below_bytes || !g->heaviest || !g->cluster_of || !g->part)
        return ubi__fail_nomem();
    sum_up(g);
    for (size_t i = 0; UBI_CHECKS && i < g->n; i++)
        UBI_ASSERT(g->heaviest[i] == UBI_NONE || g->places[g->heaviest[i]].parent == i);
    ubi__strtab_init(&keys, a);
    ubi_status status = number_all(g, &keys);
    UBI_ASSERT(status != UBI_OK || g->drafts.n == ubi__strtab_count(&keys)); /* a draft for each key */
    ubi__strtab_fini(&keys);
    return status;
}
