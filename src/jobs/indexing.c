/* SPDX-License-Identifier: MIT
 *
 * indexing.c: see indexing.h.
 */
#include "jobs/indexing.h"

#include "base/status.h"

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

static void indexing_begin(ubi__desk *desk, const ubi__shelf_heap *heap) {
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

/* ---- what follows an answer ------------------------------------------------------------------------------------------- */

typedef struct indexing {
    ubi__desk *desk;
    uint32_t n;
    const ubi__shelf_heap *heaps[]; /* heaps[n], references */
} indexing;

static size_t indexing_bytes(uint32_t n) {
    return sizeof(indexing) + n * sizeof(const ubi__shelf_heap *);
}

static void heaps_begin(void *payload) {
    const indexing *all = payload;
    for (uint32_t i = 0; i < all->n; i++)
        indexing_begin(all->desk, all->heaps[i]);
}

static void heaps_release(void *payload) {
    const ubi_allocator *a = ubi_allocator_default();
    indexing *all = payload;
    for (uint32_t i = 0; i < all->n; i++)
        ubi__shelf_heap_unref(all->heaps[i]);
    a->free(a->ctx, all, indexing_bytes(all->n));
}

ubi_status ubi__indexing_sequel(ubi__desk_sequel *out, ubi__desk *desk, const ubi__shelf_heap *const *heaps,
                                uint32_t n) {
    const ubi_allocator *a = ubi_allocator_default();
    indexing *all = a->alloc(a->ctx, indexing_bytes(n));
    if (!all)
        return ubi__fail_nomem();
    all->desk = desk;
    all->n = n;
    for (uint32_t i = 0; i < n; i++)
        all->heaps[i] = ubi__shelf_heap_ref(heaps[i]);
    *out = (ubi__desk_sequel){ heaps_begin, heaps_release, all };
    return UBI_OK;
}
