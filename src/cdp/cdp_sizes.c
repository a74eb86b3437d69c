/* SPDX-License-Identifier: MIT
 *
 * cdp_sizes.c: see cdp_remote.h.
 */
#include <string.h>

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/status.h"
#include "cdp/cdp_remote.h"
#include "cdp/snapshot_room.h"

static uint64_t size_member(ubi_text object, const char *name) {
    ubi__json_value value;
    uint64_t size_bytes = 0;
    return ubi__json_object_find(&value, object, name) && ubi__json_value_u64(&size_bytes, &value) ? size_bytes : 0;
}

/* Deno has none. What is thrown would be kept for us, and be something new in the next snapshot. */
#define UNLESS_ABSENT "typeof require=='undefined'||typeof process!='object'||!process.versions?null:"

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
ubi_status ubi__cdp_remote_check_room(ubi__remote *r) {
    uint64_t small_bytes, large_bytes;
    ubi__snapshot_room room;
    bool is_here = r->address->pid || strcmp(r->host, UBI__CDP_LOOPBACK) == 0 || strcmp(r->host, "localhost") == 0;
    if (r->address->is_forced || !is_here)
        return UBI_OK;
    ubi_status status = object_sizes_ask(r, &small_bytes, &large_bytes);
    if (status != UBI_OK)
        return status == UBI_ESTATE ? UBI_OK : status; /* an old one does not say */
    room.need_bytes = ubi__snapshot_need(small_bytes, large_bytes);
    ubi__snapshot_room_left(&room, "", (pid_t)r->address->pid);
    return ubi__snapshot_room_check(&room);
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
    if (r->is_node || r->address->path[0]) /* an address that a program printed may be of any kind */
        UBI_TRY(process_sizes_ask(r, &json));
    ubi__json_object_end(&json);
    return ubi__json_flush(&json) == UBI_OK ? UBI_OK : ubi__fail_nomem();
}

ubi_status ubi__cdp_remote_measure(ubi__remote *r, ubi__remote_document *take, void *payload) {
    ubi__vec_u8 text = { NULL, 0, 0 };
    ubi_status status = sizes_ask(r, &text);
    if (status == UBI_OK)
        status = take(payload, (ubi_text){ (const char *)text.at, text.n });
    ubi__vec_u8_fini(&text, r->allocator);
    return status;
}
