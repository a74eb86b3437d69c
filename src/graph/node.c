/* SPDX-License-Identifier: MIT
 *
 * node.c: accessors of the abstract node, with the defaults for operations that a heap leaves out (ubiheap/core/node.h).
 */
#include <ubiheap/core/node.h>

static const ubi_text no_text = { NULL, 0 };

const char *ubi_coarse_type_name(ubi_coarse_type type) {
    static const char *const names[UBI_COARSE_TYPE_COUNT] = { "Other", "Object", "Script", "String", "DOMNode" };
    return (unsigned)type < UBI_COARSE_TYPE_COUNT ? names[type] : "Unknown";
}

uint64_t ubi_node_id(ubi_node node) {
    return node.ops->id(node);
}
ubi_text ubi_node_type_name(ubi_node node) {
    return node.ops->type_name(node);
}
ubi_coarse_type ubi_node_coarse_type(ubi_node node) {
    return node.ops->coarse_type ? node.ops->coarse_type(node) : UBI_COARSE_OTHER;
}
uint64_t ubi_node_size_bytes(ubi_node node) {
    return node.ops->size_bytes ? node.ops->size_bytes(node) : 1;
}
ubi_text ubi_node_class_name(ubi_node node) {
    return node.ops->class_name ? node.ops->class_name(node) : no_text;
}
ubi_text ubi_node_descriptive_name(ubi_node node) {
    return node.ops->descriptive_name ? node.ops->descriptive_name(node) : no_text;
}
ubi_text ubi_node_script_filename(ubi_node node) {
    return node.ops->script_filename ? node.ops->script_filename(node) : no_text;
}
bool ubi_node_allocation_stack(ubi_node node, ubi_stack *out) {
    return node.ops->allocation_stack && node.ops->allocation_stack(node, out);
}
uint64_t ubi_node_ref_limit(ubi_node node) {
    return node.ops->ref_limit ? node.ops->ref_limit(node.heap) : 0;
}
uint32_t ubi_node_group(ubi_node node) {
    return node.ops->group ? node.ops->group(node) : UBI_NONE;
}
bool ubi_node_is_live(ubi_node node) {
    return !node.ops->is_live || node.ops->is_live(node);
}
bool ubi_node_edges(ubi_node node, bool want_names, ubi_edge_fn fn, void *payload) {
    return node.ops->edges(node, want_names, fn, payload);
}
