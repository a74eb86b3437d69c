/* SPDX-License-Identifier: MIT
 *
 * keeper_families.c: kinds sorted by coarse type and name; the first of equal ones stands for all.
 */
#include "analyses/dominators/keeper_families.h"

#include "base/merge_sort.h"
#include "graph/graph_columns.h"

typedef struct named_kind {
    ubi_coarse_type coarse_type;
    ubi_str_ix name; /* canonical */
    ubi_kind_ix kind;
} named_kind;

static bool same_family(named_kind a, named_kind b) {
    return a.coarse_type == b.coarse_type && a.name == b.name;
}

static bool kind_before(void *unused, named_kind a, named_kind b) {
    (void)unused;
    return a.coarse_type != b.coarse_type ? a.coarse_type < b.coarse_type : a.name < b.name;
}
UBI_SORT_DEFINE(sort_kinds, named_kind, void *, kind_before);

static ubi_str_ix name_of(const ubi_kind *kind) {
    const ubi_str_ix names[] = { kind->descriptive_name, kind->class_name, kind->script_filename };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i] != UBI_NONE)
            return names[i];
    return kind->type_name;
}

void ubi__families_check(const ubi__families *f) {
    for (uint32_t k = 0; UBI_CHECKS && k < f->n_kinds; k++) {
        UBI_ASSERT(f->family[k] <= k);
        UBI_ASSERT(f->family[f->family[k]] == f->family[k]);
    }
}

static void fill_families(ubi__families *f, named_kind *kinds, named_kind *spare, const ubi_graph *g) {
    for (ubi_kind_ix k = 0; k < f->n_kinds; k++) {
        const ubi_kind *kind = ubi_graph_kind(g, k);
        kinds[k] = (named_kind){ kind->coarse_type, ubi_graph_canonical_string(g, name_of(kind)), k };
    }
    sort_kinds(kinds, spare, f->n_kinds, NULL);
    for (uint32_t i = 0, first = 0; i < f->n_kinds; i++) {
        if (!same_family(kinds[first], kinds[i]))
            first = i;
        f->family[kinds[i].kind] = kinds[first].kind;
    }
    ubi__families_check(f);
}

ubi_status ubi__families_init(ubi__families *out, const ubi_graph *graph, const ubi_allocator *a) {
    uint32_t n = ubi_graph_kind_count(graph);
    *out = (ubi__families){ ubi__alloc_array(a, n, sizeof *out->family), n };
    named_kind *kinds = ubi__alloc_array(a, n, sizeof *kinds);
    named_kind *spare = ubi__alloc_array(a, n, sizeof *spare);
    bool complete = out->family && kinds && spare;
    if (complete)
        fill_families(out, kinds, spare, graph);
    ubi__free_array(a, kinds, n, sizeof *kinds);
    ubi__free_array(a, spare, n, sizeof *spare);
    if (complete)
        return UBI_OK;
    ubi__families_fini(out, a);
    return ubi__fail_nomem();
}

void ubi__families_fini(ubi__families *families, const ubi_allocator *a) {
    ubi__free_array(a, families->family, families->n_kinds, sizeof *families->family);
    families->family = NULL;
}
