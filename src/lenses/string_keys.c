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
#include "base/text.h"
#include "lenses/joined.h"
#include "lenses/producer.h"

/* Strings between two reports of progress, and per thread at least. */
#define REPORT (UINT32_C(1) << 16)
#define BATCH (UINT32_C(1) << 18)
#define GRAIN (UINT32_C(1) << 13)

/* Of texts of concatenations; longer ones are of this length here. */
#define MOST_BYTES sizeof(((ubi_look_name_buffer *)0)->bytes)

static bool choice_may_continue(const ubi__string_choice *choice, uint64_t done, uint64_t total) {
    return ubi__progress(choice->progress, "comparing strings", done, total);
}

/* ---- which strings -------------------------------------------------------------------------------------------------- */

/* Concatenations have a text only if the look has put it together. */
static ubi__string_part part_of(const ubi_look *look, const ubi__string_rules *rules, const ubi_kind *kind) {
    if (kind->coarse_type != UBI_COARSE_STRING)
        return UBI__STRING_NONE;
    ubi__string_part part = rules ? rules->part_of_kind(look->graph, kind) : UBI__STRING_TEXT;
    return part == UBI__STRING_ROPE && !look->joined ? UBI__STRING_TEXTLESS : part;
}

static ubi_status find_parts(ubi__string_keys *k) {
    const ubi_look *look = k->choice.look;
    const ubi__string_rules *rules = ubi__producer_of(look->graph)->strings;
    uint32_t n = ubi_graph_kind_count(look->graph);
    k->part_of_kind = ubi__alloc_array(k->choice.allocator, n ? n : 1, sizeof *k->part_of_kind);
    if (!k->part_of_kind)
        return ubi__fail_nomem();
    for (ubi_kind_ix kind = 0; kind < n; kind++)
        k->part_of_kind[kind] = (uint8_t)part_of(look, rules, ubi_graph_kind(look->graph, kind));
    return UBI_OK;
}

static inline uint64_t size_of(const ubi_look *look, ubi_node_ix node) {
    return look->view.size_bytes ? look->view.size_bytes[node] : look->graph->size_bytes.at[node];
}

static inline bool is_chosen(const ubi__string_choice *c, ubi_node_ix node) {
    const ubi_look *look = c->look;
    return size_of(look, node) > 0 && (!c->only || ubi__has_bit(c->only, node)) &&
           (!look->shown || ubi__has_bit(look->shown, node)) &&
           (look->view.orphans == UBI_ORPHANS_ADOPT || ubi__graph_reachable(look->graph, node));
}

/* ---- strings that were cut ------------------------------------------------------------------------------------------ */

static bool same_cut(const ubi__string_keys *k, uint32_t a, uint32_t b) {
    if (a == UBI_NONE || b == UBI_NONE)
        return a == b;
    return k->cuts.at[a].length == k->cuts.at[b].length && k->cuts.at[a].hash == k->cuts.at[b].hash;
}

/* ---- strings without an entry of their own -------------------------------------------------------------------------- */

/* @param cut  NULL: it was not cut. */
static ubi_status add_late(ubi__string_keys *k, ubi_node_ix node, uint32_t row, const ubi__string_cut *cut) {
    ubi__late_string late = { .node = node, .row = row, .cut = UBI_NONE, .entry = UBI_NONE };
    if (cut) {
        late.cut = (uint32_t)k->cuts.n;
        UBI_TRY(ubi__vec_string_cut_push(&k->cuts, k->choice.allocator, *cut));
    }
    return ubi__vec_late_string_push(&k->late, k->choice.allocator, late);
}

/* A concatenation with an empty half is the other half once more. */
static bool has_own_text(const ubi__string_keys *k, const ubi__rope *cons) {
    const ubi_graph *g = k->choice.look->graph;
    return !cons->is_flat && ubi__graph_node_name(g, cons->node) != UBI_NONE &&
           k->part_of_kind[g->kind.at[cons->node]] == UBI__STRING_ROPE;
}

static ubi_status find_joined(ubi__string_keys *k, const ubi__joined *joined) {
    for (uint32_t row = 0; row < joined->cons.n; row++)
        if (has_own_text(k, &joined->cons.at[row]) && is_chosen(&k->choice, joined->cons.at[row].node))
            UBI_TRY(add_late(k, joined->cons.at[row].node, row, NULL));
    return UBI_OK;
}

/* The same, and other strings that were cut. */
static ubi_status find_joined_and_cut(ubi__string_keys *k, const ubi__joined *joined, const ubi__string_rules *rules) {
    const ubi_graph *g = k->choice.look->graph;
    uint32_t row = 0;
    for (ubi_node_ix node = 0; node < g->n_nodes; node++) {
        if (ubi__unlikely(node % REPORT == 0) && !choice_may_continue(&k->choice, 0, g->n_nodes))
            return ubi__fail_cancelled();
        uint8_t part = k->part_of_kind[g->kind.at[node]];
        bool is_joined = row < joined->cons.n && joined->cons.at[row].node == node;
        const ubi__rope *cons = is_joined ? &joined->cons.at[row++] : NULL;
        if ((part != UBI__STRING_TEXT && part != UBI__STRING_ROPE) || !is_chosen(&k->choice, node))
            continue;
        ubi__string_cut cut;
        bool is_cut = rules->string_cut(&cut, g, node);
        if (cons ? has_own_text(k, cons) : is_cut && ubi__graph_node_name(g, node) != UBI_NONE)
            UBI_TRY(add_late(k, node, cons ? row - 1 : UBI_NONE, is_cut ? &cut : NULL));
    }
    return UBI_OK;
}

static ubi_text text_of(const ubi__string_keys *k, const ubi__late_string *late, ubi_look_name_buffer *buffer) {
    const ubi_look *look = k->choice.look;
    if (late->row != UBI_NONE)
        return ubi__joined_row_text(look->joined, late->row, buffer);
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
    ubi_look_name_buffer buffer;
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
    ubi_look_name_buffer mine, other;
    return found->hash == late->hash && same_cut(c->keys, found->cut, late->cut) &&
           ubi__text_equal(text_of(c->keys, found, &other), text_of(c->keys, late, &mine));
}
UBI_ROW_LOOKUP(late, const comparison *, const ubi__late_string *, says_the_same);

static ubi_status fill_table(comparison *c) {
    ubi__string_keys *k = c->keys;
    UBI_TRY(ubi__row_table_reserve(&c->table, k->choice.allocator, k->late.n));
    for (uint32_t i = 0; i < k->late.n; i++) {
        ubi__late_string *late = &k->late.at[i];
        if (ubi__unlikely(i % REPORT == 0) && !choice_may_continue(&k->choice, i, k->late.n))
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
static bool late_says(const comparison *c, uint32_t row, ubi_text text) {
    const ubi__late_string *late = &c->keys->late.at[row];
    ubi_look_name_buffer buffer;
    return late->cut == UBI_NONE && ubi__text_equal(text_of(c->keys, late, &buffer), text);
}
UBI_ROW_LOOKUP(uncut, const comparison *, ubi_text, late_says);

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
        if (!choice_may_continue(&c->keys->choice, c->start, n))
            return ubi__fail_cancelled();
        ubi__parallel_ranges(threads, rest < BATCH ? rest : BATCH, GRAIN, fn, c);
    }
    return UBI_OK;
}

/* Those equal to an entry have its key, others one after all entries. */
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
    UBI_TRY(find_parts(k));
    const ubi__string_rules *rules = ubi__producer_of(choice->look->graph)->strings;
    const ubi__joined *joined = choice->look->joined;
    if (joined && rules)
        UBI_TRY(rules->has_cut_strings && rules->has_cut_strings(choice->look) ? find_joined_and_cut(k, joined, rules)
                                                                               : find_joined(k, joined));
    UBI_TRY(compare_late(k));
    ubi__string_keys_check(k);
    return UBI_OK;
}

void ubi__string_keys_check(const ubi__string_keys *k) {
    const ubi__joined *joined = k->choice.look->joined;
    UBI_ASSERT(joined || k->late.n == 0);
    for (size_t i = 0; UBI_CHECKS && i < k->late.n; i++) {
        const ubi__late_string *late = &k->late.at[i];
        UBI_ASSERT(i == 0 || k->late.at[i - 1].node < late->node);
        UBI_ASSERT(late->key < k->n_keys);
        UBI_ASSERT(late->entry == UBI_NONE || late->key == late->entry);
        UBI_ASSERT(late->cut == UBI_NONE || late->cut < k->cuts.n);
        UBI_ASSERT(late->row == UBI_NONE || joined->cons.at[late->row].node == late->node);
    }
}

void ubi__string_keys_fini(ubi__string_keys *k) {
    const ubi_allocator *a = k->choice.allocator;
    uint32_t n = ubi_graph_kind_count(k->choice.look->graph);
    ubi__free_array(a, k->part_of_kind, n ? n : 1, sizeof *k->part_of_kind);
    ubi__vec_late_string_fini(&k->late, a);
    ubi__vec_string_cut_fini(&k->cuts, a);
}

/* *late: the place of the next late string. */
static ubi__string string_at(const ubi__string_keys *k, ubi_node_ix node, uint8_t part, size_t *late) {
    const ubi_graph *g = k->choice.look->graph;
    ubi__string s = { node, UBI_NONE, UBI_NONE, part == UBI__STRING_SLICE, false, size_of(k->choice.look, node) };
    if (*late < k->late.n && k->late.at[*late].node == node) {
        s.late = (uint32_t)*late;
        s.key = k->late.at[*late].key;
        s.is_truncated = k->late.at[(*late)++].cut != UBI_NONE;
    } else if (part == UBI__STRING_TEXT) {
        s.key = ubi__strtab_canonical(&g->strings, ubi__graph_node_name(g, node));
    }
    return s;
}

ubi_status ubi__strings_each(const ubi__string_keys *k, ubi__string_fn fn, void *payload) {
    const ubi_graph *g = k->choice.look->graph;
    size_t late = 0;
    for (ubi_node_ix node = 0; node < g->n_nodes; node++) {
        if (ubi__unlikely(node % REPORT == 0) && !choice_may_continue(&k->choice, node, g->n_nodes))
            return ubi__fail_cancelled();
        uint8_t part = k->part_of_kind[g->kind.at[node]];
        if (part == UBI__STRING_NONE || !is_chosen(&k->choice, node))
            continue;
        ubi__string s = string_at(k, node, part, &late);
        UBI_TRY(fn(payload, &s));
    }
    return UBI_OK;
}

uint32_t ubi__string_length(const ubi__string_keys *k, const ubi__string *string) {
    const ubi_look *look = k->choice.look;
    ubi_look_name_buffer buffer;
    if (string->late == UBI_NONE)
        return ubi__utf16_units(ubi_graph_string(look->graph, ubi__graph_node_name(look->graph, string->node)),
                                UINT32_MAX / 3);
    const ubi__late_string *late = &k->late.at[string->late];
    uint32_t units = late->row == UBI_NONE ? UBI_STRINGS_JOINED_UNITS : look->joined->cons.at[late->row].units;
    if (units < UBI_STRINGS_JOINED_UNITS)
        return units;
    return ubi__utf16_units(text_of(k, late, &buffer), UINT32_MAX / 3);
}
