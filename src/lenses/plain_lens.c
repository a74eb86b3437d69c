/* SPDX-License-Identifier: MIT
 *
 * plain_lens.c: the lens for heaps of which we do not know the producer: everything as it stands.
 */
#include "lenses/lens.h"

static ubi_status open(ubi_lens_view *look, const ubi_lens_options *options, int filter) {
    (void)options, (void)filter;
    return ubi__lens_classes_by_label(look);
}

static const char *const census_presets[] = { "treeMap", "objectClass", "internalType", "allocationStack", NULL };

const ubi_lens ubi__lens_plain = {
    .name = "plain",
    .title = "Any heap",
    .displays = UBI__LENS_DISPLAYS(census_presets),
    .reuses_ids = true,
    .open = open,
};
