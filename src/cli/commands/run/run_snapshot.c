/* SPDX-License-Identifier: MIT
 *
 * run_snapshot.c: snapshots while a script runs.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/human.h"
#include "base/inflate.h"
#include "base/status.h"
#include "cli/cli_files.h"
#include "cli/commands/run/run.h"
#include "cli/terminal.h"

#define NAME_BYTES 4096

void ubi__run_complain(ubi__run *run, const char *subject) {
    run->has_failed = true;
    run->runner->flush_output();
    ubi__print_line(subject, ubi_error_message());
}

static void report_snapshot(const ubi__run *run, const ubi__run_snapshot *s) {
    char line[256], nodes[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT], time[UBI__HUMAN_TEXT], worker[32] = "";
    if (s->worker)
        snprintf(worker, sizeof worker, " of worker %u", s->worker);
    snprintf(line, sizeof line, "snapshot%s (%s): %s in a file of %s, %s", worker, ubi__run_trigger_names[s->trigger],
             ubi__human_things(nodes, s->info.node_count, "node"), ubi__human_size(size, s->info.output_bytes),
             ubi__human_duration(time, s->taken_us));
    run->runner->flush_output();
    ubi__print_line(s->file, line);
}

static bool snapshot_may_continue(void *payload, const char *stage, uint64_t done, uint64_t total) {
    (void)payload;
    (void)stage;
    (void)done;
    (void)total;
    return !ubi__interrupted();
}

static ubi_status snapshot_save(ubi__run *run, const ubi__script_runtime *runtime, ubi__run_snapshot *out) {
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    uint64_t start_us = ubi__clock_us();
    options.progress = (ubi_progress){ snapshot_may_continue, NULL };
    options.threads = ubi__cli_threads(run->cli);
    if (out->trigger == UBI__RUN_AT_OOM) { /* a helper needs a stack and a part of the address space of its own */
        options.threads = 1;
        ubi__run_room_release(&run->room);
    }
    out->info = (ubi_save_info)UBI_SAVE_INFO_INIT;
    ubi_status status = ubi_target_save(runtime->target, NULL, out->file, &options, &out->info);
    out->taken_us = ubi__clock_us() - start_us;
    return status;
}

/* The worker's files must not be taken for the main program's. */
static ubi_status name_file(const ubi__run *run, char name[NAME_BYTES], const ubi__run_snapshot *s) {
    const char *pattern = run->arguments->snapshot_output;
    const ubi__run_name parts = { run->script, (unsigned)run->snapshots.n + 1, s->worker, s->trigger };
    if (!pattern)
        pattern = s->worker ? UBI__RUN_WORKER_PATTERN : UBI__RUN_PATTERN;
    return ubi__run_file_name(name, NAME_BYTES, pattern, &parts);
}

static ubi_status check_name(const ubi__run *run, const char *name) {
    UBI_TRY(ubi__output_check(name, run->script));
    return ubi__output_check_kind(name, "fxsnapshot");
}

/* Inflates the file to its end, which checks its sums, in memory of fixed size. */
static ubi_status inflated_bytes(uint64_t *out, ubi__source *source) {
    static uint8_t buffer[UBI__INFLATE_BLOCK_BYTES]; /* with the lock */
    ubi__inflater *inflater;
    size_t n = 0;
    UBI_TRY(ubi__inflater_new(&inflater, source, true, ubi_allocator_default()));
    ubi_status status;
    while ((status = ubi__inflater_fill(inflater, buffer, sizeof buffer, &n)) == UBI_OK && n > 0)
        *out += n;
    ubi__inflater_free(inflater);
    return status;
}

static ubi_status snapshot_verify(const ubi__run_snapshot *s) {
    ubi__source source;
    uint64_t total = 0;
    UBI_TRY(ubi__source_open_path(&source, s->file, ubi_allocator_default()));
    ubi_status status = inflated_bytes(&total, &source);
    ubi__source_close(&source);
    if (status == UBI_OK && total != s->info.stream_bytes)
        return ubi__fail(UBI_EIO, "the file has %llu of the %llu bytes that were written", (unsigned long long)total,
                         (unsigned long long)s->info.stream_bytes);
    return status;
}

static ubi_status snapshot_take(ubi__run *run, const ubi__script_runtime *runtime, ubi__run_snapshot *s,
                                const char *name) {
    UBI_TRY(ubi__run_snapshots_reserve(&run->snapshots, ubi_allocator_default(), 1));
    s->file = strdup(name);
    if (!s->file)
        return ubi_error(UBI_ENOMEM, "out of memory");
    ubi_status status = snapshot_save(run, runtime, s);
    if (status == UBI_OK && s->trigger == UBI__RUN_AT_OOM)
        status = snapshot_verify(s);
    if (status == UBI_OK)
        status = ubi__run_snapshots_push(&run->snapshots, ubi_allocator_default(), *s);
    if (status != UBI_OK)
        free(s->file);
    return status;
}

/* `file` NULL: named by the pattern. */
static void take_snapshot(ubi__run *run, const ubi__script_runtime *runtime, ubi__run_trigger trigger,
                          const char *file) {
    char name[NAME_BYTES] = "";
    ubi__run_snapshot s = { .trigger = trigger, .worker = runtime->number };
    pthread_mutex_lock(&run->lock);
    bool has_failed = run->has_failed;
    snprintf(name, sizeof name, "%s", file ? file : "");
    ubi_status status = file ? UBI_OK : name_file(run, name, &s);
    if (status == UBI_OK)
        status = check_name(run, name);
    if (status == UBI_OK)
        status = snapshot_take(run, runtime, &s, name);
    run->has_saved_on_oom |= status == UBI_OK && trigger == UBI__RUN_AT_OOM;
    if (status == UBI_OK)
        report_snapshot(run, &s);
    else if (status != UBI_ECANCELLED)
        ubi__run_complain(run, name);
    if (trigger == UBI__RUN_AT_COMMAND)
        run->has_failed = has_failed; /* the user knows, and may try again */
    pthread_mutex_unlock(&run->lock);
}

void ubi__run_take_snapshot(ubi__run *run, const ubi__script_runtime *runtime, ubi__run_trigger trigger) {
    take_snapshot(run, runtime, trigger, NULL);
}

void ubi__run_save_snapshot(ubi__run *run, const ubi__script_runtime *runtime, const char *file) {
    take_snapshot(run, runtime, UBI__RUN_AT_COMMAND, file);
}
