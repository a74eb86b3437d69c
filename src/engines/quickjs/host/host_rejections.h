/* SPDX-License-Identifier: MIT
 *
 * host_rejections.h: promises that were rejected without a handler.
 *
 * A handler may still be added in the same run of jobs; what is left after it was never handled.
 */
#ifndef UBI_QUICKJS_HOST_REJECTIONS_H
#define UBI_QUICKJS_HOST_REJECTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "engines/quickjs/engine_api.h"

/** What the engine said of a promise. */
typedef struct ubi__host_rejection {
    JSContext *realm;
    JSValue promise, reason;
    bool is_handled;
    size_t order;
} ubi__host_rejection;

typedef struct ubi__host_rejections {
    ubi__host_rejection *at; /* at[n], as it was said; realms and values are references */
    size_t n, capacity;
} ubi__host_rejections;

/** For JS_SetHostPromiseRejectionTracker, with the host as `opaque`. */
void ubi__rejections_track(JSContext *realm, JSValueConst promise, JSValueConst reason, ubi__js_bool is_handled,
                           void *host);
/**
 * Forgets everything, and gives the oldest unhandled rejection: the caller owns its references. False: there is none.
 * Cost: O(n log n).
 */
bool ubi__rejections_settle(ubi__host_rejections *rejections, ubi__host_rejection *out);
void ubi__rejection_free(ubi__host_rejection *rejection);
void ubi__rejections_fini(ubi__host_rejections *rejections);

#endif
