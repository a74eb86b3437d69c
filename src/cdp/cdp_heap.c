/* SPDX-License-Identifier: MIT
 *
 * cdp_heap.c: see cdp_heap.h.
 */
#include "cdp/cdp_heap.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/status.h"
#include "base/text.h"
#include "cdp/cdp_peer.h"
#include "cdp/cdp_targets.h"
#include "cdp/network_space.h"
#include "cdp/node_inspector.h"
#include "cdp/snapshot_room.h"

#define LOOPBACK "127.0.0.1"
#define TICK_US 100000
#define CLOSE_TURNS 30
#define MOST_NS ((uint64_t)30000000000)

struct ubi__remote {
    const ubi__remote_address *address;
    const ubi_progress *progress;
    const ubi_allocator *allocator;
    const char *host;
    uint16_t port;
    bool was_opened;  /* the inspector, by us */
    bool is_counted;  /* among those that use an inspector which one of us opened */
    ubi__vec_u8 list; /* of targets, as it came */
    char path[UBI__CDP_PATH_BYTES];
    bool is_node;
    ubi__cdp_peer *peer; /* NULL: nothing is attached to */
    /* while a snapshot is transferred: */
    ubi_write_fn write;
    void *payload;
    ubi__vec_u8 scratch;
    uint64_t n_bytes;
};

/* ---- where it listens ----------------------------------------------------------------------------------------------- */

static ubi__web_options web_options(const ubi__remote *r) {
    return (ubi__web_options){ .host = r->host,
                               .port = r->port,
                               .scheme = r->address->scheme,
                               .progress = r->progress,
                               .allocator = r->allocator };
}

static ubi_status list_fetch(ubi__remote *r) {
    const ubi__web_options web = web_options(r);
    return ubi__web_fetch(&r->list, &web, "/json/list");
}

static ubi_status type_note(void *payload, const ubi__cdp_target *target) {
    bool *is_node = payload;
    *is_node = *is_node || ubi__text_is(target->type, "node");
    return UBI_OK;
}

/* Programs listen for many things: whether it is an inspector is what it answers. */
static ubi_status ports_try(ubi__remote *r, bool *is_found) {
    ubi__node_ports ports;
    *is_found = false;
    UBI_TRY(ubi__node_ports_find(&ports, "", (pid_t)r->address->pid));
    for (size_t i = 0; i < ports.n && !*is_found; i++) {
        r->port = ports.at[i];
        ubi_status status = list_fetch(r);
        if (status == UBI_OK)
            status = ubi__cdp_targets_read((ubi_text){ (const char *)r->list.at, r->list.n }, type_note, is_found,
                                           r->allocator);
        if (status == UBI_ENOMEM || status == UBI_ECANCELLED)
            return status;
    }
    return UBI_OK;
}

static const char *inspector_stage(const ubi__remote *r, uint64_t start_ns) {
    uint64_t patience_ns = 5 * (uint64_t)1000000000;
    const char *silence = r->address->scheme->silences[UBI__REMOTE_CONNECTING];
    return silence && ubi_process_clock_ns() - start_ns >= patience_ns ? silence : "waiting for the inspector";
}

/* A process has the number: its inspector listens, or is asked to. */
static ubi_status inspector_find(ubi__remote *r) {
    bool is_found;
    r->host = LOOPBACK;
    UBI_TRY(ports_try(r, &is_found));
    if (is_found)
        return UBI_OK;
    UBI_TRY(ubi__node_open((pid_t)r->address->pid));
    r->was_opened = true;
    uint64_t start_ns = ubi_process_clock_ns();
    while (!is_found) {
        if (!ubi__progress(r->progress, inspector_stage(r, start_ns), 0, 0))
            return ubi__fail_cancelled();
        if (ubi_process_clock_ns() - start_ns > MOST_NS)
            return ubi__fail(UBI_EIO, "its inspector did not open in 30 s: the program is busy, does something of its "
                                      "own on SIGUSR1, or another program has the port");
        usleep(TICK_US);
        if (ubi__node_check("", (pid_t)r->address->pid) != UBI_OK)
            return ubi__fail(UBI_EIO, "the program ended before its inspector was open");
        UBI_TRY(ports_try(r, &is_found));
    }
    return UBI_OK;
}

/* ---- connections ---------------------------------------------------------------------------------------------------- */

static ubi_status event_take(void *payload, ubi_text method, ubi_text params);

static ubi_status peer_open(ubi__remote *r) {
    const ubi__cdp_peer_options options = { .host = r->host,
                                            .port = r->port,
                                            .scheme = r->address->scheme,
                                            .progress = r->progress,
                                            .allocator = r->allocator,
                                            .event = event_take,
                                            .payload = r };
    return ubi__cdp_peer_open(&r->peer, &options, r->path);
}

static ubi_status first_path_take(void *payload, const ubi__cdp_target *target) {
    char *path = payload;
    if (!path[0])
        memcpy(path, target->path, UBI__CDP_PATH_BYTES);
    return UBI_OK;
}

/* It was asked to open, and we are to leave before it did: it is waited for, as long as a program that is not busy needs. */
static bool inspector_await(ubi__remote *r) {
    bool is_found = r->list.n > 0;
    for (int i = 0; i < CLOSE_TURNS && !is_found; i++) {
        if (i > 0)
            usleep(TICK_US);
        if (ports_try(r, &is_found) != UBI_OK)
            return false;
    }
    return is_found;
}

/* A connection that failed is replaced. */
static ubi_status inspector_reach(ubi__remote *r) {
    ubi__cdp_peer_close(r->peer);
    r->peer = NULL;
    r->path[0] = '\0';
    const ubi_text list = { (const char *)r->list.at, r->list.n };
    UBI_TRY(ubi__cdp_targets_read(list, first_path_take, r->path, r->allocator));
    return peer_open(r);
}

/* The result of a script that is a number; false: there is none. */
static bool script_number(ubi__remote *r, const char *expression, uint64_t *out) {
    char params[600];
    ubi__json_value value;
    ubi_text result;
    snprintf(params, sizeof params, "{\"expression\":\"%s\",\"returnByValue\":true,\"silent\":true}", expression);
    return ubi__cdp_peer_ask(r->peer, "Runtime.evaluate", params, &result) == UBI_OK &&
           ubi__json_object_find(&value, result, "result") && value.type == UBI__JSON_OBJECT &&
           ubi__json_object_find(&value, value.raw, "value") && ubi__json_value_u64(out, &value);
}

/*
 * An inspector that one of us opened may be used by several, who leave at any time: the program itself counts them, in a property of `process`
 * that is there as long as they are. The last closes it. One that was killed is still counted, so that the last is also who is alone.
 */
static void users_join(ubi__remote *r) {
    char script[200];
    uint64_t n = 0;
    snprintf(script, sizeof script,
             "((s,n)=>(n=process[s],n===undefined&&!%d?0:process[s]=(n||0)+1))(Symbol.for('ubiheap.users'))",
             r->was_opened);
    if (r->address->pid && script_number(r, script, &n))
        r->is_counted = n > 0;
}

static void users_leave(ubi__remote *r) {
    char script[400];
    uint64_t n;
    bool is_alone = ubi__node_connection_count("", (pid_t)r->address->pid, r->port) <= 1;
    snprintf(script, sizeof script,
             "((s,n)=>(n=(process[s]||0)-%d,n>0&&!%d?process[s]=n:"
             "(delete process[s],setImmediate(()=>process._debugEnd()),0)))(Symbol.for('ubiheap.users'))",
             r->is_counted, is_alone);
    (void)script_number(r, script, &n);
}

/* What was opened is closed, as far as the program still answers; it is no failure of what was asked. */
static void inspector_close(ubi__remote *r) {
    uint64_t one;
    if (!inspector_await(r))
        return;
    if ((r->peer && script_number(r, "1", &one)) || inspector_reach(r) == UBI_OK)
        users_leave(r);
}

static void remote_close(ubi__remote *r) {
    static const ubi_progress uncancelled = { NULL, NULL };
    const ubi_allocator *a = r->allocator;
    int back;
    r->progress = &uncancelled;
    if ((r->was_opened || r->is_counted) && ubi__network_enter(&back, (pid_t)r->address->pid) == UBI_OK) {
        inspector_close(r);
        ubi__network_leave(back);
    }
    ubi__cdp_peer_close(r->peer);
    ubi__vec_u8_fini(&r->list, a);
    ubi__vec_u8_fini(&r->scratch, a);
    UBI_DELETE(a, r);
}

/* Its sockets are in its own network, which may be that of a container: the same port of ours is another program's. */
static ubi_status network_perform(ubi__remote *r, ubi_status (*step)(ubi__remote *r)) {
    int back;
    UBI_TRY(ubi__network_enter(&back, (pid_t)r->address->pid));
    ubi_status status = step(r);
    ubi__network_leave(back);
    return status;
}

static ubi_status address_find(ubi__remote *r) {
    if (r->address->pid)
        return network_perform(r, inspector_find);
    r->host = r->address->host;
    r->port = r->address->port;
    if (!r->address->path[0])
        return list_fetch(r);
    snprintf(r->path, sizeof r->path, "%s", r->address->path);
    return UBI_OK;
}

static ubi_status remote_open(ubi__remote **out, const ubi__remote_address *address, const ubi_progress *progress,
                              const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    const char *hint = address->scheme->hint;
    char why[300];
    ubi__remote *r = UBI_NEW(a, ubi__remote);
    if (!r)
        return ubi__fail_nomem();
    r->address = address;
    r->progress = progress;
    r->allocator = a;
    ubi_status status = address_find(r);
    if (status == UBI_OK) {
        *out = r;
        return UBI_OK;
    }
    snprintf(why, sizeof why, "%s", ubi_error_message());
    remote_close(r);
    bool needs_hint = hint && (status == UBI_EIO || status == UBI_EFORMAT) && !address->pid;
    return ubi__fail(status, "%s%s%s", why, needs_hint ? "; " : "", needs_hint ? hint : "");
}

/* ---- targets -------------------------------------------------------------------------------------------------------- */

typedef struct listing {
    ubi__remote *remote;
    ubi__remote_each *each;
    void *payload;
    uint64_t n;
} listing;

static ubi_status target_list(void *payload, const ubi__cdp_target *target) {
    listing *l = payload;
    l->n++;
    const ubi__remote_row row = { .choice = UBI__REMOTE_TAB,
                                  .number = l->n,
                                  .is_selected = l->n == 1,
                                  .title = target->title.len ? target->title : target->type,
                                  .url = target->url };
    return l->each(l->payload, &row);
}

static ubi_status remote_list(ubi__remote *r, ubi__remote_each *each, void *payload) {
    listing l = { r, each, payload, 0 };
    const ubi__remote_row row = {
        .choice = UBI__REMOTE_TAB, .number = 1, .is_selected = true, .title = ubi__text(r->path)
    };
    if (r->address->path[0])
        return each(payload, &row);
    return ubi__cdp_targets_read((ubi_text){ (const char *)r->list.at, r->list.n }, target_list, &l, r->allocator);
}

static ubi_status target_choose(void *payload, const ubi__cdp_target *target) {
    listing *l = payload;
    ubi__remote *r = l->remote;
    uint64_t number = r->address->choice == UBI__REMOTE_TAB ? r->address->number : 1;
    if (++l->n != number)
        return UBI_OK;
    if (!target->path[0])
        return ubi__fail(UBI_ESTATE, "has a target that no one else can attach to: is a debugger attached already?");
    memcpy(r->path, target->path, sizeof r->path);
    r->is_node = ubi__text_is(target->type, "node");
    return UBI_OK;
}

static ubi_status path_find(ubi__remote *r) {
    listing l = { .remote = r };
    if (r->address->choice == UBI__REMOTE_PROCESS)
        return ubi__fail(UBI_EINVAL, "has no processes: its targets are tabs, as 'ubiheap attach' lists them");
    if (r->address->path[0])
        return UBI_OK;
    UBI_TRY(ubi__cdp_targets_read((ubi_text){ (const char *)r->list.at, r->list.n }, target_choose, &l, r->allocator));
    if (r->path[0])
        return UBI_OK;
    return r->address->choice == UBI__REMOTE_TAB ? ubi__remote_fail_missing(r->address, l.n)
                                                 : ubi__fail(UBI_ENOTFOUND, "has nothing to attach to");
}

static ubi_status remote_attach(ubi__remote *r) {
    UBI_TRY(path_find(r));
    UBI_TRY(network_perform(r, peer_open));
    if (r->is_node)
        users_join(r);
    return UBI_OK;
}

/* ---- snapshots ------------------------------------------------------------------------------------------------------ */

static ubi_status chunk_take(ubi__remote *r, ubi_text params) {
    ubi__json_value value;
    ubi_text text;
    if (!ubi__json_object_find(&value, params, "chunk") || value.type != UBI__JSON_STRING)
        return ubi__fail(UBI_EFORMAT, "sent a part of a snapshot without its text");
    UBI_TRY(ubi__json_value_text(&text, &value, &r->scratch, r->allocator));
    r->n_bytes += text.len;
    ubi__cdp_peer_set_stage(r->peer, "transferring", r->n_bytes, 0);
    return text.len == 0 || r->write(r->payload, text.ptr, text.len)
               ? UBI_OK
               : ubi__fail(UBI_EIO, "cannot write what is transferred");
}

static void progress_take(ubi__remote *r, ubi_text params) {
    ubi__json_value value;
    uint64_t done = 0, total = 0;
    if (ubi__json_object_find(&value, params, "done"))
        (void)ubi__json_value_u64(&done, &value);
    if (ubi__json_object_find(&value, params, "total"))
        (void)ubi__json_value_u64(&total, &value);
    ubi__cdp_peer_set_stage(r->peer, "the program pauses for its snapshot", done <= total ? done : total, total);
}

static ubi_status event_take(void *payload, ubi_text method, ubi_text params) {
    ubi__remote *r = payload;
    if (!r->write)
        return UBI_OK;
    if (ubi__text_is(method, "HeapProfiler.addHeapSnapshotChunk"))
        return chunk_take(r, params);
    if (ubi__text_is(method, "HeapProfiler.reportHeapSnapshotProgress"))
        progress_take(r, params);
    return UBI_OK;
}

static uint64_t size_member(ubi_text object, const char *name) {
    ubi__json_value value;
    uint64_t size_bytes = 0;
    return ubi__json_object_find(&value, object, name) && ubi__json_value_u64(&size_bytes, &value) ? size_bytes : 0;
}

/* Deno has none. What is thrown would be kept for us, and be something new in the next snapshot. */
#define UNLESS_ABSENT "typeof require=='undefined'?null:"

/* The value of a script that Node.js runs between jobs of the program; NULL text: it has none, for example because it is old. */
static ubi_status script_value(ubi__remote *r, const char *params, ubi_text *out) {
    ubi__json_value value;
    ubi_text result;
    *out = (ubi_text){ NULL, 0 };
    ubi_status status = ubi__cdp_peer_ask(r->peer, "Runtime.evaluate", params, &result);
    if (status == UBI_OK && ubi__json_object_find(&value, result, "result") && value.type == UBI__JSON_OBJECT &&
        ubi__json_object_find(&value, value.raw, "value") && value.type == UBI__JSON_OBJECT)
        *out = value.raw;
    return status == UBI_ESTATE ? UBI_OK : status;
}

/*
 * Of all objects but the large ones, and of those, as far as the other side says. A function has what its engine keeps about it after some
 * calls: it is called as often, so that nothing of that is new in a later snapshot.
 */
static ubi_status object_sizes_ask(ubi__remote *r, uint64_t *small_bytes, uint64_t *large_bytes) {
    static const char script[] =
        "{\"expression\":\"" UNLESS_ABSENT "({large:[1,2,3].map(()=>require('v8').getHeapSpaceStatistics())[2]"
        ".filter(s=>s.space_name.includes('large_object'))"
        ".reduce((sum,s)=>sum+s.space_used_size,0)})\","
        "\"includeCommandLineAPI\":true,\"returnByValue\":true,\"silent\":true}";
    ubi_text result;
    UBI_TRY(ubi__cdp_peer_ask(r->peer, "Runtime.getHeapUsage", NULL, &result));
    uint64_t used_bytes = size_member(result, "usedSize");
    if (r->is_node)
        UBI_TRY(script_value(r, script, &result));
    uint64_t large = r->is_node && result.ptr ? size_member(result, "large") : 0;
    *large_bytes = large < used_bytes ? large : used_bytes;
    *small_bytes = used_bytes - *large_bytes;
    return UBI_OK;
}

/* Nothing is asked about the memory of another machine. */
static ubi_status room_check(ubi__remote *r) {
    uint64_t small_bytes, large_bytes;
    ubi__snapshot_room room;
    bool is_here = r->address->pid || strcmp(r->host, LOOPBACK) == 0 || strcmp(r->host, "localhost") == 0;
    if (r->address->is_forced || !is_here)
        return UBI_OK;
    ubi_status status = object_sizes_ask(r, &small_bytes, &large_bytes);
    if (status != UBI_OK)
        return status == UBI_ESTATE ? UBI_OK : status; /* an old one does not say */
    room.need_bytes = ubi__snapshot_need(small_bytes, large_bytes);
    ubi__snapshot_room_left(&room, "", (pid_t)r->address->pid);
    return ubi__snapshot_room_check(&room);
}

/* Has a command answered whose events are parts of a snapshot. */
static ubi_status chunks_ask(ubi__remote *r, const char *method, ubi_write_fn write, void *payload) {
    ubi_text result;
    r->write = write;
    r->payload = payload;
    r->n_bytes = 0;
    ubi__cdp_peer_set_stage(r->peer, "waiting for the snapshot", 0, 0);
    ubi_status status = ubi__cdp_peer_ask(r->peer, method, "{\"reportProgress\":true}", &result);
    r->write = NULL;
    return status == UBI_OK && r->n_bytes == 0 ? ubi__fail(UBI_EFORMAT, "answered without a snapshot") : status;
}

static ubi_status remote_snapshot(ubi__remote *r, ubi_write_fn write, void *payload, uint64_t *pause_us) {
    UBI_TRY(room_check(r));
    uint64_t start_ns = ubi_process_clock_ns();
    ubi_status status = chunks_ask(r, "HeapProfiler.takeHeapSnapshot", write, payload);
    if (pause_us)
        *pause_us = (ubi_process_clock_ns() - start_ns) / 1000;
    return status;
}

/* ---- allocations ---------------------------------------------------------------------------------------------------- */

static ubi_status remote_trace_start(ubi__remote *r, ubi__remote_trace trace) {
    ubi_text result;
    if (trace == UBI__REMOTE_PROFILE)
        return ubi__cdp_peer_ask(r->peer, "HeapProfiler.startSampling", NULL, &result);
    UBI_TRY(room_check(r)); /* it ends with a snapshot */
    return ubi__cdp_peer_ask(r->peer, "HeapProfiler.startTrackingHeapObjects", "{\"trackAllocations\":true}", &result);
}

static ubi_status profile_take(ubi__remote *r, ubi_write_fn write, void *payload) {
    ubi__json_value profile;
    ubi_text result;
    ubi__cdp_peer_set_stage(r->peer, "waiting for the profile", 0, 0);
    UBI_TRY(ubi__cdp_peer_ask(r->peer, "HeapProfiler.stopSampling", NULL, &result));
    if (!ubi__json_object_find(&profile, result, "profile") || profile.type != UBI__JSON_OBJECT)
        return ubi__fail(UBI_EFORMAT, "answered without a profile");
    return write(payload, profile.raw.ptr, profile.raw.len) ? UBI_OK
                                                            : ubi__fail(UBI_EIO, "cannot write what is transferred");
}

static ubi_status remote_trace_stop(ubi__remote *r, ubi__remote_trace trace, ubi_write_fn write, void *payload) {
    return trace == UBI__REMOTE_PROFILE ? profile_take(r, write, payload)
                                        : chunks_ask(r, "HeapProfiler.stopTrackingHeapObjects", write, payload);
}

/* ---- sizes ---------------------------------------------------------------------------------------------------------- */

/* A member of the answer, and what it becomes. */
typedef struct size_name {
    const char *theirs, *ours;
} size_name;

static const size_name heap_sizes[] = {
    { "usedSize", "heapUsedSize" },
    { "totalSize", "heapTotalSize" },
    { "embedderHeapUsedSize", "embedderSize" },
    { "backingStorageSize", "backingStoresSize" },
    { NULL, NULL },
};

static const size_name process_sizes[] = {
    { "limit", "heapLimitSize" },
    { "external", "externalSize" },
    { "rss", "resident" },
    { NULL, NULL },
};

static void sizes_write(ubi__json *json, ubi_text object, const size_name *names) {
    ubi__json_value value;
    uint64_t size_bytes;
    for (; names->theirs; names++)
        if (ubi__json_object_find(&value, object, names->theirs) && ubi__json_value_u64(&size_bytes, &value))
            ubi__json_member_u64(json, names->ours, size_bytes);
}

/* What only Node.js knows. */
static ubi_status process_sizes_ask(ubi__remote *r, ubi__json *json) {
    static const char script[] =
        "{\"expression\":\"" UNLESS_ABSENT
        "({...process.memoryUsage(),limit:require('v8').getHeapStatistics().heap_size_limit})\","
        "\"includeCommandLineAPI\":true,\"returnByValue\":true,\"silent\":true}";
    ubi_text sizes;
    UBI_TRY(script_value(r, script, &sizes));
    if (sizes.ptr)
        sizes_write(json, sizes, process_sizes);
    return UBI_OK;
}

static ubi_status sizes_ask(ubi__remote *r, ubi__vec_u8 *text) {
    ubi__bytes_sink sink = { text, r->allocator };
    ubi__json json;
    ubi_text result;
    UBI_TRY(ubi__cdp_peer_ask(r->peer, "Runtime.getHeapUsage", NULL, &result));
    ubi__json_init(&json, ubi__bytes_sink_write, &sink, false);
    ubi__json_object_begin(&json);
    sizes_write(&json, result, heap_sizes);
    if (r->is_node)
        UBI_TRY(process_sizes_ask(r, &json));
    ubi__json_object_end(&json);
    return ubi__json_flush(&json) == UBI_OK ? UBI_OK : ubi__fail_nomem();
}

static ubi_status remote_measure(ubi__remote *r, ubi__remote_document *take, void *payload) {
    ubi__vec_u8 text = { NULL, 0, 0 };
    ubi_status status = sizes_ask(r, &text);
    if (status == UBI_OK)
        status = take(payload, (ubi_text){ (const char *)text.at, text.n });
    ubi__vec_u8_fini(&text, r->allocator);
    return status;
}

/* ---- what else there is to ask -------------------------------------------------------------------------------------- */

static ubi_status remote_collect(ubi__remote *r) {
    ubi_text result;
    ubi__cdp_peer_set_stage(r->peer, "collecting garbage", 0, 0);
    return ubi__cdp_peer_ask(r->peer, "HeapProfiler.collectGarbage", NULL, &result);
}

static ubi_status remote_census(ubi__remote *r, ubi__remote_document *take, void *payload) {
    (void)r, (void)take, (void)payload;
    return ubi__fail(UBI_ESTATE, "does not count its heap itself; 'ubiheap census ADDRESS' counts a snapshot of it");
}

static ubi_status allocations_fail(void) {
    return ubi__fail(UBI_ESTATE, "has no log of allocations; 'profile' samples them, and 'track' has them all");
}

static ubi_status remote_record_start(ubi__remote *r, const ubi__remote_recording *options, double *start_ms) {
    (void)r, (void)options, (void)start_ms;
    return allocations_fail();
}

static ubi_status remote_record_take(ubi__remote *r, ubi__remote_document *take, void *payload) {
    (void)r, (void)take, (void)payload;
    return allocations_fail();
}

static ubi_status remote_record_stop(ubi__remote *r) {
    (void)r;
    return allocations_fail();
}

static ubi_status remote_wait(ubi__remote *r, const char *stage, uint64_t microseconds) {
    ubi__cdp_peer_set_stage(r->peer, stage, 0, 0);
    return ubi__cdp_peer_wait(r->peer, microseconds);
}

static void remote_missing(ubi__remote *r, ubi__remote_name *take, void *payload) {
    (void)r, (void)take, (void)payload;
}

const ubi__remote_ops ubi__cdp_remote_ops = {
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
    .trace_start = remote_trace_start,
    .trace_stop = remote_trace_stop,
    .missing = remote_missing,
};
