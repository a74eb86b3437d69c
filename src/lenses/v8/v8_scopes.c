/* SPDX-License-Identifier: MIT
 *
 * v8_scopes.c: whether a variable that functions captured is still read by anything (files of Chromium 156 and later).
 *
 * A file with scopes says of every scope which variables of which scopes its code uses. A function that lives can run its own
 * code and that of functions within it, so a variable of a context is in use if a live function that reaches that context is
 * a scope that uses the variable, or encloses one.
 *
 * Scopes are in the order of their code, parents before children, each with its depth. One pass with the number of live
 * scopes that enclose the current one is enough: a stack of depths becomes a single mark, the depth of the outermost live one.
 */
#include <stdlib.h>

#include "base/assert.h"
#include "base/text.h"
#include "formats/v8/v8_facts.h"
#include "lenses/v8/v8_findings.h"

/* Scopes of functions that are alive and reach one context. Ascending. */
UBI_VEC_DECLARE(vec_scope_id, int64_t);

/* A variable of a context. */
typedef struct scope_variable {
    ubi_node_ix script; /* where its scope is */
    int64_t scope_id;
    ubi_str_ix name;
} scope_variable;

static bool is_live(const vec_scope_id *live, int64_t id) {
    size_t low = 0, high = live->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (live->at[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < live->n && live->at[low] == id;
}

/* The slot of the variable in the scope that declares it; false: it is not there. */
static bool find_slot(uint32_t *out, const ubi__v8_facts *facts, const ubi_graph *g, const scope_variable *v) {
    ubi_text name = ubi_graph_string(g, v->name);
    for (size_t i = 0; i < facts->scopes.n; i++) {
        const ubi__v8_scope *s = &facts->scopes.at[i];
        if (s->script != v->script || s->scope_id != v->scope_id)
            continue;
        for (uint32_t k = 0; k < s->n_variables; k++)
            if (ubi__text_equal(ubi_graph_string(g, facts->scope_variables.at[s->first_variable + k]), name)) {
                *out = k;
                return true;
            }
    }
    return false;
}

static bool scope_has_use(const ubi__v8_facts *facts, const ubi__v8_scope *s, int64_t scope_id, uint32_t slot) {
    for (uint32_t i = 0; i < s->n_uses; i++) {
        const ubi__v8_scope_use *use = &facts->scope_uses.at[s->first_use + i];
        if (use->scope_id == scope_id && use->slot == slot)
            return true;
    }
    return false;
}

/* False also if the file does not have the variable. Cost: O(scopes of the file * log live + uses). */
static bool variable_is_unread(const ubi__v8_facts *facts, const ubi_graph *g, const scope_variable *v,
                               const vec_scope_id *live) {
    uint32_t slot, live_depth = UINT32_MAX; /* of the outermost live scope around the current one */
    for (size_t i = 1; UBI_CHECKS && i < live->n; i++)
        UBI_ASSERT(live->at[i - 1] <= live->at[i]);
    if (!find_slot(&slot, facts, g, v))
        return false;
    for (size_t i = 0; i < facts->scopes.n; i++) {
        const ubi__v8_scope *s = &facts->scopes.at[i];
        if (s->script != v->script)
            continue;
        if (s->depth <= live_depth)
            live_depth = is_live(live, s->scope_id) ? s->depth : UINT32_MAX;
        if (live_depth != UINT32_MAX && scope_has_use(facts, s, v->scope_id, slot))
            return false;
    }
    return true;
}

static int compare_scope_ids(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static ubi_status find_live_scopes(vec_scope_id *live, const ubi__finding_facts *f, const ubi__captured *variable) {
    int64_t scope_id;
    for (size_t i = 0; i < variable->n_live; i++) {
        ubi_node_ix shared = ubi__v8_field(f->fields, variable->live[i], UBI__FIELD_SHARED);
        if (shared != UBI_NONE && ubi__v8_number_field(&scope_id, f->fields, shared, UBI__FIELD_SCOPE_ID))
            UBI_TRY(vec_scope_id_push(live, f->allocator, scope_id));
    }
    if (live->n)
        qsort(live->at, live->n, sizeof *live->at, compare_scope_ids);
    return UBI_OK;
}

ubi_status ubi__v8_variable_is_unread(bool *out, const ubi__finding_facts *f, const ubi__captured *variable) {
    const ubi__v8_facts *facts = ubi__v8_facts_of(f->graph);
    scope_variable v = { .script = ubi__v8_script_of(f->fields, variable->closure), .name = variable->name };
    ubi_node_ix scope_info = ubi__v8_field(f->fields, variable->context, UBI__FIELD_SCOPE_INFO);
    vec_scope_id live = { .n = 0 };
    *out = false;
    if (facts->scopes.n == 0 || scope_info == UBI_NONE || v.script == UBI_NONE ||
        !ubi__v8_number_field(&v.scope_id, f->fields, scope_info, UBI__FIELD_SCOPE_ID))
        return UBI_OK;
    ubi_status status = find_live_scopes(&live, f, variable);
    if (status == UBI_OK)
        *out = variable_is_unread(facts, f->graph, &v, &live);
    vec_scope_id_fini(&live, f->allocator);
    return status;
}
