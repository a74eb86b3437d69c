/* SPDX-License-Identifier: MIT
 *
 * freeze.h: freezing the heap, and thawing it.
 *
 * Freezing looks through the heap once. Everything on the collector's list and all atoms are nodes; the rest is found
 * through edges. Each counted edge is counted where it leads. Then nodes get numbers, in the order of their addresses, and
 * each is compared with its own count of references: more means that it is held from outside (roots.h), less is a fault of
 * ours (`overcounts`). Enumerating edges again is left to the walk.
 */
#ifndef UBI_QUICKJS_FREEZE_H
#define UBI_QUICKJS_FREEZE_H

#include "engines/quickjs/adapter/constructor_names.h"
#include "engines/quickjs/adapter/references.h"
#include "engines/quickjs/adapter/roots.h"
#include "engines/quickjs/adapter/scope.h"

/* ---- looking through ------------------------------------------------------------------------------------------------ */

static bool ubi__add_listed(ubi_quickjs *tools, const void *header) {
    uint32_t page = ubi__index_need_page(&tools->walk.index, (uintptr_t)header);
    if (page)
        ubi__index_add(&tools->walk.index, page, (uintptr_t)header, true);
    return page != 0;
}

/* Nodes that may be unreferenced: atoms, and the runtime itself. */
static bool ubi__add_unlisted(ubi_quickjs *tools, const void *p, ubi__kind kind) {
    uint32_t page = ubi__index_need_page(&tools->walk.index, (uintptr_t)p);
    return page && (ubi__index_has(&tools->walk.index, page, (uintptr_t)p) || ubi__discover(tools, page, p, kind));
}

/*
 * The list is in the order of birth, and so of addresses, until the engine collects: then it is in the order in which things
 * were reached. Waiting for one element after the other would take half of the time, so what will be wanted is fetched: what
 * lies a little ahead in memory, what comes two steps later in the list, and the properties of what comes next. Inlined
 * always: the compiler leaves out a call of what only prefetches.
 */
UBI__INLINE void ubi__prefetch_listed(const struct list_head *el, const struct list_head *head) {
    enum { AHEAD_BYTES = 1024, LINE_BYTES = 64 };
    const struct list_head *next = el->next, *then = next->next;
    const JSGCObjectHeader *header = list_entry(next, JSGCObjectHeader, link);
    __builtin_prefetch((const char *)el + AHEAD_BYTES);
    __builtin_prefetch((const char *)el + AHEAD_BYTES + LINE_BYTES);
    __builtin_prefetch(then);
    __builtin_prefetch((const char *)then + LINE_BYTES);
    if (next != head && ubi__listed_kind(header) == UBI__OBJECT)
        __builtin_prefetch(((const JSObject *)header)->prop);
}

static bool ubi__look_through_list(ubi_quickjs *tools, ubi__sink *sink) {
    struct list_head *el;
    list_for_each(el, &tools->runtime->gc_obj_list) {
        JSGCObjectHeader *header = list_entry(el, JSGCObjectHeader, link);
        ubi__prefetch_listed(el, &tools->runtime->gc_obj_list);
        if (!ubi__add_listed(tools, header))
            return false;
        ubi__count_edges(sink, header, ubi__listed_kind(header));
    }
    return !sink->was_stopped;
}

/* What only running functions hold, such as a string in a local variable. Operands are nowhere to be seen. */
static void ubi__look_through_stack(ubi_quickjs *tools, ubi__sink *sink) {
    for (uint32_t i = 0; i < tools->walk.n_slots; i++) {
        JSValue value = tools->walk.slots[i].value;
        ubi__edge(sink, UBI__TO_COUNT, JS_VALUE_GET_PTR(value), ubi__kind_of_tag(JS_VALUE_GET_TAG(value)), false,
                  UBI__NAMED(NULL));
    }
}

static bool ubi__look_through_heap(ubi_quickjs *tools) {
    JSRuntime *rt = tools->runtime;
    ubi__walk_state *walk = &tools->walk;
    ubi__sink sink = { .tools = tools, .rt = rt, .purpose = UBI__TO_COUNT };
    if (!ubi__look_through_list(tools, &sink) || !ubi__add_unlisted(tools, rt, UBI__RUNTIME))
        return false;
    for (int i = 1; i < rt->atom_size; i++)
        if (!atom_is_free(rt->atom_array[i]) && !ubi__add_unlisted(tools, rt->atom_array[i], UBI__STRING))
            return false;
    ubi__look_through_stack(tools, &sink);
    if (!ubi__look_through_references(tools))
        return false;
    while (walk->n_work && !sink.was_stopped) {
        uint64_t next = walk->work[--walk->n_work];
        void *p = (void *)(uintptr_t)(next & ((UINT64_C(1) << UBI__ADDRESS_BITS) - 1));
        ubi__count_edges(&sink, p, (ubi__kind)(next >> UBI__ADDRESS_BITS));
    }
    return !sink.was_stopped;
}

/* ---- numbers and roots ---------------------------------------------------------------------------------------------- */

typedef struct ubi__numbering {
    ubi_quickjs *tools;
    bool is_out_of_memory;
} ubi__numbering;

static ubi__kind ubi__kind_of_found(const ubi_quickjs *tools, const void *p, bool is_listed) {
    if (is_listed)
        return ubi__listed_kind(p);
    const uint64_t *special = ubi__address_map_find(&tools->walk.special, (uintptr_t)p);
    return special ? (ubi__kind)*special : ubi__string_kind(p);
}

static ubi__kind ubi__on_number(void *payload, uint32_t number, void *node, bool is_listed, uint64_t references) {
    ubi__numbering *numbering = payload;
    ubi_quickjs *tools = numbering->tools;
    ubi__kind kind = ubi__kind_of_found(tools, node, is_listed);
    if (kind == UBI__RUNTIME) /* not counted; the root list has it first */
        return kind;
    uint64_t held = (uint64_t)(int64_t)ubi__ref_count(node);
    if (references > held)
        tools->walk.overcounts++;
    if (references < held && !ubi__add_root(tools, number, node, held - references))
        numbering->is_out_of_memory = true;
    return kind;
}

/* ---- what holds of a frozen heap -------------------------------------------------------------------------------------- */

/* Sampled, as a look-up costs more than a node. Addresses ascend, so kinds and numbers are those of one walk. */
static void ubi__walk_check(ubi_quickjs *tools) {
    if (!UBI_CHECKS)
        return;
    ubi__walk_state *walk = &tools->walk;
    ubi__node_index *index = &walk->index;
    uint32_t step = index->n_nodes / 4096 + 1;
    for (uint32_t i = 0; i < index->n_nodes; i += step) {
        UBI_ASSERT(ubi__index_find(index, ubi__index_address(index, i)) == i);
        UBI_ASSERT(i == 0 || ubi__index_address(index, i - 1) < ubi__index_address(index, i));
    }
    UBI_ASSERT(ubi__index_find(index, tools->runtime) != UBI_NONE);
    UBI_ASSERT(!index->work && index->work_capacity == 0 && index->carried.count == 0);
    for (uint32_t i = 0; i < walk->n_roots; i++) {
        const ubi__root *root = &walk->roots[i];
        UBI_ASSERT(root->node < index->n_nodes && (i == 0 || walk->roots[i - 1].node < root->node));
        UBI_ASSERT(root->slot == UBI_NONE || root->slot < walk->n_slots);
        UBI_ASSERT(root->slot == UBI_NONE ||
                   JS_VALUE_GET_PTR(walk->slots[root->slot].value) == ubi__index_address(index, root->node));
    }
    for (uint32_t i = 0; i < walk->n_slots; i++) {
        UBI_ASSERT(JS_VALUE_HAS_REF_COUNT(walk->slots[i].value));
        UBI_ASSERT(ubi__index_find(index, JS_VALUE_GET_PTR(walk->slots[i].value)) != UBI_NONE);
    }
    UBI_ASSERT(walk->slot_of.count == walk->n_slots);
    UBI_ASSERT(walk->n_work == 0 && walk->special.count == 0);
}

/* ---- freeze and thaw ------------------------------------------------------------------------------------------------ */

static void ubi__walk_clear(ubi_quickjs *tools) {
    ubi__walk_state *walk = &tools->walk;
    const ubi_allocator *a = tools->allocator;
    ubi__index_fini(&walk->index);
    ubi__tool_free(a, walk->work, walk->work_capacity, sizeof *walk->work);
    ubi__address_map_fini(&walk->special, a);
    ubi__tool_free(a, walk->roots, walk->roots_capacity, sizeof *walk->roots);
    ubi__tool_free(a, walk->slots, walk->slots_capacity, sizeof *walk->slots);
    ubi__address_map_fini(&walk->slot_of, a);
    ubi__address_map_fini(&walk->intrinsics, a);
    ubi__constructor_names_end(tools);
    ubi__free_texts(tools);
    ubi__walk_state rest = { .realms = walk->realms,
                             .n_realms = walk->n_realms,
                             .realms_capacity = walk->realms_capacity,
                             .last_realm_number = walk->last_realm_number };
    *walk = rest;
}

/* All of it; on false the caller clears. */
static bool ubi__read_heap(ubi_quickjs *tools, const ubi_target_scope *scope, bool *is_everything) {
    ubi__walk_state *walk = &tools->walk;
    ubi__numbering numbering = { tools, false };
    walk->any_node = (ubi_node){ &ubi__node_ops, tools, 0 };
    ubi__index_init(&walk->index, tools->allocator);
    walk->scope = scope ? scope->part : NULL;
    *is_everything = true;
    uint64_t pages = ubi__heap_bytes(tools->runtime) >> UBI__PAGE_BITS; /* a guess, which saves copies */
    if (!ubi__index_reserve(&walk->index, (uint32_t)(pages + pages / 64 + 16)) || !ubi__read_stack(tools) ||
        !ubi__look_through_heap(tools) || !ubi__index_number(&walk->index, ubi__on_number, &numbering) ||
        numbering.is_out_of_memory)
        return false;
    ubi__address_map_fini(&walk->special, tools->allocator);
    ubi__tool_free(tools->allocator, walk->work, walk->work_capacity, sizeof *walk->work);
    walk->work = NULL;
    walk->work_capacity = 0;
    return ubi__constructor_names_begin(tools) && (!walk->scope || ubi__read_intrinsics(tools, is_everything));
}

static ubi_status ubi__may_freeze(const ubi_quickjs *tools, const ubi_target_scope *scope) {
    const ubi_quickjs_scope *part = scope ? scope->part : NULL;
    if (tools->walk.is_frozen)
        return ubi_error(UBI_ESTATE, "the heap of this QuickJS runtime is frozen already");
    if (tools->collection_depth || tools->runtime->gc_phase != JS_GC_PHASE_NONE)
        return ubi_error(UBI_ESTATE, "the heap of this QuickJS runtime cannot be frozen: things of it are being freed");
    return ubi__scope_belongs(part, tools);
}

static ubi_status ubi__freeze(void *payload, const ubi_target_scope *scope, ubi_frozen_heap *out) {
    ubi_quickjs *tools = payload;
    bool is_everything;
    ubi_status status = ubi__may_freeze(tools, scope);
    if (status != UBI_OK)
        return status;
    if (!ubi__read_heap(tools, scope, &is_everything) || !ubi__guard_begin(tools)) {
        ubi__walk_clear(tools);
        return ubi_error(UBI_ENOMEM, "no memory to walk the heap of a QuickJS runtime");
    }
    ubi__walk_check(tools);
    tools->walk.is_frozen = true;
    *out = (ubi_frozen_heap){ .root = { &ubi__node_ops, tools, tools->walk.index.n_nodes } };
    if (!is_everything) {
        out->edge_filter = ubi__scope_verdict;
        out->edge_filter_payload = tools;
    }
    return UBI_OK;
}

static ubi_status ubi__thaw(void *payload) {
    ubi_quickjs *tools = payload;
    if (!tools->walk.is_frozen)
        return ubi_error(UBI_ESTATE, "the heap of this QuickJS runtime is not frozen");
    ubi__walk_check(tools);
    const char *violation = ubi__guard_end(tools);
    ubi__walk_clear(tools);
    if (violation)
        return ubi_error(UBI_ESTATE, "the heap of a QuickJS runtime was frozen, but %s", violation);
    return UBI_OK;
}

#endif
