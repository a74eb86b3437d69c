/* SPDX-License-Identifier: MIT
 *
 * native_sink.c: what the collector reports becomes records of the file: modules, stacks, threads, events and markers.
 *
 * Numbers of modules, traces and threads are those of the file, so nothing is translated. Allocations have the same numbers
 * on both sides because every one that is reported is written.
 */
#include "targets/native/native_session.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/assert.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "recording/byte_sampler.h"
#include "targets/native/native_live.h"

static const struct kind {
    const char *word;
    ubi__ubirec_class of;
} kinds[UBI__ALLOC_KINDS] = {
    [UBI__ALLOC_MALLOC] = { "malloc", UBI__UBIREC_HEAP },
    [UBI__ALLOC_CALLOC] = { "calloc", UBI__UBIREC_HEAP },
    [UBI__ALLOC_REALLOC] = { "realloc", UBI__UBIREC_HEAP },
    [UBI__ALLOC_REALLOCARRAY] = { "reallocarray", UBI__UBIREC_HEAP },
    [UBI__ALLOC_POSIX_MEMALIGN] = { "posix_memalign", UBI__UBIREC_HEAP },
    [UBI__ALLOC_ALIGNED_ALLOC] = { "aligned_alloc", UBI__UBIREC_HEAP },
    [UBI__ALLOC_MEMALIGN] = { "memalign", UBI__UBIREC_HEAP },
    [UBI__ALLOC_VALLOC] = { "valloc", UBI__UBIREC_HEAP },
    [UBI__ALLOC_PVALLOC] = { "pvalloc", UBI__UBIREC_HEAP },
    [UBI__ALLOC_NEW] = { "operator new", UBI__UBIREC_HEAP },
    [UBI__ALLOC_NEW_ARRAY] = { "operator new[]", UBI__UBIREC_HEAP },
    [UBI__ALLOC_SCRIPT] = { UBI__UBIREC_SCRIPT_KIND, UBI__UBIREC_HEAP },
    [UBI__ALLOC_SCRIPT_REALLOC] = { UBI__UBIREC_SCRIPT_KIND, UBI__UBIREC_HEAP },
    [UBI__ALLOC_MMAP] = { "mmap", UBI__UBIREC_MAPPING },
    [UBI__ALLOC_MREMAP] = { "mremap", UBI__UBIREC_MAPPING },
    [UBI__ALLOC_BRK] = { "brk", UBI__UBIREC_MAPPING },
};

/* Of a module's name, where a stack ends. */
#define NAME_MAX_SHOWN 60
static_assert((int)UBI__MARKER_TYPE_MASK + 1 == (int)UBI__UBIREC_MARKER_TYPE_COUNT, "types of markers are the file's");
static_assert(UBI__WIRE_BUILD_ID_BYTES <= UBI__UBIREC_BUILD_ID_MAX, "build-ids have room in the file");
static_assert(UBI__WIRE_MARKER_NAME_BYTES <= UBI__UBIREC_TEXT_MAX, "names of markers are not cut");

/* ---- modules, stacks, threads ------------------------------------------------------------------------------------- */

/* The module of the same file that came first: itself, unless a library was closed and loaded again. Without a build-id
   it is unknown whether a file is the same. */
static uint32_t first_of(const ubi__native_session *s, const ubi__native_module *module) {
    for (uint32_t i = 0; i < s->modules.n && module->build_id_bytes; i++) {
        const ubi__native_module *m = &s->modules.at[i];
        if (m->build_id_bytes == module->build_id_bytes && m->path_bytes == module->path_bytes &&
            memcmp(m->build_id, module->build_id, m->build_id_bytes) == 0 &&
            memcmp(m->path, module->path, m->path_bytes) == 0)
            return i;
    }
    return (uint32_t)s->modules.n;
}

/* For those who look meanwhile. */
static void show_module(const ubi__native_session *s, const ubi__native_module *module) {
    ubi__live_module m = { .path = module->path, .path_bytes = module->path_bytes };
    if (!s->live)
        return;
    m.build_id_bytes = module->build_id_bytes;
    memcpy(m.build_id, module->build_id, module->build_id_bytes);
    ubi__native_live_module(s->live, s->seen, &m);
}

/* For its symbols, which are looked up later. */
static ubi_status keep_module(ubi__native_session *s, const ubi__ubirec_module_about *about) {
    ubi__native_module kept = { .bias = about->bias, .symbols = UBI_NONE, .path_bytes = about->path.len };
    kept.path = ubi__alloc_array(s->allocator, kept.path_bytes + 1, 1);
    if (!kept.path)
        return ubi__fail_nomem();
    memcpy(kept.path, about->path.ptr, kept.path_bytes);
    kept.path[kept.path_bytes] = '\0';
    if (about->build_id_bytes <= sizeof kept.build_id) {
        kept.build_id_bytes = (uint32_t)about->build_id_bytes;
        memcpy(kept.build_id, about->build_id, about->build_id_bytes);
    }
    kept.first = first_of(s, &kept);
    UBI_ASSERT(kept.first == s->modules.n || s->modules.at[kept.first].first == kept.first);
    kept.is_recorder = ubi__text_is(ubi__text_base_name(about->path), UBI__WIRE_LIBRARY);
    ubi_status status = ubi__vec_native_module_push(&s->modules, s->allocator, kept);
    if (status == UBI_OK)
        show_module(s, &kept);
    else
        ubi__free_array(s->allocator, kept.path, kept.path_bytes + 1, 1);
    return status;
}

static ubi_status take_module(void *payload, uint32_t *out, const ubi__preload_module *module) {
    ubi__native_session *s = payload;
    ubi_text program = { s->program, s->program_bytes };
    ubi__ubirec_module_about about = { .path = module->path.len ? module->path : program,
                                       .build_id = module->build_id,
                                       .build_id_bytes = module->build_id_bytes,
                                       .bias = module->bias,
                                       .start = module->low,
                                       .end = module->high };
    UBI_TRY(ubi__ubirec_module(s->writer, out, &about));
    UBI_ASSERT(*out <= s->modules.n);
    return *out < s->modules.n ? UBI_OK : keep_module(s, &about);
}

/* Frames of files have increasing numbers, of which those with a module are kept for their symbols. */
static ubi_status native_frame(ubi__native_session *s, uint32_t *out, uint32_t module, uint64_t address) {
    uint64_t offset = address - s->modules.at[UBI_INDEX(module, s->modules.n)].bias;
    uint32_t first = s->modules.at[module].first;
    UBI_TRY(ubi__ubirec_native_frame(s->writer, out, first, offset));
    if (s->frames.n && *out <= s->frames.at[s->frames.n - 1].frame)
        return UBI_OK;
    if (s->live)
        ubi__native_live_note(s->live, ubi__live_sums_frame(&s->seen->sums, *out, first, offset));
    return ubi__vec_native_frame_push(&s->frames, s->allocator, (ubi__native_frame){ *out, first, offset });
}

/* Kept for its name, with how much of the program's map was there when it was seen first. */
static ubi_status raw_frame(ubi__native_session *s, uint32_t *out, uint64_t address) {
    struct stat about;
    UBI_TRY(ubi__ubirec_raw_frame(s->writer, out, address));
    if (s->raw.n && *out <= s->raw.at[s->raw.n - 1].payload)
        return UBI_OK;
    uint64_t map_bytes = stat(s->map_path, &about) == 0 ? (uint64_t)about.st_size : 0;
    return ubi__vec_perf_address_push(
        &s->raw, s->allocator, (ubi__perf_address){ .address = address, .map_bytes = map_bytes, .payload = *out });
}

static ubi_status failed_frame(ubi__native_session *s, uint32_t *out, uint32_t module, uint64_t address) {
    char text[128];
    if (module == UBI__PRELOAD_NO_MODULE) {
        snprintf(text, sizeof text, "(unwind failed at 0x%llx)", (unsigned long long)address);
    } else {
        const ubi__native_module *m = &s->modules.at[module];
        const char *slash = memrchr(m->path, '/', m->path_bytes), *name = slash ? slash + 1 : m->path;
        size_t n = m->path_bytes - (size_t)(name - m->path);
        snprintf(text, sizeof text, "(unwind failed at %.*s+0x%llx)", (int)(n < NAME_MAX_SHOWN ? n : NAME_MAX_SHOWN),
                 name, (unsigned long long)(address - m->bias));
    }
    return ubi__ubirec_label_frame(s->writer, out, ubi__text(text));
}

/* Whether a stack ends at the limit. */
static bool is_cut(const ubi__native_session *s, uint32_t trace) {
    return trace < s->cut.n && s->cut.at[trace];
}

static ubi_status note_cut(ubi__native_session *s, uint32_t trace) {
    while (s->cut.n <= trace)
        UBI_TRY(ubi__vec_u8_push(&s->cut, s->allocator, 0));
    s->cut.at[trace] = true;
    return UBI_OK;
}

static ubi_status take_trace(void *payload, uint32_t *out, ubi__trace_kind kind, uint32_t caller, uint32_t module,
                             uint64_t address) {
    ubi__native_session *s = payload;
    uint32_t frame;
    if (kind == UBI__TRACE_TRUNCATED)
        UBI_TRY(ubi__ubirec_label_frame(s->writer, &frame, ubi__text("(truncated)")));
    else if (kind == UBI__TRACE_FAILED)
        UBI_TRY(failed_frame(s, &frame, module, address));
    else if (module == UBI__PRELOAD_NO_MODULE)
        UBI_TRY(raw_frame(s, &frame, address));
    else if (s->modules.at[module].is_recorder) { /* a signal came while the program called us */
        *out = caller;
        return UBI_OK;
    } else
        UBI_TRY(native_frame(s, &frame, module, address));
    UBI_TRY(ubi__ubirec_trace(s->writer, out, caller, frame));
    if (s->live)
        ubi__native_live_note(s->live, ubi__live_sums_trace(&s->seen->sums, *out, caller, frame));
    return kind == UBI__TRACE_TRUNCATED || is_cut(s, caller) ? note_cut(s, *out) : UBI_OK;
}

static ubi_status take_script(void *payload, uint32_t *out, uint32_t caller, const ubi__preload_script *frame) {
    ubi__native_session *s = payload;
    uint32_t number;
    UBI_TRY(ubi__ubirec_script_frame(s->writer, &number, frame->function, frame->file, frame->line, frame->column));
    UBI_TRY(ubi__ubirec_trace(s->writer, out, caller, number));
    return is_cut(s, caller) ? note_cut(s, *out) : UBI_OK;
}

#define SYSTEM_NAME_BYTES 15 /* of a thread; the system cuts longer ones */

/* What the system calls the first thread of a program. */
static void name_as_the_program(char out[UBI__THREAD_NAME_BYTES], const ubi__native_session *s) {
    size_t from = s->program_bytes;
    while (from > 0 && s->program[from - 1] != '/')
        from--;
    size_t n = s->program_bytes - from;
    n = n < SYSTEM_NAME_BYTES ? n : SYSTEM_NAME_BYTES;
    memcpy(out, s->program + from, n);
    out[n] = '\0';
}

static ubi_status take_thread(void *payload, uint32_t *out, uint64_t tid) {
    ubi__native_session *s = payload;
    ubi__native_thread thread = { .tid = (pid_t)tid };
    if (!ubi__proc_thread_name(thread.name, s->pid, thread.tid) && thread.tid == s->pid)
        name_as_the_program(thread.name, s); /* it ended before we could ask */
    UBI_TRY(ubi__ubirec_thread(s->writer, out, tid, ubi__text(thread.name)));
    UBI_ASSERT(*out == s->threads.n);
    return ubi__vec_native_thread_push(&s->threads, s->allocator, thread);
}

/* ---- events ------------------------------------------------------------------------------------------------------- */

static __attribute__((noinline)) ubi_status at_new_time_or_thread(ubi__native_session *s, uint64_t clock_us,
                                                                  uint32_t thread) {
    UBI_TRY(ubi__native_write_event_time(s, clock_us));
    UBI_TRY(ubi__ubirec_write_thread(s->writer, thread));
    s->event_clock_us = clock_us;
    s->event_thread = thread;
    return UBI_OK;
}

/* Most events are at the time of the one before, and by the same thread. */
static inline ubi_status at_time_and_thread(ubi__native_session *s, uint64_t clock_us, uint32_t thread) {
    bool is_same = clock_us == s->event_clock_us && thread == s->event_thread;
    return ubi__likely(is_same) ? UBI_OK : at_new_time_or_thread(s, clock_us, thread);
}

static ubi_status kind_of(ubi__native_session *s, uint32_t *out, ubi__alloc_kind kind) {
    UBI_ASSERT(kind < UBI__ALLOC_KINDS);
    if (s->kinds[kind] == UBI_NONE)
        UBI_TRY(ubi__ubirec_kind(s->writer, &s->kinds[kind], ubi__text(kinds[kind].word), kinds[kind].of));
    *out = s->kinds[kind];
    return UBI_OK;
}

/* A kind of its own for each class: "JavaScript Array". */
static ubi_status class_kind_of(ubi__native_session *s, uint32_t *out, uint32_t script_class) {
    ubi__native_script_class *c = &s->script_classes.at[UBI_INDEX(script_class - 1, s->script_classes.n)];
    if (c->kind == UBI_NONE) {
        char word[sizeof UBI__UBIREC_SCRIPT_KIND " " + UBI__WIRE_CLASS_BYTES];
        int n = snprintf(word, sizeof word, UBI__UBIREC_SCRIPT_KIND " %.*s", (int)c->name_bytes, c->name);
        UBI_TRY(ubi__ubirec_kind(s->writer, &c->kind, (ubi_text){ word, (size_t)n }, kinds[UBI__ALLOC_SCRIPT].of));
    }
    *out = c->kind;
    return UBI_OK;
}

/* As many as there are numbers; the rest are not distinguished. */
static ubi_status take_script_class(void *payload, uint32_t *out, ubi_text name) {
    ubi__native_session *s = payload;
    ubi__native_script_class made = { .kind = UBI_NONE, .name_bytes = (uint32_t)name.len };
    UBI_ASSERT(name.len <= sizeof made.name);
    for (size_t i = 0; i < s->script_classes.n; i++)
        if (ubi__text_equal(name, (ubi_text){ s->script_classes.at[i].name, s->script_classes.at[i].name_bytes })) {
            *out = (uint32_t)i + 1;
            return UBI_OK;
        }
    *out = 0;
    if (s->script_classes.n == UBI__WIRE_CLASSES - 1)
        return UBI_OK;
    memcpy(made.name, name.ptr, name.len);
    UBI_TRY(ubi__vec_script_class_push(&s->script_classes, s->allocator, made));
    *out = (uint32_t)s->script_classes.n;
    return UBI_OK;
}

static uint64_t time_of(const ubi__native_session *s, uint64_t clock_us) {
    return clock_us < s->now_us ? clock_us : s->now_us;
}

/* Of the heap alone: mappings are no part of its sums. */
static void show_alloc(const ubi__native_session *s, const ubi__preload_alloc *e, uint64_t weight) {
    if (s->live && kinds[e->kind].of == UBI__UBIREC_HEAP)
        ubi__native_live_note(s->live, ubi__live_sums_alloc(&s->seen->sums, e->number, e->trace, e->size_bytes, weight,
                                                            time_of(s, e->clock_us)));
}

static void expect_alloc(void *payload, ubi__alloc_kind kind, uint32_t script_class, uint64_t size_bytes,
                         uint32_t trace) {
    const ubi__native_session *s = payload;
    uint32_t number = script_class ? s->script_classes.at[script_class - 1].kind : s->kinds[kind];
    ubi__ubirec_info_prefetch(s->writer, number, size_bytes, trace);
}

static ubi_status take_alloc(void *payload, const ubi__preload_alloc *e) {
    ubi__native_session *s = payload;
    uint32_t kind;
    uint64_t number;
    /* Mappings are all recorded, also when the heap is sampled: met by no sample, they stand for themselves. */
    uint64_t weight =
        e->met ? ubi__sample_weight_bytes(e->size_bytes, s->area.settings.period_bytes, e->met) : e->size_bytes;
    s->allocated_bytes += kinds[e->kind].of == UBI__UBIREC_HEAP ? weight : 0;
    UBI_TRY(at_time_and_thread(s, e->clock_us, e->thread));
    show_alloc(s, e, weight);
    s->n_cut_stacks += is_cut(s, e->trace);
    UBI_TRY(e->script_class ? class_kind_of(s, &kind, e->script_class) : kind_of(s, &kind, e->kind));
    UBI_TRY(ubi__ubirec_write_alloc_of(s->writer, &number, kind, e->size_bytes, e->trace, weight));
    if (number != e->number)
        return ubi__fail(UBI_EFORMAT, "the recorder lost count: allocation %llu is number %llu of the file",
                         (unsigned long long)e->number, (unsigned long long)number);
    return UBI_OK;
}

static ubi_status take_free(void *payload, const ubi__preload_free *e) {
    ubi__native_session *s = payload;
    UBI_TRY(at_time_and_thread(s, e->clock_us, e->thread));
    if (s->live)
        ubi__live_sums_free(&s->seen->sums, e->number, time_of(s, e->clock_us));
    return ubi__ubirec_write_free(s->writer, e->number);
}

/* The mapping is freed, which is undone at once, with another size. */
static ubi_status take_cut(void *payload, const ubi__preload_cut *e) {
    ubi__native_session *s = payload;
    uint32_t kind, info;
    UBI_TRY(at_time_and_thread(s, e->clock_us, e->thread));
    UBI_TRY(kind_of(s, &kind, e->kind));
    UBI_TRY(ubi__ubirec_info(s->writer, &info, kind, e->size_bytes, e->trace, e->size_bytes));
    UBI_TRY(ubi__ubirec_write_free(s->writer, e->number));
    return ubi__ubirec_write_free_undone(s->writer, e->number, info);
}

/* ---- markers ----------------------------------------------------------------------------------------------------- */

/* A writer of JSON whose payload is a session. */
static bool keep_details(void *payload, const void *data, size_t n) {
    ubi__native_session *s = payload;
    if (ubi__vec_u8_reserve(&s->details, s->allocator, n) != UBI_OK)
        return false;
    memcpy(s->details.at + s->details.n, data, n);
    s->details.n += n;
    return true;
}

static void put_detail(ubi__json *j, const ubi__preload_detail *detail) {
    ubi__json_key_text(j, detail->name);
    if (detail->type == UBI__DETAIL_TEXT)
        ubi__json_text(j, detail->text);
    else if (detail->type == UBI__DETAIL_NUMBER)
        ubi__json_double(j, detail->number);
    else
        ubi__json_bool(j, detail->is_true);
}

/* @param out  an object; empty for no details. Until the next marker. */
static ubi_status details_of(ubi__native_session *s, ubi_text *out, const ubi__preload_marker *e) {
    ubi__json j;
    ubi__preload_detail detail;
    const uint8_t *at = e->details, *end = at + e->details_bytes;
    *out = ubi__text("");
    if (at == end)
        return UBI_OK;
    s->details.n = 0;
    ubi__json_init(&j, keep_details, s, false);
    ubi__json_object_begin(&j);
    while (ubi__preload_detail_next(&at, end, &detail))
        put_detail(&j, &detail);
    ubi__json_object_end(&j);
    if (ubi__json_flush(&j) != UBI_OK)
        return ubi__fail_nomem();
    *out = (ubi_text){ (const char *)s->details.at, s->details.n };
    return UBI_OK;
}

static ubi_status take_marker(void *payload, const ubi__preload_marker *e) {
    ubi__native_session *s = payload;
    ubi__ubirec_marker marker = {
        .name = e->name,
        .time_ns = e->time_ns > s->began_ns ? e->time_ns - s->began_ns : 0,
        .type = (ubi__ubirec_marker_type)(e->flags & UBI__MARKER_TYPE_MASK),
        .is_off_main_thread = e->flags & UBI__MARKER_OFF_MAIN_THREAD,
        .thread = e->thread,
        .trace = e->trace,
    };
    UBI_TRY(details_of(s, &marker.details, e));
    UBI_TRY(ubi__native_write_event_time(s, e->clock_us));
    s->n_markers += ubi__ubirec_marker_counts(marker.type);
    return ubi__ubirec_write_marker(s->writer, &marker);
}

/* ---- start, stop, reset ------------------------------------------------------------------------------------------- */

static ubi_status take_action(void *payload, const ubi__preload_action *e) {
    ubi__native_session *s = payload;
    return ubi__native_window_note(s, e->action, s->start_ns + e->clock_us * 1000);
}

/* ---- the sink ----------------------------------------------------------------------------------------------------- */

ubi__preload_sink ubi__native_sink(ubi__native_session *s) {
    return (ubi__preload_sink){ .payload = s,
                                .module = take_module,
                                .trace = take_trace,
                                .script = take_script,
                                .script_class = take_script_class,
                                .thread = take_thread,
                                .expect = expect_alloc,
                                .alloc = take_alloc,
                                .free = take_free,
                                .cut = take_cut,
                                .marker = take_marker,
                                .action = take_action };
}
