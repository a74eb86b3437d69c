/* SPDX-License-Identifier: MIT
 *
 * keeper_join.c: large nodes that are parts of one thing count together.
 *
 * A list whose every node is large would have a keeper somewhere near its end, where the rest is no longer large; an array
 * of a dozen equal buffers would have a dozen. Both are recognized:
 *
 *     List -> Node -> Node -> Node -> ...               a structure: all count for the first Node
 *     Tree -> Node -> Array -> Node, Node, ...          the same, with one other node between
 *     Array -[0]-> Buffer, -[1]-> Buffer, ...           a collection: all count for the Array, with what is below them
 *
 * A part that has half of it all is a keeper of its own, and then nothing is joined.
 */
#include "analyses/dominators/keeper_finder.h"
#include "base/hash.h"
#include "base/merge_sort.h"

#define LEAST_LEVELS 4 /* of a structure: nodes of its kind that dominate each other */
#define LEAST_COLLECTION 4

/* What large nodes of one structure or collection add up to. */
typedef struct joint {
    uint64_t sum, greatest;
    uint32_t n;
    uint32_t levels; /* of a structure */
} joint;

typedef struct joiner {
    ubi__keeper_finder *finder;
    ubi__large *large; /* the finder's large[n] */
    uint32_t n;
    joint *joints;    /* joints[n]: by top of a structure */
    uint32_t *top;    /* top[n]: of the structure that a node belongs to, perhaps itself; UBI_NONE: not known yet */
    uint32_t *level;  /* level[n]: in its structure, nodes of its kind only; 0: not known yet */
    bool *tied;       /* tied[n]: to the structure of the node above */
    uint64_t *stem;   /* stem[n]: hash of what the edge to it is called, digits apart; 0: no edge from the node above */
    uint32_t *places; /* places[n], and as many to sort with */
    uint32_t *spare;
} joiner;

static void joint_add(joint *j, uint64_t bytes) {
    j->n++;
    j->sum += bytes;
    j->greatest = bytes > j->greatest ? bytes : j->greatest;
}

static bool is_even(const joint *j) {
    return j->greatest < j->sum / 2;
}

/* ---- structures -------------------------------------------------------------------------------------------------- */

static ubi_coarse_type coarse_type(const joiner *j, uint32_t place) {
    const ubi_graph *g = j->finder->graph;
    return ubi_graph_kind(g, g->kind.at[j->large[place].node])->coarse_type;
}

/* Whether two nodes may be of one structure. All DOM nodes may: a document is a tree of them. */
static bool are_alike(const joiner *j, uint32_t a, uint32_t b) {
    return ubi__keeper_family(j->finder, j->large[a].node) == ubi__keeper_family(j->finder, j->large[b].node) ||
           (coarse_type(j, a) == UBI_COARSE_DOM_NODE && coarse_type(j, b) == UBI_COARSE_DOM_NODE);
}

static void tie_structures(joiner *j) {
    for (uint32_t i = 0; i < j->n; i++) {
        uint32_t above = j->large[i].above;
        if (above == UBI_NONE)
            continue;
        if (are_alike(j, i, above))
            j->tied[i] = true;
        uint32_t second = j->large[above].above;
        if (second != UBI_NONE && are_alike(j, i, second))
            j->tied[i] = j->tied[above] = true;
    }
}

/* The place that `place` continues: the one above, or the second above if that is like it. UBI_NONE at a top. */
static uint32_t predecessor_of(const joiner *j, uint32_t place) {
    uint32_t above = j->tied[place] ? j->large[place].above : UBI_NONE;
    if (above == UBI_NONE || are_alike(j, place, above))
        return above;
    uint32_t second = j->tied[above] ? j->large[above].above : UBI_NONE;
    return second != UBI_NONE && are_alike(j, place, second) ? second : UBI_NONE;
}

/* Tops and levels. Walks up to what is known, turns the way round through `spare`, and comes down. */
static void find_levels(joiner *j) {
    for (uint32_t i = 0; i < j->n; i++) {
        uint32_t depth = 0;
        for (uint32_t at = i; at != UBI_NONE && j->level[at] == 0; at = predecessor_of(j, at))
            j->spare[depth++] = at;
        while (depth > 0) {
            uint32_t at = j->spare[--depth], before = predecessor_of(j, at);
            j->level[at] = before == UBI_NONE ? 1 : j->level[before] + 1;
        }
    }
}

static void find_tops(joiner *j) {
    for (uint32_t i = 0; i < j->n; i++) {
        uint32_t depth = 0, at = i;
        while (j->top[at] == UBI_NONE && j->tied[at]) {
            j->spare[depth++] = at;
            at = j->large[at].above;
        }
        uint32_t top = j->top[at] == UBI_NONE ? at : j->top[at];
        j->top[at] = top;
        while (depth > 0)
            j->top[j->spare[--depth]] = top;
    }
}

static void join_structures(joiner *j) {
    tie_structures(j);
    find_levels(j);
    find_tops(j);
    for (uint32_t i = 0; i < j->n; i++) {
        joint *sum = &j->joints[j->top[i]];
        joint_add(sum, j->large[i].exclusive_bytes);
        sum->levels = j->level[i] > sum->levels ? j->level[i] : sum->levels;
    }
    for (uint32_t i = 0; i < j->n; i++) {
        uint32_t top = j->top[i];
        if (j->joints[top].levels < LEAST_LEVELS || !is_even(&j->joints[top]))
            continue;
        j->large[i].counts_at = top;
        j->large[top].is_structure = true;
    }
}

/* ---- collections ------------------------------------------------------------------------------------------------- */

/* "objectElements[12]" and "objectElements[7]" have one stem, "a" and "b" do not. Never 0. */
static uint64_t stem_of(ubi_text name) {
    uint64_t hash = 1;
    for (size_t i = 0; i < name.len; i++)
        if (name.ptr[i] < '0' || name.ptr[i] > '9')
            hash = ubi__hash_u64(hash ^ (uint8_t)name.ptr[i]);
    return hash ? hash : 1;
}

static void find_stems(joiner *j) {
    const ubi_graph *g = j->finder->graph;
    for (uint32_t i = 0; i < j->n; i++) {
        ubi_node_ix node = j->large[i].node;
        for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++) {
            uint32_t place = j->finder->place[g->target.at[e]];
            if (place == 0 || j->large[place - 1].node != g->target.at[e] || j->large[place - 1].above != i)
                continue;
            if (j->stem[place - 1] == 0)
                j->stem[place - 1] = stem_of(ubi_graph_string(g, ubi__graph_edge_name(g, e)));
        }
    }
}

static bool group_before(const joiner *j, uint32_t a, uint32_t b) {
    if (j->large[a].above != j->large[b].above)
        return j->large[a].above < j->large[b].above;
    uint32_t x = ubi__keeper_family(j->finder, j->large[a].node), y = ubi__keeper_family(j->finder, j->large[b].node);
    return x != y ? x < y : j->stem[a] < j->stem[b];
}
UBI_SORT_DEFINE(sort_places, uint32_t, const joiner *, group_before);

static void join_group(joiner *j, const uint32_t *places, uint32_t n) {
    joint sum = { 0 };
    uint32_t above = j->large[places[0]].above;
    for (uint32_t i = 0; i < n; i++)
        joint_add(&sum, ubi_dominators_retained_bytes(j->finder->dominators, j->large[places[i]].node));
    if (above == UBI_NONE || n < LEAST_COLLECTION || !is_even(&sum))
        return;
    for (uint32_t i = 0; i < n; i++)
        j->large[places[i]].is_element = true;
}

static void join_collections(joiner *j) {
    find_stems(j);
    for (uint32_t i = 0; i < j->n; i++)
        j->places[i] = i;
    sort_places(j->places, j->spare, j->n, j);
    for (uint32_t first = 0, i = 1; i <= j->n; i++)
        if (i == j->n || group_before(j, j->places[first], j->places[i])) {
            join_group(j, j->places + first, i - first);
            first = i;
        }
}

/* ---- adding up --------------------------------------------------------------------------------------------------- */

/*
 * Everything at and below an element counts for the collection: from the top down, each node takes over what was decided
 * above it. `level` serves again: 1 marks what is decided.
 */
static void settle_counts(joiner *j) {
    for (uint32_t i = 0; i < j->n; i++)
        j->level[i] = 0;
    for (uint32_t i = 0; i < j->n; i++) {
        uint32_t depth = 0;
        for (uint32_t at = i; at != UBI_NONE && j->level[at] == 0; at = j->large[at].above)
            j->spare[depth++] = at;
        while (depth > 0) {
            ubi__large *l = &j->large[j->spare[--depth]];
            ubi__large *above = l->above == UBI_NONE ? NULL : &j->large[l->above];
            j->level[l - j->large] = 1;
            if (above && (l->is_element || above->is_element)) {
                l->is_element = true;
                l->counts_at = above->counts_at;
            } else if (l->counts_at != (uint32_t)(l - j->large)) {
                l->counts_at = j->large[l->counts_at].counts_at;
            }
        }
    }
}

static uint64_t exclusive_sum(const joiner *j) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < j->n; i++)
        sum += j->large[i].exclusive_bytes;
    return sum;
}

static void add_up(joiner *j) {
    uint64_t sum = UBI_CHECKS ? exclusive_sum(j) : 0;
    for (uint32_t i = 0; i < j->n; i++) {
        if (j->large[i].counts_at == i)
            continue;
        j->large[j->large[i].counts_at].exclusive_bytes += j->large[i].exclusive_bytes;
        j->large[i].exclusive_bytes = 0;
    }
    UBI_ASSERT(exclusive_sum(j) == sum); /* joining moves bytes and loses none */
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static bool joiner_init(joiner *j, ubi__keeper_finder *f) {
    const ubi_allocator *a = f->allocator;
    size_t n = f->large.n;
    *j = (joiner){ .finder = f, .large = f->large.at, .n = (uint32_t)n };
    j->joints = ubi__calloc_array(a, n, sizeof *j->joints);
    j->top = ubi__alloc_array(a, n, sizeof *j->top);
    j->level = ubi__calloc_array(a, n, sizeof *j->level);
    j->tied = ubi__calloc_array(a, n, sizeof *j->tied);
    j->stem = ubi__calloc_array(a, n, sizeof *j->stem);
    j->places = ubi__alloc_array(a, n, sizeof *j->places);
    j->spare = ubi__alloc_array(a, n, sizeof *j->spare);
    if (!j->joints || !j->top || !j->level || !j->tied || !j->stem || !j->places || !j->spare)
        return false;
    for (size_t i = 0; i < n; i++)
        j->top[i] = UBI_NONE;
    return true;
}

static void joiner_fini(joiner *j, const ubi_allocator *a) {
    ubi__free_array(a, j->joints, j->n, sizeof *j->joints);
    ubi__free_array(a, j->top, j->n, sizeof *j->top);
    ubi__free_array(a, j->level, j->n, sizeof *j->level);
    ubi__free_array(a, j->tied, j->n, sizeof *j->tied);
    ubi__free_array(a, j->stem, j->n, sizeof *j->stem);
    ubi__free_array(a, j->places, j->n, sizeof *j->places);
    ubi__free_array(a, j->spare, j->n, sizeof *j->spare);
}

ubi_status ubi__keepers_join(ubi__keeper_finder *f) {
    joiner j;
    if (f->large.n == 0)
        return UBI_OK;
    bool complete = joiner_init(&j, f);
    if (complete) {
        join_structures(&j);
        join_collections(&j);
        settle_counts(&j);
        add_up(&j);
    }
    joiner_fini(&j, f->allocator);
    return complete ? UBI_OK : ubi__fail_nomem();
}
