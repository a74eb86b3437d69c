/* SPDX-License-Identifier: MIT
 *
 * record_listen.h: recorded processes that developer tools can look at while they last (--listen).
 */
#ifndef UBI_CLI_RECORD_LISTEN_H
#define UBI_CLI_RECORD_LISTEN_H

#include "cli/listening.h"
#include "targets/native/native_record.h"

/** A process that is offered. */
typedef struct ubi__record_process {
    struct ubi__record_process *next;
    pid_t pid;
    struct ubi__native_target *target;
} ubi__record_process;

typedef struct ubi__record_listen {
    ubi__listening listening;
    struct ubi__native_targets *targets;
    ubi__record_process *processes;
    bool is_announced;
} ubi__record_listen;

/**
 * Listens, and has the settings report processes.
 * @param where  as of ubi__listening_start. Errors: the same.
 */
ubi_status ubi__record_listen_start(ubi__record_listen *listen, ubi__native_settings *settings, const char *where);
/** After the recording. One that was not started is fine, if it is all zeros. */
void ubi__record_listen_stop(ubi__record_listen *listen);

#endif
