/* SPDX-License-Identifier: MIT
 *
 * remote_heap.c: see remote_heap.h.
 *
 * Servers differ by age. The oldest list targets in place of tabs, with the actors of each inline, and have the actors of the whole browser
 * in the same reply. Later ones list descriptors, which are asked for their target; if that has no memory actor, their watcher is.
 */
#include "rdp/remote_heap.h"

#include <stdio.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/json_reader.h"
#include "base/status.h"
#include "base/text.h"
#include "rdp/peer.h"

#define ACTOR_BYTES 200
#define SNAPSHOT_ID_BYTES 256
#define PIECE_BYTES (1 << 20)
/* Names of runtimes that are missing: of one reply, and bytes of all. */
#define MOST_MISSING 100
#define MISSING_BYTES 8192

struct ubi__remote {
    const ubi__remote_address *address;
    const ubi_allocator *allocator;
    ubi__rdp_peer *peer;
    bool is_process;
    bool is_attached;            /* the memory actor observes its heap */
    bool has_target;             /* of the watcher: its event came */
    char watcher[ACTOR_BYTES];   /* "": there is none */
    char memory[ACTOR_BYTES];    /* the actor of the chosen heap */
    char snapshots[ACTOR_BYTES]; /* the actor that hands out files; "": none is known yet */
    ubi__vec_u8 missing;         /* names of runtimes: a byte for the length, and as many */
};

static ubi_status remote_ask(ubi__remote *r, const char *actor, const char *type, const char *members,
                             ubi_text *reply) {
    return ubi__rdp_peer_ask(r->peer, actor, type, members, reply);
}

/* ---- connections ---------------------------------------------------------------------------------------------------- */

/* A target that the watcher found. The first of its kind is the top one. */
static void event_take(void *payload, ubi_text from, ubi_text type, ubi_text json) {
    ubi__remote *r = payload;
    ubi__json_value form;
    if (!r->watcher[0] || !ubi__text_is(from, r->watcher) || !ubi__text_is(type, "target-available-form") ||
        r->has_target || !ubi__json_object_find(&form, json, "target") || form.type != UBI__JSON_OBJECT)
        return;
    r->has_target = ubi__rdp_member_word(r->memory, sizeof r->memory, form.raw, "memoryActor");
}

static ubi__remote *remote_new(const ubi__remote_address *address, const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    ubi__remote *r = UBI_NEW(a, ubi__remote);
    if (r) {
        r->address = address;
        r->allocator = a;
    }
    return r;
}

static ubi__rdp_peer_options peer_options(ubi__remote *r, const ubi_progress *progress) {
    return (ubi__rdp_peer_options){ .host = r->address->host,
                                    .port = r->address->port,
                                    .scheme = r->address->scheme,
                                    .progress = progress,
                                    .allocator = r->allocator,
                                    .event = event_take,
                                    .payload = r };
}

static void remote_close(ubi__remote *r) {
    const ubi_allocator *a = r->allocator;
    ubi__rdp_peer_close(r->peer);
    ubi__vec_u8_fini(&r->missing, a);
    UBI_DELETE(a, r);
}

static ubi_status remote_finish(ubi__remote **out, ubi__remote *r, ubi_status status) {
    const char *hint = r->address->scheme->hint;
    char why[300];
    if (status == UBI_OK) {
        *out = r;
        return status;
    }
    remote_close(r);
    if (status != UBI_EIO && status != UBI_EFORMAT)
        return status;
    snprintf(why, sizeof why, "%s", ubi_error_message());
    return ubi__fail(status, "%s; %s", why, hint);
}

static ubi_status remote_open(ubi__remote **out, const ubi__remote_address *address, const ubi_progress *progress,
                              const ubi_allocator *allocator) {
    ubi__remote *r = remote_new(address, allocator);
    if (!r)
        return ubi__fail_nomem();
    const ubi__rdp_peer_options options = peer_options(r, progress);
    return remote_finish(out, r, ubi__rdp_peer_open(&r->peer, &options));
}

ubi_status ubi__rdp_remote_adopt(ubi__remote **out, int fd, const ubi__remote_address *address,
                                 const ubi_progress *progress, const ubi_allocator *allocator) {
    ubi__remote *r = remote_new(address, allocator);
    if (!r) {
        close(fd);
        return ubi__fail_nomem();
    }
    const ubi__rdp_peer_options options = peer_options(r, progress);
    return remote_finish(out, r, ubi__rdp_peer_adopt(&r->peer, fd, &options));
}

/* ---- tabs and processes --------------------------------------------------------------------------------------------- */

static bool is_true(ubi_text object, const char *name) {
    ubi__json_value value;
    return ubi__json_object_find(&value, object, name) && value.type == UBI__JSON_TRUE;
}

/* A number of old servers: which tab is selected. */
static uint64_t selected_index(ubi_text reply) {
    ubi__json_value value;
    uint64_t index;
    return ubi__json_object_find(&value, reply, "selected") && ubi__json_value_u64(&index, &value) ? index : UINT64_MAX;
}

/* The next object of an array; false at its end. */
static bool next_form(ubi__json_cursor *forms, ubi_text *out) {
    ubi__json_value form;
    while (ubi__json_cursor_next_element(forms, &form))
        if (form.type == UBI__JSON_OBJECT) {
            *out = form.raw;
            return true;
        }
    return false;
}

/* False: the reply has no such array. */
static bool forms_open(ubi__json_cursor *out, ubi_text reply, const char *name) {
    ubi__json_value forms;
    if (!ubi__json_object_find(&forms, reply, name) || forms.type != UBI__JSON_ARRAY)
        return false;
    ubi__json_cursor_open(out, forms.raw, UBI__JSON_ARRAY);
    return true;
}

static ubi_status tabs_ask(ubi__remote *r, ubi_text *reply, ubi__json_cursor *tabs) {
    UBI_TRY(remote_ask(r, "root", "listTabs", NULL, reply));
    if (!forms_open(tabs, *reply, "tabs"))
        return ubi__fail(UBI_EFORMAT, "answered listTabs without a list of tabs");
    (void)ubi__rdp_member_word(r->snapshots, sizeof r->snapshots, *reply, "heapSnapshotFileActor");
    return UBI_OK;
}

static ubi_status tabs_list(ubi__remote *r, ubi__remote_each *each, void *payload) {
    ubi__vec_u8 title = { NULL, 0, 0 }, url = { NULL, 0, 0 };
    ubi__json_cursor tabs;
    ubi_text reply, form;
    ubi_status status = tabs_ask(r, &reply, &tabs);
    uint64_t selected = status == UBI_OK ? selected_index(reply) : 0;
    for (uint64_t i = 0; status == UBI_OK && next_form(&tabs, &form); i++) {
        ubi__remote_row row = { .choice = UBI__REMOTE_TAB,
                                .number = i + 1,
                                .is_selected = i == selected || is_true(form, "selected") };
        status = ubi__json_member_value_text(&row.title, form, "title", &title, r->allocator);
        if (status == UBI_OK)
            status = ubi__json_member_value_text(&row.url, form, "url", &url, r->allocator);
        if (status == UBI_OK)
            status = each(payload, &row);
    }
    ubi__vec_u8_fini(&title, r->allocator);
    ubi__vec_u8_fini(&url, r->allocator);
    return status;
}

/* Old servers have no list of processes. */
static ubi_status processes_ask(ubi__remote *r, ubi__vec_u64 *numbers) {
    ubi__json_cursor processes;
    ubi_text reply, form;
    ubi_status status = remote_ask(r, "root", "listProcesses", NULL, &reply);
    if (status == UBI_ESTATE)
        return UBI_OK;
    UBI_TRY(status);
    if (!forms_open(&processes, reply, "processes"))
        return ubi__fail(UBI_EFORMAT, "answered listProcesses without a list of processes");
    while (next_form(&processes, &form)) {
        ubi__json_value id;
        uint64_t number;
        if (ubi__json_object_find(&id, form, "id") && ubi__json_value_u64(&number, &id))
            UBI_TRY(ubi__vec_u64_push(numbers, r->allocator, number));
    }
    return UBI_OK;
}

/* All is asked before the first row is given. */
static ubi_status remote_list(ubi__remote *r, ubi__remote_each *each, void *payload) {
    ubi__vec_u64 numbers = { NULL, 0, 0 };
    ubi_status status = processes_ask(r, &numbers);
    if (status == UBI_OK)
        status = tabs_list(r, each, payload);
    for (size_t i = 0; status == UBI_OK && i < numbers.n; i++) {
        const ubi__remote_row row = { .choice = UBI__REMOTE_PROCESS, .number = numbers.at[i] };
        status = each(payload, &row);
    }
    ubi__vec_u64_fini(&numbers, r->allocator);
    return status;
}

/* ---- the chosen heap ------------------------------------------------------------------------------------------------ */

/* What to look for among tabs. */
static bool is_chosen(const ubi__remote_address *address, uint64_t i, bool is_selected) {
    return address->choice == UBI__REMOTE_TAB ? i + 1 == address->number : is_selected;
}

static ubi_status tab_find(ubi__remote *r, ubi_text *out) {
    ubi__json_cursor tabs;
    ubi_text reply, form, first = { NULL, 0 };
    uint64_t n = 0;
    UBI_TRY(tabs_ask(r, &reply, &tabs));
    uint64_t selected = selected_index(reply);
    for (; next_form(&tabs, &form); n++) {
        first = n == 0 ? form : first;
        if (is_chosen(r->address, n, n == selected || is_true(form, "selected"))) {
            *out = form;
            return UBI_OK;
        }
    }
    if (r->address->choice == UBI__REMOTE_TAB)
        return ubi__remote_fail_missing(r->address, n);
    *out = first;
    return n ? UBI_OK : ubi__fail(UBI_ENOTFOUND, "has no tab");
}

static ubi_status target_missing(void) {
    return ubi__fail(UBI_ESTATE, "has no memory actor for this, so that nothing can be asked about its heap");
}

/* The event with the target comes before the reply, or after it. */
static ubi_status watcher_ask(ubi__remote *r, const char *descriptor) {
    ubi_text reply;
    UBI_TRY(remote_ask(r, descriptor, "getWatcher",
                       "\"isServerTargetSwitchingEnabled\":true,\"isPopupDebuggingEnabled\":false", &reply));
    if (!ubi__rdp_member_word(r->watcher, sizeof r->watcher, reply, "actor"))
        return ubi__fail(UBI_EFORMAT, "answered getWatcher without a watcher");
    UBI_TRY(remote_ask(r, r->watcher, "watchTargets", "\"targetType\":\"frame\"", &reply));
    UBI_TRY(ubi__rdp_peer_wait(r->peer, 5000000, &r->has_target));
    return r->has_target ? UBI_OK : target_missing();
}

/* `key`: what the reply to getTarget has it as. */
static ubi_status target_ask(ubi__remote *r, const char *descriptor, const char *key) {
    ubi__json_value form;
    ubi_text reply;
    ubi_status status = remote_ask(r, descriptor, "getTarget", NULL, &reply);
    if (status != UBI_OK && status != UBI_ESTATE)
        return status;
    if (status == UBI_OK && ubi__json_object_find(&form, reply, key) && form.type == UBI__JSON_OBJECT &&
        ubi__rdp_member_word(r->memory, sizeof r->memory, form.raw, "memoryActor"))
        return UBI_OK;
    return r->is_process ? (status == UBI_OK ? target_missing() : status) : watcher_ask(r, descriptor);
}

static ubi_status form_attach(ubi__remote *r, ubi_text form, const char *key) {
    char descriptor[ACTOR_BYTES];
    if (ubi__rdp_member_word(r->memory, sizeof r->memory, form, "memoryActor"))
        return UBI_OK;
    if (!ubi__rdp_member_word(descriptor, sizeof descriptor, form, "actor"))
        return ubi__fail(UBI_EFORMAT, "lists a heap without an actor");
    return target_ask(r, descriptor, key);
}

/* Why there is no such process, where a list of them says so; otherwise the refusal stays what it was. */
static ubi_status process_missing(ubi__remote *r, ubi_status status) {
    char refusal[512];
    ubi__vec_u64 numbers = { NULL, 0, 0 };
    snprintf(refusal, sizeof refusal, "%s", ubi_error_message());
    bool is_listed = processes_ask(r, &numbers) != UBI_OK || numbers.n == 0;
    for (size_t i = 0; !is_listed && i < numbers.n; i++)
        is_listed = numbers.at[i] == r->address->number;
    size_t n = numbers.n;
    ubi__vec_u64_fini(&numbers, r->allocator);
    if (is_listed)
        return ubi__fail(status, "%s", refusal);
    return ubi__remote_fail_missing(r->address, n);
}

/* A descriptor; of old servers the target itself. */
static ubi_status process_find(ubi__remote *r, ubi_text *out) {
    char members[40];
    ubi__json_value form;
    ubi_text reply;
    snprintf(members, sizeof members, "\"id\":%llu", (unsigned long long)r->address->number);
    ubi_status status = remote_ask(r, "root", "getProcess", members, &reply);
    if (status == UBI_ESTATE)
        return process_missing(r, status);
    UBI_TRY(status);
    if (!ubi__json_object_find(&form, reply, "processDescriptor") && !ubi__json_object_find(&form, reply, "form"))
        return ubi__fail(UBI_EFORMAT, "answered getProcess without a process");
    if (form.type != UBI__JSON_OBJECT)
        return ubi__fail(UBI_ENOTFOUND, "has no process %llu", (unsigned long long)r->address->number);
    *out = form.raw;
    return UBI_OK;
}

static ubi_status remote_attach(ubi__remote *r) {
    ubi_text form;
    r->is_process = r->address->choice == UBI__REMOTE_PROCESS;
    if (r->is_process)
        UBI_TRY(process_find(r, &form));
    else
        UBI_TRY(tab_find(r, &form));
    return form_attach(r, form, r->is_process ? "process" : "frame");
}

/* A heap that cannot be observed can still be measured: it is observed only for what needs that. */
static ubi_status remote_observe(ubi__remote *r) {
    ubi_text reply;
    if (!r->is_attached)
        UBI_TRY(remote_ask(r, r->memory, "attach", NULL, &reply));
    r->is_attached = true;
    return UBI_OK;
}

/* ---- who took part -------------------------------------------------------------------------------------------------- */

/* The next after `*at`; false: there is none. */
static bool missing_next(ubi_text *out, const ubi__remote *r, size_t *at) {
    if (*at >= r->missing.n)
        return false;
    *out = (ubi_text){ (const char *)r->missing.at + *at + 1, r->missing.at[*at] };
    *at += 1 + out->len;
    return true;
}

static bool missing_has(const ubi__remote *r, ubi_text name) {
    ubi_text one;
    size_t at = 0;
    while (missing_next(&one, r, &at))
        if (ubi__text_equal(one, name))
            return true;
    return false;
}

static ubi_status missing_name_note(ubi__remote *r, const ubi__json_value *value, ubi__vec_u8 *scratch) {
    ubi_text name;
    UBI_TRY(ubi__json_value_text(&name, value, scratch, r->allocator));
    if (name.len > UINT8_MAX)
        for (name.len = UINT8_MAX; name.len && ((uint8_t)name.ptr[name.len] & 0xc0) == 0x80;) /* between characters */
            name.len--;
    if (r->missing.n + name.len >= MISSING_BYTES || missing_has(r, name))
        return UBI_OK;
    char entry[1 + UINT8_MAX] = { (char)name.len };
    memcpy(entry + 1, name.ptr, name.len);
    return ubi__bytes_append(&r->missing, entry, 1 + name.len, r->allocator);
}

/* Our servers name them. */
static ubi_status missing_note(ubi__remote *r, ubi_text reply) {
    ubi__vec_u8 scratch = { NULL, 0, 0 };
    ubi__json_cursor names;
    ubi__json_value name;
    ubi_status status = UBI_OK;
    if (!forms_open(&names, reply, "missingRuntimes"))
        return UBI_OK;
    for (int i = 0; i < MOST_MISSING && status == UBI_OK && ubi__json_cursor_next_element(&names, &name); i++)
        if (name.type == UBI__JSON_STRING)
            status = missing_name_note(r, &name, &scratch);
    ubi__vec_u8_fini(&scratch, r->allocator);
    return status;
}

static void remote_missing(ubi__remote *r, ubi__remote_name *take, void *payload) {
    ubi_text name;
    size_t at = 0;
    while (missing_next(&name, r, &at))
        take(payload, name);
    r->missing.n = 0;
}

/* The reply stays until the next request. */
static ubi_status memory_ask(ubi__remote *r, const char *type, const char *members, ubi_text *reply) {
    UBI_TRY(remote_ask(r, r->memory, type, members, reply));
    return missing_note(r, *reply);
}

/* ---- snapshots ------------------------------------------------------------------------------------------------------ */

/* Old servers said it in their list of tabs, and do not know getRoot. */
static ubi_status snapshots_find(ubi__remote *r) {
    ubi_text reply;
    ubi_status status = remote_ask(r, "root", "getRoot", NULL, &reply);
    if (status == UBI_OK)
        (void)ubi__rdp_member_word(r->snapshots, sizeof r->snapshots, reply, "heapSnapshotFileActor");
    if (status == UBI_ESTATE && r->snapshots[0])
        return UBI_OK;
    UBI_TRY(status);
    return r->snapshots[0] ? UBI_OK : ubi__fail(UBI_ESTATE, "has no actor that hands out snapshots");
}

/* As the other side says it, where it does. */
static uint64_t pause_of(ubi_text reply, uint64_t seen_us) {
    ubi__json_value value;
    double pause_ms;
    bool is_said =
        ubi__json_object_find(&value, reply, "pauseMilliseconds") && ubi__json_value_number(&pause_ms, &value);
    return is_said && pause_ms >= 0 && pause_ms * 1e3 < (double)seen_us ? (uint64_t)(pause_ms * 1e3) : seen_us;
}

/* Has the heap saved; `id` as JSON has it, without quotes. */
static ubi_status snapshot_save(ubi__remote *r, char id[SNAPSHOT_ID_BYTES], uint64_t *pause_us) {
    ubi__json_value value;
    ubi_text reply;
    ubi__rdp_peer_set_stage(r->peer, "waiting for the snapshot");
    uint64_t start_ns = ubi_process_clock_ns();
    UBI_TRY(memory_ask(r, "saveHeapSnapshot", r->is_process ? "\"boundaries\":{\"runtime\":true}" : NULL, &reply));
    if (pause_us)
        *pause_us = pause_of(reply, (ubi_process_clock_ns() - start_ns) / 1000);
    if (!ubi__json_object_find(&value, reply, "snapshotId") || value.type != UBI__JSON_STRING ||
        value.raw.len >= SNAPSHOT_ID_BYTES)
        return ubi__fail(UBI_EFORMAT, "answered saveHeapSnapshot without the id of a snapshot");
    memcpy(id, value.raw.ptr, value.raw.len);
    id[value.raw.len] = '\0';
    return UBI_OK;
}

/* One piece, and how large the file is. */
static ubi_status piece_ask(ubi__remote *r, ubi__vec_u8 *piece, const char *id, uint64_t offset, uint64_t *n_bytes) {
    char members[SNAPSHOT_ID_BYTES + 80];
    ubi__json_value data, size;
    ubi_text reply;
    snprintf(members, sizeof members, "\"snapshotId\":\"%s\",\"offset\":%llu,\"length\":%d", id,
             (unsigned long long)offset, PIECE_BYTES);
    UBI_TRY(remote_ask(r, r->snapshots, "readHeapSnapshot", members, &reply));
    if (!ubi__json_object_find(&data, reply, "data") || data.type != UBI__JSON_STRING || data.has_escapes ||
        !ubi__json_object_find(&size, reply, "size") || !ubi__json_value_u64(n_bytes, &size))
        return ubi__fail(UBI_EFORMAT, "answered readHeapSnapshot without a piece of the snapshot");
    piece->n = 0;
    UBI_TRY(ubi__base64_decode(piece, data.raw, r->allocator));
    if (piece->n > *n_bytes - offset || *n_bytes < offset || (piece->n == 0 && offset < *n_bytes))
        return ubi__fail(UBI_EFORMAT, "answered readHeapSnapshot with a piece that does not fit");
    return UBI_OK;
}

static ubi_status pieces_read(ubi__remote *r, const char *id, ubi__vec_u8 *piece, ubi_write_fn write, void *payload) {
    uint64_t offset = 0, n_bytes = 0;
    do {
        UBI_TRY(piece_ask(r, piece, id, offset, &n_bytes));
        if (piece->n && !write(payload, piece->at, piece->n))
            return ubi__fail(UBI_EIO, "cannot write what is transferred");
        offset += piece->n;
    } while (offset < n_bytes);
    return UBI_OK;
}

/* Servers that send no bulk packets may hand it out in pieces, as ours do. If they do not, the first refusal is the one to tell. */
static ubi_status snapshot_read(ubi__remote *r, const char *id, ubi_write_fn write, void *payload) {
    char refusal[512];
    ubi__vec_u8 piece = { NULL, 0, 0 };
    snprintf(refusal, sizeof refusal, "%s", ubi_error_message());
    ubi_status status = pieces_read(r, id, &piece, write, payload);
    ubi__vec_u8_fini(&piece, r->allocator);
    return status == UBI_ESTATE ? ubi__fail(UBI_ESTATE, "%s", refusal) : status;
}

static ubi_status remote_snapshot(ubi__remote *r, ubi_write_fn write, void *payload, uint64_t *pause_us) {
    char id[SNAPSHOT_ID_BYTES], members[SNAPSHOT_ID_BYTES + 20];
    UBI_TRY(remote_observe(r));
    UBI_TRY(snapshots_find(r));
    UBI_TRY(snapshot_save(r, id, pause_us));
    snprintf(members, sizeof members, "\"snapshotId\":\"%s\"", id);
    ubi_status status = ubi__rdp_peer_fetch(r->peer, r->snapshots, "transferHeapSnapshot", members, write, payload);
    return status == UBI_ESTATE ? snapshot_read(r, id, write, payload) : status;
}

/* ---- what else there is to ask -------------------------------------------------------------------------------------- */

static ubi_status memory_document(ubi__remote *r, const char *type, ubi__remote_document *take, void *payload) {
    ubi_text reply;
    UBI_TRY(memory_ask(r, type, NULL, &reply));
    return take(payload, reply);
}

static ubi_status remote_census(ubi__remote *r, ubi__remote_document *take, void *payload) {
    UBI_TRY(remote_observe(r));
    return memory_document(r, "takeCensus", take, payload);
}

static ubi_status remote_measure(ubi__remote *r, ubi__remote_document *take, void *payload) {
    return memory_document(r, "measure", take, payload);
}

static ubi_status remote_collect(ubi__remote *r) {
    ubi_text reply;
    ubi__rdp_peer_set_stage(r->peer, "collecting garbage");
    UBI_TRY(memory_ask(r, "forceGarbageCollection", NULL, &reply));
    return memory_ask(r, "forceCycleCollection", NULL, &reply);
}

static ubi_status remote_record_start(ubi__remote *r, const ubi__remote_recording *options, double *start_ms) {
    char members[120];
    ubi__json_value value;
    ubi_text reply;
    snprintf(members, sizeof members, "\"options\":{\"probability\":%.9g,\"maxLogLength\":%u}", options->probability,
             options->log_limit);
    UBI_TRY(remote_observe(r));
    UBI_TRY(remote_ask(r, r->memory, "startRecordingAllocations", members, &reply));
    bool has_time = ubi__json_object_find(&value, reply, "value") && ubi__json_value_number(start_ms, &value);
    return has_time ? UBI_OK : ubi__fail(UBI_EFORMAT, "answered startRecordingAllocations without a time");
}

static ubi_status remote_wait(ubi__remote *r, const char *stage, uint64_t microseconds) {
    ubi__rdp_peer_set_stage(r->peer, stage);
    return ubi__rdp_peer_wait(r->peer, microseconds, NULL);
}

static ubi_status remote_record_take(ubi__remote *r, ubi__remote_document *take, void *payload) {
    UBI_TRY(remote_observe(r));
    return memory_document(r, "getAllocations", take, payload);
}

static ubi_status remote_record_stop(ubi__remote *r) {
    ubi_text reply;
    UBI_TRY(remote_observe(r));
    return remote_ask(r, r->memory, "stopRecordingAllocations", NULL, &reply);
}

const ubi__remote_ops ubi__rdp_remote_ops = {
    .open = remote_open,
    .close = remote_close,
    .list = remote_list,
    .attach = remote_attach,
    .snapshot = remote_snapshot,
    .census = remote_census,
    .collect = remote_collect,
    .measure = remote_measure,
    .record_start = remote_record_start,
    .wait = remote_wait,
    .record_take = remote_record_take,
    .record_stop = remote_record_stop,
    .missing = remote_missing,
};
