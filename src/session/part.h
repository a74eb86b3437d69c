/* SPDX-License-Identifier: MIT
 *
 * part.h: what a part of a session is, for those who add one.
 *
 * A type of part is a name and two functions, a constant in the file of those who compute it:
 *
 *     static ubi_status tally_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator);
 *     static void tally_free(void *value, const ubi_allocator *allocator);
 *     static const ubi__part_type tally_part = { .name = "tally", .build = tally_build, .free = tally_free };
 *
 *     ubi_status status = ubi__session_part(&value, use, &tally_part, "");
 *
 * What is computed with different parameters has different keys. Parts depend on each other without circles. A use that looks at its
 * heap like another one has parts of its own, except those that are of the graph alone.
 */
#ifndef UBI_SESSION_PART_H
#define UBI_SESSION_PART_H

#include <ubiheap/core/paths.h>
#include <ubiheap/extension/session.h>

#include "base/server_api.h"
#include "recording/recording_names.h"
#include "render/census_tree_rows.h"
#include "targets/remote.h"

typedef struct ubi__part_type {
    const char *name;
    /**
     * Computes the value. What it needs of other parts it gets through `use`, which also has progress and threads; those parts stay
     * as long as the value. All memory comes from `allocator`, so that it counts. No lock is held.
     */
    ubi_status (*build)(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator);
    /** `allocator` is that of build. Any thread; no lock of the session may be needed. */
    void (*free)(void *value, const ubi_allocator *allocator);
    bool is_of_graph; /**< does not depend on the look: there is one, whatever the heap is looked at like */
    bool
        is_self_contained; /**< the value needs nothing of the parts that it was made of: they need not stay as long as it */
    bool is_quickly_made; /**< at a memory limit, it is dropped before all that takes longer */
} ubi__part_type;

/**
 * The part of this type and key, computed if it is not there. Borrowed until the use ends.
 * Errors: as those of the parts in session.h, and those of `build`.
 */
ubi_status ubi__session_part(void **out, ubi_session_use *use, const ubi__part_type *type, const char *key);
/** The same if it is there; NULL otherwise. Errors: UBI_ENOMEM. */
ubi_status ubi__session_part_if_present(void **out, ubi_session_use *use, const ubi__part_type *type, const char *key);
/** Drops parts of this type that no use holds, the least recently used first, until the session has `most` of them or fewer. O(its parts). */
void ubi__session_part_trim(ubi_session *session, const ubi__part_type *type, size_t most);

/** As ubi_session_census, with the sizes that the graph has, whatever the look says. */
ubi_status ubi__session_graph_census(const ubi_census **out, ubi_session_use *use, ubi_text breakdown,
                                     ubi_compat compat);

/** As ubi_census_tree_new of that census; kept by the breakdown's text and these options. */
ubi_status ubi__session_census_tree(const ubi_census_tree **out, ubi_session_use *use, ubi_text breakdown,
                                    ubi_compat compat, const ubi_census_tree_options *options);

/**
 * The children of a row of that tree, in an order that is not the tree's own: who looks at a long list a page at a time has it sorted once.
 * @param out  borrowed until the use ends. Errors: as ubi__session_census_tree.
 */
ubi_status ubi__session_census_order(const ubi_census_node_ix **out, ubi_session_use *use, ubi_text breakdown,
                                     ubi_compat compat, const ubi_census_tree_options *options,
                                     ubi_census_node_ix parent, ubi__census_order order);

/**
 * As ubi_paths_find from the root, for who asks for more paths later: the walk is done once and kept, and so are all edges backwards.
 * Where that takes more memory than there is, as ubi_paths_find.
 * @param out  owned. @param options  start is not looked at. Errors: as ubi_paths_find, and those of ubi_session_retaining.
 */
UBI__SERVER_API ubi_status ubi__session_paths(ubi_paths **out, ubi_session_use *use, const ubi_node_ix *targets,
                                              uint32_t n_targets, const ubi_paths_options *options);

/** Reads the session's file, and remembers which file it was; the first time it notes what was found in it. */
ubi_status ubi__session_read(ubi_graph **out, ubi_session_use *use, const ubi_allocator *allocator);
/**
 * As ubi_session_open_path, but nothing is read before a part is asked for: several that share the session read the file once.
 * @param otherwise  the kind of what does not say it with its first bytes: HEAP, or what alone is wanted. Reading it says what it is.
 * Errors: UBI_EINVAL (options), UBI_ENOMEM.
 */
UBI__SERVER_API ubi_status ubi__session_open_unread(ubi_session **out, ubi_session_pool *pool, const char *path,
                                                    ubi_session_kind otherwise, const ubi_session_options *options);
/**
 * A heap whose snapshot is here as a file without a name (session/remote_file.h).
 * @param fd  owned from now on, also after a failure. @param label  what it is called. Errors: UBI_EINVAL (options), UBI_ENOMEM.
 */
ubi_status ubi__session_open_taken(ubi_session **out, ubi_session_pool *pool, int fd, const char *label,
                                   const ubi_session_options *options);
struct ubi__remote_copy;
/**
 * A heap behind an address whose snapshot becomes a graph while it comes (session/remote_graph.h), and stays as long as the session: nothing
 * is kept to read it again, and no index of it. Blocks until it is here.
 * @param copy  NULL, or who gets its bytes as well. Errors: those of ubi__remote_graph_fetch.
 */
ubi_status ubi__session_open_live(ubi_session **out, ubi_session_pool *pool, const char *path,
                                  const struct ubi__remote_copy *copy, const ubi_session_options *options);
struct stat;
/**
 * The file that was opened is the one of `about`, whatever its path leads to by the time it is read: then it is UBI_EMISMATCH. Before any
 * part is asked for.
 */
UBI__SERVER_API void ubi__session_pin_file(ubi_session *session, const struct stat *about);
/** UBI_EFORMAT: what the session is of, and that it is no `wanted`, such as "heap snapshot". */
ubi_status ubi__session_refuse(const ubi_session *session, const char *wanted);
/** Who names frames that recordings lack, from now on; NULL, as at first: they stay without names. */
void ubi__session_pool_set_namer(ubi_session_pool *pool, ubi__recording_namer *namer);
/**
 * Addresses that may be given in place of paths from now on; schemes[] ends with NULL. NULL, as at first: there are none. Opening one
 * blocks until the heap's snapshot is here; it is a file without a name, and goes with the session.
 */
void ubi__session_pool_set_remotes(ubi_session_pool *pool, const ubi__remote_scheme *const *schemes);
/** Before sessions are opened, too: it sees each heap that comes from such an address. */
void ubi__session_pool_set_witness(ubi_session_pool *pool, ubi__remote_witness witness);
/** Whether opening this path opens a heap behind an address. */
UBI__SERVER_API bool ubi__session_pool_is_address(const ubi_session_pool *pool, const char *path);
/** Where its file is, or what it was opened as; not what it is called. */
UBI__SERVER_API const char *ubi__session_path(const ubi_session *session);
/** Whether its graph can be read again after it was dropped, or is never dropped. Not so standard input that is not read yet. */
bool ubi__session_is_repeatable(const ubi_session *session);
/** What it is called from now on, in answers and messages, instead of by its path. Once, before it is used. Errors: UBI_ENOMEM. */
UBI__SERVER_API ubi_status ubi__session_call(ubi_session *session, const char *label);
/** Its number in the pool, from 1 on; never given twice. */
uint64_t ubi__session_number(const ubi_session *session);
/** The session of this number: one reference; NULL when it is gone. */
ubi_session *ubi__session_numbered(ubi_session_pool *pool, uint64_t number);
/** Borrowed from the session. */
ubi_session_pool *ubi__session_pool_of(const ubi_session *session);
/** One reference more; returns its argument. */
UBI__SERVER_API ubi_session_pool *ubi__session_pool_ref(ubi_session_pool *pool);
/** For what belongs to no session, such as answers on their way: counts towards the limit. Borrowed from the pool. */
UBI__SERVER_API const ubi_allocator *ubi__session_pool_allocator(const ubi_session_pool *pool);
/** Whether what was read, or will be, is what the file holds now. */
UBI__SERVER_API bool ubi__session_is_current(const ubi_session *session);
#define UBI__SESSION_IDENTITY_WORDS 6
/** Numbers that differ for files that differ; also in other processes. False: it is of no file, or of one that was not looked at yet. */
UBI__SERVER_API bool ubi__session_identity(uint64_t out[UBI__SESSION_IDENTITY_WORDS], const ubi_session *session);
#define UBI__SESSION_FAULT_BYTES 400
/** What was found to be wrong with its file when it was read. False: nothing, or it was not read yet. Any thread. */
UBI__SERVER_API bool ubi__session_fault(char out[UBI__SESSION_FAULT_BYTES], const ubi_session *session);
/** How many references there are. */
UBI__SERVER_API uint32_t ubi__session_ref_count(const ubi_session *session);

/** The graph of ubi_session_open_graph, or of a heap that is live; or NULL. Borrowed. */
ubi_graph *ubi__session_given_graph(const ubi_session *session);

#endif
