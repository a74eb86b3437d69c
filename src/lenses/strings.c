/* SPDX-License-Identifier: MIT
 *
 * strings.c: the strings of a heap, grouped by text.
 *
 * Equal entries of the string table have one canonical entry, so that most strings need no look at their text: a column says
 * which group an entry belongs to. Only where there are concatenations or texts that were cut, which have no entry of their
 * own, are groups also found by hash; all texts are hashed then, each once.
 */
#include <ubiheap/strings.h>

#include "base/hash.h"
#include "base/merge_sort.h"
#include "base/slots.h"
#include "base/text.h"
#include "formats/v8/v8_facts.h"
#include "lenses/v8/v8_joined.h"

/* What tells a group from others of the same text. */
typedef struct cut {
    ubi_str_ix length, hash; /* canonical entries of their decimal texts; UBI_NONE: not given */
    bool truncated;
} cut;

typedef struct group {
    ubi_string_group seen;
    uint64_t smallest_bytes;
    uint64_t text_hash; /* with `cut`; only while hashing */
    cut cut;
} group;

UBI_VEC_DECLARE(vec_group, group);

struct ubi_strings {
    const ubi_allocator *allocator;
    ubi_graph *graph;
    vec_group groups;
    ubi__v8_joined joined; /* V8's graphs */
    ubi_strings_totals totals;
};

/* What is there while strings are being grouped. */
typedef struct work {
    ubi_strings *s;
    const ubi_lens_view *look;
    const ubi_strings_options *options;
    uint32_t *group_of_entry; /* [string count]; UBI_NONE: none yet */
    size_t n_entries;
    ubi__slots slots;
    bool hashing;
    bool is_v8;
    ubi_str_ix truncated_name; /* canonical entry of "truncated"; UBI_NONE: no string was cut */
} work;

static const uint64_t report_mask = (1 << 16) - 1;

static bool is_string_with_text(const ubi_graph *g, const ubi_kind *kind, bool is_v8) {
    (void)g;
    if (is_v8)
        return kind->raw_type == UBI__V8_STRING || kind->raw_type == UBI__V8_CONS_STRING;
    return kind->coarse_type == UBI_COARSE_STRING;
}

bool ubi_strings_known(const ubi_graph *g) {
    bool has_strings = false;
    for (ubi_kind_ix k = 0; k < ubi_graph_kind_count(g) && !has_strings; k++)
        has_strings = ubi_graph_kind(g, k)->coarse_type == UBI_COARSE_STRING;
    return g->node_name.n > 0 && has_strings;
}

/* ---- strings that were cut ------------------------------------------------------------------------------------------ */

static ubi_str_ix find_entry(const ubi_graph *g, const char *text) {
    for (ubi_str_ix i = 0; i < ubi__strtab_count(&g->strings); i++)
        if (ubi__text_is(ubi__strtab_get(&g->strings, i), text))
            return i;
    return UBI_NONE;
}

/* Target of the first internal edge of that name, or UBI_NONE. */
static ubi_node_ix field(const ubi_graph *g, ubi_node_ix node, const char *name) {
    for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++)
        if (ubi__graph_edge_kind(g, e) == UBI_EDGE_INTERNAL && ubi__text_is(ubi_graph_string(g, g->name.at[e]), name))
            return g->target.at[e];
    return UBI_NONE;
}

/* What a number or a truth value says: the name of the string that its field `value` leads to. */
static ubi_str_ix value_of_field(const ubi_graph *g, ubi_node_ix node, const char *name) {
    ubi_node_ix number = field(g, node, name);
    ubi_node_ix value = number == UBI_NONE ? UBI_NONE : field(g, number, "value");
    return value == UBI_NONE ? UBI_NONE : ubi_graph_canonical_string(g, ubi__graph_node_name(g, value));
}

static cut cut_of(const work *w, ubi_node_ix node) {
    cut out = { UBI_NONE, UBI_NONE, false };
    const ubi_graph *g = w->s->graph;
    if (w->truncated_name == UBI_NONE)
        return out;
    ubi_str_ix said = value_of_field(g, node, "truncated");
    out.truncated = said != UBI_NONE && ubi__text_is(ubi_graph_string(g, said), "true");
    if (out.truncated) {
        out.length = value_of_field(g, node, "length");
        out.hash = value_of_field(g, node, "hash");
    }
    return out;
}

/* ---- groups --------------------------------------------------------------------------------------------------------- */

static uint64_t hash_of(ubi_text text, cut c) {
    uint64_t hash = ubi__hash_bytes(text.ptr, text.len);
    return c.truncated ? ubi__hash_combine(hash, (uint64_t)c.length << 32 | c.hash) : hash;
}

static bool same_cut(cut a, cut b) {
    return a.truncated == b.truncated && a.length == b.length && a.hash == b.hash;
}

/* The slot where a group of this text is, or where it belongs. */
static size_t find_slot(const work *w, ubi_text text, cut c, uint64_t hash) {
    ubi_lens_name_buffer buffer;
    size_t i = hash & (w->slots.n - 1);
    for (; w->slots.at[i] != UBI_NONE; i = ubi__slots_next(&w->slots, i)) {
        const group *g = &w->s->groups.at[w->slots.at[i]];
        if (g->text_hash == hash && same_cut(g->cut, c) &&
            ubi__text_equal(text, ubi_strings_text(w->s, g->seen.first, &buffer)))
            break;
    }
    return i;
}

/* Groups have different texts, so any free slot will do. */
static void put_slot(ubi__slots *slots, uint64_t hash, uint32_t index) {
    size_t i = hash & (slots->n - 1);
    while (slots->at[i] != UBI_NONE)
        i = ubi__slots_next(slots, i);
    slots->at[i] = index;
}

static ubi_status grow_slots(work *w) {
    const ubi_allocator *a = w->s->allocator;
    size_t wanted = ubi__slots_for(w->s->groups.n + 1, 1, 2, 64);
    ubi__slots bigger;
    if (wanted <= w->slots.n)
        return UBI_OK;
    UBI_TRY(ubi__slots_new(&bigger, wanted, a));
    for (uint32_t i = 0; i < w->s->groups.n; i++)
        put_slot(&bigger, w->s->groups.at[i].text_hash, i);
    ubi__slots_fini(&w->slots, a);
    w->slots = bigger;
    return UBI_OK;
}

static ubi_status start_hashing(work *w) {
    ubi_lens_name_buffer buffer;
    w->hashing = true;
    for (uint32_t i = 0; i < w->s->groups.n; i++) {
        group *g = &w->s->groups.at[i];
        g->text_hash = hash_of(ubi_strings_text(w->s, g->seen.first, &buffer), g->cut);
    }
    return grow_slots(w);
}

static ubi_status new_group(uint32_t *out, work *w, ubi_node_ix node, uint32_t length, cut c) {
    group g = { .seen = { .first = node, .length = length, .truncated = c.truncated }, .cut = c };
    g.smallest_bytes = UINT64_MAX;
    *out = (uint32_t)w->s->groups.n;
    return vec_group_push(&w->s->groups, w->s->allocator, g);
}

static ubi_status group_by_entry(uint32_t *out, work *w, ubi_node_ix node) {
    const ubi_graph *g = w->s->graph;
    ubi_str_ix entry = ubi_graph_canonical_string(g, ubi__graph_node_name(g, node));
    uint32_t *known = &w->group_of_entry[entry];
    if (*known == UBI_NONE)
        UBI_TRY(new_group(known, w, node, ubi__utf16_units(ubi_graph_string(g, entry), UINT32_MAX / 3),
                          (cut){ UBI_NONE, UBI_NONE, false }));
    *out = *known;
    return UBI_OK;
}

static ubi_status group_by_text(uint32_t *out, work *w, ubi_node_ix node) {
    ubi_lens_name_buffer buffer;
    cut c = cut_of(w, node);
    ubi_text text = ubi_strings_text(w->s, node, &buffer);
    if (!w->hashing)
        UBI_TRY(start_hashing(w));
    UBI_TRY(grow_slots(w));
    uint64_t hash = hash_of(text, c);
    size_t slot = find_slot(w, text, c, hash);
    if (w->slots.at[slot] == UBI_NONE) {
        UBI_TRY(new_group(out, w, node, ubi__utf16_units(text, UINT32_MAX / 3), c));
        w->s->groups.at[*out].text_hash = hash;
        w->slots.at[slot] = *out;
    }
    *out = w->slots.at[slot];
    return UBI_OK;
}

/* ---- strings -------------------------------------------------------------------------------------------------------- */

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

static ubi_status add(work *w, ubi_node_ix node, bool by_text) {
    const ubi_strings_options *o = w->options;
    uint64_t size_bytes = ubi_lens_size_bytes(w->look, node);
    uint32_t index;
    UBI_TRY(by_text ? group_by_text(&index, w, node) : group_by_entry(&index, w, node));
    group *g = &w->s->groups.at[index];
    if (g->seen.length < o->min_length)
        return UBI_OK;
    if (o->group_of_node)
        o->group_of_node[node] = index;
    g->seen.first = node < g->seen.first ? node : g->seen.first;
    g->seen.count++;
    g->seen.size_bytes += size_bytes;
    g->seen.retained_bytes += o->dominators ? ubi_dominators_retained_bytes(o->dominators, node) : 0;
    g->smallest_bytes = size_bytes < g->smallest_bytes ? size_bytes : g->smallest_bytes;
    put_tally(&w->s->totals.with_text, 1, size_bytes);
    put_tally(&w->s->totals.lengths[length_class(g->seen.length)], 1, size_bytes);
    return UBI_OK;
}

static bool passes(const work *w, ubi_node_ix node) {
    const uint64_t *only = w->options->only;
    return (!only || only[node >> 6] >> (node & 63) & 1) && ubi_lens_shows(w->look, node) &&
           ubi_lens_size_bytes(w->look, node) > 0 &&
           (ubi_lens_graph_view(w->look)->orphans == UBI_ORPHANS_ADOPT || ubi__graph_reachable(w->s->graph, node));
}

/* Whether the text has no entry of its own. */
static bool needs_text(const work *w, ubi_node_ix node, const ubi_kind *kind) {
    return w->is_v8 && (kind->raw_type == UBI__V8_CONS_STRING || cut_of(w, node).truncated);
}

/* A concatenation with an empty half is the other half once more. */
static bool is_flat(const work *w, ubi_node_ix node, const ubi_kind *kind) {
    return w->is_v8 && kind->raw_type == UBI__V8_CONS_STRING && ubi__v8_cons_of(&w->s->joined, node)->flat;
}

static ubi_status take(work *w, ubi_node_ix node, bool by_text) {
    const ubi_graph *g = w->s->graph;
    const ubi_kind *kind = ubi_graph_kind(g, g->kind.at[node]);
    ubi_strings_totals *totals = &w->s->totals;
    if (kind->coarse_type != UBI_COARSE_STRING || !passes(w, node))
        return UBI_OK;
    if (!by_text) {
        put_tally(&totals->all, 1, ubi_lens_size_bytes(w->look, node));
        if (w->is_v8 && kind->raw_type == UBI__V8_SLICED_STRING)
            put_tally(&totals->slices, 1, ubi_lens_size_bytes(w->look, node));
    }
    if (!is_string_with_text(g, kind, w->is_v8) || ubi__graph_node_name(g, node) == UBI_NONE ||
        needs_text(w, node, kind) != by_text || is_flat(w, node, kind))
        return UBI_OK;
    return add(w, node, by_text);
}

/* Those with an entry of their own first, so that all of them are hashed at once, if at all. */
static ubi_status take_all(work *w) {
    uint32_t n = w->s->graph->n_nodes;
    for (int by_text = 0; by_text <= (w->s->joined.cons.n > 0 || w->truncated_name != UBI_NONE); by_text++)
        for (ubi_node_ix node = 0; node < n; node++) {
            if ((node & report_mask) == 0 && !ubi__progress(&w->options->progress, "comparing strings", node, n))
                return ubi__fail_cancelled();
            UBI_TRY(take(w, node, by_text));
        }
    return UBI_OK;
}

/* Groups without strings, which were too short, will go: the others move up. */
static void renumber_nodes(uint32_t *group_of_node, ubi_strings *s) {
    uint64_t kept = 0;
    for (size_t i = 0; i < s->groups.n; i++)
        s->groups.at[i].text_hash = s->groups.at[i].seen.count ? kept++ : UBI_NONE;
    for (ubi_node_ix node = 0; node < s->graph->n_nodes; node++)
        if (group_of_node[node] != UBI_NONE)
            group_of_node[node] = (uint32_t)s->groups.at[group_of_node[node]].text_hash;
}

static void finish(ubi_strings *s) {
    size_t kept = 0;
    for (size_t i = 0; i < s->groups.n; i++) {
        group g = s->groups.at[i];
        if (g.seen.count == 0)
            continue;
        g.seen.wasted_bytes = g.seen.size_bytes - g.smallest_bytes;
        s->totals.wasted_bytes += g.seen.wasted_bytes;
        s->totals.n_duplicate_groups += g.seen.count > 1;
        if (g.seen.count > 1)
            put_tally(&s->totals.duplicates, g.seen.count, g.seen.size_bytes);
        s->groups.at[kept++] = g;
    }
    s->groups.n = kept;
}

static ubi_status prepare(work *w) {
    ubi_strings *s = w->s;
    w->n_entries = ubi__strtab_count(&s->graph->strings);
    w->is_v8 = ubi__v8_facts_of(s->graph) != NULL;
    w->truncated_name = w->is_v8 ? find_entry(s->graph, "truncated") : UBI_NONE;
    if (w->n_entries) {
        w->group_of_entry = ubi__alloc_array(s->allocator, w->n_entries, sizeof *w->group_of_entry);
        if (!w->group_of_entry)
            return ubi__fail_nomem();
        memset(w->group_of_entry, 0xff, w->n_entries * sizeof *w->group_of_entry);
    }
    return w->is_v8 ? ubi__v8_joined_init(&s->joined, s->graph, s->allocator) : UBI_OK;
}

static ubi_status group_strings(ubi_strings *s, const ubi_lens_view *look, const ubi_strings_options *options) {
    work w = { .s = s, .look = look, .options = options };
    if (options->group_of_node)
        memset(options->group_of_node, 0xff, (size_t)s->graph->n_nodes * sizeof *options->group_of_node);
    ubi_status status = prepare(&w);
    if (status == UBI_OK)
        status = take_all(&w);
    ubi__free_array(s->allocator, w.group_of_entry, w.n_entries, sizeof *w.group_of_entry);
    ubi__slots_fini(&w.slots, s->allocator);
    if (status == UBI_OK && options->group_of_node)
        renumber_nodes(options->group_of_node, s);
    if (status == UBI_OK)
        finish(s);
    return status;
}

/* ---- public --------------------------------------------------------------------------------------------------------- */

ubi_status ubi_strings_new(ubi_strings **out, const ubi_lens_view *look, const ubi_strings_options *options) {
    static const ubi_strings_options defaults = UBI_STRINGS_OPTIONS_INIT;
    options = options ? options : &defaults;
    if (options->version != UBI_STRINGS_OPTIONS_VERSION)
        return ubi__fail(UBI_EINVAL, "unknown version %u of ubi_strings_options", options->version);
    const ubi_allocator *a = ubi__allocator_or_default(options->allocator);
    ubi_strings *s = UBI_NEW(a, ubi_strings);
    if (!s)
        return ubi__fail_nomem();
    s->allocator = a;
    s->graph = ubi_graph_ref((ubi_graph *)(uintptr_t)ubi_lens_graph_view(look)->graph);
    ubi_status status = group_strings(s, look, options);
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
    ubi__v8_joined_fini(&s->joined, s->allocator);
    ubi_graph_unref(s->graph);
    UBI_DELETE(s->allocator, s);
}

uint32_t ubi_strings_group_count(const ubi_strings *s) {
    return (uint32_t)s->groups.n;
}

const ubi_string_group *ubi_strings_group(const ubi_strings *s, uint32_t index) {
    return &s->groups.at[index].seen;
}

const ubi_strings_totals *ubi_strings_totals_of(const ubi_strings *s) {
    return &s->totals;
}

ubi_text ubi_strings_text(const ubi_strings *s, ubi_node_ix node, ubi_lens_name_buffer *buffer) {
    if (s->joined.cons.n)
        return ubi__v8_joined_text(&s->joined, node, buffer);
    return ubi_graph_string(s->graph, ubi__graph_node_name(s->graph, node));
}

/* ---- order ---------------------------------------------------------------------------------------------------------- */

typedef struct order {
    const ubi_strings *s;
    ubi_strings_key key;
} order;

static uint64_t value(const order *o, uint32_t index) {
    const ubi_string_group *g = &o->s->groups.at[index].seen;
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

static bool before(const order *o, uint32_t a, uint32_t b) {
    uint64_t x = value(o, a), y = value(o, b);
    return x != y ? x > y : o->s->groups.at[a].seen.first < o->s->groups.at[b].seen.first;
}

UBI_SORT_DEFINE(sort_groups, uint32_t, const order *, before);

ubi_status ubi_strings_sorted(uint32_t *out, uint32_t *n, const ubi_strings *s, ubi_strings_key key,
                              uint32_t least_count) {
    order o = { s, key };
    uint32_t found = 0;
    uint32_t *spare = ubi__alloc_array(s->allocator, s->groups.n + 1, sizeof *spare);
    if (!spare)
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < s->groups.n; i++)
        if (s->groups.at[i].seen.count >= least_count)
            out[found++] = i;
    sort_groups(out, spare, found, &o);
    ubi__free_array(s->allocator, spare, s->groups.n + 1, sizeof *spare);
    *n = found;
    return UBI_OK;
}
