/* SPDX-License-Identifier: MIT
 *
 * session_inside.h: the insides of pools, sessions and uses.
 *
 * One lock, the pool's, guards all that is not constant or atomic: lists, states, holders, counts of references. It is never held
 * while something is computed, allocated for a part or freed, so that an allocation may drop other parts.
 *
 * A slot is a part that was asked for. It is *absent*, *being built* by one thread, or *ready*. Its holders are the uses that have
 * it, callers that wait for it, and the uses of ready parts that are made of it. Only a ready slot without holders is dropped:
 * so a look is dropped before its graph, and nothing that someone reads. A slot with a key is forgotten when it is absent and
 * without holders, so that hostile keys do not pile up.
 *
 * A use that looks at its heap like another session has slots of its own for all that depends on the look. They bear that session's
 * number, and neither they nor their values refer to it: only the use does, and only as long as it lasts. So sessions never hold each
 * other, and since the look that is taken as a model is always the other session's own, no two of them wait for each other. Slots with
 * the number of a session that is gone can be asked for by no one; they are dropped when it goes.
 */
#ifndef UBI_SESSION_SESSION_INSIDE_H
#define UBI_SESSION_SESSION_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <time.h>

#include "base/alloc.h"
#include "session/part.h"

/** Memory of one part: an allocator that counts, asks the pool first, and is refused above the limit. */
typedef struct ubi__part_memory {
    ubi_allocator allocator; /* ctx: this struct */
    ubi_session_pool *pool;
    _Atomic uint64_t held_bytes;
} ubi__part_memory;

typedef enum ubi__slot_state { UBI__SLOT_ABSENT, UBI__SLOT_BUILDING, UBI__SLOT_READY } ubi__slot_state;

typedef struct ubi__session_slot {
    const ubi__part_type *type;
    ubi_session *session;
    struct ubi__session_slot *next; /* of the session */
    uint64_t like;                  /* number of the session that the heap is looked at like; 0: none */
    ubi__slot_state state;
    uint32_t n_holders;
    void *value;            /* READY */
    ubi_session_use *parts; /* READY: what the value is made of, and needs as long as it lasts */
    pthread_t builder;      /* BUILDING */
    ubi__part_memory memory;
    uint64_t used_at; /* of the pool's clock */
    uint64_t time_us; /* of the last build, without waiting for other parts */
    uint32_t n_builds;
    /* What the builder has reported last. */
    _Atomic(const char *) stage;
    _Atomic uint64_t done, total;
    size_t key_bytes; /* with the NUL */
    char key[];
} ubi__session_slot;

struct ubi_session_pool {
    const ubi_allocator *allocator;
    uint64_t limit_bytes;
    _Atomic uint64_t held_bytes, peak_bytes;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* some slot's state */
    uint32_t n_refs;
    uint64_t clock; /* counts uses */
    ubi_session *sessions;
    uint64_t n_numbers;                       /* given to sessions so far */
    ubi__recording_namer *namer;              /* or NULL */
    const ubi__remote_scheme *const *remotes; /* or NULL */
    ubi__remote_witness witness;              /* of heaps behind addresses */
    ubi__part_memory answers;                 /* what belongs to no session */
};

/** Which file a path led to. */
typedef struct ubi__file_identity {
    bool is_known; /* a file that can be read again */
    dev_t device;
    ino_t inode;
    off_t size_bytes;
    struct timespec changed;
} ubi__file_identity;

struct ubi_session {
    ubi_session_pool *pool;
    ubi_session *next; /* of the pool */
    uint64_t number;   /* in the pool, from 1 on; never given twice */
    uint32_t n_refs;
    ubi__session_slot *slots;
    ubi_session_kind kind;
    unsigned threads;
    ubi_compat compat;
    ubi_session_index index_place;
    char *label;              /* what it is called instead of `name`; owned, or NULL */
    const char *cache_folder; /* behind `name`; NULL: the usual one */
    ubi_graph *given;         /* that is never dropped; NULL: a file */
    int remote_fd;            /* the file, of a heap in another process; or -1 */
    bool was_pinned;          /* `file` is known before it is read */
    bool was_read;            /* from then on: */
    ubi__file_identity file;
    uint64_t
        others_identity; /* of files that belong to it: of processes that were recorded together; 0: there are none */
    ubi_read_info info;  /* of a heap */
    char fault[UBI__SESSION_FAULT_BYTES]; /* what is wrong with what the file holds; "": nothing, as far as is known */
    ubi__part_memory answers;             /* what callers compute */
    ubi_session_use *permanent;           /* holds a graph that cannot be read again; or NULL */
    size_t name_bytes;                    /* with the cache folder */
    char name[];
};

UBI_VEC_DECLARE(ubi__slot_list, ubi__session_slot *);

struct ubi_session_use {
    ubi_session *session; /* a reference, unless it is of a part */
    ubi_session *like;    /* the same; NULL: none. Of a ready part NULL */
    bool is_of_part;
    ubi_progress progress;
    unsigned threads;
    uint64_t waited_us; /* for parts */
    ubi__slot_list held;
};

/** With the lock: numbers and states fit each other in all slots of all sessions, and every holder is a known one. */
void ubi__session_pool_check(const ubi_session_pool *pool);

/** A use with its own copy of `progress`. References to sessions are the caller's to take. NULL: no memory. */
ubi_session_use *ubi__session_use_new(ubi_session *session, ubi_session *like, const ubi_progress *progress,
                                      unsigned threads, bool is_of_part);

/** The file that a path leads to now. */
ubi__file_identity ubi__file_identify(const char *path);
/**
 * What the file of this identity holds was read, or is known from an index. The first time it is noted.
 * @param others_identity  of further files that are read with it. @param info  of a heap, or NULL.
 * Errors: later, if it is another file: UBI_EMISMATCH, UBI_EIO.
 */
ubi_status ubi__session_note_read(ubi_session *session, const ubi__file_identity *file, uint64_t others_identity,
                                  const ubi_read_info *info);

void ubi__part_memory_init(ubi__part_memory *memory, ubi_session_pool *pool);
/**
 * Drops the part that was not used for the longest time, of those that are quickly made if there are any, and of those for looks
 * like the session of number `like`; 0: of all.
 * False: all that is there is in use. Takes the lock.
 */
bool ubi__session_pool_drop_one(ubi_session_pool *pool, uint64_t like);
/** With the lock: forgets a slot with a key or a `like` that is absent and without holders, by moving it to *forgotten. */
void ubi__session_slot_forget(ubi__session_slot **forgotten, ubi__session_slot *slot);
/** Without the lock. */
void ubi__session_slots_free(ubi__session_slot *slots);
/**
 * A part that reads the file asks which one it is before, and says so when it was read: the first time that is noted, later it must be
 * the same.
 * @param others_identity  of further files that are read with it.
 * Errors: UBI_EIO (gone), UBI_EMISMATCH (changed).
 */
ubi_status ubi__session_file_check(ubi__file_identity *out, const ubi_session *session, uint64_t others_identity);
void ubi__session_file_note(ubi_session *session, const ubi__file_identity *file, uint64_t others_identity);
/** The file was read: UBI_EFORMAT says that it is damaged, which is noted with the thread's message. Returns the status. */
ubi_status ubi__session_fault_note(ubi_session *session, ubi_status status);
/** Microseconds of a clock that never goes back. */
uint64_t ubi__session_clock_us(void);

#endif
