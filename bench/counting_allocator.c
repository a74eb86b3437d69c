/* SPDX-License-Identifier: MIT
 *
 * counting_allocator.c: see counting_allocator.h.
 */
#include "counting_allocator.h"

static void account(ubi__counting_allocator *c, uint64_t added, uint64_t removed) {
    pthread_mutex_lock(&c->lock);
    c->live_bytes += added - removed;
    if (c->live_bytes > c->peak_bytes)
        c->peak_bytes = c->live_bytes;
    pthread_mutex_unlock(&c->lock);
}

static void *counted_alloc(void *ctx, size_t size) {
    const ubi_allocator *a = ubi_allocator_default();
    void *p = a->alloc(a->ctx, size);
    account(ctx, p ? size : 0, 0);
    return p;
}

static void *counted_resize(void *ctx, void *p, size_t old_size, size_t new_size) {
    const ubi_allocator *a = ubi_allocator_default();
    void *q = a->resize(a->ctx, p, old_size, new_size);
    if (q)
        account(ctx, new_size, old_size);
    return q;
}

static void counted_free(void *ctx, void *p, size_t size) {
    const ubi_allocator *a = ubi_allocator_default();
    a->free(a->ctx, p, size);
    account(ctx, 0, p ? size : 0);
}

void ubi__counting_allocator_init(ubi__counting_allocator *c) {
    *c = (ubi__counting_allocator){ .allocator = { counted_alloc, counted_resize, counted_free, c } };
    pthread_mutex_init(&c->lock, NULL);
}

void ubi__counting_allocator_fini(ubi__counting_allocator *c) {
    pthread_mutex_destroy(&c->lock);
}
