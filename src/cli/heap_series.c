/* SPDX-License-Identifier: MIT
 *
 * heap_series.c: see heap_series.h.
 */
#include "cli/heap_series.h"

#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ubiheap/views/lens.h>

#include "analyses/leaks/leak_record.h"
#include "base/human.h"
#include "base/status.h"
#include "cli/beside_command.h"
#include "cli/remote_missing.h"
#include "cli/remote_schemes.h"
#include "session/remote_file.h"
#include "session/remote_graph.h"

/* One that is being taken. */
typedef struct taking {
    ubi__heap_series *series;
    ubi__cli *cli;
    const ubi__heap_series_options *options;
    const ubi__remote_ops *ops;
    ubi__remote *remote;
    ubi__heap_source source;
    ubi__beside beside;
} taking;

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

static uint64_t most_of(const ubi__heap_series_options *o) {
    return o->n ? o->n : UBI__HEAP_SERIES_MOST;
}

/* ---- one snapshot --------------------------------------------------------------------------------------------------- */

/* The heap is larger than such a file. */
static bool is_packed(int fd) {
    uint8_t head[2];
    return pread(fd, head, sizeof head, 0) == sizeof head && head[0] == 0x1f && head[1] == 0x8b;
}

/* One that came. */
typedef struct arrival {
    uint64_t size_bytes, pause_us;
    bool is_packed;
} arrival;

#define OF_BYTES 32

/* " of 3"; "": unknown. */
static const char *of_wanted(char of[OF_BYTES], uint64_t n_wanted) {
    of[0] = '\0';
    if (n_wanted)
        snprintf(of, OF_BYTES, " of %llu", (unsigned long long)n_wanted);
    return of;
}

static void snapshot_report(const ubi__heap_source *s, uint32_t number, const arrival *came) {
    char line[200], size[UBI__HUMAN_TEXT], pause[UBI__HUMAN_TEXT], of[OF_BYTES];
    ubi__progress_line_clear(&s->cli->progress);
    if (s->cli->common.progress < 0)
        return;
    snprintf(line, sizeof line, "snapshot %u%s: %s%s, after a pause of %s at most", number, of_wanted(of, s->n_wanted),
             ubi__human_size(size, came->size_bytes), came->is_packed ? " packed" : "",
             ubi__human_duration(pause, came->pause_us));
    ubi__print_line(s->address, line);
}

ubi_status ubi__heap_series_init(ubi__heap_series *out) {
    *out = (ubi__heap_series){ .heaps = NULL };
    out->heaps = ubi__calloc_array(memory(), UBI__HEAP_SERIES_MOST, sizeof *out->heaps);
    return out->heaps ? UBI_OK : ubi__fail_nomem();
}

static ubi_status file_take(ubi__taken_heap *out, arrival *came, const ubi__heap_source *s) {
    struct stat facts;
    UBI_TRY(ubi__remote_file_take(&out->fd, s->remote, s->ops, &came->pause_us));
    came->size_bytes = fstat(out->fd, &facts) == 0 ? (uint64_t)facts.st_size : 0;
    came->is_packed = is_packed(out->fd);
    return UBI_OK;
}

static ubi_status graph_take(ubi__taken_heap *out, arrival *came, const ubi__heap_source *s) {
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    ubi__remote_graph heap;
    options.progress = ubi__progress_line_callbacks(&s->cli->progress);
    options.threads = ubi__cli_threads(s->cli);
    options.compat = s->cli->compat;
    UBI_TRY(ubi__remote_graph_take(&heap, s->remote, s->ops, NULL, &options));
    *came = (arrival){ .size_bytes = heap.size_bytes, .pause_us = heap.pause_us };
    out->graph = heap.graph;
    out->fd = -1;
    return UBI_OK;
}

static ubi_status heap_record(ubi__leak_record *record, ubi_graph *graph, const ubi__heap_source *s) {
    ubi_look_options options = UBI_LOOK_OPTIONS_INIT;
    ubi_look *look;
    options.progress = ubi__progress_line_callbacks(&s->cli->progress);
    options.threads = ubi__cli_threads(s->cli);
    UBI_TRY(ubi_look_open(&look, NULL, graph, &options));
    const ubi_class_scheme classes = ubi_look_class_scheme(look);
    ubi_status status =
        ubi__leak_record_add(record, &classes, ubi_lens_id_mark(graph), ubi_lens_name(ubi_lens_for(graph)));
    ubi_look_close(look);
    return status;
}

/* Before the next comes, the newest goes. */
static ubi_status newest_reduce(ubi__heap_series *series, const ubi__heap_source *s) {
    ubi__taken_heap *newest = &series->heaps[series->n - 1];
    ubi_graph *token;
    if (!series->record)
        UBI_TRY(ubi__leak_record_new(&series->record, NULL));
    UBI_TRY(heap_record(series->record, newest->graph, s));
    UBI_TRY(ubi__leak_record_token(&token, series->record, ubi__leak_record_count(series->record) - 1));
    ubi_graph_unref(newest->graph);
    newest->graph = token;
    return UBI_OK;
}

/* 0: unknown. */
static uint64_t resident_bytes(uint32_t pid) {
    char path[64];
    unsigned long long pages = 0;
    snprintf(path, sizeof path, "/proc/%u/statm", pid);
    FILE *file = pid ? fopen(path, "re") : NULL;
    if (file && fscanf(file, "%*u %llu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Its ids of objects change when the last debugger that asked for them leaves. */
static void shared_report(const taking *t) {
    static const char line[] =
        "another debugger, or another ubiheap, is connected, too: if it leaves before the series "
        "ends, the program may give its objects other ids, and nothing can be compared";
    if (!t->ops->is_shared || !t->ops->is_shared(t->remote))
        return;
    ubi__progress_line_clear(&t->cli->progress);
    ubi__print_line(t->options->address, line);
}

ubi_status ubi__heap_series_add(ubi__heap_series *series, const ubi__heap_source *s, const char *name) {
    ubi__taken_heap *heap = &series->heaps[series->n];
    arrival came = { .pause_us = 0 };
    if (s->must_collect)
        UBI_TRY(s->ops->collect(s->remote));
    if (s->keeps_ids && series->n > 0)
        UBI_TRY(newest_reduce(series, s));
    heap->resident_bytes = resident_bytes(series->pid);
    UBI_TRY(s->keeps_ids ? graph_take(heap, &came, s) : file_take(heap, &came, s));
    heap->resident_after_bytes = resident_bytes(series->pid);
    series->n++;
    if (name)
        snprintf(heap->label, sizeof heap->label, "%s#%s", s->address, name);
    else
        snprintf(heap->label, sizeof heap->label, "%s#%u", s->address, series->n);
    snapshot_report(s, series->n, &came);
    const ubi__remote_witness witness = ubi__remote_missing_witness(s->cli);
    witness.see(witness.payload, s->address, s->remote, s->ops);
    uint64_t n_others = s->ops->other_heaps ? s->ops->other_heaps(s->remote, false) : 0;
    if (n_others > series->n_other_heaps)
        series->n_other_heaps = n_others;
    uint64_t n_processes = s->ops->other_processes ? s->ops->other_processes(s->remote, NULL, 0, false) : 0;
    if (n_processes > series->n_other_processes)
        series->n_other_processes = n_processes;
    return UBI_OK;
}

/* ---- the series ----------------------------------------------------------------------------------------------------- */

#define LOOK_US ((uint64_t)200000)

/* Waits, at most as long as the command beside it runs. @param left_us  out: so much less than an interval. */
static ubi_status interval_await(taking *t, uint64_t *left_us) {
    static const char stage[] = "waiting for the next snapshot";
    uint64_t wait_us = t->options->interval_us;
    *left_us = 0;
    if (!t->options->beside)
        return t->ops->wait(t->remote, stage, wait_us);
    while (wait_us > 0 && !ubi__beside_has_ended(&t->beside)) {
        uint64_t turn_us = wait_us < LOOK_US ? wait_us : LOOK_US;
        UBI_TRY(t->ops->wait(t->remote, stage, turn_us));
        wait_us -= turn_us;
    }
    *left_us = wait_us;
    return UBI_OK;
}

/* The program works, and has warmed up. */
static ubi_status beside_begin(taking *t) {
    uint64_t left_us;
    UBI_TRY(ubi__beside_start(&t->beside, t->options->beside));
    return t->options->beside ? interval_await(t, &left_us) : UBI_OK;
}

/*
 * Of a step in which the program worked for less than half as long as in the others, nothing can be said: without a snapshot after it, what leaks
 * has grown with every step. It is taken where there would be no answer else.
 */
static bool step_is_worth_it(const taking *t, uint64_t left_us) {
    char line[160], worked[UBI__HUMAN_TEXT], interval[UBI__HUMAN_TEXT];
    uint64_t interval_us = t->options->interval_us;
    if (left_us == 0)
        return true;
    bool is_worth_it = t->series->n < t->options->n_least || left_us <= interval_us / 2;
    snprintf(line, sizeof line, "the command of --while ended %s after snapshot %u, not %s: %s",
             ubi__human_duration(worked, interval_us - left_us), t->series->n,
             ubi__human_duration(interval, interval_us),
             is_worth_it ? "the last step is that much shorter" : "no snapshot is taken after so short a step");
    ubi__progress_line_clear(&t->cli->progress);
    ubi__print_line(t->options->address, line);
    return is_worth_it;
}

/* How it ended, if that was not by us, and not well. */
static void beside_report(const taking *t) {
    char line[80];
    int status = t->beside.status;
    if (!t->options->beside || t->beside.group || status == 0)
        return;
    snprintf(line, sizeof line, "it ended with %s %d", WIFEXITED(status) ? "status" : "signal",
             WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    ubi__print_line(t->options->beside, line);
}

static bool is_enough(const taking *t) {
    return t->options->is_enough && t->options->is_enough(t->options->payload, t->series);
}

/* Growth is judged from one snapshot to the next, so the program works as long between any two, however long it paused for one. */
static ubi_status series_fill(taking *t) {
    uint64_t left_us;
    t->source = (ubi__heap_source){ .cli = t->cli,
                                    .address = t->options->address,
                                    .ops = t->ops,
                                    .remote = t->remote,
                                    .n_wanted = t->options->n,
                                    .must_collect = t->options->must_collect,
                                    .keeps_ids = t->options->keeps_ids };
    UBI_TRY(t->ops->attach(t->remote));
    shared_report(t);
    UBI_TRY(beside_begin(t));
    UBI_TRY(ubi__heap_series_add(t->series, &t->source, NULL));
    while (t->series->n < most_of(t->options) && !ubi__beside_has_ended(&t->beside) && !is_enough(t)) {
        UBI_TRY(interval_await(t, &left_us));
        if (!step_is_worth_it(t, left_us))
            break;
        UBI_TRY(ubi__heap_series_add(t->series, &t->source, NULL));
    }
    beside_report(t);
    if (t->series->n < t->options->n_least)
        return ubi__fail(UBI_EINVAL, "one snapshot shows no leak: the command of --while ended before the second");
    return UBI_OK;
}

/* There is no answer: which snapshot did not come. The first failed as any would that is taken alone. */
static ubi_status series_fail(const ubi__heap_series *s, const ubi__heap_series_options *o, ubi_status status) {
    char of[OF_BYTES], why[400];
    if (s->n == 0)
        return status;
    snprintf(why, sizeof why, "%s", ubi_error_message());
    return ubi__fail(status, "snapshot %u%s: %s", s->n + 1, of_wanted(of, o->n), why);
}

/* What there is may be enough. */
static ubi_status series_end(ubi__heap_series *s, const ubi__heap_series_options *o, ubi_status status) {
    char of[OF_BYTES];
    if (status == UBI_ECANCELLED && s->n == 1 && o->n_least > 1) {
        ubi__interrupt_accept(); /* nothing is printed before */
        ubi__print_line(o->address, "one snapshot shows no leak");
    }
    if (s->n < o->n_least && status != UBI_OK && status != UBI_ECANCELLED)
        return series_fail(s, o, status);
    bool is_whole = !o->keeps_ids || (s->n > 0 && !ubi__leak_record_of(s->heaps[s->n - 1].graph));
    if (status == UBI_OK || s->n < o->n_least || !is_whole)
        return status;
    if (status == UBI_ECANCELLED)
        ubi__interrupt_accept();
    else
        snprintf(s->fault, sizeof s->fault, "the series ends after %u%s snapshots: %s", s->n, of_wanted(of, o->n),
                 ubi_error_message());
    return UBI_OK;
}

ubi_status ubi__heap_series_take(ubi__heap_series *out, ubi__cli *cli, const ubi__heap_series_options *options) {
    ubi__remote_address address;
    taking t = { .series = out, .cli = cli, .options = options };
    *out = (ubi__heap_series){ .heaps = NULL };
    if (most_of(options) > UBI__HEAP_SERIES_MOST)
        return ubi__fail(UBI_EINVAL, "a series has %d snapshots at most", UBI__HEAP_SERIES_MOST);
    UBI_TRY(ubi__remote_address_parse(&address, options->address, ubi__remote_schemes));
    UBI_TRY(ubi__remote_target_read(&address, options->target));
    address.is_forced = options->is_forced;
    address.patience_us = options->patience_us;
    UBI_TRY(ubi__heap_series_init(out));
    out->pid = address.pid;
    const ubi_progress progress = ubi__progress_line_callbacks(&cli->progress);
    t.ops = address.scheme->ops;
    cli->subject = options->address;
    UBI_TRY(t.ops->open(&t.remote, &address, &progress, NULL));
    ubi_status status = series_end(out, options, series_fill(&t));
    out->has_ended = out->fault[0] && t.ops->has_ended && t.ops->has_ended(t.remote);
    ubi__beside_stop(&t.beside);
    t.ops->close(t.remote);
    ubi__progress_line_clear(&cli->progress);
    return status;
}

void ubi__heap_series_close(ubi__heap_series *s) {
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->heaps[i].fd >= 0)
            close(s->heaps[i].fd);
        ubi_graph_unref(s->heaps[i].graph);
    }
    ubi__leak_record_unref(s->record);
    ubi__free_array(memory(), s->heaps, UBI__HEAP_SERIES_MOST, sizeof *s->heaps);
}
