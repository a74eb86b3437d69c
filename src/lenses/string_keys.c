/* SPDX-License-Identifier: MIT
 *
 * string_keys.c: see string_keys.h.
 *
 * Strings without an entry of their own ("late" ones) go into a table by hash, equal ones to the first of them. Then entries
 * are looked up there, but only those as long as some late text, most often few.
 */
#include "lenses/string_keys.h"

#include "base/bits.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "base/table.h"
#include "lenses/v8/v8_look.h"

/* What nodes of a kind are. */
enum { NO_STRING, TEXT, JOINED, SLICE, TEXTLESS };

/* Strings between two reports of progress, and per thread at least. */
#define REPORT (UINT32_C(1) << 16)
#define BATCH (UINT32_C(1) << 20)
#define GRAIN (UINT32_C(1) << 13)

/* Of texts of concatenations; longer ones are of this length here. */
#define MOST_BYTES sizeof(((ubi_lens_name_buffer *)0)->bytes)

static bool go_on(const ubi__string_choice *choice, uint64_t done, uint64_t total) {
    return ubi__progress(choice->progress, "comparing strings", done, total);
}

/* ---- which strings -------------------------------------------------------------------------------------------------- */

/* Only V8's look can join concatenations. Its types are told apart in graphs of V8 only. */
static uint8_t role_of(const ubi_kind *kind, bool is_v8, bool joins) {
    if (kind->coarse_type != UBI_COARSE_STRING)
        return NO_STRING;
    if (!is_v8 || kind->raw_type == UBI__V8_STRING)
        return TEXT;
    if (kind->raw_type == UBI__V8_CONS_STRING)
        return joins ? JOINED : TEXTLESS;
    return kind->raw_type == UBI__V8_SLICED_STRING ? SLICE : TEXTLESS;
}

static bool joins_strings(const ubi_lens_view *look) {
    return look->lens == &ubi__lens_v8 && ubi__v8_facts_of(look->graph);
}

static ubi_status find_roles(ubi__string_keys *k) {
    const ubi_graph *g = k->choice.look->graph;
    uint32_t n = ubi_graph_kind_count(g);
    bool is_v8 = ubi__v8_facts_of(g) != NULL, joins = joins_strings(k->choice.look);
    k->role_of_kind = ubi__alloc_array(k->choice.allocator, n ? n : 1, sizeof *k->role_of_kind);
    if (!k->role_of_kind)
        return ubi__fail_nomem();
    for (ubi_kind_ix kind = 0; kind < n; kind++)
        k->role_of_kind[kind] = role_of(ubi_graph_kind(g, kind), is_v8, joins);
    return UBI_OK;
}

static inline uint64_t size_of(const ubi_lens_view *look, ubi_node_ix node) {
    return look->view.size_bytes ? look->view.size_bytes[node] : look->graph->size_bytes.at[node];
}

static inline bool is_chosen(const ubi__string_choice *c, ubi_node_ix node) {
    const ubi_lens_view *look = c->look;
    return size_of(look, node) > 0 && (!c->only || ubi__has_bit(c->only, node)) &&
           (!look->shown || ubi__has_bit(look->shown, node)) &&
           (look->view.orphans == UBI_ORPHANS_ADOPT || ubi__graph_reachable(look->graph, node));
}

/* ---- strings that were cut ------------------------------------------------------------------------------------------ */

/* Target of the first internal edge of that name, or UBI_NONE. */
static ubi_node_ix field(const ubi_graph *g, ubi_node_ix node, const char *name) {
    for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++)
        if (ubi__graph_edge_kind(g, e) == UBI_EDGE_INTERNAL && ubi__text_is(ubi_graph_string(g, g->name.at[e]), name))
            return g->target.at[e];
    return UBI_NONE;
}

/* What a number or a truth value says: the name of the string that its field `value` leads to. */
static ubi_str_ix said_by(const ubi_graph *g, ubi_node_ix number) {
    ubi_node_ix value = number == UBI_NONE ? UBI_NONE : field(g, number, "value");
    return value == UBI_NONE ? UBI_NONE : ubi_graph_canonical_string(g, ubi__graph_node_name(g, value));
}

static bool was_cut(const ubi_graph *g, ubi_node_ix node, ubi_str_ix truncated_word) {
    ubi_edge_ix e = g->first_edge.at[node], end = g->first_edge.at[node + 1];
    while (e < end &&
           (ubi__graph_edge_kind(g, e) != UBI_EDGE_INTERNAL || !ubi__v8_is_word(g, g->name.at[e], truncated_word)))
        e++;
    ubi_str_ix said = e < end ? said_by(g, g->target.at[e]) : UBI_NONE;
    return said != UBI_NONE && ubi__text_is(ubi_graph_string(g, said), "true");
}

static ubi_status add_cut(uint32_t *out, ubi__string_keys *k, ubi_node_ix node) {
    const ubi_graph *g = k->choice.look->graph;
    ubi__string_cut cut = { said_by(g, field(g, node, "length")), said_by(g, field(g, node, "hash")) };
    *out = (uint32_t)k->cuts.n;
    return ubi__vec_string_cut_push(&k->cuts, k->choice.allocator, cut);
}

static bool same_cut(const ubi__string_keys *k, uint32_t a, uint32_t b) {
    if (a == UBI_NONE || b == UBI_NONE)
        return a == b;
    return k->cuts.at[a].length == k->cuts.at[b].length && k->cuts.at[a].hash == k->cuts.at[b].hash;
}

/* ---- strings without an entry of their own -------------------------------------------------------------------------- */

static ubi_status add_late(ubi__string_keys *k, ubi_node_ix node, uint32_t row, bool is_cut) {
    ubi__late_string late = { .node = node, .row = row, .cut = UBI_NONE, .entry = UBI_NONE };
    if (is_cut)
        UBI_TRY(add_cut(&late.cut, k, node));
    return ubi__vec_late_string_push(&k->late, k->choice.allocator, late);
}

/* A concatenation with an empty half is the other half once more. */
static bool has_own_text(const ubi__string_keys *k, const ubi__v8_cons *cons) {
    const ubi_graph *g = k->choice.look->graph;
    return !cons->flat && ubi__graph_node_name(g, cons->node) != UBI_NONE &&
           k->role_of_kind[g->kind.at[cons->node]] == JOINED;
}

static ubi_status find_joined(ubi__string_keys *k, const ubi__v8_joined *joined) {
    for (uint32_t row = 0; row < joined->cons.n; row++)
        if (has_own_text(k, &joined->cons.at[row]) && is_chosen(&k->choice, joined->cons.at[row].node))
            UBI_TRY(add_late(k, joined->cons.at[row].node, row, false));
    return UBI_OK;
}

/* The same, and other strings that were cut. */
static ubi_status find_joined_and_cut(ubi__string_keys *k, const ubi__v8_joined *joined, ubi_str_ix truncated_word) {
    const ubi_graph *g = k->choice.look->graph;
    uint32_t row = 0;
    for (ubi_node_ix node = 0; node < g->n_nodes; node++) {
        if (ubi__unlikely(node % REPORT == 0) && !go_on(&k->choice, 0, g->n_nodes))
            return ubi__fail_cancelled();
        uint8_t role = k->role_of_kind[g->kind.at[node]];
        bool is_joined = row < joined->cons.n && joined->cons.at[row].node == node;
        const ubi__v8_cons *cons = is_joined ? &joined->cons.at[row++] : NULL;
        if ((role != TEXT && role != JOINED) || !is_chosen(&k->choice, node))
            continue;
        bool is_cut = was_cut(g, node, truncated_word);
        if (cons ? has_own_text(k, cons) : is_cut && ubi__graph_node_name(g, node) != UBI_NONE)
            UBI_TRY(add_late(k, node, cons ? row - 1 : UBI_NONE, is_cut));
    }
    return UBI_OK;
}

static ubi_text text_of(const ubi__string_keys *k, const ubi__late_string *late, ubi_lens_name_buffer *buffer) {
    const ubi_lens_view *look = k->choice.look;
    if (late->row != UBI_NONE)
        return ubi__v8_joined_row_text(&ubi__v8_look_of(look)->joined, late->row, buffer);
    return ubi_graph_string(look->graph, ubi__graph_node_name(look->graph, late->node));
}

/* ---- comparing them ------------------------------------------------------------------------------------------------- */

typedef struct comparison {
    ubi__string_keys *keys;
    ubi__row_table table;                  /* of those that say something first */
    uint64_t lengths[MOST_BYTES / 64 + 1]; /* bits: lengths in bytes that texts have which were not cut */
    uint64_t start;                        /* of the batch */
} comparison;

static size_t length_bit(ubi_text text) {
    return text.len < MOST_BYTES ? text.len : MOST_BYTES;
}

static void hash_range(void *payload, uint64_t begin, uint64_t end, unsigned part) {
    const comparison *c = payload;
    ubi_lens_name_buffer buffer;
    (void)part;
    for (uint64_t i = c->start + begin; i < c->start + end; i++) {
        ubi__late_string *late = &c->keys->late.at[i];
        ubi_text text = text_of(c->keys, late, &buffer);
        late->hash = ubi__hash_bytes(text.ptr, text.len);
        late->key = (uint32_t)length_bit(text); /* until the table is made */
    }
}

static bool says_the_same(const comparison *c, uint32_t row, const ubi__late_string *late) {
    const ubi__late_string *found = &c->keys->late.at[row];
    ubi_lens_name_buffer mine, other;
    return found->hash == late->hash && same_cut(c->keys, found->cut, late->cut) &&
           ubi__text_equal(text_of(c->keys, found, &other), text_of(c->keys, late, &mine));
}
UBI_ROW_LOOKUP(late, const comparison *, const ubi__late_string *, says_the_same);

static ubi_status fill_table(comparison *c) {
    ubi__string_keys *k = c->keys;
    UBI_TRY(ubi__row_table_reserve(&c->table, k->choice.allocator, k->late.n));
    for (uint32_t i = 0; i < k->late.n; i++) {
        ubi__late_string *late = &k->late.at[i];
        if (ubi__unlikely(i % REPORT == 0) && !go_on(&k->choice, i, k->late.n))
            return ubi__fail_cancelled();
        if (late->cut == UBI_NONE)
            c->lengths[late->key / 64] |= UINT64_C(1) << (late->key % 64);
        else
            late->hash = ubi__hash_combine(late->hash,
                                           (uint64_t)k->cuts.at[late->cut].length << 32 | k->cuts.at[late->cut].hash);
        ubi__row_slot *slot = late_place(&c->table, c, late, late->hash);
        if (!ubi__row_is_used(slot))
            ubi__row_table_fill(&c->table, slot, late->hash, i);
        late->key = slot->row;
    }
    return UBI_OK;
}

/* Whether a late string that was not cut says this. */
static bool says(const comparison *c, uint32_t row, ubi_text text) {
    const ubi__late_string *late = &c->keys->late.at[row];
    ubi_lens_name_buffer buffer;
    return late->cut == UBI_NONE && ubi__text_equal(text_of(c->keys, late, &buffer), text);
}
UBI_ROW_LOOKUP(uncut, const comparison *, ubi_text, says);

/* No two canonical entries have the same text, so no late string is written to twice. */
static void match_entry(const comparison *c, ubi_str_ix entry, ubi_text text) {
    uint32_t row = uncut_find(&c->table, c, text, ubi__hash_bytes(text.ptr, text.len));
    if (row != UBI_NONE)
        c->keys->late.at[row].entry = entry;
}

static void match_range(void *payload, uint64_t begin, uint64_t end, unsigned part) {
    const comparison *c = payload;
    const ubi__strtab *strings = &c->keys->choice.look->graph->strings;
    (void)part;
    for (uint64_t i = c->start + begin; i < c->start + end; i++) {
        ubi_text text = ubi__strtab_get(strings, (ubi_str_ix)i);
        if (ubi__has_bit(c->lengths, length_bit(text)) && ubi__strtab_canonical(strings, (ubi_str_ix)i) == i)
            match_entry(c, (ubi_str_ix)i, text);
    }
}

/* In batches, so that it can be cancelled. */
static ubi_status in_parallel(comparison *c, uint64_t n, ubi__range_fn fn) {
    unsigned threads = ubi__thread_count(c->keys->choice.threads);
    for (c->start = 0; c->start < n; c->start += BATCH) {
        uint64_t rest = n - c->start;
        if (!go_on(&c->keys->choice, c->start, n))
            return ubi__fail_cancelled();
        ubi__parallel_ranges(threads, rest < BATCH ? rest : BATCH, GRAIN, fn, c);
    }
    return UBI_OK;
}

/* Those that say what an entry says have its key, others one behind all entries. */
static void number_late(ubi__string_keys *k, uint32_t n_entries) {
    for (uint32_t i = 0; i < k->late.n; i++) {
        ubi__late_string *late = &k->late.at[i];
        if (late->key != i)
            late->key = k->late.at[late->key].key;
        else
            late->key = late->entry != UBI_NONE ? late->entry : n_entries + i;
    }
    k->n_keys = n_entries + (uint32_t)k->late.n;
}

static ubi_status compare_late(ubi__string_keys *k) {
    comparison c = { .keys = k };
    uint32_t n_entries = ubi__strtab_count(&k->choice.look->graph->strings);
    ubi_status status = UBI_OK;
    if (n_entries + (uint64_t)k->late.n >= UBI_NONE)
        return ubi__fail(UBI_ELIMIT, "more than 2^32-2 strings");
    if (k->late.n) {
        status = in_parallel(&c, k->late.n, hash_range);
        if (status == UBI_OK)
            status = fill_table(&c);
        if (status == UBI_OK)
            status = in_parallel(&c, n_entries, match_range);
        ubi__row_table_fini(&c.table, k->choice.allocator);
    }
    if (status == UBI_OK)
        number_late(k, n_entries);
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------------------------------ */

ubi_status ubi__string_keys_init(ubi__string_keys *k, const ubi__string_choice *choice) {
    *k = (ubi__string_keys){ .choice = *choice };
    UBI_TRY(find_roles(k));
    if (joins_strings(choice->look)) {
        const ubi__v8_look *own = ubi__v8_look_of(choice->look);
        UBI_TRY(own->words.truncated == UBI_NONE ? find_joined(k, &own->joined)
                                                 : find_joined_and_cut(k, &own->joined, own->words.truncated));
    }
    return compare_late(k);
}

void ubi__string_keys_fini(ubi__string_keys *k) {
    const ubi_allocator *a = k->choice.allocator;
    uint32_t n = ubi_graph_kind_count(k->choice.look->graph);
    ubi__free_array(a, k->role_of_kind, n ? n : 1, sizeof *k->role_of_kind);
    ubi__vec_late_string_fini(&k->late, a);
    ubi__vec_string_cut_fini(&k->cuts, a);
}

/* *late: the place of the next late string. */
static ubi__string string_at(const ubi__string_keys *k, ubi_node_ix node, uint8_t role, size_t *late) {
    const ubi_graph *g = k->choice.look->graph;
    ubi__string s = { node, UBI_NONE, UBI_NONE, role == SLICE, false, size_of(k->choice.look, node) };
    if (*late < k->late.n && k->late.at[*late].node == node) {
        s.late = (uint32_t)*late;
        s.key = k->late.at[*late].key;
        s.truncated = k->late.at[(*late)++].cut != UBI_NONE;
    } else if (role == TEXT) {
        s.key = ubi__strtab_canonical(&g->strings, ubi__graph_node_name(g, node));
    }
    return s;
}

ubi_status ubi__strings_each(const ubi__string_keys *k, ubi__string_fn fn, void *payload) {
    const ubi_graph *g = k->choice.look->graph;
    size_t late = 0;
    for (ubi_node_ix node = 0; node < g->n_nodes; node++) {
        if (ubi__unlikely(node % REPORT == 0) && !go_on(&k->choice, node, g->n_nodes))
            return ubi__fail_cancelled();
        uint8_t role = k->role_of_kind[g->kind.at[node]];
        if (role == NO_STRING || !is_chosen(&k->choice, node))
            continue;
        ubi__string s = string_at(k, node, role, &late);
        UBI_TRY(fn(payload, &s));
    }
    return UBI_OK;
}

uint32_t ubi__string_length(const ubi__string_keys *k, const ubi__string *string) {
    const ubi_lens_view *look = k->choice.look;
    ubi_lens_name_buffer buffer;
    if (string->late == UBI_NONE)
        return ubi__utf16_units(ubi_graph_string(look->graph, ubi__graph_node_name(look->graph, string->node)),
                                UINT32_MAX / 3);
    const ubi__late_string *late = &k->late.at[string->late];
    uint32_t units =
        late->row == UBI_NONE ? UBI_STRINGS_JOINED_UNITS : ubi__v8_look_of(look)->joined.cons.at[late->row].units;
    if (units < UBI_STRINGS_JOINED_UNITS)
        return units;
    return ubi__utf16_units(text_of(k, late, &buffer), UINT32_MAX / 3);
}
