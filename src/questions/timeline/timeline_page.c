/* SPDX-License-Identifier: MIT
 *
 * timeline_page.c: a timeline as text for a person: what ran, the waterfall, time by marker, the longest markers with their
 * stacks, memory.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/human.h"
#include "base/text.h"
#include "questions/timeline/timeline_view.h"
#include "render/page.h"
#include "render/timeline_export.h"

#define LABEL_COLUMNS 12
#define TIME_COLUMNS 10
#define BAR_COLUMNS 10
#define MOST_SUMS 15
#define MOST_THREADS 4
#define MOST_PROCESSES 4
#define MOST_LONGEST 100
#define USUAL_FRAMES 4
#define WORDS_BYTES 512
#define LABEL_BYTES 256
#define LEAST_NAME_COLUMNS 12
#define MOST_NAME_COLUMNS 40

typedef struct page {
    const ubi__timeline_view *view;
    const ubi__timeline_data *data;
    const ubi__timeline_nest *nest;
    const ubi__page *on;
    ubi__out *out;
    uint64_t span_ns;
} page;

/* ---- words -------------------------------------------------------------------------------------------------------------- */

/* @return columns */
static size_t name_write(const page *p, ubi_text text, size_t used) {
    return ubi__display_text(p->out, &p->on->style, text, ubi__name_room(p->on, used));
}

/* A single marker has its own label, not one for all that differ only in a number. */
static ubi_text sum_label(const page *p, const ubi__marker_sum *sum, char buffer[LABEL_BYTES]) {
    if (sum->count != 1)
        return ubi__timeline_label(p->nest, sum);
    return ubi__text(ubi__marker_label(buffer, LABEL_BYTES, p->data, &p->data->rows.at[sum->longest]));
}

/* ---- the head ------------------------------------------------------------------------------------------------------------- */

static void file_write(const page *p) {
    const char *what = p->view->is_recording ? "  markers of a recording" : "  timeline";
    ubi__write_ink(p->on, UBI__INK_BOLD);
    name_write(p, ubi__text(p->view->name), strlen(what));
    ubi__write_ink(p->on, UBI__INK_PLAIN);
    ubi__out_printf(p->out, "%s\n", what);
}

/* From column `at` on, after a label; in as many lines as it takes. */
static void words_write(const page *p, size_t at, const char *words) {
    ubi__wrap_words(p->out, &p->on->style, ubi__text(words), at, LABEL_COLUMNS, p->on->style.columns);
    ubi__out_char(p->out, '\n');
}

static void program_write(const page *p) {
    ubi__write_label(p->on, UBI__INK_DIM, "Program", LABEL_COLUMNS);
    ubi_text program = ubi__timeline_text(p->data, p->data->program);
    size_t at = LABEL_COLUMNS + name_write(p, program.ptr ? program : ubi__text("unknown"), LABEL_COLUMNS + 20);
    char process[48] = "";
    if (p->data->pid)
        snprintf(process, sizeof process, ", process %" PRIu64, p->data->pid);
    words_write(p, at, process);
}

static void fact_write(const page *p, const char *title, const char *words) {
    ubi__write_label(p->on, UBI__INK_DIM, title, LABEL_COLUMNS);
    words_write(p, LABEL_COLUMNS, words);
}

/* Each has a clock and threads of its own, and its markers in its own file. */
static void processes_write(const page *p) {
    const ubi__recording_processes *all = p->view->processes;
    char line[1024], count[UBI__HUMAN_TEXT];
    size_t used;
    if (all->rows.n < 2)
        return;
    ubi__write_label(p->on, UBI__INK_DIM, "Processes", LABEL_COLUMNS);
    used = (size_t)snprintf(line, sizeof line,
                            "%s, of which this is the first; of the others:", ubi__human_count(count, all->rows.n));
    for (size_t i = 1; i < all->rows.n && i <= MOST_PROCESSES && used < sizeof line; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, " ubiheap timeline %.200s (%s)%s",
                                 all->rows.at[i].path, all->rows.at[i].name, i + 1 < all->rows.n ? "," : "");
    if (all->rows.n > MOST_PROCESSES + 1 && used < sizeof line)
        snprintf(line + used, sizeof line - used, " ...");
    words_write(p, LABEL_COLUMNS, line);
}

static void range_write(const page *p) {
    char span[24], first[32], last[32], when[UBI__HUMAN_TEXT], line[256];
    uint64_t ns = p->view->end_ns - p->view->begin_ns;
    bool has_start = p->data->start_unix_us != 0;
    snprintf(line, sizeof line, "%s, from %s to %s%s%s", ubi__timeline_time_text(span, ns),
             ubi__timeline_moment_text(first, p->view->begin_ns, ns),
             ubi__timeline_moment_text(last, p->view->end_ns, ns), has_start ? " after " : "",
             has_start ? ubi__human_time(when, p->data->start_unix_us) : "");
    fact_write(p, "Shown", line);
}

static void markers_write(const page *p) {
    char text[UBI__HUMAN_TEXT], line[256];
    size_t used = (size_t)snprintf(line, sizeof line, "%s", ubi__human_count(text, p->nest->n));
    if (p->nest->n != ubi__timeline_marker_count(p->view))
        used += (size_t)snprintf(line + used, sizeof line - used, " of %s",
                                 ubi__human_count(text, ubi__timeline_marker_count(p->view)));
    if (p->data->threads.n)
        used += (size_t)snprintf(line + used, sizeof line - used, ", %s",
                                 ubi__human_things(text, p->data->threads.n, "thread"));
    if (p->data->n_lost)
        snprintf(line + used, sizeof line - used, "; %s more were lost", ubi__human_count(text, p->data->n_lost));
    fact_write(p, "Markers", line);
    if (!p->view->file->has_end)
        fact_write(p, "End", "missing: killed, or still running; what it did then is not in here");
}

static void thread_write_busy(const page *p, uint32_t thread) {
    const ubi__timeline_nest *whole = ubi__timeline_whole(p->view);
    char share[UBI__HUMAN_TEXT], time[24], number[UBI__THREAD_NAME];
    uint64_t busy = whole->threads[thread].busy_ns;
    if (whole->n_threads > 1) {
        ubi__display_text(p->out, &p->on->style, ubi__timeline_thread_name(p->view, thread, number), 24);
        ubi__out_char(p->out, ' ');
    }
    ubi__out_printf(p->out, "%s of the time (%s)\n", ubi__human_percent(share, busy, p->span_ns),
                    ubi__timeline_time_text(time, busy));
}

/* A line for each of the first threads that did something. A native program may well sleep in its markers. */
static void busy_write(const page *p) {
    const ubi__timeline_nest *whole = ubi__timeline_whole(p->view);
    unsigned n = 0, n_more = 0;
    ubi__write_label(p->on, UBI__INK_DIM, p->view->is_recording ? "In markers" : "Busy", LABEL_COLUMNS);
    for (uint32_t t = 0; t < whole->n_threads; t++) {
        if (whole->threads[t].busy_ns == 0 && whole->n_threads > 1)
            continue;
        if (n == MOST_THREADS) {
            n_more++;
            continue;
        }
        if (n++)
            ubi__display_pad(p->out, 0, LABEL_COLUMNS);
        thread_write_busy(p, t);
    }
    if (n_more) {
        ubi__display_pad(p->out, 0, LABEL_COLUMNS);
        ubi__out_printf(p->out, "and %u more thread%s\n", n_more, n_more == 1 ? "" : "s");
    }
    ubi__out_string(p->out, n ? "" : "never\n");
}

static void garbage_write(const page *p) {
    char share[UBI__HUMAN_TEXT], count[UBI__HUMAN_TEXT], time[24], line[256];
    const ubi__timeline_nest *whole = ubi__timeline_whole(p->view);
    uint64_t n = 0;
    for (size_t i = 0; i < whole->sums.n; i++)
        n += whole->sums.at[i].blueprint->is_collection ? whole->sums.at[i].count : 0;
    if (n == 0)
        return;
    snprintf(line, sizeof line, "%s, %s, %s of %s", ubi__human_things(count, n, "collection"),
             ubi__timeline_time_text(time, whole->collection_ns),
             ubi__human_percent(share, whole->collection_ns, whole->busy_ns),
             p->view->is_recording ? "the time in markers" : "all busy time");
    fact_write(p, "Garbage", line);
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

static void figure_write(const page *p, const char *title, ubi_str_ix name) {
    const ubi__timeline_sample *first = NULL, *most = NULL, *last = NULL;
    char a[UBI__HUMAN_TEXT], b[UBI__HUMAN_TEXT], c[UBI__HUMAN_TEXT], d[UBI__HUMAN_TEXT], when[24];
    char line[256];
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
    ubi__write_label(p->on, UBI__INK_DIM, title, LABEL_COLUMNS);
    size_t at = LABEL_COLUMNS + ubi__display_text(p->out, &p->on->style, figure_title(p, name), 20);
    snprintf(line, sizeof line, "%s at first, %s at most (at %s), %s at last; %s",
             ubi__human_size(a, whole_bytes(first->value)), ubi__human_size(b, whole_bytes(most->value)),
             ubi__timeline_time_text(when, most->time_ns), ubi__human_size(c, whole_bytes(last->value)),
             ubi__human_things(d, n, "sample"));
    ubi__out_char(p->out, ' ');
    words_write(p, at + 1, line);
}

static void memory_write(const page *p) {
    ubi_str_ix figure = main_figure(p->data), resident = UBI_NONE;
    for (size_t i = 0; i < p->data->samples.n && resident == UBI_NONE; i++)
        if (ubi__text_is(ubi__timeline_text(p->data, p->data->samples.at[i].name), "resident"))
            resident = p->data->samples.at[i].name;
    figure_write(p, "Memory", figure);
    if (resident != figure)
        figure_write(p, "", resident);
}

/* ---- time by marker ---------------------------------------------------------------------------------------------------------- */

enum { NAME, TOTAL, SHARE, SELF, COUNT, LONGEST, COLUMNS };

static const ubi__text_column sum_columns[COLUMNS] = {
    [NAME] = { NULL, .is_left = true }, [TOTAL] = { "total", .width = TIME_COLUMNS },
    [SHARE] = { "share", .width = 8 },  [SELF] = { "self", .width = TIME_COLUMNS },
    [COUNT] = { "count", .width = 10 }, [LONGEST] = { "longest", .width = TIME_COLUMNS },
};

static ubi__cell time_cell(char text[24], uint64_t ns) {
    return ubi__cell_words(ns ? ubi__timeline_time_text(text, ns) : "-");
}

/* As wide as it must be, so that no line ends in spaces. */
static void bar_write(const page *p, const ubi__marker_sum *sum) {
    double part = (double)sum->total_ns / (double)p->span_ns * BAR_COLUMNS;
    unsigned steps = p->on->style.has_unicode ? 8 : 1;
    unsigned filled = part < BAR_COLUMNS ? (unsigned)(part * steps + 0.5) : steps * BAR_COLUMNS;
    unsigned columns = filled ? (filled + steps - 1) / steps : 1;
    uint64_t total = (uint64_t)((double)p->span_ns / BAR_COLUMNS * columns);
    if (!filled && !(sum->total_ns && p->on->style.has_unicode))
        return;
    ubi__out_string(p->out, "  ");
    ubi__write_ink(p->on, ubi__timeline_ink(sum->blueprint));
    ubi__display_bar(p->out, &p->on->style, sum->total_ns, total ? total : 1, columns);
    ubi__write_ink(p->on, UBI__INK_PLAIN);
}

static void sum_write(const page *p, const ubi__text_table *table, const ubi__marker_sum *sum) {
    char buffer[LABEL_BYTES], total[24], self[24], longest[24];
    const ubi__cell cells[COLUMNS] = {
        [NAME] = ubi__cell_text(sum_label(p, sum, buffer)),
        [TOTAL] = time_cell(total, sum->total_ns),
        [SHARE] = sum->total_ns ? ubi__cell_share(sum->total_ns, p->span_ns) : ubi__cell_words("-"),
        [SELF] = time_cell(self, sum->self_ns),
        [COUNT] = ubi__cell_count(sum->count),
        [LONGEST] = time_cell(longest, ubi__timeline_duration_ns(&p->data->rows.at[sum->longest])),
    };
    ubi__text_table_row(table, cells);
}

static void sums_write(const page *p) {
    ubi__text_table table;
    ubi__page_table(&table, p->on, NULL, sum_columns, COLUMNS);
    size_t bars = table.columns < table.used + 2 + BAR_COLUMNS + 16 ? 0 : 2 + BAR_COLUMNS; /* names before bars */
    size_t rest = table.columns > table.used + bars ? table.columns - table.used - bars : 0;
    size_t n = p->nest->sums.n < MOST_SUMS ? p->nest->sums.n : MOST_SUMS;
    rest = rest > LEAST_NAME_COLUMNS ? rest : LEAST_NAME_COLUMNS;
    table.at[NAME].width = rest < MOST_NAME_COLUMNS ? rest : MOST_NAME_COLUMNS;
    table.title_ink = UBI__INK_DIM;
    ubi__text_table_lay_out(&table);
    ubi__write_title(p->on, "Time by marker");
    ubi__text_table_head(&table);
    for (size_t i = 0; i < n; i++) {
        sum_write(p, &table, &p->nest->sums.at[i]);
        if (bars)
            bar_write(p, &p->nest->sums.at[i]);
        ubi__out_char(p->out, '\n');
    }
    ubi__write_more(p->on, p->nest->sums.n - n, "--json has all of them");
}

/* ---- the longest --------------------------------------------------------------------------------------------------------------- */

typedef struct longest {
    uint32_t rows[MOST_LONGEST];
    size_t n, most;
} longest;

/* By insertion: the list is short. The earlier of two comes first. */
static void longest_consider(longest *l, const ubi__timeline_data *data, uint32_t i) {
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

static void arrow_write(const page *p) {
    ubi__out_repeat(p->out, " ", 2 * TIME_COLUMNS + 4);
    ubi__out_string(p->out, p->on->style.has_unicode ? "← " : "< ");
}

/* How this frame led to the one before it, which it did not call. Columns. */
static size_t cause_write(const page *p, uint32_t frame) {
    ubi_text cause = ubi__timeline_text(p->data, p->data->frames.at[frame].async_cause);
    ubi__out_string(p->out, "(async");
    size_t used = 0;
    if (cause.len) {
        ubi__out_string(p->out, ": ");
        used = 2 + ubi__display_text(p->out, &p->on->style, cause, 40);
    }
    ubi__out_string(p->out, ") ");
    return used + 8;
}

/* Youngest first. */
static void stack_write(const page *p, uint32_t stack) {
    char words[WORDS_BYTES];
    uint64_t most = p->view->values->stack_depth ? p->view->values->stack_depth : USUAL_FRAMES, n = 0, n_more = 0;
    bool is_async = false;
    ubi__write_ink(p->on, UBI__INK_DIM);
    for (; stack != UBI_NONE; n++) {
        if (n < most) {
            size_t length = ubi__timeline_frame_words(words, sizeof words, p->data, stack);
            arrow_write(p);
            name_write(p, (ubi_text){ words, length }, 2 * TIME_COLUMNS + 6 + (is_async ? cause_write(p, stack) : 0));
            ubi__out_char(p->out, '\n');
        } else {
            n_more++;
        }
        stack = ubi__timeline_caller(p->data, stack, &is_async);
    }
    if (n_more) {
        arrow_write(p);
        ubi__out_printf(p->out, "%" PRIu64 " more frame%s\n", n_more, n_more == 1 ? "" : "s");
    }
    ubi__write_ink(p->on, UBI__INK_PLAIN);
}

/* "cause: x, phase: target"; without what the subject already says. */
static size_t fields_write(const page *p, const ubi__timeline_row *row, size_t used) {
    ubi__marker_field field;
    ubi_text subject = ubi__timeline_subject(p->data, row);
    size_t at = 0;
    while (ubi__marker_next_field(&field, p->data, row, &at)) {
        if (ubi__text_equal(field.value, subject) || used + 8 > p->on->style.columns)
            continue;
        ubi__out_string(p->out, "  ");
        used += 4 + ubi__display_text(p->out, &p->on->style, field.title, 30);
        ubi__out_string(p->out, ": ");
        used += ubi__display_text(p->out, &p->on->style, field.value, ubi__name_room(p->on, used));
    }
    return used;
}

enum { DURATION, AT, START, TIMES };

static const ubi__text_column time_columns[TIMES] = {
    [DURATION] = { NULL, .width = TIME_COLUMNS },
    [AT] = { NULL, .width = 2, .gap = 1, .is_left = true },
    [START] = { NULL, .width = TIME_COLUMNS - 1 },
};

/* @return columns */
static size_t times_write(const page *p, const ubi__timeline_row *row) {
    char duration[24], start[24];
    ubi__text_table table;
    const ubi__cell cells[TIMES] = {
        [DURATION] = time_cell(duration, ubi__timeline_duration_ns(row)),
        [AT] = ubi__cell_words("at"),
        [START] = ubi__cell_words(ubi__timeline_time_text(start, row->start_ns)),
    };
    ubi__page_table(&table, p->on, "", time_columns, TIMES);
    ubi__text_table_row(&table, cells);
    return table.used;
}

static void longest_write_line(const page *p, uint32_t i) {
    const ubi__timeline_row *row = &p->data->rows.at[i];
    const ubi__marker_sum *sum = &p->nest->sums.at[p->nest->sum_of[i]];
    char number[UBI__THREAD_NAME], exact[LABEL_BYTES];
    ubi_text subject = ubi__timeline_subject(p->data, row);
    size_t used = times_write(p, row);
    ubi__write_ink(p->on, ubi__timeline_ink(sum->blueprint));
    used +=
        ubi__display_text(p->out, &p->on->style, ubi__text(ubi__marker_label(exact, sizeof exact, p->data, row)), 40);
    ubi__write_ink(p->on, UBI__INK_PLAIN);
    if (subject.len) {
        ubi__out_char(p->out, ' ');
        used += 1 + ubi__display_text(p->out, &p->on->style, subject, 40);
    }
    ubi__write_ink(p->on, UBI__INK_DIM);
    if (p->nest->n_threads > 1) {
        ubi__out_string(p->out, "  on ");
        used +=
            5 + ubi__display_text(p->out, &p->on->style, ubi__timeline_thread_name(p->view, row->thread, number), 24);
    }
    fields_write(p, row, used);
    if (!(row->flags & UBI__TIMELINE_HAS_END))
        ubi__out_string(p->out, "  did not end");
    ubi__write_ink(p->on, UBI__INK_PLAIN);
    ubi__out_char(p->out, '\n');
}

static void same_stack_write(const page *p) {
    ubi__write_ink(p->on, UBI__INK_DIM);
    arrow_write(p);
    ubi__out_string(p->out, "as above\n");
    ubi__write_ink(p->on, UBI__INK_PLAIN);
}

static void longest_write(const page *p) {
    longest l = { .n = 0, .most = (size_t)(p->view->values->top < MOST_LONGEST ? p->view->values->top : MOST_LONGEST) };
    for (uint32_t i = 0; i < p->nest->n && l.most; i++)
        longest_consider(&l, p->data, i);
    if (l.n == 0)
        return;
    ubi__write_title(p->on, "The longest");
    for (size_t i = 0; i < l.n; i++) {
        uint32_t stack = p->data->rows.at[l.rows[i]].stack;
        longest_write_line(p, l.rows[i]);
        if (i && stack != UBI_NONE && stack == p->data->rows.at[l.rows[i - 1]].stack)
            same_stack_write(p);
        else
            stack_write(p, stack);
    }
}

/* ---- the page --------------------------------------------------------------------------------------------------------------- */

/* A closer look at the longest marker of a label that takes less than a fifth of what is shown, if any. */
static void closer_look_write(const page *p, const char *file) {
    char more[80], help[64];
    for (size_t i = 0; i < p->nest->sums.n; i++) {
        const ubi__timeline_row *row = &p->data->rows.at[p->nest->sums.at[i].longest];
        uint64_t from_ms = row->start_ns / 1000000, to_ms = row->end_ns / 1000000 + 1;
        if (ubi__timeline_duration_ns(row) == 0 || to_ms - from_ms > p->span_ns / 5000000)
            continue;
        snprintf(more, sizeof more, "--from %" PRIu64 " --to %" PRIu64, from_ms, to_ms);
        snprintf(help, sizeof help, "%" PRIu64 " ms around a long marker", to_ms - from_ms);
        ubi__write_command(p->on, "timeline", file, more, help);
        return;
    }
}

static void commands_write(const page *p) {
    const char *file = ubi__file_argument(p->view->name, "FILE");
    ubi__write_title(p->on, "Look closer");
    ubi__write_command(p->on, "timeline", file, "--format chrome -o trace.json", "for ui.perfetto.dev");
    ubi__write_command(p->on, "timeline", file, "--format firefox -o profile.json", "for profiler.firefox.com");
    closer_look_write(p, file);
    if (p->view->is_recording)
        ubi__write_command(p->on, "report", file, NULL, "what was allocated");
}

ubi_status ubi__timeline_page(const ubi__page *on, const ubi__timeline_view *view) {
    uint64_t span = view->end_ns - view->begin_ns;
    page p = { view, &view->data, &view->nest, on, on->out, span ? span : 1 };
    file_write(&p);
    program_write(&p);
    processes_write(&p);
    range_write(&p);
    markers_write(&p);
    if (p.nest->n) {
        busy_write(&p);
        garbage_write(&p);
    }
    memory_write(&p);
    if (p.nest->n == 0)
        return UBI_OK;
    ubi__out_char(p.out, '\n');
    UBI_TRY(ubi__timeline_write_tree(on, view));
    sums_write(&p);
    longest_write(&p);
    commands_write(&p);
    return UBI_OK;
}
