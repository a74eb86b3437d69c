/* SPDX-License-Identifier: MIT
 *
 * held.h: what is held from outside of the heap, how often, and what it is; and the end of a runtime.
 *
 * Freezing finds it: a node whose count of references is greater than the edges that lead to it (roots.h). When a runtime ends,
 * the engine drops its jobs, collects once more, and asserts that nothing is left. Hooks report when that begins and when the
 * collection is over; what is held then is what the program leaked. Contexts may be gone, and tools detached: the walk brings
 * tools of its own.
 */
#ifndef UBI_QUICKJS_HELD_H
#define UBI_QUICKJS_HELD_H

#include "engines/quickjs/adapter/attach.h"
#include "engines/quickjs/adapter/preview.h"
#include "engines/quickjs/leaked_references.h"

/* ---- reading -------------------------------------------------------------------------------------------------------- */

static ubi__held *ubi__held_add(ubi__held_heap *heap, ubi_quickjs *tools, uint32_t node, uint64_t excess) {
    if (!ubi__tool_reserve(heap->allocator, (void **)&heap->held, &heap->held_capacity, heap->n_held + 1,
                           sizeof *heap->held))
        return NULL;
    ubi__held *held = &heap->held[heap->n_held++];
    ubi__kind kind = ubi__index_kind(&tools->walk.index, node);
    void *p = ubi__index_address(&tools->walk.index, node);
    memset(held, 0, sizeof *held);
    held->id = (uintptr_t)p;
    held->references = (uint64_t)ubi__ref_count(p);
    held->excess = excess;
    held->size_bytes = ubi__shallow_bytes(tools->runtime, p, kind);
    ubi__preview_node(held->contents, sizeof held->contents, tools->runtime, p, kind);
    UBI_ASSERT(excess <= held->references);
    return held;
}

static bool ubi__held_read_roots(ubi__held_heap *heap, ubi_quickjs *tools) {
    for (uint32_t i = 0; i < tools->walk.n_roots; i++) {
        const ubi__root *root = &tools->walk.roots[i];
        ubi__held *held = ubi__held_add(heap, tools, root->node, root->excess);
        if (!held)
            return false;
        if (root->slot == UBI_NONE)
            continue;
        ubi_text name = ubi__root_name(tools, root);
        size_t n = name.len < sizeof held->holder - 1 ? name.len : sizeof held->holder - 1;
        if (name.ptr)
            memcpy(held->holder, name.ptr, n);
    }
    return true;
}

/*
 * What no root reaches, and nothing refers to: a finalizer released it while the engine was freeing cycles, which leaves it for
 * the next collection.
 */
static bool ubi__held_read_waiting(ubi__held_heap *heap, ubi_quickjs *tools) {
    const ubi__node_index *index = &tools->walk.index;
    for (uint32_t i = 0; i < index->n_nodes; i++) {
        ubi__kind kind = ubi__index_kind(index, i);
        void *p = ubi__index_address(index, i);
        bool may_wait = kind == UBI__OBJECT || kind == UBI__BYTECODE;
        if (may_wait && ubi__ref_count(p) == 0 && (kind != UBI__OBJECT || ((const JSObject *)p)->shape) &&
            !ubi__held_add(heap, tools, i, 0))
            return false;
    }
    return true;
}

/* Objects whose data the collector cannot look into. */
static bool ubi__held_read_unmarked(ubi__held_heap *heap, ubi_quickjs *tools) {
    const ubi__node_index *index = &tools->walk.index;
    for (uint32_t i = 0; i < index->n_nodes; i++) {
        if (ubi__index_kind(index, i) != UBI__OBJECT)
            continue;
        const JSObject *p = ubi__index_address(index, i);
        const JSClass *class = &tools->runtime->class_array[p->class_id];
        if (p->class_id < JS_CLASS_INIT_COUNT || !p->shape || !p->u.opaque || !class->finalizer || class->gc_mark)
            continue;
        if (!ubi__tool_reserve(heap->allocator, (void **)&heap->unmarked, &heap->unmarked_capacity,
                               heap->n_unmarked + 1, sizeof *heap->unmarked))
            return false;
        heap->unmarked[heap->n_unmarked++] = (uintptr_t)p;
    }
    return true;
}

/* The heap is frozen. */
static ubi_status ubi__held_read_frozen(ubi__held_heap *heap, ubi_quickjs *tools, ubi_node root, bool is_ending) {
    ubi_capture_options options = UBI_CAPTURE_OPTIONS_INIT;
    options.allocator = heap->allocator;
    if (!ubi__held_read_roots(heap, tools) || (is_ending && !ubi__held_read_waiting(heap, tools)) ||
        !ubi__held_read_unmarked(heap, tools))
        return ubi_error(UBI_ENOMEM, "no memory to find leaked references of a QuickJS runtime");
    return ubi_graph_capture(&heap->graph, root, &options);
}

ubi_status ubi__held_heap_read(ubi__held_heap *out, ubi_quickjs *tools, bool is_ending) {
    ubi__held_heap heap = { .allocator = tools->allocator, .runtime_id = (uintptr_t)tools->runtime };
    ubi_frozen_heap frozen;
    ubi_status status = ubi__freeze(tools, NULL, &frozen);
    if (status != UBI_OK)
        return status;
    status = ubi__held_read_frozen(&heap, tools, frozen.root, is_ending);
    ubi_status thawed = ubi__thaw(tools);
    if (status == UBI_OK && thawed == UBI_OK)
        *out = heap;
    else
        ubi__held_heap_fini(&heap);
    return status != UBI_OK ? status : thawed;
}

/* ---- runtimes that report when they end ----------------------------------------------------------------------------- */

static ubi_status ubi__ending_record(ubi__ending *ending) {
    if (ending->references || !ending->options.with_references)
        return UBI_OK;
    ubi_status status = ubi__references_new(&ending->references, ending->options.allocator);
    if (status != UBI_OK)
        return status;
    if (!ubi__record_blocks(ending)) {
        ubi__references_free(ending->references);
        ending->references = NULL;
        return ubi_error(UBI_ENOMEM, "no memory to record references of a QuickJS runtime");
    }
    ubi__record_calls(ending);
    if (ubi_quickjs_references_recorded < UINT8_MAX)
        __atomic_add_fetch(&ubi_quickjs_references_recorded, 1, __ATOMIC_RELAXED);
    return UBI_OK;
}

static void ubi__ending_stop_recording(ubi__ending *ending) {
    if (!ending->references)
        return;
    if (ubi_quickjs_references_recorded < UINT8_MAX)
        __atomic_sub_fetch(&ubi_quickjs_references_recorded, 1, __ATOMIC_RELAXED);
    ubi__leave_calls(ending);
    ubi__leave_blocks(ending);
    ubi__references_free(ending->references);
    ending->references = NULL;
}

static void ubi__ending_remove(ubi__ending *ending) {
    const ubi_allocator *a = ending->options.allocator;
    ubi__ending_stop_recording(ending);
    pthread_mutex_lock(&ubi__endings_lock);
    ubi__ending **at = ubi__ending_link(ending->runtime);
    UBI_ASSERT(*at == ending);
    *at = ending->next;
    atomic_fetch_add_explicit(&ubi__endings_generation, 1, memory_order_release);
    atomic_fetch_sub_explicit(&ubi__endings_count, 1, memory_order_relaxed);
    pthread_mutex_unlock(&ubi__endings_lock);
    ubi__tool_free(a, ending, 1, sizeof *ending);
}

ubi_status ubi_quickjs_report_leaks(JSRuntime *runtime, const ubi_quickjs_leak_options *options) {
    ubi_quickjs_leak_options used = options ? *options : (ubi_quickjs_leak_options)UBI_QUICKJS_LEAK_OPTIONS_INIT;
    if (used.version < 1 || used.version > UBI_QUICKJS_LEAK_OPTIONS_VERSION)
        return ubi_error(UBI_EINVAL, "unknown version %u of ubi_quickjs_leak_options, the newest is %u",
                         (unsigned)used.version, (unsigned)UBI_QUICKJS_LEAK_OPTIONS_VERSION);
    if (!used.allocator)
        used.allocator = ubi_allocator_default();
    ubi__ending *known = ubi__ending_of(runtime);
    if (known) {
        used.allocator = known->options.allocator;
        known->options = used;
        return ubi__ending_record(known);
    }
    ubi__ending *made = ubi__tool_calloc(used.allocator, 1, sizeof *made);
    if (!made)
        return ubi_error(UBI_ENOMEM, "no memory to report leaked references of a QuickJS runtime");
    *made = (ubi__ending){ .runtime = runtime, .options = used };
    pthread_mutex_lock(&ubi__endings_lock);
    made->next = ubi__endings;
    ubi__endings = made;
    atomic_fetch_add_explicit(&ubi__endings_generation, 1, memory_order_release);
    atomic_fetch_add_explicit(&ubi__endings_count, 1, memory_order_relaxed);
    pthread_mutex_unlock(&ubi__endings_lock);
    ubi_status status = ubi__ending_record(made);
    if (status != UBI_OK)
        ubi__ending_remove(made);
    return status;
}

/* ---- the end -------------------------------------------------------------------------------------------------------- */

/* Tools that are still attached may be inside of the collection that has just ended. */
static ubi_status ubi__ending_read(ubi_quickjs_leaks **out, const ubi__ending *ending) {
    ubi_quickjs *tools = ubi__tools_of(ending->runtime), *own = NULL;
    ubi_quickjs_options options = UBI_QUICKJS_OPTIONS_INIT;
    ubi__leak_purpose purpose = { true, ending->references, ending->options.names };
    ubi__held_heap heap;
    options.allocator = ending->options.allocator;
    ubi_status status = tools ? UBI_OK : ubi_quickjs_attach(&own, ending->runtime, &options);
    if (status != UBI_OK)
        return status;
    tools = tools ? tools : own;
    uint32_t depth = tools->collection_depth;
    tools->collection_depth = 0;
    status = ubi__held_heap_read(&heap, tools, true);
    if (status == UBI_OK)
        status = ubi__leaks_new(out, &heap, &purpose);
    tools->collection_depth = depth;
    ubi_quickjs_detach(own);
    return status;
}

static void ubi__ending_report(const ubi__ending *ending) {
    const ubi_quickjs_leak_options *options = &ending->options;
    FILE *file = options->file ? options->file : stderr;
    ubi_quickjs_leaks *leaks;
    if (ubi__ending_read(&leaks, ending) != UBI_OK) {
        bool has_leaks = !list_empty(&ending->runtime->gc_obj_list);
        if (has_leaks && options->fn)
            options->fn(options->payload, ending->runtime, NULL);
        else if (has_leaks)
            fprintf(
                file,
                "ubiheap: this QuickJS runtime ends with references that were not released; which, is unknown: %s\n",
                ubi_error_message());
        return;
    }
    if (ubi_quickjs_leaks_count(leaks) && options->fn)
        options->fn(options->payload, ending->runtime, leaks);
    else if (ubi_quickjs_leaks_count(leaks))
        ubi_quickjs_leaks_write(leaks, file, 0);
    ubi_quickjs_leaks_free(leaks);
}

/* In JS_FreeRuntime, after the pending exception was released: the field still has it. */
static void ubi__runtime_ends(struct list_head *job_list) {
    JSRuntime *rt = list_entry(job_list, JSRuntime, job_list);
    ubi__ending *ending = ubi__ending_of(rt);
    if (!ending)
        return;
    ending->has_begun = true;
    rt->current_exception = JS_NULL;
}

/* After any collection; the last one is what this waits for. */
static void ubi__runtime_collected(JSRuntime *rt) {
    ubi__ending *ending = ubi__ending_of(rt);
    if (!ending || !ending->has_begun)
        return;
    ending->has_begun = false; /* a callback may collect */
    ubi__ending_report(ending);
    ubi__ending_remove(ending);
}

/* ---- on request ----------------------------------------------------------------------------------------------------- */

ubi_status ubi_quickjs_find_leaks(ubi_quickjs_leaks **out, ubi_quickjs *tools) {
    ubi__held_heap heap;
    const ubi__ending *ending = ubi__ending_of(tools->runtime);
    ubi__leak_purpose purpose = { .is_ending = false };
    if (ending) {
        purpose.references = ending->references;
        purpose.names = ending->options.names;
    }
    ubi_status status = ubi__collect(tools);
    if (status == UBI_OK)
        status = ubi__held_heap_read(&heap, tools, false);
    return status == UBI_OK ? ubi__leaks_new(out, &heap, &purpose) : status;
}

#endif
