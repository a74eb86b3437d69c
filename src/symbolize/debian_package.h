/* SPDX-License-Identifier: MIT
 *
 * debian_package.h: which Debian package brings the debug information of a file.
 */
#ifndef UBI_SYMBOLIZE_DEBIAN_PACKAGE_H
#define UBI_SYMBOLIZE_DEBIAN_PACKAGE_H

#include "base/alloc.h"

#define UBI__PACKAGE_NAME_BYTES 128

typedef struct ubi__package_query {
    const char *path;                      /* of a file, absolute */
    char package[UBI__PACKAGE_NAME_BYTES]; /* out: such as "libfoo1-dbgsym"; "": no package has the file */
} ubi__package_query;

/**
 * Answers queries[n] from dpkg's lists of the files of packages, root/NAME.list, in one pass over them. Without such lists,
 * on another system, all answers are empty.
 * Errors: UBI_ENOMEM. Cost: reads all lists, 10 to 100 ms.
 */
ubi_status ubi__debian_packages_find(ubi__package_query *queries, size_t n, const char *root,
                                     const ubi_allocator *allocator);

#endif
