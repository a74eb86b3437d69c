/* SPDX-License-Identifier: MIT
 *
 * v8_match.c: which interface a plain object has.
 *
 * The properties of all interfaces are numbered. Each interface waits at the rarest of its properties: it is looked at only
 * for shapes that have that one. Better interfaces wait before worse ones, so that a shape stops at the first that fits.
 */
#include "base/merge_sort.h"
#include "lenses/v8/v8_shapes.h"

#define NOT_LOOKED_UP (UBI_NONE - 1)

typedef struct interface {
    uint32_t index;    /* place in ubi__v8_interfaces.rows */
    uint32_t first, n; /* range of `needs`, ascending; a property that is there twice is needed twice */
    uint32_t waits_at; /* property */
} interface;

typedef struct matching {
    const ubi__v8_look *own;
    const ubi_graph *g;
    const ubi_allocator *a;
    size_t n_interfaces, n_needs, n_properties;
    interface *best;        /* [n_interfaces], most properties first, then by index */
    uint32_t *needs;        /* [n_needs]: numbers of properties */
    uint32_t *n_needing;    /* [n_properties]: how many interfaces need it */
    uint32_t *first_at;     /* [n_properties + 1]: range of `waiting` */
    uint32_t *waiting;      /* [n_interfaces]: places in `best`, ascending for each property */
    uint32_t *number_of;    /* number_of[string]: NOT_LOOKED_UP; UBI_NONE: no interface needs it */
    uint32_t *n_has;        /* [n_properties]: how often the shape at hand has it */
    ubi__vec_u32 has;       /* the properties that it has */
    ubi__strtab properties; /* their names, by number */
} matching;

#define is_better(ctx, x, y) ((x).n > (y).n)
UBI_SORT_DEFINE(sort_interfaces, interface, void *, is_better);
#define is_smaller(ctx, x, y) ((x) < (y))
UBI_SORT_DEFINE(sort_numbers, uint32_t, void *, is_smaller);

static ubi_status new_columns(matching *m) {
    const ubi__v8_interfaces *all = &m->own->interfaces;
    m->n_interfaces = all->rows.n;
    m->n_needs = all->properties.n;
    m->best = ubi__calloc_array(m->a, m->n_interfaces * 2, sizeof *m->best);
    m->needs = ubi__calloc_array(m->a, m->n_needs * 2, sizeof *m->needs);
    m->n_needing = ubi__calloc_array(m->a, m->n_needs, sizeof *m->n_needing);
    m->first_at = ubi__calloc_array(m->a, m->n_needs + 1, sizeof *m->first_at);
    m->waiting = ubi__calloc_array(m->a, m->n_interfaces, sizeof *m->waiting);
    m->n_has = ubi__calloc_array(m->a, m->n_needs, sizeof *m->n_has);
    m->number_of = ubi__alloc_array(m->a, ubi__strtab_count(&m->g->strings), sizeof *m->number_of);
    if (!m->best || !m->needs || !m->n_needing || !m->first_at || !m->waiting || !m->n_has || !m->number_of)
        return ubi__fail_nomem();
    for (ubi_str_ix i = 0; i < ubi__strtab_count(&m->g->strings); i++)
        m->number_of[i] = NOT_LOOKED_UP;
    return UBI_OK;
}

static void free_columns(matching *m) {
    const ubi_allocator *a = m->a;
    ubi__free_array(a, m->best, m->n_interfaces * 2, sizeof *m->best);
    ubi__free_array(a, m->needs, m->n_needs * 2, sizeof *m->needs);
    ubi__free_array(a, m->n_needing, m->n_needs, sizeof *m->n_needing);
    ubi__free_array(a, m->first_at, m->n_needs + 1, sizeof *m->first_at);
    ubi__free_array(a, m->waiting, m->n_interfaces, sizeof *m->waiting);
    ubi__free_array(a, m->n_has, m->n_needs, sizeof *m->n_has);
    ubi__free_array(a, m->number_of, ubi__strtab_count(&m->g->strings), sizeof *m->number_of);
    ubi__vec_u32_fini(&m->has, a);
    ubi__strtab_fini(&m->properties);
}

/* ---- interfaces at the properties where they wait ---------------------------------------------------------------- */

static ubi_status number_properties(matching *m) {
    const ubi__v8_interfaces *all = &m->own->interfaces;
    uint32_t *spare = m->needs + m->n_needs;
    for (size_t i = 0; i < m->n_needs; i++) {
        UBI_TRY(ubi__strtab_intern(&m->properties, &m->needs[i], all->properties.at[i]));
    }
    m->n_properties = ubi__strtab_count(&m->properties);
    for (uint32_t i = 0; i < m->n_interfaces; i++) {
        const ubi__v8_interface *row = &all->rows.at[i];
        m->best[i] = (interface){ i, row->first_property, row->n_properties, 0 };
        sort_numbers(m->needs + row->first_property, spare, row->n_properties, NULL);
        for (uint32_t k = row->first_property; k < row->first_property + row->n_properties; k++)
            m->n_needing[m->needs[k]]++;
    }
    sort_interfaces(m->best, m->best + m->n_interfaces, m->n_interfaces, NULL);
    return UBI_OK;
}

static void let_wait(matching *m) {
    for (size_t i = 0; i < m->n_interfaces; i++) {
        interface *in = &m->best[i];
        in->waits_at = m->needs[in->first];
        for (uint32_t k = in->first; k < in->first + in->n; k++)
            if (m->n_needing[m->needs[k]] < m->n_needing[in->waits_at])
                in->waits_at = m->needs[k];
        m->first_at[in->waits_at + 1]++;
    }
    for (size_t p = 0; p < m->n_properties; p++)
        m->first_at[p + 1] += m->first_at[p];
    /* From the last: each takes the last place that is left, which n_needing counts from here on. */
    for (size_t p = 0; p < m->n_properties; p++)
        m->n_needing[p] = m->first_at[p + 1];
    for (size_t i = m->n_interfaces; i-- > 0;)
        m->waiting[--m->n_needing[m->best[i].waits_at]] = (uint32_t)i;
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

/* The number of a property, UBI_NONE if no interface needs it. */
static uint32_t number_of(matching *m, ubi_str_ix name) {
    uint32_t *number = &m->number_of[name];
    if (*number == NOT_LOOKED_UP)
        *number = ubi__strtab_find_interned(&m->properties, ubi__strtab_get(&m->g->strings, name));
    return *number;
}

static ubi_status take_shape(matching *m, const ubi__v8_shape *shape) {
    ubi__v8_property_walk walk = ubi__v8_properties_of(m->own, m->g, shape->example);
    for (ubi_str_ix name; (name = ubi__v8_property_next(&walk)) != UBI_NONE;) {
        uint32_t number = number_of(m, name);
        if (number != UBI_NONE && m->n_has[number]++ == 0)
            UBI_TRY(ubi__vec_u32_push(&m->has, m->a, number));
    }
    return UBI_OK;
}

static bool has_all(const matching *m, const interface *in) {
    const uint32_t *needs = m->needs + in->first;
    for (uint32_t i = 0, same = 1; i < in->n; i++, same++) {
        if (i && needs[i] != needs[i - 1])
            same = 1;
        if (m->n_has[needs[i]] < same)
            return false;
    }
    return true;
}

static uint32_t best_of(const matching *m) {
    uint32_t best = (uint32_t)m->n_interfaces;
    for (size_t i = 0; i < m->has.n; i++) {
        uint32_t property = m->has.at[i];
        for (uint32_t k = m->first_at[property]; k < m->first_at[property + 1] && m->waiting[k] < best; k++)
            if (has_all(m, &m->best[m->waiting[k]]))
                best = m->waiting[k];
    }
    return best < m->n_interfaces ? m->best[best].index : UBI_NONE;
}

static ubi_status match_all(matching *m, ubi__v8_shapes *shapes) {
    UBI_TRY(new_columns(m));
    UBI_TRY(number_properties(m));
    let_wait(m);
    for (size_t i = 0; i < shapes->rows.n; i++) {
        UBI_TRY(take_shape(m, &shapes->rows.at[i]));
        shapes->rows.at[i].interface = best_of(m);
        while (m->has.n)
            m->n_has[m->has.at[--m->has.n]] = 0;
    }
    return UBI_OK;
}

ubi_status ubi__v8_match_interfaces(ubi__v8_shapes *shapes, const ubi__v8_look *own, const ubi_graph *g,
                                    const ubi_allocator *a) {
    matching m = { .own = own, .g = g, .a = a };
    if (!own->interfaces.rows.n)
        return UBI_OK;
    ubi__strtab_init(&m.properties, a);
    ubi_status status = match_all(&m, shapes);
    free_columns(&m);
    return status;
}
