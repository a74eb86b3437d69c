/* SPDX-License-Identifier: MIT
 *
 * census_tables.c: frames of a census as abstract stacks.
 */
#include "analyses/census/census_tables.h"

static const ubi__census_tables *tables_of(ubi_stack stack) {
    return stack.owner;
}

/* Firefox keeps the index of a WebAssembly function in a column with the top bit set, and shows such a column as 1. */
#define WASM_COLUMN (UINT32_C(1) << 31)

static void describe_frame(ubi_stack stack, ubi_frame *out) {
    const ubi__census_tables *tables = tables_of(stack);
    ubi__frames_get(tables->frames, tables->strings, (ubi_frame_ix)stack.ref, out);
    if (tables->compat == UBI_COMPAT_FIREFOX && (out->column & WASM_COLUMN))
        out->column = 1;
}

static bool step_to_parent(ubi_stack stack, ubi_stack *out) {
    const ubi__census_tables *tables = tables_of(stack);
    ubi_frame_ix parent = tables->frames->rows.at[stack.ref].parent;
    if (parent == UBI_NONE)
        return false;
    *out = ubi__census_stack(tables, parent);
    return true;
}

static const ubi_stack_ops ops = { .frame = describe_frame, .parent = step_to_parent };

ubi_stack ubi__census_stack(const ubi__census_tables *tables, ubi_frame_ix frame) {
    return (ubi_stack){ &ops, (void *)tables, frame };
}
