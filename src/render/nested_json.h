/* SPDX-License-Identifier: MIT
 *
 * nested_json.h: the JSON of what has the shape of a census report: reports, and differences of reports.
 *
 * Both are as deep as their breakdown, so the walk keeps a stack of its own. A table of functions describes their
 * parts; an item is a `const ubi_report *` or a `const ubi_delta *`.
 */
#ifndef UBI_RENDER_NESTED_JSON_H
#define UBI_RENDER_NESTED_JSON_H

#include <ubiheap/core/census.h>

#include "base/json_writer.h"

typedef struct ubi__nested_ops {
    ubi_report_shape (*shape)(const void *item);
    uint32_t (*entry_count)(const void *item);
    const void *(*entry)(const void *item, uint32_t index, ubi_report_key *key);
    /** Writes an item of shape COUNT or BUCKET. */
    ubi_status (*write_leaf)(ubi__json *json, const void *item);
} ubi__nested_ops;

/** One JSON value. Errors: UBI_ENOMEM, or what write_leaf says. Write errors stick in the writer. */
ubi_status ubi__render_nested(ubi__json *json, const ubi__nested_ops *ops, const void *root);

#endif
