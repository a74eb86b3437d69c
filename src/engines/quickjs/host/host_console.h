/* SPDX-License-Identifier: MIT
 *
 * host_console.h: the global `console`.
 *
 * log, info, debug write to standard output; error, warn, trace and assert to standard error. A text as first argument may
 * have directives: %s %d %i %f %j %o %O %c %%. Objects are shown by ubi__inspect.
 */
#ifndef UBI_QUICKJS_HOST_CONSOLE_H
#define UBI_QUICKJS_HOST_CONSOLE_H

#include <quickjs.h>
#include <stdint.h>

/** A label and its number: what console.count counts, or when console.time began. */
typedef struct ubi__console_label {
    struct ubi__console_label *next;
    uint64_t value;
    char text[];
} ubi__console_label;

typedef struct ubi__console {
    ubi__console_label *counts, *times;
    unsigned groups; /* console.group: how deep */
} ubi__console;

void ubi__console_fini(ubi__console *console);
/** Defines `console` on a global object. 0, or -1 with a pending exception. */
int ubi__console_add_global(JSContext *realm, JSValueConst global);

#endif
