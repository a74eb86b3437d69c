/* SPDX-License-Identifier: MIT
 *
 * leaks_series.h: the heaps that are searched for leaks: their order, and whether they can be compared.
 */
#ifndef UBI_QUESTIONS_LEAKS_SERIES_H
#define UBI_QUESTIONS_LEAKS_SERIES_H

#include <ubiheap/core/leaks.h>

#include "analyses/leaks/leak_record.h"
#include "questions/question.h"

/** The heaps of one comparison, the newest last. */
typedef struct ubi__leaks_series {
    const ubi__asked *asked;
    uint32_t *heaps; /**< owned heaps[n]: indices of asked->heaps */
    uint32_t n;
    bool is_of_one_program; /* it runs, and they were taken of it over one connection */
} ubi__leaks_series;

/** What the i-th of them is called. */
static inline const char *ubi__leaks_name(const ubi__leaks_series *series, uint32_t i) {
    return ubi__asked_name_at(series->asked, series->heaps[i]);
}

/** The n heaps from `first` on. Errors: UBI_ENOMEM. */
ubi_status ubi__leaks_series_init(ubi__leaks_series *out, const ubi__asked *asked, uint32_t first, uint32_t n);
void ubi__leaks_series_fini(ubi__leaks_series *series);

/**
 * Puts the heaps into the order in which they were taken, by V8's ids or by times of creation. Reads each.
 * Errors: those of reading; UBI_EINVAL (heaps without ids or times).
 */
ubi_status ubi__leaks_reorder(ubi__leaks_series *series);

/** The worst fit; skips heaps of other processes if they are allowed. */
ubi_leak_fit ubi__leaks_worst_fit(const ubi_leaks *leaks, bool allows_other_process);
/** UBI_EINVAL if the heaps are out of order; the message has the right one. `option`: what named the files, or NULL. */
ubi_status ubi__leaks_check_order(const ubi__leaks_series *series, const ubi_leaks *leaks, bool allows_other_process,
                                  const char *option);

/**
 * Whether heaps seem to be of different processes only because they were anonymized with different keys: ids and types
 * fit, but most texts are different words.
 */
bool ubi__leaks_differ_by_key(const ubi_leaks *leaks);
/** Of a heap of which ids and classes are left; NULL: it is whole. O(1). */
const ubi__recorded_heap *ubi__leaks_recorded_heap(const ubi_session *session);
/** UBI_EFORMAT if formats differ, so ids and classes are not comparable; the message has the remedy. */
ubi_status ubi__leaks_check_format(const ubi_session *past, const ubi_session *newest);

#define UBI__LEAKS_REASON 900
/**
 * Whether the newest heap has ids above all of a past one, and none of its: the program gives each node a new id in each snapshot, as
 * Bun does, so that nothing shows which node was there.
 */
bool ubi__leaks_renews_ids(const ubi_leak_heap *past, const ubi_leak_heap *newest);
/** Why heaps of that fit cannot be compared: "cannot be compared: A is of another process than B". */
const char *ubi__leaks_reason(char out[UBI__LEAKS_REASON], const ubi__leaks_series *series, const ubi_leaks *leaks,
                              ubi_leak_fit fit);

#endif
