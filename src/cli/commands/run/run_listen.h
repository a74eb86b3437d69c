/* SPDX-License-Identifier: MIT
 *
 * run_listen.h: a run that developer tools can look into while it lasts (--listen).
 */
#ifndef UBI_CLI_RUN_LISTEN_H
#define UBI_CLI_RUN_LISTEN_H

#include <pthread.h>
#include <stdatomic.h>

#include <ubiheap/server/rdp.h>

#include "targets/script_runner.h"

typedef struct ubi__run_listen {
    pthread_mutex_t lock;   /**< guards the server */
    ubi_rdp_server *server; /**< NULL: none, or stopped */
    const ubi__script_runner *runner;
    int terminal; /**< to ask on; -1: none */
    atomic_bool is_ending;
    char line[128]; /**< that says where */
} ubi__run_listen;

/**
 * Listens.
 * @param where  "PORT" or "HOST:PORT". @param may_ask  there may be a terminal to ask on.
 * Errors: UBI_EINVAL (where), UBI_EIO, UBI_ENOMEM.
 */
ubi_status ubi__run_listen_start(ubi__run_listen *listen, const char *where, const ubi__script_runner *runner,
                                 bool may_ask);
/**
 * Offers a runtime: on its thread, as what follows. One that cannot be offered is left out. With the main one there is something to see: then
 * standard error shows where.
 */
void ubi__run_listen_join(ubi__run_listen *listen, const ubi__script_runtime *runtime, const char *script);
void ubi__run_listen_leave(ubi__run_listen *listen, const ubi__script_runtime *runtime);
/** The program ends: so do connections. */
void ubi__run_listen_stop(ubi__run_listen *listen);

#endif
