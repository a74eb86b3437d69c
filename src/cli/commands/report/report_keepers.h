/* SPDX-License-Identifier: MIT
 *
 * report_keepers.h: who holds the heap, for the report.
 */
#ifndef UBI_CLI_REPORT_KEEPERS_H
#define UBI_CLI_REPORT_KEEPERS_H

#include <ubiheap/keepers.h>
#include <ubiheap/lens.h>

#define UBI__REPORT_KEEPERS 10

/** at[n], most exclusive bytes first. All zero: none. */
typedef struct ubi__report_keepers {
    ubi_keeper at[UBI__REPORT_KEEPERS];
    uint32_t n;
} ubi__report_keepers;

/** @param dominators  with sets. Cost: that of ubi_keepers_find. Errors: UBI_ENOMEM, UBI_ECANCELLED. */
ubi_status ubi__report_keepers_init(ubi__report_keepers *out, const ubi_dominators *dominators, const ubi_graph *graph,
                                    ubi_progress progress);

/** What a keeper holds, for a reader. */
typedef enum ubi__holding {
    UBI__HOLDS_VARIOUS, /**< no kind stands out */
    UBI__HOLDS_ITSELF,  /**< half of it is its own size */
    UBI__HOLDS_KIND     /**< most of the rest is of `held_kind` */
} ubi__holding;

ubi__holding ubi__report_holding(const ubi_lens_view *look, const ubi_keeper *keeper);

#endif
