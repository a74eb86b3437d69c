/* SPDX-License-Identifier: MIT
 *
 * report_keepers.h: who holds the heap, for the report.
 */
#ifndef UBI_CLI_REPORT_KEEPERS_H
#define UBI_CLI_REPORT_KEEPERS_H

#include <ubiheap/keepers.h>
#include <ubiheap/paths.h>

#define UBI__REPORT_KEEPERS 10

/** A keeper and the shortest way to it. */
typedef struct ubi__report_keeper {
    ubi_keeper keeper;
    ubi_path_step *steps; /**< owned steps[n_steps], from the root on */
    uint32_t n_steps;
} ubi__report_keeper;

/** at[n], most exclusive bytes first. All zero: none. */
typedef struct ubi__report_keepers {
    ubi__report_keeper at[UBI__REPORT_KEEPERS];
    uint32_t n;
} ubi__report_keepers;

/**
 * Finds them. On failure there is still something to free.
 * Cost: a dominator tree, and one walk over all edges. Errors: UBI_ENOMEM, UBI_ECANCELLED.
 */
ubi_status ubi__report_keepers_init(ubi__report_keepers *out, const ubi_view *view, ubi_progress progress);
void ubi__report_keepers_fini(ubi__report_keepers *keepers);

/** What a keeper holds, for a reader. */
typedef enum ubi__holding {
    UBI__HOLDS_VARIOUS, /**< no kind stands out */
    UBI__HOLDS_ITSELF,  /**< half of it is its own size */
    UBI__HOLDS_KIND     /**< most of the rest is of `held_kind` */
} ubi__holding;

ubi__holding ubi__report_holding(const ubi_graph *graph, const ubi_keeper *keeper);

#endif
