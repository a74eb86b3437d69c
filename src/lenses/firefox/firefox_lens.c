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

const ubi_lens ubi__lens_firefox = {
    .name = "firefox",
    .title = "Firefox",
    .format = "fxsnapshot",
    .displays = UBI__LENS_DISPLAYS(census_presets),
    .reuses_ids = true,
    .open = open,
};
