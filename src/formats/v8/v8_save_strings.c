/* SPDX-License-Identifier: MIT
 *
 * v8_save_strings.c: the string table of the file.
 *
 * Strings are written last but their numbers are needed first. Where texts stay as they are and nothing must be made up, the
 * entries that are used keep their order: one pass over nodes and edges marks them, and their ranks are the numbers. Else
 * texts are interned as they are asked for, for each role apart, since map_text may answer differently.
 */
#include <string.h>

#include "base/assert.h"
#include "base/text.h"
#include "formats/v8/v8_save.h"

#define STRINGS_PER_PROGRESS 65536 /* power of two */

static uint32_t entry_count(const ubi__v8_save *s) {
    return ubi__strtab_count(&s->graph->strings);
}

static ubi_status new_numbers(ubi__v8_save *s, int role) {
    size_t n = (size_t)entry_count(s) + 1; /* never empty */
    s->numbers[role] = ubi__alloc_array(s->allocator, n, sizeof **s->numbers);
    if (!s->numbers[role])
        return ubi__fail_nomem();
    memset(s->numbers[role], 0xff, n * sizeof **s->numbers);
    return UBI_OK;
}

/* ---- numbers by rank --------------------------------------------------------------------------------------------- */

/* Each marks what it uses with a 0, and says whether nothing but entries is needed. */

static bool mark_nodes(uint32_t *used, const ubi_graph *g) {
    bool complete = g->node_name.n == g->n_nodes;
    for (size_t n = 0; complete && n < g->n_nodes; n++) {
        ubi_str_ix name = g->node_name.at[n];
        complete = name != UBI_NONE;
        if (complete)
            used[name] = 0;
    }
    return complete;
}

static bool mark_edges(uint32_t *used, const ubi_graph *g) {
    bool complete = true;
    for (ubi_edge_ix e = 0; complete && e < g->n_edges; e++) {
        if (ubi__edge_kind_is_numbered(ubi__graph_edge_kind(g, e)))
            continue;
        complete = g->name.at[e] != UBI_NONE;
        if (complete)
            used[g->name.at[e]] = 0;
    }
    return complete;
}

static void mark_facts(uint32_t *used, const ubi__v8_facts *facts) {
    for (size_t i = 0; i < facts->functions.n; i++) {
        used[facts->functions.at[i].name] = 0;
        used[facts->functions.at[i].script_name] = 0;
    }
    for (size_t i = 0; facts->scopes.n && i < facts->scope_variables.n; i++)
        used[facts->scope_variables.at[i]] = 0;
}

static bool facts_are_complete(const ubi__v8_facts *facts) {
    bool complete = true;
    for (size_t i = 0; complete && i < facts->functions.n; i++)
        complete = facts->functions.at[i].name != UBI_NONE && facts->functions.at[i].script_name != UBI_NONE;
    for (size_t i = 0; complete && i < facts->scope_variables.n; i++)
        complete = facts->scope_variables.at[i] != UBI_NONE;
    return complete;
}

static void number_by_rank(ubi__v8_save *s, uint32_t *used) {
    s->n_strings = 1; /* the dummy */
    for (uint32_t i = 0; i < entry_count(s); i++)
        if (used[i] == 0)
            used[i] = s->n_strings++;
}

ubi_status ubi__v8_save_number_strings(ubi__v8_save *s) {
    const ubi_graph *g = s->graph;
    uint32_t dummy;
    if (!s->options->map_text && s->facts && facts_are_complete(s->facts)) {
        UBI_TRY(new_numbers(s, 0));
        s->keeps_entries = mark_nodes(s->numbers[0], g) && mark_edges(s->numbers[0], g);
        if (s->keeps_entries) {
            mark_facts(s->numbers[0], s->facts);
            number_by_rank(s, s->numbers[0]);
            return UBI_OK;
        }
        ubi__v8_save_free_strings(s);
    }
    return ubi__v8_save_own_string(s, &dummy, ubi__text(UBI__V8_DUMMY_STRING));
}

/* ---- numbers as they come ---------------------------------------------------------------------------------------- */

ubi_status ubi__v8_save_map(const ubi__v8_save *s, ubi_text *out, ubi_text_role role, ubi_text text) {
    if (s->options->map_text)
        return s->options->map_text(s->options->map_text_payload, role, text, out);
    *out = text;
    return UBI_OK;
}

ubi_status ubi__v8_save_own_string(ubi__v8_save *s, uint32_t *out, ubi_text text) {
    return ubi__strtab_intern(&s->texts, out, text);
}

static ubi_status map_and_intern(ubi__v8_save *s, uint32_t *out, ubi_text_role role, ubi_str_ix entry) {
    ubi_text text = { "", 0 };
    if (entry != UBI_NONE)
        UBI_TRY(ubi__v8_save_map(s, &text, role, ubi__strtab_get(&s->graph->strings, entry)));
    return ubi__v8_save_own_string(s, out, text);
}

ubi_status ubi__v8_save_string(ubi__v8_save *s, uint32_t *out, ubi_text_role role, ubi_str_ix entry) {
    if (s->keeps_entries) {
        *out = s->numbers[0][UBI_INDEX(entry, entry_count(s))];
        UBI_ASSERT(*out >= 1 && *out < s->n_strings); /* it was marked */
        return UBI_OK;
    }
    if (entry == UBI_NONE)
        return map_and_intern(s, out, role, entry);
    if (!s->numbers[role])
        UBI_TRY(new_numbers(s, role));
    uint32_t *number = &s->numbers[role][entry];
    if (*number == UBI_NONE)
        UBI_TRY(map_and_intern(s, number, role, entry));
    *out = *number;
    return UBI_OK;
}

/* ---- the section ------------------------------------------------------------------------------------------------- */

uint32_t ubi__v8_save_string_count(const ubi__v8_save *s) {
    return s->keeps_entries ? s->n_strings : ubi__strtab_count(&s->texts);
}

static ubi_status write_string(ubi__v8_save *s, uint32_t i, ubi_text text) {
    if (i % STRINGS_PER_PROGRESS == 0 &&
        !ubi__progress(&s->options->progress, "writing", s->graph->n_nodes, s->graph->n_nodes))
        return ubi__fail_cancelled();
    if (i > 0)
        UBI_TRY(ubi__v8_out_text(&s->out, ","));
    return ubi__v8_out_string(&s->out, text);
}

ubi_status ubi__v8_save_write_strings(ubi__v8_save *s) {
    const ubi__strtab *texts = s->keeps_entries ? &s->graph->strings : &s->texts;
    UBI_TRY(ubi__v8_save_section(s, "strings"));
    if (s->keeps_entries)
        UBI_TRY(write_string(s, 0, ubi__text(UBI__V8_DUMMY_STRING)));
    for (uint32_t i = 0; i < ubi__strtab_count(texts); i++)
        if (!s->keeps_entries || s->numbers[0][i] != UBI_NONE)
            UBI_TRY(write_string(s, s->keeps_entries ? s->numbers[0][i] : i, ubi__strtab_get(texts, i)));
    return ubi__v8_out_text(&s->out, "]");
}

void ubi__v8_save_free_strings(ubi__v8_save *s) {
    for (int role = 0; role < UBI_TEXT_ROLE_COUNT; role++) {
        ubi__free_array(s->allocator, s->numbers[role], (size_t)entry_count(s) + 1, sizeof **s->numbers);
        s->numbers[role] = NULL;
    }
    ubi__vec_u8_fini(&s->scratch, s->allocator);
    ubi__strtab_fini(&s->texts);
}
