/* SPDX-License-Identifier: MIT
 *
 * v8_classes.c: what nodes have in common for DevTools.
 *
 * Objects and native nodes are of the class that their name says, elements of that of their tag; plain objects of an
 * interface, if they have one; all others of that of their type. Objects with a place, which is where their constructor
 * stands, share a class only with those of the same place.
 *
 * Names are numbered in the order in which nodes bring them in, and so are classes.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/assert.h"
#include "base/hash.h"
#include "formats/v8/v8_types.h"
#include "lenses/v8/v8_shapes.h"

/* Where a class is defined. */
typedef struct place {
    uint32_t script_id, line, column;
} place;

typedef struct placed_class {
    uint32_t name;
    place at;
    ubi_class_ix class;
} placed_class;
UBI_VEC_DECLARE(vec_placed_class, placed_class);

typedef struct classing {
    ubi_look *look;
    ubi__v8_look *own;
    const ubi_graph *g;
    const ubi_allocator *a;
    ubi__v8_opening *opening;
    ubi__v8_shapes shapes;
    size_t next_location; /* in facts->locations */

    ubi__vec_text names; /* of classes */
    ubi__row_table name_table;
    ubi__vec_u32 class_of_name; /* without a place; UBI_NONE: no class yet */
    vec_placed_class placed;
    ubi__row_table placed_table;

    /* Numbers of names that were found already; UBI_NONE: not yet. */
    uint32_t *name_of_string;    /* [string count], canonical */
    uint32_t *name_of_renamed;   /* [renamed count] */
    uint32_t *name_of_interface; /* [interface count] */
    uint32_t *name_of_kind;      /* [kind count]; of types that have no number */
    uint32_t name_of_type[UBI__V8_TYPE_COUNT];
} classing;

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool is_named(const classing *c, uint32_t row, ubi_text text) {
    return ubi__text_equal(c->names.at[row], text);
}
UBI_ROW_LOOKUP(name, const classing *, ubi_text, is_named);

/* The number of a name; the text must stay. */
static ubi_status number_name(uint32_t *out, classing *c, ubi_text text) {
    uint64_t hash = ubi__hash_bytes(text.ptr, text.len);
    UBI_TRY(ubi__row_table_reserve(&c->name_table, c->a, 1));
    ubi__row_slot *slot = name_place(&c->name_table, c, text, hash);
    if (ubi__row_is_used(slot)) {
        *out = slot->row;
        return UBI_OK;
    }
    *out = (uint32_t)c->names.n;
    UBI_TRY(ubi__vec_u32_push(&c->class_of_name, c->a, UBI_NONE));
    UBI_TRY(ubi__vec_text_push(&c->names, c->a, text));
    ubi__row_table_fill(&c->name_table, slot, hash, *out);
    UBI_ASSERT(c->class_of_name.n == c->names.n);
    return UBI_OK;
}

/* The class that a name says: the name, or a tag without attributes. */
static ubi_status number_class_part(uint32_t *out, classing *c, ubi_text name) {
    bool cut;
    ubi_text part = ubi__v8_class_part(name, &cut);
    if (cut)
        UBI_TRY(ubi__v8_text_pool_join(&part, &c->own->pool, c->a, part, ubi__text(">")));
    return number_name(out, c, part);
}

static ubi_status number_named(uint32_t *out, classing *c, ubi_node_ix node) {
    ubi_str_ix name = ubi__strtab_canonical(&c->g->strings, ubi__graph_node_name(c->g, node));
    if (name == UBI_NONE)
        return number_name(out, c, ubi__text(""));
    if (c->name_of_string[name] == UBI_NONE)
        UBI_TRY(number_class_part(&c->name_of_string[name], c, ubi__strtab_get(&c->g->strings, name)));
    *out = c->name_of_string[name];
    return UBI_OK;
}

static ubi_status number_renamed(uint32_t *out, classing *c, ubi_node_ix node) {
    const ubi__v8_renamed *row = ubi__v8_renamed_of(c->own, ubi__graph_node_name(c->g, node));
    uint32_t *name = &c->name_of_renamed[row - c->own->renamed.at];
    if (*name == UBI_NONE)
        UBI_TRY(number_class_part(name, c, row->text));
    *out = *name;
    return UBI_OK;
}

/* "(TYPE)", or the words that DevTools have for some. */
static ubi_status number_type(uint32_t *out, classing *c, ubi__v8_type type, ubi_text type_name) {
    static const char *const words[UBI__V8_TYPE_COUNT] = { [UBI__V8_HIDDEN] = "(system)",
                                                           [UBI__V8_CODE] = "(compiled code)",
                                                           [UBI__V8_CLOSURE] = "Function",
                                                           [UBI__V8_REGEXP] = "RegExp" };
    ubi_text text;
    if (words[type])
        return number_name(out, c, ubi__text(words[type]));
    UBI_TRY(ubi__v8_text_pool_join(&text, &c->own->pool, c->a, ubi__text("("), type_name));
    UBI_TRY(ubi__v8_text_pool_join(&text, &c->own->pool, c->a, text, ubi__text(")")));
    return number_name(out, c, text);
}

static ubi_status number_typed(uint32_t *out, classing *c, ubi__v8_type type, ubi_node_ix node) {
    ubi_kind_ix kind = c->g->kind.at[node];
    bool is_known = type != UBI__V8_OTHER && type != UBI__V8_NONE;
    uint32_t *name = is_known ? &c->name_of_type[type] : &c->name_of_kind[kind];
    ubi_text type_name = is_known ? ubi__text(ubi__v8_type_name(type))
                                  : ubi__strtab_get(&c->g->strings, c->g->kinds.rows.at[kind].type_name);
    if (*name == UBI_NONE)
        UBI_TRY(number_type(name, c, type, type_name));
    *out = *name;
    return UBI_OK;
}

/* class_of_node still has the shapes of plain objects. */
static ubi_status number_plain(uint32_t *out, classing *c, ubi_node_ix node) {
    uint32_t interface = c->shapes.rows.at[UBI_INDEX(c->own->class_of_node[node], c->shapes.rows.n)].interface;
    UBI_ASSERT(interface == UBI_NONE || interface < c->own->interfaces.rows.n);
    if (interface == UBI_NONE)
        return number_named(out, c, node);
    uint32_t *name = &c->name_of_interface[interface];
    if (*name == UBI_NONE)
        UBI_TRY(number_name(name, c, c->own->interfaces.rows.at[interface].name));
    *out = *name;
    return UBI_OK;
}

static ubi_status number_name_of(uint32_t *out, classing *c, ubi__v8_type type, ubi_node_ix node) {
    if (type != UBI__V8_OBJECT && type != UBI__V8_NATIVE)
        return number_typed(out, c, type, node);
    if (ubi__v8_is_plain_object(c->own, c->g, node))
        return number_plain(out, c, node);
    return ubi__v8_is_renamed(c->own, c->g, node) ? number_renamed(out, c, node) : number_named(out, c, node);
}

/* ---- classes ----------------------------------------------------------------------------------------------------- */

static ubi_status add_class(ubi_class_ix *out, classing *c, uint32_t name, const ubi__v8_location *location,
                            ubi_node_ix node) {
    char digits[40] = "";
    if (location)
        snprintf(digits, sizeof digits, "%" PRIu32 ",%" PRIu32 ",%" PRIu32, location->script_id, location->line,
                 location->column);
    ubi_look_class class = { c->names.at[name], ubi__text(""), c->g->kinds.rows.at[c->g->kind.at[node]].coarse_type };
    if (location)
        UBI_TRY(ubi__v8_text_pool_join(&class.place, &c->own->pool, c->a, ubi__text(digits), ubi__text("")));
    *out = (ubi_class_ix)c->look->classes.n;
    return ubi__vec_lens_class_push(&c->look->classes, c->a, class);
}

static uint64_t placed_hash(uint32_t name, place at) {
    return ubi__hash_combine((uint64_t)name << 32 | at.script_id, (uint64_t)at.line << 32 | at.column);
}

static bool is_placed(const classing *c, uint32_t row, const placed_class *wanted) {
    const placed_class *class = &c->placed.at[row];
    return class->name == wanted->name && class->at.script_id == wanted->at.script_id &&
           class->at.line == wanted->at.line && class->at.column == wanted->at.column;
}
UBI_ROW_LOOKUP(placed, const classing *, const placed_class *, is_placed);

static ubi_status find_placed(ubi_class_ix *out, classing *c, uint32_t name, const ubi__v8_location *location,
                              ubi_node_ix node) {
    placed_class wanted = { name, { location->script_id, location->line, location->column }, 0 };
    uint64_t hash = placed_hash(name, wanted.at);
    UBI_TRY(ubi__row_table_reserve(&c->placed_table, c->a, 1));
    ubi__row_slot *slot = placed_place(&c->placed_table, c, &wanted, hash);
    if (ubi__row_is_used(slot)) {
        *out = c->placed.at[slot->row].class;
        return UBI_OK;
    }
    UBI_TRY(add_class(out, c, name, location, node));
    wanted.class = *out;
    UBI_TRY(vec_placed_class_push(&c->placed, c->a, wanted));
    ubi__row_table_fill(&c->placed_table, slot, hash, (uint32_t)c->placed.n - 1);
    return UBI_OK;
}

/* Nodes are asked in ascending order. */
static const ubi__v8_location *location_of(classing *c, ubi_node_ix node) {
    if (!c->own->facts)
        return NULL;
    const ubi__vec_v8_location *all = &c->own->facts->locations;
    while (c->next_location < all->n && all->at[c->next_location].node < node)
        c->next_location++;
    return c->next_location < all->n && all->at[c->next_location].node == node ? &all->at[c->next_location] : NULL;
}

static ubi_status node_classify(classing *c, ubi_node_ix node) {
    ubi__v8_type type = ubi__v8_type_at(c->own, c->g, node);
    const ubi__v8_location *location = type == UBI__V8_OBJECT ? location_of(c, node) : NULL;
    uint32_t name;
    UBI_TRY(number_name_of(&name, c, type, node));
    if (location)
        return find_placed(&c->own->class_of_node[node], c, name, location, node);
    if (c->class_of_name.at[name] == UBI_NONE)
        UBI_TRY(add_class(&c->class_of_name.at[name], c, name, NULL, node));
    c->own->class_of_node[node] = c->class_of_name.at[name];
    UBI_ASSERT(c->own->class_of_node[node] < c->look->classes.n);
    return UBI_OK;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static ubi_status new_names(uint32_t **out, size_t n, const ubi_allocator *a) {
    if (!n)
        return UBI_OK;
    *out = ubi__alloc_array(a, n, sizeof **out);
    if (!*out)
        return ubi__fail_nomem();
    memset(*out, 0xff, n * sizeof **out);
    return UBI_OK;
}

static ubi_status find_classes(classing *c, const ubi__v8_interfaces *like) {
    UBI_TRY(ubi__v8_find_shapes(&c->shapes, c->own->class_of_node, c->own, c->g, &c->opening->pulse, c->a));
    UBI_TRY(like ? ubi__v8_copy_interfaces(c->own, like, c->a)
                 : ubi__v8_infer_interfaces(c->own, &c->shapes, c->g, c->a));
    UBI_TRY(ubi__v8_match_interfaces(&c->shapes, c->own, c->g, c->a));
    UBI_TRY(new_names(&c->name_of_string, ubi__strtab_count(&c->g->strings), c->a));
    UBI_TRY(new_names(&c->name_of_renamed, c->own->renamed.n, c->a));
    UBI_TRY(new_names(&c->name_of_interface, c->own->interfaces.rows.n, c->a));
    UBI_TRY(new_names(&c->name_of_kind, c->g->kinds.rows.n, c->a));
    memset(c->name_of_type, 0xff, sizeof c->name_of_type);
    for (ubi_node_ix node = 0; node < c->g->n_nodes; node++) {
        if (ubi__unlikely(node % UBI__PULSE_NODES == 0) && !ubi__v8_go_on(c->opening, node, c->g->n_nodes))
            return ubi__fail_cancelled();
        UBI_TRY(node_classify(c, node));
    }
    return UBI_OK;
}

ubi_status ubi__v8_find_classes(ubi_look *look, ubi__v8_look *own, const ubi__v8_interfaces *like,
                                ubi__v8_opening *opening) {
    const ubi_allocator *a = look->allocator;
    classing c = { .look = look, .own = own, .g = look->graph, .a = a, .opening = opening };
    own->class_of_node = ubi__alloc_array(a, c.g->n_nodes, sizeof *own->class_of_node);
    ubi_status status = own->class_of_node ? find_classes(&c, like) : ubi__fail_nomem();
    ubi__vec_v8_shape_fini(&c.shapes.rows, a);
    ubi__vec_text_fini(&c.names, a);
    ubi__row_table_fini(&c.name_table, a);
    ubi__vec_u32_fini(&c.class_of_name, a);
    vec_placed_class_fini(&c.placed, a);
    ubi__row_table_fini(&c.placed_table, a);
    ubi__free_array(a, c.name_of_string, ubi__strtab_count(&c.g->strings), sizeof *c.name_of_string);
    ubi__free_array(a, c.name_of_renamed, own->renamed.n, sizeof *c.name_of_renamed);
    ubi__free_array(a, c.name_of_interface, own->interfaces.rows.n, sizeof *c.name_of_interface);
    ubi__free_array(a, c.name_of_kind, c.g->kinds.rows.n, sizeof *c.name_of_kind);
    return status;
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

/* Plain objects by the names of their properties. */

typedef struct finding {
    const ubi__v8_look *own;
    const ubi_graph *g;
    const ubi_allocator *a;
    ubi__pulse *pulse;
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
    for (ubi_node_ix node = 0; node < f->g->n_nodes; node++) {
        if (ubi__unlikely(node % UBI__PULSE_NODES == 0) &&
            !ubi__pulse_at(f->pulse, "comparing objects", node, f->g->n_nodes))
            return ubi__fail_cancelled();
        if (ubi__v8_is_plain_object(f->own, f->g, node)) {
            UBI_TRY(find_shape(&shape_of_node[node], f, node));
            f->shapes->n_objects++;
        }
    }
    for (size_t i = 0, n = 0; UBI_CHECKS && i < f->shapes->rows.n; i++) {
        n += f->shapes->rows.at[i].n_objects;
        UBI_ASSERT(shape_of_node[f->shapes->rows.at[i].example] == i);
        UBI_ASSERT(i + 1 < f->shapes->rows.n || n == f->shapes->n_objects);
    }
    return UBI_OK;
}

ubi_status ubi__v8_find_shapes(ubi__v8_shapes *out, uint32_t *shape_of_node, const ubi__v8_look *own,
                               const ubi_graph *g, ubi__pulse *pulse, const ubi_allocator *a) {
    finding f = { own, g, a, pulse, out, { 0 } };
    ubi_status status = find_all(&f, shape_of_node);
    ubi__row_table_fini(&f.table, a);
    return status;
}
