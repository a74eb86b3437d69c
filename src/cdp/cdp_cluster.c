/* SPDX-License-Identifier: MIT
 *
 * cdp_cluster.c: see cdp_remote.h.
 */
#include <unistd.h>

#include "base/status.h"
#include "cdp/cdp_remote.h"

#define TICK_US 20000
/* For all of them together. One that is not busy has it open long before. */
#define OPEN_NS ((uint64_t)2000000000)
#define MEMBER_PATIENCE_US ((uint64_t)2000000)

ubi_status ubi__cdp_cluster_note(ubi__remote *r) {
    r->members.n = 0;
    return ubi__node_members_find(&r->members, "", (pid_t)r->address->pid, true, r->allocator);
}

/* Whether its inspector listens, before the time. */
static bool member_await(ubi__remote *member, uint64_t until_ns) {
    bool is_found = false;
    for (;;) {
        if (ubi__cdp_ports_try(member, &is_found) != UBI_OK || is_found)
            return is_found;
        if (ubi_process_clock_ns() >= until_ns)
            return false;
        usleep(TICK_US);
    }
}

/* It is closed as one that we opened ourselves, unless someone else uses it by now. */
static void member_close(const ubi__remote *r, const ubi__node_member *m, uint64_t until_ns) {
    const ubi__remote_address address = { .scheme = r->address->scheme,
                                          .pid = (uint32_t)m->pid,
                                          .patience_us = MEMBER_PATIENCE_US };
    ubi__remote *member = UBI_NEW(r->allocator, ubi__remote);
    if (!member)
        return;
    member->address = &address;
    member->progress = r->progress;
    member->allocator = r->allocator;
    member->host = UBI__CDP_LOOPBACK;
    member->others = m->ports;
    member->was_opened = member_await(member, until_ns) && ubi__node_connection_count("", m->pid, member->port) == 0;
    ubi__cdp_remote_close(member);
}

void ubi__cdp_cluster_close(ubi__remote *r) {
    uint64_t until_ns = ubi_process_clock_ns() + OPEN_NS;
    for (size_t i = 0; i < r->members.n; i++)
        if (ubi__node_member_opens(&r->members.at[i], ""))
            member_close(r, &r->members.at[i], until_ns);
    r->members.n = 0;
}

/* A worker thread, or the main thread alone, is not the program. */
uint64_t ubi__cdp_cluster_others(ubi__remote *r, uint32_t *pids, size_t room, bool must_be_new) {
    ubi__node_members members = { NULL, 0, 0 };
    pid_t pid = r->address->choice == UBI__REMOTE_ANY ? (pid_t)r->address->pid : 0;
    if (pid && ubi__node_members_find(&members, "", pid, false, r->allocator) != UBI_OK)
        members.n = 0;
    uint64_t n = members.n;
    for (size_t i = 0; i < n && i < room; i++)
        pids[i] = (uint32_t)members.at[i].pid;
    ubi__node_members_fini(&members, r->allocator);
    bool is_new = n != r->n_processes_said;
    if (must_be_new)
        r->n_processes_said = n;
    return must_be_new && !is_new ? 0 : n;
}
