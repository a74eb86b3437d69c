/* SPDX-License-Identifier: MIT
 *
 * remote_heap.h: heaps behind a server of the remote debugging protocol, Firefox's or ours, of any age: the operations of its schemes.
 */
#ifndef UBI_RDP_REMOTE_HEAP_H
#define UBI_RDP_REMOTE_HEAP_H

#include "targets/remote.h"

/** For `firefox` and `ubi`. */
extern const ubi__remote_ops ubi__rdp_remote_ops;

/** As its `open`, over a connection that is there, which it owns from now on, also after a failure. */
ubi_status ubi__rdp_remote_adopt(ubi__remote **out, int fd, const ubi__remote_address *address,
                                 const ubi_progress *progress, const ubi_allocator *allocator);

#endif
