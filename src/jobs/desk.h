/* SPDX-License-Identifier: MIT
 *
 * desk.h: where doors hand in what takes time: threads, and jobs that wait, run and are finished.
 *
 *     ubi__desk_watcher watcher = { .wake = connection_resume, .payload = connection };
 *     ubi__desk_ask(&job, desk, &request, &watcher);       checks the parameters at once
 *     ubi__desk_look(&report, job);                        DONE at once if the session has the answer
 *     ...                                                  woken when something changes
 *     ubi__desk_leave(job, &watcher);                      cancels the job if no one else waits for it
 *
 * Who asks for what another job is about to answer joins it. A job that was asked for *to be kept* needs no watcher: it stays when it is
 * finished, and is looked at, watched, and cancelled by its id. A job that fails or runs out of memory fails alone.
 *
 * One lock, the desk's, guards lists and states. It is held while `wake` is called, and never while something is computed or freed.
 */
#ifndef UBI_JOBS_DESK_H
#define UBI_JOBS_DESK_H

#include "questions/answers.h"

typedef struct ubi__desk ubi__desk;
typedef struct ubi__desk_job ubi__desk_job;

typedef enum ubi__desk_state {
    UBI__DESK_WAITING,
    UBI__DESK_RUNNING,
    UBI__DESK_DONE,
    UBI__DESK_FAILED,
    UBI__DESK_CANCELLED
} ubi__desk_state;

/** "waiting", "running", "done", "failed", "cancelled". */
const char *ubi__desk_state_name(ubi__desk_state state);
static inline bool ubi__desk_is_finished(ubi__desk_state state) {
    return state >= UBI__DESK_DONE;
}

/** One who waits for a job; embedded in its owner. */
typedef struct ubi__desk_watcher {
    /**
     * The job's state has changed, or, at most ten times a second, its progress. Called by threads of the desk with its lock held, so it
     * only wakes: no function of the desk may be called.
     */
    void (*wake)(void *payload);
    void *payload;
    struct ubi__desk_watcher *next; /* of the job */
} ubi__desk_watcher;

typedef struct ubi__desk_options {
    unsigned threads;      /**< 0: one per core, and two */
    uint32_t most_waiting; /**< 0: UBI__DESK_MOST_WAITING */
    uint32_t most_kept;    /**< finished jobs that are kept, the newest; 0: UBI__DESK_MOST_KEPT */
} ubi__desk_options;

#define UBI__DESK_MOST_WAITING 64
#define UBI__DESK_MOST_KEPT 64

/** @param options  NULL: the defaults. Errors: UBI_ENOMEM, UBI_EIO (no thread can be started). */
ubi_status ubi__desk_new(ubi__desk **out, const ubi__desk_options *options);
/** Cancels all jobs, and waits until they have ended; new ones are refused from now on. Watchers are woken as jobs end. */
void ubi__desk_stop(ubi__desk *desk);
/** Stops it. All watchers must have left. NULL is fine. */
void ubi__desk_free(ubi__desk *desk);
/** With the lock: states, lists and watchers fit each other. */
void ubi__desk_check(const ubi__desk *desk);

/* ---- handing in ----------------------------------------------------------------------------------------------------- */

/** What follows when an answer was computed, right before it is said to be there. */
typedef struct ubi__desk_sequel {
    void (*begin)(void *payload); /**< by a thread of the desk, without its lock; NULL: nothing follows */
    void (*release)(void *payload);
    void *payload;
} ubi__desk_sequel;

typedef struct ubi__desk_request {
    ubi__answer_terms terms;
    ubi_session *const *sessions; /**< sessions[n], borrowed: the job has references of its own */
    uint32_t n;
    bool is_kept; /**< until it is one of too many */
    ubi__desk_sequel
        sequel; /**< the job's, unless handing in fails. Not begun where the answer was there, or another job gives it */
} ubi__desk_request;

/**
 * A job that answers a question: one that is on its way, or a new one.
 * @param watcher  NULL only for what is kept: then *out is good as long as the job is kept, and better looked up by its id.
 * Errors, and then nothing is queued: those of ubi__answer_check; UBI_EBUSY (too many wait), UBI_ESTATE (the desk stops), UBI_ENOMEM.
 */
ubi_status ubi__desk_ask(ubi__desk_job **out, uint64_t *id, ubi__desk *desk, const ubi__desk_request *request,
                         ubi__desk_watcher *watcher);

/** Something else that takes time. */
typedef struct ubi__desk_errand {
    const char *title; /**< static */
    /** @param answer  of the default allocator. */
    ubi_status (*perform)(ubi__vec_u8 *answer, void *payload, const ubi_progress *progress);
    void (*release)(void *payload); /**< when the job goes, also if it never ran; NULL: nothing */
    void *payload;
} ubi__desk_errand;

/** A job of its own. On an error `release` was not called. Errors: as ubi__desk_ask. */
ubi_status ubi__desk_run(ubi__desk_job **out, uint64_t *id, ubi__desk *desk, const ubi__desk_errand *errand,
                         bool is_kept, ubi__desk_watcher *watcher);

/* ---- watching ------------------------------------------------------------------------------------------------------- */

#define UBI__DESK_MESSAGE_BYTES 512

/** What can be said about a job. */
typedef struct ubi__desk_report {
    uint64_t id; /**< never given twice */
    ubi__desk_state state;
    bool is_kept;
    bool is_errand;                        /**< else a question */
    bool is_page;                          /**< the answer is, else a document */
    const char *title;                     /**< the question, or what the errand is; static */
    const char *stage;                     /**< what it does now; "" before and after; static */
    double fraction;                       /**< of the stage; -1: unknown */
    uint64_t age_us;                       /**< since it was asked for */
    ubi_status status;                     /**< of a finished one */
    char message[UBI__DESK_MESSAGE_BYTES]; /**< of a failure */
    ubi_text
        answer; /**< of one that is done, as long as the watcher does not leave; NULL text: look again by ubi__desk_answer */
} ubi__desk_report;

void ubi__desk_look(ubi__desk_report *out, ubi__desk_job *job);
/** Watches a job by its id. Errors: UBI_ENOTFOUND. */
ubi_status ubi__desk_watch(ubi__desk_job **out, ubi__desk *desk, uint64_t id, ubi__desk_watcher *watcher);
/** The same, to get its answer: where a session has dropped that meanwhile, it is a job that makes it again. */
ubi_status ubi__desk_answer(ubi__desk_job **out, ubi__desk *desk, uint64_t id, ubi__desk_watcher *watcher);
/** From now on the watcher is not woken. What was borrowed with it is not good any more. */
void ubi__desk_leave(ubi__desk_job *job, ubi__desk_watcher *watcher);

/** Cancels it for all who wait; one that is finished and kept goes. Errors: UBI_ENOTFOUND. */
ubi_status ubi__desk_cancel(ubi__desk *desk, uint64_t id);
/** The job of the next id after `id`, 0 for the first, with no answer; false after the last. */
bool ubi__desk_next(ubi__desk_report *out, ubi__desk *desk, uint64_t id);
/** Jobs about this session are not kept any longer: it was closed. */
void ubi__desk_forget(ubi__desk *desk, const ubi_session *session);

#endif
