/* SPDX-License-Identifier: MIT
 *
 * event_heaptrack.c: a recording as heaptrack's own interpreter writes it (event_export.h).
 *
 * A line is a letter and numbers in hexadecimal digits. What an event needs is written in front of the first one that does: strings, frames
 * and traces are numbered from 1, allocation infos from 0.
 * Source: KDE/heaptrack, src/interpret/heaptrack_interpret.cpp and src/analyze/accumulatedtracedata.cpp.
 */
#include <inttypes.h>

#include "base/text.h"
#include "recording/recording_place.h"
#include "render/event_export.h"

#define HEAPTRACK_VERSION 0x10400u
#define HEAPTRACK_FORMAT 3u
#define NAME_BYTES 8192
#define NS_PER_MS UINT64_C(1000000)
#define NOT_YET UINT32_MAX

typedef struct heaptrack_state {
    const ubi__event_export *what;
    const ubi__ubirec_tables *tables;
    ubi__strtab strings;
    uint32_t *frames, *traces, *infos; /* by number in the tables: their number there; NOT_YET */
    uint32_t n_frames, n_traces, n_infos;
    ubi__vec_u32 callers; /* of the trace at hand */
    uint64_t time_ms;
} heaptrack_state;

/* ---- lines ------------------------------------------------------------------------------------------------------------ */

/* The reader trusts the length, which is that of what is written. */
static void string_line(const heaptrack_state *s, ubi_text text) {
    char bytes[UBI__LINE_CHAR_BYTES];
    size_t n_bytes = 0;
    for (size_t at = 0; at < text.len;)
        n_bytes += ubi__line_char(bytes, text, &at);
    ubi__out_printf(s->what->out, "s %zx ", n_bytes);
    for (size_t at = 0; at < text.len;)
        ubi__out_bytes(s->what->out, bytes, ubi__line_char(bytes, text, &at));
    ubi__out_char(s->what->out, '\n');
}

/* 0 for no text at all. */
static ubi_status string_number(heaptrack_state *s, uint32_t *out, ubi_text text) {
    uint32_t n = ubi__strtab_count(&s->strings);
    ubi_str_ix ix;
    *out = 0;
    if (text.len == 0)
        return UBI_OK;
    UBI_TRY(ubi__strtab_intern(&s->strings, &ix, text));
    if (ix == n)
        string_line(s, text);
    *out = ix + 1;
    return UBI_OK;
}

typedef struct place_numbers {
    uint32_t function, file, line;
} place_numbers;

static ubi_status place_number(heaptrack_state *s, place_numbers *out, const ubi__recording_place *place) {
    char name[NAME_BYTES];
    ubi__recording_place_name(name, sizeof name, place);
    UBI_TRY(string_number(s, &out->function, ubi__text(name)));
    UBI_TRY(string_number(s, &out->file, place->file));
    out->line = place->line;
    return UBI_OK;
}

static uint64_t frame_address(const heaptrack_state *s, const ubi__ubirec_frame *f) {
    if (f->type == UBI__UBIREC_NATIVE_FRAME)
        return s->tables->modules.at[f->of].bias + f->address - 1;
    return f->type == UBI__UBIREC_RAW_FRAME ? f->address - 1 : 1;
}

/* Functions that were inlined follow the innermost one. Their strings come first. */
static ubi_status frame_line(heaptrack_state *s, uint32_t frame) {
    const ubi__ubirec_frame *f = &s->tables->frames.at[frame];
    place_numbers numbers[UBI__UBIREC_SYMBOLS_MAX];
    ubi__recording_place place;
    uint32_t module = 0, n;
    ubi__ubirec_symbols_of(s->tables, frame, &n);
    n = n ? n : 1;
    for (uint32_t i = 0; i < n; i++) {
        ubi__recording_frame_place(&place, s->tables, frame, i);
        UBI_TRY(place_number(s, &numbers[i], &place));
    }
    if (f->type == UBI__UBIREC_NATIVE_FRAME)
        UBI_TRY(string_number(s, &module, place.module));
    ubi__out_printf(s->what->out, "i %" PRIx64 " %" PRIx32, frame_address(s, f), module);
    for (uint32_t i = 0; i < n; i++)
        ubi__out_printf(s->what->out, " %" PRIx32 " %" PRIx32 " %" PRIx32, numbers[i].function, numbers[i].file,
                        numbers[i].line);
    ubi__out_char(s->what->out, '\n');
    s->frames[frame] = ++s->n_frames;
    return UBI_OK;
}

static ubi_status trace_line(heaptrack_state *s, uint32_t trace) {
    const ubi__ubirec_trace_row *row = &s->tables->traces.at[trace];
    if (s->frames[row->frame] == NOT_YET)
        UBI_TRY(frame_line(s, row->frame));
    ubi__out_printf(s->what->out, "t %" PRIx32 " %" PRIx32 "\n", s->frames[row->frame], s->traces[row->caller]);
    s->traces[trace] = ++s->n_traces;
    return UBI_OK;
}

/* Callers that are not there yet come first. */
static ubi_status trace_lines(heaptrack_state *s, uint32_t trace) {
    s->callers.n = 0;
    for (; s->traces[trace] == NOT_YET; trace = s->tables->traces.at[trace].caller)
        UBI_TRY(ubi__vec_u32_push(&s->callers, s->what->allocator, trace));
    while (s->callers.n > 0)
        UBI_TRY(trace_line(s, s->callers.at[--s->callers.n]));
    return UBI_OK;
}

static ubi_status info_line(heaptrack_state *s, uint32_t info) {
    const ubi__ubirec_info_row *row = &s->tables->infos.at[info];
    UBI_TRY(trace_lines(s, row->trace));
    ubi__out_printf(s->what->out, "a %" PRIx64 " %" PRIx32 "\n", row->weight_bytes, s->traces[row->trace]);
    s->infos[info] = s->n_infos++;
    return UBI_OK;
}

static void time_line(heaptrack_state *s, uint64_t time_ns) {
    uint64_t time_ms = time_ns / NS_PER_MS;
    if (time_ms > s->time_ms)
        ubi__out_printf(s->what->out, "c %" PRIx64 "\n", s->time_ms = time_ms);
}

/* ---- the file --------------------------------------------------------------------------------------------------------- */

static void command_line(const heaptrack_state *s) {
    const ubi__ubirec_about *about = &s->tables->about;
    ubi_text arguments = about->arguments.len ? about->arguments : about->program;
    char bytes[UBI__LINE_CHAR_BYTES];
    ubi__out_string(s->what->out, "X ");
    for (size_t at = 0; at < arguments.len;)
        if (arguments.ptr[at] == '\0') {
            if (++at < arguments.len)
                ubi__out_char(s->what->out, ' ');
        } else {
            ubi__out_bytes(s->what->out, bytes, ubi__line_char(bytes, arguments, &at));
        }
    ubi__out_char(s->what->out, '\n');
}

static ubi_status numbers_make(uint32_t **out, const ubi_allocator *a, size_t n) {
    *out = ubi__alloc_array(a, n ? n : 1, sizeof **out);
    if (!*out)
        return ubi__fail_nomem();
    memset(*out, 0xff, (n ? n : 1) * sizeof **out);
    return UBI_OK;
}

static ubi_status heaptrack_begin(void *of, const ubi__event_export *what) {
    heaptrack_state *s = of;
    s->what = what;
    s->tables = ubi__stack_tables(what->choice);
    ubi__strtab_init(&s->strings, what->allocator);
    UBI_TRY(numbers_make(&s->frames, what->allocator, s->tables->frames.n));
    UBI_TRY(numbers_make(&s->traces, what->allocator, s->tables->traces.n));
    UBI_TRY(numbers_make(&s->infos, what->allocator, s->tables->infos.n));
    s->traces[UBI__UBIREC_NO_TRACE] = 0;
    ubi__out_printf(what->out, "v %x %x\n", HEAPTRACK_VERSION, HEAPTRACK_FORMAT);
    command_line(s);
    uint64_t page_bytes = s->tables->about.page_bytes;
    ubi__out_printf(what->out, "I %" PRIx64 " %x\n", page_bytes ? page_bytes : 4096, 0u);
    return UBI_OK;
}

static ubi_status heaptrack_event(void *of, const ubi__stream_event *event) {
    heaptrack_state *s = of;
    if (!ubi__stack_has_info(s->what->choice, event->info))
        return UBI_OK;
    time_line(s, event->time_ns);
    if (s->infos[event->info] == NOT_YET)
        UBI_TRY(info_line(s, event->info));
    ubi__out_printf(s->what->out, "%c %" PRIx32 "\n", event->is_free ? '-' : '+', s->infos[event->info]);
    return UBI_OK;
}

static ubi_status heaptrack_resident(void *of, uint64_t time_ns, uint64_t bytes) {
    heaptrack_state *s = of;
    uint64_t page_bytes = s->tables->about.page_bytes;
    time_line(s, time_ns);
    ubi__out_printf(s->what->out, "R %" PRIx64 "\n", bytes / (page_bytes ? page_bytes : 4096));
    return UBI_OK;
}

static ubi_status heaptrack_end(void *of) {
    heaptrack_state *s = of;
    time_line(s, s->what->choice->sites->summary->time_ns);
    return UBI_OK;
}

static void heaptrack_release(void *of) {
    heaptrack_state *s = of;
    const ubi_allocator *a = s->what->allocator;
    ubi__free_array(a, s->frames, s->tables->frames.n ? s->tables->frames.n : 1, sizeof *s->frames);
    ubi__free_array(a, s->traces, s->tables->traces.n ? s->tables->traces.n : 1, sizeof *s->traces);
    ubi__free_array(a, s->infos, s->tables->infos.n ? s->tables->infos.n : 1, sizeof *s->infos);
    ubi__vec_u32_fini(&s->callers, a);
    ubi__strtab_fini(&s->strings);
}

const ubi__event_format ubi__event_format_heaptrack = {
    .state_bytes = sizeof(heaptrack_state),
    .begin = heaptrack_begin,
    .event = heaptrack_event,
    .resident = heaptrack_resident,
    .end = heaptrack_end,
    .release = heaptrack_release,
};
