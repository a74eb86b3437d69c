/* SPDX-License-Identifier: MIT
 *
 * tracking.h: what a live engine needs beside its walk: which births are looked at, where objects were allocated, who
 * observes, what happened since.
 *
 * An engine embeds one ubi__tracking per runtime and reports births, deaths, constructors, collections and safe points to it.
 * Tracking decides, remembers and delivers. It knows no structure of any engine: an object, a realm, compiled code and a frame
 * are addresses to it, and what it wants to know of one it asks through ubi__tracking_engine.
 *
 * A birth, in the engine's hook:
 *
 *     if (!ubi__tracking_looks_at_birth(t))
 *         return;                                          the usual way: one decrement and one predicted branch
 *     ubi__tracking_begin_birth(t);                        from here on out of line
 *     ubi__watched_realm *w = ubi__watched_realm_of(t, realm);
 *     if (ubi__tracking_trial(t, w, object))
 *         ubi__tracking_record_birth(t, w, &birth);        with the stack, as a number
 *     ubi__tracking_plan_births(t);
 *
 * A stack is made of its frames from the outermost in, each by ubi__tracking_frame; an engine that knows which frames live
 * since it looked the last time begins at the innermost of those.
 *
 * Who is observed: a record per realm (ubi__watched_realm) with the observers that have it. From these follow the greatest
 * probability of all, which one stream of trials is drawn for, and per realm the probability that is really meant; a
 * success in a realm that wants less is thinned out.
 *
 * What is remembered: the objects that were marked (sites), the code that their stacks are made of (code), the stacks
 * (frames), names (texts). All of it shrinks when the objects die: see ubi__tracking_sweep.
 *
 * Threads: all but ubi__tracking_request belongs to the thread that runs the runtime. Hooks may be called from anywhere inside
 * of the engine: nothing here runs scripts or touches the engine's heap, except callbacks at ubi__tracking_safe_point and
 * of a drained log.
 *
 * This folder is installed as source and compiled with an engine: of ours it includes <ubiheap/...>, itself, and the headers
 * of base/ that are installed with it (assert, bits, table).
 */
#ifndef UBI_TRACKING_TRACKING_H
#define UBI_TRACKING_TRACKING_H

#include <pthread.h>
#include <stdatomic.h>

#include <ubiheap/core/profiler.h>
#include <ubiheap/extension/tracking.h>

#include "tracking/sampler.h"
#include "tracking/tool_clock.h"
#include "tracking/tracking_tables.h"

/* ---- what an engine gives ------------------------------------------------------------------------------------------- */

/**
 * Called with the `engine` of the options, on the runtime's thread, also from inside of hooks: none may run scripts or
 * allocate on the engine's heap.
 */
typedef struct ubi__tracking_engine {
    /** From now on births and deaths have to be reported, or no longer need to be. They alternate; the first is `on`. */
    void (*watch)(void *engine, bool on);
    /** Shallow size of an object that is alive. */
    uint64_t (*object_bytes)(void *engine, const void *object);
    /** Name of a class, as a text of ours. UBI_NONE: no memory. Asked once per class. */
    ubi__text_ix (*class_name)(void *engine, uint32_t class_id);
    /**
     * Fills in what a frame says of itself: name, source, line, column, with texts of ours. `frame` is what was given to
     * ubi__tracking_frame. Asked once for each place of a stack. Without memory for a text it has none.
     */
    void (*describe_frame)(void *engine, const void *frame, ubi__trie_frame *out);
    /** Numbers of stacks may mean other stacks from now on: the engine must forget those that it remembers. */
    void (*forget_stacks)(void *engine);
    /** Frames and texts are about to be freed: marks those that the engine has beside objects and logs. */
    void (*before_sweep)(void *engine);
} ubi__tracking_engine;

typedef struct ubi__tracking_options {
    const ubi__tracking_engine *ops; /* static */
    void *engine;                    /* its payload */
    const ubi_allocator *allocator;  /* never the engine's own heap */
    double (*random)(void *payload); /* in [0, 1); NULL: our own generator */
    void *random_payload;
    uint64_t (*clock_us)(void *payload); /* never goes back; NULL: time since the process started */
    void *clock_payload;
} ubi__tracking_options;

/* ---- state ---------------------------------------------------------------------------------------------------------- */

typedef struct ubi__tracking ubi__tracking;
typedef struct ubi__observer ubi__observer;

/** Called at each birth in a realm; touches nothing of the engine. */
typedef void (*ubi__birth_hook_fn)(void *payload, uint64_t object_id);

/** A realm that is observed, or that has a hook of others. */
typedef struct ubi__watched_realm {
    const void *realm;
    ubi__observer **observers; /* that have it among their debuggees */
    uint32_t observer_count, observer_capacity;
    uint32_t tracker_count; /* of those, the tracking ones */
    uint32_t wide_count;    /* and those that want all realms */
    double probability;     /* 0 while none tracks; else the greatest of all its observers */
    ubi__birth_hook_fn foreign_hook;
    void *foreign_payload;
    struct ubi__watched_realm *next;
} ubi__watched_realm;

/** Who watches allocations and collections of some realms, its debuggees: observer.h. */
struct ubi__observer {
    ubi__tracking *tracking;
    ubi__observer *next, *previous;
    const void **realms; /* debuggees, in the order of adding */
    uint32_t realm_count, realm_capacity;
    bool wants_all_realms; /* realms that it does not have yet become debuggees when they allocate */
    bool is_tracking;
    double probability;
    ubi__allocation_log log;
    ubi_collection_fn on_collection;
    void *collection_payload;
    uint64_t observes_since_cycle; /* the last collection before it had debuggees */
};

/** Where a stack was seen before, by its youngest frame. */
typedef struct ubi__seen_stack {
    const void *code; /* NULL: nothing was seen here */
    uint32_t pc;
    ubi__stack_ix parent, stack;
} ubi__seen_stack;
#define UBI__SEEN_STACKS 128

/** A collection that waits to be reported. */
typedef struct ubi__collection_event {
    const char *reason, *nonincremental_reason;
    uint64_t cycle_number, start_us, end_us;
} ubi__collection_event;

/** Events kept until a safe point is reached; then the oldest are lost. */
#define UBI__COLLECTION_EVENTS_MAX 4096

typedef void (*ubi__request_fn)(void *payload);

typedef struct ubi__request {
    struct ubi__request *next;
    ubi__request_fn fn;
    void *payload;
} ubi__request;

/** What other threads asked for. */
typedef struct ubi__requests {
    _Atomic bool has_waiting; /* there are some: what a safe point looks at */
    pthread_mutex_t lock;
    ubi__request *first, **end; /* guarded by the lock */
} ubi__requests;

struct ubi__tracking {
    const ubi__tracking_engine *ops;
    void *engine;
    const ubi_allocator *allocator;
    uint64_t (*clock_us)(void *payload); /* NULL: our own */
    void *clock_payload;
    ubi__tick_clock clock;

    /* The next birth of an object that is looked at: when the first becomes negative. See ubi__tracking_plan_births. */
    int64_t births_to_skip;
    int64_t births_planned;     /* what it was set to */
    int64_t births_until_trial; /* counted from then: births that pass before the next trial succeeds */
    double probability;         /* the greatest of all watched realms; what the skips are drawn for */
    uint32_t foreign_hook_count;
    ubi_profiler_tap *object_tap; /* of the memory profiler, while it records; else NULL */
    uint32_t object_bytes;        /* what it counts for each object */
    ubi__sampler sampler;

    ubi__site_table sites; /* objects that were marked: their stack */
    ubi__site_table code;  /* code that was met on a stack: its number */
    uint32_t last_serial;
    uint32_t last_code;
    const void *last_object; /* the last that was marked and lives: `new` names its constructor when it is done */
    ubi__watched_realm *last_realm; /* of that object */

    ubi__frame_trie frames;
    ubi__tracked_texts texts;
    uint32_t sweep_frames_at, sweep_texts_at; /* with that many, a sweep is due */
    uint32_t hold_texts;                      /* texts were lent to a caller: no sweep */
    ubi__text_ix *class_texts;                /* by class id */
    uint32_t class_text_count;
    ubi__seen_stack seen[UBI__SEEN_STACKS];

    ubi__watched_realm *realms;
    ubi__observer *observers, *last_observer; /* oldest first */
    ubi__observer *next_to_report;            /* of the collection at hand */
    uint32_t observing_count;                 /* observers with debuggees */
    uint32_t wide_count;                      /* observers that want all realms */
    bool is_watching;                         /* births and deaths are reported to us */
    bool is_engine_watching;                  /* the engine wants to hear of them for a reason of its own */

    uint64_t cycle_number; /* of the last collection that began */
    uint64_t cycle_start_us;
    ubi__collection_event *events; /* a ring */
    uint32_t event_capacity, event_first, event_count;
    bool is_delivering;

    ubi__requests requests;

    uint64_t lost_entries; /* of logs, for lack of memory */
    uint64_t lost_sites;   /* objects that could not be marked, for lack of memory */
    uint64_t lost_events;  /* collections that could not be reported */
};

/* ---- beginning and end: tracking.c ---------------------------------------------------------------------------------- */

/** Observers, watched realms, the counter of births and the ring of events agree. O(observers times realms). */
void ubi__tracking_check(const ubi__tracking *t);
/** Cannot fail: memory is taken when something is tracked. */
void ubi__tracking_init(ubi__tracking *t, const ubi__tracking_options *options);
/** Frees all; the observers must have ended. Ends watching. */
void ubi__tracking_fini(ubi__tracking *t);
/** Whether the engine itself wants to hear of births and deaths. */
void ubi__tracking_keep_watching(ubi__tracking *t, bool on);
/** Asks the engine for births and deaths while anything here needs them, and only then. */
void ubi__tracking_update_watch(ubi__tracking *t);

/** Microseconds on the clock of the log. */
static inline uint64_t ubi__tracking_now_us(ubi__tracking *t) {
    return t->clock_us ? t->clock_us(t->clock_payload) : ubi__tick_clock_us(&t->clock);
}

/* ---- forgetting: tracking.c ----------------------------------------------------------------------------------------- */

/** Forgets where frames were seen last: code died, or their numbers are about to. */
void ubi__tracking_forget_stacks(ubi__tracking *t);
/** Frees frames and texts that nothing leads to any more. O(all of them, and the entries of logs). */
void ubi__tracking_sweep(ubi__tracking *t);
/** The same when there are twice as many as were left the last time. */
static inline void ubi__tracking_sweep_if_due(ubi__tracking *t) {
    if (__builtin_expect(t->frames.table.n >= t->sweep_frames_at || t->texts.table.n >= t->sweep_texts_at, 0))
        ubi__tracking_sweep(t);
}

/* ---- stacks and names: tracking.c ----------------------------------------------------------------------------------- */

static inline ubi__seen_stack *ubi__tracking_seen(ubi__tracking *t, const void *code, uint32_t pc,
                                                  ubi__stack_ix parent) {
    return &t->seen[((uintptr_t)code / 64 + pc + parent * 7) % UBI__SEEN_STACKS];
}
static inline bool ubi__seen_stack_is(const ubi__seen_stack *seen, const void *code, uint32_t pc,
                                      ubi__stack_ix parent) {
    return seen->code == code && seen->pc == pc && seen->parent == parent;
}
/* What the next does when it was not seen lately. */
ubi__stack_ix ubi__tracking_look_up_frame(ubi__tracking *t, ubi__stack_ix parent, const void *code, uint32_t pc,
                                          const void *frame);
/**
 * The stack of a frame that is at `pc` of `code` and was called from `parent` (UBI__STACK_EMPTY: the outermost). `frame` is
 * for describe_frame, when it is a new one. A loop comes to the same few again and again: these cost a compare.
 * UBI_NONE: no memory.
 */
static inline ubi__stack_ix ubi__tracking_frame(ubi__tracking *t, ubi__stack_ix parent, const void *code, uint32_t pc,
                                                const void *frame) {
    const ubi__seen_stack *seen = ubi__tracking_seen(t, code, pc, parent);
    if (ubi__seen_stack_is(seen, code, pc, parent))
        return seen->stack;
    return ubi__tracking_look_up_frame(t, parent, code, pc, frame);
}

/** A stack of ours as others see it. It is kept from now on. Of the empty one: nothing. */
ubi_stack ubi__tracking_stack(ubi__tracking *t, ubi__stack_ix stack);
/** The same, good until scripts run again: a walk asks for one per object, and may be done again and again. */
ubi_stack ubi__tracking_lent_stack(ubi__tracking *t, ubi__stack_ix stack);
/** Operations of all stacks of tracking. A stack's ref is its number: equal stacks have equal refs while tracking lives. */
const ubi_stack_ops *ubi__tracking_stack_ops(void);

/* Asks the engine. */
ubi__text_ix ubi__tracking_new_class_name(ubi__tracking *t, uint32_t class_id);
/** Name of a class, such as "Array". UBI_NONE: no memory. */
static inline ubi__text_ix ubi__tracking_class_name(ubi__tracking *t, uint32_t class_id) {
    if (__builtin_expect(class_id < t->class_text_count && t->class_texts[class_id] != UBI_NONE, 1))
        return t->class_texts[class_id];
    return ubi__tracking_new_class_name(t, class_id);
}

/* ---- which birth is looked at --------------------------------------------------------------------------------------- */

/**
 * Three may want to look at a birth: trials, the memory profiler, and hooks of others, which look at all. One counter says
 * which birth is the next for any of them. Before any of them changes its mind, births since then are counted for all
 * (settle); afterwards the next one is found again (plan).
 */
static inline void ubi__tracking_settle_births(ubi__tracking *t) {
    int64_t passed = t->births_planned - t->births_to_skip;
    UBI_ASSERT(passed >= 0);
    t->births_planned = t->births_to_skip;
    t->births_until_trial -= passed;
    if (t->object_tap)
        t->object_tap->remaining_bytes -= (uint64_t)passed * t->object_bytes;
}
static inline void ubi__tracking_plan_births(ubi__tracking *t) {
    t->births_planned = t->births_to_skip = t->births_until_trial;
    if (__builtin_expect(t->object_tap != NULL, 0)) { /* an object passes as long as more is left than its size */
        uint64_t remaining = t->object_tap->remaining_bytes;
        int64_t until_sample = remaining ? (int64_t)((remaining - 1) / t->object_bytes) : 0;
        if (until_sample < t->births_to_skip)
            t->births_planned = t->births_to_skip = until_sample;
    }
    if (__builtin_expect(t->foreign_hook_count != 0, 0))
        t->births_planned = t->births_to_skip = 0;
}

/** The next birth is looked at in any case. */
void ubi__tracking_look_at_next_birth(ubi__tracking *t);
/** The memory profiler records objects, each of which it counts as `object_bytes`; NULL: no longer. */
void ubi__tracking_set_object_tap(ubi__tracking *t, ubi_profiler_tap *tap, uint32_t object_bytes);

/* ---- a birth -------------------------------------------------------------------------------------------------------- */

/** To be asked at each birth while it is watched. False: it is not looked at. */
static inline bool ubi__tracking_looks_at_birth(ubi__tracking *t) {
    return __builtin_expect(--t->births_to_skip < 0, 0);
}

/** The first thing to do with a birth that is looked at; the last is ubi__tracking_plan_births. */
static inline void ubi__tracking_begin_birth(ubi__tracking *t) {
    t->births_to_skip = 0; /* this one is not among those that passed */
    ubi__tracking_settle_births(t);
    ubi__tracking_sweep_if_due(t);
}

/* Watched realms, for observer.c. */

/** The record, made if need be; NULL: no memory. */
ubi__watched_realm *ubi__watched_realm_get(ubi__tracking *t, const void *realm);
void ubi__watched_realm_remove_observer(ubi__watched_realm *w, const ubi__observer *observer);
void ubi__watched_realm_free(ubi__tracking *t, ubi__watched_realm *w);
void ubi__watched_realm_free_if_unused(ubi__tracking *t, ubi__watched_realm *w);
/** New probabilities, and a new stream of trials. O(observers times their realms). */
void ubi__watched_realms_update(ubi__tracking *t);
/** The record of a realm, or NULL. O(watched realms). */
ubi__watched_realm *ubi__watched_realm_find(const ubi__tracking *t, const void *realm);
/** The same, after observers that want all realms got it. O(watched realms). */
ubi__watched_realm *ubi__watched_realm_meet(ubi__tracking *t, const void *realm);
/** The same at a birth, when observers that want all realms get it. Quick for the realm of the last object that was marked. */
static inline ubi__watched_realm *ubi__watched_realm_of(ubi__tracking *t, const void *realm) {
    return t->last_realm && t->last_realm->realm == realm ? t->last_realm : ubi__watched_realm_meet(t, realm);
}

/* A realm may want less than the greatest probability, which the stream of trials is drawn for. */
static inline bool ubi__tracking_trial_counts(ubi__tracking *t, const ubi__watched_realm *w) {
    if (!w || w->tracker_count == 0)
        return false;
    return w->probability >= t->probability || ubi__sampler_draw(&t->sampler) * t->probability < w->probability;
}

/** Calls the hook of others, and tries. True: the birth is to be recorded. `w` may be NULL: the realm has no observers. */
static inline bool ubi__tracking_trial(ubi__tracking *t, const ubi__watched_realm *w, const void *object) {
    if (w && w->probability >= 1) { /* as below, where all wins are certain; hooks and trackers exclude each other */
        UBI_ASSERT(t->births_until_trial == 0 && !w->foreign_hook && w->tracker_count);
        return true;
    }
    if (w && w->foreign_hook)
        w->foreign_hook(w->foreign_payload, (uintptr_t)object);
    if (--t->births_until_trial >= 0)
        return false;
    t->births_until_trial = t->probability >= 1 ? 0 : ubi__sampler_skip(&t->sampler, t->probability);
    return ubi__tracking_trial_counts(t, w);
}

/** A birth that is recorded. */
typedef struct ubi__birth {
    const void *object;
    ubi__stack_ix stack;     /* UBI_NONE: there was no memory for it */
    ubi__text_ix class_name; /* UBI_NONE: the same */
    uint32_t bytes;          /* what the object takes when it is born */
} ubi__birth;

/* An entry for each observer that tracks; when it could not be made (NULL), their logs say that something is missing. */
static inline void ubi__tracking_log_birth(ubi__tracking *t, const ubi__watched_realm *w, const ubi__log_entry *entry) {
    for (uint32_t i = 0; i < w->observer_count; i++) {
        ubi__observer *o = w->observers[i];
        if (!o->is_tracking)
            continue;
        if (!entry)
            o->log.has_overflowed = true;
        if (!entry || !ubi__allocation_log_append(&o->log, entry))
            t->lost_entries++;
    }
}

/** Marks the object with its site, and logs it for all who track the realm. Without memory, entries are lost and counted. */
static inline void ubi__tracking_record_birth(ubi__tracking *t, ubi__watched_realm *w, const ubi__birth *birth) {
    if (birth->stack == UBI_NONE || birth->class_name == UBI_NONE) {
        ubi__tracking_log_birth(t, w, NULL);
        return;
    }
    if (++t->last_serial == 0) /* 0 is not a serial */
        t->last_serial = 1;
    uint32_t serial = t->last_serial;
    if (!ubi__site_table_put(&t->sites, birth->object, birth->stack, serial)) {
        t->lost_sites++;
        serial = 0;
    }
    t->last_object = serial ? birth->object : NULL;
    t->last_realm = w;
    ubi__log_entry entry = { .object = birth->object,
                             .serial = serial,
                             .stack = birth->stack,
                             .time_us = ubi__tracking_now_us(t),
                             .class_name = birth->class_name,
                             .constructor_name = UBI_NONE,
                             .birth_bytes = birth->bytes };
    ubi__tracking_log_birth(t, w, &entry);
}

/** `new` made this object, and it is the last one that was marked: it is worth it to look for the constructor's name. */
static inline bool ubi__tracking_wants_constructor(const ubi__tracking *t, const void *object) {
    return t->last_object && object == t->last_object;
}
/** Names the constructor of the object that was marked last, in the logs that have it as their newest. */
void ubi__tracking_name_constructor(ubi__tracking *t, ubi__text_ix name);

/* ---- deaths --------------------------------------------------------------------------------------------------------- */

/** An object dies, or was moved away. */
static inline __attribute__((always_inline)) void ubi__tracking_object_dies(ubi__tracking *t, const void *object) {
    if (t->sites.count == 0)
        return;
    ubi__tracked *site = ubi__site_table_find(&t->sites, object);
    if (__builtin_expect(site == NULL, 1))
        return;
    UBI_ASSERT(t->is_watching);
    UBI_ASSERT(site->value == UBI__STACK_EMPTY || site->value < t->frames.n);
    if (t->last_object == object)
        t->last_object = NULL;
    ubi__site_table_remove(&t->sites, site);
    if (__builtin_expect(t->sites.count == 0, 0))
        ubi__tracking_update_watch(t);
}
/** Compiled code dies: other code may come to its address. */
void ubi__tracking_code_dies(ubi__tracking *t, const void *code);
/** A realm dies: it is no longer a debuggee. */
void ubi__tracking_realm_dies(ubi__tracking *t, const void *realm);

/** The stack that an object was allocated on; false: it is not tracked. */
static inline bool ubi__tracking_site(const ubi__tracking *t, const void *object, ubi__stack_ix *stack) {
    const ubi__tracked *site = ubi__site_table_find(&t->sites, object);
    if (site)
        *stack = site->value;
    return site != NULL;
}

/* ---- collections and safe points: tracking.c ---------------------------------------------------------------------- */

void ubi__tracking_collection_begins(ubi__tracking *t);
/** Both words static; see ubi_collection. */
void ubi__tracking_collection_ends(ubi__tracking *t, const char *reason, const char *nonincremental_reason);

/** Queues `fn` for the next safe point. Any thread. Errors: UBI_ENOMEM. */
ubi_status ubi__tracking_request(ubi__tracking *t, ubi__request_fn fn, void *payload);
/** Runs what other threads asked for. True: there was something. */
bool ubi__tracking_run_requests(ubi__tracking *t);
/* When something waits. */
bool ubi__tracking_deliver(ubi__tracking *t);
/** Delivers news of collections, and runs requests: outside of any script and collection. True when something was delivered. */
static inline bool ubi__tracking_safe_point(ubi__tracking *t) {
    if (t->event_count == 0 && !atomic_load_explicit(&t->requests.has_waiting, memory_order_relaxed))
        return false;
    return ubi__tracking_deliver(t);
}

#endif
