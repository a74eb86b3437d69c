/* SPDX-License-Identifier: MIT
 *
 * fail_allocator.c: see fail_allocator.h. Each block has its size and a magic number in front.
 */
#include "fail_allocator.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC_LIVE UINT64_C(0x6c6976652d626c6b)
#define MAGIC_DEAD UINT64_C(0x646561642d626c6b)

typedef struct block {
    uint64_t magic;
    uint64_t size;
    _Alignas(max_align_t) unsigned char bytes[];
} block;

static void die(const char *what, uint64_t expected, uint64_t given) {
    fprintf(stderr, "fail_allocator: %s (%" PRIu64 ", given %" PRIu64 ")\n", what, expected, given);
    abort();
}

static block *block_of(void *ptr, size_t size) {
    block *b = (block *)((unsigned char *)ptr - offsetof(block, bytes));
    if (b->magic != MAGIC_LIVE)
        die("not a live block", 0, size);
    if (b->size != size)
        die("wrong size of a block", b->size, size);
    return b;
}

/* Whether this request is granted. */
static bool request(fail_allocator *f) {
    pthread_mutex_lock(&f->lock);
    bool granted = f->n_requests++ < f->n_allowed || (f->once && f->n_refused > 0);
    f->n_refused += !granted;
    pthread_mutex_unlock(&f->lock);
    return granted;
}

static void account(fail_allocator *f, int blocks, uint64_t added, uint64_t removed) {
    pthread_mutex_lock(&f->lock);
    f->live_blocks += (uint64_t)(int64_t)blocks;
    f->live_bytes += added - removed;
    if (f->live_bytes > f->peak_bytes)
        f->peak_bytes = f->live_bytes;
    pthread_mutex_unlock(&f->lock);
}

static void *checked_alloc(void *ctx, size_t size) {
    fail_allocator *f = ctx;
    if (!request(f))
        return NULL;
    block *b = malloc(sizeof *b + size);
    if (!b)
        return NULL;
    b->magic = MAGIC_LIVE;
    b->size = size;
    memset(b->bytes, 0xa5, size); /* content is unspecified: make that visible */
    account(f, 1, size, 0);
    return b->bytes;
}

static void checked_free(void *ctx, void *ptr, size_t size) {
    if (!ptr)
        return;
    block *b = block_of(ptr, size);
    b->magic = MAGIC_DEAD;
    account(ctx, -1, 0, size);
    free(b);
}

/* Always moves, so that a stale pointer is found out. */
static void *checked_resize(void *ctx, void *ptr, size_t old_size, size_t new_size) {
    if (ptr)
        block_of(ptr, old_size);
    else if (old_size)
        die("resize of no block with a size", 0, old_size);
    void *moved = checked_alloc(ctx, new_size);
    if (!moved)
        return NULL;
    if (ptr)
        memcpy(moved, ptr, old_size < new_size ? old_size : new_size);
    checked_free(ctx, ptr, old_size);
    return moved;
}

void fail_allocator_init(fail_allocator *f, uint64_t n_allowed) {
    memset(f, 0, sizeof *f);
    f->allocator = (ubi_allocator){ checked_alloc, checked_resize, checked_free, f };
    f->n_allowed = n_allowed;
    pthread_mutex_init(&f->lock, NULL);
}

void fail_allocator_fini(fail_allocator *f) {
    if (f->live_blocks || f->live_bytes) {
        fprintf(stderr, "fail_allocator: %" PRIu64 " blocks, %" PRIu64 " bytes leaked\n", f->live_blocks,
                f->live_bytes);
        abort();
    }
    pthread_mutex_destroy(&f->lock);
}

/* Calls `work` with request `n` refused, and counts its requests. Whether it came that far. */
static bool refused(fail_allocator_work *work, void *payload, uint64_t n, bool once, uint64_t *n_requests) {
    fail_allocator f;
    fail_allocator_init(&f, n);
    f.once = once;
    ubi_status status = work(payload, &f.allocator), expected = f.n_refused ? UBI_ENOMEM : UBI_OK;
    if (status != expected) {
        fprintf(stderr, "fail_allocator: status %d with request %" PRIu64 " refused%s, expected %d\n", status, n,
                once ? "" : " and all after it", expected);
        abort();
    }
    *n_requests = f.n_requests;
    fail_allocator_fini(&f);
    return expected == UBI_ENOMEM;
}

uint64_t fail_each_allocation(fail_allocator_work *work, void *payload) {
    uint64_t n_requests = 0;
    for (int once = 0; once < 2; once++)
        for (uint64_t n = fail_allocator_first(once); refused(work, payload, n, once, &n_requests);)
            n = fail_allocator_next(n);
    return n_requests;
}
