/* SPDX-License-Identifier: MIT
 *
 * diff_page.h: what changed between two snapshots, for people.
 */
#ifndef UBI_CLI_DIFF_PAGE_H
#define UBI_CLI_DIFF_PAGE_H

#include <ubiheap/core/diff.h>

#include "cli/cli_files.h"

/** The two snapshots of a comparison, and how much is in them. */
typedef struct ubi__diff_pair {
    const ubi__snapshot *old_snapshot, *new_snapshot;
    ubi_tally old_total, new_total; /**< of nodes that a census counts */
    bool is_one_process;            /**< else V8's ids do not show which was taken first */
} ubi__diff_pair;

/** Whether the head would comment on the order by V8's ids; then the caller must find out whether it is one process. */
bool ubi__diff_doubts_order(const ubi__diff_pair *pair);
/** Three lines: the old one, the new one, the difference. */
void ubi__diff_write_head(ubi__cli *cli, const ubi__diff_pair *pair);
/**
 * Classes that changed, at most `limit` (0: all), and how to read the numbers.
 * @param changed  whether there are any.
 * @param net      a change in bytes is what is new less what is deleted, as in Chrome's DevTools.
 */
ubi_status ubi__diff_write_classes(bool *changed, ubi__cli *cli, const ubi_class_diff *diff, bool net, uint64_t limit);
/** Places in the source that allocated what is new or gone: the top of an inverted tree by allocation stack. */
void ubi__diff_write_sites(ubi__cli *cli, const ubi_census_tree *tree, uint64_t limit);
/** Commands to run next. */
void ubi__diff_write_next(ubi__cli *cli, const ubi__diff_pair *pair, bool has_stacks);

#endif
