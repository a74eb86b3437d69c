/* SPDX-License-Identifier: MIT
 *
 * cdp_remote.h: a heap behind the DevTools protocol, for the files of this folder that serve its operations.
 *
 *     cdp_reach.c       where it listens, its inspector and its connection: opened, and closed again
 *     cdp_snapshot.c    snapshots and traces, which come in events
 *     cdp_program.c     why the program does not answer: it ends, a debugger holds it, it is stopped, or busy
 *     cdp_sizes.c       how large it is, and what a snapshot of it needs
 *     cdp_workers.c     worker threads of Node.js, and workers of pages, each with a heap of its own
 *     cdp_cluster.c     processes that a program of Node.js started by its module cluster
 *     cdp_heap.c        what there is to attach to, and the table of operations
 */
#ifndef UBI_CDP_CDP_REMOTE_H
#define UBI_CDP_CDP_REMOTE_H

#include "cdp/cdp_peer.h"
#include "cdp/cdp_targets.h"
#include "cdp/node_cluster.h"
#include "cdp/node_inspector.h"
#include "targets/remote.h"

#define UBI__CDP_LOOPBACK "127.0.0.1"
#define UBI__CDP_PROGRAM_ENDED "the program has ended"

/** A worker thread of Node.js, or a worker of a page. */
typedef struct ubi__cdp_worker {
    uint64_t number;                      /**< as the program knows it, worker.threadId */
    char session[UBI__CDP_SESSION_BYTES]; /**< while workers are watched */
    char target[UBI__CDP_SESSION_BYTES];  /**< of a page: its id, with which its path in a list ends */
    ubi__vec_u8 title, url;               /**< owned */
} ubi__cdp_worker;

UBI_VEC_DECLARE(ubi__cdp_workers, ubi__cdp_worker);

/** One of them, while it is attached to. */
struct ubi__remote {
    const ubi__remote_address *address;
    const ubi_progress *progress;
    const ubi_allocator *allocator;
    const char *host;
    uint16_t port;
    ubi__node_ports others;    /* asked before the inspector was opened, and not it: they are not asked again */
    bool was_opened;           /* the inspector, by us */
    ubi__node_members members; /* of its cluster, before that: it has them open theirs */
    bool is_counted;           /* among those that use an inspector which one of us opened */
    ubi__vec_u8 list;          /* of targets, as it came */
    char path[UBI__CDP_PATH_BYTES];
    bool is_node;
    bool is_page, is_page_worker; /* the target that was chosen; a worker answers through its page alone */
    ubi__cdp_peer *peer;          /* NULL: nothing is attached to */
    bool is_ending;               /* it waits for us to leave */
    bool is_worker_over;          /* that is attached to: nothing else can be asked of it */
    bool has_ended;               /* the tab or worker has */
    bool has_contexts;            /* their end is that of the program: it is too old to say that it ends */
    bool is_unstarted;            /* when it was connected to: it waits for a debugger */
    bool is_held;                 /* by a debugger that is not we */
    bool is_looked_at;            /* whether a debugger holds it has been asked, for the command that is under way */
    ubi__cdp_workers workers;     /* that there were when they were looked for, in the order of their numbers */
    bool knows_workers;
    bool is_finding_workers, are_workers_watched;
    bool is_gathering_workers;           /* of one page after the other */
    bool are_workers_missing;            /* from a list: the program did not answer */
    char worker[UBI__CDP_SESSION_BYTES]; /* the one that is attached to; "": the program itself is */
    uint64_t n_workers_said, n_processes_said;
    uint64_t patience_us; /* how long an answer may take; 0: as the address has it */
    bool may_be_long;     /* a snapshot is under way, which takes as long as it needs */
    /* while a snapshot is transferred: */
    ubi_write_fn write;
    void *payload;
    ubi__vec_u8 scratch;
    uint64_t n_bytes;
};

/* ---- cdp_reach.c, operations of targets/remote.h -------------------------------------------------------------------- */

ubi_status ubi__cdp_remote_open(ubi__remote **out, const ubi__remote_address *address, const ubi_progress *progress,
                                const ubi_allocator *allocator);
void ubi__cdp_remote_close(ubi__remote *remote);
/** Looks for its inspector among its ports that were not asked before. Errors: those of ubi__node_ports_find; UBI_ENOMEM, UBI_ECANCELLED. */
ubi_status ubi__cdp_ports_try(ubi__remote *remote, bool *is_found);
/** Connects to the target at `path`, which is that of a Node.js program when `is_node`. */
ubi_status ubi__cdp_remote_connect(ubi__remote *remote);

/* ---- cdp_program.c -------------------------------------------------------------------------------------------------- */

/** How long an answer may take. */
uint64_t ubi__cdp_program_patience_us(const ubi__remote *remote);
/**
 * Has a program say that it ends: Node.js and Deno wait then for their debuggers to leave, and answer little. Right after a connection is there.
 * Errors: UBI_EIO (it ends by now, or the connection), and others of connections.
 */
ubi_status ubi__cdp_program_watch(ubi__remote *remote);
/** An event that is about that, or about its debuggers. */
void ubi__cdp_program_event(ubi__remote *remote, ubi_text method);
/** Of ubi__cdp_peer_options; the payload is a ubi__remote. Errors: UBI_EIO: a debugger holds it, or the patience is over. */
ubi_status ubi__cdp_program_silence(void *payload, uint64_t waited_us);
/** Errors: UBI_EIO: the process is stopped, in words; other than for a moment, as one that is traced is. */
ubi_status ubi__cdp_program_check_stopped(const ubi__remote *remote);

/* ---- cdp_workers.c -------------------------------------------------------------------------------------------------- */

void ubi__cdp_workers_close(ubi__remote *remote);
/** Looks for them, once for a connection, and leaves them again. A program that is not Node.js has none. Errors: those of connections. */
ubi_status ubi__cdp_workers_count(ubi__remote *remote);
/** Whether a snapshot is of a program or page, and its workers, as far as there are any, were not chosen from. */
bool ubi__cdp_workers_are_left(const ubi__remote *remote);
/** Has commands go to the worker that the address chooses, if it does. Errors: UBI_ENOTFOUND, UBI_ESTATE (it has none), and those of connections. */
ubi_status ubi__cdp_workers_attach(ubi__remote *remote);
/** Looks for the workers of all pages of the list. Errors: UBI_ENOMEM, UBI_ECANCELLED. */
ubi_status ubi__cdp_page_workers_gather(ubi__remote *remote);
/**
 * Connects to the page of the worker whose id `path` ends with, and has commands go to it. Errors: UBI_ESTATE (no page has it), and those of
 * connections.
 */
ubi_status ubi__cdp_page_worker_attach(ubi__remote *remote);
/** An event that is about them. Errors: UBI_ENOMEM. */
ubi_status ubi__cdp_workers_event(ubi__remote *remote, ubi_text method, ubi_text params);
/** Commands are for the program again, as far as there is a connection. */
void ubi__cdp_workers_leave(ubi__remote *remote);

/* ---- cdp_cluster.c -------------------------------------------------------------------------------------------------- */

/** Right before the inspector of the program is opened by its signal. Errors: UBI_ENOMEM. */
ubi_status ubi__cdp_cluster_note(ubi__remote *remote);
/** Closes what the signal opened in them, as far as they answer. In the network of the program, which has its inspector open. */
void ubi__cdp_cluster_close(ubi__remote *remote);
/** As `other_processes` of targets/remote.h. */
uint64_t ubi__cdp_cluster_others(ubi__remote *remote, uint32_t *pids, size_t room, bool must_be_new);

/* ---- cdp_snapshot.c ------------------------------------------------------------------------------------------------- */

/** Of ubi__cdp_peer_options; the payload is a ubi__remote. */
ubi_status ubi__cdp_remote_event(void *payload, ubi_text method, ubi_text params);
ubi_status ubi__cdp_remote_snapshot(ubi__remote *remote, ubi_write_fn write, void *payload, uint64_t *pause_us);
ubi_status ubi__cdp_remote_trace_start(ubi__remote *remote, ubi__remote_trace trace);
ubi_status ubi__cdp_remote_trace_look(ubi__remote *remote, ubi__remote_trace trace, ubi_write_fn write, void *payload);
ubi_status ubi__cdp_remote_trace_stop(ubi__remote *remote, ubi__remote_trace trace, ubi_write_fn write, void *payload);

/* ---- cdp_sizes.c ---------------------------------------------------------------------------------------------------- */

/** Whether the program, as far as it runs on this machine, has the memory that a snapshot takes. Errors: UBI_ELIMIT, in words. */
ubi_status ubi__cdp_remote_check_room(ubi__remote *remote);
ubi_status ubi__cdp_remote_measure(ubi__remote *remote, ubi__remote_document *take, void *payload);

#endif
