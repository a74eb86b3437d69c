/* SPDX-License-Identifier: MIT
 *
 * leaks_series.h: the files of `ubiheap leaks`: their order, and whether they can be compared.
 */
#ifndef UBI_CLI_LEAKS_SERIES_H
#define UBI_CLI_LEAKS_SERIES_H

#include <ubiheap/core/leaks.h>

#include "cli/cli_files.h"

/** The snapshots of one comparison, the newest last. */
typedef struct ubi__leaks_series {
    char **paths; /**< paths[n] */
    int n;
} ubi__leaks_series;

/**
 * Puts the paths into the order in which the snapshots were taken, by V8's ids or by times of creation. Reads each file.
 * Errors: those of opening; UBI_EINVAL (standard input; files without ids or times).
 */
ubi_status ubi__leaks_reorder(const ubi__leaks_series *series, ubi__cli *cli);

/** The worst fit; skips heaps of other processes if they are allowed. */
ubi_leak_fit ubi__leaks_worst_fit(const ubi_leaks *leaks, bool allows_other_process);
/** UBI_EINVAL if the files are out of order; the message has the right one. `option`: what named the files, or NULL. */
ubi_status ubi__leaks_check_order(const ubi__leaks_series *series, const ubi_leaks *leaks, bool allows_other_process,
                                  const char *option);

/**
 * Whether heaps seem to be of different processes only because they were anonymized with different keys: ids and types
 * fit, but most texts are different words.
 */
bool ubi__leaks_differ_by_key(const ubi_leaks *leaks);
/** UBI_EFORMAT if formats differ, so ids and classes are not comparable; the message has the remedy. */
ubi_status ubi__leaks_check_format(const ubi__snapshot *past, const ubi__snapshot *newest);

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
