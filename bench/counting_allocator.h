/* SPDX-License-Identifier: MIT
 *
 * counting_allocator.h: the default allocator with a count of what is allocated, for benches.
 *
 * Tests have fail_allocator.h, which counts too; it checks and fills every block, and so costs time that a bench would
 * measure. Safe from any thread.
 */
#ifndef UBI_BENCH_COUNTING_ALLOCATOR_H
#define UBI_BENCH_COUNTING_ALLOCATOR_H

#include <pthread.h>

#include <ubiheap/core/base.h>

typedef struct ubi__counting_allocator {
    ubi_allocator allocator; /* give its address to what is measured */
    pthread_mutex_t lock;
    uint64_t live_bytes, peak_bytes;
} ubi__counting_allocator;

void ubi__counting_allocator_init(ubi__counting_allocator *c);
void ubi__counting_allocator_fini(ubi__counting_allocator *c);

#endif
