/* SPDX-License-Identifier: MIT
 *
 * profiler.c: the service, its members, and when there are results.
 *
 * A lock guards all recorders. It is taken for samples, frees of blocks that may be known, starts, stops and queries:
 * seldom, unless everything is recorded. The taps, which are read for every allocation, belong to the member's thread
 * alone.
 *
 * A member's objects are kept until it starts again, is reset, or leaves; the memory stream until it is reset while
 * no member records.
 */
#include <pthread.h>
#include <string.h>
#include <sys/random.h>

#include "base/assert.h"
#include "base/bits.h"
#include "recording/mixed_stack.h"
#include "recording/recorder.h"
#include "recording/recording.h"

typedef struct member_stream {
    ubi_profiler_tap tap;
    ubi__byte_sampler sampler; /* its remaining bytes are the tap's */
    uint8_t *known;            /* UBI_PROFILER_KNOWN_BYTES, counts that stop at 255; NULL until it first starts */
} member_stream;

struct ubi_profiler_member {
    ubi_profiler *profiler;
    ubi_profiler_source source;
    bool is_running;
    uintptr_t stack_low, stack_high; /* of the thread that started it; 0, 0: unknown */
    member_stream streams[UBI_PROFILER_STREAM_COUNT];
    ubi__recorder *objects; /* NULL: never started, or reset */
};

struct ubi_profiler {
    const ubi_allocator *allocator;
    ubi_profiler_options options;
    pthread_mutex_t lock;
    uint32_t running_count;
    ubi__recorder *memory; /* NULL: never started, or reset */
    ubi__mixed_stack stack;
    uint64_t random_state;

    /* The caller, for the recorders' sources. */
    const ubi_profiler_member *caller;
    uintptr_t hook_frame;
};

/* What the tap of a member that does not record sees. */
static const uint8_t nothing_known[UBI_PROFILER_KNOWN_BYTES];

/* ---- clock, chance and stacks ------------------------------------------------------------------------------------- */

static uint64_t now_ns(void *payload) {
    const ubi_profiler *p = payload;
    return p->options.clock_ns ? p->options.clock_ns(p->options.payload) : ubi_process_clock_ns();
}

/* SplitMix64. */
static double draw_random(void *payload) {
    ubi_profiler *p = payload;
    if (p->options.random)
        return p->options.random(p->options.payload);
    return (double)(ubi__mix_u64(p->random_state += UBI__GOLDEN) >> 11) * 0x1p-53;
}

static ubi_status stack_of_caller(void *payload, ubi__trace_table *traces, ubi__trace_ix *out) {
    ubi_profiler *p = payload;
    ubi__mixed_stack_set_stack(&p->stack, p->caller->stack_low, p->caller->stack_high);
    return ubi__mixed_stack_trace(&p->stack, &p->caller->source, p->hook_frame, traces, out);
}

/* ---- recorders ---------------------------------------------------------------------------------------------------- */

static ubi_status new_recorder(ubi__recorder **out, ubi_profiler *p) {
    ubi__recorder_source source = { now_ns, draw_random, stack_of_caller, p };
    ubi__recorder *made = UBI_NEW(p->allocator, ubi__recorder);
    if (!made)
        return ubi__fail_nomem();
    ubi_status status = ubi__recorder_init(made, p->options.period_bytes, &source, p->allocator);
    if (status == UBI_OK)
        *out = made;
    else
        UBI_DELETE(p->allocator, made);
    return status;
}

static void drop_recorder(ubi_profiler *p, ubi__recorder **recorder) {
    if (!*recorder)
        return;
    ubi__mixed_stack_forget(&p->stack); /* it knows names of the table that goes */
    ubi__recorder_fini(*recorder);
    UBI_DELETE(p->allocator, *recorder);
    *recorder = NULL;
}

static ubi__recorder *recorder_of(const ubi_profiler_member *m, ubi_profiler_stream stream) {
    return stream == UBI_PROFILER_OBJECTS ? m->objects : m->profiler->memory;
}

/* ---- the service -------------------------------------------------------------------------------------------------- */

ubi_status ubi_profiler_new(ubi_profiler **out, const ubi_profiler_options *options) {
    ubi_profiler_options used = options ? *options : (ubi_profiler_options)UBI_PROFILER_OPTIONS_INIT;
    UBI_TRY(ubi__version_check(used.version, UBI_PROFILER_OPTIONS_VERSION, "ubi_profiler_options"));
    if (used.period_bytes == 0 || used.period_bytes > UINT64_C(1) << 48)
        return ubi__fail(UBI_EINVAL, "a period of %llu bytes: expected 1 to 2^48",
                         (unsigned long long)used.period_bytes);
    if (!used.allocator)
        used.allocator = ubi__allocator_of_pages();
    ubi_profiler *p = UBI_NEW(used.allocator, ubi_profiler);
    if (!p)
        return ubi__fail_nomem();
    p->allocator = used.allocator;
    p->options = used;
    if (getrandom(&p->random_state, sizeof p->random_state, GRND_NONBLOCK) != (ssize_t)sizeof p->random_state)
        p->random_state = ubi_process_clock_ns() ^ (uintptr_t)p;
    ubi_status status = ubi__mixed_stack_init(&p->stack, p->allocator);
    if (status != UBI_OK) {
        UBI_DELETE(p->allocator, p);
        return status;
    }
    pthread_mutex_init(&p->lock, NULL);
    *out = p;
    return UBI_OK;
}

void ubi_profiler_free(ubi_profiler *p) {
    if (!p)
        return;
    const ubi_allocator *a = p->allocator;
    drop_recorder(p, &p->memory);
    ubi__mixed_stack_fini(&p->stack);
    pthread_mutex_destroy(&p->lock);
    UBI_DELETE(a, p);
}

/* Under the lock. Who records has tables, and the taps of who does not see nothing. */
static void member_check(const ubi_profiler_member *m) {
    UBI_ASSERT(!m->is_running || (m->objects && m->profiler->memory && m->profiler->running_count > 0));
    UBI_ASSERT(m->stack_low <= m->stack_high);
    for (int i = 0; UBI_CHECKS && i < UBI_PROFILER_STREAM_COUNT; i++) {
        const ubi_profiler_tap *tap = &m->streams[i].tap;
        UBI_ASSERT(m->is_running || (tap->known == nothing_known && tap->remaining_bytes == UINT64_MAX));
        UBI_ASSERT(tap->known == nothing_known || tap->known == m->streams[i].known);
    }
}

/* ---- members ------------------------------------------------------------------------------------------------------ */

static void close_taps(ubi_profiler_member *m) {
    for (int i = 0; i < UBI_PROFILER_STREAM_COUNT; i++)
        m->streams[i].tap = (ubi_profiler_tap){ UINT64_MAX, nothing_known };
}

static void open_taps(ubi_profiler_member *m) {
    ubi_profiler *p = m->profiler;
    int n = p->options.with_objects_only ? UBI_PROFILER_OBJECTS + 1 : UBI_PROFILER_STREAM_COUNT;
    for (int i = 0; i < n; i++) {
        member_stream *s = &m->streams[i];
        ubi__byte_sampler_init(&s->sampler, p->options.period_bytes, draw_random, p);
        memset(s->known, 0, UBI_PROFILER_KNOWN_BYTES);
        s->tap = (ubi_profiler_tap){ s->sampler.remaining_bytes, s->known };
    }
}

ubi_status ubi_profiler_join(ubi_profiler_member **out, ubi_profiler *p, const ubi_profiler_source *source) {
    ubi_profiler_member *m = UBI_NEW(p->allocator, ubi_profiler_member);
    if (!m)
        return ubi__fail_nomem();
    m->profiler = p;
    m->source = *source;
    close_taps(m);
    *out = m;
    return UBI_OK;
}

void ubi_profiler_leave(ubi_profiler_member *m) {
    if (!m)
        return;
    const ubi_allocator *a = m->profiler->allocator;
    ubi_profiler_stop(m);
    drop_recorder(m->profiler, &m->objects);
    for (int i = 0; i < UBI_PROFILER_STREAM_COUNT; i++)
        ubi__free_array(a, m->streams[i].known, UBI_PROFILER_KNOWN_BYTES, 1);
    UBI_DELETE(a, m);
}

ubi_profiler_tap *ubi_profiler_tap_of(ubi_profiler_member *m, ubi_profiler_stream stream) {
    return &m->streams[stream].tap;
}

/* ---- start, stop, reset ------------------------------------------------------------------------------------------- */

static ubi_status need_known(ubi_profiler_member *m) {
    for (int i = 0; i < UBI_PROFILER_STREAM_COUNT; i++) {
        member_stream *s = &m->streams[i];
        if (!s->known)
            s->known = ubi__alloc_array(m->profiler->allocator, UBI_PROFILER_KNOWN_BYTES, 1);
        if (!s->known)
            return ubi__fail_nomem();
    }
    return UBI_OK;
}

static void find_stack(ubi_profiler_member *m) {
    pthread_attr_t attributes;
    void *low;
    size_t size_bytes;
    m->stack_low = m->stack_high = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &low, &size_bytes) == 0) {
        m->stack_low = (uintptr_t)low;
        m->stack_high = (uintptr_t)low + size_bytes;
    }
    pthread_attr_destroy(&attributes);
}

/* Under the lock. */
static ubi_status member_start(ubi_profiler_member *m) {
    ubi_profiler *p = m->profiler;
    ubi__recorder *objects = NULL, *memory = NULL;
    bool renews = !p->memory || (p->options.is_cleared_on_start && p->running_count == 0);
    UBI_TRY(need_known(m));
    UBI_TRY(new_recorder(&objects, p));
    ubi_status status = renews ? new_recorder(&memory, p) : UBI_OK;
    if (status != UBI_OK) {
        drop_recorder(p, &objects);
        return status;
    }
    drop_recorder(p, &m->objects);
    m->objects = objects;
    if (renews) {
        drop_recorder(p, &p->memory);
        p->memory = memory;
    }
    open_taps(m);
    m->is_running = true;
    p->running_count++;
    member_check(m);
    return UBI_OK;
}

ubi_status ubi_profiler_start(ubi_profiler_member *m) {
    if (m->is_running)
        return UBI_OK;
    find_stack(m);
    pthread_mutex_lock(&m->profiler->lock);
    ubi_status status = member_start(m);
    pthread_mutex_unlock(&m->profiler->lock);
    return status;
}

void ubi_profiler_stop(ubi_profiler_member *m) {
    if (!m->is_running)
        return;
    pthread_mutex_lock(&m->profiler->lock);
    close_taps(m);
    m->is_running = false;
    m->profiler->running_count--;
    member_check(m);
    pthread_mutex_unlock(&m->profiler->lock);
}

void ubi_profiler_reset(ubi_profiler_member *m) {
    ubi_profiler *p = m->profiler;
    pthread_mutex_lock(&p->lock);
    if (!m->is_running)
        drop_recorder(p, &m->objects);
    if (p->running_count == 0)
        drop_recorder(p, &p->memory);
    pthread_mutex_unlock(&p->lock);
}

bool ubi_profiler_is_running(const ubi_profiler_member *m) {
    return m->is_running;
}

/* Under the lock, in the order in which the original asks. */
static ubi_status member_results(ubi_recording **out, ubi_profiler_member *m) {
    const ubi_profiler *p = m->profiler;
    ubi__address_names names = { p->options.name_address, p->options.payload };
    ubi__recording merged;
    *out = NULL;
    if (p->running_count || !p->memory || !m->objects)
        return UBI_OK;
    UBI_TRY(ubi__recording_merge(&merged, &m->objects->recording, &p->memory->recording));
    ubi_status status = ubi__recorded_new(out, &merged, &names);
    ubi__recording_fini(&merged);
    return status;
}

ubi_status ubi_profiler_results(ubi_recording **out, ubi_profiler_member *m) {
    ubi_recording *made;
    pthread_mutex_lock(&m->profiler->lock);
    ubi_status status = member_results(&made, m);
    pthread_mutex_unlock(&m->profiler->lock);
    if (status == UBI_OK)
        *out = made;
    return status;
}

/* ---- allocations and frees ---------------------------------------------------------------------------------------- */

static uint8_t *known_at(member_stream *s, uintptr_t address) {
    return &s->known[(address >> 4) & (UBI_PROFILER_KNOWN_BYTES - 1)];
}

/* How often the sampler met the allocation; for exact ones, once. */
static uint64_t times_met(member_stream *s, uint64_t size_bytes) {
    if (ubi__byte_sampler_is_exact(&s->sampler))
        return 1;
    s->sampler.remaining_bytes = s->tap.remaining_bytes;
    uint64_t n = ubi__byte_sampler_add(&s->sampler, size_bytes);
    s->tap.remaining_bytes = s->sampler.remaining_bytes;
    return n;
}

/* Under the lock. Losses are counted by the recorder. */
static void member_record(ubi_profiler_member *m, ubi_profiler_stream stream, const ubi_profiler_allocation *a) {
    member_stream *s = &m->streams[stream];
    ubi_profiler *p = m->profiler;
    uint64_t n = times_met(s, a->size_bytes);
    if (n == 0)
        return;
    ubi__allocation allocation = { a->address, a->size_bytes, a->kind, m->source.thread };
    p->caller = m;
    p->hook_frame = a->hook_frame;
    if (ubi__recorder_sampled(recorder_of(m, stream), &allocation, n) != UBI_OK)
        return;
    uint8_t *known = known_at(s, a->address);
    *known += *known < UINT8_MAX;
}

void ubi_profiler_allocated(ubi_profiler_member *m, ubi_profiler_stream stream, const ubi_profiler_allocation *a) {
    if (!m->is_running)
        return;
    pthread_mutex_lock(&m->profiler->lock);
    member_record(m, stream, a);
    pthread_mutex_unlock(&m->profiler->lock);
}

/* Under the lock. A block that is not there has only the bits of one that is. */
static void forget_known(ubi_profiler_member *m, ubi_profiler_stream stream, uintptr_t address) {
    uint8_t *known = known_at(&m->streams[stream], address);
    if (ubi__live_table_find(&recorder_of(m, stream)->live, address))
        *known -= *known && *known < UINT8_MAX;
}

void ubi_profiler_freed(ubi_profiler_member *m, ubi_profiler_stream stream, uintptr_t address) {
    if (!m->is_running)
        return;
    pthread_mutex_lock(&m->profiler->lock);
    forget_known(m, stream, address);
    ubi__recorder_freed(recorder_of(m, stream), address, m->source.thread);
    pthread_mutex_unlock(&m->profiler->lock);
}

void ubi_profiler_withdraw(ubi_profiler_member *m, uintptr_t address) {
    if (!m->is_running)
        return;
    pthread_mutex_lock(&m->profiler->lock);
    forget_known(m, UBI_PROFILER_MEMORY, address);
    ubi__recorder_withdraw(m->profiler->memory, address);
    pthread_mutex_unlock(&m->profiler->lock);
}
