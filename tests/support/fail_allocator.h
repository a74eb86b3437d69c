/* SPDX-License-Identifier: MIT
 *
 * fail_allocator.h: an allocator for tests that counts and fails on demand.
 *
 * It checks what the allocator interface asks for: every size given on resize and free is the block's own, and nothing
 * is freed twice. It counts live blocks and bytes, and it can refuse the n-th request and all after it, so that a test
 * can walk through every allocation of a call. fail_each_allocation does; where more is to be checked, a test does itself:
 *
 *     for (uint64_t n = 0;; n += FAIL_ALLOCATOR_STEP) {
 *         fail_allocator f;
 *         fail_allocator_init(&f, n);
 *         ubi_status status = work(&f.allocator);
 *         assert_true(status == UBI_OK || status == UBI_ENOMEM);
 *         ... free the result ...
 *         fail_allocator_fini(&f);         // fails the test when something is still live
 *         if (status == UBI_OK)
 *             break;
 *     }
 *
 * With `once` set, a single request is refused and all after it are granted: that finds code which ignores a failure and
 * is only saved by the next one.
 *
 * Safe from any thread.
 */
#ifndef UBI_TESTS_FAIL_ALLOCATOR_H
#define UBI_TESTS_FAIL_ALLOCATOR_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <ubiheap/core/base.h>

#include "base/sanitizers.h"

#define FAIL_ALLOCATOR_NEVER UINT64_MAX

/**
 * From one refused request to the next. Each leaves on a way of its own, which AddressSanitizer sees. The threads of all are the same:
 * ThreadSanitizer, much slower, has one in thirteen.
 */
enum { FAIL_ALLOCATOR_STEP = UBI_HAS_THREAD_SANITIZER ? 13 : 1 };
/**
 * A request can be refused alone, and with all after it. Where each way costs much, sanitizers have every other request in one of them:
 * first n = once ? FAIL_ALLOCATOR_STEP : 0, then n += 2 * FAIL_ALLOCATOR_STEP, which is what these give.
 */
enum { FAIL_ALLOCATOR_WAYS = UBI_IS_SANITIZED ? 2 : 1 };
static inline uint64_t fail_allocator_first(bool once) {
    return once ? (FAIL_ALLOCATOR_WAYS - 1) * FAIL_ALLOCATOR_STEP : 0;
}
static inline uint64_t fail_allocator_next(uint64_t n) {
    return n + FAIL_ALLOCATOR_WAYS * FAIL_ALLOCATOR_STEP;
}

typedef struct fail_allocator {
    ubi_allocator allocator; /* give its address to the code under test */
    pthread_mutex_t lock;
    uint64_t n_allowed;  /* requests (alloc or resize) granted before all are refused */
    bool once;           /* refuse one request only; false from fail_allocator_init */
    uint64_t n_requests; /* so far */
    uint64_t n_refused;
    uint64_t live_blocks, live_bytes, peak_bytes;
} fail_allocator;

void fail_allocator_init(fail_allocator *f, uint64_t n_allowed);
/** Aborts with a message when blocks are still live. */
void fail_allocator_fini(fail_allocator *f);

/** Does what is tested with this allocator, and frees the result. */
typedef ubi_status fail_allocator_work(void *payload, const ubi_allocator *allocator);

/**
 * Calls `work` with its first request refused, then with its second (FAIL_ALLOCATOR_STEP), until none is; with all after it refused too, and again
 * with `once` (FAIL_ALLOCATOR_WAYS). The status must be UBI_ENOMEM if and only if a request was refused, else UBI_OK, and nothing may be left; or
 * this aborts with a message.
 *
 * @return how many requests `work` makes.
 */
uint64_t fail_each_allocation(fail_allocator_work *work, void *payload);

#endif
