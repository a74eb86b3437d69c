/* SPDX-License-Identifier: MIT
 *
 * ubiheap/core/profiler.h: a sampling memory profiler after Mozilla's nsIMemoryProfiler.
  * A `ubi_profiler` is the service; usually a process has one. The owner of a script heap joins it, and from then on starts and
 * stops it, and gets what was recorded:
 *
 *     ubi_profiler_new(&profiler, NULL);
 *     ubi_quickjs_join_profiler(tools, profiler);
 *     ubi_quickjs_start_profiler(tools);
 *     ... the program runs ...
 *     ubi_quickjs_stop_profiler(tools);
 *     ubi_quickjs_profiler_results(&recording, tools);      names, traces, events
 *
 * There are two streams. That of *objects* is each member's own. That of *memory* is one for all of a profiler: blocks
 * that members allocate and that are no objects. Results show both as one, by time.
 *
 * Not every allocation is recorded: see `period_bytes`. Sums of `weight_bytes` are estimates of sums over all bytes.
 *
 * Threads: a member belongs to one thread at a time; members of a profiler may run on several.
 * Source: mozilla-central (Firefox 38 to 55) tools/memory-profiler/, docs/reference/memory-profiler.md.
 */
#ifndef UBIHEAP_PROFILER_H
#define UBIHEAP_PROFILER_H

#include <ubiheap/core/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what was recorded -------------------------------------------------------------------------------------------- */

/** Names, traces and events. It does not change. */
typedef struct ubi_recording ubi_recording;
/**
 * A recording file (.ubirec) of one process, as these tables: stacks are whole, inlined functions have traces of their own, a name is
 * a function and its position as the file has them. Mappings are left out. A file that is damaged or was cut is what comes before.
 * @param out        owned; ubi_recording_free. Untouched on failure.
 * @param path       "-": standard input.
 * @param allocator  borrowed as long as the recording; NULL: the default.
 * Errors: UBI_EIO, UBI_EFORMAT (it is no recording), UBI_ENOMEM, UBI_ELIMIT. Cost: O(bytes); 48 bytes per event. Any thread.
 */
UBI_API ubi_status ubi_recording_open(ubi_recording **out, const char *path, const ubi_allocator *allocator);
/** NULL is fine. */
UBI_API void ubi_recording_free(ubi_recording *recording);

/** Bytes from one sample to the next on average; 1: everything is recorded. */
UBI_API uint64_t ubi_recording_period_bytes(const ubi_recording *recording);

/** Name 0 is "(unknown)". */
UBI_API uint32_t ubi_recording_name_count(const ubi_recording *recording);
/** A frame: a function and where it stands. Borrowed. i < the count. */
UBI_API ubi_text ubi_recording_name(const ubi_recording *recording, uint32_t i);

/** A frame and the trace that called it. Trace 0 is no stack at all, and its own parent; any other has a smaller parent. */
typedef struct ubi_recorded_trace {
    uint32_t name;
    uint32_t parent;
} ubi_recorded_trace;
/** At least 1. */
UBI_API uint32_t ubi_recording_trace_count(const ubi_recording *recording);
/** i < the count. */
UBI_API ubi_recorded_trace ubi_recording_trace(const ubi_recording *recording, uint32_t i);

/** An allocation, or a free of one that was recorded. */
typedef struct ubi_recorded_event {
    uint64_t allocation;   /**< from 1, in the order of the stream; a free has that of what it ends */
    uint64_t size_bytes;   /**< of the block or object */
    uint64_t weight_bytes; /**< how many allocated bytes it stands for */
    uint64_t time_ns;      /**< since the process started; never decreases */
    ubi_text kind;         /**< what was allocated, a word: "Array", "malloc". Borrowed */
    uint32_t trace;        /**< innermost frame of the allocation's stack, also in a free */
    uint32_t thread;       /**< that did it */
    bool is_free;
} ubi_recorded_event;
UBI_API uint64_t ubi_recording_event_count(const ubi_recording *recording);
/** In the order of time. i < the count. */
UBI_API ubi_recorded_event ubi_recording_event(const ubi_recording *recording, uint64_t i);

/* ---- the service -------------------------------------------------------------------------------------------------- */

typedef struct ubi_profiler ubi_profiler;
/** The owner of a heap that joined. */
typedef struct ubi_profiler_member ubi_profiler_member;

/** Takes the name of a frame. Inlined functions are frames of their own, outermost first. */
typedef ubi_status (*ubi_profiler_name_fn)(void *payload, ubi_text name);

typedef struct ubi_profiler_options {
    uint32_t version; /**< UBI_PROFILER_OPTIONS_VERSION */
    /** NULL: one of pages, so that recording changes nothing about what malloc does. */
    const ubi_allocator *allocator;
    /** In [1, 2^48]. 1: exact. 65,536: the sampling of Mozilla's profiler to the letter. Any other: unbiased as well. */
    uint64_t period_bytes;
    /** The first member that starts empties the memory stream too; else it grows until a reset. */
    bool is_cleared_on_start;
    /** The memory stream stays empty, and costs nothing. */
    bool with_objects_only;
    /**
     * Names of a native frame by its return address, called when results are made; gives none when it does not know. NULL:
     * the module and the offset in it.
     */
    ubi_status (*name_address)(void *payload, uintptr_t return_address, ubi_profiler_name_fn name, void *name_payload);
    /** A number in [0, 1); NULL: a generator seeded by the system. Called under a lock. For tests. */
    double (*random)(void *payload);
    /** Nanoseconds since the process started, never decreasing; NULL: ubi_process_clock_ns. For tests. */
    uint64_t (*clock_ns)(void *payload);
    void *payload; /**< of these three */
} ubi_profiler_options;

#define UBI_PROFILER_OPTIONS_VERSION 1
#define UBI_PROFILER_PERIOD_BYTES 65536
#define UBI_PROFILER_OPTIONS_INIT                                                                                      \
    { .version = UBI_PROFILER_OPTIONS_VERSION, .period_bytes = UBI_PROFILER_PERIOD_BYTES }

/** Errors: UBI_EINVAL (options), UBI_ENOMEM. */
UBI_API ubi_status ubi_profiler_new(ubi_profiler **out, const ubi_profiler_options *options);
/** After all members left. NULL is fine. */
UBI_API void ubi_profiler_free(ubi_profiler *profiler);

/**
 * Records from now on; what the member recorded of objects before is dropped. Nothing when it records already.
 * Errors: UBI_ENOMEM, and it does not record.
 */
UBI_API ubi_status ubi_profiler_start(ubi_profiler_member *member);
/** What was recorded stays; what lives, lives at the end of the recording. Nothing when it does not record. */
UBI_API void ubi_profiler_stop(ubi_profiler_member *member);
/** Drops the member's objects unless it records; drops the memory stream unless any member records. */
UBI_API void ubi_profiler_reset(ubi_profiler_member *member);
UBI_API bool ubi_profiler_is_running(const ubi_profiler_member *member);
/**
 * The member's objects and the memory stream, as one. Nothing is consumed.
 * @param out  owned; NULL when there are no results: a member still records, or this one never started, or it was reset.
 * Errors: UBI_ENOMEM. Cost: O(names + traces + events), and naming.
 */
UBI_API ubi_status ubi_profiler_results(ubi_recording **out, ubi_profiler_member *member);

/* ---- extension, may change: for engines --------------------------------------------------------------------------- */

/** A frame of a script, on the stack of the thread. Texts are borrowed. */
typedef struct ubi_profiler_frame {
    ubi_text function_name, source;
    uint32_t line, column; /**< from 1; 0: unknown */
    /** Where on the native stack this activation keeps something; 0: elsewhere. */
    uintptr_t stack_address;
    /** A coroutine: where the function that resumed it, by calling the interpreter, keeps something; 0: unknown. */
    uintptr_t resumer_address;
} ubi_profiler_frame;
/** Takes frames, innermost first. */
typedef ubi_status (*ubi_profiler_frame_fn)(void *payload, const ubi_profiler_frame *frame);

typedef struct ubi_profiler_source {
    uint32_t thread;       /**< for the events */
    uintptr_t interpreter; /**< the function that runs scripts, once per frame of a script; 0: unknown */
    /** Frames of scripts that run now on this thread. */
    ubi_status (*frames)(void *payload, ubi_profiler_frame_fn fn, void *fn_payload);
    void *payload;
    /** Functions of the engine's tools that report allocations: their frames are left out at the inner end. 0: none. */
    uintptr_t hooks[8];
} ubi_profiler_source;

/** Errors: UBI_ENOMEM. The source is copied. */
UBI_API ubi_status ubi_profiler_join(ubi_profiler_member **out, ubi_profiler *profiler,
                                     const ubi_profiler_source *source);
/** Stops, and frees the member. NULL is fine. */
UBI_API void ubi_profiler_leave(ubi_profiler_member *member);

typedef enum ubi_profiler_stream {
    UBI_PROFILER_OBJECTS,
    UBI_PROFILER_MEMORY,
    UBI_PROFILER_STREAM_COUNT
} ubi_profiler_stream;

/**
 * What a member looks at before it calls, for each stream: most allocations and frees end here. While it does not record,
 * no allocation reaches `remaining_bytes`, and no block is known.
 */
typedef struct ubi_profiler_tap {
    uint64_t remaining_bytes; /**< bytes until the next recorded one */
    const uint8_t *known;     /**< by bits 4 to 19 of an address: not 0 when a recorded block may live there */
} ubi_profiler_tap;
#define UBI_PROFILER_KNOWN_BYTES 65536
/** Of the member; it does not move. */
UBI_API ubi_profiler_tap *ubi_profiler_tap_of(ubi_profiler_member *member, ubi_profiler_stream stream);

/** What was allocated, and by whom. */
typedef struct ubi_profiler_allocation {
    uintptr_t address; /**< not 0 */
    uint64_t size_bytes;
    ubi_text kind;        /**< a word */
    uintptr_t hook_frame; /**< on the native stack: up to there it is the tools' own, and not recorded */
} ubi_profiler_allocation;
/** Something was allocated that the tap does not let pass. What cannot be recorded because memory ran out is counted as lost. */
UBI_API void ubi_profiler_allocated(ubi_profiler_member *member, ubi_profiler_stream stream,
                                    const ubi_profiler_allocation *allocation);
/** A block will be freed that the tap may know. */
UBI_API void ubi_profiler_freed(ubi_profiler_member *member, ubi_profiler_stream stream, uintptr_t address);
/** A recorded block turned out to be an object, which has its own stream: its event is withdrawn. */
UBI_API void ubi_profiler_withdraw(ubi_profiler_member *member, uintptr_t address);

/** Whether an allocation may pass; then it is counted. */
static inline bool ubi_profiler_passes(ubi_profiler_tap *tap, uint64_t size_bytes) {
    if (size_bytes >= tap->remaining_bytes)
        return false;
    tap->remaining_bytes -= size_bytes;
    return true;
}
static inline bool ubi_profiler_may_know(const ubi_profiler_tap *tap, uintptr_t address) {
    return tap->known[(address >> 4) & (UBI_PROFILER_KNOWN_BYTES - 1)] != 0;
}

#ifdef __cplusplus
}
#endif
#endif
