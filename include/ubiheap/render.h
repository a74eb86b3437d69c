/* SPDX-License-Identifier: MIT
 *
 * ubiheap/render.h: results as JSON text.
 *
 * What is written is exact: numbers as JavaScript prints doubles, node ids as numbers when a double holds them exactly and
 * as strings of digits otherwise, lone surrogates as \uXXXX, and bytes that are no UTF-8 as the four characters \xNN.
 */
#ifndef UBIHEAP_RENDER_H
#define UBIHEAP_RENDER_H

#include <ubiheap/base.h>
#include <ubiheap/census.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Takes `size` bytes of output. Return false to stop: the caller gets UBI_EIO. */
typedef bool (*ubi_write_fn)(void *payload, const void *data, size_t size_bytes);

/**
 * A report as takeCensus gives it. A Map becomes
 * `[{"stack": [{source, line, column, functionDisplayName}, ... youngest first] | "noStack" | null, "report": ...}, ...]`.
 * Errors: UBI_EIO, UBI_ENOMEM. Cost: linear in the output; nothing is held in memory.
 */
UBI_API ubi_status ubi_render_report_json(ubi_write_fn fn, void *payload, const ubi_report *report);

/**
 * A census tree, nested: `{name, bytes, totalBytes, count, totalCount, id, parent?, reportLeafIndex?, children?}`;
 * `name` is null, a string or a frame object; `reportLeafIndex` a number, or an array where inversion merged leaves.
 */
UBI_API ubi_status ubi_render_census_tree_json(ubi_write_fn fn, void *payload, const ubi_census_tree *tree);

#ifdef __cplusplus
}
#endif
#endif
