/* SPDX-License-Identifier: MIT
 *
 * strings.c: the strings of a heap, grouped by text.
 *
 * Duplicates are known beforehand (string_keys.h); a column says which group a key belongs to.
 */
#include <ubiheap/views/strings.h>

#include "base/merge_sort.h"
#include "lenses/joined.h"
#include "lenses/lens.h"
#include "lenses/producer.h"
#include "lenses/string_keys.h"

UBI_VEC_DECLARE(vec_group, ubi_string_group);

struct ubi_strings {
    const ubi_allocator *allocator;
    const ubi_look *look; /* borrowed */
    vec_group groups;     /* while strings are being grouped, wasted_bytes is the size of the smallest */
    ubi_strings_totals totals;
};

/* What is there while strings are being grouped. */
typedef struct work {
    ubi_strings *s;
    const ubi_strings_options *options;
    ubi__string_keys keys;
    uint32_t *group_of_key; /* [n_keys]; NEW or TOO_SHORT: none */
} work;

#define NEW UBI_NONE
#define TOO_SHORT (UBI_NONE - 1)

bool ubi_strings_known(const ubi_graph *g) {
    bool has_strings = false;
    const ubi__string_rules *rules = ubi__producer_of(g)->strings;
    for (ubi_kind_ix k = 0; k < ubi_graph_kind_count(g) && !has_strings; k++) {
        const ubi_kind *kind = ubi_graph_kind(g, k);
        has_strings =
            kind->coarse_type == UBI_COARSE_STRING && (!rules || rules->part_of_kind(g, kind) != UBI__STRING_TEXTLESS);
    }
    return g->node_name.n > 0 && has_strings;
}

/* ---- groups --------------------------------------------------------------------------------------------------------- */

static void put_tally(ubi_strings_tally *tally, uint64_t count, uint64_t size_bytes) {
    tally->count += count;
    tally->size_bytes += size_bytes;
}

static size_t length_class(uint32_t length) {
    size_t i = 0;
    for (; length && i + 1 < UBI_STRINGS_LENGTHS; length >>= 1)
        i++;
    return i;
}

static ubi_status new_group(uint32_t *out, work *w, const ubi__string *string) {
    ubi_string_group group = { .first = string->node,
                               .is_truncated = string->is_truncated,
                               .wasted_bytes = UINT64_MAX };
    group.length = ubi__string_length(&w->keys, string);
    *out = group.length < w->options->min_length ? TOO_SHORT : (uint32_t)w->s->groups.n;
    return *out == TOO_SHORT ? UBI_OK : vec_group_push(&w->s->groups, w->s->allocator, group);
}

static void add_to_group(work *w, uint32_t index, const ubi__string *string) {
    const ubi_strings_options *o = w->options;
    ubi_string_group *group = &w->s->groups.at[index];
    uint64_t size_bytes = string->size_bytes;
    group->count++;
    group->size_bytes += size_bytes;
    group->retained_bytes += o->dominators ? ubi_dominators_retained_bytes(o->dominators, string->node) : 0;
    group->wasted_bytes = size_bytes < group->wasted_bytes ? size_bytes : group->wasted_bytes;
    if (o->group_of_node)
        o->group_of_node[string->node] = index;
    put_tally(&w->s->totals.with_text, 1, size_bytes);
    put_tally(&w->s->totals.lengths[length_class(group->length)], 1, size_bytes);
}

static ubi_status group_take(void *payload, const ubi__string *string) {
    work *w = payload;
    put_tally(&w->s->totals.all, 1, string->size_bytes);
    if (string->is_slice)
        put_tally(&w->s->totals.slices, 1, string->size_bytes);
    if (string->key == UBI_NONE)
        return UBI_OK;
    uint32_t *group = &w->group_of_key[string->key];
    if (*group == NEW)
        UBI_TRY(new_group(group, w, string));
    if (*group != TOO_SHORT)
        add_to_group(w, *group, string);
    return UBI_OK;
}

static void groups_finish(ubi_strings *s) {
    for (size_t i = 0; i < s->groups.n; i++) {
        ubi_string_group *group = &s->groups.at[i];
        group->wasted_bytes = group->size_bytes - group->wasted_bytes;
        s->totals.wasted_bytes += group->wasted_bytes;
        if (group->count < 2)
            continue;
        s->totals.n_duplicate_groups++;
        put_tally(&s->totals.duplicates, group->count, group->size_bytes);
    }
}

static ubi_status group_by_key(work *w) {
    size_t n_bytes = (size_t)w->keys.n_keys * sizeof *w->group_of_key;
    if (w->keys.n_keys) {
        w->group_of_key = ubi__alloc_array(w->s->allocator, w->keys.n_keys, sizeof *w->group_of_key);
        if (!w->group_of_key)
            return ubi__fail_nomem();
        memset(w->group_of_key, 0xff, n_bytes);
    }
    ubi_status status = ubi__strings_each(&w->keys, group_take, w);
    ubi__free_array(w->s->allocator, w->group_of_key, w->keys.n_keys, sizeof *w->group_of_key);
    return status;
}

static ubi_status group_strings(ubi_strings *s, const ubi_strings_options *options) {
    work w = { .s = s, .options = options };
    ubi__string_choice choice = { s->look, options->only, s->allocator, &options->progress, options->threads };
    if (options->group_of_node)
        memset(options->group_of_node, 0xff, (size_t)s->look->graph->n_nodes * sizeof *options->group_of_node);
    ubi_status status = ubi__string_keys_init(&w.keys, &choice);
    if (status == UBI_OK)
        status = group_by_key(&w);
    ubi__string_keys_fini(&w.keys);
    if (status == UBI_OK)
        groups_finish(s);
    return status;
}

/* ---- public --------------------------------------------------------------------------------------------------------- */

ubi_status ubi_strings_new(ubi_strings **out, const ubi_look *look, const ubi_strings_options *options) {
    static const ubi_strings_options defaults = UBI_STRINGS_OPTIONS_INIT;
    options = options ? options : &defaults;
    UBI_TRY(ubi__version_check(options->version, UBI_STRINGS_OPTIONS_VERSION, "ubi_strings_options"));
    const ubi_allocator *a = ubi__allocator_or_default(options->allocator);
    ubi_strings *s = UBI_NEW(a, ubi_strings);
    if (!s)
        return ubi__fail_nomem();
    s->allocator = a;
    s->look = look;
    ubi_status status = group_strings(s, options);
    if (status == UBI_OK)
        *out = s;
    else
        ubi_strings_free(s);
    return status;
}

void ubi_strings_free(ubi_strings *s) {
    if (!s)
        return;
    vec_group_fini(&s->groups, s->allocator);
    UBI_DELETE(s->allocator, s);
}

uint32_t ubi_strings_group_count(const ubi_strings *s) {
    return (uint32_t)s->groups.n;
}

const ubi_string_group *ubi_strings_group(const ubi_strings *s, uint32_t index) {
    return &s->groups.at[index];
}

const ubi_strings_totals *ubi_strings_totals_of(const ubi_strings *s) {
    return &s->totals;
}

ubi_text ubi_strings_text(const ubi_strings *s, ubi_node_ix node, ubi_look_name_buffer *buffer) {
    const ubi_graph *g = s->look->graph;
    if (s->look->joined)
        return ubi__joined_text(s->look->joined, node, buffer);
    return ubi_graph_string(g, ubi__graph_node_name(g, node));
}

/* ---- order ---------------------------------------------------------------------------------------------------------- */

typedef struct order {
    const ubi_strings *s;
    ubi_strings_key key;
} order;

static uint64_t group_value(const order *o, uint32_t index) {
    const ubi_string_group *g = &o->s->groups.at[index];
    switch (o->key) {
    case UBI_STRINGS_BY_RETAINED:
        return g->retained_bytes;
    case UBI_STRINGS_BY_WASTE:
        return g->wasted_bytes;
    case UBI_STRINGS_BY_SIZE:
        return g->size_bytes;
    case UBI_STRINGS_BY_COUNT:
        return g->count;
    default:
        return g->length;
    }
}

static bool group_before(const order *o, uint32_t a, uint32_t b) {
    uint64_t x = group_value(o, a), y = group_value(o, b);
    return x != y ? x > y : o->s->groups.at[a].first < o->s->groups.at[b].first;
}

UBI_SORT_DEFINE(sort_groups, uint32_t, const order *, group_before);

ubi_status ubi_strings_sorted(uint32_t *out, uint32_t *n, const ubi_strings *s, ubi_strings_key key,
                              uint32_t least_count) {
    order o = { s, key };
    uint32_t found = 0;
    uint32_t *spare = ubi__alloc_array(s->allocator, s->groups.n + 1, sizeof *spare);
    if (!spare)
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < s->groups.n; i++)
        if (s->groups.at[i].count >= least_count)
            out[found++] = i;
    sort_groups(out, spare, found, &o);
    ubi__free_array(s->allocator, spare, s->groups.n + 1, sizeof *spare);
    *n = found;
    return UBI_OK;
}
