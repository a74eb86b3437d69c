/* SPDX-License-Identifier: MIT
 *
 * marker_log.h: what threads marked, as they marked it; and who still wants it.
 *
 * Every thread that marks has a *log*: a list of chunks of records. Only the thread writes into the newest chunk, and publishes
 * each record by one releasing store; nothing on that way is shared with other threads. Everything else here is guarded by one
 * lock, which a thread takes once for a chunk, that is, for some two thousand markers or more.
 *
 * A storage has a cursor in each log. `needed` of a chunk counts the storages whose cursors have not left it, `pins` the pops
 * that read it without the lock; a chunk that is neither needed nor pinned is freed, unless its thread still writes into it. A log whose
 * thread has exited waits for another thread. Logs are never freed before all of them are, and have a number: cursors are in an array.
 *
 * Memory: 32 bytes for a marker. Chunks are of 4 KiB at first, then larger, as fast as the thread fills them; in all at most the
 * limit, and per thread a chunk and what its markers say. While a pop reads, what it reads stays, and what comes meanwhile is
 * lost instead: a pop that is slower than the threads that mark costs them markers, which are counted, and no memory.
 */
#ifndef UBI_TIMELINE_MARKER_LOG_H
#define UBI_TIMELINE_MARKER_LOG_H

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include <ubiheap/core/timeline.h>

#include "base/bits.h"
#include "base/u64_map.h"
#include "timeline/marker_clock.h"
#include "timeline/marker_tables.h"
#include "timeline/timeline_marker.h"

/* ---- records ----------------------------------------------------------------------------------------------------- */

typedef struct ubi__record {
    uint64_t ticks; /* when it was added, which is when it was unless the marker says otherwise */
    union {
        ubi_timeline_marker *marker; /* counted; NULL: a plain one */
        uint64_t point_ns;           /* of a point */
    };
    uint32_t name;   /* a text of the chunk's tables */
    uint32_t frame;  /* of the chunk's tables, or UBI_NONE */
    uint32_t target; /* whose storage wants it; 0: all */
    uint16_t process_type;
    uint8_t tracing;
    bool is_point; /* no marker: the ticks are those of `point_ns` */
} ubi__record;
_Static_assert(sizeof(ubi__record) == 32, "a pending marker takes 32 bytes");

typedef struct ubi__chunk {
    _Atomic(ubi__record *) published;   /* past the last record */
    ubi__record *end;                   /* of the room */
    ubi__marker_tables *tables;         /* counted */
    struct ubi__chunk *next;            /* newer */
    _Atomic(const ubi__record *) point; /* the newest one; NULL: `start` is */
    uint64_t order;                     /* of the log's chunks: 1, 2, 3, ... */
    size_t bytes;                       /* all of it, and what its markers said when the thread left it */
    size_t room_bytes;                  /* of the block */
    size_t said_bytes;                  /* what its markers say; of the thread, until it leaves the chunk */
    ubi__record *ended;                 /* markers of the records before it are gone */
    _Atomic bool has_markers;           /* or there never was any; set by the thread */
    uint32_t needed, pins;
    ubi__tick_point start; /* when it was begun */
    uint64_t thread;       /* a number of its own for each thread that ever marked, from 1 */
    uint64_t thread_id;    /* the system's */
    char thread_name[32];
    ubi__record records[];
} ubi__chunk;

#define UBI__NAME_SLOTS 256
#define UBI__NAME_SLOT(name) ubi__cache_place((uint64_t)(uintptr_t)(name), 8)

/** A name that was seen at an address. */
typedef struct ubi__cached_name {
    const char *at, *text; /* the tables' copy */
    uint32_t number;
} ubi__cached_name;

/** A frame that waits for its parent. */
typedef struct ubi__waiting_frame {
    ubi_marker_stack_ref ref;
    ubi__marker_frame frame;
    uint32_t parent_cause; /* a text: how the parent led to it; UBI_NONE: by calling it */
    bool is_parent_async;
} ubi__waiting_frame;
UBI_VEC_DECLARE(ubi__waiting_frames, ubi__waiting_frame);

/** What a log knows of the stacks of a source. */
typedef struct ubi__stack_memory {
    const ubi_timeline_stack_source *source; /* of which, and of which generation; NULL: nothing is known */
    uint64_t generation;
    ubi__u64_map frame_of_ref;
    ubi__waiting_frames path;
} ubi__stack_memory;

typedef struct ubi__log {
    /* Of the thread. */
    ubi__record *at, *end; /* the next one; at == end: see ubi__log_make_room */
    ubi__chunk *current;
    uint64_t point_ticks; /* the newest point */
    uint32_t names_epoch; /* for which `names` is good */
    bool has_full_tables; /* the next chunk has new ones */
    const ubi_timeline_stack_source *source;
    ubi__marker_tables *tables; /* counted; NULL: none yet */
    ubi__stack_memory stacks;
    char thread_name[32]; /* as it called itself; "": by the system */
    ubi__cached_name names[UBI__NAME_SLOTS];
    /* By the lock. */
    ubi__chunk *oldest;
    size_t next_chunk_bytes;
    uint64_t n_chunks; /* ever added */
    struct ubi__log *next;
    uint64_t thread; /* that owns it; 0: none */
    uint32_t number;
    _Atomic uint64_t n_dropped; /* markers that could not be written; added to by the thread */
} ubi__log;

/** Where a storage is in a log. */
typedef struct ubi__cursor {
    ubi__chunk *chunk; /* NULL: before the oldest */
    const ubi__record *record;
    ubi__tick_point near; /* a point near that record */
    uint64_t n_dropped;   /* of the log, counted already */
} ubi__cursor;

/** What is no longer needed. */
typedef struct ubi__garbage {
    ubi__chunk *chunks;           /* linked by next */
    ubi_timeline_marker *markers; /* linked by next_garbage; a count of each */
} ubi__garbage;

/* ---- the process ------------------------------------------------------------------------------------------------- */

/** All that the timeline of this process is; one. */
typedef struct ubi__timeline {
    _Atomic uint32_t n_observed;  /* storages; read without the lock */
    _Atomic uint32_t names_epoch; /* one more when a module with names leaves */
    _Atomic uint32_t process_type;
    _Atomic uint64_t n_threads;
    _Atomic(const ubi_allocator *) allocator; /* NULL: not chosen yet; then it stays */
    pthread_mutex_t lock;
    /* By the lock. */
    uint64_t limit_bytes, pending_bytes;
    ubi__log *logs;
    uint32_t n_logs;
    ubi__chunk *spare; /* empty ones, for the next time; linked by next */
    size_t spare_bytes;
    ubi_markers_storage *storages;
    ubi_markers_storage *orphans; /* of before a fork: to be freed */
    ubi__tick_rate rate;
    bool is_shut_down, is_prepared, is_forked;
    uint64_t n_unlogged;    /* markers of threads that could not have a log */
    ubi__garbage left_over; /* of before a fork */
} ubi__timeline;
extern ubi__timeline ubi__the_timeline;

/**
 * With the lock: chunks of a log are in order and end with its newest, and take what is pending; each is needed by the storages
 * whose cursors have not left it. O(logs + chunks * storages).
 */
void ubi__timeline_check(const ubi__timeline *t);
void ubi__timeline_lock(void);
/** Ends what is garbage too, after the lock was left: kinds are called. NULL: there is none. */
void ubi__timeline_unlock(const ubi__garbage *garbage);
/** Chosen by the first call, unless options did. */
const ubi_allocator *ubi__timeline_allocator(void);

/* ---- a thread and its log ---------------------------------------------------------------------------------------- */

extern _Thread_local ubi__log *ubi__log_here __attribute__((tls_model("initial-exec")));

/** This thread's number. */
uint64_t ubi__thread_number(void);
/** This thread's log, made if need be. NULL: it could not be had. */
ubi__log *ubi__log_get(void);
/** Makes names and stacks possible before there is room for records. False: no memory. */
bool ubi__log_prepare(ubi__log *log);
/** Room for a record. False: nothing is observed any more, or there is no memory, and the marker was counted as dropped. */
bool ubi__log_make_room(ubi__log *log);
/** Notes a point, and makes room for a record after it; false as before. */
bool ubi__log_put_point(ubi__log *log);
/** A marker of this thread could not be kept. `log` NULL: it has none. */
void ubi__log_count_dropped(ubi__log *log);

/** Of the thread: what its markers say has become so much larger, for which the chunk may have to end. */
void ubi__log_count_said(ubi__log *log, size_t bytes);
/** Forgets which stacks and names have which numbers. */
void ubi__log_forget_stacks(ubi__log *log);
void ubi__log_forget_names(ubi__log *log);
/** The number of a text. False: no memory. */
bool ubi__log_text_number(ubi__log *log, uint32_t *out, ubi_text text);
/** The number of a name, by its address and text. False: no memory. */
bool ubi__log_name_slowly(ubi__log *log, uint32_t *out, const char *name);
/** The stack of now. UBI_NONE: none. */
uint32_t ubi__log_capture(ubi__log *log);
/** A stack of the source. UBI_NONE: none. */
uint32_t ubi__log_frame_of_ref(ubi__log *log, ubi_marker_stack_ref ref);

/** A stack of the source as the async parent of a frame: it led there by `cause`. UBI_NONE: none. */
uint32_t ubi__log_async_parent(ubi__log *log, ubi_marker_stack_ref ref, ubi_text cause);

static inline bool ubi__wants_stack(uint32_t tracing, uint32_t request) {
    return request == UBI_MARKER_STACK_ALWAYS ||
           (request == UBI_MARKER_STACK && (tracing == UBI_MARKER_START || tracing == UBI_MARKER_TIMESTAMP));
}

/** Adds a marker, which is taken; NULL: counts as dropped. */
void ubi__log_add_marker(uint32_t target, ubi_timeline_marker *marker);
/** The newest record is complete. */
static inline void ubi__log_publish(ubi__log *log) {
    UBI_ASSERT(log->at >= log->current->records && log->at < log->current->end);
    log->at++;
    atomic_store_explicit(&log->current->published, log->at, memory_order_release);
}

/** Room for a record, at log->at, and the time for it. False: there is none. */
static inline bool ubi__log_begin(ubi__log *log, uint64_t *ticks) {
    if (ubi__unlikely(log->at == log->end) && !ubi__log_make_room(log))
        return false;
    *ticks = ubi__ticks();
    if (ubi__unlikely((int64_t)(*ticks - log->point_ticks) > (int64_t)UBI__TICKS_BETWEEN_POINTS))
        return ubi__log_put_point(log);
    return true;
}

/** The number of a name. `is_literal`: at its address there is nothing else. False: no memory. */
static inline bool ubi__log_name(ubi__log *log, uint32_t *out, const char *name, bool is_literal) {
    const ubi__cached_name *known = &log->names[UBI__NAME_SLOT(name)];
    uint32_t epoch = atomic_load_explicit(&ubi__the_timeline.names_epoch, memory_order_relaxed);
    if (ubi__unlikely(known->at != name || epoch != log->names_epoch ||
                      (!is_literal && strcmp(known->text, name) != 0)))
        return ubi__log_name_slowly(log, out, name);
    *out = known->number;
    return true;
}

/** Adds a plain marker. `flags` as in ubiheap/core/marker.h. */
static inline void ubi__log_add(uint32_t target, const char *name, uint32_t flags) {
    ubi__log *log = ubi__log_here;
    uint32_t tracing = UBI_MARKER_TRACING_OF(flags), number, frame = UBI_NONE;
    uint64_t ticks;
    if (ubi__unlikely(!log) && !(log = ubi__log_get())) {
        ubi__log_count_dropped(NULL);
        return;
    }
    if (ubi__unlikely(!ubi__log_begin(log, &ticks)))
        return;
    if (ubi__unlikely(!ubi__log_name(log, &number, name, flags & UBI_MARKER_LITERAL))) {
        ubi__log_count_dropped(log);
        return;
    }
    if (log->source && ubi__wants_stack(tracing, UBI_MARKER_STACK_REQUEST_OF(flags)))
        frame = ubi__log_capture(log);
    *log->at = (ubi__record){
        .ticks = ticks,
        .marker = NULL,
        .name = number,
        .frame = frame,
        .target = target,
        .process_type = (uint16_t)atomic_load_explicit(&ubi__the_timeline.process_type, memory_order_relaxed),
        .tracing = (uint8_t)tracing,
    };
    ubi__log_publish(log);
}

/* ---- cursors: with the lock -------------------------------------------------------------------------------------- */

/** Puts a new cursor at the end of the log. */
void ubi__log_need(ubi__log *log, ubi__cursor *cursor);
/** Removes the cursor of a storage that left the list. Adds to `garbage`. */
void ubi__log_leave(ubi__log *log, const ubi__cursor *cursor, ubi__garbage *garbage);

/** What a log has after a cursor. */
typedef struct ubi__log_range {
    ubi__chunk *chunk, *last;        /* last NULL: nothing */
    const ubi__record *record, *end; /* from here in `chunk`, up to there in `last` */
    ubi__tick_point near;            /* a point near the first record */
} ubi__log_range;
/** Takes that: the cursor goes to the end, and the chunks are pinned until ubi__log_release. */
ubi__log_range ubi__log_take(ubi__log *log, ubi__cursor *cursor);
/** What was taken is done with. Adds to `garbage`. */
void ubi__log_release(ubi__log *log, const ubi__log_range *range, ubi__garbage *garbage);

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/**
 * Frees what no thread but the caller's may be using: logs of threads that exited and the caller's, spare chunks. Nothing may be
 * observed. For shutdown and tests, which want to know that nothing is left.
 */
void ubi__logs_release(void);

#endif
