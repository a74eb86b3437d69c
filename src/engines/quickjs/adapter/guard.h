/* SPDX-License-Identifier: MIT
 *
 * guard.h: nothing may touch a frozen heap.
 *
 * While frozen, the runtime allocates through functions that refuse, its frees wait until thaw, its collector does not
 * start, and scripts stop at their first step. Whatever was tried first is what thaw reports. References that are taken or
 * dropped without any of this go unnoticed: they change no block.
 *
 * | tried                  | becomes                                        | caught by                                    |
 * |------------------------|------------------------------------------------|----------------------------------------------|
 * | allocation             | an allocation that fails                       | the functions of blocks (blocks.h)           |
 * | free                   | a free at thaw                                 | the same                                     |
 * | collection of cycles   | nothing                                        | JS_RunGC (hooks.h)                           |
 * | start of a script      | an uncatchable error at its first function     | the realms' interrupt counters and a handler |
 */
#ifndef UBI_QUICKJS_GUARD_H
#define UBI_QUICKJS_GUARD_H

#include "engines/quickjs/adapter/blocks.h"
#include "engines/quickjs/adapter/registry.h"
#include "engines/quickjs/adapter/sizes.h"

static void ubi__violated(ubi_quickjs *tools, const char *what) {
    if (!tools->walk.guard.violation)
        tools->walk.guard.violation = what;
}

static void *ubi__guarded_malloc(ubi__block_owner *owner, size_t size) {
    ubi_quickjs *tools = ubi__tools_of(ubi__runtime_of_owner(owner));
    if (tools)
        ubi__violated(tools, "memory was allocated on it");
    return NULL;
}

static void *ubi__guarded_realloc(ubi__block_owner *owner, void *block, size_t size) {
    return ubi__guarded_malloc(owner, size);
}

/* No memory to note the block: it is never freed, which is better than freed under a walk. */
static void ubi__guarded_free(ubi__block_owner *owner, void *block) {
    ubi_quickjs *tools = ubi__tools_of(ubi__runtime_of_owner(owner));
    if (!tools || !block)
        return;
    ubi__guard *guard = &tools->walk.guard;
    ubi__violated(tools, "memory of it was freed");
    if (ubi__tool_reserve(tools->allocator, (void **)&guard->deferred, &guard->deferred_capacity, guard->n_deferred + 1,
                          sizeof *guard->deferred))
        guard->deferred[guard->n_deferred++] = block;
}

/** False: no memory. */
static bool ubi__guard_blocks(ubi_quickjs *tools) {
    if (!ubi__hold_block_functions(tools->runtime, tools->allocator))
        return false;
    ubi__block_functions *functions = ubi__block_functions_of(tools->runtime), guarded = *functions;
    tools->walk.guard.functions = *functions;
    guarded.js_malloc = ubi__guarded_malloc;
    guarded.js_realloc = ubi__guarded_realloc;
    guarded.js_free = ubi__guarded_free;
    memcpy(functions, &guarded, sizeof guarded); /* its members may be const */
    return true;
}

static void ubi__unguard_blocks(ubi_quickjs *tools) {
    ubi__guard *guard = &tools->walk.guard;
    memcpy(ubi__block_functions_of(tools->runtime), &guard->functions, sizeof guard->functions);
    ubi__release_block_functions(tools->runtime);
    for (uint32_t i = 0; i < guard->n_deferred; i++)
        js_free_rt(tools->runtime, guard->deferred[i]);
}

/* ---- scripts -------------------------------------------------------------------------------------------------------- */

static void ubi__interrupt_next_call(JSRuntime *rt) {
    struct list_head *el;
    list_for_each(el, &rt->context_list) {
        list_entry(el, JSContext, link)->interrupt_counter = 0;
    }
}

static int ubi__guarded_interrupt(JSRuntime *rt, void *payload) {
    ubi__violated(payload, "a script was started on it");
    ubi__interrupt_next_call(rt);
    return 1;
}

/*
 * Every function call counts its realm's counter down and asks the handler at 0. False: no memory.
 * The engine must not describe errors meanwhile: it would want memory for that, and describe that there is none, for ever.
 */
static bool ubi__guard_scripts(ubi_quickjs *tools) {
    ubi__guard *guard = &tools->walk.guard;
    JSRuntime *rt = tools->runtime;
    struct list_head *el;
    uint32_t i = 0;
    list_for_each(el, &rt->context_list) {
        guard->n_realms++;
    }
    if (guard->n_realms) {
        guard->interrupt_counters = ubi__tool_calloc(tools->allocator, guard->n_realms, sizeof(int));
        if (!guard->interrupt_counters)
            return false;
    }
    list_for_each(el, &rt->context_list) {
        guard->interrupt_counters[i++] = list_entry(el, JSContext, link)->interrupt_counter;
    }
    UBI_ASSERT(i == guard->n_realms);
    ubi__interrupt_next_call(rt);
    guard->was_in_out_of_memory = rt->in_out_of_memory;
    rt->in_out_of_memory = true;
    guard->interrupt_handler = rt->interrupt_handler;
    guard->interrupt_payload = rt->interrupt_opaque;
    rt->interrupt_handler = ubi__guarded_interrupt;
    rt->interrupt_opaque = tools;
    return true;
}

static void ubi__unguard_scripts(ubi_quickjs *tools) {
    ubi__guard *guard = &tools->walk.guard;
    struct list_head *el;
    uint32_t i = 0;
    tools->runtime->in_out_of_memory = guard->was_in_out_of_memory;
    tools->runtime->interrupt_handler = guard->interrupt_handler;
    tools->runtime->interrupt_opaque = guard->interrupt_payload;
    list_for_each(el, &tools->runtime->context_list) {
        if (i < guard->n_realms)
            list_entry(el, JSContext, link)->interrupt_counter = guard->interrupt_counters[i++];
    }
}

/* ---- both ----------------------------------------------------------------------------------------------------------- */

static void ubi__guard_free(ubi_quickjs *tools) {
    ubi__guard *guard = &tools->walk.guard;
    ubi__tool_free(tools->allocator, guard->deferred, guard->deferred_capacity, sizeof *guard->deferred);
    ubi__tool_free(tools->allocator, guard->interrupt_counters, guard->n_realms, sizeof(int));
}

/** False: no memory, and nothing is guarded. */
static bool ubi__guard_begin(ubi_quickjs *tools) {
    tools->walk.guard = (ubi__guard){ .violation = NULL };
    UBI_ASSERT(!tools->walk.is_frozen && ubi__tools_of(tools->runtime) == tools);
    if (!ubi__guard_scripts(tools))
        return false;
    if (ubi__guard_blocks(tools))
        return true;
    ubi__unguard_scripts(tools);
    ubi__guard_free(tools);
    return false;
}

/** What was violated first, or NULL. */
static const char *ubi__guard_end(ubi_quickjs *tools) {
    ubi__guard *guard = &tools->walk.guard;
    UBI_ASSERT(guard->n_deferred == 0 || guard->violation);
    UBI_ASSERT(guard->n_deferred <= guard->deferred_capacity);
    UBI_ASSERT(tools->runtime->interrupt_handler == ubi__guarded_interrupt);
    ubi__unguard_blocks(tools);
    ubi__unguard_scripts(tools);
    ubi__guard_free(tools);
    return guard->violation;
}

#endif
