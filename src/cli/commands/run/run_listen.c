/* SPDX-License-Identifier: MIT
 *
 * run_listen.c: see run_listen.h.
 */
#include "cli/commands/run/run_listen.h"

#include <stdio.h>
#include <time.h>

#include "base/text.h"
#include "cli/commands/run/run_settings.h"

/* How long the end of the program waits for workers to leave. */
#define LEAVING_SECONDS 1

ubi_status ubi__run_listen_start(ubi__run_listen *listen, const char *where, const ubi__script_runner *runner,
                                 bool may_ask) {
    listen->runner = runner;
    return ubi__listening_start(&listen->listening, where, may_ask);
}

ubi_status ubi__run_listen_show(ubi__run_listen *listen, const ubi_http_options *options,
                                const ubi__script_runner *runner) {
    listen->runner = runner;
    return ubi__listening_show(&listen->listening, options);
}

static void runtime_wake(void *payload) {
    ((ubi__run_listen *)payload)->runner->wake_all();
}

static void workers_count(ubi__run_listen *listen, int change) {
    pthread_mutex_lock(&listen->lock);
    listen->n_workers += (unsigned)change;
    pthread_cond_signal(&listen->left);
    pthread_mutex_unlock(&listen->lock);
}

void ubi__run_listen_join(ubi__run_listen *listen, ubi__run_offered *offered, const ubi__script_runtime *runtime,
                          const char *script) {
    ubi_rdp_target_options options = UBI_RDP_TARGET_OPTIONS_INIT;
    char title[256], url[1024];
    ubi_text name = ubi__text_base_name(ubi__text(script));
    if (runtime->number)
        snprintf(title, sizeof title, "%.*s, worker %u", (int)name.len, name.ptr, runtime->number);
    else
        snprintf(title, sizeof title, "%.*s", (int)name.len, name.ptr);
    snprintf(url, sizeof url, "qjs://%s%s", script, runtime->number ? "#worker" : "");
    options.title = title;
    options.url = url;
    options.wake = runtime_wake;
    options.payload = listen;
    offered->is_offered = ubi__listening_offer(&listen->listening, runtime->target, &options);
    if (offered->is_offered && runtime->number == 0)
        ubi__listening_announce(&listen->listening);
    else if (offered->is_offered)
        workers_count(listen, 1);
}

void ubi__run_listen_leave(ubi__run_listen *listen, ubi__run_offered *offered, const ubi__script_runtime *runtime) {
    if (!offered->is_offered)
        return;
    offered->is_offered = false;
    ubi__listening_withdraw(&listen->listening, runtime->target);
    if (runtime->number)
        workers_count(listen, -1);
}

/* What clients have of a worker is its thread's, so it has to let it go itself. */
static void workers_leave(ubi__run_listen *listen) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += LEAVING_SECONDS;
    atomic_store(&listen->must_leave, true);
    listen->runner->wake_all();
    pthread_mutex_lock(&listen->lock);
    while (listen->n_workers && pthread_cond_timedwait(&listen->left, &listen->lock, &until) == 0)
        ;
    pthread_mutex_unlock(&listen->lock);
}

void ubi__run_listen_stop(ubi__run_listen *listen) {
    if (listen->listening.server || listen->listening.page)
        workers_leave(listen);
    ubi__listening_stop(&listen->listening);
}
