/* SPDX-License-Identifier: MIT
 *
 * native_profiler.c: see native_profiler.h.
 *
 * All of it asks the recorder on its control socket, also where that is a thread of this process: it answers whenever it wakes up, and
 * waits for no target.
 */
#include "targets/native/native_profiler.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/atomic_file.h"
#include "base/status.h"
#include "targets/native/native_part.h"

/* ---- who has started it ------------------------------------------------------------------------------------------- */

static bool starter_counts(const ubi__native_starter *s) {
    return s->has_started && s->generation == s->share->generation;
}

/* One that records already was started by the user, or by another client, who stops it. */
ubi_status ubi__native_starter_start(ubi__native_starter *s) {
    ubi__native_share *share = s->share;
    ubi__control_facts facts;
    UBI_TRY(ubi__control_ask(&facts, NULL, UBI__CONTROL_STATE, share->pid));
    if (facts.is_running && share->n_starters == 0)
        return UBI_OK;
    UBI_TRY(ubi__control_ask(&facts, NULL, UBI__CONTROL_START, share->pid));
    if (!starter_counts(s))
        share->n_starters++;
    s->has_started = true;
    s->generation = share->generation;
    return UBI_OK;
}

void ubi__native_starter_stop(ubi__native_starter *s) {
    ubi__control_facts facts;
    s->share->generation++;
    s->share->n_starters = 0;
    (void)ubi__control_ask(&facts, NULL, UBI__CONTROL_STOP, s->share->pid);
}

void ubi__native_starter_leave(ubi__native_starter *s) {
    if (!starter_counts(s))
        return;
    UBI_ASSERT(s->share->n_starters > 0);
    s->has_started = false;
    if (--s->share->n_starters == 0)
        ubi__native_starter_stop(s);
}

/* ---- operations --------------------------------------------------------------------------------------------------- */

static void profiler_close(void *payload) {
    ubi__native_starter *s = payload;
    ubi__native_starter_leave(s);
    UBI_DELETE(s->share->allocator, s);
}

static ubi_status profiler_start(void *payload) {
    return ubi__native_starter_start(payload);
}

static void profiler_stop(void *payload) {
    ubi__native_starter_stop(payload);
}

static void profiler_reset(void *payload) {
    const ubi__native_starter *s = payload;
    ubi__control_facts facts;
    (void)ubi__control_ask(&facts, NULL, UBI__CONTROL_RESET, s->share->pid);
}

static bool profiler_is_running(void *payload) {
    const ubi__native_starter *s = payload;
    ubi__control_facts facts;
    return ubi__control_ask(&facts, NULL, UBI__CONTROL_STATE, s->share->pid) == UBI_OK && facts.is_running;
}

static ubi_status descriptor_write(void *fd, const void *data, size_t n_bytes) {
    return ubi__write_fully(*(const int *)fd, data, n_bytes);
}

/* Through a file in memory, for names come last in it. */
static ubi_status part_read(ubi_recording **out, const ubi__native_part *part, const ubi__native_share *share) {
    char path[64];
    int fd = memfd_create("ubiheap results", MFD_CLOEXEC);
    if (fd < 0)
        return ubi__fail_errno(errno, "cannot make room for the results");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ubi_status status = ubi__native_part_copy(part, descriptor_write, &fd, share->namer, NULL);
    if (status == UBI_OK)
        status = ubi_recording_open(out, path, share->allocator);
    close(fd);
    return status;
}

static ubi_status profiler_results(void *payload, ubi_recording **out) {
    const ubi__native_starter *s = payload;
    ubi__native_part part;
    ubi_status status = ubi__native_part_open(&part, s->share->pid, true);
    *out = NULL;
    if (status != UBI_OK)
        return status == UBI_ESTATE ? UBI_OK : status; /* there are none */
    status = part_read(out, &part, s->share);
    ubi__native_part_close(&part);
    return status;
}

static const ubi_target_profiler_ops profiler_ops = { .version = UBI_TARGET_PROFILER_OPS_VERSION,
                                                      .close = profiler_close,
                                                      .start = profiler_start,
                                                      .stop = profiler_stop,
                                                      .reset = profiler_reset,
                                                      .is_running = profiler_is_running,
                                                      .results = profiler_results };

ubi_status ubi__native_profiler_open(ubi_target_profiler *out, ubi__native_share *share,
                                     const ubi_target_scope *scope) {
    if (scope)
        return ubi__fail(UBI_EMISMATCH, "a native program has no parts");
    ubi__native_starter *s = UBI_NEW(share->allocator, ubi__native_starter);
    if (!s)
        return ubi__fail_nomem();
    s->share = share;
    *out = (ubi_target_profiler){ &profiler_ops, s };
    return UBI_OK;
}
