/* SPDX-License-Identifier: MIT
 *
 * recording_pprof.c: a recording as a profile of pprof (recording_export.h).
 *
 * The fields of a message may come in any order, and samples before what they refer to. So samples are written first, and each location
 * and function when it is met for the first time; strings come last. Nothing but their tables is in memory.
 * Source: github.com/google/pprof, proto/profile.proto.
 */
#include <string.h>

#include "base/deflate.h"
#include "base/text.h"
#include "recording/recording_place.h"
#include "recording/tuple_table.h"
#include "render/display.h"
#include "render/recording_export.h"

#define NAME_BYTES 8192
#define VARINT_BYTES 10
#define PENDING_BYTES ((size_t)64 << 10)

/* Fields of Profile. */
enum {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_MAPPING = 3,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING_TABLE = 6,
    PROFILE_TIME_NANOS = 9,
    PROFILE_DURATION_NANOS = 10,
    PROFILE_PERIOD_TYPE = 11,
    PROFILE_PERIOD = 12,
    PROFILE_COMMENT = 13,
    PROFILE_DEFAULT_SAMPLE_TYPE = 14,
};
enum { VALUE_TYPE = 1, VALUE_UNIT = 2 };
enum { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_STR = 2, LABEL_NUM = 3, LABEL_NUM_UNIT = 4 };
enum {
    MAPPING_ID = 1,
    MAPPING_MEMORY_START = 2,
    MAPPING_MEMORY_LIMIT = 3,
    MAPPING_FILENAME = 5,
    MAPPING_BUILD_ID = 6,
    MAPPING_HAS_FUNCTIONS = 7,
    MAPPING_HAS_FILENAMES = 8,
    MAPPING_HAS_LINE_NUMBERS = 9,
    MAPPING_HAS_INLINE_FRAMES = 10,
};
enum { LOCATION_ID = 1, LOCATION_MAPPING_ID = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4 };
enum { LINE_FUNCTION_ID = 1, LINE_LINE = 2, LINE_COLUMN = 3 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3, FUNCTION_FILENAME = 4 };
enum { WIRE_VARINT = 0, WIRE_BYTES = 2 };

typedef struct value_type {
    const char *type, *unit;
    ubi__stack_measure measure;
} value_type;

static const value_type value_types[] = {
    { "alloc_objects", "count", { UBI__MEASURE_TOTAL, true } },
    { "alloc_space", "bytes", { UBI__MEASURE_TOTAL, false } },
    { "inuse_objects", "count", { UBI__MEASURE_LEAKED, true } },
    { "inuse_space", "bytes", { UBI__MEASURE_LEAKED, false } },
    { "peak_objects", "count", { UBI__MEASURE_PEAK, true } },
    { "peak_space", "bytes", { UBI__MEASURE_PEAK, false } },
};
#define VALUE_TYPES (sizeof value_types / sizeof *value_types)
#define VALUE_TYPES_WITHOUT_FREES 2
#define VALUE_TYPES_ALIVE 2 /* index of those of what is alive */

typedef struct target {
    ubi_write_fn write;
    void *payload;
} target;

typedef struct profile {
    const ubi__stack_choice *choice;
    const ubi__ubirec_tables *tables;
    const ubi_allocator *allocator;
    const value_type *values; /* values[n_values] */
    size_t n_values;
    ubi__deflate *gzip;
    ubi__strtab strings;
    ubi__tuple_table locations; /* (frame, first symbol), from 1 */
    ubi__tuple_table functions; /* (name, file), from 1 */
    ubi__vec_u8 message, inner;
    ubi__vec_u8 pending; /* whole fields; the compressor wants them in large pieces */
    ubi__vec_u32 stack;  /* ids of locations */
    ubi__whole_parts parts[VALUE_TYPES];
} profile;

/* ---- messages --------------------------------------------------------------------------------------------------------- */

static ubi_status varint_put(profile *p, ubi__vec_u8 *to, uint64_t value) {
    uint8_t bytes[VARINT_BYTES];
    size_t n = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[n++] = (uint8_t)value | 0x80;
    bytes[n++] = (uint8_t)value;
    return ubi__bytes_append(to, bytes, n, p->allocator);
}

/* 0 is what a field has that is not there. */
static ubi_status number_put(profile *p, ubi__vec_u8 *to, unsigned field, uint64_t value) {
    if (value == 0)
        return UBI_OK;
    UBI_TRY(varint_put(p, to, field << 3 | WIRE_VARINT));
    return varint_put(p, to, value);
}

static ubi_status bytes_put(profile *p, ubi__vec_u8 *to, unsigned field, const void *data, size_t n) {
    UBI_TRY(varint_put(p, to, field << 3 | WIRE_BYTES));
    UBI_TRY(varint_put(p, to, n));
    return ubi__bytes_append(to, data, n, p->allocator);
}

static ubi_status message_put(profile *p, ubi__vec_u8 *to, unsigned field, ubi__vec_u8 *message) {
    ubi_status status = bytes_put(p, to, field, message->at, message->n);
    message->n = 0;
    return status;
}

static ubi_status pending_write(profile *p) {
    ubi_status status = p->pending.n ? ubi__deflate_write(p->gzip, p->pending.at, p->pending.n) : UBI_OK;
    p->pending.n = 0;
    return status;
}

/* A field of the profile itself. */
static ubi_status field_write(profile *p, unsigned field, ubi__vec_u8 *message) {
    UBI_TRY(message_put(p, &p->pending, field, message));
    return p->pending.n >= PENDING_BYTES ? pending_write(p) : UBI_OK;
}

static ubi_status number_write(profile *p, unsigned field, uint64_t value) {
    return number_put(p, &p->pending, field, value);
}

static ubi_status string_get(profile *p, uint64_t *out, ubi_text text) {
    ubi_str_ix ix;
    UBI_TRY(ubi__strtab_intern(&p->strings, &ix, text));
    *out = ix;
    return UBI_OK;
}

static ubi_status string_put(profile *p, ubi__vec_u8 *to, unsigned field, ubi_text text) {
    uint64_t string;
    UBI_TRY(string_get(p, &string, text));
    return number_put(p, to, field, string);
}

/* ---- functions and locations ------------------------------------------------------------------------------------------ */

static ubi_status function_write(profile *p, uint32_t id, const uint64_t name_and_file[2]) {
    UBI_TRY(number_put(p, &p->inner, FUNCTION_ID, id));
    UBI_TRY(number_put(p, &p->inner, FUNCTION_NAME, name_and_file[0]));
    UBI_TRY(number_put(p, &p->inner, FUNCTION_SYSTEM_NAME, name_and_file[0]));
    UBI_TRY(number_put(p, &p->inner, FUNCTION_FILENAME, name_and_file[1]));
    return field_write(p, PROFILE_FUNCTION, &p->inner);
}

static ubi_status function_get(profile *p, uint32_t *out, const ubi__recording_place *place) {
    char name[NAME_BYTES];
    uint64_t tuple[2];
    bool is_new;
    ubi__recording_place_name(name, sizeof name, place);
    UBI_TRY(string_get(p, &tuple[0], ubi__text(name)));
    UBI_TRY(string_get(p, &tuple[1], place->file));
    UBI_TRY(ubi__tuple_table_number(&p->functions, out, &is_new, tuple));
    return is_new ? function_write(p, *out, tuple) : UBI_OK;
}

static ubi_status line_put(profile *p, const ubi__recording_place *place) {
    uint32_t function;
    UBI_TRY(function_get(p, &function, place));
    UBI_TRY(number_put(p, &p->inner, LINE_FUNCTION_ID, function));
    UBI_TRY(number_put(p, &p->inner, LINE_LINE, place->line));
    UBI_TRY(number_put(p, &p->inner, LINE_COLUMN, place->column));
    return message_put(p, &p->message, LOCATION_LINE, &p->inner);
}

/* Addresses are of the call, not of the return. */
static ubi_status address_put(profile *p, const ubi__ubirec_frame *frame) {
    if (frame->type == UBI__UBIREC_NATIVE_FRAME) {
        UBI_TRY(number_put(p, &p->message, LOCATION_MAPPING_ID, (uint64_t)frame->of + 1));
        return number_put(p, &p->message, LOCATION_ADDRESS, p->tables->modules.at[frame->of].bias + frame->address - 1);
    }
    return frame->type == UBI__UBIREC_RAW_FRAME ? number_put(p, &p->message, LOCATION_ADDRESS, frame->address - 1)
                                                : UBI_OK;
}

/* Functions of a frame from symbol `first` on, the innermost first. */
static ubi_status location_write(profile *p, uint32_t id, uint32_t frame, uint32_t first) {
    ubi__recording_place place;
    uint32_t n;
    ubi__ubirec_symbols_of(p->tables, frame, &n);
    p->message.n = 0;
    UBI_TRY(number_put(p, &p->message, LOCATION_ID, id));
    UBI_TRY(address_put(p, &p->tables->frames.at[frame]));
    do {
        ubi__recording_frame_place(&place, p->tables, frame, first);
        UBI_TRY(line_put(p, &place));
    } while (++first < n);
    return field_write(p, PROFILE_LOCATION, &p->message);
}

static ubi_status location_add(profile *p, uint32_t frame, uint32_t first) {
    const uint64_t tuple[] = { frame, first };
    uint32_t id;
    bool is_new;
    UBI_TRY(ubi__tuple_table_number(&p->locations, &id, &is_new, tuple));
    if (is_new)
        UBI_TRY(location_write(p, id, frame, first));
    return ubi__vec_u32_push(&p->stack, p->allocator, id);
}

/* Readers show nothing of a sample without any location. */
static ubi_status no_location_add(profile *p) {
    static const ubi__recording_place nowhere = { .function = { "(no stack)", 10 },
                                                  .file = { "", 0 },
                                                  .module = { "", 0 } };
    const uint64_t tuple[] = { UBI_NONE, 0 };
    uint32_t id;
    bool is_new;
    UBI_TRY(ubi__tuple_table_number(&p->locations, &id, &is_new, tuple));
    if (is_new) {
        p->message.n = 0;
        UBI_TRY(number_put(p, &p->message, LOCATION_ID, id));
        UBI_TRY(line_put(p, &nowhere));
        UBI_TRY(field_write(p, PROFILE_LOCATION, &p->message));
    }
    return ubi__vec_u32_push(&p->stack, p->allocator, id);
}

static ubi_status stack_gather(profile *p, uint32_t trace) {
    p->stack.n = 0;
    if (trace == UBI__UBIREC_NO_TRACE)
        return no_location_add(p);
    uint32_t first = p->choice->with_wrappers ? 0 : ubi__recording_asking_symbol(p->tables, trace);
    for (; trace != UBI__UBIREC_NO_TRACE && p->stack.n < UBI__EXPORT_DEPTH;
         trace = p->tables->traces.at[trace].caller, first = 0)
        UBI_TRY(location_add(p, p->tables->traces.at[trace].frame, first));
    return UBI_OK;
}

/* ---- samples ---------------------------------------------------------------------------------------------------------- */

static ubi_status number_label_put(profile *p, const char *key, uint64_t number, const char *unit) {
    UBI_TRY(string_put(p, &p->inner, LABEL_KEY, ubi__text(key)));
    UBI_TRY(number_put(p, &p->inner, LABEL_NUM, number));
    UBI_TRY(string_put(p, &p->inner, LABEL_NUM_UNIT, ubi__text(unit)));
    return message_put(p, &p->message, SAMPLE_LABEL, &p->inner);
}

static ubi_status text_label_put(profile *p, const char *key, ubi_text text) {
    UBI_TRY(string_put(p, &p->inner, LABEL_KEY, ubi__text(key)));
    UBI_TRY(string_put(p, &p->inner, LABEL_STR, text));
    return message_put(p, &p->message, SAMPLE_LABEL, &p->inner);
}

static ubi_status numbers_put(profile *p, unsigned field, const uint64_t *values, size_t n) {
    for (size_t i = 0; i < n; i++)
        UBI_TRY(varint_put(p, &p->inner, values[i]));
    return message_put(p, &p->message, field, &p->inner);
}

static ubi_status locations_put(profile *p) {
    for (size_t i = 0; i < p->stack.n; i++)
        UBI_TRY(varint_put(p, &p->inner, p->stack.at[i]));
    return message_put(p, &p->message, SAMPLE_LOCATION_ID, &p->inner);
}

static ubi_status sample_write(profile *p, uint32_t info, const uint64_t *values) {
    const ubi__ubirec_info_row *row = &p->tables->infos.at[info];
    UBI_TRY(stack_gather(p, ubi__stack_of_info(p->choice, info)));
    p->message.n = 0;
    UBI_TRY(locations_put(p));
    UBI_TRY(numbers_put(p, SAMPLE_VALUE, values, p->n_values));
    UBI_TRY(number_label_put(p, "bytes", row->size_bytes, "bytes"));
    UBI_TRY(text_label_put(p, "kind", ubi__ubirec_string_at(p->tables, p->tables->kinds.at[row->kind].word)));
    return field_write(p, PROFILE_SAMPLE, &p->message);
}

static ubi_status samples_write(profile *p) {
    uint64_t values[VALUE_TYPES];
    for (uint32_t i = 0; i < p->tables->infos.n; i++) {
        bool has_any = false;
        if (!ubi__stack_has_info(p->choice, i))
            continue;
        for (size_t v = 0; v < p->n_values; v++) {
            values[v] = ubi__stack_value(p->choice, p->values[v].measure, i, &p->parts[v]);
            has_any = has_any || values[v];
        }
        if (has_any)
            UBI_TRY(sample_write(p, i, values));
    }
    return UBI_OK;
}

/* ---- the profile ------------------------------------------------------------------------------------------------------ */

static ubi_status value_type_write(profile *p, unsigned field, const char *type, const char *unit) {
    UBI_TRY(string_put(p, &p->message, VALUE_TYPE, ubi__text(type)));
    UBI_TRY(string_put(p, &p->message, VALUE_UNIT, ubi__text(unit)));
    return field_write(p, field, &p->message);
}

static ubi_status build_id_put(profile *p, ubi_text bytes) {
    static const char digits[] = "0123456789abcdef";
    char text[2 * UBI__UBIREC_BUILD_ID_MAX];
    size_t n = bytes.len < UBI__UBIREC_BUILD_ID_MAX ? bytes.len : UBI__UBIREC_BUILD_ID_MAX;
    for (size_t i = 0; i < n; i++) {
        text[2 * i] = digits[(uint8_t)bytes.ptr[i] >> 4];
        text[2 * i + 1] = digits[(uint8_t)bytes.ptr[i] & 15];
    }
    return string_put(p, &p->message, MAPPING_BUILD_ID, (ubi_text){ text, 2 * n });
}

/* Its functions have all the names that there are, so that no reader looks for the file. */
static ubi_status mapping_write(profile *p, uint32_t i) {
    const ubi__ubirec_module_row *module = &p->tables->modules.at[i];
    UBI_TRY(number_put(p, &p->message, MAPPING_ID, (uint64_t)i + 1));
    UBI_TRY(number_put(p, &p->message, MAPPING_MEMORY_START, module->start));
    UBI_TRY(number_put(p, &p->message, MAPPING_MEMORY_LIMIT, module->end));
    UBI_TRY(string_put(p, &p->message, MAPPING_FILENAME, ubi__ubirec_string_at(p->tables, module->path)));
    UBI_TRY(build_id_put(p, ubi__ubirec_string_at(p->tables, module->build_id)));
    for (unsigned field = MAPPING_HAS_FUNCTIONS; field <= MAPPING_HAS_INLINE_FRAMES; field++)
        UBI_TRY(number_put(p, &p->message, field, 1));
    return field_write(p, PROFILE_MAPPING, &p->message);
}

static ubi_status head_write(profile *p) {
    const ubi__recording_summary *s = p->choice->sites->summary;
    const ubi__ubirec_about *about = &p->tables->about;
    uint64_t main_type, program;
    UBI_TRY(string_get(p, &main_type, ubi__text(""))); /* string 0 */
    for (size_t i = 0; i < p->n_values; i++)
        UBI_TRY(value_type_write(p, PROFILE_SAMPLE_TYPE, p->values[i].type, p->values[i].unit));
    UBI_TRY(value_type_write(p, PROFILE_PERIOD_TYPE, "space", "bytes"));
    UBI_TRY(number_write(p, PROFILE_PERIOD, ubi__class_period(s, p->choice->of_class)));
    bool has_alive = p->n_values > VALUE_TYPES_WITHOUT_FREES || p->values != value_types;
    UBI_TRY(string_get(p, &main_type, ubi__text(has_alive ? "inuse_space" : "alloc_space")));
    UBI_TRY(number_write(p, PROFILE_DEFAULT_SAMPLE_TYPE, main_type));
    UBI_TRY(number_write(p, PROFILE_TIME_NANOS, about->start_unix_ns));
    UBI_TRY(number_write(p, PROFILE_DURATION_NANOS, s->time_ns));
    UBI_TRY(string_get(p, &program, about->program));
    return number_write(p, PROFILE_COMMENT, program);
}

/* Strings of protobuf are UTF-8. */
static ubi_status strings_write(profile *p) {
    char bytes[UBI__LINE_CHAR_BYTES];
    for (uint32_t i = 0; i < ubi__strtab_count(&p->strings); i++) {
        ubi_text text = ubi__strtab_get(&p->strings, i);
        p->message.n = 0;
        for (size_t at = 0; at < text.len;) {
            size_t n = ubi__line_char(bytes, text, &at);
            UBI_TRY(ubi__bytes_append(&p->message, bytes, n, p->allocator));
        }
        UBI_TRY(field_write(p, PROFILE_STRING_TABLE, &p->message));
    }
    return UBI_OK;
}

static bool is_program(const profile *p, uint32_t module) {
    return ubi__text_equal(ubi__ubirec_string_at(p->tables, p->tables->modules.at[module].path),
                           p->tables->about.program);
}

/* Readers take the first one for the program. */
static ubi_status mappings_write(profile *p) {
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < p->tables->modules.n; i++)
            if (is_program(p, i) == (pass == 0))
                UBI_TRY(mapping_write(p, i));
    return UBI_OK;
}

static ubi_status profile_write(profile *p) {
    UBI_TRY(head_write(p));
    UBI_TRY(mappings_write(p));
    UBI_TRY(samples_write(p));
    UBI_TRY(strings_write(p));
    UBI_TRY(pending_write(p));
    return ubi__deflate_finish(p->gzip);
}

/* A ubi__write_fn on a ubi_write_fn. */
static ubi_status target_write(void *payload, const void *data, size_t n_bytes) {
    const target *t = payload;
    return t->write(t->payload, data, n_bytes) ? UBI_OK : ubi__fail(UBI_EIO, "a write was refused");
}

ubi_status ubi__render_pprof(ubi_write_fn write, void *payload, const ubi__stack_choice *choice, bool with_frees,
                             const ubi_allocator *allocator) {
    target t = { write, payload };
    const ubi__ubirec_tables *tables = ubi__stack_tables(choice);
    bool is_alive_alone = tables->counters[UBI__UBIREC_WITHOUT_FREES] == UBI__UBIREC_ALIVE_ALONE;
    profile p = { .choice = choice,
                  .tables = tables,
                  .values = value_types + (is_alive_alone ? VALUE_TYPES_ALIVE : 0),
                  .allocator = allocator,
                  .n_values = with_frees ? VALUE_TYPES : VALUE_TYPES_WITHOUT_FREES };
    UBI_TRY(ubi__deflate_new(&p.gzip, UBI__DEFLATE_LEVEL_DEFAULT, target_write, &t, allocator));
    ubi__strtab_init(&p.strings, allocator);
    ubi__tuple_table_init(&p.locations, 2, "locations", allocator);
    ubi__tuple_table_init(&p.functions, 2, "functions", allocator);
    p.locations.base = p.functions.base = 1;
    ubi_status status = profile_write(&p);
    ubi__tuple_table_fini(&p.functions);
    ubi__tuple_table_fini(&p.locations);
    ubi__strtab_fini(&p.strings);
    ubi__vec_u32_fini(&p.stack, allocator);
    ubi__vec_u8_fini(&p.message, allocator);
    ubi__vec_u8_fini(&p.inner, allocator);
    ubi__vec_u8_fini(&p.pending, allocator);
    ubi__deflate_free(p.gzip);
    return status;
}
