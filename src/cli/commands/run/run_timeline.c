/* SPDX-License-Identifier: MIT
 *
 * run_timeline.c: see run_timeline.h.
 */
#include "cli/commands/run/run_timeline.h"

#include <stdio.h>
#include <unistd.h>

#include <ubiheap/core/marker.h>

#include "base/status.h"

/* ---- figures of memory -------------------------------------------------------------------------------------------- */

/* 0: the system does not say. */
static uint64_t resident_bytes(void) {
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file)
        return 0;
    if (fscanf(file, "%*u %llu", &pages) != 1)
        pages = 0;
    fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void write_figures(ubi__run_timeline *timeline) {
    uint64_t resident = resident_bytes();
    ubi__timeline_writer_figure(timeline->writer, "heapLive", atomic_load(&timeline->heap_bytes));
    if (resident)
        ubi__timeline_writer_figure(timeline->writer, "resident", resident);
}

void ubi__run_timeline_measure(ubi__run_timeline *timeline, uint64_t heap_bytes, uint64_t *last) {
    if (heap_bytes != *last)
        atomic_fetch_add_explicit(&timeline->heap_bytes, heap_bytes - *last, memory_order_relaxed);
    *last = heap_bytes;
}

/* ---- events ------------------------------------------------------------------------------------------------------- */

static void take_event(void *payload, const ubi_timeline_event *event) {
    ubi__run_timeline *timeline = payload;
    if (event->type == UBI_TIMELINE_EVENT_MARKERS)
        timeline->markers += event->n_markers;
    if (event->type == UBI_TIMELINE_EVENT_PULLED)
        write_figures(timeline);
    ubi__timeline_writer_event(timeline->writer, event);
}

/* ---- beginning ---------------------------------------------------------------------------------------------------- */

static ubi_status timeline_observe(ubi__run_timeline *timeline) {
    ubi_timeline_target_options target_options = UBI_TIMELINE_TARGET_OPTIONS_INIT;
    ubi_timeline_front_options options = UBI_TIMELINE_FRONT_OPTIONS_INIT;
    const ubi_timeline_front_host host = { .version = UBI_TIMELINE_FRONT_HOST_VERSION,
                                           .payload = timeline,
                                           .event = take_event };
    int64_t started_ns;
    target_options.is_per_thread = true;
    options.with_markers = true;
    options.with_frames = true;
    UBI_TRY(ubi_timeline_target_new(&timeline->target, &target_options));
    UBI_TRY(ubi_timeline_front_new(&timeline->front, &host, NULL));
    UBI_TRY(ubi_timeline_front_add_target(timeline->front, timeline->target));
    return ubi_timeline_front_start(&started_ns, timeline->front, &options);
}

static void end_observation(ubi__run_timeline *timeline) {
    ubi_timeline_front_free(timeline->front);
    ubi_timeline_target_free(timeline->target);
    timeline->front = NULL;
    timeline->target = NULL;
}

ubi_status ubi__run_timeline_open(ubi__run_timeline *timeline, const char *path, const char *script) {
    const ubi__timeline_about about = { .program = script };
    UBI_TRY(ubi__timeline_writer_open(&timeline->writer, path, &about, NULL));
    ubi_status status = timeline_observe(timeline);
    if (status == UBI_OK)
        return UBI_OK;
    end_observation(timeline);
    (void)ubi__timeline_writer_close(timeline->writer, false);
    timeline->writer = NULL;
    return status;
}

ubi_status ubi__run_timeline_join(ubi__run_timeline *timeline, const ubi__script_runtime *runtime) {
    char name[32] = "main";
    (void)timeline;
    if (runtime->number)
        snprintf(name, sizeof name, "worker %u", runtime->number);
    ubi_timeline_name_thread(name);
    return runtime->ops->join_timeline(runtime->payload, NULL);
}

/* ---- in between and at the end ------------------------------------------------------------------------------------ */

uint64_t ubi__run_timeline_due_us(const ubi__run_timeline *timeline) {
    uint64_t due_ns = ubi_timeline_front_next_pull_ns(timeline->front), now_ns = ubi_process_clock_ns();
    return due_ns > now_ns ? (due_ns - now_ns) / 1000 : 0;
}

/* Without memory some markers are lost: the front counts them. The program waits meanwhile, which is on the timeline too. */
void ubi__run_timeline_pull(ubi__run_timeline *timeline) {
    UBI_AUTO_GLOBAL_TIMELINE_MARKER_NO_STACK("ubiheap::Timeline");
    (void)ubi_timeline_front_pull(timeline->front);
}

ubi_status ubi__run_timeline_close(ubi__run_timeline *timeline) {
    int64_t stopped_ns;
    if (!timeline->writer)
        return UBI_OK;
    (void)ubi_timeline_front_stop(&stopped_ns, timeline->front);
    timeline->lost = ubi_timeline_front_lost_count(timeline->front);
    end_observation(timeline);
    ubi_status status = ubi__timeline_writer_close(timeline->writer, true);
    timeline->writer = NULL;
    return status;
}
