/* SPDX-License-Identifier: MIT
 *
 * v8_scopes.c: contexts, and whose calls they were. All functions that are made in one call share its context, so that which of them a path
 * comes through says nothing of a variable in it.
 *
 * A context has the scope info of the code that made it, and that code has it, too; but a block's scope info belongs to no code.
 */
#include <stdio.h>

#include "lenses/v8/v8_fields.h"
#include "lenses/v8/v8_producer.h"

/* ---- which there are ------------------------------------------------------------------------------------------------ */

typedef struct finding {
    ubi__code_scopes *out;
    const ubi_graph *g;
    ubi__fields fields;
    ubi__u64_map scopes_of_info; /* scope info -> the last row with it */
    ubi__vec_u32 before;         /* by row: another row with the same scope info; UBI_NONE: none */
    ubi__u64_map info_of_code;   /* code -> scope info */
} finding;

static uint8_t type_of(const ubi_graph *g, ubi_node_ix node) {
    return g->kinds.rows.at[g->kind.at[node]].raw_type;
}

static ubi_status scope_add(finding *f, ubi_node_ix scope, ubi_node_ix function) {
    const ubi_allocator *a = f->out->allocator;
    ubi_node_ix info = ubi__v8_field(&f->fields, scope, UBI__FIELD_SCOPE_INFO);
    uint32_t row = (uint32_t)f->out->rows.n;
    UBI_TRY(ubi__vec_code_scope_push(&f->out->rows, a, (ubi__code_scope){ scope, UBI_NONE, UBI_NONE, function, 1 }));
    UBI_TRY(ubi__vec_u32_push(&f->before, a, info == UBI_NONE ? UBI_NONE : ubi__u64_map_get(&f->scopes_of_info, info)));
    if (info != UBI_NONE)
        UBI_TRY(ubi__u64_map_put(&f->scopes_of_info, info, row));
    return ubi__u64_map_put(&f->out->row_of, scope, row);
}

static ubi_status function_meet(finding *f, ubi_node_ix function) {
    ubi_node_ix scope = ubi__v8_field(&f->fields, function, UBI__FIELD_CONTEXT);
    if (scope == UBI_NONE)
        return UBI_OK;
    uint32_t row = ubi__u64_map_get(&f->out->row_of, scope);
    if (row == UBI_NONE)
        return scope_add(f, scope, function);
    f->out->rows.at[row].n_functions++;
    return UBI_OK;
}

static ubi_status code_meet(finding *f, ubi_node_ix code) {
    ubi_node_ix info = ubi__v8_field(&f->fields, code, UBI__FIELD_NAME_OR_SCOPE_INFO);
    uint32_t row = info == UBI_NONE ? UBI_NONE : ubi__u64_map_get(&f->scopes_of_info, info);
    if (row == UBI_NONE)
        return UBI_OK;
    for (; row != UBI_NONE; row = f->before.at[row])
        f->out->rows.at[row].code = code;
    return ubi__u64_map_put(&f->info_of_code, code, info);
}

/* One that is alive has a place with a line. */
static void function_note(finding *f, ubi_node_ix function) {
    ubi_node_ix code = ubi__v8_field(&f->fields, function, UBI__FIELD_SHARED);
    uint32_t info = code == UBI_NONE ? UBI_NONE : ubi__u64_map_get(&f->info_of_code, code);
    if (info == UBI_NONE)
        return;
    for (uint32_t row = ubi__u64_map_get(&f->scopes_of_info, info); row != UBI_NONE; row = f->before.at[row])
        f->out->rows.at[row].caller = function;
}

static ubi_status scopes_find(finding *f) {
    const ubi_graph *g = f->g;
    for (ubi_node_ix node = 0; node < g->n_nodes; node++)
        if (type_of(g, node) == UBI__V8_CLOSURE)
            UBI_TRY(function_meet(f, node));
    for (ubi_node_ix node = 0; node < g->n_nodes; node++)
        if (type_of(g, node) == UBI__V8_CODE)
            UBI_TRY(code_meet(f, node));
    for (ubi_node_ix node = 0; node < g->n_nodes; node++)
        if (type_of(g, node) == UBI__V8_CLOSURE)
            function_note(f, node);
    return f->fields.status;
}

ubi_status ubi__v8_scopes_init(ubi__code_scopes *out, const ubi_graph *graph, const ubi_allocator *a) {
    finding f = { .out = out, .g = graph };
    *out = (ubi__code_scopes){ .allocator = a };
    ubi__u64_map_init(&out->row_of, a);
    ubi__u64_map_init(&f.scopes_of_info, a);
    ubi__u64_map_init(&f.info_of_code, a);
    ubi__fields_init(&f.fields, graph, a);
    ubi_status status = scopes_find(&f);
    ubi__fields_fini(&f.fields);
    ubi__u64_map_fini(&f.scopes_of_info);
    ubi__u64_map_fini(&f.info_of_code);
    ubi__vec_u32_fini(&f.before, a);
    return status;
}

/* ---- words ---------------------------------------------------------------------------------------------------------- */

/* A file's code is called with nothing around it but the global scope. */
static bool is_of_file(ubi__fields *fields, ubi_node_ix scope) {
    const ubi_graph *g = fields->graph;
    ubi_node_ix around = ubi__v8_field(fields, scope, UBI__FIELD_PREVIOUS);
    return around != UBI_NONE &&
           ubi__text_begins(ubi_graph_string(g, ubi__graph_node_name(g, around)), "system / NativeContext");
}

/* Code that has no name is called by what it is. */
static void code_words(char out[UBI__FUNCTION_WORDS], ubi__fields *fields, const ubi__code_scope *s) {
    char file[UBI__FUNCTION_WORDS], function[64];
    ubi_text name = ubi_graph_string(fields->graph, ubi__graph_node_name(fields->graph, s->code));
    if (!name.len || name.ptr[0] == '(' || ubi__text_begins(name, "system / "))
        return;
    ubi__v8_file_of(file, fields, s->function);
    ubi__v8_shorten(function, sizeof function, name, 48);
    snprintf(out, UBI__FUNCTION_WORDS, *file ? "%s() (%.80s)" : "%s()", function, file);
}

void ubi__v8_scope_words(char out[UBI__FUNCTION_WORDS], const ubi_graph *graph, const ubi__code_scope *s) {
    const ubi__v8_facts *facts = ubi__v8_facts_of(graph);
    ubi__fields fields;
    *out = 0;
    if (!facts)
        return;
    ubi__fields_init(&fields, graph, ubi_allocator_default());
    if (is_of_file(&fields, s->scope))
        ubi__v8_file_of(out, &fields, s->function);
    else if (s->caller != UBI_NONE)
        ubi__v8_function_words(out, facts, &fields, s->caller);
    else if (s->code != UBI_NONE)
        code_words(out, &fields, s);
    ubi__fields_fini(&fields);
}
