/* SPDX-License-Identifier: MIT
 *
 * js_timeline.h: the timeline for scripts.
 */
#ifndef UBI_QUICKJS_JS_TIMELINE_H
#define UBI_QUICKJS_JS_TIMELINE_H

#include <quickjs.h>

/** An object with the timeline's part of nsIDocShell. Owned, or an exception. */
JSValue ubi__js_timeline_new(JSContext *ctx);

#endif
