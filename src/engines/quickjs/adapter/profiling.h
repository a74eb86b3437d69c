/* SPDX-License-Identifier: MIT
 *
 * profiling.h: what of a runtime is reported to the memory profiler.
 *
 * Objects are reported as they are born and die, each with the size of its own block: all are equal, so bytes until the next
 * sample are births until the next sample, and cost nothing beside the counter that tracking has anyway. All other blocks are
 * the memory stream; for these the functions of blocks (blocks.h) are replaced while the profiler records. The block of an
 * object goes through them too: when it was sampled there, it is withdrawn at the birth, and no byte is counted twice.
 *
 * A realloc that moves is a free and an allocation. The free is reported before, for afterwards another thread may have the block; when
 * the realloc then fails, the block counts as freed although it lives.
 */
#ifndef UBI_QUICKJS_PROFILING_H
#define UBI_QUICKJS_PROFILING_H

#include <sys/syscall.h>
#include <unistd.h>

#include "engines/quickjs/adapter/guard.h"
#include "engines/quickjs/adapter/registry.h"
#include "engines/quickjs/adapter/stack_capture.h"

static void UBI_OUT_OF_LINE ubi__born_among_several(JSRuntime *rt, JSGCObjectHeader *header); /* notify.h */

/* ---- frames of scripts ---------------------------------------------------------------------------------------------- */

/*
 * Frames of coroutines live on the heap; others are variables of the interpreter's. Coroutines that run are in the order of
 * their resumptions: `resumed` is the innermost that may be the next one's.
 */
static ubi_profiler_frame ubi__profiled_frame(const JSStackFrame *frame, const JSFunctionBytecode *b,
                                              const ubi__resumption **resumed) {
    ubi_profiler_frame told = { .stack_address = 0 };
    if (b->func_kind == JS_FUNC_NORMAL) {
        told.stack_address = (uintptr_t)frame;
        return told;
    }
    const void *state = list_entry(frame, JSAsyncFunctionState, frame);
    const ubi__resumption *r = *resumed;
    while (r && r->state != state)
        r = r->outer;
    if (r) {
        told.resumer_address = (uintptr_t)r;
        *resumed = r->outer;
    }
    return told;
}

static ubi_text ubi__text_if_any(const ubi__tracking *t, ubi__text_ix text) {
    return text == UBI_NONE ? (ubi_text){ NULL, 0 } : ubi__tracked_texts_get(&t->texts, text);
}

/* Innermost first, as the engine chains them; the capture that was just made has them the other way round. */
static ubi_status ubi__profiled_frames(void *payload, ubi_profiler_frame_fn fn, void *fn_payload) {
    ubi_quickjs *tools = payload;
    ubi__tracking *t = &tools->tracking;
    const ubi__capture *c = &tools->capture;
    if (ubi__capture_stack(tools) == UBI_NONE)
        return ubi_error(UBI_ENOMEM, "no memory for the stack of a script");
    uint32_t i = c->captured_count;
    const ubi__resumption *resumed = ubi__resumed;
    for (const JSStackFrame *frame = tools->runtime->current_stack_frame; frame && i; frame = frame->prev_frame) {
        const ubi__captured_frame *captured = &c->captured[--i];
        if (!captured->bytecode)
            continue;
        const ubi__trie_frame *facts = &t->frames.at[captured->stack];
        ubi_profiler_frame told = ubi__profiled_frame(frame, captured->bytecode, &resumed);
        told.function_name = ubi__text_if_any(t, facts->function_name);
        told.source = ubi__text_if_any(t, facts->source);
        told.line = facts->line;
        told.column = facts->column;
        ubi_status status = fn(fn_payload, &told);
        if (status != UBI_OK)
            return status;
    }
    return UBI_OK;
}

/* ---- objects -------------------------------------------------------------------------------------------------------- */

/* This birth is looked at: is it the profiler's turn, and was its block sampled as memory? */
static void ubi__profile_birth(ubi_quickjs *tools, const JSObject *p, uintptr_t hook_frame) {
    ubi__tracking *t = &tools->tracking;
    ubi__profiling *profiling = &tools->profiling;
    UBI_ASSERT(profiling->member && t->object_tap && t->object_bytes >= sizeof *p);
    if (ubi_profiler_may_know(profiling->memory_tap, (uintptr_t)p))
        ubi_profiler_withdraw(profiling->member, (uintptr_t)p);
    if (ubi_profiler_passes(t->object_tap, t->object_bytes))
        return;
    ubi__text_ix kind = ubi__tracking_class_name(t, p->class_id);
    ubi_profiler_allocation allocation = { (uintptr_t)p, t->object_bytes,
                                           kind == UBI_NONE ? (ubi_text){ "Object", 6 } : ubi__text_if_any(t, kind),
                                           hook_frame };
    ubi_profiler_allocated(profiling->member, UBI_PROFILER_OBJECTS, &allocation);
}

static void ubi__profile_death(ubi_quickjs *tools, const void *object) {
    ubi_profiler_freed(tools->profiling.member, UBI_PROFILER_OBJECTS, (uintptr_t)object);
}

/* ---- memory --------------------------------------------------------------------------------------------------------- */

static inline ubi_quickjs *ubi__tools_of_owner(ubi__block_owner *owner) {
    JSRuntime *rt = ubi__runtime_of_owner(owner);
    return ubi__is_the_watched(rt) ? atomic_load_explicit(&ubi__watched_tools, memory_order_relaxed)
                                   : ubi__tools_of(rt);
}

static void ubi__profile_block(ubi_quickjs *tools, void *block, size_t size, ubi_text kind, uintptr_t hook_frame) {
    ubi_profiler_allocation allocation = { (uintptr_t)block, size, kind, hook_frame };
    if (!block)
        return;
    ubi_profiler_allocated(tools->profiling.member, UBI_PROFILER_MEMORY, &allocation);
    ubi__tracking_look_at_next_birth(&tools->tracking); /* it may be the object that this block is for */
}

static UBI_OUT_OF_LINE void *ubi__sampled_malloc(ubi_quickjs *tools, ubi__block_owner *owner, size_t size) {
    void *block = tools->profiling.before.js_malloc(owner, size);
    ubi__profile_block(tools, block, size, (ubi_text){ "malloc", 6 }, (uintptr_t)__builtin_frame_address(0));
    return block;
}

static UBI_OUT_OF_LINE void *ubi__sampled_realloc(ubi_quickjs *tools, ubi__block_owner *owner, void *old, size_t size) {
    void *block = tools->profiling.before.js_realloc(owner, old, size);
    ubi__profile_block(tools, block, size, (ubi_text){ "realloc", 7 }, (uintptr_t)__builtin_frame_address(0));
    return block;
}

static UBI_OUT_OF_LINE void ubi__sampled_free(ubi_quickjs *tools, void *block) {
    ubi_profiler_freed(tools->profiling.member, UBI_PROFILER_MEMORY, (uintptr_t)block);
}

/* These are called for each block, so they need no stack frame unless it is recorded. One that fails counts, too. */
static void *ubi__profiled_malloc(ubi__block_owner *owner, size_t size) {
    ubi_quickjs *tools = ubi__tools_of_owner(owner);
    if (__builtin_expect(ubi_profiler_passes(tools->profiling.memory_tap, size), 1))
        return tools->profiling.before.js_malloc(owner, size);
    return ubi__sampled_malloc(tools, owner, size);
}

static void *ubi__profiled_realloc(ubi__block_owner *owner, void *old, size_t size) {
    ubi_quickjs *tools = ubi__tools_of_owner(owner);
    if (__builtin_expect(ubi_profiler_may_know(tools->profiling.memory_tap, (uintptr_t)old), 0))
        ubi__sampled_free(tools, old);
    if (__builtin_expect(ubi_profiler_passes(tools->profiling.memory_tap, size), 1))
        return tools->profiling.before.js_realloc(owner, old, size);
    return ubi__sampled_realloc(tools, owner, old, size);
}

static void ubi__profiled_free(ubi__block_owner *owner, void *block) {
    ubi_quickjs *tools = ubi__tools_of_owner(owner);
    if (__builtin_expect(ubi_profiler_may_know(tools->profiling.memory_tap, (uintptr_t)block), 0))
        ubi__sampled_free(tools, block);
    tools->profiling.before.js_free(owner, block);
}

/* Those of the runtime; while its heap is frozen they are kept elsewhere. */
static ubi__block_functions *ubi__unguarded_functions(ubi_quickjs *tools) {
    return tools->walk.is_frozen ? &tools->walk.guard.functions : ubi__block_functions_of(tools->runtime);
}

/** False: no memory. */
static bool ubi__profile_memory(ubi_quickjs *tools) {
    if (!ubi__hold_block_functions(tools->runtime, tools->allocator))
        return false;
    ubi__block_functions *functions = ubi__unguarded_functions(tools), profiled = *functions;
    UBI_ASSERT(functions->js_malloc != ubi__profiled_malloc && !tools->profiling.before.js_malloc);
    memcpy(&tools->profiling.before, functions, sizeof *functions); /* its members may be const */
    profiled.js_malloc = ubi__profiled_malloc;
    profiled.js_realloc = ubi__profiled_realloc;
    profiled.js_free = ubi__profiled_free;
    memcpy(functions, &profiled, sizeof profiled);
    return true;
}

static void ubi__leave_memory_alone(ubi_quickjs *tools) {
    if (!tools->profiling.before.js_malloc)
        return;
    memcpy(ubi__unguarded_functions(tools), &tools->profiling.before, sizeof tools->profiling.before);
    memset(&tools->profiling.before, 0, sizeof tools->profiling.before);
    ubi__release_block_functions(tools->runtime);
}

/* ---- joining, starting, stopping ------------------------------------------------------------------------------------ */

/* What an object's own block takes; they are all alike. */
static uint32_t ubi__object_block_bytes(JSRuntime *rt) {
    void *block = js_malloc_rt(rt, sizeof(JSObject));
    uint32_t bytes = block ? (uint32_t)ubi__block_bytes(rt, block) : sizeof(JSObject);
    js_free_rt(rt, block);
    return bytes;
}

static ubi_status ubi__join(ubi_quickjs *tools, ubi_profiler *profiler) {
    ubi_profiler_source source = { .thread = (uint32_t)syscall(SYS_gettid),
                                   .interpreter = (uintptr_t)JS_CallInternal,
                                   .frames = ubi__profiled_frames,
                                   .payload = tools,
                                   .hooks = { (uintptr_t)ubi__born, (uintptr_t)ubi__born_among_several,
                                              (uintptr_t)ubi__profiled_malloc, (uintptr_t)ubi__profiled_realloc } };
#if UBI_BLOCK_HOOKS
    source.hooks[4] = (uintptr_t)ubi__diverted_malloc;
    source.hooks[5] = (uintptr_t)ubi__diverted_realloc;
#if UBI_CALLOC
    source.hooks[6] = (uintptr_t)ubi__diverted_calloc;
#endif
#endif
    return ubi_profiler_join(&tools->profiling.member, profiler, &source);
}

ubi_status ubi_quickjs_join_profiler(ubi_quickjs *tools, ubi_profiler *profiler) {
    if (tools->profiling.member)
        return ubi_error(UBI_EBUSY, "this QuickJS runtime has a memory profiler already");
    return ubi__join(tools, profiler);
}

/* One of its own when it joined none. */
static ubi_status ubi__need_profiler(ubi_quickjs *tools) {
    ubi__profiling *profiling = &tools->profiling;
    ubi_profiler_options options = UBI_PROFILER_OPTIONS_INIT;
    if (profiling->member)
        return UBI_OK;
    options.allocator = tools->options.allocator == ubi_allocator_default() ? NULL : tools->allocator;
    ubi_status status = ubi_profiler_new(&profiling->own, &options);
    if (status == UBI_OK)
        status = ubi__join(tools, profiling->own);
    if (status != UBI_OK) {
        ubi_profiler_free(profiling->own);
        profiling->own = NULL;
    }
    return status;
}

/* A session that nothing wants yet. */
static ubi_status ubi__profiling_begin(ubi_quickjs *tools) {
    ubi__profiling *profiling = &tools->profiling;
    uint32_t object_bytes = ubi__object_block_bytes(tools->runtime);
    ubi_status status = ubi_profiler_start(profiling->member);
    if (status != UBI_OK)
        return status;
    profiling->session++;
    profiling->n_wanting = 0;
    profiling->is_wanted_by_program = false;
    ubi__tracking_set_object_tap(&tools->tracking, ubi_profiler_tap_of(profiling->member, UBI_PROFILER_OBJECTS),
                                 object_bytes);
    profiling->memory_tap = ubi_profiler_tap_of(profiling->member, UBI_PROFILER_MEMORY);
    bool is_wanted = profiling->memory_tap->remaining_bytes != UINT64_MAX;
    if (!is_wanted || ubi__profile_memory(tools))
        return UBI_OK;
    ubi_quickjs_stop_profiler(tools);
    return ubi_error(UBI_ENOMEM, "no memory to profile the memory of a QuickJS runtime");
}

/* Nothing when it records. */
static ubi_status ubi__profiling_start(ubi_quickjs *tools) {
    ubi_status status = ubi__need_profiler(tools);
    return status != UBI_OK || tools->tracking.object_tap ? status : ubi__profiling_begin(tools);
}

ubi_status ubi_quickjs_start_profiler(ubi_quickjs *tools) {
    ubi_status status = ubi__profiling_start(tools);
    if (status == UBI_OK)
        tools->profiling.is_wanted_by_program = true;
    return status;
}

void ubi_quickjs_stop_profiler(ubi_quickjs *tools) {
    ubi__tracking *t = &tools->tracking;
    if (!t->object_tap)
        return;
    ubi__leave_memory_alone(tools);
    ubi__tracking_set_object_tap(t, NULL, 0);
    ubi_profiler_stop(tools->profiling.member);
    tools->profiling.is_wanted_by_program = false;
}

void ubi_quickjs_reset_profiler(ubi_quickjs *tools) {
    if (tools->profiling.member)
        ubi_profiler_reset(tools->profiling.member);
}

bool ubi_quickjs_profiler_is_running(const ubi_quickjs *tools) {
    return tools->tracking.object_tap != NULL;
}

ubi_status ubi_quickjs_profiler_results(ubi_recording **out, ubi_quickjs *tools) {
    if (tools->profiling.member)
        return ubi_profiler_results(out, tools->profiling.member);
    *out = NULL;
    return UBI_OK;
}

/* At detach. */
static void ubi__profiling_fini(ubi_quickjs *tools) {
    ubi_quickjs_stop_profiler(tools);
    ubi_profiler_leave(tools->profiling.member);
    ubi_profiler_free(tools->profiling.own);
}

#endif
