/* SPDX-License-Identifier: MIT
 *
 * js_report.h: a census report as a JavaScript value.
 */
#ifndef UBI_QUICKJS_JS_REPORT_H
#define UBI_QUICKJS_JS_REPORT_H

#include "engines/quickjs/js_breakdown.h"

/**
 * Builds the value in a realm that has `Debugger`, with nothing that scripts could have replaced: no code of theirs runs.
 * Owned, or an exception. Cost: O(size of the report).
 */
JSValue ubi__js_report(JSContext *ctx, const ubi_report *report, const ubi__js_breakdown *breakdown);

/** A whole number as JavaScript has it: a double, so it may be rounded above 2^53. */
static inline JSValue ubi__js_number(JSContext *ctx, uint64_t number) {
    return number <= INT32_MAX ? JS_NewInt32(ctx, (int32_t)number) : JS_NewFloat64(ctx, (double)number);
}

#endif
