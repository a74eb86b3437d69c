/* SPDX-License-Identifier: MIT
 *
 * v8_equal.c: see v8_equal.h.
 */
#include "v8_equal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "formats/v8/v8_facts.h"
#include "graph_equal.h"

static char difference[256];

__attribute__((format(printf, 1, 2))) static const char *differ(const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(difference, sizeof difference, format, args);
    va_end(args);
    return difference;
}

static bool same_text(const ubi_graph *a, ubi_str_ix x, const ubi_graph *b, ubi_str_ix y) {
    ubi_text s = ubi_graph_string(a, x), t = ubi_graph_string(b, y);
    return (s.ptr == NULL) == (t.ptr == NULL) && ubi__text_equal(s, t);
}

static const char *nodes_differ(const ubi_graph *a, const ubi_graph *b) {
    for (ubi_node_ix n = 0; n < ubi_graph_node_count(a); n++) {
        const ubi_kind *x = ubi_graph_kind(a, ubi_graph_node_kind(a, n));
        const ubi_kind *y = ubi_graph_kind(b, ubi_graph_node_kind(b, n));
        if (x->raw_type != y->raw_type)
            return differ("node %u: V8's type", n);
        if (x->detachedness != y->detachedness)
            return differ("node %u: detachedness", n);
        if (!same_text(a, ubi_graph_node_name(a, n), b, ubi_graph_node_name(b, n)))
            return differ("node %u: its name", n);
    }
    return NULL;
}

static const char *edges_differ(const ubi_graph *a, const ubi_graph *b) {
    for (ubi_edge_ix e = 0; e < ubi_graph_edge_count(a); e++) {
        uint32_t x = 0, y = 0;
        if (ubi_graph_edge_kind(a, e) != ubi_graph_edge_kind(b, e))
            return differ("edge %llu: its kind", (unsigned long long)e);
        if (ubi_graph_edge_number(&x, a, e) != ubi_graph_edge_number(&y, b, e) || x != y)
            return differ("edge %llu: its number", (unsigned long long)e);
    }
    return NULL;
}

#define SAME(condition, what)                                                                                          \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            return differ("%s", what);                                                                                 \
    } while (0)

#define SAME_ROWS(x, y, what) SAME((x).n == (y).n, what)

static const char *functions_differ(const ubi_graph *a, const ubi_graph *b) {
    const ubi__v8_facts *f = ubi__v8_facts_of(a), *h = ubi__v8_facts_of(b);
    SAME_ROWS(f->functions, h->functions, "number of functions");
    for (size_t i = 0; i < f->functions.n; i++) {
        const ubi__v8_function *x = &f->functions.at[i], *y = &h->functions.at[i];
        SAME(same_text(a, x->name, b, y->name) && same_text(a, x->script_name, b, y->script_name), "function's names");
        SAME(x->function_id == y->function_id && x->script_id == y->script_id && x->line == y->line &&
                 x->column == y->column,
             "a function");
    }
    SAME_ROWS(f->traces, h->traces, "number of trace nodes");
    for (size_t i = 0; i < f->traces.n; i++) {
        const ubi__v8_trace *x = &f->traces.at[i], *y = &h->traces.at[i];
        SAME(x->function == y->function && x->id == y->id && x->count == y->count && x->size_bytes == y->size_bytes,
             "a trace node");
        SAME(ubi_graph_frame_parent(a, (ubi_frame_ix)i) == ubi_graph_frame_parent(b, (ubi_frame_ix)i),
             "parent of a trace node");
    }
    return NULL;
}

static const char *scope_tables_differ(const ubi_graph *a, const ubi_graph *b) {
    const ubi__v8_facts *f = ubi__v8_facts_of(a), *h = ubi__v8_facts_of(b);
    SAME_ROWS(f->scope_variables, h->scope_variables, "number of scope variables");
    SAME_ROWS(f->scope_uses, h->scope_uses, "number of scope uses");
    for (size_t i = 0; i < f->scope_variables.n; i++)
        SAME(same_text(a, f->scope_variables.at[i], b, h->scope_variables.at[i]), "a scope variable");
    for (size_t i = 0; i < f->scope_uses.n; i++)
        SAME(f->scope_uses.at[i].scope_id == h->scope_uses.at[i].scope_id &&
                 f->scope_uses.at[i].slot == h->scope_uses.at[i].slot,
             "a scope use");
    return NULL;
}

/* Variables and uses that belong to no scope, because a file has no scopes, say nothing. */
static const char *scopes_differ(const ubi_graph *a, const ubi_graph *b) {
    const ubi__v8_facts *f = ubi__v8_facts_of(a), *h = ubi__v8_facts_of(b);
    SAME_ROWS(f->scopes, h->scopes, "number of scopes");
    for (size_t i = 0; i < f->scopes.n; i++) {
        const ubi__v8_scope *x = &f->scopes.at[i], *y = &h->scopes.at[i];
        SAME(x->script == y->script && x->scope_id == y->scope_id && x->depth == y->depth &&
                 x->first_variable == y->first_variable && x->n_variables == y->n_variables &&
                 x->first_use == y->first_use && x->n_uses == y->n_uses,
             "a scope");
    }
    return f->scopes.n ? scope_tables_differ(a, b) : NULL;
}

const char *v8_facts_differ(const ubi_graph *a, const ubi_graph *b) {
    const ubi__v8_facts *f = ubi__v8_facts_of(a), *h = ubi__v8_facts_of(b);
    if (!f || !h)
        return f == h ? NULL : "one has no V8 facts";
    SAME(f->has_trace_ids == h->has_trace_ids && f->has_detachedness == h->has_detachedness &&
             f->has_extra_native_bytes == h->has_extra_native_bytes && f->extra_native_bytes == h->extra_native_bytes,
         "the header's facts");
    SAME_ROWS(f->locations, h->locations, "number of locations");
    for (size_t i = 0; i < f->locations.n; i++) {
        const ubi__v8_location *x = &f->locations.at[i], *y = &h->locations.at[i];
        SAME(x->node == y->node && x->script_id == y->script_id && x->line == y->line && x->column == y->column &&
                 x->script == y->script,
             "a location");
    }
    SAME_ROWS(f->samples, h->samples, "number of samples");
    for (size_t i = 0; i < f->samples.n; i++)
        SAME(f->samples.at[i].time_us == h->samples.at[i].time_us &&
                 f->samples.at[i].last_id == h->samples.at[i].last_id,
             "a sample");
    const char *why = functions_differ(a, b);
    return why ? why : scopes_differ(a, b);
}

/* Of one file. Tables of scopes must be the same, whatever the scopes. */
static const char *files_differ(const ubi_graph *a, const ubi_graph *b) {
    SAME(ubi__v8_facts_of(a)->stride == ubi__v8_facts_of(b)->stride, "fields per node");
    const char *why = v8_facts_differ(a, b);
    return why ? why : scope_tables_differ(a, b);
}

const char *v8_graphs_differ(const ubi_graph *a, const ubi_graph *b) {
    const char *why = graphs_differ(a, b);
    if (!why)
        why = nodes_differ(a, b);
    if (!why)
        why = edges_differ(a, b);
    return why ? why : files_differ(a, b);
}
