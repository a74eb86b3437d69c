/* SPDX-License-Identifier: MIT
 *
 * remote.h: heaps of other processes, reached by an address that is given in place of a file.
 *
 *     SCHEME://HOST[:PORT][/tab/N | /tab/TEXT | /process/N | /worker/N]
 *     SCHEME:PID                                  schemes that know processes of this machine
 *     SCHEME://HOST[:PORT]/PATH                   schemes whose addresses are made by the other side
 *
 * Who speaks a protocol has operations; a door lists schemes, each with the operations that serve it. Sessions and commands know no more
 * than this.
 */
#ifndef UBI_TARGETS_REMOTE_H
#define UBI_TARGETS_REMOTE_H

#include "base/alloc.h"

struct ubi__remote_ops;

/** What the other side is waited for. */
typedef enum ubi__remote_wait {
    UBI__REMOTE_CONNECTING,
    UBI__REMOTE_GREETING,
    UBI__REMOTE_ANSWER,
    UBI__REMOTE_N_WAITS
} ubi__remote_wait;

/** What a scheme stands for. Its words are static. */
typedef struct ubi__remote_scheme {
    const char *name;          /**< such as "firefox" */
    uint16_t port;             /**< where the address has none */
    bool has_processes;        /**< a process of this machine is an address, too */
    bool has_paths;            /**< what follows the host is a path of the other side's */
    const char *snapshot_kind; /**< what it saves, as an ending of file names has it; NULL: "fxsnapshot" */
    const struct ubi__remote_ops *ops;
    const char *hint;      /**< how to make it listen, for those who cannot connect; no final point */
    const char *unwelcome; /**< why it may leave before it greets; NULL: unknown */
    const char *silences[UBI__REMOTE_N_WAITS]; /**< why nothing may come; stages as of silence.h; NULL: no words */
    bool has_patience;                         /**< answers are not waited for without a limit */
    bool has_workers;                          /**< threads with heaps of their own are an address, too */
    bool has_names;                            /**< what there is can be chosen by its name */
    bool has_no_log;                           /**< of allocations, so that none can be recorded */
    uint64_t patience_us;                      /**< how long silence is nothing to speak of; 0: 5 seconds */
} ubi__remote_scheme;

/** As `snapshot_kind`. */
static inline const char *ubi__remote_snapshot_kind(const ubi__remote_scheme *scheme) {
    return scheme->snapshot_kind ? scheme->snapshot_kind : "fxsnapshot";
}

typedef enum ubi__remote_choice {
    UBI__REMOTE_ANY, /**< the tab that is selected, or the first */
    UBI__REMOTE_TAB,
    UBI__REMOTE_PROCESS,
    UBI__REMOTE_WORKER, /**< a thread with a heap of its own, by the program's number; 0: its main thread */
    UBI__REMOTE_NAMED /**< the first of the list whose title or address has the name; the only one, where the name is text */
} ubi__remote_choice;

#define UBI__REMOTE_HOST_BYTES 256
#define UBI__REMOTE_PATH_BYTES 256

typedef struct ubi__remote_address {
    const ubi__remote_scheme *scheme;
    char host[UBI__REMOTE_HOST_BYTES]; /**< a name or digits; of IPv6 without brackets */
    uint16_t port;
    uint32_t pid; /**< of a process of this machine, in place of a host; 0: there is a host */
    ubi__remote_choice choice;
    uint64_t
        number; /**< tabs are counted from 1 in the order of the list; processes have numbers of the server's, 0 its own */
    char path[UBI__REMOTE_PATH_BYTES]; /**< from its slash on, with `has_paths`; else "" */
    char text
        [UBI__REMOTE_PATH_BYTES]; /**< of NAMED, where the address has it: a part of a title, an address, or an id */
    /* not part of the text: */
    const char *name;     /**< of NAMED; borrowed; NULL: `text` is it */
    bool is_alone;        /**< its page without the workers of that, which are not asked about */
    bool is_forced;       /**< snapshots are taken though the program may be ended by them */
    uint64_t patience_us; /**< how long an answer may take, where the scheme has_patience; 0: the standard */
} ubi__remote_address;

/** Whether a path begins with one of the schemes; schemes[] ends with NULL. NULL: there are none. */
bool ubi__remote_is_address(const char *path, const ubi__remote_scheme *const *schemes);
/** Errors: UBI_EINVAL, with what is wrong. */
UBI__SERVER_API ubi_status ubi__remote_address_parse(ubi__remote_address *out, const char *path,
                                                     const ubi__remote_scheme *const *schemes);

/** Whether a title or address has the name that `address` chooses by. */
UBI__SERVER_API bool ubi__remote_name_fits(const ubi__remote_address *address, ubi_text title, ubi_text url);
/** UBI_ENOTFOUND: what the address chooses is not among the `n` of its kind that there are. */
UBI__SERVER_API ubi_status ubi__remote_fail_missing(const ubi__remote_address *address, uint64_t n);

/** A tab or process; borrowed during the call. */
typedef struct ubi__remote_row {
    ubi__remote_choice choice; /**< TAB, PROCESS or WORKER */
    uint64_t number;
    bool is_selected;
    bool is_program;     /**< the one that was addressed, which has no tabs; by the number of a tab it is chosen, too */
    ubi_text title, url; /**< of tabs and workers; NULL text: it has none */
} ubi__remote_row;

typedef ubi_status ubi__remote_each(void *payload, const ubi__remote_row *row);
/** A document of the remote side, JSON; borrowed during the call. */
typedef ubi_status ubi__remote_document(void *payload, ubi_text json);

/** A name; borrowed during the call. */
typedef void ubi__remote_name(void *payload, ubi_text name);

typedef struct ubi__remote ubi__remote;

typedef struct ubi__remote_recording {
    double probability; /**< 0 to 1 */
    uint32_t log_limit; /**< allocations that are kept until they are taken */
} ubi__remote_recording;

/** What the engine on the other side can write down about allocations for a while; a file of its own format, at the end. */
typedef enum ubi__remote_trace {
    UBI__REMOTE_PROFILE, /**< samples of what was allocated, and is still there: a .heapprofile */
    UBI__REMOTE_TRACK    /**< each object, with its stack: a snapshot with allocation traces */
} ubi__remote_trace;

/**
 * Operations. Each blocks, reports its progress and can be cancelled by it. For one thread.
 * Errors of all: UBI_EIO (the connection), UBI_EFORMAT and UBI_ELIMIT (what came breaks the rules), UBI_ENOTFOUND (no such tab or process),
 * UBI_ESTATE (the other side refuses, in its words), UBI_ENOMEM, UBI_ECANCELLED. After an error only close is allowed, except where it says
 * otherwise.
 */
typedef struct ubi__remote_ops {
    /** Connects; nothing is chosen yet. `address` and `progress` must outlive it. */
    ubi_status (*open)(ubi__remote **out, const ubi__remote_address *address, const ubi_progress *progress,
                       const ubi_allocator *allocator);
    void (*close)(ubi__remote *remote);
    /** Tabs, then processes and workers. */
    ubi_status (*list)(ubi__remote *remote, ubi__remote_each *each, void *payload);
    /** Finds the heap that the address chooses; once, before what follows. Whether it can be more than measured is not asked yet. */
    ubi_status (*attach)(ubi__remote *remote);
    /**
     * Has the heap saved, and copies the file to `write`; a refused write is UBI_EIO, for its owner to explain.
     * @param pause_us  out: how long the other side paused, as it says; or how long saving took as seen from here, if that is less, or it
     * does not say. NULL: it is not wanted.
     */
    ubi_status (*snapshot)(ubi__remote *remote, ubi_write_fn write, void *payload, uint64_t *pause_us);
    /** Counts of what is there: objects of names, whose leaves are {count, bytes}. */
    ubi_status (*census)(ubi__remote *remote, ubi__remote_document *take, void *payload);
    ubi_status (*collect)(ubi__remote *remote);
    /** Bytes by use: an object of numbers. */
    ubi_status (*measure)(ubi__remote *remote, ubi__remote_document *take, void *payload);
    /** While it records, changes nothing. @param start_ms  out: by the clock of the allocations. */
    ubi_status (*record_start)(ubi__remote *remote, const ubi__remote_recording *options, double *start_ms);
    /** Waits. Cancelling it leaves all in order. @param stage  what progress is called meanwhile; static. */
    ubi_status (*wait)(ubi__remote *remote, const char *stage, uint64_t microseconds);
    /** What was allocated since the last call: {allocations, allocationsTimestamps, allocationSizes, frames}. */
    ubi_status (*record_take)(ubi__remote *remote, ubi__remote_document *take, void *payload);
    /** Also when nothing is recorded. */
    ubi_status (*record_stop)(ubi__remote *remote);
    /** Begins; `wait` follows, then trace_stop, which copies the file to `write`. NULL, all three: the engine has no such files. */
    ubi_status (*trace_start)(ubi__remote *remote, ubi__remote_trace trace);
    /** Meanwhile: what the file would be by now. UBI_ESTATE: it is made at the end alone; all is as before. */
    ubi_status (*trace_look)(ubi__remote *remote, ubi__remote_trace trace, ubi_write_fn write, void *payload);
    ubi_status (*trace_stop)(ubi__remote *remote, ubi__remote_trace trace, ubi_write_fn write, void *payload);
    /** Names runtimes that have no part in what was answered since the last call, for they came to no safe point; each once. */
    void (*missing)(ubi__remote *remote, ubi__remote_name *take, void *payload);
    /**
     * How many heaps of worker threads the program had when its first snapshot came, which are not in it; 0 also when the address chooses one of
     * its threads. @param must_be_new  0, if the last such
     * call had the same number. NULL: the engine has them in the snapshot, or as targets.
     */
    uint64_t (*other_heaps)(ubi__remote *remote, bool must_be_new);
    /**
     * How many other processes the program runs as with heaps of their own, as those of a cluster; 0 also when the address chooses one of its
     * threads. @param pids  out: pids[room], as many of them as fit. @param must_be_new  as above. NULL: the engine has no such programs.
     */
    uint64_t (*other_processes)(ubi__remote *remote, uint32_t *pids, size_t room, bool must_be_new);
    /** Whether someone else is known to be connected, too, whose leaving may change the ids of objects. NULL: that harms nothing. */
    bool (*is_shared)(ubi__remote *remote);
    /** After an error: whether what is attached to is known to have ended, so that no other connection would reach it. NULL: it is unknown. */
    bool (*has_ended)(ubi__remote *remote);
} ubi__remote_ops;

/** Who wants to know of a snapshot that came, while its connection is there: what it lacks, for example. On the thread that asked for it. */
typedef struct ubi__remote_witness {
    void (*see)(void *payload, const char *path, ubi__remote *remote, const ubi__remote_ops *ops); /**< NULL: no one */
    void *payload;
} ubi__remote_witness;

#endif
