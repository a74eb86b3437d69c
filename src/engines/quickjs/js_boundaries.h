/* SPDX-License-Identifier: MIT
 *
 * js_boundaries.h: which part of the heap a script wants saved.
 */
#ifndef UBI_QUICKJS_JS_BOUNDARIES_H
#define UBI_QUICKJS_JS_BOUNDARIES_H

#include "engines/quickjs/js_webidl.h"

/** All zero: nothing was read. */
typedef struct ubi__js_boundaries {
    ubi_quickjs_scope *globals; /* of `globals`; owned */
    ubi_target_scope scope;
    const ubi_target_scope *part; /* &scope; NULL: everything */
    JSValue debugger;             /* kept while its debuggees are the scope; undefined for others */
} ubi__js_boundaries;

/**
 * Reads { runtime: true }, { debugger: a Debugger } or { globals: [global, ...] }, exactly one of them. Members are read in
 * the order of the alphabet, as WebIDL has it. 0, or -1 having thrown; to be ended with _fini either way.
 */
int ubi__js_boundaries_read(JSContext *ctx, ubi__js_boundaries *out, ubi_quickjs *tools, JSValueConst value);
void ubi__js_boundaries_fini(JSContext *ctx, ubi__js_boundaries *boundaries);

#endif
