/* SPDX-License-Identifier: MIT
 *
 * task_call.c: see task_call.h.
 */
#include "jobs/task_call.h"

#include <string.h>

#include "base/status.h"
#include "base/text.h"

/* ---- data of requests ------------------------------------------------------------------------------------------------ */

static const ubi__json_value undefined = { .type = UBI__JSON_NULL };

ubi_status ubi__task_fail_type(ubi__task_call *call, const char *what, const char *expected) {
    call->error = UBI__TASK_TYPE_ERROR;
    return ubi__fail(UBI_EINVAL, "%s: expected %s", what, expected);
}

/* A member of an object, the last of that name; undefined if there is none, or no object. */
ubi__json_value ubi__task_member(ubi_text object, const char *name) {
    ubi__json_cursor c;
    ubi__json_value key, value, found = undefined;
    if (!object.ptr)
        return found;
    ubi__json_cursor_open(&c, object, UBI__JSON_OBJECT);
    while (ubi__json_cursor_next_member(&c, &key, &value))
        if (ubi__json_value_is(&key, name))
            found = value;
    return found;
}

bool ubi__task_is_given(const ubi__json_value *value) {
    return value->type != UBI__JSON_NULL;
}

bool ubi__task_is_true(ubi_text object, const char *name) {
    return ubi__task_member(object, name).type == UBI__JSON_TRUE;
}

/* As Firefox converts it; what is not there is `standard`. */
ubi_status ubi__task_u32(uint32_t *out, ubi__task_call *call, const char *name, uint32_t standard) {
    ubi__json_value value = ubi__task_member(call->data, name);
    uint64_t number = standard;
    if (ubi__task_is_given(&value) && !ubi__json_value_u64(&number, &value))
        return ubi__task_fail_type(call, name, "a whole number");
    *out = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
    return UBI_OK;
}

/* A path ends at a NUL, which none can have. */
ubi_status ubi__task_path(ubi__vec_u8 *out, ubi__task_call *call, const ubi__json_value *value, const char *what) {
    ubi__vec_u8 scratch = { 0 };
    const ubi_allocator *a = call->client->worker->allocator;
    ubi_text text;
    if (value->type != UBI__JSON_STRING)
        return ubi__task_fail_type(call, what, "a path, which is a string");
    ubi_status status = ubi__json_value_text(&text, value, &scratch, a);
    if (status == UBI_OK && memchr(text.ptr, 0, text.len))
        status = ubi__task_fail_type(call, what, "a path without NUL characters");
    if (status == UBI_OK)
        status = ubi__vec_u8_reserve(out, a, text.len + 1);
    if (status == UBI_OK) {
        memcpy(out->at, text.ptr, text.len);
        out->at[text.len] = 0;
        out->n = text.len + 1;
    }
    ubi__vec_u8_fini(&scratch, a);
    return status;
}

/* Breakdowns that are not valid are TypeErrors, as are trees of those that are not written out. */
ubi_status ubi__task_fail_census(ubi__task_call *call, ubi_status status) {
    if (status == UBI_EINVAL)
        call->error = UBI__TASK_TYPE_ERROR;
    return status;
}

/* ---- snapshots and trees of the client -------------------------------------------------------------------------------- */

ubi__client_snapshot *ubi__client_snapshot_find(ubi_worker_client *client, const char *path) {
    for (size_t i = 0; i < client->snapshots.n; i++)
        if (strcmp(client->snapshots.at[i].path, path) == 0)
            return &client->snapshots.at[i];
    return NULL;
}

/* The snapshot that a path in the request leads to. */
static ubi_status snapshot_get(ubi__client_snapshot **out, ubi__task_call *call, const ubi__json_value *path_value,
                               const char *what) {
    ubi__vec_u8 path = { 0 };
    ubi_status status = ubi__task_path(&path, call, path_value, what);
    if (status == UBI_OK) {
        *out = ubi__client_snapshot_find(call->client, (char *)path.at);
        if (!*out) {
            call->error = UBI__TASK_ERROR;
            status = ubi__fail(UBI_ENOTFOUND, "No known heap snapshot for '%.400s'", (char *)path.at);
        }
    }
    ubi__vec_u8_fini(&path, call->client->worker->allocator);
    return status;
}

ubi_status ubi__task_snapshot_named(ubi__client_snapshot **out, ubi__task_call *call, const char *member) {
    ubi__json_value path = ubi__task_member(call->data, member);
    return snapshot_get(out, call, &path, member);
}

/* The data are the path alone. */
ubi_status ubi__task_snapshot_of_data(ubi__client_snapshot **out, ubi__task_call *call) {
    ubi__json_cursor c;
    ubi__json_value path;
    if (!ubi__json_value_whole(&c, &path, call->data))
        path = undefined;
    return snapshot_get(out, call, &path, "the data");
}

/* An id that never was, of any type, is shown as it came. */
ubi_status ubi__task_tree(ubi__client_tree **out, ubi__task_call *call, bool is_known_deleted) {
    ubi__client_trees *trees = &call->client->trees;
    ubi__json_value id = ubi__task_member(call->data, "dominatorTreeId");
    uint64_t number;
    bool was_there = ubi__json_value_u64(&number, &id) && number < trees->n;
    if (was_there && trees->at[number].session) {
        *out = &trees->at[number];
        return UBI_OK;
    }
    if (was_there && !is_known_deleted) {
        call->error = UBI__TASK_TYPE_ERROR;
        return ubi__fail(UBI_ENOTFOUND, "can't access property \"root\", dominatorTree is undefined");
    }
    call->error = UBI__TASK_ERROR;
    return ubi__fail(UBI_ENOTFOUND, "There does not exist a DominatorTree with the id %.*s",
                     (int)(id.raw.len < 100 ? id.raw.len : 100), id.raw.ptr ? id.raw.ptr : "undefined");
}

ubi_status ubi__task_use_begin(ubi_session_use **out, const ubi__task_call *call, ubi_session *session) {
    ubi_session_use_options options = UBI_SESSION_USE_OPTIONS_INIT;
    options.progress = call->progress;
    return ubi_session_use_begin(out, session, &options);
}
