/* SPDX-License-Identifier: MIT
 *
 * recording_collapsed.c: stacks as lines of text (recording_export.h).
 */
#include "render/display.h"
#include "render/recording_export.h"

static void name_write(ubi__out *out, ubi_text name) {
    char bytes[UBI__LINE_CHAR_BYTES];
    for (size_t at = 0; at < name.len;) {
        size_t n = ubi__line_char(bytes, name, &at);
        if (n == 1 && bytes[0] == ';')
            bytes[0] = ':';
        ubi__out_bytes(out, bytes, n);
    }
}

/* @param path  path[UBI__EXPORT_DEPTH]. */
static void stack_write(ubi__out *out, const ubi__flame_tree *tree, ubi__flame_ix node, ubi__flame_ix *path) {
    size_t n = 0;
    uint64_t value = tree->nodes.at[node].self;
    for (; node && n < UBI__EXPORT_DEPTH; node = tree->nodes.at[node].parent)
        path[n++] = node;
    if (n == 0)
        ubi__out_string(out, "(no stack)");
    while (n-- > 0) {
        name_write(out, ubi__flame_name(tree, path[n]));
        if (n)
            ubi__out_char(out, ';');
    }
    ubi__out_char(out, ' ');
    ubi__out_u64(out, value);
    ubi__out_char(out, '\n');
}

/* A child after its parent, siblings by size. */
static ubi__flame_ix node_after(const ubi__flame_tree *tree, ubi__flame_ix node) {
    const ubi__flame_node *nodes = tree->nodes.at;
    if (nodes[node].first_child)
        return nodes[node].first_child;
    while (node && !nodes[node].next_sibling)
        node = nodes[node].parent;
    return nodes[node].next_sibling;
}

ubi_status ubi__render_collapsed(ubi_write_fn write, void *payload, const ubi__flame_tree *tree,
                                 const ubi_allocator *allocator) {
    ubi__flame_ix *path = ubi__alloc_array(allocator, UBI__EXPORT_DEPTH, sizeof *path), node = 0;
    ubi__out *out = UBI_NEW(allocator, ubi__out);
    ubi_status status = path && out ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK) {
        ubi__out_init(out, write, payload);
        do {
            if (tree->nodes.at[node].self)
                stack_write(out, tree, node, path);
            node = node_after(tree, node);
        } while (node && !out->has_failed);
        status = ubi__out_flush(out);
    }
    UBI_DELETE(allocator, out);
    ubi__free_array(allocator, path, UBI__EXPORT_DEPTH, sizeof *path);
    return status;
}
