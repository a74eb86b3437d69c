/* SPDX-License-Identifier: MIT
 *
 * record_listen.c: see record_listen.h.
 */
#include "cli/commands/record/record_listen.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/text.h"
#include "cli/recording_symbols.h"
#include "targets/native/native_target.h"

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

/* ---- processes ---------------------------------------------------------------------------------------------------------- */

static void process_offer(ubi__record_listen *l, const ubi__record_process *p, const char *name) {
    ubi_rdp_target_options options = UBI_RDP_TARGET_OPTIONS_INIT;
    char title[128], url[160];
    snprintf(title, sizeof title, "%s %ld", name, (long)p->pid);
    snprintf(url, sizeof url, "native://%s/%ld", name, (long)p->pid);
    options.title = title;
    options.url = url;
    options.process_id = (uint64_t)p->pid;
    (void)ubi__listening_offer(&l->listening, ubi__native_target_of(p->target), &options);
}

/* One that cannot be offered is still recorded. */
static void on_process(void *payload, pid_t pid, const char *name) {
    ubi__record_listen *l = payload;
    ubi__record_process *p = UBI_NEW(memory(), ubi__record_process);
    if (p && ubi__native_target_new(&p->target, l->targets, pid) != UBI_OK) {
        UBI_DELETE(memory(), p);
        return;
    }
    if (!p)
        return;
    p->pid = pid;
    p->next = l->processes;
    l->processes = p;
    process_offer(l, p, name);
    if (!l->is_announced)
        ubi__listening_announce(&l->listening);
    l->is_announced = true;
}

/* On the targets' thread. */
static void target_leave(void *payload, ubi_target target) {
    ubi__listening_withdraw(&((ubi__record_listen *)payload)->listening, target);
}

static void process_end(ubi__record_listen *l, ubi__record_process **at) {
    ubi__record_process *p = *at;
    *at = p->next;
    ubi__native_target_end(p->target, target_leave, l);
    UBI_DELETE(memory(), p);
}

static void on_process_end(void *payload, pid_t pid) {
    ubi__record_listen *l = payload;
    ubi__record_process **at = &l->processes;
    while (*at && (*at)->pid != pid)
        at = &(*at)->next;
    if (*at)
        process_end(l, at);
}

/* ---- listening ---------------------------------------------------------------------------------------------------------- */

ubi_status ubi__record_listen_start(ubi__record_listen *listen, ubi__native_settings *settings, const char *where) {
    *listen = (ubi__record_listen){ .listening = UBI__LISTENING_INIT };
    UBI_TRY(ubi__native_targets_start(&listen->targets, NULL));
    ubi__native_targets_set_namer(listen->targets, ubi__recording_name_frames);
    ubi_status status = ubi__listening_start(&listen->listening, where, true);
    if (status != UBI_OK) {
        ubi__record_listen_stop(listen);
        return status;
    }
    settings->on_process = on_process;
    settings->on_process_end = on_process_end;
    settings->process_payload = listen;
    return UBI_OK;
}

void ubi__record_listen_stop(ubi__record_listen *listen) {
    if (!listen->targets)
        return;
    while (listen->processes)
        process_end(listen, &listen->processes);
    ubi__native_targets_stop(listen->targets);
    listen->targets = NULL;
    ubi__listening_stop(&listen->listening);
}
