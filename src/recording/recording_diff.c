/* SPDX-License-Identifier: MIT
 *
 * recording_diff.c: see recording_diff.h.
 *
 * Each recording becomes a tree of functions with names that both have in common; these are joined. Places are summed up from infos, which
 * know more than trees: samples and variances of all measures.
 */
#include "recording/recording_diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/status.h"
#include "base/text.h"
#include "recording/recording_place.h"

#define ROOT 0
#define NAME_BYTES 8192
#define NO_STACK "(no stack)"

/* ---- names that both have ---------------------------------------------------------------------------------------------- */

/* Whether an ending is all of a word: ".cold" is not that of ".colder". */
static bool is_whole_ending(ubi_text name, const char *at, const char *ending) {
    const char *end = at + strlen(ending);
    return ending[strlen(ending) - 1] == '.' || end == name.ptr + name.len || *end == '.' || *end == ' ';
}

/* Endings of GCC and clang; what follows is a number, or another one. */
ubi_text ubi__function_plain_name(ubi_text name) {
    static const char *const endings[] = { " [clone", ".isra.",     ".constprop.", ".part.",
                                           ".cold",   ".lto_priv.", ".llvm.",      ".localalias" };
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const char *found = name.len ? memmem(name.ptr, name.len, endings[i], strlen(endings[i])) : NULL;
        if (found && found != name.ptr && is_whole_ending(name, found, endings[i]))
            name.len = (size_t)(found - name.ptr);
    }
    return name;
}

typedef struct side_names {
    const ubi__ubirec_tables *tables, *others;
    bool *is_same; /* is_same[string], of paths of modules: the other recording has the same build of it */
} side_names;

/* Names of files and build-ids, and which of them are one module's. */
typedef struct build_table {
    ubi__strtab words;
    ubi__tuple_table builds; /* (name, build-id) */
} build_table;

/* @param is_new  out: whether no module so far was the same; true without a build-id. */
static ubi_status build_note(build_table *b, bool *is_new, const ubi__ubirec_tables *t, size_t module) {
    ubi_text build = ubi__ubirec_string_at(t, t->modules.at[module].build_id);
    ubi_text name = ubi__text_base_name(ubi__ubirec_string_at(t, t->modules.at[module].path));
    ubi_str_ix words[2];
    uint32_t number;
    *is_new = true;
    if (build.len == 0)
        return UBI_OK;
    UBI_TRY(ubi__strtab_intern(&b->words, &words[0], name));
    UBI_TRY(ubi__strtab_intern(&b->words, &words[1], build));
    const uint64_t tuple[] = { words[0], words[1] };
    return ubi__tuple_table_number(&b->builds, &number, is_new, tuple);
}

static ubi_status builds_find(build_table *b, side_names *names) {
    const ubi__ubirec_tables *t = names->tables;
    uint32_t n_others;
    bool is_new;
    for (size_t i = 0; i < names->others->modules.n; i++)
        UBI_TRY(build_note(b, &is_new, names->others, i));
    n_others = ubi__tuple_table_count(&b->builds);
    for (size_t i = 0; i < t->modules.n && n_others; i++) {
        UBI_TRY(build_note(b, &is_new, t, i));
        if (!is_new)
            names->is_same[t->modules.at[i].path] = true;
    }
    return UBI_OK;
}

static ubi_status builds_compare(side_names *names, const ubi_allocator *a) {
    build_table b;
    ubi__strtab_init(&b.words, a);
    ubi__tuple_table_init(&b.builds, 2, "builds of modules", a);
    ubi_status status = builds_find(&b, names);
    ubi__tuple_table_fini(&b.builds);
    ubi__strtab_fini(&b.words);
    return status;
}

/* The string that a text of the tables is, by where it ends. */
static uint32_t string_of(const ubi__strtab *t, ubi_text text) {
    uint64_t end = (uint64_t)(text.ptr - (const char *)t->bytes.at) + text.len;
    size_t low = 0, high = t->end.n; /* the first that ends there is in [low, high) */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->end.at[middle] < end)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

static void common_name(char *out, size_t n, const ubi__recording_place *place, const void *payload) {
    ubi_text name = ubi__function_plain_name(place->function), module = ubi__text_base_name(place->module);
    ubi_text file = ubi__text_base_name(place->file);
    const side_names *names = payload;
    if (name.len)
        snprintf(out, n, "%.*s", (int)name.len, name.ptr);
    else if (!place->has_address)
        snprintf(out, n, file.len ? "(anonymous in %.*s)" : "(anonymous)", (int)file.len, file.ptr);
    else if (module.len && names->is_same[string_of(&names->tables->strings, place->module)])
        ubi__recording_place_name(out, n, place);
    else
        snprintf(out, n, "(no name in %.*s)", module.len ? (int)module.len : 9, module.len ? module.ptr : "no module");
}

/* ---- stacks ------------------------------------------------------------------------------------------------------------- */

typedef struct comparer {
    ubi__recording_diff *diff;
    side_names names[UBI__DIFF_SIDES];
    ubi__stack_naming naming[UBI__DIFF_SIDES];
    ubi__tuple_table edges; /* (parent, name) -> node, from 1 */
    ubi__vec_u32 place_of;  /* place_of[name]: its number + 1; 0: none */
} comparer;

static ubi_status joint_node_get(comparer *c, uint32_t *out, uint32_t parent, ubi_text text) {
    ubi__recording_diff *d = c->diff;
    ubi_str_ix name;
    bool is_new;
    UBI_TRY(ubi__strtab_intern(&d->names, &name, text));
    const uint64_t edge[] = { parent, name };
    UBI_TRY(ubi__tuple_table_number(&c->edges, out, &is_new, edge));
    if (!is_new)
        return UBI_OK;
    return ubi__vec_diff_node_push(&d->nodes, d->allocator, (ubi__diff_node){ .parent = parent, .name = name });
}

static ubi_status nodes_join(comparer *c, const ubi__flame_tree *tree, int side, uint32_t *joint) {
    ubi__vec_diff_node *nodes = &c->diff->nodes;
    joint[ROOT] = ROOT;
    nodes->at[ROOT].self[side] = tree->nodes.at[ROOT].self;
    for (uint32_t i = 1; i < tree->nodes.n; i++) {
        UBI_TRY(joint_node_get(c, &joint[i], joint[tree->nodes.at[i].parent], ubi__flame_name(tree, i)));
        nodes->at[joint[i]].self[side] = tree->nodes.at[i].self;
    }
    return UBI_OK;
}

static ubi_status side_join(comparer *c, int side) {
    const ubi_allocator *a = c->diff->allocator;
    ubi__stack_choice choice = c->diff->sides[side];
    ubi__flame_tree tree;
    choice.naming = &c->naming[side];
    UBI_TRY(ubi__flame_tree_init(&tree, &choice, c->diff->measure, false, a));
    size_t n = tree.nodes.n;
    uint32_t *joint = ubi__alloc_array(a, n, sizeof *joint);
    ubi_status status = joint ? nodes_join(c, &tree, side, joint) : ubi__fail_nomem();
    ubi__free_array(a, joint, n, sizeof *joint);
    ubi__flame_tree_fini(&tree);
    return status;
}

/* ---- places ------------------------------------------------------------------------------------------------------------- */

static ubi_status place_get(comparer *c, uint32_t *out, ubi_text text) {
    ubi__recording_diff *d = c->diff;
    ubi_str_ix name;
    UBI_TRY(ubi__strtab_intern(&d->names, &name, text));
    while (c->place_of.n <= name)
        UBI_TRY(ubi__vec_u32_push(&c->place_of, d->allocator, 0));
    if (c->place_of.at[name] == 0) {
        const ubi__diff_place place = { .name = name, .frame = { UBI_NONE, UBI_NONE } };
        UBI_TRY(ubi__vec_diff_place_push(&d->places, d->allocator, place));
        c->place_of.at[name] = (uint32_t)d->places.n;
    }
    *out = c->place_of.at[name] - 1;
    return UBI_OK;
}

/* @param known  known[frame]: its place + 1; 0: not looked for yet */
static ubi_status place_of_trace(comparer *c, uint32_t *out, int side, uint32_t trace, uint32_t *known) {
    const ubi__ubirec_tables *t = c->names[side].tables;
    ubi__recording_place place;
    char text[NAME_BYTES];
    if (trace == UBI__UBIREC_NO_TRACE)
        return place_get(c, out, ubi__text(NO_STACK));
    uint32_t frame = t->traces.at[trace].frame;
    if (known[frame] == 0) {
        ubi__recording_frame_place(&place, t, frame, ubi__recording_asking_symbol(t, trace));
        common_name(text, sizeof text, &place, &c->names[side]);
        UBI_TRY(place_get(c, out, ubi__text(text)));
        known[frame] = *out + 1;
    }
    *out = known[frame] - 1;
    return UBI_OK;
}

/* Which frame of the name has most. @param weights  weights[frame]: of the measure */
static void frame_note(const ubi__recording_diff *d, ubi__diff_place *place, int side, uint32_t frame, double *weights,
                       const ubi__estimate *more) {
    weights[frame] += d->measure.is_count ? more->count : more->bytes;
    uint32_t *best = &place->frame[side];
    if (*best == UBI_NONE || weights[frame] > weights[*best])
        *best = frame;
}

static ubi_status info_add(comparer *c, int side, uint32_t info, uint32_t *known, double *weights) {
    ubi__recording_diff *d = c->diff;
    const ubi__stack_choice *choice = &d->sides[side];
    const ubi__recording_summary *s = choice->sites->summary;
    uint32_t trace = choice->sites->top[s->tables.infos.at[info].trace], number;
    UBI_TRY(place_of_trace(c, &number, side, trace, known));
    ubi__diff_place *place = &d->places.at[number];
    for (ubi__measure m = 0; m < UBI__MEASURE_COUNT; m++) {
        ubi__estimate more = { 0 };
        ubi__estimate_add(&more, s, info, ubi__info_measure(&s->infos.at[info], m));
        ubi__estimate_join(&place->by[side][m], &more);
        if (m == d->measure.measure && trace != UBI__UBIREC_NO_TRACE)
            frame_note(d, place, side, s->tables.traces.at[trace].frame, weights, &more);
    }
    return UBI_OK;
}

static ubi_status places_add(comparer *c, int side) {
    const ubi_allocator *a = c->diff->allocator;
    const ubi__stack_choice *choice = &c->diff->sides[side];
    size_t n = c->names[side].tables->frames.n + 1;
    uint32_t *known = ubi__calloc_array(a, n, sizeof *known);
    double *weights = ubi__calloc_array(a, n, sizeof *weights);
    ubi_status status = known && weights ? UBI_OK : ubi__fail_nomem();
    for (uint32_t i = 0; status == UBI_OK && i < c->names[side].tables->infos.n; i++)
        if (ubi__stack_has_info(choice, i))
            status = info_add(c, side, i, known, weights);
    ubi__free_array(a, known, n, sizeof *known);
    ubi__free_array(a, weights, n, sizeof *weights);
    return status;
}

/* ---- stacks of places --------------------------------------------------------------------------------------------------- */

static double node_growth(const ubi__recording_diff *d, uint32_t node) {
    const uint64_t *self = d->nodes.at[node].self;
    return (double)self[UBI__DIFF_NEW] * d->scale[UBI__DIFF_NEW] -
           (double)self[UBI__DIFF_OLD] * d->scale[UBI__DIFF_OLD];
}

static double absolute(double x) {
    return x < 0 ? -x : x;
}

static int stack_compare(const void *left, const void *right, void *payload) {
    const ubi__recording_diff *d = payload;
    uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
    double of_x = absolute(node_growth(d, x)), of_y = absolute(node_growth(d, y));
    if (of_x != of_y)
        return of_x < of_y ? 1 : -1;
    return x < y ? -1 : x > y;
}

static bool is_stack(const ubi__diff_node *node) {
    return node->self[UBI__DIFF_OLD] || node->self[UBI__DIFF_NEW];
}

static ubi__diff_place *place_of_node(comparer *c, uint32_t node) {
    ubi__recording_diff *d = c->diff;
    ubi_str_ix name = d->nodes.at[node].name;
    UBI_ASSERT(name < c->place_of.n && c->place_of.at[name]); /* it has an info, which made a place */
    return &d->places.at[c->place_of.at[name] - 1];
}

static ubi_status stacks_gather(comparer *c) {
    ubi__recording_diff *d = c->diff;
    uint32_t at = 0;
    for (uint32_t i = 0; i < d->nodes.n; i++)
        if (is_stack(&d->nodes.at[i]))
            place_of_node(c, i)->n_stacks++;
    for (size_t i = 0; i < d->places.n; i++) {
        d->places.at[i].first_stack = at;
        at += d->places.at[i].n_stacks;
        d->places.at[i].n_stacks = 0;
    }
    d->n_stacks = at;
    d->stacks = ubi__alloc_array(d->allocator, d->n_stacks + 1, sizeof *d->stacks);
    if (!d->stacks)
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < d->nodes.n; i++) {
        ubi__diff_place *place = is_stack(&d->nodes.at[i]) ? place_of_node(c, i) : NULL;
        if (place)
            d->stacks[place->first_stack + place->n_stacks++] = i;
    }
    for (size_t i = 0; i < d->places.n; i++)
        qsort_r(d->stacks + d->places.at[i].first_stack, d->places.at[i].n_stacks, sizeof *d->stacks, stack_compare, d);
    return UBI_OK;
}

/* ---- the whole ---------------------------------------------------------------------------------------------------------- */

void ubi__recording_diff_check(const ubi__recording_diff *d) {
    size_t n = 0;
    if (!UBI_CHECKS)
        return;
    for (size_t i = 1; i < d->nodes.n; i++)
        UBI_ASSERT(d->nodes.at[i].parent < i);
    for (size_t i = 0; i < d->places.n; i++) {
        const ubi__diff_place *place = &d->places.at[i];
        n += place->n_stacks;
        for (uint32_t k = 0; k < place->n_stacks; k++)
            UBI_ASSERT(d->nodes.at[d->stacks[place->first_stack + k]].name == place->name);
        for (int m = 0; m < UBI__MEASURE_COUNT; m++)
            ubi__estimate_check(&place->by[UBI__DIFF_NEW][m]);
    }
    UBI_ASSERT(n == d->n_stacks);
}

static ubi_status names_begin(comparer *c, int side) {
    side_names *names = &c->names[side];
    names->tables = ubi__stack_tables(&c->diff->sides[side]);
    names->others = ubi__stack_tables(&c->diff->sides[!side]);
    names->is_same = ubi__calloc_array(c->diff->allocator, names->tables->strings.end.n + 1, sizeof *names->is_same);
    c->naming[side] = (ubi__stack_naming){ common_name, names };
    if (!names->is_same)
        return ubi__fail_nomem();
    return builds_compare(names, c->diff->allocator);
}

static ubi_status recordings_compare(comparer *c) {
    ubi__recording_diff *d = c->diff;
    ubi_str_ix whole;
    UBI_TRY(ubi__strtab_intern(&d->names, &whole, ubi__text(NO_STACK)));
    UBI_TRY(ubi__vec_diff_node_push(&d->nodes, d->allocator, (ubi__diff_node){ .name = whole }));
    for (int side = 0; side < UBI__DIFF_SIDES; side++)
        UBI_TRY(names_begin(c, side));
    for (int side = 0; side < UBI__DIFF_SIDES; side++) {
        UBI_TRY(side_join(c, side));
        UBI_TRY(places_add(c, side));
    }
    return stacks_gather(c);
}

ubi_status ubi__recording_diff_init(ubi__recording_diff *d, const ubi__stack_choice sides[UBI__DIFF_SIDES],
                                    const double scale[UBI__DIFF_SIDES], ubi__stack_measure measure,
                                    const ubi_allocator *allocator) {
    comparer c = { .diff = d };
    *d = (ubi__recording_diff){ .allocator = allocator, .measure = measure };
    memcpy(d->sides, sides, sizeof d->sides);
    memcpy(d->scale, scale, sizeof d->scale);
    ubi__strtab_init(&d->names, allocator);
    ubi__tuple_table_init(&c.edges, 2, "functions with callers", allocator);
    c.edges.base = 1;
    ubi_status status = recordings_compare(&c);
    ubi__tuple_table_fini(&c.edges);
    ubi__vec_u32_fini(&c.place_of, allocator);
    for (int side = 0; side < UBI__DIFF_SIDES; side++)
        if (c.names[side].tables)
            ubi__free_array(allocator, c.names[side].is_same, c.names[side].tables->strings.end.n + 1, sizeof(bool));
    if (status == UBI_OK)
        ubi__recording_diff_check(d);
    else
        ubi__recording_diff_fini(d);
    return status;
}

void ubi__recording_diff_fini(ubi__recording_diff *d) {
    ubi__strtab_fini(&d->names);
    ubi__vec_diff_node_fini(&d->nodes, d->allocator);
    ubi__vec_diff_place_fini(&d->places, d->allocator);
    ubi__free_array(d->allocator, d->stacks, d->stacks ? d->n_stacks + 1 : 0, sizeof *d->stacks);
    d->stacks = NULL;
}

double ubi__diff_place_value(const ubi__recording_diff *d, const ubi__diff_place *place, int side) {
    const ubi__estimate *e = &place->by[side][d->measure.measure];
    return (d->measure.is_count ? e->count : e->bytes) * d->scale[side];
}

typedef struct place_order {
    const ubi__recording_diff *diff;
    bool is_by_growth;
} place_order;

static int place_compare(const void *left, const void *right, void *payload) {
    const place_order *order = payload;
    const ubi__diff_place *x = left, *y = right;
    double of_x = ubi__diff_place_growth(order->diff, x), of_y = ubi__diff_place_growth(order->diff, y);
    if (!order->is_by_growth) {
        of_x = absolute(of_x);
        of_y = absolute(of_y);
    }
    if (of_x != of_y)
        return of_x < of_y ? 1 : -1;
    return ubi__text_compare(ubi__diff_name(order->diff, x->name), ubi__diff_name(order->diff, y->name));
}

void ubi__recording_diff_sort(ubi__recording_diff *d, bool by_growth) {
    place_order order = { d, by_growth };
    if (d->places.n)
        qsort_r(d->places.at, d->places.n, sizeof *d->places.at, place_compare, &order);
}
