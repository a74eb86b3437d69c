/* SPDX-License-Identifier: MIT
 *
 * treemap_layout.h: between the files of the tree map.
 */
#ifndef UBI_TREEMAP_LAYOUT_H
#define UBI_TREEMAP_LAYOUT_H

#include <ubiheap/core/treemap.h>

/** UBI_EINVAL with a message that names the first bad option. */
ubi_status ubi__treemap_check_options(const ubi_treemap_options *options);

#endif
