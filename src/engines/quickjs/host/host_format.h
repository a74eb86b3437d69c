/* SPDX-License-Identifier: MIT
 *
 * host_format.h: the arguments of console.log as a text.
 */
#ifndef UBI_QUICKJS_HOST_FORMAT_H
#define UBI_QUICKJS_HOST_FORMAT_H

#include <quickjs.h>

#include "engines/quickjs/host/host_text.h"

/** Arguments with spaces between; directives in the first one, if it is a text, take the next ones. */
void ubi__format(ubi__host_text *out, JSContext *realm, int n, JSValueConst *arguments);

#endif
