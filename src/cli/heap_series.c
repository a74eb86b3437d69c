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
    uint64_t start_us;
    uint32_t n_late;     /* intervals that were longer than wanted */
    uint64_t longest_us; /* of them */
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

static void snapshot_report(const ubi__heap_source *s, uint32_t number, const arrival *came) {
    char line[200], size[UBI__HUMAN_TEXT], pause[UBI__HUMAN_TEXT], of[32] = "";
    ubi__progress_line_clear(&s->cli->progress);
    if (s->cli->common.progress < 0)
        return;
    if (s->n_wanted)
        snprintf(of, sizeof of, " of %llu", (unsigned long long)s->n_wanted);
    snprintf(line, sizeof line, "snapshot %u%s: %s%s, after a pause of %s at most", number, of,
             ubi__human_size(size, came->size_bytes), came->is_packed ? " packed" : "",
             ubi__human_duration(pause, came->pause_us));
    ubi__print_line(s->address, line);
}

ubi_status ubi__heap_series_init(ubi__heap_series *out) {
    *out = (ubi__heap_series){ NULL, 0, "" };
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

/* Before the next comes. */
static ubi_status heap_reduce(const ubi__taken_heap *heap, const ubi__heap_source *s) {
    ubi_look_options options = UBI_LOOK_OPTIONS_INIT;
    ubi__leak_record *record;
    ubi_look *look;
    options.progress = ubi__progress_line_callbacks(&s->cli->progress);
    options.threads = ubi__cli_threads(s->cli);
    UBI_TRY(ubi_look_open(&look, NULL, heap->graph, &options));
    const ubi_class_scheme classes = ubi_look_class_scheme(look);
    ubi_status status = ubi__leak_record_new(&record, heap->graph, &classes, ubi_lens_id_mark(heap->graph),
                                             ubi_lens_name(ubi_lens_for(heap->graph)), NULL);
    ubi_look_close(look);
    if (status == UBI_OK)
        ubi__leak_record_reduce(record, heap->graph);
    return status;
}

ubi_status ubi__heap_series_add(ubi__heap_series *series, const ubi__heap_source *s, const char *name) {
    ubi__taken_heap *heap = &series->heaps[series->n];
    arrival came = { .pause_us = 0 };
    if (s->must_collect)
        UBI_TRY(s->ops->collect(s->remote));
    if (s->keeps_ids && series->n > 0)
        UBI_TRY(heap_reduce(heap - 1, s));
    UBI_TRY(s->keeps_ids ? graph_take(heap, &came, s) : file_take(heap, &came, s));
    series->n++;
    if (name)
        snprintf(heap->label, sizeof heap->label, "%s#%s", s->address, name);
    else
        snprintf(heap->label, sizeof heap->label, "%s#%u", s->address, series->n);
    snapshot_report(s, series->n, &came);
    const ubi__remote_witness witness = ubi__remote_missing_witness(s->cli);
    witness.see(witness.payload, s->address, s->remote, s->ops);
    return UBI_OK;
}

/* ---- the series ----------------------------------------------------------------------------------------------------- */

#define LOOK_US ((uint64_t)200000)

/* Waits, at most as long as the command beside it runs. */
static ubi_status time_await(taking *t, uint64_t wait_us) {
    static const char stage[] = "waiting for the next snapshot";
    if (!t->options->beside)
        return t->ops->wait(t->remote, stage, wait_us);
    while (wait_us > 0 && !ubi__beside_has_ended(&t->beside)) {
        uint64_t turn_us = wait_us < LOOK_US ? wait_us : LOOK_US;
        UBI_TRY(t->ops->wait(t->remote, stage, turn_us));
        wait_us -= turn_us;
    }
    return UBI_OK;
}

/* Each has its time, so that those before it do not delay it; one that took longer delays all. */
static ubi_status next_await(taking *t) {
    uint64_t now_us = ubi__clock_us();
    t->start_us += t->options->interval_us;
    if (t->start_us < now_us) {
        uint64_t took_us = now_us - (t->start_us - t->options->interval_us);
        t->longest_us = took_us > t->longest_us ? took_us : t->longest_us;
        t->n_late++;
        t->start_us = now_us;
        return UBI_OK;
    }
    return time_await(t, t->start_us - now_us);
}

/* The program works, and has warmed up. */
static ubi_status beside_begin(taking *t) {
    UBI_TRY(ubi__beside_start(&t->beside, t->options->beside));
    return t->options->beside ? time_await(t, t->options->interval_us) : UBI_OK;
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

static ubi_status series_fill(taking *t) {
    t->source = (ubi__heap_source){ .cli = t->cli,
                                    .address = t->options->address,
                                    .ops = t->ops,
                                    .remote = t->remote,
                                    .n_wanted = t->options->n,
                                    .must_collect = t->options->must_collect,
                                    .keeps_ids = t->options->keeps_ids };
    UBI_TRY(t->ops->attach(t->remote));
    UBI_TRY(beside_begin(t));
    t->start_us = ubi__clock_us();
    UBI_TRY(ubi__heap_series_add(t->series, &t->source, NULL));
    while (t->series->n < most_of(t->options) && !ubi__beside_has_ended(&t->beside) && !is_enough(t)) {
        UBI_TRY(next_await(t));
        UBI_TRY(ubi__heap_series_add(t->series, &t->source, NULL));
    }
    beside_report(t);
    if (t->series->n < t->options->n_least)
        return ubi__fail(UBI_EINVAL, "one snapshot shows no leak: the command of --while ended before the second");
    return UBI_OK;
}

/* Growth is judged from one snapshot to the next, so their distance matters. */
static void lateness_report(const taking *t) {
    char line[200], wanted[UBI__HUMAN_TEXT], longest[UBI__HUMAN_TEXT];
    if (!t->n_late || t->cli->common.progress < 0)
        return;
    snprintf(line, sizeof line,
             "%u of %u snapshots came late, up to %s after the one before: taking one takes longer than %s", t->n_late,
             t->series->n, ubi__human_duration(longest, t->longest_us),
             ubi__human_duration(wanted, t->options->interval_us));
    ubi__print_line(t->options->address, line);
}

/* What there is may be enough. */
static ubi_status series_end(ubi__heap_series *s, const ubi__heap_series_options *o, ubi_status status) {
    if (status == UBI_ECANCELLED && s->n == 1 && o->n_least > 1) {
        ubi__interrupt_accept(); /* nothing is printed before */
        ubi__print_line(o->address, "one snapshot shows no leak");
    }
    bool is_whole = !o->keeps_ids || (s->n > 0 && !ubi__leak_record_of(s->heaps[s->n - 1].graph));
    if (status == UBI_OK || s->n < o->n_least || !is_whole)
        return status;
    if (status == UBI_ECANCELLED)
        ubi__interrupt_accept();
    else
        snprintf(s->fault, sizeof s->fault, "the series ends after %u snapshots: %s", s->n, ubi_error_message());
    return UBI_OK;
}

ubi_status ubi__heap_series_take(ubi__heap_series *out, ubi__cli *cli, const ubi__heap_series_options *options) {
    ubi__remote_address address;
    taking t = { .series = out, .cli = cli, .options = options };
    *out = (ubi__heap_series){ NULL, 0, "" };
    if (most_of(options) > UBI__HEAP_SERIES_MOST)
        return ubi__fail(UBI_EINVAL, "a series has %d snapshots at most", UBI__HEAP_SERIES_MOST);
    UBI_TRY(ubi__remote_address_parse(&address, options->address, ubi__remote_schemes));
    address.is_forced = options->is_forced;
    UBI_TRY(ubi__heap_series_init(out));
    const ubi_progress progress = ubi__progress_line_callbacks(&cli->progress);
    t.ops = address.scheme->ops;
    cli->subject = options->address;
    UBI_TRY(t.ops->open(&t.remote, &address, &progress, NULL));
    ubi_status status = series_end(out, options, series_fill(&t));
    ubi__beside_stop(&t.beside);
    t.ops->close(t.remote);
    ubi__progress_line_clear(&cli->progress);
    if (status == UBI_OK)
        lateness_report(&t);
    return status;
}

void ubi__heap_series_close(ubi__heap_series *s) {
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->heaps[i].fd >= 0)
            close(s->heaps[i].fd);
        ubi_graph_unref(s->heaps[i].graph);
    }
    ubi__free_array(memory(), s->heaps, UBI__HEAP_SERIES_MOST, sizeof *s->heaps);
}
