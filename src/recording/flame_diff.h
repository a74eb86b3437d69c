/* SPDX-License-Identifier: MIT
 *
 * flame_diff.h: the functions of two recordings as one tree, for a flame graph of what changed.
 *
 * A node has what both have together, so that what only one of them has is seen as well; `past` says what of it is the older one's.
 */
#ifndef UBI_RECORDING_FLAME_DIFF_H
#define UBI_RECORDING_FLAME_DIFF_H

#include "recording/recording_diff.h"

/** Of a comparison without a scale. Errors: UBI_ENOMEM, UBI_ELIMIT; nothing is left. Cost: O(nodes), and sorting the children of each. */
ubi_status ubi__flame_tree_of_diff(ubi__flame_tree *tree, const ubi__recording_diff *diff);

#endif
