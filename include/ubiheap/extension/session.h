/* SPDX-License-Identifier: MIT
 *
 * ubiheap/extension/session.h: an opened heap, recording or timeline, and everything that was ever computed of it, at most once.
 *
 * A *session* is a heap that questions are asked about. What answers need of it (graph, look, dominators, distances, ...) are its
 * *parts*. A part is computed when it is first asked for, kept for all that ask later, and shared by threads: two that ask for the
 * dominators at once get the same tree, of which one of them computes.
 *
 *     ubi_session_pool *pool;
 *     ubi_session *session;
 *     ubi_session_use *use;
 *     ubi_session_pool_new(&pool, NULL);                                  half of this machine's memory
 *     ubi_session_open_path(&session, pool, "app.heapsnapshot", NULL);
 *     ubi_session_use_begin(&use, session, NULL);
 *     ubi_session_summary(&summary, use);                                 reads, looks, finds dominators and distances, sums up
 *     ...                                                                 summary stays as long as the use
 *     ubi_session_use_end(use);                                           from here on the parts may be dropped
 *
 * A session can also be of a recording of allocations or of a timeline of markers: questions are asked about them (ask.h). Their parts
 * have no functions here.
 *
 * All sessions of a *pool* share a memory limit. At the limit, parts that no use holds are dropped, the least recently used first,
 * and computed again when they are asked for again. A file is read again, too, if it is unchanged.
 *
 * Heaps of one program are compared by their classes, and V8's are inferred: then the use of one names the other
 * (ubi_session_use_options.like).
 *
 * Extension: may change between minor versions.
 */
#ifndef UBIHEAP_SESSION_H
#define UBIHEAP_SESSION_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/census.h>
#include <ubiheap/core/dominators.h>
#include <ubiheap/core/formats.h>
#include <ubiheap/core/graph.h>
#include <ubiheap/views/keepers.h>
#include <ubiheap/views/lens.h>
#include <ubiheap/views/retaining.h>
#include <ubiheap/views/strings.h>
#include <ubiheap/views/summary.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- pools ------------------------------------------------------------------------------------------------------- */

/** Sessions that share a memory limit. Any thread. */
typedef struct ubi_session_pool ubi_session_pool;

typedef struct ubi_session_pool_options {
    uint32_t version;               /**< UBI_SESSION_POOL_OPTIONS_VERSION */
    const ubi_allocator *allocator; /**< where memory comes from; NULL: the default. Must outlive the pool */
    uint64_t limit_bytes;           /**< 0: half of what the machine or the control group has, whichever is less */
} ubi_session_pool_options;

#define UBI_SESSION_POOL_OPTIONS_VERSION 1
#define UBI_SESSION_POOL_OPTIONS_INIT                                                                                  \
    { UBI_SESSION_POOL_OPTIONS_VERSION, NULL, 0 }

/** @param options  NULL: the defaults. One reference. Errors: UBI_EINVAL (options), UBI_ENOMEM. */
UBI_API ubi_status ubi_session_pool_new(ubi_session_pool **out, const ubi_session_pool_options *options);
/** One reference less. Each session has one, too, so the order does not matter. NULL is fine. */
UBI_API void ubi_session_pool_unref(ubi_session_pool *pool);

/** Bytes that parts, and what is computed with the allocator of a use, may take. */
UBI_API uint64_t ubi_session_pool_limit_bytes(const ubi_session_pool *pool);
/** That they take now, and the most that they ever took: at most a tenth above the limit. */
UBI_API uint64_t ubi_session_pool_held_bytes(const ubi_session_pool *pool);
UBI_API uint64_t ubi_session_pool_peak_bytes(const ubi_session_pool *pool);
/** Drops all parts that are not in use. */
UBI_API void ubi_session_pool_drop_unused(ubi_session_pool *pool);

/* ---- sessions ---------------------------------------------------------------------------------------------------- */

/** An opened heap, recording or timeline. Any thread. */
typedef struct ubi_session ubi_session;

/** What a session is of. */
typedef enum ubi_session_kind {
    UBI_SESSION_HEAP, /**< a heap: a snapshot, or a graph that was there */
    UBI_SESSION_RECORDING, /**< what programs allocated: a file of `ubiheap record`, with those of processes recorded together */
    UBI_SESSION_TIMELINE /**< what a program did when: a file of `ubiheap run --timeline` */
} ubi_session_kind;

/**
 * Where the *index* of a heap or a recording is: a file with graph, look, dominators, distances, retainers and summary, or with what a
 * recording amounts to, which is mapped instead of computing or reading it again. It takes no memory of the pool's, for the system drops and reads its pages as it likes.
 */
typedef enum ubi_session_index {
    UBI_SESSION_INDEX_NONE = 0, /**< there is none */
    /** In the cache folder, which only the user can write: valid for a file of the same inode, size, time of change and ends. */
    UBI_SESSION_INDEX_CACHE = 1,
    /** Beside the heap, as PATH.ubindex: valid for a heap with the same content, all of which is hashed. To be carried with it. */
    UBI_SESSION_INDEX_BESIDE = 2
} ubi_session_index;

typedef struct ubi_session_options {
    uint32_t version; /**< UBI_SESSION_OPTIONS_VERSION */
    ubi_progress progress;
    unsigned threads;  /**< for each part; 0: one per core */
    ubi_compat compat; /**< of reading */
    /* From version 2 on: */
    ubi_session_index index;  /**< of a file: read from it what it has. ubi_session_write_index writes it */
    const char *cache_folder; /**< copied; NULL: "ubiheap" in XDG_CACHE_HOME or ~/.cache */
} ubi_session_options;

#define UBI_SESSION_OPTIONS_VERSION 2
#define UBI_SESSION_OPTIONS_INIT                                                                                       \
    { UBI_SESSION_OPTIONS_VERSION, { NULL, NULL }, 0, UBI_COMPAT_NONE, UBI_SESSION_INDEX_NONE, NULL }

/**
 * Opens a file and reads it: the graph of a heap, the tables of a recording, the markers of a timeline. Its beginning says which it is.
 * A recording is read with the files of processes that were recorded together.
 *
 * @param out   one reference; untouched on failure.
 * @param path  copied; "-" for standard input, which cannot be read again: what was read is never dropped.
 * @param options  NULL: the defaults.
 * Errors: those of ubi_graph_read_path; UBI_ENOMEM also where the pool's limit is too small.
 */
UBI_API ubi_status ubi_session_open_path(ubi_session **out, ubi_session_pool *pool, const char *path,
                                         const ubi_session_options *options);
/**
 * A graph that is there, such as the capture of a live target (ubi_target_capture). Keeps a reference to it; it does not count
 * towards the limit and is never dropped.
 * @param name  copied: what the session is called in messages.
 */
UBI_API ubi_status ubi_session_open_graph(ubi_session **out, ubi_session_pool *pool, ubi_graph *graph, const char *name,
                                          const ubi_session_options *options);
UBI_API ubi_session *ubi_session_ref(ubi_session *session);
/** One reference less; frees with the last, which a use holds, too. NULL is fine. */
UBI_API void ubi_session_unref(ubi_session *session);

/** What it is of: a heap, a recording or a timeline. */
UBI_API ubi_session_kind ubi_session_kind_of(const ubi_session *session);
/** Path or name: what it is called. Borrowed from the session. */
UBI_API const char *ubi_session_name(const ubi_session *session);
/** What reading a heap found; all zero for a graph that was there, recordings and timelines. Borrowed from the session. */
UBI_API const ubi_read_info *ubi_session_read_info(const ubi_session *session);

/** What one can ask about a part. */
typedef struct ubi_session_part_row {
    const char *name;  /**< such as "dominators"; static */
    bool is_present;   /**< computed and not dropped */
    bool is_in_use;    /**< by a use, or by another part that is present */
    uint64_t bytes;    /**< that it takes now */
    uint64_t time_us;  /**< that computing it took the last time, without the parts that it is made of */
    uint32_t n_builds; /**< how often it was computed */
    char key
        [64]; /**< what it was computed for, such as a breakdown, or "like " and a heap; "" if there is but one; cut to fit */
} ubi_session_part_row;

/** The i-th part that was ever asked for and is not forgotten; false after the last. Parts come and go while one asks. */
UBI_API bool ubi_session_part_at(ubi_session_part_row *out, ubi_session *session, size_t i);

/* ---- uses -------------------------------------------------------------------------------------------------------- */

/** Parts in use by one caller, until it ends. Belongs to one thread at a time. */
typedef struct ubi_session_use ubi_session_use;

typedef struct ubi_session_use_options {
    uint32_t version;      /**< UBI_SESSION_USE_OPTIONS_VERSION */
    ubi_progress progress; /**< also called, every few milliseconds, while another thread computes what is waited for */
    unsigned threads;      /**< 0: those of the session */
    /* From version 2 on: */
    /**
     * An earlier or later heap of the same program, a session of the same pool: this one is looked at like that one, so that the
     * classes of both correspond (ubi_look_options.like). What depends on the look is computed for this pair once, and kept beside
     * what is of the heap's own look. NULL, or the session itself: its own look.
     */
    ubi_session *like;
} ubi_session_use_options;

#define UBI_SESSION_USE_OPTIONS_VERSION 2
#define UBI_SESSION_USE_OPTIONS_INIT                                                                                   \
    { UBI_SESSION_USE_OPTIONS_VERSION, { NULL, NULL }, 0, NULL }

/**
 * @param out  owned; holds a reference to the session, and one to that which it is looked at like.
 * Errors: UBI_EINVAL (options, sessions of different pools), UBI_ENOMEM.
 */
UBI_API ubi_status ubi_session_use_begin(ubi_session_use **out, ubi_session *session,
                                         const ubi_session_use_options *options);
/** Gives back all its parts. NULL is fine. */
UBI_API void ubi_session_use_end(ubi_session_use *use);
UBI_API ubi_session *ubi_session_use_session(const ubi_session_use *use);
/** For what the caller computes itself: counts towards the limit. Borrowed; outlives the use, as long as the session. */
UBI_API const ubi_allocator *ubi_session_use_allocator(const ubi_session_use *use);
UBI_API const ubi_progress *ubi_session_use_progress(const ubi_session_use *use);
UBI_API unsigned ubi_session_use_threads(const ubi_session_use *use);

/**
 * Writes the index of the session's heap or recording where its options say, unless there is a valid one. What it holds and is not there yet is
 * computed. It appears when it is complete; another process may write the same at the same time. In the cache folder, indexes that were
 * not used for the longest time make room for it.
 * Nothing for a session without an index, of a timeline, or of what is not a file.
 * Errors: those of parts; UBI_EIO (it cannot be written), UBI_EINVAL (others may write in the cache folder), UBI_EMISMATCH.
 */
UBI_API ubi_status ubi_session_write_index(ubi_session_use *use);

/** What one can ask about the index of a session. */
typedef struct ubi_session_index_info {
    uint32_t struct_bytes;   /**< UBI_SESSION_INDEX_INFO_INIT */
    bool is_in_use;          /**< a valid one is mapped */
    bool is_damaged;         /**< some of it was, and is computed instead */
    uint64_t size_bytes;     /**< of the file */
    uint64_t resident_bytes; /**< of these, part of this process's memory now: pages that answers have looked into */
    char why[256];           /**< one that is there is not used; "" otherwise */
} ubi_session_index_info;

#define UBI_SESSION_INDEX_INFO_INIT                                                                                    \
    { .struct_bytes = sizeof(ubi_session_index_info) }

/** Errors: UBI_ENOMEM, UBI_ECANCELLED. Cost: O(pages of the index); the first time that of opening it. */
UBI_API ubi_status ubi_session_index_about(ubi_session_index_info *out, ubi_session_use *use);

/*
 * Parts. Each is borrowed until the use ends, the same for all that ask, and immutable. O(1) when it is there. A reference to one that
 * is taken (ubi_graph_ref) must be given back before the session goes: its memory is the session's.
 * They are parts of heaps: in sessions of another kind they are UBI_EFORMAT.
 * Errors of all: UBI_ENOMEM (the system, or the limit with all that is in use), UBI_ECANCELLED, UBI_EIO (a file that must be read
 * again is gone), UBI_EMISMATCH (it has changed since it was opened). A caller that fails fails alone: others that wait for the
 * same part compute it themselves.
 */
UBI_API ubi_status ubi_session_graph(ubi_graph **out, ubi_session_use *use);
/** Through the lens of the heap's producer, and like another heap if the use says so. */
UBI_API ubi_status ubi_session_look(const ubi_look **out, ubi_session_use *use);
/** Of the look's view. `with_sets`: 8 bytes per node more; what was computed with sets serves both. */
UBI_API ubi_status ubi_session_dominators(const ubi_dominators **out, ubi_session_use *use, bool with_sets);
/** distances[n_nodes], as ubi_look_distances gives them. */
UBI_API ubi_status ubi_session_distances(const uint32_t **out, ubi_session_use *use);
/** Edges of the look's view, backwards. */
UBI_API ubi_status ubi_session_retainers(const ubi_retainers **out, ubi_session_use *use);
/** Retainers as DevTools show them, without ignored nodes. */
UBI_API ubi_status ubi_session_retaining(const ubi_retaining **out, ubi_session_use *use);
UBI_API ubi_status ubi_session_summary(const ubi_summary **out, ubi_session_use *use);
/** Most keepers that ubi_session_keepers gives. */
#define UBI_SESSION_KEEPERS 10
/**
 * The nodes that hold most of the heap, as ubi_keepers_find gives them; which kinds are lists of roots, its producer says.
 * @param out  keepers[*n], n <= UBI_SESSION_KEEPERS. @param n  of them.
 */
UBI_API ubi_status ubi_session_keepers(const ubi_keeper **out, uint32_t *n, ubi_session_use *use);
/** With retained sizes. */
UBI_API ubi_status ubi_session_strings(const ubi_strings **out, ubi_session_use *use);
/**
 * A census of the whole graph, as ubi_census_take; with the sizes of the look where that has its own.
 * @param breakdown  JSON text; NULL text: the default. Censuses are kept by this text.
 * Errors: also those of ubi_breakdown_parse and ubi_census_take.
 */
UBI_API ubi_status ubi_session_census(const ubi_census **out, ubi_session_use *use, ubi_text breakdown,
                                      ubi_compat compat);

#ifdef __cplusplus
}
#endif
#endif
