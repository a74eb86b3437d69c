/* SPDX-License-Identifier: MIT
 *
 * v8_scopes.c: uses of captured variables.
 *
 * Scopes are in the order of their code, parents before children, each with its depth. One pass with the number of live
 * scopes that enclose the current one is enough: a stack of depths becomes a single mark, the depth of the outermost live one.
 */
#include "lenses/v8/v8_scopes.h"

#include "base/assert.h"
#include "base/text.h"

static bool is_live(const ubi__vec_v8_scope_id *live, int64_t id) {
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
static bool find_slot(uint32_t *out, const ubi__v8_facts *facts, const ubi_graph *g, const ubi__v8_variable *v) {
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

ubi__v8_use ubi__v8_variable_use(const ubi__v8_facts *facts, const ubi_graph *g, const ubi__v8_variable *v,
                                 const ubi__vec_v8_scope_id *live) {
    uint32_t slot, live_depth = UINT32_MAX; /* of the outermost live scope around the current one */
    UBI_ASSERT(live->n < 2 || live->at[0] <= live->at[live->n - 1]);
    if (!find_slot(&slot, facts, g, v))
        return UBI__USE_UNKNOWN;
    for (size_t i = 0; i < facts->scopes.n; i++) {
        const ubi__v8_scope *s = &facts->scopes.at[i];
        if (s->script != v->script)
            continue;
        if (s->depth <= live_depth)
            live_depth = is_live(live, s->scope_id) ? s->depth : UINT32_MAX;
        if (live_depth != UINT32_MAX && scope_has_use(facts, s, v->scope_id, slot))
            return UBI__USE_READ;
    }
    return UBI__USE_NONE;
}
