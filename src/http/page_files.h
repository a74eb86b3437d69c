/* SPDX-License-Identifier: MIT
 *
 * page_files.h: the files of the web page, as they are in this program. cmake/Page.cmake lists what is in web/dist; a build without Node.js
 * may have none.
 */
#ifndef UBI_HTTP_PAGE_FILES_H
#define UBI_HTTP_PAGE_FILES_H

#include <stdbool.h>

/** Bytes from `begin` up to `end`. */
typedef struct ubi__page_bytes {
    const char *begin, *end;
} ubi__page_bytes;

/** A file of the page. All of it is constant, and there as long as the program. */
typedef struct ubi__page_file {
    const char *path;              /**< "/" or "/assets/NAME" */
    const char *type;              /**< the media type */
    const char *tag;               /**< of its bytes: 32 digits */
    bool has_tag_in_name;          /**< another content has another path */
    ubi__page_bytes plain, packed; /**< as it is, and compressed by gzip */
} ubi__page_file;

/** Of a path without query. NULL: there is none. Any thread. */
const ubi__page_file *ubi__page_file_find(const char *path);

#endif
