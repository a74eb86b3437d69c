/* SPDX-License-Identifier: MIT
 *
 * timeline_part.c: the markers of a timeline, or of a recording (recording_parts.h).
 */
#include "base/status.h"
#include "formats/ubirec/recording_timeline.h"
#include "recording/heap_profile.h"
#include "session/recording_parts.h"
#include "session/session_inside.h"

static ubi_status markers_read(ubi__timeline_file *file, ubi__source *source, ubi__recording_namer *namer,
                               const ubi_progress *progress, const ubi_allocator *allocator) {
    *file = (ubi__timeline_file){ .generator = UBI_NONE, .has_end = true, .compression = "none" };
    ubi__timeline_data_init(&file->data, allocator);
    ubi_status status = ubi__recording_timeline_read(&file->data, file->fault, source, namer, progress, allocator);
    if (status == UBI_OK)
        status = ubi__timeline_data_sort(&file->data);
    if (status != UBI_OK)
        ubi__timeline_data_fini(&file->data);
    return status;
}

static ubi_status file_read(ubi__session_timeline *t, const ubi_session_use *use) {
    const ubi_session *session = use->session;
    ubi__source source;
    bool is_recording = session->kind == UBI_SESSION_RECORDING;
    UBI_TRY((is_recording ? ubi__recording_source_open : ubi__source_open_path)(&source, session->name, t->allocator));
    ubi_status status = is_recording
                            ? markers_read(&t->file, &source, session->pool->namer, &use->progress, t->allocator)
                            : ubi__timeline_read(&t->file, &source, &use->progress, t->allocator);
    ubi__source_close(&source);
    return status;
}

static ubi_status timeline_read(ubi__session_timeline *t, ubi_session_use *use) {
    ubi__file_identity file;
    if (use->session->kind == UBI_SESSION_RECORDING)
        UBI_TRY(ubi__recording_processes_find(&t->processes, use->session->name, NULL, t->allocator));
    UBI_TRY(ubi__session_file_check(&file, use->session, t->processes.identity));
    UBI_TRY(ubi__session_fault_note(use->session, file_read(t, use)));
    ubi__session_file_note(use->session, &file, t->processes.identity);
    return UBI_OK;
}

static ubi_status timeline_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    (void)key;
    if (use->session->kind == UBI_SESSION_HEAP)
        return ubi__session_refuse(use->session, "timeline");
    ubi__session_timeline *t = UBI_NEW(allocator, ubi__session_timeline);
    if (!t)
        return ubi__fail_nomem();
    t->allocator = allocator;
    ubi_status status = timeline_read(t, use);
    if (status == UBI_OK) {
        *out = t;
        return UBI_OK;
    }
    ubi__recording_processes_fini(&t->processes);
    UBI_DELETE(allocator, t);
    return status;
}

static void timeline_free(void *value, const ubi_allocator *allocator) {
    ubi__session_timeline *t = value;
    ubi__timeline_file_fini(&t->file);
    ubi__recording_processes_fini(&t->processes);
    UBI_DELETE(allocator, t);
}

static const ubi__part_type timeline_part = { "timeline", timeline_build, timeline_free, .is_of_graph = true };

ubi_status ubi__session_timeline_get(const ubi__session_timeline **out, ubi_session_use *use) {
    void *value;
    UBI_TRY(ubi__session_part(&value, use, &timeline_part, ""));
    *out = value;
    return UBI_OK;
}
