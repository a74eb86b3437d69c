/* SPDX-License-Identifier: MIT
 *
 * cdp_targets.h: what a server of the DevTools protocol has to attach to, as it lists it at /json/list.
 */
#ifndef UBI_CDP_CDP_TARGETS_H
#define UBI_CDP_CDP_TARGETS_H

#include "cdp/web_socket.h"

#define UBI__CDP_PATH_BYTES 256

/** One of them; borrowed during the call. */
typedef struct ubi__cdp_target {
    ubi_text type;  /**< "page", "node", "worker", "service_worker", ...: without escapes, or NULL text */
    ubi_text title; /**< as text; NULL text: none */
    ubi_text url;
    char path[UBI__CDP_PATH_BYTES]; /**< of its WebSocket; "": someone else is attached already */
} ubi__cdp_target;

/** Calls for each target in the order of the list. An error of `each` ends it. Errors: UBI_EFORMAT, UBI_ENOMEM. */
ubi_status ubi__cdp_targets_read(ubi_text list, ubi_status (*each)(void *payload, const ubi__cdp_target *target),
                                 void *payload, const ubi_allocator *allocator);

#endif
