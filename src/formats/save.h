/* SPDX-License-Identifier: MIT
 *
 * save.h: a save that can still be called off when all is written.
 */
#ifndef UBI_FORMATS_SAVE_H
#define UBI_FORMATS_SAVE_H

#include <ubiheap/core/formats.h>

/** Called once, when the whole heap has been walked and the file is not visible yet. */
typedef ubi_status (*ubi__save_written_fn)(void *payload);

/**
 * ubi_save_path, which asks `written` before the file is synced and appears. Any status but UBI_OK leaves the old file as it
 * was and is returned.
 */
ubi_status ubi__save_path_if(ubi_node root, const char *path, const ubi_save_options *options, ubi_save_info *info,
                             ubi__save_written_fn written, void *payload);

/** ubi_graph_save_path, which asks when the file is complete and on disk, and not visible yet; `info` is filled. */
ubi_status ubi__graph_save_path_if(const ubi_graph *graph, const char *path, const ubi_save_options *options,
                                   ubi_save_info *info, ubi__save_written_fn written, void *payload);

#endif
