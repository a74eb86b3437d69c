/* SPDX-License-Identifier: MIT
 *
 * timeline_facts.c: what --fail-on knows of a timeline.
 */
#include <stdio.h>

#include "base/human.h"
#include "base/text.h"
#include "questions/timeline/timeline_view.h"

#define OF_A_MARKER UBI_QUERY_MAY_HAVE_ARGUMENT

typedef enum fact { FACT_COUNT, FACT_TOTAL, FACT_SELF, FACT_LONGEST, FACT_GC, FACT_LOST } fact;

const ubi_query_name ubi__timeline_facts[] = {
    [FACT_COUNT] = { "count", "markers, or those of a name or label", UBI_QUERY_NUMBER, OF_A_MARKER, false, false },
    [FACT_TOTAL] = { "total", "time in them; a share is one of the time shown", UBI_QUERY_DURATION, OF_A_MARKER, false,
                     true },
    [FACT_SELF] = { "self", "the same without what is inside of them", UBI_QUERY_DURATION, OF_A_MARKER, false, true },
    [FACT_LONGEST] = { "longest", "time of the longest", UBI_QUERY_DURATION, OF_A_MARKER, false, false },
    [FACT_GC] = { "gc", "time in collections of garbage; a share is one of all busy time", UBI_QUERY_DURATION,
                  UBI_QUERY_NO_ARGUMENT, false, true },
    [FACT_LOST] = { "lost", "markers that were lost", UBI_QUERY_NUMBER, UBI_QUERY_NO_ARGUMENT, false, false },
    { 0 },
};

static bool is_meant(const ubi__timeline_nest *nest, const ubi__marker_sum *sum, ubi_text argument) {
    ubi_text name = ubi__timeline_text(nest->data, nest->data->rows.at[sum->longest].name);
    return !argument.ptr || ubi__text_equal(argument, name) ||
           ubi__text_equal(argument, ubi__timeline_label(nest, sum));
}

void ubi__timeline_note_missing(ubi__timeline_view *view, const ubi__timeline_nest *nest, ubi_text name) {
    char typed[64], best[UBI__SUGGESTED_BYTES + 1];
    int n =
        snprintf(typed, sizeof typed, "%.*s", (int)(name.len < sizeof typed ? name.len : sizeof typed - 1), name.ptr);
    ubi__suggestion suggestion = ubi__suggestion_for(typed);
    if (view->note[0])
        return;
    for (size_t i = 0; i < nest->sums.n; i++) {
        const ubi__marker_sum *sum = &nest->sums.at[i];
        if (is_meant(nest, sum, name))
            return;
        ubi__suggestion_try_text(&suggestion, best,
                                 ubi__timeline_text(nest->data, nest->data->rows.at[sum->longest].name));
        ubi__suggestion_try_text(&suggestion, best, ubi__timeline_label(nest, sum));
    }
    n = snprintf(view->note, sizeof view->note, "no marker has the name or label '%.*s'", n, typed);
    if (suggestion.word)
        snprintf(view->note + n, sizeof view->note - (size_t)n, "; did you mean '%s'?", suggestion.word);
}

/* Over all labels named: different ones may overlap, so busy time is that of all markers together. */
static uint64_t measure_sums(const ubi__timeline_nest *nest, fact what, ubi_text argument) {
    uint64_t result = 0;
    for (size_t i = 0; i < nest->sums.n; i++) {
        const ubi__marker_sum *sum = &nest->sums.at[i];
        uint64_t longest = ubi__timeline_duration_ns(&nest->data->rows.at[sum->longest]);
        if (!is_meant(nest, sum, argument))
            continue;
        if (what == FACT_LONGEST)
            result = longest > result ? longest : result;
        else
            result += what == FACT_COUNT ? sum->count : what == FACT_SELF ? sum->self_ns : sum->total_ns;
    }
    return result;
}

/* Why numbers may be larger than they are. NULL: they are not. How many markers were lost is known, if the end is. */
static const char *what_is_missing(const ubi__timeline_view *view, fact what) {
    if (!view->file->has_end)
        return "the timeline has no end: its file was cut, or the program was killed or still writes";
    return what != FACT_LOST && view->nest.data->n_lost ? "markers were lost" : NULL;
}

/* What is missing was something of this kind, or inside of it, or nothing: time without what is inside may be less, too. */
static void widen_value(ubi__condition_value *out, fact what, const char *because) {
    out->is_estimate = true;
    out->because = because;
    out->low = what == FACT_SELF ? 0 : out->magnitude;
    out->high = UINT64_MAX;
    out->basis_low = out->basis;
    out->basis_high = what == FACT_GC ? UINT64_MAX : out->basis;
}

/* Conditions know all labels. */
static ubi_status labels_separate(ubi__timeline_view *view) {
    if (!view->has_label_groups)
        return UBI_OK;
    view->has_label_groups = false;
    return ubi__timeline_nest_group_labels(&view->nest, UINT32_MAX);
}

ubi_status ubi__timeline_measure(ubi__condition_value *out, void *payload, ubi_query_value value) {
    ubi__timeline_view *view = payload;
    const ubi__timeline_nest *nest = &view->nest;
    UBI_TRY(labels_separate(view));
    fact what = (fact)(value.name - ubi__timeline_facts);
    *out = (ubi__condition_value){ .basis = view->end_ns - view->begin_ns };
    if (value.argument.ptr)
        ubi__timeline_note_missing(view, nest, value.argument);
    switch (what) {
    case FACT_COUNT:
        out->magnitude = measure_sums(nest, what, value.argument);
        break;
    case FACT_TOTAL:
    case FACT_SELF:
    case FACT_LONGEST:
        out->magnitude =
            what == FACT_TOTAL && !value.argument.ptr ? nest->busy_ns : measure_sums(nest, what, value.argument);
        break;
    case FACT_GC:
        out->magnitude = ubi__timeline_whole(view)->collection_ns;
        out->basis = ubi__timeline_whole(view)->busy_ns;
        break;
    case FACT_LOST:
        out->magnitude = nest->data->n_lost;
        break;
    }
    const char *because = what_is_missing(view, what);
    if (because)
        widen_value(out, what, because);
    return UBI_OK;
}
