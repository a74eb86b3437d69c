/* SPDX-License-Identifier: MIT
 *
 * task_call.h: what a task is called with: its data, and the client's snapshots and trees that they name.
 *
 * A fault in the data is an error of the request, of the type that Firefox's worker throws.
 */
#ifndef UBI_JOBS_TASK_CALL_H
#define UBI_JOBS_TASK_CALL_H

#include "base/json_reader.h"
#include "jobs/jobs.h"

/* ---- data of requests ------------------------------------------------------------------------------------------------ */

/** A member of an object, the last of that name; null if there is none, or no object. Borrowed from the text. */
ubi__json_value ubi__task_member(ubi_text object, const char *name);
bool ubi__task_is_given(const ubi__json_value *value);
bool ubi__task_is_true(ubi_text object, const char *name);
/** A whole number of the data, as Firefox converts it; `standard` if it is not there. Errors: a TypeError. */
ubi_status ubi__task_u32(uint32_t *out, ubi__task_call *call, const char *name, uint32_t standard);
/** A path that ends with a NUL. @param out  empty; the caller frees it, also after an error. Errors: a TypeError; UBI_ENOMEM. */
ubi_status ubi__task_path(ubi__vec_u8 *out, ubi__task_call *call, const ubi__json_value *value, const char *what);

/** UBI_EINVAL: "WHAT: expected EXPECTED", a TypeError. */
ubi_status ubi__task_fail_type(ubi__task_call *call, const char *what, const char *expected);
/** The status of what a breakdown was used for: one that is not valid is a TypeError, as is a tree of one that is not written out. */
ubi_status ubi__task_fail_census(ubi__task_call *call, ubi_status status);

/* ---- snapshots and trees of the client ------------------------------------------------------------------------------- */

/** NULL: there is none. */
ubi__client_snapshot *ubi__client_snapshot_find(ubi_worker_client *client, const char *path);
/** The snapshot whose path is a member of the data, or all of the data. Errors: a TypeError; UBI_ENOTFOUND. */
ubi_status ubi__task_snapshot_named(ubi__client_snapshot **out, ubi__task_call *call, const char *member);
ubi_status ubi__task_snapshot_of_data(ubi__client_snapshot **out, ubi__task_call *call);
/**
 * The tree of `dominatorTreeId`.
 * @param is_known_deleted  whether one that went with its snapshot is an error like one that never was, as Firefox has it for some tasks.
 */
ubi_status ubi__task_tree(ubi__client_tree **out, ubi__task_call *call, bool is_known_deleted);
/** A use that shows the request's progress, and ends when the request is cancelled. */
ubi_status ubi__task_use_begin(ubi_session_use **out, const ubi__task_call *call, ubi_session *session);

/* ---- tasks (tasks.c has the table) ----------------------------------------------------------------------------------- */

ubi_status ubi__task_take_census(ubi__task_call *call);
ubi_status ubi__task_take_census_diff(ubi__task_call *call);
ubi_status ubi__task_compute_dominator_tree(ubi__task_call *call);
ubi_status ubi__task_get_dominator_tree(ubi__task_call *call);
ubi_status ubi__task_get_immediately_dominated(ubi__task_call *call);
ubi_status ubi__task_get_census_individuals(ubi__task_call *call);

#endif
