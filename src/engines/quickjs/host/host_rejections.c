/* SPDX-License-Identifier: MIT
 *
 * host_rejections.c: see host_rejections.h.
 */
#include "engines/quickjs/host/host_rejections.h"

#include <stdint.h>
#include <stdlib.h>

#include "engines/quickjs/host/host_state.h"

void ubi__rejections_track(JSContext *realm, JSValueConst promise, JSValueConst reason, JS_BOOL is_handled,
                           void *host) {
    ubi__host_rejections *r = &((ubi__host *)host)->rejections;
    if (r->n == r->capacity) {
        size_t capacity = r->capacity ? r->capacity * 2 : 8;
        ubi__host_rejection *at = realloc(r->at, capacity * sizeof *at);
        if (!at)
            return; /* one that is not reported */
        r->at = at;
        r->capacity = capacity;
    }
    r->at[r->n] = (ubi__host_rejection){ JS_DupContext(realm), JS_DupValue(realm, promise), JS_DupValue(realm, reason),
                                         is_handled, r->n };
    r->n++;
}

static int by_promise_and_order(const void *a, const void *b) {
    const ubi__host_rejection *x = a, *y = b;
    uintptr_t p = (uintptr_t)JS_VALUE_GET_PTR(x->promise), q = (uintptr_t)JS_VALUE_GET_PTR(y->promise);
    return p != q ? (p > q) - (p < q) : (x->order > y->order) - (x->order < y->order);
}

/* The oldest of the promises about which the last word is a rejection; `r` is sorted. */
static ubi__host_rejection *oldest_rejection(ubi__host_rejections *r) {
    ubi__host_rejection *found = NULL;
    for (size_t i = 0; i < r->n; i++) {
        ubi__host_rejection *last = &r->at[i];
        bool is_last = i + 1 == r->n || JS_VALUE_GET_PTR(last[1].promise) != JS_VALUE_GET_PTR(last->promise);
        if (is_last && !last->is_handled && (!found || last->order < found->order))
            found = last;
    }
    return found;
}

bool ubi__rejections_settle(ubi__host_rejections *r, JSContext **realm, JSValue *reason) {
    if (r->n == 0)
        return false;
    qsort(r->at, r->n, sizeof *r->at, by_promise_and_order);
    ubi__host_rejection *found = oldest_rejection(r);
    if (found) {
        *realm = JS_DupContext(found->realm);
        *reason = JS_DupValue(found->realm, found->reason);
    }
    ubi__rejections_fini(r);
    return found != NULL;
}

void ubi__rejections_fini(ubi__host_rejections *r) {
    for (size_t i = 0; i < r->n; i++) {
        JS_FreeValue(r->at[i].realm, r->at[i].promise);
        JS_FreeValue(r->at[i].realm, r->at[i].reason);
        JS_FreeContext(r->at[i].realm);
    }
    free(r->at);
    *r = (ubi__host_rejections){ 0 };
}
