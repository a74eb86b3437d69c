/* SPDX-License-Identifier: MIT
 *
 * ubirec_copy.c: see ubirec_copy.h.
 */
#include "formats/ubirec/ubirec_copy.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/text.h"
#include "formats/map_details.h"
#include "recording/ubirec_numbers.h"

#define RECORDS_PER_PROGRESS 65536

typedef struct job {
    ubi__recording_copy *copy;
    const ubi_allocator *allocator;
    ubi__ubirec_reader *reader;
    ubi__ubirec_writer *writer;
    ubi__ubirec_numbers numbers;
    ubi__text_mapper mapper;
    ubi__vec_u8 made; /* a text that is put together */
    bool has_about, has_end;
    uint64_t first; /* number of the first allocation that is copied */
} job;

/* ---- texts -------------------------------------------------------------------------------------------------------- */

static ubi_status map_role(const job *j, ubi_text_role role, ubi_text text, ubi_text *out) {
    *out = text;
    return text.len && j->copy->map_text ? j->copy->map_text(j->copy->map_text_payload, role, text, out) : UBI_OK;
}

static bool add_made(void *payload, const void *data, size_t n) {
    job *j = payload;
    if (ubi__vec_u8_reserve(&j->made, j->allocator, n) != UBI_OK)
        return false;
    if (n)
        memcpy(j->made.at + j->made.n, data, n);
    j->made.n += n;
    return true;
}

/* What is no object says nothing, and what is no JSON nothing from there on: as readers of markers see it. */
static ubi_status map_details(job *j, ubi_text text, ubi_text *out) {
    ubi__json json;
    bool is_sound;
    *out = (ubi_text){ "", 0 };
    if (memchr(text.ptr, '{', text.len) == NULL)
        return UBI_OK;
    j->made.n = 0;
    ubi__json_init(&json, add_made, j, false);
    UBI_TRY(ubi__map_details(&json, &j->mapper, text, &is_sound));
    if (ubi__json_flush(&json) != UBI_OK)
        return ubi__fail_nomem();
    *out = (ubi_text){ (const char *)j->made.at, j->made.n };
    return UBI_OK;
}

/* Of a script engine's blocks, the class alone is a name. */
static ubi_status map_kind(job *j, ubi_text text, ubi_text *out) {
    static const char prefix[] = UBI__UBIREC_SCRIPT_KIND " ";
    size_t n = sizeof prefix - 1;
    ubi_text mapped;
    if (ubi__text_is(text, UBI__UBIREC_SCRIPT_KIND))
        return UBI_OK;
    if (!ubi__text_begins(text, prefix))
        return map_role(j, UBI_TEXT_NATIVE_FUNCTION, text, out);
    UBI_TRY(map_role(j, UBI_TEXT_CLASS_NAME, (ubi_text){ text.ptr + n, text.len - n }, &mapped));
    j->made.n = 0;
    if (!add_made(j, prefix, n) || !add_made(j, mapped.ptr, mapped.len))
        return ubi__fail_nomem();
    *out = (ubi_text){ (const char *)j->made.at, j->made.n };
    return UBI_OK;
}

/* ubi__ubirec_map_fn. A text that would be cut in the file is one word instead, so that different ones stay different. */
static ubi_status map_text(void *payload, ubi__ubirec_text what, ubi_text text, ubi_text *out) {
    static const ubi_text_role roles[UBI__UBIREC_TEXT_COUNT] = {
        [UBI__UBIREC_TEXT_FILE] = UBI_TEXT_NATIVE_FILE,
        [UBI__UBIREC_TEXT_BUILD_ID] = UBI_TEXT_SECRET,
        [UBI__UBIREC_TEXT_FUNCTION] = UBI_TEXT_NATIVE_FUNCTION,
        [UBI__UBIREC_TEXT_SCRIPT_FUNCTION] = UBI_TEXT_FRAME_FUNCTION,
        [UBI__UBIREC_TEXT_SCRIPT_FILE] = UBI_TEXT_FRAME_SOURCE,
        [UBI__UBIREC_TEXT_LABEL] = UBI_TEXT_NATIVE_FUNCTION,
        [UBI__UBIREC_TEXT_CLASS] = UBI_TEXT_CLASS_NAME,
        [UBI__UBIREC_TEXT_THREAD] = UBI_TEXT_WORDS,
        [UBI__UBIREC_TEXT_MARKER] = UBI_TEXT_MARKER_NAME,
    };
    job *j = payload;
    *out = text;
    if (!j->copy->map_text)
        return UBI_OK;
    if (what == UBI__UBIREC_TEXT_DETAILS)
        return map_details(j, text, out);
    if (what == UBI__UBIREC_TEXT_KIND)
        return map_kind(j, text, out);
    UBI_TRY(map_role(j, roles[what], text, out));
    return out->len > UBI__UBIREC_TEXT_MAX ? map_role(j, UBI_TEXT_SECRET, text, out) : UBI_OK;
}

/* ---- records ------------------------------------------------------------------------------------------------------ */

/* The program as it was called, and its arguments. */
static ubi_status map_arguments(job *j, ubi_text arguments, ubi_text *out) {
    j->made.n = 0;
    for (size_t at = 0; at < arguments.len;) {
        const char *end = memchr(arguments.ptr + at, '\0', arguments.len - at);
        size_t n = end ? (size_t)(end - arguments.ptr) - at : arguments.len - at;
        ubi_text mapped;
        UBI_TRY(map_role(j, at == 0 ? UBI_TEXT_NATIVE_FILE : UBI_TEXT_SECRET, (ubi_text){ arguments.ptr + at, n },
                         &mapped));
        if (!add_made(j, mapped.ptr, mapped.len) || (end && !add_made(j, "", 1)))
            return ubi__fail_nomem();
        at += n + (end != NULL);
    }
    UBI_ASSERT(j->made.n <= j->made.cap);
    *out = (ubi_text){ j->made.n ? (const char *)j->made.at : "", j->made.n };
    return UBI_OK;
}

static uint64_t earlier_by(const ubi__recording_copy *copy, uint64_t start_unix_ns) {
    if (copy->earlier_ns == UBI__RECORDING_COPY_DAY)
        return start_unix_ns % (UBI__DAY_US * 1000);
    return start_unix_ns > copy->earlier_ns ? copy->earlier_ns : start_unix_ns;
}

/* The replacements of the others are kept in `texts` while one is made. */
static ubi_status copy_about(job *j, const ubi__ubirec_about *given) {
    ubi__ubirec_about about = *given;
    const ubi_text texts[] = { given->program, given->writer, given->system };
    static const ubi_text_role roles[] = { UBI_TEXT_NATIVE_FILE, UBI_TEXT_WORDS, UBI_TEXT_WORDS };
    ubi_text *const to[] = { &about.program, &about.writer, &about.system };
    uint32_t entry[3];
    for (int i = 0; i < 3; i++) {
        ubi_text mapped;
        UBI_TRY(map_role(j, roles[i], texts[i], &mapped));
        UBI_TRY(ubi__strtab_append(&j->numbers.mapped, &entry[i], mapped));
    }
    for (int i = 0; i < 3; i++)
        *to[i] = ubi__strtab_get(&j->numbers.mapped, entry[i]);
    UBI_TRY(map_arguments(j, given->arguments, &about.arguments));
    UBI_ASSERT(earlier_by(j->copy, given->start_unix_ns) <= given->start_unix_ns);
    about.start_unix_ns -= earlier_by(j->copy, given->start_unix_ns);
    about.recording = j->copy->recording;
    j->has_about = true;
    return ubi__ubirec_write_about(j->writer, &about);
}

static ubi_status copy_marker(job *j, const ubi__ubirec_record *r) {
    ubi_text made;
    ubi__ubirec_marker marker = { .time_ns = r->marker.time_ns,
                                  .type = r->marker.type,
                                  .process_type = r->marker.process_type,
                                  .is_off_main_thread = r->marker.is_off_main_thread,
                                  .thread = j->numbers.threads.at[r->marker.thread],
                                  .trace = j->numbers.traces.at[r->marker.trace] };
    /* Both are made before they are looked at: a text lasts until the next one is made. */
    UBI_TRY(ubi__ubirec_numbers_text(&j->numbers, &made, UBI__UBIREC_TEXT_DETAILS, r->marker.details));
    UBI_TRY(ubi__ubirec_numbers_text(&j->numbers, &marker.name, UBI__UBIREC_TEXT_MARKER, r->marker.name));
    UBI_TRY(ubi__ubirec_numbers_text(&j->numbers, &marker.details, UBI__UBIREC_TEXT_DETAILS, r->marker.details));
    return ubi__ubirec_write_marker(j->writer, &marker);
}

static ubi_status copy_thread_name(job *j, uint32_t thread, ubi_str_ix name) {
    ubi_text text;
    UBI_TRY(ubi__ubirec_numbers_text(&j->numbers, &text, UBI__UBIREC_TEXT_THREAD, name));
    return ubi__ubirec_write_thread_name(j->writer, j->numbers.threads.at[thread], text);
}

static ubi_status copy_started(job *j, ubi_str_ix name, uint64_t count, ubi__unrecorded why) {
    ubi_text text;
    UBI_TRY(ubi__ubirec_numbers_text(&j->numbers, &text, UBI__UBIREC_TEXT_FILE, name));
    return ubi__ubirec_write_started(j->writer, text, count, why);
}

/* ".PID" or ".PID.N" is said of the name of a file, whose number of a process stays. */
static bool is_suffix(ubi_text text) {
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != '.' && (text.ptr[i] < '0' || text.ptr[i] > '9'))
            return false;
    return true;
}

static ubi_status copy_companion(job *j, ubi_str_ix suffix, ubi_str_ix name) {
    ubi_text text = ubi__ubirec_string_at(&j->numbers.tables, suffix), program;
    UBI_TRY(ubi__ubirec_numbers_text(&j->numbers, &program, UBI__UBIREC_TEXT_FILE, name));
    return ubi__ubirec_write_companion(j->writer, is_suffix(text) ? text : (ubi_text){ "", 0 }, program);
}

static ubi_status copy_use(job *j, const ubi__ubirec_use_row *use) {
    ubi_text text = { NULL, 0 };
    if (use->name != UBI_NONE)
        UBI_TRY(ubi__ubirec_numbers_text(&j->numbers, &text, UBI__UBIREC_TEXT_FILE, use->name));
    return ubi__ubirec_write_use(j->writer, use, text);
}

static ubi_status copy_counter(const job *j, uint64_t counter, uint64_t value) {
    if (counter >= UBI__UBIREC_COUNTER_COUNT)
        return UBI_OK; /* of a later version */
    return ubi__ubirec_write_counter(j->writer, (ubi__ubirec_counter)counter, value);
}

static ubi_status copy_action(const job *j, uint64_t what, uint64_t time_ns) {
    if (what >= UBI__UBIREC_ACTION_COUNT)
        return UBI_OK; /* of a later version */
    return ubi__ubirec_write_action(j->writer, (ubi__ubirec_action)what, time_ns);
}

/* Whether a record belongs to the part. Definitions always do. */
static bool is_in_part(const job *j, const ubi__ubirec_record *r) {
    const ubi__recording_part *part = j->copy->part;
    if (!part)
        return true;
    switch (r->type) {
    case UBI__UBIREC_ALLOC:
    case UBI__UBIREC_FREE:
    case UBI__UBIREC_FREE_UNDONE:
    case UBI__UBIREC_LEFT:
        return r->event.number >= part->first_allocation;
    case UBI__UBIREC_MARKER:
        return r->marker.time_ns >= part->first_ns;
    case UBI__UBIREC_RSS:
        return ubi__ubirec_time_ns(j->reader) >= part->first_ns;
    case UBI__UBIREC_ACTION:
        return r->action.time_ns >= part->first_ns && r->action.what != UBI__UBIREC_ACTION_RESET;
    case UBI__UBIREC_COUNTED:
        return r->counted.counter != UBI__UBIREC_COMPANIONS;
    default:
        return r->type != UBI__UBIREC_COMPANION;
    }
}

static ubi_status copy_event(const job *j, const ubi__ubirec_record *r) {
    uint64_t number = r->event.number - j->first;
    switch (r->type) {
    case UBI__UBIREC_ALLOC:
        return ubi__ubirec_write_alloc(j->writer, &number, j->numbers.infos.at[r->event.info]);
    case UBI__UBIREC_FREE:
        return ubi__ubirec_write_free(j->writer, number);
    case UBI__UBIREC_FREE_UNDONE:
        return ubi__ubirec_write_free_undone(j->writer, number, j->numbers.infos.at[r->event.info]);
    default:
        return ubi__ubirec_write_left(j->writer, number);
    }
}

static ubi_status copy_record(job *j, const ubi__ubirec_record *r) {
    bool done;
    UBI_TRY(ubi__ubirec_numbers_add(&j->numbers, r, &done));
    if (done || !is_in_part(j, r))
        return UBI_OK;
    switch (r->type) {
    case UBI__UBIREC_ABOUT:
        return copy_about(j, &r->about);
    case UBI__UBIREC_THREAD_NAME:
        return copy_thread_name(j, r->thread_name.thread, r->thread_name.name);
    case UBI__UBIREC_TIME:
        return ubi__ubirec_write_time(j->writer, r->time_ns);
    case UBI__UBIREC_SWITCH:
        return ubi__ubirec_write_thread(j->writer, j->numbers.threads.at[r->thread_now]);
    case UBI__UBIREC_ALLOC:
    case UBI__UBIREC_FREE:
    case UBI__UBIREC_FREE_UNDONE:
    case UBI__UBIREC_LEFT:
        return copy_event(j, r);
    case UBI__UBIREC_RSS:
        return ubi__ubirec_write_rss(j->writer, r->bytes);
    case UBI__UBIREC_COUNTED:
        return copy_counter(j, r->counted.counter, r->counted.value);
    case UBI__UBIREC_PERIOD:
        return ubi__ubirec_write_period(j->writer, r->bytes);
    case UBI__UBIREC_MARKER:
        return copy_marker(j, r);
    case UBI__UBIREC_SYMBOLS:
        return ubi__ubirec_numbers_write_symbols(&j->numbers, r->symbols.frame, r->symbols.at, r->symbols.n);
    case UBI__UBIREC_END:
        j->has_end = true;
        return ubi__ubirec_write_end(j->writer, &r->end);
    case UBI__UBIREC_STARTED:
        return copy_started(j, r->started.name, r->started.count, r->started.why);
    case UBI__UBIREC_ACTION:
        return copy_action(j, r->action.what, r->action.time_ns);
    case UBI__UBIREC_COMPANION:
        return copy_companion(j, r->companion.suffix, r->companion.name);
    case UBI__UBIREC_USE:
        return copy_use(j, &r->use);
    default:
        return UBI_OK;
    }
}

/* Its block is. */
static bool is_behind_part(const job *j) {
    const ubi__recording_part *part = j->copy->part;
    return part && part->end_bytes && ubi__ubirec_bytes_in(j->reader) > part->end_bytes;
}

/* A part is a recording that was stopped at its end. */
static ubi_status part_end(const job *j) {
    const ubi__ubirec_end end = { .reason = UBI__UBIREC_STOPPED };
    if (!j->copy->part || j->has_end)
        return UBI_OK;
    UBI_TRY(ubi__ubirec_write_time(j->writer, j->copy->part->end_ns));
    return ubi__ubirec_write_end(j->writer, &end);
}

static ubi_status copy_records(job *j, uint64_t total_bytes) {
    const ubi__ubirec_record *record;
    for (uint64_t n = 1;; n++) {
        UBI_TRY(ubi__ubirec_next(j->reader, &record));
        if (!record || is_behind_part(j))
            return UBI_OK;
        UBI_TRY(copy_record(j, record));
        if (n % RECORDS_PER_PROGRESS == 0 &&
            !ubi__progress(&j->copy->progress, "writing", ubi__ubirec_bytes_in(j->reader), total_bytes))
            return ubi__fail_cancelled();
    }
}

/* ---- symbols that the file lacks ---------------------------------------------------------------------------------- */

static ubi_status write_found(job *j, const ubi__vec_u8 *had_symbols) {
    for (uint32_t i = 0; i < j->numbers.tables.frames.n; i++) {
        uint32_t n;
        const ubi__ubirec_symbol_row *symbols = ubi__ubirec_symbols_of(&j->numbers.tables, i, &n);
        if (n > 0 && !had_symbols->at[i])
            UBI_TRY(ubi__ubirec_numbers_write_symbols(&j->numbers, i, symbols, n));
    }
    return UBI_OK;
}

static ubi_status find_symbols(job *j) {
    ubi__ubirec_tables *tables = &j->numbers.tables;
    ubi__vec_u8 had_symbols = { 0 };
    ubi_status status = UBI_OK;
    if (!j->copy->namer)
        return UBI_OK;
    for (uint32_t i = 0; status == UBI_OK && i < tables->frames.n; i++) {
        uint32_t n;
        ubi__ubirec_symbols_of(tables, i, &n);
        status = ubi__vec_u8_push(&had_symbols, j->allocator, n > 0);
    }
    if (status == UBI_OK)
        status = j->copy->namer(tables, NULL, &j->copy->progress);
    if (status == UBI_OK)
        status = write_found(j, &had_symbols);
    ubi__vec_u8_fini(&had_symbols, j->allocator);
    return status;
}

/* ---- all of it ---------------------------------------------------------------------------------------------------- */

static ubi_status copy_all(job *j, ubi__source *source) {
    ubi__recording_copy *copy = j->copy;
    ubi_status status = copy_records(j, source->size);
    if (status == UBI_EFORMAT && j->has_about) {
        snprintf(copy->fault, sizeof copy->fault, "%s", ubi_error_message());
        status = UBI_OK;
    }
    UBI_TRY(status);
    if (!j->has_about)
        return ubi__fail(UBI_EFORMAT, "the recording has no first block: nothing was recorded");
    UBI_TRY(part_end(j));
    UBI_TRY(find_symbols(j));
    ubi__ubirec_numbers_check(&j->numbers);
    UBI_TRY(ubi__ubirec_finish(j->writer));
    copy->input_bytes = ubi__ubirec_bytes_in(j->reader);
    copy->output_bytes = ubi__ubirec_bytes_out(j->writer);
    copy->n_allocations = ubi__ubirec_allocation_count(j->writer);
    copy->torn_bytes = ubi__ubirec_torn_bytes(j->reader);
    return UBI_OK;
}

static ubi_status open_both(job *j, ubi__source *source, ubi__write_fn write, void *payload) {
    UBI_TRY(ubi__ubirec_reader_new(&j->reader, source, j->allocator));
    UBI_TRY(ubi__ubirec_writer_new(&j->writer, write, payload, j->allocator));
    UBI_TRY(ubi__ubirec_numbers_init(&j->numbers, j->writer, map_text, j, j->allocator));
    ubi_status status = copy_all(j, source);
    ubi__ubirec_numbers_fini(&j->numbers);
    return status;
}

ubi_status ubi__recording_copy_write(ubi__recording_copy *copy, ubi__source *source, ubi__write_fn write, void *payload,
                                     const ubi_allocator *allocator) {
    job j = { .copy = copy, .allocator = ubi__allocator_or_default(allocator) };
    j.first = copy->part ? copy->part->first_allocation : 0;
    j.mapper = (ubi__text_mapper){ .map = copy->map_text, .payload = copy->map_text_payload, .allocator = j.allocator };
    copy->fault[0] = '\0';
    ubi_status status = open_both(&j, source, write, payload);
    ubi__ubirec_writer_free(j.writer);
    ubi__ubirec_reader_free(j.reader);
    ubi__text_mapper_fini(&j.mapper);
    ubi__vec_u8_fini(&j.made, j.allocator);
    return status;
}
