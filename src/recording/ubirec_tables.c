/* SPDX-License-Identifier: MIT
 *
 * ubirec_tables.c: see ubirec_tables.h.
 */
#include "recording/ubirec_tables.h"

#include <string.h>

#include "base/assert.h"

bool ubi__ubirec_frame_is_sound(const ubi__ubirec_tables *t, const ubi__ubirec_frame *f) {
    uint32_t n_strings = ubi__strtab_count(&t->strings);
    switch (f->type) {
    case UBI__UBIREC_NATIVE_FRAME:
        return f->of < t->modules.n;
    case UBI__UBIREC_RAW_FRAME:
        return f->of == 0;
    case UBI__UBIREC_SCRIPT_FRAME:
        return f->of < n_strings && f->script.file < n_strings;
    default:
        return f->type == UBI__UBIREC_LABEL_FRAME && f->of < n_strings;
    }
}

static void check_definitions(const ubi__ubirec_tables *t) {
    uint32_t n_strings = ubi__strtab_count(&t->strings);
    for (size_t i = 0; i < t->modules.n; i++)
        UBI_ASSERT(t->modules.at[i].path < n_strings && t->modules.at[i].build_id < n_strings);
    for (size_t i = 0; i < t->frames.n; i++)
        UBI_ASSERT(ubi__ubirec_frame_is_sound(t, &t->frames.at[i]));
    for (size_t i = 1; i < t->traces.n; i++)
        UBI_ASSERT(t->traces.at[i].caller < i && t->traces.at[i].frame < t->frames.n);
    for (size_t i = 0; i < t->kinds.n; i++)
        UBI_ASSERT(t->kinds.at[i].word < n_strings && t->kinds.at[i].class_of_kind < UBI__UBIREC_CLASS_COUNT);
    for (size_t i = 0; i < t->infos.n; i++)
        UBI_ASSERT(t->infos.at[i].kind < t->kinds.n && t->infos.at[i].trace < t->traces.n);
    for (size_t i = 0; i < t->threads.n; i++)
        UBI_ASSERT(t->threads.at[i].name < n_strings);
    for (size_t i = 0; i < t->uses.n; i++)
        UBI_ASSERT((t->uses.at[i].name < n_strings || t->uses.at[i].name == UBI_NONE) &&
                   t->uses.at[i].table == t->uses.at[0].table);
    for (size_t i = 0; i < t->pauses.n; i++)
        UBI_ASSERT(t->pauses.at[i].from_ns <= t->pauses.at[i].to_ns &&
                   (i == 0 || t->pauses.at[i - 1].to_ns <= t->pauses.at[i].from_ns));
}

static void check_symbols(const ubi__ubirec_tables *t) {
    uint32_t n_strings = ubi__strtab_count(&t->strings);
    for (size_t i = 0; i < t->spans.n; i++)
        UBI_ASSERT((size_t)t->spans.at[i].first + t->spans.at[i].n <= t->symbols.n);
    for (size_t i = 0; i < t->symbols.n; i++)
        UBI_ASSERT(t->symbols.at[i].function < n_strings && t->symbols.at[i].file < n_strings);
}

void ubi__ubirec_tables_check(const ubi__ubirec_tables *t) {
    UBI_ASSERT(t->traces.n > 0 && t->traces.at[UBI__UBIREC_NO_TRACE].frame == UBI_NONE);
    UBI_ASSERT(t->spans.n <= t->frames.n);
    UBI_ASSERT(t->periods.n > 0 || t->infos.n == 0);
    if (!UBI_CHECKS)
        return;
    check_definitions(t);
    check_symbols(t);
    for (size_t i = 1; i < t->periods.n; i++)
        UBI_ASSERT(t->periods.at[i - 1].first_info <= t->periods.at[i].first_info);
}

ubi_status ubi__ubirec_tables_init(ubi__ubirec_tables *t, const ubi_allocator *allocator) {
    *t = (ubi__ubirec_tables){ .allocator = ubi__allocator_or_default(allocator) };
    ubi__strtab_init(&t->strings, t->allocator);
    return ubi__vec_ubirec_trace_push(&t->traces, t->allocator, (ubi__ubirec_trace_row){ 0, UBI_NONE });
}

/* What a view has of its own. */
static void names_fini(ubi__ubirec_tables *t) {
    ubi__strtab_fini(&t->strings);
    ubi__vec_ubirec_symbol_fini(&t->symbols, t->allocator);
    ubi__vec_ubirec_symbol_span_fini(&t->spans, t->allocator);
}

void ubi__ubirec_tables_fini(ubi__ubirec_tables *t) {
    names_fini(t);
    if (t->is_view)
        return;
    ubi__vec_u8_fini(&t->about_text, t->allocator);
    ubi__vec_ubirec_started_fini(&t->started, t->allocator);
    ubi__vec_ubirec_companion_fini(&t->companions, t->allocator);
    ubi__vec_ubirec_use_fini(&t->uses, t->allocator);
    ubi__vec_pause_fini(&t->pauses, t->allocator);
    ubi__vec_ubirec_module_fini(&t->modules, t->allocator);
    ubi__vec_ubirec_frame_fini(&t->frames, t->allocator);
    ubi__vec_ubirec_trace_fini(&t->traces, t->allocator);
    ubi__vec_ubirec_kind_fini(&t->kinds, t->allocator);
    ubi__vec_ubirec_info_fini(&t->infos, t->allocator);
    ubi__vec_ubirec_thread_fini(&t->threads, t->allocator);
    ubi__vec_ubirec_period_fini(&t->periods, t->allocator);
}

/* Into what is empty. */
#define VEC_COPY(name, to, from, a)                                                                                    \
    do {                                                                                                               \
        UBI_TRY(name##_reserve((to), (a), (from)->n));                                                                 \
        if ((from)->n)                                                                                                 \
            memcpy((to)->at, (from)->at, (from)->n * sizeof *(to)->at);                                                \
        (to)->n = (from)->n;                                                                                           \
    } while (0)

static ubi_status names_copy(ubi__ubirec_tables *to, const ubi__ubirec_tables *from) {
    const ubi_allocator *a = to->allocator;
    VEC_COPY(ubi__vec_u8, &to->strings.bytes, &from->strings.bytes, a);
    VEC_COPY(ubi__vec_u64, &to->strings.end, &from->strings.end, a);
    VEC_COPY(ubi__vec_ubirec_symbol, &to->symbols, &from->symbols, a);
    VEC_COPY(ubi__vec_ubirec_symbol_span, &to->spans, &from->spans, a);
    return UBI_OK;
}

ubi_status ubi__ubirec_tables_view(ubi__ubirec_tables *out, const ubi__ubirec_tables *of,
                                   const ubi_allocator *allocator) {
    *out = *of;
    out->allocator = allocator;
    out->is_view = true;
    ubi__strtab_init(&out->strings, allocator);
    out->symbols = (ubi__vec_ubirec_symbol){ NULL, 0, 0 };
    out->spans = (ubi__vec_ubirec_symbol_span){ NULL, 0, 0 };
    ubi_status status = names_copy(out, of);
    if (status != UBI_OK)
        names_fini(out);
    return status;
}

/* ---- adding ------------------------------------------------------------------------------------------------------- */

/* Copies a text after those that are there; there is room. */
static void keep_text(ubi__ubirec_tables *t, ubi_text *text) {
    uint8_t *at = t->about_text.at + t->about_text.n;
    if (text->len)
        memcpy(at, text->ptr, text->len);
    t->about_text.n += text->len;
    text->ptr = (const char *)at;
}

static ubi_status add_about(ubi__ubirec_tables *t, const ubi__ubirec_about *about) {
    size_t n = about->program.len + about->arguments.len + about->writer.len + about->system.len;
    UBI_TRY(ubi__vec_u8_reserve(&t->about_text, t->allocator, n + 1));
    UBI_TRY(ubi__vec_ubirec_period_push(&t->periods, t->allocator,
                                        (ubi__ubirec_period_row){ .period_bytes = about->period_bytes }));
    t->about = *about;
    keep_text(t, &t->about.program);
    keep_text(t, &t->about.arguments);
    keep_text(t, &t->about.writer);
    keep_text(t, &t->about.system);
    return UBI_OK;
}

static ubi_status add_string(ubi__ubirec_tables *t, ubi_text text) {
    ubi_str_ix ix;
    return ubi__strtab_append(&t->strings, &ix, text);
}

static ubi_status add_period(ubi__ubirec_tables *t, uint64_t period_bytes) {
    ubi__ubirec_period_row row = { .first_info = (uint32_t)t->infos.n, .period_bytes = period_bytes };
    return ubi__vec_ubirec_period_push(&t->periods, t->allocator, row);
}

/* Room for `n` symbols of a frame, and the frame's span. Those that it had stay, unused. */
static ubi_status add_span(ubi__ubirec_tables *t, uint32_t frame, size_t n) {
    UBI_ASSERT(frame < t->frames.n);
    if (t->symbols.n + n >= UBI_NONE)
        return ubi__fail(UBI_ELIMIT, "a recording has at most %u symbols", UBI_NONE - 1);
    UBI_TRY(ubi__vec_ubirec_symbol_reserve(&t->symbols, t->allocator, n));
    if (frame >= t->spans.n) {
        size_t more = (size_t)frame + 1 - t->spans.n;
        UBI_TRY(ubi__vec_ubirec_symbol_span_reserve(&t->spans, t->allocator, more));
        memset(t->spans.at + t->spans.n, 0, more * sizeof *t->spans.at);
        t->spans.n += more;
    }
    t->spans.at[frame] = (ubi__ubirec_symbol_span){ (uint32_t)t->symbols.n, (uint32_t)n };
    return UBI_OK;
}

static ubi_status add_symbols(ubi__ubirec_tables *t, uint32_t frame, const ubi__ubirec_symbol_row *rows, uint32_t n) {
    UBI_TRY(add_span(t, frame, n));
    if (n)
        memcpy(t->symbols.at + t->symbols.n, rows, n * sizeof *rows);
    t->symbols.n += n;
    return UBI_OK;
}

ubi_status ubi__ubirec_tables_add_symbols(ubi__ubirec_tables *t, uint32_t frame, const ubi__ubirec_symbol *symbols,
                                          size_t n) {
    UBI_TRY(add_span(t, frame, n));
    for (size_t i = 0; i < n; i++) {
        ubi__ubirec_symbol_row *row = &t->symbols.at[t->symbols.n + i];
        row->line = symbols[i].line;
        row->column = symbols[i].column;
        UBI_TRY(ubi__strtab_append(&t->strings, &row->function, symbols[i].function));
        UBI_TRY(ubi__strtab_append(&t->strings, &row->file, symbols[i].file));
    }
    t->symbols.n += n;
    return UBI_OK;
}

/* The first row of another table. */
static ubi_status add_use(ubi__ubirec_tables *t, const ubi__ubirec_use_row *row) {
    if (t->uses.n && t->uses.at[0].table != row->table)
        t->uses.n = 0;
    return ubi__vec_ubirec_use_push(&t->uses, t->allocator, *row);
}

/* A recording that is started first began paused. Times that make no sense are made to. */
static ubi_status add_action(ubi__ubirec_tables *t, uint64_t what, uint64_t time_ns) {
    ubi__pause *last = t->pauses.n ? &t->pauses.at[t->pauses.n - 1] : NULL;
    bool is_paused = last && last->to_ns == UINT64_MAX;
    uint64_t before_ns = !last ? 0 : is_paused ? last->from_ns : last->to_ns;
    uint64_t now_ns = time_ns > before_ns ? time_ns : before_ns;
    if (what == UBI__UBIREC_ACTION_STOP && !is_paused)
        return ubi__vec_pause_push(&t->pauses, t->allocator, (ubi__pause){ now_ns, UINT64_MAX });
    if (what == UBI__UBIREC_ACTION_START && !last)
        return ubi__vec_pause_push(&t->pauses, t->allocator, (ubi__pause){ 0, now_ns });
    if (what == UBI__UBIREC_ACTION_START && is_paused)
        last->to_ns = now_ns;
    return UBI_OK;
}

/* More are not compared. */
#define STARTED_COMPARED 64

/* Each process of several names the programs that it started: the same ones are one row. */
static ubi_status add_started(ubi__ubirec_tables *t, const ubi__ubirec_record *r) {
    for (size_t i = 0; i < t->started.n && i < STARTED_COMPARED; i++) {
        ubi__ubirec_started_row *row = &t->started.at[i];
        if (row->name != r->started.name || row->why != r->started.why || row->count > UINT64_MAX - r->started.count)
            continue;
        row->count += r->started.count;
        return UBI_OK;
    }
    return ubi__vec_ubirec_started_push(&t->started, t->allocator,
                                        (ubi__ubirec_started_row){ r->started.name, r->started.why, r->started.count });
}

ubi_status ubi__ubirec_tables_add(ubi__ubirec_tables *t, const ubi__ubirec_record *r) {
    const ubi_allocator *a = t->allocator;
    switch (r->type) {
    case UBI__UBIREC_ABOUT:
        return add_about(t, &r->about);
    case UBI__UBIREC_STRING:
        return add_string(t, r->string);
    case UBI__UBIREC_MODULE:
        return ubi__vec_ubirec_module_push(&t->modules, a, r->module);
    case UBI__UBIREC_NATIVE_FRAME:
    case UBI__UBIREC_RAW_FRAME:
    case UBI__UBIREC_SCRIPT_FRAME:
    case UBI__UBIREC_LABEL_FRAME:
        return ubi__vec_ubirec_frame_push(&t->frames, a, r->frame);
    case UBI__UBIREC_TRACE:
        return ubi__vec_ubirec_trace_push(&t->traces, a, (ubi__ubirec_trace_row){ r->trace.caller, r->trace.frame });
    case UBI__UBIREC_KIND:
        return ubi__vec_ubirec_kind_push(&t->kinds, a, (ubi__ubirec_kind_row){ r->kind.word, r->kind.class_of_kind });
    case UBI__UBIREC_INFO:
        return ubi__vec_ubirec_info_push(&t->infos, a, r->info);
    case UBI__UBIREC_THREAD:
        return ubi__vec_ubirec_thread_push(&t->threads, a,
                                           (ubi__ubirec_thread_row){ .tid = r->thread.tid, .name = r->thread.name });
    case UBI__UBIREC_THREAD_NAME:
        t->threads.at[r->thread_name.thread].name = r->thread_name.name;
        return UBI_OK;
    case UBI__UBIREC_PERIOD:
        return add_period(t, r->bytes);
    case UBI__UBIREC_SYMBOLS:
        return add_symbols(t, r->symbols.frame, r->symbols.at, r->symbols.n);
    case UBI__UBIREC_STARTED:
        return add_started(t, r);
    case UBI__UBIREC_COMPANION:
        return ubi__vec_ubirec_companion_push(&t->companions, a,
                                              (ubi__ubirec_companion_row){ r->companion.suffix, r->companion.name });
    case UBI__UBIREC_USE:
        return add_use(t, &r->use);
    case UBI__UBIREC_ACTION:
        return add_action(t, r->action.what, r->action.time_ns);
    case UBI__UBIREC_COUNTED:
        if (r->counted.counter < UBI__UBIREC_COUNTER_COUNT)
            t->counters[r->counted.counter] = r->counted.value;
        return UBI_OK;
    case UBI__UBIREC_END:
        t->has_end = true;
        t->end = r->end;
        return UBI_OK;
    default:
        return UBI_OK;
    }
}

/* ---- looking up --------------------------------------------------------------------------------------------------- */

const ubi__ubirec_symbol_row *ubi__ubirec_symbols_of(const ubi__ubirec_tables *t, uint32_t frame, uint32_t *n) {
    *n = frame < t->spans.n ? t->spans.at[frame].n : 0;
    return *n ? t->symbols.at + t->spans.at[frame].first : NULL;
}

bool ubi__ubirec_frame_is_script(const ubi__ubirec_tables *t, uint32_t frame) {
    uint32_t n;
    if (t->frames.at[frame].type != UBI__UBIREC_RAW_FRAME)
        return t->frames.at[frame].type == UBI__UBIREC_SCRIPT_FRAME;
    const ubi__ubirec_symbol_row *symbols = ubi__ubirec_symbols_of(t, frame, &n);
    return n > 0 && ubi__ubirec_string_at(t, symbols[0].file).len > 0;
}

uint64_t ubi__ubirec_period_of(const ubi__ubirec_tables *t, uint32_t info) {
    size_t low = 0, high = t->periods.n; /* the last that begins no later than the info is in [low, high) */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (t->periods.at[middle].first_info <= info)
            low = middle;
        else
            high = middle;
    }
    UBI_ASSERT(t->periods.n == 0 || t->periods.at[low].first_info <= info);
    return t->periods.at[low].period_bytes;
}

bool ubi__ubirec_is_exact(const ubi__ubirec_tables *t) {
    if (t->counters[UBI__UBIREC_WITHOUT_FREES] == UBI__UBIREC_ALIVE_ALONE)
        return false;
    for (size_t i = 0; i < t->periods.n; i++)
        if (t->periods.at[i].period_bytes != 1)
            return false;
    return true;
}

/* ---- why a program is not recorded -------------------------------------------------------------------------------- */

static const struct {
    const char *key, *words;
} reasons[UBI__UNRECORDED_COUNT] = {
    [UBI__UNRECORDED_CHOICE] = { "notFollowed", "children were not followed" },
    [UBI__UNRECORDED_STATIC] = { "static", "statically linked, so nothing can be loaded into it" },
    [UBI__UNRECORDED_RIGHTS] = { "rights", "runs with other rights (setuid, setgid or capabilities)" },
    [UBI__UNRECORDED_LIBRARY] = { "otherLibrary", "built for another C library than glibc" },
    [UBI__UNRECORDED_MACHINE] = { "otherMachine", "built for another kind of machine" },
    [UBI__UNRECORDED_ENVIRONMENT] = { "environment",
                                      "started without LD_PRELOAD and UBIHEAP_PRELOAD_SOCKET in its environment" },
    [UBI__UNRECORDED_DESCRIPTORS] = { "descriptors", "had no file descriptor left" },
    [UBI__UNRECORDED_UNREACHED] = { "unreached", "could not reach ubiheap: another root folder, or another user" },
    [UBI__UNRECORDED_MEMORY] = { "memory", "had no room for the memory that it shares with ubiheap" },
    [UBI__UNRECORDED_REFUSED] = { "refused", "ubiheap could not take it in" },
    [UBI__UNRECORDED_ALLOCATOR] = { "ownAllocator",
                                    "has a malloc of its own built in, which is called instead of the recorder's" },
    [UBI__UNRECORDED_REPLACED] = { "replaced", "what the recorded program became, and children were not followed" },
};

const char *ubi__unrecorded_words(ubi__unrecorded why) {
    return (unsigned)why < UBI__UNRECORDED_COUNT ? reasons[why].words : "unknown";
}

const char *ubi__unrecorded_key(ubi__unrecorded why) {
    return (unsigned)why < UBI__UNRECORDED_COUNT ? reasons[why].key : "unknown";
}

ubi_status ubi__ubirec_tables_add_uses(ubi__residence *to, const ubi__ubirec_tables *t) {
    for (size_t i = 0; i < t->uses.n; i++) {
        const ubi__ubirec_use_row *row = &t->uses.at[i];
        const ubi__residence_amount amount = { row->resident_bytes, row->share_bytes, row->swapped_bytes };
        bool is_known = row->kind < UBI__RESIDENCE_KINDS;
        to->is_divided |= row->is_divided != 0;
        UBI_TRY(ubi__residence_add(to, is_known ? (ubi__residence_kind)row->kind : UBI__RESIDENCE_UNKNOWN,
                                   ubi__ubirec_string_at(t, row->name), &amount));
    }
    return UBI_OK;
}

ubi_status ubi__ubirec_tables_residence(ubi__residence *out, const ubi__ubirec_tables *t,
                                        const ubi_allocator *allocator) {
    ubi__residence_init(out, allocator);
    UBI_TRY(ubi__ubirec_tables_add_uses(out, t));
    ubi__residence_sort(out);
    return UBI_OK;
}
