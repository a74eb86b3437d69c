/* SPDX-License-Identifier: MIT
 *
 * scope.h: parts of a heap: some realms, and what belongs to them.
 *
 * The rule: an item belongs to a scope when a global object of one of its realms leads to it without passing through
 * something that belongs to another realm. What belongs to a realm: itself, what it names (its global object, the
 * intrinsic prototypes and constructors), functions made in it, their bytecode, its modules. Everything else (plain objects,
 * strings, shapes, atoms) names no realm and belongs to every realm that reaches it.
 */
#ifndef UBI_QUICKJS_SCOPE_H
#define UBI_QUICKJS_SCOPE_H

#include "engines/quickjs/adapter/guard.h"
#include "engines/quickjs/js_facts.h"

/* ---- realms by number ----------------------------------------------------------------------------------------------- */

/** The number that stands for a realm, also when another one has its address later. 0: no memory. */
static uint64_t ubi__realm_number(ubi_quickjs *tools, JSContext *realm) {
    ubi__walk_state *walk = &tools->walk;
    for (uint32_t i = 0; i < walk->n_realms; i++)
        if (walk->realms[i].realm == realm)
            return walk->realms[i].number;
    if (!ubi__tool_reserve(tools->allocator, (void **)&walk->realms, &walk->realms_capacity, walk->n_realms + 1,
                           sizeof *walk->realms))
        return 0;
    walk->realms[walk->n_realms++] = (ubi__numbered_realm){ realm, ++walk->last_realm_number };
    return walk->last_realm_number;
}

/** The realm with a number, or NULL: it died. */
static JSContext *ubi__numbered(const ubi_quickjs *tools, uint64_t number) {
    for (uint32_t i = 0; i < tools->walk.n_realms; i++)
        if (tools->walk.realms[i].number == number)
            return tools->walk.realms[i].realm;
    return NULL;
}

static void ubi__forget_realm(ubi_quickjs *tools, const JSContext *realm) {
    ubi__walk_state *walk = &tools->walk;
    for (uint32_t i = 0; i < walk->n_realms; i++)
        if (walk->realms[i].realm == realm)
            walk->realms[i--] = walk->realms[--walk->n_realms];
}

/* ---- scopes --------------------------------------------------------------------------------------------------------- */

struct ubi_quickjs_scope {
    ubi_quickjs *tools;
    const char *edge_name; /* of the root's edges */
    uint64_t *realms;      /* numbers, in the order of adding */
    uint32_t n_realms, capacity;
};

ubi_status ubi_quickjs_scope_new(ubi_quickjs_scope **out, ubi_quickjs *tools) {
    ubi_quickjs_scope *scope = ubi__tool_calloc(tools->allocator, 1, sizeof *scope);
    if (!scope)
        return ubi_error(UBI_ENOMEM, "no memory for a scope");
    scope->tools = tools;
    scope->edge_name = "debuggee global";
    *out = scope;
    return UBI_OK;
}

void ubi_quickjs_scope_free(ubi_quickjs_scope *scope) {
    if (!scope)
        return;
    ubi__tool_free(scope->tools->allocator, scope->realms, scope->capacity, sizeof *scope->realms);
    ubi__tool_free(scope->tools->allocator, scope, 1, sizeof *scope);
}

static bool ubi__scope_has(const ubi_quickjs_scope *scope, const JSContext *realm) {
    for (uint32_t i = 0; i < scope->n_realms; i++)
        if (ubi__numbered(scope->tools, scope->realms[i]) == realm)
            return true;
    return false;
}

ubi_status ubi__scope_belongs(const ubi_quickjs_scope *scope, const ubi_quickjs *tools) {
    if (!scope || scope->tools == tools)
        return UBI_OK;
    return ubi_error(UBI_EMISMATCH, "the scope belongs to another QuickJS runtime");
}

ubi_status ubi_quickjs_scope_add(ubi_quickjs_scope *scope, JSContext *realm) {
    ubi_quickjs *tools = scope->tools;
    if (realm->rt != tools->runtime)
        return ubi_error(UBI_EMISMATCH, "the realm belongs to another runtime than the scope");
    if (ubi__scope_has(scope, realm))
        return UBI_OK;
    uint64_t number = ubi__realm_number(tools, realm);
    if (!number || !ubi__tool_reserve(tools->allocator, (void **)&scope->realms, &scope->capacity, scope->n_realms + 1,
                                      sizeof *scope->realms))
        return ubi_error(UBI_ENOMEM, "no memory for a scope");
    scope->realms[scope->n_realms++] = number;
    return UBI_OK;
}

void ubi__scope_remove(ubi_quickjs_scope *scope, JSContext *realm) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < scope->n_realms; i++)
        if (ubi__numbered(scope->tools, scope->realms[i]) != realm)
            scope->realms[kept++] = scope->realms[i];
    scope->n_realms = kept;
}

void ubi__scope_name_edges(ubi_quickjs_scope *scope, const char *name) {
    scope->edge_name = name;
}

ubi_target_scope ubi_quickjs_scope_get(const ubi_quickjs_scope *scope) {
    return (ubi_target_scope){ scope };
}

JSContext *ubi_quickjs_realm_of_global(ubi_quickjs *tools, JSValueConst global) {
    struct list_head *el;
    if (JS_VALUE_GET_TAG(global) != JS_TAG_OBJECT)
        return NULL;
    list_for_each(el, &tools->runtime->context_list) {
        JSContext *realm = list_entry(el, JSContext, link);
        if (JS_VALUE_GET_TAG(realm->global_obj) == JS_TAG_OBJECT &&
            JS_VALUE_GET_PTR(realm->global_obj) == JS_VALUE_GET_PTR(global))
            return realm;
    }
    return NULL;
}

/* ---- boundaries of a walk ------------------------------------------------------------------------------------------- */

enum { UBI__IN_SCOPE = 1, UBI__OUT_OF_SCOPE = 2 };

/* While frozen: notes one thing that a realm names. Payload of a mark's sink. */
typedef struct ubi__naming {
    ubi_quickjs *tools;
    uint64_t side;
    bool is_out_of_memory;
} ubi__naming;

static bool ubi__note_intrinsic(void *payload, ubi_node referent, ubi_text name) {
    ubi__naming *naming = payload;
    ubi_quickjs *tools = naming->tools;
    ubi__kind kind = ubi__index_kind(&tools->walk.index, (uint32_t)referent.ref);
    if (kind != UBI__OBJECT && kind != UBI__MODULE)
        return true;
    uint64_t *side = ubi__address_map_at(&tools->walk.intrinsics,
                                         (uintptr_t)ubi__index_address(&tools->walk.index, (uint32_t)referent.ref),
                                         tools->allocator);
    if (!side) {
        naming->is_out_of_memory = true;
        return false;
    }
    if (!*side || naming->side == UBI__IN_SCOPE) /* realms may share an object: it belongs to both */
        *side = naming->side;
    return true;
}

/** Finds what belongs to realms by name. False: no memory. `*is_everything`: no realm is outside of the scope. */
static bool ubi__read_intrinsics(ubi_quickjs *tools, bool *is_everything) {
    struct list_head *el;
    *is_everything = true;
    list_for_each(el, &tools->runtime->context_list) {
        JSContext *realm = list_entry(el, JSContext, link);
        bool is_in = ubi__scope_has(tools->walk.scope, realm);
        ubi__naming naming = { tools, is_in ? UBI__IN_SCOPE : UBI__OUT_OF_SCOPE, false };
        ubi__sink sink = { .tools = tools,
                           .rt = tools->runtime,
                           .purpose = UBI__TO_VISIT,
                           .payload = &naming,
                           .visit = ubi__note_intrinsic };
        *is_everything = *is_everything && is_in;
        ubi__visit_edges(&sink, realm, UBI__REALM);
        if (naming.is_out_of_memory)
            return false;
    }
    return true;
}

/** The realm that a node names by itself; NULL: none. */
static JSContext *ubi__realm_of_node(const void *p, ubi__kind kind) {
    if (kind == UBI__REALM)
        return (JSContext *)p;
    if (kind == UBI__BYTECODE)
        return ((const JSFunctionBytecode *)p)->realm;
    if (kind != UBI__OBJECT)
        return NULL;
    const JSObject *object = p;
    if (object->class_id == JS_CLASS_C_FUNCTION)
        return object->u.cfunc.realm;
    const JSFunctionBytecode *b = ubi__bytecode_of(object);
    return b ? b->realm : NULL;
}

/* Leaves out what belongs to realms outside of the scope. The runtime's own tables belong to none. */
static ubi_edge_verdict ubi__scope_verdict(void *payload, ubi_node origin, ubi_node referent) {
    const ubi_quickjs *tools = payload;
    const ubi__node_index *index = &tools->walk.index;
    uint32_t number = (uint32_t)referent.ref;
    if (number >= index->n_nodes)
        return UBI_EDGE_FOLLOW;
    const void *p = ubi__index_address(index, number);
    ubi__kind kind = ubi__index_kind(index, number);
    const uint64_t *side = kind == UBI__OBJECT || kind == UBI__MODULE
                               ? ubi__address_map_find(&tools->walk.intrinsics, (uintptr_t)p)
                               : NULL;
    if (side)
        return *side == UBI__IN_SCOPE ? UBI_EDGE_FOLLOW : UBI_EDGE_SKIP;
    const JSContext *realm = ubi__realm_of_node(p, kind);
    return !realm || ubi__scope_has(tools->walk.scope, realm) ? UBI_EDGE_FOLLOW : UBI_EDGE_SKIP;
}

#endif
