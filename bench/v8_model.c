/* SPDX-License-Identifier: MIT
 *
 * v8_model.c: a heap of any size after v8_model.h.
 *
 *     prologue: roots, global, oddballs | 4 nodes per class | names of properties
 *     group 0:  a record with its array of groups 1 to 4, syntax tree, strings, closure ...
 *     group 1:  ...
 *
 * Group g is a child of group (g - 1) / 4, so that all is within reach and depth is logarithmic. What varies between groups is
 * drawn from hashes of the group, so every node can be made alone.
 */
#include "v8_model.h"
#include "v8_heap.h"

#include <stdio.h>

enum {
    ROOT,
    GC_ROOTS,
    FIRST_SUB_ROOT,
    N_SUB_ROOTS = 8,
    GLOBAL = FIRST_SUB_ROOT + N_SUB_ROOTS,
    UNDEFINED,
    META_MAP,
    NATIVE_CONTEXT,
    SCRIPT,
    FIRST_CLASS,
    FIRST_NAME = FIRST_CLASS + 4 * UBI__V8_CLASS_COUNT,
    PROLOGUE = FIRST_NAME + 256
};

/* Nodes of a class. */
enum { CONSTRUCTOR, PROTOTYPE, CLASS_MAP, CLASS_DESCRIPTORS };

/* Places in a group. */
enum {
    RECORD,
    CHILDREN,
    TAGS,
    TREE,            /* six nodes of a syntax tree */
    IDENTIFIERS = 9, /* three */
    PLAIN = 12,
    DATE,
    TOKEN,
    SCOPE, /* a context, or a WeakMap, or a DOM node */
    CONS,
    CHILDREN_ELEMENTS,
    TAGS_ELEMENTS,
    TABLE,
    STRINGS, /* six */
    CONS_OR_STRING = 26,
    PROPERTY_ARRAY,
    PAIR,
    CLOSURE,
    CODE,
    CODE_DATA,
    GROUP_NODES
};

#define CHILD_GROUPS 4
#define NO_NODE UINT64_MAX

typedef struct place {
    uint64_t group, first; /* first: node of the group's first place */
    unsigned slot;
    uint64_t hash; /* of the group */
} place;

static place place_of(const ubi__v8_heap *h, uint64_t node) {
    uint64_t group = (node - PROLOGUE) / GROUP_NODES;
    return (place){ group, PROLOGUE + group * GROUP_NODES, (unsigned)((node - PROLOGUE) % GROUP_NODES),
                    ubi__v8_hash(h, group, 0) };
}

static uint64_t group_count(const ubi__v8_heap *h) {
    return (h->n_nodes - PROLOGUE + GROUP_NODES - 1) / GROUP_NODES;
}

/* One group in 64 holds a WeakMap in place of a context; one in 256 a heap number in place of a closure, and so on. */
static bool has_weak_map(const place *p) {
    return p->hash % 64 == 5;
}
static bool has_number(const place *p) {
    return p->hash >> 8 & 1;
}
static bool has_cons(const place *p) {
    return p->hash >> 9 & 1;
}

static uint64_t class_node(unsigned class, unsigned which) {
    return FIRST_CLASS + 4ull * class + which;
}

/* ---- strings ----------------------------------------------------------------------------------------------------- */

enum {
    FIRST_SLOT_NAME = UBI__V8S_COUNT,
    FIRST_IDENTIFIER = FIRST_SLOT_NAME + UBI__V8_SLOT_NAMES,
    FIRST_COMMON = FIRST_IDENTIFIER + UBI__V8_IDENTIFIERS,
    FIRST_GROUP_TEXT = FIRST_COMMON + UBI__V8_COMMON_TEXTS
};

#define UBI__AS_TEXT(name, text) text,
static const char *const fixed_strings[UBI__V8S_COUNT] = { "<dummy>", UBI__V8_FIXED_STRINGS(UBI__AS_TEXT) };
#undef UBI__AS_TEXT

static uint32_t group_text(const place *p, unsigned which) {
    return (uint32_t)(FIRST_GROUP_TEXT + p->group * UBI__V8_GROUP_TEXTS + which);
}

/* Few texts are had by many strings: the number drawn is squared twice. */
static uint32_t common_text(uint64_t hash) {
    double x = (double)(hash >> 11) / 9007199254740992.0;
    return FIRST_COMMON + (uint32_t)(x * x * x * x * UBI__V8_COMMON_TEXTS);
}

static uint64_t model_id(const ubi__v8_heap *h, uint64_t node);

/* "2 / part of key (User @12) -> value (Object @14) pair in WeakMap (table @16)" */
static void ephemeron_text(const ubi__v8_heap *h, uint64_t group, ubi__v8_text *out) {
    uint64_t first = PROLOGUE + group * GROUP_NODES;
    ubi__v8_text_print(out, "%llu / part of key (User @%llu) -> value (Object @%llu) pair in WeakMap (table @%llu)",
                       (unsigned long long)(group % 900 + 1), (unsigned long long)model_id(h, first + RECORD),
                       (unsigned long long)model_id(h, first + PLAIN), (unsigned long long)model_id(h, first + TABLE));
}

static void own_text(const ubi__v8_heap *h, uint64_t group, unsigned which, ubi__v8_text *out) {
    uint64_t hash = ubi__v8_hash(h, group, 100 + which);
    switch (which) {
    case 0:
        ephemeron_text(h, group, out);
        return;
    case 1:
        ubi__v8_text_print(out, "user %llu <u%llu@example.com>", (unsigned long long)group,
                           (unsigned long long)(hash % 100000));
        return;
    case 2:
        ubi__v8_identifier(out, 4096 + group);
        return;
    case 3:
        ubi__v8_text_print(out, "%llx", (unsigned long long)(hash >> 40));
        return;
    default: /* now and then long, with line breaks and other letters */
        ubi__v8_text_print(out, "note %llu/%llu \"%s\"\n", (unsigned long long)group, (unsigned long long)(hash % 1000),
                           hash >> 60 ? "ok" : "\xc3\xa9t\xc3\xa9 \xe6\x97\xa5\xe6\x9c\xac");
        while (hash >> 52 == 0 && out->n < 1000)
            out->n += (size_t)snprintf(out->bytes + out->n, sizeof out->bytes - out->n, "line %zu of a text\n", out->n);
    }
}

static void string(const ubi__v8_heap *h, uint64_t string, ubi__v8_text *out) {
    if (string < FIRST_SLOT_NAME)
        ubi__v8_text_print(out, "%s", fixed_strings[string]);
    else if (string < FIRST_IDENTIFIER)
        ubi__v8_text_print(out, "%llu", (unsigned long long)(string - FIRST_SLOT_NAME));
    else if (string < FIRST_COMMON)
        ubi__v8_identifier(out, string - FIRST_IDENTIFIER);
    else if (string < FIRST_GROUP_TEXT)
        ubi__v8_text_print(out, "%llx", (unsigned long long)(ubi__v8_hash(h, string, 7) % 1000000));
    else
        own_text(h, (string - FIRST_GROUP_TEXT) / UBI__V8_GROUP_TEXTS,
                 (unsigned)((string - FIRST_GROUP_TEXT) % UBI__V8_GROUP_TEXTS), out);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

typedef struct slot_row {
    ubi__v8_type type;
    uint16_t name;
    uint16_t size_bytes;
} slot_row;

#define TREE_ROW                                                                                                       \
    { UBI__V8_OBJECT, UBI__V8S_NODE_OBJECT, 168 }
#define IDENTIFIER_ROW                                                                                                 \
    { UBI__V8_OBJECT, UBI__V8S_IDENTIFIER_OBJECT, 120 }
#define STRING_ROW                                                                                                     \
    { UBI__V8_STRING, UBI__V8S_EMPTY, 24 }

static const slot_row slot_rows[GROUP_NODES] = {
    [RECORD] = { UBI__V8_OBJECT, UBI__V8S_USER, 56 },
    [CHILDREN] = { UBI__V8_OBJECT, UBI__V8S_ARRAY, 32 },
    [TAGS] = { UBI__V8_OBJECT, UBI__V8S_ARRAY, 32 },
    [TREE] = TREE_ROW,
    [TREE + 1] = TREE_ROW,
    [TREE + 2] = TREE_ROW,
    [TREE + 3] = TREE_ROW,
    [TREE + 4] = TREE_ROW,
    [TREE + 5] = TREE_ROW,
    [IDENTIFIERS] = IDENTIFIER_ROW,
    [IDENTIFIERS + 1] = IDENTIFIER_ROW,
    [IDENTIFIERS + 2] = IDENTIFIER_ROW,
    [PLAIN] = { UBI__V8_OBJECT, UBI__V8S_OBJECT, 40 },
    [DATE] = { UBI__V8_OBJECT, UBI__V8S_DATE, 96 },
    [TOKEN] = { UBI__V8_OBJECT, UBI__V8S_TOKEN_OBJECT, 48 },
    [SCOPE] = { UBI__V8_OBJECT, UBI__V8S_CONTEXT, 40 },
    [CONS] = { UBI__V8_CONS_STRING, UBI__V8S_CONS_STRING, 32 },
    [CHILDREN_ELEMENTS] = { UBI__V8_ARRAY, UBI__V8S_OBJECT_ELEMENTS, 48 },
    [TAGS_ELEMENTS] = { UBI__V8_ARRAY, UBI__V8S_OBJECT_ELEMENTS, 32 },
    [TABLE] = { UBI__V8_ARRAY, UBI__V8S_EMPTY, 152 },
    [STRINGS] = STRING_ROW,
    [STRINGS + 1] = STRING_ROW,
    [STRINGS + 2] = STRING_ROW,
    [STRINGS + 3] = STRING_ROW,
    [STRINGS + 4] = STRING_ROW,
    [STRINGS + 5] = STRING_ROW,
    [CONS_OR_STRING] = STRING_ROW,
    [PROPERTY_ARRAY] = { UBI__V8_HIDDEN, UBI__V8S_PROPERTY_ARRAY, 64 },
    [PAIR] = { UBI__V8_HIDDEN, UBI__V8S_ACCESSOR_PAIR, 24 },
    [CLOSURE] = { UBI__V8_CLOSURE, UBI__V8S_EMPTY, 64 },
    [CODE] = { UBI__V8_CODE, UBI__V8S_FEEDBACK_CELL, 24 },
    [CODE_DATA] = { UBI__V8_CODE, UBI__V8S_UNCOMPILED, 56 },
};

/* Objects of the engine have odd numbers in order; memory outside its heap has even ones. */
static uint64_t model_id(const ubi__v8_heap *h, uint64_t node) {
    (void)h;
    bool outside =
        node >= PROLOGUE && (node - PROLOGUE) % GROUP_NODES == PAIR && (node - PROLOGUE) / GROUP_NODES % 64 == 9;
    return outside ? (UINT64_C(1) << 30) + 2 * node : 2 * node + 1;
}

static void prologue_row(uint64_t node, ubi__v8_row *out) {
    static const slot_row first[FIRST_CLASS] = {
        [ROOT] = { UBI__V8_SYNTHETIC, UBI__V8S_EMPTY, 0 },
        [GC_ROOTS] = { UBI__V8_SYNTHETIC, UBI__V8S_GC_ROOTS, 0 },
        [FIRST_SUB_ROOT] = { UBI__V8_SYNTHETIC, UBI__V8S_STRONG_ROOTS, 0 },
        [FIRST_SUB_ROOT + 1] = { UBI__V8_SYNTHETIC, UBI__V8S_STACK_ROOTS, 0 },
        [FIRST_SUB_ROOT + 2] = { UBI__V8_SYNTHETIC, UBI__V8S_HANDLE_SCOPE, 0 },
        [FIRST_SUB_ROOT + 3] = { UBI__V8_SYNTHETIC, UBI__V8S_GLOBAL_HANDLES, 0 },
        [FIRST_SUB_ROOT + 4] = { UBI__V8_SYNTHETIC, UBI__V8S_BUILTINS, 0 },
        [FIRST_SUB_ROOT + 5] = { UBI__V8_SYNTHETIC, UBI__V8S_INTERNALIZED, 0 },
        [FIRST_SUB_ROOT + 6] = { UBI__V8_SYNTHETIC, UBI__V8S_WEAK_COLLECTIONS, 0 },
        [FIRST_SUB_ROOT + 7] = { UBI__V8_SYNTHETIC, UBI__V8S_STRONG_ROOTS, 0 },
        [GLOBAL] = { UBI__V8_OBJECT, UBI__V8S_GLOBAL, 40 },
        [UNDEFINED] = { UBI__V8_HIDDEN, UBI__V8S_ODDBALL, 40 },
        [META_MAP] = { UBI__V8_HIDDEN, UBI__V8S_META_MAP, 72 },
        [NATIVE_CONTEXT] = { UBI__V8_HIDDEN, UBI__V8S_NATIVE_CONTEXT, 2200 },
        [SCRIPT] = { UBI__V8_CODE, UBI__V8S_SCRIPT_FILE, 96 },
    };
    out->type = first[node].type;
    out->name = first[node].name;
    out->size_bytes = first[node].size_bytes;
}

static uint32_t class_name(unsigned class) {
    static const uint16_t names[] = { UBI__V8S_OBJECT,
                                      UBI__V8S_ARRAY,
                                      UBI__V8S_DATE,
                                      UBI__V8S_WEAK_MAP,
                                      UBI__V8S_EMPTY,
                                      UBI__V8S_NODE_OBJECT,
                                      UBI__V8S_IDENTIFIER_OBJECT,
                                      UBI__V8S_TOKEN_OBJECT,
                                      UBI__V8S_USER,
                                      UBI__V8S_ORDER,
                                      UBI__V8S_CONTEXT };
    return class < sizeof names / sizeof *names ? names[class] : FIRST_IDENTIFIER + class;
}

static void class_row(uint64_t node, ubi__v8_row *out) {
    unsigned class = (unsigned)((node - FIRST_CLASS) / 4);
    switch ((node - FIRST_CLASS) % 4) {
    case CONSTRUCTOR:
        out->type = UBI__V8_CLOSURE;
        out->name = class_name(class);
        out->size_bytes = 64;
        out->has_location = true;
        out->script_id = 10 + class % 7;
        out->line = class * 10;
        return;
    case PROTOTYPE:
        out->type = UBI__V8_OBJECT;
        out->name = class_name(class);
        out->size_bytes = 56;
        return;
    case CLASS_MAP:
        out->type = UBI__V8_OBJECT_SHAPE;
        out->name = UBI__V8S_META_MAP;
        out->size_bytes = 72;
        return;
    default:
        out->type = UBI__V8_OBJECT_SHAPE;
        out->name = UBI__V8S_DESCRIPTORS;
        out->size_bytes = 144;
    }
}

static bool is_array_group(const place *p) {
    return p->hash >> 10 & 1;
}

/* Groups differ: a WeakMap, a number, a second concatenated string, memory outside the heap. */
static void vary_row(const place *p, ubi__v8_row *out) {
    if (p->slot == SCOPE && has_weak_map(p)) {
        out->name = UBI__V8S_WEAK_MAP;
        out->size_bytes = 32;
    } else if (p->slot == CLOSURE && has_number(p)) {
        *out = (ubi__v8_row){ .type = UBI__V8_NUMBER, .name = UBI__V8S_HEAP_NUMBER, .size_bytes = 16 };
    } else if (p->slot == CLOSURE) {
        out->name = FIRST_IDENTIFIER + (uint32_t)(p->hash >> 32) % UBI__V8_IDENTIFIERS;
    } else if (p->slot == CONS_OR_STRING && has_cons(p)) {
        *out = (ubi__v8_row){ .type = UBI__V8_CONS_STRING, .name = UBI__V8S_CONS_STRING, .size_bytes = 32 };
    } else if (p->slot == CODE && p->group % 4 == 0) {
        out->name = p->group % 8 ? UBI__V8S_SCOPE_INFO : UBI__V8S_BYTECODE;
        out->size_bytes = 88;
    } else if (p->slot == PAIR && p->group % 64 == 9) {
        *out = (ubi__v8_row){ .type = UBI__V8_NATIVE, .name = UBI__V8S_BUFFER_DATA, .size_bytes = 64 + p->hash % 4096 };
    } else if (p->slot == TABLE && is_array_group(p)) {
        out->name = UBI__V8S_OBJECT_ELEMENTS;
        out->size_bytes = 32;
    }
}

static void string_row(const ubi__v8_heap *h, const place *p, ubi__v8_row *out) {
    static const uint8_t own[7] = { 1, 0, 2, 0, 3, 0, 4 }; /* which text of the group; 0: a common one */
    unsigned which = own[p->slot - STRINGS];
    ubi__v8_text text;
    if (which) {
        own_text(h, p->group, which, &text);
        out->name = group_text(p, which);
        out->size_bytes = (text.n + 19) / 8 * 8;
        return;
    }
    out->name = common_text(ubi__v8_hash(h, p->group, p->slot));
    out->size_bytes = 24;
}

/* DOM nodes in place of the records' dates, of which some hang in no document. */
static void chromium_row(const place *p, ubi__v8_row *out) {
    if (out->type == UBI__V8_HIDDEN)
        out->type = UBI__V8_NATIVE;
    if (p->slot != DATE)
        return;
    *out = (ubi__v8_row){ .type = UBI__V8_NATIVE, .name = UBI__V8S_DIV, .size_bytes = 96 };
    out->detachedness = p->hash % 3 ? 1 : 2;
}

static void group_row(const ubi__v8_heap *h, const place *p, ubi__v8_row *out) {
    const slot_row *slot = &slot_rows[p->slot];
    out->type = slot->type;
    out->name = slot->name;
    out->size_bytes = slot->size_bytes;
    if (p->slot == RECORD || (p->slot >= TREE && p->slot < PLAIN) || p->slot == CLOSURE) {
        out->has_location = true;
        out->script_id = 10 + slot->name % 7;
        out->line = slot->name * 10u;
    }
    if (out->type == UBI__V8_OBJECT && p->hash >> 16 & 1)
        out->trace_id = 1 + (uint32_t)(p->hash >> 40) % 200;
    if (slot->type == UBI__V8_STRING)
        string_row(h, p, out);
    vary_row(p, out);
}

static void row(const ubi__v8_heap *h, uint64_t node, ubi__v8_row *out) {
    if (node >= PROLOGUE) {
        place p = place_of(h, node);
        group_row(h, &p, out);
        if (ubi__v8_is_chromium(h))
            chromium_row(&p, out);
    } else if (node >= FIRST_NAME) {
        out->type = UBI__V8_STRING;
        out->name = FIRST_IDENTIFIER + (uint32_t)(node - FIRST_NAME);
        out->size_bytes = 32;
    } else if (node >= FIRST_CLASS) {
        class_row(node, out);
    } else {
        prologue_row(node, out);
    }
    if (ubi__v8_is_chromium(h) && out->type == UBI__V8_HIDDEN)
        out->type = UBI__V8_NATIVE;
    if (h->options->v8 == UBI__V8_NODE12 && out->type == UBI__V8_OBJECT_SHAPE)
        out->type = UBI__V8_HIDDEN;
    out->id = model_id(h, node);
    if (out->trace_id && ubi__v8_hash(h, node, 3) % 100 >= h->options->stack_percent)
        out->trace_id = 0;
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

typedef struct edge {
    ubi_edge_kind kind;
    uint32_t label;
    uint64_t to;
} edge;

static ubi_status put(ubi__v8_heap *h, ubi_edge_kind kind, uint64_t label, uint64_t to) {
    return ubi__v8_put_edge(h, kind, label, to < h->n_nodes ? to : UNDEFINED);
}
static ubi_status property(ubi__v8_heap *h, uint32_t name, uint64_t to) {
    return put(h, UBI_EDGE_PROPERTY, name, to);
}
static ubi_status field(ubi__v8_heap *h, uint32_t name, uint64_t to) {
    return put(h, UBI_EDGE_INTERNAL, name, to);
}

/* What every object begins with. */
static ubi_status object(ubi__v8_heap *h, unsigned class) {
    UBI_TRY(property(h, UBI__V8S_PROTO, class_node(class, PROTOTYPE)));
    return field(h, UBI__V8S_MAP, class_node(class, CLASS_MAP));
}

static ubi_status root_edges(ubi__v8_heap *h) {
    UBI_TRY(put(h, UBI_EDGE_ELEMENT, 1, GC_ROOTS));
    return ubi__v8_is_chromium(h) ? UBI_OK : put(h, UBI_EDGE_SHORTCUT, UBI__V8S_GLOBAL, GLOBAL);
}

static ubi_status gc_root_edges(ubi__v8_heap *h) {
    for (uint64_t i = 0; i < N_SUB_ROOTS; i++)
        UBI_TRY(put(h, UBI_EDGE_ELEMENT, i + 1, FIRST_SUB_ROOT + i));
    return UBI_OK;
}

static ubi_status sub_root_edges(ubi__v8_heap *h, uint64_t which) {
    switch (which) {
    case 0:
        for (uint64_t i = GLOBAL; i < FIRST_CLASS; i++)
            UBI_TRY(field(h, (uint32_t)(FIRST_SLOT_NAME + i % UBI__V8_SLOT_NAMES), i));
        return UBI_OK;
    case 5:
        for (uint64_t i = FIRST_NAME; i < PROLOGUE; i++)
            UBI_TRY(put(h, UBI_EDGE_WEAK, FIRST_SLOT_NAME + i % UBI__V8_SLOT_NAMES, i));
        return UBI_OK;
    case 7:
        return put(h, UBI_EDGE_HIDDEN, 1, UNDEFINED);
    default:
        return UBI_OK;
    }
}

static ubi_status global_edges(ubi__v8_heap *h) {
    UBI_TRY(object(h, UBI__V8_CLASS_OBJECT));
    for (unsigned class = 0; class < UBI__V8_CLASS_COUNT; class ++)
        UBI_TRY(property(h, class_name(class), class_node(class, CONSTRUCTOR)));
    for (uint64_t i = 0; i < PROLOGUE - FIRST_NAME; i++)
        UBI_TRY(field(h, (uint32_t)(FIRST_IDENTIFIER + i), FIRST_NAME + i));
    return property(h, UBI__V8S_LINES, PROLOGUE + RECORD);
}

static ubi_status class_edges(ubi__v8_heap *h, uint64_t node) {
    unsigned class = (unsigned)((node - FIRST_CLASS) / 4);
    switch ((node - FIRST_CLASS) % 4) {
    case CONSTRUCTOR:
        UBI_TRY(object(h, UBI__V8_CLASS_FUNCTION));
        UBI_TRY(property(h, UBI__V8S_PROTOTYPE, class_node(class, PROTOTYPE)));
        return field(h, UBI__V8S_INITIAL_MAP, class_node(class, CLASS_MAP));
    case PROTOTYPE:
        UBI_TRY(object(h, UBI__V8_CLASS_OBJECT));
        return property(h, UBI__V8S_CONSTRUCTOR, class_node(class, CONSTRUCTOR));
    case CLASS_MAP:
        UBI_TRY(field(h, UBI__V8S_MAP, META_MAP));
        UBI_TRY(field(h, UBI__V8S_PROTOTYPE, class_node(class, PROTOTYPE)));
        UBI_TRY(field(h, UBI__V8S_DESCRIPTORS_EDGE, class_node(class, CLASS_DESCRIPTORS)));
        UBI_TRY(field(h, UBI__V8S_DEPENDENT_CODE, UNDEFINED));
        return put(h, UBI_EDGE_WEAK, UBI__V8S_TRANSITION, class_node((class + 1) % UBI__V8_CLASS_COUNT, CLASS_MAP));
    default:
        UBI_TRY(field(h, UBI__V8S_MAP, META_MAP));
        for (uint64_t i = 0; i < 6; i++)
            UBI_TRY(field(h, FIRST_SLOT_NAME + 2 + (uint32_t)i, FIRST_NAME + (class * 5 + i) % 256));
        return UBI_OK;
    }
}

static ubi_status record_edges(ubi__v8_heap *h, const place *p) {
    uint64_t parent = p->group ? PROLOGUE + (p->group - 1) / CHILD_GROUPS * GROUP_NODES : GLOBAL;
    UBI_TRY(property(h, UBI__V8S_NAME, p->first + CONS));
    UBI_TRY(property(h, UBI__V8S_TAGS, p->first + TAGS));
    UBI_TRY(property(h, UBI__V8S_CREATED, p->first + DATE));
    UBI_TRY(property(h, UBI__V8S_LINES, p->first + CHILDREN));
    UBI_TRY(property(h, UBI__V8S_PARENT, parent));
    UBI_TRY(property(h, UBI__V8S_EXPRESSION, p->first + TREE));
    UBI_TRY(property(h, UBI__V8S_SKU, p->first + PLAIN));
    UBI_TRY(object(h, UBI__V8_CLASS_USER));
    return field(h, UBI__V8S_PROPERTIES, p->first + PROPERTY_ARRAY);
}

static ubi_status array_edges(ubi__v8_heap *h, const place *p, const uint64_t *elements, unsigned n, uint64_t store) {
    UBI_TRY(object(h, UBI__V8_CLASS_ARRAY));
    for (unsigned i = 0; i < n; i++)
        if (elements[i] < h->n_nodes)
            UBI_TRY(put(h, UBI_EDGE_ELEMENT, i, elements[i]));
    return field(h, UBI__V8S_ELEMENTS, p->first + store);
}

static ubi_status store_edges(ubi__v8_heap *h, const uint64_t *elements, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (elements[i] < h->n_nodes)
            UBI_TRY(field(h, FIRST_SLOT_NAME + i, elements[i]));
    return UBI_OK;
}

static void find_children(const place *p, uint64_t out[CHILD_GROUPS]) {
    for (uint64_t i = 0; i < CHILD_GROUPS; i++)
        out[i] = PROLOGUE + (CHILD_GROUPS * p->group + 1 + i) * GROUP_NODES;
}

static ubi_status tree_edges(ubi__v8_heap *h, const place *p) {
    unsigned which = p->slot - TREE;
    uint64_t parent = which ? p->first + TREE + (which - 1) / 2 : p->first + RECORD;
    bool documented = p->hash >> (20 + which) & 1;
    UBI_TRY(property(h, UBI__V8S_PARENT, parent));
    UBI_TRY(property(h, UBI__V8S_ORIGINAL, UNDEFINED));
    UBI_TRY(property(h, UBI__V8S_EMIT_NODE, UNDEFINED));
    UBI_TRY(object(h, UBI__V8_CLASS_NODE_OBJECT));
    if (documented)
        UBI_TRY(property(h, UBI__V8S_JS_DOC, UNDEFINED));
    if (documented)
        UBI_TRY(property(h, UBI__V8S_SYMBOL_PROPERTY, UNDEFINED));
    for (unsigned child = 2 * which + 1; child <= 2 * which + 2 && child < 6; child++)
        UBI_TRY(property(h, child % 2 ? UBI__V8S_EXPRESSION : UBI__V8S_NEXT, p->first + TREE + child));
    if (which >= 3)
        return property(h, UBI__V8S_NAME, p->first + IDENTIFIERS + which - 3);
    return which ? UBI_OK : property(h, UBI__V8S_SKU, p->first + TOKEN);
}

static ubi_status identifier_edges(ubi__v8_heap *h, const place *p) {
    unsigned which = p->slot - IDENTIFIERS;
    UBI_TRY(property(h, UBI__V8S_PARENT, p->first + TREE + 3 + which));
    UBI_TRY(property(h, UBI__V8S_EMIT_NODE, UNDEFINED));
    UBI_TRY(property(h, UBI__V8S_JS_DOC, UNDEFINED));
    UBI_TRY(property(h, UBI__V8S_FLOW_NODE, UNDEFINED));
    UBI_TRY(object(h, UBI__V8_CLASS_IDENTIFIER_OBJECT));
    return property(h, UBI__V8S_ESCAPED_TEXT, p->first + STRINGS + which);
}

/* The table leads to the value under the same name as the key does, and holds the key weakly. */
static ubi_status weak_map_edges(ubi__v8_heap *h, const place *p) {
    UBI_TRY(object(h, UBI__V8_CLASS_WEAK_MAP));
    return field(h, UBI__V8S_TABLE, p->first + TABLE);
}

static ubi_status table_edges(ubi__v8_heap *h, const place *p) {
    UBI_TRY(field(h, UBI__V8S_MAP, META_MAP));
    if (!has_weak_map(p))
        return field(h, FIRST_SLOT_NAME + 3, p->first + STRINGS + 5);
    UBI_TRY(put(h, UBI_EDGE_WEAK, FIRST_SLOT_NAME + 2, p->first + RECORD));
    return field(h, group_text(p, 0), p->first + PLAIN);
}

static ubi_status scope_edges(ubi__v8_heap *h, const place *p) {
    if (has_weak_map(p))
        return weak_map_edges(h, p);
    UBI_TRY(field(h, UBI__V8S_SCOPE_INFO_EDGE, p->first + CODE));
    UBI_TRY(field(h, UBI__V8S_MAP, class_node(UBI__V8_CLASS_CONTEXT, CLASS_MAP)));
    UBI_TRY(field(h, UBI__V8S_PREVIOUS, NATIVE_CONTEXT));
    return put(h, UBI_EDGE_CONTEXT, FIRST_IDENTIFIER + p->hash % 512, p->first + PLAIN);
}

static ubi_status closure_edges(ubi__v8_heap *h, const place *p) {
    if (has_number(p))
        return field(h, UBI__V8S_MAP, META_MAP);
    UBI_TRY(object(h, UBI__V8_CLASS_FUNCTION));
    UBI_TRY(field(h, UBI__V8S_FEEDBACK, p->first + CODE));
    UBI_TRY(field(h, UBI__V8S_SHARED, p->first + CODE_DATA));
    UBI_TRY(field(h, UBI__V8S_CONTEXT_EDGE, p->first + SCOPE));
    return field(h, UBI__V8S_CODE, p->first + CODE_DATA);
}

static ubi_status plain_edges(ubi__v8_heap *h, const place *p) {
    UBI_TRY(property(h, UBI__V8S_SKU, p->first + STRINGS + 3));
    if (p->hash >> 12 & 1)
        UBI_TRY(property(h, UBI__V8S_NEXT, p->first + TOKEN));
    UBI_TRY(object(h, UBI__V8_CLASS_OBJECT));
    return put(h, UBI_EDGE_HIDDEN, 3, p->first + CLOSURE);
}

static ubi_status cons_edges(ubi__v8_heap *h, uint64_t first, uint64_t second) {
    UBI_TRY(field(h, UBI__V8S_MAP, META_MAP));
    UBI_TRY(field(h, UBI__V8S_FIRST, first));
    return field(h, UBI__V8S_SECOND, second);
}

static ubi_status code_edges(ubi__v8_heap *h, const place *p) {
    UBI_TRY(field(h, UBI__V8S_MAP, META_MAP));
    if (p->slot == CODE)
        return put(h, UBI_EDGE_HIDDEN, 2, p->first + CODE_DATA);
    UBI_TRY(put(h, UBI_EDGE_HIDDEN, 1, p->first + STRINGS + 4));
    return field(h, UBI__V8S_SCRIPT, SCRIPT);
}

/* Nodes that hold two things: what they hold is all their group has to hang in. */
static ubi_status pair_edges(ubi__v8_heap *h, const place *p) {
    UBI_TRY(field(h, UBI__V8S_MAP, META_MAP));
    if (p->slot == PAIR)
        return field(h, UBI__V8S_GETTER, p->first + CLOSURE);
    UBI_TRY(put(h, UBI_EDGE_HIDDEN, 1, p->first + PAIR));
    UBI_TRY(put(h, UBI_EDGE_HIDDEN, 2, p->first + SCOPE));
    UBI_TRY(put(h, UBI_EDGE_HIDDEN, 3, p->first + TABLE));
    return put(h, UBI_EDGE_HIDDEN, 4, p->first + CODE);
}

/* The last group may lack some of its nodes; then its record holds all that are there. */
static ubi_status last_group_edges(ubi__v8_heap *h, const place *p) {
    if (p->first + GROUP_NODES <= h->n_nodes)
        return UBI_OK;
    for (uint64_t i = p->first + 1; i < h->n_nodes; i++)
        UBI_TRY(put(h, UBI_EDGE_HIDDEN, i - p->first, i));
    return UBI_OK;
}

static ubi_status group_edges(ubi__v8_heap *h, const place *p) {
    uint64_t children[CHILD_GROUPS];
    const uint64_t tags[2] = { p->first + STRINGS + 5, p->first + CONS_OR_STRING };
    switch (p->slot) {
    case RECORD:
        UBI_TRY(record_edges(h, p));
        UBI_TRY(last_group_edges(h, p));
        return has_weak_map(p) ? field(h, group_text(p, 0), p->first + PLAIN) : UBI_OK;
    case CHILDREN:
    case CHILDREN_ELEMENTS:
        find_children(p, children);
        return p->slot == CHILDREN ? array_edges(h, p, children, CHILD_GROUPS, CHILDREN_ELEMENTS)
                                   : store_edges(h, children, CHILD_GROUPS);
    case TAGS:
        return array_edges(h, p, tags, 2, TAGS_ELEMENTS);
    case TAGS_ELEMENTS:
        return store_edges(h, tags, 2);
    case PLAIN:
        return plain_edges(h, p);
    case DATE:
        return object(h, UBI__V8_CLASS_DATE);
    case TOKEN:
        UBI_TRY(property(h, UBI__V8S_PARENT, p->first + TREE));
        UBI_TRY(property(h, UBI__V8S_EMIT_NODE, UNDEFINED));
        return object(h, UBI__V8_CLASS_TOKEN_OBJECT);
    case SCOPE:
        return scope_edges(h, p);
    case CONS:
        return cons_edges(h, p->first + STRINGS, p->first + CONS_OR_STRING);
    case TABLE:
        return table_edges(h, p);
    case PROPERTY_ARRAY:
    case PAIR:
        return pair_edges(h, p);
    case CLOSURE:
        return closure_edges(h, p);
    case CODE:
    case CODE_DATA:
        return code_edges(h, p);
    default:
        break;
    }
    if (p->slot >= TREE && p->slot < IDENTIFIERS)
        return tree_edges(h, p);
    if (p->slot >= IDENTIFIERS && p->slot < PLAIN)
        return identifier_edges(h, p);
    if (p->slot == CONS_OR_STRING && has_cons(p))
        return cons_edges(h, p->first + STRINGS + 1, p->first + STRINGS + 2);
    return field(h, UBI__V8S_MAP, META_MAP);
}

static ubi_status edges(ubi__v8_heap *h, uint64_t node) {
    if (node >= PROLOGUE) {
        place p = place_of(h, node);
        return group_edges(h, &p);
    }
    if (node >= FIRST_NAME)
        return field(h, UBI__V8S_MAP, META_MAP);
    if (node >= FIRST_CLASS)
        return class_edges(h, node);
    if (node == ROOT)
        return root_edges(h);
    if (node == GC_ROOTS)
        return gc_root_edges(h);
    if (node == GLOBAL)
        return global_edges(h);
    return node < GLOBAL ? sub_root_edges(h, node - FIRST_SUB_ROOT) : field(h, UBI__V8S_MAP, META_MAP);
}

/* ---- size -------------------------------------------------------------------------------------------------------- */

/* A little less than nodes have edges, so that the rest can be made up. */
#define NODES_PER_1000_EDGES 240
#define NODES_MIN (PROLOGUE + GROUP_NODES)

static ubi_status plan(ubi__v8_heap *h) {
    const ubi__generator_options *o = h->options;
    h->n_nodes = o->n_nodes ? o->n_nodes : o->n_edges * NODES_PER_1000_EDGES / 1000;
    if (h->n_nodes < NODES_MIN)
        return ubi__fail(UBI_EINVAL, "the shape v8 has at least %d nodes", NODES_MIN);
    h->n_strings = FIRST_GROUP_TEXT + group_count(h) * UBI__V8_GROUP_TEXTS;
    return UBI_OK;
}

const ubi__v8_shape ubi__v8_model = { plan, row, edges, string };
