/* SPDX-License-Identifier: MIT
 *
 * v8_text_pool.c: texts in blocks that never move.
 */
#include "lenses/v8/v8_text_pool.h"

#include <string.h>

#include "base/assert.h"

#define BLOCK_BYTES ((size_t)16 << 10)

struct ubi__v8_text_block {
    ubi__v8_text_block *before;
    size_t n, cap; /* bytes of text */
    char bytes[];
};

static ubi__v8_text_block *new_block(ubi__v8_text_pool *pool, const ubi_allocator *a, size_t n) {
    size_t cap = n > BLOCK_BYTES ? n : BLOCK_BYTES;
    if (cap > SIZE_MAX / 2)
        return NULL;
    ubi__v8_text_block *block = (ubi__v8_text_block *)ubi__alloc_array(a, sizeof *block + cap, 1);
    if (!block)
        return NULL;
    block->before = pool->last;
    block->n = 0;
    block->cap = cap;
    return pool->last = block;
}

char *ubi__v8_text_pool_room(ubi__v8_text_pool *pool, const ubi_allocator *a, size_t n) {
    ubi__v8_text_block *block = pool->last;
    if (!block || block->cap - block->n < n)
        block = new_block(pool, a, n);
    if (!block)
        return NULL;
    block->n += n;
    UBI_ASSERT(block->n <= block->cap);
    return block->bytes + block->n - n;
}

ubi_status ubi__v8_text_pool_join(ubi_text *out, ubi__v8_text_pool *pool, const ubi_allocator *a, ubi_text first,
                                  ubi_text second) {
    char *room = ubi__v8_text_pool_room(pool, a, first.len + second.len);
    if (!room)
        return ubi__fail_nomem();
    if (first.len)
        memcpy(room, first.ptr, first.len);
    if (second.len)
        memcpy(room + first.len, second.ptr, second.len);
    *out = (ubi_text){ room, first.len + second.len };
    return UBI_OK;
}

void ubi__v8_text_pool_fini(ubi__v8_text_pool *pool, const ubi_allocator *a) {
    while (pool->last) {
        ubi__v8_text_block *block = pool->last;
        pool->last = block->before;
        ubi__free_array(a, block, sizeof *block + block->cap, 1);
    }
}
