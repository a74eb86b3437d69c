/* SPDX-License-Identifier: MIT
 *
 * marker_log.c: see marker_log.h.
 */
#include "timeline/marker_log.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "base/sanitizers.h"
#include "timeline/marker_ports.h"
#include "timeline/markers_storage.h"

#define FIRST_CHUNK_BYTES ((size_t)4 << 10)
#define USUAL_CHUNK_BYTES ((size_t)64 << 10)
/* What a thread fills in less than FAST_NS is followed by something larger: faulting pages in one at a time is expensive. */
#if UBI_HAS_ADDRESS_SANITIZER
#define LARGEST_CHUNK_BYTES USUAL_CHUNK_BYTES /* larger blocks are mappings, in which it does not look for pointers */
#else
#define LARGEST_CHUNK_BYTES ((size_t)4 << 20)
#endif
#define FAST_NS 5000000
#define SLOW_NS 50000000
/* No chunk takes more of the limit. */
#define CHUNK_SHARE 16
#define SPARE_BYTES ((size_t)16 << 20)
/* What markers of one chunk may say before the thread takes the next. */
#define SAID_BYTES ((size_t)256 << 10)
/* Names and stacks of a log that are kept for the markers to come. */
#define TABLES_BYTES ((size_t)4 << 20)

ubi__timeline ubi__the_timeline = { .lock = PTHREAD_MUTEX_INITIALIZER, .limit_bytes = UBI_TIMELINE_LIMIT_BYTES };
_Thread_local ubi__log *ubi__log_here __attribute__((tls_model("initial-exec")));

static _Thread_local uint64_t number_of_thread __attribute__((tls_model("initial-exec")));
static pthread_key_t exit_key;
static pthread_once_t prepared = PTHREAD_ONCE_INIT;

/* ---- the lock, and what happens under it to the process ---------------------------------------------------------- */

static void free_chunk(ubi__chunk *c) {
    const ubi_allocator *a = ubi__the_timeline.allocator;
    a->free(a->ctx, c, c->room_bytes);
}

static void end_markers(ubi__chunk *c) {
    const ubi__record *end = atomic_load_explicit(&c->published, memory_order_acquire);
    for (const ubi__record *r = c->ended; r < end; r++) {
        if (!r->is_point)
            ubi__timeline_marker_unref(r->marker);
    }
    ubi__marker_tables_unref(c->tables);
}

static void fork_prepare(void) {
    pthread_mutex_lock(&ubi__the_timeline.lock);
}

static void fork_parent(void) {
    pthread_mutex_unlock(&ubi__the_timeline.lock);
}

/* Nothing is observed in the child. What needs memory to be freed waits until something is asked for. */
static void fork_child(void) {
    ubi__timeline *t = &ubi__the_timeline;
    ubi__storages_orphan();
    ubi__ports_update();
    t->is_forked = true;
    pthread_mutex_unlock(&t->lock);
}

static void leave_log(void *log);

static void prepare_process(void) {
    ubi__ticks_choose();
    (void)pthread_key_create(&exit_key, leave_log);
    (void)pthread_atfork(fork_prepare, fork_parent, fork_child);
}

/* Takes the markers out of the newest chunk that all have read. */
static void end_read_markers(const ubi__log *log, ubi__garbage *garbage) {
    ubi__chunk *c = log->current;
    if (!c || c->pins > 0 || !atomic_load_explicit(&c->has_markers, memory_order_relaxed))
        return;
    const ubi__record *end = ubi__storages_read_up_to(log->number, c);
    for (; c->ended < end; c->ended++) {
        if (c->ended->is_point || !c->ended->marker)
            continue;
        c->ended->marker->next_garbage = garbage->markers;
        garbage->markers = c->ended->marker;
        c->ended->marker = NULL;
    }
}

/* Takes what is not needed out of a log, oldest first. */
static void reap_log(ubi__log *log, ubi__garbage *garbage) {
    while (log->oldest && log->oldest->needed == 0 && log->oldest->pins == 0) {
        ubi__chunk *c = log->oldest;
        if (c == log->current) {
            if (log->thread != 0)
                break;
            log->current = NULL;
            log->at = log->end = NULL;
        }
        log->oldest = c->next;
        ubi__the_timeline.pending_bytes -= c->bytes;
        c->next = garbage->chunks;
        garbage->chunks = c;
    }
    end_read_markers(log, garbage);
}

/* The first time in a child: the other threads are gone, and so are those who needed chunks. */
static void tidy_after_fork(ubi__timeline *t) {
    ubi__garbage garbage = { NULL, NULL };
    t->is_forked = false;
    for (ubi__log *log = t->logs; log; log = log->next) {
        if (log != ubi__log_here)
            log->thread = 0;
        for (ubi__chunk *c = log->oldest; c; c = c->next)
            c->needed = c->pins = 0;
        reap_log(log, &garbage);
    }
    t->left_over = garbage;
    if (ubi__log_here)
        ubi__log_here->end = ubi__log_here->at; /* the next chunk knows what the thread is called now */
}

static void assert_chunk(const ubi__timeline *t, const ubi__log *log, const ubi__chunk *c) {
    uint32_t n_needed = 0;
    for (const ubi_markers_storage *s = t->storages; s; s = s->next) {
        const ubi__cursor *cursor = &s->cursors.at[log->number];
        n_needed += !cursor->chunk || cursor->chunk->order <= c->order;
    }
    UBI_ASSERT(c->needed == n_needed);
    UBI_ASSERT(c->order <= log->n_chunks && (!c->next || c->order < c->next->order));
    UBI_ASSERT((c->next == NULL) == (c == log->current));
    UBI_ASSERT(c->ended >= c->records && c->ended <= c->end);
}

void ubi__timeline_check(const ubi__timeline *t) {
    uint64_t pending_bytes = 0, spare_bytes = 0;
    uint32_t n_logs = 0, n_storages = 0;
    for (const ubi_markers_storage *s = t->storages; UBI_CHECKS && s; s = s->next, n_storages++)
        UBI_ASSERT(s->cursors.n >= t->n_logs);
    for (const ubi__log *log = t->logs; UBI_CHECKS && log; log = log->next, n_logs++) {
        UBI_ASSERT(log->number < t->n_logs && (log->oldest == NULL) == (log->current == NULL));
        for (const ubi__chunk *c = log->oldest; c; c = c->next) {
            assert_chunk(t, log, c);
            pending_bytes += c->bytes;
        }
    }
    for (const ubi__chunk *c = t->spare; UBI_CHECKS && c; c = c->next)
        spare_bytes += c->room_bytes;
    UBI_ASSERT(!UBI_CHECKS ||
               (n_logs == t->n_logs && n_storages == atomic_load_explicit(&t->n_observed, memory_order_relaxed)));
    UBI_ASSERT(!UBI_CHECKS || (pending_bytes == t->pending_bytes && spare_bytes == t->spare_bytes));
}

void ubi__timeline_lock(void) {
    pthread_once(&prepared, prepare_process);
    pthread_mutex_lock(&ubi__the_timeline.lock);
    if (ubi__unlikely(ubi__the_timeline.is_forked))
        tidy_after_fork(&ubi__the_timeline);
}

/* Small ones are not worth it. */
static bool keep_spare(ubi__timeline *t, ubi__chunk *c) {
    if (t->spare_bytes + c->room_bytes > SPARE_BYTES || c->room_bytes < USUAL_CHUNK_BYTES)
        return false;
    c->next = t->spare;
    t->spare = c;
    t->spare_bytes += c->room_bytes;
    return true;
}

static void free_chunks(ubi__chunk *garbage) {
    if (!garbage)
        return;
    for (ubi__chunk *c = garbage; c; c = c->next)
        end_markers(c);
    pthread_mutex_lock(&ubi__the_timeline.lock);
    ubi__chunk *rest = NULL;
    while (garbage) {
        ubi__chunk *c = garbage;
        garbage = c->next;
        if (keep_spare(&ubi__the_timeline, c))
            continue;
        c->next = rest;
        rest = c;
    }
    pthread_mutex_unlock(&ubi__the_timeline.lock);
    while (rest) {
        ubi__chunk *c = rest;
        rest = c->next;
        free_chunk(c);
    }
}

static void end_garbage(const ubi__garbage *garbage) {
    ubi_timeline_marker *marker = garbage->markers;
    while (marker) {
        ubi_timeline_marker *next = marker->next_garbage;
        ubi__timeline_marker_unref(marker);
        marker = next;
    }
    free_chunks(garbage->chunks);
}

void ubi__timeline_unlock(const ubi__garbage *garbage) {
    ubi__garbage left_over = ubi__the_timeline.left_over;
    ubi__the_timeline.left_over = (ubi__garbage){ NULL, NULL };
    pthread_mutex_unlock(&ubi__the_timeline.lock);
    end_garbage(&left_over);
    if (garbage)
        end_garbage(garbage);
}

const ubi_allocator *ubi__timeline_allocator(void) {
    const ubi_allocator *known = atomic_load_explicit(&ubi__the_timeline.allocator, memory_order_acquire);
    if (known)
        return known;
    ubi__timeline_lock();
    known = atomic_load_explicit(&ubi__the_timeline.allocator, memory_order_relaxed);
    if (!known) {
        known = ubi_allocator_default();
        atomic_store_explicit(&ubi__the_timeline.allocator, known, memory_order_release);
    }
    ubi__timeline_unlock(NULL);
    return known;
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

uint64_t ubi__thread_number(void) {
    if (number_of_thread == 0)
        number_of_thread = atomic_fetch_add_explicit(&ubi__the_timeline.n_threads, 1, memory_order_relaxed) + 1;
    return number_of_thread;
}

/* A log without a thread, or a new one. NULL when out of memory. With the lock. */
static ubi__log *find_log(ubi__timeline *t) {
    for (ubi__log *log = t->logs; log; log = log->next) {
        if (log->thread == 0)
            return log;
    }
    ubi__log *log = UBI_NEW(t->allocator, ubi__log);
    if (!log)
        return NULL;
    ubi__u64_map_init(&log->stacks.frame_of_ref, t->allocator);
    if (ubi__storages_follow() != UBI_OK) {
        UBI_DELETE(t->allocator, log);
        return NULL;
    }
    log->number = t->n_logs++;
    log->next = t->logs;
    t->logs = log;
    return log;
}

static ubi__log *new_log_here(void) {
    (void)ubi__timeline_allocator(); /* which a log needs */
    ubi__timeline_lock();
    ubi__log *log = find_log(&ubi__the_timeline);
    if (log) {
        log->thread = ubi__thread_number();
        log->next_chunk_bytes = FIRST_CHUNK_BYTES;
        log->thread_name[0] = 0;
    }
    ubi__timeline_unlock(NULL);
    if (log) {
        ubi__log_here = log;
        (void)pthread_setspecific(exit_key, log);
    }
    return log;
}

ubi__log *ubi__log_get(void) {
    return ubi__log_here ? ubi__log_here : new_log_here();
}

/* The thread exits: what it marked stays until it is popped. */
static void leave_log(void *payload) {
    ubi__log *log = (ubi__log *)payload;
    ubi__log_here = NULL;
    log->source = NULL;
    log->end = log->at;
    ubi__log_forget_stacks(log);
    ubi__garbage garbage = { NULL, NULL };
    ubi__timeline_lock();
    log->thread = 0;
    reap_log(log, &garbage);
    ubi__timeline_unlock(&garbage);
}

void ubi__log_count_dropped(ubi__log *log) {
    if (!log) {
        ubi__timeline_lock();
        ubi__the_timeline.n_unlogged++;
        ubi__timeline_unlock(NULL);
        return;
    }
    uint64_t n = atomic_load_explicit(&log->n_dropped, memory_order_relaxed);
    atomic_store_explicit(&log->n_dropped, n + 1, memory_order_relaxed);
}

/* ---- chunks ------------------------------------------------------------------------------------------------------ */

/* The newest point of a chunk; it may be newer than what was published when that was read. */
static ubi__tick_point newest_point(const ubi__chunk *c) {
    const ubi__record *point = atomic_load_explicit(&c->point, memory_order_acquire);
    return point ? (ubi__tick_point){ point->ticks, point->point_ns } : c->start;
}

/* A chunk that may be dropped, and the one before it in its log. */
typedef struct oldest {
    ubi__log *log; /* NULL: there is none */
    ubi__chunk *before, *chunk;
} oldest;

/* The log's oldest chunk that is not in use: no pop reads it, and no thread but the caller's writes into it. */
static oldest oldest_of_log(ubi__log *log, const ubi__log *own) {
    oldest o = { .log = log, .chunk = log->oldest };
    for (; o.chunk && o.chunk->pins > 0; o.chunk = o.chunk->next)
        o.before = o.chunk;
    if (!o.chunk || (o.chunk == log->current && log->thread != 0 && log != own))
        o.log = NULL;
    return o;
}

static oldest find_oldest(const ubi__timeline *t, const ubi__log *own) {
    oldest best = { .log = NULL };
    for (ubi__log *log = t->logs; log; log = log->next) {
        oldest o = oldest_of_log(log, own);
        if (o.log && (!best.log || o.chunk->start.ticks < best.chunk->start.ticks))
            best = o;
    }
    return best;
}

/* A chunk leaves its log. */
static void unlink_chunk(ubi__log *log, ubi__chunk *before, const ubi__chunk *c) {
    if (before)
        before->next = c->next;
    else
        log->oldest = c->next;
    if (c != log->current)
        return;
    log->current = before; /* which is full: nothing is written into it any more */
    log->at = log->end = before ? atomic_load_explicit(&before->published, memory_order_relaxed) : NULL;
}

/* What was too old is gone for each storage that had not seen it. @return false: there is nothing to drop. */
static bool drop_oldest(ubi__timeline *t, ubi__log *own, ubi__garbage *garbage) {
    oldest o = find_oldest(t, own);
    if (!o.log)
        return false;
    for (ubi_markers_storage *s = t->storages; s; s = s->next)
        ubi__storage_lose(s, o.log->number, o.before, o.chunk);
    unlink_chunk(o.log, o.before, o.chunk);
    t->pending_bytes -= o.chunk->bytes;
    o.chunk->next = garbage->chunks;
    garbage->chunks = o.chunk;
    return true;
}

static ubi__chunk *get_chunk(ubi__timeline *t, size_t bytes) {
    ubi__chunk **link = &t->spare;
    while (*link && (*link)->room_bytes != bytes)
        link = &(*link)->next;
    ubi__chunk *c = *link;
    if (c) {
        *link = c->next;
        t->spare_bytes -= bytes;
        return c;
    }
    c = (ubi__chunk *)t->allocator->alloc(t->allocator->ctx, bytes);
    if (c) {
        c->room_bytes = bytes;
        c->end = c->records + (bytes - sizeof *c) / sizeof *c->records;
    }
    return c;
}

/* How large a log's next chunk is, now that the thread has filled one. */
static size_t next_bytes(const ubi__timeline *t, const ubi__log *log, uint64_t now_ns) {
    size_t bytes = log->next_chunk_bytes;
    if (!log->current)
        return bytes;
    uint64_t took_ns = now_ns - log->current->start.ns;
    bool is_full = log->at == log->current->end; /* else what its markers say was too much for it */
    if (bytes < USUAL_CHUNK_BYTES || (is_full && took_ns < FAST_NS && bytes < LARGEST_CHUNK_BYTES))
        bytes *= 4;
    else if ((!is_full || took_ns > SLOW_NS) && bytes > USUAL_CHUNK_BYTES)
        bytes /= 4;
    while (bytes > FIRST_CHUNK_BYTES && bytes > t->limit_bytes / CHUNK_SHARE)
        bytes /= 4;
    return bytes;
}

static void describe_thread(ubi__chunk *c, const ubi__log *log) {
    c->thread = log->thread;
    c->thread_id = (uint64_t)syscall(SYS_gettid);
    memcpy(c->thread_name, log->thread_name, sizeof c->thread_name);
    if (!c->thread_name[0] && pthread_getname_np(pthread_self(), c->thread_name, sizeof c->thread_name) != 0)
        c->thread_name[0] = 0;
}

static bool have_tables(ubi__timeline *t, ubi__log *log) {
    if (log->tables && !log->has_full_tables)
        return true;
    ubi__marker_tables *made = ubi__marker_tables_new(t->allocator);
    if (!made)
        return log->tables != NULL; /* rather too many names than none */
    ubi__marker_tables_unref(log->tables);
    log->tables = made;
    log->has_full_tables = false;
    ubi__log_forget_stacks(log);
    ubi__log_forget_names(log);
    return true;
}

bool ubi__log_prepare(ubi__log *log) {
    return log->tables || have_tables(&ubi__the_timeline, log);
}

static bool add_chunk(ubi__timeline *t, ubi__log *log, ubi__tick_point now) {
    ubi__chunk *c = have_tables(t, log) ? get_chunk(t, log->next_chunk_bytes) : NULL;
    if (!c)
        return false;
    atomic_init(&c->published, c->records);
    c->tables = ubi__marker_tables_ref(log->tables);
    c->next = NULL;
    atomic_init(&c->point, NULL);
    c->order = ++log->n_chunks;
    c->bytes = c->room_bytes;
    c->said_bytes = 0;
    c->ended = c->records;
    atomic_init(&c->has_markers, false);
    c->pins = 0;
    c->needed = atomic_load_explicit(&t->n_observed, memory_order_relaxed);
    c->start = now;
    describe_thread(c, log);
    if (log->current)
        log->current->next = c;
    else
        log->oldest = c;
    log->current = c;
    log->at = c->records;
    log->end = c->end;
    log->point_ticks = now.ticks;
    t->pending_bytes += c->bytes;
    return true;
}

/* The thread leaves its chunk, if it has one. What markers said counts from now on. */
static void leave_chunk(ubi__timeline *t, ubi__log *log, ubi__tick_point now) {
    log->next_chunk_bytes = next_bytes(t, log, now.ns);
    if (!log->current)
        return;
    t->pending_bytes += log->current->said_bytes;
    log->current->bytes += log->current->said_bytes;
    log->current->said_bytes = 0;
}

bool ubi__log_make_room(ubi__log *log) {
    ubi__timeline *t = &ubi__the_timeline;
    ubi__garbage garbage = { NULL, NULL };
    bool is_there = false;
    ubi__tick_point now = ubi__tick_point_now();
    ubi__timeline_lock();
    if (t->storages) {
        leave_chunk(t, log, now);
        while (t->pending_bytes + log->next_chunk_bytes > t->limit_bytes && drop_oldest(t, log, &garbage))
            ;
        is_there = add_chunk(t, log, now);
        if (!is_there)
            ubi__log_count_dropped(log);
    }
    ubi__timeline_unlock(&garbage);
    return is_there;
}

bool ubi__log_put_point(ubi__log *log) {
    if (log->end - log->at < 2)
        return ubi__log_make_room(log);
    ubi__tick_point now = ubi__tick_point_now();
    UBI_ASSERT(log->at < log->current->end);
    *log->at = (ubi__record){ .ticks = now.ticks, .point_ns = now.ns, .is_point = true };
    atomic_store_explicit(&log->current->point, log->at, memory_order_release);
    log->at++;
    log->point_ticks = now.ticks;
    return true;
}

/* The thread takes the next chunk after the record that it is about to write. */
static void end_chunk_soon(ubi__log *log) {
    if (log->end - log->at > 1)
        log->end = log->at + 1;
}

/* The tables grew, or a marker says something. */
void ubi__log_count_said(ubi__log *log, size_t bytes) {
    if (log->current) {
        log->current->said_bytes += bytes;
        if (log->current->said_bytes > SAID_BYTES)
            end_chunk_soon(log);
    }
    if (log->tables->bytes > TABLES_BYTES && !log->has_full_tables) {
        log->has_full_tables = true;
        end_chunk_soon(log);
    }
}

/* ---- markers that are more than a record ------------------------------------------------------------------------- */

void ubi__log_add_marker(uint32_t target, ubi_timeline_marker *marker) {
    ubi__log *log = ubi__log_get();
    uint64_t ticks;
    uint32_t name = 0;
    if (!log)
        ubi__log_count_dropped(NULL);
    if (!log || !ubi__log_begin(log, &ticks)) {
        ubi__timeline_marker_unref(marker);
        return;
    }
    if (marker && marker->tables == log->tables)
        name = marker->name;
    else if (!marker || !ubi__log_text_number(log, &name, marker->name_text)) {
        ubi__log_count_dropped(log);
        ubi__timeline_marker_unref(marker);
        return;
    }
    ubi__log_count_said(log, ubi__timeline_marker_bytes(marker));
    atomic_store_explicit(&log->current->has_markers, true, memory_order_relaxed);
    *log->at = (ubi__record){ .ticks = ticks,
                              .marker = marker,
                              .name = name,
                              .frame = UBI_NONE,
                              .target = target,
                              .process_type = marker->process_type,
                              .tracing = marker->tracing };
    ubi__log_publish(log);
}

const ubi_timeline_stack_source *ubi_timeline_set_stack_source(const ubi_timeline_stack_source *source) {
    ubi__log *log = source ? ubi__log_get() : ubi__log_here;
    const ubi_timeline_stack_source *before = log ? log->source : NULL;
    if (log)
        log->source = source;
    return before;
}

void ubi_timeline_name_thread(const char *name) {
    ubi__log *log = ubi__log_get();
    if (!log)
        return;
    size_t n = strnlen(name, sizeof log->thread_name - 1);
    memcpy(log->thread_name, name, n);
    log->thread_name[n] = 0;
    log->end = log->at; /* the next chunk knows */
}

/* ---- what storages need ------------------------------------------------------------------------------------------ */

ubi__log_range ubi__log_take(ubi__log *log, ubi__cursor *cursor) {
    ubi__log_range range = { .last = log->current };
    if (!log->current)
        return range;
    range.chunk = cursor->chunk ? cursor->chunk : log->oldest;
    range.record = cursor->chunk ? cursor->record : range.chunk->records;
    range.near = cursor->chunk ? cursor->near : range.chunk->start;
    range.end = atomic_load_explicit(&log->current->published, memory_order_acquire);
    for (ubi__chunk *c = range.chunk; c != range.last; c = c->next) {
        UBI_ASSERT(c->needed > 0);
        c->needed--;
        c->pins++;
    }
    range.last->pins++;
    cursor->chunk = range.last;
    cursor->record = range.end;
    cursor->near = newest_point(range.last);
    return range;
}

void ubi__log_release(ubi__log *log, const ubi__log_range *range, ubi__garbage *garbage) {
    if (!range->last)
        return;
    for (ubi__chunk *c = range->chunk; c != range->last; c = c->next) {
        UBI_ASSERT(c->pins > 0);
        c->pins--;
    }
    UBI_ASSERT(range->last->pins > 0);
    range->last->pins--;
    reap_log(log, garbage);
}

void ubi__log_need(ubi__log *log, ubi__cursor *cursor) {
    *cursor = (ubi__cursor){ .n_dropped = atomic_load_explicit(&log->n_dropped, memory_order_relaxed) };
    if (!log->current)
        return;
    cursor->chunk = log->current;
    cursor->record = atomic_load_explicit(&log->current->published, memory_order_acquire);
    cursor->near = newest_point(log->current);
    log->current->needed++;
}

void ubi__log_leave(ubi__log *log, const ubi__cursor *cursor, ubi__garbage *garbage) {
    for (ubi__chunk *c = cursor->chunk ? cursor->chunk : log->oldest; c; c = c->next) {
        UBI_ASSERT(c->needed > 0);
        c->needed--;
    }
    reap_log(log, garbage);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static void free_log(ubi__log *log) {
    const ubi_allocator *a = ubi__the_timeline.allocator;
    ubi__u64_map_fini(&log->stacks.frame_of_ref);
    ubi__waiting_frames_fini(&log->stacks.path, a);
    ubi__marker_tables_unref(log->tables);
    UBI_DELETE(a, log);
}

static void free_own_log(void) {
    if (ubi__log_here) {
        leave_log(ubi__log_here);
        (void)pthread_setspecific(exit_key, NULL);
    }
}

void ubi__logs_release(void) {
    ubi__timeline *t = &ubi__the_timeline;
    free_own_log();
    ubi__timeline_lock();
    ubi__chunk *spare = t->spare;
    ubi__log *logs = t->logs, *kept = NULL;
    t->spare = NULL;
    t->spare_bytes = 0;
    t->logs = NULL;
    t->n_logs = 0;
    while (logs) {
        ubi__log *log = logs;
        logs = log->next;
        if (log->thread == 0 && !log->oldest) {
            free_log(log);
            continue;
        }
        log->next = kept;
        log->number = t->n_logs++;
        kept = log;
    }
    t->logs = kept;
    ubi__timeline_unlock(NULL);
    while (spare) {
        ubi__chunk *c = spare;
        spare = c->next;
        free_chunk(c);
    }
}
