/* SPDX-License-Identifier: MIT
 *
 * leak_clusters.c: from places to clusters: which make one, and what is in it.
 */
#include "analyses/leaks/leak_gathering.h"

#include "base/bits.h"
#include "base/hash.h"
#include "base/merge_sort.h"
#include "base/strtab.h"

/* ==== DRAFTS ==================================================================================================== */

/*
 * Which places make a cluster.
 *
 * Each place of heads is one, with all places below it. But:
 * - Where one new object, such as the map of a cache that came with the leak, holds many others of one class that make up most
 *   of what is in it, the cluster is about these, and that object is their holder.
 * - Places of one class under one holder are one cluster: the nodes of a tree leak on all its branches.
 */

/* A container has this many objects for each of its own. */
#define MANY_TIMES 8

/* ---- holders ------------------------------------------------------------------------------------------------------ */

static bool was_old(const ubi_leak_finder *f, ubi_node_ix node) {
    return f->flags[node] & UBI__LEAK_WAS_OLD;
}

/* Functions are distinguished by their names: one that holds another is no more of its kind than an array is of a map's. */
static bool is_alike(const ubi_leak_finder *f, ubi_node_ix a, ubi_node_ix b) {
    return ubi__leak_row_of(f, a) == ubi__leak_row_of(f, b) &&
           ubi__strtab_canonical(&f->graph->strings, ubi__leak_name_of(f, a)) ==
               ubi__strtab_canonical(&f->graph->strings, ubi__leak_name_of(f, b));
}

/* Parents come before their children in the order of the walk. */
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

/*
 * Down from a place of few objects along what is heaviest, to many objects that are most of what is in them. What a single action left is
 * few objects always: there the outermost are what leaked.
 */
static ubi__leak_place_ix find_main(const ubi__leak_gathering *g, ubi__leak_place_ix head) {
    const ubi__leak_place *top = &g->places[head];
    uint64_t content = g->below_bytes[head] - own_bytes(g, head);
    if (top->n_leaked > UBI__LEAK_FEW || g->f->options.is_round_trip)
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

/* Nodes of the main class held by others of it, as in lists and trees, are what the cluster is about, too. */
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
        if (g->places[i].item.is_head)
            UBI_TRY(number_head(g, keys, place));
        else
            g->cluster_of[i] = i ? g->cluster_of[g->places[i].parent] : UBI_NONE;
        if (!g->places[i].item.is_head && g->cluster_of[i] != UBI_NONE)
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

/* ==== CLUSTERS ================================================================================================== */

/** Leaked objects of one class that a cluster keeps beside what it is about. */
typedef struct part {
    ubi__leak_cluster_ix cluster;
    uint32_t row;
    bool is_defined; /* by the program */
    ubi_leak_tally tally;
} part;
UBI_VEC_DECLARE(vec_part, part);

typedef struct counting {
    ubi__leak_gathering *g;
    vec_part parts;
    ubi__u64_map part_of;   /* (cluster, row) -> part */
    ubi__u64_map is_holder; /* (cluster, node) -> 0 */
    uint64_t *sites;        /* owned sites[clusters]: of each one's example */
    ubi_node_ix
        *carrier; /* owned carrier[n_nodes]: the nearest leaked object on the way, of one itself; UBI_NONE: none */
} counting;

static ubi_leak_cluster *cluster_at(const ubi__leak_gathering *g, ubi__leak_cluster_ix cluster) {
    return &g->leaks->clusters.at[cluster].cluster;
}

/* ---- parts -------------------------------------------------------------------------------------------------------- */

static uint32_t part_find(const counting *c, ubi__leak_cluster_ix cluster, ubi_node_ix node) {
    return ubi__u64_map_get(&c->part_of, ubi__u64_pair(cluster, ubi__leak_row_of(c->g->f, node)));
}

static ubi_status add_to_part(counting *c, ubi__leak_cluster_ix cluster, ubi_node_ix node) {
    uint32_t row = ubi__leak_row_of(c->g->f, node);
    uint64_t key = ubi__u64_pair(cluster, row);
    uint32_t i = part_find(c, cluster, node);
    if (i == UBI_NONE) {
        i = (uint32_t)c->parts.n;
        bool is_defined = ubi__leak_is_defined(c->g->f, node, &c->g->leaks->rows.rows.at[row]);
        UBI_TRY(vec_part_push(&c->parts, c->g->f->allocator, (part){ cluster, row, is_defined, { 0, 0 } }));
        UBI_TRY(ubi__u64_map_put(&c->part_of, key, i));
    }
    c->parts.at[i].tally.count++;
    c->parts.at[i].tally.bytes += ubi__leak_size(c->g->f, node);
    return UBI_OK;
}

static ubi_status add_holder(counting *c, ubi__leak_cluster_ix cluster, ubi_node_ix node) {
    ubi_node_ix holder = ubi__leak_holder_of(c->g, node, c->g->drafts.at[cluster].is_inner);
    uint64_t key = ubi__u64_pair(cluster, holder);
    if (holder == UBI_NONE || ubi__u64_map_get(&c->is_holder, key) != UBI_NONE)
        return UBI_OK;
    cluster_at(c->g, cluster)->n_holders++;
    return ubi__u64_map_put(&c->is_holder, key, 0);
}

static uint64_t site_of(const ubi_leak_finder *f, ubi_node_ix node) {
    return f->options.site_of ? f->options.site_of(f->options.name_payload, node) : 0;
}

static void compare_sites(counting *c, ubi__leak_cluster_ix cluster, ubi_node_ix node) {
    ubi_leak_cluster *of = cluster_at(c->g, cluster);
    of->n_elsewhere += site_of(c->g->f, node) != c->sites[cluster];
}

static ubi_status count_node(counting *c, ubi_node_ix node) {
    const ubi_leak_finder *f = c->g->f;
    ubi__leak_place_ix place = f->place_of[node];
    ubi__leak_cluster_ix cluster = c->g->cluster_of[place];
    if (c->g->part[place] == UBI__LEAK_PLACE_MAIN) {
        ubi__leak_note_birth(c->g, cluster, node);
        compare_sites(c, cluster, node);
        return add_holder(c, cluster, node);
    }
    return add_to_part(c, cluster, node);
}

/*
 * What the engine has for a leaked object, such as the elements of an array, was met through it. To what it is about itself, a cluster has no
 * part.
 */
static void add_engine(counting *c, ubi_node_ix node) {
    const ubi_leak_finder *f = c->g->f;
    ubi_node_ix carrier = c->carrier[node];
    if (carrier == UBI_NONE || f->flags[node] & UBI__LEAK_WAS_OLD || ubi__leak_is_held_by_program(f, node))
        return;
    ubi__leak_place_ix place = f->place_of[carrier];
    if (c->g->part[place] != UBI__LEAK_PLACE_MAIN)
        c->parts.at[part_find(c, c->g->cluster_of[place], carrier)].tally.bytes += ubi__leak_size(f, node);
}

/* Classes that a script defines tell a programmer more than any number of arrays and functions. */
static bool is_larger(const part *a, const part *b) {
    if (a->cluster != b->cluster)
        return a->cluster < b->cluster;
    if (a->is_defined != b->is_defined)
        return a->is_defined;
    return a->tally.bytes != b->tally.bytes ? a->tally.bytes > b->tally.bytes : a->tally.count > b->tally.count;
}
#define PART_BEFORE(unused, a, b) is_larger(&(a), &(b))
UBI_SORT_DEFINE(sort_parts, part, void *, PART_BEFORE);

static ubi_status show_parts(counting *c) {
    vec_part spare = { 0 };
    UBI_TRY(vec_part_reserve(&spare, c->g->f->allocator, c->parts.n));
    if (c->parts.n)
        sort_parts(c->parts.at, spare.at, c->parts.n, NULL);
    vec_part_fini(&spare, c->g->f->allocator);
    for (size_t i = 0; i < c->parts.n; i++) {
        const part *p = &c->parts.at[i];
        ubi_leak_cluster *cluster = cluster_at(c->g, p->cluster);
        if (cluster->n_parts < UBI_LEAK_PARTS)
            cluster->parts[cluster->n_parts++] = (ubi_leak_part){ c->g->leaks->rows.rows.at[p->row], p->tally };
    }
    return UBI_OK;
}

static ubi_status count_all(counting *c) {
    const ubi_leak_finder *f = c->g->f;
    size_t n = c->g->leaks->clusters.n;
    c->sites = ubi__alloc_array(f->allocator, n, sizeof *c->sites);
    c->carrier = ubi__alloc_array(f->allocator, f->graph->n_nodes, sizeof *c->carrier);
    if ((n && !c->sites) || !c->carrier)
        return ubi__fail_nomem();
    for (size_t i = 0; i < n; i++)
        c->sites[i] = site_of(f, c->g->leaks->clusters.at[i].cluster.example);
    memset(c->carrier, 0xff, f->graph->n_nodes * sizeof *c->carrier);
    for (uint32_t i = f->n_around; i < f->n_met; i++) {
        ubi_node_ix node = f->order[i];
        bool is_leaked = f->flags[node] & UBI__LEAK_CANDIDATE;
        c->carrier[node] = is_leaked ? node : c->carrier[f->parent[node]];
        if (is_leaked)
            UBI_TRY(count_node(c, node));
        else
            add_engine(c, node);
    }
    return show_parts(c);
}

ubi_status ubi__leak_count_parts(ubi__leak_gathering *g) {
    counting c = { .g = g };
    ubi__u64_map_init(&c.part_of, g->f->allocator);
    ubi__u64_map_init(&c.is_holder, g->f->allocator);
    ubi_status status = count_all(&c);
    ubi__u64_map_fini(&c.part_of);
    ubi__u64_map_fini(&c.is_holder);
    vec_part_fini(&c.parts, g->f->allocator);
    ubi__free_array(g->f->allocator, c.sites, g->leaks->clusters.n, sizeof *c.sites);
    ubi__free_array(g->f->allocator, c.carrier, g->f->graph->n_nodes, sizeof *c.carrier);
    return status;
}

/* ---- clusters ----------------------------------------------------------------------------------------------------- */

/* Class, name and where it is held: by the holder's place, since branches of a tree are one cluster. */
static uint64_t fingerprint_of(const ubi__leak_gathering *g, const ubi__leak_draft *draft) {
    const ubi__leak_place *main = &g->places[draft->main];
    if (draft->holder == UBI_NONE)
        return main->fingerprint;
    const ubi__leak_place *holder = &g->places[g->f->place_of[draft->holder]];
    return ubi__hash_combine(holder->fingerprint, main->item_hash);
}

static void make_cluster(ubi__leak_found *out, const ubi__leak_gathering *g, const ubi__leak_draft *draft) {
    const ubi_leak_finder *f = g->f;
    const ubi__leak_place *main = &g->places[draft->main];
    const ubi__leak_row *row = &f->tallies.at[main->item.row];
    uint64_t in_old = ubi__leak_past_tally(f, UBI_LEAK_OLD, main->item.row).count;
    ubi_leak_cluster *c = &out->cluster;
    *out = (ubi__leak_found){ .row = main->item.row, .fingerprint = fingerprint_of(g, draft) };
    c->class_name = g->leaks->rows.rows.at[main->item.row];
    c->example = main->example;
    c->name = ubi__strtab_get(&f->graph->strings, main->item.name);
    c->class_count[0] = in_old;
    c->class_count[1] = ubi__leak_three(f) ? ubi__leak_past_tally(f, ubi__leak_past_count(f) - 1, main->item.row).count
                                           : row->newest.count;
    c->class_count[2] = row->newest.count;
    c->class_gone = ubi__subtract_u64(in_old, row->survivors[0]);
    c->holder = draft->holder;
    c->is_holder_new = draft->holder != UBI_NONE && !(f->flags[draft->holder] & UBI__LEAK_WAS_OLD);
    c->n_control = ubi__leak_count_in_control(f->options.control, out->fingerprint);
}

static void add_places(ubi__leak_gathering *g) {
    for (size_t i = 0; i < g->n; i++) {
        const ubi__leak_place *place = &g->places[i];
        if (g->cluster_of[i] == UBI_NONE)
            continue;
        ubi_leak_cluster *c = cluster_at(g, g->cluster_of[i]);
        c->retained_bytes += place->retained_bytes;
        c->n_retained += place->n_retained;
        if (g->part[i] != UBI__LEAK_PLACE_MAIN)
            continue;
        c->leaked.count += place->n_leaked;
        c->leaked.bytes += place->leaked_bytes;
        g->leaks->clusters.at[g->cluster_of[i]].n_replacing += place->n_replacing;
        c->n_older += place->n_older;
        c->n_younger += ubi__leak_three(g->f) ? place->n_younger : 0;
    }
}

static void add_heads(ubi__leak_gathering *g) {
    const ubi_leak_finder *f = g->f;
    for (uint32_t i = 0; i < f->n_heads; i++) {
        ubi__leak_place_ix place = f->place_of[f->order[f->n_around + i]];
        if (g->part[place] == UBI__LEAK_PLACE_MAIN)
            g->leaks->clusters.at[g->cluster_of[place]].n_heads++;
    }
}

static ubi_status gather_clusters(ubi__leak_gathering *g) {
    ubi__vec_leak_found *clusters = &g->leaks->clusters;
    UBI_TRY(ubi__leak_find_owners(g));
    UBI_TRY(ubi__leak_draft_clusters(g));
    UBI_TRY(ubi__vec_leak_found_reserve(clusters, g->f->allocator, g->drafts.n));
    for (; clusters->n < g->drafts.n; clusters->n++)
        make_cluster(&clusters->at[clusters->n], g, &g->drafts.at[clusters->n]);
    add_places(g);
    add_heads(g);
    UBI_TRY(ubi__leak_make_curves(g));
    UBI_TRY(ubi__leak_count_parts(g));
    ubi__leak_finish_curves(g);
    return ubi__leak_judge(g);
}

ubi_status ubi__leak_find_clusters(ubi_leaks *leaks, ubi_leak_finder *f) {
    const ubi_allocator *a = f->allocator;
    ubi__leak_gathering g = { .f = f, .leaks = leaks, .places = f->places.rows.at, .n = f->places.rows.n };
    ubi_status status = gather_clusters(&g);
    ubi__free_array(a, g.below_bytes, g.n, sizeof *g.below_bytes);
    ubi__free_array(a, g.heaviest, g.n, sizeof *g.heaviest);
    ubi__free_array(a, g.cluster_of, g.n, sizeof *g.cluster_of);
    ubi__free_array(a, g.part, g.n, sizeof *g.part);
    ubi__free_array(a, g.owner, f->graph->n_nodes, sizeof *g.owner);
    ubi__free_array(a, g.other_owner, f->graph->n_nodes, sizeof *g.other_owner);
    ubi__vec_leak_draft_fini(&g.drafts, a);
    return status;
}
