/* SPDX-License-Identifier: MIT
 *
 * facts.h: small questions to the engine's structures whose answer differs between versions of it.
 *
 * What a version has is in ubi_features.h, made by probe.sh from its source.
 */
#ifndef UBI_QUICKJS_FACTS_H
#define UBI_QUICKJS_FACTS_H

#include "ubi_features.h"

#include "engines/quickjs/adapter/kinds.h"

/** The count of references of anything that is counted. */
static inline int ubi__ref_count(const void *p) {
#if UBI_RC_IN_BLOCK
    return js_rc((void *)p)->ref_count;
#else
    return *(const int *)p;
#endif
}

/** The kind of what is on the collector's list. */
static inline ubi__kind ubi__listed_kind(const void *header) {
#if UBI_RC_IN_BLOCK
    int type = js_rc((void *)header)->gc_obj_type;
#else
    int type = ((const JSGCObjectHeader *)header)->gc_obj_type;
#endif
    switch (type) {
    case JS_GC_OBJ_TYPE_JS_OBJECT:
        return UBI__OBJECT;
    case JS_GC_OBJ_TYPE_FUNCTION_BYTECODE:
        return UBI__BYTECODE;
    case JS_GC_OBJ_TYPE_SHAPE:
        return UBI__SHAPE;
    case JS_GC_OBJ_TYPE_VAR_REF:
        return UBI__VAR_REF;
    case JS_GC_OBJ_TYPE_ASYNC_FUNCTION:
        return UBI__ASYNC_STATE;
#if UBI_MODULE_GC
    case JS_GC_OBJ_TYPE_MODULE:
        return UBI__MODULE;
#endif
    default:
        return UBI__REALM;
    }
}

#if !UBI_SHAPE_PROP /* there they are a member at its end */
static inline JSShapeProperty *get_shape_prop(JSShape *shape) {
    return shape->prop;
}
#endif

/** The kind of what a value with this tag points to. */
static inline ubi__kind ubi__kind_of_tag(int tag) {
    switch (tag) {
    case JS_TAG_OBJECT:
        return UBI__OBJECT;
    case JS_TAG_STRING:
        return UBI__STRING;
    case JS_TAG_SYMBOL:
        return UBI__SYMBOL;
    case JS_TAG_FUNCTION_BYTECODE:
        return UBI__BYTECODE;
    case JS_TAG_MODULE:
        return UBI__MODULE;
#if UBI_ROPE
    case JS_TAG_STRING_ROPE:
        return UBI__ROPE;
#endif
#if UBI_BFDEC
    case JS_TAG_BIG_FLOAT:
        return UBI__BIG_FLOAT;
    case JS_TAG_BIG_DECIMAL:
        return UBI__BIG_DECIMAL;
#endif
    default:
        return UBI__BIG_INT;
    }
}

static inline bool ubi__is_open(const JSVarRef *ref) {
    return !ref->is_detached;
}

/** Whether open variables are on the collector's list as well: their frame does not use their link. */
#define UBI__OPEN_REFS_ARE_LISTED (UBI_VARREF_ASYNC || UBI_VARREF_FRAME || UBI_VARREF_CORO)

/** The text that this one is a part of and holds, or NULL. */
static inline JSString *ubi__slice_parent(const JSString *p) {
#if UBI_STR_KIND
    return p->kind == UBI_STRING_SLICE ? ((const JSStringSlice *)(p + 1))->parent : NULL;
#else
    return NULL;
#endif
}

/** The second block of a text that does not follow its header, or NULL. */
static inline const void *ubi__string_block(const JSString *p) {
#if UBI_STR_INDIRECT
    return p->kind == UBI_STRING_INDIRECT ? *(const void *const *)(p + 1) : NULL;
#else
    return NULL;
#endif
}

/** The kind of a string's block: atoms of symbols have the same structure. */
static inline ubi__kind ubi__string_kind(const JSString *p) {
    return p->atom_type == JS_ATOM_TYPE_STRING || p->atom_type == 0 ? UBI__STRING : UBI__SYMBOL;
}

/** Whether a property key that is an atom is a symbol; private names (#x) are not. */
static inline bool ubi__is_symbol(const JSString *atom) {
    return atom->atom_type == JS_ATOM_TYPE_GLOBAL_SYMBOL ||
           (atom->atom_type == JS_ATOM_TYPE_SYMBOL && atom->hash != JS_ATOM_HASH_PRIVATE);
}

/** NULL: the atom is a number, or was freed, or is built into the engine and so not counted. */
static inline JSString *ubi__counted_atom(JSRuntime *rt, JSAtom atom) {
    if (atom < JS_ATOM_END || __JS_AtomIsTaggedInt(atom) || (int64_t)atom >= (int64_t)rt->atom_size)
        return NULL;
    JSString *p = rt->atom_array[atom];
    return atom_is_free(p) ? NULL : p;
}

static inline JSMallocState *ubi__malloc_state(JSRuntime *rt) {
#if UBI_MALLOC_CTX
    return &rt->malloc_ctx.malloc_state;
#else
    return &rt->malloc_state;
#endif
}
/** Bytes of the engine's heap, as it counts them. */
static inline size_t ubi__heap_bytes(JSRuntime *rt) {
    return ubi__malloc_state(rt)->malloc_size;
}

/** The program's functions. */
static inline const JSMallocFunctions *ubi__malloc_functions(const JSRuntime *rt) {
#if UBI_MALLOC_CTX
    return &rt->malloc_ctx.mf;
#else
    return &rt->mf;
#endif
}

/** What a block that is the program's own takes, as the engine counts that: of the runtime itself, or an arena. */
static inline uint64_t ubi__program_block_bytes(const JSRuntime *rt, const void *block) {
    const JSMallocFunctions *functions = ubi__malloc_functions(rt);
    return (functions->js_malloc_usable_size ? functions->js_malloc_usable_size(block) : 0) + MALLOC_OVERHEAD;
}

/** Bytes of the heap without free places of an allocator that charges whole arenas. */
static inline size_t ubi__used_heap_bytes(JSRuntime *rt) {
    size_t bytes = ubi__heap_bytes(rt);
#if UBI_MALLOC_CTX
    struct list_head *el;
    for (size_t i = 0; i < countof(rt->malloc_ctx.arena_list); i++)
        list_for_each(el, &rt->malloc_ctx.arena_list[i]) {
            const JSMallocArena *arena = list_entry(el, JSMallocArena, link);
            bytes -= ubi__program_block_bytes(rt, arena);
            bytes += (size_t)arena->n_used_blocks * js_malloc_block_sizes[i];
        }
#endif
    return bytes;
}

uint64_t ubi__block_count(JSRuntime *rt) {
    uint64_t n = ubi__malloc_state(rt)->malloc_count;
#if UBI_MALLOC_CTX
    struct list_head *el;
    for (size_t i = 0; i < countof(rt->malloc_ctx.arena_list); i++)
        list_for_each(el, &rt->malloc_ctx.arena_list[i]) n += list_entry(el, JSMallocArena, link)->n_used_blocks - 1;
#endif
    return n;
}

/** What one block takes of the engine's heap, as it counts that. Never an address inside of a block. */
static inline uint64_t ubi__block_bytes(JSRuntime *rt, const void *block) {
    if (!block)
        return 0;
#if UBI_MALLOC_CTX /* blocks outside of arenas are charged with their headers */
    const JSMallocBlockHeader *header =
        (const JSMallocBlockHeader *)((const char *)block - offsetof(JSMallocBlockHeader, user_data));
    if (header->u.block_idx == FREE_NIL)
        return header == get_zero_size_block(&rt->malloc_ctx)
                   ? 0
                   : ubi__program_block_bytes(rt, (const char *)block -
                                                      offsetof(JSMallocLargeBlockHeader, header.user_data));
#endif
    return js_malloc_usable_size_rt(rt, block) + MALLOC_OVERHEAD;
}

#if UBI_BFDEC
typedef JSBigFloat ubi__long_number; /* big integers, too */
#else
typedef JSBigInt ubi__long_number;
#endif

static inline bool ubi__is_function_with_bytecode(int class_id) {
    return class_id == JS_CLASS_BYTECODE_FUNCTION || class_id == JS_CLASS_GENERATOR_FUNCTION ||
           class_id == JS_CLASS_ASYNC_FUNCTION || class_id == JS_CLASS_ASYNC_GENERATOR_FUNCTION;
}

static inline const JSString *ubi__atom_string(JSRuntime *rt, JSAtom atom) {
    if (atom == JS_ATOM_NULL || __JS_AtomIsTaggedInt(atom) || (int64_t)atom >= (int64_t)rt->atom_size ||
        atom_is_free(rt->atom_array[atom]))
        return NULL;
    return rt->atom_array[atom];
}
static inline bool ubi__string_is_wide(const JSString *p) {
    return p->is_wide_char;
}
static inline const void *ubi__string_units(const JSString *p) {
#if UBI_STR8_FN
    return p->is_wide_char ? (const void *)str16((JSString *)p) : (const void *)str8((JSString *)p);
#else
    return p->u.str8;
#endif
}

/** Arguments and local variables of a function by number, arguments first. */
static inline JSAtom ubi__variable_name(const JSFunctionBytecode *b, int variable) {
    return b->vardefs && variable >= 0 && variable < b->arg_count + b->var_count ? b->vardefs[variable].var_name
                                                                                 : JS_ATOM_NULL;
}

/** The bytecode that a function runs, or NULL. */
static inline JSFunctionBytecode *ubi__bytecode_of(const JSObject *p) {
    return ubi__is_function_with_bytecode(p->class_id) ? p->u.func.function_bytecode : NULL;
}

#endif
