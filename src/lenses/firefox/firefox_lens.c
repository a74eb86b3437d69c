/* SPDX-License-Identifier: MIT
 *
 * firefox_lens.c: how Firefox's memory panel looks at a heap: all edges from the root that the file names, the sizes as they
 * are, and nothing of what cannot be reached.
 *
 * Source: mozilla-central devtools/client/memory/constants.js, devtools/client/preferences/devtools-client.js.
 */
#include "lenses/lens.h"

static ubi_status open(ubi_lens_view *look, const ubi_lens_options *options, int filter) {
    (void)options, (void)filter;
    return ubi__lens_classes_by_label(look);
}

static const char *const census_presets[] = { "coarseType", "allocationStack", "invertedAllocationStack", NULL };
static const char *const label_presets[] = { "label", "labelAllocationStack", NULL };

const ubi_lens ubi__lens_firefox = {
    .name = "firefox",
    .title = "Firefox",
    .format = "fxsnapshot",
    .displays = {
        .census = census_presets,
        .label = label_presets,
        .tree_map = "treeMap",
        .tree_depth = 4,
        .tree_siblings = 15,
        .tree_more_siblings = 50,
        .paths = 10,
        .individuals = 1000,
    },
    .reuses_ids = true,
    .open = open,
};
