/* SPDX-License-Identifier: MIT
 *
 * recorded.h: what a runtime shows the recorder of `ubiheap record`, when the process is recorded: its frames, and which blocks are its
 * own (base/script_source.h).
 *
 * The recorder asks in the middle of an allocation, so everything here reads the engine's structures and nothing else: no
 * memory is asked for, no text is kept. The engine links a frame when it is set up, and a place that it has not stored yet is none.
 */
#ifndef UBI_QUICKJS_RECORDED_H
#define UBI_QUICKJS_RECORDED_H

#include "base/script_source.h"
#include "engines/quickjs/adapter/profiling.h"
#include "engines/quickjs/adapter/references.h"

extern _Atomic uintptr_t *ubi_recorder_join_scripts(const ubi__script_source *source) __attribute__((weak));
extern void ubi_recorder_leave_scripts(const ubi__script_source *source) __attribute__((weak));
extern unsigned char *ubi_recorder_script_blocks(void) __attribute__((weak));
extern unsigned char ubi_recorder_script_class(const char *name, size_t name_bytes) __attribute__((weak));

/* ---- frames --------------------------------------------------------------------------------------------------------- */

/* Functions die, and others get their place: deaths at a few places are counted together. */
static uint32_t *ubi__deaths_at(ubi__recorded *recorded, const void *bytecode) {
    return &recorded->deaths[((uintptr_t)bytecode >> 4) % UBI__RECORDED_DEATHS];
}

/* Where a frame is: what was found out about a place stays true until some code dies (ubi__recorded_code_dies). */
static void ubi__recorded_place(ubi__recorded *recorded, const JSFunctionBytecode *b, uint32_t pc,
                                ubi__script_frame *out) {
    ubi__recorded_line *known =
        &recorded->lines[((uintptr_t)b / sizeof(void *) ^ pc * 2654435761u) % UBI__RECORDED_LINES];
    if (known->bytecode != b || known->pc != pc) {
        int line = 0, column = 0;
        (void)ubi__place_of_code(b, pc, &line, &column);
        *known = (ubi__recorded_line){ b, pc, line > 0 ? (uint32_t)line : 0, column > 0 ? (uint32_t)column : 0 };
    }
    out->line = known->line;
    out->column = known->column;
}

static size_t ubi__recorded_frames(const ubi__script_source *source, ubi__script_frame *frames, size_t max,
                                   const ubi__script_frame *before, size_t n_before) {
    const ubi_quickjs *tools = source->payload;
    const JSStackFrame *frame = tools->runtime->current_stack_frame;
    const ubi__resumption *resumed = NULL;
    bool has_resumed = false;
    size_t n = 0;
    if (max == 0)
        return frame != NULL;
    for (; frame && n < max; frame = frame->prev_frame) {
        const JSFunctionBytecode *b = ubi__frame_bytecode(frame);
        if (!b)
            continue;
        if (b->func_kind != JS_FUNC_NORMAL && !has_resumed) { /* coroutines have run: this thread has the variable */
            resumed = ubi__resumed;
            has_resumed = true;
        }
        ubi_profiler_frame place = ubi__profiled_frame(frame, b, &resumed);
        ubi__script_frame *out = &frames[n++];
        *out = (ubi__script_frame){ .function = (uintptr_t)b,
                                    .version = *ubi__deaths_at(tools->recorded, b),
                                    .stack_address = place.stack_address,
                                    .resumer_address = place.resumer_address,
                                    .frame = frame };
        ubi__recorded_place(tools->recorded, b, ubi__frame_pc(frame, b), out);
    }
    return n;
}

/* ---- names ---------------------------------------------------------------------------------------------------------- */

static size_t ubi__put_atom(ubi_quickjs *tools, char *out, size_t room, JSAtom atom) {
    if (atom == JS_ATOM_NULL || __JS_AtomIsTaggedInt(atom))
        return 0;
    const JSString *string = ubi__atom_string(tools->runtime, atom);
    return string ? ubi__put_string(out, room, string) : 0;
}

/* A whole script has no name. */
static size_t ubi__recorded_name(const ubi__script_source *source, const ubi__script_frame *frame, char *text,
                                 size_t room, size_t *function_bytes) {
    ubi_quickjs *tools = source->payload;
    JSObject *function = JS_VALUE_GET_OBJ(((const JSStackFrame *)frame->frame)->cur_func);
    const JSFunctionBytecode *b = ubi__bytecode_of(function);
    ubi__function_name name = ubi__name_of_function(function);
    size_t most = room / 4;
    *function_bytes = name.string                   ? ubi__put_string(text, most, name.string)
                      : name.atom == JS_ATOM__eval_ ? 0
                                                    : ubi__put_atom(tools, text, most, name.atom);
#if UBI_HAS_DEBUG_BIT
    if (!b->has_debug)
        return *function_bytes;
#endif
    return *function_bytes +
           ubi__put_atom(tools, text + *function_bytes, room - *function_bytes, UBI_DEBUG(b).filename);
}

/* ---- blocks --------------------------------------------------------------------------------------------------------- */

#define UBI__NO_BLOCK_CLASS 1 /* a script's, of unknown class */

/* Itself, and its properties. */
#define UBI__BLOCKS_OF_OBJECT 2

/* It has its memory, or gets none. */
static void ubi__object_has_come(ubi__recorded_classes *classes) {
    if (classes->n_blocks_coming)
        classes->now = classes->outer;
    classes->n_blocks_coming = 0;
}

static void *ubi__script_malloc(ubi__block_owner *owner, size_t size) {
    ubi__recorded *recorded = ubi__tools_of(ubi__runtime_of_owner(owner))->recorded;
    unsigned char *is_for_scripts = recorded->script_blocks(), was = *is_for_scripts;
    *is_for_scripts = recorded->classes.now.made ? recorded->classes.now.made : UBI__NO_BLOCK_CLASS;
    void *block = recorded->before.js_malloc(owner, size);
    *is_for_scripts = was;
    if (!block || recorded->classes.n_blocks_coming == 1)
        ubi__object_has_come(&recorded->classes);
    else if (recorded->classes.n_blocks_coming)
        recorded->classes.n_blocks_coming--;
    return block;
}

static void *ubi__script_realloc(ubi__block_owner *owner, void *old, size_t size) {
    ubi__recorded *recorded = ubi__tools_of(ubi__runtime_of_owner(owner))->recorded;
    unsigned char *is_for_scripts = recorded->script_blocks(), was = *is_for_scripts;
    uint8_t number = recorded->classes.growing ? recorded->classes.growing : recorded->classes.now.resized;
    recorded->classes.growing = 0;
    *is_for_scripts = number ? number : UBI__NO_BLOCK_CLASS;
    void *block = recorded->before.js_realloc(owner, old, size);
    *is_for_scripts = was;
    return block;
}

/* Without memory they are as all others. */
static void ubi__script_blocks_begin(ubi_quickjs *tools) {
    ubi__recorded *recorded = tools->recorded;
    UBI__RECORDER_FIND(recorded->script_blocks, ubi_recorder_script_blocks);
    if (!recorded->script_blocks || !ubi__hold_block_functions(tools->runtime, tools->allocator))
        return;
    ubi__block_functions *functions = ubi__block_functions_of(tools->runtime), marking = *functions;
    memcpy(&recorded->before, functions, sizeof recorded->before);
    recorded->has_replaced = true;
    UBI__RECORDER_FIND(recorded->classes.number_of, ubi_recorder_script_class);
    if (recorded->classes.number_of)
        atomic_fetch_add_explicit(&ubi__classified_runtimes, 1, memory_order_relaxed);
    marking.js_malloc = ubi__script_malloc;
    marking.js_realloc = ubi__script_realloc;
    memcpy(functions, &marking, sizeof marking); /* its members may be const */
}

/* References that are recorded until the runtime ends may have replaced the functions since. */
static void ubi__script_blocks_end(ubi_quickjs *tools) {
    const ubi__recorded *recorded = tools->recorded;
    ubi__block_functions *functions;
    if (!recorded->has_replaced)
        return;
    functions = ubi__block_functions_of(tools->runtime);
    if (functions->js_malloc != ubi__script_malloc)
        functions = &ubi__ending_of(tools->runtime)->before;
    UBI_ASSERT(functions->js_malloc == ubi__script_malloc);
    memcpy(functions, &recorded->before, sizeof recorded->before);
    if (recorded->classes.number_of)
        atomic_fetch_sub_explicit(&ubi__classified_runtimes, 1, memory_order_relaxed);
    ubi__release_block_functions(tools->runtime);
}

/* ---- joining -------------------------------------------------------------------------------------------------------- */

/*
 * Births are watched from then on, for the engine stores where an object is made only then (hooks.h). Without memory, or
 * without a recorder, nothing happens.
 */
static void ubi__recorded_begin(ubi_quickjs *tools) {
    ubi__script_join_fn join;
    UBI__RECORDER_FIND(join, ubi_recorder_join_scripts);
    ubi__recorded *recorded = join ? ubi__tool_calloc(tools->allocator, 1, sizeof *recorded) : NULL;
    if (!recorded)
        return;
    recorded->source = (ubi__script_source){ .version = UBI__SCRIPT_SOURCE_VERSION,
                                             .interpreter = (uintptr_t)JS_CallInternal,
                                             .frames = ubi__recorded_frames,
                                             .name = ubi__recorded_name,
                                             .payload = tools };
    tools->recorded = recorded;
    recorded->thread = join(&recorded->source);
    if (recorded->thread) {
        ubi__watch(tools);
        ubi__script_blocks_begin(tools);
        return;
    }
    tools->recorded = NULL;
    ubi__tool_free(tools->allocator, recorded, 1, sizeof *recorded);
}

static void ubi__recorded_end(ubi_quickjs *tools) {
    ubi__recorded *recorded = tools->recorded;
    ubi__script_leave_fn leave;
    if (!recorded)
        return;
    UBI__RECORDER_FIND(leave, ubi_recorder_leave_scripts);
    leave(&recorded->source);
    ubi__script_blocks_end(tools);
    ubi__unwatch(tools);
    tools->recorded = NULL;
    ubi__tool_free(tools->allocator, recorded, 1, sizeof *recorded);
}

static void ubi__recorded_code_dies(ubi_quickjs *tools, const void *bytecode) {
    if (!tools->recorded)
        return;
    ++*ubi__deaths_at(tools->recorded, bytecode);
    memset(tools->recorded->lines, 0, sizeof tools->recorded->lines);
}

/* ---- whose thread it is --------------------------------------------------------------------------------------------- */

static UBI_COLD void ubi__recorded_on_this_thread(JSRuntime *rt) {
    ubi_quickjs *tools = ubi__tools_of(rt);
    uintptr_t here = ubi__script_thread();
    if (tools && tools->recorded && atomic_load_explicit(tools->recorded->thread, memory_order_relaxed) != here)
        atomic_store_explicit(tools->recorded->thread, here, memory_order_relaxed);
}

/** A program calls into scripts. Cost while nothing is watched: a load and a predicted branch. */
static inline void ubi__runs_on_this_thread(JSRuntime *rt) {
    if (ubi__watched())
        ubi__recorded_on_this_thread(rt);
}

#endif
