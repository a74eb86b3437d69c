/* SPDX-License-Identifier: MIT
 *
 * allocations_page.c: who allocated, and when, as text.
 */
#include "cli/commands/allocations/allocations_page.h"

#include <stdio.h>

#include "base/human.h"
#include "base/status.h"
#include "base/text.h"
#include "cli/heap_summary.h"
#include "cli/page.h"
#include "lenses/producer.h"
#include "render/node_label.h"

#define SIZE_COLUMNS 10
#define COUNT_COLUMNS 10
#define TIME_COLUMNS 12
#define BAR_COLUMNS 32
#define LEAST_NAME_COLUMNS 16
/* Lines of a timeline; longer recordings have several samples in one. */
#define TIMELINE_LINES 24

typedef struct page {
    const ubi__cli *cli;
    ubi__out *out;
    const ubi__style *style;
    const ubi__snapshot *snapshot;
    const ubi__allocations_answer *answer;
    bool has_history;
} page;

static void put_amount(const page *p, uint64_t bytes, uint64_t count) {
    ubi__write_size(p->cli, bytes, SIZE_COLUMNS);
    ubi__write_count(p->cli, count, COUNT_COLUMNS);
}

/* ---- functions ------------------------------------------------------------------------------------------------------ */

static void write_function(const page *p, ubi_function_ix function, size_t columns) {
    ubi_allocation_function f;
    ubi_allocations_function(p->answer->allocations, function, &f);
    ubi_frame frame = { .source = f.script_name, .function_name = f.name, .line = f.line, .column = f.column };
    ubi__display_frame(p->out, p->style, &frame, columns);
}

static size_t write_numbers(const page *p, const ubi_allocation_tally *tally) {
    size_t used = SIZE_COLUMNS + COUNT_COLUMNS + 2;
    if (p->has_history) {
        put_amount(p, tally->size_bytes, tally->count);
        used += SIZE_COLUMNS + COUNT_COLUMNS;
    }
    put_amount(p, tally->live_size_bytes, tally->live_count);
    ubi__out_string(p->out, "  ");
    return ubi__name_room(p->cli, used);
}

#define DEEPEST_INDENT 20

static void write_caller(const page *p, const ubi_allocation_caller *row) {
    size_t room = write_numbers(p, &row->tally);
    size_t indent = 2 * (size_t)(row->depth < DEEPEST_INDENT ? row->depth : DEEPEST_INDENT);
    indent = indent + LEAST_NAME_COLUMNS < room ? indent : 0;
    ubi__out_repeat(p->out, " ", indent);
    if (row->depth) {
        ubi__write_ink(p->cli, UBI__INK_DIM);
        ubi__out_string(p->out, p->style->unicode ? "← " : "< ");
        ubi__write_ink(p->cli, UBI__INK_PLAIN);
        indent += 2;
    }
    write_function(p, row->function, room > indent ? room - indent : LEAST_NAME_COLUMNS);
    ubi__out_char(p->out, '\n');
}

static ubi_status write_callers(const page *p, ubi_function_ix function) {
    ubi_allocation_caller *rows;
    uint32_t n;
    UBI_TRY(ubi_allocations_callers(&rows, &n, p->answer->allocations, function, p->answer->caller_levels));
    for (uint32_t i = 0; i < n && !p->out->failed; i++)
        write_caller(p, &rows[i]);
    ubi_allocations_callers_free(p->answer->allocations, rows, n);
    return UBI_OK;
}

static void write_header(const page *p) {
    ubi__out_char(p->out, '\n');
    ubi__write_ink(p->cli, UBI__INK_BOLD);
    if (p->has_history) {
        ubi__display_right(p->out, "Allocated", SIZE_COLUMNS);
        ubi__display_right(p->out, "Objects", COUNT_COLUMNS);
    }
    ubi__display_right(p->out, "Alive", SIZE_COLUMNS);
    ubi__display_right(p->out, "Objects", COUNT_COLUMNS);
    ubi__out_string(p->out, "  Function\n");
    ubi__write_ink(p->cli, UBI__INK_PLAIN);
}

static ubi_allocation_tally sum_up(const ubi_allocation_top *tops, uint32_t n) {
    ubi_allocation_tally all = { 0 };
    for (uint32_t i = 0; i < n; i++) {
        all.count += tops[i].tally.count;
        all.size_bytes += tops[i].tally.size_bytes;
        all.live_count += tops[i].tally.live_count;
        all.live_size_bytes += tops[i].tally.live_size_bytes;
    }
    return all;
}

static void write_totals(const page *p, ubi_allocation_tally all) {
    char a[UBI__HUMAN_TEXT], b[UBI__HUMAN_TEXT];
    if (p->has_history)
        ubi__out_printf(p->out, "%s in %s allocated while it was recorded, of which ",
                        ubi__human_size(a, all.size_bytes), ubi__human_things(b, all.count, "object"));
    ubi__out_printf(p->out, "%s %s alive", ubi__human_things(b, all.live_count, "object"),
                    all.live_count == 1 ? "is" : "are");
    ubi__out_printf(p->out, " and take%s %s%s\n", all.live_count == 1 ? "s" : "",
                    ubi__human_size(a, all.live_size_bytes),
                    p->has_history ? "" : ", with a stack that says who allocated them");
}

static ubi_status write_functions(const page *p) {
    uint32_t n;
    const ubi_allocation_top *tops = ubi_allocations_tops(p->answer->allocations, &n);
    uint32_t shown = p->answer->limit && p->answer->limit < n ? (uint32_t)p->answer->limit : n;
    ubi_allocation_tally all = sum_up(tops, n);
    write_totals(p, all);
    write_header(p);
    for (uint32_t i = 0; i < shown && !p->out->failed; i++)
        UBI_TRY(write_callers(p, tops[i].function));
    ubi__write_more(p->cli, n - shown);
    /* Where most are alive, few can have been moved. */
    const ubi__producer_history *history = ubi__producer_of(p->snapshot->graph)->history;
    if (p->has_history && history->hint_for_lost && all.live_count < all.count / 4)
        ubi__out_printf(p->out, "\n%s", history->hint_for_lost);
    return UBI_OK;
}

/* ---- timeline ------------------------------------------------------------------------------------------------------- */

typedef struct span {
    uint64_t from_us, to_us;
    ubi_allocation_tally tally;
} span;

static void write_span(const page *p, const span *s, uint64_t most_bytes) {
    char text[UBI__HUMAN_TEXT], time[UBI__HUMAN_TEXT + 8];
    if (s->to_us == 0)
        snprintf(time, sizeof time, "before");
    else
        snprintf(time, sizeof time, "to %s", ubi__human_duration(text, s->to_us));
    ubi__display_right(p->out, time, TIME_COLUMNS);
    ubi__write_size(p->cli, s->tally.live_size_bytes, SIZE_COLUMNS);
    ubi__write_bar(p->cli, UBI__INK_BLUE, most_bytes ? s->tally.live_size_bytes : 0, most_bytes, BAR_COLUMNS);
    ubi__write_count(p->cli, s->tally.live_count, COUNT_COLUMNS);
    ubi__out_char(p->out, '\n');
}

/* Samples as spans: the first as it is, the others so many at a time that all have a line. */
static size_t make_spans(span out[TIMELINE_LINES + 1], const ubi_allocation_sample *samples, uint32_t n) {
    size_t n_spans = 0, each = (n + TIMELINE_LINES - 2) / TIMELINE_LINES;
    each = each ? each : 1;
    for (uint32_t i = 0; i < n; i++) {
        if (i <= 1 || (i - 1) % each == 0)
            out[n_spans++] = (span){ .from_us = i ? samples[i - 1].time_us : 0 };
        span *s = &out[n_spans - 1];
        s->to_us = samples[i].time_us;
        s->tally.live_count += samples[i].live_count;
        s->tally.live_size_bytes += samples[i].size_bytes;
    }
    return n_spans;
}

/* What was there before recording would hide the rest: the bars are for what came then. */
static uint64_t most_bytes(const span *spans, size_t n) {
    uint64_t most = 0;
    for (size_t i = n > 1; i < n; i++)
        most = spans[i].tally.live_size_bytes > most ? spans[i].tally.live_size_bytes : most;
    return most;
}

static void write_timeline(const page *p) {
    uint32_t n;
    char a[UBI__HUMAN_TEXT], b[UBI__HUMAN_TEXT];
    span spans[TIMELINE_LINES + 1];
    const ubi_allocation_sample *samples = ubi_allocations_samples(p->answer->allocations, &n);
    if (n == 0) {
        ubi__out_string(p->out, "The file has no timeline: in Chrome's DevTools, choose Memory, \"Allocations on "
                                "timeline\", and save that profile.\n");
        return;
    }
    size_t n_spans = make_spans(spans, samples, n);
    uint64_t most = most_bytes(spans, n_spans);
    ubi__out_printf(p->out, "%s of recording, %s: what is still alive of the JavaScript objects of each span\n\n",
                    ubi__human_duration(a, samples[n - 1].time_us), ubi__human_things(b, n, "sample"));
    ubi__write_ink(p->cli, UBI__INK_BOLD);
    ubi__display_right(p->out, "Time", TIME_COLUMNS);
    ubi__display_right(p->out, "Alive", SIZE_COLUMNS);
    ubi__out_repeat(p->out, " ", BAR_COLUMNS + 2);
    ubi__display_right(p->out, "Objects", COUNT_COLUMNS);
    ubi__out_char(p->out, '\n');
    ubi__write_ink(p->cli, UBI__INK_PLAIN);
    for (size_t i = 0; i < n_spans; i++)
        write_span(p, &spans[i], i == 0 && n_spans > 1 ? 0 : most);
    if (most == 0)
        ubi__out_string(p->out,
                        "Nothing that was allocated while it was recorded is alive, or ids were not recorded.\n");
}

ubi_status ubi__allocations_page(ubi__cli *cli, const ubi__snapshot *snapshot, const ubi__allocations_answer *answer) {
    uint32_t n;
    page p = {
        cli, &cli->output->out, &cli->style, snapshot, answer, ubi_allocations_has_history(answer->allocations)
    };
    if (answer->timeline) {
        write_timeline(&p);
        return UBI_OK;
    }
    ubi_allocations_tops(answer->allocations, &n);
    if (n)
        return write_functions(&p);
    ubi__out_printf(p.out, "The file does not say who allocated what.\nNot recorded%s.\n",
                    ubi__how_to_record_stacks(snapshot->graph));
    return UBI_OK;
}
