/* SPDX-License-Identifier: MIT
 *
 * trace_table.c: see trace_table.h.
 */
#include "recording/trace_table.h"

#include "base/text.h"

static ubi_status add_root(ubi__trace_table *t) {
    ubi_str_ix name;
    ubi__trace_ix root;
    UBI_TRY(ubi__trace_table_name(t, &name, ubi__text(UBI__TRACE_ROOT_NAME)));
    return ubi__trace_table_child(t, &root, UBI__TRACE_ROOT, name);
}

ubi_status ubi__trace_table_init(ubi__trace_table *t, const ubi_allocator *allocator) {
    *t = (ubi__trace_table){ .allocator = ubi__allocator_or_default(allocator) };
    ubi__strtab_init(&t->names, t->allocator);
    ubi__u64_map_init(&t->index, t->allocator);
    ubi_status status = add_root(t);
    if (status != UBI_OK)
        ubi__trace_table_fini(t);
    return status;
}

void ubi__trace_table_fini(ubi__trace_table *t) {
    ubi__strtab_fini(&t->names);
    ubi__vec_trace_fini(&t->rows, t->allocator);
    ubi__u64_map_fini(&t->index);
}

ubi_status ubi__trace_table_name(ubi__trace_table *t, ubi_str_ix *out, ubi_text name) {
    return ubi__strtab_intern(&t->names, out, name);
}

ubi_status ubi__trace_table_child(ubi__trace_table *t, ubi__trace_ix *out, ubi__trace_ix parent, ubi_str_ix name) {
    uint64_t key = ubi__u64_pair(parent, name);
    ubi__trace_ix known = ubi__u64_map_get(&t->index, key);
    if (known != UBI_NONE) {
        *out = known;
        return UBI_OK;
    }
    if (t->rows.n >= UBI_NONE)
        return ubi__fail(UBI_ELIMIT, "a recording has at most %u traces", UBI_NONE - 1);
    UBI_TRY(ubi__vec_trace_reserve(&t->rows, t->allocator, 1));
    UBI_TRY(ubi__u64_map_put(&t->index, key, (uint32_t)t->rows.n));
    *out = (ubi__trace_ix)t->rows.n;
    t->rows.at[t->rows.n++] = (ubi__trace){ .name = name, .parent = parent };
    return UBI_OK;
}

ubi_status ubi__trace_table_stack(ubi__trace_table *t, ubi__trace_ix *out, const ubi_text *names, size_t n) {
    ubi__trace_ix trace = UBI__TRACE_ROOT;
    for (size_t i = 0; i < n; i++) {
        ubi_str_ix name;
        UBI_TRY(ubi__trace_table_name(t, &name, names[i]));
        UBI_TRY(ubi__trace_table_child(t, &trace, trace, name));
    }
    *out = trace;
    return UBI_OK;
}
