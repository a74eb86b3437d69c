/* SPDX-License-Identifier: MIT
 *
 * markers_storage.c: see markers_storage.h.
 *
 * Records of one log are in the order of their ticks. Those of several are merged by ticks, which is the order of arrival as
 * far as threads agree on time.
 */
#include "timeline/markers_storage.h"

#include "timeline/timeline_target.h"

/* STARTs that wait for their ENDs may take this part of the limit for what is pending. */
#define WAITING_SHARE 4

/* ---- cursors ----------------------------------------------------------------------------------------------------- */

/* Room for cursors of `n` logs; new ones are before the oldest chunk. With the lock. */
static ubi_status reach_cursors(ubi_markers_storage *s, size_t n) {
    if (s->cursors.n >= n)
        return UBI_OK;
    UBI_TRY(ubi__cursors_reserve(&s->cursors, ubi__the_timeline.allocator, n - s->cursors.n));
    while (s->cursors.n < n)
        s->cursors.at[s->cursors.n++] = (ubi__cursor){ .chunk = NULL };
    return UBI_OK;
}

ubi_status ubi__storages_follow(void) {
    for (ubi_markers_storage *s = ubi__the_timeline.storages; s; s = s->next)
        UBI_TRY(reach_cursors(s, (size_t)ubi__the_timeline.n_logs + 1));
    return UBI_OK;
}

static ubi_status storage_begin(ubi_markers_storage *s) {
    ubi__timeline *t = &ubi__the_timeline;
    UBI_TRY(reach_cursors(s, t->n_logs));
    for (ubi__log *log = t->logs; log; log = log->next)
        ubi__log_need(log, &s->cursors.at[log->number]);
    s->n_unlogged = t->n_unlogged;
    s->next = t->storages;
    t->storages = s;
    atomic_fetch_add_explicit(&t->n_observed, 1, memory_order_relaxed);
    ubi__tick_rate_learn(&t->rate, ubi__tick_point_now());
    return UBI_OK;
}

static void storage_leave(ubi_markers_storage *s, ubi__garbage *garbage) {
    for (ubi_markers_storage **link = &ubi__the_timeline.storages; *link; link = &(*link)->next) {
        if (*link == s) {
            *link = s->next;
            break;
        }
    }
    atomic_fetch_sub_explicit(&ubi__the_timeline.n_observed, 1, memory_order_relaxed);
    for (ubi__log *log = ubi__the_timeline.logs; log; log = log->next)
        ubi__log_leave(log, &s->cursors.at[log->number], garbage);
}

/* The chunk at which the cursor was is gone: it moves to the end of the one before. */
static void step_back(ubi__cursor *cursor, ubi__chunk *before) {
    cursor->chunk = before;
    if (!before)
        return;
    cursor->record = atomic_load_explicit(&before->published, memory_order_relaxed);
    cursor->near = before->start; /* of no record */
    before->needed++;
}

void ubi__storage_lose(ubi_markers_storage *s, uint32_t log_number, ubi__chunk *before, const ubi__chunk *chunk) {
    ubi__cursor *cursor = &s->cursors.at[UBI_INDEX(log_number, s->cursors.n)];
    const ubi__record *record = chunk->records, *end = atomic_load_explicit(&chunk->published, memory_order_acquire);
    if (cursor->chunk && cursor->chunk->order > chunk->order)
        return;
    if (cursor->chunk == chunk) {
        record = cursor->record;
        step_back(cursor, before);
    }
    for (; record < end; record++)
        s->n_lost += ubi__storage_wants(s, record);
}

const ubi__record *ubi__storages_read_up_to(uint32_t log_number, const ubi__chunk *chunk) {
    const ubi__record *least = atomic_load_explicit(&chunk->published, memory_order_acquire);
    for (const ubi_markers_storage *s = ubi__the_timeline.storages; s; s = s->next) {
        const ubi__cursor *cursor = &s->cursors.at[log_number];
        const ubi__record *read = cursor->chunk == chunk ? cursor->record : chunk->records;
        if (read < least)
            least = read;
    }
    return least;
}

/* What could not be written. With the lock. */
static void count_dropped(ubi_markers_storage *s) {
    ubi__timeline *t = &ubi__the_timeline;
    for (const ubi__log *log = t->logs; log; log = log->next) {
        ubi__cursor *cursor = &s->cursors.at[log->number];
        uint64_t n = atomic_load_explicit(&log->n_dropped, memory_order_relaxed);
        s->n_lost += n - cursor->n_dropped;
        cursor->n_dropped = n;
    }
    s->n_lost += t->n_unlogged - s->n_unlogged;
    s->n_unlogged = t->n_unlogged;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

static void free_storage(ubi_markers_storage *s) {
    const ubi_allocator *a = ubi__the_timeline.allocator;
    ubi__marker_pairing_fini(&s->pairing);
    ubi__cursors_fini(&s->cursors, a);
    UBI_DELETE(a, s);
}

ubi_status ubi__storage_new(ubi_markers_storage **out, ubi_timeline_target *target, uint32_t number, bool per_thread) {
    const ubi_allocator *a = ubi__timeline_allocator();
    ubi_markers_storage *s = UBI_NEW(a, ubi_markers_storage);
    if (!s)
        return ubi__fail_nomem();
    s->target = target;
    s->number = number;
    s->thread = ubi__thread_number();
    ubi__marker_pairing_init(&s->pairing, per_thread, a);
    ubi__timeline_lock();
    ubi_status status = storage_begin(s);
    if (status == UBI_OK)
        ubi__timeline_check(&ubi__the_timeline);
    ubi__timeline_unlock(NULL);
    if (status != UBI_OK) {
        free_storage(s);
        return status;
    }
    *out = s;
    return UBI_OK;
}

void ubi__storage_free(ubi_markers_storage *s) {
    ubi__garbage garbage = { NULL, NULL };
    ubi__timeline_lock();
    storage_leave(s, &garbage);
    ubi__timeline_check(&ubi__the_timeline);
    ubi__timeline_unlock(&garbage);
    free_storage(s);
}

void ubi__storages_orphan(void) {
    ubi__timeline *t = &ubi__the_timeline;
    while (t->storages) {
        ubi_markers_storage *s = t->storages;
        t->storages = s->next;
        s->target->storage = NULL;
        s->next = t->orphans;
        t->orphans = s;
    }
    atomic_store_explicit(&t->n_observed, 0, memory_order_relaxed);
}

void ubi__storages_free_orphans(void) {
    ubi__timeline_lock();
    ubi_markers_storage *orphans = ubi__the_timeline.orphans;
    ubi__the_timeline.orphans = NULL;
    ubi__timeline_unlock(NULL);
    while (orphans) {
        ubi_markers_storage *s = orphans;
        orphans = s->next;
        free_storage(s);
    }
}

/* ---- adding and clearing ----------------------------------------------------------------------------------------- */

void ubi_markers_storage_add_marker(ubi_markers_storage *s, ubi_timeline_marker *marker) {
    ubi__check_main_thread(s->target);
    ubi__log_add_marker(s->number, marker);
}

void ubi_markers_storage_add_otmt_marker(ubi_markers_storage *s, ubi_timeline_marker *marker) {
    ubi__check_other_thread(s->target);
    ubi__log_add_marker(s->number, marker);
}

/* The cursor goes to the end of a log. */
static void skip_log(ubi_markers_storage *s, ubi__log *log, ubi__garbage *garbage) {
    ubi__log_range range = ubi__log_take(log, &s->cursors.at[log->number]);
    ubi__log_release(log, &range, garbage);
}

void ubi_markers_storage_clear_markers(ubi_markers_storage *s) {
    ubi__garbage garbage = { NULL, NULL };
    ubi__check_main_thread(s->target);
    ubi__timeline_lock();
    for (ubi__log *log = ubi__the_timeline.logs; log; log = log->next)
        skip_log(s, log, &garbage);
    ubi__timeline_unlock(&garbage);
    ubi__marker_pairing_reset(&s->pairing);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* What was taken of one log, record by record. */
typedef struct stream {
    ubi__log *log;
    ubi__log_range range;
    const ubi__chunk *chunk;   /* NULL: the stream has ended */
    const ubi__record *record; /* the one at hand */
    ubi__tick_point near;      /* the newest point before it */
    uint64_t last_ns;          /* times of a log never decrease */
    const ubi__chunk *named;   /* for which the next two are */
    uint32_t thread;           /* a number of the pairing */
    uint32_t import;
} stream;
UBI_VEC_DECLARE(streams, stream);
UBI_VEC_DECLARE(imports, ubi__marker_import);

typedef struct reader {
    ubi_markers_storage *storage;
    const ubi_allocator *allocator;
    streams all;
    ubi__vec_u32 heap; /* streams; the one with the oldest record comes first */
    imports imports;   /* one for each tables */
    double ns_per_tick;
    uint64_t waiting_limit_bytes;
} reader;

static bool is_main(const reader *r, const ubi__chunk *chunk) {
    return chunk->thread == r->storage->thread;
}

static const ubi__record *end_of(const stream *s, const ubi__chunk *chunk) {
    return chunk == s->range.last ? s->range.end : atomic_load_explicit(&chunk->published, memory_order_acquire);
}

/* Advances to a record that the storage wants, from the one at hand on, in chunks of the main thread or of others. */
static void settle_stream(const reader *r, stream *s, bool of_main) {
    while (s->chunk) {
        const ubi__record *end = end_of(s, s->chunk);
        if (is_main(r, s->chunk) == of_main) {
            for (; s->record < end; s->record++) {
                if (s->record->is_point)
                    s->near = (ubi__tick_point){ s->record->ticks, s->record->point_ns };
                else if (ubi__storage_wants(r->storage, s->record))
                    return;
            }
        }
        s->chunk = s->chunk == s->range.last ? NULL : s->chunk->next;
        if (s->chunk) {
            s->record = s->chunk->records;
            s->near = s->chunk->start;
        }
    }
}

static void start_stream(const reader *r, stream *s, bool of_main) {
    s->chunk = s->range.chunk;
    s->record = s->range.record;
    s->near = s->range.near;
    s->last_ns = 0;
    settle_stream(r, s, of_main);
}

static ubi_status import_for(reader *r, uint32_t *out, const ubi__marker_tables *tables) {
    for (uint32_t i = 0; i < r->imports.n; i++) {
        if (r->imports.at[i].from == tables) {
            *out = i;
            return UBI_OK;
        }
    }
    UBI_TRY(ubi__marker_pairing_start(&r->storage->pairing));
    UBI_TRY(imports_push(&r->imports, r->allocator,
                         (ubi__marker_import){ .from = tables, .to = r->storage->pairing.it.tables }));
    *out = (uint32_t)r->imports.n - 1;
    return UBI_OK;
}

/* The first record of a chunk: what its thread and its names are called in the pairing. */
static ubi_status name_chunk(reader *r, stream *s) {
    const ubi__chunk *c = s->chunk;
    ubi_timeline_thread thread = { c->thread_id, { c->thread_name, strlen(c->thread_name) }, is_main(r, c) };
    UBI_TRY(import_for(r, &s->import, c->tables));
    UBI_TRY(ubi__marker_pairing_thread_of(&s->thread, &r->storage->pairing, c->thread, &thread));
    s->named = c;
    return UBI_OK;
}

/* ---- feeding ----------------------------------------------------------------------------------------------------- */

static uint64_t time_of(const reader *r, stream *s) {
    const ubi_timeline_marker *marker = s->record->marker;
    if (marker && marker->has_time)
        return marker->time_ns;
    if (marker)
        return ubi__tick_ns(r->ns_per_tick, s->near, marker->ticks);
    uint64_t ns = ubi__tick_ns(r->ns_per_tick, s->near, s->record->ticks);
    return s->last_ns = ns > s->last_ns ? ns : s->last_ns;
}

static ubi_status stack_of(reader *r, const stream *s, uint32_t *out) {
    const ubi_timeline_marker *marker = s->record->marker;
    uint32_t import = s->import;
    if (marker && marker->frame != UBI_NONE)
        UBI_TRY(import_for(r, &import, marker->tables));
    return ubi__marker_import_frame(out, &r->imports.at[import], marker ? marker->frame : s->record->frame);
}

static ubi_timeline_marker view_of(const stream *s, const ubi__fed_marker *fed) {
    const ubi_timeline_marker *marker = s->record->marker;
    return (ubi_timeline_marker){ .kind = marker ? marker->kind : NULL,
                                  .payload = marker ? marker->payload : NULL,
                                  .tracing = s->record->tracing,
                                  .has_time = true,
                                  .is_off_main = fed->is_off_main,
                                  .process_type = s->record->process_type,
                                  .time_ns = fed->time_ns,
                                  .frame = fed->stack,
                                  .name_text = ubi__marker_tables_get(s->chunk->tables, s->record->name) };
}

/* What only markers of a kind have. */
static ubi_status add_kind(ubi_marker_pairing *p, ubi__fed_marker *fed, ubi_timeline_marker *marker) {
    const ubi_marker_kind *kind = marker->kind;
    fed->marker = marker;
    fed->has_details = kind->add_details != NULL;
    fed->has_base &= !fed->has_details;
    if (kind->key)
        UBI_TRY(ubi__marker_tables_text(&fed->key, p->it.tables, kind->key(marker->payload)));
    if (kind == &ubi__layer_kind) {
        const ubi__layer *layer = marker->payload;
        fed->rectangles = layer->at;
        fed->n_rectangles = layer->n;
    }
    return UBI_OK;
}

static ubi_status feed_record(reader *r, stream *s) {
    ubi_marker_pairing *p = &r->storage->pairing;
    const ubi__record *record = s->record;
    if (s->named != s->chunk)
        UBI_TRY(name_chunk(r, s));
    ubi__fed_marker fed = { .thread = s->thread,
                            .stack = UBI_NONE,
                            .tracing = record->tracing,
                            .is_off_main = !is_main(r, s->chunk) || (record->marker && record->marker->is_off_main),
                            .has_base = record->tracing == UBI_MARKER_START,
                            .process_type = record->process_type,
                            .key = UBI_NONE,
                            .time_ns = time_of(r, s) };
    ubi_timeline_marker view;
    UBI_TRY(ubi__marker_import_text(&fed.name, &r->imports.at[s->import], record->name));
    UBI_TRY(ubi__marker_pairing_name_of(&fed.name, p, fed.name));
    if (record->marker || record->frame != UBI_NONE)
        UBI_TRY(stack_of(r, s, &fed.stack));
    if (record->marker && record->marker->kind)
        UBI_TRY(add_kind(p, &fed, record->marker));
    if (fed.has_details || ubi__marker_pairing_asks(p)) {
        view = view_of(s, &fed);
        fed.view = &view;
    }
    return ubi__marker_pairing_feed(p, &fed);
}

/* ---- merging ----------------------------------------------------------------------------------------------------- */

static uint64_t ticks_at(const reader *r, size_t i) {
    return r->all.at[r->heap.at[i]].record->ticks;
}

static void sift_down(reader *r, size_t i) {
    for (;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < r->heap.n; child++) {
            if (ticks_at(r, child) < ticks_at(r, least))
                least = child;
        }
        if (least == i)
            return;
        UBI_ASSERT(least > i && least < r->heap.n);
        uint32_t moved = r->heap.at[i];
        r->heap.at[i] = r->heap.at[least];
        r->heap.at[least] = moved;
        i = least;
    }
}

/* Markers of the main thread, one log after the other; there is one, unless the thread was about to exit. */
static ubi_status feed_main(reader *r) {
    for (size_t i = 0; i < r->all.n; i++) {
        stream *s = &r->all.at[i];
        for (start_stream(r, s, true); s->chunk; settle_stream(r, s, true)) {
            UBI_TRY(feed_record(r, s));
            s->record++;
        }
    }
    return UBI_OK;
}

static ubi_status feed_others(reader *r) {
    for (size_t i = 0; i < r->all.n; i++) {
        start_stream(r, &r->all.at[i], false);
        if (r->all.at[i].chunk)
            r->heap.at[r->heap.n++] = (uint32_t)i;
    }
    for (size_t i = r->heap.n; i-- > 0;)
        sift_down(r, i);
    while (r->heap.n > 0) {
        stream *s = &r->all.at[r->heap.at[0]];
        UBI_ASSERT(r->heap.n < 2 || ticks_at(r, 0) <= ticks_at(r, r->heap.n - 1)); /* the oldest is first */
        UBI_TRY(feed_record(r, s));
        s->record++;
        settle_stream(r, s, false);
        if (!s->chunk)
            r->heap.at[0] = r->heap.at[--r->heap.n];
        sift_down(r, 0);
    }
    return UBI_OK;
}

/* ---- popping ----------------------------------------------------------------------------------------------------- */

/* Everything that is pending, with the lock. Errors: UBI_ENOMEM, and nothing is taken. */
static ubi_status take_all(reader *r) {
    ubi__timeline *t = &ubi__the_timeline;
    UBI_TRY(streams_reserve(&r->all, r->allocator, t->n_logs));
    UBI_TRY(ubi__vec_u32_reserve(&r->heap, r->allocator, t->n_logs));
    for (ubi__log *log = t->logs; log; log = log->next) {
        ubi__log_range range = ubi__log_take(log, &r->storage->cursors.at[log->number]);
        if (range.last)
            r->all.at[r->all.n++] = (stream){ .log = log, .range = range };
    }
    ubi__tick_rate_learn(&t->rate, ubi__tick_point_now());
    r->ns_per_tick = t->rate.ns_per_tick;
    r->waiting_limit_bytes = t->limit_bytes / WAITING_SHARE;
    count_dropped(r->storage);
    return UBI_OK;
}

/* What was taken may go, and so may what this thread marked meanwhile. */
static void give_back(reader *r) {
    ubi__garbage garbage = { NULL, NULL };
    ubi__timeline_lock();
    for (size_t i = 0; i < r->all.n; i++)
        ubi__log_release(r->all.at[i].log, &r->all.at[i].range, &garbage);
    if (ubi__log_here)
        skip_log(r->storage, ubi__log_here, &garbage);
    ubi__timeline_unlock(&garbage);
}

static void free_reader(reader *r) {
    for (size_t i = 0; i < r->imports.n; i++)
        ubi__marker_import_fini(&r->imports.at[i], r->allocator);
    imports_fini(&r->imports, r->allocator);
    streams_fini(&r->all, r->allocator);
    ubi__vec_u32_fini(&r->heap, r->allocator);
}

static uint64_t count_taken(reader *r) {
    uint64_t n = 0;
    for (size_t i = 0; i < r->all.n; i++) {
        stream *s = &r->all.at[i];
        for (int of_main = 0; of_main <= 1; of_main++) {
            for (start_stream(r, s, of_main != 0); s->chunk; settle_stream(r, s, of_main != 0)) {
                n++;
                s->record++;
            }
        }
    }
    return n;
}

static void add_lost(ubi_markers_storage *s, uint64_t n, ubi_timeline_markers *out) {
    ubi__timeline_lock();
    s->n_lost += n;
    if (out) {
        out->n_lost += s->n_lost;
        s->n_lost = 0;
    }
    ubi__timeline_unlock(NULL);
}

static ubi_status make_rows(ubi_timeline_markers **out, reader *r, bool with_open) {
    ubi_markers_storage *s = r->storage;
    uint64_t n_waiting = s->pairing.n_fed;
    ubi_status status = feed_main(r);
    if (status == UBI_OK)
        status = feed_others(r);
    if (status == UBI_OK)
        status = ubi__marker_pairing_end(out, &s->pairing, with_open, r->waiting_limit_bytes);
    else
        ubi__marker_pairing_reset(&s->pairing);
    add_lost(s, status == UBI_OK ? 0 : n_waiting + count_taken(r), status == UBI_OK ? *out : NULL);
    return status;
}

ubi_status ubi__storage_pop(ubi_timeline_markers **out, ubi_markers_storage *s, bool with_open) {
    reader r = { .storage = s, .allocator = ubi__the_timeline.allocator };
    if (s->is_popping)
        return ubi__fail(UBI_ESTATE, "markers are being popped from this target already");
    s->is_popping = true;
    ubi__timeline_lock();
    ubi_status status = take_all(&r);
    ubi__timeline_check(&ubi__the_timeline);
    ubi__timeline_unlock(NULL);
    if (status == UBI_OK) {
        status = make_rows(out, &r, with_open);
        give_back(&r);
    }
    free_reader(&r);
    s->is_popping = false;
    return status;
}

ubi_status ubi_markers_storage_pop_markers(ubi_markers_storage *s, ubi_timeline_markers **out) {
    ubi__check_main_thread(s->target);
    return ubi__storage_pop(out, s, false);
}
