/* SPDX-License-Identifier: MIT
 *
 * native_log.c: see native_log.h.
 *
 * A file that is being written has whole blocks up to what the recorder says, and no further is read: so its reader can continue there.
 */
#include "targets/native/native_log.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/text.h"
#include "recording/ubirec_tables.h"
#include "targets/native/native_control.h"

/* Of a stack's reference: which of the inlined functions at a frame. */
#define INLINE_BITS 16
_Static_assert(UBI__UBIREC_SYMBOLS_MAX <= 1u << INLINE_BITS, "each has a number");

typedef struct entry {
    uint64_t time_ns, size_bytes;
    uint32_t trace, kind;
} entry;
UBI_VEC_DECLARE(vec_entry, entry);

typedef struct observer {
    struct observer *next;
    ubi__native_log *log;
    ubi__native_starter starter;
    bool is_tracking, has_overflowed;
    double probability;
    uint32_t log_limit;
    uint64_t logged_count, first_allocation;
    vec_entry entries; /* entries.at[first..): the log */
    size_t first;
} observer;

struct ubi__native_log {
    ubi__native_share *share;
    observer *observers;
    uint64_t began_ns; /* of the process, by our clock, as far as it is known; 0: not yet */
    uint64_t draws;
    int fd; /* of the file; -1: not opened yet */
    uint64_t end_bytes, position;
    ubi__source source;
    ubi__ubirec_reader *reader; /* NULL: not opened yet */
    ubi__ubirec_tables tables;
    bool has_tables, has_failed; /* the file is unlike what it was */
    uint32_t n_named;            /* of the frames */
};

/* ---- stacks ------------------------------------------------------------------------------------------------------- */

static uint32_t trace_of(ubi_stack stack) {
    return (uint32_t)(stack.ref >> INLINE_BITS);
}

static uint32_t inline_of(ubi_stack stack) {
    return (uint32_t)(stack.ref & ((1u << INLINE_BITS) - 1));
}

static void frame_describe_plain(ubi_frame *out, const ubi__ubirec_tables *t, const ubi__ubirec_frame *frame) {
    if (frame->type == UBI__UBIREC_LABEL_FRAME || frame->type == UBI__UBIREC_SCRIPT_FRAME)
        out->function_name = ubi__ubirec_string_at(t, frame->of);
    if (frame->type != UBI__UBIREC_SCRIPT_FRAME)
        return;
    out->source = ubi__ubirec_string_at(t, frame->script.file);
    out->line = frame->script.line;
    out->column = frame->column;
}

static void stack_frame(ubi_stack stack, ubi_frame *out) {
    const ubi__native_log *log = stack.owner;
    const ubi__ubirec_tables *t = &log->tables;
    uint32_t n, frame = t->traces.at[UBI_INDEX(trace_of(stack), t->traces.n)].frame;
    const ubi__ubirec_symbol_row *symbols = ubi__ubirec_symbols_of(t, frame, &n);
    *out = (ubi_frame){ .id = stack.ref, .source = ubi__text("") };
    if (n == 0) {
        frame_describe_plain(out, t, &t->frames.at[frame]);
        return;
    }
    const ubi__ubirec_symbol_row *symbol = &symbols[UBI_INDEX(inline_of(stack), n)];
    out->source = ubi__ubirec_string_at(t, symbol->file);
    out->function_name = ubi__ubirec_string_at(t, symbol->function);
    out->line = symbol->line;
    out->column = symbol->column;
}

static bool stack_parent(ubi_stack stack, ubi_stack *out) {
    const ubi__native_log *log = stack.owner;
    const ubi__ubirec_trace_row *row = &log->tables.traces.at[UBI_INDEX(trace_of(stack), log->tables.traces.n)];
    uint32_t n;
    (void)ubi__ubirec_symbols_of(&log->tables, row->frame, &n);
    *out = stack;
    if (inline_of(stack) + 1 < n)
        out->ref = stack.ref + 1;
    else
        out->ref = (uint64_t)row->caller << INLINE_BITS;
    return trace_of(*out) != UBI__UBIREC_NO_TRACE;
}

static const ubi_stack_ops stack_ops = { stack_frame, stack_parent };

/* ---- names -------------------------------------------------------------------------------------------------------- */

/* Where no name is known, a frame is its module and offset. */
static ubi_status frame_name_plainly(ubi__ubirec_tables *t, uint32_t i) {
    const ubi__ubirec_frame *frame = &t->frames.at[i];
    char text[160], path[PATH_MAX] = ""; /* copied: the table of texts moves while it grows */
    uint32_t n;
    (void)ubi__ubirec_symbols_of(t, i, &n);
    if (n > 0 || (frame->type != UBI__UBIREC_NATIVE_FRAME && frame->type != UBI__UBIREC_RAW_FRAME))
        return UBI_OK;
    if (frame->type == UBI__UBIREC_NATIVE_FRAME) {
        ubi_text module = ubi__ubirec_string_at(t, t->modules.at[frame->of].path);
        snprintf(path, sizeof path, "%.*s", (int)(module.len < sizeof path ? module.len : sizeof path - 1), module.ptr);
    }
    ubi__ubirec_symbol symbol = { .file = ubi__text(path) };
    ubi_text name = ubi__text_base_name(symbol.file);
    snprintf(text, sizeof text, "%.*s+0x%" PRIx64, (int)(name.len < 100 ? name.len : 100), name.ptr, frame->address);
    symbol.function = ubi__text(text);
    return ubi__ubirec_tables_add_symbols(t, i, &symbol, 1);
}

static ubi_status frames_name(ubi__native_log *log) {
    ubi__ubirec_tables *t = &log->tables;
    if (log->n_named == t->frames.n)
        return UBI_OK;
    if (log->share->namer)
        UBI_TRY(log->share->namer(t, NULL, NULL));
    for (uint32_t i = log->n_named; i < t->frames.n; i++)
        UBI_TRY(frame_name_plainly(t, i));
    log->n_named = (uint32_t)t->frames.n;
    return UBI_OK;
}

/* ---- reading ------------------------------------------------------------------------------------------------------ */

/* In [0, 1). */
static double draw_number(ubi__native_log *log) {
    return (double)(ubi__hash_u64(++log->draws) >> 11) * 0x1p-53;
}

static ubi_status observer_add(observer *o, const entry *e) {
    if (o->probability < 1 && draw_number(o->log) >= o->probability)
        return UBI_OK;
    UBI_TRY(vec_entry_push(&o->entries, o->log->share->allocator, *e));
    o->logged_count++;
    if (o->entries.n - o->first > o->log_limit) {
        o->first++;
        o->has_overflowed = true;
    }
    if (o->first > o->entries.n / 2 && o->first > o->log_limit) { /* so that the lost ones take no memory */
        memmove(o->entries.at, o->entries.at + o->first, (o->entries.n - o->first) * sizeof *o->entries.at);
        o->entries.n -= o->first;
        o->first = 0;
    }
    return UBI_OK;
}

static ubi_status allocation_add(ubi__native_log *log, const ubi__ubirec_record *r) {
    const ubi__ubirec_info_row *info = &log->tables.infos.at[r->event.info];
    const entry e = { ubi__ubirec_time_ns(log->reader), info->weight_bytes, info->trace, info->kind };
    if (log->tables.kinds.at[info->kind].class_of_kind != UBI__UBIREC_HEAP)
        return UBI_OK;
    for (observer *o = log->observers; o; o = o->next)
        if (o->is_tracking && r->event.number >= o->first_allocation)
            UBI_TRY(observer_add(o, &e));
    return UBI_OK;
}

static ubi_status records_read(ubi__native_log *log) {
    const ubi__ubirec_record *record;
    for (;;) {
        UBI_TRY(ubi__ubirec_next(log->reader, &record));
        if (!record)
            return UBI_OK;
        UBI_TRY(ubi__ubirec_tables_add(&log->tables, record));
        if (record->type == UBI__UBIREC_ALLOC)
            UBI_TRY(allocation_add(log, record));
    }
}

/* A ubi__source_read_fn: the file up to where it is whole. */
static ptrdiff_t file_read(void *payload, void *buffer, size_t size_bytes) {
    ubi__native_log *log = payload;
    uint64_t left = log->end_bytes - log->position;
    ssize_t n = pread(log->fd, buffer, size_bytes < left ? size_bytes : (size_t)left, (off_t)log->position);
    log->position += n > 0 ? (uint64_t)n : 0;
    return n;
}

static ubi_status reader_open(ubi__native_log *log) {
    if (!log->has_tables)
        UBI_TRY(ubi__ubirec_tables_init(&log->tables, log->share->allocator));
    log->has_tables = true;
    ubi__source_open_callback(&log->source, file_read, log, log->share->allocator);
    return ubi__ubirec_reader_new(&log->reader, &log->source, log->share->allocator);
}

static ubi_status file_take(ubi__native_log *log, const ubi__control_facts *facts, int fd) {
    if (log->fd >= 0)
        close(fd);
    else
        log->fd = fd;
    log->end_bytes = facts->file_bytes > log->position ? facts->file_bytes : log->position;
    if (log->reader)
        ubi__ubirec_reader_resume(log->reader);
    else
        UBI_TRY(reader_open(log));
    UBI_TRY(records_read(log));
    return frames_name(log);
}

/* A reply comes later than its time was read: the least that it says is nearest to the truth. */
static void log_see_time(ubi__native_log *log, const ubi__control_facts *facts) {
    uint64_t now_ns = ubi__native_now_ns(), began_ns = now_ns > facts->now_ns ? now_ns - facts->now_ns : 0;
    if (!log->began_ns || began_ns < log->began_ns)
        log->began_ns = began_ns;
}

/* Reads what is new. A file that was once unreadable stays so. */
static ubi_status log_pull(ubi__native_log *log) {
    ubi__control_facts facts;
    int fd = -1;
    if (log->has_failed)
        return ubi__fail(UBI_ESTATE, "the recording of process %ld cannot be read", (long)log->share->pid);
    UBI_TRY(ubi__control_ask(&facts, &fd, UBI__CONTROL_LOOK, log->share->pid));
    if (fd < 0)
        return ubi__fail(UBI_EIO, "the recorder cannot open %.200s", facts.path);
    log_see_time(log, &facts);
    ubi_status status = file_take(log, &facts, fd);
    log->has_failed = status != UBI_OK;
    return status;
}

/* ---- operations --------------------------------------------------------------------------------------------------- */

static void observer_check(const observer *o) {
    UBI_ASSERT(o->first <= o->entries.n && o->entries.n - o->first <= o->logged_count);
    UBI_ASSERT(o->is_tracking || o->entries.n == 0);
}

static ubi_status observer_set_tracking(void *payload, bool on) {
    observer *o = payload;
    if (on == o->is_tracking)
        return UBI_OK;
    if (on) {
        UBI_TRY(log_pull(o->log));
        UBI_TRY(ubi__native_starter_start(&o->starter));
        o->first_allocation = ubi__ubirec_allocations_read(o->log->reader);
    } else {
        ubi__native_starter_leave(&o->starter);
        o->entries.n = o->first = 0;
        o->has_overflowed = false;
    }
    o->is_tracking = on;
    observer_check(o);
    return UBI_OK;
}

static ubi_status observer_set_probability(void *payload, double probability) {
    if (!(probability >= 0 && probability <= 1))
        return ubi__fail(UBI_EINVAL, "a probability is from 0 to 1");
    ((observer *)payload)->probability = probability;
    return UBI_OK;
}

static ubi_status observer_set_log_limit(void *payload, uint32_t entries) {
    observer *o = payload;
    if (entries == 0)
        return ubi__fail(UBI_EINVAL, "a log has at least one entry");
    o->log_limit = entries;
    if (o->entries.n - o->first > entries) {
        o->first = o->entries.n - entries;
        o->has_overflowed = true;
    }
    return UBI_OK;
}

/* When its process has ended, all stays as it was. */
static void observer_state(void *payload, ubi_target_observer_state *out) {
    observer *o = payload;
    ubi__control_facts facts;
    if (o->is_tracking)
        (void)log_pull(o->log);
    else if (ubi__control_ask(&facts, NULL, UBI__CONTROL_STATE, o->log->share->pid) == UBI_OK)
        log_see_time(o->log, &facts);
    *out = (ubi_target_observer_state){ .is_tracking = o->is_tracking,
                                        .probability = o->probability,
                                        .log_limit = o->log_limit,
                                        .log_length = (uint32_t)(o->entries.n - o->first),
                                        .has_overflowed = o->has_overflowed,
                                        .logged_count = o->logged_count,
                                        .now_ms = (double)(ubi__native_now_ns() - o->log->began_ns) / 1e6 };
}

static bool entry_give(const observer *o, const entry *e, ubi_logged_allocation_fn fn, void *fn_payload) {
    ubi__native_log *log = o->log;
    const ubi_logged_allocation allocation = {
        .has_frame = e->trace != UBI__UBIREC_NO_TRACE,
        .frame = { &stack_ops, log, (uint64_t)e->trace << INLINE_BITS },
        .timestamp_ms = (double)e->time_ns / 1e6,
        .class_name = ubi__ubirec_string_at(&log->tables, log->tables.kinds.at[e->kind].word),
        .size_bytes = e->size_bytes,
    };
    return fn(fn_payload, &allocation);
}

static ubi_status observer_drain(void *payload, ubi_logged_allocation_fn fn, void *fn_payload) {
    observer *o = payload;
    if (!o->is_tracking)
        return ubi__fail(UBI_ESTATE, "nothing is tracked");
    if (o->first == o->entries.n)
        UBI_TRY(log_pull(o->log));
    while (o->first < o->entries.n && entry_give(o, &o->entries.at[o->first], fn, fn_payload))
        o->first++;
    if (o->first == o->entries.n) {
        o->entries.n = o->first = 0;
        o->has_overflowed = false;
    }
    observer_check(o);
    return UBI_OK;
}

/* A native heap has no collections. */
static void observer_on_collection(void *payload, ubi_collection_fn fn, void *fn_payload) {
    (void)payload, (void)fn, (void)fn_payload;
}

static void observer_free(void *payload) {
    observer *o = payload;
    const ubi_allocator *a = o->log->share->allocator;
    observer **at = &o->log->observers;
    while (*at != o)
        at = &(*at)->next;
    *at = o->next;
    ubi__native_starter_leave(&o->starter);
    vec_entry_fini(&o->entries, a);
    UBI_DELETE(a, o);
}

static const ubi_target_observer_ops observer_ops = { .version = UBI_TARGET_OBSERVER_OPS_VERSION,
                                                      .free = observer_free,
                                                      .set_tracking = observer_set_tracking,
                                                      .set_probability = observer_set_probability,
                                                      .set_log_limit = observer_set_log_limit,
                                                      .state = observer_state,
                                                      .drain = observer_drain,
                                                      .on_collection = observer_on_collection };

/* ---- life --------------------------------------------------------------------------------------------------------- */

ubi_status ubi__native_log_observe(ubi_target_observer *out, ubi__native_log *log, const ubi_target_scope *scope) {
    if (scope)
        return ubi__fail(UBI_EMISMATCH, "a native program has no parts");
    observer *o = UBI_NEW(log->share->allocator, observer);
    if (!o)
        return ubi__fail_nomem();
    o->log = log;
    o->starter.share = log->share;
    o->probability = 1;
    o->log_limit = UBI_ALLOCATION_LOG_LENGTH;
    o->next = log->observers;
    log->observers = o;
    *out = (ubi_target_observer){ &observer_ops, o };
    return UBI_OK;
}

ubi_status ubi__native_log_new(ubi__native_log **out, ubi__native_share *share) {
    ubi__native_log *log = UBI_NEW(share->allocator, ubi__native_log);
    if (!log)
        return ubi__fail_nomem();
    log->share = share;
    log->fd = -1;
    *out = log;
    return UBI_OK;
}

void ubi__native_log_free(ubi__native_log *log) {
    if (!log)
        return;
    UBI_ASSERT(!log->observers);
    ubi__ubirec_reader_free(log->reader);
    if (log->reader)
        ubi__source_close(&log->source);
    if (log->has_tables)
        ubi__ubirec_tables_fini(&log->tables);
    if (log->fd >= 0)
        close(log->fd);
    UBI_DELETE(log->share->allocator, log);
}
