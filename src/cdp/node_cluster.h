/* SPDX-License-Identifier: MIT
 *
 * node_cluster.h: processes that a Node.js program of this machine started by its module cluster.
 *
 * Each has a heap of its own. When the inspector of their primary opens by its signal, the primary sends that signal to each of them.
 */
#ifndef UBI_CDP_NODE_CLUSTER_H
#define UBI_CDP_NODE_CLUSTER_H

#include "base/alloc.h"
#include "cdp/node_inspector.h"

/** One of them. */
typedef struct ubi__node_member {
    pid_t pid;
    ubi__node_ports ports; /**< at which it listened when it was found */
} ubi__node_member;

UBI_VEC_DECLARE(ubi__node_members, ubi__node_member);

/**
 * Finds those that run; what cannot be read is none. Without a look at their ports, unless `has_ports`.
 * @param out  appended to; owned by the caller. @param root  as of node_inspector.h.
 * Errors: UBI_ENOMEM. Source: Node.js, lib/internal/cluster/primary.js: each has NODE_UNIQUE_ID in its environment.
 */
ubi_status ubi__node_members_find(ubi__node_members *out, const char *root, pid_t primary, bool has_ports,
                                  const ubi_allocator *allocator);

/**
 * Whether a member that was found before got the signal, and has its inspector open by now, or may have in a moment: not when it was open before, or
 * another program has its port.
 */
bool ubi__node_member_opens(const ubi__node_member *member, const char *root);

#endif
