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

/* ---- for the files of inspect ---- */

/** Anything but objects. */
void ubi__inspect_primitive(ubi__host_text *out, JSContext *realm, JSValueConst value);
void ubi__inspect_quoted(ubi__host_text *out, const char *text, size_t n);
/** What `String(value)` gives; nothing where that throws. */
void ubi__inspect_string(ubi__host_text *out, JSContext *realm, JSValueConst value);
/** Name of the class that made an object, from its prototypes; false: it has no prototype. */
bool ubi__inspect_class(ubi__host_text *out, JSContext *realm, JSValueConst object);
/** "Map", "Date", ... of Object.prototype.toString; cut to `size` bytes with a zero byte. */
void ubi__inspect_tag(char *out, size_t size, JSContext *realm, JSValueConst object);
/** A property name, quoted where it is no identifier; a symbol in brackets. */
void ubi__inspect_key(ubi__host_text *out, JSContext *realm, JSAtom name);
/** Forgets a pending exception. */
void ubi__inspect_forget(JSContext *realm);

/** Entries that are laid out on a line, or below each other where that is too long. */
typedef struct ubi__inspect_list {
    ubi__host_text text; /* entry behind entry */
    size_t *ends;        /* ends[n] */
    size_t n, capacity;
} ubi__inspect_list;

/** What was added to the text since the last call is an entry. */
void ubi__inspect_list_end_entry(ubi__inspect_list *list);
/** Writes "{ a, b }" with `open` and `close` as parentheses; `indent` columns stand before each line. */
void ubi__inspect_list_write(ubi__host_text *out, const ubi__inspect_list *list, const char *open, const char *close,
                             size_t indent);
void ubi__inspect_list_fini(ubi__inspect_list *list);

#endif
