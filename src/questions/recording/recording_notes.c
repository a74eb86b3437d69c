/* SPDX-License-Identifier: MIT
 *
 * recording_notes.c: what a recording lacks, and what its numbers mean: the last thing that is said about it.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/human.h"
#include "base/text.h"
#include "questions/recording/recording_page.h"
#include "recording/ubirec_tables.h"

/* Wrappers that are named, at most. */
#define WRAPPERS_SAID 4
/* Programs that were started and are named, at most. */
#define STARTED_SAID 6
#define NOTE_BYTES sizeof((ubi__recording_notes *)NULL)->at[0]

/* ---- gathering ---------------------------------------------------------------------------------------------------- */

static void UBI_PRINTF(2, 3) note_add(ubi__recording_notes *out, const char *format, ...) {
    va_list args;
    if (out->n == UBI__RECORDING_NOTES)
        return;
    va_start(args, format);
    vsnprintf(out->at[out->n++], NOTE_BYTES, format, args);
    va_end(args);
}

static const struct {
    ubi__ubirec_counter counter;
    const char *singular, *words;
} losses[] = {
    { UBI__UBIREC_DROPPED, "event", "lost because there was no room: all numbers are too small" },
    { UBI__UBIREC_REENTRANT, "event", "not recorded because they came from signal handlers inside of the recorder" },
    { UBI__UBIREC_UNKNOWN_FREES, "free",
      "of blocks that did not live as far as was seen: from before recording began, allocated out of its sight, or "
      "freed "
      "twice, which is a fault of the program" },
    { UBI__UBIREC_INHERITED_FREES, "free",
      "of blocks that a child got from its parent by fork: the parent's file has their allocation" },
    { UBI__UBIREC_UNFINISHED, "call", "under way when the program ended: not counted, for none came back to it" },
    { UBI__UBIREC_UNWIND_FAILURES, "stack", "could not be followed to the outermost frame" },
    { UBI__UBIREC_TRUNCATED_STACKS, "allocation", "with a stack that is deeper than the limit and was cut there" },
    { UBI__UBIREC_REUSED_ADDRESSES, "allocation", "at an address whose free was not seen; the free was assumed" },
    { UBI__UBIREC_DEEP_BINDS, "load",
      "of a library without the RTLD_DEEPBIND that was asked for, to see what it allocates" },
    { UBI__UBIREC_NAMESPACES, "load", "of a library into a namespace of its own (dlmopen), in which nothing is seen" },
    { UBI__UBIREC_LOST_MARKERS, "marker", "among the lost events: times by marker are too small" },
};
#define LOSSES (sizeof losses / sizeof *losses)

static void note_losses(ubi__recording_notes *out, const ubi__recording_summary *s) {
    char count[UBI__HUMAN_TEXT];
    for (size_t i = 0; i < LOSSES; i++) {
        uint64_t n = s->tables.counters[losses[i].counter];
        if (n)
            note_add(out, "%s %s", ubi__human_things(count, n, losses[i].singular), losses[i].words);
    }
    if (ubi__recording_was_paused(s))
        note_add(out, "recording was paused for %s: what was allocated meanwhile is in no number",
                 ubi__human_duration(count, s->tables.counters[UBI__UBIREC_PAUSED_MS] * 1000));
    if (s->double_frees)
        note_add(out, "%s of what was freed already: the file is wrong there",
                 ubi__human_things(count, s->double_frees, "free"));
}

/* Several calls in one function are named once. */
static void note_wrappers(ubi__recording_notes *out, const ubi__recording_view *v) {
    ubi__recording_place place;
    ubi_text said[WRAPPERS_SAID];
    char text[WRAPPERS_SAID * 64], name[56];
    size_t used = 0, n = 0;
    bool more = false;
    for (uint32_t i = 0; ubi__recording_wrapper(&place, v->report->sites, &i);) {
        bool is_said = false;
        for (size_t k = 0; k < n && place.function.len; k++)
            is_said |= ubi__text_equal(said[k], place.function);
        more |= !is_said && n == WRAPPERS_SAID;
        if (is_said || n == WRAPPERS_SAID)
            continue;
        ubi__recording_short_name(name, sizeof name, v->style, &place, 48);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", n ? ", " : "", name);
        said[n++] = place.function;
    }
    if (n == 0)
        return;
    note_add(out,
             "%s%s ask%s for memory in the name of many: places are their callers, %s--no-wrappers stays with them",
             text, more ? " and others" : "", n == 1 && !more ? "s" : "",
             !v->is_list             ? ""
             : v->style->has_unicode ? "\"→\" shows the way from there, "
                                     : "\">\" shows the way from there, ");
}

/* "sort, head (3 times)": those left out for one reason. @return whether there are any */
static bool name_started(char *out, size_t size, const ubi__ubirec_tables *t, ubi__unrecorded why) {
    char times[UBI__HUMAN_TEXT];
    size_t used = 0, n = 0;
    for (size_t i = 0; i < t->started.n; i++) {
        const ubi__ubirec_started_row *row = &t->started.at[i];
        ubi_text name = ubi__ubirec_string_at(t, row->name);
        if (row->why != why || ++n > STARTED_SAID)
            continue;
        used += (size_t)snprintf(out + used, size - used, "%s%.*s", n > 1 ? ", " : "",
                                 (int)(name.len < 60 ? name.len : 60), name.ptr);
        if (row->count > 1)
            used += (size_t)snprintf(out + used, size - used, " (%s times)", ubi__human_count(times, row->count));
    }
    if (n > STARTED_SAID)
        snprintf(out + used, size - used, ", ...");
    return n > 0;
}

/* What was not merged with the rest. */
static void note_missing(ubi__recording_notes *out, const ubi__vec_recording_missing *missing) {
    char text[NOTE_BYTES], count[UBI__HUMAN_TEXT];
    size_t n = missing->n < STARTED_SAID ? missing->n : STARTED_SAID, used = 0;
    if (n == 0)
        return;
    for (size_t i = 0; i < n && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %s (%s)", i ? "," : "", missing->at[i].path,
                                 missing->at[i].name);
    note_add(out, "%s of this recording %s missing, and what %s in no number:%s%s",
             ubi__human_things(count, missing->n, "file"), missing->n == 1 ? "is" : "are",
             missing->n == 1 ? "its process did is" : "their processes did is", text, missing->n > n ? ", ..." : "");
}

/* Programs that may have done the work. */
static void note_started(ubi__recording_notes *out, const ubi__ubirec_tables *t) {
    char names[STARTED_SAID * 96];
    if (name_started(names, sizeof names, t, UBI__UNRECORDED_CHOICE))
        note_add(out, "it started %s; what these allocated was not recorded: record --follow-children does that",
                 names);
    if (name_started(names, sizeof names, t, UBI__UNRECORDED_REPLACED))
        note_add(out, "it became %s, which was not recorded: record --follow-children does that", names);
    for (int why = UBI__UNRECORDED_CHOICE + 1; why < UBI__UNRECORDED_REPLACED; why++)
        if (name_started(names, sizeof names, t, (ubi__unrecorded)why))
            note_add(out, "not recorded: %s: %s", names, ubi__unrecorded_words((ubi__unrecorded)why));
}

static bool has_estimates(const ubi__recording_view *v) {
    return !v->report->is_exact && ubi__class_has_any(v->report->summary, v->of_class);
}

static void note_estimates(ubi__recording_notes *out, const ubi__recording_view *v) {
    if (ubi__recording_is_profile(v->report->summary))
        note_add(out, "numbers are what V8's samples of living objects stand for; how exact they are, it does not say");
    else if (has_estimates(v))
        note_add(
            out,
            "numbers are estimates: in 94 of 100 recordings or more the true value lies between the limits%s. A count "
            "with ~ is a guess: many small blocks may hide in what was not sampled. A smaller --period shows more",
            v->report->wishes->with_detail ? "" : ", which --detail shows for all");
}

/* Whether it had any reason to free what it had. */
static void note_end(ubi__recording_notes *out, const ubi__recording_summary *s) {
    char time[UBI__HUMAN_TEXT];
    const ubi__ubirec_tables *t = &s->tables;
    if (ubi__recording_is_profile(s))
        return;
    if (!ubi__recording_has_frees(s))
        note_add(out, "frees were not recorded: which of these allocations were freed is unknown");
    else if (s->is_over) /* before the program did */
        return;
    else if (!t->has_end)
        note_add(out, "the recorder did not see the program end: what is not freed may just not have been freed yet");
    else if (ubi__recording_was_given_up(s))
        note_add(out,
                 "recording was over %s after the start because ubiheap freed nothing for 30 s; how much was lost is "
                 "unknown",
                 ubi__human_duration(time, s->time_ns / 1000));
    else if (t->end.reason == UBI__UBIREC_KILLED || t->end.reason == UBI__UBIREC_STOPPED)
        note_add(out, "%s: what is not freed may have been in use",
                 t->end.reason == UBI__UBIREC_KILLED ? "the program was killed"
                                                     : "recording was stopped before the program ended");
}

/* What is live, and what is freed, begins at that moment. */
static void note_attached(ubi__recording_notes *out, const ubi__ubirec_tables *t) {
    char time[UBI__HUMAN_TEXT];
    if (t->counters[UBI__UBIREC_ATTACHED])
        note_add(
            out,
            "the program ran for %s before the recorder was attached: what it had allocated by then is in no number, "
            "and frees of it are not counted",
            ubi__human_duration(time, t->about.recording_start_ns / 1000));
}

void ubi__recording_gather_notes(ubi__recording_notes *out, const ubi__recording_view *v) {
    char text[384], count[UBI__HUMAN_TEXT];
    const ubi__recording_summary *s = v->report->summary;
    out->n = 0;
    if (s->fault[0])
        note_add(out, "this is what comes before a fault in the file: %s", s->fault);
    if (s->torn_bytes)
        note_add(out, "the recording ends in an unfinished block, of which %s were ignored",
                 ubi__human_things(count, s->torn_bytes, "byte"));
    if (s->window.from_ns > s->time_ns)
        note_add(out, "the recording ends at %s: what is shown is what was alive then",
                 ubi__human_duration(count, s->time_ns / 1000));
    note_end(out, s);
    note_attached(out, &s->tables);
    if (v->report->processes->n_given_up && !ubi__recording_was_given_up(s))
        note_add(out, "the recording of %s was given up or cut; how much was lost is unknown",
                 v->report->processes->n_given_up == 1 ? "a process" : "some processes");
    note_missing(out, &v->report->processes->missing);
    note_started(out, &s->tables);
    note_losses(out, s);
    note_estimates(out, v);
    if (ubi__recording_mappings_hint(text, sizeof text, v->report))
        note_add(out, "%s", text);
    note_wrappers(out, v);
    for (size_t i = 0; i < v->report->hints->n; i++)
        note_add(out, "%s", v->report->hints->at[i].text);
    if (v->report->hints->n_left_out)
        note_add(out, "and so do addresses of %s",
                 ubi__human_things(count, v->report->hints->n_left_out, "other module"));
}

/* ---- writing ------------------------------------------------------------------------------------------------------ */

/* An empty line and the title. */
#define TITLE_LINES 2

size_t ubi__recording_write_notes(const ubi__recording_view *v, const ubi__recording_notes *notes, size_t lines,
                                  bool is_counted_only) {
    size_t used = TITLE_LINES, shown = 0;
    char count[UBI__HUMAN_TEXT];
    if (notes->n == 0)
        return 0;
    if (!is_counted_only)
        ubi__write_title(v->on, "Notes");
    for (; shown < notes->n; shown++) {
        size_t more = ubi__recording_bullet(v, notes->at[shown], true);
        bool is_last = shown + 1 == notes->n;
        if (shown > 0 && used + more + !is_last > lines)
            break;
        used += more;
        if (!is_counted_only)
            ubi__recording_bullet(v, notes->at[shown], false);
    }
    if (shown == notes->n)
        return used;
    if (!is_counted_only) {
        ubi__write_ink(v->on, UBI__INK_DIM);
        ubi__out_printf(v->out, "  %s; --detail shows all\n", ubi__human_things(count, notes->n - shown, "more note"));
        ubi__write_ink(v->on, UBI__INK_PLAIN);
    }
    return used + 1;
}
