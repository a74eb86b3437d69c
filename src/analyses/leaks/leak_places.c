/* SPDX-License-Identifier: MIT
 *
 * leak_places.c: the places of a heap, and the place of every node that matters.
 *
 * Children of a node are next to each other in the order of the walk (once among those met around candidates, once among
 * the candidates that waited). So the keys of a dictionary are distinguished from the fields of an object by counting, run by run: many
 * children of one class under different names are entries, and get the label "any". In the same way, names distinguish functions, but not
 * if nearly every one in a holder has another: those were made by one piece of code, such as eval.
 */
#include "analyses/leaks/leak_places.h"

#include "analyses/leaks/leak_finder.h"
#include "base/hash.h"
#include "base/text.h"
#include "graph/outside_view.h"

/* ---- the walk ----------------------------------------------------------------------------------------------------- */

/*
 * First half: from the view's first edges, then from its root, around everything new that programs hold; then through what of
 * this is no candidate, such as objects that came after NEW. Candidates are met but wait. Second half: from those that wait, in
 * the order in which they were met. What is met there can be reached through candidates only.
 *
 * Weak tables of the engine are met and not entered: what nothing else holds is about to go.
 */

/* Edges of a node beyond these are not followed: their place would not fit the column. */
#define MOST_EDGES UINT32_MAX

typedef struct walk {
    ubi_leak_finder *f;
    const ubi_graph *g;
    ubi_node_ix *waiting; /* waiting[n_waiting]; the end of the order's array, backwards */
    uint32_t n_waiting;
    uint32_t n_done;         /* order[0 .. n_done) were expanded */
    bool is_deferring;       /* candidates wait */
    bool is_deferring_young; /* other new objects do, too, in `young` */
    ubi__vec_u32 young;
    bool is_deferring_passing;  /* roots and edges for the moment do, too */
    ubi__vec_u32 passing;       /* roots */
    ubi__vec_u32 passing_edges; /* a source and the number of the edge there, by turns */
    ubi_status status;
    uint64_t n_edges, next_report;
} walk;

static bool is_young(const ubi_leak_finder *f, ubi_node_ix node) {
    return !(f->flags[node] & UBI__LEAK_WAS_OLD) && ubi__leak_is_held_by_program(f, node);
}

static void meet_target(walk *w, ubi_node_ix source, uint64_t i) {
    ubi_leak_finder *f = w->f;
    ubi_node_ix target = w->g->target.at[w->g->first_edge.at[source] + i];
    if (f->parent[target] != UBI_NONE)
        return;
    f->parent[target] = source;
    f->edge[target] = (uint32_t)i;
    if (w->is_deferring && f->flags[target] & UBI__LEAK_CANDIDATE)
        f->order[f->graph->n_nodes - ++w->n_waiting] = target;
    else if (w->is_deferring_young && is_young(f, target))
        w->status = w->status == UBI_OK ? ubi__vec_u32_push(&w->young, f->allocator, target) : w->status;
    else if (w->is_deferring_passing && f->flags[target] & UBI__LEAK_PASSING)
        w->status = w->status == UBI_OK ? ubi__vec_u32_push(&w->passing, f->allocator, target) : w->status;
    else
        f->order[f->n_met++] = target;
}

/* Only lists of roots have edges for the moment. */
static bool may_hold_for_moment(const walk *w, ubi_node_ix node) {
    ubi_node_ix parent = w->f->parent[node];
    return w->is_deferring_passing && w->f->options.is_passing_edge && w->f->parent[parent] == w->f->view.root;
}

static bool edge_is_passing(const walk *w, ubi_node_ix source, uint64_t i) {
    return w->f->options.is_passing_edge(w->g, source, w->g->first_edge.at[source] + i);
}

static void defer_edge(walk *w, ubi_node_ix source, uint64_t i) {
    const ubi_allocator *a = w->f->allocator;
    if (w->status == UBI_OK)
        w->status = ubi__vec_u32_reserve(&w->passing_edges, a, 2);
    if (w->status != UBI_OK)
        return;
    w->passing_edges.at[w->passing_edges.n++] = source;
    w->passing_edges.at[w->passing_edges.n++] = (uint32_t)i;
}

static void admit_edges(walk *w) {
    for (size_t i = 0; i < w->passing_edges.n; i += 2)
        meet_target(w, w->passing_edges.at[i], w->passing_edges.at[i + 1]);
    w->passing_edges.n = 0;
}

static void expand_node(walk *w, ubi_node_ix node) {
    if (w->f->flags[node] & UBI__LEAK_WEAK_TABLE)
        return;
    uint64_t first = w->g->first_edge.at[node], n = w->g->first_edge.at[node + 1] - first;
    n = n < MOST_EDGES ? n : MOST_EDGES;
    bool has_passing = may_hold_for_moment(w, node);
    for (uint64_t i = 0; i < n; i++) {
        if (!ubi__edge_set_has(w->f->view.edges, first + i))
            continue;
        if (has_passing && edge_is_passing(w, node, i))
            defer_edge(w, node, i);
        else
            meet_target(w, node, i);
    }
    w->n_edges += n;
}

static ubi_status expand_all(walk *w) {
    while (w->n_done < w->f->n_met && w->status == UBI_OK) {
        expand_node(w, w->f->order[w->n_done++]);
        if (w->n_edges < w->next_report)
            continue;
        w->next_report = w->n_edges + UBI__LEAK_STEP;
        if (!ubi__progress(&w->f->options.progress, "finding leaks", w->n_edges, w->g->n_edges))
            return ubi__fail_cancelled();
    }
    return w->status;
}

static void admit_nodes(walk *w, const ubi__vec_u32 *nodes) {
    if (nodes->n)
        memcpy(w->f->order + w->f->n_met, nodes->at, nodes->n * sizeof *nodes->at);
    w->f->n_met += (uint32_t)nodes->n;
}

/* Whether something of the program was not met: what was there before, or may have leaked. */
static bool misses_some(const ubi_leak_finder *f) {
    for (ubi_node_ix node = 0; node < f->graph->n_nodes; node++)
        if (f->parent[node] == UBI_NONE && f->flags[node] & (UBI__LEAK_WAS_OLD | UBI__LEAK_CANDIDATE) &&
            ubi__leak_is_held_by_program(f, node))
            return true;
    return false;
}

static void expand_left_out(walk *w, ubi_node_ix node) {
    const ubi_graph *g = w->g;
    uint64_t first = g->first_edge.at[node], n = g->first_edge.at[node + 1] - first;
    n = n < MOST_EDGES ? n : MOST_EDGES;
    for (uint64_t i = 0; i < n; i++)
        if (ubi__edge_is_outside_view(&w->f->view, first + i))
            meet_target(w, node, i);
    w->n_edges += n;
}

/* Edges that are not of the view keep objects alive, too (outside_view.h). */
static ubi_status walk_left_out(walk *w) {
    if (!w->f->view.edges || !misses_some(w->f))
        return UBI_OK;
    for (uint32_t i = 0; i < w->f->n_met; i++) {
        ubi_node_ix node = w->f->order[i];
        if (w->f->flags[node] & UBI__LEAK_WEAK_TABLE)
            continue;
        expand_left_out(w, node);
        UBI_TRY(expand_all(w));
    }
    return UBI_OK;
}

/*
 * From what people think of as roots, then from everything else that the root leads to, and at last from what is a root for the moment:
 * a variable of the function that takes the snapshot says nothing of who holds an object permanently.
 */
static ubi_status walk_around(walk *w) {
    ubi_leak_finder *f = w->f;
    ubi_node_ix root = f->view.root;
    uint64_t first = w->g->first_edge.at[root];
    f->parent[root] = root;
    for (uint32_t i = 0; i < f->view.n_first_edges; i++)
        if (f->view.first_edges[i] - first < MOST_EDGES)
            meet_target(w, root, f->view.first_edges[i] - first);
    UBI_TRY(expand_all(w));
    f->order[f->n_met++] = root;
    UBI_TRY(expand_all(w));
    w->is_deferring_passing = false;
    admit_nodes(w, &w->passing);
    admit_edges(w);
    UBI_TRY(expand_all(w));
    UBI_TRY(walk_left_out(w));
    w->is_deferring_young = false;
    f->n_old = f->n_met;
    f->n_young = (uint32_t)w->young.n;
    admit_nodes(w, &w->young);
    return expand_all(w);
}

/* They were put down backwards from the end of the array; what was met since is at its front. */
static void admit_waiting(walk *w) {
    ubi_node_ix *end = w->f->order + w->g->n_nodes, *from = end - w->n_waiting;
    for (ubi_node_ix *low = from, *high = end - 1; low < high; low++, high--) {
        ubi_node_ix node = *low;
        *low = *high;
        *high = node;
    }
    memmove(w->f->order + w->f->n_met, from, w->n_waiting * sizeof *from);
    w->f->n_met += w->n_waiting;
}

static ubi_status walk_all(walk *w) {
    ubi_leak_finder *f = w->f;
    UBI_TRY(walk_around(w));
    UBI_TRY(ubi__leak_sift_engine_heads(f, &w->n_waiting));
    f->n_around = f->n_met;
    f->n_heads = w->n_waiting;
    w->is_deferring = false;
    admit_waiting(w);
    return expand_all(w);
}

void ubi__leak_finder_check(const ubi_leak_finder *f) {
    UBI_ASSERT(f->n_old + f->n_young <= f->n_around);
    UBI_ASSERT((uint64_t)f->n_around + f->n_heads <= f->n_met && f->n_met <= f->graph->n_nodes);
    UBI_ASSERT(f->parent[f->view.root] == f->view.root);
    uint32_t n_met = 0;
    for (ubi_node_ix node = 0; UBI_CHECKS && node < f->graph->n_nodes; node++)
        n_met += f->parent[node] != UBI_NONE;
    UBI_ASSERT(!UBI_CHECKS || n_met == f->n_met);
    for (uint32_t i = 0; UBI_CHECKS && i < f->n_met; i++) {
        ubi_node_ix node = f->order[i];
        UBI_ASSERT(f->parent[node] != UBI_NONE);
        UBI_ASSERT(node == f->view.root || f->graph->target.at[ubi__leak_edge_to(f, node)] == node);
        UBI_ASSERT(i >= f->n_around || !(f->flags[node] & UBI__LEAK_CANDIDATE));
        UBI_ASSERT(!ubi__leak_is_head(f, i) || f->flags[node] & UBI__LEAK_CANDIDATE);
    }
}

ubi_status ubi__leak_walk(ubi_leak_finder *f) {
    const ubi_allocator *a = f->allocator;
    size_t n = f->graph->n_nodes;
    walk w = { .f = f, .g = f->graph, .is_deferring = true, .is_deferring_young = true, .is_deferring_passing = true };
    f->parent = ubi__alloc_array(a, n, sizeof *f->parent);
    f->edge = ubi__calloc_array(a, n, sizeof *f->edge);
    f->order = ubi__alloc_array(a, n, sizeof *f->order);
    if (!f->parent || !f->edge || !f->order)
        return ubi__fail_nomem();
    memset(f->parent, 0xff, n * sizeof *f->parent);
    for (uint32_t i = 0; i < f->view.n_weak_tables; i++)
        f->flags[f->view.weak_tables[i]] |= UBI__LEAK_WEAK_TABLE;
    for (uint32_t i = 0; i < f->view.n_passing_roots; i++)
        f->flags[f->view.passing_roots[i]] |= UBI__LEAK_PASSING;
    ubi_status status = walk_all(&w);
    if (status == UBI_OK)
        ubi__leak_finder_check(f);
    ubi__vec_u32_fini(&w.young, a);
    ubi__vec_u32_fini(&w.passing, a);
    ubi__vec_u32_fini(&w.passing_edges, a);
    return status;
}

/* ---- places ------------------------------------------------------------------------------------------------------- */

/* ==== THE TREE OF PLACES ======================================================================================== */

/* The tree of places, and labels without their numbers (leak_places.h). */

/* Items of a way that are searched for one that comes again: bounds the cost of a place. */
#define MOST_LOOKED_BACK 64

void ubi__leak_places_check(const ubi__leak_places *p) {
    UBI_ASSERT(p->table.n + 1 == p->rows.n); /* the root is never looked up */
    for (uint32_t i = 1; UBI_CHECKS && i < p->rows.n; i++) {
        const ubi__leak_place *place = &p->rows.at[i], *parent = &p->rows.at[place->parent];
        UBI_ASSERT(place->parent < i);
        UBI_ASSERT(ubi__leak_place_find(p, place->parent, &place->item) == i);
        UBI_ASSERT(!place->item.is_head || parent->has_heads);
        UBI_ASSERT(place->item.label != UBI__LEAK_LABEL_ANY || parent->has_entries);
    }
}

ubi_status ubi__leak_places_init(ubi__leak_places *p, uint32_t n_strings, const ubi_allocator *a) {
    ubi__leak_place root = { .item = { UBI__LEAK_LABEL_NONE, UBI_NONE, UBI_NONE, false }, .example = UBI_NONE };
    p->allocator = a;
    p->n_strings = n_strings;
    ubi__strtab_init(&p->texts, a);
    p->label_of = ubi__calloc_array(a, n_strings, sizeof *p->label_of);
    if (n_strings && !p->label_of)
        return ubi__fail_nomem();
    return ubi__vec_leak_place_push(&p->rows, a, root);
}

void ubi__leak_places_fini(ubi__leak_places *p) {
    if (!p->allocator)
        return;
    ubi__free_array(p->allocator, p->label_of, p->n_strings, sizeof *p->label_of);
    ubi__strtab_fini(&p->texts);
    ubi__row_table_fini(&p->table, p->allocator);
    ubi__vec_leak_place_fini(&p->rows, p->allocator);
    ubi__vec_u8_fini(&p->spare, p->allocator);
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

/* The text with a # for each run of digits, in `spare`. */
static ubi_status drop_numbers(ubi_text *out, ubi__leak_places *p, ubi_text text) {
    p->spare.n = 0;
    UBI_TRY(ubi__vec_u8_reserve(&p->spare, p->allocator, text.len + 1));
    for (size_t i = 0; i < text.len; i++) {
        bool digit = ubi__is_digit(text.ptr[i]);
        if (!digit || i == 0 || !ubi__is_digit(text.ptr[i - 1]))
            p->spare.at[p->spare.n++] = digit ? '#' : (uint8_t)text.ptr[i];
    }
    *out = (ubi_text){ (const char *)p->spare.at, p->spare.n };
    return UBI_OK;
}

ubi_status ubi__leak_label(uint32_t *out, ubi__leak_places *p, ubi_str_ix string, ubi_text text) {
    ubi_text plain;
    uint32_t entry;
    if (p->label_of[string] == 0) {
        UBI_TRY(drop_numbers(&plain, p, text));
        UBI_TRY(ubi__strtab_intern(&p->texts, &entry, plain));
        p->label_of[string] = ubi__text_is(plain, "#") ? UBI__LEAK_LABEL_NUMBER : UBI__LEAK_LABEL_TEXTS + entry;
    }
    *out = p->label_of[string];
    return UBI_OK;
}

uint64_t ubi__leak_label_hash(ubi__leak_places *p, uint32_t label) {
    if (label < UBI__LEAK_LABEL_TEXTS)
        return label;
    ubi_text text = ubi__strtab_get(&p->texts, label - UBI__LEAK_LABEL_TEXTS);
    uint64_t hash;
    if (!ubi__text_memo_get(&hash, &p->label_hashes, label, text.len)) {
        hash = ubi__hash_bytes(text.ptr, text.len);
        ubi__text_memo_put(&p->label_hashes, label, text.len, hash);
    }
    return hash;
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

static uint64_t place_hash(ubi__leak_place_ix parent, const ubi__leak_item *item) {
    uint64_t h = ubi__hash_combine((uint64_t)parent << 1 | item->is_head, (uint64_t)item->label << 32 | item->row);
    return ubi__hash_combine(h, item->name);
}

static bool are_alike(const ubi__leak_item *a, const ubi__leak_item *b) {
    return a->label == b->label && a->row == b->row && a->name == b->name;
}

typedef struct place_key {
    ubi__leak_place_ix parent;
    const ubi__leak_item *item;
} place_key;

static bool is_place(const ubi__leak_places *p, ubi__leak_place_ix row, place_key key) {
    const ubi__leak_place *place = &p->rows.at[row];
    return place->parent == key.parent && place->item.is_head == key.item->is_head && are_alike(&place->item, key.item);
}
UBI_ROW_LOOKUP(place, const ubi__leak_places *, place_key, is_place);

/* An equal item on the way that ends with `at`; what is held by leaked objects only does not look beyond their head. */
static ubi__leak_place_ix look_back(const ubi__leak_places *p, ubi__leak_place_ix at, const ubi__leak_item *item) {
    for (unsigned i = 0; i < MOST_LOOKED_BACK && at != 0; i++) {
        const ubi__leak_place *row = &p->rows.at[at];
        if (are_alike(&row->item, item))
            return at;
        if (row->item.is_head)
            return UBI_NONE;
        at = row->parent;
    }
    return UBI_NONE;
}

ubi__leak_place_ix ubi__leak_place_find(const ubi__leak_places *p, ubi__leak_place_ix parent,
                                        const ubi__leak_item *item) {
    return place_find(&p->table, p, (place_key){ parent, item }, place_hash(parent, item));
}

ubi__leak_place_ix ubi__leak_place_known(const ubi__leak_places *p, ubi__leak_place_ix parent,
                                         const ubi__leak_item *item) {
    ubi__leak_place_ix found = ubi__leak_place_find(p, parent, item);
    return found == UBI_NONE ? look_back(p, parent, item) : found;
}

ubi_status ubi__leak_place_enter(ubi__leak_place_ix *out, ubi__leak_places *p, ubi__leak_place_ix parent,
                                 const ubi__leak_item *item, uint64_t text_hash) {
    uint64_t hash = place_hash(parent, item);
    UBI_TRY(ubi__row_table_reserve(&p->table, p->allocator, 1));
    ubi__row_slot *slot = place_place(&p->table, p, (place_key){ parent, item }, hash);
    if (ubi__row_is_used(slot)) {
        *out = slot->row;
        return UBI_OK;
    }
    *out = item->is_head ? UBI_NONE : look_back(p, parent, item);
    if (*out != UBI_NONE)
        return UBI_OK;
    ubi__leak_place row = { .item = *item, .parent = parent, .example = UBI_NONE };
    row.item_hash = text_hash;
    row.fingerprint = ubi__hash_combine(p->rows.at[parent].fingerprint, ubi__leak_label_hash(p, item->label));
    row.fingerprint = ubi__hash_combine(row.fingerprint, text_hash * 2 + item->is_head);
    *out = (ubi__leak_place_ix)p->rows.n;
    UBI_TRY(ubi__vec_leak_place_push(&p->rows, p->allocator, row));
    p->rows.at[parent].has_heads |= item->is_head;
    p->rows.at[parent].has_entries |= item->label == UBI__LEAK_LABEL_ANY;
    ubi__row_table_fill(&p->table, slot, hash, *out);
    return UBI_OK;
}

/* ==== PLACES OF NODES =========================================================================================== */

/* More children of one class in one node than these go by keys: new ones, and such as were there before. */
#define MOST_NEW_FIELDS 3
#define MOST_OLD_FIELDS 16
/* If there are more names than this, and most belong to one node alone, none says anything. */
#define MOST_NAMES 16

/* Children of a class in the current run. */
typedef struct sibling_count {
    uint32_t run;     /* the run that the others are of */
    uint32_t n_keyed; /* under names */
    uint32_t n_named, n_names;
} sibling_count;

typedef struct placing {
    ubi_leak_finder *f;
    const ubi_graph *g;
    sibling_count *counts; /* counts[row + 1] */
    uint32_t
        *run_of_name; /* run_of_name[n_strings]: the last run with a node of that name, which may be of another class */
    uint32_t n_strings;
    uint32_t run;
    uint64_t *text_hash; /* of each row: the class by its texts */
    ubi__text_memo names;
} placing;

/* ---- ways -------------------------------------------------------------------------------------------------------- */

/* Each node is marked once, so this is linear. */
static void mark_ways(ubi_leak_finder *f) {
    for (ubi_node_ix node = 0; node < f->graph->n_nodes; node++) {
        if (!(f->flags[node] & UBI__LEAK_CANDIDATE) || f->parent[node] == UBI_NONE)
            continue;
        for (ubi_node_ix at = node; !(f->flags[at] & UBI__LEAK_ON_WAY); at = f->parent[at])
            f->flags[at] |= UBI__LEAK_ON_WAY;
    }
}

/* ---- items ------------------------------------------------------------------------------------------------------- */

static bool has_text(const placing *p, ubi_edge_ix edge) {
    return ubi__graph_edge_name(p->g, edge) != UBI_NONE;
}

ubi_status ubi__leak_label_to(uint32_t *out, ubi_leak_finder *f, ubi_node_ix node) {
    const ubi_graph *g = f->graph;
    ubi_edge_ix edge = ubi__leak_edge_to(f, node);
    ubi_str_ix name = ubi__graph_edge_name(g, edge);
    if (name == UBI_NONE) {
        *out =
            ubi__edge_kind_is_numbered(ubi__graph_edge_kind(g, edge)) ? UBI__LEAK_LABEL_NUMBER : UBI__LEAK_LABEL_NONE;
        return UBI_OK;
    }
    name = ubi__strtab_canonical(&g->strings, name);
    return ubi__leak_label(out, &f->places, name, ubi__strtab_get(&g->strings, name));
}

static ubi_status item_of(ubi__leak_item *out, placing *p, ubi_node_ix node, bool head) {
    ubi_str_ix name = ubi__leak_name_of(p->f, node);
    *out = (ubi__leak_item){ .row = ubi__leak_row_of(p->f, node), .is_head = head };
    out->name = ubi__strtab_canonical(&p->g->strings, name);
    return ubi__leak_label_to(&out->label, p->f, node);
}

static uint64_t name_hash(placing *p, ubi_str_ix string) {
    ubi_text name = ubi__strtab_get(&p->g->strings, string);
    uint64_t hash;
    if (!ubi__text_memo_get(&hash, &p->names, string, name.len)) {
        hash = ubi__hash_bytes(name.ptr, name.len);
        ubi__text_memo_put(&p->names, string, name.len, hash);
    }
    return hash;
}

static uint64_t text_hash_of(placing *p, const ubi__leak_item *item) {
    uint64_t h = item->row == UBI_NONE ? 0 : p->text_hash[item->row];
    return item->name == UBI_NONE ? h : ubi__hash_combine(h, name_hash(p, item->name));
}

/* ---- runs of siblings --------------------------------------------------------------------------------------------- */

static sibling_count *count_of(const placing *p, uint32_t row) {
    return &p->counts[row < p->f->n_rows ? row + 1 : 0];
}

static void count_siblings(placing *p, uint32_t begin, uint32_t end) {
    p->run++;
    for (uint32_t i = begin; i < end; i++) {
        ubi_node_ix node = p->f->order[i];
        if (!(p->f->flags[node] & UBI__LEAK_ON_WAY))
            continue;
        sibling_count *count = count_of(p, ubi__leak_row_of(p->f, node));
        ubi_str_ix name = ubi__strtab_canonical(&p->g->strings, ubi__leak_name_of(p->f, node));
        if (count->run != p->run)
            *count = (sibling_count){ .run = p->run };
        count->n_keyed += has_text(p, ubi__leak_edge_to(p->f, node));
        if (name == UBI_NONE)
            continue;
        count->n_named++;
        count->n_names += p->run_of_name[UBI_INDEX(name, p->n_strings)] != p->run;
        p->run_of_name[name] = p->run;
    }
}

static bool is_entry(const placing *p, const ubi__leak_item *item, uint32_t most) {
    const sibling_count *count = count_of(p, item->row);
    return item->label >= UBI__LEAK_LABEL_TEXTS && count->run == p->run && count->n_keyed > most;
}

static bool is_name_of_one(const placing *p, const ubi__leak_item *item) {
    const sibling_count *count = count_of(p, item->row);
    return item->name != UBI_NONE && count->run == p->run && count->n_names > MOST_NAMES &&
           count->n_names > count->n_named / 2;
}

static ubi_status place_node(placing *p, uint32_t i) {
    ubi_leak_finder *f = p->f;
    ubi_node_ix node = f->order[i];
    ubi__leak_place_ix parent = f->place_of[f->parent[node]];
    ubi__leak_item item;
    bool head = ubi__leak_is_head(f, i);
    if (!(f->flags[node] & UBI__LEAK_ON_WAY)) {
        f->place_of[node] = i < f->n_around ? UBI_NONE : parent; /* what only leaked objects lead to is summed up */
        return UBI_OK;
    }
    UBI_TRY(item_of(&item, p, node, head));
    if (is_entry(p, &item, head ? MOST_NEW_FIELDS : MOST_OLD_FIELDS))
        item.label = UBI__LEAK_LABEL_ANY;
    if (is_name_of_one(p, &item)) {
        item.name = UBI_NONE;
        f->places.rows.at[parent].has_nameless = true;
    }
    return ubi__leak_place_enter(&f->place_of[node], &f->places, parent, &item, text_hash_of(p, &item));
}

static bool begins_part(const ubi_leak_finder *f, uint32_t i) {
    return i == f->n_old || i == f->n_old + f->n_young || i == f->n_around || i == f->n_around + f->n_heads;
}

/* Nodes from `begin` on that have one parent and are of one part of the walk. The root is alone. */
static uint32_t end_of_run(const ubi_leak_finder *f, uint32_t begin) {
    ubi_node_ix root = f->view.root, parent = f->parent[f->order[begin]];
    uint32_t end = begin + 1;
    while (end < f->n_met && f->order[begin] != root && f->order[end] != root && f->parent[f->order[end]] == parent &&
           !begins_part(f, end))
        end++;
    return end;
}

static ubi_status place_all(placing *p) {
    ubi_leak_finder *f = p->f;
    f->place_of[f->view.root] = 0;
    for (uint32_t begin = 0, end; begin < f->n_met; begin = end) {
        end = end_of_run(f, begin);
        if (f->order[begin] == f->view.root || f->place_of[f->parent[f->order[begin]]] == UBI_NONE)
            continue;
        count_siblings(p, begin, end);
        for (uint32_t i = begin; i < end; i++)
            UBI_TRY(place_node(p, i));
    }
    return UBI_OK;
}

/* ---- counting ---------------------------------------------------------------------------------------------------- */

static void count_leaked(ubi_leak_finder *f) {
    for (uint32_t i = f->n_around; i < f->n_met; i++) {
        ubi_node_ix node = f->order[i];
        ubi__leak_place *place = &f->places.rows.at[f->place_of[node]];
        if (f->flags[node] & UBI__LEAK_CANDIDATE) {
            place->n_leaked++;
            place->leaked_bytes += ubi__leak_size(f, node);
            place->n_replacing += f->flags[node] & UBI__LEAK_REPLACES ? 1 : 0;
            place->example = place->example == UBI_NONE ? node : place->example;
        }
        if (f->flags[node] & UBI__LEAK_WAS_OLD)
            continue;
        place->retained_bytes += ubi__leak_size(f, node);
        place->n_retained++;
    }
}

typedef ubi__leak_place_ix place_lookup(const ubi__leak_places *p, ubi__leak_place_ix parent,
                                        const ubi__leak_item *item);

/* As one of a list, then as an entry, if the place has such. */
static ubi__leak_place_ix place_as(const ubi__leak_places *p, ubi__leak_place_ix at, ubi__leak_item *item,
                                   place_lookup *find) {
    const ubi__leak_place *place = &p->rows.at[at];
    ubi__leak_place_ix found = find(p, at, item);
    if (found == UBI_NONE && place->has_entries) {
        item->label = UBI__LEAK_LABEL_ANY;
        found = find(p, at, item);
    }
    if (found == UBI_NONE && place->has_nameless) {
        item->name = UBI_NONE;
        found = find(p, at, item);
    }
    return found;
}

/* The place that a node would have if it leaked: `head` or below one. UBI_NONE: there are no leaked ones. */
static ubi__leak_place_ix place_beside(const placing *p, ubi__leak_item *item, ubi_node_ix parent, bool head) {
    const ubi_leak_finder *f = p->f;
    item->is_head = head;
    return place_as(&f->places, f->place_of[parent], item, ubi__leak_place_find);
}

/* The next node of a list or tree whose earlier ones are leaked, or beside leaked ones, is in their place, too. */
static bool continues_place(const ubi__leak_place *place, const ubi__leak_item *item, bool around) {
    return (place->item.is_head || !around) && place->item.row == item->row && place->item.name == item->name;
}

/* Objects to which no leaked one leads are in places, too, if others of their sort that hold leaked ones are. */
static ubi_status place_like_others(placing *p, ubi_node_ix node) {
    ubi_leak_finder *f = p->f;
    ubi__leak_place_ix at = f->place_of[f->parent[node]];
    ubi__leak_item item;
    if (f->place_of[node] != UBI_NONE || at == UBI_NONE || f->places.rows.at[at].item.is_head)
        return UBI_OK;
    UBI_TRY(item_of(&item, p, node, false));
    f->place_of[node] = place_as(&f->places, at, &item, ubi__leak_place_known);
    return UBI_OK;
}

/* Tables between an object and what it holds are rebuilt when they grow. */
#define MOST_TABLES 4

/*
 * Whether a node in a holder to which no leaked one leads says something of the place: its holder was there in OLD, and it is no
 * younger one that took the place of another, as where each of many holders has the latest of something.
 */
static bool names_a_place(const ubi_leak_finder *f, ubi_node_ix node) {
    ubi_node_ix holder = f->parent[node];
    for (unsigned i = 0; i < MOST_TABLES && holder != f->view.root && !ubi__leak_is_held_by_program(f, holder); i++)
        holder = f->parent[holder];
    if (f->flags[f->parent[node]] & UBI__LEAK_ON_WAY)
        return true;
    return f->flags[holder] & UBI__LEAK_WAS_OLD && !(f->flags[node] & UBI__LEAK_REPLACES);
}

static ubi_status count_other(placing *p, ubi_node_ix node, bool around) {
    ubi_leak_finder *f = p->f;
    ubi_node_ix parent = f->parent[node];
    ubi__leak_place_ix at = f->place_of[parent];
    ubi__leak_item item;
    bool was_old = f->flags[node] & UBI__LEAK_WAS_OLD;
    if (at == UBI_NONE || (around && !f->places.rows.at[at].has_heads && !f->places.rows.at[at].item.is_head))
        return UBI_OK;
    UBI_TRY(item_of(&item, p, node, true));
    if (!continues_place(&f->places.rows.at[at], &item, around))
        at = place_beside(p, &item, parent, around);
    if (at == UBI_NONE || (was_old && !around) || (around && !names_a_place(f, node)))
        return UBI_OK;
    f->places.rows.at[at].n_older += was_old;
    f->places.rows.at[at].n_younger += !was_old;
    if (around && f->place_of[node] == UBI_NONE)
        f->place_of[node] = at;
    return UBI_OK;
}

/* Objects beside leaked ones that are not leaked: older ones, and those too young to judge. */
static ubi_status count_others(placing *p) {
    ubi_leak_finder *f = p->f;
    for (uint32_t i = 0; i < f->n_met; i++) {
        ubi_node_ix node = f->order[i];
        if (node == f->view.root || f->flags[node] & UBI__LEAK_CANDIDATE)
            continue;
        if (ubi__leak_is_held_by_program(f, node))
            UBI_TRY(count_other(p, node, i < f->n_around));
        if (i < f->n_around)
            UBI_TRY(place_like_others(p, node));
    }
    return UBI_OK;
}

/* ---- whole ------------------------------------------------------------------------------------------------------- */

static ubi_status find_places(placing *p) {
    ubi_leak_finder *f = p->f;
    for (size_t row = 0; row < f->n_rows; row++)
        p->text_hash[row] = ubi__hash_bytes(f->rows.rows.at[row].name.ptr, f->rows.rows.at[row].name.len);
    mark_ways(f);
    UBI_TRY(place_all(p));
    ubi__leak_places_check(&f->places);
    count_leaked(f);
    return count_others(p);
}

ubi_status ubi__leak_find_places(ubi_leak_finder *f) {
    const ubi_allocator *a = f->allocator;
    size_t n = f->n_rows + 1;
    placing p = { .f = f, .g = f->graph };
    f->place_of = ubi__alloc_array(a, f->graph->n_nodes, sizeof *f->place_of);
    p.n_strings = ubi_graph_string_count(f->graph);
    p.counts = ubi__calloc_array(a, n, sizeof *p.counts);
    p.run_of_name = ubi__calloc_array(a, p.n_strings, sizeof *p.run_of_name);
    p.text_hash = ubi__calloc_array(a, n, sizeof *p.text_hash);
    ubi_status status =
        f->place_of && p.counts && (p.run_of_name || !p.n_strings) && p.text_hash ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK)
        status = ubi__leak_places_init(&f->places, p.n_strings, a);
    if (status == UBI_OK) {
        memset(f->place_of, 0xff, f->graph->n_nodes * sizeof *f->place_of);
        status = find_places(&p);
    }
    ubi__free_array(a, p.counts, n, sizeof *p.counts);
    ubi__free_array(a, p.run_of_name, p.n_strings, sizeof *p.run_of_name);
    ubi__free_array(a, p.text_hash, n, sizeof *p.text_hash);
    return status;
}
