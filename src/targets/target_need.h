/* SPDX-License-Identifier: MIT
 *
 * target_need.h: what a target must be able to do.
 */
#ifndef UBI_TARGETS_TARGET_NEED_H
#define UBI_TARGETS_TARGET_NEED_H

#include <ubiheap/extension/target.h>

#include "base/server_api.h"

/**
 * UBI_OK, or why not.
 * @param what  completes "a target of kind KIND cannot ...".
 * Errors: UBI_EINVAL (operations of an unknown version), UBI_ESTATE (the capability is missing).
 */
UBI__SERVER_API ubi_status ubi__target_need(ubi_target target, ubi_target_capability capability, const char *what);

#endif
