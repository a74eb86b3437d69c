/* SPDX-License-Identifier: MIT
 *
 * drawn_target.h: a live heap that was drawn (drawing.h), with a thread that reaches safe points all the time.
 */
#ifndef UBI_TESTS_DRAWN_TARGET_H
#define UBI_TESTS_DRAWN_TARGET_H

#include <pthread.h>
#include <stdatomic.h>

#include <ubiheap/extension/target.h>

#include "drawing.h"

typedef struct drawn_target {
    drawing *heap;
    pthread_t thread;
    pthread_mutex_t lock;
    ubi_safe_point_fn fn; /* for the next safe point; NULL: none */
    void *payload;
    _Atomic bool is_over;
} drawn_target;

void drawn_target_open(drawn_target *target, const char *drawn);
/** After what was asked for has run. */
void drawn_target_close(drawn_target *target);
ubi_target drawn_target_of(drawn_target *target);

#endif
