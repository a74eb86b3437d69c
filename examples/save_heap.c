/* SPDX-License-Identifier: MIT
 *
 * save_heap.c: a heap of your own, saved as a snapshot that ubiheap and Firefox read.
 *
 *     save_heap FILE          all that the roots reach
 *     save_heap FILE TAB      what belongs to one tab, and what that leads to
 *
 * The heap here is a fixed array of objects: two tabs that share an atom table, and a message from one to the other. It is
 * written while it is walked; nothing is collected first. walk_heap.c explains the operations of a heap more slowly.
 *
 * While a save runs, nobody may allocate, free or run code on the heap.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ubiheap/ubiheap.h>

/* ---- a heap ------------------------------------------------------------------------------------------------------- */

#define MAX_REFERENCES 4

typedef struct reference {
    const char *name;
    unsigned to; /* place in `heap` */
} reference;

typedef struct object {
    const char *class_name; /* NULL: the object is none of JavaScript */
    unsigned tab;           /* 0: belongs to no tab */
    unsigned size_bytes;
    unsigned n_references;
    reference references[MAX_REFERENCES];
    unsigned line; /* of app.js, where it was allocated; 0 unknown */
} object;

static const object heap[] = {
    { NULL, 0, 8, 3, { { "tab", 1 }, { "tab", 2 }, { "atoms", 3 } }, 0 },
    { "Window", 1, 512, 2, { { "document", 4 }, { "atoms", 3 } }, 0 },
    { "Window", 2, 512, 2, { { "document", 5 }, { "opener", 1 } }, 0 },
    { NULL, 0, 4096, 1, { { "last", 6 } }, 0 },
    { "Document", 1, 256, 1, { { "message", 6 } }, 3 },
    { "Document", 2, 256, 0, { { NULL, 0 } }, 7 },
    { "Message", 2, 64, 1, { { "from", 5 } }, 9 },
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
    return text(object_of(node)->class_name ? "toy::Object" : "toy::Table");
}

static ubi_coarse_type get_coarse_type(ubi_node node) {
    return object_of(node)->class_name ? UBI_COARSE_OBJECT : UBI_COARSE_OTHER;
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

/* Stacks of one frame; `ref` is the line. Ids name frames for ever, so an engine would use the address here, too. */
static void get_frame(ubi_stack stack, ubi_frame *out) {
    *out = (ubi_frame){ .id = stack.ref, .source = text("app.js"), .line = (uint32_t)stack.ref, .column = 1 };
}

static bool get_parent(ubi_stack stack, ubi_stack *out) {
    (void)stack, (void)out;
    return false;
}

static bool get_allocation_stack(ubi_node node, ubi_stack *out) {
    static const ubi_stack_ops stack_ops = { get_frame, get_parent };
    *out = (ubi_stack){ &stack_ops, node.heap, object_of(node)->line };
    return object_of(node)->line != 0;
}

static const ubi_node_ops ops = {
    .version = UBI_NODE_OPS_VERSION,
    .id = get_id,
    .type_name = get_type_name,
    .coarse_type = get_coarse_type,
    .size_bytes = get_size_bytes,
    .class_name = get_class_name,
    .allocation_stack = get_allocation_stack,
    .edges = for_each_edge,
};

/* ---- what is saved -------------------------------------------------------------------------------------------------- */

/* Firefox's rule: things of other tabs are shown where the tab leads to them, but nothing behind them. */
static ubi_edge_verdict only_tab(void *payload, ubi_node origin, ubi_node referent) {
    unsigned wanted = *(const unsigned *)payload, tab = object_of(referent)->tab;
    if (tab == 0 || tab == wanted)
        return UBI_EDGE_FOLLOW;
    return object_of(origin)->tab != 0 ? UBI_EDGE_ABANDON : UBI_EDGE_SKIP;
}

int main(int argc, char **argv) {
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: save_heap FILE [TAB]\n");
        return 2;
    }
    ubi_node root = { &ops, (void *)(uintptr_t)heap, 0 };
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    ubi_save_info info = UBI_SAVE_INFO_INIT;
    unsigned tab = argc == 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    if (tab != 0) {
        options.edge_filter = only_tab;
        options.edge_filter_payload = &tab;
    }
    options.writer = "save_heap 1.0";
    if (ubi_save_path(root, argv[1], &options, &info) != UBI_OK) {
        fprintf(stderr, "save_heap: %s: %s\n", argv[1], ubi_error_message());
        return 1;
    }
    printf("%llu nodes, %llu edges, %llu stack frames\n", (unsigned long long)info.node_count,
           (unsigned long long)info.edge_count, (unsigned long long)info.frame_count);
    return 0;
}
