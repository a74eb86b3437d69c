/* SPDX-License-Identifier: MIT
 *
 * drawn_target.c: see drawn_target.h.
 */
#include "drawn_target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static ubi_status freeze(void *payload, const ubi_target_scope *scope, ubi_frozen_heap *out) {
    (void)scope;
    out->root = drawing_node(((drawn_target *)payload)->heap, "root");
    return UBI_OK;
}

static ubi_status thaw(void *payload) {
    (void)payload;
    return UBI_OK;
}

static ubi_status run_at_safe_point(void *payload, ubi_safe_point_fn fn, void *fn_payload) {
    drawn_target *t = payload;
    pthread_mutex_lock(&t->lock);
    assert_null(t->fn); /* one visit is asked for at a time */
    t->fn = fn;
    t->payload = fn_payload;
    pthread_mutex_unlock(&t->lock);
    return UBI_OK;
}

/* It has no garbage. */
static ubi_status collect_garbage(void *payload) {
    (void)payload;
    return UBI_OK;
}

static ubi_status measure(void *payload, ubi_measure_fn fn, void *fn_payload) {
    const ubi_measure_row row = { { "drawnSize", 9 }, 7, true };
    (void)payload;
    fn(fn_payload, &row);
    return UBI_OK;
}

static const ubi_target_ops ops = { .version = UBI_TARGET_OPS_VERSION,
                                    .kind = "drawn",
                                    .capabilities = UBI_TARGET_WALK | UBI_TARGET_SAFE_POINT |
                                                    UBI_TARGET_COLLECT_GARBAGE | UBI_TARGET_MEASURE,
                                    .collect_garbage = collect_garbage,
                                    .measure = measure,
                                    .freeze = freeze,
                                    .thaw = thaw,
                                    .run_at_safe_point = run_at_safe_point };

static void safe_point(drawn_target *t) {
    pthread_mutex_lock(&t->lock);
    ubi_safe_point_fn fn = t->fn;
    void *payload = t->payload;
    t->fn = NULL;
    pthread_mutex_unlock(&t->lock);
    if (fn)
        fn(payload);
}

static void *target_thread(void *payload) {
    drawn_target *t = payload;
    while (!atomic_load(&t->is_over)) {
        safe_point(t);
        usleep(2000);
    }
    safe_point(t);
    return NULL;
}

void drawn_target_open(drawn_target *t, const char *drawn) {
    memset(t, 0, sizeof *t);
    t->heap = drawing_new(drawn);
    pthread_mutex_init(&t->lock, NULL);
    assert_int_equal(pthread_create(&t->thread, NULL, target_thread, t), 0);
}

void drawn_target_close(drawn_target *t) {
    atomic_store(&t->is_over, true);
    assert_int_equal(pthread_join(t->thread, NULL), 0);
    pthread_mutex_destroy(&t->lock);
    drawing_free(t->heap);
}

ubi_target drawn_target_of(drawn_target *t) {
    return (ubi_target){ &ops, t };
}
