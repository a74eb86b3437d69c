/* SPDX-License-Identifier: MIT
 *
 * tracking_state.h: what tracking knows of one runtime. No structure of the engine's is needed to read this.
 *
 * Who is observed: a record per realm (ubi__watched_realm) with the observers that have it. From these follow the greatest
 * probability of all, which one stream of trials is drawn for, and per realm the probability that is really meant; a
 * success in a realm that wants less is thinned out.
 *
 * What is remembered: the objects that were marked (sites), the bytecode that stands in their stacks (scripts), the stacks
 * (frames), names (texts). All of it shrinks when the objects die: see ubi__tracking_sweep.
 *
 * Hooks (adapter/births.h, adapter/collections.h) write here from inside the engine; observers read and set.
 */
#ifndef UBI_QUICKJS_TRACKING_STATE_H
#define UBI_QUICKJS_TRACKING_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include <ubiheap/profiler.h>
#include <ubiheap/quickjs.h>

#include "engines/quickjs/async_links.h"
#include "tracking/allocation_log.h"
#include "tracking/sampler.h"
#include "tracking/site_table.h"
#include "tracking/tool_clock.h"

/** What the memory profiler knows of objects while it does not record. */
extern const uint8_t ubi__no_known_objects[UBI_PROFILER_KNOWN_BYTES];

/** A realm that somebody observes, or that has a foreign allocation hook. */
typedef struct ubi__watched_realm {
    JSContext *realm;
    ubi_quickjs_observer **observers; /* that have it among their debuggees */
    uint32_t observer_count, observer_capacity;
    uint32_t tracker_count; /* of those, the tracking ones */
    double probability;     /* 0 while nobody tracks; else the greatest of all its observers */
    ubi_quickjs_allocation_hook_fn foreign_hook;
    void *foreign_payload;
    struct ubi__watched_realm *next;
} ubi__watched_realm;

/** A frame of the last stack that was captured: for as long as the outer frames stay, so do their numbers. */
typedef struct ubi__captured_frame {
    const void *frame;    /* the engine's, if it was marked; else NULL */
    const void *function; /* NULL: none */
    const void *place;    /* in its bytecode; NULL: not stored yet, or it has none */
    const void *bytecode; /* NULL: a native function, which has no frame in a stack */
    JSContext *realm;     /* of the bytecode */
    ubi__stack_ix stack;  /* from the outermost frame to this one */
} ubi__captured_frame;

/** Where a stack was seen before, by its youngest frame. */
typedef struct ubi__seen_stack {
    const void *bytecode; /* NULL: nothing was seen here */
    uint32_t pc;
    ubi__stack_ix parent, stack;
} ubi__seen_stack;
#define UBI__SEEN_STACKS 128

#define UBI__BIRTH_SIZES 16

/** A collection that waits to be told. */
typedef struct ubi__collection_event {
    const char *reason;
    uint64_t cycle_number, start_us, end_us;
} ubi__collection_event;

/** Events kept while nobody reaches a safe point; then the oldest are lost. */
#define UBI__COLLECTION_EVENTS_MAX 4096

typedef struct ubi__request {
    struct ubi__request *next;
    ubi_safe_point_fn fn;
    void *payload;
} ubi__request;

/** What other threads asked for. */
typedef struct ubi__requests {
    _Atomic bool waiting; /* there are some: what a safe point looks at */
    pthread_mutex_t lock;
    ubi__request *first, **end; /* guarded by the lock */
} ubi__requests;

#define UBI__STRING_CACHE_SLOTS 64

/** Where a string of the engine's was found before. Never trusted without comparing the content. */
typedef struct ubi__cached_string {
    const void *string;
    ubi__text_ix text;
} ubi__cached_string;

/** What a runtime tells the timeline: timeline.h. */
typedef struct ubi__timeline {
    ubi_timeline_target **joined; /* who is told */
    uint32_t joined_count, joined_capacity;
    bool joined_all;    /* all that are observed are told */
    bool is_observed;   /* somebody looks: links and frames are remembered */
    bool is_running;    /* the run at hand was told */
    bool is_collecting; /* the collection at hand was told */
    bool wants_cycles;  /* the next collection was asked for as one of cycles */
    const char *cause;  /* of the next run, from the program; or NULL */
    ubi_quickjs_async registered;
    ubi__async_ix current; /* what the run at hand hangs on; 0: nothing */
    ubi__async_links links;
    ubi__site_table waiting; /* objects that registered callbacks are known by: their links */
    ubi_timeline_stack_source source;
    const ubi_timeline_stack_source *source_before; /* the thread's, before the run at hand */
    ubi_timeline_target *own;                       /* of scripts' `timeline`, once they use it */
    uint64_t own_lost;                              /* markers that it had no room for, since it is observed */
    const char *collection_name;                    /* of the collection at hand */
} ubi__timeline;

typedef struct ubi__tracking {
    ubi_quickjs *tools;
    JSRuntime *runtime;
    const ubi_allocator *allocator;
    uint64_t (*clock_us)(void *payload); /* NULL: our own */
    void *clock_payload;
    ubi__tick_clock clock;

    /* The next birth of an object that is looked at: when the first becomes negative. See ubi__tracking_plan_births. */
    int64_t births_to_skip;
    int64_t births_planned;     /* what it was set to */
    int64_t births_until_trial; /* counted from then: so many pass before the next trial succeeds */
    double probability;         /* the greatest of all watched realms; what the skips are drawn for */
    uint32_t foreign_hook_count;
    ubi_profiler_tap *object_tap; /* of the memory profiler, while it records; else NULL */
    uint32_t object_bytes;        /* what it counts for each object */
    const uint8_t *known_objects; /* its tap's, or all zero */
    ubi__sampler sampler;

    ubi__site_table sites;   /* objects that were marked: their stack */
    ubi__site_table scripts; /* bytecode that was met on a stack: its number */
    uint32_t last_serial;
    uint32_t last_script;
    const void *last_object; /* the last that was marked and lives: `new` names its constructor when it is done */
    ubi__watched_realm *last_realm; /* of that object */

    ubi__frame_trie frames;
    ubi__tracked_texts texts;
    uint32_t sweep_frames_at, sweep_texts_at; /* so many, and it is time to look what can go */
    uint32_t hold_texts;                      /* texts were lent to a caller: no sweep */
    ubi__text_ix *class_texts;                /* by class id */
    uint32_t class_text_count;
    ubi__cached_string string_cache[UBI__STRING_CACHE_SLOTS];
    char *text_buffer; /* for strings that are not ASCII */
    uint32_t text_buffer_bytes;
    ubi__captured_frame *captured; /* outermost first */
    uint32_t captured_count, captured_capacity;
    void **walked; /* frames of the stack at hand, innermost first */
    uint32_t walked_capacity;
    ubi__seen_stack seen[UBI__SEEN_STACKS];
    uint32_t birth_bytes[UBI__BIRTH_SIZES]; /* by number of property slots; 0: not known yet */

    ubi__watched_realm *realms;
    ubi_quickjs_observer *observers, *last_observer; /* oldest first */
    ubi_quickjs_observer *next_to_tell;              /* of the collection at hand */
    uint32_t observing_count;                        /* observers with debuggees */
    bool is_watching;                                /* births and deaths are told to us */

    uint64_t cycle_number; /* of the last collection that began */
    uint64_t cycle_start_us;
    ubi__collection_event *events; /* a ring */
    uint32_t event_capacity, event_first, event_count;
    bool is_delivering;

    ubi__requests requests;
    ubi__timeline timeline;

    uint64_t lost_entries; /* of logs, for want of memory */
    uint64_t lost_sites;   /* objects that could not be marked, for want of memory */
    uint64_t lost_events;  /* collections that could not be told */
} ubi__tracking;

/* ---- in the unit of the engine (adapter/births.h) ------------------------------------------------------------------- */

/** Tracking of these tools. */
ubi__tracking *ubi__tracking_of(ubi_quickjs *tools);
/** Asks the hooks for births and deaths while anything here needs them, and only then. */
void ubi__tracking_update_watch(ubi__tracking *t);
/** Shallow size of an object that is alive. */
uint64_t ubi__live_object_bytes(ubi__tracking *t, const void *object);

/* ---- tracking.c ----------------------------------------------------------------------------------------------------- */

/** `options` are complete or zero. Cannot fail: memory is taken when something is tracked. */
void ubi__tracking_start(ubi__tracking *t, ubi_quickjs *tools, JSRuntime *runtime, const ubi_allocator *allocator,
                         const ubi_quickjs_options *options);
/** Frees everything, the observers too. */
void ubi__tracking_end(ubi__tracking *t);

/** Microseconds on the clock of the log. */
static inline uint64_t ubi__tracking_now_us(ubi__tracking *t) {
    return t->clock_us ? t->clock_us(t->clock_payload) : ubi__tick_clock_us(&t->clock);
}

/**
 * Three may want to look at a birth: trials, the memory profiler, and foreign hooks, which look at all. One counter tells which
 * birth is the next for any of them. Before any of them changes its mind, births since then are counted for all (settle);
 * afterwards the next one is found anew (plan).
 */
static inline void ubi__tracking_settle_births(ubi__tracking *t) {
    int64_t passed = t->births_planned - t->births_to_skip;
    t->births_planned = t->births_to_skip;
    t->births_until_trial -= passed;
    if (t->object_tap)
        t->object_tap->remaining_bytes -= (uint64_t)passed * t->object_bytes;
}
static inline void ubi__tracking_plan_births(ubi__tracking *t) {
    int64_t skip = t->foreign_hook_count ? 0 : t->births_until_trial;
    if (__builtin_expect(t->object_tap != NULL, 0)) { /* an object passes as long as more is left than its size */
        uint64_t remaining = t->object_tap->remaining_bytes;
        int64_t until_sample = remaining ? (int64_t)((remaining - 1) / t->object_bytes) : 0;
        skip = until_sample < skip ? until_sample : skip;
    }
    t->births_planned = t->births_to_skip = skip;
}
/** The next birth is looked at, whoever wants to. */
void ubi__tracking_look_at_next_birth(ubi__tracking *t);

/** Forgets where frames were seen last: bytecode died, or their numbers are about to. */
void ubi__tracking_forget_frames(ubi__tracking *t);
/** Frees frames and texts that nothing leads to any more, when there are twice as many as the last time. */
void ubi__tracking_sweep(ubi__tracking *t);
static inline void ubi__tracking_sweep_if_due(ubi__tracking *t) {
    if (__builtin_expect(t->frames.live_count >= t->sweep_frames_at || t->texts.live_count >= t->sweep_texts_at, 0))
        ubi__tracking_sweep(t);
}
/* ---- safe_point.c --------------------------------------------------------------------------------------------------- */

/** Delivers what waits. True when something was delivered. */
bool ubi__tracking_safe_point(ubi__tracking *t);

/* ---- tracking.c ----------------------------------------------------------------------------------------------------- */

/** A stack of ours as others see it. It is kept from now on. */
ubi_stack ubi__tracking_stack(ubi__tracking *t, ubi__stack_ix stack);
/** The same, good until scripts run again: a walk asks for one per object, and may be done again and again. */
ubi_stack ubi__tracking_lent_stack(ubi__tracking *t, ubi__stack_ix stack);

#endif
