/* SPDX-License-Identifier: MIT
 *
 * recording_window.c: a summary of what happens from now on (ubi__time_window in recording_summary.h).
 *
 * What lives stays, and is older than the window. All that was counted is forgotten.
 */
#include <string.h>

#include "recording/recording_summary_inside.h"

/* What lives is the first maximum: of that, infos have what lives of them. */
static void makers_begin(ubi__recording_summary *s) {
    for (size_t i = 0; i < s->makers.n; i++) {
        ubi__maker_sums *maker = &s->makers.at[i];
        maker->count = maker->temporary = 0;
        maker->peak_live = maker->live;
        maker->epoch = 1;
        *ubi__maker_rest_of(s, i) = (ubi__maker_rest){ .n_older = maker->live };
    }
}

static void class_begin(ubi__class_sums *c, uint64_t time_ns) {
    c->count = c->n_frees = c->n_left = c->bytes = 0;
    c->n_older = c->live;
    c->peak_bytes = c->live_bytes;
    c->peak_time_ns = time_ns;
    c->peak_met_bytes = c->live_met_bytes;
    c->epoch = 1;
    for (int i = 0; i < 2; i++) {
        ubi__half_sums *half = &c->halves[i], *other = &c->halves[1 - i];
        half->peak_bytes = half->live_bytes;
        half->other_bytes = other->live_bytes;
        half->other_variance = other->live_variance;
    }
}

/* What was freed as the last thing may be taken back. */
static void threads_begin(ubi__recording_summary *s) {
    for (size_t i = 0; i < s->threads.n; i++) {
        bool has_freed = s->threads.at[i].last_free != UBI__LAST_FREE_NONE;
        s->threads.at[i] =
            (ubi__thread_sums){ .last_maker = s->threads.at[i].last_maker,
                                .last_free = has_freed ? UBI__LAST_FREE_BEFORE_WINDOW : UBI__LAST_FREE_NONE };
    }
}

void ubi__recording_window_begin(ubi__recording_summary *s) {
    s->has_begun = true;
    s->first_number = s->n_numbers;
    makers_begin(s);
    for (int c = 0; c < UBI__UBIREC_CLASS_COUNT; c++)
        class_begin(&s->classes[c], s->window.from_ns);
    threads_begin(s);
    memset(s->lifetimes, 0, sizeof s->lifetimes);
    ubi__marker_sums_begin(&s->markers, s->window.from_ns);
    s->n_markers = 0;
    s->n_curve = 0;
    s->curve_first = s->window.from_ns / s->curve_step_ns;
    s->rss_peak_bytes = s->rss_last_bytes;
    s->rss_peak_time_ns = s->window.from_ns;
}
