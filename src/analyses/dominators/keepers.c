/* SPDX-License-Identifier: MIT
 *
 * keepers.c: finding the nodes that explain who holds a heap.
 *
 * Only large nodes matter, and there are few of them: at most a hundred beside each other. One sweep over all nodes lists
 * them; walking up from each finds the next one above, and no node is walked twice. (Sizes that wrap at 2^64 can make many
 * nodes large. Nothing breaks then: the list is only longer.)
 */
#include "analyses/dominators/keeper_finder.h"

#include "base/hash.h"
#include "base/merge_sort.h"
#include "graph/graph_columns.h"

/* ==== FAMILIES ================================================================================================== */

/* Kinds sorted by coarse type and name; the first of equal ones represents all. */

typedef struct named_kind {
    ubi_coarse_type coarse_type;
    ubi_str_ix name; /* canonical */
    ubi_kind_ix kind;
} named_kind;

static bool same_family(named_kind a, named_kind b) {
    return a.coarse_type == b.coarse_type && a.name == b.name;
}

static bool kind_before(void *unused, named_kind a, named_kind b) {
    (void)unused;
    return a.coarse_type != b.coarse_type ? a.coarse_type < b.coarse_type : a.name < b.name;
}
UBI_SORT_DEFINE(sort_kinds, named_kind, void *, kind_before);

static ubi_str_ix name_of(const ubi_kind *kind) {
    const ubi_str_ix names[] = { kind->descriptive_name, kind->class_name, kind->script_filename };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i] != UBI_NONE)
            return names[i];
    return kind->type_name;
}

void ubi__families_check(const ubi__families *f) {
    for (uint32_t k = 0; UBI_CHECKS && k < f->n_kinds; k++) {
        UBI_ASSERT(f->family[k] <= k);
        UBI_ASSERT(f->family[f->family[k]] == f->family[k]);
    }
}

static void fill_families(ubi__families *f, named_kind *kinds, named_kind *spare, const ubi_graph *g) {
    for (ubi_kind_ix k = 0; k < f->n_kinds; k++) {
        const ubi_kind *kind = ubi_graph_kind(g, k);
        kinds[k] = (named_kind){ kind->coarse_type, ubi_graph_canonical_string(g, name_of(kind)), k };
    }
    sort_kinds(kinds, spare, f->n_kinds, NULL);
    for (uint32_t i = 0, first = 0; i < f->n_kinds; i++) {
        if (!same_family(kinds[first], kinds[i]))
            first = i;
        f->family[kinds[i].kind] = kinds[first].kind;
    }
    ubi__families_check(f);
}

ubi_status ubi__families_init(ubi__families *out, const ubi_graph *graph, const ubi_allocator *a) {
    uint32_t n = ubi_graph_kind_count(graph);
    *out = (ubi__families){ ubi__alloc_array(a, n, sizeof *out->family), n };
    named_kind *kinds = ubi__alloc_array(a, n, sizeof *kinds);
    named_kind *spare = ubi__alloc_array(a, n, sizeof *spare);
    bool complete = out->family && kinds && spare;
    if (complete)
        fill_families(out, kinds, spare, graph);
    ubi__free_array(a, kinds, n, sizeof *kinds);
    ubi__free_array(a, spare, n, sizeof *spare);
    if (complete)
        return UBI_OK;
    ubi__families_fini(out, a);
    return ubi__fail_nomem();
}

void ubi__families_fini(ubi__families *families, const ubi_allocator *a) {
    ubi__free_array(a, families->family, families->n_kinds, sizeof *families->family);
    families->family = NULL;
}

/* ==== JOINING =================================================================================================== */

/*
 * Large nodes that are parts of one thing count together.
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
    uint32_t *top;    /* top[n]: of the structure that a node belongs to, perhaps itself; UBI_NONE: not yet known */
    uint32_t *level;  /* level[n]: in its structure, nodes of its kind only; 0: not yet known */
    bool *is_tied;    /* tied[n]: to the structure of the node above */
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
            j->is_tied[i] = true;
        uint32_t second = j->large[above].above;
        if (second != UBI_NONE && are_alike(j, i, second))
            j->is_tied[i] = j->is_tied[above] = true;
    }
}

/* The place that `place` continues: the one above, or the second above if that is like it. UBI_NONE at a top. */
static uint32_t predecessor_of(const joiner *j, uint32_t place) {
    uint32_t above = j->is_tied[place] ? j->large[place].above : UBI_NONE;
    if (above == UBI_NONE || are_alike(j, place, above))
        return above;
    uint32_t second = j->is_tied[above] ? j->large[above].above : UBI_NONE;
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
        while (j->top[at] == UBI_NONE && j->is_tied[at]) {
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
    j->is_tied = ubi__calloc_array(a, n, sizeof *j->is_tied);
    j->stem = ubi__calloc_array(a, n, sizeof *j->stem);
    j->places = ubi__alloc_array(a, n, sizeof *j->places);
    j->spare = ubi__alloc_array(a, n, sizeof *j->spare);
    if (!j->joints || !j->top || !j->level || !j->is_tied || !j->stem || !j->places || !j->spare)
        return false;
    for (size_t i = 0; i < n; i++)
        j->top[i] = UBI_NONE;
    return true;
}

static void joiner_fini(joiner *j, const ubi_allocator *a) {
    ubi__free_array(a, j->joints, j->n, sizeof *j->joints);
    ubi__free_array(a, j->top, j->n, sizeof *j->top);
    ubi__free_array(a, j->level, j->n, sizeof *j->level);
    ubi__free_array(a, j->is_tied, j->n, sizeof *j->is_tied);
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

/* ==== HOLDINGS ================================================================================================== */

/*
 * What the keepers that were chosen hold.
 *
 * Each keeper's part of the dominator tree is walked once: the walk stops at other keepers, whose counts are added
 * afterwards, so that keepers within each other cost no more than the whole tree once.
 *
 *     keeper -> (internal) -> Point -> ...          held: Point, with what it retains; what is below is only counted
 *            -> Point -> ...
 *            -> another keeper                      not held: it speaks for itself
 */

typedef struct holding {
    uint64_t bytes;
    uint32_t count;
} holding;

/* A node that waits for its turn. */
typedef struct visit {
    ubi_node_ix node;
    bool is_held; /* nothing but internals between it and the keeper */
} visit;

UBI_VEC_DECLARE(visit_list, visit);

typedef struct walker {
    ubi__keeper_finder *finder;
    ubi_keeper *keepers;
    uint32_t n_keepers;
    visit_list waiting;
    holding *holdings;    /* by family; zero between keepers */
    ubi__vec_u32 touched; /* families that are not */
    uint64_t n_visited;
} walker;

static bool is_keeper(const walker *w, ubi_node_ix node) {
    uint32_t place = w->finder->place[node];
    return place && w->finder->large.at[place - 1].node == node && w->finder->large.at[place - 1].keeper != UBI_NONE;
}

static ubi_status add_holding(walker *w, ubi_node_ix node, uint64_t bytes) {
    uint32_t family = ubi__keeper_family(w->finder, node);
    if (w->holdings[family].count == 0)
        UBI_TRY(ubi__vec_u32_push(&w->touched, w->finder->allocator, family));
    w->holdings[family].count++;
    w->holdings[family].bytes += bytes;
    return UBI_OK;
}

static ubi_status visit_children(walker *w, visit from) {
    uint32_t n;
    const ubi_node_ix *children = ubi_dominators_dominated(w->finder->dominators, from.node, &n);
    UBI_TRY(visit_list_reserve(&w->waiting, w->finder->allocator, n));
    for (uint32_t i = 0; i < n; i++)
        w->waiting.at[w->waiting.n++] = (visit){ children[i], from.is_held };
    return UBI_OK;
}

static bool counts_for(const walker *w, const ubi_keeper *keeper, bool of_structure, visit v) {
    if (of_structure)
        return ubi__keeper_family(w->finder, v.node) == ubi__keeper_family(w->finder, keeper->node);
    return v.is_held && !ubi__keeper_is_internal(w->finder, v.node);
}

#define NODES_PER_STEP (1u << 16)

/* Everything below a keeper down to the next keepers. */
static ubi_status walk_keeper(walker *w, ubi_keeper *keeper, bool of_structure) {
    const ubi__keeper_finder *f = w->finder;
    UBI_TRY(visit_children(w, (visit){ keeper->node, true }));
    while (w->waiting.n) {
        visit v = w->waiting.at[--w->waiting.n];
        if (++w->n_visited % NODES_PER_STEP == 0 &&
            !ubi__progress(f->progress, "looking at keepers", w->n_visited, f->graph->n_nodes))
            return ubi__fail_cancelled();
        keeper->n_dominated++;
        if (is_keeper(w, v.node))
            continue;
        if (counts_for(w, keeper, of_structure, v)) {
            UBI_TRY(add_holding(w, v.node, ubi_dominators_retained_bytes(f->dominators, v.node)));
            v.is_held = false;
        }
        UBI_TRY(visit_children(w, v));
    }
    return UBI_OK;
}

/* The family with the most bytes, and a clean table for the next keeper. */
static void take_greatest(walker *w, ubi_keeper *keeper) {
    for (size_t i = 0; i < w->touched.n; i++) {
        uint32_t family = w->touched.at[i];
        holding h = w->holdings[family];
        if (h.bytes > keeper->held_bytes || (h.bytes == keeper->held_bytes && h.count > keeper->n_held)) {
            keeper->held_kind = family;
            keeper->n_held = h.count;
            keeper->held_bytes = h.bytes;
        }
        w->holdings[family] = (holding){ 0 };
    }
    w->touched.n = 0;
}

static ubi_status describe_keeper(walker *w, ubi_keeper *keeper) {
    const ubi__keeper_finder *f = w->finder;
    bool of_structure = f->large.at[f->place[keeper->node] - 1].is_structure;
    UBI_TRY(walk_keeper(w, keeper, of_structure));
    take_greatest(w, keeper);
    if (of_structure)
        keeper->held_bytes = keeper->exclusive_bytes;
    return UBI_OK;
}

static ubi_status describe_all(walker *w) {
    ubi__large_list *large = &w->finder->large;
    for (uint32_t i = 0; i < w->n_keepers; i++)
        large->at[w->finder->place[w->keepers[i].node] - 1].keeper = i;
    for (uint32_t i = 0; i < w->n_keepers; i++)
        UBI_TRY(describe_keeper(w, &w->keepers[i]));
    return UBI_OK;
}

/* What was counted up to other keepers is also below all keepers above. */
static ubi_status add_counts_below(walker *w) {
    const ubi__keeper_finder *f = w->finder;
    uint32_t *own = ubi__alloc_array(f->allocator, w->n_keepers, sizeof *own);
    if (!own)
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < w->n_keepers; i++)
        own[i] = w->keepers[i].n_dominated;
    for (uint32_t i = 0; i < w->n_keepers; i++) {
        uint32_t place = f->place[w->keepers[i].node] - 1;
        while ((place = f->large.at[place].above) != UBI_NONE)
            if (f->large.at[place].keeper != UBI_NONE)
                w->keepers[f->large.at[place].keeper].n_dominated += own[i];
    }
    ubi__free_array(f->allocator, own, w->n_keepers, sizeof *own);
    return UBI_OK;
}

ubi_status ubi__keepers_describe(ubi__keeper_finder *f, ubi_keeper *keepers, uint32_t n) {
    walker w = { .finder = f, .keepers = keepers, .n_keepers = n };
    if (n == 0)
        return UBI_OK;
    w.holdings = ubi__calloc_array(f->allocator, f->families.n_kinds, sizeof *w.holdings);
    if (!w.holdings)
        return ubi__fail_nomem();
    ubi_status status = describe_all(&w);
    if (status == UBI_OK)
        status = add_counts_below(&w);
    for (uint32_t i = 0; UBI_CHECKS && status == UBI_OK && i < n; i++)
        UBI_ASSERT(keepers[i].n_dominated < f->graph->n_nodes);
    for (uint32_t i = 0; UBI_CHECKS && status == UBI_OK && i < f->families.n_kinds; i++)
        UBI_ASSERT(w.holdings[i].count == 0 && w.holdings[i].bytes == 0);
    visit_list_fini(&w.waiting, f->allocator);
    ubi__vec_u32_fini(&w.touched, f->allocator);
    ubi__free_array(f->allocator, w.holdings, f->families.n_kinds, sizeof *w.holdings);
    return status;
}

/* ==== KEEPERS =================================================================================================== */

#define LARGE_SHARE 100 /* one part in 100 */

void ubi__keeper_finder_check(const ubi__keeper_finder *f) {
    for (size_t i = 0; UBI_CHECKS && i < f->large.n; i++) {
        const ubi__large *l = &f->large.at[i];
        UBI_ASSERT(f->place[l->node] == i + 1);
        UBI_ASSERT(i == 0 || f->large.at[i - 1].node < l->node);
        UBI_ASSERT(l->above == UBI_NONE || (l->above < f->large.n && l->above != i));
        UBI_ASSERT(f->large.at[UBI_INDEX(l->counts_at, f->large.n)].counts_at == l->counts_at);
        UBI_ASSERT(l->counts_at == i || l->exclusive_bytes == 0);
    }
}

/* ---- large nodes ------------------------------------------------------------------------------------------------- */

/* Whether a node may be a keeper. Internals may where nothing but the root is above them. */
static bool is_candidate(const ubi__keeper_finder *f, ubi_node_ix node, ubi_node_ix dominator) {
    return !ubi__keeper_is_root(f, node) && (!ubi__keeper_is_internal(f, node) || ubi__keeper_is_root(f, dominator));
}

static ubi_status list_large(ubi__keeper_finder *f) {
    for (ubi_node_ix node = 0; node < f->graph->n_nodes; node++) {
        if (node % NODES_PER_STEP == 0 && !ubi__progress(f->progress, "looking for keepers", node, f->graph->n_nodes))
            return ubi__fail_cancelled();
        uint64_t retained = ubi_dominators_retained_bytes(f->dominators, node);
        if (retained < f->threshold_bytes)
            continue;
        ubi_node_ix dominator = ubi_dominators_immediate(f->dominators, node);
        if (dominator == UBI_NONE || !is_candidate(f, node, dominator))
            continue;
        uint32_t place = (uint32_t)f->large.n;
        UBI_TRY(ubi__large_list_push(&f->large, f->allocator,
                                     (ubi__large){ .node = node,
                                                   .above = UBI_NONE,
                                                   .counts_at = place,
                                                   .keeper = UBI_NONE,
                                                   .exclusive_bytes = retained }));
        f->place[node] = place + 1;
    }
    return UBI_OK;
}

/* The large node at `node` or nearest above it; UBI_NONE: only the root is. Remembers the answer on the way. */
static uint32_t nearest_large(ubi__keeper_finder *f, ubi_node_ix node) {
    ubi_node_ix root = ubi_dominators_root(f->dominators), at = node;
    while (at != root && f->place[at] == 0)
        at = ubi_dominators_immediate(f->dominators, at);
    if (at == root)
        return UBI_NONE;
    uint32_t place = f->place[at];
    for (; f->place[node] == 0; node = ubi_dominators_immediate(f->dominators, node))
        f->place[node] = place;
    return place - 1;
}

static void subtract_from_above(ubi__keeper_finder *f) {
    for (size_t i = 0; i < f->large.n; i++) {
        ubi__large *l = &f->large.at[i];
        l->above = nearest_large(f, ubi_dominators_immediate(f->dominators, l->node));
        if (l->above != UBI_NONE)
            f->large.at[l->above].exclusive_bytes -= ubi_dominators_retained_bytes(f->dominators, l->node);
    }
}

/* ---- selection --------------------------------------------------------------------------------------------------- */

/* Keeps out[n] sorted, at most `max`; what is equal to one in the list comes after it. */
static void offer_keeper(ubi_keeper *out, uint32_t *n, uint32_t max, ubi_keeper keeper) {
    uint32_t at = *n;
    while (at > 0 && keeper.exclusive_bytes > out[at - 1].exclusive_bytes)
        at--;
    if (at == max)
        return;
    if (*n < max)
        ++*n;
    for (uint32_t i = *n - 1; i > at; i--)
        out[i] = out[i - 1];
    out[at] = keeper;
}

static void keepers_select(ubi_keeper *out, uint32_t *n, uint32_t max, const ubi__keeper_finder *f) {
    for (size_t i = 0; i < f->large.n; i++) {
        const ubi__large *l = &f->large.at[i];
        if (l->counts_at == i && l->exclusive_bytes >= f->threshold_bytes)
            offer_keeper(out, n, max,
                         (ubi_keeper){ .node = l->node,
                                       .retained_bytes = ubi_dominators_retained_bytes(f->dominators, l->node),
                                       .exclusive_bytes = l->exclusive_bytes,
                                       .held_kind = UBI_NONE });
    }
}

/* ---- from options to keepers ------------------------------------------------------------------------------------- */

static ubi_status keepers_find(ubi_keeper *out, uint32_t *n, uint32_t max, ubi__keeper_finder *f) {
    uint32_t found = 0;
    f->place = ubi__calloc_array(f->allocator, f->graph->n_nodes, sizeof *f->place);
    if (!f->place)
        return ubi__fail_nomem();
    UBI_TRY(ubi__families_init(&f->families, f->graph, f->allocator));
    UBI_TRY(list_large(f));
    subtract_from_above(f);
    ubi__keeper_finder_check(f);
    UBI_TRY(ubi__keepers_join(f));
    ubi__keeper_finder_check(f);
    keepers_select(out, &found, max, f);
    for (uint32_t i = 1; UBI_CHECKS && i < found; i++)
        UBI_ASSERT(out[i - 1].exclusive_bytes >= out[i].exclusive_bytes);
    UBI_TRY(ubi__keepers_describe(f, out, found));
    *n = found;
    return UBI_OK;
}

ubi_status ubi_keepers_find(ubi_keeper *out, uint32_t *n, uint32_t max, const ubi_dominators *dominators,
                            const ubi_graph *graph, const ubi_keepers_options *options) {
    static const ubi_keepers_options defaults = UBI_KEEPERS_OPTIONS_INIT;
    if (options)
        UBI_TRY(ubi__version_check(options->version, UBI_KEEPERS_OPTIONS_VERSION, "ubi_keepers_options"));
    if (!options)
        options = &defaults;
    uint64_t all = ubi_dominators_retained_bytes(dominators, ubi_dominators_root(dominators));
    ubi__keeper_finder f = {
        .dominators = dominators,
        .graph = graph,
        .allocator = ubi__allocator_or_default(options->allocator),
        .progress = &options->progress,
        .is_root_kind = options->is_root_kind,
        .threshold_bytes = all / LARGE_SHARE > options->least_bytes ? all / LARGE_SHARE : options->least_bytes,
    };
    ubi_status status = keepers_find(out, n, max, &f);
    ubi__large_list_fini(&f.large, f.allocator);
    ubi__families_fini(&f.families, f.allocator);
    ubi__free_array(f.allocator, f.place, graph->n_nodes, sizeof *f.place);
    return status;
}
