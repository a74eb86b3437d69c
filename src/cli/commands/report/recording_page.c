/* SPDX-License-Identifier: MIT
 *
 * recording_page.c: the report on a recording as text for a person.
 *
 * What ran; what it allocated, at most had and left behind; the curve; then lists of places, each with the heaviest of its
 * stacks, innermost first; at last what to know about the recording and what to run next.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "base/text.h"
#include "cli/commands/report/recording_markers.h"
#include "cli/commands/report/recording_report.h"
#include "cli/page.h"

#define WIDEST_PAGE 100
#define LABEL_COLUMNS 12
#define NAME_BYTES 4096
#define PLACE_BYTES 256

#define OVERVIEW_SITES 3
#define OVERVIEW_FRAMES 4
#define LIST_SITES 10
#define LIST_FRAMES 8
#define CURVE_COLUMNS 60

#define EXACT_COLUMNS 11
#define ESTIMATE_COLUMNS 17
#define SHARE_COLUMNS 8
#define LEAST_NAME_COLUMNS 24
/* With so many periods' bytes allocated, 95 in 100 recordings have a sample. */
#define UNSEEN_PERIODS 3
/* Errors are themselves estimated from the samples, and with fewer of them not well. */
#define FEW_SAMPLES 30
#define MOST_POSITION_COLUMNS 40
/* ", +0x" and an address, in most programs. */
#define ANOTHER_COLUMNS 13
/* Of a chain of wrappers, so many are shown. */
#define WRAPPERS 8
/* Of all of them, so many are named. */
#define WRAPPERS_SAID 4

typedef struct page {
    const ubi__cli *cli;
    ubi__out *out;
    const ubi__style *style;
    ubi__recording_report *report;
    size_t columns;
    size_t number_columns; /* of bytes, and of counts */
    uint64_t n_sites, n_frames;
} page;

/* ---- words -------------------------------------------------------------------------------------------------------- */

static void label(const page *p, const char *text) {
    ubi__write_ink(p->cli, UBI__INK_DIM);
    ubi__out_string(p->out, text);
    ubi__write_ink(p->cli, UBI__INK_PLAIN);
    ubi__display_pad(p->out, strlen(text), LABEL_COLUMNS);
}

/* Text against the right edge; the sign of an estimate is two bytes and one column. */
static void right(const page *p, const char *text, size_t columns) {
    size_t used = ubi__display_columns(ubi__text(text), p->style);
    ubi__display_pad(p->out, used, columns > used ? columns : used + 1);
    ubi__out_string(p->out, text);
}

static char *time_words(char out[UBI__HUMAN_TEXT], uint64_t ns) {
    return ubi__human_duration(out, ns / 1000);
}

/* ---- head --------------------------------------------------------------------------------------------------------- */

static const char *how(const page *p, char out[96]) {
    char size[UBI__HUMAN_TEXT];
    const ubi__ubirec_tables *t = &p->report->summary.tables;
    if (p->report->is_exact)
        snprintf(out, 96, "  every allocation");
    else if (t->periods.n > 1)
        snprintf(out, 96, "  sampled, with %zu periods", t->periods.n);
    else
        snprintf(out, 96, "  one sample in %s", ubi__human_size(size, t->about.period_bytes));
    return out;
}

/* Arguments in one line, as far as they go; those with spaces in quotes. */
static void write_command_line(const page *p, size_t columns) {
    char line[1024];
    size_t n = 0;
    ubi_text rest = p->report->summary.tables.about.arguments;
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
    ubi__display_text(p->out, p->style, n ? text : p->report->summary.tables.about.program, columns);
}

static void write_signal(const page *p, uint32_t number) {
    const char *name = number < NSIG ? sigabbrev_np((int)number) : NULL;
    ubi__out_printf(p->out, "by signal %" PRIu32, number);
    if (name)
        ubi__out_printf(p->out, " (SIG%s)", name);
    ubi__out_char(p->out, '\n');
}

static void write_end(const page *p) {
    const ubi__ubirec_tables *t = &p->report->summary.tables;
    label(p, "Ended");
    if (!t->has_end)
        ubi__out_string(p->out, "not while it was recorded\n");
    else if (t->end.reason == UBI__UBIREC_EXITED)
        ubi__out_printf(p->out, "with status %" PRIu32 "\n", t->end.value);
    else if (t->end.reason == UBI__UBIREC_KILLED)
        write_signal(p, t->end.value);
    else if (t->end.reason == UBI__UBIREC_STOPPED)
        ubi__out_string(p->out, "not by then: recording was stopped\n");
    else if (t->end.reason == UBI__UBIREC_ENDED)
        ubi__out_string(p->out, "how is not known\n");
    else
        ubi__out_string(p->out, "by becoming another program\n");
}

static void write_head(const page *p) {
    char text[96], time[UBI__HUMAN_TEXT];
    const ubi__recording_summary *s = &p->report->summary;
    const ubi__ubirec_about *about = &s->tables.about;
    how(p, text);
    ubi__write_ink(p->cli, UBI__INK_BOLD);
    ubi__display_text(p->out, p->style, ubi__text(p->report->path), p->columns - strlen(text));
    ubi__write_ink(p->cli, UBI__INK_PLAIN);
    ubi__out_printf(p->out, "%s\n", text);
    label(p, "Program");
    write_command_line(p, p->columns - LABEL_COLUMNS);
    ubi__out_char(p->out, '\n');
    label(p, "Ran");
    ubi__out_printf(p->out, "%s", time_words(time, s->time_ns));
    if (about->start_unix_ns)
        ubi__out_printf(p->out, " from %s", ubi__human_time(time, about->start_unix_ns / 1000));
    ubi__out_printf(p->out, ", process %" PRIu64 "\n", about->pid);
    write_end(p);
}

/* ---- totals ------------------------------------------------------------------------------------------------------- */

static void write_total(const page *p, const char *name, const ubi__estimate *e, const ubi__estimate *all,
                        bool is_sampled) {
    char bytes[UBI__ESTIMATE_TEXT], count[UBI__ESTIMATE_TEXT], share[UBI__HUMAN_TEXT];
    label(p, name);
    if (e->samples == 0 && is_sampled) {
        uint64_t period = p->report->summary.tables.about.period_bytes;
        ubi__out_printf(p->out, "nothing sampled: probably below %s", ubi__human_size(share, UNSEEN_PERIODS * period));
        return;
    }
    right(p, ubi__estimate_bytes(bytes, p->cli, e->bytes, e->bytes_variance), p->number_columns);
    ubi__out_string(p->out, " in ");
    ubi__out_string(p->out, ubi__estimate_count(count, p->cli, e->count, e->count_variance));
    ubi__out_printf(p->out, " allocation%s", ubi__whole(e->count) == 1 ? "" : "s");
    if (all)
        ubi__out_printf(p->out, ", %s of all", ubi__human_percent(share, ubi__whole(e->count), ubi__whole(all->count)));
    if (is_sampled)
        ubi__out_printf(p->out, " (%s)", ubi__human_things(share, e->samples, "sample"));
}

static void write_class(const page *p, ubi__ubirec_class of_class, const char *name) {
    char a[UBI__ESTIMATE_TEXT], b[UBI__ESTIMATE_TEXT];
    const ubi__recording_summary *s = &p->report->summary;
    if (s->classes[of_class].count == 0)
        return;
    ubi__estimate total = ubi__class_estimate(s, of_class, UBI__MEASURE_TOTAL);
    ubi__estimate peak = ubi__class_estimate(s, of_class, UBI__MEASURE_PEAK);
    ubi__estimate left = ubi__class_estimate(s, of_class, UBI__MEASURE_LEAKED);
    write_total(p, name, &total, NULL, ubi__recording_is_sampled(s, of_class));
    ubi__out_printf(p->out, "; at the peak %s, not freed %s\n",
                    ubi__estimate_bytes(a, p->cli, peak.bytes, peak.bytes_variance),
                    ubi__estimate_bytes(b, p->cli, left.bytes, left.bytes_variance));
}

static void write_totals(const page *p) {
    char time[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT];
    const ubi__recording_summary *s = &p->report->summary;
    const ubi__estimate *heap = p->report->heap;
    ubi__out_char(p->out, '\n');
    bool is_sampled = !p->report->is_exact;
    write_total(p, "Allocated", &heap[UBI__MEASURE_TOTAL], NULL, is_sampled);
    ubi__out_char(p->out, '\n');
    write_total(p, "Peak", &heap[UBI__MEASURE_PEAK], NULL, is_sampled);
    if (heap[UBI__MEASURE_PEAK].samples)
        ubi__out_printf(p->out, ", at %s", time_words(time, s->classes[UBI__UBIREC_HEAP].peak_time_ns));
    ubi__out_char(p->out, '\n');
    write_total(p, "Not freed", &heap[UBI__MEASURE_LEAKED], NULL, is_sampled);
    ubi__out_char(p->out, '\n');
    if (p->report->is_exact && heap[UBI__MEASURE_TOTAL].samples) {
        write_total(p, "Temporary", &heap[UBI__MEASURE_TEMPORARY], &heap[UBI__MEASURE_TOTAL], false);
        ubi__out_char(p->out, '\n');
    }
    write_class(p, UBI__UBIREC_MAPPING, "Mappings");
    write_class(p, UBI__UBIREC_OBJECT, "Objects");
    if (s->rss_peak_bytes) {
        label(p, "Resident");
        right(p, ubi__human_size(size, s->rss_peak_bytes), p->number_columns);
        ubi__out_printf(p->out, " at most, at %s\n", time_words(time, s->rss_peak_time_ns));
    }
}

/* The most that lived in the i-th of `n` parts of the time. */
static uint64_t most_of_part(const ubi__recording_summary *s, size_t i, size_t n) {
    size_t first = i * s->n_curve / n, last = (i + 1) * s->n_curve / n;
    uint64_t most = s->curve[first].live_bytes;
    for (size_t k = first; k < last; k++)
        most = s->curve[k].live_bytes > most ? s->curve[k].live_bytes : most;
    return most;
}

/* Eight heights; only where the terminal has them. */
static void write_curve(const page *p) {
    static const char *const heights[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
    const ubi__recording_summary *s = &p->report->summary;
    uint64_t most = s->classes[UBI__UBIREC_HEAP].peak_bytes;
    char time[UBI__HUMAN_TEXT];
    if (!p->style->unicode || most == 0 || s->n_curve < 2)
        return;
    label(p, "Alive");
    ubi__out_char(p->out, ' ');
    ubi__write_ink(p->cli, UBI__INK_BLUE);
    for (size_t i = 0; i < CURVE_COLUMNS; i++) {
        double part = (double)most_of_part(s, i, CURVE_COLUMNS) / (double)most;
        ubi__out_string(p->out, heights[part > 0 ? 1 + (size_t)(part * 7 + 0.5) : 0]);
    }
    ubi__write_ink(p->cli, UBI__INK_PLAIN);
    ubi__out_printf(p->out, " %s\n", time_words(time, s->time_ns));
}

/* ---- lists -------------------------------------------------------------------------------------------------------- */

static bool by_count(ubi__site_order order) {
    return order == UBI__BY_COUNT || order == UBI__BY_TEMPORARY;
}

/* Bytes, share, count; or count, share, bytes. Returns the columns that are used. */
static size_t write_numbers(const page *p, const ubi__site *site, ubi__site_order order) {
    char bytes[UBI__ESTIMATE_TEXT], count[UBI__ESTIMATE_TEXT];
    ubi__measure measure = ubi__order_measure(order);
    const ubi__estimate *e = &site->by[measure], *all = &p->report->heap[measure];
    ubi__estimate_bytes(bytes, p->cli, e->bytes, e->bytes_variance);
    ubi__estimate_count(count, p->cli, e->count, e->count_variance);
    right(p, by_count(order) ? count : bytes, p->number_columns);
    if (by_count(order))
        ubi__write_share(p->cli, ubi__whole(e->count), ubi__whole(all->count), SHARE_COLUMNS);
    else
        ubi__write_share(p->cli, ubi__whole(e->bytes), ubi__whole(all->bytes), SHARE_COLUMNS);
    right(p, by_count(order) ? bytes : count, p->number_columns);
    ubi__out_string(p->out, "  ");
    return 2 * p->number_columns + SHARE_COLUMNS + 2;
}

/* The name, and behind it the position, dim; the name gives way. */
static void write_place(const page *p, const ubi__recording_place *place, const char *mark, size_t room) {
    static const char inlined[] = " (inlined)";
    char name[NAME_BYTES], position[PLACE_BYTES];
    ubi__recording_place_name(name, sizeof name, place);
    ubi__recording_place_position(position, sizeof position, place);
    size_t position_columns = ubi__display_columns(ubi__text(position), p->style);
    position_columns = position_columns < MOST_POSITION_COLUMNS ? position_columns : MOST_POSITION_COLUMNS;
    size_t tail = (position_columns ? position_columns + 2 : 0) + (place->is_inlined ? sizeof inlined - 1 : 0);
    ubi__out_string(p->out, mark);
    ubi__display_text(p->out, p->style, ubi__text(name), room > tail + 16 ? room - tail : 16);
    ubi__write_ink(p->cli, UBI__INK_DIM);
    if (place->is_inlined)
        ubi__out_string(p->out, inlined);
    if (position_columns)
        ubi__out_string(p->out, "  ");
    ubi__display_text(p->out, p->style, ubi__text(position), position_columns);
    ubi__write_ink(p->cli, UBI__INK_PLAIN);
    ubi__out_char(p->out, '\n');
}

/* Wrappers that are known by what they do, between the place and the allocator, which everybody knows: so far nobody can guess
   why the place is one. The last ones that the stack goes through, from the inside out, are rows[n % WRAPPERS]. */
typedef struct wrappers {
    ubi__recording_place rows[WRAPPERS];
    bool is_known[WRAPPERS];
    size_t n;
    bool has_unknown;
} wrappers;

static void gather_wrappers(wrappers *out, const page *p, const ubi__site *site) {
    const ubi__recording_report *report = p->report;
    const ubi__ubirec_tables *t = &report->summary.tables;
    ubi__recording_walk walk;
    ubi__recording_walk_wrappers(&walk, report, site);
    for (out->n = 0, out->has_unknown = false;; out->n++) {
        uint32_t frame = t->traces.at[walk.trace].frame;
        size_t at = out->n % WRAPPERS;
        if (!ubi__recording_walk_next(&walk, &out->rows[at]))
            return;
        out->is_known[at] = report->sites.roles[frame] == UBI__FRAME_ALLOCATOR;
        out->has_unknown |= report->sites.roles[frame] == UBI__FRAME_WRAPPER;
    }
}

static void write_wrappers(const page *p, const ubi__site *site, size_t indent, size_t room) {
    char text[NAME_BYTES], name[NAME_BYTES];
    wrappers found;
    ubi_text last = { NULL, 0 };
    size_t used = 0;
    gather_wrappers(&found, p, site);
    if (!found.has_unknown)
        return;
    for (size_t i = found.n; i > 0 && found.n - i < WRAPPERS && used < sizeof text; i--) {
        const ubi__recording_place *place = &found.rows[(i - 1) % WRAPPERS];
        bool is_same = last.len && ubi__text_equal(last, place->function); /* one part of a function calls another */
        last = place->function;
        if (is_same)
            continue;
        ubi__recording_place_name(name, sizeof name, place);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s", used ? " " : "",
                                 p->style->unicode ? "→ " : "> ", name);
        if (found.is_known[(i - 1) % WRAPPERS])
            break;
    }
    ubi__out_repeat(p->out, " ", indent);
    ubi__write_ink(p->cli, UBI__INK_DIM);
    ubi__display_text(p->out, p->style, ubi__text(text), room);
    ubi__write_ink(p->cli, UBI__INK_PLAIN);
    ubi__out_char(p->out, '\n');
}

static bool is_nameless(const ubi__recording_place *place) {
    return place->function.len == 0 && place->module.len > 0;
}

/* The next place, if it is nameless as this one and in the same module. */
static bool next_nameless(ubi__recording_walk *walk, ubi__recording_place *place) {
    ubi__recording_walk ahead = *walk;
    ubi__recording_place next;
    if (!ubi__recording_walk_next(&ahead, &next) || !is_nameless(&next) || !ubi__text_equal(next.module, place->module))
        return false;
    *place = next;
    *walk = ahead;
    return true;
}

/* A caller; and with a nameless one those that follow it, as far as the line goes, for one alone says little. */
static void write_caller(const page *p, ubi__recording_walk *walk, ubi__recording_place *place, const char *arrow,
                         size_t room) {
    char name[NAME_BYTES];
    if (!is_nameless(place)) {
        write_place(p, place, arrow, room);
        return;
    }
    ubi__recording_place_name(name, sizeof name, place);
    size_t used = strlen(name);
    while (used + ANOTHER_COLUMNS <= room && next_nameless(walk, place))
        used += (size_t)snprintf(name + used, sizeof name - used, ", +0x%" PRIx64, place->address);
    ubi__out_string(p->out, arrow);
    ubi__display_text(p->out, p->style, ubi__text(name), room);
    ubi__out_char(p->out, '\n');
}

/* What calls main or the first function of a thread is the same everywhere. */
static bool is_start_up(const ubi__recording_place *place) {
    static const char *const names[] = { "__libc_start_call_main",
                                         "__libc_start_main",
                                         "__libc_start_main_impl",
                                         "_start",
                                         "start_thread",
                                         "clone",
                                         "__clone",
                                         "__clone3" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ubi__text_is(place->function, names[i]))
            return true;
    return false;
}

static bool next_caller(const page *p, ubi__recording_walk *walk, ubi__recording_place *place) {
    return ubi__recording_walk_next(walk, place) && (p->report->wishes->detail || !is_start_up(place));
}

/* One that is left out takes a line as well. */
static bool has_more(const page *p, const ubi__recording_walk *walk) {
    ubi__recording_walk ahead = *walk;
    ubi__recording_place place;
    return next_caller(p, &ahead, &place);
}

/* The callers below the first line, and how many were left out. */
static void write_callers(const page *p, ubi__recording_walk *walk, size_t indent, size_t room, uint32_t n_stacks) {
    ubi__recording_place place;
    char count[UBI__HUMAN_TEXT];
    uint64_t n = 1, more = 0;
    const char *arrow = p->style->unicode ? "← " : "< ";
    while (next_caller(p, walk, &place)) {
        bool is_left_out = ++n > p->n_frames && (more || p->report->wishes->stack_depth || has_more(p, walk));
        if (is_left_out) {
            more++;
            continue;
        }
        ubi__out_repeat(p->out, " ", indent);
        write_caller(p, walk, &place, arrow, room > 2 ? room - 2 : room);
    }
    if (more == 0 && n_stacks <= 1)
        return;
    ubi__out_repeat(p->out, " ", indent);
    ubi__write_ink(p->cli, UBI__INK_DIM);
    if (more)
        ubi__out_printf(p->out, "%s%s more frame%s", arrow, ubi__human_count(count, more), more == 1 ? "" : "s");
    if (n_stacks > 1)
        ubi__out_printf(p->out, "%s%s other stack%s", more ? "; " : "", ubi__human_count(count, n_stacks - 1),
                        n_stacks == 2 ? "" : "s");
    ubi__write_ink(p->cli, UBI__INK_PLAIN);
    ubi__out_char(p->out, '\n');
}

static void write_site(const page *p, const ubi__site *site, ubi__site_order order) {
    ubi__recording_walk walk;
    ubi__recording_place place;
    size_t used = write_numbers(p, site, order);
    size_t room = p->columns > used + LEAST_NAME_COLUMNS ? p->columns - used : LEAST_NAME_COLUMNS;
    ubi__recording_walk_stack(&walk, p->report, site);
    if (!ubi__recording_walk_next(&walk, &place)) {
        ubi__out_string(p->out, "(no stack)\n");
        return;
    }
    write_place(p, &place, "", room);
    write_wrappers(p, site, used, room);
    write_callers(p, &walk, used, room, site->n_stacks);
}

static const char *const titles[UBI__SITE_ORDER_COUNT] = {
    [UBI__BY_LEAKED] = "Not freed at the end: bytes, share, allocations",
    [UBI__BY_PEAK] = "Alive at the peak: bytes, share, allocations",
    [UBI__BY_TOTAL] = "Most bytes allocated: bytes, share, allocations",
    [UBI__BY_COUNT] = "Most allocations: allocations, share, bytes",
    [UBI__BY_TEMPORARY] =
        "Most temporary allocations, freed by the next thing that their thread did: allocations, share, bytes",
};

static void write_more(const page *p, uint64_t n) {
    char count[UBI__HUMAN_TEXT];
    if (n == 0)
        return;
    ubi__write_ink(p->cli, UBI__INK_DIM);
    ubi__out_printf(p->out, "  %s more place%s; --top %" PRIu64 " shows all\n", ubi__human_count(count, n),
                    n == 1 ? "" : "s", p->n_sites + n);
    ubi__write_ink(p->cli, UBI__INK_PLAIN);
}

static ubi_status write_list(const page *p, ubi__site_order order) {
    uint64_t n_shown = 0, n_more = 0;
    UBI_TRY(ubi__sites_sort(&p->report->sites, order));
    for (size_t i = 0; i < p->report->sites.rows.n && !p->out->failed; i++) {
        const ubi__site *site = &p->report->sites.rows.at[i];
        if (site->of_class != UBI__UBIREC_HEAP || ubi__site_value(site, order) <= 0 ||
            !ubi__recording_has_site(p->report, site))
            continue;
        if (n_shown == p->n_sites) {
            n_more++;
            continue;
        }
        if (n_shown++ == 0)
            ubi__write_title(p->cli, titles[order]);
        write_site(p, site, order);
    }
    write_more(p, n_more);
    if (n_shown == 0 && p->report->wishes->by) {
        bool unknown = order == UBI__BY_TEMPORARY && !p->report->is_exact;
        ubi__out_char(p->out, '\n');
        ubi__write_words(p->cli, UBI__INK_PLAIN,
                         unknown ? "Only exact recordings know which allocations were temporary."
                                 : "There is no such place in this recording.");
    }
    return UBI_OK;
}

static ubi_status write_lists(const page *p) {
    if (p->report->wishes->by)
        return write_list(p, ubi__recording_order(p->report->wishes->by));
    for (ubi__site_order order = 0; order < UBI__SITE_ORDER_COUNT; order++)
        UBI_TRY(write_list(p, order));
    if (p->report->wishes->site) /* markers are of all places */
        return UBI_OK;
    return ubi__recording_markers_page(p->cli, p->report, p->n_sites > LIST_SITES ? p->n_sites : LIST_SITES);
}

/* ---- what to know ------------------------------------------------------------------------------------------------- */

static void bullet(const page *p, const char *text) {
    ubi__out_string(p->out, "  - ");
    ubi__wrap_words(p->out, p->style, ubi__text(text), 4, 4, p->columns);
    ubi__out_char(p->out, '\n');
}

static const struct {
    ubi__ubirec_counter counter;
    const char *singular, *words;
} losses[] = {
    { UBI__UBIREC_DROPPED, "event", "lost because there was no room: all numbers are too small" },
    { UBI__UBIREC_REENTRANT, "event", "not recorded because they came from signal handlers inside of the recorder" },
    { UBI__UBIREC_UNKNOWN_FREES, "free", "of blocks that were allocated before recording began, or out of its sight" },
    { UBI__UBIREC_UNWIND_FAILURES, "stack", "could not be followed to its end" },
    { UBI__UBIREC_TRUNCATED_STACKS, "stack", "deeper than the limit and cut there" },
    { UBI__UBIREC_REUSED_ADDRESSES, "allocation", "at an address whose free was not seen; the free was assumed" },
    { UBI__UBIREC_DEEP_BINDS, "load",
      "of a library without the RTLD_DEEPBIND that was asked for, to see what it allocates" },
    { UBI__UBIREC_NAMESPACES, "load", "of a library into a namespace of its own (dlmopen), in which nothing is seen" },
    { UBI__UBIREC_LOST_MARKERS, "marker", "among the lost events: times by marker are too small" },
};
#define LOSSES (sizeof losses / sizeof *losses)

static bool has_few_samples(const page *p) {
    bool any = false;
    for (ubi__measure m = 0; m < UBI__MEASURE_TEMPORARY; m++)
        any = any || (p->report->heap[m].samples > 0 && p->report->heap[m].samples < FEW_SAMPLES);
    return any && !p->report->is_exact;
}

static bool has_remarks(const page *p) {
    const ubi__recording_summary *s = &p->report->summary;
    bool any = s->fault[0] || s->torn_bytes || s->double_frees || !s->tables.has_end || p->report->n_hints;
    uint32_t frame = 0;
    ubi__recording_place wrapper;
    any = any || has_few_samples(p) || ubi__recording_wrapper(&wrapper, p->report, &frame);
    for (size_t i = 0; i < LOSSES; i++)
        any = any || s->tables.counters[losses[i].counter];
    return any;
}

static void write_losses(const page *p) {
    char text[256], count[UBI__HUMAN_TEXT];
    const ubi__recording_summary *s = &p->report->summary;
    for (size_t i = 0; i < LOSSES; i++) {
        uint64_t n = s->tables.counters[losses[i].counter];
        if (n == 0)
            continue;
        snprintf(text, sizeof text, "%s %s", ubi__human_things(count, n, losses[i].singular), losses[i].words);
        bullet(p, text);
    }
    if (s->double_frees) {
        snprintf(text, sizeof text, "%s of what did not live any more: the file is wrong there",
                 ubi__human_things(count, s->double_frees, "free"));
        bullet(p, text);
    }
}

/* Several calls in one function are said once. */
static void write_wrappers_seen(const page *p) {
    ubi__recording_place place;
    ubi_text said[WRAPPERS_SAID];
    char text[640], name[96];
    size_t used = 0, n = 0;
    bool more = false;
    for (uint32_t i = 0; ubi__recording_wrapper(&place, p->report, &i);) {
        bool is_said = false;
        for (size_t k = 0; k < n && place.function.len; k++)
            is_said |= ubi__text_equal(said[k], place.function);
        more |= !is_said && n == WRAPPERS_SAID;
        if (is_said || n == WRAPPERS_SAID)
            continue;
        ubi__recording_place_name(name, sizeof name, &place);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", n ? ", " : "", name);
        said[n++] = place.function;
    }
    if (n == 0)
        return;
    snprintf(text + used, sizeof text - used,
             "%s ask%s for memory in the name of many: places are their callers, and \"%s\" shows the way from there; "
             "--no-wrappers stays with them",
             more ? " and others" : "", n == 1 && !more ? "s" : "", p->style->unicode ? "→" : ">");
    bullet(p, text);
}

static void write_remarks(const page *p) {
    char text[384], count[UBI__HUMAN_TEXT];
    const ubi__recording_summary *s = &p->report->summary;
    if (!has_remarks(p))
        return;
    ubi__write_title(p->cli, "To know");
    if (s->fault[0]) {
        snprintf(text, sizeof text, "this is what stands before a fault in the file: %s", s->fault);
        bullet(p, text);
    }
    if (s->torn_bytes) {
        snprintf(text, sizeof text, "the recording ends in an unfinished block, of which %s were ignored",
                 ubi__human_things(count, s->torn_bytes, "byte"));
        bullet(p, text);
    }
    if (!s->tables.has_end)
        bullet(p, "the recorder did not see the program end: what is not freed may just not have been freed yet");
    write_losses(p);
    if (has_few_samples(p))
        bullet(p,
               "numbers from fewer than 30 samples may be further off than their errors say, counts above all: small "
               "blocks are seldom sampled; a smaller --period tells more");
    write_wrappers_seen(p);
    for (size_t i = 0; i < p->report->n_hints; i++)
        bullet(p, p->report->hints[i].text);
    if (p->report->n_hints_left_out) {
        snprintf(text, sizeof text, "and so do addresses of %s",
                 ubi__human_things(count, p->report->n_hints_left_out, "other module"));
        bullet(p, text);
    }
}

static void write_next(const page *p) {
    const char *file = ubi__file_argument(p->report->path, "FILE");
    ubi__write_title(p->cli, "Next");
    if (!p->report->wishes->by) {
        ubi__write_command(p->cli, "report --by leaked", file, NULL, "more places, longer stacks");
        ubi__write_command(p->cli, "report --by peak --stack-depth 50", file, NULL, "whole stacks");
    }
    ubi__write_command(p->cli, "report --format tsv", file, NULL, "all places, for a spreadsheet or script");
    ubi__recording_markers_next(p->cli, p->report, file);
}

static bool is_empty(const page *p) {
    for (int c = 0; c < UBI__UBIREC_CLASS_COUNT; c++)
        if (p->report->summary.classes[c].count)
            return false;
    return true;
}

ubi_status ubi__recording_page(ubi__cli *cli, ubi__recording_report *report) {
    const ubi__recording_wishes *wishes = report->wishes;
    page p = { .cli = cli, .out = &cli->output->out, .style = &cli->style, .report = report };
    bool is_list = wishes->by || wishes->detail;
    p.columns = cli->style.columns < WIDEST_PAGE ? cli->style.columns : WIDEST_PAGE;
    p.number_columns = report->is_exact ? EXACT_COLUMNS : ESTIMATE_COLUMNS;
    p.n_sites = wishes->top ? wishes->top : is_list ? LIST_SITES : OVERVIEW_SITES;
    p.n_frames = wishes->stack_depth ? wishes->stack_depth
                 : wishes->detail    ? UINT64_MAX
                 : is_list           ? LIST_FRAMES
                                     : OVERVIEW_FRAMES;
    write_head(&p);
    if (is_empty(&p)) {
        ubi__out_char(p.out, '\n');
        ubi__write_words(cli, UBI__INK_PLAIN, "Nothing was allocated, or nothing of it was sampled.");
        write_remarks(&p);
        if (report->summary.n_markers) {
            ubi__write_title(cli, "Next");
            ubi__recording_markers_next(cli, report, ubi__file_argument(report->path, "FILE"));
        }
        return UBI_OK;
    }
    write_totals(&p);
    write_curve(&p);
    UBI_TRY(write_lists(&p));
    write_remarks(&p);
    write_next(&p);
    return UBI_OK;
}
