/* SPDX-License-Identifier: MIT
 *
 * browser_model.h: what a browser's heap is made of, as numbers.
 *
 * Read off a Firefox snapshot of a whole idle browser (330,644 nodes, 1,031,287 edges): kinds of nodes and how many of
 * each, sizes, edge names and what they lead to. browser_heap.c turns it into heaps of any size.
 */
#ifndef UBI_BENCH_BROWSER_MODEL_H
#define UBI_BENCH_BROWSER_MODEL_H

#include <ubiheap/core/node.h>

/** What the model distinguishes: finer than the type name for objects. */
typedef enum ubi__kind {
    UBI__KIND_FUNCTION,
    UBI__KIND_OBJECT,
    UBI__KIND_ARRAY,
    UBI__KIND_CALL,
    UBI__KIND_OTHER_OBJECT,
    UBI__KIND_STRING,
    UBI__KIND_SCOPE,
    UBI__KIND_SCRIPT,
    UBI__KIND_PROP_MAP,
    UBI__KIND_SHAPE,
    UBI__KIND_GETTER_SETTER,
    UBI__KIND_DOM_NODE,
    UBI__KIND_BASE_SHAPE,
    UBI__KIND_SYMBOL,
    UBI__KIND_REG_EXP,
    UBI__KIND_JIT_CODE,
    UBI__KIND_DOCUMENT,
    UBI__KIND_COUNT
} ubi__kind;

/** An edge name: a class in the top 4 bits and a number below. */
typedef uint32_t ubi__name_code;
enum {
    UBI__NAME_FIXED,    /* the text ubi__fixed_names[number] */
    UBI__NAME_SLOT,     /* "**UNKNOWN SLOT number**" */
    UBI__NAME_ELEMENT,  /* "objectElements[number]" */
    UBI__NAME_PROPERTY, /* an identifier out of a pool */
    UBI__NAME_ONCE,     /* a text that occurs once in the file */
    UBI__NAME_CLASS_COUNT
};
#define UBI__NAME(class, number) ((uint32_t)(class) << 28 | (uint32_t)(number))
#define UBI__NAME_CLASS(code) ((code) >> 28)
#define UBI__NAME_NUMBER(code) ((code)&0xfffffff)
/** As number, in rules: drawn again for each edge. */
#define UBI__NAME_DRAWN 0xfffffff

/** Numbers of fixed names: UBI__N_x. */
#define UBI__FIXED_NAMES(X)                                                                                            \
    X(SHAPE, "shape")                                                                                                  \
    X(SCRIPT, "JSFunction script")                                                                                     \
    X(SCOPE_ENCLOSING, "scope enclosing")                                                                              \
    X(SCOPE_FUNCTION, "scope canonical function")                                                                      \
    X(SCOPE_ENV_SHAPE, "scope env shape")                                                                              \
    X(SCOPE_NAME, "scope name")                                                                                        \
    X(SOURCE_OBJECT, "sourceObject")                                                                                   \
    X(FUNCTION, "function")                                                                                            \
    X(GC_THING, "script-gcthing")                                                                                      \
    X(STUB, "baseline-ic-stub-code")                                                                                   \
    X(MAP_TABLE, "PropMapTable map")                                                                                   \
    X(MAP_KEY, "propmap_key")                                                                                          \
    X(MAP_PARENT, "propmap_parent")                                                                                    \
    X(MAP_PREVIOUS, "propmap_previous")                                                                                \
    X(BASE, "base")                                                                                                    \
    X(PROPERTY_MAP, "propertymap")                                                                                     \
    X(GETTER, "gettersetter_getter")                                                                                   \
    X(SETTER, "gettersetter_setter")                                                                                   \
    X(PARENT, "Parent Node")                                                                                           \
    X(CHILD, "Child Node")                                                                                             \
    X(GLOBAL, "baseshape_global")                                                                                      \
    X(PROTO, "baseshape_proto")                                                                                        \
    X(DESCRIPTION, "symbol description")                                                                               \
    X(SOURCE, "RegExpShared source")                                                                                   \
    X(LEFT, "left child")                                                                                              \
    X(RIGHT, "right child")                                                                                            \
    X(ENVIRONMENT, "enclosing_environment")                                                                            \
    X(CALLEE, "callee_slot")                                                                                           \
    X(HASHABLE, "HashableValue")                                                                                       \
    X(PINNED, "pinned atom")                                                                                           \
    X(MEMBERS, "XPCNativeInterface::mMembers")                                                                         \
    X(CALLBACK, "mCallback")                                                                                           \
    X(EXACT, "exact-Object")                                                                                           \
    X(NEXT, "next")                                                                                                    \
    X(VALUE, "value")

#define UBI__AS_ENUM(name, text) UBI__N_##name,
enum { UBI__FIXED_NAMES(UBI__AS_ENUM) UBI__FIXED_NAME_COUNT };
#undef UBI__AS_ENUM

/** An edge that nodes of a kind may have. */
typedef struct ubi__edge_rule {
    ubi__name_code name;
    ubi__kind target;
    uint16_t weight; /* see ubi__kind_model; 0 ends a list */
} ubi__edge_rule;

#define UBI__ALWAYS_MAX 5
#define UBI__FILL_MAX 8

typedef struct ubi__kind_model {
    const char *type_name;
    const char *class_name; /* NULL: none; "": one of many */
    ubi_coarse_type coarse_type;
    uint32_t share;                         /* of UBI__SHARES nodes */
    uint16_t cell_bytes;                    /* in the garbage collector's arenas */
    uint16_t malloc_percent;                /* how many have memory outside their cell */
    uint16_t mean_fill_tenths;              /* tenths of `fill` edges per node */
    ubi__edge_rule always[UBI__ALWAYS_MAX]; /* in this order; weight: present in so many of 1000 nodes */
    ubi__edge_rule fill[UBI__FILL_MAX];     /* behind them, any number; weight: against each other */
} ubi__kind_model;

#define UBI__SHARES 100000

/** How an edge chooses among the discovered nodes of a kind, percent: one of the oldest, one close by; else any. */
typedef struct ubi__reuse_model {
    uint8_t hot, local;
} ubi__reuse_model;

extern const char *const ubi__fixed_names[UBI__FIXED_NAME_COUNT];
extern const ubi__kind_model ubi__kind_models[UBI__KIND_COUNT];
extern const ubi__edge_rule ubi__root_rules[UBI__FILL_MAX + 1]; /* weights against each other */
extern const ubi__reuse_model ubi__reuse_models[UBI__KIND_COUNT];

#endif
