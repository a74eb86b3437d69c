/* SPDX-License-Identifier: MIT
 *
 * ubiheap/core/marker.h: markers for C and C++ programs, cheap enough for release builds.
 *
 *     #include <ubiheap/core/marker.h>
 *
 *     void load_config(const char *path) {
 *         UBI_AUTO_GLOBAL_TIMELINE_MARKER("load config");     from here to the end of the block, however it is left
 *         ...
 *     }
 *
 * This header is all that a program needs: no library is linked, and nothing happens until markers are observed. Observers:
 *   - `ubiheap record`: the markers are in the recording, beside the allocations;
 *   - the program itself, or a library that it uses, with libubiheap and ubiheap/core/timeline.h.
 *
 * How: each linked module (program or shared library) has one *port*, which its constructor offers to observers and its
 * destructor withdraws. Without an observer, each end of a marker is one relaxed load of the module's own memory and one
 * branch. With observers, the marker is passed to each *sink* that is plugged into the port.
 * A module finds the sinks that exist when it is loaded: the library must not come later than the module.
 *
 * Names and texts are copied: a module may be unloaded while its markers wait. A marker bears the thread that posts it.
 * Markers with the same name pair like brackets, over all threads of what is observed (ubiheap/core/timeline.h) or per thread
 * (recordings). `longjmp` out of a block leaves its marker open. Exceptions do not; C code that they pass through needs
 * -fexceptions, as ever.
 * Threads: any, also in signal handlers, as far as the sink allows that; see ubiheap/core/timeline.h.
 *
 * C17 and C++11, GCC and Clang, ELF. Elsewhere everything here is empty.
 * Source: mozilla-central docshell/base/timeline/ (Firefox 55 to 62); the seed's AutoGlobalTimelineMarker.
 */
#ifndef UBIHEAP_MARKER_H
#define UBIHEAP_MARKER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what a marker says ------------------------------------------------------------------------------------------ */

/** What a marker marks. */
typedef enum ubi_marker_tracing {
    UBI_MARKER_START = 0,
    UBI_MARKER_END = 1,
    UBI_MARKER_TIMESTAMP = 2,   /**< a moment */
    UBI_MARKER_HELPER_EVENT = 3 /**< says something for another marker, and is no row of its own */
} ubi_marker_tracing;

/** Whether a stack is taken. Of START and TIMESTAMP only, unless always. */
typedef enum ubi_marker_stack_request {
    UBI_MARKER_STACK = 0,
    UBI_MARKER_NO_STACK = 1,
    UBI_MARKER_STACK_ALWAYS = 2 /**< of an END or HELPER_EVENT too */
} ubi_marker_stack_request;

/** What a value is. */
typedef enum ubi_marker_value_type {
    UBI_MARKER_TEXT = 0,
    UBI_MARKER_NUMBER = 1,
    UBI_MARKER_BOOL = 2,
    UBI_MARKER_RECTANGLES = 3 /**< in results only */
} ubi_marker_value_type;

/** Something said with a marker. Key and text end with a zero and are copied. */
typedef struct ubi_marker_value {
    const char *key; /**< "causeName" is what tools show as the marker's label */
    uint32_t type;   /**< ubi_marker_value_type: which of the next it is */
    uint32_t truth;  /**< 0 or 1 */
    double number;
    const char *text; /**< NULL: the value is left out */
} ubi_marker_value;

/** What most markers do not have. */
typedef struct ubi_marker_extra {
    uint64_t monotonic_ns; /**< when it was, in nanoseconds of CLOCK_MONOTONIC; 0: now */
    const ubi_marker_value *values;
    size_t value_count;
} ubi_marker_extra;

/* ---- between ports and sinks: for those who look ----------------------------------------------------------------- */

/** `flags` of a post: the tracing type, the stack request, and this: name is a literal of a module that is loaded. */
#ifdef __cplusplus
#define UBI_MARKER_FLAGS(tracing, stack_request)                                                                       \
    (static_cast<uint32_t>(tracing) | static_cast<uint32_t>(stack_request) << 8)
#else
#define UBI_MARKER_FLAGS(tracing, stack_request) ((uint32_t)(tracing) | (uint32_t)(stack_request) << 8)
#endif
#define UBI_MARKER_TRACING_OF(flags) ((flags)&0xffu)
#define UBI_MARKER_STACK_REQUEST_OF(flags) ((flags) >> 8 & 0xffu)
#define UBI_MARKER_LITERAL (UINT32_C(1) << 16)

/** Who takes markers. It lives as long as a port knows it. */
typedef struct ubi_marker_sink {
    uint32_t version; /**< UBI_MARKER_VERSION */
    /**
     * A marker, now, of this thread. All is borrowed for the call. `caller`: the return address into the function that
     * marks. `extra` NULL: nothing. Bits of `flags` that the sink does not know are to be ignored.
     */
    void (*post)(const struct ubi_marker_sink *sink, const char *name, uint32_t flags, const void *caller,
                 const ubi_marker_extra *extra);
} ubi_marker_sink;

#define UBI_MARKER_VERSION 1
/** Which sink of a port is whose: the program's own timeline, and the recorder of `ubiheap record`. */
#define UBI_MARKER_TIMELINE_SINK 0
#define UBI_MARKER_RECORDER_SINK 1
#define UBI_MARKER_SINKS 2

/** One of each module. This layout stays; another one gets another name. */
typedef struct ubi_marker_port {
    uint32_t active;   /**< bit i: sink i wants markers. Written by sink i's owner with atomic or/and, read relaxed */
    uint32_t version;  /**< UBI_MARKER_VERSION */
    uint32_t presence; /**< the module's own: 0 not offered yet, 1 offered, 2 taken back */
    uint32_t reserved;
    const ubi_marker_sink
        *sinks[UBI_MARKER_SINKS]; /**< written by their owner only, atomically; before the bit is set */
    struct ubi_marker_port *next[UBI_MARKER_SINKS]; /**< for a list of sink i's owner */
} ubi_marker_port;

/*
 * Those who look define, as weak references of every module that marks:
 *     void ubi_timeline_join_port(ubi_marker_port *port);     libubiheap
 *     void ubi_timeline_leave_port(ubi_marker_port *port);
 *     void ubi_recorder_join_port(ubi_marker_port *port);     the preload library of `ubiheap record`
 *     void ubi_recorder_leave_port(ubi_marker_port *port);
 * Each writes what is its own in the port, nothing else. Join is called once when the module is loaded; leave before it is
 * unloaded, and at exit. After leave returned nothing of the port may be touched.
 */

#if defined(UBI_MARKER_SINK_ONLY) /* for those who look, and mark nothing themselves: no port */
#elif defined(__ELF__) && defined(__GNUC__)

/* ---- the port of this module ------------------------------------------------------------------------------------- */

/* Weak and hidden: all files of a module share one, and no other module sees it. */
__attribute__((weak, visibility("hidden")))
ubi_marker_port ubi__marker_port = { 0, UBI_MARKER_VERSION, 0, 0, { 0, 0 }, { 0, 0 } };

typedef void (*ubi__marker_port_fn)(ubi_marker_port *port);

static void ubi__marker_ubi_timeline_join_port(ubi_marker_port *port)
    __attribute__((weakref("ubi_timeline_join_port")));
static void ubi__marker_ubi_timeline_leave_port(ubi_marker_port *port)
    __attribute__((weakref("ubi_timeline_leave_port")));
static void ubi__marker_ubi_recorder_join_port(ubi_marker_port *port)
    __attribute__((weakref("ubi_recorder_join_port")));
static void ubi__marker_ubi_recorder_leave_port(ubi_marker_port *port)
    __attribute__((weakref("ubi_recorder_leave_port")));

/* The weak function `name`, or NULL. Where code has a fixed place, a linker settles a weak name at once; asking the table of
 * addresses leaves it to the loader. */
#if defined(__x86_64__) && !defined(__ILP32__) && !defined(__PIC__)
#define UBI__MARKER_FIND(out, name) __asm__("movq %c1@GOTPCREL(%%rip), %0" : "=r"(out) : "i"(&ubi__marker_##name))
#else
#define UBI__MARKER_FIND(out, name) ((out) = ubi__marker_##name)
#endif

/* Each file of the module runs these two; the first time counts. Early and late, so that constructors may mark. */
__attribute__((weak, visibility("hidden"), constructor(101))) void ubi__marker_port_offer(void);
__attribute__((weak, visibility("hidden"), destructor(101))) void ubi__marker_port_take_back(void);
/* Hands a marker to who wants it. Never inlined: `caller` is then in the function that marks. */
__attribute__((weak, visibility("hidden"), noinline, cold)) void ubi__marker_post(const char *name, uint32_t flags,
                                                                                  const ubi_marker_extra *extra);

void ubi__marker_port_offer(void) {
    ubi__marker_port_fn timeline, recorder;
    if (ubi__marker_port.presence != 0)
        return;
    ubi__marker_port.presence = 1;
    UBI__MARKER_FIND(timeline, ubi_timeline_join_port);
    UBI__MARKER_FIND(recorder, ubi_recorder_join_port);
    if (timeline)
        timeline(&ubi__marker_port);
    if (recorder)
        recorder(&ubi__marker_port);
}

void ubi__marker_port_take_back(void) {
    ubi__marker_port_fn timeline, recorder;
    if (ubi__marker_port.presence != 1)
        return;
    ubi__marker_port.presence = 2;
    UBI__MARKER_FIND(timeline, ubi_timeline_leave_port);
    UBI__MARKER_FIND(recorder, ubi_recorder_leave_port);
    if (timeline)
        timeline(&ubi__marker_port);
    if (recorder)
        recorder(&ubi__marker_port);
}

#undef UBI__MARKER_FIND

void ubi__marker_post(const char *name, uint32_t flags, const ubi_marker_extra *extra) {
    uint32_t active = __atomic_load_n(&ubi__marker_port.active, __ATOMIC_RELAXED);
    int i;
    for (i = 0; i < UBI_MARKER_SINKS; i++) {
        const ubi_marker_sink *sink = __atomic_load_n(&ubi__marker_port.sinks[i], __ATOMIC_ACQUIRE);
        if ((active >> i & 1) && sink)
            sink->post(sink, name, flags, __builtin_return_address(0), extra);
    }
}

/** Whether there is an observer: for details that are expensive to compute. Any thread. Cost: a relaxed load. */
__attribute__((always_inline, unused)) static inline int ubi_marker_is_observed(void) {
    return __builtin_expect(__atomic_load_n(&ubi__marker_port.active, __ATOMIC_RELAXED) != 0, 0) != 0;
}

/* * A marker. No effect without an observer.
 *
 * @param name   what is marked; markers pair by it. Copied.
 * @param flags  UBI_MARKER_FLAGS(tracing, stack_request), and UBI_MARKER_LITERAL when `name` is a literal.
 * @param extra  NULL: nothing. Borrowed for the call.
 */
__attribute__((always_inline, unused)) static inline void ubi_marker_emit(const char *name, uint32_t flags,
                                                                          const ubi_marker_extra *extra) {
    if (ubi_marker_is_observed())
        ubi__marker_post(name, flags, extra);
}

/* With a label, "causeName"; NULL: none. */
__attribute__((always_inline, unused)) static inline void ubi__marker_labelled(const char *name, uint32_t flags,
                                                                               const char *label) {
    if (ubi_marker_is_observed()) {
        ubi_marker_value value = { "causeName", UBI_MARKER_TEXT, 0, 0, 0 };
        ubi_marker_extra extra = { 0, 0, 1 };
        value.text = label;
        extra.values = &value;
        ubi__marker_post(name, flags, &extra);
    }
}

__attribute__((always_inline, unused)) static inline const char *ubi__marker_open(const char *name,
                                                                                  ubi_marker_stack_request request) {
    ubi_marker_emit(name, UBI_MARKER_FLAGS(UBI_MARKER_START, request) | UBI_MARKER_LITERAL, 0);
    return name;
}

__attribute__((always_inline, unused)) static inline const char *ubi__marker_open_labelled(const char *name,
                                                                                           const char *label) {
    ubi__marker_labelled(name, UBI_MARKER_FLAGS(UBI_MARKER_START, UBI_MARKER_STACK) | UBI_MARKER_LITERAL, label);
    return name;
}

__attribute__((always_inline, unused)) static inline void ubi__marker_close(const char *const *name) {
    ubi_marker_emit(*name, UBI_MARKER_FLAGS(UBI_MARKER_END, UBI_MARKER_NO_STACK) | UBI_MARKER_LITERAL, 0);
}

#define UBI__MARKER_JOIN(a, b) a##b
#define UBI__MARKER_VARIABLE_(number) UBI__MARKER_JOIN(ubi__marker_here_, number)
#define UBI__MARKER_SCOPED                                                                                             \
    __attribute__((cleanup(ubi__marker_close), unused)) const char *const UBI__MARKER_VARIABLE_(__COUNTER__)

/**
 * START here, END at the end of the block. `name`: a literal.
 * What begins to look between the two sees an END alone, which results leave out; what ceases to look sees a START.
 */
#define UBI_AUTO_GLOBAL_TIMELINE_MARKER(name) UBI__MARKER_SCOPED = ubi__marker_open("" name, UBI_MARKER_STACK)
/** The same without a stack. */
#define UBI_AUTO_GLOBAL_TIMELINE_MARKER_NO_STACK(name)                                                                 \
    UBI__MARKER_SCOPED = ubi__marker_open("" name, UBI_MARKER_NO_STACK)
/** The same with a label (const char *, NULL: none), which is in the result as "causeName". Markers pair by `name` alone. */
#define UBI_AUTO_GLOBAL_TIMELINE_MARKER_LABEL(name, label)                                                             \
    UBI__MARKER_SCOPED = ubi__marker_open_labelled("" name, label)

/** A START that stands alone: its END may be in another function or thread. `name`: a literal, as in all of these. */
#define UBI_TIMELINE_MARKER_START(name)                                                                                \
    ubi_marker_emit("" name, UBI_MARKER_FLAGS(UBI_MARKER_START, UBI_MARKER_STACK) | UBI_MARKER_LITERAL, 0)
/** The same with a label, as above. */
#define UBI_TIMELINE_MARKER_START_LABEL(name, label)                                                                   \
    ubi__marker_labelled("" name, UBI_MARKER_FLAGS(UBI_MARKER_START, UBI_MARKER_STACK) | UBI_MARKER_LITERAL, label)
/** Its END. */
#define UBI_TIMELINE_MARKER_END(name)                                                                                  \
    ubi_marker_emit("" name, UBI_MARKER_FLAGS(UBI_MARKER_END, UBI_MARKER_NO_STACK) | UBI_MARKER_LITERAL, 0)
/** A moment, with a label, as above. */
#define UBI_TIMELINE_TIMESTAMP(name, label)                                                                            \
    ubi__marker_labelled("" name, UBI_MARKER_FLAGS(UBI_MARKER_TIMESTAMP, UBI_MARKER_STACK) | UBI_MARKER_LITERAL, label)

#else /* neither ELF nor GCC: nothing */

#define ubi_marker_is_observed() 0
#define ubi_marker_emit(name, flags, extra) ((void)(name), (void)(flags), (void)(extra))
#define UBI_AUTO_GLOBAL_TIMELINE_MARKER(name) ((void)0)
#define UBI_AUTO_GLOBAL_TIMELINE_MARKER_NO_STACK(name) ((void)0)
#define UBI_AUTO_GLOBAL_TIMELINE_MARKER_LABEL(name, label) ((void)(label))
#define UBI_TIMELINE_MARKER_START(name) ((void)0)
#define UBI_TIMELINE_MARKER_START_LABEL(name, label) ((void)(label))
#define UBI_TIMELINE_MARKER_END(name) ((void)0)
#define UBI_TIMELINE_TIMESTAMP(name, label) ((void)(label))

#endif

#ifdef __cplusplus
}
#endif
#endif
