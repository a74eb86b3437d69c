/* SPDX-License-Identifier: MIT
 *
 * ubirec_tables.c: see ubirec_tables.h.
 */
#include "recording/ubirec_tables.h"

#include <string.h>

#include "base/assert.h"
#include "recording/ubirec_numbers.h"
#include "recording/unrecorded_words.h"

static __attribute__((unused)) bool frame_is_sound(const ubi__ubirec_tables *t, const ubi__ubirec_frame *f) {
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
        UBI_ASSERT(frame_is_sound(t, &t->frames.at[i]));
    for (size_t i = 1; i < t->traces.n; i++)
        UBI_ASSERT(t->traces.at[i].caller < i && t->traces.at[i].frame < t->frames.n);
    for (size_t i = 0; i < t->kinds.n; i++)
        UBI_ASSERT(t->kinds.at[i].word < n_strings && t->kinds.at[i].class_of_kind < UBI__UBIREC_CLASS_COUNT);
    for (size_t i = 0; i < t->infos.n; i++)
        UBI_ASSERT(t->infos.at[i].kind < t->kinds.n && t->infos.at[i].trace < t->traces.n);
    for (size_t i = 0; i < t->threads.n; i++)
        UBI_ASSERT(t->threads.at[i].name < n_strings);
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

void ubi__ubirec_tables_fini(ubi__ubirec_tables *t) {
    ubi__vec_u8_fini(&t->about_text, t->allocator);
    ubi__strtab_fini(&t->strings);
    ubi__vec_ubirec_started_fini(&t->started, t->allocator);
    ubi__vec_ubirec_companion_fini(&t->companions, t->allocator);
    ubi__vec_ubirec_module_fini(&t->modules, t->allocator);
    ubi__vec_ubirec_frame_fini(&t->frames, t->allocator);
    ubi__vec_ubirec_trace_fini(&t->traces, t->allocator);
    ubi__vec_ubirec_kind_fini(&t->kinds, t->allocator);
    ubi__vec_ubirec_info_fini(&t->infos, t->allocator);
    ubi__vec_ubirec_thread_fini(&t->threads, t->allocator);
    ubi__vec_ubirec_period_fini(&t->periods, t->allocator);
    ubi__vec_ubirec_symbol_fini(&t->symbols, t->allocator);
    ubi__vec_ubirec_symbol_span_fini(&t->spans, t->allocator);
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
    UBI_TRY(ubi__vec_ubirec_period_push(&t->periods, t->allocator, (ubi__ubirec_period_row){ 0, about->period_bytes }));
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
    ubi__ubirec_period_row row = { (uint32_t)t->infos.n, period_bytes };
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
        return ubi__vec_ubirec_thread_push(&t->threads, a, (ubi__ubirec_thread_row){ r->thread.tid, r->thread.name });
    case UBI__UBIREC_THREAD_NAME:
        t->threads.at[r->thread_name.thread].name = r->thread_name.name;
        return UBI_OK;
    case UBI__UBIREC_PERIOD:
        return add_period(t, r->bytes);
    case UBI__UBIREC_SYMBOLS:
        return add_symbols(t, r->symbols.frame, r->symbols.at, r->symbols.n);
    case UBI__UBIREC_STARTED:
        return ubi__vec_ubirec_started_push(
            &t->started, a, (ubi__ubirec_started_row){ r->started.name, r->started.count, r->started.why });
    case UBI__UBIREC_COMPANION:
        return ubi__vec_ubirec_companion_push(&t->companions, a,
                                              (ubi__ubirec_companion_row){ r->companion.suffix, r->companion.name });
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
    for (size_t i = 0; i < t->periods.n; i++)
        if (t->periods.at[i].period_bytes != 1)
            return false;
    return true;
}

/* ---- given to a writer -------------------------------------------------------------------------------------------- */

void ubi__ubirec_numbers_check(const ubi__ubirec_numbers *n) {
    const ubi__ubirec_tables *t = &n->tables;
    ubi__ubirec_tables_check(t);
    UBI_ASSERT(n->modules.n == t->modules.n && n->frames.n == t->frames.n && n->traces.n == t->traces.n);
    UBI_ASSERT(n->kinds.n == t->kinds.n && n->infos.n == t->infos.n && n->threads.n == t->threads.n);
    UBI_ASSERT(n->traces.at[UBI__UBIREC_NO_TRACE] == UBI__UBIREC_NO_TRACE);
    UBI_ASSERT(n->map || (ubi__strtab_count(&n->mapped) == 0 && n->next_module_address == 0));
    if (UBI_CHECKS && n->map)
        for (int what = 0; what < UBI__UBIREC_TEXT_COUNT; what++)
            for (size_t i = 0; i < n->mapped_of[what].n; i++)
                UBI_ASSERT(n->mapped_of[what].at[i] == UBI_NONE ||
                           n->mapped_of[what].at[i] < ubi__strtab_count(&n->mapped));
}

ubi_status ubi__ubirec_numbers_init(ubi__ubirec_numbers *n, ubi__ubirec_writer *writer, ubi__ubirec_map_fn *map,
                                    void *map_payload, const ubi_allocator *allocator) {
    *n = (ubi__ubirec_numbers){ .allocator = allocator, .writer = writer, .map = map, .map_payload = map_payload };
    UBI_TRY(ubi__ubirec_tables_init(&n->tables, allocator));
    ubi__strtab_init(&n->mapped, allocator);
    ubi__tuple_table_init(&n->raw_addresses, 1, "addresses", allocator);
    ubi_status status = ubi__vec_u32_push(&n->traces, allocator, UBI__UBIREC_NO_TRACE);
    if (status != UBI_OK)
        ubi__ubirec_numbers_fini(n);
    return status;
}

void ubi__ubirec_numbers_fini(ubi__ubirec_numbers *n) {
    const ubi_allocator *a = n->allocator;
    ubi__ubirec_tables_fini(&n->tables);
    ubi__vec_u32_fini(&n->modules, a);
    ubi__vec_u32_fini(&n->frames, a);
    ubi__vec_u32_fini(&n->traces, a);
    ubi__vec_u32_fini(&n->kinds, a);
    ubi__vec_u32_fini(&n->infos, a);
    ubi__vec_u32_fini(&n->threads, a);
    ubi__strtab_fini(&n->mapped);
    for (int i = 0; i < UBI__UBIREC_TEXT_COUNT; i++)
        ubi__vec_u32_fini(&n->mapped_of[i], a);
    ubi__tuple_table_fini(&n->raw_addresses);
}

/* ---- texts -------------------------------------------------------------------------------------------------------- */

/* Number of the text that is written: a string of the input, or an entry of `mapped`. */
static ubi_status number_text(ubi__ubirec_numbers *n, uint32_t *out, ubi__ubirec_text what, ubi_str_ix string) {
    ubi__vec_u32 *entries = &n->mapped_of[what];
    ubi_text text = { NULL, 0 };
    *out = string;
    if (!n->map)
        return UBI_OK;
    while (entries->n <= string)
        UBI_TRY(ubi__vec_u32_push(entries, n->allocator, UBI_NONE));
    if (entries->at[string] == UBI_NONE) {
        UBI_TRY(n->map(n->map_payload, what, ubi__ubirec_string_at(&n->tables, string), &text));
        UBI_TRY(ubi__strtab_append(&n->mapped, &entries->at[string], text));
    }
    *out = entries->at[string];
    return UBI_OK;
}

/* Borrowed until a text is numbered or a record comes. */
static ubi_text text_at(const ubi__ubirec_numbers *n, uint32_t number) {
    return n->map ? ubi__strtab_get(&n->mapped, number) : ubi__ubirec_string_at(&n->tables, number);
}

ubi_status ubi__ubirec_numbers_text(ubi__ubirec_numbers *n, ubi_text *out, ubi__ubirec_text what, ubi_str_ix string) {
    uint32_t number;
    UBI_TRY(number_text(n, &number, what, string));
    *out = text_at(n, number);
    return UBI_OK;
}

/* ---- definitions -------------------------------------------------------------------------------------------------- */

/* Where it lies in memory is another matter in each process. Those of one file that was loaded twice stay two. */
static void place_module(ubi__ubirec_numbers *n, ubi__ubirec_module_about *about, const ubi__ubirec_module_row *row) {
    if (!n->map)
        return;
    about->start = n->next_module_address;
    about->end = about->start + (row->end - row->start);
    about->bias = about->start + (row->bias - row->start);
    n->next_module_address = about->end + 1;
}

static ubi_status add_module(ubi__ubirec_numbers *n, const ubi__ubirec_module_row *row) {
    uint32_t path, build_id, number;
    UBI_TRY(number_text(n, &path, UBI__UBIREC_TEXT_FILE, row->path));
    UBI_TRY(number_text(n, &build_id, UBI__UBIREC_TEXT_BUILD_ID, row->build_id));
    ubi_text id = text_at(n, build_id);
    ubi__ubirec_module_about about = { .path = text_at(n, path),
                                       .build_id = (const uint8_t *)id.ptr,
                                       .build_id_bytes = id.len };
    place_module(n, &about, row);
    UBI_TRY(ubi__ubirec_module(n->writer, &number, &about));
    return ubi__vec_u32_push(&n->modules, n->allocator, number);
}

static ubi_status add_raw_frame(ubi__ubirec_numbers *n, uint32_t *out, uint64_t address) {
    uint32_t number;
    bool is_new;
    if (!n->map)
        return ubi__ubirec_raw_frame(n->writer, out, address);
    UBI_TRY(ubi__tuple_table_number(&n->raw_addresses, &number, &is_new, &address));
    return ubi__ubirec_raw_frame(n->writer, out, (uint64_t)number + 1);
}

static ubi_status add_script_frame(ubi__ubirec_numbers *n, uint32_t *out, const ubi__ubirec_frame *f) {
    uint32_t function, file;
    UBI_TRY(number_text(n, &function, UBI__UBIREC_TEXT_SCRIPT_FUNCTION, f->of));
    UBI_TRY(number_text(n, &file, UBI__UBIREC_TEXT_SCRIPT_FILE, f->script.file));
    return ubi__ubirec_script_frame(n->writer, out, text_at(n, function), text_at(n, file), f->script.line, f->column);
}

static ubi_status number_frame(ubi__ubirec_numbers *n, uint32_t *out, const ubi__ubirec_frame *f) {
    ubi_text label;
    switch (f->type) {
    case UBI__UBIREC_NATIVE_FRAME:
        return ubi__ubirec_native_frame(n->writer, out, n->modules.at[f->of], f->address);
    case UBI__UBIREC_RAW_FRAME:
        return add_raw_frame(n, out, f->address);
    case UBI__UBIREC_SCRIPT_FRAME:
        return add_script_frame(n, out, f);
    default:
        UBI_TRY(ubi__ubirec_numbers_text(n, &label, UBI__UBIREC_TEXT_LABEL, f->of));
        return ubi__ubirec_label_frame(n->writer, out, label);
    }
}

static ubi_status add_frame(ubi__ubirec_numbers *n, const ubi__ubirec_frame *frame) {
    uint32_t number;
    UBI_TRY(number_frame(n, &number, frame));
    return ubi__vec_u32_push(&n->frames, n->allocator, number);
}

static ubi_status add_trace(ubi__ubirec_numbers *n, uint32_t caller, uint32_t frame) {
    uint32_t number;
    UBI_TRY(ubi__ubirec_trace(n->writer, &number, n->traces.at[caller], n->frames.at[frame]));
    return ubi__vec_u32_push(&n->traces, n->allocator, number);
}

static ubi_status add_kind(ubi__ubirec_numbers *n, ubi_str_ix word, ubi__ubirec_class class_of_kind) {
    bool is_object = class_of_kind == UBI__UBIREC_OBJECT;
    ubi_text text;
    uint32_t number;
    UBI_TRY(ubi__ubirec_numbers_text(n, &text, is_object ? UBI__UBIREC_TEXT_CLASS : UBI__UBIREC_TEXT_KIND, word));
    UBI_TRY(ubi__ubirec_kind(n->writer, &number, text, class_of_kind));
    return ubi__vec_u32_push(&n->kinds, n->allocator, number);
}

static ubi_status add_info(ubi__ubirec_numbers *n, const ubi__ubirec_info_row *row) {
    uint32_t number;
    UBI_TRY(ubi__ubirec_info(n->writer, &number, n->kinds.at[row->kind], row->size_bytes, n->traces.at[row->trace],
                             row->weight_bytes));
    return ubi__vec_u32_push(&n->infos, n->allocator, number);
}

static ubi_status add_thread(ubi__ubirec_numbers *n, uint64_t tid, ubi_str_ix name) {
    ubi_text text;
    uint32_t number;
    UBI_TRY(ubi__ubirec_numbers_text(n, &text, UBI__UBIREC_TEXT_THREAD, name));
    UBI_TRY(ubi__ubirec_thread(n->writer, &number, tid, text));
    return ubi__vec_u32_push(&n->threads, n->allocator, number);
}

ubi_status ubi__ubirec_numbers_add(ubi__ubirec_numbers *n, const ubi__ubirec_record *r, bool *done) {
    UBI_TRY(ubi__ubirec_tables_add(&n->tables, r));
    *done = true;
    switch (r->type) {
    case UBI__UBIREC_STRING:
        return UBI_OK;
    case UBI__UBIREC_MODULE:
        return add_module(n, &r->module);
    case UBI__UBIREC_NATIVE_FRAME:
    case UBI__UBIREC_RAW_FRAME:
    case UBI__UBIREC_SCRIPT_FRAME:
    case UBI__UBIREC_LABEL_FRAME:
        return add_frame(n, &r->frame);
    case UBI__UBIREC_TRACE:
        return add_trace(n, r->trace.caller, r->trace.frame);
    case UBI__UBIREC_KIND:
        return add_kind(n, r->kind.word, r->kind.class_of_kind);
    case UBI__UBIREC_INFO:
        return add_info(n, &r->info);
    case UBI__UBIREC_THREAD:
        return add_thread(n, r->thread.tid, r->thread.name);
    default:
        *done = false;
        return UBI_OK;
    }
}

ubi_status ubi__ubirec_numbers_write_symbols(ubi__ubirec_numbers *n, uint32_t frame, const ubi__ubirec_symbol_row *rows,
                                             uint32_t n_rows) {
    ubi__ubirec_symbol symbols[UBI__UBIREC_SYMBOLS_MAX];
    uint32_t texts[UBI__UBIREC_SYMBOLS_MAX][2];
    for (uint32_t i = 0; i < n_rows; i++) {
        UBI_TRY(number_text(n, &texts[i][0], UBI__UBIREC_TEXT_FUNCTION, rows[i].function));
        UBI_TRY(number_text(n, &texts[i][1], UBI__UBIREC_TEXT_FILE, rows[i].file));
    }
    for (uint32_t i = 0; i < n_rows; i++)
        symbols[i] =
            (ubi__ubirec_symbol){ text_at(n, texts[i][0]), text_at(n, texts[i][1]), rows[i].line, rows[i].column };
    return ubi__ubirec_write_symbols(n->writer, n->frames.at[frame], symbols, n_rows);
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
};

const char *ubi__unrecorded_words(ubi__unrecorded why) {
    return (unsigned)why < UBI__UNRECORDED_COUNT ? reasons[why].words : "unknown";
}

const char *ubi__unrecorded_key(ubi__unrecorded why) {
    return (unsigned)why < UBI__UNRECORDED_COUNT ? reasons[why].key : "unknown";
}
