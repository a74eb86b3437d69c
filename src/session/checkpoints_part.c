/* SPDX-License-Identifier: MIT
 *
 * checkpoints_part.c: the checkpoints of a recording (recording/recording_checkpoints.h), which only an index has.
 */
#include "base/parallel.h"
#include "base/status.h"
#include "recording/heap_profile.h"
#include "recording/recording_checkpoints.h"
#include "session/recording_parts.h"
#include "session/session_index.h"

/** Of the recording of the index, which stays. */
typedef struct session_checkpoints {
    const ubi__recording_summary *whole;
    ubi__recording_checkpoints checkpoints;
} session_checkpoints;

static const ubi__recording_choice all = { .with_symbols = false };

static void checkpoints_free(void *value, const ubi_allocator *allocator) {
    session_checkpoints *of = value;
    ubi__recording_checkpoints_fini(&of->checkpoints);
    UBI_DELETE(allocator, of);
}

/* Nothing when the recording is not the one of the index. */
static ubi_status checkpoints_load(void **out, ubi__columns *c, ubi_session_use *use) {
    const ubi__session_recording *r;
    UBI_TRY(ubi__session_recording_get(&r, use, &all));
    if (!r->is_of_index)
        return UBI_OK;
    session_checkpoints *of = UBI_NEW(c->allocator, session_checkpoints);
    if (!of)
        return ubi__fail_nomem();
    of->whole = &r->summary;
    ubi_status status = ubi__recording_checkpoints_pass(c, &of->checkpoints, of->whole);
    if (status == UBI_OK)
        *out = of;
    else
        checkpoints_free(of, c->allocator);
    return status;
}

/* None are a part, too. */
static ubi_status checkpoints_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    (void)key;
    UBI_TRY(ubi__session_indexed(out, use, UBI__INDEXED_CHECKPOINTS, checkpoints_load, allocator));
    if (*out)
        return UBI_OK;
    session_checkpoints *none = UBI_NEW(allocator, session_checkpoints);
    if (!none)
        return ubi__fail_nomem();
    ubi__recording_checkpoints_init(&none->checkpoints, allocator);
    *out = none;
    return UBI_OK;
}

static const ubi__part_type checkpoints_part = { "checkpoints", checkpoints_build, checkpoints_free,
                                                 .is_of_graph = true };

static ubi_status file_window(ubi__recording_summary *out, bool *found, const session_checkpoints *of,
                              const ubi_session_use *use, const char *path, const ubi__summary_choice *choice,
                              const ubi_allocator *allocator) {
    ubi__source source;
    UBI_TRY(ubi__recording_source_open(&source, path, allocator));
    ubi_status status = UBI_OK;
    if (ubi__source_can_rewind(&source))
        status = ubi__recording_checkpoints_window(out, found, &of->checkpoints, of->whole, &source, choice,
                                                   &use->progress, allocator);
    ubi__source_close(&source);
    return status;
}

/* NULL: none. */
static ubi_status checkpoints_get(const session_checkpoints **out, ubi_session_use *use) {
    void *value;
    *out = NULL;
    if (!ubi__session_is_indexed(use->session))
        return UBI_OK;
    UBI_TRY(ubi__session_part(&value, use, &checkpoints_part, ""));
    const session_checkpoints *of = value;
    *out = of->checkpoints.rows.n ? of : NULL;
    return UBI_OK;
}

/* The index is damaged: files are read instead. */
static ubi_status fault_forget(bool *found, ubi_session_use *use) {
    ubi__session_index *index;
    *found = false;
    UBI_TRY(ubi__session_index_get(&index, use));
    index->is_damaged = true;
    return UBI_OK;
}

ubi_status ubi__session_checkpoints_curves(ubi__site_curves *curves, bool *found, ubi_session_use *use) {
    const session_checkpoints *of;
    *found = false;
    UBI_TRY(checkpoints_get(&of, use));
    if (!of)
        return UBI_OK;
    ubi_status status = ubi__recording_checkpoints_curves(curves, found, &of->checkpoints);
    return status == UBI_EFORMAT ? fault_forget(found, use) : status;
}

ubi_status ubi__session_checkpoints_window(ubi__recording_summary *out, bool *found, ubi_session_use *use,
                                           const char *path, const ubi__summary_choice *choice,
                                           const ubi_allocator *allocator) {
    const session_checkpoints *of;
    *found = false;
    UBI_TRY(checkpoints_get(&of, use));
    if (!of)
        return UBI_OK;
    ubi_status status = file_window(out, found, of, use, path, choice, allocator);
    return status == UBI_EFORMAT ? fault_forget(found, use) : status;
}

/* ---- for an index ---------------------------------------------------------------------------------------------------- */

static ubi_status checkpoints_take(ubi__recording_checkpoints *out, const ubi__session_recording *recording,
                                   const ubi_session_use *use, const ubi_allocator *allocator) {
    ubi__source source;
    ubi__recording_checkpoints_init(out, allocator);
    if (recording->processes.rows.n > 1)
        return UBI_OK;
    UBI_TRY(ubi__recording_source_open(&source, recording->path, allocator));
    ubi_status status = ubi__recording_checkpoints_take(out, &recording->summary, &source, UBI__CHECKPOINT_EVENTS,
                                                        ubi__thread_count(use->threads), &use->progress, allocator);
    ubi__source_close(&source);
    return status;
}

ubi_status ubi__session_checkpoints_write(ubi__columns *c, const ubi__session_recording *recording,
                                          const ubi_session_use *use) {
    ubi__recording_checkpoints checkpoints;
    ubi_status status = checkpoints_take(&checkpoints, recording, use, c->allocator);
    if (status == UBI_OK)
        status = ubi__recording_checkpoints_pass(c, &checkpoints, &recording->summary);
    ubi__recording_checkpoints_fini(&checkpoints);
    return status;
}
