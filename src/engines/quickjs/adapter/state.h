/* SPDX-License-Identifier: MIT
 *
 * state.h: the tools of one runtime.
 *
 * Parts that keep state of their own embed a structure: the walk (walk_state.h), tracking (tracking/tracking.h), the timeline
 * (timeline.h). What is reported to tracking, in adapter/births.h and adapter/collections.h:
 *
 *     void ubi__on_birth(ubi_quickjs *tools, JSGCObjectHeader *header);   an object; only while the runtime is watched
 *     void ubi__on_death(ubi_quickjs *tools, JSGCObjectHeader *header);   objects and bytecode, still whole; what is left of realms
 *     void ubi__constructed(ubi_quickjs *tools, JSValueConst object, JSValueConst constructor);   by `new`, after its birth
 *     void ubi__on_collection_begin(JSRuntime *rt, const char *caller);  name of the function that asked; "API" from outside
 *     void ubi__on_collection_end(JSRuntime *rt, const char *caller);
 *     void ubi__start_tracking(ubi_quickjs *tools);                       cannot fail; at attach
 *     void ubi__end_tracking(ubi_quickjs *tools);                         at detach; ends watching
 *
 * all static. They run inside the engine: they may record, and nothing else.
 */
#ifndef UBI_QUICKJS_STATE_H
#define UBI_QUICKJS_STATE_H

#include <pthread.h>

#include <ubiheap/extension/quickjs.h>

#include "base/script_source.h"
#include "engines/quickjs/adapter/block_kinds.h"
#include "engines/quickjs/adapter/walk_state.h"
#include "engines/quickjs/hook_counts.h"
#include "engines/quickjs/timeline.h"
#include "tracking/tracking.h"

/** The runtime's part in the memory profiler: adapter/profiling.h. */
typedef struct ubi__profiling {
    ubi_profiler *own;           /* made because none was given; or NULL */
    ubi_profiler_member *member; /* NULL: it joined none */
    ubi_profiler_tap *memory_tap;
    ubi__block_functions before; /* the runtime's, while it records */
    uint64_t session;            /* grows whenever it begins to record */
    uint32_t n_wanting;          /* opened profilers that want this session (tool_ops.h) */
    bool is_wanted_by_program;   /* the program has started it itself: nothing else stops it */
} ubi__profiling;

/** A frame of the last stack that was captured: for as long as the outer frames stay, so do their numbers. */
typedef struct ubi__captured_frame {
    const void *frame;    /* the engine's, if it was marked; else NULL */
    const void *function; /* NULL: none */
    const void *place;    /* in its bytecode; NULL: not stored yet, or it has none */
    const void *bytecode; /* NULL: a native function, which has no frame in a stack */
    JSContext *realm;     /* of the bytecode */
    ubi__stack_ix stack;  /* from the outermost frame to this one */
} ubi__captured_frame;

/** Where a string of the engine's was found before. Never trusted without comparing the content. */
typedef struct ubi__cached_string {
    const void *string;
    ubi__text_ix text;
} ubi__cached_string;

#define UBI__STRING_CACHE_SLOTS 64
#define UBI__BIRTH_SIZES 16

/** What was found out about stacks, names and sizes, to be quicker the next time: adapter/stack_capture.h, names_at_birth.h. */
typedef struct ubi__capture {
    ubi__captured_frame *captured; /* outermost first */
    uint32_t captured_count, captured_capacity;
    void **walked; /* frames of the stack at hand, innermost first */
    uint32_t walked_capacity;
    uint32_t birth_bytes[UBI__BIRTH_SIZES]; /* by number of property slots; 0: not yet known */
    ubi__cached_string string_cache[UBI__STRING_CACHE_SLOTS];
    char *text_buffer; /* for strings that are not ASCII */
    uint32_t text_buffer_bytes;
} ubi__capture;

/** Where an operation is: the answer of before. */
typedef struct ubi__recorded_line {
    const void *bytecode; /* NULL: none */
    uint32_t pc, line, column;
} ubi__recorded_line;
#define UBI__RECORDED_LINES 512
#define UBI__RECORDED_DEATHS 1024

/** A constructor's name as a class: good while its code lives. */
typedef struct ubi__recorded_constructor {
    const void *bytecode; /* NULL: none */
    uint32_t version;     /* of UBI__RECORDED_DEATHS */
    uint8_t number;
} ubi__recorded_constructor;
#define UBI__RECORDED_CONSTRUCTORS 64
#define UBI__RECORDED_CLASSES 256

/** What blocks are that the runtime asks for: adapter/block_classes.h. Numbers are the recorder's. */
typedef struct ubi__recorded_classes {
    ubi__script_class_fn number_of;          /* NULL: the recorder distinguishes none */
    ubi__block_class now;                    /* of blocks that are asked for */
    ubi__block_class outer;                  /* what that was before an object that comes */
    uint8_t n_blocks_coming;                 /* of that object, from js_malloc */
    uint8_t growing;                         /* what the next block is that grows; 0: what `now` says */
    uint8_t of_class[UBI__RECORDED_CLASSES]; /* by the engine's number; 0: not asked for yet */
    uint8_t of_kind[UBI__BLOCK_KINDS];
    const void *constructor_frame; /* the engine's innermost one, in which `new` runs */
    uint32_t constructor_class;    /* of the object that it makes */
    uint8_t constructor;           /* its name; 0: no `new` of a script's function runs */
    ubi__recorded_constructor constructors[UBI__RECORDED_CONSTRUCTORS];
} ubi__recorded_classes;

/** The runtime's part in what `ubiheap record` records of the process: adapter/recorded.h. */
typedef struct ubi__recorded {
    ubi__script_source source;
    _Atomic uintptr_t *thread; /* the recorder's: which thread runs scripts */
    ubi__script_blocks_fn script_blocks;
    ubi__block_functions before; /* the runtime's */
    bool has_replaced;           /* they are replaced */
    ubi__recorded_classes classes;
    ubi__recorded_line lines[UBI__RECORDED_LINES];
    uint32_t deaths[UBI__RECORDED_DEATHS]; /* of functions, by their place */
} ubi__recorded;

struct ubi_quickjs {
    JSRuntime *runtime;
    const ubi_allocator *allocator;
    ubi_quickjs_options options; /**< as given, or the defaults */
    ubi_quickjs *next;           /**< in the registry */
    uint64_t serial;             /**< another for each attaching of this process, also at the same address */

    uint32_t watchers;         /**< ubi__watch calls without ubi__unwatch; changed under the registry's lock */
    uint32_t collection_depth; /**< inside a collection of cycles */
    uint64_t hook_counts[UBI__HOOK_COUNT];

    ubi_quickjs_oom_fn oom_fn;
    void *oom_payload;
    bool was_oom_reported; /**< this streak of failures was reported */
    size_t oom_heap_bytes; /**< what the heap held then */

    ubi__walk_state walk;
    ubi__tracking tracking;
    ubi__capture capture;
    ubi__timeline timeline;
    ubi__profiling profiling;
    ubi__recorded *recorded;          /**< NULL: nothing records the process */
    struct ubi__js_console *consoles; /**< that are open: js_console.c */
};

/** Memory of the tools' own tables; NULL when there is none (no message is set). */
static inline void *ubi__tools_alloc(ubi_quickjs *tools, size_t size_bytes) {
    return tools->allocator->alloc(tools->allocator->ctx, size_bytes);
}
static inline void ubi__tools_free(ubi_quickjs *tools, void *p, size_t size_bytes) {
    if (p)
        tools->allocator->free(tools->allocator->ctx, p, size_bytes);
}

#endif
