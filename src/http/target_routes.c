/* SPDX-License-Identifier: MIT
 *
 * target_routes.c: what clients have live heaps do: errands at the desk, which wait for the heap.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/human.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/status.h"
#include "base/text.h"
#include "http/http.h"

typedef struct target_errand {
    ubi_http_server *server;
    ubi__live_heap *heap; /* a reference */
    uint64_t number;
    char name[140]; /* of what is saved */
    char path[4096];
    ubi__live_recording wanted;
} target_errand;

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

/* ---- errands -------------------------------------------------------------------------------------------------------- */

static void errand_release(void *payload) {
    target_errand *t = payload;
    ubi__live_heap_unref(t->heap);
    UBI_DELETE(memory(), t);
}

static ubi_status errand_make(target_errand **out, ubi__exchange *e) {
    target_errand *t = UBI_NEW(memory(), target_errand);
    if (!t)
        return ubi__fail_nomem();
    t->server = e->server;
    ubi_status status = ubi__http_target_get(&t->heap, &t->number, e);
    if (status == UBI_OK)
        *out = t;
    else
        UBI_DELETE(memory(), t);
    return status;
}

/* Nothing but the target is asked for. */
static enum MHD_Result errand_begin(ubi__exchange *e, const char *title,
                                    ubi_status (*perform)(ubi__vec_u8 *, void *, const ubi_progress *)) {
    target_errand *t = NULL;
    ubi_status status = errand_make(&t, e);
    if (status != UBI_OK)
        return ubi__reply_error(e, status);
    const ubi__desk_errand errand = { title, perform, errand_release, t };
    return ubi__http_errand(e, &errand);
}

/* ---- saving --------------------------------------------------------------------------------------------------------- */

static ubi_status save_errand(ubi__vec_u8 *answer, void *payload, const ubi_progress *progress) {
    target_errand *t = payload;
    const ubi__shelf_heap *heap = NULL;
    const ubi__shelf_item item = { t->path, t->name, UBI__SHELF_SAVED };
    UBI_TRY(ubi__live_heap_save(t->heap, t->path, progress));
    ubi_status status = ubi__shelf_add(&heap, t->server->shelf, &item);
    if (status != UBI_OK) {
        (void)remove(t->path);
        return status;
    }
    status = ubi__http_heap_document(answer, heap);
    ubi__shelf_heap_unref(heap);
    return status;
}

#define MOST_ADDRESS_BYTES ((size_t)80) /* of a name */

/* "127.0.0.1-6080-tab-2 2026-11-28 14.05.09 UTC" of "127.0.0.1:6080/tab/2": which program, and when; good as the name of a file. */
static void program_name(char *out, size_t size, const char *address) {
    char when[UBI__HUMAN_TEXT];
    size_t n = 0;
    for (const char *at = address; *at && n < MOST_ADDRESS_BYTES; at++)
        if (!strchr("[]", *at))
            out[n++] = *at == ':' || *at == '/' ? '-' : *at;
    while (n > 0 && out[n - 1] == '-') /* of an address that ends with a slash */
        n--;
    snprintf(out + n, size - n, " %s", ubi__human_time(when, (uint64_t)time(NULL) * 1000000));
    for (char *colon = out + n; (colon = strchr(colon, ':'));)
        *colon = '.';
}

/* Names are no paths. */
static void save_name(target_errand *t, const char *wanted) {
    const char *own = ubi__live_heap_name(t->heap), *address = strstr(own, "://"), *kind = ubi__live_heap_kind(t->heap);
    bool is_given = wanted && *wanted, is_process = strncmp(own, kind, strlen(kind)) == 0 && own[strlen(kind)] == ':';
    if ((address || is_process) && !is_given)
        program_name(t->name, sizeof t->name, address ? address + strlen("://") : own);
    else
        snprintf(t->name, sizeof t->name, "%.120s", is_given ? wanted : own);
    for (char *c = t->name; *c; c++)
        *c = (unsigned char)*c < 0x20 || *c == 0x7f || *c == '/' ? '_' : *c;
}

enum MHD_Result ubi__http_target_save(ubi__exchange *e) {
    target_errand *t = NULL;
    ubi_status status = errand_make(&t, e);
    if (status != UBI_OK)
        return ubi__reply_error(e, status);
    save_name(t, ubi__http_address_value(&e->address, "name"));
    ubi__private_folder_name(t->path, &e->server->folder, ".fxsnapshot");
    const ubi__desk_errand errand = { "save", save_errand, errand_release, t };
    return ubi__http_errand(e, &errand);
}

/* ---- collecting ----------------------------------------------------------------------------------------------------- */

static ubi_status collect_errand(ubi__vec_u8 *answer, void *payload, const ubi_progress *progress) {
    target_errand *t = payload;
    UBI_TRY(ubi__live_heap_collect(t->heap, progress));
    return ubi__http_target_document(answer, t->number, t->heap);
}

enum MHD_Result ubi__http_target_collect(ubi__exchange *e) {
    return errand_begin(e, "collect", collect_errand);
}

/* ---- measuring ------------------------------------------------------------------------------------------------------ */

#define MOST_ROWS 64

typedef struct measured {
    uint64_t number;
    struct {
        char name[48];
        uint64_t value;
        bool is_bytes;
    } rows[MOST_ROWS];
    size_t n;
} measured;

/* What there is beyond the limit is no measurement. */
static void row_take(void *payload, const ubi_measure_row *row) {
    measured *m = payload;
    if (m->n == MOST_ROWS || row->name.len >= sizeof m->rows[0].name)
        return;
    snprintf(m->rows[m->n].name, sizeof m->rows[0].name, "%.*s", (int)row->name.len, row->name.ptr);
    m->rows[m->n].value = row->value;
    m->rows[m->n++].is_bytes = row->is_bytes;
}

static void measured_put(ubi__json *json, const void *payload) {
    const measured *m = payload;
    char id[24];
    snprintf(id, sizeof id, "t%llu", (unsigned long long)m->number);
    ubi__json_member_string(json, "target", id);
    ubi__json_member_array(json, "rows");
    for (size_t i = 0; i < m->n; i++) {
        ubi__json_object_begin(json);
        ubi__json_member_string(json, "name", m->rows[i].name);
        ubi__json_member_u64(json, m->rows[i].is_bytes ? "bytes" : "count", m->rows[i].value);
        ubi__json_object_end(json);
    }
    ubi__json_array_end(json);
}

static ubi_status measure_errand(ubi__vec_u8 *answer, void *payload, const ubi_progress *progress) {
    const target_errand *t = payload;
    measured m = { .number = t->number };
    UBI_TRY(ubi__live_heap_measure(t->heap, row_take, &m, progress));
    return ubi__http_document(answer, "ubiheap.measure/1", measured_put, &m);
}

enum MHD_Result ubi__http_target_measure(ubi__exchange *e) {
    return errand_begin(e, "measure", measure_errand);
}

/* ---- recording ------------------------------------------------------------------------------------------------------ */

static ubi_status record_errand(ubi__vec_u8 *answer, void *payload, const ubi_progress *progress) {
    target_errand *t = payload;
    UBI_TRY(ubi__live_heap_record(t->heap, &t->wanted, progress));
    return ubi__http_target_document(answer, t->number, t->heap);
}

static ubi_status recording_member_read(ubi__live_recording *out, const ubi__json_value *key,
                                        const ubi__json_value *value, bool *has_switch) {
    uint64_t entries;
    if (ubi__json_value_is(key, "isOn")) {
        out->is_on = value->type == UBI__JSON_TRUE;
        *has_switch = out->is_on || value->type == UBI__JSON_FALSE;
        return *has_switch ? UBI_OK : ubi__fail(UBI_EINVAL, "isOn: expected true or false");
    }
    if (ubi__json_value_is(key, "probability")) {
        bool is_right = value->type == UBI__JSON_NUMBER && ubi__json_value_number(&out->probability, value) &&
                        out->probability >= 0 && out->probability <= 1;
        return is_right ? UBI_OK : ubi__fail(UBI_EINVAL, "probability: expected a number from 0 to 1");
    }
    if (!ubi__json_value_is(key, "maxLogLength"))
        return ubi__fail(UBI_EINVAL, "there is no member '%.*s', but isOn, probability and maxLogLength",
                         (int)(key->raw.len < 40 ? key->raw.len : 40), key->raw.ptr);
    if (!ubi__json_value_u64(&entries, value) || entries == 0 || entries > INT32_MAX)
        return ubi__fail(UBI_EINVAL, "maxLogLength: expected a whole number from 1 to %d", INT32_MAX);
    out->log_limit = (uint32_t)entries;
    return UBI_OK;
}

/* What is not given stays as it is said to be now, as with the protocol. */
static ubi_status recording_read(ubi__live_recording *out, const ubi__exchange *e) {
    ubi_text body = { (const char *)e->body.at, e->body.n };
    ubi__json_cursor c;
    ubi__json_value whole, key, value;
    bool has_switch = false;
    if (!body.len || !ubi__json_value_whole(&c, &whole, body) || whole.type != UBI__JSON_OBJECT)
        return ubi__fail(UBI_EINVAL, "expected a JSON object such as {\"isOn\": true}");
    ubi__json_cursor_open(&c, body, UBI__JSON_OBJECT);
    while (ubi__json_cursor_next_member(&c, &key, &value))
        UBI_TRY(recording_member_read(out, &key, &value, &has_switch));
    return has_switch ? UBI_OK : ubi__fail(UBI_EINVAL, "isOn is missing: true or false");
}

enum MHD_Result ubi__http_target_record(ubi__exchange *e) {
    target_errand *t = NULL;
    ubi__live_state state;
    ubi_status status = errand_make(&t, e);
    if (status != UBI_OK)
        return ubi__reply_error(e, status);
    ubi__live_heap_state(&state, t->heap);
    t->wanted = state.recording;
    status = recording_read(&t->wanted, e);
    if (status != UBI_OK) {
        errand_release(t);
        return ubi__reply_error(e, status);
    }
    const ubi__desk_errand errand = { "record", record_errand, errand_release, t };
    return ubi__http_errand(e, &errand);
}
