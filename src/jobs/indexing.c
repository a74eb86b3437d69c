/* SPDX-License-Identifier: MIT
 *
 * indexing.c: see indexing.h.
 */
#include "jobs/indexing.h"

/* An index that is there already is let be by the session. */
static ubi_status index_write(ubi__vec_u8 *answer, void *payload, const ubi_progress *progress) {
    const ubi__shelf_heap *heap = payload;
    ubi_session_use_options options = UBI_SESSION_USE_OPTIONS_INIT;
    ubi_session_use *use;
    (void)answer;
    options.progress = *progress;
    UBI_TRY(ubi_session_use_begin(&use, heap->session, &options));
    ubi_status status = ubi_session_write_index(use);
    ubi_session_use_end(use);
    return status;
}

static void heap_release(void *payload) {
    ubi__shelf_heap_unref(payload);
}

void ubi__indexing_begin(ubi__desk *desk, const ubi__shelf_heap *heap) {
    ubi__desk_job *job = NULL;
    uint64_t id;
    bool is_lasting = heap->origin == UBI__SHELF_GIVEN || heap->origin == UBI__SHELF_OPENED;
    if (!is_lasting || heap->size_bytes < UBI__INDEXING_LEAST_BYTES || !ubi__shelf_heap_claim_index(heap))
        return;
    const ubi__desk_errand errand = { .title = "index",
                                      .perform = index_write,
                                      .release = heap_release,
                                      .payload = (void *)(uintptr_t)ubi__shelf_heap_ref(heap) };
    if (ubi__desk_run(&job, &id, desk, &errand, true, NULL) != UBI_OK)
        ubi__shelf_heap_unref(heap);
}
