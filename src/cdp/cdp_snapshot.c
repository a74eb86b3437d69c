/* SPDX-License-Identifier: MIT
 *
 * cdp_snapshot.c: see cdp_remote.h.
 */
#include <stdio.h>

#include "base/json_reader.h"
#include "base/status.h"
#include "base/text.h"
#include "cdp/cdp_remote.h"
#include "cdp/snapshot_pipe.h"

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

/* Browsers say why they end a connection, before they do. */
static ubi_status detached_take(ubi__remote *r, ubi_text params) {
    ubi__json_value reason;
    char words[80];
    if (!ubi__json_object_find(&reason, params, "reason") || reason.type != UBI__JSON_STRING || reason.has_escapes)
        return UBI_OK;
    r->has_ended = ubi__text_is(reason.raw, "target_closed");
    if (r->has_ended)
        return ubi__fail(UBI_EIO, "the tab or worker was closed");
    if (ubi__text_is(reason.raw, "replaced_with_devtools"))
        return ubi__fail(UBI_EIO, "another debugger took it over");
    snprintf(words, sizeof words, "%.*s", (int)(reason.raw.len < 60 ? reason.raw.len : 60), reason.raw.ptr);
    ubi__json_words_line(words);
    return ubi__fail(UBI_EIO, "the other side ended the connection: %s", words);
}

ubi_status ubi__cdp_remote_event(void *payload, ubi_text method, ubi_text params) {
    ubi__remote *r = payload;
    if (ubi__text_is(method, "Inspector.detached"))
        return detached_take(r, params);
    if (ubi__text_is(method, "Inspector.targetCrashed"))
        return ubi__fail(UBI_EIO, "the tab or worker has crashed");
    ubi__cdp_program_event(r, method);
    UBI_TRY(ubi__cdp_workers_event(r, method, params));
    if (!r->write)
        return UBI_OK;
    if (ubi__text_is(method, "HeapProfiler.addHeapSnapshotChunk"))
        return chunk_take(r, params);
    if (ubi__text_is(method, "HeapProfiler.reportHeapSnapshotProgress"))
        progress_take(r, params);
    return UBI_OK;
}

/* Has a command answered whose events are parts of a snapshot. */
static ubi_status chunks_ask(ubi__remote *r, const char *method, ubi_write_fn write, void *payload) {
    ubi_text result;
    r->write = write;
    r->payload = payload;
    r->n_bytes = 0;
    r->may_be_long = true;
    ubi__cdp_peer_set_stage(r->peer, "waiting for the snapshot", 0, 0);
    ubi_status status = ubi__cdp_peer_ask(r->peer, method, "{\"reportProgress\":true}", &result);
    r->may_be_long = false;
    r->write = NULL;
    return status == UBI_OK && r->n_bytes == 0 ? ubi__fail(UBI_EFORMAT, "answered without a snapshot") : status;
}

/* As the program can: Node.js on this machine writes it itself. */
static ubi_status snapshot_transfer(ubi__remote *r, ubi_write_fn write, void *payload) {
    ubi__snapshot_pipe pipe = { .peer = r->peer, .allocator = r->allocator, .write = write, .payload = payload };
    ubi_status status = UBI_OK;
    bool is_taken = false;
    r->may_be_long = true;
    if (r->address->pid && r->is_node)
        status = ubi__snapshot_pipe_take(&pipe, &is_taken);
    r->may_be_long = false;
    return status != UBI_OK || is_taken ? status : chunks_ask(r, "HeapProfiler.takeHeapSnapshot", write, payload);
}

ubi_status ubi__cdp_remote_snapshot(ubi__remote *r, ubi_write_fn write, void *payload, uint64_t *pause_us) {
    UBI_TRY(ubi__cdp_remote_check_room(r));
    uint64_t start_ns = ubi_process_clock_ns();
    ubi_status status = snapshot_transfer(r, write, payload);
    if (pause_us)
        *pause_us = (ubi_process_clock_ns() - start_ns) / 1000;
    if (status == UBI_OK && ubi__cdp_workers_are_left(r))
        status = ubi__cdp_workers_count(r);
    return status == UBI_EIO && r->is_ending ? UBI_OK : status; /* the snapshot came before */
}

/* ---- allocations ---------------------------------------------------------------------------------------------------- */

ubi_status ubi__cdp_remote_trace_start(ubi__remote *r, ubi__remote_trace trace) {
    ubi_text result;
    if (trace == UBI__REMOTE_PROFILE)
        return ubi__cdp_peer_ask(r->peer, "HeapProfiler.startSampling", NULL, &result);
    UBI_TRY(ubi__cdp_remote_check_room(r)); /* it ends with a snapshot */
    return ubi__cdp_peer_ask(r->peer, "HeapProfiler.startTrackingHeapObjects", "{\"trackAllocations\":true}", &result);
}

/*
 * V8 loses the trace of an object that it moves after it was counted, and before a snapshot it moves what is scattered: so little is left whose
 * function is known. Node.js lets scripts forbid that for a while. If we should be gone by then, the program allows it again itself. A
 * program with an option about it is left alone.
 */
#define COMPACTION_SCRIPT                                                                                              \
    "typeof require!='undefined'&&(on=>{try{const v=require('v8'),old=parseInt(process.versions.v8)<10,"               \
    "set=on=>v.setFlagsFromString(old?on?'--no-never-compact':'--never-compact':on?'--compact':'--no-compact');"       \
    "if(process.execArgv.some(o=>/compact/.test(o)))return;set(on);if(!on)setTimeout(set,10000,true).unref()}"         \
    "catch{}})(%s)"

/* That it is not done harms nothing. */
static ubi_status compaction_allow(ubi__remote *r, bool is_allowed) {
    char params[700];
    ubi_text result;
    if (!r->address->pid || !r->is_node)
        return UBI_OK;
    snprintf(params, sizeof params,
             "{\"expression\":\"" COMPACTION_SCRIPT
             "\",\"includeCommandLineAPI\":true,\"returnByValue\":true,\"silent\":true}",
             is_allowed ? "true" : "false");
    ubi_status status = ubi__cdp_peer_ask(r->peer, "Runtime.evaluate", params, &result);
    return status == UBI_ESTATE ? UBI_OK : status;
}

static ubi_status track_take(ubi__remote *r, ubi_write_fn write, void *payload) {
    UBI_TRY(compaction_allow(r, false));
    UBI_TRY(chunks_ask(r, "HeapProfiler.stopTrackingHeapObjects", write, payload));
    ubi_status status = compaction_allow(r, true);
    return status == UBI_EIO ? UBI_OK : status; /* it ended, and all came before */
}

static ubi_status profile_take(ubi__remote *r, const char *method, ubi_write_fn write, void *payload) {
    ubi__json_value profile;
    ubi_text result;
    ubi__cdp_peer_set_stage(r->peer, "waiting for the profile", 0, 0);
    UBI_TRY(ubi__cdp_peer_ask(r->peer, method, NULL, &result));
    if (!ubi__json_object_find(&profile, result, "profile") || profile.type != UBI__JSON_OBJECT)
        return ubi__fail(UBI_EFORMAT, "answered without a profile");
    return write(payload, profile.raw.ptr, profile.raw.len) ? UBI_OK
                                                            : ubi__fail(UBI_EIO, "cannot write what is transferred");
}

ubi_status ubi__cdp_remote_trace_look(ubi__remote *r, ubi__remote_trace trace, ubi_write_fn write, void *payload) {
    if (trace == UBI__REMOTE_TRACK)
        return ubi__fail(UBI_ESTATE, "has nothing of it before its end");
    return profile_take(r, "HeapProfiler.getSamplingProfile", write, payload);
}

ubi_status ubi__cdp_remote_trace_stop(ubi__remote *r, ubi__remote_trace trace, ubi_write_fn write, void *payload) {
    return trace == UBI__REMOTE_PROFILE ? profile_take(r, "HeapProfiler.stopSampling", write, payload)
                                        : track_take(r, write, payload);
}
