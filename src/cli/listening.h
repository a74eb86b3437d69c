/* SPDX-License-Identifier: MIT
 *
 * listening.h: a command whose program others can look into while it lasts: developer tools (--listen: where, and who may), and a page in a
 * browser (--ui).
 */
#ifndef UBI_CLI_LISTENING_H
#define UBI_CLI_LISTENING_H

#include <pthread.h>
#include <stdatomic.h>

#include <ubiheap/server/http.h>
#include <ubiheap/server/rdp.h>

typedef struct ubi__listening {
    pthread_mutex_t lock;   /**< guards the servers */
    ubi_rdp_server *server; /**< NULL: none, or stopped */
    ubi_http_server *page;  /**< NULL: none, or stopped */
    int terminal;           /**< to ask on; -1: none */
    atomic_bool is_ending;
    char line[128]; /**< that says where */
} ubi__listening;

#define UBI__LISTENING_INIT                                                                                            \
    { .lock = PTHREAD_MUTEX_INITIALIZER, .terminal = -1 }

/**
 * Listens.
 * @param where  "PORT" or "HOST:PORT". @param may_ask  there may be a terminal to ask on.
 * Errors: UBI_EINVAL (where), UBI_EIO, UBI_ENOMEM.
 */
ubi_status ubi__listening_start(ubi__listening *listening, const char *where, bool may_ask);
/** Serves the page. Errors: as ubi_http_server_start. */
ubi_status ubi__listening_show(ubi__listening *listening, const ubi_http_options *options);
/** Any thread. Without a server, or when it cannot be offered, nothing happens. Returns whether there is a server. */
bool ubi__listening_offer(ubi__listening *listening, ubi_target target, const ubi_rdp_target_options *options);
/** The program of a target has ended by itself, and its heap stays: the page says so. */
void ubi__listening_note_end(ubi__listening *listening, ubi_target target);
/** On the target's thread. */
void ubi__listening_withdraw(ubi__listening *listening, ubi_target target);
/** Standard error shows where it listens, and the address of the page: there is something to see now. */
void ubi__listening_announce(const ubi__listening *listening);
/** The program ends: so do connections. Twice is fine. */
void ubi__listening_stop(ubi__listening *listening);

#endif
