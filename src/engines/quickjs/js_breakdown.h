/* SPDX-License-Identifier: MIT
 *
 * js_breakdown.h: a breakdown written in JavaScript.
 */
#ifndef UBI_QUICKJS_JS_BREAKDOWN_H
#define UBI_QUICKJS_JS_BREAKDOWN_H

#include <ubiheap/core/census.h>

#include "engines/quickjs/engine.h"

/** A breakdown that was read. Labels are kept as the strings they are; the census knows them by number. */
typedef struct ubi__js_breakdown {
    ubi_breakdown *breakdown; /* NULL: the default one */
    JSValue *labels;          /* labels[n_labels]; the census's label is the decimal index */
    uint32_t n_labels, label_capacity;
} ubi__js_breakdown;

/**
 * Reads `options.breakdown` as SpiderMonkey does: which property when, with getters, ToString and ToBoolean. Options that
 * are no object are ignored, and without a breakdown it is the default one.
 * 0, or -1 with a pending exception: what a getter threw, or a TypeError or RangeError of ours.
 */
int ubi__js_breakdown_read(JSContext *ctx, ubi__js_breakdown *out, JSValueConst options);
/** The same of a breakdown itself; undefined is the default one. */
int ubi__js_breakdown_read_value(JSContext *ctx, ubi__js_breakdown *out, JSValueConst breakdown);
void ubi__js_breakdown_fini(JSContext *ctx, ubi__js_breakdown *breakdown);

#endif
