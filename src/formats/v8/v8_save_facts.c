/* SPDX-License-Identifier: MIT
 *
 * v8_save_facts.c: samples, locations and scopes of a .heapsnapshot file.
 */
#include "formats/v8/v8_save.h"

static ubi_status write_samples(ubi__v8_save *s) {
    UBI_TRY(ubi__v8_save_section(s, "samples"));
    for (size_t i = 0; s->facts && i < s->facts->samples.n; i++) {
        const ubi__v8_sample *sample = &s->facts->samples.at[i];
        UBI_TRY(ubi__v8_save_record(s, i == 0, (uint64_t[]){ sample->time_us, sample->last_id }, 2));
    }
    return ubi__v8_out_text(&s->out, "]");
}

static ubi_status write_location(ubi__v8_save *s, const ubi__v8_location *location, bool first) {
    uint64_t fields[5] = { ubi__v8_save_position(s, location->node), location->script_id };
    size_t n = 2;
    if (s->has_script_nodes)
        fields[n++] = ubi__v8_save_position(s, location->script == UBI_NONE ? s->graph->root : location->script);
    fields[n++] = location->line;
    fields[n++] = location->column;
    return ubi__v8_save_record(s, first, fields, n);
}

static ubi_status write_locations(ubi__v8_save *s) {
    UBI_TRY(ubi__v8_save_section(s, "locations"));
    for (size_t i = 0; s->facts && i < s->facts->locations.n; i++)
        UBI_TRY(write_location(s, &s->facts->locations.at[i], i == 0));
    return ubi__v8_out_text(&s->out, "]");
}

/* ---- scopes ------------------------------------------------------------------------------------------------------ */

/* Ids of scopes may be negative. */
static void put_signed(ubi__v8_save *s, int64_t value) {
    if (value < 0)
        ubi__v8_out_char(&s->out, '-');
    ubi__v8_out_number(&s->out, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

static ubi_status write_scope(ubi__v8_save *s, const ubi__v8_scope *scope, bool first) {
    const uint64_t start[1] = { ubi__v8_save_position(s, scope->script) };
    const uint64_t end[3] = { scope->depth, scope->n_variables, scope->n_uses };
    UBI_TRY(ubi__v8_save_record(s, first, start, 1));
    UBI_TRY(ubi__v8_out_reserve(&s->out, UBI__V8_RECORD_BYTES));
    ubi__v8_out_char(&s->out, ',');
    put_signed(s, scope->scope_id);
    return ubi__v8_save_record(s, false, end, 3);
}

/* The tables of variables and uses are in the order of the scopes, each of which has a range of its own. */
static ubi_status write_variables(ubi__v8_save *s) {
    const ubi__v8_facts *facts = s->facts;
    bool first = true;
    for (size_t i = 0; i < facts->scopes.n; i++)
        for (uint32_t v = 0; v < facts->scopes.at[i].n_variables; v++, first = false) {
            uint32_t name;
            ubi_str_ix entry = facts->scope_variables.at[facts->scopes.at[i].first_variable + v];
            UBI_TRY(ubi__v8_save_string(s, &name, UBI_TEXT_EDGE_NAME, entry));
            UBI_TRY(ubi__v8_save_record(s, first, (uint64_t[]){ name }, 1));
        }
    return UBI_OK;
}

static ubi_status write_uses(ubi__v8_save *s) {
    const ubi__v8_facts *facts = s->facts;
    bool first = true;
    for (size_t i = 0; i < facts->scopes.n; i++)
        for (uint32_t u = 0; u < facts->scopes.at[i].n_uses; u++, first = false) {
            const ubi__v8_scope_use *use = &facts->scope_uses.at[facts->scopes.at[i].first_use + u];
            UBI_TRY(ubi__v8_out_reserve(&s->out, UBI__V8_RECORD_BYTES));
            if (!first)
                ubi__v8_out_char(&s->out, ',');
            put_signed(s, use->scope_id);
            UBI_TRY(ubi__v8_save_record(s, false, (uint64_t[]){ use->slot }, 1));
        }
    return UBI_OK;
}

static ubi_status write_scopes(ubi__v8_save *s) {
    UBI_TRY(ubi__v8_save_section(s, "scopes"));
    for (size_t i = 0; i < s->facts->scopes.n; i++)
        UBI_TRY(write_scope(s, &s->facts->scopes.at[i], i == 0));
    UBI_TRY(ubi__v8_out_text(&s->out, "]"));
    UBI_TRY(ubi__v8_save_section(s, "scope_context_vars"));
    UBI_TRY(write_variables(s));
    UBI_TRY(ubi__v8_out_text(&s->out, "]"));
    UBI_TRY(ubi__v8_save_section(s, "scope_uses"));
    UBI_TRY(write_uses(s));
    return ubi__v8_out_text(&s->out, "]");
}

ubi_status ubi__v8_save_write_facts(ubi__v8_save *s) {
    UBI_TRY(write_samples(s));
    UBI_TRY(write_locations(s));
    return s->facts && s->facts->scopes.n ? write_scopes(s) : UBI_OK;
}
