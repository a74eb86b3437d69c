/* SPDX-License-Identifier: MIT
 *
 * recording_gaps.c: see recording_gaps.h.
 */
#include "questions/recording/recording_gaps.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/human.h"
#include "questions/recording/recording_report.h"

/* ---- which fact suffers from what ----------------------------------------------------------------------------------- */

#define ALL UBI__KNOWN
#define LEAST UBI__KNOWN_AT_LEAST
#define NOTHING UBI__KNOWN_NOTHING

/*
 * What was not seen to be freed may be freed later, so a recording that stops early knows nothing of what leaks. In a pause and before
 * an attachment frees of recorded blocks, or of none, are missed: what leaks, lives and was allocated can only be more. Whether a block was
 * freed as the next thing that its thread did is unknown where a pause hides what it did.
 */
static const struct {
    const char *key;
    ubi__known leaks, peak, allocated, temporary, rss, dropped;
} effects[UBI__GAP_KINDS] = {
    [UBI__GAP_NOT_RECORDED] = { "notRecorded", NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING },
    [UBI__GAP_GIVEN_UP] = { "givenUp", NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING },
    [UBI__GAP_FILES] = { "missingFiles", NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING },
    [UBI__GAP_REPLACED] = { "replaced", NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING },
    [UBI__GAP_OUTSIDE] = { "outside", NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING },
    [UBI__GAP_PROFILE] = { "profile", NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING },
    [UBI__GAP_FREES] = { "noFrees", NOTHING, NOTHING, ALL, NOTHING, ALL, ALL },
    [UBI__GAP_END] = { "noEnd", NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING },
    [UBI__GAP_EVENTS] = { "lostEvents", NOTHING, NOTHING, NOTHING, NOTHING, ALL, ALL },
    [UBI__GAP_ALL_PAUSED] = { "pausedThroughout", NOTHING, NOTHING, NOTHING, NOTHING, ALL, ALL },
    [UBI__GAP_STOPPED] = { "stopped", NOTHING, LEAST, LEAST, LEAST, LEAST, LEAST },
    [UBI__GAP_PAUSED] = { "paused", LEAST, LEAST, LEAST, NOTHING, ALL, ALL },
    [UBI__GAP_PAUSED_BEFORE] = { "pausedBefore", ALL, LEAST, ALL, ALL, ALL, ALL },
    [UBI__GAP_ATTACHED] = { "attached", LEAST, LEAST, LEAST, LEAST, LEAST, ALL },
    [UBI__GAP_OLDER] = { "attachedBefore", ALL, LEAST, ALL, ALL, ALL, ALL },
};

static ubi__known gap_leaves(ubi__recording_gap_kind kind, ubi__recording_fact fact) {
    switch (fact) {
    case UBI__FACT_PEAK:
        return effects[kind].peak;
    case UBI__FACT_TOTAL:
    case UBI__FACT_COUNT:
        return effects[kind].allocated;
    case UBI__FACT_TEMPORARY:
        return effects[kind].temporary;
    case UBI__FACT_RSS:
        return effects[kind].rss;
    case UBI__FACT_DROPPED:
        return effects[kind].dropped;
    default:
        return effects[kind].leaks;
    }
}

const char *ubi__recording_gap_key(ubi__recording_gap_kind kind) {
    return effects[kind].key;
}

ubi__known ubi__recording_gaps_leave(const ubi__recording_gap **gap, const ubi__recording_gaps *gaps,
                                     ubi__recording_fact fact) {
    ubi__known least = UBI__KNOWN;
    *gap = NULL;
    for (size_t i = 0; i < gaps->n; i++)
        if (gap_leaves(gaps->at[i].kind, fact) > least) {
            least = gap_leaves(gaps->at[i].kind, fact);
            *gap = &gaps->at[i];
        }
    return least;
}

/* ---- finding --------------------------------------------------------------------------------------------------------- */

static void UBI_PRINTF(3, 4) gap_add(ubi__recording_gaps *out, ubi__recording_gap_kind kind, const char *format, ...) {
    ubi__recording_gap *gap = &out->at[out->n++];
    va_list arguments;
    gap->kind = kind;
    va_start(arguments, format);
    vsnprintf(gap->words, sizeof gap->words, format, arguments);
    va_end(arguments);
}

/* A program that the recorded one became, without a file. Where children were followed, it has one, or what was not recorded says why not. */
static void find_replacement(ubi__recording_gaps *out, const ubi__recording_report *report) {
    const ubi__ubirec_tables *t = &report->summary->tables;
    bool is_alone = !report->processes->first && !t->counters[UBI__UBIREC_COMPANIONS];
    ubi_text name = { NULL, 0 };
    for (size_t i = 0; i < t->started.n; i++)
        if (t->started.at[i].why == UBI__UNRECORDED_REPLACED)
            name = ubi__ubirec_string_at(t, t->started.at[i].name);
    if (name.len)
        gap_add(out, UBI__GAP_REPLACED,
                "the program became '%.*s', which was not recorded (record --follow-children does that)",
                (int)(name.len < 60 ? name.len : 60), name.ptr);
    else if (is_alone && t->has_end && t->end.reason == UBI__UBIREC_REPLACED)
        gap_add(out, UBI__GAP_REPLACED,
                "the program became another one, which was not recorded (record --follow-children does that)");
}

/* Of one process, or of all that were recorded together. */
static void find_unrecorded(ubi__recording_gaps *out, const ubi__recording_report *report) {
    const ubi__recording_summary *s = report->summary;
    const uint64_t *counters = s->tables.counters;
    if (counters[UBI__UBIREC_NOT_RECORDED])
        gap_add(out, UBI__GAP_NOT_RECORDED, "some processes could not be recorded ('report' says which)");
    if (report->processes->n_given_up || ubi__recording_was_given_up(s))
        gap_add(out, UBI__GAP_GIVEN_UP, "recording was given up");
    if (report->processes->missing.n)
        gap_add(out, UBI__GAP_FILES, "files of some processes are missing ('report' says which)");
    if (!s->is_over)
        find_replacement(out, report);
}

/* Whether all that was asked about is later. */
static bool is_outside(const ubi__recording_report *report) {
    const ubi__recording_summary *s = report->summary;
    uint64_t first_ns = ubi__recording_is_moment(report) ? s->window.to_ns - 1 : s->window.from_ns;
    return ubi__recording_is_part(s) && first_ns > s->time_ns;
}

static void find_lost(ubi__recording_gaps *out, const ubi__recording_report *report) {
    char time[UBI__HUMAN_TEXT];
    const ubi__recording_summary *s = report->summary;
    const uint64_t *counters = s->tables.counters;
    if (is_outside(report))
        gap_add(out, UBI__GAP_OUTSIDE, "the recording ends at %s", ubi__human_duration(time, s->time_ns / 1000));
    if (ubi__recording_is_profile(s))
        gap_add(out, UBI__GAP_PROFILE, "a sampling profile of V8 does not say how exact it is");
    if (!ubi__recording_has_frees(s))
        gap_add(out, UBI__GAP_FREES, "frees were not recorded");
    if (!s->tables.has_end && !s->is_over)
        gap_add(out, UBI__GAP_END,
                "the recording has no end: its file was cut, or the recorder was killed or still writes");
    if (counters[UBI__UBIREC_DROPPED] > counters[UBI__UBIREC_LOST_MARKERS])
        gap_add(out, UBI__GAP_EVENTS, "events were lost ('dropped' says how many)");
}

/* The pause that says most about the part of the time that was asked about. */
typedef enum pause_side { PAUSE_LATER, PAUSE_BEFORE, PAUSE_MEETS } pause_side;

static pause_side pauses_side(const ubi__recording_summary *s) {
    pause_side side = s->tables.pauses.n ? PAUSE_LATER : PAUSE_MEETS; /* older recorders do not say when */
    for (size_t i = 0; i < s->tables.pauses.n && side != PAUSE_MEETS; i++) {
        const ubi__pause *pause = &s->tables.pauses.at[i];
        if (ubi__window_meets_pause(&s->window, pause))
            side = PAUSE_MEETS;
        else if (pause->from_ns < s->window.from_ns)
            side = PAUSE_BEFORE;
    }
    return side;
}

bool ubi__recording_was_paused(const ubi__recording_summary *s) {
    return s->tables.counters[UBI__UBIREC_PAUSED_MS] && pauses_side(s) == PAUSE_MEETS;
}

static void find_paused(ubi__recording_gaps *out, const ubi__recording_summary *s) {
    char time[UBI__HUMAN_TEXT];
    uint64_t paused_ms = s->tables.counters[UBI__UBIREC_PAUSED_MS];
    bool is_empty = !ubi__class_has_any(s, UBI__UBIREC_HEAP) && !ubi__class_has_any(s, UBI__UBIREC_MAPPING);
    if (paused_ms && is_empty && ubi__window_is_whole(&s->window))
        gap_add(out, UBI__GAP_ALL_PAUSED, "nothing was recorded: recording was paused for %s",
                ubi__human_duration(time, paused_ms * 1000));
    else if (paused_ms && pauses_side(s) == PAUSE_MEETS)
        gap_add(out, UBI__GAP_PAUSED, "recording was paused for %s", ubi__human_duration(time, paused_ms * 1000));
    else if (paused_ms && pauses_side(s) == PAUSE_BEFORE)
        gap_add(out, UBI__GAP_PAUSED_BEFORE, "recording was paused before that");
}

/* Of the time before, between and after. */
static void find_unseen_times(ubi__recording_gaps *out, const ubi__recording_summary *s) {
    char time[UBI__HUMAN_TEXT];
    const ubi__ubirec_tables *t = &s->tables;
    if (!s->is_over && t->has_end && t->end.reason == UBI__UBIREC_STOPPED && t->end.value != UBI__UBIREC_GAVE_UP)
        gap_add(out, UBI__GAP_STOPPED, "recording was stopped at %s, before the program ended",
                ubi__human_duration(time, s->time_ns / 1000));
    find_paused(out, s);
    if (!t->counters[UBI__UBIREC_ATTACHED])
        return;
    bool is_later = s->window.from_ns && s->window.from_ns >= t->about.recording_start_ns;
    gap_add(out, is_later ? UBI__GAP_OLDER : UBI__GAP_ATTACHED,
            "what the program had allocated in its first %s is unknown",
            ubi__human_duration(time, t->about.recording_start_ns / 1000));
}

void ubi__recording_gaps_find(ubi__recording_gaps *out, const ubi__recording_report *report) {
    out->n = 0;
    find_unrecorded(out, report);
    find_lost(out, report);
    find_unseen_times(out, report->summary);
}
