/* SPDX-License-Identifier: MIT
 *
 * timeline_copy.c: see timeline_copy.h. What a record may have is a table: a member is a text of some role, a number, or details.
 */
#include "formats/timeline/timeline_copy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "formats/map_details.h"
#include "formats/timeline/timeline_read.h"

#define PENDING_BYTES ((size_t)64 << 10)

typedef struct job {
    ubi__timeline_copy *copy;
    const ubi_allocator *allocator;
    ubi__write_fn write;
    void *write_payload;
    ubi__vec_u8 pending; /* whole lines, except the last while it is made */
    ubi__text_mapper mapper;
    ubi__timeline_lines lines;
    ubi__json json;
} job;

/* ---- writing ------------------------------------------------------------------------------------------------------ */

static bool keep_bytes(void *payload, const void *data, size_t n) {
    job *j = payload;
    if (ubi__vec_u8_reserve(&j->pending, j->allocator, n) != UBI_OK)
        return false;
    memcpy(j->pending.at + j->pending.n, data, n);
    j->pending.n += n;
    return true;
}

static ubi_status write_pending(job *j) {
    UBI_ASSERT(j->pending.n == 0 || j->pending.at[j->pending.n - 1] == '\n');
    if (j->pending.n)
        UBI_TRY(j->write(j->write_payload, j->pending.at, j->pending.n));
    j->copy->output_bytes += j->pending.n;
    j->pending.n = 0;
    return UBI_OK;
}

static ubi_status end_line(job *j) {
    if (!keep_bytes(j, "\n", 1))
        return ubi__fail_nomem();
    return j->pending.n < PENDING_BYTES ? UBI_OK : write_pending(j);
}

/* ---- members ------------------------------------------------------------------------------------------------------ */

typedef enum member_type { MEMBER_NUMBER, MEMBER_TEXT, MEMBER_DETAILS, MEMBER_TIME_OF_DAY } member_type;

typedef struct member {
    const char *key;
    member_type type;
    ubi_text_role role; /* of a text */
} member;

#define NUMBER(key)                                                                                                    \
    { key, MEMBER_NUMBER, UBI_TEXT_WORDS }
#define TEXT(key, role)                                                                                                \
    { key, MEMBER_TEXT, role }

static const member header_members[] = { TEXT("generator", UBI_TEXT_WORDS),
                                         TEXT("program", UBI_TEXT_FRAME_SOURCE),
                                         NUMBER("pid"),
                                         { "startTimeUs", MEMBER_TIME_OF_DAY, UBI_TEXT_WORDS },
                                         { NULL, MEMBER_NUMBER, UBI_TEXT_WORDS } };
static const member thread_members[] = { NUMBER("thread"),
                                         TEXT("name", UBI_TEXT_WORDS),
                                         { NULL, MEMBER_NUMBER, UBI_TEXT_WORDS } };
static const member marker_members[] = { TEXT("name", UBI_TEXT_MARKER_NAME),
                                         NUMBER("start"),
                                         NUMBER("end"),
                                         NUMBER("thread"),
                                         NUMBER("stack"),
                                         NUMBER("endStack"),
                                         NUMBER("processType"),
                                         NUMBER("isOffMainThread"),
                                         { "details", MEMBER_DETAILS, UBI_TEXT_WORDS },
                                         { NULL, MEMBER_NUMBER, UBI_TEXT_WORDS } };
static const member frame_members[] = { NUMBER("frame"),
                                        TEXT("functionDisplayName", UBI_TEXT_FRAME_FUNCTION),
                                        TEXT("source", UBI_TEXT_FRAME_SOURCE),
                                        NUMBER("line"),
                                        NUMBER("column"),
                                        NUMBER("parent"),
                                        NUMBER("asyncParent"),
                                        TEXT("asyncCause", UBI_TEXT_DETAIL),
                                        { NULL, MEMBER_NUMBER, UBI_TEXT_WORDS } };
static const member memory_members[] = { NUMBER("time"), { NULL, MEMBER_NUMBER, UBI_TEXT_WORDS } };
static const member lost_members[] = { NUMBER("count"), { NULL, MEMBER_NUMBER, UBI_TEXT_WORDS } };
static const member end_members[] = { NUMBER("time"), { NULL, MEMBER_NUMBER, UBI_TEXT_WORDS } };

static const struct {
    const char *name;
    const member *members;
    bool has_figures; /* numbers of any other name belong to it */
} records[] = {
    { "marker", marker_members, false }, { "frame", frame_members, false }, { "thread", thread_members, false },
    { "memory", memory_members, true },  { "lost", lost_members, false },   { "end", end_members, false },
};
#define RECORDS (sizeof records / sizeof *records)

static const member *member_of(const member *members, const ubi__json_value *key) {
    for (; members->key; members++)
        if (ubi__json_value_is(key, members->key))
            return members;
    return NULL;
}

/* What is no number where one is due is as wrong in the copy, without what it says. */
static void put_number(job *j, const ubi__json_value *value) {
    if (value->type == UBI__JSON_STRING)
        ubi__json_string(&j->json, "");
    else if (value->type == UBI__JSON_ARRAY || value->type == UBI__JSON_OBJECT)
        ubi__json_raw(&j->json, ubi__text(value->type == UBI__JSON_ARRAY ? "[]" : "{}"));
    else
        ubi__json_raw(&j->json, value->raw);
}

static void put_day(job *j, const ubi__json_value *value) {
    uint64_t time_us;
    if (ubi__json_value_u64(&time_us, value))
        ubi__json_u64(&j->json, time_us - time_us % UBI__DAY_US);
    else
        ubi__json_null(&j->json);
}

static ubi_status put_details(job *j, const ubi__json_value *value) {
    bool is_sound;
    if (value->type != UBI__JSON_OBJECT) {
        put_number(j, value);
        return UBI_OK;
    }
    return ubi__map_details(&j->json, &j->mapper, value->raw, &is_sound); /* all of the line is, by now */
}

static ubi_status put_member(job *j, const member *m, const ubi__json_value *value) {
    ubi__json_key(&j->json, m->key);
    switch (m->type) {
    case MEMBER_NUMBER:
        put_number(j, value);
        return UBI_OK;
    case MEMBER_TIME_OF_DAY:
        put_day(j, value);
        return UBI_OK;
    case MEMBER_DETAILS:
        return put_details(j, value);
    case MEMBER_TEXT:
        break;
    }
    if (value->type == UBI__JSON_STRING)
        return ubi__map_json_string(&j->json, &j->mapper, m->role, value);
    ubi__json_null(&j->json);
    return UBI_OK;
}

/* Of memory: its name is a word like others. */
static ubi_status put_figure(job *j, const ubi__json_value *key, const ubi__json_value *value) {
    ubi_text name;
    if (value->type != UBI__JSON_NUMBER)
        return UBI_OK;
    UBI_TRY(ubi__json_value_text(&name, key, &j->mapper.scratch, j->allocator));
    UBI_TRY(j->mapper.map(j->mapper.payload, UBI_TEXT_DETAIL_KEY, name, &name));
    ubi__json_key_text(&j->json, name);
    ubi__json_raw(&j->json, value->raw);
    return UBI_OK;
}

/* ---- lines -------------------------------------------------------------------------------------------------------- */

static ubi_status fail_line(const job *j, const char *what) {
    return ubi__fail(UBI_EFORMAT, "line %" PRIu64 ": %s", j->lines.line, what);
}

/* Checks that the line is an object, and finds what it is. A member that is missing has no `raw`. */
static ubi_status look_at_line(job *j, ubi_text line, ubi__json_value *schema, ubi__json_value *record) {
    ubi__json_cursor c;
    ubi__json_value key, value;
    *schema = *record = (ubi__json_value){ .type = UBI__JSON_NULL };
    ubi__json_cursor_open(&c, line, UBI__JSON_OBJECT);
    while (ubi__json_cursor_next_member(&c, &key, &value)) {
        if (ubi__json_value_is(&key, "schema"))
            *schema = value;
        else if (ubi__json_value_is(&key, "record"))
            *record = value;
    }
    j->lines.is_cut = c.fault && c.at >= line.ptr + line.len;
    if (!c.fault)
        return UBI_OK;
    return ubi__fail(UBI_EFORMAT, "line %" PRIu64 ": byte %zu: expected %s", j->lines.line,
                     (size_t)(c.at - line.ptr) + 1, c.fault);
}

static ubi_status put_members(job *j, ubi_text line, const member *members, bool has_figures) {
    ubi__json_cursor c;
    ubi__json_value key, value;
    ubi__json_cursor_open(&c, line, UBI__JSON_OBJECT);
    while (ubi__json_cursor_next_member(&c, &key, &value)) {
        const member *m = member_of(members, &key);
        if (m)
            UBI_TRY(put_member(j, m, &value));
        else if (has_figures)
            UBI_TRY(put_figure(j, &key, &value));
    }
    return UBI_OK;
}

static ubi_status put_record(job *j, ubi_text line, const char *schema, const char *name, const member *members,
                             bool has_figures) {
    ubi__json_init(&j->json, keep_bytes, j, false);
    j->json.is_for_terminal = true;
    ubi__json_object_begin(&j->json);
    if (schema) {
        ubi__json_member_string(&j->json, "schema", schema);
    }
    ubi__json_member_string(&j->json, "record", name);
    UBI_TRY(put_members(j, line, members, has_figures));
    ubi__json_object_end(&j->json);
    return ubi__json_flush(&j->json) == UBI_OK ? end_line(j) : ubi__fail_nomem();
}

static ubi_status copy_header(job *j, ubi_text line) {
    ubi__json_value schema, record;
    ubi_status status = look_at_line(j, line, &schema, &record);
    if (status == UBI_EFORMAT && j->lines.is_cut && ubi__timeline_guess((const uint8_t *)line.ptr, line.len))
        return status;
    if (status != UBI_OK || !schema.raw.ptr || !ubi__json_value_is(&schema, UBI__TIMELINE_SCHEMA))
        return ubi__timeline_lines_refuse(&j->lines);
    return put_record(j, line, UBI__TIMELINE_SCHEMA, "header", header_members, false);
}

static ubi_status copy_record(job *j, ubi_text line) {
    ubi__json_value schema, record;
    UBI_TRY(look_at_line(j, line, &schema, &record));
    if (!record.raw.ptr || record.type == UBI__JSON_NULL)
        return fail_line(j, "expected \"record\" and what it is");
    for (size_t i = 0; i < RECORDS; i++)
        if (ubi__json_value_is(&record, records[i].name)) {
            j->copy->n_markers += i == 0;
            return put_record(j, line, NULL, records[i].name, records[i].members, records[i].has_figures);
        }
    return end_line(j);
}

static ubi_status copy_line(void *payload, ubi_text line) {
    job *j = payload;
    size_t whole = j->pending.n;
    UBI_ASSERT(whole == 0 || j->pending.at[whole - 1] == '\n'); /* whole lines */
    if (j->lines.line == 1)
        return copy_header(j, line);
    ubi_status status = line.len ? copy_record(j, line) : end_line(j);
    if (status == UBI_EFORMAT)
        j->pending.n = whole;
    return status;
}

/* ---- all of it ---------------------------------------------------------------------------------------------------- */

/* A fault after the first line is part of the result. */
static ubi_status copy_timeline(job *j, ubi__inflater *inflater, const ubi__source *source) {
    ubi__timeline_copy *copy = j->copy;
    ubi_status status = ubi__timeline_lines_read(&j->lines, inflater, source, &copy->progress);
    if (status == UBI_EFORMAT && j->lines.line > 1) {
        snprintf(copy->fault, sizeof copy->fault, "%s", ubi_error_message());
        status = UBI_OK;
    }
    UBI_TRY(status);
    copy->n_lines = j->lines.line - (copy->fault[0] != '\0');
    copy->input_bytes = ubi__inflater_input_bytes(inflater);
    return write_pending(j);
}

ubi_status ubi__timeline_copy_write(ubi__timeline_copy *copy, ubi__source *source, ubi__write_fn write, void *payload,
                                    const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    job j = { .copy = copy, .allocator = a, .write = write, .write_payload = payload };
    ubi__inflater *inflater;
    j.mapper = (ubi__text_mapper){ .map = copy->map_text, .payload = copy->map_text_payload, .allocator = a };
    j.lines = (ubi__timeline_lines){ .allocator = a, .take = copy_line, .payload = &j };
    copy->fault[0] = '\0';
    copy->output_bytes = copy->n_markers = 0;
    UBI_TRY(ubi__inflater_new(&inflater, source, false, a));
    ubi_status status = copy_timeline(&j, inflater, source);
    ubi__inflater_free(inflater);
    ubi__timeline_lines_fini(&j.lines);
    ubi__text_mapper_fini(&j.mapper);
    ubi__vec_u8_fini(&j.pending, a);
    return status;
}
