/* SPDX-License-Identifier: MIT
 *
 * v8_files.c: where code is: locations of nodes, and the files that they name.
 *
 * A location has only the number of a script. The script's name is that of its node, which the location names (Chromium 156) or
 * to which a closure leads: `shared`, then `script` or `script_or_debug_info`. It is looked up once per script, and holds for
 * all locations in it.
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/hash.h"
#include "base/text.h"
#include "formats/v8/v8_reader.h"

/* ---- order ------------------------------------------------------------------------------------------------------------- */

/* last[node]: its last location, or UBI_NONE. */
static ubi_status note_last(const ubi__v8_reader *r, uint32_t *last, uint32_t *n_different) {
    const ubi__vec_v8_location *rows = &r->facts->locations;
    *n_different = 0;
    for (size_t i = 0; i < rows->n; i++) {
        *n_different += last[rows->at[i].node] == UBI_NONE;
        last[rows->at[i].node] = (uint32_t)i;
    }
    return UBI_OK;
}

static ubi_status sort_with(ubi__v8_reader *r, uint32_t *last) {
    ubi__vec_v8_location *rows = &r->facts->locations, sorted = { NULL, 0, 0 };
    uint32_t n_different;
    UBI_TRY(note_last(r, last, &n_different));
    UBI_TRY(UBI__SCAN_GROW(&sorted, n_different, n_different, r->allocator));
    for (size_t n = 0; n < r->graph->id.n; n++)
        if (last[n] != UBI_NONE)
            sorted.at[sorted.n++] = rows->at[last[n]];
    UBI_ASSERT(sorted.n == n_different);
    ubi__vec_v8_location_fini(rows, r->allocator);
    *rows = sorted;
    return UBI_OK;
}

ubi_status ubi__v8_sort_locations(ubi__v8_reader *r) {
    const ubi__vec_v8_location *rows = &r->facts->locations;
    size_t n_nodes = r->graph->id.n;
    bool sorted = true;
    for (size_t i = 1; i < rows->n && sorted; i++)
        sorted = rows->at[i - 1].node < rows->at[i].node;
    if (sorted)
        return UBI_OK;
    uint32_t *last = ubi__alloc_array(r->allocator, n_nodes, sizeof *last);
    if (!last)
        return ubi__fail_nomem();
    memset(last, 0xff, n_nodes * sizeof *last);
    ubi_status status = sort_with(r, last);
    ubi__free_array(r->allocator, last, n_nodes, sizeof *last);
    return status;
}

/* ---- scripts ----------------------------------------------------------------------------------------------------------- */

typedef struct script {
    uint32_t id;
    ubi_str_ix file; /* UBI_NONE: not found yet */
    uint32_t last_kind, last_result;
} script;

UBI_VEC_DECLARE(vec_script, script);

struct ubi__v8_scripts {
    ubi__v8_reader *r;
    ubi_graph *g;
    vec_script rows;
    ubi__row_table table; /* over rows, by id */
    uint64_t edges_left;  /* that may be looked at, so that no graph makes this slow */
};

typedef struct ubi__v8_scripts scripts;

static bool is_script(const scripts *s, uint32_t row, uint32_t id) {
    return s->rows.at[row].id == id;
}
UBI_ROW_LOOKUP(script, const scripts *, uint32_t, is_script);

/* The script's row, made if new. Most locations are in the script of the one before. */
static ubi_status script_of(scripts *s, uint32_t id, uint32_t *row) {
    if (*row < s->rows.n && s->rows.at[*row].id == id)
        return UBI_OK;
    uint64_t hash = ubi__hash_u64(id);
    UBI_TRY(ubi__row_table_reserve(&s->table, s->r->allocator, 1));
    ubi__row_slot *slot = script_place(&s->table, s, id, hash);
    if (!ubi__row_is_used(slot)) {
        UBI_TRY(vec_script_push(&s->rows, s->r->allocator, (script){ id, UBI_NONE, UBI_NONE, UBI_NONE }));
        ubi__row_table_fill(&s->table, slot, hash, (uint32_t)(s->rows.n - 1));
    }
    *row = slot->row;
    UBI_ASSERT(s->rows.at[*row].id == id);
    return UBI_OK;
}

static ubi_text name_of(const ubi_graph *g, ubi_node_ix node) {
    return ubi__strtab_get(&g->strings, g->node_name.at[node]);
}

/* Where the first internal edge of this name leads, or UBI_NONE. */
static ubi_node_ix follow_edge(scripts *s, ubi_node_ix node, const char *name, const char *other) {
    const ubi_graph *g = s->g;
    uint64_t end = g->first_edge.at[node + 1];
    for (uint64_t e = g->first_edge.at[node]; e < end && s->edges_left; e++, s->edges_left--) {
        if (g->edge_kind.at[e] != UBI_EDGE_INTERNAL)
            continue;
        ubi_text text = ubi__strtab_get(&g->strings, g->name.at[e]);
        if (ubi__text_is(text, name) || ubi__text_is(text, other))
            return g->target.at[e];
    }
    return UBI_NONE;
}

static ubi__v8_type type_of(const ubi_graph *g, ubi_node_ix node) {
    return (ubi__v8_type)g->kinds.rows.at[g->kind.at[node]].raw_type;
}

static ubi_node_ix script_node(scripts *s, const ubi__v8_location *l) {
    if (l->script != UBI_NONE)
        return l->script;
    if (type_of(s->g, l->node) != UBI__V8_CLOSURE)
        return UBI_NONE;
    ubi_node_ix shared = follow_edge(s, l->node, "shared", "shared");
    return shared == UBI_NONE ? UBI_NONE : follow_edge(s, shared, "script", "script_or_debug_info");
}

/* Names of scripts: the file's alone (Node) or after a prefix (Chromium); bare or empty it says nothing. */
static ubi_status file_of_node(scripts *s, ubi_node_ix node, ubi_str_ix *file) {
    static const char prefix[] = "system / Script";
    const size_t n = sizeof prefix - 1;
    ubi_text name = name_of(s->g, node);
    if (name.len < n || memcmp(name.ptr, prefix, n) != 0) {
        *file = name.len ? s->g->node_name.at[node] : UBI_NONE;
        return UBI_OK;
    }
    if (name.len <= n + 3 || memcmp(name.ptr + n, " / ", 3) != 0)
        return UBI_OK;
    /* Made room for, so that the text stays where it is while it is copied. */
    UBI_TRY(ubi__vec_u8_reserve(&s->g->strings.bytes, s->r->allocator, name.len));
    name = name_of(s->g, node);
    return ubi__strtab_intern(&s->g->strings, file, (ubi_text){ name.ptr + n + 3, name.len - n - 3 });
}

static ubi_status find_script_files(scripts *s) {
    const ubi__vec_v8_location *rows = &s->r->facts->locations;
    uint32_t row = UBI_NONE;
    for (size_t i = 0; i < rows->n; i++) {
        UBI_TRY(script_of(s, rows->at[i].script_id, &row));
        if (s->rows.at[row].file != UBI_NONE)
            continue;
        ubi_node_ix node = script_node(s, &rows->at[i]);
        if (node != UBI_NONE && type_of(s->g, node) == UBI__V8_CODE)
            UBI_TRY(file_of_node(s, node, &s->rows.at[row].file));
    }
    return UBI_OK;
}

/* Scripts without a name of their own have a number at least. */
static ubi_status name_other_scripts(scripts *s) {
    for (size_t i = 0; i < s->rows.n; i++) {
        char text[32];
        if (s->rows.at[i].file != UBI_NONE)
            continue;
        snprintf(text, sizeof text, "script:%u", s->rows.at[i].id);
        UBI_TRY(ubi__strtab_append(&s->g->strings, &s->rows.at[i].file, ubi__text(text)));
    }
    return UBI_OK;
}

ubi_status ubi__v8_set_files(scripts *s) {
    const ubi__vec_v8_location *rows = &s->r->facts->locations;
    uint32_t row = UBI_NONE;
    for (size_t i = 0; i < rows->n; i++) {
        uint32_t *kind = &s->g->kind.at[rows->at[i].node];
        UBI_TRY(script_of(s, rows->at[i].script_id, &row));
        script *in = &s->rows.at[row];
        UBI_ASSERT(in->file != UBI_NONE); /* each has one since name_other_scripts */
        if (in->last_kind != *kind) {
            ubi_kind with_file = s->g->kinds.rows.at[*kind];
            with_file.script_filename = in->file;
            in->last_kind = *kind;
            UBI_TRY(ubi__kinds_intern(&s->g->kinds, &in->last_result, &with_file));
        }
        *kind = in->last_result;
    }
    return UBI_OK;
}

ubi_status ubi__v8_find_files(scripts **out, ubi__v8_reader *r) {
    scripts *s = UBI_NEW(r->allocator, scripts);
    if (!s)
        return ubi__fail_nomem();
    *s = (scripts){ .r = r, .g = r->graph, .edges_left = r->graph->target.n };
    *out = s;
    UBI_TRY(find_script_files(s));
    return name_other_scripts(s);
}

void ubi__v8_scripts_free(scripts *s) {
    if (!s)
        return;
    const ubi_allocator *a = s->r->allocator;
    ubi__row_table_fini(&s->table, a);
    vec_script_fini(&s->rows, a);
    UBI_DELETE(a, s);
}
