/* SPDX-License-Identifier: MIT
 *
 * host_inspect.h: JavaScript values as people read them.
 *
 *     { name: 'x', list: [ 1, 2 ], f: [Function: f] }      Map(1) { 'a' => Point { x: 1, y: 2 } }
 *
 * Getters are named, not called; traps of proxies and iterators of maps and sets are called, and what they throw is
 * ignored. Depth and number of entries have limits, so the work is bounded for any value.
 */
#ifndef UBI_QUICKJS_HOST_INSPECT_H
#define UBI_QUICKJS_HOST_INSPECT_H

#include <quickjs.h>

#include "engines/quickjs/host/host_text.h"

/** Objects in objects in the value, of which the deeper ones are shown as [Object]. */
#define UBI__INSPECT_DEPTH 3

/** A value inside of something: texts are quoted. */
void ubi__inspect(ubi__host_text *out, JSContext *realm, JSValueConst value);
/** A value that stands alone: texts are as they are. */
void ubi__inspect_plain(ubi__host_text *out, JSContext *realm, JSValueConst value);

/* ---- what else of it formatting needs ---- */

/** Anything but objects. */
void ubi__inspect_primitive(ubi__host_text *out, JSContext *realm, JSValueConst value);
/** What `String(value)` gives; nothing where that throws. */
void ubi__inspect_string(ubi__host_text *out, JSContext *realm, JSValueConst value);
/** Of an object; not an object: there is none. */
JSValue ubi__inspect_prototype(JSContext *realm, JSValueConst object);
/** Forgets a pending exception. */
void ubi__inspect_forget(JSContext *realm);

#endif
