/* SPDX-License-Identifier: MIT
 *
 * v8_interfaces.c: the shapes of plain objects that are common enough to be classes.
 *
 * An object is a candidate's when its properties begin with those of the candidate, which has as many as fit into its name.
 * Names of empty properties at the beginning leave no trace in the name, so that candidates are distinguished without them.
 */
#include "base/assert.h"
#include "base/hash.h"
#include "base/merge_sort.h"
#include "lenses/v8/v8_look.h"
#include "lenses/v8/v8_shapes.h"

#define MOST_NAME_UNITS 120
#define LEAST_OBJECTS 2
#define MOST_INTERFACES 1000 /* one interface per this many objects at most */

typedef struct candidate {
    uint64_t hash;
    ubi_node_ix example;
    uint32_t n_properties, n_skipped; /* properties in the name; empty ones before them */
    uint64_t count;
} candidate;
UBI_VEC_DECLARE(vec_candidate, candidate);

typedef struct inferring {
    ubi__v8_look *own;
    const ubi_graph *g;
    const ubi_allocator *a;
    vec_candidate rows;
    ubi__row_table table; /* over rows */
} inferring;

static ubi_text string_of(const inferring *in, ubi_str_ix string) {
    return ubi__strtab_get(&in->g->strings, string);
}

/* What the properties of an object make for a name. n_properties + n_skipped == 0: none. */
static candidate candidate_of(const inferring *in, ubi_node_ix example) {
    candidate out = { 1, example, 0, 0, 0 };
    ubi__v8_property_walk walk = ubi__v8_properties_of(in->own, in->g, example);
    size_t n_units = 1;
    for (ubi_str_ix name; (name = ubi__v8_property_next(&walk)) != UBI_NONE;) {
        ubi__v8_property_text text = ubi__v8_property_text_of(string_of(in, name));
        if (n_units == 1 && text.n_units == 0) {
            out.n_skipped++;
            continue;
        }
        if (n_units > 1 && n_units + text.n_units > MOST_NAME_UNITS)
            break;
        n_units += text.n_units + (n_units > 1 ? 2 : 0);
        out.n_properties++;
        out.hash = ubi__hash_combine(out.hash, name);
    }
    return out;
}

static ubi__v8_property_walk named_properties(const inferring *in, const candidate *c) {
    ubi__v8_property_walk walk = ubi__v8_properties_of(in->own, in->g, c->example);
    for (uint32_t i = 0; i < c->n_skipped; i++)
        ubi__v8_property_next(&walk);
    return walk;
}

static bool has_same_name(const inferring *in, uint32_t row, const candidate *y) {
    const candidate *x = &in->rows.at[row];
    if (x->hash != y->hash || x->n_properties != y->n_properties)
        return false;
    ubi__v8_property_walk of_x = named_properties(in, x), of_y = named_properties(in, y);
    for (uint32_t i = 0; i < x->n_properties; i++)
        if (ubi__v8_property_next(&of_x) != ubi__v8_property_next(&of_y))
            return false;
    return true;
}
UBI_ROW_LOOKUP(candidate, const inferring *, const candidate *, has_same_name);

static ubi_status add_candidate(inferring *in, const ubi__v8_shape *shape) {
    candidate c = candidate_of(in, shape->example);
    if (c.n_properties + c.n_skipped == 0)
        return UBI_OK;
    c.count = shape->n_objects;
    UBI_TRY(ubi__row_table_reserve(&in->table, in->a, 1));
    ubi__row_slot *slot = candidate_place(&in->table, in, &c, c.hash);
    if (ubi__row_is_used(slot)) {
        in->rows.at[slot->row].count += c.count;
        return UBI_OK;
    }
    UBI_TRY(vec_candidate_push(&in->rows, in->a, c));
    ubi__row_table_fill(&in->table, slot, c.hash, (uint32_t)in->rows.n - 1);
    return UBI_OK;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static size_t name_bytes(const inferring *in, const candidate *c) {
    ubi__v8_property_walk walk = named_properties(in, c);
    size_t n = 2;
    for (uint32_t i = 0; i < c->n_properties; i++) {
        ubi__v8_property_text text = ubi__v8_property_text_of(string_of(in, ubi__v8_property_next(&walk)));
        n += ubi__v8_property_bytes(&text) + (i ? 2 : 0);
    }
    return n;
}

static ubi_status write_name(ubi_text *out, inferring *in, const candidate *c) {
    ubi__v8_property_walk walk = named_properties(in, c);
    size_t n = name_bytes(in, c);
    char *room = ubi__v8_text_pool_room(&in->own->pool, in->a, n), *at = room;
    if (!room)
        return ubi__fail_nomem();
    *at++ = '{';
    for (uint32_t i = 0; i < c->n_properties; i++) {
        ubi__v8_property_text text = ubi__v8_property_text_of(string_of(in, ubi__v8_property_next(&walk)));
        if (i) {
            *at++ = ',';
            *at++ = ' ';
        }
        at = ubi__v8_property_write(at, &text);
    }
    *at = '}';
    UBI_ASSERT(at + 1 == room + n);
    *out = (ubi_text){ room, n };
    return UBI_OK;
}

static ubi_status add_interface(inferring *in, const candidate *c) {
    ubi__v8_interfaces *all = &in->own->interfaces;
    ubi__v8_interface row = { { NULL, 0 }, (uint32_t)all->properties.n, c->n_properties + c->n_skipped, c->count };
    ubi__v8_property_walk walk = ubi__v8_properties_of(in->own, in->g, c->example);
    UBI_TRY(write_name(&row.name, in, c));
    for (uint32_t i = 0; i < row.n_properties; i++)
        UBI_TRY(ubi__vec_text_push(&all->properties, in->a, string_of(in, ubi__v8_property_next(&walk))));
    return ubi__vec_v8_interface_push(&all->rows, in->a, row);
}

/* ---- the common ones --------------------------------------------------------------------------------------------- */

#define more_common(ctx, x, y) ((x).count > (y).count)
UBI_SORT_DEFINE(sort_candidates, candidate, void *, more_common);

/* Drops those that are not common enough; the others sorted. */
static ubi_status keep_common(inferring *in, uint32_t n_objects) {
    size_t n = 0;
    for (size_t i = 0; i < in->rows.n; i++)
        if (in->rows.at[i].count >= LEAST_OBJECTS && in->rows.at[i].count * MOST_INTERFACES >= n_objects)
            in->rows.at[n++] = in->rows.at[i];
    in->rows.n = n;
    candidate *spare = ubi__alloc_array(in->a, n, sizeof *spare);
    if (n && !spare)
        return ubi__fail_nomem();
    sort_candidates(in->rows.at, spare, n, NULL);
    ubi__free_array(in->a, spare, n, sizeof *spare);
    UBI_ASSERT(n <= MOST_INTERFACES);
    return UBI_OK;
}

static ubi_status infer_all(inferring *in, const ubi__v8_shapes *shapes) {
    for (size_t i = 0; i < shapes->rows.n; i++)
        UBI_TRY(add_candidate(in, &shapes->rows.at[i]));
    UBI_TRY(keep_common(in, shapes->n_objects));
    for (size_t i = 0; i < in->rows.n; i++)
        UBI_TRY(add_interface(in, &in->rows.at[i]));
    return UBI_OK;
}

ubi_status ubi__v8_infer_interfaces(ubi__v8_look *own, const ubi__v8_shapes *shapes, const ubi_graph *g,
                                    const ubi_allocator *a) {
    inferring in = { own, g, a, { 0 }, { 0 } };
    ubi_status status = infer_all(&in, shapes);
    vec_candidate_fini(&in.rows, a);
    ubi__row_table_fini(&in.table, a);
    return status;
}

ubi_status ubi__v8_copy_interfaces(ubi__v8_look *own, const ubi__v8_interfaces *from, const ubi_allocator *a) {
    ubi__v8_interfaces *to = &own->interfaces;
    const ubi_text nothing = { NULL, 0 };
    for (size_t i = 0; i < from->properties.n; i++) {
        ubi_text text;
        UBI_TRY(ubi__v8_text_pool_join(&text, &own->pool, a, from->properties.at[i], nothing));
        UBI_TRY(ubi__vec_text_push(&to->properties, a, text));
    }
    for (size_t i = 0; i < from->rows.n; i++) {
        ubi__v8_interface row = from->rows.at[i];
        UBI_TRY(ubi__v8_text_pool_join(&row.name, &own->pool, a, row.name, nothing));
        UBI_TRY(ubi__vec_v8_interface_push(&to->rows, a, row));
    }
    return UBI_OK;
}

/* ---- detached nodes ---------------------------------------------------------------------------------------------- */

/*
 * Which nodes of a document are in it.
 *
 * The file says so of some native nodes. What is reached from an attached one through native nodes is attached, too; what
 * is reached from a detached one and has no state yet is detached. The walk does not pass through JavaScript's objects:
 * every entry from there into the engine's embedder has a state of its own. Detached nodes are renamed, to "Detached NAME".
 */

static const char prefix[] = "Detached ";

typedef struct walk {
    const ubi__v8_look *own;
    const ubi_graph *g;
    uint8_t *state;
    ubi__vec_u32 queues[UBI_DETACHED + 1]; /* native nodes, by state */
} walk;

static ubi_status spread_state(walk *w, ubi_detachedness state, ubi__v8_opening *opening) {
    const ubi_graph *g = w->g;
    ubi__vec_u32 *queue = &w->queues[state];
    for (uint32_t n_done = 0; queue->n; n_done++) {
        if (ubi__unlikely(n_done % UBI__PULSE_NODES == 0) && !ubi__v8_go_on(opening, n_done, g->n_nodes))
            return ubi__fail_cancelled();
        ubi_node_ix node = queue->at[--queue->n];
        UBI_ASSERT(w->state[node] == state);
        for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++) {
            ubi_node_ix target = g->target.at[e];
            ubi_edge_kind kind = ubi__graph_edge_kind(g, e);
            if (w->state[target] != UBI_DETACHEDNESS_UNKNOWN || kind == UBI_EDGE_HIDDEN || kind == UBI_EDGE_WEAK ||
                ubi__v8_type_at(w->own, g, target) != UBI__V8_NATIVE)
                continue;
            w->state[target] = (uint8_t)state;
            UBI_TRY(ubi__vec_u32_push(queue, opening->allocator, target));
        }
    }
    return UBI_OK;
}

static bool has_prefix(ubi_text name) {
    return name.len >= strlen(prefix) && memcmp(name.ptr, prefix, strlen(prefix)) == 0;
}

/* Without the field: native nodes that are named so. */
static bool is_named_detached(const ubi__v8_look *own, const ubi_graph *g, ubi_node_ix node) {
    if (ubi__v8_type_at(own, g, node) != UBI__V8_NATIVE)
        return false;
    ubi_text name = ubi__strtab_get(&g->strings, ubi__graph_node_name(g, node));
    return has_prefix(name);
}

/* Whether any node can have a state to begin with. */
static bool has_states(const ubi_graph *g, bool has_field) {
    if (has_field) {
        for (size_t kind = 0; kind < g->kinds.rows.n; kind++)
            if (g->kinds.rows.at[kind].detachedness != UBI_DETACHEDNESS_UNKNOWN)
                return true;
        return false;
    }
    for (ubi_str_ix string = 0; string < ubi__strtab_count(&g->strings); string++)
        if (has_prefix(ubi__strtab_get(&g->strings, string)))
            return true;
    return false;
}

/* What the file says. */
static ubi_status seed_states(walk *w, bool has_field, ubi__v8_opening *opening) {
    const ubi_graph *g = w->g;
    for (ubi_node_ix node = 0; node < g->n_nodes; node++) {
        if (ubi__unlikely(node % UBI__PULSE_NODES == 0) && !ubi__v8_go_on(opening, node, g->n_nodes))
            return ubi__fail_cancelled();
        uint8_t state = has_field ? g->kinds.rows.at[g->kind.at[node]].detachedness : UBI_DETACHEDNESS_UNKNOWN;
        if (!has_field && is_named_detached(w->own, g, node))
            state = UBI_DETACHED;
        w->state[node] = state;
        if (ubi__unlikely((state == UBI_ATTACHED || state == UBI_DETACHED)) &&
            ubi__v8_type_at(w->own, g, node) == UBI__V8_NATIVE)
            UBI_TRY(ubi__vec_u32_push(&w->queues[state], opening->allocator, node));
    }
    return UBI_OK;
}

/* `named` gets a bit per string that nodes with other names have. */
static ubi_status mark_renamed(uint64_t *named, ubi__v8_look *own, const ubi_graph *g, ubi__v8_opening *opening) {
    for (ubi_node_ix node = 0; node < g->n_nodes; node++) {
        if (ubi__unlikely(node % UBI__PULSE_NODES == 0) && !ubi__v8_go_on(opening, node, g->n_nodes))
            return ubi__fail_cancelled();
        if (!ubi__v8_is_renamed(own, g, node))
            continue;
        ubi_str_ix name = ubi__graph_node_name(g, node);
        named[name / 64] |= UINT64_C(1) << (name % 64);
        own->traits[node] &= (uint8_t)~UBI__V8_PART; /* no longer of the name that makes it one */
    }
    return UBI_OK;
}

static ubi_status rename_nodes(ubi__v8_look *own, const ubi_graph *g, ubi__v8_opening *opening) {
    const ubi_allocator *a = opening->allocator;
    size_t n_words = (size_t)ubi__strtab_count(&g->strings) / 64 + 1;
    uint64_t *named = ubi__calloc_array(a, n_words, sizeof *named);
    ubi_status status = named ? mark_renamed(named, own, g, opening) : ubi__fail_nomem();
    for (ubi_str_ix name = 0; status == UBI_OK && name < ubi__strtab_count(&g->strings); name++) {
        ubi__v8_renamed row = { name, { NULL, 0 } };
        if (!(named[name / 64] >> (name % 64) & 1))
            continue;
        status =
            ubi__v8_text_pool_join(&row.text, &own->pool, a, ubi__text(prefix), ubi__strtab_get(&g->strings, name));
        if (status == UBI_OK)
            status = ubi__vec_v8_renamed_push(&own->renamed, a, row);
    }
    ubi__free_array(a, named, n_words, sizeof *named);
    for (ubi_node_ix node = 0; UBI_CHECKS && status == UBI_OK && node < g->n_nodes; node++)
        UBI_ASSERT(!ubi__v8_is_renamed(own, g, node) || !(own->traits[node] & UBI__V8_PART));
    return status;
}

ubi_status ubi__v8_spread_detachedness(ubi__v8_look *own, const ubi_graph *g, ubi__v8_opening *opening) {
    const ubi_allocator *a = opening->allocator;
    bool has_field = own->facts && own->facts->has_detachedness;
    if (!has_states(g, has_field))
        return UBI_OK;
    own->detachedness = ubi__alloc_array(a, g->n_nodes, sizeof *own->detachedness);
    if (!own->detachedness)
        return ubi__fail_nomem();
    walk w = { .own = own, .g = g, .state = own->detachedness };
    ubi_status status = seed_states(&w, has_field, opening);
    /* All seeds have a state, so that none is taken for an unknown node by the walk of another. */
    for (int state = UBI_ATTACHED; state <= UBI_DETACHED && has_field && status == UBI_OK; state++)
        status = spread_state(&w, (ubi_detachedness)state, opening);
    for (int state = UBI_ATTACHED; state <= UBI_DETACHED; state++)
        ubi__vec_u32_fini(&w.queues[state], a);
    if (status != UBI_OK || !has_field)
        return status;
    own->has_other_names = g->node_name.n != 0;
    return rename_nodes(own, g, opening);
}
