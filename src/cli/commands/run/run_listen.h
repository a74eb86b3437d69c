/* SPDX-License-Identifier: MIT
 *
 * run_listen.h: a run that developer tools (--listen) or a page (--ui) can look into while it lasts: each runtime is offered.
 */
#ifndef UBI_CLI_RUN_LISTEN_H
#define UBI_CLI_RUN_LISTEN_H

#include "cli/listening.h"
#include "targets/script_runner.h"

typedef struct ubi__run_listen {
    ubi__listening listening;
    const ubi__script_runner *runner;
    pthread_mutex_t lock; /**< guards: */
    pthread_cond_t left;  /**< a worker has left */
    unsigned n_workers;   /**< that are offered */
    atomic_bool must_leave;
} ubi__run_listen;

#define UBI__RUN_LISTEN_INIT                                                                                           \
    { .listening = UBI__LISTENING_INIT, .lock = PTHREAD_MUTEX_INITIALIZER, .left = PTHREAD_COND_INITIALIZER }

/** Whether a runtime is offered: its own, on its thread. */
typedef struct ubi__run_offered {
    bool is_offered;
} ubi__run_offered;

/** @param where, may_ask  as of ubi__listening_start. Errors: the same. */
ubi_status ubi__run_listen_start(ubi__run_listen *listen, const char *where, const ubi__script_runner *runner,
                                 bool may_ask);
/** Serves the page. Arguments and errors as of ubi__listening_show. */
ubi_status ubi__run_listen_show(ubi__run_listen *listen, const ubi_http_options *options,
                                const ubi__script_runner *runner);
/**
 * Offers a runtime: on its thread, as what follows. One that cannot be offered is left out. With the main one there is something to see: then
 * standard error shows where.
 */
void ubi__run_listen_join(ubi__run_listen *listen, ubi__run_offered *offered, const ubi__script_runtime *runtime,
                          const char *script);
/** Twice is fine. */
void ubi__run_listen_leave(ubi__run_listen *listen, ubi__run_offered *offered, const ubi__script_runtime *runtime);
/** At each tick of a runtime: leaves when the program ends. Quick. */
static inline void ubi__run_listen_tick(ubi__run_listen *listen, ubi__run_offered *offered,
                                        const ubi__script_runtime *runtime) {
    if (offered->is_offered && atomic_load_explicit(&listen->must_leave, memory_order_relaxed))
        ubi__run_listen_leave(listen, offered, runtime);
}
/**
 * The program ends: so do connections, when workers have left, each on its own thread. One that comes to no safe point within a second is not
 * waited for.
 */
void ubi__run_listen_stop(ubi__run_listen *listen);

#endif
