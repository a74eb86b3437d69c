/* SPDX-License-Identifier: MIT
 *
 * v8_model.h: what a large Node.js program's heap is made of, as numbers.
 *
 * Read off a snapshot of Node.js 20 with 6.5 million nodes: a compiler that keeps its syntax trees, beside records, maps and
 * closures. v8_model.c turns it into heaps of any size: a prologue of roots, classes and names, then groups of 32 nodes.
 */
#ifndef UBI_BENCH_V8_MODEL_H
#define UBI_BENCH_V8_MODEL_H

/** Strings with fixed numbers, from 1 on: UBI__V8S_x. The first two are those of ubi__v8_heap.h. */
#define UBI__V8_FIXED_STRINGS(X)                                                                                       \
    X(EMPTY, "")                                                                                                       \
    X(MAP, "map")                                                                                                      \
    X(GC_ROOTS, "(GC roots)")                                                                                          \
    X(STRONG_ROOTS, "(Strong roots)")                                                                                  \
    X(STACK_ROOTS, "(Stack roots)")                                                                                    \
    X(HANDLE_SCOPE, "(Handle scope)")                                                                                  \
    X(GLOBAL_HANDLES, "(Global handles)")                                                                              \
    X(BUILTINS, "(Builtins)")                                                                                          \
    X(INTERNALIZED, "(Internalized strings)")                                                                          \
    X(WEAK_COLLECTIONS, "(Weak collections)")                                                                          \
    X(GLOBAL, "global")                                                                                                \
    X(ODDBALL, "system / Oddball")                                                                                     \
    X(META_MAP, "system / Map")                                                                                        \
    X(NATIVE_CONTEXT, "system / NativeContext")                                                                        \
    X(SCRIPT_FILE, "/srv/app/server.js")                                                                               \
    X(DESCRIPTORS, "system / DescriptorArray")                                                                         \
    X(PROPERTY_ARRAY, "system / PropertyArray")                                                                        \
    X(ACCESSOR_PAIR, "system / AccessorPair")                                                                          \
    X(FEEDBACK_CELL, "system / FeedbackCell")                                                                          \
    X(UNCOMPILED, "system / UncompiledDataWithoutPreparseData")                                                        \
    X(SCOPE_INFO, "system / ScopeInfo")                                                                                \
    X(BYTECODE, "system / BytecodeArray")                                                                              \
    X(BUFFER_DATA, "system / JSArrayBufferData")                                                                       \
    X(CONTEXT, "system / Context")                                                                                     \
    X(OBJECT_ELEMENTS, "(object elements)")                                                                            \
    X(CONS_STRING, "(concatenated string)")                                                                            \
    X(SLICED_STRING, "(sliced string)")                                                                                \
    X(HEAP_NUMBER, "heap number")                                                                                      \
    X(SYMBOL, "symbol")                                                                                                \
    X(OBJECT, "Object")                                                                                                \
    X(ARRAY, "Array")                                                                                                  \
    X(DATE, "Date")                                                                                                    \
    X(WEAK_MAP, "WeakMap")                                                                                             \
    X(NODE_OBJECT, "NodeObject")                                                                                       \
    X(IDENTIFIER_OBJECT, "IdentifierObject")                                                                           \
    X(TOKEN_OBJECT, "TokenObject")                                                                                     \
    X(USER, "User")                                                                                                    \
    X(ORDER, "Order")                                                                                                  \
    X(DIV, "<div class=\"row\">")                                                                                      \
    X(PROTO, "__proto__")                                                                                              \
    X(PARENT, "parent")                                                                                                \
    X(ORIGINAL, "original")                                                                                            \
    X(EMIT_NODE, "emitNode")                                                                                           \
    X(JS_DOC, "jsDoc")                                                                                                 \
    X(SYMBOL_PROPERTY, "localSymbol")                                                                                  \
    X(FLOW_NODE, "flowNode")                                                                                           \
    X(EXPRESSION, "expression")                                                                                        \
    X(NAME, "name")                                                                                                    \
    X(ESCAPED_TEXT, "escapedText")                                                                                     \
    X(TAGS, "tags")                                                                                                    \
    X(CREATED, "created")                                                                                              \
    X(SKU, "sku")                                                                                                      \
    X(NEXT, "next")                                                                                                    \
    X(ELEMENTS, "elements")                                                                                            \
    X(TABLE, "table")                                                                                                  \
    X(PROPERTIES, "properties")                                                                                        \
    X(FIRST, "first")                                                                                                  \
    X(SECOND, "second")                                                                                                \
    X(PARENT_STRING, "parent")                                                                                         \
    X(GETTER, "getter")                                                                                                \
    X(FEEDBACK, "feedback_cell")                                                                                       \
    X(SHARED, "shared")                                                                                                \
    X(CODE, "code")                                                                                                    \
    X(CONTEXT_EDGE, "context")                                                                                         \
    X(SCOPE_INFO_EDGE, "scope_info")                                                                                   \
    X(PREVIOUS, "previous")                                                                                            \
    X(VALUE, "value")                                                                                                  \
    X(SCRIPT, "script_or_debug_info")                                                                                  \
    X(CONSTRUCTOR, "constructor")                                                                                      \
    X(PROTOTYPE, "prototype")                                                                                          \
    X(DESCRIPTORS_EDGE, "descriptors")                                                                                 \
    X(DEPENDENT_CODE, "dependent_code")                                                                                \
    X(BACK_POINTER, "back_pointer")                                                                                    \
    X(TRANSITION, "transition")                                                                                        \
    X(ENUM_CACHE, "enum_cache")                                                                                        \
    X(INITIAL_MAP, "initial_map")                                                                                      \
    X(BACKING_STORE, "backing_store")                                                                                  \
    X(LINES, "lines")

#define UBI__AS_ENUM(name, text) UBI__V8S_##name,
enum { UBI__V8S_DUMMY, UBI__V8_FIXED_STRINGS(UBI__AS_ENUM) UBI__V8S_COUNT };
#undef UBI__AS_ENUM

/** Names "0" to "15" of fields that have numbers for names, behind the fixed strings. */
#define UBI__V8_SLOT_NAMES 16
/** Identifiers, and texts that many strings share. */
#define UBI__V8_IDENTIFIERS 1024
#define UBI__V8_COMMON_TEXTS 4096
/** Texts of its own that each group has. */
#define UBI__V8_GROUP_TEXTS 5

/** Classes, each with a constructor, a prototype, a map and descriptors in the prologue. */
enum {
    UBI__V8_CLASS_OBJECT,
    UBI__V8_CLASS_ARRAY,
    UBI__V8_CLASS_DATE,
    UBI__V8_CLASS_WEAK_MAP,
    UBI__V8_CLASS_FUNCTION,
    UBI__V8_CLASS_NODE_OBJECT,
    UBI__V8_CLASS_IDENTIFIER_OBJECT,
    UBI__V8_CLASS_TOKEN_OBJECT,
    UBI__V8_CLASS_USER,
    UBI__V8_CLASS_ORDER,
    UBI__V8_CLASS_CONTEXT,
    UBI__V8_CLASS_COUNT = 64 /* the others are called by identifiers */
};

#endif
