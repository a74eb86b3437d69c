/* SPDX-License-Identifier: MIT
 *
 * v8_shapes.c: plain objects by the names of their properties.
 */
#include "lenses/v8/v8_shapes.h"

#include "base/assert.h"
#include "base/hash.h"

typedef struct finding {
    const ubi__v8_look *own;
    const ubi_graph *g;
    const ubi_allocator *a;
    ubi__v8_shapes *shapes;
    ubi__row_table table; /* over rows */
} finding;

static uint64_t shape_hash(const finding *f, ubi_node_ix node) {
    ubi__v8_property_walk walk = ubi__v8_properties_of(f->own, f->g, node);
    uint64_t hash = 1;
    for (ubi_str_ix name; (name = ubi__v8_property_next(&walk)) != UBI_NONE;)
        hash = ubi__hash_combine(hash, name);
    return hash;
}

static bool same_shape(const finding *f, ubi_node_ix x, ubi_node_ix y) {
    ubi__v8_property_walk of_x = ubi__v8_properties_of(f->own, f->g, x);
    ubi__v8_property_walk of_y = ubi__v8_properties_of(f->own, f->g, y);
    ubi_str_ix name;
    do {
        name = ubi__v8_property_next(&of_x);
        if (name != ubi__v8_property_next(&of_y))
            return false;
    } while (name != UBI_NONE);
    return true;
}

/* What a node is looked up by. */
typedef struct shaped {
    uint64_t hash;
    ubi_node_ix node;
} shaped;

static bool has_shape(const finding *f, uint32_t row, shaped wanted) {
    const ubi__v8_shape *shape = &f->shapes->rows.at[row];
    return shape->hash == wanted.hash && same_shape(f, shape->example, wanted.node);
}
UBI_ROW_LOOKUP(shape, const finding *, shaped, has_shape);

static ubi_status find_shape(uint32_t *out, finding *f, ubi_node_ix node) {
    ubi__vec_v8_shape *rows = &f->shapes->rows;
    uint64_t hash = shape_hash(f, node);
    UBI_TRY(ubi__row_table_reserve(&f->table, f->a, 1));
    ubi__row_slot *slot = shape_place(&f->table, f, (shaped){ hash, node }, hash);
    if (ubi__row_is_used(slot)) {
        *out = slot->row;
        rows->at[slot->row].n_objects++;
        return UBI_OK;
    }
    *out = (uint32_t)rows->n;
    UBI_TRY(ubi__vec_v8_shape_push(rows, f->a, (ubi__v8_shape){ hash, node, 1, UBI_NONE }));
    ubi__row_table_fill(&f->table, slot, hash, *out);
    return UBI_OK;
}

static ubi_status find_all(finding *f, uint32_t *shape_of_node) {
    for (ubi_node_ix node = 0; node < f->g->n_nodes; node++)
        if (ubi__v8_is_plain_object(f->own, f->g, node)) {
            UBI_TRY(find_shape(&shape_of_node[node], f, node));
            f->shapes->n_objects++;
        }
    for (size_t i = 0, n = 0; UBI_CHECKS && i < f->shapes->rows.n; i++) {
        n += f->shapes->rows.at[i].n_objects;
        UBI_ASSERT(shape_of_node[f->shapes->rows.at[i].example] == i);
        UBI_ASSERT(i + 1 < f->shapes->rows.n || n == f->shapes->n_objects);
    }
    return UBI_OK;
}

ubi_status ubi__v8_find_shapes(ubi__v8_shapes *out, uint32_t *shape_of_node, const ubi__v8_look *own,
                               const ubi_graph *g, const ubi_allocator *a) {
    finding f = { own, g, a, out, { 0 } };
    ubi_status status = find_all(&f, shape_of_node);
    ubi__row_table_fini(&f.table, a);
    return status;
}
