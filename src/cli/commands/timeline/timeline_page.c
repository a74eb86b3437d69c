/* SPDX-License-Identifier: MIT
 *
 * timeline_page.c: a timeline as text for a person: what ran, the waterfall, time by marker, the longest markers with their
 * stacks, memory.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/human.h"
#include "base/text.h"
#include "cli/commands/timeline/timeline_view.h"
#include "cli/page.h"
#include "render/timeline_export.h"

#define LABEL_COLUMNS 12
#define TIME_COLUMNS 10
#define COUNT_COLUMNS 10
#define SHARE_COLUMNS 8
#define BAR_COLUMNS 10
#define MOST_SUMS 15
#define MOST_THREADS 4
#define MOST_PROCESSES 4
#define MOST_LONGEST 100
#define USUAL_FRAMES 4
#define WORDS_BYTES 512
#define LABEL_BYTES 256
#define LEAST_NAME_COLUMNS 12

typedef struct page {
    const ubi__timeline_view *view;
    const ubi__timeline_data *data;
    const ubi__timeline_nest *nest;
    const ubi__cli *cli;
    ubi__out *out;
    uint64_t span_ns;
} page;

/* ---- words -------------------------------------------------------------------------------------------------------------- */

static void label(const page *p, const char *text) {
    ubi__write_inked(p->cli, UBI__INK_DIM, text);
    ubi__display_pad(p->out, strlen(text), LABEL_COLUMNS);
}

static void write_text(const page *p, ubi_text text, size_t used) {
    ubi__display_text(p->out, &p->cli->style, text, ubi__name_room(p->cli, used));
}

/* Of one marker its own, though it stands for all that are like it but for a number. */
static ubi_text sum_label(const page *p, const ubi__marker_sum *sum, char buffer[LABEL_BYTES]) {
    if (sum->count != 1)
        return ubi__timeline_label(p->nest, sum);
    return ubi__text(ubi__marker_label(buffer, LABEL_BYTES, p->data, &p->data->rows.at[sum->longest]));
}

/* ---- the head ------------------------------------------------------------------------------------------------------------- */

static void write_file_line(const page *p) {
    const char *what = p->view->is_recording ? "  markers of a recording" : "  timeline";
    ubi__write_ink(p->cli, UBI__INK_BOLD);
    write_text(p, ubi__text(p->view->path), strlen(what));
    ubi__write_ink(p->cli, UBI__INK_PLAIN);
    ubi__out_printf(p->out, "%s\n", what);
}

static void write_program(const page *p) {
    label(p, "Program");
    ubi_text program = ubi__timeline_text(p->data, p->data->program);
    write_text(p, program.ptr ? program : ubi__text("unknown"), LABEL_COLUMNS + 20);
    if (p->data->pid)
        ubi__out_printf(p->out, ", process %" PRIu64, p->data->pid);
    ubi__out_char(p->out, '\n');
}

/* Each has a clock and threads of its own, and its markers in its own file. */
static void write_processes(const page *p) {
    const ubi__recording_processes *all = &p->view->processes;
    char line[1024], count[UBI__HUMAN_TEXT];
    size_t used;
    if (all->rows.n < 2)
        return;
    label(p, "Processes");
    used = (size_t)snprintf(line, sizeof line,
                            "%s, of which this is the first; of the others:", ubi__human_count(count, all->rows.n));
    for (size_t i = 1; i < all->rows.n && i <= MOST_PROCESSES && used < sizeof line; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, " ubiheap timeline %.200s (%s)%s",
                                 all->rows.at[i].path, all->rows.at[i].name, i + 1 < all->rows.n ? "," : "");
    if (all->rows.n > MOST_PROCESSES + 1 && used < sizeof line)
        snprintf(line + used, sizeof line - used, " ...");
    ubi__wrap_words(p->out, &p->cli->style, ubi__text(line), LABEL_COLUMNS, LABEL_COLUMNS, p->cli->style.columns);
    ubi__out_char(p->out, '\n');
}

static void write_range(const page *p) {
    char span[24], first[32], last[32], when[UBI__HUMAN_TEXT];
    uint64_t ns = p->view->end_ns - p->view->begin_ns;
    label(p, "Shown");
    ubi__out_printf(p->out, "%s, from %s to %s", ubi__timeline_time_text(span, ns),
                    ubi__timeline_moment_text(first, p->view->begin_ns, ns),
                    ubi__timeline_moment_text(last, p->view->end_ns, ns));
    if (p->data->start_unix_us)
        ubi__out_printf(p->out, " after %s", ubi__human_time(when, p->data->start_unix_us));
    ubi__out_char(p->out, '\n');
}

static void write_markers(const page *p) {
    char shown[UBI__HUMAN_TEXT], all[UBI__HUMAN_TEXT], threads[UBI__HUMAN_TEXT];
    label(p, "Markers");
    ubi__out_string(p->out, ubi__human_count(shown, p->nest->n));
    if (p->nest->n != p->view->n_markers)
        ubi__out_printf(p->out, " of %s", ubi__human_count(all, p->view->n_markers));
    if (p->data->threads.n)
        ubi__out_printf(p->out, ", %s", ubi__human_things(threads, p->data->threads.n, "thread"));
    if (p->data->n_lost)
        ubi__out_printf(p->out, "; %s more were lost", ubi__human_count(all, p->data->n_lost));
    ubi__out_char(p->out, '\n');
    if (p->view->file.has_end)
        return;
    label(p, "End");
    ubi__out_string(p->out, "missing: killed, or still running; what it did then is not in here\n");
}

static void write_thread_busy(const page *p, uint32_t thread) {
    const ubi__timeline_nest *whole = ubi__timeline_whole(p->view);
    char share[UBI__HUMAN_TEXT], time[24], number[UBI__THREAD_NAME];
    uint64_t busy = whole->threads[thread].busy_ns;
    if (whole->n_threads > 1) {
        ubi__display_text(p->out, &p->cli->style, ubi__timeline_thread_name(p->view, thread, number), 24);
        ubi__out_char(p->out, ' ');
    }
    ubi__out_printf(p->out, "%s of the time (%s)\n", ubi__human_percent(share, busy, p->span_ns),
                    ubi__timeline_time_text(time, busy));
}

/* A line for each of the first threads that did something. A native program may well sleep in its markers. */
static void write_busy(const page *p) {
    const ubi__timeline_nest *whole = ubi__timeline_whole(p->view);
    unsigned n = 0, n_more = 0;
    label(p, p->view->is_recording ? "In markers" : "Busy");
    for (uint32_t t = 0; t < whole->n_threads; t++) {
        if (whole->threads[t].busy_ns == 0 && whole->n_threads > 1)
            continue;
        if (n == MOST_THREADS) {
            n_more++;
            continue;
        }
        if (n++)
            ubi__display_pad(p->out, 0, LABEL_COLUMNS);
        write_thread_busy(p, t);
    }
    if (n_more) {
        ubi__display_pad(p->out, 0, LABEL_COLUMNS);
        ubi__out_printf(p->out, "and %u more thread%s\n", n_more, n_more == 1 ? "" : "s");
    }
    ubi__out_string(p->out, n ? "" : "never\n");
}

static void write_garbage(const page *p) {
    char share[UBI__HUMAN_TEXT], count[UBI__HUMAN_TEXT], time[24];
    const ubi__timeline_nest *whole = ubi__timeline_whole(p->view);
    uint64_t n = 0;
    for (size_t i = 0; i < whole->sums.n; i++)
        n += whole->sums.at[i].blueprint->is_collection ? whole->sums.at[i].count : 0;
    if (n == 0)
        return;
    label(p, "Garbage");
    ubi__out_printf(p->out, "%s, %s, %s of %s\n", ubi__human_things(count, n, "collection"),
                    ubi__timeline_time_text(time, whole->collection_ns),
                    ubi__human_percent(share, whole->collection_ns, whole->busy_ns),
                    p->view->is_recording ? "the time in markers" : "all busy time");
}

/* ---- memory ---------------------------------------------------------------------------------------------------------------- */

/* One figure is enough: of several the total, or else the first that is no part of another. */
static ubi_str_ix main_figure(const ubi__timeline_data *data) {
    ubi_str_ix best = UBI_NONE;
    for (size_t i = 0; i < data->samples.n; i++) {
        ubi_str_ix name = data->samples.at[i].name;
        if (ubi__text_is(ubi__timeline_text(data, name), "total"))
            return name;
        if (best == UBI_NONE && !ubi__timeline_is_part(ubi__timeline_text(data, name)))
            best = name;
    }
    return best;
}

static uint64_t whole_bytes(double value) {
    return value > 0 && value < 0x1p63 ? (uint64_t)value : 0;
}

/* What figures of ours are called; others have the names that their program gave them. */
static ubi_text figure_title(const page *p, ubi_str_ix name) {
    ubi_text text = ubi__timeline_text(p->data, name);
    if (ubi__text_is(text, "heapLive"))
        return ubi__text(p->data->is_sampled ? "heap (estimated)" : p->view->is_recording ? "heap" : "JavaScript heap");
    return text;
}

static void write_figure(const page *p, const char *title, ubi_str_ix name) {
    const ubi__timeline_sample *first = NULL, *most = NULL, *last = NULL;
    char a[UBI__HUMAN_TEXT], b[UBI__HUMAN_TEXT], c[UBI__HUMAN_TEXT], d[UBI__HUMAN_TEXT], when[24];
    uint64_t n = 0;
    for (size_t i = 0; i < p->data->samples.n; i++) {
        const ubi__timeline_sample *s = &p->data->samples.at[i];
        if (s->name != name)
            continue;
        first = first ? first : s;
        most = !most || s->value > most->value ? s : most;
        last = s;
        n++;
    }
    if (!first)
        return;
    label(p, title);
    ubi__display_text(p->out, &p->cli->style, figure_title(p, name), 20);
    ubi__out_printf(p->out, " %s at first, %s at most (at %s), %s at last; %s\n",
                    ubi__human_size(a, whole_bytes(first->value)), ubi__human_size(b, whole_bytes(most->value)),
                    ubi__timeline_time_text(when, most->time_ns), ubi__human_size(c, whole_bytes(last->value)),
                    ubi__human_things(d, n, "sample"));
}

static void write_memory(const page *p) {
    ubi_str_ix figure = main_figure(p->data), resident = UBI_NONE;
    for (size_t i = 0; i < p->data->samples.n && resident == UBI_NONE; i++)
        if (ubi__text_is(ubi__timeline_text(p->data, p->data->samples.at[i].name), "resident"))
            resident = p->data->samples.at[i].name;
    write_figure(p, "Memory", figure);
    if (resident != figure)
        write_figure(p, "", resident);
}

/* ---- time by marker ---------------------------------------------------------------------------------------------------------- */

static void write_sum_titles(const page *p, size_t name_columns) {
    ubi__write_ink(p->cli, UBI__INK_DIM);
    ubi__display_pad(p->out, 0, name_columns);
    ubi__display_right(p->out, "total", TIME_COLUMNS);
    ubi__display_right(p->out, "share", SHARE_COLUMNS);
    ubi__display_right(p->out, "self", TIME_COLUMNS);
    ubi__display_right(p->out, "count", COUNT_COLUMNS);
    ubi__display_right(p->out, "longest", TIME_COLUMNS);
    ubi__write_ink(p->cli, UBI__INK_PLAIN);
    ubi__out_char(p->out, '\n');
}

static void write_time(const page *p, uint64_t ns) {
    char time[24];
    ubi__display_right(p->out, ns ? ubi__timeline_time_text(time, ns) : "-", TIME_COLUMNS);
}

/* As wide as it must be, so that no line ends in spaces. */
static void write_bar(const page *p, const ubi__marker_sum *sum, size_t room) {
    double part = (double)sum->total_ns / (double)p->span_ns * BAR_COLUMNS;
    unsigned steps = p->cli->style.unicode ? 8 : 1;
    unsigned filled = part < BAR_COLUMNS ? (unsigned)(part * steps + 0.5) : steps * BAR_COLUMNS;
    unsigned columns = filled ? (filled + steps - 1) / steps : 1;
    uint64_t total = (uint64_t)((double)p->span_ns / BAR_COLUMNS * columns);
    if (room && (filled || (sum->total_ns && p->cli->style.unicode)))
        ubi__write_bar(p->cli, ubi__timeline_ink(sum->blueprint), sum->total_ns, total ? total : 1, columns);
}

static void write_sum(const page *p, const ubi__marker_sum *sum, size_t name_columns, size_t bar_columns) {
    char buffer[LABEL_BYTES];
    size_t used = ubi__display_text(p->out, &p->cli->style, sum_label(p, sum, buffer), name_columns);
    ubi__display_pad(p->out, used, name_columns);
    write_time(p, sum->total_ns);
    if (sum->total_ns)
        ubi__write_share(p->cli, sum->total_ns, p->span_ns, SHARE_COLUMNS);
    else
        ubi__display_right(p->out, "-", SHARE_COLUMNS);
    write_time(p, sum->self_ns);
    ubi__write_count(p->cli, sum->count, COUNT_COLUMNS);
    write_time(p, ubi__timeline_duration_ns(&p->data->rows.at[sum->longest]));
    write_bar(p, sum, bar_columns);
    ubi__out_char(p->out, '\n');
}

static void write_sums(const page *p) {
    size_t fixed = 3 * TIME_COLUMNS + SHARE_COLUMNS + COUNT_COLUMNS, bars = 2 + BAR_COLUMNS;
    bars = p->cli->style.columns < fixed + bars + 16 ? 0 : bars; /* names before bars */
    size_t rest = p->cli->style.columns > fixed + bars ? p->cli->style.columns - fixed - bars : 0;
    size_t columns = rest > LEAST_NAME_COLUMNS ? rest : LEAST_NAME_COLUMNS;
    size_t n = p->nest->sums.n < MOST_SUMS ? p->nest->sums.n : MOST_SUMS;
    char count[UBI__HUMAN_TEXT];
    ubi__write_title(p->cli, "Time by marker");
    columns = columns < 40 ? columns : 40;
    write_sum_titles(p, columns);
    for (size_t i = 0; i < n; i++)
        write_sum(p, &p->nest->sums.at[i], columns, bars);
    if (n == p->nest->sums.n)
        return;
    ubi__write_ink(p->cli, UBI__INK_DIM);
    ubi__out_printf(p->out, "  %s more; --json has all of them\n", ubi__human_count(count, p->nest->sums.n - n));
    ubi__write_ink(p->cli, UBI__INK_PLAIN);
}

/* ---- the longest --------------------------------------------------------------------------------------------------------------- */

typedef struct longest {
    uint32_t rows[MOST_LONGEST];
    size_t n, most;
} longest;

/* By insertion: the list is short. The earlier of two comes first. */
static void consider(longest *l, const ubi__timeline_data *data, uint32_t i) {
    uint64_t ns = ubi__timeline_duration_ns(&data->rows.at[i]);
    size_t at = l->n;
    while (at > 0 && ubi__timeline_duration_ns(&data->rows.at[l->rows[at - 1]]) < ns)
        at--;
    if (at == l->most || ns == 0)
        return;
    l->n += l->n < l->most;
    memmove(&l->rows[at + 1], &l->rows[at], (l->n - at - 1) * sizeof *l->rows);
    l->rows[at] = i;
}

static void write_arrow(const page *p) {
    ubi__out_repeat(p->out, " ", 2 * TIME_COLUMNS + 4);
    ubi__out_string(p->out, p->cli->style.unicode ? "← " : "< ");
}

/* How this frame led to the one before it, which it did not call. Columns. */
static size_t write_cause(const page *p, uint32_t frame) {
    ubi_text cause = ubi__timeline_text(p->data, p->data->frames.at[frame].async_cause);
    ubi__out_string(p->out, "(async");
    size_t used = 0;
    if (cause.len) {
        ubi__out_string(p->out, ": ");
        used = 2 + ubi__display_text(p->out, &p->cli->style, cause, 40);
    }
    ubi__out_string(p->out, ") ");
    return used + 8;
}

/* Youngest first. */
static void write_stack(const page *p, uint32_t stack) {
    char words[WORDS_BYTES];
    uint64_t most = p->view->wishes->stack_depth ? p->view->wishes->stack_depth : USUAL_FRAMES, n = 0, n_more = 0;
    bool is_async = false;
    ubi__write_ink(p->cli, UBI__INK_DIM);
    for (; stack != UBI_NONE; n++) {
        if (n < most) {
            size_t length = ubi__timeline_frame_words(words, sizeof words, p->data, stack);
            write_arrow(p);
            write_text(p, (ubi_text){ words, length }, 2 * TIME_COLUMNS + 6 + (is_async ? write_cause(p, stack) : 0));
            ubi__out_char(p->out, '\n');
        } else {
            n_more++;
        }
        stack = ubi__timeline_caller(p->data, stack, &is_async);
    }
    if (n_more) {
        write_arrow(p);
        ubi__out_printf(p->out, "%" PRIu64 " more frame%s\n", n_more, n_more == 1 ? "" : "s");
    }
    ubi__write_ink(p->cli, UBI__INK_PLAIN);
}

/* "cause: x, phase: target"; what the subject says is not said again. */
static size_t write_fields(const page *p, const ubi__timeline_row *row, size_t used) {
    ubi__marker_field field;
    ubi_text subject = ubi__timeline_subject(p->data, row);
    size_t at = 0;
    while (ubi__marker_next_field(&field, p->data, row, &at)) {
        if (ubi__text_equal(field.value, subject) || used + 8 > p->cli->style.columns)
            continue;
        ubi__out_string(p->out, "  ");
        used += 4 + ubi__display_text(p->out, &p->cli->style, field.title, 30);
        ubi__out_string(p->out, ": ");
        used += ubi__display_text(p->out, &p->cli->style, field.value, ubi__name_room(p->cli, used));
    }
    return used;
}

static void write_longest_line(const page *p, uint32_t i) {
    const ubi__timeline_row *row = &p->data->rows.at[i];
    const ubi__marker_sum *sum = &p->nest->sums.at[p->nest->sum_of[i]];
    char start[24], number[UBI__THREAD_NAME], exact[LABEL_BYTES];
    ubi_text subject = ubi__timeline_subject(p->data, row);
    write_time(p, ubi__timeline_duration_ns(row));
    ubi__out_string(p->out, " at");
    ubi__display_right(p->out, ubi__timeline_time_text(start, row->start_ns), TIME_COLUMNS - 1);
    ubi__out_string(p->out, "  ");
    size_t used = 2 * TIME_COLUMNS + 4;
    ubi__write_ink(p->cli, ubi__timeline_ink(sum->blueprint));
    used +=
        ubi__display_text(p->out, &p->cli->style, ubi__text(ubi__marker_label(exact, sizeof exact, p->data, row)), 40);
    ubi__write_ink(p->cli, UBI__INK_PLAIN);
    if (subject.len) {
        ubi__out_char(p->out, ' ');
        used += 1 + ubi__display_text(p->out, &p->cli->style, subject, 40);
    }
    ubi__write_ink(p->cli, UBI__INK_DIM);
    if (p->nest->n_threads > 1) {
        ubi__out_string(p->out, "  on ");
        used +=
            5 + ubi__display_text(p->out, &p->cli->style, ubi__timeline_thread_name(p->view, row->thread, number), 24);
    }
    write_fields(p, row, used);
    if (!(row->flags & UBI__TIMELINE_HAS_END))
        ubi__out_string(p->out, "  did not end");
    ubi__write_ink(p->cli, UBI__INK_PLAIN);
    ubi__out_char(p->out, '\n');
}

static void write_same_stack(const page *p) {
    ubi__write_ink(p->cli, UBI__INK_DIM);
    write_arrow(p);
    ubi__out_string(p->out, "as above\n");
    ubi__write_ink(p->cli, UBI__INK_PLAIN);
}

static void write_longest(const page *p) {
    longest l = { .n = 0, .most = (size_t)(p->view->wishes->top < MOST_LONGEST ? p->view->wishes->top : MOST_LONGEST) };
    for (uint32_t i = 0; i < p->nest->n && l.most; i++)
        consider(&l, p->data, i);
    if (l.n == 0)
        return;
    ubi__write_title(p->cli, "The longest");
    for (size_t i = 0; i < l.n; i++) {
        uint32_t stack = p->data->rows.at[l.rows[i]].stack;
        write_longest_line(p, l.rows[i]);
        if (i && stack != UBI_NONE && stack == p->data->rows.at[l.rows[i - 1]].stack)
            write_same_stack(p);
        else
            write_stack(p, stack);
    }
}

/* ---- the page --------------------------------------------------------------------------------------------------------------- */

/* At the longest marker of a label that takes less than a fifth of what is shown; if there is none, there is no closer look. */
static void write_closer_look(const page *p, const char *file) {
    char more[80], help[64];
    for (size_t i = 0; i < p->nest->sums.n; i++) {
        const ubi__timeline_row *row = &p->data->rows.at[p->nest->sums.at[i].longest];
        uint64_t from_ms = row->start_ns / 1000000, to_ms = row->end_ns / 1000000 + 1;
        if (ubi__timeline_duration_ns(row) == 0 || to_ms - from_ms > p->span_ns / 5000000)
            continue;
        snprintf(more, sizeof more, "--from %" PRIu64 " --to %" PRIu64, from_ms, to_ms);
        snprintf(help, sizeof help, "%" PRIu64 " ms around a long marker", to_ms - from_ms);
        ubi__write_command(p->cli, "timeline", file, more, help);
        return;
    }
}

static void write_commands(const page *p) {
    const char *file = ubi__file_argument(p->view->path, "FILE");
    ubi__write_title(p->cli, "Look closer");
    ubi__write_command(p->cli, "timeline", file, "--format chrome -o trace.json", "for ui.perfetto.dev");
    ubi__write_command(p->cli, "timeline", file, "--format firefox -o profile.json", "for profiler.firefox.com");
    write_closer_look(p, file);
    if (p->view->is_recording)
        ubi__write_command(p->cli, "report", file, NULL, "what was allocated");
}

ubi_status ubi__timeline_page(const ubi__timeline_view *view) {
    uint64_t span = view->end_ns - view->begin_ns;
    page p = { view, &view->file.data, &view->nest, view->cli, &view->cli->output->out, span ? span : 1 };
    write_file_line(&p);
    write_program(&p);
    write_processes(&p);
    write_range(&p);
    write_markers(&p);
    if (p.nest->n) {
        write_busy(&p);
        write_garbage(&p);
    }
    write_memory(&p);
    if (p.nest->n == 0)
        return UBI_OK;
    ubi__out_char(p.out, '\n');
    UBI_TRY(ubi__timeline_write_tree(view));
    write_sums(&p);
    write_longest(&p);
    write_commands(&p);
    return UBI_OK;
}
