/* SPDX-License-Identifier: MIT
 *
 * cdp_heap.h: heaps of V8 behind the DevTools protocol: the operations of its schemes.
 *
 * Node.js processes of this machine are addressed by their number. Their inspector is opened where it is closed, and closed again when the
 * operations end, however they end.
 */
#ifndef UBI_CDP_CDP_HEAP_H
#define UBI_CDP_CDP_HEAP_H

#include "targets/remote.h"

/** For `node`, `chrome` and `ws`. */
extern const ubi__remote_ops ubi__cdp_remote_ops;

#endif
