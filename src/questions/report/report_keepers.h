/* SPDX-License-Identifier: MIT
 *
 * report_keepers.h: who holds the heap, for the report.
 */
#ifndef UBI_QUESTIONS_REPORT_KEEPERS_H
#define UBI_QUESTIONS_REPORT_KEEPERS_H

#include <ubiheap/extension/session.h>
#include <ubiheap/views/keepers.h>
#include <ubiheap/views/lens.h>

#include "questions/report/report_paths.h"

#define UBI__REPORT_KEEPERS UBI_SESSION_KEEPERS

/** at[n], most exclusive bytes first, but Node's own after the program's, and the engine's last. All zero: none. */
typedef struct ubi__report_keepers {
    ubi_keeper at[UBI__REPORT_KEEPERS];
    uint32_t n;
    uint32_t n_of_program; /**< these come first; without Node's own and the engine's, all */
    uint32_t n_of_engine;  /**< these come last */
} ubi__report_keepers;

/** The three parts are sorted. O(keepers). */
void ubi__report_keepers_check(const ubi__report_keepers *keepers);

/** Errors: those of ubi_session_keepers. */
ubi_status ubi__report_keepers_init(ubi__report_keepers *out, ubi_session_use *heap);

/** Puts the program's keepers first, by the paths to them. `allocator`: of memory while it works. Cost: O(steps). */
void ubi__report_keepers_sort(ubi__report_keepers *keepers, const ubi_look *look, const ubi__report_paths *paths,
                              const ubi_allocator *allocator);

/** What V8's own roots hold, not the program: one of keepers->at. */
bool ubi__report_keeper_is_of_engine(const ubi__report_keepers *keepers, const ubi_keeper *keeper);

/** As many are shown, where not all are wanted. */
#define UBI__REPORT_KEEPERS_SHOWN 4
/**
 * The first `n`, which explain most, in the order in which all doors show them: the program's, then Node's own, then the engine's, of each
 * those first that retain most. What is only in long lists comes behind what is in short ones, in the same order.
 * @param shown  shown[n], of keepers->at. O(n^2).
 */
void ubi__report_keepers_shown(const ubi_keeper **shown, const ubi__report_keepers *keepers, uint32_t n);

/** What a keeper holds, for a reader. */
typedef enum ubi__holding {
    UBI__HOLDS_VARIOUS, /**< no kind stands out */
    UBI__HOLDS_ITSELF,  /**< half of it is its own size */
    UBI__HOLDS_KIND     /**< most of the rest is of `held_kind` */
} ubi__holding;

ubi__holding ubi__report_holding(const ubi_look *look, const ubi_keeper *keeper);

#endif
