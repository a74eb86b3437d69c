/* SPDX-License-Identifier: MIT
 *
 * v8_interfaces.c: the shapes of plain objects that are common enough to be classes.
 *
 * An object is a candidate's when its properties begin with those of the candidate, which has as many as fit into its name.
 * Names of empty properties at the beginning leave no trace in the name, so that candidates are told apart without them.
 */
#include "base/assert.h"
#include "base/hash.h"
#include "base/merge_sort.h"
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
