/* SPDX-License-Identifier: MIT
 *
 * ubiheap/core/timeline.h: markers, kept only while a consumer observes them.
 *
 *     ubi_timeline_target *page;
 *     ubi_timeline_target_new(&page, NULL);
 *     ubi_timeline_target_set_record_profile_timeline_markers(page, true);      a tool begins to look
 *     {
 *         UBI_AUTO_TIMELINE_MARKER(page, "Parse HTML");
 *         ...
 *     }
 *     ubi_timeline_target_pop_profile_timeline_markers(page, &markers);         rows of name, start, end, stack, details
 *
 * Names are those of Mozilla's timeline. Where that says *docshell*, this says *observed target*: whatever a tool looks at,
 * such as a page, a runtime, a process. An observed target has a *storage*, in which markers wait until they are popped; the
 * *consumers* are the registry of all observed targets.
 *
 * How it is kept: every thread that marks has one log, which only it writes, without a lock. A marker for all observed targets
 * is written once; what a storage has is a place in each log. So no marker is ever cloned for a second target, and any number
 * of targets costs what one costs.
  * Memory: see ubi_timeline_options. What is too old is dropped, and counted per target. What cannot be kept because memory ran out
 * is dropped and counted too; the program continues.
 * Threads: a target belongs to the thread that made it, its *main thread*. "Main thread" below means that; with assertions
 * (a debug build of the library) it is checked. Functions for all observed targets: any thread, but no signal handler.
 * A child after fork observes nothing; its targets can be observed again.
 * Time: nanoseconds of ubi_process_clock_ns, which is the seed's now(). Times of markers are at most some microseconds off,
 * where they come from the processor's counter; those of one thread never decrease.
 * Source: mozilla-central docshell/base/timeline/ (Firefox 55 to 62); docs/reference/timeline.md.
 */
#ifndef UBIHEAP_TIMELINE_H
#define UBIHEAP_TIMELINE_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/marker.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Ends and starts of a marker, and what is known about it. It does not change after it was made. */
typedef struct ubi_timeline_marker ubi_timeline_marker;
/** What add_details fills. */
typedef struct ubi_marker_details ubi_marker_details;
/** Popped markers, see below. */
typedef struct ubi_timeline_markers ubi_timeline_markers;
/** What a tool looks at: Mozilla's docshell. */
typedef struct ubi_timeline_target ubi_timeline_target;
/** Where the markers of an observed target wait: Mozilla's MarkersStorage. */
typedef struct ubi_markers_storage ubi_markers_storage;
/** The registry of observed targets: Mozilla's TimelineConsumers. One per process. */
typedef struct ubi_timeline_consumers ubi_timeline_consumers;

/* ---- stacks of a thread ------------------------------------------------------------------------------------------ */

/** A stack, as a number of its source. */
typedef uint64_t ubi_marker_stack_ref;
/** No stack. */
#define UBI_MARKER_NO_STACK_REF UINT64_MAX

/** A frame, as a source describes it. Texts are borrowed for the call. */
typedef struct ubi_marker_frame {
    ubi_text source, function_name; /**< NULL function name: anonymous or top level */
    uint32_t line, column;          /**< from 1; 0: unknown */
    ubi_marker_stack_ref parent;    /**< who called it, or UBI_MARKER_NO_STACK_REF */
    bool is_parent_async;           /**< `parent` did not call it but was the reason, such as "setTimeout handler" */
    ubi_text async_cause;           /**< that reason */
} ubi_marker_frame;

/**
 * Where the stacks of a thread's markers come from, such as the scripts that run on it: "a JS context is current".
 * All functions are called on the thread that the source is set for, and must not mark.
 */
typedef struct ubi_timeline_stack_source {
    /**
     * When it differs from the last time, refs given before mean nothing any more. Of sources that have one address one
     * after the other, no two may have the same.
     */
    uint64_t generation;
    /**
     * The stack that runs now. Called for each marker that wants a stack: to be fast. The same stack should have the same ref.
     * @return false: there is none, or it could not be had; then the source has cleared what it raised.
     */
    bool (*capture)(void *payload, ubi_marker_stack_ref *out);
    /** The youngest frame of `stack`. Called when a ref is seen for the first time, then for its parents. False: no stack. */
    bool (*frame)(void *payload, ubi_marker_stack_ref stack, ubi_marker_frame *out);
    void *payload;
} ubi_timeline_stack_source;

/**
 * From now on this thread's stacks come from `source`, which is borrowed until another is set. NULL: from nowhere.
 * @return the one before, to be set again by who sets one for a while.
 */
UBI_API const ubi_timeline_stack_source *ubi_timeline_set_stack_source(const ubi_timeline_stack_source *source);

/** What results call this thread; copied, cut at 31 bytes. Without: the system's name of the thread. */
UBI_API void ubi_timeline_name_thread(const char *name);

/* ---- kinds of markers -------------------------------------------------------------------------------------------- */

/**
 * What is special about a marker: Mozilla's subclasses of AbstractTimelineMarker. A kind is constant and lives as long as its
 * markers; those of a module that is unloaded before are the module's fault.
 * Functions may be called on any thread, one at a time per marker. NULL is fine for each.
 */
typedef struct ubi_marker_kind {
    uint32_t version; /**< UBI_MARKER_KIND_VERSION */
    /** A copy of the payload; NULL if memory runs out. Without: only a NULL payload can be posted to all observed targets. */
    void *(*clone)(const void *payload);
    /** Ends the payload. */
    void (*free)(void *payload);
    /**
     * What else must be equal for two markers of the same name to pair; borrowed from the payload. NULL text: nothing
     * else. A marker without key is no match for one that has a key. This is the fast way to say `equals`.
     */
    ubi_text (*key)(const void *payload);
    /**
     * Whether `other` counts in the search for the END of `start`; both have the same name, `start` is of this kind. Without: by
     * `key`, or else always. Need not be an equivalence: each START of such a kind is compared with all that come later and have
     * its name, so a pop takes time proportional to the product of the two.
     */
    bool (*equals)(const ubi_timeline_marker *start, const ubi_timeline_marker *other);
    /**
     * Says what is known: of a START or TIMESTAMP when it is popped, of an END when that ends a row. Without: as
     * ubi_marker_details_base.
     */
    void (*add_details)(const ubi_timeline_marker *marker, ubi_marker_details *out);
    /** How much memory a payload takes, for the limit. Without: 64. */
    size_t (*size_bytes)(const void *payload);
} ubi_marker_kind;

#define UBI_MARKER_KIND_VERSION 1

/** A marker to be made. With only name and tracing set, it is a plain one, now, with a stack if there is one. */
typedef struct ubi_marker_make {
    const char *name; /**< copied */
    ubi_marker_tracing tracing;
    ubi_marker_stack_request stack_request;
    const ubi_marker_kind *kind; /**< NULL: a plain one */
    void *payload;               /**< taken, also on failure; NULL is a payload too */
    uint64_t time_ns;            /**< when has_time */
    bool has_time;
    bool is_off_main_thread; /**< whatever thread posts it: what it is about happens elsewhere */
} ubi_marker_make;

/**
 * Makes a marker, on the thread and with the stack of now.
 * @return owned until it is added; NULL if memory runs out, which is not yet counted: adding NULL counts it.
 * Any thread. Cost: a block of memory.
 */
UBI_API ubi_timeline_marker *ubi_timeline_marker_new(const ubi_marker_make *make);
/** One that was not added. NULL is fine. */
UBI_API void ubi_timeline_marker_free(ubi_timeline_marker *marker);

/** Its name. Borrowed. */
UBI_API ubi_text ubi_timeline_marker_name(const ubi_timeline_marker *marker);
/** When it was. */
UBI_API uint64_t ubi_timeline_marker_time_ns(const ubi_timeline_marker *marker);
/** What it marks. */
UBI_API ubi_marker_tracing ubi_timeline_marker_tracing(const ubi_timeline_marker *marker);
/** Kind of process that made it: ubi_timeline_options. */
UBI_API uint16_t ubi_timeline_marker_process_type(const ubi_timeline_marker *marker);
/** Whether it was made off the main thread: of the target for which it is looked at, or as ubi_marker_make says. */
UBI_API bool ubi_timeline_marker_is_off_main_thread(const ubi_timeline_marker *marker);
/** Whether it has a stack. */
UBI_API bool ubi_timeline_marker_has_stack(const ubi_timeline_marker *marker);
/** Its kind; NULL: a plain one. */
UBI_API const ubi_marker_kind *ubi_timeline_marker_kind(const ubi_timeline_marker *marker);
/** As it was given. Borrowed. */
UBI_API const void *ubi_timeline_marker_payload(const ubi_timeline_marker *marker);

/** A rectangle, in pixels. */
typedef struct ubi_timeline_rectangle {
    int32_t x, y, width, height;
} ubi_timeline_rectangle;

/** For add_details: what all but TIMESTAMP markers say, processType and isOffMainThread; of a START only, else nothing. */
UBI_API void ubi_marker_details_base(ubi_marker_details *out, const ubi_timeline_marker *marker);
/** A text; copied. A second value of a key takes the place of the first. NULL text: nothing. */
UBI_API void ubi_marker_details_text(ubi_marker_details *out, const char *key, ubi_text value);
/** A number. */
UBI_API void ubi_marker_details_number(ubi_marker_details *out, const char *key, double value);
/** Yes or no. */
UBI_API void ubi_marker_details_bool(ubi_marker_details *out, const char *key, bool value);
/** The marker's own stack is the row's second one, `endStack`. */
UBI_API void ubi_marker_details_end_stack(ubi_marker_details *out, const ubi_timeline_marker *marker);

/* ---- the kinds that Mozilla has; each returns as ubi_timeline_marker_new ----------------------------------------- */

/** "ConsoleTime": console.time and timeEnd. Pairs by cause too. Both ends have a stack. causeName; endStack. */
UBI_API ubi_timeline_marker *ubi_console_timeline_marker_new(ubi_text cause, ubi_marker_tracing tracing);
/** "TimeStamp", TIMESTAMP: console.timeStamp. causeName unless empty. */
UBI_API ubi_timeline_marker *ubi_timestamp_timeline_marker_new(ubi_text cause);
/** "DOMEvent": type; eventPhase 1 capturing, 2 at target, 3 bubbling. START only has a stack and details. */
UBI_API ubi_timeline_marker *ubi_event_timeline_marker_new(ubi_text type, uint16_t phase, ubi_marker_tracing tracing);

/** Where and why scripts are entered. */
typedef struct ubi_javascript_entry {
    ubi_text reason; /**< such as "setTimeout handler" */
    ubi_text function_name, source;
    uint32_t line;                    /**< from 1; 0: unknown */
    ubi_marker_stack_ref async_stack; /**< of this thread's source, or UBI_MARKER_NO_STACK_REF: what led to it */
    ubi_text async_cause;             /**< how; that of the frame on top of `async_stack` */
} ubi_javascript_entry;
/**
 * "Javascript", START: scripts begin to run. causeName. No stack is captured: if function or source is not empty, the stack is
 * one frame made of the entry, with `async_stack` as its async parent. The END is a plain marker of the name "Javascript".
 */
UBI_API ubi_timeline_marker *ubi_javascript_timeline_marker_new(const ubi_javascript_entry *entry);

/** "Styles": isAnimationOnly. */
UBI_API ubi_timeline_marker *ubi_restyle_timeline_marker_new(bool is_animation_only, ubi_marker_tracing tracing);
/** "Layer", HELPER_EVENT: no row, but the rectangles of the Paint rows around it. Copied. */
UBI_API ubi_timeline_marker *ubi_layer_timeline_marker_new(const ubi_timeline_rectangle *rectangles, size_t count);
/** "Composite": at a time that is given, and always off the main thread. */
UBI_API ubi_timeline_marker *ubi_composite_timeline_marker_new(uint64_t time_ns, ubi_marker_tracing tracing);

/** What a "Worker" marker is about. */
typedef enum ubi_worker_operation {
    UBI_WORKER_SERIALIZE_OFF_MAIN_THREAD,
    UBI_WORKER_SERIALIZE_ON_MAIN_THREAD,
    UBI_WORKER_DESERIALIZE_OFF_MAIN_THREAD,
    UBI_WORKER_DESERIALIZE_ON_MAIN_THREAD
} ubi_worker_operation;
/** "Worker": workerOperation, such as "serializeDataOffMainThread", and the base details. No stack. */
UBI_API ubi_timeline_marker *ubi_worker_timeline_marker_new(ubi_worker_operation operation, ubi_marker_tracing tracing);

/** What a "MessagePort" marker is about. */
typedef enum ubi_message_port_operation {
    UBI_MESSAGE_PORT_SERIALIZE,
    UBI_MESSAGE_PORT_DESERIALIZE
} ubi_message_port_operation;
/** "MessagePort": messagePortOperation, "serializeData" or "deserializeData", and the base details. No stack. */
UBI_API ubi_timeline_marker *ubi_message_port_timeline_marker_new(ubi_message_port_operation operation,
                                                                  ubi_marker_tracing tracing);

/** "document::DOMContentLoaded" or "document::Load", TIMESTAMP: unixTime, microseconds since 1970. `name` is copied. */
UBI_API ubi_timeline_marker *ubi_doc_loading_timeline_marker_new(const char *name);
/** "MinorGC": causeName. No stack. */
UBI_API ubi_timeline_marker *ubi_minor_gc_timeline_marker_new(ubi_text reason, ubi_marker_tracing tracing);

/* ---- the registry ------------------------------------------------------------------------------------------------ */

/** What holds for the process. */
typedef struct ubi_timeline_options {
    uint32_t version;      /**< UBI_TIMELINE_OPTIONS_VERSION */
    uint16_t process_type; /**< of markers made from now on: 0 parent, 2 content; others as the program likes */
    /** So much may wait, over all threads and targets: markers of 32 bytes each, and what they say. At least 1 MiB. */
    uint64_t limit_bytes;
    /** NULL: the default one. Not looked at once markers were made. From any thread. */
    const ubi_allocator *allocator;
} ubi_timeline_options;

#define UBI_TIMELINE_OPTIONS_VERSION 1
#define UBI_TIMELINE_LIMIT_BYTES (UINT64_C(512) << 20)
#define UBI_TIMELINE_OPTIONS_INIT                                                                                      \
    { .version = UBI_TIMELINE_OPTIONS_VERSION, .limit_bytes = UBI_TIMELINE_LIMIT_BYTES }

/** From any thread, at any time. NULL: the defaults. Errors: UBI_EINVAL (version, limit). */
UBI_API ubi_status ubi_timeline_configure(const ubi_timeline_options *options);

/** The registry; NULL after shutdown. Any thread. Every function below takes NULL for "nothing is observed". */
UBI_API ubi_timeline_consumers *ubi_timeline_consumers_get(void);
/**
 * No target is observed any more, and none ever will be. While it runs, no main thread may use its target; others may post.
 */
UBI_API void ubi_timeline_shutdown(void);

/**
 * The target is observed from now on, with nothing pending. Main thread.
 * Errors: UBI_ESTATE (it is observed already, or after shutdown; an assertion where these are on), UBI_ENOMEM.
 */
UBI_API ubi_status ubi_timeline_consumers_add_consumer(ubi_timeline_consumers *consumers, ubi_timeline_target *target);
/** No more; what is pending is dropped. Main thread. Errors: UBI_ESTATE (it is not observed, as above). */
UBI_API ubi_status ubi_timeline_consumers_remove_consumer(ubi_timeline_consumers *consumers,
                                                          ubi_timeline_target *target);
/** Whether it is observed. NULL is not. Main thread. */
UBI_API bool ubi_timeline_consumers_has_consumer(ubi_timeline_consumers *consumers, const ubi_timeline_target *target);
/** Whether nothing is observed. Any thread. Cost: a relaxed load. */
UBI_API bool ubi_timeline_consumers_is_empty(ubi_timeline_consumers *consumers);

/** A plain marker, now. Nothing unless `target` is observed; NULL is not. `name` is copied. Main thread. */
UBI_API void ubi_timeline_consumers_add_marker_for_target(ubi_timeline_consumers *consumers,
                                                          ubi_timeline_target *target, const char *name,
                                                          ubi_marker_tracing tracing,
                                                          ubi_marker_stack_request stack_request);
/** The same at a time that is given. */
UBI_API void ubi_timeline_consumers_add_marker_for_target_at(ubi_timeline_consumers *consumers,
                                                             ubi_timeline_target *target, const char *name,
                                                             uint64_t time_ns, ubi_marker_tracing tracing,
                                                             ubi_marker_stack_request stack_request);
/** Any marker, made before. It is taken, whatever happens. NULL: one that could not be made. Main thread. */
UBI_API void ubi_timeline_consumers_add_existing_marker_for_target(ubi_timeline_consumers *consumers,
                                                                   ubi_timeline_target *target,
                                                                   ubi_timeline_marker *marker);

/** A plain marker, now, for each target that is observed. Any thread. No lock. */
UBI_API void ubi_timeline_consumers_add_marker_for_all_observed_targets(ubi_timeline_consumers *consumers,
                                                                        const char *name, ubi_marker_tracing tracing,
                                                                        ubi_marker_stack_request stack_request);
/** The same at a time that is given. */
UBI_API void ubi_timeline_consumers_add_marker_for_all_observed_targets_at(ubi_timeline_consumers *consumers,
                                                                           const char *name, uint64_t time_ns,
                                                                           ubi_marker_tracing tracing,
                                                                           ubi_marker_stack_request stack_request);
/** A copy of any marker; the caller keeps the original. Of a kind that cannot clone: an assertion, or lost. Any thread. */
UBI_API void ubi_timeline_consumers_add_existing_marker_for_all_observed_targets(ubi_timeline_consumers *consumers,
                                                                                 const ubi_timeline_marker *marker);

/**
 * The markers that are pending, as rows; see ubi_timeline_target_pop_profile_timeline_markers. Main thread.
 * @param out  untouched when the target is not observed.
 */
UBI_API ubi_status ubi_timeline_consumers_pop_markers(ubi_timeline_consumers *consumers, ubi_timeline_target *target,
                                                      ubi_timeline_markers **out);

/* ---- targets ----------------------------------------------------------------------------------------------------- */

typedef struct ubi_timeline_target_options {
    uint32_t version; /**< UBI_TIMELINE_TARGET_OPTIONS_VERSION */
    /**
     * Called on the main thread right after the target began or ceased to be observed: who reports for it alone (such as a
     * runtime its entries into scripts) begins or ceases. NULL is fine.
     */
    void (*recording_changed)(void *payload, bool is_recording);
    void *payload;
    /** Pairs as ubi_marker_pairing_options says: for targets whose threads do the same things at the same time. */
    bool is_per_thread;
} ubi_timeline_target_options;

#define UBI_TIMELINE_TARGET_OPTIONS_VERSION 1
#define UBI_TIMELINE_TARGET_OPTIONS_INIT                                                                               \
    { .version = UBI_TIMELINE_TARGET_OPTIONS_VERSION }

/** Not observed at first. The calling thread is its main thread. Errors: UBI_EINVAL (options), UBI_ENOMEM. */
UBI_API ubi_status ubi_timeline_target_new(ubi_timeline_target **out, const ubi_timeline_target_options *options);
/** Ends its observation too. NULL is fine. Main thread. */
UBI_API void ubi_timeline_target_free(ubi_timeline_target *target);

/**
 * Whether the target is observed: adds or removes the consumer. The value that it has already: nothing. Main thread.
 * Errors: UBI_ESTATE (after shutdown), UBI_ENOMEM; then it is not observed.
 */
UBI_API ubi_status ubi_timeline_target_set_record_profile_timeline_markers(ubi_timeline_target *target, bool record);
/** Whether the target is observed. Main thread. */
UBI_API bool ubi_timeline_target_record_profile_timeline_markers(const ubi_timeline_target *target);
/**
 * What was recorded since the last time: a row for each START with its END and for each TIMESTAMP. A START without END waits for
 * the next time; an END without START is dropped. Markers pair by name (or as their kind says), whatever their threads, like
 * brackets. Order: by START, those of the main thread first, then those of all others in the order in which they came.
 * Every marker is included whose posting ended before. Markers posted meanwhile on this thread are not kept for this target.
 *
 * @param out  owned; empty when the target is not observed.
 * Errors: UBI_ENOMEM: what was pending may be dropped, and is then counted in the next result; UBI_ESTATE: from within a pop of
 * the same target.
 * Main thread. Cost: O(markers + rows); see `equals` of a kind. No lock is held while kinds are asked.
 */
UBI_API ubi_status ubi_timeline_target_pop_profile_timeline_markers(ubi_timeline_target *target,
                                                                    ubi_timeline_markers **out);

/** The same for the last time: a START that did not end is a row too, with end_ns 0. */
UBI_API ubi_status ubi_timeline_target_pop_last_timeline_markers(ubi_timeline_target *target,
                                                                 ubi_timeline_markers **out);

/* ---- the storage of an observed target --------------------------------------------------------------------------- */

/** Where its markers wait; NULL when it is not observed. Borrowed until it is not. Main thread. */
UBI_API ubi_markers_storage *ubi_timeline_target_storage(ubi_timeline_target *target);
/** Takes the marker. Main thread. */
UBI_API void ubi_markers_storage_add_marker(ubi_markers_storage *storage, ubi_timeline_marker *marker);
/** Takes the marker. Any thread but the main thread, while the target is surely observed. */
UBI_API void ubi_markers_storage_add_otmt_marker(ubi_markers_storage *storage, ubi_timeline_marker *marker);
/** Drops what is pending. Main thread. */
UBI_API void ubi_markers_storage_clear_markers(ubi_markers_storage *storage);
/** As ubi_timeline_target_pop_profile_timeline_markers. Main thread. */
UBI_API ubi_status ubi_markers_storage_pop_markers(ubi_markers_storage *storage, ubi_timeline_markers **out);

/* ---- results ----------------------------------------------------------------------------------------------------- */

/** NULL is fine. Results are immutable, belong to the caller alone, and may be read from any thread. */
UBI_API void ubi_timeline_markers_free(ubi_timeline_markers *markers);

typedef struct ubi_timeline_row {
    ubi_text name;    /**< borrowed */
    uint32_t name_ix; /**< the same, as an index of names */
    uint32_t thread;  /**< that posted the START: an index of threads */
    uint64_t start_ns;
    uint64_t end_ns;    /**< a TIMESTAMP: as start_ns. 0: it did not end, which only a last pop reports */
    uint32_t stack;     /**< youngest frame, an index of frames, or UBI_NONE */
    uint32_t end_stack; /**< that of the END, or UBI_NONE */
    uint32_t detail_count;
    uint16_t process_type;   /**< when has_base */
    bool is_off_main_thread; /**< when has_base */
    bool has_base;           /**< whether the two before are part of the row */
    bool is_timestamp;
} ubi_timeline_row;

/** Rows. */
UBI_API size_t ubi_timeline_markers_count(const ubi_timeline_markers *markers);
/** i < the count. Cost: O(1). */
UBI_API ubi_timeline_row ubi_timeline_markers_row(const ubi_timeline_markers *markers, size_t i);

/** A thing that is known about a row, besides what the row has. Borrowed. */
typedef struct ubi_timeline_detail {
    ubi_text key; /**< as in the table of docs/reference/timeline.md: "causeName", "type", "rectangles" */
    ubi_marker_value_type type;
    ubi_text text;
    double number;
    bool is_true;
    const ubi_timeline_rectangle *rectangles;
    size_t rectangle_count;
} ubi_timeline_detail;

/** j < the row's detail_count. Cost: O(1). */
UBI_API ubi_timeline_detail ubi_timeline_markers_detail(const ubi_timeline_markers *markers, size_t i, uint32_t j);

/** A frame of the result. Borrowed. */
typedef struct ubi_timeline_frame {
    ubi_text source, function_name; /**< NULL function name: anonymous or top level */
    uint32_t line, column;          /**< from 1; 0: unknown */
    uint32_t parent;                /**< who called it: a smaller index of frames, or UBI_NONE */
    uint32_t async_parent;          /**< what led to it: as `parent`; at most one of the two is there */
    ubi_text
        async_cause; /**< how this frame led to those whose async parent it is; NULL text: it is not an async parent */
} ubi_timeline_frame;

UBI_API size_t ubi_timeline_markers_frame_count(const ubi_timeline_markers *markers); /**< no two frames are the same */
UBI_API ubi_timeline_frame ubi_timeline_markers_frame(const ubi_timeline_markers *markers,
                                                      size_t i); /**< i < the count */

/** A thread that posted a START or TIMESTAMP. Borrowed. */
typedef struct ubi_timeline_thread {
    uint64_t id;   /**< the system's */
    ubi_text name; /**< when it first posted a marker, or as it called itself; may be empty */
    bool is_main;  /**< of the target */
} ubi_timeline_thread;

UBI_API size_t ubi_timeline_markers_thread_count(const ubi_timeline_markers *markers); /**< of those in this result */
UBI_API ubi_timeline_thread ubi_timeline_markers_thread(const ubi_timeline_markers *markers,
                                                        size_t i); /**< i < the count */

UBI_API size_t ubi_timeline_markers_name_count(const ubi_timeline_markers *markers); /**< of different ones */
UBI_API ubi_text ubi_timeline_markers_name(const ubi_timeline_markers *markers,
                                           size_t i); /**< i < the count. Borrowed */

/** Markers that were dropped since the last pop: too old for the limit of memory, or memory was refused. */
UBI_API uint64_t ubi_timeline_markers_lost_count(const ubi_timeline_markers *markers);

/* ---- pairing, for markers from elsewhere ------------------------------------------------------------------------- */

/** Makes rows of markers that are fed in order: the pop without the storages, for markers of a recording. */
typedef struct ubi_marker_pairing ubi_marker_pairing;

typedef struct ubi_marker_pairing_options {
    uint32_t version;               /**< UBI_MARKER_PAIRING_OPTIONS_VERSION */
    bool is_per_thread;             /**< an END is looked for on the thread of its START only */
    const ubi_allocator *allocator; /**< NULL: the default one */
} ubi_marker_pairing_options;

#define UBI_MARKER_PAIRING_OPTIONS_VERSION 1
#define UBI_MARKER_PAIRING_OPTIONS_INIT                                                                                \
    { .version = UBI_MARKER_PAIRING_OPTIONS_VERSION }

/** Errors: UBI_EINVAL (options), UBI_ENOMEM. */
UBI_API ubi_status ubi_marker_pairing_new(ubi_marker_pairing **out, const ubi_marker_pairing_options *options);
/** NULL is fine. */
UBI_API void ubi_marker_pairing_free(ubi_marker_pairing *pairing);

/** The number of a name; the same for the same text. Copied. Good until the next finish, as those below. Errors: UBI_ENOMEM. */
UBI_API ubi_status ubi_marker_pairing_name(uint32_t *out, ubi_marker_pairing *pairing, ubi_text name);
/** The number of a thread: a new one each time. Copied. Errors: UBI_ENOMEM. */
UBI_API ubi_status ubi_marker_pairing_thread(uint32_t *out, ubi_marker_pairing *pairing,
                                             const ubi_timeline_thread *thread);
/** The number of a frame; the same for the same frame. Its parents are numbers given before. Copied. Errors: UBI_ENOMEM. */
UBI_API ubi_status ubi_marker_pairing_frame(uint32_t *out, ubi_marker_pairing *pairing,
                                            const ubi_timeline_frame *frame);

/** A marker that is fed. */
typedef struct ubi_raw_marker {
    uint32_t name, thread; /**< numbers given before */
    uint32_t stack;        /**< a number of a frame, or UBI_NONE */
    ubi_marker_tracing tracing;
    uint64_t time_ns;
    ubi_text key; /**< pairs only with markers of the same key; NULL text: with every one of the name */
    /** Of the row, for a START or TIMESTAMP; an END's are put behind those of its START. Copied. */
    const ubi_timeline_detail *details;
    size_t detail_count;
    uint16_t process_type;
    bool is_off_main_thread;
    bool has_end_stack; /**< of an END: `stack` is the row's end_stack */
} ubi_raw_marker;

/**
 * The next marker. Errors: UBI_EINVAL (a number that was not given): it was not fed. UBI_ENOMEM, UBI_ELIMIT: the pairing can only
 * be freed.
 */
UBI_API ubi_status ubi_marker_pairing_add(ubi_marker_pairing *pairing, const ubi_raw_marker *marker);
/**
 * The rows of what was fed, in the order of START and TIMESTAMP.
 * @param with_open  a START that has not ended is a row with end_ns 0; else it waits for what is fed next.
 * @param out        owned.
 * Errors: UBI_ENOMEM: everything fed is dropped. Cost: O(what was fed).
 */
UBI_API ubi_status ubi_marker_pairing_finish(ubi_timeline_markers **out, ubi_marker_pairing *pairing, bool with_open);

/* ---- scoped markers: those that take a target -------------------------------------------------------------------- */

#if defined(UBI_MARKER_SINK_ONLY) /* who marks nothing needs none of these */
#elif defined(__ELF__) && defined(__GNUC__)

/* What a block remembers; target NULL: nothing was posted. */
typedef struct ubi__auto_timeline_marker {
    ubi_timeline_target *target;
    const char *name;
} ubi__auto_timeline_marker;

/** For the macros below: posts a START if `target` is observed. @return the target, or NULL if it is not. */
UBI_API ubi_timeline_target *ubi_timeline_auto_start(ubi_timeline_target *target, const char *name);
/** For the macros below: the same for "Styles". */
UBI_API ubi_timeline_target *ubi_timeline_auto_start_restyle(ubi_timeline_target *target, bool is_animation_only);
/** For the macros below: posts an END if `target` is still observed. It must not have been freed. */
UBI_API void ubi_timeline_auto_end(ubi_timeline_target *target, const char *name);

__attribute__((always_inline, unused)) static inline ubi__auto_timeline_marker ubi__timeline_open(
    ubi_timeline_target *target, const char *name) {
    ubi__auto_timeline_marker opened = { NULL, name };
    if (ubi_marker_is_observed())
        opened.target = ubi_timeline_auto_start(target, name);
    return opened;
}
__attribute__((always_inline, unused)) static inline ubi__auto_timeline_marker ubi__timeline_open_restyle(
    ubi_timeline_target *target, bool is_animation_only) {
    ubi__auto_timeline_marker opened = { NULL, "Styles" };
    if (ubi_marker_is_observed())
        opened.target = ubi_timeline_auto_start_restyle(target, is_animation_only);
    return opened;
}
__attribute__((always_inline, unused)) static inline void ubi__timeline_close(const ubi__auto_timeline_marker *opened) {
    if (__builtin_expect(opened->target != NULL, 0))
        ubi_timeline_auto_end(opened->target, opened->name);
}

#define UBI__TIMELINE_SCOPED                                                                                           \
    __attribute__((cleanup(ubi__timeline_close), unused)) const ubi__auto_timeline_marker UBI__MARKER_VARIABLE_(       \
        __COUNTER__)

/**
 * START here, END at the end of the block, of `target` alone. NULL, or not observed: nothing. Main thread. `name`: a literal.
 * Observation that begins in between: nothing. That ends: nothing is left. The target must outlive the block.
 */
#define UBI_AUTO_TIMELINE_MARKER(target, name) UBI__TIMELINE_SCOPED = ubi__timeline_open((target), "" name)
/** The same for "Styles". */
#define UBI_AUTO_RESTYLE_TIMELINE_MARKER(target, is_animation_only)                                                    \
    UBI__TIMELINE_SCOPED = ubi__timeline_open_restyle((target), (is_animation_only))

#else

#define UBI_AUTO_TIMELINE_MARKER(target, name) ((void)(target))
#define UBI_AUTO_RESTYLE_TIMELINE_MARKER(target, is_animation_only) ((void)(target), (void)(is_animation_only))

#endif

/* ---- for ports --------------------------------------------------------------------------------------------------- */

/** Called by the constructors of modules that include ubiheap/core/marker.h. Any thread. */
UBI_API void ubi_timeline_join_port(ubi_marker_port *port);
/** Called by their destructors. Any thread. */
UBI_API void ubi_timeline_leave_port(ubi_marker_port *port);

#ifdef __cplusplus
}
#endif
#endif
