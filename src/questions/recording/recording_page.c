/* SPDX-License-Identifier: MIT
 *
 * recording_page.c: the report on a recording as text for a person.
 *
 * What ran; what it did not free, at most had and allocated; what stands out in that; a table of places; what to know about the
 * recording, and what to run next.
 */
#include "questions/recording/recording_page.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/human.h"
#include "base/text.h"
#include "questions/recording/recording_markers.h"
#include "questions/recording/recording_memory.h"
#include "questions/recording/recording_suppressed.h"
#include "recording/known_frames.h"
#include "render/function_name.h"

#define LABEL_COLUMNS 12
#define POSITION_BYTES 256
/* Of a place in a sentence. */
#define PLACE_NAME_COLUMNS 44

#define OVERVIEW_SITES 10
#define OVERVIEW_ROWS 3
#define LIST_SITES 10
#define LIST_FRAMES 8
#define CURVE_COLUMNS 60
#define CURVE_LEAST_COLUMNS 10
#define MAPPINGS_TITLE_LINES 2

#define EXACT_COLUMNS 11
#define ESTIMATE_COLUMNS 18

/* ---- words -------------------------------------------------------------------------------------------------------- */

void ubi__recording_short_name(char *out, size_t n, const ubi__style *style, const ubi__recording_place *place,
                               size_t columns) {
    char text[UBI__FUNCTION_BYTES];
    if (place->function.len == 0) {
        ubi__recording_place_name(out, n, place);
        return;
    }
    size_t used = ubi__short_function(text, style, place->function, columns);
    snprintf(out, n, "%.*s", (int)used, text);
}

char *ubi__recording_place_words(char out[UBI__PLACE_WORDS], const ubi__style *style,
                                 const ubi__recording_place *place) {
    char name[160], position[80];
    ubi__recording_short_name(name, sizeof name, style, place, PLACE_NAME_COLUMNS);
    ubi__recording_place_position(position, sizeof position, place);
    snprintf(out, UBI__PLACE_WORDS, "%s%s%s%s", name, *position ? " (" : "", position, *position ? ")" : "");
    return out;
}

size_t ubi__recording_bullet(const ubi__recording_view *v, const char *text, bool is_counted_only) {
    if (!is_counted_only)
        ubi__out_string(v->out, "  - ");
    size_t lines = ubi__wrap_words(is_counted_only ? NULL : v->out, v->style, ubi__text(text), 4, 4, v->words_columns);
    if (!is_counted_only)
        ubi__out_char(v->out, '\n');
    return lines;
}

static char *time_words(char out[UBI__HUMAN_TEXT], uint64_t ns) {
    return ubi__human_duration(out, ns / 1000);
}

/* ---- head --------------------------------------------------------------------------------------------------------- */

static const char *sampling_words(const ubi__recording_view *v, char out[96]) {
    char size[UBI__HUMAN_TEXT];
    const ubi__ubirec_tables *t = &v->report->summary->tables;
    if (ubi__recording_is_profile(v->report->summary))
        snprintf(out, 96, "  what was alive, sampled by V8");
    else if (v->report->is_exact)
        snprintf(out, 96, "  every allocation");
    else if (t->periods.n > 1)
        snprintf(out, 96, "  sampled, with %zu periods", t->periods.n);
    else
        snprintf(out, 96, "  one sample in %s", ubi__human_size(size, t->about.period_bytes));
    return out;
}

/* Arguments in one line, as far as they go; those with spaces in quotes. */
static void command_line_write(const ubi__recording_view *v, size_t columns) {
    char line[1024];
    size_t n = 0;
    ubi_text rest = v->report->summary->tables.about.arguments;
    while (rest.len && n + 4 < sizeof line) {
        const char *end = memchr(rest.ptr, 0, rest.len);
        size_t length = end ? (size_t)(end - rest.ptr) : rest.len;
        bool quoted = length == 0 || memchr(rest.ptr, ' ', length);
        size_t fits = length < sizeof line - n - 4 ? length : sizeof line - n - 4;
        if (n)
            line[n++] = ' ';
        if (quoted)
            line[n++] = '\'';
        memcpy(line + n, rest.ptr, fits);
        n += fits;
        if (quoted)
            line[n++] = '\'';
        rest.ptr += length + (end != NULL);
        rest.len -= length + (end != NULL);
    }
    ubi_text text = { line, n };
    ubi__display_text(v->out, v->style, n ? text : v->report->summary->tables.about.program, columns);
}

static void end_words(char *out, size_t n, const ubi__ubirec_tables *t) {
    const char *name = ubi__signal_name(t->end.value);
    if (!t->has_end)
        snprintf(out, n, "its end was not seen");
    else if (t->end.reason == UBI__UBIREC_EXITED)
        snprintf(out, n, "exit status %" PRIu32, t->end.value);
    else if (t->end.reason == UBI__UBIREC_KILLED)
        snprintf(out, n, name ? "ended by signal %" PRIu32 " (SIG%s)" : "ended by signal %" PRIu32, t->end.value, name);
    else if (t->end.reason == UBI__UBIREC_STOPPED)
        snprintf(out, n, "recording was stopped before it ended");
    else if (t->end.reason == UBI__UBIREC_ENDED)
        snprintf(out, n, "ended in an unknown way");
    else
        snprintf(out, n, "became another program");
}

/* @return lines */
static size_t window_write(const ubi__recording_view *v) {
    char words[UBI__WINDOW_WORDS];
    if (!ubi__recording_is_part(v->report->summary))
        return 0;
    ubi__write_label(v->on, UBI__INK_DIM, "Time", LABEL_COLUMNS);
    ubi__out_printf(v->out, "%s\n", ubi__recording_window_words(words, v->report));
    return 1;
}

/* @return lines */
static size_t head_write(const ubi__recording_view *v) {
    char text[96], line[384], time[UBI__HUMAN_TEXT];
    const ubi__recording_summary *s = v->report->summary;
    const ubi__ubirec_about *about = &s->tables.about;
    sampling_words(v, text);
    ubi__write_ink(v->on, UBI__INK_BOLD);
    ubi__display_text(v->out, v->style, ubi__text(v->report->path), v->columns - strlen(text));
    ubi__write_ink(v->on, UBI__INK_PLAIN);
    ubi__out_printf(v->out, "%s\n", text);
    if (ubi__recording_is_profile(s)) /* knows no more of it */
        return 1;
    ubi__write_label(v->on, UBI__INK_DIM, "Program", LABEL_COLUMNS);
    command_line_write(v, v->columns - LABEL_COLUMNS);
    ubi__out_char(v->out, '\n');
    ubi__write_label(v->on, UBI__INK_DIM, "Ran", LABEL_COLUMNS);
    size_t n = (size_t)snprintf(line, sizeof line, "%s", time_words(time, s->time_ns));
    if (about->start_unix_ns)
        n +=
            (size_t)snprintf(line + n, sizeof line - n, " from %s", ubi__human_time(time, about->start_unix_ns / 1000));
    if (v->report->processes->are_summed)
        n += (size_t)snprintf(line + n, sizeof line - n, ", %s processes; ",
                              ubi__human_count(time, v->report->processes->rows.n));
    else
        n += (size_t)snprintf(line + n, sizeof line - n, ", process %" PRIu64 "; ", about->pid);
    end_words(line + n, sizeof line - n, &s->tables);
    size_t lines = ubi__wrap_words(v->out, v->style, ubi__text(line), LABEL_COLUMNS, LABEL_COLUMNS, v->words_columns);
    ubi__out_char(v->out, '\n');
    return 2 + lines + window_write(v);
}

/* ---- totals ------------------------------------------------------------------------------------------------------- */

/* What is said after a number; more than that is cut. */
typedef struct words {
    char text[512];
    size_t n;
} words;

static __attribute__((format(printf, 2, 3))) void words_add(words *w, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(w->text + w->n, sizeof w->text - w->n, format, arguments);
    va_end(arguments);
    w->n = n < 0 ? w->n : w->n + (size_t)n < sizeof w->text ? w->n + (size_t)n : sizeof w->text - 1;
}

static size_t number_columns(const ubi__recording_view *v) {
    return v->report->is_exact ? EXACT_COLUMNS : ESTIMATE_COLUMNS;
}

/* After a number, in lines of the page. @return lines, with the number's */
static size_t words_write(const ubi__recording_view *v, const words *w) {
    ubi__out_char(v->out, ' ');
    return ubi__wrap_words(v->out, v->style, ubi__text(w->text), LABEL_COLUMNS + number_columns(v) + 1, LABEL_COLUMNS,
                           v->columns);
}

/* "in 120 allocations", or "in about 29 (8-121,000) allocations". */
static void count_add(words *w, const ubi__recording_view *v, ubi__ubirec_class of_class, const ubi__estimate *e,
                      ubi__range range) {
    char limits[UBI__ESTIMATE_TEXT], guess[UBI__HUMAN_TEXT];
    ubi__range_count(limits, v->style, range);
    if (range.low < range.high)
        words_add(w, "in about %s (%s)", ubi__human_count(guess, ubi__whole(e->count)), limits);
    else
        words_add(w, "in %s", limits);
    words_add(w, " %s%s", ubi__recording_things(of_class), range.high == 1 ? "" : "s");
}

/* A label, and a number against the right edge of its column. */
static void number_write(const ubi__recording_view *v, const char *name, const char *number) {
    const ubi__text_column columns[] = { { NULL, .width = LABEL_COLUMNS, .is_left = true },
                                         { NULL, .width = number_columns(v) } };
    const ubi__cell cells[] = { { .kind = UBI__CELL_TEXT, .ink = UBI__INK_DIM, .text = ubi__text(name) },
                                ubi__cell_words(number) };
    ubi__text_table table;
    ubi__page_table(&table, v->on, NULL, columns, 2);
    ubi__text_table_row(&table, cells);
}

/* Whether all that was allocated has the size 0: the most of that is no moment. */
static bool is_without_sizes(const ubi__recording_view *v) {
    const ubi__estimate *all = &v->all[UBI__MEASURE_TOTAL].estimate;
    return v->report->is_exact && all->samples && !(all->bytes > 0) && !(v->all[UBI__MEASURE_PEAK].bytes.high > 0);
}

/* @return lines */
static size_t total_write(const ubi__recording_view *v, const char *name, ubi__measure measure) {
    char bytes[UBI__ESTIMATE_TEXT], share[UBI__HUMAN_TEXT];
    const ubi__recording_sum *sum = &v->all[measure];
    words w = { .n = 0 };
    if (sum->estimate.samples == 0 && ubi__recording_is_sampled(v->report->summary, v->of_class)) {
        ubi__write_label(v->on, UBI__INK_DIM, name, LABEL_COLUMNS);
        ubi__out_printf(v->out, "less than %s, nothing sampled", ubi__human_size(share, ubi__whole(sum->bytes.high)));
        return 1;
    }
    number_write(v, name, ubi__range_bytes(bytes, v->style, sum->bytes));
    if (ubi__recording_is_profile(v->report->summary)) {
        words_add(&w, "in %s", ubi__human_things(share, sum->estimate.samples, "sample"));
        return words_write(v, &w);
    }
    if (measure == UBI__MEASURE_PEAK && is_without_sizes(v)) {
        words_add(&w, "alive at any time: no allocation asked for more");
        return words_write(v, &w);
    }
    count_add(&w, v, v->of_class, &sum->estimate, sum->count);
    if (measure == UBI__MEASURE_PEAK)
        words_add(&w, ", at %s", time_words(share, ubi__recording_peak_ns(v->report->summary, v->of_class)));
    if (!v->report->is_exact)
        words_add(&w, " (%s)", ubi__human_things(share, sum->estimate.samples, "sample"));
    return words_write(v, &w);
}

static char *class_bytes(char out[UBI__ESTIMATE_TEXT], const ubi__recording_view *v, ubi__ubirec_class of_class,
                         ubi__measure measure) {
    const ubi__recording_summary *s = v->report->summary;
    ubi__estimate e = ubi__class_estimate(s, of_class, measure);
    return ubi__range_bytes(out, v->style, ubi__measure_bytes_range(s, of_class, measure, &e));
}

/* One of the other classes. @return lines */
static size_t class_write(const ubi__recording_view *v, ubi__ubirec_class of_class, const char *name) {
    char text[UBI__ESTIMATE_TEXT];
    const ubi__recording_summary *s = v->report->summary;
    if (!ubi__class_has_any(s, of_class) || of_class == v->of_class)
        return 0;
    ubi__estimate total = ubi__class_estimate(s, of_class, UBI__MEASURE_TOTAL);
    words w = { .n = 0 };
    number_write(v, name, class_bytes(text, v, of_class, UBI__MEASURE_TOTAL));
    count_add(&w, v, of_class, &total, ubi__recording_count_range(s, of_class, &total));
    if (ubi__recording_has_frees(s)) {
        words_add(&w, "; at the peak %s", class_bytes(text, v, of_class, UBI__MEASURE_PEAK));
        words_add(&w, ", not freed %s", class_bytes(text, v, of_class, UBI__MEASURE_LEAKED));
    }
    size_t lines = words_write(v, &w);
    ubi__out_char(v->out, '\n');
    return lines;
}

/* @return lines */
static size_t totals_write(const ubi__recording_view *v) {
    const struct {
        ubi__measure measure;
        const char *name;
    } rows[] = { { UBI__MEASURE_LIVE, ubi__recording_is_moment(v->report) ? "Alive then" : "At the end" },
                 { UBI__MEASURE_LEAKED, "Not freed" },
                 { UBI__MEASURE_PEAK, "Peak" },
                 { UBI__MEASURE_TOTAL, "Allocated" } };
    char time[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT];
    const ubi__recording_summary *s = v->report->summary;
    size_t lines = 1;
    ubi__out_char(v->out, '\n');
    if (v->of_class == UBI__UBIREC_MAPPING) { /* or they could be taken for the heap */
        ubi__write_inked(v->on, UBI__INK_BOLD, "Mappings of memory; of the heap, nothing was recorded");
        ubi__out_char(v->out, '\n');
        lines++;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!ubi__recording_has_measure(s, v->of_class, rows[i].measure) ||
            (rows[i].measure == UBI__MEASURE_LEAKED && ubi__recording_is_moment(v->report)))
            continue;
        lines += total_write(v, ubi__recording_is_profile(s) ? "Alive" : rows[i].name, rows[i].measure);
        ubi__out_char(v->out, '\n');
        if (rows[i].measure == UBI__MEASURE_LEAKED)
            lines += ubi__recording_suppressed_write(v->on, v->report, v->of_class, LABEL_COLUMNS);
    }
    lines += class_write(v, UBI__UBIREC_MAPPING, "Mappings");
    lines += class_write(v, UBI__UBIREC_OBJECT, "Objects");
    if (s->rss_peak_bytes) {
        words w = { .n = 0 };
        words_add(&w, "at most, at %s", time_words(time, s->rss_peak_time_ns));
        number_write(v, "Resident", ubi__human_size(size, s->rss_peak_bytes));
        lines += words_write(v, &w);
        ubi__out_char(v->out, '\n');
    }
    return lines;
}

/* The maximum alive in the i-th of `n` parts of the time. */
static uint64_t most_of_part(const ubi__recording_summary *s, size_t i, size_t n) {
    size_t first = i * s->n_curve / n, last = (i + 1) * s->n_curve / n;
    uint64_t most = s->curve[first].live_bytes;
    for (size_t k = first; k < last; k++)
        most = s->curve[k].live_bytes > most ? s->curve[k].live_bytes : most;
    return most;
}

/* Eight heights; only where the terminal has them. @return lines */
static size_t curve_write(const ubi__recording_view *v) {
    static const char *const heights[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
    const ubi__recording_summary *s = v->report->summary;
    uint64_t most = s->classes[UBI__UBIREC_HEAP].peak_bytes;
    char time[UBI__HUMAN_TEXT];
    if (!v->style->has_unicode || most == 0 || s->n_curve < 2 || !ubi__recording_has_frees(s))
        return 0;
    time_words(time, ubi__recording_end_ns(s));
    size_t beside = LABEL_COLUMNS + 2 + strlen(time), room = v->columns > beside ? v->columns - beside : 0;
    size_t n = room < CURVE_COLUMNS ? room : CURVE_COLUMNS;
    if (n < CURVE_LEAST_COLUMNS)
        return 0;
    ubi__write_label(v->on, UBI__INK_DIM, "Alive", LABEL_COLUMNS);
    ubi__out_char(v->out, ' ');
    ubi__write_ink(v->on, UBI__INK_BLUE);
    for (size_t i = 0; i < n; i++) {
        double part = (double)most_of_part(s, i, n) / (double)most;
        ubi__out_string(v->out, heights[part > 0 ? 1 + (size_t)(part * 7 + 0.5) : 0]);
    }
    ubi__write_ink(v->on, UBI__INK_PLAIN);
    ubi__out_printf(v->out, " %s\n", time);
    return 1;
}

/* ---- the page ----------------------------------------------------------------------------------------------------- */

static ubi__ubirec_class class_of_places(const ubi__recording_summary *s) {
    static const ubi__ubirec_class order[] = { UBI__UBIREC_HEAP, UBI__UBIREC_OBJECT, UBI__UBIREC_MAPPING };
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (ubi__class_has_any(s, order[i]))
            return order[i];
    return UBI__UBIREC_HEAP;
}

/* What is not freed matters most, unless it is little compared with the peak. */
#define LEAST_LEAKED_SHARE 0.05

static ubi__site_order best_order(const ubi__recording_view *v) {
    const ubi__recording_report *report = v->report;
    bool is_heap = v->of_class == UBI__UBIREC_HEAP;
    double peak = v->all[UBI__MEASURE_PEAK].estimate.bytes;
    double leaked = is_heap ? report->leaks.estimate.bytes : v->all[UBI__MEASURE_LEAKED].estimate.bytes;
    if (report->wishes->by)
        return ubi__recording_order(report->wishes->by);
    if (!ubi__recording_has_frees(report->summary))
        return UBI__BY_TOTAL;
    if (ubi__recording_is_moment(report))
        return UBI__BY_LIVE;
    if (leaked > 0 && leaked >= LEAST_LEAKED_SHARE * peak)
        return UBI__BY_LEAKED;
    return v->all[UBI__MEASURE_PEAK].estimate.samples ? UBI__BY_PEAK : UBI__BY_TOTAL;
}

static void sum_up(ubi__recording_view *v) {
    const ubi__recording_summary *s = v->report->summary;
    for (ubi__measure m = 0; m < UBI__MEASURE_COUNT; m++) {
        ubi__estimate e = ubi__class_estimate(s, v->of_class, m);
        v->all[m] = (ubi__recording_sum){ e, ubi__measure_bytes_range(s, v->of_class, m, &e),
                                          ubi__recording_count_range(s, v->of_class, &e) };
    }
}

ubi_status ubi__recording_stack_measure(ubi__stack_measure *out, const ubi__recording_view *view) {
    ubi__measure measure = ubi__order_measure(view->order);
    *out = (ubi__stack_measure){ measure, view->order == UBI__BY_COUNT || view->order == UBI__BY_TEMPORARY };
    if (ubi__recording_has_measure(view->report->summary, view->of_class, measure))
        return UBI_OK;
    return ubi__fail(UBI_EINVAL, "--by %s: of a sampled recording, that is unknown",
                     ubi__recording_orders[view->order]);
}

ubi_status ubi__recording_view_init(ubi__recording_view *v, ubi__recording_report *report, const ubi__asked *asked) {
    const ubi__recording_wishes *wishes = report->wishes;
    *v = (ubi__recording_view){ .report = report };
    v->of_class = class_of_places(report->summary);
    v->is_list = wishes->by || wishes->with_detail || wishes->stack_depth;
    v->n_sites = wishes->top ? wishes->top : v->is_list ? LIST_SITES : OVERVIEW_SITES;
    v->n_frames = wishes->stack_depth ? wishes->stack_depth : wishes->with_detail ? UINT64_MAX : LIST_FRAMES;
    sum_up(v);
    v->order = best_order(v);
    return ubi__recording_report_sort(report, asked, v->order);
}

ubi__recording_view ubi__recording_view_on(const ubi__recording_view *view, const ubi__page *page) {
    ubi__recording_view v = *view;
    v.on = page;
    v.out = page->out;
    v.style = &page->style;
    v.columns = page->style.columns;
    v.words_columns = v.columns < UBI__RECORDING_WORDS_COLUMNS ? v.columns : UBI__RECORDING_WORDS_COLUMNS;
    v.lines = page->lines ? page->lines - 1 : UBI__RECORDING_PAGE_LINES; /* the last one is the shell's */
    if (page->lines && !v.is_list && !v.report->wishes->top)
        v.n_sites = v.lines;
    return v;
}

static bool is_empty(const ubi__recording_view *v) {
    for (int c = 0; c < UBI__UBIREC_CLASS_COUNT; c++)
        if (ubi__class_has_any(v->report->summary, (ubi__ubirec_class)c))
            return false;
    return true;
}

static void write_nothing(const ubi__recording_view *v) {
    char text[160], size[UBI__HUMAN_TEXT];
    snprintf(text, sizeof text,
             "Nothing was sampled: less than %s was allocated. 'record --exact' records every allocation.",
             ubi__human_size(size, ubi__whole(v->report->heap_bytes[UBI__MEASURE_TOTAL].high)));
    bool is_known = v->report->summary->tables.counters[UBI__UBIREC_NOT_RECORDED] == 0;
    ubi__out_char(v->out, '\n');
    ubi__write_words(v->on, UBI__INK_PLAIN,
                     ubi__recording_is_profile(v->report->summary)
                         ? "Nothing was recorded: a profile samples coarsely, and has only what is still there. One of "
                           "a longer time has more, as with --seconds 60."
                     : !is_known           ? "Nothing was recorded."
                     : v->report->is_exact ? "Nothing was allocated."
                                           : text);
}

/* @return lines */
static size_t write_findings(const ubi__recording_view *v) {
    ubi__recording_findings findings;
    size_t lines = 2;
    if (v->report->wishes->by) /* the reader has seen them */
        return 0;
    ubi__recording_find(&findings, v);
    if (findings.n == 0)
        return 0;
    ubi__write_title(v->on, "Findings");
    for (size_t i = 0; i < findings.n; i++)
        lines += ubi__recording_bullet(v, findings.at[i].text, false);
    return lines;
}

/* Rows of processes or markers: saying that one is left out would take a line as well. */
static uint64_t rows_of(const ubi__recording_view *v, size_t n) {
    uint64_t most = v->is_list ? LIST_SITES : OVERVIEW_ROWS;
    return n == most + 1 ? n : most;
}

/* An empty line, the title, the rows, and how many more there are. */
static size_t list_lines(size_t n, size_t most) {
    return n == 0 ? 0 : 2 + (n < most ? n : most) + (n > most);
}

static size_t notes_lines(const ubi__recording_view *v, const ubi__recording_notes *notes, size_t used) {
    size_t least = used + ubi__recording_table_least(v), lines = v->lines;
    lines = v->is_list ? SIZE_MAX : least < lines ? lines - least : 0;
    return ubi__recording_write_notes(v, notes, lines, true);
}

/* In addition to those of the heap. @return whether there are any */
static bool view_mappings(ubi__recording_view *out, const ubi__recording_view *v) {
    *out = *v;
    out->of_class = UBI__UBIREC_MAPPING;
    out->n_sites = v->is_list || v->report->wishes->top ? v->n_sites : OVERVIEW_ROWS;
    sum_up(out);
    return v->of_class != UBI__UBIREC_MAPPING && ubi__recording_table_least(out) > ubi__recording_table_head();
}

static ubi_status write_page(const ubi__recording_view *v, ubi__recording_notes *notes) {
    const ubi__recording_report *report = v->report;
    size_t n_processes = report->processes->are_summed ? report->processes->rows.n : 0;
    size_t n_markers = report->summary->markers.groups.n;
    bool has_markers = !report->wishes->site; /* which are of all places */
    ubi__recording_view mappings;
    bool has_mappings = view_mappings(&mappings, v);
    size_t used = head_write(v);
    ubi__recording_gather_notes(notes, v);
    if (is_empty(v)) {
        write_nothing(v);
        ubi__recording_write_notes(v, notes, SIZE_MAX, false);
        ubi__recording_next_of_markers(v);
        return UBI_OK;
    }
    used += totals_write(v);
    used += curve_write(v);
    used += write_findings(v);
    used += ubi__recording_next_lines(v);
    used += list_lines(n_processes, rows_of(v, n_processes));
    used += has_markers ? list_lines(n_markers, rows_of(v, n_markers)) + (n_markers > 0) : 0; /* and without marker */
    UBI_TRY(ubi__recording_processes_page(v->on, report,
                                          report->wishes->with_detail ? UINT64_MAX : rows_of(v, n_processes)));
    size_t lines = notes_lines(v, notes, used);
    bool is_next_short = !v->is_list && used + lines + ubi__recording_table_least(v) > v->lines;
    used -= is_next_short ? UBI__RECORDING_NEXT_MORE_LINES : 0;
    size_t mapping_lines = has_mappings ? MAPPINGS_TITLE_LINES + ubi__recording_table_least(&mappings) : 0;
    if (!v->is_list && !report->wishes->top && used + lines + ubi__recording_table_least(v) + mapping_lines > v->lines)
        has_mappings = false; /* the finding names their first place */
    used += has_mappings ? mapping_lines : 0;
    ubi__recording_table(v, v->lines > used + lines ? v->lines - used - lines : 0);
    if (has_mappings) {
        ubi__write_title(v->on, "Mappings (parts of the heap may be inside them)");
        ubi__recording_table(&mappings, 0);
    }
    if (has_markers)
        UBI_TRY(ubi__recording_markers_page(v->on, report,
                                            report->wishes->top ? report->wishes->top : rows_of(v, n_markers)));
    if (report->wishes->with_detail)
        UBI_TRY(ubi__recording_memory_page(v));
    ubi__recording_write_notes(v, notes, lines, false);
    ubi__recording_next(v, is_next_short);
    return UBI_OK;
}

ubi_status ubi__recording_page(const ubi__recording_view *view, const ubi__page *page) {
    const ubi_allocator *a = view->report->allocator;
    const ubi__recording_view v = ubi__recording_view_on(view, page);
    ubi__recording_notes *notes = UBI_NEW(a, ubi__recording_notes);
    if (!notes)
        return ubi__fail_nomem();
    ubi_status status = write_page(&v, notes);
    UBI_DELETE(a, notes);
    return status;
}
