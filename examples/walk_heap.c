/* SPDX-License-Identifier: MIT
 *
 * walk_heap.c: a heap of your own, seen by the library.
 *
 * Whoever implements `ubi_node_ops` for the objects of an engine can take a census of the live heap, without writing a
 * snapshot first, or capture it as a graph. The heap here is a fixed array of objects: a menu with two dishes that share
 * an ingredient, a menu card that points back at the menu, and garbage that nothing leads to.
 *
 * While a walk runs, nobody may allocate, free or run code on the heap.
 */
#include <stdio.h>
#include <string.h>

#include <ubiheap/ubiheap.h>

/* ---- a heap ------------------------------------------------------------------------------------------------------- */

#define MAX_REFERENCES 4

typedef struct reference {
    const char *name;
    unsigned to; /* place in `heap` */
} reference;

typedef struct object {
    const char *class_name; /* NULL: the object is a string */
    unsigned size_bytes;
    unsigned n_references;
    reference references[MAX_REFERENCES];
} object;

static const object heap[] = {
    { "Roots", 8, 1, { { "menu", 1 } } },
    { "Menu", 48, 3, { { "dishes[0]", 2 }, { "dishes[1]", 3 }, { "card", 6 } } },
    { "Dish", 40, 2, { { "name", 4 }, { "needs", 5 } } },
    { "Dish", 40, 1, { { "needs", 5 } } },
    { NULL, 24, 0, { { NULL, 0 } } },
    { "Ingredient", 16, 0, { { NULL, 0 } } },
    { "Card", 32, 1, { { "menu", 1 } } },
    { "Dish", 1000, 0, { { NULL, 0 } } }, /* garbage */
};

/* ---- the heap as ubi_nodes: `heap` is the array, `ref` the place in it ---------------------------------------------- */

static const object *object_of(ubi_node node) {
    return &((const object *)node.heap)[node.ref];
}

static ubi_text text(const char *s) {
    return (ubi_text){ s, s ? strlen(s) : 0 };
}

static uint64_t get_id(ubi_node node) {
    return 1000 + 8 * node.ref; /* an engine would use the address */
}

static ubi_text get_type_name(ubi_node node) {
    return text(object_of(node)->class_name ? "toy::Object" : "toy::String");
}

static ubi_coarse_type get_coarse_type(ubi_node node) {
    return object_of(node)->class_name ? UBI_COARSE_OBJECT : UBI_COARSE_STRING;
}

static uint64_t get_size_bytes(ubi_node node) {
    return object_of(node)->size_bytes;
}

static ubi_text get_class_name(ubi_node node) {
    return text(object_of(node)->class_name);
}

static bool for_each_edge(ubi_node node, bool want_names, ubi_edge_fn fn, void *payload) {
    const object *o = object_of(node);
    for (unsigned i = 0; i < o->n_references; i++) {
        ubi_node referent = { node.ops, node.heap, o->references[i].to };
        if (!fn(payload, referent, text(want_names ? o->references[i].name : NULL)))
            return false;
    }
    return true;
}

static const ubi_node_ops ops = {
    .version = UBI_NODE_OPS_VERSION,
    .id = get_id,
    .type_name = get_type_name,
    .coarse_type = get_coarse_type,
    .size_bytes = get_size_bytes,
    .class_name = get_class_name,
    .edges = for_each_edge,
};

/* ---- what the library makes of it ----------------------------------------------------------------------------------- */

static bool write_to(void *file, const void *data, size_t size_bytes) {
    return fwrite(data, 1, size_bytes, file) == size_bytes;
}

static ubi_status take_census(ubi_node root) {
    ubi_census *census = NULL;
    ubi_status status = ubi_census_take_live(&census, root, NULL, NULL);
    if (status == UBI_OK)
        status = ubi_render_report_json(write_to, stdout, ubi_census_report(census));
    ubi_census_free(census);
    return status;
}

static ubi_status capture(ubi_node root) {
    ubi_graph *graph = NULL;
    ubi_status status = ubi_graph_capture(&graph, root, NULL);
    if (status == UBI_OK)
        printf("\n%u nodes, %llu edges\n", ubi_graph_node_count(graph),
               (unsigned long long)ubi_graph_edge_count(graph));
    ubi_graph_unref(graph);
    return status;
}

int main(void) {
    ubi_node root = { &ops, (void *)(uintptr_t)heap, 0 };
    ubi_status status = take_census(root);
    if (status == UBI_OK)
        status = capture(root);
    if (status != UBI_OK)
        fprintf(stderr, "walk_heap: %s\n", ubi_error_message());
    return status == UBI_OK ? 0 : 1;
}
